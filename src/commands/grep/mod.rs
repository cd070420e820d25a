//! `grep`: lines that match, as addresses of the sections they stand in.

pub mod args;
pub mod file_args;
mod line_args;
pub mod report;
pub mod ripgrep_args;
pub mod run;
mod selected;

use std::path::PathBuf;

use crate::commands::conditions::Conditions;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::commands::search::line_format::Gap;
use crate::commands::search::{self, Context, Inside, Layout, Mode};
use crate::commands::shared_args::{contradiction, empty_flag};
use crate::error::{Error, Hint};
use crate::files::env::Env;
use crate::files::listing::WalkOptions;

/// The JSON Schema of what is printed.
pub fn schema() -> String {
    let records = [search::wire::RECORDS, &[schema::record::<report::SummaryObject>]].concat();
    let description = "One line of JSON for each match, for each file with -l and \
         --files-without-match, or for each count with -c; then one summary. With -q nothing is \
         printed.";
    schema::output("grep", description, &records)
}

impl Request for args::GrepArgs {
    const SCHEMAS: &'static [Schema] = &[("grep", schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(&self.options()?, env, sink)
    }
}

/// What to search, and for what.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What to look for, and what to print of it.
    pub search: search::Options,
    /// Whether a file that does not exist is looked for by its name.
    pub resolve: bool,
    /// Files of patterns, one a line; `-` is standard input.
    pub pattern_files: Vec<PathBuf>,
    /// Files and directories; `-` is standard input. Without any, standard input
    /// where that is data, else all there is.
    pub paths: Vec<PathBuf>,
    /// What parts must be like in which hits stand; all hits count where none is given.
    pub conditions: Conditions,
    /// Which files below directories.
    pub walk: WalkOptions,
    /// In which order, and whether the last comes first.
    pub order: (Sort, bool),
    /// How many threads, where it is not the run's to say.
    pub threads: Option<usize>,
    /// Errors about files are not printed; the exit status tells of them.
    pub no_messages: bool,
    /// Print the types of files and nothing else.
    pub type_list: bool,
    /// Print the names of the files that would be searched and nothing else.
    pub files: bool,
}

/// The order of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// By path.
    #[default]
    Path,
    /// By the time of the last change, oldest first.
    Modified,
    /// By the time of the last access.
    Accessed,
    /// By the time of creation.
    Created,
}

impl Options {
    /// Fails where options contradict one another, or nothing is looked for.
    pub fn check(&self) -> Result<(), Error> {
        let search = &self.search;
        let context = search.context != Context::default();
        let (blocks, null, null_data) =
            (search.layout == Layout::Blocks, search.null, search.null_data);
        let without = search.mode == Mode::FilesWithout;
        let sections = search.mode == Mode::Sections;
        let hints = search.section_hints;
        let rules = [
            (search.mode == Mode::Quiet && search.stats, "--quiet", "--stats"),
            (without && search.max_total.is_some(), "--files-without-match", "--max-total"),
            (without && search.totals, "--files-without-match", "--totals"),
            (sections && search.only_matching, "--section-context", "--only-matching"),
            (sections && context, "--section-context", "--context"),
            (sections && blocks, "--section-context", "--style blocks"),
            (sections && null, "--section-context", "--null"),
            (sections && null_data, "--section-context", "--null-data"),
            (hints && search.no_numbers, "--section-hints", "--no-line-number"),
            (hints && null_data, "--section-hints", "--null-data"),
            (hints && null && context, "--section-hints", "--null with --context"),
            (blocks && null_data, "--style blocks", "--null-data"),
            (blocks && search.only_matching, "--style blocks", "--only-matching"),
            (blocks && null, "--style blocks", "--null"),
            (search.inside.is_some() && null_data, "--in", "--null-data"),
            (search.multi_line && null_data, "--multiline", "--null-data"),
            (search.passthru && search.inside.is_some(), "--passthru", "--in"),
            (search.passthru && search.code.is_some(), "--passthru", "--outside-code"),
            (search.passthru && search.max_count.is_some(), "--passthru", "--max-count"),
            (search.passthru && search.max_total.is_some(), "--passthru", "--max-total"),
        ];
        if let Some((_, flag, other)) = rules.iter().find(|(given, ..)| *given) {
            return Err(contradiction(flag, other));
        }
        let of_lines = search.format.given().filter(|_| blocks || sections);
        if let Some(flag) = of_lines {
            let other = if blocks { "--style blocks" } else { "--section-context" };
            return Err(contradiction(flag, other));
        }
        self.check_encoding()?;
        self.check_conditions()?;
        if search.inside == Some(Inside::Section(String::new())) {
            return Err(empty_flag("--in"));
        }
        if !self.files && search.patterns.is_empty() && self.pattern_files.is_empty() {
            let error = Error::usage("a pattern to look for is needed");
            if let Some(text) = &search.format.replacement {
                let why = "directories are searched without -r";
                return Err(error.hint(Hint::command("grep", [text]).why(why)));
            }
            return Err(error
                .hint(Hint::command("grep", ["PATTERN"]).why("in all files below here"))
                .hint(Hint::command("grep", ["--help"]).why("all flags")));
        }
        Ok(())
    }

    /// Whether parts are selected in standard input before it is searched.
    fn selects_in_stdin(&self) -> bool {
        self.conditions.is_given() && self.paths.iter().any(|path| path.as_os_str() == "-")
    }

    /// Refuses what does not go with conditions on parts.
    fn check_conditions(&self) -> Result<(), Error> {
        if !self.conditions.is_given() {
            return Ok(());
        }
        self.conditions.check()?;
        let search = &self.search;
        let strays = [(search.null_data, "--null-data"), (search.passthru, "--passthru")];
        match strays.iter().find(|(given, _)| *given) {
            Some((_, what)) => {
                Err(Error::usage(format!("{what} does not go with conditions on parts")))
            }
            None => Ok(()),
        }
    }

    fn check_encoding(&self) -> Result<(), Error> {
        let document = &self.search.document;
        if document.encoding.as_deref() == Some("none") {
            let why = "bytes that are no UTF-8 are searched as they are";
            let error = Error::usage("-E none is not supported: byte order marks always hold");
            return Err(error.hint(format!("leave it out  # {why}")));
        }
        document.check().map_err(|error| {
            let hint = "leave -E out  # patterns are extended already; -E names an encoding";
            Error { hints: [vec![hint.into()], error.hints].concat(), ..error }
        })
    }

    /// Fails where something is asked of lines that records do not have.
    fn check_records(&self) -> Result<(), Error> {
        let (search, format) = (&self.search, &self.search.format);
        let of_text = [
            (format.replacement.is_some(), "--replace"),
            (search.passthru, "--passthru"),
            (format.by_match, "--vimgrep"),
            (format.column, "--column"),
            (format.trim, "--trim"),
            (format.show_whitespace, "--show-whitespace"),
            (format.heading == Some(true), "--heading"),
            (search.max_columns.is_some_and(|most| most > 0), "--max-columns"),
            (matches!(format.gap, Gap::Text(_)), "--context-separator"),
            (format.hit_separator.is_some(), "--field-match-separator"),
            (format.context_separator.is_some(), "--field-context-separator"),
            (search.null, "--null"),
            (self.type_list, "--type-list"),
        ];
        match of_text.into_iter().find(|(given, _)| *given) {
            Some((_, flag)) => Err(contradiction(flag, "--json")),
            None => Ok(()),
        }
    }
}
