//! The one structure that all formats come to: sections that hold one another,
//! with the lines they span, and what else has a name or a place.
//!
//! An outline is built from blocks as they go by. A section costs 32 bytes;
//! the names that headings have in the source are kept up to a limit and can be
//! read again from the file beyond it.

mod build;

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::format::Format;
use super::lines::Block;
use super::markdown::blocks::ContainerKind;
use super::markdown::definitions::normalize_label;
use super::markdown::front_matter::FrontMatter;
use super::markdown::inline;
use super::pattern::Pattern;
use super::sections;
use super::span::{LineRange, Span};

pub use build::OutlineBuilder;

/// What begins a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionKind {
    /// A heading of a level from 1 to 6.
    Heading(u8),
    /// A log entry, or a line that an own pattern matched.
    Entry,
    /// The `[marker]` of an INI file.
    Marker,
}

/// A part of a document that has a name.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    line: u64,
    end_line: u64,
    name_offset: u64,
    name_length: u32,
    heading_lines: u16,
    // A heading's level, ENTRY or MARKER.
    kind: u8,
    flags: u8,
}

const ENTRY: u8 = 7;
const MARKER: u8 = 8;
const IN_QUOTE: u8 = 1;
const IN_LIST: u8 = 2;
const NAME_KEPT: u8 = 4;

impl Section {
    /// What begins it.
    pub fn kind(&self) -> SectionKind {
        match self.kind {
            ENTRY => SectionKind::Entry,
            MARKER => SectionKind::Marker,
            level => SectionKind::Heading(level),
        }
    }

    /// Its lines; the first is the one that its name begins on.
    pub fn lines(&self) -> LineRange {
        LineRange::from_to(self.line, self.end_line)
    }

    /// The lines after its heading, marker or entry line, if there are any.
    pub fn body(&self) -> Option<LineRange> {
        LineRange::new(self.line + u64::from(self.heading_lines), self.end_line)
    }

    /// The heading's level.
    pub fn level(&self) -> Option<u8> {
        match self.kind() {
            SectionKind::Heading(level) => Some(level),
            _ => None,
        }
    }

    /// The innermost container that the heading stands in.
    pub fn container(&self) -> Option<ContainerKind> {
        match self.flags & (IN_QUOTE | IN_LIST) {
            IN_QUOTE => Some(ContainerKind::Quote),
            IN_LIST => Some(ContainerKind::List),
            _ => None,
        }
    }
}

/// A code block's lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// From the opening fence to the closing one, or the indented lines.
    pub lines: LineRange,
    /// Whether it is fenced.
    pub fenced: bool,
    /// The info string's first word, unescaped.
    pub language: Option<String>,
    /// Whether its last line is a closing fence.
    pub closed: bool,
}

impl Code {
    /// Whether its info string names a language, in whatever case.
    pub fn is_language(&self, wanted: &str) -> bool {
        self.language.as_deref().is_some_and(|language| language.eq_ignore_ascii_case(wanted))
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// From the header to the last row.
    pub lines: LineRange,
    /// How many cells the header has.
    pub columns: usize,
    /// The texts of these cells.
    pub header: Vec<String>,
    /// Whether it stands in a quote or list.
    pub is_contained: bool,
}

/// An explicit anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// What stands behind `#` in a link to it.
    pub id: String,
    /// The line it stands on.
    pub line: u64,
}

/// A key of an INI file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IniKey {
    /// Its name.
    pub name: String,
    /// The index of the section it stands in.
    pub section: Option<usize>,
    /// Its line and those on which its value goes on.
    pub lines: LineRange,
}

/// Lines of comments with one mark, one below the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentBlock {
    /// The lines.
    pub lines: LineRange,
    /// The mark.
    pub prefix: &'static str,
}

/// What an outline is wanted for; what is not wanted is not looked for.
#[derive(Clone, Debug, Default)]
pub struct Wants {
    /// Code blocks.
    pub code: bool,
    /// Tables: then their rows are no text that a line below makes a heading.
    pub tables: bool,
    /// Explicit anchors.
    pub anchors: bool,
    /// Groups of blank lines and comment blocks.
    pub groups: bool,
    /// Patterns of lines that begin entries, in place of `[LOG-`.
    pub entries: Vec<Pattern>,
    /// Whether entries are the only sections: no headings, no markers.
    pub only_entries: bool,
    /// Whether names and keys are never asked for, but those of entries.
    pub nameless: bool,
    /// Bytes of names that are kept; `None` keeps all.
    pub names: Option<usize>,
}

impl Wants {
    /// All there is.
    pub fn everything() -> Self {
        Self { code: true, anchors: true, groups: true, ..Self::default() }
    }
}

/// The structure of a document.
#[derive(Debug)]
pub struct Outline {
    format: Format,
    total_lines: u64,
    sections: Vec<Section>,
    names: Vec<u8>,
    // Hashes of the normalised labels: enough to say whether one is defined.
    definitions: HashSet<u64, BuildHasherDefault<DefaultHasher>>,
    // Markers of entries that hold no brackets, by section.
    markers: Vec<(usize, Vec<u8>)>,
    front_matter: Option<FrontMatter>,
    code: Vec<Code>,
    tables: Vec<Table>,
    anchors: Vec<Anchor>,
    keys: Vec<IniKey>,
    blank_groups: Vec<u64>,
    comment_blocks: Vec<CommentBlock>,
}

/// A section's name in the source.
#[derive(Clone, Copy, Debug)]
pub enum NameSource<'a> {
    /// The name itself.
    Kept(&'a [u8]),
    /// Where it stands in the file: more names than were wanted.
    InFile(Span),
}

impl Outline {
    /// Outlines a text that is in memory as a whole, without its BOM.
    pub fn of(text: &[u8], format: Format, wants: Wants) -> Self {
        let mut builder = OutlineBuilder::new(format, wants);
        builder.push(&Block::new(text, 0));
        builder.finish()
    }

    /// Adds what was found further down in the same document. Keys, anchors and
    /// code of it are left out.
    pub fn append(&mut self, other: Self) {
        let names = self.names.len() as u64;
        self.names.extend_from_slice(&other.names);
        self.sections.extend(other.sections.into_iter().map(|mut section| {
            if section.flags & NAME_KEPT != 0 {
                section.name_offset += names;
            }
            section
        }));
        self.total_lines = self.total_lines.max(other.total_lines);
    }

    /// The document's format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How many lines the document has.
    pub fn total_lines(&self) -> u64 {
        self.total_lines
    }

    /// The sections in order of their first lines; each holds those after it
    /// whose lines are within its own.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Front matter.
    pub fn front_matter(&self) -> Option<&FrontMatter> {
        self.front_matter.as_ref()
    }

    /// Code blocks, fenced and indented, in order.
    pub fn code(&self) -> &[Code] {
        &self.code
    }

    /// Tables in order.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Explicit anchors in order.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Keys of an INI file in order.
    pub fn keys(&self) -> &[IniKey] {
        &self.keys
    }

    /// The first line of each group of blank lines.
    pub fn blank_groups(&self) -> &[u64] {
        &self.blank_groups
    }

    /// Comment blocks in order.
    pub fn comment_blocks(&self) -> &[CommentBlock] {
        &self.comment_blocks
    }

    /// A section's name as it stands in the source.
    pub fn name_source(&self, index: usize) -> NameSource<'_> {
        let section = &self.sections[index];
        if section.flags & NAME_KEPT == 0 {
            let end = section.name_offset + u64::from(section.name_length);
            return NameSource::InFile(Span::new(section.name_offset, end));
        }
        let start = section.name_offset as usize;
        NameSource::Kept(&self.names[start..start + section.name_length as usize])
    }

    /// A section's name in the source, empty where it was not kept.
    pub fn name(&self, index: usize) -> &[u8] {
        match self.name_source(index) {
            NameSource::Kept(name) => name,
            NameSource::InFile(_) => b"",
        }
    }

    /// A section's name as a reader sees it: a heading's rendered text without
    /// `{#id}`, an entry's whole line, an INI marker with its brackets. Bytes
    /// that are not UTF-8 stay as they are.
    pub fn text(&self, index: usize) -> Cow<'_, [u8]> {
        self.render(&self.sections[index], self.name(index))
    }

    /// The same for a name that was read again from the file.
    pub fn render<'a>(&self, section: &Section, name: &'a [u8]) -> Cow<'a, [u8]> {
        if section.level().is_none() || inline::is_plain(name) {
            return Cow::Borrowed(name);
        }
        let Ok(source) = std::str::from_utf8(name) else {
            // Not rendered, but one line all the same.
            if !name.contains(&b'\n') {
                return Cow::Borrowed(name);
            }
            let lines: Vec<&[u8]> =
                name.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii).collect();
            return Cow::Owned(lines.join(&b' '));
        };
        let source = inline::split_attributes(source).text;
        match inline::render(source, &|label| self.is_defined(label)) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        }
    }

    fn is_defined(&self, label: &str) -> bool {
        !self.definitions.is_empty()
            && self
                .definitions
                .contains(&self.definitions.hasher().hash_one(normalize_label(label)))
    }

    /// The `[…]` that names an entry or an INI section; else the text that the
    /// entry's pattern matched.
    pub fn marker(&self, index: usize) -> &[u8] {
        if let Ok(at) = self.markers.binary_search_by_key(&index, |(section, _)| *section) {
            return &self.markers[at].1;
        }
        let name = self.name(index);
        sections::bracketed(name).unwrap_or(name)
    }

    /// The title: the first heading of level 1, else the front matter's.
    pub fn title(&self) -> Option<Cow<'_, [u8]>> {
        let heading =
            self.sections.iter().position(|section| section.kind() == SectionKind::Heading(1));
        match heading {
            Some(index) => Some(self.text(index)),
            None => {
                let title = self.front_matter.as_ref()?.title.as_deref()?;
                Some(Cow::Borrowed(title.as_bytes()))
            }
        }
    }

    /// The innermost section that holds a line.
    pub fn innermost(&self, line: u64) -> Option<usize> {
        self.innermost_where(line, |_| true)
    }

    /// The innermost section that holds a line and satisfies a condition.
    pub fn innermost_where(&self, line: u64, wanted: impl Fn(&Section) -> bool) -> Option<usize> {
        let after = self.sections.partition_point(|section| section.line <= line);
        self.sections[..after]
            .iter()
            .rposition(|section| section.end_line >= line && wanted(section))
    }

    /// For each section, the index of the one that holds it.
    pub fn parents(&self) -> Vec<Option<usize>> {
        let mut open: Vec<usize> = Vec::new();
        let mut parents = Vec::with_capacity(self.sections.len());
        for (index, section) in self.sections.iter().enumerate() {
            while open.last().is_some_and(|&last| self.sections[last].end_line < section.line) {
                open.pop();
            }
            parents.push(open.last().copied());
            open.push(index);
        }
        parents
    }

    /// The code block that a line stands in, fences included.
    pub fn code_at(&self, line: u64) -> Option<&Code> {
        let after = self.code.partition_point(|code| code.lines.start() <= line);
        self.code[..after].last().filter(|code| code.lines.contains(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(text: &str, format: Format, wants: Wants) -> Vec<String> {
        let outline = Outline::of(text.as_bytes(), format, wants);
        let parents = outline.parents();
        (0..outline.sections().len())
            .map(|index| {
                let section = &outline.sections()[index];
                let depth =
                    std::iter::successors(parents[index], |&parent| parents[parent]).count();
                format!(
                    "{}{}-{} {}",
                    ">".repeat(depth),
                    section.lines().start(),
                    section.lines().end(),
                    String::from_utf8_lossy(&outline.text(index)),
                )
            })
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(describe(text, Format::Markdown, Wants::default()), expected, "{text}");
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(describe(&crlf, Format::Markdown, Wants::everything()), expected, "{crlf}");
    }

    #[test]
    fn headings_span_to_the_next_of_their_level() {
        check(
            "# A\n\n## B\nx\n### C\n## D\n# E",
            &["1-6 A", ">3-5 B", ">>5-5 C", ">6-6 D", "7-7 E"],
        );
        check("x\n\nA\n=\n\nB\nb\n---\ny\n", &["3-9 A", ">6-9 B b"]);
        check("### C\n## B\n", &["1-1 C", "2-2 B"]);
        check("", &[]);
    }

    #[test]
    fn code_and_html_hold_no_headings() {
        check("```\n# no\n```\n# A", &["4-4 A"]);
        check("    # no\n\n# A", &["3-3 A"]);
        check("~~~~\n# no\n~~~\n# no\n", &[]);
        check("<div>\n# no\n\n# A\n", &["4-4 A"]);
        check("<!-- x\n\n# no\n-->\n# A\n", &["5-5 A"]);
        check("- ```\n  # no\n\n# A\n", &["4-4 A"]);
    }

    #[test]
    fn definitions_are_not_part_of_a_heading() {
        check("[a]: /u\nA\n===\n", &["2-3 A"]);
        check("[a]: /u\n===\n", &[]);
        check("# [a] [b]\n\n[a]: /u\n", &["1-3 a [b]"]);
    }

    #[test]
    fn a_heading_in_a_container_ends_with_it() {
        check(
            "# A\n> # Q\n> x\n\ny\n## B\n- # L\n  z\n\n  w\n\nend\n",
            &["1-12 A", ">2-3 Q", ">6-12 B", ">>7-10 L"],
        );
        check("> # Q\n> x\nlazy\n\ny", &["1-3 Q"]);
    }

    #[test]
    fn log_entries_are_sections_in_markdown_too() {
        check(
            "# W\n[LOG-1] - a\n### N\nx\n[LOG-2] - b\n```\n[LOG-3]\n```\n# Z\n[LOG-4]\n",
            &[
                "1-8 W",
                ">2-4 [LOG-1] - a",
                ">>3-4 N",
                ">5-8 [LOG-2] - b",
                "9-10 Z",
                ">10-10 [LOG-4]",
            ],
        );
        check("[LOG-1] - a\n[LOG-2] - b\n---\nx\n", &["1-1 [LOG-1] - a", "2-4 [LOG-2] - b"]);
    }

    #[test]
    fn own_patterns_take_the_place_of_log_entries() {
        let wants = Wants {
            entries: vec![Pattern::new("^ENTRY", Default::default()).expect("a pattern")],
            ..Wants::default()
        };
        let text = "ENTRY 1\n[LOG-1]\nENTRY 2\nx";
        assert_eq!(describe(text, Format::Text, wants), ["1-2 ENTRY 1", "3-4 ENTRY 2"]);
    }

    #[test]
    fn ini_files_have_markers_and_keys() {
        let text = "root = 1\n\n[a]\nk = v\n   more\nl: w \\\nz = 1\n# c\n# d\n[b]\n[a]\nk=2\n";
        let outline = Outline::of(text.as_bytes(), Format::Ini, Wants::everything());
        assert_eq!(
            describe(text, Format::Ini, Wants::default()),
            ["3-9 [a]", "10-10 [b]", "11-12 [a]"]
        );
        let keys: Vec<_> = outline
            .keys()
            .iter()
            .map(|key| (key.name.as_str(), key.section, key.lines.start(), key.lines.end()))
            .collect();
        assert_eq!(
            keys,
            [
                ("root", None, 1, 1),
                ("k", Some(0), 4, 5),
                ("l", Some(0), 6, 7),
                ("k", Some(2), 12, 12)
            ]
        );
        assert_eq!(outline.blank_groups(), [2]);
        assert_eq!(outline.comment_blocks()[0].lines, LineRange::from_to(8, 9));
    }

    #[test]
    fn git_configurations_indent_their_keys() {
        let text = "[core]\n\ta = 1\n\tb = 2\n[remote \"x\"]\n\turl = y\n";
        let outline = Outline::of(text.as_bytes(), Format::Ini, Wants::default());
        let names: Vec<_> = outline.keys().iter().map(|key| key.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "url"]);
    }

    #[test]
    fn names_beyond_the_limit_stand_in_the_file() {
        let wants = Wants { names: Some(4), ..Wants::default() };
        let outline = Outline::of(b"# abc\n# defg\nx\ny\n===\n", Format::Markdown, wants);
        assert!(matches!(outline.name_source(0), NameSource::Kept(b"abc")));
        assert!(
            matches!(outline.name_source(1), NameSource::InFile(span) if span == Span::new(8, 12))
        );
        assert!(
            matches!(outline.name_source(2), NameSource::InFile(span) if span == Span::new(13, 16))
        );
    }

    /// All that an outline holds, with the lines and bytes of it.
    fn facts(outline: &Outline) -> Vec<String> {
        let sections = (0..outline.sections().len()).map(|index| {
            let section = &outline.sections()[index];
            let name = outline.name_source(index);
            let text = String::from_utf8_lossy(&outline.text(index)).into_owned();
            format!("{section:?} {name:?} {text} {:?} {:?}", section.lines(), section.body())
        });
        let whole = format!(
            "{} {:?} {:?} {:?} {:?} {:?} {:?}",
            outline.total_lines(),
            outline.front_matter(),
            outline.code(),
            outline.anchors(),
            outline.keys(),
            outline.blank_groups(),
            outline.comment_blocks(),
        );
        sections.chain([whole]).collect()
    }

    #[test]
    fn blocks_may_be_cut_at_any_line() {
        let setext = "[a]: /u\nA\nB\n===\n- x\n  # L\n\nfoo\n---\n> [b]:\n> /u\n> # Q\n";
        assert_eq!(
            describe(setext, Format::Markdown, Wants::default()),
            ["2-12 A B", ">6-6 L", ">8-12 foo", ">>12-12 Q"]
        );
        let texts = [
            setext,
            "# A\n\n```sh\n# no\n```\n\n## B {#b}\n<a id=\"x\"></a>\n\n    code\n\n    code\n# C\n",
            "---\n\n# note\ntitle: x\nlist:\n- a\n---\n# A\n\nB\n---\n",
            "---\n  title: x\n  tags: y\n...\n# A",
            "---\n{title: x,\n tags: y}\n---\n# A\n",
            "---\ntitle: x\n---",
            "---\ntitle: x\nnever closed\n\n# A\n```\ncode",
            "---\n\n# A\n\n---\ntext\n",
            "[db]\nhost = a \\\n b\n\n; c\n; d\n[e]\nkey: v\n  more\n",
            "# x\n\n[LOG-1] - a\nb\n\n\n[LOG-2] - c\n",
        ];
        for (text, format) in
            texts.iter().flat_map(|text| Format::ALL.iter().map(move |&format| (*text, format)))
        {
            for (crlf, nameless) in [(false, false), (true, false), (false, true)] {
                let text = if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
                let wants = Wants { nameless, anchors: !nameless, ..Wants::everything() };
                let whole = facts(&Outline::of(text.as_bytes(), format, wants.clone()));
                let lines = text.split_inclusive('\n').count();
                for count in 1..lines {
                    let mut builder = OutlineBuilder::new(format, wants.clone());
                    let mut offset = 0;
                    let lines: Vec<&str> = text.split_inclusive('\n').collect();
                    for part in lines.chunks(count) {
                        let part = part.concat();
                        builder.push(&Block::new(part.as_bytes(), offset));
                        offset += part.len() as u64;
                    }
                    assert_eq!(facts(&builder.finish()), whole, "{text:?} {format:?} by {count}");
                }
            }
        }
    }

    #[test]
    fn text_of_a_body_is_never_part_of_an_outline() {
        let bodies =
            ["secret\n", "secret\n\n    secret\n", "```\nsecret\n```\n", "secret\nsecret\n"];
        for (body, format) in
            bodies.iter().flat_map(|body| Format::ALL.iter().map(move |&format| (body, format)))
        {
            let text = format!("# A\n{body}\n## B\n{body}\n[LOG-1] - c\n{body}[m]\n{body}");
            let outline = Outline::of(text.as_bytes(), format, Wants::everything());
            let found = facts(&outline);
            assert!(!found.iter().any(|fact| fact.contains("secret")), "{format:?} {found:?}");
            let names: usize = (0..outline.sections().len()).map(|at| outline.name(at).len()).sum();
            assert_eq!(outline.names.len(), names, "{format:?}");
        }
    }

    #[test]
    fn a_name_is_one_line_even_where_it_is_not_utf8() {
        let outline =
            Outline::of(b"caf\xe9\r\n  au lait\n===\n", Format::Markdown, Wants::default());
        assert_eq!(outline.text(0).as_ref(), b"caf\xe9 au lait");
    }

    #[test]
    fn sections_are_small() {
        assert_eq!(size_of::<Section>(), 32);
    }
}
