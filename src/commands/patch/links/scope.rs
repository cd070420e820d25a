//! Finds the documents in a scope with links that an edit affects.

use std::path::{Path, PathBuf};

use super::super::context::Context;
use super::super::walk::Files;
use super::resolver::LinkResolver;
use crate::commands::site::rules::SiteRules;
use folio_files::document;
use folio_files::env::Env;
use folio_files::error::{Code, Error};
use folio_files::ignore_rules::RuleOptions;
use folio_files::link_target::relative_to;
use folio_files::listing::WalkOptions;
use folio_outline::document::Document;
use folio_outline::document_links::followed_links;
use folio_outline::format::Feature;

/// A document with affected links: the path by which it was found, and its absolute path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Linking {
    pub(in super::super) path: PathBuf,
    pub(in super::super) resolved: PathBuf,
}

/// Returns the directories that contain all files related to a document: its repository, its
/// vault, the roots, or the current directory.
///
/// # Errors
///
/// Fails if the repository cannot be determined.
pub(super) fn repository_directories(
    document: &Path,
    sites: &SiteRules,
    env: &Env,
) -> Result<Vec<PathBuf>, Error> {
    let directory = document.parent().unwrap_or(Path::new(""));
    let repository = sites.paths.places.repository(directory)?;
    let Some(root) = repository.or_else(|| sites.vault_root(document)) else {
        return Ok(env.roots.all());
    };
    let is_root = |path: &PathBuf| env.roots.resolve(path).is_ok_and(|found| found == root);
    let known_root = env.roots.all().into_iter().find(is_root);
    let relative_root = || {
        let relative = relative_to(Path::new("."), &root, &env.roots)?;
        let is_ancestor =
            !env.roots.confine() && relative.components().all(|name| name.as_os_str() == "..");
        Some(relative).filter(|relative| is_ancestor && is_root(relative))
    };
    Ok(vec![known_root.or_else(relative_root).unwrap_or(root)])
}

/// Returns the directories in which to count affected links whose update was not requested: the
/// repository, the vault or the roots, if there are any.
pub(super) fn surrounding_directories(
    document: &Path,
    sites: &SiteRules,
    env: &Env,
) -> Result<Vec<PathBuf>, Error> {
    let directory = document.parent().unwrap_or(Path::new(""));
    let has_root =
        sites.paths.places.repository(directory)?.is_some() || sites.vault_root(document).is_some();
    if env.roots.confine() || has_root {
        repository_directories(document, sites, env)
    } else {
        Ok(Vec::new())
    }
}

/// Returns the Markdown documents at or below `places` that contain an affected link.
///
/// # Errors
///
/// Fails if a document cannot be read, because it might contain affected links.
pub(super) fn documents(
    places: &[PathBuf],
    resolver: &LinkResolver<'_>,
) -> Result<Vec<Linking>, Error> {
    let Context { host, options, .. } = resolver.context;
    let env = &host.env;
    let load = &options.documents;
    let has_link = |document: &Document| has_link(document, resolver, env);
    let skipped = &[Code::BinaryFile];
    // Directories such as `.github` may contain documents.
    let rules = RuleOptions { hidden: true, excludes: vec![".git".into()], ..Default::default() };
    let walk = &WalkOptions { rules, ..WalkOptions::default() };
    let mut found = Vec::new();
    for place in places {
        if env.roots.status(place)?.kind.is_dir() {
            let files = Files { skipped, load, walk, host };
            found.extend(files.matching(place, has_link, |_, _| {})?.paths);
            continue;
        }
        let document = document::open_regular(place, load, env);
        match document.and_then(|document| has_link(&document)) {
            Ok(false) => {}
            Ok(true) => found.push(place.clone()),
            Err(error) if skipped.contains(&error.code) => {}
            Err(error) => return Err(error),
        }
    }
    let linking = |path: PathBuf| {
        let resolved = env.roots.resolve(&path)?;
        // Below the working directory, `../docs/a.md` may be `a.md`.
        let shortened =
            path.starts_with("..").then(|| relative_to(Path::new("."), &path, &env.roots));
        Ok(Linking { path: shortened.flatten().unwrap_or(path), resolved })
    };
    found.into_iter().map(linking).collect()
}

fn has_link(document: &Document, resolver: &LinkResolver<'_>, env: &Env) -> Result<bool, Error> {
    if !document.format().has(Feature::Links) {
        return Ok(false);
    }
    let text = document.text()?;
    let (path, format) = (document.path(), document.format());
    let site = &*resolver.context.sites.site_of(path)?;
    if !resolver.may_concern(site, text) {
        return Ok(false);
    }
    let absolute_path = env.roots.resolve(path)?;
    let links = followed_links(text, format);
    for link in site.with_other_links(links, text, format) {
        if resolver.concerns((path, &absolute_path), site, &link)? {
            return Ok(true);
        }
    }
    Ok(false)
}
