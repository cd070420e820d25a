//! The options that select a target.

use std::ffi::OsString;
use std::path::Path;

use clap::{ArgAction, Args, Command};

use super::spell::Flag;
use crate::commands::shared_args::{ONCE, contradiction, empty_flag};
use folio_files::address::Address;
use folio_files::error::{Change, Code, Error, Hint, Opt};
use folio_files::options::{
    BODY, CODE_BLOCK, FENCES, HEADING, IN, KEY, LINES, NO_CHILDREN, PATTERN, SECTION, TEXT, VALUE,
};
use folio_outline::part::{Part, Query, QueryKind, SectionPart};
use folio_text::pattern::PatternOptions;
use folio_text::span::parse_line_ranges;

const TARGETS: &str = "Targets (one of them)";
const ABOUT_TARGETS: &str = "Target options";

/// The group of options that select a part. Only one of them may be given. Lines, sections and code
/// blocks are not in it, because some of them can be combined.
pub const PART: &str = "part";

/// The group of options that select a match of a text or pattern. In edits, they can be used
/// together with an option that selects a part; in reads, only with a section.
pub const MATCH: &str = "match";

/// A target, if there is one, and the section in which to look for it.
pub type Scoped<T = Option<Part>> = (T, Option<String>);

/// The options that select a target, in the order of the help. If an option that selects a part is
/// given several times, each of its values selects a part.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = TARGETS)]
pub struct TargetArgs {
    /// Lines: 10, 10-50, 10- (in read, also 50-60,100-110)
    #[arg(long, value_name = "RANGES", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = [PART, "section", "code_block"])]
    pub lines: Vec<String>,
    /// A section by its name
    #[arg(help = "A section, INI section or log entry: Install, 'Guide > Install', 'Setup[2]'")]
    #[arg(short = 's', long, value_name = "NAME", allow_hyphen_values = true)]
    #[arg(conflicts_with = PART)]
    pub section: Vec<String>,
    /// A section without its heading, or a log entry without its first line
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, group = PART)]
    pub body: Vec<String>,
    /// In patch, the heading line; in read, the whole section
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, group = PART)]
    pub heading: Vec<String>,
    /// The contents of code block N (from 0), LANG:N; in read, LANG:all, or a symbol with --section
    #[arg(long, value_name = "N", allow_hyphen_values = true, conflicts_with = PART)]
    pub code_block: Vec<String>,
    /// Table N (the first is 0)
    #[arg(long, value_name = "N", group = PART)]
    pub table: Vec<usize>,
    /// The heading or anchor with this ID
    #[arg(long, value_name = "ID", allow_hyphen_values = true, group = PART)]
    pub anchor: Vec<String>,
    /// The front matter of the file
    #[arg(long, group = PART)]
    pub front_matter: bool,
    /// The text STRING (in read, the first line that contains it)
    #[arg(short = 'T', long, value_name = "STRING", allow_hyphen_values = true)]
    #[arg(group = MATCH, conflicts_with = "target")]
    pub text: Vec<String>,
    /// The text that matches REGEX (in read, the first matching line)
    #[arg(short = 'e', long, value_name = "REGEX", allow_hyphen_values = true)]
    #[arg(group = MATCH, conflicts_with = "target")]
    pub pattern: Vec<String>,
    /// A target in JSON, such as {"heading":"## Install"}
    #[arg(long, value_name = "JSON", allow_hyphen_values = true, group = PART)]
    pub target: Vec<String>,

    /// Look for the target only in this section
    #[arg(id = "in", long, value_name = "SECTION", allow_hyphen_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE, help_heading = ABOUT_TARGETS)]
    pub within: Option<String>,
    /// Exclude nested sections
    #[arg(long, help_heading = ABOUT_TARGETS)]
    pub no_children: bool,
    /// The entry at a key path, or a key of --section or --front-matter
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, help_heading = ABOUT_TARGETS)]
    pub key: Vec<String>,
    /// Only the value of --key
    #[arg(long, help_heading = ABOUT_TARGETS)]
    pub value: bool,
    /// Include the fences of --code-block
    #[arg(long, help_heading = ABOUT_TARGETS)]
    pub fences: bool,
    /// Pattern for lines that begin a log entry (default: a time, ^\[LOG-)
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true, help_heading = ABOUT_TARGETS)]
    pub section_pattern: Vec<String>,
    /// In JSON: whether to include nested sections.
    #[arg(skip)]
    pub include_children: Option<bool>,
}

/// Removes the short form of `--case-sensitive`. In commands with these options, `-s` selects a
/// section.
pub fn with_letters(command: Command) -> Command {
    command.mut_arg("case_sensitive", |flag| flag.short(None))
}

impl TargetArgs {
    /// Treats the ID in a single address as the key, as in `FILE#a.b --value`, if no key is given.
    pub fn take_key(&mut self, addresses: &mut [OsString], exists: impl Fn(&Path) -> bool) {
        let ([operand], [], false) = (addresses, &self.key[..], self.front_matter) else { return };
        let address = Address::parse(operand, exists);
        if let Ok(Address { path, part: Part::Anchor(key), .. }) = address {
            self.key.push(key);
            *operand = path.into();
        }
    }

    /// Returns these options once for each combination of the parts that they select.
    pub(super) fn combinations(self) -> Vec<Self> {
        let combinations = expand_values(vec![self], |args| &mut args.section);
        let combinations = expand_values(combinations, |args| &mut args.lines);
        let combinations = expand_values(combinations, |args| &mut args.body);
        let combinations = expand_values(combinations, |args| &mut args.heading);
        let combinations = expand_values(combinations, |args| &mut args.code_block);
        let combinations = expand_values(combinations, |args| &mut args.table);
        let combinations = expand_values(combinations, |args| &mut args.anchor);
        let combinations = expand_values(combinations, |args| &mut args.target);
        let combinations = expand_values(combinations, |args| &mut args.key);
        let combinations = expand_values(combinations, |args| &mut args.text);
        expand_values(combinations, |args| &mut args.pattern)
    }

    /// Returns the target. Each option selects at most one part.
    pub(super) fn part_or_match(&self, patterns: PatternOptions) -> Result<Option<Part>, Error> {
        if let Some(text) = self.lines.first().filter(|_| !self.front_matter) {
            if let Some(flag) = self.match_flag() {
                return Err(contradiction(LINES, flag));
            }
            let ranges = parse_line_ranges(text)
                .map_err(|message| Error::new(Code::InvalidRange, format!("{LINES}: {message}")))?;
            return Ok(Some(Part::Lines(ranges)));
        }
        let (source, kind) = match (self.text.first(), self.pattern.first()) {
            (Some(text), _) => (text, QueryKind::Text),
            (None, Some(pattern)) => (pattern, QueryKind::Pattern),
            (None, None) => return self.part(),
        };
        Ok(Some(query(source, kind, patterns)?.within(self.part()?)))
    }

    /// Returns the target, or `None` if it consists of lines, or of a text or pattern. Each option
    /// selects at most one part.
    pub(super) fn part(&self) -> Result<Option<Part>, Error> {
        let (key, section, value) = (self.key.first(), self.section.first(), self.value);
        if self.front_matter {
            return Ok(Some(Part::FrontMatter { key: key.cloned(), value }));
        }
        if let Some(key) = key.cloned() {
            return Ok(Some(Part::Key { section: section.cloned(), key, value }));
        }
        if let Some(block) = self.code_block.first() {
            let (language, index) = code_block(block)?;
            let symbol = section.cloned();
            return Ok(Some(Part::CodeBlock { language, index, fences: self.fences, symbol }));
        }
        let sections = [
            (section, SectionPart::Whole),
            (self.body.first(), SectionPart::Body),
            (self.heading.first(), SectionPart::Heading),
        ];
        if let Some((name, part)) =
            sections.into_iter().find_map(|(name, part)| Some((name?, part)))
        {
            let children = if self.no_children { Some(false) } else { self.include_children };
            return Ok(Some(Part::Section { name: name.clone(), part, children }));
        }
        let anchor = self.anchor.first().map(|id| id.strip_prefix('#').unwrap_or(id).to_owned());
        Ok(self.table.first().copied().map(Part::Table).or(anchor.map(Part::Anchor)))
    }

    /// If the only target is all code blocks, removes it and returns their language. `Some(None)`
    /// if they may have any language.
    pub fn take_all_code_blocks(&mut self) -> Option<Option<String>> {
        let [text] = &self.code_block[..] else { return None };
        let (language, number) = language_and_number(text);
        let language = ["all", "*"].contains(&number).then(|| language.map(str::to_owned))?;
        self.code_block.clear();
        Some(language)
    }

    /// Returns the option for a text or pattern, if one is given.
    pub fn match_flag(&self) -> Option<Opt> {
        let flags = [(&self.text, TEXT), (&self.pattern, PATTERN)];
        flags.iter().find_map(|(values, flag)| (!values.is_empty()).then_some(*flag))
    }

    /// Fails if an option modifies another option that is not given.
    pub(super) fn refuse_strays(&self) -> Result<(), Error> {
        let matches = self.match_flag().is_some();
        for (name, flag) in [(self.within.as_ref(), IN), (self.section.first(), SECTION)] {
            if name.is_some_and(|name| name.trim().is_empty()) {
                return Err(empty_flag(flag));
            }
        }
        let section =
            [&self.section, &self.body, &self.heading].iter().any(|values| !values.is_empty());
        let keyed = !self.section.is_empty() && (!self.key.is_empty() || matches);
        let is_block = !self.code_block.is_empty();
        let checks = [
            (
                self.no_children && (!section || keyed),
                NO_CHILDREN,
                format!("{SECTION}, {BODY} or {HEADING}"),
            ),
            (self.fences && !is_block, FENCES, CODE_BLOCK.to_string()),
            (self.value && self.key.is_empty(), VALUE, KEY.to_string()),
        ];
        if is_block && self.fences && !self.section.is_empty() {
            return Err(contradiction(FENCES, format!("a symbol ({SECTION})")));
        }
        if is_block && self.no_children {
            return Err(contradiction(NO_CHILDREN, CODE_BLOCK));
        }
        match checks.into_iter().find(|(stray, ..)| *stray) {
            Some((_, flag, needs)) => Err(Error::usage(format!("{flag} needs {needs}"))),
            None => Ok(()),
        }
    }
}

/// Returns options once for each value of one of them. Options without this value remain.
fn expand_values<T: Clone>(
    args_list: Vec<TargetArgs>,
    values: impl Fn(&mut TargetArgs) -> &mut Vec<T>,
) -> Vec<TargetArgs> {
    let mut expanded = Vec::new();
    for mut args in args_list {
        match std::mem::take(values(&mut args)) {
            given if given.is_empty() => expanded.push(args),
            given => expanded.extend(given.into_iter().map(|value| {
                let mut args = args.clone();
                *values(&mut args) = vec![value];
                args
            })),
        }
    }
    expanded
}

/// Creates a target for a text or pattern. Fails if the text is empty.
pub fn query(source: &str, kind: QueryKind, patterns: PatternOptions) -> Result<Part, Error> {
    if source.is_empty() {
        return Err(empty_flag(kind.flag()));
    }
    Ok(Part::Match(Query::new(source, kind, patterns)))
}

/// Returns a target, and the section in which to look for it. If the target is a key, the section
/// becomes part of the target. Lines, front matter and the whole file cannot be restricted to a
/// section.
pub fn scoped(mut target: Part, scope: Option<String>) -> Result<Scoped, Error> {
    let Some(name) = scope else { return Ok((Some(target), None)) };
    match &mut target {
        Part::Key { section: Some(_), .. } => {
            return Err(contradiction(IN, format!("both {SECTION} and {KEY}")));
        }
        Part::Key { section, .. } => {
            *section = Some(name);
            return Ok((Some(target), None));
        }
        Part::Lines(_) => {
            return Err(contradiction(IN, LINES).hint(
                Hint::again([Change::remove(IN)]).why("line numbers are those of the file"),
            ));
        }
        Part::Whole | Part::FrontMatter { .. } => {
            return Err(contradiction(IN, target.flag()));
        }
        Part::Match(query) => {
            if let Some(part) = query.within.take() {
                let (part, scope) = scoped(*part, Some(name))?;
                query.within = part.map(Box::new);
                return Ok((Some(target), scope));
            }
        }
        _ => {}
    }
    Ok((Some(target), Some(name)))
}

/// Parses the value of `--code-block`, which is `N` or `LANG:N`, into a language and a number.
fn code_block(text: &str) -> Result<(Option<String>, usize), Error> {
    let (language, number) = language_and_number(text);
    let index = number.parse().map_err(|_| {
        let error = Error::usage(format!("{CODE_BLOCK}: '{text}' is not the number of a block"));
        let language = match (language, number) {
            (Some(language), _) => language,
            (None, "all" | "*") => "bash",
            (None, language) => language,
        };
        error.hint(Hint::with_value(CODE_BLOCK, "0").why("blocks are counted from 0")).hint(
            Hint::with_value(CODE_BLOCK, format!("{language}:0")).why("among those of a language"),
        )
    })?;
    Ok((language.map(str::to_owned), index))
}

/// Splits the value of `--code-block` into a language, if there is one, and the rest.
fn language_and_number(text: &str) -> (Option<&str>, &str) {
    let (language, number) = text.rsplit_once(':').unwrap_or(("", text));
    (Some(language).filter(|language| !language.is_empty()), number)
}
