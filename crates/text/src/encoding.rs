//! Encodings of documents: detection, byte order marks, decoding and encoding. Text is decoded for
//! matching and display. When a file is edited, its unchanged parts keep their original bytes.

use crate::lines::{count_newlines, skip_lines};

/// Number of bytes to inspect to distinguish text from binary data.
pub const SNIFF_LIMIT: usize = 64 * 1024;

/// The encoding of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8. Invalid bytes are preserved.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Bom,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// Another encoding, requested by its label.
    Labelled(&'static encoding_rs::Encoding),
}

impl Encoding {
    /// Detects the encoding from the beginning of a document. UTF-32 is not supported: its NUL
    /// bytes make a document look binary.
    pub fn detect(head: &[u8]) -> Self {
        match head {
            _ if is_utf32(head) => Self::Utf8,
            [0xef, 0xbb, 0xbf, ..] => Self::Utf8Bom,
            [0xff, 0xfe, ..] => Self::Utf16Le,
            [0xfe, 0xff, ..] => Self::Utf16Be,
            _ => Self::Utf8,
        }
    }

    /// Returns the encoding that a label of the Encoding Standard selects, such as `latin1` or
    /// `shift_jis`, for a document that begins with `head`. A byte order mark takes precedence.
    pub fn for_label(label: &str, head: &[u8]) -> Option<Self> {
        let known = |label: &str| encoding_rs::Encoding::for_label_no_replacement(label.as_bytes());
        // Other programs write `latin-1` and `cp-1252`.
        let encoding = known(label).or_else(|| known(&label.replace(['-', '_'], "")))?;
        let marked = Self::detect(head);
        Some(if marked != Self::Utf8 || encoding == encoding_rs::UTF_8 {
            marked
        } else if encoding == encoding_rs::UTF_16LE {
            Self::Utf16Le
        } else if encoding == encoding_rs::UTF_16BE {
            Self::Utf16Be
        } else {
            Self::Labelled(encoding)
        })
    }

    /// Returns the byte order mark of the encoding.
    pub fn bom(self) -> &'static [u8] {
        match self {
            Self::Utf8 | Self::Utf8Bom | Self::Labelled(_) => &[0xef, 0xbb, 0xbf],
            Self::Utf16Le => &[0xff, 0xfe],
            Self::Utf16Be => &[0xfe, 0xff],
        }
    }

    /// Returns the length of the byte order mark at the beginning of `head`. The mark is not part
    /// of any line.
    pub fn bom_length(self, head: &[u8]) -> usize {
        let marked = !matches!(self, Self::Utf8 | Self::Labelled(_));
        if marked && head.starts_with(self.bom()) { self.bom().len() } else { 0 }
    }

    /// Whether the bytes are UTF-8, so that they can be matched without decoding.
    pub fn is_utf8(self) -> bool {
        matches!(self, Self::Utf8 | Self::Utf8Bom)
    }

    /// Size of a code unit in bytes.
    pub fn unit_size(self) -> usize {
        match self {
            Self::Utf16Le | Self::Utf16Be => 2,
            _ => 1,
        }
    }

    /// Returns the name that results show. For a labelled encoding, this is the standard name in
    /// lower case.
    pub fn name(self) -> String {
        match self {
            Self::Utf8 => "utf-8".to_owned(),
            Self::Utf8Bom => "utf-8-bom".to_owned(),
            Self::Utf16Le => "utf-16le".to_owned(),
            Self::Utf16Be => "utf-16be".to_owned(),
            Self::Labelled(encoding) => encoding.name().to_ascii_lowercase(),
        }
    }

    /// Returns the offset after the first line feed at or after `from`, which must be on a code
    /// unit boundary.
    pub fn after_line_feed(self, raw: &[u8], from: usize) -> Option<usize> {
        let line_feed: [u8; 2] = match self {
            Self::Utf16Le => [b'\n', 0],
            Self::Utf16Be => [0, b'\n'],
            _ => return memchr::memchr(b'\n', &raw[from..]).map(|at| from + at + 1),
        };
        // Line feeds cannot overlap, so this search finds all of them.
        let mut found = memchr::memmem::find_iter(&raw[from..], &line_feed);
        found.find(|at| at % 2 == 0).map(|at| from + at + 2)
    }

    /// Counts the line feeds in `raw`.
    pub fn count_line_feeds(self, raw: &[u8]) -> u64 {
        if self.unit_size() == 1 {
            return count_newlines(raw);
        }
        let mut count = 0;
        let mut at = 0;
        while let Some(next) = self.after_line_feed(raw, at) {
            count += 1;
            at = next;
        }
        count
    }

    /// Like `skip_lines`, but for line endings in this encoding.
    pub fn skip_lines(self, raw: &[u8], count: u64) -> Result<usize, u64> {
        if self.unit_size() == 1 {
            return skip_lines(raw, count);
        }
        let mut at = 0;
        for passed in 0..count {
            match self.after_line_feed(raw, at) {
                Some(next) => at = next,
                None => return Err(passed),
            }
        }
        Ok(at)
    }

    /// Returns the offset after the last line feed.
    pub fn after_last_line_feed(self, raw: &[u8]) -> Option<usize> {
        let line_feed: [u8; 2] = match self {
            Self::Utf16Le => [b'\n', 0],
            Self::Utf16Be => [0, b'\n'],
            _ => return memchr::memrchr(b'\n', raw).map(|at| at + 1),
        };
        let (units, _) = raw.as_chunks::<2>();
        units.iter().rposition(|unit| *unit == line_feed).map(|at| at * 2 + 2)
    }

    /// Converts an offset in decoded text to an offset in `raw`, the bytes from which the text was
    /// decoded. `raw` and the text must start with a whole line.
    pub fn raw_length(self, raw: &[u8], text: &[u8], offset: usize) -> usize {
        if self.unit_size() == 2 {
            let units = String::from_utf8_lossy(&text[..offset]).encode_utf16().count();
            // The decoder converted an incomplete code unit at the end to a character.
            return (units * 2).min(raw.len());
        }
        // Find the line by counting lines, then the character by decoding prefixes of the line.
        let lines = count_newlines(&text[..offset]);
        let start = skip_lines(raw, lines).unwrap_or(raw.len());
        let line_start = memchr::memrchr(b'\n', &text[..offset]).map_or(0, |at| at + 1);
        let wanted = offset - line_start;
        let Self::Labelled(encoding) = self else { return (start + wanted).min(raw.len()) };
        // A character is decoded when its last byte is read.
        let mut decoder = encoding.new_decoder_without_bom_handling();
        let mut buffer = [0; 16];
        let mut written = 0;
        for (index, &byte) in raw[start..].iter().enumerate() {
            // Stop at the end of the line.
            if written >= wanted || byte == b'\n' {
                return start + index;
            }
            written += decoder.decode_to_utf8(&[byte], &mut buffer, false).2;
        }
        raw.len()
    }

    /// Appends `raw`, decoded to UTF-8. Invalid bytes become U+FFFD. `raw` consists of whole lines,
    /// so that no character is split.
    pub fn decode(self, raw: &[u8], text: &mut Vec<u8>) {
        let encoding = match self {
            Self::Utf8 | Self::Utf8Bom => {
                text.extend_from_slice(raw);
                return;
            }
            Self::Utf16Le => encoding_rs::UTF_16LE,
            Self::Utf16Be => encoding_rs::UTF_16BE,
            Self::Labelled(encoding) => encoding,
        };
        let (decoded, _) = encoding.decode_without_bom_handling(raw);
        text.extend_from_slice(decoded.as_bytes());
    }

    /// Encodes UTF-8 text. If the encoding is UTF-8, invalid bytes are preserved.
    ///
    /// # Errors
    ///
    /// Returns the first character that the encoding cannot represent.
    pub fn encode(self, text: &[u8]) -> Result<Vec<u8>, char> {
        let units = |to_bytes: fn(u16) -> [u8; 2]| {
            let text = String::from_utf8_lossy(text);
            text.encode_utf16().flat_map(to_bytes).collect()
        };
        match self {
            Self::Utf8 | Self::Utf8Bom => Ok(text.to_vec()),
            Self::Utf16Le => Ok(units(u16::to_le_bytes)),
            Self::Utf16Be => Ok(units(u16::to_be_bytes)),
            Self::Labelled(encoding) => {
                let text = String::from_utf8_lossy(text);
                let (bytes, _, unmappable) = encoding.encode(&text);
                if !unmappable {
                    return Ok(bytes.into_owned());
                }
                let is_unmappable = |character: &char| encoding.encode(&character.to_string()).2;
                Err(text.chars().find(is_unmappable).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
        }
    }
}

/// Whether a document begins with a byte order mark of UTF-32.
pub fn is_utf32(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..])
}

/// Whether a file that begins with `head` is binary: it contains a NUL byte, and neither a byte
/// order mark nor a label shows that it is UTF-16.
pub fn is_binary(head: &[u8], encoding: Encoding) -> bool {
    encoding.unit_size() == 1 && memchr::memchr(0, &head[..head.len().min(SNIFF_LIMIT)]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_determine_the_encoding() {
        assert_eq!(Encoding::detect(b"\xef\xbb\xbfa"), Encoding::Utf8Bom);
        assert_eq!(Encoding::detect(b"\xff\xfea\0"), Encoding::Utf16Le);
        assert_eq!(Encoding::detect(b"\xfe\xff\0a"), Encoding::Utf16Be);
        assert_eq!(Encoding::detect(b""), Encoding::Utf8);
        for utf32 in [&b"\xff\xfe\0\0a\0\0\0"[..], b"\0\0\xfe\xff\0\0\0a"] {
            assert!(is_utf32(utf32) && is_binary(utf32, Encoding::detect(utf32)));
        }
        assert!(!is_utf32(b"\xff\xfea\0"));
    }

    #[test]
    fn line_feeds_of_utf16_are_on_unit_boundaries() {
        // U+0A00 U+000A: in the bytes 00 0A 0A 00, the two bytes at offset 1 only look like a line
        // feed.
        let raw = [0x00, 0x0a, 0x0a, 0x00, b'x', 0];
        assert_eq!(Encoding::Utf16Le.after_line_feed(&raw, 0), Some(4));
        assert_eq!(Encoding::Utf16Le.after_last_line_feed(&raw), Some(4));
        let raw = [0x0a, 0x00, 0x00, 0x0a];
        assert_eq!(Encoding::Utf16Be.after_line_feed(&raw, 0), Some(4));
        assert_eq!(Encoding::Utf16Be.after_last_line_feed(&raw), Some(4));
        let raw = [b'a', 0, b'\n', 0, b'\n', 0, 0, b'\n', 0, b'\n', 0];
        assert_eq!(Encoding::Utf16Le.after_line_feed(&raw, 2), Some(4));
        assert_eq!(Encoding::Utf16Le.after_line_feed(&raw, 6), None);
        assert_eq!(Encoding::Utf16Le.count_line_feeds(&raw), 2);
        assert_eq!(Encoding::Utf16Le.skip_lines(&raw, 2), Ok(6));
        assert_eq!(Encoding::Utf16Le.skip_lines(&raw, 3), Err(2));
        assert_eq!(Encoding::Utf8.count_line_feeds(&raw), 4);
        assert_eq!(Encoding::Utf8.skip_lines(&raw, 2), Ok(5));
    }

    #[test]
    fn only_the_beginning_of_a_document_can_be_a_byte_order_mark() {
        for (encoding, head, expected) in [
            (Encoding::Utf16Le, &b"\xff\xfea\0"[..], 2),
            (Encoding::Utf16Le, b"a\0", 0),
            (Encoding::Utf8Bom, b"\xef\xbb\xbfa", 3),
            (Encoding::Utf8, b"\xef\xbb\xbfa", 0),
        ] {
            assert_eq!(encoding.bom_length(head), expected, "{encoding:?}");
        }
    }

    #[test]
    fn lengths_in_the_bytes_of_a_file() {
        let japanese = Encoding::for_label("shift_jis", b"").expect("known");
        for (encoding, raw, text, offset, expected) in [
            (Encoding::Utf8, &b"a\nbcd\n"[..], "a\nbcd\n", 4, 4),
            (Encoding::Utf16Le, b"a\0\n\0\xe9\0b\0", "a\néb", 4, 6),
            (Encoding::Utf16Le, b"a\0\n", "a\u{fffd}", 4, 3),
            (japanese, b"x\n\x83\x65a\n", "x\nテa\n", 2, 2),
            (japanese, b"x\n\x83\x65a\n", "x\nテa\n", 5, 4),
            (japanese, b"x\n\x83\x65a\n", "x\nテa\n", 6, 5),
            (japanese, b"x\n\x83\x65a\n", "x\nテa\n", 7, 6),
        ] {
            let found = encoding.raw_length(raw, text.as_bytes(), offset);
            assert_eq!(found, expected, "{encoding:?} {text:?} {offset}");
        }
    }

    #[test]
    fn labels_follow_the_encoding_standard() {
        let latin = Encoding::for_label("latin1", b"").expect("known");
        let mut text = Vec::new();
        latin.decode(b"caf\xe9", &mut text);
        assert_eq!(text, "café".as_bytes());
        assert_eq!(latin.name(), "windows-1252");
        assert_eq!(Encoding::for_label("utf-8", b"\xef\xbb\xbf"), Some(Encoding::Utf8Bom));
        assert_eq!(Encoding::for_label("latin1", b"\xef\xbb\xbf"), Some(Encoding::Utf8Bom));
        assert_eq!(Encoding::for_label("utf-8", b"\xff\xfea\0"), Some(Encoding::Utf16Le));
        assert_eq!(Encoding::for_label("klingon", b""), None);
        assert_eq!(Encoding::for_label("iso-2022-kr", b""), None);
    }

    #[test]
    fn encoding_reverses_decoding() {
        assert_eq!(Encoding::Utf16Be.encode("é\n".as_bytes()), Ok(vec![0, 0xe9, 0, b'\n']));
        let latin = Encoding::for_label("latin1", b"").expect("known");
        assert_eq!(latin.encode("é".as_bytes()), Ok(vec![0xe9]));
        assert_eq!(latin.encode("aж".as_bytes()), Err('ж'));
        assert_eq!(Encoding::Utf8.encode(b"\xff"), Ok(vec![0xff]));
    }

    #[test]
    fn a_file_with_a_nul_is_binary_unless_it_is_utf16() {
        assert!(is_binary(b"a\0b", Encoding::Utf8));
        assert!(!is_binary(b"a\0", Encoding::Utf16Le));
        assert!(!is_binary(b"a", Encoding::Utf8));
    }
}
