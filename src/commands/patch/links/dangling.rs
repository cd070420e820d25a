//! Finds links within a document whose anchor or definition is removed by edits of the document.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::join_first;
use folio_files::error::{Code, Error, Hint};
use folio_files::options::FORCE;
use folio_markdown::destination::{percent_decoded, split_destination};
use folio_markdown::links::links;
use folio_markdown::references::{Definition, references};
use folio_outline::document::LoadedDocument;
use folio_outline::format::Feature;
use folio_outline::lookup::anchor_ids;
use folio_text::edit::{Edit, EditSet};
use folio_text::span::Span;

/// Maximum size in bytes of a document to search for links to its own headings.
pub(in super::super) const OWN_LIMIT: u64 = 4 * 1024 * 1024;

/// Returns a warning about links of a document to its own anchors that edits remove, or `None` if
/// there are no such links.
pub(in super::super) fn dangling_link_warning(
    source: &LoadedDocument,
    edits: &EditSet,
) -> Option<String> {
    let small = source.end() <= OWN_LIMIT;
    if !small || !source.format().has(Feature::Links) || edits.is_empty() {
        return None;
    }
    let text = source.whole();
    let contains = |part: &[u8]| memchr::memmem::find(text, part).is_some();
    if ![&b"(#"[..], b"(<#", b"]: #", b"]: <#", b"=\"#", b"='#"].iter().any(|part| contains(part)) {
        return None;
    }
    let edited = source.edited(edits);
    let before: HashSet<String> = anchor_ids(source.outline()).collect();
    let after: HashSet<String> = anchor_ids(edited.outline()).collect();
    let (mut lost, mut seen) = (Vec::new(), HashSet::new());
    for link in links(edited.whole()) {
        let (file, fragment) = split_destination(&link.text);
        let (true, Some(fragment)) = (file.is_empty(), fragment) else { continue };
        let id = String::from_utf8_lossy(&percent_decoded(fragment)).into_owned();
        let vanishes = before.contains(&id) && !after.contains(&id);
        if vanishes && seen.insert(id.clone()) {
            lost.push((id, link.line));
        }
    }
    let (id, line) = lost.first()?;
    let more = match lost.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    Some(format!("the link to #{id} at line {line} will be broken{more}"))
}

/// Maximum distance in bytes from an edit to a definition that it may turn into other text.
const NEAR: u64 = 1024;

/// Maximum number of labels to list in a message.
const MAX_LABELS: usize = 5;

/// The labels whose definitions are removed, each with its definition and the number of remaining
/// links that use it.
pub(super) type Lost = Vec<(String, Definition, u64)>;

pub(super) fn lost_definitions(source: &LoadedDocument, edits: &EditSet) -> Option<Lost> {
    if !source.format().has(Feature::Links) || source.end() > OWN_LIMIT {
        return None;
    }
    let near = |edit: &Edit| {
        let (start, end) = (edit.span.start(), edit.span.end());
        Span::new(start.saturating_sub(NEAR), source.end().min(end + NEAR))
    };
    let contains = |edit: &Edit| memchr::memmem::find(source.bytes(near(edit)), b"]:").is_some();
    if !edits.edits().iter().any(contains) {
        return None;
    }
    let old = references(source.whole());
    let new = references(source.edited(edits).whole());
    let is_taken = |part: Span| {
        let preceding = edits.edits().partition_point(|edit| edit.span.start() <= part.start());
        let before = edits.edits()[..preceding].last().map(|edit| edit.span);
        before.is_some_and(|span| part.end() <= span.end() && !span.is_empty())
    };
    let mut uses: HashMap<&str, u64> = HashMap::new();
    for used in old.used.iter().filter(|used| !is_taken(used.part)) {
        *uses.entry(&used.label).or_default() += 1;
    }
    let mut lost: Lost = Vec::new();
    for (label, definition) in old.definitions {
        let Some(&uses) = uses.get(label.as_str()) else { continue };
        if !new.definitions.contains_key(&label) {
            lost.push((label, definition, uses));
        }
    }
    lost.sort_by_key(|(_, definition, _)| definition.line);
    (!lost.is_empty()).then_some(lost)
}

/// Returns a warning about remaining links whose definitions edits remove, or `None` if there are
/// no such links.
pub(in super::super) fn undefined_link_warning(
    source: &LoadedDocument,
    edits: &EditSet,
) -> Option<String> {
    let lost = lost_definitions(source, edits)?;
    let uses: u64 = lost.iter().map(|(_, _, uses)| uses).sum();
    let labels: Vec<String> = lost.iter().map(|(label, ..)| format!("[{label}]")).collect();
    let lose = match uses {
        1 => "the definition of 1 link is deleted".to_owned(),
        _ => format!("the definitions of {uses} links are deleted"),
    };
    Some(format!("{lose}: {}", join_first(&labels, MAX_LABELS)))
}

/// Fails if links would change their targets because inserted text defines their labels
/// differently. If `force` is set, returns this as a warning.
pub(in super::super) fn check_labels<'a>(
    source: &LoadedDocument,
    inserted: impl Iterator<Item = &'a Edit>,
    force: bool,
) -> Result<Option<String>, Error> {
    match redefinition_message(source, inserted) {
        Some(message) if !force => Err(Error::new(Code::StructureChanged, message)
            .at(source.path())
            .hint("rename the label in one of the files")
            .hint(Hint::with_switch(FORCE).why("to do it anyway"))),
        warning => Ok(warning),
    }
}

/// Returns a message about labels that inserted texts and the document define differently, so that
/// links would change their targets, or `None` if there are no such labels.
fn redefinition_message<'a>(
    source: &LoadedDocument,
    inserted: impl Iterator<Item = &'a Edit>,
) -> Option<String> {
    if !source.format().has(Feature::Links) {
        return None;
    }
    let old = LazyCell::new(|| references(source.whole()));
    let mut labels = BTreeSet::new();
    let mut inserted: Vec<&Edit> = inserted.collect();
    inserted.sort_by_key(|edit| edit.span.start());
    let mut earlier: HashMap<String, &[u8]> = HashMap::new();
    for edit in inserted {
        let new = references(&edit.content);
        for (label, definition) in &new.definitions {
            let inserted_body = definition_body(&edit.content, definition);
            let earlier_body = *earlier.entry(label.clone()).or_insert(inserted_body);
            if earlier_body != inserted_body
                && new.used.iter().any(|reference| reference.label == *label)
            {
                labels.insert(format!("[{label}]"));
            }
            let Some(other) = old.definitions.get(label) else { continue };
            // The first definition of a label applies.
            let is_first = edit.span.start() <= other.span.start();
            let used = if is_first { &old.used } else { &new.used };
            let differs = inserted_body != definition_body(source.whole(), other);
            if differs && used.iter().any(|reference| reference.label == *label) {
                labels.insert(format!("[{label}]"));
            }
        }
    }
    let labels: Vec<String> = labels.into_iter().collect();
    let listed = join_first(&labels, MAX_LABELS);
    (!labels.is_empty()).then(|| format!("the inserted text defines {listed} differently"))
}

/// Returns a definition without its label.
fn definition_body<'a>(text: &'a [u8], definition: &Definition) -> &'a [u8] {
    let definition_bytes = &text[definition.span.start() as usize..definition.span.end() as usize];
    let colon = memchr::memmem::find(definition_bytes, b"]:").map_or(0, |at| at + 2);
    definition_bytes[colon..].trim_ascii()
}
