//! Parts of documents that are selected by conditions: by their names, by what they contain and
//! by what stands around them. The commands that list, read, search and edit parts take the
//! same conditions and select the same parts by them.

mod bodies;
mod candidates;
pub mod flags;
mod miss;
pub mod scan;
mod selector;

pub use candidates::Part;
pub use selector::Selector;

use crate::commands::shared_args::{contradiction, empty_flag};
use crate::error::{Error, Hint};
use crate::text::pattern::Case;

/// What parts must be like. What is given adds up: a part meets all of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// Their names match.
    pub matching: Vec<String>,
    /// Their names with those of the sections around them match.
    pub path: Vec<String>,
    /// They are headings of these levels: `2`, `2-3`, `2-`.
    pub level: Option<String>,
    /// They are of one of these kinds.
    pub kind: Vec<Kind>,
    /// They are code in one of these languages.
    pub lang: Vec<String>,
    /// Sections below them, or keys, have names that match.
    pub having: Vec<String>,
    /// None below them has a name that matches.
    pub not_having: Vec<String>,
    /// Their texts match.
    pub containing: Vec<String>,
    /// Their texts do not match.
    pub lacking: Vec<String>,
    /// Code blocks are text too.
    pub include_code: bool,
    /// HTML comments are text too.
    pub include_comments: bool,
    /// Their files have these keys in their front matter, with values that match.
    pub with_key: Vec<KeyCondition>,
    /// Their files lack these keys.
    pub without_key: Vec<String>,
    /// Their first lines name no earlier time.
    pub since: Option<String>,
    /// Their first lines name no later time.
    pub until: Option<String>,
    /// They hold no other part that is selected.
    pub innermost: bool,
    /// Others that are selected in the same file have the same name.
    pub repeated: bool,
    /// Only one of those that are left.
    pub pick: Option<Pick>,
    /// Names and places are counted over all files together.
    pub across: bool,
    /// Whether case counts in all of these patterns.
    pub case: Case,
}

/// A key of front matter that must be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCondition {
    /// Its name.
    pub key: String,
    /// What its value matches.
    pub value: Option<String>,
}

impl KeyCondition {
    /// As it is typed: `KEY`, or `KEY=REGEX`.
    fn typed(text: &str) -> Self {
        let (key, value) =
            text.split_once('=').map_or((text, None), |(key, value)| (key, Some(value)));
        Self { key: key.to_owned(), value: value.map(str::to_owned) }
    }
}

/// Which of several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The first.
    First,
    /// The last.
    Last,
    /// The one with this number, from 1.
    Nth(u64),
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A whole file.
    File,
    /// Front matter.
    FrontMatter,
    /// A heading with its section.
    Heading,
    /// A log entry.
    Entry,
    /// A section of an INI file.
    Marker,
    /// A key of an INI file or of front matter.
    Key,
    /// A fenced code block.
    Code,
    /// A table.
    Table,
}

impl Kind {
    /// What begins a section, whatever the format.
    pub const SECTIONS: [Self; 3] = [Self::Heading, Self::Entry, Self::Marker];

    /// Its name as it is typed and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::FrontMatter => "front-matter",
            Self::Heading => "heading",
            Self::Entry => "entry",
            Self::Marker => "marker",
            Self::Key => "key",
            Self::Code => "code",
            Self::Table => "table",
        }
    }

    /// Whether parts with names may be below one.
    fn has_children(self) -> bool {
        self == Self::File || Self::SECTIONS.contains(&self)
    }
}

impl Conditions {
    /// Whether anything is asked for.
    pub fn is_given(&self) -> bool {
        *self != Self { case: self.case, ..Self::default() }
    }

    /// The kinds of parts that are meant.
    pub fn kinds(&self) -> Vec<Kind> {
        let names = [&self.matching, &self.path, &self.having, &self.not_having];
        let texts = [&self.containing, &self.lacking];
        let is_of_parts = names.iter().chain(&texts).any(|given| !given.is_empty())
            || self.since.is_some()
            || self.until.is_some();
        let is_of_files = !self.with_key.is_empty() || !self.without_key.is_empty();
        match () {
            () if !self.kind.is_empty() => self.kind.clone(),
            () if !self.lang.is_empty() => vec![Kind::Code],
            () if self.level.is_some() => vec![Kind::Heading],
            () if is_of_files && !is_of_parts => vec![Kind::File],
            () => Kind::SECTIONS.to_vec(),
        }
    }

    /// Fails where conditions contradict one another or say nothing.
    pub fn check(&self) -> Result<(), Error> {
        self.check_kinds()?;
        let texts = [
            (&self.matching, "--matching"),
            (&self.path, "--path"),
            (&self.lang, "--lang"),
            (&self.having, "--having"),
            (&self.not_having, "--not-having"),
            (&self.containing, "--containing"),
            (&self.lacking, "--lacking"),
            (&self.without_key, "--without-key"),
        ];
        let empty = texts.iter().find(|(given, _)| given.iter().any(String::is_empty));
        if let Some((_, flag)) = empty {
            return Err(empty_flag(flag));
        }
        if self.with_key.iter().any(|with| with.key.is_empty()) {
            return Err(empty_flag("--with-key"));
        }
        let has_text = !self.containing.is_empty() || !self.lacking.is_empty();
        let counts = self.repeated || self.pick.is_some();
        let needs = [
            (self.include_code && !has_text, "--include-code", "--containing or --lacking"),
            (self.include_comments && !has_text, "--include-comments", "--containing or --lacking"),
            (self.across && !counts, "--across", "--repeated, --first, --last or --nth"),
        ];
        if let Some((_, flag, other)) = needs.iter().find(|(stray, ..)| *stray) {
            return Err(Error::usage(format!("{flag} needs {other}")));
        }
        match self.pick {
            Some(Pick::Nth(0)) => Err(Error::usage("--nth starts at 1")),
            _ => Selector::new(self, Vec::new()).map(drop),
        }
    }

    /// Refuses what no part of the wanted kinds can be.
    fn check_kinds(&self) -> Result<(), Error> {
        let kinds = self.kinds();
        let below = !self.having.is_empty() || !self.not_having.is_empty();
        let flag = if self.having.is_empty() { "--not-having" } else { "--having" };
        let needs = [
            (self.level.is_some() && !kinds.contains(&Kind::Heading), "--level", "heading"),
            (!self.lang.is_empty() && !kinds.contains(&Kind::Code), "--lang", "code"),
            (below && !kinds.iter().any(|kind| kind.has_children()), flag, "heading"),
        ];
        match needs.iter().find(|(stray, ..)| *stray) {
            Some((_, flag, kind)) => {
                let given: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                let given = format!("--kind {}", given.join(","));
                let given = if self.kind.is_empty() { "--lang".to_owned() } else { given };
                Err(contradiction(flag, &given).hint(Hint::flag(["--kind", kind])))
            }
            None => Ok(()),
        }
    }
}
