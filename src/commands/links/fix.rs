//! Fixes links that have only one possible target. All documents are changed in one transaction,
//! which one `undo` reverts.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::LinksArgs;
use super::check::Checked;
use folio_files::env::Env;
use folio_files::error::Error;
use folio_files::history::Draft;
use folio_files::lock::lock_directories;
use folio_files::replace::{self, CommitOptions, Editable, FileChange, Mode};
use folio_outline::document_links::document_links;
use folio_outline::format::Format;
use folio_text::diff::{self, FileDiff};
use folio_text::edit::{Edit, EditSet};
use folio_text::encoding::Encoding;

/// The result of fixing links, or of a dry run.
#[derive(Default)]
pub(super) struct Fixed {
    pub(super) files: u64,
    pub(super) undo: Option<u64>,
    /// The diff of each document, if requested.
    pub(super) diffs: Vec<(PathBuf, FileDiff)>,
    pub(super) warnings: Vec<String>,
}

/// Fixes the links of all documents. Removes the `fix` of each link that cannot be fixed.
///
/// # Errors
///
/// Fails if a document cannot be written. In this case, no document is changed.
pub(super) fn fix(checked: &mut [Checked], args: &LinksArgs, env: &Env) -> Result<Fixed, Error> {
    let mut seen = HashSet::new();
    let mut documents: Vec<(&mut Checked, PathBuf)> = Vec::new();
    for document in
        checked.iter_mut().filter(|document| document.links.iter().any(|link| link.fix.is_some()))
    {
        let resolved = env.roots.resolve(&document.path)?;
        // A document that was found by two paths is written only once.
        if seen.insert(resolved.clone()) {
            documents.push((document, resolved));
        }
    }
    let writes = !args.dry_run;
    let directories: Vec<PathBuf> = if writes {
        documents.iter().filter_map(|(_, path)| path.parent()).map(Path::to_owned).collect()
    } else {
        Vec::new()
    };
    let locks = lock_directories(&directories, env)?;
    let mut fixed = Fixed::default();
    let (mut changes, mut lines) = (Vec::new(), Vec::new());
    for (document, _) in &mut documents {
        let path = document.path.clone();
        let editable = writes.then(|| Editable::open(&path, Mode::Rename, &locks)).transpose()?;
        let mut bytes = Vec::new();
        let file = match &editable {
            Some(editable) => editable.file(),
            None => env.roots.open_file(&path).map(Arc::new),
        };
        (&*file?).read_to_end(&mut bytes).map_err(|error| Error::io(&error, &path))?;
        let Some((edits, first_lines)) = edits(document, &bytes)? else { continue };
        fixed.files += 1;
        if args.dry_run || args.diff {
            fixed.diffs.push((path, file_diff(&bytes, &edits, &first_lines)));
        }
        lines.push((Some(0), first_lines.first().copied()));
        changes.extend(editable.map(|file| FileChange::Edit { file, edits }));
    }
    if !changes.is_empty() {
        let operation = "links --fix".to_owned();
        let draft = Draft { operation, lines, ..Draft::default() };
        let (history, state) = (env.undo.then_some(draft), env.state.clone());
        let options = CommitOptions { history, state, ..CommitOptions::default() };
        let committed = replace::commit(changes, &locks, &options, &mut |_, _| {})?;
        (fixed.undo, fixed.warnings) = (committed.undo, committed.warnings);
    }
    Ok(fixed)
}

/// Returns the edits of a document in order, with the lines on which they begin. Returns `None` if
/// they would change other links.
///
/// # Errors
///
/// Fails if the document has changed since it was checked.
fn edits(document: &mut Checked, bytes: &[u8]) -> Result<Option<(EditSet, Vec<u64>)>, Error> {
    let mut fixes: Vec<(Edit, u64)> = Vec::new();
    for link in &document.links {
        let Some(fix) = &link.fix else { continue };
        let span = fix.edit.span;
        if bytes.get(span.start() as usize..span.end() as usize) != Some(&*fix.old) {
            return Err(Error::changed().at(&document.path));
        }
        fixes.push((fix.edit.clone(), link.line));
    }
    fixes.sort_by_key(|(edit, _)| edit.span.start());
    let (edits, first_lines): (Vec<Edit>, Vec<u64>) = fixes.into_iter().unzip();
    let set = EditSet::new(edits)
        .ok()
        .filter(|edits| changes_nothing_else(bytes, document.format, edits));
    if set.is_none() {
        document.links.iter_mut().for_each(|link| link.fix = None);
    }
    Ok(set.map(|edits| (edits, first_lines)))
}

/// Whether the edits change only the destinations of the edited links.
fn changes_nothing_else(bytes: &[u8], format: Format, edits: &EditSet) -> bool {
    let links = |bytes: &[u8]| document_links(bytes, format);
    let (old, new) = (links(bytes), links(&edits.apply(bytes)));
    let is_edited = |at: u64| edits.edits().iter().any(|edit| edit.span.start() == at);
    old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| {
            old.kind == new.kind && (is_edited(old.destination.start())) != (old.text == new.text)
        })
}

fn file_diff(bytes: &[u8], edits: &EditSet, first_lines: &[u64]) -> FileDiff {
    let change = diff::Change { old: bytes, edits, first_lines, encoding: Encoding::Utf8 };
    let mut diff = FileDiff::default();
    change.each_hunk(|hunk| diff.add(&hunk));
    diff
}
