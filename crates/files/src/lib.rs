//! Access to the disk: opens, reads and walks files, and writes files without losing data. This
//! module does not depend on any command.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod address;
pub mod config;
pub mod document;
pub mod editor_file;
pub mod env;
pub mod error;
pub mod history;
pub mod ignore_rules;
pub mod journal;
pub mod kernel;
pub mod link_target;
pub mod listing;
pub mod lock;
pub mod pipe;
mod records;
pub mod recovery;
pub mod replace;
pub mod roots;
mod source;
pub mod state;
mod system;
pub mod undo;
pub mod walk;
