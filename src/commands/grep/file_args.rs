//! The options of `grep` that select and sort files.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use folio_files::error::Error;
use folio_files::ignore_rules::{RuleOptions, Unread};
use folio_files::listing::WalkOptions;
use folio_files::options::MAX_FILESIZE;

/// `--sort` and `--sortr`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortArg {
    /// Same as path
    None,
    /// By path
    #[default]
    Path,
    /// By the time of the last change, oldest first
    Modified,
    /// By the time of the last access
    Accessed,
    /// By the time of creation
    Created,
}

/// Options that select and sort files.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Directories")]
pub struct FileArgs {
    /// Include only files that match the glob; !GLOB excludes (repeatable)
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true)]
    pub glob: Vec<String>,
    /// Like --glob, but case-insensitive (repeatable)
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true)]
    pub iglob: Vec<String>,
    /// Match all globs case-insensitively
    #[arg(long)]
    pub glob_case_insensitive: bool,
    /// Include only files of this type: md, rust, ... (repeatable)
    #[arg(id = "type", short = 't', long, value_name = "TYPE")]
    pub types: Vec<String>,
    /// Exclude files of this type (repeatable)
    #[arg(short = 'T', long = "type-not", value_name = "TYPE")]
    pub types_not: Vec<String>,
    /// Add a glob to a file type: NAME:GLOB or NAME:include:OTHER
    #[arg(long, value_name = "DEFINITION")]
    pub type_add: Vec<String>,
    /// Clear the globs of a file type
    #[arg(long, value_name = "TYPE")]
    pub type_clear: Vec<String>,
    /// Print all file types and their globs
    #[arg(long)]
    pub type_list: bool,
    /// Print the names of the files that would be searched
    #[arg(long, conflicts_with_all = ["count", "count_matches"])]
    #[arg(conflicts_with_all = ["files_with_matches", "files_without_match"])]
    pub files: bool,
    /// Search hidden files and directories
    #[arg(short = '.', long)]
    pub hidden: bool,
    /// Search ignored files
    #[arg(long)]
    pub no_ignore: bool,
    /// Do not read .ignore and .rgignore
    #[arg(long)]
    pub no_ignore_dot: bool,
    /// Do not read .git/info/exclude
    #[arg(long)]
    pub no_ignore_exclude: bool,
    /// Do not read the files given to --ignore-file
    #[arg(long)]
    pub no_ignore_files: bool,
    /// Do not read git's global ignore file
    #[arg(long)]
    pub no_ignore_global: bool,
    /// Do not read ignore files in parent directories
    #[arg(long)]
    pub no_ignore_parent: bool,
    /// Do not read git's ignore files
    #[arg(long)]
    pub no_ignore_vcs: bool,
    /// Apply .gitignore files outside git repositories
    #[arg(long)]
    pub no_require_git: bool,
    /// Additional file with ignore rules, of the lowest precedence
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub ignore_file: Vec<PathBuf>,
    /// -u for --no-ignore, -uu to add --hidden, -uuu to add --binary
    #[arg(short = 'u', long, action = ArgAction::Count)]
    pub unrestricted: u8,
    /// Search binary files
    #[arg(long)]
    pub binary: bool,
    /// Follow symbolic links
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Descend at most N directory levels
    #[arg(short = 'd', long, alias = "maxdepth", value_name = "N")]
    pub max_depth: Option<usize>,
    /// Skip files larger than SIZE: in bytes, or with suffix K, M or G
    #[arg(long, value_name = "SIZE")]
    pub max_filesize: Option<String>,
    /// Do not cross file system boundaries
    #[arg(long)]
    pub one_file_system: bool,
    /// Sort order of files
    #[arg(long, value_name = "BY", value_enum, default_value_t, overrides_with = "sortr")]
    pub sort: SortArg,
    /// Sort order of files, reversed
    #[arg(long, value_name = "BY", value_enum, overrides_with = "sort")]
    pub sortr: Option<SortArg>,
    /// Number of threads to use; 0 to choose automatically
    #[arg(short = 'j', long, value_name = "N")]
    pub threads: Option<usize>,
}

impl FileArgs {
    /// Returns the options for walking directories.
    ///
    /// # Errors
    ///
    /// Fails if a size is invalid.
    pub fn walk(&self) -> Result<WalkOptions, Error> {
        let (mut globs, mut iglobs) = (self.glob.clone(), self.iglob.clone());
        if self.glob_case_insensitive {
            globs.append(&mut iglobs);
            std::mem::swap(&mut globs, &mut iglobs);
        }
        Ok(WalkOptions {
            rules: RuleOptions {
                globs,
                iglobs,
                excludes: Vec::new(),
                types: self.types.clone(),
                types_not: self.types_not.clone(),
                types_added: self.type_add.clone(),
                types_cleared: self.type_clear.clone(),
                hidden: self.hidden || self.unrestricted > 1,
                no_ignore: self.no_ignore || self.unrestricted > 0,
                unread: Unread {
                    dot: self.no_ignore_dot,
                    vcs: self.no_ignore_vcs,
                    exclude: self.no_ignore_exclude,
                    global: self.no_ignore_global,
                    parent: self.no_ignore_parent,
                },
                no_require_git: self.no_require_git,
                ignore_files: if self.no_ignore_files {
                    Vec::new()
                } else {
                    self.ignore_file.clone()
                },
            },
            follow: self.follow,
            depth: self.max_depth.unwrap_or(usize::MAX),
            max_filesize: self.max_filesize.as_deref().map(size).transpose()?,
            one_file_system: self.one_file_system,
            ..WalkOptions::default()
        })
    }

    /// Returns the sort order, and whether it is reversed.
    pub fn order(&self) -> (SortArg, bool) {
        (self.sortr.unwrap_or(self.sort), self.sortr.is_some())
    }

    /// Whether to search binary files in directories.
    pub fn takes_binary(&self) -> bool {
        self.binary || self.unrestricted > 2
    }
}

/// Parses a size in bytes: `10`, `10K`, `2M`, `1G`.
fn size(typed: &str) -> Result<u64, Error> {
    let (digits, unit) = match typed.chars().last() {
        Some('K') => (&typed[..typed.len() - 1], 10),
        Some('M') => (&typed[..typed.len() - 1], 20),
        Some('G') => (&typed[..typed.len() - 1], 30),
        _ => (typed, 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << unit));
    bytes.ok_or_else(|| {
        Error::usage(format!("{MAX_FILESIZE}: '{typed}' is not a size such as 500, 10K, 2M or 1G"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_typed_with_units() {
        for (typed, bytes) in [("7", Some(7)), ("10K", Some(10 << 10)), ("2M", Some(2 << 20))] {
            assert_eq!(size(typed).ok(), bytes, "{typed}");
        }
        for typed in ["", "K", "1k", "1 M", "-1", "1GB", "99999999999G"] {
            assert!(size(typed).is_err(), "{typed}");
        }
    }
}
