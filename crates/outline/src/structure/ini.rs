//! Checks whether edits of an INI file change keys outside the edited text, or the sections
//! that contain them.

use std::ops::Range;

use super::kept::KeptLines;
use super::{Change, ChangeKind};
use folio_text::edit::EditSet;
use folio_text::ini_dialect::IniDialect;
use folio_text::lines::without_end;
use folio_text::sections::{IniParser, LineKind};
use folio_text::span::Span;

/// Returns the changes that edits cause to markers and keys outside the edited text: first the lost
/// ones, then the created ones, each ordered by line. The text of the file begins at `start`.
pub fn changes(bytes: &[u8], start: u64, edits: &EditSet, dialect: IniDialect) -> Vec<Change> {
    let (old, new) = (&bytes[start as usize..], edits.apply(bytes));
    let kept = KeptLines::of(bytes, Span::new(start, bytes.len() as u64), edits.edits());
    let mut sides = Sides {
        old: Side::new(old, dialect),
        new: Side::new(&new[start as usize..], dialect),
        found: Vec::new(),
    };
    let mut runs = kept.runs().iter().peekable();
    while let Some(run) = runs.next() {
        sides.old.skip_to(run.old);
        sides.new.skip_to(run.new);
        for _ in 0..run.count {
            if runs.peek().is_none() && sides.agree() {
                break;
            }
            sides.kept();
        }
    }
    let mut found = sides.found;
    found.sort_by_key(|change| (change.kind == ChangeKind::Created, change.line));
    found
}

/// The old and the new document, read up to the same unedited line.
struct Sides<'a> {
    old: Side<'a>,
    new: Side<'a>,
    found: Vec<Change>,
}

/// A document, read up to a line.
struct Side<'a> {
    line: u64,
    rest: &'a [u8],
    parser: IniParser,
    section: Holder,
}

/// The section that contains a key.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Holder {
    /// No section: keys before the first marker.
    #[default]
    Document,
    /// A section with an unedited marker, identified by its line in the old document.
    Kept(u64),
    /// A section whose marker was edited. It may still contain the same keys.
    Edited,
}

impl<'a> Side<'a> {
    fn new(text: &'a [u8], dialect: IniDialect) -> Self {
        Self { line: 0, rest: text, parser: IniParser::new(dialect), section: Holder::Document }
    }

    /// Reads the next line and returns it without its line ending.
    fn next(&mut self) -> &'a [u8] {
        let length = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |at| at + 1);
        let (line, rest) = self.rest.split_at(length);
        (self.line, self.rest) = (self.line + 1, rest);
        without_end(line)
    }

    /// Skips lines that are only in this document, up to the next unedited line.
    fn skip_to(&mut self, line: u64) {
        while self.line + 1 < line {
            let text = self.next();
            if let LineKind::Marker(_) = self.parser.line(text) {
                self.section = Holder::Edited;
            }
        }
    }
}

impl Sides<'_> {
    /// Whether the following unedited lines are classified in the same way in both documents.
    fn agree(&self) -> bool {
        self.old.parser == self.new.parser && self.old.section == self.new.section
    }

    /// Reads an unedited line in both documents.
    fn kept(&mut self) {
        let line = self.old.next();
        self.new.next();
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

    /// Reports a line that is classified differently in the two documents.
    fn compare(&mut self, line: &[u8], old: Option<Name>, new: Option<Name>) {
        let mut add = |kind, number, named: &Option<Name>| {
            let Some((label, name)) = named else { return };
            let text = String::from_utf8_lossy(&line[name.clone()]).into_owned().into_bytes();
            self.found.push(Change { kind, line: number, label: Some(label), text });
        };
        if old != new {
            add(ChangeKind::Lost, self.old.line, &old);
            add(ChangeKind::Created, self.new.line, &new);
        } else if old.as_ref().is_some_and(|(label, _)| *label == KEY)
            && self.old.section != self.new.section
        {
            add(ChangeKind::Moved, self.old.line, &old);
        }
    }
}

/// The kind of a line, and the range of the name in it.
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
    use folio_text::edit::Edit;

    #[track_caller]
    fn check_text(old: &str, edits: &EditSet, expected: &[&str]) {
        assert_eq!(
            shown(&changes(old.as_bytes(), 0, edits, IniDialect::default())),
            expected,
            "{edits:?}"
        );
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
    fn a_last_line_without_a_line_ending_is_kept_if_lines_follow() {
        let append =
            |new: &str| EditSet::new(vec![Edit::new(Span::new(9, 9), new)]).expect("one edit");
        check_text("[a]\nb = 1", &append("\nc = 2"), &[]);
        check_text("[a]\nb = 1", &append("\r\n[c]\r\n"), &[]);
        check_text("[a]\nb = 1", &append(" \\\nc"), &[]);
        check_text("[a]\\\nb = ", &append("1\n[c]"), &[]);
    }

    #[test]
    fn several_edits_are_distinguished() {
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
