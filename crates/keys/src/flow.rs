//! Edits mappings and lists in brackets: JSON, inline tables and arrays of TOML, and the flow
//! style of YAML.

use std::ops::Range;

use super::change::{Change, Planned, newline_of};
use super::layout::{
    after_comments, begins_line, comments_above, has_content, indentation_unit, inside_brackets,
    margin, next_line_start, whole_lines,
};
use super::names::NewKey;
use super::tree::{Bytes, Form, Kind, Syntax, Tree};

/// A container, and its entries next to the place of an edit.
struct Surroundings {
    /// The bytes between the brackets.
    inside: Range<usize>,
    before: Option<Range<usize>>,
    after: Option<Range<usize>>,
}

impl Surroundings {
    fn new(
        tree: &Tree,
        container: usize,
        before: Option<usize>,
        after: Option<usize>,
    ) -> Result<Self, String> {
        let inside = inside_brackets(tree, container)
            .ok_or("a mapping without braces within a list in brackets cannot be edited")?;
        let span = |index: Option<usize>| index.map(|index| tree.span(index));
        Ok(Self { inside, before: span(before), after: span(after) })
    }

    /// Returns the offset of the comma after `at`, if only whitespace and comments precede it.
    fn comma_after(&self, tree: &Tree, at: usize) -> Option<usize> {
        let at = after_comments(tree, at);
        (at < self.inside.end && tree.text[at..].starts_with(',')).then_some(at)
    }

    /// Skips whitespace and comments from an offset.
    fn skip_comments(&self, tree: &Tree, at: usize) -> usize {
        after_comments(tree, at).min(self.inside.end)
    }
}

/// Formats a key with its value for a container, inside new mappings for all keys except the last.
pub(super) fn format_pair(
    tree: &Tree,
    container: usize,
    keys: &[NewKey<'_>],
    value: &str,
) -> String {
    let between = separator(tree, container);
    let margin = margin_inside(tree, container);
    let mut text = value.to_owned();
    for (depth, key) in keys.iter().enumerate().rev() {
        text = format!("{}{between}{text}", key.source);
        text = match (&margin, depth) {
            (_, 0) => text,
            (Some(margin), _) => {
                let (newline, unit) = (newline_of(tree), indentation_unit(tree));
                let [outer, inner] = [depth - 1, depth].map(|depth| unit.repeat(depth));
                format!("{{{newline}{margin}{inner}{text}{newline}{margin}{outer}}}")
            }
            (None, _) if tree.syntax == Syntax::Toml => format!("{{ {text} }}"),
            (None, _) => format!("{{{text}}}"),
        };
    }
    text
}

/// Returns the text between a key and its value, in the style of a container or else of the
/// document.
fn separator(tree: &Tree, container: usize) -> &str {
    let model = tree.children(container).next().or_else(|| {
        let is_pair = |&index: &usize| {
            tree.name(index).is_some()
                && inside_brackets(tree, tree.node(index).parent as usize).is_some()
        };
        (1..tree.nodes.len()).find(is_pair)
    });
    let between = model.filter(|&model| tree.name(model).is_some()).map(|model| {
        let node = tree.node(model);
        &tree.text[node.key.range().end..node.value.range().start.max(node.key.range().end)]
    });
    let default = if tree.syntax == Syntax::Toml { " = " } else { ": " };
    // In YAML, `a:1` is a string.
    let needs_blank = tree.syntax == Syntax::Yaml;
    let between = between.filter(|text| {
        text.len() < 8 && text.trim() == default.trim() && !(needs_blank && text.ends_with(':'))
    });
    between.unwrap_or(default)
}

/// Returns the indentation of the entries of a JSON container, if they are on lines of their own.
pub(super) fn margin_inside(tree: &Tree, container: usize) -> Option<String> {
    if tree.syntax != Syntax::Json || !tree.text.trim_end().contains('\n') {
        return None;
    }
    match tree.children(container).next() {
        Some(first) => {
            let start = tree.node(first).start as usize;
            begins_line(tree, start).then(|| margin(tree, start).to_owned())
        }
        None => {
            Some(format!("{}{}", margin(tree, tree.span(container).start), indentation_unit(tree)))
        }
    }
}

/// Returns the innermost container that is in brackets and contains the keys of a container or is
/// equal to it. In TOML, `a = { b.c = 1 }` defines `b` without brackets of its own.
pub(super) fn brackets_of(tree: &Tree, container: usize) -> Option<usize> {
    let mut outer = container;
    while tree.node(outer).form == Form::Implicit {
        outer = tree.parent(outer)?;
    }
    inside_brackets(tree, outer).map(|_| outer)
}

/// Returns the entries of a container in brackets as they are written, between commas. Those of a
/// table without brackets are entries here.
fn written_entries(tree: &Tree, container: usize) -> Vec<usize> {
    let mut entries = Vec::new();
    for child in tree.children(container) {
        match tree.node(child).form {
            Form::Implicit => entries.extend(written_entries(tree, child)),
            _ => entries.push(child),
        }
    }
    entries.sort_by_key(|&entry| tree.node(entry).start);
    entries
}

/// Returns the names before those of a table in a written entry of it, with a dot.
fn dotted_prefix(tree: &Tree, table: usize, entry: usize) -> String {
    let node = tree.node(entry);
    let is_in_entry = |at: &Bytes| node.start <= at.start && at.end <= node.key.end;
    let mut mentions = tree.mentions.iter().filter(|(index, _)| *index as usize == table);
    let mention = mentions.find(|(_, at)| is_in_entry(at));
    mention.map_or_else(String::new, |(_, at)| {
        format!("{}.", &tree.text[node.start as usize..at.end as usize])
    })
}

/// Inserts an entry before another one, or at the end.
pub(super) fn insert(
    tree: &Tree,
    container: usize,
    before: Option<usize>,
    source: &str,
) -> Planned {
    let brackets = brackets_of(tree, container).unwrap_or(container);
    let entries = written_entries(tree, brackets);
    let is_within = |outer: usize| move |&entry: &usize| tree.is_within(entry, outer);
    let position = match before {
        Some(before) => entries.iter().position(is_within(before)),
        None => entries.iter().rposition(is_within(container)).map(|last| last + 1),
    };
    let position = position.unwrap_or(entries.len());
    let previous = position.checked_sub(1).map(|previous| entries[previous]);
    let model = before.and(entries.get(position).copied()).or(previous);
    let prefix = match model {
        Some(model) if container != brackets => dotted_prefix(tree, container, model),
        _ => String::new(),
    };
    let source = &format!("{prefix}{source}");
    let next = before.and(entries.get(position).copied());
    let surroundings = Surroundings::new(tree, brackets, previous, next)?;
    let newline = newline_of(tree);
    match (&surroundings.before, &surroundings.after) {
        (Some(previous), _) => {
            let comma = surroundings.comma_after(tree, previous.end);
            let after = comma.map_or(previous.end, |comma| comma + 1);
            let next = surroundings.skip_comments(tree, after);
            let is_apart =
                begins_line(tree, previous.start) && tree.line_of(next) > tree.line_of(after);
            let tail = if comma.is_some() { "," } else { "" };
            if is_apart {
                let end = tree.end_of_line(after);
                let line = format!("{newline}{}{source}{tail}", margin(tree, previous.start));
                let comma = comma.is_none().then(|| Change::insert(previous.end, ","));
                return Ok(merge_changes(
                    comma.into_iter().chain([Change::insert(end, line)]).collect(),
                ));
            }
            let space = if is_compact(tree) { "" } else { " " };
            Ok(vec![match comma {
                Some(_) => Change::insert(after, format!("{space}{source},")),
                None => Change::insert(after, format!(",{space}{source}")),
            }])
        }
        (None, Some(next)) if begins_line(tree, next.start) => {
            let line = format!("{}{source},{newline}", margin(tree, next.start));
            Ok(vec![Change::insert(tree.start_of_line(next.start), line)])
        }
        (None, Some(next)) => {
            let space = if is_compact(tree) { "" } else { " " };
            Ok(vec![Change::insert(next.start, format!("{source},{space}"))])
        }
        (None, None) => insert_into_empty(tree, brackets, &surroundings, source),
    }
}

/// Merges changes at the same place.
fn merge_changes(changes: Vec<Change>) -> Vec<Change> {
    match &changes[..] {
        [first, second] if first.at.is_empty() && first.at == second.at => {
            vec![Change::insert(first.at.start, format!("{}{}", first.text, second.text))]
        }
        _ => changes,
    }
}

fn insert_into_empty(
    tree: &Tree,
    container: usize,
    surroundings: &Surroundings,
    entry: &str,
) -> Planned {
    let newline = newline_of(tree);
    let inside = surroundings.inside.clone();
    let outer = margin(tree, inside.start);
    let inner = format!("{outer}{}", indentation_unit(tree));
    if has_content(tree, inside.clone()) {
        // There are only comments.
        if !begins_line(tree, inside.end) {
            let end = inside.start + tree.text[inside].trim_end().len();
            return Ok(vec![Change::insert(end, format!(" {entry}"))]);
        }
        let line = format!("{inner}{entry}{newline}");
        return Ok(vec![Change::insert(tree.start_of_line(inside.end), line)]);
    }
    let is_json = tree.syntax == Syntax::Json && tree.text.trim_end().contains('\n');
    let text = match (is_json, tree.syntax, tree.node(container).kind) {
        (true, ..) => format!("{newline}{inner}{entry}{newline}{outer}"),
        (_, Syntax::Toml, Kind::Mapping) => format!(" {entry} "),
        _ => entry.to_owned(),
    };
    Ok(vec![Change::new(inside, text)])
}

/// Whether there is no space after commas, as in minified JSON.
fn is_compact(tree: &Tree) -> bool {
    let is_json = matches!(tree.syntax, Syntax::Json | Syntax::JsonLines);
    is_json && !tree.text.contains(", ") && !tree.text.contains(": ")
}

/// Removes an entry, with its comma and the comments above it.
pub(super) fn remove(tree: &Tree, index: usize) -> Planned {
    let parent = tree.node(index).parent as usize;
    let container = brackets_of(tree, parent).unwrap_or(parent);
    let entries = written_entries(tree, container);
    let is_removed = |&entry: &usize| tree.is_within(entry, index);
    let first = entries.iter().position(is_removed).unwrap_or_default();
    let count = entries[first..].iter().take_while(|&entry| is_removed(entry)).count();
    if entries[first + count..].iter().any(is_removed) {
        return Err("other keys are between those of this table".to_owned());
    }
    let previous = first.checked_sub(1).map(|previous| entries[previous]);
    let next = entries.get(first + count).copied();
    let surroundings = Surroundings::new(tree, container, previous, next)?;
    let removed = &entries[first..first + count];
    let (Some(&first), Some(&last)) = (removed.first(), removed.last()) else {
        return Err("the entry is not in brackets".to_owned());
    };
    let span = tree.span(first).start..tree.span(last).end;
    let comma = surroundings.comma_after(tree, span.end);
    let after = comma.map_or(span.end, |comma| comma + 1);
    let is_apart = begins_line(tree, span.start)
        && tree.line_of(surroundings.skip_comments(tree, after)) > tree.line_of(after.max(1) - 1);
    if let (None, None) = (&surroundings.before, &surroundings.after) {
        let rest = [surroundings.inside.start..span.start, after..surroundings.inside.end];
        if !rest.into_iter().any(|rest| has_content(tree, rest)) {
            return Ok(vec![Change::delete(surroundings.inside)]);
        }
    }
    if is_apart {
        let lines = whole_lines(tree, &(span.start..after));
        let floor =
            surroundings.before.as_ref().map_or(surroundings.inside.start, |before| before.end);
        let markers = if tree.syntax == Syntax::Json { ['/'] } else { ['#'] };
        let first = comments_above(tree, lines.start, next_line_start(tree, floor), &markers);
        let is_only = surroundings.before.is_none() && surroundings.after.is_none();
        let Range { start, end } = surroundings.inside.clone();
        if is_only
            && !has_content(tree, start..first.max(start))
            && !has_content(tree, lines.end.min(end)..end)
        {
            return Ok(vec![Change::delete(surroundings.inside)]);
        }
        let mut changes = vec![Change::delete(first..lines.end)];
        // The entry before it becomes the last one.
        if let (Some(previous), None, None) = (&surroundings.before, &surroundings.after, comma)
            && let Some(comma) = surroundings.comma_after(tree, previous.end)
        {
            changes.insert(0, Change::delete(comma..comma + 1));
        }
        return Ok(changes);
    }
    match (&surroundings.before, &surroundings.after) {
        (_, Some(next)) => Ok(vec![Change::delete(
            span.start..surroundings.skip_comments(tree, after).min(next.start),
        )]),
        (Some(previous), None) => {
            let comma_before = surroundings.comma_after(tree, previous.end).unwrap_or(previous.end);
            let from = if comma.is_some() { comma_before + 1 } else { comma_before };
            match has_content(tree, from..span.start) {
                false => Ok(vec![Change::delete(from..after)]),
                true if comma.is_some() => Ok(vec![Change::delete(span.start..after)]),
                true => Ok(vec![
                    Change::delete(comma_before..comma_before + 1),
                    Change::delete(span.start..span.end),
                ]),
            }
        }
        (None, None) => Ok(vec![Change::delete(span.start..after)]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::find::find;
    use super::super::parse::parse_text;
    use super::super::path::KeyPath;
    use super::*;

    fn index_of(tree: &Tree, path: &str) -> usize {
        find(tree, &KeyPath::parse(path).expect("a path")).expect("an entry").index
    }

    #[track_caller]
    fn check_removal(syntax: Syntax, text: &str, path: &str, expected: &str) {
        let tree = parse_text(syntax, text).expect("valid");
        let changes = remove(&tree, index_of(&tree, path)).expect("planned");
        assert_eq!(apply(text, &changes), expected, "{path}");
    }

    #[track_caller]
    fn check_insertion(syntax: Syntax, text: &str, container: &str, before: &str, expected: &str) {
        let tree = parse_text(syntax, text).expect("valid");
        let container = if container.is_empty() { 0 } else { index_of(&tree, container) };
        let before = (!before.is_empty()).then(|| index_of(&tree, before));
        let entry = match tree.node(container).kind {
            Kind::Mapping => format_new_pair(&tree, container, &["n"], "0"),
            _ => "0".to_owned(),
        };
        let changes = insert(&tree, container, before, &entry).expect("planned");
        assert_eq!(apply(text, &changes), expected, "{container} {before:?}");
    }

    fn format_new_pair(tree: &Tree, container: usize, names: &[&str], value: &str) -> String {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        format_pair(tree, container, &NewKey::for_names(tree, container, &names), value)
    }

    #[test]
    fn entries_on_lines_of_their_own() {
        let text = "{\n  \"a\": 1,\n  // on b\n  \"b\": [\n    1, 2\n  ], // b\n  \"c\": {}\n}\n";
        let json = Syntax::Json;
        check_removal(
            json,
            text,
            "a",
            "{\n  // on b\n  \"b\": [\n    1, 2\n  ], // b\n  \"c\": {}\n}\n",
        );
        check_removal(json, text, "b", "{\n  \"a\": 1,\n  \"c\": {}\n}\n");
        check_removal(
            json,
            text,
            "c",
            "{\n  \"a\": 1,\n  // on b\n  \"b\": [\n    1, 2\n  ] // b\n}\n",
        );
        check_removal(json, text, "b[0]", &text.replace("1, 2", "2"));
        check_removal(json, text, "b[1]", &text.replace("1, 2", "1"));
        check_insertion(json, text, "", "", &text.replace("{}", "{},\n  \"n\": 0"));
        check_insertion(json, text, "", "b", &text.replace("1,\n", "1,\n  \"n\": 0,\n"));
        check_insertion(
            json,
            text,
            "",
            "a",
            &text.replace("{\n  \"a\"", "{\n  \"n\": 0,\n  \"a\""),
        );
        check_insertion(json, text, "b", "", &text.replace("1, 2", "1, 2, 0"));
        check_insertion(json, text, "c", "", &text.replace("{}", "{\n    \"n\": 0\n  }"));
    }

    #[test]
    fn commas_at_the_end_stay() {
        let text = "{\n  a: 1,\n  b: 2, // x\n}\n";
        check_removal(Syntax::Json, text, "b", "{\n  a: 1,\n}\n");
        check_insertion(Syntax::Json, text, "", "", "{\n  a: 1,\n  b: 2, // x\n  n: 0,\n}\n");
    }

    #[test]
    fn entries_on_one_line() {
        let text = "{\"a\":1,\"b\":[],\"c\":[5]}";
        let json = Syntax::Json;
        check_removal(json, text, "a", "{\"b\":[],\"c\":[5]}");
        check_removal(json, text, "c", "{\"a\":1,\"b\":[]}");
        check_removal(json, text, "c[0]", "{\"a\":1,\"b\":[],\"c\":[]}");
        check_insertion(json, text, "", "", "{\"a\":1,\"b\":[],\"c\":[5],\"n\":0}");
        check_insertion(json, text, "b", "", "{\"a\":1,\"b\":[0],\"c\":[5]}");
        check_insertion(json, text, "c", "c[0]", "{\"a\":1,\"b\":[],\"c\":[0,5]}");
        check_insertion(
            Syntax::Yaml,
            "k: {a: 1, b: 2} # c\n",
            "k",
            "",
            "k: {a: 1, b: 2, n: 0} # c\n",
        );
        check_removal(Syntax::Yaml, "k: [x, y] # c\n", "k[1]", "k: [x] # c\n");
    }

    #[test]
    fn dotted_keys_in_braces() {
        let removed = |path, expected| {
            check_removal(Syntax::Toml, "t = {a.b = 1, a.c.e = 2, d = 3}\n", path, expected);
        };
        removed("t.a", "t = {d = 3}\n");
        removed("t.a.b", "t = {a.c.e = 2, d = 3}\n");
        removed("t.a.c", "t = {a.b = 1, d = 3}\n");
        removed("t.d", "t = {a.b = 1, a.c.e = 2}\n");
        check_removal(Syntax::Toml, "t = { a.b = 1, a.c = 2 }\n", "t.a", "t = {}\n");
        let tree = parse_text(Syntax::Toml, "t = {a.b = 1, d = 3, a.c = 2}\n").expect("valid");
        assert!(remove(&tree, index_of(&tree, "t.a")).is_err());
        let inserted = |path, expected| {
            check_insertion(Syntax::Toml, "t = {d = 3, a.b.c = 1}\n", path, "", expected);
        };
        inserted("t", "t = {d = 3, a.b.c = 1, n = 0}\n");
        inserted("t.a", "t = {d = 3, a.b.c = 1, a.n = 0}\n");
        inserted("t.a.b", "t = {d = 3, a.b.c = 1, a.b.n = 0}\n");
    }

    #[test]
    fn names_are_written_like_those_beside_them() {
        let tree = parse_text(Syntax::Json, "{a : 1}").expect("valid");
        assert_eq!(format_new_pair(&tree, 0, &["b", "c d"], "2"), "b : {\"c d\" : 2}");
        let tree = parse_text(Syntax::Json, "{\n  \"a\": 1\n}").expect("valid");
        let written = format_new_pair(&tree, 0, &["b", "c d"], "2");
        assert_eq!(written, "\"b\": {\n    \"c d\": 2\n  }");
    }
}
