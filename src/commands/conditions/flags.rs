//! Conditions as flags, the same for every command that takes them.

use std::ops::Deref;

use clap::{ArgMatches, Args, Command, FromArgMatches, ValueEnum};

use super::{Conditions, KeyCondition, Kind, Pick};
use crate::text::pattern::Case;

const HEADING: &str = "Selecting parts (conditions add up; folio help selecting)";

/// `--kind`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindArg {
    /// Headings, log entries and INI sections (the default)
    Section,
    /// Headings with their sections
    Heading,
    /// Log entries
    Entry,
    /// INI sections
    Marker,
    /// Keys of INI files and of front matter
    Key,
    /// Fenced code blocks
    Code,
    /// Tables
    Table,
    /// Front matter
    FrontMatter,
    /// Whole files
    File,
}

impl KindArg {
    /// The one that is called so.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::from_str(name, false).ok()
    }

    /// What they are called.
    pub(super) fn names() -> Vec<String> {
        let values = Self::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        values.map(|value| value.get_name().to_owned()).collect()
    }

    pub(super) fn kinds(self) -> Vec<Kind> {
        match self {
            Self::Section => Kind::SECTIONS.to_vec(),
            Self::Heading => vec![Kind::Heading],
            Self::Entry => vec![Kind::Entry],
            Self::Marker => vec![Kind::Marker],
            Self::Key => vec![Kind::Key],
            Self::Code => vec![Kind::Code],
            Self::Table => vec![Kind::Table],
            Self::FrontMatter => vec![Kind::FrontMatter],
            Self::File => vec![Kind::File],
        }
    }
}

/// The flags, in the order of help.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = HEADING)]
pub struct ConditionArgs {
    /// Parts whose names match: headings, entries' lines, INI sections, keys
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub matching: Vec<String>,
    /// Parts whose names, behind those of the sections around them, match: '^Guide > Install'
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub path: Vec<String>,
    /// Headings of these levels: 2, 2-3, 2-
    #[arg(long, value_name = "LEVELS", allow_hyphen_values = true)]
    pub level: Option<String>,
    /// Parts of these kinds
    #[arg(long, value_name = "KIND", value_enum, value_delimiter = ',')]
    pub kind: Vec<KindArg>,
    /// Code blocks in this language
    #[arg(long, value_name = "LANG", allow_hyphen_values = true, value_delimiter = ',')]
    pub lang: Vec<String>,
    /// Parts with a section below them, or a key in them, whose name matches
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub having: Vec<String>,
    /// Parts without one
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub not_having: Vec<String>,
    /// Parts with a line that matches, from their first line to their last, all sections below
    /// included; not in code blocks and HTML comments
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub containing: Vec<String>,
    /// Parts without such a line
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true)]
    pub lacking: Vec<String>,
    /// Let --containing and --lacking look in code blocks too
    #[arg(long)]
    pub include_code: bool,
    /// Let them look in HTML comments too
    #[arg(long)]
    pub include_comments: bool,
    /// Parts of files with this key in their front matter, and a value that matches; alone:
    /// these files
    #[arg(long, value_name = "KEY[=REGEX]", allow_hyphen_values = true)]
    pub with_key: Vec<String>,
    /// Parts of Markdown files without this key; alone: these files
    #[arg(long, value_name = "KEY", allow_hyphen_values = true)]
    pub without_key: Vec<String>,
    /// Entries and headings whose line names this time or a later one: 2026-01-05, '2026-01-05
    /// 10:00'
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Entries and headings whose line names this time or an earlier one; a day is all of it
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Of selected parts that hold one another only the innermost
    #[arg(long)]
    pub innermost: bool,
    /// Parts whose name another part that is selected in the file has too
    #[arg(long)]
    pub repeated: bool,
    /// The first part in each file
    #[arg(long, conflicts_with_all = ["last", "nth"])]
    pub first: bool,
    /// The last part in each file
    #[arg(long, conflicts_with = "nth")]
    pub last: bool,
    /// The Nth part in each file, from 1
    #[arg(long, value_name = "N")]
    pub nth: Option<u64>,
    /// Take all files together for --repeated, --first, --last and --nth
    #[arg(long)]
    pub across: bool,
}

/// The same for commands whose every run they would cost much: a command that is built
/// for update has none of them, and then they are as if not given.
#[derive(Clone, Debug, Default)]
pub struct RareConditionArgs(ConditionArgs);

impl Deref for RareConditionArgs {
    type Target = ConditionArgs;

    fn deref(&self) -> &ConditionArgs {
        &self.0
    }
}

impl Args for RareConditionArgs {
    fn augment_args(command: Command) -> Command {
        ConditionArgs::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl FromArgMatches for RareConditionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // A switch has a value wherever it is built.
        match matches.ids().any(|id| id == "innermost") {
            true => ConditionArgs::from_arg_matches(matches).map(Self),
            false => Ok(Self::default()),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        Self::from_arg_matches(matches).map(|taken| *self = taken)
    }
}

impl ConditionArgs {
    /// What these flags ask for.
    pub fn conditions(&self, case: Case) -> Conditions {
        let mut kind: Vec<Kind> = self.kind.iter().flat_map(|kind| kind.kinds()).collect();
        kind.sort();
        kind.dedup();
        Conditions {
            matching: self.matching.clone(),
            path: self.path.clone(),
            level: self.level.clone(),
            kind,
            lang: self.lang.clone(),
            having: self.having.clone(),
            not_having: self.not_having.clone(),
            containing: self.containing.clone(),
            lacking: self.lacking.clone(),
            include_code: self.include_code,
            include_comments: self.include_comments,
            with_key: self.with_key.iter().map(|typed| KeyCondition::typed(typed)).collect(),
            without_key: self.without_key.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            innermost: self.innermost,
            repeated: self.repeated,
            pick: match (self.first, self.last, self.nth) {
                (true, ..) => Some(Pick::First),
                (_, true, _) => Some(Pick::Last),
                (_, _, number) => number.map(Pick::Nth),
            },
            across: self.across,
            case,
        }
    }
}
