//! What builds a site: where it looks for pages, and how it names them and their
//! anchors.

use crate::text::markdown::slug::SlugStyle;

/// The rules of one.
#[derive(Debug)]
pub struct Generator {
    pub name: &'static str,
    /// What is in the directory that a site is built from, any of these, where that
    /// is not its signs.
    markers: &'static [&'static str],
    /// What says that it builds the site around it: nothing else has files of these names.
    pub signs: &'static [&'static str],
    /// Directories of pages below it, and what the URLs of these begin with.
    pub mounts: &'static [(&'static str, &'static str)],
    /// Names of documents that are the page of their directory.
    pub indexes: &'static [&'static str],
    /// Whether a page is a directory to what is relative to it: `/page/`.
    pub pages_are_directories: bool,
    /// Whether URLs are in lower case.
    pub folds_case: bool,
    /// Keys of front matter that name a page.
    pub keys: &'static [&'static str],
    /// Marks of what brings headings that are in other documents.
    pub includes: &'static [&'static str],
    /// Whether components are in documents, which make anchors of what they are given.
    pub components: bool,
    pub slugs: SlugStyle,
}

/// That of GitHub: files are their own pages.
pub const GITHUB: &str = "github";

const DEFAULT: Generator = Generator {
    name: GITHUB,
    markers: &[],
    signs: &[],
    mounts: &[("", "")],
    indexes: &["index", "readme"],
    pages_are_directories: false,
    folds_case: false,
    keys: &[],
    includes: &[],
    components: false,
    slugs: SlugStyle::Github,
};

/// All of them, by name.
pub const GENERATORS: &[Generator] = &[
    Generator {
        name: "astro",
        signs: &["astro.config.mjs", "astro.config.ts", "astro.config.js"],
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
        signs: &["docusaurus.config.js", "docusaurus.config.ts", "docusaurus.config.mjs"],
        markers: &[
            "docusaurus.config.js",
            "docusaurus.config.ts",
            "docusaurus.config.mjs",
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
    /// What is in the directory that a site is built from; any of these.
    pub fn markers(&self) -> &'static [&'static str] {
        if self.markers.is_empty() { self.signs } else { self.markers }
    }

    /// The one that is called so.
    pub fn named(name: &str) -> Option<&'static Self> {
        GENERATORS.iter().find(|generator| generator.name == name)
    }
}

/// The names that `--site` takes.
pub fn names() -> impl Iterator<Item = &'static str> {
    GENERATORS.iter().map(|generator| generator.name)
}
