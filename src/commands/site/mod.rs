//! The rules of a site that affect links: the directory to which `/` refers, index files, omitted
//! extensions, and remapped destinations.

mod config_files;
pub mod content;
pub mod generator;
mod hugo;
pub mod resolve;
pub mod routes;
pub mod rules;
pub mod site_args;
pub mod vault;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use self::content::SiteContent;
use self::generator::{GENERATORS, GITHUB, Generator, names};
use self::routes::{Routes, Sites};
use self::site_args::SiteArgs;
use self::vault::{Vault, WIKI};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::commands::shared_args::{empty_flag, option_error};
use folio_files::env::Env;
use folio_files::error::{Change, Error, Hint};
use folio_files::link_target::{LinkPaths, relative_to};
use folio_files::options::{FALLBACK_EXTENSIONS, IGNORE, INDEX_FILES, REMAP, SITE};
use folio_markdown::links::Link;
use folio_outline::document_links::{with_shortcodes, with_wiki_links};
use folio_outline::format::Format;
use folio_text::pattern::{Pattern, PatternOptions};

/// The rules of a site, validated.
pub struct Site {
    /// The generator. `None` for GitHub, where each file is a page.
    pub generator: Option<&'static Generator>,
    pub sites: Option<Sites>,
    /// The configuration file by which the generator was detected.
    pub detected_by: Option<PathBuf>,
    /// The vault in which wiki links are resolved.
    pub vault: Option<Arc<Vault>>,
    /// The destinations that are not checked.
    pub ignored: GlobSet,
    /// The directory to which `/` refers, if it is not the root of the repository.
    pub root: Option<PathBuf>,
    /// The paths of links without the rules of a generator.
    pub paths: Arc<LinkPaths>,
    index_files: Vec<String>,
    extensions: Vec<String>,
    remaps: Vec<(Pattern, String)>,
    // Whether the file system ignores letter case.
    folds_case: OnceLock<bool>,
}

impl Site {
    /// Validates the options. Fails if a value is empty or a pattern is invalid.
    pub fn new(args: &SiteArgs, ignored: &[String], paths: &Arc<LinkPaths>) -> Result<Self, Error> {
        let ignored = compile_ignored(ignored)?;
        let generator = match args.site.as_deref() {
            None | Some(GITHUB | WIKI) => None,
            Some(name) => Some(Generator::named(name).ok_or_else(|| {
                let names = names().collect::<Vec<_>>().join(", ");
                Error::usage(format!("{SITE}: '{name}' is not one of {names}"))
            })?),
        };
        let extension = |given: &String| given.strip_prefix('.').unwrap_or(given).to_owned();
        let extensions: Vec<String> = args.fallback_extensions.iter().map(extension).collect();
        if extensions.iter().any(String::is_empty) {
            return Err(empty_flag(FALLBACK_EXTENSIONS));
        }
        if args.index_files.iter().any(String::is_empty) {
            return Err(empty_flag(INDEX_FILES));
        }
        let remap = |typed: &String| {
            let Some((source, replacement)) = typed.trim().split_once(' ') else {
                let example = Change::replace(REMAP, typed, "^/docs/ /content/");
                return Err(Error::usage(format!("{REMAP}: '{typed}' lacks a replacement"))
                    .hint(Hint::again([example]).why("REGEX REPLACEMENT")));
            };
            let pattern = Pattern::new(source, PatternOptions::default())
                .map_err(|error| option_error(REMAP, error))?;
            Ok((pattern, replacement.trim_start().to_owned()))
        };
        let remaps = args.remap.iter().map(remap).collect::<Result<_, _>>()?;
        let (root, index_files) = (args.root_dir.clone(), args.index_files.clone());
        let sites = generator.map(|generator| Sites::new(generator, root.clone()));
        Ok(Self {
            generator,
            sites,
            detected_by: None,
            vault: None,
            ignored,
            root,
            paths: Arc::clone(paths),
            index_files,
            extensions,
            remaps,
            folds_case: OnceLock::new(),
        })
    }

    /// Sets the rules to those of a site that was detected.
    fn detect(&mut self, content: Arc<SiteContent>) {
        self.generator = Some(content.generator);
        self.detected_by = Some(content.file.clone());
        self.sites = Some(Sites::detected(content));
    }

    /// Adds the shortcodes of a Hugo site and the wiki links of a vault to the links of a document.
    pub fn with_other_links(&self, links: Vec<Link>, text: &[u8], format: Format) -> Vec<Link> {
        let is_hugo = self.generator.is_some_and(|generator| generator.name == "hugo");
        let links = if is_hugo { with_shortcodes(links, text) } else { links };
        if self.vault.is_some() { with_wiki_links(links, text, format) } else { links }
    }

    /// Remaps a destination with the first pattern that matches.
    pub fn remapped<'t>(&self, written: &'t [u8]) -> Cow<'t, [u8]> {
        let found = |(pattern, template): &(Pattern, String)| {
            let range = pattern.find(written)?;
            let filled = pattern.expand(written, range.start, template.as_bytes());
            Some([&written[..range.start], &filled, &written[range.end..]].concat())
        };
        self.remaps.iter().find_map(found).map_or(Cow::Borrowed(written), Cow::Owned)
    }

    /// Returns the pages of the site that contains a document, if they have other paths than the
    /// files.
    ///
    /// # Errors
    ///
    /// Fails if the files of the site cannot be read.
    pub fn routes(&self, document: &Path, env: &Env) -> Result<Option<Arc<Routes>>, Error> {
        self.sites.as_ref().map_or(Ok(None), |sites| sites.routes_of(document, env))
    }

    /// Whether each destination contains the name of its file, unless the file is a README.
    pub fn names_files(&self) -> bool {
        let has_rules = !(self.index_files.is_empty() && self.extensions.is_empty());
        self.generator.is_none() && self.remaps.is_empty() && !has_rules
    }

    /// Returns the path of a file without the name of an index file or the extension, if links may
    /// omit it and an existing link omits it.
    pub fn shortened(&self, file: &Path, written: &[u8]) -> PathBuf {
        let omits = |end: Option<&OsStr>, ends: &[String]| {
            let is_written = end.is_none_or(|end| written.ends_with(end.as_encoded_bytes()));
            !is_written && ends.iter().any(|other| end == Some(OsStr::new(other)))
        };
        match file {
            file if omits(file.file_name(), &self.index_files) => file.with_file_name(""),
            file if omits(file.extension(), &self.extensions) => file.with_extension(""),
            file => file.to_owned(),
        }
    }

    /// Returns the paths to which a path may refer. The first one is the path itself.
    fn candidates(&self, path: &Path) -> Vec<PathBuf> {
        let with = |extension: &String| {
            let mut name = path.as_os_str().to_owned();
            name.push(".");
            name.push(extension);
            PathBuf::from(name)
        };
        let is_file =
            path.file_name().is_some() && !path.as_os_str().as_encoded_bytes().ends_with(b"/");
        let others = self.extensions.iter().filter(|_| is_file).map(with);
        std::iter::once(path.to_owned()).chain(others).collect()
    }
}

/// Compiles the globs of destinations that are not checked.
fn compile_ignored(globs: &[String]) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        // `*` also matches slashes, because destinations are texts and not paths.
        let built = GlobBuilder::new(glob).literal_separator(false).build();
        let invalid =
            |error: globset::Error| Error::usage(format!("{IGNORE} '{glob}': {}", error.kind()));
        set.add(built.map_err(invalid)?);
    }
    set.build().map_err(|error| Error::usage(format!("{IGNORE}: {error}")))
}

/// Returns the message for a site that was detected by its configuration file.
pub fn detection_message(generator: &Generator) -> String {
    format!("the links of this site were resolved by the rules of {}", generator.name)
}

/// Returns the message for a vault that was detected.
pub fn vault_message(program: &str) -> String {
    format!("wiki links were resolved by the names of files, as in {program}")
}

/// Minimum number of broken links for a note about the probable generator.
const MANY: u64 = 5;

/// Returns the generator that seems to build the documents with broken links, and the file by which
/// it was detected.
pub fn find_site_sign<'a>(
    directories: impl Iterator<Item = &'a Path>,
    broken: u64,
    env: &Env,
) -> Option<(PathBuf, &'static Generator)> {
    if broken < MANY {
        return None;
    }
    let roots = &env.roots;
    let mut known: HashMap<PathBuf, Vec<Sign>> = HashMap::new();
    for directory in directories {
        let absolute =
            roots.absolute(if directory == "" { Path::new(".") } else { directory }).ok()?;
        for ancestor in absolute.ancestors() {
            let signs = known.entry(ancestor.to_owned()).or_insert_with(|| signs_in(ancestor, env));
            // The other documents below a configuration file are not part of the site.
            let may_contain = |sign: &&Sign| {
                sign.content.as_ref().is_none_or(|content| content.may_contain(&absolute))
            };
            if let Some(sign) = signs.iter().find(may_contain) {
                let file = relative_to(Path::new("."), &sign.file, roots)?;
                return Some((file, sign.generator));
            }
            if roots.exists(&ancestor.join(".git")) {
                break;
            }
        }
    }
    None
}

/// A file that only one generator uses.
struct Sign {
    file: PathBuf,
    generator: &'static Generator,
    /// The site, if the file is its configuration and can be understood.
    content: Option<SiteContent>,
}

/// Returns the files in a directory, and in its directory `website`, that identify a generator.
fn signs_in(directory: &Path, env: &Env) -> Vec<Sign> {
    let mut signs = Vec::new();
    // Docusaurus may be next to the directory of its documents.
    for root in [directory.to_owned(), directory.join("website")] {
        for generator in GENERATORS {
            let files = generator.signs.iter().map(|name| root.join(name));
            if let Some(file) = { files }.find(|file| env.roots.exists(file)) {
                let content = SiteContent::read(generator, &root, env);
                signs.push(Sign { file, generator, content });
            }
        }
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_files::roots::Roots;

    fn site(remaps: &[&str], extensions: &[&str]) -> Site {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let (remap, fallback_extensions) = (owned(remaps), owned(extensions));
        let args = SiteArgs { remap, fallback_extensions, ..Default::default() };
        Site::new(&args, &[], &Arc::new(LinkPaths::new(&Roots::default()))).expect("a site")
    }

    #[test]
    fn the_first_matching_pattern_applies() {
        let site = site(&["^/docs/(.*) /content/$1.md", "x y"], &[]);
        for (written, expected) in
            [("/docs/a", "/content/a.md"), ("x/x", "y/x"), ("/docs/x", "/content/x.md"), ("b", "b")]
        {
            let found = site.remapped(written.as_bytes());
            assert_eq!(String::from_utf8_lossy(&found), expected, "{written}");
        }
    }

    #[test]
    fn links_may_omit_extensions() {
        let candidates = |path: &str| site(&[], &["md", ".html"]).candidates(Path::new(path));
        assert_eq!(candidates("a/b"), ["a/b", "a/b.md", "a/b.html"].map(PathBuf::from));
        assert_eq!(candidates("a/").len(), 1);
    }

    #[test]
    fn updated_links_omit_what_they_omitted() {
        let mut site = site(&[], &["md"]);
        site.index_files = vec!["index.md".to_owned()];
        for (file, written, expected) in [
            ("a/b.md", "b", "a/b"),
            ("a/b.md", "/x/b.md", "a/b.md"),
            ("a/index.md", "b/", "a"),
            ("a/index.md", "b/index.md", "a/index.md"),
            ("a/b.txt", "b", "a/b.txt"),
        ] {
            let shorter = site.shortened(Path::new(file), written.as_bytes());
            assert_eq!(shorter, Path::new(expected), "{file} {written}");
        }
    }

    #[test]
    fn incomplete_remaps_are_refused() {
        let remap = |text: &str| {
            let args = SiteArgs { remap: vec![text.to_owned()], ..Default::default() };
            Site::new(&args, &[], &Arc::new(LinkPaths::new(&Roots::default()))).is_err()
        };
        assert!(remap("x") && remap("") && remap("( y") && !remap("x  y"));
    }
}
