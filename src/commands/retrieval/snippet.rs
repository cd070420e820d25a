//! The line of a section that says most of what was asked for.

use std::collections::HashSet;
use std::ops::Range;

use crate::collections::analyser::{Analyser, words};

/// Bytes of a snippet.
const LENGTH: usize = 160;

/// A piece of a text, and what in it matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    /// On one line.
    pub text: String,
    /// Bytes of it.
    pub matches: Vec<Range<usize>>,
}

/// The densest piece of a text; `stems` are what is looked for.
pub fn snippet(text: &str, stems: &HashSet<String>, analyser: &Analyser) -> Snippet {
    let mut best: Option<(usize, &str)> = None;
    let is_heading =
        |line: &&str| line.starts_with('#') || (line.starts_with('[') && line.ends_with(']'));
    let is_fence = |line: &str| line.starts_with("```") || line.starts_with("~~~");
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| line.contains(char::is_alphanumeric) && !is_fence(line));
    // Its heading is shown anyway.
    let mut lines = lines.peekable();
    let heading = lines.next_if(is_heading);
    for line in lines {
        let (count, _) = matches(line, stems, analyser);
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, line));
        }
    }
    let Some(line) = best.map(|(_, line)| line).or(heading) else { return Snippet::default() };
    let line = line.trim_start_matches('#').trim_start();
    cut(line, &matches(line, stems, analyser).1)
}

/// How many different words of a line are looked for, and where they stand.
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

/// The part of a line around its first match.
fn cut(line: &str, matches: &[Range<usize>]) -> Snippet {
    if line.len() <= LENGTH {
        return Snippet { text: line.to_owned(), matches: matches.to_vec() };
    }
    let wanted = matches.first().map_or(0, |first| first.start.saturating_sub(LENGTH / 4));
    let start = boundary(line, wanted);
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

/// Where a character begins, not after `at`.
fn boundary(line: &str, at: usize) -> usize {
    (0..=at.min(line.len())).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, query: &[&str], expected: &str) {
        let analyser = Analyser::new("english").expect("a language");
        let stems = query.iter().map(|word| analyser.stem(word).into_owned()).collect();
        let found = snippet(text, &stems, &analyser);
        let mut shown = found.text.clone();
        for place in found.matches.iter().rev() {
            shown.insert(place.end, ']');
            shown.insert(place.start, '[');
        }
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_line_with_most_of_the_words_is_shown() {
        let text = "# Install it\n\nSome words.\nRun the installer from the shell.\nA shell.\n";
        check(text, &["install", "shell"], "Run the [installer] from the [shell].");
        check("# Only a heading\n", &["heading"], "Only a [heading]");
        check("## Install\n\nRun the script.\n", &["install"], "Run the script.");
        check("## A\nfirst\nsecond\n", &["absent"], "first");
        check("## A\n\n```bash\nmake\n```\n", &["absent"], "make");
        check("[database]\nhost = 1\n", &["database", "host"], "[host] = 1");
        check("", &["x"], "");
        let long = format!("{} needle {}", "ä ".repeat(200), "b ".repeat(200));
        let analyser = Analyser::new("none").expect("a language");
        let found = snippet(&long, &HashSet::from(["needle".to_owned()]), &analyser);
        assert!(found.text.len() < LENGTH + 8 && found.text[found.matches[0].clone()] == *"needle");
    }
}
