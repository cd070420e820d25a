//! Links that lead to the headings of a document, rewritten where a heading
//! gets another name.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::plan::{LineEdit, Plan, Role};
use super::source::Source;
use crate::error::{Code, Error};
use crate::files::document::{Document, DocumentOptions};
use crate::files::env::Env;
use crate::files::link_target::LinkPaths;
use crate::files::listing::WalkOptions;
use crate::files::walk;
use crate::text::edit::{Edit, EditSet};
use crate::text::format::Feature;
use crate::text::markdown::destination::{
    is_external, percent_decoded, rewritten_fragment, split_destination,
};
use crate::text::markdown::links::{Link, links};
use crate::text::span::LineRange;
use crate::text::target::{anchor_ids, slugs};

/// The largest document that is looked through for links to its own headings.
const OWN_LIMIT: u64 = 4 * 1024 * 1024;

/// From the slugs and ids that headings had to those that the same headings have.
pub(super) type Renamed = HashMap<String, String>;

/// Which slugs and ids change by edits that leave the number of headings as it was.
pub(super) fn renamed(source: &mut Source, edits: &EditSet) -> Result<Renamed, Error> {
    let old = source.outline()?;
    let new = source.edited(edits)?.outline()?;
    let (old_slugs, new_slugs) = (slugs(&old), slugs(&new));
    if old_slugs.len() != new_slugs.len() {
        return Ok(Renamed::new());
    }
    let kept: HashSet<String> = anchor_ids(&new).collect();
    let mut renamed = Renamed::new();
    for anchor in old.anchors().iter().filter(|anchor| !kept.contains(&anchor.id)) {
        // It leads to what the same heading has now, which is on the same line.
        let is_own =
            |(index, _): &&(usize, String)| new.sections()[*index].lines().start() == anchor.line;
        let own = new.anchors().iter().find(|other| other.line == anchor.line);
        let own = own.map(|other| &other.id);
        if let Some(id) = new_slugs.iter().find(is_own).map(|(_, slug)| own.unwrap_or(slug)) {
            renamed.insert(anchor.id.clone(), id.clone());
        }
    }
    let pairs = old_slugs.into_iter().zip(new_slugs).map(|((_, old), (_, new))| (old, new));
    renamed.extend(pairs.filter(|(old, new)| old != new));
    Ok(renamed)
}

/// The Markdown documents that paths stand for and that hold a link to
/// `target`, whose links are followed.
pub(super) fn documents(
    paths: &[PathBuf],
    target: &Path,
    load: &DocumentOptions,
    env: &Env,
    link_paths: &LinkPaths,
) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    let walk = WalkOptions::default();
    for path in paths {
        let files = if env.roots.status(path)?.kind.is_dir() {
            let (files, errors) = walk::files_below(path, &walk, env)?;
            // Links may stand where nothing could be seen.
            errors.into_iter().next().map_or(Ok(()), Err)?;
            files
        } else {
            vec![path.clone()]
        };
        for file in files {
            if holds_link(&file, target, load, env, link_paths)? {
                found.push(file);
            }
        }
    }
    Ok(found)
}

/// Whether a file is a Markdown document that holds a link to `target`.
fn holds_link(
    file: &Path,
    target: &Path,
    load: &DocumentOptions,
    env: &Env,
    link_paths: &LinkPaths,
) -> Result<bool, Error> {
    let document = match Document::open_regular(file, load, env) {
        Ok(document) => document,
        Err(error) if error.code == Code::BinaryFile => return Ok(false),
        Err(error) => return Err(error),
    };
    if !document.format().has(Feature::Links) {
        return Ok(false);
    }
    let text = Source::new(document, Vec::new())?.whole()?;
    for link in links(&text) {
        if fragment_of(&link, file, target, link_paths)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Rewrites the links of a document that lead to renamed headings of `target`.
pub(super) fn rewrite(
    source: &mut Source,
    target: &Path,
    renamed: &Renamed,
    paths: &LinkPaths,
) -> Result<Plan, Error> {
    let mut plan = Plan { role: Role::Links, ..Plan::default() };
    if renamed.is_empty() || !source.format().has(Feature::Links) {
        return Ok(plan);
    }
    let text = source.whole()?;
    let path = source.path().to_owned();
    for link in links(&text) {
        let fragment = fragment_of(&link, &path, target, paths)?;
        let Some(slug) = fragment.and_then(|old| renamed.get(&old)) else { continue };
        let (start, end) = (link.destination.start() as usize, link.destination.end() as usize);
        let content = rewritten_fragment(&text[start..end], slug);
        plan.edits.push(LineEdit::new(Edit::new(link.destination, content), link.line));
        let first = plan.affected.map_or(link.line, LineRange::start);
        plan.affected = Some(LineRange::from_to(first, link.line));
    }
    Ok(plan)
}

/// The heading of `target` that a link of the document at `path` leads to.
///
/// Fails where that cannot be known.
fn fragment_of(
    link: &Link,
    path: &Path,
    target: &Path,
    paths: &LinkPaths,
) -> Result<Option<String>, Error> {
    if is_external(&link.text) {
        return Ok(None);
    }
    let (file, fragment) = split_destination(&link.text);
    let decoded = fragment.map(|fragment| percent_decoded(fragment).into_owned());
    let Some(fragment) = decoded.and_then(|fragment| String::from_utf8(fragment).ok()) else {
        return Ok(None);
    };
    if file.is_empty() {
        return Ok(paths.leads_to(path, target)?.then_some(fragment));
    }
    for meant in paths.meant(path, file, None)? {
        if meant.path.file_name() == target.file_name() && paths.leads_to(&meant.path, target)? {
            return Ok(Some(fragment));
        }
    }
    Ok(None)
}

/// Links of a document to anchors of its own that edits make vanish: a warning,
/// where there are any.
pub(super) fn dangling(source: &mut Source, edits: &EditSet) -> Result<Option<String>, Error> {
    let small = source.index()?.text().end() <= OWN_LIMIT;
    if !small || !source.format().has(Feature::Links) || edits.is_empty() {
        return Ok(None);
    }
    let text = source.whole()?;
    let holds = |part: &[u8]| memchr::memmem::find(&text, part).is_some();
    if ![&b"(#"[..], b"(<#", b"]: #", b"]: <#", b"=\"#", b"='#"].iter().any(|part| holds(part)) {
        return Ok(None);
    }
    let old = source.outline()?;
    let mut edited = source.edited(edits)?;
    let new = edited.outline()?;
    let before: HashSet<String> = anchor_ids(&old).collect();
    let after: HashSet<String> = anchor_ids(&new).collect();
    let text = edited.whole()?;
    let mut lost: Vec<(String, u64)> = Vec::new();
    for link in links(&text) {
        let (file, fragment) = split_destination(&link.text);
        let (true, Some(fragment)) = (file.is_empty(), fragment) else { continue };
        let id = String::from_utf8_lossy(&percent_decoded(fragment)).into_owned();
        let vanishes = before.contains(&id) && !after.contains(&id);
        if vanishes && !lost.iter().any(|(other, _)| *other == id) {
            lost.push((id, link.line));
        }
    }
    let Some((id, line)) = lost.first() else { return Ok(None) };
    let more = match lost.len() {
        1 => String::new(),
        count => format!(" (and {} more such)", count - 1),
    };
    Ok(Some(format!("the link to #{id} at line {line} leads nowhere after that{more}")))
}
