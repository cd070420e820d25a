//! Headings: their levels, names, anchors and containers.

use super::{GUIDE_HEADINGS, check_guide, check_refused, check_tree, file, guide};
use crate::support::documents::few_files;
use crate::support::{Sandbox, outcome};

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
fn names_are_truncated_to_the_terminal_width() {
    let long = "word ".repeat(40);
    let sandbox = Sandbox::with(&[("g.md", format!("# {long}\n").as_str())]);
    let mut command = sandbox.command();
    let shown = crate::support::terminal::screen(command.args(["inspect", "g.md"]), 60);
    let line = shown.lines().find(|line| line.contains("# word")).unwrap_or_default();
    assert!(line.contains('…') && !shown.contains(long.trim()), "{shown:?}");
    sandbox.run(&["inspect", "g.md"]).prints(format!("g.md:1:# {}\n", long.trim()));
}

#[test]
fn an_outline_on_a_terminal_has_a_summary() {
    let sandbox = few_files();
    let mut command = sandbox.command_of("script");
    command.args(["-qec", r#""$FOLIO" inspect guide.md"#, "/dev/null"]);
    command.env("FOLIO", env!("CARGO_BIN_EXE_folio")).env("NO_COLOR", "1").env("TERM", "xterm");
    if command.output().is_err() {
        eprintln!("skipped: there is no script(1)");
        return;
    }
    let shown = outcome(&mut command, b"").text();
    let first = shown.lines().next().unwrap_or_default();
    assert!(first.contains("guide.md") && first.contains("7 lines"), "{shown:?}");
    assert!(shown.contains("# Guide") && shown.contains("## Setup"), "{shown:?}");
    assert!(!shown.contains('\x1b'), "{shown:?}");
}
