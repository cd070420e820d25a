//! Languages without a grammar, whose declarations are found line by line. Their symbols are never
//! nested.

mod dockerfile;
mod makefile;
mod sql;

use folio_text::span::LineRange;

use crate::languages::Language;
use crate::lines::in_one_line;
use crate::symbol::{Body, Kind, Symbol, Symbols};

/// Maximum number of characters of a signature.
pub(crate) const MAX_SIGNATURE: usize = 200;

/// Returns the symbols of a text. `None` if the language has a grammar.
pub(crate) fn symbols(language: Language, text: &[u8]) -> Option<Symbols> {
    let (found, errors) = match language {
        Language::Makefile => makefile::declarations(text),
        Language::Dockerfile => (dockerfile::declarations(text), Vec::new()),
        Language::Sql => (sql::declarations(text), Vec::new()),
        _ => return None,
    };
    let symbols = found.into_iter().map(Declaration::symbol).collect();
    Some(Symbols { symbols, errors })
}

/// Returns at most [`MAX_SIGNATURE`] characters of a declaration, in one line. `marks` are removed
/// from its end.
pub(crate) fn signature(text: &[u8], marks: &[char]) -> String {
    let mut line = in_one_line(&text[..text.len().min(4 * MAX_SIGNATURE)]);
    let trimmed = line.trim_end_matches(marks).len();
    line.truncate(trimmed);
    if let Some((cut, _)) = line.char_indices().nth(MAX_SIGNATURE) {
        line.truncate(cut);
        line.push('…');
    }
    line
}

/// A declaration. Lines are numbers from 1.
#[derive(Clone, Debug)]
struct Declaration {
    kind: Kind,
    name: String,
    /// The first line, which may be a comment.
    first: u64,
    signature_line: u64,
    name_line: u64,
    /// The first line of the body.
    body: u64,
    /// The last line of the body. There is no body if it is less than the first one.
    body_end: u64,
    last: u64,
    signature: String,
}

impl Declaration {
    fn symbol(self) -> Symbol {
        let body = (self.body <= self.body_end).then(|| Body {
            start: self.body,
            end: self.body_end + 1,
            model: Some(self.body),
            missing_comma: None,
        });
        Symbol {
            kind: self.kind,
            name: self.name,
            alias: None,
            qualifier: None,
            parent: None,
            lines: LineRange::from_to(self.first, self.last),
            signature_line: self.signature_line,
            name_line: self.name_line,
            body,
            signature: self.signature,
            is_public: true,
        }
    }
}
