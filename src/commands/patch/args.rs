//! The flags of `patch`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Content, EditOptions, Occurrence, Operation, Request, Side, Target, wire};
use crate::commands::json;
use crate::commands::misses::Flag;
use crate::commands::shared_args::{
    DocumentArgs, OutputArgs, PatternArgs, RootArgs, code_block, contradiction, flag_error,
    target_error,
};
use crate::error::{Code, Error, shell_word};
use crate::files::address::{Address, Part};
use crate::files::roots::Roots;
use crate::text::span::parse_line_ranges;

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
  rename    a heading gets another text and keeps its level
  move      the part goes to the place that --to names
  copy      the part comes at that place too
  create    a new file
  apply     edits in JSON: one, an array, JSON Lines, or {\"edits\":[…]}

Content is whole lines for parts made of lines; a final newline is optional.
For texts, patterns and values it is taken exactly. No escapes: a backslash is
a backslash. $'a\\nb' is how most shells write a line feed.

Examples:
  folio patch replace notes.md --text 'teh' -c 'the' --occurrence all --dry-run
  folio patch insert TODO.md:12 -c '- [ ] call home'
  folio patch rename guide.md --heading Setup -c Installation
  folio patch append CHANGELOG.md --section Unreleased -c '- Faster.'
  folio patch move notes.md --section Ideas --to archive.md
  folio patch apply edits.json --check

Exit status: 0 done or nothing to change, 1 no such part or already applied, 2
trouble, 3 several candidates, 4 conflict: a guard, the structure, a limit.";

/// What is done; `apply` reads what is done.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationArg {
    /// The part becomes the content
    #[value(alias = "replace-lines", alias = "replaceLines")]
    Replace,
    /// Content before or after the part
    Insert,
    /// Content at the end of a section or of the file
    Append,
    /// The part goes
    Delete,
    /// A heading gets another text
    Rename,
    /// The part goes to another place
    Move,
    /// The part comes at another place too
    Copy,
    /// A new file
    Create,
    /// Edits in JSON
    Apply,
}

impl OperationArg {
    fn name(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Insert => "insert",
            Self::Append => "append",
            Self::Delete => "delete",
            Self::Rename => "rename",
            Self::Move => "move",
            Self::Copy => "copy",
            Self::Create => "create",
            Self::Apply => "apply",
        }
    }

    /// What may stand behind a file.
    fn example(self) -> &'static str {
        match self {
            Self::Replace | Self::Insert => "--section NAME --content TEXT",
            Self::Append | Self::Create | Self::Apply => "--content TEXT",
            Self::Delete => "--section NAME",
            Self::Rename => "--heading OLD --content NEW",
            Self::Move | Self::Copy => "--section NAME --to ADDRESS",
        }
    }
}

const TARGETS: &str = "Targets (one of them)";
const ABOUT_TARGETS: &str = "About targets";
const CONTENT: &str = "Content";
const MATCHES: &str = "Texts and patterns";
const GUARDS: &str = "Guards";
const WRITING: &str = "Writing";

/// The flags, in the order of help.
#[derive(Args, Debug)]
pub struct PatchArgs {
    /// What to do
    #[arg(value_name = "OPERATION", value_enum)]
    pub operation: OperationArg,
    /// Files and parts of files; - takes standard input and prints the result
    #[arg(value_name = "ADDRESS", value_hint = clap::ValueHint::FilePath)]
    pub addresses: Vec<OsString>,

    /// Lines: 10, 10-50, 10-
    #[arg(long, value_name = "RANGE", allow_hyphen_values = true, help_heading = TARGETS)]
    pub lines: Option<String>,
    /// A section by its name
    #[arg(help = "A heading with its body, an INI section, a log entry; also 'Guide > Install', \
                'Setup[2]'")]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, help_heading = TARGETS)]
    pub section: Option<String>,
    /// The same without its first line
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, help_heading = TARGETS)]
    pub body: Option<String>,
    /// The line of a heading itself
    #[arg(long, value_name = "NAME", allow_hyphen_values = true, help_heading = TARGETS)]
    pub heading: Option<String>,
    /// What stands between the fences of a code block, counted from 0; LANG:N counts one language
    #[arg(long, value_name = "N", allow_hyphen_values = true, help_heading = TARGETS)]
    pub code_block: Option<String>,
    /// What #ID leads to
    #[arg(long, value_name = "ID", allow_hyphen_values = true, help_heading = TARGETS)]
    pub anchor: Option<String>,
    /// Front matter
    #[arg(long, help_heading = TARGETS)]
    pub front_matter: bool,
    /// A text, in one line or several
    #[arg(long, value_name = "STRING", allow_hyphen_values = true, help_heading = TARGETS)]
    pub text: Option<String>,
    /// What a regular expression matches within a line
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true, help_heading = TARGETS)]
    pub pattern: Option<String>,
    /// The whole file
    #[arg(long, help_heading = TARGETS)]
    pub whole_file: bool,
    /// A target as JSON: {"heading":"## Install"}
    #[arg(long, value_name = "JSON", allow_hyphen_values = true, help_heading = TARGETS)]
    pub target: Option<String>,

    /// Look for the target in this section only
    #[arg(long = "in", value_name = "SECTION", allow_hyphen_values = true)]
    #[arg(help_heading = ABOUT_TARGETS)]
    pub within: Option<String>,
    /// Leave out the sections below a heading
    #[arg(long, help_heading = ABOUT_TARGETS)]
    pub no_children: bool,
    /// A key of the INI section or front matter
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, help_heading = ABOUT_TARGETS)]
    pub key: Option<String>,
    /// The value of the key alone
    #[arg(long, help_heading = ABOUT_TARGETS)]
    pub value: bool,
    /// The fences of the code block too
    #[arg(long, help_heading = ABOUT_TARGETS)]
    pub fences: bool,
    /// Lines that begin a section, in place of ^\[LOG-
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true, help_heading = ABOUT_TARGETS)]
    pub section_pattern: Vec<String>,

    /// What to put in
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, help_heading = CONTENT)]
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
    /// Rewrite links to a renamed heading in these documents, or those below a directory
    #[arg(long, value_name = "PATH", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub links_in: Vec<PathBuf>,
    /// Give content the indentation of the part's first line (the default)
    #[arg(long, overrides_with = "no_preserve_indent", help_heading = CONTENT)]
    pub preserve_indent: bool,
    /// Take content as it is indented
    #[arg(long, overrides_with = "preserve_indent", help_heading = CONTENT)]
    pub no_preserve_indent: bool,

    /// Which matches: first, last, all, or a number from 1
    #[arg(long, value_name = "WHICH", help_heading = MATCHES)]
    pub occurrence: Option<String>,
    /// Refuse if there are several matches
    #[arg(long, help_heading = MATCHES)]
    pub unique: bool,
    /// Refuse unless there are this many matches
    #[arg(long, value_name = "N", help_heading = MATCHES)]
    pub expect: Option<u64>,
    /// Take any run of blanks for any other
    #[arg(long, help_heading = MATCHES)]
    pub ignore_whitespace: bool,
    /// Take quotes, dashes and accents for equal however they are spelt
    #[arg(long, help_heading = MATCHES)]
    pub normalize_unicode: bool,
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
    /// Keep the old file beside the new one
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = ".bak", help_heading = WRITING)]
    pub backup: Option<OsString>,
    /// Write into the file itself, where another cannot take its place (hard links, bind mounts)
    #[arg(long, help_heading = WRITING)]
    pub in_place: bool,
    /// Edit the other files though one fails
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
    /// How output is told.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl PatchArgs {
    /// The edits that these flags ask for, one an address; `content` is what
    /// they put in. Not for `apply`.
    pub fn requests(&self, content: Option<Content>, roots: &Roots) -> Result<Vec<Request>, Error> {
        self.refuse_strays()?;
        if self.addresses.is_empty() {
            let name = self.operation.name();
            return Err(Error::usage(format!("{name} needs a file"))
                .hint(format!("folio patch {name} FILE {}", self.operation.example())));
        }
        let operation = self.operation(roots)?;
        let target = self.one_target()?;
        let options = self.options()?;
        let guarded = self.if_match.is_some() || self.if_range_match.is_some();
        if guarded && self.addresses.len() > 1 {
            return Err(Error::usage(
                "--if-match and --if-range-match go with one address, and several are given",
            ));
        }
        let requests: Vec<Request> = self
            .addresses
            .iter()
            .map(|operand| {
                let mut request = Request {
                    address: self.address(operand, roots)?,
                    operation: operation.clone(),
                    target: target.clone(),
                    scope: self.within.clone(),
                    content: content.clone(),
                    options: options.clone(),
                };
                check(&mut request)?;
                Ok(request)
            })
            .collect::<Result<_, Error>>()?;
        if requests.len() > 1 && requests.iter().any(|request| request.address.is_stdin()) {
            return Err(Error::usage("- goes with no other file: its result is printed"));
        }
        Ok(requests)
    }

    /// The flags that are about the run, not about one edit, as they are typed:
    /// what a hint says must not write where only looking was asked for.
    pub fn of_run(&self) -> Vec<Flag> {
        let given = [
            (self.dry_run, "--dry-run"),
            (self.check, "--check"),
            (self.diff, "--diff"),
            (self.in_place, "--in-place"),
            (self.no_undo, "--no-undo"),
            (self.no_sync, "--no-sync"),
            (self.checksum, "--checksum"),
        ];
        let given = given.iter().filter(|(given, _)| *given);
        let mut flags: Vec<Flag> = given.map(|(_, flag)| vec![flag.into()]).collect();
        let mut flag = |name: &str, value: OsString| flags.push(vec![name.into(), value]);
        self.backup.iter().for_each(|suffix| flag("--backup", suffix.into()));
        self.max_delete.iter().for_each(|most| flag("--max-delete", most.to_string().into()));
        self.section_pattern.iter().for_each(|pattern| flag("--section-pattern", pattern.into()));
        flags.extend(self.documents.flags());
        flags
    }

    fn address(&self, operand: &OsStr, roots: &Roots) -> Result<Address, Error> {
        if self.operation == OperationArg::Create {
            return Ok(Address::whole(operand));
        }
        Address::parse(operand, |path: &Path| roots.exists(path))
    }

    fn side(&self) -> Result<Option<Side>, Error> {
        match (self.before, self.after) {
            (true, true) => Err(contradiction("--before", "--after")),
            (true, false) => Ok(Some(Side::Before)),
            (false, true) => Ok(Some(Side::After)),
            (false, false) => Ok(None),
        }
    }

    fn operation(&self, roots: &Roots) -> Result<Operation, Error> {
        let side = self.side()?;
        let to = || -> Result<(Address, Side), Error> {
            let Some(to) = &self.to else {
                let name = self.operation.name();
                return Err(Error::usage(format!("{name} needs --to ADDRESS"))
                    .hint("--to FILE:LINE, --to FILE#heading, or --to FILE for its end"));
            };
            Ok((self.address(to, roots)?, side.unwrap_or(Side::After)))
        };
        Ok(match self.operation {
            OperationArg::Replace => Operation::Replace,
            OperationArg::Insert => Operation::Insert(side),
            OperationArg::Append => Operation::Append,
            OperationArg::Delete => Operation::Delete,
            OperationArg::Rename => Operation::Rename(self.links_in.clone()),
            OperationArg::Move => to().map(|(to, side)| Operation::Move(to, side))?,
            OperationArg::Copy => to().map(|(to, side)| Operation::Copy(to, side))?,
            OperationArg::Create => Operation::Create,
            OperationArg::Apply => return Err(Error::usage("apply reads its operations")),
        })
    }

    fn one_target(&self) -> Result<Option<Target>, Error> {
        let mut targets = self.targets()?;
        if let [(first, _), (second, _), ..] = targets[..] {
            return Err(contradiction(first, second));
        }
        Ok(targets.pop().map(|(_, target)| target))
    }

    fn targets(&self) -> Result<Vec<(&'static str, Target)>, Error> {
        let mut targets = Vec::new();
        if let Some(text) = &self.lines {
            targets.push(("--lines", lines(text)?));
        }
        let children = !self.no_children;
        match (&self.section, &self.key) {
            (section, Some(key)) if !self.front_matter => {
                let flag = if section.is_some() { "--section" } else { "--key" };
                let (section, key) = (section.clone(), key.clone());
                targets.push((flag, Target::Key { section, key, value: self.value }));
            }
            (Some(name), _) => targets
                .push(("--section", Target::Section { name: name.clone(), body: false, children })),
            (None, _) => {}
        }
        if let Some(name) = &self.body {
            let name = name.clone();
            targets.push(("--body", Target::Section { name, body: true, children }));
        }
        if let Some(name) = &self.heading {
            targets.push(("--heading", Target::Heading(name.clone())));
        }
        if let Some(block) = &self.code_block {
            let (language, index) = code_block(block)?;
            let fences = self.fences;
            targets.push(("--code-block", Target::CodeBlock { language, index, fences }));
        }
        if let Some(id) = &self.anchor {
            let id = id.strip_prefix('#').unwrap_or(id).to_owned();
            targets.push(("--anchor", Target::Anchor(id)));
        }
        if self.front_matter {
            let target = Target::FrontMatter { key: self.key.clone(), value: self.value };
            targets.push(("--front-matter", target));
        }
        let given = [("--text", &self.text, false), ("--pattern", &self.pattern, true)];
        for (flag, source, regex) in given {
            let Some(source) = source else { continue };
            let mut query = wire::query(flag, source, regex, self.patterns.options())?;
            query.ignore_whitespace = self.ignore_whitespace;
            query.normalize_unicode = self.normalize_unicode;
            targets.push((flag, Target::Match(query)));
        }
        if self.whole_file {
            targets.push(("--whole-file", Target::WholeFile));
        }
        if let Some(json) = &self.target {
            let value =
                serde_json::from_str(json).map_err(|error| json::misread("--target", &error))?;
            let target = wire::target(value, self.patterns.options()).map_err(target_error)?;
            targets.push(("--target", target));
        }
        Ok(targets)
    }

    fn options(&self) -> Result<EditOptions, Error> {
        let set = self.set.iter().map(|pair| match pair.split_once('=') {
            Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
            _ => Err(Error::usage(format!("--set: '{pair}' is not of the form NAME=VALUE"))),
        });
        Ok(EditOptions {
            occurrence: self.occurrence.as_deref().map_or(Ok(Occurrence::First), occurrence)?,
            unique: self.unique,
            expect: self.expect,
            expand: self.expand,
            preserve_indent: !self.no_preserve_indent,
            set: set.collect::<Result<_, Error>>()?,
            if_match: guard("--if-match", self.if_match.as_deref())?,
            if_range_match: guard("--if-range-match", self.if_range_match.as_deref())?,
        })
    }

    /// Flags that change something that is not asked for.
    fn refuse_strays(&self) -> Result<(), Error> {
        use OperationArg::{Copy, Create, Delete, Insert, Move, Rename, Replace};
        let is = |operations: &[OperationArg]| operations.contains(&self.operation);
        let section = self.section.is_some() || self.body.is_some();
        let given_target = self.target.is_some();
        let matching = self.text.is_some() || self.pattern.is_some() || given_target;
        let side = if self.before { "--before" } else { "--after" };
        let checks = [
            (self.no_children && !section, "--no-children", "--section or --body"),
            (self.fences && self.code_block.is_none(), "--fences", "--code-block"),
            (self.value && self.key.is_none(), "--value", "--key"),
            (self.occurrence.is_some() && !matching, "--occurrence", "--text or --pattern"),
            (self.unique && !matching, "--unique", "--text or --pattern"),
            (self.expect.is_some() && !matching, "--expect", "--text or --pattern"),
            (self.ignore_whitespace && self.text.is_none(), "--ignore-whitespace", "--text"),
            (self.normalize_unicode && self.text.is_none(), "--normalize-unicode", "--text"),
            (self.expand && self.pattern.is_none() && !given_target, "--expand", "--pattern"),
            (self.within.is_some() && is(&[Create]), "--in", "a file that exists"),
        ];
        for (stray, flag, needs) in checks {
            if stray {
                return Err(Error::usage(format!("{flag} needs {needs}")));
            }
        }
        let sided = is(&[Insert, Move, Copy]);
        let of_operations = [
            ((self.before || self.after) && !sided, side, "insert, move or copy"),
            (self.to.is_some() && !is(&[Move, Copy]), "--to", "move or copy"),
            (!self.links_in.is_empty() && !is(&[Rename]), "--links-in", "rename"),
            (self.expand && !is(&[Replace, Insert]), "--expand", "replace or insert"),
        ];
        for (stray, flag, operations) in of_operations {
            if stray {
                return Err(Error::usage(format!("{flag} goes only with {operations}")));
            }
        }
        if let Some(flag) = self.patterns.given().filter(|_| !matching) {
            return Err(Error::usage(format!("{flag} needs --text or --pattern")));
        }
        let has_content = self.content.is_some() || self.content_file.is_some();
        if has_content && is(&[Delete, Move, Copy]) {
            let name = self.operation.name();
            let error = Error::usage(format!("{name} takes no content"));
            return Err(match self.operation {
                Delete => error.hint("replace puts content in the place of a part"),
                _ => error,
            });
        }
        self.refuse_contradictions()
    }

    /// Flags that say two things at once.
    pub fn refuse_contradictions(&self) -> Result<(), Error> {
        let pairs = [
            (self.content.is_some(), "--content", self.content_file.is_some(), "--content-file"),
            (self.unique, "--unique", self.occurrence.is_some(), "--occurrence"),
            (self.unique, "--unique", self.expect.is_some(), "--expect"),
        ];
        for (one, first, other, second) in pairs {
            if one && other {
                return Err(contradiction(first, second));
            }
        }
        if self
            .backup
            .as_ref()
            .is_some_and(|suffix| suffix.is_empty() || suffix.as_bytes().contains(&b'/'))
        {
            return Err(Error::usage("--backup: a suffix is some text like .bak, without a slash"));
        }
        Ok(())
    }

    /// For `apply`: flags that its edits say themselves.
    pub fn refuse_edit_flags(&self) -> Result<(), Error> {
        let given = [
            (self.content.is_some(), "--content"),
            (self.content_file.is_some(), "--content-file"),
            (!self.set.is_empty(), "--set"),
            (self.before, "--before"),
            (self.after, "--after"),
            (self.to.is_some(), "--to"),
            (!self.links_in.is_empty(), "--links-in"),
            (self.within.is_some(), "--in"),
            (self.key.is_some(), "--key"),
            (self.value, "--value"),
            (self.occurrence.is_some(), "--occurrence"),
            (self.unique, "--unique"),
            (self.expect.is_some(), "--expect"),
            (self.expand, "--expand"),
            (self.ignore_whitespace, "--ignore-whitespace"),
            (self.normalize_unicode, "--normalize-unicode"),
            (self.preserve_indent, "--preserve-indent"),
            (self.no_preserve_indent, "--no-preserve-indent"),
            (self.if_match.is_some(), "--if-match"),
            (self.if_range_match.is_some(), "--if-range-match"),
            (self.keep_going, "--keep-going"),
        ];
        let stray = given.into_iter().find_map(|(given, flag)| given.then_some(flag));
        let stray =
            stray.or(self.targets()?.first().map(|(flag, _)| *flag)).or(self.patterns.given());
        if let Some(flag) = stray {
            return Err(Error::usage(format!(
                "{flag} does not go with apply: each edit says such things itself"
            )));
        }
        if self.addresses.len() > 1 {
            return Err(Error::usage("apply reads one file of edits, and several are given"));
        }
        self.refuse_contradictions()
    }
}

/// Refuses what no flag alone is wrong with.
pub(super) fn check(request: &mut Request) -> Result<(), Error> {
    // Of a key the scope is its section.
    if let (Some(scope), Some(Target::Key { section, .. })) = (&request.scope, &mut request.target)
    {
        if section.is_some() {
            return Err(contradiction("--in", "--section with --key"));
        }
        *section = Some(scope.clone());
        request.scope = None;
    }
    let request = &*request;
    check_match(request)?;
    let name = request.operation.name();
    let part = match &request.address.part {
        Part::Whole => None,
        Part::Lines(_) => Some("the lines of the address"),
        Part::Anchor(_) => Some("the anchor of the address"),
    };
    if let (Some(part), Some(target)) = (part, &request.target) {
        return Err(contradiction(part, target.flag()));
    }
    if let (Some(_), Some(Target::Lines(_))) = (&request.scope, &request.target) {
        return Err(contradiction("--in", "--lines")
            .hint("leave --in out  # the numbers of lines are those of the file"));
    }
    let unscoped = match &request.target {
        Some(Target::WholeFile) => Some("--whole-file"),
        Some(Target::FrontMatter { .. }) => Some("--front-matter"),
        _ => None,
    };
    if let (Some(target), Some(_)) = (unscoped, &request.scope) {
        return Err(contradiction("--in", target));
    }
    if let (Some(scope), None, None) = (&request.scope, &request.target, part)
        && request.operation != Operation::Append
    {
        return Err(Error::usage("--in says where to look for a part, and no part is named")
            .hint(format!("--section {}  # the section itself", shell_word(scope))));
    }
    if let Some(query) = request.target.as_ref().and_then(Target::query)
        && query.relaxes()
        && (query.regex || query.patterns.word || query.patterns.line)
    {
        return Err(Error::usage(
            "--ignore-whitespace and --normalize-unicode need --text, without -w and -x",
        ));
    }
    if let (Some(part), Some(_)) = (part, &request.scope) {
        return Err(contradiction("--in", part));
    }
    let takes = matches!(
        request.operation,
        Operation::Replace
            | Operation::Insert(_)
            | Operation::Append
            | Operation::Rename(_)
            | Operation::Create
    );
    if takes && request.content.is_none() {
        return Err(Error::usage(format!("{name} needs content"))
            .hint("--content TEXT, or --content-file FILE  # - is standard input"));
    }
    if !takes && request.content.is_some() {
        return Err(Error::usage(format!("{name} takes no content")));
    }
    if request.operation == Operation::Create && (part.is_some() || request.target.is_some()) {
        return Err(Error::usage("create makes a whole file, and a part of one is named"));
    }
    if request.options.expect == Some(0) {
        return Err(Error::usage("--expect 0 would edit nothing: it is at least 1"));
    }
    Ok(())
}

/// Refuses options of texts and patterns where there is none.
fn check_match(request: &Request) -> Result<(), Error> {
    let options = &request.options;
    let query = request.target.as_ref().and_then(Target::query);
    for (given, name) in [
        (options.occurrence != Occurrence::First, "--occurrence"),
        (options.unique, "--unique"),
        (options.expect.is_some(), "--expect"),
        (options.expand, "--expand"),
    ] {
        if given && query.is_none() {
            return Err(Error::usage(format!("{name} needs --text or --pattern")));
        }
    }
    if options.expand && query.is_some_and(|query| !query.regex) {
        return Err(Error::usage("--expand needs --pattern"));
    }
    if !options.set.is_empty() && request.content.is_none() {
        return Err(Error::usage("--set needs content"));
    }
    Ok(())
}

/// `first`, `last`, `all` or a number from 1.
pub(super) fn occurrence(text: &str) -> Result<Occurrence, Error> {
    match text {
        "first" => Ok(Occurrence::First),
        "last" => Ok(Occurrence::Last),
        "all" => Ok(Occurrence::All),
        _ => match text.parse() {
            Ok(number) if number > 0 => Ok(Occurrence::Number(number)),
            _ => Err(Error::usage(format!(
                "--occurrence: '{text}' is not first, last, all or a number from 1"
            ))),
        },
    }
}

/// The checksum that a guard names, told of its flag or field.
pub(super) fn guard(name: &str, text: Option<&str>) -> Result<Option<String>, Error> {
    text.map(checksum).transpose().map_err(|error| flag_error(name, error))
}

/// The beginning of a SHA-256, in lower case.
fn checksum(text: &str) -> Result<String, Error> {
    let is_one =
        (12..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_one {
        return Err(Error::usage(format!(
            "'{text}' is not a checksum: 12 to 64 hexadecimal digits of a SHA-256"
        ))
        .hint(
            "folio read --checksum ADDRESS  # the one of a part; sha256sum prints that of a file",
        ));
    }
    Ok(text.to_ascii_lowercase())
}

fn lines(text: &str) -> Result<Target, Error> {
    let ranges = parse_line_ranges(text)
        .map_err(|message| Error::new(Code::InvalidRange, format!("--lines: {message}")))?;
    match ranges[..] {
        [range] => Ok(Target::Lines(range)),
        _ => Err(Error::usage("--lines: an edit takes one range of lines")
            .hint("give an address for each range: FILE:1-3 FILE:7-9")),
    }
}
