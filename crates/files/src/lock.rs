//! Locks directories. To edit a file, folio locks the directory that contains it. A lock on the
//! file itself would no longer have an effect after another file is renamed over it.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::env::Env;
use super::roots::Roots;
use super::system::{self, FileId};
use crate::error::{Code, Error};

/// Pause between the first two attempts to lock.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// Maximum pause between two attempts.
const MAX_PAUSE: Duration = Duration::from_millis(20);
/// The waiting time after which a run attempts to lock more often.
const LONG_WAIT: Duration = Duration::from_secs(2);

/// An open directory and its lock.
#[derive(Debug)]
pub struct Directory {
    handle: OwnedFd,
    path: PathBuf,
    id: FileId,
    /// Whether entries in the directory may be changed. Empty until this is checked.
    may_write: OnceLock<Result<(), Errno>>,
}

impl Directory {
    pub(super) fn open(path: &Path, roots: &Roots) -> Result<Self, Error> {
        let (handle, path) = (roots.open_directory(path)?, roots.absolute(path)?);
        let status = system::status_of(&handle);
        let id = status.map_err(|error| Error::io(&error.into(), &path))?.id();
        Ok(Self { handle, path, id, may_write: OnceLock::new() })
    }

    /// Returns the absolute path by which the directory was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the identity of the directory.
    pub fn id(&self) -> FileId {
        self.id
    }

    /// Whether entries in the directory may be changed. The check is made only once.
    pub(super) fn may_write(&self) -> Result<(), Errno> {
        *self.may_write.get_or_init(|| system::may_write(self, OsStr::new(".")))
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// The directories that a run has locked. The locks are released when this value, and all files
/// opened with it, are dropped.
#[derive(Debug)]
pub struct Locks {
    directories: Vec<Arc<Directory>>,
    /// The directory to which each path referred after it was locked.
    by_path: HashMap<PathBuf, Arc<Directory>>,
    env: Env,
}

impl Locks {
    /// Returns no locks, for a run that writes nothing.
    pub fn empty(env: &Env) -> Self {
        Self { directories: Vec::new(), by_path: HashMap::new(), env: env.clone() }
    }

    /// Returns the directories, without duplicates.
    pub fn directories(&self) -> &[Arc<Directory>] {
        &self.directories
    }

    /// Simulates a file system that does not support locks.
    #[cfg(test)]
    pub(super) fn without_locking(path: &Path) -> Result<Self, Error> {
        let env = Env::default();
        let directories = vec![Arc::new(Directory::open(path, &env.roots)?)];
        Ok(Self { directories, by_path: HashMap::new(), env })
    }

    /// Returns the roots of the edited files.
    pub fn roots(&self) -> &Roots {
        &self.env.roots
    }

    pub(super) fn env(&self) -> &Env {
        &self.env
    }

    /// Returns the locked directory to which a path refers. Fails if another directory has replaced
    /// it before it was locked.
    pub fn find(&self, path: &Path) -> Result<Arc<Directory>, Error> {
        match self.by_path.get(path) {
            Some(directory) => Ok(directory.clone()),
            None => self.look_up(path),
        }
    }

    /// Returns the locked directory to which a path now refers.
    fn look_up(&self, path: &Path) -> Result<Arc<Directory>, Error> {
        let id = self.env.roots.status(path)?.id();
        let found = self.directories.binary_search_by_key(&id, |directory| directory.id);
        found.map(|at| self.directories[at].clone()).map_err(|_| {
            Error::new(Code::FileChanged, "another directory has replaced it")
                .at(path)
                .hint("run the command again")
        })
    }
}

/// Locks directories. Waits at most [`Env::lock_timeout`] in total for other runs. Several paths
/// may refer to the same directory. Directories are locked in the order of device and inode, so
/// that two runs cannot wait for each other.
///
/// # Errors
///
/// Fails with [`Code::Locked`] if another run holds a lock for too long. Also fails if a directory
/// cannot be opened.
pub fn lock_directories(directories: &[PathBuf], env: &Env) -> Result<Locks, Error> {
    let paths: BTreeSet<&PathBuf> = directories.iter().collect();
    let opened = paths.iter().map(|path| Directory::open(path, &env.roots));
    let mut opened = opened.collect::<Result<Vec<_>, _>>()?;
    opened.sort_by_key(|directory| directory.id);
    opened.dedup_by_key(|directory| directory.id);
    let deadline = Instant::now() + env.lock_timeout;
    let mut locked = Vec::with_capacity(opened.len());
    for directory in opened {
        let message = "another run is editing files in this directory";
        lock_handle(&directory, &directory.path, message, deadline, env)?;
        locked.push(Arc::new(directory));
    }
    let mut locks = Locks { directories: locked, by_path: HashMap::new(), env: env.clone() };
    // `find` returns the error for a directory that was replaced.
    let found =
        paths.into_iter().filter_map(|path| Some((path.clone(), locks.look_up(path).ok()?)));
    locks.by_path = found.collect();
    Ok(locks)
}

/// Locks an open file that will be written in place. This lock is needed because a lock on the
/// directory does not prevent edits through a hard link in another directory. Closing the file
/// releases the lock.
pub(super) fn lock_file(file: &File, env: &Env) -> Result<(), Error> {
    lock_with_timeout(file, Path::new(""), "another run is editing it", env).map(|_| ())
}

/// Locks a file that belongs to folio. Returns `false` if the file system does not support locks.
///
/// # Errors
///
/// Fails with `message` if another run holds the lock for too long.
pub fn lock_with_timeout(
    file: &File,
    path: &Path,
    message: &str,
    env: &Env,
) -> Result<bool, Error> {
    let deadline = Instant::now() + env.lock_timeout;
    lock_handle(file, path, message, deadline, env)
}

/// Locks a handle. Returns `false` if the file system does not support locks. This function polls,
/// so that no thread still waits after the timeout. After a long wait, it polls more often.
///
/// # Errors
///
/// Fails with `message` if another process holds the lock for too long.
fn lock_handle(
    handle: impl AsFd,
    path: &Path,
    message: &str,
    deadline: Instant,
    env: &Env,
) -> Result<bool, Error> {
    let begun = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        match system::lock(&handle, false) {
            Ok(()) => return Ok(true),
            Err(Errno::WOULDBLOCK) => {}
            // Network file systems may not support locks, or may not support locks on directories.
            Err(Errno::NOLCK | Errno::BADF) => return Ok(false),
            Err(error) if system::is_lacking(error) => return Ok(false),
            Err(error) => return Err(Error::io(&error.into(), path)),
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Error::new(Code::Locked, message)
                .at(path)
                .hint("run the command again after that run has ended"));
        }
        env.cancel.check()?;
        std::thread::sleep(pause.min(left));
        let is_long = begun.elapsed() > LONG_WAIT;
        pause = if is_long { FIRST_PAUSE } else { (pause * 2).min(MAX_PAUSE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(lock_timeout: Duration) -> Env {
        Env { lock_timeout, ..Env::default() }
    }

    #[test]
    fn a_directory_with_several_names_is_locked_once() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let path = sandbox.path().to_owned();
        let names = [path.clone(), path.join("."), path.clone()];
        let locks = lock_directories(&names, &env(Duration::ZERO)).expect("locked");
        assert_eq!(locks.directories().len(), 1);
        lock_directories(&names, &env(Duration::ZERO)).expect_err("locked by the first");
    }

    #[test]
    fn a_second_writer_waits_until_a_timeout() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let paths = [sandbox.path().to_owned()];
        let first = lock_directories(&paths, &env(Duration::ZERO)).expect("locked");
        let refused = lock_directories(&paths, &env(Duration::from_millis(30))).err();
        assert_eq!(refused.map(|error| error.code), Some(Code::Locked));
        let waiting = std::thread::spawn({
            let paths = paths.clone();
            move || lock_directories(&paths, &env(Duration::from_secs(5))).is_ok()
        });
        std::thread::sleep(Duration::from_millis(30));
        drop(first);
        assert!(waiting.join().expect("ended"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_timeout_leaves_no_thread_running() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let paths = [sandbox.path().to_owned()];
        let _first = lock_directories(&paths, &env(Duration::ZERO)).expect("locked");
        // Threads inherit the name of their creator.
        let waiting = std::thread::Builder::new().name("lock-waits".to_owned());
        let gives_up = move || lock_directories(&paths, &env(Duration::from_millis(30))).is_err();
        assert!(waiting.spawn(gives_up).expect("begun").join().expect("ended"));
        let names = std::fs::read_dir("/proc/self/task").expect("listed").flatten();
        let names = names.map(|task| std::fs::read_to_string(task.path().join("comm")));
        let left = names.flatten().filter(|name| name.trim() == "lock-waits").count();
        assert_eq!(left, 0);
    }

    #[test]
    fn a_path_that_is_not_a_directory_is_reported() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let file = sandbox.path().join("file");
        std::fs::write(&file, "").expect("written");
        let code =
            |path: PathBuf| lock_directories(&[path], &env(Duration::ZERO)).err().map(|e| e.code);
        assert_eq!(code(file), Some(Code::NotADirectory));
        assert_eq!(code(sandbox.path().join("none")), Some(Code::NotFound));
    }

    #[test]
    fn a_wait_for_a_lock_can_be_cancelled() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let paths = [sandbox.path().to_owned()];
        let _first = lock_directories(&paths, &env(Duration::ZERO)).expect("locked");
        let waiting = env(Duration::from_secs(60));
        waiting.cancel.set();
        let refused = lock_directories(&paths, &waiting).err();
        assert_eq!(refused.map(|error| error.code), Some(Code::Cancelled));
    }
}
