//! Source code: the symbols that it declares.

use super::{FormatRules, Scan};
use crate::document::LoadedDocument;
use crate::edit::Effect;
use crate::format::Format;
use crate::outline::{Collector, LineScan};
use crate::structure::symbols::EditedCode;
use folio_keys::Mistake;
use folio_symbols::{MAX_SIZE, strict_symbols, symbols};
use folio_text::edit::EditSet;
use folio_text::lines::Block;
use folio_text::logs::LogKind;

/// Maximum number of characters of a line with a mistake that messages show.
const MAX_QUOTED: usize = 60;

/// The rules of source code.
#[derive(Debug)]
pub(crate) struct CodeRules;

impl FormatRules for CodeRules {
    fn scan(&self, format: Format) -> Box<dyn Scan> {
        Box::new(CodeScan { format, text: Vec::new(), lines: LineScan::new(None, LogKind::Marked) })
    }

    fn effect(&self, document: &LoadedDocument, edits: &EditSet) -> Option<Effect> {
        let language = document.format().language()?;
        let old = strict_symbols(language, document.text()).ok()?;
        let edited = document.edited(edits);
        let new = strict_symbols(language, edited.text()).ok()?;
        let code = EditedCode::new(document.whole(), document.start(), edits, (&old, &new));
        if let Some(error) = code.first_mistake() {
            // The line may not exist before the edit.
            let line = error.lines.start();
            let text = String::from_utf8_lossy(edited.line(line).trim_ascii()).into_owned();
            let text: String = text.chars().take(MAX_QUOTED).collect();
            let message = format!("{} in '{text}'", error.message);
            let mistake = Mistake { line, column: 1, message };
            return Some(Effect::Invalid(language.title(), mistake));
        }
        Effect::of_changes(code.changes(), false, edits)
    }
}

/// Reads source code into memory, because it is parsed as a whole.
#[derive(Debug)]
struct CodeScan {
    format: Format,
    /// The text, or its beginning if it is too large.
    text: Vec<u8>,
    lines: LineScan,
}

impl Scan for CodeScan {
    fn push(&mut self, block: &Block<'_>, collector: &mut Collector) {
        if self.text.len() <= MAX_SIZE {
            self.text.extend_from_slice(block.bytes);
        }
        self.lines.push(block, collector);
    }

    fn lines(&self) -> u64 {
        self.lines.lines()
    }

    fn finish(&mut self, collector: &mut Collector) {
        let language = self.format.language().filter(|_| collector.wants_symbols());
        match language.map(|language| symbols(language, &self.text)) {
            Some(Ok(found)) => collector.add_symbols(found),
            Some(Err(limit)) => collector.outline.refuse(limit),
            None => {}
        }
    }
}
