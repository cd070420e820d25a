//! Builds the host of a run from the process environment and the common options. No other
//! module reads environment variables.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use chrono::TimeZone as _;

use super::terminal;
use crate::commands::host::{Editor, Host, Stdin};
use folio_files::config::{Config, DocumentConfigs, Limits};
use folio_files::options::{NO_CONFIG, ROOT};

use folio_files::env::Env;
use folio_files::error::{Code, Error, Hint};
use folio_files::roots::{Roots, WorkingDirectory};
use folio_files::state::StateDirectory;
#[cfg(feature = "search")]
use folio_search::catalogue::NamedCollections;
#[cfg(feature = "search")]
use folio_search::storage::{Secret, Storage};

/// Creates the host of a run. `roots` are the values of `--root`.
///
/// # Errors
///
/// Fails if a root cannot be opened.
pub(super) fn host(roots: &[OsString]) -> Result<Host, Error> {
    let stdin = Stdin { is_data: stdin_is_data, open: Arc::new(|| Box::new(io::stdin())) };
    let editor = Some(Editor::with(open_in_editor));
    Ok(Host { stdin: Some(stdin), editor, ..host_with_roots(open_roots(roots)?) })
}

/// Creates the host of a server. A server opens its roots itself, and its protocol uses standard
/// input.
pub(super) fn server_host() -> Host {
    host_with_roots(Roots::default())
}

fn host_with_roots(roots: Roots) -> Host {
    let roots = if variable("HOME").is_none() { roots.without_home() } else { roots };
    let (state, undo) = (state_directory(), keeps_history());
    let env = Env { roots, state, undo, local_offset, ..Env::default() };
    let host = Host::from(env);
    #[cfg(feature = "search")]
    let host = with_collections(host);
    host
}

/// Adds the storage of collections, and mounts the collections.
#[cfg(feature = "search")]
fn with_collections(host: Host) -> Host {
    let data = folio_directory("XDG_DATA_HOME", ".local/share");
    let cache = folio_directory("XDG_CACHE_HOME", ".cache");
    let password = if cfg!(feature = "postgres") { variable("PGPASSWORD") } else { None };
    let password = password.and_then(|word| word.into_string().ok());
    let database_password = password.as_deref().map(Secret::new);
    let storage = Storage { data, cache, database_password };
    let env = host.env;
    let roots = match NamedCollections::from_storage(&storage) {
        Some(collections) => env.roots.with_mounts(Arc::new(collections)),
        None => env.roots,
    };
    Host { env: Env { roots, ..env }, storage, ..host }
}

/// Whether patches are recorded in the history.
fn keeps_history() -> bool {
    variable("FOLIO_UNDO").is_none_or(|value| value != "0")
}

/// Returns the roots on the command line or, if there are none, those in `FOLIO_ROOT`. Does not
/// open them.
pub(super) fn given_roots(flags: &[OsString]) -> Vec<OsString> {
    let value = variable("FOLIO_ROOT").filter(|value| flags.is_empty() && !value.is_empty());
    match value {
        Some(value) => std::env::split_paths(&value).map(PathBuf::into_os_string).collect(),
        None => flags.to_vec(),
    }
}

/// Returns the offset of local time at a time in seconds since 1970, in seconds east of UTC. The zone
/// is that of `TZ`, or else of the system; UTC if it is unknown.
fn local_offset(seconds: i64) -> i64 {
    let local = chrono::Local.timestamp_opt(seconds, 0).single();
    local.map_or(0, |time| i64::from(time.offset().local_minus_utc()))
}

/// Returns the value of an environment variable. Returns `None` if it is unset.
#[allow(clippy::disallowed_methods)]
pub(super) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// Opens the roots on the command line or, if there are none, those in `FOLIO_ROOT`, which are
/// separated by colons.
fn open_roots(flags: &[OsString]) -> Result<Roots, Error> {
    let roots = given_roots(flags);
    if roots.is_empty() {
        return Ok(Roots::everywhere(WorkingDirectory::of_process(None)));
    }
    let directory = WorkingDirectory::of_process(variable("PWD").map(PathBuf::from));
    Roots::open(&roots, directory).map_err(|mut error| {
        if flags.is_empty() {
            let name =
                |option: &str| if option == ROOT.0 { "FOLIO_ROOT" } else { option }.to_owned();
            error.message = error.message.with_names(name).into();
        }
        error
    })
}

/// Returns `$XDG_STATE_HOME/folio` or `$HOME/.local/state/folio`. Returns `None` if neither
/// variable is an absolute path.
pub(super) fn state_directory() -> Option<StateDirectory> {
    folio_directory("XDG_STATE_HOME", ".local/state")
}

/// Returns the directory `folio` below the value of the variable `name`, or below `$HOME` and
/// `below_home`.
fn folio_directory(name: &str, below_home: &str) -> Option<StateDirectory> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || absolute("HOME").map(|home| home.join(below_home));
    Some(StateDirectory::new(absolute(name).or_else(home)?.join("folio")))
}

/// Returns the host name.
pub(super) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Returns the home directory, to which `~` refers.
pub(super) fn home() -> Option<OsString> {
    variable("HOME")
}

/// Whether a variable is set and not empty.
pub(super) fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| !value.is_empty())
}

/// Opens a file in the user's editor. As in git, a shell parses the command line of the editor.
fn open_in_editor(file: &Path) -> Result<(), Error> {
    let editor = editor()?;
    let mut script = editor.clone();
    script.push(" \"$@\"");
    let status = Command::new("sh").arg("-c").arg(script).arg(&editor).arg(file).status();
    let status = status.map_err(|error| Error::io(&error, Path::new("sh")))?;
    if status.success() {
        Ok(())
    } else {
        let editor = editor.display();
        let message = format!("the editor '{editor}' failed ({status})");
        Err(Error::new(Code::IoError, message))
    }
}

/// Returns the editor: `$VISUAL` unless the terminal is dumb, otherwise `$EDITOR`, otherwise vi,
/// but only on a terminal.
fn editor() -> Result<OsString, Error> {
    let non_empty = |name| variable(name).filter(|value| !value.is_empty());
    let has_screen = variable("TERM").is_none_or(|term| term != "dumb");
    let is_terminal = io::stdin().is_terminal() && terminal::stdout().is_terminal;
    let is_terminal = has_screen && is_terminal;
    let visual = non_empty("VISUAL").filter(|_| has_screen);
    let fallback = || is_terminal.then(|| OsString::from("vi"));
    visual.or_else(|| non_empty("EDITOR")).or_else(fallback).ok_or_else(|| {
        Error::usage("no editor: neither VISUAL nor EDITOR is set")
            .hint("export EDITOR=nano  # or another editor that waits until the file is closed")
            .hint(Hint::command("patch", ["replace", "--help"]).why("edit without an editor"))
    })
}

/// Loads the limits in the user's configuration, and creates the configurations of documents.
/// `FOLIO_CONFIG` overrides the path of the user's file. If it is empty, the user's file is not read.
///
/// # Errors
///
/// Fails if the file has an invalid setting.
pub(super) fn config(roots: &Roots) -> Result<(Limits, DocumentConfigs), Error> {
    let path = match variable("FOLIO_CONFIG") {
        Some(value) => (!value.is_empty()).then(|| PathBuf::from(value)),
        None => folio_directory("XDG_CONFIG_HOME", ".config")
            .map(|directory| directory.path().join("config.toml")),
    };
    let user = Config::of_user(path.as_deref())
        .map_err(|error| error.hint(Hint::with_switch(NO_CONFIG).why("to ignore the file")))?;
    Ok((user.limits, DocumentConfigs::new(user, roots)))
}

/// Whether standard input is a pipe or a file, not a terminal.
fn stdin_is_data() -> bool {
    let stdin = io::stdin().as_fd().try_clone_to_owned();
    let metadata = stdin.and_then(|stdin| std::fs::File::from(stdin).metadata());
    metadata.is_ok_and(|metadata| {
        let kind = metadata.file_type();
        kind.is_file() || kind.is_fifo() || kind.is_socket()
    })
}
