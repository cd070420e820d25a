//! What the lines so far leave open, which determines how the text after them is parsed.

use super::{Leaf, Paragraph, Scanner};
use crate::blocks::ContainerKind;
use crate::definitions;
use crate::html::End;

/// A block that ends only with a certain text, even if it contains blank lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclosed {
    /// The line on which the block begins.
    pub line: u64,
    /// The kind of block.
    pub kind: &'static str,
    /// The text that ends the block. Empty if several texts do.
    pub end: Vec<u8>,
}

impl Scanner {
    /// Returns the open block, if it ends only with a certain text.
    pub fn unclosed(&self) -> Option<Unclosed> {
        let (kind, end) = match self.leaf {
            Leaf::Fenced => ("code block", vec![self.fence.byte; self.fence.length]),
            Leaf::Html(End::Blank) => return None,
            Leaf::Html(end @ End::Comment) => ("comment", end.text().to_vec()),
            Leaf::Html(end) => ("HTML block", end.text().to_vec()),
            Leaf::Mdx => ("tag or expression", Vec::new()),
            _ => return None,
        };
        Some(Unclosed { line: self.leaf_line, kind, end })
    }

    /// Returns the number of containers around the block that the last line begins. Returns `None`
    /// if the line continues a block.
    pub fn began_in(&self) -> Option<usize> {
        let (line, depth) = self.break_line;
        (line == self.line).then_some(depth)
    }

    /// Returns the kind of the container at a depth, and the last character of its marker if it is
    /// a list item. Depth 0 is the outermost container.
    pub fn container(&self, depth: usize) -> Option<(ContainerKind, u8)> {
        self.containers.get(depth).map(|container| (container.kind, container.mark))
    }

    /// Returns the first line and the number of columns of the open table.
    pub fn in_table(&self) -> Option<(u64, usize)> {
        (self.leaf == Leaf::Table).then(|| self.table.extent())
    }

    /// Returns the first line of the open paragraph, if it consists only of link reference
    /// definitions.
    pub fn in_definitions(&self) -> Option<u64> {
        let Paragraph { line, bracket, kept, .. } = &self.paragraph;
        let may_be_definitions = self.leaf == Leaf::Paragraph && *bracket;
        let is_only_definitions =
            may_be_definitions && definitions::consume_definitions(kept, |_| {}) == kept.len();
        is_only_definitions.then_some(*line)
    }
}
