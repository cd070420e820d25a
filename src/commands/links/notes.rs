//! The parts of notes to which wiki links refer: headings and blocks.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use folio_markdown::wiki_links::block_ids;
use folio_outline::format::Format;
use folio_outline::outline::Outline;
use folio_outline::wiki_names::{WikiHeading, wiki_headings};
use folio_text::fuzzy::name::nearest;

/// The parts of a note to which wiki links may refer.
#[derive(Debug, Default)]
pub(super) struct NoteParts {
    headings: Vec<WikiHeading>,
    /// The ids of blocks, in lower case.
    blocks: HashSet<String>,
}

impl NoteParts {
    pub(super) fn of_text(text: &[u8], format: Format) -> Self {
        let blocks = block_ids(text).map(|(_, id)| id.to_lowercase()).collect();
        Self { headings: wiki_headings(&Outline::of(text, format)), blocks }
    }

    pub(super) fn has(&self, fragment: &str) -> bool {
        match fragment.strip_prefix('^') {
            Some(block) => self.blocks.contains(&block.to_lowercase()),
            None => self.headings.iter().any(|heading| heading.is_named(fragment)),
        }
    }

    /// Returns the name of the heading or block that is most similar to a fragment.
    pub(super) fn nearest(&self, fragment: &str) -> Option<String> {
        let names: Vec<String> = match fragment.strip_prefix('^') {
            Some(_) => self.blocks.iter().map(|id| format!("^{id}")).collect(),
            None => self.headings.iter().filter_map(|it| it.names.last().cloned()).collect(),
        };
        let index = *nearest(fragment, names.iter().map(String::as_str), 1).first()?;
        names.into_iter().nth(index)
    }
}

/// The parts of the notes that were read, by their absolute paths.
pub(super) type KnownNotes = Mutex<HashMap<PathBuf, Arc<NoteParts>>>;
