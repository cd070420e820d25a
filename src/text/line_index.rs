//! From line numbers to offsets and back, for a document of any size: the
//! offset of every 1,024th line is kept, the rest is counted where it matters.

use super::content::LineEnd;
use super::lines::skip_lines;
use super::span::Span;

/// Lines between two offsets that are kept.
const EVERY: u64 = 1024;

/// Bytes that are read at once where lines are looked for.
const READ: u64 = 1 << 20;

/// Where the lines of a document begin.
#[derive(Clone, Debug)]
pub struct LineIndex {
    /// Offsets of the lines 1, 1 + EVERY, and so on. Never empty.
    kept: Vec<u64>,
    /// The end of the text so far.
    end: u64,
    /// Lines that have ended.
    ended: u64,
    /// Lines that have ended since the last kept offset.
    since: u64,
    last_byte: Option<u8>,
    first_end: Option<LineEnd>,
}

/// The lines that were looked for last: those near them are not counted again.
#[derive(Debug, Default)]
pub struct Stretch {
    /// Which of the kept offsets they stand behind.
    index: Option<usize>,
    starts: Vec<u64>,
}

impl LineIndex {
    /// The index of a text that begins at an offset: behind its byte order mark.
    pub fn new(start: u64) -> Self {
        let kept = vec![start];
        Self { kept, end: start, ended: 0, since: 0, last_byte: None, first_end: None }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.first_end.is_none()
            && let Some(at) = memchr::memchr(b'\n', bytes)
        {
            let before = if at > 0 { Some(bytes[at - 1]) } else { self.last_byte };
            let is_double = before == Some(b'\r');
            self.first_end = Some(if is_double { LineEnd::CrLf } else { LineEnd::Lf });
        }
        let mut at = 0;
        loop {
            match skip_lines(&bytes[at..], EVERY - self.since) {
                Ok(length) => {
                    at += length;
                    self.ended += EVERY - self.since;
                    self.since = 0;
                    self.kept.push(self.end + at as u64);
                }
                Err(found) => {
                    self.ended += found;
                    self.since += found;
                    break;
                }
            }
        }
        self.end += bytes.len() as u64;
        self.last_byte = bytes.last().copied().or(self.last_byte);
    }

    /// How many lines there are.
    pub fn total_lines(&self) -> u64 {
        self.ended + u64::from(!self.ends_with_line_end())
    }

    /// Whether the last line has a line end; true of no text at all.
    pub fn ends_with_line_end(&self) -> bool {
        self.last_byte.is_none_or(|byte| byte == b'\n')
    }

    /// How the first line ends that has an end.
    pub fn first_line_end(&self) -> Option<LineEnd> {
        self.first_end
    }

    /// The span of the text.
    pub fn text(&self) -> Span {
        Span::new(self.kept[0], self.end)
    }

    /// Where a line begins; the end of the text for any after the last.
    pub fn start_of<E>(
        &self,
        line: u64,
        stretch: &mut Stretch,
        read: &mut dyn FnMut(Span) -> Result<Vec<u8>, E>,
    ) -> Result<u64, E> {
        let before = line.saturating_sub(1);
        let index = usize::try_from(before / EVERY).unwrap_or(usize::MAX);
        let Some(&start) = self.kept.get(index) else { return Ok(self.end) };
        let rest = before % EVERY;
        if rest == 0 {
            return Ok(start);
        }
        let starts = self.starts(index, stretch, read)?;
        Ok(starts.get(rest as usize).copied().unwrap_or(self.end))
    }

    /// The number of the line that an offset stands on; the offset behind the
    /// last line end stands on one more than there are.
    pub fn line_of<E>(
        &self,
        offset: u64,
        stretch: &mut Stretch,
        read: &mut dyn FnMut(Span) -> Result<Vec<u8>, E>,
    ) -> Result<u64, E> {
        let index = self.kept.partition_point(|&start| start <= offset).saturating_sub(1);
        let starts = self.starts(index, stretch, read)?;
        let line = starts.partition_point(|&start| start <= offset).max(1);
        Ok(index as u64 * EVERY + line as u64)
    }

    /// Where the lines behind a kept offset begin, up to the next one.
    fn starts<'s, E>(
        &self,
        index: usize,
        stretch: &'s mut Stretch,
        read: &mut dyn FnMut(Span) -> Result<Vec<u8>, E>,
    ) -> Result<&'s [u64], E> {
        if stretch.index != Some(index) {
            let start = self.kept[index];
            let end = self.kept.get(index + 1).copied().unwrap_or(self.end);
            stretch.index = None;
            stretch.starts.clear();
            stretch.starts.push(start);
            // Lines may be long.
            let mut at = start;
            while at < end {
                let part = Span::new(at, end.min(at + READ));
                let bytes = read(part)?;
                let ends = memchr::memchr_iter(b'\n', &bytes);
                stretch.starts.extend(ends.map(|end| at + end as u64 + 1));
                at = part.end();
            }
            stretch.index = Some(index);
        }
        Ok(&stretch.starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, lines: u64) {
        for cut in [1, 7, 4096, usize::MAX] {
            let mut index = LineIndex::new(3);
            for part in text.as_bytes().chunks(cut.min(text.len().max(1))) {
                index.push(part);
            }
            assert_eq!(index.total_lines(), lines, "{} bytes", text.len());
            let mut read = |span: Span| -> Result<Vec<u8>, ()> {
                let (start, end) = (span.start() as usize - 3, span.end() as usize - 3);
                Ok(text.as_bytes()[start..end].to_vec())
            };
            let mut stretch = Stretch::default();
            let mut at = 3;
            for (line, number) in text.split_inclusive('\n').zip(1..) {
                assert_eq!(index.start_of(number, &mut stretch, &mut read), Ok(at));
                assert_eq!(index.line_of(at, &mut stretch, &mut read), Ok(number));
                at += line.len() as u64;
                assert_eq!(index.line_of(at - 1, &mut stretch, &mut read), Ok(number));
            }
            assert_eq!(index.start_of(lines + 1, &mut stretch, &mut read), Ok(at));
            assert_eq!(index.start_of(lines + 9999, &mut stretch, &mut read), Ok(at));
        }
    }

    #[test]
    fn lines_are_found_by_number_and_by_offset() {
        check("", 0);
        check("a", 1);
        check("a\n", 1);
        check("a\n\nb", 3);
        check(&"x\n".repeat(1024), 1024);
        check(&"xy\r\n".repeat(2500), 2500);
        check(&format!("{}z", "\n".repeat(2048)), 2049);
    }

    #[test]
    fn the_first_line_end_is_known() {
        for (text, expected) in
            [("a\r\nb\n", Some(LineEnd::CrLf)), ("a\n", Some(LineEnd::Lf)), ("a", None)]
        {
            let mut index = LineIndex::new(0);
            text.bytes().for_each(|byte| index.push(&[byte]));
            assert_eq!(index.first_line_end(), expected);
            let mut whole = LineIndex::new(0);
            whole.push(text.as_bytes());
            assert_eq!(whole.first_line_end(), expected);
        }
    }
}
