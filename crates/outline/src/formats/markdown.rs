//! Markdown and MDX: headings, code blocks, tables, front matter and anchors.

use super::{FormatRules, Scan};
use crate::document::LoadedDocument;
use crate::edit::Effect;
use crate::format::Format;
use crate::outline::Collector;
use crate::structure;
use folio_markdown::DocumentScanner;
use folio_markdown::blocks::Dialect;
use folio_text::edit::EditSet;
use folio_text::lines::Block;

/// The rules of Markdown in a dialect.
#[derive(Debug)]
pub(crate) struct MarkdownRules(pub(crate) Dialect);

impl FormatRules for MarkdownRules {
    fn scan(&self, _: Format) -> Box<dyn Scan> {
        Box::new(MarkdownScan(DocumentScanner::new(self.0)))
    }

    fn heading_marks(&self, level: u8) -> &'static str {
        &"######"[..usize::from(level.min(6))]
    }

    fn effect(&self, document: &LoadedDocument, edits: &EditSet) -> Option<Effect> {
        let (text, lines) = (document.whole(), document.index());
        let changes =
            structure::changes(text, lines, edits, document.format(), || document.outline());
        Effect::of_changes(changes, false, edits)
    }

    fn dialect(&self) -> Option<Dialect> {
        Some(self.0)
    }
}

#[derive(Debug)]
struct MarkdownScan(DocumentScanner);

impl Scan for MarkdownScan {
    fn push(&mut self, block: &Block<'_>, collector: &mut Collector) {
        collector.scan(&mut self.0, Some(block));
    }

    fn lines(&self) -> u64 {
        self.0.lines()
    }

    fn finish(&mut self, collector: &mut Collector) {
        collector.scan(&mut self.0, None);
    }
}
