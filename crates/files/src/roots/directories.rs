//! Creates and removes directories below the roots, each relative to the handle of its parent.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::Roots;
use crate::error::Error;
use crate::system;

impl Roots {
    /// Returns the missing parent directories of a path, outermost first.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined, or if the path is hidden.
    pub fn missing_directories(&self, path: &Path) -> Result<Vec<PathBuf>, Error> {
        self.check_shown(path)?;
        let mut missing = Vec::new();
        for directory in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            if self.look(directory)?.is_some() {
                break;
            }
            missing.insert(0, directory.to_owned());
        }
        Ok(missing)
    }

    /// Creates directories in order. The parent of each directory must exist when the directory is
    /// created.
    pub fn create_directories(&self, directories: &[PathBuf]) -> Result<(), Error> {
        for directory in directories {
            let (above, name) = self.open_parent(directory)?;
            match system::create_directory(above, name) {
                // Another program may have created the directory.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(Error::io(&error.into(), directory)),
            }
        }
        Ok(())
    }

    /// Removes the empty directories among `directories`.
    pub fn remove_directories(&self, directories: &[PathBuf]) {
        for directory in directories.iter().rev() {
            // The directory may be gone, or in use by another program.
            if let Ok((above, name)) = self.open_parent(directory) {
                let _ = system::remove_directory(above, name);
            }
        }
    }

    /// Opens the parent of a directory, and returns it with the directory's name.
    fn open_parent<'a>(&self, directory: &'a Path) -> Result<(OwnedFd, &'a OsStr), Error> {
        let name = directory.file_name();
        let name = name.ok_or_else(|| Error::usage("that is not a valid name").at(directory))?;
        let above = directory.parent().filter(|above| !above.as_os_str().is_empty());
        Ok((self.open_directory(above.unwrap_or(Path::new(".")))?, name))
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::roots::WorkingDirectory;

    #[test]
    fn missing_directories_are_created_only_inside() {
        let place = tempfile::tempdir().expect("a directory");
        std::fs::create_dir_all(place.path().join("root/there")).expect("made");
        std::fs::create_dir(place.path().join("out")).expect("made");
        std::os::unix::fs::symlink("../out", place.path().join("root/link")).expect("made");
        let root = place.path().join("root").into_os_string();
        let roots = Roots::open(&[root], WorkingDirectory::of_process(None)).expect("opened");
        let within = |path: &str| place.path().join("root").join(path);
        let missing = |path: &str| roots.missing_directories(&within(path));
        assert_eq!(missing("there/a.md"), Ok(Vec::new()));
        let made = missing("there/b/c/a.md").expect("known");
        assert_eq!(made, [within("there/b"), within("there/b/c")]);
        roots.create_directories(&made).expect("made");
        assert!(within("there/b/c").is_dir());
        roots.remove_directories(&made);
        assert!(!within("there/b").exists() && within("there").is_dir());
        assert!(missing("link/new/a.md").is_err());
        let outside: Vec<PathBuf> = vec![within("link/new"), within("../out/new")];
        for directory in outside {
            assert!(roots.create_directories(&[directory]).is_err());
        }
        assert_eq!(std::fs::read_dir(place.path().join("out")).expect("listed").count(), 0);
    }
}
