//! The flags of `undo`.

use std::ffi::OsString;

use clap::Args;

use super::{Action, Options};
use crate::commands::shared_args::{OutputArgs, RootArgs};
use crate::files::undo::Which;

/// What `--help` opens with.
pub const ABOUT: &str = "Take back what patch wrote, if nothing has changed since";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Take back what folio patch wrote, as long as nothing has changed since. All
files of a transaction go back, or none.

  folio undo                     the last patch
  folio undo --list              what can be taken back, newest first

What is taken back leaves the history: the next undo is about the patch before.";

/// The long help's end.
pub const AFTER_HELP: &str = "\
The history holds what was removed and where, not copies of files: the last
1,000 patches of 30 days, 64 MiB at most, in $XDG_STATE_HOME/folio or
~/.local/state/folio. A patch that removes over 16 MiB is not in it, nor is one
made with --no-undo or with FOLIO_UNDO=0 in the environment.

Examples:
  folio undo 7                   the patch that was told this number
  folio undo notes.md            the last patch of a file
  folio undo --list notes.md     all that can be taken back of it
  folio undo --recover           after a crash: finish or take back what it cut off

Exit status: 0 done, 1 there is nothing to take back, 2 trouble, 4 a file has
changed since, or another run is editing it.";

/// The flags, in the order of help.
#[derive(Args, Debug)]
pub struct UndoArgs {
    /// The number of a patch, or a file: the last patch of it
    #[arg(value_name = "ID|FILE", value_hint = clap::ValueHint::FilePath)]
    pub which: Option<OsString>,
    /// Show what can be taken back, newest first
    #[arg(long)]
    pub list: bool,
    /// Put in order what runs left that were cut off
    #[arg(long, conflicts_with = "list")]
    pub recover: bool,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl UndoArgs {
    /// What these flags ask for.
    pub fn options(&self) -> Options {
        let id = |which: &OsString| which.to_str().and_then(id);
        Options {
            action: match (self.list, self.recover) {
                (true, _) => Action::List,
                (_, true) => Action::Recover,
                _ => Action::Undo,
            },
            which: match &self.which {
                None => Which::Last,
                Some(which) => id(which).map_or_else(|| Which::File(which.into()), Which::Id),
            },
        }
    }
}

/// The number of a patch; `./7` is a file.
fn id(word: &str) -> Option<u64> {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| word.parse().unwrap_or(u64::MAX))
}
