//! Parses scalars of YAML: the types of plain scalars, and the lines of block scalars.

use std::str::Split;

use super::tree::Kind;

/// The characters between tokens. Other whitespace, such as a no-break space, is text.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns the length of a quoted scalar at the start of a text.
pub(super) fn quoted_length(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote && quote == b'\'' && text.get(at + 1) == Some(&quote) => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Returns the type of an unquoted scalar in the core schema of YAML 1.2.
pub(super) fn plain_kind(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Kind::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => return Kind::Boolean,
        ".nan" | ".NaN" | ".NAN" => return Kind::Float,
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_digits = |digits: &str| is_all(digits, |digit| digit.is_ascii_digit());
    let is_based =
        text.strip_prefix("0x").is_some_and(|rest| is_all(rest, |digit| digit.is_ascii_hexdigit()))
            || text
                .strip_prefix("0o")
                .is_some_and(|rest| is_all(rest, |digit| ('0'..='7').contains(&digit)));
    if is_digits(unsigned) || is_based {
        return Kind::Integer;
    }
    if is_decimal(unsigned, is_digits) || matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        Kind::Float
    } else {
        Kind::String
    }
}

pub(super) fn is_all(text: &str, is_allowed: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(is_allowed)
}

/// Whether an unsigned text is a number with digits before or after a dot, and perhaps an exponent.
pub(super) fn is_decimal(text: &str, is_digits: impl Fn(&str) -> bool) -> bool {
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_optional_digits = |digits: &str| digits.is_empty() || is_digits(digits);
    is_optional_digits(whole)
        && is_optional_digits(fraction)
        && (is_digits(whole) || (number.contains('.') && is_digits(fraction)))
        && is_digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))
}

/// A block scalar, as it is written.
pub(super) struct BlockScalar<'t> {
    /// `|` or `>`.
    pub(super) style: char,
    /// `-`, `+` or nothing.
    pub(super) chomping: &'static str,
    /// The indentation that the header gives for the lines.
    given_indent: Option<usize>,
    /// The rest of the header, which may be a comment.
    pub(super) rest: &'t str,
    /// The lines below the header.
    lines: Split<'t, char>,
}

impl<'t> BlockScalar<'t> {
    /// Returns the block scalar that a source is, without its anchor and tag.
    pub(super) fn parse(source: &'t str) -> Option<Self> {
        let mut lines = source.split('\n');
        let header = lines.next()?.trim_end_matches('\r');
        let style = header.chars().next().filter(|style| "|>".contains(*style))?;
        let end = header[1..].find(|character: char| !"+-0123456789".contains(character));
        let (marks, rest) = header[1..].split_at(end.unwrap_or(header.len() - 1));
        let chomping = match (marks.contains('-'), marks.contains('+')) {
            (true, _) => "-",
            (_, true) => "+",
            _ => "",
        };
        let digit = |character: char| character.to_digit(10).map(|digit| digit as usize);
        let given_indent = marks.chars().find_map(digit);
        Some(Self { style, chomping, given_indent, rest: rest.trim_end(), lines })
    }

    /// Whether the line endings at the end are part of the text.
    pub(super) fn keeps_lines(&self) -> bool {
        self.chomping == "+"
    }

    /// Returns the indentation of the lines. Returns `None` if they are all blank.
    pub(super) fn indent(&self, parent: usize) -> Option<usize> {
        let mut texts = self.lines.clone().filter(|line| !line.trim_matches(BLANKS).is_empty());
        let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
        self.given_indent
            .map(|given_indent| parent + given_indent)
            .or_else(|| texts.next().map(indentation))
    }

    pub(super) fn without_indentation(self, indent: usize) -> String {
        let mut text = format!("{}{}{}", self.style, self.chomping, self.rest);
        for line in self.lines {
            let blanks = line.len() - line.trim_start_matches(' ').len();
            text.push('\n');
            text.push_str(line[blanks.min(indent)..].trim_end_matches('\r'));
        }
        text
    }
}
