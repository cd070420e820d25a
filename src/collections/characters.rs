//! Kinds of characters that tokens and terms ask for, as Unicode has them.

use std::sync::OnceLock;

use regex_syntax::hir::{Class, ClassUnicode, HirKind};

/// Characters in ranges, sorted.
struct Kind {
    class: &'static str,
    ranges: OnceLock<Vec<(char, char)>>,
}

impl Kind {
    const fn new(class: &'static str) -> Self {
        Self { class, ranges: OnceLock::new() }
    }

    fn holds(&self, character: char) -> bool {
        let ranges = self.ranges.get_or_init(|| ranges(self.class));
        let after = ranges.partition_point(|&(start, _)| start <= character);
        after > 0 && ranges[after - 1].1 >= character
    }
}

/// The ranges of a class that regular expressions have a name for.
fn ranges(class: &str) -> Vec<(char, char)> {
    let class = match regex_syntax::parse(class).map(|parsed| parsed.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(class))) => class,
        _ => ClassUnicode::empty(),
    };
    class.iter().map(|range| (range.start(), range.end())).collect()
}

static PUNCTUATION: Kind = Kind::new(r"\p{P}");
static FORMAT: Kind = Kind::new(r"\p{Cf}");
static COMBINING: Kind = Kind::new(r"\p{Mn}");
static PAIRED: Kind = Kind::new(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]");

/// Marks that split words; ASCII symbols do too.
pub fn is_punctuation(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_punctuation();
    }
    PUNCTUATION.holds(character)
}

/// Characters that are only about how others are shown.
pub fn is_format(character: char) -> bool {
    !character.is_ascii() && FORMAT.holds(character)
}

/// Accents that are after their letter.
pub fn is_combining(character: char) -> bool {
    !character.is_ascii() && COMBINING.holds(character)
}

/// What is written without blanks between words: Han, kana and Hangul.
pub fn is_paired(character: char) -> bool {
    !character.is_ascii() && PAIRED.holds(character)
}

/// The Chinese characters that BERT takes one by one.
pub fn is_ideograph(character: char) -> bool {
    matches!(u32::from(character),
        0x4e00..=0x9fff | 0x3400..=0x4dbf | 0x2_0000..=0x2_a6df | 0x2_a700..=0x2_b73f
        | 0x2_b740..=0x2_b81f | 0x2_b820..=0x2_ceaf | 0xf900..=0xfaff | 0x2_f800..=0x2_fa1f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_of_their_kinds() {
        assert!(is_punctuation('$') && is_punctuation('«') && !is_punctuation('−'));
        assert!(is_format('\u{200b}') && is_format('\u{ad}') && !is_format('a'));
        assert!(is_combining('\u{301}') && !is_combining('é'));
        assert!(is_paired('日') && is_paired('カ') && is_paired('한') && !is_paired('é'));
        assert!(is_ideograph('日') && !is_ideograph('カ'));
    }
}
