//! The options of `patch` that limit an edit and that determine how it is written.

use std::ffi::OsString;

use clap::Args;

pub(super) const GUARDS: &str = "Guards";
const WRITING: &str = "Writing";

/// Limits of a run, and options for writing.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = WRITING)]
pub struct WriteArgs {
    /// Fail if more than N lines would be deleted (default: 200)
    #[arg(long, value_name = "N", help_heading = GUARDS)]
    pub max_delete: Option<u64>,
    /// Fail if more than N files would change (default: 50, or max_files in the user configuration)
    #[arg(long, value_name = "N", help_heading = GUARDS)]
    pub max_files: Option<u64>,
    /// Follow ADDRESS if it is a symlink to a directory
    #[arg(long, help_heading = GUARDS)]
    pub follow: bool,
    /// Allow changes to headings outside the part, and more deletions than --max-delete
    #[arg(long, help_heading = GUARDS)]
    pub force: bool,

    /// Print a diff of what would change, and write nothing
    #[arg(short = 'd', long)]
    pub dry_run: bool,
    /// Write nothing; exit with 1 if something would change
    #[arg(long)]
    pub check: bool,
    /// Print a diff of what changed
    #[arg(long)]
    pub diff: bool,
    /// Include the old and the new lines in JSON output
    #[arg(long, overrides_with = "no_preview")]
    pub preview: bool,
    /// Disable --preview
    #[arg(long, overrides_with = "preview", hide = true)]
    pub no_preview: bool,
    /// Keep a copy of the old file: FILE.bak, or FILE.bak.1 if that exists
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = ".bak")]
    pub backup: Option<OsString>,
    /// Write into the existing file instead of replacing it (for hard links and bind mounts)
    #[arg(long)]
    pub in_place: bool,
    /// Continue with the other files if one fails; each file is a separate transaction
    #[arg(long)]
    pub keep_going: bool,
    /// Create the missing directories of a new or moved file
    #[arg(long)]
    pub parents: bool,
    /// Do not record the edit for folio undo
    #[arg(long)]
    pub no_undo: bool,
    /// Do not wait for the data to reach the disk
    #[arg(long)]
    pub no_sync: bool,
    /// Print the checksum of the file before and after the edit
    #[arg(long)]
    pub checksum: bool,
}
