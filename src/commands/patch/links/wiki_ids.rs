//! The ids by which wiki links refer to headings. Unlike slugs, they are texts.

use folio_markdown::wiki_links::heading_key;
use folio_outline::outline::Outline;
use folio_outline::wiki_names::wiki_headings;

/// The mark before the id of a heading that wiki links use. Slugs do not begin with it.
const HEADING: &str = "#";

/// An id of a heading in wiki links: the keys of the heading and those above it, after a mark.
pub(super) struct WikiId {
    pub(super) id: String,
    /// The text in a link.
    pub(super) name: String,
    pub(super) line: u64,
    /// The number of headings in the path.
    pub(super) length: usize,
}

/// Returns the ids of the headings of a note in wiki links.
pub(super) fn wiki_ids(outline: &Outline) -> Vec<WikiId> {
    let headings = wiki_headings(outline).into_iter();
    let ids = headings.flat_map(|heading| {
        let paths = (1..).zip(heading.paths());
        let ids = paths.map(|(length, (key, name))| WikiId {
            id: format!("{HEADING}{key}"),
            name,
            line: heading.line,
            length,
        });
        ids.collect::<Vec<_>>()
    });
    ids.collect()
}

/// Returns the ids to which a fragment in a vault may refer: that of a block, or of a heading with
/// those above it and without them.
pub(super) fn ids_of_fragment(fragment: &str) -> Vec<String> {
    if fragment.starts_with('^') {
        return vec![fragment.to_owned()];
    }
    let keys: Vec<String> = fragment.split('#').map(heading_key).collect();
    let last = keys.last().cloned().unwrap_or_default();
    [keys.join("#"), last].map(|key| format!("{HEADING}{key}")).into()
}
