//! Finds the lines of a document that match patterns.

use std::io;

use folio_markdown::comments::comments;
use folio_outline::document::Document;
use folio_outline::format::Feature;
use folio_outline::outline::Outline;
use folio_text::lines::count_newlines;
use folio_text::pattern::Pattern;

/// The parts of a text to search, in addition to ordinary lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Texts {
    pub(super) code: bool,
    pub(super) comments: bool,
}

/// Whether each pattern matches a line of a document.
pub(super) fn holds_all(document: &Document, patterns: &[Pattern]) -> io::Result<bool> {
    let mut missing: Vec<&Pattern> = patterns.iter().collect();
    let mut blocks = document.blocks().of_whole_lines();
    while !missing.is_empty()
        && let Some(block) = blocks.next()?
    {
        missing.retain(|pattern| pattern.next_line(block.bytes, 0).is_none());
    }
    Ok(missing.is_empty())
}

/// Returns for each pattern the numbers of the lines that match, in order.
pub(super) fn matched_lines(
    document: &Document,
    outline: &Outline,
    patterns: &[&Pattern],
    texts: Texts,
) -> io::Result<Vec<Vec<u64>>> {
    let mut search =
        BodySearch { outline, patterns, texts, line: 1, found: vec![Vec::new(); patterns.len()] };
    if !texts.comments && outline.format().has(Feature::Tags) {
        // A comment may span blocks.
        search.without_comments(document.text()?);
        return Ok(search.found);
    }
    let mut blocks = document.blocks().of_whole_lines();
    while let Some(block) = blocks.next()? {
        search.block(block.bytes);
    }
    Ok(search.found)
}

struct BodySearch<'a> {
    outline: &'a Outline,
    patterns: &'a [&'a Pattern],
    texts: Texts,
    /// The number of the first line of the next block.
    line: u64,
    found: Vec<Vec<u64>>,
}

impl BodySearch<'_> {
    /// Searches a complete text, in which comments are replaced with blanks.
    fn without_comments(&mut self, text: &[u8]) {
        let comments = comments(text, |line| self.outline.code_at(line).is_some());
        if comments.is_empty() {
            return self.block(text);
        }
        let mut text = text.to_vec();
        for range in comments {
            let shown = text[range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r'));
            shown.for_each(|byte| *byte = b' ');
        }
        self.block(&text);
    }

    fn block(&mut self, text: &[u8]) {
        for (pattern, found) in self.patterns.iter().zip(&mut self.found) {
            let (mut at, mut line, mut counted) = (0, self.line, 0);
            while let Some(range) = pattern.next_line(text, at) {
                line += count_newlines(&text[counted..range.start]);
                (counted, at) = (range.start, range.end);
                if self.texts.code || self.outline.code_at(line).is_none() {
                    found.push(line);
                }
            }
        }
        self.line += count_newlines(text);
    }
}
