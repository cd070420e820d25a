//! Broken links as records: an address and a sentence a link in a pipe, by document on a
//! terminal, as JSON.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::Serialize;

use super::{BrokenLink, Reason, Summary};
use crate::commands::json::{self, Address, Text};
use crate::commands::output::{Record, Role, Style, counted};
use crate::text::markdown::destination::split_destination;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BrokenObject<'a> {
    file_path: Text<'a>,
    address: Address<'a>,
    line: u64,
    column: u64,
    target: Text<'a>,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Text<'a>>,
}

#[derive(Serialize)]
struct SummaryObject {
    r#type: &'static str,
    files: u64,
    links: u64,
    external: u64,
    broken: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo: Option<u64>,
}

/// How links are told as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A line each, or by documents on a terminal.
    Lines,
    /// `ADDRESS NUL TEXT NUL`.
    Null,
    /// As GitHub takes them from the log of a workflow.
    Annotations,
}

/// The broken links of a document, of which there are some.
pub(super) struct DocumentLinks<'a> {
    pub(super) path: &'a Path,
    pub(super) broken: &'a [BrokenLink],
    pub(super) form: Form,
}

impl Record for DocumentLinks<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        for broken in self.broken {
            out.extend_from_slice(&json::line(&BrokenObject {
                file_path: json::path(self.path),
                address: Address::lines(self.path, broken.line, broken.line),
                line: broken.line,
                column: broken.column,
                target: Text(&broken.target),
                reason: reason(broken.reason),
                suggestion: broken.suggestion.as_deref().map(Text),
                fix: broken.fix.as_ref().map(|fix| Text(&fix.edit.content)),
            }));
        }
    }

    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let path = self.path.as_os_str().as_bytes();
        if self.form == Form::Annotations {
            return self.broken.iter().for_each(|broken| annotation(self.path, broken, out));
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

/// A link as a command of GitHub's workflows, which stands beside its line.
fn annotation(path: &Path, broken: &BrokenLink, out: &mut Vec<u8>) {
    let mut message = Vec::new();
    told(broken, Style::default(), &mut message);
    let level = if broken.fix.is_some() { "notice" } else { "error" };
    let path = path.strip_prefix(".").unwrap_or(path).to_string_lossy();
    let message = escaped(&String::from_utf8_lossy(&message), "%\r\n");
    let path = escaped(&path, "%\r\n:,");
    let (line, column) = (broken.line, broken.column);
    let told = format!("::{level} file={path},line={line},col={column}::{message}\n");
    out.extend_from_slice(told.as_bytes());
}

/// A text with some of its characters as GitHub reads them back.
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

/// What was found of a link, or done about it.
fn told(broken: &BrokenLink, style: Style, out: &mut Vec<u8>) {
    let Some(fix) = &broken.fix else { return sentence(broken, style, out) };
    quoted(Role::Removed, "", &broken.target, style, out);
    out.extend_from_slice(b" is ");
    quoted(Role::Added, "", &fix.edit.content, style, out);
    out.extend_from_slice(b" now");
}

/// Why a link leads nowhere, and what is nearest.
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
            place(": there is no README or index in ", out);
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
            known: self.known,
            fixed: self.fixed,
            undo: self.undo,
        }));
    }

    /// Pipes get none.
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
