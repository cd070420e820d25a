//! Parses JSON, with the extensions of JSON5, and JSON Lines.

use std::borrow::Cow;

use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};

use super::tree::{Builder, Bytes, Fault, Form, Kind, Syntax, Tree};

/// The syntax elements that may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    /// A value, or the bracket that closes the list.
    ValueOrEnd,
    /// A key, or the brace that closes the object.
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    /// The end of the document or, in JSON Lines, the next document.
    End,
}

impl Expected {
    fn name(self) -> &'static str {
        match self {
            Self::Value => "a value",
            Self::ValueOrEnd => "a value or ]",
            Self::KeyOrEnd => "a key or }",
            Self::Colon => "a colon",
            Self::CommaOrEnd => "a comma or the closing bracket",
            Self::End => "the end of the document",
        }
    }
}

struct JsonReader {
    builder: Builder,
    expected: Expected,
    /// The key whose value comes next, and its name.
    key: Option<(Bytes, String)>,
    /// Whether each open container is an object.
    open: Vec<bool>,
    is_lines: bool,
}

/// Parses a document. The root of a blank document is null.
///
/// # Errors
///
/// Fails at the first syntax error.
pub(super) fn parse(text: &str, syntax: Syntax) -> Result<Tree, Fault> {
    let is_lines = syntax == Syntax::JsonLines;
    let mut reader = JsonReader {
        builder: Builder::new(syntax, text)?,
        expected: Expected::Value,
        key: None,
        open: Vec::new(),
        is_lines,
    };
    if is_lines {
        let all = Bytes::new(0, text.len());
        let root = reader.builder.add(0, Bytes::default(), all, Kind::Sequence, Form::Documents);
        reader.builder.open(root)?;
        reader.expected = Expected::End;
    }
    let readable = with_replacement_characters(text);
    let mut scanner = Scanner::new(&readable, &ScannerOptions::default());
    loop {
        let token = scanner.scan().map_err(|error| {
            Fault::new(error.range().start, error.kind().to_string().to_lowercase())
        })?;
        let Some(token) = token else { break };
        let at = Bytes::new(scanner.token_start(), scanner.token_end());
        reader.handle_token(token, at, text)?;
    }
    if reader.expected != Expected::End && text.trim().is_empty() {
        // A blank file becomes an object when a key is added.
        reader.builder.add(0, Bytes::default(), Bytes::default(), Kind::Null, Form::Scalar);
    } else if reader.expected != Expected::End {
        let message = format!("the document ends where {} is expected", reader.expected.name());
        return Err(Fault::new(text.trim_end().len(), message));
    }
    if is_lines {
        reader.builder.close(text.len());
    }
    Ok(reader.builder.finish())
}

impl JsonReader {
    fn handle_token(&mut self, token: Token<'_>, at: Bytes, text: &str) -> Result<(), Fault> {
        use Expected::{Colon, CommaOrEnd, End, KeyOrEnd, Value, ValueOrEnd};
        match (self.expected, &token) {
            (_, Token::CommentLine(_) | Token::CommentBlock(_)) => {}
            (KeyOrEnd, Token::String(name)) => self.take_key(at, name),
            (KeyOrEnd, Token::Word(name)) => self.take_key(at, name),
            (KeyOrEnd, Token::Null | Token::Boolean(_)) => self.take_key(at, &text[at.range()]),
            (Colon, Token::Colon) => self.expected = Value,
            (CommaOrEnd, Token::Comma) => {
                self.expected = if self.open.last() == Some(&true) { KeyOrEnd } else { ValueOrEnd };
            }
            (KeyOrEnd | CommaOrEnd, Token::CloseBrace) if self.open.last() == Some(&true) => {
                self.close_container(at);
            }
            (ValueOrEnd | CommaOrEnd, Token::CloseBracket) if self.open.last() == Some(&false) => {
                self.close_container(at);
            }
            (Value | ValueOrEnd, _) => return self.add_value(&token, at, text),
            (End, _) if self.is_lines => return self.add_value(&token, at, text),
            (expected, _) => return Err(unexpected_token(expected, at, text)),
        }
        Ok(())
    }

    fn take_key(&mut self, at: Bytes, name: &str) {
        self.key = Some((at, name.to_owned()));
        self.expected = Expected::Colon;
    }

    fn close_container(&mut self, at: Bytes) {
        self.open.pop();
        self.builder.close(at.end as usize);
        self.expect_after_value();
    }

    fn expect_after_value(&mut self) {
        self.expected = if self.open.is_empty() { Expected::End } else { Expected::CommaOrEnd };
    }

    fn add_value(&mut self, token: &Token<'_>, at: Bytes, text: &str) -> Result<(), Fault> {
        let kind = match token {
            Token::OpenBrace => Kind::Mapping,
            Token::OpenBracket => Kind::Sequence,
            Token::String(_) => Kind::String,
            Token::Boolean(_) => Kind::Boolean,
            Token::Null => Kind::Null,
            Token::Number(number) => number_kind(number),
            _ => return Err(unexpected_token(self.expected, at, text)),
        };
        let form = if kind.is_container() { Form::Flow } else { Form::Scalar };
        let (key, name) = self.key.take().unwrap_or_default();
        let start = if key.is_empty() { at.start } else { key.start };
        let index = self.builder.add(start as usize, key, at, kind, form);
        if !key.is_empty() {
            self.builder.name(index, &name);
        }
        match token {
            Token::OpenBrace | Token::OpenBracket => {
                let is_object = kind == Kind::Mapping;
                self.builder.open(index)?;
                self.open.push(is_object);
                self.expected = if is_object { Expected::KeyOrEnd } else { Expected::ValueOrEnd };
            }
            Token::String(value) => {
                self.builder.text(index, value);
                self.expect_after_value();
            }
            _ => self.expect_after_value(),
        }
        Ok(())
    }
}

/// Replaces lone surrogates with the replacement character, which is equally long.
fn with_replacement_characters(text: &str) -> Cow<'_, str> {
    let mut replaced = Cow::Borrowed(text);
    for at in lone_surrogates(text) {
        replaced.to_mut().replace_range(at..at + ESCAPE_LENGTH, "\\ufffd");
    }
    replaced
}

/// The length of an escape sequence such as `\ud800`.
const ESCAPE_LENGTH: usize = 6;

/// Returns the offsets of escape sequences such as `\ud800` that are not part of a pair. JSON allows
/// them, but they are no characters.
pub(super) fn lone_surrogates(text: &str) -> Vec<usize> {
    let unit = |at: usize| {
        let digits = text.get(at..at + ESCAPE_LENGTH)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        at += next;
        at += match (unit(at), unit(at + ESCAPE_LENGTH)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 2 * ESCAPE_LENGTH,
            (Some(0xd800..=0xdfff), _) => {
                found.push(at);
                ESCAPE_LENGTH
            }
            _ => 2,
        };
        at = at.min(text.len());
    }
    found
}

fn number_kind(number: &str) -> Kind {
    let is_hexadecimal =
        number.trim_start_matches(['+', '-']).starts_with(['0']) && number.contains(['x', 'X']);
    let is_integer = is_hexadecimal || !number.contains(['.', 'e', 'E', 'N', 'I', 'n']);
    if is_integer { Kind::Integer } else { Kind::Float }
}

fn unexpected_token(expected: Expected, at: Bytes, text: &str) -> Fault {
    let found: String = text[at.range()].chars().take(20).collect();
    Fault::new(at.start as usize, format!("found '{found}' where {} is expected", expected.name()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json_text;

    #[test]
    fn lone_surrogates_are_read_but_not_converted() {
        let text = "{\"a\": \"\\ud83d\\ude00 \\\\ud800 \\ude00\", \"\\uD800\": 1}";
        let tree = parse(text, Syntax::Json).expect("valid");
        assert_eq!(tree.scalar(1), "\u{1f600} \\ud800 \u{fffd}");
        assert_eq!(
            lone_surrogates(text),
            [text.find("\\ude00\"").expect("low"), text.find("\\uD8").expect("high")]
        );
        assert!(json_text(&tree, 1).is_err() && json_text(&tree, 2).is_err());
        assert_eq!(lone_surrogates("\"\\"), [] as [usize; 0]);
        assert!(parse("[\"\\ud8\"]", Syntax::Json).is_err());
    }
}
