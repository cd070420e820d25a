//! Runs `list`: converts operands to pages and suggests the next command.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::Options;
use super::args::ListArgs;
use super::page::{self, Page};
use super::report::Listing;
use crate::commands::output::{Note, Outcome, Record, Sink, TOKEN};
use crate::commands::{misses, resolve};
use crate::error::{Code, Error, ExitStatus, Hint};
use crate::files::env::Env;
use crate::files::listing::{Kind, Order};

/// Runs the command.
pub fn run(args: ListArgs, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let options = &Options::new(args);
    options.check()?;
    let all = if options.directories.is_empty() { env.roots.all() } else { Vec::new() };
    // With several roots, list the roots themselves first.
    let lists_roots = all.len() > 1 && options.shows_entries_of_one();
    let here = [PathBuf::from(".")];
    let operands = if lists_roots { &here[..] } else { &all };
    let given: Vec<PathBuf> = options.directories.iter().map(PathBuf::from).collect();
    let mut print = Print { options, sink, left: options.bytes(), is_first: true };
    let directories: Vec<&PathBuf> = given.iter().chain(operands).collect();
    for (index, directory) in directories.iter().enumerate() {
        let mut directory = (*directory).clone();
        let resolved = match options.resolve.resolve {
            true => resolve::directory(&mut directory, "list", env, print.sink),
            false => Ok(()),
        };
        let page = resolved.and_then(|()| match lists_roots {
            true => page::of_roots(&all, options, env, print.sink),
            false => page::page(&directory, options, env, print.sink),
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
            // An invalid argument affects all directories equally.
            Err(error) if error.code == Code::InvalidArgument => return Err(error),
            Err(error) => print.sink.error(&with_hints(error, &directory, env)),
        }
    }
    Ok(ExitStatus::Done)
}

/// The result of printing a page.
enum Printed {
    /// As many entries as fitted were printed.
    All,
    /// Nothing was printed, because previous pages used up the limit.
    None,
    /// The output was closed.
    Closed,
}

struct Print<'a> {
    options: &'a Options,
    sink: &'a mut dyn Sink,
    /// Number of bytes that may still be printed.
    left: u64,
    is_first: bool,
}

impl Print<'_> {
    /// Prints as many entries of a page as fit.
    ///
    /// # Errors
    ///
    /// Fails if not even the first entry of the output fits.
    fn page(&mut self, mut page: Page, directory: &Path) -> Result<Printed, Error> {
        let (options, style) = (self.options, self.sink.style());
        let written = |page: &Page| {
            let next = next_step(page, directory, options).map(|hint| self.sink.completed(hint));
            let mut out = Vec::new();
            let is_first = self.is_first;
            Listing { directory, page, options, next, is_first }.write(style, &mut out);
            out
        };
        let mut out = written(&page);
        if out.len() as u64 > self.left {
            let (mut fits, mut over) = (0, page.entries.len());
            while over - fits > 1 {
                let middle = fits.midpoint(over);
                match written(&page.first(middle)).len() as u64 > self.left {
                    true => over = middle,
                    false => fits = middle,
                }
            }
            if fits == 0 {
                return match self.is_first {
                    true => Err(too_long(options, written(&page.first(1)).len() as u64)),
                    false => Ok(Printed::None),
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
        if !style.json {
            let next = next_step(&page, directory, options);
            remark(&page, directory, options, &next).into_iter().for_each(|it| self.sink.note(it));
        }
        Ok(Printed::All)
    }

    /// Notes which directories did not fit.
    fn note_left_out(&mut self, directories: &[&PathBuf]) {
        let (Some(first), tokens) = (directories.first(), self.options.max_tokens) else { return };
        let count = match directories.len() {
            1 => "1 directory is".to_owned(),
            count => format!("{count} directories are"),
        };
        let tokens = tokens.unwrap_or_default();
        let message = format!("--max-tokens {tokens} is used up: {count} left out");
        let next = command(self.options, first).and(directories[1..].iter().copied());
        self.sink.note(Note::new(message).hint(next.why("for more")));
    }
}

/// The error for an entry that exceeds the limit by itself.
fn too_long(options: &Options, bytes: u64) -> Error {
    let tokens = options.max_tokens.unwrap_or_default();
    let message = format!("the first entry is longer than --max-tokens {tokens}");
    let enough = bytes.div_ceil(TOKEN).to_string();
    Error::usage(message).hint(Hint::flag(["--max-tokens", &enough]).why("with it"))
}

/// Adds hints about what to type instead.
fn with_hints(error: Error, directory: &Path, env: &Env) -> Error {
    let roots = &env.roots;
    match error.code {
        Code::NotADirectory if roots.is_file(directory) => error
            .hint(Hint::command("inspect", [directory]).why("the outline of a file"))
            .hint(Hint::command("read", [directory]).why("its text")),
        Code::NotFound if directory.as_os_str() == "-" => {
            let why = "the current directory; standard input is not a directory";
            error.hint(Hint::command("list", [""; 0]).why(why))
        }
        _ => {
            let retry = |path: &Path| {
                Hint::command(if roots.is_directory(path) { "list" } else { "inspect" }, [path])
            };
            let kinds = [Kind::Directory, Kind::File];
            misses::missing_entry(&retry, &kinds, error, directory, env)
        }
    }
}

/// The suggested next command, with the reason.
fn next_step(page: &Page, directory: &Path, options: &Options) -> Option<Hint> {
    let total = page.total();
    let from = |offset| {
        let args = ListArgs { offset, ..options.args.clone() };
        Options { args, ..options.clone() }
    };
    if page.has_more(options.offset) {
        let next = options.offset + page.entries.len() as u64;
        let count = options.most().min(total - next);
        return Some(command(&from(next), directory).why(format!("the next {count} of {total}")));
    }
    if total > 0 {
        let first = || command(&from(0), directory).why("from the first");
        return page.entries.is_empty().then(first);
    }
    let mut all = from(0);
    all.rules.hidden |= page.left_out.hidden > 0;
    all.rules.no_ignore |= page.left_out.ignored > 0;
    let is_same =
        (all.rules.hidden, all.rules.no_ignore) == (options.rules.hidden, options.rules.no_ignore);
    (!is_same).then(|| command(&all, directory).why(what_is_left_out(page)))
}

/// The command that lists a directory with the same options.
fn command(options: &Options, directory: &Path) -> Hint {
    let flags = [
        (options.is_tree(), "--mode=tree"),
        (options.is_tree() && options.draws_files(), "--files"),
        (options.details, "-l"),
        (options.titles, "--titles"),
        (options.order() == Order::Size, "--sort=size"),
        (options.order() == Order::Modified, "--sort=modified"),
        (options.null, "-0"),
        (options.rules.no_ignore, "--no-ignore"),
        (options.rules.hidden, "--hidden"),
        (options.depth() == usize::MAX, "-R"),
    ];
    let flags = flags.iter().filter(|(given, _)| *given);
    let mut hint = Hint::command("list", flags.flat_map(|(_, flag)| flag.split('=')));
    let numbers = [
        (options.depth() as u64, 1, "--depth"),
        (options.limit, 0, "--limit"),
        (options.offset, 0, "--offset"),
        (options.max_tokens.unwrap_or(0), 0, "--max-tokens"),
    ];
    let numbers = &numbers[usize::from(options.depth() == usize::MAX)..];
    for (number, _, flag) in numbers.iter().filter(|(number, usual, _)| number != usual) {
        hint = hint.and([*flag, &number.to_string()]);
    }
    let rules = &options.rules;
    let texts = [(&options.extensions, "-e"), (&rules.globs, "-g"), (&rules.excludes, "--exclude")];
    for (values, flag) in texts {
        hint = hint.and(values.iter().flat_map(|value| [flag, value]));
    }
    match directory.as_os_str().as_bytes() {
        b"." => hint,
        [b'-', ..] => hint.and(["--"]).and([directory]),
        _ => hint.and([directory]),
    }
}

fn what_is_left_out(page: &Page) -> String {
    let parts = [(page.left_out.hidden, "hidden"), (page.left_out.ignored, "ignored")];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

/// A note about a page that is incomplete or empty.
fn remark(page: &Page, directory: &Path, options: &Options, next: &Option<Hint>) -> Option<Note> {
    let (count, total) = (page.entries.len() as u64, page.total());
    let entries = match total {
        1 => "1 entry".to_owned(),
        total => format!("{total} entries"),
    };
    let (first, last) = (options.offset + 1, options.offset + count);
    let mut why = "for more";
    let message = match (total, count) {
        (0, _) => {
            why = "with them";
            let is_filtered = !options.extensions.is_empty() || !options.rules.globs.is_empty();
            let what = if is_filtered { "nothing matches" } else { "nothing to list" };
            match what_is_left_out(page) {
                left_out if left_out.is_empty() => what.to_owned(),
                left_out => format!("{what} ({left_out})"),
            }
        }
        (_, 0) => {
            why = "from the first";
            format!("--offset {} is past the last of {entries}", options.offset)
        }
        _ if !page.has_more(options.offset) => return None,
        _ if first == 1 => format!("{last} of {entries}"),
        (_, 1) => format!("number {last} of {entries}"),
        _ => format!("numbers {first}-{last} of {entries}"),
    };
    let mut note = Note::at(directory, message);
    note.hints.extend(next.clone().map(|hint| hint.why(why)));
    Some(note)
}
