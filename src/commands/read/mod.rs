//! `read`: prints the part of a document that an address or a target selects.
//!
//! A part that is defined by line numbers or by the next match is read in one pass that stops at
//! its end. For other parts, the document is outlined first.

pub mod args;
mod batch;
mod budget;
mod bytes;
mod content;
mod locate;
mod parts;
mod place;
mod reading;
mod report;
mod requests;
mod rest;
pub mod run;
mod stream;
mod view;
mod wire;

use std::ffi::OsString;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use self::args::ReadArgs;
use self::wire::NamedSection;

use crate::commands::conditions::{Conditions, PartKind};
use crate::commands::host::Host;
use crate::commands::output::Style;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{self, Schema};
use crate::commands::schema;
use crate::commands::shared_args::{OutputFormat, contradiction, section_patterns};
use crate::commands::target::flags::Scoped;
use crate::commands::target::spell::{self, Flag};
use folio_files::address::{self, Address};
use folio_files::document::{DocumentOptions, Passes};
use folio_files::env::Env;
use folio_files::error::{Change, Code, Error, Hint, Opt};
use folio_files::options::{
    BREADCRUMBS, CHECKSUM, FROM, HEAD, IGNORE_CASE, IN, JSON, KIND, LANG, LIMIT, NULL,
    OUTSIDE_CODE, OUTSIDE_COMMENTS, PATH, SECTION_CONTEXT, TAIL, TO_NEXT, TO_SECTION_END,
};
use folio_keys::KeyPath;
use folio_outline::part::{Part, SectionPart};
use folio_text::pattern::Pattern;
use folio_text::span::{LineRange, Span};

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    schema::output(
        "read",
        "One line of JSON for each part.",
        &[schema::record::<wire::PieceObject<'_>>],
    )
}

/// Returns the JSON Schema of a line of `--batch`.
pub fn batch_schema() -> String {
    schema::input::<batch::BatchSchema>("batch", "read --batch")
}

impl request::Request for ReadArgs {
    const SCHEMAS: &'static [Schema] = &[("read", schema), ("batch", batch_schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(self, host, sink)
    }
}

/// The options of `read`, converted from its arguments.
#[derive(Debug)]
pub struct ReadOptions {
    args: ReadArgs,
    /// The parts to read at every address, each with the section in which to look for it.
    selections: Vec<Scoped<Selection>>,
    /// Conditions that select parts. If there are any, the addresses are the files that are
    /// searched for parts.
    conditions: Conditions,
    /// Whether the selected code blocks are read without their fences.
    without_fences: bool,
    /// Options for reading documents.
    documents: DocumentOptions,
}

impl Deref for ReadOptions {
    type Target = ReadArgs;

    fn deref(&self) -> &ReadArgs {
        &self.args
    }
}

impl ReadOptions {
    /// Converts arguments to options. Fails if a value is invalid. Does not open files.
    fn new(mut args: ReadArgs, env: &Env) -> Result<Self, Error> {
        if args.target.value {
            args.target.take_key(&mut args.addresses, |path| env.roots.exists(path));
        }
        let mut conditions = args.conditions();
        let without_fences = select_code_blocks(&mut args, &mut conditions)?;
        let mut selections = args.selections()?;
        if selections.is_empty() {
            selections.push((Selection::Address, None));
        }
        let entries = section_patterns(&args.target.section_pattern)?;
        let mut options = Self {
            selections,
            conditions,
            without_fences,
            documents: DocumentOptions { entries, ..args.documents.options() },
            args,
        };
        options.documents.check()?;
        options.check_null()?;
        if options.addresses.is_empty()
            && options.addresses_from.is_none()
            && options.batch.is_none()
        {
            return Err(Error::usage("a file is needed")
                .hint(Hint::command("read", ["FILE"]))
                .hint(Hint::command("read", ["-"]).why("standard input")));
        }
        options.select_by_name(env);
        options.check_conditions()?;
        options.selections.iter().try_for_each(|(selection, _)| selection.check())?;
        Ok(options)
    }

    /// Returns the first selection.
    fn selection(&self) -> &Selection {
        &self.selections[0].0
    }

    /// Whether the addresses come from a list, in which duplicates are skipped.
    fn is_address_list(&self) -> bool {
        self.addresses_from.is_some() || self.conditions.is_given()
    }

    /// Whether conditions select parts of standard input.
    fn selects_in_stdin(&self) -> bool {
        self.conditions.is_given() && self.addresses.iter().any(|typed| Address::names_stdin(typed))
    }

    fn is_text(&self, style: Style) -> bool {
        !style.json
    }

    /// Whether the output contains neither line numbers nor counts: parts of one file, selected by
    /// conditions, without headers.
    fn prints_no_lines(&self, style: Style) -> bool {
        let is_cut =
            self.max_lines.is_some() || self.max_bytes.is_some() || self.max_tokens.is_some();
        self.merges(style)
            && self.no_headers
            && self.conditions.is_given()
            && !style.tools
            && !is_cut
    }

    /// Whether to print NUL after each part.
    fn ends_with_nul(&self) -> bool {
        self.null && self.addresses_from.is_none()
    }

    /// Fails if `--null` is given with an option that prints no contents, or prints JSON.
    fn check_null(&self) -> Result<(), Error> {
        let others = [
            (self.output.json || self.output.format == OutputFormat::Json, JSON),
            (self.checksum, CHECKSUM),
            (self.has_breadcrumbs(), BREADCRUMBS),
        ];
        let other = others.into_iter().find(|(is_given, _)| *is_given);
        match other.filter(|_| self.ends_with_nul()) {
            Some((_, other)) => Err(contradiction(NULL, other)),
            None => Ok(()),
        }
    }

    /// Whether to merge adjacent and overlapping parts of a file. Parts are not merged if each
    /// answer must belong to one request.
    fn merges(&self, style: Style) -> bool {
        let is_tied =
            self.checksum || self.has_breadcrumbs() || self.batch.is_some() || self.ends_with_nul();
        self.is_text(style) && !is_tied
    }

    /// If there are conditions or directories, replaces the name of a section or key with a
    /// condition. Then files that do not contain this part are skipped.
    fn select_by_name(&mut self, env: &Env) {
        let [(Selection::Part { target, from: None }, None)] = &self.selections[..] else {
            return;
        };
        let is_directory = |address: &OsString| env.roots.is_directory(Path::new(address));
        let is_wanted = || {
            let is_filtered = !self.glob.is_empty() || !self.types.is_empty();
            self.conditions.is_given() || is_filtered || self.addresses.iter().any(is_directory)
        };
        match target {
            Part::Section { name, part: SectionPart::Whole, children: None } if is_wanted() => {
                self.conditions.sections.push(name.clone());
            }
            // A path such as `a[name=b]` or `a[-1]` is not the name of an entry.
            Part::Key { section: None, key, value }
                if (*value || key.contains('[') && KeyPath::parse(key).is_ok()) && is_wanted() =>
            {
                self.conditions.with_key.push(key.clone());
                return;
            }
            Part::Key { section, key, value: false } if is_wanted() => {
                self.conditions.add_key(section.as_deref(), key);
            }
            _ => return,
        }
        self.selections = vec![(Selection::Address, None)];
    }

    /// Fails if both a part and conditions are given.
    fn check_conditions(&self) -> Result<(), Error> {
        if !self.conditions.is_given() {
            return Ok(());
        }
        self.conditions.check()?;
        let is_of_files = self.conditions.kinds() == [PartKind::File];
        match self.selection() {
            Selection::Address | Selection::SectionAround(None) => Ok(()),
            _ if is_of_files => Ok(()),
            other => {
                let flag = other.flag();
                let error = Error::usage(format!("{flag} cannot be used with conditions"));
                Err(error.hint(format!("remove {flag}  # selected parts are read completely")))
            }
        }
    }
}

/// Replaces `--code-block all` and `--code-block LANG:all` with conditions. Returns whether the
/// code blocks are read without their fences.
///
/// # Errors
///
/// Fails if other options select kinds of parts, or the place of the code blocks.
fn select_code_blocks(args: &mut ReadArgs, conditions: &mut Conditions) -> Result<bool, Error> {
    let Some(language) = args.target.take_all_code_blocks() else { return Ok(false) };
    if args.target.within.is_some() {
        let path = Hint::again([Change::remove(IN), Change::set(PATH, "^PARENT > NAME")]);
        return Err(contradiction(IN, "all code blocks").hint(path));
    }
    if !conditions.kind.is_empty() || !conditions.lang.is_empty() {
        let kind = if conditions.kind.is_empty() { LANG } else { KIND };
        return Err(contradiction(kind, "all code blocks"));
    }
    conditions.kind = vec![PartKind::Code];
    conditions.lang = language.into_iter().collect();
    Ok(!std::mem::take(&mut args.target.fences))
}

/// A request for one part.
#[derive(Clone, Debug)]
pub struct Request {
    /// The file, and the lines or anchor in its address.
    pub address: Address,
    /// The part to read.
    pub selection: Selection,
    /// The section in which to look for a target.
    pub scope: Option<String>,
    /// The line of `--batch`, for hints.
    pub batch_line: Option<Arc<Map<String, Value>>>,
}

/// The selection of a part within a file.
#[derive(Clone, Debug, Default)]
pub enum Selection {
    /// The part that the address selects.
    #[default]
    Address,
    /// The lines from a first line to an end.
    From {
        /// The first line. `None` for the line of the address.
        start: Option<u64>,
        /// The end of the part.
        end: End,
    },
    /// The first lines of the file. The value is the number of lines.
    Head(u64),
    /// The last lines of the file. The value is the number of lines.
    Tail(u64),
    /// The innermost section that contains a line. `None` for the line of the address.
    SectionAround(Option<u64>),
    /// A target.
    Part {
        /// The target.
        target: Part,
        /// The line of the file at which to start, if the text before it was already read.
        from: Option<u64>,
    },
}

impl Selection {
    fn check(&self) -> Result<(), Error> {
        match self {
            Self::From { end: End::Limit(0), .. } => {
                Err(Error::usage(format!("{LIMIT}: '0' is not a number of 1 or more")))
            }
            Self::From { start: Some(0), .. }
            | Self::SectionAround(Some(0))
            | Self::Part { from: Some(0), .. } => {
                let message = format!("{FROM}: line numbers start at 1, not 0");
                Err(Error::new(Code::InvalidRange, message))
            }
            Self::Part { target: Part::CodeBlock { .. } | Part::Table(_), .. } => Ok(()),
            Self::Part { target, from: Some(_) } => Err(contradiction(FROM, target.flag())),
            _ => Ok(()),
        }
    }

    /// Returns the options that select the part, except those of a target. `line` is the line of
    /// the address.
    fn fields(&self, line: Option<u64>) -> Vec<(&'static str, Value)> {
        let from = |start: Option<u64>| start.map(|start| ("from", json!(start)));
        match self {
            Self::Address => Vec::new(),
            Self::From { start, end } => {
                from(start.or(line)).into_iter().chain(end.fields()).collect()
            }
            Self::Head(count) => vec![("head", json!(count))],
            Self::Tail(count) => vec![("tail", json!(count))],
            Self::SectionAround(start) => {
                let around = ("section-context", json!(true));
                [around].into_iter().chain(from(start.or(line))).collect()
            }
            Self::Part { from: start, .. } => from(*start).into_iter().collect(),
        }
    }

    /// Returns the changes of a call that selects the part.
    fn changes(&self) -> Vec<Change> {
        let from = |start: &Option<u64>| start.map(|start| Change::set(FROM, start.to_string()));
        match self {
            Self::Address => Vec::new(),
            Self::From { start, end } => from(start).into_iter().chain(end.changes()).collect(),
            Self::Head(count) => vec![Change::set(HEAD, count.to_string())],
            Self::Tail(count) => vec![Change::set(TAIL, count.to_string())],
            Self::SectionAround(start) => {
                [Change::Switch(SECTION_CONTEXT)].into_iter().chain(from(start)).collect()
            }
            Self::Part { target, from: start } => {
                spell::changes((None, None), (Some(target), None))
                    .into_iter()
                    .chain(from(start))
                    .collect()
            }
        }
    }

    /// Returns the option that selects the part, for use in messages.
    fn flag(&self) -> String {
        let option = match self {
            Self::Address => return "the address".to_owned(),
            Self::From { end, .. } => end.flag(),
            Self::Head(_) => HEAD,
            Self::Tail(_) => TAIL,
            Self::SectionAround(_) => SECTION_CONTEXT,
            Self::Part { target, .. } => target.flag(),
        };
        option.to_string()
    }
}

/// The end of a part that begins at a line.
#[derive(Clone, Debug)]
pub enum End {
    /// The part ends before the next matching line.
    ToNext {
        /// The pattern.
        pattern: Pattern,
        /// Whether to skip matches in code blocks.
        outside_code: bool,
        /// Whether to skip matches in HTML comments.
        outside_comments: bool,
    },
    /// The part ends with the innermost section that contains its first line.
    OfSection,
    /// The part ends after this number of lines.
    Limit(u64),
    /// The part ends at the end of the file.
    OfFile,
}

impl End {
    fn fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            Self::ToNext { pattern, outside_code, outside_comments } => {
                let switches = [
                    ("ignore-case", pattern.ignores_case()),
                    ("outside-code", *outside_code),
                    ("outside-comments", *outside_comments),
                ];
                let switches = switches.into_iter().filter(|(_, is_set)| *is_set);
                let switches = switches.map(|(name, is_set)| (name, json!(is_set)));
                [("to-next", json!(pattern.expression()))].into_iter().chain(switches).collect()
            }
            Self::OfSection => vec![("to-section-end", json!(true))],
            Self::Limit(count) => vec![("limit", json!(count))],
            Self::OfFile => Vec::new(),
        }
    }

    /// Returns the changes of a call that reads to this end.
    fn changes(&self) -> Vec<Change> {
        match self {
            Self::ToNext { pattern, outside_code, outside_comments } => {
                let switches = [
                    (pattern.ignores_case(), IGNORE_CASE),
                    (*outside_code, OUTSIDE_CODE),
                    (*outside_comments, OUTSIDE_COMMENTS),
                ];
                let switches = switches.into_iter().filter(|(is_set, _)| *is_set);
                let switches = switches.map(|(_, option)| Change::Switch(option));
                [Change::set(TO_NEXT, pattern.expression())].into_iter().chain(switches).collect()
            }
            Self::OfSection => vec![Change::Switch(TO_SECTION_END)],
            Self::Limit(count) => vec![Change::set(LIMIT, count.to_string())],
            Self::OfFile => Vec::new(),
        }
    }

    fn flag(&self) -> Opt {
        match self {
            Self::ToNext { .. } => TO_NEXT,
            Self::OfSection => TO_SECTION_END,
            Self::Limit(_) => LIMIT,
            Self::OfFile => FROM,
        }
    }
}

impl Request {
    /// Whether the request selects the whole file.
    fn is_whole_file(&self) -> bool {
        matches!((&self.selection, &self.address.part), (Selection::Address, Part::Whole))
    }

    /// Returns how often the document is read if this is the only request.
    fn passes(&self) -> Passes {
        match (&self.selection, &self.address.part) {
            _ if self.scope.is_some() => Passes::Several,
            (Selection::Address, Part::Whole | Part::Lines(_))
            | (Selection::From { end: End::Limit(_) | End::OfFile, .. } | Selection::Head(_), _)
            | (Selection::Part { target: Part::Whole | Part::Lines(_), .. }, _) => Passes::One,
            (
                Selection::From { end: End::ToNext { outside_code, outside_comments, .. }, .. },
                _,
            ) if !outside_code && !outside_comments => Passes::OneWithoutCode,
            _ => Passes::Several,
        }
    }

    /// Creates a request. Fails unless either the address or the selection, but not both, selects a
    /// part.
    fn new(address: Address, (selection, scope): Scoped<Selection>) -> Result<Self, Error> {
        let request = Self { address, selection, scope, batch_line: None };
        request.check()?;
        Ok(request)
    }

    fn check(&self) -> Result<(), Error> {
        self.selection.check()?;
        let part = match &self.address.part {
            Part::Lines(_) => Some("the lines of the address"),
            Part::Anchor(_) => Some("the anchor of the address"),
            _ => None,
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
                    "{flag} needs one line to start from, but the address has several lines"
                ))
                .hint(self.with_line(&ranges[0].start().to_string()))),
            },
            (Selection::From { start: None, .. }, _) => {
                Err(Error::usage(format!("{flag} needs a line to start from: {FROM} N, or FILE:N"))
                    .hint(self.with_line("N")))
            }
            (Selection::SectionAround(None), _) => {
                Err(Error::usage(format!("{flag} needs a line: {FROM} N, or FILE:N"))
                    .hint(self.with_line("N")))
            }
            (Selection::From { .. } | Selection::SectionAround(_), _) => {
                part.map_or(Ok(()), |part| Err(contradiction(FROM, part)))
            }
            _ => part.map_or(Ok(()), |part| Err(contradiction(part, flag))),
        }
    }

    /// Returns the call that reads from a line.
    fn with_line(&self, line: &str) -> Hint {
        let path = &self.address.path;
        Hint::again([Change::address(path, "", address::spelt(path, line))])
    }
}

/// The result of reading a part, without its content.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// The lines that were returned.
    pub ranges: Vec<LineRange>,
    /// The bytes of the line, if only some bytes were requested.
    pub bytes: Option<Span>,
    /// Number of lines that were returned.
    pub returned_lines: u64,
    /// Number of bytes that count towards limits: bytes of the file, or of the value.
    pub returned_bytes: u64,
    /// Whether the part continues after the returned lines.
    pub has_more: bool,
    /// The line at which to continue reading.
    pub next_line: Option<u64>,
    /// Whether `--max-lines` or `--max-bytes` truncated the part.
    pub truncated: bool,
    /// Whether the first line of the part is longer than `--max-bytes`.
    pub is_long: bool,
    /// The matching line before which the part ends.
    pub boundary: Option<Boundary>,
    /// Whether no line matched before the end of the file.
    pub no_boundary: bool,
    /// The section, if the request named one.
    section: Option<NamedSection>,
    /// The value of a key.
    pub value: Option<Vec<u8>>,
    /// The value in JSON, if the document is a tree of keys.
    pub data: Option<Box<RawValue>>,
    /// The requested lines, if they are known.
    pub part: Option<PartLines>,
    /// The address of exactly the rest, if there is such an address.
    pub next: Option<OsString>,
    /// The command that reads the rest.
    pub rest: Option<Hint>,
    /// The checksum of the part.
    pub range_checksum: Option<String>,
    /// Properties of the file.
    pub file: FileFacts,
}

/// The lines of a part before it was truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartLines {
    /// The first line.
    pub start: u64,
    /// The last line. `None` if the file was not read that far.
    pub end: Option<u64>,
}

/// Properties of a part's file.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    /// The checksum of the file.
    pub checksum: Option<String>,
    /// The number of lines.
    pub total_lines: Option<u64>,
    /// The name of the encoding.
    pub encoding: String,
    /// The line endings, if the whole file was read.
    pub line_ending: Option<&'static str>,
}

/// The line before which a part ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// The line number.
    pub line: u64,
    /// The text without its line ending.
    pub text: Vec<u8>,
    /// Whether the line is in a code block.
    pub in_code: bool,
}
