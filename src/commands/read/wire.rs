//! The records of `read` in JSON.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::batch::BatchTarget;
use crate::commands::json::{HintObject, Range, Text};
use crate::commands::schema;

/// The value of a key.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum ValueObject<'a> {
    /// The text of a value.
    Text(Text<'a>),
    /// A value of a tree of keys.
    Data(&'a RawValue),
}

/// One line of JSON per part. Lines are counted from 1, ranges include their last line, and absent
/// fields are omitted. Errors and notes are lines of JSON on standard error: see $defs/error and
/// $defs/note.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PieceObject<'a> {
    /// The index, from 0, of the operand or of the request in --batch. Errors also have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<usize>,
    /// The path that the user gave or folio found. - is standard input.
    pub(super) file_path: Text<'a>,
    /// The address of the part, for read and patch. If the content is not whole lines, the address
    /// of the lines that contain it.
    pub(super) address: Text<'a>,
    /// The requested part, in the form that --batch accepts. Absent for a whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "target_schema")]
    pub(super) target: Option<Value>,
    /// The lines that were read. Absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) range: Option<Range>,
    /// The lines that were read, if several ranges were requested. Replaces range. Overlapping
    /// ranges are merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ranges: Option<Vec<Range>>,
    /// The bytes of the line that were read, from 0, excluding the last. For addresses such as
    /// FILE:12@0-4096.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<BytesObject>,
    /// The section, if the request named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) section: Option<&'a NamedSection>,
    /// The innermost section that contains the first line, with --breadcrumbs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<PlaceObject<'a>>,
    /// The content, with the line endings of the file. With --number, each line begins with its
    /// number.
    pub(super) content: Text<'a>,
    /// The value of the requested key. In TOML, YAML and JSON, it may have any type. YAML aliases
    /// are resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    pub(super) value: Option<ValueObject<'a>>,
    /// Number of lines of the file; absent with --no-total.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) total_lines: Option<u64>,
    /// Number of lines of the content.
    pub(super) returned_lines: u64,
    /// Whether the requested part continues after the content. With --limit or --head, whether the
    /// file continues.
    pub(super) has_more: bool,
    /// The line at which to continue reading, if the part continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_line: Option<u64>,
    /// The address of the rest, if there is more: the rest of the part, or the text after --limit
    /// or --head. Absent if the rest has no address, as for a code block in a list; hints contains
    /// the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<Text<'a>>,
    /// The first line of the requested part before truncation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) part_start_line: Option<u64>,
    /// The last line of the requested part. Absent if --no-total prevents determining it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) part_end_line: Option<u64>,
    /// Whether --max-lines or --max-bytes truncated the part.
    pub(super) truncated: bool,
    /// The line before which --to-next stopped. Absent if no later line matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) boundary: Option<BoundaryObject<'a>>,
    /// The checksum of the bytes of the file that were read. For a code block, the checksum of its
    /// lines without container prefixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) range_checksum: Option<&'a str>,
    /// Checksum of the whole file, with --checksum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) checksum: Option<&'a str>,
    /// The encoding: utf-8, utf-8-bom, utf-16le, utf-16be, or the name in the Encoding Standard of
    /// the encoding given with --encoding. unknown-8bit if the bytes are not valid UTF-8.
    pub(super) encoding: &'a str,
    /// The line endings of the file; absent with --no-total.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["lf", "crlf", "mixed", "none"]))]
    pub(super) line_ending: Option<&'static str>,
    /// The command that reads the rest, if there is more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) hints: Vec<HintObject>,
}

/// The line before which `--to-next` stopped.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BoundaryObject<'a> {
    pub(super) line: u64,
    pub(super) text: Text<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) in_code: bool,
}

/// A range of bytes in a line. The end is exclusive.
#[derive(JsonSchema, Serialize)]
pub(super) struct BytesObject {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// The section that the request named.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[schemars(rename = "SectionObject", description = "")]
pub(super) struct NamedSection {
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) level: Option<u8>,
    pub(super) path: Vec<String>,
    pub(super) line: u64,
    /// Whether the name of the section is exactly the requested name.
    pub(super) exact: bool,
}

/// The innermost section that contains the first line of a part.
#[derive(JsonSchema, Serialize)]
pub(super) struct PlaceObject<'a> {
    pub(super) path: Vec<Text<'a>>,
    #[serde(flatten)]
    pub(super) lines: Option<Range>,
}

fn target_schema(_: &mut SchemaGenerator) -> Schema {
    schema::as_input::<BatchTarget>()
}
