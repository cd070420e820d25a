//! Returns matching lines as values, for callers in this process.

use std::path::PathBuf;

use super::GrepOptions;
use super::args::GrepArgs;
use super::run::{GrepRun, operands, work};
use crate::commands::host::Host;
use crate::commands::matching::{self, Hit, Layout, Query};
use crate::commands::output::{Collected, Sink, Stop};
use folio_files::error::{Code, Error};

/// Returns the matching lines in a file or directory, and whether there may be more.
///
/// # Errors
///
/// Fails if the pattern is invalid, or if there is no match and a file cannot be read.
pub fn matches(args: GrepArgs, host: &Host) -> Result<(Vec<(PathBuf, Hit)>, bool), Error> {
    let options = &GrepOptions::new(args)?;
    options.check(&|_| false)?;
    options.walk.rules.check(&host.env.roots)?;
    let search = matching::SearchOptions { layout: Layout::Collected, ..options.search.clone() };
    let mut sink = Collected::text();
    let query = Query::new(&search, sink.style, true)?;
    let work = work(options, &operands(options, host), &host.env, &mut sink)?;
    let mut run = GrepRun::new(&query, host, &mut sink);
    let done = run.files(&work);
    let (matches, left_out) = (run.collected, run.summary.left_out > 0);
    if let Err(Stop::Failed(error)) = done {
        sink.error(&error);
    }
    let is_cut = left_out || sink.errors.iter().any(|error| error.code == Code::Cancelled);
    if matches.is_empty() {
        sink.check()?;
    }
    Ok((matches, is_cut))
}
