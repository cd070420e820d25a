//! One folder for each subcommand, and the code that commands share: output, messages about missing
//! parts, JSON. No command imports another command.

pub mod answer_budget;
#[cfg(feature = "search")]
pub mod collection;
#[cfg(feature = "search")]
pub mod collection_search;
pub mod conditions;
pub mod field_names;
pub mod file_diff;
pub mod given_fields;
pub mod grep;
pub mod host;
pub mod hyperlinks;
pub mod input;
pub mod inspect;
pub mod job;
pub mod json;
mod json_request;
pub mod line_matcher;
pub mod line_search;
pub mod links;
pub mod list;
pub mod matching;
pub mod misses;
pub mod missing_files;
pub mod option_rows;
pub mod output;
pub mod parallel;
pub mod patch;
pub mod printed_lines;
pub mod read;
#[cfg(feature = "search")]
pub mod related;
pub mod request;
pub mod resolve;
#[cfg(feature = "search")]
pub mod retrieval;
pub mod rules;
pub mod schema;
pub mod shared_args;
pub mod site;
pub mod stray_operands;
pub mod target;
pub mod undo;
pub mod visible;
