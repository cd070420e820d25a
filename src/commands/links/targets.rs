//! Reads the anchors and line counts of linked documents. A document is read only if a link to it
//! has a fragment, and only once.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::commands::site::generator::Generator;
use folio_files::document::{self, DocumentOptions};
use folio_files::env::Env;
use folio_files::error::{Code, Error};
use folio_files::link_target::FileId;
use folio_markdown::inline::{split_attributes, without_attributes};
use folio_markdown::slug::{SlugStyle, Slugger};
use folio_outline::format::{Feature, Format};
use folio_outline::lookup::{anchor_ids, anchor_ids_of_site};
use folio_outline::outline::Outline;

/// The possible fragments of a file.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The anchors, sorted. `None` if the file is not Markdown.
    pub(super) anchors: Option<Vec<Box<str>>>,
    /// The number of lines. `None` if the file is not text.
    pub(super) lines: Option<u64>,
    /// Whether the file includes other documents, whose anchors are unknown.
    pub(super) includes_others: bool,
}

impl Places {
    /// Whether the file has exactly this anchor.
    pub(super) fn has_anchor(&self, id: &str) -> bool {
        let anchors = self.anchors.as_deref().unwrap_or_default();
        anchors.binary_search_by(|anchor| (**anchor).cmp(id)).is_ok()
    }

    /// Collects the anchors of a document and counts its lines.
    pub(super) fn from_text(text: &[u8], format: Format, generator: Option<&Generator>) -> Self {
        let outline = Outline::of(text, format);
        let lines = Some(outline.total_lines());
        let has_anchors = format.has(Feature::Links);
        let Some(generator) = generator.filter(|_| has_anchors) else {
            let anchors = has_anchors.then(|| sort_ids(anchor_ids(&outline)));
            return Self { anchors, lines, includes_others: false };
        };
        let includes_others = has_include(text, generator.includes);
        let outline_ids: Vec<String> = anchor_ids_of_site(generator.slugs, &outline).collect();
        // Terms of definition lists are anchors, like headings.
        let mut slugger = Slugger::with_style(generator.slugs);
        outline_ids.iter().for_each(|id| drop(slugger.next(id)));
        let footnotes: Vec<String> =
            outline_ids.iter().filter_map(|id| ids_of_footnote(id)).flatten().collect();
        let ids = outline_ids.into_iter().chain(footnotes).chain(marked_ids(text));
        let ids =
            ids.chain(generator.components.then(|| component_ids(text)).into_iter().flatten());
        let lines_of_text = || text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let ids = ids.chain(lines_of_text().flat_map(|line| ids_in_tags(line, generator.slugs)));
        let terms = lines_of_text().zip(lines_of_text().skip(1));
        let terms = terms.filter_map(|(term, below)| match generator.slugs {
            // MDN writes definition lists as `- term` and `  - : text`.
            SlugStyle::Mdn => term.strip_prefix(b"- ").filter(|_| below.starts_with(b"- : ")),
            _ => Some(term).filter(|_| below.starts_with(b": ")),
        });
        let terms = terms.flat_map(|term| {
            let text = without_macros(&plain_text(term));
            [generator.slugs.slug(&text), slugger.next(&text)]
        });
        let ids = ids.chain(terms);
        Self { anchors: Some(sort_ids(ids)), lines, includes_others }
    }
}

/// Returns the ids of a footnote in Python-Markdown and kramdown, for its id on GitHub.
fn ids_of_footnote(id: &str) -> Option<[String; 2]> {
    let label = id.strip_prefix("fn-")?;
    Some([format!("fn:{label}"), format!("fnref:{label}")])
}

fn sort_ids(ids: impl Iterator<Item = String>) -> Vec<Box<str>> {
    let mut ids: Vec<Box<str>> = ids.map(String::into).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Whether a document includes other documents, because it contains one of the markers outside
/// fenced code.
fn has_include(text: &[u8], marks: &[&str]) -> bool {
    fenced_lines(text).filter(|(_, is_fenced)| !is_fenced).any(|(line, _)| {
        marks.iter().any(|mark| memchr::memmem::find(line, mark.as_bytes()).is_some())
    })
}

/// Returns the lines of a document, each with whether it is in fenced code, including code inside
/// tags.
fn fenced_lines(text: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    let mut fence: Option<&'static [u8]> = None;
    text.split(|byte| *byte == b'\n').map(move |line| {
        let begin = line.trim_ascii_start();
        let mark = [&b"```"[..], b"~~~"].into_iter().find(|mark| begin.starts_with(mark));
        let was_open = fence.is_some();
        match (fence, mark) {
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        (line, was_open || fence.is_some())
    })
}

/// Whether a byte of a document is in fenced code.
pub(super) fn is_fenced(text: &[u8], at: usize) -> bool {
    let line = memchr::memchr_iter(b'\n', &text[..at]).count();
    fenced_lines(text).nth(line).is_some_and(|(_, is_fenced)| is_fenced)
}

/// Returns the ids that components may create: the names of components, and the words in their
/// arguments, as in `<Member permalink="ada-lovelace">`.
fn component_ids(text: &[u8]) -> impl Iterator<Item = String> {
    let tags = memchr::memchr_iter(b'<', text).filter_map(|open| {
        let tag = &text[open + 1..];
        let tag = &tag[..memchr::memchr(b'>', tag)?];
        tag.first()?.is_ascii_uppercase().then(|| String::from_utf8_lossy(tag).into_owned())
    });
    tags.flat_map(|tag| {
        let name = tag.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let values = tag.split('"').skip(1).step_by(2);
        let words = values.filter(|value| !value.is_empty() && !value.contains(' '));
        words.map(str::to_owned).chain([name.to_lowercase()]).collect::<Vec<_>>()
    })
}

/// Returns the ids in `{#id}`, `{: #id .class}` and similar attribute lists anywhere in the text.
fn marked_ids(text: &[u8]) -> impl Iterator<Item = String> {
    let groups = memchr::memchr_iter(b'{', text).filter_map(|open| {
        let after = &text[open + 1..];
        let end = memchr::memchr2(b'}', b'\n', after)?;
        std::str::from_utf8(&after[..end]).ok()
    });
    let ids = groups.flat_map(|group| group.trim_start_matches(':').split_ascii_whitespace());
    ids.filter_map(|word| word.strip_prefix('#')).filter(|id| !id.is_empty()).map(str::to_owned)
}

/// Returns the anchors of a heading inside tags, which Markdown treats as HTML. Also returns the
/// ids in attributes of any tag, such as `titleId="x"`.
fn ids_in_tags(line: &[u8], slugs: SlugStyle) -> Vec<String> {
    let hashes = line.iter().take_while(|byte| **byte == b'#').count();
    if (1..=6).contains(&hashes) && line.get(hashes) == Some(&b' ') {
        let source = String::from_utf8_lossy(&line[hashes..]);
        let source = split_attributes(source.trim());
        let text =
            if slugs.has_attributes() { without_attributes(source.text) } else { source.text };
        let slug = || slugs.slug(&plain_text(text.as_bytes()));
        return vec![source.id.map_or_else(slug, str::to_owned)];
    }
    let marks = memchr::memmem::find_iter(line, b"d=\"");
    let ids = marks.filter_map(|at| {
        let is_id = line[..at].last().is_some_and(|before| before.eq_ignore_ascii_case(&b'i'));
        let value = &line[at + 3..];
        let end = memchr::memchr(b'"', value).filter(|_| is_id)?;
        Some(String::from_utf8_lossy(&value[..end]).into_owned())
    });
    ids.collect()
}

/// Removes code markers from the text of a heading.
fn plain_text(text: &[u8]) -> String {
    String::from_utf8_lossy(text).replace('`', "")
}

/// Replaces each `{{macro("…", "…")}}` with its last quoted argument.
fn without_macros(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, (inner, after))) =
        rest.split_once("{{").and_then(|(before, rest)| Some((before, rest.split_once("}}")?)))
    {
        plain += before;
        plain += inner.split('"').skip(1).step_by(2).last().unwrap_or_default();
        rest = after;
    }
    (plain + rest).trim().to_owned()
}

/// The anchors and line counts of files. The key consists of the file's identity, whether it was
/// read as Markdown, and the name of the generator whose rules apply.
type Known = HashMap<(FileId, bool, Option<&'static str>), Arc<OnceLock<Arc<Places>>>>;

/// A cache of the anchors and lines of linked files.
#[derive(Debug, Default)]
pub(super) struct Targets {
    known: Mutex<Known>,
}

impl Targets {
    /// Returns the anchors and the line count of a file. The first request calls `find`; concurrent
    /// requests wait for its result.
    pub(super) fn places(
        &self,
        id: FileId,
        is_markdown: bool,
        generator: Option<&'static Generator>,
        find: impl FnOnce() -> Result<Places, Error>,
    ) -> Result<Arc<Places>, Error> {
        let name = generator.map(|generator| generator.name);
        let place = {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry((id, is_markdown, name)).or_default())
        };
        let mut failed = None;
        let places = place.get_or_init(|| match find() {
            Ok(places) => Arc::new(places),
            Err(error) => {
                failed = Some(error);
                Arc::new(Places::default())
            }
        });
        // If a file cannot be read, this is reported only once.
        failed.map_or(Ok(Arc::clone(places)), Err)
    }
}

/// Reads the anchors and the line count of a file. For a binary file, both are empty.
pub(super) fn read_places(
    path: &Path,
    is_markdown: bool,
    generator: Option<&Generator>,
    env: &Env,
) -> Result<Places, Error> {
    let by_name = env.configs.format_of(path)?.filter(|format| format.has(Feature::Links));
    let format = if is_markdown { by_name.unwrap_or(Format::Markdown) } else { Format::Text };
    let options = DocumentOptions { format: Some(format), ..DocumentOptions::default() };
    let document = document::open_walked(path, &options, env, Vec::new());
    let places =
        document.and_then(|document| Ok(Places::from_text(document.text()?, format, generator)));
    match places {
        Err(error) if error.code == Code::BinaryFile => Ok(Places::default()),
        places => places,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(site: &str, text: &str, anchor: &str, expected: Option<bool>) {
        let places = Places::from_text(text.as_bytes(), Format::Markdown, Generator::named(site));
        let is_known = !places.includes_others || places.has_anchor(anchor);
        let found = is_known.then(|| places.has_anchor(anchor));
        assert_eq!(found, expected, "{site} {anchor} {text}");
    }

    #[test]
    fn components_create_anchors_from_their_arguments() {
        let text = "<Team>\n<Member name=\"Ada L\"\n  permalink=\"ada\" />\n</Team>\n";
        check("docusaurus", text, "ada", Some(true));
        check("docusaurus", text, "team", Some(true));
        check("docusaurus", text, "Ada L", Some(false));
        check("hugo", text, "ada", Some(false));
        check("astro", "## `<Image />`\n", "image-", Some(true));
    }

    #[test]
    fn footnotes_have_the_ids_of_the_generator() {
        let text = "a[^2]\n\n[^2]: b\n";
        check("mkdocs", text, "fn:2", Some(true));
        check("mkdocs", text, "fnref:2", Some(true));
        check("mkdocs", text, "fn:3", Some(false));
    }

    #[test]
    fn includes_in_code_are_ignored() {
        check("vitepress", "```vue\n<script setup>\n```\n", "x", Some(false));
        check("vitepress", "~~~\n```\n<script>\n~~~\n<script>\n", "x", None);
        check("mdbook", "```rust\n{{#include a.rs}}\n```\n# A\n", "a", Some(true));
        check("mdbook", "{{#include a.md}}\n# A\n", "a", Some(true));
        check("mdbook", "{{#include a.md}}\n# A\n", "b", None);
    }
}
