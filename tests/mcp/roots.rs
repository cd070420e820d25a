//! The roots of a server: of its client, of its command line, and those that do not exist yet.

use std::fs::File;
use std::os::fd::AsFd;

use rustix::fs::{FlockOperation, flock};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{Called, Client, VERSION, two_directories};

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
    let sandbox = two_directories();
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
    let sandbox = two_directories();
    let mut client = Client::silent(&sandbox, &[]);
    client.greet(VERSION, json!({"roots": {}}));
    let unusable = ["vscode-remote://host/a", "https://x/y", "file://other/a", "/a"];
    let error = json!({"error": {"code": -32601, "message": "no such method"}});
    let answers = unusable.map(|uri| (json!({"result": {"roots": [{"uri": uri}]}}), uri));
    let others = [(json!({"result": {"roots": []}}), "has no roots"), (error, "no such method")];
    for (answer, message) in answers.into_iter().chain(others) {
        let (question, id) = asked(&mut client);
        reply(&mut client, &question, answer);
        let refused = answer_to(&mut client, id).fails("OUTSIDE_ROOT");
        assert!(refused.contains(message) && refused.contains("folio mcp --root DIR"), "{refused}");
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
    let sandbox = two_directories();
    let mut client = Client::silent(&sandbox, &["--root", "one"]);
    client.greet(VERSION, json!({"roots": {}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    assert_eq!(client.call("read", json!({"address": "a.md"})).first(), "# One\n");
}

#[test]
fn a_server_describes_its_confinement_by_the_kernel() {
    let confinement = |arguments: &[&str]| {
        let sandbox = two_directories();
        let greeting = Client::silent(&sandbox, arguments).greet(VERSION, json!({}));
        greeting["result"]["serverInfo"]["description"].as_str().unwrap().to_owned()
    };
    assert_eq!(confinement(&[]), "not confined by the kernel: no --root is given");
    assert!(confinement(&["--root", "later"]).contains("a root is missing"));
    let confined = confinement(&["--root", "one", "--read-only"]);
    let no_landlock = "not confined by the kernel: it has no Landlock";
    assert!(confined.contains("): reads below the roots") || confined == no_landlock, "{confined}");
}

#[test]
fn a_missing_root_works_once_it_exists() {
    let sandbox = two_directories();
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
        let sandbox = two_directories();
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
