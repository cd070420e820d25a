//! Wiki links, which `patch --links` updates in vaults.

use super::holds;
use crate::support::Sandbox;

const NOTES: [(&str, &str); 5] = [
    (".obsidian/app.json", "{}"),
    ("a.md", "# A\n\n## Old: name\n\nText. ^one\n\n### Part\n\n[[#Old name]] [[b]]\n"),
    ("b.md", "[[a]] [[a#Old name|x]] ![[A.md#old name#Part]] [[a#^one]] | [[x/a]] `[[a]]`\n"),
    ("x/c.md", "---\nup: \"[[a]]\"\n---\n[[a|x]] [y](../a.md#old-name) [z](../a.md#Old%20name)\n"),
    ("x/a.md", "[[../a]] [[c]]\n"),
];

#[track_caller]
fn patch(sandbox: &Sandbox, arguments: &[&str]) {
    sandbox.run(&[&["patch"], arguments, &["--links"]].concat()).exits(0);
    sandbox.run(&["links"]).exits(0).prints("");
}

#[test]
fn a_renamed_heading_is_renamed_in_links() {
    let sandbox = Sandbox::with(&NOTES);
    sandbox.run(&["links"]).exits(0).prints("");
    patch(&sandbox, &["rename", "a.md", "--heading", "Old: name", "-c", "New: name"]);
    holds(&sandbox, "a.md", &["[[#New name]] [[b]]"]);
    holds(&sandbox, "b.md", &["[[a]] [[a#New name|x]] ![[A.md#New name#Part]] [[a#^one]]"]);
    holds(&sandbox, "x/c.md", &["[[a|x]] [y](../a.md#new-name) [z](../a.md#New%20name)"]);
}

#[test]
fn a_moved_note_is_found_by_its_name() {
    let sandbox = Sandbox::with(&NOTES);
    patch(&sandbox, &["move", "b.md", "--to", "x/b.md"]);
    holds(&sandbox, "a.md", &["[[b]]"]);
    // Next to `x/a.md`, `a` would be another note.
    holds(&sandbox, "x/b.md", &["[[a]] [[a#Old name|x]]", "[[x/a]] `[[a]]`"]);
}

#[test]
fn a_renamed_note_is_renamed_in_links() {
    let sandbox = Sandbox::with(&NOTES);
    patch(&sandbox, &["move", "a.md", "--to", "x/new.md"]);
    holds(
        &sandbox,
        "b.md",
        &["[[new]] [[new#Old name|x]] ![[new.md#old name#Part]] [[new#^one]] | [[x/a]] `[[a]]`"],
    );
    holds(&sandbox, "x/c.md", &["up: \"[[new]]\"", "[[new|x]] [y](new.md#old-name)"]);
    holds(&sandbox, "x/a.md", &["[[x/new]] [[c]]"]);
    holds(&sandbox, "x/new.md", &["[[#Old name]] [[b]]"]);
}

#[test]
fn links_to_a_note_whose_name_is_taken_get_its_path() {
    let files = [(".foam/x", ""), ("x/a.md", ""), ("y/b.md", "[[b]]\n"), ("c.md", "[[b]] [[a]]\n")];
    let sandbox = Sandbox::with(&files);
    patch(&sandbox, &["move", "x/a.md", "--to", "x/b.md"]);
    holds(&sandbox, "c.md", &["[[y/b]] [[x/b]]"]);
    holds(&sandbox, "y/b.md", &["[[b]]"]);
}

#[test]
fn a_section_takes_its_links_to_another_note() {
    let sandbox = Sandbox::with(&NOTES);
    patch(&sandbox, &["move", "a.md", "--section", "Old: name", "--to", "b.md"]);
    holds(
        &sandbox,
        "b.md",
        &["[[a]] [[#Old name|x]] ![[#old name#Part]] [[#^one]]", "[[#Old name]]"],
    );
    holds(&sandbox, "x/c.md", &["[y](../b.md#old-name)"]);
}

#[test]
fn links_that_are_not_updated_are_counted() {
    let sandbox = Sandbox::with(&NOTES);
    let run = sandbox.run(&["patch", "move", "a.md", "--to", "x/new.md"]).exits(0);
    assert!(run.errors().contains("9 links"), "{run}");
    // Which of two notes a link names is unknown.
    let sandbox =
        Sandbox::with(&[(".foam/x", ""), ("x/a.md", ""), ("y/a.md", ""), ("b.md", "[[a]]\n")]);
    let run = sandbox.run(&["patch", "move", "x/a.md", "--to", "x/c.md", "--links"]).exits(0);
    assert!(run.errors().contains("b.md:1 (a)"), "{run}");
    holds(&sandbox, "b.md", &["[[a]]"]);
}
