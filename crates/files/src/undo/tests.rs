//! Tests of where an undo finds the text of a patch.

mod model;

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use folio_text::edit::{Edit, EditSet};
use folio_text::span::Span;
use model::{Chance, Model};

/// A file that is edited and undone.
struct UndoFile {
    directory: TempDir,
    path: PathBuf,
}

impl UndoFile {
    fn with(text: &str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        fs::create_dir(directory.path().join("d")).expect("made");
        let path = directory.path().join("d/a.yml");
        let place = Self { directory, path };
        place.write(text);
        place
    }

    fn write(&self, text: &str) {
        fs::write(&self.path, text).expect("written");
    }

    fn read(&self) -> String {
        fs::read_to_string(&self.path).expect("read")
    }

    fn state(&self) -> StateDirectory {
        StateDirectory::new(self.directory.path().join("state"))
    }

    /// Makes edits, and returns the number of the patch.
    fn edit(&self, edits: Vec<Edit>) -> u64 {
        let directory = self.path.parent().expect("a parent").canonicalize().expect("resolved");
        let locks = lock_directories(&[directory], &Env::default()).expect("locked");
        let file = Editable::open(&self.path, Mode::Rename, &locks).expect("opened");
        let edits = EditSet::new(edits).expect("disjoint");
        let history = Some(Draft { operation: "replace".into(), ..Draft::default() });
        let state = Some(self.state());
        let options = CommitOptions { sync: false, history, state, ..CommitOptions::default() };
        let changes = vec![FileChange::Edit { file, edits }];
        let committed = replace::commit(changes, &locks, &options, &mut |_, _| {});
        committed.expect("committed").undo.expect("recorded")
    }

    /// Replaces the only occurrence of a text. Bytes at its start and end that stay the same are
    /// not edited.
    #[track_caller]
    fn replace(&self, from: &str, to: &str) -> u64 {
        let text = self.read();
        assert_eq!(text.matches(from).count(), 1, "{from:?} in {text:?}");
        let new = text.replace(from, to);
        self.edit(EditSet::between(text.as_bytes(), new.as_bytes()).edits().to_vec())
    }

    fn reverse(&self, id: u64, direction: Direction) -> Result<u64, Error> {
        let selection = Selection { which: Which::Id(id), direction, scope: None };
        let env = Env { undo: true, ..Env::default() };
        let undone = undo(&self.state(), &selection, &env, false)?;
        Ok(undone.expect("an entry").recorded.expect("recorded"))
    }

    #[track_caller]
    fn undo(&self, id: u64) -> u64 {
        self.reverse(id, Direction::Undo).expect("undone")
    }

    #[track_caller]
    fn refuses(&self, id: u64) -> Error {
        let before = self.read();
        let error = self.reverse(id, Direction::Undo).expect_err("refused");
        assert_eq!(self.read(), before);
        error
    }
}

const ITEMS: &str = "- name: one\n  image: x\n  port: 80\n  debug: true\n  end: 1\n- name: two\n  \
                     image: x\n  port: 80\n  end: 1\n";

#[test]
fn a_deleted_line_returns_to_its_item_after_later_patches() {
    let place = UndoFile::with(ITEMS);
    let delete = place.replace("  debug: true\n", "");
    let port = place.replace("80\n  end: 1\n- name: two", "81\n  end: 1\n- name: two");
    place.undo(delete);
    assert_eq!(place.read(), ITEMS.replacen("80", "81", 1));
    place.undo(port);
    assert_eq!(place.read(), ITEMS);
}

#[test]
fn patches_are_undone_in_any_order() {
    for order in [[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 0, 1]] {
        let place = UndoFile::with("x:\n  base: 0\n");
        let patches = [1, 2, 3].map(|key| {
            let old = place.read();
            place.edit(vec![Edit::new(
                Span::new(old.len() as u64, old.len() as u64),
                format!("  k{key}: {key}\n"),
            )])
        });
        let undone = order.map(|patch| place.undo(patches[patch]));
        assert_eq!(place.read(), "x:\n  base: 0\n", "{order:?}");
        for id in undone.into_iter().rev() {
            place.reverse(id, Direction::Redo).expect("redone");
        }
        assert_eq!(place.read(), "x:\n  base: 0\n  k1: 1\n  k2: 2\n  k3: 3\n", "{order:?}");
    }
}

#[test]
fn text_that_a_later_patch_changed_is_not_undone() {
    let place = UndoFile::with("port: 12\nend: 1\n");
    let first = place.replace("12", "13");
    let second = place.replace("13", "23");
    place.refuses(first);
    place.undo(second);
    place.undo(first);
    assert_eq!(place.read(), "port: 12\nend: 1\n");
    // The later patch is next to the text, within the same value.
    let first = place.replace("12", "13");
    place.replace("13", "135");
    place.refuses(first);
}

#[test]
fn a_line_is_not_restored_next_to_lines_that_were_inserted_in_its_place() {
    let place = UndoFile::with("a\nb\nc\nd\ne\nf\n");
    let delete = place.replace("c\n", "");
    let insert = place.replace("b\n", "b\nnew\n");
    let error = place.refuses(delete);
    let lines: Vec<u64> = error.candidates.iter().map(|candidate| candidate.line).collect();
    assert_eq!(lines, [3, 4], "{error}");
    place.undo(insert);
    place.undo(delete);
    assert_eq!(place.read(), "a\nb\nc\nd\ne\nf\n");
}

#[test]
fn text_that_a_later_patch_moved_is_found() {
    let place = UndoFile::with("# A\n\none\n\n# B\n\ntwo\n\nthree\n\nfour\n\n# C\n\nlast\n");
    let first = place.replace("three", "3");
    let section = "# B\n\ntwo\n\n3\n\nfour\n\n";
    let old = place.read();
    let at = old.find(section).expect("there") as u64;
    let end = old.len() as u64;
    let cut = Edit::new(Span::new(at, at + section.len() as u64), "");
    place.edit(vec![cut, Edit::new(Span::new(end, end), section)]);
    place.undo(first);
    assert_eq!(place.read(), old.replace(section, "") + &section.replace('3', "three"));
}

#[test]
fn an_equal_place_is_not_mistaken_for_one_that_others_changed() {
    let place = UndoFile::with(ITEMS);
    let delete = place.replace("  debug: true\n", "");
    // Only the other item still matches, and it did not match at the time of the patch.
    let text = place.read();
    place.write(&text.replacen("port: 80", "port: 8", 1).replace("- name: two", "- name: one"));
    place.refuses(delete);
    // A change elsewhere does not matter.
    place.write(&format!("# items\n{text}"));
    place.undo(delete);
    assert_eq!(place.read(), format!("# items\n{ITEMS}"));
}

/// The outcomes of undos in random sequences of edits.
#[derive(Debug, Default)]
struct Tally {
    undone: usize,
    /// The number of undos whose place is clear: after changes by folio only, and by others.
    clear: [usize; 2],
    /// How many of them were refused.
    refused: [usize; 2],
    /// The number of refused undos whose place is not clear.
    unclear: usize,
    /// The number of undos in places that other programs made equal to the right ones, after
    /// they changed those.
    copies: usize,
    /// The seeds of sequences in which an undo was in the wrong place.
    wrong: Vec<u64>,
}

/// Edits a random document, in part as other programs do, and then undoes each patch in random
/// order. Some are redone.
fn check_sequence(seed: u64, tally: &mut Tally) {
    let chance = &mut Chance::new(seed);
    let mut model = Model::new(chance);
    let place = UndoFile::with(&model.text());
    let others = if chance.happens(50) { 0 } else { 25 };
    let mut patches = Vec::new();
    let mut left = 2 + chance.below_count(7);
    while left > 0 || !patches.is_empty() {
        if chance.happens(others) {
            model.change(chance);
            place.write(&model.text());
        } else if left > 0 && (patches.is_empty() || chance.happens(70)) {
            left -= 1;
            let (patch, edits) = model.patch(chance);
            if !edits.is_empty() {
                patches.push((place.edit(edits), Direction::Undo, patch));
                assert_eq!(place.read(), model.text());
            }
        } else {
            let (id, direction, patch) = patches.swap_remove(chance.below_count(patches.len()));
            let (expected, is_clear) = (model.undone_texts(&patch), model.is_clear(&patch));
            tally.clear[usize::from(others > 0)] += usize::from(is_clear);
            let Ok(new) = place.reverse(id, direction) else {
                assert_eq!(place.read(), model.text());
                tally.refused[usize::from(others > 0)] += usize::from(is_clear);
                tally.unclear += usize::from(!is_clear);
                continue;
            };
            let text = place.read();
            if !expected.contains(&text) {
                let is_copy = others > 0 && model.has_copy(&patch);
                tally.copies += usize::from(is_copy);
                if !is_copy && !model.is_exact(&patch, &text) {
                    tally.wrong.push(seed);
                }
                return;
            }
            tally.undone += 1;
            let redo = model.undo(&patch, &text);
            if chance.happens(25) {
                patches.push((new, opposite(direction), redo));
            }
        }
        patches.iter_mut().for_each(|(_, _, patch)| model.follow(patch));
    }
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Undo => Direction::Redo,
        Direction::Redo => Direction::Undo,
    }
}

#[track_caller]
fn check_sequences(seeds: std::ops::Range<u64>) {
    let mut tally = Tally::default();
    seeds.for_each(|seed| check_sequence(seed, &mut tally));
    assert!(tally.wrong.is_empty() && tally.copies * 1000 < tally.undone, "{tally:?}");
    let [refused, clear] = [tally.refused, tally.clear].map(|count| count.iter().sum::<usize>());
    assert!(refused * 20 < clear, "{tally:?}");
}

#[test]
fn no_undo_is_in_the_wrong_place() {
    check_sequences(0..80);
}

#[test]
#[ignore = "takes many minutes"]
fn no_undo_of_twenty_thousand_sequences_is_in_the_wrong_place() {
    check_sequences(0..20_000);
}
