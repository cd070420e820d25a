//! The other spelling: commands as tools of the Model Context Protocol. It has no
//! logic of its own: arguments become the options of commands, and what these
//! find becomes answers.

pub mod acp;
mod answer;
mod arguments;
mod call;
mod collect;
mod core;
mod documents;
pub mod editor;
mod flow;
mod fs;
mod fs_mcp;
mod help;
mod read_text_file;
mod records;
mod served;
mod server;
mod server_roots;
mod spelling;
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
pub use self::stdio::judged;
use self::tool::Set;
use crate::error::Error;
use crate::files::env::Env;

/// Threads that read and write where the streams are no pipes, beside those of
/// calls: a client may give a socket, as Node's do.
const STREAM_THREADS: usize = 2;

/// How long the threads of calls are waited for when all else has ended.
const END_TIMEOUT: Duration = Duration::from_millis(100);

/// How long a client may take to read the last answers after it ended input.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(5);

/// What a server is asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Roots as `--root` gives them.
    pub roots: Vec<OsString>,
    /// Which tools.
    pub sets: Vec<Set>,
    /// Whether those that write are left out.
    pub read_only: bool,
    /// Whether files that may hold secrets are shown.
    pub allow_secrets: bool,
    /// When a call is stopped.
    pub timeout: Duration,
    /// Who is asked first what is in a file.
    pub editor: Option<Editor>,
    /// What the kernel confines the process to, as a sentence for clients.
    pub confinement: String,
}

/// Serves tools on standard input and output until input ends; calls are written
/// as events where that is wanted, and `report_missing` is called with each root
/// that is not there yet.
///
/// Fails where the server cannot begin.
pub fn serve(
    options: &Options,
    events: Option<Events>,
    env: Env,
    report_missing: impl Fn(&Path),
) -> Result<(), Error> {
    let served = Served::new(&options.sets, options.read_only).with_editor(options.editor.clone());
    let roots = ServerRoots::new(options.roots.clone(), !options.allow_secrets, env);
    roots.missing().iter().for_each(|root| report_missing(Path::new(root)));
    let flow = Arc::new(Flow::new());
    let server = Server::new(served, roots, events, options, flow.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(flow::MAX_CALLS + STREAM_THREADS)
        .build()
        .map_err(|error| no_server(&error))?;
    let served = runtime.block_on(async {
        let transport = Stdio::open(flow.clone())?;
        // A client that goes away before it has begun is no failure.
        if let Ok(running) = server.serve(transport).await {
            let _ = running.waiting().await;
        }
        flow.written(LAST_ANSWERS_TIMEOUT).await;
        Ok(())
    });
    runtime.shutdown_timeout(END_TIMEOUT);
    served.map_err(|error| no_server(&error))
}

fn no_server(error: &io::Error) -> Error {
    Error::io(error, Path::new("standard input"))
}

/// Calls one tool as a client would.
///
/// Fails where there is no such tool, or no root.
pub fn call(
    name: &str,
    arguments: Map<String, Value>,
    options: &Options,
    env: Env,
) -> Result<Answer, Error> {
    let served = Served::new(&options.sets, options.read_only);
    let tool = served.find(name)?;
    let env = ServerRoots::new(options.roots.clone(), !options.allow_secrets, env).env()?;
    Ok(served.call(tool, arguments, &env))
}
