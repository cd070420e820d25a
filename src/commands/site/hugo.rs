//! The configuration of Hugo: URL patterns, and templates of links.

use std::io::Read;
use std::path::Path;

use folio_files::env::Env;
use folio_markdown::front_matter::FrontMatter;

/// Directories of Hugo templates that resolve links by their own rules.
const LINK_HOOKS: &[&str] =
    &["layouts/_markup/render-link.html", "layouts/_default/_markup/render-link.html"];

const CONFIGS: [&str; 6] =
    ["hugo.toml", "hugo.yaml", "hugo.yml", "config.toml", "config.yaml", "config.yml"];

/// Returns the URL patterns in the configuration of a site, by section: `posts = "/:year/:slug/"`.
/// The configuration is in `root` or its parent directory.
pub(super) fn permalinks(root: &Path, env: &Env) -> Vec<(String, String)> {
    let directories = root.ancestors().take(2).filter(|directory| env.roots.may_hold(directory));
    let configs = directories.flat_map(|directory| CONFIGS.map(|name| directory.join(name)));
    configs
        .filter_map(|config| read_text(&config, env))
        .flat_map(|text| parse_permalinks(&text))
        .collect()
}

/// Returns the text of a file, or `None` if it cannot be read.
fn read_text(file: &Path, env: &Env) -> Option<String> {
    let mut text = String::new();
    env.roots.open_file(file).ok()?.read_to_string(&mut text).ok()?;
    Some(text)
}

/// Returns the URL patterns in the text of a configuration, by section.
fn parse_permalinks(text: &str) -> Vec<(String, String)> {
    let mut is_within = false;
    let mut found = Vec::new();
    for line in text.lines() {
        let is_table = line.starts_with(|first: char| !first.is_whitespace() && first != '#');
        let is_toml_table = line.trim_start().starts_with('[');
        if is_toml_table || is_table && line.trim_end().ends_with(':') {
            let name = line.trim().trim_matches(['[', ']', ':']);
            is_within = name == "permalinks" || name.starts_with("permalinks.page");
            continue;
        }
        let quotes = ['"', '\'', ' '];
        if let Some((key, pattern)) = line.split_once(['=', ':']).filter(|_| is_within)
            && pattern.contains(':')
        {
            let (key, pattern) = (key.trim_matches(quotes), pattern.trim_matches(quotes));
            found.push((key.to_owned(), pattern.to_owned()));
        }
    }
    found
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
