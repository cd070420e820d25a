//! The JSON output of `--depth-budget`, and headings and keys in JSON.

use std::cell::RefCell;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::{Structure, StructureQuery};
use crate::commands::json::{Address, HintObject, OwnedText, Text};
use crate::commands::output::{Record, Style};
use folio_markdown::slug::Slugger;

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
pub(super) struct LevelSummary {
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
    pub(super) hints: Vec<HintObject>,
}

impl Record for LevelSummary {
    fn text(&self, _: Style, _: &mut Vec<u8>) {}

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
    pub(super) structure: &'a Structure<'a>,
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

/// A heading and its section.
#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HeadingObject<'a> {
    address: Address<'a>,
    /// The level of a heading.
    level: u8,
    /// The rendered text, without {#id} and closing # marks.
    #[schemars(with = "OwnedText")]
    text: Names<'a>,
    /// The source of the first line, without the line ending.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<OwnedText>,
    /// The names of the sections that contain the heading, outermost first, followed by its own
    /// name.
    #[schemars(with = "Vec<OwnedText>")]
    path: Names<'a>,
    /// The line on which the text of the heading begins.
    line: u64,
    /// The last line of the section.
    end_line: u64,
    /// The GitHub slug. It is unique in the file.
    anchor: String,
    /// The kind of container around the heading. The section ends with the container.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["quote", "list", "footnote"]))]
    container: Option<&'static str>,
    /// The names of the properties of a headline of Org.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<OwnedText>", default)]
    keys: Vec<&'a str>,
    /// The size of the section in bytes divided by 4, rounded up, with --tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    approximate_tokens: Option<u64>,
    /// The headings directly below this heading. Omitted with --flat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<HeadingObject<'static>>>")]
    children: Option<Headings<'a>>,
}

/// Iterates over the headings while they are serialized. Building all objects first would require
/// many times the memory of the outline.
pub(super) struct HeadingWalk<'a> {
    pub(super) structure: &'a Structure<'a>,
    pub(super) path: &'a Path,
    pub(super) query: &'a StructureQuery<'a>,
    state: RefCell<WalkState>,
}

#[derive(Default)]
struct WalkState {
    /// The index of the next section.
    next: usize,
    /// The last lines and the names of the open ancestors, and of the last heading.
    open: Vec<(u64, OwnedText)>,
    slugger: Slugger,
}

/// The names of the last heading and of the sections that contain it.
enum Names<'a> {
    /// All names, as a list.
    Path(&'a HeadingWalk<'a>),
    /// The name of the heading.
    Last(&'a HeadingWalk<'a>),
}

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (Self::Path(walk) | Self::Last(walk)) = self;
        let open = &walk.state.borrow().open;
        let mut names = open.iter().map(|(_, name)| name);
        match self {
            Self::Path(_) => serializer.collect_seq(names),
            Self::Last(_) => names.next_back().serialize(serializer),
        }
    }
}

impl<'a> HeadingWalk<'a> {
    pub(super) fn new(
        structure: &'a Structure<'a>,
        path: &'a Path,
        query: &'a StructureQuery<'a>,
    ) -> Self {
        Self { structure, path, query, state: RefCell::default() }
    }

    /// Returns all headings that have not been serialized yet.
    pub(super) fn all(&'a self) -> Headings<'a> {
        Headings { walk: self, end: u64::MAX }
    }

    /// Returns the next heading to show that begins at or before the line `end`.
    fn next(&'a self, end: u64) -> Option<HeadingObject<'a>> {
        let Self { structure, path, query, state } = self;
        let outline = structure.outline;
        let WalkState { next, open, slugger } = &mut *state.borrow_mut();
        loop {
            let index = *next;
            let section = outline.sections().get(index)?;
            let lines = section.lines();
            if lines.start() > end {
                return None;
            }
            *next += 1;
            while open.last().is_some_and(|(last, _)| *last < lines.start()) {
                open.pop();
            }
            open.push((lines.end(), OwnedText(outline.text(index).into_owned())));
            let Some(level) = section.level() else { continue };
            let anchor = slugger.next(&String::from_utf8_lossy(&outline.anchor_text(index)));
            if level > query.max_level || !structure.holds(lines.start()) {
                continue;
            }
            return Some(HeadingObject {
                address: Address { path, lines: Some(lines) },
                level,
                text: Names::Last(self),
                raw: structure.source(index).map(OwnedText),
                path: Names::Path(self),
                line: lines.start(),
                end_line: lines.end(),
                anchor,
                container: section.container().map(|container| container.name()),
                keys: structure.section_keys(index).collect(),
                approximate_tokens: structure.bytes.as_ref().map(|bytes| bytes[index].div_ceil(4)),
                children: (!query.options.flat)
                    .then_some(Headings { walk: self, end: lines.end() }),
            });
        }
    }
}

/// The headings that begin at or before a line and have not been serialized yet. They form a tree,
/// or a list if requested.
pub(super) struct Headings<'a> {
    walk: &'a HeadingWalk<'a>,
    end: u64,
}

impl Serialize for Headings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(std::iter::from_fn(|| self.walk.next(self.end)))
    }
}
