//! Converts requests to command lines, for use in hints.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::options::{MAX_DELETE, Options};
use super::{Content, Operation, Request, Side, Target};
use crate::commands::misses::{Flag, document_flags};
use crate::commands::output::Note;
use crate::commands::target::spell;
use crate::error::{Argument, Error, Hint, shell_path};
use crate::files::address::{Address, Part};
use crate::text::lines::without_end;

/// Maximum length in bytes of content that is repeated in a hint.
const SPELT: usize = 160;

/// Returns the command for a request.
pub(super) fn typed(request: &Request) -> Hint {
    let mut words = vec![OsString::from(request.operation.name())];
    words.extend(part(request));
    let mut flag = |name: &str, value: Option<OsString>| {
        words.push(name.into());
        words.extend(value);
    };
    if let Some(to) = &request.to {
        flag("--to", Some(address(&to.path, &to.part)));
    }
    match request.side {
        Some(Side::Before) => flag("--before", None),
        Some(Side::After) if request.operation == Operation::Insert => flag("--after", None),
        _ => {}
    }
    let options = &request.options;
    if let Some(value_type) = options.value_type {
        flag("--type", Some(value_type.name().into()));
    }
    if options.links {
        flag("--links", None);
    }
    options.links_in.iter().for_each(|path| flag("--links-in", Some(path.into())));
    if let Some(which) = options.occurrence.as_ref().filter(|which| *which != "first") {
        flag("--occurrence", Some(which.into()));
    }
    for (given, name) in [
        (options.unique, "--unique"),
        (options.outside_code, "--outside-code"),
        (options.only_code, "--only-code"),
        (options.outside_comments, "--outside-comments"),
        (options.expand, "--expand"),
        (options.no_preserve_indent && !options.exact, "--no-preserve-indent"),
        (options.exact, "--exact"),
    ] {
        if given {
            flag(name, None);
        }
    }
    for (checksum, name) in
        [(&options.if_match, "--if-match"), (&options.if_range_match, "--if-range-match")]
    {
        if let Some(checksum) = checksum {
            flag(name, Some(checksum.into()));
        }
    }
    if let Some(expected) = options.expect {
        flag("--expect", Some(expected.to_string().into()));
    }
    options.set.iter().for_each(|pair| flag("--set", Some(pair.into())));
    if let Some(content) = &request.content {
        content_flags(content, &mut flag);
    }
    Hint::command("patch", words)
}

/// Returns the options that select the part of a request.
pub(super) fn part(request: &Request) -> Vec<OsString> {
    let mut words = vec![address(&request.address.path, &request.address.part)];
    words.extend(spell::arguments(request.target.as_ref(), request.scope.as_deref()));
    words
}

/// Returns the options of the run that its hints must repeat. For example, if the run has
/// `--dry-run`, its hints also have it, so that they do not write anything either.
pub(super) fn of_run(options: &Options) -> Vec<Flag> {
    let given = [
        (options.dry_run, "--dry-run"),
        (options.check, "--check"),
        (options.diff, "--diff"),
        (options.preview, "--preview"),
        (options.in_place, "--in-place"),
        (options.no_undo, "--no-undo"),
        (options.no_sync, "--no-sync"),
        (options.checksum, "--checksum"),
        (options.follow, "--follow"),
    ];
    let given = given.iter().filter(|(given, _)| *given);
    let mut flags: Vec<Flag> = given.map(|(_, flag)| vec![flag.into()]).collect();
    let mut flag = |name: &str, value: OsString| flags.push(vec![name.into(), value]);
    options.backup.iter().for_each(|suffix| flag("--backup", suffix.into()));
    let limit = options.max_delete.filter(|most| ![MAX_DELETE, u64::MAX].contains(most));
    limit.iter().for_each(|most| flag("--max-delete", most.to_string().into()));
    options.max_files.iter().for_each(|most| flag("--max-files", most.to_string().into()));
    let patterns = options.section_patterns.iter();
    patterns.for_each(|pattern| flag("--section-pattern", pattern.into()));
    flags.extend(document_flags(&options.documents));
    flags
}

/// Returns the command for the same request with another target and scope.
pub(super) fn of_target(request: &Request, target: Option<&Target>, scope: Option<&str>) -> Hint {
    let (target, scope) = (target.cloned(), scope.map(str::to_owned));
    typed(&Request { target, scope, ..request.clone() })
}

/// Returns the command for the same request with another anchor, if the request has an anchor.
pub(super) fn with_anchor(request: &Request, path: &Path, id: &str) -> Option<Hint> {
    let mut other = request.clone();
    let is_own = request.address.path == path;
    match (&mut other.address.part, &mut other.target) {
        (Part::Anchor(own), _) | (_, Some(Target::Anchor(own))) if is_own => *own = id.to_owned(),
        _ => {
            other.to.as_mut()?.part = Part::Anchor(id.to_owned());
        }
    }
    Some(typed(&other))
}

/// Returns the command for the same request with additional options.
pub(super) fn with_flags(request: &Request, flags: &[&str]) -> Hint {
    let hint = typed(request);
    let args = if let Hint::Command { args, .. } = &hint { args.as_slice() } else { &[] };
    let is_new = |flag: &&&str| !args.iter().any(|word| word == **flag);
    let more: Vec<&str> = flags.iter().filter(is_new).copied().collect();
    hint.and(more)
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
        Part::Whole => {}
        Part::Lines(ranges) => {
            address.push(format!(":{}", spell::ranges(ranges)));
        }
        Part::Anchor(id) => address.push(format!("#{id}")),
    }
    address
}

/// Standard input cannot be read again, so content from it is not repeated.
fn content_flags(content: &Content, flag: &mut impl FnMut(&str, Option<OsString>)) {
    let mut bytes = &content.bytes[..];
    match &content.file {
        Some(file) if file != "-" => {
            return flag("--content-file", Some(Path::new(file).argument()));
        }
        Some(_) => bytes = without_end(bytes),
        None => {}
    }
    if bytes.len() > SPELT || bytes.contains(&0) {
        return flag("--content-file", Some("CONTENT".into()));
    }
    flag("--content", Some(OsStr::from_bytes(bytes).into()));
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
        let words = spell::arguments(request.target.as_ref(), request.scope.as_deref());
        let words = words.iter().map(|word| shell_path(Path::new(word)));
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
    use crate::files::roots::Roots;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let edits = json_edits::edits(json.as_bytes()).expect("edits");
        let one = &edits.edits[0];
        let request = one.request(&Roots::default());
        assert_eq!(typed(&request.expect("a request")).line(), expected);
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
