//! The structure of a document in text and JSON, and facts about the file.

use super::{MIXED, check_guide, file, guide};
use crate::support::documents::{GUIDE, long_texts};
use crate::support::records::{File, Heading, Record};
use crate::support::{Sandbox, checksum, utf16};

#[test]
fn only_selects_parts_of_the_structure() {
    check_guide(
        &["--only", "code", "guide.md"],
        "guide.md:13-16:code bash:0\nguide.md:26-28:code 1\n",
    );
    check_guide(&["--only", "anchors", "guide.md"], "guide.md:7:#top\nguide.md:20:#linux-anchor\n");
    check_guide(&["--only", "sections", "guide.md"], "guide.md:32-34:[LOG-001] - first entry\n");
    check_guide(
        &["--only=code,sections", "guide.md"],
        "guide.md:13-16:code bash:0\nguide.md:26-28:code 1\nguide.md:32-34:[LOG-001] - first entry\n",
    );
    let outcome = guide().run(&["inspect", "--only", "front-matter", "guide.md"]).succeeds();
    assert!(outcome.text().starts_with("guide.md:1-5:"), "{outcome}");
}

#[test]
fn tables_are_listed_on_request() {
    let text = "# A\n\n| a | b \\| c |\n|---|---|\n| 1 | 2 |\n\ntext\nx | y\n--|--\n";
    let sandbox = Sandbox::with(&[("t.md", text)]);
    let outcome = sandbox.run(&["inspect", "--only", "tables", "t.md"]).succeeds();
    outcome.prints("t.md:3-5:table 0\nt.md:8-9:table 1\n");
    let value = sandbox.run(&["inspect", "--json", "--only", "tables", "t.md"]).succeeds().json();
    let expected = serde_json::json!([
        {"address": "t.md:3-5", "index": 0, "startLine": 3, "endLine": 5, "columns": 2,
         "header": ["a", "b | c"]},
        {"address": "t.md:8-9", "index": 1, "startLine": 8, "endLine": 9, "columns": 2,
         "header": ["x", "y"]},
    ]);
    assert_eq!(value["structure"]["tables"], expected);
    sandbox
        .run(&["inspect", "--only", "tables", "t.md:6-9"])
        .succeeds()
        .prints("t.md:8-9:table 1\n");
}

#[test]
fn json_contains_only_the_selected_parts() {
    let all = ["anchors", "codeBlocks", "frontmatter", "headings", "sections"];
    let check = |arguments: &[&str], expected: &[&str]| {
        let outcome = guide().run(&[&["inspect", "--json", "guide.md"], arguments].concat());
        let value = outcome.succeeds().json();
        let mut names: Vec<_> = value["structure"].as_object().unwrap().keys().cloned().collect();
        names.sort();
        assert_eq!(names, expected, "{arguments:?}");
    };
    check(&[], &all);
    check(&["-O"], &["headings"]);
    check(&["--only", "headings"], &["headings"]);
    check(&["--only", "code"], &["codeBlocks"]);
    check(&["--only", "front-matter"], &["frontmatter"]);
    check(&["--only", "anchors"], &["anchors"]);
    check(&["--only", "sections"], &["sections"]);
    check(&["--only", "code,headings"], &["codeBlocks", "headings"]);
    check(&["--only", "headings,code,front-matter,anchors,sections"], &all);
}

#[test]
fn json_contains_the_whole_structure() {
    let expected = serde_json::json!({
        "filePath": "guide.md", "address": "guide.md", "format": "markdown", "totalLines": 35, "sizeBytes": GUIDE.len(),
        "fileSize": format!("{}B", GUIDE.len()), "encoding": "utf-8", "lineEnding": "lf",
        "finalNewline": true, "title": "Project Overview",
        "structure": {
            "frontmatter": {"startLine": 1, "endLine": 5, "format": "yaml",
                "keys": ["title", "date", "tags"]},
            "headings": [
                {"level": 1, "text": "Project Overview", "raw": "# Project `Overview` {#top}", "path": ["Project Overview"], "address": "guide.md:7-34", "line": 7, "endLine": 34,
                 "anchor": "project-overview", "children": [
                    {"level": 2, "text": "Installation", "raw": "## Installation ##", "path": ["Project Overview", "Installation"], "address": "guide.md:11-29", "line": 11, "endLine": 29,
                     "anchor": "installation", "children": [
                        {"level": 3, "text": "Linux", "raw": "### Linux", "path": ["Project Overview", "Installation", "Linux"], "address": "guide.md:18-29", "line": 18, "endLine": 29, "anchor": "linux",
                         "children": [
                            {"level": 2, "text": "Quoted", "raw": "> ## Quoted", "path": ["Project Overview", "Installation", "Linux", "Quoted"], "address": "guide.md:22-23", "line": 22, "endLine": 23,
                             "anchor": "quoted", "container": "quote", "children": []}]}]},
                    {"level": 2, "text": "Usage", "raw": "## Usage", "path": ["Project Overview", "Usage"], "address": "guide.md:30-34", "line": 30, "endLine": 34, "anchor": "usage",
                     "children": []}]},
                {"level": 1, "text": "Second", "raw": "# Second", "path": ["Second"], "address": "guide.md:35", "line": 35, "endLine": 35, "anchor": "second",
                 "children": []}],
            "codeBlocks": [
                {"index": 0, "language": "bash", "address": "guide.md:13-16", "startLine": 13, "endLine": 16},
                {"index": 1, "address": "guide.md:26-28", "startLine": 26, "endLine": 28}],
            "anchors": [{"id": "top", "line": 7}, {"id": "linux-anchor", "line": 20}],
            "sections": [{"marker": "[LOG-001]", "address": "guide.md:32-34",
                "text": "[LOG-001] - first entry", "line": 32, "endLine": 34}]}});
    let outcome = guide().run(&["inspect", "--json", "guide.md"]).succeeds();
    assert_eq!(outcome.json(), expected);
    File::one(&outcome);
    let same = guide().run(&["inspect", "--format", "json", "guide.md"]).succeeds();
    assert_eq!(same.json(), expected);
}

#[test]
fn body_text_never_appears_in_a_structure() {
    for arguments in [&["inspect"][..], &["inspect", "--json"], &["inspect", "--tokens"]] {
        let outcome = guide().run(&[arguments, &["guide.md"]].concat()).succeeds();
        for body in ["Intro", "make install", "no language", "item", "> body", "Front Title"] {
            assert!(!outcome.text().contains(body), "{body}: {outcome}");
        }
    }
}

#[test]
fn empty_lists_are_not_omitted() {
    let sandbox = Sandbox::with(&[("a.md", "text\n"), ("a.ini", "")]);
    let structure = file(&sandbox, &["a.md"]).structure;
    assert!(structure.headings.unwrap().is_empty() && structure.code_blocks.unwrap().is_empty());
    assert!(structure.anchors.unwrap().is_empty() && structure.sections.unwrap().is_empty());
    assert!(structure.frontmatter.is_none());
    let structure = file(&sandbox, &["a.ini"]).structure;
    assert!(structure.sections.unwrap().is_empty());
    assert!(structure.blank_line_groups.unwrap().is_empty());
    assert!(structure.comment_blocks.unwrap().is_empty());
}

#[test]
fn only_fenced_code_blocks_are_listed() {
    let text = "```rust ignore\nx\n```\n\n    indented\n\n> ~~~\n> y\n> ~~~\n\n````\n```\n````\n\n```sh\nopen\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let blocks = file(&sandbox, &["a.md"]).structure.code_blocks.unwrap();
    let blocks: Vec<_> = blocks
        .iter()
        .map(|block| (block.index, block.language.as_deref(), block.start_line, block.end_line))
        .collect();
    assert_eq!(
        blocks,
        [(0, Some("rust"), 1, 3), (1, None, 7, 9), (2, None, 11, 13), (3, Some("sh"), 15, 16)]
    );
}

#[test]
fn front_matter_is_found_at_the_top() {
    let check = |text: &str, expected: Option<(&str, u64, &[&str])>| {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        let found = file(&sandbox, &["a.md"]).structure.frontmatter;
        let found = found.as_ref().map(|found| {
            assert_eq!(found.start_line, 1);
            let keys: Vec<&str> = found.keys.iter().map(String::as_str).collect();
            (found.format.as_str(), found.end_line, keys)
        });
        let expected = expected.map(|(format, end, keys)| (format, end, keys.to_vec()));
        assert_eq!(found, expected, "{text:?}");
    };
    check("---\na: 1\nb:\n  - c: 2\n---\n", Some(("yaml", 5, &["a", "b"])));
    check("+++\na = 1\n+++\n", Some(("toml", 3, &["a"])));
    check("---\r\na: 1\r\n---\r\n", Some(("yaml", 3, &["a"])));
    check("\n---\na: 1\n---\n", None);
    check("---\na: 1\n", None);
    check("---\na: 1\n---", Some(("yaml", 3, &["a"])));
    check("+++\na = 1\n+++", Some(("toml", 3, &["a"])));
    check("---\n\n# note\n\na: 1\n...", Some(("yaml", 6, &["a"])));
    check("---\n  a: 1\n  b: 2\n---\n", Some(("yaml", 4, &["a", "b"])));
    check("---\n{a: 1, b: [2, 3]}\n---\n", Some(("yaml", 3, &["a", "b"])));
    check("---\n{}\n---\n", Some(("yaml", 3, &[])));
    check("---\n\n---\n", Some(("yaml", 3, &[])));
    check("---\n\n# A\n\n---\n", None);
    let sandbox = Sandbox::with(&[("a.md", "---\na: 1\nb:\n  - c: 2\n---\n")]);
    let front_matter = file(&sandbox, &["a.md"]).structure.frontmatter.unwrap();
    assert_eq!(front_matter.nested_keys.unwrap(), ["b[0].c"]);
}

#[test]
fn long_front_matter_does_not_create_a_heading() {
    let check = |length: usize, closing: &str, expected: &[&str]| {
        let words = "word, ".repeat(length / 6);
        let text = format!("---\ntitle: x\nkeywords: [{words}]\n# note\n{closing}\n# A\n\ntext\n");
        let sandbox = Sandbox::with(&[("a.md", &text)]);
        let read = |arguments: &[&str], input: &str| {
            let outcome = sandbox.run_with_input(arguments, input).succeeds();
            let headings = File::one(&outcome).structure.headings.unwrap();
            headings.iter().map(|heading| heading.text.as_str().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(read(&["inspect", "--json", "--flat", "a.md"], ""), expected, "{length}");
        assert_eq!(read(&["inspect", "--json", "--as", "markdown", "-"], &text), expected);
        let hit = sandbox.run(&["grep", "--json", "text", "a.md"]).succeeds().text();
        assert!(hit.contains("\"text\":\"text\""), "{hit}");
    };
    for length in [70_000, 130_000, 900_000] {
        check(length, "---", &["A"]);
        check(length, "", &["note", "A"]);
    }
    check(1_100_000, "---", &["note", "A"]);
}

#[test]
fn the_title_is_the_first_heading_of_level_one_or_the_front_matters() {
    let check = |text: &str, expected: Option<&str>| {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        let title = file(&sandbox, &["a.md"]).title;
        assert_eq!(title.as_ref().map(|title| title.as_str()), expected);
    };
    check("---\ntitle: F\n---\n# H\n", Some("H"));
    check("---\ntitle: \"F\"\n---\n## H\n", Some("F"));
    check("## H\n# *One*\n# Two\n", Some("One"));
    check("## H\n", None);
}

#[test]
fn tokens_are_bytes_divided_by_four_rounded_up() {
    let bytes = |start: u64, end: u64| -> u64 {
        let lines = GUIDE.split_inclusive('\n').skip(start as usize - 1);
        lines.take((end - start + 1) as usize).map(str::len).sum::<usize>() as u64
    };
    let structure = file(&guide(), &["--tokens", "--flat", "guide.md"]).structure;
    for heading in structure.headings.unwrap() {
        let expected = bytes(heading.line, heading.end_line).div_ceil(4);
        assert_eq!(heading.approximate_tokens, Some(expected), "{heading:?}");
    }
    let entry = &structure.sections.unwrap()[0];
    assert_eq!(entry.approximate_tokens, Some(bytes(32, 34).div_ceil(4)));
    let sandbox = Sandbox::with(&[("a.md", "# A\n\nxy")]);
    let headings = file(&sandbox, &["--tokens", "a.md"]).structure.headings.unwrap();
    assert_eq!(headings[0].approximate_tokens, Some(2));
    let sandbox = Sandbox::with(&[("a.ini", "[a]\nb=1\n")]);
    let sections = file(&sandbox, &["--tokens", "a.ini"]).structure.sections.unwrap();
    assert_eq!(sections[0].approximate_tokens, Some(2));
}

#[test]
fn a_checksum_covers_the_bytes_of_the_file() {
    for (name, bytes) in [
        ("guide.md", GUIDE.as_bytes().to_vec()),
        ("bom.md", b"\xef\xbb\xbf# A\n".to_vec()),
        ("crlf.md", b"# A\r\n\xff".to_vec()),
        ("u16.md", utf16("# A\n", true)),
        ("empty.md", Vec::new()),
    ] {
        let sandbox = Sandbox::new();
        sandbox.write(name, &bytes);
        let file = file(&sandbox, &["--checksum", name]);
        assert_eq!(file.checksum, Some(checksum(&bytes)), "{name}");
    }
    assert_eq!(file(&guide(), &["guide.md"]).checksum, None);
}

#[test]
fn facts_about_a_file_are_shown() {
    let check = |bytes: &[u8], expected: (u64, &str, &str, bool)| {
        let sandbox = Sandbox::new();
        sandbox.write("a.md", bytes);
        let file = file(&sandbox, &["a.md"]);
        let found = (
            file.total_lines,
            file.encoding.as_str(),
            file.line_ending.as_str(),
            file.final_newline,
        );
        assert_eq!(found, expected, "{bytes:?}");
        assert_eq!(file.size_bytes, bytes.len() as u64);
    };
    check(b"a\nb\n", (2, "utf-8", "lf", true));
    check(b"a\nb", (2, "utf-8", "lf", false));
    check(b"a\r\nb\r\n", (2, "utf-8", "crlf", true));
    check(b"a\r\nb\n", (2, "utf-8", "mixed", true));
    check(b"a\rb", (1, "utf-8", "none", false));
    check(b"\xef\xbb\xbfa\n", (1, "utf-8-bom", "lf", true));
    check(&utf16("a\r\nb\r\n", true), (2, "utf-16le", "crlf", true));
    check(&utf16("a\nb", false), (2, "utf-16be", "lf", false));
    check(b"caf\xe9\n", (1, "unknown-8bit", "lf", true));
    let sandbox = Sandbox::new();
    sandbox.write("a.md", b"# caf\xe9\n");
    let latin = file(&sandbox, &["--encoding", "latin1", "a.md"]);
    assert_eq!(latin.encoding, "windows-1252");
    assert_eq!(latin.structure.headings.unwrap()[0].text, "café");
}

#[test]
fn sizes_are_human_readable() {
    let sandbox = Sandbox::new();
    let sizes = [(0, "0B"), (512, "512B"), (1536, "1.5KB"), (32768, "32KB"), (5 << 20, "5MB")];
    for (bytes, expected) in sizes {
        sandbox.write("a.txt", "x".repeat(bytes));
        assert_eq!(file(&sandbox, &["a.txt"]).file_size, expected);
    }
}

#[test]
fn a_document_without_structure_is_reported_on_stderr() {
    let sandbox = Sandbox::with(&[("a.md", "text\n")]);
    let outcome = sandbox.run(&["inspect", "a.md"]).exits(0).prints("");
    assert!(outcome.errors().contains("a.md"), "{outcome}");
}

#[test]
fn a_pipe_gets_all_kinds_of_parts_in_line_order() {
    let sandbox = Sandbox::with(&[("g.md", MIXED)]);
    let expected = "g.md:1-18:# Guide\ng.md:3-5:code bash:0\ng.md:7-17:## Version Skew\n\
                    g.md:9-11:code bash:1\ng.md:13-15:code 2\ng.md:16:#top\ng.md:18:## Usage\n";
    sandbox.run(&["inspect", "g.md"]).succeeds().prints(expected);
    // `read` accepts the printed targets.
    sandbox.run(&["read", "g.md", "--code-block", "bash:1"]).succeeds().prints("x\n");
    sandbox.run(&["read", "g.md", "--code-block", "2"]).succeeds().prints("y\n");
}

#[test]
fn the_structure_of_a_markdown_document() {
    let sandbox = long_texts();
    let file = File::one(&sandbox.run(&["inspect", "--json", "docs/README.md"]).succeeds());
    assert_eq!((file.format.as_str(), file.total_lines), ("markdown", 847));
    assert_eq!(file.title.unwrap(), "Project Overview");
    let structure = file.structure;
    let front_matter = structure.frontmatter.unwrap();
    assert_eq!((front_matter.start_line, front_matter.end_line), (1, 5));
    assert_eq!(front_matter.keys, ["title", "date", "tags"]);
    let headings: Vec<_> = structure.headings.unwrap().iter().map(Heading::describe).collect();
    assert_eq!(
        headings,
        ["7-847 # Project Overview (\
          15-51 ## Installation (18-34 ### Prerequisites, 35-51 ### Quick Start), \
          52-119 ## Configuration, 120-199 ## API Reference, \
          200-847 ## Contributing (300-847 ### Performance Tuning))"]
    );
    let blocks: Vec<_> = structure
        .code_blocks
        .unwrap()
        .into_iter()
        .map(|block| (block.index, block.language.unwrap(), block.start_line, block.end_line))
        .collect();
    assert_eq!(
        blocks,
        [
            (0, "bash".into(), 20, 25),
            (1, "json".into(), 55, 72),
            (2, "typescript".into(), 125, 180)
        ]
    );
    let anchors = structure.anchors.unwrap();
    assert_eq!((anchors[0].id.as_str(), anchors[0].line), ("config-options", 52));
}

#[test]
fn the_structure_of_a_configuration_file() {
    let sandbox = long_texts();
    let file = File::one(&sandbox.run(&["inspect", "--json", "config/settings.conf"]).succeeds());
    assert_eq!((file.format.as_str(), file.total_lines), ("ini", 160));
    let structure = file.structure;
    let sections: Vec<_> = structure
        .sections
        .unwrap()
        .into_iter()
        .map(|section| (section.marker.as_str().to_owned(), section.line, section.end_line))
        .collect();
    assert_eq!(
        sections,
        [("[database]".into(), 5, 44), ("[cache]".into(), 45, 88), ("[logging]".into(), 89, 160)]
    );
    assert_eq!(structure.blank_line_groups.unwrap(), [4, 44, 88, 150]);
    let comments = structure.comment_blocks.unwrap();
    assert_eq!((comments[0].start_line, comments[0].end_line), (1, 3));
    assert_eq!((comments.len(), comments[0].prefix.as_str()), (1, "#"));
}
