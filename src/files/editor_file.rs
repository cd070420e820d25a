//! A part of a document in a file of its own, for an editor: below the state
//! directory, where only its owner may read it, and where it outlives a crash.

// It is folio's own, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::history::MAX_SECONDS;
use super::state::{StateDirectory, create_private, read_own};

/// The directory in the state directory.
const PART: &str = "edits";

/// Such a file. It stays until it is removed, or for as long as patches can be
/// undone.
#[derive(Debug)]
pub struct EditorFile {
    path: PathBuf,
}

impl EditorFile {
    /// Makes one that contains a text, in a directory of its own; its name is that of the
    /// document, so that an editor knows what kind of text it is.
    pub fn new(state: &StateDirectory, name: &OsStr, text: &[u8]) -> io::Result<Self> {
        let all = state.part(PART)?;
        remove_old(&all);
        let mut number = 1u64;
        let directory = loop {
            let directory = all.join(number.to_string());
            match DirBuilder::new().mode(0o700).create(&directory) {
                Ok(()) => break directory,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        };
        let file = Self { path: directory.join(name) };
        let written = create_private(&file.path).and_then(|mut new| new.write_all(text));
        match written {
            Ok(()) => Ok(file),
            Err(error) => {
                file.remove();
                Err(error)
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads its current contents. Fails if the editor left anything but a regular file.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        read_own(&self.path)
    }

    /// Takes it away, with what an editor left beside it.
    pub fn remove(self) {
        // What cannot be removed goes when it is old.
        let _ = self.path.parent().map(fs::remove_dir_all);
    }
}

/// Removes texts that are older than all that can be undone.
fn remove_old(all: &Path) {
    let is_old = |path: &Path| {
        let modified = fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        age.is_some_and(|age| age > Duration::from_secs(MAX_SECONDS))
    };
    let entries = fs::read_dir(all).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()).filter(|path| is_old(path)) {
        let _ = fs::remove_dir_all(path);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};
    use std::os::unix::fs::MetadataExt;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn only_its_owner_reads_it_and_it_goes_with_its_directory() {
        let directory = tempfile::tempdir().expect("done");
        let state = StateDirectory::at(directory.path().join("state"));
        let name = OsStr::new("a b.md");
        let file = EditorFile::new(&state, name, b"text\n").expect("done");
        let other = EditorFile::new(&state, name, b"").expect("done");
        let mode = |path: &Path| fs::metadata(path).expect("done").mode() & 0o777;
        assert_eq!(mode(file.path()), 0o600);
        assert_eq!(mode(file.path().parent().expect("done")), 0o700);
        assert_ne!(file.path(), other.path());
        assert_eq!(file.read().expect("done"), b"text\n");
        let (path, own) = (file.path().to_owned(), file.path().parent().expect("done").to_owned());
        fs::write(path.with_extension("md~"), "a backup").expect("done");
        file.remove();
        assert!(!own.exists());
        assert!(other.path().exists());
    }

    #[test]
    fn old_ones_go() {
        let directory = tempfile::tempdir().expect("done");
        let state = StateDirectory::at(directory.path().join("state"));
        let old = EditorFile::new(&state, OsStr::new("a.md"), b"").expect("done");
        let long_ago = SystemTime::now() - Duration::from_secs(MAX_SECONDS + 10);
        let own = File::open(old.path().parent().expect("done")).expect("done");
        own.set_times(FileTimes::new().set_modified(long_ago)).expect("done");
        let new = EditorFile::new(&state, OsStr::new("b.md"), b"").expect("done");
        assert!(!old.path().exists());
        assert!(new.path().exists());
    }
}
