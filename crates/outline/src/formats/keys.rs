//! TOML, YAML, JSON, `.env` and properties: trees of keys. Their sections are the entries that
//! custom patterns define.

use super::{FormatRules, Scan};
use crate::document::LoadedDocument;
use crate::edit::Effect;
use crate::format::Format;
use crate::outline::LineScan;
use folio_keys::Syntax;
use folio_text::edit::EditSet;
use folio_text::logs::LogKind;

/// Maximum size in bytes of a file that is parsed to check whether it remains valid.
const MAX_PARSED: usize = 4 << 20;

/// The rules of documents in a syntax of keys.
#[derive(Debug)]
pub(crate) struct KeyRules(pub(crate) Syntax);

impl FormatRules for KeyRules {
    fn scan(&self, _: Format) -> Box<dyn Scan> {
        Box::new(LineScan::new(None, LogKind::Marked))
    }

    fn effect(&self, document: &LoadedDocument, edits: &EditSet) -> Option<Effect> {
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
    document: &LoadedDocument,
    edits: &EditSet,
) -> Option<Effect> {
    if document.text().len() > MAX_PARSED {
        return None;
    }
    let mistake = folio_keys::parse(syntax, document.edited(edits).text()).err()?;
    folio_keys::parse(syntax, document.text()).ok()?;
    Some(Effect::Invalid(document.format().title(), mistake))
}
