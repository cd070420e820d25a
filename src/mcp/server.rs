//! The protocol handler. Calls run on a few worker threads; the handler's own thread only reads and
//! writes.

// The newest protocol version deprecates roots, but clients of older versions use them.
#![allow(deprecated)]

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, ErrorData, Implementation, InitializeRequestParams, InitializeResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool as ListedTool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

use super::ServerOptions;
use super::acp::Events;
use super::answer::Answer;
use super::flow::Flow;
use super::help;
use super::served::Served;
use super::server_roots::ServerRoots;
use super::tool::{Effect, Tool};
use crate::commands::host::{Host, Progress};
use crate::commands::json::kind_of;
use folio_files::env::{Cancel, Env};
use folio_files::error::{Code, Error};

/// Instructions about all tools, for the model that the client runs.
const INSTRUCTIONS: &str = concat!(
    "Read and edit parts of text files. First find a part with inspect, ",
    if_search!("grep, list or search", "grep or list"),
    "; then read or patch it by its address, such as a.md:15-51, or its name, \
    such as section \"Install\". Paths are relative to the root. Answers suggest the next call. The \
    resource folio://help/TOOL describes all parameters of a tool."
);

/// The method that calls a tool.
pub const CALL_TOOL: &str = "tools/call";

/// Time for which a call waits for the client's list of roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(3);

/// Time for a call to end after its deadline or its cancellation. Then it is answered, and its
/// thread continues until the search of the current line ends.
const GRACE: Duration = Duration::from_millis(500);

/// Minimum interval between progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// A server of a set of tools.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    served: Served,
    roots: ServerRoots,
    timeout: Duration,
    confinement: String,
    events: Option<Events>,
    flow: Arc<Flow>,
    /// Whether to ask the client for its roots before the next call.
    asks_roots: AtomicBool,
    /// Waits for the client's list of roots.
    asking: Mutex<Option<JoinHandle<()>>>,
}

impl Server {
    /// Creates a server.
    pub fn new(
        served: Served,
        roots: ServerRoots,
        events: Option<Events>,
        options: &ServerOptions,
        flow: Arc<Flow>,
    ) -> Self {
        let (timeout, confinement) = (options.timeout, options.confinement.clone());
        let asks_roots = AtomicBool::new(roots.follows_client);
        let asking = Mutex::new(None);
        let shared =
            Shared { served, roots, timeout, confinement, events, flow, asks_roots, asking };
        Self { shared: Arc::new(shared) }
    }

    /// Requests the list of roots from the client, if no roots were given on the command line and
    /// the client supports it. Until usable roots arrive, calls are refused.
    async fn ask_roots(&self, peer: &Peer<RoleServer>) {
        let info = peer.peer_info();
        if info.is_none_or(|info| info.capabilities.roots.is_none()) {
            return;
        }
        // Other calls wait while this one waits.
        let mut asking = self.shared.asking.lock().await;
        if !self.shared.asks_roots.swap(false, Ordering::Relaxed) {
            return;
        }
        asking.take().inspect(JoinHandle::abort);
        let none_yet = "the client has not answered roots/list yet: try again";
        self.shared.roots.use_client(Err(none_yet.to_owned()));
        let (shared, peer) = (self.shared.clone(), peer.clone());
        let mut task = tokio::spawn(async move {
            let uris = match peer.list_roots().await {
                Ok(listed) => Ok(listed.roots.into_iter().map(|root| root.uri).collect()),
                Err(error) => Err(format!("the client did not answer roots/list: {error}")),
            };
            if !shared.roots.use_client(uris) {
                shared.asks_roots.store(true, Ordering::Relaxed);
            }
        });
        // A later answer applies as well.
        let _ = tokio::time::timeout(ROOTS_TIMEOUT, &mut task).await;
        *asking = Some(task);
    }

    /// Runs a call on a worker thread.
    async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, ErrorData> {
        let tool = self.shared.served.find(name).map_err(|error| invalid_params(&error))?;
        self.ask_roots(&context.peer).await;
        let memory = memory_of(&arguments);
        // The SDK drops the answers to calls that it cancels.
        let cancelled = async {
            tokio::select! {
                () = context.ct.cancelled() => {}
                () = self.shared.flow.cancelled(&context.id) => {}
            }
        };
        tokio::pin!(cancelled);
        let turn = tokio::select! {
            biased;
            () = &mut cancelled => {
                let error = Error::new(Code::Cancelled, "the call was cancelled before it began");
                return Ok(self.shared.served.refused(tool, &error));
            }
            turn = self.shared.flow.turn(tool.effect != Effect::Reads, memory) => turn,
        };
        let deadline = Instant::now() + self.shared.timeout;
        let cancel = Cancel::with_deadline(deadline);
        let progress = Progress::default();
        let start = start_of(&arguments);
        let mut job = tokio::task::spawn_blocking({
            let (shared, cancel, progress) =
                (self.shared.clone(), cancel.clone(), progress.clone());
            move || shared.run(tool, arguments, cancel, progress)
        });
        let token = context.meta.get_progress_token();
        // `interval` would tick immediately, and setting it up costs a millisecond.
        let first = tokio::time::Instant::now() + PROGRESS_INTERVAL;
        let mut ticks = tokio::time::interval_at(first, PROGRESS_INTERVAL);
        // Skipped ticks are not made up for.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sent = 0;
        let end = tokio::time::sleep_until((deadline + GRACE).into());
        tokio::pin!(end);
        let mut is_stopping = false;
        let ended = loop {
            tokio::select! {
                ended = &mut job => break ended,
                () = &mut cancelled, if !is_stopping => {
                    cancel.set();
                    is_stopping = true;
                    end.as_mut().reset(tokio::time::Instant::now() + GRACE);
                }
                () = &mut end => {
                    if cancel.set() {
                        self.shared.flow.abandon(job, turn);
                        let mut error = cancel.error();
                        if tool.effect != Effect::Reads {
                            error.message.push("; no file was changed");
                        }
                        return Ok(self.shared.served.refused(tool, &error));
                    }
                    // A change of files has begun, so the call is answered when it is complete.
                    break (&mut job).await;
                }
                _ = ticks.tick(), if token.is_some() && !is_stopping => {
                    let count = progress.count();
                    if let Some(token) = token.clone().filter(|_| count > sent) {
                        sent = count;
                        let message = format!("{count} files");
                        let param = ProgressNotificationParam::new(token, count as f64);
                        let _ = context.peer.notify_progress(param.with_message(message)).await;
                    }
                }
            }
        };
        self.shared.flow.keep(&context.id, turn);
        ended.map_err(|error| {
            let panic = error.try_into_panic().ok();
            let why = panic.as_ref().map_or("the call was cancelled", |panic| panic_text(&**panic));
            let message = format!("{name} failed inside: {why}; it was called with {start}");
            ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None)
        })
    }
}

impl Shared {
    fn run(
        &self,
        tool: &'static Tool,
        arguments: Map<String, Value>,
        cancel: Cancel,
        progress: Progress,
    ) -> Answer {
        let pending = self.events.as_ref().map(|events| events.begin(tool, &arguments));
        let answer = match self.roots.host() {
            Ok(host) => {
                let env = Env { cancel, ..host.env };
                let host = Host { env, progress, ..host };
                let mut answer = self.served.call(tool, arguments, &host);
                self.roots.add_missing(&mut answer);
                answer
            }
            Err(error) => self.served.refused(tool, &error),
        };
        if let Some(pending) = pending {
            pending.end(&answer);
        }
        answer
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let name = Implementation::new("folio", env!("CARGO_PKG_VERSION"));
        let name = name
            .with_title("folio: parts of text files, by address")
            .with_description(&self.shared.confinement);
        ServerConfig::new(capabilities).with_server_info(name).with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        if result.protocol_version < ProtocolVersion::V_2025_06_18 {
            result.server_info.title = None;
            result.server_info.description = None;
        }
        Ok(result)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let version = context.protocol_version().unwrap_or_default();
        let tools = self.shared.served.tools.iter();
        Ok(ListToolsResult::with_all_items(tools.map(|tool| listed(tool, &version)).collect()))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(help::list(&self.shared.served))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        help::read(&self.shared.served, &request).map(Into::into)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answer = self.call(&request.name, arguments, &context).await?;
        let version = context.protocol_version().unwrap_or_default();
        result_of(answer, &version).map(Into::into)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != CALL_TOOL {
            let message = format!("unknown method '{}'", request.method);
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        // Some clients send the arguments as a string of JSON.
        let params = request.params.unwrap_or_default();
        let refuse = |message: String| ErrorData::invalid_params(message, None);
        let Some(name) = params["name"].as_str() else {
            return Err(refuse("tools/call needs the name of a tool".to_owned()));
        };
        let arguments = match &params["arguments"] {
            Value::Object(object) => object.clone(),
            Value::Null => Map::new(),
            other => match other.as_str().map(serde_json::from_str::<Value>) {
                Some(Ok(Value::Object(object))) => object,
                _ => {
                    let found = kind_of(other);
                    return Err(refuse(format!("arguments: expected an object, found {found}")));
                }
            },
        };
        let answer = self.call(name, arguments, &context).await?;
        let version = context.protocol_version().unwrap_or_default();
        let result = result_of(answer, &version)?;
        let result = serde_json::to_value(result);
        result.map(CustomResult).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        let follows = self.shared.roots.follows_client;
        self.shared.asks_roots.store(follows, Ordering::Relaxed);
    }
}

fn invalid_params(error: &Error) -> ErrorData {
    let hints: Vec<String> = error.hints.iter().map(ToString::to_string).collect();
    let message =
        [error.message.to_string()].into_iter().chain(hints).collect::<Vec<_>>().join("; ");
    ErrorData::invalid_params(message, None)
}

/// Returns the number of bytes of memory that the answer of a call takes at most. JSON takes ten
/// times its size until it is sent.
fn memory_of(arguments: &Map<String, Value>) -> u64 {
    let max_bytes = arguments.get("max_bytes").and_then(Value::as_u64).unwrap_or(0);
    let is_json = arguments.get("format").is_some_and(|format| format == "json");
    if is_json { max_bytes.saturating_mul(10) } else { max_bytes }
}

/// Returns the first 400 bytes of arguments as JSON.
fn start_of(arguments: &Map<String, Value>) -> String {
    let mut start = [0; 400];
    let mut room = &mut start[..];
    let is_cut = serde_json::to_writer(&mut room, arguments).is_err();
    let length = 400 - room.len();
    let start = String::from_utf8_lossy(&start[..length]);
    if is_cut {
        // Without a character that is truncated.
        format!("{}…", start.trim_end_matches(char::REPLACEMENT_CHARACTER))
    } else {
        start.into_owned()
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Converts a tool to the form that a protocol version requires.
fn listed(tool: &Tool, version: &ProtocolVersion) -> ListedTool {
    let mut listed =
        ListedTool::new(tool.name, tool.input.description.clone(), tool.input_schema());
    if *version >= ProtocolVersion::V_2025_03_26 {
        listed.annotations = Some(annotations(tool));
    }
    if *version >= ProtocolVersion::V_2025_06_18 {
        // Older clients read the title from the annotations.
        listed.annotations.iter_mut().for_each(|annotations| annotations.title = None);
        listed.title = Some(tool.title.to_owned());
        listed.output_schema = tool.output.map(|schema| Arc::new(schema()));
    }
    listed
}

fn annotations(tool: &Tool) -> ToolAnnotations {
    let annotations = ToolAnnotations::with_title(tool.title).open_world(false);
    match tool.effect {
        // The other annotations do not apply to read-only tools.
        Effect::Reads => annotations.read_only(true),
        effect => {
            annotations.read_only(false).destructive(true).idempotent(effect == Effect::WritesOnce)
        }
    }
}

/// Converts an answer to the form that a protocol version requires.
fn result_of(answer: Answer, version: &ProtocolVersion) -> Result<CallToolResult, ErrorData> {
    if let Some(fault) = answer.fault {
        return Err(ErrorData::new(ErrorCode(fault.code), fault.message, None));
    }
    let blocks = answer.blocks.into_iter().map(ContentBlock::text).collect();
    let mut result = if answer.is_error {
        CallToolResult::error(blocks)
    } else {
        CallToolResult::success(blocks)
    };
    if *version >= ProtocolVersion::V_2025_06_18 {
        result.structured_content = answer.structured;
    }
    Ok(result)
}

#[cfg(test)]
mod tests;
