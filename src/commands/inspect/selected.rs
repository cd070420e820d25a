//! Lists the parts that conditions select, counts the parts, or lists the files that contain them.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

use super::Options;
use super::report::{FileRecord, PartRecord};
use crate::commands::conditions::scan::Scan;
use crate::commands::conditions::{Part, Parts, Selector};
use crate::commands::output::{Note, Outcome, Record, Role, Sink, Stop, Style};
use crate::commands::shared_args::section_patterns;
use crate::error::{ExitStatus, Hint};
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
        resolve: options.lookup.missing.resolve,
        env,
    };
    let null = options.null;
    let is_repeated = options.conditions.shows_repeated() && !null && !style.json;
    let make = |path: &Path, parts: Parts<'_>| {
        let (mut out, mut count, mut has_lines) = (Vec::new(), 1, false);
        if options.files_with_matches || options.count {
            let count = options.count.then(|| parts.count() as u64);
            FileRecord { path, count, null }.write(style, &mut out);
        } else {
            let mut repeated = Repeated::default();
            count = 0;
            for part in parts {
                count += 1;
                has_lines |= part.lines.is_some();
                match is_repeated {
                    true => repeated.add(part),
                    false => PartRecord { path, part: &part, null }.write(style, &mut out),
                }
            }
            repeated.push(path, style, &mut out);
        }
        (path.to_owned(), count, has_lines, out)
    };
    let mut files = 0;
    let scanned = scan.each(operands, sink, make, |(path, count, has_lines, text), sink| {
        files += 1;
        if has_lines && style.grouped {
            sink.file(&path)?;
        }
        sink.counted(&path, count);
        Ok(sink.write(&text)?)
    });
    match scanned {
        Err(Stop::Failed(error)) => return Err(error),
        Ok(tally) if files == 0 => sink.error(&scan.miss(&tally, operands)),
        Ok(tally) if (1..files).contains(&tally.bare) && !style.json => {
            let message = format!("without front matter: {} of {files} files", tally.bare);
            let hint = Hint::flag(["--kind", "front-matter"]).why("to leave them out");
            sink.note(Note::new(message).hint(hint));
        }
        Ok(_) | Err(Stop::Closed | Stop::Enough) => {}
    }
    Ok(ExitStatus::Done)
}

/// Maximum number of lines printed for each repeated name, followed by their count, if results are
/// grouped by file.
const SHOWN_LINES: usize = 8;

/// The first lines of parts with the same name.
#[derive(Default)]
struct Repeated {
    /// The index in `lines` for each name.
    names: HashMap<Vec<u8>, usize>,
    /// The lines of each name, separated by commas.
    lines: Vec<String>,
}

impl Repeated {
    fn add(&mut self, part: Part) {
        let Some(range) = part.lines else { return };
        let index = *self.names.entry(part.name).or_insert(self.lines.len());
        if index == self.lines.len() {
            self.lines.push(String::new());
        }
        let lines = &mut self.lines[index];
        let comma = if lines.is_empty() { "" } else { "," };
        lines.push_str(&format!("{comma}{}", range.start()));
    }

    /// Appends a line for each name, in the order of the document.
    fn push(self, path: &Path, style: Style, out: &mut Vec<u8>) {
        let mut names: Vec<(Vec<u8>, usize)> = self.names.into_iter().collect();
        names.sort_unstable_by_key(|(_, index)| *index);
        for ((name, _), lines) in names.iter().zip(&self.lines) {
            if !style.grouped {
                style.paint_path(path, out);
                out.push(b':');
            }
            match lines.match_indices(',').nth(SHOWN_LINES - 1).filter(|_| style.grouped) {
                Some((end, _)) => {
                    let count = lines.split(',').count();
                    style.paint(Role::Lines, format!("{},… ({count})", &lines[..end]), out);
                }
                None => style.paint(Role::Lines, lines, out),
            }
            out.extend_from_slice(if style.grouped { b" " } else { b": " });
            style.paint_bytes(Role::Heading(2), name, out);
            out.push(b'\n');
        }
    }
}
