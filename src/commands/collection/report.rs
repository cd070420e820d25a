//! The records of collections and their documents.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::commands::json::{self, HintObject, Text};
use crate::commands::output::{Record, Role, Style, counted};
use folio_files::error::Hint;
use folio_search::catalogue::Settings;
use folio_search::open::SearchScope;
use folio_search::shard::DocumentFacts;

/// A collection, with the action that was performed on it.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CollectionObject")]
pub struct CollectionRecord<'a> {
    /// The action that was performed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["added", "updated", "removed", "aliased"]))]
    status: Option<&'static str>,
    /// The first alias, or the name if there are no aliases.
    collection: &'a str,
    /// The name, or the absolute path of an unnamed directory.
    collection_id: &'a str,
    /// All aliases.
    aliases: &'a [String],
    /// The directory of the documents, or the URL of their database.
    directory: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    pub counts: Option<Counts>,
    /// A description of the contents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<&'a str>,
    /// The version that the documents describe.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<&'a str>,
    /// The collection.
    #[serde(skip)]
    pub place: &'a SearchScope,
}

/// The totals of a collection.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Number of documents.
    pub document_count: u64,
    /// Number of sections.
    pub section_count: u64,
    /// Number of binary files. They are not searched.
    pub binary_count: u64,
    /// Number of documents that were new or changed.
    pub changed: u64,
    /// Number of documents that were removed.
    pub removed: u64,
}

impl<'a> CollectionRecord<'a> {
    pub(super) fn new(place: &'a SearchScope, aliases: &'a [String]) -> Self {
        Self {
            status: None,
            collection: &place.shown,
            collection_id: &place.id,
            aliases,
            directory: json::path(place.holder()),
            counts: None,
            description: None,
            version: None,
            place,
        }
    }

    pub(super) fn with_status(self, status: &'static str) -> Self {
        Self { status: Some(status), ..self }
    }

    pub(super) fn described(self, settings: &'a Settings, counts: Option<Counts>) -> Self {
        let (description, version) = (settings.description.as_deref(), settings.version.as_deref());
        Self { description, version, counts, ..self }
    }
}

impl Record for CollectionRecord<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let place = self.place;
        let prefix =
            if place.prefix.as_os_str().is_empty() { Path::new(".") } else { &place.prefix };
        style.paint_bytes(Role::Path, prefix.as_os_str().as_bytes(), out);
        let mut facts: Vec<String> = self.status.map(str::to_owned).into_iter().collect();
        if let Some(counts) = self.counts {
            facts.push(counted(counts.document_count, "document"));
            facts.push(counted(counts.section_count, "section"));
            let others = [(counts.binary_count, "binary"), (counts.removed, "gone")];
            let others = others.iter().filter(|(count, _)| *count > 0);
            facts.extend(others.map(|(count, what)| format!("{count} {what}")));
        }
        let others = self.aliases.iter().filter(|alias| **alias != place.shown);
        let others: Vec<String> = others.map(|alias| format!("@{alias}")).collect();
        facts.extend((!others.is_empty()).then(|| format!("also {}", others.join(" "))));
        facts.extend(self.version.map(str::to_owned));
        out.push(b'\t');
        out.extend_from_slice(&style.safe(facts.join(", ").as_bytes()));
        out.push(b'\t');
        out.extend_from_slice(&style.safe(place.holder().as_os_str().as_bytes()));
        if let Some(description) = self.description {
            out.push(b'\t');
            let line = description.replace(['\n', '\r', '\t'], " ");
            out.extend_from_slice(&style.safe(line.as_bytes()));
        }
        out.push(b'\n');
    }
}

/// A page of the documents of a collection, for callers in this process.
pub struct DocumentsPage {
    /// The first alias of the collection, or its name if there are no aliases.
    pub collection: String,
    /// The name of the collection, or the path of its directory.
    pub id: String,
    /// The documents on this page, ordered by path.
    pub documents: Vec<DocumentFacts>,
    /// Number of documents in the collection.
    pub total: u64,
}

/// A page of the documents of a collection.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DocumentsObject")]
pub(super) struct DocumentsRecord<'a> {
    /// The first alias, or the name if there are no aliases.
    collection: &'a str,
    /// The name, or the absolute path of an unnamed directory.
    collection_id: &'a str,
    /// The documents on this page, ordered by path.
    documents: Vec<DocumentObject<'a>>,
    /// Number of documents in the collection.
    total: u64,
    /// Whether there are more documents after this page.
    has_more: bool,
    /// The command that prints the next page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<HintObject>,
    #[serde(skip)]
    place: &'a SearchScope,
}

#[derive(JsonSchema, Serialize)]
struct DocumentObject<'a> {
    /// The path of the document in the collection.
    id: Text<'a>,
    title: &'a str,
    /// The length of the document in characters.
    size: u64,
}

impl<'a> DocumentsRecord<'a> {
    pub(super) fn new(
        place: &'a SearchScope,
        page: &'a [DocumentFacts],
        total: u64,
        next: Option<&'a Hint>,
    ) -> Self {
        let object = |document: &'a DocumentFacts| {
            let (id, size) = (Text(&document.path), document.characters);
            DocumentObject { id, title: &document.title, size }
        };
        Self {
            collection: &place.shown,
            collection_id: &place.id,
            documents: page.iter().map(object).collect(),
            total,
            has_more: next.is_some(),
            hints: next.into_iter().map(HintObject::from).collect(),
            place,
        }
    }
}

impl Record for DocumentsRecord<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        for document in &self.documents {
            let address = self.place.address(document.id.0);
            style.paint_bytes(Role::Path, address.as_os_str().as_bytes(), out);
            let title = document.title.replace(['\n', '\r', '\t'], " ");
            out.push(b'\t');
            out.extend_from_slice(&style.safe(title.as_bytes()));
            out.extend_from_slice(format!("\t{}\n", document.size).as_bytes());
        }
    }
}
