//! The tools `documents_…`: documents of collections, addressed by collection and document
//! name.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Value, json};

use super::answer::Answer;
use super::arguments::Arguments;
use super::call::{Call, Entry};
use super::collect::MAX_BYTES;
use super::records::{Records, text_of};
use super::tool::{Effect, Kind, Parameter, Set, Tool};
use crate::commands::collection::{self, Action};
use crate::commands::collection_search::args::SearchArgs;
use crate::commands::inspect::args::InspectArgs;
use crate::commands::misses::nearest;
use crate::commands::output::Sink;
use crate::commands::read::args::ReadArgs;
use crate::commands::related::args::RelatedArgs;
use crate::commands::target::flags::TargetArgs;
use crate::commands::{collection_search, inspect, read, related};
use crate::error::{Code, Error};

const COLLECTION: Parameter =
    Parameter::required("collection", Kind::Text, "Collection name or alias");
const DOCUMENT: Parameter = Parameter::required("document", Kind::Text, "Document ID");
const COLLECTIONS: Parameter =
    Parameter::new("collections", Kind::Texts, "Limit to these collections");
const LIMIT: Parameter =
    Parameter::new("limit", Kind::Integer(1, 1000), "Results for each query").or("5");
const DISTANCE: Parameter =
    Parameter::new("maxDistance", Kind::Number(0.0, 2.0), "No results further away");
const HYBRID: Parameter =
    Parameter::new("hybridSearch", Kind::Switch, "Words and meaning; false: meaning alone")
        .or("true");

/// The tools of this set.
pub const TOOLS: &[Entry] = &[
    entry(
        "documents_list_collections",
        "List collections",
        "All collections, with their subjects and numbers of documents. Begin here. \
         Not for documents: documents_list_documents.\n{}",
        &[],
        |_, call| answered(list_collections(call), call),
    ),
    entry(
        "documents_list_documents",
        "List documents of a collection",
        "Documents of a collection with titles and sizes in characters, page by page. Use it to \
         browse before searching. Not for finding what a document says: documents_search.\n\
         {\"collection\":\"docs\"}\n{\"collection\":\"docs\",\"limit\":20,\"offset\":40}",
        &[
            COLLECTION,
            Parameter::new("limit", Kind::Integer(1, 10_000), "Documents at most").or("100"),
            Parameter::new("offset", Kind::Integer(0, u64::MAX), "Documents to skip").or("0"),
        ],
        |arguments, call| answered(list_documents(arguments, call), call),
    ),
    entry(
        "documents_get_document",
        "Get a document",
        "A whole document. Long ones are cut: prefer documents_get_outline, then \
         documents_get_section.\n{\"collection\":\"docs\",\"document\":\"guide/setup.md\"}",
        &[COLLECTION, DOCUMENT],
        |arguments, call| answered(get_document(arguments, call), call),
    ),
    entry(
        "documents_get_outline",
        "Outline of a document",
        "Headings of a document with levels and lines, without its content. Use it before \
         documents_get_section.\n{\"collection\":\"docs\",\"document\":\"guide/setup.md\"}\n\
         {\"collection\":\"docs\",\"document\":\"faq.md\",\"maxDepth\":2}",
        &[
            COLLECTION,
            DOCUMENT,
            Parameter::new("maxDepth", Kind::Integer(1, 6), "Deepest headings").or("3"),
        ],
        |arguments, call| answered(get_outline(arguments, call), call),
    ),
    entry(
        "documents_get_section",
        "Get a section of a document",
        "One section of a document, by its heading or a part of it in any case. Use it in place \
         of documents_get_document where the section is known.\n{\"collection\":\"docs\",\
         \"document\":\"guide/setup.md\",\"section\":\"Install\"}\n{\"collection\":\"docs\",\
         \"document\":\"faq.md\",\"section\":\"backup\",\"includeSubsections\":false}",
        &[
            COLLECTION,
            DOCUMENT,
            Parameter::required("section", Kind::Text, "Heading, or a part of it"),
            Parameter::new("includeSubsections", Kind::Switch, "Sections below it too").or("true"),
        ],
        |arguments, call| answered(get_section(arguments, call), call),
    ),
    entry(
        "documents_search",
        "Search documents",
        "Sections of documents that answer a question best, by words and meaning. Then \
         documents_get_section for more around one. Several questions: documents_search_batch. \
         Not for browsing: documents_list_documents.\n{\"query\":\"how do I restore a backup\"}\n\
         {\"query\":\"retry\",\"collections\":[\"docs\"],\"limit\":3}",
        &[
            Parameter::required("query", Kind::Text, "Search query"),
            COLLECTIONS,
            LIMIT,
            DISTANCE,
            HYBRID,
        ],
        |arguments, call| answered(search(arguments, call), call),
    ),
    entry(
        "documents_search_batch",
        "Search for several things",
        "Up to ten searches in one call. Not for one query: documents_search.\n\
         {\"queries\":[{\"query\":\"install\"},{\"query\":\"restore\",\"collections\":[\"docs\"]}]}",
        &[
            Parameter::required(
                "queries",
                Kind::Objects(&[
                    Parameter::required("query", Kind::Text, "Search query"),
                    COLLECTIONS,
                ]),
                "1 to 10 queries",
            ),
            LIMIT,
            DISTANCE,
            HYBRID,
        ],
        |arguments, call| answered(search_batch(arguments, call), call),
    ),
    entry(
        "documents_find_related",
        "Find related content",
        "Sections about the same as a document, or as a passage of it. Use it to go on from what \
         was found. Not for questions: documents_search.\n\
         {\"collection\":\"docs\",\"document\":\"guide/setup.md\"}\n\
         {\"collection\":\"docs\",\"document\":\"faq.md\",\"chunk\":\"restore a backup\"}",
        &[
            COLLECTION,
            DOCUMENT,
            Parameter::new("chunk", Kind::Text, "A passage to compare in place of the document"),
            LIMIT,
            Parameter::new("sameDocument", Kind::Switch, "Its own sections too").or("false"),
        ],
        |arguments, call| answered(find_related(arguments, call), call),
    ),
];

const fn entry(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    parameters: &'static [Parameter],
    run: fn(&Arguments, &Call<'_>) -> Answer,
) -> Entry {
    let (set, effect, output) = (Set::Documents, Effect::Reads, None);
    let tool = Tool { name, title, set, description, parameters, effect, output };
    Entry { tool, run, refuse: |spelling, error| spelling.refused(error) }
}

fn answered(answer: Result<Value, Error>, call: &Call<'_>) -> Answer {
    match answer {
        Ok(value) => Answer::json(value),
        Err(error) => call.spelling.refused(&error),
    }
}

/// An object with the given fields of a record; missing fields are left out.
fn fields(record: &Value, names: &[&str]) -> Value {
    let given = names.iter().filter(|name| !record[**name].is_null());
    given.map(|name| ((*name).to_owned(), record[*name].clone())).collect()
}

/// The fields that identify a collection: its name, and also its id if the name is an alias.
fn names_of(record: &Value) -> &'static [&'static str] {
    match record["collection"] == record["collectionId"] {
        true => &["collection"],
        false => &["collection", "collectionId"],
    }
}

fn list_collections(call: &Call<'_>) -> Result<Value, Error> {
    let records = Records::of(|sink| collection::run::run(&Action::List, call.env, sink));
    if let Some(error) = records.errors.into_iter().next().filter(|_| records.all.is_empty()) {
        return Err(error);
    }
    let own = |record: &Value| {
        let names = [names_of(record), &["documentCount", "description", "version"]].concat();
        fields(record, &names)
    };
    Ok(json!({"collections": records.all.iter().map(own).collect::<Vec<_>>()}))
}

/// The value of `collection`.
///
/// # Errors
///
/// Fails if it is neither a known collection nor a directory.
fn collection_of<'a>(arguments: &'a Arguments, call: &Call<'_>) -> Result<&'a str, Error> {
    let given = arguments.text("collection").unwrap_or_default();
    if is_directory(given) {
        return Ok(given);
    }
    let name = given.strip_prefix('@').unwrap_or(given);
    check_collection(name, "collection", call)?;
    Ok(name)
}

/// Whether the value is a path of a directory rather than a name, by the rule of `-c`.
fn is_directory(value: &str) -> bool {
    value.contains('/') || value == "." || value == ".."
}

fn check_collection(name: &str, parameter: &str, call: &Call<'_>) -> Result<(), Error> {
    let similar = call.env.roots.similar_mounts(Path::new(&format!("@{name}")));
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
    Err(error.hint("documents_list_collections {}  # those there are"))
}

/// The name and the path of the requested document.
fn path_of(arguments: &Arguments, call: &Call<'_>) -> Result<(String, OsString), Error> {
    let collection = collection_of(arguments, call)?;
    let document = arguments.text("document").unwrap_or_default();
    let prefix = if is_directory(collection) { "" } else { "@" };
    let path = format!("{prefix}{}/{document}", collection.trim_end_matches('/'));
    match call.env.roots.is_file(Path::new(&path)) {
        true => Ok((collection.to_owned(), path.into())),
        false => Err(no_document(collection, document, call)),
    }
}

fn no_document(collection: &str, document: &str, call: &Call<'_>) -> Error {
    let message = format!("no document '{document}' in the collection '{collection}'");
    let mut error = Error::new(Code::NotFound, message);
    let documents = documents(collection, u64::MAX >> 1, 0, call).unwrap_or_default();
    let ids: Vec<String> = documents["documents"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| text_of(&one["id"]).0)
        .collect();
    for at in nearest(document, ids.iter().map(String::as_str), 3) {
        error = error.hint(format!("{}  # similar", json!({"document": ids[at]})));
    }
    let all = json!({"collection": collection});
    error.hint(format!("documents_list_documents {all}  # those there are"))
}

/// The record of `collection show`, with one page of documents.
fn documents(collection: &str, limit: u64, offset: u64, call: &Call<'_>) -> Result<Value, Error> {
    let action = Action::Show { name: collection.to_owned(), limit, offset };
    Records::one(|sink| collection::run::run(&action, call.env, sink))
}

fn list_documents(arguments: &Arguments, call: &Call<'_>) -> Result<Value, Error> {
    let collection = collection_of(arguments, call)?;
    let limit = arguments.integer("limit").unwrap_or(100);
    let offset = arguments.integer("offset").unwrap_or(0);
    let record = documents(collection, limit, offset, call)?;
    let names = [names_of(&record), &["documents", "total", "hasMore"]].concat();
    Ok(fields(&record, &names))
}

/// The outline of a document as a flat list of headings.
fn outline(path: &OsString, call: &Call<'_>) -> Result<Value, Error> {
    let addresses = vec![path.clone()];
    let flags = InspectArgs { addresses, outline: true, flat: true, ..InspectArgs::default() };
    Records::one(|sink| inspect::run::run(flags, call.env, sink))
}

fn headings(record: &Value) -> impl Iterator<Item = &Value> {
    record["structure"]["headings"].as_array().into_iter().flatten()
}

/// The first heading of level 1, or the document's name if there is none.
fn title_of<'a>(record: &'a Value, document: &'a str) -> &'a str {
    let first = headings(record).find(|heading| heading["level"] == 1);
    first.and_then(|heading| heading["text"].as_str()).unwrap_or(document)
}

fn get_document(arguments: &Arguments, call: &Call<'_>) -> Result<Value, Error> {
    let (collection, path) = path_of(arguments, call)?;
    let document = arguments.text("document").unwrap_or_default();
    let outline = outline(&path, call)?;
    let flags = ReadArgs {
        addresses: vec![path],
        max_bytes: Some(MAX_BYTES as u64),
        ..ReadArgs::default()
    };
    let record = Records::one(|sink| read::run::run(flags, call.env, sink))?;
    let mut object = json!({
        "collection": collection,
        "document": document,
        "title": title_of(&outline, document),
        "content": text_of(&record["content"]).0,
        "truncated": record["truncated"],
    });
    if record["truncated"] == true {
        let outline = json!({"collection": collection, "document": document});
        object["hint"] = format!(
            "{} of {} lines are shown: documents_get_outline {outline}, then documents_get_section",
            record["returnedLines"], record["totalLines"]
        )
        .into();
    }
    Ok(object)
}

fn get_outline(arguments: &Arguments, call: &Call<'_>) -> Result<Value, Error> {
    let (collection, path) = path_of(arguments, call)?;
    let document = arguments.text("document").unwrap_or_default();
    let record = outline(&path, call)?;
    let depth = arguments.integer("maxDepth").unwrap_or(3);
    let shown = |heading: &&Value| heading["level"].as_u64().is_some_and(|level| level <= depth);
    let own = |heading| fields(heading, &["level", "text", "line"]);
    let outline: Vec<Value> = headings(&record).filter(shown).map(own).collect();
    Ok(json!({
        "collection": collection,
        "document": document,
        "title": title_of(&record, document),
        "outline": outline,
    }))
}

fn get_section(arguments: &Arguments, call: &Call<'_>) -> Result<Value, Error> {
    let (collection, path) = path_of(arguments, call)?;
    let document = arguments.text("document").unwrap_or_default();
    let section = arguments.text("section").unwrap_or_default();
    let record = outline(&path, call)?;
    let all: Vec<&Value> = headings(&record).collect();
    let at = section_at(&all, section).ok_or_else(|| no_section(&all, section, document))?;
    let start = all[at]["line"].as_u64().unwrap_or(1);
    let next = || all.get(at + 1).and_then(|heading| heading["line"].as_u64());
    let below = arguments.is("includeSubsections") != Some(false);
    let end = all[at]["endLine"].as_u64().unwrap_or(start);
    let end = next().filter(|_| !below).map_or(end, |next| next - 1).max(start);
    let flags = ReadArgs {
        addresses: vec![path],
        max_bytes: Some(MAX_BYTES as u64),
        target: TargetArgs { lines: Some(format!("{start}-{end}")), ..TargetArgs::default() },
        ..ReadArgs::default()
    };
    let part = Records::one(|sink| read::run::run(flags, call.env, sink))?;
    let mut object = json!({
        "collection": collection,
        "document": document,
        "section": all[at]["text"],
        "level": all[at]["level"],
        "content": text_of(&part["content"]).0,
        "startLine": start,
        "endLine": end,
    });
    if part["truncated"] == true {
        object["truncated"] = true.into();
        object["hint"] = "The section is longer than an answer: name a section below it".into();
    }
    Ok(object)
}

/// The index of the first heading equal to `section`, ignoring case, or else of the first that
/// contains it.
fn section_at(headings: &[&Value], section: &str) -> Option<usize> {
    let wanted = section.trim().trim_start_matches('#').trim().to_lowercase();
    let text = |heading: &Value| heading["text"].as_str().unwrap_or_default().to_lowercase();
    let exact = headings.iter().position(|heading| text(heading) == wanted);
    let part = || headings.iter().position(|heading| text(heading).contains(&wanted));
    exact.or_else(part).filter(|_| !wanted.is_empty())
}

fn no_section(headings: &[&Value], section: &str, document: &str) -> Error {
    let message = format!("no section '{section}' in the document '{document}'");
    let mut error = Error::new(Code::TargetNotFound, message);
    let texts: Vec<&str> = headings.iter().filter_map(|heading| heading["text"].as_str()).collect();
    for at in nearest(section, texts.iter().copied(), 3) {
        error = error.hint(format!("{}  # similar", json!({"section": texts[at]})));
    }
    error.hint("documents_get_outline lists all headings")
}

/// Runs one query and returns the sections found, using up `room` bytes of the answer.
fn found(
    query: &Arguments,
    all: &Arguments,
    room: &mut usize,
    call: &Call<'_>,
) -> Result<Vec<Value>, Error> {
    let collections = query.texts("collections").unwrap_or_default();
    for name in collections.iter().filter(|name| !is_directory(name)) {
        check_collection(name.strip_prefix('@').unwrap_or(name), "collections", call)?;
    }
    let flags = SearchArgs {
        query: query.operands("query"),
        collection: collections,
        limit: all.size("limit").unwrap_or(5),
        max_distance: all.number("maxDistance").map(|distance| distance as f32),
        semantic_only: all.is("hybridSearch") == Some(false),
        content: true,
        ..SearchArgs::default()
    };
    let run = |sink: &mut dyn Sink| collection_search::run::run(&flags, call.env, sink);
    sections(Records::of(run), room)
}

/// The fields of sections that this tool set returns, for as many sections as fit into `room`
/// bytes.
fn sections(records: Records, room: &mut usize) -> Result<Vec<Value>, Error> {
    if let Some(error) = records.errors.into_iter().next().filter(|_| records.all.is_empty()) {
        return Err(error);
    }
    let own = |record: &Value| {
        let mut record = record.clone();
        let content = text_of(&record["content"]).0;
        let end = (0..=content.len().min(*room)).rev().find(|at| content.is_char_boundary(*at))?;
        *room -= end;
        record["content"] = content[..end].into();
        let others = [
            "documentId",
            "documentTitle",
            "sectionHeading",
            "content",
            "relevanceScore",
            "distance",
            "chunkIndex",
            "totalChunks",
        ];
        (end > 0).then(|| fields(&record, &[names_of(&record), &others].concat()))
    };
    Ok(records.all.iter().map_while(own).collect())
}

fn search(arguments: &Arguments, call: &Call<'_>) -> Result<Value, Error> {
    let mut room = MAX_BYTES;
    let results = found(arguments, arguments, &mut room, call)?;
    Ok(cut(json!({"results": results}), room))
}

/// Adds a hint to the answer if no room was left.
fn cut(mut object: Value, room: usize) -> Value {
    if room == 0 {
        object["hint"] = "The answer was cut: give a lower limit, or name collections".into();
    }
    object
}

fn search_batch(arguments: &Arguments, call: &Call<'_>) -> Result<Value, Error> {
    let queries = arguments.objects("queries").unwrap_or_default();
    if !(1..=10).contains(&queries.len()) {
        let message = format!("queries: {} were given, and 1 to 10 are taken", queries.len());
        return Err(Error::usage(message));
    }
    let (mut results, mut room) = (Vec::new(), MAX_BYTES);
    for query in &queries {
        let found = found(query, arguments, &mut room, call)?;
        results.push(json!({"query": query.text("query"), "results": found}));
    }
    Ok(cut(json!({"results": results}), room))
}

fn find_related(arguments: &Arguments, call: &Call<'_>) -> Result<Value, Error> {
    let (collection, path) = path_of(arguments, call)?;
    let document = arguments.text("document").unwrap_or_default();
    let flags = RelatedArgs {
        address: path,
        chunk: arguments.string("chunk"),
        collection: vec![collection.clone()],
        limit: arguments.size("limit").unwrap_or(5),
        same_document: arguments.flag("sameDocument"),
        content: true,
        ..RelatedArgs::default()
    };
    let mut room = MAX_BYTES;
    let run = |sink: &mut dyn Sink| related::run::run(&flags, call.env, sink);
    let found = sections(Records::of(run), &mut room)?;
    let own = |section: &Value| {
        let mut object = fields(section, &["collection", "content", "relevanceScore"]);
        object["document"] = section["documentId"].clone();
        object
    };
    let related: Vec<Value> = found.iter().map(own).collect();
    let source = json!({"collection": collection, "document": document});
    Ok(cut(json!({"source": source, "related": related}), room))
}
