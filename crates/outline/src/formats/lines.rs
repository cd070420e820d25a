//! Formats that are read line by line: INI files, logs and plain text.

use super::keys::becomes_invalid;
use super::{FormatRules, Scan};
use crate::document::LoadedDocument;
use crate::edit::Effect;
use crate::format::Format;
use crate::outline::{Collector, LineScan};
use crate::structure::{StructureChange, keys};
use folio_keys::Syntax;
use folio_text::edit::EditSet;
use folio_text::lines::Block;
use folio_text::logs::LogKind;
use folio_text::sections::IniParser;

/// The rules of INI files, in all dialects.
#[derive(Debug)]
pub(crate) struct IniRules;

impl FormatRules for IniRules {
    fn scan(&self, format: Format) -> Box<dyn Scan> {
        Box::new(LineScan::new(Some(IniParser::new(format.ini_dialect())), LogKind::Marked))
    }

    fn effect(&self, document: &LoadedDocument, edits: &EditSet) -> Option<Effect> {
        let syntax = Syntax::Ini(document.format().ini_dialect());
        becomes_invalid(syntax, document, edits)
            .or_else(|| Effect::of_changes(changes_of_keys(syntax, document, edits), true, edits))
    }
}

/// Returns the changes that edits of a file with INI keys cause to keys outside the edited text.
pub(super) fn changes_of_keys(
    syntax: Syntax,
    document: &LoadedDocument,
    edits: &EditSet,
) -> Vec<StructureChange> {
    // Bytes that are not UTF-8 do not affect which lines are keys.
    let parsed =
        |text: &[u8]| folio_keys::parse(syntax, String::from_utf8_lossy(text).as_bytes()).ok();
    let outline = document.outline();
    let lossy = if outline.tree().is_none() { parsed(document.text()) } else { None };
    let (text, start) = (document.whole(), document.start());
    let new = edits.apply(text);
    match (outline.tree().or(lossy.as_ref()), parsed(&new[start as usize..])) {
        (Some(old), Some(new)) => keys::changes(text, start, edits, (old, &new)),
        _ => Vec::new(),
    }
}

/// The rules of logs and plain text, whose sections are entries.
#[derive(Debug)]
pub(crate) struct TextRules;

impl FormatRules for TextRules {
    fn scan(&self, format: Format) -> Box<dyn Scan> {
        Box::new(LineScan::new(None, format.log_kind()))
    }

    fn has_only_entries(&self) -> bool {
        true
    }

    fn has_adjacent_sections(&self, format: Format) -> bool {
        matches!(format, Format::Log(_))
    }
}

impl Scan for LineScan {
    fn push(&mut self, block: &Block<'_>, collector: &mut Collector) {
        LineScan::push(self, block, collector);
    }

    fn lines(&self) -> u64 {
        LineScan::lines(self)
    }

    fn skip_lines(&mut self, lines: u64) {
        LineScan::skip_lines(self, lines);
    }
}
