//! Finds the files in which conditions select parts, with the lines of the parts.

use std::path::{Path, PathBuf};

use super::GrepOptions;
use crate::commands::conditions::scan::Scan;
use crate::commands::conditions::{Parts, Selector};
use crate::commands::host::Host;
use crate::commands::output::Collected;
use crate::commands::shared_args::section_patterns;
use folio_files::document::DocumentOptions;
use folio_files::error::Error;
use folio_text::span::{LineRange, merged};

/// A file, and the disjoint lines of its parts, in order. `None` for the whole file.
pub(super) type SelectedLines = (PathBuf, Option<Vec<LineRange>>);

/// Returns the files with parts that meet the conditions, and the errors for files that could not
/// be read.
///
/// # Errors
///
/// Fails if no part meets the conditions.
pub(super) fn files(
    options: &GrepOptions,
    host: &Host,
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
    Ok((scan.all(&operands, &mut seen, lines)?, seen.errors))
}

/// Returns the lines of a file's parts. Overlapping ranges are merged.
fn lines(path: &Path, parts: Parts<'_>) -> SelectedLines {
    let all: Option<Vec<LineRange>> = parts.map(|part| part.lines).collect();
    (path.to_owned(), all.map(|all| merged(all, 0)))
}
