//! TOML, YAML, JSON, INI, `.env` and `.properties` documents as trees of keys.
//!
//! ```
//! use folio_keys::edit::{self, Check};
//! use folio_keys::value::Value;
//! use folio_keys::{Kind, Syntax, change, find, parse};
//!
//! let text = "# The server.\nserver:\n  port: 80  # default\n";
//! let tree = parse(Syntax::Yaml, text.as_bytes())?;
//! let (_, found) = find::look_up(&tree, "server.port").expect("a valid path");
//! let port = found.expect("an entry").index;
//!
//! let value = Value::source(Kind::Integer, "443");
//! let edits = edit::replace(&tree, port, &value, Check::Now).expect("a possible edit");
//! let new = change::apply(text, &edits.changes);
//! assert_eq!(new, "# The server.\nserver:\n  port: 443  # default\n");
//! # Ok::<(), folio_keys::Mistake>(())
//! ```
//!
//! This crate answers which entries a document has, where each of them is, and which bytes to
//! change to set, add, rename, move or delete one. Every edit is verified: the result is parsed,
//! and its data must be the intended data. All other bytes, such as comments, stay unchanged.
//!
//! It refuses edits that it cannot verify, never formats a document, and does not interpret
//! schemas. It does not access files, streams, the clock or the environment.

pub mod beside;
mod block;
pub mod change;
pub mod comments;
pub mod contrast;
pub mod edit;
mod env_form;
pub mod find;
mod flow;
mod ini;
mod json;
mod layout;
mod line_paths;
pub mod models;
mod names;
pub mod natural;
pub mod parse;
pub mod path;
mod quoting;
pub mod sources;
pub mod together;
mod toml;
mod toml_edits;
mod toml_table;
pub mod tree;
pub mod value;
mod variables;
pub mod verify;
mod yaml;
mod yaml_flow;
mod yaml_parts;
mod yaml_scalar;
mod yaml_source;

pub use line_paths::LinePaths;
pub use parse::{CONFLICT_MARK, Mistake, parse};
pub use path::KeyPath;
pub use tree::{Kind, Syntax, Tree};

#[cfg(test)]
mod tests {
    use super::edit::Check;
    use super::*;
    use folio_text::ini_dialect::IniDialect;

    /// Builds the document with a number, by writing the number in the base of the parts.
    fn document(parts: &[&str], length: u32, mut number: usize) -> String {
        let digits = (0..length).map(|_| {
            let digit = number % parts.len();
            number /= parts.len();
            parts[digit]
        });
        digits.collect()
    }

    fn is_json(syntax: Syntax) -> bool {
        matches!(syntax, Syntax::Json | Syntax::JsonLines)
    }

    /// Parses a document. Finds each entry by its path, and edits it.
    fn check(syntax: Syntax, text: &str) {
        let Ok(tree) = parse(syntax, text.as_bytes()) else { return };
        for index in 1..tree.nodes.len() {
            let path = tree.path(index);
            let (_, found) = find::look_up(&tree, &path).expect("a path");
            let found = found.map(|found| found.index);
            // Sections of INI are not found by the path of a key.
            let is_section =
                matches!(syntax, Syntax::Ini(_)) && tree.node(index).kind.is_container();
            let is_free = syntax.is_flat() || is_section;
            assert!(found == Ok(index) || is_free, "{text:?}: {path}: {found:?}");
            let _ = (
                tree.value(index),
                value::data(&tree, index),
                comments::Comments::of_entry(&tree, index),
            );
            let models = models::Models::of_value(&tree, index);
            let value = models.read("1", None).expect("a value").value;
            let planned = [
                edit::replace(&tree, index, &value, Check::Now),
                edit::remove(&tree, index, Check::Now),
                edit::rename(&tree, index, "n", Check::Now),
                edit::insert_item(&tree, index, None, &value, Check::Now),
                edit::insert_item(&tree, index, Some(0), &value, Check::Now),
                edit::insert_key(&tree, index, &["n".to_owned()], &value, Check::Now),
            ];
            let entry = if is_json(syntax) { "\"n\": 1" } else { "n = 1" };
            let entry = if syntax == Syntax::Yaml { "n: 1" } else { entry };
            let beside = [false, true]
                .map(|is_after| beside::insert_beside(&tree, index, is_after, entry, Check::Now));
            let planned = planned.into_iter().chain(beside);
            let planned = planned.chain(ini_edits(&tree, index, &value));
            for edits in planned.flatten() {
                let new = change::apply(&tree.text, &edits.changes);
                assert!(parse(syntax, new.as_bytes()).is_ok(), "{text:?}: {path}: {new:?}");
                // The difference is computed without the rest of the document.
                if let Some(difference) = edits.difference {
                    let has_all =
                        edit::has_all(syntax, text.as_bytes(), &[difference], new.as_bytes());
                    assert!(has_all, "{text:?}: {path}: {new:?}");
                }
            }
        }
    }

    /// Plans edits that only INI has, or that differ there.
    fn ini_edits(
        tree: &Tree,
        index: usize,
        value: &value::Value,
    ) -> Vec<Result<edit::Edits, edit::KeyRefusal>> {
        let Syntax::Ini(_) = tree.syntax else { return Vec::new() };
        let names = ["s", "n"].map(str::to_owned);
        vec![
            edit::insert_key(tree, Tree::ROOT, &names, value, Check::Now),
            edit::insert_key(tree, Tree::ROOT, &names[1..], value, Check::Now),
            edit::insert_line(tree, index, "n", "n = 1", Check::Now),
            edit::replace_line(tree, index, "a = 1"),
            edit::insert_line(tree, index, "n", ":n: 1", Check::Now),
            edit::replace_line(tree, index, ":a: 1"),
        ]
    }

    #[test]
    fn all_short_documents_can_be_read_and_edited() {
        let yaml: &[&str] = &[
            "? ", " ", "\n", "\r", ": ", "- ", "a", "[", "]", "{", "}", ",", "#", "&b", "*b", "|",
            "'",
        ];
        let toml: &[&str] = &["[", "]", "a", ".", "=", "1", "\n", "{", "}", ",", "#", " ", "\""];
        let json: &[&str] = &["{", "}", "[", "]", "\"a\"", ":", "1", ",", "\n", " ", "//", "/*"];
        let lines: &[&str] = &["a", "=", ":", "\n", " ", "#", "\\", "\"", "'", "export ", "\r\n"];
        let ini: &[&str] =
            &["[a]\n", "[", "]", "a", "=b", ":", "\n", " ", "#", "\\", "\"", ".", "\r\n"];
        let markup: &[&str] = &[
            ":",
            "a",
            " ",
            "b\n",
            "\n",
            "!",
            "\\",
            "* ",
            "#+",
            ":PROPERTIES:\n",
            "----\n",
            ".. ",
            "\r\n",
        ];
        let ini_case = |dialect, length| (Syntax::Ini(dialect), ini, length);
        let markup_case = |dialect| (Syntax::Ini(dialect), markup, 4);
        for (syntax, parts, longest) in [
            (Syntax::Yaml, yaml, 4),
            (Syntax::Toml, toml, 4),
            (Syntax::Json, json, 4),
            (Syntax::JsonLines, json, 4),
            (Syntax::Env, lines, 4),
            (Syntax::Properties, lines, 4),
            ini_case(IniDialect::Indented, 4),
            ini_case(IniDialect::Git, 3),
            ini_case(IniDialect::Systemd, 3),
            ini_case(IniDialect::Python, 3),
            ini_case(IniDialect::Unknown, 3),
            ini_case(IniDialect::Npm, 3),
            ini_case(IniDialect::Line, 3),
            markup_case(IniDialect::AsciiDoc),
            markup_case(IniDialect::Org),
            markup_case(IniDialect::Rst),
        ] {
            for length in 1..=longest {
                for number in 0..parts.len().pow(length) {
                    check(syntax, &document(parts, length, number));
                }
            }
        }
    }
}
