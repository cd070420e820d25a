//! Converts operands to the files that a command processes: parses addresses, applies `--resolve`,
//! walks directories, and drops duplicate files.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::commands::host::Host;
use crate::commands::output::{Note, Sink};
use crate::commands::{missing_files, resolve};
use folio_files::address::{Address, Part};
use folio_files::document::{self, DocumentOptions};
use folio_files::env::Env;
use folio_files::error::{Change, Code, Error, Hint};
use folio_files::ignore_rules::RuleOptions;
use folio_files::listing::{EntryKind, WalkOptions};
use folio_files::options::GLOB;
use folio_files::walk;
use folio_outline::document::Document;

/// An item to process, in the order of the operands.
pub enum Work {
    /// An operand: a file, a part of a file, or standard input.
    Named(Address),
    /// A file that a walk found.
    Walked(PathBuf),
    /// The end of a directory operand. The second value is the number of files found below the
    /// directory.
    EndOfTree(PathBuf, u64),
    /// An operand or a directory that cannot be read.
    Failed(Error),
}

impl Work {
    /// Returns the path of the file, if it is a file.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Named(address) => Some(&address.path),
            Self::Walked(path) => Some(path),
            Self::EndOfTree(..) | Self::Failed(_) => None,
        }
    }

    /// Opens the document, and returns it with the part that the operand names. Returns `None` for
    /// the end of a directory, and for a binary file that a walk found. The buffer may be used for
    /// the content.
    pub fn open<'w>(
        &'w self,
        load: &DocumentOptions,
        host: &Host,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<(Document, &'w Part)>, Error> {
        let path = match self {
            Self::Named(address) => {
                return Ok(Some((open(&address.path, load, host)?, &address.part)));
            }
            Self::Walked(path) => path,
            Self::EndOfTree(..) => return Ok(None),
            Self::Failed(error) => return Err(error.clone()),
        };
        match document::open_walked(path, load, &host.env, std::mem::take(buffer)) {
            Err(error) if error.code == Code::BinaryFile => Ok(None),
            opened => Ok(Some((opened?, &Part::Whole))),
        }
    }
}

/// Opens the document of an operand. `-` is standard input.
///
/// # Errors
///
/// Fails if the file is not a text document. If it does not exist, hints name similar files.
pub fn open(path: &Path, load: &DocumentOptions, host: &Host) -> Result<Document, Error> {
    let env = &host.env;
    if path.as_os_str() == "-" {
        return document::of_stream(path, host.open_stdin()?, load, &env.cancel);
    }
    document::open(path, load, env).map_err(|error| missing_files::missing_file(error, path, env))
}

/// The options for converting operands.
pub struct Operands<'a> {
    /// The options that select files below directories.
    pub walk: &'a WalkOptions,
    /// If a path does not exist, whether to search for its file name.
    pub resolve: bool,
    /// The environment of the run.
    pub env: &'a Env,
}

impl Operands<'_> {
    /// Converts operands. A whole file is returned only once, even if several operands refer to it
    /// or contain it. Different parts of a file are separate items.
    ///
    /// # Errors
    ///
    /// Fails if the run is cancelled. Other errors are returned as [`Work::Failed`].
    pub fn work(&self, operands: &[OsString], sink: &mut dyn Sink) -> Result<Vec<Work>, Error> {
        let mut work = Vec::new();
        // With one operand there are no duplicates.
        let mut seen = (operands.len() > 1).then(HashSet::new);
        for operand in operands {
            match self.address(operand, sink) {
                Ok(address) => self.add(address, &mut seen, &mut work)?,
                Err(error) => work.push(Work::Failed(error)),
            }
        }
        let is_empty = |work: &Work| matches!(work, Work::EndOfTree(_, 0));
        if work.iter().all(is_empty)
            && !sink.style().json
            && let Some(Work::EndOfTree(directory, _)) = work.first()
        {
            unmatched_globs(directory, self.walk, self.env)?
                .into_iter()
                .for_each(|note| sink.note(note));
        }
        Ok(work)
    }

    fn address(&self, operand: &OsString, sink: &mut dyn Sink) -> Result<Address, Error> {
        let mut address = Address::parse(operand, |path| self.env.roots.exists(path))?;
        if self.resolve {
            resolve::entry(&mut address.path, EntryKind::File, self.env, sink)?;
        }
        Ok(address)
    }

    fn add(
        &self,
        address: Address,
        seen: &mut Option<HashSet<PathBuf>>,
        work: &mut Vec<Work>,
    ) -> Result<(), Error> {
        let roots = &self.env.roots;
        let mut is_new = |path: &Path| {
            let path = || roots.absolute(path).unwrap_or_else(|_| path.to_owned());
            seen.as_mut().is_none_or(|seen| seen.insert(path()))
        };
        let is_whole = address.part == Part::Whole;
        if address.is_stdin() || !roots.is_directory(&address.path) {
            if !is_whole || is_new(&address.path) {
                work.push(Work::Named(address));
            }
            return Ok(());
        }
        if !is_whole {
            let error = Error::new(Code::NotAFile, "Is a directory").at(&address.path);
            let whole_file = Change::address(&address.path, "", &address.path);
            let hint = Hint::again([whole_file]).why("all files in it");
            work.push(Work::Failed(error.hint(hint)));
            return Ok(());
        }
        match walk::files_below(&address.path, self.walk, self.env) {
            Err(error) if error.code == Code::Cancelled => return Err(error),
            Err(error) => work.push(Work::Failed(error)),
            Ok((paths, errors)) => {
                let count = paths.len() as u64;
                work.extend(errors.into_iter().map(Work::Failed));
                let new = paths.into_iter().filter(|path| is_new(path));
                work.extend(new.map(Work::Walked));
                work.push(Work::EndOfTree(address.path, count));
            }
        }
        Ok(())
    }
}

/// Whether files below directories are selected only by globs. If no file matches them, there is a
/// note.
pub fn has_globs(rules: &RuleOptions) -> bool {
    rules.types.is_empty() && rules.globs.iter().any(|glob| !glob.starts_with('!'))
}

/// Returns the note that no file below a directory matches the globs. A glob with a slash is
/// relative to the current directory. If it matches below `directory` or at any depth, the note
/// suggests such a glob.
pub fn unmatched_globs(
    directory: &Path,
    walk: &WalkOptions,
    env: &Env,
) -> Result<Option<Note>, Error> {
    let rules = &walk.rules;
    let globs: Vec<&String> = rules.globs.iter().filter(|glob| !glob.starts_with('!')).collect();
    if !has_globs(rules) {
        return Ok(None);
    }
    let shown: Vec<String> = globs.iter().map(|glob| format!("'{glob}'")).collect();
    let note = Note::at(directory, format!("no file matches the glob {}", shown.join(" or ")));
    let anchored = globs.iter().filter(|glob| glob.contains('/') && !glob.starts_with("**/"));
    for glob in anchored {
        let relative = glob.trim_start_matches('/');
        let below = directory.join(relative).to_string_lossy().into_owned();
        for (other, why) in [(below, "below it"), (format!("**/{relative}"), "at any depth")] {
            let rules = RuleOptions { globs: vec![other.clone()], ..rules.clone() };
            let walk = WalkOptions { rules, ..walk.clone() };
            if !walk::files_below(directory, &walk, env)?.0.is_empty() {
                let other = Change::replace(GLOB, *glob, &other);
                return Ok(Some(note.hint(Hint::again([other]).why(why))));
            }
        }
    }
    Ok(Some(note))
}
