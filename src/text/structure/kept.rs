//! Which lines edits leave as they are: a document before and after its edits,
//! gone through at once.

use super::Window;
use crate::text::edit::Edit;
use crate::text::lines::lines_with_ends;

/// A line before or after the edits.
pub(super) enum Line<'a> {
    /// One of both documents, which no edit touches.
    Kept(&'a [u8]),
    /// One of the old document.
    Gone(&'a [u8]),
    /// One of the new document.
    New(&'a [u8]),
    /// None yet: the next one begins alike in both.
    Begun,
}

/// Goes through the lines of both documents, of which it holds none but those
/// that an edit cuts.
pub(super) struct BothDocuments<'a> {
    /// The edits that are still to come.
    edits: &'a [Edit],
    /// Where in the old document it is.
    at: u64,
    /// The lines so far that are not yet at their end.
    old: Vec<u8>,
    new: Vec<u8>,
    /// Whether these begin with the same line, and no edit was in it.
    is_same: bool,
}

impl<'a> BothDocuments<'a> {
    /// From an offset at which a line begins in both, with the edits behind it.
    pub(super) fn new(start: u64, edits: &'a [Edit]) -> Self {
        Self { edits, at: start, old: Vec::new(), new: Vec::new(), is_same: false }
    }

    /// Whether nothing but lines that stay is to come.
    pub(super) fn is_done(&self) -> bool {
        self.edits.is_empty() && self.old.is_empty() && self.new.is_empty()
    }

    /// Takes what comes next of the old document: whole lines, but for its last.
    pub(super) fn push(&mut self, bytes: &[u8], each: &mut impl FnMut(Line<'_>)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let next = self.edits.first();
            let room = |until: u64| (until.saturating_sub(self.at)).min(rest.len() as u64) as usize;
            let stays = next.map_or(rest.len(), |edit| room(edit.span.start()));
            let goes = next.map_or(0, |edit| room(edit.span.end()));
            let length = if stays > 0 { stays } else { goes };
            let (part, behind) = rest.split_at(length);
            (rest, self.at) = (behind, self.at + length as u64);
            if stays > 0 {
                self.stay(part, each);
                continue;
            }
            self.is_same &= part.is_empty();
            take(&mut self.old, part, |line| each(Line::Gone(line)));
            if let Some((edit, others)) = self.edits.split_first()
                && edit.span.end() <= self.at
            {
                self.edits = others;
                self.arrive(&edit.content, each);
            }
        }
    }

    /// Ends the old document. What edits bring behind a last line without an end
    /// leaves that as it is where it begins with one.
    pub(super) fn finish(mut self, each: &mut impl FnMut(Line<'_>)) {
        let behind = self.edits.iter().map(|edit| &edit.content[..]).collect::<Vec<_>>().concat();
        let mut behind = &behind[..];
        let end = lines_with_ends(behind).next().filter(|line| matches!(*line, b"\n" | b"\r\n"));
        if self.is_same && !self.old.is_empty() && (behind.is_empty() || end.is_some()) {
            each(Line::Kept(&self.old));
            (self.old, self.new) = Default::default();
            behind = &behind[end.map_or(0, <[u8]>::len)..];
        }
        self.arrive(behind, each);
        if !self.old.is_empty() {
            each(Line::Gone(&self.old));
        }
        if !self.new.is_empty() {
            each(Line::New(&self.new));
        }
    }

    /// Takes bytes that no edit touches.
    fn stay(&mut self, bytes: &[u8], each: &mut impl FnMut(Line<'_>)) {
        let mut rest = bytes;
        // What ends a line that an edit is in, if there is such a line.
        if !(self.old.is_empty() && self.new.is_empty()) {
            let (cut, behind) = rest.split_at(first_line(rest));
            rest = behind;
            take(&mut self.old, cut, |line| each(Line::Gone(line)));
            take(&mut self.new, cut, |line| each(Line::New(line)));
        }
        for line in lines_with_ends(rest) {
            if line.ends_with(b"\n") {
                each(Line::Kept(line));
            } else {
                (self.old, self.new, self.is_same) = (line.to_vec(), line.to_vec(), true);
                each(Line::Begun);
            }
        }
    }

    /// Takes bytes that an edit brings.
    fn arrive(&mut self, content: &[u8], each: &mut impl FnMut(Line<'_>)) {
        self.is_same &= content.is_empty();
        take(&mut self.new, content, |line| each(Line::New(line)));
    }
}

/// Adds bytes to a line that is not at its end, and gives out those that are.
fn take(open: &mut Vec<u8>, bytes: &[u8], mut each: impl FnMut(&[u8])) {
    let mut rest = bytes;
    if !open.is_empty() {
        let (own, behind) = rest.split_at(first_line(rest));
        open.extend_from_slice(own);
        if open.ends_with(b"\n") {
            each(open);
            open.clear();
        }
        rest = behind;
    }
    for line in lines_with_ends(rest) {
        if line.ends_with(b"\n") {
            each(line);
        } else {
            open.extend_from_slice(line);
        }
    }
}

/// The length of the first line, with its end.
fn first_line(bytes: &[u8]) -> usize {
    memchr::memchr(b'\n', bytes).map_or(bytes.len(), |at| at + 1)
}

/// Lines that edits leave as they are. All numbers are from 1.
#[derive(Default)]
pub(super) struct KeptLines {
    whole: Runs,
    /// These and others that begin alike.
    begun: Runs,
}

/// Runs of lines: from their numbers in the old document to those in the new one
/// and back.
#[derive(Default)]
struct Runs {
    runs: Vec<Run>,
}

struct Run {
    old: u64,
    new: u64,
    count: u64,
}

impl KeptLines {
    /// Those of a window.
    pub(super) fn of(window: &Window, edits: &[Edit]) -> Self {
        let mut lines = Self::default();
        let (mut old, mut new) = (0, 0);
        let mut each = |line: Line<'_>| match line {
            Line::Gone(_) => old += 1,
            Line::New(_) => new += 1,
            Line::Kept(_) => {
                (old, new) = (old + 1, new + 1);
                lines.whole.push(old, new);
                lines.begun.push(old, new);
            }
            Line::Begun => lines.begun.push(old + 1, new + 1),
        };
        let mut documents = BothDocuments::new(window.offset, edits);
        documents.push(&window.old, &mut each);
        documents.finish(&mut each);
        lines
    }

    /// The number that a line of the old document has in the new one.
    pub(super) fn new_of(&self, line: u64) -> Option<u64> {
        self.whole.new_of(line)
    }

    /// The same of a line that only has to begin alike.
    pub(super) fn begun_of(&self, line: u64) -> Option<u64> {
        self.begun.new_of(line)
    }

    /// The number that a line of the new document had in the old one.
    pub(super) fn old_of(&self, line: u64) -> Option<u64> {
        let runs = &self.whole.runs;
        let run = &runs[runs.partition_point(|run| run.new <= line).checked_sub(1)?];
        (line - run.new < run.count).then(|| run.old + line - run.new)
    }
}

impl Runs {
    /// Takes the next line.
    fn push(&mut self, old: u64, new: u64) {
        match self.runs.last_mut() {
            Some(run) if (run.old + run.count, run.new + run.count) == (old, new) => run.count += 1,
            _ => self.runs.push(Run { old, new, count: 1 }),
        }
    }

    fn new_of(&self, line: u64) -> Option<u64> {
        let run = &self.runs[self.runs.partition_point(|run| run.old <= line).checked_sub(1)?];
        (line - run.old < run.count).then(|| run.new + line - run.old)
    }
}
