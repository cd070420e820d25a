//! Rewrites YAML that most parsers accept, although the standard does not, for one that follows it.
//! The rewritten text has the same length, so that all offsets are those of the document.

use std::borrow::Cow;
use std::ops::Range;

use super::tree::Fault;
use super::yaml_parts::{BLANKS, quoted_length};

/// A document, and the text to parse in its place.
pub(super) struct YamlSource<'t> {
    /// The document.
    pub(super) text: &'t str,
    /// The text to parse.
    pub(super) rewritten: Cow<'t, str>,
    /// The offsets and the texts of strings in quotes that the rewritten text does not contain.
    strings: Vec<(usize, String)>,
    /// Whether aliases may refer to anchors outside of the document.
    is_fragment: bool,
}

impl<'t> YamlSource<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, rewritten: Cow::Borrowed(text), strings: Vec::new(), is_fragment: false }
    }

    pub(super) fn of_fragment(text: &'t str) -> Self {
        Self { is_fragment: true, ..Self::new(text) }
    }

    /// Rewrites the place of a syntax error, if other parsers accept it. Returns whether it did.
    /// `decode` returns the text of a string in quotes.
    pub(super) fn accept(
        &mut self,
        fault: &Fault,
        decode: impl Fn(&str) -> Option<String>,
    ) -> bool {
        let at = fault.offset;
        let first = self.text.as_bytes().get(at).copied();
        let rewritten = match (first, &fault.message[..]) {
            (Some(b']' | b'}'), _) => self.with_joined_bracket(at),
            (Some(b'"' | b'\''), "invalid indentation in quoted scalar") => {
                self.with_joined_string(at, decode)
            }
            (Some(b'*'), "while parsing node, found unknown anchor") if self.is_fragment => {
                // An alias is as long as a scalar.
                Some(format!("{}x{}", &self.rewritten[..at], &self.rewritten[at + 1..]))
            }
            _ => None,
        };
        let Some(rewritten) = rewritten.filter(|rewritten| *rewritten != self.rewritten) else {
            return false;
        };
        self.rewritten = Cow::Owned(rewritten);
        true
    }

    /// Returns the text of a scalar, which may have an anchor and a tag before it, that the rewritten
    /// text does not contain.
    pub(super) fn decoded(&self, span: &Range<usize>) -> Option<&str> {
        let (_, text) = self.strings.iter().find(|(start, _)| span.contains(start))?;
        Some(text)
    }

    /// Returns the text with a closing bracket joined to the line above it: spaces replace the
    /// comment and the line ending before the bracket. YAML requires the bracket to be indented
    /// further than the key of the list, but most parsers do not, and many documents ignore the
    /// rule.
    fn with_joined_bracket(&self, bracket: usize) -> Option<String> {
        let text = &self.rewritten;
        let end = text[..bracket].trim_end_matches([' ', '\t']).len();
        let above = text[..end].strip_suffix('\n')?;
        let start = above.rfind('\n').map_or(0, |end| end + 1);
        let line = &above[start..];
        let is_comment = |&at: &usize| {
            let before = &line[..at];
            let is_even = |quote| before.matches(quote).count() % 2 == 0;
            (before.is_empty() || before.ends_with([' ', '\t'])) && is_even('"') && is_even('\'')
        };
        let comment = line.match_indices('#').map(|(at, _)| at).find(is_comment);
        let from = start + comment.unwrap_or(line.trim_end_matches(BLANKS).len());
        Some(format!("{}{}{}", &text[..from], " ".repeat(bracket - from), &text[bracket..]))
    }

    /// Returns the text with a string in quotes on one line, and records the text of the string.
    /// YAML requires its further lines to be indented further than its key, but most parsers do not.
    fn with_joined_string(
        &mut self,
        at: usize,
        decode: impl Fn(&str) -> Option<String>,
    ) -> Option<String> {
        let bytes = &self.text.as_bytes()[at..];
        let end = at + quoted_length(bytes, bytes[0]);
        let source = self.text.get(at..end).filter(|source| source.len() > 2)?;
        self.strings.push((at, decode(source)?));
        let (before, after) = (&self.rewritten[..at + 1], &self.rewritten[end - 1..]);
        Some(format!("{before}{}{after}", "x".repeat(end - at - 2)))
    }
}
