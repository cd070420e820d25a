//! Links that `--links` and `--links-in` update, and links that are left as they are.

use std::fs;

use super::holds;
use crate::support::{Sandbox, outcome, utf16};

#[test]
fn links_follow_a_renamed_heading() {
    let sandbox = Sandbox::with(&[
        ("docs/guide.md", "# Guide\n\n[to](#set-up) ![i](#set-up-1)\n\n## Set up\n\n## Set up\n"),
        ("docs/other.md", "[a](guide.md#set-up \"t\") [b]\n\n[b]: ./guide.md#set-up-1\n"),
        ("docs/code.md", "`[a](guide.md#set-up)` [c](no.md#set-up)\n"),
    ]);
    let rename = ["patch", "rename", "docs/guide.md", "--heading", "Set up[1]", "-c", "Install"];
    let warned = sandbox.run(&[&rename[..], &["--dry-run"]].concat()).exits(0);
    warned.tells("2 links no longer lead to the same section");
    let json = sandbox.run(&[&rename[..], &["--links-in", "docs", "--json"]].concat()).succeeds();
    assert_eq!(json.json_lines()[0]["links"].as_array().map(Vec::len), Some(2));
    let text = |name: &str| fs::read_to_string(sandbox.path(name)).expect("text");
    assert_eq!(
        text("docs/guide.md"),
        "# Guide\n\n[to](#install) ![i](#set-up)\n\n## Install\n\n## Set up\n"
    );
    assert_eq!(
        text("docs/other.md"),
        "[a](guide.md#install \"t\") [b]\n\n[b]: ./guide.md#set-up\n"
    );
    assert_eq!(text("docs/code.md"), "`[a](guide.md#set-up)` [c](no.md#set-up)\n");
}

const GUIDE: &str = "\
# Guide

[a](#setup) [b](#setup-1 \"t\") [o](../other/b.md#b) `[a](#setup-1)`

## Setup

See [second](#setup-1), [guide](#guide), [out](<sub dir/c.md>).

## Setup

<a href=\"sub%20dir/c.md#c\">c</a> [def] [top](#)

[def]: ./sub%20dir/c.md 't'
";

const OTHER: &str = "\
# B

[g](../docs/guide.md#setup-1) [r](/docs/guide.md#setup) [h](../docs/guide.html#setup-1)
[f](../docs/guide.md?raw=1) https://x.org/docs/guide/#setup
<https://x.org/docs/guide.html#setup-1>
";

fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("docs/guide.md", GUIDE),
        ("docs/sub dir/c.md", "# C\n\n[g](../guide.md#guide)\n"),
        ("other/b.md", OTHER),
    ]);
    fs::create_dir(sandbox.path(".git")).unwrap();
    sandbox
}

/// A URL of a site that has no `folio.toml` cannot be resolved.
#[test]
fn links_that_cannot_be_resolved_are_listed_by_a_command() {
    let sandbox = repository();
    for (name, language) in [("a.md", "en"), ("b.md", "de"), ("c.md", "fr"), ("d.md", "en")] {
        sandbox.write(name, format!("[g](/{language}/guide/#guide)\n"));
    }
    let rename = ["patch", "rename", "docs/guide.md", "--heading", "# Guide", "-c", "New"];
    let run = sandbox.run(&[&rename[..], &["--links"]].concat()).exits(0);
    let expected = "4 links may refer to it and were not changed: a.md:1 (/en/guide/#guide), \
        b.md:1 (/de/guide/#guide), c.md:1 (/fr/guide/#guide) and 1 more; to list them all: \
        folio grep -F '/guide/#guide'\n";
    let run = run.tells(expected);
    assert_eq!(run.errors().matches("may refer").count(), 1, "{run}");
    let listed = sandbox.run(&["grep", "-F", "/guide/#guide"]).exits(0).text();
    assert_eq!(listed.lines().count(), 4, "{listed}");
}

#[test]
fn links_are_updated_when_a_file_moves() {
    let sandbox = repository();
    let run = sandbox.run(&["patch", "move", "docs/guide.md", "--to", "other/g.md", "--links"]);
    run.exits(0).tells("1 link may refer to it");
    holds(&sandbox, "other/g.md", &["[a](#setup)", "[o](../other/b.md#b)"]);
    holds(
        &sandbox,
        "other/g.md",
        &["(<../docs/sub%20dir/c.md>)", "[def]: ../docs/sub%20dir/c.md 't'"],
    );
    holds(&sandbox, "other/g.md", &["href=\"../docs/sub%20dir/c.md#c\"", "`[a](#setup-1)`"]);
    holds(&sandbox, "other/b.md", &["(g.md#setup-1)", "(/other/g.md#setup)", "(g.html#setup-1)"]);
    holds(&sandbox, "other/b.md", &["(g.md?raw=1)", "x.org/docs/guide.html#setup-1"]);
    holds(&sandbox, "docs/sub dir/c.md", &["(../../other/g.md#guide)"]);
    sandbox.run(&["undo"]).exits(0);
    assert_eq!(
        (sandbox.text("docs/guide.md"), sandbox.text("other/b.md")),
        (GUIDE.into(), OTHER.into())
    );
}

#[test]
fn links_are_updated_when_a_part_moves() {
    let sandbox = repository();
    let part = ["patch", "move", "docs/guide.md", "--section", "Setup[1]"];
    sandbox.run(&[&part[..], &["--to", "other/b.md", "--links"]].concat()).exits(0);
    holds(&sandbox, "docs/guide.md", &["[a](../other/b.md#setup)", "[b](#setup \"t\")"]);
    holds(
        &sandbox,
        "other/b.md",
        &["[second](../docs/guide.md#setup)", "(../docs/guide.md#guide)"],
    );
    holds(
        &sandbox,
        "other/b.md",
        &["[out](<../docs/sub%20dir/c.md>)", "[g](../docs/guide.md#setup)"],
    );
    holds(&sandbox, "other/b.md", &["[r](#setup)", "[h](../docs/guide.html#setup)"]);
}

#[test]
fn links_to_deleted_parts_are_listed_and_others_are_renumbered() {
    let sandbox = repository();
    let delete = ["patch", "delete", "docs/guide.md", "--section", "Setup[1]"];
    let run = sandbox.run(&[&delete[..], &["--links"]].concat()).exits(0);
    run.tells("2 links lead to what goes: docs/guide.md:3, other/b.md:3");
    holds(&sandbox, "docs/guide.md", &["[a](#setup) [b](#setup \"t\")"]);
    holds(
        &sandbox,
        "other/b.md",
        &["guide.md#setup) [r](/docs/guide.md#setup) [h](../docs/guide.html#setup)"],
    );
}

#[test]
fn copying_changes_only_links_in_the_copy() {
    let sandbox = repository();
    let copy = ["patch", "copy", "docs/guide.md", "--section", "Setup[1]", "--to", "other/b.md"];
    sandbox.run(&[&copy[..], &["--links"]].concat()).exits(0);
    assert_eq!(sandbox.text("docs/guide.md"), GUIDE);
    holds(
        &sandbox,
        "other/b.md",
        &["[second](../docs/guide.md#setup-1)", "[g](../docs/guide.md#setup-1)"],
    );
    // Links are also updated if a copy only changes the numbers of repeated slugs.
    let sandbox = Sandbox::with(&[
        ("a.md", "# A\n\n[x](b.md#p)\n\n## P\n"),
        ("b.md", "# B\n\n## P\n\n[own](#p)\n"),
    ]);
    let copy = ["patch", "copy", "a.md", "--section", "P", "--to", "b.md#p", "--before", "--links"];
    sandbox.run(&copy).exits(0);
    holds(&sandbox, "a.md", &["[x](b.md#p-1)"]);
    holds(&sandbox, "b.md", &["[own](#p-1)"]);
}

#[test]
fn links_not_updated_are_counted_with_a_command_that_updates_them() {
    let sandbox = repository();
    let rename = ["patch", "rename", "docs/guide.md", "--heading", "Setup[2]", "-c", "Install"];
    let run = sandbox.run(&rename).exits(0);
    run.tells("4 links in 2 files no longer lead to the same section; after undo: ")
        .tells("folio patch rename docs/guide.md --heading 'Setup[2]' -c Install --links");
    sandbox.run(&["undo"]).exits(0);
    let json = sandbox.run(&[&rename[..], &["--json", "--dry-run"]].concat()).exits(0);
    assert!(json.json_lines()[0]["warnings"][0].as_str().unwrap().contains("may refer"), "{json}");
    // Outside a repository, only the edited files are examined.
    fs::remove_dir(sandbox.path(".git")).unwrap();
    sandbox.run(&rename).exits(0).tells("2 links no longer lead");
}

#[test]
fn updates_can_be_limited_to_certain_places() {
    let sandbox = repository();
    let rename = ["patch", "rename", "docs/guide.md", "--heading", "Setup[2]", "-c", "Install"];
    sandbox.run(&[&rename[..], &["--links-in", "docs"]].concat()).exits(0);
    holds(&sandbox, "docs/guide.md", &["[b](#install \"t\")", "[second](#install)"]);
    assert_eq!(sandbox.text("other/b.md"), OTHER);
    let replace = ["patch", "replace", "other/b.md:1", "-c", "# C", "--links"];
    sandbox
        .run(&replace)
        .exits(2)
        .tells("--links can only be used with rename, move, copy or delete");
}

#[test]
fn a_link_to_a_directory_refers_to_its_index_document() {
    let sandbox = Sandbox::with(&[
        ("docs/README.md", "# Docs\n\n## Part\n"),
        ("docs/x.md", "[a](.#part) [b](./#part) [c](README.md)\n"),
        ("y.md", "[a](docs#part) [b](docs/#part) [c](docs/)\n"),
    ]);
    let rename = ["patch", "rename", "docs/README.md", "--heading", "Part", "-c", "Piece"];
    sandbox.run(&[&rename[..], &["--links"]].concat()).succeeds();
    assert_eq!(sandbox.text("docs/x.md"), "[a](.#piece) [b](./#piece) [c](README.md)\n");
    assert_eq!(sandbox.text("y.md"), "[a](docs#piece) [b](docs/#piece) [c](docs/)\n");
    sandbox.run(&["patch", "move", "docs/README.md", "--to", "docs/main.md", "--links"]).succeeds();
    assert_eq!(
        sandbox.text("y.md"),
        "[a](docs/main.md#piece) [b](docs/main.md#piece) [c](docs/)\n"
    );
}

#[test]
fn documents_are_found_through_links_and_in_other_encodings() {
    let sandbox =
        Sandbox::with(&[("docs/g.md", "# G\n\n## Old\n"), ("x.md", "[a](link/g.md#old)\n")]);
    std::os::unix::fs::symlink("docs", sandbox.path("link")).unwrap();
    sandbox.write("wide.md", utf16("# Ä\n\n[ä](docs/g.md#old)\n", true));
    sandbox
        .run(&["patch", "rename", "docs/g.md", "--heading", "Old", "-c", "New", "--links"])
        .succeeds();
    assert_eq!(sandbox.text("x.md"), "[a](link/g.md#new)\n");
    assert_eq!(
        fs::read(sandbox.path("wide.md")).unwrap(),
        utf16("# Ä\n\n[ä](docs/g.md#new)\n", true)
    );
    sandbox.run(&["patch", "move", "docs/g.md", "--to", "h.md", "--links"]).succeeds();
    assert_eq!(sandbox.text("x.md"), "[a](h.md#new)\n");
    sandbox.run(&["patch", "move", "wide.md", "--to", "docs/", "--links"]).succeeds();
    let moved = fs::read(sandbox.path("docs/wide.md")).unwrap();
    assert_eq!(moved, utf16("# Ä\n\n[ä](../h.md#new)\n", true));
}

#[test]
fn batches_update_links_for_all_their_edits() {
    let sandbox = Sandbox::with(&[
        ("a.md", "# A\n\n## P\n\n## P\n\n## P\n\n[x](#p-2) [y](b.md#q)\n"),
        ("b.md", "# B\n\n## Q\n\n[z](a.md#p-2)\n"),
    ]);
    let edits = r#"[{"filePath":"a.md","operation":"delete","target":{"section":"P[1]"},"links":true},
        {"filePath":"a.md","operation":"delete","target":{"section":"P[2]"},"links":true},
        {"filePath":"b.md","operation":"rename","target":{"heading":"Q"},"content":"R","linksIn":["a.md"]}]"#;
    let sequential = edits.replace("P[1]", "P[3]").replace("P[2]", "P[1]");
    sandbox.run_with_input(&["patch", "apply", "-"], edits).succeeds();
    assert_eq!(sandbox.text("a.md"), "# A\n\n## P\n\n[x](#p) [y](b.md#r)\n");
    assert_eq!(sandbox.text("b.md"), "# B\n\n## R\n\n[z](a.md#p)\n");
    sandbox.run(&["undo"]).exits(0);
    sandbox.write("a.md", "# A\n\n[x](#p-1) [y](b.md#q)\n\n## P\n\n## P\n\n## P\n");
    sandbox.write("b.md", "# B\n\n## Q\n\n[z](a.md#p-1)\n");
    let sequential = format!(r#"{{"sequential":true,"edits":{sequential}}}"#);
    sandbox.run_with_input(&["patch", "apply", "-"], sequential).succeeds();
    assert_eq!(sandbox.text("a.md"), "# A\n\n[x](#p) [y](b.md#r)\n\n## P\n");
    assert_eq!(sandbox.text("b.md"), "# B\n\n## R\n\n[z](a.md#p)\n");
}

#[test]
fn unreadable_documents_are_an_error() {
    let sandbox = repository();
    let rename = ["patch", "rename", "docs/guide.md", "--heading", "Guide", "-c", "G"];
    sandbox.run(&[&rename[..], &["--links-in", "gone"]].concat()).exits(2).tells("'gone'");
    assert_eq!(sandbox.text("docs/guide.md"), GUIDE);
}

#[test]
fn links_are_searched_in_the_roots() {
    let sandbox = Sandbox::with(&[
        ("in/docs/g.md", "# G\n\n## Old\n\n[out](../../out.md)\n"),
        ("in/x.md", "[a](docs/g.md#old)\n"),
        ("out.md", "[a](in/docs/g.md#old)\n"),
    ]);
    let rename = ["patch", "rename", "in/docs/g.md", "--heading", "Old", "-c", "New", "--links"];
    sandbox.run(&[&rename[..], &["--root", "in"]].concat()).succeeds();
    assert_eq!(sandbox.text("in/x.md"), "[a](docs/g.md#new)\n");
    assert_eq!(sandbox.text("out.md"), "[a](in/docs/g.md#old)\n");
    let inside = ["patch", "move", "in/docs/g.md", "--to", "in/h.md", "--links", "--root", "in"];
    sandbox.run(&inside).exits(0);
    assert_eq!(sandbox.text("in/x.md"), "[a](h.md#new)\n");
}

/// An explicit id does not change when the text of its heading changes.
#[test]
fn links_to_an_explicit_id_are_unchanged() {
    for id in ["{#old-name}", "{/*old-name*/}", "{: #old-name}"] {
        let before = format!("See [x](#old-name).\n\n## Old name {id}\n\nText.\n");
        let sandbox = Sandbox::with(&[("a.md", &before)]);
        let run = ["patch", "rename", "a.md", "--heading", "Old name", "-c", "New name", "--links"];
        sandbox.run(&run).exits(0);
        assert_eq!(sandbox.text("a.md"), before.replace("## Old name", "## New name"), "{id}");
    }
}

#[test]
fn links_that_refer_to_no_file_are_unchanged_by_a_move() {
    let aliases = "[1](~/x.md) [2](@/y.md) [3]({base}/k.md) [4]($lib/x) [5](@site/docs/a.md)";
    let sandbox = Sandbox::with(&[
        ("a.md", &format!("# A\n\n{aliases} [6](b.md) [7](b.html)\n")),
        ("b.md", "# B\n"),
        ("sub/c.md", ""),
    ]);
    sandbox.run(&["patch", "move", "a.md", "--to", "sub/a.md", "--links"]).exits(0);
    holds(&sandbox, "sub/a.md", &[&format!("{aliases} [6](../b.md) [7](../b.html)")]);
}

#[test]
fn links_are_updated_in_hidden_directories() {
    let sandbox = Sandbox::with(&[
        ("docs/t.md", "# T\n\n## Old\n"),
        (".github/CONTRIBUTING.md", "[a](../docs/t.md#old)\n"),
        (".git/x.md", "[a](../docs/t.md#old)\n"),
    ]);
    let rename = ["patch", "rename", "docs/t.md", "--heading", "Old", "-c", "New", "--links"];
    sandbox.run(&rename).exits(0);
    holds(&sandbox, ".github/CONTRIBUTING.md", &["t.md#new"]);
    holds(&sandbox, ".git/x.md", &["t.md#old"]);
}

#[test]
fn broken_symlinks_are_reported() {
    let sandbox = Sandbox::with(&[("index.md", "# I\n"), ("d/x", "")]);
    std::os::unix::fs::symlink("index.md", sandbox.path("README.md")).unwrap();
    let run = sandbox.run(&["patch", "move", "index.md", "--to", "d/", "--links"]).exits(0);
    run.tells("note: 'index.md': 1 symlink will be broken: README.md\n");
}

#[test]
fn files_below_the_working_directory_are_shown_relative_to_it() {
    let sandbox = Sandbox::with(&[
        (".git/HEAD", ""),
        ("docs/index.md", "[p](a/p.md)\n"),
        ("docs/a/p.md", "# P\n"),
        ("x.md", "[p](docs/a/p.md)\n"),
    ]);
    let mut command = sandbox.command();
    command.args(["patch", "move", "a/p.md", "--to", "q.md", "--links"]);
    let run = outcome(command.current_dir(sandbox.path("docs")), b"").exits(0);
    assert!(
        run.text().contains("\nindex.md: rewrote") && run.text().contains("\n../x.md: "),
        "{run}"
    );
}

#[test]
fn a_missing_directory_is_reported_once() {
    let sandbox = Sandbox::with(&[(".git/HEAD", ""), ("new/x", "")]);
    let run = sandbox.run(&["patch", "move", "no/a.md", "--to", "new/b.md", "--links"]).exits(2);
    assert_eq!(run.errors().matches("No such file").count(), 1, "{run}");
    run.tells("'no/a.md': No such file");
}

/// Only URLs of the same path below the repository may refer to a file.
#[test]
fn urls_of_other_files_are_not_reported() {
    let url = |path: &str| format!("https://github.com/o/r/blob/main/{path}/README.md#a");
    let text = format!("[a]({}) [b]({})\n", url("two/x"), url("one/x"));
    let sandbox =
        Sandbox::with(&[(".git/HEAD", ""), ("one/x/README.md", "# A\n"), ("x.md", &*text)]);
    let run = ["patch", "move", "one/x/README.md", "--to", "y.md", "--links"];
    sandbox.run(&run).exits(0).tells("1 link may refer to it").tells("one/x/README.md#a");
}

#[test]
fn links_to_a_symlink_of_the_file_are_updated() {
    let sandbox = Sandbox::with(&[
        ("AGENTS.md", "# A\n\n## Old\n"),
        ("x.md", "[x](CLAUDE.md#old)\n"),
        ("y.md", "[x](CLAUDE.md#old) [y](AGENTS.md#old)\n"),
    ]);
    std::os::unix::fs::symlink("AGENTS.md", sandbox.path("CLAUDE.md")).unwrap();
    let rename = ["patch", "rename", "AGENTS.md", "--heading", "Old", "-c", "New", "--links"];
    sandbox.run(&rename).exits(0);
    holds(&sandbox, "x.md", &["[x](CLAUDE.md#new)"]);
    holds(&sandbox, "y.md", &["[x](CLAUDE.md#new) [y](AGENTS.md#new)"]);
}

/// Symlinks to an index document are followed in any directory.
#[test]
fn links_through_symlinks_are_updated() {
    let sandbox = Sandbox::with(&[
        ("folio.toml", "[links]\nfallback-extensions = ['md']\n"),
        ("docs/README.md", "# A\n\n## Old\n"),
        ("x.md", "[x](docs/alias#old) [y](sub/other.md#old) [z](docs#old) [n](y.md#old)\n"),
        ("y.md", "# Y\n\n## Old\n"),
        ("sub/n.md", ""),
    ]);
    std::os::unix::fs::symlink("README.md", sandbox.path("docs/alias.md")).unwrap();
    std::os::unix::fs::symlink("../docs/README.md", sandbox.path("sub/other.md")).unwrap();
    let rename = ["patch", "rename", "docs/README.md", "--heading", "Old", "-c", "New", "--links"];
    sandbox.run(&rename).exits(0);
    sandbox.run(&["links"]).exits(0).prints("");
    let expected = "[x](docs/alias#new) [y](sub/other.md#new) [z](docs#new) [n](y.md#old)\n";
    assert_eq!(sandbox.text("x.md"), expected);
}
