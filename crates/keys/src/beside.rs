//! Inserts entries that are given with their keys, before or after other keys.

use super::change::Change;
use super::edit::{Check, Edits, KeyRefusal, insert_line_beside, verify_changes, with_margin};
use super::find::children_named;
use super::layout::{comments_above, insert_lines, next_line_start};
use super::names::NewKey;
use super::natural::{Dialect, without_indentation};
use super::parse::parse_fragment;
use super::tree::{Syntax, Tree};
use super::value::{Value, json_text};
use super::verify::{Intent, Place};
use super::{block, flow, toml_edits};

/// An entry that is given as source, as the only one of a document.
struct ParsedEntry {
    tree: Tree,
    index: usize,
}

impl ParsedEntry {
    /// Parses an entry, which is in braces if its new place is.
    fn parse(syntax: Syntax, is_in_braces: bool, content: &str) -> Result<Self, String> {
        let example = match (syntax, is_in_braces) {
            (Syntax::Json | Syntax::JsonLines, _) => "\"KEY\": VALUE",
            (Syntax::Toml, _) => "KEY = VALUE",
            (Syntax::Yaml, _) => "KEY: VALUE",
            _ => "KEY=VALUE",
        };
        let refusal = || format!("the content is not one entry, such as {example}");
        let entry_source = content.trim_end();
        let entry_source = match entry_source.strip_suffix(',') {
            Some(entry_source) if is_in_braces => entry_source,
            _ => entry_source,
        };
        let text = match (is_in_braces, syntax) {
            (true, Syntax::Toml) => format!("k = {{{entry_source}}}"),
            (true, _) => format!("{{{entry_source}}}"),
            (false, _) => format!("{}\n", without_indentation(entry_source)),
        };
        // An entry of a record is JSON.
        let syntax = if syntax == Syntax::JsonLines { Syntax::Json } else { syntax };
        let mut tree = parse_fragment(syntax, &text).map_err(|_| refusal())?;
        if is_in_braces && syntax == Syntax::Toml {
            tree.remove_root();
        }
        let children: Vec<usize> = tree.children(Tree::ROOT).take(2).collect();
        let [index] = children[..] else { return Err(refusal()) };
        let is_alone = !is_in_braces || tree.text[tree.span(index)] == *entry_source.trim();
        if tree.name(index).is_some() && is_alone {
            Ok(Self { tree, index })
        } else {
            Err(refusal())
        }
    }

    /// Returns the source of the entry for a container in brackets. JSON5 becomes JSON, unless the
    /// document is JSON5.
    fn source_for(&self, tree: &Tree, container: usize) -> Result<String, String> {
        let Self { tree: parsed, index } = self;
        if !Dialect::of_document(parsed).is_json5() || Dialect::of_document(tree).is_json5() {
            return Ok(parsed.text[parsed.span(*index)].to_owned());
        }
        let names = [parsed.name(*index).unwrap_or_default().to_owned()];
        let keys = NewKey::for_names(tree, container, &names);
        Ok(flow::format_pair(tree, container, &keys, &json_text(parsed, *index)?))
    }
}

/// Inserts an entry before or after a key of a mapping. The content is its source with its key.
///
/// # Errors
///
/// Fails if the content is not one entry, or if its key exists.
pub fn insert_beside(
    tree: &Tree,
    index: usize,
    is_after: bool,
    content: &str,
    check: Check,
) -> Result<Edits, KeyRefusal> {
    if let Syntax::Ini(_) = tree.syntax {
        return insert_line_beside(tree, index, is_after, content, check);
    }
    Ok(plan_insertion(tree, index, is_after, content, check)?)
}

fn plan_insertion(
    tree: &Tree,
    index: usize,
    is_after: bool,
    content: &str,
    check: Check,
) -> Result<Edits, String> {
    let parent = tree.parent(index).ok_or("the root of a document has no neighbors")?;
    let is_in_braces = flow::brackets_of(tree, parent).is_some();
    let content_entry = ParsedEntry::parse(tree.syntax, is_in_braces, content)?;
    let name = content_entry.tree.name(content_entry.index).unwrap_or_default();
    if !children_named(tree, parent, name).is_empty() {
        return Err(format!("there is already a key '{name}'"));
    }
    let value = Value::of_entry(&content_entry.tree, content_entry.index)
        .ok_or("the entry depends on its place")?
        .parsed(tree.syntax)?;
    let key = &content_entry.tree.text[content_entry.tree.node(content_entry.index).key.range()];
    let keys = [NewKey { name, source: key.to_owned() }];
    let next = if is_after {
        tree.children(parent).skip_while(|&child| child != index).nth(1)
    } else {
        Some(index)
    };
    let lines = without_indentation(content.trim_end());
    let changes = match tree.syntax {
        _ if is_in_braces => {
            let source = content_entry.source_for(tree, parent)?;
            let margin = flow::margin_inside(tree, parent);
            let source = margin.map_or(source.clone(), |margin| with_margin(&source, &margin));
            flow::insert(tree, parent, next, &source)?
        }
        Syntax::Yaml => block::insert_lines(tree, parent, next, &lines)?,
        Syntax::Toml => toml_edits::insert_beside(tree, index, is_after, &lines)?,
        _ => vec![insert_variable_line(tree, index, is_after, &lines)],
    };
    verify_changes(tree, changes, &Intent::Insert(parent, Place::Key(&keys), &value), check)
}

/// Inserts lines before or after a variable.
fn insert_variable_line(tree: &Tree, index: usize, is_after: bool, lines: &str) -> Change {
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    let span = tree.span(index);
    let floor = if index > 1 { next_line_start(tree, tree.span(index - 1).end) } else { 0 };
    let at = if is_after {
        next_line_start(tree, span.end)
    } else {
        comments_above(tree, tree.start_of_line(span.start), floor, &['#', '!'])
    };
    insert_lines(tree, at, &lines)
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::super::find::look_up;
    use super::super::parse::parse_text;
    use super::*;
    use folio_text::ini_dialect::IniDialect;

    fn insert_content(
        syntax: Syntax,
        text: &str,
        path: &str,
        is_after: bool,
        content: &str,
    ) -> Result<String, String> {
        let tree = parse_text(syntax, text).expect("valid");
        let (_, found) = look_up(&tree, path).expect("a path");
        let index = found.expect("an entry").index;
        let edits = insert_beside(&tree, index, is_after, content, Check::Now)?;
        Ok(apply(text, &edits.changes))
    }

    #[track_caller]
    fn check(syntax: Syntax, text: &str, path: &str, content: &str, [before, after]: [&str; 2]) {
        assert_eq!(insert_content(syntax, text, path, false, content).as_deref(), Ok(before));
        assert_eq!(insert_content(syntax, text, path, true, content).as_deref(), Ok(after));
    }

    #[test]
    fn entries_are_inserted_beside_keys() {
        let yaml = "a: 1\n# on b\nb: 2\nc: 3\n";
        let new = ["a: 1\nz: 0\n# on b\nb: 2\nc: 3\n", "a: 1\n# on b\nb: 2\nz: 0\nc: 3\n"];
        check(Syntax::Yaml, yaml, "b", "z: 0", new);
        let nested = "m:\n  b: 2\n";
        let new = ["m:\n  z:\n    y: 1\n  b: 2\n", "m:\n  b: 2\n  z:\n    y: 1\n"];
        check(Syntax::Yaml, nested, "m.b", "  z:\n    y: 1\n", new);
        let new = ["m: {z: 0, b: 2}\n", "m: {b: 2, z: 0}\n"];
        check(Syntax::Yaml, "m: {b: 2}\n", "m.b", "z: 0", new);
        let json = "{\n  \"a\": 1,\n  \"b\": 2\n}\n";
        let before = "{\n  \"a\": 1,\n  \"z\": [0],\n  \"b\": 2\n}\n";
        let after = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"z\": [0]\n}\n";
        check(Syntax::Json, json, "b", "\"z\": [0]", [before, after]);
        let toml = "a = 1\nb.c = 2\n\n[t]\nx = 1\n";
        let new = [toml.replace("b.c", "b.z = 0\nb.c"), toml.replace("2\n", "2\nb.z = 0\n")];
        check(Syntax::Toml, toml, "b.c", "z = 0", [&new[0], &new[1]]);
        let new = [toml.replace("x =", "z = 0\nx ="), toml.replace("x = 1\n", "x = 1\nz = 0\n")];
        check(Syntax::Toml, toml, "t.x", "z = 0", [&new[0], &new[1]]);
        let table = "[z]\ny = 0\n";
        let new = [toml.replace("[t]", &format!("{table}\n[t]")), format!("{toml}\n{table}")];
        check(Syntax::Toml, toml, "t", table, [&new[0], &new[1]]);
        let env = "A=1\n# on B\nB=2\n";
        check(Syntax::Env, env, "B", "Z=0", ["A=1\nZ=0\n# on B\nB=2\n", &format!("{env}Z=0\n")]);
    }

    #[test]
    fn lines_get_the_line_ending_of_the_document() {
        let list = "z = [\n  1,\n  2\n]";
        let new = "[t]\r\nz = [\r\n  1,\r\n  2\r\n]\r\nx = 1\r\n";
        let inserted = insert_content(Syntax::Toml, "[t]\r\nx = 1\r\n", "t.x", false, list);
        assert_eq!(inserted.as_deref(), Ok(new));
        let new = "a = {x = 1, z = [\r\n  1,\r\n  2\r\n]}\r\n";
        let inserted = insert_content(Syntax::Toml, "a = {x = 1}\r\n", "a.x", true, list);
        assert_eq!(inserted.as_deref(), Ok(new));
        let json = "{\r\n  \"a\": 1\r\n}\r\n";
        let list = "\"z\": [\n  1,\n  2\n]";
        let lines = "  \"z\": [\r\n    1,\r\n    2\r\n  ]";
        let new = [
            format!("{{\r\n{lines},\r\n  \"a\": 1\r\n}}\r\n"),
            format!("{{\r\n  \"a\": 1,\r\n{lines}\r\n}}\r\n"),
        ];
        check(Syntax::Json, json, "a", list, [&new[0], &new[1]]);
        let new = ["z: |\r\n  x\r\na: 1\r\n", "a: 1\r\nz: |\r\n  x\r\n"];
        check(Syntax::Yaml, "a: 1\r\n", "a", "z: |\n  x\n", new);
        // Content with other line endings than the document.
        let new = ["z: |\n  x\na: 1\n", "a: 1\nz: |\n  x\n"];
        check(Syntax::Yaml, "a: 1\n", "a", "z: |\r\n  x\r\n", new);
    }

    #[test]
    fn keys_of_ini_are_inserted_beside_others() {
        let ini = |text: &str, path, content, new: [&str; 2]| {
            check(Syntax::Ini(IniDialect::Systemd), text, path, content, new);
        };
        let text = "; file\n\n[s]\na=1\n# on b\nb=2\n\n[t]\n  c = 1\n";
        let before = text.replace("# on b", "z=0\n# on b");
        ini(text, "s.b", "z=0\n", [&before, &text.replace("b=2\n", "b=2\nz=0\n")]);
        let new = [text.replace("  c", "  z = 0\n  c"), format!("{text}  z = 0\n")];
        ini(text, "t.c", "z = 0", [&new[0], &new[1]]);
        for content in ["a=3", "[u]", "z=1\ny=1", "# z", ""] {
            let inserted =
                insert_content(Syntax::Ini(IniDialect::Systemd), text, "s.b", true, content);
            assert!(inserted.is_err(), "{content}");
        }
    }

    #[test]
    fn entries_in_brackets_get_the_notation_of_the_document() {
        let strict = "{\n  \"a\": 1\n}\n";
        let new =
            ["{\n  \"z\": {\"y\":0},\n  \"a\": 1\n}\n", "{\n  \"a\": 1,\n  \"z\": {\"y\":0}\n}\n"];
        check(Syntax::Json, strict, "a", "z: {y: 0},", new);
        let new = ["{z: 'x', a: 1}\n", "{a: 1, z: 'x'}\n"];
        check(Syntax::Json, "{a: 1}\n", "a", "z: 'x'", new);
        let new = ["{\"z\":0,\"a\":1}\n{}\n", "{\"a\":1,\"z\":0}\n{}\n"];
        check(Syntax::JsonLines, "{\"a\":1}\n{}\n", "[0].a", "\"z\":0", new);
        let dotted = "t = { a.b = 1, a.c = 2, d = 3 }\n";
        let new = [dotted.replace("a.b", "a.z = 0, a.b"), dotted.replace("1,", "1, a.z = 0,")];
        check(Syntax::Toml, dotted, "t.a.b", "z = 0", [&new[0], &new[1]]);
        let new = [dotted.replace("a.b", "z = 0, a.b"), dotted.replace("2,", "2, z = 0,")];
        check(Syntax::Toml, dotted, "t.a", "z = 0", [&new[0], &new[1]]);
        let new = [dotted.replace("d", "z = 0, d"), dotted.replace("3", "3, z = 0")];
        check(Syntax::Toml, dotted, "t.d", "z = 0", [&new[0], &new[1]]);
    }

    #[test]
    fn content_must_be_one_new_entry() {
        for content in ["b: 1", "3", "x: 1\ny: 2", "- a", "", "# c"] {
            assert!(insert_content(Syntax::Yaml, "a: 1\nb: 2\n", "b", false, content).is_err());
        }
        assert!(insert_content(Syntax::Toml, "[t]\nx = 1\n[u]\n", "u", false, "z = 1").is_err());
        assert!(insert_content(Syntax::Json, "{\"a\": 1}", "a", true, "\"z\": 1 // c").is_err());
    }
}
