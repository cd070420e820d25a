//! End-to-end tests. Each test runs the binary on files in a separate directory, and checks the
//! output.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, clippy::print_stderr)]
// Tests create the files on which folio is run.
#![allow(clippy::disallowed_methods)]
#![allow(missing_docs)]
#![recursion_limit = "256"]

mod support;

mod addresses;
mod agreement;
mod cli;
#[cfg(feature = "code")]
mod code;
mod complete;
mod conditions;
mod differential;
mod editor;
mod generated;
mod grep;
mod growth;
mod input;
mod inspect;
mod keys;
mod links;
mod list;
mod markup;
mod max_tokens;
mod mcp;
mod messages;
mod outside_comments;
mod packaging;
mod pages;
mod patch;
mod planted;
mod properties;
mod read;
mod recipes;
mod roots;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod roots_race;
mod safety;
#[cfg(feature = "search")]
mod search;
mod terminal;
mod tidy;
mod undo;
