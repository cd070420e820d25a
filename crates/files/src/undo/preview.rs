//! Computes the diffs of what an undo would change, and of what a patch changed.

use std::io::Read;
use std::path::PathBuf;

use super::{Selection, changed_error, exists, fit, reverse_edits, with_planned_changes};
use crate::env::Env;
use crate::error::{Code, Error};
use crate::history::{HistoryEntry, Reverse};
use crate::records::FileRecord;
use crate::replace::{Editable, FileChange};
use crate::state::StateDirectory;
use folio_text::diff::{self, FileDiff, Hunk};
use folio_text::edit::{Edit, EditSet};
use folio_text::encoding::Encoding;
use folio_text::lines::count_newlines;
use folio_text::span::Span;

/// The absolute paths of files, with symlinks resolved, and their changes.
type Diffs = Vec<(PathBuf, FileDiff)>;

/// Returns the changes that an undo would make. Returns `None` if there is nothing to undo.
///
/// # Errors
///
/// Fails if the undo would fail.
pub fn preview(
    state: &StateDirectory,
    selection: &Selection,
    env: &Env,
) -> Result<Option<(HistoryEntry, Diffs)>, Error> {
    with_planned_changes(state, selection, env, false, |entry, changes, _, _| {
        let files = entry.files.iter().zip(&changes);
        let diffs = files.map(|(path, (change, _))| Ok((path.clone(), undo_diff(change)?)));
        Ok((entry.clone(), diffs.collect::<Result<_, Error>>()?))
    })
}

/// Returns the diff of the change that undoes one file.
fn undo_diff(change: &FileChange) -> Result<FileDiff, Error> {
    let text = |file: &Editable| {
        let mut text = Vec::new();
        let read = (&*file.file()?).read_to_end(&mut text);
        read.map(|_| text).map_err(|error| Error::io(&error, file.resolved()))
    };
    Ok(match change {
        FileChange::Create { content, .. } => new_file_diff(content),
        FileChange::Edit { file, edits } => file_diff(&text(file)?, edits, (false, false)),
        FileChange::Remove { file } => removed_file_diff(&text(file)?),
    })
}

/// Returns the changes of a patch by file.
///
/// # Errors
///
/// Fails if a file has changed so much that the changes of the patch can no longer be determined.
pub fn show(state: &StateDirectory, entry: &HistoryEntry, env: &Env) -> Result<Diffs, Error> {
    let files = entry.files.iter().zip(&entry.record.files).zip(reverse_edits(state, entry)?);
    files
        .map(|((path, record), reverse)| {
            Ok((path.clone(), patch_diff((state, entry), record, reverse, env)?))
        })
        .collect()
}

fn patch_diff(
    entry: (&StateDirectory, &HistoryEntry),
    record: &FileRecord,
    reverse: Reverse,
    env: &Env,
) -> Result<FileDiff, Error> {
    if record.after.is_none() {
        return Ok(removed_file_diff(&reverse.edits.apply(b"")));
    }
    let path = record.path();
    let fitted = || {
        if !exists(record, &env.roots)? {
            return Err(changed_error(path, "it was deleted"));
        }
        let (mut file, mut text) = (env.roots.open_file(path)?, Vec::new());
        file.read_to_end(&mut text).map_err(|error| Error::io(&error, path))?;
        let fit = fit::fit(&file, text.len() as u64, entry, record, reverse.clone(), env)?;
        Ok((text, fit.edits))
    };
    let (new, edits) = match fitted() {
        Ok(fitted) => fitted,
        Err(error) if error.code == Code::FileChanged && !record.around.is_empty() => {
            return Ok(from_places(record, &reverse));
        }
        Err(error) => return Err(error),
    };
    if record.before.is_none() {
        return Ok(new_file_diff(&new));
    }
    let old = edits.apply(&new);
    let brought = edits
        .edits()
        .iter()
        .map(|edit| new[edit.span.start() as usize..edit.span.end() as usize].to_vec());
    let forward = edits.reversed(brought.collect::<Vec<_>>());
    Ok(file_diff(&old, &forward, (false, false)))
}

/// Returns the changes of a patch, computed only from its record. Line numbers are those at the
/// time of the patch.
fn from_places(record: &FileRecord, reverse: &Reverse) -> FileDiff {
    let mut all = FileDiff::default();
    let mut first = record.line;
    let places = reverse.places.iter().zip(&record.around);
    for (edit, (place, (before, after))) in reverse.edits.edits().iter().zip(places) {
        let (start, end) = (*before as usize, place.len() - *after as usize);
        let old = [&place[..start], &edit.content, &place[end..]].concat();
        let span = Span::new(*before, before + edit.content.len() as u64);
        let forward = EditSet::new(vec![Edit::new(span, &place[start..end])]);
        let Ok(forward) = forward else { continue };
        let skipped = count_newlines(&place[..start]);
        let shift = first.take().map_or(0, |line| line.saturating_sub(skipped + 1));
        each_hunk(&old, &forward, |mut hunk| {
            hunk.old.start += shift;
            hunk.new.start += shift;
            all.add(&hunk);
        });
    }
    all
}

fn new_file_diff(new: &[u8]) -> FileDiff {
    file_diff(b"", &EditSet::between(b"", new), (true, false))
}

fn removed_file_diff(old: &[u8]) -> FileDiff {
    file_diff(old, &EditSet::between(old, b""), (false, true))
}

fn file_diff(old: &[u8], edits: &EditSet, (is_new, is_gone): (bool, bool)) -> FileDiff {
    let mut diff = FileDiff { is_new, is_gone, ..FileDiff::default() };
    each_hunk(old, edits, |hunk| diff.add(&hunk));
    diff
}

fn each_hunk(old: &[u8], edits: &EditSet, mut tell: impl FnMut(Hunk<'_>)) {
    let encoding = Encoding::detect(old);
    let mut at = (0, 1);
    let lines = edits.edits().iter().map(|edit| {
        let start = edit.span.start() as usize;
        at = (start, at.1 + encoding.count_line_feeds(&old[at.0..start]));
        at.1
    });
    let first_lines: Vec<u64> = lines.collect();
    let change = diff::Change { old, edits, first_lines: &first_lines, encoding };
    change.each_hunk(|mut hunk| {
        if !encoding.is_utf8() {
            hunk.decode(encoding);
        }
        tell(hunk);
    });
}
