//! Plans that set keys: what is there gets another value, what is not is made.

use super::place::{Edges, Place};
use super::plan::{Plan, Planner};
use super::{Side, Target};
use crate::error::{Code, Error};
use crate::text::content;
use crate::text::format::{Feature, Format};
use crate::text::markdown::front_matter::{self, FrontMatter, FrontMatterFormat, NewKey};
use crate::text::outline::{Outline, SectionKind};
use crate::text::target::{KeyMiss, find_key};

impl Planner<'_> {
    /// The key that is named gets a value.
    pub(super) fn set(&mut self) -> Result<Plan, Error> {
        match &self.request.target {
            Some(Target::Key { section, key, .. }) => self.set_key(section.as_deref(), key),
            Some(Target::FrontMatter { key: Some(key), .. }) => self.set_front_matter_key(key),
            _ => Err(Error::usage("set needs a key")),
        }
    }

    fn set_key(&mut self, section: Option<&str>, key: &str) -> Result<Plan, Error> {
        let index = match (self.finder().ini_section(section), section) {
            (Ok(index), _) => index,
            (Err(error), Some(name))
                if error.code == Code::TargetNotFound
                    && self.source.format().has(Feature::Keys) =>
            {
                return self.new_section(name, key);
            }
            (Err(error), _) => return Err(error),
        };
        let outline = self.source.outline()?;
        if let Err(KeyMiss::NotFound(_)) = find_key(&outline, index, key) {
            let has_keys = outline.keys().iter().any(|other| other.section == index);
            if index.is_some() || has_keys || outline.sections().is_empty() {
                return self.insert_key(section, key, true, None);
            }
            let model = outline.keys().last().map(|last| last.lines);
            let line = self.key_line(key, true, model)?;
            let whole = self.finder().whole()?;
            return self.insert_apart(&whole, Side::Before, &line, None);
        }
        let place = self.finder().key(section, key, true)?;
        self.value_at(&place)
    }

    /// A section of its own at the end, with the key.
    fn new_section(&mut self, name: &str, key: &str) -> Result<Plan, Error> {
        let name = name.trim();
        let name = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        let marker = format!("[{name}]");
        let outline = self.source.outline()?;
        let model = outline.keys().last().map(|last| last.lines);
        let line = self.key_line(key, true, model)?;
        let text = [marker.as_bytes(), b"\n", &line].concat();
        let read = Outline::of(&text, Format::Ini, Default::default());
        let is_one = read.sections().len() == 1 && read.marker(0) == marker.as_bytes();
        if !is_one || read.keys().first().is_none_or(|own| own.section != Some(0)) {
            let message = format!("'{name}' would not be the name of a section");
            return Err(Error::usage(message).at(self.source.path()));
        }
        let mut plan = {
            let whole = self.finder().whole()?;
            self.insert_apart(&whole, Side::After, &text, None)?
        };
        let other = |&index: &usize| {
            outline.sections()[index].kind() == SectionKind::Marker
                && outline.marker(index).eq_ignore_ascii_case(marker.as_bytes())
        };
        if let Some(index) = (0..outline.sections().len()).find(other) {
            let other = String::from_utf8_lossy(outline.marker(index)).into_owned();
            plan.warnings.push(format!("there is a section '{other}' too"));
        }
        Ok(plan)
    }

    /// A plan that replaces a value, whatever its place.
    fn value_at(&mut self, place: &Place) -> Result<Plan, Error> {
        match &place.shape {
            super::place::Shape::Value(value) => self.replace_value(place, value),
            _ => Err(Error::usage("set needs a key")),
        }
    }

    fn set_front_matter_key(&mut self, key: &str) -> Result<Plan, Error> {
        if !self.source.format().has(Feature::FrontMatter) {
            let message =
                format!("front matter is in Markdown, and this is {}", self.source.format().name());
            return Err(Error::usage(message).at(self.source.path()));
        }
        let outline = self.source.outline()?;
        let Some(found) = outline.front_matter() else {
            return self.new_front_matter(key);
        };
        if found.key(key).is_some() {
            let place = self.finder().front_matter(Some(key), true)?;
            return self.value_at(&place);
        }
        let new = found.new_key(key).ok_or_else(|| {
            let message = format!("what '{key}' would stand in has a value of its own");
            Error::usage(message).at(self.source.path())
        })?;
        if new.names == [key] {
            return self.insert_front_matter_key(key, true, None);
        }
        self.finder().check_own_lines(found.is_flow || new.in_flow)?;
        let lines = self.new_key_lines(&new, found.format)?;
        self.check_new_key(found, &new, &lines, key)?;
        self.insert_after_line(new.after, &lines)
    }

    /// Front matter with one key.
    fn new_front_matter(&mut self, key: &str) -> Result<Plan, Error> {
        let names = key.split('.').map(str::to_owned).collect();
        let new = NewKey { names, after: 1, indent: 0, in_flow: false, table: None };
        let lines = self.new_key_lines(&new, FrontMatterFormat::Yaml)?;
        let text = [b"---\n", &lines[..], b"---\n"].concat();
        if front_matter::find(&text).and_then(|found| found.key(key)).is_none() {
            return Err(Error::usage(format!("'{key}' would not be a key")));
        }
        let whole = self.finder().whole()?;
        let top = Place { edges: Edges::Around, ..whole };
        self.insert_apart(&top, Side::Before, &text, None)
    }

    /// The lines of a new key and of those that it stands in.
    fn new_key_lines(&self, new: &NewKey, format: FrontMatterFormat) -> Result<Vec<u8>, Error> {
        let value = self.one_line_value()?;
        let Ok(value) = std::str::from_utf8(&value) else {
            return Err(Error::usage("the value is not UTF-8"));
        };
        let value = format.written(value, new.in_flow);
        let mut text = String::new();
        let mut depth = new.indent;
        let (last, outer) = new.names.split_last().ok_or_else(|| Error::usage("no key"))?;
        if format == FrontMatterFormat::Toml {
            if let Some(table) = &new.table {
                text.push_str(&format!("\n[{table}]\n"));
            }
            text.push_str(&format!("{} = {value}\n", new.names.join(".")));
            return Ok(text.into_bytes());
        }
        for name in outer {
            text.push_str(&format!("{:depth$}{name}:\n", ""));
            depth += 2;
        }
        text.push_str(&format!("{:depth$}{last}: {value}\n", ""));
        Ok(text.into_bytes())
    }

    /// Front matter must have the key then, and all others as they are.
    fn check_new_key(
        &mut self,
        found: &FrontMatter,
        new: &NewKey,
        lines: &[u8],
        key: &str,
    ) -> Result<(), Error> {
        let span = self.source.span_of(found.lines)?;
        let old = self.source.bytes(span)?;
        let behind = self.source.line_start(new.after + 1)? - span.start();
        let (before, after) = old.split_at(behind as usize);
        let end = self.source.line_end_near(new.after)?;
        let lines = content::whole_lines(lines, end, Some(end));
        let text = [before, &lines, after].concat();
        let is_there = front_matter::find(&text).is_some_and(|new| {
            let has = |name: &String| new.key(name).is_some();
            new.key(key).is_some()
                && new.keys.len() >= found.keys.len()
                && found.nested_keys().iter().all(has)
        });
        match is_there {
            true => Ok(()),
            false => {
                Err(Error::usage(format!("'{key}' would not be a key here")).at(self.source.path()))
            }
        }
    }
}
