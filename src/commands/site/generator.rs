//! Site generators: how they find pages, and how they name pages and anchors.

use super::vault::WIKI;
use folio_markdown::slug::SlugStyle;

/// The rules of a site generator.
#[derive(Debug)]
pub struct Generator {
    pub name: &'static str,
    /// File names that identify the directory of a site, which contains at least one of them. Empty
    /// if `signs` identify it.
    markers: &'static [&'static str],
    /// Files that only this generator uses. They are used to detect the generator.
    pub signs: &'static [&'static str],
    /// The directories of pages below the directory of the site, each with the prefix of its URLs.
    pub mounts: &'static [(&'static str, &'static str)],
    /// Names of documents that become the page of their directory.
    pub indexes: &'static [&'static str],
    /// Whether relative links are resolved as if each page were a directory, `/page/`.
    pub pages_are_directories: bool,
    /// Whether URLs may omit `.html`.
    pub has_bare_urls: bool,
    /// Whether URLs are converted to lower case.
    pub folds_case: bool,
    /// Front matter keys that set the URL of a page.
    pub keys: &'static [&'static str],
    /// Markers of constructs that include other documents.
    pub includes: &'static [&'static str],
    /// Whether documents contain components, whose arguments may become anchors.
    pub components: bool,
    pub slugs: SlugStyle,
}

/// The name of GitHub's rules, in which each file is a page.
pub const GITHUB: &str = "github";

const DEFAULT: Generator = Generator {
    name: GITHUB,
    markers: &[],
    signs: &[],
    mounts: &[("", "")],
    indexes: &["index", "readme"],
    pages_are_directories: false,
    has_bare_urls: true,
    folds_case: false,
    keys: &[],
    includes: &[],
    components: false,
    slugs: SlugStyle::Github,
};

/// All generators, sorted by name.
pub const GENERATORS: &[Generator] = &[
    Generator {
        name: "astro",
        signs: &[
            "astro.config.mjs",
            "astro.config.ts",
            "astro.config.js",
            "astro.config.cjs",
            "astro.config.mts",
            "astro.config.cts",
        ],
        mounts: &[("src/content/docs", ""), ("src/pages", ""), ("src/content", "")],
        indexes: &["index"],
        pages_are_directories: true,
        folds_case: true,
        keys: &["slug"],
        includes: &[".md'", ".mdx'", ".md\"", ".mdx\""],
        components: true,
        ..DEFAULT
    },
    Generator {
        name: "docusaurus",
        signs: &[
            "docusaurus.config.js",
            "docusaurus.config.ts",
            "docusaurus.config.mjs",
            "docusaurus.config.cjs",
            "docusaurus.config.mts",
        ],
        markers: &[
            "docusaurus.config.js",
            "docusaurus.config.ts",
            "docusaurus.config.mjs",
            "docusaurus.config.cjs",
            "docusaurus.config.mts",
            "website/docusaurus.config.js",
            "website/docusaurus.config.ts",
        ],
        mounts: &[
            ("docs", "docs"),
            ("docs", "docs/next"),
            ("blog", "blog"),
            ("src/pages", ""),
            ("versioned_docs", "docs"),
            ("website/docs", "docs"),
            ("website/blog", "blog"),
            ("website/src/pages", ""),
            ("website/versioned_docs", "docs"),
            ("website", ""),
            ("", ""),
        ],
        keys: &["slug", "id"],
        includes: &[".md'", ".mdx'", ".md\"", ".mdx\""],
        components: true,
        ..DEFAULT
    },
    DEFAULT,
    Generator {
        name: "hugo",
        signs: &["hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config/_default"],
        markers: &["content"],
        mounts: &[("content", "")],
        indexes: &["_index", "index"],
        pages_are_directories: true,
        folds_case: true,
        keys: &["url", "slug", "aliases"],
        includes: &["{{%", "{{< include", "{{< readfile"],
        slugs: SlugStyle::Hugo,
        ..DEFAULT
    },
    Generator {
        name: "jekyll",
        signs: &["_config.yml", "_config.yaml"],
        keys: &["permalink", "redirect_from", "slug"],
        includes: &["{% include"],
        ..DEFAULT
    },
    Generator {
        name: "mdbook",
        signs: &["book.toml"],
        markers: &["SUMMARY.md", "src/SUMMARY.md"],
        mounts: &[("src", ""), ("", "")],
        has_bare_urls: false,
        includes: &["{{#include", "{{#rustdoc_include"],
        slugs: SlugStyle::Mdbook,
        ..DEFAULT
    },
    Generator {
        name: "mdn",
        markers: &["files"],
        mounts: &[("files", "")],
        indexes: &["index"],
        folds_case: true,
        keys: &["slug"],
        includes: &["{{Page("],
        slugs: SlugStyle::Mdn,
        ..DEFAULT
    },
    Generator {
        name: "mkdocs",
        signs: &["mkdocs.yml", "mkdocs.yaml"],
        mounts: &[("docs", "")],
        pages_are_directories: true,
        includes: &["--8<--", "{!", "{%"],
        slugs: SlugStyle::Python,
        ..DEFAULT
    },
    Generator {
        name: "vitepress",
        signs: &[".vitepress"],
        mounts: &[("src", ""), ("", "")],
        indexes: &["index"],
        includes: &["<!--@include", "<!-- @include", "<script"],
        components: true,
        slugs: SlugStyle::Vitepress,
        ..DEFAULT
    },
];

impl Generator {
    /// Returns the file names that identify the directory of a site, which contains at least one of
    /// them.
    pub fn markers(&self) -> &'static [&'static str] {
        if self.markers.is_empty() { self.signs } else { self.markers }
    }

    /// Returns the generator called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        GENERATORS.iter().find(|generator| generator.name == name)
    }
}

/// Returns the values that `--site` accepts.
pub fn names() -> impl Iterator<Item = &'static str> {
    GENERATORS.iter().map(|generator| generator.name).chain([WIKI])
}
