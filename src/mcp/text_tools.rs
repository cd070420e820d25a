//! The tools `TextInspect`, `TextRead` and `TextPatch`, which process one file at a time. Their
//! targets and answers are JSON.

use std::ffi::OsStr;
use std::path::Path;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::tool::spelling::Spelling;
use super::tool::{Call, Effect, Set, Tool, ToolCall};
use crate::commands::inspect::args::{InspectArgs, Mode};
use crate::commands::inspect::run::Headings;
use crate::commands::json::kind_of;
use crate::commands::output::Collected;
use crate::commands::patch::edited::edits;
use crate::commands::patch::write_args::WriteArgs;
use crate::commands::read::args::ReadArgs;
use crate::commands::target::flags::TargetArgs;
use crate::commands::{inspect, read};
use folio_files::error::{Code, Error};

/// The tools of this set.
pub(super) static TOOLS: [Tool; 3] = [
    Tool::of::<Inspect>(Set::Text, "TextInspect", "Inspect a text file"),
    Tool::of::<Read>(Set::Text, "TextRead", "Read a section of a text file"),
    Tool::of::<Patch>(Set::Text, "TextPatch", "Edit a text file"),
];

/// Maximum number of lines of a part to return.
const MAX_LINES: usize = 200;

/// Maximum number of bytes of a part to read.
const MAX_BYTES: u64 = 16 << 20;

/// Minimum number of deleted lines for which the answer contains a warning.
const MANY: i64 = 200;

/// Builds the answer to a failed call: a JSON object with suggestions.
fn refused(spelling: Spelling<'_>, error: &Error) -> Answer {
    let mut object = spelling.error_object(error);
    let mut suggestions: Vec<String> = Vec::new();
    for candidate in error.candidates.iter().take(5) {
        let what = if candidate.text.starts_with('#') { "heading" } else { "section" };
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
    let errors = vec![object.clone()];
    Answer { errors, ..Answer::text(object.to_string()) }.failed(error.code.exit_status())
}

/// Show the structure of a text or Markdown file without its content: headings, code blocks,
/// anchors, sections; or matches of a query, or a preview of lines. Use it before TextRead and
/// TextPatch to find names and line numbers. For content use TextRead.
///
/// `{"filePath":"README.md"}`
/// `{"filePath":"README.md","mode":"search","query":"TODO:.*","regex":true}`
/// `{"filePath":"README.md","mode":"lines","query":"50-60"}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Inspect {
    /// Path of the text file
    file_path: String,
    #[schemars(extend("enum" = ["structure", "search", "lines"], "default" = "structure"))]
    mode: Option<String>,
    /// Text to search for, or lines: 50-60,100-110
    query: Option<String>,
    /// query is a regular expression
    #[serde(default)]
    regex: bool,
    /// Lines before and after matches
    #[schemars(range(min = 0, max = 1000), extend("default" = 0))]
    context: Option<usize>,
}

impl ToolCall for Inspect {
    const REFUSE: fn(Spelling<'_>, &Error) -> Answer = refused;

    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let path = Path::new(&self.file_path);
        let mode = match self.mode.as_deref() {
            Some("search") => Mode::Search,
            Some("lines") => Mode::Lines,
            _ => Mode::Structure,
        };
        let args = InspectArgs {
            addresses: vec![path.into()],
            mode,
            query: self.query,
            regex: self.regex,
            context: self.context.filter(|context| *context > 0),
            ..InspectArgs::default()
        };
        let mut sink = Collected::json();
        inspect::run::run(args, call.host, &mut sink)?;
        let printed = std::mem::take(&mut sink.written);
        sink.check()?;
        let object = serde_json::from_slice::<Value>(&printed);
        let mut object =
            object.map_err(|_| Error::usage("it is a directory, but a file is needed"))?;
        if mode == Mode::Structure {
            let found = inspect::run::headings(path.as_os_str(), call.host)?;
            let is_conf = path.extension().is_some_and(|extension| extension == "conf");
            if is_conf && found.format.name() == "ini" {
                object["format"] = "text".into();
            }
            if !found.headings.is_empty() {
                object["structure"]["anchors"] = anchors(&found);
            }
        }
        Ok(Answer::json(object))
    }
}

/// Returns the explicit anchors and the slugs of headings, by line.
fn anchors(found: &Headings) -> Value {
    let mut anchors: Vec<(u64, &str)> =
        found.anchors.iter().map(|(id, line)| (*line, id.as_str())).collect();
    for heading in &found.headings {
        let anchor = (heading.lines.start(), heading.anchor.as_str());
        if !anchors.contains(&anchor) {
            anchors.push(anchor);
        }
    }
    anchors.sort_by_key(|(line, _)| *line);
    anchors.into_iter().map(|(line, id)| json!({"id": id, "line": line})).collect()
}

/// Read one part of a text file, selected by exactly one target: lines, heading, codeBlock, anchor,
/// section or search. Use it after TextInspect. Prefer heading and section, because line numbers
/// change. Parts over 200 lines are truncated.
///
/// `{"filePath":"a.md","target":{"heading":{"text":"Install"}}}`
/// `{"filePath":"a.md","target":{"lines":{"start":50,"end":75}}}`
/// `{"filePath":"app.conf","target":{"section":"[database]"}}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Read {
    /// Path of the text file
    file_path: String,
    /// Exactly one of these
    #[schemars(schema_with = "read_target")]
    target: Map<String, Value>,
}

fn lines_target() -> Value {
    let line = json!({"type": "integer", "minimum": 1});
    json!({"type": "object", "description": "Line range, inclusive", "required": ["start"],
        "additionalProperties": false, "properties": {"start": line, "end": line}})
}

fn code_target() -> Value {
    json!({"type": "object", "description": "Fenced block by number, from 0",
        "required": ["index"], "additionalProperties": false,
        "properties": {"index": {"type": "integer", "minimum": 0}}})
}

fn read_target(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "additionalProperties": false, "properties": {
        "lines": lines_target(),
        "heading": {
            "type": "object", "description": "Section of a heading", "required": ["text"],
            "additionalProperties": false,
            "properties": {"text": {"type": "string"}, "includeChildren": {"type": "boolean"}},
        },
        "codeBlock": code_target(),
        "anchor": {"type": "string", "description": "Anchor ID or heading slug"},
        "section": {"type": "string", "description": "INI section or log entry"},
        "search": {
            "type": "object", "description": "Lines around the first match", "required": ["query"],
            "additionalProperties": false,
            "properties": {
                "query": {"type": "string"},
                "contextLines": {"type": "integer", "minimum": 0, "maximum": 1000},
            },
        },
    }})
}

impl ToolCall for Read {
    const REFUSE: fn(Spelling<'_>, &Error) -> Answer = refused;

    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let (name, value) = only_method(&self.target, &[])?;
        let path = OsStr::new(&self.file_path);
        let lines = match value.as_str().filter(|_| name == "anchor") {
            Some(anchor) => heading_lines(path, anchor, call)?,
            None => None,
        };
        let target = lines.unwrap_or_else(|| Value::Object(self.target.clone())).to_string();
        let args = ReadArgs {
            addresses: vec![path.into()],
            max_bytes: Some(MAX_BYTES),
            target: TargetArgs { target: vec![target], ..TargetArgs::default() },
            ..ReadArgs::default()
        };
        let (request, part) = read::run::part(args, call.host)?;
        let mut object = part.to_json(&request);
        object["target"] = self.target.into();
        let content = String::from_utf8_lossy(&part.content);
        let ends: Vec<usize> = content.match_indices('\n').map(|(at, _)| at + 1).collect();
        if let Some(end) = ends.get(MAX_LINES - 1).filter(|end| **end < content.len()) {
            object["content"] = content[..*end].into();
            object["truncated"] = true.into();
            object["hasMore"] = true.into();
            object["returnedLines"] = MAX_LINES.into();
            object["totalLines"] = (ends.len() + usize::from(!content.ends_with('\n'))).into();
            if let Some(lines) = part.piece.ranges.first() {
                object["nextLine"] = (lines.start() + MAX_LINES as u64).into();
            }
            object["suggestion"] =
                "Use TextInspect to find specific subsections, or target by line range".into();
        }
        Ok(Answer::json(object))
    }
}

/// Returns a target for the lines from the heading with the slug `anchor` to the next heading of
/// any level, or `None` if there is no such heading.
fn heading_lines(path: &OsStr, anchor: &str, call: &Call<'_>) -> Result<Option<Value>, Error> {
    let id = anchor.strip_prefix('#').unwrap_or(anchor);
    let Headings { headings, total_lines, .. } = inspect::run::headings(path, call.host)?;
    let Some(at) = headings.iter().position(|heading| heading.anchor == id) else {
        return Ok(None);
    };
    let start = headings[at].lines.start();
    let next = headings.get(at + 1).map(|heading| heading.lines.start());
    let end = next.map_or(total_lines, |next| next - 1).max(start);
    Ok(Some(json!({"lines": {"start": start, "end": end}})))
}

/// Returns the only field of a target that selects a part, and its value. A target may also contain
/// the fields in `BESIDE`.
fn only_method<'a>(
    target: &'a Map<String, Value>,
    other_fields: &[&str],
) -> Result<(&'a str, &'a Value), Error> {
    let mut methods = target.iter().filter(|(name, _)| !other_fields.contains(&name.as_str()));
    match (methods.next(), methods.next()) {
        (None, _) => Err(Error::usage("the target is empty: one targeting method is needed")
            .hint(r###"{"heading":"## Install"} or {"lines":{"start":1,"end":2}}"###)),
        (Some((first, _)), Some((second, _))) => Err(Error::usage(format!(
            "target: {first} cannot be used with {second}: only one targeting method"
        ))),
        (Some((name, value)), None) => Ok((name, value)),
    }
}

/// Edit one part of a text file, atomically. Select it by exactly one target. text and pattern
/// select the first match; headings need their # markers. Inspect the file first; prefer headings
/// and sections, because they survive other edits. It does not rewrite whole files.
///
/// `{"filePath":"a.md","operation":"replace","target":{"text":"v1"},"content":"v2"}`
/// `{"filePath":"a.md","operation":"insert","target":{"afterHeading":"## A"},"content":"B\n"}`
/// `{"filePath":"a.md","operation":"delete","target":{"lines":{"start":50,"end":55}}}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Patch {
    /// Path of the text file
    file_path: String,
    #[schemars(extend("enum" = ["replace", "insert", "delete", "replaceLines"]))]
    operation: String,
    /// Exactly one of these
    #[schemars(schema_with = "patch_target")]
    target: Map<String, Value>,
    /// For replace and insert
    content: Option<String>,
    /// Adapt the indentation to that of the target
    #[schemars(extend("default" = true))]
    preserve_indent: Option<bool>,
}

fn patch_target(_: &mut SchemaGenerator) -> Schema {
    let text = |about: &str| json!({"type": "string", "description": about});
    json_schema!({"type": "object", "additionalProperties": false, "properties": {
        "lines": lines_target(),
        "text": text("Exact text, its first occurrence"),
        "pattern": text("Regex, its first match"),
        "flags": text("Of pattern: i, w, x"),
        "heading": text("The heading line: ## Title"),
        "afterHeading": text("Insert below: ## Title"),
        "beforeHeading": text("Insert above: ## Title"),
        "codeBlock": code_target(),
        "anchor": text("Anchor ID or heading slug"),
        "section": text("INI section"),
        "key": text("Key of section; content is its line"),
    }})
}

/// Fields of a target that may be used with the field that selects a part.
const BESIDE: &[&str] = &["flags", "key"];

impl ToolCall for Patch {
    const REFUSE: fn(Spelling<'_>, &Error) -> Answer = refused;
    const EFFECT: Effect = Effect::Writes;

    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let edit = self.edit(call)?;
        // Large deletions are allowed, but the answer contains a warning.
        let max_delete = Some(u64::MAX);
        let write = WriteArgs { max_delete, preview: true, ..WriteArgs::default() };
        let edited = edits(&edit, write, call.host).map_err(|error| self.missed(error))?;
        let mut edited = edited.into_iter().next().unwrap_or_default();
        if -edited.lines_delta >= MANY {
            edited.warnings.push(format!("{} lines were deleted", -edited.lines_delta));
            edited.json["warnings"] = edited.warnings.into();
        }
        edited.json["operation"] = self.operation.into();
        edited.json["target"] = self.target.into();
        Ok(Answer::json(edited.json))
    }
}

impl Patch {
    /// Returns the edit as JSON for `patch apply`.
    fn edit(&self, call: &Call<'_>) -> Result<Value, Error> {
        let (name, value) = only_method(&self.target, BESIDE)?;
        let operation = &*self.operation;
        let content = self.content.as_deref().unwrap_or_default();
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
            return Err(Error::usage(format!(
                "{name} can only be used with insert, not with {operation}"
            )));
        }
        if name == "heading" || side.is_some() {
            check_markers(self.file_path.as_ref(), name, value, call)?;
        }
        let target = match side {
            Some(_) => json!({"heading": value}),
            None => Value::Object(self.target.clone()),
        };
        let operation = if operation == "replaceLines" { "replace" } else { operation };
        let mut edit =
            json!({"filePath": self.file_path, "operation": operation, "target": target});
        if operation != "delete" {
            edit["content"] = content.into();
        }
        if matches!(name, "text" | "pattern") {
            // The contract of this tool says that it edits the first of several matches.
            edit["occurrence"] = "first".into();
        }
        // The tool inserts content exactly.
        if name == "text" && operation == "insert" {
            edit["inline"] = true.into();
        }
        side.into_iter().for_each(|side| edit[side] = true.into());
        self.preserve_indent.into_iter().for_each(|is| edit["preserveIndent"] = is.into());
        Ok(edit)
    }

    /// Replaces the message for a target that was not found. The new message contains the field and
    /// its value.
    fn missed(&self, mut error: Error) -> Error {
        if let (Code::TargetNotFound, Ok((name, value))) =
            (error.code, only_method(&self.target, BESIDE))
        {
            let shown = value.as_str().map(|text| format!("'{text}'"));
            let shown = shown.unwrap_or_else(|| value.to_string());
            error.message = format!("Target not found: {name} {shown}").into();
        }
        error
    }
}

/// Fails unless the heading is given with its `#` markers. The error shows the heading with the
/// markers.
fn check_markers(path: &OsStr, name: &str, value: &Value, call: &Call<'_>) -> Result<(), Error> {
    let Some(text) = value.as_str() else {
        let found = kind_of(value);
        return Err(Error::usage(format!("{name}: expected a string, found {found}")));
    };
    if text.trim_start().starts_with('#') {
        return Ok(());
    }
    let mut error = Error::usage(format!("{name} '{text}' must carry its # markers"));
    for heading in inspect::run::headings(path, call.host)?.headings {
        if heading.text.eq_ignore_ascii_case(text) {
            let (markers, title) = ("#".repeat(heading.level.into()), &heading.text);
            error = error.hint(format!("'{markers} {title}' at line {}", heading.lines.start()));
        }
    }
    Err(error)
}
