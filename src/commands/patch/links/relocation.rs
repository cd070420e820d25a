//! Determines how edits change the targets of links: which file contains a heading after the edits,
//! and which id the heading has.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;

use super::super::planned::{Planned, Role};
use super::super::work::BatchFile;
use super::super::{Operation, Request};
use super::wiki_ids::wiki_ids;
use crate::commands::site::rules::SiteRules;
use folio_files::error::Error;
use folio_markdown::slug::SlugStyle;
use folio_markdown::wiki_links::block_ids;
use folio_outline::document::LoadedDocument;
use folio_outline::edit::LineSet;
use folio_outline::format::Feature;
use folio_outline::lookup::{heading_ids, other_anchors_of_site, slugs, slugs_of_site};
use folio_outline::outline::Outline;
use folio_text::lines::lines_with_ends;
use folio_text::separation::is_blank;
use folio_text::span::{LineRange, Span};

/// An id and the line to which it refers.
#[derive(Clone, Debug)]
struct Id {
    id: String,
    line: u64,
    /// The offset at which the line begins.
    start: u64,
    kind: IdKind,
}

/// The origin of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IdKind {
    /// The slug of a heading, by the rules of the file's site.
    Slug,
    /// The slug that the heading has on GitHub, for links from outside of the site.
    GithubSlug,
    /// An id in the text.
    Explicit,
    /// The texts of this many headings, which wiki links contain.
    Wiki(usize),
}

/// A file before and after its planned edits.
struct EditedFile {
    set: LineSet,
    /// For each edit, the span of its content in the new file.
    spans: Vec<Span>,
    /// For each edit, the request to which it belongs.
    owners: Vec<usize>,
    old: Vec<Id>,
    /// The ids after the edits, sorted by line.
    new: Vec<Id>,
    after: LoadedDocument,
}

/// The new target of an id, and the request that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IdChange {
    /// The index of a file, and the id in that file. `None` if the target is deleted.
    pub(super) to: Option<(usize, String)>,
    /// The request that causes the change.
    pub(super) request: usize,
}

/// Text that is moved or copied to another place.
#[derive(Clone, Debug)]
pub(super) struct Landing {
    pub(super) request: usize,
    /// The index of the original file, and the lines in that file without blank lines at the ends.
    pub(super) from: usize,
    pub(super) lines: LineRange,
    /// The index of the new file, and of the plan that inserts the text.
    pub(super) to: usize,
    pub(super) plan: usize,
    /// The first line of the text in the new file.
    first: u64,
    pub(super) is_copy: bool,
    /// For copied text, the id in the copy for each original id.
    pub(super) ids: HashMap<String, String>,
}

impl Landing {
    /// Returns the plan that inserts the text.
    pub(super) fn arrival<'w>(&self, batch_files: &'w mut [BatchFile]) -> &'w mut Planned {
        &mut batch_files[self.to].plans[self.plan]
    }
}

/// The changes of link targets that edits cause.
#[derive(Default)]
pub(super) struct Relocation {
    /// The ids whose target changes, by the index of their file.
    changes: HashMap<usize, HashMap<String, IdChange>>,
    /// The keys of `changes`, by their lower-case form.
    lower: HashMap<usize, HashMap<String, String>>,
    /// The ids whose target does not change.
    unchanged: HashMap<usize, HashSet<String>>,
    /// The new paths of moved files, and the requests that move them.
    pub(super) moves: HashMap<usize, (PathBuf, usize)>,
    pub(super) landings: Vec<Landing>,
    /// The bytes of each file that are deleted or replaced.
    deleted: HashMap<usize, Vec<Span>>,
    /// The texts of headings in wiki links, by the ids that their files have after the edits.
    pub(super) wiki_names: HashMap<usize, HashMap<String, String>>,
    /// The files to which each request refers.
    pub(super) files: HashMap<usize, HashSet<usize>>,
}

impl Relocation {
    /// Computes the effect of pending plans. Plans of requests other than `numbers` are considered
    /// only for the same files. The rules of its site determine the slugs of each file.
    pub(super) fn compute(
        batch_files: &mut [BatchFile],
        requests: &[Request],
        numbers: &HashSet<usize>,
        sites: &SiteRules,
    ) -> Result<Self, Error> {
        let mut relocation = Self::default();
        let mut edited = HashMap::new();
        for (file, batch_file) in batch_files.iter_mut().enumerate() {
            let request_numbers = batch_file.plans.iter().map(|plan| plan.request);
            let request_numbers: Vec<usize> =
                request_numbers.filter(|number| numbers.contains(number)).collect();
            if request_numbers.is_empty() {
                continue;
            }
            request_numbers.iter().for_each(|number| {
                relocation.files.entry(*number).or_default().insert(file);
            });
            if let Some((number, to)) = &batch_file.moves_to {
                relocation.moves.insert(file, (to.resolved(), *number));
            }
            let site = sites.site_of(&batch_file.path)?;
            let style = site.generator.map(|generator| generator.slugs);
            let edited_file = EditedFile::new(batch_file, style, site.vault.is_some())?;
            if site.vault.is_some() {
                let ids = wiki_ids(edited_file.after.outline()).into_iter();
                relocation.wiki_names.insert(file, ids.map(|id| (id.id, id.name)).collect());
            }
            edited.insert(file, edited_file);
        }
        relocation.find_landings(batch_files, requests, &edited);
        for (&file, edited_file) in &edited {
            let set = edited_file.set.edits.edits().iter();
            let spans = set.map(|edit| edit.span).filter(|span| !span.is_empty()).collect();
            relocation.deleted.insert(file, spans);
        }
        // A renumbering is attributed to a request that updates links.
        let requests_update = |number: &&usize| requests[**number].options.updates_links();
        let shifts =
            |owners: &[usize]| owners.iter().find(requests_update).or(owners.first()).copied();
        relocation.compare(&edited, &|edited_file| shifts(&edited_file.owners).unwrap_or_default());
        Ok(relocation)
    }

    /// Finds the places to which text is moved or copied.
    fn find_landings(
        &mut self,
        batch_files: &[BatchFile],
        requests: &[Request],
        edited: &HashMap<usize, EditedFile>,
    ) {
        for (to, batch_file) in batch_files.iter().enumerate() {
            let Some(target) = edited.get(&to) else { continue };
            for (plan, planned) in batch_file.plans.iter().enumerate() {
                let (Role::Arrival, Some((from, lines))) = (planned.role, planned.came_from) else {
                    continue;
                };
                let Some(at) = target.set.owners.iter().position(|&owner| owner as usize == plan)
                else {
                    continue;
                };
                let content = &target.set.edits.edits()[at].content;
                let first = target.after.line_of(target.spans[at].start()) + leading_blank(content);
                let is_copy = requests[planned.request].operation == Operation::Copy;
                let ids = HashMap::new();
                self.landings.push(Landing {
                    request: planned.request,
                    from,
                    lines,
                    to,
                    plan,
                    first,
                    is_copy,
                    ids,
                });
            }
        }
    }

    /// Compares the ids of files before and after the edits.
    fn compare(
        &mut self,
        edited: &HashMap<usize, EditedFile>,
        shifted_by: &dyn Fn(&EditedFile) -> usize,
    ) {
        for (&file, edited_file) in edited {
            let mut seen = HashSet::new();
            let shifted_by = shifted_by(edited_file);
            let (mut changes, mut lower) = (HashMap::new(), HashMap::new());
            for id in edited_file.old.iter().filter(|id| seen.insert(&id.id)) {
                let (line, owner) = edited_file.line_after(id);
                for landing in self.landings.iter_mut().filter(|landing| landing.from == file) {
                    let copied_line = landing.line_of(id.line).filter(|_| landing.is_copy);
                    let copied_id =
                        copied_line.and_then(|line| edited.get(&landing.to)?.id_on(line, id));
                    landing.ids.extend(copied_id.map(|copied_id| (id.id.clone(), copied_id)));
                }
                let moved = |landing: &&Landing| landing.from == file && !landing.is_copy;
                let mut landings = self.landings.iter().filter(moved);
                let landed = landings.find_map(|landing| {
                    Some((landing.to, landing.line_of(id.line)?, landing.request))
                });
                let (to, line, request) = match landed {
                    Some((to, line, request)) => (to, Some(line), request),
                    None => (file, line, owner.unwrap_or(shifted_by)),
                };
                let new_id = line.and_then(|line| edited.get(&to)?.id_on(line, id));
                let to = new_id.map(|id| (to, id));
                if to.as_ref().is_some_and(|(to, new)| *to == file && *new == id.id) {
                    self.unchanged.entry(file).or_default().insert(id.id.clone());
                } else {
                    lower.entry(id.id.to_lowercase()).or_insert_with(|| id.id.clone());
                    changes.insert(id.id.clone(), IdChange { to, request });
                }
            }
            self.lower.insert(file, lower);
            self.changes.insert(file, changes);
        }
    }

    /// Whether the edits do not affect any link.
    pub(super) fn is_empty(&self) -> bool {
        let is_carried = |landing: &Landing| landing.from != landing.to || landing.is_copy;
        self.moves.is_empty()
            && self.changes.values().all(HashMap::is_empty)
            && !self.landings.iter().any(is_carried)
    }

    /// Returns the indexes of the files to which affected links may refer.
    pub(super) fn goals(&self) -> impl Iterator<Item = usize> {
        let changed = self.changes.iter().filter(|(_, changes)| !changes.is_empty());
        let changed = changed.map(|(file, _)| *file).chain(self.moves.keys().copied());
        let carried = self.landings.iter().flat_map(|landing| [landing.from, landing.to]);
        changed.chain(carried).collect::<BTreeSet<usize>>().into_iter()
    }

    /// Returns the change of a fragment's target, if there is one. `ids` are the ids to which the
    /// fragment may refer. If none of them matches exactly, case is ignored.
    pub(super) fn change(&self, file: usize, ids: &[String]) -> Option<&IdChange> {
        let changes = self.changes.get(&file).filter(|changes| !changes.is_empty())?;
        if let Some(change) = ids.iter().find_map(|id| changes.get(id)) {
            return Some(change);
        }
        let is_unchanged =
            |unchanged: &HashSet<String>| ids.iter().any(|id| unchanged.contains(id));
        if self.unchanged.get(&file).is_some_and(is_unchanged) {
            return None;
        }
        let id = self.lower.get(&file)?.get(&ids.first()?.to_lowercase())?;
        changes.get(id)
    }

    /// Whether the edits delete or replace bytes of a part of a file.
    pub(super) fn deletes(&self, file: usize, part: Span) -> bool {
        self.deleted.get(&file).is_some_and(|spans| {
            let first = spans.partition_point(|span| span.end() <= part.start());
            spans.get(first).is_some_and(|span| span.start() < part.end())
        })
    }
}

impl Landing {
    /// Returns the new number of a line of the text.
    fn line_of(&self, line: u64) -> Option<u64> {
        let is_within = (self.lines.start()..=self.lines.end()).contains(&line);
        is_within.then(|| self.first + line - self.lines.start())
    }
}

impl EditedFile {
    fn new(
        batch_file: &mut BatchFile,
        style: Option<SlugStyle>,
        is_in_vault: bool,
    ) -> Result<Self, Error> {
        let numbers: Vec<usize> = batch_file.plans.iter().map(|plan| plan.request).collect();
        let (source, set) = batch_file.planned()?;
        let after = source.edited(&set.edits);
        let has_anchors = source.format().has(Feature::Links);
        let (mut old, mut new) =
            if has_anchors { (ids(source, style), ids(&after, style)) } else { Default::default() };
        if is_in_vault && has_anchors {
            old.extend(ids_of_note(source));
            new.extend(ids_of_note(&after));
        }
        // The sort is stable, so slugs remain before other ids on the same line.
        new.sort_by_key(|id| id.line);
        let owners = set.owners.iter().map(|&plan| numbers[plan as usize]).collect();
        let spans = set.edits.new_spans();
        Ok(Self { set, spans, owners, old, new, after })
    }

    /// Returns the line of an id after the edits, if the file still contains it, and the request
    /// that changes that line.
    fn line_after(&self, id: &Id) -> (Option<u64>, Option<usize>) {
        let edits = self.set.edits.edits();
        let preceding = edits.partition_point(|edit| edit.span.start() <= id.start);
        let mut start = id.start;
        if let Some(at) = preceding.checked_sub(1) {
            let (edit, new) = (&edits[at], self.spans[at]);
            if id.start < edit.span.end() {
                // The content that replaces a line counts as that line.
                let stays = edit.span.start() == id.start && !edit.content.is_empty();
                let line = if stays { Some(self.after.line_of(new.start())) } else { None };
                return (line, Some(self.owners[at]));
            }
            start = new.end() + (id.start - edit.span.end());
        }
        // The first edit after the start of the line may be on the same line.
        let end = edits.len().min(preceding + 1);
        let on_line = (0..end).rev().take_while(|&at| self.set.lines[at] >= id.line);
        let mut on_line = on_line.filter(|&at| self.set.lines[at] == id.line);
        let owner = on_line.find(|&at| !edits[at].span.is_empty()).map(|at| self.owners[at]);
        (Some(self.after.line_of(start)), owner)
    }

    /// Returns the id that corresponds to an old id, on a line after the edits.
    fn id_on(&self, line: u64, old: &Id) -> Option<String> {
        let first = self.new.partition_point(|new| new.line < line);
        let on_line = || self.new[first..].iter().take_while(|new| new.line == line);
        let is_equivalent =
            |new: &&Id| new.kind == old.kind && (old.kind != IdKind::Explicit || new.id == old.id);
        let equivalent = on_line().find(is_equivalent);
        let explicit = || on_line().find(|new| new.kind == IdKind::Explicit);
        let new_id = equivalent.or_else(explicit).or_else(|| on_line().next())?;
        Some(new_id.id.clone())
    }
}

/// Returns all ids that a link may use. Slugs of headings come first, because they take precedence.
/// If the file belongs to a site, links from outside of it use the slugs of GitHub.
fn ids(source: &LoadedDocument, style: Option<SlugStyle>) -> Vec<Id> {
    let outline: &Outline = source.outline();
    // An explicit id does not depend on the heading's text.
    let explicit_heading_ids: HashSet<(u64, &str)> = heading_ids(outline).collect();
    let slugs = style.map_or_else(|| slugs(outline), |style| slugs_of_site(style, outline));
    let slugs = slugs.into_iter().map(|(index, id)| {
        let line = outline.sections()[index].lines().start();
        (id, line, IdKind::Slug)
    });
    let slugs = slugs.filter(|(id, line, _)| !explicit_heading_ids.contains(&(*line, id.as_str())));
    let others = match style {
        Some(style) => other_anchors_of_site(style, outline),
        None => outline.anchors().iter().map(|it| (it.id.clone(), it.line)).collect(),
    };
    let explicit = others.into_iter().map(|(id, line)| (id, line, IdKind::Explicit));
    let mut ids: Vec<(String, u64, IdKind)> = slugs.chain(explicit).collect();
    if style.is_some() {
        let known: HashSet<String> = ids.iter().map(|(id, ..)| id.clone()).collect();
        let github = self::slugs(outline).into_iter().filter(|(_, id)| !known.contains(id));
        ids.extend(github.map(|(index, id)| {
            (id, outline.sections()[index].lines().start(), IdKind::GithubSlug)
        }));
    }
    ids.into_iter()
        .map(|(id, line, kind)| Id { id, line, start: source.line_start(line), kind })
        .collect()
}

/// Returns the ids of the headings and blocks of a note that only links in its vault use.
fn ids_of_note(source: &LoadedDocument) -> Vec<Id> {
    let headings = wiki_ids(source.outline()).into_iter();
    let headings = headings.map(|id| (id.id, id.line, IdKind::Wiki(id.length)));
    let blocks = block_ids(source.whole());
    let blocks = blocks.map(|(line, id)| (format!("^{id}"), line, IdKind::Explicit));
    let ids = headings.chain(blocks);
    ids.map(|(id, line, kind)| Id { id, line, start: source.line_start(line), kind }).collect()
}

/// Returns the number of blank lines at the beginning of content.
pub(super) fn leading_blank(content: &[u8]) -> u64 {
    lines_with_ends(content).take_while(|line| is_blank(line)).count() as u64
}
