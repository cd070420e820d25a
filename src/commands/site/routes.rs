//! The pages of a site: maps URL paths to source files.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::content::SiteContent;
use super::generator::Generator;
use super::hugo::{self, expand_permalink, values_of_date};
use folio_files::env::Env;
use folio_files::error::Error;
use folio_files::link_target::path_between;
use folio_files::listing::WalkOptions;
use folio_files::roots::Roots;
use folio_files::walk;
use folio_markdown::destination::{match_path_style, percent_decoded};
use folio_markdown::front_matter::{self, FrontMatter};
use folio_outline::format::Feature;

/// Maximum number of bytes of a document to read to find its front matter.
const MAX_FRONT_MATTER: u64 = 64 * 1024;

/// Extensions of pages that are not documents.
const PAGES: &[&str] = &["html", "htm", "js", "jsx", "ts", "tsx", "astro", "vue", "ipynb", "rst"];

/// Directories of files that a site serves unchanged, below `/`.
const STATIC: &[&str] = &["static", "public"];

/// Files that define redirects.
const REDIRECTS: &[&str] = &[
    "_redirects",
    "_redirects.txt",
    "netlify.toml",
    "vercel.json",
    // Hugo generates `_redirects` from this file.
    "layouts/index.redirects",
];

/// Extensions of pages in the paths of links.
const EXTENSIONS: [&str; 3] = [".html", ".mdx", ".md"];

/// The directory of a site.
#[derive(Clone, Debug)]
enum SiteRoot {
    /// The nearest directory above a document that contains a file of the generator.
    Nearest,
    /// The directory that `--root-dir` gives, which contains the pages.
    Given(PathBuf),
    /// That of the configuration file by which the generator was detected.
    Detected(Arc<SiteContent>),
}

/// A cache of sites, by source directory.
pub struct Sites {
    generator: &'static Generator,
    root: SiteRoot,
    known: Mutex<HashMap<PathBuf, Arc<Routes>>>,
    is_missing: AtomicBool,
}

impl Sites {
    pub fn new(generator: &'static Generator, root: Option<PathBuf>) -> Self {
        let root = root.map_or(SiteRoot::Nearest, SiteRoot::Given);
        Self { generator, root, known: Mutex::default(), is_missing: AtomicBool::new(false) }
    }

    /// Creates the cache of a site that was detected by its configuration file.
    pub fn detected(content: Arc<SiteContent>) -> Self {
        Self {
            root: SiteRoot::Detected(Arc::clone(&content)),
            ..Self::new(content.generator, None)
        }
    }

    /// Returns the generator, if all documents so far are outside of its sites.
    pub fn missing(&self) -> Option<&'static Generator> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        (known.is_empty() && self.is_missing.load(Ordering::Relaxed)).then_some(self.generator)
    }

    /// Returns the pages of the site that contains a document. Returns `None` if no file in the
    /// parent directories belongs to a site with its own paths.
    pub fn routes_of(&self, document: &Path, env: &Env) -> Result<Option<Arc<Routes>>, Error> {
        let directory = match (&self.root, document.parent()) {
            (SiteRoot::Given(root), _) => root,
            (SiteRoot::Detected(content), _) => &content.root,
            (SiteRoot::Nearest, Some(parent)) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(routes) = known.get(directory) {
            return Ok(Some(Arc::clone(routes)));
        }
        let absolute = env.roots.resolve(directory)?;
        let ancestors = absolute.ancestors().filter(|ancestor| env.roots.may_hold(ancestor));
        let is_root = |ancestor: &&Path| {
            let exists = |marker: &&str| env.roots.exists(&ancestor.join(marker));
            !matches!(self.root, SiteRoot::Nearest)
                || self.generator.markers().iter().any(exists)
                || SiteContent::read(self.generator, ancestor, env).is_some()
        };
        let Some(root) = { ancestors }.find(is_root) else {
            self.is_missing.store(true, Ordering::Relaxed);
            return Ok(None);
        };
        let routes = match known.get(root) {
            Some(routes) => Arc::clone(routes),
            None => {
                let content = match &self.root {
                    SiteRoot::Nearest => read_content(self.generator, root, env),
                    SiteRoot::Given(_) => None,
                    SiteRoot::Detected(content) => Some(SiteContent::clone(content)),
                };
                let is_given = matches!(self.root, SiteRoot::Given(_));
                Arc::new(Routes::load((self.generator, content), root, is_given, env)?)
            }
        };
        known.insert(root.to_owned(), Arc::clone(&routes));
        known.insert(directory.to_owned(), Arc::clone(&routes));
        Ok(Some(routes))
    }
}

/// The target of a URL on a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Served {
    /// A page. The value is the file from which it is generated.
    Page(PathBuf),
    /// A file that the site serves unchanged.
    File(PathBuf),
    /// A target whose anchors are unknown.
    Other,
    /// A target outside the site.
    Outside,
}

/// A link in a document that is moved, or to a page that is moved. A move is the paths before and
/// after.
#[derive(Clone, Copy, Debug)]
pub struct MovedLink<'l> {
    pub document: (&'l Path, &'l Path),
    /// The page to which the link refers, if the page is moved.
    pub page: Option<(&'l Path, &'l Path)>,
    /// The path in the destination, in percent-encoded form.
    pub path: &'l [u8],
    pub is_shortcode: bool,
}

/// The URL of a document, and whether it is the page of a directory.
type PageUrl = (String, bool);

/// The pages of a site. URL paths have no trailing slash.
pub struct Routes {
    generator: &'static Generator,
    /// The directories of pages, with the prefixes of their URLs.
    mounts: Vec<(PathBuf, String)>,
    /// The path below which the site is published, without slashes at its ends.
    base: String,
    /// Whether relative links are resolved as if each page were a directory.
    pages_are_directories: bool,
    /// Whether pages may have anchors that their source does not show.
    pub has_unknown_anchors: bool,
    /// The source file of each URL. `None` for a list page that the site generator creates.
    pages: HashMap<String, Option<PathBuf>>,
    urls: HashMap<PathBuf, PageUrl>,
    /// Directories of files that the site serves unchanged.
    statics: Vec<PathBuf>,
    /// Whether links may also be relative to the document's source file.
    has_hook: bool,
    moved: HashSet<String>,
    /// URL patterns by section, from Hugo's configuration.
    permalinks: Vec<(String, String)>,
    /// Prefixes of redirected paths, up to the first placeholder.
    moved_below: Vec<String>,
}

impl Routes {
    /// Finds the pages of a site below `root`. `content` is what its configuration file says, if it
    /// can be understood.
    fn load(
        (generator, content): (&'static Generator, Option<SiteContent>),
        root: &Path,
        is_given: bool,
        env: &Env,
    ) -> Result<Self, Error> {
        let mut routes = Self {
            generator,
            mounts: Vec::new(),
            base: content.as_ref().map(|content| content.base.clone()).unwrap_or_default(),
            pages_are_directories: content
                .as_ref()
                .map_or(generator.pages_are_directories, |content| content.pages_are_directories),
            has_unknown_anchors: content
                .as_ref()
                .is_some_and(|content| content.has_unknown_anchors),
            pages: HashMap::new(),
            urls: HashMap::new(),
            statics: Vec::new(),
            has_hook: hugo::looks_pages_up(root, env),
            moved: HashSet::new(),
            permalinks: Vec::new(),
            moved_below: Vec::new(),
        };
        if generator.name == "hugo" {
            let read = content.as_ref().map(|content| content.permalinks.clone());
            routes.permalinks = read.unwrap_or_else(|| hugo::permalinks(root, env));
        }
        let mounts = if is_given { &[("", "")][..] } else { generator.mounts };
        let usual = mounts.iter().map(|(directory, prefix)| {
            let root = root.to_owned();
            (if directory.is_empty() { root } else { root.join(directory) }, (*prefix).to_owned())
        });
        let mounts = content.map_or_else(|| usual.collect(), |content| content.mounts);
        for (directory, prefix) in mounts {
            if env.roots.is_directory(&directory) {
                routes.add_mount(&directory, &prefix, env)?;
                routes.mounts.push((directory.clone(), prefix));
                let statics = STATIC.iter().map(|name| directory.join(name));
                routes.statics.extend(statics.filter(|path| env.roots.is_directory(path)));
                // The documents of a version have no other URLs.
                if !directory.parent().is_some_and(|parent| parent.ends_with("versioned_docs")) {
                    routes.statics.push(directory);
                }
            }
        }
        let ancestors: Vec<&Path> =
            root.ancestors().filter(|dir| env.roots.may_hold(dir)).collect();
        for directory in
            ancestors.iter().flat_map(|ancestor| [ancestor.to_path_buf(), ancestor.join("website")])
        {
            let statics = STATIC.iter().map(|name| directory.join(name));
            routes.statics.extend(statics.filter(|path| env.roots.is_directory(path)));
            for pages in ["src/pages", "src/app"].map(|name| directory.join(name)) {
                if is_given && env.roots.is_directory(&pages) {
                    routes.add_mount(&pages, "", env)?;
                }
            }
            REDIRECTS.iter().for_each(|name| routes.add_redirects(&directory.join(name), env));
            if env.roots.exists(&directory.join(".git")) {
                break;
            }
        }
        for directory in routes.statics.clone() {
            REDIRECTS.iter().for_each(|name| routes.add_redirects(&directory.join(name), env));
        }
        Ok(routes)
    }

    /// Adds the pages below a directory.
    fn add_mount(&mut self, directory: &Path, prefix: &str, env: &Env) -> Result<(), Error> {
        let (files, _) = walk::files_below(directory, &WalkOptions::default(), env)?;
        for file in files {
            let Ok(below) = file.strip_prefix(directory) else { continue };
            let name = below.to_string_lossy().into_owned();
            // MDN has one such file for each language.
            if name.ends_with("/_redirects.txt") {
                self.add_redirects(&file, env);
            }
            let Some((path, extension)) = name.rsplit_once('.') else { continue };
            let is_document = env.configs.may_have(&file, Feature::Links)?;
            if !is_document && !PAGES.contains(&extension) {
                continue;
            }
            let (url, is_index) = self.url_of(prefix, path);
            // `errors/[code]` stands for one page per code. Pages for `[...path]` are generated
            // from documents.
            if let Some((parent, last)) = url.rsplit_once('/').filter(|_| !is_document)
                && last.starts_with('[')
                && !last.contains("...")
                && !parent.contains('[')
            {
                self.moved_below.push(self.fold_case(&format!("{parent}/")));
                continue;
            }
            // Sites can be configured to keep numbers and dates.
            let plain = [prefix, path].join("/");
            if is_document {
                let declared = self.declared_urls(&file, &url, prefix, env);
                declared.into_iter().for_each(|url| self.add_page(url, &file));
                // The directory of posts is not part of the posts' URLs.
                if let Some(post) = without_posts(path) {
                    self.add_page(self.url_of(prefix, &post).0, &file);
                }
                self.urls.entry(file.clone()).or_insert_with(|| (url.clone(), is_index));
            }
            self.add_page(url, &file);
            self.add_page(plain.trim_matches('/').to_owned(), &file);
        }
        Ok(())
    }

    /// Returns the destination of a link after its document or the page to which it refers is
    /// moved, in the style of the existing destination. Returns the existing one if it remains
    /// correct, and `None` if the site will not contain the document or the page.
    pub fn moved_path<'l>(&self, link: &MovedLink<'l>, env: &Env) -> Option<Cow<'l, [u8]>> {
        let MovedLink { document: (from, to), path, is_shortcode, .. } = *link;
        let before = self.urls.get(from).cloned().unwrap_or_default();
        let after = match self.urls.get(to) {
            _ if from == to => before.clone(),
            Some(place) => place.clone(),
            None => self.page_url(to)?.0,
        };
        let resolve = |place| self.resolve_link(place, path, is_shortcode, &env.roots);
        let (base, old, _) = resolve(&before)?;
        let url = match link.page {
            Some(page) => self.url_after(page, &old, env)?,
            None => old.clone(),
        };
        if url == old && resolve(&after).is_some_and(|(_, found, _)| found == url) {
            return Some(Cow::Borrowed(path));
        }
        let base = self.base_urls(&after, path, is_shortcode)[base];
        let root = match path.strip_prefix(b"/") {
            Some(below) if self.has_base(&String::from_utf8_lossy(below)) => {
                Path::new("/").join(&self.base)
            }
            _ => PathBuf::from("/"),
        };
        let new = match path_between(Path::new(base), Path::new(&url)) {
            new if !path.starts_with(b"/") => new,
            new if new.starts_with("..") => root.join(&url),
            new => root.join(new),
        };
        // The URL of a file does not end with a slash.
        let end = if self.without_extension(&url) == url { &b""[..] } else { b"/" };
        let written = path.strip_suffix(end).unwrap_or(path);
        Some(Cow::Owned(match_path_style(written, new.into_os_string().into_encoded_bytes())))
    }

    /// Returns the URL of a page that is moved, in the style of its existing URL `old`. If the page
    /// is in the site already, its parts are moved.
    fn url_after(&self, (before, after): (&Path, &Path), old: &str, env: &Env) -> Option<String> {
        if !self.urls.contains_key(before) {
            return self.static_url(before, after, old);
        }
        let ((url, is_index), prefix, name) = self.page_url(after)?;
        let was_index = self.urls.get(before).is_some_and(|(_, was_index)| *was_index);
        let source = if self.urls.contains_key(after) { after } else { before };
        let declared = self.declared_urls(source, &url, prefix, env);
        let usual = Some(&url).filter(|_| is_index == was_index);
        let bare = self.fold_case(self.without_extension(old));
        if declared.iter().chain(usual).any(|url| self.fold_case(url) == bare) {
            return Some(old.to_owned());
        }
        let has = |extension: &&&str| old.ends_with(**extension);
        let url = match EXTENSIONS.iter().find(has) {
            Some(&".html") if is_index => format!("{url}/index.html"),
            Some(&".html") => format!("{url}.html"),
            Some(_) => format!("{prefix}/{name}"),
            None if !self.generator.has_bare_urls && !is_index => format!("{url}.html"),
            None => url,
        };
        Some(url.trim_start_matches('/').to_owned())
    }

    /// Returns the URL of a moved file that the site serves unchanged. Its URL before was `old`.
    fn static_url(&self, before: &Path, after: &Path, old: &str) -> Option<String> {
        let has_old_url =
            |directory: &&PathBuf| before.strip_prefix(directory) == Ok(Path::new(old));
        let same = self.statics.iter().find(has_old_url).filter(|it| after.starts_with(it));
        let others = self.statics.iter().filter(|directory| after.starts_with(directory));
        let directory = same.or(others.max_by_key(|it| it.components().count()))?;
        Some(after.strip_prefix(directory).ok()?.to_str()?.to_owned())
    }

    /// Returns the URL of a document, the prefix of its directory, and its path in the directory.
    fn page_url(&self, document: &Path) -> Option<(PageUrl, &str, String)> {
        self.mounts.iter().find_map(|(directory, prefix)| {
            let name = document.strip_prefix(directory).ok()?.to_string_lossy().into_owned();
            let place = self.url_of(prefix, name.rsplit_once('.')?.0);
            Some((place, &**prefix, name))
        })
    }

    fn add_page(&mut self, url: String, file: &Path) {
        for (at, _) in url.match_indices('/') {
            self.pages.entry(self.fold_case(&url[..at])).or_insert(None);
        }
        let page = self.pages.entry(self.fold_case(&url)).or_default();
        page.get_or_insert_with(|| file.to_owned());
    }

    /// Returns the URL of a page with this path, which has no extension, and whether the page is
    /// the page of its directory.
    fn url_of(&self, prefix: &str, path: &str) -> PageUrl {
        let mut names: Vec<String> = path.split('/').map(|name| self.url_segment(name)).collect();
        let last = names.last().map(|name| name.to_lowercase()).unwrap_or_default();
        // Next.js calls its page files `page`.
        let is_index = self.generator.indexes.contains(&last.as_str())
            || last == "page" && self.generator.name == "docusaurus";
        if is_index {
            names.pop();
        }
        if self.generator.name == "mdn" && !names.is_empty() {
            names.insert(1, "docs".to_owned());
        }
        names.insert(0, prefix.to_owned());
        names.retain(|name| !name.is_empty());
        (names.join("/"), is_index)
    }

    /// Converts a name to its form in a URL. Docusaurus removes numbers, and Jekyll removes the
    /// marker of a collection. Both convert dates to directories.
    fn url_segment(&self, name: &str) -> String {
        match self.generator.name {
            "docusaurus" | "jekyll" => {
                if let Some((date, rest)) = split_date(name) {
                    return format!("{}/{}", date.replace('-', "/"), &rest[1..]);
                }
                let name = name.strip_prefix("version-").unwrap_or(name);
                let name = name.strip_prefix('_').unwrap_or(name);
                let rest = name.trim_start_matches(|first: char| first.is_ascii_digit());
                let rest = rest.strip_prefix(['-', '_', '.']).map(str::trim_start);
                rest.filter(|rest| {
                    !rest.is_empty()
                        && rest.len() < name.len()
                        && !rest.starts_with(|first: char| first.is_ascii_digit())
                })
                .unwrap_or(name)
                .to_owned()
            }
            "hugo" => match name.rsplit_once('.') {
                // `page.de` is the German version of the page.
                Some((name, language)) if language.len() == 2 => name.replace(' ', "-"),
                _ => name.replace(' ', "-"),
            },
            _ => name.to_owned(),
        }
    }

    /// Returns the URLs that the front matter of a page sets.
    fn declared_urls(&self, file: &Path, url: &str, prefix: &str, env: &Env) -> Vec<String> {
        let keys = self.generator.keys;
        if keys.is_empty() {
            return Vec::new();
        }
        let mut text = Vec::new();
        let opened = env.roots.open_file(file);
        let read = opened.map(|file| file.take(MAX_FRONT_MATTER).read_to_end(&mut text));
        let Some(front_matter) = read.ok().and_then(|_| front_matter::find(&text)) else {
            return Vec::new();
        };
        let parent = parent_url(url);
        let section = self.permalinks.iter().filter(|(section, _)| *section == first_segment(url));
        let permalinks = section.filter_map(|(_, pattern)| {
            let slug = key_values(&front_matter, "slug").pop();
            expand_permalink(pattern, url, slug, &values_of_date(&front_matter))
        });
        let permalinks: Vec<String> = permalinks.collect();
        let values = keys.iter().flat_map(|key| key_values(&front_matter, key));
        let urls = values.flat_map(|value| {
            let is_whole = value.starts_with('/');
            let value = value.trim_matches('/').trim_end_matches(".html").to_owned();
            let places: &[&str] = match (self.generator.name, is_whole) {
                ("mdn", _) => return vec![format!("{}/docs/{value}", first_segment(url))],
                (_, true) => &["", prefix],
                (_, false) => &[parent, url],
            };
            places
                .iter()
                .map(|place| format!("{place}/{value}").trim_matches('/').to_owned())
                .collect()
        });
        urls.chain(permalinks).collect()
    }

    /// Adds the redirects in a file of any supported format.
    fn add_redirects(&mut self, file: &Path, env: &Env) {
        let mut text = String::new();
        let opened = env.roots.open_file(file).ok();
        if opened.and_then(|mut file| file.read_to_string(&mut text).ok()).is_none() {
            return;
        }
        for line in text.lines().map(str::trim) {
            let source =
                match line.strip_prefix("\"source\":").or_else(|| line.strip_prefix("from =")) {
                    Some(value) => value.trim().trim_end_matches(',').trim_matches(['"', '\'']),
                    None => line.split_ascii_whitespace().next().unwrap_or_default(),
                };
            let Some(path) = source.strip_prefix('/') else { continue };
            // `/:name` is a placeholder, but `::before` is part of a name.
            let is_placeholder = |(at, _): &(usize, &str)| {
                (*at == 0 || path[..*at].ends_with('/'))
                    && path[at + 1..].starts_with(|next: char| next.is_ascii_alphabetic())
            };
            let placeholder = path.match_indices(':').find(is_placeholder).map(|(at, _)| at);
            match path.find(['*', '(']).into_iter().chain(placeholder).min() {
                // A redirect of the whole site applies only under certain conditions.
                Some(0) => {}
                Some(at) => {
                    let below = self.fold_case(&path[..at]);
                    if path[at..].starts_with('*') {
                        self.moved.insert(below.trim_matches('/').to_owned());
                    }
                    self.moved_below.push(below);
                }
                None => drop(self.moved.insert(self.fold_case(path.trim_matches('/')))),
            }
        }
    }

    fn fold_case(&self, url: &str) -> String {
        if self.generator.folds_case { url.to_lowercase() } else { url.to_owned() }
    }

    /// Returns the target of a link in a document of the site. The path of a shortcode is relative
    /// to the directory of the document or to the root of the site, or is the end of a page's path.
    pub fn find_target(
        &self,
        document: &Path,
        path: &[u8],
        is_shortcode: bool,
        roots: &Roots,
    ) -> Option<Served> {
        let place = match self.urls.get(document).cloned() {
            Some(place) => place,
            // Standard input is like a page that does not exist yet.
            None => match self.page_url(document) {
                Some((place, ..)) => place,
                None if path.starts_with(b"/") => PageUrl::default(),
                None => return None,
            },
        };
        self.resolve_link(&place, path, is_shortcode, roots).map(|(_, _, served)| served)
    }

    /// Returns the directory of content to which `/page.md` refers in a document of Docusaurus. A
    /// version of the content is a directory of its own.
    pub fn content_root(&self, document: &Path) -> Option<PathBuf> {
        if self.generator.name != "docusaurus" {
            return None;
        }
        let mounts = self.mounts.iter().map(|(mount, _)| mount);
        let mounts = mounts.filter(|mount| document.starts_with(mount));
        let mount = mounts.max_by_key(|mount| mount.components().count())?;
        let below = document.strip_prefix(mount).ok()?;
        Some(match below.components().next() {
            Some(version) if mount.ends_with("versioned_docs") => mount.join(version),
            _ => mount.clone(),
        })
    }

    /// Returns the index in `bases` of the directory to which a link in a document is relative, the
    /// URL to which the link refers, and its target.
    fn resolve_link(
        &self,
        place: &PageUrl,
        path: &[u8],
        is_shortcode: bool,
        roots: &Roots,
    ) -> Option<(usize, String, Served)> {
        let text = String::from_utf8_lossy(&percent_decoded(path)).into_owned();
        let text = text.split('?').next().unwrap_or_default();
        let below = text.strip_prefix('/').filter(|below| self.has_base(below));
        let text = below.map_or(text, |below| &below[self.base.len()..]);
        let bases = self.base_urls(place, path, is_shortcode).into_iter().enumerate();
        let found = { bases }.find_map(|(index, base)| match join_url(base, text) {
            None => Some((index, String::new(), Served::Outside)),
            Some(url) => self.served_at(&url, roots).map(|served| (index, url, served)),
        });
        let named = || self.page_ending_with(text).filter(|_| is_shortcode);
        found.or_else(|| named().map(|(url, served)| (0, url, served)))
    }

    /// Whether a path from the root of the host is below the path of the site.
    fn has_base(&self, path: &str) -> bool {
        let rest = path.strip_prefix(&*self.base);
        !self.base.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the URLs of the directories to which a link in a document may be relative, the most
    /// likely one first. Their number depends only on the path and kind of the link.
    fn base_urls<'p>(&self, place: &'p PageUrl, path: &[u8], is_shortcode: bool) -> Vec<&'p str> {
        let (url, is_index) = place;
        let language = first_segment(url);
        let base = if *is_index || self.pages_are_directories && !is_shortcode {
            url
        } else {
            parent_url(url)
        };
        if path.starts_with(b"/") {
            // Try the language of the document first, then English.
            vec!["", language, "en"]
        } else if is_shortcode {
            vec![base, "", language, "en"]
        } else if self.has_hook {
            // Hugo also looks for pages from the site's root.
            vec![base, language, parent_url(url)]
        } else if self.generator.name == "hugo" {
            vec![base, language]
        } else {
            vec![base]
        }
    }

    /// Returns the only page whose URL ends with a path.
    fn page_ending_with(&self, path: &str) -> Option<(String, Served)> {
        let name = self.fold_case(self.without_extension(path));
        let end = format!("/{}", name.trim_matches('/'));
        // Hugo looks up neither aliases nor other declared URLs.
        let mut found = self.urls.iter().filter_map(|(file, (url, _))| {
            let url = self.fold_case(url);
            format!("/{url}").ends_with(&end).then_some((url, file))
        });
        let (url, file) = found.next()?;
        found.next().is_none().then(|| (url, Served::Page(file.clone())))
    }

    fn served_at(&self, url: &str, roots: &Roots) -> Option<Served> {
        let page = self.fold_case(self.without_extension(url));
        let has_bare_urls = self.generator.has_bare_urls;
        // `part` is the URL of `part/README.md`, but not of `part.md`.
        let has_same_name = |file: &Path| file.file_stem() == Path::new(url).file_name();
        let is_page = |file: &Path| has_bare_urls || page != url || !has_same_name(file);
        match self.pages.get(&page) {
            Some(Some(file)) if is_page(file) => return Some(Served::Page(file.clone())),
            Some(None) if has_bare_urls => return Some(Served::Other),
            _ => {}
        }
        let folded = self.fold_case(url);
        let is_moved = self.moved.contains(&folded)
            || self.moved_below.iter().any(|start| folded.starts_with(start.as_str()));
        let is_static =
            |file: &PathBuf| if has_bare_urls { roots.exists(file) } else { roots.is_file(file) };
        if is_moved {
            return Some(Served::Other);
        }
        let mut files = self.statics.iter().map(|directory| directory.join(url));
        files.find(|file| is_static(file)).map(Served::File).or_else(|| self.untranslated(&page))
    }

    /// Returns the page that Starlight, a theme of Astro, serves for a page that is not translated.
    /// This is the page of the default language, at the root or below `en`.
    fn untranslated(&self, page: &str) -> Option<Served> {
        let (language, rest) = page.split_once('/').unwrap_or((page, ""));
        let code = language.split('-').next().unwrap_or_default();
        let is_language = code.len() == 2 && self.generator.name == "astro";
        if !is_language || !self.pages.contains_key(language) {
            return None;
        }
        let defaults = [rest.to_owned(), format!("en/{rest}")];
        let file = defaults.iter().find_map(|url| self.pages.get(url)?.clone())?;
        Some(Served::Page(file))
    }

    /// Returns a path without the extension of a page.
    fn without_extension<'a>(&self, path: &'a str) -> &'a str {
        let extension = |end: &&str| path.strip_suffix(*end);
        let Some(page) = EXTENSIONS.iter().find_map(extension) else {
            return path;
        };
        let (directory, name) = page.rsplit_once('/').unwrap_or(("", page));
        if self.generator.indexes.contains(&name.to_lowercase().as_str()) {
            directory
        } else {
            page
        }
    }
}

/// Reads the configuration file of a generator in the directory of a site, or above the directory of
/// its pages.
fn read_content(generator: &'static Generator, root: &Path, env: &Env) -> Option<SiteContent> {
    let above = || {
        let content = SiteContent::read(generator, root.parent()?, env)?;
        content.mounts.iter().any(|(mount, _)| mount == root).then_some(content)
    };
    // The configuration may be next to the directories of its pages.
    let below = || {
        let content = SiteContent::read(generator, &root.join("website"), env)?;
        let is_beside = |(mount, _): &(PathBuf, String)| !mount.starts_with(&content.root);
        content.mounts.iter().any(is_beside).then_some(content)
    };
    SiteContent::read(generator, root, env).or_else(above).or_else(below)
}

/// Splits a date from the beginning of a name.
fn split_date(name: &str) -> Option<(&str, &str)> {
    name.split_at_checked(10).filter(|(date, rest)| {
        let digits = |byte: u8| byte.is_ascii_digit() || byte == b'-';
        date.bytes().all(digits) && rest.starts_with('-')
    })
}

/// Returns the path of a dated post without the directory that contains all posts.
fn without_posts(path: &str) -> Option<String> {
    let (directory, name) = path.rsplit_once('/')?;
    let (above, last) = directory.rsplit_once('/').unwrap_or(("", directory));
    let is_post = matches!(last, "posts" | "_posts") && split_date(name).is_some();
    is_post.then(|| format!("{above}/{name}").trim_start_matches('/').to_owned())
}

/// Returns the URL to which a relative path leads, or `None` if it is above the root.
fn join_url(base: &str, path: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in base.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

fn parent_url(url: &str) -> &str {
    url.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn first_segment(url: &str) -> &str {
    url.split('/').next().unwrap_or_default()
}

/// Returns the value of a key as a list.
fn key_values(front_matter: &FrontMatter, name: &str) -> Vec<String> {
    let values = front_matter.values_of(name).into_iter().map(|value| value.trim().to_owned());
    // Values with placeholders are completed during the build.
    values.filter(|value| !value.is_empty() && !value.contains(':')).collect()
}
