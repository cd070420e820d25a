//! Code that fuzz targets share: working directories, and choices derived from the input.

pub mod keys;

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use folio::fuzzing::undo::{self, UndoArgs};
use folio::patch::{self, Request, WriteArgs};
use folio::{Collected, ExitStatus, Host};
use serde_json::Value;

/// Number of input bytes from which choices are derived. The document follows them.
pub const CHOICES: usize = 64;

/// Derives choices from bytes. If no bytes are left, every choice is the first option.
pub struct Choices<'a> {
    bytes: &'a [u8],
}

impl<'a> Choices<'a> {
    /// Splits the input into choices and the rest.
    pub fn split(data: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (bytes, rest) = data.split_at_checked(CHOICES)?;
        Some((Self { bytes }, rest))
    }

    /// Returns a number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        let Some((&byte, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        usize::from(byte) % count.max(1)
    }

    /// Returns a number below `count`, which may be up to 65,536.
    pub fn below_many(&mut self, count: usize) -> usize {
        (self.below(256) * 256 + self.below(256)) % count.max(1)
    }

    pub fn flag(&mut self) -> bool {
        self.below(4) == 3
    }

    pub fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Returns a random part of a text.
    pub fn part(&mut self, text: &str) -> String {
        let start = self.below_many(text.len() + 1);
        let length = self.below(40);
        let kept: String = text
            .char_indices()
            .filter(|(at, _)| (start..start + length).contains(at))
            .map(|(_, character)| character)
            .collect();
        kept
    }
}

/// A directory with files, and a state directory next to it. Both are in memory if possible.
pub struct Place {
    pub directory: PathBuf,
    pub state: PathBuf,
}

impl Place {
    /// Returns the directory of this process, emptied and filled with these files.
    pub fn with(files: &[(&str, &[u8])]) -> Self {
        static TOP: OnceLock<PathBuf> = OnceLock::new();
        let top = TOP.get_or_init(|| {
            let memory = Path::new("/dev/shm");
            let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
            parent.join(format!("folio-fuzz-{}", std::process::id()))
        });
        let place = Self { directory: top.join("w"), state: top.join("state") };
        for directory in [&place.directory, &place.state] {
            let _ = fs::remove_dir_all(directory);
            // Edits are refused if other users have access to the state directory.
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)
                .expect("a directory");
        }
        for (name, bytes) in files {
            fs::write(place.directory.join(name), bytes).expect("a file");
        }
        place
    }

    pub fn host(&self) -> Host {
        folio::fuzzing::host(&self.directory, &self.state).expect("roots")
    }

    /// Returns all files with their bytes.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found: Vec<_> = fs::read_dir(&self.directory)
            .expect("the directory")
            .map(|item| item.expect("an entry").path())
            .map(|path| (path.clone(), fs::read(&path).unwrap_or_default()))
            .collect();
        found.sort();
        found
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.directory.join(name)).unwrap_or_default()
    }

    /// Applies edits given as JSON.
    pub fn apply(&self, edits: &[u8], change: impl FnOnce(&mut patch::PatchOptions)) -> Applied {
        let mut options = patch::PatchOptions {
            edit: Request::apply(edits),
            write: WriteArgs { no_sync: true, preview: true, ..WriteArgs::default() },
            ..patch::PatchOptions::default()
        };
        change(&mut options);
        let mut sink = Collected::json();
        let outcome = patch::run(&options, &self.host(), &mut sink);
        let is_done = sink.status(&outcome) == ExitStatus::Done;
        let errors: Vec<String> = sink.errors.iter().map(ToString::to_string).collect();
        let records = serde_json::Deserializer::from_slice(&sink.written)
            .into_iter()
            .map(|record| record.expect("a record of JSON"))
            .collect();
        Applied { is_done, records, errors }
    }

    /// Runs `undo --any` with further arguments.
    pub fn undo(&self, args: UndoArgs) -> Result<(), String> {
        let args = UndoArgs { any: true, ..args };
        let mut sink = Collected::json();
        let outcome = undo::run(&args, &self.host().env, &mut sink);
        match sink.status(&outcome) {
            ExitStatus::Done => Ok(()),
            _ => Err(format!("{outcome:?} {:?}", sink.errors)),
        }
    }
}

/// The result of edits.
#[derive(Debug)]
pub struct Applied {
    pub is_done: bool,
    pub records: Vec<Value>,
    pub errors: Vec<String>,
}

/// Checks that an undo restores the old files and a redo the new ones.
pub fn check_undo(place: &Place, before: &[(PathBuf, Vec<u8>)], after: &[(PathBuf, Vec<u8>)]) {
    if before == after {
        return;
    }
    place.undo(UndoArgs::default()).expect("an undo");
    assert_eq!(place.files(), before, "undo restores the old files");
    place.undo(UndoArgs { redo: true, ..UndoArgs::default() }).expect("a redo");
    assert_eq!(place.files(), after, "redo restores the new files");
}
