//! Computes a name that identifies a section uniquely. This is the inverse of [`find_section`].

use std::collections::HashMap;

use crate::lookup::{Matching, find_section, names};
use crate::outline::{Outline, SectionKind};

/// Maximum number of names to verify with a lookup. Only names that may be ambiguous are verified.
const LOOKUPS: usize = 64;

/// Maximum length of a name in bytes. A longer line is truncated.
const MAX_NAME: usize = 64 << 10;

/// Returns for each section a name by which [`find_section`] finds it: its own name, the shortest
/// unambiguous path, or a name with a number. The name is `None` if it would be empty, too long or
/// not UTF-8.
pub fn unique_names(outline: &Outline) -> Vec<Option<String>> {
    let count = outline.sections().len();
    // Names are looked up without surrounding blanks.
    let simple_name_of =
        |index| String::from_utf8_lossy(&simple_name(outline, index)).trim().to_owned();
    let mut namer = Namer {
        outline,
        simple_names: (0..count).map(simple_name_of).collect(),
        spelt: HashMap::new(),
        lookups: LOOKUPS,
    };
    namer.spell();
    (0..count).map(|index| namer.name(index)).collect()
}

/// Returns the name of a section for messages, with its `#` marks.
pub fn section_label(outline: &Outline, index: usize) -> String {
    let text = outline.text(index);
    let text = String::from_utf8_lossy(&text);
    match outline.sections()[index].kind() {
        SectionKind::Heading(level) => {
            let marks = outline.format().rules().heading_marks(level);
            format!("{marks} {text}").trim_start().to_owned()
        }
        SectionKind::Entry | SectionKind::Marker | SectionKind::Symbol(_) => text.into_owned(),
    }
}

/// Maximum number of sections whose names are compared to find a unique name.
const MAX_COMPARED: usize = 20_000;

/// Returns a name that identifies a section: its name with `#` marks, a path, or a name with a
/// number.
pub fn unique_label(outline: &Outline, index: usize) -> String {
    let label = section_label(outline, index);
    if find_section(outline, &label, None, Matching::Exact) == Ok(index) {
        return label;
    }
    let is_small = outline.sections().len() <= MAX_COMPARED;
    let name = is_small.then(|| unique_names(outline).swap_remove(index)).flatten();
    name.unwrap_or(label)
}

/// Returns the names of a section's ancestors, outermost first, followed by its own name.
pub fn section_path(outline: &Outline, index: usize) -> Vec<String> {
    let path = outline.path(index).into_iter();
    let mut names: Vec<String> =
        path.map(|index| String::from_utf8_lossy(&outline.text(index)).into_owned()).collect();
    if let Some(qualifier) = outline.qualifier(index) {
        names.insert(names.len().saturating_sub(1), qualifier.to_owned());
    }
    names
}

struct Namer<'a> {
    outline: &'a Outline,
    /// The name of each section without its path. Invalid UTF-8 is replaced with U+FFFD.
    simple_names: Vec<String>,
    // The sections to which each name or path refers.
    spelt: HashMap<String, Vec<usize>>,
    lookups: usize,
}

impl Namer<'_> {
    fn spell(&mut self) {
        for index in 0..self.simple_names.len() {
            for name in names(self.outline, index) {
                self.add(name.into_owned(), index);
            }
        }
        // Paths are needed only for names that several sections share.
        if self.spelt.values().all(|sections| sections.len() == 1) {
            return;
        }
        for index in 0..self.simple_names.len() {
            for path in self.paths_of(index) {
                self.add(path, index);
            }
        }
    }

    fn add(&mut self, spelling: String, index: usize) {
        let sections = self.spelt.entry(spelling).or_default();
        if sections.last() != Some(&index) {
            sections.push(index);
        }
    }

    /// Returns the paths of a section, shortest first: `Parent > Name`, then paths with more
    /// levels.
    fn paths_of(&self, index: usize) -> Vec<String> {
        let mut paths = Vec::new();
        let mut path = self.simple_names[index].clone();
        if let Some(qualifier) = self.outline.qualifier(index) {
            path = format!("{qualifier} > {path}");
            paths.push(path.clone());
        }
        let mut above = self.outline.parent(index);
        while let Some(parent) = above {
            path = format!("{} > {path}", self.simple_names[parent]);
            paths.push(path.clone());
            above = self.outline.parent(parent);
        }
        paths
    }

    fn name(&mut self, index: usize) -> Option<String> {
        let simple = self.simple_names[index].clone();
        if simple.is_empty() || simple.len() > MAX_NAME || !self.is_utf8(index) {
            return None;
        }
        let mut longest = simple.clone();
        if self.is_only(&simple, index) {
            return self.verified_name(simple, index);
        }
        for path in self.paths_of(index) {
            if self.is_only(&path, index)
                && let Some(path) = self.verified_name(path.clone(), index)
            {
                return Some(path);
            }
            longest = path;
        }
        let numbered = |spelling: &str| {
            let at = self.spelt.get(spelling)?.binary_search(&index).ok()?;
            let name = format!("{spelling}[{}]", at + 1);
            (!self.spelt.contains_key(&name)).then_some(name)
        };
        let (by_path, by_name) = (numbered(&longest), numbered(&simple));
        by_path
            .and_then(|name| self.verified_name(name, index))
            .or_else(|| by_name.and_then(|name| self.verified_name(name, index)))
    }

    fn is_utf8(&self, index: usize) -> bool {
        !self.simple_names[index].contains(char::REPLACEMENT_CHARACTER)
            || std::str::from_utf8(&simple_name(self.outline, index)).is_ok()
    }

    fn is_only(&self, spelling: &str, index: usize) -> bool {
        self.spelt.get(spelling).is_some_and(|sections| sections[..] == [index])
    }

    /// Returns the name, if a lookup certainly finds the section.
    fn verified_name(&mut self, name: String, index: usize) -> Option<String> {
        if !self.may_mislead(&name, index) {
            return Some(name);
        }
        self.lookups = self.lookups.checked_sub(1)?;
        let found = find_section(self.outline, &name, None, Matching::Exact);
        (found == Ok(index)).then_some(name)
    }

    /// Whether a lookup might split a name in another way than it was composed.
    fn may_mislead(&self, name: &str, index: usize) -> bool {
        let base = name.rsplit_once('[').map(|(base, _)| base).filter(|_| is_numbered(name));
        let bare = base.unwrap_or(name);
        if name.trim() != name || bare.starts_with('#') || bare.ends_with('#') {
            return true;
        }
        if self.simple_names[index] == name {
            return false;
        }
        let is_path = base != Some(self.simple_names[index].as_str());
        let mut level = Some(index);
        while let Some(section) = level {
            let kind = self.outline.sections()[section].kind();
            let is_heading = matches!(kind, SectionKind::Heading(_) | SectionKind::Symbol(_));
            // The path of a log entry does not consist of the names of its levels.
            if is_numbered(&self.simple_names[section]) || is_path && !is_heading {
                return true;
            }
            level = self.outline.parent(section);
        }
        false
    }
}

/// Whether a name ends with a number in brackets, such as `Setup[2]`.
fn is_numbered(name: &str) -> bool {
    let digits = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    digits.is_some_and(|(base, number)| {
        !base.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns the name of a section without its path: the rendered text of a heading, the text in the
/// brackets of a marker, or the whole line.
fn simple_name(outline: &Outline, index: usize) -> Vec<u8> {
    match outline.sections()[index].kind() {
        SectionKind::Heading(_) => outline.text(index).into_owned(),
        SectionKind::Symbol(_) => outline.name(index).to_vec(),
        SectionKind::Entry | SectionKind::Marker => {
            let marker = outline.marker(index);
            let inner = marker.strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
            inner.filter(|inner| !inner.is_empty()).unwrap_or(outline.name(index)).to_vec()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::format::Format;

    /// The character that represents a byte that is not UTF-8.
    const NOT_UTF8: &str = "\u{ffff}";

    fn with_others(text: &str) -> Vec<u8> {
        let parts: Vec<&[u8]> = text.split(NOT_UTF8).map(str::as_bytes).collect();
        parts.join(&b"\x80"[..])
    }

    #[track_caller]
    fn check(text: &str, format: Format, expected: &[&str]) {
        let outline = Outline::of(&with_others(text), format);
        let names = unique_names(&outline);
        let shown: Vec<&str> = names.iter().map(|name| name.as_deref().unwrap_or("-")).collect();
        assert_eq!(shown, expected);
        for (index, name) in names.iter().enumerate() {
            let Some(name) = name else { continue };
            assert_eq!(find_section(&outline, name, None, Matching::Exact), Ok(index), "{name}");
        }
    }

    #[test]
    fn names_are_as_short_as_possible() {
        check(
            "# Log\n## 1.1\n### Added\n### Fixed\n## 1.0\n### Added\n",
            Format::Markdown,
            &["Log", "1.1", "1.1 > Added", "Fixed", "1.0", "1.0 > Added"],
        );
        check(
            "## [1.1]\n### a/b\n## [1.0]\n### a/b\n### a/b\n",
            Format::Markdown,
            &["[1.1]", "[1.1] > a/b", "[1.0]", "[1.0] > a/b[1]", "[1.0] > a/b[2]"],
        );
        check(
            "# A\n## X\n### Y\n# B\n## X\n### Y\n",
            Format::Markdown,
            &["A", "A > X", "A > X > Y", "B", "B > X", "B > X > Y"],
        );
    }

    #[test]
    fn equal_names_are_numbered() {
        check("# A\n# A\n", Format::Markdown, &["A[1]", "A[2]"]);
        check("# A\n## B\n## B\n", Format::Markdown, &["A", "A > B[1]", "A > B[2]"]);
        check("[db]\na=1\n[db]\n[x]\n", Format::INI, &["db[1]", "db[2]", "x"]);
        check("# A\n# A[1]\n# A\n", Format::Markdown, &["-", "A[1]", "A[2]"]);
    }

    /// A lookup replaces both names with U+FFFD, and also NUL.
    #[test]
    fn names_that_are_not_utf8_are_numbered_but_not_named() {
        let text = format!("# A\n## t{NOT_UTF8}\n## t\0\n## {NOT_UTF8}\n### B\n# B\n");
        check(
            &text,
            Format::Markdown,
            &["A", "-", "A > t\u{fffd}[2]", "-", "\u{fffd} > B", "B[2]"],
        );
    }

    #[test]
    fn names_that_look_like_paths_or_headings_are_unambiguous() {
        check(
            "# a/b\n## C#\n# d > e\n## C#\n# \\# x\n# `f` g\n# *f* g\n",
            Format::Markdown,
            &["a/b", "a/b > C#", "d > e", "d > e > C#", "# x", "f g[1]", "f g[2]"],
        );
        check("#\n\n# x\n## x\n", Format::Markdown, &["-", "x[1]", "x > x"]);
        // In a setext heading, closing marks are part of the name.
        check("x #\n===\n\n# x\n\nx #\n===\n", Format::Markdown, &["x #[1]", "x", "-"]);
        check("# a\n# a\n## b\n### \n", Format::Markdown, &["a[1]", "a[2]", "b", "-"]);
        check("# a\n## b\n### \n# b\n", Format::Markdown, &["a", "a > b", "-", "b[2]"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]
        /// Checks names with characters that have a special meaning in an address, or that a lookup
        /// removes.
        #[test]
        fn every_name_finds_its_section(
            lines in vec((
                prop::sample::select(vec![
                    "# ", "## ", "### ", "[", "[LOG-", "[LOG-1", "", " [", "## #\n\n### ",
                ]),
                vec(prop::sample::select(vec![
                    "a", "b", "LOG-1", " ", "\t", "\u{a0}", "&nbsp;", ".", "[", "]", "\\[", "1",
                    "[1]", "[2]", "\0", NOT_UTF8,
                    "#", " #", "\\#", "/", " > ", ">", "*b*", "`", "'", "=", "-", "é",
                ]), 0..5),
                prop::sample::select(vec!["", "]", " ]", "] second", "] - x ", "\n---", " #\n==="]),
            ), 1..8),
            format in prop::sample::select(vec![
                Format::Markdown, Format::INI, Format::LOG, Format::Text,
            ]),
        ) {
            let text: String = lines.iter()
                .map(|(start, middle, end)| format!("{start}{}{end}\n\n", middle.concat()))
                .collect();
            let outline = Outline::of(&with_others(&text), format);
            for (index, name) in unique_names(&outline).iter().enumerate() {
                let Some(name) = name else { continue };
                prop_assert_eq!(
                    find_section(&outline, name, None, Matching::Exact), Ok(index), "{:?}", name
                );
            }
        }
    }

    #[test]
    fn blanks_at_the_end_of_a_marker_are_not_part_of_its_name() {
        check("[LOG-21. ] second\n", Format::LOG, &["LOG-21."]);
        let two = "[LOG-21. ] second\n[LOG-21. ] second\n";
        check(two, Format::LOG, &["LOG-21.[1]", "LOG-21.[2]"]);
        check("[ db ]\na=1\n[ db ]\n", Format::INI, &["db[1]", "db[2]"]);
    }

    #[test]
    fn entries_are_named_by_their_markers() {
        check("[LOG-1] - a\n[LOG-2] - b\n", Format::LOG, &["LOG-1", "LOG-2"]);
        check(
            "# Log\n[LOG-1] - a\n# Other\n[LOG-1] - b\n",
            Format::Markdown,
            &["Log", "Log > LOG-1", "Other", "Other > LOG-1"],
        );
    }
}
