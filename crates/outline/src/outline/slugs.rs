//! The slugs of headings. Headings in Markdown and in HTML share the numbers of repeated slugs in
//! programs that derive the slugs from the rendered page, as GitHub and mdBook do.

use super::model::Outline;
use folio_markdown::inline;
use folio_markdown::slug::{SlugStyle, Slugger};

/// The slugs of a document.
#[derive(Debug, Default)]
pub(crate) struct Slugs {
    /// The slugs of headings, each with the index of its section.
    pub(crate) headings: Vec<(usize, String)>,
    /// The slugs of HTML headings, each with its line.
    pub(crate) html: Vec<(u64, String)>,
}

/// Whether the site generators with a style of slugs derive slugs from HTML headings. The others
/// convert HTML unchanged.
pub(crate) fn reads_html(style: SlugStyle) -> bool {
    style == SlugStyle::Mdbook
}

/// Returns the slugs of the headings for which `has_slug` returns true and, with `html`, those of
/// HTML headings.
pub(crate) fn slugs_where(
    style: SlugStyle,
    outline: &Outline,
    html: bool,
    has_slug: impl Fn(usize) -> bool,
) -> Slugs {
    let mut slugger = Slugger::with_style(style);
    let mut slugs = Slugs::default();
    let mut in_html = outline.html_headings.iter().filter(|_| html).peekable();
    let mut take_html = |before: u64, slugger: &mut Slugger| {
        while let Some((line, text)) = in_html.next_if(|(line, _)| *line < before) {
            slugs.html.push((*line, slugger.next(text)));
        }
    };
    let sections = outline.sections().iter().enumerate();
    for (index, section) in
        sections.filter(|(index, section)| section.level().is_some() && has_slug(*index))
    {
        take_html(section.lines().start(), &mut slugger);
        let name = outline.name(index);
        let source = std::str::from_utf8(name).ok().filter(|_| style.has_attributes());
        let name = source.map_or(name, |source| inline::without_attributes(source).as_bytes());
        let text = match style {
            SlugStyle::Github | SlugStyle::Hugo => outline.render_for_anchor(section, name),
            _ => outline.render(section, name),
        };
        slugs.headings.push((index, slugger.next(&String::from_utf8_lossy(&text))));
    }
    take_html(u64::MAX, &mut slugger);
    slugs
}
