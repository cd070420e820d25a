//! Formats: logs, INI files, plain text, and how the format of a file is determined.

use super::{check_refused, check_tree, file};
use crate::support::Sandbox;
use crate::support::documents::APP;
use crate::support::records::{File, Record};

/// Checks the sections of a document: lines and markers.
#[track_caller]
fn check_sections(name: &str, text: &str, arguments: &[&str], expected: &[(u64, u64, &str)]) {
    let sandbox = Sandbox::with(&[(name, text)]);
    let sections = file(&sandbox, &[arguments, &[name]].concat()).structure.sections.unwrap();
    let found: Vec<_> = sections
        .iter()
        .map(|section| (section.line, section.end_line, section.marker.as_str()))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn log_entries_are_sections_in_any_format() {
    let text = "[LOG-1] - a\nx\n[LOG-2] - b\ny\n";
    let expected = [(1, 2, "[LOG-1]"), (3, 4, "[LOG-2]")];
    for name in ["a.md", "a.log", "a.txt", "a.lua", "a"] {
        check_sections(name, text, &[], &expected);
    }
    check_sections("a.md", "```\n[LOG-1] no\n```\n[LOG-2] b\n", &[], &[(4, 4, "[LOG-2]")]);
    check_sections("a.log", "x [LOG-1]\n", &[], &[]);
}

#[test]
fn a_section_in_an_entry_ends_with_the_entry() {
    let text = "# Log\n[LOG-1] a\n## Part\nx\n[LOG-2] b\n";
    check_tree("a.md", text, "1-5 # Log (3-4 ## Part)");
    check_sections("a.md", text, &[], &[(2, 4, "[LOG-1]"), (5, 5, "[LOG-2]")]);
}

#[test]
fn custom_patterns_replace_log_entries() {
    let text = "[LOG-1] a\nTASK 1: b\nx\n> [T-2] c\n";
    let custom = &["--section-pattern", "^TASK \\d"];
    check_sections("a.txt", text, custom, &[(2, 4, "TASK 1")]);
    let several = &["--section-pattern", "^TASK", "--section-pattern", r"\[T-\d\]"];
    check_sections("a.txt", text, several, &[(2, 3, "TASK"), (4, 4, "[T-2]")]);
    check_sections("a.md", "-- a\nx\n", &["--section-pattern", "-- a"], &[(1, 2, "-- a")]);
    check_refused(&["--section-pattern", "("], &["--section-pattern"]);
}

#[test]
fn ini_files_have_sections_with_keys() {
    let sandbox = Sandbox::with(&[("app.ini", APP)]);
    let outcome = sandbox.run(&["inspect", "--json", "app.ini"]).succeeds();
    File::one(&outcome);
    let value = outcome.json();
    assert_eq!(value["format"], "ini");
    assert_eq!(
        value["structure"],
        serde_json::json!({
            "sections": [
                {"marker": "[database]", "address": "app.ini:6-11", "line": 6, "endLine": 11, "keys": ["host", "port"]},
                {"marker": "[cache]", "address": "app.ini:12-13", "line": 12, "endLine": 13, "keys": ["size"]}],
            "keys": ["global"], "blankLineGroups": [3, 5, 9],
            "commentBlocks": [
                {"startLine": 1, "endLine": 2, "prefix": ";"},
                {"startLine": 11, "endLine": 11, "prefix": "#"}]})
    );
    let text = sandbox.run(&["inspect", "app.ini"]).succeeds();
    text.prints("app.ini:4:keys: global\napp.ini:6-11:[database]\napp.ini:12-13:[cache]\n");
}

#[test]
fn plain_text_has_blank_groups_and_comments() {
    let sandbox = Sandbox::with(&[("a.lua", "// one\n// two\n\n\nfn x() {}\n\n# y\n")]);
    let file = file(&sandbox, &["a.lua"]);
    assert_eq!(file.format, "text");
    let structure = file.structure;
    assert_eq!(structure.blank_line_groups.unwrap(), [3, 6]);
    let comments = structure.comment_blocks.unwrap();
    let comments: Vec<_> = comments
        .iter()
        .map(|block| (block.start_line, block.end_line, block.prefix.as_str()))
        .collect();
    assert_eq!(comments, [(1, 2, "//"), (7, 7, "#")]);
    assert!(structure.headings.is_none() && structure.code_blocks.is_none());
}

#[track_caller]
fn check_format(name: &str, text: &str, expected: &str) {
    let sandbox = Sandbox::with(&[(name, text)]);
    assert_eq!(file(&sandbox, &[name]).format, expected, "{name}: {text:?}");
}

#[test]
fn the_file_name_extension_determines_the_format() {
    for name in ["a.md", "a.markdown", "A.MD"] {
        check_format(name, "[a]\nb=1\n", "markdown");
    }
    check_format("a.mdx", "[a]\nb=1\n", "mdx");
    for name in ["a.ini", ".editorconfig"] {
        check_format(name, "# A\n", "ini");
    }
    check_format("tsconfig.json", "{}\n", "json");
    check_format("a.ndjson", "1\n2\n", "jsonl");
    for (name, format) in [
        ("a.yaml", "yaml"),
        ("Cargo.lock", "toml"),
        (".env.local", "env"),
        ("a.properties", "properties"),
    ] {
        check_format(name, "# A\n", format);
    }
    check_format("a.log", "# A\n", "log");
    check_format("a.rs", "fn a() {}\n", "rust");
    check_format("a.tsx", "let a = 1;\n", "tsx");
    check_format("a.lua", "# A\n", "text");
}

#[test]
fn otherwise_the_content_determines_the_format() {
    for name in ["notes", "notes.txt", ".hidden"] {
        check_format(name, "; x\n[a]\nb = 1\n", "ini");
        check_format(name, "\n\n[LOG-1] x\n# A\n", "log");
        check_format(name, "x\n\n# A\n", "markdown");
        check_format(name, "```\n# A\n```\n", "text");
        check_format(name, "x\n", "text");
        check_format(name, "", "text");
    }
}

#[test]
fn an_option_sets_the_format() {
    let sandbox = Sandbox::with(&[("a.rs", "# A\n[b]\nc=1\n")]);
    for format in ["markdown", "mdx", "ini", "log", "text"] {
        assert_eq!(file(&sandbox, &["--as", format, "a.rs"]).format, format);
    }
    let outcome = sandbox.run_with_input(&["inspect", "--as", "ini", "-"], "[b]\nc=1\n").succeeds();
    outcome.prints("-:1-2:[b]\n");
}

#[test]
fn comments_in_files_without_an_extension_are_not_headings() {
    let sandbox = Sandbox::with(&[
        ("etc/hosts", "# loopback\n\n127.0.0.1 localhost\n"),
        ("etc/default/x", "# Options of x\nX=1\n\n# More\nY=2\n"),
        ("etc/run", "#!/bin/sh\n\n# Begin\n\n## Then\n"),
        ("Dockerfile", "# base\n\nFROM x\n"),
        ("requirements.txt", "# pinned\n\na==1\n\n# tools\n\nb==2\n"),
        ("unit.service", "[Unit]\n# why\nAfter=x\n"),
        ("README", "# Title\ntext\n"),
    ]);
    let shown = sandbox.run(&["inspect", "-O"]).succeeds();
    assert_eq!(shown.text(), "README:1-2:# Title\n");
    sandbox.run(&["read", "unit.service", "--section", "Unit", "--key", "After"]).succeeds();
    // This used to be refused, because the comment was treated as a heading.
    let edit = ["patch", "insert", "requirements.txt", "--lines", "3", "-c", "# new\nc==3"];
    sandbox.run(&edit).succeeds();
}
