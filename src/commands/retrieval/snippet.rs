//! Selects the sentences of a section that match the query best.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use folio_markdown::prose::{self, Paragraph};
use folio_search::analyser::{Analyser, words};

/// Maximum length of a snippet in bytes.
const LENGTH: usize = 160;
/// Maximum number of bytes of a section to examine.
const MAX_TEXT: usize = 64 * 1024;

/// A snippet of text, with the positions of matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text of the snippet, on one line.
    pub text: String,
    /// Byte ranges of matches in the text.
    pub matches: Vec<Range<usize>>,
}

impl Snippet {
    /// Shortens the snippet to its first half.
    pub fn halve(&mut self) {
        self.text.truncate(boundary(&self.text, self.text.len() / 2));
        self.matches.retain(|place| place.end <= self.text.len());
    }
}

/// Returns the sentences of a section that contain the most of the given `stems`. The extension of
/// `path` determines how the text is split.
pub fn snippet(text: &str, path: &[u8], stems: &HashSet<String>, analyser: &Analyser) -> Snippet {
    let paragraphs = paragraphs(text, path);
    // The heading is displayed in any case.
    let is_heading = |paragraph: &&Paragraph| paragraph.is_heading;
    let body = paragraphs
        .iter()
        .skip(usize::from(paragraphs.first().is_some_and(|paragraph| paragraph.is_heading)));
    let mut best: Option<(usize, &str)> = None;
    for paragraph in body {
        let mut rest = paragraph.text.as_str();
        while !rest.is_empty() {
            let sentence = sentence(rest);
            let (count, _) = matches(sentence, stems, analyser);
            if best.is_none_or(|(most, _)| count > most) {
                best = Some((count, rest));
            }
            rest = rest[sentence.len()..].trim_start();
        }
    }
    let heading = paragraphs.first().filter(is_heading).map(|paragraph| paragraph.text.as_str());
    let Some(text) = best.map(|(_, text)| text).or(heading) else { return Snippet::default() };
    // The following sentences are added as long as they fit completely.
    let mut end = sentence(text).len();
    while end < text.len() {
        let next = text[end..].len() - text[end..].trim_start().len();
        let next = end + next + sentence(text[end..].trim_start()).len();
        if next > LENGTH {
            break;
        }
        end = next;
    }
    cut(&text[..end], &matches(&text[..end], stems, analyser).1)
}

/// Splits a text into paragraphs: in Markdown without markup, in plain text at blank lines, and in
/// other formats at each line.
fn paragraphs(text: &str, path: &[u8]) -> Vec<Paragraph> {
    let text = &text[..boundary(text, MAX_TEXT)];
    let extension = Path::new(OsStr::from_bytes(path)).extension().unwrap_or_default();
    match extension.as_bytes() {
        b"md" | b"markdown" => prose::paragraphs(text),
        b"mdx" => {
            let mut found = prose::paragraphs(text);
            found.retain(|paragraph| {
                !paragraph.text.starts_with("import ") && !paragraph.text.starts_with("export ")
            });
            found
        }
        b"txt" | b"rst" | b"" => {
            let lines = |block: &str| block.split_whitespace().collect::<Vec<_>>().join(" ");
            let blocks = text.split("\n\n").map(lines).filter(|text| has_word(text));
            blocks.map(|text| Paragraph { text, is_heading: false }).collect()
        }
        _ => {
            let lines = text.lines().map(str::trim).filter(|line| has_word(line));
            let is_heading = |line: &str| line.starts_with('[') && line.ends_with(']');
            let paragraph =
                |line: &str| Paragraph { text: line.to_owned(), is_heading: is_heading(line) };
            lines.map(paragraph).collect()
        }
    }
}

fn has_word(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Returns the first sentence of a text.
fn sentence(text: &str) -> &str {
    let mut before = ' ';
    for (at, character) in text.char_indices() {
        let is_end = matches!(before, '.' | '!' | '?') && character.is_whitespace();
        let next = || text[at..].trim_start().chars().next();
        if matches!(before, '。' | '！' | '？')
            || (is_end && next().is_some_and(|next| !next.is_lowercase()))
        {
            return &text[..at];
        }
        before = character;
    }
    text
}

/// Returns the number of different wanted words in a line, and the positions of these words.
fn matches(line: &str, stems: &HashSet<String>, analyser: &Analyser) -> (usize, Vec<Range<usize>>) {
    let mut seen = HashSet::new();
    let mut places = Vec::new();
    words(line, &mut |word| {
        let stem = analyser.stem(word.text);
        if !word.is_whole && stems.contains(stem.as_ref()) {
            seen.insert(stem.into_owned());
            places.push(word.start..word.end);
        }
    });
    (seen.len(), places)
}

/// Returns the part of a line around its first match.
fn cut(line: &str, matches: &[Range<usize>]) -> Snippet {
    if line.len() <= LENGTH {
        return Snippet { text: line.to_owned(), matches: matches.to_vec() };
    }
    let earliest = matches.first().map_or(0, |first| first.start.saturating_sub(LENGTH / 4));
    let start = boundary(line, earliest);
    let end = boundary(line, start + LENGTH);
    let mut text = String::new();
    if start > 0 {
        text.push('…');
    }
    let moved = text.len();
    text.push_str(&line[start..end]);
    if end < line.len() {
        text.push('…');
    }
    let inside = matches.iter().filter(|place| place.start >= start && place.end <= end);
    let matches = inside.map(|place| place.start - start + moved..place.end - start + moved);
    Snippet { matches: matches.collect(), text }
}

/// Returns the last character boundary at or before `at`.
fn boundary(line: &str, at: usize) -> usize {
    (0..=at.min(line.len())).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, query: &[&str], expected: &str) {
        let analyser = Analyser::new("english").expect("a language");
        let stems = query.iter().map(|word| analyser.stem(word).into_owned()).collect();
        let found = snippet(text, path.as_bytes(), &stems, &analyser);
        let mut shown = found.text.clone();
        for place in found.matches.iter().rev() {
            shown.insert(place.end, ']');
            shown.insert(place.start, '[');
        }
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_sentence_with_most_of_the_words_is_shown() {
        let text = "# Install it\n\nSome words.\nRun the *installer* from\nthe shell. A shell.\n";
        check(
            "a.md",
            text,
            &["install", "shell"],
            "Run the [installer] from the [shell]. A [shell].",
        );
        check("a.md", "# Only a heading\n", &["heading"], "Only a [heading]");
        check("a.md", "## A\nfirst\nsecond\n", &["absent"], "first second");
        check("a.md", "## A\n\n```bash\nmake\n```\n", &["absent"], "make");
        check("a.mdx", "import X from 'x'\n\n<X>Use it.</X>\n", &["import"], "Use it.");
        check("a.ini", "[database]\nhost = 1\n", &["database", "host"], "[host] = 1");
        check("a.txt", "one\ntwo e.g. three\n\nfour\n", &["two"], "one [two] e.g. three");
        check("a.md", "", &["x"], "");
        let long = format!("{} needle {}", "ä ".repeat(200), "b ".repeat(200));
        let analyser = Analyser::new("none").expect("a language");
        let found = snippet(&long, b"a.md", &HashSet::from(["needle".to_owned()]), &analyser);
        assert!(found.text.len() < LENGTH + 8 && found.text[found.matches[0].clone()] == *"needle");
    }
}
