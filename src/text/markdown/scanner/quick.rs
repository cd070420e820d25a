//! Fast paths for the most common lines: text, blank lines, ATX headings, fences and list
//! items. Other lines are left to the full phases.

use super::starts::{atx, fence, is_plain, plain_item};
use super::{Leaf, Scanner};
use crate::text::markdown::blocks::{ContainerKind, Sink};
use crate::text::markdown::html;

impl Scanner {
    /// Handles the most common lines outside containers; false if this is not one of them.
    #[inline(always)]
    pub(super) fn quick_step<S: Sink>(
        &mut self,
        line: &[u8],
        block: &[u8],
        start: usize,
        end: usize,
        sink: &mut S,
    ) -> bool {
        match self.leaf {
            Leaf::Paragraph if is_plain(line) => {
                self.paragraph.lines += 1;
                true
            }
            Leaf::None if is_plain(line) => {
                self.open_paragraph(block, start, end);
                true
            }
            Leaf::None | Leaf::Paragraph => match line.first() {
                None => {
                    self.close_text(block, start, sink);
                    true
                }
                Some(b'#') => {
                    let Some((level, from, to)) = atx(line) else { return false };
                    self.close_text(block, start, sink);
                    let at = self.base + (start + from) as u64;
                    self.tell_heading(level, self.line, &line[from..to], Some(at), sink);
                    true
                }
                Some(b' ') => self.quick_list_step(line, block, start, end, sink),
                Some(b'`' | b'~') if !S::CODE_LINES => {
                    let Some((length, info)) = fence(line) else { return false };
                    self.close_text(block, start, sink);
                    self.open_fence(line[0], length, 0, info);
                    true
                }
                Some(b'<') => {
                    self.quick_html(line, block, (start, end), sink);
                    true
                }
                Some(_) => {
                    let padding = plain_item(line, self.leaf == Leaf::Paragraph);
                    if let Some(padding) = padding {
                        self.open_plain_item(block, start, end, 0, padding, sink);
                    }
                    padding.is_some()
                }
            },
            Leaf::Fenced if S::CODE_LINES => false,
            Leaf::Fenced => self.quick_code(line, sink),
            Leaf::Html(html::End::Blank) => !line.trim_ascii_start().is_empty(),
            _ => false,
        }
    }

    /// Handles HTML, or text that begins with `<`.
    #[inline(always)]
    fn quick_html<S: Sink>(
        &mut self,
        line: &[u8],
        block: &[u8],
        (start, end): (usize, usize),
        sink: &mut S,
    ) {
        let paragraph = self.leaf == Leaf::Paragraph;
        match html::start(line, !paragraph) {
            Some(kind) => {
                self.close_text(block, start, sink);
                self.leaf = Leaf::Html(kind);
                self.html_line(kind, line);
            }
            None if paragraph => self.paragraph.lines += 1,
            None => self.open_paragraph(block, start, end),
        }
    }

    #[inline(always)]
    fn quick_code<S: Sink>(&mut self, line: &[u8], sink: &mut S) -> bool {
        let first = line.iter().find(|&&byte| byte != b' ');
        if first.is_none_or(|&first| first != self.fence.byte && first != b'\t') {
            return true;
        }
        let closes = line[0] == self.fence.byte && self.is_closing_fence(line);
        if closes {
            self.end_code(self.line, true, sink);
        }
        closes
    }

    /// The number of items that a line with `spaces` leading spaces continues, and the number of
    /// spaces left.
    #[inline(always)]
    fn matched_items(&self, spaces: usize) -> (usize, usize) {
        let mut indent = spaces;
        let mut matched = 0;
        for item in &self.containers {
            if indent < item.indent {
                break;
            }
            indent -= item.indent;
            matched += 1;
        }
        (matched, indent)
    }

    /// Handles the most common lines if only list items are open, or nothing.
    pub(super) fn quick_list_step<S: Sink>(
        &mut self,
        line: &[u8],
        block: &[u8],
        start: usize,
        end: usize,
        sink: &mut S,
    ) -> bool {
        let spaces = line.iter().take_while(|&&byte| byte == b' ').count();
        let rest = &line[spaces..];
        let text = matches!(self.leaf, Leaf::None | Leaf::Paragraph);
        if rest.is_empty() {
            let goes_on = self.containers.last().is_none_or(|innermost| innermost.children > 0);
            if text && goes_on {
                self.close_text(block, start, sink);
                return true;
            }
            return false;
        }
        let (matched, indent) = self.matched_items(spaces);
        let inside = matched == self.containers.len();
        if self.leaf == Leaf::Fenced {
            let is_code =
                inside && rest[0] != self.fence.byte && rest[0] != b'\t' && !S::CODE_LINES;
            if is_code {
                self.content_line = self.line;
            }
            return is_code;
        }
        if !text || rest[0] == b'\t' {
            return false;
        }
        if is_plain(rest) || (indent >= 4 && self.leaf == Leaf::Paragraph) {
            if self.leaf == Leaf::Paragraph {
                // A continuation of the item's paragraph, possibly a lazy one.
                self.content_line = self.line;
                self.extend_paragraph(block, start, end, spaces);
                return true;
            }
            if indent >= 4 {
                return false;
            }
            self.close_containers(matched, self.line - 1, sink);
            self.content_line = self.line;
            self.add_child();
            self.open_paragraph(block, start + spaces, end);
            return true;
        }
        if indent >= 4 {
            return false;
        }
        let interrupts = inside && self.leaf == Leaf::Paragraph;
        let Some(padding) = plain_item(rest, interrupts) else { return false };
        self.close_text(block, start, sink);
        self.close_containers(matched, self.line - 1, sink);
        self.open_plain_item(block, start + spaces, end, indent, padding, sink);
        true
    }

    /// Opens a list item that begins with a paragraph; its marker is at `from`, indented by
    /// `indent` columns.
    fn open_plain_item<S: Sink>(
        &mut self,
        block: &[u8],
        from: usize,
        end: usize,
        indent: usize,
        padding: usize,
        sink: &mut S,
    ) {
        self.close_text(block, from - indent, sink);
        self.open_container(ContainerKind::List, indent + padding);
        self.add_child();
        self.open_paragraph(block, from + padding, end);
    }

    /// Closes the paragraph, if one is open. No other leaf may be open.
    #[inline(always)]
    pub(super) fn close_text<S: Sink>(&mut self, block: &[u8], start: usize, sink: &mut S) {
        if self.leaf == Leaf::Paragraph && self.paragraph.bracket {
            self.close_leaf(block, start, self.line - 1, sink);
        }
        self.leaf = Leaf::None;
    }
}
