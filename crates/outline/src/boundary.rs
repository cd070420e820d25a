//! Finds the end of a part of a document: checks whether a line is in a code block without parsing
//! everything before it, and finds the section that contains a line.

use crate::outline::{Outline, Section, SectionKind};
use folio_markdown::blocks::{CodeLine, HeadingBlock, Sink};
use folio_markdown::scanner::Scanner;
use folio_text::lines::Block;
use folio_text::pattern::Pattern;
use folio_text::span::LineRange;

/// A section and the section after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionBoundary {
    /// The lines of the section.
    pub lines: LineRange,
    /// Index of the section; `None` for lines before the first one.
    pub section: Option<usize>,
    /// Index of the section that begins directly after this one.
    pub next: Option<usize>,
}

/// Returns the last line before `line` that ends all blocks: the last line of a top-level heading
/// or of the front matter. Returns 0 if there is none.
pub fn last_end_of_blocks(outline: &Outline, line: u64) -> u64 {
    let sections = outline.sections();
    let before = sections.partition_point(|section| section.lines().start() < line);
    let body = outline.front_matter().map(|found| found.lines.end());
    let ends = sections[..before].iter().rev().filter_map(heading_end).chain(body);
    ends.into_iter().find(|end| *end < line).unwrap_or(0)
}

/// Returns the last line of a top-level heading. Returns `None` for other sections.
fn heading_end(section: &Section) -> Option<u64> {
    let is_top = matches!(section.kind(), SectionKind::Heading(_)) && section.container().is_none();
    let end = section.body().map_or(section.lines().end(), |body| body.start() - 1);
    is_top.then_some(end)
}

/// Returns the lines of the innermost section that contains a line. For a line before the first
/// section, returns all lines before that section. Returns `None` if the document has no sections.
pub fn section_around(outline: &Outline, line: u64) -> Option<LineRange> {
    place_at(outline, line).map(|(place, _)| place.lines)
}

/// Returns the innermost section that contains a line, and the last line up to which the result is
/// the same. The lines before the first section are treated as a section without an index. Returns
/// `None` if the document has no sections.
pub fn place_at(outline: &Outline, line: u64) -> Option<(SectionBoundary, u64)> {
    let after = begun_by(outline, line);
    let section = outline.innermost(line);
    let lines = match section {
        Some(index) => outline.sections()[index].lines(),
        None => lines_outside_sections(outline, after)?,
    };
    let next = outline.sections().get(after);
    let last = next.map_or(u64::MAX, |next| next.lines().start() - 1).min(lines.end());
    let next = section_beginning_at(outline, section, lines.end() + 1);
    Some((SectionBoundary { lines, section, next }, last))
}

/// Returns the lines between the sections before the section with an index and that section.
fn lines_outside_sections(outline: &Outline, after: usize) -> Option<LineRange> {
    let sections = outline.sections();
    let outermost = outline.self_and_ancestors(after.checked_sub(1)).last();
    let start = outermost.map_or(1, |index| sections[index].lines().end() + 1);
    match sections.get(after) {
        Some(next) => LineRange::new(start, next.lines().start() - 1),
        None if sections.is_empty() => None,
        None => LineRange::new(start, outline.total_lines()),
    }
}

/// Returns the number of sections that begin at or before a line.
fn begun_by(outline: &Outline, line: u64) -> usize {
    outline.sections().partition_point(|section| section.lines().start() <= line)
}

/// Returns the section that begins at a line. If several sections begin there, returns the one of
/// the same kind as `before`, the section that ends at this line.
fn section_beginning_at(outline: &Outline, before: Option<usize>, line: u64) -> Option<usize> {
    let sections = outline.sections();
    let first = sections.partition_point(|section| section.lines().start() < line);
    let begun =
        sections[first..].iter().take_while(|section| section.lines().start() == line).count();
    let is_heading = |index: usize| sections[index].level().is_some();
    (first..first + begun)
        .find(|&index| before.is_some_and(|before| is_heading(index) == is_heading(before)))
        .or((begun > 0).then_some(first))
}

/// Returns the pattern for lines that begin a section of the same kind: `^## `, `^\[LOG-`, or the
/// pattern in `entry_patterns` that matches. There is none for symbols, and for headings outside of
/// Markdown.
pub fn start_pattern<'a>(
    outline: &Outline,
    section: usize,
    entry_patterns: &'a [Pattern],
) -> Option<&'a str> {
    const HEADINGS: [&str; 6] = ["^# ", "^## ", "^### ", "^#### ", "^##### ", "^###### "];
    Some(match outline.sections()[section].kind() {
        SectionKind::Symbol(_) => return None,
        SectionKind::Heading(_) if outline.format().dialect().is_none() => return None,
        SectionKind::Heading(level) => HEADINGS[usize::from(level.clamp(1, 6)) - 1],
        SectionKind::Marker => r"^\[",
        SectionKind::Entry => {
            let name = outline.name(section);
            let matching = entry_patterns.iter().find(|pattern| pattern.is_match(name));
            let default = outline.format().log_kind().pattern();
            matching.or(entry_patterns.first()).map_or(default, Pattern::expression)
        }
    })
}

/// Whether the last line of `text` is inside a code block of a Markdown document. Fences are not
/// inside.
///
/// With `from_start`, `text` begins at the start of the document. Otherwise it begins at some later
/// line, possibly inside a code block. In that case both possibilities are tried, and the one with
/// fewer contradictory fences is used.
pub fn last_line_is_code(text: &[u8], from_start: bool) -> bool {
    let outside = Reading::scan(b"", text);
    if from_start {
        return outside.last_is_code;
    }
    let inside = Reading::scan(b"```\n", text);
    if inside.contradictions < outside.contradictions {
        inside.last_is_code
    } else {
        outside.last_is_code
    }
}

/// One of two ways to parse a piece of a document.
struct Reading {
    last_is_code: bool,
    /// Number of opening fences with a language that this reading treats as contents of another
    /// block. A high number makes this reading unlikely.
    contradictions: u64,
}

impl Reading {
    fn scan(before: &[u8], text: &[u8]) -> Self {
        struct Counter(u64);
        impl Sink for Counter {
            const CODE_LINES: bool = true;
            fn heading(&mut self, _: HeadingBlock<'_>) {}
            fn code_line(&mut self, line: CodeLine<'_>) {
                if line.is_fence {
                    return;
                }
                let bytes = line.bytes;
                let fence = bytes.strip_prefix(b"```").or_else(|| bytes.strip_prefix(b"~~~"));
                self.0 +=
                    u64::from(fence.and_then(<[u8]>::first).is_some_and(u8::is_ascii_alphabetic));
            }
        }
        let mut counter = Counter(0);
        let mut scanner = Scanner::new();
        let body = text.strip_suffix(b"\n").unwrap_or(text);
        let last = memchr::memrchr(b'\n', body).map_or(0, |at| at + 1);
        scanner.scan(&Block::new(before, 0), &mut counter);
        scanner.scan(&Block::new(&text[..last], 0), &mut counter);
        let fence_before = scanner.in_fence();
        scanner.scan(&Block::new(&text[last..], 0), &mut counter);
        Self {
            last_is_code: (fence_before && scanner.in_fence()) || scanner.in_indented_code(),
            contradictions: counter.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::outline::OutlineOptions;

    #[track_caller]
    fn check(text: &str, from_start: bool, expected: bool) {
        assert_eq!(last_line_is_code(text.as_bytes(), from_start), expected, "{text:?}");
    }

    #[test]
    fn lines_in_code_are_detected() {
        check("```\n# x\n", true, true);
        check("```\n# x\n```\n# y", true, false);
        check("```\n", true, false);
        check("```\nx\n```\n", true, false);
        check("a\n\n    # x\n", true, true);
        check("# x", true, false);
    }

    #[test]
    fn the_fences_of_a_piece_determine_its_reading() {
        check("x = 1\n```\n\ntext\n\n```sh\n# y\n", false, true);
        check("x = 1\n```\n\ntext\n\n```sh\nls\n```\n# y\n", false, false);
        check("text\n\n```sh\n# y\n", false, true);
        check("x = 1\n```\n\ntext\n\n~~~sh\nls\n~~~\n# y\n", false, false);
        check("text\n```\n~~~sh\n~~~\n# y\n", true, true);
    }

    #[track_caller]
    fn check_around(text: &str, line: u64, expected: Option<(u64, u64)>) {
        let outline = Outline::of(text.as_bytes(), Format::Markdown);
        let found = section_around(&outline, line).map(|lines| (lines.start(), lines.end()));
        assert_eq!(found, expected);
    }

    /// Checks the result for `line`: the lines of its section, the indexes of that section and the
    /// next one, and the last line with the same result.
    #[track_caller]
    fn check_place(text: &str, line: u64, place: (u64, u64), ends: [Option<usize>; 2], last: u64) {
        let options = OutlineOptions {
            entries: vec![Pattern::new("ENTRY", Default::default()).expect("a pattern")],
            ..OutlineOptions::default()
        };
        let outline = Outline::of_part(text.as_bytes(), 0, Format::Markdown, options);
        let (found, end) = place_at(&outline, line).expect("a place");
        assert_eq!((found.lines.start(), found.lines.end()), place, "line {line}");
        assert_eq!(([found.section, found.next], end), (ends, last), "line {line}");
    }

    #[test]
    fn a_place_ends_where_the_next_begins() {
        let text = "intro\n\n# A\nx\n## B\ny\n# C\n";
        check_place(text, 1, (1, 2), [None, Some(0)], 2);
        check_place(text, 4, (3, 6), [Some(0), Some(2)], 4);
        check_place(text, 6, (5, 6), [Some(1), Some(2)], 6);
        check_place(text, 7, (7, 7), [Some(2), None], 7);
        check_place("> # Q\n\nafter\n\n# A\n", 3, (2, 4), [None, Some(1)], 4);
        // The last line is both a heading and a log entry.
        let text = "ENTRY 1\nx\n## H\ny\n## ENTRY 2\n";
        check_place(text, 2, (1, 4), [Some(0), Some(3)], 2);
        check_place(text, 4, (3, 4), [Some(1), Some(2)], 4);
    }

    #[test]
    fn every_line_of_a_document_with_sections_has_a_place() {
        let text = "intro\n\n# A\nx\n## B\ny\n# C\n";
        check_around(text, 1, Some((1, 2)));
        check_around(text, 4, Some((3, 6)));
        check_around(text, 6, Some((5, 6)));
        check_around("text\n", 1, None);
        check_around("> # Q\n\nafter\n\n# A\n", 3, Some((2, 4)));
        check_around("> # Q\n\nafter\n", 3, Some((2, 3)));
    }
}
