//! What `--depth-budget` prints as JSON.

use serde::Serialize;

use crate::commands::json::{Address, HintObject, Text};

/// A file without its headings, which come behind it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LevelFile<'a> {
    pub(super) r#type: &'static str,
    pub(super) file_path: Text<'a>,
    pub(super) address: Address<'a>,
    pub(super) total_lines: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<Text<'a>>,
}

/// A heading, an INI section or a log entry.
#[derive(Serialize)]
pub(super) struct LevelSection<'a> {
    pub(super) address: Address<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) level: Option<u8>,
    pub(super) text: Text<'a>,
}

/// A directory in the place of its files.
#[derive(Serialize)]
pub(super) struct LevelDirectory<'a> {
    pub(super) r#type: &'static str,
    pub(super) address: Text<'a>,
    pub(super) files: u64,
}

/// What is shown, and what is not.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LevelSummary<'a> {
    pub(super) r#type: &'static str,
    pub(super) files: u64,
    /// `directories`, `titles` or `headings`.
    pub(super) shown: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_level: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) hints: Vec<HintObject<'a>>,
}
