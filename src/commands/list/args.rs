//! The options of `list`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use crate::commands::request::CommandLine;
use crate::commands::rules::{JSON, Rule, excludes, needs};
use crate::commands::shared_args::{HyperlinkArgs, LookupArgs, OutputArgs, empty_flag, positive};
use folio_files::error::{Change, Error, Hint};
use folio_files::ignore_rules::RuleOptions;
use folio_files::listing::{Order, WalkOptions};
use folio_files::options::{EXCLUDE, EXTENSION, FILES, MODE, SORT, TITLES};

impl CommandLine for ListArgs {
    const NAME: &'static str = "list";
    const ABOUT: &'static str = "List directories, flat or as a tree";
    const LONG_ABOUT: &'static str = "\
List the files, directories and symlinks in directories. Like ripgrep, folio skips
hidden and ignored entries.

  folio list docs                     list a directory
  folio list -R -e md                 list all Markdown files recursively
  folio list --tree docs              draw a tree
  folio list --mode tree --depth 3    show directories, each with its number of entries

folio prints all entries unless --limit is given. If it truncates the list, it prints
the command for the next page on standard error.";
    const AFTER_HELP: &'static str = "\
Entries are sorted by name in byte order. The contents of a directory follow it.
Symlinks are not followed. In a pipe, each line begins with a path:
  list         PATH; directories end with a slash
  list -l      PATH, kind, bytes, modification time, entries, separated by tabs
  tree         PATH, entries
With --titles, the title comes last. -0 ends paths with NUL instead of a newline; with
-l or --titles, each record is PATH NUL FIELDS NUL.

-g accepts globs as in ripgrep: a glob with a slash is relative to the current directory,
and entries that match a glob are listed even if they are ignored or hidden.

Examples:
  folio list -l --sort modified       newest first
  folio list -R -e md,txt             documents, recursively
  folio list --titles docs            documents with their titles
  folio list -R -0 -e md | xargs -0 folio inspect -O
  folio list --json docs | jq -r 'select(.kind == \"file\").path'

Exit status: 0 success, 2 error.";
    const RULES: &'static [Rule] = RULES;
}

const RULES: &[Rule] = &[
    excludes("null", JSON),
    needs("files", "mode=tree tree").named(|| format!("{MODE} tree")).hint(|| {
        Hint::again([Change::set(MODE, "tree"), Change::Switch(FILES)]).why("to show files")
    }),
];

/// `--mode`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// All entries
    #[default]
    List,
    /// Directories with their number of entries, as a tree
    Tree,
}

/// `--sort`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortArg {
    /// By name, in byte order
    #[default]
    Name,
    /// By size, largest first
    Size,
    /// By time of the last change, newest first
    Modified,
}

/// The options of `list`, in the order of the help.
#[derive(Args, Clone, Debug, Default)]
pub struct ListArgs {
    /// Directories to list
    #[arg(value_name = "DIR")]
    #[arg(value_hint = clap::ValueHint::DirPath)]
    pub directories: Vec<OsString>,
    /// What to list
    #[arg(long, value_name = "MODE", value_enum, default_value_t, overrides_with = "tree")]
    pub mode: Mode,
    /// Draw a tree with files: short for --mode tree --files --recursive
    #[arg(long, overrides_with = "mode")]
    pub tree: bool,
    /// Include files in the tree
    #[arg(long)]
    pub files: bool,
    /// List at most N levels (default: 1, the entries of DIR)
    #[arg(short = 'd', long, visible_alias = "max-depth", value_name = "N")]
    #[arg(value_parser = positive())]
    pub depth: Option<u64>,
    /// List subdirectories recursively, down to --depth if given
    #[arg(short = 'R', long, visible_short_alias = 'r')]
    pub recursive: bool,
    /// Print at most N entries (default: 0, all)
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub limit: u64,
    /// Skip the first N entries
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
    /// Stop after N tokens (4 bytes each), and print how to continue
    #[arg(long, value_name = "N", value_parser = positive())]
    #[arg(conflicts_with = "null")]
    pub max_tokens: Option<u64>,
    /// Show kind, size, modification time and number of entries
    #[arg(short = 'l', long)]
    pub details: bool,
    /// Show the title of each document: its level-1 heading or else the title in front matter, or
    /// else the first heading of the highest level
    #[arg(long)]
    pub titles: bool,
    /// Sort order
    #[arg(long, value_name = "KEY", value_enum, default_value_t)]
    pub sort: SortArg,
    /// Include only files with these extensions: md, tar.gz
    #[arg(short = 'e', long, value_name = "EXTENSION", value_delimiter = ',')]
    #[arg(help_heading = "Entries")]
    pub extension: Vec<String>,
    /// Include only entries that match the glob; !GLOB excludes (repeatable)
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true)]
    #[arg(help_heading = "Entries")]
    pub glob: Vec<String>,
    /// Exclude entries that match the glob, and their contents (repeatable)
    #[arg(short = 'E', long, value_name = "GLOB", allow_hyphen_values = true)]
    #[arg(help_heading = "Entries")]
    pub exclude: Vec<String>,
    /// Include ignored entries
    #[arg(short = 'I', long, help_heading = "Entries")]
    pub no_ignore: bool,
    /// Include hidden entries
    #[arg(short = 'H', long, visible_short_aliases = ['a', '.'], visible_alias = "all")]
    #[arg(help_heading = "Entries")]
    pub hidden: bool,
    /// Include ignored and hidden entries
    #[arg(short = 'u', long, help_heading = "Entries")]
    pub unrestricted: bool,
    /// End paths with NUL instead of a newline
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// Print one line of JSON for each directory, with all its entries
    #[arg(long, help_heading = "Output")]
    pub json_object: bool,
    /// Options for finding files.
    #[command(flatten)]
    pub lookup: LookupArgs,
    /// Options for terminal hyperlinks.
    #[command(flatten)]
    pub hyperlinks: HyperlinkArgs,
    /// Options for output.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl ListArgs {
    /// Whether to draw directories as a tree.
    pub fn is_tree(&self) -> bool {
        self.tree || self.mode == Mode::Tree
    }

    /// Whether the tree includes files.
    pub fn draws_files(&self) -> bool {
        self.tree || self.files
    }

    /// Returns the number of directory levels to list. 1 is the directory itself.
    pub fn depth(&self) -> usize {
        match self.depth {
            Some(depth) => usize::try_from(depth).unwrap_or(usize::MAX),
            None if self.recursive || self.tree => usize::MAX,
            None => 1,
        }
    }

    /// Returns the order of entries. In a tree, the order applies to the entries of each directory.
    pub fn order(&self) -> Order {
        match self.sort {
            SortArg::Name => Order::Name,
            SortArg::Size => Order::Size,
            SortArg::Modified => Order::Modified,
        }
    }

    /// Returns the order in which all entries are sorted together. If they are ordered by name,
    /// they are not sorted together.
    pub fn order_of_all(&self) -> Order {
        if self.is_tree() { Order::Name } else { self.order() }
    }

    /// Returns the maximum number of entries on a page.
    pub fn max_entries(&self) -> u64 {
        if self.limit == 0 { u64::MAX } else { self.limit }
    }

    /// Whether to list only the entries of a directory itself.
    pub fn is_flat(&self) -> bool {
        !self.is_tree() && self.depth() == 1 && self.extension.is_empty() && self.glob.is_empty()
    }

    /// Returns the options that select the entries, with the order of the entries of each
    /// directory.
    pub fn walk(&self) -> WalkOptions {
        WalkOptions {
            depth: self.depth(),
            order: if self.is_tree() { self.order() } else { Order::Name },
            rules: RuleOptions {
                globs: self.glob.clone(),
                excludes: self.exclude.clone(),
                hidden: self.hidden || self.unrestricted,
                no_ignore: self.no_ignore || self.unrestricted,
                ..RuleOptions::default()
            },
            ..WalkOptions::default()
        }
    }

    /// Returns the extensions to include, in lower case and without a leading dot.
    pub fn extensions(&self) -> Vec<String> {
        let extension = |name: &String| name.strip_prefix('.').unwrap_or(name).to_lowercase();
        self.extension.iter().map(extension).collect()
    }

    /// Fails if a value is empty, or does not apply to a tree of directories.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.exclude.iter().any(String::is_empty) {
            return Err(empty_flag(EXCLUDE));
        }
        if let Some(glob) = self.exclude.iter().find(|glob| glob.starts_with('!')) {
            let message = format!("{EXCLUDE} '{glob}': remove the !; {EXCLUDE} always excludes");
            return Err(Error::usage(message));
        }
        if self.extensions().iter().any(String::is_empty) {
            return Err(empty_flag(EXTENSION));
        }
        let of_files = [
            (!self.extension.is_empty(), EXTENSION.to_string()),
            (self.titles, TITLES.to_string()),
            (self.order() == Order::Size, format!("{SORT} size")),
        ];
        match of_files.into_iter().find(|(is_set, _)| *is_set) {
            Some((_, name)) if self.is_tree() && !self.draws_files() => {
                let message =
                    format!("{name} applies to files, but {MODE} tree shows directories only");
                let hint = Hint::again([Change::set(MODE, "tree"), Change::Switch(FILES)])
                    .why("to show files too");
                Err(Error::usage(message).hint(hint))
            }
            _ => Ok(()),
        }
    }
}
