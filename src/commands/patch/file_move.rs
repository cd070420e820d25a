//! Moves a whole file: determines and checks the destination.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::options::PatchOptions;
use super::{Operation, Part, Request, Side, hints};
use folio_files::env::Env;
use folio_files::error::{Change, Code, Error, Hint};
use folio_files::link_target::folds_case;
use folio_files::options::{BACKUP, BEFORE, IN_PLACE, PARENTS};
use folio_files::replace;
use folio_files::roots::Roots;

/// The destination of a moved file.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    /// The path as the user gave it.
    pub(super) path: PathBuf,
    /// The directory, with symlinks resolved.
    pub(super) directory: PathBuf,
}

impl Destination {
    /// Returns the destination as an absolute path with symlinks resolved.
    pub(super) fn resolved(&self) -> PathBuf {
        self.directory.join(self.path.file_name().unwrap_or_default())
    }
}

/// Refuses options that do not apply to moving a file.
pub(super) fn check(requests: &[Request], options: &PatchOptions) -> Result<(), Error> {
    let Some(request) = requests.iter().find(|request| request.file_destination().is_some()) else {
        return Ok(());
    };
    let is_before = request.side == Some(Side::Before);
    for (is_given, flag) in
        [(options.backup.is_some(), BACKUP), (options.in_place, IN_PLACE), (is_before, BEFORE)]
    {
        if is_given {
            let message = format!("{flag} has no effect on moving a file");
            return Err(Error::usage(message).at(&request.address.path));
        }
    }
    Ok(())
}

/// With `--parents`, creates the missing directories of new and moved files, and returns them.
///
/// # Errors
///
/// Fails if a directory cannot be created, or is missing in a dry run.
pub(super) fn make_parents(
    requests: &[Request],
    options: &PatchOptions,
    env: &Env,
) -> Result<Vec<PathBuf>, Error> {
    let mut made = Vec::new();
    for request in requests.iter().filter(|_| options.parents) {
        let path = match (request.file_destination(), request.operation) {
            (Some(to), _) if to.as_os_str().as_bytes().ends_with(b"/") => to.join("file"),
            (Some(to), _) => to.to_owned(),
            (None, Operation::Create) => request.address.path.clone(),
            (None, _) => match &request.to {
                Some(to) => to.path.clone(),
                None => continue,
            },
        };
        let missing = env.roots.missing_directories(&path);
        let missing = missing.inspect_err(|_| env.roots.remove_directories(&made))?;
        if let Some(first) = missing.first().filter(|_| options.writes_nothing()) {
            return Err(Error::usage("a dry run does not create the directory").at(first));
        }
        made.extend(missing.iter().cloned());
        if let Err(error) = env.roots.create_directories(&missing) {
            env.roots.remove_directories(&made);
            return Err(error);
        }
    }
    Ok(made)
}

/// Returns the destination of a request that moves a whole file, or `None` for other requests.
///
/// # Errors
///
/// Fails if the destination exists.
pub(super) fn destination(request: &Request, roots: &Roots) -> Result<Option<Destination>, Error> {
    let Some(to) = request.file_destination() else { return Ok(None) };
    let from = &request.address.path;
    if let (Some(_), Ok(target)) = (roots.link_text(from), roots.resolve(from)) {
        let target_hint = Hint::again([Change::path(from, &target)]).why("the target of the link");
        let message = "it is a symlink, and folio moves only regular files";
        return Err(Error::usage(message).at(from).hint(target_hint));
    }
    let name = from.file_name().unwrap_or_default();
    let is_directory = roots.is_directory(to);
    if !is_directory && to.as_os_str().as_bytes().ends_with(b"/") {
        let error = Error::new(Code::NotFound, "no such directory").at(to);
        return Err(with_parents(error));
    }
    let path = if is_directory { to.join(name) } else { to.to_owned() };
    let directory = replace::place_of_new(&path, roots).map_err(|error| match error.code {
        Code::NotFound => with_parents(Error { hints: Vec::new(), ..error }),
        _ => error,
    })?;
    let destination = Destination { path, directory };
    if roots.exists(&destination.path) {
        Err(destination_exists_error(request, &destination, roots))
    } else {
        Ok(Some(destination))
    }
}

/// Adds the hint that `--parents` creates the missing directories.
fn with_parents(error: Error) -> Error {
    error.hint(Hint::with_switch(PARENTS).why("to create the directory"))
}

fn destination_exists_error(request: &Request, destination: &Destination, roots: &Roots) -> Error {
    let (from, to) = (&request.address.path, &destination.path);
    let resolved = |path: &Path| roots.resolve(path).ok();
    if resolved(from).is_some_and(|source| source == destination.resolved()) {
        return Error::usage("already exists").at(to);
    }
    let is_same = roots.look(from).ok().flatten().map(|status| status.id())
        == roots.look(to).ok().flatten().map(|status| status.id());
    if is_same && folds_case(from, roots).unwrap_or(false) {
        return Error::usage("this disk does not distinguish names that differ only in case")
            .at(to)
            .hint("move it to a third name first, and then to this one");
    }
    let error = Error::usage("already exists; move never replaces a file").at(to);
    if !roots.is_file(to) {
        return error;
    }
    let whole_file = Request { target: Some(Part::Whole), ..request.clone() };
    error.hint(hints::again(request, &whole_file).why("to append its text to that file"))
}
