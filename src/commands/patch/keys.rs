//! Plans edits of keys in INI sections and front matter. A value must read back as
//! given.

use super::hints;
use super::place::{Place, Planner, Value};
use super::plan::Plan;
use super::{Content, Operation, Request, Target};
use crate::commands::misses;
use crate::commands::target::SectionPart;
use crate::error::{Candidate, Code, Error, Hint};
use crate::text::content;
use crate::text::format::{Feature, Format};
use crate::text::lines::{lines_with_ends, without_end};
use crate::text::markdown::front_matter::{self, FrontMatter, FrontMatterFormat};
use crate::text::outline::Outline;
use crate::text::sections::{self, LineKind};
use crate::text::span::LineRange;

impl Planner<'_> {
    /// The value, which must be on one line.
    pub(super) fn one_line_value(&self) -> Result<Vec<u8>, Error> {
        let content = self.exact_content()?;
        if content.contains(&b'\n') && self.request.operation == Operation::Set {
            return Err(Error::usage("set takes a value of one line, but the content has several"));
        }
        if content.contains(&b'\n') {
            return Err(Error::usage("--value takes one line, but the content has several")
                .hint("leave --value out  # and give whole lines, with the key"));
        }
        Ok(content)
    }

    /// Replaces a value. A value that would not read back as given, for example in YAML, is quoted.
    pub(super) fn replace_value(&self, place: &Place, value: &Value) -> Result<Plan, Error> {
        let content = self.one_line_value()?;
        let lines = self.source.bytes(value.lines);
        let start = (place.span.start() - value.lines.start()) as usize;
        let end = (place.span.end() - value.lines.start()) as usize;
        let quote = lines[..start].last().copied().filter(|byte| matches!(byte, b'"' | b'\''));
        let written = match &value.front_matter {
            None => content.clone(),
            Some((found, _, key)) => front_matter_value(&content, found.format, key.in_flow, quote),
        };
        for (before, after) in [("", ""), (" ", ""), ("", " "), (" ", " ")] {
            let text = [before.as_bytes(), &written, after.as_bytes()].concat();
            let line = [&lines[..start], &text, &lines[end..]].concat();
            let is_glued =
                start > 0 && matches!(lines[start - 1], b'=' | b':') && before.is_empty();
            let is_read_back = match &value.front_matter {
                None => key_of(&line) == key_of(lines) && reads_back(&line) == content,
                Some((found, all, key)) => {
                    let at = |offset: u64| (offset - all.start()) as usize;
                    let old = self.source.bytes(*all);
                    let (before, after) = (at(place.span.start()), at(place.span.end()));
                    let new = [&old[..before], &text, &old[after..]].concat();
                    let is_yaml = found.format == FrontMatterFormat::Yaml;
                    !(is_yaml && is_glued) && found.has_value_in(&new, &key.name, &content)
                }
            };
            if is_read_back {
                return Ok(self.put(place, text));
            }
        }
        Err(self.not_as_it_is(&content).at(self.source.path()))
    }

    /// Checks that the replacement of a key is a line of that key, and that content in an INI
    /// section does not begin another section.
    pub(super) fn check_keys(&self, content: &[u8]) -> Result<(), Error> {
        match &self.request.target {
            Some(Target::Section { part: SectionPart::Body, .. }) => self.check_no_marker(content),
            Some(Target::Key { key, .. }) => {
                let name = key.split_once('[').map_or(key.as_str(), |(name, _)| name);
                match is_line_of(content, name) {
                    true => Ok(()),
                    false => Err(self.no_line_of(name, " = ", content)),
                }
            }
            Some(Target::FrontMatter { key: Some(key), .. }) => {
                let outline = self.source.outline();
                let found = self.front_matter_of(outline)?;
                let format = found.format;
                // The line of a nested key contains only its last name.
                let is_top = found.keys.iter().any(|own| own.name == *key);
                let own = key.rsplit('.').next().filter(|_| !is_top).unwrap_or(key);
                match keys_of(content, format)[..] == [own] {
                    true => Ok(()),
                    false => Err(self.no_line_of(own, separator_of(format), content)),
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
        let read = Outline::of(content, Format::Ini, Default::default());
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

    /// The error for content that is not a line of the key. If it is a single line, it may be
    /// intended as the value.
    fn no_line_of(&self, key: &str, separator: &str, content: &[u8]) -> Error {
        let message = format!("the content is not a line of the key '{key}'");
        let error = Error::usage(message).at(self.source.path());
        let mut target = self.request.target.clone();
        if without_end(content).contains(&b'\n')
            || content.contains(&separator.trim().as_bytes()[0])
        {
            return error.hint(format!("such a line is like: {key}{separator}VALUE"));
        }
        if let Some(Target::Key { value, .. } | Target::FrontMatter { value, .. }) = &mut target {
            *value = true;
        }
        let value = hints::of_target(self.request, target.as_ref(), self.request.scope.as_deref());
        error.hint(value.why("as its value"))
    }

    /// The error for a value that would not read back as given.
    fn not_as_it_is(&self, content: &[u8]) -> Error {
        let shown = String::from_utf8_lossy(content);
        let error = Error::usage(format!("the value '{shown}' would be read as something else"));
        if self.request.operation == Operation::Set {
            return match self.with_quotes(content) {
                Some(hint) => error.hint(hint.why("to give the whole line, with quotes")),
                None => error,
            };
        }
        error.hint("leave --value out  # and give the whole line, with the quotes that it needs")
    }

    /// The command that writes the whole line of an INI key, with the value quoted.
    fn with_quotes(&self, value: &[u8]) -> Option<Hint> {
        let Some(Target::Key { section, key, .. }) = &self.request.target else { return None };
        let name = key.split_once('[').map_or(key.as_str(), |(name, _)| name);
        let bytes = [name.as_bytes(), b" = \"", value, b"\""].concat();
        let exists = self.key(section.as_deref(), key, false).is_ok();
        let may_exist = exists || self.ini_section(section.as_deref()).is_ok();
        if !may_exist || reads_back(&bytes) != value {
            return None;
        }
        let operation = if exists { Operation::Replace } else { Operation::Insert };
        let content = Some(Content { bytes, file: None });
        let target = Target::Key { section: section.clone(), key: key.clone(), value: false };
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
        let index = self.ini_section(section)?;
        let outline = self.source.outline();
        let mut keys = outline.keys().iter().filter(|other| other.section == index);
        let line = self.key_line(key, value, None)?;
        if let Some(there) = keys.clone().find(|other| other.name == key) {
            return Err(self.key_exists(key, there.lines, &line));
        }
        let model = keys.next_back();
        let (after, line) = match model {
            Some(last) if last.is_open => return Err(misses::open_key(last, self.source.path())),
            Some(last) => {
                let line = self.key_line(key, value, Some(last.lines))?;
                (last.lines.end(), self.beside(line, last.lines.start()))
            }
            None => (index.map_or(0, |index| outline.sections()[index].lines().start()), line),
        };
        Ok(self.insert_after_line(after, &line))
    }

    /// The line of a new key: as given, or built from its value in the style of an existing key.
    pub(super) fn key_line(
        &self,
        key: &str,
        value: bool,
        model: Option<LineRange>,
    ) -> Result<Vec<u8>, Error> {
        if !value {
            let line = self.content()?;
            return match is_line_of(&line, key) {
                true => Ok(line),
                false => Err(self.no_line_of(key, " = ", &line)),
            };
        }
        let content = self.one_line_value()?;
        let mut separator = b" = ".to_vec();
        if let Some(lines) = model {
            let text = self.source.line(lines.start());
            if let LineKind::Key(parts) = sections::ini_line(without_end(text)) {
                let between = &text[parts.name.end..parts.value.start.max(parts.name.end)];
                let marks: Vec<u8> =
                    between.iter().copied().filter(|byte| !matches!(byte, b'"' | b'\'')).collect();
                separator = if marks.is_empty() { separator } else { marks };
            }
        }
        let line_of = |value: &[u8]| [key.as_bytes(), &separator, value].concat();
        let model = line_of(b"v");
        // After a bracket, other parsers may read a section marker.
        let is_name = !key.starts_with('[') && key_of(&model).is_some_and(|own| own == key);
        if !is_name || !is_line_of(&model, key) {
            let message = format!("'{}' would not be the name of a key", key.escape_debug());
            return Err(Error::usage(message).at(self.source.path()));
        }
        let line = line_of(&content);
        match reads_back(&line) == content && is_line_of(&line, key) {
            true => Ok(line),
            false => Err(self.not_as_it_is(&content).at(self.source.path())),
        }
    }

    fn key_exists(&self, key: &str, lines: LineRange, line: &[u8]) -> Error {
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

    pub(super) fn insert_front_matter_key(&self, key: &str, value: bool) -> Result<Plan, Error> {
        self.check_no_side()?;
        let outline = self.source.outline();
        let found = self.front_matter_of(outline)?;
        self.check_own_lines(found.is_flow)?;
        let separator = separator_of(found.format);
        let line = if value {
            let content = self.one_line_value()?;
            let value = front_matter_value(&content, found.format, false, None);
            let name = found.format.written_key(key);
            [name.as_bytes(), separator.as_bytes(), &value].concat()
        } else {
            self.content()?
        };
        if let Some(there) = found.key(key) {
            return Err(self.key_exists(key, there.lines, &line));
        }
        if value {
            return self.add_front_matter_key(found, key);
        }
        if keys_of(&line, found.format) != [key] {
            return Err(self.no_line_of(key, separator, &line));
        }
        let line = content::indented(line.trim_ascii_start(), &vec![b' '; found.indent]);
        let after = match found.keys.last() {
            Some(last) if found.format == FrontMatterFormat::Toml => last.lines.end(),
            None if found.format == FrontMatterFormat::Toml => 1,
            _ => found.lines.end() - 1,
        };
        Ok(self.insert_after_line(after, &line))
    }
}

/// Whether lines of an INI file consist of one key only, and no section.
fn is_line_of(content: &[u8], key: &str) -> bool {
    let read = Outline::of(content, Format::Ini, Default::default());
    read.sections().is_empty()
        && matches!(read.keys(), [only] if only.name.eq_ignore_ascii_case(key))
}

fn separator_of(format: FrontMatterFormat) -> &'static str {
    match format {
        FrontMatterFormat::Yaml => ": ",
        FrontMatterFormat::Toml => " = ",
    }
}

/// The keys in lines of front matter.
fn keys_of(lines: &[u8], format: FrontMatterFormat) -> Vec<String> {
    let fence = match format {
        FrontMatterFormat::Yaml => &b"---\n"[..],
        FrontMatterFormat::Toml => b"+++\n",
    };
    let fenced = [fence, without_end(lines), b"\n", fence].concat();
    let found = front_matter::find(&fenced);
    found.map(|found| found.keys.into_iter().map(|key| key.name).collect()).unwrap_or_default()
}

impl Planner<'_> {
    /// Fails in a flow mapping, where only values can be edited: the lines of a key may contain
    /// other keys.
    pub(super) fn check_own_lines(&self, in_flow: bool) -> Result<(), Error> {
        if !in_flow {
            return Ok(());
        }
        let message = "this key is in a mapping in braces, where keys have no lines of their own";
        let error = Error::usage(message).at(self.source.path());
        let value = Hint::flag(["--value", "--content", "VALUE"]);
        Err(error
            .hint(value.why("to replace the value of a key that is there"))
            .hint("leave --key out  # and replace the front matter as a whole"))
    }

    /// The front matter, or an error if there is none.
    pub(super) fn front_matter_of<'o>(
        &self,
        outline: &'o Outline,
    ) -> Result<&'o FrontMatter, Error> {
        outline.front_matter().ok_or_else(|| {
            let insert = Hint::command("patch", ["insert"]).and([self.source.path()]);
            let content = "---\nKEY: VALUE\n---";
            let insert = insert.and(["--whole-file", "--before", "--content", content]);
            Error::new(Code::TargetNotFound, "it has no front matter")
                .at(self.source.path())
                .hint(insert.why("to add it"))
        })
    }

    /// Fails if a key occurs twice, because parsers disagree on which one counts.
    pub(super) fn check_only_key(&self, name: &str, found: &FrontMatter) -> Result<(), Error> {
        let same = found.keys.iter().filter(|key| key.name == name);
        let lines: Vec<u64> = same.map(|key| key.lines.start()).collect();
        let [_, second, ..] = lines[..] else { return Ok(()) };
        let some = misses::only_some(lines.len());
        let message = format!("{} keys '{name}' in the front matter{some}", lines.len());
        let candidate =
            |&line: &u64| Candidate { line, text: name.to_owned(), path: vec![name.to_owned()] };
        let delete = Hint::command("patch", ["delete"]).and([self.source.path()]);
        let delete = delete.and(["--lines".to_owned(), second.to_string()]);
        let mut error = Error::new(Code::TargetAmbiguous, message).at(self.source.path());
        error.candidates = lines.iter().take(misses::MAX_CANDIDATES).map(candidate).collect();
        Err(error.hint(delete.why("to leave one of them")))
    }

    pub(super) fn no_front_matter_key(&self, name: &str, found: &FrontMatter) -> Error {
        let names = misses::front_matter_names(found);
        let set = Hint::command("patch", ["set"]).and([self.source.path()]);
        let set = set.and(["--front-matter", "--key", name, "--content", "VALUE"]);
        Error::new(Code::TargetNotFound, format!("no key '{name}' in the front matter"))
            .at(self.source.path())
            .hint(format!("its keys are {}", names.join(", ")))
            .hint(set.why("to add it"))
    }
}

/// A value for front matter: inside existing quotes, or quoted if it would not read back as
/// given.
fn front_matter_value(
    content: &[u8],
    format: FrontMatterFormat,
    in_flow: bool,
    quote: Option<u8>,
) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(content) else { return content.to_vec() };
    match quote {
        Some(quote) => format.escaped(text, quote as char).into_bytes(),
        None => format.written(text, in_flow).into_bytes(),
    }
}

/// The key that a line defines, as it is parsed.
pub(super) fn key_of(line: &[u8]) -> Option<String> {
    let line = without_end(lines_with_ends(line).next().unwrap_or_default());
    match sections::ini_line(line) {
        LineKind::Key(parts) => Some(String::from_utf8_lossy(&line[parts.name]).into_owned()),
        _ => None,
    }
}

/// The value that a key's line defines, as it is parsed.
pub(super) fn reads_back(line: &[u8]) -> Vec<u8> {
    let line = without_end(line);
    match sections::ini_line(line) {
        LineKind::Key(parts) => line[parts.value].to_vec(),
        _ => Vec::new(),
    }
}
