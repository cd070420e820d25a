//! Collections and their documents as records.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::collections::open::Place;
use crate::commands::json::{self, Text};
use crate::commands::output::{Record, Role, Style, counted};

/// A collection, and what was done with it.
pub struct CollectionRecord<'a> {
    pub place: &'a Place,
    pub aliases: &'a [String],
    pub description: Option<&'a str>,
    pub version: Option<&'a str>,
    /// Counts of its contents, if it can be opened.
    pub counts: Option<Counts>,
    /// What was done, if anything.
    pub status: Option<&'static str>,
}

/// How much a collection contains.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Documents.
    pub document_count: u64,
    /// Sections of them that can be found.
    pub section_count: u64,
    /// Files that are passed over: they are no text.
    pub binary_count: u64,
    /// Documents that were read now: new ones, and those that changed.
    pub changed: u64,
    /// Documents that are gone.
    pub removed: u64,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CollectionObject<'a> {
    /// What was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["added", "updated", "removed", "aliased"]))]
    status: Option<&'static str>,
    /// Its alias, where it has one, else its name.
    collection: &'a str,
    /// Its name; of a directory without a name, its whole path.
    collection_id: &'a str,
    /// Its other names.
    aliases: &'a [String],
    /// Where its documents are.
    directory: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    counts: Option<Counts>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    /// Of which version of something it tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
}

impl Record for CollectionRecord<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let place = self.place;
        let prefix = match place.prefix.as_os_str().is_empty() {
            true => Path::new("."),
            false => &place.prefix,
        };
        style.paint_bytes(Role::Path, prefix.as_os_str().as_bytes(), out);
        let mut facts: Vec<String> = self.status.map(str::to_owned).into_iter().collect();
        if let Some(counts) = self.counts {
            facts.push(counted(counts.document_count, "document"));
            facts.push(counted(counts.section_count, "section"));
            let others = [(counts.binary_count, "binary"), (counts.removed, "gone")];
            let others = others.iter().filter(|(count, _)| *count > 0);
            facts.extend(others.map(|(count, what)| format!("{count} {what}")));
        }
        let others: Vec<String> = self
            .aliases
            .iter()
            .filter(|own| **own != place.shown)
            .map(|own| format!("@{own}"))
            .collect();
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

    fn json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&json::line(&CollectionObject {
            status: self.status,
            collection: &self.place.shown,
            collection_id: &self.place.id,
            aliases: self.aliases,
            directory: json::path(self.place.holder()),
            counts: self.counts,
            description: self.description,
            version: self.version,
        }));
    }
}

/// A document of a collection.
pub struct Document {
    pub id: Vec<u8>,
    pub title: String,
    /// Length in characters.
    pub size: u64,
}

/// A page of the documents of a collection, for callers in this process.
pub struct DocumentsPage {
    /// The collection's alias or name.
    pub collection: String,
    /// The collection's name or path.
    pub id: String,
    pub documents: Vec<Document>,
    /// The number of all documents.
    pub total: u64,
}

/// A page of the documents of a collection.
pub(super) struct DocumentsRecord<'a> {
    pub(super) place: &'a Place,
    pub(super) documents: &'a [Document],
    pub(super) total: u64,
    pub(super) has_more: bool,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentsObject<'a> {
    /// Its alias, where it has one, else its name.
    collection: &'a str,
    /// Its name; of a directory without a name, its whole path.
    collection_id: &'a str,
    /// A page of them, by their paths.
    documents: Vec<DocumentObject<'a>>,
    /// How many there are.
    total: u64,
    /// Whether there are more after this page.
    has_more: bool,
}

#[derive(JsonSchema, Serialize)]
struct DocumentObject<'a> {
    /// Its path in the collection.
    id: Text<'a>,
    title: &'a str,
    /// Its length in characters.
    size: u64,
}

impl Record for DocumentsRecord<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        for document in self.documents {
            let address = self.place.address(&document.id);
            style.paint_bytes(Role::Path, address.as_os_str().as_bytes(), out);
            let title = document.title.replace(['\n', '\r', '\t'], " ");
            out.push(b'\t');
            out.extend_from_slice(&style.safe(title.as_bytes()));
            out.extend_from_slice(format!("\t{}\n", document.size).as_bytes());
        }
    }

    fn json(&self, out: &mut Vec<u8>) {
        let documents = self.documents.iter().map(|document| DocumentObject {
            id: Text(&document.id),
            title: &document.title,
            size: document.size,
        });
        out.extend_from_slice(&json::line(&DocumentsObject {
            collection: &self.place.shown,
            collection_id: &self.place.id,
            documents: documents.collect(),
            total: self.total,
            has_more: self.has_more,
        }));
    }
}
