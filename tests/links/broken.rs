//! Which links and anchors are broken, and what is suggested.

use std::os::unix::fs::symlink;

use super::{check_in, records, sandbox};
use crate::support::Sandbox;

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
    let expected = "docs/x.md:1:22: no file '../gone.md'\n";
    sandbox.run(&["links", "docs"]).exits(1).prints(expected);
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
    let expected = "x.md:2:19: no anchor '#our-owm'; there is '#our-own'\n";
    sandbox.run(&["links", "x.md"]).exits(1).prints(expected);
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
    let expected = "docs/sub/x.md:1:5: no file 'page.md'; there is '../page.md'\n\
                docs/sub/x.md:1:34: no file 'picture.png'; there is '../picture.png#a'\n";
    sandbox.run(&["links"]).exits(1).prints(expected);
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
    let expected = "x.md:1:5: no file 'de/api/use.md'; there is 'en/api/use.md'\n\
                x.md:1:24: no file '/fr/apis/use.md'; there is '/use.md'\n";
    sandbox.run(&["links"]).exits(1).prints(expected);
}

#[test]
fn a_slash_is_the_root_of_the_repository_or_operand() {
    let sandbox = sandbox();
    sandbox.write("docs/sub/x.md", "[x](/guide.md) [y](/page.md#page) [z](/docs/page.md)");
    let only = |name: &str, column: u64| format!("docs/sub/x.md:1:{column}: no file '{name}'");
    let expected = format!("{}; there is '/docs/page.md#page'\n", only("/page.md", 20));
    sandbox.run(&["links", "."]).exits(1).prints(expected);
    let near = "; there is '/page.md'";
    let expected = format!("{}\n{}{near}\n", only("/guide.md", 5), only("/docs/page.md", 39));
    sandbox.run(&["links", "docs"]).exits(1).prints(expected);
    // If the operand is a document, `/` refers to the current directory.
    let expected = format!("{}\n", only("/page.md", 20));
    sandbox.run(&["links", "docs/sub/x.md"]).exits(1).prints(expected);
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    sandbox.run(&["links", "docs"]).succeeds().prints("");
    let inside = sandbox.path("docs/sub");
    let mut command = sandbox.command();
    let expected = "x.md:1:20: no file '/page.md'\n";
    let outcome = crate::support::outcome(command.arg("links").current_dir(inside), b"");
    outcome.exits(1).prints(expected);
}

#[test]
fn an_empty_destination_is_broken_except_in_a_comment() {
    let sandbox = sandbox();
    let text = "[x]() ![y](<>) <a href=\"\">\n\n[//]: <> (A comment.)\n[c]: # (Too.)\n";
    let expected = "x.md:1:5: the destination is empty\nx.md:1:13: the destination is empty\n\
                x.md:1:25: the destination is empty\n";
    sandbox.write("x.md", text).run(&["links", "x.md"]).exits(1).prints(expected);
}

#[test]
fn tags_are_links_and_templates_are_not() {
    let sandbox = sandbox();
    let text = "<img src=gone.png>\n<a\n href='go&#110;e.md#x'>\n\n<A href=\" guide.md\n\">y</A>\n\n\
                [t]({{site.url}}/x) <a href=\"{% link x %}\"> <Link href={x}>\n\n[no][label] [no]\n\n\
                `[a](b)` <!-- [a](b) -->\n\n    [a](b)\n\n\
                <source srcset=\"docs/picture.png 1x, no.png 2x\"> <img src='docs\\picture.png'>\n";
    let expected = "x.md:1:10: no file 'gone.png'\nx.md:3:8: no file 'gone.md'\n\
                x.md:16:38: no file 'no.png'\n";
    sandbox.write("x.md", text).run(&["links", "x.md"]).exits(1).prints(expected);
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
        let expected = format!("{dangling} links lead to what goes");
        assert_eq!(run.text().contains(&expected), dangling > 0, "{words:?}\n{run}\n{links}");
        // All files whose links were rewritten have changed.
        let rewritten = run.text().matches("\"rewritten\":").count();
        assert!(rewritten > 0 || words[0] == "copy", "{words:?}: {run}");
    }
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
