//! The scanner, compared with two other Markdown parsers, which also know tables: if they agree on
//! headings and code blocks, it finds the same. Documents with the deliberate differences listed in
//! ARCHITECTURE.md are skipped.

#![no_main]

use comrak::nodes::NodeValue;
use folio_outline::format::Format;
use folio_outline::outline::{Outline, SectionKind};
use libfuzzer_sys::fuzz_target;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag};

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Heading { line: u64, level: u8 },
    Code { line: u64, is_fenced: bool },
}

fuzz_target!(|data: &[u8]| {
    let outline = Outline::of(data, Format::Markdown);
    let lines = outline.total_lines();
    for section in outline.sections() {
        assert!(section.lines().end() <= lines, "{section:?}");
    }
    for code in outline.code() {
        assert!(code.lines.end() <= lines, "{code:?}");
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    // Skipped: lone carriage returns, NUL and byte order marks; whitespace other than spaces and
    // tabs after a list marker, which cmark and folio accept but these two parsers do not; log
    // entries.
    let is_lone = |at: usize| data.get(at + 1) != Some(&b'\n');
    let has_lone = data.iter().enumerate().any(|(at, &byte)| byte == b'\r' && is_lone(at));
    let is_own = text.contains(['\0', '\u{b}', '\u{c}', '\u{feff}']) || text.contains("[LOG-");
    if has_lone || is_own || outline.front_matter().is_some() {
        return;
    }
    let one = pulldown(text);
    if one == comrak(text) {
        assert_eq!(folio(&outline), one, "{text}");
    }
});

fn folio(outline: &Outline) -> Vec<Found> {
    let headings = outline.sections().iter().filter_map(|section| match section.kind() {
        SectionKind::Heading(level) => {
            Some(Found::Heading { line: section.lines().start(), level })
        }
        _ => None,
    });
    let code = outline.code().iter();
    let code = code.map(|code| Found::Code { line: code.lines.start(), is_fenced: code.fenced });
    sorted(headings.chain(code).collect())
}

fn sorted(mut found: Vec<Found>) -> Vec<Found> {
    found.sort();
    found
}

fn pulldown(text: &str) -> Vec<Found> {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line = |at: usize| starts.partition_point(|&start| start <= at) as u64;
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    let found = events.filter_map(|(event, span)| match event {
        Event::Start(Tag::Heading { level, .. }) => {
            let level = match level {
                HeadingLevel::H1 => 1,
                HeadingLevel::H2 => 2,
                HeadingLevel::H3 => 3,
                HeadingLevel::H4 => 4,
                HeadingLevel::H5 => 5,
                HeadingLevel::H6 => 6,
            };
            Some(Found::Heading { line: line(span.start), level })
        }
        Event::Start(Tag::CodeBlock(kind)) => {
            let is_fenced = matches!(kind, CodeBlockKind::Fenced(_));
            Some(Found::Code { line: line(span.start), is_fenced })
        }
        _ => None,
    });
    sorted(found.collect())
}

fn comrak(text: &str) -> Vec<Found> {
    let arena = comrak::Arena::new();
    let mut options = comrak::Options::default();
    options.extension.table = true;
    let root = comrak::parse_document(&arena, text, &options);
    let found = root.descendants().filter_map(|node| {
        let data = node.data();
        let line = data.sourcepos.start.line as u64;
        match &data.value {
            NodeValue::Heading(heading) => Some(Found::Heading { line, level: heading.level }),
            NodeValue::CodeBlock(code) => Some(Found::Code { line, is_fenced: code.fenced }),
            _ => None,
        }
    });
    sorted(found.collect())
}
