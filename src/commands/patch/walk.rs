//! Finds the files below directories that contain a text or pattern.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::matching::Engine;
use super::options::{Edit, Edits, Options};
use super::{Operation, Query, Target};
use crate::commands::output::{Sink, counted};
use crate::commands::parallel;
use crate::error::{Code, Error, Hint};
use crate::files::address::Address;
use crate::files::document::{Document, DocumentOptions};
use crate::files::env::Env;
use crate::files::listing::WalkOptions;
use crate::files::walk;

/// The result of searching a directory.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Files that may contain a match.
    pub(super) paths: Vec<PathBuf>,
    /// Number of files that were searched.
    pub(super) looked_at: u64,
}

/// Returns the query of an edit, if the address is a directory. In a directory, the target must be
/// a text or pattern, because other targets need not exist in every file.
pub(super) fn query<'e>(edit: &'e Edit, address: &OsStr, env: &Env) -> Option<&'e Query> {
    use Operation::{Delete, Insert, Replace};
    let Some(Target::Match(query)) = &edit.target else { return None };
    let is_edit = matches!(edit.operation, Replace | Delete | Insert);
    let address = Address::parse(address, |path| env.roots.exists(path)).ok()?;
    (is_edit && env.roots.is_directory(&address.path)).then_some(query)
}

/// Fails if an operand is a symlink to a directory, unless `--follow` is given.
pub(super) fn refuse_link(operand: &OsStr, options: &Options, env: &Env) -> Result<(), Error> {
    let (roots, path) = (&env.roots, Path::new(operand));
    let Some(name) = path.file_name().filter(|_| !options.follow) else { return Ok(()) };
    // Names of roots and collections are not symlinks.
    let is_mount = path.components().count() == 1
        && (roots.is_named(path) || operand.as_encoded_bytes().starts_with(b"@"));
    if is_mount || !roots.is_directory(path) {
        return Ok(());
    }
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    let parent = roots.resolve(parent.unwrap_or(Path::new(".")));
    match (parent, roots.resolve(path)) {
        (Ok(parent), Ok(resolved)) if parent.join(name) != resolved => {
            let message = format!("it is a symlink to '{}'", resolved.display());
            let error = Error::usage(message).at(path);
            Err(error.hint(Hint::flag(["--follow"]).why("to edit the files below it")))
        }
        _ => Ok(()),
    }
}

/// Returns the files below a directory that may contain a match.
pub(super) fn files(
    directory: &OsStr,
    query: &Query,
    options: &Options,
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<Found, Error> {
    refuse_link(directory, options, env)?;
    let walk = WalkOptions { rules: options.rules.clone(), ..WalkOptions::default() };
    let skipped = &[Code::BinaryFile, Code::UnsupportedEncoding];
    let files = Files { skipped, load: &options.documents, walk: &walk, env };
    let progress = sink.progress(&format!("looking through {}", directory.display()));
    let directory = Path::new(directory);
    // If the query ignores differences, matches are found only when the file is edited.
    if query.relaxes() {
        return files.matching(directory, |_| Ok(true), progress);
    }
    let engine = Engine::new(query)?;
    files.matching(directory, |document| engine.may_match(document), progress)
}

/// Finds files below directories.
pub(super) struct Files<'a> {
    /// The error codes for which a file is skipped.
    pub(super) skipped: &'a [Code],
    pub(super) load: &'a DocumentOptions,
    pub(super) walk: &'a WalkOptions,
    pub(super) env: &'a Env,
}

impl Files<'_> {
    /// Returns the files below a directory for which `test` returns true, in order. `progress`
    /// receives the number of files examined so far, and the number of all files.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be listed or read.
    pub(super) fn matching(
        &self,
        directory: &Path,
        test: impl Fn(&mut Document) -> Result<bool, Error> + Sync,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<Found, Error> {
        let (paths, errors) = walk::files_below(directory, self.walk, self.env)?;
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
        let mut found = Found { paths: Vec::new(), looked_at: paths.len() as u64 };
        let begun = self.env.progress.count();
        let one =
            |buffer: &mut Vec<u8>, path: &PathBuf, results: &mut Vec<Result<PathBuf, Error>>| {
                let buffered = std::mem::take(buffer);
                let opened = Document::open_walked(path, self.load, self.env, buffered);
                let is_match = opened.and_then(|mut document| {
                    let is_match = test(&mut document);
                    *buffer = document.into_buffer();
                    is_match
                });
                match is_match {
                    Ok(true) => results.push(Ok(path.clone())),
                    Ok(false) => {}
                    Err(error) if self.skipped.contains(&error.code) => {}
                    Err(error) => results.push(Err(error)),
                }
            };
        parallel::in_order(&paths, self.env, Vec::new, one, |results| {
            progress(self.env.progress.count() - begun, paths.len() as u64);
            results.into_iter().try_for_each(|path| path.map(|path| found.paths.push(path)))
        })?;
        Ok(found)
    }
}

/// Returns the error for a search that found no match in any file or selected part.
pub(super) fn nothing_found(options: &Options, looked_at: u64) -> Error {
    let files = counted(looked_at, "file");
    let place = match options.conditions.is_given() {
        true => format!("the selected parts of {files}"),
        false => files,
    };
    let Edits::Each { addresses, edit } = &options.edits else {
        return Error::new(Code::TargetNotFound, format!("none of {place} contains it"));
    };
    let message = match edit.target.as_ref().and_then(Target::query) {
        Some(query) => format!("text not found: '{}' in {place}", query.source),
        None => format!("no such part in {place}"),
    };
    let error = Error::new(Code::TargetNotFound, message).at(Path::new(&addresses[0]));
    error.hint(match options.conditions.is_given() {
        true => Hint::command("inspect", addresses).why("list what exists"),
        false => {
            let list = Hint::command("list", ["--depth", "20"]).and(addresses);
            list.why("the files below it")
        }
    })
}
