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
mod bad_input;
mod complete;
mod conditions;
mod conditions_json;
mod config;
mod diff;
mod differential;
mod edit;
mod edit_sequences;
mod env_files;
mod faults;
mod file_move;
mod generated;
mod grep;
mod grep_input;
mod growth;
mod help;
mod hyperlinks;
mod inspect;
mod inspect_depth;
mod keys;
mod links;
mod links_fix;
mod links_sites;
mod list;
mod max_tokens;
mod mcp;
mod mcp_answers;
#[cfg(feature = "search")]
mod mcp_documents;
mod mcp_messages;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod mcp_race;
mod mcp_seeds;
mod mcp_server;
mod mcp_writers;
mod messages;
mod multicall;
mod outside_comments;
mod packaging;
mod pages;
mod patch;
mod patch_batches;
mod patch_edges;
mod patch_faults;
mod patch_links;
mod patch_misses;
mod patch_parts;
mod patch_properties;
mod patch_references;
mod patch_rules;
mod patch_seeds;
mod patch_set;
mod patch_spacing;
mod patch_truth;
mod planted;
mod properties;
mod read;
mod read_merged;
mod read_parts;
mod recipes;
mod repeated_options;
mod ripgrep;
mod roots;
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
mod roots_race;
mod safety;
mod schemas;
#[cfg(feature = "search")]
mod search;
#[cfg(feature = "search")]
mod search_limits;
#[cfg(feature = "search")]
mod search_safety;
#[cfg(feature = "postgres")]
mod search_server;
mod seeds;
mod terminal;
mod tidy;
mod undo;
