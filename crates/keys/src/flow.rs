//! Edits mappings and lists in brackets: JSON, inline tables and arrays of TOML, and the flow
//! style of YAML.

use std::ops::Range;

use super::change::{Change, Planned, newline_of};
use super::layout::{
    after_comments, begins_line, comments_above, has_content, inside, margin, next_line, unit,
    whole_lines,
};
use super::names::NewKey;
use super::tree::{Kind, Syntax, Tree};

/// A container, and its entries next to the place of an edit.
struct Around {
    /// The bytes between the brackets.
    inside: Range<usize>,
    before: Option<Range<usize>>,
    after: Option<Range<usize>>,
}

impl Around {
    fn of(
        tree: &Tree,
        container: usize,
        before: Option<usize>,
        after: Option<usize>,
    ) -> Result<Self, String> {
        let inside = inside(tree, container)
            .ok_or("a mapping without braces within a list in brackets cannot be edited")?;
        let span = |index: Option<usize>| index.map(|index| tree.span(index));
        Ok(Self { inside, before: span(before), after: span(after) })
    }

    /// Returns the offset of the comma after `at`, if only whitespace and comments precede it.
    fn comma(&self, tree: &Tree, at: usize) -> Option<usize> {
        let at = after_comments(tree, at);
        (at < self.inside.end && tree.text[at..].starts_with(',')).then_some(at)
    }

    /// Skips whitespace and comments from an offset.
    fn next(&self, tree: &Tree, at: usize) -> usize {
        after_comments(tree, at).min(self.inside.end)
    }
}

/// Formats a key with its value for a container, inside new mappings for all keys except the last.
pub(super) fn pair(tree: &Tree, container: usize, keys: &[NewKey<'_>], value: &str) -> String {
    let between = separator(tree, container);
    let margin = margin_inside(tree, container);
    let mut text = value.to_owned();
    for (depth, key) in keys.iter().enumerate().rev() {
        text = format!("{}{between}{text}", key.source);
        text = match (&margin, depth) {
            (_, 0) => text,
            (Some(margin), _) => {
                let (newline, unit) = (newline_of(tree), unit(tree));
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
            tree.name(index).is_some() && inside(tree, tree.node(index).parent as usize).is_some()
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
        None => Some(format!("{}{}", margin(tree, tree.span(container).start), unit(tree))),
    }
}

/// Inserts an entry before another one, or at the end.
pub(super) fn insert(tree: &Tree, container: usize, before: Option<usize>, entry: &str) -> Planned {
    let previous = match before {
        Some(index) => tree.children(container).take_while(|&own| own != index).last(),
        None => tree.children(container).last(),
    };
    let around = Around::of(tree, container, previous, before)?;
    let newline = newline_of(tree);
    match (&around.before, &around.after) {
        (Some(previous), _) => {
            let comma = around.comma(tree, previous.end);
            let after = comma.map_or(previous.end, |comma| comma + 1);
            let next = around.next(tree, after);
            let is_apart =
                begins_line(tree, previous.start) && tree.line_of(next) > tree.line_of(after);
            let tail = if comma.is_some() { "," } else { "" };
            if is_apart {
                let end = tree.end_of_line(after);
                let line = format!("{newline}{}{entry}{tail}", margin(tree, previous.start));
                let comma = comma.is_none().then(|| Change::insert(previous.end, ","));
                return Ok(joined(comma.into_iter().chain([Change::insert(end, line)]).collect()));
            }
            let space = if is_compact(tree) { "" } else { " " };
            Ok(vec![match comma {
                Some(_) => Change::insert(after, format!("{space}{entry},")),
                None => Change::insert(after, format!(",{space}{entry}")),
            }])
        }
        (None, Some(next)) if begins_line(tree, next.start) => {
            let line = format!("{}{entry},{newline}", margin(tree, next.start));
            Ok(vec![Change::insert(tree.start_of_line(next.start), line)])
        }
        (None, Some(next)) => {
            let space = if is_compact(tree) { "" } else { " " };
            Ok(vec![Change::insert(next.start, format!("{entry},{space}"))])
        }
        (None, None) => into_empty(tree, container, &around, entry),
    }
}

/// Merges changes at the same place.
fn joined(changes: Vec<Change>) -> Vec<Change> {
    match &changes[..] {
        [one, two] if one.at.is_empty() && one.at == two.at => {
            vec![Change::insert(one.at.start, format!("{}{}", one.text, two.text))]
        }
        _ => changes,
    }
}

/// Inserts the first entry between two brackets.
fn into_empty(tree: &Tree, container: usize, around: &Around, entry: &str) -> Planned {
    let newline = newline_of(tree);
    let inside = around.inside.clone();
    let outer = margin(tree, inside.start);
    let inner = format!("{outer}{}", unit(tree));
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
    let container = tree.node(index).parent as usize;
    let siblings: Vec<usize> = tree.children(container).collect();
    let at = siblings.iter().position(|&own| own == index).unwrap_or_default();
    let previous = at.checked_sub(1).map(|at| siblings[at]);
    let around = Around::of(tree, container, previous, siblings.get(at + 1).copied())?;
    let own = tree.span(index);
    let comma = around.comma(tree, own.end);
    let after = comma.map_or(own.end, |comma| comma + 1);
    let is_apart = begins_line(tree, own.start)
        && tree.line_of(around.next(tree, after)) > tree.line_of(after.max(1) - 1);
    if let (None, None) = (&around.before, &around.after) {
        let rest = [around.inside.start..own.start, after..around.inside.end];
        if !rest.into_iter().any(|rest| has_content(tree, rest)) {
            return Ok(vec![Change::delete(around.inside)]);
        }
    }
    if is_apart {
        let lines = whole_lines(tree, &(own.start..after));
        let floor = around.before.as_ref().map_or(around.inside.start, |before| before.end);
        let markers = if tree.syntax == Syntax::Json { ['/'] } else { ['#'] };
        let first = comments_above(tree, lines.start, next_line(tree, floor), &markers);
        let mut changes = vec![Change::delete(first..lines.end)];
        // The entry before it becomes the last one.
        if let (Some(previous), None, None) = (&around.before, &around.after, comma)
            && let Some(comma) = around.comma(tree, previous.end)
        {
            changes.insert(0, Change::delete(comma..comma + 1));
        }
        return Ok(changes);
    }
    match (&around.before, &around.after) {
        (_, Some(next)) => {
            Ok(vec![Change::delete(own.start..around.next(tree, after).min(next.start))])
        }
        (Some(previous), None) => {
            let comma_before = around.comma(tree, previous.end).unwrap_or(previous.end);
            let from = if comma.is_some() { comma_before + 1 } else { comma_before };
            match has_content(tree, from..own.start) {
                false => Ok(vec![Change::delete(from..after)]),
                true if comma.is_some() => Ok(vec![Change::delete(own.start..after)]),
                true => Ok(vec![
                    Change::delete(comma_before..comma_before + 1),
                    Change::delete(own.start..own.end),
                ]),
            }
        }
        (None, None) => Ok(vec![Change::delete(own.start..after)]),
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::find::find;
    use super::super::parse::parse_text;
    use super::super::path::KeyPath;
    use super::*;

    fn at(tree: &Tree, path: &str) -> usize {
        find(tree, &KeyPath::parse(path).expect("a path")).expect("an entry").index
    }

    #[track_caller]
    fn removed(syntax: Syntax, text: &str, path: &str, expected: &str) {
        let tree = parse_text(syntax, text).expect("valid");
        let changes = remove(&tree, at(&tree, path)).expect("planned");
        assert_eq!(apply(text, &changes), expected, "{path}");
    }

    #[track_caller]
    fn inserted(syntax: Syntax, text: &str, container: &str, before: &str, expected: &str) {
        let tree = parse_text(syntax, text).expect("valid");
        let container = if container.is_empty() { 0 } else { at(&tree, container) };
        let before = (!before.is_empty()).then(|| at(&tree, before));
        let entry = match tree.node(container).kind {
            Kind::Mapping => paired(&tree, container, &["n"], "0"),
            _ => "0".to_owned(),
        };
        let changes = insert(&tree, container, before, &entry).expect("planned");
        assert_eq!(apply(text, &changes), expected, "{container} {before:?}");
    }

    fn paired(tree: &Tree, container: usize, names: &[&str], value: &str) -> String {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        pair(tree, container, &NewKey::path(tree, container, &names), value)
    }

    #[test]
    fn entries_on_lines_of_their_own() {
        let text = "{\n  \"a\": 1,\n  // on b\n  \"b\": [\n    1, 2\n  ], // b\n  \"c\": {}\n}\n";
        let json = Syntax::Json;
        removed(json, text, "a", "{\n  // on b\n  \"b\": [\n    1, 2\n  ], // b\n  \"c\": {}\n}\n");
        removed(json, text, "b", "{\n  \"a\": 1,\n  \"c\": {}\n}\n");
        removed(json, text, "c", "{\n  \"a\": 1,\n  // on b\n  \"b\": [\n    1, 2\n  ] // b\n}\n");
        removed(json, text, "b[0]", &text.replace("1, 2", "2"));
        removed(json, text, "b[1]", &text.replace("1, 2", "1"));
        inserted(json, text, "", "", &text.replace("{}", "{},\n  \"n\": 0"));
        inserted(json, text, "", "b", &text.replace("1,\n", "1,\n  \"n\": 0,\n"));
        inserted(json, text, "", "a", &text.replace("{\n  \"a\"", "{\n  \"n\": 0,\n  \"a\""));
        inserted(json, text, "b", "", &text.replace("1, 2", "1, 2, 0"));
        inserted(json, text, "c", "", &text.replace("{}", "{\n    \"n\": 0\n  }"));
    }

    #[test]
    fn commas_at_the_end_stay() {
        let text = "{\n  a: 1,\n  b: 2, // x\n}\n";
        removed(Syntax::Json, text, "b", "{\n  a: 1,\n}\n");
        inserted(Syntax::Json, text, "", "", "{\n  a: 1,\n  b: 2, // x\n  n: 0,\n}\n");
    }

    #[test]
    fn entries_on_one_line() {
        let text = "{\"a\":1,\"b\":[],\"c\":[5]}";
        let json = Syntax::Json;
        removed(json, text, "a", "{\"b\":[],\"c\":[5]}");
        removed(json, text, "c", "{\"a\":1,\"b\":[]}");
        removed(json, text, "c[0]", "{\"a\":1,\"b\":[],\"c\":[]}");
        inserted(json, text, "", "", "{\"a\":1,\"b\":[],\"c\":[5],\"n\":0}");
        inserted(json, text, "b", "", "{\"a\":1,\"b\":[0],\"c\":[5]}");
        inserted(json, text, "c", "c[0]", "{\"a\":1,\"b\":[],\"c\":[0,5]}");
        inserted(Syntax::Yaml, "k: {a: 1, b: 2} # c\n", "k", "", "k: {a: 1, b: 2, n: 0} # c\n");
        removed(Syntax::Yaml, "k: [x, y] # c\n", "k[1]", "k: [x] # c\n");
    }

    #[test]
    fn names_are_written_like_those_beside_them() {
        let tree = parse_text(Syntax::Json, "{a : 1}").expect("valid");
        assert_eq!(paired(&tree, 0, &["b", "c d"], "2"), "b : {\"c d\" : 2}");
        let tree = parse_text(Syntax::Json, "{\n  \"a\": 1\n}").expect("valid");
        let written = paired(&tree, 0, &["b", "c d"], "2");
        assert_eq!(written, "\"b\": {\n    \"c d\": 2\n  }");
    }
}
