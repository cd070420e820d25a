//! Slugs: the anchors that GitHub and site generators derive from headings. Repeated slugs are
//! numbered.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The program whose slugs are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlugStyle {
    /// GitHub. Most other programs generate the same slugs.
    #[default]
    Github,
    /// Hugo: GitHub's slugs, but headings may have attribute lists.
    Hugo,
    /// mdBook.
    Mdbook,
    /// Python-Markdown, which MkDocs uses.
    Python,
    /// VitePress.
    Vitepress,
    /// MDN.
    Mdn,
}

impl SlugStyle {
    /// Returns the slug for the rendered text of a heading, without a number for repeated headings.
    pub fn slug(self, text: &str) -> String {
        match self {
            Self::Github | Self::Hugo => slug(text),
            Self::Mdbook => mdbook_slug(text),
            Self::Python => python_slug(text),
            Self::Vitepress => vitepress_slug(text),
            Self::Mdn => mdn_slug(text),
        }
    }

    /// Whether an attribute list without an id, such as `{.class}`, is not part of the text of a
    /// heading.
    pub fn has_attributes(self) -> bool {
        matches!(self, Self::Hugo | Self::Vitepress | Self::Mdbook | Self::Python)
    }

    /// Returns the separator before the number of a repeated slug, and the first number.
    fn repeat_mark(self) -> (char, u32) {
        match self {
            Self::Python => ('_', 1),
            Self::Mdn => ('_', 2),
            _ => ('-', 1),
        }
    }
}

fn mdbook_slug(text: &str) -> String {
    let slug_character = |character: char| match character {
        '_' | '-' => Some(character),
        _ if character.is_alphanumeric() => Some(character),
        _ => character.is_whitespace().then_some('-'),
    };
    text.chars().filter_map(slug_character).flat_map(char::to_lowercase).collect()
}

fn python_slug(text: &str) -> String {
    let is_kept = |character: &char| {
        character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | ' ' | '\t')
    };
    let kept: String = text.nfkd().filter(is_kept).collect();
    join_parts(kept.trim().to_ascii_lowercase().split(['-', ' ', '\t']), "-")
}

fn vitepress_slug(text: &str) -> String {
    let is_separator = |character: char| {
        character.is_whitespace()
            || character.is_ascii_punctuation()
            || matches!(character, '“' | '”' | '‘' | '’')
    };
    let plain: String = text
        .nfkd()
        .filter(|character| !is_combining_mark(*character) && !character.is_control())
        .collect();
    let slug = join_parts(plain.to_lowercase().split(is_separator), "-");
    if slug.starts_with(|first: char| first.is_ascii_digit()) { format!("_{slug}") } else { slug }
}

fn mdn_slug(text: &str) -> String {
    let is_kept = |character: &char| !r##"*<>"!$#%&+,/:;=?@[]^`{|}~')(\"##.contains(*character);
    let kept: String = text.chars().filter(is_kept).collect();
    join_parts(kept.to_lowercase().split(char::is_whitespace), "_")
}

/// Joins the non-empty parts with `between`.
fn join_parts<'a>(parts: impl Iterator<Item = &'a str>, between: &str) -> String {
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(between)
}

/// Returns the GitHub slug for the rendered text of a heading: lower case, blanks replaced with
/// hyphens, punctuation and symbols removed. The slug has no number for repeated headings.
pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(character),
            _ if character.is_ascii_alphanumeric() => slug.push(character.to_ascii_lowercase()),
            _ if character.is_ascii() => {}
            _ => slug.extend(character.to_lowercase().filter(|&lower| is_kept(lower))),
        }
    }
    slug
}

/// Whether a slug keeps this character, which is the case for letters, marks, decimal digits and
/// connectors. Joiners are removed, although regular expressions treat them as word characters.
fn is_kept(character: char) -> bool {
    !matches!(character, '\u{200c}' | '\u{200d}') && regex_syntax::is_word_character(character)
}

/// Assigns a unique slug to each heading of a document, in order.
#[derive(Debug, Default)]
pub struct Slugger {
    style: SlugStyle,
    /// The hashes of all slugs so far.
    used: HashSet<u64>,
    /// For the hash of each repeated slug, the last number that was added to it.
    numbers: HashMap<u64, u32>,
}

impl Slugger {
    /// Creates a slugger for GitHub's slugs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a slugger for the slugs of `style`.
    pub fn with_style(style: SlugStyle) -> Self {
        Self { style, ..Self::default() }
    }

    /// Returns the slug of the next heading. A repeated slug gets `-1`, `-2` and so on.
    pub fn next(&mut self, text: &str) -> String {
        let base = self.style.slug(text);
        let hash = self.used.hasher().hash_one(&base);
        let (mark, first) = self.style.repeat_mark();
        // Python-Markdown also numbers an empty slug.
        let numbers_first = self.style == SlugStyle::Python && base.is_empty();
        if self.used.insert(hash) && !numbers_first {
            return base;
        }
        let number = self.numbers.entry(hash).or_insert(first - 1);
        loop {
            *number += 1;
            let numbered = format!("{base}{mark}{number}");
            if self.used.insert(self.used.hasher().hash_one(&numbered)) {
                return numbered;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(slug(text), expected);
    }

    #[test]
    fn slugs_are_the_same_as_on_github() {
        check("Hello World", "hello-world");
        check("Apple & Pear  !", "apple--pear--");
        check("snake_case-and.dots", "snake_case-anddots");
        check("Привет мир", "привет-мир");
        check("ÜBER 中文 😄", "über-中文-");
        check("I ♥ unicode", "i--unicode");
        check("a\tb", "ab");
        check(" a ", "-a-");
        check(
            "exchange.bind_headers(exchange [, callback])",
            "exchangebind_headersexchange--callback",
        );
        check("😄_😄 :ok_hand:", "_-ok_hand");
        check("en–dash ＿ ⁀ Ⅷ ⓐ ҈", "endash-＿-⁀-ⅷ-ⓐ-҈");
        check("½ ² ٣", "--٣");
    }

    #[test]
    fn site_generators_have_different_slugs() {
        let text = "Réglages: the `a.b()` -- API & 2";
        let check = |style: SlugStyle, expected| assert_eq!(style.slug(text), expected);
        check(SlugStyle::Mdbook, "réglages-the-ab----api--2");
        check(SlugStyle::Python, "reglages-the-ab-api-2");
        check(SlugStyle::Vitepress, "reglages-the-a-b-api-2");
        check(SlugStyle::Mdn, "réglages_the_a.b_--_api_2");
        assert_eq!(SlugStyle::Vitepress.slug("2 ways"), "_2-ways");
        let repeats = |style| {
            let mut slugger = Slugger::with_style(style);
            [slugger.next("A"), slugger.next("A"), slugger.next("A")]
        };
        assert_eq!(repeats(SlugStyle::Python), ["a", "a_1", "a_2"]);
        assert_eq!(repeats(SlugStyle::Mdn), ["a", "a_2", "a_3"]);
        let mut python = Slugger::with_style(SlugStyle::Python);
        assert_eq!(["日本", "語", "a"].map(|text| python.next(text)), ["_1", "_2", "a"]);
    }

    #[test]
    fn repeats_are_numbered_and_never_collide() {
        let mut slugger = Slugger::new();
        let given: Vec<_> =
            ["a", "a", "a-1", "a", "b-1", "b", "b"].iter().map(|text| slugger.next(text)).collect();
        assert_eq!(given, ["a", "a-1", "a-1-1", "a-2", "b-1", "b", "b-2"]);
    }
}
