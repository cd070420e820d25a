//! Converts targets to options, for hints.

use std::ffi::OsString;

use folio_files::error::{Change, Opt};
use folio_files::options::{
    ANCHOR, BODY, CODE_BLOCK, CONTEXT, FENCES, FRONT_MATTER, HEADING, IGNORE_CASE,
    IGNORE_WHITESPACE, IN, KEY, LINE_REGEXP, LINES, MULTILINE, NO_CHILDREN, NORMALIZE_UNICODE,
    PATTERN, SEARCH, SECTION, SMART_CASE, TABLE, TEXT, VALUE, WHOLE_FILE, WORD_REGEXP,
};
use folio_outline::part::{Part, Query, QueryKind, SectionPart};
use folio_text::pattern::Case;
use folio_text::span::LineRange;

/// What a single option selects.
pub trait Flag {
    /// Returns the option.
    fn flag(&self) -> Opt;
}

impl Flag for Part {
    fn flag(&self) -> Opt {
        match self {
            Self::Lines(_) => LINES,
            Self::Section { part, .. } => part.flag(),
            Self::CodeBlock { .. } => CODE_BLOCK,
            Self::Table(_) => TABLE,
            Self::Anchor(_) => ANCHOR,
            Self::Key { .. } => KEY,
            Self::FrontMatter { .. } => FRONT_MATTER,
            Self::Match(query) => query.kind.flag(),
            Self::Whole => WHOLE_FILE,
        }
    }
}

impl Flag for SectionPart {
    fn flag(&self) -> Opt {
        match self {
            Self::Whole => SECTION,
            Self::Body => BODY,
            Self::Heading => HEADING,
        }
    }
}

impl Flag for QueryKind {
    fn flag(&self) -> Opt {
        match self {
            Self::Text => TEXT,
            Self::Pattern => PATTERN,
            Self::Search => SEARCH,
        }
    }
}

/// Returns the option of a part whose value is empty, if there is one.
pub fn unnamed_option(part: &Part) -> Option<Opt> {
    let is_empty = |name: &String| name.trim().is_empty();
    match part {
        Part::Match(query) => unnamed_option(query.within.as_ref()?),
        Part::Section { name, .. } | Part::Anchor(name) if is_empty(name) => Some(part.flag()),
        Part::Key { section: Some(name), .. } | Part::CodeBlock { symbol: Some(name), .. }
            if is_empty(name) =>
        {
            Some(SECTION)
        }
        Part::Key { key, .. } | Part::FrontMatter { key: Some(key), .. } if is_empty(key) => {
            Some(KEY)
        }
        _ => None,
    }
}

/// An option with its value. A switch has none.
pub type PartOption = (Opt, Option<String>);

/// Returns the options that select a target in a section.
pub fn options(target: Option<&Part>, scope: Option<&str>) -> Vec<PartOption> {
    let mut options = target.map(target_options).unwrap_or_default();
    options.extend(scope.map(|scope| (IN, Some(scope.to_owned()))));
    options
}

/// Returns the arguments that select a target in a section.
pub fn words(target: Option<&Part>, scope: Option<&str>) -> Vec<OsString> {
    words_of(options(target, scope)).collect()
}

/// Returns options with their values as arguments.
pub fn words_of(options: Vec<PartOption>) -> impl Iterator<Item = OsString> {
    let words = options.into_iter();
    let words = words.flat_map(|(option, value)| [Some(option.0.to_owned()), value]);
    words.flatten().map(OsString::from)
}

/// Returns the changes of a call that selects `new` instead of `old`. Each is a target, and the
/// section in which to look for it.
pub fn changes(
    old: (Option<&Part>, Option<&str>),
    new: (Option<&Part>, Option<&str>),
) -> Vec<Change> {
    let (mut old, new) = (options(old.0, old.1), options(new.0, new.1));
    let mut changes = Vec::new();
    for (option, value) in
        new.iter().filter(|option| !old.contains(option)).cloned().collect::<Vec<_>>()
    {
        let same_option = old.iter().position(|(other, _)| *other == option);
        let is_free = |other: Opt| !new.iter().any(|(new_option, _)| *new_option == other);
        let renamed = |(other, old_value): &PartOption| {
            old_value.is_some() && *old_value == value && is_free(*other)
        };
        let renamed = old.iter().position(renamed);
        changes.push(match (value, same_option, renamed) {
            (None, ..) => Change::Switch(option),
            (Some(new), Some(same_option), _) => {
                let (_, old) = old.swap_remove(same_option);
                Change::replace(option, old.unwrap_or_default(), new)
            }
            (Some(_), None, Some(other)) => Change::Rename(old.swap_remove(other).0, option),
            (Some(new), ..) => Change::set(option, new),
        });
    }
    for (option, _) in
        old.iter().filter(|(option, _)| !new.iter().any(|(new_option, _)| new_option == option))
    {
        changes.push(Change::remove(*option));
        // With a key, the section may have been given as --in.
        if *option == SECTION {
            changes.push(Change::remove(IN));
        }
    }
    changes
}

fn target_options(target: &Part) -> Vec<PartOption> {
    let switch = |is_on: bool, option: Opt| is_on.then_some((option, None));
    let value = |option: Opt, value: &str| (option, Some(value.to_owned()));
    match target {
        Part::Lines(lines) => vec![value(LINES, &ranges(lines))],
        Part::Section { name, part, children } => {
            // If nested sections are included, this is the section and not the heading line.
            let is_section = *part == SectionPart::Heading && children.is_some();
            let flag = if is_section { SECTION } else { part.flag() };
            let no_children = switch(*children == Some(false), NO_CHILDREN);
            [value(flag, name)].into_iter().chain(no_children).collect()
        }
        Part::CodeBlock { language, index, fences, symbol } => {
            let language = language.as_ref().map(|language| format!("{language}:"));
            let number = format!("{}{index}", language.unwrap_or_default());
            let fences = switch(*fences, FENCES);
            let symbol = symbol.as_ref().map(|name| value(SECTION, name));
            [value(CODE_BLOCK, &number)].into_iter().chain(fences).chain(symbol).collect()
        }
        Part::Table(index) => vec![value(TABLE, &index.to_string())],
        Part::Anchor(id) => vec![value(ANCHOR, id)],
        Part::Key { section, key, value: is_value } => {
            let section = section.as_ref().map(|section| value(SECTION, section));
            let is_value = switch(*is_value, VALUE);
            section.into_iter().chain([value(KEY, key)]).chain(is_value).collect()
        }
        Part::FrontMatter { key, value: is_value } => {
            let key = key.as_ref().map(|key| value(KEY, key));
            let is_value = switch(*is_value, VALUE);
            [(FRONT_MATTER, None)].into_iter().chain(key).chain(is_value).collect()
        }
        Part::Match(query) => query_options(query),
        Part::Whole => vec![(WHOLE_FILE, None)],
    }
}

fn query_options(query: &Query) -> Vec<PartOption> {
    let mut options = query.within.as_deref().map(target_options).unwrap_or_default();
    options.push((query.kind.flag(), Some(query.source.clone())));
    let patterns = &query.patterns;
    let switches = [
        (patterns.case == Case::Insensitive, IGNORE_CASE),
        (patterns.case == Case::Smart, SMART_CASE),
        (patterns.word, WORD_REGEXP),
        (patterns.line, LINE_REGEXP),
        (query.multiline, MULTILINE),
        (query.ignore_whitespace, IGNORE_WHITESPACE),
        (query.normalize_unicode, NORMALIZE_UNICODE),
    ];
    let given = switches.into_iter().filter(|(given, _)| *given);
    options.extend(given.map(|(_, option)| (option, None)));
    options.extend(query.context.map(|lines| (CONTEXT, Some(lines.to_string()))));
    options
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
