//! Serves the commands as tools of the Model Context Protocol. This module converts arguments to
//! the options of a command, and the results of the command to an answer.

pub mod acp;
mod answer;
mod collect;
mod core;
#[cfg(feature = "search")]
mod documents;
pub mod editor;
mod flow;
mod fs;
mod fs_mcp;
mod globs;
mod help;
mod read_text_file;
mod served;
mod server;
mod server_roots;
mod stdio;
pub mod table;
mod text_tools;
pub mod tool;

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use serde_json::{Map, Value};

use self::acp::Events;
pub use self::answer::Answer;
use self::editor::Editor;
use self::flow::Flow;
use self::served::Served;
use self::server::Server;
use self::server_roots::ServerRoots;
use self::stdio::Stdio;
#[cfg(fuzzing)]
pub use self::stdio::check_message;
use self::tool::Set;
use crate::commands::host::Host;
use folio_files::error::Error;

/// Number of threads for reading and writing the streams, in addition to the threads for calls.
/// They are used only if the streams are not pipes; Node, for example, passes sockets.
const STREAM_THREADS: usize = 2;

/// Time after which an idle thread ends.
const KEEP_ALIVE: Duration = Duration::from_millis(20);

/// Time to wait for running calls to end after the server has stopped.
const END_TIMEOUT: Duration = Duration::from_millis(100);

/// Time for a client to read the remaining answers after it has closed its input.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(5);

/// Options of the server.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// Root directories, in the form of values of `--root`.
    pub roots: Vec<OsString>,
    /// The tool sets to serve.
    pub sets: Vec<Set>,
    /// Whether to omit tools that write.
    pub read_only: bool,
    /// Whether calls may access files that may contain secrets.
    pub allow_secrets: bool,
    /// Time limit of a call.
    pub timeout: Duration,
    /// The editor whose unsaved contents take precedence, if there is one.
    pub editor: Option<Editor>,
    /// A sentence for clients that describes the restrictions that the kernel enforces.
    pub confinement: String,
}

/// Serves tools on standard input and output until the input ends. Calls are reported to `events`,
/// if given. `report_missing` is called with each root that does not exist yet.
///
/// # Errors
///
/// Fails if the server cannot be started.
pub fn serve(
    options: &ServerOptions,
    events: Option<Events>,
    host: Host,
    report_missing: impl Fn(&Path),
) -> Result<(), Error> {
    let served = Served::new(&options.sets, options.read_only, options.editor.clone());
    let roots = ServerRoots::new(options.roots.clone(), !options.allow_secrets, host);
    roots.missing().iter().for_each(|root| report_missing(Path::new(root)));
    let flow = Arc::new(Flow::new());
    let server = Server::new(served.clone(), roots, events, options, flow.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(flow::MAX_THREADS + STREAM_THREADS)
        // The allocator keeps freed memory for each thread, so idle threads should end.
        .thread_keep_alive(KEEP_ALIVE)
        .build()
        .map_err(|error| no_server(&error))?;
    let ended = runtime.block_on(async {
        let transport = Stdio::open(served, flow.clone())?;
        // It is not an error if a client disconnects before it initializes the session.
        if let Ok(running) = server.serve(transport).await {
            let _ = running.waiting().await;
        }
        flow.written(LAST_ANSWERS_TIMEOUT).await;
        Ok(())
    });
    runtime.shutdown_timeout(END_TIMEOUT);
    ended.map_err(|error| no_server(&error))
}

fn no_server(error: &io::Error) -> Error {
    Error::io(error, Path::new("standard input"))
}

/// Runs one tool call in the same way as for a client.
///
/// # Errors
///
/// Fails if the tool is unknown or no root exists.
pub fn call(
    name: &str,
    arguments: Map<String, Value>,
    options: &ServerOptions,
    host: Host,
) -> Result<Answer, Error> {
    let served = Served::new(&options.sets, options.read_only, None);
    let tool = served.find(name)?;
    let host = ServerRoots::new(options.roots.clone(), !options.allow_secrets, host).host()?;
    Ok(served.call(tool, arguments, &host))
}
