//! Edits mappings and lists of YAML that are on lines of their own.

use super::change::{Change, Planned, newline_of};
use super::layout::{begins_line, comments_above, next_line, unit, whole_lines};
use super::parse::parse_text;
use super::tree::{Form, Kind, Syntax, Tree};
use super::value::write_name;
use super::yaml::BLANKS;

/// Returns the column of an entry in its line, in bytes. Whitespace and the marks of outer entries
/// precede it.
fn column(tree: &Tree, at: usize) -> usize {
    at - tree.start_of_line(at)
}

/// Returns the offset after the colon or dash of an entry, or the start of a document.
fn after_mark(tree: &Tree, index: usize) -> usize {
    let node = tree.node(index);
    if node.key.is_empty() {
        let is_item = tree.text[node.start as usize..].starts_with('-')
            && tree.parent(index).is_some_and(|parent| tree.node(parent).form != Form::Documents);
        return node.start as usize + usize::from(is_item);
    }
    let end = node.key.range().end;
    tree.text[end..].find(':').map_or(end, |colon| end + colon + 1)
}

/// Like [`after_mark`], but after an anchor on the same line.
fn after_anchor(tree: &Tree, index: usize) -> usize {
    let mark = after_mark(tree, index);
    let rest = &tree.text[mark..];
    let name = rest.trim_start_matches([' ', '\t']);
    match name.starts_with('&') {
        true => mark + rest.len() - name.len() + name.find(BLANKS).unwrap_or(0),
        false => mark,
    }
}

/// Returns the tag of an entry on the line of its value, such as `!!str`.
pub(super) fn tag(tree: &Tree, index: usize) -> Option<&str> {
    if tree.syntax != Syntax::Yaml {
        return None;
    }
    let start = after_mark(tree, index);
    let before = tree.text.get(start..tree.node(index).value.start as usize)?;
    before.split(BLANKS).find(|word| word.starts_with('!'))
}

/// Returns the source of a mapping or list that is on lines of its own, not indented, with its
/// comments. If it begins with a blank and a comment, the comment is on the line of the key or
/// dash.
pub(super) fn source(tree: &Tree, index: usize) -> String {
    let range = tree.node(index).value.range();
    let mut text = String::new();
    let between = tree.text.get(after_anchor(tree, index)..range.start).unwrap_or_default();
    for (number, line) in between.lines().enumerate() {
        if line.trim_start().starts_with('#') {
            let blank = if number == 0 { " " } else { "" };
            text.push_str(&format!("{blank}{}\n", line.trim()));
        }
    }
    text.push_str(&tree.value(index));
    let rest = &tree.text[range.end..tree.end_of_line(range.end)];
    if !text.ends_with('\n') && rest.trim_start().starts_with('#') {
        text.push_str(rest);
    }
    // If the value ends with a literal block, it needs the line ending.
    text + "\n"
}

/// Returns the indentation of the lines of an entry's value.
pub(super) fn inner_indent(tree: &Tree, index: usize) -> usize {
    if index == Tree::ROOT {
        return 0;
    }
    let node = tree.node(index);
    let step = if node.key.is_empty() { 2 } else { unit(tree).len().max(1) };
    column(tree, node.start as usize) + step
}

/// Indents all lines of a value except the first.
fn indented(value: &str, indent: usize, newline: &str) -> String {
    let margin = " ".repeat(indent);
    let mut lines = value.lines();
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        text.push_str(newline);
        if !line.trim().is_empty() {
            text.push_str(&margin);
        }
        text.push_str(line);
    }
    text
}

/// Whether a value is a mapping or list on lines of its own.
fn is_block(value: &str) -> bool {
    let parsed = parse_text(Syntax::Yaml, value);
    parsed.is_ok_and(|tree| tree.node(0).form == Form::Block)
}

/// Formats a value to follow the colon of a key or the dash of an item, with its further lines
/// indented. A literal block is already indented.
fn after_its_mark(value: &str, indent: usize, is_item: bool, newline: &str) -> String {
    match (is_block(value), is_item) {
        (false, _) => format!(" {value}"),
        (true, _) if value.starts_with(" #") => indented(value, indent, newline),
        (true, true) => format!(" {}", indented(value, indent, newline)),
        (true, false) => {
            format!("{newline}{}{}", " ".repeat(indent), indented(value, indent, newline))
        }
    }
}

/// Replaces the value of an entry.
pub(super) fn replace(tree: &Tree, index: usize, value: &str) -> Planned {
    let node = tree.node(index);
    let newline = newline_of(tree);
    let range = node.value.range();
    let is_document =
        tree.parent(index).is_none_or(|parent| tree.node(parent).form == Form::Documents);
    if is_document {
        return Ok(vec![Change::new(range, value)]);
    }
    let is_item = node.key.is_empty();
    let was_block = node.form == Form::Block;
    if is_block(value) || was_block {
        let text = after_its_mark(value, inner_indent(tree, index), is_item, newline);
        let start = after_anchor(tree, index);
        let beside = tree.text[start..tree.end_of_line(start)].trim_end();
        let text = match beside.trim_start().starts_with('#') {
            // The comment stays on the line of the mark.
            true if text.starts_with(newline) => format!("{beside}{text}"),
            true if !text.contains('\n') => format!("{text}{beside}"),
            _ => text,
        };
        return Ok(vec![Change::new(start..range.end, text)]);
    }
    if range.is_empty() {
        return Ok(vec![Change::insert(range.start, format!(" {value}"))]);
    }
    Ok(vec![Change::new(range, value)])
}

/// Formats a new entry: an item if there are no names, and otherwise a key with its value, inside
/// new mappings for all names except the last. All lines except the first are indented.
fn entry(tree: &Tree, names: &[String], value: &str, indent: usize, model: Option<&str>) -> String {
    let newline = newline_of(tree);
    let Some((last, outer)) = names.split_last() else {
        return format!("-{}", after_its_mark(value, indent + 2, true, newline));
    };
    let unit = unit(tree).len().max(1);
    let mut text = String::new();
    for (depth, name) in outer.iter().enumerate() {
        let name = write_name(tree.syntax, name, model);
        let margin = " ".repeat(indent + unit * (depth + 1));
        text.push_str(&format!("{name}:{newline}{margin}"));
    }
    let inner = indent + unit * names.len();
    let name = write_name(tree.syntax, last, model);
    text.push_str(&format!("{name}:{}", after_its_mark(value, inner, false, newline)));
    text
}

/// Inserts a key, or an item if there are no names, before an entry of a container or at its end.
pub(super) fn insert(
    tree: &Tree,
    container: usize,
    names: &[String],
    before: Option<usize>,
    value: &str,
) -> Planned {
    let children: Vec<usize> = tree.children(container).collect();
    let newline = newline_of(tree);
    let Some(&first) = children.first() else {
        return Ok(vec![into_null(tree, container, names, value)]);
    };
    let start = tree.node(first).start as usize;
    let indent = column(tree, start);
    let model = Some(&tree.text[tree.node(first).key.range()]).filter(|key| !key.is_empty());
    let entry = entry(tree, names, value, indent, model);
    let margin = " ".repeat(indent);
    let previous = match before {
        Some(next) => children.iter().take_while(|&&child| child != next).last(),
        None => children.last(),
    };
    let Some(&previous) = previous else {
        let text = match begins_line(tree, start) {
            true => return Ok(vec![first_line(tree, start, &format!("{margin}{entry}{newline}"))]),
            false => format!("{entry}{newline}{margin}"),
        };
        return Ok(vec![Change::insert(start, text)]);
    };
    let end = tree.end_of_line(tree.span(previous).end);
    Ok(vec![Change::insert(end, format!("{newline}{margin}{entry}"))])
}

/// Inserts a line above the first entry of a container, which begins at `start`, and above its
/// comments.
fn first_line(tree: &Tree, start: usize, line: &str) -> Change {
    Change::insert(comments_above(tree, tree.start_of_line(start), 0, &['#']), line)
}

/// Writes the first entry of a container that has no value yet.
fn into_null(tree: &Tree, container: usize, names: &[String], value: &str) -> Change {
    let newline = newline_of(tree);
    let node = tree.node(container);
    let indent = inner_indent(tree, container);
    let entry = entry(tree, names, value, indent, None);
    let end = node.value.range().end;
    if container == Tree::ROOT {
        let is_open = end > 0 && !tree.text.ends_with('\n');
        let before = if is_open { newline } else { "" };
        return Change::new(node.value.range(), format!("{before}{entry}{newline}"));
    }
    let start = after_mark(tree, container);
    // A missing value has a position before the end of a key that is a list.
    let end = end.max(start);
    let comment = &tree.text[start..tree.end_of_line(end)];
    let is_item = node.key.is_empty();
    match comment.trim().starts_with('#') {
        // The comment stays on the line of the key.
        true => {
            let at = tree.end_of_line(end);
            Change::insert(at, format!("{newline}{}{entry}", " ".repeat(indent)))
        }
        false if is_item => Change::new(start..end, format!(" {entry}")),
        false => Change::new(start..end, format!("{newline}{}{entry}", " ".repeat(indent))),
    }
}

/// Removes an entry, with the comments above it. A container that becomes empty is written as
/// `{}` or `[]`.
pub(super) fn remove(tree: &Tree, index: usize) -> Planned {
    let container = tree.node(index).parent as usize;
    let siblings: Vec<usize> = tree.children(container).collect();
    let node = tree.node(container);
    if siblings.len() == 1 {
        let empty = if node.kind == Kind::Mapping { "{}" } else { "[]" };
        return replace(tree, container, empty);
    }
    let own = tree.span(index);
    if begins_line(tree, own.start) {
        let lines = whole_lines(tree, &own);
        let previous = siblings.iter().take_while(|&&other| other != index).last();
        let floor = previous.map_or(0, |&previous| next_line(tree, tree.span(previous).end));
        let first = comments_above(tree, lines.start, floor, &['#']);
        // The new last line has no line ending either. Spaces that follow it could become part of
        // a block scalar.
        let is_last = tree.text[lines.end..].trim_matches(BLANKS).is_empty();
        let is_open = is_last && !tree.text.ends_with('\n');
        let above = tree.text[..first].strip_suffix('\n').unwrap_or_default();
        let above = above.strip_suffix('\r').unwrap_or(above).len();
        let first = if is_open { above } else { first };
        let end = if is_open { tree.text.len() } else { lines.end };
        return Ok(vec![Change::delete(first..end)]);
    }
    // Only the first entry of a container shares its line with an outer one.
    let next = siblings.iter().skip_while(|&&other| other != index).nth(1);
    let has_comments = |next: usize| {
        let between = tree.text.get(own.end..tree.node(next).start as usize);
        between.is_some_and(|text| text.lines().skip(1).any(|line| line.contains('#')))
    };
    match next {
        Some(&next) if has_comments(next) => {
            // The comments of the next entry stay, below the dash.
            let start = tree.text[..own.start].trim_end_matches([' ', '\t']).len();
            Ok(vec![Change::delete(start..tree.end_of_line(own.end))])
        }
        Some(&next) => Ok(vec![Change::delete(own.start..tree.node(next).start as usize)]),
        None => Err("this entry shares its line with another one".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::find::find;
    use super::super::path::KeyPath;
    use super::*;

    fn parsed(text: &str) -> Tree {
        parse_text(Syntax::Yaml, text).expect("valid")
    }

    fn at(tree: &Tree, path: &str) -> usize {
        match path {
            "" => 0,
            _ => find(tree, &KeyPath::parse(path).expect("a path")).expect("an entry").index,
        }
    }

    #[track_caller]
    fn removed(text: &str, path: &str, expected: &str) {
        let tree = parsed(text);
        let changes = remove(&tree, at(&tree, path)).expect("planned");
        assert_eq!(apply(text, &changes), expected, "{path}");
    }

    #[track_caller]
    fn inserted(text: &str, container: &str, names: &[&str], value: &str, expected: &str) {
        let tree = parsed(text);
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let changes = insert(&tree, at(&tree, container), &names, None, value).expect("planned");
        assert_eq!(apply(text, &changes), expected, "{container} {names:?}");
    }

    const TEXT: &str =
        "# top\na: 1\n# on b\nb:\n  - x # c\n  - k: 1\n    l: 2\n\nc:\n  d: |\n    t\n";

    #[test]
    fn entries_are_removed_with_their_comments() {
        removed(TEXT, "a", &TEXT.replace("a: 1\n", ""));
        removed(TEXT, "b", "# top\na: 1\n\nc:\n  d: |\n    t\n");
        removed(TEXT, "b[0]", &TEXT.replace("  - x # c\n", ""));
        removed(TEXT, "b[1].k", &TEXT.replace("k: 1\n    l", "l"));
        removed(TEXT, "b[1].l", &TEXT.replace("    l: 2\n", ""));
        removed("a: &n\n- x\nb: 1\n", "a[0]", "a: &n []\nb: 1\n");
        removed("a: # c\n  b: 1\n", "a.b", "a: {} # c\n");
        removed("a: 1\nb: 2", "b", "a: 1");
        removed("a: 1\r\nb: 2", "b", "a: 1");
        removed("a: >-\n  t\nb:\n     ", "b", "a: >-\n  t");
        removed("- a: 1\n  # c\n  b: 2\n", "[0].a", "-\n  # c\n  b: 2\n");
        removed("- - a # c\n  # d\n  - b\n", "[0][0]", "-\n  # d\n  - b\n");
        removed("- a: 1 # c\n  b: 2\n", "[0].a", "- b: 2\n");
        removed("- # c\n  b: 1\n", "[0].b", "- {} # c\n");
        removed(TEXT, "c.d", &TEXT.replace("c:\n  d: |\n    t\n", "c: {}\n"));
    }

    #[test]
    fn the_source_of_a_value_has_its_comments() {
        let text =
            "a: &x # on a\n  # why\n  b: 1 # one\nl:\n- # on item\n  - 1\n\n  # two\n  - 2\n";
        let tree = parsed(text);
        assert_eq!(source(&tree, at(&tree, "a")), " # on a\n# why\nb: 1 # one\n");
        let list = "- # on item\n  - 1\n\n  # two\n  - 2\n";
        assert_eq!(source(&tree, at(&tree, "l")), list);
        let item = source(&tree, at(&tree, "l[0]"));
        assert_eq!(item, " # on item\n- 1\n\n# two\n- 2\n");
        inserted(
            "z:\n  y: 1\n",
            "z",
            &["n"],
            &item,
            "z:\n  y: 1\n  n: # on item\n    - 1\n\n    # two\n    - 2\n",
        );
        inserted("z:\n- 1\n", "z", &[], &item, "z:\n- 1\n- # on item\n  - 1\n\n  # two\n  - 2\n");
    }

    #[test]
    fn entries_are_inserted_at_the_end() {
        inserted(TEXT, "", &["n"], "0", &format!("{TEXT}n: 0\n"));
        inserted(TEXT, "", &["n", "m"], "0", &format!("{TEXT}n:\n  m: 0\n"));
        inserted(TEXT, "b", &[], "0", &TEXT.replace("l: 2\n", "l: 2\n  - 0\n"));
        inserted(
            TEXT,
            "b",
            &[],
            "p: 1\nq: 2",
            &TEXT.replace("l: 2\n", "l: 2\n  - p: 1\n    q: 2\n"),
        );
        inserted(TEXT, "b[1]", &["n"], "0", &TEXT.replace("l: 2\n", "l: 2\n    n: 0\n"));
        inserted("a:\n", "a", &["b"], "0", "a:\n  b: 0\n");
        inserted("a: # c\nz: 1\n", "a", &["b"], "0", "a: # c\n  b: 0\nz: 1\n");
        inserted("a:\n", "a", &[], "0", "a:\n  - 0\n");
        inserted("# c\n", "", &["a"], "0", "# c\na: 0\n");
        inserted("\"a\": 1\r\n", "", &["b"], "0", "\"a\": 1\r\n\"b\": 0\r\n");
    }

    #[test]
    fn values_are_replaced() {
        let replaced = |text: &str, path: &str, value: &str| {
            let tree = parsed(text);
            apply(text, &replace(&tree, at(&tree, path), value).expect("planned"))
        };
        assert_eq!(replaced("a: 1 # c\n", "a", "2"), "a: 2 # c\n");
        assert_eq!(replaced("a: # c\nb: 1\n", "a", "2"), "a: 2 # c\nb: 1\n");
        assert_eq!(replaced("a:\n  b: 1\nc: 2\n", "a", "5"), "a: 5\nc: 2\n");
        assert_eq!(replaced("- a: 1\n- 2\n", "[0]", "5"), "- 5\n- 2\n");
        assert_eq!(replaced("a:  # c\n  b: 1\nc: 2\n", "a", "5"), "a: 5  # c\nc: 2\n");
        assert_eq!(replaced("a: # c\n  b: 1\n", "a", "x: 1"), "a: # c\n  x: 1\n");
        assert_eq!(replaced("a: 1\n", "a", "x: 1\ny: 2"), "a:\n  x: 1\n  y: 2\n");
        assert_eq!(replaced("- 1\n", "[0]", "x: 1\ny: 2"), "- x: 1\n  y: 2\n");
    }
}
