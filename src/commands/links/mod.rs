//! `links`: relative links, images and anchors of Markdown documents that lead
//! nowhere. Nothing is fetched: what leads out is counted.

mod anchors;
pub mod args;
mod baseline;
mod check;
mod fix;
pub mod report;
pub mod run;
mod similar;
mod targets;

use std::ops::Deref;

use self::args::{LinksArgs, LinksFormat};

pub use crate::commands::site::SiteOptions;

use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::error::Error;
use crate::files::document::DocumentOptions;
use crate::files::env::Env;
use crate::files::ignore_rules::RuleOptions;
use crate::text::edit::Edit;
use crate::text::markdown::links::LinkKind;

/// The JSON Schema of what is printed.
pub fn schema() -> String {
    let description = "One line of JSON for each broken link, or with --all for each link, in the \
         order of the documents and of the lines in them; then one with the totals.";
    let records =
        [schema::record::<report::LinkObject<'_>>, schema::record::<report::SummaryObject>];
    schema::output("links", description, &records)
}

impl Request for LinksArgs {
    const SCHEMAS: &'static [Schema] = &[("links", schema)];

    fn run(self, env: &Env, sink: &mut dyn Sink) -> Outcome {
        run::run(self, env, sink)
    }
}

/// The flags, and what they come to.
#[derive(Debug)]
pub struct Options {
    args: LinksArgs,
    /// How the site is built.
    site: SiteOptions,
    /// Which files are wanted below a directory.
    rules: RuleOptions,
    /// How documents are read.
    load: DocumentOptions,
}

impl Deref for Options {
    type Target = LinksArgs;

    fn deref(&self) -> &LinksArgs {
        &self.args
    }
}

impl Options {
    fn new(args: LinksArgs) -> Self {
        let (site, rules, load) = (args.site(), args.rules(), args.documents.options());
        Self { args, site, rules, load }
    }

    /// Fails where a value is not valid.
    fn check(&self) -> Result<(), Error> {
        if self.fix && self.paths.iter().any(|path| path.as_os_str() == "-") {
            return Err(Error::usage("--fix cannot be used with standard input"));
        }
        self.load.check()
    }

    fn form(&self) -> report::Form {
        match (self.null, self.format) {
            (true, _) => report::Form::Null,
            (_, LinksFormat::Github) => report::Form::Annotations,
            _ => report::Form::Lines,
        }
    }
}

/// The result of checking a link.
enum Verdict {
    Fine,
    External,
    /// The anchor is not in the page, which includes other documents.
    Unchecked,
    Broken(Reason, Option<Suggestion>),
}

/// The nearest destination that leads somewhere.
struct Suggestion {
    text: Vec<u8>,
    /// Whether nothing else can be meant.
    is_sure: bool,
}

/// A broken link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLink {
    /// The line on which its destination begins.
    pub line: u64,
    /// The column there, in characters from 1.
    pub column: u64,
    /// The destination, escapes and entities resolved.
    pub target: Vec<u8>,
    /// Why it is broken.
    pub reason: Reason,
    /// The nearest destination that leads somewhere.
    pub suggestion: Option<Vec<u8>>,
    /// What makes it lead there, where nothing else can be meant: looked for only
    /// where links are to be fixed.
    pub fix: Option<Fix>,
}

/// A link of any kind, broken or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLink {
    /// The line on which its destination begins.
    pub line: u64,
    /// The column there, in characters from 1.
    pub column: u64,
    /// The destination, escapes and entities resolved.
    pub target: Vec<u8>,
    /// What it is written as; nothing for a shortcode.
    pub kind: Option<LinkKind>,
    /// `ok`, `external`, `broken`, `unused` or `unchecked`.
    pub status: &'static str,
}

/// What fixes a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The bytes of the destination in the file, and what comes in their place.
    pub edit: Edit,
    /// The bytes that are there.
    pub old: Vec<u8>,
}

/// Why a link is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No destination is written.
    Empty,
    /// It leads to where files may not be, and so cannot be checked.
    Outside,
    /// There is no such file or directory.
    NoFile,
    /// There is a symbolic link that is broken itself.
    DeadLink,
    /// A file has the name, but for the case of letters.
    OtherCase,
    /// The document has no such anchor.
    NoAnchor,
    /// It has the anchor, but for the case of letters.
    OtherCaseOfAnchor,
    /// The directory has no document that anchors could be in.
    NoIndex,
    /// The file ends before the line; how many it has.
    NoLine(u64),
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Documents.
    pub files: u64,
    /// Documents with broken links.
    pub broken_files: u64,
    /// Links of all kinds.
    pub links: u64,
    /// Those that lead out and are not followed.
    pub external: u64,
    /// Those that are broken.
    pub broken: u64,
    /// Those to anchors of pages that include other documents.
    pub unchecked: u64,
    /// Those that the baseline holds, where there is one.
    pub known: Option<u64>,
    /// Those that were fixed, or would be, where that was asked for.
    pub fixed: Option<u64>,
    /// The number that takes the mending back.
    pub undo: Option<u64>,
}

impl Summary {
    fn add(&mut self, other: Self) {
        self.files += other.files;
        self.broken_files += other.broken_files;
        self.links += other.links;
        self.external += other.external;
        self.broken += other.broken;
        self.unchecked += other.unchecked;
        let known = other.known.map(|known| known + self.known.unwrap_or(0));
        self.known = known.or(self.known);
    }
}
