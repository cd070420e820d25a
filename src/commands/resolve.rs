//! Implements `--resolve`: finds files by their names.

use std::path::{Path, PathBuf};

use crate::commands::output::{Note, Sink};
use folio_files::env::Env;
use folio_files::error::{Change, Code, Error, Hint};
use folio_files::listing::EntryKind;
use folio_files::options::RESOLVE;
use folio_files::walk;

/// Finds the only file or directory below the current directory or the roots that has the file name
/// of a path. `error` is the error for the path itself.
fn by_name(path: &Path, kind: EntryKind, env: &Env, error: Error) -> Result<PathBuf, Error> {
    let Some(name) = path.file_name() else { return Err(error) };
    let mut found: Vec<PathBuf> = Vec::new();
    for directory in env.roots.all() {
        found.extend(walk::entries_named(&directory, name, kind, env)?);
    }
    match found.len() {
        0 => {
            let mut error = error;
            error.message.push(", and no file below has this name");
            let list = Hint::command::<&str>("list", []).why("list what exists");
            Err(error.hint(list))
        }
        1 => Ok(found.remove(0)),
        count => {
            let what = if kind == EntryKind::Directory { "directories" } else { "files" };
            let message = format!("{count} {what} have this name");
            let error = Error::new(Code::AmbiguousPath, message).at(path);
            let other =
                |found: &PathBuf| Hint::again([Change::path(path, found), Change::remove(RESOLVE)]);
            let hints = found.iter().take(5).map(other);
            Err(hints.fold(error, Error::hint))
        }
    }
}

/// Returns the note that another file is used.
pub fn note(missing: &Path, found: &Path) -> Note {
    Note::new(format!("'{}' does not exist, using '{}'", missing.display(), found.display()))
}

/// Replaces a path that does not exist with the path of the only file or directory with this
/// name.
pub fn entry(
    path: &mut PathBuf,
    kind: EntryKind,
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    if path.as_os_str() == "-" || env.roots.exists(path) {
        return Ok(());
    }
    let Err(error) = env.roots.status(path) else { return Ok(()) };
    if error.code == Code::NotFound {
        let found = by_name(path, kind, env, error)?;
        sink.note(note(path, &found));
        *path = found;
    }
    Ok(())
}
