//! The lines of Org that several parsers recognize: headlines, keywords and properties.

use std::ops::Range;

use crate::line_kinds::{KeyParts, entry_parts, indent};

/// Keywords that belong to the element below them, or that are elements themselves.
const OF_ELEMENTS: &[&[u8]] = &[
    b"call", b"caption", b"data", b"header", b"headers", b"label", b"name", b"plot", b"resname",
    b"result", b"results", b"source", b"srcname", b"tblname", b"html", b"latex", b"toc",
];

/// The keywords before the names of headlines, such as `TODO`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headlines {
    keywords: Vec<Vec<u8>>,
    /// Whether the document defines its keywords.
    has_keywords: bool,
}

impl Default for Headlines {
    fn default() -> Self {
        let keywords = [&b"TODO"[..], b"DONE"].map(<[u8]>::to_vec).to_vec();
        Self { keywords, has_keywords: false }
    }
}

impl Headlines {
    /// Reads the keywords that a line of a document defines.
    pub fn read_keywords(&mut self, line: &[u8]) {
        let kinds: [&[u8]; 3] = [b"#+TODO:", b"#+SEQ_TODO:", b"#+TYP_TODO:"];
        let Some(list) = kinds.iter().find_map(|kind| after(line, kind)) else { return };
        if !self.has_keywords {
            self.keywords.clear();
            self.has_keywords = true;
        }
        for word in
            list.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty() && *word != b"|")
        {
            let end = memchr::memchr(b'(', word).unwrap_or(word.len());
            self.keywords.push(word[..end].to_vec());
        }
    }

    /// Returns the range of the text of a headline, without its keyword, priority and tags. Returns
    /// `None` if a line is not a headline.
    pub fn name(&self, line: &[u8]) -> Option<Range<usize>> {
        let stars = stars(line)?;
        let end = line.trim_ascii_end().len().max(stars);
        let skip_blanks = |at: usize| end - line[at..end].trim_ascii_start().len();
        let mut start = skip_blanks(stars);
        let word = line[start..end].split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if self.keywords.iter().any(|keyword| keyword == word) {
            start = skip_blanks(start + word.len());
        }
        if let [b'[', b'#', _, b']', ..] = line[start..end] {
            start = skip_blanks(start + 4);
        }
        let name = &line[start..end];
        let last = name.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
        let is_tag =
            |byte: &u8| byte.is_ascii_alphanumeric() || b"_@#%:".contains(byte) || *byte >= 0x80;
        let tags = &name[last..];
        let are_tags = tags.len() > 2 && tags.starts_with(b":") && tags.ends_with(b":");
        if are_tags && tags.iter().all(is_tag) {
            return Some(start..start + name[..last].trim_ascii_end().len());
        }
        Some(start..end)
    }
}

/// Returns the number of stars of a headline.
pub fn stars(line: &[u8]) -> Option<usize> {
    let stars = line.iter().take_while(|byte| **byte == b'*').count();
    let is_headline = stars > 0 && matches!(line.get(stars), Some(b' ' | b'\t'));
    is_headline.then_some(stars)
}

/// Returns the rest of a text that begins with another one, ignoring case.
pub fn after<'a>(text: &'a [u8], start: &[u8]) -> Option<&'a [u8]> {
    let (begun, rest) = text.split_at_checked(start.len())?;
    begun.eq_ignore_ascii_case(start).then_some(rest)
}

/// Whether a line below a headline contains its dates.
pub fn is_planning(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    [&b"SCHEDULED:"[..], b"DEADLINE:", b"CLOSED:"].iter().any(|start| text.starts_with(start))
}

/// Returns the parts of a keyword of the document, such as `#+TITLE: Notes`.
pub(crate) fn keyword(line: &[u8]) -> Option<KeyParts> {
    let start = indent(line);
    let rest = line[start..].strip_prefix(b"#+")?;
    let end = rest.iter().position(|byte| *byte == b':' || byte.is_ascii_whitespace())?;
    let name = &rest[..end];
    let is_of_element = OF_ELEMENTS.iter().any(|other| other.eq_ignore_ascii_case(name))
        || after(name, b"attr_").is_some();
    let is_keyword = rest[end] == b':' && end > 0 && !is_of_element;
    is_keyword.then(|| entry_parts(line, start + 2..start + 2 + end))
}

/// Whether a line is a property.
pub fn is_property(line: &[u8]) -> bool {
    property(line).is_some()
}

/// Returns the parts of a property, such as `:Effort: 1:00`.
pub(crate) fn property(line: &[u8]) -> Option<KeyParts> {
    let start = indent(line);
    let rest = line[start..].trim_ascii_end().strip_prefix(b":")?;
    let word = rest.split(u8::is_ascii_whitespace).next()?;
    let name = word.strip_suffix(b":").filter(|name| !name.is_empty())?;
    Some(entry_parts(line, start + 1..start + 1 + name.len()))
}
