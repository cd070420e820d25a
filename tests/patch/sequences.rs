//! Long sequences of edits of one document. After each edit, the outline outside of the edited part
//! is unchanged, undo restores the bytes, and blank lines do not accumulate.

use std::fs;
use std::ops::RangeInclusive;

use serde_json::Value;

use crate::support::Sandbox;
use crate::support::records::{File, Heading, Record, Section as Entry, Text};

const NOTES: &str = "---\ntitle: Notes\ntags: [a, b]\nparams:\n  weight: 3\n---\n\n# Notes\n\nIntro text.\n\n\
    ## Alpha\n\nFirst words.\n\n- one\n- two\n\n### Beta\n\n```sh\nmake all\n```\n\nMore words.\n\n\
    ## Gamma\n\n| k | v |\n|---|---|\n| a | 1 |\n\n### Delta\n\n> quoted\n\n## Epsilon\n\nLast words.\n";
const DENSE: &str = "# Top\ntext one\n## Alpha\nwords here\n### Beta\n- item\n## Gamma\n```sh\nmake\n```\n## Delta\nend words\n";
const SETTINGS: &str =
    "; settings\n[alpha]\none = 1\ntwo = words\n\n[beta]\nthree = x y\n\n[gamma]\nfour = \"z\"\n";
const LOG: &str =
    "[LOG-001] first words\nmore of it\n\n[LOG-002] second\n\n[LOG-003] third words\nand more\n";

/// Pseudo-random numbers. They are the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % count.max(1)
    }

    fn one_of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// The command line of an edit, and whether blank lines belong to the document.
struct Typed {
    words: Vec<String>,
    keeps_separation: bool,
}

fn typed(words: &[&str], keeps_separation: bool) -> Typed {
    Typed { words: words.iter().map(|&word| word.to_owned()).collect(), keeps_separation }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Markdown,
    Ini,
    Log,
}

/// A heading, an INI section or a log entry.
struct Section {
    level: Option<u8>,
    /// The name without the number that tells it from equal names.
    name: String,
    text: String,
    line: u64,
}

struct Sequence {
    sandbox: Sandbox,
    name: &'static str,
    format: Format,
    chance: Chance,
    made: usize,
}

impl Sequence {
    fn new(name: &'static str, text: &str, format: Format, seed: u64) -> Self {
        let sandbox = Sandbox::with(&[(name, text)]);
        Self { sandbox, name, format, chance: Chance(seed), made: 0 }
    }

    fn text(&self) -> String {
        fs::read_to_string(self.sandbox.path(self.name)).unwrap()
    }

    /// Returns the sections of the current document.
    fn outline(&self) -> Vec<Section> {
        let outcome = self.sandbox.run(&["inspect", "--json", "--flat", self.name]).exits(0);
        let structure = File::one(&outcome).structure;
        if self.format == Format::Markdown {
            let headings = structure.headings.unwrap_or_default().into_iter();
            let section = |heading: Heading| {
                let text = heading.text.as_str().to_owned();
                Section { level: Some(heading.level), name: text.clone(), text, line: heading.line }
            };
            return headings.map(section).collect();
        }
        let entries = structure.sections.unwrap_or_default().into_iter();
        let section = |entry: Entry| {
            let marker = entry.marker.as_str();
            let text = entry.text.as_ref().map_or(marker, Text::as_str).to_owned();
            let name = marker.trim_matches(['[', ']']).to_owned();
            Section { level: None, name, text, line: entry.line }
        };
        entries.map(section).collect()
    }

    /// Returns an unused name.
    fn new_name(&mut self) -> String {
        self.made += 1;
        format!("New{}", self.made)
    }

    /// Returns a random edit that is valid for the current document.
    fn next(&mut self, text: &str, outline: &[Section]) -> Typed {
        let count = outline.len();
        if count < 3 {
            return self.growing();
        }
        let index = self.chance.below(count);
        let other = self.chance.below(count);
        let to = match self.format {
            Format::Markdown => format!("{}#{}", self.name, slug(outline, other)),
            _ => self.name.to_owned(),
        };
        let side = self.chance.one_of(&["--before", "--after"]);
        let name = &unique_name(outline, index);
        let word = self.chance.one_of(&["words", "text", "x", "more"]);
        let line = (self.chance.below(text.lines().count()) + 1).to_string();
        match self.chance.below(if count > 30 { 4 } else { 16 }) {
            0..=2 => typed(&["delete", "--section", name], true),
            3 => typed(&["delete", "--lines", &line], false),
            4 | 5 => typed(&["move", "--section", name, "--to", &to, side], true),
            6 => typed(&["copy", "--section", name, "--to", &to, side], true),
            7 => {
                let content = self.section(outline, index);
                typed(&["replace", "--section", name, "-c", &content], true)
            }
            8 => {
                let content = self.section(outline, index);
                typed(&["insert", "--section", name, side, "-c", &content], true)
            }
            9 => typed(&["replace", "--text", word, "-c", "other words"], false),
            10 => typed(&["insert", "--lines", &line, "-c", "a line of words"], false),
            _ => self.of_format(name),
        }
    }

    /// Returns a copy of a section with a new name.
    fn section(&mut self, outline: &[Section], index: usize) -> String {
        let name = self.new_name();
        let body = self.chance.one_of(&["", "\nwords", "\n\nwords\n\n- a\n", "\nx\n\n"]);
        match self.format {
            Format::Markdown => {
                let level = outline[index].level.unwrap_or(2);
                format!("{} {name}{body}", "#".repeat(level.into()))
            }
            Format::Ini => format!("[{name}]\nkey = words"),
            _ => format!("[LOG-9{}] words{}", self.made, body.trim_end()),
        }
    }

    /// Returns an edit that makes the document longer.
    fn growing(&mut self) -> Typed {
        let name = self.new_name();
        match self.format {
            Format::Markdown => typed(&["append", "-c", &format!("## {name}\n\ntext words")], true),
            Format::Ini => typed(&["set", "--section", &name, "--key", "k", "-c", "words"], true),
            _ => typed(&["append", "-c", &format!("[LOG-8{}] words", self.made)], true),
        }
    }

    /// Returns an edit that is valid only for documents of a format.
    fn of_format(&mut self, name: &str) -> Typed {
        let new = self.new_name();
        let choice = self.chance.below(10);
        match (self.format, choice) {
            (Format::Markdown, 0) => typed(&["rename", "--heading", name, "-c", &new], true),
            (Format::Markdown, 1) => typed(&["append", "--section", name, "-c", "- item"], true),
            (Format::Markdown, 2) => typed(&["replace", "--body", name, "-c", "new\nwords"], true),
            (Format::Markdown, 3) => typed(&["insert", "--heading", name, "-c", "a text"], true),
            (Format::Markdown, 4) => typed(&["delete", "--code-block", "0", "--fences"], true),
            (Format::Markdown, 5) => typed(&["append", "--table", "0", "-c", "| b | 2 |"], true),
            (Format::Markdown, 6) => typed(&["replace", "--code-block", "0", "-c", "run"], true),
            (Format::Markdown, 7) => {
                let key = self.chance.one_of(&["title", "params.weight", "params.new", "draft"]);
                let value = self.chance.one_of(&["3", "a: b", "[x, y]", "it's # one"]);
                typed(&["set", "--front-matter", "--key", key, "-c", value], true)
            }
            (Format::Markdown, 8) => typed(&["delete", "--front-matter", "--key", "draft"], true),
            (Format::Ini, 0..=2) => typed(&["rename", "--section", name, "-c", &new], true),
            (Format::Ini, 3) => typed(&["append", "--section", name, "-c", "added = 1"], true),
            (Format::Ini, 4) => typed(&["delete", "--section", name, "--key", "key"], true),
            (Format::Ini, _) => {
                let key = self.chance.one_of(&["one", "key", "name"]);
                typed(&["set", "--section", name, "--key", key, "-c", "some words"], true)
            }
            _ => typed(&["append", "--section", name, "-c", "one more line"], true),
        }
    }

    /// Makes an edit and checks the result. Returns whether it changed anything.
    fn step(&mut self) -> bool {
        let before = self.text();
        let old_outline = self.outline();
        let edit = self.next(&before, &old_outline);
        let mut words = vec!["patch", &edit.words[0], self.name];
        words.extend(edit.words[1..].iter().map(String::as_str));
        words.extend(["--json", "--no-sync"]);
        let outcome = self.sandbox.run(&words);
        let after = self.text();
        if outcome.status != Some(0) || after == before {
            assert_eq!(after, before, "{words:?}: {outcome}");
            return false;
        }
        let record = outcome.json();
        let context = format!("{words:?}\n{before}\n---- became\n{after}\n{record}");
        let new_outline = self.outline();
        let old = outside(&old_outline, &record, true);
        assert_eq!(old, outside(&new_outline, &record, false), "{context}");
        if edit.keeps_separation {
            assert!(has_gap(&before) || !has_gap(&after), "blank lines: {context}");
        }
        let undo = record["undo"].to_string();
        self.sandbox.run(&["undo", &undo]).exits(0);
        assert_eq!(self.text(), before, "undo: {context}");
        // Edits that must leave blank lines are not repeated.
        let is_kept = edit.keeps_separation || !has_gap(&after);
        self.sandbox.write(self.name, if is_kept { after } else { before });
        is_kept
    }
}

/// Returns the sections that an edit does not affect, as levels and texts.
fn outside<'a>(outline: &'a [Section], record: &Value, is_old: bool) -> Vec<(Option<u8>, &'a str)> {
    let lines = |value: &Value| -> Option<RangeInclusive<u64>> {
        Some(value["start"].as_u64()?..=value["end"].as_u64()?)
    };
    let operation = record["operation"].as_str().unwrap();
    let changes = record["linesChanged"] != 0 && operation != "copy";
    let edited = match (is_old, operation) {
        (true, _) => lines(&record["affectedLines"]).filter(|_| changes),
        (false, "move" | "copy") => lines(&record["to"]["resultLines"]),
        (false, _) => lines(&record["resultLines"]),
    };
    let is_outside =
        |section: &&Section| edited.as_ref().is_none_or(|edited| !edited.contains(&section.line));
    let sections = outline.iter().filter(is_outside);
    sections.map(|section| (section.level, section.text.as_str())).collect()
}

/// Returns a name that only this section has.
fn unique_name(outline: &[Section], index: usize) -> String {
    let name = &outline[index].name;
    let equal = |sections: &[Section]| sections.iter().filter(|other| other.name == *name).count();
    match equal(outline) {
        1 => name.clone(),
        _ => format!("{name}[{}]", 1 + equal(&outline[..index])),
    }
}

/// Returns the anchor of a heading with a one-word text.
fn slug(outline: &[Section], index: usize) -> String {
    let word = |index: usize| outline[index].text.to_lowercase();
    let name = word(index);
    match (0..index).filter(|&other| word(other) == name).count() {
        0 => name,
        before => format!("{name}-{before}"),
    }
}

/// Whether the text contains two consecutive blank lines.
fn has_gap(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    lines.windows(2).any(|pair| pair.iter().all(|line| line.trim().is_empty()))
}

#[track_caller]
fn check(name: &'static str, text: &str, format: Format, seed: u64, edits: usize) {
    let mut sequence = Sequence::new(name, text, format, seed);
    let mut tries = 0;
    let mut made = 0;
    while made < edits {
        made += usize::from(sequence.step());
        tries += 1;
        assert!(tries < 20 + edits * 4, "only {made} of {tries} edits were made");
    }
}

fn check_all(edits: usize, seed: u64) {
    check("a.md", NOTES, Format::Markdown, seed, edits);
    check("a.md", DENSE, Format::Markdown, seed, edits);
    check("a.ini", SETTINGS, Format::Ini, seed, edits);
    check("a.log", LOG, Format::Log, seed, edits);
}

#[test]
fn a_sequence_of_edits_leaves_the_rest_unchanged() {
    check_all(12, 1);
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_edits_leave_the_rest_unchanged() {
    for seed in 1..=4 {
        check_all(250, seed);
    }
    check("a.md", NOTES, Format::Markdown, 9, 1000);
}

/// Sections are deleted, moved and copied in any order. A document without two consecutive blank
/// lines never gets them, and a dense document remains dense.
#[test]
fn sections_keep_their_separation() {
    for (seed, text) in [(3, NOTES), (4, NOTES), (5, DENSE), (6, DENSE)] {
        let mut sequence = Sequence::new("a.md", text, Format::Markdown, seed);
        let front_matter = text.starts_with("---");
        for _ in 0..15 {
            let text = sequence.text();
            let outline = sequence.outline();
            let count = outline.len();
            if count < 2 {
                break;
            }
            let chance = &mut sequence.chance;
            let (index, other) = (chance.below(count), chance.below(count));
            let operation = chance.one_of(&["delete", "move", "move", "copy", "copy"]);
            let side = chance.one_of(&["--before", "--after"]);
            let [from, to] = [index, other].map(|index| format!("a.md#{}", slug(&outline, index)));
            let mut words = vec!["patch", operation, &from, "--force", "--no-sync"];
            if operation != "delete" {
                words.extend(["--to", &to, side]);
            }
            // A part is not moved into itself.
            sequence.sandbox.run(&words);
            let after = sequence.text();
            assert!(!has_gap(&after), "{words:?}\n{text}\n---- became\n{after}");
            if !front_matter {
                let blank = after.lines().filter(|line| line.trim().is_empty()).count();
                assert_eq!(blank, 0, "{words:?}\n{text}\n---- became\n{after}");
            }
        }
    }
}
