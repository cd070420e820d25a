//! Creates a request for each part that meets the conditions.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::options::PatchOptions;
use super::{Operation, Part, Request, walk};
use crate::commands::conditions::scan::Scan;
use crate::commands::conditions::{PartKind, Parts, SelectedPart, Selector};
use crate::commands::host::Host;
use crate::commands::output::{Collected, Note, counted};
use crate::commands::shared_args::{contradiction, section_patterns};
use crate::commands::target::spell::Flag;
use folio_files::address::Address;
use folio_files::env::Env;
use folio_files::error::{Change, Code, Error, Hint};
use folio_files::listing::WalkOptions;
use folio_files::options::{EXPECT, INNERMOST, LEVEL};
use folio_outline::part::SectionPart;
use folio_text::span::LineRange;

/// Maximum number of parts to edit in one run. Each part takes about 2 KiB of memory.
const MAX_PARTS: usize = 20_000;

/// Returns a request for each selected part in the files of the addresses, and the selected files.
///
/// # Errors
///
/// Fails if no part is selected, if a file cannot be read, if the number of parts differs from the
/// expected number, or if a part and one nested in it would both be deleted.
pub(super) fn requests(
    options: &PatchOptions,
    host: &Host,
) -> Result<(Vec<Request>, Selection), Error> {
    let PatchOptions { addresses, edit, .. } = options;
    addresses.iter().try_for_each(|address| walk::refuse_link(address, options, &host.env))?;
    let (files, notes) = select(addresses, options, host)?;
    let count = files.iter().map(|file| file.parts.len() as u64).sum();
    if let Some(expected) = options.expect_parts.filter(|&expected| expected != count) {
        let are = counted(count, "part");
        let message = format!("the conditions select {are}, but {EXPECT} is {expected}");
        return Err(Error::new(Code::CountMismatch, message));
    }
    let is_whole = edit.target.is_none()
        && matches!(edit.operation, Operation::Replace | Operation::Delete | Operation::Move);
    let mut requests = Vec::with_capacity(count as usize);
    for file in &files {
        if let Some(error) = file.nested.as_ref().filter(|_| is_whole) {
            return Err(error.clone());
        }
        for part in &file.parts {
            for edit in options.edits() {
                requests.push(request_for_part(&file.path, part, &edit, &host.env)?);
            }
        }
    }
    Ok((requests, Selection { options: options.clone(), files, notes }))
}

/// The files with selected parts, and the conditions that selected them.
#[derive(Debug)]
pub(super) struct Selection {
    options: PatchOptions,
    pub(super) files: Vec<File>,
    pub(super) notes: Vec<Note>,
}

#[derive(Debug)]
pub(super) struct File {
    path: PathBuf,
    parts: Vec<Chosen>,
    /// The error, if the edit of one selected part would delete another, which is nested in it.
    nested: Option<Error>,
}

/// The properties of a selected part that an edit needs.
#[derive(Debug)]
struct Chosen {
    kind: PartKind,
    lines: Option<LineRange>,
    target: Option<Part>,
}

impl Chosen {
    fn is_section(&self) -> bool {
        matches!(self.target, Some(Part::Section { .. }))
    }
}

impl File {
    fn new(path: &Path, parts: Parts<'_>) -> Self {
        let mut file = Self { path: path.to_owned(), parts: Vec::new(), nested: None };
        let mut enclosing: Option<(SelectedPart, LineRange)> = None;
        for mut part in parts {
            let (kind, lines, target) = (part.kind, part.lines, part.target.take());
            file.parts.push(Chosen { kind, lines, target });
            let Some(lines) = lines else { continue };
            if let Some((outer, range)) = &enclosing
                && range.end() >= lines.start()
                && (part.kind != PartKind::Key || is_below(&part.name, &outer.name))
                && file.nested.is_none()
            {
                file.nested = Some(nested_error(path, outer, &part));
            }
            enclosing = Some((part, lines));
        }
        file
    }
}

/// Returns the files of the addresses, with their selected parts, and notes.
fn select(
    addresses: &[OsString],
    options: &PatchOptions,
    host: &Host,
) -> Result<(Vec<File>, Vec<Note>), Error> {
    let entries = section_patterns(&options.section_patterns)?;
    let selector = Selector::new(&options.conditions, entries)?.with_targets(MAX_PARTS);
    let walk = WalkOptions { rules: options.rules.clone(), ..WalkOptions::default() };
    let scan = Scan {
        selector: &selector,
        documents: &options.documents,
        walk: &walk,
        resolve: options.resolve,
        host,
    };
    // A file that cannot be read may contain further parts, so nothing is edited.
    let mut seen = Collected::text();
    let found = scan.all(addresses, &mut seen, File::new);
    match seen.errors.into_iter().next() {
        Some(error) => Err(error),
        None => Ok((found?, seen.notes)),
    }
}

/// Evaluates the conditions again, after the files were locked.
///
/// # Errors
///
/// Fails if other parts now meet the conditions, because names and line numbers may then refer to
/// different parts.
pub(super) fn check_again(
    selections: &[Selection],
    requests: &[Request],
    host: &Host,
) -> Result<(), Error> {
    let edited: HashSet<&Path> =
        requests.iter().map(|request| request.address.path.as_path()).collect();
    selections.iter().try_for_each(|selection| check_selection(selection, &edited, host))
}

fn check_selection(
    selection: &Selection,
    edited: &HashSet<&Path>,
    host: &Host,
) -> Result<(), Error> {
    let options = &selection.options;
    let before = parts_by_path(&selection.files, edited);
    if before.is_empty() || options.writes_nothing() {
        return Ok(());
    }
    let addresses = if options.conditions.across || options.resolve {
        options.addresses.clone()
    } else {
        addresses_of(&before, &options.addresses, &host.env)
    };
    let now = match select(&addresses, options, host) {
        Err(error) if error.code == Code::TargetNotFound => Vec::new(),
        now => now?.0,
    };
    let now = parts_by_path(&now, edited);
    match before.iter().find(|(path, parts)| now.get(*path) != Some(parts)) {
        Some((path, _)) => {
            let message = "it changed while its parts were selected";
            Err(Error::new(Code::FileChanged, message).at(path).hint("run the command again"))
        }
        None => Ok(()),
    }
}

/// Returns the selected parts of each file, by path. A part is identified by its name regardless of
/// its position, or else by its lines.
type PartsByPath<'a> = BTreeMap<&'a Path, Vec<(Option<&'a Part>, Option<LineRange>)>>;

fn parts_by_path<'a>(files: &'a [File], edited: &HashSet<&Path>) -> PartsByPath<'a> {
    let mut found = PartsByPath::new();
    // The addresses contain a file once for each of its parts.
    for file in files.iter().filter(|file| edited.contains(file.path.as_path())) {
        found.entry(&file.path).or_default().extend(file.parts.iter().map(|part| {
            let target = part.target.as_ref();
            (target, part.lines.filter(|_| target.is_none()))
        }));
    }
    found
}

/// Returns the addresses of `files`. If `addresses` does not contain a file, its path is used.
fn addresses_of(files: &PartsByPath<'_>, addresses: &[OsString], env: &Env) -> Vec<OsString> {
    let path_of = |typed: &OsString| {
        let address = Address::parse(typed, |path| env.roots.exists(path));
        address.map(|address| address.path).unwrap_or_default()
    };
    let paths: Vec<PathBuf> = addresses.iter().map(path_of).collect();
    let typed = addresses.iter().zip(&paths).filter(|(_, path)| files.contains_key(path.as_path()));
    let named: HashSet<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let walked = files.keys().filter(|path| !named.contains(*path));
    let walked = walked.map(|path| path.as_os_str().to_owned());
    typed.map(|(typed, _)| typed.clone()).chain(walked).collect()
}

/// Whether a key path leads to an entry within that of another. Entries beside each other may share
/// a line.
fn is_below(path: &[u8], other: &[u8]) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.starts_with(b".") || rest.starts_with(b"["))
}

/// Returns the error for a selected part that is nested in another.
fn nested_error(path: &Path, outer: &SelectedPart, inner: &SelectedPart) -> Error {
    let name = |part: &SelectedPart| String::from_utf8_lossy(&part.path()).into_owned();
    let (outer_name, inner_name) = (name(outer), name(inner));
    let message =
        format!("'{inner_name}' is selected, and so is '{outer_name}', which contains it");
    let error = Error::new(Code::OverlappingEdits, message).at(path);
    let error = error.hint(Hint::with_switch(INNERMOST).why("only parts that contain no other"));
    let level = inner.level.map(|level| {
        let hint = Hint::with_value(LEVEL, level.to_string());
        hint.why("only parts of one level")
    });
    level.into_iter().fold(error, Error::hint)
}

/// Returns the request for a part, or for the target within it.
fn request_for_part(
    path: &Path,
    part: &Chosen,
    edit: &Request,
    env: &Env,
) -> Result<Request, Error> {
    let mut part_edit = edit.clone();
    match (part.lines, &mut part_edit.target) {
        (Some(lines), None) => part_edit.target = Some(part_target(part, lines, edit.operation)),
        (Some(lines), Some(Part::Match(query))) if !part.is_section() && query.within.is_none() => {
            query.within = Some(Box::new(part_target(part, lines, Operation::Replace)));
        }
        (Some(_), Some(target)) => part_edit.scope = scope_in_part(target, part, path)?,
        (None, None) if edit.operation == Operation::Insert => {
            part_edit.target = Some(Part::Whole);
        }
        (None, _) => {}
    }
    let request = part_edit.with_address(Address::whole(path), &env.roots)?;
    // A part that does not contain the target is skipped.
    Ok(Request { is_found: edit.target.is_some(), ..request })
}

/// Returns the target of a part. It is the name of the part, so that the part is edited as if the
/// user had given that name.
fn part_target(part: &Chosen, lines: LineRange, operation: Operation) -> Part {
    let has_fences = operation.carries() || operation == Operation::Delete;
    match part.target.clone() {
        Some(Part::Section { name, children, .. })
            if part.kind == PartKind::Heading && operation == Operation::Rename =>
        {
            Part::Section { name, part: SectionPart::Heading, children }
        }
        Some(Part::CodeBlock { language, index, symbol, .. }) => {
            Part::CodeBlock { language, index, fences: has_fences, symbol }
        }
        Some(target) => target,
        None => Part::Lines(vec![lines]),
    }
}

/// Returns the section in which to look for the target.
fn scope_in_part(target: &mut Part, part: &Chosen, path: &Path) -> Result<Option<String>, Error> {
    let flag = target.flag();
    let leave_out = Hint::again([Change::remove(flag)]).why("the parts themselves are edited");
    let name = match &part.target {
        Some(Part::Section { name, .. }) => name.clone(),
        _ => {
            let kind = part.kind.name();
            let message = format!("{flag} cannot be used in parts of kind {kind}");
            return Err(Error::usage(message).at(path).hint(leave_out));
        }
    };
    match target {
        Part::Key { section: section @ None, .. } => *section = Some(name),
        Part::Key { .. } | Part::Lines(_) | Part::Whole | Part::FrontMatter { .. } => {
            return Err(contradiction(flag, "conditions on parts of files").hint(leave_out));
        }
        _ => return Ok(Some(name)),
    }
    Ok(None)
}
