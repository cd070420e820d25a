//! From operands to pages.

use std::path::{Path, PathBuf};

use super::Options;
use super::args::ListArgs;
use super::page::{self, Page};
use super::report;
use super::text;
use crate::commands::misses;
use crate::commands::output::{Note, Outcome, Sink};
use crate::error::{Code, Error, ExitStatus, shell_path};
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
                output.error(&told(error, directory, &env.roots));
                continue;
            }
        };
        let told = if style.json {
            report::line(&page, directory, &options, next_step(&page, directory, args, &options))
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
            output.note(Note::new(remark));
        }
    }
    Ok(ExitStatus::Done)
}

/// The error with what to type instead.
fn told(error: Error, directory: &Path, roots: &Roots) -> Error {
    let shown = shell_path(directory);
    match error.code {
        Code::NotADirectory if roots.is_file(directory) => error
            .hint(format!("folio inspect {shown}  # the outline of a file"))
            .hint(format!("folio read {shown}  # its text")),
        Code::NotFound if directory.as_os_str() == "-" => {
            error.hint("folio list  # the directory where you are: standard input is no directory")
        }
        _ => {
            let typed = |path: &Path| {
                let command = if roots.is_directory(path) { "list" } else { "inspect" };
                format!("folio {command} {}", shell_path(path))
            };
            misses::missing_file_for(&typed, error, directory, roots)
        }
    }
}

/// What to type next, and why.
fn next_step(page: &Page, directory: &Path, args: &ListArgs, options: &Options) -> Option<String> {
    let total = page.total();
    if page.has_more(options.offset) {
        let next = options.offset + page.entries.len() as u64;
        let typed = args.typed(directory, next, &[]);
        let count = options.limit.map_or(total, |limit| limit.min(total - next));
        return Some(format!("{typed}  # the next {count} of {total}"));
    }
    if total == 0 {
        let left_out = page.left_out;
        let hidden = (left_out.hidden > 0 && !args.hidden).then_some("--hidden");
        let ignored = (left_out.ignored > 0 && !args.no_ignore).then_some("--no-ignore");
        let flags: Vec<&str> = [ignored, hidden].into_iter().flatten().collect();
        if !flags.is_empty() {
            let typed = args.typed(directory, 0, &flags);
            return Some(format!("{typed}  # {}", what_is_left_out(page)));
        }
    } else if page.entries.is_empty() {
        return Some(format!("{}  # from the first", args.typed(directory, 0, &[])));
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
fn remark(page: &Page, directory: &Path, args: &ListArgs, options: &Options) -> Option<String> {
    let shown = directory.display();
    let (count, total) = (page.entries.len() as u64, page.total());
    let entries = match total {
        1 => "1 entry".to_owned(),
        total => format!("{total} entries"),
    };
    let next = next_step(page, directory, args, options);
    let next = next.map(|next| next.split("  # ").next().unwrap_or_default().to_owned());
    if total == 0 {
        let is_filtered = !args.extension.is_empty() || !args.glob.is_empty();
        let what = if is_filtered { "nothing matches" } else { "nothing to list" };
        let left_out = match what_is_left_out(page) {
            left_out if left_out.is_empty() => String::new(),
            left_out => format!(" ({left_out})"),
        };
        let next = next.map(|next| format!("; with them: {next}")).unwrap_or_default();
        return Some(format!("'{shown}': {what}{left_out}{next}"));
    }
    if count == 0 {
        let offset = options.offset;
        let next = next.map(|next| format!("; from the first: {next}")).unwrap_or_default();
        return Some(format!("'{shown}': --offset {offset} is past the last of {entries}{next}"));
    }
    let next = next.filter(|_| page.has_more(options.offset))?;
    let (first, last) = (options.offset + 1, options.offset + count);
    let which = match (options.offset, count) {
        (0, _) => format!("{last} of {entries}"),
        (_, 1) => format!("number {last} of {entries}"),
        _ => format!("numbers {first}-{last} of {entries}"),
    };
    Some(format!("'{shown}': {which}; it goes on at: {next}"))
}
