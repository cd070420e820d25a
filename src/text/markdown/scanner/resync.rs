//! Finds resync points: places in the middle of a document where a scan may begin, without
//! scanning everything before them.
//!
//! An unindented heading after a blank line begins a section regardless of open lists and
//! quotes, unless a fenced code block is open outside of them, or an HTML block that blank
//! lines do not end. The openers of these blocks are searched for. Passages that need the whole
//! specification are scanned, from the last place where nothing was open to the next one.

use memchr::memmem::Finder;
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{MatchKind, Span};

use super::starts::{PLAIN, atx, fence};
use super::{Leaf, Scanner, is_space_or_tab};
use crate::text::lines::{Block, count_newlines, without_end};
use crate::text::markdown::blocks::{HeadingBlock, Sink};
use crate::text::markdown::front_matter::Opening;
use crate::text::markdown::html;
use crate::text::sections::is_log_entry;

/// The text with which blocks begin that blank lines do not end, and log entries.
const OPENERS: [&str; 11] = ["```", "~~~", "<!", "<?", "<s", "<S", "<p", "<P", "<t", "<T", "[LOG-"];

/// Maximum number of bytes to keep from earlier parts, in which nothing is open.
const MAX_TAIL: usize = 64 * 1024;

/// If there is an opener at least every so many bytes, the search is not worthwhile. Checked
/// once enough bytes have been searched.
const DENSE_BYTES: u64 = 128;
const DENSE_AFTER: u64 = 512 * 1024;

/// A place where a scan may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Offset of a heading in the file.
    pub offset: u64,
    /// Number of lines before it.
    pub lines: u64,
}

/// Searches a document, from its start, for resync points.
#[derive(Debug)]
pub struct ResyncSearch {
    state: State,
    openers: Option<Prefilter>,
    finders: Finders,
    /// Text of earlier parts since the last place where nothing was open, as long as none of the
    /// searched blocks is open.
    tail: Vec<u8>,
    /// Offset of the last line that is certain to be a heading.
    heading: Option<u64>,
    /// Number of lines from there on.
    lines_since: u64,
    is_lost: bool,
    /// The front matter, until its end is known.
    opening: Option<Opening>,
    /// Number of bytes searched.
    bytes: u64,
    /// Number of openers examined.
    steps: u64,
    /// Ranges of the current part in which none of the searched blocks is open.
    clear: Vec<Stretch>,
}

/// Precompiled substring searches.
#[derive(Debug)]
struct Finders {
    backticks: Finder<'static>,
    tildes: Finder<'static>,
    blank_line: Finder<'static>,
}

impl Finders {
    fn new() -> Self {
        Self {
            backticks: Finder::new("```"),
            tildes: Finder::new("~~~"),
            blank_line: Finder::new("\n\n"),
        }
    }

    fn fence(&self, byte: u8) -> &Finder<'static> {
        if byte == b'`' { &self.backticks } else { &self.tildes }
    }
}

#[derive(Debug)]
enum State {
    Clear,
    Fence { byte: u8, length: usize },
    Scan(Box<Scanner>),
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: usize,
    to: usize,
    /// Whether nothing at all is open at its start.
    is_clean: bool,
}

impl Default for ResyncSearch {
    fn default() -> Self {
        Self::new()
    }
}

impl ResyncSearch {
    /// Creates a search at the start of a document.
    pub fn new() -> Self {
        let openers = Prefilter::new(MatchKind::LeftmostFirst, &OPENERS);
        Self {
            state: State::Clear,
            is_lost: openers.is_none(),
            openers,
            finders: Finders::new(),
            tail: Vec::new(),
            heading: None,
            lines_since: 0,
            opening: Some(Opening::default()),
            bytes: 0,
            steps: 0,
            clear: Vec::new(),
        }
    }

    /// The last resync point found, if the document so far has `lines` lines.
    pub fn mark(&self, lines: u64) -> Option<Mark> {
        self.heading.map(|offset| Mark { offset, lines: lines - self.lines_since })
    }

    /// Whether the document contains something that a scan from a resync point would miss: a log
    /// entry, which may contain headings, or a line that is split into several blocks.
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Whether there are so many openers that scanning everything is cheaper.
    pub fn is_dense(&self) -> bool {
        self.bytes > DENSE_AFTER && self.steps * DENSE_BYTES > self.bytes
    }

    /// Searches the next lines.
    pub fn push(&mut self, block: &Block<'_>) {
        self.is_lost |= block.continues;
        if self.is_lost || block.bytes.is_empty() {
            return;
        }
        let Some(mut opening) = self.opening.take() else {
            self.search(block);
            return;
        };
        match opening.take(Some(block), false) {
            None => self.opening = Some(opening),
            Some((_, rest)) => self.search(&rest),
        }
    }

    fn search(&mut self, block: &Block<'_>) {
        let (bytes, offset) = (block.bytes, block.offset);
        self.bytes += bytes.len() as u64;
        self.clear.clear();
        self.go_through(bytes);
        let heading = self.clear.iter().rev().find_map(|stretch| last_heading(bytes, *stretch));
        if let Some(at) = heading {
            self.heading = Some(offset + at as u64);
            self.lines_since = count_newlines(&bytes[at..]);
        } else if self.heading.is_some() {
            self.lines_since += count_newlines(bytes);
        }
    }

    fn go_through(&mut self, bytes: &[u8]) {
        let mut at = 0;
        let mut stretch = Stretch { from: 0, to: 0, is_clean: self.tail.is_empty() };
        // The scan must reach at least this offset.
        let mut least = 0;
        // The amount to scan at once grows while a block stays open.
        let mut piece = 0;
        while at < bytes.len() && !self.is_lost {
            self.steps += 1;
            match &mut self.state {
                State::Clear => {
                    let Some(opener) = self.next_opener(bytes, at, stretch) else {
                        at = bytes.len();
                        break;
                    };
                    self.clear.push(Stretch { to: opener.from, ..stretch });
                    (at, least) = (opener.from, opener.end);
                    if let Some((byte, length)) = opener.fence {
                        self.state = State::Fence { byte, length };
                        at = opener.end;
                    } else {
                        let mut scanner = Box::new(Scanner::new());
                        if opener.with_tail {
                            self.is_lost |= scan(&mut scanner, &self.tail);
                        }
                        self.state = State::Scan(scanner);
                        piece = least.saturating_sub(at + 1);
                    }
                    self.tail.clear();
                }
                State::Fence { byte, length } => {
                    let finder = self.finders.fence(*byte);
                    let Some(end) = fence_end(bytes, at, *byte, *length, finder) else { return };
                    at = end;
                    stretch = Stretch { from: at, to: at, is_clean: true };
                    self.state = State::Clear;
                }
                State::Scan(scanner) => {
                    let from = (at + piece).min(bytes.len());
                    let blank = self.finders.blank_line.find(&bytes[from..]);
                    let end = blank.map_or(bytes.len(), |blank| from + blank + 2);
                    piece = (2 * piece).clamp(64, MAX_TAIL);
                    self.is_lost |= scan(scanner, &bytes[at..end]);
                    at = end;
                    if at < least || !scanner.containers.is_empty() {
                        continue;
                    }
                    if let Some(state) = state_after(scanner) {
                        self.state = state;
                        stretch = Stretch { from: at, to: at, is_clean: true };
                    }
                }
            }
        }
        if matches!(self.state, State::Clear) && !self.is_lost {
            stretch.to = at;
            self.clear.push(stretch);
            self.keep_tail(bytes, stretch);
        }
    }

    /// Keeps the text after the last place where nothing was open.
    fn keep_tail(&mut self, bytes: &[u8], stretch: Stretch) {
        let from = clean_point(bytes, stretch, stretch.to);
        if from.is_some() {
            self.tail.clear();
        }
        self.tail.extend_from_slice(&bytes[from.unwrap_or(stretch.from)..stretch.to]);
        if self.tail.len() > MAX_TAIL {
            let mut scanner = Box::new(Scanner::new());
            self.is_lost |= scan(&mut scanner, &self.tail);
            self.tail.clear();
            self.state = State::Scan(scanner);
        }
    }

    fn next_opener(&mut self, bytes: &[u8], from: usize, stretch: Stretch) -> Option<Opener> {
        let mut at = from;
        while at < bytes.len() {
            let openers = self.openers.as_ref()?;
            let hit = openers.find(bytes, Span::from(at..bytes.len()))?.start;
            self.steps += 1;
            let start = memchr::memrchr(b'\n', &bytes[stretch.from..hit])
                .map_or(stretch.from, |end| stretch.from + end + 1);
            let end = memchr::memchr(b'\n', &bytes[hit..]).map_or(bytes.len(), |end| hit + end + 1);
            at = end;
            let before = &bytes[start..hit];
            let may_open = |byte: &u8| b" \t>*+-.)0123456789".contains(byte);
            if !before.iter().all(may_open) {
                continue;
            }
            let line = without_end(&bytes[hit..end]);
            let mut found = None;
            let mut clean = None;
            match line[0] {
                b'[' => {
                    self.is_lost |= before.is_empty();
                    continue;
                }
                b'<' => match html::start(line, true) {
                    Some(kind) if !kind.ends_at_blank() => {}
                    _ => continue,
                },
                byte => {
                    let Some((length, _)) = fence(line) else { continue };
                    let is_first = start == stretch.from && stretch.is_clean;
                    if before.is_empty() && (is_first || is_after_blank(bytes, start)) {
                        found = Some((byte, length));
                    } else if let Some(from) = clean_point(bytes, stretch, start) {
                        // If it is not text, it can only be HTML.
                        let is_sure = before.is_empty()
                            && memchr::memchr(b'<', &bytes[from..start]).is_none();
                        found = is_sure.then_some((byte, length));
                        clean = Some(from);
                    }
                }
            }
            if found.is_some() {
                return Some(Opener { from: start, end, fence: found, with_tail: false });
            }
            let clean = clean.or_else(|| clean_point(bytes, stretch, start));
            let from = clean.unwrap_or(stretch.from);
            return Some(Opener { from, end, fence: None, with_tail: clean.is_none() });
        }
        None
    }
}

/// The state of the search after a scan has reached the end of all containers.
fn state_after(scanner: &Scanner) -> Option<State> {
    match scanner.leaf {
        Leaf::None | Leaf::Indented => Some(State::Clear),
        Leaf::Fenced => {
            Some(State::Fence { byte: scanner.fence.byte, length: scanner.fence.length })
        }
        Leaf::Paragraph | Leaf::Table | Leaf::Html(_) | Leaf::Mdx => None,
    }
}

/// A line that may open one of the searched blocks.
struct Opener {
    /// Offset of the line, or of the last place before it where nothing is open.
    from: usize,
    /// Offset of the end of the line.
    end: usize,
    /// Byte and length of its fence, if it is certain to be one.
    fence: Option<(u8, usize)>,
    /// Whether the text kept from before the current part must be scanned too.
    with_tail: bool,
}

/// Scans lines; returns whether one of them is a log entry.
fn scan(scanner: &mut Scanner, bytes: &[u8]) -> bool {
    struct Entries(bool);
    impl Sink for Entries {
        fn heading(&mut self, _: HeadingBlock<'_>) {}
        fn bracket_line(&mut self, _: u64, bytes: &[u8], _: u64) {
            self.0 |= is_log_entry(bytes);
        }
    }
    let mut entries = Entries(false);
    scanner.scan(&Block::new(bytes, 0), &mut entries);
    entries.0
}

/// The end of the line that closes a fence in text outside all containers.
fn fence_end(
    bytes: &[u8],
    from: usize,
    byte: u8,
    length: usize,
    finder: &Finder<'_>,
) -> Option<usize> {
    let mut at = from;
    loop {
        let hit = at + finder.find(&bytes[at..])?;
        let start = memchr::memrchr(b'\n', &bytes[at..hit]).map_or(at, |end| at + end + 1);
        let end = memchr::memchr(b'\n', &bytes[hit..]).map_or(bytes.len(), |end| hit + end + 1);
        let line = without_end(&bytes[hit..end]);
        let run = line.iter().take_while(|&&other| other == byte).count();
        let is_indented = hit - start > 3 || bytes[start..hit].iter().any(|&byte| byte != b' ');
        let is_end = run >= length && line[run..].iter().all(|&byte| is_space_or_tab(byte));
        if is_end && !is_indented {
            return Some(end);
        }
        at = end;
    }
}

/// Whether the line that begins at `start` follows an empty line.
fn is_after_blank(bytes: &[u8], start: usize) -> bool {
    let before = &bytes[..start];
    before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n")
}

/// The last offset up to `end` at which nothing is open: an unindented line after a blank one.
fn clean_point(bytes: &[u8], stretch: Stretch, end: usize) -> Option<usize> {
    let mut at = end;
    while at > stretch.from {
        let is_text = bytes.get(at).is_some_and(|&byte| PLAIN[usize::from(byte)] || byte == b'#');
        if is_text && is_after_blank(bytes, at) {
            return Some(at);
        }
        at = memchr::memrchr(b'\n', &bytes[stretch.from..at - 1])
            .map_or(stretch.from, |line_end| stretch.from + line_end + 1);
    }
    stretch.is_clean.then_some(stretch.from)
}

/// The offset of the last line in a stretch that is certain to be a heading.
fn last_heading(bytes: &[u8], stretch: Stretch) -> Option<usize> {
    let Stretch { from, to, is_clean } = stretch;
    let mut end = to;
    while let Some(found) = memchr::memrchr(b'#', &bytes[from..end]) {
        let at = from + found;
        let is_sure = if at == from { is_clean } else { is_after_blank(bytes, at) };
        if is_sure {
            let line_end =
                memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
            if atx(without_end(&bytes[at..line_end])).is_some() {
                return Some(at);
            }
        }
        end = at;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::format::Format;
    use crate::text::outline::{Outline, OutlineBuilder, Wants};

    fn wants() -> Wants {
        Wants { nameless: true, ..Wants::default() }
    }

    type Facts = (u64, u64, Option<u8>, bool);

    fn facts(outline: &Outline) -> Vec<Facts> {
        let facts = |section: &crate::text::outline::Section| {
            let lines = section.lines();
            (lines.start(), lines.end(), section.level(), section.container().is_some())
        };
        outline.sections().iter().map(facts).collect()
    }

    /// Checks that a scan from every resync point found, with blocks of `lines_a_part` lines, has
    /// the same result as a scan from the start. Returns the number of points.
    /// finds what it finds from the start; how many there are.
    fn check(text: &[u8], lines_a_part: usize) -> usize {
        let whole = facts(&Outline::of(text, Format::Markdown, wants()));
        let mut search = ResyncSearch::new();
        let mut lines = text.split_inclusive(|&byte| byte == b'\n');
        let (mut at, mut found) = (0, 0);
        loop {
            let length: usize = lines.by_ref().take(lines_a_part).map(<[u8]>::len).sum();
            if length == 0 {
                return found;
            }
            let before = search.heading;
            search.push(&Block::new(&text[at..at + length], at as u64));
            at += length;
            let Some(mark) = search.mark(count_newlines(&text[..at])) else { continue };
            if before == Some(mark.offset) {
                continue;
            }
            if search.is_lost() {
                return found;
            }
            found += 1;
            let start = mark.offset as usize;
            assert_eq!(count_newlines(&text[..start]), mark.lines);
            let mut builder = OutlineBuilder::after(Format::Markdown, wants(), mark.lines);
            builder.push(&Block::new(&text[start..], mark.offset));
            let from = whole.partition_point(|section| section.0 <= mark.lines);
            let told = || format!("{mark:?} in {}", String::from_utf8_lossy(text));
            assert!(
                whole.get(from).is_some_and(|section| section.0 == mark.lines + 1),
                "{}",
                told()
            );
            assert_eq!(facts(&builder.finish()), whole[from..], "{}", told());
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
    ];

    const CALM: [&str; 9] = ["", "", "", "# A", "## B", "text", "```", "-->", "text"];

    #[test]
    fn scans_may_begin_where_it_says() {
        let mut state = 1_u64;
        let mut below = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % end
        };
        let mut found = 0;
        for round in 0..3_000 {
            let count = 5 + below(60);
            let end = if round % 5 == 0 { "\r\n" } else { "\n" };
            let text: String = (0..count)
                .map(|_| {
                    // Mostly lines that close blocks, or else everything would soon be code.
                    let from = if below(3) == 0 { LINES } else { &CALM[..] };
                    from[below(from.len())].to_owned() + end
                })
                .collect();
            found += check(text.as_bytes(), 1 + below(12));
        }
        assert!(found > 1_000, "{found}");
    }

    #[test]
    fn openers_are_seen_wherever_they_stand() {
        let after = |opener: &str| {
            let text = format!("# A\n\n{opener}\n\n# B\n\n```\n\n# C\n");
            check(text.as_bytes(), 100)
        };
        for opener in LINES {
            after(opener);
        }
        let text = "---\ntitle: x\n---\n\n# A\n\ntext\n\n# B\n\n- a\n\n  ```\n# C\n\n# D\n";
        assert!((1..20).map(|part| check(text.as_bytes(), part)).sum::<usize>() > 20);
    }

    #[test]
    fn log_entries_may_hold_headings() {
        let mut search = ResyncSearch::new();
        search.push(&Block::new(b"# A\n\n[LOG-1] x\n\n## B\n", 0));
        assert!(search.is_lost());
    }
}
