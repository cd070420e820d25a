//! The server of `folio mcp` from its start to its end: roots, signals, streams.

use std::fs::File;
use std::os::fd::AsFd;
use std::process::Stdio;

use rustix::fs::{FlockOperation, flock};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::mcp::{Called, Client, VERSION};
use crate::support::{Sandbox, outcome};

fn sandbox() -> Sandbox {
    Sandbox::with(&[("one/a.md", "# One\n"), ("two b/a.md", "# Two\n"), ("a.md", "# Here\n")])
}

/// The first line of a.md, after the server has asked for roots.
#[track_caller]
fn first_line(client: &mut Client, roots: &[String]) -> String {
    let params = json!({"name": "read", "arguments": {"address": "a.md:1"}});
    let id = client.ask("tools/call", params);
    let question = client.receive();
    assert_eq!(question["method"], "roots/list", "{question}");
    let roots: Vec<Value> = roots.iter().map(|uri| json!({"uri": uri})).collect();
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}}));
    let answer = client.receive();
    assert_eq!(answer["id"], id, "{answer}");
    Called(answer).first()
}

#[test]
fn the_roots_of_a_client_hold_and_are_followed() {
    let sandbox = sandbox();
    let uri =
        |name: &str| format!("file://{}", sandbox.path(name).to_str().unwrap().replace(' ', "%20"));
    let mut client = Client::silent(&sandbox, &[]);
    client.greet(VERSION, json!({"roots": {"listChanged": true}}));
    assert_eq!(first_line(&mut client, &[uri("one")]), "# One\n");
    // They are not asked for again.
    assert_eq!(client.call("read", json!({"address": "a.md"})).first(), "# One\n");
    client.call("read", json!({"address": "../a.md"})).fails("OUTSIDE_ROOT");
    let whole = sandbox.path("one/a.md");
    assert_eq!(client.call("read", json!({"address": whole})).first(), "# One\n");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    assert_eq!(first_line(&mut client, &[uri("two b"), "https://x/y".to_owned()]), "# Two\n");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    assert_eq!(first_line(&mut client, &[]), "# Here\n");
}

#[test]
fn roots_that_were_given_hold_whatever_a_client_says() {
    let sandbox = sandbox();
    let mut client = Client::silent(&sandbox, &["--root", "one"]);
    client.greet(VERSION, json!({"roots": {}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    assert_eq!(client.call("read", json!({"address": "a.md"})).first(), "# One\n");
}

#[test]
fn a_root_that_is_missing_works_when_it_is_there() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &["--root", "one", "--root", "late=later"]);
    assert_eq!(client.call("read", json!({"address": "a.md"})).first(), "# One\n");
    let address = json!({"address": "late/a.md"});
    client.call("read", address.clone()).fails("The root 'late=later' is missing at the moment");
    sandbox.write("later/a.md", "# Late\n");
    assert_eq!(client.call("read", address.clone()).first(), "# Late\n");
    assert!(!client.call("read", json!({"address": "late/no.md"})).fails("").contains("missing"));
    std::fs::remove_dir_all(sandbox.path("later")).unwrap();
    client.call("read", address).fails("is missing at the moment");
}

/// A patch that waits for another writer is made though input has ended.
#[test]
fn what_waits_at_the_end_is_done_and_answered() {
    for ends_by_signal in [false, true] {
        let sandbox = sandbox();
        let directory = File::open(sandbox.path("")).unwrap();
        flock(directory.as_fd(), FlockOperation::LockExclusive).unwrap();
        let mut client = Client::new(&sandbox, &[]);
        let edit = json!({"operation": "append", "address": "a.md", "content": "more"});
        let id = client.ask("tools/call", json!({"name": "patch", "arguments": edit}));
        // What comes after it is answered, so the patch has begun.
        client.request("ping", json!({}));
        match ends_by_signal {
            true => client.signal(Signal::TERM),
            false => client.end_input(),
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
fn nobody_who_reads_ends_it_quietly() {
    let mut client = Client::new(&sandbox(), &[]);
    client.close_output();
    client.ask("ping", json!({}));
    assert_eq!(client.end(), Some(0));
}

/// What is said on standard output is the protocol, whatever the environment asks
/// for.
#[test]
fn logs_are_no_part_of_the_protocol() {
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

/// A request, cut off everywhere and changed everywhere: what is no notification is
/// answered, and the server lives on.
#[test]
fn lines_that_are_nearly_messages_are_survived() {
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
        // An answer to the line, if there is one, comes before that to the ping or
        // after it.
        let id = client.ask("ping", json!({}));
        let count = if is_answered(&line) { 2 } else { 1 };
        let mut answers = Vec::new();
        while answers.len() < count || !answers.contains(&json!(id)) {
            answers.push(client.receive()["id"].clone());
        }
    }
}

/// Whether a line is anything but blank or a notification.
fn is_answered(line: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<Value>(line) else {
        return !line.trim_ascii().is_empty();
    };
    message["jsonrpc"] != "2.0" || !message["method"].is_string() || message.get("id").is_some()
}

/// Seed 003: calls as events of the Agent Client Protocol.
#[test]
fn calls_are_events() {
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
    // What cannot be written stops no call.
    let mut client = Client::new(&sandbox, &["--acp-events", "/dev/full"]);
    assert_eq!(client.call("read", json!({"address": "one/a.md"})).first(), "# One\n");
    sandbox.run(&["mcp", "--acp-events", "no/such"]).exits(2).tells("no/such");
}
