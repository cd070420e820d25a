//! The flags of `folio edit`.

use std::ffi::OsString;

use clap::Args;

use super::EditOptions;
use super::options::{Edit, Edits, Input, Options};
use crate::commands::shared_args::{ConfigArgs, DocumentArgs, OutputArgs, ResolveArgs, RootArgs};
use crate::commands::target::flags::TargetArgs;
use crate::error::Error;
use crate::text::pattern::PatternOptions;

/// What `--help` opens with.
pub const ABOUT: &str = "Edit a part of a file in your editor";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Open a part of a file in your editor ($VISUAL, else $EDITOR, else vi), and put what you
leave in its place, as folio patch replace does: bytes outside the part stay as they are,
and folio undo takes it back. Without a part it is the whole file; of a text or pattern
it is the lines that hold it.

If the part was changed by somebody else meanwhile, or the edit is refused, nothing is
written, and your text stays in a file whose name is told. A text that is not changed, an
empty one and an editor that fails change nothing.";

/// The long help's end.
pub const AFTER_HELP: &str = "\
The words of $VISUAL or $EDITOR are split by a shell: EDITOR='code --wait'. An editor must
not return before the file is closed.

Examples:
  folio edit README.md --section Install
  folio edit 'README.md#install'
  folio edit notes.md:12-20
  folio edit app.ini --section database --key host
  folio edit README.md --code-block bash:0
  EDITOR='sed -i s/old/new/' folio edit README.md --front-matter

Exit status: 0 done or nothing to change, 1 no such part, 2 trouble, 3 several
candidates, 4 conflict: somebody else changed it, or the structure would change.";

const WRITING: &str = "Writing";

/// The flags, in the order of help.
#[derive(Args, Debug)]
pub struct EditArgs {
    /// A file or a part of it
    #[arg(value_name = "ADDRESS", value_hint = clap::ValueHint::FilePath)]
    pub address: OsString,

    /// What is edited.
    #[command(flatten)]
    pub target: TargetArgs,

    /// Print what changed as a diff
    #[arg(long, help_heading = WRITING)]
    pub diff: bool,
    /// Keep the old file beside the new one: x.md.bak, or x.md.bak.1 where that is taken
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = ".bak", help_heading = WRITING)]
    pub backup: Option<OsString>,
    /// Write into the file itself, where another cannot take its place (hard links, bind mounts)
    #[arg(long, help_heading = WRITING)]
    pub in_place: bool,
    /// Do not remember how to take it back
    #[arg(long, help_heading = WRITING)]
    pub no_undo: bool,

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

impl EditArgs {
    /// What these flags ask for.
    pub fn options(self) -> Result<Options, Error> {
        let (target, scope) = self.target.target(PatternOptions::default())?;
        let edit = Edit {
            target,
            scope,
            // It is what the editor leaves.
            content: Some(Input::Bytes(Vec::new())),
            options: EditOptions { preserve_indent: false, ..EditOptions::default() },
            ..Edit::default()
        };
        Ok(Options {
            edits: Edits::Each { addresses: vec![self.address], edit: Box::new(edit) },
            documents: self.documents.options(),
            resolve: self.resolve.resolve,
            // Who has the lines in front of them means the ones that go.
            max_delete: u64::MAX,
            diff: self.diff,
            in_place: self.in_place,
            undo: !self.no_undo,
            backup: self.backup,
            section_patterns: self.target.section_pattern,
            ..Options::default()
        })
    }
}
