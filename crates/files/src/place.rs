//! Finds where documents are: their directories, and the directories above them whose files concern
//! them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::roots::Roots;
use crate::error::Error;

/// The place of the documents in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The absolute path of the directory.
    pub directory: PathBuf,
    /// The root of the repository. Outside of repositories, the outermost directory that is
    /// searched and contains this one, or this directory.
    pub outermost: PathBuf,
    /// The root of the repository that contains the directory.
    pub repository: Option<PathBuf>,
}

/// Finds the places of documents, each only once.
#[derive(Debug, Default)]
pub struct DocumentPlaces {
    roots: Roots,
    /// The absolute paths of the directories in which documents are searched for.
    searched: Mutex<Vec<PathBuf>>,
    /// For each directory of documents, the root of its repository.
    repositories: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
}

impl DocumentPlaces {
    /// Creates the places of documents in these roots. Documents are searched for in the working
    /// directory or, if it is outside of the roots, in the roots.
    pub fn new(roots: &Roots) -> Self {
        let places = Self { roots: roots.clone(), ..Self::default() };
        roots.all().iter().for_each(|directory| places.add_searched(directory));
        places
    }

    /// Adds a directory in which documents are searched for.
    pub fn add_searched(&self, directory: &Path) {
        let Ok(Some(directory)) = self.roots.resolve_if_there(directory) else { return };
        let mut searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
        if !searched.contains(&directory) {
            searched.push(directory);
        }
    }

    /// Returns the place of the documents in a directory, or `None` if it is not on disk.
    ///
    /// # Errors
    ///
    /// Fails if the repository cannot be determined.
    pub fn of_directory(&self, directory: &Path) -> Result<Option<Place>, Error> {
        let given = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let Ok(Some(absolute)) = self.roots.resolve_if_there(given) else { return Ok(None) };
        let repository = self.repository(directory)?;
        let outermost = repository.clone().unwrap_or_else(|| {
            let searched = self.searched.lock().unwrap_or_else(PoisonError::into_inner);
            let above = searched.iter().filter(|searched| absolute.starts_with(searched));
            let outermost = above.min_by_key(|searched| searched.components().count());
            outermost.unwrap_or(&absolute).clone()
        });
        Ok(Some(Place { directory: absolute, outermost, repository }))
    }

    /// Returns the nearest directory, from `directory` upwards, that is the root of a repository.
    ///
    /// # Errors
    ///
    /// Fails if this cannot be determined.
    pub fn repository(&self, directory: &Path) -> Result<Option<PathBuf>, Error> {
        let mut known = self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(root) = known.get(directory) {
            return Ok(root.clone());
        }
        let directory_path =
            if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        let mut root = None;
        let Some(absolute) = self.roots.resolve_if_there(directory_path)? else { return Ok(root) };
        for ancestor in absolute.ancestors().filter(|ancestor| self.roots.may_hold(ancestor)) {
            if self.roots.is_named_on_disk(&ancestor.join(".git"))? {
                root = Some(ancestor.to_owned());
                break;
            }
        }
        known.insert(directory.to_owned(), root.clone());
        Ok(root)
    }
}
