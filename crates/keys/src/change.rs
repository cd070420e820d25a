//! Replacements of bytes in a document.

use std::ops::Range;

use super::tree::Tree;

/// A replacement of bytes of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The bytes to replace; empty to insert text.
    pub at: Range<usize>,
    /// The new text.
    pub text: String,
}

impl Change {
    pub(super) fn new(at: Range<usize>, text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }

    pub(super) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::new(at..at, text)
    }

    pub(super) fn delete(at: Range<usize>) -> Self {
        Self::new(at, "")
    }
}

/// The changes of an edit, sorted and disjoint, or the reason why the edit is impossible.
pub type Planned = Result<Vec<Change>, String>;

/// Returns the text with changes applied.
pub fn apply(text: &str, changes: &[Change]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for change in changes {
        result.push_str(&text[at..change.at.start]);
        result.push_str(&change.text);
        at = change.at.end;
    }
    result.push_str(&text[at..]);
    result
}

pub(super) fn newline_of(tree: &Tree) -> &'static str {
    match memchr::memchr(b'\n', tree.text.as_bytes()) {
        Some(at) if at > 0 && tree.text.as_bytes()[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}
