//! Keeps reference links valid. If text is moved to another file, its definitions are copied with
//! it, and are kept in the old file if the remaining text uses them. Footnotes are only reported.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use super::super::planned::{Planned, Role};
use super::super::work::BatchFile;
use super::relocation::Landing;
use super::rewrite::{Effect, Location};
use super::{Follower, dangling};
use folio_files::error::Error;
use folio_markdown::links::{Link, links};
use folio_markdown::references::{Definition, Reference, References, references};
use folio_outline::edit::LineEdit;
use folio_outline::format::Feature;
use folio_text::edit::Edit;
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::separation::is_blank;
use folio_text::span::{LineRange, Span};

/// An edit within moved text: the index of its landing, the line and column in the old file, the
/// old length, and the new bytes.
pub(super) type Landed = (usize, u64, usize, usize, Vec<u8>);

/// Returns the references in moved text whose definitions are not moved with it, by label.
fn without_definition<'a>(
    references: &'a References,
    landing: &Landing,
) -> BTreeMap<&'a str, Vec<&'a Reference>> {
    let lines = landing.lines;
    let is_within = |line: u64| (lines.start()..=lines.end()).contains(&line);
    let mut missing: BTreeMap<&str, Vec<&Reference>> = BTreeMap::new();
    for used in references.used.iter().filter(|used| is_within(used.line)) {
        let definition = references.definitions.get(&used.label);
        if definition.is_some_and(|definition| !is_within(definition.line)) {
            missing.entry(&used.label).or_default().push(used);
        }
    }
    missing
}

/// Returns the number of lines at the end of a text that are definitions which only other text
/// uses. The definitions of a document are often in its last section, although they do not belong
/// to that section.
fn count_foreign_lines(leaving: &Leaving, landing: &Landing) -> u64 {
    let (references, lines) = (&leaving.references, landing.lines);
    let is_within = |line: u64| (lines.start()..=lines.end()).contains(&line);
    let labels = |within: bool| -> HashSet<&String> {
        let used = references.used.iter().filter(|used| is_within(used.line) == within);
        used.map(|used| &used.label).collect()
    };
    let (within, outside) = (labels(true), labels(false));
    let is_foreign = |(label, definition): (&String, &Definition)| {
        let is_line = LineDefinition::parse(&leaving.text, definition, None).is_some();
        (is_line && outside.contains(label) && !within.contains(label)).then_some(definition.line)
    };
    let foreign: HashSet<u64> = references.definitions.iter().filter_map(is_foreign).collect();
    let from_the_end = (lines.start() + 1..=lines.end()).rev();
    from_the_end.take_while(|line| foreign.contains(line)).count() as u64
}

/// Removes lines from the end of inserted content, and the blank lines above them. Blank lines at
/// the very end are kept.
pub(super) fn cut_definitions(plan: &mut Planned, count: u64) {
    let Some(edit) = plan.edits.first_mut().filter(|_| count > 0) else { return };
    let content = &mut edit.edit.content;
    let ends = content.ends_with(b"\n");
    let mut lines: Vec<&[u8]> = lines_with_ends(content).collect();
    let blank = |lines: &[&[u8]]| lines.iter().rev().take_while(|line| is_blank(line)).count();
    let trail = lines.split_off(lines.len() - blank(&lines));
    lines.truncate(lines.len().saturating_sub(count as usize));
    lines.truncate(lines.len() - blank(&lines));
    let mut left = [lines, trail].concat().concat();
    if !ends {
        left.truncate(without_end(&left).len());
    }
    *content = left;
}

/// A link definition on a single line.
struct LineDefinition {
    /// `[label]:`
    label: Vec<u8>,
    /// The destination and the title, in the syntax of an inline link.
    destination_and_title: Vec<u8>,
}

impl LineDefinition {
    /// Parses a definition. Replaces its destination if `other` is given. Returns `None` if the
    /// definition spans lines or has no destination.
    fn parse(text: &[u8], definition: &Definition, other: Option<&[u8]>) -> Option<Self> {
        let bytes = |from: u64, to: u64| &text[from as usize..to as usize];
        let (span, destination_span) = (definition.span, definition.destination?);
        let definition_bytes = bytes(span.start(), span.end()).trim_ascii_end();
        let marks = bytes(span.start(), destination_span.start());
        let colon = memchr::memmem::rfind(marks, b"]:")?;
        if definition_bytes.contains(&b'\n') {
            return None;
        }
        let before = marks[colon + 2..].trim_ascii_start();
        let end = span.start() + definition_bytes.len() as u64;
        let destination = other.unwrap_or(bytes(destination_span.start(), destination_span.end()));
        let destination_and_title =
            [before, destination, bytes(destination_span.end(), end)].concat();
        Some(Self { label: marks[..colon + 2].to_vec(), destination_and_title })
    }

    /// Returns the edit that replaces a reference with an inline link.
    fn inline_edit(&self, text: &[u8], used: &Reference, landing: usize) -> Landed {
        let start = used.part.start() as usize;
        let column = start - memchr::memrchr(b'\n', &text[..start]).map_or(0, |feed| feed + 1);
        let content = [b"(", &self.destination_and_title[..], b")"].concat();
        (landing, used.line, column, used.part.len() as usize, content)
    }

    fn to_line(&self) -> Vec<u8> {
        [&self.label, &b" "[..], &self.destination_and_title].concat()
    }
}

/// The document from which a text is moved.
struct Leaving {
    path: PathBuf,
    resolved: PathBuf,
    text: Vec<u8>,
    links: Vec<Link>,
    references: References,
}

/// The changes that keep reference links valid at their new position.
#[derive(Default)]
pub(super) struct Needed {
    /// Edits that replace references with inline links.
    pub(super) landed: Vec<Landed>,
    /// The definitions to add to each landing.
    pub(super) definitions: BTreeMap<usize, Vec<Vec<u8>>>,
    /// The number of lines at the end of each landing that are definitions for other text.
    pub(super) foreign: BTreeMap<usize, u64>,
    /// For each file, the labels that the added definitions define.
    defined: HashSet<(usize, String)>,
}

impl Follower<'_> {
    /// Determines the changes that keep references valid in text that is moved out of `file`. If
    /// the new file defines the label differently, the reference becomes an inline link; otherwise
    /// its definition is added.
    pub(super) fn needed_changes(
        &mut self,
        batch_files: &mut [BatchFile],
        file: usize,
    ) -> Result<Needed, Error> {
        let mut needed = Needed::default();
        let relocation = self.rewriter.relocation;
        let leaves = |landing: &(usize, &Landing)| landing.1.from == file && landing.1.to != file;
        let landings: Vec<(usize, &Landing)> =
            relocation.landings.iter().enumerate().filter(leaves).collect();
        let (path, resolved) = (batch_files[file].path.clone(), batch_files[file].resolved.clone());
        let (source, _) = batch_files[file].planned()?;
        if landings.is_empty() || !source.format().has(Feature::Links) {
            return Ok(needed);
        }
        let text = source.whole();
        let references = references(text);
        let leaving =
            Leaving { path, resolved, text: text.to_vec(), links: links(text), references };
        for (number, landing) in landings {
            if self.is_requested(landing.request, Some(file), &leaving.resolved) {
                needed.foreign.insert(number, count_foreign_lines(&leaving, landing));
            }
            let missing = without_definition(&leaving.references, landing);
            if !missing.is_empty() {
                let (to, set) = batch_files[landing.to].planned()?;
                let after = to.edited(&set.edits).whole().to_vec();
                self.add_needed_changes(
                    &leaving,
                    (number, landing),
                    &missing,
                    &after,
                    &mut needed,
                )?;
            }
        }
        Ok(needed)
    }

    /// Determines the changes for one text. `after` is the document that contains the text after
    /// the edits.
    fn add_needed_changes(
        &mut self,
        leaving: &Leaving,
        (number, landing): (usize, &Landing),
        missing: &BTreeMap<&str, Vec<&Reference>>,
        after: &[u8],
        needed: &mut Needed,
    ) -> Result<(), Error> {
        let references_after = references(after);
        let is_requested =
            self.is_requested(landing.request, Some(landing.from), &leaving.resolved);
        let is_contained = is_contained(&leaving.text, landing);
        for (&label, uses) in missing {
            let definition = &leaving.references.definitions[label];
            let label_in_file = (landing.to, label.to_owned());
            let other = references_after.definitions.get(label);
            let is_same = |line_definition: &LineDefinition| {
                let other = other.and_then(|other| LineDefinition::parse(after, other, None));
                other.is_some_and(|other| {
                    other.destination_and_title == line_definition.destination_and_title
                })
            };
            match self.relocated_definition(leaving, definition, landing)? {
                Some(line_definition)
                    if is_same(&line_definition) || needed.defined.contains(&label_in_file) => {}
                Some(line_definition) if is_requested && (other.is_some() || is_contained) => {
                    let inline = |used: &&Reference| {
                        line_definition.inline_edit(&leaving.text, used, number)
                    };
                    needed.landed.extend(uses.iter().map(inline));
                }
                Some(line_definition) if is_requested => {
                    needed.defined.insert(label_in_file);
                    needed.definitions.entry(number).or_default().push(line_definition.to_line());
                }
                _ => {
                    let links_left = self.links_left.entry(landing.request).or_default();
                    let path = &leaving.path;
                    let place = |used: &&Reference| {
                        format!("[{label}] ({})", super::line_address(path, used.line))
                    };
                    links_left.undefined.extend(uses.iter().map(place));
                    // `--links` would also update these references.
                    if !is_requested && definition.destination.is_some() {
                        links_left.left.0 += uses.len() as u64;
                        links_left.left.1.insert(leaving.resolved.clone());
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns a definition with the destination that it needs at the new position of the text.
    fn relocated_definition(
        &self,
        leaving: &Leaving,
        definition: &Definition,
        landing: &Landing,
    ) -> Result<Option<LineDefinition>, Error> {
        let (text, path, old) = (&leaving.text, &leaving.path, &leaving.resolved);
        let (new, request) = (&self.rewriter.path_after(landing.to), Some(landing.request));
        let copy = landing.is_copy.then_some(landing);
        let site = &*self.run.context.sites.site_of(path)?;
        let location = Location { path, old, new, site, request, copy };
        let other = match self.definition_effect(&location, text, &leaving.links, definition)? {
            Some((_, Effect::Rewritten(_, content))) => Some(content),
            _ => None,
        };
        Ok(LineDefinition::parse(text, definition, other.as_deref()))
    }

    /// Returns the link in a definition and the effect of the edits on it, or `None` if the
    /// definition contains no link.
    fn definition_effect<'l>(
        &self,
        location: &Location<'_>,
        text: &[u8],
        links: &'l [Link],
        definition: &Definition,
    ) -> Result<Option<(&'l Link, Effect)>, Error> {
        let Some(destination) = definition.destination else { return Ok(None) };
        let Some(link) = links.iter().find(|link| link.destination == destination) else {
            return Ok(None);
        };
        let written = &text[destination.start() as usize..destination.end() as usize];
        Ok(Some((link, self.rewriter.link_effect(location, link, written)?)))
    }

    /// Keeps definitions in a file if an edit removes them although other text uses them.
    pub(super) fn keep_definitions(
        &mut self,
        batch_file: &mut BatchFile,
        file: usize,
    ) -> Result<(), Error> {
        let numbers: BTreeSet<usize> = batch_file.plans.iter().map(|plan| plan.request).collect();
        let old = batch_file.resolved.clone();
        let is_requested = |number: &usize| self.is_requested(*number, Some(file), &old);
        let Some(number) = numbers.into_iter().find(is_requested) else { return Ok(()) };
        if batch_file.is_new || batch_file.moves_to.is_some() {
            return Ok(());
        }
        let (source, set) = batch_file.planned()?;
        let Some(lost) = dangling::lost_definitions(source, &set.edits) else { return Ok(()) };
        let (text, after) = (source.whole(), source.edited(&set.edits).whole().to_vec());
        let path = &batch_file.path;
        let site = &*self.run.context.sites.site_of(path)?;
        let location = Location { path, old: &old, new: &old, site, request: None, copy: None };
        let links = links(text);
        let mut lines: Vec<Vec<u8>> = Vec::new();
        for (_, definition, _) in &lost {
            let new = match self.definition_effect(&location, text, &links, definition)? {
                Some((link, effect)) => {
                    self.record_effect(effect, link, &batch_file.path, &old, Some(file))
                }
                None => None,
            };
            let new = new.as_ref().map(|(_, content)| &**content);
            lines.extend(
                LineDefinition::parse(text, definition, new).map(|parsed| parsed.to_line()),
            );
        }
        if lines.is_empty() {
            return Ok(());
        }
        let total = source.total_lines();
        let content = appended(&after, &lines)[after.len()..].to_vec();
        let end = text.len() as u64;
        let edit = LineEdit::new(Edit::new(Span::new(end, end), content), total + 1);
        let affected = Some(LineRange::line(total.max(1)));
        let rewritten = lines.len() as u64;
        let mut plan = Planned::new(Role::Links, vec![edit], affected);
        plan.rewritten = rewritten;
        batch_file.plan(number, plan);
        Ok(())
    }
}

/// Adds definitions after inserted content.
pub(super) fn add_definitions(plan: &mut Planned, definitions: &[Vec<u8>]) {
    let Some(edit) = plan.edits.first_mut() else { return };
    let content = &mut edit.edit.content;
    let blank = lines_with_ends(content).collect::<Vec<_>>();
    let blank = blank.iter().rev().take_while(|line| is_blank(line)).map(|line| line.len()).sum();
    let trailing_blank = content.split_off(content.len() - std::cmp::min(blank, content.len()));
    let lacks_end = !content.ends_with(b"\n");
    *content = appended(content, definitions);
    if lacks_end && trailing_blank.is_empty() {
        content.truncate(without_end(content).len());
    }
    content.extend_from_slice(&trailing_blank);
    plan.rewritten += definitions.len() as u64;
}

/// Appends definitions to a text, either to the definitions at its end or as a separate paragraph.
fn appended(text: &[u8], definitions: &[Vec<u8>]) -> Vec<u8> {
    let end: &[u8] = if text.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
    let last = lines_with_ends(text).last().unwrap_or_default();
    let is_definition = |line: &[u8]| !references(line).definitions.is_empty();
    let is_apart = last.is_empty() || is_blank(last) || is_definition(last);
    let mut result = text.to_vec();
    if !last.is_empty() && !last.ends_with(b"\n") {
        result.extend_from_slice(end);
    }
    if !is_apart {
        result.extend_from_slice(end);
    }
    definitions.iter().for_each(|line| result.extend([line, end].concat()));
    result
}

/// Whether text is in a quote or list. Lines after it would not be in the same container.
fn is_contained(text: &[u8], landing: &Landing) -> bool {
    let first = lines_with_ends(text).nth(landing.lines.start() as usize - 1).unwrap_or_default();
    matches!(first.first(), Some(b'>' | b' ' | b'\t'))
}
