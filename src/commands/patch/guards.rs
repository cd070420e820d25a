//! Checks the preconditions of an edit: the checksums of the file and of the part, and the text of a
//! printed line.

use std::ffi::OsString;

use super::Request;
use super::planned::Planned;
use crate::commands::json::Checksum;
use crate::commands::misses::other_encoding;
use crate::commands::printed_lines::{is_current, printed_text, stale_error};
use folio_files::address::{Address, display};
use folio_files::error::{Code, Error, Hint};
use folio_files::message::Opt;
use folio_files::options::{ENCODING, IF_RANGE_MATCH};
use folio_outline::document::LoadedDocument;
use folio_outline::printed::find_printed;
use folio_text::edit::EditSet;
use folio_text::span::Span;

/// Fails if the file or the new text is UTF-8, but the other is not.
pub(super) fn check_encoding(source: &LoadedDocument, text: &[u8]) -> Result<(), Error> {
    if text.contains(&0) && !source.text().contains(&0) {
        let message = "the new text contains a NUL byte, so the file would no longer be text";
        return Err(Error::new(Code::BinaryFile, message).at(source.path()));
    }
    let Some(line) = source.line_in_other_encoding(text) else { return Ok(()) };
    if std::str::from_utf8(text).is_err() {
        let message = format!("line {line} is UTF-8, but the new text is not");
        return Err(Error::new(Code::UnsupportedEncoding, message).at(source.path()));
    }
    let message = format!(
        "line {line} is not UTF-8, but the new text is: {ENCODING} gives the encoding of the file"
    );
    Err(Error::new(Code::UnsupportedEncoding, message).at(source.path()).hint(other_encoding()))
}

/// Fails if an address is a printed line, and the document no longer has its text there. `option` is
/// the option that has the address, unless it is an operand.
pub(super) fn check_printed(
    source: &LoadedDocument,
    address: &Address,
    option: Option<Opt>,
) -> Result<(), Error> {
    let Some((lines, text)) = printed_text(address) else { return Ok(()) };
    if is_current(source.line(lines.start()), text) {
        return Ok(());
    }
    let found = find_printed(source.text(), source.outline_with_tables(), lines, text);
    stale_error(address, found, option).map_or(Ok(()), Err)
}

/// Fails if the document or the part does not have the checksum in the request.
pub(super) fn check(
    source: &LoadedDocument,
    request: &Request,
    plan: &Planned,
) -> Result<(), Error> {
    let path = source.path().to_owned();
    let part = plan.named.map(|span| {
        let lines = plan.affected.filter(|_| !span.is_empty()).map(|lines| source.span_of(lines));
        move || [span, lines.unwrap_or(span)].map(|span| checksum(source, span))
    });
    if let Some(expected) = &request.options.if_match {
        let found = file_checksum(source);
        let expected = expected.to_ascii_lowercase();
        let is_part = || {
            let checksums = part.as_ref().map(|part| part());
            checksums.is_some_and(|checksums| {
                checksums.iter().any(|checksum| checksum.starts_with(&expected))
            })
        };
        if !found.starts_with(&expected) && !is_part() {
            let part_checksum =
                part.as_ref().map(|part| format!(", of the part {}", &part()[1][..16]));
            let part_checksum = part_checksum.unwrap_or_default();
            let message = format!(
                "the checksum of the file is {}{part_checksum}, not {expected}",
                &found[..16]
            );
            let error = Error::new(Code::ChecksumMismatch, message).at(&path);
            return Err(error.hint(checksum_now(display(&path, None))));
        }
    }
    if let Some(expected) = &request.options.if_range_match {
        let Some(part) = &part else {
            let message = format!("{IF_RANGE_MATCH} needs a part, but this edit has none");
            return Err(Error::usage(message).at(&path));
        };
        let [exact, lines] = part();
        let expected = expected.to_ascii_lowercase();
        if !exact.starts_with(&expected) && !lines.starts_with(&expected) {
            let message = format!("the checksum of the part is {}, not {expected}", &lines[..16]);
            return Err(Error::new(Code::ChecksumMismatch, message)
                .at(&path)
                .hint(checksum_now(display(&path, plan.affected))));
        }
    }
    Ok(())
}

fn checksum_now(address: OsString) -> Hint {
    let read = Hint::command("read", ["--checksum".into(), address]);
    read.why("print the current checksum")
}

/// Returns the SHA-256 of a part.
pub(super) fn checksum(source: &LoadedDocument, span: Span) -> String {
    let mut checksum = Checksum::default();
    checksum.push(source.bytes(span));
    checksum.all_digits()
}

/// Returns the SHA-256 of the file.
pub(super) fn file_checksum(source: &LoadedDocument) -> String {
    edited_checksum(source, &EditSet::default())
}

/// Returns the SHA-256 of the file after edits, which are in the encoding of the file.
pub(super) fn edited_checksum(source: &LoadedDocument, edits: &EditSet) -> String {
    let mut checksum = Checksum::default();
    source.each_raw(edits, |bytes| checksum.push(bytes));
    checksum.all_digits()
}
