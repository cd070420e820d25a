//! Implements the second phase of scanning a line: opens the containers and the leaf block that
//! begin after its container prefix.

use super::starts::{
    atx_heading, fence, footnote, is_canonical, is_setext_underline, list_marker, thematic_break,
    with_end,
};
use super::{Leaf, Scanner};
use crate::blocks::{CodeLine, ContainerKind, Sink};
use crate::cursor::Cursor;
use crate::html;
use crate::mdx::Progress;

/// Indentation of the lines of a footnote, in columns.
const FOOTNOTE_INDENT: usize = 4;

impl Scanner {
    /// Runs the second phase for a line: opens new blocks, then adds the text.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn open_blocks<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        cursor: &mut Cursor<'_>,
        matched: usize,
        leaf_continues: bool,
        sink: &mut S,
    ) {
        let mut maybe_lazy = self.leaf == Leaf::Paragraph;
        let mut in_paragraph = leaf_continues && maybe_lazy;
        // The containers that the line does not continue are not closed until a new block begins,
        // because the line may be a lazy continuation.
        let mut unmatched = Some(matched);
        // No thematic break begins before this offset. A line is thus searched only once, even if
        // many list items begin on it.
        let mut no_break_before = 0;
        loop {
            let blank = cursor.is_blank();
            let indent = cursor.indent();
            if indent > self.most_indent() {
                if maybe_lazy || blank {
                    break;
                }
                return self.open_indented(&mut unmatched, block, start, sink);
            }
            let Some(first) = cursor.peek() else { break };
            let rest = cursor.rest();
            if self.open_marked(block, (start, end), cursor, &mut unmatched, maybe_lazy, sink) {
                return;
            }
            if in_paragraph && is_setext_underline(rest) {
                if self.end_setext(block, start, if first == b'=' { 1 } else { 2 }, sink) {
                    return;
                }
                break;
            }
            if matches!(first, b'*' | b'-' | b'_') && cursor.nonspace() >= no_break_before {
                match thematic_break(rest) {
                    Ok(()) => return self.open_leaf(&mut unmatched, block, start, sink),
                    Err(at) => no_break_before = cursor.nonspace() + at,
                }
            }
            if self.open_nested(block, start, cursor, &mut unmatched, in_paragraph, sink) {
                (maybe_lazy, in_paragraph) = (false, false);
                continue;
            }
            if leaf_continues
                && self.take_table_line(block, (start, end), cursor, in_paragraph, sink)
            {
                return;
            }
            break;
        }
        self.add_text(block, start, end, cursor, unmatched, in_paragraph, sink);
    }

    /// Opens a heading, fence, HTML block or MDX construct if one begins at the cursor.
    #[inline(always)]
    fn open_marked<S: Sink>(
        &mut self,
        block: &[u8],
        (start, end): (usize, usize),
        cursor: &Cursor<'_>,
        unmatched: &mut Option<usize>,
        maybe_lazy: bool,
        sink: &mut S,
    ) -> bool {
        if self.mdx.is_some() && self.open_mdx(block, start, cursor, unmatched, sink) {
            return true;
        }
        let rest = cursor.rest();
        if !matches!(rest[0], b'#' | b'`' | b'~' | b'<') {
            return false;
        }
        let at = start + cursor.nonspace();
        if rest[0] == b'#' {
            let Some((level, from, to)) = atx_heading(rest) else { return false };
            self.open_leaf(unmatched, block, start, sink);
            let offset = Some(self.base + (at + from) as u64);
            let is_canonical = self.containers.is_empty()
                && cursor.nonspace() == 0
                && is_canonical(rest, level, from..to);
            self.report_heading(level, self.line, &rest[from..to], offset, is_canonical, sink);
        } else if rest[0] == b'<' {
            if self.mdx.is_some() {
                return false;
            }
            let Some(kind) = html::open_block(rest, !maybe_lazy) else { return false };
            self.open_leaf(unmatched, block, start, sink);
            self.leaf = Leaf::Html(kind);
            self.html_tail.clear();
            self.html_line(kind, rest);
        } else {
            let Some((length, info)) = fence(rest) else { return false };
            self.open_leaf(unmatched, block, start, sink);
            self.open_fence(rest[0], length, cursor.indent(), info);
            if S::CODE_LINES {
                let bytes = with_end(block, at, end);
                sink.code_line(CodeLine { line: self.line, is_fence: true, spaces: 0, bytes });
            }
        }
        true
    }

    /// Opens a quote, list item or footnote if one begins at the cursor.
    #[inline(always)]
    fn open_nested<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        cursor: &mut Cursor<'_>,
        unmatched: &mut Option<usize>,
        in_paragraph: bool,
        sink: &mut S,
    ) -> bool {
        if cursor.peek() == Some(b'>') {
            self.close_unmatched(unmatched, block, start, sink);
            cursor.take_quote_marker(self.most_indent());
            self.open_container(ContainerKind::Quote, 0, 0);
            return true;
        }
        if let Some((label, length)) = footnote(cursor.rest()) {
            self.close_unmatched(unmatched, block, start, sink);
            self.footnotes.push((label.to_vec(), self.line));
            cursor.take_bytes(length);
            self.open_container(ContainerKind::Footnote, FOOTNOTE_INDENT, 0);
            return true;
        }
        let Some(marker) = list_marker(cursor.rest(), in_paragraph) else { return false };
        let mark = cursor.rest()[marker - 1];
        self.close_unmatched(unmatched, block, start, sink);
        let indent = cursor.indent();
        let padding = cursor.take_list_marker(marker, self.most_indent());
        self.open_container(ContainerKind::List, indent + padding, mark);
        true
    }

    /// Opens an MDX tag, expression or module if one begins at the cursor.
    fn open_mdx<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        cursor: &Cursor<'_>,
        unmatched: &mut Option<usize>,
        sink: &mut S,
    ) -> bool {
        let (rest, is_first) = (cursor.rest(), cursor.nonspace() == 0);
        let Some(lexer) = &mut self.mdx else { return false };
        let progress = match rest.first() {
            Some(b'<' | b'{') => lexer.begin(rest),
            Some(b'i' | b'e')
                if is_first && self.leaf != Leaf::Paragraph && lexer.begin_module(rest) =>
            {
                Progress::Open
            }
            _ => return false,
        };
        let is_open = progress == Progress::Open;
        if !is_open && progress != Progress::Closed {
            return false;
        }
        self.open_leaf(unmatched, block, start, sink);
        self.leaf = if is_open { Leaf::Mdx } else { Leaf::None };
        true
    }

    /// Scans the next line of an MDX construct. Returns `false` if the construct is actually
    /// Markdown.
    pub(super) fn mdx_line(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        cursor: &Cursor<'_>,
    ) -> bool {
        let Some(lexer) = &mut self.mdx else { return false };
        let progress = lexer.line(cursor.rest());
        if progress == Progress::Open {
            self.content_line = self.line;
            return true;
        }
        self.leaf = Leaf::None;
        if let Progress::Text(at) = progress {
            self.open_paragraph(block, start + cursor.nonspace() + at, end);
        }
        progress != Progress::Invalid
    }

    fn open_indented<S: Sink>(
        &mut self,
        unmatched: &mut Option<usize>,
        block: &[u8],
        start: usize,
        sink: &mut S,
    ) {
        self.open_leaf(unmatched, block, start, sink);
        self.leaf = Leaf::Indented;
        self.indented_start = self.line;
        self.indented_end = self.line;
    }
}
