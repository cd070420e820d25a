//! `folio links`: broken links, suggestions and their messages.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::records::{BrokenLink, LinkRecord, LinkSummary, Record, Text, check_schema};
use crate::support::terminal;
use crate::support::{Outcome, Sandbox, utf16};

const GUIDE: &str = "\
# Guide

## Set up
## Set up

<a id=\"Config\"></a>
<a name=\"old\">

## Named {#own}

## Größe
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("guide.md", GUIDE),
        ("docs/README.md", "# Docs\n\n## Part\n"),
        ("docs/a b.md", "# A B\n"),
        ("docs/page.md", "# Page\n"),
        ("docs/two words.md", ""),
        ("docs/code.rs", "one\ntwo\nthree\n"),
        ("docs/image.svg", "<svg id=\"x\"/>\n"),
        ("empty/x.txt", ""),
        ("100%.md", ""),
    ]);
    sandbox.write("docs/picture.png", b"\x89PNG\0\0\0\n");
    sandbox
}

/// Checks one destination in `x.md`, in a definition and in a link. `expected` is the text after
/// the address, or empty if the link works.
#[track_caller]
fn check_in(sandbox: &Sandbox, name: &str, destination: &str, expected: &str) {
    for (text, column) in [("[x](<D>)", 6), ("[x]: <D>\n\n[x]", 7), ("![x](<D>)", 7)] {
        sandbox.write(name, text.replace('D', destination));
        let outcome = sandbox.run(&["links", name]);
        let told = match expected {
            "" => String::new(),
            expected => format!("{name}:1:{column}: {expected}\n"),
        };
        outcome.exits(i32::from(!expected.is_empty())).prints(told);
    }
}

#[track_caller]
fn check(destination: &str, expected: &str) {
    check_in(&sandbox(), "x.md", destination, expected);
}

#[track_caller]
fn fine(destinations: &[&str]) {
    for destination in destinations {
        check(destination, "");
    }
}

fn records(outcome: &Outcome) -> (Vec<BrokenLink>, LinkSummary) {
    let mut broken = Vec::new();
    let mut summary = None;
    for record in LinkRecord::all(outcome) {
        assert!(summary.is_none(), "a record behind the summary");
        match record {
            LinkRecord::Broken(link) => broken.push(link),
            LinkRecord::Summary(found) => summary = Some(found),
        }
    }
    (broken, summary.expect("a summary"))
}

#[test]
fn missing_files_and_directories_are_broken() {
    fine(&["guide.md", "./guide.md", "docs", "docs/", "docs/page.md", "docs/picture.png", "."]);
    fine(&["gone/../guide.md", "docs/../guide.md", "docs//page.md", "./", "docs/a%20b.md"]);
    fine(&["docs/a b.md", "100%.md", "100%25.md", "guide.md?raw=1", "?plain=1", "x.md"]);
    check("gone.md", "no file 'gone.md'");
    check("gone/", "no directory 'gone/'");
    check("guide.md/", "no directory 'guide.md/'; there is 'guide.md'");
    check("guide.md/x", "no file 'guide.md/x'");
    check("%00", "no file '%00'");
}

#[test]
fn links_outside_the_root_are_not_followed() {
    fine(&["https://a.example/x", "//a.example/x", "mailto:a@b.example", "data:,x", "http:x"]);
    let text = "<https://a.example> <a@b.example> [x](https://c.example) [y](docs)\n";
    let sandbox = sandbox();
    let outcome = sandbox.write("x.md", text).run(&["links", "--json", "x.md"]).succeeds();
    let (broken, summary) = records(&outcome);
    assert!(broken.is_empty());
    assert_eq!((summary.files, summary.links, summary.external), (1, 4, 3));
}

#[test]
fn links_outside_the_operand_are_checked() {
    let sandbox = sandbox();
    check_in(&sandbox, "docs/x.md", "../guide.md#own", "");
    check_in(&sandbox, "docs/x.md", "../../gone-for-good.md", "no file '../../gone-for-good.md'");
    sandbox.write("docs/x.md", "[x](../guide.md) [y](../gone.md)");
    let told = "docs/x.md:1:22: no file '../gone.md'\n";
    sandbox.run(&["links", "docs"]).exits(1).prints(told);
}

#[test]
fn anchors_are_slugs_and_ids() {
    fine(&["guide.md#guide", "guide.md#set-up", "guide.md#set-up-1", "guide.md#Config"]);
    fine(&["guide.md#old", "guide.md#own", "guide.md#größe", "guide.md#gr%C3%B6%C3%9Fe"]);
    fine(&["#", "#top", "guide.md#", "guide.md#top", "guide.md#user-content-set-up"]);
    fine(&["guide.md#:~:text=x", "guide.md#own:~:text=x", "guide.md?plain=1#L3"]);
    check("#x", "no anchor '#x'");
    check("guide.md#x", "no anchor '#x' in 'guide.md'");
    check("guide.md#set-up-2", "no anchor '#set-up-2' in 'guide.md'; there is 'guide.md#set-up-1'");
    check("guide.md#setup", "no anchor '#setup' in 'guide.md'; there is 'guide.md#set-up'");
    fine(&["guide.md?a=b#config", "guide.md#OWN"]);
    check("guide.md#Set%20up", "no anchor '#Set%20up' in 'guide.md'; there is 'guide.md#set-up'");
}

#[test]
fn links_accepts_the_anchors_that_inspect_prints() {
    let sandbox = sandbox();
    let file = sandbox.run(&["inspect", "--flat", "--json", "guide.md"]).succeeds().json();
    let slugs = file["structure"]["headings"].as_array().unwrap().iter();
    let ids = file["structure"]["anchors"].as_array().unwrap().iter();
    let anchors: Vec<&str> = slugs
        .map(|heading| heading["anchor"].as_str().unwrap())
        .chain(ids.map(|anchor| anchor["id"].as_str().unwrap()))
        .collect();
    assert_eq!(anchors.len(), 8, "{anchors:?}");
    for anchor in anchors {
        check_in(&sandbox, "x.md", &format!("guide.md#{anchor}"), "");
    }
}

#[test]
fn anchors_of_the_same_document_need_no_path() {
    let text =
        "# Our own\n[a](#our-own) [b](#our-owm) [c](x.md#our-own)\n\n<a href='#here'><p id=here>\n";
    let sandbox = sandbox();
    sandbox.write("x.md", text);
    let told = "x.md:2:19: no anchor '#our-owm'; there is '#our-own'\n";
    sandbox.run(&["links", "x.md"]).exits(1).prints(told);
}

#[test]
fn anchors_in_a_directory_are_those_of_its_readme() {
    fine(&["docs#part", "docs/#part", "docs/#readme", "docs/README.md#readme", "docs#top"]);
    check("docs#parts", "no anchor '#parts' in 'docs'; there is 'docs#part'");
    check("empty#x", "no anchor '#x': no README or index in 'empty'");
    fine(&["empty", "empty#"]);
}

#[test]
fn line_fragments_are_checked() {
    fine(&["docs/code.rs#L1", "docs/code.rs#L1-L3", "docs/code.rs#L2C1-L3C2", "guide.md#L11"]);
    fine(&["docs/code.rs#x", "docs/image.svg#y", "docs/picture.png#L9", "docs/page.md#L1"]);
    check("docs/code.rs#L4", "no lines '#L4' in 'docs/code.rs': it has 3 lines");
    check("docs/code.rs#L2-L9", "no lines '#L2-L9' in 'docs/code.rs': it has 3 lines");
    check("docs/page.md#L2", "no lines '#L2' in 'docs/page.md': it has 1 line");
}

#[test]
fn the_nearest_file_is_suggested() {
    check("Guide.md", "no file 'Guide.md' (paths are case-sensitive); there is 'guide.md'");
    check("docs/pagge.md#x", "no file 'docs/pagge.md'; there is 'docs/page.md#x'");
    check("docs/page", "no file 'docs/page'; there is 'docs/page.md'");
    check("docs/page.html?y", "no file 'docs/page.html'; there is 'docs/page.md?y'");
    check("docs/the-page.md", "no file 'docs/the-page.md'; there is 'docs/page.md'");
    check("docs/twowords.md", "no file 'docs/twowords.md'; there is 'docs/two%20words.md'");
    check("docs\\page.md", "no file 'docs\\page.md'; there is 'docs/page.md'");
    check("www.a.example", "no file 'www.a.example'; there is 'https://www.a.example'");
    check("a@b.example", "no file 'a@b.example'; there is 'mailto:a@b.example'");
    // Files in other directories are suggested only if the whole tree was walked.
    let sandbox = sandbox();
    sandbox.write("docs/sub/x.md", "[x](page.md) [y](../code.rs) [z](picture.png#a)");
    let told = "docs/sub/x.md:1:5: no file 'page.md'; there is '../page.md'\n\
                docs/sub/x.md:1:34: no file 'picture.png'; there is '../picture.png#a'\n";
    sandbox.run(&["links"]).exits(1).prints(told);
    sandbox.run(&["links", "docs/sub"]).exits(1).prints(
        "docs/sub/x.md:1:5: no file 'page.md'\ndocs/sub/x.md:1:34: no file 'picture.png'\n",
    );
}

#[test]
fn a_file_with_the_same_name_on_a_similar_path_is_suggested() {
    let sandbox = Sandbox::with(&[
        ("en/api/use.md", ""),
        ("fr/api/use.md", ""),
        ("use.md", ""),
        ("x.md", "[x](de/api/use.md) [y](/fr/apis/use.md)"),
    ]);
    let told = "x.md:1:5: no file 'de/api/use.md'; there is 'en/api/use.md'\n\
                x.md:1:24: no file '/fr/apis/use.md'; there is '/use.md'\n";
    sandbox.run(&["links"]).exits(1).prints(told);
}

#[test]
fn a_slash_is_the_root_of_the_repository_or_operand() {
    let sandbox = sandbox();
    sandbox.write("docs/sub/x.md", "[x](/guide.md) [y](/page.md#page) [z](/docs/page.md)");
    let only = |name: &str, column: u64| format!("docs/sub/x.md:1:{column}: no file '{name}'");
    let told = format!("{}; there is '/docs/page.md#page'\n", only("/page.md", 20));
    sandbox.run(&["links", "."]).exits(1).prints(told);
    let near = "; there is '/page.md'";
    let told = format!("{}\n{}{near}\n", only("/guide.md", 5), only("/docs/page.md", 39));
    sandbox.run(&["links", "docs"]).exits(1).prints(told);
    // If the operand is a document, `/` refers to the current directory.
    let told = format!("{}\n", only("/page.md", 20));
    sandbox.run(&["links", "docs/sub/x.md"]).exits(1).prints(told);
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    sandbox.run(&["links", "docs"]).succeeds().prints("");
    let inside = sandbox.path("docs/sub");
    let mut command = sandbox.command();
    let told = "x.md:1:20: no file '/page.md'\n";
    let outcome = crate::support::outcome(command.arg("links").current_dir(inside), b"");
    outcome.exits(1).prints(told);
}

#[test]
fn an_empty_destination_is_broken_except_in_a_comment() {
    let sandbox = sandbox();
    let text = "[x]() ![y](<>) <a href=\"\">\n\n[//]: <> (A comment.)\n[c]: # (Too.)\n";
    let told = "x.md:1:5: the destination is empty\nx.md:1:13: the destination is empty\n\
                x.md:1:25: the destination is empty\n";
    sandbox.write("x.md", text).run(&["links", "x.md"]).exits(1).prints(told);
}

#[test]
fn tags_are_links_and_templates_are_not() {
    let sandbox = sandbox();
    let text = "<img src=gone.png>\n<a\n href='go&#110;e.md#x'>\n\n<A href=\" guide.md\n\">y</A>\n\n\
                [t]({{site.url}}/x) <a href=\"{% link x %}\"> <Link href={x}>\n\n[no][label] [no]\n\n\
                `[a](b)` <!-- [a](b) -->\n\n    [a](b)\n\n\
                <source srcset=\"docs/picture.png 1x, no.png 2x\"> <img src='docs\\picture.png'>\n";
    let told = "x.md:1:10: no file 'gone.png'\nx.md:3:8: no file 'gone.md'\n\
                x.md:16:38: no file 'no.png'\n";
    sandbox.write("x.md", text).run(&["links", "x.md"]).exits(1).prints(told);
}

#[test]
fn symbolic_links_are_followed() {
    let sandbox = sandbox();
    symlink("guide.md", sandbox.path("link.md")).unwrap();
    symlink("docs", sandbox.path("directory")).unwrap();
    symlink("gone.md", sandbox.path("dead.md")).unwrap();
    symlink("loop.md", sandbox.path("loop.md")).unwrap();
    for fine in ["link.md#own", "directory/page.md", "directory#part"] {
        check_in(&sandbox, "x.md", fine, "");
    }
    let dead = |name| format!("no file '{name}': it is a broken symlink");
    check_in(&sandbox, "x.md", "dead.md", &dead("dead.md"));
    check_in(&sandbox, "x.md", "loop.md", &dead("loop.md"));
    // Links in a document that was reached through a symlink are relative to its real directory.
    sandbox.write("docs/x.md", "[x](../guide.md)");
    std::fs::create_dir(sandbox.path("deep")).unwrap();
    symlink("../docs", sandbox.path("deep/docs")).unwrap();
    sandbox.run(&["links", "deep/docs/x.md"]).succeeds();
}

#[test]
fn destinations_may_be_ignored() {
    let sandbox = sandbox();
    sandbox.write("x.md", "[a](/api/v1/x) [b](gone.html#y) [c](#z) [d](gone.md)");
    let check = |globs: &[&str], columns: &[u64]| {
        let flags = globs.iter().flat_map(|glob| ["--ignore", *glob]);
        let arguments: Vec<&str> = ["links", "--json"].into_iter().chain(flags).collect();
        let (broken, summary) = records(&sandbox.run(&arguments));
        assert_eq!(broken.iter().map(|link| link.column).collect::<Vec<_>>(), columns);
        assert_eq!((summary.links, summary.broken), (4, columns.len() as u64));
    };
    check(&[], &[5, 20, 37, 45]);
    check(&["/api/*"], &[20, 37, 45]);
    check(&["*.html", "#*"], &[5, 45]);
    check(&["gone.html#y"], &[5, 37, 45]);
    check(&["*"], &[]);
    sandbox.run(&["links", "--ignore", "[x"]).exits(2).tells("--ignore '[x': ");
}

#[test]
fn directories_are_searched_for_markdown_documents() {
    let sandbox = Sandbox::with(&[
        (".gitignore", "out\n"),
        ("a.md", "[x](gone)\n"),
        ("b.mdx", "[x](gone)\n"),
        ("c.txt", "# C\n\n[x](gone)\n"),
        ("d", "# D\n\n[x](gone)\n"),
        ("out/e.md", "[x](gone)\n"),
        (".f.md", "[x](gone)\n"),
        ("sub/g.markdown", "[x](gone)\n"),
    ]);
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    let names = |arguments: &[&str]| -> Vec<String> {
        let outcome = sandbox.run(&[&["links"], arguments].concat()).exits(1);
        assert!(outcome.stderr.is_empty(), "{outcome}");
        outcome.text().lines().map(|line| line.split(':').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&[]), ["a.md", "b.mdx", "sub/g.markdown"]);
    assert_eq!(names(&["./sub", "a.md"]), ["./sub/g.markdown", "a.md"]);
    // As in ripgrep, files that match a glob are included even if they are hidden.
    assert_eq!(names(&["-g", "*.md"]), [".f.md", "a.md"]);
    assert_eq!(names(&["-g", "!sub"]), ["a.md", "b.mdx"]);
    assert_eq!(names(&["-."]), [".f.md", "a.md", "b.mdx", "sub/g.markdown"]);
    assert_eq!(names(&["--no-ignore", "out"]), ["out/e.md"]);
    assert_eq!(names(&["--as", "markdown", "-t", "txt"]), ["c.txt"]);
    // The content of a file operand also determines its format.
    assert_eq!(names(&["c.txt", "d"]), ["c.txt", "d"]);
}

#[test]
fn directories_without_documents_are_noted() {
    let sandbox = sandbox();
    let note = "folio links: note: 'empty': no Markdown documents in 1 file\n";
    let outcome = sandbox.run(&["links", "empty"]).exits(0).prints("");
    assert_eq!(outcome.errors(), note);
    let outcome = sandbox.run(&["links", "docs/code.rs"]).exits(0).prints("");
    outcome.tells("it is text, not Markdown").tells("folio links --as markdown docs/code.rs");
    let error = sandbox.run(&["links", "--json", "guid.md"]).exits(2).json_error();
    assert_eq!(error.code, "NOT_FOUND");
    assert!(error.suggestions[0].starts_with("folio links --json guide.md"), "{error:?}");
    // The other operands are still checked.
    sandbox.write("x.md", "[x](gone)");
    let told = "x.md:1:5: no file 'gone'\n";
    sandbox.run(&["links", "guid.md", "x.md"]).exits(2).prints(told);
    sandbox.run(&["links", "docs/picture.png"]).exits(2).tells("binary file");
    sandbox.run(&["links", "-0", "--json"]).exits(2).tells("cannot be used with");
}

#[test]
fn links_of_standard_input_are_relative_to_the_working_directory() {
    let sandbox = sandbox();
    let text = "[x](docs/page.md#page) [y](#own) [z](gone)\n";
    let told = "-:1:28: no anchor '#own'\n-:1:38: no file 'gone'\n";
    sandbox.run_with_input(&["links", "-"], text).exits(1).prints(told);
    sandbox.run_with_input(&["links", "-q", "-"], "[x](docs)").succeeds();
}

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
    let told = "x.md:3:7: no file 'gone'\n";
    for bytes in [
        text.as_bytes().to_vec(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        utf16(text, true),
        utf16(text, false),
    ] {
        sandbox.write("x.md", bytes).run(&["links", "x.md"]).exits(1).prints(told);
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
    let told = "==> a: b.md:3 <==\n[x](gone)\n";
    sandbox.run_with_input(&read, lines).succeeds().prints(told);
    let told = "a: b.md:3:5\0no file 'gone'\0line\nfeed.md:1:5\0no file 'gone'\0";
    let records = sandbox.run(&["links", "-0"]).exits(1).prints(told).stdout;
    let told = "==> a: b.md:3 <==\n[x](gone)\n\n==> line\nfeed.md:1 <==\n[y](gone)\n";
    let read = ["read", "-0", "--addresses-from", "-"];
    sandbox.run_with_input(&read, records).succeeds().prints(told);
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
fn patch_and_links_resolve_links_alike() {
    let sandbox = Sandbox::with(&[
        ("docs/guide.md", "# Old name\n"),
        ("docs/sub/x.md", "[a](../guide.md#old-name) [b](/docs/guide.md#old-name)\n"),
        ("y.md", "[c](docs/./guide.md#old-name) [d](gone/../docs/guide.md#old-name)\n"),
    ]);
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    sandbox.run(&["links"]).succeeds();
    let rename = ["patch", "rename", "docs/guide.md", "--heading", "Old name", "-c", "New name"];
    sandbox.run(&[&rename[..], &["--links-in", "."]].concat()).exits(0);
    sandbox.run(&["links"]).succeeds();
    let text = std::fs::read_to_string(sandbox.path("docs/sub/x.md")).unwrap();
    assert_eq!(text, "[a](../guide.md#new-name) [b](/docs/guide.md#new-name)\n");
}

#[test]
fn patch_and_links_resolve_links_alike_after_every_edit() {
    let guide = "# Guide\n\n[own](#setup) [r][r]\n\n## Setup\n\n[up](#guide) [r] [n](sub/n.md)\n\n\
                 ## Setup\n\nText.\n\n[r]: sub/n.md#n\n";
    let other = "# Other\n\n[a](docs/guide.md#setup) [b](/docs/guide.md#setup-1) [g](docs/guide.md)\n\n\
                 <a href=\"docs/guide.md#guide\">c</a> [d][d]\n\n[d]: <docs/guide.md#setup>\n";
    let note = "# N\n\n[e](../guide.md#setup-1) ![f](../guide.md#guide)\n";
    let part = ["--section", "Setup[1]"];
    for (words, dangling) in [
        (&["move", "docs/guide.md", "--to", "other.md"][..], 0),
        (&["move", "docs/guide.md", "--to", "docs/sub/n.md"], 0),
        (&["copy", "docs/guide.md", "--to", "other.md"], 0),
        (&["move", "docs/guide.md", "--to", "docs/guide.md"], 0),
        // Three links refer to the first of these sections. After the edit, the second one has its
        // id.
        (&["delete", "docs/guide.md"], 3),
        (&["move", "docs/guide.md", "--to", "new/deep/g.md"], 0),
        (&["move", "docs/sub/n.md", "--to", "n.md"], 0),
        (&["rename", "docs/guide.md", "--heading", "Guide", "-c", "Manual"], 0),
    ] {
        let sandbox = Sandbox::with(&[
            ("docs/guide.md", guide),
            ("docs/sub/n.md", note),
            ("other.md", other),
            ("new/deep/.keep", ""),
        ]);
        std::fs::create_dir(sandbox.path(".git")).unwrap();
        sandbox.run(&["links"]).succeeds();
        let of_part =
            !words.contains(&"new/deep/g.md") && !words.contains(&"n.md") && words[0] != "rename";
        let part = if of_part { &part[..] } else { &[] };
        let run = sandbox.run(&[&["patch"], words, part, &["--links", "--json"]].concat()).exits(0);
        let links = sandbox.run(&["links", "--json"]);
        let summary: serde_json::Value =
            serde_json::from_str(links.text().lines().last().unwrap()).unwrap();
        assert_eq!(summary["broken"], 0, "{words:?}\n{run}\n{links}");
        let told = format!("{dangling} links lead to what goes");
        assert_eq!(run.text().contains(&told), dangling > 0, "{words:?}\n{run}\n{links}");
        // All files whose links were rewritten have changed.
        let rewritten = run.text().matches("\"rewritten\":").count();
        assert!(rewritten > 0 || words[0] == "copy", "{words:?}: {run}");
    }
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
fn links_of_the_package_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sandbox = Sandbox::new();
    let mut command = sandbox.command();
    command.current_dir(root).args([
        "links",
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "docs",
    ]);
    crate::support::outcome(&mut command, b"").succeeds().prints("");
}

// Site generators.

fn site() -> Sandbox {
    Sandbox::with(&[
        ("content/guide/index.md", "# Guide\n\n## Part\n"),
        ("content/guide/setup.md", "# Setup\n"),
        ("content/both.md", "# Both\n"),
        ("content/both/x.md", ""),
        ("content/plain/x.md", ""),
    ])
}

#[track_caller]
fn check_site(flags: &[&str], destination: &str, expected: &str) {
    let sandbox = site();
    sandbox.write("content/x.md", format!("[x](<{destination}>)\n"));
    let outcome = sandbox.run(&[&["links", "content/x.md"], flags].concat());
    let told = match expected {
        "" => String::new(),
        expected => format!("content/x.md:1:6: {expected}\n"),
    };
    outcome.exits(i32::from(!expected.is_empty())).prints(told);
}

#[test]
fn a_slash_is_the_given_root() {
    check_site(&[], "/guide/setup.md", "no file '/guide/setup.md'");
    check_site(&["--root-dir", "content"], "/guide/setup.md", "");
    check_site(&["--root-dir", "content"], "guide/setup.md", "");
    check_site(
        &["--root-dir", "content"],
        "/content/guide/setup.md",
        "no file '/content/guide/setup.md'",
    );
    let missing = site().run(&["links", "--root-dir", "gone"]).exits(2);
    missing.tells("'gone': No such file or directory");
}

#[test]
fn links_may_omit_extensions_of_the_site() {
    let flags = ["--fallback-extensions", "html,.md"];
    check_site(&flags, "guide/setup", "");
    check_site(&flags, "guide/setup#setup", "");
    check_site(&flags, "guide/setup#gone", "no anchor '#gone' in 'guide/setup'");
    check_site(&flags, "guide/setup/", "no directory 'guide/setup/'; there is 'guide/setup.md'");
    check_site(&flags, "guide/gone", "no file 'guide/gone'");
    site().run(&["links", "--fallback-extensions", ""]).exits(2).tells("--fallback-extensions");
}

#[test]
fn a_directory_needs_an_index_file() {
    let flags = ["--index-files", "index.md,README.md"];
    check_site(&flags, "guide/", "");
    check_site(&flags, "guide#part", "");
    check_site(&flags, "plain/", "no index file in 'plain/'");
    check_site(&[], "plain/", "");
    let both = ["--index-files=index.md", "--fallback-extensions=md"];
    check_site(&both, "both#both", "");
}

#[test]
fn destinations_are_remapped() {
    let flags = ["--remap", "^/docs/(.*) guide/$1.md"];
    check_site(&flags, "/docs/setup", "");
    check_site(&flags, "/docs/setup#setup", "no file '/docs/setup'");
    check_site(&["--remap", "^/docs https://example.org"], "/docs/gone", "");
    site().run(&["links", "--remap", "x"]).exits(2).tells("--remap: 'x' lacks a replacement");
}

#[test]
fn pages_of_a_repository_are_external() {
    let sandbox = Sandbox::with(&[(".git/HEAD", ""), ("docs/a.md", ""), ("README.md", "")]);
    let check = |name: &str, destination: &str, status: i32| {
        sandbox.write(name, format!("[x]({destination})\n"));
        sandbox.run(&["links", name]).exits(status);
        sandbox.write(name, "");
    };
    check("README.md", "../../issues/3", 0);
    check("README.md", "../../wiki", 0);
    check("docs/a.md", "../../../pull/7", 0);
    check("docs/a.md", "../../issues/3", 1);
    check("README.md", "../../elsewhere", 1);
    check("README.md", "../issues", 1);
    // Outside a repository, such links are ordinary paths.
    let sandbox = Sandbox::with(&[("README.md", "[x](../../issues/3)\n")]);
    sandbox.run(&["links"]).exits(1);
}

/// Checks the broken links in a document of a site that a generator builds.
#[track_caller]
fn check_generator(name: &str, files: &[(&str, &str)], page: &str, links: &[(&str, bool)]) {
    let sandbox = Sandbox::with(files);
    let text = std::fs::read_to_string(sandbox.path(page)).expect("a page");
    for (destination, is_fine) in links {
        let link = match destination.starts_with("{{") {
            true => (*destination).to_owned(),
            false => format!("[x]({destination})"),
        };
        sandbox.write(page, format!("{text}\n{link}\n"));
        let outcome = sandbox.run(&["links", "--site", name, page]);
        assert_eq!(outcome.status, Some(i32::from(!is_fine)), "{destination}: {outcome}");
    }
}

#[test]
fn hugo_serves_pages_as_directories() {
    let files = [
        ("content/en/_index.md", "# Home\n"),
        ("content/en/docs/setup/Install.md", "---\naliases: [/old, older]\n---\n## Go On\n"),
        ("content/en/docs/setup/tls/index.md", "---\nurl: /secure/\n---\n# TLS\n"),
        ("content/en/docs/page.md", "# Page\n"),
        ("content/en/docs/shared.md", "{{% include \"x\" %}}\n"),
        ("static/logo.svg", ""),
        ("static/_redirects", "/gone/*  /docs/ 301\n/left /docs/ 301\n"),
    ];
    let links = [
        ("/docs/setup/install/", true),
        ("/docs/setup/install#go-on", true),
        ("/docs/setup/install#gone", false),
        ("/docs/setup/", true),
        ("../setup/install/", true),
        ("setup/install/", false),
        ("setup/Install.md", true),
        ("/docs/setup/gone/", false),
        ("/secure/#tls", true),
        ("/old/", true),
        ("/docs/setup/older/", true),
        ("/logo.svg", true),
        ("/gone/far", true),
        ("/left", true),
        ("../shared/#from-elsewhere", true),
        ("{{< ref \"setup/Install.md#go-on\" >}}", true),
        ("{{< relref \"Install\" >}}", true),
        ("{{< ref \"setup/gone.md\" >}}", false),
        ("{{< ref \"#page\" >}}", true),
    ];
    check_generator("hugo", &files, "content/en/docs/page.md", &links);
}

#[test]
fn docusaurus_omits_numbers_and_extensions() {
    let files = [
        ("docusaurus.config.js", ""),
        ("docs/01-intro.md", "---\nslug: /start\n---\n## One {/* #first */}\n"),
        ("docs/guides/02-api.mdx", "---\nid: calls\n---\n## Two words {#two}\n"),
        ("docs/page.md", "# Page\n"),
        ("src/pages/about.tsx", ""),
        ("static/img/a.png", ""),
    ];
    let links = [
        ("/docs/intro", true),
        ("/docs/start#first", true),
        ("./guides/api", true),
        ("./guides/calls#two", true),
        ("./guides/02-api.mdx#two", true),
        ("./guides/02-api.md", false),
        ("/about", true),
        ("/img/a.png", true),
        ("/docs/gone", false),
    ];
    check_generator("docusaurus", &files, "docs/page.md", &links);
}

#[test]
fn each_generator_has_its_pages_and_anchors() {
    let files = [
        ("book.toml", ""),
        ("src/SUMMARY.md", ""),
        ("src/ch01.md", "# A: b.c\n"),
        ("src/part/README.md", "# Part\n"),
        ("src/images/x.png", ""),
        ("src/page.md", ""),
    ];
    let links = [
        ("ch01.html#a-bc", true),
        ("ch01.md#a-bc", true),
        ("part/index.html", true),
        ("part/", true),
        ("part", true),
        ("ch01", false),
        ("ch01/", false),
        ("images/", false),
        ("images/x.png", true),
        ("ch02.html", false),
    ];
    check_generator("mdbook", &files, "src/page.md", &links);
    let files =
        [("mkdocs.yml", ""), ("docs/a.md", "# É & b\n# E b\n[]{ #own }\n"), ("docs/p.md", "")];
    let links = [("a.md#e-b_1", true), ("../a/#own", true), ("a.md#e--b", false), ("a/", false)];
    check_generator("mkdocs", &files, "docs/p.md", &links);
    let files =
        [(".vitepress/x", ""), ("a.md", "# 2 Ways, b.c\n"), ("p.md", ""), ("public/x.png", "")];
    let links = [("/a#_2-ways-b-c", true), ("./a.html", true), ("/x.png", true), ("/b", false)];
    check_generator("vitepress", &files, "p.md", &links);
    let files = [
        ("_config.yml", ""),
        ("_docs/a.md", "---\npermalink: /there/\n---\n# A\n{: #own}\n"),
        ("_posts/2020-01-02-x.md", ""),
        ("p.md", ""),
    ];
    let links = [
        ("/there/#own", true),
        ("/docs/a.html", true),
        ("/posts/2020/01/02/x", true),
        ("/b", false),
    ];
    check_generator("jekyll", &files, "p.md", &links);
    let files = [
        ("files/en-us/web/api/a/index.md", "---\nslug: Web/API/A\n---\n## Using a.b\n"),
        ("files/en-us/_redirects.txt", "/en-US/docs/Old\t/en-US/docs/Web\n"),
        ("files/en-us/web/p/index.md", ""),
    ];
    let links = [
        ("/en-US/docs/Web/API/A#using_a.b", true),
        ("/en-US/docs/Old", true),
        ("/en-US/docs/B", false),
    ];
    check_generator("mdn", &files, "files/en-us/web/p/index.md", &links);
    Sandbox::new().run(&["links", "--site", "x"]).exits(2).tells("hugo");
}

#[test]
fn unused_definitions_are_not_reported() {
    let text = "[a][used]\n\n[used]: gone.md\n[unused]: gone-too.md\n[fine]: a.md\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    sandbox.run(&["links", "a.md"]).exits(1).prints("a.md:3:9: no file 'gone.md'\n");
    sandbox.write("a.md", "[unused]: gone-too.md\n");
    sandbox.run(&["links", "a.md"]).exits(0).prints("");
    let outcome = sandbox.run(&["links", "--unused", "a.md"]).exits(0);
    outcome.tells("line 1: no link uses the broken definition 'gone-too.md'");
}

#[test]
fn all_links_are_listed_with_kind_and_status() {
    let text = "[a](a.md) ![b](gone.png) <https://x.org> [c][c]\n\n<a href=\"#a\">\n\n\
                [c]: a.md#gone\n[d]: gone.md\n\n# A\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let outcome = sandbox.run(&["links", "--json", "--all", "a.md"]).exits(1);
    let links = outcome.json_lines();
    links.iter().for_each(|link| check_schema("links", link));
    let told: Vec<_> = links.iter().filter(|link| link.get("kind").is_some()).collect();
    let told = told.iter().map(|link| {
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
    assert_eq!(told.collect::<Vec<_>>(), expected, "{outcome}");
    sandbox.run(&["links", "--all", "a.md"]).exits(2).tells("--all needs --json");
}
