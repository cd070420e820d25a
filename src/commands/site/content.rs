//! Finds a site by the configuration file of its generator, and the directories of its pages. Reads
//! only settings that are literals, because some configuration files are programs.

use std::path::{Path, PathBuf};

use super::config_files::{read, read_tree};
use super::generator::{GENERATORS, Generator};
use super::hugo;
use folio_files::config::{for_each_key, string};
use folio_files::env::Env;
use folio_keys::Tree;

/// Extensions of configuration files that are programs.
const SCRIPTS: [&str; 6] = ["js", "ts", "mjs", "mts", "cjs", "cts"];

/// Configuration files of Hugo whose names other programs use as well. The key `baseURL` identifies
/// those of Hugo.
const HUGO_CONFIGS: [&str; 4] = ["config.toml", "config.yaml", "config.yml", "config.json"];

/// Plugins of MkDocs that add anchors, and extensions that add anchors or change slugs.
const MKDOCS_ANCHORS: &[&str] =
    &["slugify", "mkdocstrings", "macros", "gen-files", "monorepo", "mkdocs-click"];

/// A site with the configuration file of its generator.
#[derive(Clone, Debug)]
pub struct SiteContent {
    pub generator: &'static Generator,
    /// The configuration file.
    pub file: PathBuf,
    /// The directory of the configuration file.
    pub root: PathBuf,
    /// The directories of pages, each with the prefix of its URLs.
    pub mounts: Vec<(PathBuf, String)>,
    /// Other directories of documents, whose URLs are unknown.
    others: Vec<PathBuf>,
    /// The path below which the site is published, without slashes at its ends.
    pub base: String,
    /// Whether relative links are resolved as if each page were a directory.
    pub pages_are_directories: bool,
    /// Whether pages may have anchors that their source does not show.
    pub has_unknown_anchors: bool,
    /// The URL patterns of Hugo, by section.
    pub permalinks: Vec<(String, String)>,
}

impl SiteContent {
    /// Returns the site whose configuration file is in a directory. Returns `None` if there are the
    /// files of several generators, or if the configuration cannot be understood.
    pub fn find(directory: &Path, env: &Env) -> Option<Self> {
        let names = env.roots.names_in(directory).ok()?;
        let has_sign = |generator: &&Generator| {
            let mut signs = signs(generator).filter_map(|sign| sign.split('/').next());
            signs.any(|sign| names.iter().any(|name| name == sign))
        };
        let candidates = GENERATORS.iter().filter(has_sign);
        let mut found = candidates.filter_map(|generator| Self::read(generator, directory, env));
        let content = found.next()?;
        found.next().is_none().then_some(content)
    }

    /// Reads the configuration file of a generator in a directory.
    pub fn read(generator: &'static Generator, root: &Path, env: &Env) -> Option<Self> {
        let file =
            signs(generator).map(|sign| root.join(sign)).find(|sign| env.roots.exists(sign))?;
        let mut content = Self {
            generator,
            file,
            root: root.to_owned(),
            mounts: Vec::new(),
            others: Vec::new(),
            base: String::new(),
            pages_are_directories: generator.pages_are_directories,
            has_unknown_anchors: false,
            permalinks: Vec::new(),
        };
        let is_understood = match generator.name {
            "astro" => content.read_astro(env),
            "docusaurus" => content.read_docusaurus(env),
            "hugo" => content.read_hugo(env),
            "mdbook" => content.read_mdbook(env),
            "mkdocs" => content.read_mkdocs(env),
            "vitepress" => content.read_vitepress(env),
            _ => None,
        };
        content.mounts.retain(|(directory, _)| env.roots.is_directory(directory));
        is_understood.filter(|()| !content.mounts.is_empty()).map(|()| content)
    }

    /// Whether the documents in a directory are pages of the site.
    pub fn contains(&self, directory: &Path) -> bool {
        let mounts = self.mounts.iter().map(|(mount, _)| mount);
        // The directory of a project contains pages only in VitePress.
        let mounts =
            mounts.filter(|mount| **mount != self.root || self.generator.name == "vitepress");
        mounts.chain(&self.others).any(|mount| directory.starts_with(mount))
    }

    /// Whether the documents in a directory may be pages of the site. In a book, the pages may be in
    /// the directory of the project, together with other documents.
    pub fn may_contain(&self, directory: &Path) -> bool {
        let is_project = || self.mounts.iter().any(|(mount, _)| *mount == self.root);
        self.contains(directory) || self.generator.name == "mdbook" && is_project()
    }

    fn mount(&mut self, directory: &str, prefix: &str) {
        let directory = directory.trim_start_matches("./").trim_end_matches('/');
        let directory = match directory {
            "" | "." => self.root.clone(),
            directory => normal_join(&self.root, directory),
        };
        self.mounts.push((directory, prefix.trim_matches('/').to_owned()));
    }

    /// Astro serves documents below `src/pages`. Of the other documents, only the pages of
    /// Starlight have known URLs.
    fn read_astro(&mut self, env: &Env) -> Option<()> {
        let text = read_code(&self.file, env)?;
        if !text.contains("starlight(") {
            return None;
        }
        self.base = literal(&text, "base").unwrap_or_default().trim_matches('/').to_owned();
        for (directory, prefix) in self.generator.mounts {
            self.mount(directory, prefix);
        }
        env.roots.is_directory(&self.root.join("src/content/docs")).then_some(())
    }

    /// The presets and plugins of Docusaurus have an object of options for each kind of content.
    fn read_docusaurus(&mut self, env: &Env) -> Option<()> {
        let text = read_code(&self.file, env)?;
        // Links may begin with the base or not.
        if literal(&text, "baseUrl").is_some_and(|base| base != "/") {
            return None;
        }
        for options in ContentOptions::parse(&text) {
            let (directory, prefix) = match options.name {
                "docs" => ("docs", "docs"),
                "blog" => ("blog", "blog"),
                "pages" => ("src/pages", ""),
                _ => ("", "docs"),
            };
            let directory = options.path.unwrap_or(directory);
            if !directory.is_empty() && !directory.starts_with('/') {
                self.mount(directory, options.route.unwrap_or(prefix));
            }
        }
        let version = read_tree(&self.root.join("versions.json"), env)
            .and_then(|tree| tree.children(Tree::ROOT).next().map(|first| tree.value(first)));
        for (directory, prefix) in self.generator.mounts {
            if !directory.starts_with("website") {
                self.mount(directory, prefix);
            }
        }
        // The pages of the last version have no version in their URLs.
        if let Some(version) = version {
            self.mount(&format!("versioned_docs/version-{version}"), "docs");
        }
        self.others.push(self.root.join("i18n"));
        Some(())
    }

    fn read_hugo(&mut self, env: &Env) -> Option<()> {
        let trees = hugo::read_trees(&self.file, env);
        self.permalinks = hugo::permalinks_in(&trees);
        let is_shared_name = HUGO_CONFIGS.iter().any(|name| self.file.ends_with(name));
        let mut has_base = false;
        self.mount("content", "");
        for (_, tree) in &trees {
            let mut source = None;
            for index in 1..tree.nodes.len() {
                let Some(name) = tree.name(index) else { continue };
                let value = tree.value(index);
                match &*name.to_ascii_lowercase() {
                    "contentdir" => self.mount(&value, ""),
                    // A site below a directory, in which the links of pages begin with it.
                    "baseurl" if url_path(&value).is_some() => return None,
                    "baseurl" => has_base = true,
                    "source" => source = Some(value),
                    "target" if value == "content" || value.starts_with("content/") => {
                        let source = source.as_deref();
                        if let Some(source) = source.filter(|it| !it.starts_with("content")) {
                            self.mount(source, value.strip_prefix("content").unwrap_or_default());
                        }
                    }
                    "autoheadingidtype" | "autoidtype" => {
                        self.has_unknown_anchors |= value != "github";
                    }
                    _ => {}
                }
            }
        }
        (has_base || !is_shared_name).then_some(())
    }

    fn read_mdbook(&mut self, env: &Env) -> Option<()> {
        let mut source = "src".to_owned();
        for_each_key(&read(&self.file, env)?, |table, key, value| {
            if (table, key) == (Some("book"), "src") {
                source = string(key, value)?;
            }
            Ok(())
        })
        .ok()?;
        self.mount(&source, "");
        let (directory, _) = self.mounts.last()?;
        env.roots.is_file(&directory.join("SUMMARY.md")).then_some(())
    }

    fn read_mkdocs(&mut self, env: &Env) -> Option<()> {
        let tree = read_tree(&self.file, env)?;
        let mut source = "docs".to_owned();
        for index in tree.children(Tree::ROOT) {
            match tree.name(index) {
                // A value such as `!ENV DIR` is unknown.
                Some("docs_dir") if tree.written(index).starts_with('!') => return None,
                Some("docs_dir") => source = tree.value(index),
                Some("use_directory_urls") => {
                    let value = tree.value(index).to_lowercase();
                    self.pages_are_directories = !["false", "no"].contains(&&*value);
                }
                _ => {}
            }
        }
        self.has_unknown_anchors = adds_mkdocs_anchors(&tree);
        self.mount(&source, "");
        Some(())
    }

    fn read_vitepress(&mut self, env: &Env) -> Option<()> {
        let configs = ["config", "config/index"].into_iter().flat_map(|name| {
            SCRIPTS.map(|extension| self.file.join(format!("{name}.{extension}")))
        });
        let config = { configs }.find(|config| env.roots.is_file(config))?;
        let text = read_code(&config, env)?;
        self.file = config;
        self.has_unknown_anchors = text.contains("slugify");
        let source = literal(&text, "srcDir");
        // Rewrites are usually patterns or functions.
        if source.is_none() && text.contains("srcDir") || text.contains("rewrites") {
            return None;
        }
        self.mount(source.unwrap_or_default(), "");
        Some(())
    }
}

/// Returns the path of a URL, unless it is the root.
fn url_path(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("//")?;
    let (_, path) = rest.split_once('/')?;
    Some(path).filter(|path| !path.is_empty())
}

/// Whether a configuration of MkDocs names programs that add anchors or change the slugs of headings.
fn adds_mkdocs_anchors(tree: &Tree) -> bool {
    let is_program = |index: usize| {
        let name = tree.name(index).map_or_else(|| tree.value(index), str::to_owned);
        MKDOCS_ANCHORS.contains(&&*name)
    };
    tree.children(Tree::ROOT).any(|list| match tree.name(list) {
        Some("hooks") => true,
        Some("plugins" | "markdown_extensions") => (list + 1..tree.nodes.len())
            .any(|index| tree.is_within(index, list) && is_program(index)),
        _ => false,
    })
}

/// Returns the names of the configuration files of a generator.
fn signs(generator: &Generator) -> impl Iterator<Item = &'static str> {
    let others = (generator.name == "hugo").then_some(HUGO_CONFIGS);
    generator.signs.iter().copied().chain(others.into_iter().flatten())
}

/// Joins a path that may begin with `../` to a directory.
fn normal_join(directory: &Path, path: &str) -> PathBuf {
    let mut joined = directory.to_owned();
    for name in path.split('/').filter(|name| !matches!(*name, "" | ".")) {
        if name == ".." {
            joined.pop();
        } else {
            joined.push(name);
        }
    }
    joined
}

/// Reads a configuration file without the lines that are comments.
fn read_code(file: &Path, env: &Env) -> Option<String> {
    let text = read(file, env)?;
    let is_code = |line: &&str| {
        let line = line.trim_start();
        !["//", "/*", "*", "#"].iter().any(|mark| line.starts_with(mark))
    };
    Some(text.lines().filter(is_code).collect::<Vec<_>>().join("\n"))
}

/// Returns the value of a key in the outermost object of a program, if it is a string literal.
fn literal<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let (mut depth, mut counted) = (0, 0);
    text.match_indices(key).find_map(|(at, _)| {
        for byte in text[counted..at].bytes() {
            depth += i64::from(byte == b'{') - i64::from(byte == b'}');
        }
        counted = at;
        literal_at(text, at, key).filter(|_| depth == 1)
    })
}

/// Returns the string literal of a key at an offset.
fn literal_at<'t>(text: &'t str, at: usize, key: &str) -> Option<&'t str> {
    let is_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
    if text[..at].ends_with(is_name) {
        return None;
    }
    let rest = text[at..].strip_prefix(key)?.trim_start_matches(['"', '\'']).trim_start();
    let rest = rest.strip_prefix(':')?.trim_start();
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\'' | '`'))?;
    let (value, _) = rest[1..].split_once(quote)?;
    (!value.contains(['$', '\n'])).then_some(value)
}

/// The options of content in the configuration of Docusaurus.
#[derive(Debug, Default, PartialEq, Eq)]
struct ContentOptions<'t> {
    /// The name of the object, such as `docs`.
    name: &'t str,
    path: Option<&'t str>,
    route: Option<&'t str>,
}

impl<'t> ContentOptions<'t> {
    /// Finds the objects that contain a directory or a route.
    fn parse(text: &'t str) -> Vec<Self> {
        let (mut found, mut open) = (Vec::new(), Vec::new());
        for (at, character) in text.char_indices() {
            match character {
                '{' => {
                    let before = text[..at].trim_end();
                    let key = before.strip_suffix(':').unwrap_or_default().trim_end();
                    let key = key.trim_end_matches(['"', '\'']);
                    let is_name = |character: char| character.is_alphanumeric();
                    let start = key.trim_end_matches(is_name).len();
                    open.push(Self { name: &key[start..], ..Self::default() });
                }
                '}' => found
                    .extend(open.pop().filter(|options: &Self| {
                        options.path.is_some() || options.route.is_some()
                    })),
                'p' | 'r' => {
                    let Some(options) = open.last_mut() else { continue };
                    options.path = options.path.or_else(|| literal_at(text, at, "path"));
                    options.route = options.route.or_else(|| literal_at(text, at, "routeBasePath"));
                }
                _ => {}
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_keys::Syntax;

    #[test]
    fn options_of_content_are_grouped_by_object() {
        let text = "presets: [['classic', { docs: { path: '../docs', routeBasePath: \"/\",\n\
            editUrl: ({path}) => `x/${path}` }, blog: { routeBasePath: 'news' } }]],\n\
            plugins: [['@docusaurus/plugin-content-docs', { id: 'c', \"path\": 'community' }]]";
        let options = ContentOptions::parse(text);
        let found: Vec<_> =
            options.iter().map(|options| (options.name, options.path, options.route)).collect();
        let expected = [
            ("docs", Some("../docs"), Some("/")),
            ("blog", None, Some("news")),
            ("", Some("community"), None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_literals_are_values() {
        let value = |text: &'static str| literal(text, "srcDir");
        assert_eq!(value("import { x } from 'x'\nexport default { srcDir: 'a' }"), Some("a"));
        assert_eq!(value("{ pwa: { srcDir: 'a' }, \"srcDir\" : `b` }"), Some("b"));
        assert_eq!(value("{ srcDir: process.env.DIR, srcDir: `${x}`, mysrcDir: 'c' }"), None);
    }

    #[test]
    fn sites_below_a_directory_have_a_path() {
        assert_eq!(url_path("https://x.org/docs/"), Some("docs/"));
        for root in ["https://x.org/", "https://x.org", "/", ""] {
            assert_eq!(url_path(root), None);
        }
    }

    #[test]
    fn programs_that_add_anchors_are_named_in_their_lists() {
        let adds = |text: &str| {
            let tree = folio_keys::parse(Syntax::Yaml, text.as_bytes()).expect("valid");
            adds_mkdocs_anchors(&tree)
        };
        assert!(adds("plugins:\n  - search\n  - macros:\n      x: 1\n"));
        assert!(adds("plugins: [search, 'macros']\n"));
        assert!(adds("hooks:\n  - a.py\n"));
        assert!(adds("markdown_extensions:\n- toc:\n    slugify: !!python/name:x\n"));
        assert!(!adds("nav:\n  - macros: macros.md\n  - Hooks: hooks.md\n"));
    }
}
