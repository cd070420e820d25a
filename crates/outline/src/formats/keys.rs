//! TOML, YAML, JSON, `.env` and properties: trees of keys. Their sections are the entries that
//! custom patterns define.

use std::sync::Arc;

use super::{FormatRules, Scan};
use crate::buffer::Buffer;
use crate::edit::Effect;
use crate::format::Format;
use crate::outline::{Collector, LineScan, Wants};
use folio_keys::Syntax;
use folio_text::edit::EditSet;
use folio_text::lines::Block;

/// Maximum size in bytes of a file that is parsed to check whether it remains valid.
const MAX_PARSED: usize = 4 << 20;

/// The rules of documents in a syntax of keys.
#[derive(Debug)]
pub(crate) struct KeyRules(pub(crate) Syntax);

impl FormatRules for KeyRules {
    fn scan(&self, _: Format, wants: &Wants) -> Box<dyn Scan> {
        Box::new(KeyScan::new(LineScan::new(None), self.0, wants))
    }

    fn effect(&self, document: &Buffer, edits: &EditSet) -> Option<Effect> {
        becomes_invalid(self.0, document, edits)
    }

    fn has_only_entries(&self) -> bool {
        true
    }

    fn syntax(&self) -> Option<Syntax> {
        Some(self.0)
    }
}

/// Returns the mistake of a document that edits make invalid.
pub(super) fn becomes_invalid(
    syntax: Syntax,
    document: &Buffer,
    edits: &EditSet,
) -> Option<Effect> {
    if document.text().len() > MAX_PARSED {
        return None;
    }
    let mistake = folio_keys::parse(syntax, document.edited(edits).text()).err()?;
    folio_keys::parse(syntax, document.text()).ok()?;
    Some(Effect::Invalid(document.format().title(), mistake))
}

/// Scans the lines of a document whose keys may be needed.
#[derive(Debug)]
pub(super) struct KeyScan {
    lines: LineScan,
    syntax: Syntax,
    /// The text so far, if the keys are needed.
    text: Option<Vec<u8>>,
}

impl KeyScan {
    pub(super) fn new(lines: LineScan, syntax: Syntax, wants: &Wants) -> Self {
        Self { lines, syntax, text: wants.tree.then(Vec::new) }
    }
}

impl Scan for KeyScan {
    fn push(&mut self, block: &Block<'_>, collector: &mut Collector) {
        self.lines.push(block, collector);
        self.text.iter_mut().for_each(|text| text.extend_from_slice(block.bytes));
    }

    fn lines(&self) -> u64 {
        self.lines.lines()
    }

    fn finish(&mut self, collector: &mut Collector) {
        let tree = self.text.take().map(|text| Arc::new(folio_keys::parse(self.syntax, &text)));
        collector.outline.tree = tree;
    }
}
