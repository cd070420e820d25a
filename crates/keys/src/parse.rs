//! Parses documents of each syntax.

use super::tree::{Fault, Syntax, Tree};
use super::{ini, json, toml, variables, yaml};

/// A syntax error in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its line, counted from 1.
    pub line: u64,
    /// Its column in characters, counted from 1.
    pub column: u64,
    /// The problem, as a sentence without a full stop.
    pub message: String,
}

impl Mistake {
    /// Returns the error for a line that begins an unresolved merge conflict.
    pub fn conflict(line: u64) -> Self {
        Self { line, column: 1, message: CONFLICT.to_owned() }
    }
}

/// How a line begins that begins an unresolved merge conflict.
pub const CONFLICT_MARK: &str = "<<<<<<< ";

const CONFLICT: &str = "a merge conflict begins here";

/// The message of the syntax error for text that is not UTF-8.
pub const NOT_UTF8: &str = "the text is not valid UTF-8";

/// Parses a document, without its byte order mark.
///
/// # Errors
///
/// Fails at the first syntax error, and if the text is not UTF-8.
pub fn parse(syntax: Syntax, text: &[u8]) -> Result<Tree, Mistake> {
    let (valid, fault) = match std::str::from_utf8(text) {
        Ok(text) => match parse_text(syntax, text) {
            Ok(tree) => return Ok(tree),
            Err(fault) => (text, conflict_fault(text).unwrap_or(fault)),
        },
        Err(error) => {
            let valid = text[..error.valid_up_to()].utf8_chunks().next();
            let valid = valid.map_or("", |chunk| chunk.valid());
            (valid, Fault::new(valid.len(), NOT_UTF8))
        }
    };
    let (line, column) = Tree::line_and_column(valid, fault.offset);
    Err(Mistake { line, column, message: fault.message })
}

/// Parses a document in UTF-8.
///
/// # Errors
///
/// Fails at the first syntax error.
pub(super) fn parse_text(syntax: Syntax, text: &str) -> Result<Tree, Fault> {
    // Some programs treat a lone carriage return as a line ending.
    if let Some(at) = lone_return(text).filter(|_| syntax.is_flat()) {
        return Err(Fault::new(at, "a carriage return without a line feed"));
    }
    match syntax {
        Syntax::Toml => toml::parse(text),
        Syntax::Yaml => yaml::parse(text),
        Syntax::Json | Syntax::JsonLines => json::parse(text, syntax),
        Syntax::Env => variables::parse_env(text),
        Syntax::Properties => match conflict_fault(text) {
            Some(fault) => Err(fault),
            None => variables::parse_properties(text),
        },
        Syntax::Ini(dialect) => match conflict_fault(text).filter(|_| !dialect.is_markup()) {
            Some(fault) => Err(fault),
            None => ini::parse(dialect, text),
        },
    }
}

/// Parses a part of a document. In YAML, its aliases may refer to anchors of the rest.
///
/// # Errors
///
/// Fails at the first syntax error.
pub(super) fn parse_fragment(syntax: Syntax, text: &str) -> Result<Tree, Fault> {
    match syntax {
        Syntax::Yaml => yaml::parse_fragment(text),
        _ => parse_text(syntax, text),
    }
}

fn conflict_fault(text: &str) -> Option<Fault> {
    let is_first = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    let at = text.match_indices(CONFLICT_MARK).map(|(at, _)| at).find(is_first)?;
    Some(Fault::new(at, CONFLICT))
}

/// Returns the offset of the first carriage return that is not part of a line ending.
fn lone_return(text: &str) -> Option<usize> {
    let mut returns = memchr::memchr_iter(b'\r', text.as_bytes());
    returns.find(|at| text.as_bytes().get(at + 1) != Some(&b'\n'))
}
