//! What a line with a key, a marker or a comment consists of.

use std::ops::Range;

/// The kind of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Only whitespace.
    Blank,
    /// A comment. The value is its marker.
    Comment(&'static str),
    /// A section marker, `[name]`. The value is its range in the line, including the brackets. In
    /// Org, the range of the name of a headline.
    Marker(Range<usize>),
    /// `key = value` or `key: value`, or a key without a value, if the parser accepts that.
    Key(KeyParts),
    /// A continuation of the value of the key above.
    Value,
    /// Any other line.
    Other,
}

/// The ranges of the parts of `key = value` in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyParts {
    /// The key.
    pub name: Range<usize>,
    /// The value without inline comment and, except for git, without quotes. If there is no value,
    /// an empty range at the end of the line.
    pub value: Range<usize>,
    /// Number of columns of whitespace before the key.
    pub indent: usize,
}

/// Returns the number of bytes of whitespace at the start of a line.
pub fn indent(line: &[u8]) -> usize {
    line.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// Returns the parts of an entry whose name and value are between and after two marks.
pub(crate) fn entry_parts(line: &[u8], name: Range<usize>) -> KeyParts {
    let end = line.trim_ascii_end().len();
    let after = (name.end + 1).min(end);
    let start = after + indent(&line[after..end]);
    KeyParts { name, value: start..end, indent: indent(line) }
}
