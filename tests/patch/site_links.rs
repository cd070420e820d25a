//! Links that are updated by the rules of site generators.

use std::fs;

use super::holds;
use crate::support::Sandbox;

/// After a move by the rules of the site in `folio.toml`, `folio links` finds no broken links.
#[test]
fn links_are_updated_by_the_rules_of_the_site() {
    let rules = "[links]\nroot-dir = 'src/content'\nindex-files = ['index.md']\n\
                 fallback-extensions = ['md']\n";
    let plain = [
        ("folio.toml", rules),
        (".git/HEAD", ""),
        ("src/content/learn/state.md", "# State\n\n[r](/reference/hooks#use) [i](/learn)\n"),
        ("src/content/learn/index.md", "# Learn\n\n[s](/learn/state) [t](/learn/state#state)\n"),
        ("src/content/reference/hooks.md", "# Hooks\n\n## Use\n\n[s](/learn/state.md)\n"),
    ];
    let sandbox = Sandbox::with(&plain);
    sandbox.run(&["links"]).exits(0).prints("");
    let to = "src/content/guide/basics/state.md";
    fs::create_dir_all(sandbox.path("src/content/guide/basics")).unwrap();
    sandbox.run(&["patch", "move", "src/content/learn/state.md", "--to", to, "--links"]).exits(0);
    sandbox.run(&["links"]).exits(0).prints("");
    holds(&sandbox, "src/content/learn/index.md", &["[s](/guide/basics/state)"]);
    holds(&sandbox, "src/content/learn/index.md", &["[t](/guide/basics/state#state)"]);
    holds(&sandbox, "src/content/reference/hooks.md", &["(/guide/basics/state.md)"]);
    holds(&sandbox, to, &["[r](/reference/hooks#use) [i](/learn)"]);
    let rename = ["patch", "rename", "src/content/reference/hooks.md", "--heading", "Use"];
    sandbox.run(&[&rename[..], &["-c", "Usage", "--links"]].concat()).exits(0);
    holds(&sandbox, to, &["[r](/reference/hooks#usage)"]);

    let generated = [
        ("folio.toml", "[links]\nsite = 'docusaurus'\n"),
        (".git/HEAD", ""),
        ("docusaurus.config.js", ""),
        ("docs/a/one.md", "# One\n\n[t](two) [u](/docs/a/two/) [f](two.md#two)\n"),
        ("docs/a/two.md", "# Two\n\n[o](one#one) [s](/docs/named)\n"),
        ("docs/b/three.md", "---\nslug: /named\n---\n# Three\n\n[t](/docs/a/two#two)\n"),
    ];
    let sandbox = Sandbox::with(&generated);
    sandbox.run(&["links", "docs"]).exits(0).prints("");
    sandbox
        .run(&["patch", "move", "docs/a/two.md", "--to", "docs/b/2-deux.md", "--links"])
        .exits(0);
    sandbox.run(&["links", "docs"]).exits(0).prints("");
    holds(&sandbox, "docs/a/one.md", &["[t](../b/deux)", "[u](/docs/b/deux/)"]);
    holds(&sandbox, "docs/a/one.md", &["[f](../b/2-deux.md#two)"]);
    holds(&sandbox, "docs/b/three.md", &["[t](/docs/b/deux#two)"]);
    // A page with a configured slug keeps its URL when the file moves.
    sandbox
        .run(&["patch", "move", "docs/b/three.md", "--to", "docs/a/drei.md", "--links"])
        .exits(0);
    holds(&sandbox, "docs/b/2-deux.md", &["[s](/docs/named)", "[o](../a/one#one)"]);
    sandbox.run(&["links", "docs"]).exits(0).prints("");
}

/// Relative links stay relative, and a file outside of the root directory has no URL below it.
#[test]
fn links_by_the_rules_of_a_site_keep_their_form() {
    let text = "[a](t.md#old) [b](t#old) [c](/t) [d](/part/#x) [e](part#x)\n";
    for (to, expected) in [
        ("site/sub/t.md", "[a](sub/t.md#old) [b](sub/t#old) [c](/sub/t) [d](/part/#x)"),
        ("out/t.md", "[a](../out/t.md#old) [b](../out/t#old) [c](../out/t) [d](/part/#x)"),
    ] {
        let sandbox = Sandbox::with(&[
            (
                "folio.toml",
                "[links]\nroot-dir = 'site'\nfallback-extensions = ['md']\n\
                 index-files = ['index.md']\n",
            ),
            (".git/HEAD", ""),
            ("t.md", "# T\n\n## Old\n"),
            ("site/t.md", "# T\n\n## Old\n"),
            ("site/part/index.md", "# X\n"),
            ("site/other/a.md", ""),
            ("site/a.md", text),
            ("out/b.md", "# B\n"),
            ("site/sub/b.md", "# B\n"),
        ]);
        sandbox.run(&["links"]).exits(0).prints("");
        sandbox.run(&["patch", "move", "site/t.md", "--to", to, "--links"]).exits(0);
        sandbox.run(&["links"]).exits(0).prints("");
        holds(&sandbox, "site/a.md", &[&format!("{expected} [e](part#x)")]);
        let moved = ["patch", "move", "site/part/index.md", "--to", "site/sub/index.md", "--links"];
        sandbox.run(&moved).exits(0);
        holds(&sandbox, "site/a.md", &["[d](/sub/#x) [e](sub#x)"]);
        sandbox.run(&["patch", "move", "site/a.md", "--to", "site/other/c.md", "--links"]).exits(0);
        sandbox.run(&["links"]).exits(0).prints("");
        holds(&sandbox, "site/other/c.md", &["[d](/sub/#x) [e](../sub#x)"]);
    }
}

/// Rules without a root directory do not affect relative links.
#[test]
fn relative_links_are_updated_by_any_rules() {
    for rules in [
        "site = 'github'",
        "index-files = ['index.md']",
        "fallback-extensions = ['md']",
        "remap = ['^/x /y']",
        "root-dir = 'docs'",
    ] {
        let sandbox = Sandbox::with(&[
            ("folio.toml", &*format!("[links]\n{rules}\n")),
            (".git/HEAD", ""),
            ("docs/index.md", "[p](a/p.md) ![i](a/p.md)\n"),
            ("docs/a/p.md", "# P\n\n[i](../index.md)\n\n## Part\n\n[i](../index.md)\n"),
        ]);
        let part = ["patch", "move", "docs/a/p.md", "--section", "Part", "--to", "docs/r.md"];
        sandbox.run(&[&part[..], &["--links"]].concat()).exits(0);
        holds(&sandbox, "docs/r.md", &["[i](index.md)"]);
        let file = ["patch", "move", "docs/a/p.md", "--to", "docs/q.md"];
        sandbox.run(&file).exits(0).tells("3 links in 2 files no longer lead");
        sandbox.run(&["undo"]).exits(0);
        sandbox.run(&[&file[..], &["--links"]].concat()).exits(0);
        holds(&sandbox, "docs/index.md", &["[p](q.md) ![i](q.md)"]);
        holds(&sandbox, "docs/q.md", &["[i](index.md)"]);
    }
}

/// Links to a moved page, and the links of the page, have the same style as before.
#[test]
fn urls_of_pages_keep_their_form() {
    let page = "# P\n\n[a](../b/x.html) [b](../b/x) ![c](i.png) [d](/docs/b/x)\n";
    for (site, sign, link) in [
        ("jekyll", "_config.yml", "[a](../x.html) [b](../x) ![c](../../a/i.png) [d](/docs/b/x)"),
        ("docusaurus", "docusaurus.config.js", "[a](../x.html) [b](../x) ![c](../../a/i.png)"),
        ("vitepress", ".vitepress/x", "[a](../x.html) [b](../x) ![c](../../a/i.png)"),
    ] {
        let sandbox = Sandbox::with(&[
            ("folio.toml", &*format!("[links]\nsite = '{site}'\n")),
            (".git/HEAD", ""),
            (sign, ""),
            (
                "docs/index.md",
                "[1](a/p) [2](./a/p.html#p) [3](a/p/) [4](/docs/a/p) [5](/docs/a/p.html)\n",
            ),
            ("docs/a/p.md", page),
            ("docs/a/i.png", ""),
            ("docs/b/x.md", "# X\n"),
            ("docs/b/c/y.md", "# Y\n"),
        ]);
        sandbox.run(&["links", "docs"]).exits(0).prints("");
        let run = ["patch", "move", "docs/a/p.md", "--to", "docs/b/c/q.md", "--links"];
        sandbox.run(&run).exits(0);
        let expected =
            "[1](b/c/q) [2](./b/c/q.html#p) [3](b/c/q/) [4](/docs/b/c/q) [5](/docs/b/c/q.html)";
        holds(&sandbox, "docs/index.md", &[expected]);
        holds(&sandbox, "docs/b/c/q.md", &[link]);
        sandbox.run(&["links", "docs"]).exits(0).prints("");
        // Outside of the site, the page has no URL.
        if site != "jekyll" {
            continue;
        }
        fs::rename(sandbox.path("_config.yml"), sandbox.path("docs/_config.yml")).unwrap();
        sandbox.write("docs/index.md", "[1](b/c/q)\n");
        let run = ["patch", "move", "docs/b/c/q.md", "--to", "q.md", "--links"];
        sandbox.run(&run).exits(0).tells("docs/index.md:1 (b/c/q)");
    }
}

/// mdBook creates only URLs that end with `.html` and those of directories.
#[test]
fn urls_in_mdbook_have_an_extension() {
    let sandbox = Sandbox::with(&[
        ("folio.toml", "[links]\nsite = 'mdbook'\n"),
        (".git/HEAD", ""),
        ("book.toml", ""),
        ("src/SUMMARY.md", ""),
        ("src/guide/a.md", "# A\n\n[p](../ref/p.html#p) [i](../ref/) [j](../ref/index.html)\n"),
        ("src/ref/README.md", "# R\n"),
        ("src/ref/p.md", "# P\n\n[a](../guide/a.html) [g](g.html)\n"),
        ("src/ref/g.md", "# G\n"),
        ("src/x/y.md", "# Y\n"),
    ]);
    sandbox.run(&["links"]).exits(0).prints("");
    sandbox.run(&["patch", "move", "src/ref/p.md", "--to", "src/ref/q.md", "--links"]).exits(0);
    holds(&sandbox, "src/guide/a.md", &["[p](../ref/q.html#p) [i](../ref/)"]);
    holds(&sandbox, "src/ref/q.md", &["[a](../guide/a.html) [g](g.html)"]);
    sandbox.run(&["patch", "move", "src/ref/q.md", "--to", "src/x/", "--links"]).exits(0);
    holds(&sandbox, "src/guide/a.md", &["[p](../x/q.html#p)"]);
    holds(&sandbox, "src/x/q.md", &["[a](../guide/a.html) [g](../ref/g.html)"]);
    let index = ["patch", "move", "src/ref/README.md", "--to", "src/x/r.md", "--links"];
    sandbox.run(&index).exits(0);
    holds(&sandbox, "src/guide/a.md", &["[i](../x/r.html) [j](../x/r.html)"]);
    sandbox.run(&["links"]).exits(0).prints("");
}

#[test]
fn shortcodes_of_hugo_are_updated() {
    let text =
        "{{< ref \"/p.md\" >}} {{< relref \"/p#bench\" >}} {{% ref \"p\" %}} {{< ref \"s.md\" >}}";
    let sandbox = Sandbox::with(&[
        ("folio.toml", "[links]\nsite = 'hugo'\n"),
        (".git/HEAD", ""),
        ("hugo.toml", ""),
        ("content/a.md", text),
        ("content/p.md", "# P\n\n## Bench\n\n{{< ref \"a.md\" >}} {{< ref \"#bench\" >}}\n"),
        ("content/sub/s.md", "# S\n\n{{< relref \"p.md\" >}} [p](../../p/)\n"),
        ("content/my dir/x.md", "# X\n"),
    ]);
    sandbox.run(&["links"]).exits(0).prints("");
    let run = ["patch", "move", "content/p.md", "--to", "content/sub/r.md"];
    sandbox.run(&run).exits(0).tells("5 links in 2 files no longer lead");
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&[&run[..], &["--links"]].concat()).exits(0);
    let expected = text.replace("/p.md", "/sub/r.md").replace("/p#", "/sub/r#");
    let expected = expected.replace("\"p\"", "\"sub/r\"");
    holds(&sandbox, "content/a.md", &[&*expected]);
    holds(&sandbox, "content/sub/r.md", &["{{< ref \"a.md\" >}} {{< ref \"#bench\" >}}"]);
    holds(&sandbox, "content/sub/s.md", &["{{< relref \"sub/r.md\" >}} [p](../r/)"]);
    sandbox.run(&["links"]).exits(0).prints("");
    let rename = ["patch", "rename", "content/sub/r.md", "--heading", "Bench", "-c", "Mark"];
    sandbox.run(&[&rename[..], &["--links"]].concat()).exits(0);
    holds(&sandbox, "content/a.md", &["\"/sub/r#mark\""]);
    sandbox.run(&["links"]).exits(0).prints("");
    // Hugo does not decode paths, so a path that would need encoding is only reported.
    let run = ["patch", "move", "content/sub/r.md", "--to", "content/my dir/", "--links"];
    sandbox.run(&run).exits(0).tells("may refer to it");
}

/// A link that `folio links` reports as broken is not updated.
#[test]
fn links_that_the_site_does_not_resolve_are_unchanged() {
    for (rules, link) in [
        ("root-dir = 'site'", "/t.md#old"),
        ("index-files = ['index.md']", "../docs#old"),
        ("site = 'mkdocs'", "/t.md#old"),
    ] {
        let sandbox = Sandbox::with(&[
            ("folio.toml", &format!("[links]\n{rules}\n")),
            (".git/HEAD", ""),
            ("mkdocs.yml", ""),
            ("t.md", "# T\n\n## Old\n"),
            ("docs/README.md", "# T\n\n## Old\n"),
            ("site/a.md", &format!("[a]({link})\n")),
        ]);
        sandbox.run(&["links"]).exits(1);
        for file in ["t.md", "docs/README.md"] {
            sandbox
                .run(&["patch", "rename", file, "--heading", "Old", "-c", "New", "--links"])
                .exits(0);
        }
        holds(&sandbox, "site/a.md", &[link]);
    }
}

/// Renamed and renumbered anchors have the slugs of the site in `folio.toml`.
#[test]
fn links_are_updated_with_the_slugs_of_the_site() {
    let sandbox = Sandbox::with(&[
        ("folio.toml", "[links]\nsite = 'mkdocs'\n"),
        ("t.md", "# T\n\n## A & B\n\n## Setup\n\n## Setup\n"),
        ("a.md", "[a](t.md#a-b) [b](t.md#setup_1)\n"),
    ]);
    sandbox.run(&["links"]).exits(0).prints("");
    let rename = ["patch", "rename", "t.md", "--heading", "A & B", "-c", "C & D", "--links"];
    sandbox.run(&rename).exits(0);
    sandbox.run(&["patch", "delete", "t.md", "--lines", "5-6", "--links"]).exits(0);
    holds(&sandbox, "a.md", &["[a](t.md#c-d) [b](t.md#setup)"]);
    sandbox.run(&["links"]).exits(0).prints("");
}

/// A document outside of a site refers to the slugs that GitHub shows.
#[test]
fn links_from_outside_of_a_site_are_updated_with_the_slugs_of_github() {
    let sandbox = Sandbox::with(&[
        (".git/HEAD", ""),
        ("mkdocs.yml", "site_name: x\n"),
        ("docs/b.md", "# B\n\n## A & B\n"),
        ("docs/c.md", "[b](b.md#a-b)\n"),
        ("README.md", "[b](docs/b.md#a--b)\n"),
    ]);
    sandbox.run(&["links"]).exits(0);
    let rename = ["patch", "rename", "docs/b.md", "--heading", "A & B", "-c", "C & D", "--links"];
    sandbox.run(&rename).exits(0);
    holds(&sandbox, "docs/c.md", &["b.md#c-d"]);
    holds(&sandbox, "README.md", &["docs/b.md#c--d"]);
    sandbox.run(&["links"]).exits(0);
}

/// Hugo finds pages of the same name by language, and pages of modules and themes.
#[test]
fn shortcodes_with_unknown_pages_are_unchanged() {
    let a = "{{< ref \"p\" >}} {{< ref \"of-theme\" >}}";
    let sandbox = Sandbox::with(&[
        ("folio.toml", "[links]\nsite = 'hugo'\n"),
        ("hugo.toml", ""),
        (".git/HEAD", ""),
        ("content/en/x/p.md", "# P\n"),
        ("content/de/x/p.md", "# P\n"),
        ("content/en/y/a.md", a),
        ("content/docs/b.md", "---\naliases: [/old/b]\n---\n# B\n"),
        ("content/c.md", "{{< ref \"b\" >}}\n"),
    ]);
    fs::create_dir_all(sandbox.path("content/en/z/w")).unwrap();
    let moved = |from: &str, to: &str| {
        sandbox.run(&["patch", "move", from, "--to", to, "--links"]).exits(0);
    };
    moved("content/en/y/a.md", "content/en/z/w/a.md");
    assert_eq!(fs::read_to_string(sandbox.path("content/en/z/w/a.md")).unwrap(), a);
    // Aliases are not names of pages.
    moved("content/docs/b.md", "content/docs/d.md");
    assert_eq!(
        fs::read_to_string(sandbox.path("content/c.md")).unwrap(),
        "{{< ref \"docs/d\" >}}\n"
    );
}

/// A file that a site serves unchanged, and `/page.md` in the directory of the content.
#[test]
fn links_to_static_files_and_content_paths_are_updated() {
    let sandbox = Sandbox::with(&[
        (
            "website/docusaurus.config.js",
            "module.exports = { presets: [['classic', { docs: { path: '../docs' } }]] };\n",
        ),
        (".git/HEAD", ""),
        ("docs/a.md", "![i](/img/x.png) [b](/sub/b.md#b) [c](sub/b.md) [d](/docs/sub/b)\n"),
        ("docs/sub/b.md", "# B\n"),
        ("website/static/img/x.png", "image\n"),
    ]);
    sandbox.run(&["links"]).exits(0).prints("");
    let image = ["patch", "move", "website/static/img/x.png", "--to", "website/static/y.png"];
    sandbox.run(&[&image[..], &["--links"]].concat()).exits(0);
    sandbox.run(&["patch", "move", "docs/sub/b.md", "--to", "docs/c.md", "--links"]).exits(0);
    holds(&sandbox, "docs/a.md", &["![i](/y.png) [b](/c.md#b) [c](c.md) [d](/docs/c)"]);
    sandbox.run(&["patch", "rename", "docs/c.md", "--heading", "B", "-c", "C", "--links"]).exits(0);
    holds(&sandbox, "docs/a.md", &["[b](/c.md#c)"]);
    sandbox.run(&["links"]).exits(0).prints("");
}

/// The slugs of a heading in links depend on the site of the page that contains the heading.
#[test]
fn each_directory_has_the_site_of_its_folio_toml() {
    let sandbox = Sandbox::with(&[
        (".git/HEAD", ""),
        ("x/folio.toml", "[links]\nsite = 'mkdocs'\n"),
        ("x/mkdocs.yml", ""),
        ("x/docs/a.md", "# One -- two\n\n[s](#one-two) [y](../../y/b.md#one----two)\n"),
        ("y/folio.toml", "[links]\nsite = 'github'\n"),
        ("y/b.md", "# One -- two\n\n[s](#one----two)\n"),
    ]);
    sandbox.run(&["links"]).exits(0).prints("");
    let rename = ["patch", "rename", "x/docs/a.md", "--heading", "One -- two", "-c", "A -- b"];
    sandbox.run(&[&rename[..], &["--links"]].concat()).exits(0);
    holds(&sandbox, "x/docs/a.md", &["[s](#a-b) [y](../../y/b.md#one----two)"]);
    let rename = ["patch", "rename", "y/b.md", "--heading", "One -- two", "-c", "A -- b"];
    sandbox.run(&[&rename[..], &["--links"]].concat()).exits(0);
    holds(&sandbox, "x/docs/a.md", &["[s](#a-b) [y](../../y/b.md#a----b)"]);
    holds(&sandbox, "y/b.md", &["[s](#a----b)"]);
    sandbox.run(&["patch", "move", "x/docs/a.md", "--to", "y/a.md", "--links"]).exits(0);
    holds(&sandbox, "y/a.md", &["[y](b.md#a----b)"]);
}

/// Only GitHub and mdBook derive slugs from HTML headings.
#[test]
fn html_headings_change_the_numbers_of_slugs_where_they_have_some() {
    for (site, before, after) in [("mdbook", "a-1", "a"), ("hugo", "a", "a")] {
        let text = format!("<h1>A</h1>\n\n# A\n\n[a](#{before})\n");
        let sandbox = Sandbox::with(&[
            (".git/HEAD", ""),
            ("folio.toml", &format!("[links]\nsite = '{site}'\nroot-dir = 'text'\n")),
            ("text/a.md", &text),
        ]);
        sandbox.run(&["links"]).exits(0).prints("");
        sandbox.run(&["patch", "delete", "text/a.md:1-2", "--links"]).exits(0);
        holds(&sandbox, "text/a.md", &[&format!("[a](#{after})")]);
        sandbox.run(&["links"]).exits(0).prints("");
    }
}
