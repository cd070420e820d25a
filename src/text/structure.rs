//! Checks whether edits of a Markdown document change headings or fenced code blocks outside
//! the edited text. Only the surroundings of each edit are compared: from the last top-level
//! heading before it to the first one after it that both documents have, since the text before
//! such a heading does not affect the text after it.

mod front_matter;
pub mod ini;
mod kept;

use std::collections::{HashMap, HashSet};

use self::kept::KeptLines;
use super::edit::{Edit, EditSet};
use super::line_index::LineIndex;
use super::lines::{Block, count_newlines, skip_lines, without_end};
use super::markdown::blocks::{CodeBlock, Dialect, HeadingBlock, Sink};
use super::markdown::front_matter::{Search, search};
use super::markdown::scanner::Scanner;

/// Distance after an edit up to which the documents are compared at first, in bytes.
const REACH: u64 = 8 * 1024;

/// Size in bytes above which no further edits are added to a window.
const WINDOW: u64 = 256 * 1024;

/// Number of bytes after which a difference is accepted although the documents have not agreed
/// again. No paragraph is followed further than this.
const BELIEVED: u64 = 1024 * 1024;

/// Maximum number of bytes to compare after an edit if no heading shows that the documents
/// agree again.
const FOLLOWED: u64 = 32 * 1024 * 1024;

/// A heading, code block or key outside the edits that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What happens to it.
    pub kind: ChangeKind,
    /// What it is, unless its text shows that.
    pub label: Option<&'static str>,
    /// Its line: in the old document if it is lost, otherwise in the new one.
    pub line: u64,
    /// Its first line, such as `## Install` or a fence; for a key its name.
    pub text: Vec<u8>,
}

/// What happens to a heading, code block or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is only in the old document.
    Lost,
    /// It is only in the new document.
    Created,
    /// It moves to another section.
    Moved,
}

/// The changes that edits cause to headings and fenced code blocks outside of them, ordered by
/// line, lost ones first. `lines` is the index of `bytes`.
pub fn changes(bytes: &[u8], lines: &LineIndex, edits: &EditSet, dialect: Dialect) -> Vec<Change> {
    let edits = edits.edits();
    let start = Rest { offset: lines.start_of(bytes, 1), lines: 0 };
    let (body, opening_end) = match search(&bytes[start.offset as usize..], true, false) {
        Search::Found(found) => {
            let offset = start.offset + found.length as u64;
            (Rest { offset, lines: found.lines.end() }, offset)
        }
        Search::Absent(end) => (start, start.offset + end as u64),
        Search::Open => (start, start.offset),
    };
    let check = Check { bytes, lines, edits, dialect, start, opening_end, body };
    let mut found = check.front_matter();
    if found.is_empty() && !edits.iter().all(|edit| check.is_plain(edit)) {
        found = check.compare(&check.rests());
        found.sort_by_key(|change| (change.kind == ChangeKind::Created, change.line));
    }
    found
}

/// A place from which the preceding text has no effect: the start of the document or a
/// top-level heading.
#[derive(Clone, Copy, Debug)]
struct Rest {
    offset: u64,
    /// Number of lines before it.
    lines: u64,
}

struct Check<'a> {
    bytes: &'a [u8],
    lines: &'a LineIndex,
    edits: &'a [Edit],
    dialect: Dialect,
    /// The start of the text.
    start: Rest,
    /// Edits after this offset neither create nor end front matter.
    opening_end: u64,
    /// The end of the front matter.
    body: Rest,
}

impl<'a> Check<'a> {
    /// Changes that edits within the front matter cause to the rest of it.
    fn front_matter(&self) -> Vec<Change> {
        if self.edits.first().is_none_or(|edit| edit.span.start() > self.opening_end) {
            return Vec::new();
        }
        let mut reach = REACH;
        loop {
            let (last, window) = self.window(0, self.start, reach);
            if let Some(found) = front_matter::changes(&window, &self.edits[..=last]) {
                return found;
            }
            reach = reach.saturating_mul(8);
        }
    }

    /// Whether an edit replaces letters by letters in a line that begins with a letter and contains
    /// no `>`. It cannot change the block structure, since no marker that begins or ends a block or
    /// a link definition is added or removed.
    fn is_plain(&self, edit: &Edit) -> bool {
        const LINE: usize = 4096;
        let (start, end) = (edit.span.start() as usize, edit.span.end() as usize);
        let letters = |bytes: &[u8]| {
            !bytes.is_empty()
                && bytes.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte >= 0x80)
        };
        let is_long = end - start > LINE;
        // In MDX, words such as `import` begin blocks.
        let may_begin = self.dialect == Dialect::Mdx || edit.span.start() < self.opening_end;
        if may_begin || is_long || !letters(&edit.content) {
            return false;
        }
        let from = start.saturating_sub(LINE).max(self.start.offset as usize);
        let until = (end + LINE).min(self.bytes.len());
        let first = memchr::memrchr(b'\n', &self.bytes[from..start]).map(|at| from + at + 1);
        let last = memchr::memchr(b'\n', &self.bytes[end..until]).map(|at| end + at);
        let (Some(first), Some(last)) = (first, last) else { return false };
        let (before, old) = (&self.bytes[first..start], &self.bytes[start..end]);
        let letter = |text: &[u8]| text.first().is_some_and(u8::is_ascii_alphabetic);
        let begun = match before.trim_ascii_start() {
            [] => letter(old) && letter(&edit.content),
            before => letter(before),
        };
        begun && letters(old) && !self.bytes[first..last].contains(&b'>')
    }

    /// For each edit the last rest before the line on which it begins.
    fn rests(&self) -> Vec<Rest> {
        let mut rest = self.body;
        let mut scanner = Scanner::after(rest.lines).in_dialect(self.dialect);
        let mut at = rest.offset;
        let rests = self.edits.iter().map(|edit| {
            let start = edit.span.start();
            if start <= self.opening_end {
                return self.start;
            }
            let line = self.lines.start_of(self.bytes, self.lines.line_of(self.bytes, start));
            if at < line {
                let mut sink = Rests(None);
                scanner.scan(&Block::new(&self.bytes[at as usize..line as usize], at), &mut sink);
                if let Some(lines) = sink.0 {
                    rest = Rest { offset: self.lines.start_of(self.bytes, lines + 1), lines };
                }
                at = line;
            }
            rest
        });
        rests.collect()
    }

    /// The end of the line that contains an offset.
    fn line_end(&self, offset: u64) -> u64 {
        let rest = self.bytes.get(offset as usize..).unwrap_or_default();
        let feed = memchr::memchr(b'\n', rest);
        feed.map_or(self.bytes.len() as u64, |feed| offset + feed as u64 + 1)
    }

    fn compare(&self, rests: &[Rest]) -> Vec<Change> {
        let edits = self.edits;
        let mut found = Vec::new();
        // Lines added minus lines removed, before the window.
        let mut added = 0i64;
        let mut next = 0;
        // The point at which the documents agreed after the edits so far.
        let mut agreed = self.start;
        while let Some(rest) = rests.get(next) {
            let rest = if rest.offset < agreed.offset { agreed } else { *rest };
            let mut reach = REACH;
            loop {
                let (last, window) = self.window(next, rest, reach);
                let old_first = rest.lines;
                let new_first = (rest.lines as i64 + added).max(0) as u64;
                let at_start = rest.offset == self.start.offset;
                let facts = |text| facts(text, at_start, window.at_end, self.dialect);
                let (Some(old), Some(new)) = (facts(window.old), facts(&window.new)) else {
                    reach = reach.saturating_mul(8);
                    continue;
                };
                let lines = KeptLines::of(window.old, window.offset, &edits[next..=last]);
                let resumed = resumed(&old, &new, &lines, window.begins_behind(&edits[next]));
                let until = resumed.unwrap_or((u64::MAX, u64::MAX));
                let first = (old_first, new_first);
                let mut here = differences(&old, &new, &lines, until, first);
                let believed = !here.is_empty() && window.old.len() as u64 > BELIEVED;
                if resumed.is_some() || window.at_end || believed {
                    window.name_headings(&mut here, at_start, first);
                    found.append(&mut here);
                }
                if let Some((old_line, new_line)) = resumed {
                    agreed =
                        Rest { offset: window.start_of(old_line), lines: old_first + old_line - 1 };
                    added = (new_first + new_line) as i64 - (old_first + old_line) as i64;
                    next = edits.partition_point(|edit| edit.span.start() <= agreed.offset);
                    break;
                }
                if window.at_end || believed {
                    return found;
                }
                let is_all = |next: &Edit| next.span.start() > window.end().saturating_add(REACH);
                if reach >= FOLLOWED && edits.get(last + 1).is_none_or(is_all) {
                    // Treated as equal; the next comparison begins after it.
                    let end = window.end();
                    let count = |bytes: &[u8]| count_newlines(bytes) as i64;
                    added += count(&window.new) - count(window.old);
                    next = last + 1;
                    while rests.get(next).is_some_and(|rest| rest.offset < end) {
                        next += 1;
                    }
                    break;
                }
                reach = reach.saturating_mul(8);
            }
        }
        found
    }

    /// The window from a rest to `reach` bytes after the edit `first`, and the last edit in it.
    /// Edits that follow closely are included, up to a maximum size.
    fn window(&self, first: usize, rest: Rest, reach: u64) -> (usize, Window<'a>) {
        let limit = rest.offset.saturating_add(WINDOW.max(reach));
        let mut last = first;
        let mut end = self.line_end(self.edits[first].span.end().saturating_add(reach));
        while let Some(edit) = self.edits.get(last + 1) {
            let (start, more) = match end < limit {
                true => (edit.span.start(), reach),
                false => (edit.span.start() + 1, 0),
            };
            if start > end {
                break;
            }
            last += 1;
            if more > 0 || edit.span.end() > end {
                end = end.max(self.line_end(edit.span.end().saturating_add(more)));
            }
        }
        let old = &self.bytes[rest.offset as usize..end as usize];
        let mut new = Vec::with_capacity(old.len());
        let mut at = 0;
        for edit in &self.edits[first..=last] {
            new.extend_from_slice(&old[at..(edit.span.start() - rest.offset) as usize]);
            new.extend_from_slice(&edit.content);
            at = (edit.span.end() - rest.offset) as usize;
        }
        new.extend_from_slice(&old[at..]);
        let at_end = end == self.bytes.len() as u64;
        (last, Window { offset: rest.offset, old, new, at_end, dialect: self.dialect })
    }
}

/// A part of the document before and after its edits.
struct Window<'a> {
    offset: u64,
    old: &'a [u8],
    new: Vec<u8>,
    at_end: bool,
    dialect: Dialect,
}

impl Window<'_> {
    /// The offset at which `old` ends.
    fn end(&self) -> u64 {
        self.offset + self.old.len() as u64
    }

    /// Sets the texts of changes that are headings; `first` are the numbers of lines before the
    /// window.
    fn name_headings(&self, found: &mut [Change], at_start: bool, first: (u64, u64)) {
        let sides =
            [(ChangeKind::Lost, self.old, first.0), (ChangeKind::Created, &self.new[..], first.1)];
        for (kind, text, first) in sides {
            let own = found.iter_mut().filter(|one| one.kind == kind && one.text.is_empty());
            let wanted: HashMap<u64, &mut Change> =
                own.map(|change| (change.line - first, change)).collect();
            if !wanted.is_empty() {
                // The window was scanned before, so it does not end inside front matter.
                let sink = &mut Texts { wanted };
                let _ = scan(text, (at_start, self.at_end), self.dialect, sink);
            }
        }
    }

    /// The offset of a line of `old`, by its number from 1.
    fn start_of(&self, line: u64) -> u64 {
        self.offset + skip_lines(self.old, line - 1).unwrap_or(self.old.len()) as u64
    }

    /// The number of the first line of `old`, from 1, that begins after an edit.
    fn begins_behind(&self, edit: &Edit) -> u64 {
        match (edit.span.end() - self.offset) as usize {
            0 => 1,
            end => count_newlines(&self.old[..end - 1]) + 2,
        }
    }
}

/// A sink that remembers the last line of the last top-level heading.
struct Rests(Option<u64>);

impl Sink for Rests {
    fn heading(&mut self, heading: HeadingBlock<'_>) {
        if heading.depth == 0 {
            self.0 = Some(heading.last_line);
        }
    }
}

/// Headings and fenced code blocks of a window; lines are counted from 1 within it.
#[derive(Default)]
struct Facts {
    headings: Vec<Heading>,
    codes: Vec<Code>,
}

/// A heading without its text: there may be many, and few are reported.
struct Heading {
    line: u64,
    /// Number of containers around it.
    depth: u32,
    level: u8,
}

struct Code {
    start: u64,
    end: u64,
    closed: bool,
    text: Vec<u8>,
}

/// A code block by its lines in the new document; `None` for lines that edits inserted or
/// removed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CodePlace {
    start: Option<u64>,
    end: CodeEnd,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum CodeEnd {
    /// It ends with a fence that no edit touches.
    Fence(u64),
    /// It ends with lines that an edit touches.
    Edited,
    /// It ends with its container or the document, after the edited text.
    Open,
}

impl CodePlace {
    fn new(code: &Code, kept: impl Fn(u64) -> Option<u64>) -> Self {
        let start = kept(code.start);
        let end = match (kept(code.end), code.closed) {
            (Some(end), true) => CodeEnd::Fence(end),
            (None, true) => CodeEnd::Edited,
            // If it was unclosed before, it extends over whatever follows.
            (None, false) if start.is_none() => CodeEnd::Edited,
            (_, false) => CodeEnd::Open,
        };
        Self { start, end }
    }

    /// Whether all of it was inserted or removed by edits.
    fn is_edited(self) -> bool {
        self.start.is_none() && self.end == CodeEnd::Edited
    }
}

impl Sink for Facts {
    fn heading(&mut self, heading: HeadingBlock<'_>) {
        let depth = u32::try_from(heading.depth).unwrap_or(u32::MAX);
        self.headings.push(Heading { line: heading.line, depth, level: heading.level });
    }

    fn code(&mut self, code: CodeBlock<'_>) {
        let Some(info) = code.info else { return };
        let text = [b"```", info.trim_ascii()].concat();
        let (start, end) = (code.start_line, code.end_line);
        self.codes.push(Code { start, end, closed: code.closed, text });
    }
}

impl Facts {
    /// The heading that begins on a line.
    fn heading_at(&self, line: u64) -> Option<&Heading> {
        let at = self.headings.binary_search_by_key(&line, |heading| heading.line);
        at.ok().map(|at| &self.headings[at])
    }
}

/// A sink that sets the texts of changes that are headings.
struct Texts<'a> {
    /// The changes by their lines in the window.
    wanted: HashMap<u64, &'a mut Change>,
}

impl Sink for Texts<'_> {
    fn heading(&mut self, heading: HeadingBlock<'_>) {
        let Some(change) = self.wanted.get_mut(&heading.line) else { return };
        change.text = vec![b'#'; usize::from(heading.level)];
        change.text.push(b' ');
        change.text.extend_from_slice(without_end(heading.content).trim_ascii());
    }
}

/// The facts of a window; `None` if it may end inside front matter.
fn facts(text: &[u8], at_start: bool, at_end: bool, dialect: Dialect) -> Option<Facts> {
    let mut facts = Facts::default();
    scan(text, (at_start, at_end), dialect, &mut facts)?;
    debug_assert!(facts.headings.is_sorted_by_key(|heading| heading.line), "in order");
    Some(facts)
}

/// Scans a window; `None` if it may end inside front matter.
fn scan(
    text: &[u8],
    (at_start, at_end): (bool, bool),
    dialect: Dialect,
    sink: &mut impl Sink,
) -> Option<()> {
    let (mut lines, mut length) = (0, 0);
    if at_start {
        match search(text, at_end, false) {
            Search::Found(found) => (lines, length) = (found.lines.end(), found.length),
            Search::Absent(_) => {}
            Search::Open => return None,
        }
    }
    let mut scanner = Scanner::after(lines).in_dialect(dialect);
    scanner.scan(&Block::new(&text[length..], length as u64), sink);
    if at_end {
        scanner.finish(sink);
    }
    Some(())
}

/// The lines, old and new, of the last top-level heading from a line on that both documents
/// have. Edits may be inside it: only its beginning must be equal.
fn resumed(old: &Facts, new: &Facts, lines: &KeptLines, from: u64) -> Option<(u64, u64)> {
    let is_there = |line: u64, level: u8| {
        new.heading_at(line).is_some_and(|other| (other.depth, other.level) == (0, level))
    };
    let free = old.headings.iter().rev().filter(|heading| heading.depth == 0);
    free.take_while(|heading| heading.line >= from)
        .filter_map(|heading| Some((heading, lines.begun_of(heading.line)?)))
        .find(|(heading, line)| is_there(*line, heading.level))
        .map(|(heading, line)| (heading.line, line))
}

/// The differences up to a heading that both documents have; `first` are the numbers of lines
/// before the windows. Headings have no texts yet.
fn differences(
    old: &Facts,
    new: &Facts,
    lines: &KeptLines,
    until: (u64, u64),
    first: (u64, u64),
) -> Vec<Change> {
    let mut found = Vec::new();
    let mut tell = |kind, line, text: &[u8]| {
        found.push(Change { kind, label: None, line, text: text.to_vec() });
    };
    let form = |heading: &Heading| (heading.level, heading.depth);
    for heading in old.headings.iter().filter(|heading| heading.line <= until.0) {
        if let Some(line) = lines.new_of(heading.line)
            && new.heading_at(line).map(form) != Some(form(heading))
        {
            tell(ChangeKind::Lost, first.0 + heading.line, b"");
        }
    }
    // Code blocks by their lines in the new document, for lines that are not new.
    let places = |codes: &[Code], kept: &dyn Fn(u64) -> Option<u64>| -> Vec<CodePlace> {
        codes.iter().map(|code| CodePlace::new(code, kept)).collect()
    };
    let old_codes = places(&old.codes, &|line| lines.new_of(line));
    let new_codes = places(&new.codes, &|line| lines.old_of(line).map(|_| line));
    let old_set: HashSet<CodePlace> = old_codes.iter().copied().collect();
    let new_set: HashSet<CodePlace> = new_codes.iter().copied().collect();
    for (code, place) in old.codes.iter().zip(&old_codes) {
        if code.start <= until.0 && !place.is_edited() && !new_set.contains(place) {
            tell(ChangeKind::Lost, first.0 + code.start, &code.text);
        }
    }
    for heading in new.headings.iter().filter(|heading| heading.line <= until.1) {
        if let Some(line) = lines.old_of(heading.line)
            && old.heading_at(line).map(form) != Some(form(heading))
        {
            tell(ChangeKind::Created, first.1 + heading.line, b"");
        }
    }
    for (code, place) in new.codes.iter().zip(&new_codes) {
        if code.start <= until.1 && !place.is_edited() && !old_set.contains(place) {
            tell(ChangeKind::Created, first.1 + code.start, &code.text);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::span::Span;

    fn changes_of(old: &str, edits: Vec<Edit>) -> Vec<Change> {
        let set = EditSet::new(edits).expect("disjoint");
        changes(old.as_bytes(), &LineIndex::new(old.as_bytes(), 0), &set, Dialect::Github)
    }

    fn found(old: &str, edits: Vec<Edit>) -> Vec<String> {
        let shown = |change: &Change| {
            let sign = if change.kind == ChangeKind::Lost { '-' } else { '+' };
            format!("{sign}{} {}", change.line, String::from_utf8_lossy(&change.text))
        };
        changes_of(old, edits).iter().map(shown).collect()
    }

    /// Replaces the first occurrence of `part` in `old` by `new`.
    #[track_caller]
    fn check(old: &str, part: &str, new: &str, expected: &[&str]) {
        let padding = format!("{}\n# P\n", "plain text\n".repeat(10_000));
        let lines = count_newlines(padding.as_bytes());
        for padded in [false, true] {
            let before = if padded { padding.as_str() } else { "" };
            let text = format!("{before}{old}");
            let start = before.len() + old.find(part).expect("there");
            let span = Span::new(start as u64, (start + part.len()) as u64);
            let found = found(&text, vec![Edit::new(span, new)]);
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
    fn edits_of_what_they_name_are_no_change() {
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
        assert_eq!(found(old, appended), ["+2 ## text"]);
        let old = "# A\ntext";
        let appended = vec![Edit::new(Span::new(8, 8), "\n===")];
        assert_eq!(found(old, appended), ["+2 # text"]);
    }

    #[test]
    fn a_fence_that_is_not_closed_swallows_the_rest() {
        check("# A\nx\n# B\n", "x", "```", &["-3 # B", "+2 ```"]);
        check("# A\n```\nx\n```\n# B\n", "x\n```\n", "x\n", &["-2 ```", "-5 # B", "+2 ```"]);
        check("# A\nx\n# B\n", "x", "<!--", &["-3 # B"]);
        check("# A\nx\n\n  # B\n", "x", "- y", &["-4 # B", "+4 # B"]);
    }

    #[test]
    fn a_lost_underline_loses_its_heading() {
        check("A\n---\n\ntext\n", "---\n", "", &["-1 ## A"]);
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
        assert_eq!(found(&old, edits), ["-20006 # Z", "+20007 ```"]);
    }

    #[test]
    fn of_many_edits_only_a_few_are_compared_at_once() {
        let section = "# A\n\nx\n\n  # B\n\n";
        let text = section.repeat(40_000);
        let edits = (0..40_000).map(|number| {
            let start = (number * section.len() + 5) as u64;
            let content = if number % 10_000 == 77 { "- y" } else { "*x*\n" };
            Edit::new(Span::new(start, start + 1), content)
        });
        let found = changes_of(&text, edits.collect());
        let old = [77, 10_077, 20_077, 30_077].map(|number| number * 6 + 5);
        let told: Vec<(ChangeKind, u64)> = found.iter().map(|one| (one.kind, one.line)).collect();
        // Each section before it has gained a line, except the sections like it.
        let new = old.into_iter().zip(0..).map(|(line, others)| line + (line - 5) / 6 - others);
        let lost = old.map(|line| (ChangeKind::Lost, line)).into_iter();
        let created = new.map(|line| (ChangeKind::Created, line));
        assert_eq!(told, lost.chain(created).collect::<Vec<_>>());
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
        let found = found(&old, edits);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with(&format!("+{} # plain", first - 1001)), "{}", &found[0][..20]);
    }

    #[test]
    fn a_fence_far_before_the_next_heading_is_followed() {
        let old = format!("# A\n\nx\n\n{}# B\n", "plain text\n\n".repeat(200_000));
        let at = old.find("x\n").expect("there") as u64;
        let edits = vec![Edit::new(Span::new(at, at + 1), "```")];
        assert_eq!(found(&old, edits), ["-400005 # B", "+3 ```"]);
    }

    #[test]
    fn front_matter_is_taken_off() {
        check("---\ntitle: x\n---\n# A\n", "title", "name", &[]);
        let old = "---\ntitle: x\n---\n# A\n";
        let edits = vec![Edit::new(Span::new(0, 4), "")];
        assert_eq!(found(old, edits), ["-2 title", "-3 ---"]);
    }
}
