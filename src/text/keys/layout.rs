//! How a document is laid out in lines: indentation, comments, line endings.

use std::ops::Range;

use super::tree::{Form, Syntax, Tree};

/// Whether only white space precedes an offset in its line.
pub(super) fn begins_line(tree: &Tree, at: usize) -> bool {
    tree.text[tree.start_of_line(at)..at].trim().is_empty()
}

/// The white space at the start of the line that contains an offset.
pub(super) fn margin(tree: &Tree, at: usize) -> &str {
    let start = tree.start_of_line(at);
    &tree.text[start..start + tree.indent_of(at)]
}

/// The indentation of one level: the first difference between the lines of an entry and of the
/// one that contains it, or two spaces.
pub(super) fn unit(tree: &Tree) -> &str {
    let own = |index: &usize| begins_line(tree, tree.node(*index).start as usize);
    for index in (1..tree.nodes.len()).filter(own) {
        let node = tree.node(index);
        let outer = margin(tree, tree.node(node.parent as usize).start as usize);
        let inner = margin(tree, node.start as usize);
        if let Some(rest) = inner.strip_prefix(outer).filter(|rest| !rest.is_empty()) {
            return rest;
        }
    }
    "  "
}

/// The bytes of the lines that contain a range, with the line ending of the last.
pub(super) fn whole_lines(tree: &Tree, range: &Range<usize>) -> Range<usize> {
    let last = range.end.max(range.start + 1) - 1;
    tree.start_of_line(range.start)..tree.line_start(tree.line_of(last) + 1)
}

/// The start of the lines of comments directly above a line, which begin with one of the marks
/// and are indented like it. Comments at the start of a document are about all of it.
pub(super) fn comments_above(tree: &Tree, line_start: usize, marks: &[&str]) -> usize {
    let margin = margin(tree, line_start);
    let mut first = line_start;
    while first > 0 {
        let start = tree.start_of_line(first - 1);
        let is_own = tree.text[start..first]
            .strip_prefix(margin)
            .is_some_and(|rest| marks.iter().any(|mark| rest.starts_with(mark)));
        if !is_own {
            return first;
        }
        first = start;
    }
    line_start
}

/// The marks with which comments begin.
pub(super) fn comment_marks(syntax: Syntax) -> &'static [&'static str] {
    match syntax {
        Syntax::Json | Syntax::JsonLines => &["//"],
        Syntax::Properties => &["#", "!"],
        Syntax::Toml | Syntax::Yaml | Syntax::Env => &["#"],
    }
}

/// The offset after white space and comments that begin at an offset.
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

/// Whether a range contains anything but white space and commas.
pub(super) fn has_content(tree: &Tree, range: Range<usize>) -> bool {
    tree.text[range].contains(|character: char| !character.is_whitespace() && character != ',')
}

/// The bytes between the brackets of a container.
pub(super) fn inside(tree: &Tree, index: usize) -> Option<Range<usize>> {
    let node = tree.node(index);
    let text = tree.written(index);
    let is_bracketed = text.starts_with(['{', '[']) && text.ends_with(['}', ']']);
    (node.form == Form::Flow && is_bracketed)
        .then(|| node.value.start as usize + 1..node.value.end as usize - 1)
}
