//! Known faults of similar editors, each with a test.

use std::os::unix::fs::PermissionsExt;

use crate::support::edits::{Bytes, edit, makes as check, refused};
use crate::support::{Sandbox, outcome};

#[test]
fn a_heading_inside_a_fence_is_not_a_target() {
    let text = b"# A\n\n```sh\n# Setup\n```\n\n~~~\n## B\n~~~\n\n    # Code\n\n## B\n\nx\n";
    refused("a.md", text, &["delete", "--section", "Setup"], 1, "TARGET_NOT_FOUND");
    refused("a.md", text, &["rename", "--heading", "Code", "-c", "x"], 1, "TARGET_NOT_FOUND");
    let after = b"# A\n\n```sh\n# Setup\n```\n\n~~~\n## B\n~~~\n\n    # Code\n\n## C\n\nx\n";
    check("a.md", text, &["rename", "--heading", "## B", "-c", "C"], after);
    let ini = b"[a]\n; [b]\nk = [c]\n";
    refused("a.ini", ini, &["delete", "--section", "b"], 1, "TARGET_NOT_FOUND");
}

#[test]
fn headings_of_windows_documents_are_targets() {
    let text = b"# A\r\n\r\n## B\r\n\r\nx\r\n\r\nC\r\n---\r\n\r\ny\r\n";
    let rename = |name| ["rename", "--heading", name, "-c", "New"];
    check("a.md", text, &rename("B"), b"# A\r\n\r\n## New\r\n\r\nx\r\n\r\nC\r\n---\r\n\r\ny\r\n");
    check("a.md", text, &rename("C"), b"# A\r\n\r\n## B\r\n\r\nx\r\n\r\nNew\r\n---\r\n\r\ny\r\n");
    check(
        "a.md",
        text,
        &["append", "--section", "B", "-c", "one\ntwo\n"],
        b"# A\r\n\r\n## B\r\n\r\nx\r\n\r\none\r\ntwo\r\n\r\nC\r\n---\r\n\r\ny\r\n",
    );
    let block = b"```sh\r\nmake\r\n```\r\n";
    check(
        "a.md",
        block,
        &["replace", "--code-block", "0", "-c", "a\nb"],
        b"```sh\r\na\r\nb\r\n```\r\n",
    );
}

#[test]
fn closing_marks_and_indentation_are_not_part_of_a_heading() {
    let text = b"   ## A ###\n\nx\n\n ### B #\n";
    check(
        "a.md",
        text,
        &["rename", "--heading", "A", "-c", "Z"],
        b"   ## Z ###\n\nx\n\n ### B #\n",
    );
    check("a.md", text, &["delete", "--section", "### B"], b"   ## A ###\n\nx\n");
}

#[test]
fn a_mark_that_belongs_to_a_name_is_kept() {
    let text = b"## C#\n\nx\n\n## C\n";
    check("a.md", text, &["delete", "--section", "C#"], b"## C\n");
    check("a.md", text, &["delete", "--section", "C"], b"## C#\n\nx\n");
    check("a.md", text, &["rename", "--heading", "C#", "-c", "F#"], b"## F#\n\nx\n\n## C\n");
    // A number sign at the end of the text would be read as the closing mark of the heading.
    refused("a.md", text, &["rename", "--heading", "C", "-c", "A #"], 2, "INVALID_ARGUMENT");
}

#[test]
fn an_unclosed_fence_neither_swallows_nor_loses_the_rest() {
    let text = b"# A\n\nx\n\n## B\n\n```\ncode\n# no heading\n";
    check(
        "a.md",
        text,
        &["replace", "--body", "A", "-c", "\ny\n\n", "--no-children"],
        b"# A\n\ny\n\n## B\n\n```\ncode\n# no heading\n",
    );
    let block = ["replace", "--code-block", "0", "-c", "new"];
    check("a.md", text, &block, b"# A\n\nx\n\n## B\n\n```\nnew\n");
    let fence = ["append", "--section", "A", "--no-children", "-c", "\n```\ny"];
    refused("a.md", text, &fence, 4, "STRUCTURE_CHANGED");
    let closed = ["append", "--section", "A", "--no-children", "-c", "\n```\ny\n```"];
    let after = b"# A\n\nx\n\n```\ny\n```\n\n## B\n\n```\ncode\n# no heading\n";
    check("a.md", text, &closed, after);
}

#[test]
fn underlined_headings_after_lists_and_front_matter_are_targets() {
    let text = b"---\nk: v\n---\nA\n===\n\n- item\n\nB\n---\nx\n";
    let rename = |name| ["rename", "--heading", name, "-c", "New"];
    check("a.md", text, &rename("A"), b"---\nk: v\n---\nNew\n===\n\n- item\n\nB\n---\nx\n");
    check("a.md", text, &rename("B"), b"---\nk: v\n---\nA\n===\n\n- item\n\nNew\n---\nx\n");
    check("a.md", text, &["delete", "--section", "B"], b"---\nk: v\n---\nA\n===\n\n- item\n");
    let insert = ["insert", "--heading", "B", "-c", "y"];
    check("a.md", text, &insert, b"---\nk: v\n---\nA\n===\n\n- item\n\nB\n---\n\ny\n\nx\n");
}

#[test]
fn there_is_no_line_after_the_final_line_ending() {
    refused("a.txt", b"a\nb\n", &["delete", "--lines", "3"], 1, "LINE_OUT_OF_RANGE");
    refused("a.txt", b"", &["delete", "--lines", "1"], 1, "LINE_OUT_OF_RANGE");
    check("a.txt", b"a\nb\n", &["append", "-c", "c"], b"a\nb\nc\n");
    check("a.txt", b"a\nb\n", &["insert", "--lines", "2", "--after", "-c", "c"], b"a\nb\nc\n");
    let edited = check("a.txt", b"a\nb\n", &["delete", "--lines", "2-"], b"a\n");
    assert_eq!(edited.records[0]["note"], "File now has 1 line (was 2)");
}

#[test]
fn a_backslash_and_an_n_are_two_characters() {
    let text = b"print(\"a\\nb\")\n";
    check("a.py", text, &["replace", "--text", "a\\nb", "-c", "x\\ty"], b"print(\"x\\ty\")\n");
    check("a.py", text, &["replace", "--lines", "1", "-c", "\\n\\r\\0"], b"\\n\\r\\0\n");
    refused("a.py", b"a\nb\n", &["delete", "--text", "a\\nb"], 1, "TARGET_NOT_FOUND");
    check("a.py", b"a.b\n", &["replace", "--pattern", "\\.", "-c", "\\1"], b"a\\1b\n");
}

#[test]
fn mixed_line_endings_are_preserved() {
    let text = b"a\r\nb\nc\r\nd\n";
    check("a.txt", text, &["replace", "--lines", "2", "-c", "x\ny"], b"a\r\nx\ny\nc\r\nd\n");
    check("a.txt", text, &["replace", "--lines", "3", "-c", "x\ny"], b"a\r\nb\nx\r\ny\r\nd\n");
    check("a.txt", text, &["replace", "--text", "b\nc", "-c", "z"], b"a\r\nz\r\nd\n");
    check("a.txt", text, &["delete", "--text", "a"], b"\r\nb\nc\r\nd\n");
    check("a.txt", text, &["insert", "--lines", "4", "-c", "x"], b"a\r\nb\nc\r\nx\nd\n");
    check("a.txt", b"a\rb\n", &["replace", "--text", "b", "-c", "c"], b"a\rc\n");
}

#[test]
fn byte_order_marks_last_lines_and_modes_are_kept() {
    let bom = b"\xef\xbb\xbfa\nb";
    check("a.txt", bom, &["replace", "--lines", "1", "-c", "x"], b"\xef\xbb\xbfx\nb");
    check("a.txt", bom, &["insert", "--lines", "1", "-c", "x"], b"\xef\xbb\xbfx\na\nb");
    check("a.txt", bom, &["delete", "--lines", "1"], b"\xef\xbb\xbfb");
    check("a.txt", bom, &["replace", "--lines", "2", "-c", "x\n"], b"\xef\xbb\xbfa\nx");
    check("a.txt", bom, &["replace", "--whole-file", "-c", "x\n"], b"\xef\xbb\xbfx");
    check("a.txt", bom, &["replace", "--pattern", "^a", "-c", "x"], b"\xef\xbb\xbfx\nb");
    // The byte order mark of the content is not added to that of the file.
    let content = "\u{feff}x\n";
    check("a.txt", bom, &["replace", "--whole-file", "-c", content], b"\xef\xbb\xbfx");
    check("a.txt", bom, &["replace", "--lines", "1", "-c", content], b"\xef\xbb\xbfx\nb");
    let wide = b"\xff\xfea\0\n\0b\0";
    check("a.txt", wide, &["insert", "--lines", "1", "-c", content], b"\xff\xfex\0\n\0a\0\n\0b\0");
    let sandbox = Sandbox::with(&[("run.sh", "#!/bin/sh\necho a\n")]);
    for mode in [0o755, 0o600, 0o4711] {
        let path = sandbox.path("run.sh");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let new = format!("echo {mode:o}");
        sandbox.run(&["patch", "replace", "run.sh", "--lines", "2", "-c", &new]).succeeds();
        let kept = std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(kept, mode, "{mode:o}");
    }
}

#[test]
fn invalid_utf8_bytes_are_preserved() {
    let text = b"caf\xe9\nb \xff\xfe c\n\xc3\n";
    check("a.txt", text, &["replace", "--text", "b", "-c", "x"], b"caf\xe9\nx \xff\xfe c\n\xc3\n");
    let append = ["append", "-c", "\u{e9}", "--encoding", "utf-8"];
    check("a.txt", text, &append, b"caf\xe9\nb \xff\xfe c\n\xc3\n\xc3\xa9\n");
    check("a.txt", text, &["delete", "--lines", "2"], b"caf\xe9\n\xc3\n");
    let edited = check("a.txt", text, &["replace", "--text", "caf", "-c", "C"], {
        b"C\xe9\nb \xff\xfe c\n\xc3\n"
    });
    // A line that is not UTF-8 is shown as bytes.
    assert_eq!(edited.records[0]["preview"]["after"]["bytes"], "Q+k=");
}

#[test]
fn a_file_copied_or_moved_onto_itself_still_exists() {
    let text = b"a\nb\n";
    let sandbox = Sandbox::with(&[("a.txt", "a\nb\n")]);
    sandbox.run(&["patch", "copy", "a.txt", "--whole-file", "--to", "a.txt"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("a.txt")).unwrap(), b"a\nb\na\nb\n");
    let moved = edit("a.txt", text, &["move", "--whole-file", "--to", "a.txt"]);
    assert_eq!(moved.after, Bytes(text.to_vec()));
    let sandbox = Sandbox::with(&[("a.txt", "a\nb\n")]);
    sandbox.run(&["patch", "replace", "a.txt", "--whole-file", "-f", "a.txt"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("a.txt")).unwrap(), text);
    std::os::unix::fs::symlink("a.txt", sandbox.path("b.txt")).unwrap();
    sandbox.run(&["patch", "move", "a.txt:1", "--to", "b.txt"]).exits(0);
    assert_eq!(std::fs::read(sandbox.path("b.txt")).unwrap(), b"b\na\n");
    assert!(sandbox.path("b.txt").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn line_0_is_an_error() {
    for lines in ["0", "0-1", "-1", "1-0", "", "1.5", "18446744073709551616"] {
        let lines = format!("--lines={lines}");
        let edited = edit("a.txt", b"a\nb\n", &["delete", &lines]);
        assert_eq!(edited.status, 2, "{lines}: {}", edited.errors);
        assert_eq!(edited.after, Bytes(b"a\nb\n".to_vec()));
    }
    let edits =
        r#"{"filePath":"a.txt","operation":"delete","target":{"lines":{"start":0,"end":1}}}"#;
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    sandbox
        .run_with_input(&["patch", "apply", "-", "--json"], edits)
        .exits(2)
        .tells("INVALID_RANGE");
}

#[test]
fn an_empty_checksum_is_refused() {
    for guard in ["--if-match=", "--if-range-match="] {
        refused("a.txt", b"a\n", &["delete", "--lines", "1", guard], 2, "INVALID_ARGUMENT");
    }
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let edit = r#"{"address":"a.txt:1","operation":"delete","ifMatch":""}"#;
    sandbox.run_with_input(&["patch", "apply", "-", "--json"], edit).exits(2);
    assert_eq!(std::fs::read(sandbox.path("a.txt")).unwrap(), b"a\n");
}

#[test]
fn an_invalid_pattern_is_reported() {
    for pattern in ["(", "[a", "a{2,1}", "(?P<x", "\\"] {
        let pattern = format!("--pattern={pattern}");
        refused("a.txt", b"a\n", &["delete", &pattern], 2, "INVALID_PATTERN");
    }
}

#[test]
fn content_that_begins_with_a_hyphen_is_not_an_option() {
    let text = b"-x --text\n";
    check("a.txt", text, &["replace", "--text", "-x", "-c", "-c"], b"-c --text\n");
    check("a.txt", text, &["replace", "--pattern", "--t\\w+", "-c", "--lines"], b"-x --lines\n");
    check("a.md", b"# -a\n\nx\n", &["delete", "--section", "-a"], b"");
    check("a.md", b"# A\n", &["append", "-c", "- item"], b"# A\n\n- item\n");
}

#[test]
fn an_empty_text_is_refused_and_empty_matches_end() {
    refused("a.txt", b"ab\n", &["replace", "--text", "", "-c", "x"], 2, "INVALID_ARGUMENT");
    let all = ["--occurrence", "all"];
    let every = |pattern| [&["replace", "--pattern", pattern, "-c", "-"], &all[..]].concat();
    check("a.txt", b"ab\n", &every("x*"), b"-a-b-\n");
    check("a.txt", b"ab\n\nc", &every("^"), b"-ab\n-\n-c");
    check("a.txt", b"ab\r\n\r\nc\r\n", &every("$"), b"ab-\r\n-\r\nc-\r\n");
}

#[test]
fn deleting_nested_sections_is_reported() {
    let text = b"# A\n\nx\n\n## B\n\n### C\n\n# D\n";
    let edited = check("a.md", text, &["replace", "--section", "A", "-c", "# N"], b"# N\n\n# D\n");
    let warnings = edited.records[0]["warnings"].to_string();
    assert!(warnings.contains("2 nested sections"), "{warnings}");
    let edited = check("a.md", text, &["delete", "--section", "B"], b"# A\n\nx\n\n# D\n");
    let warnings = edited.records[0]["warnings"].to_string();
    assert!(warnings.contains("1 nested section"), "{warnings}");
    let alone = ["replace", "--section", "A", "--no-children", "-c", "# N"];
    let edited = check("a.md", text, &alone, b"# N\n\n## B\n\n### C\n\n# D\n");
    assert!(!edited.records[0]["warnings"].to_string().contains("nested"));
}

#[test]
fn a_missing_heading_is_not_created() {
    let text = b"# A\n\n## Changes\n";
    for name in ["Change", "changes", "## Change", "Changes > New", "Changes[2]"] {
        let edited =
            refused("a.md", text, &["append", "--section", name, "-c", "x"], 1, "TARGET_NOT_FOUND");
        assert!(edited.errors.contains("Changes"), "{}", edited.errors);
        refused("a.md", text, &["insert", "--heading", name, "-c", "x"], 1, "TARGET_NOT_FOUND");
    }
    let ini = b"[a]\nk = 1\n";
    refused("a.ini", ini, &["append", "--section", "b", "-c", "x = 1"], 1, "TARGET_NOT_FOUND");
    let key = ["replace", "--section", "a", "--key", "x", "-c", "x = 1"];
    refused("a.ini", ini, &key, 1, "TARGET_NOT_FOUND");
}

#[test]
fn a_line_that_would_underline_the_paragraph_above_is_refused() {
    for line in ["---", "===", "-", "=", "  ---  ", "---\n\nmore"] {
        for text in ["# A\n\ntext\n", "# A\n\ntext", "# A\r\n\r\ntext\r\n"] {
            refused(
                "a.md",
                text.as_bytes(),
                &["append", "-c", line, "--exact"],
                4,
                "STRUCTURE_CHANGED",
            );
            let section = ["append", "--section", "A", "-c", line, "--exact"];
            refused("a.md", text.as_bytes(), &section, 4, "STRUCTURE_CHANGED");
        }
    }
    check("a.md", b"# A\n\ntext\n", &["append", "-c", "\n---"], b"# A\n\ntext\n\n---\n");
    check("a.md", b"# A\n\ntext\n", &["append", "-c", "---"], b"# A\n\ntext\n\n---\n");
    let force = ["append", "-c", "---", "--exact", "--force"];
    let forced = check("a.md", b"text\n", &force, b"text\n---\n");
    assert!(
        forced.errors.contains("changes headings or code blocks elsewhere"),
        "{}",
        forced.errors
    );
}

#[test]
fn more_files_can_be_edited_than_can_be_open() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..80).map(|number| format!("{number:02}.md")).collect();
    for name in &names {
        sandbox.write(name, "one\n");
    }
    let run = |flags: &str, old: &str, new: &str| {
        let mut command = sandbox.command_of("sh");
        let edit = format!("patch replace --max-files 80 {flags} --text {old} -c {new}");
        let line = format!("ulimit -n 32 && exec \"$0\" {edit} \"$@\"");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_folio")]).args(&names);
        outcome(&mut command, b"")
    };
    let check = |text: &str| {
        assert!(
            names.iter().all(|name| std::fs::read(sandbox.path(name)).unwrap() == text.as_bytes())
        );
    };
    run("--backup", "one", "two").exits(0);
    check("two\n");
    sandbox.run(&["undo"]).exits(0);
    check("one\n");
    // A file that is overwritten in place is locked, so it remains open.
    let errors = run("--in-place", "one", "two").exits(2).errors();
    assert_eq!(errors.matches("Too many open files").count(), 1, "{errors}");
    assert!(errors.contains(" of 80 could be opened"), "{errors}");
    assert!(errors.contains("hint: ulimit -Hn  # the limit of open files"), "{errors}");
    check("one\n");
}
