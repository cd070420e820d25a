//! Lists the parts that conditions select, counts the parts, or lists the files that contain them.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::InspectOptions;
use super::report::{PartRecord, SelectedFileObject};
use crate::commands::conditions::scan::Scan;
use crate::commands::conditions::{Conditions, Parts, SelectedPart, Selector, Tally};
use crate::commands::host::Host;
use crate::commands::json::{self, Address};
use crate::commands::output::{Closed, Note, Outcome, Record, Role, Sink, Stop, Style};
use crate::commands::shared_args::section_patterns;
use folio_files::error::{Change, ExitStatus, Hint, Opt};
use folio_files::options::{
    BREADCRUMBS, HAVING, KIND, MATCHING, NOT_HAVING, WITH_KEY, WITHOUT_KEY,
};

/// Lists the parts that meet the conditions in the files of the operands.
pub(super) fn run(
    options: &InspectOptions,
    operands: &[OsString],
    host: &Host,
    sink: &mut dyn Sink,
) -> Outcome {
    let style = sink.style();
    let selector = Selector::new(&options.conditions, section_patterns(&options.section_pattern)?)?;
    let scan = Scan {
        selector: &selector,
        documents: &options.document,
        walk: &options.walk,
        resolve: options.lookup.missing.resolve,
        host,
    };
    let is_repeated =
        options.conditions.shows_repeated() && !options.breadcrumbs && !options.null && !style.json;
    let make = |path: &Path, parts: Parts<'_>| listed(options, path, parts, style, is_repeated);
    let (mut files, mut repeated) = (0, Vec::new());
    let scanned = scan.for_each_file(operands, sink, make, |listed, sink| {
        files += 1;
        if is_repeated && style.grouped {
            repeated.push(listed);
            return Ok(());
        }
        Ok(listed.print(sink)?)
    });
    repeated.sort_by_key(|listed: &Listed| Reverse(listed.most));
    // If the output is closed, there is nothing left to print.
    let _: Result<(), Closed> = repeated.iter().try_for_each(|listed| listed.print(sink));
    if let Some(listed) = repeated.first().filter(|listed| listed.most > SHOWN_LINES) {
        sink.note(listed.note_cut(options.conditions.across));
    }
    match scanned {
        Err(Stop::Failed(error)) => return Err(error),
        Ok(tally) if files == 0 && tally.files == 0 && tally.failed > 0 => {}
        Ok(tally) if files == 0 => sink.error(&scan.miss(&tally, operands)),
        Ok(tally) if !style.json => {
            if options.counts_files() && !options.null {
                let _: Result<(), Closed> = sink.write(format!("{files}\n").as_bytes());
            }
            note(&tally, files, &options.conditions).into_iter().for_each(|note| sink.note(note));
        }
        Ok(_) | Err(Stop::Closed | Stop::Enough) => {}
    }
    Ok(ExitStatus::Done)
}

/// Returns a note if conditions on keys may select other parts than intended: files without front
/// matter, or keys and INI sections of whole files.
fn note(tally: &Tally, files: u64, conditions: &Conditions) -> Option<Note> {
    if tally.keyed_parts == 0 {
        let count = tally.bare;
        let note = Note::new(format!("without front matter: {count} of {files} files"));
        let hint = Hint::with_value(KIND, "front-matter").why("to leave them out");
        return (1..files).contains(&count).then(|| note.hint(hint));
    }
    let named = |flag: Opt, keys: &[String]| {
        let names = keys.iter().map(|key| key.split('=').next().unwrap_or_default());
        let bare = names.filter(|name| !name.contains('.'));
        let pattern = |name| Change::add(flag, format!("^{}$", regex_syntax::escape(name)));
        bare.map(pattern).collect::<Vec<_>>()
    };
    let changes = [
        vec![Change::remove(WITH_KEY), Change::remove(WITHOUT_KEY)],
        named(HAVING, &conditions.with_key),
        named(NOT_HAVING, &conditions.without_key),
    ];
    let note = Note::new(format!("{WITH_KEY} and {WITHOUT_KEY} apply to whole files"));
    Some(note.hint(Hint::again(changes.concat()).why("for keys in each part")))
}

/// Lists the parts of a file.
fn listed(
    options: &InspectOptions,
    path: &Path,
    parts: Parts<'_>,
    style: Style,
    is_repeated: bool,
) -> Listed {
    let null = options.null;
    let (mut out, mut count, mut has_lines) = (Vec::new(), 1, false);
    let mut most = (0, Vec::new());
    if options.files_with_matches || options.count {
        let count = options.count.then(|| parts.count() as u64);
        if !options.counts_files() || null || style.json {
            let (address, file_path) = (Address { path, lines: None }, json::path(path));
            SelectedFileObject { address, file_path, count, null }.write(style, &mut out);
        }
    } else {
        let mut repeated = Repeated::default();
        count = 0;
        for part in parts {
            count += 1;
            has_lines |= part.lines.is_some();
            if is_repeated {
                repeated.add(part)
            } else {
                PartRecord { path, part: &part, null }.write(style, &mut out)
            }
        }
        most = repeated.push(path, style, &mut out);
    }
    let (most, most_frequent) = most;
    Listed { path: path.to_owned(), count, has_lines, most, most_frequent, text: out }
}

/// The parts of a file, as text.
struct Listed {
    path: PathBuf,
    /// Number of parts.
    count: u64,
    has_lines: bool,
    /// Number of parts with the most frequent name, if only repeated names are listed.
    most: usize,
    /// This name.
    most_frequent: Vec<u8>,
    text: Vec<u8>,
}

impl Listed {
    fn print(&self, sink: &mut dyn Sink) -> Result<(), Closed> {
        if self.has_lines && sink.style().grouped {
            sink.file(&self.path)?;
        }
        sink.counted(&self.path, self.count);
        sink.write(&self.text)
    }

    /// Returns the note that only some of the parts with the most frequent name are listed, with the
    /// call that lists them all. `across` is whether parts of other files have the same name.
    fn note_cut(&self, across: bool) -> Note {
        let name = String::from_utf8_lossy(&self.most_frequent);
        let note = Note::new(format!("of each name, only {SHOWN_LINES} lines are listed"));
        let pattern = format!("^{}$", regex_syntax::escape(&name));
        let file = (!across).then(|| Change::OnlyFile(self.path.clone()));
        let changes = [Change::add(MATCHING, pattern), Change::Switch(BREADCRUMBS)];
        let all = Hint::again(changes.into_iter().chain(file));
        note.hint(all.why(format!("for all {} of '{name}'", self.most)))
    }
}

/// Maximum number of lines printed for each repeated name, followed by their count, if results are
/// grouped by file.
const SHOWN_LINES: usize = 8;

/// The parts with each name.
#[derive(Default)]
struct Repeated {
    /// The index in `names` for each name.
    indexes: HashMap<Vec<u8>, usize>,
    /// The first line of each part with the name.
    names: Vec<(Vec<u8>, Vec<u64>)>,
}

impl Repeated {
    fn add(&mut self, part: SelectedPart) {
        let Some(range) = part.lines else { return };
        let index = *self.indexes.entry(part.name).or_insert_with_key(|name| {
            self.names.push((name.clone(), Vec::new()));
            self.names.len() - 1
        });
        self.names[index].1.push(range.start());
    }

    /// Appends a line for each name, in the order of the document or, if results are grouped by
    /// file, the most frequent name first. Returns the number of parts with the most frequent name,
    /// and the name.
    fn push(mut self, path: &Path, style: Style, out: &mut Vec<u8>) -> (usize, Vec<u8>) {
        if style.grouped {
            self.names.sort_by_key(|(_, lines)| Reverse(lines.len()));
        }
        for (name, lines) in &self.names {
            if !style.grouped {
                style.paint_path(path, out);
                out.push(b':');
            }
            let is_cut = style.grouped && lines.len() > SHOWN_LINES;
            let shown = &lines[..if is_cut { SHOWN_LINES } else { lines.len() }];
            let shown: Vec<String> = shown.iter().map(u64::to_string).collect();
            let more = if is_cut { format!(",… ({})", lines.len()) } else { String::new() };
            style.paint(Role::Lines, shown.join(",") + &more, out);
            out.extend_from_slice(if style.grouped { b" " } else { b": " });
            style.paint_bytes(Role::Heading(2), name, out);
            out.push(b'\n');
        }
        let most = self.names.into_iter().rev().max_by_key(|(_, lines)| lines.len());
        most.map(|(name, lines)| (lines.len(), name)).unwrap_or_default()
    }
}
