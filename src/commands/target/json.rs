//! Parses targets in JSON, and formats them in the same form.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::flags::{Scoped, TargetArgs, scoped};
use super::spell::Flag;
use crate::commands::json::{self, DistinctFields};
use crate::commands::shared_args::{contradiction, empty_flag};
use folio_files::error::{Code, Error, Hint, LITERALLY};
use folio_files::options::{IN, SECTION, TARGET};
use folio_outline::part::{Part, Query, QueryKind, SectionPart};
use folio_text::pattern::{Case, Pattern, PatternOptions};
use folio_text::span::LineRange;

/// An example of a target, for hints.
pub const LIKE: &str = r#"a target looks like {"section":"Install"}"#;

/// A part of a file: one field that selects it, and fields that modify it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TargetObject {
    /// A range of lines, including the last one; without an end, to the end of the file
    lines: Option<LinesObject>,
    /// Several ranges of lines; an edit accepts only one
    #[schemars(length(min = 1))]
    ranges: Option<Vec<LinesObject>>,
    /// The name of a heading (as written or rendered), an INI section, a log entry or a symbol;
    /// 'A > B' is a path, 'A[2]' is the second section with this name
    section: Option<String>,
    /// A section without its first line
    body: Option<String>,
    /// A section; in edits, only the heading line
    heading: Option<HeadingObject>,
    /// In inserts: the place after this heading's line
    after_heading: Option<String>,
    /// Whether to include nested sections (default: true)
    include_children: Option<bool>,
    /// The contents of a code block, or a symbol in it, with section
    code_block: Option<CodeBlockObject>,
    /// A table
    table: Option<TableObject>,
    /// The GitHub slug of a heading, or an explicit anchor
    anchor: Option<String>,
    /// A key of an INI section, of the lines before the first section, or of front matter
    key: Option<String>,
    /// Only the value of the key
    value: Option<bool>,
    /// Front matter, or one of its keys
    front_matter: Option<FrontMatterObject>,
    /// A literal text
    #[schemars(length(min = 1))]
    text: Option<String>,
    /// A regular expression, which matches within one line
    #[schemars(length(min = 1))]
    pattern: Option<String>,
    /// Flags of the pattern: i ignores case; g, m and u have no effect
    #[schemars(regex(pattern = r"^[gimu]*$"))]
    flags: Option<String>,
    /// In reads: a text, with lines of context
    search: Option<SearchObject>,
    /// In reads: lines of context around a text or pattern
    context_lines: Option<u64>,
    /// The whole file
    whole_file: Option<bool>,
    /// Look for the part only in this section
    #[serde(rename = "in")]
    scope: Option<String>,
}

/// `{"start":10,"end":20}`; without an end, to the last line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinesObject {
    #[schemars(range(min = 1))]
    start: u64,
    #[schemars(range(min = 1))]
    end: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum HeadingObject {
    Name(String),
    Full(FullHeading),
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FullHeading {
    text: String,
    include_children: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CodeBlockObject {
    /// The number, from 0
    index: usize,
    /// Count only blocks in this language
    language: Option<String>,
    /// Include the fences
    fences: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TableObject {
    /// The number, from 0
    index: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FrontMatterObject {
    key: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SearchObject {
    #[schemars(length(min = 1))]
    query: String,
    context_lines: Option<u64>,
}

/// Parses a target in JSON, and the section in which to look for it. `what` is the name of the text
/// in error messages.
pub fn parse_target(
    text: &str,
    what: &str,
    patterns: PatternOptions,
) -> Result<Scoped<Part>, Error> {
    let DistinctFields(value) =
        serde_json::from_str(text).map_err(|error| json::misread(what, &error))?;
    target_from_value(value, what, patterns)
}

/// Replaces `beforeHeading` or `afterHeading` in a target with `heading`, and returns the name of
/// the field.
pub fn take_side(value: &mut Value) -> Option<&'static str> {
    let fields = value.as_object_mut()?;
    let sides = ["beforeHeading", "afterHeading"];
    let field = sides.into_iter().find(|field| fields.contains_key(*field))?;
    // The caller refuses a target with both fields.
    if fields.contains_key("heading") {
        return None;
    }
    let name = fields.remove(field)?;
    fields.insert("heading".to_owned(), name);
    Some(field)
}

/// Parses a target in JSON, and the section in which to look for it. `what` is the name of the
/// value in error messages.
pub fn target_from_value(
    value: Value,
    what: &str,
    patterns: PatternOptions,
) -> Result<Scoped<Part>, Error> {
    let object: TargetObject =
        serde_json::from_value(value).map_err(|error| json::misread(what, &error))?;
    let target = match object.targets()[..] {
        [] => Err(Error::usage("the target is empty").hint(LIKE)),
        [name] => object.target(name, None, patterns),
        // The text is searched for in the part.
        [part, name @ ("text" | "pattern")]
            if !["lines", "ranges", "wholeFile", "search", "text"].contains(&part) =>
        {
            object.target(name, Some(part), patterns)
        }
        [first, second, ..] => Err(contradiction(first, second)),
    };
    target.map_err(|error| {
        let mut error = error.after(format!("{what}: "));
        for hint in error.hints.iter_mut().filter(|hint| hint.reason() == LITERALLY) {
            *hint = Hint::from(format!(r#"use "text" instead of "pattern"  # {LITERALLY}"#));
        }
        error
    })
}

impl TargetObject {
    /// Returns the fields that select a part, followed by text and pattern. `section` does not
    /// count if it belongs to a key, a code block, a text or a pattern.
    fn targets(&self) -> Vec<&'static str> {
        let has_key = self.key.is_some() && self.front_matter.is_none();
        let is_matched = self.text.is_some() || self.pattern.is_some();
        let is_of_other = has_key || is_matched || self.code_block.is_some();
        let fields = [
            ("lines", self.lines.is_some()),
            ("ranges", self.ranges.is_some()),
            ("key", has_key),
            ("section", self.section.is_some() && !is_of_other),
            ("body", self.body.is_some()),
            ("heading", self.heading.is_some()),
            ("afterHeading", self.after_heading.is_some()),
            ("codeBlock", self.code_block.is_some()),
            ("table", self.table.is_some()),
            ("anchor", self.anchor.is_some()),
            ("frontMatter", self.front_matter.is_some()),
            ("wholeFile", self.whole_file == Some(true)),
            ("search", self.search.is_some()),
            ("text", self.text.is_some()),
            ("pattern", self.pattern.is_some()),
        ];
        fields.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    fn target(
        self,
        name: &str,
        part: Option<&str>,
        patterns: PatternOptions,
    ) -> Result<Scoped<Part>, Error> {
        self.refuse_strays(&[name, part.unwrap_or_default()])?;
        let scope = self.scope.clone();
        let ranges = self.lines.as_slice().iter().chain(self.ranges.iter().flatten());
        match name {
            "lines" | "ranges" => {
                let ranges = ranges.map(LinesObject::range).collect::<Result<Vec<_>, _>>()?;
                if ranges.is_empty() {
                    Err(Error::usage("ranges is empty"))
                } else {
                    Ok((Part::Lines(ranges), scope))
                }
            }
            "wholeFile" => Ok((Part::Whole, scope)),
            "text" | "pattern" | "search" => self.query(name, part.is_some(), patterns),
            _ => match self.args().part()? {
                Some(target) => match super::spell::unnamed_option(&target) {
                    Some(flag) => Err(empty_flag(flag.0.trim_start_matches('-'))),
                    None => Ok((target, scope)),
                },
                None => Err(Error::usage("the target is empty").hint(LIKE)),
            },
        }
    }

    /// Returns the text or pattern. `has_part` is whether to search for it in another part.
    fn query(
        mut self,
        name: &str,
        has_part: bool,
        patterns: PatternOptions,
    ) -> Result<Scoped<Part>, Error> {
        let regex = with_flags(self.flags.as_deref(), patterns)?;
        let queries = (self.text.take(), self.pattern.take(), self.search.take());
        let (source, kind, patterns, context) = match queries {
            (Some(text), ..) => (text, QueryKind::Text, patterns, self.context_lines),
            (_, Some(pattern), _) => (pattern, QueryKind::Pattern, regex, self.context_lines),
            (.., Some(search)) => (search.query, QueryKind::Search, patterns, search.context_lines),
            _ => (String::new(), QueryKind::Text, patterns, None),
        };
        if source.is_empty() {
            return Err(Error::usage("the text to find is empty"));
        }
        let every = self.flags.take().is_some_and(|flags| flags.contains('g'));
        let query = Part::Match(Query { context, every, ..Query::new(&source, kind, patterns) });
        let scope = self.scope.take();
        if has_part {
            return Ok((query.within(self.args().part()?), scope));
        }
        match (scope, self.section.filter(|_| name != "search")) {
            (Some(_), Some(_)) => Err(contradiction("section", "in")),
            (scope, section) => Ok((query, scope.or(section))),
        }
    }

    /// Returns the equivalent options of the command line.
    fn args(self) -> TargetArgs {
        let (heading, children) = match self.heading {
            Some(HeadingObject::Name(name)) => (Some(name), self.include_children),
            Some(HeadingObject::Full(full)) => (Some(full.text), full.include_children),
            None => (None, self.include_children),
        };
        let (block, front_matter) = (self.code_block.as_ref(), self.front_matter.as_ref());
        let code_block = block.map(|block| match &block.language {
            Some(language) => format!("{language}:{}", block.index),
            None => block.index.to_string(),
        });
        TargetArgs {
            section: Vec::from_iter(self.section),
            body: Vec::from_iter(self.body.or(self.after_heading)),
            heading: Vec::from_iter(heading),
            code_block: Vec::from_iter(code_block),
            table: Vec::from_iter(self.table.map(|table| table.index)),
            anchor: Vec::from_iter(self.anchor),
            key: Vec::from_iter(self.key.or(front_matter.and_then(|found| found.key.clone()))),
            front_matter: self.front_matter.is_some(),
            value: self.value.unwrap_or(false),
            fences: block.is_some_and(|block| block.fences.unwrap_or(false)),
            include_children: children,
            ..TargetArgs::default()
        }
    }

    fn refuse_strays(&self, named: &[&str]) -> Result<(), Error> {
        let sections = &["section", "body", "heading", "afterHeading"][..];
        let checks = [
            (self.include_children.is_some(), "includeChildren", sections),
            (self.value.is_some(), "value", &["key", "frontMatter"][..]),
            (self.flags.is_some(), "flags", &["pattern"][..]),
            (self.context_lines.is_some(), "contextLines", &["text", "pattern"][..]),
        ];
        let stray = checks
            .into_iter()
            .find(|(given, _, needs)| *given && !needs.iter().any(|need| named.contains(need)));
        match stray {
            Some((_, name, needs)) => {
                Err(Error::usage(format!("{name} needs {}", needs.join(" or "))))
            }
            None => Ok(()),
        }
    }
}

impl TargetArgs {
    /// Returns the targets, each with the section in which to look for it. If no target is given,
    /// returns only the section.
    pub fn targets(&self, patterns: PatternOptions) -> Result<Vec<Scoped>, Error> {
        let mut targets: Vec<Scoped> = Vec::new();
        for args in self.clone().combinations() {
            let target = args.target(patterns)?;
            // A part that is named twice is one part.
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        Ok(targets)
    }

    /// Returns the target, and the section in which to look for it. The section of a key becomes
    /// part of the target. Each option selects at most one part.
    fn target(&self, patterns: PatternOptions) -> Result<Scoped, Error> {
        self.refuse_strays()?;
        let mut scope = self.within.clone();
        if let Some(json) = self.target.first() {
            let (target, target_scope) = parse_target(json, &TARGET.to_string(), patterns)?;
            if scope.is_some() && target_scope.is_some() {
                return Err(contradiction(IN, "the target's in"));
            }
            return scoped(target, target_scope.or(scope));
        }
        let Some(target) = self.part_or_match(patterns)? else { return Ok((None, scope)) };
        if let (Part::Match(Query { kind, within: None, .. }), Some(section)) =
            (&target, self.section.first())
        {
            if scope.is_some() {
                let both = format!("{SECTION} with {}", kind.flag());
                return Err(contradiction(IN, both));
            }
            scope = Some(section.clone());
        }
        if let Some(flag) = super::spell::unnamed_option(&target) {
            return Err(empty_flag(flag));
        }
        scoped(target, scope)
    }
}

impl LinesObject {
    fn range(&self) -> Result<LineRange, Error> {
        let end = self.end.unwrap_or(u64::MAX);
        LineRange::new(self.start, end).ok_or_else(|| {
            let message = format!(
                "invalid lines {}-{end}: the first line must be at least 1, and not after the last",
                self.start
            );
            Error::new(Code::InvalidRange, message)
        })
    }
}

/// Returns the options for a regular expression with these flags.
pub fn with_flags(flags: Option<&str>, patterns: PatternOptions) -> Result<PatternOptions, Error> {
    let mut options = patterns;
    for flag in flags.unwrap_or_default().chars() {
        match flag {
            'i' => options.case = Case::Insensitive,
            // Patterns match within lines, and the number of matches is a separate option.
            'm' | 'g' | 'u' => {}
            _ => return Err(Error::usage(format!("unexpected option '{flag}'"))),
        }
    }
    Ok(options)
}

/// Returns ranges of lines as JSON.
pub fn lines_value(ranges: &[LineRange]) -> Value {
    let object = |range: &LineRange| {
        let end = Some(range.end()).filter(|&end| end != u64::MAX);
        json!({ "start": range.start(), "end": end })
    };
    without_nulls(match ranges {
        [range] => json!({ "lines": object(range) }),
        _ => json!({ "ranges": ranges.iter().map(object).collect::<Vec<_>>() }),
    })
}

/// Returns a target as JSON.
pub fn target_value(target: &Part) -> Value {
    let switch = |is_given: &bool| is_given.then_some(true);
    without_nulls(match target {
        Part::Lines(ranges) => lines_value(ranges),
        Part::Section { name, part: SectionPart::Heading, children: Some(children) } => {
            json!({ "heading": { "text": name, "includeChildren": children } })
        }
        Part::Section { name, part, children } => {
            let children = children.filter(|children| !children);
            json!({ part.flag().0.trim_start_matches('-'): name, "includeChildren": children })
        }
        Part::CodeBlock { language, index, fences, symbol } => {
            let fences = switch(fences);
            let block = json!({ "index": index, "language": language, "fences": fences });
            json!({ "codeBlock": block, "section": symbol })
        }
        Part::Table(index) => json!({ "table": { "index": index } }),
        Part::Anchor(id) => json!({ "anchor": id }),
        Part::Key { section, key, value } => {
            json!({ "section": section, "key": key, "value": switch(value) })
        }
        Part::FrontMatter { key, value } => {
            json!({ "frontMatter": { "key": key }, "value": switch(value) })
        }
        Part::Match(query) => {
            let mut fields = query.within.as_deref().map_or(json!({}), target_value);
            if let (Value::Object(fields), Value::Object(query_fields)) =
                (&mut fields, query_value(query))
            {
                fields.extend(query_fields);
            }
            fields
        }
        Part::Whole => json!({ "wholeFile": true }),
    })
}

fn query_value(query: &Query) -> Value {
    let (source, context) = (&query.source, query.context.filter(|&context| context > 0));
    match query.kind {
        QueryKind::Search => {
            let context = query.context.unwrap_or(super::SEARCH_CONTEXT);
            json!({ "search": { "query": source, "contextLines": context } })
        }
        QueryKind::Text => json!({ "text": source, "contextLines": context }),
        QueryKind::Pattern => {
            // The expression includes the effect of all options except case.
            let pattern = Pattern::new(source, query.options()).ok();
            let source = pattern.as_ref().map_or(source.as_str(), Pattern::expression);
            let flags = pattern.as_ref().is_some_and(Pattern::ignores_case).then_some("i");
            json!({ "pattern": source, "flags": flags, "contextLines": context })
        }
    }
}

/// Removes the null fields from an object.
fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
        fields.values_mut().for_each(|field| *field = without_nulls(field.take()));
    } else if let Value::Array(items) = &mut value {
        items.iter_mut().for_each(|item| *item = without_nulls(item.take()));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_files::options::{PATTERN, TEXT};

    #[test]
    fn targets_have_the_form_that_options_accept() {
        for text in [
            r#"{"lines":{"start":50,"end":52}}"#,
            r#"{"lines":{"start":50}}"#,
            r#"{"ranges":[{"start":1,"end":2},{"start":5}]}"#,
            r###"{"heading":"## Install"}"###,
            r#"{"heading":{"text":"Install","includeChildren":true}}"#,
            r#"{"section":"[db]","key":"host","value":true}"#,
            r#"{"body":"A","includeChildren":false}"#,
            r#"{"codeBlock":{"index":2,"language":"sh","fences":true}}"#,
            r#"{"codeBlock":{"index":0,"language":"rust"},"section":"main"}"#,
            r#"{"table":{"index":1}}"#,
            r#"{"anchor":"x"}"#,
            r#"{"frontMatter":{"key":"title"}}"#,
            r#"{"text":"a\nb"}"#,
            r#"{"pattern":"TODO:\\s*(.+)","flags":"i"}"#,
            r#"{"search":{"query":"X","contextLines":10}}"#,
            r#"{"wholeFile":true}"#,
        ] {
            let (target, scope) =
                parse_target(text, "target", PatternOptions::default()).expect(text);
            let expected: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!((target_value(&target), scope), (expected, None));
        }
    }

    #[test]
    fn a_section_next_to_a_text_limits_its_search() {
        for (field, flag) in [("text", TEXT), ("pattern", PATTERN)] {
            let text = format!(r#"{{"section":"B","{field}":"foo"}}"#);
            let (target, scope) =
                parse_target(&text, "target", Default::default()).expect("a target");
            assert_eq!((target.flag(), scope.as_deref()), (flag, Some("B")));
        }
    }

    #[track_caller]
    fn check_error(json: &str, part: &str) {
        let error = parse_target(json, "target", PatternOptions::default()).expect_err(json);
        assert!(error.message.to_string().contains(part), "{}", error.message);
    }

    #[test]
    fn the_invalid_part_is_named() {
        check_error(r#"{"lines":{"start":5,"end":2}}"#, "5-2");
        check_error(r#"{"lines":{"start":0,"end":2}}"#, "0-2");
        check_error(r#"{"section":"a","anchor":"b"}"#, "section cannot be used with anchor");
        check_error(r#"{"sektion":"a"}"#, "sektion");
        check_error("{}", "the target is empty");
        check_error(r#"{"text":""}"#, "empty");
        check_error(r#"{"section":" "}"#, "section is empty");
        check_error(r#"{"section":"a","key":""}"#, "key is empty");
        check_error(r#"{"section":"a","text":"b","in":"c"}"#, "section cannot be used with in");
        check_error(r#"{"table":{"index":-1}}"#, "expected an integer");
        check_error(r#"{"text":"a","flags":"i"}"#, "flags needs pattern");
    }
}
