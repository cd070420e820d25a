//! The lines of a text whose indentation is part of what they say.

use folio_text::span::LineRange;
use tree_sitter::Node;

use crate::Limit;
use crate::languages::Language;
use crate::lines::rows;
use crate::nodes::Nodes;
use crate::walk::parse;

/// Returns the lines that begin in a string, a here-document or a comment that must begin its line.
///
/// # Errors
///
/// Fails if parsing takes too many steps.
pub(crate) fn fixed_lines(language: Language, text: &[u8]) -> Result<Vec<LineRange>, Limit> {
    let Some(nodes) = Nodes::of_language(language) else { return Ok(Vec::new()) };
    let Some(tree) = parse(nodes, text)? else { return Ok(Vec::new()) };
    let mut found: Vec<LineRange> = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let (start, end) = (node.start_position(), node.end_position());
        // No line begins in a node on one line.
        let has_lines = start.row < end.row;
        if has_lines && let Some(first) = first_fixed_row(node, text) {
            let last = if end.column == 0 { end.row - 1 } else { end.row };
            let after = found.last().map_or(0, |lines| lines.end() as usize);
            if last >= first.max(after) {
                found.push(rows(first.max(after), last));
            }
        } else if has_lines && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(found);
            }
        }
    }
}

/// Returns the first row that begins in a node, if the node is a text whose indentation matters.
fn first_fixed_row(node: Node<'_>, text: &[u8]) -> Option<usize> {
    let kind = node.kind();
    // Between the strings of a list, indentation does not matter.
    let is_list = kind == "concatenated_string" || kind.ends_with("_array");
    let is_string = kind.contains("string") && !is_list && node.is_named();
    let is_heredoc = kind.starts_with("heredoc") || kind == "nowdoc";
    // In PHP, what is between `?>` and `<?php` is printed.
    let is_text =
        is_string || is_heredoc || kind.starts_with("regex") || kind == "text_interpolation";
    let is_comment = kind == "comment" && text[node.byte_range()].starts_with(b"=begin");
    let start = node.start_position();
    let begins_line = start.column == 0 && (is_comment || kind == "heredoc_body");
    (is_text || is_comment).then_some(if begins_line { start.row } else { start.row + 1 })
}
