//! Finds reference links and footnotes, and the definitions that they use.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use super::definitions::normalize_label;
use super::links::{Body, definition_destination};
use folio_text::lines::count_newlines;
use folio_text::span::Span;

/// A link or image whose destination is in a definition, or a reference to a footnote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The normalized label.
    pub label: String,
    /// The bytes to replace with `(destination)` to turn the reference into an inline link:
    /// `[label]`, `[]`, or an empty span after the text. For a footnote, the bytes of the
    /// reference.
    pub part: Span,
    /// The line number.
    pub line: u64,
    /// Whether this is a footnote reference.
    pub is_footnote: bool,
}

/// A definition, `[label]: destination "title"`, or a footnote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The bytes of the whole definition.
    pub span: Span,
    /// The bytes of the destination, without `<>`; `None` for a footnote.
    pub destination: Option<Span>,
    /// The line on which the definition begins.
    pub line: u64,
}

/// The references of a document and their definitions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// References that have a definition, in document order.
    pub used: Vec<Reference>,
    /// Definitions by label. The label of a footnote begins with `^`.
    pub definitions: HashMap<String, Definition>,
}

/// Finds the references of a UTF-8 document.
pub fn references(document: &[u8]) -> References {
    let mut found = References::default();
    if memchr::memmem::find(document, b"]:").is_none() {
        return found;
    }
    let body = Body::of_document(document);
    let text = &*body.text;
    let parser = Parser::new_ext(text, Options::ENABLE_FOOTNOTES);
    let first_line = 1 + count_newlines(&document[..body.start]);
    let mut places = Places { text, offset: body.start, lines: (0, first_line) };
    let mut definitions: Vec<(String, Range<usize>, Option<Range<usize>>)> = Vec::new();
    for (label, definition) in parser.reference_definitions().iter() {
        let destination =
            definition_destination(text.as_bytes(), &definition.span, &definition.dest);
        definitions.push((normalize_label(label), definition.span.clone(), destination));
    }
    let mut used: Vec<(String, Range<usize>, bool)> = Vec::new();
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. }) => {
                let part = match link_type {
                    LinkType::Reference => label_start(text, &range)..range.end,
                    LinkType::Collapsed if text[range.clone()].ends_with("[]") => {
                        range.end - 2..range.end
                    }
                    // `range` does not include the `[]`.
                    LinkType::Collapsed => range.end..range.end + 2,
                    LinkType::Shortcut => range.end..range.end,
                    _ => continue,
                };
                used.push((normalize_label(&id), part, false));
            }
            Event::FootnoteReference(label) => {
                used.push((format!("^{}", normalize_label(&label)), range, true));
            }
            Event::Start(Tag::FootnoteDefinition(label)) => {
                definitions.push((format!("^{}", normalize_label(&label)), range, None));
            }
            _ => {}
        }
    }
    definitions.sort_by_key(|(_, span, _)| span.start);
    for (label, span, destination) in definitions {
        let line = places.line(span.start);
        let destination = destination.map(|range| places.span(range));
        let definition = Definition { span: places.span(span), destination, line };
        found.definitions.entry(label).or_insert(definition);
    }
    used.sort_by_key(|(_, part, _)| part.start);
    places.lines = (0, first_line);
    for (label, part, is_footnote) in used {
        let line = places.line(part.start);
        found.used.push(Reference { label, part: places.span(part), line, is_footnote });
    }
    found
}

/// Returns the spans of the destinations of all definitions that a UTF-8 document uses.
pub fn used_destinations(document: &[u8]) -> HashSet<Span> {
    let References { used, definitions } = references(document);
    let used = used.iter().filter_map(|reference| definitions.get(&reference.label)?.destination);
    used.collect()
}

/// Returns the start of the label at the end of a link.
fn label_start(text: &str, link: &Range<usize>) -> usize {
    let bytes = &text.as_bytes()[..link.end];
    let is_open = |at: &usize| bytes[*at] == b'[' && (*at == 0 || bytes[*at - 1] != b'\\');
    (link.start..link.end).rfind(is_open).unwrap_or(link.end)
}

/// Converts offsets in the text to spans and lines of the document.
struct Places<'a> {
    text: &'a str,
    offset: usize,
    /// The last offset that was converted, and its line.
    lines: (usize, u64),
}

impl Places<'_> {
    /// Returns the line that contains an offset. Offsets must not decrease between calls.
    fn line(&mut self, at: usize) -> u64 {
        let (from, line) = self.lines;
        self.lines = (at, line + count_newlines(&self.text.as_bytes()[from..at]));
        self.lines.1
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new((self.offset + range.start) as u64, (self.offset + range.end) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the references, given as label, line and replaced text, and the definitions, given as
    /// label, line and destination.
    #[track_caller]
    fn check(document: &str, used: &[(&str, u64, &str)], definitions: &[(&str, u64, &str)]) {
        let found = references(document.as_bytes());
        let text = |span: Span| &document[span.start() as usize..span.end() as usize];
        let used_references: Vec<_> = found
            .used
            .iter()
            .map(|reference| (&*reference.label, reference.line, text(reference.part)))
            .collect();
        assert_eq!(used_references, used, "{document:?}");
        let mut found_definitions: Vec<_> = found
            .definitions
            .iter()
            .map(|(label, definition)| {
                (&**label, definition.line, definition.destination.map_or("", text))
            })
            .collect();
        found_definitions.sort_unstable();
        assert_eq!(found_definitions, definitions, "{document:?}");
    }

    #[test]
    fn references_have_definitions() {
        check("[a]\n", &[], &[]);
        check(
            "[t][Ab]\n![i][] [i]\n\n[ab]: x 't'\n[I]: <y z>\n",
            &[("ab", 1, "[Ab]"), ("i", 2, "[]"), ("i", 2, "")],
            &[("ab", 4, "x"), ("i", 5, "y z")],
        );
        check("---\nt: 1\n---\n[a]\n\n[a]: x\n[a]: y\n", &[("a", 4, "")], &[("a", 6, "x")]);
        check("> [a]\n>\n> [a]: x\n", &[("a", 1, "")], &[("a", 3, "x")]);
        check("`[a]`\n\n[a]: x\n", &[], &[("a", 3, "x")]);
    }

    #[test]
    fn footnotes_are_references_too() {
        check("a[^1] b[^n]\n\n[^1]: some text\n", &[("^1", 1, "[^1]")], &[("^1", 3, "")]);
    }
}
