//! Makes whitespace visible: tabs, trailing blanks, line endings and invisible characters.

use std::io::Write;
use std::ops::Range;

/// Appends a line with visible whitespace. Adjusts the ranges in `found` to the appended text.
pub fn push_visible(line: &[u8], found: &mut [Range<usize>], out: &mut Vec<u8>) {
    let (text, end) = match line {
        [text @ .., b'\r', b'\n'] => (text, "␍␊\n"),
        [text @ .., b'\n'] => (text, "␊\n"),
        text => (text, ""),
    };
    let kept = text.trim_ascii_end().len();
    let first = out.len();
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            places.push((at, out.len() - first));
            push_character(character, at >= kept, out);
            at += character.len_utf8();
        }
        for byte in chunk.invalid() {
            places.push((at, out.len() - first));
            // Writing to a vector cannot fail.
            let _ = write!(out, "<{byte:02X}>");
            at += 1;
        }
    }
    let last = out.len() - first;
    let place = |byte: usize| {
        let index = places.partition_point(|&(from, _)| from < byte);
        places.get(index).map_or(last, |&(_, shown)| shown)
    };
    found.iter_mut().for_each(|range| *range = place(range.start)..place(range.end));
    out.extend_from_slice(end.as_bytes());
}

fn push_character(character: char, is_trailing: bool, out: &mut Vec<u8>) {
    match character {
        '\t' => out.extend_from_slice("→\t".as_bytes()),
        ' ' if is_trailing => out.extend_from_slice("·".as_bytes()),
        _ if is_invisible(character) => {
            let _ = write!(out, "<U+{:04X}>", u32::from(character));
        }
        _ => {
            let mut buffer = [0; 4];
            out.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes());
        }
    }
}

/// Whether a character is invisible or looks like a space.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, found: Range<usize>, shown: &str, expected: &str) {
        let (mut out, mut ranges) = (b"x".to_vec(), [found]);
        push_visible(line.as_bytes(), &mut ranges, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), format!("x{shown}"));
        let [range] = ranges;
        assert_eq!(&shown[range], expected, "{line:?}");
    }

    #[test]
    fn ranges_after_expanded_blanks_are_adjusted() {
        check("a\tb\u{a0}c \r\n", 2..5, "a→\tb<U+00A0>c·␍␊\n", "b<U+00A0>");
        check("a\tb", 0..3, "a→\tb", "a→\tb");
        check("é x", 3..4, "é x", "x");
        check("ab\n", 2..2, "ab␊\n", "");
    }
}
