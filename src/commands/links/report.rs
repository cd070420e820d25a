//! The records of broken links: lines in a pipe, lines grouped by document on a terminal, or JSON.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::{CheckedLink, Reason, Status};
use crate::commands::json::{self, Address, Text};
use crate::commands::output::{Json, Record, Role, Style, counted};
use folio_markdown::destination::split_destination;
use folio_markdown::links::LinkKind;

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LinkObject<'a> {
    /// The path that the user gave or folio found. - is standard input.
    file_path: Text<'a>,
    /// The line of the link, as an address for read and patch.
    address: Address<'a>,
    /// The line of the link, from 1.
    line: u64,
    /// The column of the destination, in characters from 1.
    column: u64,
    /// The destination, with escapes and entities resolved.
    target: Text<'a>,
    /// noFile: the file or directory does not exist, or is a broken symlink. noAnchor: the document
    /// has no such anchor. otherCase: a file or an anchor differs only in letter case. noLine: the
    /// file has too few lines. noIndex: the directory has no README or index. empty: the
    /// destination is empty. outside: the target is outside the root and cannot be checked.
    #[schemars(extend("enum" = [
        "noFile", "noAnchor", "otherCase", "noLine", "noIndex", "empty", "outside"
    ]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// The most similar destination that exists. It can replace the target. Absent if there is
    /// none. If the file was not found, the anchor in the suggestion is not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<Text<'a>>,
    /// The destination that --fix wrote, or would write. Absent if the link is unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Text<'a>>,
    /// The syntax of the link, with --all.
    #[schemars(extend("enum" = [
        "inline", "image", "definition", "autolink", "html", "shortcode"
    ]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// The status of the link, with --all. external: the link is not checked. unused: a broken
    /// definition that no link uses. unchecked: the page of the anchor includes other documents, or
    /// cannot be read.
    #[schemars(extend("enum" = ["ok", "broken", "external", "unused", "unchecked"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}

// The counts of a run.
#[derive(Clone, Copy, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "SummaryObject")]
pub(super) struct Summary {
    #[schemars(extend("const" = "summary"))]
    pub(super) r#type: &'static str,
    /// Number of documents.
    pub(super) files: u64,
    /// Number of documents with broken links.
    #[serde(skip)]
    pub(super) broken_files: u64,
    /// Number of links, including external, broken and ignored links.
    pub(super) links: u64,
    /// Number of links with a scheme or a host, which are not checked.
    pub(super) external: u64,
    /// Number of broken links, except links in the baseline and links that were fixed.
    pub(super) broken: u64,
    /// Number of links to anchors that could not be checked, because the pages include other
    /// documents.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) unchecked: u64,
    /// Number of broken links in the baseline, with --baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) known: Option<u64>,
    /// Number of links that were fixed or, with --dry-run, would be fixed; with --fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fixed: Option<u64>,
    /// The number to pass to folio undo to revert the fixes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undo: Option<u64>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Summary {
    /// Creates the counts of `files` documents.
    pub(super) fn new(files: u64) -> Self {
        Self { r#type: "summary", files, ..Self::default() }
    }

    /// Adds the counts of a document.
    pub(super) fn add(&mut self, other: Self) {
        self.files += other.files;
        self.broken_files += other.broken_files;
        self.links += other.links;
        self.external += other.external;
        self.broken += other.broken;
        self.unchecked += other.unchecked;
        let known = other.known.map(|known| known + self.known.unwrap_or(0));
        self.known = known.or(self.known);
    }
}

/// The text format of broken links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One line for each link. On a terminal, links are grouped by document.
    Lines,
    /// `ADDRESS NUL TEXT NUL`.
    Null,
    /// Annotations for the log of a GitHub workflow.
    Annotations,
}

pub(super) struct DocumentLinks<'a> {
    pub(super) path: &'a Path,
    pub(super) links: &'a [CheckedLink],
    pub(super) form: Form,
    /// Whether to list all links with their kinds and statuses, not only broken links.
    pub(super) all: bool,
}

impl DocumentLinks<'_> {
    pub(super) fn broken(&self) -> impl Iterator<Item = &CheckedLink> {
        self.links.iter().filter(|link| link.is_reported())
    }
}

/// Returns the name of a kind of link. The name is part of the interface.
fn kind_name(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Inline => "inline",
        LinkKind::Image => "image",
        LinkKind::Definition => "definition",
        LinkKind::Autolink => "autolink",
        LinkKind::Html => "html",
        LinkKind::Include => "include",
        LinkKind::Shortcode => "shortcode",
        LinkKind::Wiki => "wiki",
    }
}

impl Status {
    /// Returns the name of the status. The name is part of the interface.
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::External => "external",
            Self::Broken => "broken",
            Self::Unused => "unused",
            Self::Unchecked => "unchecked",
        }
    }
}

impl Json for DocumentLinks<'_> {
    fn json(&self, out: &mut Vec<u8>) {
        for link in self.links.iter().filter(|link| self.all || link.is_reported()) {
            let object = LinkObject {
                file_path: json::path(self.path),
                address: Address::lines(self.path, link.line, link.line),
                line: link.line,
                column: link.column,
                target: Text(&link.target),
                reason: link.reason.map(Reason::name),
                suggestion: link.suggestion.as_deref().map(Text),
                fix: link.fix.as_ref().map(|fix| Text(&fix.edit.content)),
                kind: self.all.then(|| kind_name(link.kind)),
                status: self.all.then(|| link.status.name()),
            };
            object.json(out);
        }
    }
}

impl Record for DocumentLinks<'_> {
    fn text(&self, style: Style, out: &mut Vec<u8>) {
        let path = self.path.as_os_str().as_bytes();
        if self.form == Form::Annotations {
            return self.broken().for_each(|broken| push_annotation(self.path, broken, style, out));
        }
        let is_null = self.form == Form::Null;
        if style.terminal && !is_null {
            style.paint_path(self.path, out);
            out.push(b'\n');
        }
        let place = |broken: &CheckedLink| format!("{}:{}", broken.line, broken.column);
        let width = self.broken().map(|broken| place(broken).len()).max().unwrap_or(0);
        for broken in self.broken() {
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
            push_finding(broken, style, out);
            out.push(if is_null { 0 } else { b'\n' });
        }
    }
}

/// Prints a link as a GitHub workflow command, which annotates its line.
fn push_annotation(path: &Path, broken: &CheckedLink, style: Style, out: &mut Vec<u8>) {
    let mut message = Vec::new();
    push_finding(broken, Style::default(), &mut message);
    let level = if broken.fix.is_some() { "notice" } else { "error" };
    let path = path.strip_prefix(".").unwrap_or(path).to_string_lossy();
    let message = escaped(&String::from_utf8_lossy(&message), "%\r\n");
    let path = escaped(&path, "%\r\n:,");
    let (line, column) = (broken.line, broken.column);
    let command = format!("::{level} file={path},line={line},col={column}::{message}\n");
    out.extend_from_slice(&style.safe(command.as_bytes()));
}

/// Escapes characters as GitHub's workflow commands require.
fn escaped(text: &str, special: &str) -> String {
    let escape = |character: char| {
        if special.contains(character) {
            format!("%{:02X}", u32::from(character))
        } else {
            character.to_string()
        }
    };
    text.chars().map(escape).collect()
}

fn push_quoted(role: Role, text: &[u8], style: Style, out: &mut Vec<u8>) {
    out.push(b'\'');
    style.paint_bytes(role, text, out);
    out.push(b'\'');
}

/// Appends the reason why a link is broken, or how it was fixed.
fn push_finding(broken: &CheckedLink, style: Style, out: &mut Vec<u8>) {
    let Some(fix) = &broken.fix else { return push_problem(broken, style, out) };
    out.extend_from_slice(b"replaced ");
    push_quoted(Role::Removed, &broken.target, style, out);
    out.extend_from_slice(b" with ");
    push_quoted(Role::Added, &fix.edit.content, style, out);
}

/// Appends the reason why a link is broken, and the suggestion.
fn push_problem(broken: &CheckedLink, style: Style, out: &mut Vec<u8>) {
    let Some(reason) = broken.reason else { return };
    let (path, fragment) = match broken.kind {
        // The name of a note may contain a question mark.
        LinkKind::Wiki => match memchr::memchr(b'#', &broken.target) {
            Some(mark) => (&broken.target[..mark], Some(&broken.target[mark + 1..])),
            None => (&*broken.target, None),
        },
        _ => split_destination(&broken.target),
    };
    let fragment = [b"#", fragment.unwrap_or_default()].concat();
    let (problem, subject, place) = match reason {
        Reason::Empty => ("the destination is empty", None, None),
        Reason::Outside => ("", Some(path), None),
        Reason::NoFile | Reason::DeadLink | Reason::OtherCase => {
            let is_directory = path.ends_with(b"/");
            (if is_directory { "no directory " } else { "no file " }, Some(path), None)
        }
        Reason::Ambiguous(_) => ("no single file ", Some(path), None),
        Reason::NoAnchor | Reason::OtherCaseOfAnchor => {
            ("no anchor ", Some(&*fragment), Some(" in "))
        }
        Reason::NoIndex if fragment == b"#" => ("no index file in ", Some(path), None),
        Reason::NoIndex => ("no anchor ", Some(&*fragment), Some(": no README or index in ")),
        Reason::NoLine(_) => ("no lines ", Some(&*fragment), Some(" in ")),
    };
    out.extend_from_slice(problem.as_bytes());
    if let Some(subject) = subject {
        push_quoted(Role::Removed, subject, style, out);
    }
    if let Some(place) = place.filter(|_| !path.is_empty()) {
        out.extend_from_slice(place.as_bytes());
        push_quoted(Role::Removed, path, style, out);
    }
    let end = match reason {
        Reason::Outside => " is outside the root".to_owned(),
        Reason::Ambiguous(files) => format!(": {files} files have this name"),
        Reason::DeadLink => ": it is a broken symlink".to_owned(),
        Reason::OtherCase => " (paths are case-sensitive)".to_owned(),
        Reason::OtherCaseOfAnchor => " (anchors are case-sensitive)".to_owned(),
        Reason::NoLine(lines) => format!(": it has {}", counted(lines, "line")),
        _ => String::new(),
    };
    out.extend_from_slice(end.as_bytes());
    if let Some(suggestion) = &broken.suggestion {
        out.extend_from_slice(b"; there is ");
        push_quoted(Role::Added, suggestion, style, out);
    }
}

impl Reason {
    /// Returns the name of the reason. The name is part of the interface.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Outside => "outside",
            Self::NoFile | Self::DeadLink => "noFile",
            Self::Ambiguous(_) => "ambiguous",
            Self::OtherCase | Self::OtherCaseOfAnchor => "otherCase",
            Self::NoAnchor => "noAnchor",
            Self::NoIndex => "noIndex",
            Self::NoLine(_) => "noLine",
        }
    }
}

impl Record for Summary {
    fn is_summary(&self) -> bool {
        true
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
