//! The flags of `list`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::{Mode, Options};
use crate::commands::shared_args::{ConfigArgs, HyperlinkArgs, OutputArgs, ResolveArgs, RootArgs};
use crate::error::{Error, Hint};
use crate::files::ignore_rules::RuleOptions;
use crate::files::listing::Order;

/// What `--help` opens with.
pub const ABOUT: &str = "List directories, or draw them as a tree";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
List what stands in directories: files, directories, links. Hidden names and
what ignore files leave out are left out, as ripgrep does.

  folio list docs                     what stands in a directory
  folio list -R -e md                 all documents below it, however deep
  folio list --tree docs              all of it, drawn as a tree
  folio list --mode tree --depth 3    directories, and how much they hold

All entries are printed unless --limit says how many. A list that it cuts says so
on standard error, with the command that prints the next ones.";

/// The long help's end.
pub const AFTER_HELP: &str = "\
Entries are sorted by the bytes of their names, and what a directory holds stands
right behind it. Links are not followed. In a pipe each line begins with a path:
  list         PATH, that of a directory with a slash behind it
  list -l      PATH, kind, bytes, time of change, children, between tabs
  tree         PATH, children
With --titles, the title stands behind these. -0 ends paths with NUL in place of a
line feed; with -l or --titles, the rest of the record ends with NUL too.

-g takes globs as ripgrep does: one with a slash is matched from where you are,
and what a glob names is listed even if it is ignored or hidden.

Examples:
  folio list -l --sort modified       what was changed last
  folio list -R -e md,txt             documents, however deep
  folio list --titles docs            documents with their titles
  folio list -R -0 -e md | xargs -0 folio inspect -O
  folio list --json docs | jq -r '.entries[].path'

Exit status: 0 done, 2 trouble.";

/// `--mode`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModeArg {
    /// Entries, each by its path
    #[default]
    List,
    /// Directories and how many children they have
    Tree,
}

/// `--sort`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortArg {
    /// By the bytes of their names
    #[default]
    Name,
    /// The largest files first
    Size,
    /// What was changed last first
    Modified,
}

/// The flags, in the order of help.
#[derive(Args, Debug, Default)]
pub struct ListArgs {
    /// Directories
    #[arg(value_name = "DIR")]
    #[arg(value_hint = clap::ValueHint::DirPath)]
    pub directories: Vec<OsString>,
    /// What to show
    #[arg(long, value_name = "MODE", value_enum, default_value_t, overrides_with = "tree")]
    pub mode: ModeArg,
    /// Draw all of it: short for --mode tree --files --recursive
    #[arg(long, overrides_with = "mode")]
    pub tree: bool,
    /// Draw files in the tree too
    #[arg(long)]
    pub files: bool,
    /// How deep to go: 1, the default, is the directory itself
    #[arg(short = 'd', long, visible_alias = "max-depth", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub depth: Option<u64>,
    /// Go as deep as there are directories, or as --depth says
    #[arg(short = 'R', long, visible_short_alias = 'r')]
    pub recursive: bool,
    /// The most entries to print; 0, the default, for all
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub limit: u64,
    /// How many entries to leave out before them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
    /// Print at most so many tokens (bytes / 4), whole entries, and say where it goes on
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(conflicts_with = "null")]
    pub max_tokens: Option<u64>,
    /// Show kind, size, time of change and number of children
    #[arg(short = 'l', long)]
    pub details: bool,
    /// Show titles of documents: the heading of level 1, that in front matter, or the top heading
    #[arg(long)]
    pub titles: bool,
    /// The order; in a tree that of the entries of each directory
    #[arg(long, value_name = "KEY", value_enum, default_value_t)]
    pub sort: SortArg,
    /// Only files with these extensions (md, .md, tar.gz)
    #[arg(short = 'e', long, value_name = "EXTENSION", value_delimiter = ',')]
    #[arg(help_heading = "Entries")]
    pub extension: Vec<String>,
    /// Only entries whose path matches the glob; !GLOB leaves out
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true)]
    #[arg(help_heading = "Entries")]
    pub glob: Vec<String>,
    /// Leave out entries whose path matches the glob, and what is below them
    #[arg(short = 'E', long, value_name = "GLOB", allow_hyphen_values = true)]
    #[arg(help_heading = "Entries")]
    pub exclude: Vec<String>,
    /// List what ignore files leave out too
    #[arg(short = 'I', long, help_heading = "Entries")]
    pub no_ignore: bool,
    /// List hidden entries too
    #[arg(short = 'H', long, visible_short_aliases = ['a', '.'], visible_alias = "all")]
    #[arg(help_heading = "Entries")]
    pub hidden: bool,
    /// List all there is: --no-ignore and --hidden
    #[arg(short = 'u', long, help_heading = "Entries")]
    pub unrestricted: bool,
    /// Paths end with NUL, for any file name
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// Whether configuration counts.
    #[command(flatten)]
    pub config: ConfigArgs,
    /// How they are found.
    #[command(flatten)]
    pub resolve: ResolveArgs,
    /// Links of a terminal.
    #[command(flatten)]
    pub hyperlinks: HyperlinkArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl ListArgs {
    /// What these flags ask for.
    pub fn options(&self) -> Result<Options, Error> {
        let mode = match self.mode {
            _ if self.tree => Mode::Tree { files: true },
            ModeArg::Tree => Mode::Tree { files: self.files },
            ModeArg::List if self.files => {
                let hint = Hint::flag(["--mode", "tree", "--files"]).why("to draw files");
                return Err(Error::usage("--files means nothing with --mode list").hint(hint));
            }
            ModeArg::List => Mode::List,
        };
        let extension = |given: &String| given.strip_prefix('.').unwrap_or(given).to_lowercase();
        Ok(Options {
            directories: self.directories.iter().map(Into::into).collect(),
            mode,
            depth: match self.depth {
                Some(depth) => usize::try_from(depth).unwrap_or(usize::MAX),
                None if self.recursive || self.tree => usize::MAX,
                None => 1,
            },
            order: match self.sort {
                SortArg::Name => Order::Name,
                SortArg::Size => Order::Size,
                SortArg::Modified => Order::Modified,
            },
            extensions: self.extension.iter().map(extension).collect(),
            rules: RuleOptions {
                globs: self.glob.clone(),
                excludes: self.exclude.clone(),
                hidden: self.hidden || self.unrestricted,
                no_ignore: self.no_ignore || self.unrestricted,
                ..RuleOptions::default()
            },
            offset: self.offset,
            limit: Some(self.limit).filter(|&limit| limit > 0),
            max_tokens: self.max_tokens,
            resolve: self.resolve.resolve,
            details: self.details,
            titles: self.titles,
            null: self.null,
        })
    }
}
