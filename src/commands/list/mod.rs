//! `list`: what stands in directories, in pages that are stable.

pub mod args;
mod page;
mod report;
pub mod run;
mod text;
mod title;

use crate::files::listing::{Order, WalkOptions};

/// The JSON Schema of what is printed.
pub const SCHEMA: &str = include_str!("schema.json");

/// What is listed, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// Entries, or directories as a tree.
    pub mode: Mode,
    /// What is gone through, in which order.
    pub list: WalkOptions,
    /// The order of entries all together, where it is not that of their names.
    pub order: Order,
    /// Only files with one of these extensions, in lower case and without their
    /// first dot.
    pub extensions: Vec<String>,
    /// How many entries are left out before the page.
    pub offset: u64,
    /// The most entries on a page; `None` for all.
    pub limit: Option<u64>,
    /// Whether size and time are told.
    pub details: bool,
    /// Whether the children of directories are counted.
    pub children: bool,
    /// Whether the titles of documents are told.
    pub titles: bool,
    /// Whether text records end with NUL, for any file name.
    pub null: bool,
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Entries, each by its path.
    List,
    /// Directories and how much they hold.
    Tree {
        /// Whether files are drawn too.
        files: bool,
    },
}
