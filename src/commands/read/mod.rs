//! `read`: the part of a document that an address or a target names.
//!
//! Parts that are told by line numbers or by the next match are found in one
//! pass that stops when they end; parts of the structure need the outline first.

pub mod args;
mod batch;
mod budget;
mod bytes;
mod content;
mod locate;
mod merge;
mod place;
mod reading;
pub mod report;
mod requests;
mod rest;
pub mod run;
mod several;
mod stream;
mod view;

use std::ffi::OsString;
use std::ops::Deref;

use self::args::ReadArgs;

use crate::commands::conditions::{Conditions, Kind};
use crate::commands::output::Style;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{self, Schema};
use crate::commands::schema;
use crate::commands::shared_args::{contradiction, section_patterns};
use crate::commands::target::Target;
use crate::commands::target::flags::Scoped;
use crate::error::{Code, Error, Hint};
use crate::files::address::{Address, Part};
use crate::files::document::DocumentOptions;
use crate::files::env::Env;
use crate::text::pattern::Pattern;
use crate::text::span::{LineRange, Span};

/// The JSON Schema of what is printed.
pub fn schema() -> String {
    schema::output(
        "read",
        "One line of JSON for each part.",
        &[schema::record::<report::PieceObject<'_>>],
    )
}

/// The JSON Schema of a line that `--batch` takes.
pub fn batch_schema() -> String {
    schema::input::<batch::BatchSchema>("batch", "read --batch")
}

impl request::Request for ReadArgs {
    const SCHEMAS: &'static [Schema] = &[("read", schema), ("batch", batch_schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(self, env, sink)
    }
}

/// The flags, and what they come to.
#[derive(Debug)]
pub struct Options {
    args: ReadArgs,
    /// The parts that are asked for of every address, each with the section to look for it in.
    selections: Vec<Scoped<Selection>>,
    /// What parts must be like: then addresses are the files in which they are looked for.
    conditions: Conditions,
    /// How documents are read.
    documents: DocumentOptions,
    /// Patterns of lines that begin entries, in place of `[LOG-`.
    entries: Vec<Pattern>,
}

impl Deref for Options {
    type Target = ReadArgs;

    fn deref(&self) -> &ReadArgs {
        &self.args
    }
}

impl Options {
    /// Fails where flags are wrong by themselves, before any file is opened.
    fn new(args: ReadArgs) -> Result<Self, Error> {
        let mut selections = args.selections()?;
        if selections.is_empty() {
            selections.push((Selection::Address, None));
        }
        let options = Self {
            selections,
            conditions: args.conditions(),
            documents: args.documents.options(),
            entries: section_patterns(&args.target.section_pattern)?,
            args,
        };
        options.documents.check()?;
        if options.addresses.is_empty()
            && options.addresses_from.is_none()
            && options.batch.is_none()
        {
            return Err(Error::usage("a file is needed")
                .hint(Hint::command("read", ["FILE"]))
                .hint(Hint::command("read", ["-"]).why("standard input")));
        }
        options.check_conditions()?;
        options.selections.iter().try_for_each(|(selection, _)| selection.check())?;
        Ok(options)
    }

    /// What is asked for, the first part of several.
    fn selection(&self) -> &Selection {
        &self.selections[0].0
    }

    /// Whether what is read is a list of addresses, in which none comes twice.
    fn is_address_list(&self) -> bool {
        self.addresses_from.is_some() || self.conditions.is_given()
    }

    /// Whether parts are looked for in standard input.
    fn selects_in_stdin(&self) -> bool {
        let is_stdin = |typed: &OsString| {
            Address::parse(typed, |_| false).is_ok_and(|address| address.is_stdin())
        };
        self.conditions.is_given() && self.addresses.iter().any(is_stdin)
    }

    fn is_text(&self, style: Style) -> bool {
        !style.json || self.shows_text
    }

    /// Whether parts of a file that touch or overlap are one: not where answers are tied to
    /// what asked for them.
    fn merges(&self, style: Style) -> bool {
        let is_tied = self.checksum || self.has_breadcrumbs() || self.batch.is_some();
        self.is_text(style) && !is_tied
    }

    /// Refuses a part beside conditions on parts.
    fn check_conditions(&self) -> Result<(), Error> {
        if !self.conditions.is_given() {
            return Ok(());
        }
        self.conditions.check()?;
        let is_of_files = self.conditions.kinds() == [Kind::File];
        match self.selection() {
            Selection::Address | Selection::SectionAround(None) => Ok(()),
            _ if is_of_files => Ok(()),
            other => {
                let flag = other.flag();
                let error = Error::usage(format!("{flag} and conditions both say which part"));
                Err(error.hint(format!("leave {flag} out  # selected parts are read whole")))
            }
        }
    }
}

/// One part to read.
#[derive(Clone, Debug)]
pub struct Request {
    /// The file, and the lines or anchor after its name.
    pub address: Address,
    /// What is wanted of it.
    pub selection: Selection,
    /// The section within which a target is looked for.
    pub scope: Option<String>,
}

/// What is wanted of a file.
#[derive(Clone, Debug, Default)]
pub enum Selection {
    /// What the address says.
    #[default]
    Address,
    /// From a line, that of the address unless given, to an end.
    From {
        /// The first line.
        start: Option<u64>,
        /// Where it ends.
        end: End,
    },
    /// The first lines.
    Head(u64),
    /// The last lines.
    Tail(u64),
    /// The innermost section that contains a line, that of the address unless given.
    SectionAround(Option<u64>),
    /// A target; of a code block or table, from a line of the file on.
    Target {
        /// The target.
        target: Target,
        /// The first line, where what is before it was read already.
        from: Option<u64>,
    },
}

impl Selection {
    fn check(&self) -> Result<(), Error> {
        match self {
            Self::From { end: End::Limit(0), .. } => {
                Err(Error::usage("--limit: '0' is not a number of 1 or more"))
            }
            Self::From { start: Some(0), .. }
            | Self::SectionAround(Some(0))
            | Self::Target { from: Some(0), .. } => {
                let message = "--from: line numbers start at 1, not 0";
                Err(Error::new(Code::InvalidRange, message))
            }
            Self::Target { target: Target::CodeBlock { .. } | Target::Table(_), .. } => Ok(()),
            Self::Target { target, from: Some(_) } => Err(contradiction("--from", target.flag())),
            _ => Ok(()),
        }
    }

    /// The flag that asks for it, for messages.
    fn flag(&self) -> &'static str {
        match self {
            Self::Address => "the address",
            Self::From { end, .. } => end.flag(),
            Self::Head(_) => "--head",
            Self::Tail(_) => "--tail",
            Self::SectionAround(_) => "--section-context",
            Self::Target { target, .. } => target.flag(),
        }
    }
}

/// Where a part ends that begins at a line.
#[derive(Clone, Debug)]
pub enum End {
    /// Before the next line that matches.
    ToNext {
        /// The pattern.
        pattern: Pattern,
        /// Whether lines of code blocks are passed over.
        outside_code: bool,
        /// Whether matches in HTML comments are passed over.
        outside_comments: bool,
    },
    /// With the innermost section that contains the first line.
    OfSection,
    /// After so many lines.
    Limit(u64),
    /// With the file.
    OfFile,
}

impl End {
    fn flag(&self) -> &'static str {
        match self {
            Self::ToNext { .. } => "--to-next",
            Self::OfSection => "--to-section-end",
            Self::Limit(_) => "--limit",
            Self::OfFile => "--from",
        }
    }
}

impl Request {
    /// Refuses an address and a selection that both say which part is meant, or
    /// neither.
    pub fn check(&self) -> Result<(), Error> {
        self.selection.check()?;
        let part = match &self.address.part {
            Part::Whole => None,
            Part::Lines(_) => Some("the lines of the address"),
            Part::Anchor(_) => Some("the anchor of the address"),
        };
        let flag = self.selection.flag();
        if self.address.bytes.is_some() && !matches!(self.selection, Selection::Address) {
            return Err(contradiction("the bytes of the address", flag));
        }
        match (&self.selection, &self.address.part) {
            (Selection::Address, _)
            | (Selection::From { start: None, end: End::Limit(_) }, Part::Whole)
            | (Selection::SectionAround(None), Part::Lines(_)) => Ok(()),
            (Selection::From { start: None, end }, Part::Lines(ranges)) => match ranges[..] {
                [range] if range.count() == 1 || matches!(end, End::Limit(_)) => Ok(()),
                _ => Err(Error::usage(format!(
                    "{flag} needs one line to start from, and the address names several"
                ))
                .hint(self.with_line(&ranges[0].start().to_string()))),
            },
            (Selection::From { start: None, .. }, _) => {
                Err(Error::usage(format!("{flag} needs a line to start from: --from N, or FILE:N"))
                    .hint(self.with_line("N")))
            }
            (Selection::SectionAround(None), _) => {
                Err(Error::usage(format!("{flag} needs a line: --from N, or FILE:N"))
                    .hint(self.with_line("N")))
            }
            (Selection::From { .. } | Selection::SectionAround(_), _) => {
                part.map_or(Ok(()), |part| Err(contradiction("--from", part)))
            }
            _ => part.map_or(Ok(()), |part| Err(contradiction(part, flag))),
        }
    }

    /// The command that reads from a line on.
    fn with_line(&self, line: &str) -> Hint {
        let mut address = self.address.path.as_os_str().to_owned();
        address.push(format!(":{line}"));
        let value = match &self.selection {
            Selection::From { end: End::ToNext { .. }, .. } => Some("PATTERN"),
            Selection::From { end: End::Limit(_), .. } => Some("M"),
            _ => None,
        };
        Hint::command("read", [address]).and([self.selection.flag()]).and(value)
    }
}

/// What was read, its content aside.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// The lines that were given out.
    pub ranges: Vec<LineRange>,
    /// The bytes of the one line, where only some were asked for.
    pub bytes: Option<Span>,
    /// How many lines that is.
    pub returned_lines: u64,
    /// How many bytes of the file, or of the value: what limits count.
    pub returned_bytes: u64,
    /// Whether the part is longer than what a limit let through.
    pub has_more: bool,
    /// The line to go on from.
    pub next_line: Option<u64>,
    /// Whether `--max-lines` or `--max-bytes` cut it.
    pub truncated: bool,
    /// Whether its first line is longer than `--max-bytes`.
    pub is_long: bool,
    /// The match that ended it.
    pub boundary: Option<Boundary>,
    /// Whether a match was looked for and not found.
    pub no_boundary: bool,
    /// The section, where one was named.
    pub section: Option<NamedSection>,
    /// The value of a key.
    pub value: Option<Vec<u8>>,
    /// What of the file was asked for, as far as it is known.
    pub part: Option<AskedPart>,
    /// The address to go on at, where one names just what is left.
    pub next: Option<OsString>,
    /// What reads on.
    pub rest: Option<Hint>,
    /// The part's checksum.
    pub range_checksum: Option<String>,
    /// What is said of the file.
    pub file: FileFacts,
}

/// The section that a name led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSection {
    /// Its text as a reader sees it.
    pub text: String,
    /// The level of its heading.
    pub level: Option<u8>,
    /// The texts of the sections that contain it, outermost first, then its own.
    pub path: Vec<String>,
    /// Its first line.
    pub line: u64,
    /// Whether it has the very name that was asked for.
    pub exact: bool,
}

/// The lines of a part before limits cut it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedPart {
    /// The first.
    pub start: u64,
    /// The last; unknown where nothing was read up to it.
    pub end: Option<u64>,
}

/// What is said of a file beside a part of it.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    /// Its checksum.
    pub checksum: Option<String>,
    /// Its line count.
    pub total_lines: Option<u64>,
    /// The name of its encoding.
    pub encoding: String,
    /// How its lines end, where all of it was read.
    pub line_ending: Option<&'static str>,
}

/// The line that a part stops before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Its number.
    pub line: u64,
    /// Its text without the line end.
    pub text: Vec<u8>,
    /// Whether it is in a code block.
    pub in_code: bool,
}
