//! The comments of entries that are moved or copied.

use super::change::{Change, newline_of};
use super::layout::{after_comments, begins_line, comments_above, whole_lines};
use super::tree::{Form, Syntax, Tree};

/// The comments that belong to an entry. If its value consists of lines, the comments within it
/// belong to the value.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    /// The lines directly above it.
    above: String,
    /// The comment after its value, with the blanks before it.
    beside: String,
}

impl Comments {
    /// Returns the comments of an entry that is not in brackets.
    pub fn of(tree: &Tree, index: usize) -> Self {
        let span = tree.span(index);
        if tree.is_in_brackets(index) {
            return Self::default();
        }
        let markers: &[char] = match tree.syntax {
            Syntax::Properties => &['#', '!'],
            _ => &['#'],
        };
        let lines = whole_lines(tree, &span);
        let first = match begins_line(tree, span.start) {
            true => comments_above(tree, lines.start, 0, markers),
            false => lines.start,
        };
        let above = &tree.text[first..lines.start];
        let after = tree.text[span.end..tree.end_of_line(span.end)].trim_end();
        let node = tree.node(index);
        let is_lines = node.kind.is_container() && node.form != Form::Flow;
        let is_comment = after.trim_start().starts_with('#') && !is_lines;
        let beside = if is_comment { after } else { "" };
        Self { above: above.to_owned(), beside: beside.to_owned() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.above.is_empty() && self.beside.is_empty()
    }

    /// Adds the comments to the lines of an inserted entry. Returns `None` if comments would be
    /// lost, because the entry is within a line or the syntax has none.
    pub fn added(&self, tree: &Tree, changes: &[Change]) -> Option<Vec<Change>> {
        if self.is_empty() {
            return Some(changes.to_vec());
        }
        let [change] = changes else { return None };
        let newline = newline_of(tree);
        let before = &tree.text[..change.at.start];
        let start = change.text.len() - change.text.trim_start_matches(['\r', '\n']).len();
        let begins_line = start > 0 || before.is_empty() || before.ends_with('\n');
        let is_json = matches!(tree.syntax, Syntax::Json | Syntax::JsonLines);
        if !begins_line || is_json || !change.at.is_empty() {
            return None;
        }
        let entry = &change.text[start..];
        let margin = &entry[..entry.len() - entry.trim_start_matches([' ', '\t']).len()];
        let line = |line: &str| format!("{margin}{}{newline}", line.trim());
        // After a value of properties, it would be part of the value.
        let (below, beside) = match tree.syntax {
            Syntax::Properties => (&self.beside[..], ""),
            _ => ("", &self.beside[..]),
        };
        let lines: String = self.above.lines().chain(below.lines()).map(line).collect();
        let end = start + entry.trim_end_matches(['\r', '\n']).len();
        let mut text = change.text.clone();
        text.insert_str(end, beside);
        text.insert_str(start, &lines);
        Some(vec![Change { at: change.at.clone(), text }])
    }
}

/// Whether an entry in brackets has comments above or after it, which would not move with it.
pub fn has_comments_in_brackets(tree: &Tree, index: usize) -> bool {
    let marker = if tree.syntax == Syntax::Json { '/' } else { '#' };
    let span = tree.span(index);
    if !tree.is_in_brackets(index) || !begins_line(tree, span.start) {
        return false;
    }
    let line = tree.start_of_line(span.start);
    let after = tree.text[span.end..].trim_start_matches([' ', '\t', ',']);
    let end = tree.text.len() - after.len();
    let is_beside = after_comments(tree, end) > end && !after.starts_with(['\r', '\n']);
    comments_above(tree, line, 0, &[marker]) < line || is_beside
}
