//! Merges requests for adjacent or overlapping lines, so that text is printed only once.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::content::Found;
use super::locate::Reader;
use super::several::Opener;
use super::{Request, Selection};
use crate::error::Error;
use crate::files::address::{Address, Part};
use crate::text::span::LineRange;

type Requests = Vec<Result<Request, Error>>;

/// The lines that a request asks for.
struct Lines {
    /// The index of the request.
    request: usize,
    ranges: Vec<LineRange>,
    /// Whether it asks for the whole file, including its byte order mark.
    is_whole: bool,
}

/// Identifies content other than whole lines, to detect equal requests.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Piecemeal {
    Lines(Vec<LineRange>, Option<u64>, bool),
    Value(LineRange, bool),
    Content(Option<LineRange>, Vec<u8>),
    Bytes(u64, u64, u64),
}

impl Opener<'_> {
    /// Merges requests for adjacent or overlapping lines; the result takes the place of the first.
    /// Requests that cannot be located are kept, so that their errors are reported.
    pub(super) fn merged(&mut self, requests: Requests) -> Result<Requests, Error> {
        let mut files: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
        for (index, request) in requests.iter().enumerate() {
            if let Ok(request) = request {
                files.entry(request.address.path.clone()).or_default().push(index);
            }
        }
        let mut merged: Vec<Option<Result<Request, Error>>> =
            requests.into_iter().map(Some).collect();
        // Standard input or a pipe can be opened only once, so it stays open.
        let is_only = files.len() == 1;
        for (path, indexes) in files.iter().filter(|(_, indexes)| indexes.len() > 1) {
            self.env.cancel.check()?;
            let may_open = is_only || self.env.roots.is_file(path);
            self.merge_file(path, indexes, &mut merged, may_open);
        }
        Ok(merged.into_iter().flatten().collect())
    }

    fn merge_file(
        &mut self,
        path: &Path,
        indexes: &[usize],
        requests: &mut [Option<Result<Request, Error>>],
        may_open: bool,
    ) {
        let asked = indexes.iter().filter_map(|&index| {
            let request = requests[index].as_ref()?.as_ref().ok()?;
            Some((index, request))
        });
        let asked: Vec<(usize, &Request)> = asked.collect();
        let by_number: Option<Vec<Lines>> =
            asked.iter().map(|&(index, request)| by_number(index, request)).collect();
        let (lines, again) = match by_number {
            Some(lines) => (lines, Vec::new()),
            None if !may_open || self.open(path).is_err() => return,
            None => match &mut self.last {
                Some((_, reader, _)) => found_lines(reader, &asked),
                None => return,
            },
        };
        // The number of lines is counted at most once, and only as far as needed.
        let last = lines.iter().flat_map(|own| &own.ranges).map(|range| range.start()).max();
        let mut known = None;
        let mut has_line =
            |line| may_open && *known.get_or_insert_with(|| self.lines_up_to(path, last)) >= line;
        let groups = groups(&lines, &mut has_line);
        for index in again {
            requests[index] = None;
        }
        for group in groups.into_iter().filter(|group| group.len() > 1) {
            let first = group.iter().map(|&at| lines[at].request).min().unwrap_or_default();
            let is_whole = group.iter().any(|&at| lines[at].is_whole);
            let mut ranges: Vec<LineRange> =
                group.iter().flat_map(|&at| lines[at].ranges.iter().copied()).collect();
            join(&mut ranges);
            for &at in &group {
                requests[lines[at].request] = None;
            }
            let part = if is_whole { Part::Whole } else { Part::Lines(ranges) };
            let address = Address { path: path.to_owned(), part, bytes: None };
            let selection = Selection::Address;
            requests[first] = Some(Ok(Request { address, selection, scope: None }));
        }
    }

    /// The number of lines of a file, counted up to `last`. Lines past the end must be reported.
    fn lines_up_to(&mut self, path: &Path, last: Option<u64>) -> u64 {
        let Ok(()) = self.open(path) else { return 0 };
        let Some((_, reader, _)) = &mut self.last else { return 0 };
        reader.count_lines(last.unwrap_or(0)).unwrap_or(0)
    }
}

/// The lines of a request that gives their numbers.
fn by_number(index: usize, request: &Request) -> Option<Lines> {
    let is_plain = request.address.bytes.is_none();
    match (&request.selection, &request.address.part) {
        (Selection::Address, Part::Lines(ranges)) if is_plain => {
            Some(Lines { request: index, ranges: ranges.clone(), is_whole: false })
        }
        _ => None,
    }
}

/// The lines of located requests, and the indexes of duplicate requests.
fn found_lines(reader: &mut Reader<'_>, asked: &[(usize, &Request)]) -> (Vec<Lines>, Vec<usize>) {
    let mut lines = Vec::new();
    let mut seen = HashSet::new();
    let mut again = Vec::new();
    for &(index, request) in asked {
        let other = match reader.find(request) {
            Err(_) => continue,
            Ok(Found::Lines(wanted)) if wanted.is_plain() || wanted.whole => {
                let is_whole = wanted.whole;
                lines.push(Lines { request: index, ranges: wanted.ranges, is_whole });
                continue;
            }
            Ok(Found::Lines(wanted)) => {
                Piecemeal::Lines(wanted.ranges, wanted.limit, wanted.until.is_some())
            }
            Ok(Found::Value { lines, alone, .. }) => Piecemeal::Value(lines, alone),
            Ok(Found::Content(content)) => {
                Piecemeal::Content(content.lines(), content.text().to_vec())
            }
            Ok(Found::Bytes { line, span }) => Piecemeal::Bytes(line, span.start(), span.end()),
        };
        if !seen.insert(other) {
            again.push(index);
        }
    }
    (lines, again)
}

/// Groups lines that are adjacent or overlap. `has_line` is asked whether the file has a first
/// line that adjoins or is inside other ranges.
fn groups(lines: &[Lines], has_line: &mut dyn FnMut(u64) -> bool) -> Vec<Vec<usize>> {
    let ranges = lines.iter().enumerate();
    let mut ranges: Vec<(LineRange, usize)> =
        ranges.flat_map(|(at, own)| own.ranges.iter().map(move |&range| (range, at))).collect();
    ranges.sort_unstable();
    // A union-find structure: the leader of each element's group.
    let mut leaders: Vec<usize> = (0..lines.len()).collect();
    let leader = |leaders: &mut [usize], mut at: usize| {
        while leaders[at] != at {
            leaders[at] = leaders[leaders[at]];
            at = leaders[at];
        }
        at
    };
    let mut last: Option<(u64, usize)> = None;
    let mut start = 0;
    for (range, at) in ranges {
        let is_same = std::mem::replace(&mut start, range.start()) == start;
        if let Some((end, before)) = last.filter(|(end, _)| start <= end.saturating_add(1)) {
            let (one, other) = (leader(&mut leaders, before), leader(&mut leaders, at));
            if one != other && (is_same || has_line(start)) {
                leaders[one.max(other)] = one.min(other);
            }
            last = Some(if end >= range.end() { (end, before) } else { (range.end(), at) });
        } else {
            last = Some((range.end(), at));
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in 0..lines.len() {
        groups.entry(leader(&mut leaders, at)).or_default().push(at);
    }
    groups.into_values().collect()
}

/// Sorts ranges and merges those that are adjacent or overlap.
fn join(ranges: &mut Vec<LineRange>) {
    ranges.sort_unstable();
    let mut joined: Vec<LineRange> = Vec::with_capacity(ranges.len());
    for range in ranges.drain(..) {
        match joined.last_mut().filter(|last| range.start() <= last.end().saturating_add(1)) {
            Some(last) => *last = LineRange::from_to(last.start(), last.end().max(range.end())),
            None => joined.push(range),
        }
    }
    *ranges = joined;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which requests are merged in a file of 20 lines.
    #[track_caller]
    fn check(typed: &[&[(u64, u64)]], expected: &[&[usize]]) {
        let lines: Vec<Lines> = typed
            .iter()
            .enumerate()
            .map(|(request, ranges)| {
                let ranges = ranges.iter().map(|&(start, end)| LineRange::from_to(start, end));
                Lines { request, ranges: ranges.collect(), is_whole: false }
            })
            .collect();
        assert_eq!(groups(&lines, &mut |line| line <= 20), expected, "{typed:?}");
    }

    #[test]
    fn lines_that_touch_or_overlap_belong_together() {
        check(&[&[(1, 3)], &[(4, 6)], &[(8, 9)]], &[&[0, 1], &[2]]);
        check(&[&[(8, 9)], &[(1, 3)], &[(2, 8)]], &[&[0, 1, 2]]);
        check(&[&[(1, 9)], &[(2, 3)], &[(9, 10)]], &[&[0, 1, 2]]);
        check(&[&[(1, 2), (11, 12)], &[(5, 6)], &[(12, 14), (6, 7)]], &[&[0, 1, 2]]);
        check(&[&[(1, u64::MAX)], &[(5, 6)]], &[&[0, 1]]);
        // Lines past the end are not merged, so that they are reported.
        check(&[&[(19, 20)], &[(21, 22)]], &[&[0], &[1]]);
        check(&[&[(19, 30)], &[(25, 26)], &[(20, 20)]], &[&[0, 2], &[1]]);
        check(&[&[(3, 3)], &[(3, 3)]], &[&[0, 1]]);
    }

    #[test]
    fn ranges_are_joined() {
        let mut ranges = [(8, 9), (1, 3), (4, 4), (9, 12)]
            .map(|(start, end)| LineRange::from_to(start, end))
            .to_vec();
        join(&mut ranges);
        assert_eq!(ranges, [LineRange::from_to(1, 4), LineRange::from_to(8, 12)]);
    }
}
