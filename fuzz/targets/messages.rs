//! Lines of JSON-RPC: the server accepts or ignores each of them, or refuses it with an answer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Err(answer) = folio::fuzzing::check_message(data) else { return };
    let answer: Value = serde_json::from_slice(&answer).expect("an answer in JSON");
    assert_eq!(answer["jsonrpc"], "2.0");
    assert!(answer["error"]["code"].is_i64() && answer["error"]["message"].is_string());
    let given: Option<Value> = serde_json::from_slice(data).ok();
    let id = given.as_ref().and_then(|given| given.get("id"));
    // The answer has the ID of the request.
    if let Some(id) = id.filter(|id| id.is_string() || id.is_i64()) {
        assert_eq!(&answer["id"], id);
    }
});
