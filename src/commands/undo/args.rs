//! The options of `undo`.

use std::ffi::OsString;

use clap::{ArgAction, Args};

use crate::commands::request::CommandLine;
use crate::commands::rules::{Rule, excludes, needs};
use crate::commands::shared_args::{
    ONCE, OutputArgs, ResolveArgs, RootArgs, contradiction, empty_flag,
};
use folio_files::error::{Code, Error, Hint};
use folio_files::options::{ALL, FORGET, FORGET_MATCHING};
use folio_files::undo::Which;

impl CommandLine for UndoArgs {
    const NAME: &'static str = "undo";
    const ABOUT: &'static str = "Undo the last patch";
    const LONG_ABOUT: &'static str = "\
Undo a patch in all of its files, or in none. Later changes elsewhere in the files are
kept. If the text that the patch wrote is no longer in a file, folio changes nothing and
reports the closest match.

  folio undo                     undo the last patch in this repository
  folio undo --list              list patches and undos, newest first
  folio redo                     redo the last undo

Without a number or a file, folio undo considers only patches of files in the current
git repository or, outside a repository, below the current directory.

An undone patch is removed from the history, so the next undo reverts the patch before it.
In its place, the history keeps the undo and the text that it removed, for folio redo.";
    const AFTER_HELP: &'static str = "\
The history records removed text and its position, not copies of files. It contains the
last 1,000 patches of the last 30 days, at most 1 GiB, and is in $XDG_STATE_HOME/folio
or ~/.local/state/folio. A patch that removes over 256 MiB needs --no-undo, or
FOLIO_UNDO=0 in the environment; it is then not recorded. max_history_mib and
max_undo_mib in config.toml set these limits (folio help config).

Records have checksums. folio never applies a damaged record.

Examples:
  folio undo 7                   undo patch 7
  folio undo notes.md            undo the last patch of a file
  folio undo --dry-run           print a diff of the changes that undo would make
  folio undo --list notes.md     list the patches of a file
  folio undo --show 7            print the diff of patch 7
  folio undo --forget 7          remove patch or undo 7 from the history, with its text
  folio undo --forget --all      remove all of this repository; with --any, all
  folio undo --forget-matching s3cret
                                 remove each patch and undo that recorded this text
  folio undo --forget-matching s3cret --dry-run
                                 list what would be removed
  folio undo --any               undo the last patch in any directory
  folio undo --recover           after a crash, finish or roll back the patch

Exit status: 0 success, 1 nothing to undo, 2 error, 4 a file has changed since the
patch, or another run is editing it.";
    const RULES: &'static [Rule] = &[
        excludes("recover any", "which").named(|| "a patch or a file".to_owned()),
        excludes("dry-run", "list show recover"),
        needs("all", "forget"),
    ];
}

/// The options of `undo`, in the order of the help.
#[derive(Args, Debug, Default)]
pub struct UndoArgs {
    /// Number of a patch, or a file for its last patch
    #[arg(value_name = "ID|FILE", value_hint = clap::ValueHint::FilePath)]
    pub which: Option<OsString>,
    /// Print a diff of the changes that undo would make, and write nothing
    ///
    /// With --forget or --forget-matching, list what would be removed from the history.
    #[arg(short = 'd', long, visible_alias = "diff")]
    pub dry_run: bool,
    /// Undo the last patch in any directory; with --list or --forget, in all directories
    #[arg(long)]
    pub any: bool,
    /// List the patches that can be undone and the undos that can be redone, newest first
    #[arg(long)]
    pub list: bool,
    /// Print the diff of a patch
    #[arg(long, value_name = "ID", conflicts_with_all = ["list", "which"])]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub show: Option<u64>,
    /// Redo the last undo, as folio redo does
    #[arg(long, conflicts_with_all = ["list", "show"])]
    pub redo: bool,
    /// Remove a patch or an undo from the history without changing files
    #[arg(long, value_name = "ID", num_args = 0..=1)]
    #[arg(conflicts_with_all = ["list", "show", "redo", "which"])]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub forget: Option<Option<u64>>,
    /// With --forget, remove all patches and undos that --list would list
    #[arg(long)]
    pub all: bool,
    /// Remove each patch and undo that removed TEXT, or whose record contains it elsewhere
    #[arg(long, value_name = "TEXT")]
    #[arg(conflicts_with_all = ["list", "show", "redo", "which", "forget"])]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub forget_matching: Option<String>,
    /// Finish or roll back interrupted runs
    #[arg(long, conflicts_with_all = ["list", "show", "redo", "forget", "forget_matching"])]
    pub recover: bool,
    /// Options for finding files.
    #[command(flatten)]
    pub resolve: ResolveArgs,
    /// Options for confinement.
    #[command(flatten)]
    pub roots: RootArgs,
    /// Options for output.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The entries that are removed from the history.
pub(super) enum Forgotten {
    /// The entry with the number.
    Entry,
    /// All entries that would be listed.
    All,
    /// The entries among them whose records contain this text.
    Matching(String),
}

impl UndoArgs {
    /// Returns which entries to remove from the history, if any.
    ///
    /// # Errors
    ///
    /// Fails if this is unclear.
    pub(super) fn forgotten(&self) -> Result<Option<Forgotten>, Error> {
        Ok(match (&self.forget, &self.forget_matching) {
            (Some(Some(_)), _) if self.all => return Err(contradiction(ALL, "a number")),
            (Some(Some(_)), _) => Some(Forgotten::Entry),
            (Some(None), _) if self.all => Some(Forgotten::All),
            (Some(None), _) => {
                return Err(Error::usage(format!("{FORGET} needs a number, or {ALL}"))
                    .hint(Hint::command("undo", ["--list"]).why("list the numbers")));
            }
            (None, Some(text)) if text.is_empty() => return Err(empty_flag(FORGET_MATCHING)),
            (None, Some(text)) => Some(Forgotten::Matching(text.clone())),
            (None, None) => None,
        })
    }

    /// Returns the patches to act on.
    ///
    /// # Errors
    ///
    /// Fails if the number of a patch is too large.
    pub fn which(&self) -> Result<Which, Error> {
        if let Some(id) = self.show.or(self.forget.flatten()) {
            return Ok(Which::Id(id));
        }
        let Some(given) = &self.which else { return Ok(Which::Last) };
        let is_digits = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
        // A file whose name is a number can be given as `./7`.
        match given.to_str().filter(|word| !word.is_empty()).filter(is_digits) {
            None => Ok(Which::File(given.into())),
            Some(number) => number.parse().map(Which::Id).map_err(|_| {
                let message = format!("the history has no patch {number}");
                let list = Hint::command("undo", ["--list"]);
                let list = list.why("list the patches that can be undone");
                Error::new(Code::TargetNotFound, message).hint(list)
            }),
        }
    }
}

impl CommandLine for RedoArgs {
    const NAME: &'static str = "redo";
    const ABOUT: &'static str = "Redo the last undo";
    const LONG_ABOUT: &'static str = "\
Redo the last undo in this repository or, outside a repository, below the current
directory. Repeat the command to redo earlier undos. An undo cannot be redone after a
new patch in the same place.

  folio undo; folio redo         no change";
    const RULES: &'static [Rule] =
        &[excludes("any", "which").named(|| "a patch or a file".to_owned())];
}

/// The options of `redo`, in the order of the help.
#[derive(Args, Debug)]
pub struct RedoArgs {
    /// Number of an undo, or a file for its last undo
    #[arg(value_name = "ID|FILE", value_hint = clap::ValueHint::FilePath)]
    pub which: Option<OsString>,
    /// Print a diff of the changes that redo would make, and write nothing
    #[arg(short = 'd', long, visible_alias = "diff")]
    pub dry_run: bool,
    /// Redo the last undo in any directory
    #[arg(long)]
    pub any: bool,
    /// Options for finding files.
    #[command(flatten)]
    pub resolve: ResolveArgs,
    /// Options for confinement.
    #[command(flatten)]
    pub roots: RootArgs,
    /// Options for output.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl From<RedoArgs> for UndoArgs {
    fn from(args: RedoArgs) -> Self {
        let RedoArgs { which, dry_run, any, resolve, roots, output } = args;
        Self { which, dry_run, any, redo: true, resolve, roots, output, ..Self::default() }
    }
}
