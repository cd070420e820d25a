//! The server of `folio mcp` from start to end: roots, signals and streams.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Stdio;

use rustix::fs::{FlockOperation, flock};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::mcp::{Called, Client, VERSION};
use crate::support::{Sandbox, outcome};

fn sandbox() -> Sandbox {
    Sandbox::with(&[("one/a.md", "# One\n"), ("two b/a.md", "# Two\n"), ("a.md", "# Here\n")])
}

/// Reads the first line of a.md. Returns the server's question for the roots, and the id of the
/// call.
#[track_caller]
fn asked(client: &mut Client) -> (Value, i64) {
    let params = json!({"name": "read", "arguments": {"address": "a.md:1"}});
    let id = client.ask("tools/call", params);
    let question = client.receive();
    assert_eq!(question["method"], "roots/list", "{question}");
    (question, id)
}

fn reply(client: &mut Client, question: &Value, mut answer: Value) {
    answer["jsonrpc"] = "2.0".into();
    answer["id"] = question["id"].clone();
    client.send(&answer);
}

#[track_caller]
fn answer_to(client: &mut Client, id: i64) -> Called {
    let answer = client.receive();
    assert_eq!(answer["id"], id, "{answer}");
    Called(answer)
}

/// Returns the first line of a.md, after the server has requested the roots.
#[track_caller]
fn first_line(client: &mut Client, roots: &[String]) -> String {
    let (question, id) = asked(client);
    let roots: Vec<Value> = roots.iter().map(|uri| json!({"uri": uri})).collect();
    reply(client, &question, json!({"result": {"roots": roots}}));
    answer_to(client, id).first()
}

#[test]
fn the_roots_of_a_client_apply_and_are_updated() {
    let sandbox = sandbox();
    let uri =
        |name: &str| format!("file://{}", sandbox.path(name).to_str().unwrap().replace(' ', "%20"));
    let mut client = Client::silent(&sandbox, &[]);
    client.greet(VERSION, json!({"roots": {"listChanged": true}}));
    assert_eq!(first_line(&mut client, &[uri("one")]), "# One\n");
    // The roots are not requested again.
    assert_eq!(client.call("read", json!({"address": "a.md"})).first(), "# One\n");
    client.call("read", json!({"address": "../a.md"})).fails("OUTSIDE_ROOT");
    let whole = sandbox.path("one/a.md");
    assert_eq!(client.call("read", json!({"address": whole})).first(), "# One\n");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    assert_eq!(first_line(&mut client, &[uri("two b"), "https://x/y".to_owned()]), "# Two\n");
}

/// A client that supports roots never edits the directory in which it started the server.
#[test]
fn calls_are_refused_until_the_client_has_a_usable_root() {
    let sandbox = sandbox();
    let mut client = Client::silent(&sandbox, &[]);
    client.greet(VERSION, json!({"roots": {}}));
    let unusable = ["vscode-remote://host/a", "https://x/y", "file://other/a", "/a"];
    let error = json!({"error": {"code": -32601, "message": "no such method"}});
    let answers = unusable.map(|uri| (json!({"result": {"roots": [{"uri": uri}]}}), uri));
    let others = [(json!({"result": {"roots": []}}), "has no roots"), (error, "no such method")];
    for (answer, told) in answers.into_iter().chain(others) {
        let (question, id) = asked(&mut client);
        reply(&mut client, &question, answer);
        let refused = answer_to(&mut client, id).fails("OUTSIDE_ROOT");
        assert!(refused.contains(told) && refused.contains("folio mcp --root DIR"), "{refused}");
    }
    // The answer arrives after the call has stopped waiting.
    let (question, id) = asked(&mut client);
    answer_to(&mut client, id).fails("has not answered");
    let uri = format!("file://{}", sandbox.path("one").display());
    reply(&mut client, &question, json!({"result": {"roots": [{"uri": uri}]}}));
    assert_eq!(client.call("read", json!({"address": "a.md:1"})).first(), "# One\n");
}

#[test]
fn roots_given_at_startup_override_those_of_the_client() {
    let sandbox = sandbox();
    let mut client = Client::silent(&sandbox, &["--root", "one"]);
    client.greet(VERSION, json!({"roots": {}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    assert_eq!(client.call("read", json!({"address": "a.md"})).first(), "# One\n");
}

#[test]
fn a_server_describes_its_confinement_by_the_kernel() {
    let told = |arguments: &[&str]| {
        let sandbox = sandbox();
        let greeting = Client::silent(&sandbox, arguments).greet(VERSION, json!({}));
        greeting["result"]["serverInfo"]["description"].as_str().unwrap().to_owned()
    };
    assert_eq!(told(&[]), "not confined by the kernel: no --root is given");
    assert!(told(&["--root", "later"]).contains("a root is missing"));
    let confined = told(&["--root", "one", "--read-only"]);
    let no_landlock = "not confined by the kernel: it has no Landlock";
    assert!(confined.contains("): reads below the roots") || confined == no_landlock, "{confined}");
}

#[test]
fn a_missing_root_works_once_it_exists() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &["--root", "one", "--root", "late=later"]);
    assert_eq!(client.call("read", json!({"address": "a.md"})).first(), "# One\n");
    let address = json!({"address": "late/a.md"});
    client.call("read", address.clone()).fails("The root 'late=later' does not exist now");
    sandbox.write("later/a.md", "# Late\n");
    assert_eq!(client.call("read", address.clone()).first(), "# Late\n");
    assert!(!client.call("read", json!({"address": "late/no.md"})).fails("").contains("missing"));
    std::fs::remove_dir_all(sandbox.path("later")).unwrap();
    client.call("read", address).fails("does not exist now");
}

/// A patch that is waiting for another writer is completed even if the input has ended.
#[test]
fn calls_waiting_at_the_end_of_input_are_answered() {
    for ends_by in [None, Some(Signal::TERM), Some(Signal::INT), Some(Signal::HUP)] {
        let sandbox = sandbox();
        let directory = File::open(sandbox.path("")).unwrap();
        flock(directory.as_fd(), FlockOperation::LockExclusive).unwrap();
        let mut client = Client::new(&sandbox, &[]);
        let edit = json!({"operation": "append", "address": "a.md", "content": "more"});
        let id = client.ask("tools/call", json!({"name": "patch", "arguments": edit}));
        // A later request is answered, so the patch has begun.
        client.request("ping", json!({}));
        match ends_by {
            Some(signal) => client.signal(signal),
            None => client.end_input(),
        }
        drop(directory);
        let answer = client.receive();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(id), &json!(false)));
        assert_eq!(client.end(), Some(0));
        let text = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
        assert!(text.contains("more"), "{text}");
    }
}

#[test]
fn a_closed_output_ends_the_server_without_an_error() {
    let mut client = Client::new(&sandbox(), &[]);
    client.close_output();
    client.ask("ping", json!({}));
    assert_eq!(client.end(), Some(0));
}

/// Standard output contains only the protocol, regardless of the environment variables.
#[test]
fn logs_do_not_appear_in_the_protocol_stream() {
    let sandbox = sandbox();
    let mut command = sandbox.command();
    command.stdin(Stdio::piped()).env("RUST_LOG", "trace").env("RUST_BACKTRACE", "1").arg("mcp");
    let input = format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": VERSION, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}})
    );
    let ended = outcome(&mut command, input.as_bytes()).exits(0);
    assert_eq!(ended.json_lines().len(), 1);
}

/// Requests that are truncated or changed at every position: all except notifications are answered,
/// and the server continues.
#[test]
fn the_server_survives_almost_valid_messages() {
    let call = r#"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"read","arguments":{"address":"a.md:1"}}}"#;
    let mut client = Client::new(&sandbox(), &[]);
    let mut lines: Vec<Vec<u8>> =
        (0..call.len()).map(|end| call.as_bytes()[..end].to_vec()).collect();
    for at in 0..call.len() {
        for byte in [b'\0', b'"', b'}', b'9', 0xff] {
            let mut line = call.as_bytes().to_vec();
            line[at] = byte;
            lines.push(line);
        }
    }
    for (old, new) in [
        (r#""id":"c""#, r#""id":"c","id":"d""#),
        (r#""id":"c""#, r#""id":-1"#),
        (r#""id":"c""#, r#""id":"\u0000""#),
        ("a.md:1", "\\ud800"),
        (r#""arguments""#, r#""arguments":{},"arguments""#),
        ("tools/call", "notifications/initialized"),
        ("tools/call", "initialize"),
        ("tools/call", "tools/call\\u0000"),
    ] {
        lines.push(call.replacen(old, new, 1).into_bytes());
    }
    for line in lines {
        client.write(&[&line[..], b"\n"].concat());
        // The line may be answered before or after the ping.
        let id = client.ask("ping", json!({}));
        let count = if is_answered(&line) { 2 } else { 1 };
        let mut answers = Vec::new();
        while answers.len() < count || !answers.contains(&json!(id)) {
            answers.push(client.receive()["id"].clone());
        }
    }
}

/// Sends many lines with random changes before reading the first answer.
#[test]
fn every_request_of_many_broken_lines_is_answered() {
    let templates = [
        json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
            "params": {"name": "read", "arguments": {"address": "a.md:1"}}}),
        json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list", "params": {}}),
        json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}),
    ];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut lines = Vec::new();
    for number in 0..3000 {
        let mut line = templates[number % templates.len()].to_string().into_bytes();
        for _ in 0..=random(3) {
            let at = random(line.len());
            match random(4) {
                0 => drop(line.remove(at)),
                1 => line.insert(at, line[at]),
                2 => line.truncate(at + 1),
                _ => line[at] = b"\0\"}{:,9x\xff"[random(9)],
            }
        }
        lines.push(line);
    }
    let count = lines.iter().filter(|line| is_answered(line)).count();
    let mut client = Client::new(&sandbox(), &[]);
    client.flood([lines.join(&b'\n'), b"\n".to_vec()].concat(), count);
    // There are no further answers, and the server continues.
    client.request("ping", json!({}));
}

/// glibc reads these variables only when a process starts.
#[cfg(target_env = "gnu")]
#[test]
fn the_server_limits_the_memory_that_the_allocator_keeps() {
    let client = Client::new(&sandbox(), &[]);
    let variables = std::fs::read(format!("/proc/{}/environ", client.id())).unwrap();
    let mut variables = variables.split(|byte| *byte == 0);
    assert!(variables.any(|variable| variable == b"MALLOC_TRIM_THRESHOLD_=131072"));
}

#[test]
fn unread_answers_use_bounded_memory() {
    let sandbox = sandbox();
    sandbox.write("big.md", "a line of text\n".repeat(150_000));
    sandbox.write("edited.md", "a line of text\n".repeat(70_000));
    sandbox.write("lines.md", "a line of text\n".repeat(4_000));
    for file in 0..300 {
        let text = format!("first\n{}", "a line of text\n".repeat(4_000));
        sandbox.write(format!("many/{file}.md"), text);
    }
    let call = |name: &'static str, arguments: Value| {
        move |id: usize| {
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": {"name": name, "arguments": arguments}})
        }
    };
    let read = call("read", json!({"address": "big.md", "max_bytes": 1 << 22}));
    let as_json = |name, key: &str| {
        call(name, json!({key: "lines.md", "pattern": "t", "format": "json", "max_bytes": 1 << 19}))
    };
    let (read_json, grep_json) = (as_json("read", "address"), as_json("grep", "path"));
    let dry_run = |address, text| {
        let arguments = json!({"operation": "replace", "address": address, "text": text,
            "content": "f", "occurrence": "all", "dry_run": true});
        call("patch", arguments)
    };
    let ping = |id: usize| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/x", "params": {"a": [1]}});
    let line = |count: usize, line: &dyn Fn(usize) -> Value| -> Vec<u8> {
        (0..count).flat_map(|id| format!("{}\n", line(100 + id)).into_bytes()).collect()
    };
    for (name, lines, count) in [
        ("malformed", b"x\n".repeat(1 << 17), 1 << 17),
        ("pings", line(50_000, &ping), 50_000),
        ("notifications", line(50_000, &|_| notification.clone()), 0),
        ("reads", line(64, &read), 64),
        ("reads as JSON", line(8, &read_json), 8),
        ("searches as JSON", line(8, &grep_json), 8),
        ("dry runs", line(16, &dry_run("edited.md", "e")), 16),
        ("dry runs in many files", line(1, &dry_run("many", "first")), 1),
    ] {
        let (answers, growth) = Client::new(&sandbox, &[]).flood(lines, count);
        // Before the calls, the server of a release takes 14 MiB.
        assert!(growth < 20 << 10, "{name}: {growth} KiB");
        let ids: std::collections::BTreeSet<_> =
            answers.iter().filter_map(|answer| answer["id"].as_u64()).collect();
        assert!(name == "malformed" || ids.len() == count, "{name}: {} answers", ids.len());
    }
}

/// Whether a line needs an answer, because it is neither blank nor a notification.
fn is_answered(line: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return !line.trim_ascii().is_empty();
    };
    message["jsonrpc"] != "2.0" || !message["method"].is_string() || message.get("id").is_some()
}

/// Feature request 003: calls as events of the Agent Client Protocol.
#[test]
fn calls_are_reported_as_events() {
    let sandbox = sandbox();
    let flags = ["--tools", "all", "--acp-events", "events", "--acp-session", "s1"];
    let mut client = Client::new(&sandbox, &flags);
    let path = sandbox.path("a.md");
    let input = json!({"path": path, "line": 1, "limit": 1});
    let output = client.call("read_text_file", input.clone()).json();
    client.call("read", json!({"address": "no.md:3-4"})).fails("NOT_FOUND");
    client.call("read_text_file", json!({"path": "x"})).fault();
    let edit = json!({"operation": "append", "address": "a.md", "content": "x"});
    client.call("patch", edit.clone()).first();
    let text = std::fs::read_to_string(sandbox.path("events")).unwrap();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len(), 8, "{text}");
    let id = &events[0]["params"]["update"]["id"];
    let update = |update: Value| json!({"method": "session/update", "params": {"sessionId": "s1", "update": update}});
    let begun = json!({"type": "toolCall", "id": id, "kind": "read", "status": "pending",
        "title": "read_text_file", "locations": [{"path": path}], "rawInput": input});
    assert_eq!(events[0], update(begun));
    let fields = json!({"status": "completed", "rawOutput": output});
    assert_eq!(events[1], update(json!({"type": "toolCallUpdate", "id": id, "fields": fields})));
    let at = |at: usize| &events[at]["params"]["update"];
    assert_eq!(at(2)["locations"], json!([{"path": "no.md", "line": 3}]));
    assert_eq!(at(3)["fields"]["status"], "failed");
    assert_eq!(at(5)["fields"]["rawOutput"]["error"]["code"], -32600);
    assert_eq!((&at(6)["kind"], &at(6)["rawInput"]), (&json!("edit"), &edit));
    assert_eq!(client.end(), Some(0));
    // Calls succeed even if events cannot be written.
    let mut client = Client::new(&sandbox, &["--acp-events", "/dev/full"]);
    assert_eq!(client.call("read", json!({"address": "one/a.md"})).first(), "# One\n");
    sandbox.run(&["mcp", "--acp-events", "no/such"]).exits(2).tells("no/such");
}

/// Simulates an editor with open files. A function answers each request, or leaves it unanswered.
fn editor(
    sandbox: &Sandbox,
    answer: impl Fn(&Value) -> Option<Value> + Send + 'static,
) -> std::path::PathBuf {
    let path = sandbox.path("editor");
    let _ = std::fs::remove_file(&path);
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        // Requests that are not answered stay open.
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            let question: Value = serde_json::from_str(&line).unwrap();
            if let Some(mut answer) = answer(&question) {
                answer["jsonrpc"] = json!("2.0");
                answer["id"] = question["id"].clone();
                let other = json!({"jsonrpc": "2.0", "method": "session/other"});
                stream.write_all(format!("{other}\n{answer}\n").as_bytes()).unwrap();
            }
            open.push(stream);
        }
    });
    path
}

/// Feature request 003: the text in an editor takes precedence over the file on disk, and the
/// answer states the source.
#[test]
fn an_editor_is_asked_before_the_disk() {
    let sandbox = sandbox();
    let inside = sandbox.path("a.md").to_str().unwrap().to_owned();
    let new = sandbox.path("new.md").to_str().unwrap().to_owned();
    let known = [inside.clone(), new.clone()];
    let socket = editor(&sandbox, move |question| {
        assert_eq!(question["method"], "fs/read_text_file");
        assert_eq!(question["params"]["sessionId"], "s1");
        let path = question["params"]["path"].as_str().unwrap();
        let content = json!({"result": {"content": "one\ntwo\nthree"}});
        let error = json!({"error": {"code": -32000, "message": "not open"}});
        Some(if known.iter().any(|other| other == path) { content } else { error })
    });
    let socket = socket.to_str().unwrap();
    let flags = ["--tools", "all", "--acp-socket", socket, "--acp-session", "s1"];
    let mut client = Client::new(&sandbox, &flags);
    let mut read = |arguments: Value| client.call("read_text_file", arguments).json();
    assert_eq!(
        read(json!({"path": inside})),
        json!({"content": "one\ntwo\nthree", "_meta":
            {"total_lines": 3, "returned_lines": 3, "has_more": false, "source": "editor"}})
    );
    assert_eq!(
        read(json!({"path": new, "line": 2, "limit": 1})),
        json!({"content": "two\n", "_meta": {"total_lines": 3, "returned_lines": 1,
            "has_more": true, "next_line": 3, "source": "editor"}})
    );
    let other = read(json!({"path": sandbox.path("one/a.md")}));
    assert_eq!((&other["content"], &other["_meta"]["source"]), (&json!("# One\n"), &json!("disk")));
    let past = client.call("read_text_file", json!({"path": inside, "line": 9})).fault();
    assert_eq!(past.0, -32600);
    assert!(past.1.contains("3 lines"), "{}", past.1);
    // The editor is not asked for files outside the root, and other tools read from disk.
    let outside = json!({"path": sandbox.path("../a.md")});
    assert_eq!(client.call("read_text_file", outside).fault().0, -32002);
    assert_eq!(client.call("read", json!({"address": "a.md"})).first(), "# Here\n");
}

#[test]
fn a_silent_editor_does_not_delay_a_call_for_long() {
    let sandbox = sandbox();
    let path = json!({"path": sandbox.path("a.md")});
    for answers in [None, Some(json!({"result": {"content": 7}})), Some(json!({"result": null}))] {
        let socket = editor(&sandbox, move |_| answers.clone());
        let flags = ["--tools", "all", "--acp-socket", socket.to_str().unwrap()];
        let mut client = Client::new(&sandbox, &flags);
        let read = client.call("read_text_file", path.clone()).json();
        assert_eq!(
            (&read["content"], &read["_meta"]["source"]),
            (&json!("# Here\n"), &json!("disk"))
        );
    }
    // A socket that does not exist, and a socket that does not accept connections.
    let none = sandbox.path("none");
    let deaf = sandbox.path("deaf");
    let _listener = UnixListener::bind(&deaf).unwrap();
    let long = sandbox.path("long".repeat(50));
    for socket in [none, deaf, long] {
        let flags = ["--tools", "all", "--acp-socket", socket.to_str().unwrap()];
        let mut client = Client::new(&sandbox, &flags);
        let read = client.call("read_text_file", path.clone()).json();
        assert_eq!(read["_meta"]["source"], "disk");
    }
}

/// Clients on Node use sockets as streams. Reading and writing them requires threads that are not
/// occupied by waiting calls.
#[test]
fn long_calls_do_not_block_others_if_streams_are_sockets() {
    let sandbox = sandbox();
    let directory = File::open(sandbox.path("")).unwrap();
    flock(directory.as_fd(), FlockOperation::LockExclusive).unwrap();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let mut command = sandbox.command();
    command.args(["mcp", "--timeout", "600"]).stderr(Stdio::null());
    command.stdin(OwnedFd::from(theirs.try_clone().unwrap())).stdout(OwnedFd::from(theirs));
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut answers = BufReader::new(ours.try_clone().unwrap()).lines();
    let mut send = |id: u64, method: &str, params: Value| {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        ours.write_all(format!("{line}\n").as_bytes()).unwrap();
    };
    send(
        0,
        "initialize",
        json!({"protocolVersion": VERSION, "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}),
    );
    let edit = json!({"operation": "append", "address": "a.md", "content": "more"});
    for id in 1..=12 {
        send(id, "tools/call", json!({"name": "patch", "arguments": edit}));
    }
    send(13, "ping", json!({}));
    let mut next = || -> Value { serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap() };
    assert_eq!((next()["id"].clone(), next()["id"].clone()), (json!(0), json!(13)));
    drop(directory);
    let ids: std::collections::BTreeSet<u64> =
        (0..12).map(|_| next()["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, (1..=12).collect());
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
