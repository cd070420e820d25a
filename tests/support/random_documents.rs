//! Random documents, for properties of outlines and of the parts that `read` prints.

use std::fmt;

use proptest::prelude::*;

/// Lines of random documents.
const FRAGMENTS: &[&str] = &[
    "# One",
    "## Two",
    "## Two",
    "### Three `x` {#three}",
    "###### Six ##",
    "#no heading",
    "Setext",
    "======",
    "------",
    "---",
    "title: x",
    "",
    "",
    "  ",
    "text",
    "text with ä and 😀",
    "> # Quoted",
    "> text",
    "- # Listed",
    "  - item",
    "    indented",
    "\t# tabbed",
    "```sh",
    "```",
    "~~~~",
    "  ```",
    "> ```",
    "<div id=\"x\">",
    "<!--",
    "-->",
    "<pre>",
    "[x]: /y",
    "[LOG-001] - entry",
    "[LOG-002] - entry",
    "[marker]",
    "key = value",
    "; note",
    "lone \r return",
    "\u{b}",
];

fn lines() -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
    let line = proptest::sample::select(FRAGMENTS);
    let end = prop_oneof![
        3 => Just(vec!["\n"]),
        2 => Just(vec!["\r\n"]),
        1 => Just(vec!["\n", "\r\n"]),
    ];
    end.prop_flat_map(move |ends| {
        let end = proptest::sample::select(ends);
        proptest::collection::vec((line.clone(), end), 0..40)
    })
}

/// A document that is readable in the output of a failed test.
#[derive(Clone)]
pub struct Document(pub Vec<u8>);

impl fmt::Debug for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Generates a document of random lines, possibly with a byte order mark or without a last line
/// ending.
/// Generates documents of headings, entries, code, front matter and broken characters.
pub fn document() -> impl Strategy<Value = Document> {
    (lines(), prop::bool::weighted(0.1), any::<bool>(), prop::bool::weighted(0.1)).prop_map(
        |(lines, mark, last_end, odd)| {
            let mut text = if mark { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
            for (line, end) in &lines {
                text.extend_from_slice(line.as_bytes());
                text.extend_from_slice(end.as_bytes());
            }
            if odd {
                text.extend_from_slice(b"caf\xe9 \xff\n");
            }
            if !last_end {
                text.extend_from_slice(b"last");
            }
            Document(text)
        },
    )
}
