//! Looks up the sections that contain matches.

use std::borrow::Cow;
use std::cell::Cell;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::SectionQuery;
use super::wire::Heading;
use crate::commands::json::OwnedText;
use crate::commands::misses;
use folio_files::address::Part;
use folio_files::error::Error;
use folio_files::options::IN;
use folio_keys::LinePaths;
use folio_markdown::blocks::ContainerKind;
use folio_markdown::comments::CommentLines;
use folio_outline::boundary::{SectionBoundary, place_at, start_pattern};
use folio_outline::document::Document;
use folio_outline::entries::Entries;
use folio_outline::format::Feature;
use folio_outline::lookup::{AnchorTarget, Matching, NameMiss, find_anchor, find_section};
use folio_outline::outline::Outline;
use folio_outline::part::CodeFilter;
use folio_text::pattern::Pattern;
use folio_text::span::LineRange;

/// The outline of a document or of a part of it, and the restrictions on the lines to search.
#[derive(Debug)]
pub struct Structure<'d> {
    outline: Cow<'d, Outline>,
    /// The document's headings, if custom patterns define the sections.
    headings: Option<&'d Outline>,
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
    near: Cell<Option<(u64, u64, SectionBoundary)>>,
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

impl<'d> Structure<'d> {
    /// Outlines a document. If `is_explicit` is set, fails unless exactly one section matches the
    /// name in `--in`.
    fn whole(
        document: &'d Document,
        options: &SectionQuery,
        is_explicit: bool,
    ) -> Result<Self, Error> {
        let has_own = !options.starts.is_empty();
        let marks_code = options.code.is_some() || options.outside_comments || options.breadcrumbs;
        let outline = if has_own {
            Cow::Owned(document.sections_by(options.starts.clone(), true)?)
        } else if marks_code && document.format().has(Feature::Code) {
            Cow::Borrowed(document.outline()?)
        } else {
            Cow::Borrowed(document.sections()?)
        };
        let mut structure = Self::new(outline, options);
        if has_own && (options.names || options.inside.is_some()) {
            structure.headings = Some(document.sections()?);
        }
        if let Some(syntax) = options.keys_of(document) {
            structure.keys = folio_keys::parse(syntax, document.text()?).ok().map(LinePaths::new);
        }
        let is_in_memory = document.text_in_memory().is_some();
        if (options.outside_comments || options.breadcrumbs && is_in_memory)
            && document.format().has(Feature::Tags)
        {
            let outline = &structure.outline;
            let is_code = |line| outline.code_at(line).is_some();
            structure.comments = CommentLines::new(document.text()?, is_code);
        }
        structure.with_inside(document, options, is_explicit)
    }

    fn new(outline: Cow<'d, Outline>, options: &SectionQuery) -> Self {
        Self {
            outline,
            headings: None,
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

    fn with_inside(
        mut self,
        document: &'d Document,
        options: &SectionQuery,
        is_explicit: bool,
    ) -> Result<Self, Error> {
        let Some(name) = &options.inside else { return Ok(self) };
        if let Some(lines) = self.keys.as_ref().and_then(|keys| keys.lines_at(name)) {
            self.inside = Some(vec![lines]);
            return Ok(self);
        }
        // `--in` may be the name of a heading, or of a section that custom patterns define.
        let found =
            match (find_section(&self.outline, name, None, Matching::Relaxed), self.headings) {
                (Err(NameMiss::NotFound { .. }), Some(outline)) => {
                    (find_section(outline, name, None, Matching::Relaxed), outline)
                }
                (found, _) => (found, &*self.outline),
            };
        self.inside = Some(match found {
            (Ok(index), outline) => vec![outline.sections()[index].lines()],
            // In files found by a walk, the name may match any number of sections.
            (Err(NameMiss::Ambiguous { candidates }), outline) if !is_explicit => {
                candidates.iter().map(|&index| outline.sections()[index].lines()).collect()
            }
            (Err(_), _) if !is_explicit => Vec::new(),
            (Err(miss), outline) => {
                let path = document.path();
                return Err(misses::section_miss(outline, &miss, IN, name, path));
            }
        });
        Ok(self)
    }

    /// Whether matches in a line count.
    pub fn admits(&self, line: u64) -> bool {
        let inside = self
            .inside
            .as_ref()
            .is_none_or(|ranges| ranges.iter().any(|lines| lines.contains(line)));
        let is_searched = is_searched(self.lines.as_deref(), line);
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
        let SectionBoundary { lines, section, next } = self.place(line)?;
        Some(Section {
            lines,
            index: section,
            next: next.and_then(|index| start_pattern(&self.outline, index, &self.starts)),
            is_last: lines.end() >= self.outline.total_lines(),
            container: section.and_then(|index| self.outline.sections()[index].container()),
        })
    }

    /// Returns the section that contains a line. The last result is cached, because consecutive
    /// matches are often in the same section.
    fn place(&self, line: u64) -> Option<SectionBoundary> {
        if let Some((first, last, place)) = self.near.get()
            && (first..=last).contains(&line)
        {
            return Some(place);
        }
        let (place, last) = place_at(&self.outline, line)?;
        self.near.set(Some((line, last, place)));
        Some(place)
    }

    /// Returns the names of the sections that contain a section, outermost first, followed by its
    /// own name.
    pub fn path(&self, section: &Section<'_>) -> Vec<Vec<u8>> {
        let path = section.index.map_or_else(Vec::new, |index| self.outline.path(index));
        path.into_iter().map(|index| self.outline.text(index).into_owned()).collect()
    }

    /// Returns the key path of the innermost entry that contains a line, in a configuration file.
    pub(super) fn key(&self, line: u64, options: &SectionQuery) -> Option<String> {
        self.keys.as_ref().filter(|_| options.breadcrumbs)?.path(line)
    }

    /// Returns the innermost heading whose section contains a line.
    pub(super) fn heading(&self, line: u64) -> Option<Heading> {
        let outline = self.headings.unwrap_or(&self.outline);
        let mut around = outline.around(line);
        let index = around.find(|&index| outline.sections()[index].level().is_some())?;
        let section = &outline.sections()[index];
        Some(Heading {
            level: section.level()?,
            text: OwnedText(outline.text(index).into_owned()),
            line: section.lines().start(),
        })
    }
}

/// Whether a line is in one of these ranges. `None` contains all lines.
fn is_searched(lines: Option<&[LineRange]>, line: u64) -> bool {
    lines.is_none_or(|lines| {
        let at = lines.partition_point(|range| range.end() < line);
        lines.get(at).is_some_and(|range| range.contains(line))
    })
}

/// Looks up the sections of matches. The document is outlined when the first section is needed. In
/// a log, an entry ends where the next one begins, so that only the entries with matches are in
/// memory.
pub(super) struct Sections<'d> {
    document: &'d Document,
    options: &'d SectionQuery,
    /// The lines to search. `None` for all lines.
    lines: Option<Vec<LineRange>>,
    /// Whether the name in `--in` must match exactly one section.
    is_explicit: bool,
    whole: Option<Structure<'d>>,
    log: Option<LogEntries<'d>>,
}

impl<'d> Sections<'d> {
    pub(super) fn new(
        document: &'d Document,
        options: &'d SectionQuery,
        lines: Option<Vec<LineRange>>,
        is_explicit: bool,
    ) -> Self {
        Self { document, options, lines, is_explicit, whole: None, log: None }
    }

    /// Whether only some lines are searched.
    pub(super) fn filters(&self) -> bool {
        self.options.filters() || self.lines.is_some()
    }

    /// Returns the structure of the whole document.
    pub(super) fn whole(&mut self) -> Result<&Structure<'d>, Error> {
        let structure = match self.whole.take() {
            Some(known) => known,
            None => {
                let found = Structure::whole(self.document, self.options, self.is_explicit)?;
                Structure { lines: self.lines.clone(), ..found }
            }
        };
        Ok(self.whole.insert(structure))
    }

    /// Whether a structure is needed to know which matches count.
    pub(super) fn filters_by_structure(&self) -> bool {
        self.filters() && !self.is_streamed()
    }

    /// Whether a line is searched, if this is known without the structure of the document.
    pub(super) fn admits(&self, line: u64) -> Option<bool> {
        self.is_streamed().then(|| is_searched(self.lines.as_deref(), line))
    }

    /// Returns a structure that contains the sections of these lines. The lines must be in
    /// ascending order, and after the lines of earlier calls.
    pub(super) fn of_lines(&mut self, lines: &[u64]) -> Result<&Structure<'d>, Error> {
        if !self.is_streamed() {
            return self.whole();
        }
        let (document, options) = (self.document, self.options);
        let log = self.log.get_or_insert_with(|| LogEntries::new(document, options));
        let outline = log.around(lines)?;
        Ok(self.whole.insert(Structure::new(Cow::Owned(outline), options)))
    }

    /// Whether the structure of the whole document is known.
    pub(super) fn is_known(&self) -> bool {
        self.whole.is_some() && self.log.is_none()
    }

    /// Whether only the entries with matches are in memory.
    fn is_streamed(&self) -> bool {
        !self.options.filters() && self.is_log()
    }

    /// Whether entries are the only sections that the document may have.
    fn is_log(&self) -> bool {
        let is_flat = self.document.format().has_only_entries();
        is_flat && self.options.keys_of(self.document).is_none()
    }
}

/// Finds the entries of a log that contain matches.
struct LogEntries<'d> {
    entries: Entries<'d>,
    /// The entries that were read last.
    last: Option<Outline>,
}

impl<'d> LogEntries<'d> {
    fn new(document: &'d Document, options: &SectionQuery) -> Self {
        Self { entries: Entries::new(document, options.starts.clone(), None), last: None }
    }

    /// Returns the entries that contain these lines, each with the entry after it. The lines must
    /// be in ascending order, and after the lines of earlier calls.
    fn around(&mut self, lines: &[u64]) -> io::Result<Outline> {
        let last = lines.last().copied().unwrap_or(0);
        let mut lines = lines.iter().copied().peekable();
        // The first entry is after the lines that are in no entry.
        let mut is_next = true;
        let mut is_wanted = |range: LineRange| {
            while lines.next_if(|&line| line < range.start()).is_some() {}
            let has_line = lines.peek().is_some_and(|&line| line <= range.end());
            std::mem::replace(&mut is_next, has_line) || has_line
        };
        let mut found = Outline::empty(self.entries.format());
        let mut part = self.last.take();
        loop {
            if let Some(part) = part {
                found.append(&part, |index| is_wanted(part.sections()[index].lines()));
                let is_reached = part.sections().last().is_some_and(|it| it.lines().end() >= last);
                if is_reached {
                    self.last = Some(part);
                    break;
                }
            }
            part = self.entries.next()?;
            if part.is_none() {
                break;
            }
        }
        if let Some(begun) = self.entries.open_entry() {
            found.append(&begun, |_| true);
        }
        Ok(found)
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
                let change = |id: &str| misses::anchor_change(None, part, path, id);
                Err(misses::anchor_miss(&change, id, &nearest, path))
            }
        },
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_outline::format::Format;

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

    fn facts(structure: &Structure<'_>, line: u64) -> Facts {
        let section = structure.section(line);
        let path = section.map(|section| structure.path(&section)).unwrap_or_default();
        let section = section.map(|section| (section.lines, section.next.map(str::to_owned)));
        (section, path, structure.heading(line).map(|heading| heading.line))
    }

    #[test]
    fn entries_of_matches_equal_those_of_the_whole_document() {
        let log = text().replace("## Heading", "[LOG-2] y").replace("# Top", "[LOG-3] z");
        let entry_start = Pattern::new("^te|^\\[LOG-[23]", Default::default()).expect("a pattern");
        let none = "no\nsection\n".repeat(30_000);
        for (text, starts) in
            [(&log, vec![]), (&log, vec![entry_start]), (&none, vec![]), (&String::new(), vec![])]
        {
            let options = SectionQuery { hints: true, starts, ..Default::default() };
            let document = Document::in_memory(Path::new("a"), text.clone().into_bytes());
            let document = document.with_format(Format::LOG);
            let whole = Structure::whole(&document, &options, true).expect("outlined");
            let lines: Vec<u64> = (1..=text.lines().count() as u64).collect();
            for (window, step) in [(700, 3), (4_001, 90), (90_000, 4_001), (100_000, 1)] {
                let mut sections = Sections::new(&document, &options, None, true);
                for window in lines.chunks(window) {
                    let some: Vec<u64> = window.iter().copied().step_by(step).collect();
                    let part = sections.of_lines(&some).expect("outlined");
                    for line in some {
                        let found = (facts(part, line), facts(&whole, line));
                        assert_eq!(found.0, found.1, "{line} by {step}");
                    }
                }
            }
        }
    }
}
