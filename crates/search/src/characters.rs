//! Unicode classes of characters, for splitting texts into tokens and words.

use std::sync::OnceLock;

use regex_syntax::hir::{self, ClassUnicode, HirKind};

/// A class of characters, as sorted ranges.
struct Class {
    class: &'static str,
    ranges: OnceLock<Vec<(char, char)>>,
}

impl Class {
    const fn new(class: &'static str) -> Self {
        Self { class, ranges: OnceLock::new() }
    }

    fn contains(&self, character: char) -> bool {
        let ranges = self.ranges.get_or_init(|| ranges(self.class));
        let after = ranges.partition_point(|&(start, _)| start <= character);
        after > 0 && ranges[after - 1].1 >= character
    }
}

/// Returns the ranges of a class in the syntax of regular expressions.
fn ranges(class: &str) -> Vec<(char, char)> {
    let class = match regex_syntax::parse(class).map(|parsed| parsed.into_kind()) {
        Ok(HirKind::Class(hir::Class::Unicode(class))) => class,
        _ => ClassUnicode::empty(),
    };
    class.iter().map(|range| (range.start(), range.end())).collect()
}

static PUNCTUATION: Class = Class::new(r"\p{P}");
static FORMAT: Class = Class::new(r"\p{Cf}");
static COMBINING: Class = Class::new(r"\p{Mn}");
static PAIRED: Class = Class::new(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]");

/// Whether a character is punctuation or an ASCII symbol. Such a character separates words.
pub fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_punctuation();
    }
    PUNCTUATION.contains(character)
}

/// Whether a character only affects how other characters are displayed.
pub fn is_format(character: char) -> bool {
    !character.is_ascii() && FORMAT.contains(character)
}

/// Whether a character is an accent that follows its letter.
pub fn is_combining(character: char) -> bool {
    !character.is_ascii() && COMBINING.contains(character)
}

/// Whether a character belongs to a script without spaces between words: Han, kana or Hangul.
pub fn is_paired(character: char) -> bool {
    !character.is_ascii() && PAIRED.contains(character)
}

/// Whether a character is one of the Chinese characters that BERT splits into single tokens.
pub fn is_ideograph(character: char) -> bool {
    matches!(u32::from(character),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x2_0000..=0x2_a6df | 0x2_a700..=0x2_b73f
        | 0x2_b740..=0x2_b81f | 0x2_b820..=0x2_ceaf | 0xf900..=0xfaff | 0x2_f800..=0x2_fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_classes() {
        assert!(is_punctuation('$') && is_punctuation('«') && !is_punctuation('−'));
        assert!(is_format('\u{200b}') && is_format('\u{ad}') && !is_format('a'));
        assert!(is_combining('\u{301}') && !is_combining('é'));
        assert!(is_paired('日') && is_paired('カ') && is_paired('한') && !is_paired('é'));
        assert!(is_ideograph('日') && !is_ideograph('カ'));
    }
}
