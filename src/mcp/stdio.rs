//! The streams of the server. Lines are checked before the SDK receives them, because the SDK
//! silently drops invalid lines. Each answer is one line.

use std::future::Future;
use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, ProtocolVersion,
    ServerJsonRpcMessage,
};
use rmcp::transport::{StdioReader, Transport, stdio_pipes};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::flow::Flow;
use super::served::Served;
use super::server::CALL_TOOL;
use super::tool::Effect;
use crate::commands::json::{DistinctFields, kind_of};

/// Maximum length of an input line in bytes. A message needs several times as much memory.
const MAX_LINE: usize = 8 << 20;

/// Number of bytes at the beginning and at the end of a longer line in which its id is searched.
const ENDS: usize = 1 << 10;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// A transport of JSON-RPC lines on standard input and output.
pub struct Stdio {
    lines: InputLines,
    /// Whether the client has initialized a session. Before that, only requests are passed to the
    /// SDK.
    has_begun: bool,
    flow: Arc<Flow>,
    served: Served,
    ends: Ends,
}

/// The signals that end the server. As at the end of the input, running calls are completed.
struct Ends {
    hangup: Signal,
    interrupt: Signal,
    terminate: Signal,
}

impl Ends {
    fn new() -> io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn recv(&mut self) {
        tokio::select! {
            _ = self.hangup.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

struct InputLines {
    input: BufReader<StdioReader>,
    line: Vec<u8>,
    /// Whether the current line exceeds the maximum length. Only its beginning and its end are kept.
    is_too_long: bool,
    is_at_end: bool,
}

impl InputLines {
    /// Reads to the end of a line or of the input. Returns `false` at the end of the input. This
    /// function is cancellation-safe: a partial line is kept.
    async fn read(&mut self) -> io::Result<bool> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                // The last line need not end in a newline.
                self.is_at_end = true;
                return Ok(!self.line.is_empty() || self.is_too_long);
            }
            let end = memchr::memchr(b'\n', available);
            let part = &available[..end.unwrap_or(available.len())];
            self.is_too_long |= self.line.len() + part.len() > MAX_LINE;
            self.line.extend_from_slice(part);
            if self.is_too_long && self.line.len() > 2 * ENDS {
                let end = self.line.len() - ENDS;
                self.line.drain(ENDS..end);
                self.line.shrink_to_fit();
            }
            let length = part.len() + usize::from(end.is_some());
            self.input.consume(length);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

impl Stdio {
    /// Opens the streams of the process, for calls of the tools in `served`. Answers are queued in
    /// `flow`.
    ///
    /// # Errors
    ///
    /// Fails if signal handlers cannot be installed.
    pub(super) fn open(served: Served, flow: Arc<Flow>) -> io::Result<Self> {
        let (input, output) = stdio_pipes();
        tokio::spawn(flow.clone().write(output));
        Ok(Self {
            lines: InputLines {
                input: BufReader::with_capacity(64 << 10, input),
                line: Vec::new(),
                is_too_long: false,
                is_at_end: false,
            },
            has_begun: false,
            flow,
            served,
            ends: Ends::new()?,
        })
    }

    /// Parses the current line. Returns the message, unless there is none to handle. Answers an
    /// invalid line with an error.
    fn take_line(&mut self) -> Option<ClientJsonRpcMessage> {
        let line = std::mem::take(&mut self.lines.line);
        let size = line.len();
        let parsed = if std::mem::take(&mut self.lines.is_too_long) {
            let most = MAX_LINE >> 20;
            let message = format!("the line is longer than {most} MiB: divide the request");
            Err(Refused::new(PARSE_ERROR, message, outer_id(&line)))
        } else {
            parse_message(line)
        };
        let admitted = match parsed {
            Ok(Some(message)) => self.admit(message, size),
            Ok(None) => Ok(None),
            Err(refused) => Err(refused),
        };
        admitted.unwrap_or_else(|refused| {
            // Any JSON value can be serialized.
            let _ = self.flow.push(&refused.answer());
            None
        })
    }

    /// Registers requests and cancellations with the flow. Returns `None` if the message is to be
    /// ignored because no session has begun.
    fn admit(
        &mut self,
        message: ClientJsonRpcMessage,
        size: usize,
    ) -> Result<Option<ClientJsonRpcMessage>, Refused> {
        match &message {
            JsonRpcMessage::Request(request) => {
                use rmcp::model::GetMeta;
                let meta = request.request.get_meta();
                // If a notification arrives before one of these requests, the SDK ends the session.
                let is_opening = match request.request {
                    ClientRequest::InitializeRequest(_) => true,
                    ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_) => false,
                    _ => {
                        let version = meta.protocol_version();
                        let is_known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(version);
                        version.as_ref().is_some_and(is_known)
                            && meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                    }
                };
                self.has_begun |= is_opening;
                let may_write = self.may_write(&request.request);
                if !self.flow.begin(&request.id, size, may_write) {
                    let id = request.id.clone().into_json_value();
                    let message = format!("a request with the id {id} is still being answered");
                    return Err(Refused::new(INVALID_REQUEST, message, Some(id)));
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                    && self.flow.cancel(id)
                {
                    // The SDK would drop the answer.
                    return Ok(None);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        let is_request = matches!(message, JsonRpcMessage::Request(_));
        Ok((self.has_begun || is_request).then_some(message))
    }

    /// Whether a request calls a tool that may change files. If the call is cancelled, the client
    /// must nevertheless learn whether they were changed. Other cancelled requests are not
    /// answered, as the protocol recommends.
    fn may_write(&self, request: &ClientRequest) -> bool {
        let name = match request {
            ClientRequest::CallToolRequest(call) => Some(&*call.params.name),
            ClientRequest::CustomRequest(call) if call.method == CALL_TOOL => {
                call.params.as_ref().and_then(|params| params["name"].as_str())
            }
            _ => None,
        };
        let tool = name.and_then(|name| self.served.find(name).ok());
        tool.is_some_and(|tool| tool.effect != Effect::Reads)
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let sent = self.flow.push(&message).map(|()| {
            let id = match message {
                JsonRpcMessage::Response(response) => Some(response.id),
                JsonRpcMessage::Error(error) => error.id,
                _ => None,
            };
            id.iter().for_each(|id| self.flow.end(id));
        });
        std::future::ready(sent)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        while !self.lines.is_at_end {
            let next_line = async {
                // The task for the previous line starts first, so that tasks do not accumulate.
                tokio::task::yield_now().await;
                self.flow.room().await;
                self.lines.read().await
            };
            let has_line = tokio::select! {
                read = next_line => read.ok()?,
                () = self.ends.recv() => return None,
                () = self.flow.closed() => return None,
            };
            if has_line && let Some(message) = self.take_line() {
                return Some(message);
            }
        }
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// For fuzzing: returns whether a line is a message, or the error with which it is answered.
#[cfg(fuzzing)]
pub fn check_message(line: &[u8]) -> Result<bool, Vec<u8>> {
    parse_message(line.to_vec())
        .map(|message| message.is_some())
        .map_err(|refused| refused.answer().to_string().into_bytes())
}

/// An invalid line.
#[derive(Debug, PartialEq)]
struct Refused {
    code: i32,
    message: String,
    /// The id of the request, if the line contains a readable one.
    id: Option<Value>,
}

impl Refused {
    fn new(code: i32, message: impl Into<String>, id: Option<Value>) -> Self {
        Self { code, message: message.into(), id }
    }

    fn answer(self) -> Value {
        let error = json!({"code": self.code, "message": self.message});
        json!({"jsonrpc": "2.0", "id": self.id, "error": error})
    }
}

/// Parses a line. Returns `None` if it is empty.
fn parse_message(line: Vec<u8>) -> Result<Option<ClientJsonRpcMessage>, Refused> {
    let text = line.trim_ascii();
    if text.is_empty() {
        return Ok(None);
    }
    let value = match serde_json::from_slice(text) {
        Ok(DistinctFields(value)) => value,
        Err(error) => {
            let is_text = std::str::from_utf8(text).is_ok();
            let why = if is_text { error.to_string() } else { "it is not UTF-8".to_owned() };
            let message = format!("the line is not JSON: {why}");
            return Err(Refused::new(PARSE_ERROR, message, scanned_id(text)));
        }
    };
    // The line and the message need not be in memory at the same time.
    drop(line);
    check_shape(&value)?;
    let id = value.get("id").cloned();
    let is_request = id.is_some();
    serde_json::from_value(value).map(Some).map_err(|error| {
        let what = if is_request { "request" } else { "notification" };
        Refused::new(INVALID_REQUEST, format!("the {what} is not understood: {error}"), id)
    })
}

/// Checks that a value is a JSON-RPC message.
fn check_shape(value: &Value) -> Result<(), Refused> {
    let refuse = |message: &str, id| Err(Refused::new(INVALID_REQUEST, message, id));
    let Value::Object(object) = value else {
        return match value {
            Value::Array(_) => refuse("batches are not supported: send one message per line", None),
            other => {
                let message = format!("expected a message, found {}", kind_of(other));
                refuse(&message, None)
            }
        };
    };
    let id = object.get("id");
    let is_id = |id: &Value| id.is_string() || id.is_i64();
    let known = id.filter(|id| is_id(id)).cloned();
    if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refuse("\"jsonrpc\" must be \"2.0\"", known);
    }
    if id.is_some() && known.is_none() {
        return refuse("the id must be a string or a whole number", None);
    }
    let is_answer = object.contains_key("result") || object.contains_key("error");
    match (object.get("method"), is_answer) {
        (None, false) => refuse("the method is missing", known),
        (Some(method), _) if !method.is_string() => refuse("the method must be a string", known),
        _ => match object.get("params") {
            Some(params) if !params.is_object() => {
                let message = format!("params: expected an object, found {}", kind_of(params));
                refuse(&message, known)
            }
            _ => Ok(()),
        },
    }
}

/// Finds the id of a request of which only the beginning and the end are known, if it is there. Other
/// fields with this name are in an object within the message.
fn outer_id(line: &[u8]) -> Option<Value> {
    let (beginning, end) = line.split_at(line.len().min(ENDS));
    let before = memchr::memmem::find(beginning, b"\"id\"").map(|at| &beginning[..at]);
    if before.is_some_and(|before| memchr::memchr_iter(b'{', before).count() == 1) {
        return scanned_id(beginning);
    }
    let last = &end[memchr::memmem::rfind(end, b"\"id\"")?..];
    let is_last = memchr::memchr_iter(b'}', last.trim_ascii_end()).count() == 1;
    if is_last && !last.contains(&b',') { scanned_id(last) } else { None }
}

/// Finds the id in a line that is not valid JSON, so that the client can match the error to its
/// request.
fn scanned_id(line: &[u8]) -> Option<Value> {
    let at = memchr::memmem::find(line, b"\"id\"")? + 4;
    let rest = line[at..].trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
    let end = match rest.first()? {
        b'"' => memchr::memchr(b'"', &rest[1..])? + 2,
        _ => rest.iter().position(|byte| !(byte.is_ascii_digit() || *byte == b'-'))?,
    };
    let id: Value = serde_json::from_slice(&rest[..end]).ok()?;
    (id.is_string() || id.is_i64()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &[u8], code: i32, part: &str, id: Value) {
        let refused = parse_message(line.to_vec()).expect_err("a refusal");
        assert_eq!((refused.code, refused.id.clone().unwrap_or_default()), (code, id));
        assert!(refused.message.contains(part), "{}", refused.message);
    }

    #[test]
    fn invalid_messages_are_reported() {
        let nothing = Value::Null;
        check(b"{", PARSE_ERROR, "not JSON", nothing.clone());
        check(br#"{"jsonrpc":"2.0","id":7,"method":"x""#, PARSE_ERROR, "not JSON", json!(7));
        check(br#"{"id" : "a","method":"\ud800"}"#, PARSE_ERROR, "not JSON", json!("a"));
        check(b"{\"id\":3,\"x\":\"\xff\"}", PARSE_ERROR, "UTF-8", json!(3));
        check("[".repeat(10_000).as_bytes(), PARSE_ERROR, "recursion", nothing.clone());
        check(b"[]", INVALID_REQUEST, "batches", nothing.clone());
        check(b"7", INVALID_REQUEST, "found a number", nothing.clone());
        check(br#"{"id":1,"method":"x"}"#, INVALID_REQUEST, "2.0", json!(1));
        for id in ["null", "1.5", "true", "[1]", "{}", "99999999999999999999"] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            check(line.as_bytes(), INVALID_REQUEST, "the id must", nothing.clone());
        }
        check(br#"{"jsonrpc":"2.0","id":1}"#, INVALID_REQUEST, "method is missing", json!(1));
        check(br#"{"jsonrpc":"2.0","id":1,"method":7}"#, INVALID_REQUEST, "a string", json!(1));
        let line = br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#;
        check(line, INVALID_REQUEST, "found a list", json!(1));
    }

    #[test]
    fn the_id_of_a_long_request_is_at_its_beginning_or_end() {
        let long = "x".repeat(3 * ENDS);
        let check = |line: String, id: Option<Value>| assert_eq!(outer_id(line.as_bytes()), id);
        check(
            format!(r#"{{"jsonrpc":"2.0","id":7,"params":{{"id":8,"a":"{long}"}}}}"#),
            Some(json!(7)),
        );
        check(
            format!(r#"{{"params":{{"id":8,"a":"{long}"}},"jsonrpc":"2.0","id":"x"}}"#),
            Some(json!("x")),
        );
        check(format!(r#"{{"params":{{"id":8,"a":"{long}"}},"id": 9 }} "#), Some(json!(9)));
        check(format!(r#"{{"params":{{"id":8,"a":"{long}"}},"jsonrpc":"2.0"}}"#), None);
        check(format!(r#"{{"params":{{"a":"{long}","id":8}}}}"#), None);
        check(format!(r#"{{"params":{{"a":"{long}","id":8}},"method":"x"}}"#), None);
    }

    #[test]
    fn valid_messages_are_accepted() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"read"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"}}"#,
        ] {
            assert!(parse_message(line.into()).is_ok_and(|message| message.is_some()), "{line}");
        }
        assert!(parse_message(b" \r".to_vec()).is_ok_and(|message| message.is_none()));
    }
}
