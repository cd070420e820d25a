//! Lines that were found and are not printed yet.

use std::ops::Range;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It matches.
    Hit,
    /// It stands near one that does.
    Context,
}

/// A line, or several that one match spans.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is.
    pub kind: Kind,
    /// Its number; 0 where numbers are not wanted.
    pub number: u64,
    /// The number of the last line that the match spans.
    pub last: u64,
    /// Where it begins in the file, if that needs no decoding.
    pub start: u64,
    /// Where its first match begins in the file, where that is wanted.
    pub byte_offset: u64,
    /// Its first match, where that is wanted.
    pub found: Range<usize>,
    text: Range<usize>,
}

/// Lines in order. Printed ones are kept as long as they may be context.
#[derive(Debug, Default)]
pub struct LineBuffer {
    lines: Vec<Line>,
    texts: Vec<u8>,
    printed: usize,
}

impl LineBuffer {
    /// Takes the next line with its end.
    pub fn push(&mut self, line: NewLine<'_>) {
        let start = self.texts.len();
        self.texts.extend_from_slice(line.text);
        self.lines.push(Line {
            kind: line.kind,
            number: line.number,
            last: line.last,
            start: line.start,
            byte_offset: line.byte_offset,
            found: line.found,
            text: start..self.texts.len(),
        });
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.texts.clear();
        self.printed = 0;
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        self.texts.len() + self.lines.len() * size_of::<Line>()
    }

    /// All that it contains.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The numbers of the lines that match.
    pub fn hits(&self) -> Vec<u64> {
        let hits = self.lines.iter().filter(|line| line.kind == Kind::Hit);
        hits.map(|line| line.number).collect()
    }

    /// A line's text with its end.
    pub fn text(&self, line: &Line) -> &[u8] {
        &self.texts[line.text.clone()]
    }

    /// The lines that can be printed: those whose context is complete, or all
    /// where nothing more comes.
    pub fn ready(&self, context: u64, is_end: bool) -> Range<usize> {
        let end = match self.lines.last() {
            Some(last) if !is_end && context > 0 => {
                self.lines.partition_point(|line| line.last.saturating_add(context) < last.number)
            }
            _ => self.lines.len(),
        };
        self.printed..end.max(self.printed)
    }

    /// Forgets lines that were printed, but those that may be context yet.
    pub fn forget(&mut self, printed: Range<usize>, context: u64) {
        self.printed = printed.end;
        let keep = match self.lines.get(printed.end) {
            None if context == 0 => return self.clear(),
            Some(next) => next.number,
            None => u64::MAX,
        };
        let last = self.lines.last().map_or(0, |line| line.last);
        let from = keep.min(last).saturating_sub(context);
        let drop = self.lines.partition_point(|line| line.last < from).min(printed.end);
        if drop == 0 {
            return;
        }
        let bytes = self.lines.get(drop).map_or(self.texts.len(), |line| line.text.start);
        self.texts.drain(..bytes);
        self.lines.drain(..drop);
        for line in &mut self.lines {
            line.text = line.text.start - bytes..line.text.end - bytes;
        }
        self.printed -= drop;
    }
}

/// A line that comes next.
#[derive(Debug)]
pub struct NewLine<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its number.
    pub number: u64,
    /// The number of its last line.
    pub last: u64,
    /// Where it begins in the file, if that needs no decoding.
    pub start: u64,
    /// Where its first match begins in the file.
    pub byte_offset: u64,
    /// Its first match.
    pub found: Range<usize>,
    /// With its end.
    pub text: &'a [u8],
}
