//! Tests of recovery: it uses records without a lock, and compares bytes instead of times.

use super::*;

#[test]
fn a_file_written_in_place_is_rolled_back_even_if_its_time_is_the_old_one() {
    for (point, count) in [(Point::HalfWritten, 1), (Point::Exchanged, 1), (Point::Compared, 2)] {
        let place = TestDirectory::with(&["a.md", "b.md"]);
        let times = ["a.md", "b.md"].map(|name| {
            fs::metadata(place.path(name)).and_then(|metadata| metadata.modified()).expect("a time")
        });
        let locks = lock_directories(&[place.path("")], &Env::default()).expect("locked");
        let changes = ["a.md", "b.md"].map(|name| {
            let file = Editable::open(&place.path(name), Mode::InPlace, &locks).expect("opened");
            let same_size = EditSet::new(vec![Edit::new(Span::new(4, 7), "TWO")]);
            FileChange::Edit { file, edits: same_size.expect("disjoint") }
        });
        crash_at(point, count, || commit(changes.into(), &locks, &place.options()))
            .expect_err("crashed");
        drop(locks);
        assert!(point == Point::HalfWritten || place.read("a.md") != OLD, "{point:?}");
        // The times are equal, as if the change happened in the same second as the previous one.
        for (name, time) in ["a.md", "b.md"].into_iter().zip(times) {
            let file = fs::OpenOptions::new().write(true).open(place.path(name)).expect("opened");
            file.set_modified(time).expect("set");
        }
        let begun = place.read("a.md") != OLD;
        let ending = if begun { Ending::TakenBack } else { Ending::Nothing };
        assert_eq!(place.recover(), [ending], "{point:?}");
        assert_eq!([place.read("a.md"), place.read("b.md")], [OLD, OLD], "{point:?}");
    }
}

#[test]
fn a_journal_is_free_when_its_run_has_ended_though_programs_are_started_meanwhile() {
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..200).for_each(|_| assert!(runs("true", &[], Path::new("x")))));
        }
        for turn in 0..100 {
            let place = TestDirectory::with(&["a.md", "b.md"]);
            crash_at(Point::Planned, 1, || place.patch(&["a.md", "b.md"], &place.options()))
                .expect_err("crashed");
            assert_eq!(pending(&place.state()).expect("read").len(), 1, "{turn}");
            assert_eq!(place.recover(), [Ending::Nothing], "{turn}");
        }
    });
}

#[test]
fn files_that_others_create_next_to_a_target_have_no_effect() {
    for (directory, name) in [("d", "run.sh"), ("d", "a.md")] {
        let place = TestDirectory::with(&["d/a.md", "d/run.sh"]);
        let status = fs::metadata(place.path("d").join(name)).expect("there");
        let (inode, size) = (status.ino(), status.len());
        let time = format!("{}/{}", status.mtime(), status.mtime_nsec());
        for (number, note) in [
            format!("folio-1/-/{inode}/-/-/-/-/{name}"),
            format!("folio-1/-/0/{inode}/{size}/{time}/{name}"),
            format!("folio-1/-/7/{inode}/{size}/{time}/{name}/b.sh"),
        ]
        .into_iter()
        .enumerate()
        {
            place.write(&format!("{directory}/.folio-{number}.tmp"), "planted");
            symlink(note, place.path(&format!("d/.folio-{number}.note"))).expect("linked");
        }
        let before = place.names("d");
        place.patch(&["d/a.md"], &place.options()).expect("committed");
        place.undo(&Which::Last).expect("undone").expect("an entry");
        assert_eq!(place.recover(), []);
        assert_eq!(place.names("d"), before, "{name}");
        assert_eq!([place.read("d/a.md"), place.read("d/run.sh")], [OLD, OLD], "{name}");
    }
}

#[test]
fn a_state_directory_that_others_may_access_is_refused() {
    let place = TestDirectory::with(&["d/a.md"]);
    place.patch(&["d/a.md"], &place.options()).expect("committed");
    for mode in [0o755, 0o720, 0o701] {
        fs::set_permissions(place.path("state"), fs::Permissions::from_mode(mode)).expect("set");
        let refused = place.patch(&["d/a.md"], &place.options()).expect_err("refused");
        assert!(refused.message.to_string().contains("chmod 700"), "{refused}");
        pending(&place.state()).expect_err("refused");
    }
    assert_eq!(place.read("d/a.md"), NEW);
}

#[test]
fn changes_after_a_crash_are_kept_with_the_old_contents() {
    let names = ["d/a.md", "d/b.md", "c.md"];
    for mode in [Mode::Rename, Mode::InPlace] {
        let place = TestDirectory::with(&names);
        crash_at(Point::Exchanged, 2, || place.patch_with(&names, mode, &place.options()))
            .expect_err("crashed");
        place.write("d/a.md", "changed since\n");
        let recovered = recover(&place.state(), &Env::default()).0.remove(0).expect("recovered");
        assert_eq!(
            (recovered.ending, recovered.files),
            (Ending::InPart, vec![place.path("d/a.md")])
        );
        let messages = recovered.messages.join("\n");
        assert!(messages.contains("left unchanged; what it was before is in '"), "{messages}");
        assert_eq!(messages.matches("is as it was before").count(), 2, "{messages}");
        assert_eq!(names.map(|name| place.read(name)), ["changed since\n", OLD, OLD]);
        if mode == Mode::Rename {
            assert_eq!(place.read("d/a.md.before"), OLD);
            assert_eq!(place.names("d"), ["a.md", "a.md.before", "b.md"]);
        }
        assert_eq!(place.recover(), []);
    }
}

#[test]
fn the_old_bytes_of_a_file_that_was_moved_after_a_crash_are_kept() {
    let place = TestDirectory::with(&["d/a.md"]);
    crash_at(Point::HalfWritten, 1, || {
        place.patch_with(&["d/a.md"], Mode::InPlace, &place.options())
    })
    .expect_err("crashed");
    fs::rename(place.path("d/a.md"), place.path("d/moved.md")).expect("renamed");
    let recovered = recover(&place.state(), &Env::default()).0.remove(0).expect("recovered");
    assert_eq!((recovered.ending, recovered.files), (Ending::InPart, vec![place.path("d/a.md")]));
    let kept = recovered.messages.join("\n");
    let kept = kept.split('\'').find(|word| word.ends_with(".kept")).expect("a path");
    assert!(OLD.contains(&fs::read_to_string(kept).expect("read")), "{kept}");
    assert_eq!(place.recover(), []);
}

/// Moves a file: creates one file and removes another.
fn move_file(place: &TestDirectory) -> Result<Committed, Error> {
    let locks = lock_directories(&[place.path("d")], &Env::default())?;
    let file = Editable::open(&place.path("d/a.md"), Mode::Rename, &locks)?;
    let path = place.path("d/b.md");
    let create = FileChange::Create { path, content: OLD.into(), mode: None, like: None };
    commit(vec![create, FileChange::Remove { file }], &locks, &place.options())
}

#[test]
fn a_moved_file_is_kept_if_its_old_file_is_deleted_before_the_recovery() {
    let place = TestDirectory::with(&["d/a.md"]);
    crash_at(Point::Applied, 1, || move_file(&place)).expect_err("crashed");
    for name in place.names("d").iter().filter(|name| *name != "b.md") {
        fs::remove_file(place.path("d").join(name)).expect("removed");
    }
    assert_eq!(place.recover(), [Ending::Finished]);
    assert_eq!((place.names("d"), place.read("d/b.md")), (vec!["b.md".to_owned()], OLD.to_owned()));
    place.undo(&Which::Last).expect("undone").expect("an entry");
    assert_eq!((place.names("d"), place.read("d/a.md")), (vec!["a.md".to_owned()], OLD.to_owned()));
}

#[test]
fn a_recovery_that_is_interrupted_does_not_revert_what_it_finished() {
    let place = TestDirectory::with(&["d/a.md"]);
    crash_at(Point::Applied, 1, || move_file(&place)).expect_err("crashed");
    let journal = place.path("state/journal");
    let record = place.names("state/journal").remove(0);
    // The history is a file, so the entry cannot be added after the old files are removed.
    fs::rename(place.path("state/history"), place.path("aside")).expect("renamed");
    place.write("state/history", "");
    assert!(recover(&place.state(), &Env::default()).0.remove(0).is_err());
    assert!(journal.join(&record).exists(), "{record}");
    fs::remove_file(place.path("state/history")).expect("removed");
    fs::rename(place.path("aside"), place.path("state/history")).expect("renamed");
    assert_eq!(place.recover(), [Ending::Finished]);
    assert_eq!((place.names("d"), place.read("d/b.md")), (vec!["b.md".to_owned()], OLD.to_owned()));
}

#[test]
fn the_old_bytes_are_kept_while_the_record_is_moved_away() {
    let place = TestDirectory::with(&["d/a.md"]);
    crash_at(Point::HalfWritten, 1, || {
        place.patch_with(&["d/a.md"], Mode::InPlace, &place.options())
    })
    .expect_err("crashed");
    let files = place.names("state/journal");
    let record = files.iter().find(|name| name.ends_with(".journal")).expect("a record");
    let record = place.path("state/journal").join(record);
    fs::rename(&record, place.path("aside")).expect("renamed");
    assert_eq!(place.recover(), []);
    fs::rename(place.path("aside"), &record).expect("renamed");
    assert_eq!(place.names("state/journal"), files);
    assert_eq!(place.recover(), [Ending::TakenBack]);
    assert_eq!(place.read("d/a.md"), OLD);
    assert_eq!(place.names("state/journal"), Vec::<String>::new());
}

#[test]
fn both_files_of_another_program_are_kept_if_a_removal_is_reverted() {
    let place = TestDirectory::new();
    place.create("d/a.md").expect("created");
    let (path, other) = (place.path("d/a.md"), place.path("d/other"));
    let writes = move |point| {
        if point == Point::Compared {
            fs::write(&other, "theirs").expect("written");
            fs::rename(&other, &path).expect("renamed");
        } else if point == Point::Exchanged {
            fs::write(&path, "newer").expect("written");
        }
        Ok(())
    };
    assert_eq!(code(step_in(writes, || place.undo(&Which::Last))), Code::FileChanged);
    assert_eq!(["d/a.md", "d/a.md.before"].map(|name| place.read(name)), ["newer", "theirs"]);
    assert_eq!(place.names("d").len(), 2);
}

#[test]
fn a_commit_in_a_missing_directory_is_kept_until_the_directory_is_back() {
    for (names, point) in
        [(&["d/a.md", "c.md"][..], Point::Exchanged), (&["d/a.md"], Point::Settled)]
    {
        let place = TestDirectory::with(names);
        crash_at(point, 1, || place.patch(names, &place.options())).ok();
        let record = place.names("state/journal");
        fs::rename(place.path("d"), place.path("aside")).expect("renamed");
        assert!(recover_simple(&place.state(), &Env::default()).is_empty());
        let error = recover(&place.state(), &Env::default()).0.remove(0).expect_err("refused");
        assert_eq!(error.path, Some(place.path("d")));
        assert!(error.message.to_string().contains("the directory is missing"), "{error}");
        let hints: Vec<String> = error.hints.iter().map(ToString::to_string).collect();
        assert!(hints.join("\n").contains(&record[0]), "{hints:?}");
        assert_eq!(place.names("state/journal"), record);
        fs::rename(place.path("aside"), place.path("d")).expect("renamed");
        let is_done = point == Point::Settled;
        let (ending, text) =
            if is_done { (Ending::Finished, NEW) } else { (Ending::TakenBack, OLD) };
        assert_eq!((place.recover(), place.read("d/a.md")), (vec![ending], text.to_owned()));
        assert_eq!(place.names("d"), ["a.md"]);
    }
}

/// After a power failure, the exchange of a file may be on disk, but only its first record.
#[test]
fn the_file_of_another_program_is_kept_if_the_record_is_incomplete() {
    let place = TestDirectory::with(&["d/a.md"]);
    let (path, other) = (place.path("d/a.md"), place.path("d/other"));
    let writes = move |point| {
        if point == Point::Compared {
            fs::write(&other, "theirs").expect("written");
            fs::rename(&other, &path).expect("renamed");
            failpoints::crash_next(Point::Exchanged);
        }
        Ok(())
    };
    step_in(writes, || place.patch(&["d/a.md"], &place.options())).expect_err("crashed");
    let record = place.path("state/journal").join(place.names("state/journal").remove(0));
    let text = fs::read_to_string(&record).expect("read");
    let first: String = text.split_inclusive('\n').take(2).collect();
    fs::write(&record, first).expect("written");
    assert_eq!(place.recover(), [Ending::Nothing]);
    let names = place.names("d");
    assert_eq!(names.len(), 2, "{names:?}");
    assert_eq!(place.read(&format!("d/{}", names[0])), "theirs");
}

/// Changes a byte of the only record.
fn damage(place: &TestDirectory, part: &[u8]) {
    let file = place.names("state/journal").remove(0);
    let path = place.path("state/journal").join(file);
    let mut bytes = fs::read(&path).expect("read");
    let at = memchr::memmem::rfind(&bytes, part).expect("a part");
    bytes[at] ^= 1;
    fs::write(&path, bytes).expect("written");
}

#[test]
fn a_damaged_record_of_a_partial_commit_is_kept_and_blocks_no_other_recovery() {
    let place = TestDirectory::with(&["d/a.md", "d/b.md", "c.md"]);
    crash_at(Point::Exchanged, 1, || place.patch(&["d/a.md", "d/b.md"], &place.options()))
        .expect_err("crashed");
    damage(&place, b"\"operation\"");
    let before = (place.names("d"), place.names("state/journal"), place.read("d/a.md"));
    assert!(recover_simple(&place.state(), &Env::default()).is_empty());
    let error = recover(&place.state(), &Env::default()).0.remove(0).expect_err("refused");
    assert!(error.message.to_string().contains("is damaged") && !error.hints.is_empty(), "{error}");
    pending(&place.state()).expect_err("refused");
    assert_eq!((place.names("d"), place.names("state/journal"), place.read("d/a.md")), before);
    crash_at(Point::Exchanged, 1, || place.patch(&["c.md"], &place.options()))
        .expect_err("crashed");
    recover_simple(&place.state(), &Env::default());
    assert_eq!(place.names("state/journal"), before.1);
}
