//! From operands to pages.

use std::path::{Path, PathBuf};

use super::Options;
use super::args::ListArgs;
use super::page::{self, Page};
use super::report;
use super::text;
use crate::commands::misses;
use crate::commands::output::{Note, Outcome, Sink};
use crate::error::{Code, Error, ExitStatus, Hint};
use crate::files::env::Env;
use crate::files::roots::Roots;

/// Runs the command.
pub fn run(args: &ListArgs, env: &Env, output: &mut dyn Sink) -> Outcome {
    let style = output.style();
    let options = args.options(style)?;
    let mut is_first = true;
    let mut directories: Vec<PathBuf> = args.directories.iter().map(PathBuf::from).collect();
    if directories.is_empty() {
        directories = env.roots.all();
    }
    for directory in &directories {
        let page = match page::page(directory, &options, env, output) {
            Ok(page) => page,
            // It is not about the directory: it would be told of each.
            Err(error) if error.code == Code::InvalidArgument => return Err(error),
            Err(error) => {
                output.error(&with_hints(error, directory, &env.roots));
                continue;
            }
        };
        let told = if style.json {
            let next = next_step(&page, directory, args, &options);
            let next = next.map(|hint| output.completed(hint).to_string());
            report::line(&page, directory, &options, next)
        } else {
            text::page(&page, directory, &options, style, is_first)
        };
        is_first = false;
        if output.write(&told).is_err() {
            break;
        }
        if !style.json
            && let Some(remark) = remark(&page, directory, args, &options)
        {
            output.note(remark);
        }
    }
    Ok(ExitStatus::Done)
}

/// The error with what to type instead.
fn with_hints(error: Error, directory: &Path, roots: &Roots) -> Error {
    match error.code {
        Code::NotADirectory if roots.is_file(directory) => error
            .hint(Hint::command("inspect", [directory]).why("the outline of a file"))
            .hint(Hint::command("read", [directory]).why("its text")),
        Code::NotFound if directory.as_os_str() == "-" => {
            let why = "the directory where you are: standard input is no directory";
            error.hint(Hint::command("list", [""; 0]).why(why))
        }
        _ => {
            let retry = |path: &Path| {
                Hint::command(if roots.is_directory(path) { "list" } else { "inspect" }, [path])
            };
            misses::missing_file_for(&retry, error, directory, roots)
        }
    }
}

/// What to type next, and why.
fn next_step(page: &Page, directory: &Path, args: &ListArgs, options: &Options) -> Option<Hint> {
    let total = page.total();
    if page.has_more(options.offset) {
        let next = options.offset + page.entries.len() as u64;
        let count = options.limit.map_or(total, |limit| limit.min(total - next));
        let why = format!("the next {count} of {total}");
        return Some(args.command(directory, next, &[]).why(why));
    }
    if total == 0 {
        let left_out = page.left_out;
        let hidden = (left_out.hidden > 0 && !args.hidden).then_some("--hidden");
        let ignored = (left_out.ignored > 0 && !args.no_ignore).then_some("--no-ignore");
        let flags: Vec<&str> = [ignored, hidden].into_iter().flatten().collect();
        if !flags.is_empty() {
            return Some(args.command(directory, 0, &flags).why(what_is_left_out(page)));
        }
    } else if page.entries.is_empty() {
        return Some(args.command(directory, 0, &[]).why("from the first"));
    }
    None
}

fn what_is_left_out(page: &Page) -> String {
    let (hidden, ignored) = (page.left_out.hidden, page.left_out.ignored);
    let parts = [(hidden, "hidden"), (ignored, "ignored")];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    parts.join(", ")
}

/// What is to be known of a page that is not all of it, or is empty.
fn remark(page: &Page, directory: &Path, args: &ListArgs, options: &Options) -> Option<Note> {
    let (count, total) = (page.entries.len() as u64, page.total());
    let entries = match total {
        1 => "1 entry".to_owned(),
        total => format!("{total} entries"),
    };
    let has_more = page.has_more(options.offset);
    let (first, last) = (options.offset + 1, options.offset + count);
    let (message, why) = match (total, count) {
        (0, _) => {
            let is_filtered = !args.extension.is_empty() || !args.glob.is_empty();
            let what = if is_filtered { "nothing matches" } else { "nothing to list" };
            let message = match what_is_left_out(page) {
                left_out if left_out.is_empty() => what.to_owned(),
                left_out => format!("{what} ({left_out})"),
            };
            (message, "with them")
        }
        (_, 0) => {
            let offset = options.offset;
            (format!("--offset {offset} is past the last of {entries}"), "from the first")
        }
        _ if !has_more => return None,
        _ if first == 1 => (format!("{last} of {entries}"), "it goes on at"),
        (_, 1) => (format!("number {last} of {entries}"), "it goes on at"),
        _ => (format!("numbers {first}-{last} of {entries}"), "it goes on at"),
    };
    let mut note = Note::at(directory, message);
    note.hints.extend(next_step(page, directory, args, options).map(|hint| hint.why(why)));
    Some(note)
}
