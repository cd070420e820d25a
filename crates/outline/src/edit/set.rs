//! Plans setting keys: changes the values of existing keys, and adds missing keys.

use super::keys::IniRefusal;
use super::place::{Place, Planner, Shape};
use super::plan::Plan;
use super::{Note, Refusal, Side};
use crate::format::Feature;
use crate::ini_keys::{KeyMiss, find_key, new_name};
use crate::outline::{IniKey, Outline, SectionKind};
use crate::part::Part;
use crate::target::{Matching, sections_named};
use folio_keys::path::split_index;
use folio_text::edit::{Edit, EditSet};
use folio_text::ini_dialect::IniDialect;
use folio_text::lines::{lines_with_ends, without_end};
use folio_text::sections::{self, IniParser, LineKind, indent};
use folio_text::span::{LineRange, Span};

impl Planner<'_> {
    /// Sets the value of the selected key.
    pub(super) fn set(&self) -> Result<Plan, Refusal> {
        match &self.request.part {
            Some(Part::Key { section, key, .. }) => self.set_key(section.as_deref(), key),
            _ => Err(Refusal::KeyNeeded),
        }
    }

    fn set_key(&self, section: Option<&str>, key: &str) -> Result<Plan, Refusal> {
        let index = match (self.ini_section(section), section) {
            (Ok(index), _) => index,
            (Err(miss), Some(name))
                if miss.is_missing()
                    && self.source.format().has(Feature::Keys)
                    && !self.request.is_optional
                    && !self.is_numbered(name) =>
            {
                return self.new_section(name, key);
            }
            (Err(miss), _) => return Err(miss.into()),
        };
        let outline = self.source.outline();
        let found = find_key(outline, index, key);
        if let Err(KeyMiss::NotFound(_)) = found {
            if let Some((base, _)) = split_index(key)
                && !matches!(find_key(outline, index, base), Err(KeyMiss::NotFound(_)))
            {
                return self.key(section, key, true).and_then(|place| self.value_at(&place));
            }
            let has_keys = outline.keys().iter().any(|other| other.section == index);
            // The first key before all sections would be another one than that of a section.
            let is_in_section = || outline.keys().iter().any(|other| other.name == key);
            if index.is_none() && !has_keys && is_in_section() {
                return self.key(section, key, true).and_then(|place| self.value_at(&place));
            }
            let key = &*new_name(key);
            if let Some(plan) = self.commented_key(index, key)? {
                return Ok(plan);
            }
            if index.is_some() || has_keys || self.may_precede_sections(key) {
                return self.insert_key(section, key, true);
            }
            self.key_line(key, true, None)?;
            return Err(self.ini(IniRefusal::NeedsSection(key.to_owned())));
        }
        let place = self.key(section, key, true)?;
        match found {
            Ok(own) if self.is_bare(own) => self.value_of_bare(&place, own),
            _ => self.value_at(&place),
        }
    }

    /// Whether the first key before all sections may be a new one.
    fn may_precede_sections(&self, key: &str) -> bool {
        let is_empty = self.source.outline().sections().is_empty();
        match self.source.format().ini_dialect() {
            IniDialect::Git | IniDialect::Systemd | IniDialect::Python => false,
            IniDialect::Line => is_empty || key == "root",
            _ => is_empty,
        }
    }

    /// Sets a missing key on the line of its section in which the key is commented out, such as
    /// `#Storage=auto`. Returns `None` unless there is exactly one such line.
    fn commented_key(&self, index: Option<usize>, key: &str) -> Result<Option<Plan>, Refusal> {
        let outline = self.source.outline();
        let first = outline.sections().first();
        let (start, end) = match (index, first) {
            (Some(index), _) => {
                let lines = outline.sections()[index].lines();
                (lines.start(), lines.end())
            }
            (None, Some(first)) => (1, first.lines().start() - 1),
            (None, None) => (1, self.source.total_lines()),
        };
        let span = match LineRange::new(start, end) {
            Some(lines) => self.source.span_of(lines),
            None => return Ok(None),
        };
        let mut examples =
            lines_with_ends(self.source.bytes(span)).zip(start..).filter_map(|(text, number)| {
                let text = without_end(text);
                let margin = indent(text);
                let line =
                    text[margin..].strip_prefix(b"#").or(text[margin..].strip_prefix(b";"))?;
                let LineKind::Key(parts) = self.ini_line(line) else {
                    return None;
                };
                let between = line.get(parts.name.end..parts.value.start)?;
                let is_own = parts.name == (0..key.len()) && line.starts_with(key.as_bytes());
                (is_own && between.contains(&b'=')).then_some((number, margin, line, parts))
            });
        let (Some((number, margin, line, parts)), None) = (examples.next(), examples.next()) else {
            return Ok(None);
        };
        let dialect = self.source.format().ini_dialect();
        let (written, value) = dialect.encoded(&self.one_line_value()?, false);
        let text = [&line[..parts.value.start], &written, &line[parts.value.end..]].concat();
        if self.key_of(&text).is_none_or(|own| own != key) || self.reads_back(&text) != value {
            return Ok(None);
        }
        let at = self.source.line_start(number) + margin as u64;
        let example = Span::new(at, at + 1 + line.len() as u64);
        // The line may be within the value of another key.
        let edit = EditSet::new(vec![Edit::new(example, text.clone())]);
        let edited = edit.ok().map(|edit| self.source.edited(&edit));
        let keys = edited.as_ref().map_or(0, |edited| edited.outline().keys().len());
        if keys != outline.keys().len() + 1 {
            return Ok(None);
        }
        let mut plan = self.put(&Place::new(example, number, Shape::Lines), text);
        plan.details.push(Note::CommentReplaced);
        Ok(Some(plan))
    }

    /// Whether a key has no separator, such as `skip-networking`.
    fn is_bare(&self, key: &IniKey) -> bool {
        self.key_of(self.source.line(key.lines.start())).is_none()
    }

    /// Adds a value to a bare key, in the style of the other keys.
    fn value_of_bare(&self, place: &Place, own: &IniKey) -> Result<Plan, Refusal> {
        let model = self.last_with_value();
        let line = self.key_line(&own.name, true, model)?;
        let span = self.source.span_of(own.lines);
        let name = indent(self.source.bytes(span)) + own.name.len();
        let end = span.start() + name as u64;
        let behind = Place { span: Span::new(end, end), ..place.clone() };
        Ok(self.put(&behind, line[own.name.len()..].to_vec()))
    }

    /// Returns the line of the last key with a separator. Makes one pass over the keys.
    fn last_with_value(&self) -> Option<LineRange> {
        let mut parser = IniParser::new(self.source.format().ini_dialect());
        let lines = lines_with_ends(self.source.text()).zip(1..);
        let keys = lines.filter(|(text, _)| {
            let is_key = matches!(parser.line(without_end(text)), LineKind::Key(_));
            is_key && self.key_of(text).is_some()
        });
        keys.last().map(|(_, line)| LineRange::line(line))
    }

    /// Whether a name such as `Peer[3]` selects one of several sections by its number. In
    /// EditorConfig, `x[12]` may be the name of a new section.
    fn is_numbered(&self, name: &str) -> bool {
        let Some((base, _)) = split_index(name) else { return false };
        self.source.format().ini_dialect() != IniDialect::Line
            || !sections_named(self.source.outline(), base, Matching::Exact).is_empty()
    }

    /// Whether a new section may have the brackets in its name, which may be given with those of
    /// its marker. Without them, brackets may be meant as those of a path. Most programs end the
    /// name at the first closing bracket.
    fn may_have_brackets(&self, name: &str) -> bool {
        let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let unquoted = inner.unwrap_or(name).split('"').next().unwrap_or_default();
        !unquoted.contains(['[', ']'])
            || match self.source.format().ini_dialect() {
                IniDialect::Line => true,
                IniDialect::Python | IniDialect::Indented => inner.is_some(),
                _ => false,
            }
    }

    /// Appends a new section with the key.
    fn new_section(&self, name: &str, key: &str) -> Result<Plan, Refusal> {
        let no_name = || Refusal::NoSectionName { name: name.as_bytes().to_vec() };
        if !self.may_have_brackets(name) {
            return Err(no_name());
        }
        let key = &*new_name(key);
        let marker = sections::marker_of(name.as_bytes()).ok_or_else(no_name)?;
        let marker = String::from_utf8_lossy(&marker).into_owned();
        let outline = self.source.outline();
        let model = outline.keys().last().map(|last| last.lines);
        let line = self.key_line(key, true, model)?;
        let text = [marker.as_bytes(), b"\n", &line].concat();
        let read = Outline::of(&text, self.source.format(), Default::default());
        let is_one = read.sections().len() == 1 && read.marker(0) == marker.as_bytes();
        if !is_one || read.keys().first().is_none_or(|own| own.section != Some(0)) {
            return Err(no_name());
        }
        let mut plan = self.insert_apart(&self.whole(), Side::After, &text)?.at_end_of(None);
        let other = |&index: &usize| {
            outline.sections()[index].kind() == SectionKind::Marker
                && outline.marker(index).eq_ignore_ascii_case(marker.as_bytes())
        };
        if let Some(index) = (0..outline.sections().len()).find(other) {
            let other = String::from_utf8_lossy(outline.marker(index)).into_owned();
            plan.warnings.push(Note::SimilarSection(other));
        }
        plan.details.push(Note::NewSection(marker));
        Ok(plan)
    }

    /// Replaces a value.
    fn value_at(&self, place: &Place) -> Result<Plan, Refusal> {
        match &place.shape {
            Shape::Value(lines) => self.replace_value(place, *lines),
            _ => Err(Refusal::KeyNeeded),
        }
    }
}
