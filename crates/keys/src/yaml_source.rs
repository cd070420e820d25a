//! Rewrites YAML that most parsers accept, although the standard does not, for one that follows it.
//! The rewritten text has the same length, so that all offsets are those of the document.

use std::borrow::Cow;
use std::ops::Range;

use super::parse::parse_text;
use super::tree::{Fault, Syntax, Tree};
use super::yaml_parts::{BLANKS, quoted_length};

/// A document, and the text to parse in its place.
pub(super) struct YamlSource<'t> {
    /// The document.
    pub(super) text: &'t str,
    /// The text to parse.
    pub(super) rewritten: Cow<'t, str>,
    /// The offsets and the texts of strings in quotes that the rewritten text does not contain.
    strings: Vec<(usize, String)>,
    /// Whether aliases may refer to anchors outside of the document.
    is_fragment: bool,
}

impl<'t> YamlSource<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, rewritten: Cow::Borrowed(text), strings: Vec::new(), is_fragment: false }
    }

    pub(super) fn of_fragment(text: &'t str) -> Self {
        Self { is_fragment: true, ..Self::new(text) }
    }

    /// Rewrites the place of a syntax error, if other parsers accept it. Returns whether it did.
    pub(super) fn accept(&mut self, fault: &Fault) -> bool {
        let at = fault.offset;
        let first = self.text.as_bytes().get(at).copied();
        let rewritten = match (first, &fault.message[..]) {
            (Some(b']' | b'}'), _) => self.with_joined_bracket(at),
            (Some(b'"' | b'\''), "invalid indentation in quoted scalar") => {
                self.with_joined_string(at)
            }
            (Some(b'*'), "while parsing node, found unknown anchor") if self.is_fragment => {
                // An alias is as long as a scalar.
                Some(format!("{}x{}", &self.rewritten[..at], &self.rewritten[at + 1..]))
            }
            _ => None,
        };
        let Some(rewritten) = rewritten.filter(|rewritten| *rewritten != self.rewritten) else {
            return false;
        };
        self.rewritten = Cow::Owned(rewritten);
        true
    }

    /// Returns the text of a string that the rewritten text does not contain.
    pub(super) fn decoded(&self, span: &Range<usize>) -> Option<&str> {
        let (_, text) = self.strings.iter().find(|(start, _)| *start == span.start)?;
        Some(text)
    }

    /// Returns the text with a closing bracket joined to the line above it: spaces replace the
    /// comment and the line ending before the bracket. YAML requires the bracket to be indented
    /// further than the key of the list, but most parsers do not, and many documents ignore the
    /// rule.
    fn with_joined_bracket(&self, bracket: usize) -> Option<String> {
        let text = &self.rewritten;
        let end = text[..bracket].trim_end_matches([' ', '\t']).len();
        let above = text[..end].strip_suffix('\n')?;
        let start = above.rfind('\n').map_or(0, |end| end + 1);
        let line = &above[start..];
        let is_comment = |&at: &usize| {
            let before = &line[..at];
            let is_even = |quote| before.matches(quote).count() % 2 == 0;
            (before.is_empty() || before.ends_with([' ', '\t'])) && is_even('"') && is_even('\'')
        };
        let comment = line.match_indices('#').map(|(at, _)| at).find(is_comment);
        let from = start + comment.unwrap_or(line.trim_end_matches(BLANKS).len());
        Some(format!("{}{}{}", &text[..from], " ".repeat(bracket - from), &text[bracket..]))
    }

    /// Returns the text with a string in quotes on one line, and records the text of the string.
    /// YAML requires its further lines to be indented further than its key, but most parsers do not.
    fn with_joined_string(&mut self, at: usize) -> Option<String> {
        let bytes = &self.text.as_bytes()[at..];
        let end = at + quoted_length(bytes, bytes[0]);
        let source = self.text.get(at..end).filter(|source| source.len() > 2)?;
        // A document that consists of the string needs no indentation.
        let tree = parse_text(Syntax::Yaml, source).ok()?;
        let is_string = tree.nodes.len() == 1 && tree.written(Tree::ROOT) == source;
        let text = is_string.then(|| tree.scalar(Tree::ROOT).to_owned())?;
        self.strings.push((at, text));
        let (before, after) = (&self.rewritten[..at + 1], &self.rewritten[end - 1..]);
        Some(format!("{before}{}{after}", "x".repeat(end - at - 2)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse_fragment;
    use super::super::tree::Kind;
    use super::*;

    fn scalars(text: &str) -> Vec<String> {
        let tree = parse_text(Syntax::Yaml, text).expect("valid");
        let scalars = 1..tree.nodes.len();
        scalars.map(|index| tree.scalar(index).to_owned()).collect()
    }

    #[test]
    fn strings_in_quotes_need_no_indentation() {
        assert_eq!(scalars("a: \"x\n\n y\\\n  z\"\nb: 1\n"), ["x\nyz", "1"]);
        assert_eq!(scalars("a:\n- 'é\n\n  it''s'\n- 1\n")[1..], ["é\nit's", "1"]);
        assert_eq!(scalars("a:\n  b: 'x\ny' # c\n  d: \"p\r\nq\"\n")[1..], ["x y", "p q"]);
        for text in ["a: \"x\n---\n\"\n", "a: \"x\ny\n", "\"x\ny\": 1\n"] {
            assert!(parse_text(Syntax::Yaml, text).is_err(), "{text}");
        }
    }

    #[test]
    fn aliases_of_a_fragment_may_refer_to_the_rest() {
        let fragment = "<<: *d\na: [*e, &f 1, *f]\n*d : 1\n";
        let tree = parse_fragment(Syntax::Yaml, fragment).expect("valid");
        let outer: Vec<&str> = tree.outer_anchors(Tree::ROOT).collect();
        assert_eq!(outer, ["d", "e"]);
        let kinds = tree.nodes.iter().filter(|node| node.kind == Kind::Alias).count();
        assert_eq!((kinds, tree.name(6)), (3, Some("*d")));
        assert!(parse_text(Syntax::Yaml, fragment).is_err());
    }
}
