//! Lists the parts that conditions select, counts the parts, or lists the files that contain them.

use std::ffi::OsString;
use std::path::Path;

use super::Options;
use super::report::{CountRecord, FileRecord, PartRecord};
use crate::commands::conditions::scan::Scan;
use crate::commands::conditions::{Parts, Selector};
use crate::commands::output::{Outcome, Record, Sink, Stop};
use crate::commands::shared_args::section_patterns;
use crate::error::ExitStatus;
use crate::files::env::Env;

/// Lists the parts that meet the conditions in the files of the operands.
pub(super) fn run(
    options: &Options,
    operands: &[OsString],
    env: &Env,
    sink: &mut dyn Sink,
) -> Outcome {
    let style = sink.style();
    let selector = Selector::new(&options.conditions, section_patterns(&options.section_pattern)?)?;
    let scan = Scan {
        selector: &selector,
        documents: &options.document,
        walk: &options.walk,
        command: "inspect",
        resolve: options.resolve.resolve,
        env,
    };
    let null = options.null;
    let make = |path: &Path, parts: Parts<'_>| {
        let mut out = Vec::new();
        if options.files_with_matches {
            FileRecord { path, null }.write(style, &mut out);
        } else if options.count {
            CountRecord { path, count: parts.count() as u64, null }.write(style, &mut out);
        } else {
            for part in parts {
                PartRecord { path, part: &part, null }.write(style, &mut out);
            }
        }
        out
    };
    let mut is_any = false;
    let scanned = scan.each(operands, sink, make, |text, sink| {
        is_any = true;
        Ok(sink.write(&text)?)
    });
    match scanned {
        Err(Stop::Failed(error)) => return Err(error),
        Ok(tally) if !is_any => sink.error(&scan.miss(&tally, operands)),
        Ok(_) | Err(Stop::Closed | Stop::Enough) => {}
    }
    Ok(ExitStatus::Done)
}
