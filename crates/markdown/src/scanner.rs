//! A streaming implementation of CommonMark's block phase (0.31): finds headings, code, containers
//! and link reference definitions. It builds no tree and does not parse inline content. Its memory
//! use does not grow with the document.
//!
//! It differs from the specification as follows: a lone `\r` does not end a line; at most
//! `PARAGRAPH_LIMIT` bytes of a paragraph are kept; and if a line is split into several blocks,
//! only the first block determines how the line is parsed.

mod idle;
mod open;
mod paragraph;
mod starts;
mod state;
mod table;

use super::blocks::{CodeBlock, CodeLine, ContainerKind, Dialect, HeadingBlock, Sink};
use super::cursor::{Cursor, is_space_or_tab};
use super::tables::is_row;
use super::{definitions, html, mdx};
use folio_text::lines::{Block, without_end};
use folio_text::sections::is_log_entry;
use folio_text::span::LineRange;
use idle::content;
use paragraph::Paragraph;
pub use state::Unclosed;

#[derive(Clone, Copy, Debug)]
struct Container {
    kind: ContainerKind,
    /// The indentation, in columns, that lines of this list item need.
    indent: usize,
    /// The number of blocks in the container so far, without paragraphs that consist only of
    /// definitions.
    children: u32,
    /// The number of containers up to the innermost quote, including it. 0 if there is no quote.
    quotes: usize,
    /// The last character of the marker of this list item. 0 for other containers.
    mark: u8,
    has_heading: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaf {
    None,
    Paragraph,
    Fenced,
    Indented,
    Html(html::End),
    Mdx,
    Table,
}

#[derive(Clone, Debug, Default)]
struct Fence {
    byte: u8,
    length: usize,
    indent: usize,
    line: u64,
    info: Vec<u8>,
}

/// Scans a document block by block.
#[derive(Clone, Debug)]
pub struct Scanner {
    line: u64,
    containers: Vec<Container>,
    leaf: Leaf,
    paragraph: Paragraph,
    fence: Fence,
    indented_start: u64,
    indented_end: u64,
    /// The line on which the last leaf other than a paragraph, list or quote began.
    leaf_line: u64,
    /// The last line that does not continue the open leaf, and the number of containers that it
    /// continues.
    break_line: (u64, usize),
    /// The last non-blank line while a container is open.
    content_line: u64,
    html_tail: Vec<u8>,
    base: u64,
    table: table::Table,
    /// The open MDX constructs. `None` in other dialects.
    mdx: Option<Box<mdx::Lexer>>,
    /// Labels and first lines of the open footnotes.
    footnotes: Vec<(Vec<u8>, u64)>,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// Creates a scanner at the start of a document.
    pub fn new() -> Self {
        Self::after_line(0)
    }

    /// Creates a scanner for text that begins after `line`. The text must begin outside all
    /// containers and paragraphs.
    pub fn after_line(line: u64) -> Self {
        Self {
            line,
            containers: Vec::new(),
            leaf: Leaf::None,
            paragraph: Paragraph::default(),
            fence: Fence::default(),
            indented_start: 0,
            indented_end: 0,
            leaf_line: 0,
            break_line: (0, 0),
            content_line: 0,
            html_tail: Vec::new(),
            base: 0,
            table: table::Table::default(),
            mdx: None,
            footnotes: Vec::new(),
        }
    }

    /// Sets the dialect.
    pub fn in_dialect(mut self, dialect: Dialect) -> Self {
        self.mdx = (dialect == Dialect::Mdx).then(Box::default);
        self
    }

    /// Returns the maximum indentation, in columns, of a line that can begin a block.
    fn most_indent(&self) -> usize {
        if self.mdx.is_some() { usize::MAX } else { 3 }
    }

    /// Returns the number of lines that have been scanned at least in part.
    pub fn lines(&self) -> u64 {
        self.line
    }

    /// Whether the last line is inside a code block, including its fences.
    pub fn in_code(&self) -> bool {
        matches!(self.leaf, Leaf::Fenced | Leaf::Indented)
    }

    /// Whether a paragraph is open. It may still become a heading.
    pub fn in_paragraph(&self) -> bool {
        self.leaf == Leaf::Paragraph
    }

    /// Whether a fenced code block is open.
    pub fn in_fence(&self) -> bool {
        self.leaf == Leaf::Fenced
    }

    /// Whether the last non-blank line is indented code.
    pub fn in_indented_code(&self) -> bool {
        self.leaf == Leaf::Indented
    }

    /// Scans the next lines.
    pub fn scan<S: Sink>(&mut self, block: &Block<'_>, sink: &mut S) {
        if block.continues {
            self.scan_rest_of_line(block.bytes);
            return;
        }
        self.base = block.offset;
        self.scan_lines(block.bytes, sink);
        self.stash(block.bytes);
    }

    /// Ends the document.
    pub fn finish<S: Sink>(&mut self, sink: &mut S) {
        let last = self.line;
        self.line += 1;
        self.close_leaf(&[], 0, last, sink);
        self.close_containers(0, last, sink);
        self.line = last;
    }

    /// Scans one line in the two phases of the specification. The line is `start..end` of `block`,
    /// without the `\n` at `end`.
    #[inline(never)]
    fn scan_line<S: Sink>(&mut self, block: &[u8], start: usize, end: usize, sink: &mut S) {
        self.line += 1;
        let next = block.len().min(end + 1);
        let line = content(block, start, end);
        let end = start + line.len();
        let mut cursor = Cursor::new(line);
        let matched = self.match_containers(&mut cursor);
        let all_matched = matched == self.containers.len();

        // The open leaf continues only if all containers continue.
        let mut leaf_continues = false;
        if all_matched {
            match self.leaf {
                Leaf::None => {}
                Leaf::Paragraph => leaf_continues = !cursor.is_blank(),
                Leaf::Table => leaf_continues = is_row(cursor.rest()),
                Leaf::Fenced => {
                    self.fenced_line(block, start, next, &mut cursor, sink);
                    return;
                }
                Leaf::Indented => {
                    if cursor.is_blank() {
                        self.note_line(block, start, end, sink, false);
                        return;
                    }
                    if cursor.indent() >= 4 {
                        self.indented_end = self.line;
                        self.content_line = self.line;
                        self.note_line(block, start, end, sink, false);
                        return;
                    }
                }
                Leaf::Html(kind) => {
                    if !(cursor.is_blank() && kind.ends_at_blank()) {
                        if !cursor.is_blank() {
                            self.content_line = self.line;
                        }
                        self.html_line(kind, cursor.rest());
                        self.note_line(block, start, end, sink, true);
                        return;
                    }
                }
                Leaf::Mdx => {
                    if self.mdx_line(block, start, end, &cursor) {
                        self.note_line(block, start, end, sink, true);
                        return;
                    }
                }
            }
        }
        self.open_blocks(block, start, end, &mut cursor, matched, leaf_continues, sink);
        let outside_code = !self.in_code();
        self.note_line(block, start, end, sink, outside_code);
    }

    /// Reports a line to the sink if it is outside code.
    #[inline(always)]
    fn note_line<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        sink: &mut S,
        outside_code: bool,
    ) {
        if !outside_code {
            return;
        }
        let line = &block[start..end];
        if is_log_entry(line) {
            sink.log_entry(self.line, line, self.base + start as u64);
        }
        if S::LINES {
            sink.line(self.line, line, self.base + start as u64);
        }
    }

    /// Returns the number of open containers that the line continues, and moves the cursor past
    /// their prefixes.
    fn match_containers(&self, cursor: &mut Cursor<'_>) -> usize {
        let mut matched = 0;
        while matched < self.containers.len() {
            let container = &self.containers[matched];
            match container.kind {
                ContainerKind::Quote => {
                    if !cursor.take_quote_marker(self.most_indent()) {
                        break;
                    }
                }
                ContainerKind::List | ContainerKind::Footnote => {
                    if cursor.indent() >= container.indent {
                        cursor.take_columns(container.indent);
                    } else if !cursor.is_blank() {
                        break;
                    } else if cursor.indent() == 0 {
                        return self.match_empty_line(matched);
                    } else if self.is_empty_item(matched) {
                        break;
                    } else {
                        cursor.skip_indent(usize::MAX);
                    }
                }
            }
            matched += 1;
        }
        matched
    }

    /// Returns the number of containers that a line continues if it is blank after the prefix of
    /// container `from`, which is a list item. The line continues the items up to the next quote,
    /// except an item that is still empty. The cost does not depend on the number of items, because
    /// many blank lines may follow.
    fn match_empty_line(&self, from: usize) -> usize {
        let total = self.containers.len();
        if self.containers[total - 1].quotes > from {
            // The blank line closes this quote, so this search runs only once.
            let rest = &self.containers[from..];
            let quote = rest.iter().position(|container| container.kind == ContainerKind::Quote);
            return quote.map_or(total, |at| from + at);
        }
        total - usize::from(self.is_empty_item(total - 1))
    }

    /// Whether a list item is still empty. Only the innermost item can be empty.
    fn is_empty_item(&self, index: usize) -> bool {
        index + 1 == self.containers.len() && self.containers[index].children == 0
    }

    fn fenced_line<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        next: usize,
        cursor: &mut Cursor<'_>,
        sink: &mut S,
    ) {
        self.content_line = self.line;
        if cursor.indent() <= self.most_indent()
            && cursor.peek() == Some(self.fence.byte)
            && self.is_closing_fence(cursor.rest())
        {
            if S::CODE_LINES {
                let bytes = &block[start + cursor.nonspace()..next];
                let line = self.line;
                sink.code_line(CodeLine { line, is_fence: true, spaces: 0, bytes });
            }
            self.end_code(self.line, true, sink);
            return;
        }
        if S::CODE_LINES {
            cursor.skip_indent(self.fence.indent);
            let bytes = &block[start + cursor.offset()..next];
            let spaces = cursor.split_tab();
            sink.code_line(CodeLine { line: self.line, is_fence: false, spaces, bytes });
        }
    }

    /// Whether a line closes the open fence. The line must begin with the character of the fence.
    fn is_closing_fence(&self, line: &[u8]) -> bool {
        let run = line.iter().take_while(|&&byte| byte == self.fence.byte).count();
        run >= self.fence.length && line[run..].iter().all(|&byte| is_space_or_tab(byte))
    }

    fn open_fence(&mut self, byte: u8, length: usize, indent: usize, info: &[u8]) {
        self.leaf = Leaf::Fenced;
        self.fence.byte = byte;
        self.fence.length = length;
        self.fence.indent = indent;
        self.fence.line = self.line;
        self.fence.info.clear();
        self.fence.info.extend_from_slice(info);
    }

    fn end_code<S: Sink>(&mut self, end_line: u64, closed: bool, sink: &mut S) {
        sink.code(CodeBlock {
            info: Some(&self.fence.info),
            start_line: self.fence.line,
            end_line,
            closed,
        });
        self.leaf = Leaf::None;
    }

    /// Closes the blocks that the line does not continue, before a leaf block begins on the line.
    fn open_leaf<S: Sink>(
        &mut self,
        unmatched: &mut Option<usize>,
        block: &[u8],
        start: usize,
        sink: &mut S,
    ) {
        self.close_unmatched(unmatched, block, start, sink);
        self.add_child();
        self.leaf_line = self.line;
        self.content_line = self.line;
    }

    /// Handles the rest of a line that does not begin a block. The rest is either paragraph text or
    /// blank.
    #[allow(clippy::too_many_arguments)]
    fn add_text<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        cursor: &mut Cursor<'_>,
        mut unmatched: Option<usize>,
        in_paragraph: bool,
        sink: &mut S,
    ) {
        let blank = cursor.is_blank();
        if !blank {
            let continues_paragraph =
                in_paragraph || (unmatched.is_some() && self.leaf == Leaf::Paragraph);
            if continues_paragraph {
                self.content_line = self.line;
                self.extend_paragraph(block, start, end, cursor.nonspace());
                return;
            }
        }
        self.close_unmatched(&mut unmatched, block, start, sink);
        if !blank {
            self.content_line = self.line;
            self.add_child();
            self.open_paragraph(block, start + cursor.nonspace(), end);
        }
    }

    /// Closes the open leaf and the containers that this line does not continue. Does nothing if
    /// this was already done for the line.
    fn close_unmatched<S: Sink>(
        &mut self,
        unmatched: &mut Option<usize>,
        block: &[u8],
        start: usize,
        sink: &mut S,
    ) {
        if let Some(depth) = unmatched.take() {
            let last = self.line - 1;
            self.break_line = (self.line, depth);
            self.close_leaf(block, start, last, sink);
            self.close_containers(depth, last, sink);
        }
    }

    /// Closes the open leaf block. The current line begins at `upto` of `block`.
    fn close_leaf<S: Sink>(&mut self, block: &[u8], upto: usize, last_line: u64, sink: &mut S) {
        match self.leaf {
            Leaf::None | Leaf::Html(_) | Leaf::Mdx => {}
            Leaf::Paragraph => {
                // Whether the paragraph consisted of definitions is only relevant in list items.
                let is_reported = S::DEFINITIONS || !self.containers.is_empty();
                if self.paragraph.bracket && is_reported {
                    self.gather_paragraph(block, upto);
                    let text = std::mem::take(&mut self.paragraph.kept);
                    let consumed = definitions::consume_definitions(&text, |label| {
                        sink.definition(label, last_line);
                    });
                    if text[consumed..].iter().all(|byte| byte.is_ascii_whitespace())
                        && let Some(parent) = self.containers.last_mut()
                    {
                        parent.children = parent.children.saturating_sub(1);
                    }
                    self.paragraph.kept = text;
                }
            }
            Leaf::Fenced => self.end_code(last_line, false, sink),
            Leaf::Table => self.end_table(sink),
            Leaf::Indented => sink.code(CodeBlock {
                info: None,
                start_line: self.indented_start,
                end_line: self.indented_end,
                closed: false,
            }),
        }
        self.leaf = Leaf::None;
    }

    /// Closes the containers from `depth` on.
    fn close_containers<S: Sink>(&mut self, depth: usize, last_line: u64, sink: &mut S) {
        while self.containers.len() > depth {
            let Some(container) = self.containers.pop() else { break };
            let end = match container.kind {
                ContainerKind::Quote => last_line,
                ContainerKind::List | ContainerKind::Footnote => self.content_line.min(last_line),
            };
            if container.has_heading {
                sink.container_closed(self.containers.len(), end);
            }
            if container.kind == ContainerKind::Footnote
                && let Some((label, line)) = self.footnotes.pop()
            {
                sink.footnote(&label, LineRange::from_to(line, end.max(line)));
            }
        }
    }

    fn open_container(&mut self, kind: ContainerKind, indent: usize, mark: u8) {
        self.add_child();
        self.content_line = self.line;
        let quotes = match kind {
            ContainerKind::Quote => self.containers.len() + 1,
            _ => self.containers.last().map_or(0, |outer| outer.quotes),
        };
        // A blank line ends an item that is still empty, but not a footnote.
        let children = u32::from(kind == ContainerKind::Footnote);
        let has_heading = false;
        self.containers.push(Container { kind, indent, children, quotes, mark, has_heading });
    }

    fn add_child(&mut self) {
        if let Some(parent) = self.containers.last_mut() {
            parent.children = parent.children.saturating_add(1);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn report_heading<S: Sink>(
        &mut self,
        level: u8,
        line: u64,
        content: &[u8],
        offset: Option<u64>,
        is_canonical: bool,
        sink: &mut S,
    ) {
        self.content_line = self.line;
        for container in &mut self.containers {
            container.has_heading = true;
        }
        sink.heading(HeadingBlock {
            level,
            line,
            last_line: self.line,
            content,
            offset,
            is_canonical,
            depth: self.containers.len(),
            container: self.containers.last().map(|container| container.kind),
        });
    }

    fn html_line(&mut self, kind: html::End, rest: &[u8]) {
        if kind.is_met(rest) {
            self.leaf = Leaf::None;
        } else if !kind.ends_at_blank() {
            self.html_tail.clear();
            let tail = rest.len().saturating_sub(html::LONGEST_END);
            self.html_tail.extend_from_slice(&rest[tail..]);
        }
    }

    /// Skips the rest of a line that is longer than the reader's limit.
    fn scan_rest_of_line(&mut self, bytes: &[u8]) {
        if let Leaf::Html(kind) = self.leaf
            && !kind.ends_at_blank()
        {
            let mut text = std::mem::take(&mut self.html_tail);
            text.extend_from_slice(bytes);
            self.html_line(kind, &text);
        }
    }
}
