//! Finds indentation, comments and line endings around entries.

use std::ops::Range;

use super::change::{Change, newline_of};
use super::tree::{Bytes, Form, Syntax, Tree};

/// Whether only whitespace precedes an offset in its line.
pub(super) fn begins_line(tree: &Tree, at: usize) -> bool {
    tree.text[tree.start_of_line(at)..at].trim().is_empty()
}

/// Returns the whitespace at the start of the line that contains an offset.
pub(super) fn margin(tree: &Tree, at: usize) -> &str {
    let start = tree.start_of_line(at);
    &tree.text[start..start + tree.indent_of(at)]
}

/// Returns the indentation of one level. This is the first difference in indentation between an
/// entry and its container, or two spaces.
pub(super) fn indentation_unit(tree: &Tree) -> &str {
    let unit_bytes = tree.unit.get_or_init(|| {
        let starts = tree.nodes.iter().map(|node| (node, node.start as usize)).skip(1);
        let mut levels =
            starts.filter(|&(_, start)| begins_line(tree, start)).map(|(node, start)| {
                let outer = margin(tree, tree.node(node.parent as usize).start as usize);
                let inner = margin(tree, start);
                let length = inner.strip_prefix(outer).map_or(0, str::len);
                let end = tree.start_of_line(start) + inner.len();
                Bytes::new(end - length, end)
            });
        levels.find(|unit| !unit.is_empty()).unwrap_or_default()
    });
    if unit_bytes.is_empty() { "  " } else { &tree.text[unit_bytes.range()] }
}

/// Extends a range to whole lines, including the last line ending.
pub(super) fn whole_lines(tree: &Tree, range: &Range<usize>) -> Range<usize> {
    tree.start_of_line(range.start)..next_line_start(tree, range.end.max(range.start + 1))
}

/// Skips whitespace and comments that begin at an offset.
pub(super) fn after_comments(tree: &Tree, mut at: usize) -> usize {
    loop {
        let rest = &tree.text[at..];
        at += rest.len() - rest.trim_start().len();
        let rest = &tree.text[at..];
        let end = match tree.syntax {
            Syntax::Json | Syntax::JsonLines if rest.starts_with("/*") => {
                rest.find("*/").map(|end| end + 2)
            }
            Syntax::Json | Syntax::JsonLines if rest.starts_with("//") => rest.find('\n'),
            Syntax::Toml | Syntax::Yaml if rest.starts_with('#') => rest.find('\n'),
            _ => return at,
        };
        at += end.unwrap_or(rest.len());
    }
}

/// Whether a range contains anything except whitespace and commas.
pub(super) fn has_content(tree: &Tree, range: Range<usize>) -> bool {
    tree.text[range].contains(|character: char| !character.is_whitespace() && character != ',')
}

pub(super) fn inside_brackets(tree: &Tree, index: usize) -> Option<Range<usize>> {
    let node = tree.node(index);
    let text = tree.written(index);
    let is_bracketed = text.starts_with(['{', '[']) && text.ends_with(['}', ']']);
    (node.form == Form::Flow && is_bracketed)
        .then(|| node.value.start as usize + 1..node.value.end as usize - 1)
}

/// Returns the start of the line after the line at whose start or after whose last byte a part
/// ends. A part of whole lines ends before the line ending of its last line, which may be blank.
pub(super) fn next_line_start(tree: &Tree, end: usize) -> usize {
    let is_blank = end > 0 && tree.text.as_bytes().get(end - 1) == Some(&b'\n');
    let last = if is_blank { end } else { end.max(1) - 1 };
    tree.line_start(tree.line_of(last) + 1)
}

/// Returns a line without leading and trailing whitespace.
pub(super) fn trimmed_line(tree: &Tree, number: u64) -> &str {
    tree.text[tree.line_start(number)..tree.line_start(number + 1)].trim()
}

pub(super) fn is_blank_before(tree: &Tree, start: usize) -> bool {
    start > 0 && trimmed_line(tree, tree.line_of(start - 1)).is_empty()
}

pub(super) fn is_blank_at(tree: &Tree, start: usize) -> bool {
    start < tree.text.len() && trimmed_line(tree, tree.line_of(start)).is_empty()
}

/// Returns the start of the comment lines directly above the line that begins at `start`. Comment
/// lines begin with one of the markers, and none before `floor` counts. A comment at the start of
/// the document, or below its `---`, describes the whole document and is excluded.
pub(super) fn comments_above(tree: &Tree, start: usize, floor: usize, markers: &[char]) -> usize {
    let mut number = tree.line_of(start);
    let mut first = start;
    while first > floor && trimmed_line(tree, number - 1).starts_with(markers) {
        number -= 1;
        first = tree.line_start(number);
    }
    let is_first = number == 1 || trimmed_line(tree, number - 1).starts_with("---");
    if is_first { start } else { first }
}

/// Extends a range of deleted lines over adjacent blank lines, so that neither two consecutive
/// blank lines nor blank lines at the end remain.
pub(super) fn without_blank_lines(tree: &Tree, start: usize, end: usize) -> Change {
    let text = &tree.text;
    let (mut start, mut end) = (start, end);
    if end == text.len() {
        while is_blank_before(tree, start) {
            start = tree.start_of_line(start - 1);
        }
        if !text.ends_with('\n') {
            let before = &text[..start];
            start = before.strip_suffix('\n').unwrap_or(before).trim_end_matches('\r').len();
        }
    } else if start == 0 || is_blank_before(tree, start) {
        while is_blank_at(tree, end) {
            end = tree.line_start(tree.line_of(end) + 1);
        }
    }
    Change::delete(start..end)
}

/// Inserts lines at the start of a line, or at the end of the document.
pub(super) fn insert_lines(tree: &Tree, at: usize, lines: &[String]) -> Change {
    let ending = newline_of(tree);
    let text = lines.join(ending);
    let is_unfinished = at == tree.text.len() && at > 0 && !tree.text.ends_with('\n');
    Change::insert(at, if is_unfinished { ending.to_owned() + &text } else { text + ending })
}
