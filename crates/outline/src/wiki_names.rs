//! The names of headings and blocks in wiki links: `[[page#Heading#Nested heading]]` and
//! `[[page#^block]]`.

use crate::outline::Outline;
use folio_markdown::wiki_links::{heading_in_link, heading_key};

/// A heading as wiki links name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WikiHeading {
    /// The first line of the heading.
    pub line: u64,
    /// The keys of the headings that contain this one, outermost first, and its own key. Two
    /// headings are equal in links if their keys are.
    pub keys: Vec<String>,
    /// The texts of these headings in a link.
    pub names: Vec<String>,
    /// The key of the rendered text, without markup.
    pub rendered_key: String,
}

/// Returns the headings of a document, in order.
pub fn wiki_headings(outline: &Outline) -> Vec<WikiHeading> {
    let sections = outline.sections().iter().enumerate();
    let headings = sections.filter(|(_, section)| section.level().is_some());
    let name = |index: usize| String::from_utf8_lossy(outline.name(index)).into_owned();
    headings
        .map(|(index, section)| {
            let path: Vec<String> = outline.path(index).into_iter().map(name).collect();
            WikiHeading {
                line: section.lines().start(),
                keys: path.iter().map(|heading| heading_key(heading)).collect(),
                names: path.iter().map(|heading| heading_in_link(heading)).collect(),
                rendered_key: heading_key(&String::from_utf8_lossy(&outline.text(index))),
            }
        })
        .collect()
}

impl WikiHeading {
    /// Whether a fragment such as `Heading#Nested heading` names this heading. The headings between
    /// those of the fragment may be omitted.
    pub fn is_named(&self, fragment: &str) -> bool {
        let mut wanted: Vec<String> = fragment.split('#').map(heading_key).collect();
        let last = wanted.pop().unwrap_or_default();
        let Some((own, above)) = self.keys.split_last() else { return false };
        let mut above = above.iter();
        (*own == last || self.rendered_key == last)
            && wanted.iter().all(|key| above.any(|heading| heading == key))
    }

    /// Returns the ways to name this heading with 1, 2 and more of the headings above it: the keys
    /// joined by `#`, and the texts joined by `#`.
    pub fn paths(&self) -> impl Iterator<Item = (String, String)> {
        let lengths = 0..self.keys.len();
        lengths.rev().map(|start| (self.keys[start..].join("#"), self.names[start..].join("#")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    fn headings(text: &str) -> Vec<WikiHeading> {
        wiki_headings(&Outline::of(text.as_bytes(), Format::Markdown))
    }

    #[test]
    fn a_fragment_is_a_path_of_headings() {
        let found = headings("# Guide\n## Set: up\n### `Linux`\n## Use\n");
        let named = |fragment: &str| -> Vec<u64> {
            let named = found.iter().filter(|heading| heading.is_named(fragment));
            named.map(|heading| heading.line).collect()
        };
        assert_eq!(named("linux"), [3]);
        assert_eq!(named("Guide#Set up#Linux"), [3]);
        assert_eq!(named("Guide#Linux"), [3]);
        assert_eq!(named("Use#Linux"), [0; 0]);
        assert_eq!(named("Linux#Set up"), [0; 0]);
        assert_eq!(named("Set up"), [2]);
    }

    #[test]
    fn paths_begin_with_the_heading_itself() {
        let found = headings("# A: b\n## C\n");
        let paths: Vec<_> = found[1].paths().collect();
        let path = |key: &str, name: &str| (key.to_owned(), name.to_owned());
        assert_eq!(paths, [path("c", "C"), path("a b#c", "A b#C")]);
    }
}
