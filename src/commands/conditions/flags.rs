//! The options for conditions, which several commands share.

use std::ops::Deref;

use clap::{ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::commands::json;
use crate::commands::shared_args::ONCE;
use folio_files::error::Error;
use folio_text::logs::LogLevel;
use folio_text::pattern::Case;

/// The group of all conditions.
pub const GROUP: &str = "ConditionArgs";

/// Stands for `--path` without a pattern. Users cannot type NUL.
pub const NO_PATTERN: &str = "\0";

/// Whether an option of the group is a condition for rules. `--path` without a pattern is not one,
/// and rules name `--public` apart, because `inspect` can also apply it to outlines.
pub fn is_condition(matches: &ArgMatches, id: &str) -> bool {
    let has_pattern =
        || matches.get_raw(id).is_some_and(|mut values| values.any(|value| value != NO_PATTERN));
    match id {
        "public" => false,
        "path" => has_pattern(),
        _ => true,
    }
}

/// Whether an option is in the group of conditions.
pub fn is_in_group(id: &str) -> bool {
    let group = Conditions::augment_args(Command::new("conditions"));
    group
        .get_arguments()
        .any(|argument| argument.get_id() == id && argument.get_help_heading() == Some(HEADING))
}

/// The heading of these options in the help.
pub const HEADING: &str = "Selecting parts that meet all conditions (folio help selecting)";

/// The kind of a part.
#[derive(ValueEnum, JsonSchema, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[schemars(rename = "KindArg", rename_all = "kebab-case", inline)]
pub enum PartKind {
    /// Headings, log entries, INI sections and symbols (the default)
    Section,
    /// Headings with their sections; grep searches only the heading lines
    Heading,
    /// Log entries
    Entry,
    /// INI sections
    Marker,
    /// Keys of INI files and of front matter
    Key,
    /// Functions, methods and tests in source code
    Function,
    /// Methods in source code
    Method,
    /// Types in source code
    Type,
    /// Traits and interfaces
    Interface,
    /// Implementations (impl)
    Impl,
    /// Modules and namespaces
    Module,
    /// Constants and variables outside of functions
    Constant,
    /// Fields and variants
    Member,
    /// Macros
    Macro,
    /// Tests
    Test,
    /// Rules of makefiles
    Target,
    /// Stages of Dockerfiles
    Stage,
    /// Tables, views and other objects of SQL
    Object,
    /// Fenced code blocks
    Code,
    /// Tables
    Table,
    /// Front matter
    FrontMatter,
    /// Whole files
    File,
}

/// The level of a log entry.
#[derive(
    ValueEnum, JsonSchema, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord,
)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub enum LevelArg {
    /// All levels
    Trace,
    /// Debugging
    Debug,
    /// Information and notices
    Info,
    /// Warnings
    Warn,
    /// Errors
    Error,
    /// Critical and fatal errors, alerts
    Fatal,
}

impl LevelArg {
    /// Returns the level.
    pub fn level(self) -> LogLevel {
        match self {
            Self::Trace => LogLevel::Trace,
            Self::Debug => LogLevel::Debug,
            Self::Info => LogLevel::Info,
            Self::Warn => LogLevel::Warn,
            Self::Error => LogLevel::Error,
            Self::Fatal => LogLevel::Fatal,
        }
    }

    /// Returns the name on the command line.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// Conditions on parts. A part must meet all of them (folio help selecting).
#[derive(Args, Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[command(next_help_heading = HEADING)]
#[group(id = GROUP)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schemars(rename = "ConditionArgs", extend("minProperties" = 1))]
pub struct Conditions {
    /// Select parts by name: headings, log entries, INI sections, keys
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "OneOrMany<String>")]
    pub matching: Vec<String>,
    /// Select parts whose heading path matches, such as '^Guide > Install'
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "OneOrMany<String>")]
    pub path: Vec<String>,
    /// Select headings of these levels: 2, 2-3 or 2-
    #[arg(long, value_name = "LEVELS", allow_hyphen_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    #[serde(deserialize_with = "level")]
    #[schemars(with = "Option<Levels>")]
    pub level: Option<String>,
    /// Exclude headings in block quotes, list items and footnotes
    #[arg(long)]
    pub top_level: bool,
    /// Select parts of these kinds: heading, key, code, table, function, type, …
    #[arg(
        long,
        value_name = "KIND",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    #[serde(deserialize_with = "kinds")]
    #[schemars(with = "OneOrMany<PartKind>")]
    pub kind: Vec<PartKind>,
    /// In source code, select only public symbols
    #[arg(long)]
    pub public: bool,
    /// Select code blocks in this language
    #[arg(long, value_name = "LANG", allow_hyphen_values = true, value_delimiter = ',')]
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "OneOrMany<String>")]
    pub lang: Vec<String>,
    /// Select parts that contain a section or a key with a matching name
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "OneOrMany<String>")]
    pub having: Vec<String>,
    /// Select parts that contain no section or key with a matching name
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "OneOrMany<String>")]
    pub not_having: Vec<String>,
    /// Select parts with a matching line, except in code and HTML comments
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "OneOrMany<String>")]
    pub containing: Vec<String>,
    /// Select parts that do not contain a matching line
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "OneOrMany<String>")]
    pub lacking: Vec<String>,
    /// With --containing and --lacking, also search code blocks
    #[arg(long)]
    pub include_code: bool,
    /// With --containing and --lacking, also search HTML comments
    #[arg(long)]
    pub include_comments: bool,
    /// Select parts of files that have KEY (with a matching value)
    #[arg(long, value_name = "KEY[=REGEX]", allow_hyphen_values = true)]
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "OneOrMany<String>")]
    pub with_key: Vec<String>,
    /// Select parts of files without KEY, or without a value that matches
    #[arg(long, value_name = "KEY[=RE]", allow_hyphen_values = true)]
    #[serde(deserialize_with = "texts")]
    #[schemars(with = "OneOrMany<String>")]
    pub without_key: Vec<String>,
    /// Select log entries and headings dated TIME (yesterday, -2h) or later
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub since: Option<String>,
    /// Select log entries and headings dated later than TIME
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub later_than: Option<String>,
    /// Select log entries and headings dated TIME or earlier
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub until: Option<String>,
    /// Select log entries of LEVEL (info, warn, error, …) or above
    #[arg(long, value_name = "LEVEL", value_enum, hide_possible_values = true)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub level_at_least: Option<LevelArg>,
    /// Exclude parts that contain another selected part
    #[arg(long)]
    pub innermost: bool,
    /// Select parts whose name, without markup, is repeated in the file
    #[arg(long)]
    pub repeated: bool,
    /// With --repeated, compare names with their markup
    #[arg(long)]
    pub by_source: bool,
    /// Select only the first part in each file
    #[arg(long, conflicts_with_all = ["last", "nth"])]
    pub first: bool,
    /// Select only the last part in each file
    #[arg(long, conflicts_with = "nth")]
    pub last: bool,
    /// Select only the Nth part in each file (the first is 1)
    #[arg(long, value_name = "N", action = ArgAction::Append, group = ONCE)]
    #[schemars(range(min = 1))]
    pub nth: Option<u64>,
    /// Apply --repeated, --first, --last and --nth to all files together
    #[arg(long)]
    pub across: bool,
    /// Names of sections, as in `--section`. The part must be a section that has each of these
    /// names, or a key in it.
    #[arg(skip)]
    #[serde(skip)]
    pub sections: Vec<String>,
    /// In JSON: whether patterns ignore letter case.
    #[arg(skip)]
    pub ignore_case: bool,
    /// How letter case is compared. There is no separate option for this.
    #[arg(skip)]
    #[serde(skip)]
    pub case: Case,
}

/// [`Conditions`] for commands that are usually run without conditions. Such a command is first
/// built without these options, so that it starts faster. It then has no conditions.
#[derive(Clone, Debug, Default)]
pub struct RareConditionArgs(Conditions);

impl Deref for RareConditionArgs {
    type Target = Conditions;

    fn deref(&self) -> &Conditions {
        &self.0
    }
}

impl Args for RareConditionArgs {
    fn augment_args(command: Command) -> Command {
        Conditions::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for RareConditionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, clap::Error> {
        // If the command has these options, each switch among them has a value.
        if matches.ids().any(|id| id == "innermost") {
            Conditions::from_arg_matches_mut(matches).map(Self)
        } else {
            Ok(Self::default())
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        Self::from_arg_matches(matches).map(|taken| *self = taken)
    }
}

impl Conditions {
    /// Returns the conditions with the given case sensitivity.
    pub fn conditions(&self, case: Case) -> Self {
        let case = if self.ignore_case { Case::Insensitive } else { case };
        Self { case, ..self.clone() }
    }
}

/// Parses the value of `select`.
///
/// # Errors
///
/// Fails if the value is not an object of conditions, if it is empty, or if conditions exclude each
/// other.
pub fn selected(value: Value, case: Case) -> Result<Conditions, Error> {
    let args: Conditions =
        serde_json::from_value(value).map_err(|error| json::misread("select", &error))?;
    if [args.first, args.last, args.nth.is_some()].iter().filter(|is_set| **is_set).count() > 1 {
        return Err(Error::usage("select: only one of first, last and nth can be used"));
    }
    let conditions = args.conditions(case);
    if !conditions.is_given() {
        let like = r#"it looks like {"matching":"^Install","containing":"sudo"}"#;
        return Err(Error::usage("select: there is no condition").hint(like));
    }
    conditions.check()?;
    Ok(conditions)
}

/// One value, or a list of values.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    Ok(match Option::deserialize(from)? {
        None => Vec::new(),
        Some(OneOrMany::One(text)) => vec![text],
        Some(OneOrMany::Many(texts)) => texts,
    })
}

fn kinds<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<PartKind>, D::Error> {
    let names = PartKind::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
    let named = |name: &String| {
        let message = || format!("unknown kind '{name}': it is one of {}", names.join(", "));
        PartKind::from_str(name, false).map_err(|_| D::Error::custom(message()))
    };
    texts(from)?.iter().map(named).collect()
}

/// A level, or a range of levels as on the command line.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum Levels {
    One(#[schemars(range(min = 1, max = 6))] u8),
    Range(String),
}

fn level<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<Levels>::deserialize(from)?.map(|level| match level {
        Levels::One(level) => level.to_string(),
        Levels::Range(range) => range,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_may_be_one_text_or_several() {
        let conditions = json!({
            "matching": "^A", "containing": ["x", "y"], "level": 2, "kind": ["heading", "entry"],
            "withKey": "status=done", "last": true, "ignoreCase": true});
        let expected = Conditions {
            matching: vec!["^A".to_owned()],
            containing: vec!["x".to_owned(), "y".to_owned()],
            level: Some("2".to_owned()),
            kind: vec![PartKind::Heading, PartKind::Entry],
            with_key: vec!["status=done".to_owned()],
            last: true,
            ignore_case: true,
            case: Case::Insensitive,
            ..Conditions::default()
        };
        assert_eq!(selected(conditions, Case::default()).expect("conditions"), expected);
    }

    #[test]
    fn errors_name_the_problem() {
        let message =
            |conditions| selected(conditions, Case::default()).expect_err("an error").to_string();
        assert!(message(json!({})).contains("no condition"));
        assert!(message(json!({"match": "x"})).contains("match"));
        assert!(message(json!({"kind": "page"})).contains("unknown kind 'page'"));
        assert!(message(json!({"first": true, "nth": 2})).contains("only one"));
        assert!(message(json!({"matching": "x", "nth": 0})).contains("--nth starts at 1"));
    }
}
