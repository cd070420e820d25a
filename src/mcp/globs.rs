//! Globs in calls. In a command line, a glob with a slash is relative to the current directory. In
//! a call, it may also be relative to the directory that the call searches.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use folio_files::env::Env;
use folio_files::error::Error;
use folio_files::ignore_rules::RuleOptions;
use folio_files::listing::WalkOptions;
use folio_files::walk;

/// Searches the directory with which the globs begin, if the call names no file or directory. The
/// directory may be hidden, such as that of `.github/workflows/*.yml`.
pub(super) fn set_directory(arguments: &mut Map<String, Value>, operand: &str, env: &Env) {
    let globs = arguments.get("glob").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let globs = globs.iter().filter_map(Value::as_str).filter(|glob| !glob.starts_with('!'));
    let mut directories: Vec<PathBuf> = globs.map(literal_directory).collect();
    directories.dedup();
    let [directory] = &directories[..] else { return };
    let is_here = *directory == Path::new("");
    let directory = if is_here { Path::new(".") } else { directory };
    let is_free = ["address", "path", "edits"].iter().all(|name| !arguments.contains_key(*name));
    if is_free && env.roots.is_directory(directory) {
        arguments.insert(operand.to_owned(), directory.to_string_lossy().into());
    }
}

/// Returns the directories at the start of a glob that contain no special characters.
fn literal_directory(glob: &str) -> PathBuf {
    let names = Path::new(glob).parent().into_iter().flat_map(Path::components);
    let is_literal = |name: &Component<'_>| {
        let name = name.as_os_str().as_encoded_bytes();
        !name.iter().any(|byte| b"*?[]{}\\/".contains(byte))
    };
    names.take_while(is_literal).collect()
}

/// Replaces each glob that matches files only relative to a directory that the call searches.
///
/// # Errors
///
/// Fails if a glob is invalid or a directory cannot be listed.
pub(super) fn relative_to_operands(
    arguments: &mut Map<String, Value>,
    env: &Env,
) -> Result<(), Error> {
    let globs = arguments.get("glob").and_then(Value::as_array).cloned().unwrap_or_default();
    let directories = directories(arguments, env);
    let is_below = directories.iter().any(|(_, prefix)| !prefix.is_empty());
    if !is_below || !globs.iter().any(is_anchored) {
        return Ok(());
    }
    let is_on = |name: &str| arguments.get(name) == Some(&Value::Bool(true));
    let (hidden, no_ignore) = (is_on("hidden"), is_on("no_ignore"));
    let has_match = |directory: &Path, glob: &str| {
        let globs = vec![glob.to_owned()];
        let rules = RuleOptions { globs, hidden, no_ignore, ..RuleOptions::default() };
        let walk = WalkOptions { rules, ..WalkOptions::default() };
        walk::files_below(directory, &walk, env).map(|(files, _)| !files.is_empty())
    };
    let mut replaced = Vec::new();
    for glob in globs {
        let text = glob.as_str().filter(|_| is_anchored(&glob)).unwrap_or_default();
        let (not, plain) = text.strip_prefix('!').map_or(("", text), |plain| ("!", plain));
        let mut below = Vec::new();
        for (directory, prefix) in directories.iter().filter(|_| !plain.is_empty()) {
            if has_match(directory, plain)? {
                below.clear();
                break;
            }
            let other = format!("{prefix}/{}", plain.trim_start_matches('/'));
            if !prefix.is_empty() && has_match(directory, &other)? {
                below.push(format!("{not}{other}").into());
            }
        }
        replaced.extend(if below.is_empty() { vec![glob] } else { below });
    }
    arguments.insert("glob".to_owned(), replaced.into());
    Ok(())
}

/// Whether a glob is relative to a directory, rather than matched at any depth.
fn is_anchored(glob: &Value) -> bool {
    let glob = glob.as_str().unwrap_or_default().trim_start_matches('!').trim_end_matches('/');
    glob.contains('/') && !glob.starts_with("**/")
}

/// Returns the directories that a call searches, each with the glob that matches it relative to the
/// current directory. For the current directory itself, this glob is empty.
fn directories(arguments: &Map<String, Value>, env: &Env) -> Vec<(PathBuf, String)> {
    let operands = ["address", "path"].into_iter().filter_map(|name| arguments.get(name));
    let texts = operands.flat_map(|value| match value {
        Value::Array(several) => several.as_slice(),
        single => std::slice::from_ref(single),
    });
    let paths = texts.filter_map(Value::as_str).map(PathBuf::from);
    let directories = paths.filter(|path| env.roots.is_directory(path));
    let working_directory = env.roots.working_directory().unwrap_or(Path::new(""));
    let with_prefix = |directory: PathBuf| {
        let below = directory.strip_prefix(working_directory).unwrap_or(&directory);
        let names = below.components().filter(|name| *name != Component::CurDir);
        let prefix = globset::escape(&names.collect::<PathBuf>().to_string_lossy());
        (directory, prefix)
    };
    directories.map(with_prefix).collect()
}
