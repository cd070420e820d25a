//! The options of `folio edit`.

use std::ffi::OsString;

use clap::Args;

use super::EditOptions;
use super::args::PatchArgs;
use super::options::PatchOptions;
use super::write_args::WriteArgs;
use crate::commands::request::CommandLine;
use crate::commands::shared_args::{DocumentArgs, LookupArgs, OutputArgs};
use crate::commands::target::flags::TargetArgs;
use folio_files::error::Error;

impl CommandLine for EditArgs {
    const NAME: &'static str = "edit";
    const ABOUT: &'static str = "Edit part of a file in your editor";
    const LONG_ABOUT: &'static str = "\
Open part of a file in your editor and replace the part with the edited text. The editor
is $VISUAL, otherwise $EDITOR, otherwise vi. folio leaves every byte outside the part
unchanged, and folio undo reverts the edit. Without a part, folio opens the whole file;
for a text or pattern, it opens the matching lines.

If the part has changed in the file, or if folio refuses the edit, it writes nothing and
prints the name of a file that contains your text. folio also writes nothing if the
text is unchanged or empty, or if the editor fails.";
    const AFTER_HELP: &'static str = "\
$VISUAL and $EDITOR may contain arguments: EDITOR='code --wait'. The editor must not
return before you close the file.

Examples:
  folio edit README.md --section Install
  folio edit 'README.md#install'
  folio edit notes.md:12-20
  folio edit app.ini --section database --key host
  folio edit README.md --code-block bash:0
  EDITOR='sed -i s/old/new/' folio edit README.md --front-matter

Exit status: 0 success or nothing to change, 1 no such part, 2 error, 3 ambiguous part,
4 conflict: the part has changed, or the structure would change.";
}

const WRITING: &str = "Writing";

/// The options of `folio edit`, in the order of the help.
#[derive(Args, Debug)]
pub struct EditArgs {
    /// A file or an address (FILE:10-50, FILE#slug)
    #[arg(value_name = "ADDRESS", value_hint = clap::ValueHint::FilePath)]
    pub address: OsString,

    /// The part to edit.
    #[command(flatten)]
    pub target: TargetArgs,

    /// Print a diff of what changed
    #[arg(long, help_heading = WRITING)]
    pub diff: bool,
    /// Keep a copy of the old file: x.md.bak, or x.md.bak.1 if that exists
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = ".bak", help_heading = WRITING)]
    pub backup: Option<OsString>,
    /// Write into the existing file instead of replacing it (for hard links and bind mounts)
    #[arg(long, help_heading = WRITING)]
    pub in_place: bool,
    /// Do not record the edit for folio undo
    #[arg(long, help_heading = WRITING)]
    pub no_undo: bool,

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

impl EditArgs {
    /// Converts the arguments to options.
    pub fn options(self) -> Result<PatchOptions, Error> {
        let args = PatchArgs {
            addresses: vec![self.address],
            target: self.target,
            // The editor will provide the content.
            content: Some(OsString::new()),
            options: EditOptions { no_preserve_indent: true, ..EditOptions::default() },
            documents: self.documents,
            lookup: self.lookup,
            // The user sees in the editor which lines are deleted.
            write: WriteArgs {
                max_delete: Some(u64::MAX),
                diff: self.diff,
                in_place: self.in_place,
                no_undo: self.no_undo,
                backup: self.backup,
                ..WriteArgs::default()
            },
            ..PatchArgs::default()
        };
        args.options(|_| true, |_| false)
    }
}
