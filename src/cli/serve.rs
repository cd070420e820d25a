//! Implements `folio mcp` and `folio call`: serves tools to clients of the Model Context Protocol,
//! and runs them from a shell.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use clap::ArgMatches;
use serde_json::{Map, Value, json};

use super::confinement::{Writes, confine};
use super::env::{self, given_roots};
use super::own_flags::{CallArgs, McpArgs};
use super::session::Session;
use super::signals;
use crate::commands::host::Host;
use crate::commands::json::{DistinctFields, misread};
use crate::commands::output::{Note, Outcome, Sink};
use crate::commands::request::parsed;
use crate::mcp::acp::Events;
use crate::mcp::editor::Editor;
use crate::mcp::{self, table};
use folio_files::error::{Error, ExitStatus, Hint};

/// Name of the command that uses standard output for its protocol.
pub(super) const NAME: &str = "mcp";

/// Variables with which the allocator of glibc returns memory to the system once more than this
/// number of bytes is free. By default, it keeps up to 64 MiB for each thread.
const ALLOCATOR: [(&str, &str); 2] =
    [("MALLOC_TRIM_THRESHOLD_", "131072"), ("MALLOC_MMAP_THRESHOLD_", "131072")];

/// Executes this process again with the variables of the allocator, which reads them only at the
/// start of a process. Does nothing if one of them is set.
fn bound_free_memory() {
    let mut arguments = std::env::args_os();
    let (Some(name), Ok(program)) = (arguments.next(), std::env::current_exe()) else { return };
    if cfg!(target_env = "gnu")
        && ALLOCATOR.iter().all(|variable| env::variable(variable.0).is_none())
    {
        // If this fails, the server only keeps more memory.
        let _ = Command::new(program).arg0(name).args(arguments).envs(ALLOCATOR).exec();
    }
}

/// Serves until the input ends. Until then, no other code may write to standard output.
pub(super) fn serve(matches: &ArgMatches) -> ExitStatus {
    bound_free_memory();
    signals::survive_size_limit();
    let missing = |root: &Path| {
        let message = "this root does not exist: calls below it fail until it does";
        Session::new(NAME, &[], matches).note(Note::at(root, message));
    };
    let served = options(matches).and_then(|mut options| {
        let (events, host) = (events(matches)?, env::server_host());
        options.confinement = {
            let writes =
                if options.read_only { Writes::FolioDirectories } else { Writes::Documents };
            confine(&options.roots, writes, &host)
        };
        if matches.get_flag("verbose") {
            Session::new(NAME, &[], matches).note(Note::new(options.confinement.clone()));
        }
        mcp::serve(&options, events, host, missing)
    });
    match served {
        Ok(()) => ExitStatus::Done,
        Err(error) => Session::new(NAME, &[], matches).finish(Err(error)),
    }
}

/// Creates the writer of call events, if `--acp-events` is given.
#[allow(clippy::disallowed_methods)] // The file is folio's own, below no root.
fn events(matches: &ArgMatches) -> Result<Option<Events>, Error> {
    let args: McpArgs = parsed(matches, false)?;
    let Some(path) = args.acp_events else { return Ok(None) };
    let file = File::options().append(true).create(true).open(&path);
    let file = file.map_err(|error| Error::io(&error, &path))?;
    let matches = matches.clone();
    let report = move |error: &io::Error| {
        let message = format!("events can no longer be written: {error}");
        Session::new(NAME, &[], &matches).note(Note::at(&path, message));
    };
    Ok(Some(Events::new(Box::new(file), &args.acp_session, Box::new(report))))
}

fn options(matches: &ArgMatches) -> Result<mcp::ServerOptions, Error> {
    let args: McpArgs = parsed(matches, false)?;
    if args.timeout == 0 {
        return Err(Error::usage("--timeout: '0' is not a number of 1 or more"));
    }
    Ok(mcp::ServerOptions {
        roots: given_roots(&args.roots.root),
        sets: table::sets(&args.tools)?,
        read_only: args.read_only,
        allow_secrets: args.allow_secrets,
        timeout: Duration::from_secs(args.timeout),
        editor: args.acp_socket.map(|socket| Editor { socket, session: args.acp_session }),
        confinement: String::new(),
    })
}

/// Runs one tool, or lists all of them.
pub(super) fn call(matches: &ArgMatches, session: &mut Session) -> Outcome {
    let args: CallArgs = parsed(matches, false)?;
    let Some(name) = &args.tool else {
        return if args.list {
            Ok(list(session))
        } else {
            Err(Error::usage("call needs the name of a tool")
                .hint(Hint::command("call", ["--list"]).why("list all tools")))
        };
    };
    let host = env::server_host();
    signals::survive_size_limit();
    session.interrupted = signals::defer_during_changes(&host.env.cancel);
    let answer = match answer(name, &args, host) {
        Ok(answer) => answer,
        Err(error) => return Ok(session.error_in_json(&error)),
    };
    for error in &answer.errors {
        session.write_json_error(error);
    }
    if let Some(fault) = &answer.fault {
        session.write_json_error(&json!({"code": fault.code, "message": fault.message}));
    }
    for block in answer.blocks.iter().filter(|_| !answer.is_error) {
        let end = if block.ends_with('\n') { "" } else { "\n" };
        if session.write(format!("{block}{end}").as_bytes()).is_err() {
            break;
        }
    }
    Ok(answer.status)
}

fn answer(name: &str, args: &CallArgs, host: Host) -> Result<mcp::Answer, Error> {
    let options = mcp::ServerOptions {
        roots: given_roots(&args.roots.root),
        sets: table::sets("all")?,
        timeout: Duration::MAX,
        ..mcp::ServerOptions::default()
    };
    let arguments = arguments(&env::host(&[])?)?;
    confine(&options.roots, Writes::Documents, &host);
    mcp::call(name, arguments, &options, host)
        .map_err(|error| error.hint(Hint::command("call", ["--list"]).why("list all tools")))
}

fn list(session: &mut Session) -> ExitStatus {
    for tool in table::tools() {
        let line = format!("{}\t{}\t{}\n", tool.set.name(), tool.name, tool.title);
        if session.write(line.as_bytes()).is_err() {
            break;
        }
    }
    ExitStatus::Done
}

/// Reads the arguments from standard input. Returns no arguments if standard input is a terminal.
fn arguments(host: &Host) -> Result<Map<String, Value>, Error> {
    if !host.stdin_is_data() {
        return Ok(Map::new());
    }
    let mut text = Vec::new();
    let read = host.open_stdin()?.read_to_end(&mut text);
    read.map_err(|error| Error::io(&error, Path::new("standard input")))?;
    if text.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_slice(&text) {
        Ok(DistinctFields(Value::Object(object))) => Ok(object),
        Ok(_) => {
            Err(Error::usage("arguments: an object is needed, such as {\"address\":\"a.md\"}"))
        }
        Err(error) => Err(misread("arguments", &error)),
    }
}

/// Returns the JSON Schema of a tool's arguments. `name` may begin with `mcp:`, which selects the
/// tool if a command has the same name.
pub(super) fn schema_of_tool(name: &str) -> Option<String> {
    let tool = table::find(name.strip_prefix("mcp:").unwrap_or(name))?;
    let schema = Value::Object(tool.full_schema());
    serde_json::to_string_pretty(&schema).ok().map(|text| text + "\n")
}
