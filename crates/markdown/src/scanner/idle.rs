//! Skips idle lines: blank lines, and lines with plain text or an HTML tag after any mix of
//! indentation, quote markers, list markers and numbers. An idle line cannot begin a heading, fence
//! or definition, whichever containers are open, nor a block that contains blank lines. How it is
//! parsed is relevant only if a line that is not idle follows.
//!
//! The scanner stops at such a line. It then goes back to the last line at which no block can be
//! open, and scans from there. After a blank line, a heading, fence or thematic break in column 1
//! does not depend on the lines before it.

use super::starts::{atx_heading, fence, is_canonical, may_be_definition, thematic_break};
use super::{ContainerKind, Leaf, Scanner, is_space_or_tab};
use crate::blocks::Sink;
use crate::html;
use crate::tables::delimiter_cells;
use folio_text::lines::{LineOffsets, count_newlines};
use folio_text::sections::is_log_entry;

/// The effect of a byte on whether the line is idle.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Plain text, or the end of a blank line.
    Text,
    Blank,
    /// A byte that may belong to the marker of a container.
    Marker,
    /// A byte that may begin a block.
    Opener,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Text; 256];
    set_class(&mut classes, b" \t", Class::Blank);
    set_class(&mut classes, b"-+*_=>.)0123456789", Class::Marker);
    set_class(&mut classes, b"#`~<[\r\x0b\x0c", Class::Opener);
    classes
};

const fn set_class(classes: &mut [Class; 256], bytes: &[u8], class: Class) {
    let mut index = 0;
    while index < bytes.len() {
        classes[bytes[index] as usize] = class;
        index += 1;
    }
}

/// Whether a line is idle for a sink. If `may_be_code` is set, indented code is not idle.
#[inline(always)]
fn is_idle<S: Sink>(line: &[u8], may_be_code: bool) -> bool {
    let mut blanks = 0;
    for (at, &byte) in line.iter().enumerate() {
        match CLASSES[usize::from(byte)] {
            Class::Text => return true,
            Class::Blank => {
                blanks += if byte == b'\t' { 4 } else { 1 };
                if may_be_code && blanks >= 4 {
                    break;
                }
            }
            Class::Marker => blanks = 0,
            Class::Opener => return is_text(&line[at..], at == 0, S::DEFINITIONS),
        }
    }
    is_blank(line)
}

/// Whether the rest of a line, which begins with an [`Class::Opener`], is plain text. If
/// `definitions` is set, a link reference definition is not plain text.
fn is_text(rest: &[u8], is_first: bool, definitions: bool) -> bool {
    match rest[0] {
        b'#' => rest.get(1).is_some_and(|&next| CLASSES[usize::from(next)] == Class::Text),
        byte @ (b'`' | b'~') => rest.get(1) != Some(&byte),
        b'<' => !html::may_contain_blank_lines(rest),
        b'[' => {
            let is_special = rest.starts_with(b"[^") || is_first && is_log_entry(rest);
            !(is_special || (definitions && may_be_definition(rest)))
        }
        _ => false,
    }
}

/// A part of a block that has not been scanned yet: idle lines and the line after them.
#[derive(Clone, Copy)]
struct Stop {
    /// The offset at which the scanner's state is known.
    from: usize,
    /// The number of idle lines from that offset on.
    lines: u64,
    /// The offset of the first line that is not idle.
    start: usize,
}

impl Scanner {
    pub(super) fn scan_lines<S: Sink>(&mut self, bytes: &[u8], sink: &mut S) {
        let may_be_code = S::LINES || sink.wants_indented_code();
        let mut lines = LineOffsets::new(bytes);
        let mut from = 0;
        loop {
            while !self.may_skip::<S>(may_be_code) {
                let skipped = self.skip_leaf(bytes, from, sink);
                if skipped > from {
                    from = skipped;
                    if from == bytes.len() {
                        return;
                    }
                    lines.skip_to(from);
                    continue;
                }
                let Some((start, end)) = lines.next() else { return };
                self.scan_line(bytes, start, end, sink);
                from = bytes.len().min(end + 1);
            }
            // An empty line begins with its line ending, which is also of this class.
            let is_text = |start: usize| CLASSES[usize::from(bytes[start])] == Class::Text;
            let mut count = 0;
            let found = lines.find(|&(start, end)| {
                let idle = is_text(start) || is_idle::<S>(content(bytes, start, end), may_be_code);
                count += u64::from(idle);
                !idle
            });
            let start = found.map_or(bytes.len(), |(start, _)| start);
            let stop = Stop { from, lines: count, start };
            let Some((_, end)) = found else { return self.catch_up(bytes, stop, sink) };
            self.scan_stop(bytes, stop, end, sink);
            from = bytes.len().min(end + 1);
        }
    }

    /// Whether idle lines may be skipped, because the open blocks report nothing when they end. If
    /// `may_be_code` is set, indented code is reported.
    #[inline(always)]
    fn may_skip<S: Sink>(&self, may_be_code: bool) -> bool {
        let is_text = match self.leaf {
            Leaf::None | Leaf::Table | Leaf::Html(html::End::Blank) => true,
            Leaf::Paragraph => !(S::DEFINITIONS && self.paragraph.bracket),
            Leaf::Indented => !may_be_code,
            Leaf::Fenced | Leaf::Html(_) | Leaf::Mdx => false,
        };
        // A heading is in all open containers.
        let reports_end = self.containers.first().is_some_and(|outer| outer.has_heading);
        is_text && !reports_end && self.footnotes.is_empty() && !S::TABLES && self.mdx.is_none()
    }

    /// Scans lines of the open fenced code block or HTML block. Returns the offset after them. It
    /// is `from` if there are none.
    #[inline(always)]
    fn skip_leaf<S: Sink>(&mut self, block: &[u8], from: usize, sink: &mut S) -> usize {
        match (self.leaf, self.containers.is_empty()) {
            (Leaf::Html(kind), true) if !S::LINES => self.skip_html(kind, block, from),
            _ if self.leaf != Leaf::Fenced || S::CODE_LINES || self.mdx.is_some() => from,
            (_, true) => self.scan_code(block, from, sink),
            (_, false) => self.scan_contained_code(block, from),
        }
    }

    /// Skips lines of an HTML block outside containers. Stops at a line that may end the block or
    /// begin a log entry, and at a line that may continue in the next block.
    fn skip_html(&mut self, kind: html::End, block: &[u8], from: usize) -> usize {
        let mut at = from;
        for (start, end) in LineOffsets::new(&block[from..]) {
            let line = content(block, from + start, from + end);
            let may_end = kind.is_met(line) || (kind.ends_at_blank() && is_blank(line));
            if may_end || line.first() == Some(&b'[') || from + end == block.len() {
                break;
            }
            self.line += 1;
            at = from + end + 1;
        }
        at
    }

    /// Scans the contents of a fenced code block outside containers, and its closing fence. Returns
    /// the offset after them.
    fn scan_code<S: Sink>(&mut self, block: &[u8], from: usize, sink: &mut S) -> usize {
        let mut at = from;
        while let Some(fence_start) = memchr::memchr(self.fence.byte, &block[at..]) {
            let fence_start = at + fence_start;
            let end = memchr::memchr(b'\n', &block[fence_start..])
                .map_or(block.len(), |end| fence_start + end);
            let spaces =
                block[from..fence_start].iter().rev().take_while(|&&byte| byte == b' ').count();
            let is_first = fence_start - spaces == from || block[fence_start - spaces - 1] == b'\n';
            if is_first && spaces < 4 && self.is_closing_fence(content(block, fence_start, end)) {
                self.line += count_newlines(&block[from..fence_start]) + 1;
                self.end_code(self.line, true, sink);
                return block.len().min(end + 1);
            }
            at = end;
        }
        self.line += LineOffsets::new(&block[from..]).count() as u64;
        block.len()
    }

    /// Scans the contents of a fenced code block in list items. Returns the offset of the first
    /// line that may close a container or the block.
    fn scan_contained_code(&mut self, block: &[u8], from: usize) -> usize {
        if self.containers.iter().any(|container| container.kind == ContainerKind::Quote) {
            return from;
        }
        let indent: usize = self.containers.iter().map(|container| container.indent).sum();
        let mut at = from;
        for (start, end) in LineOffsets::new(&block[from..]) {
            let end = from + end;
            let line = content(block, from + start, end);
            let text = line.iter().position(|&byte| byte != b' ');
            if text.is_some_and(|text| text < indent || line[text] == self.fence.byte) {
                break;
            }
            self.line += 1;
            self.content_line = self.line;
            at = block.len().min(end + 1);
        }
        at
    }

    /// Scans the line at which skipping stopped.
    fn scan_stop<S: Sink>(&mut self, block: &[u8], stop: Stop, end: usize, sink: &mut S) {
        let line = content(block, stop.start, end);
        let (heading, fence) = match line[0] {
            b'#' => (atx_heading(line), None),
            b'`' | b'~' => (None, fence(line)),
            _ => (None, None),
        };
        let is_break = matches!(line[0], b'-' | b'*' | b'_') && thematic_break(line).is_ok();
        let closes_all = heading.is_some() || fence.is_some() || is_break;
        if !(closes_all && follows_blank(block, stop)) {
            self.catch_up(block, stop, sink);
            return self.scan_line(block, stop.start, end, sink);
        }
        self.forget(block, stop, stop.start, sink);
        if let Some((level, from, to)) = heading {
            self.line += 1;
            let offset = Some(self.base + (stop.start + from) as u64);
            let is_canonical = is_canonical(line, level, from..to);
            self.report_heading(level, self.line, &line[from..to], offset, is_canonical, sink);
            self.note_line(block, stop.start, stop.start + line.len(), sink, true);
        } else if let Some((length, info)) = fence.filter(|_| !S::CODE_LINES) {
            self.line += 1;
            self.open_fence(line[0], length, 0, info);
        } else {
            self.scan_line(block, stop.start, end, sink);
        }
    }

    /// Scans the skipped lines, beginning at the last line at which no block can be open.
    fn catch_up<S: Sink>(&mut self, block: &[u8], stop: Stop, sink: &mut S) {
        let mut from = stop.from;
        if let Some(clean) = last_clean(block, stop) {
            self.forget(block, stop, clean, sink);
            from = clean;
        }
        for (start, end) in LineOffsets::new(&block[from..stop.start]) {
            let (start, end) = (from + start, from + end);
            if !self.add_plain_line(block, start, end, sink) {
                self.scan_line(block, start, end, sink);
            }
        }
    }

    /// Scans a skipped line if it is outside containers and only continues the open block or begins
    /// a paragraph. Returns whether it does.
    fn add_plain_line<S: Sink>(
        &mut self,
        block: &[u8],
        start: usize,
        end: usize,
        sink: &mut S,
    ) -> bool {
        let line = content(block, start, end);
        let indent = line.iter().position(|&byte| !is_space_or_tab(byte));
        let Some(indent) = indent.filter(|_| self.containers.is_empty()) else { return false };
        let is_text = CLASSES[usize::from(line[indent])] == Class::Text;
        let end = start + line.len();
        match self.leaf {
            Leaf::Html(html::End::Blank) => self.line += 1,
            Leaf::Paragraph if is_text && delimiter_cells(&line[indent..]).is_none() => {
                self.line += 1;
                self.extend_paragraph(block, start, end, indent);
            }
            Leaf::None if is_text && indent == 0 => {
                self.line += 1;
                self.open_paragraph(block, start, end);
            }
            _ => return false,
        }
        self.note_line(block, start, end, sink, true);
        true
    }

    /// Closes everything before the line at `to`, without scanning the lines before it.
    fn forget<S: Sink>(&mut self, block: &[u8], stop: Stop, to: usize, sink: &mut S) {
        let numbers = self.line + 1..;
        self.line += stop.lines;
        if to < stop.start {
            self.line -= LineOffsets::new(&block[to..stop.start]).count() as u64;
        }
        if S::LINES {
            for ((start, end), number) in LineOffsets::new(&block[stop.from..to]).zip(numbers) {
                let (start, end) = (stop.from + start, stop.from + end);
                sink.line(number, content(block, start, end), self.base + start as u64);
            }
        }
        self.leaf = Leaf::None;
        self.containers.clear();
    }
}

/// Whether the line before the stop was skipped and is blank.
fn follows_blank(block: &[u8], stop: Stop) -> bool {
    block[stop.from..stop.start].ends_with(b"\n\n")
        || line_before(block, stop, stop.start).is_some_and(|(_, line)| is_blank(line))
}

/// Returns the last line up to `stop.start` at which no block can be open: it follows a blank line
/// and is not indented.
fn last_clean(block: &[u8], stop: Stop) -> Option<usize> {
    let mut at = stop.start;
    while let Some((start, line)) = line_before(block, stop, at) {
        let is_indented = block.get(at).is_none_or(|byte| byte.is_ascii_whitespace());
        if !is_indented && is_blank(line) {
            return Some(at);
        }
        at = start;
    }
    None
}

/// Returns the skipped line that ends at `at`, and its start.
fn line_before(block: &[u8], stop: Stop, at: usize) -> Option<(usize, &[u8])> {
    let end = at.checked_sub(1).filter(|&end| end >= stop.from)?;
    let before = memchr::memrchr(b'\n', &block[stop.from..end]);
    let start = before.map_or(stop.from, |newline| stop.from + newline + 1);
    Some((start, content(block, start, end)))
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|&byte| is_space_or_tab(byte))
}

/// Returns the line at `start..end` of a block without its line ending. A `\n` is not part of the
/// range, but a `\r` may be.
pub(super) fn content(block: &[u8], start: usize, end: usize) -> &[u8] {
    match &block[start..end] {
        [line @ .., b'\r'] if end < block.len() => line,
        line => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::{CodeBlock, HeadingBlock};
    use folio_text::lines::Block;
    use folio_text::span::LineRange;

    /// Records everything that a scanner reports, except tables. `EXTRA` adds lines and definitions,
    /// and `TABLES` requests tables.
    #[derive(Debug, Default, PartialEq, Eq)]
    struct Events<const EXTRA: bool, const TABLES: bool> {
        all: Vec<String>,
        indented_code: bool,
    }

    impl<const EXTRA: bool, const TABLES: bool> Sink for Events<EXTRA, TABLES> {
        const TABLES: bool = TABLES;
        const LINES: bool = EXTRA;
        const DEFINITIONS: bool = EXTRA;

        fn heading(&mut self, heading: HeadingBlock<'_>) {
            self.all.push(format!("{heading:?}"));
        }
        fn code(&mut self, code: CodeBlock<'_>) {
            if code.info.is_some() || self.indented_code {
                self.all.push(format!("{code:?}"));
            }
        }
        fn wants_indented_code(&self) -> bool {
            self.indented_code
        }
        fn container_closed(&mut self, depth: usize, last_line: u64) {
            self.all.push(format!("closed {depth} {last_line}"));
        }
        fn footnote(&mut self, label: &[u8], lines: LineRange) {
            self.all.push(format!("footnote {label:?} {lines:?}"));
        }
        fn definition(&mut self, label: &[u8], line: u64) {
            if EXTRA {
                self.all.push(format!("definition {label:?} {line}"));
            }
        }
        fn log_entry(&mut self, line: u64, bytes: &[u8], offset: u64) {
            self.all.push(format!("entry {line} {bytes:?} {offset}"));
        }
        fn line(&mut self, line: u64, bytes: &[u8], offset: u64) {
            self.all.push(format!("line {line} {bytes:?} {offset}"));
        }
    }

    impl Scanner {
        fn scan_all<S: Sink>(&mut self, bytes: &[u8], sink: &mut S) {
            for (start, end) in LineOffsets::new(bytes) {
                self.scan_line(bytes, start, end, sink);
            }
            self.stash(bytes);
        }
    }

    /// Checks that neither skipping lines nor requesting tables changes any event. The text is
    /// passed in blocks of `count` lines.
    fn check<const EXTRA: bool>(text: &[u8], count: usize, indented_code: bool) {
        let mut expected = Events::<EXTRA, false> { indented_code, ..Events::default() };
        let mut all = Scanner::new();
        all.scan_all(text, &mut expected);
        all.finish(&mut expected);
        let lines = all.lines();
        let shown = || format!("{:?} by {count}", String::from_utf8_lossy(text));
        let (found, found_lines) = in_blocks::<EXTRA, false>(text, count, indented_code);
        assert_eq!((&found, found_lines), (&expected.all, lines), "{}", shown());
        let (found, found_lines) = in_blocks::<EXTRA, true>(text, count, indented_code);
        assert_eq!((&found, found_lines), (&expected.all, lines), "{} with tables", shown());
    }

    /// Returns the events and the number of lines of a text that is passed in blocks.
    fn in_blocks<const EXTRA: bool, const TABLES: bool>(
        text: &[u8],
        count: usize,
        indented_code: bool,
    ) -> (Vec<String>, u64) {
        let mut found = Events::<EXTRA, TABLES> { indented_code, ..Events::default() };
        let mut scanner = Scanner::new();
        let ends = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
        let mut cuts: Vec<usize> = ends.skip(count - 1).step_by(count).collect();
        cuts.push(text.len());
        let mut from = 0;
        for to in cuts {
            scanner.scan(&Block::new(&text[from..to], from as u64), &mut found);
            from = to;
        }
        scanner.finish(&mut found);
        (found.all, scanner.lines())
    }

    fn check_all(text: &str) {
        for count in [1, 2, 3, 7, usize::MAX] {
            for indented_code in [false, true] {
                check::<false>(text.as_bytes(), count, indented_code);
                check::<true>(text.as_bytes(), count, indented_code);
            }
        }
    }

    const LINES: &[&str] = &[
        "",
        "",
        "",
        "",
        "# A",
        "## B",
        "text",
        "text ``` code",
        "```",
        "```",
        "````",
        "~~~",
        "```sh",
        "``` a`b",
        "  ```",
        "   ~~~",
        "    ```",
        "\t```",
        "- item",
        "- ```",
        "  - deep",
        "1. # Listed",
        "  ```",
        "> quote",
        "> ```",
        "> # Quoted",
        "- > ~~~",
        "<!-- open",
        "-->",
        "<!-- all -->",
        "  <!-- indented",
        "<pre>",
        "</pre>",
        "<script>",
        "</script>",
        "<div>",
        "</div>",
        "<?php",
        "?>",
        "<p>",
        "<tr>",
        "    # code",
        "[a]: /b",
        "===",
        "---",
        "***",
        " # Indented",
        "#not",
        "#",
        "- <!--",
        "* * *",
        "\u{a0}",
        "<textarea",
        "<STYLE>",
        "</style>",
        "[^1]: note",
        "[^2]: ```",
        "- [^3]:",
        "    ~~~",
        "[LOG-1] entry",
        "[label]:",
        "[link](target)",
        "  continued",
        "      deep",
        "\ttab",
        "  ",
        "-",
        ">",
        "> - nested",
        "10. ten",
        "2) # Ten",
        "*emphasis*",
        "- - # Twice",
        "`code` text",
        "<span>",
        "<Custom>",
        "  <details>",
        "- <div>",
        "> <p>",
        "<PREVIEW>",
        "  </pre>",
        "   - ```",
        "   ~~~ ",
        "     text",
        "_ _ _",
        "text <b>",
        "\u{b}",
        "- a\r",
        "| a |",
        "a | b",
        "|---|",
        ":-:",
        "-|-",
        "> |---|",
        "  |---|",
        "|",
        "|\ta |",
    ];

    const TABLE_LINES: [&str; 12] = [
        "", "| a |", "|---|", "> | a |", "> |---|", "- | a |", "  |---|", "|", "text", "===",
        "    code", "a | b",
    ];

    const CALM: [&str; 9] = ["", "", "", "# A", "## B", "text", "```", "-->", "text"];

    #[test]
    fn skipped_lines_report_nothing() {
        let mut state = 1_u64;
        let mut below = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % end
        };
        for round in 0..600 {
            let count = 1 + below(40);
            let end = if round % 5 == 0 { "\r\n" } else { "\n" };
            let text: String = (0..count)
                .map(|_| {
                    // Most of these lines close blocks. Otherwise, nearly all lines would become
                    // code.
                    let from = match below(6) {
                        0..3 => LINES,
                        3..5 => &CALM[..],
                        _ => &TABLE_LINES[..],
                    };
                    from[below(from.len())].to_owned() + end
                })
                .collect();
            check_all(&text);
            check_all(text.trim_end_matches('\n'));
        }
    }

    #[test]
    fn a_blank_line_with_a_carriage_return_ends_html() {
        check_all("<div>\r\n</div>\r\n\r\n# A\r\n");
    }

    #[test]
    fn each_line_is_found_after_skipped_ones() {
        for line in LINES {
            for before in ["", "text\n", "- a\n\n  text\n", "> a\n", "\n", "1. a\n\n\n"] {
                check_all(&format!("{before}{line}\n\n# B\n\n```\n\n# C\n"));
            }
        }
    }
}
