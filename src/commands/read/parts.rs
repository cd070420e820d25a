//! Locates the requested parts, all parts of a file together. Adjacent or overlapping parts are
//! merged, so that each line is printed only once.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use super::content::LocatedRequest;
use super::locate::Reader;
use super::place::LinePosition;
use super::reading::{LineRequest, Settings};
use super::{ReadOptions, Request, Selection};
use crate::commands::host::Host;
use crate::commands::job;
use crate::commands::output::Style;
use folio_files::address::{Address, Part};
use folio_files::document::{DocumentOptions, Passes};
use folio_files::error::{Code, Error, Hint};
use folio_outline::document::Document;
use folio_text::span::{LineRange, merged};

pub(super) struct LocatedPart {
    pub(super) request: Request,
    pub(super) found: LocatedRequest,
    /// The position of the part in the structure, if requested.
    pub(super) place: Option<LinePosition>,
}

/// The progress of a request.
enum RequestState {
    Requested(Request),
    Located(Box<LocatedPart>),
    /// The request is invalid, or its part was not found. The second value is `None` for an invalid
    /// request.
    Failed(Error, Option<Request>),
    /// The part was returned, or its lines are part of another answer.
    Done,
}

/// The requested parts, in order.
pub(super) struct Parts<'a> {
    options: &'a ReadOptions,
    host: &'a Host,
    pub(super) settings: Settings,
    /// Whether to merge adjacent and overlapping parts.
    merges: bool,
    /// Whether to drop the parts of an address list that are contained in an earlier part, and not
    /// only those that are equal to one.
    drops_contained: bool,
    /// Whether to determine the positions of parts in the structure.
    has_places: bool,
    /// Whether several parts are read.
    pub(super) several: bool,
    /// How often each document is read.
    passes: Passes,
    states: Vec<RequestState>,
    /// The line of `--batch` of each request.
    batch_lines: Vec<Option<Arc<Map<String, Value>>>>,
    /// For each file that has not been opened yet, the indexes of its requests.
    files: HashMap<PathBuf, Vec<usize>>,
    /// The document that was opened last, with the path that the user gave.
    open: Option<(PathBuf, Reader<'a>)>,
    /// Whether any requests have been merged.
    pub(super) is_merged: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn new(
        requests: Vec<Result<Request, Error>>,
        options: &'a ReadOptions,
        host: &'a Host,
        style: Style,
    ) -> Self {
        let is_list = options.batch.is_some() || options.is_address_list();
        let several = is_list || requests.len() > 1;
        let has_headers = options.is_text(style) && !options.checksum && !options.no_headers;
        let has_places = options.has_breadcrumbs() || several && has_headers;
        let settings = Settings::new(options, style);
        let mut files: HashMap<PathBuf, Vec<usize>> = HashMap::new();
        for (index, request) in requests.iter().enumerate() {
            if let Ok(request) = request {
                files.entry(request.address.path.clone()).or_default().push(index);
            }
        }
        let passes = match &requests[..] {
            [Ok(request)] if !several && !has_places => request.passes(),
            _ => Passes::Several,
        };
        let state = |request| match request {
            Ok(request) => RequestState::Requested(request),
            Err(error) => RequestState::Failed(error, None),
        };
        let batch_line =
            |request: &Result<Request, Error>| request.as_ref().ok()?.batch_line.clone();
        Self {
            batch_lines: requests.iter().map(batch_line).collect(),
            states: requests.into_iter().map(state).collect(),
            files,
            open: None,
            is_merged: false,
            options,
            host,
            settings,
            merges: options.merges(style) && several,
            drops_contained: options.is_text(style),
            has_places,
            several,
            passes,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.states.len()
    }

    /// Returns the line of `--batch` of a request.
    pub(super) fn batch_line(&self, at: usize) -> Option<&Map<String, Value>> {
        self.batch_lines.get(at)?.as_deref()
    }

    /// Whether the part of a request has not been returned yet, either alone or merged with another
    /// part.
    pub(super) fn is_left(&mut self, index: usize) -> bool {
        self.locate(index);
        !matches!(self.states[index], RequestState::Done)
    }

    /// Returns the part of a request.
    pub(super) fn take(&mut self, index: usize) -> Result<LocatedPart, Error> {
        self.locate(index);
        match std::mem::replace(&mut self.states[index], RequestState::Done) {
            RequestState::Located(part) => Ok(*part),
            RequestState::Failed(error, _) => Err(error),
            RequestState::Requested(_) | RequestState::Done => {
                Err(Error::usage("the part was already read"))
            }
        }
    }

    /// If parts are merged, merges the remaining ones. The first of them has the index `index`.
    pub(super) fn merge_from(&mut self, index: usize) {
        let end = if self.merges { self.count() } else { index };
        (index..end).for_each(|index| self.locate(index));
    }

    /// Returns the remaining requests, beginning with an index. For an invalid request, the value
    /// is `None`.
    pub(super) fn left_from(&self, index: usize) -> Vec<Option<&Request>> {
        let states = self.states[index..].iter();
        let left = states.filter_map(|state| match state {
            RequestState::Requested(request) => Some(Some(request)),
            RequestState::Located(part) => Some(Some(&part.request)),
            RequestState::Failed(_, request) => Some(request.as_ref()),
            RequestState::Done => None,
        });
        left.collect()
    }

    /// Puts back a part that was not printed.
    pub(super) fn put_back(&mut self, index: usize, part: LocatedPart) {
        self.states[index] = RequestState::Located(Box::new(part));
    }

    /// Locates the part of a request, together with all other parts of the same file.
    fn locate(&mut self, index: usize) {
        let RequestState::Requested(request) = &self.states[index] else { return };
        let path = request.address.path.clone();
        let mut parts = Vec::new();
        for index in self.files.remove(&path).unwrap_or_default() {
            match std::mem::replace(&mut self.states[index], RequestState::Done) {
                RequestState::Requested(request) => parts.push((index, request)),
                other => self.states[index] = other,
            }
        }
        match self.located(&path, &parts) {
            Ok(found) => {
                self.is_merged |= found.len() < parts.len();
                for (index, part) in found {
                    let requested = || parts.iter().find(|(part_index, _)| *part_index == index);
                    self.states[index] = match part {
                        Ok(part) => RequestState::Located(Box::new(part)),
                        Err(error) => RequestState::Failed(
                            error,
                            requested().map(|(_, request)| request.clone()),
                        ),
                    };
                }
            }
            Err(error) => {
                for (index, request) in parts {
                    self.states[index] = RequestState::Failed(error.clone(), Some(request));
                }
            }
        }
    }

    fn located(&mut self, path: &Path, requests: &[(usize, Request)]) -> Result<FileParts, Error> {
        let (merges, has_places) = (self.merges, self.has_places);
        let is_list = self.options.is_address_list();
        let drops_contained = self.drops_contained;
        let has_breadcrumbs = self.options.has_breadcrumbs();
        let reader = self.reader(path)?;
        let mut parts: FileParts = requests
            .iter()
            .map(|(index, request)| {
                let found = reader.find(request);
                let part = |found| LocatedPart { request: request.clone(), found, place: None };
                (*index, found.map(part))
            })
            .collect();
        if is_list && parts.len() > 1 {
            drop_repeated(&mut parts, reader, drops_contained)?;
        }
        if merges && parts.len() > 1 {
            merge(&mut parts, reader);
        }
        // An entry of a log with times begins with its name.
        let is_timed = reader.document.format().log_kind().is_timed();
        if has_places && (!is_timed || has_breadcrumbs) {
            add_places(reader, &mut parts)?;
        }
        Ok(parts)
    }

    /// Returns the reader of a document. Opens the document unless it is already the open document.
    pub(super) fn reader(&mut self, path: &Path) -> Result<&Reader<'a>, Error> {
        if self.open.as_ref().is_none_or(|(last, _)| last != path) {
            let document = self.document(path)?;
            let several = self.several || self.has_places;
            let reader = Reader::new(document, self.options, self.settings, several);
            self.open = Some((path.to_owned(), reader));
        }
        match &self.open {
            Some((_, reader)) => Ok(reader),
            None => Err(Error::new(Code::NotFound, "no such file").at(path)),
        }
    }

    fn document(&self, path: &Path) -> Result<Document, Error> {
        let load = &DocumentOptions { passes: self.passes, ..self.options.documents.clone() };
        let opened = job::open(path, load, self.host);
        opened.map_err(|error| match error.code {
            Code::NotAFile => error.hint(Hint::command("list", [path]).why("the files in it")),
            _ => error,
        })
    }
}

/// The parts of a file, with the indexes of their requests.
type FileParts = Vec<(usize, Result<LocatedPart, Error>)>;

/// Merges parts with adjacent or overlapping lines into the first of them. Drops a part that is
/// equal to an earlier one.
fn merge(parts: &mut FileParts, reader: &Reader<'_>) {
    let mut lines: Vec<(usize, Vec<LineRange>)> = Vec::new();
    let mut others: Vec<usize> = Vec::new();
    let mut is_dropped = vec![false; parts.len()];
    for (at, (_, part)) in parts.iter().enumerate() {
        let Ok(part) = part else { continue };
        let is_same = |&other: &usize| {
            parts[other].1.as_ref().is_ok_and(|other| other.found.is_same(&part.found))
        };
        match part.found.plain() {
            Some(line_request) => lines.push((at, merged(line_request.ranges.clone(), 1))),
            None if others.iter().any(is_same) => is_dropped[at] = true,
            None => others.push(at),
        }
    }
    let mut found = groups(&lines);
    if found.iter().any(|group| group.len() > 1) {
        // Lines past the end are reported, and are not merged with the lines before them.
        let starts = lines.iter().flat_map(|(_, ranges)| ranges).map(|range| range.start());
        let total = reader.count_lines(starts.max().unwrap_or(0)).unwrap_or(0);
        lines.retain(|(_, ranges)| ranges.iter().all(|range| range.start() <= total.max(1)));
        found = groups(&lines);
    }
    for group in found.into_iter().filter(|group| group.len() > 1) {
        let ranges = group.iter().flat_map(|&at| lines[at].1.iter().copied()).collect();
        let members: Vec<usize> = group.iter().map(|&at| lines[at].0).collect();
        let is_whole = |&at: &usize| {
            let found = parts[at].1.as_ref().map(|part| &part.found);
            matches!(found, Ok(LocatedRequest::Lines(LineRequest { is_whole_file: true, .. })))
        };
        let (line_request, part) = if members.iter().any(is_whole) {
            (LineRequest::whole_file(), Part::Whole)
        } else {
            let ranges = merged(ranges, 1);
            (LineRequest::lines(&ranges), Part::Lines(ranges))
        };
        members[1..].iter().for_each(|&at| is_dropped[at] = true);
        if let Ok(first) = &mut parts[members[0]].1 {
            let address = Address { part, bytes: None, ..first.request.address.clone() };
            first.request =
                Request { address, selection: Selection::Address, scope: None, batch_line: None };
            first.found = LocatedRequest::Lines(line_request);
        }
    }
    let mut is_dropped = is_dropped.into_iter();
    parts.retain(|_| !is_dropped.next().unwrap_or(false));
}

/// Groups ranges that are adjacent or overlap. The ranges of each group are in order.
fn groups(lines: &[(usize, Vec<LineRange>)]) -> Vec<Vec<usize>> {
    let ranges = lines.iter().enumerate();
    let mut ranges: Vec<(LineRange, usize)> = ranges
        .flat_map(|(at, (_, part_ranges))| part_ranges.iter().map(move |&range| (range, at)))
        .collect();
    ranges.sort_unstable();
    // A union-find structure that contains the leader of each element's group.
    let mut leaders: Vec<usize> = (0..lines.len()).collect();
    let leader = |leaders: &mut [usize], mut at: usize| {
        while leaders[at] != at {
            leaders[at] = leaders[leaders[at]];
            at = leaders[at];
        }
        at
    };
    let (mut end, mut before) = (0u64, None);
    for (range, at) in ranges {
        if let Some(before) = before.filter(|_| range.start() <= end.saturating_add(1)) {
            let (first_leader, second_leader) =
                (leader(&mut leaders, before), leader(&mut leaders, at));
            leaders[first_leader.max(second_leader)] = first_leader.min(second_leader);
        }
        (end, before) = (end.max(range.end()), Some(at));
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..lines.len() {
        groups.entry(leader(&mut leaders, at)).or_default().push(at);
    }
    groups.into_values().collect()
}

/// Drops the parts of an address list that are equal to an earlier part, or contained in one if
/// `drops_contained` is set.
fn drop_repeated(
    parts: &mut FileParts,
    reader: &Reader<'_>,
    drops_contained: bool,
) -> Result<(), Error> {
    let found = parts.iter().filter_map(|(_, part)| part.as_ref().ok()?.found.plain());
    let last = found.flat_map(|lines| &lines.ranges).map(|range| range.end()).max();
    let total = reader.count_lines(last.unwrap_or(0))?;
    // Lines past the end do not count as a difference.
    let clipped = |range: &LineRange| {
        LineRange::from_to(range.start(), range.end().min(total).max(range.start()))
    };
    let mut seen = Ranges::default();
    let mut others: Vec<Vec<LineRange>> = Vec::new();
    parts.retain(|(_, part)| {
        let Ok(part) = part else { return true };
        match (&part.request.selection, &part.found) {
            (Selection::Address, LocatedRequest::Lines(line_request)) if drops_contained => {
                line_request.ranges.iter().filter(|range| seen.add(clipped(range))).count() > 0
            }
            (_, LocatedRequest::Lines(LineRequest { ranges, .. })) => {
                let ranges: Vec<LineRange> = ranges.iter().map(clipped).collect();
                let is_new = !others.contains(&ranges);
                others.push(ranges);
                is_new
            }
            _ => true,
        }
    });
    Ok(())
}

/// A set of ranges. No range contains another.
#[derive(Default)]
struct Ranges {
    /// The last line of each range by its first line. Ranges with a later start also have a later
    /// end.
    ends: BTreeMap<u64, u64>,
}

impl Ranges {
    /// Adds a range. Returns `false` if a range in the set contains it.
    fn add(&mut self, range: LineRange) -> bool {
        let before = self.ends.range(..=range.start()).next_back();
        if before.is_some_and(|(_, &end)| end >= range.end()) {
            return false;
        }
        while let Some((&start, &end)) = self.ends.range(range.start()..).next()
            && end <= range.end()
        {
            self.ends.remove(&start);
        }
        self.ends.insert(range.start(), range.end());
        true
    }
}

/// Adds to parts their positions in the structure. A whole file has none, unless only these are
/// requested.
fn add_places(reader: &Reader<'_>, parts: &mut FileParts) -> Result<(), Error> {
    if reader.document.size() == Some(0) {
        return Ok(());
    }
    let is_always = reader.options.has_breadcrumbs();
    let mut lines = Vec::new();
    let mut places = Vec::new();
    for part in parts.iter_mut().filter_map(|(_, part)| part.as_mut().ok()) {
        let line = part.found.first_line().filter(|_| is_always || !part.request.is_whole_file());
        if let Some(line) = line {
            lines.push(line);
            places.push(&mut part.place);
        }
    }
    for (place, slot) in reader.places(&lines)?.into_iter().zip(places) {
        *slot = Some(place);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &[&[(u64, u64)]], expected: &[&[usize]]) {
        let lines: Vec<(usize, Vec<LineRange>)> = typed
            .iter()
            .enumerate()
            .map(|(at, ranges)| {
                let ranges = ranges.iter().map(|&(start, end)| LineRange::from_to(start, end));
                (at, ranges.collect())
            })
            .collect();
        assert_eq!(groups(&lines), expected, "{typed:?}");
    }

    #[test]
    fn adjacent_or_overlapping_ranges_are_grouped() {
        check(&[&[(1, 3)], &[(4, 6)], &[(8, 9)]], &[&[0, 1], &[2]]);
        check(&[&[(8, 9)], &[(1, 3)], &[(2, 8)]], &[&[0, 1, 2]]);
        check(&[&[(1, 9)], &[(2, 3)], &[(9, 10)]], &[&[0, 1, 2]]);
        check(&[&[(1, 2), (11, 12)], &[(5, 6)], &[(12, 14), (6, 7)]], &[&[0, 1, 2]]);
        check(&[&[(1, u64::MAX)], &[(5, 6)]], &[&[0, 1]]);
        check(&[&[(3, 3)], &[(3, 3)]], &[&[0, 1]]);
    }

    #[test]
    fn ranges_within_a_previous_range_are_dropped() {
        let mut seen = Ranges::default();
        let mut add = |start, end| seen.add(LineRange::from_to(start, end));
        assert!(add(5, 9));
        assert!(!add(6, 7) && !add(5, 9) && !add(9, 9));
        assert!(add(8, 12));
        assert!(!add(8, 10));
        assert!(add(1, 20));
        assert!(!add(8, 12) && !add(2, 3));
        assert!(add(20, 21));
    }
}
