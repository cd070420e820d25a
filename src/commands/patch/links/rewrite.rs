//! Determines the destination with which a link refers to the same target after the edits.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::relocation::{Landing, Relocation};
use super::resolver::{Destination, Form, LinkResolver, Resolved, join_decoded};
use super::wiki_ids::ids_of_fragment;
use crate::commands::site::Site;
use crate::commands::site::routes::MovedLink;
use folio_files::error::Error;
use folio_files::link_target::relative_to;
use folio_markdown::destination::{ids_of, match_path_style, rewritten};
use folio_markdown::links::{Link, LinkKind};

/// The position of a link before and after the edits.
#[derive(Clone)]
pub(super) struct Location<'a> {
    /// The path of the document that contains the link, as the user gave it.
    pub(super) path: &'a Path,
    /// The absolute path of the document, with symlinks resolved.
    pub(super) old: &'a Path,
    /// The absolute path of the document after the edits. For text that is moved to another file,
    /// the path of that file.
    pub(super) new: &'a Path,
    /// The rules of the site of the document, before the edits.
    pub(super) site: &'a Site,
    /// The index of the request that moves the link.
    pub(super) request: Option<usize>,
    /// The copied text that contains the link.
    pub(super) copy: Option<&'a Landing>,
}

/// The effect of the edits on a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The link does not change.
    Unchanged,
    /// The link gets this new destination, because of a request.
    Rewritten(usize, Vec<u8>),
    /// A request deletes the target of the link.
    Broken(usize),
    /// The link seems to refer to a target that a request changes.
    Unresolved(usize),
}

pub(super) struct Rewriter<'a> {
    pub(super) relocation: &'a Relocation,
    pub(super) resolver: LinkResolver<'a>,
    /// The index and the path of each file to which links refer.
    pub(super) goals: Vec<(usize, PathBuf)>,
}

/// The target of a link after the edits.
struct Target<'a> {
    /// The file, if it changes.
    file: Option<&'a Path>,
    /// The id, if it changes.
    id: Option<&'a str>,
    /// The request that causes the change.
    request: Option<usize>,
    is_deleted: bool,
}

impl Rewriter<'_> {
    /// Returns the effect of the edits on a link whose destination in the source is `source`.
    ///
    /// # Errors
    ///
    /// Fails if the file system cannot be read.
    pub(super) fn link_effect(
        &self,
        location: &Location<'_>,
        link: &Link,
        source: &[u8],
    ) -> Result<Effect, Error> {
        if let Some(vault) = location.site.vault.as_ref().filter(|_| link.kind == LinkKind::Wiki) {
            return Ok(self.wiki_link_effect(location, vault, source));
        }
        let Some(to) = Destination::parse(link, location.site) else {
            return Ok(Effect::Unchanged);
        };
        let resolved = self.resolver.resolve((location.path, location.old), location.site, &to)?;
        // An unknown shortcode may name a page of a module, a theme or another language.
        let (goal, form) = match resolved {
            Resolved::External => return Ok(Effect::Unchanged),
            Resolved::Elsewhere if to.is_shortcode => return Ok(Effect::Unchanged),
            Resolved::SameName(goal) => {
                let stays = to.is_foreign || location.old.parent() == location.new.parent();
                match self.changing_request(goal, &to).filter(|_| stays) {
                    Some(request) => return Ok(Effect::Unresolved(request)),
                    None if to.is_foreign || to.is_shortcode => return Ok(Effect::Unchanged),
                    None => (None, Form::File),
                }
            }
            Resolved::To(goal, form) => (Some(goal), form),
            Resolved::Served => (None, Form::Url),
            Resolved::Elsewhere => (None, Form::File),
        };
        let target = self.new_target(location, goal, &to);
        let request = target.request.or(location.request).unwrap_or_default();
        let path = match form {
            Form::Url => match self.new_url_path(location, goal, &to, &target)? {
                None => return Ok(Effect::Unresolved(request)),
                Some(Cow::Borrowed(_)) => None,
                Some(Cow::Owned(path)) => Some(path),
            },
            _ => self.new_path(location, &to, &target, form),
        };
        if target.is_deleted && path.is_none() {
            return Ok(Effect::Broken(request));
        }
        let new = rewritten(source, path.as_deref(), target.id);
        if matches!(link.kind, LinkKind::Include | LinkKind::Shortcode) && new.contains(&b'%') {
            // mdBook and Hugo do not decode these paths.
            return Ok(Effect::Unresolved(request));
        }
        Ok(if (path.is_some() || target.id.is_some()) && new != source {
            Effect::Rewritten(request, new)
        } else {
            Effect::Unchanged
        })
    }

    /// Returns the new path for a link to a page or another file of a site, or the existing one if
    /// it does not change. Returns `None` if the site does not contain the page after the edits.
    fn new_url_path<'l>(
        &'l self,
        location: &Location<'l>,
        goal: Option<usize>,
        to: &'l Destination,
        target: &Target<'l>,
    ) -> Result<Option<Cow<'l, [u8]>>, Error> {
        let before = goal.map(|goal| &*self.goals[goal].1);
        let page = before.zip(target.file).filter(|(before, after)| before != after);
        let document = (location.old, location.new);
        let Destination { path, is_shortcode, .. } = to;
        if page.is_none() && location.old == location.new {
            return Ok(Some(Cow::Borrowed(path)));
        }
        let host = self.resolver.context.host;
        let link = MovedLink { document, page, path, is_shortcode: *is_shortcode };
        Ok(location
            .site
            .routes(location.path, &host.env)?
            .and_then(|routes| routes.moved_path(&link, &host.env)))
    }

    /// Returns the request that changes the file to which a destination seems to refer.
    fn changing_request(&self, goal: usize, to: &Destination) -> Option<usize> {
        let file = self.goals[goal].0;
        let moved = self.relocation.moves.get(&file).map(|(_, request)| *request);
        let place = to.fragment.as_deref().and_then(|fragment| {
            self.relocation.change(file, &ids_of(fragment)).map(|change| change.request)
        });
        place.or(moved)
    }

    fn new_target<'t>(
        &'t self,
        location: &Location<'t>,
        goal: Option<usize>,
        to: &Destination,
    ) -> Target<'t> {
        let mut target = Target { file: None, id: None, request: None, is_deleted: false };
        let mut ids = to.fragment.as_deref().map(ids_of).unwrap_or_default();
        if location.site.vault.is_some() {
            // In a vault, a fragment may also be the text of a heading.
            let names: Vec<String> = ids.iter().flat_map(|id| ids_of_fragment(id)).collect();
            ids.extend(names);
        }
        if let Some(copy) = location.copy.filter(|_| to.path.is_empty())
            && let Some(id) = ids.iter().find_map(|id| copy.ids.get(id))
        {
            // A link in copied text refers to the copy of its target.
            target.file = (location.old != location.new).then_some(location.new);
            target.id = (!ids.contains(id)).then_some(id);
            return target;
        }
        let Some(goal) = goal else { return target };
        let mut file = self.goals[goal].0;
        if let Some(change) = self.relocation.change(file, &ids) {
            target.request = Some(change.request);
            match &change.to {
                None => target.is_deleted = true,
                Some((other, id)) => {
                    let name = self.relocation.wiki_name(*other, id).unwrap_or(id);
                    target.id = (!ids.contains(id)).then_some(name);
                    let found = self.goals.iter().find(|(number, _)| number == other);
                    target.file = found.filter(|_| *other != file).map(|(_, place)| &**place);
                    file = *other;
                }
            }
        }
        if let Some((moved, request)) = self.relocation.moves.get(&file) {
            target.file = Some(moved);
            target.request.get_or_insert(*request);
        }
        target
    }

    /// Returns the new path for a link. Returns `None` if the path does not change.
    fn new_path(
        &self,
        location: &Location<'_>,
        to: &Destination,
        target: &Target<'_>,
        form: Form,
    ) -> Option<Vec<u8>> {
        let (site, host) = (location.site, self.resolver.context.host);
        let directory = location.new.parent()?;
        if to.path.is_empty() {
            let file = target.file.unwrap_or(location.old);
            // A link without a fragment still refers to its own page.
            let is_same_page = file == location.new || to.fragment.is_none();
            return if is_same_page { None } else { self.relative_path(location, file, b"") };
        }
        if let Some(file) = target.file {
            if file == location.new && location.old == location.new && to.fragment.is_some() {
                return Some(Vec::new());
            }
            let page = match form {
                Form::Page => file.with_extension(extension_of(&to.path)),
                Form::File | Form::Url => site.shortened(file, &to.path),
            };
            // The path of a file must not end with a slash.
            let end = if page == file { &b"/"[..] } else { b"" };
            let written = to.path.strip_suffix(end).unwrap_or(&to.path);
            return self.relative_path(location, &page, written);
        }
        let base = location.old.parent()?;
        if to.path.starts_with(b"/") || base == directory {
            return None;
        }
        let roots = &host.env.roots;
        let file = join_decoded(base, &to.path);
        // A site generator may define aliases, such as `@site/docs` or `~/x.md`.
        let is_alias = to.path.first().is_some_and(|first| b"@~{$".contains(first));
        if is_alias && !roots.exists(&file) {
            return None;
        }
        let before = relative_to(directory, &file, roots)?;
        let after = relative_to(directory, &join_decoded(directory, &to.path), roots)?;
        if before == after { None } else { self.relative_path(location, &file, &to.path) }
    }

    /// Returns a path relative to the directory of a document after the edits, in the style of an
    /// existing destination.
    fn relative_path(
        &self,
        location: &Location<'_>,
        path: &Path,
        written: &[u8],
    ) -> Option<Vec<u8>> {
        let (site, directory) = (location.site, location.new.parent()?);
        let env = &self.resolver.context.host.env;
        let roots = &env.roots;
        let content = || {
            let routes = site.routes(location.path, env).ok().flatten()?;
            routes.content_root(location.new)
        };
        let content = if written.starts_with(b"/") { content() } else { None };
        let root = match &site.root {
            _ if !written.starts_with(b"/") => None,
            _ if content.is_some() => content,
            Some(root) => roots.resolve(root).ok(),
            None => site.paths.places.repository(directory).ok().flatten(),
        };
        let below = root.and_then(|root| relative_to(&root, path, roots));
        let below = below.filter(|below| !below.starts_with(".."));
        let path = match below {
            Some(below) => Path::new("/").join(below),
            None => relative_to(directory, path, roots)?,
        };
        Some(match_path_style(written, path.into_os_string().into_encoded_bytes()))
    }
}

/// Returns the file name extension in the path of a destination.
fn extension_of(path: &[u8]) -> &str {
    let dot = memchr::memrchr(b'.', path).map_or(path.len(), |dot| dot + 1);
    std::str::from_utf8(&path[dot..]).unwrap_or("html")
}
