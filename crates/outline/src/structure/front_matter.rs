//! Checks whether edits change the delimiters of front matter, or its keys outside the edited text.

use super::kept::KeptLines;
use super::{ChangeKind, MAX_LENGTH, StructureChange, Window, first_bytes};
use folio_markdown::front_matter::{self, FrontMatter, FrontMatterSearch};
use folio_text::lines::{lines_with_ends, without_end};

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Named<'a> {
    line: u64,
    /// The kind of element.
    label: &'static str,
    text: &'a [u8],
    /// The line of the element that contains this element.
    owner: Option<u64>,
}

/// Returns the changes that edits cause to front matter at the start of a window. Returns `None` if
/// the front matter may continue after the window.
pub(super) fn changes(window: &Window<'_>) -> Option<Vec<StructureChange>> {
    let search = |text| match front_matter::search(text, window.at_end, true) {
        FrontMatterSearch::Found(found) => Some(Some(found)),
        FrontMatterSearch::Absent(_) => Some(None),
        FrontMatterSearch::Open => None,
    };
    let text = first_bytes(&window.new, MAX_LENGTH);
    let (old, new) = (search(window.old)?, search(&text)?);
    Some(compare(&window.kept, &named_elements(window.old, &old), &named_elements(&text, &new)))
}

/// Returns the named elements of the front matter, in order.
fn named_elements<'a>(text: &'a [u8], found: &'a Option<FrontMatter>) -> Vec<Named<'a>> {
    let Some(found) = found else { return Vec::new() };
    let ends = [
        (found.lines.start(), "beginning of front matter"),
        (found.lines.end(), "end of front matter"),
    ];
    let ends = ends.map(|(line, label)| {
        let fence = lines_with_ends(text).nth(line as usize - 1).unwrap_or_default();
        Named { line, label, text: without_end(fence), owner: None }
    });
    let keys = found.keys.iter().map(|key| Named {
        line: key.lines.start(),
        label: "key",
        text: key.name.as_bytes(),
        owner: Some(found.lines.start()),
    });
    let mut named: Vec<Named<'a>> = ends.into_iter().chain(keys).collect();
    named.sort_unstable();
    named
}

/// Returns the elements on unedited lines whose name or parent changed.
fn compare(lines: &KeptLines, old: &[Named<'_>], new: &[Named<'_>]) -> Vec<StructureChange> {
    let owner_of_same =
        |all: &[Named<'_>], line: u64, element: &Named<'_>| -> Option<Option<u64>> {
            let key = (line, element.label, element.text);
            let at = all.binary_search_by_key(&key, |candidate| {
                (candidate.line, candidate.label, candidate.text)
            });
            Some(all[at.ok()?].owner)
        };
    // A parent that was itself edited may still contain the element.
    let is_kept = |old: Option<u64>, new: Option<u64>| match (old, new) {
        (None, None) => true,
        (Some(old), Some(new)) => match lines.new_of(old) {
            Some(line) => line == new,
            None => lines.old_of(new).is_none(),
        },
        _ => false,
    };
    let change = |kind, named: &Named<'_>| StructureChange {
        kind,
        line: named.line,
        label: Some(named.label),
        text: named.text.to_vec(),
    };
    let mut found = Vec::new();
    for named in old {
        let Some(line) = lines.new_of(named.line) else { continue };
        match owner_of_same(new, line, named) {
            None => found.push(change(ChangeKind::Lost, named)),
            Some(owner) if !is_kept(named.owner, owner) => {
                found.push(change(ChangeKind::Moved, named));
            }
            Some(_) => {}
        }
    }
    for named in new {
        let old_line = lines.old_of(named.line);
        if old_line.is_some_and(|line| owner_of_same(old, line, named).is_none()) {
            found.push(change(ChangeKind::Created, named));
        }
    }
    found.sort_by_key(|change| (change.kind == ChangeKind::Created, change.line));
    found
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::changes;
    use super::{ChangeKind, StructureChange};
    use crate::format::Format;
    use crate::outline::Outline;
    use folio_text::edit::{Edit, EditSet};
    use folio_text::line_index::LineIndex;
    use folio_text::span::Span;

    pub fn shown(found: &[StructureChange]) -> Vec<String> {
        let sign = |kind| match kind {
            ChangeKind::Lost => '-',
            ChangeKind::Created => '+',
            ChangeKind::Moved => '>',
        };
        let text = |change: &StructureChange| String::from_utf8_lossy(&change.text).into_owned();
        found
            .iter()
            .map(|change| format!("{}{} {}", sign(change.kind), change.line, text(change)))
            .collect()
    }

    pub fn edit(old: &str, part: &str, new: &str) -> EditSet {
        let start = old.find(part).expect("there") as u64;
        let span = Span::new(start, start + part.len() as u64);
        EditSet::new(vec![Edit::new(span, new)]).expect("one edit")
    }

    #[track_caller]
    fn check_front_matter(part: &str, new: &str, expected: &[&str]) {
        let old = "---\ntitle: Old\ntags:\n  - a\n---\n\n# Doc\n\nText\n";
        let lines = LineIndex::new(old.as_bytes(), 0);
        let outline = Outline::of(old.as_bytes(), Format::Markdown);
        let edits = edit(old, part, new);
        let found = changes(old.as_bytes(), &lines, &edits, Format::Markdown, || &outline);
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
