//! A page as a record, in JSON.

use std::path::Path;

use serde::Serialize;

use super::page::{Entry, Page};
use super::{Options, text};
use crate::commands::json::{self, Address, Text};
use crate::commands::output::{Record, Style, file_size};
use crate::error::Hint;
use crate::files::listing::Kind;

#[derive(Serialize)]
struct DirectoryObject<'a> {
    path: Text<'a>,
    r#type: &'static str,
    entries: Vec<EntryObject<'a>>,
    summary: String,
    stats: StatsObject,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryObject<'a> {
    path: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address<'a>>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    modified: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Text<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatsObject {
    returned: u64,
    total: u64,
    offset: u64,
    limit: u64,
    has_more: bool,
    truncated: bool,
}

/// A page of a directory.
pub(super) struct Listing<'a> {
    pub(super) directory: &'a Path,
    pub(super) page: &'a Page,
    pub(super) options: &'a Options,
    /// What to type next.
    pub(super) next: Option<Hint>,
    /// Whether no other page stands before it.
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
                limit: options.limit.unwrap_or(0),
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
