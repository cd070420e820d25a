//! Where hits stand: the outline of a document as far as they need it.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path;

use super::resync::{self, Hit, MAX_SECTIONS, Until};
use super::wire::Heading;
use super::{CodeFilter, Inside, SectionQuery};
use crate::commands::json::OwnedText;
use crate::commands::misses;
use crate::error::Error;
use crate::files::address::Part;
use crate::files::document::Document;
use crate::text::boundary::{Place, Places, start_pattern};
use crate::text::format::{Feature, Parser};
use crate::text::lines::{Block, lines_with_ends};
use crate::text::markdown::blocks::ContainerKind;
use crate::text::markdown::comments::CommentLines;
use crate::text::outline::{Outline, OutlineBuilder, Wants};
use crate::text::pattern::Pattern;
use crate::text::span::LineRange;
use crate::text::target::{AnchorTarget, Matching, Miss, find_anchor, find_section};

/// The outline of a document, to look up lines in.
#[derive(Debug)]
pub struct Structure {
    outline: Outline,
    places: Places,
    /// With own section starts, the usual sections, for headings.
    headings: Option<(Outline, Places)>,
    /// The sections that `--in` named; `None` without it.
    inside: Option<Vec<LineRange>>,
    code: Option<CodeFilter>,
    /// Comments in which no hit counts.
    comments: CommentLines,
    /// The only lines that are searched, apart and in order.
    lines: Option<Vec<LineRange>>,
    starts: Vec<Pattern>,
    /// The place that was looked up last, and the first and last line there.
    near: Cell<Option<(u64, u64, Place)>>,
}

/// A hit's section.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// Its lines.
    pub lines: LineRange,
    /// Which it is in the outline; `None` before the first.
    pub index: Option<usize>,
    /// The pattern of the line that ends it; `None` where none does.
    pub next: Option<&'a str>,
    /// Whether it goes to the document's end.
    pub is_last: bool,
    /// What its heading is in.
    pub container: Option<ContainerKind>,
}

impl Section<'_> {
    /// What ends it where no line does.
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
    /// Outlines a document as a whole.
    pub fn whole(
        document: &mut Document,
        options: &SectionQuery,
        is_explicit: bool,
    ) -> Result<Self, Error> {
        let mut structure = Self::scan(document, options, None, MAX_SECTIONS)?;
        if options.outside_comments && document.format().has(Feature::Code) {
            document.rewind()?;
            let whole = document.read_beyond()?;
            let text = whole.as_deref().or(document.contents()).unwrap_or_default();
            let outline = &structure.outline;
            structure.comments = CommentLines::of(text, |line| outline.code_at(line).is_some());
        }
        structure.with_inside(document, options, is_explicit)
    }

    /// Outlines a document until the sections of these lines, in order, are
    /// known; where they are few and only the sections' ends matter, no more of
    /// it than that.
    pub fn around(
        document: &mut Document,
        options: &SectionQuery,
        hits: &[Hit],
    ) -> Result<Self, Error> {
        let only_ends = !options.names && options.starts.is_empty() && !options.filters();
        if only_ends
            && document.format().has(Feature::ResyncPoints)
            && resync::are_few(hits.len(), document)
        {
            if let Some(outline) = resync::around(document, &Self::wants(options), hits)? {
                return Ok(Self::new(outline, None, options));
            }
            document.rewind()?;
        }
        let lines = hits.iter().map(|hit| hit.line).collect();
        Self::scan(document, options, Some(lines), MAX_SECTIONS)
    }

    fn new(outline: Outline, headings: Option<(Outline, Places)>, options: &SectionQuery) -> Self {
        Self {
            places: Places::new(&outline),
            outline,
            headings,
            inside: None,
            code: options.code,
            comments: CommentLines::default(),
            lines: None,
            starts: options.starts.clone(),
            near: Cell::new(None),
        }
    }

    fn wants(options: &SectionQuery) -> Wants {
        Wants {
            code: options.code.is_some() || options.outside_comments,
            anchors: matches!(options.inside, Some(Inside::Part(Part::Anchor(_)))),
            entries: options.starts.clone(),
            only_entries: !options.starts.is_empty(),
            nameless: !(options.names || options.inside.is_some()),
            ..Wants::default()
        }
    }

    fn scan(
        document: &mut Document,
        options: &SectionQuery,
        lines: Option<Vec<u64>>,
        most: usize,
    ) -> Result<Self, Error> {
        let own = !options.starts.is_empty();
        let mut builder = OutlineBuilder::new(document.format(), Self::wants(options));
        let mut headings = (own && (options.names || options.inside.is_some()))
            .then(|| OutlineBuilder::new(document.format(), Wants::default()));
        let mut until = lines.map(|lines| Until::new(lines, most));
        let mut push = |block: &Block<'_>| {
            builder.push(block);
            if let Some(headings) = &mut headings {
                headings.push(block);
            }
            let Some(until) = &mut until else { return ControlFlow::Continue(()) };
            until.forget(&mut builder);
            if let Some(headings) = &mut headings {
                until.forget(headings);
            }
            // The headings above a line are known when the line is.
            if until.is_reached(&builder) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        match document.contents() {
            // It is in memory and stays there.
            Some(contents) if document.encoding().is_utf8() => {
                let block = Block::new(contents, document.bom_length() as u64);
                let _ = push(&block);
            }
            _ => document.blocks(push)?,
        }
        let outline = builder.finish();
        let headings = headings.map(|builder| {
            let outline = builder.finish();
            let places = Places::new(&outline);
            (outline, places)
        });
        Ok(Self::new(outline, headings, options))
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
        // What `--in` names may be an own section or a usual one.
        let found =
            match (find_section(&self.outline, name, None, Matching::Relaxed), &self.headings) {
                (Err(Miss::NotFound { .. }), Some((outline, _))) => {
                    (find_section(outline, name, None, Matching::Relaxed), outline)
                }
                (found, _) => (found, &self.outline),
            };
        self.inside = Some(match found {
            (Ok(index), outline) => vec![outline.sections()[index].lines()],
            // Below a directory one name may stand for a section of each file,
            // or several.
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

    /// The same where only hits in these lines count.
    pub fn only(self, lines: Option<Vec<LineRange>>) -> Self {
        Self { lines, ..self }
    }

    /// Whether a hit in a line counts.
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

    /// Comments in which no hit counts.
    pub fn comments(&self) -> &CommentLines {
        &self.comments
    }

    /// The section that contains a line.
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

    /// Hits often stand where the one before does.
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

    /// The names of the sections around a hit, outermost first, then its own.
    pub fn path(&self, section: &Section<'_>) -> Vec<Vec<u8>> {
        let above = std::iter::successors(section.index, |&index| self.places.parent(index));
        let mut path: Vec<Vec<u8>> =
            above.map(|index| self.outline.text(index).into_owned()).collect();
        path.reverse();
        path
    }

    /// The heading of the innermost section that has one.
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

/// The outline of a document that is judged line by line, made as far as the hits need it
/// while the document is searched. A section ends where the next one begins.
pub(super) struct Ahead {
    document: Document,
    builder: OutlineBuilder,
    options: SectionQuery,
    at_end: bool,
}

impl Ahead {
    /// At the start of a document, if it is such a one and can be read a second time.
    pub(super) fn new(document: &Document, options: &SectionQuery) -> Result<Option<Self>, Error> {
        let has_names = options.names && !options.starts.is_empty();
        let is_by_line = !matches!(document.format().parser(), Parser::Markdown(_));
        let is_possible = is_by_line && !has_names && !options.filters();
        if !is_possible || !document.encoding().is_utf8() {
            return Ok(None);
        }
        let builder = OutlineBuilder::new(document.format(), Structure::wants(options));
        let options = options.clone();
        let ahead = |document| Self { document, builder, options, at_end: false };
        Ok(document.reread()?.map(ahead))
    }

    /// Goes on until the sections of these lines are known, which follow those before.
    pub(super) fn structure(&mut self, lines: Vec<u64>) -> Result<Structure, Error> {
        let last = lines.last().copied().unwrap_or(0);
        let mut until = Until::new(lines, MAX_SECTIONS);
        let Self { document, builder, at_end, .. } = self;
        if !*at_end && !until.is_reached(builder) {
            *at_end = true;
            document.blocks(|block| {
                // What is behind the last line may contain the next ones.
                if builder.lines() <= last {
                    until.forget(builder);
                }
                builder.push(block);
                if until.is_reached(builder) {
                    *at_end = false;
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })?;
        }
        Ok(Structure::new(builder.so_far(), None, &self.options))
    }
}

/// The lines that the part of an address names; `None` for all.
pub fn lines_of_part(
    outline: &Outline,
    part: &Part,
    path: &Path,
) -> Result<Option<Vec<LineRange>>, Error> {
    match part {
        Part::Whole => Ok(None),
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
            Err(nearest) => {
                let typed = |id: &str| misses::with_anchor("inspect", path, id);
                Err(misses::anchor_miss(&typed, id, &nearest, path))
            }
        },
    }
}

/// Lines of a document, by ranges that are in order and apart, with their ends.
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
    use std::io::Cursor;
    use std::path::Path;

    use super::*;
    use crate::files::document::DocumentOptions;
    use crate::files::env::Cancel;
    use crate::text::format::Format;

    fn document(text: &str) -> Document {
        let stream = Box::new(Cursor::new(text.as_bytes().to_vec()));
        let format = Some(Format::Markdown);
        let options = DocumentOptions { format, ..DocumentOptions::default() };
        let mut document =
            Document::stream(Path::new("-"), stream, &options, &Cancel::default()).expect("text");
        document.keep().expect("kept");
        document
    }

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

    #[test]
    fn leaps_lead_to_the_same_sections() {
        let text = text().replace("[LOG-1]", "[LOT-1]");
        let starts: Vec<u64> = std::iter::once(0)
            .chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end as u64 + 1))
            .collect();
        let total = starts.len() as u64 - 1;
        let options = SectionQuery { hints: true, ..Default::default() };
        let whole = Structure::whole(&mut document(&text), &options, true).expect("outlined");
        for step in [3_000, 40_000] {
            for first in (1..3_000).step_by(500) {
                let lines = (first..=total).step_by(step);
                let hits: Vec<Hit> =
                    lines.map(|line| Hit { line, offset: starts[line as usize - 1] }).collect();
                let wants = Structure::wants(&options);
                let outline = resync::around(&mut document(&text), &wants, &hits).expect("read");
                let part = Structure::new(outline.expect("no entries"), None, &options);
                for hit in &hits {
                    let line = hit.line;
                    assert_eq!(facts(&part, line).0, facts(&whole, line).0, "{line} by {step}");
                }
            }
        }
    }

    #[test]
    fn an_outline_made_ahead_has_the_same_sections() {
        let entries = text().replace("## Heading", "[LOG-2] y").replace("# Top", "[LOG-3] z");
        let options = SectionQuery { hints: true, names: true, ..Default::default() };
        for format in [Format::Log, Format::Ini] {
            for text in [&entries[..], "no\nsection\n", ""] {
                let stream = Box::new(Cursor::new(text.as_bytes().to_vec()));
                let load = DocumentOptions { format: Some(format), ..Default::default() };
                let cancel = Cancel::default();
                let mut document =
                    Document::stream(Path::new("-"), stream, &load, &cancel).expect("text");
                document.keep().expect("kept");
                let whole = Structure::whole(&mut document, &options, true).expect("outlined");
                document.rewind().expect("rewound");
                let builder = OutlineBuilder::new(format, Structure::wants(&options));
                let options = options.clone();
                let mut ahead = Ahead { document, builder, options, at_end: false };
                let lines: Vec<u64> = (1..=text.lines().count() as u64).collect();
                for window in lines.chunks(700) {
                    let hits: Vec<u64> = window.iter().copied().step_by(3).collect();
                    let part = ahead.structure(hits.clone()).expect("outlined");
                    for line in hits {
                        assert_eq!(facts(&part, line), facts(&whole, line), "{line} {format:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_forgotten_is_not_missed() {
        let text = text();
        let total = text.lines().count() as u64;
        let own = Pattern::new("^te|^# T", Default::default()).expect("a pattern");
        for starts in [Vec::new(), vec![own]] {
            let options = SectionQuery { hints: true, names: true, starts, ..Default::default() };
            let whole = Structure::whole(&mut document(&text), &options, true).expect("outlined");
            let nameless = SectionQuery { names: false, ..options.clone() };
            let nameless =
                Structure::whole(&mut document(&text), &nameless, true).expect("outlined");
            for line in 1..=total {
                assert_eq!(facts(&nameless, line).0, facts(&whole, line).0, "{line}");
            }
            for step in [1, 90, 4_001] {
                for first in [1, total / 2, total - 40] {
                    let lines: Vec<u64> = (first..=total).step_by(step).collect();
                    let some = lines.clone();
                    let mut document = document(&text);
                    let part = Structure::scan(&mut document, &options, Some(some), 8);
                    let part = part.expect("outlined");
                    // The last section may go on to the end that it did not see.
                    for line in lines {
                        assert_eq!(facts(&part, line), facts(&whole, line), "{line} by {step}");
                    }
                }
            }
        }
    }
}
