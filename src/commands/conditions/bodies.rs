//! Finds the lines of a document that match patterns.

use std::ops::ControlFlow;

use folio_files::document::Document;
use folio_files::error::Error;
use folio_markdown::comments::comments;
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

/// Returns for each pattern whether it matches a line of a document. The document is at its start
/// before and after the call.
pub(super) fn holds_all(document: &mut Document, patterns: &[Pattern]) -> Result<bool, Error> {
    if let Some(text) = document.contents().filter(|_| document.encoding().is_utf8()) {
        return Ok(patterns.iter().all(|pattern| pattern.next_line(text, 0).is_some()));
    }
    let mut missing: Vec<&Pattern> = patterns.iter().collect();
    document.blocks(|block| {
        missing.retain(|pattern| pattern.next_line(block.bytes, 0).is_none());
        if missing.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    document.rewind()?;
    Ok(missing.is_empty())
}

/// Returns for each pattern the numbers of the lines that match, in order.
pub(super) fn matched_lines(
    document: &mut Document,
    outline: &Outline,
    patterns: &[&Pattern],
    texts: Texts,
) -> Result<Vec<Vec<u64>>, Error> {
    let mut search =
        Search { outline, patterns, texts, line: 1, found: vec![Vec::new(); patterns.len()] };
    document.rewind()?;
    let is_utf8 = document.encoding().is_utf8();
    let may_hide = !texts.comments && outline.format().has(Feature::Code);
    match document.contents().filter(|_| is_utf8) {
        Some(text) if may_hide => search.without_comments(text),
        Some(text) => search.block(text),
        // A comment may span blocks.
        None if may_hide => search.without_comments(&document.read_beyond()?.unwrap_or_default()),
        None => document.blocks(|block| {
            search.block(block.bytes);
            ControlFlow::Continue(())
        })?,
    }
    Ok(search.found)
}

struct Search<'a> {
    outline: &'a Outline,
    patterns: &'a [&'a Pattern],
    texts: Texts,
    /// The number of the first line of the next block.
    line: u64,
    found: Vec<Vec<u64>>,
}

impl Search<'_> {
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
