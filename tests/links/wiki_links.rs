//! Wiki links, which `links` checks in vaults.

use crate::support::Sandbox;

#[test]
fn wiki_links_are_checked_in_vaults() {
    let files = [
        (".obsidian/app.json", "{}"),
        ("note one.md", "# A: b\n\n## C\n\nText ^id\n\n[[#C]] [[#A b#C]] [[#^id]] [[#D]]\n"),
        (
            "x/y.md",
            "[[Note One]] [[note one#a: B|t]] ![[p.png|100]] [[p]] [[note one#^no]]\n\
            | [[y\\|z]] | [a](note%20one.md#A%20b) [b](note%20one.md#E)\n",
        ),
        ("x/z/y.md", "[[../y]] [[./y]] [[../../note one.md]] [[note ona]]\n"),
        ("z/p.png", ""),
        ("z/q/w.md", ""),
        ("z/r/w.md", "[[w]]\n"),
        ("v.md", "[[w]] `[[no]]`\n"),
    ];
    let sandbox = Sandbox::with(&files);
    let expected = "note one.md:7:30: no anchor '#D'\n\
        v.md:1:3: no single file 'w': 2 files have this name; there is 'z/q/w'\n\
        x/y.md:1:51: no file 'p'\n\
        x/y.md:1:57: no anchor '#^no' in 'note one'\n\
        x/y.md:2:43: no anchor '#E' in 'note%20one.md'\n\
        x/z/y.md:1:42: no file 'note ona'; there is 'note one'\n";
    let run = sandbox.run(&["links"]).exits(1).prints(expected);
    assert!(run.errors().contains("'.obsidian': wiki links were resolved"), "{run}");
    sandbox.run(&["links", "x/z"]).exits(1);
    sandbox.run(&["links", "--site", "github", "x/z"]).exits(0);
    let run = sandbox.run(&["links", "--json", "v.md"]).exits(1);
    assert!(run.text().contains("\"reason\":\"ambiguous\""), "{run}");
}

#[test]
fn wiki_links_elsewhere_are_only_counted() {
    let sandbox = Sandbox::with(&[("a.md", "[[b]] [[c#d]]\n"), ("b.md", "[[a]]\n")]);
    let run = sandbox.run(&["links"]).exits(0);
    let note = "3 wiki links such as [[page]] in 2 documents were not checked";
    assert_eq!(run.errors().matches(note).count(), 1, "{run}");
    assert!(run.errors().contains("folio links --site wiki"), "{run}");
    let other = Sandbox::with(&[("a.md", "A [[matrix]] and [[ -f x ]].\n")]);
    assert_eq!(other.run(&["links"]).exits(0).errors(), "");
    let run = sandbox.run(&["links", "--site", "wiki"]).exits(1);
    assert_eq!(run.errors(), "", "{run}");
    sandbox.write("folio.toml", "[links]\nsite = 'wiki'\n");
    sandbox.run(&["links"]).exits(1).prints("a.md:1:9: no file 'c'\n");
}

#[test]
fn pages_of_logseq_need_no_file() {
    let sandbox = Sandbox::with(&[
        ("logseq/config.edn", "{}"),
        ("journals/1.md", "- [[new]] [[a/b]] [x]([[new]]) [y](((6a-1))) ![z](../assets/no.png)\n"),
        ("pages/a___b.md", ""),
    ]);
    sandbox.run(&["links"]).exits(1).prints("journals/1.md:1:51: no file '../assets/no.png'\n");
}
