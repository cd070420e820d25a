//! The record of a page, and its JSON form.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::args::ListArgs;
use super::page::{Page, PageEntry};
use super::text;
use crate::commands::json::{self, Address, Text};
use crate::commands::output::{Json, Record, Style, file_size};
use folio_files::error::Hint;
use folio_files::listing::EntryKind;

#[derive(JsonSchema, Serialize)]
pub(super) struct DirectoryObject<'a> {
    /// The path of the directory, as the user gave it.
    path: Text<'a>,
    #[schemars(extend("const" = "directory"))]
    r#type: &'static str,
    /// The entries of the page. The contents of a directory follow it, unless all entries are
    /// sorted by size or time.
    entries: Vec<EntryObject<'a>>,
    #[serde(flatten)]
    page: PageObject,
}

/// The line for an entry, with --json.
#[derive(JsonSchema, Serialize)]
pub(super) struct EntryRecord<'a> {
    #[schemars(extend("const" = "entry"))]
    r#type: &'static str,
    #[serde(flatten)]
    entry: EntryObject<'a>,
}

/// The line after the entries of a directory, with --json.
#[derive(JsonSchema, Serialize)]
pub(super) struct SummaryRecord<'a> {
    #[schemars(extend("const" = "summary"))]
    r#type: &'static str,
    /// The path of the directory, as the user gave it.
    path: Text<'a>,
    #[serde(flatten)]
    page: PageObject,
}

#[derive(JsonSchema, Serialize)]
struct PageObject {
    /// The number of entries by kind, and the range of entries on the page.
    summary: String,
    stats: StatsObject,
    /// A command with a comment: for the next page, or to include excluded entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryObject<'a> {
    /// The path: the directory that the user gave, followed by the names below it.
    path: Text<'a>,
    /// The address of a file, for read and patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address<'a>>,
    /// The kind of entry. A symlink is not followed. other is a FIFO, a socket or a device.
    #[schemars(extend("enum" = ["file", "directory", "symlink", "other"]))]
    kind: &'static str,
    /// With --details: the size of a file in a readable form, in units of 1024 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<String>,
    /// With --details: the size of a file in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// With --details: the modification time in UTC, in the format of RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    /// The number of entries in a directory, if it is readable, without ignored, excluded and
    /// hidden entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<u64>,
    /// With --titles: the title of a document, which is its first heading of level 1, otherwise the
    /// title in its front matter, otherwise the first heading, if no other heading has its level or
    /// a higher one.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Text<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct StatsObject {
    /// Number of entries on the page.
    returned: u64,
    /// Total number of entries.
    total: u64,
    /// Number of entries before the page.
    offset: u64,
    /// Maximum number of entries on a page. 0 for all entries.
    limit: u64,
    /// Whether there are entries after the page.
    has_more: bool,
    /// Whether a directory could not be read, so that its entries are missing.
    truncated: bool,
}

/// A page of a directory.
pub(super) struct Listing<'a> {
    pub(super) directory: &'a Path,
    pub(super) page: &'a Page,
    pub(super) args: &'a ListArgs,
    /// The command that the page suggests to run next.
    pub(super) next: Option<Hint>,
    /// Whether this is the first page that is printed.
    pub(super) is_first: bool,
}

/// A page of a directory, for callers in this process.
pub struct DirectoryPage {
    pub(super) directory: PathBuf,
    pub(super) args: ListArgs,
    pub(super) page: Page,
}

impl DirectoryPage {
    /// Returns the page as JSON, in the same form as the output of `list --json-object` but
    /// without a hint.
    pub fn to_json(&self) -> Value {
        json!(DirectoryObject::new(&self.directory, &self.page, &self.args, None))
    }

    /// Returns the path and the kind of each entry.
    pub fn entries(&self) -> impl Iterator<Item = (&Path, EntryKind)> {
        self.page.entries.iter().map(|entry| (&*entry.path, entry.kind))
    }

    /// Returns the number of all entries of the directory.
    pub fn total(&self) -> u64 {
        self.page.total()
    }

    /// Returns the number of the first entry after the page, or `None` if there is none.
    pub fn next(&self) -> Option<u64> {
        let (page, offset) = (&self.page, self.args.offset);
        page.has_more(offset).then(|| offset + page.entries.len() as u64)
    }
}

impl Record for Listing<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        text::page(self.page, self.directory, self.args, (style, self.is_first), out);
    }
}

impl Json for Listing<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let hint = self.next.as_ref().map(Hint::to_string);
        if self.args.json_object {
            return DirectoryObject::new(self.directory, self.page, self.args, hint).json(out);
        }
        for entry in &self.page.entries {
            EntryRecord { r#type: "entry", entry: EntryObject::new(entry) }.json(out);
        }
        let page = PageObject::new(self.page, self.args, hint);
        SummaryRecord { r#type: "summary", path: json::path(self.directory), page }.json(out);
    }
}

impl<'a> DirectoryObject<'a> {
    fn new(directory: &'a Path, page: &'a Page, args: &ListArgs, hint: Option<String>) -> Self {
        Self {
            path: json::path(directory),
            r#type: "directory",
            entries: page.entries.iter().map(EntryObject::new).collect(),
            page: PageObject::new(page, args, hint),
        }
    }
}

impl PageObject {
    fn new(page: &Page, args: &ListArgs, hint: Option<String>) -> Self {
        Self {
            summary: page.summary(args.offset),
            stats: StatsObject {
                returned: page.entries.len() as u64,
                total: page.total(),
                offset: args.offset,
                limit: args.limit,
                has_more: page.has_more(args.offset),
                truncated: page.is_incomplete,
            },
            hint,
        }
    }
}

impl<'a> EntryObject<'a> {
    fn new(entry: &'a PageEntry) -> Self {
        let address = Address { path: &entry.path, lines: None };
        Self {
            path: json::path(&entry.path),
            address: (entry.kind == EntryKind::File).then_some(address),
            kind: entry.kind.name(),
            size: entry.size.map(file_size),
            size_bytes: entry.size,
            modified: entry.modified(),
            children: entry.children,
            title: entry.title.as_deref().map(Text),
        }
    }
}
