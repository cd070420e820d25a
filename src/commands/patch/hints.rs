//! Hints that repeat a request with changes, and the parts of requests for the history.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::json_edits;
use super::{Content, Operation, Part, Request, Side};
use crate::commands::output::Note;
use crate::commands::printed_lines::part_operand;
use crate::commands::target::spell;
use folio_files::address::Address;
use folio_files::error::{Argument, Change, Hint, shell_path};
use folio_files::options::{
    ADDRESSES, AFTER, BEFORE, CONTENT, CONTENT_FILE, LINKS, OCCURRENCE, OPERATION, TO, UNIQUE,
};

/// Returns the call with the changes that make it request `other` instead of `request`.
pub(super) fn again(request: &Request, other: &Request) -> Hint {
    let mut changes = Vec::new();
    if other.operation != request.operation {
        changes.push(Change::set(OPERATION, other.operation.name()));
    }
    if other.address != request.address {
        let old = address_operand(&Address { path: PathBuf::new(), ..request.address.clone() });
        let old = match &request.address.printed {
            Some(_) => part_operand(&request.address),
            None => old.to_string_lossy().into_owned(),
        };
        changes.push(Change::address(&request.address.path, old, address_operand(&other.address)));
    }
    changes.extend(spell::changes(
        (request.target.as_ref(), request.scope.as_deref()),
        (other.target.as_ref(), other.scope.as_deref()),
    ));
    if other.side != request.side {
        changes.extend(side_changes(request.side, other.side));
    }
    if other.to.is_none() && request.to.is_some() {
        changes.push(Change::remove(TO));
    }
    if other.content != request.content {
        changes.extend(content_changes(other.content.as_ref()));
    }
    let (old_options, new_options) = (&request.options, &other.options);
    if new_options.occurrence != old_options.occurrence {
        let which = new_options.occurrence.iter().map(OsString::from).collect();
        changes.push(Change::Set(OCCURRENCE, which));
    }
    if old_options.unique && !new_options.unique {
        changes.push(Change::remove(UNIQUE));
    }
    if new_options.links && !old_options.links {
        changes.push(Change::Switch(LINKS));
    }
    Hint::again(changes)
}

fn side_changes(old: Option<Side>, new: Option<Side>) -> Vec<Change> {
    let option = |side| if side == Side::Before { BEFORE } else { AFTER };
    let removed = old.map(|old| Change::remove(option(old)));
    removed.into_iter().chain(new.map(|new| Change::Switch(option(new)))).collect()
}

fn content_changes(content: Option<&Content>) -> Vec<Change> {
    let Some(Content { bytes, file }) = content else {
        return vec![Change::remove(CONTENT), Change::remove(CONTENT_FILE)];
    };
    match file {
        Some(file) => {
            vec![Change::remove(CONTENT), Change::set(CONTENT_FILE, Path::new(file))]
        }
        None => vec![Change::remove(CONTENT_FILE), Change::set(CONTENT, OsStr::from_bytes(bytes))],
    }
}

/// Returns the call with another target and without a section in which to look for it.
pub(super) fn again_with_target(request: &Request, target: Part) -> Hint {
    again(request, &Request { target: Some(target), scope: None, ..request.clone() })
}

/// Returns a note about links that a request breaks, with the call that also updates them. If the
/// edit has been written, it must be undone first.
pub(super) fn links_left_note(request: &Request, left: String, is_written: bool) -> Note {
    let why = if is_written { "after undo" } else { "to update them too" };
    let hint = json_edits::in_edit(Hint::with_switch(LINKS).why(why), request);
    Note::at(&request.address.path, left).hint(hint)
}

/// Returns the call with another choice of matches.
pub(super) fn again_with_occurrence(which: &str) -> Hint {
    Hint::again([Change::set(OCCURRENCE, which), Change::remove(UNIQUE)])
}

pub(super) fn create_file(request: &Request) -> Hint {
    let (operation, target, scope) = (Operation::Create, None, None);
    let address = Address::whole(request.address.path.as_os_str());
    let path = Change::Set(ADDRESSES, vec![request.address.path.argument()]);
    again(request, &Request { operation, target, scope, address, ..request.clone() }).but([path])
}

pub(super) fn address_operand(address: &Address) -> OsString {
    let mut operand = address.path.argument();
    match &address.part {
        Part::Lines(ranges) => operand.push(format!(":{}", spell::ranges(ranges))),
        Part::Anchor(id) => operand.push(format!("#{id}")),
        _ => {}
    }
    operand
}

/// Maximum number of parts that the history lists for an edit. The next constant is the maximum
/// number of characters of each part.
pub(super) const MAX_PARTS: usize = 3;
const MAX_PART: usize = 60;

/// Returns the parts of requests as command-line arguments, without duplicates, up to a maximum
/// number.
pub(super) fn parts(requests: &[Request]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for request in requests {
        let words = spell::words(request.target.as_ref(), request.scope.as_deref()).into_iter();
        let words = words.map(|word| shell_path(Path::new(&word)));
        let mut part = words.collect::<Vec<_>>().join(" ");
        if let Some((cut, _)) = part.char_indices().nth(MAX_PART) {
            part.truncate(cut);
            part.push('…');
        }
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
        if parts.len() == MAX_PARTS {
            break;
        }
    }
    parts
}
