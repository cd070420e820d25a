//! Resolves paths below a directory and never leaves it, even if other programs change the tree at
//! the same time. Uses one system call if possible (`openat2` with `RESOLVE_BENEATH`). Otherwise,
//! resolves the path name by name, each relative to the handle of its directory. This method also
//! finds out which symlink points outside.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;

use crate::system::{self, Status};

/// Maximum number of symlinks in the resolution of a path, as in Linux.
const MAX_LINKS: usize = 40;
/// Maximum number of attempts to resolve a path that other programs change at the same time.
const MAX_TRIES: usize = 128;

/// The reason why a path cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// An error of the system.
    System(Errno),
    /// The names in the path itself lead out of the directory.
    Outside {
        /// The path relative to the parent of the directory.
        rest: PathBuf,
    },
    /// A symlink points outside the directory, or is absolute.
    Escape {
        /// The path of the symlink, relative to the directory.
        link: PathBuf,
        /// The text of the symlink.
        text: PathBuf,
    },
}

impl From<Errno> for Failure {
    fn from(error: Errno) -> Self {
        Self::System(error)
    }
}

/// Opens the file that a path below a directory refers to. The flags determine whether symlinks are
/// followed.
pub(super) fn open(root: &OwnedFd, path: &Path, flags: OFlags) -> Result<OwnedFd, Failure> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match open_in_one_call(root, path, flags | OFlags::CLOEXEC) {
        Some(opened) => opened.map_err(Failure::System),
        None => open_by_names(root, path, flags),
    }
}

/// Resolves a path with one system call. Returns `None` if the system does not support the call, or
/// if it reports that the path points outside, which needs a more precise error.
#[cfg(target_os = "linux")]
fn open_in_one_call(root: &OwnedFd, path: &Path, flags: OFlags) -> Option<Result<OwnedFd, Errno>> {
    use rustix::fs::{Mode, ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..MAX_TRIES {
        let open = || openat2(root, path, flags, Mode::empty(), resolve);
        let opened = system::with_more_handles(open);
        match opened {
            // Another program renamed a directory during the call.
            Err(Errno::AGAIN) => {}
            Err(Errno::XDEV | Errno::LOOP | Errno::NOSYS | Errno::PERM) => return None,
            opened => return Some(opened),
        }
    }
    None
}

#[cfg(not(target_os = "linux"))]
fn open_in_one_call(_: &OwnedFd, _: &Path, _: OFlags) -> Option<Result<OwnedFd, Errno>> {
    None
}

fn open_by_names(root: &OwnedFd, path: &Path, flags: OFlags) -> Result<OwnedFd, Failure> {
    let follows = !flags.contains(OFlags::NOFOLLOW);
    let mut tries = 0;
    loop {
        let place = follow(root, path, follows)?;
        let name = place.name.as_deref().unwrap_or(OsStr::new("."));
        let directory = place.directory(root);
        match system::open_at(directory, name, flags | OFlags::NOFOLLOW) {
            // The name was not a symlink before.
            Err(Errno::LOOP) if follows && tries < MAX_TRIES => tries += 1,
            opened => return Ok(opened?),
        }
    }
}

/// The result of resolving a path: a name in an open directory.
#[derive(Debug)]
pub(super) struct ResolvedName {
    handles: Vec<OwnedFd>,
    names: Vec<OsString>,
    /// The last name. `None` for the directory itself.
    name: Option<OsString>,
}

impl ResolvedName {
    fn directory<'a>(&'a self, root: &'a OwnedFd) -> BorrowedFd<'a> {
        self.handles.last().unwrap_or(root).as_fd()
    }

    pub(super) fn status(&self, root: &OwnedFd) -> Result<Status, Errno> {
        match &self.name {
            None => system::status_of(self.directory(root)),
            Some(name) => system::status_at(self.directory(root), name),
        }
    }

    /// Returns the path relative to the root, without symlinks.
    pub(super) fn path(&self) -> PathBuf {
        self.names.iter().chain(&self.name).collect()
    }
}

/// A name that remains to be resolved.
struct Step {
    name: OsString,
    /// The index of the symlink that contains this name.
    link: Option<usize>,
}

/// Resolves a path name by name. The file with the last name need not exist.
pub(super) fn follow(root: &OwnedFd, path: &Path, follows: bool) -> Result<ResolvedName, Failure> {
    let mut place = ResolvedName { handles: Vec::new(), names: Vec::new(), name: None };
    let mut steps: VecDeque<Step> = names(path).map(|name| Step { name, link: None }).collect();
    let mut needs_directory = means_directory(path);
    let mut links: Vec<(PathBuf, PathBuf)> = Vec::new();
    while let Some(step) = steps.pop_front() {
        if step.name == ".." {
            if place.names.pop().is_none() {
                return Err(match step.link {
                    Some(link) => escape_failure(links.swap_remove(link)),
                    None => Failure::Outside { rest: remaining_path(&steps, needs_directory) },
                });
            }
            place.handles.pop();
            continue;
        }
        let is_last = steps.is_empty();
        let directory = place.directory(root);
        let text = if is_last && !needs_directory {
            if is_link(directory, &step.name) && follows {
                read_link(directory, &step.name)?
            } else {
                place.name = Some(step.name);
                return Ok(place);
            }
        } else {
            match open_below(directory, &step.name) {
                Ok(handle) => {
                    place.handles.push(handle);
                    place.names.push(step.name);
                    continue;
                }
                Err(error @ (Errno::LOOP | Errno::NOTDIR)) => {
                    read_link(directory, &step.name).map_err(|_| error)?
                }
                Err(error) => return Err(error.into()),
            }
        };
        if links.len() == MAX_LINKS {
            return Err(Errno::LOOP.into());
        }
        let link: PathBuf = place.names.iter().chain([&step.name]).collect();
        if text.is_absolute() {
            return Err(escape_failure((link, text)));
        }
        needs_directory |= is_last && means_directory(&text);
        let linked: Vec<OsString> = names(&text).collect();
        for name in linked.into_iter().rev() {
            steps.push_front(Step { name, link: Some(links.len()) });
        }
        links.push((link, text));
    }
    // The path refers to a directory that is already open.
    Ok(place)
}

fn escape_failure((link, text): (PathBuf, PathBuf)) -> Failure {
    Failure::Escape { link, text }
}

fn remaining_path(steps: &VecDeque<Step>, needs_directory: bool) -> PathBuf {
    let mut rest: PathBuf = steps.iter().map(|step| &step.name).collect();
    if needs_directory {
        rest.push("");
    }
    rest
}

/// Returns the names of a path, without `.` and empty names.
fn names(path: &Path) -> impl Iterator<Item = OsString> {
    let names = path.as_os_str().as_bytes().split(|byte| *byte == b'/');
    let names = names.filter(|name| !matches!(*name, b"" | b"."));
    names.map(|name| OsStr::from_bytes(name).to_owned())
}

/// Whether a path can refer only to a directory, judging by its last characters.
fn means_directory(path: &Path) -> bool {
    let last = path.as_os_str().as_bytes().rsplit(|byte| *byte == b'/').next();
    matches!(last, Some(b"" | b"." | b".."))
}

fn is_link(directory: BorrowedFd<'_>, name: &OsStr) -> bool {
    system::status_at(directory, name).is_ok_and(|status| status.kind == FileType::Symlink)
}

fn read_link(directory: BorrowedFd<'_>, name: &OsStr) -> Result<PathBuf, Errno> {
    system::read_link_text(directory, name).map(|text| OsString::from_vec(text).into())
}

/// Opens a directory only to resolve further names in it, not to read it.
fn open_below(directory: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    system::open_at(directory, name, system::LOOK | OFlags::DIRECTORY | OFlags::NOFOLLOW)
}

#[cfg(test)]
mod tests {
    use std::fs as disk;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Creates symlinks of all kinds in a directory `root`, next to a directory `outside`.
    fn tree() -> (tempfile::TempDir, OwnedFd) {
        let sandbox = tempfile::tempdir().expect("a directory");
        let at = |path: &str| sandbox.path().join(path);
        disk::create_dir_all(at("root/a/b")).expect("made");
        disk::create_dir_all(at("outside")).expect("made");
        disk::create_dir_all(at("root-evil")).expect("made");
        for path in ["root/x.md", "root/a/b/y.md", "outside/z.md", "root-evil/z.md"] {
            disk::write(at(path), path).expect("written");
        }
        let inside = at("root/x.md");
        for (link, text) in [
            ("root/file", "x.md"),
            ("root/a/up", "../x.md"),
            ("root/dir", "a/b/"),
            ("root/chain", "dir/y.md"),
            ("root/out", "../outside"),
            ("root/evil", "../root-evil/z.md"),
            ("root/back", "../root/x.md"),
            ("root/loop", "loop"),
            ("root/dead", "nothing"),
            ("root/proc", "/proc/self/root"),
            ("root/absolute", inside.to_str().expect("a name")),
            ("root/a/far", "../../outside/z.md"),
            ("root/via", "a/far"),
            ("root/slash", "x.md/"),
            ("root/two", "dir/../../../outside/z.md"),
        ] {
            symlink(text, at(link)).expect("linked");
        }
        let root = system::open_path(&at("root"), OFlags::DIRECTORY).expect("opened");
        (sandbox, root)
    }

    fn escape_failure(link: &str, text: &str) -> Failure {
        super::escape_failure((link.into(), text.into()))
    }

    fn outside_failure(rest: &str) -> Failure {
        Failure::Outside { rest: rest.into() }
    }

    #[test]
    fn both_methods_resolve_a_path_equally() {
        let (sandbox, root) = tree();
        let open_both = |path: &str, flags: OFlags| {
            let opened = open(&root, Path::new(path), flags).map(system::status_of);
            let walked = open_by_names(&root, Path::new(path), flags).map(system::status_of);
            assert_eq!(opened, walked, "{path}");
            opened
        };
        for (path, target) in [
            ("x.md", "x.md"),
            ("./a/./b//y.md", "a/b/y.md"),
            ("file", "x.md"),
            ("a/up", "x.md"),
            ("dir/y.md", "a/b/y.md"),
            ("dir/../../x.md", "x.md"),
            ("chain", "a/b/y.md"),
            ("a/../x.md", "x.md"),
            ("dir/", "a/b"),
            ("a/b/..", "a"),
            ("", ""),
            (".", ""),
        ] {
            let found = open_both(path, OFlags::RDONLY).expect(path).expect(path);
            let expected = disk::File::open(sandbox.path().join("root").join(target));
            let expected = system::status_of(expected.expect("opened")).expect("known");
            assert!(found.is_same_file(&expected), "{path}");
            let place = follow(&root, Path::new(path), true).expect(path);
            assert_eq!(place.path(), Path::new(target), "{path}");
        }
        for (path, failure) in [
            ("..", outside_failure("")),
            ("a/../../outside/z.md", outside_failure("outside/z.md")),
            ("../root/x.md/", outside_failure("root/x.md/")),
            ("dir/../../../x", outside_failure("x")),
            ("a/../.././../y/../x", outside_failure("../y/../x")),
            ("dir/../b/y.md/.", Failure::System(Errno::NOTDIR)),
            ("slash", Failure::System(Errno::NOTDIR)),
            ("two", escape_failure("two", "dir/../../../outside/z.md")),
            ("out", escape_failure("out", "../outside")),
            ("out/z.md", escape_failure("out", "../outside")),
            ("evil", escape_failure("evil", "../root-evil/z.md")),
            ("back", escape_failure("back", "../root/x.md")),
            ("via", escape_failure("a/far", "../../outside/z.md")),
            ("proc/etc/passwd", escape_failure("proc", "/proc/self/root")),
            ("loop", Failure::System(Errno::LOOP)),
            ("dead", Failure::System(Errno::NOENT)),
            ("none/x", Failure::System(Errno::NOENT)),
            ("x.md/", Failure::System(Errno::NOTDIR)),
            ("x.md/y", Failure::System(Errno::NOTDIR)),
        ] {
            assert_eq!(open_both(path, OFlags::RDONLY), Err(failure), "{path}");
        }
        let absolute = open_both("absolute", OFlags::RDONLY);
        assert!(
            matches!(absolute, Err(Failure::Escape { link, .. }) if link == Path::new("absolute"))
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_last_symlink_is_followed_only_on_request() {
        let (_sandbox, root) = tree();
        let flags = OFlags::PATH | OFlags::NOFOLLOW;
        for path in ["out", "absolute", "loop", "dead", "a/far"] {
            for file in [
                open(&root, Path::new(path), flags).expect(path),
                open_by_names(&root, Path::new(path), flags).expect(path),
            ] {
                let kind = system::status_of(file).expect("known").kind;
                assert_eq!(kind, FileType::Symlink, "{path}");
            }
        }
    }

    /// Tests on random trees and paths.
    #[cfg(target_os = "linux")]
    mod random {
        use proptest::prelude::*;

        use super::*;

        fn part() -> impl Strategy<Value = &'static str> {
            proptest::sample::select(vec!["a", "b", "c", "l", "m", "..", ".", ""])
        }

        fn path() -> impl Strategy<Value = String> {
            proptest::collection::vec(part(), 1..7).prop_map(|parts| parts.join("/"))
        }

        proptest! {
            #![proptest_config(ProptestConfig {
                cases: 192, failure_persistence: None, ..ProptestConfig::default()
            })]

            /// Checks that both ways to resolve a path find the same file or fail with the same
            /// error, and never find a file outside.
            #[test]
            fn any_path_through_any_links_is_followed_alike(
                directories in proptest::collection::vec("[abc](/[abc]){0,2}", 0..5),
                files in proptest::collection::vec("[abc](/[abc]){0,2}", 0..4),
                links in proptest::collection::vec(("([abc]/){0,2}[lm]", path()), 0..5),
                paths in proptest::collection::vec(path(), 12),
            ) {
                let sandbox = tempfile::tempdir().expect("a directory");
                let root_path = disk::canonicalize(sandbox.path()).expect("a path").join("root");
                for directory in [root_path.join("a"), sandbox.path().join("b/c")] {
                    disk::create_dir_all(directory).expect("made");
                }
                // If a name occurs several times, only the first file or directory is created.
                directories.iter().for_each(|name| drop(disk::create_dir_all(root_path.join(name))));
                files.iter().for_each(|name| drop(disk::File::create_new(root_path.join(name))));
                links.iter().for_each(|(name, text)| drop(symlink(text, root_path.join(name))));
                let flags = OFlags::PATH | OFlags::DIRECTORY;
                let root = system::open_path(&root_path, flags).expect("opened");
                for path in paths {
                    // The path must be relative, so leading slashes are removed.
                    let path = Path::new(path.trim_start_matches('/'));
                    for flags in [OFlags::PATH, OFlags::PATH | OFlags::NOFOLLOW] {
                        let status = |file: OwnedFd| system::status_of(file).expect("known");
                        let opened = open(&root, path, flags).map(status);
                        let walked = open_by_names(&root, path, flags).map(status);
                        match (&opened, &walked) {
                            (Ok(opened), Ok(walked)) => {
                                prop_assert!(opened.is_same_file(walked), "{path:?}");
                            }
                            _ => prop_assert_eq!(&opened, &walked, "{:?} {:?}", path, flags),
                        }
                    }
                    let found = open(&root, path, OFlags::PATH);
                    if found.is_ok() {
                        let real = disk::canonicalize(root_path.join(path)).expect("there");
                        prop_assert!(real.starts_with(&root_path), "{path:?} is {real:?}");
                        let followed = follow(&root, path, true).expect("followed");
                        let followed: PathBuf = root_path.join(followed.path()).components().collect();
                        prop_assert_eq!(followed, real);
                    }
                }
            }
        }
    }
}
