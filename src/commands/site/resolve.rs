//! Resolves links to files by the rules of the site to which their document belongs. `links` and
//! `patch --links` share this code.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Site;
use super::routes::{Routes, Served};
use folio_files::error::Error;
use folio_files::link_target::{Meant, folds_case, index_of, is_called_so};
use folio_files::roots::Status;
use folio_markdown::destination::percent_decoded;

/// A link to another file, and the document that contains it.
pub struct Reference<'a> {
    /// The path of the document as the user gave it.
    pub document: &'a Path,
    /// The directory to which `/` refers outside of a repository.
    pub base: Option<&'a Path>,
    /// The absolute path of the document and the pages of its site, if a generator builds it.
    pub site: Option<&'a (PathBuf, Arc<Routes>)>,
    /// The path in the destination of the link, in percent-encoded form.
    pub path: &'a [u8],
    /// Whether the link is a shortcode, which refers to a page by its path.
    pub is_shortcode: bool,
    /// Whether the link has an anchor. Its target in a directory is then the index file.
    pub has_anchor: bool,
}

/// The target of a link.
#[derive(Debug)]
pub enum Resolved {
    /// A file or directory.
    File(PathBuf, Status),
    /// A page or another file of the site.
    Served(Served),
    /// A page of the repository on GitHub, or a target outside of the site.
    External,
    /// A directory without an index file.
    NoIndex,
    /// A path from the root of a repository that contains the roots.
    Outside,
    /// No file. The value contains the paths to which the link may refer.
    Missing(Vec<Meant>),
}

impl Reference<'_> {
    /// Whether the path is that of a document, rather than the URL of a page.
    pub fn names_document(&self) -> bool {
        self.path.ends_with(b".md") || self.path.ends_with(b".mdx")
    }
}

impl Site {
    /// Returns the target of a link.
    ///
    /// # Errors
    ///
    /// Fails if the file system cannot be read, or the target is outside of the roots.
    pub fn resolve(&self, link: &Reference<'_>) -> Result<Resolved, Error> {
        let roots = &self.paths.roots;
        let by_url = || {
            let (document, routes) = link.site?;
            routes.find_target(document, link.path, link.is_shortcode, roots)
        };
        if link.is_shortcode {
            return Ok(by_url().map_or(Resolved::Missing(Vec::new()), Resolved::Served));
        }
        let is_external = match link.site {
            // Bundled files have aliases: `@site/static/x.png`.
            Some(_) => link.path.starts_with(b"@") || link.path.starts_with(b"~"),
            None => self.paths.is_page_of_repository(link.document, link.path)?,
        };
        if is_external {
            return Ok(Resolved::External);
        }
        let is_from_root = link.path.starts_with(b"/");
        // Docusaurus finds `page.md` next to the document and in the directory of the content, and
        // `/page.md` in the directory of the content.
        let root = link.site.filter(|_| link.names_document());
        let root = root.and_then(|(document, routes)| routes.content_root(document));
        if let Some(root) = root {
            let below = OsString::from_vec(percent_decoded(link.path).into_owned());
            let below = Path::new(&below);
            let file = root.join(below.strip_prefix("/").unwrap_or(below));
            let is_beside =
                || link.document.parent().is_some_and(|it| roots.is_file(&it.join(below)));
            if roots.is_file(&file)
                && (is_from_root || !is_beside())
                && let Some(status) = roots.look(&file)?
            {
                return Ok(Resolved::File(file, status));
            }
        }
        let served_first = if is_from_root || !link.names_document() { by_url() } else { None };
        if let Some(served) = served_first.filter(|served| *served != Served::Outside) {
            return Ok(Resolved::Served(served));
        }
        let base = self.root.as_deref().or(link.base);
        let mut possible_targets = self.paths.possible_targets(link.document, link.path, base)?;
        if self.root.is_some() && is_from_root {
            possible_targets.retain(|target| target.root == self.root);
        }
        if !(is_from_root && link.site.is_some())
            && let Some(found) = self.existing_file(link, &possible_targets)?
        {
            return Ok(found);
        }
        // Except in Hugo, a destination with a file extension is not the URL of a page.
        let by_name = self.generator.is_some_and(|generator| generator.name == "hugo");
        // If the repository's root is above the given root, `/` cannot be resolved.
        let is_unknown = is_from_root && roots.confine() && possible_targets.len() < 2;
        Ok(match by_url() {
            Some(Served::Outside) => Resolved::External,
            Some(served) if by_name => Resolved::Served(served),
            None if is_unknown && self.sites.is_none() && self.root.is_none() => Resolved::Outside,
            _ => Resolved::Missing(possible_targets),
        })
    }

    /// Returns the first existing file of those to which a link may refer. On the site of a
    /// generator, directories do not count.
    fn existing_file(
        &self,
        link: &Reference<'_>,
        possible_targets: &[Meant],
    ) -> Result<Option<Resolved>, Error> {
        let roots = &self.paths.roots;
        let mut result = None;
        for Meant { path, .. } in possible_targets {
            for candidate in self.candidates(path) {
                if link.site.is_some() && !roots.is_file(&candidate) {
                    continue;
                }
                let Some(found) = roots.look(&candidate)? else { continue };
                if self.differs_in_case(link, &candidate)? {
                    continue;
                }
                let has_index = link.has_anchor || !self.index_files.is_empty();
                let file = if found.kind.is_dir() && has_index {
                    self.index_file(&candidate)?
                } else {
                    Some((candidate, found))
                };
                match file {
                    Some((file, found)) => return Ok(Some(Resolved::File(file, found))),
                    None => result = Some(Resolved::NoIndex),
                }
            }
        }
        Ok(result)
    }

    /// Returns the index file of a directory.
    fn index_file(&self, directory: &Path) -> Result<Option<(PathBuf, Status)>, Error> {
        let roots = &self.paths.roots;
        let mut files = self.index_files.iter().map(|name| directory.join(name));
        let index = if self.index_files.is_empty() {
            index_of(directory, roots)?
        } else {
            files.find(|file| roots.is_file(file))
        };
        let Some(index) = index else { return Ok(None) };
        let found = roots.look(&index)?.filter(|found| found.kind.is_file());
        Ok(found.map(|found| (index, found)))
    }

    /// Whether the target exists only because the file system ignores letter case. On other
    /// systems, the link is broken.
    fn differs_in_case(&self, link: &Reference<'_>, target: &Path) -> Result<bool, Error> {
        let roots = &self.paths.roots;
        let folds = match self.folds_case.get() {
            Some(&folds) => folds,
            None => {
                let folds = folds_case(link.document, roots)? || folds_case(target, roots)?;
                *self.folds_case.get_or_init(|| folds)
            }
        };
        let names = link.path.split(|byte| *byte == b'/');
        let count = names.filter(|name| !matches!(*name, b"" | b"." | b"..")).count();
        Ok(folds && !is_called_so(target, count, roots)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::site_args::SiteArgs;
    use super::*;
    use folio_files::link_target::LinkPaths;
    use folio_files::roots::Roots;

    #[test]
    fn the_rules_of_the_site_determine_the_file() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().canonicalize().expect("a path");
        fs::create_dir_all(root.join("site/docs")).expect("made");
        fs::create_dir(root.join(".git")).expect("made");
        for file in ["t.md", "site/a.md", "site/docs/README.md", "site/docs/home.md"] {
            fs::write(root.join(file), "").expect("written");
        }
        let document = &root.join("site/a.md");
        let check = |args: &SiteArgs, path: &str, expected: &str| {
            let site =
                Site::new(args, &[], &Arc::new(LinkPaths::new(&Roots::default()))).expect("a site");
            let path = path.as_bytes();
            let link = Reference {
                document,
                base: None,
                site: None,
                path,
                is_shortcode: false,
                has_anchor: true,
            };
            let found = match site.resolve(&link).expect("resolved") {
                Resolved::File(file, _) => file.strip_prefix(&root).expect("below").to_owned(),
                other => format!("{other:?}").split('(').next().unwrap_or_default().into(),
            };
            assert_eq!(found, Path::new(expected), "{args:?} {}", String::from_utf8_lossy(path));
        };
        let github = SiteArgs::default();
        check(&github, "docs", "site/docs/README.md");
        check(&github, "/t.md", "t.md");
        check(&github, "../t", "Missing");
        check(&github, "../../issues/3", "Missing");
        check(&github, "../../../issues/3", "External");
        // The directory of the site replaces the root of the repository.
        let below = SiteArgs { root_dir: Some(root.join("site")), ..SiteArgs::default() };
        check(&below, "/a.md", "site/a.md");
        check(&below, "/t.md", "Missing");
        let names = |name: &str| SiteArgs { index_files: vec![name.into()], ..Default::default() };
        check(&names("home.md"), "docs", "site/docs/home.md");
        check(&names("index.md"), "docs", "NoIndex");
        let extensions = SiteArgs { fallback_extensions: vec!["md".into()], ..SiteArgs::default() };
        check(&extensions, "docs/home", "site/docs/home.md");
    }
}
