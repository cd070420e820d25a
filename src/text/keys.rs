//! Configuration files as trees of keys: TOML, YAML, JSON and lists of variables. An entry is
//! found by its path, and edited without touching any byte outside of it.

mod block;
pub mod change;
pub mod edit;
pub mod find;
mod flow;
mod json;
mod layout;
pub mod path;
mod toml;
mod toml_edits;
pub mod tree;
pub mod value;
mod variables;
mod verify;
mod yaml;

pub use path::KeyPath;
use tree::Fault;
pub use tree::{Kind, Syntax, Tree};

/// A mistake because of which a document cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its line, counted from 1.
    pub line: u64,
    /// Its column in characters, counted from 1.
    pub column: u64,
    /// What is wrong.
    pub message: String,
}

/// Parses a document, without its byte order mark.
///
/// # Errors
///
/// Fails at the first mistake, and if the text is not UTF-8.
pub fn parse(syntax: Syntax, text: &[u8]) -> Result<Tree, Mistake> {
    let (valid, fault) = match std::str::from_utf8(text) {
        Ok(text) => match Tree::parse(syntax, text) {
            Ok(tree) => return Ok(tree),
            Err(fault) => (text, fault),
        },
        Err(error) => {
            let valid = text[..error.valid_up_to()].utf8_chunks().next();
            let valid = valid.map_or("", |chunk| chunk.valid());
            (valid, Fault::new(valid.len(), "the text is not valid UTF-8"))
        }
    };
    let (line, column) = Tree::line_and_column(valid, fault.offset);
    Err(Mistake { line, column, message: fault.message })
}
