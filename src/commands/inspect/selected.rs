//! Lists the parts that conditions select, counts the parts, or lists the files that contain them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Options;
use super::report::{CountRecord, FileRecord, PartRecord};
use crate::commands::conditions::scan::Scan;
use crate::commands::conditions::{Part, Parts, Selector};
use crate::commands::output::{Outcome, Record, Role, Sink, Stop, Style};
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
    let shows_parts = !options.files_with_matches && !options.count;
    let is_repeated = options.conditions.repeated && !null && !style.json;
    let make = |path: &Path, parts: Parts<'_>| {
        let (mut out, mut count) = (Vec::new(), 1);
        if options.files_with_matches {
            FileRecord { path, null }.write(style, &mut out);
        } else if options.count {
            CountRecord { path, count: parts.count() as u64, null }.write(style, &mut out);
        } else {
            let parts: Vec<Part> = parts.collect();
            count = parts.len() as u64;
            match is_repeated {
                true => push_repeated(path, &parts, style, &mut out),
                false => parts.iter().for_each(|part| {
                    PartRecord { path, part, null }.write(style, &mut out);
                }),
            }
        }
        (path.to_owned(), count, out)
    };
    let mut is_any = false;
    let scanned =
        scan.each(operands, sink, make, |(path, count, text): (PathBuf, u64, _), sink| {
            is_any = true;
            if shows_parts && style.grouped {
                sink.file(&path)?;
            }
            sink.counted(&path, count);
            Ok(sink.write(&text)?)
        });
    match scanned {
        Err(Stop::Failed(error)) => return Err(error),
        Ok(tally) if !is_any => sink.error(&scan.miss(&tally, operands)),
        Ok(_) | Err(Stop::Closed | Stop::Enough) => {}
    }
    Ok(ExitStatus::Done)
}

/// Appends a line for each name: the first lines of the parts with this name, and the name.
fn push_repeated(path: &Path, parts: &[Part], style: Style, out: &mut Vec<u8>) {
    let mut names: Vec<&[u8]> = Vec::new();
    let mut lines: HashMap<&[u8], Vec<String>> = HashMap::new();
    for part in parts {
        let own = lines.entry(&part.name).or_insert_with(|| {
            names.push(&part.name);
            Vec::new()
        });
        own.extend(part.lines.map(|lines| lines.start().to_string()));
    }
    for name in names {
        if !style.grouped {
            style.paint_path(path, out);
            out.push(b':');
        }
        style.paint(Role::Lines, lines[name].join(","), out);
        out.extend_from_slice(if style.grouped { b" " } else { b": " });
        style.paint_bytes(Role::Heading(2), name, out);
        out.push(b'\n');
    }
}
