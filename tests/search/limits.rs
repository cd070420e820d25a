//! Extreme collections: without documents, with very many or very large documents, and with unusual
//! names. Also unusual queries. The answer is a result, or an error with a hint.
//!
//! To run the largest: `cargo test --release --test it search::limits -- --ignored`.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;

use crate::support::system::has;
use crate::support::{Outcome, Sandbox};

#[track_caller]
fn found(sandbox: &Sandbox, query: &str) -> Outcome {
    sandbox.run(&["search", "-c", "./docs", "--keyword-only", "-q", query])
}

/// Checks that `read` finds the text from the output of a search, for any file name.
fn check_name(name: &[u8]) {
    let sandbox = Sandbox::new();
    sandbox.write("docs/plain.md", "# Plain\n\nwords\n");
    sandbox.write(OsStr::from_bytes(&[b"docs/", name].concat()), "# Odd\n\nOddity of a walrus.\n");
    let shown = String::from_utf8_lossy(name);
    let json = sandbox.run(&["search", "-c", "./docs", "walrus", "--json", "--limit", "1"]);
    let json = json.succeeds().text();
    assert!(json.contains("Oddity of a walrus."), "{shown}: {json}");
    for collection in ["./docs", "named"] {
        if collection == "named" {
            sandbox.run(&["collection", "add", "named", "docs"]).succeeds();
        }
        let search = ["search", "-c", collection, "walrus", "-0", "--limit", "1"];
        let addresses = sandbox.run(&search).succeeds();
        let read = ["read", "--addresses-from", "-", "-0"];
        let read = sandbox.run_with_input(&read, &addresses.stdout);
        let text = String::from_utf8_lossy(&read.stdout);
        assert!(text.contains("Oddity of a walrus."), "{shown} {collection}: {read}");
        let show = sandbox.run(&["collection", "show", collection, "--json"]).succeeds();
        assert!(show.text().contains("\"total\":2,"), "{shown}: {show}");
    }
}

#[test]
fn files_may_have_any_name() {
    let names: &[&[u8]] = &[
        b"a b.md",
        b" .md",
        b"a:1-3:x.md",
        b"a:1",
        b"a#b.md",
        b"-x.md",
        b"@x.md",
        b"caf\xe9.md",
        b"\xff",
        b"a\tb.md",
        b"a\nb.md",
        b"a\"'$b.md",
        b"%41.md",
        b"sub dir/x: y.md",
    ];
    for name in names {
        check_name(name);
    }
}

#[test]
fn a_directory_with_a_symlink_to_itself_is_walked_once() {
    let sandbox = Sandbox::with(&[("docs/a/x.md", "# X\n\nThe walrus.\n")]);
    symlink(".", sandbox.path("docs/itself")).unwrap();
    symlink("..", sandbox.path("docs/a/above")).unwrap();
    symlink("missing", sandbox.path("docs/broken")).unwrap();
    found(&sandbox, "walrus").succeeds().prints("./docs/a/x.md:1-3:X: The walrus.\n");
    sandbox.run(&["collection", "add", "itself", "docs/itself"]).succeeds();
    let shown = sandbox.run(&["collection", "show", "itself"]).succeeds();
    assert_eq!(shown.text(), "@itself/a/x.md\tX\t17\n");
}

#[test]
fn queries_may_contain_any_text() {
    let sandbox = Sandbox::with(&[
        ("docs/a.md", "# Setup\n\nInstall it on the 5\" disk.\n"),
        ("docs/b.md", "# 安装\n\n运行安装程序。日本語の文書も読む。\n"),
    ]);
    let long = "x".repeat(10_000);
    let many = "disk install ".repeat(1000);
    let cases: &[(&str, i32)] = &[
        ("安装程序", 0),
        ("日本語", 0),
        ("the of and", 0),
        ("who were they", 1),
        ("it", 0),
        ("5\" disk", 0),
        ("\"install it", 0),
        ("install \"", 0),
        ("title:\"setup", 0),
        ("-disk install", 1),
        ("install --flag", 0),
        ("install - disk", 0),
        ("NEAR(install, 5) AND OR NOT *", 0),
        ("install* ^disk {a b}: col:install", 0),
        ("'; DROP TABLE sections; -- install", 0),
        ("path:** install", 0),
        (&many, 0),
        (&long, 1),
        ("\u{202e}install\u{0}", 0),
        ("title:", 1),
        ("title:\"\"", 2),
        ("path:", 1),
        ("path:\"\"", 2),
        ("path:[ install", 2),
        ("!?…", 2),
        ("\"\"", 2),
        ("", 2),
    ];
    for (query, status) in cases {
        // A NUL cannot be in an argument of a command, but a server may send one.
        let query = query.replace('\0', " ");
        let outcome = found(&sandbox, &query);
        let head: String = query.chars().take(40).collect();
        assert_eq!(outcome.status, Some(*status), "{head}: {outcome}");
        assert_eq!(outcome.stdout.is_empty(), *status != 0, "{head}: {outcome}");
        assert_eq!(outcome.stderr.is_empty(), *status == 0, "{head}: {outcome}");
        let both = sandbox.run(&["search", "-c", "./docs", "-q", &query]);
        assert_eq!(both.status == Some(2), *status == 2, "{head}: {both}");
    }
    let latin = std::ffi::OsString::from_vec(b"install caf\xe9".to_vec());
    let arguments = ["search", "-c", "./docs", "--keyword-only"].map(Into::into);
    sandbox.run(&[&arguments[..], &[latin]].concat()).succeeds();
}

#[test]
fn a_file_deleted_before_reading_is_not_a_result() {
    let sandbox = Sandbox::with(&[
        ("docs/a.md", "# A\n\nThe walrus.\n"),
        ("docs/b.md", "# B\n\nThe walrus and others.\n"),
    ]);
    found(&sandbox, "walrus").succeeds();
    // A search with an unchanged index accesses the files only to read results.
    fs::remove_file(sandbox.path("docs/a.md")).unwrap();
    let as_it_is = ["search", "-c", "./docs", "--keyword-only", "walrus", "--no-update"];
    let outcome = sandbox.run(&as_it_is).exits(0).tells("1 section left out");
    assert_eq!(outcome.text(), "./docs/b.md:1-3:B: The walrus and others.\n");
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    // The file is deleted after it was examined and before it is read.
    let mut command = sandbox.command_of("sh");
    let script = "strace -f -o trace -e trace=pread64 -e inject=pread64:delay_enter=1500000:when=1 \
                  $FOLIO search -c ./docs --keyword-only walrus & \
                  sleep 0.5; rm docs/b.md; wait $!";
    command.args(["-c", script]).env("FOLIO", env!("CARGO_BIN_EXE_folio"));
    let outcome = crate::support::outcome(&mut command, b"");
    assert!(outcome.stdout.is_empty() && !outcome.errors().contains("panicked"), "{outcome}");
    assert!(matches!(outcome.status, Some(0 | 1)), "{outcome}");
    assert!(!outcome.stderr.is_empty(), "{outcome}");
}

/// Creates documents of one line each.
fn many_documents(count: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    for at in 0..count {
        sandbox.write(format!("docs/{}/{at}.md", at / 500), format!("# D{at}\n\nword{at} here\n"));
    }
    sandbox
}

fn check_many(count: usize) {
    let sandbox = many_documents(count);
    let wanted = count * 2 / 3;
    let at = format!("./docs/{}/{wanted}.md:1-3:D{wanted}: word{wanted} here\n", wanted / 500);
    let mut first = sandbox.command();
    first.args(["search", "-c", "./docs", "--keyword-only", &format!("word{wanted}")]);
    let output = std::process::Command::output(&mut first).unwrap();
    let output = String::from_utf8_lossy(&output.stdout);
    assert!(output.starts_with(&at), "{output}");
    let shown = ["collection", "show", "./docs", "--limit", "1", "--offset", "5"];
    let shown = sandbox.run(&shown).exits(0).tells(&format!("of {count}"));
    assert_eq!(shown.text().lines().count(), 1);
}

#[test]
fn a_collection_of_many_documents_is_searched() {
    check_many(1000);
}

#[test]
#[ignore = "takes minutes: 100,000 documents"]
fn a_collection_of_a_hundred_thousand_documents_is_searched() {
    check_many(100_000);
}

/// Checks a file of this size. One of its lines is a tenth of the file.
fn check_large(bytes: usize) {
    let sandbox = Sandbox::new();
    let mut text = String::with_capacity(bytes + 1000);
    let mut at = 0;
    while text.len() < bytes * 9 / 10 {
        at += 1;
        text.push_str(&format!("## Part {at}\n\nSome text about number{at} and others.\n\n"));
    }
    text.push_str("## Long\n\n");
    text.push_str(&"long line ".repeat(bytes / 100));
    text.push_str("\n\n## End\n\nThe walrus.\n");
    let lines = text.lines().count();
    sandbox.write("docs/large.md", text);
    let mut command = sandbox.command();
    command.args(["search", "-c", "./docs", "--keyword-only", "walrus"]);
    let output = std::process::Command::output(&mut command).unwrap();
    let expected = format!("./docs/large.md:{}-{lines}:End: The walrus.\n", lines - 2);
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    let middle = at / 2;
    let outcome = found(&sandbox, &format!("number{middle}")).succeeds();
    assert!(outcome.text().contains(&format!("Part {middle}: ")), "{outcome}");
}

#[test]
fn a_large_file_is_searched() {
    check_large(1_000_000);
}

#[test]
#[ignore = "takes minutes: 200 MB"]
fn a_file_of_two_hundred_megabytes_is_searched() {
    check_large(200_000_000);
}

/// The first search may use 20 times the size of the document plus 64 MiB.
#[test]
#[ignore = "takes minutes: 10 to 20 MB each"]
fn memory_is_proportional_to_the_document() {
    let headings: String = (0..1_000_000).map(|at| format!("# h{at}\n")).collect();
    let links: String = (0..1_000_000).map(|at| format!("[a{at}](b{at}.md)\n")).collect();
    let paragraphs = "Some words of a long section.\n\n".repeat(600_000);
    for text in [headings, format!("# Links\n\n{links}"), format!("# One\n\n{paragraphs}")] {
        let sandbox = Sandbox::with(&[("docs/a.md", text.as_str())]);
        let max = 20 * text.len() / 1024 + 64 * 1024;
        let mut command = sandbox.command_of("sh");
        let script = format!("ulimit -d {max}; exec $FOLIO search -c ./docs h5000 words b7");
        command.args(["-c", &script]).env("FOLIO", env!("CARGO_BIN_EXE_folio"));
        crate::support::outcome(&mut command, b"").succeeds();
    }
}

#[test]
fn an_empty_collection_is_reported() {
    let sandbox = Sandbox::with(&[("empty/.keep", ""), ("binary/a.bin", "a\0b")]);
    for name in ["empty", "binary"] {
        sandbox.run(&["collection", "add", name, name]).exits(0).tells("it contains no documents");
        let outcome = sandbox.run(&["search", "-c", name, "walrus"]).exits(1).prints("");
        assert!(outcome.errors().contains("nothing to search"), "{outcome}");
        sandbox.run(&["collection", "show", name]).exits(0).tells("it contains no documents");
    }
    sandbox.write("empty/a.md", "The walrus.\n");
    sandbox.run(&["search", "-c", "empty", "walrus"]).prints("@empty/a.md:1:a.md: The walrus.\n");
}
