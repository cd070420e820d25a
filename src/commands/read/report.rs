//! Prints a part: its text, its checksum, or JSON.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde_json::{Value, json};

use super::place::LinePosition;
use super::view::View;
use super::wire::{BoundaryObject, BytesObject, PieceObject, PlaceObject, ValueObject};
use super::{Boundary, Piece, Request, Selection};
use crate::commands::field_names::camel_case;
use crate::commands::json::{self, Range, Text};
use crate::commands::output::{Json, Note, Record, Style, counted};
use crate::commands::target::{self, spell};
use folio_files::address;
use folio_files::error::Hint;
use folio_files::options::{MAX_BYTES, OUTSIDE_CODE};
use folio_outline::part::Part;

/// A part that has been read, with the context for printing it.
pub(super) struct PartRecord<'a> {
    pub(super) path: &'a Path,
    /// The index of the request, if there are several requests.
    pub(super) index: Option<usize>,
    pub(super) request: &'a Request,
    pub(super) piece: &'a Piece,
    pub(super) content: &'a [u8],
    pub(super) view: View,
    pub(super) layout: Layout,
    /// The position of the part in the structure, if requested.
    pub(super) place: Option<&'a LinePosition>,
}

/// What is printed around the content of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Only the content is printed.
    Plain,
    /// The content is printed, with a line ending at its end.
    Lines,
    /// Only the content is printed, with a NUL byte at its end.
    EndedByNul,
    /// The address precedes the content. A blank line precedes the address, except for the first
    /// part.
    Headed {
        /// Whether this is the first part.
        is_first: bool,
    },
    /// Only the checksum and the address are printed.
    Checksum,
    /// Only the headings above the part are printed.
    Breadcrumbs,
}

impl Json for PartRecord<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        self.with_object(|object| object.json(out));
    }
}

impl Record for PartRecord<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let piece = self.piece;
        match self.layout {
            Layout::Plain | Layout::Lines | Layout::EndedByNul => {}
            Layout::Checksum => {
                let digits = piece.range_checksum.as_deref().unwrap_or_default();
                out.extend_from_slice(format!("{digits}  ").as_bytes());
                out.extend_from_slice(&style.safe(&self.address(self.is_whole())));
                return out.push(b'\n');
            }
            Layout::Headed { is_first } => {
                out.extend_from_slice(if is_first { b"==> " } else { b"\n==> " });
                out.extend_from_slice(&style.safe(&self.address(false)));
                let above = self.place.map(LinePosition::path).filter(|above| !above.is_empty());
                if let Some(above) = above {
                    out.push(b' ');
                    out.extend_from_slice(&style.safe(&above));
                }
                out.extend_from_slice(b" <==\n");
            }
            Layout::Breadcrumbs => {
                let around = self.place.and_then(|place| place.lines);
                let lines = around.map_or_else(|| self.lines(), |lines| spell::ranges(&[lines]));
                let address = [self.path.as_os_str().as_bytes(), b":", lines.as_bytes()].concat();
                out.extend_from_slice(&style.safe(&address));
                out.push(b':');
                out.extend_from_slice(
                    &style.safe(&self.place.map(LinePosition::path).unwrap_or_default()),
                );
                return out.push(b'\n');
            }
        }
        let start = out.len();
        self.view.show(self.content, &piece.ranges, style, out);
        if self.layout == Layout::EndedByNul {
            return out.push(0);
        }
        let is_cut = out.len() > start && !out.ends_with(b"\n");
        if is_cut && self.layout != Layout::Plain {
            out.push(b'\n');
        }
    }

    fn facts(&self) -> Option<String> {
        let (piece, file) = (self.piece, &self.piece.file);
        let address = String::from_utf8_lossy(&self.address(false)).into_owned();
        let mut facts = Vec::new();
        facts.extend(file.total_lines.map(|total| format!("of {total} lines")));
        facts.extend(piece.range_checksum.as_ref().map(|digits| format!("checksum {digits}")));
        let encoding = Some(&file.encoding).filter(|name| *name != "utf-8");
        facts.extend(encoding.map(|name| format!("encoding {name}")));
        let ending = file.line_ending.filter(|name| !["lf", "none"].contains(name));
        facts.extend(ending.map(|name| format!("line endings {name}")));
        if let Some(Boundary { line, text, in_code }) = &piece.boundary {
            let code = if *in_code { ", which is in a code block" } else { "" };
            let text = String::from_utf8_lossy(text);
            facts.push(format!("ends before line {line}: {text}{code}"));
        } else if piece.no_boundary {
            facts.push("no later line matches: the part extends to the end of the file".to_owned());
        }
        Some(format!("{address} {}", facts.join(", ")))
    }
}

impl PartRecord<'_> {
    pub(super) fn with_object<T>(&self, write: impl FnOnce(&PieceObject<'_>) -> T) -> T {
        let (request, piece, file) = (self.request, self.piece, &self.piece.file);
        let several = piece.ranges.len() > 1 || asks_for_several(request);
        let mut numbered = Vec::new();
        if self.view.number {
            self.view.show(self.content, &piece.ranges, Style::default(), &mut numbered);
        }
        let lines = if self.is_whole() { String::new() } else { self.lines() };
        let address = address::spelt(self.path, &lines);
        let content = if self.view.number { &numbered } else { self.content };
        write(&PieceObject {
            index: self.index,
            file_path: json::path(self.path),
            address: Text(address.as_bytes()),
            target: target_value(request),
            range: piece.ranges.first().filter(|_| !several).map(|range| (*range).into()),
            ranges: several.then(|| piece.ranges.iter().map(|range| (*range).into()).collect()),
            bytes: piece.bytes.map(|span| BytesObject { start: span.start(), end: span.end() }),
            section: piece.section.as_ref(),
            place: self.place.map(|place| PlaceObject {
                path: place.names.iter().map(|name| Text(name)).collect(),
                lines: place.lines.map(Range::from),
            }),
            content: Text(content),
            value: match &piece.data {
                Some(data) => Some(ValueObject::Data(data)),
                None => piece.value.as_deref().map(|text| ValueObject::Text(Text(text))),
            },
            total_lines: file.total_lines,
            returned_lines: piece.returned_lines,
            has_more: piece.has_more,
            next_line: piece.next_line,
            next: piece.next.as_deref().map(|next| Text(next.as_bytes())),
            part_start_line: piece.part.map(|part| part.start),
            part_end_line: piece.part.and_then(|part| part.end),
            truncated: piece.truncated,
            boundary: piece.boundary.as_ref().map(|boundary| BoundaryObject {
                line: boundary.line,
                text: Text(&boundary.text),
                in_code: boundary.in_code,
            }),
            range_checksum: piece.range_checksum.as_deref(),
            checksum: file.checksum.as_deref(),
            encoding: &file.encoding,
            line_ending: file.line_ending,
            hints: piece.rest.iter().map(json::HintObject::from).collect(),
        })
    }

    /// Formats the lines as in an address, such as `10-20`.
    fn lines(&self) -> String {
        let lines = spell::ranges(&self.piece.ranges);
        match self.piece.bytes {
            Some(span) => format!("{lines}@{}-{}", span.start(), span.end()),
            None => lines,
        }
    }

    /// Whether the part is the complete file.
    fn is_whole(&self) -> bool {
        self.request.is_whole_file() && !self.piece.truncated
    }

    fn address(&self, is_whole: bool) -> Vec<u8> {
        let mut address = self.path.as_os_str().as_bytes().to_vec();
        if !is_whole && !self.piece.ranges.is_empty() {
            address.push(b':');
            address.extend_from_slice(self.lines().as_bytes());
        }
        address
    }
}

/// Number of bytes in each piece of a long line that is read in pieces.
const PIECE: u64 = 4096;

/// Returns the note about an incomplete part, with the call that reads the rest.
pub(super) fn cut(path: &Path, piece: &Piece) -> Option<Note> {
    let line = piece.ranges.first().map_or(0, |range| range.start());
    let lines = counted(piece.returned_lines, "line");
    let message = match (piece.is_long, piece.bytes, piece.has_more) {
        (true, ..) => {
            Some(format!("line {line} is longer than {MAX_BYTES}, but printed completely"))
        }
        (_, Some(_), true) => Some(format!("line {line} is longer")),
        (.., true) if piece.truncated => Some(format!("truncated after {lines}")),
        (.., true) => Some(format!("stopped after {lines}")),
        _ => None,
    };
    let mut note = Note::at(path, message?);
    note.hints = piece.rest.iter().cloned().collect();
    if piece.is_long && note.hints.is_empty() {
        let piece = address::spelt(path, &format!("{line}@0-{PIECE}"));
        note = note.hint(Hint::command("read", [piece]).why("to print it in pieces"));
    }
    Some(note)
}

/// Returns notes about what the content does not show.
pub(super) fn remarks(path: &Path, piece: &Piece) -> Vec<Note> {
    let mut notes = Vec::new();
    if piece.no_boundary {
        let message = "no later line matches, so the part extends to the end of the file";
        notes.push(Note::at(path, message));
    }
    if let Some(boundary) = piece.boundary.as_ref().filter(|boundary| boundary.in_code) {
        let message = format!("stopped at line {}, in a code block", boundary.line);
        let hint = Hint::with_switch(OUTSIDE_CODE).why("to skip such lines");
        notes.push(Note::at(path, message).hint(hint));
    }
    notes
}

fn asks_for_several(request: &Request) -> bool {
    match (&request.selection, &request.address.part) {
        (Selection::Part { target: Part::Lines(ranges), .. }, _)
        | (Selection::Address, Part::Lines(ranges)) => ranges.len() > 1,
        _ => false,
    }
}

/// Returns the requested part in the form that `--target` and `--batch` accept.
fn target_value(request: &Request) -> Option<Value> {
    let mut value = match (&request.selection, &request.address.part) {
        (Selection::Address, Part::Whole) => return None,
        (Selection::Address, Part::Lines(ranges)) => target::json::lines_value(ranges),
        (Selection::Address, Part::Anchor(id)) => json!({ "anchor": id }),
        (Selection::Part { target, .. }, _) => target::json::target_value(target),
        _ => json!({}),
    };
    let line = match &request.address.part {
        Part::Lines(ranges) => Some(ranges[0].start()),
        _ => None,
    };
    for (name, field) in request.selection.fields(line) {
        match name {
            "ignore-case" => value["flags"] = json!("i"),
            name => value[camel_case(name)] = field,
        }
    }
    if let Some(scope) = &request.scope {
        value["in"] = json!(scope);
    }
    Some(value)
}
