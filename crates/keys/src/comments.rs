//! The comments of entries that are moved or copied.

use super::change::{Change, newline_of};
use super::layout::{after_comments, begins_line, comments_above, whole_lines};
use super::tree::{Form, Syntax, Tree};
use folio_text::ini_dialect::IniDialect;

/// The comments that belong to an entry. If its value consists of lines, the comments within it
/// belong to the value.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    /// The lines directly above it.
    above: String,
    /// The comment after its value, with the blanks before it.
    beside: String,
}

impl Comments {
    /// Returns the comments of an entry that is not in brackets.
    pub fn of_entry(tree: &Tree, index: usize) -> Self {
        let span = tree.span(index);
        if tree.is_in_brackets(index) {
            return Self::default();
        }
        let markers: &[char] = match tree.syntax {
            Syntax::Properties => &['#', '!'],
            Syntax::Ini(dialect) => dialect.comment_marks(),
            _ => &['#'],
        };
        let lines = whole_lines(tree, &span);
        let first = if begins_line(tree, span.start) {
            comments_above(tree, lines.start, 0, markers)
        } else {
            lines.start
        };
        let above = tree.text[first..lines.start].to_owned() + &before_value(tree, index);
        let after = tree.text[span.end..tree.end_of_line(span.end)].trim_end();
        let node = tree.node(index);
        let is_lines = node.kind.is_container() && node.form != Form::Flow;
        let is_ini = matches!(tree.syntax, Syntax::Ini(_));
        let comment = after.trim_start();
        let has_comments = !tree.ini_dialect().is_some_and(IniDialect::is_markup);
        let is_comment = has_comments
            && (comment.starts_with('#') || is_ini && comment.starts_with(';'))
            && !is_lines;
        let beside = if is_comment { after } else { "" };
        Self { above, beside: beside.to_owned() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.above.is_empty() && self.beside.is_empty()
    }

    /// Adds the comments to the lines of an inserted entry. Returns `None` if comments would be
    /// lost, because the entry is within a line or the syntax has none.
    pub fn add_to(&self, tree: &Tree, changes: &[Change]) -> Option<Vec<Change>> {
        if self.is_empty() {
            return Some(changes.to_vec());
        }
        let [change] = changes else { return None };
        let newline = newline_of(tree);
        let before = &tree.text[..change.at.start];
        let mut start = change.text.len() - change.text.trim_start_matches(['\r', '\n']).len();
        let begins_line = start > 0 || before.is_empty() || before.ends_with('\n');
        let is_json = matches!(tree.syntax, Syntax::Json | Syntax::JsonLines);
        if !begins_line || is_json || !change.at.is_empty() {
            return None;
        }
        // In a new section of INI, the comments are below its marker.
        let is_ini = matches!(tree.syntax, Syntax::Ini(_));
        if is_ini && change.text[start..].starts_with('[') {
            start += change.text[start..].find('\n').map_or(0, |feed| feed + 1);
        }
        let entry = &change.text[start..];
        let margin = &entry[..entry.len() - entry.trim_start_matches([' ', '\t']).len()];
        // Only INI has comments that begin with a semicolon.
        let as_comment = |comment: &str| match comment.trim().strip_prefix(';') {
            Some(rest) if !is_ini => format!("#{rest}"),
            _ => comment.trim().to_owned(),
        };
        let comment_line = |line: &str| format!("{margin}{}{newline}", as_comment(line));
        // After a value of properties or of some dialects of INI, it would be part of the value.
        let (below, beside) = match tree.syntax {
            Syntax::Properties
            | Syntax::Ini(IniDialect::Systemd | IniDialect::Line | IniDialect::Python) => {
                (&self.beside[..], "")
            }
            _ => ("", &self.beside[..]),
        };
        let lines: String = self.above.lines().chain(below.lines()).map(comment_line).collect();
        let end = start + entry.trim_end_matches(['\r', '\n']).len();
        let mut text = change.text.clone();
        let blanks = beside.len() - beside.trim_start().len();
        text.insert_str(end, &format!("{}{}", &beside[..blanks], as_comment(beside)));
        text.insert_str(start, &lines);
        Some(vec![Change { at: change.at.clone(), text }])
    }
}

/// Returns the comments between the key or dash of a YAML scalar and a value on another line.
fn before_value(tree: &Tree, index: usize) -> String {
    let node = tree.node(index);
    let is_scalar = tree.syntax == Syntax::Yaml && node.form == Form::Scalar;
    let start = node.key.range().end.max(node.start as usize);
    let before = tree.text.get(start..node.value.start as usize).filter(|_| is_scalar);
    let comment = |line: &str| line.find(" #").map(|at| format!("{}\n", line[at..].trim()));
    before.into_iter().flat_map(str::lines).filter_map(comment).collect()
}

/// Whether an entry in brackets has comments above or after it, which would not move with it.
pub fn has_comments_in_brackets(tree: &Tree, index: usize) -> bool {
    let marker = if tree.syntax == Syntax::Json { '/' } else { '#' };
    let span = tree.span(index);
    if !tree.is_in_brackets(index) {
        return false;
    }
    let line = tree.start_of_line(span.start);
    let after = tree.text[span.end..].trim_start_matches([' ', '\t', ',']);
    let end = tree.text.len() - after.len();
    let is_beside = after_comments(tree, end) > end && !after.starts_with(['\r', '\n']);
    let begins_line = begins_line(tree, span.start);
    is_beside || begins_line && comments_above(tree, line, 0, &[marker]) < line
}

#[cfg(test)]
mod tests {
    use super::super::find::find;
    use super::super::parse::parse_text;
    use super::super::path::KeyPath;
    use super::*;

    fn index_of(tree: &Tree, path: &str) -> usize {
        find(tree, &KeyPath::parse(path).expect("a path")).expect("an entry").index
    }

    #[test]
    fn comments_between_a_key_and_its_value_belong_to_the_entry() {
        let comments_of = |text: &str, path: &str| {
            let tree = parse_text(Syntax::Yaml, text).expect("valid");
            let comments = Comments::of_entry(&tree, index_of(&tree, path));
            (comments.above, comments.beside)
        };
        let expected = |above: &str, beside: &str| (above.to_owned(), beside.to_owned());
        assert_eq!(
            comments_of("z: 1\n# b\na: # c\n  x # d\n", "a"),
            expected("# b\n# c\n", " # d")
        );
        assert_eq!(comments_of("l:\n- # c\n  x\n", "l[0]"), expected("# c\n", ""));
        assert_eq!(comments_of("z: 1\na: x#y # d\n", "a"), expected("", " # d"));
        assert_eq!(comments_of("z: 1\na: # c\n  b: 1\n", "a"), expected("", ""));
    }

    #[test]
    fn comments_after_an_entry_in_brackets_are_found() {
        let has = |syntax: Syntax, text: &str, path: &str| {
            let tree = parse_text(syntax, text).expect("valid");
            has_comments_in_brackets(&tree, index_of(&tree, path))
        };
        assert!(has(Syntax::Yaml, "x: {a: 1, # c\n  b: 2}\n", "x.a"));
        assert!(has(Syntax::Json, "{\"a\": 1, /* c */ \"b\": 2}", "a"));
        assert!(has(Syntax::Json, "{\n  // c\n  \"a\": 1\n}", "a"));
        assert!(!has(Syntax::Yaml, "x: {a: 1,\n  b: 2} # c\n", "x.a"));
        assert!(!has(Syntax::Yaml, "x: {a: 1, b: 2} # c\n", "x.b"));
        assert!(!has(Syntax::Json, "{\"a\": 1, // c\n \"b\": 2}", "b"));
    }
}
