//! Checks that edits do not change headings, code blocks and keys outside the selected parts.

use super::links::dangling::redefined;
use super::place::{Place, Planner};
use crate::commands::buffer::Buffer;
use crate::commands::output::{MAX_EXCERPT, shortened};
use folio_files::error::{Candidate, Code, Error, Hint};
use folio_keys::{Mistake, Syntax};
use folio_outline::format::Feature;
use folio_outline::part::Part;
use folio_outline::structure::{self, Change, ChangeKind, ini};
use folio_text::edit::{Edit, EditSet};
use folio_text::span::Span;

/// Fails if edits change headings, code blocks or keys outside the edited parts, or make a file
/// with keys invalid. If `force` is set, returns this as a warning.
pub(super) fn check(
    source: &Buffer,
    edits: &EditSet,
    force: bool,
    in_turn: bool,
) -> Result<Option<String>, Error> {
    let format = source.format();
    let found = if edits.is_empty() {
        Vec::new()
    } else if format.has(Feature::FarEffects) {
        let (whole, lines) = (source.whole(), source.index());
        structure::changes(whole, lines, edits, format.dialect(), || source.outline())
    } else if let Some(syntax) = format.syntax() {
        let Some(invalid) = invalid_after(source, syntax, edits) else { return Ok(None) };
        // A later step may make it valid again.
        if force || in_turn {
            return Ok(Some(format!("the file is no longer valid {invalid}")));
        }
        let message = format!("the file would no longer be valid {invalid}");
        let error = Error::new(Code::StructureChanged, message).at(source.path());
        return Err(error.hint(Hint::flag(["--force"]).why("to do it anyway")));
    } else if format.has(Feature::Keys) {
        ini::changes(source.whole(), source.start(), edits, format.ini_dialect())
    } else {
        Vec::new()
    };
    if found.is_empty() {
        return Ok(None);
    }
    let is_labelled = found.iter().any(|change| change.label.is_some());
    let what = match (is_labelled, format.has(Feature::Keys)) {
        (true, true) => "sections or keys",
        (true, false) => "front matter",
        (false, _) => "headings or code blocks",
    };
    let shown = description(&found);
    if force {
        return Ok(Some(format!("this changes {what} elsewhere: {shown}")));
    }
    let message = format!("this would change {what} elsewhere: {shown}");
    let mut error = Error::new(Code::StructureChanged, message).at(source.path());
    error.candidates = found
        .iter()
        .take(MAX_CANDIDATES)
        .map(|change| {
            let text = String::from_utf8_lossy(&shortened(&change.text, MAX_EXCERPT)).into_owned();
            Candidate { line: change.line, text: text.clone(), path: vec![text] }
        })
        .collect();
    let is_before_all = |edit: &Edit| edit.span == Span::new(0, 0);
    if is_labelled && edits.edits().first().is_some_and(is_before_all) {
        let behind = Hint::flag(["--front-matter", "--after"]);
        error = error.hint(behind.why("to insert it after the front matter"));
    } else if !is_labelled {
        error = error.hint("begin or end the content with a blank line, or close its code block");
    }
    Err(error.hint(Hint::flag(["--force"]).why("to do it anyway")))
}

impl Planner<'_> {
    /// Fails if a code block or table begins on the line of a list marker, and its list item has
    /// other content after it. Without the line, that content would not be in the list.
    pub(super) fn check_list_marker(&self, place: &Place) -> Result<(), Error> {
        let is_block = matches!(self.request.target, Some(Part::CodeBlock { .. } | Part::Table(_)));
        let marks = place.container.as_ref().filter(|marks| marks.first != marks.rest);
        let Some(marks) = marks.filter(|_| is_block && !self.force) else { return Ok(()) };
        let after = self.last_line(place) + 1..=self.source.total_lines();
        let margin = |line: &[u8]| line.iter().take_while(|byte| b" \t>".contains(byte)).count();
        let next = after.map(|line| self.source.line(line));
        let mut next = next.filter(|line| !line[margin(line)..].trim_ascii().is_empty());
        let is_inside = |line: &[u8]| columns(&line[..margin(line)]) >= columns(&marks.rest);
        if !next.next().is_some_and(is_inside) {
            return Ok(());
        }
        let marker = String::from_utf8_lossy(&marks.first).trim().to_owned();
        let message =
            format!("it begins on the line of the list marker '{marker}', and the item continues");
        let error = Error::new(Code::StructureChanged, message).at(self.source.path());
        Err(error.hint("edit the lines of the list item instead"))
    }
}

/// Returns the number of columns of blanks and quote markers.
fn columns(margin: &[u8]) -> usize {
    margin
        .iter()
        .fold(0, |width, &byte| if byte == b'\t' { (width / 4 + 1) * 4 } else { width + 1 })
}

/// Fails if links would change their targets because inserted text defines their labels
/// differently. If `force` is set, returns this as a warning.
pub(super) fn check_labels<'a>(
    source: &Buffer,
    inserted: impl Iterator<Item = &'a Edit>,
    force: bool,
) -> Result<Option<String>, Error> {
    match redefined(source, inserted) {
        Some(message) if !force => Err(Error::new(Code::StructureChanged, message)
            .at(source.path())
            .hint("rename the label in one of the files")
            .hint(Hint::flag(["--force"]).why("to do it anyway"))),
        warning => Ok(warning),
    }
}

/// Maximum size in bytes of a file that is parsed to check whether it remains valid.
const MAX_PARSED: usize = 4 << 20;

/// Returns the format and the syntax error of a file with keys that edits make invalid.
fn invalid_after(source: &Buffer, syntax: Syntax, edits: &EditSet) -> Option<String> {
    if source.text().len() > MAX_PARSED {
        return None;
    }
    let edited = source.edited(edits);
    let Mistake { line, column, message } = folio_keys::parse(syntax, edited.text()).err()?;
    folio_keys::parse(syntax, source.text()).ok()?;
    let title = source.format().title();
    Some(format!("{title}: line {line}, column {column}: {message}"))
}

/// Maximum number of changes to list in a message.
const MAX_SHOWN: usize = 2;
/// Maximum number of changes to list in JSON.
const MAX_CANDIDATES: usize = 5;

fn described(change: &Change) -> String {
    let text = String::from_utf8_lossy(&change.text);
    let text = text.lines().next().unwrap_or_default();
    let line = change.line;
    let named = match change.label {
        Some(label) => format!("the {label} '{text}'"),
        None => format!("'{text}'"),
    };
    match change.kind {
        ChangeKind::Lost => format!("line {line} is no longer {named}"),
        ChangeKind::Created => format!("line {line} becomes {named}"),
        ChangeKind::Moved => format!("{named}, line {line}, moves to another section"),
    }
}

fn description(found: &[Change]) -> String {
    let mut shown: Vec<String> = found.iter().take(MAX_SHOWN).map(described).collect();
    if found.len() > MAX_SHOWN {
        shown.push(format!("and {} more", found.len() - MAX_SHOWN));
    }
    shown.join(", ")
}
