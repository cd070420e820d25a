//! Runs `list`: converts operands to pages and suggests the next command.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::args::ListArgs;
use super::page::{self, Page};
use super::report::{DirectoryPage, Listing};
use crate::commands::answer_budget::Limit;
use crate::commands::output::{Collected, Note, Outcome, Record, Sink, counted, showing};
use crate::commands::{missing_files, resolve};
use folio_files::address::refuse_url;
use folio_files::env::Env;
use folio_files::error::{Argument, Change, Code, Error, ExitStatus, Hint};
use folio_files::listing::EntryKind;
use folio_files::options::{DIRECTORIES, HIDDEN, NO_IGNORE, OFFSET, RECURSIVE};

/// Runs `list`.
pub fn run(args: ListArgs, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let args = &args;
    args.check()?;
    let all = if args.directories.is_empty() { env.roots.all() } else { Vec::new() };
    // If there are several roots, the roots themselves are listed first.
    let lists_roots = all.len() > 1 && args.is_flat();
    let current = [PathBuf::from(".")];
    let operands = if lists_roots { &current[..] } else { &all };
    args.directories.iter().try_for_each(|directory| refuse_url(directory))?;
    let paths: Vec<PathBuf> = args.directories.iter().map(PathBuf::from).collect();
    let limit = Limit::tokens(args.max_tokens.unwrap_or(u64::MAX));
    let mut print = Print { args, sink, limit, left: limit.in_bytes(), is_first: true };
    let directories: Vec<&PathBuf> = paths.iter().chain(operands).collect();
    for (index, directory) in directories.iter().enumerate() {
        let mut directory = (*directory).clone();
        let resolved = if args.lookup.missing.resolve {
            resolve::entry(&mut directory, EntryKind::Directory, env, print.sink)
        } else {
            Ok(())
        };
        let page = resolved.and_then(|()| {
            if lists_roots {
                page::page_of_roots(&all, args, env, print.sink)
            } else {
                page::page(&directory, args, env, print.sink)
            }
        });
        match page {
            Ok(page) => match print.page(page, &directory)? {
                Printed::All => {}
                Printed::None => {
                    print.note_left_out(&directories[index..]);
                    break;
                }
                Printed::Closed => break,
            },
            // An invalid argument is an error for all directories.
            Err(error) if error.code == Code::InvalidArgument => return Err(error),
            Err(error) => print.sink.error(&with_hints(error, &directory, env)),
        }
    }
    Ok(ExitStatus::Done)
}

/// Returns the page of one directory, for callers in this process.
///
/// # Errors
///
/// Fails if the directory or one below it cannot be read.
pub fn page(args: ListArgs, env: &Env) -> Result<DirectoryPage, Error> {
    args.check()?;
    let directory = args.directories.first().map(PathBuf::from).unwrap_or_default();
    let mut sink = Collected::json();
    let page = page::page(&directory, &args, env, &mut sink)
        .map_err(|error| with_hints(error, &directory, env))?;
    sink.check()?;
    Ok(DirectoryPage { directory, args, page })
}

/// The result of printing a page.
enum Printed {
    /// The entries that fit were printed.
    All,
    /// No entry was printed, because the previous pages used up the limit.
    None,
    /// The output was closed.
    Closed,
}

struct Print<'a> {
    args: &'a ListArgs,
    sink: &'a mut dyn Sink,
    limit: Limit,
    /// Number of bytes that may still be printed.
    left: u64,
    is_first: bool,
}

impl Print<'_> {
    /// Prints as many entries of a page as fit.
    ///
    /// # Errors
    ///
    /// Fails if the first entry of the output does not fit.
    fn page(&mut self, mut page: Page, directory: &Path) -> Result<Printed, Error> {
        let (args, style) = (self.args, self.sink.style());
        let written = |page: &Page| {
            let next = remark(page, directory, args).and_then(|mut note| note.hints.pop());
            let next = next.map(|hint| self.sink.completed(hint));
            let mut out = Vec::new();
            let is_first = self.is_first;
            Listing { directory, page, args, next, is_first }.write(style, &mut out);
            out
        };
        let mut out = written(&page);
        if out.len() as u64 > self.left {
            let (mut fits, mut exceeds) = (0, page.entries.len());
            while exceeds - fits > 1 {
                let middle = fits.midpoint(exceeds);
                if written(&page.first(middle)).len() as u64 > self.left {
                    exceeds = middle
                } else {
                    fits = middle
                }
            }
            if fits == 0 {
                return if self.is_first {
                    let least = page.first(page.entries.len().min(1));
                    Err(too_long(self.limit, &least, written(&least).len() as u64))
                } else {
                    Ok(Printed::None)
                };
            }
            page = page.first(fits);
            out = written(&page);
        }
        self.left -= out.len() as u64;
        if self.sink.write(&out).is_err() {
            return Ok(Printed::Closed);
        }
        self.is_first = false;
        if !style.json
            && let Some(note) = remark(&page, directory, args)
        {
            self.sink.note(note);
        }
        Ok(Printed::All)
    }

    /// Prints a note with the directories that did not fit.
    fn note_left_out(&mut self, directories: &[&PathBuf]) {
        if directories.is_empty() {
            return;
        }
        let count = counted(directories.len() as u64, "directory");
        let verb = if directories.len() == 1 { "is" } else { "are" };
        let message = format!("{} is used up: {count} {verb} left out", self.limit);
        let next =
            Change::Set(DIRECTORIES, directories.iter().map(|other| other.argument()).collect());
        let next = Hint::again([next]);
        self.sink.note(Note::new(message).hint(next.why("for more")));
    }
}

/// Returns the error for the shortest page, which exceeds the limit.
fn too_long(limit: Limit, page: &Page, bytes: u64) -> Error {
    let what = if page.entries.is_empty() { "answer" } else { "first entry" };
    let mut error = Error::usage(format!("the {what} is longer than {limit}"));
    error.hints.extend(limit.enough(bytes).map(|hint| hint.why("to show it")));
    error
}

/// Adds hints with commands to use instead.
fn with_hints(error: Error, directory: &Path, env: &Env) -> Error {
    let roots = &env.roots;
    match error.code {
        Code::NotADirectory if roots.is_file(directory) => error
            .hint(Hint::command("inspect", [directory]).why("show the outline of the file"))
            .hint(Hint::command("read", [directory]).why("print the file")),
        Code::NotFound if directory.as_os_str() == "-" => {
            let why = "list the current directory; standard input is not a directory";
            error.hint(Hint::again([Change::remove(DIRECTORIES)]).why(why))
        }
        _ => {
            let retry = |other: &Path| {
                if roots.is_directory(other) {
                    Hint::again([Change::path(directory, other)])
                } else {
                    Hint::command("inspect", [other])
                }
            };
            let kinds = [EntryKind::Directory, EntryKind::File];
            missing_files::missing_entry(&retry, &kinds, error, directory, env)
        }
    }
}

/// Returns the call that lists a directory, beginning with the entry `offset`.
fn page_at(offset: u64, directory: &Path) -> Hint {
    let offset = match offset {
        0 => Change::remove(OFFSET),
        offset => Change::set(OFFSET, offset.to_string()),
    };
    Hint::again([Change::Set(DIRECTORIES, operand(directory)), offset])
}

/// Returns the operand for a directory. The current directory needs none.
fn operand(directory: &Path) -> Vec<OsString> {
    if directory.as_os_str() == "." { Vec::new() } else { vec![directory.argument()] }
}

/// Returns a note about an incomplete or empty page, with the command to run next.
fn remark(page: &Page, directory: &Path, args: &ListArgs) -> Option<Note> {
    let (count, total) = (page.entries.len() as u64, page.total());
    let (first, last) = (args.offset + 1, args.offset + count);
    let next = |offset, why: &str| page_at(offset, directory).why(why);
    let (message, hint) = match (total, count) {
        (0, _) => return Some(remark_on_nothing(page, directory, args)),
        (_, 0) => {
            let entries = counted(total, "entry");
            let message = format!("{OFFSET} {} is beyond the last of {entries}", args.offset);
            (message, next(0, "from the first"))
        }
        _ if !page.has_more(args.offset) => return None,
        _ => (showing(first, last, total, "entry"), next(last, "for more")),
    };
    Some(Note::at(directory, message).hint(hint))
}

/// Returns a note about a page without entries, with the command that also lists excluded entries.
fn remark_on_nothing(page: &Page, directory: &Path, args: &ListArgs) -> Note {
    let is_filtered = !args.extension.is_empty() || !args.glob.is_empty();
    let message = if is_filtered { "no entry matches" } else { "no entries" };
    let has_path = |glob: &String| glob.trim_start_matches('/').contains('/');
    if !args.recursive && args.glob.iter().any(has_path) {
        let hint = page_at(0, directory).but([Change::Switch(RECURSIVE)]);
        return Note::at(directory, message).hint(hint.why("also below it"));
    }
    let left_out = [(page.left_out.hidden, "hidden"), (page.left_out.ignored, "ignored")];
    let left_out = left_out.iter().filter(|(count, _)| *count > 0);
    let left_out: Vec<String> = left_out.map(|(count, kind)| format!("{count} {kind}")).collect();
    if left_out.is_empty() {
        return Note::at(directory, message);
    }
    let all = [
        (page.left_out.hidden > 0).then_some(Change::Switch(HIDDEN)),
        (page.left_out.ignored > 0).then_some(Change::Switch(NO_IGNORE)),
    ];
    let hint = page_at(0, directory).but(all.into_iter().flatten()).why("to include them");
    Note::at(directory, format!("{message} ({} excluded)", left_out.join(", "))).hint(hint)
}
