//! Links that `folio patch --links` keeps correct: after each reported edit, every link has the
//! same target as before.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, PathBuf};

use proptest::prelude::*;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;

use crate::support::edits::cases;
use crate::support::{Sandbox, outcome, utf16};

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

fn text(sandbox: &Sandbox, name: &str) -> String {
    fs::read_to_string(sandbox.path(name)).unwrap()
}

#[track_caller]
fn holds(sandbox: &Sandbox, name: &str, parts: &[&str]) {
    let text = text(sandbox, name);
    for part in parts {
        assert!(text.contains(part), "{name} lacks {part}:\n{text}");
    }
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
    let told = "4 links may refer to it and were not changed: a.md:1 (/en/guide/#guide), \
        b.md:1 (/de/guide/#guide), c.md:1 (/fr/guide/#guide) and 1 more; to list them all: \
        folio grep -F '/guide/#guide'\n";
    let run = run.tells(told);
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
        (text(&sandbox, "docs/guide.md"), text(&sandbox, "other/b.md")),
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
    assert_eq!(text(&sandbox, "docs/guide.md"), GUIDE);
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
    assert_eq!(text(&sandbox, "other/b.md"), OTHER);
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
    assert_eq!(text(&sandbox, "docs/x.md"), "[a](.#piece) [b](./#piece) [c](README.md)\n");
    assert_eq!(text(&sandbox, "y.md"), "[a](docs#piece) [b](docs/#piece) [c](docs/)\n");
    sandbox.run(&["patch", "move", "docs/README.md", "--to", "docs/main.md", "--links"]).succeeds();
    assert_eq!(
        text(&sandbox, "y.md"),
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
    assert_eq!(text(&sandbox, "x.md"), "[a](link/g.md#new)\n");
    assert_eq!(
        fs::read(sandbox.path("wide.md")).unwrap(),
        utf16("# Ä\n\n[ä](docs/g.md#new)\n", true)
    );
    sandbox.run(&["patch", "move", "docs/g.md", "--to", "h.md", "--links"]).succeeds();
    assert_eq!(text(&sandbox, "x.md"), "[a](h.md#new)\n");
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
    assert_eq!(text(&sandbox, "a.md"), "# A\n\n## P\n\n[x](#p) [y](b.md#r)\n");
    assert_eq!(text(&sandbox, "b.md"), "# B\n\n## R\n\n[z](a.md#p)\n");
    sandbox.run(&["undo"]).exits(0);
    sandbox.write("a.md", "# A\n\n[x](#p-1) [y](b.md#q)\n\n## P\n\n## P\n\n## P\n");
    sandbox.write("b.md", "# B\n\n## Q\n\n[z](a.md#p-1)\n");
    let sequential = format!(r#"{{"sequential":true,"edits":{sequential}}}"#);
    sandbox.run_with_input(&["patch", "apply", "-"], sequential).succeeds();
    assert_eq!(text(&sandbox, "a.md"), "# A\n\n[x](#p) [y](b.md#r)\n\n## P\n");
    assert_eq!(text(&sandbox, "b.md"), "# B\n\n## R\n\n[z](a.md#p)\n");
}

#[test]
fn unreadable_documents_are_an_error() {
    let sandbox = repository();
    let rename = ["patch", "rename", "docs/guide.md", "--heading", "Guide", "-c", "G"];
    sandbox.run(&[&rename[..], &["--links-in", "gone"]].concat()).exits(2).tells("'gone'");
    assert_eq!(text(&sandbox, "docs/guide.md"), GUIDE);
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
    assert_eq!(text(&sandbox, "in/x.md"), "[a](docs/g.md#new)\n");
    assert_eq!(text(&sandbox, "out.md"), "[a](in/docs/g.md#old)\n");
    let inside = ["patch", "move", "in/docs/g.md", "--to", "in/h.md", "--links", "--root", "in"];
    sandbox.run(&inside).exits(0);
    assert_eq!(text(&sandbox, "in/x.md"), "[a](h.md#new)\n");
}

// On random trees.

/// Pseudo-random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % sides
    }
}

const FILES: [&str; 6] =
    ["a.md", "b.md", "docs/README.md", "docs/my page.md", "docs/sub/ä.md", "x/y/z.md"];
const NAMES: [&str; 4] = ["Setup", "Setup", "Use it", "API"];

/// A heading: its document, its id, and the number in its text.
type Heading = (PathBuf, String, usize);

/// Returns the headings of a document, found in the simplest way.
fn headings(path: &Path, text: &str) -> Vec<Heading> {
    let mut found: Vec<Heading> = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let Some((_, name)) = line.split_once("# ").filter(|_| line.starts_with('#')) else {
            continue;
        };
        let slug = name.to_lowercase().replace(' ', "-");
        let taken = |id: &str| found.iter().any(|(_, other, _)| other == id);
        let id = match taken(&slug) {
            false => slug,
            true => (1..).map(|n| format!("{slug}-{n}")).find(|id| !taken(id)).unwrap(),
        };
        let number = lines[at + 2].strip_prefix("Number ").unwrap().trim_end_matches('.');
        found.push((path.to_owned(), id, number.parse().unwrap()));
    }
    found
}

/// Returns a path relative to the directory of another path.
fn relative(from: &Path, to: &Path) -> String {
    let from = from.parent().unwrap();
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().count() - shared;
    let down: PathBuf = to.components().skip(shared).collect();
    "../".repeat(up) + down.to_str().unwrap()
}

/// Creates a tree of documents in which all links work.
fn tree(dice: &mut Dice) -> BTreeMap<PathBuf, String> {
    let mut number = 0;
    let mut texts: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for file in FILES {
        let parts = texts.entry(file.into()).or_default();
        for part in 0..2 + dice.roll(4) {
            let mark = if part == 0 { "#" } else { ["##", "###"][dice.roll(2)] };
            let name = if part == 0 { "Title" } else { NAMES[dice.roll(NAMES.len())] };
            parts.push(format!("{mark} {name}\n\nNumber {number}.\n"));
            number += 1;
        }
    }
    let all: Vec<Heading> =
        texts.iter().flat_map(|(path, parts)| headings(path, &parts.join("\n"))).collect();
    let mut label = 0;
    for (path, parts) in &mut texts {
        let mut definitions = String::new();
        for part in &mut *parts {
            for _ in 0..dice.roll(4) {
                let (to, id, number) = &all[dice.roll(all.len())];
                label += 1;
                let (text, definition) = link(dice, path, (to, id, *number), label);
                part.push_str(&text);
                definitions.push_str(&definition);
            }
        }
        parts.last_mut().unwrap().push_str(&definitions);
    }
    texts.into_iter().map(|(path, parts)| (path, parts.join("\n"))).collect()
}

/// Returns a link to a heading in one of many forms, and the text that it needs at the end of its
/// document.
fn link(
    dice: &mut Dice,
    from: &Path,
    (to, id, number): (&Path, &str, usize),
    label: usize,
) -> (String, String) {
    let plain = match dice.roll(6) {
        _ if from == to && dice.roll(3) > 0 => String::new(),
        0 => format!("/{}", to.to_str().unwrap()),
        1 => format!("./{}", relative(from, to)),
        2 => relative(from, to).replace('p', "%70"),
        _ => relative(from, to),
    };
    let title = ["", " \"t\"", " 't (x)'"][dice.roll(3)];
    let bare = plain.replace(' ', "%20");
    let text = match dice.roll(6) {
        0 => format!("\n[n{number}](<{plain}#{id}>{title})\n"),
        1 => format!("\n<a href=\"{plain}#{id}\">[n{number}]</a>\n"),
        2 => format!("\n[n{number}-{label}]: {bare}#{id}{title}\n"),
        3 => format!("\n`[n0](code.md#{id})`\n"),
        4 => {
            let used = ["[t][{}]", "![t][{}]", "[{}][]", "[{}]"][dice.roll(4)];
            let name = format!("n{number}-{label}");
            let used = format!("\n- see {}.\n", used.replace("{}", &name));
            return (used, format!("\n[{name}]: {bare}#{id}{title}\n"));
        }
        _ => format!("\n- text [n{number}]({bare}#{id}{title}), more\n"),
    };
    (text, String::new())
}

/// Returns the labels of reference links in a document that have no definition.
fn undefined(text: &str) -> Vec<String> {
    let used = Regex::new(r"(?m)^- see .*\[(n\d+-\d+)\](?:\[\])?\.$").unwrap();
    let label = |hit: Captures| text[hit.get_group(1).unwrap()].to_owned();
    let labels = used.captures_iter(text).map(label);
    labels.filter(|label| !text.contains(&format!("\n[{label}]: "))).collect()
}

/// Returns the destinations of the links in a document, each with the number that its text contains.
fn destinations(text: &str) -> Vec<(usize, String)> {
    let patterns = [
        r"(?m)^(?:- text )?\[n(\d+)\]\(<?([^>\s)]*(?: [^>)#]*)?#[^>\s)]*)",
        r#"<a href="([^"]*)">\[n(\d+)\]"#,
        r"(?m)^\[n(\d+)-\d+\]: (\S+)",
    ];
    let mut found = Vec::new();
    for (at, pattern) in patterns.iter().enumerate() {
        let group = |hit: &Captures, group: usize| text[hit.get_group(group).unwrap()].to_owned();
        for hit in Regex::new(pattern).unwrap().captures_iter(text) {
            let (number, to) = if at == 1 { (2, 1) } else { (1, 2) };
            found.push((group(&hit, number).parse().unwrap(), group(&hit, to)));
        }
    }
    found
}

/// Returns the target of a destination.
fn lead(from: &Path, destination: &str) -> (PathBuf, String) {
    let decoded = percent(destination);
    let (path, id) = decoded.split_once('#').unwrap();
    let joined = match path.strip_prefix('/') {
        Some(below) => PathBuf::from(below),
        None if path.is_empty() => from.to_owned(),
        None => from.parent().unwrap().join(path),
    };
    let mut whole = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::ParentDir => assert!(whole.pop(), "{destination} leads out"),
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    (whole, id.to_owned())
}

fn percent(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let code = (*first == b'%').then(|| std::str::from_utf8(&behind[..2]).unwrap());
        bytes.push(code.map_or(*first, |code| u8::from_str_radix(code, 16).unwrap()));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).unwrap()
}

fn documents(sandbox: &Sandbox) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut directories = vec![PathBuf::new()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(sandbox.path(&directory)).unwrap() {
            let entry = entry.unwrap();
            let path = directory.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.insert(path.clone(), fs::read_to_string(sandbox.path(&path)).unwrap());
            }
        }
    }
    found
}

/// Returns an edit of a random part or file.
fn edit(dice: &mut Dice, documents: &BTreeMap<PathBuf, String>, step: usize) -> Vec<String> {
    let paths: Vec<&PathBuf> = documents.keys().collect();
    let path = paths[dice.roll(paths.len())];
    let own = headings(path, &documents[path]);
    let name = |path: &Path| path.to_str().unwrap().to_owned();
    let mut words: Vec<String> = vec!["patch".into()];
    let part = own.get(1 + dice.roll(own.len())).map(|(_, id, _)| format!("{}#{id}", name(path)));
    let Some(part) = part else {
        let to = ["", "docs/", "x/y/", "x/"][dice.roll(4)];
        words.extend(["move".into(), name(path), "--to".into(), format!("{to}new {step}.md")]);
        return words;
    };
    let to = paths[dice.roll(paths.len())];
    match dice.roll(5) {
        0 => words.extend(["rename".into(), part, "-c".into(), NAMES[dice.roll(4)].into()]),
        1 => words.extend(["delete".into(), part]),
        2 => words.extend(["copy".into(), part, "--to".into(), name(to)]),
        _ => words.extend(["move".into(), part, "--to".into(), name(to)]),
    }
    words
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn links_keep_their_targets(seed in 1u64..) {
        let mut dice = Dice(seed);
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path(".git")).unwrap();
        for (path, text) in tree(&mut dice) {
            sandbox.write(path, text);
        }
        sandbox.run(&["links"]).succeeds();
        let mut said = String::new();
        let mut deletes = false;
        // Numbers of headings of which one of several copies may have been deleted.
        let mut ambiguous = HashSet::new();
        for step in 0..4 {
            let before = documents(&sandbox);
            let mut words = edit(&mut dice, &before, step);
            words.push("--links".into());
            deletes |= words[1] == "delete";
            writeln!(said, "{words:?}").unwrap();
            let run = sandbox.run(&words);
            prop_assert!(matches!(run.status, Some(0 | 2)), "{said}{run}");
            let after = documents(&sandbox);
            prop_assert!(run.status == Some(0) || before == after, "{said}{run}");
            let all_of = |documents: &BTreeMap<PathBuf, String>| -> Vec<Heading> {
                documents.iter().flat_map(|(path, text)| headings(path, text)).collect()
            };
            let (old, all) = (all_of(&before), all_of(&after));
            let copies = |number| old.iter().filter(|(_, _, other)| *other == number).count();
            ambiguous.extend(old.iter().map(|own| own.2).filter(|&number| copies(number) > 1));
            for (path, text) in &after {
                let lost = undefined(text);
                prop_assert!(lost.is_empty(), "{said}{}: {lost:?}\n{text}", path.display());
                for (number, destination) in destinations(text) {
                    let own: Vec<_> = all.iter().filter(|(_, _, other)| *other == number).collect();
                    let (file, id) = lead(path, &destination);
                    let leads = own.iter().any(|(path, other, _)| *path == file && *other == id);
                    prop_assert!(
                        leads || own.is_empty() || ambiguous.contains(&number),
                        "{said}{}: {destination} is not {number}: {own:?}\nbefore {:?}\nafter {text}",
                        path.display(), before.get(path)
                    );
                }
            }
            if !deletes {
                sandbox.run(&["links"]).succeeds();
            }
        }
    }
}

/// An explicit id does not change when the text of its heading changes.
#[test]
fn links_to_an_explicit_id_are_unchanged() {
    for id in ["{#old-name}", "{/*old-name*/}", "{: #old-name}"] {
        let before = format!("See [x](#old-name).\n\n## Old name {id}\n\nText.\n");
        let sandbox = Sandbox::with(&[("a.md", &before)]);
        let run = ["patch", "rename", "a.md", "--heading", "Old name", "-c", "New name", "--links"];
        sandbox.run(&run).exits(0);
        assert_eq!(text(&sandbox, "a.md"), before.replace("## Old name", "## New name"), "{id}");
    }
}

/// After a move by the rules of the site in `folio.toml`, `folio links` finds no broken links.
#[test]
fn links_are_updated_by_the_rules_of_the_site() {
    let rules = "[links]\nroot-dir = 'src/content'\nindex-files = ['index.md']\n\
                 fallback-extensions = ['md']\n";
    let plain = [
        ("folio.toml", rules),
        (".git/HEAD", ""),
        ("src/content/learn/state.md", "# State\n\n[r](/reference/hooks#use) [i](/learn)\n"),
        ("src/content/learn/index.md", "# Learn\n\n[s](/learn/state) [t](/learn/state#state)\n"),
        ("src/content/reference/hooks.md", "# Hooks\n\n## Use\n\n[s](/learn/state.md)\n"),
    ];
    let sandbox = Sandbox::with(&plain);
    sandbox.run(&["links"]).exits(0).prints("");
    let to = "src/content/guide/basics/state.md";
    fs::create_dir_all(sandbox.path("src/content/guide/basics")).unwrap();
    sandbox.run(&["patch", "move", "src/content/learn/state.md", "--to", to, "--links"]).exits(0);
    sandbox.run(&["links"]).exits(0).prints("");
    holds(&sandbox, "src/content/learn/index.md", &["[s](/guide/basics/state)"]);
    holds(&sandbox, "src/content/learn/index.md", &["[t](/guide/basics/state#state)"]);
    holds(&sandbox, "src/content/reference/hooks.md", &["(/guide/basics/state.md)"]);
    holds(&sandbox, to, &["[r](/reference/hooks#use) [i](/learn)"]);
    let rename = ["patch", "rename", "src/content/reference/hooks.md", "--heading", "Use"];
    sandbox.run(&[&rename[..], &["-c", "Usage", "--links"]].concat()).exits(0);
    holds(&sandbox, to, &["[r](/reference/hooks#usage)"]);

    let generated = [
        ("folio.toml", "[links]\nsite = 'docusaurus'\n"),
        (".git/HEAD", ""),
        ("docusaurus.config.js", ""),
        ("docs/a/one.md", "# One\n\n[t](two) [u](/docs/a/two/) [f](two.md#two)\n"),
        ("docs/a/two.md", "# Two\n\n[o](one#one) [s](/docs/named)\n"),
        ("docs/b/three.md", "---\nslug: /named\n---\n# Three\n\n[t](/docs/a/two#two)\n"),
    ];
    let sandbox = Sandbox::with(&generated);
    sandbox.run(&["links", "docs"]).exits(0).prints("");
    sandbox
        .run(&["patch", "move", "docs/a/two.md", "--to", "docs/b/2-deux.md", "--links"])
        .exits(0);
    sandbox.run(&["links", "docs"]).exits(0).prints("");
    holds(&sandbox, "docs/a/one.md", &["[t](../b/deux)", "[u](/docs/b/deux/)"]);
    holds(&sandbox, "docs/a/one.md", &["[f](../b/2-deux.md#two)"]);
    holds(&sandbox, "docs/b/three.md", &["[t](/docs/b/deux#two)"]);
    // A page with a configured slug keeps its URL when the file moves.
    sandbox
        .run(&["patch", "move", "docs/b/three.md", "--to", "docs/a/drei.md", "--links"])
        .exits(0);
    holds(&sandbox, "docs/b/2-deux.md", &["[s](/docs/named)", "[o](../a/one#one)"]);
    sandbox.run(&["links", "docs"]).exits(0).prints("");
}

/// Relative links stay relative, and a file outside of the root directory has no URL below it.
#[test]
fn links_by_the_rules_of_a_site_keep_their_form() {
    let text = "[a](t.md#old) [b](t#old) [c](/t) [d](/part/#x) [e](part#x)\n";
    for (to, expected) in [
        ("site/sub/t.md", "[a](sub/t.md#old) [b](sub/t#old) [c](/sub/t) [d](/part/#x)"),
        ("out/t.md", "[a](../out/t.md#old) [b](../out/t#old) [c](../out/t) [d](/part/#x)"),
    ] {
        let sandbox = Sandbox::with(&[
            (
                "folio.toml",
                "[links]\nroot-dir = 'site'\nfallback-extensions = ['md']\n\
                 index-files = ['index.md']\n",
            ),
            (".git/HEAD", ""),
            ("t.md", "# T\n\n## Old\n"),
            ("site/t.md", "# T\n\n## Old\n"),
            ("site/part/index.md", "# X\n"),
            ("site/other/a.md", ""),
            ("site/a.md", text),
            ("out/b.md", "# B\n"),
            ("site/sub/b.md", "# B\n"),
        ]);
        sandbox.run(&["links"]).exits(0).prints("");
        sandbox.run(&["patch", "move", "site/t.md", "--to", to, "--links"]).exits(0);
        sandbox.run(&["links"]).exits(0).prints("");
        holds(&sandbox, "site/a.md", &[&format!("{expected} [e](part#x)")]);
        let moved = ["patch", "move", "site/part/index.md", "--to", "site/sub/index.md", "--links"];
        sandbox.run(&moved).exits(0);
        holds(&sandbox, "site/a.md", &["[d](/sub/#x) [e](sub#x)"]);
        sandbox.run(&["patch", "move", "site/a.md", "--to", "site/other/c.md", "--links"]).exits(0);
        sandbox.run(&["links"]).exits(0).prints("");
        holds(&sandbox, "site/other/c.md", &["[d](/sub/#x) [e](../sub#x)"]);
    }
}

/// Rules without a root directory do not affect relative links.
#[test]
fn relative_links_are_updated_by_any_rules() {
    for rules in [
        "site = 'github'",
        "index-files = ['index.md']",
        "fallback-extensions = ['md']",
        "remap = ['^/x /y']",
        "root-dir = 'docs'",
    ] {
        let sandbox = Sandbox::with(&[
            ("folio.toml", &*format!("[links]\n{rules}\n")),
            (".git/HEAD", ""),
            ("docs/index.md", "[p](a/p.md) ![i](a/p.md)\n"),
            ("docs/a/p.md", "# P\n\n[i](../index.md)\n\n## Part\n\n[i](../index.md)\n"),
        ]);
        let part = ["patch", "move", "docs/a/p.md", "--section", "Part", "--to", "docs/r.md"];
        sandbox.run(&[&part[..], &["--links"]].concat()).exits(0);
        holds(&sandbox, "docs/r.md", &["[i](index.md)"]);
        let file = ["patch", "move", "docs/a/p.md", "--to", "docs/q.md"];
        sandbox.run(&file).exits(0).tells("3 links in 2 files no longer lead");
        sandbox.run(&["undo"]).exits(0);
        sandbox.run(&[&file[..], &["--links"]].concat()).exits(0);
        holds(&sandbox, "docs/index.md", &["[p](q.md) ![i](q.md)"]);
        holds(&sandbox, "docs/q.md", &["[i](index.md)"]);
    }
}

/// Links to a moved page, and the links of the page, have the same style as before.
#[test]
fn urls_of_pages_keep_their_form() {
    let page = "# P\n\n[a](../b/x.html) [b](../b/x) ![c](i.png) [d](/docs/b/x)\n";
    for (site, sign, own) in [
        ("jekyll", "_config.yml", "[a](../x.html) [b](../x) ![c](../../a/i.png) [d](/docs/b/x)"),
        ("docusaurus", "docusaurus.config.js", "[a](../x.html) [b](../x) ![c](../../a/i.png)"),
        ("vitepress", ".vitepress/x", "[a](../x.html) [b](../x) ![c](../../a/i.png)"),
    ] {
        let sandbox = Sandbox::with(&[
            ("folio.toml", &*format!("[links]\nsite = '{site}'\n")),
            (".git/HEAD", ""),
            (sign, ""),
            (
                "docs/index.md",
                "[1](a/p) [2](./a/p.html#p) [3](a/p/) [4](/docs/a/p) [5](/docs/a/p.html)\n",
            ),
            ("docs/a/p.md", page),
            ("docs/a/i.png", ""),
            ("docs/b/x.md", "# X\n"),
            ("docs/b/c/y.md", "# Y\n"),
        ]);
        sandbox.run(&["links", "docs"]).exits(0).prints("");
        let run = ["patch", "move", "docs/a/p.md", "--to", "docs/b/c/q.md", "--links"];
        sandbox.run(&run).exits(0);
        let expected =
            "[1](b/c/q) [2](./b/c/q.html#p) [3](b/c/q/) [4](/docs/b/c/q) [5](/docs/b/c/q.html)";
        holds(&sandbox, "docs/index.md", &[expected]);
        holds(&sandbox, "docs/b/c/q.md", &[own]);
        sandbox.run(&["links", "docs"]).exits(0).prints("");
        // Outside of the site, the page has no URL.
        if site != "jekyll" {
            continue;
        }
        fs::rename(sandbox.path("_config.yml"), sandbox.path("docs/_config.yml")).unwrap();
        sandbox.write("docs/index.md", "[1](b/c/q)\n");
        let run = ["patch", "move", "docs/b/c/q.md", "--to", "q.md", "--links"];
        sandbox.run(&run).exits(0).tells("docs/index.md:1 (b/c/q)");
    }
}

/// mdBook creates only URLs that end with `.html` and those of directories.
#[test]
fn urls_in_mdbook_have_an_extension() {
    let sandbox = Sandbox::with(&[
        ("folio.toml", "[links]\nsite = 'mdbook'\n"),
        (".git/HEAD", ""),
        ("book.toml", ""),
        ("src/SUMMARY.md", ""),
        ("src/guide/a.md", "# A\n\n[p](../ref/p.html#p) [i](../ref/) [j](../ref/index.html)\n"),
        ("src/ref/README.md", "# R\n"),
        ("src/ref/p.md", "# P\n\n[a](../guide/a.html) [g](g.html)\n"),
        ("src/ref/g.md", "# G\n"),
        ("src/x/y.md", "# Y\n"),
    ]);
    sandbox.run(&["links"]).exits(0).prints("");
    sandbox.run(&["patch", "move", "src/ref/p.md", "--to", "src/ref/q.md", "--links"]).exits(0);
    holds(&sandbox, "src/guide/a.md", &["[p](../ref/q.html#p) [i](../ref/)"]);
    holds(&sandbox, "src/ref/q.md", &["[a](../guide/a.html) [g](g.html)"]);
    sandbox.run(&["patch", "move", "src/ref/q.md", "--to", "src/x/", "--links"]).exits(0);
    holds(&sandbox, "src/guide/a.md", &["[p](../x/q.html#p)"]);
    holds(&sandbox, "src/x/q.md", &["[a](../guide/a.html) [g](../ref/g.html)"]);
    let index = ["patch", "move", "src/ref/README.md", "--to", "src/x/r.md", "--links"];
    sandbox.run(&index).exits(0);
    holds(&sandbox, "src/guide/a.md", &["[i](../x/r.html) [j](../x/r.html)"]);
    sandbox.run(&["links"]).exits(0).prints("");
}

#[test]
fn shortcodes_of_hugo_are_updated() {
    let text =
        "{{< ref \"/p.md\" >}} {{< relref \"/p#bench\" >}} {{% ref \"p\" %}} {{< ref \"s.md\" >}}";
    let sandbox = Sandbox::with(&[
        ("folio.toml", "[links]\nsite = 'hugo'\n"),
        (".git/HEAD", ""),
        ("hugo.toml", ""),
        ("content/a.md", text),
        ("content/p.md", "# P\n\n## Bench\n\n{{< ref \"a.md\" >}} {{< ref \"#bench\" >}}\n"),
        ("content/sub/s.md", "# S\n\n{{< relref \"p.md\" >}} [p](../../p/)\n"),
        ("content/my dir/x.md", "# X\n"),
    ]);
    sandbox.run(&["links"]).exits(0).prints("");
    let run = ["patch", "move", "content/p.md", "--to", "content/sub/r.md"];
    sandbox.run(&run).exits(0).tells("5 links in 2 files no longer lead");
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&[&run[..], &["--links"]].concat()).exits(0);
    let expected = text.replace("/p.md", "/sub/r.md").replace("/p#", "/sub/r#");
    let expected = expected.replace("\"p\"", "\"sub/r\"");
    holds(&sandbox, "content/a.md", &[&*expected]);
    holds(&sandbox, "content/sub/r.md", &["{{< ref \"a.md\" >}} {{< ref \"#bench\" >}}"]);
    holds(&sandbox, "content/sub/s.md", &["{{< relref \"sub/r.md\" >}} [p](../r/)"]);
    sandbox.run(&["links"]).exits(0).prints("");
    let rename = ["patch", "rename", "content/sub/r.md", "--heading", "Bench", "-c", "Mark"];
    sandbox.run(&[&rename[..], &["--links"]].concat()).exits(0);
    holds(&sandbox, "content/a.md", &["\"/sub/r#mark\""]);
    sandbox.run(&["links"]).exits(0).prints("");
    // Hugo does not decode paths, so a path that would need encoding is only reported.
    let run = ["patch", "move", "content/sub/r.md", "--to", "content/my dir/", "--links"];
    sandbox.run(&run).exits(0).tells("may refer to it");
}

/// A link that `folio links` reports as broken is not updated.
#[test]
fn links_that_the_site_does_not_resolve_are_unchanged() {
    for (rules, link) in [
        ("root-dir = 'site'", "/t.md#old"),
        ("index-files = ['index.md']", "../docs#old"),
        ("site = 'mkdocs'", "/t.md#old"),
    ] {
        let sandbox = Sandbox::with(&[
            ("folio.toml", &format!("[links]\n{rules}\n")),
            (".git/HEAD", ""),
            ("mkdocs.yml", ""),
            ("t.md", "# T\n\n## Old\n"),
            ("docs/README.md", "# T\n\n## Old\n"),
            ("site/a.md", &format!("[a]({link})\n")),
        ]);
        sandbox.run(&["links"]).exits(1);
        for file in ["t.md", "docs/README.md"] {
            sandbox
                .run(&["patch", "rename", file, "--heading", "Old", "-c", "New", "--links"])
                .exits(0);
        }
        holds(&sandbox, "site/a.md", &[link]);
    }
}

/// Renamed and renumbered anchors have the slugs of the site in `folio.toml`.
#[test]
fn links_are_updated_with_the_slugs_of_the_site() {
    let sandbox = Sandbox::with(&[
        ("folio.toml", "[links]\nsite = 'mkdocs'\n"),
        ("t.md", "# T\n\n## A & B\n\n## Setup\n\n## Setup\n"),
        ("a.md", "[a](t.md#a-b) [b](t.md#setup_1)\n"),
    ]);
    sandbox.run(&["links"]).exits(0).prints("");
    let rename = ["patch", "rename", "t.md", "--heading", "A & B", "-c", "C & D", "--links"];
    sandbox.run(&rename).exits(0);
    sandbox.run(&["patch", "delete", "t.md", "--lines", "5-6", "--links"]).exits(0);
    holds(&sandbox, "a.md", &["[a](t.md#c-d) [b](t.md#setup)"]);
    sandbox.run(&["links"]).exits(0).prints("");
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
    assert_eq!(text(&sandbox, "x.md"), expected);
}

/// Hugo finds pages of the same name by language, and pages of modules and themes.
#[test]
fn shortcodes_with_unknown_pages_are_unchanged() {
    let a = "{{< ref \"p\" >}} {{< ref \"of-theme\" >}}";
    let sandbox = Sandbox::with(&[
        ("folio.toml", "[links]\nsite = 'hugo'\n"),
        ("hugo.toml", ""),
        (".git/HEAD", ""),
        ("content/en/x/p.md", "# P\n"),
        ("content/de/x/p.md", "# P\n"),
        ("content/en/y/a.md", a),
        ("content/docs/b.md", "---\naliases: [/old/b]\n---\n# B\n"),
        ("content/c.md", "{{< ref \"b\" >}}\n"),
    ]);
    fs::create_dir_all(sandbox.path("content/en/z/w")).unwrap();
    let moved = |from: &str, to: &str| {
        sandbox.run(&["patch", "move", from, "--to", to, "--links"]).exits(0);
    };
    moved("content/en/y/a.md", "content/en/z/w/a.md");
    assert_eq!(fs::read_to_string(sandbox.path("content/en/z/w/a.md")).unwrap(), a);
    // Aliases are not names of pages.
    moved("content/docs/b.md", "content/docs/d.md");
    assert_eq!(
        fs::read_to_string(sandbox.path("content/c.md")).unwrap(),
        "{{< ref \"docs/d\" >}}\n"
    );
}
