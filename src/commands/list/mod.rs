//! `list`: what stands in directories, in pages that are stable.

pub mod args;
mod page;
mod report;
pub mod run;
mod text;
mod title;

use std::path::PathBuf;

use crate::commands::output::TOKEN;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::commands::shared_args::empty_flag;
use crate::error::{Error, Hint};
use crate::files::env::Env;
use crate::files::ignore_rules::RuleOptions;
use crate::files::listing::{Order, WalkOptions};

/// The JSON Schema of what is printed.
pub fn schema() -> String {
    schema::output(
        "list",
        "One line of JSON a directory; a list that is empty stays.",
        &[schema::record::<report::DirectoryObject<'_>>],
    )
}

impl Request for args::ListArgs {
    const SCHEMAS: &'static [Schema] = &[("list", schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options()?, env, sink)
    }
}

/// What is listed, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Directories; none for those where files may be.
    pub directories: Vec<PathBuf>,
    /// Entries, or directories as a tree.
    pub mode: Mode,
    /// How many levels of directories are gone into; 1 is the directory itself.
    pub depth: usize,
    /// The order of entries; in a tree of those of each directory.
    pub order: Order,
    /// Only files with one of these extensions, in lower case and without their
    /// first dot.
    pub extensions: Vec<String>,
    /// Which entries are wanted, by their paths.
    pub rules: RuleOptions,
    /// How many entries are left out before the page.
    pub offset: u64,
    /// The most entries on a page; `None` for all.
    pub limit: Option<u64>,
    /// How many tokens are printed, at most.
    pub max_tokens: Option<u64>,
    /// Whether a directory that is not there is looked for by its name.
    pub resolve: bool,
    /// Whether size, time and children are shown.
    pub details: bool,
    /// Whether the titles of documents are shown.
    pub titles: bool,
    /// Whether text records end with NUL, for any file name.
    pub null: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            directories: Vec::new(),
            mode: Mode::List,
            depth: 1,
            order: Order::Name,
            extensions: Vec::new(),
            rules: RuleOptions::default(),
            offset: 0,
            limit: None,
            max_tokens: None,
            resolve: false,
            details: false,
            titles: false,
            null: false,
        }
    }
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Entries, each by its path.
    List,
    /// Directories and how much they hold.
    Tree {
        /// Whether files are drawn too.
        files: bool,
    },
}

impl Options {
    /// Fails where they contradict one another or mean nothing.
    pub fn check(&self) -> Result<(), Error> {
        let excludes = &self.rules.excludes;
        if excludes.iter().any(String::is_empty) {
            return Err(empty_flag("--exclude"));
        }
        if let Some(glob) = excludes.iter().find(|glob| glob.starts_with('!')) {
            return Err(Error::usage(format!(
                "--exclude '{glob}': write it without the !, --exclude leaves out by itself"
            )));
        }
        if self.extensions.iter().any(String::is_empty) {
            return Err(empty_flag("--extension"));
        }
        let of_files = [
            (!self.extensions.is_empty(), "--extension"),
            (self.titles, "--titles"),
            (self.order == Order::Size, "--sort size"),
        ];
        match of_files.into_iter().find(|(given, _)| *given) {
            Some((_, name)) if self.mode == (Mode::Tree { files: false }) => {
                let message =
                    format!("{name} is about files, and --mode tree shows directories only");
                let hint = Hint::flag(["--mode", "tree", "--files"]);
                Err(Error::usage(message).hint(hint.why("to draw files too")))
            }
            _ => Ok(()),
        }
    }

    /// How many bytes may be printed.
    fn bytes(&self) -> u64 {
        self.max_tokens.map_or(u64::MAX, |tokens| tokens.saturating_mul(TOKEN))
    }

    /// Whether whatever a directory holds is listed, and nothing of what is below it.
    fn shows_entries_of_one(&self) -> bool {
        self.mode == Mode::List
            && self.depth == 1
            && self.extensions.is_empty()
            && self.rules.globs.is_empty()
    }

    fn is_tree(&self) -> bool {
        self.mode != Mode::List
    }

    /// The order of entries all together, where it is not that of their names.
    fn order_of_all(&self) -> Order {
        if self.is_tree() { Order::Name } else { self.order }
    }

    fn walk(&self) -> WalkOptions {
        WalkOptions {
            depth: self.depth,
            order: if self.is_tree() { self.order } else { Order::Name },
            rules: self.rules.clone(),
            ..WalkOptions::default()
        }
    }
}
