//! The JSON output of `--depth-budget`, and keys in JSON.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{Structure, StructureQuery};
use crate::commands::json::{self, Address, HintObject, Text};
use crate::commands::output::{Record, Style};

/// A file with as many levels of its outline as fit.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LevelFile<'a> {
    #[schemars(extend("const" = "file"))]
    pub(super) r#type: &'static str,
    /// The path that the user gave or folio found. - is standard input.
    pub(super) file_path: Text<'a>,
    pub(super) address: Address<'a>,
    pub(super) total_lines: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<Text<'a>>,
    /// Headings, INI sections and log entries in order, as many levels as fit. Absent if only
    /// titles fit. This field is written after the other fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) headings: Vec<LevelSection<'a>>,
}

/// A heading, an INI section or a log entry.
#[derive(JsonSchema, Serialize)]
pub(super) struct LevelSection<'a> {
    pub(super) address: Address<'a>,
    /// The level of a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) level: Option<u8>,
    pub(super) text: Text<'a>,
}

/// A directory whose files do not fit into the output.
#[derive(JsonSchema, Serialize)]
pub(super) struct LevelDirectory<'a> {
    #[schemars(extend("const" = "directory"))]
    pub(super) r#type: &'static str,
    pub(super) address: Text<'a>,
    /// The number of files in the directory and below it.
    pub(super) files: u64,
}

/// The levels that are shown.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LevelSummary<'a> {
    #[schemars(extend("const" = "summary"))]
    pub(super) r#type: &'static str,
    pub(super) files: u64,
    /// `directories`, `titles` or `headings`.
    #[schemars(extend("enum" = ["directories", "titles", "headings"]))]
    pub(super) shown: &'static str,
    /// The level of a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_level: Option<u8>,
    /// A description of what is omitted. Absent if nothing is omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<String>,
    /// Commands that show what is omitted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) hints: Vec<HintObject<'a>>,
}

impl Record for LevelSummary<'_> {
    fn text(&self, _: Style, _: &mut Vec<u8>) {}

    fn json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&json::line(self));
    }

    fn is_summary(&self) -> bool {
        true
    }
}

/// An entry of TOML, YAML, JSON, .env or .properties: a key with its value, or an item of a list.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntryObject<'a> {
    address: Address<'a>,
    /// The key path, in the form that folio read --key accepts.
    key: String,
    /// The type of its value.
    #[schemars(extend("enum" = [
        "mapping", "list", "string", "integer",
        "float", "boolean", "null", "date", "alias"
    ]))]
    r#type: &'static str,
    /// The value, unless it is a mapping or list.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    line: u64,
    end_line: u64,
}

/// The entries of a tree of keys. They are serialized one at a time.
pub(super) struct Entries<'a> {
    pub(super) structure: &'a Structure,
    pub(super) path: &'a Path,
    pub(super) query: &'a StructureQuery<'a>,
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.structure.entries(self.query).map(|(tree, index)| {
            let (lines, kind) = (tree.lines(index), tree.node(index).kind);
            EntryObject {
                address: Address { path: self.path, lines: Some(lines) },
                key: tree.path(index),
                r#type: kind.name(),
                value: (!kind.is_container()).then(|| tree.scalar(index)),
                line: lines.start(),
                end_line: lines.end(),
            }
        });
        serializer.collect_seq(entries)
    }
}
