//! Several edits of several files, planned together: what each file becomes,
//! what its structure says of it, and what is to be told of each edit.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::guards;
use super::hints;
use super::links;
use super::measure::{cut, measure};
use super::plan::{self, LineEdit, Plan};
use super::report::Outcome;
use super::source::Source;
use super::{Operation, Request, Target};
use crate::commands::json::Checksum;
use crate::error::{Candidate, Code, Error};
use crate::files::link_target::LinkPaths;
use crate::text::edit::{Edit, EditSet, Piece};
use crate::text::format::Feature;
use crate::text::line_index::LineIndex;
use crate::text::span::{LineRange, Span};
use crate::text::structure::{self, ChangeKind};

/// What is agreed to beforehand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Lines that may go.
    pub(super) max_delete: u64,
    /// Whether that, and changes of the structure elsewhere, are agreed to.
    pub(super) force: bool,
}

/// A file of the transaction.
pub(super) struct Work {
    /// The path it was asked for by.
    pub(super) path: PathBuf,
    /// Where it is, links followed; of a new file, the path itself.
    pub(super) resolved: PathBuf,
    /// The document; absent where it is yet to be made.
    pub(super) source: Option<Source>,
    /// Where edits are resolved one after the other: the document so far.
    current: Option<Source>,
    plans: Vec<(usize, Plan)>,
    /// What a new file is to hold.
    pub(super) created: Option<Vec<u8>>,
    /// Its edits, as spans of its text.
    pub(super) edits: EditSet,
    /// For each of them the line that it begins on.
    pub(super) lines: Vec<u64>,
    /// The file's lines before and after.
    totals: (u64, u64),
    /// Lines that edits made one after the other took away.
    gone: u64,
    warnings: Vec<String>,
}

impl Work {
    /// A file that is there.
    pub(super) fn existing(path: PathBuf, resolved: PathBuf, source: Source) -> Self {
        Self { source: Some(source), ..Self::new(path, resolved) }
    }

    /// Adds what is to be told of it.
    pub(super) fn warn(&mut self, warning: &str) {
        self.warnings.push(warning.to_owned());
    }

    /// A file that is not.
    pub(super) fn new(path: PathBuf, resolved: PathBuf) -> Self {
        Self {
            path,
            resolved,
            source: None,
            current: None,
            plans: Vec::new(),
            created: None,
            edits: EditSet::default(),
            lines: Vec::new(),
            totals: (0, 0),
            gone: 0,
            warnings: Vec::new(),
        }
    }

    /// Whether it is to be written.
    pub(super) fn changes(&self) -> bool {
        self.created.is_some() || !self.edits.is_empty()
    }

    /// New lines less old ones.
    pub(super) fn lines_delta(&self) -> i64 {
        self.totals.1 as i64 - self.totals.0 as i64
    }

    fn source(&mut self) -> Result<&mut Source, Error> {
        let missing = Error::new(Code::NotFound, "No such file or directory").at(&self.path);
        match (&mut self.current, &mut self.source) {
            (Some(source), _) | (None, Some(source)) => Ok(source),
            (None, None) => Err(missing),
        }
    }
}

/// Which files are meant.
pub(super) struct Files<'a> {
    /// By path as it was given.
    pub(super) by_path: &'a HashMap<PathBuf, usize>,
    /// Those that hold links to the document of a request.
    pub(super) with_links: &'a HashMap<usize, Vec<usize>>,
    /// Whether changes of the structure elsewhere are agreed to.
    pub(super) force: bool,
    /// What links mean.
    pub(super) link_paths: &'a LinkPaths,
}

impl Files<'_> {
    /// Those that hold links to the document of a request.
    fn linking(&self, request: usize) -> &[usize] {
        self.with_links.get(&request).map_or(&[], Vec::as_slice)
    }
}

/// Plans requests; the errors are those of single requests, all of them.
pub(super) fn plan_all(
    works: &mut [Work],
    requests: &[(usize, &Request)],
    sequential: bool,
    files: &Files<'_>,
) -> Result<Vec<Outcome>, Vec<Error>> {
    let mut outcomes = Vec::new();
    let mut errors = Vec::new();
    for &(number, request) in requests {
        let planned = plan_one(works, number, request, sequential, files);
        match planned {
            Ok(outcome) => outcomes.extend(outcome),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(outcomes) } else { Err(errors) }
}

/// Plans one request. One after the other, its outcome is known at once.
fn plan_one(
    works: &mut [Work],
    number: usize,
    request: &Request,
    sequential: bool,
    files: &Files<'_>,
) -> Result<Option<Outcome>, Error> {
    let file_of = |path: &Path| files.by_path.get(path).copied();
    let Some(file) = file_of(&request.address.path) else {
        return Err(
            Error::new(Code::NotFound, "No such file or directory").at(&request.address.path)
        );
    };
    if request.operation == Operation::Create {
        return create(&mut works[file], number, request, sequential).map(Some);
    }
    let source = works[file].source()?;
    let mut plan = plan::plan(source, request)?;
    guards::check(source, request, &plan)?;
    if let Operation::Rename(paths) = &request.operation
        && !paths.is_empty()
    {
        let place = (number, file);
        return rename(works, place, request, plan, sequential, files);
    }
    let carried = plan.carried.take();
    let arrival = match (&request.operation, &carried) {
        (Operation::Move(to, side) | Operation::Copy(to, side), Some(text)) => {
            let Some(other) = file_of(&to.path) else {
                return Err(Error::new(Code::NotFound, "No such file or directory").at(&to.path));
            };
            let arrival = plan::arrive(works[other].source()?, request, to, *side, text)?;
            let is_moved = matches!(request.operation, Operation::Move(..));
            if is_moved && other == file && arrives_within(&plan, &arrival) {
                return Err(
                    Error::usage("a part cannot be moved into itself").at(&request.address.path)
                );
            }
            let plan = arrival;
            Some((other, to.path.clone(), plan))
        }
        _ => None,
    };
    if !sequential {
        works[file].plans.push((number, plan));
        if let Some((other, _, plan)) = arrival {
            works[other].plans.push((number, plan));
        }
        return Ok(None);
    }
    let mut outcome = step(&mut works[file], number, request, plan, files.force)?;
    if let Some((other, path, plan)) = arrival {
        if other == file {
            return Err(Error::usage("with sequential, move and copy need two files")
                .hint("leave sequential out  # both places are then those of the file as it is"));
        }
        let arrived = step(&mut works[other], number, request, plan, files.force)?;
        outcome.arrived = Some((path, arrived.result));
    }
    Ok(Some(outcome))
}

/// Whether the place where lines arrive is within the lines themselves.
fn arrives_within(plan: &Plan, arrival: &Plan) -> bool {
    let Some(part) = plan.named else { return false };
    let at = arrival.edits.iter().map(|edit| edit.edit.span.start());
    at.into_iter().any(|at| part.start() < at && at < part.end())
}

/// A renamed heading, and the links to it in the documents that hold any.
fn rename(
    works: &mut [Work],
    (number, file): (usize, usize),
    request: &Request,
    plan: Plan,
    sequential: bool,
    files: &Files<'_>,
) -> Result<Option<Outcome>, Error> {
    let source = works[file].source()?;
    let plans = [(number, plan)];
    let set = edit_set(source, &plans)?;
    let renamed = links::renamed(source, &set.edits)?;
    let target = works[file].resolved.clone();
    let [(_, plan)] = plans;
    // Links are looked for in documents as they are before the heading changes.
    let mut rewritten = Vec::new();
    for &index in files.linking(number) {
        let source = works[index].source()?;
        let mut plan = links::rewrite(source, &target, &renamed, files.link_paths)?;
        plan.is_links = true;
        if !plan.edits.is_empty() {
            rewritten.push((index, plan));
        }
    }
    if !sequential {
        works[file].plans.push((number, plan));
        for (index, plan) in rewritten {
            works[index].plans.push((number, plan));
        }
        return Ok(None);
    }
    if rewritten.iter().any(|(index, _)| *index == file) {
        let error = Error::usage("with sequential, links are rewritten in other documents only");
        return Err(error.hint("leave sequential out, or leave this document out of linksIn"));
    }
    let mut outcome = step(&mut works[file], number, request, plan, files.force)?;
    for (index, plan) in rewritten {
        let count = plan.edits.len() as u64;
        step(&mut works[index], number, request, plan, files.force)?;
        outcome.links.push((works[index].path.clone(), count));
    }
    Ok(Some(outcome))
}

/// Makes one edit in memory, for the next one to see.
fn step(
    work: &mut Work,
    number: usize,
    request: &Request,
    plan: Plan,
    force: bool,
) -> Result<Outcome, Error> {
    let path = work.path.clone();
    let source = work.source()?;
    let plans = [(number, plan)];
    let set = edit_set(source, &plans)?;
    // Together the steps would hide what each does to the lines between them.
    let warning = check_structure(source, &set.edits, &path, force)?;
    let mut outcomes = measure(source, &set, &plans, &|_| request)?;
    let next = source.edited(&set.edits)?;
    work.current = Some(next);
    work.warnings.extend(warning);
    let outcome = outcomes.pop().unwrap_or_default();
    if !matches!(request.operation, Operation::Move(..)) {
        work.gone += outcome.lines_delta.min(0).unsigned_abs();
    }
    Ok(outcome)
}

fn create(
    work: &mut Work,
    number: usize,
    request: &Request,
    sequential: bool,
) -> Result<Outcome, Error> {
    let given = request.content.clone().unwrap_or_default();
    // A text that was typed is whole lines; a file's bytes are its own.
    let mut content = plan::filled(&given, request)?;
    if given.file.is_none() && !content.is_empty() && !content.ends_with(b"\n") {
        content.push(b'\n');
    }
    let path = &request.address.path;
    if work.created.is_some() {
        return Err(Error::usage("it is created twice").at(path));
    }
    if let Some(source) = &mut work.source {
        let whole = Request {
            operation: Operation::Replace,
            target: Some(Target::WholeFile),
            ..request.clone()
        };
        let same = source.whole()? == content;
        return Err(if same {
            Error::new(Code::AlreadyApplied, "it exists already, with this content").at(path)
        } else {
            Error::usage("it exists already")
                .at(path)
                .hint(hints::typed(&whole).why("to give it this content"))
        });
    }
    let mut index = LineIndex::new(0);
    index.push(&content);
    let total = index.total_lines();
    let (after, is_cut) = cut(&content);
    let outcome = Outcome {
        request: number,
        result: LineRange::new(1, total),
        lines_delta: total as i64,
        total_lines: (0, total),
        after,
        is_cut,
        range_checksum: Some(checksum_of(&content)),
        ..Outcome::default()
    };
    work.totals = (0, total);
    if sequential {
        work.current = Some(Source::of_text(path, content.clone())?);
    }
    work.created = Some(content);
    Ok(outcome)
}

/// Puts the plans of a file together and checks what they do to it.
pub(super) fn settle(
    work: &mut Work,
    requests: &[&Request],
    sequential: bool,
    limits: Limits,
) -> Result<Vec<Outcome>, Error> {
    if work.created.is_some() {
        if let Some(current) = &mut work.current {
            work.totals.1 = current.total_lines()?;
            work.created = Some(current.whole()?);
        }
        return Ok(Vec::new());
    }
    let outcomes = if sequential {
        let text = match &mut work.current {
            Some(current) => current.whole()?,
            None => return Ok(Vec::new()),
        };
        let Some(source) = &mut work.source else { return Ok(Vec::new()) };
        work.edits = source.edits_to(&text)?;
        work.lines = Vec::new();
        for edit in work.edits.edits() {
            work.lines.push(source.line_of(edit.span.start())?);
        }
        let mut index = LineIndex::new(source.start());
        index.push(&text[source.start() as usize..]);
        work.totals = (source.total_lines()?, index.total_lines());
        Vec::new()
    } else {
        let plans = std::mem::take(&mut work.plans);
        let Some(source) = &mut work.source else { return Ok(Vec::new()) };
        let set = edit_set(source, &plans)?;
        let outcomes = measure(source, &set, &plans, &|number| requests[number])?;
        work.totals = outcomes.first().map_or((0, 0), |outcome| outcome.total_lines);
        work.edits = set.edits;
        work.lines = set.lines;
        outcomes
    };
    let is_moved = |number: usize| matches!(requests[number].operation, Operation::Move(..));
    let counted = outcomes.iter().filter(|outcome| !is_moved(outcome.request));
    let gone: u64 = counted.map(|outcome| outcome.lines_delta.min(0).unsigned_abs()).sum();
    let gone = gone + work.gone;
    if gone > limits.max_delete && !limits.force {
        let message =
            format!("{gone} lines would go, more than the limit of {}", limits.max_delete);
        return Err(Error::new(Code::DeleteLimit, message)
            .at(&work.path)
            .hint(format!("--max-delete {gone}, or --force  # if they are to go"))
            .hint("--dry-run  # to see them first"));
    }
    if let Some(source) = &mut work.source {
        if !sequential {
            let warning = check_structure(source, &work.edits, &work.path, limits.force)?;
            work.warnings.extend(warning);
        }
        work.warnings.extend(links::dangling(source, &work.edits)?);
    }
    Ok(outcomes)
}

/// Edits of one file, with what is known of each.
#[derive(Default)]
pub(super) struct LineSet {
    pub(super) edits: EditSet,
    /// The line that each begins on.
    pub(super) lines: Vec<u64>,
    /// The plan that each belongs to, by its place in the list of plans.
    pub(super) owners: Vec<usize>,
    /// Whether each brings lines behind a last one that has no end.
    pub(super) behind: Vec<bool>,
}

/// All edits of the plans of one file, without those that change nothing.
fn edit_set(source: &mut Source, plans: &[(usize, Plan)]) -> Result<LineSet, Error> {
    let all: Vec<(usize, &LineEdit)> = plans
        .iter()
        .enumerate()
        .flat_map(|(owner, (_, plan))| plan.edits.iter().map(move |edit| (owner, edit)))
        .collect();
    // Overlaps are told of edits that change nothing too.
    let set = all.iter().map(|(_, edit)| edit.edit.clone()).collect();
    EditSet::new(set).map_err(|overlap| {
        let told = |(owner, edit): (usize, &LineEdit)| (plans[owner].0, edit.line);
        overlapping(source.path(), told(all[overlap.first]), told(all[overlap.second]))
    })?;
    // Of several that come behind it, only the first need not.
    let mut ends_freely = is_last_line_gone(source, &all)?;
    let mut changing = Vec::with_capacity(all.len());
    for (owner, edit) in all {
        let mut edit = edit.clone();
        if edit.ends_last && std::mem::take(&mut ends_freely) {
            edit.edit.content = without_first_end(&edit.edit.content).to_vec();
        }
        if !is_same(source, &edit)? {
            changing.push((owner, edit));
        }
    }
    changing.sort_by_key(|(_, edit)| (edit.edit.span.start(), edit.edit.span.end()));
    let edits: Vec<Edit> = changing.iter().map(|(_, edit)| edit.edit.clone()).collect();
    // A part of a disjoint set is disjoint.
    let edits = EditSet::new(edits).map_err(|_| Error::usage("edits overlap"))?;
    if leaves_all_as_it_was(source, &edits)? {
        return Ok(LineSet::default());
    }
    Ok(LineSet {
        edits,
        lines: changing.iter().map(|(_, edit)| edit.line).collect(),
        owners: changing.iter().map(|(owner, _)| *owner).collect(),
        behind: changing.iter().map(|(_, edit)| edit.ends_last).collect(),
    })
}

/// Whether the last line, which has no line end, goes as a whole or gets one:
/// then what comes behind it need not bring one.
fn is_last_line_gone(source: &mut Source, edits: &[(usize, &LineEdit)]) -> Result<bool, Error> {
    let end = match edits.iter().find(|(_, edit)| edit.ends_last) {
        Some((_, edit)) => edit.edit.span.end(),
        None => return Ok(false),
    };
    for (_, edit) in edits {
        let edit = &edit.edit;
        if edit.span.end() == end && !edit.span.is_empty() {
            let is_gone = edit.content.is_empty() && begins_line(source, edit.span.start())?;
            return Ok(is_gone || edit.content.ends_with(b"\n"));
        }
    }
    Ok(false)
}

/// Whether several edits come to nothing, as where a part moves to where it is.
fn leaves_all_as_it_was(source: &mut Source, edits: &EditSet) -> Result<bool, Error> {
    /// Edits that are further apart are taken for what they are.
    const NEAR: u64 = 4 * 1024 * 1024;
    let [first, .., last] = edits.edits() else { return Ok(false) };
    let part = Span::new(first.span.start(), last.span.end());
    if part.len() > NEAR {
        return Ok(false);
    }
    let old = source.bytes(part)?;
    let mut new = Vec::with_capacity(old.len());
    for piece in edits.pieces_within(part) {
        match piece {
            Piece::New(content) => new.extend_from_slice(content),
            Piece::Old(span) => new.extend_from_slice(&source.bytes(span)?),
        }
    }
    Ok(old == new)
}

fn is_same(source: &mut Source, edit: &LineEdit) -> Result<bool, Error> {
    let edit = &edit.edit;
    if edit.span.len() != edit.content.len() as u64 {
        return Ok(false);
    }
    Ok(source.bytes(edit.span)? == edit.content)
}

fn overlapping(path: &Path, first: (usize, u64), second: (usize, u64)) -> Error {
    let told = |(number, line): (usize, u64)| format!("edit {} at line {line}", number + 1);
    let message = format!("{} and {} overlap", told(first), told(second));
    Error::new(Code::OverlappingEdits, message)
        .at(path)
        .hint(r#"make one edit of the two, or say "sequential":true in apply"#)
}

/// Whether a line begins at an offset.
pub(super) fn begins_line(source: &mut Source, offset: u64) -> Result<bool, Error> {
    if offset <= source.start() {
        return Ok(true);
    }
    Ok(source.bytes(Span::new(offset - 1, offset))? == b"\n")
}

/// Content without the line end that it begins with.
pub(super) fn without_first_end(content: &[u8]) -> &[u8] {
    content.strip_prefix(b"\r\n").or(content.strip_prefix(b"\n")).unwrap_or(content)
}

fn checksum_of(bytes: &[u8]) -> String {
    let mut checksum = Checksum::default();
    checksum.push(bytes);
    checksum.digits()
}

/// Headings and code blocks that no edit names must be what they were. Where
/// it is agreed to that they are not, that is a warning.
fn check_structure(
    source: &mut Source,
    edits: &EditSet,
    path: &Path,
    force: bool,
) -> Result<Option<String>, Error> {
    if !source.format().has(Feature::FarEffects) || edits.is_empty() {
        return Ok(None);
    }
    let text = source.index()?.text();
    let found = structure::changes(&mut |span| source.bytes(span), text, edits)?;
    if found.is_empty() {
        return Ok(None);
    }
    let told = told_changes(&found);
    if force {
        return Ok(Some(format!("this changes headings or code blocks elsewhere: {told}")));
    }
    let message = format!("this would change headings or code blocks elsewhere: {told}");
    let mut error = Error::new(Code::StructureChanged, message).at(path);
    error.candidates = found
        .iter()
        .take(CANDIDATES)
        .map(|change| {
            let text = String::from_utf8_lossy(&change.text).into_owned();
            Candidate { line: change.line, text: text.clone(), path: vec![text] }
        })
        .collect();
    Err(error
        .hint("begin or end the content with a blank line, or close its code block")
        .hint("--force  # to do it all the same"))
}

/// Changes of the structure that are told one by one.
const TOLD: usize = 2;
/// Those that are told in JSON.
const CANDIDATES: usize = 5;

fn told_changes(found: &[structure::Change]) -> String {
    let mut told: Vec<String> = found
        .iter()
        .take(TOLD)
        .map(|change| {
            let text = String::from_utf8_lossy(&change.text);
            let text = text.lines().next().unwrap_or_default();
            match change.kind {
                ChangeKind::Lost => format!("line {} is no longer '{text}'", change.line),
                ChangeKind::Created => format!("line {} becomes '{text}'", change.line),
            }
        })
        .collect();
    if found.len() > TOLD {
        told.push(format!("and {} more", found.len() - TOLD));
    }
    told.join(", ")
}

/// Warnings that are of the file and not of one edit.
pub(super) fn take_warnings(work: &mut Work) -> Vec<String> {
    std::mem::take(&mut work.warnings)
}
