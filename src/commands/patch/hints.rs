//! Converts requests to command lines, for use in hints.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::options::{MAX_DELETE, PatchOptions};
use super::{Content, Operation, Part, Request, Side};
use crate::commands::hint_flags::HintFlags;
use crate::commands::output::Note;
use crate::commands::target::spell;
use folio_files::address::Address;
use folio_files::error::{Argument, Error, Hint, shell_path};
use folio_text::lines::without_end;

/// Maximum length in bytes of content that is repeated in a hint.
const SPELT: usize = 160;

/// Returns the command for a request.
pub(super) fn typed(request: &Request) -> Hint {
    let (options, side) = (&request.options, request.side);
    let is_after = side == Some(Side::After) && request.operation == Operation::Insert;
    let flags = HintFlags::default()
        .values("--to", request.to.as_ref().map(|to| address(&to.path, &to.part)))
        .switches(&[(side == Some(Side::Before), "--before"), (is_after, "--after")])
        .values("--type", options.value_type.map(|value_type| value_type.name()))
        .switches(&[(options.links, "--links")])
        .values("--links-in", &options.links_in)
        .values("--occurrence", &options.occurrence)
        .switches(&[
            (options.unique, "--unique"),
            (options.outside_code, "--outside-code"),
            (options.only_code, "--only-code"),
            (options.outside_comments, "--outside-comments"),
            (options.expand, "--expand"),
            (options.no_preserve_indent && !options.exact, "--no-preserve-indent"),
            (options.exact, "--exact"),
        ])
        .values("--if-match", &options.if_match)
        .values("--if-range-match", &options.if_range_match)
        .values("--expect", options.expect.map(|expected| expected.to_string()))
        .values("--set", &options.set);
    let words = Hint::command("patch", [request.operation.name()]).and(part(request)).and(flags);
    match &request.content {
        Some(content) => words.and(content_words(content)),
        None => words,
    }
}

/// Returns the address of a request, and the options that select its part.
pub(super) fn part(request: &Request) -> impl Iterator<Item = OsString> {
    let address = address(&request.address.path, &request.address.part);
    let flags = spell::flags(request.target.as_ref(), request.scope.as_deref());
    [address].into_iter().chain(flags)
}

/// Returns the options of the run that its hints must repeat. For example, if the run has
/// `--dry-run`, its hints also have it, so that they do not write anything either.
pub(super) fn of_run(options: &PatchOptions) -> HintFlags {
    let limit = options.max_delete.filter(|most| ![MAX_DELETE, u64::MAX].contains(most));
    HintFlags::default()
        .switches(&[
            (options.dry_run, "--dry-run"),
            (options.check, "--check"),
            (options.diff, "--diff"),
            (options.preview, "--preview"),
            (options.in_place, "--in-place"),
            (options.no_undo, "--no-undo"),
            (options.no_sync, "--no-sync"),
            (options.checksum, "--checksum"),
            (options.follow, "--follow"),
        ])
        .values("--backup", &options.backup)
        .values("--max-delete", limit.map(|most| most.to_string()))
        .values("--max-files", options.max_files.map(|most| most.to_string()))
        .values("--section-pattern", &options.section_patterns)
        .of_documents(&options.documents)
}

/// Returns the command for the same request with another target and scope.
pub(super) fn of_target(request: &Request, target: Option<&Part>, scope: Option<&str>) -> Hint {
    let (target, scope) = (target.cloned(), scope.map(str::to_owned));
    typed(&Request { target, scope, ..request.clone() })
}

/// Returns the command for the same request with another anchor, if the request has an anchor.
pub(super) fn with_anchor(request: &Request, path: &Path, id: &str) -> Option<Hint> {
    let mut other = request.clone();
    let is_own = request.address.path == path;
    match (&mut other.address.part, &mut other.target) {
        (Part::Anchor(own), _) | (_, Some(Part::Anchor(own))) if is_own => *own = id.to_owned(),
        _ => {
            other.to.as_mut()?.part = Part::Anchor(id.to_owned());
        }
    }
    Some(typed(&other))
}

/// Returns the command for the same request with additional options.
pub(super) fn with_flags(request: &Request, flags: &HintFlags) -> Hint {
    let mut hint = typed(request);
    flags.complete(&mut hint, "patch");
    hint
}

/// Returns a note about links that a request breaks, with a command that also updates them. If the
/// edit has been written, it must be undone first.
pub(super) fn of_links_left(request: &Request, left: String, is_written: bool) -> Note {
    let mut other = request.clone();
    other.options.links = true;
    let why = if is_written { "after undo" } else { "to update them too" };
    Note::at(&request.address.path, left).hint(typed(&other).why(why))
}

/// Returns the command for the same request with another choice of matches.
pub(super) fn of_occurrence(request: &Request, which: &str) -> Hint {
    let mut other = request.clone();
    other.options.occurrence = Some(which.to_owned());
    other.options.unique = false;
    typed(&other)
}

/// Returns the command that creates the file.
pub(super) fn of_new_file(request: &Request) -> Hint {
    let (operation, target, scope) = (Operation::Create, None, None);
    let address = Address::whole(request.address.path.as_os_str());
    typed(&Request { operation, target, scope, address, ..request.clone() })
}

/// Replaces hints that list files with the same request for each of these files.
pub(super) fn of_candidates(request: &Request, mut error: Error) -> Error {
    for hint in &mut error.hints {
        if let Hint::Command { name: "patch", args, .. } = hint
            && let [file] = &args[..]
        {
            *hint = of_file(request, Path::new(file));
        }
    }
    error
}

/// Returns the command for the same request on another file.
pub(super) fn of_file(request: &Request, path: &Path) -> Hint {
    let mut other = request.clone();
    other.address.path = path.to_owned();
    typed(&other)
}

fn address(path: &Path, part: &Part) -> OsString {
    let mut address = path.argument();
    match part {
        Part::Lines(ranges) => {
            address.push(format!(":{}", spell::ranges(ranges)));
        }
        Part::Anchor(id) => address.push(format!("#{id}")),
        _ => {}
    }
    address
}

/// Standard input cannot be read again, so content from it is not repeated.
fn content_words(content: &Content) -> [OsString; 2] {
    let mut bytes = &content.bytes[..];
    match &content.file {
        Some(file) if file != "-" => {
            return ["--content-file".into(), Path::new(file).argument()];
        }
        Some(_) => bytes = without_end(bytes),
        None => {}
    }
    if bytes.len() > SPELT || bytes.contains(&0) {
        return ["--content-file".into(), "CONTENT".into()];
    }
    ["--content".into(), OsStr::from_bytes(bytes).into()]
}

/// Maximum number of parts that the history lists for an edit. The next constant is the maximum
/// number of characters of each part.
const MAX_PARTS: usize = 3;
const MAX_PART: usize = 60;

/// Returns the parts of requests as command-line arguments, without duplicates, up to a maximum
/// number.
pub(super) fn parts(requests: &[Request]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for request in requests {
        let words = spell::flags(request.target.as_ref(), request.scope.as_deref()).into_iter();
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

#[cfg(test)]
mod tests {
    use super::super::json_edits;
    use super::*;
    use folio_files::roots::Roots;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let edits = json_edits::edits(json.as_bytes()).expect("edits");
        let one = &edits.edits[0];
        let requests = one.requests(&Roots::default()).expect("requests");
        assert_eq!(typed(&requests[0]).line(), expected);
    }

    #[test]
    fn requests_are_converted_to_command_lines() {
        check(
            r###"{"filePath":"a b.md","operation":"replace","target":{"heading":"## A"},"content":"x\ny"}"###,
            r"folio patch replace 'a b.md' --heading '## A' --content $'x\x0ay'",
        );
        check(
            r#"{"filePath":"a","operation":"insert","after":true,"target":{"text":"-x"},"content":"y","ignoreCase":true,"occurrence":2}"#,
            "folio patch insert a --text -x --ignore-case --after --occurrence 2 --content y",
        );
        check(
            r#"{"filePath":"a","operation":"move","target":{"section":"s","key":"k"},"to":"b:3","before":true}"#,
            "folio patch move a --section s --key k --to b:3 --before",
        );
    }
}
