//! Builds a unified diff from edits and the lines around them. Lines are compared as a whole;
//! changes within a line are not marked.

use std::borrow::Cow;
use std::ops::Range;

use similar::{Algorithm, DiffOp};

use crate::edit::{Edit, EditSet, Piece};
use crate::encoding::Encoding;
use crate::lines::without_end;
use crate::span::Span;

/// Number of context lines.
pub const CONTEXT: u64 = 3;

/// Maximum size of a changed region in bytes. A larger region is shown as removed and added lines,
/// without searching for common lines.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_LINES: usize = 50_000;

/// Length in bytes above which only the changed part of a line is shown, as UTF-8.
const LONG: usize = 64 * 1024;

/// Maximum number of bytes to show of the changed part, and of the text on each side of it.
const SHOWN: usize = 4096;
const BESIDE: usize = 40;

/// Changed lines with their context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// The hunk's lines in the old document.
    pub old: Side,
    /// The hunk's lines in the new document.
    pub new: Side,
    /// The lines of the hunk. Removed lines precede the lines that replace them.
    pub lines: Vec<DiffLine<'a>>,
}

/// The lines of a hunk in one of the two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Number of the first line. If the hunk has no lines in this document, the number of the line
    /// before it.
    pub start: u64,
    /// Number of lines.
    pub count: u64,
}

/// Whether a line was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffKind {
    /// The line is in both documents.
    Context,
    /// The line is only in the old document.
    Removed,
    /// The line is only in the new document.
    Added,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine<'a> {
    /// Whether the line was changed.
    pub kind: DiffKind,
    /// The bytes of the line, including the line ending. A byte order mark is part of line 1.
    pub text: Cow<'a, [u8]>,
    /// Whether the line has a line ending. The last line of a document may lack one.
    pub ended: bool,
}

/// The changes of one file.
#[derive(Clone, Debug, Default)]
pub struct FileDiff {
    /// The formatted hunks. They need less memory than [`Hunk`]s.
    pub hunks: Vec<u8>,
    /// Number of hunks.
    pub changes: u64,
    /// Number of added lines.
    pub added: u64,
    /// Number of removed lines.
    pub removed: u64,
    /// Whether some of the counted hunks are not in `hunks`.
    pub is_cut: bool,
    /// Whether the file is created.
    pub is_new: bool,
    /// Whether the file is deleted.
    pub is_gone: bool,
    /// The new path, if the file is renamed.
    pub renamed: Option<Vec<u8>>,
}

impl FileDiff {
    /// Appends a hunk.
    pub fn add(&mut self, hunk: &Hunk<'_>) {
        self.add_within(hunk, usize::MAX);
    }

    /// Counts a hunk, and appends it unless the lines of all hunks would exceed about `most` bytes.
    pub fn add_within(&mut self, hunk: &Hunk<'_>, most: usize) {
        let count = |kind| hunk.lines.iter().filter(|line| line.kind == kind).count() as u64;
        self.changes += 1;
        self.added += count(DiffKind::Added);
        self.removed += count(DiffKind::Removed);
        let size: usize = hunk.lines.iter().map(|line| line.text.len() + 1).sum();
        if self.hunks.len() + size > most {
            self.is_cut = true;
        } else {
            push_hunk(hunk, &mut self.hunks)
        }
    }

    /// Returns each formatted hunk.
    pub fn each_hunk(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.hunks[..];
        std::iter::from_fn(move || {
            // Only the first line of a hunk begins with `@`.
            let end = memchr::memmem::find(rest, b"\n@").map_or(rest.len(), |at| at + 1);
            let (hunk, tail) = rest.split_at(end);
            rest = tail;
            (!hunk.is_empty()).then_some(hunk)
        })
    }
}

/// A document and the edits to it.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    /// The document, including its byte order mark.
    pub old: &'a [u8],
    /// The edits.
    pub edits: &'a EditSet,
    /// For each edit, the line on which its span begins: the number of line feeds before it, plus
    /// one.
    pub first_lines: &'a [u64],
    /// The encoding, which determines the bytes of a line feed.
    pub encoding: Encoding,
}

impl Change<'_> {
    /// Calls `each` with each hunk in order. Only one region, whose edits have overlapping
    /// contexts, is in memory at a time.
    pub fn each_hunk(&self, each: impl FnMut(Hunk<'_>)) {
        self.each_hunk_within(CONTEXT, each);
    }

    /// Calls `each` with each hunk in order. The hunks have `context` context lines.
    pub fn each_hunk_within(&self, context: u64, mut each: impl FnMut(Hunk<'_>)) {
        let mut shift = 0;
        let mut open: Option<Region> = None;
        for (edit, &line) in self.edits.edits().iter().zip(self.first_lines) {
            let is_distant = |region: &mut Region| line > region.next_line + 2 * context;
            if let Some(region) = open.take_if(is_distant) {
                self.region_hunks(&region, context, &mut shift, &mut each);
            }
            let region = open.get_or_insert_with(|| Region::new(edit.span.start(), line));
            self.extend_region(region, edit, line);
        }
        if let Some(region) = open {
            self.region_hunks(&region, context, &mut shift, &mut each);
        }
    }

    /// Returns all hunks.
    pub fn hunks(&self) -> Vec<Hunk<'static>> {
        let mut hunks = Vec::new();
        self.each_hunk(|hunk| hunks.push(hunk.into_owned()));
        hunks
    }

    /// Calls `each` with the hunks of a region. `shift` is the number of lines that the edits have
    /// added so far; this function updates it.
    fn region_hunks(
        &self,
        region: &Region,
        context: u64,
        shift: &mut i64,
        each: &mut impl FnMut(Hunk<'_>),
    ) {
        let start = self.start_of_line_above(region.start, context);
        let end = self.after_line_endings(region.end, context);
        let old_text = self.bytes(start, end);
        let new_text = self.new_text(Span::new(start, end));
        let old_lines = lines(old_text, self.encoding);
        let new_lines = lines(&new_text, self.encoding);
        let first = region.first_line.saturating_sub(context + 1);
        let before = (first, first.saturating_add_signed(*shift));
        *shift += new_lines.len() as i64 - old_lines.len() as i64;
        // If added lines equal the lines after them, place the added lines first. Otherwise, the
        // hunk would have too little trailing context, and other programs could not locate it.
        let trailing = lines(self.bytes(region.end, end), self.encoding).len();
        let operations = diff_operations(&old_lines, &new_lines, trailing);
        for operations in similar::group_diff_ops(operations, context as usize) {
            each(build_hunk(&operations, (&old_lines, &new_lines), before, self.encoding));
        }
    }

    /// Returns the text of `part` after the edits. No edit may cross the start or end of `part`.
    fn new_text(&self, part: Span) -> Vec<u8> {
        let pieces = self.edits.pieces_within(part).map(|piece| match piece {
            Piece::Old(span) => self.bytes(span.start(), span.end()),
            Piece::New(content) => content,
        });
        pieces.collect::<Vec<_>>().concat()
    }

    fn extend_region(&self, region: &mut Region, edit: &Edit, line: u64) {
        let Edit { span, content } = edit;
        let feeds = self.encoding.count_line_feeds(self.bytes(span.start(), span.end()));
        // The line after the edit is unchanged if a line begins at this position both before and
        // after the edit.
        let starts_new_line = if content.is_empty() {
            region.edited != Some(span.start()) && self.is_line_start(span.start())
        } else {
            ends_with_line_feed(content, self.encoding)
        };
        let (end, next_line) = if starts_new_line && self.is_line_start(span.end()) {
            (span.end(), line + feeds)
        } else if span.end() < region.end {
            // This edit begins on the line on which the previous one ends. A long line is scanned
            // only once.
            (region.end, region.next_line)
        } else {
            (self.after_line_endings(span.end(), 1), line + feeds + 1)
        };
        if end >= region.end {
            (region.end, region.next_line) = (end, next_line);
        }
        region.edited = Some(span.end());
    }

    fn bytes(&self, start: u64, end: u64) -> &[u8] {
        &self.old[start as usize..end as usize]
    }

    fn is_line_start(&self, offset: u64) -> bool {
        offset == 0 || ends_with_line_feed(self.bytes(0, offset), self.encoding)
    }

    /// Returns the start of the line that is `count` lines above the line that contains `offset`.
    fn start_of_line_above(&self, offset: u64, count: u64) -> u64 {
        let mut before = self.bytes(0, offset);
        for _ in 0..count {
            let Some(start) = self.encoding.after_last_line_feed(before) else { return 0 };
            before = &before[..start - self.encoding.unit_size()];
        }
        self.encoding.after_last_line_feed(before).unwrap_or(0) as u64
    }

    /// Returns the offset after the `count`th line ending at or after `offset`. If there are fewer
    /// line endings, returns the end of the document.
    fn after_line_endings(&self, offset: u64, count: u64) -> u64 {
        let skipped = self.encoding.skip_lines(&self.old[offset as usize..], count);
        skipped.map_or(self.old.len() as u64, |length| offset + length as u64)
    }
}

/// Edits with overlapping contexts, and the whole lines that they change. A region may also include
/// one unchanged line at its end.
struct Region {
    /// Offset at which the first edit begins.
    start: u64,
    /// Number of the line on which the region begins.
    first_line: u64,
    /// Offset of the first start of a line after the last edit, or the end of the document.
    end: u64,
    /// Number of the line that begins at `end`.
    next_line: u64,
    /// Offset at which the last edit ends.
    edited: Option<u64>,
}

impl Region {
    fn new(start: u64, first_line: u64) -> Self {
        Self { start, first_line, end: start, next_line: first_line, edited: None }
    }
}

/// Returns the lines of a text, with their line endings.
fn lines(text: &[u8], encoding: Encoding) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = encoding.after_line_feed(text, at).unwrap_or(text.len());
        lines.push(&text[at..end]);
        at = end;
    }
    lines
}

fn ends_with_line_feed(text: &[u8], encoding: Encoding) -> bool {
    let tail = &text[text.len().saturating_sub(encoding.unit_size())..];
    encoding.after_last_line_feed(tail) == Some(tail.len())
}

/// Returns the differences between two lists of lines. At least `trailing` lines at the end are
/// treated as equal. Common lines are not searched for in a region that is too large.
pub(super) fn diff_operations(old: &[&[u8]], new: &[&[u8]], trailing: usize) -> Vec<DiffOp> {
    let most = old.len().min(new.len());
    let trailing = if old == new { 0 } else { trailing };
    let pairs = old.iter().zip(new).take(most.saturating_sub(trailing));
    let begin = pairs.take_while(|(old, new)| old == new).count();
    let rest = most - begin;
    let pairs = old.iter().rev().zip(new.iter().rev());
    let end = pairs.take(rest).take_while(|(old, new)| old == new).count();
    let (old_part, new_part) = (begin..old.len() - end, begin..new.len() - end);
    let lines = old[old_part.clone()].iter().chain(&new[new_part.clone()]);
    let bytes: usize = lines.clone().map(|line| line.len()).sum();
    let mut operations = vec![DiffOp::Equal { old_index: 0, new_index: 0, len: begin }];
    if bytes > MAX_BYTES || lines.count() > MAX_LINES {
        operations.push(DiffOp::Replace {
            old_index: begin,
            old_len: old_part.len(),
            new_index: begin,
            new_len: new_part.len(),
        });
    } else {
        // This implementation of Myers' algorithm limits the amount of work, not the time, so that
        // the result is deterministic.
        let (old_part, new_part) = (old_part.clone(), new_part.clone());
        operations.extend(similar::capture_diff(Algorithm::Myers, old, old_part, new, new_part));
    }
    operations.push(DiffOp::Equal { old_index: old_part.end, new_index: new_part.end, len: end });
    operations.retain(|operation| {
        !(operation.old_range().is_empty() && operation.new_range().is_empty())
    });
    operations
}

/// Creates the hunk of some parts. `before` contains the number of lines before the texts in each
/// document.
fn build_hunk<'a>(
    operations: &[DiffOp],
    (old, new): (&[&'a [u8]], &[&'a [u8]]),
    before: (u64, u64),
    encoding: Encoding,
) -> Hunk<'a> {
    let (first, last) = (&operations[0], &operations[operations.len() - 1]);
    let side = |before: u64, range: Range<usize>| {
        let start = before + range.start as u64 + u64::from(!range.is_empty());
        Side { start, count: range.len() as u64 }
    };
    let mut lines = Vec::new();
    let mut push_lines = |kind, side_lines: &[&'a [u8]], others: &[&[u8]]| {
        let lines_of_part = side_lines.iter().enumerate().map(|(index, &line)| {
            let other = others.get(index).copied().unwrap_or_default();
            let is_long = line.len().max(other.len()) > LONG && encoding.is_utf8();
            let text = if is_long { changed_part(line, other).into() } else { line.into() };
            DiffLine { kind, text, ended: ends_with_line_feed(line, encoding) }
        });
        lines.extend(lines_of_part);
    };
    for operation in operations {
        let (removed, added) = (&old[operation.old_range()], &new[operation.new_range()]);
        if let DiffOp::Equal { .. } = operation {
            push_lines(DiffKind::Context, removed, &[]);
        } else {
            push_lines(DiffKind::Removed, removed, added);
            push_lines(DiffKind::Added, added, removed);
        }
    }
    Hunk {
        old: side(before.0, first.old_range().start..last.old_range().end),
        new: side(before.1, first.new_range().start..last.new_range().end),
        lines,
    }
}

/// Returns the part of a long line that differs from the line that replaces it, and the offset of
/// that part.
fn changed_part(line: &[u8], other: &[u8]) -> Vec<u8> {
    let end: &[u8] = if line.ends_with(b"\n") { b"\n" } else { b"" };
    let (line, other) = (without_end(line), without_end(other));
    let begin = line.iter().zip(other).take_while(|(byte, other_byte)| byte == other_byte).count();
    let rest = line.len().min(other.len()) - begin;
    let pairs = line.iter().rev().zip(other.iter().rev()).take(rest);
    let after_change =
        line.len() - pairs.take_while(|(byte, other_byte)| byte == other_byte).count();
    let mut start = begin.saturating_sub(BESIDE);
    let mut stop = (after_change + BESIDE).min(start + SHOWN).min(line.len());
    let is_inside_character = |at: usize| line.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    while start > 0 && is_inside_character(start) {
        start -= 1;
    }
    while stop > start && is_inside_character(stop) {
        stop -= 1;
    }
    let head = format!("[{} bytes, from byte {start}] ", line.len());
    let cut: &[u8] = if stop < after_change { b" [...]" } else { b"" };
    [head.as_bytes(), &line[start..stop], cut, end].concat()
}

impl Hunk<'_> {
    fn into_owned(self) -> Hunk<'static> {
        let lines = self.lines.into_iter().map(|line| DiffLine {
            text: line.text.into_owned().into(),
            kind: line.kind,
            ended: line.ended,
        });
        Hunk { lines: lines.collect(), old: self.old, new: self.new }
    }

    /// Converts the lines to UTF-8 for display. After the conversion, other tools cannot apply the
    /// hunk to the document.
    pub fn decode(&mut self, encoding: Encoding) {
        for line in &mut self.lines {
            let mut text = Vec::with_capacity(line.text.len());
            encoding.decode(&line.text, &mut text);
            line.text = text.into();
        }
    }
}

/// Formats a diff for `patch` and `git apply`. Returns an empty text if there are no hunks.
///
/// The names are written unchanged: `a/x` and `b/x`, or `/dev/null` as the old name of a new
/// document.
pub fn unified(hunks: &[Hunk<'_>], old_name: &[u8], new_name: &[u8]) -> Vec<u8> {
    let mut diff = Vec::new();
    if !hunks.is_empty() {
        push_header(old_name, new_name, &mut diff);
    }
    for hunk in hunks {
        push_hunk(hunk, &mut diff);
    }
    diff
}

/// Appends the two header lines with the names of the documents.
pub fn push_header(old_name: &[u8], new_name: &[u8], diff: &mut Vec<u8>) {
    for (mark, name) in [("--- ", old_name), ("+++ ", new_name)] {
        diff.extend_from_slice(mark.as_bytes());
        push_name(name, diff);
        diff.push(b'\n');
    }
}

fn push_hunk(hunk: &Hunk<'_>, diff: &mut Vec<u8>) {
    let side = |side: Side| match side.count {
        1 => side.start.to_string(),
        count => format!("{},{count}", side.start),
    };
    let head = format!("@@ -{} +{} @@\n", side(hunk.old), side(hunk.new));
    diff.extend_from_slice(head.as_bytes());
    for line in &hunk.lines {
        diff.push(match line.kind {
            DiffKind::Context => b' ',
            DiffKind::Removed => b'-',
            DiffKind::Added => b'+',
        });
        diff.extend_from_slice(&line.text);
        if !line.ended {
            diff.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

/// Appends a name. Like git, quotes it if it contains a delimiter or is not plain text.
fn push_name(name: &[u8], diff: &mut Vec<u8>) {
    let is_text = std::str::from_utf8(name).is_ok();
    let is_plain = |byte: &u8| {
        !byte.is_ascii_control() && !matches!(byte, b'"' | b'\\') && (is_text || byte.is_ascii())
    };
    if name.iter().all(is_plain) {
        diff.extend_from_slice(name);
        if name.contains(&b' ') {
            // Without a tab after the name, `patch` would read it only up to the first blank.
            diff.push(b'\t');
        }
        return;
    }
    diff.push(b'"');
    for byte in name {
        match byte {
            b'"' | b'\\' => diff.extend_from_slice(&[b'\\', *byte]),
            b'\t' => diff.extend_from_slice(b"\\t"),
            b'\n' => diff.extend_from_slice(b"\\n"),
            b'\r' => diff.extend_from_slice(b"\\r"),
            byte if is_plain(byte) => diff.push(*byte),
            byte => diff.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        }
    }
    diff.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::{count_newlines, lines_with_ends};

    fn hunks_of(old: &[u8], edits: Vec<Edit>) -> Vec<Hunk<'static>> {
        let edits = EditSet::new(edits).expect("disjoint");
        let line = |edit: &Edit| 1 + count_newlines(&old[..edit.span.start() as usize]);
        let first_lines: Vec<u64> = edits.edits().iter().map(line).collect();
        let (edits, first_lines) = (&edits, &first_lines[..]);
        Change { old, edits, first_lines, encoding: Encoding::Utf8 }.hunks()
    }

    #[test]
    fn the_changed_part_of_a_long_line_is_shown_with_its_offset() {
        let old = "\u{e9}".repeat(50_000) + "\n";
        let edits = vec![Edit::new(Span::new(60_000, 60_002), "x")];
        let diff = unified(&hunks_of(old.as_bytes(), edits), b"a", b"b");
        let diff = String::from_utf8(diff).expect("text");
        let around = "\u{e9}".repeat(20);
        let expected = format!(
            "--- a\n+++ b\n@@ -1 +1 @@\n-[100000 bytes, from byte 59960] {around}\u{e9}{around}\n\
             +[99999 bytes, from byte 59960] {around}x{around}\n"
        );
        assert_eq!(diff, expected);
        let hunks = hunks_of(old.as_bytes(), vec![Edit::new(Span::new(0, 0), old.clone())]);
        assert!(unified(&hunks, b"a", b"b").len() < 10_000);
    }

    #[track_caller]
    fn check(old: &str, edits: &[(u64, u64, &str)], expected: &str) {
        let edits = edits
            .iter()
            .map(|(start, end, content)| Edit::new(Span::new(*start, *end), *content))
            .collect();
        let hunks = hunks_of(old.as_bytes(), edits);
        let diff = unified(&hunks, b"a/x", b"b/x");
        let diff = String::from_utf8_lossy(&diff);
        assert_eq!(diff.strip_prefix("--- a/x\n+++ b/x\n").unwrap_or(&diff), expected);
    }

    #[test]
    fn changed_lines_are_shown_with_their_context() {
        check("a\nb\nc\n", &[(2, 3, "B")], "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        check("a\nb\nc\n", &[(2, 4, "")], "@@ -1,3 +1,2 @@\n a\n-b\n c\n");
        check("a\nb\nc\n", &[(2, 2, "x\n")], "@@ -1,3 +1,4 @@\n a\n+x\n b\n c\n");
        check("a\nb\n", &[(1, 2, "")], "@@ -1,2 +1 @@\n-a\n-b\n+ab\n");
        check("a\r\nb\r\n", &[(0, 1, "A")], "@@ -1,2 +1,2 @@\n-a\r\n+A\r\n b\r\n");
        check("1\n2\n3\n4\n5\n6\n", &[(8, 8, "x\n")], "@@ -2,5 +2,6 @@\n 2\n 3\n 4\n+x\n 5\n 6\n");
        check("a\n", &[(0, 1, "a")], "");
        check("a\n", &[], "");
    }

    #[test]
    fn formatted_hunks_are_returned_one_by_one() {
        let old = "@@\n".repeat(20);
        let mut diff = FileDiff::default();
        let edits = vec![Edit::new(Span::new(0, 0), "@"), Edit::new(Span::new(57, 57), "@")];
        hunks_of(old.as_bytes(), edits).iter().for_each(|hunk| diff.add(hunk));
        let hunks: Vec<&[u8]> = diff.each_hunk().collect();
        assert!(hunks.iter().all(|hunk| hunk.starts_with(b"@@ -")) && hunks.len() == 2);
        assert_eq!(hunks.concat(), diff.hunks);
        assert_eq!(FileDiff::default().each_hunk().count(), 0);
    }

    #[test]
    fn empty_sides_have_the_number_of_the_line_before() {
        check("", &[(0, 0, "a\nb\n")], "@@ -0,0 +1,2 @@\n+a\n+b\n");
        check("a\n", &[(0, 2, "")], "@@ -1 +0,0 @@\n-a\n");
    }

    #[test]
    fn a_last_line_without_a_line_ending_is_marked() {
        let none = "\\ No newline at end of file\n";
        check("a", &[(1, 1, "\n")], &format!("@@ -1 +1 @@\n-a\n{none}+a\n"));
        check("a\n", &[(1, 2, "")], &format!("@@ -1 +1 @@\n-a\n+a\n{none}"));
        check("a\nb", &[(0, 1, "A")], &format!("@@ -1,2 +1,2 @@\n-a\n+A\n b\n{none}"));
        check("a\n", &[(2, 2, "b")], &format!("@@ -1 +1,2 @@\n a\n+b\n{none}"));
    }

    #[test]
    fn edits_near_one_another_share_a_hunk() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let near = "@@ -1,9 +1,10 @@\n+x\n 1\n 2\n 3\n 4\n 5\n 6\n-7\n+y\n 8\n 9\n";
        check(old, &[(0, 0, "x\n"), (12, 13, "y")], near);
        let far = "@@ -1,3 +1,4 @@\n+x\n 1\n 2\n 3\n@@ -5,5 +6,5 @@\n 5\n 6\n 7\n-8\n+y\n 9\n";
        check(old, &[(0, 0, "x\n"), (14, 15, "y")], far);
        check("a\n", &[(0, 0, "x"), (0, 0, "y\n"), (0, 1, "")], "@@ -1 +1,2 @@\n-a\n+xy\n+\n");
    }

    /// Applies the hunks of a diff to a document. There is at least one other line between two
    /// hunks.
    fn patched(old: &[u8], hunks: &[Hunk<'_>]) -> Vec<u8> {
        let lines: Vec<&[u8]> = lines_with_ends(old).collect();
        let (mut new, mut at) = (Vec::new(), 0);
        for hunk in hunks {
            let start = hunk.old.start as usize - usize::from(hunk.old.count > 0);
            assert!(start > at || at == 0, "a line between hunks: {hunks:?}");
            new.extend_from_slice(&lines[at..start].concat());
            let first = count_newlines(&new) + u64::from(hunk.new.count > 0);
            assert_eq!(hunk.new.start, first, "{hunks:?}");
            at = start;
            for line in &hunk.lines {
                if line.kind != DiffKind::Added {
                    assert_eq!(line.text, lines[at], "{hunks:?}");
                    at += 1;
                }
                if line.kind != DiffKind::Removed {
                    new.extend_from_slice(&line.text);
                }
            }
            assert_eq!(hunk.old.count, (at - start) as u64, "{hunks:?}");
            let is_context = |line: &&DiffLine<'_>| line.kind == DiffKind::Context;
            let before = hunk.lines.iter().take_while(is_context).count();
            let after = hunk.lines.iter().rev().take_while(is_context).count();
            assert!(before == 3 || before < 3 && start == 0, "{hunks:?}");
            assert!(after == 3 || after < 3 && at == lines.len(), "{hunks:?}");
        }
        new.extend_from_slice(&lines[at..].concat());
        new
    }

    #[test]
    fn hunks_turn_the_old_document_into_the_new_one() {
        // A deterministic generator, so that failures can be reproduced.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |most: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % most
        };
        for _ in 0..3_000 {
            let old: String =
                (0..random(30)).map(|_| ["a\n", "b\n", "cd\n"][random(3) as usize]).collect();
            let mut edits = Vec::new();
            let mut at = 0;
            while at <= old.len() as u64 {
                let end = (at + random(3) * random(8)).min(old.len() as u64);
                let content = ["", "x", "y\n", "a\nz\n", "\n"][random(5) as usize];
                edits.push(Edit::new(Span::new(at, end), content));
                at = end + 1 + random(24);
            }
            let new = EditSet::new(edits.clone()).expect("disjoint").apply(old.as_bytes());
            let hunks = hunks_of(old.as_bytes(), edits.clone());
            let found = patched(old.as_bytes(), &hunks);
            assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(&new), "{edits:?}");
        }
    }

    #[test]
    fn added_lines_equal_to_the_following_lines_come_first() {
        let old = "x\n".repeat(9);
        check(&old, &[(8, 8, "x\n")], "@@ -2,6 +2,7 @@\n x\n x\n x\n+x\n x\n x\n x\n");
        check(&old, &[(8, 10, "")], "@@ -2,7 +2,6 @@\n x\n x\n x\n-x\n x\n x\n x\n");
    }

    #[test]
    fn unchanged_lines_of_a_replaced_part_are_context() {
        let old = "a\nb\nc\nd\n";
        check(old, &[(0, 8, "a\nB\nc\nd\n")], "@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n d\n");
        let kept = "1\n2\n3\n4\n5\n6\n7\n";
        let hunks = "@@ -1,4 +1,3 @@\n-x\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-y\n";
        check(&format!("x\n{kept}y\n"), &[(0, 18, kept)], hunks);
    }

    #[test]
    fn a_large_part_is_not_searched() {
        let old: String = (0..30_000).map(|number| format!("{number}\n")).collect();
        let new = old.replace('7', "x");
        let edit = Edit::new(Span::new(0, old.len() as u64), new.as_bytes());
        let hunks = hunks_of(old.as_bytes(), vec![edit]);
        assert_eq!(hunks.len(), 1);
        assert_eq!(hunks[0].old, Side { start: 5, count: 29_996 });
    }

    #[test]
    fn lines_of_utf16_are_not_split() {
        let wide =
            |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        let old = wide("\u{feff}a\n\u{a0a}b\n");
        let edits = EditSet::new(vec![Edit::new(Span::new(8, 10), wide("x"))]).expect("one");
        let encoding = Encoding::Utf16Le;
        let change = Change { old: &old, edits: &edits, first_lines: &[2], encoding };
        let mut hunks = change.hunks();
        hunks.iter_mut().for_each(|hunk| hunk.decode(encoding));
        let diff = unified(&hunks, b"x", b"x");
        let shown = "--- x\n+++ x\n@@ -1,2 +1,2 @@\n \u{feff}a\n-\u{a0a}b\n+\u{a0a}x\n";
        assert_eq!(String::from_utf8_lossy(&diff), shown);
    }

    #[test]
    fn unusual_names_are_quoted() {
        #[track_caller]
        fn check(name: &[u8], expected: &[u8]) {
            let mut quoted = Vec::new();
            push_name(name, &mut quoted);
            assert_eq!(quoted, expected, "{}", quoted.escape_ascii());
        }
        check(b"a/x", b"a/x");
        check("a/é".as_bytes(), "a/é".as_bytes());
        check(b"a/x y", b"a/x y\t");
        check(b"a/\xff\"\n", b"\"a/\\377\\\"\\n\"");
    }
}
