//! Edits mappings and lists of YAML that are on lines of their own.

use std::ops::Range;

use super::change::{Change, Planned, newline_of};
use super::layout::{
    begins_line, comments_above, indentation_unit, is_blank_before, next_line_start, whole_lines,
};
use super::names::NewKey;
use super::parse::parse_fragment;
use super::tree::{Form, Kind, Syntax, Tree};
use super::yaml_scalar::{BLANKS, BlockScalar, indented_scalar};

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

/// Like [`after_mark`], but after an anchor and a tag.
fn after_properties(tree: &Tree, index: usize) -> usize {
    after_mark(tree, index).max(tree.properties(index).span().end)
}

/// Returns the source of a mapping or list that is on lines of its own, not indented, with its
/// comments. If it begins with a blank and a comment, the comment is on the line of the key or
/// dash.
pub(super) fn block_source(tree: &Tree, index: usize) -> String {
    let range = tree.node(index).value.range();
    let mut text = String::new();
    let mark = after_mark(tree, index);
    let properties = tree.properties(index).span();
    let properties = if properties.is_empty() { mark..mark } else { properties };
    let before = tree.text.get(mark..properties.start).unwrap_or_default();
    let after = tree.text.get(properties.end..range.start).unwrap_or_default();
    for (number, line) in (before.to_owned() + after).lines().enumerate() {
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
    text
}

/// Returns the source of a block scalar, with its lines not indented. Returns `None` for other
/// entries.
pub(super) fn scalar_source(tree: &Tree, index: usize) -> Option<String> {
    let scalar = BlockScalar::parse(tree.written(index))?;
    let indent = scalar.indent(column(tree, tree.node(index).start as usize)).unwrap_or(0);
    Some(scalar.without_indentation(indent))
}

/// The indentation of the lines of a value.
#[derive(Clone, Copy)]
struct Margin {
    indent: usize,
    /// The difference to the indentation of the key or dash of the value.
    step: usize,
}

impl Margin {
    /// The indentation of the value of an entry.
    fn of_value(tree: &Tree, index: usize) -> Self {
        let node = tree.node(index);
        let step = if node.key.is_empty() { 2 } else { indentation_unit(tree).len().max(1) };
        Self { indent: column(tree, node.start as usize) + step, step }
    }

    /// The indentation of a value of a key. Lists are indented like the other lists.
    fn for_lines(self, tree: &Tree, value: &str) -> Self {
        match list_step(tree).filter(|_| block_kind(value) == Some(Kind::Sequence)) {
            Some(step) => Self { indent: self.indent - self.step + step, ..self },
            None => self,
        }
    }

    /// The indentation of a new block scalar in place of an old value.
    fn of_scalar(tree: &Tree, index: usize) -> Self {
        let column_of_entry = column(tree, tree.node(index).start as usize);
        let old = BlockScalar::parse(tree.written(index))
            .and_then(|scalar| scalar.indent(column_of_entry));
        match old.filter(|indent| *indent > column_of_entry) {
            Some(indent) => Self { indent, step: indent - column_of_entry },
            None if is_document(tree, index) => Self { indent: 2, step: 2 },
            None => Self::of_value(tree, index),
        }
    }
}

/// Whether an entry is the root of a document.
fn is_document(tree: &Tree, index: usize) -> bool {
    tree.parent(index).is_none_or(|parent| tree.node(parent).form == Form::Documents)
}

/// Splits a source into its tag, with the blank after it, and its value.
fn split_tag(value: &str) -> (&str, &str) {
    let end = if value.starts_with('!') { value.find(' ').map_or(0, |at| at + 1) } else { 0 };
    value.split_at(end)
}

/// Indents all lines of a value except the first.
fn indented(value: &str, indent: usize, newline: &str) -> String {
    let margin = " ".repeat(indent);
    let mut lines = value.split('\n').map(|line| line.trim_end_matches('\r'));
    let mut text = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        text.push_str(newline);
        if !line.is_empty() {
            text.push_str(&margin);
        }
        text.push_str(line);
    }
    text
}

/// Indents all lines of a value except the first, instead of the indentation that they have in
/// common.
fn reindented(value: &str, indent: usize, newline: &str) -> String {
    let (first, rest) = value.split_once('\n').unwrap_or((value, ""));
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let texts = rest.lines().filter(|line| !line.trim().is_empty());
    let common = texts.map(indentation).min().unwrap_or(0);
    let lines = rest.lines().map(|line| line.get(common..).unwrap_or_default());
    indented(&std::iter::once(first).chain(lines).collect::<Vec<_>>().join("\n"), indent, newline)
}

/// Indents the further lines of a value in brackets. The closing bracket is indented like the key,
/// if the lines between the brackets are indented more.
fn indent_bracketed(value: &str, Margin { indent, step }: Margin, newline: &str) -> String {
    let value = reindented(value, 0, "\n");
    let is_deep = |line: &str| line.is_empty() || line.starts_with([' ', '\t', '}', ']']);
    let are_deep = value.lines().skip(1).all(is_deep);
    indented(&value, if are_deep { indent - step } else { indent }, newline)
}

/// Returns the type of a value that is a mapping or list on lines of its own.
fn block_kind(value: &str) -> Option<Kind> {
    let parsed = parse_fragment(Syntax::Yaml, value).ok()?;
    let root = parsed.node(Tree::ROOT);
    (root.form == Form::Block).then_some(root.kind)
}

fn is_block(value: &str) -> bool {
    block_kind(value).is_some()
}

/// Returns the difference between the indentation of the first list and that of its key.
fn list_step(tree: &Tree) -> Option<usize> {
    let is_list = |&index: &usize| {
        let node = tree.node(index);
        node.kind == Kind::Sequence && node.form == Form::Block && !node.key.is_empty()
    };
    let list = (1..tree.nodes.len()).find(is_list)?;
    let first = tree.children(list).next()?;
    let [key, item] = [list, first].map(|index| column(tree, tree.node(index).start as usize));
    item.checked_sub(key)
}

/// Formats a value to follow the colon of a key or the dash of an item, with its further lines
/// indented.
fn format_after_mark(value: &str, margin: Margin, is_item: bool, newline: &str) -> String {
    let Margin { indent, step } = margin;
    let (tag, untagged) = split_tag(value);
    if value.is_empty() {
        return String::new();
    }
    if BlockScalar::parse(untagged).is_some() {
        return format!(" {tag}{}", indented_scalar(untagged, indent, step, newline));
    }
    match is_block(value) {
        false if untagged.starts_with(['{', '[']) => {
            format!(" {}", indent_bracketed(value, margin, newline))
        }
        false => format!(" {}", reindented(value, indent, newline)),
        // It begins with a tag or a comment on the line of the key or dash.
        true if value.starts_with(' ') => indented(value, indent, newline),
        true if is_item => format!(" {}", indented(value, indent, newline)),
        true => format!("{newline}{}{}", " ".repeat(indent), indented(value, indent, newline)),
    }
}

/// Replaces the value of an entry, without its anchor and tag.
pub(super) fn replace(tree: &Tree, index: usize, value: &str) -> Planned {
    let node = tree.node(index);
    let newline = newline_of(tree);
    let range = node.value.range();
    let (tag, untagged) = split_tag(value);
    let text = match BlockScalar::parse(untagged) {
        Some(_) => {
            let Margin { indent, step } = Margin::of_scalar(tree, index);
            format!("{tag}{}", indented_scalar(untagged, indent, step, newline))
        }
        None => value.to_owned(),
    };
    if is_document(tree, index) {
        return Ok(vec![Change::new(range, text)]);
    }
    if node.form == Form::Block || is_block(value) {
        return Ok(vec![replace_lines(tree, index, value)]);
    }
    let text = if untagged.starts_with(['{', '[']) {
        format!("{tag}{}", indent_bracketed(untagged, Margin::of_value(tree, index), newline))
    } else {
        text
    };
    let blank = if range.is_empty() { " " } else { "" };
    Ok(vec![Change::new(range, format!("{blank}{text}"))])
}

/// Replaces a value if the old or the new one is a mapping or list on lines of its own. The
/// comments in the old one are deleted, except that on the line of the key or dash.
fn replace_lines(tree: &Tree, index: usize, value: &str) -> Change {
    let newline = newline_of(tree);
    let node = tree.node(index);
    let range = node.value.range();
    let start = after_properties(tree, index);
    let comment_after = |at: usize| {
        let rest = tree.text[at..tree.end_of_line(at)].trim_end();
        if rest.trim_start().starts_with('#') { rest } else { "" }
    };
    let after = comment_after(range.end);
    let comment_on_first_line = if node.form == Form::Block { comment_after(start) } else { after };
    // Below a tag, the first entry is on a line of its own.
    let is_bare = tree.properties(index).span().is_empty();
    let is_item = node.key.is_empty() && comment_on_first_line.is_empty() && is_bare;
    let margin = Margin::of_value(tree, index);
    let margin = if node.key.is_empty() { margin } else { margin.for_lines(tree, value) };
    let mut text = format_after_mark(value, margin, is_item, newline);
    let has_lines = is_block(value) || BlockScalar::parse(split_tag(value).1).is_some();
    let first = text.find(newline).filter(|_| has_lines);
    text.insert_str(first.unwrap_or(text.len()), comment_on_first_line);
    Change::new(start..range.end + after.len(), text)
}

/// Formats a new entry: an item if there are no keys, and otherwise a key with its value, inside
/// new mappings for all keys except the last. All lines except the first are indented.
fn format_entry(tree: &Tree, keys: &[NewKey<'_>], value: &str, indent: usize) -> String {
    let newline = newline_of(tree);
    let Some((last, outer)) = keys.split_last() else {
        let margin = Margin { indent: indent + 2, step: 2 };
        return format!("-{}", format_after_mark(value, margin, true, newline));
    };
    let unit = indentation_unit(tree).len().max(1);
    let mut text = String::new();
    for (depth, key) in outer.iter().enumerate() {
        let margin = " ".repeat(indent + unit * (depth + 1));
        text.push_str(&format!("{}:{newline}{margin}", key.source));
    }
    let margin = Margin { indent: indent + unit * keys.len(), step: unit };
    let margin = margin.for_lines(tree, value);
    text.push_str(&format!("{}:{}", last.source, format_after_mark(value, margin, false, newline)));
    text
}

/// Writes the first entry of a container that is empty brackets, on lines of its own.
pub(super) fn insert_first(
    tree: &Tree,
    container: usize,
    keys: &[NewKey<'_>],
    value: &str,
) -> Planned {
    replace(tree, container, &format_entry(tree, keys, value, 0))
}

/// Inserts a key, or an item if there are no keys, before an entry of a container or at its end.
pub(super) fn insert(
    tree: &Tree,
    container: usize,
    keys: &[NewKey<'_>],
    before: Option<usize>,
    value: &str,
) -> Planned {
    let Some(first) = tree.children(container).next() else {
        return Ok(vec![fill_null(tree, container, keys, value)]);
    };
    let indent = column(tree, tree.node(first).start as usize);
    Ok(vec![insert_entry_lines(tree, container, before, &format_entry(tree, keys, value, indent))])
}

/// Inserts the lines of an entry, which are not indented, before an entry of a container or at its
/// end.
pub(super) fn insert_lines(
    tree: &Tree,
    container: usize,
    before: Option<usize>,
    lines: &str,
) -> Planned {
    let first = tree.children(container).next().ok_or("there is no entry beside it")?;
    let indent = column(tree, tree.node(first).start as usize);
    Ok(vec![insert_entry_lines(
        tree,
        container,
        before,
        &indented(lines, indent, newline_of(tree)),
    )])
}

/// Inserts an entry, all lines of which except the first are indented, into a container that is not
/// empty.
fn insert_entry_lines(tree: &Tree, container: usize, before: Option<usize>, entry: &str) -> Change {
    let children: Vec<usize> = tree.children(container).collect();
    let newline = newline_of(tree);
    let start = children.first().map_or(0, |&first| tree.node(first).start as usize);
    let margin = " ".repeat(column(tree, start));
    let previous = match before {
        Some(next) => children.iter().take_while(|&&child| child != next).last(),
        None => children.last(),
    };
    let Some(&previous) = previous else {
        return if begins_line(tree, start) {
            insert_first_line(tree, start, &format!("{margin}{entry}{newline}"))
        } else {
            Change::insert(start, format!("{entry}{newline}{margin}"))
        };
    };
    let end = tree.end_of_line(tree.span(previous).end);
    Change::insert(end, format!("{newline}{margin}{entry}"))
}

/// Inserts a line above the first entry of a container, which begins at `start`, and above its
/// comments.
fn insert_first_line(tree: &Tree, start: usize, line: &str) -> Change {
    Change::insert(comments_above(tree, tree.start_of_line(start), 0, &['#']), line)
}

/// Writes the first entry of a container that has no value yet.
fn fill_null(tree: &Tree, container: usize, keys: &[NewKey<'_>], value: &str) -> Change {
    let newline = newline_of(tree);
    let node = tree.node(container);
    if is_document(tree, container) {
        return fill_document(tree, container, &format_entry(tree, keys, value, 0));
    }
    if !node.value.is_empty() {
        return replace_lines(tree, container, &format_entry(tree, keys, value, 0));
    }
    let margin = Margin::of_value(tree, container);
    let is_list_of_key = keys.is_empty() && !node.key.is_empty();
    let margin = if is_list_of_key { margin.for_lines(tree, "- x") } else { margin };
    let indent = margin.indent;
    let entry = format_entry(tree, keys, value, indent);
    let start = after_properties(tree, container);
    // A missing value has a position before the end of a key that is a list.
    let end = (node.value.range().end).max(start);
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

/// Writes the first entry of a document.
fn fill_document(tree: &Tree, document: usize, entry: &str) -> Change {
    let newline = newline_of(tree);
    let range = tree.node(document).value.range();
    let before = tree.text[..range.start].rsplit('\n').next().unwrap_or_default();
    let is_open = !before.trim().is_empty();
    let first = if is_open { newline } else { "" };
    if !range.is_empty() {
        let start = range.start - (before.len() - before.trim_end().len()) * usize::from(is_open);
        return Change::new(start..range.end, format!("{first}{entry}"));
    }
    let has_end = is_open && tree.text[range.end..].starts_with(newline);
    let last = if has_end { "" } else { newline };
    Change::insert(range.start, format!("{first}{entry}{last}"))
}

/// Removes an entry, with the comments above it. A container that becomes empty is written as
/// `{}` or `[]`.
pub(super) fn remove(tree: &Tree, index: usize) -> Planned {
    let container = tree.node(index).parent as usize;
    let siblings: Vec<usize> = tree.children(container).collect();
    let node = tree.node(container);
    let span = tree.span(index);
    if siblings.len() == 1 {
        let empty = if node.kind == Kind::Mapping { "{}" } else { "[]" };
        return match detached_comments(tree, container, &span) {
            Some((mark, lines)) => {
                Ok(vec![Change::insert(mark, format!(" {empty}")), Change::delete(lines)])
            }
            None if is_document(tree, container) => {
                let range = with_comment_beside(tree, node.value.range());
                let line = tree.start_of_line(span.start);
                let start = match tree.text[line..range.start].trim().is_empty() {
                    true => comments_above(tree, line, 0, &['#']).min(range.start),
                    false => range.start,
                };
                Ok(vec![Change::new(start..range.end, empty)])
            }
            None => replace(tree, container, empty),
        };
    }
    if begins_line(tree, span.start) {
        let lines = whole_lines(tree, &span);
        let previous = siblings.iter().take_while(|&&other| other != index).last();
        let floor = previous.map_or(0, |&previous| next_line_start(tree, tree.span(previous).end));
        let first = comments_above(tree, lines.start, floor, &['#']);
        // The new last line has no line ending either. Spaces that follow it could become part of
        // a block scalar.
        let is_last = tree.text[lines.end..].trim_matches(BLANKS).is_empty();
        let is_open = is_last && !tree.text.ends_with('\n');
        let first = if is_last { without_blank_lines_above(tree, first, floor) } else { first };
        let above = tree.text[..first].strip_suffix('\n').unwrap_or_default();
        let above = above.strip_suffix('\r').unwrap_or(above).len();
        let first = if is_open { above } else { first };
        let end = if is_open { tree.text.len() } else { lines.end };
        return Ok(vec![Change::delete(first..end)]);
    }
    // Only the first entry of a container shares its line with an outer one.
    let next = siblings.iter().skip_while(|&&other| other != index).nth(1);
    let has_comments = |next: usize| {
        let between = tree.text.get(span.end..tree.node(next).start as usize);
        between.is_some_and(|text| text.lines().skip(1).any(|line| line.contains('#')))
    };
    match next {
        Some(&next) if has_comments(next) => {
            // The comments of the next entry stay, below the dash.
            let start = tree.text[..span.start].trim_end_matches([' ', '\t']).len();
            Ok(vec![Change::delete(start..tree.end_of_line(span.end))])
        }
        Some(&next) => Ok(vec![Change::delete(span.start..tree.node(next).start as usize)]),
        None => Err("this entry shares its line with another one".to_owned()),
    }
}

/// Extends a range over the comment after it on its last line.
fn with_comment_beside(tree: &Tree, range: Range<usize>) -> Range<usize> {
    let end = tree.end_of_line(range.end);
    let has_comment = tree.text[range.end..end].trim_start().starts_with('#');
    range.start..if has_comment { end } else { range.end }
}

/// Returns the start of the blank lines above a line, except those before `floor`.
fn without_blank_lines_above(tree: &Tree, mut start: usize, floor: usize) -> usize {
    while start > floor && is_blank_before(tree, start) {
        start = tree.start_of_line(start - 1);
    }
    start.max(floor)
}

/// Returns the end of the mark of a container, and the lines of its only entry, if comments that do
/// not belong to the entry are between them.
fn detached_comments(
    tree: &Tree,
    container: usize,
    span: &Range<usize>,
) -> Option<(usize, Range<usize>)> {
    let mark = after_properties(tree, container);
    let lines = whole_lines(tree, span);
    let below = next_line_start(tree, mark);
    if is_document(tree, container) || !begins_line(tree, span.start) || lines.start <= below {
        return None;
    }
    let first = comments_above(tree, lines.start, below, &['#']);
    tree.text[below..first].contains('#').then_some((mark, first..lines.end))
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::find::find;
    use super::super::parse::parse_text;
    use super::super::path::KeyPath;
    use super::*;

    fn parse_yaml(text: &str) -> Tree {
        parse_text(Syntax::Yaml, text).expect("valid")
    }

    fn index_of(tree: &Tree, path: &str) -> usize {
        match path {
            "" => 0,
            _ => find(tree, &KeyPath::parse(path).expect("a path")).expect("an entry").index,
        }
    }

    #[track_caller]
    fn check_removal(text: &str, path: &str, expected: &str) {
        let tree = parse_yaml(text);
        let changes = remove(&tree, index_of(&tree, path)).expect("planned");
        assert_eq!(apply(text, &changes), expected, "{path}");
    }

    #[track_caller]
    fn check_insertion(text: &str, container: &str, names: &[&str], value: &str, expected: &str) {
        let tree = parse_yaml(text);
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let container_index = index_of(&tree, container);
        let keys = NewKey::for_names(&tree, container_index, &names);
        let changes = insert(&tree, container_index, &keys, None, value).expect("planned");
        assert_eq!(apply(text, &changes), expected, "{container} {names:?}");
    }

    const TEXT: &str =
        "# top\n\n# on a\na: 1\n# on b\nb:\n  - x # c\n  - k: 1\n    l: 2\n\nc:\n  d: |\n    t\n";

    #[test]
    fn entries_are_removed_with_their_comments() {
        check_removal(TEXT, "a", &TEXT.replace("# on a\na: 1\n", ""));
        check_removal(TEXT, "b", "# top\n\n# on a\na: 1\n\nc:\n  d: |\n    t\n");
        check_removal(TEXT, "b[0]", &TEXT.replace("  - x # c\n", ""));
        check_removal(TEXT, "b[1].k", &TEXT.replace("k: 1\n    l", "l"));
        check_removal(TEXT, "b[1].l", &TEXT.replace("    l: 2\n", ""));
        check_removal("a: &n\n- x\nb: 1\n", "a[0]", "a: &n []\nb: 1\n");
        check_removal("a: # c\n  b: 1\n", "a.b", "a: {} # c\n");
        check_removal("a: 1\nb: 2", "b", "a: 1");
        check_removal("a: 1\r\nb: 2", "b", "a: 1");
        check_removal("a: >-\n  t\nb:\n     ", "b", "a: >-\n  t");
        check_removal("- a: 1\n  # c\n  b: 2\n", "[0].a", "-\n  # c\n  b: 2\n");
        check_removal("- - a # c\n  # d\n  - b\n", "[0][0]", "-\n  # d\n  - b\n");
        check_removal("- a: 1 # c\n  b: 2\n", "[0].a", "- b: 2\n");
        check_removal("- # c\n  b: 1\n", "[0].b", "- {} # c\n");
        let detached = "l: # c\n\n  # kept\n\n  # on a\n  - a\nz: 1\n";
        check_removal(detached, "l[0]", "l: [] # c\n\n  # kept\n\nz: 1\n");
        check_removal(TEXT, "c.d", &TEXT.replace("c:\n  d: |\n    t\n", "c: {}\n"));
    }

    #[test]
    fn the_comments_of_the_only_entry_are_removed() {
        check_removal("# top\n\n# on a\na: 1 # end\n", "a", "# top\n\n{}\n");
        check_removal("# top\n\na: 1\n", "a", "# top\n\n{}\n");
        check_removal("# on k\nk:\n  # on a\n  a: 1\n", "k.a", "# on k\nk: {}\n");
        // A comment at the start of the document describes the document.
        check_removal("# top\n# more\na: 1 # end\n", "a", "# top\n# more\n{}\n");
        check_removal("---\n# top\na:\n  b: 1\n...\n", "a", "---\n# top\n{}\n...\n");
        check_removal("# top\r\n- a\r\n\r\n# end\r\n", "[0]", "# top\r\n[]\r\n\r\n# end\r\n");
        check_removal("--- !t\n# top\na: 1\n", "a", "--- !t\n# top\n{}\n");
        check_removal("# vim: ft=yaml\na: 1\nb: 2\n", "a", "# vim: ft=yaml\nb: 2\n");
    }

    #[test]
    fn the_source_of_a_value_has_its_comments() {
        let text =
            "a: &x # on a\n  # why\n  b: 1 # one\nl:\n- # on item\n  - 1\n\n  # two\n  - 2\n";
        let tree = parse_yaml(text);
        assert_eq!(block_source(&tree, index_of(&tree, "a")), " # on a\n# why\nb: 1 # one");
        let list = "- # on item\n  - 1\n\n  # two\n  - 2";
        assert_eq!(block_source(&tree, index_of(&tree, "l")), list);
        let item = block_source(&tree, index_of(&tree, "l[0]"));
        assert_eq!(item, " # on item\n- 1\n\n# two\n- 2");
        check_insertion(
            "z:\n  y: 1\n",
            "z",
            &["n"],
            &item,
            "z:\n  y: 1\n  n: # on item\n    - 1\n\n    # two\n    - 2\n",
        );
        let scalar = parse_yaml("a: !v |+ # c\n    x\n\n\nb: 1\n");
        assert_eq!(
            scalar_source(&scalar, index_of(&scalar, "a")).as_deref(),
            Some("|+ # c\nx\n\n")
        );
        check_insertion(
            "z:\n- 1\n",
            "z",
            &[],
            &item,
            "z:\n- 1\n- # on item\n  - 1\n\n  # two\n  - 2\n",
        );
    }

    #[test]
    fn entries_are_inserted_at_the_end() {
        check_insertion(TEXT, "", &["n"], "0", &format!("{TEXT}n: 0\n"));
        check_insertion(TEXT, "", &["n", "m"], "0", &format!("{TEXT}n:\n  m: 0\n"));
        check_insertion(TEXT, "b", &[], "0", &TEXT.replace("l: 2\n", "l: 2\n  - 0\n"));
        check_insertion(
            TEXT,
            "b",
            &[],
            "p: 1\nq: 2",
            &TEXT.replace("l: 2\n", "l: 2\n  - p: 1\n    q: 2\n"),
        );
        check_insertion(TEXT, "b[1]", &["n"], "0", &TEXT.replace("l: 2\n", "l: 2\n    n: 0\n"));
        check_insertion("a:\n", "a", &["b"], "0", "a:\n  b: 0\n");
        check_insertion("a: # c\nz: 1\n", "a", &["b"], "0", "a: # c\n  b: 0\nz: 1\n");
        check_insertion("a:\n", "a", &[], "0", "a:\n  - 0\n");
        check_insertion("# c\n", "", &["a"], "0", "# c\na: 0\n");
        check_insertion("\"a\": 1\r\n", "", &["b"], "0", "\"a\": 1\r\n\"b\": 0\r\n");
    }

    #[test]
    fn values_are_replaced() {
        let replaced = |text: &str, path: &str, value: &str| {
            let tree = parse_yaml(text);
            apply(text, &replace(&tree, index_of(&tree, path), value).expect("planned"))
        };
        assert_eq!(replaced("a: 1 # c\n", "a", "2"), "a: 2 # c\n");
        assert_eq!(replaced("a: # c\nb: 1\n", "a", "2"), "a: 2 # c\nb: 1\n");
        assert_eq!(replaced("a:\n  b: 1\nc: 2\n", "a", "5"), "a: 5\nc: 2\n");
        assert_eq!(replaced("- a: 1\n- 2\n", "[0]", "5"), "- 5\n- 2\n");
        assert_eq!(replaced("a:  # c\n  b: 1\nc: 2\n", "a", "5"), "a: 5  # c\nc: 2\n");
        assert_eq!(replaced("a: # c\n  b: 1\n", "a", "x: 1"), "a: # c\n  x: 1\n");
        assert_eq!(replaced("a: 1\n", "a", "x: 1\ny: 2"), "a:\n  x: 1\n  y: 2\n");
        assert_eq!(replaced("- 1\n", "[0]", "x: 1\ny: 2"), "- x: 1\n  y: 2\n");
        assert_eq!(replaced("- !t\n  x: 1\n", "[0]", "y: 2"), "- !t\n  y: 2\n");
        assert_eq!(replaced("a: 1\n", "a", "[1,\n2]"), "a: [1,\n  2]\n");
        let lines = "{\n  \"x\": 1\n}";
        assert_eq!(replaced("a:\n  b: 1\n", "a.b", lines), "a:\n  b: {\n    \"x\": 1\n  }\n");
        assert_eq!(replaced("a:\n- 1\n", "a[0]", lines), "a:\n- {\n  \"x\": 1\n}\n");
    }
}
