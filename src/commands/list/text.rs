//! Prints a page as text. In a pipe, each line is a record. On a terminal, the output consists of
//! columns or a tree.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::args::ListArgs;
use super::page::{Page, PageEntry};
use crate::commands::output::{Role, Style, counted, file_size};
use folio_files::listing::EntryKind;

/// Maximum width of the path column before titles.
const WIDEST: usize = 60;

/// Prints a page as text.
pub(super) fn page(
    page: &Page,
    directory: &Path,
    args: &ListArgs,
    (style, is_first): (Style, bool),
    out: &mut Vec<u8>,
) {
    if style.tools && !args.null {
        below_directories(page, args, style, out);
    } else if !style.terminal || args.null {
        page.entries.iter().for_each(|entry| record(entry, &path(entry), args, style, out));
    } else if args.is_tree() {
        if !is_first {
            out.push(b'\n');
        }
        tree(page, directory, args, style, out);
    } else if args.details || args.titles {
        columns(page, args, style, out);
    } else {
        for entry in &page.entries {
            paint_entry(entry, &path(entry), style, out);
            out.push(b'\n');
        }
    }
}

/// Returns the path of an entry. The path of a directory ends with a slash.
fn path(entry: &PageEntry) -> Cow<'_, [u8]> {
    with_slash(entry.path.as_os_str().as_bytes(), entry.kind)
}

fn with_slash(name: &[u8], kind: EntryKind) -> Cow<'_, [u8]> {
    if kind == EntryKind::Directory {
        Cow::Owned([name, b"/"].concat())
    } else {
        Cow::Borrowed(name)
    }
}

/// Appends a line for each entry, as in a pipe. If several entries of a directory follow each other,
/// only their names are printed, indented, below the path of the directory.
fn below_directories(page: &Page, args: &ListArgs, style: Style, out: &mut Vec<u8>) {
    let parents: Vec<&Path> =
        page.entries.iter().map(|entry| entry.path.parent().unwrap_or(Path::new(""))).collect();
    // The contents of a directory are below its own line.
    let begins = |index: usize| parents.get(index + 1) == Some(&&*page.entries[index].path);
    let is_nested = |index: usize| {
        let is_below = !parents[index].as_os_str().is_empty() && page.entries[index].level > 0;
        is_below && !begins(index)
    };
    let mut current: Option<&Path> = None;
    for (index, entry) in page.entries.iter().enumerate() {
        let directory = parents[index];
        let is_followed =
            parents.get(index + 1) == Some(&directory) && is_nested(index + 1) && is_nested(index);
        if current != Some(directory) && is_followed {
            let path = with_slash(directory.as_os_str().as_bytes(), EntryKind::Directory);
            out.extend_from_slice(&path);
            out.push(b'\n');
            current = Some(directory);
        }
        if current == Some(directory) && is_nested(index) {
            let name = entry.path.file_name().unwrap_or_default().as_bytes();
            out.extend_from_slice(b"  ");
            record(entry, &with_slash(name, entry.kind), args, style, out);
        } else {
            record(entry, &path(entry), args, style, out);
            current = (entry.kind == EntryKind::Directory).then_some(&*entry.path);
        }
    }
}

/// Appends a line for a pipe: the path, followed by all requested fields. A field may be empty.
fn record(entry: &PageEntry, path: &[u8], args: &ListArgs, style: Style, out: &mut Vec<u8>) {
    if args.null {
        out.extend_from_slice(path);
    } else {
        paint_name(path, entry.kind, style, out);
    }
    let number = |number: Option<u64>| number.map(|number| number.to_string()).unwrap_or_default();
    let children = number(entry.children);
    let mut fields: Vec<Vec<u8>> = Vec::new();
    if args.details {
        fields.push(entry.kind.name().into());
        fields.push(number(entry.size).into());
        fields.push(entry.modified().unwrap_or_default().into());
        fields.push(children.into());
    } else if args.is_tree() && !args.null {
        fields.push(children.into());
    }
    if args.titles {
        fields.push(entry.title.clone().unwrap_or_default());
    }
    let (between, end) = if args.null { (0, 0) } else { (b'\t', b'\n') };
    if !fields.is_empty() {
        out.push(between);
        out.extend_from_slice(&fields.join(&b'\t'));
    }
    out.push(end);
}

/// Appends aligned columns: kind, size or number of children, time, path, title.
fn columns(page: &Page, args: &ListArgs, style: Style, out: &mut Vec<u8>) {
    let widest = |width: fn(&PageEntry) -> usize| page.entries.iter().map(width).max().unwrap_or(0);
    let kind = widest(|entry| entry.kind.name().len());
    let amount_width = widest(|entry| size_or_count(entry).len());
    let names: Vec<String> = page.entries.iter().map(|entry| shown(&path(entry), style)).collect();
    let fits = names.iter().map(|name| name.chars().count()).filter(|&width| width <= WIDEST);
    let name_width = fits.max().unwrap_or(0);
    for (entry, name) in page.entries.iter().zip(&names) {
        if args.details {
            style.paint(Role::Quiet, format_args!("{:kind$}", entry.kind.name()), out);
            style.paint(
                Role::Lines,
                format_args!("  {:>amount_width$}", size_or_count(entry)),
                out,
            );
            style.paint(Role::Quiet, format_args!("  {:17}  ", modification_time(entry)), out);
        }
        paint_entry(entry, &path(entry), style, out);
        if let Some(title) = &entry.title {
            let blanks = name_width.saturating_sub(name.chars().count()) + 2;
            out.extend_from_slice(&b" ".repeat(blanks));
            style.paint(Role::Quiet, shown(title, style), out);
        }
        out.push(b'\n');
    }
}

/// Returns the size of a file, or the number of children of a directory.
fn size_or_count(entry: &PageEntry) -> String {
    match (entry.size, entry.children) {
        (Some(size), _) => file_size(size),
        (None, Some(children)) => counted(children, "item"),
        (None, None) => String::new(),
    }
}

/// Returns the modification time in UTC, to the minute.
fn modification_time(entry: &PageEntry) -> String {
    let moment = entry.modified().unwrap_or_default();
    match moment.get(..16) {
        Some(minute) => format!("{}Z", minute.replace('T', " ")),
        None => moment,
    }
}

/// Appends a tree. Lines connect each entry with its parent.
fn tree(page: &Page, directory: &Path, args: &ListArgs, style: Style, out: &mut Vec<u8>) {
    let name = directory.as_os_str().as_bytes();
    let name = name.strip_suffix(b"/").unwrap_or(name);
    paint_name(&with_slash(name, EntryKind::Directory), EntryKind::Directory, style, out);
    out.push(b'\n');
    // If the page begins within the tree, the parents of its first entry are also drawn, so that
    // its lines are connected.
    let first = page.entries.first();
    let depth = first.map_or(0, |entry| entry.level - 1);
    let mut ancestors: Vec<&Path> = first
        .map(|entry| entry.path.ancestors().skip(1).take(depth))
        .into_iter()
        .flatten()
        .collect();
    ancestors.reverse();
    let levels: Vec<usize> =
        (1..=ancestors.len()).chain(page.entries.iter().map(|entry| entry.level)).collect();
    // The levels at which another entry follows, computed backwards.
    let mut follows = page.goes_on.clone();
    let mut drawn: Vec<String> = levels
        .iter()
        .rev()
        .map(|&level| {
            follows.resize(follows.len().max(level + 1), false);
            let lines =
                follows[1..level].iter().map(|&follows| if follows { "│   " } else { "    " });
            let branch = if follows[level] { "├── " } else { "└── " };
            let lines: String = lines.chain([branch]).collect();
            follows.truncate(level);
            follows.push(true);
            lines
        })
        .collect();
    drawn.reverse();
    for (directory, lines) in ancestors.iter().zip(&drawn) {
        let name = directory.file_name().unwrap_or_default().as_bytes();
        style.paint(Role::Quiet, lines, out);
        style.paint(Role::Quiet, shown(&with_slash(name, EntryKind::Directory), style), out);
        out.push(b'\n');
    }
    for (entry, lines) in page.entries.iter().zip(&drawn[ancestors.len()..]) {
        let name = entry.path.file_name().map_or(b"".as_slice(), OsStr::as_bytes);
        style.paint(Role::Quiet, lines, out);
        paint_entry(entry, &with_slash(name, entry.kind), style, out);
        let modified = modification_time(entry);
        for fact in [size_or_count(entry), modified].iter().filter(|fact| !fact.is_empty()) {
            style.paint(Role::Quiet, format_args!("  {fact}"), out);
        }
        if let Some(title) = &entry.title {
            style.paint(Role::Quiet, format_args!("  {}", shown(title, style)), out);
        }
        out.push(b'\n');
    }
    out.push(b'\n');
    style.paint(Role::Quiet, page.summary(args.offset), out);
    out.push(b'\n');
}

/// Appends the name of an entry, as a hyperlink if requested.
fn paint_entry(entry: &PageEntry, name: &[u8], style: Style, out: &mut Vec<u8>) {
    let link = style.begin_link(&entry.path, (1, 1), out);
    paint_name(name, entry.kind, style, out);
    link.end(out);
}

fn paint_name(name: &[u8], kind: EntryKind, style: Style, out: &mut Vec<u8>) {
    let role = match kind {
        EntryKind::Directory => Some(Role::Directory),
        EntryKind::Symlink | EntryKind::Other => Some(Role::Path),
        EntryKind::File => None,
    };
    match role {
        Some(role) if style.color => style.paint(role, shown(name, style), out),
        _ if style.terminal => out.extend_from_slice(shown(name, style).as_bytes()),
        _ => out.extend_from_slice(name),
    }
}

/// Escapes a name for a single line on a terminal.
fn shown(name: &[u8], style: Style) -> String {
    let name = String::from_utf8_lossy(&style.safe(name)).into_owned();
    if style.terminal && name.contains(['\n', '\t']) {
        name.replace('\n', "\\u{a}").replace('\t', "\\u{9}")
    } else {
        name
    }
}
