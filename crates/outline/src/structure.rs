//! Checks whether edits change headings or fenced code blocks outside the edited text. Of Markdown,
//! only the text around the edits is compared: from the last top-level heading before
//! the edits to the first heading after them that is in both documents. Text before a top-level
//! heading cannot affect the structure after it.

mod front_matter;
mod kept;
pub mod keys;
mod outlines;
pub mod symbols;

use std::collections::HashSet;

use self::kept::KeptLines;
use crate::boundary::last_end_of_blocks;
use crate::format::Format;
use crate::outline::Outline;
use folio_markdown::blocks::{CodeBlock, Dialect, HeadingBlock, Sink};
use folio_markdown::front_matter::{FrontMatterSearch, MAX_LENGTH, search};
use folio_markdown::scanner::Scanner;
use folio_text::edit::{Edit, EditSet, Piece};
use folio_text::line_index::LineIndex;
use folio_text::lines::{Block, count_newlines, lines_with_ends, without_end};
use folio_text::span::Span;

/// Distance in bytes after the edits up to which the documents are compared at first.
const REACH: u64 = 8 * 1024;

/// A change to a heading, code block or key outside the edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureChange {
    /// The kind of change.
    pub kind: ChangeKind,
    /// The kind of element. `None` if the text of the element shows it.
    pub label: Option<&'static str>,
    /// The line of the element: in the old document if the element is lost, otherwise in the new
    /// document.
    pub line: u64,
    /// The first line of the element, such as `## Install` or a fence. For a key, the name of the
    /// key.
    pub text: Vec<u8>,
}

/// The kind of change to a heading, code block or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The element is only in the old document.
    Lost,
    /// The element is only in the new document.
    Created,
    /// The element is now in another section.
    Moved,
}

/// Returns the changes to headings and fenced code blocks outside the edited text. Lost, created
/// and moved elements follow one another, each ordered by line. `lines` is the index of `bytes`,
/// and `outline` returns the outline of `bytes`.
pub fn changes<'o>(
    bytes: &[u8],
    lines: &LineIndex,
    edits: &EditSet,
    format: Format,
    outline: impl FnOnce() -> &'o Outline,
) -> Vec<StructureChange> {
    let start = lines.start_of(bytes, 1);
    let Some(dialect) = format.dialect() else {
        return outlines::changes(bytes, start, edits, format);
    };
    let opening_end = start
        + match search(&bytes[start as usize..], true, false) {
            FrontMatterSearch::Found(found) => found.length as u64,
            FrontMatterSearch::Absent(end) => end as u64,
            FrontMatterSearch::Open => 0,
        };
    let check = Check { bytes, lines, edits, dialect, start, opening_end };
    let found = check.front_matter();
    if !found.is_empty() || edits.edits().iter().all(|edit| check.is_plain(edit)) {
        return found;
    }
    let mut found = check.compare(outline());
    found.sort_by_key(|change| (change.kind == ChangeKind::Created, change.line));
    found
}

struct Check<'a> {
    bytes: &'a [u8],
    lines: &'a LineIndex,
    edits: &'a EditSet,
    dialect: Dialect,
    /// The offset at which the text begins.
    start: u64,
    /// The offset after which edits can neither begin nor end front matter.
    opening_end: u64,
}

impl<'a> Check<'a> {
    /// Returns the changes that edits within the front matter cause in its unedited part.
    fn front_matter(&self) -> Vec<StructureChange> {
        let edits = self.edits.edits();
        if edits.first().is_none_or(|edit| edit.span.start() > self.opening_end) {
            return Vec::new();
        }
        let most = self.start + 2 * MAX_LENGTH as u64;
        let before = |edit: &&Edit| edit.span.start() <= most;
        let last = edits.iter().take_while(before).last().map_or(0, |edit| edit.span.end());
        let window = self.window(self.start, self.line_end(most.max(last)));
        front_matter::changes(&window).unwrap_or_default()
    }

    /// Whether an edit cannot change the block structure. Each line that such an edit changes
    /// begins with a letter before and after. The edit does not add or remove a line, a `>` that
    /// may end an HTML block, a table cell, or text of a link definition.
    fn is_plain(&self, edit: &Edit) -> bool {
        const NEAR: usize = 4096;
        let (start, end) = (edit.span.start() as usize, edit.span.end() as usize);
        // In MDX, words such as `import` begin blocks.
        let may_begin = self.dialect == Dialect::Mdx || edit.span.start() < self.opening_end;
        if may_begin {
            return false;
        }
        let from = start.saturating_sub(NEAR).max(self.start as usize);
        let until = (end + NEAR).min(self.bytes.len());
        let before = &self.bytes[from..start];
        let Some(first) = memchr::memrchr(b'\n', before).map(|at| at + 1) else { return false };
        let Some(last) = memchr::memchr(b'\n', &self.bytes[end..until]) else { return false };
        // Another edit may change the rest of the first and of the last line.
        let (replaced, content) = (&self.bytes[start..end], &edit.content[..]);
        let begins = !before[first..].trim_ascii_start().is_empty()
            || begins_with_letter(replaced) && begins_with_letter(content);
        let tails =
            [replaced, content].map(|text| memchr::memrchr(b'\n', text).map(|at| &text[at + 1..]));
        let ends = match tails {
            [Some(replaced), Some(content)] => {
                replaced.is_empty() && content.is_empty()
                    || begins_with_letter(replaced) && begins_with_letter(content)
            }
            tails => tails == [None, None],
        };
        if !begins || !ends {
            return false;
        }
        let old = &self.bytes[from + first..=end + last];
        let new = [&before[first..], &edit.content, &self.bytes[end..=end + last]].concat();
        let mut is_outside = is_outside_definitions(&before[..first]);
        let (mut old, mut new) = (lines_with_ends(old), lines_with_ends(&new));
        loop {
            let (old, new) = match (old.next(), new.next()) {
                (Some(old), Some(new)) => (old, new),
                (None, None) => return true,
                _ => return false,
            };
            if old != new && !(is_outside && are_plain(old, new)) {
                return false;
            }
            is_outside = match begins_definition(old) {
                None => true,
                Some(begins) => is_outside && !begins,
            };
        }
    }

    /// Returns the end of the line that contains an offset.
    fn line_end(&self, offset: u64) -> u64 {
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let feed = memchr::memchr(b'\n', rest);
        feed.map_or(self.bytes.len() as u64, |feed| offset + feed as u64 + 1)
    }

    /// Returns the window between two offsets, both at line boundaries.
    fn window(&self, start: u64, end: u64) -> Window<'a> {
        let part = Span::new(start, end);
        let pieces = self.edits.pieces_within(part).map(|piece| match piece {
            Piece::Old(span) => &self.bytes[span.start() as usize..span.end() as usize],
            Piece::New(content) => content,
        });
        Window {
            old: &self.bytes[start as usize..end as usize],
            new: pieces.collect(),
            kept: KeptLines::new(self.bytes, part, self.edits.edits()),
            at_start: start == self.start,
            at_end: end == self.bytes.len() as u64,
            dialect: self.dialect,
        }
    }

    /// Returns the last line before the edits that separates the structure below from the text
    /// above: the last line of a top-level heading or of the front matter.
    fn last_separating_line(&self, outline: &Outline) -> u64 {
        let Some(first) = self.edits.edits().first().map(|edit| edit.span.start()) else {
            return 0;
        };
        if first <= self.opening_end {
            return 0;
        }
        last_end_of_blocks(outline, self.lines.line_of(self.bytes, first))
    }

    fn compare(&self, outline: &Outline) -> Vec<StructureChange> {
        let edits = self.edits.edits();
        let Some(last) = edits.last().map(|edit| edit.span.end()) else { return Vec::new() };
        let rest = self.last_separating_line(outline);
        let start = self.lines.start_of(self.bytes, rest + 1);
        let mut reach = REACH.max(last.saturating_sub(start) / 4);
        loop {
            let window = self.window(start, self.line_end(last.saturating_add(reach)));
            if let (Some(old), Some(new)) = (window.facts(&[window.old]), window.facts(&window.new))
            {
                let first_line_after = count_newlines(&self.bytes[start as usize..last as usize])
                    + if self.is_line_start(last) { 1 } else { 2 };
                let resumed = first_common_heading(&old, &new, &window.kept, first_line_after);
                if resumed.is_some() || window.at_end {
                    let until = resumed.unwrap_or((u64::MAX, u64::MAX));
                    return differences(&old, &new, &window.kept, until, rest);
                }
            }
            reach = reach.saturating_mul(8);
        }
    }

    fn is_line_start(&self, offset: u64) -> bool {
        offset <= self.start || self.bytes[offset as usize - 1] == b'\n'
    }
}

/// Whether a paragraph that continues after some lines cannot begin with a link definition, because
/// none of these lines begins with a bracket. Returns `false` if the paragraph begins before these
/// lines.
fn is_outside_definitions(lines: &[u8]) -> bool {
    let mut rest = lines;
    while let Some(text) = rest.strip_suffix(b"\n") {
        let start = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
        match begins_definition(&text[start..]) {
            None => return true,
            Some(true) => return false,
            Some(false) => rest = &rest[..start],
        }
    }
    false
}

/// Whether a link definition may begin on a line. Returns `None` for a blank line.
fn begins_definition(line: &[u8]) -> Option<bool> {
    let line = line.trim_ascii();
    let is_mark = |byte: &u8| b" \t>*+-.)0123456789".contains(byte);
    let first_byte = line.iter().find(|byte| !is_mark(byte));
    (!line.is_empty()).then_some(first_byte == Some(&b'['))
}

/// Whether a line and its replacement begin with a letter, after the same indentation, and contain
/// neither `>` nor `|`.
fn are_plain(old: &[u8], new: &[u8]) -> bool {
    let [(old_margin, old), (new_margin, new)] =
        [old, new].map(|line| line.split_at(line.len() - line.trim_ascii_start().len()));
    let is_text =
        |text: &[u8]| begins_with_letter(text) && memchr::memchr2(b'>', b'|', text).is_none();
    old_margin == new_margin && is_text(old) && is_text(new)
}

fn begins_with_letter(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_alphabetic)
}

/// A part of the document before and after the edits.
struct Window<'a> {
    old: &'a [u8],
    /// The pieces of the new text.
    new: Vec<&'a [u8]>,
    kept: KeptLines,
    at_start: bool,
    at_end: bool,
    dialect: Dialect,
}

impl Window<'_> {
    /// Returns the headings and code blocks of a text. Returns `None` if it may end inside front
    /// matter.
    fn facts(&self, pieces: &[&[u8]]) -> Option<Facts> {
        let mut facts = Facts::default();
        let (mut lines, mut skipped) = (0, 0);
        if self.at_start {
            let head = first_bytes(pieces, MAX_LENGTH);
            match search(&head, self.at_end, false) {
                FrontMatterSearch::Found(found) => {
                    (lines, skipped) = (found.lines.end(), found.length)
                }
                FrontMatterSearch::Absent(_) => {}
                FrontMatterSearch::Open => return None,
            }
        }
        let mut scanner = Scanner::after_line(lines).in_dialect(self.dialect);
        each_block(pieces, skipped, |block| scanner.scan(&Block::new(block, 0), &mut facts));
        if self.at_end {
            scanner.finish(&mut facts);
        }
        debug_assert!(facts.headings.is_sorted_by_key(|heading| heading.line), "in order");
        Some(facts)
    }
}

/// Returns the first bytes of a text: at least `length` bytes, unless the text is shorter.
fn first_bytes(pieces: &[&[u8]], length: usize) -> Vec<u8> {
    let mut head = Vec::new();
    for piece in pieces {
        let room = length.saturating_sub(head.len());
        head.extend_from_slice(&piece[..piece.len().min(room)]);
    }
    head
}

/// Calls `each` with blocks of whole lines of a text, without the first `skipped` bytes.
fn each_block(pieces: &[&[u8]], mut skipped: usize, mut each: impl FnMut(&[u8])) {
    // A line that consists of several pieces.
    let mut line: Vec<u8> = Vec::new();
    for piece in pieces {
        let mut text = &piece[skipped.min(piece.len())..];
        skipped -= piece.len() - text.len();
        if !line.is_empty() {
            let end = memchr::memchr(b'\n', text).map_or(text.len(), |at| at + 1);
            line.extend_from_slice(&text[..end]);
            text = &text[end..];
            if !line.ends_with(b"\n") {
                continue;
            }
            each(&line);
            line.clear();
        }
        let end = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
        if end > 0 {
            each(&text[..end]);
        }
        line.extend_from_slice(&text[end..]);
    }
    if !line.is_empty() {
        each(&line);
    }
}

/// Headings and fenced code blocks of a window. Lines are counted from 1 within the window.
#[derive(Default)]
struct Facts {
    headings: Vec<Heading>,
    codes: Vec<Code>,
}

struct Heading {
    line: u64,
    /// The last line: for a setext heading, its underline.
    last: u64,
    /// Number of containers around the heading.
    depth: usize,
    level: u8,
    content: Box<[u8]>,
}

impl Heading {
    /// Returns the heading in ATX form, with its `#` marks.
    fn text(&self) -> Vec<u8> {
        [&b"######"[..usize::from(self.level)], b" ", &self.content].concat()
    }
}

struct Code {
    start: u64,
    end: u64,
    closed: bool,
    text: Vec<u8>,
}

/// The lines of a code block in the new document, or `None` for a line that edits inserted or
/// removed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CodePlace {
    start: Option<u64>,
    end: CodeEnd,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum CodeEnd {
    /// The block ends with a fence that is not edited.
    Fence(u64),
    /// The block ends with an edited line.
    Edited,
    /// The block ends with its container or the document, after the edited text.
    Open,
}

impl CodePlace {
    fn new(code: &Code, kept: impl Fn(u64) -> Option<u64>) -> Self {
        let start = kept(code.start);
        let end = match (kept(code.end), code.closed) {
            (Some(end), true) => CodeEnd::Fence(end),
            (None, true) => CodeEnd::Edited,
            // A block that was not closed before may extend over any following text.
            (None, false) if start.is_none() => CodeEnd::Edited,
            (_, false) => CodeEnd::Open,
        };
        Self { start, end }
    }

    /// Whether edits inserted or removed the whole block.
    fn is_edited(self) -> bool {
        self.start.is_none() && self.end == CodeEnd::Edited
    }
}

impl Sink for Facts {
    fn heading(&mut self, heading: HeadingBlock<'_>) {
        let HeadingBlock { line, last_line: last, depth, level, content, .. } = heading;
        let content = without_end(content).trim_ascii().into();
        self.headings.push(Heading { line, last, depth, level, content });
    }

    fn wants_indented_code(&self) -> bool {
        false
    }

    fn code(&mut self, code: CodeBlock<'_>) {
        let Some(info) = code.info else { return };
        let text = [b"```", info.trim_ascii()].concat();
        let (start, end) = (code.start_line, code.end_line);
        self.codes.push(Code { start, end, closed: code.closed, text });
    }
}

impl Facts {
    /// Returns the heading that begins on a line.
    fn heading_at(&self, line: u64) -> Option<&Heading> {
        let at = self.headings.binary_search_by_key(&line, |heading| heading.line);
        at.ok().map(|at| &self.headings[at])
    }

    /// Returns the heading that ends on a line.
    fn heading_to(&self, last: u64) -> Option<&Heading> {
        let at = self.headings.binary_search_by_key(&last, |heading| heading.last);
        at.ok().map(|at| &self.headings[at])
    }
}

/// Returns the lines, in the old and the new document, of the first top-level heading from line
/// `from` on that is in both documents.
fn first_common_heading(
    old: &Facts,
    new: &Facts,
    lines: &KeptLines,
    from: u64,
) -> Option<(u64, u64)> {
    let is_there = |line: u64, level: u8| {
        new.heading_at(line).is_some_and(|other| (other.depth, other.level) == (0, level))
    };
    let free = old.headings.iter().rev().filter(|heading| heading.depth == 0);
    free.take_while(|heading| heading.line >= from)
        .filter_map(|heading| Some((heading, lines.new_of(heading.line)?)))
        .find(|(heading, line)| is_there(*line, heading.level))
        .map(|(heading, line)| (heading.line, line))
}

/// Returns the differences before a heading that is in both documents. `first` is the number of
/// lines before the window.
fn differences(
    old: &Facts,
    new: &Facts,
    lines: &KeptLines,
    until: (u64, u64),
    first: u64,
) -> Vec<StructureChange> {
    let mut found = Vec::new();
    let mut add = |kind, line, text| {
        found.push(StructureChange { kind, label: None, line: first + line, text });
    };
    let form = |heading: &Heading| (heading.level, heading.depth);
    for heading in old.headings.iter().filter(|heading| heading.line <= until.0) {
        let Some(line) = lines.new_of(heading.line) else { continue };
        let is_same = |other: &&Heading| {
            // Lines may have been inserted into a setext heading.
            let is_split = lines.new_of(heading.last).is_some()
                && other.last - other.line != heading.last - heading.line;
            form(other) == form(heading) && !is_split
        };
        if new.heading_at(line).filter(is_same).is_none() {
            add(ChangeKind::Lost, heading.line, heading.text());
        }
    }
    // The code blocks by their lines in the new document. Only lines that are not new are included.
    let places = |codes: &[Code], kept: &dyn Fn(u64) -> Option<u64>| -> Vec<CodePlace> {
        codes.iter().map(|code| CodePlace::new(code, kept)).collect()
    };
    let old_codes = places(&old.codes, &|line| lines.new_of(line));
    let new_codes = places(&new.codes, &|line| lines.old_of(line).map(|_| line));
    let old_set: HashSet<CodePlace> = old_codes.iter().copied().collect();
    let new_set: HashSet<CodePlace> = new_codes.iter().copied().collect();
    for (code, place) in old.codes.iter().zip(&old_codes) {
        if code.start <= until.0 && !place.is_edited() && !new_set.contains(place) {
            add(ChangeKind::Lost, code.start, code.text.clone());
        }
    }
    for heading in new.headings.iter().filter(|heading| heading.line <= until.1) {
        let before = match (lines.old_of(heading.line), lines.old_of(heading.last)) {
            (Some(line), _) => old.heading_at(line),
            // An unedited line may have become the underline of edited text.
            (None, Some(last)) => old.heading_to(last),
            (None, None) => continue,
        };
        if before.map(form) != Some(form(heading)) {
            add(ChangeKind::Created, heading.line, heading.text());
        }
    }
    for (code, place) in new.codes.iter().zip(&new_codes) {
        let is_change = if place.is_edited() {
            mixes_in_text(code, &old.codes, lines)
        } else {
            !old_set.contains(place)
        };
        if code.start <= until.1 && is_change {
            add(ChangeKind::Created, code.start, code.text.clone());
        }
    }
    found
}

/// Whether a new code block contains both inserted lines and lines that were text. Such a block was
/// probably left open by one edit and closed by another. If the fences enclose exactly unedited
/// lines, the edits are assumed to turn them into code. `old` are the code blocks of the old
/// document, in order.
fn mixes_in_text(code: &Code, old: &[Code], lines: &KeptLines) -> bool {
    let was_text = |line: u64| {
        let Some(line) = lines.old_of(line) else { return false };
        let before = old[..old.partition_point(|code| code.start <= line)].last();
        before.is_none_or(|code| code.end < line)
    };
    let is_new = |line: u64| lines.old_of(line).is_none();
    let mut inside = code.start + 1..code.end;
    !inside.is_empty() && (is_new(code.start + 1) || is_new(code.end - 1)) && inside.any(was_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    fn changes_of(old: &str, edits: Vec<Edit>) -> Vec<StructureChange> {
        let set = EditSet::new(edits).expect("disjoint");
        let outline = Outline::of(old.as_bytes(), Format::Markdown);
        let lines = LineIndex::new(old.as_bytes(), 0);
        changes(old.as_bytes(), &lines, &set, Format::Markdown, || &outline)
    }

    fn found_changes(old: &str, edits: Vec<Edit>) -> Vec<String> {
        let shown = |change: &StructureChange| {
            let sign = if change.kind == ChangeKind::Lost { '-' } else { '+' };
            format!("{sign}{} {}", change.line, String::from_utf8_lossy(&change.text))
        };
        changes_of(old, edits).iter().map(shown).collect()
    }

    /// Replaces the first occurrence of `part` in `old` with `new`, and checks the changes.
    #[track_caller]
    fn check(old: &str, part: &str, new: &str, expected: &[&str]) {
        let padding = format!("{}\n# P\n", "plain text\n".repeat(10_000));
        let lines = count_newlines(padding.as_bytes());
        for padded in [false, true] {
            let before = if padded { padding.as_str() } else { "" };
            let text = format!("{before}{old}");
            let start = before.len() + old.find(part).expect("there");
            let span = Span::new(start as u64, (start + part.len()) as u64);
            let found = found_changes(&text, vec![Edit::new(span, new)]);
            let expected: Vec<String> = expected
                .iter()
                .map(|line| {
                    let (number, text) = line[1..].split_once(' ').expect("a line");
                    let number: u64 = number.parse().expect("a number");
                    let number = number + if padded { lines } else { 0 };
                    format!("{}{number} {text}", &line[..1])
                })
                .collect();
            assert_eq!(found, expected, "{old:?} {part:?} {new:?}");
        }
    }

    #[test]
    fn edits_within_lines_of_text_are_plain() {
        let is_plain = |old: &str, from: &str, new: &str| {
            let text = format!("# A\n\n{old}\n");
            let start = text.find(from).expect("there") as u64;
            let edits = vec![Edit::new(Span::new(start, start + from.len() as u64), new)];
            let (edits, lines) =
                (EditSet::new(edits).expect("disjoint"), LineIndex::new(text.as_bytes(), 0));
            let (bytes, dialect) = (text.as_bytes(), Dialect::Github);
            let check =
                Check { bytes, lines: &lines, edits: &edits, dialect, start: 0, opening_end: 0 };
            check.is_plain(&edits.edits()[0])
        };
        for (old, from, new) in [
            ("one two", "two", "2"),
            ("one two", "one", "x [y]"),
            (
                "one\n  two\n\n* three\n\nfour",
                "ne\n  two\n\n* three\n\nfo",
                "n\n  t\n\n* three\n\nfu",
            ),
            ("[a]: b\n\none", "one", "two"),
        ] {
            assert!(is_plain(old, from, new), "{old:?} {from:?} {new:?}");
        }
        for (old, from, new) in [
            ("one two", "one", "2"),
            ("one two", "one ", ""),
            ("one two", "two", "> x"),
            ("one two", "e t", "\n"),
            ("one\ntwo", "one\ntwo", "one\n  two"),
            ("one\n* two", "one\n* two", "one\n* 2"),
            ("[a]: b\none", "one", "two"),
            ("[a]: b\none\ntwo", "one\ntw", "on\nt"),
        ] {
            assert!(!is_plain(old, from, new), "{old:?} {from:?} {new:?}");
        }
    }

    #[test]
    fn edits_of_one_line_are_considered_together() {
        let delete = |start: u64| Edit::new(Span::new(start, start + 1), "");
        assert_eq!(
            found_changes("x\n\nab```\n\n# H\n", vec![delete(3), delete(4)]),
            ["-5 # H", "+3 ```"]
        );
        let first = Edit::new(Span::new(3, 6), "y\n");
        assert_eq!(
            found_changes("x\n\nx\nab```\n\n# H\n", vec![first, delete(6)]),
            ["-6 # H", "+4 ```"]
        );
    }

    #[test]
    fn edits_of_the_selected_part_are_not_changes() {
        check("# A\ntext\n## B\n", "text", "word", &[]);
        check("# A\ntext\n## B\n", "# A", "### Z", &[]);
        check("# A\ntext\n## B\nx\n", "## B\nx\n", "", &[]);
        check("# A\n\n```\nx\n```\n# B\n", "x\n", "# y\n\n", &[]);
        check("# A\n\n# B\n", "\n# B", "\n## C\n\n```\n# x\n```\n\n# B", &[]);
        check("A\n===\n\ntext\n", "A", "Z", &[]);
    }

    #[test]
    fn an_underline_below_a_paragraph_makes_a_heading() {
        check("# A\ntext\n", "text\n", "text\n---\n", &[]);
        let old = "# A\ntext\n";
        let end = old.len() as u64;
        let appended = vec![Edit::new(Span::new(end, end), "---\n")];
        assert_eq!(found_changes(old, appended), ["+2 ## text"]);
        let old = "# A\ntext";
        let appended = vec![Edit::new(Span::new(8, 8), "\n===")];
        assert_eq!(found_changes(old, appended), ["+2 # text"]);
    }

    #[test]
    fn an_unclosed_fence_includes_the_rest() {
        check("# A\nx\n# B\n", "x", "```", &["-3 # B", "+2 ```"]);
        check("# A\n```\nx\n```\n# B\n", "x\n```\n", "x\n", &["-2 ```", "-5 # B", "+2 ```"]);
        check("# A\nx\n# B\n", "x", "<!--", &["-3 # B"]);
        check("# A\nx\n\n  # B\n", "x", "- y", &["-4 # B", "+4 # B"]);
    }

    #[test]
    fn a_new_code_block_contains_only_new_or_only_old_lines() {
        let check = |old: &str, edits: [(u64, u64, &str); 2], expected: &[&str]| {
            let edits =
                edits.map(|(start, end, content)| Edit::new(Span::new(start, end), content));
            assert_eq!(found_changes(old, edits.to_vec()), expected, "{edits:?}");
        };
        let old = "a\n\nb\n\nc\n";
        check(old, [(2, 2, "```\n"), (5, 5, "```\n")], &[]);
        check(old, [(2, 2, "\n```\nx\n```\n"), (5, 5, "\n```\ny\n```\n")], &[]);
        check(old, [(2, 2, "```\nx\n"), (5, 5, "```\ny\n")], &["+2 ```"]);
        check(old, [(2, 2, "```\nx\n"), (5, 5, "```js\ny\n```\n")], &["+2 ```"]);
        check(old, [(2, 2, "~~~\nx\n"), (5, 5, "```\ny\n```\n~~~\n")], &["+2 ```"]);
        let code = "```\nx\ny\n```\n";
        check(code, [(0, 6, "~~~\nz\n"), (8, 12, "~~~\n")], &[]);
    }

    #[test]
    fn a_lost_underline_loses_its_heading() {
        check("A\n---\n\ntext\n", "---\n", "", &["-1 ## A"]);
        check("# P\n\ntext\n\n---\n\nend\n", "text\n\n", "text\n\nnew\n", &["+5 ## new"]);
        check("# P\n\ntext\n\n---\n", "text\n\n", "text\n\nnew\n\n", &[]);
        check("A\nB\n---\n\ntext\n", "B", "x\nB", &["-1 ## A\nB"]);
        check("A\nB\n---\n\ntext\n", "A\nB", "C\nD\nE", &[]);
        check("A\n---\n\ntext\n", "---", "===", &["-1 ## A", "+1 # A"]);
    }

    #[test]
    fn several_edits_are_each_compared() {
        let gap = format!("{}\n# H\n", "plain\n".repeat(20_000));
        let old = format!("# A\nx\n{gap}y\n# Z\n");
        let first = old.find("x\n").expect("there") as u64;
        let second = old.find("y\n").expect("there") as u64;
        let edits = vec![
            Edit::new(Span::new(first, first + 2), "x\nxx\n\n"),
            Edit::new(Span::new(second, second + 1), "~~~"),
        ];
        assert_eq!(found_changes(&old, edits), ["-20006 # Z", "+20007 ```"]);
    }

    #[test]
    fn many_edits_are_compared_in_small_groups() {
        let section = "# A\n\nx\n\n  # B\n\n";
        let text = section.repeat(40_000);
        let edits = (0..40_000).map(|number| {
            let start = (number * section.len() + 5) as u64;
            let content = if number % 10_000 == 77 { "- y" } else { "*x*\n" };
            Edit::new(Span::new(start, start + 1), content)
        });
        let found = changes_of(&text, edits.collect());
        let old = [77, 10_077, 20_077, 30_077].map(|number| number * 6 + 5);
        let fields: Vec<(ChangeKind, u64)> =
            found.iter().map(|change| (change.kind, change.line)).collect();
        // Each section before it has gained a line, except the sections with the same name.
        let new = old.into_iter().zip(0..).map(|(line, others)| line + (line - 5) / 6 - others);
        let lost = old.map(|line| (ChangeKind::Lost, line)).into_iter();
        let created = new.map(|line| (ChangeKind::Created, line));
        assert_eq!(fields, lost.chain(created).collect::<Vec<_>>());
    }

    #[test]
    fn an_edit_begins_where_the_one_before_it_ended() {
        let plain = "plain\n".repeat(4000);
        let old = format!("x\n{plain}# H\n{plain}y\n");
        let second = old.rfind("y\n").expect("there") as u64;
        let edits =
            vec![Edit::new(Span::new(0, 6002), ""), Edit::new(Span::new(second, second), "===\n")];
        let lines = count_newlines(&old.as_bytes()[..second as usize]);
        // The paragraph that the underline turns into a heading begins after `# H`.
        let first = count_newlines(&old.as_bytes()[..old.find("# H").expect("there")]) + 2;
        assert!(lines > first);
        let found = found_changes(&old, edits);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with(&format!("+{} # plain", first - 1001)), "{}", &found[0][..20]);
    }

    #[test]
    fn a_fence_far_before_the_next_heading_is_followed() {
        let old = format!("# A\n\nx\n\n{}# B\n", "plain text\n\n".repeat(200_000));
        let at = old.find("x\n").expect("there") as u64;
        let edits = vec![Edit::new(Span::new(at, at + 1), "```")];
        assert_eq!(found_changes(&old, edits), ["-400005 # B", "+3 ```"]);
    }

    #[test]
    fn front_matter_is_excluded() {
        check("---\ntitle: x\n---\n# A\n", "title", "name", &[]);
        let old = "---\ntitle: x\n---\n# A\n";
        let edits = vec![Edit::new(Span::new(0, 4), "")];
        assert_eq!(found_changes(old, edits), ["-2 title", "-3 ---"]);
    }
}
