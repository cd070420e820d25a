//! GitHub's slugs: the anchors that GitHub gives headings, repeated ones
//! numbered.

use std::collections::HashMap;

/// The slug of a heading's rendered text, before repeats are numbered: lower
/// case, blanks as hyphens, punctuation and symbols dropped.
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

/// Letters, marks, decimal digits, connectors; not the joiners that count as
/// word characters otherwise.
fn is_kept(character: char) -> bool {
    !matches!(character, '\u{200c}' | '\u{200d}') && regex_syntax::is_word_character(character)
}

/// Gives each heading of a document its own slug, in order.
#[derive(Debug, Default)]
pub struct Slugger {
    // How often each slug was given, as base or as result.
    given: HashMap<String, u64>,
}

impl Slugger {
    /// A slugger that has given none.
    pub fn new() -> Self {
        Self::default()
    }

    /// The next heading's slug: `-1`, `-2` and so on behind one already given.
    pub fn next(&mut self, text: &str) -> String {
        let base = slug(text);
        let Some(&count) = self.given.get(&base) else {
            self.given.insert(base.clone(), 0);
            return base;
        };
        let mut count = count;
        loop {
            count += 1;
            let numbered = format!("{base}-{count}");
            if !self.given.contains_key(&numbered) {
                self.given.insert(numbered.clone(), 0);
                self.given.insert(base, count);
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
    fn slugs_are_what_github_makes_of_a_text() {
        check("Hello World", "hello-world");
        check("Apple & Pear  !", "apple--pear--");
        check("snake_case-and.dots", "snake_case-anddots");
        check("Привет мир", "привет-мир");
        check("ÜBER 中文 😄", "über-中文-");
        check("I ♥ unicode", "i--unicode");
        check("a\tb", "ab");
        check("½ ² ٣", "--٣");
    }

    #[test]
    fn repeats_are_numbered_and_never_collide() {
        let mut slugger = Slugger::new();
        let given: Vec<_> =
            ["a", "a", "a-1", "a", "b-1", "b", "b"].iter().map(|text| slugger.next(text)).collect();
        assert_eq!(given, ["a", "a-1", "a-1-1", "a-2", "b-1", "b", "b-2"]);
    }
}
