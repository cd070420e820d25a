//! `read_text_file` and its siblings: files by absolute path, with numeric error codes.

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::Answer;
use super::arguments::Arguments;
use super::call::{Call, Entry};
use super::collect::MAX_BYTES;
use super::records::{Records, text_of};
use super::spelling::Spelling;
use super::tool::{Effect, Kind, Parameter, Set, Tool};
use crate::commands::patch::options::{Edits, Input};
use crate::commands::read::args::ReadArgs;
use crate::commands::{patch, read};
use crate::error::{Code, Error};
use crate::files::env::{Env, Stdin};

/// Error code for invalid arguments.
const INVALID: i32 = -32600;
const NOT_FOUND: i32 = -32001;
const DENIED: i32 = -32002;
const NOT_A_FILE: i32 = -32003;
const BINARY: i32 = -32004;
const FAILED: i32 = -32005;
const ABSENT: i32 = -32010;
const NOT_UNIQUE: i32 = -32011;

const PATH: Parameter = Parameter::required("path", Kind::Text, "Absolute path to the file");
const OLD: Parameter = Parameter::required("old_string", Kind::Text, "Text that occurs once");
const NEW: Parameter = Parameter::required("new_string", Kind::Text, "What comes in its place");

/// The tools of this set.
pub const TOOLS: &[Entry] = &[
    Entry {
        tool: Tool {
            name: "read_text_file",
            title: "Read a text file",
            set: Set::ReadTextFile,
            description: "Read complete or partial content of a text file. Long files come in \
                pages: go on with line set to next_line while has_more is true. Not for binary \
                files.\n{\"path\":\"/a/b.txt\"}\n{\"path\":\"/a/b.txt\",\"line\":10}\n\
                {\"path\":\"/a/b.txt\",\"line\":10,\"limit\":10}",
            parameters: &[
                PATH,
                Parameter::new(
                    "line",
                    Kind::Integer(1, u64::MAX),
                    "Starting line, counted from 1; 1 if omitted",
                ),
                Parameter::new(
                    "limit",
                    Kind::Integer(1, u64::MAX),
                    "Most lines to return; all that fit if omitted",
                ),
            ],
            effect: Effect::Reads,
            output: Some(
                r#"{"type":"object","properties":{"content":{"type":"string"},"_meta":{"type":"object","properties":{"total_lines":{"type":"integer"},"returned_lines":{"type":"integer"},"has_more":{"type":"boolean"},"next_line":{"type":"integer"},"lossy":{"type":"boolean"},"source":{"type":"string"}},"required":["total_lines","returned_lines","has_more"]}},"required":["content","_meta"]}"#,
            ),
        },
        run: |arguments, call| answered(read_file(arguments, call)),
        refuse: refused,
    },
    Entry {
        tool: Tool {
            name: "write_text_file",
            title: "Write a text file",
            set: Set::ReadTextFile,
            description: "Write a whole text file, new or in place of what is there; the \
                directory must exist. A last line gets a line end, and all of them those that the \
                file had. Not for changing a part: edit_text_file keeps the rest.\n\
                {\"path\":\"/a/b.txt\",\"content\":\"x\\n\"}",
            parameters: &[PATH, Parameter::required("content", Kind::Text, "The whole content")],
            effect: Effect::WritesOnce,
            output: Some(
                r#"{"type":"object","properties":{"bytes_written":{"type":"integer"},"created":{"type":"boolean"}},"required":["bytes_written","created"]}"#,
            ),
        },
        run: |arguments, call| answered(write_file(arguments, call)),
        refuse: refused,
    },
    Entry {
        tool: Tool {
            name: "edit_text_file",
            title: "Edit a text file",
            set: Set::ReadTextFile,
            description: "Replace a text that occurs exactly once in a file; all other bytes \
                stay. Read the file first. Not for many edits: multi_edit_text_file makes them all \
                or none.\n{\"path\":\"/a/b.txt\",\"old_string\":\"v1\",\"new_string\":\"v2\"}",
            parameters: &[PATH, OLD, NEW],
            effect: Effect::Writes,
            output: Some(
                r#"{"type":"object","properties":{"line_range":{"type":"object","properties":{"start":{"type":"integer"},"end":{"type":"integer"}},"required":["start","end"]}},"required":["line_range"]}"#,
            ),
        },
        run: |arguments, call| answered(edit_file(arguments, call)),
        refuse: refused,
    },
    Entry {
        tool: Tool {
            name: "multi_edit_text_file",
            title: "Edit a text file in several places",
            set: Set::ReadTextFile,
            description: "Make several edits of one file, one after another, all or none of \
                them. Each old_string occurs exactly once when its turn comes.\n\
                {\"path\":\"/a/b.txt\",\"edits\":[{\"old_string\":\"a\",\"new_string\":\"b\"}]}",
            parameters: &[
                PATH,
                Parameter::required("edits", Kind::Objects(&[OLD, NEW]), "The edits, in order"),
            ],
            effect: Effect::Writes,
            output: Some(
                r#"{"type":"object","properties":{"line_ranges":{"type":"array","items":{"type":"object","properties":{"start":{"type":"integer"},"end":{"type":"integer"}},"required":["start","end"]}}},"required":["line_ranges"]}"#,
            ),
        },
        run: |arguments, call| answered(edit_file_often(arguments, call)),
        refuse: refused,
    },
];

/// A result, or the code and message of an error.
type Answered = Result<Value, (i32, String)>;

fn answered(answer: Answered) -> Answer {
    match answer {
        Ok(value) => Answer::json(value),
        Err((code, message)) => Answer::fault(code, message),
    }
}

fn refused(spelling: Spelling<'_>, error: &Error) -> Answer {
    let hints = spelling.hints(&error.hints);
    let message = [error.message.clone()].into_iter().chain(hints).collect::<Vec<_>>().join("; ");
    Answer::fault(INVALID, message)
}

fn read_file(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let path = path_of(arguments)?;
    let [line, limit] = [("line", "Line number must be >= 1"), ("limit", "Limit must be >= 1")]
        .map(|(name, rule)| match arguments.value(name) {
            Some(number) if number.as_u64().is_none_or(|number| number < 1) => {
                Err((INVALID, format!("{rule}: {number}")))
            }
            number => Ok(number.and_then(Value::as_u64)),
        });
    let (line, limit) = (line?, limit?);
    let shown = shown_by_editor(path, call)?;
    let (address, env) = match &shown {
        Some(env) => ("-", env),
        None => {
            check_there(path, call)?;
            (path, call.env)
        }
    };
    let flags = ReadArgs {
        addresses: vec![address.into()],
        // Line 1 is the default; given explicitly, it would be out of range in an empty file.
        from: line.filter(|line| *line > 1),
        limit,
        max_bytes: limit.is_none().then_some(MAX_BYTES as u64),
        ..ReadArgs::default()
    };
    let record = Records::one(|sink| read::run::run(flags, env, sink))
        .map_err(|error| numbered(&error, path, call))?;
    let (content, is_lossy) = text_of(&record["content"]);
    let mut meta = json!({
        "total_lines": record["totalLines"],
        "returned_lines": record["returnedLines"],
        "has_more": record["hasMore"],
    });
    if record["hasMore"] == true {
        meta["next_line"] = record["nextLine"].clone();
    }
    if is_lossy {
        meta["lossy"] = true.into();
    }
    if call.editor.is_some() {
        meta["source"] = if shown.is_some() { "editor" } else { "disk" }.into();
    }
    Ok(json!({"content": content, "_meta": meta}))
}

/// An environment whose standard input is the editor's contents of the file, if the editor has
/// it open. The file need not exist on disk yet, but its path must be below a root.
fn shown_by_editor(path: &str, call: &Call<'_>) -> Result<Option<Env>, (i32, String)> {
    let Some(editor) = call.editor else { return Ok(None) };
    let there = call.env.roots.look(Path::new(path));
    match there.map_err(|error| numbered(&error, path, call))? {
        Some(status) if !status.kind.is_file() => return Ok(None),
        _ => {}
    }
    let Some(content) = editor.read(path, &call.env.cancel) else { return Ok(None) };
    let content: Arc<[u8]> = content.into_bytes().into();
    let open = Arc::new(move || -> Box<dyn Read + Send> { Box::new(Cursor::new(content.clone())) });
    let stdin = Stdin { is_data: || true, open };
    Ok(Some(Env { stdin: Some(stdin), ..call.env.clone() }))
}

fn write_file(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let path = path_of(arguments)?;
    let content = arguments.text("content").unwrap_or_default();
    let status = call.env.roots.look(Path::new(path));
    let status = status.map_err(|error| numbered(&error, path, call))?;
    let is_new = status.is_none();
    if status.is_some_and(|status| !status.kind.is_file()) {
        return Err((NOT_A_FILE, format!("{path} is not a file")));
    }
    let edit = match (is_new, content.is_empty()) {
        (true, _) => json!({"filePath": path, "operation": "create", "content": content}),
        (false, true) => json!({"filePath": path, "operation": "delete", "wholeFile": true}),
        (false, false) => json!({
            "filePath": path, "operation": "replace", "wholeFile": true, "content": content,
        }),
    };
    apply(&json!([edit]), path, call)?;
    let size = call.env.roots.metadata(Path::new(path)).map(|metadata| metadata.len());
    Ok(json!({"bytes_written": size.unwrap_or(content.len() as u64), "created": is_new}))
}

fn edit_file(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let path = path_of(arguments)?;
    check_text(path, call)?;
    let records = apply(&json!([edit_of(path, arguments)?]), path, call)?;
    Ok(json!({"line_range": lines_of(records.first())}))
}

fn edit_file_often(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let path = path_of(arguments)?;
    check_text(path, call)?;
    let edits = arguments.objects("edits").unwrap_or_default();
    if edits.is_empty() {
        return Err((INVALID, "edits is empty".to_owned()));
    }
    let edits = edits.iter().map(|edit| edit_of(path, edit)).collect::<Result<Vec<_>, _>>()?;
    let records = apply(&json!({"edits": edits, "sequential": true}), path, call)?;
    // The last record is the summary.
    let edits = records.iter().filter(|record| record["affectedLines"].is_object());
    let ranges: Vec<Value> = edits.map(|one| lines_of(Some(one))).collect();
    Ok(json!({"line_ranges": ranges}))
}

/// An edit, as JSON for `patch apply`.
fn edit_of(path: &str, arguments: &Arguments) -> Result<Value, (i32, String)> {
    let old = arguments.text("old_string").unwrap_or_default();
    if old.is_empty() {
        return Err((INVALID, "old_string must not be empty".to_owned()));
    }
    let (target, unique) = (json!({"text": old}), true);
    let edit = json!({"filePath": path, "target": target, "unique": unique});
    let Value::Object(mut edit) = edit else { return Ok(Value::Null) };
    match arguments.text("new_string").unwrap_or_default() {
        "" => drop(edit.insert("operation".to_owned(), "delete".into())),
        new => {
            edit.insert("operation".to_owned(), "replace".into());
            edit.insert("content".to_owned(), new.into());
        }
    }
    Ok(Value::Object(edit))
}

fn lines_of(record: Option<&Value>) -> Value {
    let record = record.unwrap_or(&Value::Null);
    let lines = [&record["resultLines"], &record["affectedLines"]];
    lines.into_iter().find(|lines| lines.is_object()).cloned().unwrap_or_default()
}

fn apply(edits: &Value, path: &str, call: &Call<'_>) -> Result<Vec<Value>, (i32, String)> {
    let edits = Edits::Json(Some(Input::Bytes(edits.to_string().into_bytes())));
    let options = patch::options::Options {
        edits,
        // The caller has stated the text to delete, so the deletion limit does not apply.
        max_delete: u64::MAX,
        force: true,
        ..patch::options::Options::default()
    };
    let mut records = Records::of(|sink| patch::run::run(&options, call.env, sink));
    match records.errors.pop() {
        Some(error) => Err(numbered(&error, path, call)),
        None => Ok(records.all),
    }
}

fn path_of(arguments: &Arguments) -> Result<&str, (i32, String)> {
    let path = arguments.text("path").unwrap_or_default();
    match Path::new(path).is_absolute() {
        true => Ok(path),
        false => Err((INVALID, format!("Path must be absolute: {path}"))),
    }
}

/// Fails unless `path` is the path of a regular file. Addresses of parts are not accepted here.
fn check_there(path: &str, call: &Call<'_>) -> Result<(), (i32, String)> {
    let status = call.env.roots.look(Path::new(path));
    match status.map_err(|error| numbered(&error, path, call))? {
        None => Err((NOT_FOUND, format!("File not found: {path}"))),
        Some(status) if !status.kind.is_file() => {
            Err((NOT_A_FILE, format!("{path} is not a file")))
        }
        Some(_) => Ok(()),
    }
}

/// Fails if the file's text would differ from what the client has read.
fn check_text(path: &str, call: &Call<'_>) -> Result<(), (i32, String)> {
    check_there(path, call)?;
    let flags = ReadArgs { addresses: vec![path.into()], tail: Some(1), ..ReadArgs::default() };
    let record = Records::one(|sink| read::run::run(flags, call.env, sink))
        .map_err(|error| numbered(&error, path, call))?;
    match record["encoding"] == "unknown-8bit" {
        true => Err((BINARY, format!("Cannot edit a file that is not UTF-8: {path}"))),
        false => Ok(()),
    }
}

/// The error code and message that the contract of this set prescribes.
fn numbered(error: &Error, path: &str, call: &Call<'_>) -> (i32, String) {
    match error.code {
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
    }
}
