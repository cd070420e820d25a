//! Looks up the sections that contain matches.

use std::cell::Cell;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use super::wire::Heading;
use super::{Inside, SectionQuery};
use crate::commands::json::OwnedText;
use crate::commands::misses;
use folio_files::address::Part;
use folio_files::document::Document;
use folio_files::error::Error;
use folio_keys::LinePaths;
use folio_markdown::blocks::ContainerKind;
use folio_markdown::comments::CommentLines;
use folio_outline::boundary::{Place, Places, start_pattern};
use folio_outline::format::Feature;
use folio_outline::outline::{Outline, OutlineBuilder, Wants, path_to};
use folio_outline::part::CodeFilter;
use folio_outline::target::{AnchorTarget, Matching, Miss, find_anchor, find_section};
use folio_text::lines::{Block, lines_with_ends};
use folio_text::pattern::Pattern;
use folio_text::span::LineRange;

/// Number of sections above which an outline drops the sections that no match needs.
const MAX_SECTIONS: usize = 32 * 1024;

/// The outline of a document, and the restrictions on the lines to search.
#[derive(Debug)]
pub struct Structure {
    outline: Outline,
    places: Places,
    /// The document's headings, if custom patterns define the sections.
    headings: Option<(Outline, Places)>,
    /// The sections that `--in` selects. `None` without `--in`.
    inside: Option<Vec<LineRange>>,
    code: Option<CodeFilter>,
    /// The comments in which matches are ignored or marked.
    comments: CommentLines,
    /// The key paths of the lines of a configuration file, if they are needed.
    keys: Option<LinePaths>,
    ignores_comments: bool,
    /// The lines to search, disjoint and in order. `None` for all lines.
    lines: Option<Vec<LineRange>>,
    starts: Vec<Pattern>,
    /// The section that was looked up last, with the first and last line to which it applies.
    near: Cell<Option<(u64, u64, Place)>>,
}

/// The section of a match.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// The lines of the section.
    pub lines: LineRange,
    /// The index of the section in the outline. `None` for lines before the first section.
    pub index: Option<usize>,
    /// The pattern of the line that ends the section. `None` if the section does not end at such a
    /// line.
    pub next: Option<&'a str>,
    /// Whether the section extends to the end of the document.
    pub is_last: bool,
    /// The container around the heading of the section.
    pub container: Option<ContainerKind>,
}

impl Section<'_> {
    /// Describes the end of a section that does not end at a line with a pattern.
    pub fn end_name(&self) -> &'static str {
        match self.container {
            _ if self.is_last => "end of file",
            Some(ContainerKind::Quote) => "end of the quote",
            Some(ContainerKind::List) => "end of the list item",
            Some(ContainerKind::Footnote) => "end of the footnote",
            None => "end of the section around it",
        }
    }
}

impl Structure {
    /// Outlines a document from its start. If `is_explicit` is set, fails unless exactly one
    /// section matches the name in `--in`.
    pub fn whole(
        document: &mut Document,
        options: &SectionQuery,
        is_explicit: bool,
    ) -> Result<Self, Error> {
        let mut structure = Self::outlined(document, options)?;
        if let Some(syntax) = options.keys_of(document) {
            document.rewind()?;
            let whole = document.read_beyond()?;
            let text = whole.as_deref().or(document.contents()).unwrap_or_default();
            structure.keys = folio_keys::parse(syntax, text).ok().map(LinePaths::new);
        }
        let is_kept = document.encoding().is_utf8() && document.contents().is_some();
        if (options.outside_comments || options.breadcrumbs && is_kept)
            && document.format().has(Feature::Code)
        {
            document.rewind()?;
            let whole = document.read_beyond()?;
            let text = whole.as_deref().or(document.contents()).unwrap_or_default();
            let outline = &structure.outline;
            structure.comments = CommentLines::of(text, |line| outline.code_at(line).is_some());
        }
        structure.with_inside(document, options, is_explicit)
    }

    fn new(outline: Outline, headings: Option<(Outline, Places)>, options: &SectionQuery) -> Self {
        Self {
            places: Places::new(&outline),
            outline,
            headings,
            inside: None,
            code: options.code,
            comments: CommentLines::default(),
            keys: None,
            ignores_comments: options.outside_comments,
            lines: None,
            starts: options.starts.clone(),
            near: Cell::new(None),
        }
    }

    fn wants(options: &SectionQuery) -> Wants {
        Wants {
            code: options.code.is_some() || options.outside_comments || options.breadcrumbs,
            anchors: matches!(options.inside, Some(Inside::Part(Part::Anchor(_)))),
            tree: matches!(options.inside, Some(Inside::Part(Part::Anchor(_)))),
            entries: options.starts.clone(),
            only_entries: !options.starts.is_empty(),
            nameless: !(options.names || options.inside.is_some()),
            ..Wants::default()
        }
    }

    fn outlined(document: &mut Document, options: &SectionQuery) -> Result<Self, Error> {
        let own = !options.starts.is_empty();
        let mut builder = OutlineBuilder::new(document.format(), Self::wants(options));
        let mut headings = (own && (options.names || options.inside.is_some()))
            .then(|| OutlineBuilder::new(document.format(), Wants::default()));
        let mut push = |block: &Block<'_>| {
            builder.push(block);
            if let Some(headings) = &mut headings {
                headings.push(block);
            }
            ControlFlow::Continue(())
        };
        match document.contents() {
            Some(contents) if document.encoding().is_utf8() => {
                let block = Block::new(contents, document.bom_length() as u64);
                let _ = push(&block);
            }
            _ => document.blocks(push)?,
        }
        let headings = headings.map(|builder| {
            let outline = builder.finish();
            let places = Places::new(&outline);
            (outline, places)
        });
        Ok(Self::new(builder.finish(), headings, options))
    }

    fn with_inside(
        mut self,
        document: &Document,
        options: &SectionQuery,
        is_explicit: bool,
    ) -> Result<Self, Error> {
        let name = match &options.inside {
            None => return Ok(self),
            Some(Inside::Part(part)) => {
                self.inside = lines_of_part(&self.outline, part, document.path())?;
                return Ok(self);
            }
            Some(Inside::Section(name)) => name,
        };
        if let Some(lines) = self.keys.as_ref().and_then(|keys| keys.lines_at(name)) {
            self.inside = Some(vec![lines]);
            return Ok(self);
        }
        // `--in` may be the name of a heading, or of a section that custom patterns define.
        let found =
            match (find_section(&self.outline, name, None, Matching::Relaxed), &self.headings) {
                (Err(Miss::NotFound { .. }), Some((outline, _))) => {
                    (find_section(outline, name, None, Matching::Relaxed), outline)
                }
                (found, _) => (found, &self.outline),
            };
        self.inside = Some(match found {
            (Ok(index), outline) => vec![outline.sections()[index].lines()],
            // In files found by a walk, the name may match any number of sections.
            (Err(Miss::Ambiguous { candidates }), outline) if !is_explicit => {
                candidates.iter().map(|&index| outline.sections()[index].lines()).collect()
            }
            (Err(_), _) if !is_explicit => Vec::new(),
            (Err(miss), outline) => {
                let path = document.path();
                return Err(misses::section_miss(outline, &miss, "--in", name, path));
            }
        });
        Ok(self)
    }

    /// Restricts the search to these lines.
    pub fn only(self, lines: Option<Vec<LineRange>>) -> Self {
        Self { lines, ..self }
    }

    /// Whether matches in a line count.
    pub fn admits(&self, line: u64) -> bool {
        let inside = self
            .inside
            .as_ref()
            .is_none_or(|ranges| ranges.iter().any(|lines| lines.contains(line)));
        let is_searched = self.lines.as_ref().is_none_or(|lines| {
            let at = lines.partition_point(|range| range.end() < line);
            lines.get(at).is_some_and(|range| range.contains(line))
        });
        let code = match self.code {
            None => true,
            Some(CodeFilter::Only) => self.outline.code_at(line).is_some(),
            Some(CodeFilter::Outside) => self.outline.code_at(line).is_none(),
        };
        inside && is_searched && code
    }

    /// Returns the comments in which matches are ignored, if there are any.
    pub fn comments(&self) -> Option<&CommentLines> {
        Some(&self.comments).filter(|comments| self.ignores_comments && !comments.is_empty())
    }

    /// Returns the mark of a match that is not in ordinary text. `found` returns the matches in
    /// `text`. Matches in comments are marked only if the document is in memory.
    pub(super) fn mark(
        &self,
        line: u64,
        text: &[u8],
        found: impl Fn() -> Vec<Range<usize>>,
    ) -> Option<&'static str> {
        let is_commented =
            || !self.comments.is_empty() && self.comments.hold_all(line, text, &found());
        let front_matter = self.outline.front_matter();
        match () {
            () if front_matter.is_some_and(|found| found.lines.contains(line)) => {
                Some("[front matter]")
            }
            () if self.outline.code_at(line).is_some() => Some("[code]"),
            () if is_commented() => Some("[comment]"),
            () => None,
        }
    }

    /// Returns the section that contains a line.
    pub fn section(&self, line: u64) -> Option<Section<'_>> {
        let Place { lines, section, next } = self.place(line)?;
        Some(Section {
            lines,
            index: section,
            next: next.map(|index| start_pattern(&self.outline, index, &self.starts)),
            is_last: lines.end() >= self.outline.total_lines(),
            container: section.and_then(|index| self.outline.sections()[index].container()),
        })
    }

    /// Returns the section that contains a line. The last result is cached, because consecutive
    /// matches are often in the same section.
    fn place(&self, line: u64) -> Option<Place> {
        if let Some((first, last, place)) = self.near.get()
            && (first..=last).contains(&line)
        {
            return Some(place);
        }
        let (place, last) = self.places.stretch(&self.outline, line)?;
        self.near.set(Some((line, last, place)));
        Some(place)
    }

    /// Returns the names of the sections that contain a section, outermost first, followed by its
    /// own name.
    pub fn path(&self, section: &Section<'_>) -> Vec<Vec<u8>> {
        let path = path_to(section.index, |index| self.places.parent(index)).into_iter();
        path.map(|index| self.outline.text(index).into_owned()).collect()
    }

    /// Returns the key path of the innermost entry that contains a line, in a configuration file.
    pub(super) fn key(&self, line: u64, options: &SectionQuery) -> Option<String> {
        self.keys.as_ref().filter(|_| options.breadcrumbs)?.path(line)
    }

    /// Returns the innermost heading whose section contains a line.
    pub(super) fn heading(&self, line: u64) -> Option<Heading> {
        let (outline, places) = match &self.headings {
            Some((outline, places)) => (outline, places),
            None => (&self.outline, &self.places),
        };
        let index = places.innermost(outline, line, |section| section.level().is_some())?;
        let section = &outline.sections()[index];
        Some(Heading {
            level: section.level()?,
            text: OwnedText(outline.text(index).into_owned()),
            line: section.lines().start(),
        })
    }
}

/// Outlines as much of a document as the matches found so far require, by reading the file a second
/// time. A section is final when it has ended, so matches can be printed early, and the memory use
/// does not grow with the document.
pub(super) struct Ahead {
    document: Document,
    /// The builder of the outline. `None` at the end of the document.
    builder: Option<OutlineBuilder>,
    options: SectionQuery,
    structure: Structure,
    /// Number of sections above which the sections that no match needs are dropped.
    max_sections: usize,
}

impl Ahead {
    /// Starts at the beginning of a document. Returns `None` if the document cannot be read twice.
    pub(super) fn new(document: &Document, options: &SectionQuery) -> Result<Option<Self>, Error> {
        if !document.encoding().is_utf8() {
            return Ok(None);
        }
        let Some(document) = document.reread()? else { return Ok(None) };
        let builder = OutlineBuilder::new(document.format(), Structure::wants(options));
        Ok(Some(Self {
            document,
            structure: Structure::new(builder.so_far(), None, options),
            builder: Some(builder),
            options: options.clone(),
            max_sections: MAX_SECTIONS,
        }))
    }

    /// Continues until the sections of these lines have ended. The lines must be in ascending
    /// order, and after the lines of earlier calls. `is_last` is whether this is the last call.
    pub(super) fn structure(&mut self, lines: &[u64], is_last: bool) -> Result<&Structure, Error> {
        let Some(mut builder) = self.builder.take() else { return Ok(&self.structure) };
        let mut until = Until::new(lines);
        let mut is_reached = until.is_reached(&builder);
        if !is_reached {
            self.document.blocks(|block| {
                if builder.sections() > self.max_sections {
                    builder.keep_around(lines, !is_last);
                    self.max_sections = self.max_sections.max(2 * builder.sections());
                    until = Until::new(lines);
                }
                builder.push(block);
                is_reached = until.is_reached(&builder);
                if is_reached { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
        }
        let outline = match is_reached {
            true => {
                let outline = builder.so_far();
                self.builder = Some(builder);
                outline
            }
            false => builder.finish(),
        };
        self.structure = Structure::new(outline, None, &self.options);
        Ok(&self.structure)
    }
}

/// Determines when the sections of some lines have ended.
struct Until<'a> {
    lines: &'a [u64],
    /// The open sections of the lines, and whether a line is not in a section. `None` until all
    /// lines have been outlined.
    open: Option<(Vec<usize>, bool)>,
}

impl<'a> Until<'a> {
    fn new(lines: &'a [u64]) -> Self {
        Self { lines, open: None }
    }

    fn is_reached(&mut self, builder: &OutlineBuilder) -> bool {
        let last = self.lines.last().copied().unwrap_or(0);
        if builder.lines() <= last || !builder.is_settled() {
            return false;
        }
        let (open, outside) =
            self.open.get_or_insert_with(|| builder.open_around(self.lines.iter().copied()));
        open.retain(|&index| builder.is_open(index));
        open.is_empty() && (!*outside || builder.has_begun_after(last))
    }
}

/// Returns the lines of the part that an address selects. `None` for the whole document.
pub fn lines_of_part(
    outline: &Outline,
    part: &Part,
    path: &Path,
) -> Result<Option<Vec<LineRange>>, Error> {
    match part {
        Part::Lines(ranges) => {
            let past = ranges.iter().find(|range| range.start() > outline.total_lines());
            match past {
                Some(range) => Err(misses::past_end(range.start(), outline.total_lines(), path)),
                None => Ok(Some(ranges.clone())),
            }
        }
        Part::Anchor(id) => match find_anchor(outline, id) {
            Ok(AnchorTarget::Section(index)) => Ok(Some(vec![outline.sections()[index].lines()])),
            Ok(AnchorTarget::Line(line)) => Ok(Some(vec![LineRange::line(line)])),
            Ok(AnchorTarget::Entry(lines)) => Ok(Some(vec![lines])),
            Err(nearest) => {
                let typed = |id: &str| misses::with_anchor("inspect", path, id);
                Err(misses::anchor_miss(&typed, id, &nearest, path))
            }
        },
        _ => Ok(None),
    }
}

/// Calls `each` with the lines of a document in `ranges`, including line endings, and with the
/// index of the range. The ranges must be disjoint and in order.
pub fn contents(
    document: &mut Document,
    ranges: &[LineRange],
    each: &mut dyn FnMut(usize, &[u8]) -> ControlFlow<()>,
) -> Result<(), Error> {
    let mut number = 0;
    let mut at = 0;
    document.blocks(|block| {
        for line in lines_with_ends(block.bytes) {
            let starts = !(block.continues && line.as_ptr() == block.bytes.as_ptr());
            number += u64::from(starts);
            while ranges.get(at).is_some_and(|range| range.end() < number) {
                at += 1;
            }
            let Some(range) = ranges.get(at) else { return ControlFlow::Break(()) };
            if range.contains(number) {
                each(at, line)?;
            }
        }
        ControlFlow::Continue(())
    })?;
    match ranges.get(at).is_none_or(|range| range.start() <= number) {
        true => Ok(()),
        false => Err(document.changed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_files::document::DocumentOptions;
    use folio_files::env::Env;
    use folio_outline::format::Format;
    use folio_outline::part::CodeFilter;

    fn text() -> String {
        let mut text = String::from("before the first\n");
        for number in 0..25_000_u32 {
            let kind = number.wrapping_mul(2_654_435_761) >> 28;
            text.push_str(match kind {
                0 => "## Heading\n",
                1 if number % 7 == 0 => "# Top\n",
                2 => "```\n# in code\n```\n",
                3 if number < 12_000 => "[LOG-1] x\n",
                4 => "Setext\n---\n",
                5 => "#### Deep\n",
                6 => "> # Quoted\n> text\n\n",
                7 => "- # Listed\n\n  more\n\n",
                8 => "[a]: /b\n[c]: /d\n===\n[e]: /f\n\n",
                9 => "-\n  [a]: /b\n\n  ## Heading\n\n",
                _ => "text, and more of it\n\n",
            });
        }
        text
    }

    type Facts = (Option<(LineRange, Option<String>)>, Vec<Vec<u8>>, Option<u64>);

    fn facts(structure: &Structure, line: u64) -> Facts {
        let section = structure.section(line);
        let path = section.map(|section| structure.path(&section)).unwrap_or_default();
        let section = section.map(|section| (section.lines, section.next.map(str::to_owned)));
        (section, path, structure.heading(line).map(|heading| heading.line))
    }

    /// Creates a document in a file, so that it can be read twice.
    fn file(text: &str, format: Format) -> (tempfile::TempDir, Document) {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("a"), text).expect("written");
        let env = Env::new(directory.path()).expect("an environment");
        let load = DocumentOptions { format: Some(format), ..Default::default() };
        let document = Document::open(Path::new("a"), &load, &env).expect("text");
        (directory, document)
    }

    #[test]
    fn early_sections_equal_those_of_the_whole_document() {
        let entries = text().replace("## Heading", "[LOG-2] y").replace("# Top", "[LOG-3] z");
        let own = Pattern::new("^te|^# T", Default::default()).expect("a pattern");
        for (format, text) in [
            (Format::Markdown, &text()[..]),
            (Format::Log, &entries),
            (Format::INI, &entries),
            (Format::Markdown, "no\nsection\n"),
            (Format::Log, "no\nsection\n"),
            (Format::Markdown, ""),
        ] {
            for (names, starts) in [(true, vec![]), (false, vec![]), (false, vec![own.clone()])] {
                let options = SectionQuery { hints: true, names, starts, ..Default::default() };
                let (_directory, mut document) = file(text, format);
                let whole = Structure::whole(&mut document, &options, true).expect("outlined");
                let lines: Vec<u64> = (1..=text.lines().count() as u64).collect();
                for (window, step) in [(700, 3), (4_001, 90), (90_000, 4_001), (100_000, 1)] {
                    let mut ahead = Ahead::new(&document, &options).expect("read").expect("a file");
                    ahead.max_sections = 8;
                    let mut windows = lines.chunks(window).peekable();
                    while let Some(window) = windows.next() {
                        let some: Vec<u64> = window.iter().copied().step_by(step).collect();
                        let is_last = windows.peek().is_none();
                        let part = ahead.structure(&some, is_last).expect("outlined");
                        for line in some {
                            let found = (facts(part, line), facts(&whole, line));
                            assert_eq!(found.0, found.1, "{line} {format:?} {window:?}");
                        }
                    }
                }
            }
        }
    }
}
