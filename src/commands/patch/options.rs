//! The options of a run of `patch`, as plain data. They are checked before any file or standard
//! input is read.

use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::write_args::WriteArgs;
use super::{Operation, Part, Request};
use crate::commands::conditions::{Conditions, PartKind};
use crate::commands::shared_args::contradiction;
use crate::commands::target::flags::{Scoped, scoped};
use crate::commands::target::spell::Flag;
use folio_files::address::{Address, refuse_url};
use folio_files::document::DocumentOptions;
use folio_files::error::{Change, Error, Hint, Message, Opt};
use folio_files::ignore_rules::RuleOptions;
use folio_files::options::{
    ADDRESSES, BACKUP, CODE_BLOCK, CONTENT, CONTENT_FILE, EXPAND, EXPECT, FLAGS, IF_MATCH,
    IF_RANGE_MATCH, IGNORE_WHITESPACE, IN, IN_PLACE, INLINE, KEY, LINE_REGEXP, LINES, LINKS,
    LINKS_IN, MULTILINE, NORMALIZE_UNICODE, OCCURRENCE, ONLY_CODE, OUTSIDE_CODE, OUTSIDE_COMMENTS,
    PATTERN, SECTION, SET, TEXT, UNIQUE, WORD_REGEXP,
};
use folio_files::roots::Roots;
use folio_keys::KeyPath;
use folio_outline::part::{Query, QueryKind};
use folio_text::pattern::Case;

/// Default maximum number of lines to delete.
pub(super) const MAX_DELETED_LINES: u64 = 200;

/// The options of a run of `patch`.
#[derive(Clone, Debug, Default)]
pub struct PatchOptions {
    /// The addresses as the user typed them, such as `a.md:10-20`. For `-`, standard input is
    /// edited and the result is printed. Ignored for `apply`.
    pub addresses: Vec<OsString>,
    /// The edit to make at each address. For `apply`, the content consists of edits in JSON.
    /// Without content, they are read from standard input, which must be a pipe or a file.
    pub edit: Request,
    /// Further parts to edit at each address, each with the section in which to look for it. If
    /// there are conditions, the parts are in the parts that they select.
    pub further_parts: Vec<Scoped>,
    /// Options for reading documents.
    pub documents: DocumentOptions,
    /// Conditions that select parts. If there are any, the addresses are the files that are
    /// searched for parts.
    pub conditions: Conditions,
    /// The required number of parts that meet the conditions.
    pub expect_parts: Option<u64>,
    /// The rules that select files below directories.
    pub rules: RuleOptions,
    /// If a file does not exist, whether to search for its name.
    pub resolve: bool,
    /// Patterns of lines that begin sections, instead of `^\[LOG-`.
    pub section_patterns: Vec<String>,
    /// Limits, and options for writing.
    pub write: WriteArgs,
    /// Whether a caller in this process made the edits. Hints then refer to its own call.
    pub is_internal: bool,
}

impl Deref for PatchOptions {
    type Target = WriteArgs;

    fn deref(&self) -> &WriteArgs {
        &self.write
    }
}

impl Request {
    /// Returns a request that applies edits in JSON.
    pub fn apply(edits: impl Into<Vec<u8>>) -> Self {
        let content = Some(edits.into().into());
        Self { operation: Operation::Apply, content, ..Self::default() }
    }
}

impl PatchOptions {
    /// Whether the run writes nothing.
    pub fn writes_nothing(&self) -> bool {
        self.dry_run || self.check
    }

    /// Returns the edits to make at each address, one for each part.
    pub(super) fn edits(&self) -> impl Iterator<Item = Request> + '_ {
        let further = self.further_parts.iter().cloned();
        let further = further.map(|(target, scope)| Request { target, scope, ..self.edit.clone() });
        std::iter::once(self.edit.clone()).chain(further)
    }

    /// Fails if options exclude each other or are incomplete. Does not access files.
    pub fn check(&self) -> Result<(), Error> {
        self.documents.check()?;
        let is_suffix =
            |suffix: &OsString| !suffix.is_empty() && !suffix.as_bytes().contains(&b'/');
        if !self.backup.as_ref().is_none_or(is_suffix) {
            return Err(Error::usage(format!(
                "{BACKUP} needs a suffix without a slash, such as .bak"
            )));
        }
        let Self { addresses, edit, .. } = self;
        if edit.operation == Operation::Apply {
            return if self.conditions.is_given() {
                Err(not_with_apply("a condition on parts", false)
                    .hint("give the conditions in the field select of an edit"))
            } else {
                Ok(())
            };
        }
        if addresses.is_empty() {
            let name = edit.operation.name();
            let hint = if edit.target.is_none() && edit.content.is_none() {
                Hint::command("patch", [&[name, "FILE"], edit.operation.example()].concat())
            } else {
                Hint::with_value(ADDRESSES, "FILE")
            };
            return Err(Error::usage(format!("{name} needs a file")).hint(hint));
        }
        self.check_parts()?;
        self.check_conditions()?;
        let guarded = edit.options.if_match.is_some() || edit.options.if_range_match.is_some();
        if guarded && addresses.len() > 1 {
            return Err(Error::usage(format!(
                "{IF_MATCH} and {IF_RANGE_MATCH} need exactly one address"
            )));
        }
        if guarded && !self.further_parts.is_empty() {
            return Err(Error::usage(format!(
                "{IF_MATCH} and {IF_RANGE_MATCH} need exactly one part"
            )));
        }
        if addresses.iter().any(|address| Address::names_stdin(address)) {
            self.check_stdin()
        } else {
            Ok(())
        }
    }

    /// Fails if one of the parts cannot be edited.
    pub(super) fn check_parts(&self) -> Result<(), Error> {
        let selects_keys = self.conditions.kinds() == [PartKind::Key];
        self.edits().try_for_each(|edit| edit.check(selects_keys))?;
        match (self.edit.operation, self.edit.target.as_ref()) {
            (Operation::Rename, Some(target)) if !self.further_parts.is_empty() => {
                let message = format!("rename accepts only one {}", target.flag());
                let rename = ["rename", "FILE", target.flag().0, "OLD", CONTENT.0, "NEW"];
                Err(Error::usage(message).hint(Hint::command("patch", rename)))
            }
            _ => Ok(()),
        }
    }

    /// Fails if an option cannot be used with conditions.
    pub(super) fn check_conditions(&self) -> Result<(), Error> {
        if !self.conditions.is_given() {
            return Ok(());
        }
        self.conditions.check()?;
        let Self { addresses, edit, .. } = self;
        let is_stdin = addresses.iter().any(|address| Address::names_stdin(address));
        let (options, name) = (&edit.options, edit.operation.name());
        let strays = [
            (edit.operation == Operation::Create, name.to_owned()),
            (edit.scope.is_some(), IN.to_string()),
            (options.if_match.is_some(), IF_MATCH.to_string()),
            (options.if_range_match.is_some(), IF_RANGE_MATCH.to_string()),
            (is_stdin, "standard input".to_owned()),
        ];
        match strays.iter().find(|(given, _)| *given) {
            Some((_, what)) => {
                let message = format!("{what} cannot be used with conditions on parts");
                let error = Error::usage(message);
                let name_it = "name the file  # parts are edited in files, all or none";
                Err(if is_stdin { error.hint(name_it) } else { error })
            }
            None if self.expect_parts == Some(0) => {
                Err(Error::usage(format!("{EXPECT} must be at least 1")))
            }
            None => Ok(()),
        }
    }

    /// Fails if the document comes from standard input, but an option requires a file.
    fn check_stdin(&self) -> Result<(), Error> {
        use Operation::{Copy, Create, Move};
        let edit = &self.edit;
        if self.addresses.len() > 1 {
            return Err(Error::usage("- (standard input) cannot be used with other files"));
        }
        if edit.content == Some(OsString::from("-").into()) {
            let message = "standard input is the document, so it cannot also be the content";
            return Err(Error::usage(message));
        }
        let name = edit.operation.name();
        let needs_file = [
            (self.backup.is_some(), BACKUP.to_string()),
            (self.in_place, IN_PLACE.to_string()),
            (edit.options.links, LINKS.to_string()),
            (!edit.options.links_in.is_empty(), LINKS_IN.to_string()),
            (matches!(edit.operation, Create | Move | Copy), name.to_owned()),
        ];
        match needs_file.iter().find(|(given, _)| *given) {
            Some((_, what)) => {
                Err(Error::usage(format!("{what} needs a file, not standard input")))
            }
            None => Ok(()),
        }
    }
}

/// Returns the error for an option that cannot be used with JSON edits, unless it is one of their
/// fields.
pub(super) fn not_with_apply(flag: impl Display, is_field: bool) -> Error {
    let where_else = if is_field { ": set it in each edit" } else { "" };
    Error::usage(format!("{flag} cannot be used with apply{where_else}"))
}

impl Request {
    /// Fails if parts of the edit exclude each other. Used for edits from options and from JSON.
    /// `selects_keys` is whether conditions select the keys to edit.
    pub(super) fn check(&self, selects_keys: bool) -> Result<(), Error> {
        self.check_target()?;
        self.check_matches()?;
        if self.scope.is_some() && self.operation == Operation::Create {
            return Err(Error::usage(format!("{IN} needs a file that exists")));
        }
        self.check_content()?;
        for (name, checksum) in
            [(IF_MATCH, &self.options.if_match), (IF_RANGE_MATCH, &self.options.if_range_match)]
        {
            checksum.as_ref().map_or(Ok(()), |text| check_checksum(name, text))?;
        }
        if self.operation == Operation::Set && !(selects_keys && self.target.is_none()) {
            self.check_key()?;
        }
        if self.operation == Operation::Create && self.target.is_some() {
            return Err(part_of_new());
        }
        Ok(())
    }

    /// Checks that `set` has a key.
    fn check_key(&self) -> Result<(), Error> {
        let key = Hint::with_value(KEY, "NAME").why("and the section it is in");
        match &self.target {
            Some(Part::Key { .. } | Part::FrontMatter { key: Some(_), .. }) => Ok(()),
            _ => Err(Error::usage("set needs a key").hint(key)),
        }
    }

    /// Whether the target is a key of a section, or of a mapping below the root.
    pub(super) fn is_nested_key(&self) -> bool {
        let Some(Part::Key { section, key, .. }) = &self.target else { return false };
        let is_path = || match KeyPath::parse(key) {
            Ok(path) => path.steps.len() > 1,
            Err(_) => key.contains('.'),
        };
        section.is_some() || is_path()
    }

    /// Fails if the target can only be read.
    fn check_target(&self) -> Result<(), Error> {
        match &self.target {
            Some(Part::Lines(ranges)) if ranges.len() > 1 => {
                Err(Error::usage(format!("{LINES}: an edit accepts only one range of lines"))
                    .hint("give an address for each range: FILE:1-3 FILE:7-9"))
            }
            Some(Part::Match(query))
                if query.kind == QueryKind::Search || query.context.is_some() =>
            {
                Err(Error::usage("an edit cannot have context lines around a text or pattern"))
            }
            Some(Part::Match(query)) if query.every => {
                let error = Error::usage("patterns of edits have no flag 'g'");
                let patterns = &query.patterns;
                let flags = [
                    (patterns.case == Case::Insensitive, "i"),
                    (patterns.word, "w"),
                    (patterns.line, "x"),
                ];
                let flags = flags.into_iter().filter(|(is_on, _)| *is_on);
                let flags: String = flags.map(|(_, flag)| flag).collect();
                let flags = (!flags.is_empty()).then(|| flags.into());
                let flags = Change::Set(FLAGS, flags.into_iter().collect());
                let all_matches = [flags, Change::set(OCCURRENCE, "all")];
                Err(error.hint(Hint::again(all_matches).why("every match")))
            }
            _ => Ok(()),
        }
    }

    /// Checks the options that require a text or pattern.
    fn check_matches(&self) -> Result<(), Error> {
        let options = &self.options;
        let query = self.target.as_ref().and_then(Part::query);
        for (given, flag) in [
            (options.occurrence.is_some(), OCCURRENCE),
            (options.unique, UNIQUE),
            (options.expect.is_some(), EXPECT),
            (options.outside_code, OUTSIDE_CODE),
            (options.only_code, ONLY_CODE),
            (options.outside_comments, OUTSIDE_COMMENTS),
        ] {
            if given && query.is_none() {
                let mut message = Message::from(format!("{flag} needs {TEXT} or {PATTERN}"));
                if flag == EXPECT {
                    message.push(", or conditions on parts");
                }
                return Err(Error::usage(message));
            }
            let counts = matches!(flag, OCCURRENCE | EXPECT);
            if given && options.unique && counts {
                return Err(contradiction(UNIQUE, flag));
            }
        }
        if options.expect == Some(0) {
            return Err(Error::usage(format!("{EXPECT} must be at least 1")));
        }
        if options.expand && query.is_none_or(|query| !query.is_regex()) {
            return Err(Error::usage(format!("{EXPAND} needs {PATTERN}")));
        }
        if options.inline && query.is_none_or(Query::is_regex) {
            return Err(Error::usage(format!("{INLINE} needs {TEXT}")));
        }
        if query.is_some_and(|query| query.multiline && !query.is_regex()) {
            return Err(Error::usage(format!("{MULTILINE} needs {PATTERN}")));
        }
        if let Some(query) = query.filter(|query| query.relaxes())
            && (query.is_regex() || query.patterns.word || query.patterns.line)
        {
            return Err(Error::usage(format!(
                "{IGNORE_WHITESPACE} and {NORMALIZE_UNICODE} need {TEXT}, without {WORD_REGEXP} and {LINE_REGEXP}"
            )));
        }
        Ok(())
    }

    fn check_content(&self) -> Result<(), Error> {
        use Operation::{Copy, Delete, Move};
        let name = self.operation.name();
        let takes = !matches!(self.operation, Delete | Move | Copy);
        match (&self.content, takes) {
            (None, true) => {
                let error = Error::usage(format!("{name} needs content"));
                let file = Hint::with_value(CONTENT_FILE, "FILE").why("- is standard input");
                Err(error.hint(Hint::with_value(CONTENT, "TEXT")).hint(file))
            }
            (Some(_), false) => {
                let error = Error::usage(format!("{name} does not accept content"));
                Err(match self.operation {
                    Delete => error.hint("replace changes the contents of a part"),
                    _ => error,
                })
            }
            (None, false) if !self.options.set.is_empty() => {
                Err(Error::usage(format!("{SET} needs content")))
            }
            _ => Ok(()),
        }
    }

    /// Parses an operand. The operand of `create` is a path, not an address.
    pub(super) fn parse_address(&self, operand: &OsStr, roots: &Roots) -> Result<Address, Error> {
        match self.operation {
            Operation::Create => refuse_url(operand).map(|()| Address::whole(operand)),
            _ => Address::parse(operand, |path: &Path| roots.exists(path)),
        }
    }

    /// Returns the same request for an address. Parses its destination.
    pub(super) fn with_address(&self, address: Address, roots: &Roots) -> Result<Self, Error> {
        self.check_part(&address.part)?;
        let (target, scope) = match self.target.clone() {
            Some(target) => scoped(target, self.scope.clone())?,
            None => (None, self.scope.clone()),
        };
        let to = self.options.to.as_ref();
        let to = to.map(|to| Address::parse(to, |path| roots.exists(path))).transpose()?;
        Ok(Self { address, target, scope, to, ..self.clone() })
    }

    /// Checks that the part in the address can be used with the other options.
    fn check_part(&self, part: &Part) -> Result<(), Error> {
        let part = match (part, &self.target, &self.scope) {
            (Part::Lines(_), ..) => "the lines of the address",
            (Part::Anchor(_), ..) => "the anchor of the address",
            (_, None, Some(scope)) if self.operation != Operation::Append => {
                let message = format!("{IN} needs a target to look for, such as {CODE_BLOCK}");
                let section = [Change::set(SECTION, scope), Change::remove(IN)];
                let section = Hint::again(section).why("the section itself");
                return Err(Error::usage(message).hint(section));
            }
            _ => return Ok(()),
        };
        match (&self.target, &self.scope) {
            _ if self.operation == Operation::Create => Err(part_of_new()),
            (Some(target), _) if let Some(place) = target.place() => {
                Err(contradiction(part, place.flag()))
            }
            // A text may be searched for in the part.
            (Some(Part::Match(_)), None) => Ok(()),
            (Some(target), _) => Err(contradiction(part, target.flag())),
            (None, Some(_)) => Err(contradiction(IN, part)),
            (None, None) => Ok(()),
        }
    }
}

fn part_of_new() -> Error {
    Error::usage("create accepts a file, not a part")
}

/// Fails unless a checksum is a prefix of a SHA-256 in hexadecimal digits.
fn check_checksum(option: Opt, text: &str) -> Result<(), Error> {
    let is_checksum =
        (12..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_checksum {
        return Ok(());
    }
    Err(Error::usage(format!(
        "{option}: '{text}' is not a checksum: 12 to 64 hexadecimal digits of a SHA-256"
    ))
    .hint(
        Hint::command("read", ["--checksum", "ADDRESS"])
            .why("prints the checksum of a part; sha256sum prints that of a file"),
    ))
}

impl Operation {
    /// Returns examples of the operands that follow the file.
    fn example(self) -> &'static [&'static str] {
        match self {
            Self::Replace | Self::Insert => &["--section", "NAME", "--content", "TEXT"],
            Self::Append | Self::Create => &["--content", "TEXT"],
            Self::Delete => &["--section", "NAME"],
            Self::Set => &["--key", "NAME", "--content", "VALUE"],
            Self::Rename => &["--heading", "OLD", "--content", "NEW"],
            Self::Move | Self::Copy => &["--section", "NAME", "--to", "ADDRESS"],
            Self::Apply => &["FILE"],
        }
    }
}
