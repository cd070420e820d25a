//! Broken links as records: one line each in a pipe, grouped by document on a terminal, or
//! JSON.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::{BrokenLink, CheckedLink, Reason, Summary};
use crate::commands::json::{self, Address, Text};
use crate::commands::output::{Record, Role, Style, counted};
use crate::text::markdown::destination::split_destination;
use crate::text::markdown::links::LinkKind;

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkObject<'a> {
    /// A path as it was given or found; - is standard input.
    file_path: Text<'a>,
    /// The line of the link, as read and patch take it.
    address: Address<'a>,
    /// The number of a line, from 1.
    line: u64,
    /// Where the destination begins in its line, in characters from 1.
    column: u64,
    /// The destination, its escapes and entities resolved.
    target: Text<'a>,
    /// noFile: there is no such file or directory, or only a symbolic link that is broken.
    /// noAnchor: the document has no such anchor. otherCase: a file or an anchor has the name, but
    /// in another case. noLine: the file ends before the line. noIndex: an anchor in a directory
    /// that has no README or index. empty: no destination is written. outside: it leads out of the
    /// root, where it cannot be checked.
    #[schemars(extend("enum" = [
        "noFile", "noAnchor", "otherCase", "noLine", "noIndex", "empty", "outside"
    ]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// The nearest destination that there is, as it may be written in place of the target. Absent
    /// where none is near. Of a file that was not found, the anchor is not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<Text<'a>>,
    /// What --fix wrote in place of the target, or would write. Absent where the link is left as it
    /// is.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Text<'a>>,
    /// With --all: what it is written as.
    #[schemars(extend("enum" = [
        "inline", "image", "definition", "autolink", "html", "shortcode"
    ]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// With --all: external links are not followed, unused definitions are broken but no link
    /// refers to them, and unchecked anchors are in pages that include other documents.
    #[schemars(extend("enum" = ["ok", "broken", "external", "unused", "unchecked"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}

#[derive(JsonSchema, Serialize)]
pub(super) struct SummaryObject {
    #[schemars(extend("const" = "summary"))]
    r#type: &'static str,
    /// Documents.
    files: u64,
    /// Links in them, those of the next two kinds and those passed over included.
    links: u64,
    /// Links with a scheme or a host, which are not followed.
    external: u64,
    /// Broken links, those that the baseline knows and those that were fixed not
    /// counted.
    broken: u64,
    /// Links to anchors that could not be checked, as the pages include other documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<u64>,
    /// With --baseline: broken links and are in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<u64>,
    /// With --fix: links that were fixed, or would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed: Option<u64>,
    /// The number by which folio undo takes the mending back.
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<u64>,
}

/// The text format of broken links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One line each, or grouped by document on a terminal.
    Lines,
    /// `ADDRESS NUL TEXT NUL`.
    Null,
    /// As annotations for the log of a GitHub workflow.
    Annotations,
}

/// A document with broken links.
pub(super) struct DocumentLinks<'a> {
    pub(super) path: &'a Path,
    pub(super) broken: &'a [BrokenLink],
    pub(super) form: Form,
}

fn broken_object<'a>(path: &'a Path, broken: &'a BrokenLink) -> LinkObject<'a> {
    LinkObject {
        file_path: json::path(path),
        address: Address::lines(path, broken.line, broken.line),
        line: broken.line,
        column: broken.column,
        target: Text(&broken.target),
        reason: Some(reason(broken.reason)),
        suggestion: broken.suggestion.as_deref().map(Text),
        fix: broken.fix.as_ref().map(|fix| Text(&fix.edit.content)),
        kind: None,
        status: None,
    }
}

/// All links of a document, for JSON.
pub(super) struct AllLinks<'a> {
    pub(super) path: &'a Path,
    pub(super) all: &'a [CheckedLink],
    /// The broken ones.
    pub(super) broken: Vec<&'a BrokenLink>,
}

impl AllLinks<'_> {
    pub(super) fn json(&self, out: &mut Vec<u8>) {
        for link in self.all {
            let mut broken = self.broken.iter();
            let place = (link.line, link.column);
            let broken = broken.find(|broken| (broken.line, broken.column) == place);
            let object = match broken {
                Some(broken) => broken_object(self.path, broken),
                None => LinkObject {
                    file_path: json::path(self.path),
                    address: Address::lines(self.path, link.line, link.line),
                    line: link.line,
                    column: link.column,
                    target: Text(&link.target),
                    reason: None,
                    suggestion: None,
                    fix: None,
                    kind: None,
                    status: None,
                },
            };
            let kind = link.kind.map_or("shortcode", kind);
            let status = Some(link.status);
            out.extend_from_slice(&json::line(&LinkObject { kind: Some(kind), status, ..object }));
        }
    }
}

/// The name of a kind of link, which is part of the interface.
fn kind(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Inline => "inline",
        LinkKind::Image => "image",
        LinkKind::Definition => "definition",
        LinkKind::Autolink => "autolink",
        LinkKind::Html => "html",
    }
}

impl Record for DocumentLinks<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        for broken in self.broken {
            out.extend_from_slice(&json::line(&broken_object(self.path, broken)));
        }
    }

    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let path = self.path.as_os_str().as_bytes();
        if self.form == Form::Annotations {
            return self.broken.iter().for_each(|broken| annotation(self.path, broken, style, out));
        }
        let is_null = self.form == Form::Null;
        if style.terminal && !is_null {
            style.paint_path(self.path, out);
            out.push(b'\n');
        }
        let place = |broken: &BrokenLink| format!("{}:{}", broken.line, broken.column);
        let width = self.broken.iter().map(|broken| place(broken).len()).max().unwrap_or(0);
        for broken in self.broken {
            if is_null {
                out.extend_from_slice(path);
                out.extend_from_slice(format!(":{}\0", place(broken)).as_bytes());
            } else if style.terminal {
                let blanks = width - place(broken).len() + 2;
                out.extend_from_slice(&b" ".repeat(blanks));
                let at = (broken.line, broken.column);
                let link = style.begin_place_link(self.path, at, out);
                style.paint(Role::Lines, place(broken), out);
                link.end(out);
                out.extend_from_slice(b"  ");
            } else {
                style.paint_bytes(Role::Path, path, out);
                out.push(b':');
                style.paint(Role::Lines, place(broken), out);
                out.extend_from_slice(b": ");
            }
            told(broken, style, out);
            out.push(if is_null { 0 } else { b'\n' });
        }
    }
}

/// Prints a link as a GitHub workflow command, which annotates its line.
fn annotation(path: &Path, broken: &BrokenLink, style: Style, out: &mut Vec<u8>) {
    let mut message = Vec::new();
    told(broken, Style::default(), &mut message);
    let level = if broken.fix.is_some() { "notice" } else { "error" };
    let path = path.strip_prefix(".").unwrap_or(path).to_string_lossy();
    let message = escaped(&String::from_utf8_lossy(&message), "%\r\n");
    let path = escaped(&path, "%\r\n:,");
    let (line, column) = (broken.line, broken.column);
    let told = format!("::{level} file={path},line={line},col={column}::{message}\n");
    out.extend_from_slice(&style.safe(told.as_bytes()));
}

/// Escapes characters as GitHub's workflow commands require.
fn escaped(text: &str, special: &str) -> String {
    let escape = |character: char| match special.contains(character) {
        true => format!("%{:02X}", u32::from(character)),
        false => character.to_string(),
    };
    text.chars().map(escape).collect()
}

fn quoted(role: Role, mark: &str, text: &[u8], style: Style, out: &mut Vec<u8>) {
    out.push(b'\'');
    style.paint_bytes(role, &[mark.as_bytes(), text].concat(), out);
    out.push(b'\'');
}

/// What was found about a link, or how it was fixed.
fn told(broken: &BrokenLink, style: Style, out: &mut Vec<u8>) {
    let Some(fix) = &broken.fix else { return sentence(broken, style, out) };
    quoted(Role::Removed, "", &broken.target, style, out);
    out.extend_from_slice(b" is ");
    quoted(Role::Added, "", &fix.edit.content, style, out);
    out.extend_from_slice(b" now");
}

/// Why a link is broken, with the suggestion.
fn sentence(broken: &BrokenLink, style: Style, out: &mut Vec<u8>) {
    let (path, fragment) = split_destination(&broken.target);
    let fragment = fragment.unwrap_or_default();
    let target = |mark: &str, text: &[u8], out: &mut Vec<u8>| {
        quoted(Role::Removed, mark, text, style, out);
    };
    let place = |before: &str, out: &mut Vec<u8>| {
        if !path.is_empty() {
            out.extend_from_slice(before.as_bytes());
            target("", path, out);
        }
    };
    match broken.reason {
        Reason::Empty => out.extend_from_slice(b"the destination is empty"),
        Reason::Outside => {
            target("", path, out);
            let is_from_above = path.starts_with(b"/");
            let how = if is_from_above { "begins outside of" } else { "leads out of" };
            out.extend_from_slice(format!(" {how} the root").as_bytes());
        }
        Reason::NoFile | Reason::DeadLink | Reason::OtherCase => {
            let what = if path.ends_with(b"/") { "no directory " } else { "no file " };
            out.extend_from_slice(what.as_bytes());
            target("", path, out);
        }
        Reason::NoAnchor | Reason::OtherCaseOfAnchor => {
            out.extend_from_slice(b"no anchor ");
            target("#", fragment, out);
            place(" in ", out);
        }
        Reason::NoIndex if fragment.is_empty() => place("no index file in ", out),
        Reason::NoIndex => {
            out.extend_from_slice(b"no anchor ");
            target("#", fragment, out);
            place(": no README or index in ", out);
        }
        Reason::NoLine(lines) => {
            out.extend_from_slice(b"no lines ");
            target("#", fragment, out);
            place(" in ", out);
            out.extend_from_slice(format!(": it has {}", counted(lines, "line")).as_bytes());
        }
    }
    match broken.reason {
        Reason::DeadLink => out.extend_from_slice(b": it is a symbolic link that leads nowhere"),
        Reason::OtherCase | Reason::OtherCaseOfAnchor => out.extend_from_slice(b": case counts"),
        _ => {}
    }
    if let Some(suggestion) = &broken.suggestion {
        out.extend_from_slice(b"; there is ");
        quoted(Role::Added, "", suggestion, style, out);
    }
}

/// The name of a reason, which is part of the interface.
pub(super) fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Empty => "empty",
        Reason::Outside => "outside",
        Reason::NoFile | Reason::DeadLink => "noFile",
        Reason::OtherCase | Reason::OtherCaseOfAnchor => "otherCase",
        Reason::NoAnchor => "noAnchor",
        Reason::NoIndex => "noIndex",
        Reason::NoLine(_) => "noLine",
    }
}

impl Record for Summary {
    fn json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&json::line(&SummaryObject {
            r#type: "summary",
            files: self.files,
            links: self.links,
            external: self.external,
            broken: self.broken,
            unchecked: (self.unchecked > 0).then_some(self.unchecked),
            known: self.known,
            fixed: self.fixed,
            undo: self.undo,
        }));
    }

    /// The summary is printed only on a terminal.
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        if !style.terminal || self.files == 0 {
            return;
        }
        let all = counted(self.files, "document");
        let broken = counted(self.broken, "broken link");
        let found = match (self.broken, self.broken_files == self.files) {
            (0, _) => format!("no broken links in {all}"),
            (_, true) => format!("\n{broken} in {all}"),
            (_, false) => format!("\n{broken} in {} of {all}", self.broken_files),
        };
        out.extend_from_slice(found.as_bytes());
        let links = counted(self.links, "link");
        let mut more = match (self.links, self.external) {
            (0, _) => String::new(),
            (_, 0) => format!("; {links} in all"),
            (_, external) => format!("; {links} in all, {external} external"),
        };
        if let Some(known) = self.known.filter(|&known| known > 0) {
            more.push_str(&format!(", {known} broken ones known"));
        }
        style.paint(Role::Quiet, more, out);
        out.push(b'\n');
    }
}
