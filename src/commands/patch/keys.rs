//! Plans edits of keys in INI sections. The parser must read each new value exactly as the user
//! gave it.

use super::hints;
use super::place::{Place, Planner, Shape};
use super::plan::Plan;
use super::{Content, Operation, Part, Request};
use crate::commands::misses;
use folio_files::address::display;
use folio_files::error::{Code, Error, Hint};
use folio_keys::path::split_index;
use folio_markdown::front_matter::{self, FrontMatter};
use folio_outline::format::Feature;
use folio_outline::ini_keys::{KeyMiss, exact_name, find_key, new_name, split_new};
use folio_outline::outline::{IniKey, Outline};
use folio_outline::part::SectionPart;
use folio_text::ini_dialect::{IniDialect, has_wide_edges};
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::sections::{self, LineKind};
use folio_text::span::{LineRange, Span};

impl Planner<'_> {
    /// Returns the request with the section as an option and the name of the key without quotes, if
    /// the target is the path of an INI key. The section of a new key may be missing.
    pub(super) fn with_section(&self) -> Option<Request> {
        let Some(Part::Key { section, key, value }) = &self.request.target else {
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
        let target = Some(Part::Key { section, key, value: *value });
        Some(Request { target, ..self.request.clone() })
    }

    /// Splits the path of a key that does not exist, see [`split_new`].
    fn new_section_of(&self, path: &str) -> Option<(String, String)> {
        let outline = self.source.outline();
        let is_missing = matches!(find_key(outline, None, path), Err(KeyMiss::NotFound(_)));
        split_new(outline, path).filter(|_| is_missing)
    }

    /// Fails if lines after a blank line or a comment below a key may belong to its value, as in
    /// the INI files of Python.
    pub(super) fn check_value_ends(&self, key: &IniKey) -> Result<(), Error> {
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
        let message = format!(
            "line {number}: the value of '{}' may continue on line {below}, after a blank line",
            key.name
        );
        Err(Error::usage(message).at(self.source.path()))
    }

    /// Renames a key of an INI section.
    pub(super) fn rename_key(&self, section: Option<&str>, key: &str) -> Result<Plan, Error> {
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
            let message = format!("line {line}: there is already a key '{name}'");
            return Err(Error::usage(message).at(self.source.path()));
        }
        let first = without_end(lines_with_ends(line).next().unwrap_or_default());
        let LineKind::Key(parts) = self.ini_line(first) else {
            return Err(Error::usage("this is not a key"));
        };
        let new = [&line[..parts.name.start], &content, &line[parts.name.end..]].concat();
        if self.key_of(&new).as_ref() != Some(&name)
            || !self.is_line_of(&new, &name)
            || name.starts_with('[')
            || has_wide_edges(&content)
            || self.reads_back(&new) != self.reads_back(line)
        {
            return Err(self.no_name(&name));
        }
        let start = place.span.start();
        let at = Span::new(start + parts.name.start as u64, start + parts.name.end as u64);
        Ok(self.put(&Place::new(at, place.line, Shape::Value(place.span)), content))
    }

    /// Returns the error for text that cannot be the name of a key.
    fn no_name(&self, name: &str) -> Error {
        let message = format!("'{}' would not be the name of a key", name.escape_debug());
        Error::usage(message).at(self.source.path())
    }

    /// Returns the new value, which must be on one line. In `set`, it may be empty.
    pub(super) fn one_line_value(&self) -> Result<Vec<u8>, Error> {
        let is_set = self.request.operation == Operation::Set;
        let content = if is_set { self.content_or_nothing()? } else { self.exact_content()? };
        if content.contains(&b'\n') && is_set {
            return Err(Error::usage("set takes a value of one line, but the content has several"));
        }
        if content.contains(&b'\n') {
            return Err(Error::usage("--value accepts one line, but the content has several")
                .hint("remove --value  # and give whole lines, with the key"));
        }
        let dialect = self.source.format().ini_dialect();
        if !matches!(dialect, IniDialect::Git | IniDialect::Systemd) && has_wide_edges(&content) {
            let message = "the value begins or ends with whitespace that some programs remove";
            return Err(Error::usage(message).at(self.source.path()));
        }
        Ok(content)
    }

    /// Replaces the value of a key on some lines.
    pub(super) fn replace_value(&self, place: &Place, lines: Span) -> Result<Plan, Error> {
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
        Err(self.not_as_it_is(&content).at(self.source.path()))
    }

    /// Checks that the new line of a key still contains that key, and that content in an INI
    /// section does not begin another section.
    pub(super) fn check_keys(&self, content: &[u8]) -> Result<(), Error> {
        match &self.request.target {
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
    pub(super) fn check_no_marker(&self, content: &[u8]) -> Result<(), Error> {
        if self.force || !self.source.format().has(Feature::Keys) {
            return Ok(());
        }
        let read = Outline::of(content, self.source.format(), Default::default());
        let Some(first) = read.sections().first() else { return Ok(()) };
        let (line, name) = (first.lines().start(), read.text(0));
        let name = String::from_utf8_lossy(&name).into_owned();
        let message = format!("line {line} of the content would begin another section: '{name}'");
        Err(Error::new(Code::StructureChanged, message)
            .at(self.source.path())
            .hint(Hint::flag(["--force"]).why("to do it anyway")))
    }

    pub(super) fn check_no_side(&self) -> Result<(), Error> {
        if self.request.side.is_none() {
            return Ok(());
        }
        Err(Error::usage(
            "a new key is added after the others; --before and --after cannot be used with --key",
        ))
    }

    /// Returns the error for content that is not a line of the key. If it is a single line, it may
    /// be meant as the value.
    fn no_line_of(&self, key: &str, content: &[u8]) -> Error {
        let message = format!("the content is not a line that sets the key '{key}'");
        let error = Error::usage(message).at(self.source.path());
        let mut target = self.request.target.clone();
        if without_end(content).contains(&b'\n') || content.contains(&b'=') {
            return error.hint(format!("such a line looks like: {key} = VALUE"));
        }
        if let Some(Part::Key { value, .. }) = &mut target {
            *value = true;
        }
        let value = hints::of_target(self.request, target.as_ref(), self.request.scope.as_deref());
        error.hint(value.why("as its value"))
    }

    /// Returns the error for a value that the parser would read differently.
    fn not_as_it_is(&self, content: &[u8]) -> Error {
        let shown = String::from_utf8_lossy(content);
        let error = Error::usage(format!("the value '{shown}' would be read as something else"));
        if self.request.operation == Operation::Set {
            return match self.with_quotes(content) {
                Some(hint) => error.hint(hint.why("to give the whole line, with quotes")),
                None => error,
            };
        }
        error.hint("remove --value  # and give the whole line, with the quotes that it needs")
    }

    /// Returns the command that writes the whole line of an INI key, with the value quoted.
    fn with_quotes(&self, value: &[u8]) -> Option<Hint> {
        let Some(Part::Key { section, key, .. }) = &self.request.target else { return None };
        let name = key.split_once('[').map_or(key.as_str(), |(name, _)| name);
        let bytes = [name.as_bytes(), b" = \"", value, b"\""].concat();
        let exists = self.key(section.as_deref(), key, false).is_ok();
        let may_exist = exists || self.ini_section(section.as_deref()).is_ok();
        if !may_exist || self.reads_back(&bytes) != value {
            return None;
        }
        let operation = if exists { Operation::Replace } else { Operation::Insert };
        let content = Some(Content { bytes, file: None });
        let target = Part::Key { section: section.clone(), key: key.clone(), value: false };
        let request = Request { operation, content, ..self.request.clone() };
        Some(hints::of_target(&request, Some(&target), self.request.scope.as_deref()))
    }

    /// Inserts a new key into an INI section, after its existing keys.
    pub(super) fn insert_key(
        &self,
        section: Option<&str>,
        key: &str,
        value: bool,
    ) -> Result<Plan, Error> {
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
            Some(last) if last.is_open => return Err(misses::open_key(last, self.source.path())),
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
            plan.details.push(format!("as a key named '{key}'"));
        }
        Ok(plan)
    }

    /// Fails if a key follows the marker of a section on its line, as in git's files.
    fn check_marker(&self, section: Option<usize>) -> Result<(), Error> {
        let Some(index) = section else { return Ok(()) };
        let number = self.source.outline().sections()[index].lines().start();
        let line = without_end(self.source.line(number));
        let LineKind::Marker(at) = self.ini_line(line) else { return Ok(()) };
        match line[at.end..].trim_ascii().first() {
            None | Some(b'#' | b';') => Ok(()),
            Some(_) => {
                let message =
                    format!("line {number}: a key on the line of its section is not supported");
                Err(Error::usage(message).at(self.source.path()))
            }
        }
    }

    /// Returns the line of a new key: the given line, or a line with the given value in the style
    /// of an existing key.
    pub(super) fn key_line(
        &self,
        key: &str,
        value: bool,
        model: Option<LineRange>,
    ) -> Result<Vec<u8>, Error> {
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
            return Err(self.no_name(key));
        }
        let (written, value) = self.source.format().ini_dialect().encoded(&content, false);
        let mut line = line_of(&written);
        if content.is_empty() {
            line.truncate(line.trim_ascii_end().len());
        }
        match self.reads_back(&line) == value && self.is_line_of(&line, key) {
            true => Ok(line),
            false => Err(self.not_as_it_is(&content).at(self.source.path())),
        }
    }

    pub(super) fn key_exists(&self, key: &str, lines: LineRange, line: &[u8]) -> Error {
        let span = self.source.span_of(lines);
        let there = self.source.bytes(span);
        let path = self.source.path();
        let at = lines.start();
        if there.trim_ascii() == line.trim_ascii() {
            let message = format!("the key '{key}' already exists on line {at}");
            return Error::new(Code::AlreadyApplied, message).at(path);
        }
        let replace = Request { operation: Operation::Replace, ..self.request.clone() };
        Error::usage(format!("the key '{key}' already exists on line {at}, with another value"))
            .at(path)
            .hint(hints::typed(&replace).why("to change it"))
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
    ) -> Result<&'o FrontMatter, Error> {
        if outline.front_matter().is_none() {
            self.check_no_opening()?;
        }
        outline.front_matter().ok_or_else(|| {
            let insert = Hint::command("patch", ["insert"]).and([self.source.path()]);
            let content = "---\nKEY: VALUE\n---";
            let insert = insert.and(["--whole-file", "--before", "--content", content]);
            Error::new(Code::TargetNotFound, "it has no front matter")
                .at(self.source.path())
                .hint(insert.why("to add it"))
        })
    }

    /// Fails if the text of the file begins as front matter does. It is invalid, or not at the
    /// start of the file.
    pub(super) fn check_no_opening(&self) -> Result<(), Error> {
        let (text, path) = (self.source.text(), self.source.path());
        let blanks = leading_blanks(text);
        let first = lines_with_ends(&text[blanks..]).next().unwrap_or_default().trim_ascii_end();
        let is_json = first.starts_with(b"{\"") || first == b"{";
        if first != b"---" && first != b"+++" && !is_json {
            return Ok(());
        }
        let opening = String::from_utf8_lossy(first);
        if blanks == 0 || front_matter::find(&text[blanks..]).is_none() {
            let line = self.source.line_of(self.source.start() + blanks as u64);
            let message = format!("line {line} is '{opening}', but begins no valid front matter");
            return Err(Error::new(Code::InvalidSyntax, message).at(path));
        }
        let line = self.source.line_of(self.source.start() + blanks as u64);
        let message = "front matter must begin at the start of line 1";
        let error = Error::new(Code::InvalidSyntax, format!("line {line}: {message}")).at(path);
        let delete = Hint::command("patch", ["delete"]);
        // The lines below become front matter, so the edit changes the structure.
        Err(error.hint(match LineRange::new(1, line - 1) {
            Some(above) => delete
                .and([display(path, Some(above))])
                .and(["--force"])
                .why("to delete the blank lines above it"),
            None => delete
                .and([display(path, Some(LineRange::line(1)))])
                .and(["--pattern", r"^[\s\u{feff}\u{200b}\u{2060}]+", "--force"])
                .why("to delete the blanks before it"),
        }))
    }
}

/// Returns the number of bytes of blanks at the start of a text, including a byte order mark and
/// spaces that are not visible.
fn leading_blanks(text: &[u8]) -> usize {
    let start = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let is_blank = |own: char| own.is_whitespace() || "\u{feff}\u{200b}\u{2060}".contains(own);
    start.len() - start.trim_start_matches(is_blank).len()
}
