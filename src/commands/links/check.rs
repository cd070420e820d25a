//! Checks the links of one document.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::anchors::{check_fragment, last_line};
use super::baseline::Baseline;
use super::notes::KnownNotes;
use super::report::Summary;
use super::similar::Names;
use super::targets::{self, Places, Targets};
use super::{CheckResult, CheckedLink, Fix, Reason, Status, Suggestion};
use crate::commands::site::Site;
use crate::commands::site::resolve::{Reference, Resolved};
use crate::commands::site::routes::{Routes, Served};
use crate::commands::site::rules::SiteRules;
use folio_files::env::Env;
use folio_files::error::Error;
use folio_files::link_target::{FileId, Meant};
use folio_files::roots::Roots;
use folio_markdown::destination::{
    as_browsers_take, is_external, is_template, path_and_anchor, percent_decoded,
    rewritten_fragment, split_destination,
};
use folio_markdown::links::{Link, LinkKind};
use folio_markdown::references::used_destinations;
use folio_markdown::wiki_links::{split_target, wiki_targets};
use folio_outline::document::Document;
use folio_outline::document_links::document_links;
use folio_outline::format::{Feature, Format};
use folio_text::edit::Edit;
use folio_text::span::Span;

/// The state shared by the checks of all documents.
pub(super) struct Checker<'a> {
    sites: SiteRules,
    pub(super) env: &'a Env,
    targets: Targets,
    pub(super) notes: KnownNotes,
    names: Names<'a>,
    walked: &'a [PathBuf],
    /// The names of the files that were found, without extensions and in lower case.
    stems: OnceLock<HashSet<String>>,
    /// Whether to compute fixes for broken links.
    pub(super) fixes: bool,
    /// Whether to list all links.
    pub(super) lists_all: bool,
    /// The known findings, which are not reported.
    pub(super) baseline: Option<Baseline>,
}

/// The result of checking a document.
pub(super) struct Checked {
    pub(super) path: PathBuf,
    pub(super) format: Format,
    /// Whether the rules of a generator apply.
    pub(super) is_on_site: bool,
    pub(super) summary: Summary,
    /// The number of wiki links that were not checked, because the document is not in a vault.
    pub(super) wiki_links: u64,
    /// Whether one of these links has the name of a file. Otherwise, the text in brackets is
    /// probably something else.
    pub(super) has_wiki_page: bool,
    /// The broken links and unused definitions. If all links are to be listed, all links.
    pub(super) links: Vec<CheckedLink>,
    pub(super) errors: Vec<Error>,
}

/// A document whose links are checked.
pub(super) struct Page<'a> {
    pub(super) path: &'a Path,
    /// The directory to which `/` refers outside of a repository.
    base: &'a Path,
    pub(super) text: &'a [u8],
    pub(super) format: Format,
    /// The length of the byte order mark before the text. `None` if the file does not contain the
    /// text verbatim.
    mark: Option<usize>,
    is_stream: bool,
    site: Arc<Site>,
    /// The absolute path of the page, and the pages of its site.
    routes: Option<(PathBuf, Arc<Routes>)>,
    places: OnceCell<Arc<Places>>,
    /// The destinations of link definitions that are used.
    used: OnceCell<HashSet<Span>>,
}

impl Page<'_> {
    /// Whether a link is a definition that is not used.
    fn is_unused(&self, link: &Link) -> bool {
        link.kind == LinkKind::Definition
            && !self.used.get_or_init(|| used_destinations(self.text)).contains(&link.destination)
    }
}

impl<'a> Checker<'a> {
    /// Creates a checker. `walked` contains all files found by walking directories.
    pub(super) fn new(sites: SiteRules, env: &'a Env, walked: &'a [PathBuf]) -> Self {
        Self {
            sites,
            env,
            targets: Targets::default(),
            notes: KnownNotes::default(),
            names: Names::new(walked, &env.roots),
            walked,
            stems: OnceLock::new(),
            fixes: false,
            lists_all: false,
            baseline: None,
        }
    }

    pub(super) fn sites(&self) -> &SiteRules {
        &self.sites
    }

    /// Whether the target of a wiki link has the name of a file that was found.
    fn is_page_name(&self, target: &[u8]) -> bool {
        let stems = self.stems.get_or_init(|| {
            let stems = self.walked.iter().filter_map(|file| file.file_stem());
            stems.map(|stem| stem.to_string_lossy().to_lowercase()).collect()
        });
        let target = String::from_utf8_lossy(target).to_lowercase();
        let (path, _) = split_target(&target);
        Path::new(path).file_stem().is_some_and(|stem| stems.contains(&*stem.to_string_lossy()))
    }

    fn roots(&self) -> &Roots {
        &self.env.roots
    }

    pub(super) fn check_document(
        &self,
        document: &Document,
        base: &Path,
        is_stream: bool,
    ) -> Result<Checked, Error> {
        let text = document.text()?;
        let path = document.path();
        let site = self.sites.site_of(path)?;
        let routes = site.routes(path, self.env)?;
        let resolved = |routes| {
            // Standard input is like a new page in the current directory.
            let directory = || Ok::<_, Error>(self.roots().resolve(Path::new("."))?.join("-.md"));
            let document = if is_stream { directory()? } else { self.roots().resolve(path)? };
            Ok::<_, Error>((document, routes))
        };
        let routes = routes.map(resolved).transpose()?;
        let mark = document.bom_length();
        let mark = (document.encoding().is_utf8() && !is_stream).then_some(mark);
        let format = document.format();
        let (places, used) = (OnceCell::new(), OnceCell::new());
        let page = Page { path, base, text, format, mark, is_stream, site, routes, places, used };
        let mut checked = Checked {
            path: path.to_owned(),
            format,
            is_on_site: page.site.generator.is_some(),
            summary: Summary::new(1),
            wiki_links: 0,
            has_wiki_page: false,
            links: Vec::new(),
            errors: Vec::new(),
        };
        let links = page.site.with_other_links(document_links(text, format), text, format);
        if page.site.vault.is_none() {
            let targets = wiki_targets(text);
            checked.wiki_links = targets.len() as u64;
            checked.has_wiki_page = targets.into_iter().any(|it| self.is_page_name(&text[it]));
        }
        for link in &links {
            self.add_link(&page, link, self.check_link(&page, link), &mut checked);
        }
        let baseline = self.baseline.as_ref();
        checked.summary.known = baseline.map(|known| known.mark_known(path, &mut checked.links));
        let broken = checked.links.iter().filter(|link| link.is_reported()).count() as u64;
        (checked.summary.broken, checked.summary.broken_files) = (broken, u64::from(broken > 0));
        Ok(checked)
    }

    /// Adds a link to the results of its document.
    fn add_link(
        &self,
        page: &Page<'_>,
        link: &Link,
        result: Result<CheckResult, Error>,
        checked: &mut Checked,
    ) {
        checked.summary.links += 1;
        let mut found = CheckedLink::new(link);
        let result = match result {
            Err(error) if error.code.is_outside() => Ok(CheckResult::Broken(Reason::Outside, None)),
            result => result,
        };
        match result {
            Ok(CheckResult::Fine) => {}
            Ok(CheckResult::External) => {
                checked.summary.external += 1;
                found.status = Status::External;
            }
            Ok(CheckResult::Unchecked) => {
                checked.summary.unchecked += 1;
                found.status = Status::Unchecked;
            }
            Ok(CheckResult::Broken(reason, suggestion)) => {
                found.status = Status::Broken;
                if page.is_unused(link) {
                    found.status = Status::Unused;
                } else if let Some(near) = &suggestion {
                    found.fix = self.fix(page, link, near);
                    found.is_replaceable = self.fixes && is_replaceable(page, link);
                }
                found.reason = Some(reason);
                found.suggestion = suggestion.map(|near| near.text);
            }
            Err(error) => {
                checked.errors.push(error);
                found.status = Status::Unchecked;
            }
        }
        if self.lists_all || found.reason.is_some() {
            checked.links.push(found);
        }
    }

    /// Returns the fix for a link. Returns `None` if the suggestion is not the only possible
    /// target, or is itself broken.
    fn fix(&self, page: &Page<'_>, link: &Link, near: &Suggestion) -> Option<Fix> {
        let is_link = !matches!(link.kind, LinkKind::Shortcode | LinkKind::Wiki);
        let mark = page.mark.filter(|_| self.fixes && near.is_sure && is_link)?;
        let fixed_link = Link { text: near.text.clone(), ..link.clone() };
        if !matches!(self.check_link(page, &fixed_link), Ok(CheckResult::Fine)) {
            return None;
        }
        let (start, end) = (link.destination.start() as usize, link.destination.end() as usize);
        let old = page.text[start..end].to_vec();
        let typed = as_browsers_take(&link.text, link.kind == LinkKind::Html);
        let (path, fragment) = split_destination(&near.text);
        let content = if old == typed {
            near.text.clone()
        } else if split_destination(&typed).0 == path {
            // The path must not change, because it may contain escapes.
            rewritten_fragment(&old, std::str::from_utf8(fragment?).ok()?)
        } else {
            return None;
        };
        let span = Span::new((start + mark) as u64, (end + mark) as u64);
        Some(Fix { edit: Edit::new(span, content), old })
    }

    /// Returns the result for a link without destination.
    fn check_empty(&self, page: &Page<'_>, link: &Link) -> CheckResult {
        // `[//]: <> (text)` is a comment, `[](){ #id }` an anchor in MkDocs, and a chapter without
        // a file a draft in mdBook.
        let after = page.text.get(link.destination.end() as usize..).unwrap_or_default();
        let is_fine = match page.site.generator.map(|generator| generator.name) {
            _ if link.kind == LinkKind::Definition => true,
            Some("mkdocs") => after.starts_with(b"){"),
            Some("mdbook") => page.path.ends_with("SUMMARY.md"),
            _ => false,
        };
        if is_fine { CheckResult::Fine } else { CheckResult::Broken(Reason::Empty, None) }
    }

    /// Returns the result for a link to a page or file of a site.
    fn check_served(
        &self,
        page: &Page<'_>,
        served: &Served,
        written: &[u8],
        fragment: Option<&[u8]>,
    ) -> Result<CheckResult, Error> {
        let (file, fragment) = match (served, fragment) {
            (Served::Page(file), Some(fragment)) => (file, fragment),
            (Served::Outside, _) => return Ok(CheckResult::External),
            _ => return Ok(CheckResult::Fine),
        };
        match self.roots().look(file)? {
            Some(found) if self.has_anchors(file)? => {
                self.check_file_fragment(page, (file, found.id()), written, fragment)
            }
            _ => Ok(CheckResult::Fine),
        }
    }

    /// Whether the format of a file, judging by its name, has anchors.
    fn has_anchors(&self, file: &Path) -> Result<bool, Error> {
        self.env.configs.may_have(file, Feature::Links)
    }

    /// Checks a fragment in a file: an anchor of a document, or lines of any file.
    fn check_file_fragment(
        &self,
        page: &Page<'_>,
        (file, id): (&Path, FileId),
        written: &[u8],
        fragment: &[u8],
    ) -> Result<CheckResult, Error> {
        let is_markdown = self.has_anchors(file)?;
        if !is_markdown && last_line(fragment).is_none() {
            return Ok(CheckResult::Fine);
        }
        // On GitHub, all files have GitHub's anchors; on a site, the file may belong to another one.
        let generator = match page.site.generator {
            Some(_) => self.sites.site_of(file)?.generator,
            None => None,
        };
        let find = || targets::read_places(file, is_markdown, generator, self.env);
        let places = self.targets.places(id, is_markdown, generator, find)?;
        Ok(check_fragment_of(page, &places, file, written, fragment))
    }

    fn check_link(&self, page: &Page<'_>, link: &Link) -> Result<CheckResult, Error> {
        if let Some(vault) = page.site.vault.as_ref().filter(|_| link.kind == LinkKind::Wiki) {
            if is_ignored(&page.site, &link.text) {
                return Ok(CheckResult::Fine);
            }
            return self.check_wiki_link(page, vault, &String::from_utf8_lossy(&link.text), true);
        }
        let typed = as_browsers_take(&link.text, link.kind == LinkKind::Html);
        let written = page.site.remapped(&typed);
        // After a remapping, the suggestion would not fit the destination in the source.
        let is_remapped = matches!(written, Cow::Owned(_));
        let result = self.check_destination(page, link, &written)?;
        let result = self.check_in_vault(page, &written, result)?;
        Ok(match result {
            CheckResult::Broken(reason, _) if is_remapped => CheckResult::Broken(reason, None),
            result => result,
        })
    }

    /// Checks a link that is broken by other rules as a wiki link. In a vault, all links may name
    /// their target as wiki links do.
    fn check_in_vault(
        &self,
        page: &Page<'_>,
        written: &[u8],
        result: CheckResult,
    ) -> Result<CheckResult, Error> {
        let (CheckResult::Broken(reason, _), Some(vault)) = (&result, &page.site.vault) else {
            return Ok(result);
        };
        let target = percent_decoded(written);
        let target = String::from_utf8_lossy(&target);
        // In Logseq, the destination of a link may be a page or the id of a block.
        let is_page = ["[[", "(("].iter().any(|mark| target.starts_with(mark));
        let is_page = is_page && vault.has_pages_without_file();
        Ok(match self.check_wiki_link(page, vault, &target, is_page)? {
            CheckResult::Fine => CheckResult::Fine,
            CheckResult::Broken(Reason::NoAnchor, _) if *reason == Reason::NoFile => {
                CheckResult::Broken(Reason::NoAnchor, None)
            }
            _ => result,
        })
    }

    fn check_destination(
        &self,
        page: &Page<'_>,
        link: &Link,
        written: &[u8],
    ) -> Result<CheckResult, Error> {
        if link.kind == LinkKind::Autolink || is_external(written) {
            return Ok(CheckResult::External);
        }
        if is_ignored(&page.site, written) || is_code(page, link) {
            return Ok(CheckResult::Fine);
        }
        if written.is_empty() {
            return Ok(self.check_empty(page, link));
        }
        let (path, fragment) = path_and_anchor(written);
        if path.is_empty() {
            let Some(fragment) = fragment else { return Ok(CheckResult::Fine) };
            let places = self.document_places(page)?;
            return Ok(check_fragment_of(page, &places, page.path, written, fragment));
        }
        let (base, site, has_anchor) = (Some(page.base), page.routes.as_ref(), fragment.is_some());
        let (document, is_shortcode) = (page.path, link.kind == LinkKind::Shortcode);
        let reference = Reference { document, base, site, path, is_shortcode, has_anchor };
        Ok(match (page.site.resolve(&reference)?, fragment) {
            (Resolved::File(file, found), Some(fragment)) if found.kind.is_file() => {
                self.check_file_fragment(page, (&file, found.id()), written, fragment)?
            }
            (Resolved::File(..), _) => CheckResult::Fine,
            (Resolved::Served(served), _) => self.check_served(page, &served, written, fragment)?,
            (Resolved::External, _) => CheckResult::External,
            (Resolved::NoIndex, _) => CheckResult::Broken(Reason::NoIndex, None),
            (Resolved::Outside, _) => CheckResult::Broken(Reason::Outside, None),
            (Resolved::Missing(possible_targets), _) => {
                match self.check_missing(page, written, path, &possible_targets) {
                    // The suggestion would be a file, but on most sites, links lead to pages.
                    CheckResult::Broken(reason, _)
                        if site.is_some() && !reference.names_document() =>
                    {
                        CheckResult::Broken(reason, None)
                    }
                    result => result,
                }
            }
        })
    }

    /// Returns the anchors and the number of lines of the checked document itself, computed from
    /// the text in memory.
    fn document_places(&self, page: &Page<'_>) -> Result<Arc<Places>, Error> {
        if let Some(places) = page.places.get() {
            return Ok(Arc::clone(places));
        }
        let generator = page.site.generator;
        let find = || Ok(Places::from_text(page.text, page.format, generator));
        let found = if page.is_stream { None } else { self.roots().look(page.path)? };
        let places = match found {
            Some(found) => self.targets.places(found.id(), true, generator, find)?,
            None => Arc::new(Places::from_text(page.text, page.format, generator)),
        };
        Ok(Arc::clone(page.places.get_or_init(|| places)))
    }

    fn check_missing(
        &self,
        page: &Page<'_>,
        written: &[u8],
        path: &[u8],
        possible_targets: &[Meant],
    ) -> CheckResult {
        if possible_targets.iter().any(|target| self.roots().link_text(&target.path).is_some()) {
            return CheckResult::Broken(Reason::DeadLink, None);
        }
        if let Some(scheme) = missing_scheme(written) {
            let near = Suggestion { text: [scheme, written].concat(), is_sure: false };
            return CheckResult::Broken(Reason::NoFile, Some(near));
        }
        match self.names.nearest(page.path, path, possible_targets) {
            None => CheckResult::Broken(Reason::NoFile, None),
            Some(near) => {
                let reason = if near.is_other_case { Reason::OtherCase } else { Reason::NoFile };
                let text = [&near.path, &written[path.len()..]].concat();
                CheckResult::Broken(reason, Some(Suggestion { text, is_sure: near.is_sure }))
            }
        }
    }
}

/// Whether a tag is in fenced code that CommonMark treats as HTML, because the code is inside a
/// component.
fn is_code(page: &Page<'_>, link: &Link) -> bool {
    link.kind == LinkKind::Html
        && page.site.generator.is_some_and(|generator| generator.components)
        && targets::is_fenced(page.text, link.destination.start() as usize)
}

/// Whether a destination is ignored or is a template.
fn is_ignored(site: &Site, written: &[u8]) -> bool {
    if is_template(written) {
        return true;
    }
    let ends = memchr::memchr2(b'#', b'?', written).unwrap_or(written.len());
    !site.ignored.is_empty()
        && [written, &written[..ends]]
            .iter()
            .any(|text| site.ignored.is_match(&*String::from_utf8_lossy(text)))
}

/// Checks a fragment in a file. GitHub ignores letter case.
fn check_fragment_of(
    page: &Page<'_>,
    places: &Places,
    file: &Path,
    written: &[u8],
    fragment: &[u8],
) -> CheckResult {
    let has_unknown_anchors =
        || page.routes.as_ref().is_some_and(|(_, routes)| routes.has_unknown_anchors);
    match check_fragment(places, file, written, fragment) {
        CheckResult::Broken(Reason::OtherCaseOfAnchor, _) if page.site.generator.is_none() => {
            CheckResult::Fine
        }
        CheckResult::Broken(Reason::NoAnchor, _) if has_unknown_anchors() => CheckResult::Unchecked,
        result => result,
    }
}

/// Whether the destination of a link occurs exactly once on its line, without escapes.
fn is_replaceable(page: &Page<'_>, link: &Link) -> bool {
    let (start, end) = (link.destination.start() as usize, link.destination.end() as usize);
    let begin = memchr::memrchr(b'\n', &page.text[..start]).map_or(0, |feed| feed + 1);
    let line = &page.text[begin..];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    page.text[start..end] == *link.text
        && !page.is_stream
        && memchr::memmem::find_iter(line, &link.text).count() == 1
}

/// Returns the scheme that is probably missing in the address of a website or an email address.
fn missing_scheme(written: &[u8]) -> Option<&'static [u8]> {
    if written.starts_with(b"www.") {
        return Some(b"https://");
    }
    let at = memchr::memchr(b'@', written).filter(|&at| at > 0)?;
    let host = &written[at + 1..];
    // `logo@2x.png` is an image, not an email address.
    let is_host = host.first().is_some_and(u8::is_ascii_alphabetic) && host.contains(&b'.');
    (is_host && !written.contains(&b'/')).then_some(b"mailto:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_markdown::links::links;

    #[test]
    fn destinations_are_read_like_browsers_do() {
        let link = &links(b"<a href=' a\n b '>")[0];
        assert_eq!(as_browsers_take(&link.text, link.kind == LinkKind::Html), b"a b");
        let slashes = |text: &str| {
            let link = &links(text.as_bytes())[0];
            as_browsers_take(&link.text, link.kind == LinkKind::Html)
        };
        assert_eq!(slashes(r"<a href='..\a\b#c\d'>"), br"../a/b#c\d");
        assert_eq!(slashes(r"[x](..\a)"), br"..\a");
    }
}
