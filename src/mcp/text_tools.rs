//! `TextInspect`, `TextRead`, `TextPatch`: tools for one file at a time, with targets and
//! answers as JSON.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::arguments::Arguments;
use super::call::{Call, Entry};
use super::records::{Records, text_of};
use super::spelling::Spelling;
use super::tool::{Effect, Kind, Parameter, Set, Tool};
use crate::commands::inspect::args::{InspectArgs, Mode};
use crate::commands::json::kind_of;
use crate::commands::patch::options::{Edits, Input};
use crate::commands::read::args::ReadArgs;
use crate::commands::target::flags::TargetArgs;
use crate::commands::{inspect, patch, read};
use crate::error::{Code, Error, ExitStatus};

/// Maximum number of lines of a part to return.
const MAX_LINES: usize = 200;

/// Maximum number of bytes of a part to read.
const MAX_BYTES: u64 = 16 << 20;

/// Number of deleted lines above which the answer contains a warning.
const MANY: i64 = 200;

const FILE: Parameter = Parameter::required("filePath", Kind::Text, "Path to the text file");

const LINES: Parameter = Parameter::new(
    "lines",
    Kind::Object(&[
        Parameter::required("start", Kind::Integer(1, u64::MAX), ""),
        Parameter::new("end", Kind::Integer(1, u64::MAX), ""),
    ]),
    "Line range, inclusive",
);
const CODE_BLOCK: Parameter = Parameter::new(
    "codeBlock",
    Kind::Object(&[Parameter::required("index", Kind::Integer(0, u64::MAX), "")]),
    "Fenced block by number, from 0",
);
const ANCHOR: Parameter = Parameter::new("anchor", Kind::Text, "Anchor id or heading slug");

/// The tools of this set.
pub const TOOLS: &[Entry] = &[
    Entry {
        tool: Tool {
            name: "TextInspect",
            title: "Inspect a text file",
            set: Set::Text,
            description: "Structure of a text or markdown file without its content: headings, \
                code blocks, anchors, sections; or matches of a query, or a preview of lines. Use it \
                before TextRead and TextPatch to find names and line numbers. Not for reading \
                content.\n{\"filePath\":\"README.md\"}\n{\"filePath\":\"README.md\",\"mode\":\
                \"search\",\"query\":\"TODO:.*\",\"regex\":true}\n{\"filePath\":\"README.md\",\
                \"mode\":\"lines\",\"query\":\"50-60\"}",
            parameters: &[
                FILE,
                Parameter::new("mode", Kind::Choice(&["structure", "search", "lines"]), "")
                    .or("\"structure\""),
                Parameter::new("query", Kind::Text, "Text to search for, or lines: 50-60,100-110"),
                Parameter::new("regex", Kind::Switch, "Take query as a regular expression")
                    .or("false"),
                Parameter::new("context", Kind::Integer(0, 1000), "Lines around matches").or("0"),
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: |arguments, call| answered(text_inspect(arguments, call), call),
        refuse: refused,
    },
    Entry {
        tool: Tool {
            name: "TextRead",
            title: "Read a section of a text file",
            set: Set::Text,
            description: "One part of a text file, named by exactly one target: lines, heading, \
                codeBlock, anchor, section or search. Use it after TextInspect. Prefer heading and \
                section: line numbers shift. Parts over 200 lines are cut.\n\
                {\"filePath\":\"a.md\",\"target\":{\"heading\":{\"text\":\"Install\"}}}\n\
                {\"filePath\":\"a.md\",\"target\":{\"lines\":{\"start\":50,\"end\":75}}}\n\
                {\"filePath\":\"app.conf\",\"target\":{\"section\":\"[database]\"}}",
            parameters: &[
                FILE,
                Parameter::required(
                    "target",
                    Kind::Object(&[
                        LINES,
                        Parameter::new(
                            "heading",
                            Kind::Object(&[
                                Parameter::required("text", Kind::Text, ""),
                                Parameter::new("includeChildren", Kind::Switch, ""),
                            ]),
                            "Section of a heading",
                        ),
                        CODE_BLOCK,
                        ANCHOR,
                        Parameter::new("section", Kind::Text, "INI section or log entry"),
                        Parameter::new(
                            "search",
                            Kind::Object(&[
                                Parameter::required("query", Kind::Text, ""),
                                Parameter::new("contextLines", Kind::Integer(0, 1000), ""),
                            ]),
                            "Lines around the first match",
                        ),
                    ]),
                    "Exactly one of these",
                ),
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: |arguments, call| answered(text_read(arguments, call), call),
        refuse: refused,
    },
    Entry {
        tool: Tool {
            name: "TextPatch",
            title: "Edit a text file",
            set: Set::Text,
            description: "Edit one place of a text file, atomically. Name it by exactly one \
                target; text and pattern mean the first match; headings carry their # markers. \
                Inspect first; prefer headings and sections: they survive other edits. Not for \
                whole files.\n{\"filePath\":\"a.md\",\"operation\":\"replace\",\"target\":{\"text\":\
                \"v1\"},\"content\":\"v2\"}\n{\"filePath\":\"a.md\",\"operation\":\"insert\",\
                \"target\":{\"afterHeading\":\"## Intro\"},\"content\":\"\\nText.\\n\"}\n\
                {\"filePath\":\"a.md\",\"operation\":\"delete\",\"target\":{\"lines\":{\"start\":50,\
                \"end\":55}}}",
            parameters: &[
                FILE,
                Parameter::required(
                    "operation",
                    Kind::Choice(&["replace", "insert", "delete", "replaceLines"]),
                    "",
                ),
                Parameter::required(
                    "target",
                    Kind::Object(&[
                        LINES,
                        Parameter::new("text", Kind::Text, "Exact text, its first occurrence"),
                        Parameter::new("pattern", Kind::Text, "Regex, its first match"),
                        Parameter::new("flags", Kind::Text, "Of pattern: i, w, x"),
                        Parameter::new("heading", Kind::Text, "The heading line: ## Title"),
                        Parameter::new("afterHeading", Kind::Text, "Insert below: ## Title"),
                        Parameter::new("beforeHeading", Kind::Text, "Insert above: ## Title"),
                        CODE_BLOCK,
                        ANCHOR,
                        Parameter::new("section", Kind::Text, "INI section"),
                        Parameter::new("key", Kind::Text, "Key of section; content is its line"),
                    ]),
                    "Exactly one of these",
                ),
                Parameter::new("content", Kind::Text, "For replace and insert"),
                Parameter::new("preserveIndent", Kind::Switch, "Match the target's indentation")
                    .or("true"),
            ],
            effect: Effect::Writes,
            output: None,
        },
        run: |arguments, call| answered(text_patch(arguments, call), call),
        refuse: refused,
    },
];

/// A result, or a failure with its JSON object.
type Answered = Result<Value, Failure>;

struct Failure {
    status: ExitStatus,
    object: Value,
}

fn answered(answer: Answered, _: &Call<'_>) -> Answer {
    match answer {
        Ok(value) => Answer::json(value),
        Err(failure) => failed(failure),
    }
}

fn failed(Failure { status, object }: Failure) -> Answer {
    let errors = vec![object.clone()];
    let answer = Answer { errors, ..Answer::text(object.to_string()) };
    answer.failed(status)
}

fn refused(spelling: Spelling<'_>, error: &Error) -> Answer {
    failed(failure(spelling, error))
}

/// Converts an error to a JSON object, with suggestions as text.
fn failure(spelling: Spelling<'_>, error: &Error) -> Failure {
    let mut object = spelling.error_object(error);
    let is_heading = |text: &str| text.starts_with('#');
    let mut suggestions: Vec<String> = Vec::new();
    for candidate in error.candidates.iter().take(5) {
        let what = if is_heading(&candidate.text) { "heading" } else { "section" };
        let (text, line) = (&candidate.text, candidate.line);
        suggestions.push(format!("Similar {what} found: '{text}' at line {line}"));
    }
    if suggestions.is_empty() {
        suggestions = spelling.hints(&error.hints);
    }
    if error.code == Code::TargetNotFound {
        suggestions.push("Use TextInspect to see all headings in the document".to_owned());
    }
    if let Some(fields) = object.as_object_mut() {
        fields.remove("candidates");
        fields.insert("suggestions".to_owned(), json!(suggestions));
    }
    Failure { status: error.code.exit_status(), object }
}

fn text_inspect(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let flags = InspectArgs {
        addresses: arguments.operands("filePath"),
        mode: match arguments.text("mode") {
            Some("search") => Mode::Search,
            Some("lines") => Mode::Lines,
            _ => Mode::Structure,
        },
        query: arguments.string("query"),
        regex: arguments.flag("regex"),
        context: arguments.size("context").filter(|context| *context > 0),
        ..InspectArgs::default()
    };
    let record = Records::one(|sink| inspect::run::run(flags, call.env, sink));
    let mut record = record.map_err(|error| failure(call.spelling, &error))?;
    let path = arguments.text("filePath").unwrap_or_default();
    let is_conf = Path::new(path).extension().is_some_and(|extension| extension == "conf");
    if is_conf && record["format"] == "ini" {
        record["format"] = "text".into();
    }
    add_slugs(&mut record);
    Ok(record)
}

/// Adds the slugs of headings to the list of anchors.
fn add_slugs(record: &mut Value) {
    let mut anchors: Vec<Value> =
        record["structure"]["anchors"].as_array().cloned().unwrap_or_default();
    let mut left: Vec<&Value> =
        record["structure"]["headings"].as_array().into_iter().flatten().collect();
    if left.is_empty() {
        return;
    }
    while let Some(heading) = left.pop() {
        left.extend(heading["children"].as_array().into_iter().flatten());
        let anchor = json!({"id": heading["anchor"], "line": heading["line"]});
        if heading["anchor"].is_string() && !anchors.contains(&anchor) {
            anchors.push(anchor);
        }
    }
    anchors.sort_by_key(|anchor| anchor["line"].as_u64());
    record["structure"]["anchors"] = anchors.into();
}

fn text_read(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let fail = |error| failure(call.spelling, &error);
    let target = arguments.value("target").and_then(Value::as_object).cloned().unwrap_or_default();
    let (name, value) = only_method(&target, &[]).map_err(fail)?;
    let path = arguments.text("filePath").unwrap_or_default();
    let meant = match name {
        "anchor" => heading_lines(path, value, call).map_err(fail)?,
        _ => None,
    };
    let asked = meant.unwrap_or_else(|| Value::Object(target.clone()));
    let flags = ReadArgs {
        addresses: arguments.operands("filePath"),
        max_bytes: Some(MAX_BYTES),
        target: TargetArgs { target: Some(asked.to_string()), ..TargetArgs::default() },
        ..ReadArgs::default()
    };
    let record = Records::one(|sink| read::run::run(flags, call.env, sink));
    let mut record = record.map_err(fail)?;
    record["target"] = Value::Object(target);
    cut(&mut record);
    Ok(record)
}

/// The range from the heading with the slug `anchor` to the next heading of any level; `None`
/// if there is none.
fn heading_lines(path: &str, anchor: &Value, call: &Call<'_>) -> Result<Option<Value>, Error> {
    let id = anchor.as_str().unwrap_or_default();
    let id = id.strip_prefix('#').unwrap_or(id);
    let flags = InspectArgs {
        addresses: vec![path.into()],
        outline: true,
        flat: true,
        ..Default::default()
    };
    let record = Records::one(|sink| inspect::run::run(flags, call.env, sink))?;
    let headings = record["structure"]["headings"].as_array().cloned().unwrap_or_default();
    let Some(at) = headings.iter().position(|heading| heading["anchor"] == id) else {
        return Ok(None);
    };
    let start = headings[at]["line"].as_u64().unwrap_or(1);
    let next = headings.get(at + 1).and_then(|heading| heading["line"].as_u64());
    let end = next.map_or(record["totalLines"].as_u64(), |next| Some(next - 1));
    Ok(Some(json!({"lines": {"start": start, "end": end.unwrap_or(start).max(start)}})))
}

/// Truncates a part that is too long and says so in the record.
fn cut(record: &mut Value) {
    let (content, _) = text_of(&record["content"]);
    let ends: Vec<usize> = content.match_indices('\n').map(|(at, _)| at + 1).collect();
    let Some(end) = ends.get(MAX_LINES - 1).filter(|end| **end < content.len()) else { return };
    let total = ends.len() + usize::from(!content.ends_with('\n'));
    record["content"] = content[..*end].into();
    record["truncated"] = true.into();
    record["hasMore"] = true.into();
    record["returnedLines"] = MAX_LINES.into();
    record["totalLines"] = total.into();
    if let Some(start) = record["range"]["startLine"].as_u64() {
        record["nextLine"] = (start + MAX_LINES as u64).into();
    }
    record["suggestion"] =
        "Use TextInspect to find specific subsections, or target by line range".into();
}

/// The only field of a target that selects a part, with its value. The fields in `beside` may
/// accompany any of them.
fn only_method<'a>(
    target: &'a Map<String, Value>,
    beside: &[&str],
) -> Result<(&'a str, &'a Value), Error> {
    let mut methods = target.iter().filter(|(name, _)| !beside.contains(&name.as_str()));
    match (methods.next(), methods.next()) {
        (None, _) => Err(Error::usage("target names nothing: one targeting method is needed")
            .hint(r###"{"heading":"## Install"} or {"lines":{"start":1,"end":2}}"###)),
        (Some((first, _)), Some((second, _))) => Err(Error::usage(format!(
            "target: {first} cannot be used with {second}: only one targeting method"
        ))),
        (Some((name, value)), None) => Ok((name, value)),
    }
}

fn text_patch(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let fail = |error| failure(call.spelling, &error);
    let target = arguments.value("target").and_then(Value::as_object).cloned().unwrap_or_default();
    let operation = arguments.text("operation").unwrap_or_default();
    let edit = edit_of(arguments, &target, operation, call).map_err(fail)?;
    let edits = Edits::Json(Some(Input::Bytes(edit.to_string().into_bytes())));
    let options = patch::options::Options {
        edits,
        // Large deletions are allowed here, and reported with a warning.
        max_delete: u64::MAX,
        preview: true,
        ..patch::options::Options::default()
    };
    let record = Records::one(|sink| patch::run::run(&options, call.env, sink));
    let mut record = record.map_err(|error| fail(missed(error, &target)))?;
    let removed = record["linesDelta"].as_i64().unwrap_or(0);
    if -removed >= MANY {
        let warning = format!("{} lines were deleted", -removed);
        let mut warnings = record["warnings"].as_array().cloned().unwrap_or_default();
        warnings.push(warning.into());
        record["warnings"] = warnings.into();
    }
    record["operation"] = operation.into();
    record["target"] = Value::Object(target);
    Ok(record)
}

/// The edit, as JSON for `patch apply`.
fn edit_of(
    arguments: &Arguments,
    target: &Map<String, Value>,
    operation: &str,
    call: &Call<'_>,
) -> Result<Value, Error> {
    let (name, value) = only_method(target, &["flags", "key"])?;
    let path = arguments.text("filePath").unwrap_or_default();
    let content = arguments.text("content").unwrap_or_default();
    if operation != "delete" && content.is_empty() {
        let message =
            format!("{operation} needs content: to remove a part, use operation \"delete\"");
        return Err(Error::new(Code::EmptyContent, message));
    }
    if operation == "replaceLines" && name != "lines" {
        return Err(Error::usage(format!("replaceLines needs a target of lines, not {name}")));
    }
    let side = match name {
        "afterHeading" => Some("after"),
        "beforeHeading" => Some("before"),
        _ => None,
    };
    if side.is_some() && operation != "insert" {
        return Err(Error::usage(format!("{name} goes with insert, not with {operation}")));
    }
    if name == "heading" || side.is_some() {
        check_markers(path, name, value, call)?;
    }
    let meant = match side {
        Some(_) => json!({"heading": value}),
        None => Value::Object(target.clone()),
    };
    let operation = if operation == "replaceLines" { "replace" } else { operation };
    let mut edit = json!({"filePath": path, "operation": operation, "target": meant});
    if operation != "delete" {
        edit["content"] = content.into();
    }
    if let Some(side) = side {
        edit[side] = true.into();
    }
    if let Some(keeps) = arguments.is("preserveIndent") {
        edit["preserveIndent"] = keeps.into();
    }
    Ok(edit)
}

/// Fails unless the heading is given with its `#` markers; the error shows the markers.
fn check_markers(path: &str, name: &str, value: &Value, call: &Call<'_>) -> Result<(), Error> {
    let Some(text) = value.as_str() else {
        let given = kind_of(value);
        return Err(Error::usage(format!("{name}: expected a text, found {given}")));
    };
    if text.trim_start().starts_with('#') {
        return Ok(());
    }
    let flags = InspectArgs {
        addresses: vec![path.into()],
        outline: true,
        flat: true,
        ..Default::default()
    };
    let record = Records::one(|sink| inspect::run::run(flags, call.env, sink))?;
    let mut error = Error::usage(format!("{name} '{text}' must carry its # markers"));
    let same = |heading: &&Value| {
        heading["text"].as_str().is_some_and(|own| own.eq_ignore_ascii_case(text))
    };
    for heading in record["structure"]["headings"].as_array().into_iter().flatten().filter(same) {
        let level = usize::try_from(heading["level"].as_u64().unwrap_or(1)).unwrap_or(1);
        let own = heading["text"].as_str().unwrap_or_default();
        let line = &heading["line"];
        error = error.hint(format!("'{} {own}' at line {line}", "#".repeat(level)));
    }
    Err(error)
}

/// Replaces the message of a target that was not found, naming the field and its value.
fn missed(mut error: Error, target: &Map<String, Value>) -> Error {
    let name = target.iter().find(|(name, _)| !["flags", "key"].contains(&name.as_str()));
    if error.code == Code::TargetNotFound
        && let Some((name, value)) = name
    {
        let shown = value.as_str().map_or_else(|| value.to_string(), |text| format!("'{text}'"));
        error.message = format!("Target not found: {name} {shown}");
    }
    error
}
