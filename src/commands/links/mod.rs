//! `links`: finds broken relative links, images and anchors in Markdown documents. External
//! links are counted but not followed.

mod anchors;
pub mod args;
mod baseline;
mod check;
mod fix;
pub mod report;
pub mod run;
mod similar;
mod targets;

use self::args::LinksArgs;

use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use crate::files::env::Env;
use crate::text::edit::Edit;
use crate::text::markdown::links::LinkKind;

/// The JSON Schema of the output.
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

/// The result of checking a link.
enum CheckResult {
    Fine,
    External,
    /// The anchor is not in the page, but the page includes other documents.
    Unchecked,
    Broken(Reason, Option<Suggestion>),
}

/// The nearest existing destination.
struct Suggestion {
    text: Vec<u8>,
    /// Whether it is the only possible target.
    is_sure: bool,
}

/// A link and the result of checking it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLink {
    /// The line on which its destination begins.
    pub line: u64,
    /// The column of the destination, in characters from 1.
    pub column: u64,
    /// The destination, with escapes and entities resolved.
    pub target: Vec<u8>,
    /// The kind of syntax; `None` for a shortcode.
    pub kind: Option<LinkKind>,
    /// The result.
    pub status: Status,
    /// Why it is broken.
    pub reason: Option<Reason>,
    /// The nearest existing destination.
    pub suggestion: Option<Vec<u8>>,
    /// The fix, if there is only one possible target. Computed only if links are to be fixed.
    pub fix: Option<Fix>,
    /// Whether the baseline contains it.
    pub is_known: bool,
}

impl CheckedLink {
    /// A link whose target exists.
    fn new(line: u64, column: u64, target: Vec<u8>) -> Self {
        Self {
            line,
            column,
            target,
            kind: None,
            status: Status::Ok,
            reason: None,
            suggestion: None,
            fix: None,
            is_known: false,
        }
    }

    /// Whether the link is reported as broken.
    pub fn is_reported(&self) -> bool {
        self.status == Status::Broken && !self.is_known
    }
}

/// The status of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The target exists.
    Ok,
    /// The link has a scheme or a host and is not followed.
    External,
    /// The target does not exist.
    Broken,
    /// A broken link definition that no link uses.
    Unused,
    /// The anchor is in a page that includes other documents, or the target cannot be read.
    Unchecked,
}

/// The edit that fixes a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// Replaces the bytes of the destination in the file.
    pub edit: Edit,
    /// The replaced bytes.
    pub old: Vec<u8>,
}

/// Why a link is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The destination is empty.
    Empty,
    /// The destination is outside the roots and cannot be checked.
    Outside,
    /// The file or directory does not exist.
    NoFile,
    /// The destination is a broken symlink.
    DeadLink,
    /// A file with the name exists, but with different case.
    OtherCase,
    /// The document has no such anchor.
    NoAnchor,
    /// The document has the anchor, but with different case.
    OtherCaseOfAnchor,
    /// The directory has no index document, so there are no anchors.
    NoIndex,
    /// The file has fewer lines; the number of its lines.
    NoLine(u64),
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Number of documents checked.
    pub files: u64,
    /// Number of documents with broken links.
    pub broken_files: u64,
    /// Number of links of all kinds.
    pub links: u64,
    /// Number of external links, which are not followed.
    pub external: u64,
    /// Number of broken links.
    pub broken: u64,
    /// Number of links to anchors that could not be checked, because the pages include other
    /// documents.
    pub unchecked: u64,
    /// Number of broken links that are in the baseline, if there is one.
    pub known: Option<u64>,
    /// Number of links fixed, or that a dry run would fix.
    pub fixed: Option<u64>,
    /// The number to pass to `undo` to revert the fixes.
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
