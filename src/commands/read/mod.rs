//! `read`: the part of a document that an address or a target names.
//!
//! Parts that are told by line numbers or by the next match are found in one
//! pass that stops when they end; parts of the structure need the outline first.

pub mod args;
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
pub mod wire;

use std::ffi::OsString;

use crate::commands::conditions::{Conditions, Kind};
use crate::commands::output::Style;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{self, Schema};
use crate::commands::schema;
use crate::commands::shared_args::contradiction;
use crate::commands::target::Target;
use crate::error::{Code, Error, Hint};
use crate::files::address::{Address, Part};
use crate::files::document::DocumentOptions;
use crate::files::env::Env;
use crate::files::listing::WalkOptions;
use crate::text::pattern::{Pattern, PatternOptions};
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
    schema::input::<wire::BatchLine>("batch", "read --batch")
}

impl request::Request for args::ReadArgs {
    const SCHEMAS: &'static [Schema] = &[("read", schema), ("batch", batch_schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options()?, env, sink)
    }
}

/// What a run is asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Files and parts of files.
    pub addresses: Vec<OsString>,
    /// A file whose lines begin with addresses; `-` is standard input.
    pub addresses_from: Option<OsString>,
    /// What parts must be like: then addresses are the files in which they are looked for.
    pub conditions: Conditions,
    /// Which files below directories they are looked for in.
    pub walk: WalkOptions,
    /// Whether NUL ends its addresses and the texts behind them.
    pub null: bool,
    /// A file of JSON Lines, each of which asks for a part.
    pub batch: Option<OsString>,
    /// What is wanted of every address.
    pub selection: Selection,
    /// The section within which a target is looked for.
    pub scope: Option<String>,
    /// Further parts that are wanted of every address, each with its scope.
    pub further: Vec<(Selection, Option<String>)>,
    /// How the patterns of a batch are meant.
    pub patterns: PatternOptions,
    /// A part is cut after so many lines.
    pub max_lines: Option<u64>,
    /// A part is cut before the line with which it has more bytes.
    pub max_bytes: Option<u64>,
    /// The answer is cut where it would have more tokens, of 4 bytes each.
    pub max_tokens: Option<u64>,
    /// The lines are numbered.
    pub number: bool,
    /// No addresses stand before several parts.
    pub no_headers: bool,
    /// Records are shown as text: then parts that touch or overlap are one in them too.
    pub shows_text: bool,
    /// Only where parts stand: the headings above them; in JSON, that too.
    pub breadcrumbs: bool,
    /// White space is made visible.
    pub show_whitespace: bool,
    /// Only checksums and addresses; in JSON, the checksum of the file too.
    pub checksum: bool,
    /// The file's own bytes, not decoded.
    pub raw: bool,
    /// The file's lines are not counted.
    pub no_total: bool,
    /// A file that does not exist is looked for by its name.
    pub resolve: bool,
    /// How documents are taken.
    pub documents: DocumentOptions,
    /// Patterns of lines that begin entries, in place of `[LOG-`.
    pub entries: Vec<Pattern>,
}

impl Options {
    /// Refuses what contradicts itself, before anything is read.
    pub fn check(&self, style: Style) -> Result<(), Error> {
        self.documents.check()?;
        let lists = [
            (self.addresses_from.is_some(), "--addresses-from"),
            (self.batch.is_some(), "--batch"),
            (!self.addresses.is_empty(), "an address"),
        ];
        let given: Vec<&str> =
            lists.iter().filter(|(given, _)| *given).map(|(_, flag)| *flag).collect();
        match given[..] {
            [] => {
                return Err(Error::usage("a file is needed")
                    .hint(Hint::command("read", ["FILE"]))
                    .hint(Hint::command("read", ["-"]).why("standard input")));
            }
            [first, second, ..] => return Err(contradiction(first, second)),
            ["--batch"] if !matches!(self.selection, Selection::Address) => {
                return Err(Error::usage(
                    "--batch names its own parts: no other flag for a part goes with it",
                ));
            }
            _ => {}
        }
        self.check_conditions()?;
        self.check_view(style)?;
        self.selection.check()?;
        self.further.iter().try_for_each(|(selection, _)| selection.check())
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
        let is_tied = self.checksum || self.breadcrumbs || self.batch.is_some();
        self.is_text(style) && !is_tied
    }

    /// Refuses what does not go with conditions, and what only goes with them.
    fn check_conditions(&self) -> Result<(), Error> {
        if !self.conditions.is_given() {
            let rules = &self.walk.rules;
            let strays = [(&rules.globs, "--glob"), (&rules.types, "--type")];
            let stray = strays.iter().find(|(given, _)| !given.is_empty());
            return stray.map_or(Ok(()), |(_, flag)| {
                let hint = Hint::command("help", ["selecting"]).why("all conditions");
                Err(Error::usage(format!("{flag} needs a condition such as --matching")).hint(hint))
            });
        }
        self.conditions.check()?;
        let lists = [(&self.addresses_from, "--addresses-from"), (&self.batch, "--batch")];
        if let Some((_, flag)) = lists.iter().find(|(list, _)| list.is_some()) {
            return Err(Error::usage(format!("{flag} does not go with conditions on parts")));
        }
        let is_of_files = self.conditions.kinds() == [Kind::File];
        match &self.selection {
            Selection::Address => Ok(()),
            Selection::SectionAround(None) if !is_of_files => Ok(()),
            _ if is_of_files => Ok(()),
            other => {
                let flag = other.flag();
                let error = Error::usage(format!("{flag} and conditions both say which part"));
                Err(error.hint(format!("leave {flag} out  # selected parts are read whole")))
            }
        }
    }

    fn check_view(&self, style: Style) -> Result<(), Error> {
        let ways = [
            (self.raw, "--raw"),
            (self.number, "--number"),
            (self.show_whitespace, "--show-whitespace"),
            (self.breadcrumbs, "--breadcrumbs"),
        ];
        for (_, flag) in ways.iter().filter(|(given, _)| *given) {
            let raw = self.raw.then(|| ways[1..].iter().find(|(given, _)| *given)).flatten();
            let others = [
                (style.json && !matches!(*flag, "--number" | "--breadcrumbs"), "--json"),
                (self.checksum && !style.json, "--checksum"),
                (self.breadcrumbs && !style.json && *flag != "--breadcrumbs", "--breadcrumbs"),
            ];
            if let Some((_, other)) = others.iter().find(|(given, _)| *given).or(raw) {
                return Err(contradiction(flag, other));
            }
        }
        let headless = [
            (style.json, "--json"),
            (self.checksum, "--checksum"),
            (self.breadcrumbs, "--breadcrumbs"),
        ];
        if let Some((_, other)) = headless.iter().find(|(given, _)| *given && self.no_headers) {
            return Err(contradiction("--no-headers", other));
        }
        if self.no_total && !style.json {
            return Err(Error::usage("--no-total needs --json: text never reads on"));
        }
        let limits = [
            (self.max_lines, "--max-lines"),
            (self.max_bytes, "--max-bytes"),
            (self.max_tokens, "--max-tokens"),
        ];
        if self.max_bytes.and(self.max_tokens).is_some() {
            return Err(contradiction("--max-bytes", "--max-tokens"));
        }
        for (limit, flag) in limits {
            if limit == Some(0) {
                let message = format!("{flag} 0 would print nothing: it is at least 1");
                return Err(Error::usage(message));
            }
        }
        Ok(())
    }
}

/// One part to read.
#[derive(Clone, Debug)]
pub struct Request {
    /// The file, and the lines or anchor behind its name.
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
    /// The innermost section that holds a line, that of the address unless given.
    SectionAround(Option<u64>),
    /// A target; of a code block or table, from a line of the file on.
    Target {
        /// The target.
        target: Target,
        /// The first line, where what stands before it was read already.
        from: Option<u64>,
    },
}

impl Selection {
    fn check(&self) -> Result<(), Error> {
        match self {
            Self::From { end: End::Limit(0), .. } => {
                Err(Error::usage("--limit 0 would read nothing: it is at least 1"))
            }
            Self::From { start: Some(0), .. }
            | Self::SectionAround(Some(0))
            | Self::Target { from: Some(0), .. } => {
                let message = "--from: lines are counted from 1: there is no line 0";
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
    /// With the innermost section that holds the first line.
    SectionEnd,
    /// After so many lines.
    Limit(u64),
    /// With the file.
    FileEnd,
}

impl End {
    fn flag(&self) -> &'static str {
        match self {
            Self::ToNext { .. } => "--to-next",
            Self::SectionEnd => "--to-section-end",
            Self::Limit(_) => "--limit",
            Self::FileEnd => "--from",
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
    /// The texts of the sections that hold it, outermost first, then its own.
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
    /// Whether it stands in a code block.
    pub in_code: bool,
}
