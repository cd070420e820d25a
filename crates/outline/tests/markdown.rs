//! Outlines of Markdown: tables, and headings and code blocks between the tags of MDX.

use std::path::Path;

use folio_outline::document::Document;
use folio_outline::format::Format;
use folio_outline::outline::Outline;

fn tables_of(text: &str) -> Outline {
    let document = Document::in_memory(Path::new("a.md"), text.into());
    document.outline_with_tables().expect("an outline").clone()
}

/// Checks tables, given as `LINES:COLUMNS:HEADER`.
#[track_caller]
fn check(text: &str, expected: &str) {
    let tables = tables_of(text);
    let shown = tables.tables().iter().map(|table| {
        let (start, end) = (table.lines.start(), table.lines.end());
        format!("{start}-{end}:{}:{}", table.columns, table.header.join(","))
    });
    assert_eq!(shown.collect::<Vec<_>>().join(" "), expected, "{text:?}");
}

#[test]
fn a_table_is_a_header_a_delimiter_row_and_rows() {
    check("| foo | bar |\n| --- | --- |\n| baz | bim |\n", "1-3:2:foo,bar");
    check("| abc | defghi |\n:-: | -----------:\nbar | baz", "1-3:2:abc,defghi");
    check("| f\\|oo  |\n| ------ |\n| b `\\|` az |\n", "1-3:1:f|oo");
    check("| a |\n| - |", "1-2:1:a");
    check("a\n:-\n", "1-2:1:a");
    check("a | b\r\n- | -\r\n1 | 2\r\n", "");
    check("a | b\r\n-|-\r\n1 | 2\r\n", "1-3:2:a,b");
}

#[test]
fn header_and_delimiter_row_have_the_same_number_of_cells() {
    check("| abc | def |\n| --- |\n| bar |\n", "");
    check("| a |\n|-|-|\n", "");
    // Only the first delimiter row of a paragraph counts.
    check("| a |\n|-|-|\n|-|\n", "");
    check("a | b\n\n-|-\n", "");
    check("| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |\n", "1-4:2:abc,def");
}

#[test]
fn a_table_ends_with_a_blank_line_or_another_block() {
    check("|a|b|\n|-|-|\n|c|d|\n\n|e|\n", "1-3:2:a,b");
    check("|a|b|\n|-|-|\nbar\n\nbar\n", "1-3:2:a,b");
    for end in ["> quote", "# h", "```\n```", "- x", "2. x", "---", "<div>", "<x-y>", "    c"] {
        check(&format!("|a|b|\n|-|-|\n|c|d|\n{end}\n"), "1-3:2:a,b");
    }
    check("|a|b|\n|-|-|\n|\n|c|\n", "1-2:2:a,b");
    check("|a|\n|-|\n===\n", "1-3:1:a");
    assert_eq!(tables_of("|a|\n|-|\n===\n").sections().len(), 0);
    assert_eq!(tables_of("|a|\n|-|\n# b\n").sections().len(), 1);
}

#[test]
fn an_underline_after_a_table_is_no_heading() {
    let sections = |text: &str| {
        let outline = Outline::of(text.as_bytes(), Format::Markdown);
        assert_eq!(outline.sections().len(), tables_of(text).sections().len(), "{text:?}");
        outline.sections().len()
    };
    for end in ["---", "===", "-", "= "] {
        assert_eq!(sections(&format!("|a|b|\n|-|-|\n|c|d|\n{end}\n")), 0);
        assert_eq!(sections(&format!("x\n> y\n> |a|\n> |-|\n> {end}\n")), 0);
        assert_eq!(sections(&format!("|a|b|\n|-|\n|c|d|\n{end}\n")), 1);
    }
    assert_eq!(sections("|a|\n|-|\n---\nTitle\n===\n"), 1);
    assert_eq!(sections("|a|\n|-|\n===\nrow\n===\n"), 0);
}

#[test]
fn a_header_may_end_a_paragraph() {
    check("text\nmore\n|a|b|\n|-|-|\n|c|d|\n", "3-5:2:a,b");
    check("|x|\na | b\n-|-\n", "2-3:2:a,b");
}

#[test]
fn code_and_html_contain_no_tables() {
    check("```\n|a|\n|-|\n```\n", "");
    check("    |a|\n    |-|\n", "");
    check("<div>\n|a|\n|-|\n</div>\n", "");
    check("<!--\n|a|\n\n|-|\n-->\n|a|\n|-|\n", "6-7:1:a");
    check("|a|\n    |-|\n", "");
}

#[test]
fn containers_may_contain_tables() {
    check("> |a|b|\n> |-|-|\n> |c|d|\n|e|f|\n", "1-3:2:a,b");
    check("- |a|b|\n  |-|-|\n  |c|d|\n\n  |e|\n  |-|\n", "1-3:2:a,b 5-6:1:e");
    check("> a | b\n-|-\n", "");
    check("> - |a|\n>   |-|\n>   |b|\n> |c|\n", "1-3:1:a");
}

#[test]
fn headings_and_code_are_found_between_tags() {
    let text = "import A from 'a'\n# not\n\n<A b=\"\n# not\"\n>\n    # H\n    ```js\n    x\n    ```\n</A>\n\
                {/*\n# not\n*/}\n- <B>\n      ```\n      y\n      ```\n  </B>\n<!-- a\n## I\n\n\
                text\n<A>\nS\n=\n<A>t\n-\n\n    text\nimport # text\n\n{`\n";
    for end in ["\n", "\r\n"] {
        let text = text.replace('\n', end);
        let outline = Outline::of(text.as_bytes(), Format::Mdx);
        let headings = outline.sections().iter().map(|section| section.lines().start());
        assert_eq!(headings.collect::<Vec<_>>(), [7, 21, 25, 27]);
        let code = outline.code().iter().map(|code| (code.lines.start(), code.lines.end()));
        assert_eq!(code.collect::<Vec<_>>(), [(8, 10), (16, 18)]);
    }
}
