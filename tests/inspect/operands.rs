//! Operands: directories, globs, standard input, addresses and several files.

use super::{GUIDE_HEADINGS, MIXED, check_guide, file, guide, tree};
use crate::support::Sandbox;
use crate::support::records::{File, Record};

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
    assert_eq!(paths, ["a.txt", "b.md", "plain.lua", "sub/deep/y.ini", "sub/z.md", "sub-2.md"]);
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
