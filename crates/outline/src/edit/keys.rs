//! Plans edits of keys in INI sections. The parser must read each new value exactly as the user
//! gave it.

use super::place::{Place, Planner, Shape};
use super::plan::Plan;
use super::{EditRequest, Note, Operation, Refusal};
use crate::format::Feature;
use crate::ini_keys::{KeyMiss, exact_name, find_key, new_name, split_new};
use crate::locate::Miss;
use crate::outline::{IniKey, Outline};
use crate::part::{Part, SectionPart};
use folio_keys::path::split_index;
use folio_markdown::front_matter::{self, FrontMatter};
use folio_text::ini_dialect::{IniDialect, has_wide_edges};
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::sections::{self, LineKind};
use folio_text::span::{LineRange, Span};

/// Why a key of an INI file cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IniRefusal {
    /// The value of a key may continue after a blank line or a comment.
    MayContinue {
        /// The line of the key.
        line: u64,
        /// The name of the key.
        key: String,
        /// The line on which the value may continue.
        below: u64,
    },
    /// Another key has the name.
    NameTaken {
        /// The line of the other key.
        line: u64,
        /// The name.
        name: String,
    },
    /// A text cannot be the name of a key.
    NoName(String),
    /// The content has several lines.
    SeveralLines,
    /// The value begins or ends with whitespace that some programs remove.
    WideEdges,
    /// The value would be read as something else.
    NotReadBack {
        /// The value.
        value: Vec<u8>,
        /// The line of the key with the value in quotes, if it would be read back.
        quoted: Option<Vec<u8>>,
        /// Whether the key exists.
        exists: bool,
    },
    /// The content is not a line that sets the key.
    NoLineOf {
        /// The name of the key.
        key: String,
        /// Whether the content may be meant as the value.
        may_be_value: bool,
    },
    /// A key follows the marker of its section on the same line.
    OnMarkerLine {
        /// The line.
        line: u64,
    },
    /// The key exists.
    Exists {
        /// The name of the key.
        key: String,
        /// Its line.
        line: u64,
        /// Whether the content is this line.
        is_same: bool,
    },
    /// A new key needs a section.
    NeedsSection(String),
}

impl Planner<'_> {
    /// Returns the request with the section as an option and the name of the key without quotes, if
    /// the target is the path of an INI key. The section of a new key may be missing.
    pub(super) fn with_section(&self) -> Option<EditRequest> {
        let Some(Part::Key { section, key, value }) = &self.request.part else {
            return None;
        };
        if !self.source.format().has(Feature::Keys) {
            return None;
        }
        let outline = self.source.outline();
        let locator = self.locator(outline);
        let is_new = matches!(self.request.operation, Operation::Set | Operation::Insert);
        let new = || is_new.then(|| self.new_section_of(key))?;
        let split = match section {
            None => locator.split_key(key).or_else(new),
            Some(_) => None,
        };
        let (section, key) = match split {
            Some((section, key)) => (Some(section), key),
            None => (section.clone(), key.clone()),
        };
        let key = match locator.key_section(section.as_deref()) {
            Ok(index) => exact_name(outline, index, &key).into_owned(),
            Err(_) => key,
        };
        let part = Some(Part::Key { section, key, value: *value });
        Some(EditRequest { part, ..self.request.clone() })
    }

    /// Splits the path of a key that does not exist, see [`split_new`].
    fn new_section_of(&self, path: &str) -> Option<(String, String)> {
        let outline = self.source.outline();
        let is_missing = matches!(find_key(outline, None, path), Err(KeyMiss::NotFound(_)));
        split_new(outline, path).filter(|_| is_missing)
    }

    /// Fails if lines after a blank line or a comment below a key may belong to its value, as in
    /// the INI files of Python.
    pub(super) fn check_value_ends(&self, key: &IniKey) -> Result<(), Refusal> {
        let number = key.lines.start();
        let margin = sections::indent(self.source.line(number));
        let mut below = key.lines.end() + 1;
        let is_between = |line| {
            matches!(self.ini_line(without_end(line)), LineKind::Blank | LineKind::Comment(_))
        };
        while below <= self.source.total_lines() && is_between(self.source.line(below)) {
            below += 1;
        }
        if below == key.lines.end() + 1 || below > self.source.total_lines() {
            return Ok(());
        }
        let line = without_end(self.source.line(below));
        let is_indented = self.source.format().ini_dialect() == IniDialect::Indented;
        let is_text = matches!(self.ini_line(line), LineKind::Other | LineKind::Key(_))
            && (is_indented || !line.contains(&b'=') && !line.contains(&b':'));
        if sections::indent(line) <= margin || !is_text {
            return Ok(());
        }
        Err(self.ini(IniRefusal::MayContinue { line: number, key: key.name.clone(), below }))
    }

    /// Renames a key of an INI section.
    pub(super) fn rename_key(&self, section: Option<&str>, key: &str) -> Result<Plan, Refusal> {
        let place = self.key(section, key, false)?;
        let content = self.exact_content()?;
        let name = String::from_utf8_lossy(&content).into_owned();
        let line = self.source.bytes(place.span);
        let taken = match find_key(self.source.outline(), self.ini_section(section)?, &name) {
            Ok(other) if other.lines.start() == place.line && other.name != name => None,
            Ok(other) => Some(other.lines.start()),
            Err(KeyMiss::Ambiguous(lines)) => lines.first().map(|lines| lines.start()),
            Err(KeyMiss::NotFound(_)) => None,
        };
        if let Some(line) = taken {
            return Err(self.ini(IniRefusal::NameTaken { line, name }));
        }
        let first = without_end(lines_with_ends(line).next().unwrap_or_default());
        let LineKind::Key(parts) = self.ini_line(first) else {
            return Err(Refusal::NotKey);
        };
        let new = [&line[..parts.name.start], &content, &line[parts.name.end..]].concat();
        if self.key_of(&new).as_ref() != Some(&name)
            || !self.is_line_of(&new, &name)
            || name.starts_with('[')
            || has_wide_edges(&content)
            || self.reads_back(&new) != self.reads_back(line)
        {
            return Err(self.ini(IniRefusal::NoName(name)));
        }
        let start = place.span.start();
        let at = Span::new(start + parts.name.start as u64, start + parts.name.end as u64);
        Ok(self.put(&Place::new(at, place.line, Shape::Value(place.span)), content))
    }

    /// Returns the refusal of an edit of the selected key.
    pub(super) fn ini(&self, refusal: IniRefusal) -> Refusal {
        let part = self.request.part.clone().unwrap_or_default();
        Refusal::IniKey(Box::new((part, refusal)))
    }

    /// Returns the new value, which must be on one line. In `set`, it may be empty.
    pub(super) fn one_line_value(&self) -> Result<Vec<u8>, Refusal> {
        let is_set = self.request.operation == Operation::Set;
        let content = if is_set { self.content_or_nothing()? } else { self.exact_content()? };
        if content.contains(&b'\n') {
            return Err(self.ini(IniRefusal::SeveralLines));
        }
        let dialect = self.source.format().ini_dialect();
        if !matches!(dialect, IniDialect::Git | IniDialect::Systemd) && has_wide_edges(&content) {
            return Err(self.ini(IniRefusal::WideEdges));
        }
        Ok(content)
    }

    /// Replaces the value of a key on some lines.
    pub(super) fn replace_value(&self, place: &Place, lines: Span) -> Result<Plan, Refusal> {
        let content = self.one_line_value()?;
        let start = (place.span.start() - lines.start()) as usize;
        let end = (place.span.end() - lines.start()) as usize;
        let lines = self.source.bytes(lines);
        let dialect = self.source.format().ini_dialect();
        let is_quoted = match dialect {
            IniDialect::Git => matches!(lines[start..end], [b'"', .., b'"']),
            _ => lines[..start].ends_with(b"\"") || lines[..start].ends_with(b"'"),
        };
        let (written, value) = dialect.encoded(&content, is_quoted);
        for (before, after) in [("", ""), (" ", ""), ("", " "), (" ", " ")] {
            let text = [before.as_bytes(), &written, after.as_bytes()].concat();
            let line = [&lines[..start], &text, &lines[end..]].concat();
            if self.key_of(&line) == self.key_of(lines) && self.reads_back(&line) == value {
                return Ok(self.put(place, text));
            }
        }
        Err(self.not_read_back(&content))
    }

    /// Checks that the new line of a key still contains that key, and that content in an INI
    /// section does not begin another section.
    pub(super) fn check_keys(&self, content: &[u8]) -> Result<(), Refusal> {
        match &self.request.part {
            Some(Part::Section { part: SectionPart::Body, .. }) => self.check_no_marker(content),
            Some(Part::Key { key, .. }) => {
                let exact = new_name(key);
                let name = match exact == *key {
                    true => key.split_once('[').map_or(key.as_str(), |(name, _)| name),
                    false => &exact,
                };
                match self.is_line_of(content, name) {
                    true => Ok(()),
                    false => Err(self.no_line_of(name, content)),
                }
            }
            _ => Ok(()),
        }
    }

    /// Fails if content of an INI section begins another section.
    pub(super) fn check_no_marker(&self, content: &[u8]) -> Result<(), Refusal> {
        if self.request.force || !self.source.format().has(Feature::Keys) {
            return Ok(());
        }
        let read = Outline::of(content, self.source.format(), Default::default());
        let Some(first) = read.sections().first() else { return Ok(()) };
        let (line, name) = (first.lines().start(), read.text(0));
        let name = String::from_utf8_lossy(&name).into_owned();
        Err(Refusal::BeginsSection { line, name })
    }

    pub(super) fn check_no_side(&self) -> Result<(), Refusal> {
        if self.request.side.is_none() {
            return Ok(());
        }
        Err(Refusal::SideOfNewKey)
    }

    /// Returns the refusal for content that is not a line of the key. If it is a single line, it may
    /// be meant as the value.
    fn no_line_of(&self, key: &str, content: &[u8]) -> Refusal {
        let may_be_value = !without_end(content).contains(&b'\n') && !content.contains(&b'=');
        self.ini(IniRefusal::NoLineOf { key: key.to_owned(), may_be_value })
    }

    /// Returns the refusal for a value that the parser would read differently.
    fn not_read_back(&self, value: &[u8]) -> Refusal {
        let (quoted, exists) = self.with_quotes(value).unzip();
        let exists = exists.unwrap_or_default();
        self.ini(IniRefusal::NotReadBack { value: value.to_vec(), quoted, exists })
    }

    /// Returns the line of the key with the value quoted, and whether the key exists.
    fn with_quotes(&self, value: &[u8]) -> Option<(Vec<u8>, bool)> {
        let Some(Part::Key { section, key, .. }) = &self.request.part else { return None };
        let name = key.split_once('[').map_or(key.as_str(), |(name, _)| name);
        let line = [name.as_bytes(), b" = \"", value, b"\""].concat();
        let exists = self.key(section.as_deref(), key, false).is_ok();
        let may_exist = exists || self.ini_section(section.as_deref()).is_ok();
        (may_exist && self.reads_back(&line) == value).then_some((line, exists))
    }

    /// Inserts a new key into an INI section, after its existing keys.
    pub(super) fn insert_key(
        &self,
        section: Option<&str>,
        key: &str,
        value: bool,
    ) -> Result<Plan, Refusal> {
        self.check_no_side()?;
        let key = &*new_name(key);
        let index = self.ini_section(section)?;
        let outline = self.source.outline();
        let mut keys = outline.keys().iter().filter(|other| other.section == index);
        self.check_marker(index)?;
        let marker = index.map(|index| outline.sections()[index].lines().start());
        let line = self.key_line(key, value, None)?;
        if let Some(there) = keys.clone().find(|other| other.name == key) {
            return Err(self.key_exists(key, there.lines, &line));
        }
        // Below a value that continues, the new key would be part of it.
        if self.source.format().ini_dialect() == IniDialect::Indented {
            keys.clone().try_for_each(|own| self.check_value_ends(own))?;
        }
        let model = keys.next_back();
        let (after, line) = match model {
            Some(last) if last.is_open => {
                return Err(Refusal::Missed(Miss::OpenKey(last.clone())));
            }
            Some(last) => {
                let line = self.key_line(key, value, Some(last.lines))?;
                (last.lines.end(), self.beside(line, last.lines.start()))
            }
            None => (marker.unwrap_or(0), line),
        };
        let start = marker.map(|marker| self.source.line_start(marker));
        let mut plan = self.insert_after_line(after, &line).at_end_of(start);
        // The dots and numbers might have been those of a path.
        let may_nest = index.is_none() && self.source.format().ini_dialect() != IniDialect::Npm;
        if may_nest && key.contains('.') || split_index(key).is_some() {
            plan.details.push(Note::KeyNamed(key.to_owned()));
        }
        Ok(plan)
    }

    /// Fails if a key follows the marker of a section on its line, as in git's files.
    fn check_marker(&self, section: Option<usize>) -> Result<(), Refusal> {
        let Some(index) = section else { return Ok(()) };
        let number = self.source.outline().sections()[index].lines().start();
        let line = without_end(self.source.line(number));
        let LineKind::Marker(at) = self.ini_line(line) else { return Ok(()) };
        match line[at.end..].trim_ascii().first() {
            None | Some(b'#' | b';') => Ok(()),
            Some(_) => Err(self.ini(IniRefusal::OnMarkerLine { line: number })),
        }
    }

    /// Returns the line of a new key: the given line, or a line with the given value in the style
    /// of an existing key.
    pub(super) fn key_line(
        &self,
        key: &str,
        value: bool,
        model: Option<LineRange>,
    ) -> Result<Vec<u8>, Refusal> {
        if !value {
            let line = self.content()?;
            return match self.is_line_of(&line, key) {
                true => Ok(line),
                false => Err(self.no_line_of(key, &line)),
            };
        }
        let content = self.one_line_value()?;
        let mut separator = b" = ".to_vec();
        if let Some(lines) = model {
            let text = self.source.line(lines.start());
            if let LineKind::Key(parts) = self.ini_line(without_end(text)) {
                let between = &text[parts.name.end..parts.value.start.max(parts.name.end)];
                let marks: Vec<u8> =
                    between.iter().copied().filter(|byte| !matches!(byte, b'"' | b'\'')).collect();
                separator = if marks.is_empty() { separator } else { marks };
            }
        }
        let line_of = |value: &[u8]| [key.as_bytes(), &separator, value].concat();
        let model = line_of(b"v");
        // Other parsers may interpret a line that begins with a bracket as a section marker.
        let is_name = !key.starts_with('[')
            && !has_wide_edges(key.as_bytes())
            && self.key_of(&model).is_some_and(|own| own == key);
        if !is_name || !self.is_line_of(&model, key) {
            return Err(self.ini(IniRefusal::NoName(key.to_owned())));
        }
        let (written, value) = self.source.format().ini_dialect().encoded(&content, false);
        let mut line = line_of(&written);
        if content.is_empty() {
            line.truncate(line.trim_ascii_end().len());
        }
        match self.reads_back(&line) == value && self.is_line_of(&line, key) {
            true => Ok(line),
            false => Err(self.not_read_back(&content)),
        }
    }

    pub(super) fn key_exists(&self, key: &str, lines: LineRange, line: &[u8]) -> Refusal {
        let there = self.source.bytes(self.source.span_of(lines));
        let is_same = there.trim_ascii() == line.trim_ascii();
        self.ini(IniRefusal::Exists { key: key.to_owned(), line: lines.start(), is_same })
    }
}

impl Planner<'_> {
    /// Whether lines of an INI file consist of a single key, without a section marker.
    fn is_line_of(&self, content: &[u8], key: &str) -> bool {
        let read = Outline::of(content, self.source.format(), Default::default());
        read.sections().is_empty()
            && matches!(read.keys(), [only] if only.name.eq_ignore_ascii_case(key))
    }

    /// Classifies a line, given without its line ending, in the dialect of the file.
    pub(super) fn ini_line(&self, line: &[u8]) -> LineKind {
        sections::ini_line(line, self.source.format().ini_dialect())
    }

    /// Returns the parsed key of a line.
    pub(super) fn key_of(&self, line: &[u8]) -> Option<String> {
        let line = without_end(lines_with_ends(line).next().unwrap_or_default());
        match self.ini_line(line) {
            LineKind::Key(parts) => Some(String::from_utf8_lossy(&line[parts.name]).into_owned()),
            _ => None,
        }
    }

    /// Returns the parsed value of a key's line.
    pub(super) fn reads_back(&self, line: &[u8]) -> Vec<u8> {
        let line = without_end(line);
        match self.ini_line(line) {
            LineKind::Key(parts) => self.source.format().ini_dialect().decoded(&line[parts.value]),
            _ => Vec::new(),
        }
    }

    /// Returns the front matter, or an error if there is none.
    pub(super) fn front_matter_of<'o>(
        &self,
        outline: &'o Outline,
    ) -> Result<&'o FrontMatter, Refusal> {
        if outline.front_matter().is_none() {
            self.check_no_opening()?;
        }
        outline.front_matter().ok_or(Refusal::NoFrontMatter)
    }

    /// Fails if the text of the file begins as front matter does. It is invalid, or not at the
    /// start of the file.
    pub(super) fn check_no_opening(&self) -> Result<(), Refusal> {
        let text = self.source.text();
        let blanks = leading_blanks(text);
        let first = lines_with_ends(&text[blanks..]).next().unwrap_or_default().trim_ascii_end();
        let is_json = first.starts_with(b"{\"") || first == b"{";
        if first != b"---" && first != b"+++" && !is_json {
            return Ok(());
        }
        let line = self.source.line_of(self.source.start() + blanks as u64);
        if blanks == 0 || front_matter::find(&text[blanks..]).is_none() {
            let opening = String::from_utf8_lossy(first).into_owned();
            return Err(Refusal::InvalidOpening { line, opening });
        }
        Err(Refusal::LateFrontMatter { line })
    }
}

/// Returns the number of bytes of blanks at the start of a text, including a byte order mark and
/// spaces that are not visible.
fn leading_blanks(text: &[u8]) -> usize {
    let start = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let is_blank = |own: char| own.is_whitespace() || "\u{feff}\u{200b}\u{2060}".contains(own);
    start.len() - start.trim_start_matches(is_blank).len()
}
