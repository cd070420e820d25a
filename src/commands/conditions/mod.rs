//! Selects parts of documents by conditions on their names, their contents, and the sections that
//! contain them. The commands that list, read, search and edit parts share the same conditions.

mod bodies;
mod candidates;
pub mod flags;
mod miss;
mod nested;
pub mod scan;
mod selector;
mod tally;
mod times;

pub use candidates::SelectedPart;
pub use flags::{Conditions, PartKind};
pub use selector::{Parts, Selector};
pub use tally::Tally;
pub use times::latest_time;

use crate::commands::shared_args::{contradiction, empty_flag};
use folio_files::error::{Error, Hint};
use folio_files::options::{
    ACROSS, BY_SOURCE, CONTAINING, FIRST, HAVING, INCLUDE_CODE, INCLUDE_COMMENTS, KIND, LACKING,
    LANG, LAST, LEVEL, MATCHING, NOT_HAVING, NTH, PATH, PUBLIC, REPEATED, TOP_LEVEL, WITH_KEY,
    WITHOUT_KEY,
};
use folio_outline::outline::SymbolKind;

/// Selects one of several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The first part.
    First,
    /// The last part.
    Last,
    /// The part with this number, from 1.
    Nth(u64),
}

impl PartKind {
    /// The kinds of sections.
    pub const SECTIONS: [Self; 16] = [
        Self::Heading,
        Self::Entry,
        Self::Marker,
        Self::Function,
        Self::Method,
        Self::Type,
        Self::Interface,
        Self::Impl,
        Self::Module,
        Self::Constant,
        Self::Member,
        Self::Macro,
        Self::Test,
        Self::Target,
        Self::Stage,
        Self::Object,
    ];

    /// Returns the kind of a symbol.
    pub(super) fn of_symbol(kind: SymbolKind) -> Self {
        match kind {
            SymbolKind::Function => Self::Function,
            SymbolKind::Method => Self::Method,
            SymbolKind::Type => Self::Type,
            SymbolKind::Interface => Self::Interface,
            SymbolKind::Implementation => Self::Impl,
            SymbolKind::Module => Self::Module,
            SymbolKind::Constant => Self::Constant,
            SymbolKind::Member => Self::Member,
            SymbolKind::Macro => Self::Macro,
            SymbolKind::Test => Self::Test,
            SymbolKind::Target => Self::Target,
            SymbolKind::Stage => Self::Stage,
            SymbolKind::Object => Self::Object,
        }
    }

    /// Returns the name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Section => "section",
            Self::File => "file",
            Self::FrontMatter => "front-matter",
            Self::Heading => "heading",
            Self::Entry => "entry",
            Self::Marker => "marker",
            Self::Function => "function",
            Self::Method => "method",
            Self::Type => "type",
            Self::Interface => "interface",
            Self::Impl => "impl",
            Self::Module => "module",
            Self::Constant => "constant",
            Self::Member => "member",
            Self::Macro => "macro",
            Self::Test => "test",
            Self::Target => "target",
            Self::Stage => "stage",
            Self::Object => "object",
            Self::Key => "key",
            Self::Code => "code",
            Self::Table => "table",
        }
    }

    /// Whether parts of this kind are symbols of source code.
    fn is_symbol(self) -> bool {
        let is_other = matches!(self, Self::Heading | Self::Entry | Self::Marker);
        Self::SECTIONS.contains(&self) && !is_other
    }

    /// Whether a part of this kind may contain other parts with names.
    fn has_children(self) -> bool {
        matches!(self, Self::File | Self::Key) || Self::SECTIONS.contains(&self)
    }
}

impl Conditions {
    /// Whether there are any conditions.
    pub fn is_given(&self) -> bool {
        let (case, ignore_case) = (self.case, self.ignore_case);
        *self != Self { case, ignore_case, ..Self::default() }
    }

    /// Adds the condition that a part is the entry with this key path.
    pub fn add_key(&mut self, section: Option<&str>, key: &str) {
        self.kind = vec![PartKind::Key];
        let key = regex_syntax::escape(key);
        if let Some(section) = section {
            self.sections.push(section.to_owned());
            // Excludes keys that are not in an INI section.
            self.path.push(format!(" > {key}$"));
        }
        self.matching.push(format!("^{key}$"));
    }

    /// Returns the part to pick from the remaining parts, if only one part is requested.
    fn pick(&self) -> Option<Pick> {
        match (self.first, self.last, self.nth) {
            (true, ..) => Some(Pick::First),
            (_, true, _) => Some(Pick::Last),
            (_, _, number) => number.map(Pick::Nth),
        }
    }

    /// Whether all parts with a repeated name are selected, not only one of them.
    pub fn shows_repeated(&self) -> bool {
        self.repeated && self.pick().is_none()
    }

    /// Returns the kinds in `--kind`.
    fn listed_kinds(&self) -> Vec<PartKind> {
        let kinds = self.kind.iter().flat_map(|kind| match kind {
            PartKind::Section => PartKind::SECTIONS.to_vec(),
            PartKind::Function => vec![PartKind::Function, PartKind::Method, PartKind::Test],
            kind => vec![*kind],
        });
        let mut kinds: Vec<PartKind> = kinds.collect();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    /// Whether conditions apply to the time or the level of entries.
    pub(super) fn is_of_entries(&self) -> bool {
        [&self.since, &self.later_than, &self.until].into_iter().any(Option::is_some)
            || self.level_at_least.is_some()
    }

    /// Returns the kinds of parts to select.
    pub fn kinds(&self) -> Vec<PartKind> {
        let names = [&self.matching, &self.path, &self.having, &self.not_having];
        let texts = [&self.containing, &self.lacking];
        let is_of_parts = names.iter().chain(&texts).any(|values| !values.is_empty())
            || !self.sections.is_empty()
            || self.is_of_entries();
        let is_of_files = !self.with_key.is_empty() || !self.without_key.is_empty();
        match () {
            () if !self.kind.is_empty() => self.listed_kinds(),
            () if !self.lang.is_empty() => vec![PartKind::Code],
            () if self.level.is_some() || self.top_level => vec![PartKind::Heading],
            () if is_of_files && !is_of_parts => vec![PartKind::File],
            () => PartKind::SECTIONS.to_vec(),
        }
    }

    /// Checks the conditions without reading a file.
    ///
    /// # Errors
    ///
    /// Fails if conditions exclude each other, or if a pattern is empty or invalid.
    pub fn check(&self) -> Result<(), Error> {
        self.check_kinds()?;
        let texts = [
            (&self.matching, MATCHING),
            (&self.path, PATH),
            (&self.lang, LANG),
            (&self.having, HAVING),
            (&self.not_having, NOT_HAVING),
            (&self.containing, CONTAINING),
            (&self.lacking, LACKING),
        ];
        let empty = texts.iter().find(|(values, _)| values.iter().any(String::is_empty));
        if let Some((_, flag)) = empty {
            return Err(empty_flag(flag));
        }
        for (keys, flag) in [(&self.with_key, WITH_KEY), (&self.without_key, WITHOUT_KEY)] {
            if keys.iter().any(|key| key.is_empty() || key.starts_with('=')) {
                return Err(empty_flag(flag));
            }
        }
        let has_text = !self.containing.is_empty() || !self.lacking.is_empty();
        let counts = self.repeated || self.pick().is_some();
        let needs = [
            (self.include_code && !has_text, INCLUDE_CODE, format!("{CONTAINING} or {LACKING}")),
            (
                self.include_comments && !has_text,
                INCLUDE_COMMENTS,
                format!("{CONTAINING} or {LACKING}"),
            ),
            (self.across && !counts, ACROSS, format!("{REPEATED}, {FIRST}, {LAST} or {NTH}")),
            (self.by_source && !self.repeated, BY_SOURCE, REPEATED.to_string()),
        ];
        if let Some((_, flag, other)) = needs.iter().find(|(stray, ..)| *stray) {
            return Err(Error::usage(format!("{flag} needs {other}")));
        }
        match self.pick() {
            Some(Pick::Nth(0)) => Err(Error::usage(format!("{NTH} starts at 1"))),
            _ => Selector::new(self, Vec::new()).map(drop),
        }
    }

    /// Fails if a condition excludes all parts of the selected kinds.
    fn check_kinds(&self) -> Result<(), Error> {
        let kinds = self.kinds();
        let below = !self.having.is_empty() || !self.not_having.is_empty();
        let flag = if self.having.is_empty() { NOT_HAVING } else { HAVING };
        let needs = [
            (self.level.is_some() && !kinds.contains(&PartKind::Heading), LEVEL, "heading"),
            (self.top_level && !kinds.contains(&PartKind::Heading), TOP_LEVEL, "heading"),
            (!self.lang.is_empty() && !kinds.contains(&PartKind::Code), LANG, "code"),
            (self.public && !kinds.iter().any(|kind| kind.is_symbol()), PUBLIC, "function"),
            (below && !kinds.iter().any(|kind| kind.has_children()), flag, "heading"),
        ];
        match needs.iter().find(|(stray, ..)| *stray) {
            Some((_, flag, kind)) => {
                let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                let option = format!("{KIND} {}", names.join(","));
                let option = match () {
                    () if !self.kind.is_empty() => option,
                    () if !self.lang.is_empty() => LANG.to_string(),
                    () if self.level.is_some() => LEVEL.to_string(),
                    () if !self.with_key.is_empty() => WITH_KEY.to_string(),
                    () if !self.without_key.is_empty() => WITHOUT_KEY.to_string(),
                    () => TOP_LEVEL.to_string(),
                };
                let error = contradiction(flag, option);
                // No kind has both a level or nested sections and a language, or both a level and
                // visibility.
                let has_level = self.level.is_some() || self.top_level;
                let is_code = !self.lang.is_empty();
                if (has_level || below) && is_code || self.public && (has_level || is_code) {
                    Err(error)
                } else {
                    Err(error.hint(Hint::with_value(KIND, *kind)))
                }
            }
            None => Ok(()),
        }
    }
}
/// Splits `KEY=VALUE` at the first equals sign that is not in a name in quotes or in brackets.
fn key_and_value(condition: &str) -> (&str, Option<&str>) {
    let (mut quote, mut is_inside, mut begins) = (None, false, true);
    let separator = condition.find(|character: char| {
        match (character, quote) {
            ('"' | '\'', None) if begins => quote = Some(character),
            (closing, Some(open)) if closing == open => quote = None,
            ('[' | ']', None) => is_inside = character == '[',
            _ => {}
        }
        begins = matches!(character, '.' | '[') || is_inside && character == '=';
        character == '=' && quote.is_none() && !is_inside
    });
    // A quote or bracket that is not closed is part of a name.
    match separator {
        Some(at) => (&condition[..at], Some(&condition[at + 1..])),
        None if quote.is_some() || is_inside => {
            condition.split_once('=').map_or((condition, None), |(key, value)| (key, Some(value)))
        }
        None => (condition, None),
    }
}
