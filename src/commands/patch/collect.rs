//! Collects the requested edits from operands, directories, conditions and JSON.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::options::PatchOptions;
use super::selected::{self, Selection};
use super::{Content, Operation, Request, json_edits, walk};
use crate::commands::host::Host;
use crate::commands::input::whole_input;
use crate::commands::output::Sink;
use folio_files::address::Address;
use folio_files::error::{Change, Error, Hint, Opt};
use folio_files::options::{AS, GLOB, KEY, KIND, MATCHING, SECTION, TYPE, WITH_KEY};
use folio_files::roots::Roots;
use folio_keys::value::Type;
use folio_outline::part::Part;

/// The requested edits.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) requests: Vec<Request>,
    /// The errors of invalid edits, if the other edits are still made.
    pub(super) refused: Vec<Error>,
    /// Whether each edit applies to the result of the previous one.
    pub(super) sequential: bool,
    /// Number of files that were searched below directories. `None` if no directory was given.
    pub(super) searched_files: Option<u64>,
    /// The parts that conditions selected.
    pub(super) selected: Vec<Selection>,
}

/// Creates one edit for each address. For a directory, creates an edit for each file below it. If
/// all matches in several files are edited, some of the files need not contain any.
fn requests_at_addresses(
    options: &PatchOptions,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Collected, Error> {
    let env = &host.env;
    let edit = &options.edit;
    let mut collected = Collected::default();
    let mut is_found = vec![false; options.edits().count()];
    for address in &options.addresses {
        let (roots, mut searched_files) = (&env.roots, 0);
        let is_directory =
            options.edits().all(|edit| walk::applies_to_directory(&edit, address, env));
        let is_json = edit.options.value_type == Some(Type::Json);
        if is_directory && is_json && options.rules.globs.is_empty() {
            let message =
                format!("{TYPE} json is the type of the value, and does not choose files");
            let glob = Hint::again([Change::add(GLOB, "*.json")]).why("to choose files");
            return Err(Error::usage(message).hint(glob));
        }
        for (index, edit) in options.edits().enumerate() {
            let requests = if is_directory {
                walk::files_with_target(&edit, address, options, host, sink).and_then(|found| {
                    searched_files = searched_files.max(found.searched_files);
                    let requests = found.paths.iter().map(|path| {
                        let request = edit.with_address(Address::whole(path), roots)?;
                        Ok(Request { is_found: true, ..request })
                    });
                    requests.collect()
                })
            } else {
                let named = edit.parse_address(address, roots);
                named.and_then(|address| Ok(vec![edit.with_address(address, roots)?]))
            };
            match requests {
                Ok(requests) => {
                    is_found[index] |= !requests.is_empty();
                    collected.requests.extend(requests);
                }
                Err(error) if options.keep_going => collected.refused.push(error),
                Err(error) => return Err(error),
            }
        }
        if is_directory {
            *collected.searched_files.get_or_insert(0) += searched_files;
        }
    }
    refuse_missing(&is_found, options, &mut collected)?;
    if options.addresses.len() > 1 || options.in_place {
        drop_repeated(&mut collected.requests, options.in_place, &env.roots);
    }
    let rules = [(&options.rules.globs, GLOB), (&options.rules.types, TYPE)];
    if collected.searched_files.is_none()
        && let Some((_, flag)) = rules.iter().find(|(given, _)| !given.is_empty())
    {
        if let (Some(format), true) = (options.documents.format, options.rules.types == ["yaml"]) {
            let message = "needs files that contain YAML";
            return Err(Error::usage(format!("{TYPE} yaml {message}, not {AS} {}", format.name())));
        }
        let type_name = options.rules.types.last().filter(|name| Type::from_name(name).is_some());
        if let (Some(name), Some(Part::Section { .. })) = (type_name, &edit.target) {
            let message =
                format!("{TYPE} {name} is the type of the value of a key, not of a section");
            let key = Hint::again([Change::Rename(SECTION, KEY)]).why("to edit a key");
            return Err(Error::usage(message).hint(key));
        }
        return Err(stray_filter(*flag, edit.operation));
    }
    let is_all = edit.options.occurrence.as_deref() == Some("all");
    if is_all && collected.requests.len() > 1 && !options.keep_going {
        for request in collected.requests.iter_mut().filter(|request| !request.is_found) {
            request.is_found = true;
            *collected.searched_files.get_or_insert(0) += 1;
        }
    }
    Ok(collected)
}

/// Fails if one of several parts is in no file below the directories, but another one is.
fn refuse_missing(
    is_found: &[bool],
    options: &PatchOptions,
    collected: &mut Collected,
) -> Result<(), Error> {
    if !is_found.contains(&true) {
        return Ok(());
    }
    let searched_files = collected.searched_files.unwrap_or_default();
    for (edit, _) in options.edits().zip(is_found).filter(|(_, is_found)| !**is_found) {
        let error = walk::nothing_found(options, &edit, searched_files);
        if !options.keep_going {
            return Err(error);
        }
        collected.refused.push(error);
    }
    Ok(())
}

/// Drops the requests for a part that an earlier request also edits: operands may name it twice,
/// also by a symlink, and a file may be below two of the directories. If files are edited in place,
/// hard links are the same file.
fn drop_repeated(requests: &mut Vec<Request>, in_place: bool, roots: &Roots) {
    let mut seen = HashSet::new();
    requests.sort_by_key(|request| request.is_found);
    requests.retain(|request| {
        let Request { address: Address { path, part, .. }, target, scope, .. } = request;
        let is_moved = request.file_destination().is_some();
        let resolved = || roots.resolve(path).ok().filter(|_| !is_moved);
        let linked = in_place.then(|| linked_file(path, roots)).flatten();
        let file = linked.or_else(resolved).unwrap_or_else(|| path.clone());
        seen.insert((file, format!("{part:?} {target:?} {scope:?}")))
    });
}

/// Returns a name for a file that all of its hard links share.
pub(super) fn linked_file(path: &Path, roots: &Roots) -> Option<PathBuf> {
    let metadata = roots.metadata(path).ok()?;
    Some(PathBuf::from(format!("{}:{}", metadata.dev(), metadata.ino())))
}

/// Returns the edits of the parts that conditions select. If files are edited in place, a file with
/// several hard links is edited only by the first of its names.
fn requests_for_conditions(
    options: &PatchOptions,
    host: &Host,
) -> Result<(Vec<Request>, Selection), Error> {
    let (mut requests, selected) = selected::requests(options, host)?;
    if options.in_place {
        let mut first: HashMap<PathBuf, PathBuf> = HashMap::new();
        requests.retain(|request| {
            let path = &request.address.path;
            linked_file(path, &host.env.roots)
                .is_none_or(|file| first.entry(file).or_insert_with(|| path.clone()) == path)
        });
    }
    Ok((requests, selected))
}

/// Returns the error for an option that filters the files of directories, if there is no directory
/// whose files are edited.
fn stray_filter(flag: Opt, operation: Operation) -> Error {
    let message = "chooses files below a directory, where a text, a named part or parts that meet \
                   conditions are edited";
    let error = Error::usage(format!("{flag} {message}"));
    if operation == Operation::Set {
        let key = Hint::again([Change::add(WITH_KEY, "NAME")])
            .why("to set a key in files that have another");
        return error.hint(key);
    }
    let file = Hint::with_value(KIND, "file").why("to insert or append in every file");
    let part = Hint::again([Change::add(MATCHING, "^NAME$")]).why("instead of a section");
    error.hint(file).hint(part)
}

/// Returns the edits that the options request.
pub(super) fn requests(
    options: &PatchOptions,
    host: &Host,
    sink: &mut dyn Sink,
) -> Result<Collected, Error> {
    let edit = &options.edit;
    if edit.operation == Operation::Apply {
        let text = match &edit.content {
            Some(Content { bytes, file: None }) => bytes.clone(),
            Some(Content { file: Some(file), .. }) => whole_input(file, host)?,
            None if host.stdin_is_data() => whole_input(OsStr::new("-"), host)?,
            None => {
                let apply = Hint::command("patch", ["apply", "FILE"]);
                let error = Error::usage("apply needs edits");
                return Err(error.hint(apply.why("or - for standard input")));
            }
        };
        return requests_of_batch(&json_edits::edits(&text)?, options, host);
    }
    let mut collected = if options.conditions.is_given() {
        let (requests, selected) = requests_for_conditions(options, host)?;
        let searched_files = edit.target.as_ref().map(|_| selected.files.len() as u64);
        let selected = vec![selected];
        Collected { requests, searched_files, selected, ..Collected::default() }
    } else {
        requests_at_addresses(options, host, sink)?
    };
    let notes = collected.selected.iter_mut().flat_map(|selection| selection.notes.drain(..));
    notes.for_each(|note| sink.note(note));
    if let Some(Content { file: Some(file), .. }) = &edit.content {
        let content = Content::new(whole_input(file, host)?, Some(file.clone()));
        let requests = collected.requests.iter_mut();
        requests.for_each(|request| request.content = Some(content.clone()));
    }
    Ok(collected)
}

/// Returns the edits of a batch. Conditions are evaluated separately for each edit.
fn requests_of_batch(
    batch: &json_edits::Batch,
    options: &PatchOptions,
    host: &Host,
) -> Result<Collected, Error> {
    let mut collected = Collected { sequential: batch.sequential, ..Collected::default() };
    for (number, batch_edit) in batch.edits.iter().enumerate() {
        let given = (!options.is_internal).then_some(&batch_edit.given);
        let in_edit = |error| {
            let error = json_edits::in_fields(error, given.map(|given| &**given));
            error.after(format!("{}: ", json_edits::edit_name(number + 1)))
        };
        let numbered = |request| Request { edit: Some(number), given: given.cloned(), ..request };
        let Some(edit_options) = batch_edit.selection_options(options).map_err(in_edit)? else {
            let requests = batch_edit.requests(&host.env.roots).map_err(in_edit)?.into_iter();
            collected.requests.extend(requests.map(numbered));
            continue;
        };
        let (requests, selected) = requests_for_conditions(&edit_options, host).map_err(in_edit)?;
        if edit_options.edit.target.is_some() {
            *collected.searched_files.get_or_insert(0) += selected.files.len() as u64;
        }
        collected.selected.push(selected);
        collected.requests.extend(requests.into_iter().map(numbered));
    }
    Ok(collected)
}
