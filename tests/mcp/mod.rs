//! `folio mcp`: the protocol, the tools and their answers, as a client sees them.

mod core;
#[cfg(feature = "search")]
mod document_tools;
mod editor;
mod edits;
mod file_tools;
mod limits;
mod messages;
mod protocol;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod race;
mod results;
mod roots;
mod streams;
mod text_tools;
mod tools;
mod writers;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Sandbox;

fn two_directories() -> Sandbox {
    Sandbox::with(&[("one/a.md", "# One\n"), ("two b/a.md", "# Two\n"), ("a.md", "# Here\n")])
}

/// Whether a line needs an answer, because it is neither blank nor a notification.
fn is_answered(line: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return !line.trim_ascii().is_empty();
    };
    message["jsonrpc"] != "2.0" || !message["method"].is_string() || message.get("id").is_some()
}

pub const VERSION: &str = "2025-11-25";

/// A server, with the client's ends of its streams.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    next: i64,
}

impl Client {
    /// Starts a server and initializes the session.
    #[track_caller]
    pub fn new(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut client = Self::silent(sandbox, arguments);
        client.greet(VERSION, json!({}));
        client
    }

    /// Starts a server.
    pub fn silent(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut command = sandbox.command();
        command.arg("mcp").args(arguments);
        Self::of(command)
    }

    /// Starts a server with a command.
    pub fn of(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Self { child, input, output: output.map(BufReader::new), next: 0 }
    }

    #[track_caller]
    pub fn greet(&mut self, version: &str, capabilities: Value) -> Value {
        let greeting = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = self.request("initialize", greeting);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    pub fn write(&mut self, line: &[u8]) {
        self.input.as_mut().unwrap().write_all(line).unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Returns the next line of output.
    #[track_caller]
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.as_mut().unwrap().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request without waiting for the answer.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Sends a request and returns the answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool and returns its answer.
    #[track_caller]
    pub fn call(&mut self, name: &str, arguments: Value) -> Called {
        let answer = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        Called(answer)
    }

    /// Writes lines, and begins to read the answers a moment later. Returns the next `count`
    /// answers, and the growth of the server's peak memory use in KiB.
    #[track_caller]
    pub fn flood(&mut self, lines: Vec<u8>, count: usize) -> (Vec<Value>, u64) {
        let before = self.peak();
        let mut input = self.input.take().unwrap();
        let writing = std::thread::spawn(move || input.write_all(&lines).map(|()| input));
        std::thread::sleep(std::time::Duration::from_millis(300));
        let answers = (0..count).map(|_| self.receive()).collect();
        self.input = Some(writing.join().unwrap().unwrap());
        (answers, self.peak() - before)
    }

    /// Returns the peak memory use of the server in KiB.
    fn peak(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Returns the ID of the server's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn end_input(&mut self) {
        self.input = None;
    }

    /// Kills the server, which simulates a crash of the system.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn close_output(&mut self) {
        self.output = None;
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), signal)
            .unwrap();
    }

    /// Ends the input and returns the exit status.
    pub fn end(&mut self) -> Option<i32> {
        self.end_input();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer to a call.
#[derive(Debug)]
pub struct Called(pub Value);

impl Called {
    pub fn blocks(&self) -> Vec<String> {
        let blocks = self.0["result"]["content"].as_array().into_iter().flatten();
        blocks.map(|block| block["text"].as_str().unwrap().to_owned()).collect()
    }

    /// Returns the text, if it is the only content.
    #[track_caller]
    pub fn text(&self) -> String {
        let mut blocks = self.blocks();
        assert_eq!(blocks.len(), 1, "{:?}", self.0);
        blocks.remove(0)
    }

    /// Returns the first text.
    #[track_caller]
    pub fn first(&self) -> String {
        self.blocks().into_iter().next().unwrap_or_else(|| panic!("{:?}", self.0))
    }

    /// Returns the JSON, which must be the same as text and as structured content.
    #[track_caller]
    pub fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.text()).unwrap();
        if !self.is_error() {
            assert_eq!(self.0["result"]["structuredContent"], value);
        }
        value
    }

    pub fn is_error(&self) -> bool {
        self.0["result"]["isError"] == true
    }

    /// Returns the number and the message of a protocol error.
    #[track_caller]
    pub fn fault(&self) -> (i64, String) {
        let error = &self.0["error"];
        assert!(error.is_object(), "{:?}", self.0);
        (error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
    }

    /// Checks that the call failed with a text that contains `part`, and returns the text.
    #[track_caller]
    pub fn fails(&self, part: &str) -> String {
        assert!(self.is_error(), "{:?}", self.0);
        let text = self.blocks().join("\n");
        assert!(text.contains(part), "expected {part}: {text}");
        text
    }
}

fn log() -> String {
    let mut text = String::from("# Log\n");
    for (line, entry) in [(100, 14), (120, 15), (145, 16), (170, 17), (200, 18)] {
        while text.lines().count() + 1 < line {
            text += "x\n";
        }
        let kind = if entry == 15 { "DECISION" } else { "NOTE" };
        text += &format!("[LOG-{entry:03}] - [{kind}] - Task\n");
    }
    text + "last\n"
}

const GUIDE: &str = "# Guide\n\n## Install\n\nRun make.\n\n## Use\n\ntext\n\n```sh\nls\n```\n";

fn sandbox() -> Sandbox {
    let log = log();
    Sandbox::with(&[
        ("a.md", GUIDE),
        ("WORK.md", log.as_str()),
        ("app.ini", "[database]\nhost = a ; b\n\n[cache]\nsize = 1\n"),
        ("docs/b.md", "# B\n\nmake it\n"),
    ])
}

/// Returns a log with entries at lines 100, 120, 145, 170 and 200 of 201.
fn work_log() -> String {
    let mut lines = vec!["x".to_owned(); 201];
    for (line, number) in [(100, 14), (120, 15), (145, 16), (170, 17), (200, 18)] {
        let kind = if number == 15 { "DECISION" } else { "NOTE" };
        lines[line - 1] = format!("[LOG-{number:03}] - [{kind}] - Task");
    }
    lines.join("\n") + "\n"
}

const CONTEXT: &str =
    "# Context\n\nline 3\nline 4\n\n\n## Phase Boundary\n\ntext\n\n## Deferred Ideas\n\nlater\n";

const README: &str = "# Project\n\nIntro.\n\n## Installation\n\nRun make.\n\n### Quick Start\n\nGo.\n\n\
    ## Usage {#use}\n\nI recieve it.\n\n```bash\nls\n```\n\n```json\n{}\n```\n\n## Contributing\n\nMail.\n";

const CONF: &str = "# settings\n\n[database]\nhost = localhost\nport = 5432\n\n[cache]\nsize = 1\n";

fn texts() -> Sandbox {
    Sandbox::with(&[
        ("WORK.md", work_log().as_str()),
        ("CONTEXT.md", CONTEXT),
        ("README.md", README),
        ("app.conf", CONF),
    ])
}

const TAGGED_GUIDE: &str = "\
---
tags: make
---
# Guide

## Install

Run make.

```sh
# make all
```

<!-- make later -->

## Notes

make

## Notes
";
