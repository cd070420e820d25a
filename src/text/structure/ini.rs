//! Whether edits of an INI file leave alone the keys that they do not touch, and
//! the sections that hold these.

use std::ops::{ControlFlow, Range};

use super::kept::{BothDocuments, Line};
use super::{Change, ChangeKind};
use crate::text::edit::Edit;
use crate::text::lines::without_end;
use crate::text::sections::{IniParser, LineKind, LineParser};

/// What the edits of an INI file do to markers and keys outside of them: both
/// documents are gone through at once, and nothing of them is kept.
pub struct IniChanges<'a> {
    documents: BothDocuments<'a>,
    sides: Sides,
}

impl<'a> IniChanges<'a> {
    /// For a text that begins at an offset, behind a byte order mark.
    pub fn new(start: u64, edits: &'a [Edit]) -> Self {
        Self { documents: BothDocuments::new(start, edits), sides: Sides::default() }
    }

    /// Takes what comes next of the text: whole lines, but for the last of all.
    /// It breaks off where nothing can differ any more.
    pub fn push(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        self.documents.push(bytes, &mut |line| self.sides.line(line));
        match self.documents.is_done() && self.sides.agree() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// What was found, in the order of the lines, what is lost first.
    pub fn finish(mut self) -> Vec<Change> {
        self.documents.finish(&mut |line| self.sides.line(line));
        let mut found = self.sides.found;
        found.sort_by_key(|change| (change.kind == ChangeKind::Created, change.line));
        found
    }
}

/// Both documents up to the same line.
#[derive(Default)]
struct Sides {
    old: Side,
    new: Side,
    found: Vec<Change>,
}

/// A document up to a line.
#[derive(Default)]
struct Side {
    line: u64,
    parser: IniParser,
    section: Holder,
}

/// What holds a key.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Holder {
    /// No section.
    #[default]
    Document,
    /// The section that a line begins which no edit touches, by its number in the
    /// old document.
    Kept(u64),
    /// One whose marker was edited: it may go on to hold what it held.
    Edited,
}

impl Side {
    /// Goes on with a line that only this document has.
    fn line(&mut self, line: &[u8]) {
        self.line += 1;
        if let LineKind::Marker(_) = self.parser.line(without_end(line)) {
            self.section = Holder::Edited;
        }
    }
}

impl Sides {
    /// Whether lines that both have will be the same in both.
    fn agree(&self) -> bool {
        self.old.parser == self.new.parser && self.old.section == self.new.section
    }

    fn line(&mut self, line: Line<'_>) {
        match line {
            Line::Gone(line) => self.old.line(line),
            Line::New(line) => self.new.line(line),
            Line::Kept(line) => self.kept(without_end(line)),
            Line::Begun => {}
        }
    }

    fn kept(&mut self, line: &[u8]) {
        (self.old.line, self.new.line) = (self.old.line + 1, self.new.line + 1);
        let agreed = self.agree();
        let old = self.old.parser.line(line);
        let new = match agreed {
            true => {
                self.new.parser = self.old.parser.clone();
                old.clone()
            }
            false => self.new.parser.line(line),
        };
        if !agreed {
            self.compare(line, named(&old), named(&new));
        }
        let own = Holder::Kept(self.old.line);
        for (side, kind) in [(&mut self.old, old), (&mut self.new, new)] {
            if let LineKind::Marker(_) = kind {
                side.section = own;
            }
        }
    }

    /// Tells what one line is in both documents, if that is not the same.
    fn compare(&mut self, line: &[u8], old: Option<Name>, new: Option<Name>) {
        let mut tell = |kind, number, named: &Option<Name>| {
            let Some((label, name)) = named else { return };
            let text = String::from_utf8_lossy(&line[name.clone()]).into_owned().into_bytes();
            self.found.push(Change { kind, line: number, label: Some(label), text });
        };
        if old != new {
            tell(ChangeKind::Lost, self.old.line, &old);
            tell(ChangeKind::Created, self.new.line, &new);
        } else if old.as_ref().is_some_and(|(label, _)| *label == KEY)
            && self.old.section != self.new.section
        {
            tell(ChangeKind::Moved, self.old.line, &old);
        }
    }
}

/// What a line says of keys: what it is, and where its name stands.
type Name = (&'static str, Range<usize>);

const KEY: &str = "key";

fn named(kind: &LineKind) -> Option<Name> {
    match kind {
        LineKind::Marker(name) => Some(("section", name.clone())),
        LineKind::Key(parts) => Some((KEY, parts.name.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::front_matter::tests::{edit, shown};
    use super::*;
    use crate::text::edit::EditSet;
    use crate::text::lines::lines_with_ends;
    use crate::text::span::Span;

    #[track_caller]
    fn check_text(old: &str, edits: &EditSet, expected: &[&str]) {
        // Blocks of one line and of all lines.
        for blocks in [lines_with_ends(old.as_bytes()).collect(), vec![old.as_bytes()]] {
            let mut changes = IniChanges::new(0, edits.edits());
            let _ = blocks.into_iter().try_for_each(|block| changes.push(block));
            assert_eq!(shown(&changes.finish()), expected, "{edits:?}");
        }
    }

    #[track_caller]
    fn check(part: &str, new: &str, expected: &[&str]) {
        let old = "top = 0\n[db]\nhost = a\nport = 1\n\n[log]\nfile = x\n  more\n";
        check_text(old, &edit(old, part, new), expected);
    }

    #[test]
    fn keys_stay_in_their_sections() {
        check("host = a\n", "host = b\nuser = c\n", &[]);
        check("[db]", "[database]", &[]);
        check("[log]\nfile = x\n  more\n", "", &[]);
        check("port = 1\n", "port = 1\n[new]\nk = 1\n", &[]);
        check("host = a\n", "host = a\n[evil]\n", &[">4 port"]);
        check("host = a\n", "", &[]);
        check("[log]\n", "", &[">7 file"]);
        check("top = 0", "[t]\ntop = 0", &[]);
        check("host = a", "host = a \\", &["-4 port"]);
        check("\n[log]", "\n  [log]", &[]);
    }

    #[test]
    fn a_last_line_without_an_end_stays_where_lines_come_behind_it() {
        let append =
            |new: &str| EditSet::new(vec![Edit::new(Span::new(9, 9), new)]).expect("one edit");
        check_text("[a]\nb = 1", &append("\nc = 2"), &[]);
        check_text("[a]\nb = 1", &append("\r\n[c]\r\n"), &[]);
        check_text("[a]\nb = 1", &append(" \\\nc"), &[]);
        check_text("[a]\\\nb = ", &append("1\n[c]"), &[]);
    }

    #[test]
    fn several_edits_are_told_apart() {
        let old = "[a]\nk = 1\nl = 2\n[b]\nm = 3\n  n = 4\no = 5\n";
        let edits = vec![
            Edit::new(Span::new(10, 10), "[new]\n"),
            Edit::new(Span::new(20, 26), ""),
            Edit::new(Span::new(old.len() as u64, old.len() as u64), "p = 6\n"),
        ];
        let edits = EditSet::new(edits).expect("disjoint");
        check_text(old, &edits, &[">3 l", "+6 n"]);
    }
}
