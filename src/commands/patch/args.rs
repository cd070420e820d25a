//! The flags of `patch`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::operation_args::OperationArg;
use super::options::{Edit, Edits, Input, OperationParts, Options};
use super::words::Words;
use super::{EditOptions, LinkScope, Operation, wire};
use crate::commands::conditions::Conditions;
use crate::commands::conditions::flags::ConditionArgs;
use crate::commands::shared_args::{
    ConfigArgs, DocumentArgs, OutputArgs, PatternArgs, ResolveArgs, RootArgs,
};
use crate::commands::target::Target;
use crate::commands::target::flags::{PART, TargetArgs, scoped};
use crate::commands::target::json;
use crate::error::Error;
use crate::files::ignore_rules::RuleOptions;

/// What `--help` opens with.
pub const ABOUT: &str = "Edit a part of a file: replace, insert, delete, move, rename, and more";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Edit a part of a file by its name. Bytes outside that part stay as they are:
encoding, line ends, the final newline, permissions.

  folio patch replace README.md --section Install --content-file new.md
  folio patch replace app.ini --section database --key host --value -c db.example

Nothing is matched by likeness. A part that is missing, or that several could
be, is an error that names the candidates, and the file stays as it is. An edit
of Markdown that would make or swallow headings or code blocks elsewhere is
refused. What was written can be taken back: folio undo.";

/// The long help's end.
pub const AFTER_HELP: &str = "\
Operations:
  replace   the part becomes the content
  insert    content before the part (the default for lines) or after it
  append    content at the end of a section, of its keys, or of the file
  delete    the part goes
  rename    a heading gets another text and keeps its level; an INI section another name
  move      the part goes to the place that --to names; without a part, the file itself
  copy      the part comes at that place too
  create    a new file
  set       a key gets a value; it and its section are made if they are not there
  apply     edits in JSON: one, an array, JSON Lines, or {\"edits\":[…]}

--links keeps links right that rename, move, copy and delete would break: those into the
part or file, those in it, and those whose #anchor shifts (#setup-1). Links to what is
deleted are listed. Without it they are counted.

Content is whole lines for parts made of lines; a final newline is optional.
For texts, patterns and values it is taken exactly. No escapes: a backslash is
a backslash. $'a\\nb' is how most shells write a line feed.

What another program writes to a file meanwhile stays, and the edit ends with status 4.
What it appends while the files change places is kept as NAME.before, or stays where it is
with --in-place; what it writes behind even that, to a file it had open, is lost: 1 append
of 597 where one program did nothing else, none of 493 with --in-place. What a run leaves
that was killed begins with .folio- (find . -name '.folio-*'): the next edit in that
directory puts it in order, or folio undo --recover.

folio patch OPERATION --help tells of one operation, with its flags and examples.
An edit in JSON, as apply takes it:
  {\"filePath\":\"README.md\",\"operation\":\"replace\",
   \"target\":{\"body\":\"Install\"},\"content\":\"Run make.\"}

-s, -T and -e are short for --section, --text and --pattern, as in folio read. In zsh, and
anywhere, quotes keep a # what it is.

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

Exit status: 0 done or nothing to change, 1 no such part or already applied, 2
trouble, 3 several candidates, 4 conflict: a guard, the structure, a limit.";

const CONTENT: &str = "Content";
const MATCHES: &str = "Texts and patterns";
const GUARDS: &str = "Guards";
const WRITING: &str = "Writing";

/// The flags, in the order of help.
#[derive(Args, Debug, Default)]
pub struct PatchArgs {
    /// What to do
    #[arg(value_name = "OPERATION", value_enum)]
    pub operation: OperationArg,
    /// Files and parts of files; - takes standard input and prints the result
    #[arg(value_name = "ADDRESS", value_hint = clap::ValueHint::FilePath)]
    pub addresses: Vec<OsString>,

    /// What is edited.
    #[command(flatten)]
    pub target: TargetArgs,
    /// Which parts are edited.
    #[command(flatten)]
    pub conditions: ConditionArgs,
    /// The whole file
    #[arg(long, group = PART, help_heading = "Targets (one of them)")]
    pub whole_file: bool,

    /// What to put in
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, help_heading = CONTENT)]
    #[arg(conflicts_with = "content_file")]
    pub content: Option<OsString>,
    /// Put in what a file holds (- for standard input)
    #[arg(short = 'f', long, value_name = "FILE", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub content_file: Option<OsString>,
    /// Fill {{NAME}} in the content
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true, help_heading = CONTENT)]
    pub set: Vec<String>,
    /// Before the part
    #[arg(long, help_heading = CONTENT)]
    pub before: bool,
    /// After the part
    #[arg(long, help_heading = CONTENT)]
    pub after: bool,
    /// Where move and copy put the part: FILE, FILE:12, FILE#anchor
    #[arg(long, value_name = "ADDRESS", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::FilePath)]
    pub to: Option<OsString>,
    /// Keep links right that the edit would break, in the whole repository
    #[arg(long, help_heading = CONTENT)]
    pub links: bool,
    /// The same only in these documents, or those below a directory (repeatable)
    #[arg(long, value_name = "PATH", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub links_in: Vec<PathBuf>,
    /// Give content that brings no indentation that of the part's first line (the default)
    #[arg(long, overrides_with = "no_preserve_indent", help_heading = CONTENT)]
    pub preserve_indent: bool,
    /// Take content as it is indented
    #[arg(long, overrides_with = "preserve_indent", help_heading = CONTENT)]
    pub no_preserve_indent: bool,
    /// Take parts and content with just the blank lines and the indentation that they have
    #[arg(long, help_heading = CONTENT)]
    pub exact: bool,

    /// Which matches: first, last, all, or a number from 1
    #[arg(long, value_name = "WHICH", help_heading = MATCHES)]
    pub occurrence: Option<String>,
    /// Refuse if there are several matches
    #[arg(long, help_heading = MATCHES)]
    pub unique: bool,
    /// Refuse unless there are this many matches, or parts that conditions select
    #[arg(long, value_name = "N", help_heading = MATCHES)]
    pub expect: Option<u64>,
    /// Take any run of blanks for any other
    #[arg(long, help_heading = MATCHES)]
    pub ignore_whitespace: bool,
    /// Take quotes, dashes and accents for equal however they are spelt
    #[arg(long, help_heading = MATCHES)]
    pub normalize_unicode: bool,
    /// Pass over matches in code blocks
    #[arg(long, help_heading = MATCHES)]
    pub outside_code: bool,
    /// Pass over matches in HTML comments of Markdown
    #[arg(long, help_heading = MATCHES)]
    pub outside_comments: bool,
    /// Let the pattern match over several lines
    #[arg(short = 'U', long, help_heading = MATCHES)]
    pub multiline: bool,
    /// Below directories, take only files that the glob names (!GLOB leaves out; repeatable)
    #[arg(short = 'g', long, value_name = "GLOB", help_heading = MATCHES)]
    pub glob: Vec<String>,
    /// Below directories, take only files of this type (repeatable)
    #[arg(short = 't', long = "type", value_name = "TYPE", help_heading = MATCHES)]
    pub types: Vec<String>,
    /// Fill $1 and ${name} in the content from the pattern's groups
    #[arg(long, help_heading = MATCHES)]
    pub expand: bool,

    /// Refuse unless the file's SHA-256 begins with this (12 to 64 digits)
    #[arg(long, value_name = "CHECKSUM", help_heading = GUARDS)]
    pub if_match: Option<String>,
    /// Refuse unless the part's SHA-256 begins with this
    #[arg(long, value_name = "CHECKSUM", help_heading = GUARDS)]
    pub if_range_match: Option<String>,
    /// Refuse to take away more lines than this (200)
    #[arg(long, value_name = "N", help_heading = GUARDS)]
    pub max_delete: Option<u64>,
    /// Do it though the structure changes elsewhere, or more lines go than --max-delete
    #[arg(long, help_heading = GUARDS)]
    pub force: bool,

    /// Print what would change as a diff, and write nothing
    #[arg(short = 'd', long, help_heading = WRITING)]
    pub dry_run: bool,
    /// Write nothing; exit 1 if something would change; with --diff, show what
    #[arg(long, help_heading = WRITING)]
    pub check: bool,
    /// Print what changed as a diff
    #[arg(long, help_heading = WRITING)]
    pub diff: bool,
    /// In JSON, add the lines before and after
    #[arg(long, overrides_with = "no_preview", help_heading = WRITING)]
    pub preview: bool,
    /// Take --preview back, as aliases do
    #[arg(long, overrides_with = "preview", hide = true, help_heading = WRITING)]
    pub no_preview: bool,
    /// Keep the old file beside the new one: x.md.bak, or x.md.bak.1 where that is taken
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = ".bak", help_heading = WRITING)]
    pub backup: Option<OsString>,
    /// Write into the file itself, where another cannot take its place (hard links, bind mounts)
    #[arg(long, help_heading = WRITING)]
    pub in_place: bool,
    /// Edit the other files though one fails; each is a transaction of its own
    #[arg(long, help_heading = WRITING)]
    pub keep_going: bool,
    /// Do not remember how to take it back
    #[arg(long, help_heading = WRITING)]
    pub no_undo: bool,
    /// Do not wait until the disk has it
    #[arg(long, help_heading = WRITING)]
    pub no_sync: bool,
    /// Tell the checksums of the file before and after
    #[arg(long, help_heading = WRITING)]
    pub checksum: bool,

    /// How patterns are meant.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// How documents are taken.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// Whether configuration counts.
    #[command(flatten)]
    pub config: ConfigArgs,
    /// How they are found.
    #[command(flatten)]
    pub resolve: ResolveArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl PatchArgs {
    /// What these flags ask for.
    pub fn options(mut self) -> Result<Options, Error> {
        self.take_side()?;
        self.take_lines();
        let edits = match self.operation {
            OperationArg::Apply => self.batch()?,
            _ => self.each()?,
        };
        let default = Options::default();
        let conditions = self.conditions();
        Ok(Options {
            edits,
            documents: self.documents.options(),
            expect_parts: self.expect.filter(|_| conditions.is_given()),
            conditions,
            rules: RuleOptions { globs: self.glob, types: self.types, ..RuleOptions::default() },
            resolve: self.resolve.resolve,
            max_delete: self.max_delete.unwrap_or(default.max_delete),
            force: self.force,
            dry_run: self.dry_run,
            check: self.check,
            diff: self.diff,
            preview: self.preview,
            checksum: self.checksum,
            in_place: self.in_place,
            keep_going: self.keep_going,
            sync: !self.no_sync,
            undo: !self.no_undo,
            backup: self.backup,
            section_patterns: self.target.section_pattern,
        })
    }

    fn conditions(&self) -> Conditions {
        self.conditions.conditions(self.patterns.options().case)
    }

    /// A target beside a heading is the heading, and a side of it.
    fn take_side(&mut self) -> Result<(), Error> {
        let text = self.target.target.as_deref().unwrap_or_default();
        let Ok(mut value) = serde_json::from_str(text) else { return Ok(()) };
        let Some(side) = json::take_side(&mut value) else { return Ok(()) };
        let name = self.operation.to_possible_value();
        let name = name.as_ref().map_or("", PossibleValue::get_name);
        wire::beside(side, name, &mut self.before, &mut self.after)?;
        self.target.target = Some(value.to_string());
        Ok(())
    }

    /// Lines beside a text or pattern are where that is looked for, as those of an address.
    fn take_lines(&mut self) {
        let is_scope = self.target.match_flag().is_some();
        let Some(lines) = self.target.lines.take_if(|_| is_scope) else { return };
        for address in &mut self.addresses {
            address.push(":");
            address.push(&lines);
        }
    }

    /// One edit an address.
    fn each(&self) -> Result<Edits, Error> {
        self.refuse_strays()?;
        let parts = OperationParts { before: self.before, after: self.after, to: self.to.clone() };
        let name = self.operation.to_possible_value();
        let name = name.as_ref().map_or("", PossibleValue::get_name);
        let (target, scope) = self.named()?;
        let text = self.content.as_ref().map(|text| Input::Bytes(text.as_bytes().to_vec()));
        let edit = Edit {
            operation: Operation::named(name, parts, Words::Flags)?,
            target,
            scope,
            content: text.or(self.content_file.clone().map(Input::File)),
            options: self.edit_options()?,
        };
        Ok(Edits::Each { addresses: self.addresses.clone(), edit: Box::new(edit) })
    }

    /// Edits in JSON, which say themselves what other flags would say of one.
    fn batch(&self) -> Result<Edits, Error> {
        match &self.addresses[..] {
            [] => Ok(Edits::Json(None)),
            [file] => Ok(Edits::Json(Some(Input::File(file.clone())))),
            _ => Err(Error::usage("apply reads one file of edits, and several are given")),
        }
    }

    /// The target, and the section to look for it in.
    fn named(&self) -> Result<(Option<Target>, Option<String>), Error> {
        if self.whole_file {
            return scoped(Target::WholeFile, self.target.within.clone());
        }
        let (mut target, scope) = self.target.target(self.patterns.options())?;
        if let Some(Target::Match(query)) = &mut target {
            query.multiline = self.multiline;
            query.ignore_whitespace = self.ignore_whitespace;
            query.normalize_unicode = self.normalize_unicode;
        }
        Ok((target, scope))
    }

    fn edit_options(&self) -> Result<EditOptions, Error> {
        let set = self.set.iter().map(|pair| match pair.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            _ => Err(Error::usage(format!("--set: '{pair}' is not of the form NAME=VALUE"))),
        });
        let occurrence = self.occurrence.as_deref();
        Ok(EditOptions {
            occurrence: occurrence
                .map(|text| wire::occurrence_named(text, Words::Flags))
                .transpose()?,
            unique: self.unique,
            expect: self.expect.filter(|_| !self.conditions().is_given()),
            outside_code: self.outside_code,
            outside_comments: self.outside_comments,
            expand: self.expand,
            preserve_indent: !self.no_preserve_indent && !self.exact,
            exact: self.exact,
            set: set.collect::<Result<_, Error>>()?,
            if_match: self.if_match.clone(),
            if_range_match: self.if_range_match.clone(),
            links: LinkScope { everywhere: self.links, paths: self.links_in.clone() },
        })
    }

    /// Refuses flags that say more of a target that is not given.
    fn refuse_strays(&self) -> Result<(), Error> {
        let TargetArgs { text, pattern, no_children, heading, .. } = &self.target;
        let by_json = self.target.target.is_some();
        let pattern_flag = self.patterns.given(self.conditions().is_given());
        let pattern_flag = pattern_flag.filter(|_| !self.target.takes_pattern());
        let checks = [
            (*no_children && heading.is_some(), "--no-children", "--section or --body"),
            (self.multiline && pattern.is_none() && !by_json, "--multiline", "--pattern"),
            (self.ignore_whitespace && text.is_none(), "--ignore-whitespace", "--text"),
            (self.normalize_unicode && text.is_none(), "--normalize-unicode", "--text"),
            (pattern_flag.is_some(), pattern_flag.unwrap_or_default(), "--text or --pattern"),
        ];
        match checks.iter().find(|(stray, ..)| *stray) {
            Some((_, flag, needs)) => Err(Error::usage(format!("{flag} needs {needs}"))),
            None => Ok(()),
        }
    }
}
