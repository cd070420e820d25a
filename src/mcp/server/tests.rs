//! Tests of calls that panic, take long, are cancelled or arrive late. The tools exist only for
//! these tests.

use std::future::Future;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;

use rmcp::ServiceExt;
use serde_json::json;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

use super::*;
use crate::mcp::flow::MAX_CALLS;
use crate::mcp::tool::spelling::Spelling;
use crate::mcp::tool::{Call, Effect, Input, Set};

/// Creates a tool with the parameter `text`.
const fn tool(
    name: &'static str,
    run: fn(Map<String, Value>, &Call<'_>) -> Result<Answer, Error>,
) -> Tool {
    let input: fn() -> Input = || {
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
        let schema = schema.as_object().cloned().unwrap_or_default();
        Input { description: String::new(), schema, options: Map::new(), fields: None }
    };
    let input = LazyLock::new(input);
    let refuse = |_: Spelling<'_>, error: &Error| Answer::text(error.message.to_string());
    let (set, effect, output) = (Set::Core, Effect::Writes, None);
    Tool { name, title: name, set, effect, input, output, run, refuse }
}

static ECHOED: AtomicUsize = AtomicUsize::new(0);
static ECHOES: Tool = tool("echo", |arguments, _| {
    let text = arguments["text"].as_str().unwrap_or_default();
    if text == "late" {
        ECHOED.fetch_add(1, Ordering::Relaxed);
    }
    Ok(Answer::text(text))
});
#[allow(clippy::panic)]
static PANICS: Tool = tool("panic", |_, _| panic!("on purpose"));
static WAITS: Tool = tool("wait", |_, call| {
    while !call.host.env.cancel.is_set() {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(Answer::default())
});
/// Does not check whether it is cancelled.
static SLEEPS: Tool = tool("sleep", |_, _| {
    std::thread::sleep(Duration::from_secs(4));
    Ok(Answer::default())
});
static COUNTS: Tool = tool("count", |_, call| {
    while !call.host.env.cancel.is_set() {
        call.host.progress.add(1);
        std::thread::sleep(Duration::from_millis(1));
    }
    ENDED.fetch_add(1, Ordering::Relaxed);
    Ok(Answer::text("ended"))
});
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// A client connected through an in-memory stream.
struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    input: WriteHalf<DuplexStream>,
}

impl Client {
    async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).await.expect("the server reads");
    }

    async fn receive(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.expect("a line")?;
        Some(serde_json::from_str(&line).expect("JSON"))
    }

    async fn ask(&mut self, id: &str, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    async fn call(&mut self, id: &str, name: &str, text: &str) -> Value {
        let params = json!({"name": name, "arguments": {"text": text}});
        self.ask(id, "tools/call", params).await;
        let answer = self.receive().await.expect("an answer");
        assert_eq!(answer["id"], id);
        answer
    }

    async fn cancel(&mut self, id: &str) {
        let params = json!({"requestId": id});
        let method = "notifications/cancelled";
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    /// Closes the input and returns everything that arrives until the server ends.
    async fn receive_rest(mut self) -> Vec<Value> {
        self.input.shutdown().await.expect("ended");
        let mut messages = Vec::new();
        while let Some(message) = self.receive().await {
            messages.push(message);
        }
        messages
    }
}

/// Runs `client` against a server of the test tools.
fn with_server<F: Future<Output = ()>>(directory: &Path, client: impl FnOnce(Client) -> F) {
    with_timeout(Duration::from_secs(600), directory, client);
}

fn with_timeout<F: Future<Output = ()>>(
    timeout: Duration,
    directory: &Path,
    client: impl FnOnce(Client) -> F,
) {
    let tools = vec![&ECHOES, &PANICS, &WAITS, &SLEEPS, &COUNTS];
    let roots = ServerRoots::new(vec![directory.into()], true, Host::default());
    let options = ServerOptions { timeout, ..ServerOptions::default() };
    let server =
        Server::new(Served { tools, editor: None }, roots, None, &options, Arc::new(Flow::new()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let serving = tokio::spawn(async move {
            let running = server.serve(tokio::io::split(theirs)).await.expect("begun");
            running.waiting().await.expect("ended");
        });
        let (output, input) = tokio::io::split(ours);
        let mut new_client = Client { lines: BufReader::new(output).lines(), input };
        let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        new_client.ask("hello", "initialize", greeting).await;
        new_client.receive().await.expect("a greeting");
        new_client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client(new_client).await;
        serving.await.expect("served");
    });
}

fn here() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

async fn wait_until(count: &AtomicUsize, least: usize) {
    while count.load(Ordering::Relaxed) < least {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[test]
fn a_panicking_call_is_answered_and_the_server_continues() {
    with_server(here().path(), |mut client| async move {
        let error = client.call("a", "panic", "abc").await["error"].clone();
        assert_eq!(error["code"], -32603);
        let expected = "panic failed inside: on purpose; it was called with {\"text\":\"abc\"}";
        assert_eq!(error["message"], expected);
        // A long message is truncated at a character boundary.
        let error = client.call("b", "panic", &"é".repeat(5000)).await["error"].clone();
        let message = error["message"].as_str().expect("a text");
        assert!(message.ends_with("é…") && message.len() < 500, "{message}");
        // Panicking calls do not use up the worker threads.
        for number in 0..3 * MAX_CALLS {
            client.call(&number.to_string(), "panic", "").await;
        }
        let answer = client.call("c", "echo", "alive").await;
        assert_eq!(answer["result"]["content"][0]["text"], "alive");
        assert_eq!(client.receive_rest().await, Vec::<Value>::new());
    });
}

#[test]
fn progress_is_reported_at_intervals_until_a_call_is_cancelled() {
    with_server(here().path(), |mut client| async move {
        let begun = Instant::now();
        let params = json!({"name": "count", "_meta": {"progressToken": "t"}});
        client.ask("a", "tools/call", params).await;
        let mut last = 0.0;
        for number in 1..=3 {
            let notification = client.receive().await.expect("progress");
            assert_eq!(notification["method"], "notifications/progress");
            assert_eq!(notification["params"]["progressToken"], "t");
            let count = notification["params"]["progress"].as_f64().expect("a number");
            assert!(count > last, "{count} after {last}");
            last = count;
            // At most five notifications per second.
            assert!(begun.elapsed() >= PROGRESS_INTERVAL * number);
        }
        client.cancel("a").await;
        wait_until(&ENDED, 1).await;
        // No more notifications arrive, and a call without a progress token sends none.
        client.ask("b", "tools/call", json!({"name": "count"})).await;
        tokio::time::sleep(PROGRESS_INTERVAL * 2).await;
        client.cancel("b").await;
        wait_until(&ENDED, 2).await;
        client.ask("ping", "ping", json!({})).await;
        assert_eq!(client.receive().await.expect("an answer")["id"], "ping");
        assert_eq!(client.receive_rest().await, Vec::<Value>::new());
    });
}

/// As many calls as may run at the same time are answered at their deadline, although their threads
/// still run, and other calls begin.
#[test]
fn calls_that_do_not_end_in_time_are_answered() {
    with_timeout(Duration::from_millis(100), here().path(), |mut client| async move {
        for id in ["a", "b"] {
            client.ask(id, "tools/call", json!({"name": "sleep"})).await;
        }
        for _ in 0..MAX_CALLS {
            let answer = client.receive().await.expect("an answer");
            let expected = "the run took too long and was stopped; no file was changed";
            assert_eq!(answer["result"]["content"][0]["text"], expected);
        }
        let answer = client.call("c", "echo", "served").await;
        assert_eq!(answer["result"]["content"][0]["text"], "served");
    });
}

#[test]
fn a_call_cancelled_before_its_turn_does_not_begin() {
    with_server(here().path(), |mut client| async move {
        for number in 0..MAX_CALLS {
            client.ask(&number.to_string(), "tools/call", json!({"name": "wait"})).await;
        }
        // The slow calls use all permits, so this call waits, but pings are answered.
        let late = json!({"name": "echo", "arguments": {"text": "late"}});
        client.ask("late", "tools/call", late).await;
        client.ask("ping", "ping", json!({})).await;
        assert_eq!(client.receive().await.expect("an answer")["id"], "ping");
        client.cancel("late").await;
        for number in 0..MAX_CALLS {
            client.cancel(&number.to_string()).await;
        }
        let answer = client.call("next", "echo", "served").await;
        assert_eq!(answer["result"]["content"][0]["text"], "served");
        assert_eq!(ECHOED.load(Ordering::Relaxed), 0);
        assert_eq!(client.receive_rest().await, Vec::<Value>::new());
    });
}
