//! Opens each file to which the requests refer, once. Locks files before they are opened for
//! writing, and explains why a file cannot be opened.

use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::collect::linked_file;
use super::context::{Context, FileToOpen};
use super::file_move::{self, Destination};
use super::links;
use super::links::scope::Linking;
use super::work::BatchFile;
use super::{Operation, Part, Request, hints};
use crate::commands::missing_files;
use folio_files::document;
use folio_files::error::{Change, Code, Error, Hint};
use folio_files::lock::{Locks, lock_directories};
use folio_files::options::{PARENTS, WITH_KEY, WITHOUT_KEY};
use folio_files::replace;

use folio_text::fuzzy::name;

/// The files of a transaction, with their locks.
pub(super) struct Opened {
    pub(super) batch_files: Vec<BatchFile>,
    pub(super) locks: Locks,
    pub(super) files: Files,
}

/// Maps requests to files.
#[derive(Default)]
pub(super) struct Files {
    /// The index of the file for each path that the user gave.
    pub(super) by_path: HashMap<PathBuf, usize>,
    /// For each request, the documents with affected links.
    pub(super) with_links: HashMap<usize, Vec<Linking>>,
}

impl Files {
    pub(super) fn index_of(&self, path: &Path) -> Result<usize, Error> {
        let missing = || Error::new(Code::NotFound, "No such file or directory").at(path);
        self.by_path.get(path).copied().ok_or_else(missing)
    }
}

/// Opens the files of requests.
pub(super) struct Opener<'a> {
    pub(super) requests: &'a [Request],
    pub(super) context: &'a Context<'a>,
}

impl Opener<'_> {
    /// Opens every file once.
    pub(super) fn open(&self) -> Result<Opened, Vec<Error>> {
        let mut errors = Vec::new();
        let with_links = self.with_links(&mut errors);
        let (files_to_open, by_path) = self.files_to_open(&mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let linking = with_links.values().flatten();
        let locks = self.lock_files(&files_to_open, linking).map_err(|error| vec![error])?;
        let (mut batch_files, count) = (Vec::new(), files_to_open.len());
        for file_to_open in files_to_open {
            match self.context.open_file(file_to_open, &locks) {
                Ok(batch_file) => batch_files.push(batch_file),
                // No other file can be opened.
                Err(mut error) if error.is_too_many_files() => {
                    let opened = batch_files.len();
                    error.message.push(format!(": {opened} of {count} could be opened"));
                    return Err(vec![error]);
                }
                Err(error) => errors.push(self.with_key_hints(error)),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(Opened { batch_files, locks, files: Files { by_path, with_links } })
    }

    pub(super) fn open_stdin(&self) -> Result<Opened, Error> {
        let name = PathBuf::from("-");
        let Context { host, options, .. } = self.context;
        let stream = host.open_stdin()?;
        let document = document::of_stream(&name, stream, &options.documents, &host.env.cancel)?;
        let source = self.context.load(document)?;
        let by_path = HashMap::from([(name.clone(), 0)]);
        Ok(Opened {
            batch_files: vec![BatchFile::existing(name.clone(), name, source)],
            locks: Locks::empty(&host.env),
            files: Files { by_path, ..Files::default() },
        })
    }

    /// Returns all files to which the requests refer, and the index of the file for each path.
    fn files_to_open(&self, errors: &mut Vec<Error>) -> (Vec<FileToOpen>, HashMap<PathBuf, usize>) {
        let mut files_to_open: Vec<FileToOpen> = Vec::new();
        let (mut by_path, mut indexes) = (HashMap::new(), HashMap::new());
        let mut moves = self.file_moves(errors);
        // Later requests can edit a created file.
        let mut created: HashSet<&Path> = HashSet::new();
        for (number, request) in self.requests.iter().enumerate() {
            let Request { operation, address, to, .. } = request;
            if *operation == Operation::Create {
                created.insert(&address.path);
            }
            let is_written = *operation != Operation::Copy || request.options.updates_links();
            let mut moves_to = moves.remove(&number).map(|destination| (number, destination));
            let to = to.as_ref().filter(|_| request.file_destination().is_none());
            let is_key = matches!(
                request.target,
                Some(Part::Key { .. } | Part::FrontMatter { key: Some(_), .. })
            );
            let is_made = |part: &Part| {
                *part == Part::Whole || is_key && matches!(part, Part::Anchor(_) | Part::Key { .. })
            };
            let to = to.map(|to| (&to.path, true, is_made(&to.part)));
            for (path, is_written, is_made) in
                [(&address.path, is_written, false)].into_iter().chain(to)
            {
                let may_be_new = created.contains(path.as_path());
                let (resolved, is_new) = match self.resolve_or_create(path, (may_be_new, is_made)) {
                    Ok(resolved) => resolved,
                    Err(error) => {
                        errors.push(error);
                        continue;
                    }
                };
                let in_place = self.context.options.in_place;
                let linked =
                    in_place.then(|| linked_file(path, &self.context.host.env.roots)).flatten();
                let key = linked.unwrap_or_else(|| resolved.clone());
                let index = *indexes.entry(key).or_insert_with(|| {
                    let path = path.clone();
                    let (is_written, is_transferred, moves_to) = (false, false, None);
                    files_to_open.push(FileToOpen {
                        path,
                        resolved,
                        is_written,
                        is_transferred,
                        is_new,
                        moves_to,
                    });
                    files_to_open.len() - 1
                });
                files_to_open[index].is_written |= is_written;
                files_to_open[index].is_transferred |=
                    to.is_some_and(|(to, ..)| *to != address.path);
                if let Some(moves_to) = moves_to.take()
                    && files_to_open[index].moves_to.replace(moves_to).is_some()
                {
                    errors.push(Error::usage("the file is moved twice").at(path));
                }
                by_path.insert(path.clone(), index);
            }
            created.extend(request.to.iter().map(|to| to.path.as_path()));
        }
        (files_to_open, by_path)
    }

    /// Returns the destination for each request that moves a whole file.
    fn file_moves(&self, errors: &mut Vec<Error>) -> HashMap<usize, Destination> {
        let mut moves: HashMap<usize, Destination> = HashMap::new();
        for (number, request) in self.requests.iter().enumerate() {
            match file_move::destination(request, &self.context.host.env.roots) {
                Ok(Some(destination)) => {
                    let resolved = destination.resolved();
                    if moves.values().any(|other| other.resolved() == resolved) {
                        let error = Error::usage("two files would be moved to this path");
                        errors.push(error.at(&destination.path));
                    }
                    moves.insert(number, destination);
                }
                Ok(None) => {}
                Err(error) => errors.push(error),
            }
        }
        moves
    }

    /// Returns for each request the documents with affected links.
    fn with_links(&self, errors: &mut Vec<Error>) -> HashMap<usize, Vec<Linking>> {
        let mut with_links = HashMap::new();
        for (number, request) in self.requests.iter().enumerate() {
            match links::documents(self.context, request) {
                Ok(linking) => drop(with_links.insert(number, linking)),
                Err(error) => errors.push(error),
            }
        }
        with_links
    }

    /// Returns the absolute path of a file, and whether the file does not exist yet. A request
    /// creates the file if `may_be_new` is set. If `is_made` is set, a missing file is created,
    /// unless its name seems to be a typo.
    fn resolve_or_create(
        &self,
        path: &Path,
        (may_be_new, is_made): (bool, bool),
    ) -> Result<(PathBuf, bool), Error> {
        match self.context.resolver.resolve(path) {
            Ok(resolved) => Ok((resolved, false)),
            Err(error) if error.code == Code::NotFound && may_be_new => {
                self.path_of_new_file(path).map(|resolved| (resolved, true))
            }
            Err(error) => {
                let is_link = self.context.host.env.roots.link_text(path).is_some();
                if error.code == Code::NotFound && is_made && !is_link {
                    self.path_of_new_file(path).map(|resolved| (resolved, true))
                } else {
                    Err(self.missing_file_error(error, path))
                }
            }
        }
    }

    fn path_of_new_file(&self, path: &Path) -> Result<PathBuf, Error> {
        let is_name = !path.as_os_str().as_bytes().ends_with(b"/");
        let Some(name) = path.file_name().filter(|_| is_name) else {
            return Err(Error::new(Code::NotAFile, "this is the name of a directory").at(path));
        };
        let accepts_parents = |request: &Request| match (&request.to, request.operation) {
            (Some(to), _) => to.path == path,
            (None, operation) => operation == Operation::Create && request.address.path == path,
        };
        let directory = replace::place_of_new(path, &self.context.host.env.roots);
        let directory = directory.map_err(|error| {
            if error.code == Code::NotFound && self.requests.iter().any(accepts_parents) {
                Error { hints: Vec::new(), ..error }
                    .hint(Hint::with_switch(PARENTS).why("to create the directory"))
            } else {
                error
            }
        });
        directory.map(|directory| directory.join(name))
    }

    /// Returns the error for a path that does not exist, with suggestions.
    fn missing_file_error(&self, error: Error, path: &Path) -> Error {
        let is_missing = error.code == Code::NotFound;
        let request = self.requests.iter().find(|request| request.address.path == path);
        let is_whole = |request: &Request| {
            request.operation == Operation::Replace
                && request.content.is_some()
                && request.target == Some(Part::Whole)
        };
        // A hint must not contain a command that would edit a different file.
        let typed = |other: &Path| match request {
            Some(request)
                if request.operation != Operation::Create
                    && !is_whole(request)
                    && is_slip(path, other) =>
            {
                Hint::again([Change::path(path, other)])
            }
            _ => Hint::command("inspect", [other]),
        };
        let error = missing_files::missing_file_for(&typed, error, path, &self.context.host.env);
        let ends_in_slash = path.as_os_str().as_bytes().ends_with(b"/");
        // Only operations that add content, or provide the complete content, can create the file.
        let adds = |request: &&Request| request.operation == Operation::Append || is_whole(request);
        let can_be_made = is_missing && self.context.host.env.roots.link_text(path).is_none();
        match request.filter(adds) {
            Some(request)
                if can_be_made && !path.as_os_str().as_bytes().is_empty() && !ends_in_slash =>
            {
                error.hint(hints::create_file(request).why("to make it"))
            }
            _ => error,
        }
    }

    /// Returns the error for setting a key in a directory, with the command for doing so in each
    /// file.
    fn with_key_hints(&self, mut error: Error) -> Error {
        let path = error.path.clone().unwrap_or_default();
        let request = self.requests.iter().find(|request| request.address.path == path);
        let (Code::NotAFile, Some(request)) = (error.code, request) else { return error };
        if let (Operation::Set, Some(target)) = (&request.operation, &request.target)
            && let Part::FrontMatter { key: Some(key), .. } | Part::Key { key, .. } = target
        {
            let is_document = matches!(target, Part::FrontMatter { .. });
            let command = |option| Hint::again([Change::add(option, key)]);
            if is_document {
                let without_key = command(WITHOUT_KEY);
                error
                    .hints
                    .insert(0, without_key.why("in all documents below it that lack the key"));
            }
            let with_key = command(WITH_KEY).why("in all files below it that have the key");
            error.hints.insert(0, with_key);
        }
        error
    }

    fn lock_files<'l>(
        &self,
        files_to_open: &[FileToOpen],
        linking: impl Iterator<Item = &'l Linking>,
    ) -> Result<Locks, Error> {
        if self.context.options.writes_nothing() {
            return Ok(Locks::empty(&self.context.host.env));
        }
        let directory = |linking: &Linking| linking.resolved.parent().map(Path::to_owned);
        let mut directories: Vec<PathBuf> = linking.filter_map(directory).collect();
        for file_to_open in files_to_open {
            if file_to_open.is_new {
                directories
                    .push(replace::place_of_new(&file_to_open.path, &self.context.host.env.roots)?);
            } else if file_to_open.is_written {
                directories.extend(file_to_open.resolved.parent().map(Path::to_owned));
            }
            let destination = file_to_open.moves_to.as_ref().map(|(_, destination)| destination);
            directories.extend(destination.map(|destination| destination.directory.clone()));
        }
        lock_directories(&directories, &self.context.host.env)
    }
}

/// Whether two paths differ only by a typo in their last component.
fn is_slip(path: &Path, other: &Path) -> bool {
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str().map(str::to_owned));
    let parent = |path: &Path| path.parent().map(|parent| Path::new(".").join(parent));
    parent(path).map(|path| path.components().collect::<PathBuf>())
        == parent(other).map(|path| path.components().collect::<PathBuf>())
        && name(path)
            .zip(name(other))
            .is_some_and(|(file_name, other_name)| name::is_slip(&file_name, &other_name))
}
