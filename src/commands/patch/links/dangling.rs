//! Links of a document to anchors of its own that edits make vanish.

use std::collections::HashSet;

use super::super::source::Source;
use crate::error::Error;
use crate::text::edit::EditSet;
use crate::text::format::Feature;
use crate::text::markdown::destination::{percent_decoded, split_destination};
use crate::text::markdown::links::links;
use crate::text::target::anchor_ids;

/// The largest document that is looked through for links to its own headings.
pub(in super::super) const OWN_LIMIT: u64 = 4 * 1024 * 1024;

/// Links of a document to anchors of its own that edits make vanish: a warning,
/// where there are any.
pub(in super::super) fn dangling(
    source: &mut Source,
    edits: &EditSet,
) -> Result<Option<String>, Error> {
    let small = source.index()?.text().end() <= OWN_LIMIT;
    if !small || !source.format().has(Feature::Links) || edits.is_empty() {
        return Ok(None);
    }
    let text = source.whole()?;
    let holds = |part: &[u8]| memchr::memmem::find(&text, part).is_some();
    if ![&b"(#"[..], b"(<#", b"]: #", b"]: <#", b"=\"#", b"='#"].iter().any(|part| holds(part)) {
        return Ok(None);
    }
    let old = source.outline()?;
    let mut edited = source.edited(edits)?;
    let new = edited.outline()?;
    let before: HashSet<String> = anchor_ids(&old).collect();
    let after: HashSet<String> = anchor_ids(&new).collect();
    let text = edited.whole()?;
    let mut lost: Vec<(String, u64)> = Vec::new();
    for link in links(&text) {
        let (file, fragment) = split_destination(&link.text);
        let (true, Some(fragment)) = (file.is_empty(), fragment) else { continue };
        let id = String::from_utf8_lossy(&percent_decoded(fragment)).into_owned();
        let vanishes = before.contains(&id) && !after.contains(&id);
        if vanishes && !lost.iter().any(|(other, _)| *other == id) {
            lost.push((id, link.line));
        }
    }
    let Some((id, line)) = lost.first() else { return Ok(None) };
    let more = match lost.len() {
        1 => String::new(),
        count => format!(" (and {} more such)", count - 1),
    };
    Ok(Some(format!("the link to #{id} at line {line} leads nowhere after that{more}")))
}
