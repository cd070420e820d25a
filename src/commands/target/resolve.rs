//! From targets to what they name in an outline; what is missed is told with the
//! nearest there is.

use std::path::Path;

use super::{Target, spell};
use crate::commands::misses;
use crate::error::{Code, Error, Hint};
use crate::files::address::display;
use crate::text::format::{Feature, Format};
use crate::text::markdown::front_matter::{FrontMatter, Key};
use crate::text::outline::{Code as CodeLines, Outline, Table};
use crate::text::span::LineRange;
use crate::text::target::{
    AnchorTarget, Matching, Miss, SectionIndex, find_anchor, find_indexed, find_key,
};

/// Lines around what `--search` finds, unless it is said.
pub const SEARCH_CONTEXT: u64 = 5;

/// Looks for what a request names in the outline of its document.
pub struct Resolver<'a> {
    /// The document's outline.
    pub outline: &'a Outline,
    /// Its sections by name, where many are looked for.
    pub names: Option<&'a SectionIndex>,
    /// The document.
    pub path: &'a Path,
    /// The target of the request.
    pub target: Option<&'a Target>,
    /// The section in which it is looked for.
    pub scope: Option<&'a str>,
    /// How freely names are matched.
    pub matching: Matching,
    /// The request with another target and scope.
    pub retry: &'a dyn Fn(Option<&Target>, Option<&str>) -> Hint,
}

impl<'a> Resolver<'a> {
    fn renamed(&self, flag: &str, value: &str) -> Hint {
        let (target, scope) = spell::renamed(self.target, self.scope, flag, value);
        (self.retry)(target.as_ref(), scope.as_deref())
    }

    fn within(&self, error: Error) -> Error {
        misses::within(error, self.scope)
    }

    /// The section that the scope names.
    pub fn scope_section(&self) -> Result<Option<usize>, Error> {
        self.scope.map(|name| self.any_section(name, None, "--in")).transpose()
    }

    /// Its lines.
    pub fn scope_lines(&self) -> Result<Option<LineRange>, Error> {
        let index = self.scope_section()?;
        Ok(index.map(|index| self.outline.sections()[index].lines()))
    }

    /// A section in the scope; `flag` is the one that named it.
    pub fn section(&self, name: &str, flag: &str) -> Result<usize, Error> {
        let scope = self.scope_lines()?;
        self.any_section(name, scope, flag).map_err(|error| self.within(error))
    }

    fn any_section(
        &self,
        name: &str,
        scope: Option<LineRange>,
        flag: &str,
    ) -> Result<usize, Error> {
        let found = find_indexed(self.outline, self.names, name, scope, self.matching);
        found.map_err(|miss| {
            let retry = |flag: &str, value: &str| self.renamed(flag, value);
            let error =
                misses::section_miss_for(&retry, self.outline, &miss, flag, name, self.path);
            match (&miss, self.matching) {
                // Who reads may take it by its lines, whatever its name is.
                (Miss::Ambiguous { candidates }, Matching::Relaxed) => {
                    let lines = self.outline.sections()[candidates[0]].lines();
                    let address = display(self.path, Some(lines));
                    error.hint(Hint::command("read", [address]).why("the same by its lines"))
                }
                _ => error,
            }
        })
    }

    /// A fenced code block in the scope.
    pub fn code_block(&self, language: Option<&str>, index: usize) -> Result<&'a CodeLines, Error> {
        let scope = self.scope_lines()?;
        let blocks: Vec<&CodeLines> = self
            .outline
            .code()
            .iter()
            .filter(|code| code.fenced)
            .filter(|code| scope.is_none_or(|scope| scope.contains(code.lines.start())))
            .filter(|code| language.is_none_or(|language| code.is_language(language)))
            .collect();
        blocks.get(index).copied().ok_or_else(|| {
            let kind = language.map(|language| format!("{language} ")).unwrap_or_default();
            let kind = format!("{kind}code block");
            misses::numbered_miss(&kind, "code", index, blocks.len(), self.scope, self.path)
        })
    }

    /// A table in the scope.
    pub fn table(&self, index: usize) -> Result<&'a Table, Error> {
        let scope = self.scope_lines()?;
        let is_inside = |table: &&Table| scope.is_none_or(|scope| scope.covers(table.lines));
        let tables: Vec<&Table> = self.outline.tables().iter().filter(is_inside).collect();
        tables.get(index).copied().ok_or_else(|| {
            misses::numbered_miss("table", "tables", index, tables.len(), self.scope, self.path)
        })
    }

    /// What an anchor leads to, in the scope; `retry` gives the request with
    /// another anchor.
    pub fn anchor(&self, id: &str, retry: &dyn Fn(&str) -> Hint) -> Result<AnchorTarget, Error> {
        let scope = self.scope_lines()?;
        let miss = |near: &[String]| misses::anchor_miss(retry, id, near, self.path);
        let found = find_anchor(self.outline, id).map_err(|near| miss(&near))?;
        let line = match found {
            AnchorTarget::Section(index) => self.outline.sections()[index].lines().start(),
            AnchorTarget::Line(line) => line,
        };
        match scope.is_none_or(|scope| scope.contains(line)) {
            true => Ok(found),
            false => Err(self.within(miss(&[]))),
        }
    }

    /// The index of the INI section of a key, if it has one.
    pub fn key_section(&self, section: Option<&str>) -> Result<Option<usize>, Error> {
        let format = self.outline.format();
        if format.has(Feature::Keys) {
            return section.map(|name| self.any_section(name, None, "--section")).transpose();
        }
        let message =
            format!("keys are in INI files and front matter, and this is {}", format.name());
        let error = Error::new(Code::TargetNotFound, message).at(self.path);
        if let Some(Target::Key { key, value, .. }) = self.target
            && self.outline.front_matter().is_some_and(|found| has_key(found, key))
        {
            let target = Target::FrontMatter { key: Some(key.clone()), value: *value };
            return Err(error.hint((self.retry)(Some(&target), None)));
        }
        if format.has(Feature::FrontMatter) {
            return Err(error.hint(Hint::command("inspect", [self.path]).why("what it has")));
        }
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        if !Format::may_be_ini(&name) {
            return Err(error);
        }
        let retry = (self.retry)(self.target, self.scope).and(["--as", "ini"]);
        Err(error.hint(retry.why("to take it for INI")))
    }

    /// The lines of a key of an INI section.
    pub fn key(&self, section: Option<&str>, key: &str) -> Result<LineRange, Error> {
        let index = self.key_section(section)?;
        let found = find_key(self.outline, index, key).map_err(|miss| {
            let retry = |flag: &str, value: &str| self.renamed(flag, value);
            misses::key_miss(&retry, self.outline, &miss, section, key, self.path)
        })?;
        match found.is_open {
            true => Err(misses::open_key(found, self.path)),
            false => Ok(found.lines),
        }
    }

    /// The front matter that there must be.
    pub fn front_matter(&self) -> Result<&'a FrontMatter, Error> {
        self.outline.front_matter().ok_or_else(|| {
            let inspect = Hint::command("inspect", [self.path]).why("what it has");
            Error::new(Code::TargetNotFound, "it has no front matter").at(self.path).hint(inspect)
        })
    }

    /// A key of front matter.
    pub fn front_matter_key(&self, name: &str) -> Result<Key, Error> {
        let found = self.front_matter()?;
        if let Some(key) = found.key(name) {
            return Ok(key);
        }
        let names = misses::front_matter_names(found);
        let message = format!("no key '{name}' in the front matter");
        Err(Error::new(Code::TargetNotFound, message).at(self.path).hint(match names.is_empty() {
            true => "it has no keys".to_owned(),
            false => format!("its keys are {}", names.join(", ")),
        }))
    }
}

fn has_key(front_matter: &FrontMatter, name: &str) -> bool {
    front_matter.key(name).is_some()
}
