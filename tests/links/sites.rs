//! `folio links --site`: pages and anchors that follow the rules of site generators.

use crate::support::{Sandbox, outcome};

/// Checks the output for one document of a site.
#[track_caller]
fn check_document(flags: &[&str], files: &[(&str, &str)], document: &str, expected: &str) {
    let sandbox = Sandbox::with(files);
    let arguments = [&["links"], flags, &[document]].concat();
    sandbox.run(&arguments).exits(i32::from(!expected.is_empty())).prints(expected);
}

#[test]
fn a_route_with_a_parameter_is_a_page_for_each_value() {
    let flags = ["--site", "docusaurus", "--root-dir", "content"];
    let files = [
        ("content/a.md", "[x](/errors/149) [y](/errors) [z](/gone/1)\n"),
        ("src/pages/errors/[code].tsx", ""),
        ("src/pages/errors/index.tsx", ""),
        ("src/pages/[[...path]].js", ""),
        (".git/HEAD", ""),
    ];
    check_document(&flags, &files, "content/a.md", "content/a.md:1:35: no file '/gone/1'\n");
}

#[test]
fn posts_are_found_by_their_dates() {
    let files = [
        ("blog/posts/2026-02-14-new.md", "# New\n"),
        ("a.md", "[x](/blog/2026/02/14/new/) [y](/blog/2026/02/15/new/)\n"),
    ];
    let expected = "a.md:1:32: no directory '/blog/2026/02/15/new/'\n";
    check_document(&["--site", "docusaurus", "--root-dir", "."], &files, "a.md", expected);
    let files = [
        ("_config.yml", ""),
        ("_posts/2026-02-14-new.md", "# New\n"),
        ("a.md", "[x](/2026/02/14/new.html#new) [y](/2026/02/14/new#old)\n"),
    ];
    let expected = "a.md:1:35: no anchor '#old' in '/2026/02/14/new'\n";
    check_document(&["--site", "jekyll"], &files, "a.md", expected);
}

#[test]
fn astro_names_pages_by_their_directories() {
    let files = [
        ("astro.config.mjs", ""),
        ("src/content/docs/en/guides/images.mdx", "## `<Image />`\n\n<Badge id=\"new\" />\n"),
        (
            "src/content/docs/en/index.mdx",
            "[a](/en/guides/images/#image-) [b](guides/images/#new)\n\
          [c](/en/guides/images/#gone) [d](/en/gone/)\n",
        ),
    ];
    let document = "src/content/docs/en/index.mdx";
    let expected = "src/content/docs/en/index.mdx:2:5: no anchor '#gone' in '/en/guides/images/'\n\
                src/content/docs/en/index.mdx:2:34: no directory '/en/gone/'\n";
    check_document(&["--site", "astro"], &files, document, expected);
}

#[test]
fn a_link_hook_of_hugo_finds_pages_next_to_a_document() {
    let files = [
        ("content/en/guide/a.md", "[b](b/) [l](/docs/latest)\n"),
        ("content/en/guide/b.md", "# B\n"),
    ];
    let expected = "content/en/guide/a.md:1:5: no directory 'b/'\n\
                content/en/guide/a.md:1:13: no file '/docs/latest'\n";
    check_document(&["--site", "hugo"], &files, "content/en/guide/a.md", expected);
    let looks = [("layouts/_markup/render-link.html", "<a href=\"{{ .Destination }}\">\n")];
    check_document(
        &["--site", "hugo"],
        &[&files[..], &looks].concat(),
        "content/en/guide/a.md",
        expected,
    );
    let more = [
        ("layouts/_markup/render-link.html", "{{ $page := .PageInner.GetPage .Destination }}\n"),
        ("layouts/index.redirects", "/docs/latest /docs/{{ $latest }}/\n"),
    ];
    let files = [&files[..], &more[..]].concat();
    check_document(&["--site", "hugo"], &files, "content/en/guide/a.md", "");
}

#[test]
fn code_within_a_component_is_code() {
    let code = "<Steps>\n1. Write:\n    ```html\n    <a href=\"/gone/\">x</a>\n    ```\n</Steps>\n";
    let link = "\n<a href=\"/lost/\">x</a>\n";
    let text = [code, link].concat();
    let files = [("src/pages/a.mdx", text.as_str()), ("astro.config.mjs", "")];
    let expected = "src/pages/a.mdx:8:10: no directory '/lost/'\n";
    check_document(&["--site", "astro"], &files, "src/pages/a.mdx", expected);
}

#[test]
fn many_broken_links_suggest_a_site_generator() {
    let expected = "note: 'guide/_config.yml': this looks like a jekyll site, but its link rules \
                were not used; to check links as jekyll resolves them: folio links guide --site jekyll\n";
    let files = [("guide/_config.yml", ""), ("guide/src/a.md", "# A b\n")];
    let sandbox = Sandbox::with(&files);
    let links: String = (0..5).map(|n| format!("[a](a.md#x{n})\n")).collect();
    sandbox.write("guide/src/deep/b.md", links.replace("a.md", "../a.md"));
    let run = sandbox.run(&["links", "guide"]).exits(1);
    assert_eq!(run.errors().matches(expected).count(), 1, "{run}");
    for quiet in [
        &["links", "guide", "--site", "jekyll"][..],
        &["links", "guide", "--site", "github"],
        &["links", "guide", "-q"],
    ] {
        let run = sandbox.run(quiet).exits(1);
        assert!(!run.errors().contains("builds what"), "{run}");
    }
    // A few broken links do not indicate a generator.
    sandbox.write("guide/src/deep/b.md", "[a](../a.md#x)\n");
    let run = sandbox.run(&["links", "guide"]).exits(1);
    assert!(run.errors().is_empty(), "{run}");
}

#[test]
fn an_id_in_braces_replaces_the_slug() {
    let text = "[a](#bar) [b](#foo)\n\n## Foo {#bar}\n\n## Foo\n\n[c](#foo) [d](#foo-1)\n";
    let sandbox = Sandbox::with(&[("docs/a.md", text), (".git/HEAD", "")]);
    for site in ["docusaurus", "hugo", "mkdocs", "mdbook"] {
        let of_second = if site == "mkdocs" { "#foo_1" } else { "#foo-1" };
        let text = text.replace("#foo-1", of_second);
        let _ = sandbox.write("docs/a.md", text);
        let expected = format!("docs/a.md:7:15: no anchor '{of_second}'");
        let arguments = ["links", "--site", site, "--root-dir", "docs", "docs/a.md"];
        let outcome = sandbox.run(&arguments).exits(1);
        assert!(outcome.text().starts_with(&expected), "{site}\n{outcome}");
        assert_eq!(outcome.text().lines().count(), 1, "{site}\n{outcome}");
    }
    let alone = "[b](#foo)\n\n## Foo {#bar}\n";
    check_document(
        &["--site", "hugo", "--root-dir", "."],
        &[("a.md", alone)],
        "a.md",
        "a.md:1:5: no anchor '#foo'\n",
    );
}

#[test]
fn terms_of_definition_lists_are_anchors_on_mdn() {
    let text = "[a](#auto) [b](#display) [c](#gone)\n\n- `auto`\n  - : Text.\n\
                - {{cssxref(\"display\")}} {{optional_inline}}\n  - : Text.\n";
    let files = [("files/en-us/web/a/index.md", text), (".git/HEAD", "")];
    let expected = "files/en-us/web/a/index.md:1:30: no anchor '#gone'\n";
    check_document(&["--site", "mdn"], &files, "files/en-us/web/a/index.md", expected);
}

#[test]
fn colons_in_a_redirect_are_not_always_placeholders() {
    let files = [
        ("files/en-us/_redirects.txt", "/en-US/docs/Web/CSS/::a\t/en-US/docs/Web/CSS/b\n"),
        (
            "files/en-us/web/a/index.md",
            "---\nslug: Web/A\n---\n[a](/en-US/docs/Web/CSS/::a) [b](/en-US/docs/Web/CSS/gone)\n",
        ),
        (".git/HEAD", ""),
    ];
    let expected = "files/en-us/web/a/index.md:4:34: no file '/en-US/docs/Web/CSS/gone'\n";
    check_document(&["--site", "mdn"], &files, "files/en-us/web/a/index.md", expected);
}

#[test]
fn a_redirect_with_a_star_includes_its_directory() {
    let files = [
        ("content/a.md", "[a](/old/) [b](/old/x/) [c](/older/)\n"),
        ("static/_redirects", "/old/* /new/:splat\n"),
        (".git/HEAD", ""),
    ];
    let expected = "content/a.md:1:29: no directory '/older/'\n";
    check_document(&["--site", "hugo"], &files, "content/a.md", expected);
}

#[test]
fn anchors_of_pages_that_include_others_are_counted() {
    let files = [
        ("content/a.md", "[a](b.md#own) [b](b.md#other) [c](b.md#more)\n"),
        ("content/b.md", "## Own\n\n{{% include \"c.md\" %}}\n"),
        (".git/HEAD", ""),
    ];
    let sandbox = Sandbox::with(&files);
    let outcome = sandbox.run(&["links", "--site", "hugo", "content/a.md"]).exits(0);
    outcome.tells("2 anchors were not checked: their pages include other documents");
}

/// Breaks random links in each kind of site. Exactly these links must be found.
#[test]
fn links_broken_at_random_are_found() {
    let mut seed = 17_u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let sites: [(&[&str], &str, &str); 4] = [
        (&[], "", ".md"),
        (&["--site", "docusaurus", "--root-dir", "."], "/", ""),
        (&["--site", "hugo", "--root-dir", "."], "/", "/"),
        (&["--root-dir", ".", "--fallback-extensions", "md"], "/", ""),
    ];
    for (flags, before, behind) in sites {
        let sandbox = Sandbox::new();
        sandbox.write(".git/HEAD", "");
        let mut expected = Vec::new();
        for page in 0..40 {
            let mut text = format!("# Page {page}\n\n## Part of {page}\n\n");
            for line in 5..25 {
                let to = random(40);
                let (mut name, mut id) = (format!("page-{to}"), format!("part-of-{to}"));
                let breaks = random(5) == 0;
                if breaks {
                    let part = if random(2) == 0 { &mut name } else { &mut id };
                    part.insert(random(part.len() as u64) as usize, 'x');
                    expected.push((page, line));
                }
                text += &format!("[a]({before}{name}{behind}#{id})\n");
            }
            sandbox.write(format!("page-{page}.md"), text);
        }
        let outcome = sandbox.run(&[&["links", "--json"], flags, &["."]].concat()).exits(1);
        let found = outcome.json_lines().into_iter().filter_map(|link| {
            let page = link["filePath"].as_str()?.rsplit_once('-')?.1.strip_suffix(".md")?;
            Some((page.parse().ok()?, link["line"].as_u64()?))
        });
        let mut found: Vec<(u64, u64)> = found.collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{flags:?}");
    }
}

#[test]
fn hugo_names_pages_by_permalinks() {
    let post = "---\ndate: 2026-02-14T10:00:00Z\n---\n# New\n";
    let files = [
        ("hugo.toml", "title = 'x'\n[permalinks]\n  posts = '/:year/:month/:slug/'\n[params]\n"),
        ("content/posts/new.md", post),
        ("content/a.md", "[x](/2026/02/new/) [y](/2026/03/new/)\n"),
    ];
    let expected = "content/a.md:1:24: no directory '/2026/03/new/'\n";
    check_document(&["--site", "hugo"], &files, "content/a.md", expected);
    let yaml = ("hugo.yaml", "permalinks:\n  posts: /articles/:title/\nparams:\n  a: b\n");
    let files = [
        yaml,
        ("content/posts/new.md", post),
        ("content/a.md", "[x](/articles/new/) [y](/articles/old/)\n"),
    ];
    let expected = "content/a.md:1:25: no directory '/articles/old/'\n";
    check_document(&["--site", "hugo"], &files, "content/a.md", expected);
}

#[test]
fn a_site_without_its_configuration_is_not_fixed() {
    let page = "# A\n\n[b](/guides/b/)\n";
    let files = [("src/content/docs/guides/b.md", "# B\n"), ("src/content/docs/a.md", page)];
    let sandbox = Sandbox::with(&files);
    let expected = "no astro site was found (a directory with astro.config.mjs";
    sandbox.run(&["links", "--site", "astro"]).exits(1).tells(expected);
    sandbox.run(&["links", "--site", "astro", "--fix"]).exits(2).tells(expected);
    assert_eq!(std::fs::read_to_string(sandbox.path("src/content/docs/a.md")).unwrap(), page);
    sandbox.write("astro.config.cjs", "");
    sandbox.run(&["links", "--site", "astro"]).succeeds();
}

#[test]
fn an_untranslated_page_is_that_of_the_default_language() {
    let page = "# A\n\n[b](/fr/guides/b/#setup) [b](../guides/b/) [c](/fr/guides/c/)\n";
    let files = [
        ("astro.config.mjs", ""),
        ("src/content/docs/guides/b.md", "# B\n\n## Setup\n"),
        ("src/content/docs/fr/index.md", "# F\n"),
        ("src/content/docs/fr/a.md", page),
    ];
    let expected = "src/content/docs/fr/a.md:3:48: no directory '/fr/guides/c/'\n";
    check_document(&["--site", "astro"], &files, "src/content/docs/fr/a.md", expected);
}

#[test]
fn empty_destinations_with_a_meaning_are_not_broken() {
    let anchor = [("mkdocs.yml", ""), ("docs/a.md", "# A\n\n[](){ #x }\n\n[x](#x)\n")];
    check_document(&["--site", "mkdocs"], &anchor, "docs/a.md", "");
    let draft = [("book.toml", ""), ("src/SUMMARY.md", "# Summary\n\n- [Draft]()\n")];
    check_document(&["--site", "mdbook"], &draft, "src/SUMMARY.md", "");
}

#[test]
fn attributes_of_headings_are_not_part_of_their_anchors() {
    let text = "## E {.c}\n\n## F { .c .d }\n\n## G {#g1 .c}\n\n## H {.c #h1}\n\n\
        [1](#e) [2](#f) [3](#g1) [4](#h1) [5](#e-c)\n";
    for site in ["hugo", "mdbook", "mkdocs", "vitepress"] {
        let expected = "a.md:9:39: no anchor '#e-c'\n";
        check_document(&["--site", site], &[("a.md", text)], "a.md", expected);
    }
    let expected = "a.md:9:5: no anchor '#e'; there is '#e-c'\n";
    check_document(
        &["--site", "jekyll"],
        &[("a.md", "## E {.c}\n\n[1](#e) [2](#e-c)\n")],
        "a.md",
        &expected.replace(":9:", ":3:"),
    );
}

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
    let output = match expected {
        "" => String::new(),
        expected => format!("content/x.md:1:6: {expected}\n"),
    };
    outcome.exits(i32::from(!expected.is_empty())).prints(output);
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

/// Checks the generator that is detected from files, with a link that only it resolves.
#[track_caller]
fn check_detection(config: (&str, &str), files: &[(&str, &str)], document: &str, generator: &str) {
    let sandbox = Sandbox::with(&[&[config, (".git/HEAD", "")], files].concat());
    let outcome = sandbox.run(&["links"]).exits(0).prints("");
    let note = format!(
        "folio links: note: '{}': the links of this site were resolved by the rules of {generator}; \
         to use the rules of GitHub instead: folio links --site github\n",
        config.0
    );
    assert_eq!(outcome.errors(), note);
    // The same links are broken by the rules of GitHub.
    let plain = sandbox.run(&["links", "--site", "github"]).exits(1);
    assert!(plain.text().starts_with(&format!("{document}:")), "{plain}");
    assert!(plain.errors().is_empty(), "{plain}");
    sandbox.run(&["links", "--site", generator]).exits(0).prints("");
    sandbox.write("folio.toml", "[links]\nsite = 'github'\n");
    let configured = sandbox.run(&["links"]).exits(1);
    assert_eq!((configured.text(), configured.errors()), (plain.text(), String::new()));
    sandbox.write("folio.toml", "");
    // `patch` resolves the links alike.
    let moved = document.replace(".md", "-moved.md");
    let outcome = sandbox.run(&["patch", "move", document, "--to", &moved, "--links"]).exits(0);
    let note = format!("'{}': the links of this site were resolved by the rules", config.0);
    assert!(outcome.errors().contains(&note), "{outcome}");
    sandbox.run(&["links"]).exits(0).prints("");
}

#[test]
fn generators_are_detected_by_their_configuration() {
    let page = "# B\n\n## C -- d\n";
    check_detection(
        ("book.toml", "[book]\nsrc = \"text\"\n"),
        &[("text/SUMMARY.md", "# S\n"), ("text/a.md", "[b](b.html#c----d)\n"), ("text/b.md", page)],
        "text/a.md",
        "mdbook",
    );
    check_detection(
        ("mkdocs.yml", "site_name: x\ndocs_dir: \"text\" # y\n"),
        &[("text/a.md", "[b](b.md#c-d)\n"), ("text/b.md", page)],
        "text/a.md",
        "mkdocs",
    );
    check_detection(
        (
            "docusaurus.config.ts",
            "export default { presets: [{ docs: { routeBasePath: '/' } }] };\n",
        ),
        &[("docs/x/a.md", "[b](/x/b)\n"), ("docs/x/b.md", page)],
        "docs/x/a.md",
        "docusaurus",
    );
    check_detection(
        ("hugo.toml", "contentDir = \"text\"\n"),
        &[("text/x/a.md", "[b](/x/b/)\n"), ("text/x/b.md", page)],
        "text/x/a.md",
        "hugo",
    );
    check_detection(
        ("config.yaml", "baseURL: https://example.org/\n"),
        &[("content/x/a.md", "[b](/x/b/)\n"), ("content/x/b.md", page)],
        "content/x/a.md",
        "hugo",
    );
    check_detection(
        (".vitepress/config.mts", "export default defineConfig({ srcDir: './text' })\n"),
        &[("text/x/a.md", "[b](/x/b#c-d)\n"), ("text/x/b.md", page)],
        "text/x/a.md",
        "vitepress",
    );
    check_detection(
        ("astro.config.mjs", "export default defineConfig({ base: '/z', x: [starlight()] })\n"),
        &[
            ("src/content/docs/x/a.md", "[b](/z/x/b/) [b](/x/b/)\n"),
            ("src/content/docs/x/b.md", page),
        ],
        "src/content/docs/x/a.md",
        "astro",
    );
}

#[test]
fn only_the_pages_of_a_site_have_its_rules() {
    let page = "# B\n\n## C -- d\n";
    let files = [
        (".git/HEAD", ""),
        ("README.md", "[b](docs/b.md#c----d)\n"),
        ("docs/b.md", page),
        ("docs/a.md", "[b](b.md#c-d) [r](../README.md)\n"),
        ("other/mkdocs.yml", "docs_dir: !ENV [DIR, 'docs']\n"),
        ("other/docs/a.md", "# A\n\n[b](../../docs/b.md#c----d)\n"),
        ("config.toml", "base_url = \"https://example.org\"\n"),
        ("content/a.md", "[b](b)\n"),
        ("content/b", ""),
    ];
    let sandbox = Sandbox::with(&files);
    sandbox.run(&["links"]).exits(1).prints("docs/a.md:1:5: no anchor '#c-d' in 'b.md'\n");
    sandbox.write("mkdocs.yml", "site_name: x\n");
    sandbox.run(&["links"]).exits(0);
    // Plugins may create anchors.
    sandbox.write("docs/a.md", "[b](b.md#gone)\n");
    sandbox.run(&["links"]).exits(1).prints("docs/a.md:1:5: no anchor '#gone' in 'b.md'\n");
    sandbox.write("mkdocs.yml", "plugins:\n  - mkdocstrings\n");
    sandbox.run(&["links"]).exits(0);
    // Without a directory of pages, a file is not the configuration of a site.
    sandbox.write("docs/book.toml", "");
    sandbox.run(&["links"]).exits(0);
    // A site that other options describe is not detected.
    sandbox.run(&["links", "--fallback-extensions", "md"]).exits(1);
}

const DOCUSAURUS: (&str, &str) = (
    "website/docusaurus.config.js",
    "module.exports = { presets: [['classic', { docs: { path: '../docs' } }]] };\n",
);

#[test]
fn documents_next_to_a_docusaurus_site_belong_to_it() {
    let sandbox = Sandbox::with(&[
        DOCUSAURUS,
        (".git/HEAD", ""),
        ("docs/a.md", "[b](/docs/sub/b) [c](/sub/b.md#b) ![i](/img/x.png) [n](/docs/no)\n"),
        ("docs/sub/b.md", "# B\n\n[a](a.md) [a](/a.md) [n](/no.md) [n](/docs/no) [n](/docs/no)\n"),
        ("website/static/img/x.png", ""),
        ("notes/a.md", "[b](/docs/sub/b)\n"),
    ]);
    let expected = "docs/a.md:1:56: no file '/docs/no'\n\
        docs/sub/b.md:3:26: no file '/no.md'\n\
        docs/sub/b.md:3:38: no file '/docs/no'\n\
        docs/sub/b.md:3:52: no file '/docs/no'\n\
        notes/a.md:1:5: no file '/docs/sub/b'; there is '/docs/sub/b.md'\n";
    let run = sandbox.run(&["links"]).exits(1).prints(expected);
    assert!(!run.errors().contains("were not used"), "{run}");
    assert!(run.errors().contains("by the rules of docusaurus"), "{run}");
    let run = sandbox.run(&["links", "--site", "docusaurus", "docs/sub"]).exits(1);
    assert_eq!(run.text().lines().count(), 3, "{run}");
    // Standard input is like a page in the current directory.
    let input = b"[b](/docs/sub/b) [c](/sub/b.md) ![i](/img/x.png) [n](/docs/no)\n";
    let mut command = sandbox.command();
    command
        .current_dir(sandbox.path("docs"))
        .args(["links", "-"])
        .stdin(std::process::Stdio::piped());
    outcome(&mut command, input).exits(1).prints("-:1:54: no file '/docs/no'\n");
}

#[test]
fn versions_of_docusaurus_have_their_own_content() {
    let config = ("docusaurus.config.js", "module.exports = { presets: [{ docs: {} }] };\n");
    let sandbox = Sandbox::with(&[
        config,
        ("versions.json", "[\"2.0\", \"1.0\"]\n"),
        ("docs/new.md", "[a](/docs/next/new) [b](/docs/old) [c](/docs/1.0/older) [d](/gone.md)\n"),
        ("versioned_docs/version-2.0/old.md", "# Old\n\n[a](/old.md#old) [b](/no.md)\n"),
        ("versioned_docs/version-1.0/older.md", "[a](/older.md) [b](/docs/older)\n"),
    ]);
    let expected = "docs/new.md:1:61: no file '/gone.md'\n\
        versioned_docs/version-1.0/older.md:1:20: no file '/docs/older'\n\
        versioned_docs/version-2.0/old.md:3:22: no file '/no.md'\n";
    sandbox.run(&["links"]).exits(1).prints(expected);
}

#[test]
fn a_book_in_the_directory_of_its_project_is_noticed() {
    let sandbox = Sandbox::with(&[
        ("book.toml", "[book]\nsrc = \".\"\n"),
        ("SUMMARY.md", "# S\n"),
        ("a.md", &"[x](b.html)\n".repeat(5)),
        ("b.md", ""),
    ]);
    let run = sandbox.run(&["links"]).exits(1);
    assert!(run.errors().contains("this looks like a mdbook site"), "{run}");
}

#[test]
fn a_root_directory_is_not_suggested_twice() {
    let links: String = (0..25).map(|n| format!("[x](/{n}.md)\n")).collect();
    let sandbox = Sandbox::with(&[("a/b.md", &*links)]);
    let run = sandbox.run(&["links", "a"]).exits(1);
    assert!(run.errors().contains("--root-dir DIR"), "{run}");
    let run = sandbox.run(&["links", "a", "--root-dir", "a"]).exits(1);
    assert!(run.errors().contains("5 more broken links with a leading '/'"), "{run}");
    assert!(!run.errors().contains("DIR"), "{run}");
}

#[test]
fn html_headings_have_anchors_only_on_github_and_in_books() {
    let files = [("text/a.md", "<h1>Big</h1>\n\n# Big\n\n[a](#big) [b](#big-1)\n")];
    let sandbox = Sandbox::with(&files);
    for (site, status) in [("github", 0), ("mdbook", 0), ("hugo", 1), ("docusaurus", 1)] {
        sandbox.run(&["links", "--site", site, "--root-dir", "text", "text"]).exits(status);
    }
}
