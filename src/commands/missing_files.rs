//! Errors for files and directories that do not exist, with similar names as hints.

use std::ffi::OsString;
use std::path::Path;

use folio_files::env::Env;
use folio_files::error::{Code, Error, Hint, shell_path};
use folio_files::listing::EntryKind;
use folio_files::roots::Roots;
use folio_files::walk;
use folio_text::span::parse_line_ranges;

/// The system's message for a path below a regular file.
const NOT_A_DIRECTORY: &str = "Not a directory";

/// Adds hints with similar names to the error for a file that does not exist.
pub fn missing_file(error: Error, path: &Path, command: &'static str, env: &Env) -> Error {
    missing_file_for(&|path| Hint::command(command, [path]), error, path, env)
}

/// Like [`missing_file`], for any command. `retry` returns the command with another file.
pub fn missing_file_for(
    retry: &dyn Fn(&Path) -> Hint,
    error: Error,
    path: &Path,
    env: &Env,
) -> Error {
    missing_entry(retry, &[EntryKind::File], error, path, env)
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
    error.message = "no such collection or file".to_owned();
    for name in similar {
        let below = path.components().skip(1);
        let other: std::path::PathBuf =
            std::iter::once(std::path::Component::Normal(format!("@{name}").as_ref()))
                .chain(below)
                .collect();
        error = error.hint(retry(&other).why("similar"));
    }
    error.hint(Hint::command("collection", ["list"]).why("list the collections"))
}

/// Fails if an operand is not a file but another operand is. Such an operand is probably a line
/// range, or part of a name without quotes. `part` contains the arguments that select the part.
pub fn refuse_stray_operand(
    command: &'static str,
    operands: &[OsString],
    part: &[OsString],
    roots: &Roots,
) -> Result<(), Error> {
    let exists = |operand: &&OsString| roots.exists(Path::new(operand));
    let is_word = |operand: &&OsString| {
        let text = operand.to_str();
        text.is_some_and(|text| !text.contains(['/', '.', ':', '#', '@']) && text != "-")
    };
    let Some(stray) = operands.iter().filter(is_word).find(|operand| !exists(operand)) else {
        return Ok(());
    };
    let Some(file) = operands.iter().find(exists) else { return Ok(()) };
    let text = stray.to_string_lossy();
    let error = Error::usage(format!("'{text}' is not a file"));
    if parse_line_ranges(&text).is_ok() {
        let address = OsString::from_iter([file.as_os_str(), ":".as_ref(), stray]);
        return Err(error.hint(Hint::command(command, [address]).why("lines of a file")));
    }
    match part.split_last() {
        Some((name, flags)) if !name.as_encoded_bytes().starts_with(b"--") => {
            let name = format!("{} {text}", name.to_string_lossy());
            let hint = Hint::command(command, [file]).and(flags).and([name]);
            Err(error.hint(hint.why("quote a name that contains spaces")))
        }
        _ => Ok(()),
    }
}
