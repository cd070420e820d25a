//! folio reads, searches and edits parts of text files: a heading's section, a log entry, a code
//! block, a table, an INI key, an anchor, a range of lines.
//!
//! A command is a function of plain data: its options, a [`Host`] that is created once, and a
//! [`Sink`] that receives the results. Programs can call commands as the command line does:
//!
//! ```
//! use folio::patch::{Operation, Request};
//! use folio::{Cancel, Code, Collected, Env, ExitStatus, Host, grep, patch, read, target::Part};
//!
//! // Searches, edits and reads one document.
//! fn work(host: &Host, name: &str) -> Result<String, folio::Error> {
//!     let mut hits = Collected::text();
//!     let args = grep::GrepArgs {
//!         pattern: Some("make".into()),
//!         paths: vec![name.into()],
//!         ..grep::GrepArgs::default()
//!     };
//!     assert_eq!(grep::run(args, host, &mut hits)?, ExitStatus::Done);
//!     assert_eq!(hits.written, b"5:Run make.\n");
//!
//!     let edit = Request {
//!         operation: Operation::Replace,
//!         target: Some(Part::section("Install")),
//!         content: Some(b"## Install\n\nRun cargo.".to_vec().into()),
//!         ..Request::default()
//!     };
//!     let options = patch::PatchOptions { addresses: vec![name.into()], edit, ..Default::default() };
//!     patch::run(&options, host, &mut Collected::json())?;
//!
//!     let mut part = Collected::text();
//!     let args = read::ReadArgs {
//!         addresses: vec![format!("{name}#install").into()],
//!         ..read::ReadArgs::default()
//!     };
//!     read::run(args, host, &mut part)?;
//!     Ok(String::from_utf8_lossy(&part.written).into_owned())
//! }
//!
//! let directory = tempfile::tempdir().expect("a directory");
//! for name in ["a.md", "b.md", "c.md"] {
//!     let text = "# Guide\n\n## Install\n\nRun make.\n";
//!     std::fs::write(directory.path().join(name), text).expect("written");
//! }
//! // Relative paths are resolved in this directory, not in the process's working directory.
//! let host = Host::new(directory.path())?;
//! let env = Env { cancel: Cancel::default(), ..host.env.clone() };
//! let cancelled = Host { env, ..host.clone() };
//! cancelled.env.cancel.set();
//! std::thread::scope(|scope| {
//!     let first = scope.spawn(|| work(&host, "a.md"));
//!     let second = scope.spawn(|| work(&host, "b.md"));
//!     let third = scope.spawn(|| work(&cancelled, "c.md"));
//!     for caller in [first, second] {
//!         let part = caller.join().expect("no panic").expect("no failure");
//!         assert_eq!(part, "## Install\n\nRun cargo.\n");
//!     }
//!     let stopped = third.join().expect("no panic").expect_err("it was cancelled");
//!     assert_eq!(stopped.code, Code::Cancelled);
//! });
//! # Ok::<(), folio::Error>(())
//! ```
//!
//! Line numbers start at 1, and ranges include their last line. Offsets are in bytes and start at
//! 0. Unless stated otherwise, a text consists of the bytes of the file.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

/// Expands to the first text if the binary has the commands of the feature `search`, and otherwise
/// to the second.
#[cfg(feature = "search")]
macro_rules! if_search {
    ($with:literal, $without:literal) => {
        $with
    };
}
#[cfg(not(feature = "search"))]
macro_rules! if_search {
    ($with:literal, $without:literal) => {
        $without
    };
}

mod cli;
mod commands;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
mod mcp;
#[cfg(test)]
mod tests;

pub use cli::main;
pub use commands::host::{Host, Stdin};
pub use commands::output::{Closed, Collected, Note, Outcome, Record, Sink, Style};
pub use folio_files::env::{Cancel, Env};
pub use folio_files::error::{Candidate, Code, Error, ExitStatus, Hint};

/// Targets of `read` and `patch`.
pub mod target {
    pub use folio_outline::part::Part;
}

/// `folio read`: prints the part of a document that an address or a target selects.
pub mod read {
    pub use crate::commands::read::args::ReadArgs;
    pub use crate::commands::read::run::run;
}

/// `folio grep`: searches files for matching lines, and finds the section of each match.
pub mod grep {
    pub use crate::commands::grep::args::GrepArgs;
    pub use crate::commands::grep::run::run;
}

/// `folio patch`: edits parts of documents.
pub mod patch {
    pub use crate::commands::patch::options::PatchOptions;
    pub use crate::commands::patch::run::run;
    pub use crate::commands::patch::write_args::WriteArgs;
    pub use crate::commands::patch::{Content, EditOptions, Operation, Request};
}
