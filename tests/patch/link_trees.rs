//! On random trees of documents, every link has the same target after an edit with `--links` as
//! before.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::{Component, Path, PathBuf};

use proptest::prelude::*;
use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;

use crate::support::Sandbox;
use crate::support::edits::cases;

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
    let headings_of_file = headings(path, &documents[path]);
    let name = |path: &Path| path.to_str().unwrap().to_owned();
    let mut words: Vec<String> = vec!["patch".into()];
    let part = headings_of_file
        .get(1 + dice.roll(headings_of_file.len()))
        .map(|(_, id, _)| format!("{}#{id}", name(path)));
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
            ambiguous.extend(old.iter().map(|copy| copy.2).filter(|&number| copies(number) > 1));
            for (path, text) in &after {
                let lost = undefined(text);
                prop_assert!(lost.is_empty(), "{said}{}: {lost:?}\n{text}", path.display());
                for (number, destination) in destinations(text) {
                    let copy: Vec<_> = all.iter().filter(|(_, _, other)| *other == number).collect();
                    let (file, id) = lead(path, &destination);
                    let leads = copy.iter().any(|(path, other, _)| *path == file && *other == id);
                    prop_assert!(
                        leads || copy.is_empty() || ambiguous.contains(&number),
                        "{said}{}: {destination} is not {number}: {copy:?}\nbefore {:?}\nafter {text}",
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
