//! Errors for missing or ambiguous parts and files, with candidates and hints.

use std::ffi::OsString;
use std::path::Path;

use crate::commands::output::counted;
use folio_files::address::display;
use folio_files::env::Env;
use folio_files::error::{Argument, Candidate, Code, Error, Hint, shell_path};
use folio_files::listing::Kind;
use folio_files::roots::Roots;
use folio_files::walk;
use folio_outline::ini_keys::KeyMiss;
use folio_outline::naming::unique_names;
use folio_outline::outline::{IniKey, Outline, SectionKind, path_to};
use folio_outline::target::{Matching, Miss, find_section};
pub use folio_text::fuzzy::name::nearest;
use folio_text::span::{LineRange, parse_line_ranges};

/// Returns the name of a section for messages, with its `#` marks.
pub fn section_label(outline: &Outline, index: usize) -> String {
    let text = outline.text(index);
    let text = String::from_utf8_lossy(&text);
    match outline.sections()[index].kind() {
        SectionKind::Heading(level) => format!("{} {text}", "#".repeat(usize::from(level))),
        SectionKind::Entry | SectionKind::Marker => text.into_owned(),
    }
}

/// Maximum number of sections whose names are compared to find a unique name.
const MAX_COMPARED: usize = 20_000;

/// Returns a name that identifies a section: its name with `#` marks, a path, or a name with a
/// number.
pub fn unique_label(outline: &Outline, index: usize) -> String {
    let label = section_label(outline, index);
    if find_section(outline, &label, None, Matching::Exact) == Ok(index) {
        return label;
    }
    let is_small = outline.sections().len() <= MAX_COMPARED;
    let name = is_small.then(|| unique_names(outline).swap_remove(index)).flatten();
    name.unwrap_or(label)
}

/// Returns the names of a section's ancestors, outermost first, followed by its own name.
pub fn section_path(outline: &Outline, parents: &[Option<usize>], index: usize) -> Vec<String> {
    let path = path_to(Some(index), |index| parents[index]).into_iter();
    path.map(|index| String::from_utf8_lossy(&outline.text(index)).into_owned()).collect()
}

/// Maximum number of candidates that an error lists.
pub const MAX_CANDIDATES: usize = 100;

/// Returns the text for an error with `count` candidates that states how many of them are not
/// listed.
pub fn only_some(count: usize) -> String {
    match count > MAX_CANDIDATES {
        true => format!("; the first {MAX_CANDIDATES} are listed"),
        false => String::new(),
    }
}

fn candidates(outline: &Outline, indexes: &[usize]) -> Vec<Candidate> {
    let parents = outline.parents();
    indexes
        .iter()
        .take(MAX_CANDIDATES)
        .map(|&index| Candidate {
            line: outline.sections()[index].lines().start(),
            text: section_label(outline, index),
            path: section_path(outline, &parents, index),
        })
        .collect()
}

/// Returns the error for a section that was not found. `flag` is the option that contains the name.
pub fn section_miss(outline: &Outline, miss: &Miss, flag: &str, name: &str, path: &Path) -> Error {
    let retry = |flag: &str, value: &str| Hint::flag([flag, value]);
    let error = section_miss_for(&retry, outline, miss, flag, name, path);
    with_lines(error, outline, miss, path)
}

/// Adds a hint that reads the first of several candidates by its lines.
pub fn with_lines(error: Error, outline: &Outline, miss: &Miss, path: &Path) -> Error {
    let Miss::Ambiguous { candidates } = miss else { return error };
    let address = display(path, Some(outline.sections()[candidates[0]].lines()));
    error.hint(Hint::command("read", [address]).why("the same section, by lines"))
}

/// Returns the error for a section that was not found. `retry` returns the command with another
/// value for an option.
pub fn section_miss_for(
    retry: &dyn Fn(&str, &str) -> Hint,
    outline: &Outline,
    miss: &Miss,
    flag: &str,
    name: &str,
    path: &Path,
) -> Error {
    match miss {
        Miss::NotFound { nearest } => {
            let message = if outline.sections().is_empty() {
                format!("no section '{name}': it has no headings or sections")
            } else {
                format!("no section '{name}'")
            };
            let mut error = Error::new(Code::TargetNotFound, message).at(path);
            error.candidates = candidates(outline, nearest);
            for &index in nearest.iter().take(3) {
                let line = outline.sections()[index].lines().start();
                let hint = retry(flag, &unique_label(outline, index));
                let why = difference(outline, index, name).unwrap_or("similar");
                error = error.hint(hint.why(format!("{why}, at line {line}")));
            }
            error.hint(Hint::command("inspect", [path]).why("list all"))
        }
        Miss::Ambiguous { candidates: found } => {
            let some = only_some(found.len());
            let message = format!("{} sections match '{name}'{some}", found.len());
            let mut error = Error::new(Code::TargetAmbiguous, message).at(path);
            error.candidates = candidates(outline, found);
            let choice = unique_label(outline, found[0]);
            error.hint(retry(flag, &choice).why("one of them"))
        }
    }
}

/// Describes the difference between a name and the name of a section, if it is hard to see.
fn difference(outline: &Outline, index: usize, name: &str) -> Option<&'static str> {
    let plain = |text: &str| -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").trim_matches(['#', '[', ']', ' ']).to_owned()
    };
    let lower = |text: &str| text.to_lowercase();
    let last = name.rsplit(['>', '/']).next().unwrap_or(name);
    let own = String::from_utf8_lossy(outline.name(index));
    let seen = outline.text(index);
    let seen = String::from_utf8_lossy(&seen);
    let pairs = [name, last].map(|name| [(name, &own), (name, &seen)]);
    pairs.iter().flatten().find_map(|(name, own)| {
        let (name, own) = (name.trim_matches(['#', ' ']), own.trim());
        match (plain(name) == plain(own), lower(&plain(name)) == lower(&plain(own))) {
            (true, _) => Some("it differs only in blanks"),
            (_, true) if lower(name) == lower(own) => Some("it differs only in case"),
            (_, true) => Some("it differs only in blanks and case"),
            _ => None,
        }
    })
}

/// Adds to an error the section to which the search was restricted.
pub fn within(mut error: Error, scope: Option<&str>) -> Error {
    if let Some(scope) = scope {
        error.message = format!("{} in section '{scope}'", error.message);
    }
    error
}

/// Returns the error for an anchor that was not found. `retry` returns the command with another
/// anchor.
pub fn anchor_miss(
    retry: &dyn Fn(&str) -> Hint,
    id: &str,
    nearest: &[String],
    path: &Path,
) -> Error {
    let mut error = Error::new(Code::TargetNotFound, format!("no anchor '#{id}'")).at(path);
    for id in nearest.iter().take(3) {
        error = error.hint(retry(id).why("similar"));
    }
    error
        .hint(Hint::command("inspect", [path]).why("list the headings; --json shows their anchors"))
}

/// Returns a command with an anchor as its address.
pub fn with_anchor(command: &'static str, path: &Path, id: &str) -> Hint {
    let mut address = path.argument();
    address.push(format!("#{id}"));
    Hint::command(command, [address])
}

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
    missing_entry(retry, &[Kind::File], error, path, env)
}

/// Adds hints with similar names to the error for a missing file or directory. `kinds` contains the
/// expected kinds in order of preference.
pub fn missing_entry(
    retry: &dyn Fn(&Path) -> Hint,
    kinds: &[Kind],
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
        let what = if kind == Kind::Directory { "directory" } else { "file" };
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

/// Returns the error for a number that is too large. `only` is the kind of block in `inspect
/// --only`, and `count` is the number of such blocks.
pub fn numbered_miss(
    kind: &str,
    only: &str,
    index: usize,
    count: usize,
    scope: Option<&str>,
    path: &Path,
) -> Error {
    let place = if scope.is_some() { "the section" } else { "the document" };
    let message = match count {
        0 => format!("no {kind} {index}: {place} has none"),
        count => format!("no {kind} {index}: {place} has {count}, numbered from 0"),
    };
    let inspect = Hint::command("inspect", ["--only", only]).and([path]);
    Error::new(Code::TargetNotFound, message).at(path).hint(inspect.why("list them"))
}

/// Returns the error for a line after the end of a document.
pub fn past_end(line: u64, total: u64, path: &Path) -> Error {
    let lines = match total {
        0 => "is empty".to_owned(),
        _ => format!("has {}", counted(total, "line")),
    };
    let error = Error::new(Code::LineOutOfRange, format!("no line {line}: the file {lines}"));
    let error = error.at(path);
    if total == 0 {
        return error;
    }
    let last = display(path, LineRange::new(total.saturating_sub(9).max(1), total));
    error.hint(Hint::command("read", [last]).why("the last lines"))
}

fn read_section(path: &Path, section: Option<&str>) -> Hint {
    Hint::command("read", [path]).and(section.iter().flat_map(|name| ["--section", name]))
}

/// Returns the error for a key that was not found. `retry` returns the command with another value
/// for an option.
pub fn key_miss(
    retry: &dyn Fn(&str, &str) -> Hint,
    outline: &Outline,
    miss: &KeyMiss,
    section: Option<&str>,
    key: &str,
    path: &Path,
) -> Error {
    let place = match section {
        Some(section) => format!("in section '{section}'"),
        None => "before the first section".to_owned(),
    };
    match miss {
        KeyMiss::NotFound(nearest) => {
            let message = format!("no key '{key}' {place}");
            let mut error = Error::new(Code::TargetNotFound, message).at(path);
            for name in nearest {
                error = error.hint(retry("--key", name).why("similar"));
            }
            if section.is_some() {
                return error.hint(read_section(path, section).why("the whole section"));
            }
            let others = outline.keys().iter().filter(|other| other.name == key);
            let mut others: Vec<usize> = others.filter_map(|other| other.section).collect();
            others.dedup();
            for index in others.into_iter().take(3) {
                let hint = retry("--section", &unique_label(outline, index));
                error = error.hint(hint.why("in a section"));
            }
            error.hint(Hint::command("inspect", [path]).why("list the sections"))
        }
        KeyMiss::Ambiguous(lines) => {
            let some = only_some(lines.len());
            let message = format!("{} keys '{key}' {place}{some}", lines.len());
            let mut error = Error::new(Code::TargetAmbiguous, message).at(path);
            error.candidates = lines
                .iter()
                .take(MAX_CANDIDATES)
                .map(|lines: &LineRange| Candidate {
                    line: lines.start(),
                    text: key.to_owned(),
                    path: section.map(str::to_owned).into_iter().chain([key.to_owned()]).collect(),
                })
                .collect();
            error.hint(retry("--key", &format!("{key}[0]")).why("the first of them"))
        }
    }
}

/// Returns the error for a value that spans several lines in a way that INI does not support.
pub fn open_key(key: &IniKey, path: &Path) -> Error {
    let message = format!(
        "line {}: the value of '{}' spans several lines as in TOML, which INI does not support",
        key.lines.start(),
        key.name
    );
    Error::new(Code::TargetNotFound, message).at(path)
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
