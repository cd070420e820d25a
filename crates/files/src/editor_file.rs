//! Writes a part of a document to a separate file, for an editor. The file is in the state
//! directory, so that it survives a crash and only its owner can read it.

// The module accesses only folio's own files, in the state directory.
#![allow(clippy::disallowed_methods)]

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::history::MAX_SECONDS;
use super::state::{StateDirectory, create_private, read_owned};

/// The subdirectory of the state directory.
const PART: &str = "edits";

/// A file that contains a part of a document. It exists until it is removed explicitly, or is older
/// than all patches that can be undone.
#[derive(Debug)]
pub struct EditorFile {
    path: PathBuf,
}

impl EditorFile {
    /// Creates a file that contains a text, in a new directory. The file has the name of the
    /// document, so that the editor detects the kind of text.
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

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the current contents of the file. Fails if the path no longer refers to a regular
    /// file.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        read_owned(&self.path)
    }

    /// Returns the directory of the file, if anything is in it.
    pub fn directory_with_files(&self) -> Option<&Path> {
        let directory = self.path.parent()?;
        fs::read_dir(directory).ok()?.next().map(|_| directory)
    }

    /// Removes the file, and the files that an editor created next to it.
    pub fn remove(self) {
        // A file that cannot be removed now is removed later, when it is old.
        let _ = self.path.parent().map(fs::remove_dir_all);
    }
}

/// Removes files that are older than all patches that can be undone.
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
    fn only_the_owner_can_read_the_file_and_its_directory_is_removed() {
        let directory = tempfile::tempdir().expect("done");
        let state = StateDirectory::new(directory.path().join("state"));
        let name = OsStr::new("a b.md");
        let file = EditorFile::new(&state, name, b"text\n").expect("done");
        let other = EditorFile::new(&state, name, b"").expect("done");
        let mode = |path: &Path| fs::metadata(path).expect("done").mode() & 0o777;
        assert_eq!(mode(file.path()), 0o600);
        assert_eq!(mode(file.path().parent().expect("done")), 0o700);
        assert_ne!(file.path(), other.path());
        assert_eq!(file.read().expect("done"), b"text\n");
        let (path, file_directory) =
            (file.path().to_owned(), file.path().parent().expect("done").to_owned());
        fs::write(path.with_extension("md~"), "a backup").expect("done");
        file.remove();
        assert!(!file_directory.exists());
        assert!(other.path().exists());
    }

    #[test]
    fn old_files_are_removed() {
        let directory = tempfile::tempdir().expect("done");
        let state = StateDirectory::new(directory.path().join("state"));
        let old = EditorFile::new(&state, OsStr::new("a.md"), b"").expect("done");
        let long_ago = SystemTime::now() - Duration::from_secs(MAX_SECONDS + 10);
        let file_directory = File::open(old.path().parent().expect("done")).expect("done");
        file_directory.set_times(FileTimes::new().set_modified(long_ago)).expect("done");
        let new = EditorFile::new(&state, OsStr::new("b.md"), b"").expect("done");
        assert!(!old.path().exists());
        assert!(new.path().exists());
    }
}
