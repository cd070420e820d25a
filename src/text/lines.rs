//! Lines of bytes: where they end, and blocks of whole lines. It does not read
//! files: whoever does hands the blocks in, in order.
//!
//! `\n` and `\r\n` end a line, a lone `\r` does not; the last line may lack its
//! end. `"a\nb"` and `"a\nb\n"` both have two lines, `""` none.

/// Bytes of a document that start where a line starts and end where one ends.
///
/// A line longer than its reader's limit comes in several blocks: the first
/// without its line end, the others with `continues` set and nothing of the
/// next line in them.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The text: UTF-8, or bytes that could not be read as anything else.
    pub bytes: &'a [u8],
    /// Where `bytes` begins in the document's file, BOM included.
    pub offset: u64,
    /// The file's own bytes that `bytes` stands for; the same where nothing
    /// had to be decoded.
    pub raw: &'a [u8],
    /// Whether `bytes` goes on in the line that the block before began.
    pub continues: bool,
}

impl<'a> Block<'a> {
    /// A block of text that needs no decoding.
    pub fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self { bytes, offset, raw: bytes, continues: false }
    }
}

/// How many `\n` there are.
pub fn count_newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// The lines of a text with their line ends.
pub fn lines_with_ends(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

/// A line without its line end.
pub fn without_end(line: &[u8]) -> &[u8] {
    match line {
        [rest @ .., b'\r', b'\n'] | [rest @ .., b'\n'] => rest,
        rest => rest,
    }
}

/// The offset after the `count`th line end, and how many there were if fewer.
///
/// `Ok(offset)` is the start of the line `count` lines further on (the end of
/// `bytes`, where that line is not in them); `Err(found)` where there are fewer.
pub fn skip_lines(bytes: &[u8], count: u64) -> Result<usize, u64> {
    if count == 0 {
        return Ok(0);
    }
    // Counting is several times faster than finding each: find only in the
    // part where the last one is.
    const PART: usize = 4096;
    let mut left = count;
    for (index, part) in bytes.chunks(PART).enumerate() {
        let here = count_newlines(part);
        if here >= left {
            let nth = usize::try_from(left - 1).unwrap_or(usize::MAX);
            let position = memchr::memchr_iter(b'\n', part).nth(nth);
            return position.map(|at| index * PART + at + 1).ok_or(count - left);
        }
        left -= here;
    }
    Err(count - left)
}

/// Calls `line` with the start and end of every line of `bytes`, its line end
/// left out, and whether it has one. A last line without an end is one too.
#[inline(always)]
pub(crate) fn each_line(bytes: &[u8], mut line: impl FnMut(usize, usize, bool)) {
    let (chunks, rest) = bytes.as_chunks::<64>();
    let mut padded = [0u8; 64];
    padded[..rest.len()].copy_from_slice(rest);
    // A last line without an end is taken for one that ends where the bytes do.
    let open = !bytes.is_empty() && bytes.last() != Some(&b'\n');
    let last_end = u64::from(open) << rest.len();
    let mut start = 0;
    for index in 0..=chunks.len() {
        let mut mask = match chunks.get(index) {
            Some(chunk) => newline_mask(chunk),
            None => newline_mask(&padded) | last_end,
        };
        while mask != 0 {
            let end = index * 64 + mask.trailing_zeros() as usize;
            mask &= mask - 1;
            line(start, end, end < bytes.len());
            start = end + 1;
        }
    }
}

/// A bit for each of 64 bytes: set where it is `\n`.
///
/// Several lines share a mask, which is a third of the work of searching for
/// each line end by itself.
#[inline(always)]
fn newline_mask(chunk: &[u8; 64]) -> u64 {
    use wide::u8x16;
    let newline = u8x16::splat(b'\n');
    let (quarters, _) = chunk.as_chunks::<16>();
    let mut mask = 0;
    for (index, quarter) in quarters.iter().enumerate() {
        let bits = u8x16::new(*quarter).cmp_eq(newline).move_mask() as u32;
        mask |= u64::from(bits) << (index * 16);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        each_line(text.as_bytes(), |start, end, _| found.push(&text[start..end]));
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_are_counted_as_editors_count_them() {
        check("", &[]);
        check("\n", &[""]);
        check("a", &["a"]);
        check("a\nb", &["a", "b"]);
        check("a\nb\n", &["a", "b"]);
        check("a\rb\n", &["a\rb"]);
        check(&format!("{}\n\nx", "y".repeat(130)), &["y".repeat(130).as_str(), "", "x"]);
    }

    #[test]
    fn every_position_in_a_chunk_is_seen() {
        for length in 0..200 {
            let text = format!("{}\nrest\n", "x".repeat(length));
            check(&text, &[&text[..length], "rest"]);
        }
    }

    #[test]
    fn skipping_lines_lands_on_the_start_of_one() {
        assert_eq!(skip_lines(b"a\nb\nc", 0), Ok(0));
        assert_eq!(skip_lines(b"a\nb\nc", 2), Ok(4));
        assert_eq!(skip_lines(b"a\nb\nc", 3), Err(2));
        let long = "line\n".repeat(5000);
        assert_eq!(skip_lines(long.as_bytes(), 4321), Ok(4321 * 5));
    }

    #[test]
    fn a_line_end_is_taken_off_once() {
        assert_eq!(without_end(b"a\r\n"), b"a");
        assert_eq!(without_end(b"a\r"), b"a\r");
        assert_eq!(without_end(b"a\r\r\n"), b"a\r");
        assert_eq!(without_end(b"\n"), b"");
    }
}
