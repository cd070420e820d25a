//! The tools `documents_…`. They identify a document by its collection and its name.

use std::ffi::OsString;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::{Answer, truncated};
use super::collect::MAX_BYTES;
use super::tool::{Call, Set, Tool, ToolCall};
use crate::commands::collection_search::args::SearchArgs;
use crate::commands::inspect::run::Heading;
use crate::commands::output::Collected;
use crate::commands::read::args::ReadArgs;
use crate::commands::related::args::RelatedArgs;
use crate::commands::retrieval::Hit;
use crate::commands::target::flags::TargetArgs;
use crate::commands::{collection, collection_search, inspect, read, related};
use folio_files::error::{Code, Error};
use folio_text::fuzzy::name::nearest;

/// The tools of this set.
pub(super) static TOOLS: [Tool; 8] = [
    Tool::of::<ListCollections>(Set::Documents, "documents_list_collections", "List collections"),
    Tool::of::<ListDocuments>(
        Set::Documents,
        "documents_list_documents",
        "List documents of a collection",
    ),
    Tool::of::<GetDocument>(Set::Documents, "documents_get_document", "Get a document"),
    Tool::of::<GetOutline>(Set::Documents, "documents_get_outline", "Outline of a document"),
    Tool::of::<GetSection>(Set::Documents, "documents_get_section", "Get a section of a document"),
    Tool::of::<Search>(Set::Documents, "documents_search", "Search documents"),
    Tool::of::<SearchBatch>(Set::Documents, "documents_search_batch", "Search for several things"),
    Tool::of::<FindRelated>(Set::Documents, "documents_find_related", "Find related content"),
];

/// List all collections with their subjects and numbers of documents. Call this first. For the
/// documents of a collection use documents_list_documents.
///
/// `{}`
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListCollections {}

impl ToolCall for ListCollections {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let mut sink = Collected::json();
        let mut all = Vec::new();
        collection::run::for_each_collection(call.host, &mut sink, &mut |_, record| {
            let mut object = named(&record.place.shown, &record.place.id);
            let count = record.counts.map(|counts| counts.document_count.into());
            let facts = [
                ("documentCount", count),
                ("description", record.description.map(Value::from)),
                ("version", record.version.map(Value::from)),
            ];
            for (name, value) in facts {
                value.into_iter().for_each(|value| object[name] = value);
            }
            all.push(object);
            Ok(())
        })?;
        if all.is_empty() {
            sink.check()?;
        }
        Ok(Answer::json(json!({ "collections": all })))
    }
}

/// List the documents of a collection with titles and sizes in characters, in pages. Use it to
/// browse. To find what a document says use documents_search.
///
/// `{"collection":"docs"}`
/// `{"collection":"docs","limit":20,"offset":40}`
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListDocuments {
    /// Name or alias of a collection
    collection: String,
    /// Maximum number of documents
    #[schemars(range(min = 1, max = 10_000), extend("default" = 100))]
    limit: Option<u64>,
    /// Documents to skip
    #[serde(default)]
    offset: u64,
}

impl ToolCall for ListDocuments {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let collection = collection_of(&self.collection, call)?;
        let limit = self.limit.unwrap_or(100);
        let page = collection::run::page(collection, limit, self.offset, call.host)?;
        let mut object = named(&page.collection, &page.id);
        let shown = page.documents.iter().map(|document| {
            let id = String::from_utf8_lossy(&document.path);
            json!({"id": id, "title": document.title, "size": document.characters})
        });
        object["documents"] = shown.collect();
        object["hasMore"] = (self.offset + (page.documents.len() as u64) < page.total).into();
        object["total"] = page.total.into();
        Ok(Answer::json(object))
    }
}

/// Get a whole document. Long documents are truncated: prefer documents_get_outline, then
/// documents_get_section.
///
/// `{"collection":"docs","document":"guide/setup.md"}`
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetDocument {
    /// Name or alias of a collection
    collection: String,
    /// ID of a document
    document: String,
}

impl ToolCall for GetDocument {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let (collection, path) = document(&self.collection, &self.document, call)?;
        let outline = inspect::run::headings(&path, call.host)?;
        let max_bytes = Some(MAX_BYTES as u64);
        let args = ReadArgs { addresses: vec![path], max_bytes, ..ReadArgs::default() };
        let (_, part) = read::run::part(args, call.host)?;
        let mut object = json!({
            "collection": collection,
            "document": self.document,
            "title": title(&outline.headings, &self.document),
            "content": String::from_utf8_lossy(&part.content),
            "truncated": part.piece.truncated,
        });
        if part.piece.truncated {
            let outline = json!({"collection": collection, "document": self.document});
            let total = part.piece.file.total_lines.unwrap_or(0);
            object["hint"] = format!(
                "{} of {total} lines are shown: documents_get_outline {outline}, then \
                 documents_get_section",
                part.piece.returned_lines
            )
            .into();
        }
        Ok(Answer::json(object))
    }
}

/// Get the headings of a document with levels and lines, without content. Use it before
/// documents_get_section.
///
/// `{"collection":"docs","document":"guide/setup.md"}`
/// `{"collection":"docs","document":"faq.md","maxDepth":2}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GetOutline {
    /// Name or alias of a collection
    collection: String,
    /// ID of a document
    document: String,
    /// Deepest heading level
    #[schemars(range(min = 1, max = 6), extend("default" = 3))]
    max_depth: Option<u8>,
}

impl ToolCall for GetOutline {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let (collection, path) = document(&self.collection, &self.document, call)?;
        let found = inspect::run::headings(&path, call.host)?;
        let depth = self.max_depth.unwrap_or(3);
        let shown = found.headings.iter().filter(|heading| heading.level <= depth);
        let entry = |heading: &Heading| {
            let Heading { level, text, lines, .. } = heading;
            json!({"level": level, "text": text, "line": lines.start()})
        };
        Ok(Answer::json(json!({
            "collection": collection,
            "document": self.document,
            "title": title(&found.headings, &self.document),
            "outline": shown.map(entry).collect::<Vec<_>>(),
        })))
    }
}

/// Get one section of a document by its heading or a part of the heading, ignoring case. Use it
/// instead of documents_get_document if you know the section.
///
/// `{"collection":"docs","document":"guide/setup.md","section":"Install"}`
/// `{"collection":"docs","document":"faq.md","section":"backup","includeSubsections":false}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GetSection {
    /// Name or alias of a collection
    collection: String,
    /// ID of a document
    document: String,
    /// Heading, or a part of it
    section: String,
    /// Include nested sections
    #[schemars(extend("default" = true))]
    include_subsections: Option<bool>,
}

impl ToolCall for GetSection {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let (collection, path) = document(&self.collection, &self.document, call)?;
        let all = inspect::run::headings(&path, call.host)?.headings;
        let at = section_at(&all, &self.section)
            .ok_or_else(|| no_section(&all, &self.section, &self.document))?;
        let Heading { level, text, lines, .. } = &all[at];
        let next = all.get(at + 1).filter(|_| self.include_subsections == Some(false));
        let (start, end) = (lines.start(), next.map_or(lines.end(), |next| next.lines.start() - 1));
        let end = end.max(start);
        let args = ReadArgs {
            addresses: vec![path],
            max_bytes: Some(MAX_BYTES as u64),
            target: TargetArgs { lines: vec![format!("{start}-{end}")], ..TargetArgs::default() },
            ..ReadArgs::default()
        };
        let (_, part) = read::run::part(args, call.host)?;
        let mut object = json!({
            "collection": collection,
            "document": self.document,
            "section": text,
            "level": level,
            "content": String::from_utf8_lossy(&part.content),
            "startLine": start,
            "endLine": end,
        });
        if part.piece.truncated {
            object["truncated"] = true.into();
            object["hint"] = "The section is too long for one answer: name a nested section".into();
        }
        Ok(Answer::json(object))
    }
}

/// Find the sections of documents that answer a question best, by words and meaning. For more of a
/// section use documents_get_section, for several questions documents_search_batch, to browse
/// documents_list_documents.
///
/// `{"query":"how do I restore a backup"}`
/// `{"query":"retry","collections":["docs"],"limit":3}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Search {
    /// Search query
    query: String,
    /// Search only these collections
    #[serde(default)]
    collections: Vec<String>,
    /// Results per query
    #[schemars(range(min = 1, max = 1000), extend("default" = 5))]
    limit: Option<u64>,
    /// Maximum distance of results
    #[schemars(range(min = 0, max = 2))]
    max_distance: Option<f32>,
    /// Search by words and meaning; if false, by meaning only
    #[schemars(extend("default" = true))]
    hybrid_search: Option<bool>,
}

impl Search {
    /// Returns the sections found, limited to `room` bytes.
    fn results(self, room: &mut usize, call: &Call<'_>) -> Result<Vec<Value>, Error> {
        for name in self.collections.iter().filter(|name| !is_directory(name)) {
            check_collection(name.strip_prefix('@').unwrap_or(name), "collections", call)?;
        }
        let args = SearchArgs {
            query: vec![self.query.into()],
            collection: if self.collections.is_empty() {
                vec!["all".to_owned()]
            } else {
                self.collections
            },
            limit: self.limit.unwrap_or(5),
            max_distance: self.max_distance,
            semantic_only: self.hybrid_search == Some(false),
            content: true,
            ..SearchArgs::default()
        };
        let hits = collection_search::run::hits(&args, call.host)?;
        Ok(sections(&hits, room))
    }
}

impl ToolCall for Search {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let mut room = MAX_BYTES;
        let results = self.results(&mut room, call)?;
        Ok(limited(json!({ "results": results }), room))
    }
}

/// Run up to ten searches in one call. For one query use documents_search.
///
/// `{"queries":[{"query":"install"},{"query":"restore","collections":["docs"]}]}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SearchBatch {
    /// 1 to 10 queries
    queries: Vec<BatchQuery>,
    /// Results per query
    #[schemars(range(min = 1, max = 1000), extend("default" = 5))]
    limit: Option<u64>,
    /// Maximum distance of results
    #[schemars(range(min = 0, max = 2))]
    max_distance: Option<f32>,
    /// Search by words and meaning; if false, by meaning only
    #[schemars(extend("default" = true))]
    hybrid_search: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BatchQuery {
    /// Search query
    query: String,
    /// Search only these collections
    #[serde(default)]
    collections: Vec<String>,
}

impl ToolCall for SearchBatch {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        if !(1..=10).contains(&self.queries.len()) {
            let count = self.queries.len();
            return Err(Error::usage(format!("queries: expected 1 to 10 queries, found {count}")));
        }
        let Self { limit, max_distance, hybrid_search, .. } = self;
        let (mut results, mut room) = (Vec::new(), MAX_BYTES);
        for BatchQuery { query, collections } in self.queries {
            let query_text = query.clone();
            let search = Search { query, collections, limit, max_distance, hybrid_search };
            let found = search.results(&mut room, call)?;
            results.push(json!({"query": query_text, "results": found}));
        }
        Ok(limited(json!({ "results": results }), room))
    }
}

/// Find sections related to a document or to a passage of it. Use it to continue from a result.
/// For questions use documents_search.
///
/// `{"collection":"docs","document":"guide/setup.md"}`
/// `{"collection":"docs","document":"faq.md","chunk":"restore a backup"}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FindRelated {
    /// Name or alias of a collection
    collection: String,
    /// ID of a document
    document: String,
    /// A passage to compare instead of the document
    chunk: Option<String>,
    /// Maximum number of results
    #[schemars(range(min = 1, max = 1000), extend("default" = 5))]
    limit: Option<u64>,
    /// Include sections of the same document
    #[serde(default)]
    same_document: bool,
}

impl ToolCall for FindRelated {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let (collection, path) = document(&self.collection, &self.document, call)?;
        let args = RelatedArgs {
            address: path,
            chunk: self.chunk,
            collection: vec![collection.to_owned()],
            limit: self.limit.unwrap_or(5),
            same_document: self.same_document,
            content: true,
            ..RelatedArgs::default()
        };
        let mut room = MAX_BYTES;
        let hits = related::run::hits(&args, call.host)?;
        let object = |hit: &Hit| {
            let content = take(hit, &mut room)?;
            let document = String::from_utf8_lossy(&hit.document);
            let (collection, relevance) = (&hit.collection, hit.relevance());
            Some(json!({"collection": collection, "document": document, "content": content,
                "relevanceScore": relevance}))
        };
        let related: Vec<Value> = hits.iter().map_while(object).collect();
        let source = json!({"collection": collection, "document": self.document});
        Ok(limited(json!({"source": source, "related": related}), room))
    }
}

/// Returns an object with the name of a collection. If the name is an alias, the object also
/// contains the ID.
fn named(name: &str, id: &str) -> Value {
    if name == id {
        json!({ "collection": name })
    } else {
        json!({"collection": name, "collectionId": id})
    }
}

/// Returns the value of `collection` without `@`.
///
/// # Errors
///
/// Fails if the value is neither a collection nor a directory.
fn collection_of<'a>(value: &'a str, call: &Call<'_>) -> Result<&'a str, Error> {
    if is_directory(value) {
        return Ok(value);
    }
    let name = value.strip_prefix('@').unwrap_or(value);
    check_collection(name, "collection", call)?;
    Ok(name)
}

/// Whether the value is the path of a directory and not a name, by the same rule as for `-c`.
fn is_directory(value: &str) -> bool {
    value.contains('/') || value == "." || value == ".."
}

fn check_collection(name: &str, parameter: &str, call: &Call<'_>) -> Result<(), Error> {
    let similar = call.host.env.roots.similar_mounts(Path::new(&format!("@{name}")));
    if !name.is_empty() && similar.is_none() {
        return Ok(());
    }
    let mut error = Error::new(Code::CollectionNotFound, format!("no collection '{name}'"));
    for near in similar.unwrap_or_default() {
        let value = match parameter {
            "collections" => json!({parameter: [near]}),
            _ => json!({parameter: near}),
        };
        error = error.hint(format!("{value}  # similar"));
    }
    Err(error.hint("documents_list_collections {}  # all collections"))
}

/// Returns the collection and the path of a document.
fn document<'a>(
    collection: &'a str,
    document: &str,
    call: &Call<'_>,
) -> Result<(&'a str, OsString), Error> {
    let collection = collection_of(collection, call)?;
    let prefix = if is_directory(collection) { "" } else { "@" };
    let path = format!("{prefix}{}/{document}", collection.trim_end_matches('/'));
    let path = match call.host.env.roots.below_hidden_mount(Path::new(&path)) {
        Some(path) => path.into_os_string(),
        None => path.into(),
    };
    if call.host.env.roots.is_file(Path::new(&path)) {
        return Ok((collection, path));
    }
    let message = format!("no document '{document}' in the collection '{collection}'");
    let page = collection::run::page(collection, u64::MAX >> 1, 0, call.host);
    let documents = page.map(|page| page.documents).unwrap_or_default();
    let ids: Vec<String> =
        documents.iter().map(|facts| String::from_utf8_lossy(&facts.path).into_owned()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let error = similar(Error::new(Code::NotFound, message), "document", document, &ids);
    let all = json!({ "collection": collection });
    Err(error.hint(format!("documents_list_documents {all}  # all documents")))
}

/// Adds the values that are most similar to that of a parameter as hints.
fn similar(error: Error, parameter: &str, value: &str, known: &[&str]) -> Error {
    let near = nearest(value, known.iter().copied(), 3).into_iter();
    let hints = near.map(|at| format!("{}  # similar", json!({ parameter: known[at] })));
    hints.fold(error, Error::hint)
}

/// Returns the first heading of level 1, or the name of the document if there is none.
fn title<'a>(headings: &'a [Heading], document: &'a str) -> &'a str {
    let first = headings.iter().find(|heading| heading.level == 1);
    first.map_or(document, |heading| &heading.text)
}

/// Returns the index of the first heading that equals `section`, ignoring case. If there is none,
/// returns the first heading that contains it.
fn section_at(headings: &[Heading], section: &str) -> Option<usize> {
    let name = section.trim().trim_start_matches('#').trim().to_lowercase();
    let exact = headings.iter().position(|heading| heading.text.to_lowercase() == name);
    let part = || headings.iter().position(|heading| heading.text.to_lowercase().contains(&name));
    exact.or_else(part).filter(|_| !name.is_empty())
}

fn no_section(headings: &[Heading], section: &str, document: &str) -> Error {
    let message = format!("no section '{section}' in the document '{document}'");
    let texts: Vec<&str> = headings.iter().map(|heading| &*heading.text).collect();
    let error = similar(Error::new(Code::TargetNotFound, message), "section", section, &texts);
    error.hint("documents_get_outline lists all headings")
}

/// Returns the part of a section's content that fits in `room` bytes, and reduces `room`. Returns
/// `None` if nothing fits.
fn take(hit: &Hit, room: &mut usize) -> Option<String> {
    let content = String::from_utf8_lossy(&hit.content);
    let content = truncated(&content, *room);
    *room -= content.len();
    (!content.is_empty()).then(|| content.to_owned())
}

/// Returns the sections that fit completely or partly in `room` bytes.
fn sections(hits: &[Hit], room: &mut usize) -> Vec<Value> {
    let section = |hit: &Hit| {
        let mut object = named(&hit.collection, &hit.collection_id);
        object["content"] = take(hit, room)?.into();
        object["documentId"] = String::from_utf8_lossy(&hit.document).into();
        object["documentTitle"] = (*hit.title).into();
        object["relevanceScore"] = hit.relevance().into();
        object["chunkIndex"] = hit.index.into();
        object["totalChunks"] = hit.total.into();
        hit.trail.last().into_iter().for_each(|name| object["sectionHeading"] = (**name).into());
        hit.distance().into_iter().for_each(|distance| object["distance"] = distance.into());
        Some(object)
    };
    hits.iter().map_while(section).collect()
}

/// Creates the answer, with a hint if content was omitted because there was no room.
fn limited(mut object: Value, room: usize) -> Answer {
    if room == 0 {
        object["hint"] = "The answer was cut: give a lower limit, or name collections".into();
    }
    Answer::json(object)
}
