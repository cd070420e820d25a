//! The configuration of Hugo: URL patterns, and templates of links.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::config_files::read_tree;
use folio_files::env::Env;
use folio_keys::Tree;
use folio_markdown::front_matter::FrontMatter;

/// Directories of Hugo templates that resolve links by their own rules.
const LINK_HOOKS: &[&str] =
    &["layouts/_markup/render-link.html", "layouts/_default/_markup/render-link.html"];

/// Configuration files, of which the directory contains several files.
const CONFIGS: [&str; 8] = [
    "hugo.toml",
    "hugo.yaml",
    "hugo.yml",
    "hugo.json",
    "config.toml",
    "config.yaml",
    "config.yml",
    "config/_default",
];

/// Reads the configuration that is a file or a directory of files. A file such as `permalinks.toml`
/// contains the values of the key `permalinks`. Returns the trees with these keys.
pub(super) fn read_trees(config: &Path, env: &Env) -> Vec<(Option<String>, Tree)> {
    let files: Vec<PathBuf> = if env.roots.is_directory(config) {
        let names = env.roots.names_in(config).unwrap_or_default();
        names.into_iter().map(|name| config.join(name)).collect()
    } else {
        return read_tree(config, env).map(|tree| (None, tree)).into_iter().collect();
    };
    let with_key = |file: PathBuf| {
        let stem = file.file_stem()?.to_string_lossy().to_lowercase();
        let key = Some(stem).filter(|stem| !matches!(stem.as_str(), "hugo" | "config"));
        Some((key, read_tree(&file, env)?))
    };
    files.into_iter().filter_map(with_key).collect()
}

/// Returns the URL patterns in the configuration of a site, by section: `posts = "/:year/:slug/"`.
/// The configuration is in `root` or its parent directory.
pub(super) fn permalinks(root: &Path, env: &Env) -> Vec<(String, String)> {
    let directories = root.ancestors().take(2).filter(|directory| env.roots.may_hold(directory));
    let configs = directories.flat_map(|directory| CONFIGS.map(|name| directory.join(name)));
    let configs = configs.filter(|config| env.roots.exists(config));
    configs.flat_map(|config| permalinks_in(&read_trees(&config, env))).collect()
}

/// Returns the URL patterns of pages in a configuration, by section.
pub(super) fn permalinks_in(trees: &[(Option<String>, Tree)]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, tree) in trees {
        let is_named = |index: usize, name: &str| {
            tree.name(index).is_some_and(|other| other.eq_ignore_ascii_case(name))
        };
        let lists: Vec<usize> = match key.as_deref() {
            Some("permalinks") => vec![Tree::ROOT],
            Some(_) => Vec::new(),
            None => tree.children(Tree::ROOT).filter(|&it| is_named(it, "permalinks")).collect(),
        };
        for list in lists {
            let of_pages = tree.children(list).filter(|&it| is_named(it, "page"));
            for parent in of_pages.chain([list]) {
                let is_value = |index: &usize| tree.children(*index).next().is_none();
                let patterns = tree.children(parent).filter(is_value).filter_map(|index| {
                    let pattern = tree.value(index);
                    Some((tree.name(index)?.to_owned(), pattern))
                });
                found.extend(patterns.filter(|(_, pattern)| pattern.contains(':')));
            }
        }
    }
    found
}

/// Returns the text of a file, or `None` if it cannot be read.
fn read_text(file: &Path, env: &Env) -> Option<String> {
    let mut text = String::new();
    env.roots.open_file(file).ok()?.read_to_string(&mut text).ok()?;
    Some(text)
}

/// Expands a URL pattern for a page. Returns `None` if a value is unknown.
pub(super) fn expand_permalink(
    pattern: &str,
    url: &str,
    slug: Option<String>,
    date: &[String],
) -> Option<String> {
    let (parent, name) = url.rsplit_once('/').unwrap_or(("", url));
    let names = pattern.trim_matches('/').split('/').map(|part| {
        Some(match part {
            ":year" => date.first()?.clone(),
            ":month" => date.get(1)?.clone(),
            ":day" => date.get(2)?.clone(),
            ":section" => url.split('/').next()?.to_owned(),
            ":sections" => parent.to_owned(),
            ":filename" | ":contentbasename" => name.to_owned(),
            ":slug" | ":title" | ":slugorfilename" | ":slugorcontentbasename" => {
                slug.clone().unwrap_or_else(|| name.to_owned())
            }
            part if part.contains(':') => return None,
            part => part.to_owned(),
        })
    });
    names.collect::<Option<Vec<String>>>().map(|names| names.join("/"))
}

/// Returns the year, month and day of a page.
pub(super) fn values_of_date(front_matter: &FrontMatter) -> Vec<String> {
    let date = front_matter.value_of("date").unwrap_or_default();
    let date: String = date.chars().take(10).collect();
    date.split('-').filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Whether a link template of the site looks up the page, instead of only formatting the link.
pub(super) fn looks_pages_up(root: &Path, env: &Env) -> bool {
    let texts = LINK_HOOKS.iter().filter_map(|hook| read_text(&root.join(hook), env));
    { texts }.any(|text| text.contains("GetPage"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_keys::Syntax;

    #[test]
    fn url_patterns_are_values_of_permalinks() {
        let check = |syntax, key: Option<&str>, text: &str| {
            let tree = folio_keys::parse(syntax, text.as_bytes()).expect("valid");
            let found = permalinks_in(&[(key.map(str::to_owned), tree)]);
            let expected = [("posts".to_owned(), "/:year/:slug/".to_owned())];
            assert_eq!(found, expected, "{text}");
        };
        check(Syntax::Toml, None, "[permalinks] # of pages\n  'posts' = \"/:year/:slug/\"\n");
        check(Syntax::Toml, None, "permalinks = { posts = '/:year/:slug/' }\n[params]\na = ':b'\n");
        check(
            Syntax::Toml,
            None,
            "[permalinks.page]\nposts = '/:year/:slug/'\n[permalinks.section]\n\
            posts = '/:x/'\n",
        );
        check(Syntax::Yaml, None, "Permalinks:\n- a\npermalinks:\n  posts: /:year/:slug/\n");
        check(Syntax::Yaml, None, "permalinks: {page: {posts: '/:year/:slug/'}}\n");
        check(Syntax::Json, None, "{\"permalinks\": {\"posts\": \"/:year/:slug/\"}}");
        check(Syntax::Toml, Some("permalinks"), "posts = '/:year/:slug/'\n");
    }
}
