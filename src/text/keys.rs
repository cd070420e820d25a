//! Configuration files as trees of keys: TOML, YAML, JSON and lists of variables. An entry is found
//! by its path, and editing it does not change other bytes.

mod block;
pub mod change;
pub mod edit;
pub mod find;
mod flow;
mod json;
mod layout;
pub mod parse;
pub mod path;
mod toml;
mod toml_edits;
pub mod tree;
pub mod value;
mod variables;
mod verify;
mod yaml;

pub use parse::{Mistake, parse};
pub use path::KeyPath;
pub use tree::{Kind, Syntax, Tree};
