//! What links ask of the documents that they lead to: anchors and lines. Each
//! document is looked at once, and only if a link asks.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::error::{Code, Error};
use crate::files::document::{Document, DocumentOptions};
use crate::files::env::Env;
use crate::files::link_target::FileId;
use crate::files::roots::Roots;
use crate::text::format::{Feature, Format};
use crate::text::outline::{Outline, OutlineBuilder, Wants};
use crate::text::target::anchor_ids;

/// What a link can lead to within a file.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// What can stand behind `#`, sorted; `None` where the file is no Markdown.
    pub(super) anchors: Option<Vec<Box<str>>>,
    /// How many lines there are; `None` where it is no text.
    pub(super) lines: Option<u64>,
}

impl Places {
    /// Whether there is such an anchor, to the letter.
    pub(super) fn has_anchor(&self, id: &str) -> bool {
        let anchors = self.anchors.as_deref().unwrap_or_default();
        anchors.binary_search_by(|anchor| (**anchor).cmp(id)).is_ok()
    }

    /// Those of a document; it is read from where it stands.
    fn of(document: &mut Document, format: Format) -> Result<Self, Error> {
        let wants = Wants { anchors: true, ..Wants::default() };
        let mut builder = OutlineBuilder::new(format, wants);
        builder.expect_bytes(document.size().unwrap_or(0));
        document.blocks(|block| {
            builder.push(block);
            ControlFlow::Continue(())
        })?;
        Ok(Self::in_outline(&builder.finish()))
    }

    /// Those of a Markdown document in memory.
    pub(super) fn of_text(text: &[u8]) -> Self {
        let wants = Wants { anchors: true, ..Wants::default() };
        Self::in_outline(&Outline::of(text, Format::Markdown, wants))
    }

    fn in_outline(outline: &Outline) -> Self {
        let anchors = outline.format().has(Feature::Anchors).then(|| {
            let mut anchors: Vec<Box<str>> = anchor_ids(outline).map(String::into).collect();
            anchors.sort_unstable();
            anchors.dedup();
            anchors
        });
        Self { anchors, lines: Some(outline.total_lines()) }
    }
}

/// A file's places, once they are known, and what they were read as.
type Known = HashMap<(FileId, bool), Arc<OnceLock<Arc<Places>>>>;

/// The places of the files that links ask for.
#[derive(Debug, Default)]
pub(super) struct Targets {
    known: Mutex<Known>,
    indexes: Mutex<HashMap<PathBuf, Option<PathBuf>>>,
}

impl Targets {
    /// The places of a file, found by `find` when they are asked for first. Who
    /// asks meanwhile waits.
    pub(super) fn places(
        &self,
        id: FileId,
        is_markdown: bool,
        find: impl FnOnce() -> Result<Places, Error>,
    ) -> Result<Arc<Places>, Error> {
        let place = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry((id, is_markdown)).or_default())
        };
        let mut failed = None;
        let places = place.get_or_init(|| match find() {
            Ok(places) => Arc::new(places),
            Err(error) => {
                failed = Some(error);
                Arc::new(Places::default())
            }
        });
        // What cannot be read is an error once.
        failed.map_or(Ok(Arc::clone(places)), Err)
    }

    /// The document that is shown with a directory.
    ///
    /// Fails where that cannot be known.
    pub(super) fn index(&self, directory: &Path, roots: &Roots) -> Result<Option<PathBuf>, Error> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = indexes.get(directory) {
            return Ok(index.clone());
        }
        let rank = |name: &str| {
            let (stem, _) = name.rsplit_once('.')?;
            let is_markdown = Format::name_has(name, Feature::Links);
            let ranks = ["readme", "index", "_index"];
            let rank = ranks.iter().position(|index| stem.eq_ignore_ascii_case(index));
            rank.filter(|_| is_markdown)
        };
        let names = roots.names_in(directory)?;
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        let ranked = names.filter_map(|name| Some((rank(&name)?, name)));
        let index = ranked.min().map(|(_, name)| directory.join(name));
        indexes.insert(directory.to_owned(), index.clone());
        Ok(index)
    }
}

/// The places of a file by its path. One that is no text has none.
pub(super) fn read(path: &Path, is_markdown: bool, env: &Env) -> Result<Places, Error> {
    let format = if is_markdown { Format::Markdown } else { Format::Text };
    let options = DocumentOptions { format: Some(format), ..DocumentOptions::default() };
    let document = Document::open_walked(path, &options, env, Vec::new());
    match document.and_then(|mut document| Places::of(&mut document, format)) {
        Err(error) if error.code == Code::BinaryFile => Ok(Places::default()),
        places => places,
    }
}
