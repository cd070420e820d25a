//! An editor that is the client: it is asked for unsaved text before the disk.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;

use serde_json::{Value, json};

use super::{Client, two_directories};
use crate::support::Sandbox;

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

/// The text in an editor takes precedence over the file on disk, and the answer states the source.
#[test]
fn an_editor_is_asked_before_the_disk() {
    let sandbox = two_directories();
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
    let sandbox = two_directories();
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
