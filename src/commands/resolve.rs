//! `--resolve`: files that are found by their names alone.

use std::path::{Path, PathBuf};

use crate::commands::output::{Note, Sink};
use crate::error::{Code, Error, Hint};
use crate::files::env::Env;
use crate::files::listing::Kind;
use crate::files::walk;

/// The one file below the current directory, or the roots, that has the name of a
/// path; `error` says that there is nothing at the path itself.
pub fn by_name(
    path: &Path,
    command: &'static str,
    env: &Env,
    error: Error,
) -> Result<PathBuf, Error> {
    entry_by_name(path, (Kind::File, command), env, error)
}

fn entry_by_name(
    path: &Path,
    (kind, command): (Kind, &'static str),
    env: &Env,
    error: Error,
) -> Result<PathBuf, Error> {
    let Some(name) = path.file_name() else { return Err(error) };
    let mut found: Vec<PathBuf> = Vec::new();
    for directory in env.roots.all() {
        found.extend(walk::named(&directory, name, kind, env)?);
    }
    match found.len() {
        0 => {
            let message = format!("{}, nor below here", error.message);
            let list = Hint::command::<&str>("list", []).why("list what exists");
            Err(Error { message, ..error }.hint(list))
        }
        1 => Ok(found.remove(0)),
        count => {
            let what = if kind == Kind::Directory { "directories" } else { "files" };
            let message = format!("{count} {what} have that name");
            let error = Error::new(Code::AmbiguousPath, message).at(path);
            let hints = found.iter().take(5).map(|found| Hint::command(command, [found]));
            Err(hints.fold(error, Error::hint))
        }
    }
}

/// What is said where another file is taken.
pub fn note(asked: &Path, taken: &Path) -> Note {
    Note::new(format!("'{}' is taken to be '{}'", asked.display(), taken.display()))
}

/// Puts the file in the place of an operand that leads to nothing.
pub fn operand(
    path: &mut PathBuf,
    command: &'static str,
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    entry(path, (Kind::File, command), env, sink)
}

/// The same for a directory.
pub fn directory(
    path: &mut PathBuf,
    command: &'static str,
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    entry(path, (Kind::Directory, command), env, sink)
}

fn entry(
    path: &mut PathBuf,
    (kind, command): (Kind, &'static str),
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    if path.as_os_str() == "-" || env.roots.exists(path) {
        return Ok(());
    }
    let Err(error) = env.roots.status(path) else { return Ok(()) };
    if error.code == Code::NotFound {
        let found = entry_by_name(path, (kind, command), env, error)?;
        sink.note(note(path, &found));
        *path = found;
    }
    Ok(())
}
