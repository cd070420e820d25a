//! TOML tables that are written at another place: their lines, with other names in the headers.

use std::ops::Range;

/// A table, or an array of tables, that is not inline.
#[derive(Clone, Debug)]
pub(super) struct TomlTable {
    /// Whether there are comments between its lines or after them.
    pub(super) has_comments: bool,
    /// Its lines, if they are consecutive and begin with a header.
    pub(super) lines: Option<TableLines>,
}

#[derive(Clone, Debug)]
pub(super) struct TableLines {
    /// The source after the header of the table itself or, if it does not begin with that header,
    /// from the first header on.
    pub(super) text: String,
    /// Whether the header of the table itself precedes `text`.
    pub(super) has_header: bool,
    /// The ranges of the name of the table in the headers in `text`.
    pub(super) names: Vec<Range<usize>>,
}

impl TomlTable {
    /// Returns the lines with the given path in the headers; as an item of an array of tables if
    /// requested.
    pub(super) fn lines_with_path(&self, path: &str, is_item: bool) -> Option<Vec<String>> {
        let lines = self.lines.as_ref()?;
        let mut text = match (lines.has_header, is_item) {
            (true, true) => format!("[[{path}]]"),
            (true, false) => format!("[{path}]"),
            (false, true) => return None,
            (false, false) => String::new(),
        };
        let mut at = 0;
        for name in &lines.names {
            text.push_str(&lines.text[at..name.start]);
            text.push_str(path);
            at = name.end;
        }
        text.push_str(&lines.text[at..]);
        Some(text.lines().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::edit::{Check, insert_item, insert_key};
    use super::super::find::find;
    use super::super::path::KeyPath;
    use super::super::toml::parse;
    use super::super::tree::Tree;
    use super::super::value::Value;

    /// Copies an entry to a new key `n` of a table, or to the end of an array.
    fn copied(text: &str, from: &str, to: &str) -> Result<String, String> {
        let tree = parse(text).expect("valid");
        let index_of = |path: &str| match path {
            "" => Tree::ROOT,
            _ => find(&tree, &KeyPath::parse(path).expect("a path")).expect("an entry").index,
        };
        let value = Value::of_entry(&tree, index_of(from)).expect("a value");
        let planned = match tree.node(index_of(to)).kind {
            super::super::Kind::Sequence => {
                insert_item(&tree, index_of(to), None, &value, Check::Now)
            }
            _ => insert_key(&tree, index_of(to), &["n".to_owned()], &value, Check::Now),
        };
        planned.map(|edits| apply(text, &edits.changes)).map_err(String::from)
    }

    #[track_caller]
    fn check(text: &str, from: &str, to: &str, added: &str) {
        assert_eq!(copied(text, from, to), Ok(format!("{text}{added}")), "{from}");
    }

    #[test]
    fn lines_of_tables_are_copied_with_comments_and_types() {
        let text = "[a] # a\n# why\nd = 1979-05-27 # birth\n[a.b]\nf = inf\n\n[z]\n";
        let lines = "# why\nd = 1979-05-27 # birth\n";
        check(text, "a", "", &format!("\n[n] # a\n{lines}[n.b]\nf = inf\n"));
        check(text, "a", "z", &format!("\n[z.n] # a\n{lines}[z.n.b]\nf = inf\n"));
        let text = "[[s]]\nx = 1\n# c\n[s.\"t.u\"]\n[[s]]\nx = 2\n";
        check(text, "s[0]", "", "[n]\nx = 1\n# c\n[n.\"t.u\"]\n");
        check(text, "s[0]", "s", "[[s]]\nx = 1\n# c\n[s.\"t.u\"]\n");
        check(text, "s", "", &text.replace("s]", "n]").replace("s.", "n."));
        check("[a.b]\nx = 1 # c\n", "a", "", "\n[n.b]\nx = 1 # c\n");
    }

    #[test]
    fn inline_tables_keep_types_but_comments_are_not_lost() {
        let inline = "n = { x = 2020-01-01 }";
        let text = "[[l]]\nt = {}\n[[l]]\nx = 2020-01-01\n";
        assert_eq!(
            copied(text, "l[1]", "l[0].t"),
            Ok(text.replace("{}", &format!("{{ {inline} }}")))
        );
        let commented = text.replace("2020-01-01", "2020-01-01 # c");
        assert!(copied(&commented, "l[1]", "l[0].t").is_err());
        assert!(copied("a.x = 1\n# c\na.y = 2\n", "a", "").is_err());
        let copy = copied("a.x = inf\na.y = 2\n", "a", "");
        assert_eq!(copy.as_deref(), Ok("a.x = inf\na.y = 2\nn = { x = inf, y = 2 }\n"));
        let apart = "[a]\nx = 1\n[b]\n[a.c] # c\n";
        assert!(copied(apart, "a", "").is_err());
    }
}
