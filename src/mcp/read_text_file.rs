//! The tool `read_text_file` and related tools. They accept absolute paths and return numeric error
//! codes.

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answer::{Answer, Fault};
use super::collect::MAX_BYTES;
use super::tool::spelling::Spelling;
use super::tool::{Call, Effect, Output, Set, Tool, ToolCall, object_schema};
use crate::commands::host::{Host, Stdin};
use crate::commands::patch::edited::{Edited, edits};
use crate::commands::patch::report::Lines;
use crate::commands::patch::write_args::WriteArgs;
use crate::commands::read;
use crate::commands::read::args::ReadArgs;
use folio_files::error::{Code, Error};

/// The tools of this set.
pub(super) static TOOLS: [Tool; 4] = [
    Tool::of::<ReadFile>(Set::ReadTextFile, "read_text_file", "Read a text file"),
    Tool::of::<WriteFile>(Set::ReadTextFile, "write_text_file", "Write a text file"),
    Tool::of::<Edit>(Set::ReadTextFile, "edit_text_file", "Edit a text file"),
    Tool::of::<MultiEdit>(
        Set::ReadTextFile,
        "multi_edit_text_file",
        "Edit a text file in several places",
    ),
];

/// Error code for invalid arguments.
const INVALID: i32 = -32600;
const NOT_FOUND: i32 = -32001;
const DENIED: i32 = -32002;
const NOT_A_FILE: i32 = -32003;
const BINARY: i32 = -32004;
const FAILED: i32 = -32005;
const ABSENT: i32 = -32010;
const NOT_UNIQUE: i32 = -32011;

fn fault<T>(code: i32, message: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { code, message: message.into() })
}

fn answered(answer: Result<impl Serialize, Fault>) -> Answer {
    match answer {
        Ok(value) => Answer::json(json!(value)),
        Err(Fault { code, message }) => Answer::fault(code, message),
    }
}

fn refused(spelling: Spelling<'_>, error: &Error) -> Answer {
    let hints = spelling.hints(&error.hints);
    let message =
        [error.message.to_string()].into_iter().chain(hints).collect::<Vec<_>>().join("; ");
    Answer::fault(INVALID, message)
}

/// Read all or part of a text file. Long files are returned in pages: call again with line set to
/// next_line while has_more is true. Binary files are refused.
///
/// `{"path":"/a/b.txt"}`
/// `{"path":"/a/b.txt","line":10}`
/// `{"path":"/a/b.txt","line":10,"limit":10}`
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadFile {
    /// Absolute path of the file
    path: String,
    /// First line, counted from 1; default 1
    line: Option<i64>,
    /// Maximum number of lines; default as many as fit
    limit: Option<i64>,
}

#[derive(JsonSchema, Serialize)]
struct FileContent {
    content: String,
    #[serde(rename = "_meta")]
    meta: Meta,
}

#[derive(JsonSchema, Serialize)]
struct Meta {
    total_lines: u64,
    returned_lines: u64,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lossy: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
}

impl ToolCall for ReadFile {
    const REFUSE: fn(Spelling<'_>, &Error) -> Answer = refused;
    const OUTPUT: Output = Some(object_schema::<FileContent>);

    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        Ok(answered(self.read(call)))
    }
}

impl ReadFile {
    fn read(&self, call: &Call<'_>) -> Result<FileContent, Fault> {
        let path = absolute(&self.path)?;
        let positive = |number: Option<i64>, what: &str| match number {
            Some(number) if number < 1 => fault(INVALID, format!("{what} must be >= 1: {number}")),
            number => Ok(number.map(i64::unsigned_abs)),
        };
        let line = positive(self.line, "Line number")?;
        let limit = positive(self.limit, "Limit")?;
        let shown = shown_by_editor(path, call)?;
        let (address, host) = match &shown {
            Some(host) => ("-", host),
            None => {
                check_regular_file(path, call)?;
                (path, call.host)
            }
        };
        let args = ReadArgs {
            addresses: vec![address.into()],
            // Line 1 is the default. If it were given explicitly, it would be out of range in an
            // empty file.
            from: line.filter(|line| *line > 1),
            limit,
            max_bytes: limit.is_none().then_some(MAX_BYTES as u64),
            ..ReadArgs::default()
        };
        let (_, part) =
            read::run::part(args, host).map_err(|error| numbered(&error, path, call))?;
        let source = if shown.is_some() { "editor" } else { "disk" };
        let meta = Meta {
            total_lines: part.piece.file.total_lines.unwrap_or(0),
            returned_lines: part.piece.returned_lines,
            has_more: part.piece.has_more,
            next_line: part.piece.next_line.filter(|_| part.piece.has_more),
            lossy: std::str::from_utf8(&part.content).is_err().then_some(true),
            source: call.editor.map(|_| source),
        };
        Ok(FileContent { content: String::from_utf8_lossy(&part.content).into_owned(), meta })
    }
}

/// Returns a host whose standard input is the contents of the file in the editor, if the
/// editor has the file open. The file need not exist on disk yet, but its path must be below a
/// root.
fn shown_by_editor(path: &str, call: &Call<'_>) -> Result<Option<Host>, Fault> {
    let Some(editor) = call.editor else { return Ok(None) };
    let status = call.host.env.roots.look(Path::new(path));
    match status.map_err(|error| numbered(&error, path, call))? {
        Some(status) if !status.kind.is_file() => return Ok(None),
        _ => {}
    }
    let Some(content) = editor.read(path, &call.host.env.cancel) else { return Ok(None) };
    let content: Arc<[u8]> = content.into_bytes().into();
    let open = Arc::new(move || -> Box<dyn Read + Send> { Box::new(Cursor::new(content.clone())) });
    let stdin = Stdin { is_data: || true, open };
    Ok(Some(Host { stdin: Some(stdin), ..call.host.clone() }))
}

/// Create a text file or replace its contents; the directory must exist. The file keeps its style
/// of line endings, and the last line gets one. To change a part use edit_text_file.
///
/// `{"path":"/a/b.txt","content":"x\n"}`
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteFile {
    /// Absolute path of the file
    path: String,
    /// The whole content
    content: String,
}

#[derive(JsonSchema, Serialize)]
struct Written {
    bytes_written: u64,
    created: bool,
}

impl ToolCall for WriteFile {
    const REFUSE: fn(Spelling<'_>, &Error) -> Answer = refused;
    const EFFECT: Effect = Effect::WritesOnce;
    const OUTPUT: Output = Some(object_schema::<Written>);

    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        Ok(answered(self.write(call)))
    }
}

impl WriteFile {
    fn write(&self, call: &Call<'_>) -> Result<Written, Fault> {
        let (path, content) = (absolute(&self.path)?, &self.content);
        let status = call.host.env.roots.look(Path::new(path));
        let status = status.map_err(|error| numbered(&error, path, call))?;
        let created = status.is_none();
        if status.is_some_and(|status| !status.kind.is_file()) {
            return fault(NOT_A_FILE, format!("{path} is not a file"));
        }
        let edit = match (created, content.is_empty()) {
            (true, _) => json!({"filePath": path, "operation": "create", "content": content}),
            (false, true) => json!({"filePath": path, "operation": "delete", "wholeFile": true}),
            (false, false) => json!({
                "filePath": path, "operation": "replace", "wholeFile": true, "content": content,
            }),
        };
        apply(&json!([edit]), path, call)?;
        let size = call.host.env.roots.metadata(Path::new(path)).map(|metadata| metadata.len());
        Ok(Written { bytes_written: size.unwrap_or(content.len() as u64), created })
    }
}

/// Replace a text that occurs exactly once in a file; all other bytes stay unchanged. Read the file
/// first. For several edits use multi_edit_text_file.
///
/// `{"path":"/a/b.txt","old_string":"v1","new_string":"v2"}`
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// Absolute path of the file
    path: String,
    /// Text that occurs once
    old_string: String,
    /// New text
    new_string: String,
}

#[derive(JsonSchema, Serialize)]
struct EditedLines {
    line_range: Option<Lines>,
}

impl ToolCall for Edit {
    const REFUSE: fn(Spelling<'_>, &Error) -> Answer = refused;
    const EFFECT: Effect = Effect::Writes;
    const OUTPUT: Output = Some(object_schema::<EditedLines>);

    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let edited = edited(&self.path, &[(&self.old_string, &self.new_string)], call);
        let first =
            |edited: Vec<Edited>| EditedLines { line_range: edited.first().and_then(lines) };
        Ok(answered(edited.map(first)))
    }
}

/// Make several edits of one file in order, all or none. Each old_string must occur exactly once
/// when its edit is made.
///
/// `{"path":"/a/b.txt","edits":[{"old_string":"a","new_string":"b"}]}`
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MultiEdit {
    /// Absolute path of the file
    path: String,
    /// The edits, in order
    edits: Vec<Replacement>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Replacement {
    /// Text that occurs once
    old_string: String,
    /// New text
    new_string: String,
}

#[derive(JsonSchema, Serialize)]
struct AllEditedLines {
    line_ranges: Vec<Lines>,
}

impl ToolCall for MultiEdit {
    const REFUSE: fn(Spelling<'_>, &Error) -> Answer = refused;
    const EFFECT: Effect = Effect::Writes;
    const OUTPUT: Output = Some(object_schema::<AllEditedLines>);

    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let edits: Vec<(&str, &str)> =
            self.edits.iter().map(|edit| (&*edit.old_string, &*edit.new_string)).collect();
        let edited = edited(&self.path, &edits, call);
        let all = |edited: Vec<Edited>| AllEditedLines {
            line_ranges: edited.iter().filter_map(lines).collect(),
        };
        Ok(answered(edited.map(all)))
    }
}

/// Returns the new lines of an edit or, if it only deletes lines, the old lines.
fn lines(edited: &Edited) -> Option<Lines> {
    edited.result.or(edited.affected)
}

/// Replaces texts in a file, one after another.
fn edited(path: &str, edits: &[(&str, &str)], call: &Call<'_>) -> Result<Vec<Edited>, Fault> {
    let path = absolute(path)?;
    check_text(path, call)?;
    if edits.is_empty() {
        return fault(INVALID, "edits is empty");
    }
    if edits.iter().any(|(old, _)| old.is_empty()) {
        return fault(INVALID, "old_string must not be empty");
    }
    let edit = |(old, new): &(&str, &str)| {
        let (target, unique) = (json!({ "text": old }), true);
        match *new {
            "" => {
                json!({"filePath": path, "operation": "delete", "target": target, "unique": unique})
            }
            new => json!({"filePath": path, "operation": "replace", "target": target,
                "unique": unique, "content": new}),
        }
    };
    let edits: Vec<Value> = edits.iter().map(edit).collect();
    apply(&json!({"edits": edits, "sequential": true}), path, call)
}

fn apply(batch: &Value, path: &str, call: &Call<'_>) -> Result<Vec<Edited>, Fault> {
    // The caller has given the text to delete, so the limit for deletions does not apply.
    let max_delete = Some(u64::MAX);
    let write = WriteArgs { max_delete, force: true, ..WriteArgs::default() };
    edits(batch, write, call.host).map_err(|error| numbered(&error, path, call))
}

fn absolute(path: &str) -> Result<&str, Fault> {
    if Path::new(path).is_absolute() {
        Ok(path)
    } else {
        fault(INVALID, format!("Path must be absolute: {path}"))
    }
}

/// Fails unless `path` is the path of a regular file. Addresses of parts are not accepted.
fn check_regular_file(path: &str, call: &Call<'_>) -> Result<(), Fault> {
    let status = call.host.env.roots.look(Path::new(path));
    match status.map_err(|error| numbered(&error, path, call))? {
        None => fault(NOT_FOUND, format!("File not found: {path}")),
        Some(status) if !status.kind.is_file() => {
            fault(NOT_A_FILE, format!("{path} is not a file"))
        }
        Some(_) => Ok(()),
    }
}

/// Fails if the text of the file would differ from the text that the client has read.
fn check_text(path: &str, call: &Call<'_>) -> Result<(), Fault> {
    check_regular_file(path, call)?;
    let args = ReadArgs { addresses: vec![path.into()], tail: Some(1), ..ReadArgs::default() };
    let (_, part) =
        read::run::part(args, call.host).map_err(|error| numbered(&error, path, call))?;
    if part.piece.file.encoding == "unknown-8bit" {
        fault(BINARY, format!("Cannot edit a file that is not UTF-8: {path}"))
    } else {
        Ok(())
    }
}

/// Returns the error code and message that the contract of this set prescribes.
fn numbered(error: &Error, path: &str, call: &Call<'_>) -> Fault {
    let (code, message) = match error.code {
        Code::NotFound => (NOT_FOUND, format!("File not found: {path}")),
        Code::PermissionDenied => (DENIED, format!("Permission denied: {path}")),
        code if code.is_outside() => {
            (DENIED, format!("Permission denied: {path}: {}", error.message))
        }
        Code::NotAFile | Code::NotADirectory | Code::NotRegular => {
            (NOT_A_FILE, format!("{path} is not a file"))
        }
        Code::BinaryFile => (BINARY, format!("Cannot read binary file: {path}")),
        Code::LineOutOfRange => {
            (INVALID, format!("Line number is past the end: {}", error.message))
        }
        Code::TargetNotFound | Code::AlreadyApplied => {
            (ABSENT, format!("old_string not found in {path}: {}", call.spelling.error(error)))
        }
        Code::TargetAmbiguous => {
            (NOT_UNIQUE, format!("old_string is not unique in {path}: {}", error.message))
        }
        _ => (FAILED, format!("{path}: {}", call.spelling.error(error))),
    };
    Fault { code, message }
}
