//! `folio links`: broken links, suggestions and their messages.

mod broken;
mod fixes;
mod operands;
mod output;
mod sites;
mod wiki_links;

use crate::support::records::{BrokenLink, LinkRecord, LinkSummary, Record};
use crate::support::{Outcome, Sandbox};

const GUIDE: &str = "\
# Guide

## Set up
## Set up

<a id=\"Config\"></a>
<a name=\"old\">

## Named {#own}

## Größe
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("guide.md", GUIDE),
        ("docs/README.md", "# Docs\n\n## Part\n"),
        ("docs/a b.md", "# A B\n"),
        ("docs/page.md", "# Page\n"),
        ("docs/two words.md", ""),
        ("docs/code.rs", "one\ntwo\nthree\n"),
        ("docs/image.svg", "<svg id=\"x\"/>\n"),
        ("empty/x.txt", ""),
        ("100%.md", ""),
    ]);
    sandbox.write("docs/picture.png", b"\x89PNG\0\0\0\n");
    sandbox
}

/// Checks one destination in `x.md`, in a definition and in a link. `expected` is the text after
/// the address, or empty if the link works.
#[track_caller]
fn check_in(sandbox: &Sandbox, name: &str, destination: &str, expected: &str) {
    for (text, column) in [("[x](<D>)", 6), ("[x]: <D>\n\n[x]", 7), ("![x](<D>)", 7)] {
        sandbox.write(name, text.replace('D', destination));
        let outcome = sandbox.run(&["links", name]);
        let output = match expected {
            "" => String::new(),
            expected => format!("{name}:1:{column}: {expected}\n"),
        };
        outcome.exits(i32::from(!expected.is_empty())).prints(output);
    }
}

fn records(outcome: &Outcome) -> (Vec<BrokenLink>, LinkSummary) {
    let mut broken = Vec::new();
    let mut summary = None;
    for record in LinkRecord::all(outcome) {
        assert!(summary.is_none(), "a record behind the summary");
        match record {
            LinkRecord::Broken(link) => broken.push(link),
            LinkRecord::Summary(found) => summary = Some(found),
        }
    }
    (broken, summary.expect("a summary"))
}
