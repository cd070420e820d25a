//! Edits that would change headings, code blocks or comments elsewhere are refused.

use super::{apply_edits, check_not_edited, edit_with_force};
use crate::support::Sandbox;
use crate::support::edits::{check_edit, check_refused, check_text_edit, check_text_refusal};

#[test]
fn content_does_not_become_part_of_an_unclosed_block() {
    for (text, line, end) in [
        ("# S\n```sh\nx\n", 2, "```"),
        ("# S\n\n~~~~\nx\n\ny\n", 3, "~~~~"),
        ("# S\n<!-- x\n", 2, "-->"),
        ("# S\n\n<pre>\n\nx\n", 3, "</pre>"),
        ("# S\r\n```\r\nx", 2, "```"),
        ("> # S\n> ```\n> x\n", 2, "```"),
    ] {
        let last = text.lines().count();
        let close = format!("insert a.md:{last} --after --content");
        let message = format!("line {line} begins a");
        for content in ["## New\ntext", "text", "\n\ntext", "```sh\ny"] {
            for edit in
                [&["append", "--section", "S"][..], &["append"], &["insert", "--section", "S"]]
            {
                let is_contained = text.starts_with('>');
                if is_contained && edit.len() == 1 {
                    continue;
                }
                let arguments = [edit, &["-c", content]].concat();
                let run = check_refused("a.md", text, &arguments, 4, "STRUCTURE_CHANGED");
                assert!(run.errors.contains(&message), "{}", run.errors);
                let hints = run.errors.contains(&close) && run.errors.contains(end);
                assert_eq!(hints, !is_contained, "{}", run.errors);
                let forced = edit_with_force(text, &arguments);
                assert!(forced.contains("so the content becomes part of it"), "{forced}");
                assert!(forced.contains(content.trim_end().lines().last().unwrap()), "{forced}");
            }
        }
    }
}

#[test]
fn content_does_not_include_the_text_below() {
    let text = "# S\n\n```\nx\n```\n\nbelow\n\n    code\n";
    for content in ["<!-- y", "```\ny", "<pre>"] {
        let insert = ["insert", "--code-block", "0", "--fences", "-c", content];
        check_refused("a.md", text, &insert, 4, "STRUCTURE_CHANGED");
        let replace = ["replace", "--code-block", "0", "--fences", "-c", content];
        check_refused("a.md", text, &replace, 4, "STRUCTURE_CHANGED");
    }
    let code = text.replace("below\n\n", "");
    let list = ["insert", "--code-block", "0", "--fences", "-c", "- y"];
    let run = check_refused("a.md", &code, &list, 4, "STRUCTURE_CHANGED");
    assert!(run.errors.contains("line 7 would become part of the content"), "{}", run.errors);
}

#[test]
fn a_heading_that_would_be_in_a_list_is_reported() {
    let text = "# A\n\nx\n\n  # C\n";
    check_refused("a.md", text, &["replace", "--text", "x", "-c", "- y"], 4, "STRUCTURE_CHANGED");
    let quoted = "# A\n\nx\n# C\n";
    check_edit("a.md", quoted, &["replace", "--text", "x", "-c", "> y"], "# A\n\n> y\n# C\n");
}

#[test]
fn an_unclosed_fence_neither_swallows_nor_loses_the_rest() {
    let text = b"# A\n\nx\n\n## B\n\n```\ncode\n# no heading\n";
    check_edit(
        "a.md",
        text,
        &["replace", "--body", "A", "-c", "\ny\n\n", "--no-children"],
        b"# A\n\ny\n\n## B\n\n```\ncode\n# no heading\n",
    );
    let block = ["replace", "--code-block", "0", "-c", "new"];
    check_edit("a.md", text, &block, b"# A\n\nx\n\n## B\n\n```\nnew\n");
    let fence = ["append", "--section", "A", "--no-children", "-c", "\n```\ny"];
    check_refused("a.md", text, &fence, 4, "STRUCTURE_CHANGED");
    let closed = ["append", "--section", "A", "--no-children", "-c", "\n```\ny\n```"];
    let after = b"# A\n\nx\n\n```\ny\n```\n\n## B\n\n```\ncode\n# no heading\n";
    check_edit("a.md", text, &closed, after);
}

#[test]
fn a_line_that_would_underline_the_paragraph_above_is_refused() {
    for line in ["---", "===", "-", "=", "  ---  ", "---\n\nmore"] {
        for text in ["# A\n\ntext\n", "# A\n\ntext", "# A\r\n\r\ntext\r\n"] {
            check_refused(
                "a.md",
                text.as_bytes(),
                &["append", "-c", line, "--exact"],
                4,
                "STRUCTURE_CHANGED",
            );
            let section = ["append", "--section", "A", "-c", line, "--exact"];
            check_refused("a.md", text.as_bytes(), &section, 4, "STRUCTURE_CHANGED");
        }
    }
    check_edit("a.md", b"# A\n\ntext\n", &["append", "-c", "\n---"], b"# A\n\ntext\n\n---\n");
    check_edit("a.md", b"# A\n\ntext\n", &["append", "-c", "---"], b"# A\n\ntext\n\n---\n");
    let force = ["append", "-c", "---", "--exact", "--force"];
    let forced = check_edit("a.md", b"text\n", &force, b"text\n---\n");
    assert!(
        forced.errors.contains("changes headings or code blocks elsewhere"),
        "{}",
        forced.errors
    );
}

#[test]
fn a_line_does_not_become_a_heading_unnoticed() {
    let rule = "# A\n\ntext\n\n---\n\nend\n";
    let message = "line 5 becomes '## new'";
    check_text_refusal("a.md", rule, &["insert", "--lines", "5", "-c", "new"], 4, message);
    let apart = "# A\n\ntext\n\nnew\n\n---\n\nend\n";
    check_text_edit("a.md", rule, &["insert", "--lines", "5", "-c", "new\n\n"], apart);
}

#[test]
fn the_structure_is_checked_step_by_step_too() {
    let before = "# A\nx\n\n# B\ny\n\n# C\nz\n";
    for sequential in [false, true] {
        let edits = format!(
            r#"{{"sequential":{sequential},"edits":[
            {{"filePath":"s.md","operation":"replace","target":{{"text":"x"}},"content":"```"}},
            {{"filePath":"s.md","operation":"replace","target":{{"text":"z"}},"content":"zz"}}]}}"#
        );
        let (run, after) = apply_edits("s.md", before, &edits);
        run.exits(4).tells("# B");
        assert_eq!(after, before);
    }
}

#[test]
fn exact_content_is_not_added_to_an_unclosed_block() {
    let open = "# S\n\n```sh\nx\n";
    for flags in [&["--exact"][..], &[]] {
        let append = [&["append", "--section", "S", "-c", "y"], flags].concat();
        check_not_edited(open, &append, "line 3 begins a code block that is not closed");
        let insert = [&["insert", "--section", "S", "--after", "-c", "y"], flags].concat();
        check_not_edited(open, &insert, "line 3 begins a code block that is not closed");
    }
    let sandbox = Sandbox::with(&[("m.md", open), ("n.md", "# X\n\nx\n")]);
    let copy = sandbox.run(&["patch", "copy", "n.md", "-s", "X", "--to", "m.md"]).exits(4);
    copy.tells("folio patch insert m.md:4 --after");
}
