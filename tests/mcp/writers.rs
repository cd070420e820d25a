//! Edits by tools in difficult situations: many clients at the same time, a killed server,
//! directories without locks, clients that do not read, and names that become symlinks.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Client, VERSION};
use crate::support::Sandbox;
use crate::support::system::{has, leftovers};

/// Returns an edit of a.md that inserts one line before the last one.
fn line(text: &str) -> Value {
    json!({"name": "patch", "arguments": {"operation": "append", "address": "a.md", "content": text}})
}

/// A cancelled edit is answered, and the answer says truthfully whether the file was changed.
#[test]
fn answers_to_cancelled_edits_say_whether_they_were_made() {
    let sandbox = Sandbox::with(&[("a.md", "# Log\n")]);
    let mut client = Client::new(&sandbox, &[]);
    for number in 0..60 {
        let text = format!("line {number}.");
        let id = client.ask("tools/call", line(&text));
        std::thread::sleep(Duration::from_micros(number * 400));
        let method = "notifications/cancelled";
        let params = json!({"requestId": id});
        client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
        let answer = client.receive();
        assert_eq!(answer["id"], id);
        let is_made = answer["result"]["isError"] == false;
        let contents = fs::read_to_string(sandbox.path("a.md")).unwrap();
        assert_eq!(contents.contains(&text), is_made, "{answer}");
    }
}

/// Sends many patches to several servers at the same time. Every patch that is reported as made
/// must be in the file.
fn check_clients(servers: usize, patches: usize) {
    let sandbox = Sandbox::with(&[("a.md", "# Log\n")]);
    let write = |server: usize| {
        let mut client = Client::new(&sandbox, &[]);
        let text = |patch: i64| format!("server {server} patch {patch}");
        let mut open = patches;
        let mut asked = std::collections::BTreeMap::new();
        for patch in 0..patches {
            let patch = i64::try_from(patch).unwrap();
            asked.insert(client.ask("tools/call", line(&text(patch))), patch);
        }
        while open > 0 {
            let answer = client.receive();
            let patch = asked[&answer["id"].as_i64().unwrap()];
            match answer["result"]["isError"] == true {
                false => open -= 1,
                // On a busy machine, an edit may fail because it waits too long for the lock.
                true => {
                    let answer = answer.to_string();
                    let waited = ["LOCKED", "CANCELLED"].iter().any(|code| answer.contains(code));
                    assert!(waited, "{answer}");
                    asked.insert(client.ask("tools/call", line(&text(patch))), patch);
                }
            }
        }
        assert_eq!(client.end(), Some(0));
        (0..patches).map(|patch| text(i64::try_from(patch).unwrap())).collect::<Vec<String>>()
    };
    let mut reported: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..servers).map(|server| scope.spawn(move || write(server))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let text = fs::read_to_string(sandbox.path("a.md")).unwrap();
    let mut there: Vec<&str> = text.lines().skip(1).filter(|line| !line.is_empty()).collect();
    reported.sort();
    there.sort_unstable();
    assert_eq!(there, reported);
    assert_eq!(leftovers(&sandbox.path(".")), Vec::<PathBuf>::new());
}

#[test]
fn patches_of_many_clients_are_all_applied() {
    check_clients(1, 40);
    check_clients(4, 10);
}

#[test]
#[ignore = "the numbers that are aimed at"]
fn patches_of_a_hundred_clients_are_all_applied() {
    check_clients(1, 100);
    check_clients(100, 1);
    check_clients(5, 60);
}

/// Temporary names next to the targets are unique even if directories cannot be locked.
#[test]
fn calls_of_one_server_do_not_conflict_without_directory_locks() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let sandbox = Sandbox::new();
    for number in 0..40 {
        sandbox.write(format!("d/{number}.md"), "# Title\n\nold\n");
    }
    let mut command = sandbox.command_of("strace");
    // Without unnamed temporary files, every edit uses a temporary name immediately.
    command.args(["-f", "-o", "trace", "-e", "trace=flock,faccessat,faccessat2"]);
    command.args(["-e", "inject=flock:error=ENOLCK", "-e", "inject=faccessat:error=ENOENT"]);
    command.args([env!("CARGO_BIN_EXE_folio"), "mcp", "--timeout", "600"]);
    let mut client = Client::of(command);
    client.greet(VERSION, json!({}));
    for number in 0..40 {
        let edit = json!({"operation": "replace", "address": format!("d/{number}.md"),
            "text": "old", "content": format!("newer {number}")});
        client.ask("tools/call", json!({"name": "patch", "arguments": edit}));
    }
    for _ in 0..40 {
        let answer = client.receive();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }
    assert_eq!(client.end(), Some(0));
    assert!(fs::read_to_string(sandbox.path("trace")).unwrap().contains("ENOLCK"));
    for number in 0..40 {
        let text = fs::read_to_string(sandbox.path(format!("d/{number}.md"))).unwrap();
        assert_eq!(text, format!("# Title\n\nnewer {number}\n"));
    }
    assert_eq!(fs::read_dir(sandbox.path("d")).unwrap().count(), 40);
}

#[test]
fn a_server_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let filler = "some words that are there to take room\n".repeat(200_000);
    let [old, new] = ["old", "newer"].map(|word| format!("{filler}the {word} words\n{filler}"));
    let sandbox = Sandbox::with(&[("w/a.md", &old), ("w/next.md", "old\n")]);
    let path = sandbox.path("w/a.md");
    let edit = |name: &str, text: &str, content: &str| {
        json!({"name": "patch", "arguments": {
            "operation": "replace", "address": name, "text": text, "content": content}})
    };
    let mut client = Client::new(&sandbox, &[]);
    for turn in 0..10 {
        fs::write(&path, &old).unwrap();
        client.ask("tools/call", edit("w/a.md", "old", "newer"));
        std::thread::sleep(Duration::from_millis(turn * turn * 3));
        client.kill();
        let found = fs::read(&path).unwrap();
        assert!(found == old.as_bytes() || found == new.as_bytes(), "turn {turn}");
        // The first edit of a new server removes leftover files.
        client = Client::new(&sandbox, &[]);
        let words = if turn.is_multiple_of(2) { ["old", "newer"] } else { ["newer", "old"] };
        let answer = client.request("tools/call", edit("w/next.md", words[0], words[1]));
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        assert_eq!(leftovers(&sandbox.path("w")), Vec::<PathBuf>::new(), "turn {turn}");
    }
}

/// Unread answers fill the pipe. Still, the edits are made, and no lock remains.
#[test]
fn a_client_that_reads_no_answers_does_not_block_others() {
    let sandbox = Sandbox::with(&[("a.md", "# Log\n"), ("large.md", &"word\n".repeat(100_000))]);
    let mut client = Client::new(&sandbox, &[]);
    let large = json!({"name": "read", "arguments": {"address": "large.md"}});
    for _ in 0..30 {
        client.ask("tools/call", large.clone());
    }
    client.ask("tools/call", line("by the client"));
    let path = sandbox.path("a.md");
    while !fs::read_to_string(&path).unwrap().contains("by the client") {
        std::thread::sleep(Duration::from_millis(5));
    }
    sandbox.run(&["patch", "append", "a.md", "-c", "by another"]).exits(0);
    let mut other = Client::new(&sandbox, &[]);
    assert_eq!(other.call("read", json!({"address": "a.md", "tail": 1})).first(), "by another\n");
    // The server continues: when the client reads, it gets all answers.
    let ids: std::collections::BTreeSet<i64> =
        (0..31).map(|_| client.receive()["id"].as_i64().unwrap()).collect();
    assert_eq!(ids.len(), 31);
    assert_eq!(client.end(), Some(0));
}
