//! Operands of `read` and `inspect` that are not files, but lines, or a part of the file before them.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::commands::host::Host;
use crate::commands::job;
use crate::commands::target::spell::PartOption;
use folio_files::document::DocumentOptions;
use folio_files::error::{Argument, Change, Error, Hint};
use folio_outline::locate::Locator;
use folio_outline::lookup::{Matching, NameMiss, find_section};
use folio_outline::part::Part;
use folio_text::span::parse_line_ranges;

/// Fails if an operand is not a file but another operand is. Such an operand is probably a line
/// range, or part of a name without quotes. `name` is the name of the operands, and `part` contains
/// the options that select the part.
pub fn refuse_stray_operand(
    name: &'static str,
    operands: &[OsString],
    part: &[PartOption],
    host: &Host,
) -> Result<(), Error> {
    let roots = &host.env.roots;
    let exists = |operand: &&OsString| roots.exists(Path::new(operand));
    let is_word = |operand: &&OsString| {
        let text = operand.to_str();
        text.is_some_and(|text| !text.contains(['/', '.', ':', '#', '@']) && text != "-")
    };
    let Some(stray) = operands.iter().filter(is_word).find(|operand| !exists(operand)) else {
        return Ok(());
    };
    let Some(file) = operands.iter().find(exists) else { return Ok(()) };
    let text = stray.to_string_lossy();
    let error = Error::usage(format!("'{text}' is not a file"));
    if parse_line_ranges(&text).is_ok() {
        let address = OsString::from_iter([file.as_os_str(), ":".as_ref(), stray]);
        return Err(error.hint(Hint::with_value(name, &address).why("lines of a file")));
    }
    match part.last() {
        Some((option, Some(value))) => {
            let rest = operands.iter().filter(|operand| *operand != stray).cloned().collect();
            let whole = Change::replace(option, value, format!("{value} {text}"));
            let hint = Hint::again([Change::Set(name, rest), whole]);
            Err(error.hint(hint.why("quote a name that contains spaces")))
        }
        Some((_, None)) => Ok(()),
        None => refuse_name(name, operands, (file, stray), host),
    }
}

/// Fails if the words after a file are the name of one of its parts.
fn refuse_name(
    name: &'static str,
    operands: &[OsString],
    (file, stray): (&OsString, &OsString),
    host: &Host,
) -> Result<(), Error> {
    let place = |word: &OsString| operands.iter().position(|operand| operand == word);
    let words = place(file).zip(place(stray)).filter(|(file, stray)| file < stray);
    let Some(words) = words.and_then(|(_, stray)| operands.get(stray..)) else { return Ok(()) };
    let words = words.join(OsStr::new(" ")).to_string_lossy().into_owned();
    let Ok(document) = job::open(Path::new(file), &DocumentOptions::default(), host) else {
        return Ok(());
    };
    let Ok(outline) = document.outline() else { return Ok(()) };
    let is_section = match find_section(outline, &words, None, Matching::Relaxed) {
        Ok(_) | Err(NameMiss::Ambiguous { .. }) => true,
        Err(NameMiss::NotFound { .. }) => false,
    };
    let key = Part::Key { section: None, key: words.clone(), value: false };
    let matching = Matching::Exact;
    let locator = Locator { outline, names: None, scope: None, matching };
    let has_key = || matches!(locator.entry(&key), Ok(Some(entry)) if entry.found.is_ok());
    let (option, what) = match is_section {
        true => ("--section", "a section"),
        false if has_key() => ("--key", "a key"),
        false => return Ok(()),
    };
    let file = Path::new(file);
    let message = format!("'{words}' is not a file, but {what} of {}", file.display());
    let part = [
        Change::Set(name, vec![file.argument()]),
        Change::set(option, words),
        Change::Command(&["read"]),
    ];
    Err(Error::usage(message).hint(Hint::again(part)))
}
