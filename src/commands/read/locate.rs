//! Locates the requested parts in a document: as lines, or as content other than whole lines.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::ffi::OsStr;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use serde_json::value::RawValue;

use super::content::{self, Content, LocatedRequest};
use super::reading::{LineRequest, Settings, Take, Until};
use super::rest;
use super::wire::NamedSection;
use super::{End, FileFacts, Piece, ReadOptions, Request, Selection};
use crate::commands::line_matcher::{self, LineMatcher};
use crate::commands::misses::MissContext;
use crate::commands::output::{Closed, counted};
use crate::commands::printed_lines::{is_current, printed_text, stale_error};
use crate::commands::shared_args::{contradiction, option_error};
use crate::commands::target::spell::Flag;
use crate::commands::target::{SEARCH_CONTEXT, spell};
use crate::commands::{line_search, misses};
use folio_files::address;
use folio_files::error::{Change, Code, Error, Hint};
use folio_files::options::{FROM, IN, MAX_BYTES, MAX_LINES, RAW, SECTION, TO_NEXT};
use folio_keys::{Syntax, Tree, find, value};
use folio_markdown::comments::CommentLines;
use folio_outline::boundary::section_around;
use folio_outline::document::Document;
use folio_outline::entries::Entries;
use folio_outline::format::{Feature, Format};
use folio_outline::locate::{Located, Locator, Miss, NameRole};
use folio_outline::lookup::{Matching, NameMiss, find_section};
use folio_outline::naming::section_path;
use folio_outline::outline::{Code as CodeLines, Outline};
use folio_outline::part::{Part, Query, QueryKind, SectionPart};
use folio_outline::printed::find_printed;
use folio_text::content::without_margin;
use folio_text::lines::count_newlines;
use folio_text::pattern::LinesPattern;
use folio_text::span::LineRange;

/// Maximum size in bytes of a log in which a name that no entry has is compared with all names. For
/// a log of 1 GB, this takes 12 s and 1.3 GiB.
const MAX_COMPARED: u64 = 64 << 20;

/// An open document from which parts are read.
pub(super) struct Reader<'a> {
    pub(super) document: Document,
    pub(super) options: &'a ReadOptions,
    /// The settings. Their limits apply to the first part.
    pub(super) settings: Settings,
    /// Whether several parts are read, so that a whole outline is worthwhile.
    several: bool,
    /// The numbers of known lines and their offsets in the file, in order.
    pub(super) starts: RefCell<Vec<(u64, u64)>>,
    /// What is known about the file after it has been read to its end.
    pub(super) facts: OnceCell<FileFacts>,
}

impl<'a> Reader<'a> {
    /// Creates a reader. `several` is whether several parts of the document may be read.
    pub(super) fn new(
        document: Document,
        options: &'a ReadOptions,
        settings: Settings,
        several: bool,
    ) -> Self {
        let (starts, facts) = (RefCell::default(), OnceCell::new());
        Self { document, options, settings, several, starts, facts }
    }

    /// Fails if the address of a request is a printed line, and the document no longer has its text
    /// there. Standard input may be readable only once, and is not compared.
    fn check_printed(&self, request: &Request) -> Result<(), Error> {
        let address = &request.address;
        let Some((lines, text)) = printed_text(address).filter(|_| !address.is_stdin()) else {
            return Ok(());
        };
        let document = &self.document;
        let error = |error: io::Error| Error::io(&error, document.path());
        let mut first = Vec::new();
        let first_line = [LineRange::line(lines.start())];
        let add = |_, _, piece: &[u8]| {
            first.extend_from_slice(piece);
            ControlFlow::Continue(())
        };
        document.lines(&first_line, add).map_err(error)?;
        if is_current(&first, text) {
            return Ok(());
        }
        let outline = document.outline_with_tables().map_err(error)?;
        let found = find_printed(document.text().map_err(error)?, outline, lines, text);
        stale_error(address, found, None).map_or(Ok(()), Err)
    }

    /// Locates the requested part.
    pub(super) fn find(&self, request: &Request) -> Result<LocatedRequest, Error> {
        self.check_printed(request)?;
        let open = |start| LineRequest::lines(&[LineRange::from_to(start, u64::MAX)]);
        if let (Some(span), Part::Lines(ranges)) = (request.address.bytes, &request.address.part) {
            // Byte addresses refer to UTF-8, regardless of the file's encoding.
            return if self.options.raw {
                Err(contradiction("the bytes of the address", RAW))
            } else {
                Ok(LocatedRequest::Bytes { line: ranges[0].start(), span })
            };
        }
        Ok(LocatedRequest::Lines(match (&request.selection, &request.address.part) {
            (Selection::Address, Part::Lines(ranges)) => LineRequest::lines(ranges),
            (Selection::Address, Part::Anchor(id)) => {
                return self.target(request, &Part::Anchor(id.clone()), None);
            }
            (Selection::Address, _) => LineRequest::whole_file(),
            (Selection::From { start: None, end: End::Limit(count) }, part) => {
                let line_request = match part {
                    // If the address is a single line, the part starts there.
                    Part::Lines(ranges) if ranges[0].count() > 1 => {
                        LineRequest::lines(&ranges[..1])
                    }
                    Part::Lines(ranges) => open(ranges[0].start()),
                    _ => open(1),
                };
                LineRequest { limit: Some(*count), ..line_request }
            }
            (Selection::From { start, end }, _) => self.from(start_line(*start, request)?, end)?,
            (Selection::Head(count), _) => {
                let region = self.region(request)?.unwrap_or(LineRange::from_to(1, u64::MAX));
                LineRequest { limit: Some(*count), ..LineRequest::lines(&[region]) }
            }
            (Selection::Tail(count), _) => {
                let (first, total) = match self.region(request)? {
                    Some(region) => (region.start(), region.end()),
                    None => (1, self.count_lines(u64::MAX)?),
                };
                let start = first.max(total.saturating_sub(*count) + 1);
                LineRange::new(start, total)
                    .map_or_else(LineRequest::default, |range| LineRequest::lines(&[range]))
            }
            (Selection::SectionAround(line), _) => {
                LineRequest::lines(&[self.enclosing_section(start_line(*line, request)?)?])
            }
            (Selection::Part { target, from }, _) => return self.target(request, target, *from),
        }))
    }

    /// Reads the located part and passes its content to `take`.
    pub(super) fn read(
        &self,
        request: &Request,
        found: &LocatedRequest,
        settings: Settings,
        take: &mut Take<'_>,
    ) -> Result<Piece, Error> {
        let piece = match found {
            LocatedRequest::Lines(line_request) => self.lines(line_request, settings, take)?,
            LocatedRequest::Value { lines, value, data, alone: false } => {
                let piece = self.lines(&LineRequest::lines(&[*lines]), settings, take)?;
                Piece { value: Some(value.clone()), data: data.clone(), ..piece }
            }
            LocatedRequest::Value { lines, value, data, alone: true } => {
                let content = [&value[..], b"\n"].concat();
                let is_long = self.is_long(*lines, &content, settings)?;
                let settings = Settings { max_lines: None, max_bytes: None, ..settings };
                let piece =
                    self.lines(&LineRequest::lines(&[*lines]), settings, &mut |_| Ok(()))?;
                let next_line = is_long.then_some(lines.start());
                if !is_long {
                    // The caller detects a closed output.
                    let _ = take(&content);
                }
                let (value, returned_bytes) = (Some(value.clone()), content.len() as u64);
                let data = data.clone();
                Piece { value, data, returned_bytes, is_long, next_line, ..piece }
            }
            LocatedRequest::Bytes { line, span } => {
                return self.bytes(*line, *span, settings, take);
            }
            LocatedRequest::Content(content) => {
                let file = self.facts(settings)?;
                content.read(file, settings, take)
            }
        };
        let is_plain = match found {
            LocatedRequest::Content(content) if piece.has_more => self.is_plain(content)?,
            _ => true,
        };
        let mut piece = rest::with_rest(piece, request, found, is_plain, self.document.path());
        let after = piece.next_line.filter(|_| piece.is_long && settings.is_strict);
        piece.rest = piece.rest.filter(|_| after.is_none_or(|line| self.has_line(line + 1)));
        Ok(piece)
    }

    fn has_line(&self, number: u64) -> bool {
        let line = LineRequest::lines(&[LineRange::line(number)]);
        self.lines(&line, Settings::default(), &mut |_| Err(Closed)).is_ok()
    }

    /// Whether a value is longer than the remaining output.
    ///
    /// # Errors
    ///
    /// Fails if a limit for each part would truncate the value, because the rest of a value has no
    /// address.
    fn is_long(&self, lines: LineRange, content: &[u8], settings: Settings) -> Result<bool, Error> {
        let (length, count) = (content.len() as u64, count_newlines(content));
        let is_over = settings.max_bytes.is_some_and(|most| length > most);
        let (most, has, flag) = match (settings.max_lines, settings.max_bytes) {
            (Some(most), _) if count > most => (most, counted(count, "line"), MAX_LINES),
            (_, Some(most)) if is_over && !settings.is_strict => {
                (most, counted(length, "byte"), MAX_BYTES)
            }
            _ => return Ok(is_over),
        };
        let path = self.document.path();
        let lines = Change::Only(address::spelt(path, &spell::ranges(&[lines])));
        let hint = Hint::again([lines]).why("its lines");
        let message = format!("the value has {has}, more than {flag} {most}");
        Err(Error::usage(message).at(path).hint(hint))
    }

    /// Whether content is equal to the lines of the file.
    fn is_plain(&self, content: &Content) -> Result<bool, Error> {
        let Some(lines) = content.lines() else { return Ok(true) };
        Ok(self.text_of(lines)? == content.text())
    }

    fn from(&self, start: u64, end: &End) -> Result<LineRequest, Error> {
        let open = LineRequest::lines(&[LineRange::from_to(start, u64::MAX)]);
        Ok(match end {
            End::OfFile => open,
            End::Limit(count) => LineRequest { limit: Some(*count), ..open },
            End::OfSection => LineRequest::lines(&[LineRange::from_to(
                start,
                self.enclosing_section(start)?.end(),
            )]),
            End::ToNext { pattern, outside_code, outside_comments } => {
                let format = self.document.format();
                let needs_code = *outside_code && format.has(Feature::Code)
                    || *outside_comments && format.has(Feature::Tags);
                let outline = needs_code.then(|| self.document.outline()).transpose()?;
                let outside = match outline {
                    Some(outline) if *outside_comments => self.comments(outline)?,
                    _ => CommentLines::default(),
                };
                let code = outline.filter(|_| *outside_code).map(Outline::code);
                let outside_code = code.map(|code| code.iter().map(|code| code.lines).collect());
                let pattern = pattern.clone();
                LineRequest { until: Some(Until { pattern, outside_code, outside }), ..open }
            }
        })
    }

    /// Counts the lines of the document, but may stop after the line `last`.
    pub(super) fn count_lines(&self, last: u64) -> Result<u64, Error> {
        let encoding = self.document.encoding();
        let (mut lines, mut is_open) = (0, false);
        let mut blocks = self.document.blocks().raw();
        while lines <= last
            && let Some(block) = blocks.next()?
        {
            lines += encoding.count_line_feeds(block.raw);
            is_open = encoding.after_last_line_feed(block.raw) != Some(block.raw.len());
        }
        Ok(lines + u64::from(is_open))
    }

    /// Whether the document is a log of which only the requested entry needs to be in memory.
    fn is_streamed(&self) -> bool {
        let format = self.document.format();
        let is_log = format.has_only_entries() && format.syntax().is_none();
        is_log && !self.several && self.options.documents.entries.is_empty()
    }

    /// Returns an outline with the sections around a line, whose number of lines is not less than
    /// the number of the line, if the document has this line.
    fn outline_around(&self, line: u64) -> io::Result<Cow<'_, Outline>> {
        // Between the entries of other texts may be lines that belong to none.
        if !self.is_streamed() || !matches!(self.document.format(), Format::Log(_)) {
            return Ok(Cow::Borrowed(self.document.sections()?));
        }
        let mut entries = Entries::new(&self.document, Vec::new(), None);
        let mut last = Outline::empty(entries.format());
        while let Some(part) = entries.next()? {
            let end = part.sections().last().map_or(0, |entry| entry.lines().end());
            last = part;
            if end >= line {
                break;
            }
        }
        Ok(Cow::Owned(last))
    }

    /// Returns the outline of the log entries whose first line contains `name`, if one of them has
    /// this name. Returns `None` if other parts are also read.
    ///
    /// # Errors
    ///
    /// Fails if no entry has the name and the log is too large to compare the name with all others.
    fn entry(&self, name: &str) -> Result<Option<Outline>, Error> {
        let name = name.trim();
        if !self.is_streamed() || name.is_empty() {
            return Ok(None);
        }
        let entries = Entries::new(&self.document, Vec::new(), Some(name.as_bytes()));
        let Some(outline) = entries.read_all()? else { return Ok(None) };
        match find_section(&outline, name, None, Matching::Exact) {
            Err(NameMiss::NotFound { .. }) if self.document.size() <= Some(MAX_COMPARED) => {
                Ok(None)
            }
            Err(NameMiss::NotFound { .. }) => {
                let path = self.document.path();
                let hint = Hint::command("grep", [OsStr::new("-F"), OsStr::new("-k")]);
                let hint = hint.and([OsStr::new("--"), OsStr::new(name), path.as_os_str()]);
                let message = format!("no section '{name}' (above 64 MiB, names must be exact)");
                let error = Error::new(Code::TargetNotFound, message).at(path);
                Err(error.hint(hint.why("entries that contain it")))
            }
            _ => Ok(Some(outline)),
        }
    }

    fn comments(&self, outline: &Outline) -> Result<CommentLines, Error> {
        Ok(CommentLines::new(self.document.text()?, |line| outline.code_at(line).is_some()))
    }

    /// Returns the outline with the names of sections. If there are none, the keys are parsed.
    fn named_outline(&self) -> io::Result<&Outline> {
        if self.document.format().is_tree() {
            self.document.outline()
        } else {
            self.document.sections()
        }
    }

    /// Returns the outline in which to look for a target.
    fn outline_of(&self, request: &Request, target: &Part) -> Result<Cow<'_, Outline>, Error> {
        if let (Part::Section { name, .. }, None) = (target, &request.scope)
            && let Some(outline) = self.entry(name)?
        {
            return Ok(Cow::Owned(outline));
        }
        Ok(Cow::Borrowed(match target {
            Part::FrontMatter { .. } => self.document.sections()?,
            Part::Table(_) => self.document.outline_with_tables()?,
            Part::CodeBlock { .. } | Part::Anchor(_) | Part::Key { .. } => {
                self.document.outline()?
            }
            _ => self.named_outline()?,
        }))
    }

    /// Returns the error for a part that is missing or ambiguous.
    fn missed(&self, request: &Request, locator: Locator<'_>, miss: &Miss) -> Error {
        let path = self.document.path();
        let target = match &request.selection {
            Selection::Part { target, .. } => Some(target),
            _ => None,
        };
        let context = MissContext {
            locator,
            path,
            target,
            anchor: &|id| misses::anchor_change(target, &request.address.part, path, id),
        };
        context.error(miss)
    }

    /// Returns the lines of the section that `--in` selects.
    fn region(&self, request: &Request) -> Result<Option<LineRange>, Error> {
        if request.scope.is_none() {
            return Ok(None);
        }
        let locator = locator(self.named_outline()?, request);
        locator.scope_lines().map_err(|miss| self.missed(request, locator, &miss))
    }

    fn enclosing_section(&self, line: u64) -> Result<LineRange, Error> {
        let outline = &*self.outline_around(line)?;
        let path = self.document.path();
        if line > outline.total_lines() {
            return Err(misses::past_end(line, outline.total_lines(), path));
        }
        section_around(outline, line).ok_or_else(|| {
            let address = address::spelt(path, &line.to_string());
            let hint = Hint::again([Change::Only(address), Change::set(TO_NEXT, "^$")]);
            Error::new(Code::TargetNotFound, format!("line {line} is in no section"))
                .at(path)
                .hint(hint.why("to the next blank line"))
        })
    }

    fn target(
        &self,
        request: &Request,
        target: &Part,
        from: Option<u64>,
    ) -> Result<LocatedRequest, Error> {
        let located_lines = |range| LocatedRequest::Lines(LineRequest::lines(&[range]));
        match target {
            Part::Whole => return Ok(LocatedRequest::Lines(LineRequest::whole_file())),
            Part::Lines(ranges) => return Ok(LocatedRequest::Lines(LineRequest::lines(ranges))),
            Part::Match(query) => return Ok(located_lines(self.matching(request, query)?)),
            _ => {}
        }
        let outline = self.outline_of(request, target)?;
        let locator = locator(&outline, request);
        let found = locator.locate(target).map_err(|miss| self.missed(request, locator, &miss))?;
        let content = match &found {
            Located::Section { lines: None, .. } => Content::default(),
            Located::Section { index, lines: Some(lines) } => {
                let name = match target {
                    Part::Section { name, .. } if self.settings.json => Some(name),
                    _ => None,
                };
                let section = name.map(|name| named_section(locator, *index, name));
                return Ok(LocatedRequest::Lines(LineRequest {
                    section,
                    ..LineRequest::lines(&[*lines])
                }));
            }
            Located::CodeBlock { block, lines } => {
                let symbol = match target {
                    Part::CodeBlock { symbol, .. } => symbol.as_deref(),
                    _ => None,
                };
                return self.code_block(request, (block, *lines), symbol, from);
            }
            Located::Table(table) if table.is_contained || from.is_some() => {
                content::part_content::<true>(&self.document, Some(table.lines))?
            }
            Located::Table(table) => return Ok(located_lines(table.lines)),
            Located::Anchor(lines) => return Ok(located_lines(*lines)),
            Located::FrontMatter(front_matter) => return Ok(located_lines(front_matter.lines)),
            Located::Entry(tree, entry) => {
                let lines = tree.lines(entry.index);
                let (Part::Key { value: alone, .. } | Part::FrontMatter { value: alone, .. }) =
                    target
                else {
                    return Ok(located_lines(lines));
                };
                let value = tree.value(find::resolved(tree, *entry).index).into_bytes();
                let path = self.document.path();
                // The value of an INI key is its text, which is empty without a separator.
                let has_data = self.settings.json && !matches!(tree.syntax, Syntax::Ini(_));
                let data = has_data.then(|| data(tree, entry.index, path)).transpose()?;
                return Ok(LocatedRequest::Value { lines, value, data, alone: *alone });
            }
            Located::Whole | Located::Lines(_) | Located::Match => {
                return Ok(LocatedRequest::Lines(LineRequest::whole_file()));
            }
        };
        Ok(LocatedRequest::Content(content.from(from, self.document.path())?))
    }

    /// Returns the lines of a code block, or of a symbol in it.
    fn code_block(
        &self,
        request: &Request,
        (block, lines): (&CodeLines, Option<LineRange>),
        symbol: Option<&str>,
        from: Option<u64>,
    ) -> Result<LocatedRequest, Error> {
        let path = self.document.path();
        // The bytes of other encodings are those of whole lines.
        let is_encoded = self.options.raw && !self.document.encoding().is_utf8();
        let has_containers = self.document.format().dialect().is_some() && !is_encoded;
        let content = match lines {
            Some(_) if has_containers => content::part_content::<false>(&self.document, lines)?,
            Some(lines) => Content::new(lines.start(), self.text_of(lines)?),
            None => Content::default(),
        };
        let lines = match symbol {
            Some(name) => Some(self.symbol_in_block(request, block, &content, name)?),
            None => lines,
        };
        match lines {
            Some(lines) if !has_containers => {
                Ok(LocatedRequest::Lines(LineRequest::lines(&[lines])))
            }
            Some(lines) => Ok(LocatedRequest::Content(content.within(lines).from(from, path)?)),
            None => Ok(LocatedRequest::Content(content.from(from, path)?)),
        }
    }

    /// Returns the lines of a symbol in a code block.
    fn symbol_in_block(
        &self,
        request: &Request,
        block: &CodeLines,
        content: &Content,
        name: &str,
    ) -> Result<LineRange, Error> {
        let code = without_margin(content.text(), &[]);
        let sections = self.document.outline()?;
        let with_section = |error: Error| match find_section(sections, name, None, Matching::Exact)
        {
            Ok(_) => {
                let within = Hint::again([Change::Rename(SECTION, IN)]);
                error.hint(within.why("a block in this section"))
            }
            Err(_) => error,
        };
        let Some(symbols) = Outline::of_code_block(block, &code) else {
            let miss = Miss::NoCode(block.language.clone());
            return Err(with_section(self.missed(request, locator(sections, request), &miss)));
        };
        let locator = Locator { scope: None, ..locator(&symbols, request) };
        let index = locator.section(name, NameRole::Part(SectionPart::Whole));
        let index = index.map_err(|miss| with_section(self.missed(request, locator, &miss)))?;
        Ok(symbols.sections()[index].lines())
    }

    /// Returns the decoded text of a range of lines.
    fn text_of(&self, lines: LineRange) -> Result<Vec<u8>, Error> {
        let mut text = Vec::new();
        self.lines(&LineRequest::lines(&[lines]), Settings::default(), &mut |bytes| {
            text.extend_from_slice(bytes);
            Ok(())
        })?;
        Ok(text)
    }

    /// Returns the first matching line with its context.
    fn matching(&self, request: &Request, query: &Query) -> Result<LineRange, Error> {
        let scope = self.region(request)?;
        let bounds = scope.unwrap_or(LineRange::from_to(1, u64::MAX));
        let found = if !query.is_regex() && query.source.contains('\n') {
            self.find_text_lines(query, bounds)?
        } else {
            self.line_that_matches(query, bounds)?.map(LineRange::line)
        };
        let Some(found) = found else {
            return Err(self.match_miss(request, query));
        };
        let usual = if query.kind == QueryKind::Search { SEARCH_CONTEXT } else { 0 };
        let context = query.context.unwrap_or(usual);
        let start = found.start().saturating_sub(context).max(bounds.start());
        let end = found.end().saturating_add(context).min(bounds.end());
        Ok(LineRange::from_to(start, end))
    }

    fn line_that_matches(&self, query: &Query, bounds: LineRange) -> Result<Option<u64>, Error> {
        let matcher =
            LineMatcher::new(&[&query.source], query.options(), line_matcher::Extent::Line)
                .map_err(|error| option_error(query.kind.flag(), error))?;
        line_search::first(&self.document, &matcher, |line| bounds.contains(line))
    }

    /// Returns the lines of the first occurrence of a text that spans lines. Reads the whole
    /// document into memory.
    fn find_text_lines(
        &self,
        query: &Query,
        bounds: LineRange,
    ) -> Result<Option<LineRange>, Error> {
        let literal = LinesPattern::literal(&query.source, query.options())
            .map_err(|error| option_error(query.kind.flag(), error))?;
        let text = self.document.text()?;
        let (mut at, mut line) = (0, 1);
        for found in literal.search(text).find_overlapping() {
            line += count_newlines(&text[at..found.start]);
            // A line ending at the end of the text is part of its last line.
            let ends = query.source.strip_suffix('\n').unwrap_or(&query.source);
            let last = line + ends.matches('\n').count() as u64;
            let lines = LineRange::from_to(line, last);
            if bounds.covers(lines) {
                return Ok(Some(lines));
            }
            at = found.start;
        }
        Ok(None)
    }

    fn match_miss(&self, request: &Request, query: &Query) -> Error {
        let verb = if query.is_regex() { "matches" } else { "contains" };
        let fixed = (!query.is_regex()).then_some("-F");
        let place = match &request.scope {
            Some(scope) => format!("in section '{scope}'"),
            None => "in the file".to_owned(),
        };
        let path = self.document.path();
        let source = &query.source;
        let several = query.source.contains('\n').then_some("-U");
        let hint =
            Hint::command("grep", ["-i"]).and(several).and(fixed).and(["-e", source]).and([path]);
        let message = format!("no line {place} {verb} '{source}'");
        let error = Error::new(Code::TargetNotFound, message).at(path);
        let error = misses::with_encoding(error, source, self.document.head());
        error.hint(hint.why("ignoring case"))
    }
}

/// Returns a description of the section to which a name refers.
fn named_section(locator: Locator<'_>, index: usize, name: &str) -> NamedSection {
    let outline = locator.outline;
    let section = &outline.sections()[index];
    let path = section_path(outline, index);
    let exact = Locator { matching: Matching::Exact, ..locator }
        .section(name, NameRole::Part(SectionPart::Whole));
    NamedSection {
        text: path.last().cloned().unwrap_or_default(),
        level: section.level(),
        path,
        line: section.lines().start(),
        exact: exact.is_ok_and(|exact| exact == index),
    }
}

fn locator<'a>(outline: &'a Outline, request: &'a Request) -> Locator<'a> {
    Locator { outline, names: None, scope: request.scope.as_deref(), matching: Matching::Relaxed }
}

/// Returns the first line of a selection or, if it has none, the line of the address.
fn start_line(first_line: Option<u64>, request: &Request) -> Result<u64, Error> {
    match (first_line, &request.address.part) {
        (Some(line), _) => Ok(line),
        (None, Part::Lines(ranges)) => Ok(ranges[0].start()),
        (None, _) => {
            Err(Error::usage(format!("a line to start from is needed: {FROM} N or PATH:N")))
        }
    }
}

/// Returns the data of an entry as JSON.
fn data(tree: &Tree, index: usize, path: &Path) -> Result<Box<RawValue>, Error> {
    let data = value::data(tree, index)
        .and_then(|text| RawValue::from_string(text).map_err(|error| error.to_string()));
    data.map_err(|message| Error::usage(message).at(path))
}
