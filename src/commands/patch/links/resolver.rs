//! Resolves links to the edited files. Also finds links that cannot be resolved but seem to refer
//! to these files.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::super::context::Context;
use crate::commands::site::Site;
use crate::commands::site::resolve::{Reference, Resolved as Part};
use crate::commands::site::routes::Served;
use folio_files::error::Error;
use folio_files::link_target::{FileId, Meant, index_rank};
use folio_files::roots::Roots;
use folio_markdown::destination::{
    as_browsers_take, is_external, is_template, path_and_anchor, percent_decoded,
};
use folio_markdown::links::{Link, LinkKind};

/// Maximum number of files whose names are searched for in the text of documents.
const FEW: usize = 16;

/// File name extensions of the pages that site generators create from documents.
const PAGES: [&str; 2] = ["html", "htm"];

/// A file to which links may refer, identified by its absolute path with symlinks resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Goal {
    path: PathBuf,
    name: String,
    stem: String,
    /// The names of the symlinks to the file in its directory.
    aliases: Vec<String>,
    /// Whether the file may be the index page of its directory.
    is_index: bool,
    /// Whether the file itself is moved.
    pub(super) moves: bool,
}

impl Goal {
    pub(super) fn new(path: PathBuf, moves: bool) -> Self {
        let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let (name, stem) = (text(path.file_name()), text(path.file_stem()));
        let is_index = index_rank(&name).is_some();
        Self { path, name, stem, aliases: Vec::new(), is_index, moves }
    }
}

/// A parsed destination of a link.
pub(super) struct Destination {
    /// The path in percent-encoded form.
    pub(super) path: Vec<u8>,
    /// The fragment. `None` if it refers to the top of the page.
    pub(super) fragment: Option<Vec<u8>>,
    /// The destination into which the site's rules convert this one, if they do.
    remapped: Option<Vec<u8>>,
    pub(super) is_shortcode: bool,
    /// Whether the destination is external or cannot be resolved.
    pub(super) is_foreign: bool,
}

impl Destination {
    /// Parses the destination of a link. Returns `None` if it is empty or does not refer to a file.
    pub(super) fn parse(link: &Link, site: &Site) -> Option<Self> {
        let written = as_browsers_take(&link.text, link.kind == LinkKind::Html);
        if written.is_empty() || written.starts_with(b"mailto:") {
            return None;
        }
        let (path, fragment) = path_and_anchor(&written);
        let (path, fragment) = (path.to_vec(), fragment.map(<[u8]>::to_vec));
        let destination = site.remapped(&written);
        let is_foreign = link.kind == LinkKind::Autolink
            || is_external(&destination)
            || is_template(&destination);
        let remapped = match destination {
            Cow::Owned(destination) => Some(destination),
            Cow::Borrowed(_) => None,
        };
        let is_shortcode = link.kind == LinkKind::Shortcode;
        Some(Self { path, fragment, remapped, is_shortcode, is_foreign })
    }

    /// Returns the last component of the path, decoded.
    fn name(&self) -> String {
        let path = self.path.strip_suffix(b"/").unwrap_or(&self.path);
        let start = memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1);
        String::from_utf8_lossy(&percent_decoded(&path[start..])).into_owned()
    }
}

/// The form in which a link refers to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The path of the file, of which the site's rules may allow a link to omit the end.
    File,
    /// The path of the page that a site generator creates from the file.
    Page,
    /// The URL of the page in a site.
    Url,
}

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolved {
    /// The file with this index, and the form of the link.
    To(usize, Form),
    /// Another page or file of the site.
    Served,
    /// Another file, or no file.
    Elsewhere,
    /// The target is unknown, but has the same name as the file with this index.
    SameName(usize),
    /// The link is external.
    External,
}

/// Resolves links to a set of files.
pub(super) struct LinkResolver<'a> {
    pub(super) context: &'a Context<'a>,
    goals: Vec<Goal>,
    by_path: HashMap<PathBuf, usize>,
    /// The identities of the existing files.
    ids: HashSet<FileId>,
    /// The index of each file by name, with and without extension.
    by_name: HashMap<String, usize>,
}

impl<'a> LinkResolver<'a> {
    /// Creates a resolver for links to these files. Fails if a file cannot be examined.
    pub(super) fn new(context: &'a Context<'a>, mut goals: Vec<Goal>) -> Result<Self, Error> {
        let (mut by_path, mut by_name) = (HashMap::new(), HashMap::new());
        let statuses = goals.iter().map(|goal| context.host.env.roots.look(&goal.path));
        let statuses: Vec<_> = statuses.collect::<Result<_, _>>()?;
        let ids = statuses.iter().flatten().map(|status| status.id()).collect();
        let mut symlinks: HashMap<PathBuf, Vec<(PathBuf, String)>> = HashMap::new();
        for (number, goal) in goals.iter_mut().enumerate() {
            if let Some(directory) = goal.path.parent() {
                let entry = symlinks.entry(directory.to_owned());
                let in_directory =
                    entry.or_insert_with(|| symlinks_in(directory, &context.host.env.roots));
                let aliases = in_directory.iter().filter(|(file, _)| *file == goal.path);
                goal.aliases = aliases.map(|(_, name)| name.clone()).collect();
            }
            by_path.insert(goal.path.clone(), number);
            for name in [&goal.name, &goal.stem].into_iter().chain(&goal.aliases) {
                by_name.entry(name.clone()).or_insert(number);
            }
        }
        Ok(Self { context, goals, by_path, ids, by_name })
    }

    /// Returns the target of a link in a document of a site. The document is its path and its
    /// absolute path.
    ///
    /// # Errors
    ///
    /// Fails if the file system cannot be read.
    pub(super) fn resolve(
        &self,
        (path, absolute_path): (&Path, &Path),
        site: &Site,
        to: &Destination,
    ) -> Result<Resolved, Error> {
        if to.is_foreign {
            return Ok(self.goal_with_same_name(to).map_or(Resolved::External, Resolved::SameName));
        }
        let host = self.context.host;
        let may_be_index = to.fragment.is_some() && self.goals.iter().any(|goal| goal.is_index);
        let may_be_goal =
            to.path.is_empty() || may_be_index || self.goal_by_name(&to.name()).is_some();
        if site.names_files() && !may_be_goal {
            return Ok(Resolved::Elsewhere);
        }
        let written = (&*to.path, to.fragment.as_deref());
        let (destination_path, anchor) = to.remapped.as_deref().map_or(written, path_and_anchor);
        let goal = |file: &Path, form| match self.by_path.get(file) {
            // A remapped destination cannot be updated.
            Some(&goal) if to.remapped.is_some() => Resolved::SameName(goal),
            Some(&goal) => Resolved::To(goal, form),
            None if form == Form::Url && to.remapped.is_none() => Resolved::Served,
            None => Resolved::Elsewhere,
        };
        if destination_path.is_empty() {
            return Ok(goal(absolute_path, Form::File));
        }
        let pages = site.routes(path, &host.env)?.map(|routes| (absolute_path.to_owned(), routes));
        let link = Reference {
            document: path,
            base: None,
            site: pages.as_ref(),
            path: destination_path,
            is_shortcode: to.is_shortcode,
            has_anchor: anchor.is_some(),
        };
        let target = match site.resolve(&link) {
            Err(error) if error.code.is_outside() => Part::Outside,
            target => target?,
        };
        let missing =
            || self.goal_with_same_name(to).map_or(Resolved::Elsewhere, Resolved::SameName);
        Ok(match target {
            // Most links refer to other files. To resolve their symlinks would take longer.
            Part::File(_, found) if !self.ids.contains(&found.id()) => Resolved::Elsewhere,
            Part::File(file, _) => goal(&host.env.roots.resolve(&file)?, Form::File),
            Part::Served(Served::Page(file) | Served::File(file)) => goal(&file, Form::Url),
            Part::Served(Served::Other) if to.remapped.is_none() => Resolved::Served,
            Part::Served(_) | Part::External | Part::NoIndex => Resolved::Elsewhere,
            Part::Missing(possible_targets) => {
                self.source_of_page(&possible_targets)?.unwrap_or_else(missing)
            }
            Part::Outside => missing(),
        })
    }

    /// Returns the file from which a site generator creates one of these pages.
    fn source_of_page(&self, pages: &[Meant]) -> Result<Option<Resolved>, Error> {
        let extensions = self.goals.iter().filter_map(|goal| goal.path.extension());
        let extensions: HashSet<_> = extensions.collect();
        let is_page = |page: &&Meant| {
            page.path
                .extension()
                .is_some_and(|extension| PAGES.iter().any(|page| extension == *page))
        };
        for page in pages.iter().filter(is_page) {
            // The pages of documents in one directory are also in one directory.
            for extension in &extensions {
                let file = page.path.with_extension(extension);
                let found = self.context.host.env.roots.resolve_if_there(&file)?;
                if let Some(goal) = found.and_then(|found| self.by_path.get(&found)) {
                    return Ok(Some(Resolved::To(*goal, Form::Page)));
                }
            }
        }
        Ok(None)
    }

    /// Returns the file with the same name as a destination that cannot be resolved, or `None` if
    /// several files have the name. In the URL of a file on GitHub, the whole path is compared.
    fn goal_with_same_name(&self, to: &Destination) -> Option<usize> {
        let number = self.goal_by_name(&to.name())?;
        let goal = &self.goals[number];
        let path = file_of_url(&to.path).filter(|_| to.is_foreign);
        let is_other = path.is_some_and(|path| {
            let directory = goal.path.parent().unwrap_or(Path::new(""));
            let root = self.context.sites.paths.places.repository(directory).ok().flatten();
            let below = root.and_then(|root| directory.strip_prefix(root).ok());
            below.is_some_and(|below| path.parent() != Some(below))
        });
        ((to.fragment.is_some() || !goal.is_index) && !is_other).then_some(number)
    }

    /// Returns the names of the symlinks in the directory of a moved file that will be broken.
    pub(super) fn broken_symlinks(&self, goal: usize) -> &[String] {
        let goal = &self.goals[goal];
        if goal.moves { &goal.aliases } else { &[] }
    }

    /// Whether any of the files is moved.
    pub(super) fn has_moves(&self) -> bool {
        self.goals.iter().any(|goal| goal.moves)
    }

    /// Returns the file at an absolute path.
    pub(super) fn goal_at(&self, path: &Path) -> Option<&Goal> {
        self.by_path.get(path).map(|&index| &self.goals[index])
    }

    /// Returns the file with this name, or the file whose page has this name.
    fn goal_by_name(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).or_else(|| self.by_name.get(stem_of(name))).copied()
    }

    /// Whether a link refers, or seems to refer, to a moved file or to a position in an edited
    /// file.
    pub(super) fn concerns(
        &self,
        document: (&Path, &Path),
        site: &Site,
        link: &Link,
    ) -> Result<bool, Error> {
        if link.kind == LinkKind::Wiki {
            return Ok(self.concerns_wiki_link(document.1, site, link));
        }
        let Some(to) = Destination::parse(link, site) else { return Ok(false) };
        Ok(match self.resolve(document, site, &to)? {
            Resolved::To(goal, _) | Resolved::SameName(goal) => {
                to.fragment.is_some() || self.goals[goal].moves
            }
            Resolved::Served | Resolved::Elsewhere | Resolved::External => false,
        })
    }

    /// Whether a text of a site may contain an affected link. This is a quick check for substrings
    /// that every such link contains.
    pub(super) fn may_concern(&self, site: &Site, text: &[u8]) -> bool {
        // Neither a URL nor, by its letter case, a wiki link need contain the name of the file.
        if !site.names_files() || site.vault.is_some() || self.goals.len() > FEW {
            return true;
        }
        let contains = |part: &[u8]| memchr::memmem::find(text, part).is_some();
        let may_be = |goal: &Goal| {
            contains(longest_run(&goal.stem))
                || goal.aliases.iter().any(|name| contains(longest_run(name)))
                || (goal.is_index && has_fragment_after_path(text))
        };
        self.goals.iter().any(may_be) || has_encoded_letters(text)
    }
}

/// Returns the symlinks in a directory: the files to which they lead, and their names.
fn symlinks_in(directory: &Path, roots: &Roots) -> Vec<(PathBuf, String)> {
    let names = roots.symlinks_in(directory).unwrap_or_default();
    let symlink = |name: OsString| {
        let file = roots.resolve_if_there(&directory.join(&name)).ok()??;
        Some((file, name.into_string().ok()?))
    };
    names.into_iter().filter_map(symlink).collect()
}

/// Returns a name without the extension of a page.
fn stem_of(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, extension)) if PAGES.contains(&extension) => stem,
        _ => name,
    }
}

/// Returns the longest part of a name that is normally not percent-encoded.
fn longest_run(name: &str) -> &[u8] {
    let runs = name.as_bytes().split(|byte| !byte.is_ascii_alphanumeric());
    runs.max_by_key(|run| run.len()).unwrap_or_default()
}

/// Whether a text contains a `#` that begins neither a heading nor a destination.
fn has_fragment_after_path(text: &[u8]) -> bool {
    let mut marks = memchr::memchr_iter(b'#', text);
    marks.any(|at| at > 0 && !b"\n\r #(<\"'&".contains(&text[at - 1]))
}

/// Whether a text contains letters or digits encoded as `%41` or `&#65;`.
fn has_encoded_letters(text: &[u8]) -> bool {
    let mut signs = memchr::memchr2_iter(b'%', b'&', text);
    signs.any(|at| match &text[at..] {
        [b'&', b'#', ..] => true,
        sign @ [b'%', ..] => {
            let decoded = percent_decoded(&sign[..sign.len().min(3)]);
            matches!(&*decoded, [byte] if byte.is_ascii_alphanumeric())
        }
        _ => false,
    })
}

/// Returns the path of a file below the root of its repository, from its URL on GitHub or GitLab:
/// `https://github.com/OWNER/NAME/blob/BRANCH/PATH`.
fn file_of_url(url: &[u8]) -> Option<PathBuf> {
    let marks = [&b"/blob/"[..], b"/raw/", b"/edit/", b"/blame/"];
    let after = |mark: &&[u8]| Some(memchr::memmem::find(url, mark)? + mark.len());
    let below = &url[marks.iter().find_map(after)?..];
    let branch = memchr::memchr(b'/', below)?;
    Some(PathBuf::from(OsStr::from_bytes(&percent_decoded(&below[branch + 1..]))))
}

/// Returns the path to which a destination refers, relative to a directory. Does not resolve `.`
/// and `..`.
pub(super) fn join_decoded(directory: &Path, path: &[u8]) -> PathBuf {
    directory.join(OsStr::from_bytes(&percent_decoded(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::patch::options::PatchOptions;

    #[test]
    fn urls_on_github_contain_the_path_of_a_file() {
        let check = |url: &str, expected: Option<&str>| {
            assert_eq!(file_of_url(url.as_bytes()), expected.map(PathBuf::from), "{url}");
        };
        check("https://github.com/o/r/blob/main/a%20b/c.md", Some("a b/c.md"));
        check("https://gitlab.com/o/r/-/raw/v1/c.md", Some("c.md"));
        check("https://github.com/o/r/tree/main", None);
        check("https://example.com/a/c.md", None);
    }

    #[test]
    fn every_link_contains_part_of_the_file_name() {
        let goal = |path: &str| Goal::new(path.into(), true);
        let host = crate::commands::host::Host::default();
        let options = PatchOptions::default();
        let context = Context::new(&options, &host).expect("a context");
        let resolver = |path| LinkResolver::new(&context, vec![goal(path)]).expect("files");
        let site = &*context.sites.site_of(Path::new("a.md")).expect("a site");
        let guide = resolver("/docs/my guide.md");
        for text in ["[a](my%20guide.md)", "[a](%67uide.md)", "<a href='&#103;uide.md'>"] {
            assert!(guide.may_concern(site, text.as_bytes()), "{text}");
        }
        assert!(!guide.may_concern(site, b"# A\n\n[a](other%20page.md#x) 100% &amp;"));
        let index = resolver("/docs/README.md");
        assert!(index.may_concern(site, b"[a](docs/#x)") && index.may_concern(site, b"[a](..#x)"));
        assert!(!index.may_concern(site, b"# A\n\n[a](#x) ## [b](docs/)"));
    }
}
