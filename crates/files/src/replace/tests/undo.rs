//! Tests of undos that are interrupted, refused or have to wait.

use super::*;

#[test]
fn an_undo_that_was_cut_off_is_not_in_the_way() {
    for (point, is_back) in [(Point::Compared, false), (Point::Exchanged, true)] {
        let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
        place.patch(&["d/b.md"], &place.options()).expect("committed");
        place.patch(&["d/a.md"], &place.options()).expect("committed");
        crash_at(point, 1, || place.undo(&Which::Last)).expect_err("crashed");
        assert_eq!(place.read("d/a.md"), if is_back { OLD } else { NEW });
        // A preview must not change anything, so it cannot recover the interrupted undo.
        let recorded = || [place.names("state/history"), place.names("state/journal")];
        let before = recorded();
        let refused = preview(&place.state(), &Selection::default(), &Env::default());
        let refused = refused.expect_err("refused");
        assert!(refused.hints[0].line().contains("undo --recover"), "{refused}");
        assert_eq!(recorded(), before);
        let id = |which: &Which| place.undo(which).expect("undone").map(|undone| undone.entry.id);
        if !is_back {
            assert_eq!(id(&Which::Last), Some(2));
        }
        assert_eq!(id(&Which::Last), Some(1));
        assert_eq!((place.read("d/a.md"), place.read("d/b.md")), (OLD.into(), OLD.into()));
        assert_eq!(id(&Which::Last), None);
    }
}

#[test]
fn an_undo_that_was_cut_off_leaves_no_directory_that_the_patch_created() {
    for point in [Point::Exchanged, Point::Applied, Point::Settled, Point::Cleared] {
        let place = TestDirectory::new();
        fs::create_dir_all(place.path("new/below")).expect("made");
        let directories = ["new", "new/below"].map(|name| place.path(name)).to_vec();
        let options = CommitOptions { directories, ..place.options() };
        place.create_with("new/below/a.md", &options).expect("committed");
        let _ = crash_at(point, 1, || place.undo(&Which::Last));
        assert_eq!(place.recover(), [Ending::Finished], "{point:?}");
        assert!(!place.path("new").exists(), "{point:?}");
        assert!(place.names("state/journal").is_empty(), "{point:?}");
        place.reverse(&Which::Last, Direction::Redo).expect("redone").expect("an entry");
        assert_eq!(place.read("new/below/a.md"), NEW);
    }
}

#[test]
fn a_redo_that_was_cut_off_before_the_file_came_back_can_be_made_again() {
    let place = TestDirectory::new();
    place.create("d/new.md").expect("created");
    place.undo(&Which::Last).expect("undone").expect("an entry");
    let redo = || place.reverse(&Which::Last, Direction::Redo);
    crash_at(Point::Planned, 1, redo).expect_err("crashed");
    assert!(!place.path("d/new.md").exists());
    redo().expect("redone").expect("an entry");
    assert_eq!(place.names("d"), ["new.md"]);
    assert_eq!(place.read("d/new.md"), NEW);
}

#[test]
fn a_patch_that_waits_for_the_history_gives_up_and_changes_nothing() {
    let place = TestDirectory::with(&["d/a.md"]);
    place.patch(&["d/a.md"], &place.options()).expect("committed");
    let history = fs::File::open(place.path("state/history")).expect("opened");
    crate::system::lock(&history, false).expect("locked");
    let env = Env { undo: true, lock_timeout: Duration::from_millis(5), ..Env::default() };
    let undone = undo(&place.state(), &Selection::default(), &env, false);
    assert_eq!(code(undone), Code::Locked);
    assert_eq!((place.read("d/a.md").as_str(), place.names("d")), (NEW, vec!["a.md".into()]));
    drop(history);
    place.undo(&Which::Last).expect("undone").expect("an entry");
}

#[test]
fn undo_is_refused_when_something_changed() {
    let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
    place.patch(&["d/a.md", "d/b.md"], &place.options()).expect("committed");
    place.write("d/b.md", "changed since\n");
    let refused = place.undo(&Which::Last).expect_err("refused");
    assert_eq!((refused.code, refused.path), (Code::FileChanged, Some(place.path("d/b.md"))));
    assert_eq!(place.read("d/a.md"), NEW);
    // The same bytes in another file count as the same.
    place.write("d/copy", NEW);
    fs::rename(place.path("d/copy"), place.path("d/b.md")).expect("renamed");
    place.undo(&Which::Last).expect("undone").expect("an entry");
    assert_eq!((place.read("d/a.md"), place.read("d/b.md")), (OLD.into(), OLD.into()));
    assert_eq!(place.undo(&Which::Id(1)), Ok(None));
}
