//! The records of the sections that were found.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;

use schemars::JsonSchema;
use serde::Serialize;

use super::hits::Hit;
use super::snippet::{Snippet, snippet};
use crate::commands::json::{self, Text};
use crate::commands::output::{Json, Record, Role, Style};
use folio_search::analyser::Analyser;

/// A section found for a query.
pub struct Found<'a> {
    /// The section.
    pub hit: &'a Hit,
    /// The query. `None` for `related`, which has no query.
    pub query: Option<&'a str>,
    /// The corrected query that was run instead.
    pub corrected: Option<&'a String>,
    /// The stems of the words in the query.
    pub stems: &'a HashSet<String>,
    /// Computes the stems of words.
    pub analyser: &'a Analyser,
    /// Whether JSON includes the text of the section.
    pub content: bool,
    /// Whether text records end with NUL, so that file names with any characters are unambiguous.
    pub null: bool,
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundObject<'a> {
    /// The query.
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'a str>,
    /// The corrected query, if the collections lack words of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_query: Option<&'a String>,
    /// The collection as the user named it, or its first alias or name. For an unnamed directory,
    /// the path.
    collection: &'a str,
    /// The name of the collection. For an unnamed directory, the absolute path.
    collection_id: &'a str,
    /// The path of the document in the collection.
    document_id: Text<'a>,
    /// The title of the document: its first heading of level 1, otherwise the title in its front
    /// matter, otherwise its path.
    document_title: &'a str,
    /// The heading of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    section_heading: Option<&'a str>,
    /// The headings of the section and its ancestors, outermost first.
    heading_path: &'a [String],
    /// The address of the section, for read and patch.
    address: Text<'a>,
    /// The sentences that match the query best, without markup.
    snippet: &'a str,
    /// The text of the section, with --content.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Text<'a>>,
    /// Whether --max-tokens truncated the snippet or the content.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("const" = true))]
    truncated: bool,
    /// The number of a line, from 1.
    start_line: u64,
    /// The number of a line, from 1.
    end_line: u64,
    /// The first 16 digits of the SHA-256 of the section's bytes.
    range_checksum: &'a str,
    /// The score, from 0 to 1. Scores of different queries cannot be compared.
    relevance_score: f64,
    /// 1 minus the approximate cosine of the vectors. Absent with --keyword-only.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
    /// The number of the part within the document, from 1.
    chunk_index: u64,
    /// Number of parts of the document.
    total_chunks: u64,
}

impl Found<'_> {
    fn snippet(&self) -> Snippet {
        let content = String::from_utf8_lossy(&self.hit.content);
        snippet(&content, &self.hit.document, self.stems, self.analyser)
    }

    /// Returns the headings of a section, preceded by the title of the document unless they contain
    /// it.
    fn names(&self) -> String {
        let hit = self.hit;
        let is_named =
            hit.title.as_bytes() != hit.document && hit.trail.first() != Some(&hit.title);
        let title = (is_named || hit.trail.is_empty()).then_some(&hit.title);
        let names: Vec<&str> = title.into_iter().chain(&hit.trail).map(String::as_str).collect();
        names.join(" > ").replace(['\n', '\r'], " ")
    }

    fn text_with(&self, snippet: &Snippet, style: Style, out: &mut Vec<u8>) {
        let hit = self.hit;
        style.paint_bytes(Role::Path, hit.address.as_os_str().as_bytes(), out);
        out.push(b':');
        style.paint_lines(hit.lines, out);
        out.push(if self.null { 0 } else { b':' });
        style.paint_bytes(Role::Heading(2), self.names().as_bytes(), out);
        out.extend_from_slice(if style.terminal && !self.null { b"\n    " } else { b": " });
        let mut at = 0;
        for place in &snippet.matches {
            let place = place.start.max(at)..place.end.max(at);
            out.extend_from_slice(&style.safe(&snippet.text.as_bytes()[at..place.start]));
            style.paint_bytes(Role::Match, &snippet.text.as_bytes()[place.clone()], out);
            at = place.end;
        }
        out.extend_from_slice(&style.safe(&snippet.text.as_bytes()[at..]));
        out.push(if self.null { 0 } else { b'\n' });
    }

    fn json_with(&self, content: Option<&[u8]>, snippet: &str, is_cut: bool, out: &mut Vec<u8>) {
        let hit = self.hit;
        let mut address = hit.address.as_os_str().as_bytes().to_vec();
        address.extend_from_slice(format!(":{}", hit.lines.start()).as_bytes());
        if hit.lines.count() > 1 {
            address.extend_from_slice(format!("-{}", hit.lines.end()).as_bytes());
        }
        out.extend_from_slice(&json::line(&FoundObject {
            query: self.query,
            corrected_query: self.corrected,
            collection: &hit.collection,
            collection_id: &hit.collection_id,
            document_id: Text(&hit.document),
            document_title: &hit.title,
            section_heading: hit.trail.last().map(String::as_str),
            heading_path: &hit.trail,
            address: Text(&address),
            snippet,
            content: content.map(Text),
            truncated: is_cut,
            start_line: hit.lines.start(),
            end_line: hit.lines.end(),
            range_checksum: &hit.checksum,
            relevance_score: hit.relevance(),
            distance: hit.distance(),
            chunk_index: hit.index,
            total_chunks: hit.total,
        }));
    }
}

impl Json for Found<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        let content = self.content.then_some(&*self.hit.content);
        self.json_with(content, &self.snippet().text, false, out);
    }
}

impl Record for Found<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        self.text_with(&self.snippet(), style, out);
    }

    fn shortened(&self, style: Style, most: usize) -> Option<Vec<u8>> {
        let mut snippet = self.snippet();
        let mut content = self.content.then_some(&*self.hit.content);
        loop {
            let mut out = Vec::new();
            if style.json {
                self.json_with(content, &snippet.text, true, &mut out)
            } else {
                self.text_with(&snippet, style, &mut out)
            }
            if out.len() <= most {
                return Some(out);
            }
            match content {
                Some(bytes) if !bytes.is_empty() => {
                    let is_start = |&at: &usize| (bytes[at] & 0xc0) != 0x80;
                    let half = (0..=bytes.len() / 2).rev().find(is_start).unwrap_or(0);
                    content = Some(&bytes[..half]);
                }
                _ if snippet.text.is_empty() => return None,
                _ => snippet.halve(),
            }
        }
    }
}
