//! Targets as they are in JSON: taken and given in one form.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Query, QueryKind, SectionPart, Target};
use crate::commands::json;
use crate::commands::shared_args::{contradiction, empty_flag, flag_error};
use crate::error::{Code, Error};
use crate::text::pattern::{Case, Pattern, PatternOptions};
use crate::text::span::LineRange;

/// What a target is like.
pub const LIKE: &str = r#"a target is like {"section":"Install"}"#;

/// A part of a file: one name, and what belongs to it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TargetObject {
    /// Lines, the last one included; without an end, to the last line
    lines: Option<LinesObject>,
    /// The same as a list; an edit takes one range
    #[schemars(length(min = 1))]
    ranges: Option<Vec<LinesObject>>,
    /// A heading as written or as rendered, an INI section, a log entry; 'A > B' is a path, 'A[2]'
    /// the second of that name
    section: Option<String>,
    /// The same without its first line
    body: Option<String>,
    /// A section; to edit, the line of the heading itself
    heading: Option<HeadingObject>,
    /// To insert: after the line of this heading
    after_heading: Option<String>,
    /// Whether the sections below belong to it; true unless given
    include_children: Option<bool>,
    /// What is between the fences of a code block
    code_block: Option<CodeBlockObject>,
    /// A table
    table: Option<TableObject>,
    /// A heading by its GitHub slug, or an explicit anchor
    anchor: Option<String>,
    /// A key of an INI section, of the lines before the first, or of front matter
    key: Option<String>,
    /// The value of the key alone
    value: Option<bool>,
    /// Front matter, or one of its keys
    front_matter: Option<FrontMatterObject>,
    /// A text, to the letter
    #[schemars(length(min = 1))]
    text: Option<String>,
    /// A regular expression, matched line by line
    #[schemars(length(min = 1))]
    pattern: Option<String>,
    /// Of the pattern: i, in any case; g, m and u change nothing
    #[schemars(regex(pattern = r"^[gimu]*$"))]
    flags: Option<String>,
    /// To read: a text with the lines around it
    search: Option<SearchObject>,
    /// To read: lines around a text or pattern
    context_lines: Option<u64>,
    /// All of the file
    whole_file: Option<bool>,
    /// Look for the part in this section only
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
    /// Its number, from 0
    index: usize,
    /// Count only blocks of this language
    language: Option<String>,
    /// With the fences
    fences: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TableObject {
    /// Its number, from 0
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

/// The target that a text in JSON stands for, and the scope in it; `what` names
/// the text in errors.
pub fn parsed(
    text: &str,
    what: &str,
    patterns: PatternOptions,
) -> Result<(Target, Option<String>), Error> {
    let value = serde_json::from_str(text).map_err(|error| json::misread(what, &error))?;
    target(value, what, patterns)
}

/// Where content comes that a target puts beside a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// `{"beforeHeading":NAME}`.
    Before,
    /// `{"afterHeading":NAME}`.
    After,
}

/// Makes a target beside a heading the heading itself, for who inserts; where
/// content comes then.
pub fn take_side(value: &mut Value) -> Option<Beside> {
    let fields = value.as_object_mut()?;
    let sides = [("beforeHeading", Beside::Before), ("afterHeading", Beside::After)];
    let (field, side) = sides.into_iter().find(|(field, _)| fields.contains_key(*field))?;
    // Two targets are told as such.
    if fields.contains_key("heading") {
        return None;
    }
    let name = fields.remove(field)?;
    fields.insert("heading".to_owned(), name);
    Some(side)
}

/// The same for a value.
pub fn target(
    value: Value,
    what: &str,
    patterns: PatternOptions,
) -> Result<(Target, Option<String>), Error> {
    let mut object: TargetObject =
        serde_json::from_value(value).map_err(|error| json::misread(what, &error))?;
    let mut found = object.targets(patterns).map_err(|error| flag_error(what, error))?;
    if let [(first, _), (second, _), ..] = found[..] {
        return Err(flag_error(what, contradiction(first, second)));
    }
    let Some((name, target)) = found.pop() else {
        return Err(Error::usage(format!("{what}: it names nothing")).hint(LIKE));
    };
    object.refuse_strays(name).map_err(|error| flag_error(what, error))?;
    if let Some(flag) = target.nameless() {
        return Err(flag_error(what, empty_flag(flag.trim_start_matches('-'))));
    }
    let section = object.section.take().filter(|_| target.query().is_some());
    match (object.scope.take(), section) {
        (Some(_), Some(_)) => Err(flag_error(what, contradiction("section", "in"))),
        (scope, section) => Ok((target, scope.or(section))),
    }
}

impl TargetObject {
    /// All targets that are named, by the fields that name them.
    fn targets(&self, patterns: PatternOptions) -> Result<Vec<(&'static str, Target)>, Error> {
        let value = self.value.unwrap_or(false);
        let mut found: Vec<(&'static str, Target)> = Vec::new();
        if let Some(lines) = &self.lines {
            found.push(("lines", Target::Lines(vec![lines.range()?])));
        }
        if let Some(ranges) = &self.ranges {
            let ranges: Vec<_> = ranges.iter().map(LinesObject::range).collect::<Result<_, _>>()?;
            if ranges.is_empty() {
                return Err(Error::usage("ranges is empty"));
            }
            found.push(("ranges", Target::Lines(ranges)));
        }
        if let (Some(key), None) = (&self.key, &self.front_matter) {
            let (section, key) = (self.section.clone(), key.clone());
            found.push(("key", Target::Key { section, key, value }));
        }
        found.extend(self.section_target());
        if let Some(block) = &self.code_block {
            let (language, index) = (block.language.clone(), block.index);
            let fences = block.fences.unwrap_or(false);
            found.push(("codeBlock", Target::CodeBlock { language, index, fences }));
        }
        if let Some(table) = &self.table {
            found.push(("table", Target::Table(table.index)));
        }
        if let Some(id) = &self.anchor {
            let id = id.strip_prefix('#').unwrap_or(id).to_owned();
            found.push(("anchor", Target::Anchor(id)));
        }
        if let Some(front_matter) = &self.front_matter {
            let key = front_matter.key.clone().or_else(|| self.key.clone());
            found.push(("frontMatter", Target::FrontMatter { key, value }));
        }
        if self.whole_file == Some(true) {
            found.push(("wholeFile", Target::WholeFile));
        }
        found.extend(self.queries(patterns)?);
        Ok(found)
    }

    fn section_target(&self) -> Vec<(&'static str, Target)> {
        let keyed = self.key.is_some() && self.front_matter.is_none();
        let heading = self.heading.as_ref().map(|heading| match heading {
            HeadingObject::Name(name) => (name, self.include_children),
            HeadingObject::Full(full) => (&full.text, full.include_children),
        });
        // Of a key or a text it is the section to look in.
        let matched = self.text.is_some() || self.pattern.is_some();
        let section = self.section.as_ref().filter(|_| !keyed && !matched);
        let named = [
            ("section", section.map(|name| (name, self.include_children)), SectionPart::Whole),
            (
                "body",
                self.body.as_ref().map(|name| (name, self.include_children)),
                SectionPart::Body,
            ),
            ("heading", heading, SectionPart::Heading),
            (
                "afterHeading",
                self.after_heading.as_ref().map(|name| (name, self.include_children)),
                SectionPart::Body,
            ),
        ];
        let targets = named.into_iter().filter_map(|(field, named, part)| {
            let (name, children) = named?;
            Some((field, Target::Section { name: name.clone(), part, children }))
        });
        targets.collect()
    }

    fn queries(&self, patterns: PatternOptions) -> Result<Vec<(&'static str, Target)>, Error> {
        let regex = flagged(self.flags.as_deref(), patterns)?;
        let search = self.search.as_ref();
        let given = [
            ("text", self.text.as_ref(), QueryKind::Text, patterns, self.context_lines),
            ("pattern", self.pattern.as_ref(), QueryKind::Pattern, regex, self.context_lines),
            (
                "search",
                search.map(|search| &search.query),
                QueryKind::Search,
                patterns,
                search.and_then(|search| search.context_lines),
            ),
        ];
        let mut found = Vec::new();
        for (field, source, kind, patterns, context) in given {
            let Some(source) = source else { continue };
            if source.is_empty() {
                return Err(Error::usage("the text to look for is empty"));
            }
            let every = self.flags.as_ref().is_some_and(|flags| flags.contains('g'));
            let query = Query { context, every, ..Query::new(source, kind, patterns) };
            found.push((field, Target::Match(query)));
        }
        Ok(found)
    }

    fn refuse_strays(&self, named: &str) -> Result<(), Error> {
        let checks = [
            (
                self.include_children.is_some(),
                "includeChildren",
                &["section", "body", "heading", "afterHeading"][..],
            ),
            (self.value.is_some(), "value", &["key", "frontMatter"][..]),
            (self.flags.is_some(), "flags", &["pattern"][..]),
            (self.context_lines.is_some(), "contextLines", &["text", "pattern"][..]),
        ];
        let stray = checks.into_iter().find(|(given, _, needs)| *given && !needs.contains(&named));
        match stray {
            Some((_, name, needs)) => {
                Err(Error::usage(format!("{name} needs {}", needs.join(" or "))))
            }
            None => Ok(()),
        }
    }
}

impl LinesObject {
    fn range(&self) -> Result<LineRange, Error> {
        let end = self.end.unwrap_or(u64::MAX);
        LineRange::new(self.start, end).ok_or_else(|| {
            let message = format!(
                "invalid lines {}-{end}: lines start at 1, and the last is not before the first",
                self.start
            );
            Error::new(Code::InvalidRange, message)
        })
    }
}

/// How a regular expression is meant that has these flags beside it.
pub fn flagged(flags: Option<&str>, patterns: PatternOptions) -> Result<PatternOptions, Error> {
    let mut options = patterns;
    for flag in flags.unwrap_or_default().chars() {
        match flag {
            'i' => options.case = Case::Insensitive,
            // Text is searched line by line, and how often is said elsewhere.
            'm' | 'g' | 'u' => {}
            _ => return Err(Error::usage(format!("unexpected option '{flag}'"))),
        }
    }
    Ok(options)
}

/// Lines as they are taken in JSON.
pub fn lines_value(ranges: &[LineRange]) -> Value {
    let object = |range: &LineRange| match range.end() {
        u64::MAX => json!({ "start": range.start() }),
        end => json!({ "start": range.start(), "end": end }),
    };
    match ranges {
        [range] => json!({ "lines": object(range) }),
        _ => json!({ "ranges": ranges.iter().map(object).collect::<Vec<_>>() }),
    }
}

/// A target as it is taken in JSON.
pub fn value(target: &Target) -> Value {
    let with = |mut object: Value, name: &str, given: bool, value: Value| {
        if given {
            object[name] = value;
        }
        object
    };
    match target {
        Target::Lines(ranges) => lines_value(ranges),
        Target::Section { name, part: SectionPart::Heading, children: Some(children) } => {
            json!({ "heading": { "text": name, "includeChildren": children } })
        }
        Target::Section { name, part, children } => {
            let object = json!({ part.flag().trim_start_matches('-'): name });
            with(object, "includeChildren", *children == Some(false), json!(false))
        }
        Target::CodeBlock { language, index, fences } => {
            let block =
                with(json!({ "index": index }), "language", language.is_some(), json!(language));
            json!({ "codeBlock": with(block, "fences", *fences, json!(true)) })
        }
        Target::Table(index) => json!({ "table": { "index": index } }),
        Target::Anchor(id) => json!({ "anchor": id }),
        Target::Key { section, key, value } => {
            let object = match section {
                Some(section) => json!({ "section": section, "key": key }),
                None => json!({ "key": key }),
            };
            with(object, "value", *value, json!(true))
        }
        Target::FrontMatter { key, value } => {
            let inner = with(json!({}), "key", key.is_some(), json!(key));
            with(json!({ "frontMatter": inner }), "value", *value, json!(true))
        }
        Target::Match(query) => query_value(query),
        Target::WholeFile => json!({ "wholeFile": true }),
    }
}

fn query_value(query: &Query) -> Value {
    let mut object = match query.kind {
        QueryKind::Search => {
            let context = query.context.unwrap_or(super::SEARCH_CONTEXT);
            return json!({ "search": { "query": query.source, "contextLines": context } });
        }
        QueryKind::Text => json!({ "text": query.source }),
        QueryKind::Pattern => pattern_value("pattern", &query.source, query.options()),
    };
    if let Some(context) = query.context.filter(|&context| context > 0) {
        object["contextLines"] = json!(context);
    }
    object
}

/// A pattern as it was written, with what flags say in it or beside it.
fn pattern_value(field: &str, source: &str, options: PatternOptions) -> Value {
    let pattern = Pattern::new(source, options).ok();
    let mut object = json!({ field: pattern.as_ref().map_or(source, Pattern::expression) });
    if pattern.is_some_and(|pattern| pattern.ignores_case()) {
        object["flags"] = json!("i");
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_given_as_they_are_taken() {
        for text in [
            r#"{"lines":{"start":50,"end":52}}"#,
            r#"{"lines":{"start":50}}"#,
            r#"{"ranges":[{"start":1,"end":2},{"start":5}]}"#,
            r###"{"heading":"## Install"}"###,
            r#"{"heading":{"text":"Install","includeChildren":true}}"#,
            r#"{"section":"[db]","key":"host","value":true}"#,
            r#"{"body":"A","includeChildren":false}"#,
            r#"{"codeBlock":{"index":2,"language":"sh","fences":true}}"#,
            r#"{"table":{"index":1}}"#,
            r#"{"anchor":"x"}"#,
            r#"{"frontMatter":{"key":"title"}}"#,
            r#"{"text":"a\nb"}"#,
            r#"{"pattern":"TODO:\\s*(.+)","flags":"i"}"#,
            r#"{"search":{"query":"X","contextLines":10}}"#,
            r#"{"wholeFile":true}"#,
        ] {
            let (target, scope) = parsed(text, "target", PatternOptions::default()).expect(text);
            let expected: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!((value(&target), scope), (expected, None));
        }
    }

    #[test]
    fn a_section_beside_a_text_is_where_it_is_looked_for() {
        for (field, flag) in [("text", "--text"), ("pattern", "--pattern")] {
            let text = format!(r#"{{"section":"B","{field}":"foo"}}"#);
            let (target, scope) = parsed(&text, "target", Default::default()).expect("a target");
            assert_eq!((target.flag(), scope.as_deref()), (flag, Some("B")));
        }
    }

    #[track_caller]
    fn check_error(json: &str, part: &str) {
        let error = parsed(json, "target", PatternOptions::default()).expect_err(json);
        assert!(error.message.contains(part), "{}", error.message);
    }

    #[test]
    fn what_is_wrong_is_named() {
        check_error(r#"{"lines":{"start":5,"end":2}}"#, "5-2");
        check_error(r#"{"lines":{"start":0,"end":2}}"#, "0-2");
        check_error(r#"{"section":"a","anchor":"b"}"#, "section cannot be used with anchor");
        check_error(r#"{"sektion":"a"}"#, "sektion");
        check_error("{}", "nothing");
        check_error(r#"{"text":""}"#, "empty");
        check_error(r#"{"section":" "}"#, "section is empty");
        check_error(r#"{"section":"a","key":""}"#, "key is empty");
        check_error(r#"{"section":"a","text":"b","in":"c"}"#, "section cannot be used with in");
        check_error(r#"{"table":{"index":-1}}"#, "expected a whole number");
        check_error(r#"{"text":"a","flags":"i"}"#, "flags needs pattern");
    }
}
