//! Entries of documents that are trees of keys. Finds the entry of a target, and creates the errors
//! for missing and ambiguous entries.

use std::path::Path;

use super::target::{SectionPart, Target};
use crate::commands::misses::nearest;
use crate::commands::output::counted;
use folio_files::error::{Candidate, Code, Error, Hint};
use folio_keys::find::{self, Found};
use folio_keys::parse::NOT_UTF8;
use folio_keys::path::push_steps;
use folio_keys::{KeyPath, Kind, Mistake, Syntax, Tree};

/// Maximum number of names listed in an error.
const LISTED: usize = 12;

/// Returns the text of the key path of a target, if the target selects an entry. The section of a
/// key, or the scope of a mapping that is selected as a section, is the beginning of the path.
pub fn key_path(syntax: Syntax, target: &Target, scope: Option<&str>) -> Option<String> {
    let (section, key) = match target {
        Target::Key { section, key, .. } => (section.as_deref(), key),
        Target::Anchor(id) => (None, id),
        Target::Section { name, part: SectionPart::Whole, children: None | Some(true) }
            if !syntax.is_flat() =>
        {
            (scope, name)
        }
        _ => return None,
    };
    Some(match section {
        Some(section) if key.starts_with('[') => format!("{section}{key}"),
        Some(section) => format!("{section}.{key}"),
        None => key.clone(),
    })
}

/// Returns the error for a text that is not a key path.
pub fn no_path(text: &str, message: &str) -> Error {
    /// Maximum number of characters of a path in an error.
    const SHOWN: usize = 200;
    let shown = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    Error::usage(format!("--key '{shown}': {message}"))
}

/// Returns the error for a document that could not be parsed.
pub fn unparsed(mistake: &Mistake, format: &str, path: &Path) -> Error {
    let Mistake { line, column, message } = mistake;
    let message = format!("line {line}, column {column}: invalid {format}: {message}");
    let error = Error::new(Code::InvalidSyntax, message).at(path);
    match mistake.message == NOT_UTF8 {
        true => error.hint(other_encoding()),
        false => error,
    }
}

/// Returns the hint to give the encoding of a file that is not UTF-8.
pub fn other_encoding() -> Hint {
    Hint::flag(["--encoding", "LABEL"]).why("such as windows-1252 or shift_jis")
}

/// Returns the error for editing an entry through an alias or a merge key.
pub fn through_alias(tree: &Tree, alias: usize, path: &Path) -> Error {
    let at = tree.lines(alias).start();
    let anchor = tree.anchor_of(alias).unwrap_or(alias);
    let message = format!(
        "line {at}: this entry refers to line {} through the alias {}; an edit would change both",
        tree.lines(anchor).start(),
        tree.written(alias)
    );
    let original = Hint::flag(["--key".to_owned(), tree.path(anchor)]).why("the original");
    Error::usage(message).at(path).hint(original)
}

/// Returns the error for a path that does not select exactly one entry. `root` is the word for the
/// complete tree in the message, and `retry` returns the command with another path.
pub fn missed(
    tree: &Tree,
    key: &KeyPath,
    miss: &find::Miss,
    (root, path): (&str, &Path),
    retry: &dyn Fn(&str) -> Hint,
) -> Error {
    match miss {
        find::Miss::Ambiguous { all, steps } => ambiguous(tree, key, (all, *steps), path, retry),
        find::Miss::NotFound { container, steps } => {
            let found = *container;
            let place = match (*steps, tree.path(found.index)) {
                (0, _) => format!("in {root}"),
                (_, path) => format!("in '{path}'"),
            };
            let node = tree.node(found.index);
            let error =
                Error::new(Code::TargetNotFound, format!("no key '{}' {place}", key.source));
            let error = error.at(path);
            match node.kind {
                Kind::Mapping => with_names(error, tree, found, key, *steps, retry),
                Kind::Sequence => {
                    let count = tree.children(found.index).count();
                    error.hint(match count {
                        0 => "it is an empty list".to_owned(),
                        _ => format!(
                            "it is a list of {}, [0] to [{}]",
                            counted(count as u64, "item"),
                            count - 1
                        ),
                    })
                }
                kind => error.hint(format!("it is a value of the type {}", kind.name())),
            }
        }
    }
}

/// Adds hints with names similar to the missing one. If there are none, lists the existing names.
fn with_names(
    mut error: Error,
    tree: &Tree,
    container: Found,
    key: &KeyPath,
    steps: usize,
    retry: &dyn Fn(&str) -> Hint,
) -> Error {
    let children: Vec<usize> = tree.children(container.index).collect();
    let names = children.iter().map(|&child| tree.name(child).unwrap_or_default());
    let wanted = match key.steps.get(steps) {
        Some(find::Step::Name(name)) => name,
        _ => &key.source,
    };
    let similar = nearest(wanted, names, 3);
    if !similar.is_empty() {
        for at in similar {
            error = error.hint(retry(&tree.path(children[at])).why("similar"));
        }
        return error;
    }
    if children.is_empty() {
        return error.hint("it has no keys");
    }
    let names: Vec<String> = children.iter().take(LISTED).map(|&child| tree.path(child)).collect();
    let more = match children.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    error.hint(format!("its keys are {}{more}", names.join(", ")))
}

fn ambiguous(
    tree: &Tree,
    key: &KeyPath,
    (all, steps): (&[usize], usize),
    path: &Path,
    retry: &dyn Fn(&str) -> Hint,
) -> Error {
    let message = format!("{} entries match '{}'", all.len(), key.source);
    let mut error = Error::new(Code::TargetAmbiguous, message).at(path);
    error.candidates = all
        .iter()
        .map(|&index| {
            let own = tree.path(index);
            Candidate { line: tree.lines(index).start(), text: own.clone(), path: vec![own] }
        })
        .collect();
    let rest = key.steps.get(steps..).unwrap_or_default();
    let fits = |index: &&usize| find::find_from(tree, **index, rest).is_ok();
    let Some(&index) = all.iter().find(fits).or(all.first()) else { return error };
    let why = if Some(&index) == all.first() { "the first of them" } else { "one of them" };
    let mut own = tree.path(index);
    push_steps(&mut own, rest);
    error.hint(retry(&own).why(why))
}
