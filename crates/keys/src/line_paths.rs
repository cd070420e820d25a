//! The key paths of lines.

use super::find::{look_up, section_at};
use super::tree::Tree;
use folio_text::span::LineRange;

/// The innermost entry of each line of a document.
#[derive(Debug)]
pub struct LinePaths {
    tree: Tree,
    /// The lines on which entries begin, in ascending order.
    starts: Vec<Start>,
}

/// A line on which entries begin.
#[derive(Debug)]
struct Start {
    line: u64,
    /// The innermost entry that contains all entries that begin on the line.
    index: usize,
    /// Whether each entry that begins on the line contains the next one.
    is_nested: bool,
}

impl LinePaths {
    /// Finds the entries of all lines.
    pub fn new(tree: Tree) -> Self {
        let mut order: Vec<usize> = (1..tree.nodes.len()).collect();
        order.sort_by_key(|&index| tree.node(index).start);
        let mut starts: Vec<Start> = Vec::new();
        for index in order {
            let line = tree.line_of(tree.node(index).start as usize);
            match starts.last_mut().filter(|start| start.line == line) {
                None => starts.push(Start { line, index, is_nested: true }),
                Some(start) if start.is_nested && tree.is_within(index, start.index) => {
                    start.index = index;
                }
                Some(start) => {
                    start.is_nested = false;
                    while !tree.is_within(index, start.index) {
                        start.index = tree.node(start.index).parent as usize;
                    }
                }
            }
        }
        Self { tree, starts }
    }

    /// Returns the lines of the entry at a key path.
    pub fn lines_at(&self, path: &str) -> Option<LineRange> {
        let found = look_up(&self.tree, path).ok()?.1.ok().map(|found| found.index);
        // A section of INI is not found by the path of a key.
        let section = || section_at(&self.tree, path);
        Some(self.tree.lines(found.or_else(section)?))
    }

    /// Returns the path of the innermost entry that contains a line, or `None` if no entry does.
    pub fn path(&self, line: u64) -> Option<String> {
        let at = self.starts.partition_point(|start| start.line <= line).checked_sub(1)?;
        let mut index = self.starts[at].index;
        while index != Tree::ROOT && !self.tree.lines(index).contains(line) {
            index = self.tree.node(index).parent as usize;
        }
        (index != Tree::ROOT).then(|| self.tree.path(index))
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_text;
    use super::super::tree::Syntax;
    use super::*;
    use folio_text::ini_dialect::IniDialect;

    #[track_caller]
    fn check(syntax: Syntax, text: &str, expected: &[Option<&str>]) {
        let paths = LinePaths::new(parse_text(syntax, text).expect("valid"));
        let found: Vec<_> = (1..).take(expected.len()).map(|line| paths.path(line)).collect();
        assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn paths_of_lines_lead_to_their_entries() {
        let text = "[a]\nx = 1\n[a]\ny = 2\n";
        let tree = parse_text(Syntax::Ini(IniDialect::Python), text).expect("valid");
        let paths = LinePaths::new(tree);
        for (path, lines) in [("a[2]", (3, 4)), ("a.y", (4, 4)), ("a[1].x", (2, 2))] {
            let found = paths.lines_at(path).map(|lines| (lines.start(), lines.end()));
            assert_eq!(found, Some(lines), "{path}");
        }
    }

    #[test]
    fn a_line_has_the_path_of_its_innermost_entry() {
        let text = "# c\na:\n  - b: 1\n    # d\n    c: >\n      x\n\n  - {p: 1, q: {r: 2}}\ne: 5\n";
        let expected = [
            None,
            Some("a"),
            Some("a[0].b"),
            Some("a[0]"),
            Some("a[0].c"),
            Some("a[0].c"),
            Some("a"),
            Some("a[1]"),
            Some("e"),
        ];
        check(Syntax::Yaml, text, &expected);
        let text =
            "x = 1\n[a.b]\nc = { d = 1 }\n\n[a.b.e]\nf = [\n  1,\n  2, 3,\n]\n[a]\ng.h = 2\n";
        let expected = [
            Some("x"),
            Some("a.b"),
            Some("a.b.c.d"),
            Some("a.b"),
            Some("a.b.e"),
            Some("a.b.e.f"),
            Some("a.b.e.f[0]"),
            Some("a.b.e.f"),
            Some("a.b.e.f"),
            Some("a"),
            Some("a.g.h"),
        ];
        check(Syntax::Toml, text, &expected);
        let text = "k = 1\n\n[a]\n# c\nx = 1\n  more\n[b]\n";
        let [a, x] = [Some("a"), Some("a.x")];
        check(Syntax::Ini(IniDialect::Python), text, &[Some("k"), None, a, a, x, x, Some("b")]);
        check(Syntax::Json, "{\"a\": {\"b\": 1, \"c\": 2}}\n", &[Some("a")]);
        check(Syntax::Json, "{\"a\": 1, \"b\": 2}\n", &[None]);
        check(
            Syntax::JsonLines,
            "{\"a\": 1, \"b\": 2}\n{\"a\": 1}\n",
            &[Some("[0]"), Some("[1].a")],
        );
    }
}
