//! `grep`: prints matching lines, with addresses of their sections.

pub mod args;
pub mod file_args;
mod line_args;
pub mod matches;
pub mod report;
pub mod ripgrep_args;
pub mod run;
mod selected;

use std::ops::Deref;
use std::path::{Path, PathBuf};

use self::args::GrepArgs;

use crate::commands::conditions::Conditions;
use crate::commands::host::Host;
use crate::commands::matching::{self, Context};
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::commands::shared_args::{contradiction, empty_flag};
use folio_files::error::{Argument, Change, Error, Hint};
use folio_files::listing::WalkOptions;
use folio_files::options::{
    CONTEXT, ENCODING, IN, NULL, PATHS, PATTERN_OPERAND, REPLACE, SECTION_HINTS,
};

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    let records = [matching::wire::RECORDS, &[schema::record::<report::SummaryObject>]].concat();
    let description = "One line of JSON for each match, for each file with -l and \
         --files-without-match, or for each count with -c; then one summary. With -q nothing is \
         printed.";
    schema::output("grep", description, &records)
}

impl Request for GrepArgs {
    const SCHEMAS: &'static [Schema] = &[("grep", schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(self, host, sink)
    }
}

/// The options of `grep`, converted from its arguments.
#[derive(Debug)]
pub struct GrepOptions {
    args: GrepArgs,
    /// The options of the search.
    search: matching::SearchOptions,
    /// Files and directories to search. `-` is standard input. If there are none, folio searches
    /// standard input if it has data, and otherwise everything below the roots.
    paths: Vec<PathBuf>,
    /// Conditions on the parts that contain matches. If there are none, all matches count.
    conditions: Conditions,
    /// The options for walking directories.
    walk: WalkOptions,
}

impl Deref for GrepOptions {
    type Target = GrepArgs;

    fn deref(&self) -> &GrepArgs {
        &self.args
    }
}

impl GrepOptions {
    /// Converts arguments to options. Fails if a value is invalid.
    fn new(args: GrepArgs) -> Result<Self, Error> {
        let (patterns, paths) = args.patterns_and_paths()?;
        let search = args.search(patterns)?;
        let conditions = args.conditions.conditions(args.patterns.options().case);
        Ok(Self { search, paths, conditions, walk: args.files.walk()?, args })
    }

    /// Fails if there is no pattern or if a value is invalid. `exists` is whether an operand on
    /// the command line may be a path.
    fn check(&self, exists: &dyn Fn(&Path) -> bool) -> Result<(), Error> {
        let search = &self.search;
        if search.section_hints && search.null && search.context != Context::default() {
            return Err(contradiction(SECTION_HINTS, format!("both {NULL} and {CONTEXT}")));
        }
        self.check_encoding(exists)?;
        if self.conditions.is_given() {
            self.conditions.check()?;
        }
        if search.inside.as_deref() == Some("") {
            return Err(empty_flag(IN));
        }
        if !self.files.files && search.patterns.is_empty() && self.file.is_empty() {
            let error = Error::usage("a pattern is needed");
            if let Some(text) = &search.format.replacement {
                let why = "directories are searched without -r";
                let searched = [Change::remove(REPLACE), Change::set(PATTERN_OPERAND, text)];
                return Err(error.hint(Hint::again(searched).why(why)));
            }
            return Err(error
                .hint(Hint::with_value(PATTERN_OPERAND, "PATTERN"))
                .hint(Hint::command("grep", ["--help"]).why("all options")));
        }
        Ok(())
    }

    /// Whether conditions must select parts of standard input before it is searched.
    fn selects_in_stdin(&self) -> bool {
        self.conditions.is_given() && self.paths.iter().any(|path| path.as_os_str() == "-")
    }

    fn check_encoding(&self, exists: &dyn Fn(&Path) -> bool) -> Result<(), Error> {
        let document = &self.search.document;
        if document.encoding.as_deref() == Some("none") {
            let why = "invalid UTF-8 is searched as bytes";
            let error = Error::usage(
                "-E none is not supported: a byte order mark always sets the encoding",
            );
            return Err(error.hint(Hint::again([Change::remove(ENCODING)]).why(why)));
        }
        document.check().map_err(|error| match self.extended_pattern(exists) {
            Some(hint) => Error { hints: [vec![hint], error.hints].concat(), ..error },
            None => error,
        })
    }

    /// Returns the call without `-E`, which is an option of other programs for extended syntax. The
    /// word after it is the pattern, if the operand in its place is a path.
    fn extended_pattern(&self, exists: &dyn Fn(&Path) -> bool) -> Option<Hint> {
        let is_path = self.pattern.as_ref().is_none_or(|operand| exists(Path::new(operand)));
        let label = self.encoding.as_ref().filter(|_| is_path && self.regexp.is_empty())?;
        let paths =
            self.pattern.iter().cloned().chain(self.paths.iter().map(|path| path.argument()));
        let changes = [
            Change::remove(ENCODING),
            Change::set(PATTERN_OPERAND, label),
            Change::Set(PATHS, paths.collect()),
        ];
        let why = format!("patterns always have extended syntax; {ENCODING} names an encoding");
        Some(Hint::again(changes).why(why))
    }
}
