//! The files in which conditions select parts, with the lines of these.

use std::path::PathBuf;

use super::Options;
use crate::commands::conditions::Selector;
use crate::commands::conditions::scan::{File, Scan};
use crate::commands::output::Collected;
use crate::commands::shared_args::section_patterns;
use crate::error::Error;
use crate::files::document::DocumentOptions;
use crate::files::env::Env;
use crate::text::span::LineRange;

/// A file, and the lines of its parts, apart and in order; all of it without.
pub(super) type Lines = (PathBuf, Option<Vec<LineRange>>);

/// The files with parts that meet the conditions, and what could not be looked at.
///
/// Fails where nothing meets them.
pub(super) fn files(options: &Options, env: &Env) -> Result<(Vec<Lines>, Vec<Error>), Error> {
    let search = &options.search;
    let entries = section_patterns(&search.section_patterns)?;
    let selector = Selector::new(&options.conditions, entries)?;
    let scan = Scan {
        selector: &selector,
        // What is no text has no parts.
        documents: &DocumentOptions { binary: search.text, ..search.document.clone() },
        walk: &options.walk,
        command: "grep",
        resolve: options.resolve.resolve,
        env,
    };
    let mut operands = options.paths.clone();
    if operands.is_empty() {
        operands = env.roots.all();
    }
    let operands: Vec<_> = operands.into_iter().map(PathBuf::into_os_string).collect();
    let mut seen = Collected::text();
    let files = scan.all(&operands, &mut seen)?;
    Ok((files.into_iter().map(lines).collect(), seen.errors))
}

/// The lines of a file's parts, those that hold one another joined.
fn lines(file: File) -> Lines {
    let all: Option<Vec<LineRange>> = file.parts.iter().map(|part| part.lines).collect();
    (file.path, all.map(joined))
}

/// Line ranges in order, those that overlap joined.
pub(super) fn joined(mut all: Vec<LineRange>) -> Vec<LineRange> {
    all.sort();
    let mut joined: Vec<LineRange> = Vec::new();
    for lines in all {
        match joined.last_mut().filter(|last| last.end() >= lines.start()) {
            Some(last) => *last = LineRange::from_to(last.start(), last.end().max(lines.end())),
            None => joined.push(lines),
        }
    }
    joined
}
