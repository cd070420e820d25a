//! The tools for collections: `search`, `related`, and documents and their sections by name.

use serde_json::{Value, json};

use super::{Called, Client};
use crate::support::Sandbox;

const SETUP: &str = "# Setup guide\n\nIntro.\n\n## Install\r\n\r\nRun make.\r\n\n### Quick start\n\nGo.\n\n## Uninstall\n\nRun make gone.\n";
const FAQ: &str =
    "Before.\n\n```\n# no heading\n```\n\n## Backups\n\nHow do I restore a backup? Run restore.\n";

/// Creates a directory with the collection `docs`, alias `d`, and a directory outside of it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("work/docs/guide/setup.md", SETUP),
        ("work/docs/faq.md", FAQ),
        ("work/docs/backup.md", "# Keeping copies\n\nA backup is restored with restore.\n"),
        ("work/notes/a.md", "# Notes\n\nPlans.\n"),
        ("other/x.md", "# Elsewhere\n\nA backup.\n"),
    ]);
    let add = ["collection", "add", "docs", "work/docs", "--alias", "d", "--description", "Guides"];
    sandbox.run(&[&add[..], &["--version", "2"]].concat()).succeeds();
    sandbox.run(&["collection", "add", "notes", "work/notes"]).succeeds();
    sandbox.run(&["collection", "add", "other", "other"]).succeeds();
    sandbox
}

fn client(sandbox: &Sandbox) -> Client {
    Client::new(sandbox, &["--tools", "documents", "--root", "work"])
}

#[track_caller]
fn check(client: &mut Client, name: &str, arguments: Value, expected: Value) {
    assert_eq!(client.call(name, arguments).json(), expected);
}

#[test]
fn a_directory_with_the_name_of_a_collection_is_not_the_collection() {
    let sandbox = sandbox();
    sandbox.write("work/@docs/faq.md", "# Local\n");
    sandbox.write("work/@none/faq.md", "# Local\n");
    let mut client = client(&sandbox);
    let mut get = |collection: &str| {
        let arguments = json!({ "collection": collection, "document": "faq.md" });
        client.call("documents_get_document", arguments).text()
    };
    assert!(get("docs").contains("How do I restore a backup?"));
    assert!(get("none").contains("no collection 'none'"));
}

#[test]
fn collections_and_documents_are_listed() {
    let sandbox = sandbox();
    let mut client = client(&sandbox);
    // Collections outside the root are not listed.
    let expected = json!({"collections": [
        {"collection": "d", "collectionId": "docs", "documentCount": 3, "description": "Guides",
         "version": "2"},
        {"collection": "notes", "documentCount": 1},
    ]});
    check(&mut client, "documents_list_collections", json!({}), expected);
    let documents = [
        json!({"id": "backup.md", "title": "Keeping copies", "size": 53}),
        json!({"id": "faq.md", "title": "faq.md", "size": FAQ.len()}),
        json!({"id": "guide/setup.md", "title": "Setup guide", "size": SETUP.len()}),
    ];
    let name = "documents_list_documents";
    let page = |documents: &[Value], more: bool| {
        json!({"collection": "d", "collectionId": "docs", "documents": documents, "total": 3,
            "hasMore": more})
    };
    check(&mut client, name, json!({"collection": "d"}), page(&documents, false));
    let first = json!({"collection": "d", "limit": 2});
    check(&mut client, name, first, page(&documents[..2], true));
    let rest = json!({"collection": "d", "limit": 2, "offset": 2});
    check(&mut client, name, rest, page(&documents[2..], false));
    let past = json!({"collection": "d", "offset": 9});
    check(&mut client, name, past, page(&[], false));
}

#[test]
fn outlines_have_the_requested_depth() {
    let sandbox = sandbox();
    let mut client = client(&sandbox);
    let heading =
        |level: u64, text: &str, line: u64| json!({"level": level, "text": text, "line": line});
    let all = [
        heading(1, "Setup guide", 1),
        heading(2, "Install", 5),
        heading(3, "Quick start", 9),
        heading(2, "Uninstall", 13),
    ];
    let mut outline = |depth: Option<u64>| {
        let mut arguments = json!({"collection": "d", "document": "guide/setup.md"});
        arguments["maxDepth"] = depth.into();
        client.call("documents_get_outline", arguments).json()
    };
    let expected = json!({"collection": "d", "document": "guide/setup.md",
        "title": "Setup guide", "outline": all});
    assert_eq!(outline(None), expected);
    assert_eq!(outline(Some(2))["outline"], json!([all[0], all[1], all[3]]));
    assert_eq!(outline(Some(1))["outline"], json!([all[0]]));
    let faq = json!({"collection": "docs", "document": "faq.md"});
    let faq = client.call("documents_get_outline", faq).json();
    assert_eq!(faq["title"], "faq.md");
    assert_eq!(faq["outline"], json!([heading(2, "Backups", 7)]));
}

#[test]
fn sections_are_found_by_parts_of_their_names() {
    let sandbox = sandbox();
    let mut client = client(&sandbox);
    let mut check = |section: &str, below: bool, found: &str, lines: (u64, u64), content: &str| {
        let arguments = json!({"collection": "d", "document": "guide/setup.md",
            "section": section, "includeSubsections": below});
        let part = client.call("documents_get_section", arguments).json();
        assert_eq!(
            (part["section"].as_str(), part["content"].as_str()),
            (Some(found), Some(content))
        );
        assert_eq!(
            (part["startLine"].as_u64(), part["endLine"].as_u64()),
            (Some(lines.0), Some(lines.1))
        );
    };
    let install = "## Install\r\n\r\nRun make.\r\n\n";
    let whole = format!("{install}### Quick start\n\nGo.\n\n");
    check("install", true, "Install", (5, 12), &whole);
    check("INSTALL", false, "Install", (5, 8), install);
    // Exact matches take precedence over partial ones. If there are several, the first one is used.
    check("uninstall", true, "Uninstall", (13, 15), "## Uninstall\n\nRun make gone.\n");
    check("start", true, "Quick start", (9, 12), "### Quick start\n\nGo.\n\n");
    check("## Install", false, "Install", (5, 8), install);
    let whole = json!({"collection": "d", "document": "backup.md"});
    let whole = client.call("documents_get_document", whole).json();
    assert_eq!(whole["content"], "# Keeping copies\n\nA backup is restored with restore.\n");
    assert_eq!(whole["title"], "Keeping copies");
}

#[test]
fn missing_documents_and_sections_get_suggestions() {
    let sandbox = sandbox();
    let mut client = client(&sandbox);
    let mut check = |name: &str, arguments: Value, parts: &[&str]| {
        let text = client.call(name, arguments).fails(parts[0]);
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
        assert!(!text.contains("folio "), "{text}");
    };
    let outline = "documents_get_outline";
    check(
        outline,
        json!({"collection": "d", "document": "guide/setpu.md"}),
        &["NOT_FOUND: no document 'guide/setpu.md' in the collection 'd'", "\"guide/setup.md\""],
    );
    check(
        outline,
        json!({"collection": "dosc", "document": "x"}),
        &["COLLECTION_NOT_FOUND: no collection 'dosc'", "\"docs\"", "documents_list_collections"],
    );
    check(
        "documents_get_section",
        json!({"collection": "d", "document": "guide/setup.md", "section": "Instlal"}),
        &["TARGET_NOT_FOUND: no section 'Instlal'", "\"Install\"", "documents_get_outline"],
    );
    // The collection outside the root is not found.
    check("documents_list_documents", json!({"collection": "other"}), &["no collection 'other'"]);
    check("documents_search", json!({"query": "a", "collections": ["dosc"]}), &["[\"docs\"]"]);
    check(
        "documents_get_document",
        json!({"collection": "d", "document": "../../other/x.md"}),
        &["d"],
    );
}

#[test]
fn documents_are_searched_with_one_or_ten_queries() {
    let sandbox = sandbox();
    let mut client = client(&sandbox);
    let query = "how do I restore a backup";
    let found = client.call("documents_search", json!({"query": query, "limit": 2})).json();
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    let mut names: Vec<&str> =
        results.iter().map(|hit| hit["documentId"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["backup.md", "faq.md"]);
    let faq = results.iter().find(|hit| hit["documentId"] == "faq.md").unwrap();
    assert_eq!((&faq["collection"], &faq["collectionId"]), (&json!("d"), &json!("docs")));
    assert_eq!(faq["sectionHeading"], "Backups");
    assert!(faq["content"].as_str().unwrap().contains("restore a backup"));
    for (name, is_it) in [
        ("documentTitle", Value::is_string as fn(&Value) -> bool),
        ("relevanceScore", Value::is_number),
        ("distance", Value::is_number),
        ("chunkIndex", Value::is_u64),
        ("totalChunks", Value::is_u64),
    ] {
        assert!(is_it(&faq[name]), "{name}: {faq}");
    }
    let meaning = json!({"query": query, "hybridSearch": false, "maxDistance": "0.0001"});
    assert_eq!(client.call("documents_search", meaning).json()["results"], json!([]));
    let queries = json!([{"query": query, "collections": ["notes"]}, {"query": "install"}]);
    let batch = client.call("documents_search_batch", json!({"queries": queries, "limit": 1}));
    let batch = batch.json();
    let results = batch["results"].as_array().unwrap();
    assert_eq!((&results[0]["query"], &results[1]["query"]), (&json!(query), &json!("install")));
    assert_eq!(results[0]["results"][0]["collection"], "notes");
    assert_eq!(results[1]["results"][0]["sectionHeading"], "Install");
    for count in [0, 11] {
        let queries = vec![json!({"query": "x"}); count];
        client
            .call("documents_search_batch", json!({"queries": queries}))
            .fails(&format!("queries: expected 1 to 10 queries, found {count}"));
    }
}

#[test]
fn related_sections_are_in_other_documents() {
    let sandbox = sandbox();
    let mut client = client(&sandbox);
    let mut related = |more: Value| {
        let mut arguments = json!({"collection": "d", "document": "faq.md"});
        arguments.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        let found = client.call("documents_find_related", arguments).json();
        assert_eq!(found["source"], json!({"collection": "d", "document": "faq.md"}));
        found["related"].as_array().unwrap().clone()
    };
    let found = related(json!({}));
    assert_eq!(
        (&found[0]["document"], &found[0]["collection"]),
        (&json!("backup.md"), &json!("d"))
    );
    assert!(found[0]["relevanceScore"].is_number() && found[0]["content"].is_string());
    assert!(found.iter().all(|section| section["document"] != "faq.md"), "{found:?}");
    let same = related(json!({"sameDocument": true, "limit": 1}));
    assert_eq!(same[0]["document"], "faq.md");
    let chunk = related(json!({"chunk": "install by make", "limit": 1}));
    assert_eq!(chunk[0]["document"], "guide/setup.md");
}

/// Repeats the searches with the tools of `core`, which print addresses.
#[test]
fn search_results_can_be_read() {
    let sandbox = sandbox();
    let mut client = Client::new(&sandbox, &["--root", "work", "--tools", "core,related"]);
    let found = client
        .call("search", json!({"query": "restore a backup", "collection": "all", "limit": 1}));
    let line = found.first();
    let (address, _) = line.split_once(": ").unwrap();
    let address = address.rsplit_once(':').unwrap().0;
    assert!(address.starts_with("@d/"), "{line}");
    let next = found.blocks()[1].clone();
    assert_eq!(next, format!("1 section; read {{\"address\":\"{address}\"}}"));
    let part = client.call("read", json!({"address": address})).first();
    assert!(part.contains("backup"), "{part}");
    let records = client
        .call("search", json!({"query": "backup", "collection": "all", "format": "json"}))
        .json();
    assert!(records["records"][0]["address"].as_str().unwrap().starts_with("@d/"));
    let both = client
        .call("search", json!({"query": ["install", "plans"], "collection": "all", "limit": 1}));
    assert!(both.first().contains("setup.md") && both.first().contains("@notes/a.md"), "{both:?}");
    let found = client.call("related", json!({"address": "@d/faq.md", "limit": 1})).first();
    assert!(found.starts_with("@d/backup.md:1-3:"), "{found}");
    let none = client.call("search", json!({"query": "a", "collection": ["dosc"]}));
    let text = none.fails("COLLECTION_NOT_FOUND");
    assert!(text.contains(r#"hint: search {"collection":["docs"],"query":"a"}"#), "{text}");
    // Directories without a name can be searched. Collections outside the root seem not to exist.
    let here: Called = client.call("search", json!({"query": "plans", "collection": ["./notes"]}));
    assert!(here.first().starts_with("./notes/a.md:1-3:"), "{here:?}");
    client.call("read", json!({"address": "@other/x.md"})).fails("no such collection");
}

/// A server hides key files, and does not return anything from an index of a run that may read
/// them.
#[test]
fn secrets_are_found_only_by_the_command_line() {
    let sandbox = sandbox();
    sandbox.write("work/docs/zebra.pem", "The zebra token.\n");
    let is_found = || {
        let text = sandbox.run(&["search", "-c", "docs", "--keyword-only", "zebra"]).text();
        text.contains("zebra.pem")
    };
    assert!(is_found());
    let mut client = client(&sandbox);
    let arguments = json!({"query": "zebra", "collections": ["docs"]});
    let results = client.call("documents_search", arguments).json();
    assert!(!results.to_string().contains("token"), "{results}");
    let listed = client.call("documents_list_documents", json!({"collection": "docs"})).json();
    assert_eq!(listed["total"], 3);
    assert!(is_found());
}
