//! Errors for files and directories that do not exist, with similar names as hints.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use folio_files::env::Env;
use folio_files::error::{Change, Code, Error, Hint, shell_path};
use folio_files::listing::EntryKind;
use folio_files::options::{GLOB, SECTION};
use folio_files::walk;

/// The system's message for a path below a regular file.
const NOT_A_DIRECTORY: &str = "Not a directory";

/// Adds hints with similar names to the error for a file that does not exist.
pub fn missing_file(error: Error, path: &Path, env: &Env) -> Error {
    missing_file_for(&|similar| Hint::again([Change::path(path, similar)]), error, path, env)
}

/// Like [`missing_file`], but `retry` returns the hint for another file.
pub fn missing_file_for(
    retry: &dyn Fn(&Path) -> Hint,
    error: Error,
    path: &Path,
    env: &Env,
) -> Error {
    missing_entry(retry, &[EntryKind::File], error, path, env)
}

/// Returns the call that searches a directory with a glob, if the path that does not exist is one.
fn with_glob(error: &Error, path: &Path, env: &Env) -> Option<Hint> {
    let is_glob = |name: &OsStr| memchr::memchr2(b'*', b'?', name.as_bytes()).is_some();
    let before: PathBuf = path.iter().take_while(|name| !is_glob(name)).collect();
    let directory = if before.as_os_str().is_empty() { Path::new(".") } else { &before };
    if error.code != Code::NotFound || before == path || !env.roots.is_directory(directory) {
        return None;
    }
    let changes = [Change::path(path, directory), Change::add(GLOB, path)];
    Some(Hint::again(changes).why("to select files by a glob"))
}

/// Adds hints with similar names to the error for a missing file or directory. `kinds` contains the
/// expected kinds in order of preference.
pub fn missing_entry(
    retry: &dyn Fn(&Path) -> Hint,
    kinds: &[EntryKind],
    mut error: Error,
    path: &Path,
    env: &Env,
) -> Error {
    let roots = &env.roots;
    if path.as_os_str().is_empty() {
        return error.hint("the name is empty; is a shell variable unset?");
    }
    if let Some(hint) = with_glob(&error, path, env) {
        return error.hint(hint);
    }
    if error.message == NOT_A_DIRECTORY {
        let file = path.ancestors().skip(1).find(|path| roots.is_file(path));
        return match file {
            Some(file) => error.hint(retry(file).why("this is a file")),
            None => error,
        };
    }
    if let Code::NotFound | Code::OutsideRoot = error.code
        && !roots.begins_here(path)
        && let Some(similar) = roots.similar_mounts(path)
    {
        return unknown_collection(retry, error, path, &similar);
    }
    if error.code != Code::NotFound {
        return error;
    }
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return error;
    };
    if let Some(target) = roots.link_text(path) {
        let (shown, target) = (shell_path(&roots.on_disk(path)), target.display());
        return error.hint(format!("ls -l {shown}  # a link to '{target}', which does not exist"));
    }
    if let Some((file, section)) = path.to_str().and_then(|path| path.split_once(':'))
        && roots.is_file(Path::new(file))
        && section.contains(char::is_alphabetic)
        && !section.contains([':', '#'])
    {
        let part = [Change::path(path, Path::new(file)), Change::set(SECTION, section)];
        return error.hint(Hint::again(part).why("a section of the file"));
    }
    let similar = walk::similar_names(path, &name, roots);
    let only = |kind| walk::below_named(path, kind, env).filter(|below| below.len() == 1);
    let only = |kind| only(kind).and_then(|below| below.into_iter().next());
    let below = kinds.iter().find_map(|kind| Some((*kind, only(*kind)?)));
    let below = below.filter(|(_, below)| !similar.contains(below));
    if similar.is_empty() && below.is_none() {
        let is_named = |parent: &&Path| parent.file_name().is_some() && roots.is_directory(parent);
        let parent = path.parent().filter(is_named);
        error = error.hint(Hint::command("list", parent).why("list what exists"));
    }
    if let Some((kind, below)) = below {
        let what = if kind == EntryKind::Directory { "directory" } else { "file" };
        let why = format!("the only {what} of that name below this directory");
        error = error.hint(retry(&below).why(why));
    }
    for similar in similar {
        error = error.hint(retry(&similar).why("similar"));
    }
    error
}

/// Replaces the error for a path that begins with an unknown collection name with an error about
/// the collection.
fn unknown_collection(
    retry: &dyn Fn(&Path) -> Hint,
    mut error: Error,
    path: &Path,
    similar: &[String],
) -> Error {
    error.code = Code::CollectionNotFound;
    error.hints.clear();
    error.message = "no such collection or file".into();
    for name in similar {
        let below = path.components().skip(1);
        let other: PathBuf =
            std::iter::once(std::path::Component::Normal(format!("@{name}").as_ref()))
                .chain(below)
                .collect();
        error = error.hint(retry(&other).why("similar"));
    }
    error.hint(Hint::command("collection", ["list"]).why("list the collections"))
}
