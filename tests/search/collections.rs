//! Collections: their names and addresses, and which of them is searched.

use std::fs;

use super::{SETUP, sandbox};
use crate::support::{Sandbox, outcome};

#[test]
fn a_directory_takes_precedence_over_a_collection_of_its_name() {
    let here = ("@types/f.md", "# Here\n\nalpha local\n");
    let there = ("other/f.md", "# There\n\nalpha elsewhere\n");
    let sandbox = Sandbox::with(&[("top.md", "[x](@types/f.md#here)\n"), here, there]);
    sandbox.run(&["collection", "add", "types", "other"]).succeeds();
    let found = sandbox.run(&["grep", "alpha", "@types", "."]).succeeds();
    let local = "@types/f.md:3:alpha local\n";
    assert_eq!(found.text(), format!("{local}other/f.md:3:alpha elsewhere\n"));
    sandbox.run(&["links", "top.md"]).succeeds();
    sandbox.run(&["patch", "replace", "@types", "--text", "alpha", "-c", "beta"]).succeeds();
    let read = |name| fs::read_to_string(sandbox.path(name)).unwrap();
    assert_eq!(read(here.0), here.1.replace("alpha", "beta"));
    assert_eq!(read(there.0), there.1);
    let search = sandbox.run(&["search", "--keyword-only", "-c", "types", "alpha"]).succeeds();
    let text = search.text();
    let (address, _) = text.split_once(": ").expect("a result");
    let address = address.rsplit_once(':').map_or(address, |(address, _)| address);
    assert!(sandbox.run(&["read", address]).succeeds().text().contains("There"), "{search}");
}

#[test]
fn collections_are_confined_by_roots() {
    let sandbox = sandbox();
    sandbox.write("other/x.md", "# X\n\nwords\n");
    sandbox.run(&["collection", "add", "docs", "docs"]).succeeds();
    sandbox.run(&["collection", "add", "other", "other"]).succeeds();
    sandbox.run(&["--root", "docs", "read", "@docs/setup.md:1"]).prints("# Setup\n");
    let outcome = sandbox.run(&["--root", "docs", "read", "@other/x.md:1", "--json"]).exits(2);
    assert_eq!(outcome.json_errors()[0].code, "COLLECTION_NOT_FOUND");
    sandbox.run(&["--root", "docs", "read", "@docs/../other/x.md"]).exits(2);
    let list = sandbox.run(&["--root", "docs", "collection", "list"]).succeeds().text();
    assert!(list.contains("@docs") && !list.contains("@other"), "{list}");
    sandbox.run(&["--root", "docs", "search", "-c", "other", "words"]).exits(2);
}

#[test]
fn collections_are_addresses_for_every_command() {
    let sandbox = sandbox();
    sandbox.run(&["collection", "add", "docs", "docs", "--alias", "d"]).succeeds();
    let outline = sandbox.run(&["inspect", "-O", "@d/setup.md"]).succeeds().text();
    assert!(outline.starts_with("@d/setup.md:1-9:# Setup\n"), "{outline}");
    let hits = sandbox.run(&["grep", "-H", "change", "@docs"]).succeeds().text();
    assert_eq!(hits, "@docs/setup.md:9:Take a change back.\n");
    let patch = ["patch", "replace", "@docs/setup.md", "--text", "script", "-c", "installer"];
    sandbox.run(&patch).succeeds();
    assert!(fs::read_to_string(sandbox.path("docs/setup.md")).unwrap().contains("installer"));
    sandbox.run(&["undo"]).succeeds();
    assert_eq!(fs::read_to_string(sandbox.path("docs/setup.md")).unwrap(), SETUP);
    sandbox.run(&["links", "@docs"]).succeeds();
    sandbox.write("@docs/own.md", "own\n");
    sandbox.run(&["read", "./@docs/own.md"]).prints("own\n");
    let found = sandbox.run(&["search", "-c", "d", "script", "--limit", "1"]).succeeds().text();
    assert!(found.starts_with("@d/setup.md:3-5:Setup > Install: "), "{found}");
}

#[test]
fn a_last_operand_that_is_a_directory_is_searched() {
    let sandbox = sandbox();
    sandbox.write("other/a.md", "# Other\n\nRun another script.\n");
    let search = |operands: &[&str]| sandbox.run(&[&["search"], operands].concat()).exits(0);
    for directory in ["other", "other/", "./other"] {
        let outcome = search(&["script", directory]);
        assert!(outcome.text().lines().all(|line| line.contains("other/a.md")), "{outcome}");
        outcome.tells(&format!("searched the directory '{directory}'; after --, it is a word"));
    }
    search(&["-q", "script", "other"]).tells("searched the directory 'other'");
    for words in [&["--", "script", "other"][..], &["script other"], &["other"]] {
        let outcome = search(words);
        assert!(outcome.text().contains("docs/setup.md"), "{outcome}");
        assert!(!outcome.errors().contains("searched the directory"), "{outcome}");
    }
    search(&["other/", "script"]).tells("'other/' is a word of the query 'other/ script'");
    search(&["script", "other/a.md"]).tells("'other/a.md' is a word of the query");
    sandbox.run(&["search", "script", "missing/"]).exits(2).tells("No such file");
}

#[test]
fn the_scope_is_the_collection_around_the_current_directory_or_that_directory() {
    let sandbox = sandbox();
    sandbox.write("other/deep/a.md", "# Other\n\nRun another script.\n");
    sandbox.run(&["collection", "add", "aa", "docs"]).succeeds();
    let search = |directory: &str, arguments: &[&str]| {
        let mut command = sandbox.command();
        command.current_dir(sandbox.path(directory)).arg("search").args(arguments).arg("script");
        outcome(&mut command, b"").exits(0)
    };
    let here = search("other", &[]);
    assert!(here.text().lines().all(|line| line.starts_with("deep/a.md:")), "{here}");
    here.tells("searched the current directory; to search all collections: folio search script --collection all");
    let inside = search("docs/deep", &[]);
    assert!(inside.text().starts_with("@aa/setup.md:"), "{inside}");
    inside.tells("searched the collection 'aa'");
    assert!(search("other", &["-c", "all"]).text().starts_with("@aa/setup.md:"));
    // A document is compared within its own collection.
    let related = sandbox.run(&["related", "docs/setup.md"]).exits(0);
    assert!(related.text().starts_with("@aa/"), "{related}");
    sandbox.run(&["collection", "remove", "aa"]).succeeds();
    sandbox.run(&["search", "-c", "all", "script"]).exits(2).tells("no collections");
}

#[test]
fn a_collection_is_removed_by_its_address() {
    let sandbox = sandbox();
    sandbox.run(&["collection", "add", "aa", "docs"]).succeeds();
    sandbox.run(&["search", "-c", "@aa/", "script"]).succeeds();
    assert_eq!(fs::read_dir(sandbox.path(".cache/folio/collections")).unwrap().count(), 1);
    sandbox.run(&["collection", "remove", "@aa/"]).succeeds();
    sandbox.run(&["collection", "list"]).exits(0).tells("no collections");
    assert_eq!(fs::read_dir(sandbox.path(".cache/folio/collections")).unwrap().count(), 0);
    sandbox.run(&["collection", "remove", "@aa/"]).exits(2).tells("no collection 'aa'");
}

#[test]
fn a_directory_needs_no_slash() {
    let sandbox = sandbox();
    let outcome = sandbox.run(&["search", "-c", "docs", "script"]).exits(0);
    assert!(outcome.text().starts_with("./docs/setup.md:3-5:"), "{outcome}");
    outcome.tells("no collection 'docs': searched the directory ./docs");
    sandbox.run(&["related", "docs/setup.md", "-c", "docs"]).exits(0).tells("the directory ./docs");
    sandbox.run(&["collection", "show", "docs"]).exits(2);
}

#[test]
fn an_invalid_glob_is_refused_before_a_collection_is_stored() {
    let sandbox = Sandbox::with(&[("d/a.md", "# A\n\nword\n")]);
    let add = ["collection", "add", "n", "d", "--include", "["];
    sandbox.run(&add).exits(2).tells("glob '[': unclosed character class");
    assert!(!sandbox.run(&["collection", "list"]).text().contains("@n"));
    let both = ["search", "-c", "d", "--keyword-only", "--semantic-only", "word"];
    sandbox.run(&both).exits(2).tells("--keyword-only cannot be used with --semantic-only");
}

#[test]
fn a_file_name_may_have_its_extension() {
    let sandbox = Sandbox::with(&[
        ("m/setup-guide.md", "# Guide\n\nText about nothing.\n"),
        ("m/z.md", "# Else\n\nsee setup-guide.md and setup-guide.md for setup guide.\n"),
    ]);
    for query in ["setup-guide", "setup-guide.md", "m/setup-guide.md"] {
        let found = sandbox.run(&["search", "-c", "m", query]).exits(0).text();
        assert!(found.starts_with("./m/setup-guide.md:"), "{query}: {found}");
    }
}
