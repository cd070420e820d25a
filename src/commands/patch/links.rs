//! Updates the links that an edit would break, in the same transaction. Reports the links that it
//! does not update.

pub(super) mod dangling;
mod references;
mod relocation;
mod resolver;
mod rewrite;
pub(super) mod scope;
mod wiki;
mod wiki_ids;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use self::references::Landed;
use self::relocation::{Landing, Relocation, leading_blank};
use self::resolver::{Goal, LinkResolver};
use self::rewrite::{Effect, Location, Rewriter};
use self::scope::Linking;
use super::context::{Context, FileToOpen};
use super::planned::{Planned, Role};
use super::work::BatchFile;
use super::{Part, Request};
use crate::commands::output::counted;
use folio_files::error::{Code, Error, Hint, Message};
use folio_files::lock::Locks;
use folio_markdown::links::Link;
use folio_outline::document::LoadedDocument;
use folio_outline::document_links::followed_links;
use folio_outline::edit::LineEdit;
use folio_outline::format::Feature;
use folio_text::edit::Edit;
use folio_text::lines::lines_with_ends;
use folio_text::span::LineRange;

/// Maximum number of positions to list in a message.
const MAX_PLACES: usize = 20;

/// Maximum number of positions to list if a hint contains a command that lists all.
const FIRST_PLACES: usize = 3;

/// The requests of a run, with the context for opening documents.
pub(super) struct LinkUpdate<'a> {
    pub(super) requests: &'a [Request],
    pub(super) context: &'a Context<'a>,
    pub(super) locks: &'a Locks,
}

impl Request {
    /// Whether the request may affect links.
    pub(super) fn relocates(&self) -> bool {
        // Replacing a text or pattern rarely removes a heading.
        let is_text = matches!(self.target, Some(Part::Match(_)));
        let requests_update = self.options.updates_links();
        self.operation.relocates() && !self.address.is_stdin() && (requests_update || !is_text)
    }
}

/// Returns the documents with links that the request affects, if the request updates links. Must be
/// called before any file is locked.
///
/// # Errors
///
/// Fails if a document cannot be read.
pub(super) fn documents(context: &Context<'_>, request: &Request) -> Result<Vec<Linking>, Error> {
    if !request.options.updates_links() {
        return Ok(Vec::new());
    }
    let edited_path = &request.address.path;
    let mut places = request.options.links_in.clone();
    if request.options.links {
        places.splice(
            ..0,
            scope::repository_directories(edited_path, &context.sites, &context.host.env)?,
        );
    }
    let mut goals = Vec::new();
    let moves = request.file_destination().is_some();
    let to = request.to.as_ref().filter(|_| !moves).map(|to| &to.path);
    for path in [edited_path].into_iter().chain(to) {
        // If the file does not exist, opening it reports the error.
        let resolved = context.host.env.roots.resolve_if_there(path)?;
        goals.extend(resolved.map(|path| Goal::new(path, moves)));
    }
    scope::documents(&places, &LinkResolver::new(context, goals)?)
}

/// Updates links for the pending plans of the requests `numbers`. Opens a document only if it
/// contains a link to change.
pub(super) fn update_links(
    run: &LinkUpdate<'_>,
    with_links: &HashMap<usize, Vec<Linking>>,
    batch_files: &mut Vec<BatchFile>,
    numbers: &[usize],
) -> Result<(), Error> {
    let requests = run.requests;
    let relocating = numbers.iter().filter(|number| requests[**number].relocates());
    let relocating: HashSet<usize> = relocating.copied().collect();
    if relocating.is_empty() || is_too_large(run, batch_files, &relocating)? {
        return Ok(());
    }
    let relocation = Relocation::compute(batch_files, requests, &relocating, &run.context.sites)?;
    for files in relocation.files.values() {
        files.iter().for_each(|file| batch_files[*file].looks_for_dangling = false);
    }
    if relocation.is_empty() {
        return Ok(());
    }
    let goals: Vec<(usize, PathBuf)> =
        relocation.goals().map(|file| (file, batch_files[file].resolved.clone())).collect();
    let moves = |file| relocation.moves.contains_key(file);
    let link_goals =
        goals.iter().map(|(file, path)| Goal::new(path.clone(), moves(file))).collect();
    let resolver = LinkResolver::new(run.context, link_goals)?;
    let rewriter = Rewriter { relocation: &relocation, resolver, goals };
    rewriter.note_symlinks(batch_files);
    let documents_by_request =
        numbers.iter().filter_map(|number| Some((*number, with_links.get(number)?)));
    let requested_documents = documents_by_request
        .flat_map(|(number, documents)| documents.iter().map(move |document| (number, document)));
    let requested = requested_documents
        .clone()
        .map(|(number, document)| (number, document.resolved.clone()))
        .collect();
    let links_left = BTreeMap::new();
    let mut follower = Follower { run, requested, rewriter: &rewriter, links_left };
    for file in 0..batch_files.len() {
        follower.update_open_document(batch_files, file)?;
    }
    for (file, batch_file) in batch_files.iter_mut().enumerate() {
        follower.keep_definitions(batch_file, file)?;
    }
    let mut examined: HashSet<PathBuf> =
        batch_files.iter().map(|work| work.resolved.clone()).collect();
    for (_, other) in requested_documents {
        if examined.insert(other.resolved.clone()) {
            follower.update_other_document(batch_files, other)?;
        }
    }
    follower.count_others(&relocating, &mut examined, numbers.len())?;
    let links_left = follower.links_left;
    links_left
        .into_iter()
        .for_each(|(number, links_left)| links_left.report(batch_files, number, &relocation));
    Ok(())
}

/// Whether a document is too large to be searched for links, unless the request explicitly includes
/// it.
fn is_too_large(
    run: &LinkUpdate<'_>,
    batch_files: &mut [BatchFile],
    numbers: &HashSet<usize>,
) -> Result<bool, Error> {
    if numbers.iter().any(|number| run.requests[*number].options.updates_links()) {
        return Ok(false);
    }
    for batch_file in batch_files.iter_mut() {
        let is_edited = batch_file.plans.iter().any(|plan| numbers.contains(&plan.request));
        if is_edited && batch_file.planned()?.0.end() > dangling::OWN_LIMIT {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The affected links that were not updated.
#[derive(Debug, Default)]
struct LinksLeft {
    /// The number of links that will be broken, and the files that contain them.
    left: (u64, HashSet<PathBuf>),
    /// The positions of reference links whose definition is not moved with the text to another
    /// file.
    undefined: Vec<String>,
    /// The positions of links whose target is deleted.
    broken: Vec<String>,
    /// The positions and destinations of links that seem to refer to a changed target but cannot be
    /// resolved.
    unresolved: Vec<(String, String)>,
    /// The reason why links in other documents were not examined.
    unseen: Option<String>,
}

/// Edits of the links of one document.
#[derive(Default)]
struct Rewritten {
    /// The edits, grouped by the request that makes them necessary.
    edits: BTreeMap<usize, Vec<LineEdit>>,
    /// Edits of links within text that is moved to another place.
    landed: Vec<Landed>,
}

struct Follower<'a> {
    run: &'a LinkUpdate<'a>,
    /// The documents to update for each request, in addition to the files that it edits.
    requested: HashSet<(usize, PathBuf)>,
    rewriter: &'a Rewriter<'a>,
    links_left: BTreeMap<usize, LinksLeft>,
}

impl Follower<'_> {
    /// Updates the links of a document that is already open.
    fn update_open_document(
        &mut self,
        batch_files: &mut [BatchFile],
        file: usize,
    ) -> Result<(), Error> {
        let moved = self.rewriter.relocation.moves.get(&file).cloned();
        let batch_file = &mut batch_files[file];
        let (path, old) = (batch_file.path.clone(), batch_file.resolved.clone());
        let (source, _) = batch_file.planned()?;
        let mut rewritten =
            self.rewrite_document(source, &path, &old, Some(file), moved.as_ref())?;
        let needed = self.needed_changes(batch_files, file)?;
        let landings = &self.rewriter.relocation.landings;
        rewritten.landed.extend(needed.landed);
        rewritten.landed.retain(|(landing, line, ..)| {
            let last = landings[*landing].lines.end();
            line + needed.foreign.get(landing).copied().unwrap_or(0) <= last
        });
        rewritten.landed.sort_by_key(|(_, line, column, ..)| (*line, *column));
        let mut arrivals: BTreeMap<usize, Vec<Landed>> = BTreeMap::new();
        for landed in rewritten.landed {
            arrivals.entry(landed.0).or_default().push(landed);
        }
        for (landing, landed) in arrivals {
            let landing = &landings[landing];
            splice(landing.arrival(batch_files), landing.lines.start(), &landed);
        }
        for (landing, count) in needed.foreign {
            references::cut_definitions(landings[landing].arrival(batch_files), count);
        }
        for (landing, definitions) in needed.definitions {
            references::add_definitions(landings[landing].arrival(batch_files), &definitions);
        }
        add_plans(&mut batch_files[file], rewritten.edits);
        Ok(())
    }

    /// Updates the links of a document, if any of them changes. Opens the document first.
    fn update_other_document(
        &mut self,
        batch_files: &mut Vec<BatchFile>,
        other: &Linking,
    ) -> Result<(), Error> {
        let source = self.run.context.read_document(&other.path)?;
        let rewritten = self.rewrite_document(&source, &other.path, &other.resolved, None, None)?;
        if rewritten.edits.is_empty() {
            return Ok(());
        }
        let Linking { path, resolved } = other.clone();
        let file_to_open = FileToOpen {
            path,
            resolved,
            is_written: true,
            is_transferred: false,
            is_new: false,
            moves_to: None,
        };
        let mut batch_file = self.run.context.open_file(file_to_open, self.run.locks)?;
        if !self.run.context.options.writes_nothing() {
            // If the document has changed since it was read, the edits would be wrong.
            let before = source.whole();
            if batch_file.source.whole() != before {
                return Err(Error::new(
                    Code::FileChanged,
                    "the file changed while it was being read",
                )
                .at(&other.path)
                .hint("run the command again"));
            }
        }
        add_plans(&mut batch_file, rewritten.edits);
        batch_files.push(batch_file);
        Ok(())
    }

    /// Counts the affected links whose update was not requested. Must be called only once per run.
    fn count_others(
        &mut self,
        relocating: &HashSet<usize>,
        examined: &mut HashSet<PathBuf>,
        count: usize,
    ) -> Result<(), Error> {
        let requests = self.run.requests;
        let is_complete = count == requests.len();
        let requests_update = |number: &usize| requests[*number].options.updates_links();
        if !is_complete || relocating.iter().all(requests_update) {
            return Ok(());
        }
        match self.count_in_surroundings(relocating, examined) {
            Err(error) if error.code == Code::Cancelled => Err(error),
            // If counting fails, the edit is still made.
            Err(error) => {
                let first = relocating.iter().min().copied().unwrap_or_default();
                let unseen = format!("links elsewhere could not be counted: {error}");
                self.links_left.entry(first).or_default().unseen = Some(unseen);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Counts the affected links, in the repository or roots of the edited files, whose update was
    /// not requested.
    fn count_in_surroundings(
        &mut self,
        relocating: &HashSet<usize>,
        examined: &mut HashSet<PathBuf>,
    ) -> Result<(), Error> {
        let Context { sites, host, .. } = self.run.context;
        let mut places: Vec<PathBuf> = Vec::new();
        for &number in relocating {
            let request = &self.run.requests[number];
            if !request.options.updates_links() {
                places.extend(scope::surrounding_directories(
                    &request.address.path,
                    sites,
                    &host.env,
                )?);
            }
        }
        places.sort();
        places.dedup();
        for other in scope::documents(&places, &self.rewriter.resolver)? {
            if examined.insert(other.resolved.clone()) {
                let source = self.run.context.read_document(&other.path)?;
                self.rewrite_document(&source, &other.path, &other.resolved, None, None)?;
            }
        }
        Ok(())
    }

    /// Whether a request updates the links of a document.
    fn is_requested(&self, number: usize, file: Option<usize>, resolved: &Path) -> bool {
        let relocation = self.rewriter.relocation;
        let is_edited =
            |file| relocation.files.get(&number).is_some_and(|files| files.contains(&file));
        let is_named = || self.requested.contains(&(number, resolved.to_owned()));
        self.run.requests[number].options.updates_links()
            && (file.is_some_and(is_edited) || is_named())
    }

    /// Determines how the links of a document change.
    fn rewrite_document(
        &mut self,
        source: &LoadedDocument,
        path: &Path,
        old: &Path,
        file: Option<usize>,
        moved: Option<&(PathBuf, usize)>,
    ) -> Result<Rewritten, Error> {
        let mut rewritten = Rewritten::default();
        if !source.format().has(Feature::Links) {
            return Ok(rewritten);
        }
        let text = source.whole();
        let rewriter = self.rewriter;
        let site = &*self.run.context.sites.site_of(path)?;
        let is_edited =
            |file| rewriter.relocation.files.values().any(|files| files.contains(&file));
        if !file.is_some_and(is_edited) && !rewriter.resolver.may_concern(site, text) {
            return Ok(rewritten);
        }
        let landings = &rewriter.relocation.landings;
        let new = moved.map_or(old, |(new, _)| new);
        let request = moved.map(|(_, request)| *request);
        let document_location = Location { path, old, new, site, request, copy: None };
        let links = followed_links(text, source.format());
        for link in site.with_other_links(links, text, source.format()) {
            let written = &text[link.destination.start() as usize..link.destination.end() as usize];
            let contains_link = |landing: &&(usize, &Landing)| {
                let lines = landing.1.lines;
                Some(landing.1.from) == file && (lines.start()..=lines.end()).contains(&link.line)
            };
            let landed: Vec<(usize, &Landing)> =
                landings.iter().enumerate().filter(|landing| contains_link(&landing)).collect();
            for &(number, landing) in &landed {
                let new = &rewriter.path_after(landing.to);
                let request = Some(landing.request);
                let copy = landing.is_copy.then_some(landing);
                let location = Location { path, old, new, site, request, copy };
                let effect = rewriter.link_effect(&location, &link, written)?;
                let Some((_, content)) = self.record_effect(effect, &link, path, old, file) else {
                    continue;
                };
                let start = link.destination.start() as usize;
                let line = memchr::memrchr(b'\n', &text[..start]).map_or(0, |feed| feed + 1);
                rewritten.landed.push((number, link.line, start - line, written.len(), content));
            }
            let leaves = landed.iter().any(|(_, landing)| !landing.is_copy);
            let is_deleted =
                file.is_some_and(|file| rewriter.relocation.deletes(file, link.destination));
            if leaves || is_deleted {
                continue;
            }
            let effect = rewriter.link_effect(&document_location, &link, written)?;
            if let Some((number, content)) = self.record_effect(effect, &link, path, old, file) {
                let edit = LineEdit::new(Edit::new(link.destination, content), link.line);
                rewritten.edits.entry(number).or_default().push(edit);
            }
        }
        Ok(rewritten)
    }

    /// Records how a link is affected. If the link is to be updated, returns its new destination
    /// and the request.
    fn record_effect(
        &mut self,
        effect: Effect,
        link: &Link,
        path: &Path,
        old: &Path,
        file: Option<usize>,
    ) -> Option<(usize, Vec<u8>)> {
        let is_requested = |number| self.is_requested(number, file, old);
        match effect {
            Effect::Unchanged => None,
            Effect::Rewritten(number, content) if is_requested(number) => Some((number, content)),
            Effect::Rewritten(number, _) => {
                let (links, files) = &mut self.links_left.entry(number).or_default().left;
                *links += 1;
                files.insert(old.to_owned());
                None
            }
            Effect::Broken(number) => {
                let links_left = self.links_left.entry(number).or_default();
                links_left.broken.push(line_address(path, link.line));
                None
            }
            Effect::Unresolved(number) => {
                let text = String::from_utf8_lossy(&link.text);
                let links_left = self.links_left.entry(number).or_default();
                links_left.unresolved.push((line_address(path, link.line), text.into_owned()));
                None
            }
        }
    }
}

impl Rewriter<'_> {
    /// Adds a warning about symlinks that will be broken to each moved file.
    fn note_symlinks(&self, batch_files: &mut [BatchFile]) {
        for (goal, (file, _)) in self.goals.iter().enumerate() {
            let names = self.resolver.broken_symlinks(goal);
            if !names.is_empty() {
                let count = counted(names.len() as u64, "symlink");
                let warning = format!("{count} will be broken: {}", join_first(names, MAX_PLACES));
                batch_files[*file].warnings.push(warning.into());
            }
        }
    }

    /// Returns the path of a file after the edits.
    fn path_after(&self, file: usize) -> PathBuf {
        let moved = self.relocation.moves.get(&file).map(|(moved, _)| moved);
        let goal = || self.goals.iter().find(|(number, _)| *number == file).map(|(_, path)| path);
        moved.or_else(goal).cloned().unwrap_or_default()
    }
}

/// Applies link edits to the content that a plan inserts. The content begins with line `first` of
/// its original document.
fn splice(plan: &mut Planned, first: u64, landed: &[Landed]) {
    let Some(edit) = plan.edits.first_mut() else { return };
    let text = std::mem::take(&mut edit.edit.content);
    let mut rewritten = 0;
    let mut lines = lines_with_ends(&text);
    let blank = lines.by_ref().take(leading_blank(&text) as usize);
    let mut start: usize = blank.map(<[u8]>::len).sum();
    let (mut current_line, mut copied) = (first, 0);
    for (_, line, column, length, content) in landed {
        let passed = lines.by_ref().take((line - current_line) as usize);
        start += passed.map(<[u8]>::len).sum::<usize>();
        current_line = *line;
        // If a link was found twice, it is updated only once.
        let Some(between) = text.get(copied..start + column) else { continue };
        edit.edit.content.extend_from_slice(between);
        edit.edit.content.extend_from_slice(content);
        copied = start + column + length;
        rewritten += 1;
    }
    edit.edit.content.extend_from_slice(&text[copied..]);
    plan.rewritten += rewritten;
}

/// Adds edits of links to the plans of a file.
fn add_plans(batch_file: &mut BatchFile, edits: BTreeMap<usize, Vec<LineEdit>>) {
    for (number, edits) in edits {
        let lines = edits.first().zip(edits.last());
        let affected = lines.map(|(first, last)| LineRange::from_to(first.line, last.line));
        let rewritten = edits.len() as u64;
        let mut plan = Planned::new(Role::Links, edits, affected);
        plan.rewritten = rewritten;
        batch_file.plan(number, plan);
    }
}

impl LinksLeft {
    /// Adds the links that were not updated to the warnings of the request.
    fn report(self, batch_files: &mut [BatchFile], number: usize, relocation: &Relocation) {
        let edited_files = relocation.files.get(&number).into_iter().flatten();
        let is_edit = |plan: &Planned| plan.request == number && plan.role == Role::Edited;
        let has_edit = |&file: &usize| batch_files[file].plans.iter().any(&is_edit);
        let Some(file) = edited_files.copied().find(has_edit) else { return };
        let plans = &mut batch_files[file].plans;
        let Some(plan) = plans.iter_mut().find(|plan| is_edit(plan)) else { return };
        let (links, files) = (self.left.0, self.left.1.len() as u64);
        plan.left = (links > 0).then_some((links, files));
        plan.warnings.extend(self.unseen.map(Message::from));
        plan.unresolved = unresolved_message(&self.unresolved);
        for (places, noun, singular, plural) in [
            (self.broken, "link", "leads to what goes", "lead to what goes"),
            (self.undefined, "reference", "is not defined there", "are not defined there"),
        ] {
            let verb = if places.len() == 1 { singular } else { plural };
            let count = counted(places.len() as u64, noun);
            if !places.is_empty() {
                let message = format!("{count} {verb}: {}", join_first(&places, MAX_PLACES));
                plan.warnings.push(message.into());
            }
        }
    }
}

/// Returns a sentence about links that cannot be resolved and, if their destinations have a common
/// end, the command that lists all links with this end.
fn unresolved_message(links: &[(String, String)]) -> Option<(Message, Option<Hint>)> {
    let (_, first) = links.first()?;
    let is_common = |end: &&str| links.iter().all(|(_, text)| text.ends_with(*end));
    let end = first.char_indices().map(|(at, _)| &first[at..]).find(is_common).unwrap_or_default();
    let end = Some(end.trim_start_matches('-')).filter(|end| end.len() > 2);
    let list = end.map(|end| Hint::command("grep", ["-F", end]).why("to list them all"));
    let shown = |(place, text): &(String, String)| format!("{place} ({text})");
    let places: Vec<String> = links.iter().map(shown).collect();
    let verb = match places.len() {
        1 => "may refer to it and was not changed",
        _ => "may refer to it and were not changed",
    };
    let count = counted(places.len() as u64, "link");
    let most = if list.is_some() { FIRST_PLACES } else { MAX_PLACES };
    let list = list.filter(|_| places.len() > most);
    Some((format!("{count} {verb}: {}", join_first(&places, most)).into(), list))
}

/// Formats a line as an address.
fn line_address(path: &Path, line: u64) -> String {
    format!("{}:{line}", path.display())
}

/// Joins the first `most` of several positions or paths, and the number of the others.
pub(super) fn join_first(places: &[String], most: usize) -> String {
    let more = places.len().saturating_sub(most);
    let first = places[..places.len() - more].join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}
