//! `undo`: takes back what `patch` wrote, as long as nothing has changed since;
//! and puts in order what a run left that was cut off.

pub mod args;
pub mod report;
pub mod run;

/// The JSON Schema of what is printed.
pub const SCHEMA: &str = include_str!("schema.json");
