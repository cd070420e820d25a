//! The options of `patch`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use clap::{ArgAction, ArgMatches, Args, Command};

use super::edit_option_args::{CONTENT, EditOptions};
use super::operation_args::{Operation, refuse_flags};
use super::options::PatchOptions;
use super::write_args::WriteArgs;
use super::{Request, Side};
use crate::commands::conditions::Conditions;
use crate::commands::json::DistinctFields;
use crate::commands::request::CommandLine;
use crate::commands::shared_args::{
    DocumentArgs, LookupArgs, ONCE, OutputArgs, PatternArgs, contradiction,
};
use crate::commands::target::flags::{MATCH, PART, Scoped, TargetArgs, scoped, with_letters};
use crate::commands::target::json;
use folio_files::address::Address;
use folio_files::error::Error;
use folio_files::ignore_rules::RuleOptions;
use folio_files::options::{
    AFTER, BEFORE, BODY, IGNORE_WHITESPACE, INLINE, MULTILINE, NO_CHILDREN, NORMALIZE_UNICODE,
    PATTERN, SECTION, TEXT, TO,
};
use folio_keys::Syntax;
use folio_keys::value::Type;
use folio_outline::format::{Feature, Format};
use folio_outline::part::Part;

impl CommandLine for PatchArgs {
    const NAME: &'static str = "patch";
    const ABOUT: &'static str =
        "Edit part of a file: replace, insert, delete, move, rename and more";
    const LONG_ABOUT: &'static str = "\
Edit a named part of a file. folio leaves every byte outside the part unchanged, and
keeps the encoding, line endings, trailing newline and permissions of the file.

  folio patch replace README.md --section Install --content-file new.md
  folio patch replace app.ini --section database --key host --value -c db.example

folio never edits an approximate match. If the part is missing or ambiguous, it lists
the candidates and leaves the file unchanged. It refuses an edit of Markdown that
would add or remove headings or code blocks outside the part. folio undo reverts an
edit.";
    const AFTER_HELP: &'static str = "\
Operations:
  replace   replace the part with the content
  insert    insert the content --before the part (default for lines) or --after it
  append    append the content to a section, to the keys of an INI section, or to the file
  delete    delete the part
  rename    change the text of a heading (not its level) or the name of an INI section
  move      move the part to the address in --to; without a part, move the file
  copy      copy the part to the address in --to
  create    create a file
  set       set the value of a key, adding the key and its section if necessary
  apply     apply edits in JSON: one edit, an array, JSON Lines, or {\"edits\":[…]}

--links updates the links that rename, move, copy and delete would break: links to the
part or file, links within it, and links to anchors whose number changes (#setup-1 becomes
#setup). folio lists links to deleted parts. Without --links, it prints how many links break.

With --text or --pattern, other targets select the part in which to search.
If the part consists of whole lines, folio adds a missing newline to the end of the content.
With --text, --pattern and --value, it inserts the content unchanged. Escape sequences are
not interpreted; in bash and zsh, $'a\\nb' is a text with a newline.

If another program changes the file during the edit, folio keeps that change and exits
with status 4. Text that is appended while folio replaces the file is saved in
NAME.before; with --in-place, it remains in the file. If a program keeps the old file
open and writes to it later, that text may be lost; --in-place makes this less likely.
If folio is killed, files named .folio-* may remain. The next edit or folio undo --recover
deletes them.

folio patch OPERATION --help describes one operation and its options, with examples.
Example of an edit in JSON for apply:
  {\"filePath\":\"README.md\",\"operation\":\"replace\",
   \"target\":{\"body\":\"Install\"},\"content\":\"Run make.\"}

As in folio read, -s, -T and -e are short for --section, --text and --pattern. Quote
an address that contains #.

Examples:
  folio patch replace notes.md --text 'teh' -c 'the' --occurrence all --dry-run
  folio patch replace docs/ -t md --text v1.0 -c v1.1 --occurrence all
  folio patch insert TODO.md:12 -c '- [ ] call home'
  folio patch rename guide.md --heading Setup -c Installation --links
  folio patch append CHANGELOG.md --section Unreleased -c '- Faster.'
  folio patch set app.ini --section database --key host -c db.example
  folio patch move notes.md --section Ideas --to archive.md
  folio patch move notes.md --to archive/ --links
  folio patch delete docs/ --matching '^Deprecated$' --level 2 --dry-run
  folio patch apply edits.json --check

Exit status: 0 success or nothing to change, 1 part not found or edit already applied, 2
error, 3 ambiguous part, 4 refused: file changed, structure change or limit exceeded.
With --check: 0 nothing to change or already applied, 1 would change, 2 part not found.";

    fn flags(command: Command) -> Command {
        with_letters(command)
    }

    fn check(matches: &ArgMatches, _json: bool) -> Result<(), Error> {
        refuse_flags(matches)
    }
}

/// The options of `patch`, in the order of the help.
#[derive(Args, Debug, Default)]
pub struct PatchArgs {
    /// What to do
    #[arg(value_name = "OPERATION", value_enum)]
    pub operation: Operation,
    /// Files or addresses (FILE:10-50); directories if a target is given; - edits standard input
    /// and prints the result
    #[arg(value_name = "ADDRESS", value_hint = clap::ValueHint::FilePath)]
    pub addresses: Vec<OsString>,

    /// The part to edit.
    #[command(flatten)]
    pub target: TargetArgs,
    /// Conditions that select parts.
    #[command(flatten)]
    pub conditions: Conditions,
    /// The whole file
    #[arg(long, group = PART, conflicts_with = MATCH, help_heading = "Targets (one of them)")]
    pub whole_file: bool,

    /// The new text
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, help_heading = CONTENT)]
    #[arg(conflicts_with = "content_file", action = ArgAction::Append, group = ONCE)]
    pub content: Option<OsString>,
    /// Read the new text from FILE (- for standard input)
    #[arg(short = 'f', long, value_name = "FILE", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::FilePath, action = ArgAction::Append, group = ONCE)]
    pub content_file: Option<OsString>,
    /// Options of the edit.
    #[command(flatten)]
    pub options: EditOptions,
    /// Limits, and options for writing.
    #[command(flatten)]
    pub write: WriteArgs,

    /// Options for patterns.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// Options for reading documents.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// Options for finding files.
    #[command(flatten)]
    pub lookup: LookupArgs,
    /// Options for output.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl PatchArgs {
    /// Converts the arguments to options. `exists` is whether a file exists, to distinguish its
    /// name from an address, and `is_directory` whether a path is that of a directory.
    pub fn options(
        mut self,
        exists: impl Fn(&Path) -> bool,
        is_directory: impl Fn(&Path) -> bool,
    ) -> Result<PatchOptions, Error> {
        self.take_side()?;
        self.take_lines();
        let conditions = self.conditions();
        let named_type = self.named_type(is_directory);
        let is_typed = named_type.is_some();
        let is_set = self.operation == Operation::Set && !conditions.is_given();
        if self.target.value || is_set || is_typed {
            self.target.take_key(&mut self.addresses, exists);
        }
        let expect_parts = self.options.expect.take_if(|_| conditions.is_given());
        self.take_value_type(named_type);
        let (edit, further_parts) = match self.operation {
            Operation::Apply => (self.apply_request()?, Vec::new()),
            _ => self.edit()?,
        };
        let EditOptions { glob: globs, types, .. } = self.options;
        Ok(PatchOptions {
            addresses: self.addresses,
            edit,
            further_parts,
            documents: self.documents.options(),
            expect_parts,
            conditions,
            rules: RuleOptions { globs, types, ..RuleOptions::default() },
            resolve: self.lookup.missing.resolve,
            write: self.write,
            section_patterns: self.target.section_pattern,
            is_internal: false,
        })
    }

    fn conditions(&self) -> Conditions {
        self.conditions.conditions(self.patterns.options().case)
    }

    /// Replaces `beforeHeading` or `afterHeading` in a JSON target with a heading and a side.
    fn take_side(&mut self) -> Result<(), Error> {
        for text in &mut self.target.target {
            let Ok(DistinctFields(mut value)) = serde_json::from_str(text) else { continue };
            let Some(field) = json::take_side(&mut value) else { continue };
            if self.operation != Operation::Insert {
                return Err(Error::usage(format!("target: {field} can only be used with insert")));
            }
            self.options.before |= field == "beforeHeading";
            self.options.after |= field == "afterHeading";
            *text = value.to_string();
        }
        Ok(())
    }

    /// If `--lines` is given with a text or pattern, treats it like the lines of an address, in
    /// which to search.
    fn take_lines(&mut self) {
        if self.target.match_flag().is_none() || self.target.lines.is_empty() {
            return;
        }
        let lines = std::mem::take(&mut self.target.lines);
        let with_lines = |address: &OsString| -> Vec<OsString> {
            let with = |lines: &String| [address, OsStr::new(lines)].join(OsStr::new(":"));
            lines.iter().map(with).collect()
        };
        self.addresses = self.addresses.iter().flat_map(with_lines).collect();
    }

    /// Returns the edit to make at each address, and further parts to edit there.
    fn edit(&self) -> Result<(Request, Vec<Scoped>), Error> {
        let mut parts = self.targets()?.into_iter();
        let (target, scope) = parts.next().unwrap_or_default();
        let text = self.content.as_ref().map(|text| text.as_bytes().to_vec().into());
        let side = self.side()?;
        self.check_destination()?;
        self.options.check()?;
        let edit = Request {
            operation: self.operation,
            side,
            target,
            scope,
            content: text.or(self.content_file.clone().map(Into::into)),
            options: self.options.clone(),
            ..Request::default()
        };
        Ok((edit, parts.collect()))
    }

    fn side(&self) -> Result<Option<Side>, Error> {
        match (self.options.before, self.options.after) {
            (true, true) => Err(contradiction(BEFORE, AFTER)),
            (true, false) => Ok(Some(Side::Before)),
            (false, true) => Ok(Some(Side::After)),
            (false, false) => Ok(None),
        }
    }

    /// Fails if `move` or `copy` has no destination.
    fn check_destination(&self) -> Result<(), Error> {
        if self.options.to.is_some() || !self.operation.carries() {
            return Ok(());
        }
        let name = self.operation.name();
        Err(Error::usage(format!("{name} needs a destination: {TO} ADDRESS"))
            .hint(format!("{TO} FILE:LINE, {TO} FILE#heading, or {TO} FILE for its end")))
    }

    /// Determines the type of the value of a key, or of an item that is appended to a file that is a
    /// list. It is given by the same option as file types.
    fn take_value_type(&mut self, named: Option<Type>) {
        use Operation::{Append, Insert, Replace, Set};
        let is_key = |target: Option<Part>| {
            matches!(target, Some(Part::Key { .. } | Part::FrontMatter { key: Some(_), .. }))
        };
        let is_root_item = self.operation == Append && !self.conditions().is_given();
        let has_value = matches!(self.operation, Append | Insert | Replace | Set)
            && self.targets().is_ok_and(|parts| match &parts[..] {
                [] | [(None | Some(Part::Whole), None)] => is_root_item,
                _ => parts.into_iter().all(|(target, _)| is_key(target)),
            });
        self.options.value_type = named.filter(|_| has_value);
        self.options.types.pop_if(|_| self.options.value_type.is_some());
    }

    /// Returns the type of values that the option for types names, unless it chooses files.
    fn named_type(&self, is_directory: impl Fn(&Path) -> bool) -> Option<Type> {
        let named = self.options.types.last().and_then(|name| Type::from_name(name));
        named.filter(|named| *named != Type::Yaml || self.are_yaml_files(is_directory))
    }

    /// Whether all addresses are files that contain YAML, by their names or by the format in which
    /// they are to be read, so that a value may be YAML. Otherwise, the option chooses the files in a
    /// directory.
    fn are_yaml_files(&self, is_directory: impl Fn(&Path) -> bool) -> bool {
        let is_yaml_file = |address: &OsString| {
            let path = Address::parse(address, |_| true).map(|address| address.path);
            let path = path.ok().filter(|path| !is_directory(path));
            let name = path.as_deref().and_then(Path::file_name);
            let by_name = name.and_then(|name| Format::by_name(&name.to_string_lossy()));
            let format = name.and(self.documents.as_format).or(by_name);
            format.is_some_and(|format| {
                format.syntax() == Some(Syntax::Yaml) || format.has(Feature::FrontMatter)
            })
        };
        !self.conditions().is_given() && self.addresses.iter().all(is_yaml_file)
    }

    /// Returns the edits of `apply`. Fails if there are options that describe a single edit.
    fn apply_request(&self) -> Result<Request, Error> {
        let content = match &self.addresses[..] {
            [] => None,
            [file] => Some(file.clone().into()),
            _ => return Err(Error::usage("apply reads one file of edits, but several are given")),
        };
        Ok(Request { operation: Operation::Apply, content, ..Request::default() })
    }

    /// Returns the targets, each with the section in which to look for it.
    fn targets(&self) -> Result<Vec<Scoped>, Error> {
        let mut parts = if self.whole_file {
            vec![scoped(Part::Whole, self.target.within.clone())?]
        } else {
            self.target.targets(self.patterns.options())?
        };
        for (target, _) in &mut parts {
            let Some(Part::Match(query)) = target else {
                self.refuse_strays()?;
                continue;
            };
            query.multiline = self.options.multiline;
            query.ignore_whitespace = self.options.ignore_whitespace;
            query.normalize_unicode = self.options.normalize_unicode;
        }
        Ok(parts)
    }

    /// Fails if an option needs another target than the given one, which is not a text or pattern.
    fn refuse_strays(&self) -> Result<(), Error> {
        let pattern_flag = self.patterns.given_option(self.conditions().is_given());
        let strays = [
            (self.target.no_children && !self.target.heading.is_empty())
                .then_some((NO_CHILDREN, format!("{SECTION} or {BODY}"))),
            self.options.multiline.then_some((MULTILINE, PATTERN.to_string())),
            self.options.inline.then_some((INLINE, TEXT.to_string())),
            self.options.ignore_whitespace.then_some((IGNORE_WHITESPACE, TEXT.to_string())),
            self.options.normalize_unicode.then_some((NORMALIZE_UNICODE, TEXT.to_string())),
            pattern_flag.map(|flag| (flag, format!("{TEXT} or {PATTERN}"))),
        ];
        match strays.into_iter().flatten().next() {
            Some((flag, needs)) => Err(Error::usage(format!("{flag} needs {needs}"))),
            None => Ok(()),
        }
    }
}
