//! Resolves the paths of many files, and each of their directories only once.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::CWD;
use rustix::io::Errno;

use super::{Roots, split_mount};
use crate::error::Error;
use crate::system;

/// Resolves paths. Remembers the directories that it has resolved.
#[derive(Debug)]
pub struct Resolver<'a> {
    roots: &'a Roots,
    directories: Mutex<HashMap<PathBuf, PathBuf>>,
}

impl<'a> Resolver<'a> {
    /// Creates a resolver that has not resolved anything.
    pub fn new(roots: &'a Roots) -> Self {
        Self { roots, directories: Mutex::default() }
    }

    /// Resolves a path to an absolute path without symlinks, like [`Roots::resolve`].
    ///
    /// # Errors
    ///
    /// Fails if the path does not exist, or if it is outside the roots.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, Error> {
        self.resolve_in_known_directory(path).map_or_else(|| self.roots.resolve(path), Ok)
    }

    /// Returns the resolved path, unless the path does not exist, is a symlink, or must be resolved
    /// within a root.
    fn resolve_in_known_directory(&self, path: &Path) -> Option<PathBuf> {
        let (parent, name) = (path.parent()?, path.file_name()?);
        // A path that ends with a slash refers only to a directory.
        let is_plain = path.as_os_str().as_bytes().ends_with(name.as_bytes());
        if !is_plain || self.roots.confine() || split_mount(path).is_some() {
            return None;
        }
        let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let known = self.directories().get(parent).map(|resolved| resolved.join(name));
        let resolved = match known {
            Some(resolved) => resolved,
            None => {
                let resolved = self.resolve(parent).ok()?;
                let full_path = resolved.join(name);
                self.directories().insert(parent.to_owned(), resolved);
                full_path
            }
        };
        let link = system::read_link_text(CWD, resolved.as_os_str());
        (link == Err(Errno::INVAL)).then_some(resolved)
    }

    fn directories(&self) -> MutexGuard<'_, HashMap<PathBuf, PathBuf>> {
        self.directories.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roots::WorkingDirectory;

    #[test]
    fn paths_are_resolved_as_without_a_resolver() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |path: &str| place.path().join(path);
        std::fs::create_dir_all(at("d/e")).expect("made");
        std::fs::write(at("d/a.md"), "").expect("written");
        std::fs::write(at("d/e/b.md"), "").expect("written");
        std::os::unix::fs::symlink("e/b.md", at("d/link.md")).expect("made");
        std::os::unix::fs::symlink("d", at("to_d")).expect("made");
        let roots = Roots::everywhere(WorkingDirectory::of_process(None));
        let resolver = Resolver::new(&roots);
        let paths = [
            "d/a.md",
            "d/a.md",
            "d/./a.md",
            "d/a.md/",
            "d/a.md/.",
            "d/a.md/x",
            "d/e/../a.md",
            "d/e",
            "d/e/",
            "d/e/..",
            "d/link.md",
            "to_d/a.md",
            "to_d/link.md",
            "to_d/e/b.md",
            "d/none",
            "none/a.md",
            "d/e/b.md",
        ];
        for path in paths {
            assert_eq!(resolver.resolve(&at(path)), roots.resolve(&at(path)), "{path}");
        }
    }
}
