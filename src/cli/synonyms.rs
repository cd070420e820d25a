//! Names that other programs use for folio's commands.

use std::ffi::OsString;
use std::path::Path;

use super::typed_line::TypedLine;
use crate::commands::patch::args::PatchArgs;
use crate::commands::request;
use crate::commands::stray_operands;
use folio_files::document::DocumentOptions;
use folio_files::error::Hint;

/// A folio command, an example of it, and its synonyms.
const SYNONYMS: &[(&str, &str, &[&str])] = &[
    ("inspect", "FILE", &["outline", "toc", "headings", "structure", "sections"]),
    ("read", "FILE --section NAME", &["cat", "show", "get", "print", "view", "open"]),
    ("read", "FILE --head N", &["head"]),
    ("read", "FILE --tail N", &["tail"]),
    ("grep", "PATTERN PATH", &["search", "rg", "find", "egrep", "query"]),
    ("list", "", &["ls", "dir", "files"]),
    ("list --mode tree", "", &["tree"]),
    ("links", "FILE", &["check", "linkcheck", "link", "lint"]),
    ("undo", "", &["revert", "restore", "rollback"]),
    (
        "patch replace",
        "FILE --section NAME --content TEXT",
        &["replace", "sed", "change", "update", "modify", "substitute", "write"],
    ),
    ("patch set", "FILE --key KEY --content VALUE", &["set"]),
    ("edit", "FILE --section NAME", &["vi", "vim", "nano", "emacs"]),
    ("patch insert", "FILE --section NAME --content TEXT", &["insert"]),
    ("patch append", "FILE --section NAME --content TEXT", &["append", "add"]),
    ("patch delete", "FILE --section NAME", &["delete", "remove", "rm", "del"]),
    ("patch rename", "FILE --heading OLD --content NEW", &["rename"]),
    ("patch move", "FILE --section NAME --to ADDRESS", &["move", "mv"]),
    ("patch copy", "FILE --section NAME --to ADDRESS", &["copy", "cp"]),
    ("patch create", "FILE --content TEXT", &["create", "new", "touch"]),
    ("patch apply", "EDITS", &["apply", "batch"]),
];

/// Commands of other programs that folio does not have. Each row contains the commands, an
/// alternative and an explanation.
const OTHERWISE: &[(&[&str], &str, &str)] = &[
    (&["diff", "log", "history", "status"], "undo --list", "what patch has changed"),
    (&["fmt", "format"], "patch --help", "edits only the named part, and formats nothing"),
    (&["version"], "--version", ""),
];

/// Returns a hint for a command of another program that folio does not have.
pub(super) fn unsupported_hint(name: &str) -> Option<Hint> {
    let (_, typed, why) = OTHERWISE.iter().find(|(names, ..)| names.contains(&name))?;
    let (first, rest) =
        typed.split_once(' ').map_or((*typed, None), |(first, rest)| (first, Some(rest)));
    Some(Hint::command(first, rest).why(*why))
}

/// Programs whose options differ from those of folio.
const WITH_OTHER_FLAGS: &[&str] =
    &["cat", "ls", "dir", "tree", "sed", "rm", "mv", "cp", "touch", "lint", "restore"];

/// Programs whose command lines may lack arguments that folio requires.
const WITH_LESS: &[&str] = &["head", "tail", "find"];

/// Commands of other programs with two arguments, and the options of folio between them.
const WITH_TWO: &[(&[&str], &[&str])] = &[(&["get"], &["--key"])];

fn find(name: &str) -> Option<(&'static str, &'static str)> {
    let found = SYNONYMS.iter().find(|(_, _, words)| words.contains(&name))?;
    Some((found.0, found.1))
}

/// Returns the folio command that is equivalent to a command line of another program.
pub(super) fn equivalent(name: &str, rest: &[OsString]) -> Option<Hint> {
    let (typed, example) = find(name)?;
    let has_flags = rest.iter().any(|word| word.to_string_lossy().starts_with('-'));
    if let ([first, second], false) = (rest, has_flags)
        && let Some((_, flags)) = WITH_TWO.iter().find(|(names, _)| names.contains(&name))
    {
        return command(typed)
            .map(|hint| hint.and([first]).and(flags.iter().copied()).and([second]));
    }
    if let Some(hint) = edit_of_words(typed, rest) {
        return Some(hint);
    }
    // An edit requires options.
    let says_all =
        if has_flags { !WITH_OTHER_FLAGS.contains(&name) } else { !typed.starts_with("patch") };
    let is_whole = says_all && !WITH_LESS.contains(&name);
    if let Some(hint) = same_line(typed, rest).filter(|_| is_whole && !rest.is_empty()) {
        return Some(hint);
    }
    let words = example.split_whitespace().map(OsString::from);
    let words = words.map(|word| match rest {
        [file] if word == "FILE" && !file.to_string_lossy().starts_with('-') => file.clone(),
        _ => word,
    });
    command(typed).map(|hint| hint.and(words))
}

/// Returns the edit whose words after the file lack their options, such as `set FILE KEY VALUE`.
fn edit_of_words(typed: &str, rest: &[OsString]) -> Option<Hint> {
    let operation = typed.strip_prefix("patch ")?;
    let found = super::find("patch".as_ref())?;
    let words: Vec<OsString> = [operation.into()].into_iter().chain(rest.iter().cloned()).collect();
    let line = [OsString::from("patch")].into_iter().chain(words.iter().cloned());
    let matches = found.command().try_get_matches_from(line).ok()?;
    let args: PatchArgs = request::parsed(&matches, false).ok()?;
    let host = super::env::host(&[]).ok()?;
    let part_named = |file: &Path, name: &str| {
        let documents = DocumentOptions::default();
        Some(stray_operands::part_named(file, name, &documents, &host)?.0)
    };
    let file = Path::new(args.addresses.first()?);
    let changes =
        args.misplaced(&|path| path == file || host.env.roots.exists(path), &part_named)?;
    let built = found.command();
    let mut line = TypedLine::parse(&words, &built);
    changes.iter().for_each(|change| line.apply(change));
    Some(Hint::command("patch", line.words()))
}

/// Parses a hint. The first word may be the name of a command, followed by its arguments.
pub(super) fn command(typed: &str) -> Option<Hint> {
    let mut words = typed.split(' ');
    let found = super::find(words.next()?.as_ref())?;
    Some(Hint::command(found.name, words))
}

/// Returns the folio command for a synonym.
pub(super) fn command_name(name: &str) -> Option<&'static str> {
    find(name).and_then(|(typed, _)| typed.split(' ').next())
}

/// Returns a hint with another command and the same arguments, if the command accepts them.
pub(super) fn same_line(typed: &str, rest: &[OsString]) -> Option<Hint> {
    let words = typed.split(' ').map(OsString::from);
    let found = super::find(typed.split(' ').next()?.as_ref())?;
    let line = words.chain(rest.iter().cloned());
    found.command().try_get_matches_from(line).ok()?;
    command(typed).map(|hint| hint.and(rest))
}
