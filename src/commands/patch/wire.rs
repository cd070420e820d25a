//! JSON that comes in: targets, and the edits of `apply`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use serde::Deserialize;

use super::options::{Edit, Input, Operand, OperationParts};
use super::words::Words;
use super::{EditOptions, Occurrence, Operation, Query, Target};
use crate::commands::json;
use crate::commands::shared_args::{contradiction, flag_error};
use crate::commands::wire::{CodeBlockObject, FrontMatterObject, HeadingObject, LinesObject};
use crate::error::Error;
use crate::files::address::Part;
use crate::text::pattern::{Case, PatternOptions};
use crate::text::span::LineRange;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TargetObject {
    lines: Option<LinesObject>,
    section: Option<String>,
    body: Option<String>,
    heading: Option<HeadingObject>,
    include_children: Option<bool>,
    code_block: Option<CodeBlockObject>,
    anchor: Option<String>,
    key: Option<String>,
    value: Option<bool>,
    front_matter: Option<FrontMatterObject>,
    text: Option<String>,
    pattern: Option<String>,
    flags: Option<String>,
    whole_file: Option<bool>,
}

/// The target that JSON stands for.
pub fn target(value: serde_json::Value, patterns: PatternOptions) -> Result<Target, Error> {
    let object: TargetObject =
        serde_json::from_value(value).map_err(|error| json::misread("target", &error))?;
    let mut found: Vec<(&'static str, Target)> = Vec::new();
    if let Some(lines) = &object.lines {
        found.push(("lines", Target::Lines(lines.range()?)));
    }
    object.sections(&mut found);
    object.others(&mut found);
    object.matches(&mut found, patterns)?;
    if let [(first, _), (second, _), ..] = found[..] {
        return Err(flag_error("target", contradiction(first, second)));
    }
    let named = found.first().map(|(name, _)| *name);
    object.refuse_strays(named)?;
    found.pop().map(|(_, target)| target).ok_or_else(|| {
        Error::usage("target: it names nothing").hint(r#"a target is like {"section":"Install"}"#)
    })
}

impl TargetObject {
    fn sections(&self, found: &mut Vec<(&'static str, Target)>) {
        let children = self.include_children.unwrap_or(true);
        let value = self.value.unwrap_or(false);
        let section = |name: &str, body| Target::Section { name: name.to_owned(), body, children };
        match (&self.section, &self.key, &self.front_matter) {
            (_, Some(_), Some(_)) => {}
            (section, Some(key), None) => {
                let target = Target::Key { section: section.clone(), key: key.clone(), value };
                found.push(("key", target));
            }
            (Some(name), None, _) => found.push(("section", section(name, false))),
            (None, None, _) => {}
        }
        if let Some(name) = &self.body {
            found.push(("body", section(name, true)));
        }
        match &self.heading {
            Some(HeadingObject::Name(name)) => {
                found.push(("heading", Target::Heading(name.clone())));
            }
            Some(HeadingObject::Full(heading)) => {
                let target = match heading.include_children {
                    None => Target::Heading(heading.text.clone()),
                    Some(children) => {
                        Target::Section { name: heading.text.clone(), body: false, children }
                    }
                };
                found.push(("heading", target));
            }
            None => {}
        }
    }

    fn others(&self, found: &mut Vec<(&'static str, Target)>) {
        if let Some(block) = &self.code_block {
            found.push((
                "codeBlock",
                Target::CodeBlock {
                    language: block.language.clone(),
                    index: block.index,
                    fences: block.fences.unwrap_or(false),
                },
            ));
        }
        if let Some(id) = &self.anchor {
            let id = id.strip_prefix('#').unwrap_or(id).to_owned();
            found.push(("anchor", Target::Anchor(id)));
        }
        if let Some(front_matter) = &self.front_matter {
            let key = front_matter.key.clone().or_else(|| self.key.clone());
            let value = self.value.unwrap_or(false);
            found.push(("frontMatter", Target::FrontMatter { key, value }));
        }
        if self.whole_file == Some(true) {
            found.push(("wholeFile", Target::WholeFile));
        }
    }

    fn matches(
        &self,
        found: &mut Vec<(&'static str, Target)>,
        patterns: PatternOptions,
    ) -> Result<(), Error> {
        let mut regex = patterns;
        for flag in self.flags.iter().flat_map(|flags| flags.chars()) {
            match flag {
                'i' => regex.case = Case::Insensitive,
                // Patterns match line by line, and how many is said elsewhere.
                'm' | 'u' => {}
                'g' => {
                    return Err(Error::usage("target: there is no flag 'g'").hint(
                        "--occurrence all  # every match; in JSON occurrence beside the target",
                    ));
                }
                _ => return Err(Error::usage(format!("target: there is no flag '{flag}'"))),
            }
        }
        let given =
            [("text", &self.text, false, patterns), ("pattern", &self.pattern, true, regex)];
        for (name, source, is_regex, patterns) in given {
            let Some(source) = source else { continue };
            found.push((name, Target::Match(query(name, source, is_regex, patterns)?)));
        }
        Ok(())
    }

    fn refuse_strays(&self, named: Option<&str>) -> Result<(), Error> {
        let is = |names: &[&str]| named.is_some_and(|named| names.contains(&named));
        let checks = [
            (self.include_children.is_some(), "includeChildren", &["section", "body"][..]),
            (self.value.is_some(), "value", &["key", "frontMatter"][..]),
            (self.flags.is_some(), "flags", &["pattern"][..]),
        ];
        for (given, name, needs) in checks {
            if given && !is(needs) {
                return Err(Error::usage(format!("target: {name} needs {}", needs.join(" or "))));
            }
        }
        Ok(())
    }
}

/// A query for a text or pattern, which must not be empty.
pub(super) fn query(
    name: &str,
    source: &str,
    regex: bool,
    patterns: PatternOptions,
) -> Result<Query, Error> {
    if source.is_empty() {
        return Err(Error::usage(format!("{name} is empty: there is nothing to look for")));
    }
    let source = source.to_owned();
    Ok(Query { source, regex, patterns, ignore_whitespace: false, normalize_unicode: false })
}

/// Edits that `apply` takes.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) edits: Vec<BatchEdit>,
    /// Whether each sees what the one before made.
    pub(super) sequential: bool,
}

/// An edit and its file.
#[derive(Debug)]
pub(super) struct BatchEdit {
    file: String,
    is_address: bool,
    pub(super) edit: Edit,
}

impl BatchEdit {
    pub(super) fn operand(&self) -> Operand<'_> {
        match self.is_address {
            true => Operand::Address(OsStr::new(&self.file)),
            false => Operand::File(OsStr::new(&self.file)),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EditObject {
    address: Option<String>,
    file_path: Option<String>,
    operation: String,
    target: Option<serde_json::Value>,
    #[serde(rename = "in")]
    scope: Option<String>,
    content: Option<String>,
    to: Option<String>,
    #[serde(default)]
    before: bool,
    #[serde(default)]
    after: bool,
    occurrence: Option<OccurrenceObject>,
    #[serde(default)]
    unique: bool,
    expect: Option<u64>,
    #[serde(default)]
    expand: bool,
    #[serde(default)]
    ignore_case: bool,
    #[serde(default)]
    word_regexp: bool,
    #[serde(default)]
    line_regexp: bool,
    #[serde(default)]
    ignore_whitespace: bool,
    #[serde(default)]
    normalize_unicode: bool,
    preserve_indent: Option<bool>,
    #[serde(default)]
    links_in: Vec<PathBuf>,
    #[serde(default)]
    set: BTreeMap<String, String>,
    if_match: Option<String>,
    if_range_match: Option<String>,
    #[serde(default)]
    whole_file: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OccurrenceObject {
    Number(u64),
    Name(String),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EditsObject {
    edits: Vec<serde_json::Value>,
    #[serde(default)]
    sequential: bool,
}

/// The edits of a text: one edit, an array of them, one a line, or an object
/// that holds them as `edits`.
pub(super) fn edits(text: &[u8]) -> Result<Batch, Error> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if is_diff(text) {
        return Err(Error::usage("this is a diff, not edits in JSON")
            .hint("git apply FILE  # takes a diff"));
    }
    let values: Result<Vec<serde_json::Value>, _> =
        serde_json::Deserializer::from_slice(text).into_iter().collect();
    let mut values = values.map_err(|error| json::misread("edits", &error).hint(LIKE))?;
    let mut sequential = false;
    let list = match &mut values[..] {
        [] => return Err(no_edits()),
        [serde_json::Value::Array(list)] => std::mem::take(list),
        [serde_json::Value::Object(object)] if object.contains_key("edits") => {
            let object = serde_json::Value::Object(std::mem::take(object));
            let object: EditsObject = serde_json::from_value(object)
                .map_err(|error| json::misread("edits", &error).hint(LIKE))?;
            sequential = object.sequential;
            object.edits
        }
        _ => values,
    };
    if list.is_empty() {
        return Err(no_edits());
    }
    let numbered = list.into_iter().zip(1..);
    let edits = numbered.map(|(value, number)| edit(value, &edit_name(number)));
    Ok(Batch { edits: edits.collect::<Result<_, Error>>()?, sequential })
}

/// What errors call an edit; they are counted from 1.
pub(super) fn edit_name(number: usize) -> String {
    format!("edit {number}")
}

/// What an edit is like.
const LIKE: &str =
    r#"an edit is like {"filePath":"a.md","operation":"delete","target":{"section":"Old"}}"#;

fn no_edits() -> Error {
    Error::usage("edits: there are none").hint(LIKE)
}

fn is_diff(text: &[u8]) -> bool {
    [&b"--- "[..], b"diff ", b"Index: ", b"@@ "].iter().any(|mark| text.starts_with(mark))
}

/// The edit that JSON stands for; an error calls it what it is.
fn edit(value: serde_json::Value, what: &str) -> Result<BatchEdit, Error> {
    let object: EditObject =
        serde_json::from_value(value).map_err(|error| json::misread(what, &error))?;
    object.edit().map_err(|error| flag_error(what, error))
}

impl EditObject {
    fn patterns(&self) -> PatternOptions {
        PatternOptions {
            fixed: false,
            case: if self.ignore_case { Case::Insensitive } else { Case::Sensitive },
            word: self.word_regexp,
            line: self.line_regexp,
        }
    }

    fn edit(self) -> Result<BatchEdit, Error> {
        let mut target = match &self.target {
            None => self.whole_file.then_some(Target::WholeFile),
            Some(value) => Some(target(value.clone(), self.patterns())?),
        };
        if let Some(Target::Match(query)) = &mut target {
            query.ignore_whitespace = self.ignore_whitespace;
            query.normalize_unicode = self.normalize_unicode;
        }
        let relaxes = self.ignore_case
            || self.word_regexp
            || self.line_regexp
            || self.ignore_whitespace
            || self.normalize_unicode;
        if relaxes && !matches!(target, Some(Target::Match(_))) {
            let message = "ignoreCase and the like need a target with a text or pattern";
            return Err(Error::usage(message));
        }
        let occurrence = self.occurrence.as_ref().map(|occurrence| match occurrence {
            OccurrenceObject::Number(number) => number.to_string(),
            OccurrenceObject::Name(name) => name.clone(),
        });
        let words = Words::Fields;
        let options = EditOptions {
            occurrence: occurrence.map(|text| occurrence_named(&text, words)).transpose()?,
            unique: self.unique,
            expect: self.expect,
            expand: self.expand,
            preserve_indent: self.preserve_indent.unwrap_or(true),
            set: self.set.into_iter().collect(),
            if_match: self.if_match,
            if_range_match: self.if_range_match,
        };
        let parts = OperationParts {
            before: self.before,
            after: self.after,
            to: self.to.map(OsString::from),
            links_in: self.links_in,
        };
        let (file, is_address) = match (self.address, self.file_path) {
            (Some(address), None) => (address, true),
            (None, Some(path)) => (path, false),
            _ => return Err(Error::usage("an edit needs an address or a filePath, and not both")),
        };
        let edit = Edit {
            operation: Operation::named(&self.operation, parts, words)?,
            target,
            scope: self.scope,
            content: self.content.map(|text| Input::Bytes(text.into_bytes())),
            options,
        };
        edit.check(words)?;
        let edit = BatchEdit { file, is_address, edit };
        match edit.operand().is_stdin() {
            true => Err(Error::usage("an edit needs a file, not standard input")),
            false => Ok(edit),
        }
    }
}

/// `first`, `last`, `all` or a number from 1.
pub(super) fn occurrence_named(text: &str, words: Words) -> Result<Occurrence, Error> {
    match text {
        "first" => Ok(Occurrence::First),
        "last" => Ok(Occurrence::Last),
        "all" => Ok(Occurrence::All),
        _ => match text.parse() {
            Ok(number) if number > 0 => Ok(Occurrence::Number(number)),
            _ => Err(Error::usage(format!(
                "{}: '{text}' is not first, last, all or a number from 1",
                words.name("--occurrence")
            ))),
        },
    }
}

/// The part of a file that an address names, as it is told in JSON.
pub fn part_json(part: &Part) -> Option<serde_json::Value> {
    match part {
        Part::Whole => None,
        Part::Lines(ranges) => ranges.first().map(lines_json),
        Part::Anchor(id) => Some(serde_json::json!({ "anchor": id })),
    }
}

fn lines_json(range: &LineRange) -> serde_json::Value {
    let mut lines = serde_json::json!({ "start": range.start() });
    if range.end() != u64::MAX {
        lines["end"] = range.end().into();
    }
    serde_json::json!({ "lines": lines })
}

/// A target as it is taken in JSON.
pub fn target_json(target: &Target) -> serde_json::Value {
    use serde_json::json;
    match target {
        Target::Lines(range) => lines_json(range),
        Target::Section { name, body, children } => {
            let flag = if *body { "body" } else { "section" };
            match children {
                true => json!({ flag: name }),
                false => json!({ flag: name, "includeChildren": false }),
            }
        }
        Target::Heading(name) => json!({ "heading": name }),
        Target::CodeBlock { language, index, fences } => {
            let mut block = json!({ "index": index });
            if let Some(language) = language {
                block["language"] = language.clone().into();
            }
            if *fences {
                block["fences"] = true.into();
            }
            json!({ "codeBlock": block })
        }
        Target::Anchor(id) => json!({ "anchor": id }),
        Target::Key { section, key, value } => {
            let mut object = json!({ "key": key });
            if let Some(section) = section {
                object = json!({ "section": section, "key": key });
            }
            if *value {
                object["value"] = true.into();
            }
            object
        }
        Target::FrontMatter { key, value } => {
            let mut object = match key {
                Some(key) => json!({ "frontMatter": { "key": key } }),
                None => json!({ "frontMatter": {} }),
            };
            if *value {
                object["value"] = true.into();
            }
            object
        }
        Target::Match(query) if query.regex => {
            let mut object = json!({ "pattern": query.source });
            if query.patterns.case == Case::Insensitive {
                object["flags"] = "i".into();
            }
            object
        }
        Target::Match(query) => json!({ "text": query.source }),
        Target::WholeFile => json!({ "wholeFile": true }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, part: &str) {
        let error = edits(text.as_bytes()).expect_err(text);
        assert!(error.message.contains(part), "{}", error.message);
    }

    #[test]
    fn targets_are_told_as_they_are_taken() {
        for text in [
            r#"{"lines":{"start":50,"end":52}}"#,
            r#"{"lines":{"start":50}}"#,
            r###"{"heading":"## Install"}"###,
            r#"{"section":"[db]","key":"host","value":true}"#,
            r#"{"body":"A","includeChildren":false}"#,
            r#"{"codeBlock":{"index":2,"language":"sh","fences":true}}"#,
            r#"{"anchor":"x"}"#,
            r#"{"frontMatter":{"key":"title"}}"#,
            r#"{"text":"a\nb"}"#,
            r#"{"pattern":"TODO:\\s*(.+)","flags":"i"}"#,
            r#"{"wholeFile":true}"#,
        ] {
            let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
            let target = target(value.clone(), PatternOptions::default()).expect(text);
            assert_eq!(target_json(&target), value);
        }
    }

    #[test]
    fn edits_come_one_or_many() {
        let edit = r#"{"filePath":"a.md","operation":"delete","target":{"section":"A"}}"#;
        for (text, count) in [
            (edit.to_owned(), 1),
            (format!("[{edit},{edit}]"), 2),
            (format!("{edit}\n{edit}\n"), 2),
            (format!(r#"{{"edits":[{edit}],"sequential":true}}"#), 1),
        ] {
            assert_eq!(edits(text.as_bytes()).expect("edits").edits.len(), count, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        check_error("", "none");
        check_error("[]", "none");
        check_error("--- a/x\n+++ b/x\n", "diff");
        check_error(r#"{"operation":"delete"}"#, "filePath");
        check_error(r#"{"filePath":"a","operation":"rewrite"}"#, "rewrite");
        check_error(r#"{"filePath":"a","operation":"delete","target":{}}"#, "nothing");
        check_error(r#"{"filePath":"a","operation":"move","target":{"section":"A"}}"#, "to");
        check_error(
            r#"[{"filePath":"a","operation":"delete","target":{"section":"A"}},{"x":1}]"#,
            "edit 2",
        );
    }
}
