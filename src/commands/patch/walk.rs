//! Finds the files below directories that contain the target of an edit.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::options::PatchOptions;
use super::refusals;
use super::{Operation, Part, Request};
use crate::commands::host::Host;
use crate::commands::job::unmatched_globs;
use crate::commands::output::{Sink, counted};
use crate::commands::parallel;
use crate::commands::shared_args::section_patterns;
use crate::commands::target::spell;
use folio_files::address::Address;
use folio_files::document::{self, DocumentOptions};
use folio_files::env::Env;
use folio_files::error::{Code, Error, Hint};
use folio_files::listing::WalkOptions;
use folio_files::options::FOLLOW;
use folio_files::walk;
use folio_keys::find;
use folio_keys::tree::Kind;
use folio_outline::document::Document;
use folio_outline::edit::Engine;
use folio_outline::format::Format;
use folio_outline::locate::{Entry, Locator};
use folio_outline::lookup::Matching;

/// The result of searching a directory.
#[derive(Debug, Default)]
pub(super) struct WalkedFiles {
    /// Files that may contain the target.
    pub(super) paths: Vec<PathBuf>,
    /// Number of files that were searched.
    pub(super) searched_files: u64,
}

/// Whether an edit of a directory applies to each file below it that contains the target.
///
/// Lines and whole files are excluded because every file has them. `set` adds a missing key, so it
/// applies only to files with the section or mapping of the key.
pub(super) fn applies_to_directory(edit: &Request, address: &OsStr, env: &Env) -> bool {
    use Operation::{Append, Delete, Insert, Rename, Replace, Set};
    let is_named = match &edit.target {
        None | Some(Part::Lines(_) | Part::Whole) => false,
        Some(Part::Match(_)) => !matches!(edit.operation, Append | Rename),
        Some(_) if edit.operation == Set => edit.is_nested_key(),
        Some(_) => true,
    };
    let is_edit = matches!(edit.operation, Replace | Delete | Insert | Append | Rename | Set);
    let address = Address::parse(address, |path| env.roots.exists(path));
    let is_directory = |address: Address| env.roots.is_directory(&address.path);
    is_named && is_edit && address.is_ok_and(is_directory)
}

/// Fails if an operand is a symlink to a directory, unless `--follow` is given.
pub(super) fn refuse_link(operand: &OsStr, options: &PatchOptions, env: &Env) -> Result<(), Error> {
    let (roots, path) = (&env.roots, Path::new(operand));
    let Some(name) = path.file_name().filter(|_| !options.follow) else { return Ok(()) };
    // Names of roots and collections are not symlinks.
    let is_mount = path.components().count() == 1
        && (roots.is_named(path)
            || operand.as_encoded_bytes().starts_with(b"@") && !roots.begins_here(path));
    if is_mount || !roots.is_directory(path) {
        return Ok(());
    }
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    let parent = roots.resolve(parent.unwrap_or(Path::new(".")));
    match (parent, roots.resolve(path)) {
        (Ok(parent), Ok(resolved)) if parent.join(name) != resolved => {
            let message = format!("it is a symlink to '{}'", resolved.display());
            let error = Error::usage(message).at(path);
            Err(error.hint(Hint::with_switch(FOLLOW).why("to edit the files below it")))
        }
        _ => Ok(()),
    }
}

/// Returns the files below a directory that may contain the target of an edit.
pub(super) fn files_with_target(
    edit: &Request,
    directory: &OsStr,
    options: &PatchOptions,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<WalkedFiles, Error> {
    refuse_link(directory, options, &host.env)?;
    let walk = WalkOptions { rules: options.rules.clone(), ..WalkOptions::default() };
    let skipped = &[Code::BinaryFile, Code::UnsupportedEncoding];
    let files = Files { skipped, load: &options.documents, walk: &walk, host };
    let progress = sink.progress(&format!("looking through {}", directory.display()));
    let directory = Path::new(directory);
    let found = match &edit.target {
        // If the query ignores differences, matches are found only when the file is edited.
        Some(Part::Match(query)) if query.relaxes() => {
            files.matching(directory, |_| Ok(true), progress)
        }
        Some(Part::Match(query)) => {
            let engine = Engine::new(query);
            let engine = engine.map_err(|refusal| refusals::pattern_error(&refusal, edit))?;
            // The format is irrelevant for the search.
            let format = options.documents.format.or(Some(Format::Text));
            let load = &DocumentOptions { format, ..options.documents.clone() };
            let files = Files { load, ..files };
            files.matching(directory, |document| Ok(engine.may_match(document)?), progress)
        }
        Some(target) => {
            let entries = section_patterns(&options.section_patterns)?;
            let load = &DocumentOptions { entries, ..options.documents.clone() };
            let files = Files { load, ..files };
            let scope = edit.scope.as_deref();
            let is_new = edit.operation == Operation::Set && edit.is_nested_key();
            let has_target = |document: &Document| {
                let outline = document.outline()?;
                let matching = Matching::Exact;
                let locator = Locator { outline, names: None, scope, matching };
                if let (true, Part::Key { .. }) = (is_new, target) {
                    return Ok(has_mapping(&locator, target));
                }
                // A mapping is a section only in a file that the user names.
                let is_section = matches!(target, Part::Section { .. });
                if is_section && outline.format().is_tree() {
                    return Ok(false);
                }
                Ok(locator.locate(target).map_or_else(|miss| !miss.is_missing(), |_| true))
            };
            files.matching(directory, has_target, progress)
        }
        None => Ok(WalkedFiles::default()),
    }?;
    if found.searched_files == 0 {
        let note = unmatched_globs(directory, &walk, &host.env)?;
        note.into_iter().for_each(|note| sink.note(note));
    }
    Ok(found)
}

/// Whether a document is a tree that has a key, or the mapping in which it would be a new one.
fn has_mapping(locator: &Locator<'_>, target: &Part) -> bool {
    let Ok(Some(Entry { tree, path, found })) = locator.entry(target) else { return false };
    match found {
        Err(find::KeyMiss::NotFound { container, steps }) => {
            let is_last = steps > 0 && steps + 1 == path.steps.len();
            is_last && tree.node(container.index).kind == Kind::Mapping
        }
        Ok(_) | Err(find::KeyMiss::Ambiguous { .. }) => true,
    }
}

/// Finds files below directories.
pub(super) struct Files<'a> {
    /// The error codes for which a file is skipped.
    pub(super) skipped: &'a [Code],
    pub(super) load: &'a DocumentOptions,
    pub(super) walk: &'a WalkOptions,
    pub(super) host: &'a Host,
}

impl Files<'_> {
    /// Returns the files below a directory for which `test` returns true, in order. `progress`
    /// receives the number of files examined so far, and the total number of files.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be listed or read.
    pub(super) fn matching(
        &self,
        directory: &Path,
        test: impl Fn(&Document) -> Result<bool, Error> + Sync,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<WalkedFiles, Error> {
        let (paths, errors) = walk::files_below(directory, self.walk, &self.host.env)?;
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
        let mut found = WalkedFiles { paths: Vec::new(), searched_files: paths.len() as u64 };
        let begun = self.host.progress.count();
        let test_file =
            |buffer: &mut Vec<u8>, path: &PathBuf, results: &mut Vec<Result<PathBuf, Error>>| {
                let buffered = std::mem::take(buffer);
                let opened = document::open_walked(path, self.load, &self.host.env, buffered);
                let is_match = opened.and_then(|document| {
                    let is_match = test(&document);
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
        parallel::in_order(&paths, self.host, Vec::new, test_file, |results| {
            progress(self.host.progress.count() - begun, paths.len() as u64);
            results.into_iter().try_for_each(|path| path.map(|path| found.paths.push(path)))
        })?;
        Ok(found)
    }
}

/// Returns the error for an edit whose part is not in any file or selected part.
pub(super) fn nothing_found(options: &PatchOptions, edit: &Request, searched_files: u64) -> Error {
    let files = counted(searched_files, "file");
    let place = if options.conditions.is_given() {
        format!("the selected parts of {files}")
    } else {
        files
    };
    let addresses = &options.addresses;
    if edit.operation == Operation::Apply {
        return Error::new(Code::TargetNotFound, format!("none of {place} contains it"));
    }
    let query = edit.target.as_ref().and_then(Part::query);
    let message = match query {
        Some(query) => format!("text not found: '{}' in {place}", query.source),
        None => {
            let target = spell::words(edit.target.as_ref(), edit.scope.as_deref());
            format!("none of {place} contains {}", target.join(OsStr::new(" ")).display())
        }
    };
    let error = Error::new(Code::TargetNotFound, message);
    let [address] = &addresses[..] else { return error };
    error.at(Path::new(address)).hint(if options.conditions.is_given() || query.is_none() {
        Hint::command("inspect", addresses).why("list what exists")
    } else {
        let list = Hint::command("list", ["--depth", "20"]).and(addresses);
        list.why("the files below it")
    })
}
