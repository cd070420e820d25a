//! Finds the files in which conditions select parts, with the lines of the parts.

use std::path::{Path, PathBuf};

use super::GrepOptions;
use crate::commands::conditions::scan::Scan;
use crate::commands::conditions::{Conditions, PartKind, Parts, SelectedPart, Selector};
use crate::commands::host::Host;
use crate::commands::output::{Collected, Note, Sink};
use crate::commands::shared_args::section_patterns;
use folio_files::document::DocumentOptions;
use folio_files::error::{Code, Error};
use folio_text::span::{LineRange, merged};

/// A file, and the disjoint lines of its parts, in order. `None` for the whole file.
pub(super) type SelectedLines = (PathBuf, Option<Vec<LineRange>>);

/// Returns the files with parts that meet the conditions, and the errors for files that could not
/// be read.
///
/// # Errors
///
/// Fails if no part meets the conditions. If files without matches are listed, there is a note
/// instead, because no file has a match in a selected part.
pub(super) fn files(
    options: &GrepOptions,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<(Vec<SelectedLines>, Vec<Error>), Error> {
    let search = &options.search;
    let entries = section_patterns(&search.section_patterns)?;
    let selector = Selector::new(&options.conditions, entries)?;
    let scan = Scan {
        selector: &selector,
        // Binary files have no parts.
        documents: &DocumentOptions { binary: search.text, ..search.document.clone() },
        walk: &options.walk,
        resolve: options.lookup.missing.resolve,
        host,
    };
    let mut operands = options.paths.clone();
    if operands.is_empty() {
        operands = host.env.roots.all();
    }
    let operands: Vec<_> = operands.into_iter().map(PathBuf::into_os_string).collect();
    let mut seen = Collected::text();
    let lines = |path: &Path, parts: Parts<'_>| lines(path, parts, &options.conditions);
    let files = match scan.all(&operands, &mut seen, lines) {
        Err(error) if search.mode.is_without() && error.code == Code::TargetNotFound => {
            if !search.mode.is_quiet() {
                sink.note(Note { path: error.path, ..Note::new(error.message) });
            }
            Vec::new()
        }
        files => files?,
    };
    Ok((files, seen.errors))
}

/// Whether `--kind heading` restricts the search in sections to their headings.
pub(super) fn searches_only_headings(conditions: &Conditions) -> bool {
    let kinds = &conditions.kind;
    kinds.contains(&PartKind::Heading) && !kinds.contains(&PartKind::Section)
}

/// Returns the lines of a file's parts. Overlapping ranges are merged.
fn lines(path: &Path, parts: Parts<'_>, conditions: &Conditions) -> SelectedLines {
    let only_headings = searches_only_headings(conditions);
    let lines_of = |part: SelectedPart| part.heading.filter(|_| only_headings).or(part.lines);
    let all: Option<Vec<LineRange>> = parts.map(lines_of).collect();
    (path.to_owned(), all.map(|all| merged(all, 0)))
}
