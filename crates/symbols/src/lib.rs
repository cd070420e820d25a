//! The declarations of source code: functions, types, constants and other symbols, with their lines.
//!
//! ```
//! use folio_symbols::{Kind, Language, symbols};
//!
//! let text = b"/// Adds one.\nfn next(number: u64) -> u64 {\n    number + 1\n}\n";
//! let found = symbols(Language::Rust, text).unwrap();
//! let next = &found.symbols[0];
//! assert_eq!((next.kind, next.name.as_str()), (Kind::Function, "next"));
//! // The comment and the closing brace belong to the symbol, but not to its body.
//! assert_eq!((next.lines.start(), next.lines.end()), (1, 4));
//! assert_eq!(next.body.as_ref().map(|body| (body.start, body.end)), Some((3, 4)));
//! ```
//!
//! A symbol takes whole lines: from the comment directly above it, and its attributes, decorators
//! and modifiers, to its last line. A comment that a blank line separates from it does not belong to
//! it, nor do the blank lines around it. A declaration that shares a line with another one, or that
//! declares several names, is not a symbol, because its lines would contain the other one. Symbols in
//! functions are functions and types, but not variables. Fields are symbols in JavaScript, TypeScript
//! and Java, where they may have code.
//!
//! The feature `code-all` adds C#, PHP, Kotlin, Swift, Scala, Lua and HCL. Their fields and properties
//! are symbols. An extension of Swift or Scala is an implementation, and an `object` of Kotlin or Scala
//! is a type. An extension function of Kotlin and a function in a table of Lua are qualified by the
//! type or the table. Tables of Lua have symbols for the functions in them only. The blocks of HCL that
//! are not in other blocks are objects, named as Terraform addresses them: `aws_instance.web`,
//! `data.aws_ami.image`, `var.region`, `provider.aws.west`; the attributes of `locals` are constants,
//! `local.name`. Without the feature, these languages are unknown.
//!
//! The texts are parsed by tree-sitter, which also finds the symbols before and after a mistake. The
//! rules of makefiles, the stages of Dockerfiles and the objects that SQL creates are found line by
//! line, without a grammar.
//! This crate does not resolve names: it does not know what an import refers to, or where a symbol
//! is used. Texts over [`MAX_SIZE`] are refused.

#[cfg_attr(not(feature = "code-all"), allow(dead_code))]
mod languages;
mod line_parsers;
#[cfg_attr(not(feature = "grammars"), allow(dead_code))]
mod lines;
#[cfg(feature = "grammars")]
mod mistakes;
#[cfg(feature = "grammars")]
mod names;
#[cfg(feature = "grammars")]
mod nodes;
#[cfg(feature = "grammars")]
mod strings;
mod symbol;
#[cfg(feature = "grammars")]
mod walk;

pub use languages::Language;
pub use symbol::{Body, Kind, Symbol, Symbols, SyntaxError};

use folio_text::span::LineRange;

/// Maximum size of a text, in bytes.
pub const MAX_SIZE: usize = 8 << 20;

/// Why a text has no symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The text is larger than [`MAX_SIZE`].
    Size,
    /// The text takes too long to parse: about a second.
    Time,
}

/// Returns the symbols of a text. Without the feature `grammars`, languages with a grammar have none.
///
/// # Errors
///
/// Fails if the text is too large, or takes too long to parse.
pub fn symbols(language: Language, text: &[u8]) -> Result<Symbols, Limit> {
    parse(language, text, false)
}

/// Returns the symbols of a text, and also those mistakes that the grammar accepts although the
/// language does not, such as an empty block of Python. To be compared before and after an edit,
/// because some of these mistakes are none in unusual texts.
///
/// # Errors
///
/// As [`symbols`].
pub fn strict_symbols(language: Language, text: &[u8]) -> Result<Symbols, Limit> {
    parse(language, text, true)
}

#[cfg_attr(not(feature = "grammars"), allow(unused_variables))]
fn parse(language: Language, text: &[u8], is_strict: bool) -> Result<Symbols, Limit> {
    if text.len() > MAX_SIZE {
        return Err(Limit::Size);
    }
    if let Some(found) = line_parsers::symbols(language, text) {
        return Ok(found);
    }
    #[cfg(feature = "grammars")]
    return walk::symbols(language, text, is_strict);
    #[cfg(not(feature = "grammars"))]
    Ok(Symbols::default())
}

/// Returns the lines of a text that begin in a string, a here-document or a comment that must begin
/// its line, in order. Other indentation would change what they say. Without the feature `grammars`,
/// there are none.
///
/// # Errors
///
/// Fails if the text is too large, or takes too long to parse.
#[cfg_attr(not(feature = "grammars"), allow(unused_variables))]
pub fn fixed_lines(language: Language, text: &[u8]) -> Result<Vec<LineRange>, Limit> {
    if text.len() > MAX_SIZE {
        return Err(Limit::Size);
    }
    #[cfg(feature = "grammars")]
    return strings::fixed_lines(language, text);
    #[cfg(not(feature = "grammars"))]
    Ok(Vec::new())
}

#[cfg(all(test, feature = "grammars"))]
mod tests;
