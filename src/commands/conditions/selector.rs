//! Compiles conditions, and selects the parts of a document that meet them.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use super::bodies::{Texts, holds_all, matched_lines};
use super::candidates::{Candidate, Outlined, SelectedPart};
use super::nested::{Below, innermost};
use super::tally::{Stage, Tally};
use super::times::{EntryBounds, LogClock};
use super::{Conditions, PartKind, Pick};
use crate::commands::matching::lines_of_part;
use crate::commands::misses::unparsed;
use crate::commands::shared_args::option_error;
use folio_files::address;
use folio_files::error::{Change, Code, Error, Hint, Opt};
use folio_files::options::{
    CONTAINING, HAVING, IGNORE_CASE, LACKING, LEVEL, LEVEL_AT_LEAST, MATCHING, NOT_HAVING, PATH,
    SECTION_PATTERN, WITH_KEY, WITHOUT_KEY,
};
use folio_keys::path::unquoted;
use folio_keys::{Syntax, Tree, find};
use folio_outline::document::Document;
use folio_outline::entries::Entries;
use folio_outline::format::{Feature, Format};
use folio_outline::log_search::{LogPosition, first_offset, lines_before};
use folio_outline::lookup::{Matching, sections_named};
use folio_outline::outline::Outline;
use folio_text::pattern::{Case, Pattern, PatternOptions};
use folio_text::span::LineRange;
use folio_text::timestamp::TimeRange;

/// The parts that were selected in a document, in order.
pub type Parts<'a> = &'a mut dyn Iterator<Item = SelectedPart>;

/// Compiled conditions.
#[derive(Clone, Debug)]
pub struct Selector {
    conditions: Conditions,
    kinds: Vec<PartKind>,
    levels: Option<RangeInclusive<u8>>,
    matching: Vec<Pattern>,
    path: Vec<Pattern>,
    having: Vec<Pattern>,
    not_having: Vec<Pattern>,
    containing: Vec<Pattern>,
    lacking: Vec<Pattern>,
    with_key: Vec<(String, Option<Pattern>)>,
    without_key: Vec<(String, Option<Pattern>)>,
    bounds: EntryBounds,
    /// Custom patterns for lines that begin entries. If there are any, they replace the default
    /// pattern.
    entries: Vec<Pattern>,
    /// Maximum number of parts. `None` if parts need no targets.
    max_parts: Option<usize>,
}

impl Selector {
    /// Compiles conditions. `entries` are custom patterns for lines that begin entries.
    ///
    /// # Errors
    ///
    /// Fails if a pattern or a time is invalid.
    pub fn new(conditions: &Conditions, entries: Vec<Pattern>) -> Result<Self, Error> {
        let options = PatternOptions { case: conditions.case, ..PatternOptions::default() };
        let compiled = |flag: Opt, source: &String| {
            let no_literal = |mut error: Error| {
                error.hints.retain(|hint| !matches!(hint, Hint::Again { .. }));
                error
            };
            let pattern = Pattern::new(source, options);
            pattern.map_err(|error| no_literal(option_error(flag, error)))
        };
        let all = |flag: Opt, sources: &[String]| -> Result<Vec<Pattern>, Error> {
            sources.iter().map(|source| compiled(flag, source)).collect()
        };
        let keys = |flag: Opt, values: &[String]| -> Result<Vec<_>, Error> {
            let parsed = values.iter().map(|text| {
                let (key, value) = super::key_and_value(text);
                let value = value.map(|value| compiled(flag, &value.to_owned())).transpose()?;
                Ok((key.to_owned(), value))
            });
            parsed.collect()
        };
        let selector = Self {
            kinds: conditions.kinds(),
            levels: conditions.level.as_deref().map(levels).transpose()?,
            matching: all(MATCHING, &conditions.matching)?,
            path: all(PATH, &conditions.path)?,
            having: all(HAVING, &conditions.having)?,
            not_having: all(NOT_HAVING, &conditions.not_having)?,
            containing: all(CONTAINING, &conditions.containing)?,
            lacking: all(LACKING, &conditions.lacking)?,
            with_key: keys(WITH_KEY, &conditions.with_key)?,
            without_key: keys(WITHOUT_KEY, &conditions.without_key)?,
            bounds: EntryBounds::new(conditions)?,
            conditions: conditions.clone(),
            entries,
            max_parts: None,
        };
        Ok(selector)
    }

    /// Adds to each part the target that selects it. Selecting more than `max_parts` parts is then
    /// an error.
    pub fn with_targets(self, max_parts: usize) -> Self {
        Self { max_parts: Some(max_parts), ..self }
    }

    /// Returns the same conditions for parts of another kind, or `None` if they exclude this kind.
    pub(super) fn with_kind(&self, kind: PartKind) -> Option<Self> {
        let conditions = Conditions { kind: vec![kind], ..self.conditions.clone() };
        conditions.check_kinds().ok()?;
        Some(Self { conditions, kinds: vec![kind], max_parts: None, ..self.clone() })
    }

    /// Returns the same conditions for log entries whose first lines match a pattern, or `None` if
    /// they exclude entries, or if the user gave such a pattern.
    pub(super) fn with_entries(&self, pattern: Pattern) -> Option<Self> {
        let selector = self.with_kind(PartKind::Entry).filter(|_| self.entries.is_empty())?;
        Some(Self { entries: vec![pattern], ..selector })
    }

    /// Fails if there are too many parts.
    pub(super) fn check_count(&self, count: usize) -> Result<(), Error> {
        let Some(most) = self.max_parts.filter(|&most| count > most) else { return Ok(()) };
        let message = format!("the conditions select more parts than the limit of {most}");
        let hint = "narrow the conditions, or name fewer files, and run it several times";
        Err(Error::new(Code::CountMismatch, message).hint(hint))
    }

    /// Returns the custom patterns for lines that begin entries.
    pub(super) fn entries(&self) -> &[Pattern] {
        &self.entries
    }

    /// Whether lines that begin with a time may begin parts to select.
    pub(super) fn selects_entries(&self) -> bool {
        self.entries.is_empty() && self.kinds.contains(&PartKind::Entry)
    }

    /// Returns the conditions.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Selects the parts of a document, or of a part of it, that meet all conditions except those
    /// that apply to all files together. If there are any, calls `make` with an iterator over them,
    /// in order. The iterator creates each part only when it is requested, because all parts
    /// together may need much memory.
    pub fn select<T>(
        &self,
        document: &Document,
        within: &address::Part,
        clock: &LogClock<'_>,
        make: impl FnOnce(&Path, Parts<'_>) -> T,
    ) -> Result<(Tally, Option<T>), Error> {
        let mut tally = Tally { files: 1, ..Tally::default() };
        if !self.containing.is_empty() && !holds_all(document, &self.containing)? {
            return Ok((tally, None));
        }
        tally.count(Stage::Held, 1);
        let (outline, streamed) = if self.is_streamed(document.format(), within) {
            let (outline, counts) = self.entries_of(document, clock)?;
            (Cow::Owned(outline), Some(counts))
        } else {
            (Cow::Borrowed(self.outline(document, within)?), None)
        };
        // In light markup, a mistake concerns only the keys.
        let is_needed = !outline.format().has(Feature::Headings) || self.needs_keys();
        if let Some(mistake) = outline.mistake().filter(|_| is_needed) {
            return Err(unparsed(mistake, outline.format().title(), document.path()));
        }
        if !self.takes_keys(&outline) {
            return Ok((tally, None));
        }
        tally.count(Stage::Keyed, 1);
        let path = document.path();
        let mut outlined = Outlined::new(&outline, path);
        let scope = lines_of_part(&outline, within, path)?;
        let mut left = outlined.candidates(&self.kinds);
        left.retain(|&candidate| self.takes_kind(&outlined, candidate, scope.as_deref()));
        tally.count(Stage::Kind, left.len());
        self.by_names(&outlined, &mut left, &mut tally, clock);
        if let Some(counts) = streamed {
            for stage in [Stage::Kind, Stage::Matching, Stage::Time] {
                tally.left[stage as usize] = counts.left[stage as usize];
            }
            tally.times = counts.times;
        }
        self.by_texts(&outlined, &mut left, &mut tally, document)?;
        if self.conditions.innermost {
            innermost(&outlined, &mut left);
        }
        tally.count(Stage::Innermost, left.len());
        if !self.conditions.across {
            let kind_and_name = |&candidate: &Candidate| {
                let name = if self.conditions.by_source {
                    outlined.source_name(candidate)
                } else {
                    outlined.name(candidate)
                };
                (outlined.kind(candidate), name)
            };
            self.count(&mut left, kind_and_name, &mut tally);
            self.check_count(left.len())?;
        }
        // Entries that begin with a time are selected by their lines, because there may be many.
        let is_timed = self.entries.is_empty() && outline.format().log_kind().is_timed();
        if self.max_parts.is_some() && !left.is_empty() && !is_timed {
            outlined.name_sections();
        }
        let is_any = !left.is_empty();
        let is_bare =
            outline.format().has(Feature::FrontMatter) && outline.front_matter().is_none();
        tally.bare = u64::from(is_any && is_bare && !self.without_key.is_empty());
        let holds_keys =
            |&part: &Candidate| matches!(outlined.kind(part), PartKind::Key | PartKind::Marker);
        let names_key = self.names_key_without_path() && left.iter().any(holds_keys);
        tally.keyed_parts = u64::from(names_key);
        let mut parts = left.into_iter().map(|candidate| outlined.part(candidate));
        Ok((tally, is_any.then(|| make(path, &mut parts))))
    }

    /// Applies `--repeated`, then `--first`, `--last` or `--nth`. `kind_and_name` returns the kind
    /// and the name of a part.
    pub(super) fn count<'n, T>(
        &self,
        parts: &mut Vec<T>,
        kind_and_name: impl Fn(&T) -> (PartKind, Cow<'n, [u8]>),
        tally: &mut Tally,
    ) {
        if self.conditions.repeated {
            let mut times: HashMap<(PartKind, Cow<'n, [u8]>), u64> = HashMap::new();
            for part in &*parts {
                *times.entry(kind_and_name(part)).or_default() += 1;
            }
            let is_repeated: Vec<bool> =
                parts.iter().map(|part| times[&kind_and_name(part)] > 1).collect();
            let mut is_repeated = is_repeated.into_iter();
            parts.retain(|_| is_repeated.next().unwrap_or_default());
        }
        tally.count(Stage::Repeated, parts.len());
        let at = match self.conditions.pick() {
            None => None,
            Some(Pick::First) => Some(0),
            Some(Pick::Last) => Some(parts.len().saturating_sub(1)),
            Some(Pick::Nth(number)) => Some(usize::try_from(number - 1).unwrap_or(usize::MAX)),
        };
        if let Some(at) = at {
            let picked = (at < parts.len()).then(|| parts.swap_remove(at));
            *parts = picked.into_iter().collect();
        }
        tally.count(Stage::Pick, parts.len());
    }

    fn names_nested_parts(&self) -> bool {
        !self.having.is_empty() || !self.not_having.is_empty()
    }

    fn names_key_without_path(&self) -> bool {
        self.with_key.iter().chain(&self.without_key).any(|(key, _)| !key.contains('.'))
    }

    fn reads_texts(&self) -> bool {
        !self.containing.is_empty() || !self.lacking.is_empty()
    }

    /// Whether keys are requested, or are in conditions.
    fn needs_keys(&self) -> bool {
        self.kinds.contains(&PartKind::Key)
            || [PartKind::File, PartKind::Marker].iter().any(|kind| self.kinds.contains(kind))
                && self.names_nested_parts()
            || !self.with_key.is_empty()
            || !self.without_key.is_empty()
    }

    /// Returns the outline of a document.
    fn outline<'d>(
        &self,
        document: &'d Document,
        within: &address::Part,
    ) -> io::Result<&'d Outline> {
        let format = document.format();
        let needs_code = self.kinds.contains(&PartKind::Code) || self.reads_texts();
        // The keys of front matter are known without the whole outline.
        let needs_whole = needs_code && format.has(Feature::Code)
            || self.needs_keys() && format.syntax().is_some();
        if self.kinds.contains(&PartKind::Table) && format.has(Feature::Code) {
            document.outline_with_tables()
        } else if needs_whole || matches!(within, address::Part::Anchor(_)) {
            document.outline()
        } else {
            document.sections()
        }
    }

    /// Whether only the entries that meet the conditions need to be in memory: entries are the only
    /// parts, and no condition needs others.
    fn is_streamed(&self, format: Format, within: &address::Part) -> bool {
        let is_log = format.has_only_entries() && format.syntax().is_none();
        let are_sections = self.kinds.iter().all(|kind| PartKind::SECTIONS.contains(kind));
        let names_others = self.names_nested_parts() || !self.conditions.sections.is_empty();
        let has_keys = !self.with_key.is_empty() || !self.without_key.is_empty();
        is_log
            && are_sections
            && self.kinds.contains(&PartKind::Entry)
            && !self.conditions.public
            && !(names_others || has_keys || matches!(within, address::Part::Anchor(_)))
    }

    /// Returns an offset before which no entry of a sorted log is late enough, if it is certain.
    pub fn start_offset(
        &self,
        document: &Document,
        clock: &LogClock<'_>,
    ) -> io::Result<Option<u64>> {
        if !self.bounds.has_start() || !self.entries.is_empty() {
            return Ok(None);
        }
        let (kind, head) = (document.format().log_kind(), document.text_head());
        let mut lines = head.split(|&byte| byte == b'\n');
        let Some(first) = lines.find(|line| kind.begins_entry(line)) else { return Ok(None) };
        let times = self.bounds.resolve(kind, first, clock);
        first_offset(document, clock.latest, &|time| times.is_early(time))
    }

    /// Returns the entries of a log that meet the conditions on names, times and levels, and the
    /// number of entries that meet each of these.
    fn entries_of(
        &self,
        document: &Document,
        clock: &LogClock<'_>,
    ) -> Result<(Outline, Tally), Error> {
        let start = self.start_offset(document, clock)?;
        let found = self.entries_from(document, clock, start)?;
        // If there are none, the error contains the number of all entries.
        match start {
            Some(_) if found.0.sections().is_empty() => self.entries_from(document, clock, None),
            _ => Ok(found),
        }
    }

    /// Returns the entries that meet the conditions, beginning at an offset.
    fn entries_from(
        &self,
        document: &Document,
        clock: &LogClock<'_>,
        start: Option<u64>,
    ) -> Result<(Outline, Tally), Error> {
        let kind = document.format().log_kind();
        let mut counts = Tally::default();
        let mut times = None;
        let mut has_levels = false;
        let mut found = Outline::empty(document.format());
        let mut entries = Entries::new(document, self.entries.clone(), None);
        if let Some(offset) = start {
            let lines = lines_before(document, offset)?;
            entries = entries.starting_at(document, LogPosition { offset, lines });
        }
        while let Some(part) = entries.next()? {
            found.append(&part, |index| {
                let name = part.name(index);
                let times = times.get_or_insert_with(|| self.bounds.resolve(kind, name, clock));
                counts.count(Stage::Kind, 1);
                if !self.matching.iter().all(|pattern| pattern.is_match(name)) {
                    return false;
                }
                counts.count(Stage::Matching, 1);
                if self.bounds.has_times() {
                    let time = times.time(name);
                    counts.times = TimeRange::with(counts.times, time);
                    if !times.takes_time(time) {
                        return false;
                    }
                }
                counts.count(Stage::Time, 1);
                has_levels |= self.bounds.level.is_some() && kind.level(name).is_some();
                times.takes_level(name)
            });
        }
        let is_asked = self.conditions.is_of_entries() && self.entries.is_empty();
        let left = |stage: Stage| counts.left[stage as usize];
        if is_asked && left(Stage::Kind) == 0 && found.total_lines() > 0 {
            return Err(no_entries(document));
        }
        if self.bounds.level.is_some() && left(Stage::Time) > 0 && !has_levels {
            return Err(no_levels(document));
        }
        Ok((found, counts))
    }

    /// Whether the keys of a document, or of its front matter, meet the conditions `--with-key` and
    /// `--without-key`.
    fn takes_keys(&self, outline: &Outline) -> bool {
        if self.with_key.is_empty() && self.without_key.is_empty() {
            return true;
        }
        let front_matter = outline.front_matter();
        let format = outline.format();
        let is_ini = matches!(format.syntax(), Some(Syntax::Ini(_)));
        if outline.tree().is_none() && !format.has(Feature::FrontMatter) && !is_ini {
            return false;
        }
        let values_of = |key: &str| -> Vec<String> {
            match outline.tree() {
                Some(tree) => {
                    let all = if is_ini { ini_keys(tree, key) } else { find::find_all(tree, key) };
                    all.into_iter().map(|index| tree.value(index)).collect()
                }
                None => {
                    front_matter.and_then(|metadata| metadata.value_at(key)).into_iter().collect()
                }
            }
        };
        let has = |(key, pattern): &(String, Option<Pattern>)| {
            let matches = |value: &String| {
                pattern.as_ref().is_none_or(|pattern| {
                    pattern.is_match(value.as_bytes())
                        || pattern.next_line(value.as_bytes(), 0).is_some()
                })
            };
            values_of(key).iter().any(matches)
        };
        self.with_key.iter().all(has) && !self.without_key.iter().any(has)
    }

    fn takes_kind(
        &self,
        outlined: &Outlined<'_>,
        candidate: Candidate,
        scope: Option<&[LineRange]>,
    ) -> bool {
        let outline = outlined.outline;
        let is_within = scope.is_none_or(|scope| {
            let lines = outlined.lines(candidate);
            lines.is_some_and(|lines| scope.iter().any(|range| range.contains(lines.start())))
        });
        let level = |index: usize| outline.sections()[index].level();
        let is_of_level = match (&self.levels, candidate) {
            (None, _) => true,
            (Some(levels), Candidate::Section(index)) => {
                level(index).is_some_and(|level| levels.contains(&level))
            }
            (Some(_), _) => false,
        };
        let languages = &self.conditions.lang;
        let is_of_language = match candidate {
            _ if languages.is_empty() => true,
            Candidate::Code(index) => {
                languages.iter().any(|language| outline.code()[index].is_language(language))
            }
            _ => false,
        };
        let is_contained = |index: usize| outline.sections()[index].container().is_some();
        let is_at_top = match candidate {
            Candidate::Section(index) => !self.conditions.top_level || !is_contained(index),
            _ => true,
        };
        let is_public = match candidate {
            _ if !self.conditions.public => true,
            Candidate::Section(index) => {
                outline.symbol(index).is_some_and(|symbol| symbol.is_public)
            }
            _ => false,
        };
        is_within && is_of_level && is_of_language && is_at_top && is_public
    }

    /// Applies the conditions on names, paths, nested sections, times and levels.
    fn by_names(
        &self,
        outlined: &Outlined<'_>,
        left: &mut Vec<Candidate>,
        tally: &mut Tally,
        clock: &LogClock<'_>,
    ) {
        let mut keep = |stage, is_asked: bool, takes: &dyn Fn(Candidate) -> bool| {
            if is_asked {
                left.retain(|&candidate| takes(candidate));
            }
            tally.count(stage, left.len());
        };
        let all = |patterns: &[Pattern], text: &[u8]| {
            patterns.iter().all(|pattern| pattern.is_match(text))
        };
        let sections = &self.conditions.sections;
        let called = sections.iter().map(|name| (name, self.called(outlined.outline, name)));
        let called: Vec<(&String, Vec<usize>)> = called.collect();
        keep(Stage::Section, !sections.is_empty(), &|candidate| {
            called.iter().all(|(name, called)| match outlined.section(candidate) {
                Some(index) => called.binary_search(&index).is_ok(),
                None => outlined.name(candidate) == name.as_bytes(),
            })
        });
        keep(Stage::Matching, !self.matching.is_empty(), &|candidate| {
            all(&self.matching, &outlined.name(candidate))
        });
        keep(Stage::Path, !self.path.is_empty(), &|candidate| {
            all(&self.path, &outlined.path_of(candidate))
        });
        let below = |patterns: &[Pattern]| -> Vec<Below> {
            patterns.iter().map(|pattern| Below::new(outlined.outline, pattern)).collect()
        };
        let having = below(&self.having);
        keep(Stage::Having, !having.is_empty(), &|candidate| {
            having.iter().all(|below| below.is_in(outlined.outline, candidate))
        });
        let not_having = below(&self.not_having);
        keep(Stage::NotHaving, !not_having.is_empty(), &|candidate| {
            !not_having.iter().any(|below| below.is_in(outlined.outline, candidate))
        });
        let outline = outlined.outline;
        let first = if outline.sections().is_empty() { b"" } else { outline.name(0) };
        let times = self.bounds.resolve(outline.format().log_kind(), first, clock);
        let is_section = |candidate| matches!(candidate, Candidate::Section(_));
        let range = Cell::new(None);
        keep(Stage::Time, self.bounds.has_times(), &|candidate| {
            let name = is_section(candidate).then(|| outlined.name(candidate));
            let time = name.and_then(|name| times.time(&name));
            range.set(TimeRange::with(range.get(), time));
            times.takes_time(time)
        });
        keep(Stage::Severity, self.bounds.level.is_some(), &|candidate| {
            is_section(candidate) && times.takes_level(&outlined.name(candidate))
        });
        tally.times = range.get();
    }

    /// Returns the sections that `read --section` finds by a name.
    fn called(&self, outline: &Outline, name: &str) -> Vec<usize> {
        let matching = match self.conditions.case {
            Case::Insensitive => Matching::IgnoringCase,
            Case::Smart if !name.contains(char::is_uppercase) => Matching::IgnoringCase,
            Case::Smart | Case::Sensitive => Matching::Exact,
        };
        sections_named(outline, name, matching)
    }

    /// Applies the conditions on text. Does not search the document if no part is left.
    fn by_texts(
        &self,
        outlined: &Outlined<'_>,
        left: &mut Vec<Candidate>,
        tally: &mut Tally,
        document: &Document,
    ) -> Result<(), Error> {
        if self.reads_texts() && !left.is_empty() {
            let patterns: Vec<&Pattern> = self.containing.iter().chain(&self.lacking).collect();
            let conditions = &self.conditions;
            let texts =
                Texts { code: conditions.include_code, comments: conditions.include_comments };
            let is_code = |candidate: &Candidate| matches!(candidate, Candidate::Code(_));
            let lines = |texts| matched_lines(document, outlined.outline, &patterns, texts);
            let plain = if left.iter().all(is_code) { Vec::new() } else { lines(texts)? };
            // In a code block, all text is code, which is always searched.
            let of_code = if left.iter().any(is_code) {
                lines(Texts { code: true, comments: true })?
            } else {
                Vec::new()
            };
            let mut keep = |stage, indexes: std::ops::Range<usize>, is_wanted: bool| {
                left.retain(|candidate| {
                    let found = if is_code(candidate) { &of_code } else { &plain };
                    let range = outlined.lines(*candidate);
                    let holds = |lines: &Vec<u64>| match range {
                        None => !lines.is_empty(),
                        Some(range) => {
                            let at = lines.partition_point(|&line| line < range.start());
                            lines.get(at).is_some_and(|&line| line <= range.end())
                        }
                    };
                    found[indexes.clone()].iter().all(|lines| holds(lines) == is_wanted)
                });
                tally.count(stage, left.len());
            };
            keep(Stage::Containing, 0..self.containing.len(), true);
            keep(Stage::Lacking, self.containing.len()..patterns.len(), false);
            return Ok(());
        }
        tally.count(Stage::Containing, left.len());
        tally.count(Stage::Lacking, left.len());
        Ok(())
    }
}

/// Parses heading levels: `2`, `2-3` or `2-`.
fn levels(typed: &str) -> Result<RangeInclusive<u8>, Error> {
    let level = |digit: &str| digit.parse::<u8>().ok().filter(|level| (1..=6).contains(level));
    let (start, end) = match typed.split_once('-') {
        Some((start, "")) => (level(start), Some(6)),
        Some((start, end)) => (level(start), level(end)),
        None => (level(typed), level(typed)),
    };
    let levels = start.zip(end).filter(|(start, end)| start <= end);
    levels.map(|(start, end)| start..=end).ok_or_else(|| {
        Error::usage(format!("{LEVEL}: '{typed}' is not a level from 1 to 6 such as 2, 2-3 or 2-"))
    })
}

/// Returns the error for a log or a text without entries.
fn no_entries(document: &Document) -> Error {
    let mut first = Vec::new();
    let is_text = |line: &[u8]| !line.trim_ascii().is_empty();
    let text = document.text_head();
    if let Some(line) = text.split(|&byte| byte == b'\n').find(|line| is_text(line)) {
        first.extend_from_slice(&line[..line.len().min(200)]);
    }
    let first = String::from_utf8_lossy(&first).trim_end().to_owned();
    let message = format!(
        "no entry: no line begins with a time that folio recognizes; the first line is '{first}'"
    );
    // A pattern that the first line matches.
    let pattern = match first.bytes().next() {
        Some(b'0'..=b'9') => r"^\d",
        Some(b'[') => r"^\[",
        _ => r"^\S",
    };
    let error = Error::new(Code::TargetNotFound, message).at(document.path());
    let hint = Hint::with_value(SECTION_PATTERN, pattern);
    error.hint(hint.why("a pattern of lines that begin entries"))
}

/// Returns the error for a log whose entries have no levels.
fn no_levels(document: &Document) -> Error {
    let kind = match document.format().log_kind().name() {
        "" => document.format().name().to_owned(),
        name => format!("log, {name}"),
    };
    let message = format!("{LEVEL_AT_LEAST}: its entries have no levels ({kind})");
    let hint = Hint::again([
        Change::remove(LEVEL_AT_LEAST),
        Change::set(CONTAINING, "error"),
        Change::Switch(IGNORE_CASE),
    ]);
    let error = Error::new(Code::TargetNotFound, message).at(document.path());
    error.hint(hint.why("entries that contain a word"))
}

/// Returns the keys of an INI file that a condition refers to: `SECTION.KEY`, or a name in any
/// section.
fn ini_keys(tree: &Tree, path: &str) -> Vec<usize> {
    let is_in_section =
        |index: usize| tree.parent(index).is_some_and(|parent| parent != Tree::ROOT);
    match find::look_up(tree, path) {
        Ok((_, Ok(found))) if is_in_section(found.index) => return vec![found.index],
        Ok((_, Err(find::KeyMiss::NotFound { container, .. })))
            if container.index != Tree::ROOT =>
        {
            return Vec::new();
        }
        Ok((_, Err(find::KeyMiss::Ambiguous { all, .. })))
            if all
                .iter()
                .any(|&index| is_in_section(index) || tree.node(index).kind.is_container()) =>
        {
            return Vec::new();
        }
        _ => {}
    }
    let inner = unquoted(path);
    let keys_where = |is_named: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let is_key = |&index: &usize| !tree.node(index).kind.is_container();
        let keys = (1..tree.nodes.len()).filter(is_key);
        keys.filter(|&index| tree.name(index).is_some_and(is_named)).collect()
    };
    let exact = keys_where(&|name| name == path || inner.as_deref() == Some(name));
    if exact.is_empty() { keys_where(&|name| name.eq_ignore_ascii_case(path)) } else { exact }
}
