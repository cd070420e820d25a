//! The JSON that folio prints. Each record is checked against the schema of its command, which
//! contains all fields. Only fields that tests use are decoded.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jsonschema::Validator;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Outcome, Sandbox};

/// A record of a command, which is checked against the schema that the command prints.
pub trait Record: DeserializeOwned {
    /// The name of the command.
    const COMMAND: &'static str;

    /// Returns the records on standard output.
    #[track_caller]
    fn all(outcome: &Outcome) -> Vec<Self> {
        let decode = |value: Value| {
            check_schema(Self::COMMAND, &value);
            serde_json::from_value(value).unwrap_or_else(|error| panic!("{error}\n{outcome}"))
        };
        outcome.json_lines().into_iter().map(decode).collect()
    }

    /// Returns the only record on standard output.
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

impl Record for TakenBack {
    const COMMAND: &'static str = "undo";
}

impl Record for TakenDiffs {
    const COMMAND: &'static str = "undo";
}

impl Record for HistoryEntry {
    const COMMAND: &'static str = "undo";
}

impl Record for LinkRecord {
    const COMMAND: &'static str = "links";
}

/// A directory is either an object with its entries, or a line for each entry and a summary.
impl Record for Listed {
    const COMMAND: &'static str = "list";

    fn all(outcome: &Outcome) -> Vec<Self> {
        let (mut all, mut entries) = (Vec::new(), Vec::new());
        for value in outcome.json_lines() {
            check_schema(Self::COMMAND, &value);
            if value["type"] == "entry" {
                entries.push(serde_json::from_value(value).unwrap());
            } else {
                let mut listed: Self = serde_json::from_value(value).unwrap();
                listed.entries.append(&mut entries);
                all.push(listed);
            }
        }
        assert!(entries.is_empty(), "{outcome}");
        all
    }
}

/// Returns the schema that `folio schema` prints for a command.
pub fn schema(command: &str) -> Value {
    Sandbox::new().run(&["schema", command]).succeeds().json_text()
}

#[track_caller]
pub fn check_schema(command: &str, value: &Value) {
    static VALIDATORS: Mutex<BTreeMap<String, Arc<Validator>>> = Mutex::new(BTreeMap::new());
    let build = || Arc::new(jsonschema::validator_for(&schema(command)).expect("a schema"));
    let validator =
        Arc::clone(VALIDATORS.lock().unwrap().entry(command.to_owned()).or_insert_with(build));
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{value} against its schema: {errors:?}");
}

/// Text, or bytes that are not UTF-8.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum Text {
    Text(String),
    Bytes(Bytes),
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
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

impl Default for Text {
    fn default() -> Self {
        Self::Text(String::new())
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

/// Defines records and their parts, with the fields that tests use.
macro_rules! records {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $type:ty,)+ })+) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name { $(pub $field: $type),+ }
    )+};
}

records! {
    ErrorLine {
        status: String,
        code: String,
        index: Option<usize>,
        message: String,
        file_path: Option<Text>,
        suggestions: Vec<String>,
        hints: Vec<HintObject>,
        candidates: Vec<Candidate>,
    }
    HintObject {
        line: String,
        command: Option<String>,
        args: Vec<Text>,
        why: String,
    }
    Candidate {
        line: u64,
        path: Vec<String>,
    }
    Range {
        start_line: u64,
        end_line: u64,
    }
    /// The output of `read`.
    Piece {
        index: Option<usize>,
        file_path: Text,
        address: Text,
        target: Option<serde_json::Map<String, Value>>,
        range: Option<Range>,
        ranges: Option<Vec<Range>>,
        bytes: Option<Value>,
        section: Option<Value>,
        place: Option<Value>,
        content: Text,
        value: Option<Value>,
        total_lines: Option<u64>,
        returned_lines: u64,
        has_more: bool,
        next_line: Option<u64>,
        next: Option<Text>,
        part_start_line: Option<u64>,
        part_end_line: Option<u64>,
        truncated: bool,
        boundary: Option<Boundary>,
        range_checksum: String,
        checksum: Option<String>,
        encoding: String,
        line_ending: Option<String>,
        hints: Vec<Value>,
    }
    Boundary {
        line: u64,
        text: Text,
        in_code: bool,
    }
    /// The output of `inspect` for a structure.
    File {
        file_path: Text,
        address: Text,
        format: String,
        total_lines: u64,
        size_bytes: u64,
        file_size: String,
        encoding: String,
        line_ending: String,
        final_newline: bool,
        checksum: Option<String>,
        title: Option<Text>,
        structure: Structure,
    }
    Structure {
        frontmatter: Option<FrontMatter>,
        headings: Option<Vec<Heading>>,
        code_blocks: Option<Vec<CodeBlock>>,
        anchors: Option<Vec<Anchor>>,
        sections: Option<Vec<Section>>,
        keys: Option<Vec<String>>,
        blank_line_groups: Option<Vec<u64>>,
        comment_blocks: Option<Vec<CommentBlock>>,
    }
    FrontMatter {
        start_line: u64,
        end_line: u64,
        format: String,
        keys: Vec<String>,
        nested_keys: Option<Vec<String>>,
    }
    Heading {
        address: Text,
        level: u8,
        text: Text,
        line: u64,
        end_line: u64,
        anchor: String,
        container: Option<String>,
        approximate_tokens: Option<u64>,
        children: Option<Vec<Self>>,
    }
    CodeBlock {
        address: Text,
        index: u64,
        language: Option<String>,
        start_line: u64,
        end_line: u64,
    }
    Anchor {
        id: String,
        line: u64,
    }
    Section {
        address: Text,
        marker: Text,
        text: Option<Text>,
        line: u64,
        end_line: u64,
        keys: Option<Vec<String>>,
        approximate_tokens: Option<u64>,
    }
    CommentBlock {
        start_line: u64,
        end_line: u64,
        prefix: String,
    }
    /// The output of `inspect --mode search`.
    Search {
        file_path: Text,
        query: String,
        matches: Vec<Match>,
        total_matches: u64,
    }
    Match {
        address: Text,
        line: u64,
        column: u64,
        byte_offset: u64,
        text: Text,
        context: Option<Context>,
        nearest_heading: Option<NearestHeading>,
    }
    Context {
        before: Vec<Text>,
        after: Vec<Text>,
    }
    NearestHeading {
        level: u8,
        text: Text,
        line: u64,
    }
    /// The output of `inspect --mode lines`.
    Lines {
        query: String,
        lines: Vec<Line>,
    }
    Line {
        address: Text,
        number: u64,
        text: Text,
    }
    /// The section of a match.
    FoundSection {
        start_line: u64,
        end_line: u64,
        path: Vec<Text>,
        next: Option<String>,
        content: Option<Text>,
    }
    TakenBack {
        undo: u64,
        operation: String,
        files: Vec<TakenFile>,
    }
    /// The output of `undo --dry-run` and `undo --show`.
    TakenDiffs {
        status: String,
        files: Vec<TakenDiff>,
    }
    TakenDiff {
        diff: Text,
    }
    /// A line of `undo --list`.
    HistoryEntry {
        undo: Option<u64>,
        redo: Option<u64>,
        undone: Option<u64>,
        time: String,
        age_seconds: u64,
        parts: Vec<String>,
        values: Vec<String>,
        files: Vec<TakenFile>,
    }
    TakenFile {
        file_path: Text,
        lines_delta: Option<i64>,
        line: Option<u64>,
        removed: bool,
    }
    Listed {
        path: Text,
        r#type: String,
        entries: Vec<ListedEntry>,
        summary: String,
        stats: ListStats,
        hint: Option<String>,
    }
    ListedEntry {
        path: Text,
        address: Option<Text>,
        kind: String,
        size: Option<String>,
        size_bytes: Option<u64>,
        modified: Option<String>,
        children: Option<u64>,
        title: Option<Text>,
    }
    ListStats {
        returned: u64,
        total: u64,
        offset: u64,
        limit: u64,
        has_more: bool,
        truncated: bool,
    }
}

impl Piece {
    /// Returns the first and last line of the only range.
    #[track_caller]
    pub fn lines(&self) -> (u64, u64) {
        let range = self.range.as_ref().expect("one range");
        (range.start_line, range.end_line)
    }
}

impl Heading {
    /// Returns the lines, marks and text of a section, with its contents in parentheses.
    pub fn describe(&self) -> String {
        let marks = "#".repeat(usize::from(self.level));
        let description = format!("{}-{} {marks} {}", self.line, self.end_line, self.text.as_str());
        let children: Vec<String> = self.children.iter().flatten().map(Self::describe).collect();
        if children.is_empty() {
            description
        } else {
            format!("{description} ({})", children.join(", "))
        }
    }
}

/// The output of `grep`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
#[allow(clippy::large_enum_variant)]
pub enum Found {
    #[serde(rename_all = "camelCase")]
    Match {
        address: Text,
        line: u64,
        column: u64,
        byte_offset: u64,
        text: Text,
        section: Option<FoundSection>,
        nearest_heading: Option<NearestHeading>,
        context: Option<Context>,
    },
    #[serde(rename_all = "camelCase")]
    Binary {},
    #[serde(rename_all = "camelCase")]
    File { address: Text },
    #[serde(rename_all = "camelCase")]
    Count { address: Text },
    #[serde(rename_all = "camelCase")]
    Summary { files: u64, matches: Option<u64>, total_matches: Option<u64>, truncated: bool },
}

/// A record of `links`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum LinkRecord {
    Broken(BrokenLink),
    Summary(LinkSummary),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BrokenLink {
    pub file_path: Text,
    pub address: Text,
    pub line: u64,
    pub column: u64,
    pub target: Text,
    pub reason: String,
    pub suggestion: Option<Text>,
    pub fix: Option<Text>,
}

#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
pub struct LinkSummary {
    pub r#type: String,
    pub files: u64,
    pub links: u64,
    pub external: u64,
    pub broken: u64,
    pub known: Option<u64>,
    pub fixed: Option<u64>,
    pub undo: Option<u64>,
}
