//! Reports tool calls as events of the Agent Client Protocol: one `session/update` line when a
//! call begins and another when it ends.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::tool::{Effect, Tool};
use folio_files::address::{Address, Part};

/// Reports an error that occurred while an event was written.
type Report = Box<dyn Fn(&io::Error) + Send + Sync>;

/// Writes the events of one session.
pub struct Events {
    file: Mutex<Box<dyn Write + Send>>,
    session: String,
    next: AtomicU64,
    report: Report,
    has_failed: AtomicBool,
}

/// A call that has begun. If it is dropped without a call of [`Pending::end`], it is reported as
/// failed.
pub struct Pending<'a> {
    events: &'a Events,
    id: String,
}

impl Events {
    /// Creates the events of `session`. A write error is passed to `report`, and calls continue.
    pub fn new(file: Box<dyn Write + Send>, session: &str, report: Report) -> Self {
        Self {
            file: Mutex::new(file),
            session: session.to_owned(),
            next: AtomicU64::new(1),
            report,
            has_failed: AtomicBool::new(false),
        }
    }

    /// Writes the event for the beginning of a call to `tool`.
    pub fn begin(&self, tool: &Tool, arguments: &Map<String, Value>) -> Pending<'_> {
        let id = format!("call-{}", self.next.fetch_add(1, Ordering::Relaxed));
        self.write(&json!({
            "type": "toolCall",
            "id": id,
            "kind": kind(tool),
            "status": "pending",
            "title": tool.name,
            "locations": locations(arguments),
            "rawInput": arguments,
        }));
        Pending { events: self, id }
    }

    fn end(&self, id: &str, status: &str, output: &Value) {
        let fields = json!({"status": status, "rawOutput": output});
        self.write(&json!({"type": "toolCallUpdate", "id": id, "fields": fields}));
    }

    fn write(&self, update: &Value) {
        let params = json!({"sessionId": self.session, "update": update});
        let line = format!("{}\n", json!({"method": "session/update", "params": params}));
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Each line is written with one call, so that readers never see part of an event.
        let written = file.write_all(line.as_bytes()).and_then(|()| file.flush());
        if let Err(error) = written
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            (self.report)(&error);
        }
    }
}

impl Pending<'_> {
    /// Writes the event for the end of the call, with its `answer`.
    pub fn end(self, answer: &Answer) {
        let fault = answer.fault.as_ref();
        let failed = answer.is_error || fault.is_some();
        let output = match (fault, &answer.structured) {
            (Some(fault), _) => json!({"error": {"code": fault.code, "message": fault.message}}),
            (None, Some(object)) => object.clone(),
            (None, None) => json!({"content": answer.blocks.join("\n")}),
        };
        self.events.end(&self.id, if failed { "failed" } else { "completed" }, &output);
        std::mem::forget(self);
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        self.events.end(&self.id, "failed", &Value::Null);
    }
}

/// Returns the protocol's kind of tool call: `edit`, `search` or `read`.
fn kind(tool: &Tool) -> &'static str {
    match tool.name {
        _ if tool.effect != Effect::Reads => "edit",
        "grep" | "grep_content" | "search" | "related" | "fs_search" => "search",
        name if name.starts_with("documents_search") => "search",
        _ => "read",
    }
}

/// Returns the paths of the files in the arguments. If an address is a line range, also returns its
/// first line.
fn locations(arguments: &Map<String, Value>) -> Vec<Value> {
    let names = ["address", "path", "filePath", "search_path"];
    let path_arguments = names.iter().filter_map(|name| arguments.get(*name));
    let several = ["files", "edits"].iter().filter_map(|name| arguments.get(*name)?.as_array());
    let several = several.flatten().filter_map(|entry| entry.get("path").or(entry.get("filePath")));
    let paths = path_arguments.chain(several).flat_map(|value| match value {
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect::<Vec<_>>(),
    });
    paths.map(location).collect()
}

fn location(operand: &str) -> Value {
    let address = Address::parse(OsStr::new(operand), |_: &Path| false);
    match address.map(|address| (address.path, address.part)) {
        Ok((path, Part::Lines(lines))) if !lines.is_empty() => {
            json!({"path": path.to_string_lossy(), "line": lines[0].start()})
        }
        Ok((path, _)) => json!({"path": path.to_string_lossy()}),
        Err(_) => json!({"path": operand}),
    }
}
