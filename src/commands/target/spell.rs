//! Converts targets to options, for hints.

use crate::commands::hint_flags::HintFlags;
use folio_outline::part::{Part, Query, QueryKind, SectionPart};
use folio_text::pattern::Case;
use folio_text::span::LineRange;

/// What a single option selects.
pub trait Flag {
    /// Returns the option.
    fn flag(&self) -> &'static str;
}

impl Flag for Part {
    fn flag(&self) -> &'static str {
        match self {
            Self::Lines(_) => "--lines",
            Self::Section { part, .. } => part.flag(),
            Self::CodeBlock { .. } => "--code-block",
            Self::Table(_) => "--table",
            Self::Anchor(_) => "--anchor",
            Self::Key { .. } => "--key",
            Self::FrontMatter { .. } => "--front-matter",
            Self::Match(query) => query.kind.flag(),
            Self::Whole => "--whole-file",
        }
    }
}

impl Flag for SectionPart {
    fn flag(&self) -> &'static str {
        match self {
            Self::Whole => "--section",
            Self::Body => "--body",
            Self::Heading => "--heading",
        }
    }
}

impl Flag for QueryKind {
    fn flag(&self) -> &'static str {
        match self {
            Self::Text => "--text",
            Self::Pattern => "--pattern",
            Self::Search => "--search",
        }
    }
}

/// Returns the option of a part whose value is empty, if there is one.
pub fn nameless(part: &Part) -> Option<&'static str> {
    let is_empty = |name: &String| name.trim().is_empty();
    match part {
        Part::Match(query) => nameless(query.within.as_ref()?),
        Part::Section { name, .. } | Part::Anchor(name) if is_empty(name) => Some(part.flag()),
        Part::Key { section: Some(section), .. } if is_empty(section) => Some("--section"),
        Part::Key { key, .. } | Part::FrontMatter { key: Some(key), .. } if is_empty(key) => {
            Some("--key")
        }
        _ => None,
    }
}

/// Returns the options that select a target in a section.
pub fn flags(target: Option<&Part>, scope: Option<&str>) -> HintFlags {
    target.map(target_flags).unwrap_or_default().values("--in", scope)
}

fn target_flags(target: &Part) -> HintFlags {
    let flags = HintFlags::default();
    match target {
        Part::Lines(lines) => flags.values("--lines", [ranges(lines)]),
        Part::Section { name, part, children } => {
            // If nested sections are included, this is the section and not the heading line.
            let is_section = *part == SectionPart::Heading && children.is_some();
            let flag = if is_section { "--section" } else { part.flag() };
            flags.values(flag, [name]).switches(&[(*children == Some(false), "--no-children")])
        }
        Part::CodeBlock { language, index, fences } => {
            let language = language.as_ref().map(|language| format!("{language}:"));
            let number = format!("{}{index}", language.unwrap_or_default());
            flags.values("--code-block", [number]).switches(&[(*fences, "--fences")])
        }
        Part::Table(index) => flags.values("--table", [index.to_string()]),
        Part::Anchor(id) => flags.values("--anchor", [id]),
        Part::Key { section, key, value } => flags
            .values("--section", section)
            .values("--key", [key])
            .switches(&[(*value, "--value")]),
        Part::FrontMatter { key, value } => flags
            .switches(&[(true, "--front-matter")])
            .values("--key", key)
            .switches(&[(*value, "--value")]),
        Part::Match(query) => query_flags(query),
        Part::Whole => flags.switches(&[(true, "--whole-file")]),
    }
}

fn query_flags(query: &Query) -> HintFlags {
    let within = query.within.as_deref().map(target_flags).unwrap_or_default();
    let patterns = &query.patterns;
    within
        .values(query.kind.flag(), [&query.source])
        .switches(&[
            (patterns.case == Case::Insensitive, "--ignore-case"),
            (patterns.case == Case::Smart, "--smart-case"),
            (patterns.word, "--word-regexp"),
            (patterns.line, "--line-regexp"),
            (query.multiline, "--multiline"),
            (query.ignore_whitespace, "--ignore-whitespace"),
            (query.normalize_unicode, "--normalize-unicode"),
        ])
        .values("--context", query.context.map(|lines| lines.to_string()))
}

/// Formats line ranges as in options and addresses.
pub fn ranges(ranges: &[LineRange]) -> String {
    let spelt: Vec<String> = ranges
        .iter()
        .map(|range| match (range.start(), range.end()) {
            (start, u64::MAX) => format!("{start}-"),
            (start, end) if start == end => start.to_string(),
            (start, end) => format!("{start}-{end}"),
        })
        .collect();
    spelt.join(",")
}

/// Returns the target and its section, with another value for an option.
pub fn renamed(
    target: Option<&Part>,
    scope: Option<&str>,
    flag: &str,
    other: &str,
) -> (Option<Part>, Option<String>) {
    let mut target = target.cloned();
    let mut scope = scope.map(str::to_owned);
    match (flag, &mut target) {
        ("--in", _) => scope = Some(other.to_owned()),
        ("--key", Some(Part::Key { key, .. })) => *key = other.to_owned(),
        (_, Some(Part::Key { section, .. })) => *section = Some(other.to_owned()),
        (_, Some(Part::Section { name, .. })) => *name = other.to_owned(),
        (_, Some(Part::Anchor(id))) => *id = other.to_owned(),
        _ => {}
    }
    (target, scope)
}
