//! Updates wiki links. They name a file of a vault wherever it is, and headings by their text, so
//! that many moves and renames leave them unchanged.

use std::path::Path;

use super::relocation::Relocation;
use super::resolver::LinkResolver;
use super::rewrite::{Effect, Location, Rewriter};
use super::wiki_ids::ids_of_fragment;
use crate::commands::site::Site;
use crate::commands::site::vault::{Moves, Vault};
use folio_markdown::links::Link;
use folio_markdown::wiki_links::split_target;

impl LinkResolver<'_> {
    /// Whether a wiki link in a document refers, or may refer, to an edited file.
    pub(super) fn concerns_wiki_link(&self, document: &Path, site: &Site, link: &Link) -> bool {
        let (Some(vault), Ok(target)) = (&site.vault, std::str::from_utf8(&link.text)) else {
            return false;
        };
        let (path, fragment) = split_target(target);
        let files = vault.targets(document, path, &Moves::new(), &self.context.host.env);
        // A file that is moved may take the name of another one.
        if !files.is_empty() && self.has_moves() {
            return true;
        }
        let goals = files.iter().filter_map(|file| self.goal_at(file));
        fragment.is_some() && goals.count() > 0
    }
}

impl Rewriter<'_> {
    /// Returns the effect of the edits on a wiki link whose target in the source is `source`.
    pub(super) fn wiki_link_effect(
        &self,
        location: &Location<'_>,
        vault: &Vault,
        source: &[u8],
    ) -> Effect {
        let env = &self.resolver.context.host.env;
        let Ok(target) = std::str::from_utf8(source) else { return Effect::Unchanged };
        let (path, fragment) = split_target(target);
        let files = vault.targets(location.old, path, &Moves::new(), env);
        let goal = |file: &Path| self.goals.iter().find(|(_, goal)| goal == file);
        let file = match &*files {
            [file] => file,
            [] => return Effect::Unchanged,
            files => {
                let mut changed = files.iter().filter_map(|file| goal(file));
                let request = changed.find_map(|(goal, _)| self.request_of(*goal, fragment));
                return request.map_or(Effect::Unchanged, Effect::Unresolved);
            }
        };
        let ids = fragment.map(ids_of_fragment).unwrap_or_default();
        let (mut new_file, mut new_id, mut request) = (file.clone(), None, location.request);
        let copied = location.copy.filter(|_| path.is_empty());
        if let Some(id) = copied.and_then(|copy| ids.iter().find_map(|id| copy.ids.get(id))) {
            new_file = location.new.to_owned();
            new_id = Some(id.clone());
        } else if let Some((index, _)) = goal(file) {
            let mut index = *index;
            if let Some(change) = self.relocation.change(index, &ids) {
                let Some((other, id)) = &change.to else { return Effect::Broken(change.request) };
                request = Some(change.request);
                let other_path = self.goals.iter().find(|(goal, _)| goal == other);
                new_file = other_path.map_or(new_file, |(_, path)| path.clone());
                (index, new_id) = (*other, Some(id.clone()));
            }
            if let Some((moved, by)) = self.relocation.moves.get(&index) {
                new_file.clone_from(moved);
                request = request.or(Some(*by));
            }
            new_id = new_id
                .filter(|id| !ids.contains(id))
                .map(|id| self.relocation.wiki_name(index, &id).map_or(id, str::to_owned));
        }
        let moves = self.moves();
        let is_same = if path.is_empty() {
            new_file == location.new
        } else {
            vault.targets(location.new, path, &moves, env) == [new_file.as_path()]
        };
        // A file that is moved may take the name of the target.
        let mover = self.relocation.moves.values().map(|(_, request)| *request).min();
        let Some(request) = request.or(mover.filter(|_| !is_same)) else {
            return Effect::Unchanged;
        };
        let new_path = if is_same {
            path.to_owned()
        } else if new_file == location.new && fragment.is_some() {
            String::new()
        } else {
            match vault.path_to(&new_file, location.new, path, &moves, env) {
                Some(path) => path,
                None => return Effect::Unresolved(request),
            }
        };
        let new = match (new_id, target.split_once('#')) {
            (Some(id), _) => format!("{new_path}#{id}"),
            (None, Some((_, fragment))) => format!("{new_path}#{fragment}"),
            (None, None) => new_path,
        };
        if new == target { Effect::Unchanged } else { Effect::Rewritten(request, new.into_bytes()) }
    }

    /// Returns the request that moves a file, or the heading to which a fragment refers.
    fn request_of(&self, goal: usize, fragment: Option<&str>) -> Option<usize> {
        let ids = fragment.map(ids_of_fragment).unwrap_or_default();
        let change = self.relocation.change(goal, &ids).map(|change| change.request);
        change.or_else(|| Some(self.relocation.moves.get(&goal)?.1))
    }

    /// Returns the moves of all files.
    fn moves(&self) -> Moves {
        let moves = self.goals.iter().filter_map(|(index, path)| {
            let (moved, _) = self.relocation.moves.get(index)?;
            Some((path.clone(), moved.clone()))
        });
        moves.collect()
    }
}

impl Relocation {
    /// Returns the text with which a wiki link names the heading with an id, after the edits.
    pub(super) fn wiki_name(&self, file: usize, id: &str) -> Option<&str> {
        self.wiki_names.get(&file)?.get(id).map(String::as_str)
    }
}
