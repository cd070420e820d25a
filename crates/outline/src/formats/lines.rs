//! Formats that are read line by line: INI files, logs and plain text.

use super::{FormatRules, Scan};
use crate::buffer::Buffer;
use crate::edit::Effect;
use crate::format::Format;
use crate::outline::{Collector, LineScan, Wants};
use crate::structure::ini;
use folio_text::edit::EditSet;
use folio_text::lines::Block;
use folio_text::sections::IniParser;

/// The rules of INI files, in all dialects.
#[derive(Debug)]
pub(crate) struct IniRules;

impl FormatRules for IniRules {
    fn scan(&self, format: Format, _: &Wants) -> Box<dyn Scan> {
        Box::new(LineScan::new(Some(IniParser::new(format.ini_dialect()))))
    }

    fn effect(&self, document: &Buffer, edits: &EditSet) -> Option<Effect> {
        let dialect = document.format().ini_dialect();
        let changes = ini::changes(document.whole(), document.start(), edits, dialect);
        Effect::of_changes(changes, true, edits)
    }
}

/// The rules of logs and plain text, whose sections are entries.
#[derive(Debug)]
pub(crate) struct TextRules;

impl FormatRules for TextRules {
    fn scan(&self, _: Format, _: &Wants) -> Box<dyn Scan> {
        Box::new(LineScan::new(None))
    }

    fn has_only_entries(&self) -> bool {
        true
    }

    fn has_adjacent_sections(&self, format: Format) -> bool {
        format == Format::Log
    }
}

impl Scan for LineScan {
    fn push(&mut self, block: &Block<'_>, collector: &mut Collector) {
        LineScan::push(self, block, collector);
    }

    fn lines(&self) -> u64 {
        LineScan::lines(self)
    }
}
