//! `links`: finds broken relative links, images and anchors in Markdown documents. External links
//! are counted but not checked.

mod anchors;
pub mod args;
mod baseline;
mod check;
mod fix;
mod notes;
mod repeated;
pub mod report;
pub mod run;
mod similar;
mod targets;
mod wiki;

use self::args::LinksArgs;

use crate::commands::host::Host;
use crate::commands::output::{Outcome, Sink};
use crate::commands::request::{Request, Schema};
use crate::commands::schema;
use folio_markdown::destination::as_browsers_take;
use folio_markdown::links::{Link, LinkKind};
use folio_text::edit::Edit;

/// Returns the JSON Schema of the output.
pub fn schema() -> String {
    let description = "One line of JSON for each broken link, or with --all for each link, in the \
         order of the documents and of the lines in them; then one with the totals.";
    let records = [schema::record::<report::LinkObject<'_>>, schema::record::<report::Summary>];
    schema::output("links", description, &records)
}

impl Request for LinksArgs {
    const SCHEMAS: &'static [Schema] = &[("links", schema)];

    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome {
        run::run(self, host, sink)
    }
}

enum CheckResult {
    Fine,
    External,
    /// The page does not contain the anchor, but it includes other documents.
    Unchecked,
    Broken(Reason, Option<Suggestion>),
}

/// A suggested destination that exists.
struct Suggestion {
    text: Vec<u8>,
    /// Whether this is the only possible target.
    is_sure: bool,
}

/// A link and the result of checking it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLink {
    /// The line on which the destination begins.
    pub line: u64,
    /// The column of the destination, in characters from 1.
    pub column: u64,
    /// The destination, with escapes and entities resolved.
    pub target: Vec<u8>,
    /// The syntax of the link.
    pub kind: LinkKind,
    /// The result of the check.
    pub status: Status,
    /// The reason why the link is broken.
    pub reason: Option<Reason>,
    /// The most similar destination that exists.
    pub suggestion: Option<Vec<u8>>,
    /// The fix, if there is only one possible target. Only computed if links are to be fixed.
    pub fix: Option<Fix>,
    /// Whether a patch of its line can replace the link with the suggestion. Only computed if links
    /// are to be fixed.
    pub is_replaceable: bool,
    /// Whether the baseline contains the link.
    pub is_known: bool,
}

impl CheckedLink {
    /// Creates a link whose target exists.
    fn new(link: &Link) -> Self {
        Self {
            line: link.line,
            column: link.column,
            target: as_browsers_take(&link.text, link.kind == LinkKind::Html),
            kind: link.kind,
            status: Status::Ok,
            reason: None,
            suggestion: None,
            fix: None,
            is_replaceable: false,
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
    /// The link has a scheme or a host, and is not checked.
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
    /// An edit that replaces the bytes of the destination in the file.
    pub edit: Edit,
    /// The replaced bytes.
    pub old: Vec<u8>,
}

/// The reason why a link is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The destination is empty.
    Empty,
    /// The destination is outside the roots and cannot be checked.
    Outside,
    /// The file or directory does not exist.
    NoFile,
    /// Several files have the name. The value is their number.
    Ambiguous(u64),
    /// The destination is a broken symlink.
    DeadLink,
    /// A file with the same name in different case exists.
    OtherCase,
    /// The document has no such anchor.
    NoAnchor,
    /// The document has the same anchor in different case.
    OtherCaseOfAnchor,
    /// The directory has no index document, so it has no anchors.
    NoIndex,
    /// The file has too few lines. The value is the number of lines.
    NoLine(u64),
}
