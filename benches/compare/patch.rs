//! The rows of `patch`. Files are edited back and forth, so that every run finds the same input and
//! no copies are needed between runs.

use std::ffi::OsString;

use crate::inputs::{
    ALL, MANY, MANY_FILES, NEEDLE, PLACES, SECTION_FILE, THREAD, large_name, many_name,
};
use crate::rows::{Contender, Goal, Limit, Measure, Row, Subject, folio_as, peer, shell};

/// The file to edit, which is a copy of the original.
const FILE: &str = "edited.md";
/// The directory to edit, which is a copy of the original.
const FILES: &str = "edited";

/// The label of folio with default settings, with which it waits until data is on disk.
const SYNCED: &str = "folio";
const UNSYNCED: &str = "folio --no-sync";

const MEBIBYTE: u64 = 1 << 20;

/// Returns all rows.
pub fn rows(subject: &Subject) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, place) in PLACES.iter().enumerate() {
        // The cost of the other tools does not depend on the position, so each of them runs only
        // once.
        rows.push(large(subject, place, Kind::Letters, number == 1));
        rows.push(large(subject, place, Kind::Markup, false));
    }
    rows.push(many());
    rows.push(all(Kind::Letters));
    rows.push(all(Kind::Markup));
    rows.push(section());
    rows
}

/// The replacement of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word of the same length, which cannot change anything else in the document.
    Letters,
    /// Longer text with markup, so that the text around it must be examined.
    Markup,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Letters => "as many letters",
            Self::Markup => "markup",
        }
    }

    fn replacement(self, place: &str) -> String {
        match self {
            Self::Letters => format!("{place}{THREAD}"),
            Self::Markup => format!("**{place}** `{NEEDLE}`"),
        }
    }
}

/// Returns a row that edits one word of a large document, with all tools that can do it.
fn large(subject: &Subject, place: &str, kind: Kind, has_all: bool) -> Row {
    let kept = large_name(subject.megabytes);
    let (old, new) = (format!("{place}{NEEDLE}"), kind.replacement(place));
    let files = [FILE.to_owned()];
    let mut contenders = folio(&old, &new, &files, &[]);
    contenders.push(peer("cp", "cp", &["--reflink=never", FILE, "copied.md"]));
    contenders.push(sed(&old, &new, &files));
    contenders.push(sed_synced(&old, &new));
    if has_all {
        contenders.push(perl(&old, &new, &files));
        contenders.push(sd(&old, &new, &files));
    }
    let limit = |of, measure, limit| Goal { of, measure, limit };
    let mut goals = vec![
        limit(UNSYNCED, Measure::Wall, Limit::Times(2.2, "cp")),
        limit(SYNCED, Measure::Wall, Limit::Times(0.6, "sed -i")),
        limit(SYNCED, Measure::Wall, Limit::Times(0.6, "sed -i; sync")),
        limit(SYNCED, Measure::Memory, Limit::Bytes { base: 16 * MEBIBYTE, a_line: 0 }),
    ];
    if subject.shares && (kind == Kind::Letters || place == PLACES[2]) {
        goals.push(limit(SYNCED, Measure::Wall, Limit::Milliseconds(300)));
    }
    Row {
        name: "patch",
        work: format!(
            "a word {place} in {} MB, {} in its place{}",
            subject.megabytes,
            kind.name(),
            if subject.shares { ", bytes can be shared" } else { "" }
        ),
        contenders,
        goals,
        repeat: 1,
        setup: shell(&format!("rm -rf state && cp {kept} {FILE}")),
        before: shell("rm -f copied.md && sync"),
        left_out: Vec::new(),
    }
}

fn many() -> Row {
    let files: Vec<String> = (0..MANY_FILES).map(|file| many_name(FILES, file)).collect();
    let new = THREAD;
    let mut contenders = folio(NEEDLE, new, &files, &[]);
    contenders.extend([sed(NEEDLE, new, &files), perl(NEEDLE, new, &files)]);
    contenders.push(sd(NEEDLE, new, &files));
    Row {
        name: "patch",
        work: format!("a word in each of {MANY_FILES} files, all of them or none"),
        contenders,
        goals: Vec::new(),
        repeat: 1,
        setup: shell(&format!("rm -rf state {FILES} && cp -r {MANY} {FILES}")),
        before: shell("sync"),
        left_out: Vec::new(),
    }
}

fn all(kind: Kind) -> Row {
    let files = [FILE.to_owned()];
    let (old, new) = (NEEDLE, if kind == Kind::Letters { THREAD } else { "**sharp** `pin`" });
    let mut contenders = folio(old, new, &files, &["--occurrence", "all"]);
    contenders.extend([sed(old, new, &files), perl(old, new, &files), sd(old, new, &files)]);
    Row {
        name: "patch",
        work: format!("100,000 places in one file of 9 MB, {} in each", kind.name()),
        contenders,
        goals: Vec::new(),
        repeat: 1,
        setup: shell(&format!("rm -rf state && cp {ALL} {FILE}")),
        before: shell("sync"),
        left_out: Vec::new(),
    }
}

fn section() -> Row {
    let by_folio = |label, flags: &[&str]| {
        let words = |text: &str| {
            let content = format!("## Needle\n\n{text}\n");
            let mut words = vec!["patch", "replace", FILE, "--section", "Needle", "-c", &content];
            words.extend(flags);
            folio_as(label, &words).words
        };
        Contender { label, program: "", words: words("one line"), back: words("another line") }
    };
    let by_sed = |text: &str| {
        let script = format!("/^## Needle$/,/^## After$/c\\## Needle\\n\\n{text}\\n\\n## After");
        peer("sed -i", "sed", &["-i", &script, FILE]).words
    };
    Row {
        name: "patch",
        work: "a section of a file of 10 kB".to_owned(),
        contenders: vec![
            by_folio(SYNCED, &[]),
            by_folio(UNSYNCED, &["--no-sync"]),
            Contender {
                label: "sed -i",
                program: "sed",
                words: by_sed("one line"),
                back: by_sed("another line"),
            },
        ],
        goals: Vec::new(),
        repeat: 10,
        setup: shell(&format!("rm -rf state && cp {SECTION_FILE} {FILE}")),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

/// Returns folio with and without waiting for the disk.
fn folio(old: &str, new: &str, files: &[String], flags: &[&str]) -> Vec<Contender> {
    let contender = |label, more: &[&str]| {
        both(label, "", old, new, |old, new| {
            let mut words = vec!["patch", "replace"];
            words.extend(files.iter().map(String::as_str));
            words.extend(["--text", old, "-c", new]);
            words.extend(flags.iter().chain(more));
            folio_as(label, &words).words
        })
    };
    vec![contender(SYNCED, &[]), contender(UNSYNCED, &["--no-sync"])]
}

fn sed(old: &str, new: &str, files: &[String]) -> Contender {
    both("sed -i", "sed", old, new, |old, new| {
        let script = substitution(old, new);
        with_files(&["sed", "-i", &script], files)
    })
}

/// sed does not wait for the disk, so the command also runs sync.
fn sed_synced(old: &str, new: &str) -> Contender {
    both("sed -i; sync", "sed", old, new, |old, new| {
        shell(&format!("sed -i '{}' {FILE} && sync {FILE}", substitution(old, new)))
    })
}

fn perl(old: &str, new: &str, files: &[String]) -> Contender {
    both("perl -pi", "perl", old, new, |old, new| {
        with_files(&["perl", "-pi", "-e", &substitution(old, new)], files)
    })
}

fn sd(old: &str, new: &str, files: &[String]) -> Contender {
    both("sd -F", "sd", old, new, |old, new| with_files(&["sd", "-F", old, new], files))
}

fn substitution(old: &str, new: &str) -> String {
    format!("s/{}/{new}/g", old.replace('*', "\\*"))
}

fn with_files(words: &[&str], files: &[String]) -> Vec<OsString> {
    words.iter().copied().chain(files.iter().map(String::as_str)).map(OsString::from).collect()
}

/// Returns a command for both directions.
fn both(
    label: &'static str,
    program: &'static str,
    old: &str,
    new: &str,
    words: impl Fn(&str, &str) -> Vec<OsString>,
) -> Contender {
    Contender { label, program, words: words(old, new), back: words(new, old) }
}
