//! `folio mcp`: the protocol, the tools and their answers, as a client sees them.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use crate::support::Sandbox;

const CORE: [&str; 8] = ["inspect", "read", "grep", "list", "links", "patch", "undo", "search"];
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

#[test]
fn every_protocol_version_gets_only_the_fields_it_supports() {
    let sandbox = sandbox();
    for (version, has_title, has_annotations) in [
        ("2024-11-05", false, false),
        ("2025-03-26", false, true),
        ("2025-06-18", true, true),
        ("2025-11-25", true, true),
    ] {
        let mut client = Client::silent(&sandbox, &["--tools", "all"]);
        let greeting = client.greet(version, json!({}));
        assert_eq!(greeting["result"]["protocolVersion"], version);
        let info = &greeting["result"]["serverInfo"];
        assert_eq!((info["name"].as_str(), info["title"].is_string()), (Some("folio"), has_title));
        let listed = client.request("tools/list", json!({}));
        for tool in listed["result"]["tools"].as_array().unwrap() {
            assert_eq!(tool["title"].is_string(), has_title, "{version}");
            assert_eq!(tool["annotations"].is_object(), has_annotations, "{version}");
        }
        let called = client.call("TextInspect", json!({"filePath": "a.md"}));
        assert_eq!(called.0["result"]["structuredContent"].is_object(), has_title);
        assert_eq!(client.end(), Some(0));
    }
}

#[test]
fn the_newest_protocol_version_needs_no_initialization() {
    let sandbox = sandbox();
    let mut client = Client::silent(&sandbox, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = client.request("server/discover", json!({"_meta": meta}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    // A notification before the session used to end the server.
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}});
    for refused in [json!({}), json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"})] {
        client.send(&cancelled);
        assert!(client.request("tools/list", json!({"_meta": refused}))["error"].is_object());
    }
    client.send(&cancelled);
    let params = json!({"name": "read", "arguments": {"address": "a.md:1"}, "_meta": meta});
    let called = Called(client.request("tools/call", params));
    assert_eq!(called.first(), "# Guide\n");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn resources_have_all_parameters_of_a_tool() {
    let mut client = Client::new(&sandbox(), &[]);
    let listed = client.request("resources/list", json!({}));
    let uris: Vec<&Value> =
        listed["result"]["resources"].as_array().unwrap().iter().map(|one| &one["uri"]).collect();
    assert!(uris.contains(&&json!("folio://help/patch")), "{uris:?}");
    let read = client.request("resources/read", json!({"uri": "folio://help/patch"}));
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    for part in ["operation (replace | insert", "links_in (list of strings)", "required"] {
        assert!(text.contains(part), "{text}");
    }
    let unknown = client.request("resources/read", json!({"uri": "folio://help/pach"}));
    assert_eq!(unknown["error"]["code"], -32002, "{unknown}");
}

#[test]
fn instructions_are_short() {
    let mut client = Client::silent(&sandbox(), &[]);
    let greeting = client.greet(VERSION, json!({}));
    let text = greeting["result"]["instructions"].as_str().unwrap();
    assert!(text.chars().count() <= 600, "{}", text.len());
}

fn listed(arguments: &[&str]) -> Vec<Value> {
    let mut client = Client::new(&sandbox(), arguments);
    let listed = client.request("tools/list", json!({}));
    listed["result"]["tools"].as_array().unwrap().clone()
}

#[test]
fn the_option_for_sections_without_headings_is_listed() {
    let mut client = Client::new(&sandbox(), &[]);
    let body = client.call("read", json!({"address": "a.md", "body": "Install"})).first();
    assert!(!body.is_empty() && !body.contains("## Install"), "{body}");
    for (tool, parameter) in [("read", "/body"), ("patch", "/section")] {
        let tools = listed(&[]);
        let tool = tools.iter().find(|one| one["name"] == tool).unwrap();
        let about = tool.pointer(&format!("/inputSchema/properties{parameter}/description"));
        assert!(about.unwrap().as_str().unwrap().contains("without"), "{tool}");
    }
}

#[test]
fn lists_of_tools_are_short() {
    for (set, most) in [("core", 12_000), ("all", 40_000)] {
        let tools = Value::from(listed(&["--tools", set])).to_string();
        assert!(tools.len() <= most, "{set}: {} bytes", tools.len());
    }
}

/// Clients support different parts of JSON Schema. The schemas use only parts that all of them
/// support.
#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn schemas_contain_nothing_that_a_client_refuses() {
    fn check(schema: &Value, place: &str) {
        let Value::Object(fields) = schema else { panic!("{place}: {schema}") };
        assert!(fields["type"].is_string(), "{place}: {schema}");
        let known = [
            "type",
            "description",
            "properties",
            "required",
            "items",
            "enum",
            "default",
            "minimum",
            "maximum",
        ];
        for name in fields.keys() {
            assert!(known.contains(&name.as_str()), "{place}: {name}");
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            assert!(name.chars().all(is_plain), "{place}: {name}");
            check(property, &format!("{place}.{name}"));
        }
        if fields["type"] == "array" {
            check(&schema["items"], &format!("{place}[]"));
        }
    }
    let tools = listed(&["--tools", "all"]);
    let mut names = BTreeSet::new();
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(names.insert(name), "{name}");
        assert!("folio__".len() + name.len() < 60, "{name}");
        let input = &tool["inputSchema"];
        check(input, name);
        assert!(input["properties"].is_object(), "{name}");
        jsonschema::meta::validate(input).expect(name);
        if tool["outputSchema"].is_object() {
            check(&tool["outputSchema"], name);
            jsonschema::meta::validate(&tool["outputSchema"]).expect(name);
        }
        let examples = tool["description"].as_str().unwrap().matches("\n{").count();
        assert!(examples >= 1, "{name} has no example");
    }
    let core = tools.iter().filter(|tool| CORE.contains(&tool["name"].as_str().unwrap()));
    for tool in core {
        assert!(tool["inputSchema"]["properties"].as_object().unwrap().len() <= 16);
    }
    let names: Vec<Value> = listed(&[]).into_iter().map(|mut tool| tool["name"].take()).collect();
    assert_eq!(names, CORE);
    assert_eq!(tools.len(), 29);
}

/// Models copy examples, so each example must be a valid call.
#[test]
fn examples_in_descriptions_are_calls() {
    for tool in listed(&["--tools", "all"]) {
        let name = tool["name"].as_str().unwrap();
        let validator = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        let lines = tool["description"].as_str().unwrap().lines();
        for line in lines.filter(|line| line.starts_with('{')) {
            let example: Value = serde_json::from_str(line).expect(line);
            assert!(validator.is_valid(&example), "{name}: {line}");
            for field in example.as_object().unwrap().keys() {
                assert!(tool["inputSchema"]["properties"][field].is_object(), "{name}: {field}");
            }
        }
    }
}

#[test]
fn writing_tools_are_marked_and_can_be_excluded() {
    let tools = listed(&["--tools", "all"]);
    let writers: BTreeSet<String> = tools
        .iter()
        .filter(|tool| tool["annotations"]["readOnlyHint"] == false)
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(writers.contains("patch") && !writers.contains("read"), "{writers:?}");
    for tool in &tools {
        assert_eq!(tool["annotations"]["openWorldHint"], false);
    }
    let left: BTreeSet<String> = listed(&["--tools", "all", "--read-only"])
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(left.is_disjoint(&writers));
    assert_eq!(left.len() + writers.len(), tools.len());
}

#[test]
fn an_unknown_set_is_reported_with_the_known_sets() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&["mcp", "--tools", "core,tekst"]).exits(2);
    outcome.tells("unknown set 'tekst'").tells("core, fs-mcp, text");
}

#[test]
fn unknown_tools_and_arguments_get_suggestions() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &[]);
    let (code, message) = client.call("raed", json!({})).fault();
    assert_eq!(code, -32602);
    assert!(message.contains("unknown tool 'raed'; read  # similar"), "{message}");
    client.call("read", json!({"adress": "a.md"})).fails("hint: address  # similar");
    client.call("grep", json!({"pattern": "a", "ignoreCase": true})).fails("hint: ignore_case");
    client.call("read", json!({"address": "-"})).fails("standard input");
    let list = json!({"name": "read", "arguments": ["a.md"]});
    let answer = client.request("tools/call", list);
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let text = json!({"name": "read", "arguments": "{\"address\":\"a.md:1\"}"});
    let answer = Called(client.request("tools/call", text));
    assert_eq!(answer.first(), "# Guide\n");
    let nothing = Called(client.request("tools/call", json!({"name": "list"})));
    assert!(nothing.first().contains("a.md"), "{nothing:?}");
    client
        .call("read", json!({"address": "x".repeat(1 << 20)}))
        .fails("more than the maximum for a path");
    client.call("read", json!({"address": "a\u{0}b"})).fails("a");
}

#[test]
fn tools_accept_the_options_of_their_commands() {
    let text = "# A\n\n## Setup\n\nfoo foo\n\n## Use\n\nbar\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("b.md", "# B\n\nsee [A](a.md#setup)\n")]);
    let file = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    let mut client = Client::new(&sandbox, &[]);
    let mut first = |tool: &str, arguments: Value| client.call(tool, arguments).blocks()[0].clone();
    for arguments in [
        json!({"address": ".", "containing": "^foo", "number": true}),
        json!({"address": "a.md", "section": "Setup", "options": {"number": true}}),
        json!({"address": "a.md", "target": "Setup", "options": "{\"number\":\"true\"}"}),
    ] {
        let read = first("read", arguments);
        assert!(read.contains("     3\t## Setup\n"), "{read}");
    }
    let both = json!({"address": "a.md", "section": "Setup", "lines": "3"});
    assert!(first("read", both).contains("lines cannot be used with section"));
    let replace = |more: Value| {
        let mut call = json!({"operation": "replace", "address": "a.md", "content": "x"});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    for call in [
        replace(json!({"text": "foo"})),
        replace(json!({"target": {"pattern": "f.o"}})),
        json!({"operation": "apply", "edits": [{"filePath": "a.md", "operation": "replace",
            "target": {"text": "foo"}, "content": "x"}]}),
    ] {
        assert!(first("patch", call).contains("TARGET_AMBIGUOUS"));
    }
    first("patch", replace(json!({"text": "foo", "occurrence": 2})));
    assert!(file("a.md").contains("foo x\n"));
    first("undo", json!({}));
    assert_eq!(file("a.md"), text);
    let rename = json!({"operation": "rename", "address": "a.md", "heading": "Setup",
        "content": "Install", "links": true});
    first("patch", rename);
    assert!(file("b.md").contains("a.md#install"));
    first("undo", json!({"which": "a.md"}));
    let moved = json!({"operation": "move", "address": "a.md", "section": "Setup", "to": "b.md"});
    first("patch", moved);
    assert!(file("b.md").contains("foo foo"));
    assert!(first("links", json!({})).contains("b.md:3"));
}

#[test]
fn checksums_that_read_reports_guard_edits() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\n## Setup\n\nfoo\n\n## Use\n\nbar\n")]);
    let mut client = Client::new(&sandbox, &[]);
    let part = json!({"address": "a.md", "section": "Setup", "numbered": true});
    let blocks = client.call("read", part).blocks();
    assert!(blocks[0].contains("     3\t## Setup\n"), "{blocks:?}");
    let (_, checksum) = blocks[1].split_once("checksum ").unwrap();
    let mut replace = |content: &str, checksum: &str| {
        let edit = json!({"operation": "replace", "address": "a.md", "section": "Setup",
            "content": content, "if_match": checksum});
        client.call("patch", edit)
    };
    assert!(!replace("## Setup\n\nnew\n", checksum).is_error());
    replace("## Setup\n\nnewer\n", checksum).fails("CHECKSUM_MISMATCH");
    let whole = client.call("read", json!({"address": "a.md"})).blocks()[1].clone();
    let (_, checksum) = whole.split_once("checksum ").unwrap();
    let delete = json!({"operation": "delete", "address": "a.md", "section": "Use",
        "if_match": checksum});
    assert!(!client.call("patch", delete).is_error());
}

/// Invalid lines are answered or, if the protocol requires it, ignored. The server continues.
#[test]
fn invalid_lines_are_answered() {
    let mut client = Client::new(&sandbox(), &[]);
    let mut lines: Vec<(Vec<u8>, i64)> = [
        ("{", -32700),
        ("[]", -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        ("7", -32600),
        ("null", -32600),
        ("{}", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}", -32601),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[]}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}", -32700),
    ]
    .into_iter()
    .map(|(line, code)| (line.as_bytes().to_vec(), code))
    .collect();
    lines.push(("[".repeat(10_000).into_bytes(), -32700));
    lines.push((b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec(), -32700));
    lines.push((vec![b'a'; (8 << 20) + 1], -32700));
    for (line, code) in lines {
        client.write(&[&line[..], b"\n"].concat());
        let answer = client.receive();
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
    }
    // These are ignored: blank lines, notifications in place of requests, and answers without a
    // request.
    client.write(b"\n \r\n{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{}}\n");
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n");
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    // A last line without a line ending is processed.
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":\"z\",\"method\":\"ping\"}");
    client.input = None;
    assert_eq!(client.receive()["id"], "z");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &[]);
    for _ in 0..2 {
        let params = json!({"name": "grep", "arguments": {"pattern": "make"}});
        client.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}));
    }
    let (one, other) = (client.receive(), client.receive());
    let refused = [&one, &other].into_iter().filter(|answer| answer["error"]["code"] == -32600);
    assert_eq!(refused.count(), 1, "{one} {other}");
}

#[test]
fn notifications_before_initialization_do_not_end_the_session() {
    let sandbox = sandbox();
    let mut client = Client::silent(&sandbox, &[]);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 4, "result": {}}));
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    client.greet(VERSION, json!({}));
    assert_eq!(client.call("read", json!({"address": "a.md:1"})).first(), "# Guide\n");
}

/// A waiting call does not block other calls, and ends when it is cancelled.
#[test]
fn a_call_can_be_cancelled_and_pings_are_answered_during_it() {
    let sandbox = sandbox();
    let directory = std::fs::File::open(sandbox.path("")).unwrap();
    flock(directory.as_fd(), FlockOperation::LockExclusive).unwrap();
    let mut client = Client::new(&sandbox, &["--timeout", "600"]);
    // As many calls as run at the same time, and some that wait in the queue.
    let edit = json!({"operation": "append", "address": "a.md", "content": "late"});
    let ids: Vec<i64> = (0..12)
        .map(|_| client.ask("tools/call", json!({"name": "patch", "arguments": edit})))
        .collect();
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    for id in ids {
        let params = json!({"requestId": id, "reason": "enough"});
        let method = "notifications/cancelled";
        client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }
    // The cancelled calls are never answered, and other calls run immediately.
    let read = client.call("read", json!({"address": "a.md"}));
    assert_eq!(read.first(), GUIDE);
    drop(directory);
    client.input = None;
    let mut rest = String::new();
    client.output.as_mut().unwrap().read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert_eq!(client.end(), Some(0));
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), GUIDE);
}

#[test]
fn truncated_answers_are_marked() {
    let sandbox = Sandbox::new();
    sandbox.write("long.txt", "0123456789\n".repeat(100_000));
    let mut client = Client::new(&sandbox, &[]);
    for (tool, arguments, most) in [
        ("read", json!({"address": "long.txt"}), 48 << 10),
        ("grep", json!({"pattern": "0", "path": "long.txt"}), 12 << 10),
    ] {
        let called = client.call(tool, arguments.clone());
        let blocks = called.blocks();
        let [.., text, facts] = &blocks[..] else { panic!("{blocks:?}") };
        assert!(text.len() <= most && text.ends_with('\n'), "{tool}");
        assert!(text.len() > most - 1024, "{tool}: {}", text.len());
        assert!(facts.contains("max_bytes"), "{facts}");
        let mut more = arguments;
        more["max_bytes"] = json!(4 << 20);
        assert!(client.call(tool, more.clone()).blocks().concat().len() > 1_000_000);
        more["max_bytes"] = json!(5000);
        more["format"] = json!("json");
        let text = client.call(tool, more).text();
        assert!(text.len() < 6000, "{tool}: {}", text.len());
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(value["records"].is_array());
    }
}

/// A call of a core tool, and the equivalent command line.
type Pair = (&'static str, Value, Vec<&'static str>);

fn pairs() -> Vec<Pair> {
    vec![
        ("inspect", json!({"address": "a.md"}), vec!["inspect", "a.md"]),
        ("inspect", json!({}), vec!["inspect"]),
        ("inspect", json!({"address": "docs"}), vec!["inspect", "docs"]),
        ("inspect", json!({"address": "a.md", "outline": true}), vec!["inspect", "-O", "a.md"]),
        (
            "inspect",
            json!({"address": "a.md", "max_level": 1}),
            vec!["inspect", "--max-level", "1", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "tokens": true}),
            vec!["inspect", "--tokens", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "mode": "search", "query": "make"}),
            vec!["inspect", "--mode", "search", "--query", "make", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "mode": "search", "query": "m.ke", "regex": true, "context": 1}),
            vec!["inspect", "--mode", "search", "--query", "m.ke", "--regex", "-C1", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "mode": "lines", "query": "1-3"}),
            vec!["inspect", "--mode", "lines", "--query", "1-3", "a.md"],
        ),
        ("inspect", json!({"address": ".", "glob": ["*.ini"]}), vec!["inspect", "-g*.ini", "."]),
        ("inspect", json!({"address": ["a.md", "app.ini"]}), vec!["inspect", "a.md", "app.ini"]),
        ("inspect", json!({"address": "a.md#install"}), vec!["inspect", "a.md#install"]),
        ("inspect", json!({"address": "x.md"}), vec!["inspect", "x.md"]),
        (
            "inspect",
            json!({"address": "a.md", "query": "x"}),
            vec!["inspect", "--query", "x", "a.md"],
        ),
        (
            "inspect",
            json!({"address": "a.md", "mode": "search"}),
            vec!["inspect", "--mode", "search", "a.md"],
        ),
        ("read", json!({"address": "a.md"}), vec!["read", "a.md"]),
        ("read", json!({"address": "a.md:3"}), vec!["read", "a.md:3"]),
        ("read", json!({"address": "a.md:3-5"}), vec!["read", "a.md:3-5"]),
        ("read", json!({"address": "a.md#use"}), vec!["read", "a.md#use"]),
        (
            "read",
            json!({"address": "a.md", "section": "Install"}),
            vec!["read", "a.md", "--section", "Install"],
        ),
        (
            "read",
            json!({"address": "app.ini", "section": "database", "key": "host"}),
            vec!["read", "app.ini", "--section", "database", "--key", "host"],
        ),
        (
            "read",
            json!({"address": "a.md", "code_block": "sh:0"}),
            vec!["read", "a.md", "--code-block", "sh:0"],
        ),
        (
            "read",
            json!({"address": "a.md", "search": "make"}),
            vec!["read", "a.md", "--search", "make"],
        ),
        (
            "read",
            json!({"address": "WORK.md:120", "to_next": "^\\[LOG-"}),
            vec!["read", "WORK.md:120", "--to-next", "^\\[LOG-"],
        ),
        (
            "read",
            json!({"address": "WORK.md", "from": 120, "limit": 2}),
            vec!["read", "WORK.md", "--from", "120", "--limit", "2"],
        ),
        (
            "read",
            json!({"address": "WORK.md", "limit": 2}),
            vec!["read", "WORK.md", "--limit", "2"],
        ),
        ("read", json!({"address": "WORK.md", "tail": 2}), vec!["read", "WORK.md", "--tail", "2"]),
        (
            "read",
            json!({"address": "a.md:5", "section_context": true}),
            vec!["read", "a.md:5", "-W"],
        ),
        ("read", json!({"address": ["a.md:1", "a.md:3-4"]}), vec!["read", "a.md:1", "a.md:3-4"]),
        ("read", json!({"address": "x.md"}), vec!["read", "x.md"]),
        ("read", json!({"address": "docs"}), vec!["read", "docs"]),
        ("read", json!({"address": "a.md:99"}), vec!["read", "a.md:99"]),
        (
            "read",
            json!({"address": "a.md", "section": "Instal x"}),
            vec!["read", "a.md", "--section", "Instal x"],
        ),
        (
            "read",
            json!({"address": "a.md", "to_next": "x"}),
            vec!["read", "a.md", "--to-next", "x"],
        ),
        (
            "read",
            json!({"address": "a.md:1", "to_next": "("}),
            vec!["read", "a.md:1", "--to-next", "("],
        ),
        (
            "read",
            json!({"address": "a.md:1-2", "to_next": "x"}),
            vec!["read", "a.md:1-2", "--to-next", "x"],
        ),
        (
            "read",
            json!({"address": "a.md", "section": "Use", "key": "x"}),
            vec!["read", "a.md", "--section", "Use", "--key", "x"],
        ),
        (
            "read",
            json!({"address": "a.md", "code_block": "7"}),
            vec!["read", "a.md", "--code-block", "7"],
        ),
        (
            "read",
            json!({"address": "a.md", "code_block": "x"}),
            vec!["read", "a.md", "--code-block", "x"],
        ),
        ("read", json!({"address": "a.md#no"}), vec!["read", "a.md#no"]),
        ("grep", json!({"pattern": "make", "section_hints": false}), vec!["grep", "make", "."]),
        ("grep", json!({"pattern": "make"}), vec!["grep", "-k", "make", "."]),
        ("grep", json!({"pattern": "make", "path": "docs"}), vec!["grep", "-k", "make", "docs"]),
        (
            "grep",
            json!({"pattern": "make", "path": ["a.md", "docs"]}),
            vec!["grep", "-k", "make", "a.md", "docs"],
        ),
        ("grep", json!({"pattern": "MAKE", "ignore_case": true}), vec!["grep", "-ki", "MAKE", "."]),
        (
            "grep",
            json!({"pattern": "[LOG-015]", "fixed_strings": true}),
            vec!["grep", "-kF", "[LOG-015]", "."],
        ),
        (
            "grep",
            json!({"pattern": "make", "section_context": true}),
            vec!["grep", "-W", "make", "."],
        ),
        (
            "grep",
            json!({"pattern": "make", "context": 1, "section_hints": false}),
            vec!["grep", "-C1", "make", "."],
        ),
        (
            "grep",
            json!({"pattern": "make", "files_with_matches": true}),
            vec!["grep", "-l", "make", "."],
        ),
        (
            "grep",
            json!({"pattern": "e", "max_total": 2}),
            vec!["grep", "-k", "--max-total=2", "e", "."],
        ),
        (
            "grep",
            json!({"pattern": "host", "glob": ["*.ini"]}),
            vec!["grep", "-kg*.ini", "host", "."],
        ),
        ("grep", json!({"pattern": "("}), vec!["grep", "-k", "(", "."]),
        ("grep", json!({"pattern": "x", "path": "no"}), vec!["grep", "-k", "x", "no"]),
        ("list", json!({}), vec!["list", "--limit=100"]),
        ("list", json!({"path": "docs"}), vec!["list", "docs", "--limit=100"]),
        ("list", json!({"mode": "tree"}), vec!["list", "--mode", "tree", "--limit=100"]),
        (
            "list",
            json!({"depth": 2, "extension": ["md"]}),
            vec!["list", "--depth=2", "-e", "md", "--limit=100"],
        ),
        (
            "list",
            json!({"titles": true, "depth": 2}),
            vec!["list", "--titles", "--depth=2", "--limit=100"],
        ),
        ("list", json!({"limit": 1, "offset": 1}), vec!["list", "--limit=1", "--offset=1"]),
        ("list", json!({"path": "no"}), vec!["list", "no"]),
        ("list", json!({"path": "a.md"}), vec!["list", "a.md"]),
        (
            "patch",
            json!({"operation": "replace", "address": "a.md", "text": "make", "content": "cargo",
                   "dry_run": true}),
            vec!["patch", "replace", "a.md", "--text", "make", "-c", "cargo", "-d"],
        ),
        (
            "patch",
            json!({"operation": "replace", "address": "a.md", "section": "No", "content": "x"}),
            vec!["patch", "replace", "a.md", "--section", "No", "-c", "x"],
        ),
        (
            "patch",
            json!({"operation": "delete", "address": "a.md", "content": "x", "section": "Use"}),
            vec!["patch", "delete", "a.md", "-c", "x", "--section", "Use"],
        ),
        (
            "patch",
            json!({"operation": "replace", "address": "a.md", "section": "Use"}),
            vec!["patch", "replace", "a.md", "--section", "Use"],
        ),
    ]
}

/// Replaces options in a message with parameters, in the same way as a tool.
fn respelt(text: &str) -> String {
    let words = text.split_inclusive(' ').map(|word| {
        let flag = word.trim_start_matches('(');
        match flag.strip_prefix("--") {
            Some(name) if flag.starts_with("--") => {
                word[..word.len() - flag.len()].to_owned() + &name.replace('-', "_")
            }
            _ => word.to_owned(),
        }
    });
    words.collect()
}

#[test]
fn tools_return_the_output_of_commands() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &[]);
    assert!(pairs().len() >= 60, "{}", pairs().len());
    for (tool, arguments, line) in pairs() {
        let command = sandbox.run(&line);
        let called = client.call(tool, arguments.clone());
        let failure = command.errors();
        let failure =
            failure.lines().find_map(|line| line.strip_prefix(&format!("folio {tool}: ")));
        if command.stdout.is_empty() && failure.is_some_and(|text| !text.starts_with("note: ")) {
            let told = called.fails("");
            let own = told.lines().next().unwrap().split_once(": ").unwrap().1.to_owned();
            assert_eq!(own, respelt(failure.unwrap()), "{line:?}");
            continue;
        }
        // Tools group the results of these commands by file.
        if !command.stdout.is_empty() && !["inspect", "grep"].contains(&tool) {
            assert_eq!(called.first(), command.text(), "{line:?}");
        }
        let mut json_line = line.clone();
        json_line.push("--json");
        let mut json_arguments = arguments;
        json_arguments["format"] = json!("json");
        let mut value = client.call(tool, json_arguments).json();
        let mut records = sandbox.run(&json_line).json_lines();
        // Hints are calls in one output and commands in the other.
        let theirs = value["records"].as_array_mut().unwrap();
        for record in records.iter_mut().chain(theirs) {
            record.as_object_mut().unwrap().retain(|name, _| name != "hint" && name != "hints");
        }
        if records.last().is_some_and(|record| record["type"] == "summary") {
            assert_eq!(value["summary"], records.pop().unwrap(), "{line:?}");
        }
        assert_eq!(value["records"], Value::from(records), "{line:?}");
    }
}

#[test]
fn tools_can_be_called_from_a_shell() {
    let sandbox = sandbox();
    let input = r#"{"address":"a.md","section":"Install"}"#;
    let outcome = sandbox.run_with_input(&["call", "read"], input).exits(0);
    assert!(outcome.text().starts_with("## Install\n\nRun make.\n"), "{outcome}");
    let input = r#"{"address":"a.md","section":"No"}"#;
    let outcome = sandbox.run_with_input(&["call", "read"], input).exits(1);
    assert_eq!(outcome.json_errors()[0].code, "TARGET_NOT_FOUND");
    assert!(outcome.stdout.is_empty());
    // An error of the file system is an answer of the tool, but a failure of `call`.
    let outcome = sandbox.run_with_input(&["call", "fs_read"], r#"{"path":"no.md"}"#).exits(2);
    assert_eq!(outcome.json_text()["error"]["code"], "NOT_FOUND");
    sandbox.run_with_input(&["call", "raed"], "{}").exits(2).tells("unknown tool 'raed'");
    sandbox.run_with_input(&["call", "read"], "[]").exits(2).tells("an object is needed");
    sandbox.run(&["call"]).exits(2).tells("folio call --list");
    let names = sandbox.run(&["call", "--list"]).succeeds().text();
    for line in names.lines() {
        let name = line.split('\t').nth(1).unwrap();
        let schema = sandbox.run(&["schema", &format!("mcp:{name}")]).succeeds().json_text();
        assert_eq!(schema["type"], "object", "{name}");
    }
    sandbox.run(&["schema", "read_files"]).succeeds();
}

/// Running calls are completed at the end of input.
#[test]
fn calls_running_at_the_end_of_input_are_answered() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &[]);
    for _ in 0..50 {
        client.ask("tools/call", json!({"name": "grep", "arguments": {"pattern": "make"}}));
    }
    client.input = None;
    let answers: BTreeSet<i64> =
        (0..50).map(|_| client.receive()["id"].as_i64().unwrap()).collect();
    assert_eq!(answers.len(), 50);
    assert_eq!(client.end(), Some(0));
}

/// Without the deadline, a pattern that takes quadratic time would run for minutes on a long line.
#[test]
fn a_call_ends_at_its_deadline_with_an_error() {
    let sandbox = Sandbox::new();
    let line = "A".repeat(100 << 10) + "\n";
    sandbox.write("long.txt", &line);
    let mut client = Client::new(&sandbox, &["--timeout", "1", "--tools", "all"]);
    for target in [
        json!({"pattern": ".*[^A-Z]|[A-Z]"}),
        json!({"pattern": "(?s).*[^A-Z\n]|[A-Z]", "flags": "m"}),
    ] {
        let edit = json!({"filePath": "long.txt", "operation": "replace", "content": "b",
            "target": target});
        client.call("TextPatch", edit).fails("took too long");
    }
    assert_eq!(std::fs::read_to_string(sandbox.path("long.txt")).unwrap(), line);
    // Searches that need only the first match of each line are fast.
    let search = json!({"pattern": ".*[^A-Z]|[A-Z]", "path": "long.txt"});
    assert!(!client.call("grep", search).is_error());
    let search = json!({"filePath": "long.txt", "mode": "search", "query": ".*[^A-Z]|[A-Z]",
        "regex": true});
    assert_eq!(client.call("TextInspect", search).json()["totalMatches"], 1);
}

/// Repositories, environments and keys are not listed, read or written under any name. The ignore
/// file of a repository still applies.
#[test]
fn files_that_may_contain_secrets_are_hidden() {
    let sandbox = sandbox();
    sandbox.write(".env", "TOKEN=1\n").write("docs/id_rsa", "TOKEN\n").write("a.pem", "TOKEN\n");
    sandbox.write(".git/config", "TOKEN\n").write(".git/info/exclude", "docs/b.md\n");
    std::os::unix::fs::symlink("../.env", sandbox.path("docs/plain.md")).unwrap();
    let mut client = Client::new(&sandbox, &[]);
    for address in
        [".env", "./docs/../.env", "docs/plain.md", ".git/config", "a.pem", "docs/id_rsa"]
    {
        client.call("read", json!({"address": address})).fails("it may contain secrets");
        let edit = json!({"operation": "append", "address": address, "content": "x"});
        client.call("patch", edit).fails("it may contain secrets");
    }
    let create = json!({"operation": "create", "address": ".env.local", "content": "x\n"});
    client.call("patch", create).fails("it may contain secrets");
    for arguments in [json!({"pattern": "TOKEN"}), json!({"pattern": "TOKEN", "glob": [".env"]})] {
        let answer = client.call("grep", arguments).first();
        assert_eq!(answer.lines().next(), Some("no match"));
    }
    let listed = client.call("list", json!({"depth": 5})).first();
    assert_eq!(listed, "WORK.md\na.md\napp.ini\ndocs/\ndocs/plain.md\n");
    let mut client = Client::new(&sandbox, &["--allow-secrets"]);
    assert_eq!(client.call("read", json!({"address": ".env"})).first(), "TOKEN=1\n");
    assert!(!sandbox.path(".env.local").exists());
}
