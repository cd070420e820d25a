//! The JSON that folio prints, decoded strictly: an unknown field, a missing
//! one, or a null where a fact is to be left out fails.

// Many fields are there to be decoded only.
#![allow(dead_code)]

use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jsonschema::Validator;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{Outcome, Sandbox};

/// A record of a command, checked against the schema it prints.
pub trait Record: DeserializeOwned {
    /// The command.
    const COMMAND: &'static str;

    /// The records on standard output.
    #[track_caller]
    fn all(outcome: &Outcome) -> Vec<Self> {
        let decode = |value: Value| {
            check_schema(Self::COMMAND, &value);
            serde_json::from_value(value).unwrap_or_else(|error| panic!("{error}\n{outcome}"))
        };
        outcome.json_lines().into_iter().map(decode).collect()
    }

    /// The one record on standard output.
    #[track_caller]
    fn one(outcome: &Outcome) -> Self {
        let mut records = Self::all(outcome);
        assert_eq!(records.len(), 1, "{outcome}");
        records.remove(0)
    }
}

impl Record for Piece {
    const COMMAND: &'static str = "read";
}

impl Record for Found {
    const COMMAND: &'static str = "grep";
}

impl Record for File {
    const COMMAND: &'static str = "inspect";
}

impl Record for Search {
    const COMMAND: &'static str = "inspect";
}

impl Record for Lines {
    const COMMAND: &'static str = "inspect";
}

impl Record for Taken {
    const COMMAND: &'static str = "undo";
}

impl Record for LinkRecord {
    const COMMAND: &'static str = "links";
}

impl Record for Listed {
    const COMMAND: &'static str = "list";
}

/// The schema that `folio schema` prints for a command.
pub fn schema(command: &str) -> Value {
    Sandbox::new().run(&["schema", command]).succeeds().json_text()
}

#[track_caller]
pub fn check_schema(command: &str, value: &Value) {
    static INSPECT: OnceLock<Validator> = OnceLock::new();
    static READ: OnceLock<Validator> = OnceLock::new();
    static GREP: OnceLock<Validator> = OnceLock::new();
    static LINKS: OnceLock<Validator> = OnceLock::new();
    static LIST: OnceLock<Validator> = OnceLock::new();
    static UNDO: OnceLock<Validator> = OnceLock::new();
    let validator = match command {
        "read" => &READ,
        "grep" => &GREP,
        "links" => &LINKS,
        "list" => &LIST,
        "undo" => &UNDO,
        _ => &INSPECT,
    };
    let build = || jsonschema::validator_for(&schema(command)).expect("a schema");
    let validator = validator.get_or_init(build);
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{value} against its schema: {errors:?}");
}

/// A fact that may be left out, but is never null.
fn fact<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Text, or bytes that are not UTF-8.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum Text {
    Text(String),
    Bytes(Bytes),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Bytes {
    pub bytes: String,
}

impl Text {
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Bytes(bytes) => STANDARD.decode(&bytes.bytes).unwrap(),
        }
    }

    #[track_caller]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Bytes(bytes) => panic!("it is not UTF-8: {}", bytes.bytes),
        }
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.to_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ErrorLine {
    pub status: String,
    pub code: String,
    #[serde(default, deserialize_with = "fact")]
    pub index: Option<usize>,
    pub message: String,
    #[serde(default, deserialize_with = "fact")]
    pub file_path: Option<Text>,
    #[serde(default)]
    pub suggestions: Vec<String>,
    #[serde(default)]
    pub hints: Vec<HintObject>,
    #[serde(default)]
    pub candidates: Vec<Candidate>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HintObject {
    pub line: String,
    #[serde(default)]
    pub command: Option<String>,
    #[serde(default)]
    pub args: Vec<Text>,
    #[serde(default)]
    pub why: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    pub line: u64,
    pub text: String,
    pub path: Vec<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Range {
    pub start_line: u64,
    pub end_line: u64,
}

/// What `read` tells.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Piece {
    #[serde(default, deserialize_with = "fact")]
    pub index: Option<usize>,
    pub file_path: Text,
    pub address: Text,
    #[serde(default, deserialize_with = "fact")]
    pub target: Option<serde_json::Map<String, Value>>,
    #[serde(default, deserialize_with = "fact")]
    pub range: Option<Range>,
    #[serde(default, deserialize_with = "fact")]
    pub ranges: Option<Vec<Range>>,
    #[serde(default, deserialize_with = "fact")]
    pub bytes: Option<Value>,
    #[serde(default, deserialize_with = "fact")]
    pub section: Option<Value>,
    #[serde(default, deserialize_with = "fact")]
    pub place: Option<Value>,
    pub content: Text,
    #[serde(default, deserialize_with = "fact")]
    pub value: Option<Text>,
    #[serde(default, deserialize_with = "fact")]
    pub total_lines: Option<u64>,
    pub returned_lines: u64,
    pub has_more: bool,
    #[serde(default, deserialize_with = "fact")]
    pub next_line: Option<u64>,
    #[serde(default, deserialize_with = "fact")]
    pub next: Option<Text>,
    #[serde(default, deserialize_with = "fact")]
    pub part_start_line: Option<u64>,
    #[serde(default, deserialize_with = "fact")]
    pub part_end_line: Option<u64>,
    pub truncated: bool,
    #[serde(default, deserialize_with = "fact")]
    pub boundary: Option<Boundary>,
    pub range_checksum: String,
    #[serde(default, deserialize_with = "fact")]
    pub checksum: Option<String>,
    pub encoding: String,
    #[serde(default, deserialize_with = "fact")]
    pub line_ending: Option<String>,
    #[serde(default)]
    pub hints: Vec<Value>,
}

impl Piece {
    /// The first and last line of its one range.
    #[track_caller]
    pub fn lines(&self) -> (u64, u64) {
        let range = self.range.expect("one range");
        (range.start_line, range.end_line)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Boundary {
    pub line: u64,
    pub text: Text,
    #[serde(default)]
    pub in_code: bool,
}

/// What `inspect` tells of a structure.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct File {
    pub file_path: Text,
    pub address: Text,
    pub format: String,
    pub total_lines: u64,
    pub size_bytes: u64,
    pub file_size: String,
    pub encoding: String,
    pub line_ending: String,
    pub final_newline: bool,
    #[serde(default, deserialize_with = "fact")]
    pub checksum: Option<String>,
    #[serde(default, deserialize_with = "fact")]
    pub title: Option<Text>,
    pub structure: Structure,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Structure {
    #[serde(default, deserialize_with = "fact")]
    pub frontmatter: Option<FrontMatter>,
    #[serde(default, deserialize_with = "fact")]
    pub headings: Option<Vec<Heading>>,
    #[serde(default, deserialize_with = "fact")]
    pub code_blocks: Option<Vec<CodeBlock>>,
    #[serde(default, deserialize_with = "fact")]
    pub anchors: Option<Vec<Anchor>>,
    #[serde(default, deserialize_with = "fact")]
    pub sections: Option<Vec<Section>>,
    #[serde(default, deserialize_with = "fact")]
    pub keys: Option<Vec<String>>,
    #[serde(default, deserialize_with = "fact")]
    pub blank_line_groups: Option<Vec<u64>>,
    #[serde(default, deserialize_with = "fact")]
    pub comment_blocks: Option<Vec<CommentBlock>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FrontMatter {
    pub start_line: u64,
    pub end_line: u64,
    pub format: String,
    pub keys: Vec<String>,
    #[serde(default, deserialize_with = "fact")]
    pub nested_keys: Option<Vec<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Heading {
    pub address: Text,
    pub level: u8,
    pub text: Text,
    pub raw: Text,
    pub path: Vec<Text>,
    pub line: u64,
    pub end_line: u64,
    pub anchor: String,
    #[serde(default, deserialize_with = "fact")]
    pub container: Option<String>,
    #[serde(default, deserialize_with = "fact")]
    pub approximate_tokens: Option<u64>,
    #[serde(default, deserialize_with = "fact")]
    pub children: Option<Vec<Self>>,
}

impl Heading {
    /// Its lines, marks and text, and in parentheses what it holds.
    pub fn describe(&self) -> String {
        let marks = "#".repeat(usize::from(self.level));
        let own = format!("{}-{} {marks} {}", self.line, self.end_line, self.text.as_str());
        let children: Vec<String> = self.children.iter().flatten().map(Self::describe).collect();
        if children.is_empty() { own } else { format!("{own} ({})", children.join(", ")) }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeBlock {
    pub address: Text,
    pub index: u64,
    #[serde(default, deserialize_with = "fact")]
    pub language: Option<String>,
    pub start_line: u64,
    pub end_line: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    pub id: String,
    pub line: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Section {
    pub address: Text,
    pub marker: Text,
    #[serde(default, deserialize_with = "fact")]
    pub text: Option<Text>,
    pub line: u64,
    pub end_line: u64,
    #[serde(default, deserialize_with = "fact")]
    pub keys: Option<Vec<String>>,
    #[serde(default, deserialize_with = "fact")]
    pub approximate_tokens: Option<u64>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommentBlock {
    pub start_line: u64,
    pub end_line: u64,
    pub prefix: String,
}

/// What `inspect --mode search` tells.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Search {
    pub file_path: Text,
    pub query: String,
    pub matches: Vec<Match>,
    pub total_matches: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Match {
    pub address: Text,
    pub line: u64,
    pub column: u64,
    pub byte_offset: u64,
    pub text: Text,
    #[serde(default, deserialize_with = "fact")]
    pub context: Option<Context>,
    #[serde(default, deserialize_with = "fact")]
    pub nearest_heading: Option<NearestHeading>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Context {
    pub before: Vec<Text>,
    pub after: Vec<Text>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NearestHeading {
    pub level: u8,
    pub text: Text,
    pub line: u64,
}

/// What `inspect --mode lines` tells.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lines {
    pub file_path: Text,
    pub query: String,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub address: Text,
    pub number: u64,
    pub text: Text,
}

/// What `grep` tells.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
#[allow(clippy::large_enum_variant)]
pub enum Found {
    #[serde(rename_all = "camelCase")]
    Match {
        file_path: Text,
        address: Text,
        line: u64,
        #[serde(default, deserialize_with = "fact")]
        end_line: Option<u64>,
        column: u64,
        byte_offset: u64,
        text: Text,
        #[serde(default, deserialize_with = "fact")]
        section: Option<FoundSection>,
        #[serde(default, deserialize_with = "fact")]
        nearest_heading: Option<NearestHeading>,
        #[serde(default, deserialize_with = "fact")]
        context: Option<Context>,
    },
    #[serde(rename_all = "camelCase")]
    Binary { file_path: Text, byte_offset: u64 },
    #[serde(rename_all = "camelCase")]
    File { file_path: Text, address: Text },
    #[serde(rename_all = "camelCase")]
    Count { file_path: Text, address: Text, count: u64 },
    #[serde(rename_all = "camelCase")]
    Summary {
        files: u64,
        #[serde(default, deserialize_with = "fact")]
        matches: Option<u64>,
        #[serde(default, deserialize_with = "fact")]
        total_matches: Option<u64>,
        truncated: bool,
        #[serde(default, deserialize_with = "fact")]
        stats: Option<serde_json::Map<String, Value>>,
    },
}

/// The section of a hit.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FoundSection {
    pub start_line: u64,
    pub end_line: u64,
    pub path: Vec<Text>,
    #[serde(default, deserialize_with = "fact")]
    pub next: Option<String>,
    #[serde(default, deserialize_with = "fact")]
    pub content: Option<Text>,
}

/// A record of `undo`.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Taken {
    Back(TakenBack),
    Entry(HistoryEntry),
    Recovered(RecoveredRun),
    Diffs(TakenDiffs),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakenBack {
    pub status: String,
    pub direction: String,
    pub undo: u64,
    pub operation: String,
    #[serde(default)]
    pub parts: Vec<String>,
    pub files: Vec<TakenFile>,
    #[serde(default, deserialize_with = "fact")]
    pub recorded: Option<u64>,
}

/// What `undo --dry-run` and `undo --show` print.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakenDiffs {
    pub status: String,
    pub undo: u64,
    pub operation: String,
    #[serde(default)]
    pub parts: Vec<String>,
    pub files: Vec<TakenDiff>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TakenDiff {
    pub file_path: Text,
    pub diff: Text,
}

/// A line of `undo --list`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryEntry {
    pub undo: u64,
    pub time: String,
    pub age_seconds: u64,
    pub operation: String,
    #[serde(default)]
    pub parts: Vec<String>,
    pub files: Vec<TakenFile>,
}

/// A line of `undo --recover`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecoveredRun {
    pub status: String,
    pub ending: String,
    pub time: String,
    pub files: Vec<TakenFile>,
    #[serde(default)]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TakenFile {
    pub file_path: Text,
    #[serde(default, deserialize_with = "fact")]
    pub lines_delta: Option<i64>,
    #[serde(default, deserialize_with = "fact")]
    pub line: Option<u64>,
    #[serde(default)]
    pub removed: bool,
}

// `list`.

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listed {
    pub path: Text,
    pub r#type: String,
    pub entries: Vec<ListedEntry>,
    pub summary: String,
    pub stats: ListStats,
    #[serde(default, deserialize_with = "fact")]
    pub hint: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListedEntry {
    pub path: Text,
    #[serde(default, deserialize_with = "fact")]
    pub address: Option<Text>,
    pub kind: String,
    #[serde(default, deserialize_with = "fact")]
    pub size: Option<String>,
    #[serde(default, deserialize_with = "fact")]
    pub size_bytes: Option<u64>,
    #[serde(default, deserialize_with = "fact")]
    pub modified: Option<String>,
    #[serde(default, deserialize_with = "fact")]
    pub children: Option<u64>,
    #[serde(default, deserialize_with = "fact")]
    pub title: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListStats {
    pub returned: u64,
    pub total: u64,
    pub offset: u64,
    pub limit: u64,
    pub has_more: bool,
    pub truncated: bool,
}

/// A record of `links`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum LinkRecord {
    Broken(BrokenLink),
    Summary(LinkSummary),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BrokenLink {
    pub file_path: Text,
    pub address: Text,
    pub line: u64,
    pub column: u64,
    pub target: Text,
    pub reason: String,
    #[serde(default, deserialize_with = "fact")]
    pub suggestion: Option<Text>,
    #[serde(default, deserialize_with = "fact")]
    pub fix: Option<Text>,
}

#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct LinkSummary {
    pub r#type: String,
    pub files: u64,
    pub links: u64,
    pub external: u64,
    pub broken: u64,
    #[serde(default, deserialize_with = "fact")]
    pub known: Option<u64>,
    #[serde(default, deserialize_with = "fact")]
    pub fixed: Option<u64>,
    #[serde(default, deserialize_with = "fact")]
    pub undo: Option<u64>,
}
