//! The flags of `undo`.

use std::ffi::OsString;

use clap::Args;

use super::{Action, Options};
use crate::commands::shared_args::{OutputArgs, ResolveArgs, RootArgs};
use crate::error::{Code, Error, Hint};
use crate::files::undo::Which;

/// What `--help` opens with.
pub const ABOUT: &str = "Take back what patch wrote, and nothing else";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Take back what folio patch wrote. All files of a transaction go back, or none.
What has changed elsewhere in a file stays; where what the patch wrote is not
there any more, nothing is changed, and the closest place is told.

  folio undo                     the last patch below this repository
  folio undo --list              what can be taken back, newest first
  folio redo                     bring it back

Without a number or a file it is about the repository around the current
directory (the nearest .git upward), or else about the current directory: never
about files elsewhere.

What is taken back leaves the history: the next undo is about the patch before.";

/// The long help's end.
pub const AFTER_HELP: &str = "\
The history holds what was removed and where, not copies of files: the last
1,000 patches of 30 days, 64 MiB at most, in $XDG_STATE_HOME/folio or
~/.local/state/folio. A patch that removes over 16 MiB needs --no-undo, or
FOLIO_UNDO=0 in the environment: then it is not in the history.

Records carry checksums. A damaged one is never applied: it is set aside in the
history's directory, under a name that ends with .damaged.

Examples:
  folio undo 7                   the patch that was told this number
  folio undo notes.md            the last patch of a file
  folio undo --dry-run           what it would do, as a diff
  folio undo --list notes.md     all that can be taken back of it
  folio undo --show 7            what that patch did, as a diff
  folio undo --forget 7          leave it as it is, for good
  folio undo --any               the last patch, wherever it was
  folio undo --recover           after a crash: finish or take back what it cut off

Exit status: 0 done, 1 there is nothing to take back, 2 trouble, 4 a file has
changed since, or another run is editing it.";

/// The flags, in the order of help.
#[derive(Args, Debug)]
pub struct UndoArgs {
    /// The number of a patch, or a file: the last patch of it
    #[arg(value_name = "ID|FILE", value_hint = clap::ValueHint::FilePath)]
    pub which: Option<OsString>,
    /// Print what would be taken back as a diff, and write nothing
    #[arg(short = 'd', long, visible_alias = "diff")]
    pub dry_run: bool,
    /// Take back the last patch wherever it was, or list all
    #[arg(long)]
    pub any: bool,
    /// Show what can be taken back, newest first
    #[arg(long)]
    pub list: bool,
    /// Show what a patch did, as a diff
    #[arg(long, value_name = "ID", conflicts_with_all = ["list", "which"])]
    pub show: Option<u64>,
    /// Bring back what was taken back last, as folio redo does
    #[arg(long, conflicts_with_all = ["list", "show"])]
    pub redo: bool,
    /// Leave a patch as it is: take it out of the history, and change no file
    #[arg(long, value_name = "ID", conflicts_with_all = ["list", "show", "redo", "which"])]
    pub forget: Option<u64>,
    /// Put in order what runs left that were cut off
    #[arg(long, conflicts_with_all = ["list", "show", "redo", "forget"])]
    pub recover: bool,
    /// How files are found.
    #[command(flatten)]
    pub resolve: ResolveArgs,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl UndoArgs {
    /// What these flags ask for.
    pub fn options(&self) -> Result<Options, Error> {
        let action = match self {
            Self { list: true, .. } => Action::List,
            Self { redo: true, .. } => Action::Redo,
            Self { recover: true, .. } => Action::Recover,
            Self { show: Some(_), .. } => Action::Show,
            Self { forget: Some(_), .. } => Action::Forget,
            _ => Action::Undo,
        };
        let id = self.show.or(self.forget).map(Which::Id);
        let which = id.map_or_else(|| which(self.which.as_ref()), Ok)?;
        let resolve = self.resolve.resolve;
        Ok(Options { action, which, any: self.any, dry_run: self.dry_run, resolve })
    }
}

/// What `redo --help` opens with.
pub const REDO_ABOUT: &str = "Bring back what undo took back";

/// The long help's opening.
pub const REDO_LONG_ABOUT: &str = "\
Bring back what folio undo took back last below this repository, or below the
current directory where there is none, until the next patch there. Several
undos are brought back in the opposite order.

  folio undo; folio redo         as it was";

/// The flags of `redo`, in the order of help.
#[derive(Args, Debug)]
pub struct RedoArgs {
    /// The number that the undo told, or a file: the last undo of it
    #[arg(value_name = "ID|FILE", value_hint = clap::ValueHint::FilePath)]
    pub which: Option<OsString>,
    /// Print what would be brought back as a diff, and write nothing
    #[arg(short = 'd', long, visible_alias = "diff")]
    pub dry_run: bool,
    /// Bring back what was taken back last, wherever it was
    #[arg(long)]
    pub any: bool,
    /// How files are found.
    #[command(flatten)]
    pub resolve: ResolveArgs,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl RedoArgs {
    /// What these flags ask for.
    pub fn options(&self) -> Result<Options, Error> {
        let (which, any, dry_run) = (which(self.which.as_ref())?, self.any, self.dry_run);
        Ok(Options { action: Action::Redo, which, any, dry_run, resolve: self.resolve.resolve })
    }
}

fn which(given: Option<&OsString>) -> Result<Which, Error> {
    let Some(given) = given else { return Ok(Which::Last) };
    let is_digits = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    // `./7` is a file.
    match given.to_str().filter(|word| !word.is_empty()).filter(is_digits) {
        None => Ok(Which::File(given.into())),
        Some(number) => number.parse().map(Which::Id).map_err(|_| {
            let message = format!("the history has no patch {number}");
            let list = Hint::command("undo", ["--list"]).why("what can be taken back");
            Error::new(Code::TargetNotFound, message).hint(list)
        }),
    }
}
