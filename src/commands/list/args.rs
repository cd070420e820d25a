//! The flags of `list`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use clap::{Args, ValueEnum};

use super::{Mode, Options};
use crate::commands::output::Style;
use crate::commands::shared_args::{OutputArgs, RootArgs, contradiction, empty_flag};
use crate::error::{Error, Hint};
use crate::files::ignore_rules::RuleOptions;
use crate::files::listing::{Order, WalkOptions};

/// What `--help` opens with.
pub const ABOUT: &str = "List directories, page by page, or draw them as a tree";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
List what stands in directories: files, directories, links. Hidden names and
what ignore files leave out are left out, as ripgrep does.

  folio list docs                     what stands in a directory
  folio list --mode tree --depth 3    its directories, and how much they hold

At most 100 entries are printed. A longer list says so on standard error, with
the command that prints the next ones.";

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
  folio list --depth 20 -e md,txt     documents, however deep
  folio list --titles docs            documents with their titles
  folio list --depth 9 -0 -e md | xargs -0 folio inspect -O
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
#[derive(Args, Debug)]
pub struct ListArgs {
    /// Directories
    #[arg(value_name = "DIR")]
    #[arg(value_hint = clap::ValueHint::DirPath)]
    pub directories: Vec<OsString>,
    /// What to show
    #[arg(long, value_name = "MODE", value_enum, default_value_t)]
    pub mode: ModeArg,
    /// Draw files in the tree too
    #[arg(long)]
    pub files: bool,
    /// How deep to go: 1 is the directory itself, 20 the most
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=20))]
    pub depth: u8,
    /// The most entries to print; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: u64,
    /// How many entries to leave out before them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u64,
    /// Show kind, size, time of change and number of children
    #[arg(short = 'l', long)]
    pub details: bool,
    /// Show the title of each document: its first heading of level 1, or that in its front matter
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
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true, help_heading = "Entries")]
    pub exclude: Vec<String>,
    /// List what ignore files leave out too
    #[arg(long, help_heading = "Entries")]
    pub no_ignore: bool,
    /// List hidden entries too
    #[arg(short = '.', long, help_heading = "Entries")]
    pub hidden: bool,
    /// Paths end with NUL, for any file name
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// How output is told.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl ListArgs {
    /// What these flags ask for; flags that contradict one another are refused.
    pub fn options(&self, style: Style) -> Result<Options, Error> {
        self.refuse_strays()?;
        if self.null && style.json {
            return Err(contradiction("--null", "--json"));
        }
        if self.exclude.iter().any(String::is_empty) {
            return Err(empty_flag("--exclude"));
        }
        if let Some(glob) = self.exclude.iter().find(|glob| glob.starts_with('!')) {
            return Err(Error::usage(format!(
                "--exclude '{glob}': write it without the !, --exclude leaves out by itself"
            )));
        }
        let order = match self.sort {
            SortArg::Name => Order::Name,
            SortArg::Size => Order::Size,
            SortArg::Modified => Order::Modified,
        };
        let is_tree = self.mode == ModeArg::Tree;
        let extension = |extension: &String| {
            let extension = extension.strip_prefix('.').unwrap_or(extension).to_lowercase();
            if extension.is_empty() { Err(empty_flag("--extension")) } else { Ok(extension) }
        };
        Ok(Options {
            mode: if is_tree { Mode::Tree { files: self.files } } else { Mode::List },
            list: WalkOptions {
                depth: usize::from(self.depth),
                order: if is_tree { order } else { Order::Name },
                rules: RuleOptions {
                    globs: self.glob.clone(),
                    excludes: self.exclude.clone(),
                    hidden: self.hidden,
                    no_ignore: self.no_ignore,
                    types: Vec::new(),
                    types_not: Vec::new(),
                },
                follow: false,
            },
            order: if is_tree { Order::Name } else { order },
            extensions: self.extension.iter().map(extension).collect::<Result<_, _>>()?,
            offset: self.offset,
            limit: Some(self.limit).filter(|&limit| limit > 0),
            details: self.details,
            children: style.json || self.details || (is_tree && !self.null),
            titles: self.titles,
            null: self.null,
        })
    }

    /// Flags that mean nothing in the chosen mode.
    fn refuse_strays(&self) -> Result<(), Error> {
        if self.mode == ModeArg::List {
            return match self.files {
                true => Err(Error::usage("--files means nothing with --mode list")
                    .hint("--mode tree --files  # to draw files")),
                false => Ok(()),
            };
        }
        let of_files = [
            (!self.extension.is_empty(), "--extension"),
            (self.titles, "--titles"),
            (self.sort == SortArg::Size, "--sort size"),
        ];
        match of_files.into_iter().find(|(given, _)| *given && !self.files) {
            Some((_, name)) => Err(Error::usage(format!(
                "{name} is about files, and --mode tree shows directories only"
            ))
            .hint("--mode tree --files  # to draw files too")),
            None => Ok(()),
        }
    }

    /// The command that lists from another entry on, of one directory; with
    /// further flags.
    pub fn command(&self, directory: &Path, offset: u64, more: &[&'static str]) -> Hint {
        let flags = [
            (self.mode == ModeArg::Tree, "--mode=tree"),
            (self.files, "--files"),
            (self.details, "-l"),
            (self.titles, "--titles"),
            (self.sort == SortArg::Size, "--sort=size"),
            (self.sort == SortArg::Modified, "--sort=modified"),
            (self.no_ignore, "--no-ignore"),
            (self.hidden, "--hidden"),
            (self.null, "-0"),
        ];
        let flags = flags.iter().filter(|(given, _)| *given);
        let mut hint = Hint::command("list", flags.flat_map(|(_, flag)| flag.split('=')));
        hint = hint.and(more);
        let numbers = [
            (u64::from(self.depth), 1, "--depth"),
            (self.limit, 100, "--limit"),
            (offset, 0, "--offset"),
        ];
        for (number, _, flag) in numbers.iter().filter(|(number, usual, _)| number != usual) {
            hint = hint.and([*flag, &number.to_string()]);
        }
        let texts = [(&self.extension, "-e"), (&self.glob, "-g"), (&self.exclude, "--exclude")];
        for (values, flag) in texts {
            hint = hint.and(values.iter().flat_map(|value| [flag, value]));
        }
        match directory.as_os_str().as_bytes() {
            b"." => hint,
            [b'-', ..] => hint.and(["--"]).and([directory]),
            _ => hint.and([directory]),
        }
    }
}
