//! `folio inspect`: structures, matches and lines, as text and as JSON.

mod depth_budget;
mod formats;
mod modes;
mod operands;
mod outline;
mod structure;

use crate::support::Sandbox;
use crate::support::documents::GUIDE;
use crate::support::records::{File, Heading, Record};

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
        .write("plain.lua", "fn main() {}\n");
    sandbox
}

const MIXED: &str = "\
# Guide\n\n```bash\nls\n```\n\n## Version Skew\n\n```bash\nx\n```\n\n```\ny\n```\n\
<a id=\"top\"></a>\n\n## Usage\n";
