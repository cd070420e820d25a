//! Source code: the symbols that it declares.

use super::{FormatRules, Scan};
use crate::document::LoadedDocument;
use crate::edit::Effect;
use crate::format::Format;
use crate::outline::{Collector, LineScan};
use crate::structure::symbols::EditedCode;
use folio_keys::Mistake;
use folio_symbols::{Language, Limit, MAX_SIZE, symbols};
use folio_text::edit::EditSet;
use folio_text::lines::Block;
use folio_text::logs::LogKind;

/// The rules of source code in a language.
#[derive(Debug)]
pub(crate) struct CodeRules(pub(crate) Language);

impl FormatRules for CodeRules {
    fn scan(&self, _: Format) -> Box<dyn Scan> {
        Box::new(CodeScan {
            language: self.0,
            text: Vec::new(),
            lines: LineScan::new(None, LogKind::Marked),
        })
    }

    fn effect(&self, document: &LoadedDocument, edits: &EditSet) -> Option<Effect> {
        let edited = document.edited(edits);
        let code = EditedCode {
            bytes: document.whole(),
            start: document.start(),
            edits,
            old: document.outline(),
            new: edited.outline(),
        };
        if let Some(line) = code.first_mistake() {
            let message = "syntax error".to_owned();
            let mistake = Mistake { line, column: 1, message };
            return Some(Effect::Invalid(self.0.title(), mistake));
        }
        Effect::of_changes(code.changes(), false, edits)
    }
}

/// Reads source code into memory, because it is parsed as a whole.
#[derive(Debug)]
struct CodeScan {
    language: Language,
    /// The text, unless it is too large.
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
        let found = match self.text.len() > MAX_SIZE {
            true => Err(Limit::Size),
            false => symbols(self.language, &self.text),
        };
        match found {
            Ok(found) => collector.add_symbols(found),
            Err(limit) => collector.outline.refuse(limit),
        }
    }
}
