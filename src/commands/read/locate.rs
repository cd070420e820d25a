//! From a selection to lines, or to content that is less than whole lines.

use std::ops::ControlFlow;

use super::stream::{self, Take, Until, Wanted};
use super::{End, MatchFlag, Piece, ReadOptions, Request, Selection, Target};
use std::path::Path;

use crate::commands::json::Checksum;
use crate::commands::line_matcher::LineMatcher;
use crate::commands::{line_search, misses};
use crate::error::{Code, Error, shell_path, shell_word};
use crate::files::address::Part;
use crate::files::document::Document;
use crate::text::boundary::section_around;
use crate::text::format::Feature;
use crate::text::lines::{count_newlines, without_end};
use crate::text::markdown::DocumentScanner;
use crate::text::markdown::blocks::{CodeLine, HeadingBlock, Sink};
use crate::text::outline::{Code as CodeLines, Outline, OutlineBuilder, Wants};
use crate::text::sections::{self, LineKind};
use crate::text::span::LineRange;
use crate::text::target::{
    Matching, anchor_lines, find_anchor, find_key, find_section, section_lines,
};

/// Reads what a request asks for; `take` gets the content.
pub(super) fn read(
    document: &mut Document,
    request: &Request,
    options: &ReadOptions,
    take: &mut Take<'_>,
) -> Result<Piece, Error> {
    let mut reader = Reader { document, request, options, take };
    match &request.selection {
        Selection::Address => reader.address(),
        Selection::From { start, end } => reader.from(*start, end),
        Selection::Head(count) => reader.head(*count),
        Selection::Tail(count) => reader.tail(*count),
        Selection::SectionAround(line) => {
            let line = reader.start_line(*line)?;
            let range = reader.around(line)?;
            reader.lines(vec![range])
        }
        Selection::Target(target) => reader.target(target),
    }
}

/// What is asked of an outline beside the lines of its sections.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Lines,
    Names,
    Code,
    Anchors,
}

struct Reader<'a, 'b> {
    document: &'a mut Document,
    request: &'a Request,
    options: &'a ReadOptions,
    take: &'a mut Take<'b>,
}

impl Reader<'_, '_> {
    fn address(&mut self) -> Result<Piece, Error> {
        match &self.request.address.part {
            Part::Whole => {
                let wanted = Wanted {
                    ranges: vec![LineRange::from_to(1, u64::MAX)],
                    until: None,
                    limit: None,
                    whole: true,
                };
                self.stream(&wanted)
            }
            Part::Lines(ranges) => self.lines(merged(ranges)),
            Part::Anchor(id) => self.anchor(id),
        }
    }

    fn stream(&mut self, wanted: &Wanted<'_>) -> Result<Piece, Error> {
        stream::lines(self.document, wanted, self.options, self.take)
    }

    fn lines(&mut self, ranges: Vec<LineRange>) -> Result<Piece, Error> {
        self.stream(&Wanted { ranges, until: None, limit: None, whole: false })
    }

    /// The line that a selection starts from: its own, or the address's.
    fn start_line(&self, own: Option<u64>) -> Result<u64, Error> {
        match (own, &self.request.address.part) {
            (Some(line), _) => Ok(line),
            (None, Part::Lines(ranges)) => Ok(ranges[0].start()),
            (None, _) => Err(Error::usage("a line to start from is needed: --from N or PATH:N")),
        }
    }

    fn from(&mut self, start: Option<u64>, end: &End) -> Result<Piece, Error> {
        let start = match (start, end) {
            (None, End::Limit(_)) if self.request.address.part == Part::Whole => 1,
            _ => self.start_line(start)?,
        };
        let open = LineRange::from_to(start, u64::MAX);
        match end {
            End::FileEnd => self.lines(vec![open]),
            End::Limit(count) => self.stream(&Wanted {
                ranges: vec![open],
                until: None,
                limit: Some(*count),
                whole: false,
            }),
            End::SectionEnd => {
                let range = self.around(start)?;
                self.lines(vec![LineRange::from_to(start, range.end())])
            }
            End::ToNext { pattern, outside_code } => {
                let outline = if *outside_code { Some(self.outline(Needs::Code)?) } else { None };
                let until = Until { pattern, outside_code_of: outline.as_ref() };
                self.stream(&Wanted {
                    ranges: vec![open],
                    until: Some(until),
                    limit: None,
                    whole: false,
                })
            }
        }
    }

    fn head(&mut self, count: u64) -> Result<Piece, Error> {
        let region = self.region()?.unwrap_or(LineRange::from_to(1, u64::MAX));
        self.stream(&Wanted { ranges: vec![region], until: None, limit: Some(count), whole: false })
    }

    fn tail(&mut self, count: u64) -> Result<Piece, Error> {
        let (first, total) = match self.region()? {
            Some(region) => (region.start(), region.end()),
            None => (1, self.count_lines()?),
        };
        if total == 0 || count == 0 {
            return self.stream(&Wanted {
                ranges: Vec::new(),
                until: None,
                limit: None,
                whole: false,
            });
        }
        let start = first.max(total.saturating_sub(count) + 1);
        self.lines(vec![LineRange::from_to(start, total)])
    }

    fn count_lines(&mut self) -> Result<u64, Error> {
        self.document.keep()?;
        let mut lines = 0;
        let mut open = false;
        let encoding = self.document.encoding();
        self.document.raw_blocks(|block| {
            lines += encoding.count_line_feeds(block.raw);
            open = encoding.after_last_line_feed(block.raw) != Some(block.raw.len());
            ControlFlow::Continue(())
        })?;
        self.document.rewind()?;
        Ok(lines + u64::from(open))
    }

    /// The document's outline; it can be read from the start afterwards.
    fn outline(&mut self, needs: Needs) -> Result<Outline, Error> {
        self.document.keep()?;
        // Names that nobody asks for may stay in the file.
        let rereadable = self.document.encoding().is_utf8();
        let wants = Wants {
            code: needs == Needs::Code,
            anchors: needs == Needs::Anchors,
            groups: false,
            entries: self.options.entries.clone(),
            names: (needs == Needs::Lines && rereadable).then_some(0),
            ..Wants::default()
        };
        let mut builder = OutlineBuilder::new(self.document.format(), wants);
        builder.expect_bytes(self.document.size().unwrap_or(0));
        self.document.blocks(|block| {
            builder.push(block);
            ControlFlow::Continue(())
        })?;
        self.document.rewind()?;
        Ok(builder.finish())
    }

    /// The lines of the section that `--in` names.
    fn region(&mut self) -> Result<Option<LineRange>, Error> {
        if self.request.scope.is_none() {
            return Ok(None);
        }
        let outline = self.outline(Needs::Names)?;
        self.scope(&outline)
    }

    fn scope(&self, outline: &Outline) -> Result<Option<LineRange>, Error> {
        let Some(name) = &self.request.scope else { return Ok(None) };
        let index = self.section(outline, name, None, "--in")?;
        Ok(Some(outline.sections()[index].lines()))
    }

    fn section(
        &self,
        outline: &Outline,
        name: &str,
        scope: Option<LineRange>,
        flag: &str,
    ) -> Result<usize, Error> {
        find_section(outline, name, scope, Matching::Relaxed).map_err(|miss| {
            let path = self.document.path();
            let error = misses::section_miss(outline, &miss, flag, name, path);
            misses::within(error, self.request.scope.as_deref().filter(|_| scope.is_some()))
        })
    }

    fn around(&mut self, line: u64) -> Result<LineRange, Error> {
        let outline = self.outline(Needs::Lines)?;
        let path = self.document.path();
        if line > outline.total_lines() {
            return Err(misses::past_end(line, outline.total_lines(), path));
        }
        section_around(&outline, line).ok_or_else(|| {
            let shown = shell_path(path);
            Error::new(Code::TargetNotFound, format!("line {line} is in no section"))
                .at(path)
                .hint(format!("folio read {shown}:{line} --to-next '^$'  # to the next blank line"))
        })
    }

    fn target(&mut self, target: &Target) -> Result<Piece, Error> {
        match target {
            Target::Lines(ranges) => self.lines(merged(ranges)),
            Target::Section { name, extent, flag } => {
                let outline = self.outline(Needs::Names)?;
                let scope = self.scope(&outline)?;
                let index = self.section(&outline, name, scope, flag.name())?;
                match section_lines(&outline, index, *extent) {
                    Some(range) => self.lines(vec![range]),
                    None => self.content(Vec::new(), &[]),
                }
            }
            Target::Key { section, key, value } => self.key(section.as_deref(), key, *value),
            Target::FrontMatter { key, value } => self.front_matter(key.as_deref(), *value),
            Target::CodeBlock { language, index, fences } => {
                self.code_block(language.as_deref(), *index, *fences)
            }
            Target::Anchor(id) => self.anchor(id),
            Target::Match { matcher, query, flag, context } => {
                self.matching(matcher, query, *flag, *context)
            }
        }
    }

    fn anchor(&mut self, id: &str) -> Result<Piece, Error> {
        let outline = self.outline(Needs::Anchors)?;
        let scope = self.scope(&outline)?;
        let path = self.document.path();
        let typed = |id: &str| misses::with_anchor("read", path, id);
        let miss = |near: &[String]| misses::anchor_miss(&typed, id, near, path);
        let found = find_anchor(&outline, id).map_err(|near| miss(&near))?;
        let range = anchor_lines(&outline, &found);
        if scope.is_some_and(|scope| !scope.covers(range)) {
            return Err(misses::within(miss(&[]), self.request.scope.as_deref()));
        }
        self.lines(vec![range])
    }

    fn key(&mut self, section: Option<&str>, key: &str, value: bool) -> Result<Piece, Error> {
        let outline = self.outline(Needs::Names)?;
        let path = self.document.path().to_owned();
        if !outline.format().has(Feature::Keys) {
            return Err(no_keys(&outline, section, key, &path));
        }
        let index = match section {
            Some(name) => Some(self.section(&outline, name, None, "--section")?),
            None => None,
        };
        let lines = find_key(&outline, index, key)
            .map_err(|miss| misses::key_miss(&outline, &miss, section, key, &path))?
            .lines;
        let raw = self.text_of(lines)?;
        let content = ini_value(&raw);
        self.valued(lines, content, value)
    }

    fn front_matter(&mut self, key: Option<&str>, value: bool) -> Result<Piece, Error> {
        let outline = self.outline(Needs::Lines)?;
        let path = self.document.path().to_owned();
        let Some(found) = outline.front_matter() else {
            let shown = shell_path(&path);
            return Err(Error::new(Code::TargetNotFound, "it has no front matter")
                .at(&path)
                .hint(format!("folio inspect {shown}  # what it has")));
        };
        let Some(name) = key else {
            return self.lines(vec![found.lines]);
        };
        let Some(key) = found.keys.iter().find(|key| key.name == name) else {
            let names: Vec<&str> = found.keys.iter().map(|key| key.name.as_str()).collect();
            return Err(Error::new(
                Code::TargetNotFound,
                format!("no key '{name}' in the front matter"),
            )
            .at(&path)
            .hint(match names.is_empty() {
                true => "it has no keys".to_owned(),
                false => format!("its keys are {}", names.join(", ")),
            }));
        };
        let raw = self.text_of(key.lines)?;
        let content = raw.get(key.value.clone()).unwrap_or_default();
        let content = content.strip_prefix(b"\r").unwrap_or(content);
        let content = content.strip_prefix(b"\n").unwrap_or(content).trim_ascii_end().to_vec();
        self.valued(key.lines, content, value)
    }

    /// A key's lines, or its value alone; the JSON tells the value either way,
    /// and the checksum is that of the lines.
    fn valued(&mut self, lines: LineRange, content: Vec<u8>, value: bool) -> Result<Piece, Error> {
        let mut piece = if value {
            let wanted = Wanted { ranges: vec![lines], until: None, limit: None, whole: false };
            let piece = stream::lines(self.document, &wanted, self.options, &mut |_| Ok(()))?;
            // A closed pipe is noticed by whoever goes on.
            let _ = (self.take)(&[&content[..], b"\n"].concat());
            piece
        } else {
            self.lines(vec![lines])?
        };
        piece.value = Some(content);
        Ok(piece)
    }

    /// The decoded text of some lines.
    fn text_of(&mut self, lines: LineRange) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        let plain = ReadOptions::default();
        let wanted = Wanted { ranges: vec![lines], until: None, limit: None, whole: false };
        stream::lines(self.document, &wanted, &plain, &mut |bytes| {
            text.extend_from_slice(bytes);
            Ok(())
        })?;
        self.document.rewind()?;
        Ok(text)
    }

    fn code_block(
        &mut self,
        language: Option<&str>,
        index: usize,
        fences: bool,
    ) -> Result<Piece, Error> {
        let outline = self.outline(Needs::Code)?;
        let scope = self.scope(&outline)?;
        let blocks: Vec<&CodeLines> = outline
            .code()
            .iter()
            .filter(|code| code.fenced)
            .filter(|code| scope.is_none_or(|scope| scope.contains(code.lines.start())))
            .filter(|code| language.is_none_or(|language| code.is_language(language)))
            .collect();
        let Some(&block) = blocks.get(index) else {
            let scoped = self.request.scope.is_some();
            let path = self.document.path();
            return Err(misses::code_miss(blocks.len(), language, index, scoped, path));
        };
        let mut sink = CodeSink { lines: block.lines, fences, content: Vec::new() };
        let mut scanner = DocumentScanner::new();
        self.document.blocks(|text| {
            scanner.scan(text, &mut sink);
            if scanner.lines() >= sink.lines.end() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        scanner.finish(&mut sink);
        self.document.rewind()?;
        let content = sink.content;
        let lines = if fences {
            Some(block.lines)
        } else {
            let end = block.lines.end() - u64::from(block.closed);
            LineRange::new(block.lines.start() + 1, end)
        };
        self.content(lines.into_iter().collect(), &content)
    }

    fn matching(
        &mut self,
        matcher: &LineMatcher,
        query: &str,
        flag: MatchFlag,
        context: u64,
    ) -> Result<Piece, Error> {
        let scope = self.region()?;
        self.document.keep()?;
        let is_within = |line| scope.is_none_or(|scope| scope.contains(line));
        let found = line_search::first(self.document, matcher, is_within)?;
        self.document.rewind()?;
        let Some(found) = found else {
            return Err(self.match_miss(query, flag));
        };
        let bounds = scope.unwrap_or(LineRange::from_to(1, u64::MAX));
        let start = found.saturating_sub(context).max(bounds.start());
        let end = found.saturating_add(context).min(bounds.end());
        self.lines(vec![LineRange::from_to(start, end)])
    }

    fn match_miss(&self, query: &str, flag: MatchFlag) -> Error {
        let is_pattern = flag == MatchFlag::Pattern;
        let verb = if is_pattern { "matches" } else { "holds" };
        let fixed = if is_pattern { "" } else { " -F" };
        let place = match &self.request.scope {
            Some(scope) => format!("in section '{scope}'"),
            None => "in the file".to_owned(),
        };
        let path = self.document.path();
        let shown = shell_path(path);
        let query_word = shell_word(query);
        Error::new(Code::TargetNotFound, format!("no line {place} {verb} '{query}'"))
            .at(path)
            .hint(format!("folio grep -i{fixed} -e {query_word} {shown}  # ignoring case"))
    }

    /// Content that is no run of whole lines of the file.
    fn content(&mut self, ranges: Vec<LineRange>, content: &[u8]) -> Result<Piece, Error> {
        // Facts about the file, and nothing of it.
        let nothing = Wanted { ranges: Vec::new(), until: None, limit: None, whole: false };
        let mut piece = self.stream(&nothing)?;
        let mut given = content;
        if let Some(limit) = self.options.max_lines
            && let Ok(end) = crate::text::lines::skip_lines(content, limit)
        {
            given = &content[..end];
        }
        if let Some(limit) = self.options.max_bytes
            && given.len() as u64 > limit
        {
            let mut end = limit as usize;
            while end > 0 && given[end] & 0xc0 == 0x80 {
                end -= 1;
            }
            given = &given[..end];
        }
        let mut lines = count_newlines(given);
        lines += u64::from(!given.is_empty() && !given.ends_with(b"\n"));
        piece.returned_lines = lines;
        piece.ranges = ranges;
        if given.len() < content.len() {
            piece.truncated = true;
            piece.has_more = true;
            if let Some(first) = piece.ranges.first().copied() {
                piece.next_line = Some(first.start() + lines);
                piece.ranges =
                    LineRange::new(first.start(), first.start() + lines - 1).into_iter().collect();
            }
        }
        if self.options.checksum {
            let mut checksum = Checksum::default();
            checksum.push(given);
            piece.range_checksum = Some(checksum.digits());
        }
        // A closed pipe is noticed by whoever goes on.
        let _ = (self.take)(given);
        Ok(piece)
    }
}

/// Ranges in order, those that overlap as one.
fn merged(ranges: &[LineRange]) -> Vec<LineRange> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let mut merged: Vec<LineRange> = Vec::with_capacity(sorted.len());
    for range in sorted {
        match merged.last_mut() {
            Some(last) if range.start() <= last.end() => {
                *last = LineRange::from_to(last.start(), last.end().max(range.end()));
            }
            _ => merged.push(range),
        }
    }
    merged
}

/// The value that the lines of an INI key hold: of several lines, their texts
/// joined as the file joins them.
fn ini_value(raw: &[u8]) -> Vec<u8> {
    let mut lines = raw.split_inclusive(|&byte| byte == b'\n').map(without_end);
    let Some(first) = lines.next() else { return Vec::new() };
    let LineKind::Key(parts) = sections::ini_line(first) else { return Vec::new() };
    if raw.len() == first.len() || !lines.clone().any(|_| true) {
        return first[parts.value].to_vec();
    }
    let start = parts.value.start.min(first.len());
    let mut value = first[start..].trim_ascii().to_vec();
    let mut before = first;
    for line in lines {
        if sections::is_continued(before) {
            value.pop();
        } else {
            value.push(b'\n');
        }
        value.extend_from_slice(line.trim_ascii());
        before = line;
    }
    value
}

/// Gathers the lines of one code block.
struct CodeSink {
    lines: LineRange,
    fences: bool,
    content: Vec<u8>,
}

impl Sink for CodeSink {
    const CODE_LINES: bool = true;

    fn heading(&mut self, _: HeadingBlock<'_>) {}

    fn code_line(&mut self, line: CodeLine<'_>) {
        if self.lines.contains(line.line) && (self.fences || !line.is_fence) {
            self.content.resize(self.content.len() + line.spaces, b' ');
            self.content.extend_from_slice(line.bytes);
        }
    }
}

/// The error for a key of a document that is no INI file.
fn no_keys(outline: &Outline, section: Option<&str>, key: &str, path: &Path) -> Error {
    let format = outline.format().name();
    let message =
        format!("no key '{key}': INI files and front matter have keys, and this is {format}");
    let error = Error::new(Code::TargetNotFound, message).at(path);
    let (shown, word) = (shell_path(path), shell_word(key));
    let is_in_front_matter = outline
        .front_matter()
        .is_some_and(|found| found.keys.iter().any(|other| other.name == key));
    if is_in_front_matter {
        return error.hint(format!("folio read {shown} --front-matter --key {word}"));
    }
    if outline.format().has(Feature::FrontMatter) {
        return error.hint(format!("folio inspect {shown}  # what it has"));
    }
    let section = section.map(|name| format!(" --section {}", shell_word(name)));
    let section = section.unwrap_or_default();
    error.hint(format!("folio read {shown} --as ini{section} --key {word}  # to take it for INI"))
}
