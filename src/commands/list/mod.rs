//! `list`: lists directories, in pages with a stable order.

pub mod args;
mod page;
mod report;
pub mod run;
mod text;
mod title;

use std::ops::Deref;

use self::args::ListArgs;

use crate::commands::output::TOKEN;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::commands::shared_args::empty_flag;
use crate::error::{Error, Hint};
use crate::files::env::Env;
use crate::files::ignore_rules::RuleOptions;
use crate::files::listing::{Order, WalkOptions};

/// The JSON Schema of the output.
pub fn schema() -> String {
    schema::output(
        "list",
        "One line of JSON a directory; a list that is empty stays.",
        &[schema::record::<report::DirectoryObject<'_>>],
    )
}

impl Request for ListArgs {
    const SCHEMAS: &'static [Schema] = &[("list", schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(self, env, sink)
    }
}

/// The arguments, converted to options.
#[derive(Clone, Debug)]
pub struct Options {
    args: ListArgs,
    /// The extensions to include.
    extensions: Vec<String>,
    /// The rules for including entries by path.
    rules: RuleOptions,
}

impl Deref for Options {
    type Target = ListArgs;

    fn deref(&self) -> &ListArgs {
        &self.args
    }
}

impl Options {
    fn new(args: ListArgs) -> Self {
        Self { extensions: args.extensions(), rules: args.rules(), args }
    }

    /// Fails if a value is empty or does not apply to a tree of directories.
    fn check(&self) -> Result<(), Error> {
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
            (self.order() == Order::Size, "--sort size"),
        ];
        match of_files.into_iter().find(|(given, _)| *given) {
            Some((_, name)) if self.is_tree() && !self.draws_files() => {
                let message =
                    format!("{name} is about files, and --mode tree shows directories only");
                let hint = Hint::flag(["--mode", "tree", "--files"]);
                Err(Error::usage(message).hint(hint.why("to draw files too")))
            }
            _ => Ok(()),
        }
    }

    /// Maximum number of entries on a page.
    fn most(&self) -> u64 {
        if self.limit == 0 { u64::MAX } else { self.limit }
    }

    /// Maximum number of bytes to print.
    fn bytes(&self) -> u64 {
        self.max_tokens.map_or(u64::MAX, |tokens| tokens.saturating_mul(TOKEN))
    }

    /// Whether all entries of a directory are listed, and nothing below them.
    fn shows_entries_of_one(&self) -> bool {
        !self.is_tree()
            && self.depth() == 1
            && self.extensions.is_empty()
            && self.rules.globs.is_empty()
    }

    /// The order of all entries together, if it is not by name.
    fn order_of_all(&self) -> Order {
        if self.is_tree() { Order::Name } else { self.order() }
    }

    fn walk(&self) -> WalkOptions {
        WalkOptions {
            depth: self.depth(),
            order: if self.is_tree() { self.order() } else { Order::Name },
            rules: self.rules.clone(),
            ..WalkOptions::default()
        }
    }
}
