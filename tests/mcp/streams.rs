//! The streams, signals and memory of a server, and the events that it reports.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use super::{Client, VERSION, is_answered, two_directories};
use crate::support::outcome;

#[test]
fn a_closed_output_ends_the_server_without_an_error() {
    let mut client = Client::new(&two_directories(), &[]);
    client.close_output();
    client.ask("ping", json!({}));
    assert_eq!(client.end(), Some(0));
}

/// Standard output contains only the protocol, regardless of the environment variables.
#[test]
fn logs_do_not_appear_in_the_protocol_stream() {
    let sandbox = two_directories();
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
    let mut client = Client::new(&two_directories(), &[]);
    client.flood([lines.join(&b'\n'), b"\n".to_vec()].concat(), count);
    // There are no further answers, and the server continues.
    client.request("ping", json!({}));
}

/// glibc reads these variables only when a process starts.
#[cfg(target_env = "gnu")]
#[test]
fn the_server_limits_the_memory_that_the_allocator_keeps() {
    let client = Client::new(&two_directories(), &[]);
    let variables = std::fs::read(format!("/proc/{}/environ", client.id())).unwrap();
    let mut variables = variables.split(|byte| *byte == 0);
    assert!(variables.any(|variable| variable == b"MALLOC_TRIM_THRESHOLD_=131072"));
}

#[test]
fn unread_answers_use_bounded_memory() {
    let sandbox = two_directories();
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
        ("malformed", b"x\n".repeat(1 << 16), 1 << 16),
        ("pings", line(25_000, &ping), 25_000),
        ("notifications", line(25_000, &|_| notification.clone()), 0),
        ("reads", line(16, &read), 16),
        ("reads as JSON", line(8, &read_json), 8),
        ("searches as JSON", line(8, &grep_json), 8),
        ("dry runs", line(8, &dry_run("edited.md", "e")), 8),
        ("dry runs in many files", line(1, &dry_run("many", "first")), 1),
    ] {
        let (answers, growth) = Client::new(&sandbox, &[]).flood(lines, count);
        // Before the calls, the server of a release takes 14 MiB.
        assert!(growth < 22 << 10, "{name}: {growth} KiB");
        let ids: std::collections::BTreeSet<_> =
            answers.iter().filter_map(|answer| answer["id"].as_u64()).collect();
        assert!(name == "malformed" || ids.len() == count, "{name}: {} answers", ids.len());
    }
}

/// Calls are events of the Agent Client Protocol.
#[test]
fn calls_are_reported_as_events() {
    let sandbox = two_directories();
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

/// Clients on Node use sockets as streams. Reading and writing them requires threads that are not
/// occupied by waiting calls.
#[test]
fn long_calls_do_not_block_others_if_streams_are_sockets() {
    let sandbox = two_directories();
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
