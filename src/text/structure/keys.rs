//! Whether edits leave alone the keys that they do not touch, and what holds
//! these: sections of INI files, front matter with its two ends.

use std::collections::{HashMap, HashSet};

use super::kept::{line_starts, unchanged_lines};
use super::{Change, ChangeKind, Window, pieces};
use crate::text::edit::{Edit, Piece};
use crate::text::format::Format;
use crate::text::lines::{lines_with_ends, without_end};
use crate::text::markdown::front_matter::{self, Search};
use crate::text::outline::Outline;
use crate::text::span::Span;

/// A line that says something of keys.
struct Named {
    line: u64,
    /// What it is, and its name.
    label: &'static str,
    text: String,
    /// The line of what holds it.
    owner: Option<u64>,
}

impl Named {
    /// What it is on a line.
    fn at(&self, line: u64) -> (u64, &str, &str) {
        (line, self.label, &self.text)
    }
}

/// What the edits of an INI file do to markers and keys outside of them. Its
/// text begins at `offset`, behind a byte order mark.
pub fn ini_changes(offset: u64, old: &[u8], edits: &[Edit]) -> Vec<Change> {
    let end = offset + old.len() as u64;
    let mut new = Vec::with_capacity(old.len());
    for piece in pieces(edits, Span::new(offset, end)) {
        match piece {
            Piece::Old(span) => new.extend_from_slice(
                &old[(span.start() - offset) as usize..(span.end() - offset) as usize],
            ),
            Piece::New(content) => new.extend_from_slice(content),
        }
    }
    let window = Window { offset, old: old.to_vec(), new, at_end: true, edits_end: end };
    compare(&window, edits, &ini(&window.old), &ini(&window.new))
}

/// What edits do to front matter at the start of a window; none where it may go
/// on behind the window.
pub(super) fn front_matter_changes(window: &Window, edits: &[Edit]) -> Option<Vec<Change>> {
    let old = front_matter(&window.old, window.at_end)?;
    let new = front_matter(&window.new, window.at_end)?;
    Some(compare(window, edits, &old, &new))
}

fn ini(text: &[u8]) -> Vec<Named> {
    let outline = Outline::of(text, Format::Ini, Default::default());
    let first_line = |index: usize| outline.sections()[index].lines().start();
    let markers = (0..outline.sections().len()).map(|index| Named {
        line: first_line(index),
        label: "section",
        text: String::from_utf8_lossy(&outline.text(index)).into_owned(),
        owner: None,
    });
    let keys = outline.keys().iter().map(|key| Named {
        line: key.lines.start(),
        label: "key",
        text: key.name.clone(),
        owner: key.section.map(first_line),
    });
    markers.chain(keys).collect()
}

fn front_matter(text: &[u8], is_all: bool) -> Option<Vec<Named>> {
    let found = match front_matter::search(text, is_all, true) {
        Search::Found(found) => found,
        Search::Absent(_) => return Some(Vec::new()),
        Search::Open => return None,
    };
    let ends = [
        (found.lines.start(), "beginning of front matter"),
        (found.lines.end(), "end of front matter"),
    ];
    let ends = ends.map(|(line, label)| {
        let fence = lines_with_ends(text).nth(line as usize - 1).unwrap_or_default();
        let text = String::from_utf8_lossy(without_end(fence)).into_owned();
        Named { line, label, text, owner: None }
    });
    let keys = found.keys.iter().map(|key| Named {
        line: key.lines.start(),
        label: "key",
        text: key.name.clone(),
        owner: Some(found.lines.start()),
    });
    Some(ends.into_iter().chain(keys).collect())
}

/// What is called otherwise, or held by something else, on lines that no edit
/// touches.
fn compare(window: &Window, edits: &[Edit], old: &[Named], new: &[Named]) -> Vec<Change> {
    let (old_starts, new_starts) = (line_starts(&window.old), line_starts(&window.new));
    let lines = unchanged_lines(window, edits, &old_starts, &new_starts);
    let owners: HashMap<(u64, &str, &str), Option<u64>> =
        new.iter().map(|named| (named.at(named.line), named.owner)).collect();
    let before: HashSet<(u64, &str, &str)> = old.iter().map(|named| named.at(named.line)).collect();
    // What was edited itself may go on to hold it.
    let is_same = |old: Option<u64>, new: Option<u64>| match (old, new) {
        (None, None) => true,
        (Some(old), Some(new)) => match lines.new_of(old) {
            Some(line) => line == new,
            None => lines.old_of(new).is_none(),
        },
        _ => false,
    };
    let change = |kind, named: &Named| Change {
        kind,
        line: named.line,
        label: Some(named.label),
        text: named.text.clone().into_bytes(),
    };
    let mut found = Vec::new();
    for named in old {
        let Some(line) = lines.new_of(named.line) else { continue };
        match owners.get(&named.at(line)) {
            None => found.push(change(ChangeKind::Lost, named)),
            Some(&owner) if !is_same(named.owner, owner) => {
                found.push(change(ChangeKind::Moved, named));
            }
            Some(_) => {}
        }
    }
    for named in new {
        let was = lines.old_of(named.line);
        if was.is_some_and(|line| !before.contains(&named.at(line))) {
            found.push(change(ChangeKind::Created, named));
        }
    }
    found.sort_by_key(|change| (change.kind == ChangeKind::Created, change.line));
    found
}

#[cfg(test)]
mod tests {
    use super::super::changes;
    use super::*;
    use crate::text::edit::EditSet;

    fn shown(found: &[Change]) -> Vec<String> {
        let sign = |kind| match kind {
            ChangeKind::Lost => '-',
            ChangeKind::Created => '+',
            ChangeKind::Moved => '>',
        };
        let text = |change: &Change| String::from_utf8_lossy(&change.text).into_owned();
        found.iter().map(|one| format!("{}{} {}", sign(one.kind), one.line, text(one))).collect()
    }

    fn edit(old: &str, part: &str, new: &str) -> EditSet {
        let start = old.find(part).expect("there") as u64;
        let span = Span::new(start, start + part.len() as u64);
        EditSet::new(vec![Edit::new(span, new)]).expect("one edit")
    }

    #[track_caller]
    fn check_ini(part: &str, new: &str, expected: &[&str]) {
        let old = "top = 0\n[db]\nhost = a\nport = 1\n\n[log]\nfile = x\n  more\n";
        assert_eq!(shown(&ini_changes(0, old.as_bytes(), edit(old, part, new).edits())), expected);
    }

    #[test]
    fn keys_stay_in_their_sections() {
        check_ini("host = a\n", "host = b\nuser = c\n", &[]);
        check_ini("[db]", "[database]", &[]);
        check_ini("[log]\nfile = x\n  more\n", "", &[]);
        check_ini("port = 1\n", "port = 1\n[new]\nk = 1\n", &[]);
        check_ini("host = a\n", "host = a\n[evil]\n", &[">4 port"]);
        check_ini("host = a\n", "", &[]);
        check_ini("[log]\n", "", &[">7 file"]);
        check_ini("top = 0", "[t]\ntop = 0", &[]);
        check_ini("host = a", "host = a \\", &["-4 port"]);
        check_ini("\n[log]", "\n  [log]", &[]);
    }

    #[track_caller]
    fn check_front_matter(part: &str, new: &str, expected: &[&str]) {
        let old = "---\ntitle: Old\ntags:\n  - a\n---\n\n# Doc\n\nText\n";
        let mut read = |span: Span| -> Result<Vec<u8>, ()> {
            Ok(old.as_bytes()[span.start() as usize..span.end() as usize].to_vec())
        };
        let text = Span::new(0, old.len() as u64);
        let found = changes(&mut read, text, &edit(old, part, new)).expect("readable");
        assert_eq!(shown(&found), expected, "{part:?} {new:?}");
    }

    #[test]
    fn front_matter_keeps_its_ends_and_keys() {
        check_front_matter("title: Old", "title: New", &[]);
        check_front_matter("title: Old\n", "", &[]);
        check_front_matter("---\ntitle: Old\ntags:\n  - a\n---\n\n", "", &[]);
        check_front_matter("  - a\n---\n", "  - a\n", &["-1 ---", "-2 title", "-3 tags"]);
        check_front_matter("title: Old", "---", &["-3 tags", "-5 ---"]);
        check_front_matter("title: Old", "New", &["-1 ---", "-3 tags", "-5 ---"]);
    }
}
