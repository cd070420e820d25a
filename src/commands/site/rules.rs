//! Finds the rules of the site to which a document belongs: from the options, from the `folio.toml`
//! files above the document, and from the configuration file of a generator.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Site;
use super::content::SiteContent;
use super::generator::{GITHUB, Generator};
use super::site_args::SiteArgs;
use super::vault::{Vault, WIKI};
use crate::commands::host::Host;
use folio_files::config::Config;
use folio_files::env::Env;
use folio_files::error::{Error, Hint};
use folio_files::link_target::{LinkPaths, relative_to};
use folio_files::place::Place;

/// The rules of all documents of a run.
pub struct SiteRules {
    /// The options on the command line.
    given: SiteArgs,
    /// The globs of destinations that are not checked, on the command line.
    ignored: Vec<String>,
    env: Env,
    /// Whether generators are detected by their configuration files.
    detects: bool,
    /// The paths of links without the rules of a generator.
    pub paths: Arc<LinkPaths>,
    /// The site of the documents in each directory, and of its README and other files about it.
    by_directory: Mutex<HashMap<(PathBuf, bool), Arc<Site>>>,
    /// Each site, by its rules. Sites are shared, because they contain caches.
    by_rules: Mutex<HashMap<Rules, Arc<Site>>>,
    /// The contents of the site whose configuration file is in a directory.
    contents: Mutex<HashMap<PathBuf, Option<Arc<SiteContent>>>>,
    /// The vault whose root is a directory.
    vaults: Mutex<HashMap<PathBuf, Option<Arc<Vault>>>>,
}

/// The rules that distinguish sites.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Rules {
    args: SiteArgs,
    ignored: Vec<String>,
    /// The configuration file by which the generator was detected.
    detected_by: Option<PathBuf>,
    /// The root of the vault.
    vault: Option<PathBuf>,
}

impl SiteRules {
    /// Validates the options. `searched` contains the directories in which documents are searched
    /// for; outside of repositories, the `folio.toml` files in and below them apply.
    ///
    /// # Errors
    ///
    /// Fails if a value is empty or a pattern is invalid.
    pub fn new(
        given: SiteArgs,
        ignored: Vec<String>,
        searched: &[PathBuf],
        host: &Host,
    ) -> Result<Self, Error> {
        let env = host.env.clone();
        let paths = Arc::new(LinkPaths::new(&env.roots));
        Site::new(&given, &ignored, &paths)?;
        searched.iter().for_each(|directory| paths.places.add_searched(directory));
        Ok(Self {
            given,
            ignored,
            detects: true,
            paths,
            env,
            by_directory: Mutex::default(),
            by_rules: Mutex::default(),
            contents: Mutex::default(),
            vaults: Mutex::default(),
        })
    }

    /// Sets whether generators are detected by their configuration files.
    pub fn set_detection(&mut self, detects: bool) {
        if detects != self.detects {
            self.detects = detects;
            self.by_directory = Mutex::default();
            self.by_rules = Mutex::default();
        }
    }

    /// Returns the rules of a document.
    ///
    /// # Errors
    ///
    /// Fails if a `folio.toml` above the document cannot be read or is invalid.
    pub fn site_of(&self, document: &Path) -> Result<Arc<Site>, Error> {
        let directory = document.parent().unwrap_or(Path::new(""));
        let key = (directory.to_owned(), describes_directory(document));
        let known = || self.by_directory.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(site) = known().get(&key) {
            return Ok(Arc::clone(site));
        }
        let site = self.find_site(directory, key.1)?;
        known().insert(key, Arc::clone(&site));
        Ok(site)
    }

    /// Returns the configuration files by which sites were detected, in order, and the generators.
    pub fn detected_files(&self) -> Vec<(PathBuf, &'static Generator)> {
        let used = self.used();
        let mut files: Vec<_> = used.iter().filter_map(|site| self.detected_file(site)).collect();
        files.sort_by(|(file, _), (other, _)| file.cmp(other));
        files.dedup_by(|(file, _), (other, _)| file == other);
        files
    }

    /// Returns the configuration file by which the site of the documents in a directory was
    /// detected, and the generator.
    pub fn detected_in(&self, directory: &Path) -> Option<(PathBuf, &'static Generator)> {
        let known = self.by_directory.lock().unwrap_or_else(PoisonError::into_inner);
        self.detected_file(known.get(&(directory.to_owned(), false))?)
    }

    fn detected_file(&self, site: &Site) -> Option<(PathBuf, &'static Generator)> {
        let file = site.detected_by.as_ref()?;
        let relative = relative_to(Path::new("."), file, &self.env.roots);
        Some((relative.unwrap_or_else(|| file.clone()), site.generator?))
    }

    /// Returns all sites that were used.
    pub fn used(&self) -> Vec<Arc<Site>> {
        let known = self.by_rules.lock().unwrap_or_else(PoisonError::into_inner);
        known.values().cloned().collect()
    }

    fn find_site(&self, directory: &Path, describes_directory: bool) -> Result<Arc<Site>, Error> {
        let place = self.paths.places.of_directory(directory)?;
        let config = self.env.configs.of_directory(directory)?;
        let mut args = self.given.clone();
        args.add_configured(&config.links);
        let mut ignored = self.ignored.clone();
        let globs = config.links.get("ignore").map(|setting| &*setting.values);
        ignored.extend_from_slice(globs.unwrap_or_default());
        let content = match &place {
            Some(place) if self.detects && args == SiteArgs::default() => {
                self.find_content(place, describes_directory)
            }
            _ => None,
        };
        let detected_by = content.as_ref().map(|content| content.file.clone());
        let vault = place.as_ref().and_then(|place| self.find_vault(place, &args));
        let root = vault.as_ref().map(|vault| vault.root.clone());
        let rules = Rules { args, ignored, detected_by, vault: root };
        let mut known = self.by_rules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(site) = known.get(&rules) {
            return Ok(Arc::clone(site));
        }
        if let Some(root) = &rules.args.root_dir {
            let opened = self.env.roots.open_directory(root);
            opened.map_err(|error| of_configuration(error, &config))?;
        }
        let mut site = Site::new(&rules.args, &rules.ignored, &self.paths)
            .map_err(|error| of_configuration(error, &config))?;
        if let Some(content) = content {
            site.detect(content);
        }
        site.vault = vault;
        let site = Arc::new(site);
        known.insert(rules, Arc::clone(&site));
        Ok(site)
    }

    /// Returns the site of a generator to which the documents in a directory belong. The nearest
    /// configuration file decides.
    fn find_content(&self, place: &Place, describes_directory: bool) -> Option<Arc<SiteContent>> {
        let mut known = self.contents.lock().unwrap_or_else(PoisonError::into_inner);
        let mut content_in = |directory: &Path| match known.get(directory) {
            Some(content) => content.clone(),
            None => {
                let content = SiteContent::find(directory, &self.env).map(Arc::new);
                known.insert(directory.to_owned(), content.clone());
                content
            }
        };
        for ancestor in place.directory.ancestors() {
            if let Some(content) = content_in(ancestor) {
                // The README next to a configuration file is read on GitHub.
                let is_about_site = describes_directory && place.directory == content.root;
                return Some(content)
                    .filter(|content| content.contains(&place.directory) && !is_about_site);
            }
            // The configuration of Docusaurus may set a directory next to its own.
            let beside = BESIDE.iter().filter_map(|name| content_in(&ancestor.join(name)));
            if let Some(content) = { beside }.find(|content| {
                content.contains(&place.directory) && !place.directory.starts_with(&content.root)
            }) {
                return Some(content);
            }
            if ancestor == place.outermost {
                break;
            }
        }
        None
    }
}

impl SiteRules {
    /// Returns the vault to which the documents in a directory belong: the nearest one, or with
    /// `--site wiki` the whole repository or directory.
    fn find_vault(&self, place: &Place, args: &SiteArgs) -> Option<Arc<Vault>> {
        if args.site.as_deref() == Some(GITHUB) {
            return None;
        }
        let roots = &self.env.roots;
        let mut known = self.vaults.lock().unwrap_or_else(PoisonError::into_inner);
        let mut vault_in = |directory: &Path, find: &dyn Fn() -> Option<Vault>| {
            let entry = known.entry(directory.to_owned());
            entry.or_insert_with(|| find().map(Arc::new)).clone()
        };
        for ancestor in place.directory.ancestors().filter(|it| roots.may_hold(it)) {
            let vault = vault_in(ancestor, &|| Vault::find(ancestor, &self.env));
            if vault.is_some() {
                return vault;
            }
            if place.repository.as_deref() == Some(ancestor) {
                break;
            }
        }
        if args.site.as_deref() != Some(WIKI) {
            return None;
        }
        let given = args.root_dir.as_ref().and_then(|root| roots.resolve(root).ok());
        let root = given.unwrap_or_else(|| place.outermost.clone());
        let vault = known.entry(root.clone()).or_default();
        Some(Arc::clone(vault.get_or_insert_with(|| Arc::new(Vault::new(root)))))
    }

    /// Returns the files by which vaults were detected, and the names of the programs, for the
    /// vaults in which links were resolved.
    pub fn detected_vaults(&self) -> Vec<(PathBuf, &'static str)> {
        let known = self.vaults.lock().unwrap_or_else(PoisonError::into_inner);
        let used = known.values().flatten().filter(|vault| vault.is_used());
        let signs = used.filter_map(|vault| vault.detected_by.clone());
        let relative =
            |file: PathBuf| relative_to(Path::new("."), &file, &self.env.roots).unwrap_or(file);
        let mut found: Vec<_> = signs.map(|(file, program)| (relative(file), program)).collect();
        found.sort();
        found
    }

    /// Returns the root of the vault to which a document belongs.
    pub fn vault_root(&self, document: &Path) -> Option<PathBuf> {
        Some(self.site_of(document).ok()?.vault.as_ref()?.root.clone())
    }
}

/// Usual names of the directory of a Docusaurus site whose documents are next to it.
const BESIDE: &[&str] = &["website", "docusaurus", "documentation", "site"];

/// Names of documents that describe a directory for readers on GitHub.
const ABOUT_DIRECTORY: &[&str] = &[
    "CHANGELOG",
    "CODE_OF_CONDUCT",
    "CONTRIBUTING",
    "GOVERNANCE",
    "LICENSE",
    "MAINTAINERS",
    "README",
    "SECURITY",
    "SUPPORT",
];

/// Whether a document describes its directory for readers on GitHub, judging by its name.
fn describes_directory(document: &Path) -> bool {
    let stem = document.file_stem().and_then(|stem| stem.to_str());
    stem.is_some_and(|stem| ABOUT_DIRECTORY.contains(&stem))
}

/// Adds the configuration file to an error about one of its settings.
fn of_configuration(error: Error, config: &Config) -> Error {
    let message = error.message.to_string();
    let of_flag = |flag: &str| message.starts_with(&format!("--{flag}"));
    let setting = config.links.iter().find(|(flag, _)| of_flag(flag));
    let hint = Hint::command("help", ["config"]).why("what the file may say");
    let error = error.after("[links]: ").hint(hint);
    match setting {
        Some((_, setting)) => error.at(&setting.file),
        None => error,
    }
}
