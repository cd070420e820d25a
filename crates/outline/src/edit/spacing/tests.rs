//! Inserts each of many kinds of blocks next to each of many others, and compares the blocks before
//! and after as an independent parser, comrak, reads them.

use std::collections::BTreeSet;
use std::path::Path;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};

use super::super::{EditRequest, Merge, Operation, Refusal, Side};
use crate::document::LoadedDocument;
use crate::format::Format;
use crate::part::Part;

/// Blocks at the end of a section, one of each kind.
const ENDINGS: [&str; 40] = [
    "text",
    "one\ntwo",
    "one  \ntwo",
    "a | b",
    "![image](x.png)",
    "$$\nx\n$$",
    ":::note\ntext\n:::",
    "Term\n: details",
    "text\n2. text",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "a | b\n--|--\n1 | 2",
    "| a | b |\n|---|---|\n| 1 | 2 |\nlast row",
    "| a |\n|---|\n| 1 |",
    "| a | b |\n|---|---|",
    "> [!NOTE]\n> text",
    "> [!info]- Title\n> text",
    "> text",
    "> text\nlazy",
    "> ```\n> x\n> ```",
    "> > text",
    "- one\n- two",
    "* one\n* two",
    "+ one\n+ two",
    "1. one\n2. two",
    "1) one\n2) two",
    "- [ ] one\n- [x] two",
    "- one\n\n- two",
    "- one\n  - two",
    "- one\n\n  more\n  lines",
    "- one\nlazy",
    "```\nx\n```",
    "~~~sh\nx\n~~~",
    "    code",
    "<div>\n- text",
    "<!-- comment -->",
    "<details>\n<summary>s</summary>\n\ntext\n\n</details>",
    "<span class=\"x\">",
    "***",
    "[d1]: /url",
    "[^n1]: note",
];

/// Content to insert, one of each kind of block.
const CONTENTS: [&str; 47] = [
    "new",
    "new\nlines",
    "new  \nline",
    "![new](y.png)",
    "$$\ny\n$$",
    ":::tip\nnew\n:::",
    "New\n: details",
    "2. second",
    "10) tenth",
    "1. first",
    "1) first",
    "- item",
    "* item",
    "+ item",
    "- [ ] task",
    "- item\n- item",
    "- item\n\n  more",
    "-",
    "| 3 | 4 |",
    "3 | 4",
    "| c | d |\n|---|---|\n| 3 | 4 |",
    "c | d\n--|--\n3 | 4",
    "| c |\n|---|",
    "> [!TIP]\n> new",
    "> [!warning] New\n> new",
    "> new",
    "> > new",
    "> new\nlazy",
    "```\ny\n```",
    "~~~sh\ny\n~~~",
    "    new code",
    "<div>new</div>",
    "<!-- new -->",
    "<script>\ny\n</script>",
    "<?php y ?>",
    "<!DOCTYPE y>",
    "<![CDATA[y]]>",
    "<span>",
    "<details>\n<summary>n</summary>\n\nnew\n\n</details>",
    "---",
    "***",
    "===",
    "New\n---",
    "### New",
    "[d2]: /new",
    "[^n2]: new note",
    "\"title\" or text",
];

/// The last section, which uses the definitions of the others.
const USES: &str = "## Uses\n\n[d1] [d2] text[^n1] text[^n2]\n";

fn options() -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.alerts = true;
    options.parse.leave_footnote_definitions = true;
    options
}

/// Describes a block without its position, and without what depends on other blocks.
fn described<'a>(node: &'a AstNode<'a>) -> String {
    let inner: String = node.children().map(described).collect();
    let kind = match &node.data().value {
        NodeValue::List(list) => {
            format!("{:?} {:?} {}", list.list_type, list.delimiter, list.bullet_char)
        }
        NodeValue::Item(_) => "Item".to_owned(),
        NodeValue::TaskItem(task) => format!("Task {:?}", task.symbol),
        NodeValue::HtmlBlock(html) => format!("Html {:?}", html.literal.trim_end()),
        NodeValue::CodeBlock(code) => {
            format!("Code {} {:?} {:?}", code.fenced, code.info, code.literal)
        }
        NodeValue::FootnoteDefinition(note) => format!("Footnote {}", note.name),
        NodeValue::FootnoteReference(note) => format!("Reference {}", note.name),
        NodeValue::Table(table) => format!("Table {}", table.num_columns),
        other => format!("{other:?}"),
    };
    format!("({kind}{inner})")
}

/// The top-level blocks of a document that ends with the section [`USES`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct Blocks {
    /// The blocks before that section.
    before: Vec<String>,
    /// The targets of the links and the footnotes in that section.
    found: BTreeSet<String>,
    /// The heading of that section.
    last: String,
}

fn blocks(text: &str) -> Blocks {
    let arena = Arena::new();
    let root = parse_document(&arena, text, &options());
    let mut all: Vec<_> = root.children().collect();
    let last = all.split_off(all.len().saturating_sub(2));
    let found = last.iter().flat_map(|node| node.descendants());
    let found = found.filter_map(|node| match &node.data().value {
        NodeValue::Link(link) => Some(link.url.clone()),
        NodeValue::FootnoteReference(note) => Some(note.name.clone()),
        _ => None,
    });
    let found = found.collect();
    let before = all.into_iter().map(described).collect();
    Blocks { before, found, last: last.first().map(|node| described(node)).unwrap_or_default() }
}

fn edited(text: &str, request: &EditRequest) -> Result<String, Refusal> {
    let source =
        LoadedDocument::of_text(Path::new("a.md"), text.as_bytes().to_vec(), Format::Markdown);
    let edited = source.with_edit(request)?;
    Ok(String::from_utf8(edited.text().to_vec()).expect("text"))
}

/// Where content is inserted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spot {
    /// At the end of a section, after the ending.
    Appended,
    /// Before the next section, after the ending and a blank line.
    BeforeSection,
    /// Before the ending.
    BeforeEnding,
}

fn list_mark(text: &str) -> Option<&str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (mark, rest) = text[digits..].split_at_checked(1)?;
    let is_mark = if digits > 0 { ".)" } else { "-*+" }.contains(mark);
    (is_mark && (rest.is_empty() || rest.starts_with(' '))).then_some(mark)
}

/// Whether a block continues the block before it, from which no blank line can separate it: items
/// of a list, and indented text after a list, a footnote or indented code.
fn continues(above: &str, below: &str) -> bool {
    let is_item = list_mark(above).is_some() && list_mark(above) == list_mark(below);
    // A blank line ends an empty item.
    let has_text = list_mark(above).is_some() && above != "-";
    let may_continue = has_text || above.starts_with("[^") || above.starts_with("    ");
    is_item || (may_continue && below.starts_with("    "))
}

/// Whether content looks like a row of a table.
fn is_row(table: &str, content: &str) -> bool {
    let delimiters = table.lines().nth(1).filter(|line| line.contains("--"));
    let Some(delimiters) = delimiters else { return false };
    let columns = delimiters.trim_matches('|').split('|').count();
    content == "| 3 | 4 |" || (content == "3 | 4" && columns == 2)
}

/// Edits a document for each pair of an ending and a content, and returns the pairs for which the
/// blocks of the result are not those of the document and of the content. `document` creates the
/// document for an ending, and `request` the edit for a content.
fn wrong_pairs(
    document: impl Fn(&str) -> String,
    request: impl Fn(&str) -> EditRequest,
    spot: Spot,
) -> Vec<String> {
    let is_before = spot == Spot::BeforeEnding;
    let contents = CONTENTS.map(|content| blocks(&format!("{content}\n\n{USES}")));
    let mut wrong = Vec::new();
    for ending in ENDINGS {
        let text = document(ending);
        let (document_blocks, ending_blocks) =
            (blocks(&text), blocks(&format!("{ending}\n\n{USES}")));
        let start = document_blocks.before.len().saturating_sub(ending_blocks.before.len());
        // In a document without blank lines, some endings are different blocks.
        if document_blocks.before[start..] != ending_blocks.before
            || document_blocks.found != ending_blocks.found
        {
            continue;
        }
        let at = if is_before { start } else { document_blocks.before.len() };
        for (content, new) in CONTENTS.iter().zip(&contents) {
            let mut expected = document_blocks.clone();
            expected.before.splice(at..at, new.before.iter().cloned());
            expected.found.extend(new.found.iter().cloned());
            let (above, below) = if is_before { (*content, ending) } else { (ending, *content) };
            let joins = continues(above, below) || spot == Spot::Appended && is_row(above, below);
            let result = edited(&text, &request(content));
            let is_right = match result.as_ref().map(|text| blocks(text)) {
                // Indented code after a list would become part of it.
                Err(refusal) => {
                    is_before && matches!(refusal, Refusal::Merges(Merge::Below { .. }))
                }
                Ok(found) if joins => {
                    found.before.len() + 1 == expected.before.len()
                        && found.before[..at - 1] == expected.before[..at - 1]
                        && (&found.found, &found.last) == (&expected.found, &expected.last)
                }
                Ok(found) => found == expected,
            };
            if !is_right {
                wrong.push(format!("{ending:?} {content:?}: {result:?}"));
            }
        }
    }
    wrong
}

fn request(operation: Operation, side: Option<Side>, part: Part, content: &str) -> EditRequest {
    EditRequest { side, ..EditRequest::new(operation, part, content) }
}

#[track_caller]
fn check_pairs(
    document: impl Fn(&str) -> String,
    request: impl Fn(&str) -> EditRequest,
    spot: Spot,
) {
    let wrong = wrong_pairs(document, request, spot);
    assert!(wrong.is_empty(), "{} pairs:\n{}", wrong.len(), wrong.join("\n"));
}

fn append(content: &str) -> EditRequest {
    request(Operation::Append, None, Part::section("S"), content)
}

#[test]
fn blocks_appended_to_a_section_stay_blocks() {
    check_pairs(
        |ending| format!("# T\n\nintro\n\n## S\n\n{ending}\n\n{USES}"),
        append,
        Spot::Appended,
    );
}

#[test]
fn blocks_appended_to_a_section_without_blank_lines_stay_blocks() {
    let uses = USES.replace("\n\n", "\n");
    check_pairs(|ending| format!("# T\nintro\n## S\n{ending}\n{uses}"), append, Spot::Appended);
}

#[test]
fn blocks_inserted_before_a_section_stay_blocks() {
    let document = |ending: &str| format!("# T\n\nintro\n\n## S\n\n{ending}\n\n{USES}");
    let insert = |content: &str| {
        request(Operation::Insert, Some(Side::Before), Part::section("Uses"), content)
    };
    check_pairs(document, insert, Spot::BeforeSection);
}

#[test]
fn blocks_inserted_before_others_stay_blocks() {
    let code = Part::CodeBlock { language: None, index: 0, fences: true, symbol: None };
    let insert =
        |content: &str| request(Operation::Insert, Some(Side::After), code.clone(), content);
    for gap in ["\n", "\n\n"] {
        let document = |ending: &str| {
            format!("# T\n\nintro\n\n## S\n\n```\nfirst\n```{gap}{ending}\n\n{USES}")
        };
        check_pairs(document, insert, Spot::BeforeEnding);
    }
}
