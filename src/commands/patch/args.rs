//! The options of `patch`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use clap::{ArgMatches, Args, Command};

use super::operation_args::{Operation, refuse_flags};
use super::options::{Edits, Options};
use super::write_args::{GUARDS, WriteArgs};
use super::{EditOptions, LinkScope, Occurrence, Request, Side};
use crate::commands::conditions::Conditions;
use crate::commands::matching::CodeFilter;
use crate::commands::request::CommandLine;
use crate::commands::shared_args::{
    DocumentArgs, LookupArgs, OutputArgs, PatternArgs, contradiction,
};
use crate::commands::target::Target;
use crate::commands::target::flags::{PART, Scoped, TargetArgs, scoped, with_letters};
use crate::commands::target::json;
use crate::error::Error;
use crate::files::address::Address;
use crate::files::ignore_rules::RuleOptions;
use crate::text::keys::value::Type;

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
error, 3 ambiguous part, 4 refused: file changed, structure change or limit exceeded.";

    fn flags(command: Command) -> Command {
        with_letters(command)
    }

    fn check(matches: &ArgMatches, _json: bool) -> Result<(), Error> {
        refuse_flags(matches)
    }
}

const CONTENT: &str = "Content";
const MATCHES: &str = "Matching";

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
    #[arg(long, group = PART, help_heading = "Targets (one of them)")]
    pub whole_file: bool,

    /// The new text
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, help_heading = CONTENT)]
    #[arg(conflicts_with = "content_file")]
    pub content: Option<OsString>,
    /// Read the new text from FILE (- for standard input)
    #[arg(short = 'f', long, value_name = "FILE", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub content_file: Option<OsString>,
    /// Replace {{NAME}} in the content with VALUE (repeatable)
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true, help_heading = CONTENT)]
    pub set: Vec<String>,
    /// Insert before the part (in move and copy, before the address in --to)
    #[arg(long, help_heading = CONTENT)]
    pub before: bool,
    /// Insert after the part (in move and copy, after the address in --to)
    #[arg(long, help_heading = CONTENT)]
    pub after: bool,
    /// Destination of move and copy: FILE, FILE:12, FILE#anchor
    #[arg(long, value_name = "ADDRESS", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub to: Option<OsString>,
    /// Update links that the edit would break, in the whole repository
    #[arg(long, help_heading = CONTENT)]
    pub links: bool,
    /// Update links only in this file or directory (repeatable)
    #[arg(long, value_name = "PATH", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub links_in: Vec<PathBuf>,
    /// Indent unindented content to match the first line of the part (the default)
    #[arg(long, overrides_with = "no_preserve_indent", help_heading = CONTENT)]
    pub preserve_indent: bool,
    /// Do not change the indentation of the content
    #[arg(long, overrides_with = "preserve_indent", help_heading = CONTENT)]
    pub no_preserve_indent: bool,
    /// Do not adjust blank lines or indentation
    #[arg(long, help_heading = CONTENT)]
    pub exact: bool,

    /// Which match to edit: first, last, all, or a number from 1
    #[arg(long, value_name = "WHICH", help_heading = MATCHES)]
    pub occurrence: Option<String>,
    /// Fail if there are several matches
    #[arg(long, help_heading = MATCHES)]
    pub unique: bool,
    /// Fail unless there are exactly N matches or selected parts
    #[arg(long, value_name = "N", help_heading = MATCHES)]
    pub expect: Option<u64>,
    /// Treat any two sequences of whitespace as equal
    #[arg(long, help_heading = MATCHES)]
    pub ignore_whitespace: bool,
    /// Treat Unicode variants of quotes, dashes and accented letters as equal
    #[arg(long, help_heading = MATCHES)]
    pub normalize_unicode: bool,
    /// Ignore matches in code blocks
    #[arg(long, conflicts_with = "only_code", help_heading = MATCHES)]
    pub outside_code: bool,
    /// Match only in code blocks, including their fences
    #[arg(long, help_heading = MATCHES)]
    pub only_code: bool,
    /// Ignore matches in HTML comments
    #[arg(long, help_heading = MATCHES)]
    pub outside_comments: bool,
    /// Allow a match of the pattern to span lines
    #[arg(short = 'U', long, help_heading = MATCHES)]
    pub multiline: bool,
    /// In directories, include only files that match the glob; !GLOB excludes (repeatable)
    #[arg(short = 'g', long, value_name = "GLOB", help_heading = MATCHES)]
    pub glob: Vec<String>,
    /// With --key, the type of the value: string, int, float, bool, null, json; in directories,
    /// include only files of this type (repeatable)
    #[arg(id = "type", short = 't', long, value_name = "TYPE", help_heading = MATCHES)]
    pub types: Vec<String>,
    /// Replace $1 and ${name} in the content with what the pattern's groups matched
    #[arg(long, help_heading = MATCHES)]
    pub expand: bool,

    /// Fail unless the SHA-256 of the file or of the part begins with CHECKSUM
    #[arg(long, value_name = "CHECKSUM", help_heading = GUARDS)]
    pub if_match: Option<String>,
    /// Fail unless the SHA-256 of the part begins with CHECKSUM (12 to 64 digits)
    #[arg(long, value_name = "CHECKSUM", help_heading = GUARDS)]
    pub if_range_match: Option<String>,
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
    /// Converts the arguments to options.
    pub fn options(mut self) -> Result<Options, Error> {
        self.take_side()?;
        self.take_lines();
        let edits = match self.operation {
            Operation::Apply => self.batch()?,
            _ => Edits::Each { addresses: self.addresses.clone(), edit: Box::new(self.edit()?) },
        };
        let conditions = self.conditions();
        if self.value_type().is_some() {
            self.types.pop();
        }
        Ok(Options {
            edits,
            documents: self.documents.options(),
            expect_parts: self.expect.filter(|_| conditions.is_given()),
            conditions,
            rules: RuleOptions { globs: self.glob, types: self.types, ..RuleOptions::default() },
            resolve: self.lookup.missing.resolve,
            write: self.write,
            section_patterns: self.target.section_pattern,
        })
    }

    fn conditions(&self) -> Conditions {
        self.conditions.conditions(self.patterns.options().case)
    }

    /// Replaces `beforeHeading` or `afterHeading` in a JSON target with a heading and a side.
    fn take_side(&mut self) -> Result<(), Error> {
        let text = self.target.target.as_deref().unwrap_or_default();
        let Ok(mut value) = serde_json::from_str(text) else { return Ok(()) };
        let Some(field) = json::take_side(&mut value) else { return Ok(()) };
        if self.operation != Operation::Insert {
            return Err(Error::usage(format!("target: {field} can only be used with insert")));
        }
        self.before |= field == "beforeHeading";
        self.after |= field == "afterHeading";
        self.target.target = Some(value.to_string());
        Ok(())
    }

    /// If `--lines` is given with a text or pattern, treats it like the lines of an address, in
    /// which to search.
    fn take_lines(&mut self) {
        let is_scope = self.target.match_flag().is_some();
        let Some(lines) = self.target.lines.take_if(|_| is_scope) else { return };
        for address in &mut self.addresses {
            address.push(":");
            address.push(&lines);
        }
    }

    /// Returns the edit to make for each address.
    fn edit(&self) -> Result<Request, Error> {
        let (target, scope) = self.named()?;
        let text = self.content.as_ref().map(|text| text.as_bytes().to_vec().into());
        let side = self.side()?;
        self.check_destination()?;
        Ok(Request {
            operation: self.operation,
            side,
            to: self.to.as_ref().map(Address::whole),
            target,
            scope,
            content: text.or(self.content_file.clone().map(Into::into)),
            options: self.edit_options()?,
            ..Request::default()
        })
    }

    fn side(&self) -> Result<Option<Side>, Error> {
        match (self.before, self.after) {
            (true, true) => Err(contradiction("--before", "--after")),
            (true, false) => Ok(Some(Side::Before)),
            (false, true) => Ok(Some(Side::After)),
            (false, false) => Ok(None),
        }
    }

    /// Fails if `move` or `copy` has no destination.
    fn check_destination(&self) -> Result<(), Error> {
        if self.to.is_some() || !self.operation.carries() {
            return Ok(());
        }
        let name = self.operation.name();
        Err(Error::usage(format!("{name} needs a destination: --to ADDRESS"))
            .hint("--to FILE:LINE, --to FILE#heading, or --to FILE for its end"))
    }

    /// Returns the type of the value of a key. It is given by the same option as file types.
    fn value_type(&self) -> Option<Type> {
        let named = self.types.last().and_then(|name| Type::named(name));
        named.filter(|_| self.target.key.is_some() && self.operation != Operation::Delete)
    }

    /// Returns the edits of `apply`. Fails if there are options that describe a single edit.
    fn batch(&self) -> Result<Edits, Error> {
        match &self.addresses[..] {
            [] => Ok(Edits::Json(None)),
            [file] => Ok(Edits::Json(Some(file.clone().into()))),
            _ => Err(Error::usage("apply reads one file of edits, but several are given")),
        }
    }

    /// Returns the target, and the section in which to look for it.
    fn named(&self) -> Result<Scoped, Error> {
        let (mut target, scope) = match self.whole_file {
            true => scoped(Target::WholeFile, self.target.within.clone())?,
            false => self.target.target(self.patterns.options())?,
        };
        if let Some(Target::Match(query)) = &mut target {
            query.multiline = self.multiline;
            query.ignore_whitespace = self.ignore_whitespace;
            query.normalize_unicode = self.normalize_unicode;
            return Ok((target, scope));
        }
        let pattern_flag = self.patterns.given(self.conditions().is_given());
        let strays = [
            (self.target.no_children && self.target.heading.is_some())
                .then_some(("--no-children", "--section or --body")),
            self.multiline.then_some(("--multiline", "--pattern")),
            self.ignore_whitespace.then_some(("--ignore-whitespace", "--text")),
            self.normalize_unicode.then_some(("--normalize-unicode", "--text")),
            pattern_flag.map(|flag| (flag, "--text or --pattern")),
        ];
        match strays.into_iter().flatten().next() {
            Some((flag, needs)) => Err(Error::usage(format!("{flag} needs {needs}"))),
            None => Ok((target, scope)),
        }
    }

    fn edit_options(&self) -> Result<EditOptions, Error> {
        let set = self.set.iter().map(|pair| match pair.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            _ => Err(Error::usage(format!("--set: '{pair}' is not of the form NAME=VALUE"))),
        });
        let occurrence = self.occurrence.as_deref().map(occurrence);
        Ok(EditOptions {
            occurrence: occurrence.transpose()?,
            unique: self.unique,
            expect: self.expect.filter(|_| !self.conditions().is_given()),
            code: CodeFilter::of(self.outside_code, self.only_code),
            outside_comments: self.outside_comments,
            expand: self.expand,
            no_preserve_indent: self.no_preserve_indent || self.exact,
            exact: self.exact,
            set: set.collect::<Result<_, Error>>()?,
            if_match: self.if_match.clone(),
            if_range_match: self.if_range_match.clone(),
            links: LinkScope { everywhere: self.links, paths: self.links_in.clone() },
            value_type: self.value_type(),
        })
    }
}

/// Parses `first`, `last`, `all` or a number from 1.
fn occurrence(text: &str) -> Result<Occurrence, Error> {
    match (text, text.parse()) {
        ("first", _) => Ok(Occurrence::First),
        ("last", _) => Ok(Occurrence::Last),
        ("all", _) => Ok(Occurrence::All),
        (_, Ok(number)) if number > 0 => Ok(Occurrence::Number(number)),
        _ => {
            let message = format!("'{text}' is not first, last, all or a number from 1");
            Err(Error::usage(format!("--occurrence: {message}")))
        }
    }
}
