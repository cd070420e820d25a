//! `folio inspect`: structures, matches and lines, as text and as JSON.

use crate::support::documents::{APP, GUIDE};
use crate::support::records::{File, Heading, Lines, Match, Record, Search};
use crate::support::{Outcome, Sandbox, checksum, numbers, outcome, utf16};

const GUIDE_HEADINGS: &str = "\
guide.md:7-34:# Project Overview
guide.md:11-29:## Installation
guide.md:18-29:### Linux
guide.md:22-23:## Quoted  in a quote
guide.md:30-34:## Usage
guide.md:35:# Second
";

fn guide() -> Sandbox {
    Sandbox::with(&[("guide.md", GUIDE)])
}

#[track_caller]
fn file(sandbox: &Sandbox, arguments: &[&str]) -> File {
    File::one(&sandbox.run(&[&["inspect", "--json"], arguments].concat()).succeeds())
}

/// Checks the outline of one document, written as a tree on one line.
#[track_caller]
fn check_tree(name: &str, text: &str, expected: &str) {
    let sandbox = Sandbox::with(&[(name, text)]);
    let headings = file(&sandbox, &[name]).structure.headings.expect("headings");
    let described: Vec<String> = headings.iter().map(Heading::describe).collect();
    assert_eq!(described.join(", "), expected);
}

/// Checks the output for the guide in a pipe.
#[track_caller]
fn check_guide(arguments: &[&str], expected: &str) {
    guide().run(&[&["inspect"], arguments].concat()).succeeds().prints(expected);
}

#[track_caller]
fn check_refused(arguments: &[&str], parts: &[&str]) {
    let outcome = guide().run(&[&["inspect", "guide.md"], arguments].concat()).exits(2);
    assert!(outcome.stdout.is_empty(), "{outcome}");
    for part in parts {
        assert!(outcome.errors().contains(part), "expected: {part}\n{outcome}");
    }
}

// Structure.

#[test]
fn a_pipe_gets_one_address_per_line() {
    let expected = "guide.md:7-34:# Project Overview\nguide.md:7:#top\n\
                    guide.md:11-29:## Installation\nguide.md:13-16:code bash:0\n\
                    guide.md:18-29:### Linux\nguide.md:20:#linux-anchor\n\
                    guide.md:22-23:## Quoted  in a quote\nguide.md:26-28:code 1\n\
                    guide.md:30-34:## Usage\nguide.md:32-34:[LOG-001] - first entry\n\
                    guide.md:35:# Second\n";
    check_guide(&["guide.md"], expected);
}

#[test]
fn outline_shows_only_headings() {
    check_guide(&["-O", "guide.md"], GUIDE_HEADINGS);
    check_guide(&["--outline", "guide.md"], GUIDE_HEADINGS);
    check_guide(&["--only", "headings", "guide.md"], GUIDE_HEADINGS);
}

#[test]
fn headings_without_visible_text_are_shown_by_their_source() {
    let sandbox = Sandbox::with(&[("a.md", "# <!-- a -->\n\n## <!-- b --> B\n\n##\n")]);
    let expected = "a.md:1-5:# <!-- a -->\na.md:3-4:## B\na.md:5:## \n";
    sandbox.run(&["inspect", "-O", "a.md"]).succeeds().prints(expected);
    let json = sandbox.run(&["inspect", "--json", "a.md"]).succeeds().json();
    assert_eq!(json["structure"]["headings"][0]["text"], "");
    let paths = sandbox.run(&["inspect", "-O", "--breadcrumbs", "a.md"]).succeeds().text();
    assert!(paths.contains("a.md:3-4:## B  in <!-- a -->"), "{paths}");
}

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
fn headings_are_nested_by_level() {
    check_tree(
        "a.md",
        "# A\n## B\n### C\n## D\n# E\n",
        "1-4 # A (2-3 ## B (3-3 ### C), 4-4 ## D), 5-5 # E",
    );
    check_tree("a.md", "### C\n# A\n### D\n", "1-1 ### C, 2-3 # A (3-3 ### D)");
    check_tree("a.md", "Title\n=====\nx\n\nSub\n---\n", "1-6 # Title (5-6 ## Sub)");
    check_tree("a.md", "# A\r\nx\r\n## B\r\n", "1-3 # A (3-3 ## B)");
    check_tree("a.md", "text only\n", "");
}

#[test]
fn headings_show_their_rendered_text() {
    check_tree("a.md", "# `Code` and *stress* ##\n", "1-1 # Code and stress");
    check_tree("a.md", "# Set up {#own}\n", "1-1 # Set up");
    check_tree("a.md", "# A [link](b.md) &amp; b\n", "1-1 # A link & b");
    check_tree("a.md", "[x]: /y\nTitle\n=====\n", "2-3 # Title");
}

#[test]
fn raw_is_the_source_of_the_first_line() {
    let lines = [
        "# A",
        "##  B",
        "## C ##",
        "##\tD",
        " ## E",
        "> ## F",
        "- > ## G",
        "## H ",
        "## I {#i}",
        "J",
        "=",
        "### K",
        "##",
        "## `L` ",
        "Setext *M*",
        "and more",
        "---",
        "## N",
    ];
    let raws: Vec<&str> =
        lines.into_iter().filter(|line| !["=", "and more", "---"].contains(line)).collect();
    for end in ["\n", "\r\n"] {
        for between in ["", end] {
            let text = lines.map(|line| match line {
                "J" | "=" | "Setext *M*" | "and more" => format!("{line}{end}"),
                _ => format!("{line}{end}{between}"),
            });
            let sandbox = Sandbox::with(&[("a.md", &text.concat())]);
            let file = sandbox.run(&["inspect", "--json", "--flat", "a.md"]).succeeds().json();
            let headings = file["structure"]["headings"].as_array().expect("headings");
            let found: Vec<&str> =
                headings.iter().map(|heading| heading["raw"].as_str().expect("raw")).collect();
            assert_eq!(found, raws, "{end:?} {between:?}");
        }
    }
}

#[test]
fn text_like_a_heading_in_code_is_not_a_heading() {
    check_tree("a.md", "```\n# no\n```\n# A\n", "4-4 # A");
    check_tree("a.md", "    # no\n\n# A\n", "3-3 # A");
    check_tree("a.md", "~~~\n# no\n```\n# no\n", "");
    check_tree("a.md", "# A\n<!--\n# no\n-->\n", "1-4 # A");
}

#[test]
fn a_section_in_a_container_ends_with_the_container() {
    check_tree("a.md", "## A\n\n> # Q\n> x\n\ny\n", "1-6 ## A (3-4 # Q)");
    check_tree("a.md", "## A\n\n- # L\n  x\n\ny\n", "1-6 ## A (3-4 # L)");
    let sandbox = Sandbox::with(&[("a.md", "> # Q\n\n- # L\n\n# A\n")]);
    let headings = file(&sandbox, &["--flat", "a.md"]).structure.headings.unwrap();
    let containers: Vec<_> = headings.iter().map(|heading| heading.container.as_deref()).collect();
    assert_eq!(containers, [Some("quote"), Some("list"), None]);
}

#[test]
fn the_container_of_a_heading_is_printed() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\n## B\n\n> ### Q\n\n- # L\n\n```sh\nx\n```\n")]);
    let inspect =
        |flags: &[&str]| sandbox.run(&[&["inspect", "a.md"], flags].concat()).succeeds().text();
    let expected = "a.md:1-11:# A\na.md:3-11:## B\na.md:5:### Q  in a quote\n\
                    a.md:7:# L  in a list\na.md:9-11:code sh:0\n";
    assert_eq!(inspect(&[]), expected);
    let expected = "a.md:1-11:# A\na.md:3-11:## B  in A\na.md:5:### Q  in a quote  in A > B\n\
                    a.md:7:# L  in a list  in A > B\na.md:9-11:code sh:0  in A > B\n";
    assert_eq!(inspect(&["--breadcrumbs"]), expected);
    assert!(inspect(&["--breadcrumbs", "--tree"]).contains("## B  in A\n"));
    check_refused(&["--breadcrumbs", "--mode", "lines", "--query", "1"], &["--breadcrumbs"]);
}

#[test]
fn a_flat_list_has_no_children() {
    let headings = file(&guide(), &["--flat", "guide.md"]).structure.headings.unwrap();
    let lines: Vec<_> = headings.iter().map(|heading| (heading.line, heading.level)).collect();
    assert_eq!(lines, [(7, 1), (11, 2), (18, 3), (22, 2), (30, 2), (35, 1)]);
    assert!(headings.iter().all(|heading| heading.children.is_none()));
}

#[test]
fn deeper_levels_are_omitted() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n## B\n### C\n#### D\n##### E\n###### F\n")]);
    for level in 1..=6u64 {
        let argument = level.to_string();
        let outcome = sandbox.run(&["inspect", "--max-level", &argument, "a.md"]).succeeds();
        assert_eq!(outcome.text().lines().count() as u64, level, "{outcome}");
        let file = file(&sandbox, &["--max-level", &argument, "--flat", "a.md"]);
        let headings = file.structure.headings.unwrap();
        assert_eq!(headings.len() as u64, level);
        // The lines of a section do not depend on which parts are shown.
        assert!(headings.iter().all(|heading| heading.end_line == 6));
    }
    check_refused(&["--max-level", "0"], &["--max-level"]);
    check_refused(&["--max-level", "7"], &["--max-level"]);
}

#[test]
fn anchors_are_github_slugs() {
    let text = "# Set Up\n## Set up\n## C++ & *you*!\n## Über uns\n## a_b - c\n## Set up\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let headings = file(&sandbox, &["--flat", "a.md"]).structure.headings.unwrap();
    let anchors: Vec<_> = headings.iter().map(|heading| heading.anchor.as_str()).collect();
    assert_eq!(anchors, ["set-up", "set-up-1", "c--you", "über-uns", "a_b---c", "set-up-2"]);
}

#[test]
fn explicit_anchors_are_listed() {
    let text = "# A {#one}\n\n<a name=\"two\"></a>\n<div id='three'>\n\n```\n<a id=\"no\"></a>\n```\n\n\
                text <span id=\"four\">x</span>\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let anchors = file(&sandbox, &["a.md"]).structure.anchors.unwrap();
    let anchors: Vec<_> = anchors.iter().map(|anchor| (anchor.id.as_str(), anchor.line)).collect();
    assert_eq!(anchors, [("one", 1), ("two", 3), ("three", 4), ("four", 10)]);
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
            let told = sandbox.run_with_input(arguments, input).succeeds();
            let headings = File::one(&told).structure.headings.unwrap();
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

// Sections that are not headings.

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
    for name in ["a.md", "a.log", "a.txt", "a.rs", "a"] {
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
    let own = &["--section-pattern", "^TASK \\d"];
    check_sections("a.txt", text, own, &[(2, 4, "TASK 1")]);
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
    let sandbox = Sandbox::with(&[("a.rs", "// one\n// two\n\n\nfn x() {}\n\n# y\n")]);
    let file = file(&sandbox, &["a.rs"]);
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

// Checks the format of a document and its structure.

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
    check_format("a.rs", "# A\n", "text");
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

// Operands.

fn tree() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    sandbox
        .write(".gitignore", "ignored.md\nout/\n")
        .write("ignored.md", "# Ignored\n")
        .write("out/o.md", "# Out\n")
        .write(".hidden.md", "# Hidden\n")
        .write("b.md", "# B\n")
        .write("a.txt", "# A\n")
        .write("sub/z.md", "# Z\n")
        .write("sub/deep/y.ini", "[y]\nk=1\n")
        .write("sub-2.md", "# Two\n")
        .write("image.png", b"\x89PNG\0\0")
        .write("plain.rs", "fn main() {}\n");
    sandbox
}

#[test]
fn a_directory_operand_selects_the_text_files_below_it() {
    let expected =
        "a.txt:1:# A\nb.md:1:# B\nsub/deep/y.ini:1-2:[y]\nsub/z.md:1:# Z\nsub-2.md:1:# Two\n";
    for _ in 0..5 {
        tree().run(&["inspect"]).succeeds().prints(expected);
        tree().run(&["inspect", "."]).succeeds().prints(expected);
    }
    let below = "sub/deep/y.ini:1-2:[y]\nsub/z.md:1:# Z\n";
    tree().run(&["inspect", "sub"]).succeeds().prints(below);
    let files = File::all(&tree().run(&["inspect", "--json"]).succeeds());
    let paths: Vec<_> = files.iter().map(|file| file.file_path.as_str()).collect();
    assert_eq!(paths, ["a.txt", "b.md", "plain.rs", "sub/deep/y.ini", "sub/z.md", "sub-2.md"]);
}

#[test]
fn globs_and_types_choose_files() {
    let check = |arguments: &[&str], expected: &str| {
        tree().run(&[&["inspect"], arguments].concat()).succeeds().prints(expected);
    };
    check(&["-g", "sub/**/*.ini"], "sub/deep/y.ini:1-2:[y]\n");
    check(&["-g", "sub/**", "-g", "!*.ini"], "sub/z.md:1:# Z\n");
    check(&["--glob=!*.md", "."], "a.txt:1:# A\nsub/deep/y.ini:1-2:[y]\n");
    check(&["-t", "txt"], "a.txt:1:# A\n");
    check(&["-t", "txt", "--type", "config"], "a.txt:1:# A\nsub/deep/y.ini:1-2:[y]\n");
    // As in ripgrep, files that match a glob are included even if they are hidden or ignored.
    check(
        &["-g", "*.md", "-g", "!sub*"],
        ".hidden.md:1:# Hidden\nb.md:1:# B\nignored.md:1:# Ignored\n",
    );
    tree().run(&["inspect", "-t", "nonsense"]).exits(2).tells("nonsense");
    tree().run(&["inspect", "-g", "["]).exits(2).tells("[");
}

#[test]
fn ignored_and_hidden_files_can_be_named() {
    tree().run(&["inspect", "ignored.md"]).succeeds().prints("ignored.md:1:# Ignored\n");
    tree().run(&["inspect", ".hidden.md"]).succeeds().prints(".hidden.md:1:# Hidden\n");
}

#[test]
fn a_tree_in_json_is_the_same_every_time() {
    let sandbox = Sandbox::new();
    for number in 0..300 {
        sandbox.write(format!("d{}/f{number:03}.md", number % 7), format!("# {number}\n"));
    }
    let first = sandbox.run(&["inspect", "--json"]).succeeds();
    assert_eq!(first.json_lines().len(), 300);
    for _ in 0..5 {
        sandbox.run(&["inspect", "--json"]).succeeds().prints(&first.stdout);
    }
}

#[test]
fn standard_input_is_a_document() {
    let sandbox = Sandbox::new();
    sandbox.run_with_input(&["inspect", "-"], "# A\n").succeeds().prints("-:1:# A\n");
    sandbox
        .run_with_input(&["inspect", "-:2-3"], "# A\n# B\n# C\n")
        .succeeds()
        .prints("-:2:# B\n-:3:# C\n");
    let outcome = sandbox.run_with_input(&["inspect", "--json", "-"], "# A\n").succeeds();
    let file = File::one(&outcome);
    assert_eq!((file.file_path.as_str(), file.size_bytes), ("-", 4));
    let search = &["inspect", "--mode", "search", "--query", "A", "-"];
    sandbox.run_with_input(search, "# A\n").succeeds().prints("-:1:# A\n");
}

#[test]
fn several_files_are_printed_in_order() {
    let sandbox = Sandbox::with(&[("b.md", "# B\n"), ("a.md", "# A\n")]);
    sandbox.run(&["inspect", "b.md", "a.md"]).succeeds().prints("b.md:1:# B\na.md:1:# A\n");
    let files = File::all(&sandbox.run(&["inspect", "--json", "b.md", "a.md"]).succeeds());
    let paths: Vec<_> = files.iter().map(|file| file.file_path.as_str()).collect();
    assert_eq!(paths, ["b.md", "a.md"]);
}

#[test]
fn a_failed_operand_does_not_stop_the_others() {
    let outcome = guide().run(&["inspect", "-O", "gone.md", "guide.md"]).exits(2);
    outcome.prints(GUIDE_HEADINGS).tells("gone.md");
}

#[test]
fn an_address_limits_what_is_shown() {
    let usage = "guide.md:30-34:## Usage\nguide.md:32-34:[LOG-001] - first entry\n";
    check_guide(&["guide.md:30-34"], usage);
    check_guide(&["guide.md#usage"], usage);
    check_guide(&["guide.md#L30-L34"], usage);
    check_guide(
        &["-O", "guide.md#installation"],
        "guide.md:11-29:## Installation\nguide.md:18-29:### Linux\nguide.md:22-23:## Quoted  in a quote\n",
    );
    check_guide(&["-O", "guide.md:30-"], "guide.md:30-34:## Usage\nguide.md:35:# Second\n");
    check_guide(&["-O", "guide.md:1-9"], "guide.md:7-34:# Project Overview\n");
    let headings = file(&guide(), &["guide.md#usage"]).structure.headings.unwrap();
    assert_eq!(headings[0].describe(), "30-34 ## Usage");
    guide().run(&["inspect", "guide.md#nowhere"]).exits(1).tells("nowhere");
    guide().run(&["inspect", "guide.md:99"]).exits(1).tells("35 lines");
}

#[test]
fn an_address_with_several_ranges_limits_the_outline() {
    check_guide(
        &["-O", "guide.md:7-9,30-32"],
        "guide.md:7-34:# Project Overview\nguide.md:30-34:## Usage\n",
    );
}

#[test]
fn nul_separates_records_for_any_file_name() {
    let sandbox = Sandbox::with(&[("a:1:b\n.md", "# A\n")]);
    sandbox.run(&["inspect", "-0", "a:1:b\n.md"]).succeeds().prints("a:1:b\n.md:1\0# A\0");
}

// Search.

#[track_caller]
fn hits(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Match> {
    let outcome = sandbox.run(&[&["inspect", "--json", "--mode", "search"], arguments].concat());
    let search = Search::one(&outcome.succeeds());
    assert_eq!(search.total_matches, search.matches.len() as u64);
    search.matches
}

/// Checks the positions of a query in a text: line, column and byte offset.
#[track_caller]
fn check_hits(bytes: impl AsRef<[u8]>, arguments: &[&str], expected: &[(u64, u64, u64)]) {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", bytes);
    let found: Vec<_> = hits(&sandbox, &[&["a.md"], arguments].concat())
        .iter()
        .map(|hit| (hit.line, hit.column, hit.byte_offset))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn matches_are_addresses_in_a_pipe() {
    check_guide(
        &["--mode", "search", "--query", "body", "guide.md"],
        "guide.md:23:> body\nguide.md:33:body\n",
    );
    check_guide(&["--mode=search", "--query=install", "guide.md"], "guide.md:15:make install\n");
}

#[test]
fn matches_have_line_column_and_offset() {
    check_hits("ab\ncab\n", &["--query", "ab"], &[(1, 1, 0), (2, 2, 4)]);
    check_hits("a a\n", &["--query", "a"], &[(1, 1, 0)]);
    check_hits("äöü x\n", &["--query", "x"], &[(1, 5, 7)]);
    check_hits("😀😀x\n", &["--query", "x"], &[(1, 3, 8)]);
    check_hits("a\r\nx\r\n", &["--query", "x"], &[(2, 1, 3)]);
    check_hits("no newline", &["--query", "line"], &[(1, 7, 6)]);
}

#[test]
fn offsets_refer_to_the_bytes_of_the_file() {
    check_hits(b"\xef\xbb\xbfx\ny\n", &["--query", "x"], &[(1, 1, 3)]);
    check_hits(b"\xef\xbb\xbfx\ny\n", &["--query", "y"], &[(2, 1, 5)]);
    for little in [true, false] {
        check_hits(utf16("ä\nbä x\n", little), &["--query", "x"], &[(2, 4, 12)]);
        check_hits(utf16("😀x\r\ny\r\n", little), &["--query", "x"], &[(1, 2, 6)]);
        check_hits(utf16("😀x\r\ny\r\n", little), &["--query", "y"], &[(2, 1, 12)]);
    }
    check_hits(b"\xe9\xe9x\n", &["--query", "x", "--encoding", "latin1"], &[(1, 3, 2)]);
    check_hits(b"a\n\xff\xffx\n", &["--query", "x"], &[(2, 3, 4)]);
}

#[test]
fn a_query_is_literal_unless_it_is_a_regex() {
    let text = "a.c\nabc\nA.C\n";
    check_hits(text, &["--query", "a.c"], &[(1, 1, 0)]);
    check_hits(text, &["--query", "a.c", "--regex"], &[(1, 1, 0), (2, 1, 4)]);
    check_hits(text, &["--query", "^a.c$", "--regex", "-i"], &[(1, 1, 0), (2, 1, 4), (3, 1, 8)]);
    check_hits(text, &["--query", "A.c", "-i"], &[(1, 1, 0), (3, 1, 8)]);
    check_hits(text, &["--query", "A.C", "-S"], &[(3, 1, 8)]);
    check_hits(text, &["--query", "a.c", "-S"], &[(1, 1, 0), (3, 1, 8)]);
    check_hits(text, &["--query", "a.c", "-i", "-s"], &[(1, 1, 0)]);
    check_hits("cat concat\nconcat\n", &["--query", "cat", "-w"], &[(1, 1, 0)]);
    check_hits("cat\ncats\n", &["--query", "cat", "-x"], &[(1, 1, 0)]);
    check_hits("cat\r\ncats\r\n", &["--query", "t$", "--regex"], &[(1, 3, 2)]);
    check_hits("-x\n", &["--query", "-x"], &[(1, 1, 0)]);
    check_hits("x [DECISION] y\n", &["--query", "[DECISION]"], &[(1, 3, 2)]);
}

#[test]
fn context_lines_surround_matches() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(12))]);
    let found = hits(&sandbox, &["--query", "5", "-C", "2", "n.txt"]);
    let context = found[0].context.as_ref().expect("context");
    assert!(context.before.len() == 2 && context.before[0] == "3" && context.before[1] == "4");
    assert!(context.after.len() == 2 && context.after[0] == "6" && context.after[1] == "7");
    let found = hits(&sandbox, &["--query", "1", "-C", "1", "n.txt"]);
    let counts: Vec<_> = found
        .iter()
        .map(|hit| hit.context.as_ref().unwrap())
        .map(|context| (context.before.len(), context.after.len()))
        .collect();
    assert_eq!(counts, [(0, 1), (1, 1), (1, 1), (1, 0)]);
    assert!(hits(&sandbox, &["--query", "5", "n.txt"])[0].context.is_none());
    let text =
        sandbox.run(&["inspect", "--mode", "search", "--query", "1", "--context", "1", "n.txt"]);
    text.succeeds()
        .prints("n.txt:1:1\nn.txt-2-2\n--\nn.txt-9-9\nn.txt:10:10\nn.txt:11:11\nn.txt:12:12\n");
}

#[test]
fn matches_have_the_nearest_heading() {
    let sandbox = guide();
    let heading = |query: &str| {
        let hit = hits(&sandbox, &["--query", query, "guide.md"]).remove(0);
        hit.nearest_heading
            .map(|heading| (heading.level, heading.text.as_str().to_owned(), heading.line))
    };
    assert_eq!(heading("Front Title"), None);
    assert_eq!(heading("database"), Some((1, "Project Overview".to_owned(), 7)));
    assert_eq!(heading("make install"), Some((2, "Installation".to_owned(), 11)));
    assert_eq!(heading("> body"), Some((2, "Quoted".to_owned(), 22)));
    assert_eq!(heading("no language"), Some((3, "Linux".to_owned(), 18)));
    assert_eq!(heading("first entry"), Some((2, "Usage".to_owned(), 30)));
    assert_eq!(heading("# Second"), Some((1, "Second".to_owned(), 35)));
}

#[test]
fn no_match_exits_with_1() {
    let search = ["inspect", "--mode", "search", "--query", "zebra"];
    let outcome = guide().run(&[&search[..], &["guide.md"]].concat()).exits(1);
    assert!(outcome.stdout.is_empty(), "{outcome}");
    guide().run(&search).exits(1);
    let outcome = guide().run(&[&search[..], &["--json", "guide.md"]].concat()).exits(1);
    let found = Search::one(&outcome);
    assert_eq!((found.query.as_str(), found.total_matches), ("zebra", 0));
}

#[test]
fn a_search_includes_directories() {
    let search = ["inspect", "--mode", "search", "--query", "# "];
    tree()
        .run(&search)
        .succeeds()
        .prints("a.txt:1:# A\nb.md:1:# B\nsub/z.md:1:# Z\nsub-2.md:1:# Two\n");
    let outcome = tree().run(&[&search[..], &["--json", "sub"]].concat()).succeeds();
    assert_eq!(Search::one(&outcome).file_path, "sub/z.md");
}

#[test]
fn an_address_limits_a_search() {
    let search = |address: &str| -> Outcome {
        guide().run(&["inspect", "--mode", "search", "--query", "body", address])
    };
    search("guide.md:30-").succeeds().prints("guide.md:33:body\n");
    search("guide.md#linux").succeeds().prints("guide.md:23:> body\n");
    search("guide.md:1-10").exits(1).prints("");
}

#[test]
fn adjacent_matches_share_context_lines() {
    // Each line matches, and has five hundred context lines.
    let sandbox = Sandbox::with(&[("a.txt", &format!("{}x\n", "-".repeat(78)).repeat(1_000))]);
    for (flags, length) in [("", 80_000), ("--json", 35_000_000)] {
        let line = format!(
            "ulimit -d 16384 && \"$0\" inspect --mode search --query x -C 250 {flags} a.txt | wc -c"
        );
        let mut shell = sandbox.command_of("sh");
        let outcome = outcome(shell.args(["-c", &line, env!("CARGO_BIN_EXE_folio")]), b"");
        let count: u64 = outcome.text().trim().parse().unwrap();
        assert!(outcome.errors().is_empty() && count > length, "{count} {}", outcome.errors());
    }
}

// Lines.

#[test]
fn lines_are_shown_by_number() {
    let lines = ["--mode", "lines", "--query"];
    check_guide(
        &[&lines[..], &["1-2,9", "guide.md"]].concat(),
        "guide.md:1:---\nguide.md:2:title: Front Title\nguide.md:9:Intro with database.\n",
    );
    check_guide(
        &[&lines[..], &["34-", "guide.md"]].concat(),
        "guide.md:34:\nguide.md:35:# Second\n",
    );
    check_guide(&[&lines[..], &["35-99", "guide.md"]].concat(), "guide.md:35:# Second\n");
    let outcome =
        guide().run(&["inspect", "--json", "--mode", "lines", "--query", "7-8", "guide.md"]);
    let found = Lines::one(&outcome.succeeds());
    assert_eq!(found.query, "7-8");
    let found: Vec<_> = found.lines.iter().map(|line| (line.number, line.text.as_str())).collect();
    assert_eq!(found, [(7, "# Project `Overview` {#top}"), (8, "")]);
    guide()
        .run(&["inspect", "--mode", "lines", "--query", "36", "guide.md"])
        .exits(1)
        .tells("35 lines");
    for query in ["0", "5-3", "x", "1,,2"] {
        check_refused(&["--mode", "lines", "--query", query], &["--query"]);
    }
}

#[test]
fn lines_lose_only_their_line_endings() {
    let sandbox = Sandbox::new();
    sandbox.write("a.txt", b"\xef\xbb\xbf a \t\r\nb\rc\n\xff");
    let outcome = sandbox.run(&["inspect", "--json", "--mode", "lines", "--query", "1-", "a.txt"]);
    let found = Lines::one(&outcome.succeeds());
    let texts: Vec<_> = found.lines.iter().map(|line| line.text.to_bytes()).collect();
    assert_eq!(texts, [&b" a \t"[..], b"b\rc", b"\xff"]);
}

// Invalid combinations of options.

#[test]
fn options_of_another_mode_are_refused() {
    check_refused(&["--query", "x"], &["--query"]);
    check_refused(&["--regex"], &["--regex"]);
    check_refused(&["-C", "1"], &["--context"]);
    check_refused(&["-i"], &["--ignore-case"]);
    check_refused(&["--mode", "search"], &["--query"]);
    check_refused(&["--mode", "lines"], &["--query"]);
    check_refused(&["--mode", "search", "--query", ""], &["--query"]);
    check_refused(&["--mode", "search", "--query", "x", "--flat"], &["--flat", "search"]);
    check_refused(&["--mode", "search", "--query", "x", "-O"], &["--outline", "search"]);
    check_refused(&["--mode", "lines", "--query", "1", "--tokens"], &["--tokens", "lines"]);
    check_refused(&["--mode", "lines", "--query", "1", "--regex"], &["--regex", "search"]);
    check_refused(
        &["--mode", "search", "--query", "x", "--regex", "-F"],
        &["--regex", "--fixed-strings"],
    );
    check_refused(&["-O", "--only", "code"], &["--outline", "--only"]);
    check_refused(&["--mode", "nonsense"], &["nonsense", "structure"]);
    check_refused(&["--only", "nonsense"], &["nonsense", "headings"]);
}

#[test]
fn a_document_without_structure_is_reported_on_stderr() {
    let sandbox = Sandbox::with(&[("a.md", "text\n")]);
    let outcome = sandbox.run(&["inspect", "a.md"]).exits(0).prints("");
    assert!(outcome.errors().contains("a.md"), "{outcome}");
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

const MIXED: &str = "\
# Guide\n\n```bash\nls\n```\n\n## Version Skew\n\n```bash\nx\n```\n\n```\ny\n```\n\
<a id=\"top\"></a>\n\n## Usage\n";

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
fn anchors_are_printed_on_request() {
    let sandbox = Sandbox::with(&[("g.md", "# A b\n# A b\n[LOG-1] x\n")]);
    let outcome = sandbox.run(&["inspect", "--anchors", "g.md"]).succeeds();
    outcome.prints("g.md:1:# A b  #a-b\ng.md:2-3:# A b  #a-b-1\ng.md:3:[LOG-1] x\n");
    sandbox.run(&["read", "g.md#a-b-1"]).succeeds().prints("# A b\n[LOG-1] x\n");
    let refused = sandbox.run(&["inspect", "--anchors", "--mode", "lines", "--query", "1", "g.md"]);
    refused.exits(2).tells("--anchors cannot be used with --mode lines");
}

#[test]
fn a_tree_is_drawn_in_a_pipe_on_request() {
    let sandbox = Sandbox::with(&[("g.md", "# A\n## B\n")]);
    let tree = "g.md  markdown · 2 lines · 9B\n  1-2  # A\n    2    ## B\n";
    sandbox.run(&["inspect", "--tree", "g.md"]).succeeds().prints(tree);
    sandbox.run(&["inspect", "-p", "--color=never", "g.md"]).succeeds().prints(tree);
    let painted = sandbox.run(&["inspect", "-p", "g.md"]).succeeds().text();
    assert!(painted.contains("\u{1b}["), "{painted:?}");
    sandbox.run(&["inspect", "--tree", "-0", "g.md"]).exits(2);
}

#[test]
fn piped_input_is_the_default_operand() {
    let sandbox = Sandbox::with(&[("g.md", "# File\n")]);
    sandbox.run_with_input(&["inspect"], "# Piped\n").succeeds().prints("-:1:# Piped\n");
    sandbox.run_with_input(&["inspect", "g.md"], "# Piped\n").prints("g.md:1:# File\n");
    sandbox.run(&["inspect"]).succeeds().prints("g.md:1:# File\n");
    let empty = sandbox.run_with_input(&["inspect"], "").exits(2).prints("");
    empty.tells("no file was named, and standard input is empty").tells("folio inspect .");
    let links = sandbox.run_with_input(&["links"], "[x](gone.md)\n").exits(1);
    links.prints("-:1:5: no file 'gone.md'\n");
    sandbox.run_with_input(&["links"], "").exits(2).tells("folio links .");
    sandbox.run(&["links"]).succeeds();
}

#[test]
fn a_stray_operand_is_refused_before_anything_is_printed() {
    let sandbox = Sandbox::with(&[("g.md", MIXED)]);
    let check = |arguments: &[&str], hint: &str| {
        sandbox.run(arguments).exits(2).prints("").tells(hint);
    };
    check(&["read", "g.md", "3"], "folio read g.md:3  # lines of a file");
    check(&["read", "g.md", "3-5"], "folio read g.md:3-5");
    check(&["inspect", "g.md", "3"], "folio inspect g.md:3");
    let quoted = "--section 'Version Skew";
    check(&["read", "g.md", "--section", "Version", "Skew"], quoted);
    check(&["read", "--section", "Version", "Skew", "g.md"], quoted);
    // An operand that looks like a file is reported as missing, and the other operands are read.
    let outcome = sandbox.run(&["read", "g.md:1", "gone.md"]).exits(2);
    outcome.tells("'gone.md': No such file").prints("==> g.md:1 Guide <==\n# Guide\n");
}

#[test]
fn names_are_truncated_to_the_terminal_width() {
    let long = "word ".repeat(40);
    let sandbox = Sandbox::with(&[("g.md", format!("# {long}\n").as_str())]);
    let mut command = sandbox.command();
    let shown = crate::support::terminal::screen(command.args(["inspect", "g.md"]), 60);
    let line = shown.lines().find(|line| line.contains("# word")).unwrap_or_default();
    assert!(line.contains('…') && !shown.contains(long.trim()), "{shown:?}");
    sandbox.run(&["inspect", "g.md"]).prints(format!("g.md:1:# {}\n", long.trim()));
}
