//! The protocol: versions, initialization, resources, invalid messages and cancellation.

use std::collections::BTreeSet;
use std::io::Read;
use std::os::fd::AsFd;

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use super::{Called, Client, GUIDE, VERSION, is_answered, sandbox, two_directories};

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
fn notifications_before_initialization_do_not_end_the_session() {
    let sandbox = sandbox();
    let mut client = Client::silent(&sandbox, &[]);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.send(&json!({"jsonrpc": "2.0", "id": 4, "result": {}}));
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    client.greet(VERSION, json!({}));
    assert_eq!(client.call("read", json!({"address": "a.md:1"})).first(), "# Guide\n");
}

#[test]
fn resources_have_all_parameters_of_a_tool() {
    let mut client = Client::new(&sandbox(), &[]);
    let listed = client.request("resources/list", json!({}));
    let uris: Vec<&Value> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| &resource["uri"])
        .collect();
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
    let (first, other) = (client.receive(), client.receive());
    let refused = [&first, &other].into_iter().filter(|answer| answer["error"]["code"] == -32600);
    assert_eq!(refused.count(), 1, "{first} {other}");
}

/// A waiting call does not block other calls, and ends when it is cancelled. Calls that may write
/// are answered nevertheless.
#[test]
fn a_call_can_be_cancelled_and_pings_are_answered_during_it() {
    let sandbox = sandbox();
    let directory = std::fs::File::open(sandbox.path("")).unwrap();
    flock(directory.as_fd(), FlockOperation::LockExclusive).unwrap();
    let mut client = Client::new(&sandbox, &["--timeout", "600"]);
    // As many calls as run at the same time, and some that wait in the queue.
    let edit = json!({"operation": "append", "address": "a.md", "content": "late"});
    let calls = (0..12).map(|_| json!({"name": "patch", "arguments": edit}));
    let calls = calls.chain([json!({"name": "undo", "arguments": {}})]);
    let ids: BTreeSet<i64> = calls.map(|call| client.ask("tools/call", call)).collect();
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    for id in &ids {
        let params = json!({"requestId": id, "reason": "enough"});
        let method = "notifications/cancelled";
        client.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }
    let mut answered = BTreeSet::new();
    for _ in &ids {
        let answer = client.receive();
        answered.insert(answer["id"].as_i64().unwrap());
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        // The order of calls is not defined: the undo may end before any edit begins.
        let expected = [
            "CANCELLED: the run was cancelled; no file was changed",
            "CANCELLED: the call was cancelled before it began",
            "TARGET_NOT_FOUND: there is nothing to undo",
        ];
        let is_undo = answer["id"].as_i64() == ids.last().copied();
        assert!(expected[..if is_undo { 3 } else { 2 }].contains(&text), "{answer}");
        assert_eq!(answer["result"]["isError"], true);
    }
    assert_eq!(answered, ids);
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

/// Requests that are truncated or changed at every position: all except notifications are answered,
/// and the server continues.
#[test]
fn the_server_survives_almost_valid_messages() {
    let call = r#"{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"read","arguments":{"address":"a.md:1"}}}"#;
    let mut client = Client::new(&two_directories(), &[]);
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
