//! The output of `links`: text, records, and a terminal.

use std::os::unix::fs::symlink;

use super::{check_in, records, sandbox};
use crate::support::records::{LinkSummary, Text, check_schema};
use crate::support::{Sandbox, terminal, utf16};

#[test]
fn quiet_only_sets_the_exit_status() {
    let sandbox = sandbox();
    sandbox.run(&["links", "-q"]).succeeds().prints("");
    sandbox.run(&["links"]).succeeds().prints("");
    sandbox.write("x.md", "[x](gone)");
    sandbox.run(&["links", "-q"]).exits(1).prints("");
    sandbox.run(&["links", "--quiet", "--json"]).exits(1).prints("");
}

#[test]
fn columns_count_characters_in_any_encoding() {
    let sandbox = sandbox();
    let text = "# Ä\n\nä [x](gone) [y](#ä)\n";
    let expected = "x.md:3:7: no file 'gone'\n";
    for bytes in [
        text.as_bytes().to_vec(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        utf16(text, true),
        utf16(text, false),
    ] {
        sandbox.write("x.md", bytes).run(&["links", "x.md"]).exits(1).prints(expected);
        check_in(&sandbox, "y.md", "x.md#ä", "");
    }
    sandbox.write("x.md", b"\xe4 [x](gone\xe4)\n");
    let latin = ["links", "--encoding", "latin1", "x.md"];
    sandbox.run(&latin).exits(1).prints("x.md:1:7: no file 'goneä'\n");
    sandbox.run(&["links", "x.md"]).exits(1).prints(b"x.md:1:7: no file 'gone\xe4'\n");
}

#[test]
fn json_has_each_broken_link_and_the_totals() {
    let sandbox = sandbox();
    sandbox.write("x.md", b"[a](docs#parts) [b](gone\xff) [c](docs) <https://d.example>\n");
    let outcome = sandbox.run(&["links", "--json", "x.md", "guide.md"]).exits(1);
    let (broken, summary) = records(&outcome);
    assert_eq!(
        summary,
        LinkSummary {
            r#type: "summary".into(),
            files: 2,
            links: 4,
            external: 1,
            broken: 2,
            ..LinkSummary::default()
        }
    );
    let [anchor, file] = &broken[..] else { panic!("{outcome}") };
    assert_eq!((anchor.file_path.as_str(), anchor.line, anchor.column), ("x.md", 1, 5));
    assert_eq!((anchor.target.as_str(), anchor.reason.as_str()), ("docs#parts", "noAnchor"));
    assert_eq!(anchor.suggestion.as_ref().map(Text::as_str), Some("docs#part"));
    assert_eq!(file.target.to_bytes(), b"gone\xff");
    assert_eq!((file.reason.as_str(), file.suggestion.is_none()), ("noFile", true));
}

#[test]
fn reasons_have_names() {
    let sandbox = sandbox();
    symlink("gone.md", sandbox.path("dead.md")).unwrap();
    for (destination, reason) in [
        ("gone.md", "noFile"),
        ("dead.md", "noFile"),
        ("GUIDE.md", "otherCase"),
        ("#x", "noAnchor"),
        ("empty#x", "noIndex"),
        ("docs/code.rs#L4", "noLine"),
        ("", "empty"),
    ] {
        sandbox.write("x.md", format!("[x](<{destination}>)"));
        let (broken, _) = records(&sandbox.run(&["links", "--json", "x.md"]).exits(1));
        assert_eq!(broken[0].reason, reason, "{destination}");
    }
}

#[test]
fn lines_are_addresses_for_any_file_name() {
    let sandbox = sandbox();
    sandbox.write("a: b.md", "1\n\n[x](gone)\n").write("line\nfeed.md", "[y](gone)\n");
    let lines = sandbox.run(&["links", "a: b.md"]).exits(1).stdout;
    let read = ["read", "--addresses-from", "-"];
    let expected = "==> a: b.md:3 <==\n[x](gone)\n";
    sandbox.run_with_input(&read, lines).succeeds().prints(expected);
    let expected = "a: b.md:3:5\0no file 'gone'\0line\nfeed.md:1:5\0no file 'gone'\0";
    let records = sandbox.run(&["links", "-0"]).exits(1).prints(expected).stdout;
    let expected = "==> a: b.md:3 <==\n[x](gone)\n\n==> line\nfeed.md:1 <==\n[y](gone)\n";
    let read = ["read", "-0", "--addresses-from", "-"];
    sandbox.run_with_input(&read, records).succeeds().prints(expected);
}

#[test]
fn the_summary_fits_a_terminal_and_omits_zero_counts() {
    let summary = |files: &[(&str, String)]| {
        let sandbox = Sandbox::new();
        for (name, text) in files {
            sandbox.write(name, text);
        }
        let mut command = sandbox.command();
        command.arg("links").env("NO_COLOR", "1").env("TERM", "xterm");
        terminal::printed(&mut command).lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(summary(&[("a.md", "# A\n".into())]), "no broken links in 1 document");
    let sound = [("a.md", "[b](b.md)".into()), ("b.md", "x".into())];
    assert_eq!(summary(&sound), "no broken links in 2 documents; 1 link in all");
    let broken = "[b](gone.md) <https://a.example>\n".repeat(12_345);
    let shown = summary(&[("a.md", broken), ("b.md", "x".into())]);
    assert_eq!(shown, "12345 broken links in 1 of 2 documents; 24690 links in all, 12345 external");
    assert!(shown.len() < 80);
}

#[test]
fn a_terminal_gets_groups_and_a_summary() {
    let sandbox = Sandbox::with(&[
        ("a.md", "[x](b.mf)\n\n[longer](<gone\u{1b}[31m>) <https://c.example>\n"),
        ("b.md", "# B\n[x](#c)\n"),
    ]);
    let printed = |arguments: &[&str]| {
        let mut command = sandbox.command();
        command.arg("links").args(arguments).env("NO_COLOR", "1").env("TERM", "xterm");
        terminal::printed(&mut command)
    };
    assert_eq!(
        printed(&[]),
        "a.md\n   1:5  no file 'b.mf'; there is 'b.md'\n  3:11  no file 'gone\\u{1b}[31m'\n\n\
         b.md\n  2:5  no anchor '#c'\n\n\
         3 broken links in 2 documents; 4 links in all, 1 external\n"
    );
    sandbox.write("a.md", "# A\n").write("b.md", "[x](a.md#a)\n");
    assert_eq!(printed(&[]), "no broken links in 2 documents; 1 link in all\n");
    assert_eq!(printed(&["-q"]), "");
}

#[test]
fn many_documents_are_printed_in_order() {
    let sandbox = Sandbox::new();
    let mut expected = String::new();
    for number in 0..500 {
        let (next, name) = ((number + 1) % 500, format!("d{}/{number:03}.md", number / 50));
        let text =
            format!("# H {number}\n\n[x](#h) [y](../d{}/{next:03}.md#h-{next})\n", next / 50);
        sandbox.write(&name, text);
        expected += &format!("{name}:3:5: no anchor '#h'; there is '#h-{number}'\n");
    }
    sandbox.run(&["links"]).exits(1).prints(expected);
}

#[test]
fn all_links_are_listed_with_kind_and_status() {
    let text = "[a](a.md) ![b](gone.png) <https://x.org> [c][c]\n\n<a href=\"#a\">\n\n\
                [c]: a.md#gone\n[d]: gone.md\n\n# A\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let outcome = sandbox.run(&["links", "--json", "--all", "a.md"]).exits(1);
    let links = outcome.json_lines();
    links.iter().for_each(|link| check_schema("links", link));
    let listed: Vec<_> = links.iter().filter(|link| link.get("kind").is_some()).collect();
    let listed = listed.iter().map(|link| {
        let text = |name: &str| link[name].as_str().unwrap_or_default().to_owned();
        [text("kind"), text("target"), text("status"), text("reason")].join(" ").trim().to_owned()
    });
    let expected = [
        "inline a.md ok",
        "image gone.png broken noFile",
        "autolink https://x.org external",
        "html #a ok",
        "definition a.md#gone broken noAnchor",
        "definition gone.md unused noFile",
    ];
    assert_eq!(listed.collect::<Vec<_>>(), expected, "{outcome}");
    sandbox.run(&["links", "--all", "a.md"]).exits(2).tells("--all needs --json");
}

#[test]
fn annotations_are_escaped_for_github() {
    let sandbox = Sandbox::with(&[("a,b:c%.md", "x\n[x](100%25,:.md)\n")]);
    let expected = "::error file=a%2Cb%3Ac%25.md,line=2,col=5::no file '100%2525,:.md'\n";
    sandbox.run(&["links", "--format", "github"]).exits(1).prints(expected);
    sandbox.run(&["links", "--format=github", "--color=always", "."]).exits(1).prints(expected);
    sandbox.run(&["links", "--format", "github", "-0"]).exits(2).tells("--null");
}

#[test]
fn many_links_with_one_cause_are_counted() {
    let lines: String = (0..30).map(|n| format!("[a](x{n}.html) [b](/y{n}) [c](z)\n")).collect();
    let sandbox = Sandbox::with(&[("a.md", &*lines), (".git/HEAD", "")]);
    for number in 0..30 {
        sandbox.write(format!("x{number}.md"), "");
    }
    let outcome = sandbox.run(&["links"]).exits(1);
    assert_eq!(outcome.text().lines().count(), 60, "{outcome}");
    let notes = "\
folio links: note: 10 more broken links with '.html' instead of '.md'; --json lists all; if a generator \
builds the pages: folio links --site NAME
folio links: note: 10 more broken links with a leading '/'; --json lists all; the directory of the site: \
folio links --root-dir DIR
folio links: note: 10 more broken links to 'z'; --json lists all; to ignore them: folio links --ignore z
";
    assert_eq!(outcome.errors(), notes);
    let json = sandbox.run(&["links", "--json"]).exits(1);
    assert_eq!(json.text().lines().count(), 91, "{json}");
    assert!(json.errors().is_empty(), "{json}");
    assert_eq!(sandbox.run(&["links", "--null"]).exits(1).text().split('\0').count(), 181);
}
