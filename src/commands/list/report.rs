//! A page as a record, in JSON.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::page::{Entry, Page};
use super::{Options, text};
use crate::commands::json::{self, Address, Text};
use crate::commands::output::{Record, Style, file_size};
use crate::error::Hint;
use crate::files::listing::Kind;

#[derive(JsonSchema, Serialize)]
pub(super) struct DirectoryObject<'a> {
    /// A path: the directory as it was given, and names below it.
    path: Text<'a>,
    #[schemars(extend("const" = "directory"))]
    r#type: &'static str,
    /// The entries of the page. What a directory contains comes right after it, unless they are
    /// sorted by size or time.
    entries: Vec<EntryObject<'a>>,
    /// All entries, counted by kind, and which of them are on the page.
    summary: String,
    stats: StatsObject,
    /// The command line for the next page, or for what was left out; the reason behind #.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryObject<'a> {
    /// A path: the directory as it was given, and names below it.
    path: Text<'a>,
    /// Of a file: as read and patch take it.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address<'a>>,
    /// A link is a symlink, whatever it leads to; other is a pipe, a socket or a device.
    #[schemars(extend("enum" = ["file", "directory", "symlink", "other"]))]
    kind: &'static str,
    /// Of a file, for people, in units of 1024 bytes; with --details.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<String>,
    /// Of a file, in bytes; with --details.
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    /// When it was changed last, as RFC 3339 has it, in UTC; with --details.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    /// Of a directory that can be read: the entries that are in it, those left out that ignore
    /// files, --exclude or a dot before their name leave out.
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<u64>,
    /// Of a document: its first heading of level 1, else the title in its front matter, else the
    /// heading that is above all others; with --titles.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Text<'a>>,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct StatsObject {
    /// Entries on the page.
    returned: u64,
    /// Entries in all.
    total: u64,
    /// Entries before the page.
    offset: u64,
    /// The most entries of a page; 0 for all.
    limit: u64,
    /// Whether there are entries after the page.
    has_more: bool,
    /// Whether a directory could not be read: what is in it is neither told nor counted.
    truncated: bool,
}

/// A page of a directory.
pub(super) struct Listing<'a> {
    pub(super) directory: &'a Path,
    pub(super) page: &'a Page,
    pub(super) options: &'a Options,
    /// The suggested next command.
    pub(super) next: Option<Hint>,
    /// Whether this is the first page that is printed.
    pub(super) is_first: bool,
}

impl Record for Listing<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        text::page(self.page, self.directory, self.options, (style, self.is_first), out);
    }

    fn json(&self, out: &mut Vec<u8>) {
        let (page, options) = (self.page, self.options);
        out.extend_from_slice(&json::line(&DirectoryObject {
            path: json::path(self.directory),
            r#type: "directory",
            entries: page.entries.iter().map(entry).collect(),
            summary: page.summary(options.offset),
            stats: StatsObject {
                returned: page.entries.len() as u64,
                total: page.total(),
                offset: options.offset,
                limit: options.limit,
                has_more: page.has_more(options.offset),
                truncated: page.is_incomplete,
            },
            hint: self.next.as_ref().map(Hint::to_string),
        }));
    }
}

fn entry(entry: &Entry) -> EntryObject<'_> {
    EntryObject {
        path: json::path(&entry.path),
        address: (entry.kind == Kind::File).then_some(Address { path: &entry.path, lines: None }),
        kind: entry.kind.name(),
        size: entry.size.map(file_size),
        size_bytes: entry.size,
        modified: entry.modified(),
        children: entry.children,
        title: entry.title.as_deref().map(Text),
    }
}
