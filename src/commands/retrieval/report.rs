//! Sections that were found, as records.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;

use serde::Serialize;

use super::hits::Hit;
use super::snippet::snippet;
use crate::collections::analyser::Analyser;
use crate::commands::json::{self, Text};
use crate::commands::output::{Record, Role, Style};

/// A section that was found, for a question.
pub struct Found<'a> {
    /// The section.
    pub hit: &'a Hit,
    /// The question, where there was one in words.
    pub query: Option<&'a str>,
    /// The question that was searched for in its place.
    pub corrected: Option<&'a String>,
    /// What its words have in common with those of the text.
    pub stems: &'a HashSet<String>,
    /// How words become that.
    pub analyser: &'a Analyser,
    /// Whether text ends with NUL, for any file name.
    pub null: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FoundObject<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    corrected_query: Option<&'a String>,
    collection: &'a str,
    collection_id: &'a str,
    document_id: Text<'a>,
    document_title: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    section_heading: Option<&'a str>,
    heading_path: &'a [String],
    address: Text<'a>,
    content: Text<'a>,
    start_line: u64,
    end_line: u64,
    range_checksum: &'a str,
    relevance_score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    distance: Option<f64>,
    chunk_index: u64,
    total_chunks: u64,
}

/// Enough digits to tell scores apart, and no more.
fn rounded(value: f32) -> f64 {
    (f64::from(value) * 10_000.0).round() / 10_000.0
}

impl Record for Found<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let hit = self.hit;
        let content = String::from_utf8_lossy(&hit.content);
        let snippet = snippet(&content, self.stems, self.analyser);
        style.paint_bytes(Role::Path, hit.address.as_os_str().as_bytes(), out);
        out.push(b':');
        style.paint_lines(hit.lines, out);
        out.push(if self.null { 0 } else { b':' });
        let names = if hit.trail.is_empty() { &hit.title } else { &hit.trail.join(" > ") };
        let names = names.replace(['\n', '\r'], " ");
        style.paint_bytes(Role::Heading(2), names.as_bytes(), out);
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

    fn json(&self, out: &mut Vec<u8>) {
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
            content: Text(&hit.content),
            start_line: hit.lines.start(),
            end_line: hit.lines.end(),
            range_checksum: &hit.checksum,
            relevance_score: rounded(hit.score),
            distance: hit.cosine.map(|cosine| rounded(1.0 - cosine)),
            chunk_index: hit.index,
            total_chunks: hit.total,
        }));
    }
}
