//! Converts targets to options, for hints.

use super::{Query, SectionPart, Target};
use crate::commands::hint_flags::HintFlags;
use folio_text::pattern::Case;
use folio_text::span::LineRange;

/// Returns the options that select a target in a section.
pub fn flags(target: Option<&Target>, scope: Option<&str>) -> HintFlags {
    target.map(target_flags).unwrap_or_default().values("--in", scope)
}

fn target_flags(target: &Target) -> HintFlags {
    let flags = HintFlags::default();
    match target {
        Target::Lines(lines) => flags.values("--lines", [ranges(lines)]),
        Target::Section { name, part, children } => {
            // If nested sections are included, this is the section and not the heading line.
            let is_section = *part == SectionPart::Heading && children.is_some();
            let flag = if is_section { "--section" } else { part.flag() };
            flags.values(flag, [name]).switches(&[(*children == Some(false), "--no-children")])
        }
        Target::CodeBlock { language, index, fences } => {
            let language = language.as_ref().map(|language| format!("{language}:"));
            let number = format!("{}{index}", language.unwrap_or_default());
            flags.values("--code-block", [number]).switches(&[(*fences, "--fences")])
        }
        Target::Table(index) => flags.values("--table", [index.to_string()]),
        Target::Anchor(id) => flags.values("--anchor", [id]),
        Target::Key { section, key, value } => flags
            .values("--section", section)
            .values("--key", [key])
            .switches(&[(*value, "--value")]),
        Target::FrontMatter { key, value } => flags
            .switches(&[(true, "--front-matter")])
            .values("--key", key)
            .switches(&[(*value, "--value")]),
        Target::Match(query) => query_flags(query),
        Target::WholeFile => flags.switches(&[(true, "--whole-file")]),
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
    target: Option<&Target>,
    scope: Option<&str>,
    flag: &str,
    other: &str,
) -> (Option<Target>, Option<String>) {
    let mut target = target.cloned();
    let mut scope = scope.map(str::to_owned);
    match (flag, &mut target) {
        ("--in", _) => scope = Some(other.to_owned()),
        ("--key", Some(Target::Key { key, .. })) => *key = other.to_owned(),
        (_, Some(Target::Key { section, .. })) => *section = Some(other.to_owned()),
        (_, Some(Target::Section { name, .. })) => *name = other.to_owned(),
        (_, Some(Target::Anchor(id))) => *id = other.to_owned(),
        _ => {}
    }
    (target, scope)
}
