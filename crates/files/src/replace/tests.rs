//! Tests of commits, and of the result if a commit ends at any point.

mod interrupted;
mod undo;

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::failpoints::{Point, crash_at, step_in};
use super::*;
use crate::config::Limits;
use crate::env::Env;
use crate::error::{Code, Error, Hint};
use crate::history::{self, Draft};
use crate::journal::pending;
use crate::lock::{Locks, lock_directories};
use crate::recovery::{Ending, recover, recover_simple};
use crate::roots::Roots;
use crate::state::StateDirectory;
use crate::undo::{Direction, Selection, Undone, Which, preview, undo};
use folio_text::edit::{Edit, EditSet};
use folio_text::span::Span;

const OLD: &str = "one\ntwo\nthree\n";
const NEW: &str = "one\nTWO!\nthree\n";

struct TestDirectory {
    directory: TempDir,
}

impl TestDirectory {
    fn new() -> Self {
        let place = Self { directory: tempfile::tempdir().expect("a directory") };
        fs::create_dir(place.path("d")).expect("made");
        place
    }

    fn with(files: &[&str]) -> Self {
        let place = Self::new();
        for name in files {
            place.write(name, OLD);
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| error.kind().to_string())
    }

    fn state(&self) -> StateDirectory {
        StateDirectory::new(self.path("state"))
    }

    fn options(&self) -> CommitOptions {
        let history = Some(Draft { operation: "replace".into(), ..Draft::default() });
        CommitOptions { sync: false, history, state: Some(self.state()), ..Default::default() }
    }

    /// Returns the names in a directory, sorted.
    fn names(&self, directory: &str) -> Vec<String> {
        let items = fs::read_dir(self.path(directory)).expect("a directory");
        let mut names: Vec<String> = items
            .map(|item| item.expect("read").file_name().into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }

    /// Replaces `two` in files.
    fn patch(&self, names: &[&str], options: &CommitOptions) -> Result<Committed, Error> {
        self.patch_with(names, Mode::Rename, options)
    }

    fn patch_with(
        &self,
        names: &[&str],
        mode: Mode,
        options: &CommitOptions,
    ) -> Result<Committed, Error> {
        // Every command that writes files begins with this.
        recover_simple(&self.state(), &Env::default());
        let paths: Vec<PathBuf> = names.iter().map(|name| self.path(name)).collect();
        let directories: Vec<PathBuf> = paths
            .iter()
            .map(|path| Ok(Roots::default().resolve(path)?.parent().expect("a parent").to_owned()))
            .collect::<Result<_, Error>>()?;
        let locks = lock_directories(&directories, &Env::default())?;
        let changes = paths
            .iter()
            .map(|path| {
                let file = Editable::open(path, mode, &locks)?;
                Ok(FileChange::Edit { file, edits: edits() })
            })
            .collect::<Result<_, Error>>()?;
        commit(changes, &locks, options)
    }

    fn undo(&self, which: &Which) -> Result<Option<Undone>, Error> {
        self.reverse(which, Direction::Undo)
    }

    fn reverse(&self, which: &Which, direction: Direction) -> Result<Option<Undone>, Error> {
        recover_simple(&self.state(), &Env::default());
        let selection = Selection { which: which.clone(), direction, scope: None };
        let env = Env { undo: true, ..Env::default() };
        undo(&self.state(), &selection, &env, false)
    }

    fn create(&self, name: &str) -> Result<Committed, Error> {
        self.create_with(name, &self.options())
    }

    fn create_with(&self, name: &str, options: &CommitOptions) -> Result<Committed, Error> {
        let path = self.path(name);
        let locks = lock_directories(&[place_of_new(&path, &Roots::default())?], &Env::default())?;
        let change = FileChange::Create { path, content: NEW.into(), mode: None, like: None };
        commit(vec![change], &locks, options)
    }

    fn recover(&self) -> Vec<Ending> {
        let (recovered, _) = recover(&self.state(), &Env::default());
        recovered.into_iter().map(|result| result.expect("recovered").ending).collect()
    }
}

/// Commits without reporting progress.
fn commit(
    changes: Vec<FileChange>,
    locks: &Locks,
    options: &CommitOptions,
) -> Result<Committed, Error> {
    super::commit(changes, locks, options, &mut |_, _| {})
}

fn edits() -> EditSet {
    EditSet::new(vec![Edit::new(Span::new(4, 7), "TWO!")]).expect("disjoint")
}

#[track_caller]
fn code<T: std::fmt::Debug>(result: Result<T, Error>) -> Code {
    result.expect_err("refused").code
}

fn runs(program: &str, arguments: &[&str], path: &Path) -> bool {
    let status = Command::new(program).args(arguments).arg(path).output();
    status.is_ok_and(|output| output.status.success())
}

#[test]
fn a_file_is_replaced_and_no_other_file_remains() {
    let place = TestDirectory::with(&["d/a.md"]);
    let before = fs::metadata(place.path("d/a.md")).expect("there");
    let committed = place.patch(&["d/a.md"], &place.options()).expect("committed");
    assert_eq!(place.read("d/a.md"), NEW);
    assert_eq!(place.names("d"), ["a.md"]);
    let after = fs::metadata(place.path("d/a.md")).expect("there");
    assert_ne!(before.ino(), after.ino());
    assert_eq!((committed.undo, committed.warnings), (Some(1), Vec::new()));
    assert!(pending(&place.state()).expect("read").is_empty());
    assert_eq!(place.names("state/journal"), Vec::<String>::new());
}

#[test]
fn without_a_state_directory_edits_that_must_be_undoable_are_refused() {
    let place = TestDirectory::with(&["d/a.md"]);
    place.write("state", "a file in the way");
    let refused = place.patch(&["d/a.md"], &place.options()).expect_err("refused");
    assert!(
        refused.message.to_string().starts_with("cannot record the edit for undo"),
        "{refused}"
    );
    assert_eq!(refused.hints[0].line(), "--no-undo");
    let nowhere = CommitOptions { state: None, ..place.options() };
    assert_eq!(code(place.patch(&["d/a.md"], &nowhere)), Code::IoError);
    assert_eq!(place.read("d/a.md"), OLD);
    let forgets = CommitOptions { history: None, ..place.options() };
    assert_eq!(code(place.patch_with(&["d/a.md"], Mode::InPlace, &forgets)), Code::IoError);
    for options in [forgets, CommitOptions { sync: false, ..Default::default() }] {
        place.write("d/a.md", OLD);
        assert_eq!(place.patch(&["d/a.md"], &options).expect("committed").undo, None);
        assert_eq!(place.read("d/a.md"), NEW);
    }
}

#[test]
fn links_stay_links() {
    let place = TestDirectory::with(&["d/a.md"]);
    fs::create_dir(place.path("links")).expect("made");
    symlink("../d/a.md", place.path("links/l.md")).expect("linked");
    place.patch(&["links/l.md"], &place.options()).expect("committed");
    assert_eq!(place.read("d/a.md"), NEW);
    let link = fs::read_link(place.path("links/l.md")).expect("a link");
    assert_eq!(link, Path::new("../d/a.md"));
    assert_eq!((place.names("links").len(), place.names("d").len()), (1, 1));
    place.undo(&Which::File(place.path("links/l.md"))).expect("undone").expect("an entry");
    assert_eq!(place.read("d/a.md"), OLD);
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
#[test]
fn attributes_are_carried_over() {
    let place = TestDirectory::with(&["d/a.md"]);
    let path = place.path("d/a.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).expect("set");
    let has_owner = std::os::unix::fs::chown(&path, Some(12), Some(34)).is_ok();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).expect("set");
    let flags = rustix::fs::XattrFlags::empty();
    let has_attribute = rustix::fs::setxattr(&path, "user.folio.test", b"value", flags).is_ok();
    let has_list = runs("setfacl", &["-m", "u:7:rw"], &path);
    // The default attributes for new files in the directory must not apply to this file.
    let gives_lists = runs("setfacl", &["-d", "-m", "u:8:r"], &place.path("d"));
    let list = |path: &Path| Command::new("getfacl").args(["-cp"]).arg(path).output().ok();
    let lists = has_list.then(|| list(&path).expect("listed").stdout);
    let before = fs::metadata(&path).expect("there");
    place.patch(&["d/a.md"], &place.options()).expect("committed");
    let after = fs::metadata(&path).expect("there");
    assert_eq!(place.read("d/a.md"), NEW);
    assert_eq!(after.mode(), before.mode());
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(&path, "user.folio.test", &mut value[..]);
    assert_eq!(length.is_ok(), has_attribute);
    assert!(!has_attribute || &value[..5] == b"value");
    assert_eq!(has_list.then(|| list(&path).expect("listed").stdout), lists);
    // If the old file has no access list, the new file has none either.
    place.write("d/plain.md", OLD);
    let _ = runs("setfacl", &["-b"], &place.path("d/plain.md"));
    fs::set_permissions(place.path("d/plain.md"), fs::Permissions::from_mode(0o604)).expect("set");
    place.patch(&["d/plain.md"], &place.options()).expect("committed");
    assert_eq!(fs::metadata(place.path("d/plain.md")).expect("there").mode() & 0o7777, 0o604);
    let names = rustix::fs::listxattr(place.path("d/plain.md"), &mut [0u8; 256][..]);
    assert_eq!(names, Ok(0), "{has_owner} {gives_lists}");
}

#[test]
fn an_edit_that_would_lose_something_is_refused() {
    let place = TestDirectory::with(&["d/a.md", "d/r.md"]);
    fs::hard_link(place.path("d/a.md"), place.path("d/b.md")).expect("linked");
    fs::set_permissions(place.path("d/r.md"), fs::Permissions::from_mode(0o444)).expect("set");
    assert!(runs("mkfifo", &[], &place.path("d/pipe")));
    let options = place.options();
    let refused = place.patch(&["d/a.md"], &options).expect_err("refused");
    assert_eq!((refused.code, refused.path), (Code::HardLinked, Some(place.path("d/a.md"))));
    assert!(refused.hints[0].to_string().contains("--in-place"));
    let refused = place.patch(&["d/r.md"], &options).expect_err("refused");
    assert_eq!(refused.code, Code::ReadOnly);
    assert!(
        refused.hints[0].to_string().starts_with("chmod u+w /")
            && refused.hints[0].to_string().ends_with("/d/r.md")
    );
    let begun = Instant::now();
    assert_eq!(code(place.patch(&["d/pipe"], &options)), Code::NotRegular);
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(code(place.patch(&["d"], &options)), Code::NotAFile);
    assert_eq!(code(place.patch(&["d/none"], &options)), Code::NotFound);
    assert_eq!(place.read("d/a.md"), OLD);
    assert_eq!(place.names("d"), ["a.md", "b.md", "pipe", "r.md"]);
}

#[test]
fn backups_are_the_old_files() {
    let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
    let backup = Some(OsString::from(".bak"));
    let options = CommitOptions { backup: backup.clone(), ..place.options() };
    let time = fs::metadata(place.path("d/a.md"))
        .and_then(|metadata| metadata.modified())
        .expect("a time");
    let committed = place.patch(&["d/a.md"], &options).expect("committed");
    assert_eq!(committed.backups[0].1, place.path("d/a.md.bak"));
    assert_eq!((place.read("d/a.md").as_str(), place.read("d/a.md.bak").as_str()), (NEW, OLD));
    let backup_time =
        fs::metadata(place.path("d/a.md.bak")).and_then(|metadata| metadata.modified());
    assert_eq!(backup_time.expect("a time"), time);
    let committed = place.patch_with(&["d/b.md"], Mode::InPlace, &options).expect("committed");
    assert_eq!(committed.backups[0].1, place.path("d/b.md.bak"));
    assert_eq!((place.read("d/b.md").as_str(), place.read("d/b.md.bak").as_str()), (NEW, OLD));
    assert_eq!(place.names("d"), ["a.md", "a.md.bak", "b.md", "b.md.bak"]);
    for suffix in ["", "/x", "/../x"] {
        let options = CommitOptions { backup: Some(suffix.into()), ..place.options() };
        assert_eq!(code(place.patch(&["d/a.md"], &options)), Code::InvalidArgument, "{suffix}");
    }
}

#[test]
fn a_backup_never_replaces_another_file() {
    for mode in [Mode::Rename, Mode::InPlace] {
        let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
        let options = CommitOptions { backup: Some(".bak".into()), ..place.options() };
        place.write("d/a.md.bak", "theirs");
        fs::create_dir(place.path("d/a.md.bak.1")).expect("made");
        let committed = place.patch_with(&["d/a.md"], mode, &options).expect("committed");
        let name = "d/a.md.bak.2";
        assert_eq!(committed.backups[0].1, place.path(name));
        assert!(committed.warnings[0].ends_with(&format!("'{}'", &name[2..])));
        assert_eq!([place.read("d/a.md.bak").as_str(), &place.read(name)], ["theirs", OLD]);
        // Another program uses the name at the last moment, or changes the file itself.
        for existing in ["d/b.md.bak", "d/b.md"].map(|name| place.path(name)) {
            let names = place.names("d");
            let writes = move |point| {
                if point == Point::Planned {
                    fs::write(&existing, "theirs and longer").expect("written");
                }
                Ok(())
            };
            step_in(writes, || place.patch_with(&["d/b.md"], mode, &options)).expect_err("refused");
            let is_theirs = |name: &String| name == "b.md.bak" && !names.contains(name);
            let now: Vec<_> =
                place.names("d").into_iter().filter(|name| !is_theirs(name)).collect();
            assert_eq!(now, names);
            let _ = fs::remove_file(place.path("d/b.md.bak"));
        }
    }
}

#[test]
fn a_backup_of_an_interrupted_commit_is_removed() {
    for (point, count) in [(Point::Staged, 2), (Point::Planned, 1), (Point::Exchanged, 1)] {
        let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
        let options = CommitOptions { backup: Some(".bak".into()), ..place.options() };
        crash_at(point, count, || place.patch(&["d/a.md"], &options)).expect_err("crashed");
        place.patch(&["d/b.md"], &place.options()).expect("committed");
        assert_eq!(place.names("d"), ["a.md", "b.md"], "{point:?}");
        assert_eq!(place.read("d/a.md"), OLD, "{point:?}");
    }
}

/// Edits two files in place, while another program appends to the first one. Then the second edit
/// fails, or the process ends.
#[track_caller]
fn check_appended(edits: &EditSet, at: Point, crashes: bool) {
    let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
    let (a, b) = (place.path("d/a.md"), place.path("d/b.md"));
    let locks = lock_directories(&[place.path("d")], &Env::default()).expect("locked");
    let changes = [&a, &b].map(|path| {
        let file = Editable::open(path, Mode::InPlace, &locks).expect("opened");
        FileChange::Edit { file, edits: edits.clone() }
    });
    let mut is_done = false;
    let writes = move |point| {
        if point == at && !is_done {
            is_done = true;
            let mut file = fs::OpenOptions::new().append(true).open(&a).expect("opened");
            std::io::Write::write_all(&mut file, b"appended\n").expect("written");
            if !crashes {
                fs::write(&b, "theirs").expect("written");
            }
        }
        Ok(())
    };
    let failed = step_in(writes, || {
        if crashes {
            failpoints::crash_next(at);
        }
        commit(changes.into(), &locks, &place.options())
    });
    let error = failed.expect_err("failed");
    let messages = if crashes {
        drop(locks);
        let (recovered, _) = recover(&place.state(), &Env::default());
        let recovered = recovered.into_iter().next().expect("one").expect("recovered");
        assert_eq!(recovered.ending, Ending::TakenBack);
        recovered.messages
    } else {
        error.hints.iter().map(Hint::to_string).collect()
    };
    assert_eq!(place.read("d/a.md"), format!("{OLD}appended\n"));
    assert!(messages.iter().any(|message| message.contains("appended 9 bytes")), "{messages:?}");
    assert_eq!(place.names("state/journal"), Vec::<String>::new());
}

#[test]
fn appended_text_of_another_program_is_kept_when_a_change_in_place_is_reverted() {
    for content in ["TWO!", "TWO", "T", ""] {
        let edit = Edit::new(Span::new(4, 7), content);
        let edits = EditSet::new(vec![edit]).expect("disjoint");
        for crashes in [false, true] {
            check_appended(&edits, Point::Exchanged, crashes);
        }
        if content.len() < 3 {
            check_appended(&edits, Point::HalfWritten, false);
        }
    }
}

#[test]
fn writes_of_another_program_in_place_are_kept_and_so_are_the_old_bytes() {
    let names = ["d/a.md", "d/b.md"];
    let place = TestDirectory::with(&names);
    let paths = names.map(|name| place.path(name));
    let writes = move |point| {
        if point == Point::Exchanged {
            fs::write(&paths[0], "other bytes").expect("written");
            fs::write(&paths[1], "theirs").expect("written");
        }
        Ok(())
    };
    let failed = step_in(writes, || place.patch_with(&names, Mode::InPlace, &place.options()));
    let error = failed.expect_err("failed");
    assert_eq!(names.map(|name| place.read(name)), ["other bytes", "theirs"]);
    let mut hints = error.hints.iter().map(Hint::to_string);
    let hint = hints.find(|hint| hint.contains("left unchanged")).expect("a hint");
    let kept = hint.rsplit('\'').nth(1).expect("a path");
    assert_eq!(fs::read_to_string(kept).expect("kept"), &OLD[4..]);
}

#[test]
fn an_edit_in_place_keeps_the_inode() {
    let place = TestDirectory::with(&["d/a.md"]);
    fs::hard_link(place.path("d/a.md"), place.path("d/b.md")).expect("linked");
    let inode = fs::metadata(place.path("d/a.md")).expect("there").ino();
    let options = place.options();
    place.patch_with(&["d/a.md"], Mode::InPlace, &options).expect("committed");
    assert_eq!((place.read("d/a.md"), place.read("d/b.md")), (NEW.into(), NEW.into()));
    assert_eq!(fs::metadata(place.path("d/a.md")).expect("there").ino(), inode);
    assert_eq!(place.names("state/journal"), Vec::<String>::new());
    let undone = place.undo(&Which::Last).expect("undone").expect("an entry");
    assert_eq!(
        (undone.entry.id, undone.entry.files[0].as_path()),
        (1, place.path("d/a.md").as_path())
    );
    assert_eq!((place.read("d/a.md"), place.read("d/b.md")), (OLD.into(), OLD.into()));
    assert_eq!(fs::metadata(place.path("d/a.md")).expect("there").ino(), inode);
}

#[test]
fn another_programs_write_is_put_back() {
    for in_place in [false, true] {
        let place = TestDirectory::with(&["d/a.md"]);
        let path = place.path("d/a.md");
        let other = place.path("d/other");
        let writes = move |point| {
            if point == Point::Compared && in_place {
                fs::write(&path, "theirs, in the old file").expect("written");
            } else if point == Point::Compared {
                fs::write(&other, "theirs").expect("written");
                fs::rename(&other, &path).expect("renamed");
            }
            Ok(())
        };
        let result = step_in(writes, || place.patch(&["d/a.md"], &place.options()));
        assert_eq!(code(result), Code::FileChanged);
        assert!(place.read("d/a.md").starts_with("theirs"), "{}", place.read("d/a.md"));
        assert_eq!(place.names("d"), ["a.md"]);
        assert!(
            history::list(&place.state()).expect("read").0.is_empty()
                && pending(&place.state()).expect("read").is_empty()
        );
    }
}

#[test]
fn the_newer_of_two_writes_of_another_program_is_kept() {
    let place = TestDirectory::with(&["d/a.md"]);
    let write = {
        let (path, other) = (place.path("d/a.md"), place.path("d/other"));
        move |text: &str| {
            fs::write(&other, text).expect("written");
            fs::rename(&other, &path).expect("renamed");
        }
    };
    let writes = move |point| {
        match point {
            Point::Compared => write("theirs, first"),
            Point::Exchanged => write("theirs, second"),
            _ => {}
        }
        Ok(())
    };
    let result = step_in(writes, || place.patch(&["d/a.md"], &place.options()));
    assert_eq!(code(result), Code::FileChanged);
    assert_eq!(place.read("d/a.md"), "theirs, second");
    assert_eq!(place.names("d"), ["a.md"]);
}

#[test]
fn a_file_that_changed_since_it_was_read_is_not_replaced() {
    let place = TestDirectory::with(&["d/a.md"]);
    let locks = lock_directories(&[place.path("d")], &Env::default()).expect("locked");
    let open = || Editable::open(&place.path("d/a.md"), Mode::Rename, &locks).expect("opened");
    let commit_of =
        |file| commit(vec![FileChange::Edit { file, edits: edits() }], &locks, &place.options());
    let file = open();
    place.write("d/a.md", "longer than it was before\n");
    assert_eq!(code(commit_of(file)), Code::FileChanged);
    let file = open();
    place.write("d/a.md", "x");
    assert_eq!(code(commit_of(file)), Code::FileChanged);
    place.write("d/a.md", OLD);
    let file = open();
    fs::set_permissions(place.path("d/a.md"), fs::Permissions::from_mode(0o600)).expect("set");
    assert_eq!(code(commit_of(file)), Code::FileChanged);
    let file = open();
    fs::remove_file(place.path("d/a.md")).expect("removed");
    assert_eq!(code(commit_of(file)), Code::FileChanged);
    assert_eq!(place.names("d"), Vec::<String>::new());
}

#[test]
fn several_changes_are_one() {
    let names = ["d/a.md", "d/b.md", "c.md"];
    let place = TestDirectory::with(&names);
    let committed = place.patch(&names, &place.options()).expect("committed");
    assert_eq!((committed.files, committed.undo), (3, Some(1)));
    assert!(names.iter().all(|name| place.read(name) == NEW));
    assert_eq!(place.names("d"), ["a.md", "b.md"]);
    place.undo(&Which::Last).expect("undone").expect("an entry");
    assert!(names.iter().all(|name| place.read(name) == OLD));
    assert_eq!(place.undo(&Which::Last), Ok(None));
}

#[test]
fn a_commit_that_is_cancelled_at_any_step_is_complete_or_absent() {
    for point in [Point::Staged, Point::Planned, Point::Compared, Point::Exchanged, Point::Applied]
    {
        let place = TestDirectory::with(&["d/a.md"]);
        let env = Env::default();
        let cancel = env.cancel.clone();
        let cancels = move |at| {
            if at == point {
                cancel.set();
            }
            Ok(())
        };
        let locks = lock_directories(&[place.path("d")], &env).expect("locked");
        let file = Editable::open(&place.path("d/a.md"), Mode::Rename, &locks).expect("opened");
        let changes = vec![FileChange::Edit { file, edits: edits() }];
        let committed = step_in(cancels, || commit(changes, &locks, &place.options()));
        assert!(env.cancel.is_set());
        // The file is exchanged only if the request has not been seen before.
        let (expected, text) = match point {
            Point::Staged | Point::Planned => (Err(Code::Cancelled), OLD),
            _ => (Ok(Some(1)), NEW),
        };
        let committed = committed.map(|committed| committed.undo).map_err(|error| error.code);
        assert_eq!((committed, place.read("d/a.md").as_str()), (expected, text), "{point:?}");
        assert_eq!(place.names("d"), ["a.md"]);
    }
}

#[test]
fn if_one_change_fails_all_are_reverted() {
    for mode in [Mode::Rename, Mode::InPlace] {
        let names = ["d/a.md", "d/b.md", "c.md"];
        let place = TestDirectory::with(&names);
        let seen = Rc::new(RefCell::new(0));
        let path = place.path("d/b.md");
        let writes = move |point| {
            *seen.borrow_mut() += usize::from(point == Point::Compared);
            if point == Point::Compared && *seen.borrow() == 1 {
                fs::write(&path, "theirs and longer").expect("written");
            }
            Ok(())
        };
        let result = step_in(writes, || place.patch_with(&names, mode, &place.options()));
        let error = result.expect_err("refused");
        assert_eq!((error.code, error.path), (Code::FileChanged, Some(place.path("d/b.md"))));
        let read = names.map(|name| place.read(name));
        assert_eq!(read, [OLD, "theirs and longer", OLD], "{mode:?}");
        assert_eq!(place.names("d"), ["a.md", "b.md"]);
        assert!(
            history::list(&place.state()).expect("read").0.is_empty()
                && pending(&place.state()).expect("read").is_empty()
        );
        assert_eq!(place.names("state/journal"), Vec::<String>::new());
    }
}

#[test]
fn a_partial_rollback_keeps_its_record_and_numbers_are_unique() {
    let names = ["d/a.md", "d/b.md"];
    let place = TestDirectory::with(&names);
    let (directory, aside) = (place.path("d"), place.path("aside"));
    let old = Rc::new(RefCell::new(PathBuf::new()));
    let (to, from) = (aside.clone(), old.clone());
    let cannot_go_back = move |point| match point {
        Point::Applied => {
            let items = fs::read_dir(&directory).expect("read").map(|item| item.expect("an item"));
            let is_ours = |name: OsString| name.to_string_lossy().starts_with(".folio-");
            let temporary = items.map(|item| item.path());
            *from.borrow_mut() = temporary
                .into_iter()
                .find(|path| is_ours(path.file_name().expect("a name").to_owned()))
                .expect("a temporary file");
            fs::rename(&*from.borrow(), &to).expect("renamed");
            Err(Error::new(Code::IoError, "trouble"))
        }
        _ => Ok(()),
    };
    let result = step_in(cannot_go_back, || place.patch(&names, &place.options()));
    assert_eq!(code(result), Code::IoError);
    let ids = || {
        let entries = history::list(&place.state()).expect("read").0;
        entries.iter().map(|entry| entry.id).collect::<Vec<_>>()
    };
    assert_eq!((ids(), pending(&place.state()).expect("read").len()), (vec![], 1));
    place.write("next.md", OLD);
    let next = place.patch(&["next.md"], &place.options()).expect("committed");
    assert_eq!(next.undo, Some(2));
    fs::rename(&aside, &*old.borrow()).expect("renamed");
    assert_eq!(place.recover(), [Ending::TakenBack]);
    assert_eq!(ids(), [2]);
    // A reverted commit leaves no record, and its number is not used again.
    let fails = |point| match point {
        Point::Applied => Err(Error::new(Code::IoError, "trouble")),
        _ => Ok(()),
    };
    let result = step_in(fails, || place.patch(&names, &place.options()));
    assert_eq!((code(result), ids()), (Code::IoError, vec![2]));
    assert_eq!(place.patch(&["d/a.md"], &place.options()).expect("committed").undo, Some(4));
}

#[test]
fn new_files_are_complete_and_an_undo_deletes_them() {
    let place = TestDirectory::new();
    let refused = place.create("d/x/new.md").expect_err("refused");
    assert_eq!(refused.code, Code::NotFound);
    assert!(refused.hints[0].to_string().starts_with("mkdir -p "));
    place.create("d/new.md").expect("created");
    assert_eq!(place.read("d/new.md"), NEW);
    assert_eq!(place.names("d"), ["new.md"]);
    assert_eq!(code(place.create("d/new.md")), Code::InvalidArgument);
    assert_eq!(place.read("d/new.md"), NEW);
    let undone = place.undo(&Which::Last).expect("undone").expect("an entry");
    assert!(undone.entry.record.files[0].before.is_none());
    assert_eq!(place.names("d"), Vec::<String>::new());
    place.create("d/new.md").expect("created");
    place.write("d/new.md", "changed since");
    assert_eq!(code(place.undo(&Which::Last)), Code::FileChanged);
    assert_eq!(place.read("d/new.md"), "changed since");
}

#[test]
fn entries_that_are_too_large_are_not_kept() {
    let place = TestDirectory::new();
    let large = "x".repeat((1 << 20) + 1);
    place.write("d/a.md", &large);
    let limits = Limits { max_undo_mib: 1, ..Limits::default() };
    let env = Env { limits, ..Env::default() };
    let locks = lock_directories(&[place.path("d")], &env).expect("locked");
    let file = Editable::open(&place.path("d/a.md"), Mode::Rename, &locks).expect("opened");
    let edits = EditSet::new(vec![Edit::new(Span::new(0, large.len() as u64), "y")]);
    let change = FileChange::Edit { file, edits: edits.expect("disjoint") };
    let refused = commit(vec![change], &locks, &place.options()).expect_err("refused");
    assert!(
        refused.message.to_string().ends_with("2 MiB would be kept, more than the limit of 1 MiB")
    );
    assert_eq!(refused.hints[1].line(), "--no-undo");
    assert!(place.read("d/a.md") == large);
    assert_eq!(place.names("d"), ["a.md"]);
}

#[test]
fn an_undone_patch_can_be_redone_until_the_next_patch() {
    let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
    place.create("d/c.md").expect("committed");
    place.patch(&["d/a.md", "d/b.md"], &place.options()).expect("committed");
    let texts = || ["d/a.md", "d/b.md", "d/c.md"].map(|name| place.read(name));
    let new = texts();
    let id = |direction| {
        place.reverse(&Which::Last, direction).expect("done").map(|undone| undone.entry.id)
    };
    for turn in 0..3 {
        assert!(id(Direction::Undo).is_some() && id(Direction::Undo).is_some());
        assert_eq!(texts(), [OLD, OLD, "entity not found"], "{turn}");
        assert_eq!(id(Direction::Undo), None);
        assert!(id(Direction::Redo).is_some() && id(Direction::Redo).is_some());
        assert_eq!(texts(), new, "{turn}");
        assert_eq!(id(Direction::Redo), None);
    }
    id(Direction::Undo).expect("undone");
    place.patch(&["d/b.md"], &place.options()).expect("committed");
    assert_eq!(id(Direction::Redo), None);
    // The patch in between can be undone and redone, but not the patches before it.
    id(Direction::Undo).expect("undone");
    id(Direction::Redo).expect("redone");
    assert_eq!(id(Direction::Redo), None);
}

#[test]
fn a_removed_file_comes_back_with_its_mode() {
    let place = TestDirectory::new();
    place.create("d/a.md").expect("committed");
    fs::set_permissions(place.path("d/a.md"), fs::Permissions::from_mode(0o600)).expect("set");
    place.undo(&Which::Last).expect("undone").expect("an entry");
    place.reverse(&Which::Last, Direction::Redo).expect("redone").expect("an entry");
    let mode = fs::metadata(place.path("d/a.md")).expect("there").mode() & 0o7777;
    assert_eq!((place.read("d/a.md").as_str(), mode), (NEW, 0o600));
}

#[test]
fn a_crash_of_one_change_leaves_the_old_file_or_the_new_one() {
    let points = [Point::Staged, Point::Planned, Point::Compared, Point::Exchanged];
    for point in points {
        for by_recovery in [false, true] {
            let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
            let options = place.options();
            crash_at(point, 1, || place.patch(&["d/a.md"], &options)).expect_err("crashed");
            let is_new = point == Point::Exchanged;
            assert_eq!(place.read("d/a.md"), if is_new { NEW } else { OLD }, "{point:?}");
            assert_eq!(pending(&place.state()).expect("read").len(), 1, "{point:?}");
            if by_recovery {
                let ending = if is_new { Ending::Finished } else { Ending::Nothing };
                assert_eq!(place.recover(), [ending], "{point:?}");
                assert!(pending(&place.state()).expect("read").is_empty());
            } else {
                // The next run in the directory cleans up, even if it edits another file.
                place.patch(&["d/b.md"], &options).expect("committed");
                place.undo(&Which::Last).expect("undone").expect("an entry");
            }
            assert_eq!(place.names("d"), ["a.md", "b.md"], "{point:?} {by_recovery}");
            assert_eq!(place.read("d/a.md"), if is_new { NEW } else { OLD });
            let undone = place.undo(&Which::Last).expect("undone").is_some();
            assert_eq!((undone, place.read("d/a.md").as_str()), (is_new, OLD), "{point:?}");
        }
    }
}

#[test]
fn a_crash_does_not_lose_what_another_program_wrote() {
    let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
    let (path, other) = (place.path("d/a.md"), place.path("d/other"));
    let write_then_crash = move |point| match point {
        Point::Compared => {
            fs::write(&other, "theirs").expect("written");
            fs::rename(&other, &path).expect("renamed");
            Ok(())
        }
        _ => Ok(()),
    };
    // The run ends between the exchange and the second comparison.
    let result = step_in(write_then_crash, || {
        failpoints::crash_next(Point::Exchanged);
        place.patch(&["d/a.md"], &place.options())
    });
    result.expect_err("crashed");
    assert_eq!(place.read("d/a.md"), NEW);
    place.patch(&["d/b.md"], &place.options()).expect("committed");
    assert_eq!(place.read("d/a.md"), "theirs");
    assert_eq!(place.names("d"), ["a.md", "b.md"]);
}

#[test]
fn a_crash_between_several_changes_is_rolled_back() {
    let names = ["d/a.md", "d/b.md", "c.md"];
    for mode in [Mode::Rename, Mode::InPlace] {
        for (point, count) in [
            (Point::Staged, 2),
            (Point::Planned, 1),
            (Point::Compared, 1),
            (Point::Exchanged, 1),
            (Point::Compared, 2),
            (Point::Exchanged, 2),
            (Point::HalfWritten, 2),
            (Point::Compared, 3),
        ] {
            if mode == Mode::Rename && point == Point::HalfWritten {
                continue;
            }
            let place = TestDirectory::with(&names);
            crash_at(point, count, || place.patch_with(&names, mode, &place.options()))
                .expect_err("crashed");
            let case = format!("{mode:?} {point:?} {count}");
            assert_eq!(pending(&place.state()).expect("read").len(), 1, "{case}");
            let changed = names.iter().any(|name| place.read(name) != OLD);
            let ending = if changed { Ending::TakenBack } else { Ending::Nothing };
            assert_eq!(place.recover(), [ending], "{case}");
            assert!(names.iter().all(|name| place.read(name) == OLD), "{case}");
            assert_eq!(place.names("d"), ["a.md", "b.md"], "{case}");
            assert_eq!(place.names("state/journal"), Vec::<String>::new(), "{case}");
            assert_eq!(place.undo(&Which::Last), Ok(None), "{case}");
        }
    }
}

#[test]
fn a_crash_after_the_last_change_is_finished() {
    let names = ["d/a.md", "d/b.md", "c.md"];
    for (point, by_recovery) in
        [(Point::Exchanged, true), (Point::Settled, true), (Point::Settled, false)]
    {
        let place = TestDirectory::with(&names);
        let count = if point == Point::Exchanged { 3 } else { 1 };
        let _ = crash_at(point, count, || place.patch(&names, &place.options()));
        if by_recovery {
            assert_eq!(place.recover(), [Ending::Finished]);
        } else {
            place.write("d/e.md", OLD);
            place.write("e.md", OLD);
            place.patch(&["d/e.md", "e.md"], &place.options()).expect("committed");
            place.undo(&Which::Last).expect("undone").expect("an entry");
            fs::remove_file(place.path("d/e.md")).expect("removed");
            assert_eq!(place.recover(), []);
        }
        assert!(names.iter().all(|name| place.read(name) == NEW));
        assert_eq!(place.names("d"), ["a.md", "b.md"]);
        place.undo(&Which::Last).expect("undone").expect("an entry");
        assert!(names.iter().all(|name| place.read(name) == OLD));
    }
}

#[test]
fn files_hidden_by_a_link_are_not_forgotten() {
    let place = TestDirectory::new();
    for name in ["a", "b"] {
        fs::create_dir(place.path(name)).expect("made");
    }
    place.write("a/f.md", OLD);
    place.write("b/g.md", OLD);
    crash_at(Point::Exchanged, 1, || place.patch(&["a/f.md", "b/g.md"], &place.options()))
        .expect_err("crashed");
    fs::create_dir(place.path("elsewhere")).expect("made");
    fs::rename(place.path("a"), place.path("a.kept")).expect("renamed");
    symlink("elsewhere", place.path("a")).expect("linked");
    for _ in 0..2 {
        let (recovered, _) = recover(&place.state(), &Env::default());
        let codes: Vec<_> =
            recovered.into_iter().map(|result| result.err().map(|error| error.code)).collect();
        assert_eq!(codes, [Some(Code::FileChanged)]);
    }
    fs::remove_file(place.path("a")).expect("removed");
    fs::rename(place.path("a.kept"), place.path("a")).expect("renamed");
    assert_eq!(place.recover(), [Ending::TakenBack]);
    assert_eq!([place.read("a/f.md"), place.read("b/g.md")], [OLD, OLD]);
}

#[test]
fn a_transaction_that_was_interrupted_is_not_cleaned_away() {
    let names = ["d/a.md", "d/b.md"];
    let place = TestDirectory::with(&["d/a.md", "d/b.md", "d/c.md"]);
    crash_at(Point::Exchanged, 1, || place.patch(&names, &place.options())).expect_err("crashed");
    place.patch(&["d/c.md"], &place.options()).expect("committed");
    assert_eq!(place.recover(), [Ending::TakenBack]);
    assert_eq!(["d/a.md", "d/b.md", "d/c.md"].map(|name| place.read(name)), [OLD, OLD, NEW]);
    assert_eq!(place.names("d"), ["a.md", "b.md", "c.md"]);
}

#[test]
fn threads_commit_into_one_directory_that_cannot_be_locked() {
    let place = TestDirectory::new();
    let names: Vec<String> = (0..80).map(|number| format!("d/{number}.md")).collect();
    names.iter().for_each(|name| place.write(name, OLD));
    std::thread::scope(|scope| {
        for part in names.chunks(20) {
            scope.spawn(|| {
                let locks = Locks::without_locking(&place.path("d")).expect("opened");
                for (index, name) in part.iter().enumerate() {
                    let path = place.path(name);
                    let file = Editable::open(&path, Mode::Rename, &locks).expect("opened");
                    let change = FileChange::Edit { file, edits: edits() };
                    let backup = (index % 2 == 0).then(|| OsString::from(".bak"));
                    let options = CommitOptions { backup, ..place.options() };
                    let committed = commit(vec![change], &locks, &options).expect("committed");
                    assert_eq!(committed.warnings, Vec::<String>::new());
                }
            });
        }
    });
    assert!(names.iter().all(|name| place.read(name) == NEW));
    assert_eq!(place.names("d").len(), names.len() * 3 / 2);
}

#[test]
fn many_files_are_one_change() {
    let place = TestDirectory::new();
    let names: Vec<String> = (0..1500).map(|number| format!("d/{number}.md")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.iter().for_each(|name| place.write(name, OLD));
    place.patch(&names, &place.options()).expect("committed");
    assert!(names.iter().all(|name| place.read(name) == NEW));
    assert_eq!(place.names("d").len(), names.len());
    place.undo(&Which::Last).expect("undone").expect("an entry");
    assert!(names.iter().all(|name| place.read(name) == OLD));
}

#[test]
fn a_file_with_names_in_two_directories_has_one_writer() {
    let place = TestDirectory::with(&["d/a.md"]);
    fs::hard_link(place.path("d/a.md"), place.path("b.md")).expect("linked");
    let locks = lock_directories(&[place.path("d")], &Env::default()).expect("locked");
    let first = Editable::open(&place.path("d/a.md"), Mode::InPlace, &locks).expect("opened");
    let name = place.path("b.md");
    let state = place.state();
    let second = std::thread::spawn(move || {
        let locks = lock_directories(&[name.parent().expect("a parent").into()], &Env::default());
        let locks = locks.expect("locked");
        let file = Editable::open(&name, Mode::InPlace, &locks).expect("opened");
        let edits = EditSet::new(vec![Edit::new(Span::new(0, 0), "zero\n")]).expect("disjoint");
        let options = CommitOptions { sync: false, state: Some(state), ..Default::default() };
        commit(vec![FileChange::Edit { file, edits }], &locks, &options).expect("committed");
    });
    std::thread::sleep(Duration::from_millis(50));
    let change = FileChange::Edit { file: first, edits: edits() };
    commit(vec![change], &locks, &place.options()).expect("committed");
    drop(locks);
    second.join().expect("ended");
    assert_eq!(place.read("d/a.md"), format!("zero\n{NEW}"));
}

#[test]
fn undo_finds_its_entry_and_names_a_later_one() {
    let place = TestDirectory::with(&["d/a.md", "d/b.md"]);
    for name in ["d/a.md", "d/b.md", "d/a.md"] {
        place.patch(&[name], &place.options()).expect("committed");
    }
    let refused = place.undo(&Which::Id(1)).expect_err("refused");
    assert_eq!(refused.code, Code::FileChanged);
    assert!(refused.hints[0].to_string().starts_with("folio undo 3"), "{:?}", refused.hints);
    let id = |which: Which| place.undo(&which).expect("undone").map(|undone| undone.entry.id);
    assert_eq!(id(Which::File(place.path("d/b.md"))), Some(2));
    assert_eq!(id(Which::Last), Some(3));
    assert_eq!(id(Which::Id(1)), Some(1));
    assert_eq!(id(Which::Last), None);
    assert_eq!((place.read("d/a.md"), place.read("d/b.md")), (OLD.into(), OLD.into()));
}
