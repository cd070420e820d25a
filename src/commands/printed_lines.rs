//! Refuses addresses that are printed lines, such as `a.md:3:text`, if the document no longer has
//! this text there.

use std::ffi::OsString;

use super::target::spell;
use folio_files::address::{Address, display};
use folio_files::error::{Change, Code, Error, Hint, Message};
use folio_files::message::Opt;
use folio_outline::part::Part;
use folio_outline::printed::{PrintedLine, is_printed_line};
use folio_text::span::LineRange;

/// Maximum number of characters of a printed text in a message.
const SHOWN: usize = 60;

/// Returns the lines of an address and the text that was printed after them, if there is one.
pub fn printed_text(address: &Address) -> Option<(LineRange, &[u8])> {
    match (&address.part, &address.printed) {
        (Part::Lines(ranges), Some(text)) => Some((*ranges.first()?, text)),
        _ => None,
    }
}

/// Whether a line is the printed one, or is not compared: after a line and a column, a message may
/// follow instead of the text.
pub fn is_current(line: &[u8], printed: &[u8]) -> bool {
    let digits = printed.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_message = digits > 0 && printed[digits..].starts_with(b": ");
    is_printed_line(line, printed) || is_message
}

/// Returns the error for an address whose text is at another place. `option` is the option that has
/// the address, unless it is an operand.
pub fn stale_error(address: &Address, found: PrintedLine, option: Option<Opt>) -> Option<Error> {
    let (lines, text) = printed_text(address)?;
    let shown = String::from_utf8_lossy(text.trim_ascii()).into_owned();
    let is_cut = shown.chars().count() > SHOWN;
    let shown: String =
        shown.chars().take(SHOWN).collect::<String>() + if is_cut { "…" } else { "" };
    let line = lines.start();
    let mut message = Message::from(format!("line {line} is not '{shown}'"));
    let moved = match found {
        PrintedLine::Unchanged => return None,
        PrintedLine::Moved(lines) => {
            message.push(format!("; this text is only on line {}", lines.start()));
            Some(display(&address.path, Some(lines)))
        }
        PrintedLine::Missing => None,
    };
    let error = Error::new(Code::TargetNotFound, message).at(&address.path);
    let change = |new: OsString| match option {
        Some(option) => Change::set(option, new),
        None => Change::address(&address.path, part_operand(address), new),
    };
    Some(error.hint(match moved {
        Some(new) => Hint::again([change(new)]).why("the line with this text"),
        None => {
            let given = display(&address.path, Some(lines));
            Hint::command("read", [given]).why("what is there now")
        }
    }))
}

/// Returns the part of an address that is a printed line, as it was given after the path.
pub fn part_operand(address: &Address) -> String {
    let lines = printed_text(address).map(|(lines, _)| spell::ranges(&[lines]));
    let text = address.printed.as_deref().unwrap_or_default();
    format!(":{}:{}", lines.unwrap_or_default(), String::from_utf8_lossy(text))
}
