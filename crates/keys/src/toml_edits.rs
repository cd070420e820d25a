//! Adds, deletes and renames the keys and tables of TOML that are on lines of their own.

use std::ops::Range;

use super::change::{Change, Planned};
use super::layout::{
    comments_above, insert_lines, is_blank_at, is_blank_before, next_line_start, trimmed_line,
    without_blank_lines,
};
use super::names::NewKey;
use super::toml_table::TomlTable;
use super::tree::{Form, Kind, Statement, Tree};

/// The reason why an entry cannot be edited as lines.
const NOT_LINES: &str = "the entry is not on lines of its own";

fn dotted_key(keys: &[NewKey<'_>]) -> String {
    keys.iter().map(|key| &key.source[..]).collect::<Vec<_>>().join(".")
}

/// The statements of a document, with the lines around them.
pub(super) struct Statements<'t> {
    pub(super) tree: &'t Tree,
}

impl<'t> Statements<'t> {
    pub(super) fn get(&self, index: usize) -> Statement {
        self.tree.statements[index]
    }

    pub(super) fn line_start(&self, index: usize) -> usize {
        self.tree.start_of_line(self.get(index).at.start as usize)
    }

    fn indent(&self, index: usize) -> &'t str {
        let start = self.line_start(index);
        &self.tree.text[start..self.get(index).at.start as usize]
    }

    /// Returns the start of the line after a statement.
    pub(super) fn next_line_start(&self, index: usize) -> usize {
        next_line_start(self.tree, self.get(index).at.end as usize)
    }

    /// Returns the start of the comments above a statement or, without comments, of its line.
    fn start_with_comments(&self, index: usize) -> usize {
        let floor = if index == 0 { 0 } else { self.next_line_start(index - 1) };
        comments_above(self.tree, self.line_start(index), floor, &['#'])
    }

    /// Returns the end of the comment lines directly below a statement, unless the next statement
    /// follows directly.
    pub(super) fn end_with_comments(&self, index: usize) -> usize {
        let end = self.next_line_start(index);
        let mut comments_end = end;
        while comments_end < self.tree.text.len()
            && trimmed_line(self.tree, self.tree.line_of(comments_end)).starts_with('#')
        {
            comments_end = self.tree.line_start(self.tree.line_of(comments_end) + 1);
        }
        let is_last = comments_end == self.tree.text.len() || is_blank_at(self.tree, comments_end);
        if is_last { comments_end } else { end }
    }

    /// Returns the statements that define an entry or its descendants.
    pub(super) fn statements_of(&self, node: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let defines_entry =
            move |index: &usize| self.tree.is_within(self.get(*index).node as usize, node);
        (0..self.tree.statements.len()).filter(defines_entry)
    }

    fn header(&self, table: usize) -> Option<usize> {
        let is_header = |other: &Statement| other.is_header && other.node as usize == table;
        self.tree.statements.iter().position(is_header)
    }

    /// Returns the key lines below the header of a table or, for the root, above all headers.
    fn key_lines(&self, table: usize) -> Range<usize> {
        let statements = &self.tree.statements;
        let first = match self.header(table) {
            Some(header) => header + 1,
            None if table == Tree::ROOT => 0,
            None => return 0..0,
        };
        let is_header = |statement: &Statement| statement.is_header;
        let count = statements[first..].iter().position(is_header);
        first..count.map_or(statements.len(), |count| first + count)
    }

    /// Returns the range of an entry's key in a statement, from the first name of the statement on.
    pub(super) fn key_range(&self, index: usize, node: usize) -> Option<Range<usize>> {
        let at = self.get(index).at;
        let mentions = &self.tree.mentions;
        let first = mentions.partition_point(|(_, mention)| mention.start < at.start);
        let mut in_statement =
            mentions[first..].iter().take_while(|(_, mention)| mention.end <= at.end);
        let (_, mention) = in_statement.find(|(other, _)| *other as usize == node)?;
        let written = &self.tree.text[at.start as usize..mention.end as usize];
        let written = written.trim_start_matches(['[', ' ', '\t']);
        let end = mention.end as usize;
        Some(end - written.len()..end)
    }

    /// Returns the innermost entry with a name that contains an entry or is equal to it, or the
    /// root.
    pub(super) fn nearest_named(&self, mut node: usize) -> usize {
        while node != Tree::ROOT && self.tree.node(node).key.is_empty() {
            node = self.tree.node(node).parent as usize;
        }
        node
    }

    /// Returns the prefix of headers of subtables: the table's key and a dot, or nothing for the
    /// root.
    fn header_prefix(&self, table: usize) -> String {
        let named_table = self.nearest_named(table);
        if named_table == Tree::ROOT {
            return String::new();
        }
        let is_header = |index: &usize| self.get(*index).is_header;
        let mut headers = self.statements_of(table).filter(is_header);
        let written = headers.find_map(|index| self.key_range(index, named_table));
        self.tree.text[written.unwrap_or_default()].to_owned() + "."
    }

    /// Returns the key lines of a table without a header, each with the source of the table's key
    /// in it.
    fn dotted_keys(&self, table: usize) -> impl DoubleEndedIterator<Item = (usize, &'t str)> + '_ {
        let is_key = |index: &usize| !self.get(*index).is_header;
        let with_key = move |index| Some((index, &self.tree.text[self.key_range(index, table)?]));
        self.statements_of(table).filter(is_key).filter_map(with_key)
    }

    /// Returns the text before and after the equals sign of a statement, and the width of its key.
    fn key_style(&self, index: usize) -> (&'t str, &'t str, usize) {
        let start = self.get(index).at.start as usize;
        let node = self.tree.node(self.get(index).node as usize);
        let written = &self.tree.text[node.key.end as usize..node.value.start as usize];
        let (before, after) = written.split_once('=').unwrap_or((" ", " "));
        (before, after, self.tree.text[start..node.key.end as usize].chars().count())
    }

    /// Returns the separator between a new key and its value, in the style of a statement.
    fn separator(&self, model: usize, key: &str) -> String {
        let (before, after, width) = self.key_style(model);
        let is_aligned_with = |other: usize| {
            let statement = self.tree.statements.get(other);
            statement.is_some_and(|statement| !statement.is_header) && {
                let (padding, _, other) = self.key_style(other);
                other != width && other + padding.len() == width + before.len()
            }
        };
        let is_spaces = !before.is_empty() && before.bytes().all(|byte| byte == b' ');
        let is_aligned =
            is_spaces && (is_aligned_with(model.wrapping_sub(1)) || is_aligned_with(model + 1));
        if !is_aligned {
            return format!("{before}={after}");
        }
        let padding = (width + before.len()).saturating_sub(key.chars().count()).max(1);
        format!("{}={after}", " ".repeat(padding))
    }

    /// Returns the separator between the first key of a table and its value, in the style of the
    /// document.
    fn first_separator(&self) -> &'static str {
        let first = self.tree.statements.iter().position(|statement| !statement.is_header);
        match first.map(|first| self.key_style(first)) {
            Some(("", "", _)) => "=",
            _ => " = ",
        }
    }

    fn is_separated(&self) -> bool {
        let headers = (1..self.tree.statements.len()).filter(|&index| self.get(index).is_header);
        let mut separated =
            headers.map(|index| is_blank_before(self.tree, self.start_with_comments(index)));
        match separated.next() {
            Some(first) => first || separated.any(|is_separated| is_separated),
            None => true,
        }
    }

    /// Inserts lines that begin with a header.
    fn insert_table(&self, at: usize, mut lines: Vec<String>, is_separated: bool) -> Planned {
        let text = &self.tree.text;
        if is_separated && at > 0 && !is_blank_before(self.tree, at) {
            lines.insert(0, String::new());
        }
        if is_separated && at < text.len() && !is_blank_at(self.tree, at) {
            lines.push(String::new());
        }
        Ok(vec![insert_lines(self.tree, at, &lines)])
    }

    /// Returns the indentation of headers within a table, and of the keys below them.
    fn indents(&self, table: usize) -> (&'t str, &'t str) {
        let is_header_in_table = |index: &usize| {
            let statement = self.get(*index);
            let parent = self.tree.node(statement.node as usize).parent as usize;
            statement.is_header && parent == table
        };
        let siblings: Vec<usize> = self.statements_of(table).filter(is_header_in_table).collect();
        let Some(header) = siblings.last().copied().or_else(|| self.header(table)) else {
            return ("", "");
        };
        let has_keys = |&header: &usize| {
            self.tree.statements.get(header + 1).is_some_and(|next| !next.is_header)
        };
        let model = siblings.into_iter().rfind(has_keys).or(Some(header).filter(has_keys));
        let key = model.map_or(header, |header| header + 1);
        (self.indent(header), self.indent(key))
    }
}

/// Adds a key after the last key of a table. If there are several names, adds tables for all except
/// the last.
///
/// # Errors
///
/// Fails if the table is inline.
pub(super) fn insert(tree: &Tree, container: usize, keys: &[NewKey<'_>], value: &str) -> Planned {
    let lines = Statements { tree };
    let node = tree.node(container);
    let is_on_lines = node.kind == Kind::Mapping && lines.statements_of(container).next().is_some();
    if container != Tree::ROOT && (node.form == Form::Flow || !is_on_lines) {
        return Err(NOT_LINES.to_owned());
    }
    if let Some((index, prefix)) = lines.dotted_keys(container).next_back() {
        let key = format!("{prefix}.{}", dotted_key(keys));
        return Ok(vec![key_line(&lines, index, &key, value)]);
    }
    if keys.len() > 1 || node.form == Form::Implicit {
        return insert_below_header(&lines, container, keys, value);
    }
    let others = lines.key_lines(container);
    let key = dotted_key(keys);
    if !others.is_empty() {
        return Ok(vec![key_line(&lines, others.end - 1, &key, value)]);
    }
    let entry = format!("{key}{}{value}", lines.first_separator());
    match (lines.header(container), tree.statements.is_empty()) {
        (Some(header), _) => {
            let entry = format!("{}{entry}", lines.indent(header));
            Ok(vec![insert_lines(tree, lines.next_line_start(header), &[entry])])
        }
        (None, true) => Ok(vec![insert_lines(tree, tree.text.len(), &[entry])]),
        (None, false) => {
            Ok(vec![insert_lines(tree, lines.start_with_comments(0), &[entry, String::new()])])
        }
    }
}

/// Returns a line with a key, in the style of the statement above it.
fn key_line(lines: &Statements<'_>, model: usize, key: &str, value: &str) -> Change {
    let separator = lines.separator(model, key);
    let entry = format!("{}{key}{separator}{value}", lines.indent(model));
    insert_lines(lines.tree, lines.next_line_start(model), &[entry])
}

/// Inserts the lines of a key before or after another one, or the lines of a table before or after
/// another one.
///
/// # Errors
///
/// Fails if the entry is not on lines of its own.
pub(super) fn insert_beside(tree: &Tree, node: usize, is_after: bool, text: &str) -> Planned {
    let lines = Statements { tree };
    let statements: Vec<usize> = lines.statements_of(node).collect();
    let (Some(&first), Some(&last)) = (statements.first(), statements.last()) else {
        return Err(NOT_LINES.to_owned());
    };
    let new_lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let statement = lines.get(first);
    if statement.is_header {
        let at =
            if is_after { lines.end_with_comments(last) } else { lines.start_with_comments(first) };
        return lines.insert_table(at, new_lines, lines.is_separated());
    }
    // A dotted key begins with the names of its tables.
    let names = &tree.text[statement.at.start as usize..tree.node(node).key.start as usize];
    let margin = format!("{}{names}", lines.indent(first));
    let new_lines = std::iter::once(format!("{margin}{}", new_lines.join("\n")));
    let at = if is_after { lines.next_line_start(last) } else { lines.start_with_comments(first) };
    Ok(vec![insert_lines(tree, at, &new_lines.collect::<Vec<_>>())])
}

/// Adds a key below a new header for the container or for a new table in it.
fn insert_below_header(
    lines: &Statements<'_>,
    container: usize,
    keys: &[NewKey<'_>],
    value: &str,
) -> Planned {
    let tree = lines.tree;
    let (key, tables) = keys.split_last().ok_or("a name is missing")?;
    let mut path = lines.header_prefix(container) + &dotted_key(tables);
    let (indent, key_indent) = lines.indents(container);
    let first = lines.statements_of(container).next();
    let at = if tables.is_empty() {
        path.pop();
        first.map(|first| lines.start_with_comments(first))
    } else {
        let last = lines.statements_of(container).next_back().filter(|_| container != Tree::ROOT);
        last.map(|last| lines.end_with_comments(last))
    };
    let at = at.unwrap_or(tree.text.len());
    let separator = lines.first_separator();
    let entry = format!("{key_indent}{}{separator}{value}", key.source);
    lines.insert_table(at, vec![format!("{indent}[{path}]"), entry], lines.is_separated())
}

/// Adds a table, with its lines, after the last line of another one.
///
/// # Errors
///
/// Fails if the lines do not begin with a header.
pub(super) fn insert_table(
    tree: &Tree,
    container: usize,
    keys: &[NewKey<'_>],
    table: &TomlTable,
) -> Planned {
    let lines = Statements { tree };
    let path = lines.header_prefix(container) + &dotted_key(keys);
    let last = lines.statements_of(container).next_back().filter(|_| container != Tree::ROOT);
    let at = last.map_or(tree.text.len(), |last| lines.end_with_comments(last));
    let new_lines =
        table.lines_with_path(&path, false).ok_or("the table does not begin with a header")?;
    lines.insert_table(at, new_lines, lines.is_separated())
}

/// Inserts an item into an array of tables, at position `number`. `item` returns the lines of the
/// item for the path of the array and the indentation of the header and of the keys.
///
/// # Errors
///
/// Fails if the array is inline.
pub(super) fn append_table(
    tree: &Tree,
    array: usize,
    number: usize,
    item: impl FnOnce(&str, (&str, &str)) -> Option<Vec<String>>,
) -> Planned {
    let lines = Statements { tree };
    let is_item = |index: &usize| {
        let Statement { node, is_header, .. } = lines.get(*index);
        is_header && tree.node(node as usize).parent as usize == array
    };
    let headers: Vec<usize> = (0..tree.statements.len()).filter(is_item).collect();
    let Some(&first) = headers.first().filter(|_| tree.node(array).form == Form::Block) else {
        return Err("an array in brackets has no tables".to_owned());
    };
    let path = &tree.text[lines.key_range(first, array).unwrap_or_default()];
    let new_lines =
        item(path, lines.indents(array)).ok_or("the table does not begin with a header")?;
    let at = match headers.get(number) {
        Some(&header) => lines.start_with_comments(header),
        None => {
            let last = lines.statements_of(array).next_back().unwrap_or(first);
            lines.end_with_comments(last)
        }
    };
    let is_separated = match headers.get(1) {
        Some(&second) => is_blank_before(tree, lines.start_with_comments(second)),
        None => lines.is_separated(),
    };
    lines.insert_table(at, new_lines, is_separated)
}

/// Formats an item of an array of tables: its header, and the lines of `body`.
pub(super) fn item_lines(
    body: &str,
    path: &str,
    (indent, key_indent): (&str, &str),
) -> Vec<String> {
    let has_long_strings = body.contains("\"\"\"") || body.contains("'''");
    let key_indent = if has_long_strings { "" } else { key_indent };
    let line =
        |line: &str| if line.is_empty() { String::new() } else { format!("{key_indent}{line}") };
    std::iter::once(format!("{indent}[[{path}]]")).chain(body.lines().map(line)).collect()
}

/// Deletes an entry: all lines that define it or its descendants, and their comments.
///
/// # Errors
///
/// Fails if the entry is not on lines of its own.
pub(super) fn remove(tree: &Tree, node: usize) -> Planned {
    let lines = Statements { tree };
    let mut changes: Vec<Change> = Vec::new();
    let mut statements = lines.statements_of(node).peekable();
    while let Some(first) = statements.next() {
        let mut last = first;
        while statements.next_if_eq(&(last + 1)).is_some() {
            last += 1;
        }
        let has_header = (first..=last).any(|index| lines.get(index).is_header);
        let end =
            if has_header { lines.end_with_comments(last) } else { lines.next_line_start(last) };
        changes.push(without_blank_lines(tree, lines.start_with_comments(first), end));
    }
    if changes.is_empty() || node == Tree::ROOT { Err(NOT_LINES.to_owned()) } else { Ok(changes) }
}

/// Renames an entry wherever its name is written.
///
/// # Errors
///
/// Fails if the entry is an item, which has no name.
pub(super) fn rename(tree: &Tree, node: usize, key: &NewKey<'_>) -> Planned {
    let mentions = tree.mentions.iter().filter(|(other, _)| *other as usize == node);
    let changes: Vec<Change> =
        mentions.map(|(_, at)| Change::new(at.range(), &key.source[..])).collect();
    if changes.is_empty() { Err("an item of a list has no name".to_owned()) } else { Ok(changes) }
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::toml::parse;
    use super::*;

    /// Returns the entry at a path such as `a.b[0]`.
    fn find(tree: &Tree, path: &str) -> usize {
        (0..tree.nodes.len()).find(|&index| tree.path(index) == path).expect("an entry")
    }

    fn append(tree: &Tree, array: usize, number: usize, body: &str) -> Planned {
        let item = |path: &str, indents: (&str, &str)| Some(item_lines(body, path, indents));
        append_table(tree, array, number, item)
    }

    #[track_caller]
    fn check(text: &str, expected: &str, edit: impl Fn(&Tree) -> Planned) {
        for ending in ["\n", "\r\n"] {
            if text.is_empty() && ending != "\n" {
                continue;
            }
            for is_finished in [true, false] {
                let (mut text, mut expected) =
                    (text.replace('\n', ending), expected.replace('\n', ending));
                if !is_finished {
                    // The document has no line ending to preserve.
                    if text.matches('\n').count() < 2 || expected.is_empty() {
                        continue;
                    }
                    for text in [&mut text, &mut expected] {
                        text.truncate(text.trim_end_matches(['\n', '\r']).len());
                    }
                }
                let tree = parse(&text).expect("a document");
                let result = apply(&text, &edit(&tree).expect("changes"));
                assert_eq!(result, expected);
                parse(&result).expect("a document");
            }
        }
    }

    fn insert_key_path(tree: &Tree, at: &str, names: &[&str]) -> Planned {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let table = find(tree, at);
        insert(tree, table, &NewKey::for_names(tree, table, &names), "9")
    }

    fn rename_entry(tree: &Tree, path: &str, name: &str) -> Planned {
        let node = find(tree, path);
        rename(tree, node, &NewKey::replacing(tree, node, name))
    }

    #[track_caller]
    fn check_insertion(text: &str, at: &str, names: &[&str], expected: &str) {
        check(text, expected, |tree| insert_key_path(tree, at, names));
    }

    #[track_caller]
    fn check_removal(text: &str, path: &str, expected: &str) {
        check(text, expected, |tree| remove(tree, find(tree, path)));
    }

    #[test]
    fn a_new_key_follows_the_last_key_of_its_table() {
        check_insertion("a = 1\n\n[t]\nb = 2\n", "", &["n"], "a = 1\nn = 9\n\n[t]\nb = 2\n");
        check_insertion("[t]\n  b=2 # c\n\n[u]\n", "t", &["n"], "[t]\n  b=2 # c\n  n=9\n\n[u]\n");
        check_insertion("[t] # c\n[u]\n", "t", &["ä"], "[t] # c\n\"ä\" = 9\n[u]\n");
        check_insertion("# c\n\n# d\n[t]\n", "", &["n"], "# c\n\nn = 9\n\n# d\n[t]\n");
        check_insertion(
            "a = [\n  1,\n]\nb.c = 2\n",
            "",
            &["n"],
            "a = [\n  1,\n]\nb.c = 2\nn = 9\n",
        );
        check_insertion(
            "[[a]]\nx=1\n[[a]]\nx=2\n",
            "a[0]",
            &["n"],
            "[[a]]\nx=1\nn=9\n[[a]]\nx=2\n",
        );
        check_insertion("a   = 1\nlong = 2\n", "", &["n"], "a   = 1\nlong = 2\nn = 9\n");
        check_insertion("a    = 1\nlong = 2\n", "", &["no"], "a    = 1\nlong = 2\nno   = 9\n");
        check_insertion("", "", &["n"], "n = 9\n");
    }

    #[test]
    fn dotted_keys_in_braces_are_renamed() {
        let tree = parse("a = { b.c = 1, b.d = 2 }\n").expect("valid");
        let renamed = rename_entry(&tree, "a.b", "x").map(|changes| apply(&tree.text, &changes));
        assert_eq!(renamed.as_deref(), Ok("a = { x.c = 1, x.d = 2 }\n"));
    }

    #[test]
    fn a_dotted_table_gets_dotted_keys() {
        let text = "[t]\na.'b'.c = 1\na.'b'.d = 2\ne = 3\n";
        check_insertion(text, "t.a.b", &["n"], &text.replace("e =", "a.'b'.n = 9\ne ="));
        check_insertion(text, "t.a", &["n", "m"], &text.replace("e =", "a.n.m = 9\ne ="));
    }

    #[test]
    fn missing_tables_get_headers() {
        let text = "[a]\nx = 1\n# d\n\n[a.'b'.c]\ny = 2\n\n[[d]]\nz = 3\n";
        let after = "y = 2\n\n[a.n]\nm = 9\n";
        check_insertion(text, "a", &["n", "m"], &text.replace("y = 2\n", after));
        let header_and_key = "[a.'b']\nn = 9\n\n[a.'b'.c]";
        check_insertion(text, "a.b", &["n"], &text.replace("[a.'b'.c]", header_and_key));
        check_insertion(text, "d[0]", &["n", "m"], &format!("{text}\n[d.n]\nm = 9\n"));
        check_insertion(text, "", &["n", "k.l", "m"], &format!("{text}\n[n.\"k.l\"]\nm = 9\n"));
        check_insertion("[a]\n[b]\n", "a", &["n", "m"], "[a]\n[a.n]\nm = 9\n[b]\n");
        check_insertion("", "", &["n", "m"], "[n]\nm = 9\n");
    }

    #[test]
    fn tables_in_braces_have_no_lines() {
        let tree = parse("a = {b.c = 1}\nd = [{}]\n").expect("a document");
        for path in ["a", "a.b", "d[0]"] {
            assert!(insert_key_path(&tree, path, &["n"]).is_err(), "{path}");
        }
        assert!(remove(&tree, find(&tree, "a.b")).is_err());
        assert!(append(&tree, find(&tree, "d"), 0, "").is_err());
        assert!(rename_entry(&tree, "d[0]", "x").is_err());
    }

    #[test]
    fn items_are_added_to_arrays_of_tables() {
        let text = "# h\n\n# c\n[[a.b]]\n  x = 1\n  [a.b.c]\n  # end\n\n# d\n[[a.b]]\n\n[e]\n";
        let new = "[[a.b]]\n  y = 1\n  z = 2\n";
        let body = "y = 1\nz = 2";
        for (number, place) in [(0, "# c\n"), (1, "# d\n"), (2, "[e]\n")] {
            check(text, &text.replace(place, &format!("{new}\n{place}")), |tree| {
                append(tree, find(tree, "a.b"), number, body)
            });
        }
        check("[[a]]\nx=1\n", "[[a]]\nx=1\n\n[[a]]\n", |tree| append(tree, 1, 1, ""));
        check("[[a]]\n[[a]]\n", "[[a]]\n[[a]]\n[[a]]\ny = 1\n", |tree| {
            append(tree, 1, 2, "y = 1\n")
        });
    }

    #[test]
    fn an_entry_is_deleted_with_its_comments_and_a_blank_line() {
        let text = "# file\n\n# a\na = 1\n\n# b\n# b\nb = [\n  1,\n] # b\n\nc = 3\n";
        check_removal(text, "a", "# file\n\n# b\n# b\nb = [\n  1,\n] # b\n\nc = 3\n");
        check_removal(text, "b", "# file\n\n# a\na = 1\n\nc = 3\n");
        check_removal(text, "c", "# file\n\n# a\na = 1\n\n# b\n# b\nb = [\n  1,\n] # b\n");
        check_removal("a = 1\n", "a", "");
        check_removal("# file\na = 1 # a\n", "a", "# file\n");
        check_removal("#:schema x\na = 1\nb = 2\n", "a", "#:schema x\nb = 2\n");
        check_removal("a = 1\n\n\n[b]\nc = 1\n\n\n[d]\n", "b", "a = 1\n\n\n[d]\n");
        check_removal("a = \"\"\"\n# x\"\"\"\nb = 1\n", "b", "a = \"\"\"\n# x\"\"\"\n");
    }

    #[test]
    fn a_table_is_deleted_wherever_it_is_continued() {
        let text =
            "[a.b]\nx = 1\n# y = 2\n\n[c]\n\n# a\n[a]\ny = 1\n\n[a.d]\n\n# e\n[e]\na.f = 1\n";
        check_removal(text, "a", "[c]\n\n# e\n[e]\na.f = 1\n");
        check_removal(text, "a.b", &text.replace("[a.b]\nx = 1\n# y = 2\n\n", ""));
        check_removal(text, "e.a", &text.replace("a.f = 1\n", ""));
        let items = "[[a]]\nx = 1\n[a.b]\n[[a]]\nx = 2\n";
        check_removal(items, "a[0]", "[[a]]\nx = 2\n");
        check_removal(items, "a[1]", "[[a]]\nx = 1\n[a.b]\n");
    }

    #[test]
    fn a_name_is_changed_wherever_it_is_written() {
        let text = "[a.\"b\".c]\na = {b = 1, b2.b = 2}\n[[a.b.d]]\n[a]\n'b'.x = 1\n[b]\nb = 1\n";
        let expected = text.replace("\"b\"", "n").replace("a.b.d", "a.n.d").replace("'b'", "n");
        check(text, &expected, |tree| rename_entry(tree, "a.b", "n"));
        let expected = text.replace("b2.b", "b2.\"n \\\"m\\u007f\"");
        check(text, &expected, |tree| rename_entry(tree, "a.b.c.a.b2.b", "n \"m\u{7f}"));
    }
}
