//! Converts targets to command-line arguments, for hints.

use std::ffi::OsString;

use super::{Query, SectionPart, Target};
use crate::text::pattern::Case;
use crate::text::span::LineRange;

/// Returns the arguments that select a target in a section.
pub fn arguments(target: Option<&Target>, scope: Option<&str>) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut flag = |name: &str, value: Option<&str>| {
        words.push(name.into());
        words.extend(value.map(OsString::from));
    };
    if let Some(target) = target {
        target_flags(target, &mut flag);
    }
    if let Some(scope) = scope {
        flag("--in", Some(scope));
    }
    words
}

fn target_flags(target: &Target, flag: &mut dyn FnMut(&str, Option<&str>)) {
    match target {
        Target::Lines(lines) => flag("--lines", Some(&ranges(lines))),
        Target::Section { name, part, children } => {
            // If nested sections are included, this is the section and not the heading line.
            let is_section = *part == SectionPart::Heading && children.is_some();
            flag(if is_section { "--section" } else { part.flag() }, Some(name));
            if *children == Some(false) {
                flag("--no-children", None);
            }
        }
        Target::CodeBlock { language, index, fences } => {
            let language = language.as_ref().map(|language| format!("{language}:"));
            flag("--code-block", Some(&format!("{}{index}", language.unwrap_or_default())));
            if *fences {
                flag("--fences", None);
            }
        }
        Target::Table(index) => flag("--table", Some(&index.to_string())),
        Target::Anchor(id) => flag("--anchor", Some(id)),
        Target::Key { section, key, value } => {
            if let Some(section) = section {
                flag("--section", Some(section));
            }
            flag("--key", Some(key));
            if *value {
                flag("--value", None);
            }
        }
        Target::FrontMatter { key, value } => {
            flag("--front-matter", None);
            if let Some(key) = key {
                flag("--key", Some(key));
            }
            if *value {
                flag("--value", None);
            }
        }
        Target::Match(query) => query_flags(query, flag),
        Target::WholeFile => flag("--whole-file", None),
    }
}

fn query_flags(query: &Query, flag: &mut dyn FnMut(&str, Option<&str>)) {
    if let Some(part) = &query.within {
        target_flags(part, flag);
    }
    flag(query.kind.flag(), Some(&query.source));
    let patterns = &query.patterns;
    for (given, name) in [
        (patterns.case == Case::Insensitive, "--ignore-case"),
        (patterns.case == Case::Smart, "--smart-case"),
        (patterns.word, "--word-regexp"),
        (patterns.line, "--line-regexp"),
        (query.multiline, "--multiline"),
        (query.ignore_whitespace, "--ignore-whitespace"),
        (query.normalize_unicode, "--normalize-unicode"),
    ] {
        if given {
            flag(name, None);
        }
    }
    if let Some(context) = query.context {
        flag("--context", Some(&context.to_string()));
    }
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
