//! How a part is told: its bytes, or JSON.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::{End, MatchFlag, Piece, Request, SectionFlag, Selection, Target};
use crate::commands::json::{self, Range, Text};
use crate::commands::output::{Role, Style};
use crate::files::address::Part;
use crate::text::lines::lines_with_ends;
use crate::text::pattern::Pattern;
use crate::text::span::LineRange;
use crate::text::target::Extent;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PieceObject<'a> {
    file_path: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranges: Option<Vec<Range>>,
    content: Text<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    returned_lines: u64,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_line: Option<u64>,
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    boundary: Option<BoundaryObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range_checksum: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checksum: Option<&'a str>,
    encoding: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line_ending: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BoundaryObject<'a> {
    line: u64,
    text: Text<'a>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_code: bool,
}

/// A part as one line of JSON.
pub fn json_line(path: &Path, request: &Request, piece: &Piece, content: &[u8]) -> Vec<u8> {
    let several = piece.ranges.len() > 1 || asks_for_several(request);
    json::line(&PieceObject {
        file_path: json::path(path),
        target: target(request),
        range: piece.ranges.first().filter(|_| !several).map(|range| (*range).into()),
        ranges: several.then(|| piece.ranges.iter().map(|range| (*range).into()).collect()),
        content: Text(content),
        value: piece.value.as_deref().map(Text),
        total_lines: piece.total_lines,
        returned_lines: piece.returned_lines,
        has_more: piece.has_more,
        next_line: piece.next_line,
        truncated: piece.truncated,
        boundary: piece.boundary.as_ref().map(|boundary| BoundaryObject {
            line: boundary.line,
            text: Text(&boundary.text),
            in_code: boundary.in_code,
        }),
        range_checksum: piece.range_checksum.as_deref(),
        checksum: piece.file_checksum.as_deref(),
        encoding: &piece.encoding,
        line_ending: piece.line_ending,
    })
}

fn asks_for_several(request: &Request) -> bool {
    match (&request.selection, &request.address.part) {
        (Selection::Target(Target::Lines(ranges)), _) => ranges.len() > 1,
        (Selection::Address, Part::Lines(ranges)) => ranges.len() > 1,
        _ => false,
    }
}

/// What was asked for, in the form that `--target` and `--batch` take.
fn target(request: &Request) -> Option<Value> {
    let address_line = match &request.address.part {
        Part::Lines(ranges) => Some(ranges[0].start()),
        _ => None,
    };
    let mut target = match &request.selection {
        Selection::Address => match &request.address.part {
            Part::Whole => return None,
            Part::Lines(ranges) => lines(ranges),
            Part::Anchor(id) => json!({ "anchor": id }),
        },
        Selection::From { start, end } => from(start.or(address_line), end),
        Selection::Head(count) => json!({ "head": count }),
        Selection::Tail(count) => json!({ "tail": count }),
        Selection::SectionAround(line) => {
            json!({ "from": line.or(address_line), "sectionContext": true })
        }
        Selection::Target(target) => named(target),
    };
    if let (Some(scope), Some(object)) = (&request.scope, target.as_object_mut()) {
        object.insert("in".to_owned(), json!(scope));
    }
    Some(target)
}

fn lines(ranges: &[LineRange]) -> Value {
    let object = |range: &LineRange| match range.end() {
        u64::MAX => json!({ "start": range.start() }),
        end => json!({ "start": range.start(), "end": end }),
    };
    match ranges {
        [range] => json!({ "lines": object(range) }),
        _ => json!({ "ranges": ranges.iter().map(object).collect::<Vec<_>>() }),
    }
}

fn from(start: Option<u64>, end: &End) -> Value {
    let mut target = match start {
        Some(start) => json!({ "from": start }),
        None => json!({}),
    };
    let (name, value) = match end {
        End::ToNext { pattern, outside_code } => {
            if *outside_code {
                target["outsideCode"] = json!(true);
            }
            if pattern.ignores_case() {
                target["flags"] = json!("i");
            }
            ("toNext", json!(pattern.expression()))
        }
        End::SectionEnd => ("toSectionEnd", json!(true)),
        End::Limit(count) => ("limit", json!(count)),
        End::FileEnd => return target,
    };
    target[name] = value;
    target
}

fn named(target: &Target) -> Value {
    match target {
        Target::Lines(ranges) => lines(ranges),
        Target::Section { name, extent, flag } => {
            let children = matches!(extent, Extent::Whole | Extent::Body);
            match (flag, children) {
                (SectionFlag::Section, true) => json!({ "section": name }),
                (SectionFlag::Section, false) => {
                    json!({ "section": name, "includeChildren": false })
                }
                (SectionFlag::Body, true) => json!({ "body": name }),
                (SectionFlag::Body, false) => json!({ "body": name, "includeChildren": false }),
                (SectionFlag::Heading, true) => json!({ "heading": name }),
                (SectionFlag::Heading, false) => {
                    json!({ "heading": { "text": name, "includeChildren": false } })
                }
            }
        }
        Target::Key { section, key, value } => {
            let mut target = json!({ "key": key });
            if let Some(section) = section {
                target = json!({ "section": section, "key": key });
            }
            if *value {
                target["value"] = json!(true);
            }
            target
        }
        Target::FrontMatter { key, value } => {
            let mut target = match key {
                Some(key) => json!({ "frontMatter": { "key": key } }),
                None => json!({ "frontMatter": {} }),
            };
            if *value {
                target["value"] = json!(true);
            }
            target
        }
        Target::CodeBlock { language, index, fences } => {
            let mut block = json!({ "index": index });
            if let Some(language) = language {
                block["language"] = json!(language);
            }
            if *fences {
                block["fences"] = json!(true);
            }
            json!({ "codeBlock": block })
        }
        Target::Anchor(id) => json!({ "anchor": id }),
        Target::Match { matcher, query, flag, context } => {
            let mut target = match flag {
                MatchFlag::Search => {
                    return json!({ "search": { "query": query, "contextLines": context } });
                }
                MatchFlag::Text => json!({ "text": query }),
                MatchFlag::Pattern => pattern(matcher.line(), query),
            };
            if *context > 0 {
                target["contextLines"] = json!(context);
            }
            target
        }
    }
}

/// As it was written, with what flags say beside it.
fn pattern(line: Option<&Pattern>, query: &str) -> Value {
    let mut target = json!({ "pattern": line.map_or(query, Pattern::expression) });
    if line.is_some_and(Pattern::ignores_case) {
        target["flags"] = json!("i");
    }
    target
}

/// How the content of parts is shown as text.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Line numbers before the lines.
    pub number: bool,
    /// White space made visible.
    pub show_whitespace: bool,
    /// Colours and escaping.
    pub style: Style,
}

impl View {
    /// Whether content goes out as it comes.
    pub fn is_plain(&self) -> bool {
        !self.number && !self.show_whitespace && !self.style.terminal
    }

    /// Content as it is shown; `ranges` are the lines that it holds.
    pub fn show(&self, content: &[u8], ranges: &[LineRange]) -> Vec<u8> {
        let mut numbers = ranges.iter().flat_map(|range| range.start()..=range.end());
        let mut out = Vec::with_capacity(content.len());
        for line in lines_with_ends(content) {
            if self.number {
                // Writing to a vector does not fail.
                match numbers.next() {
                    Some(number) => {
                        self.style.paint(Role::Lines, format_args!("{number:>6}"), &mut out)
                    }
                    None => out.extend_from_slice(b"      "),
                }
                out.push(b'\t');
            }
            if self.show_whitespace {
                self.push_visible(line, &mut out);
            } else {
                out.extend_from_slice(&self.style.safe(line));
            }
        }
        out
    }

    fn push_visible(&self, line: &[u8], out: &mut Vec<u8>) {
        let (text, end) = match line {
            [text @ .., b'\r', b'\n'] => (text, "␍␊\n"),
            [text @ .., b'\n'] => (text, "␊\n"),
            text => (text, ""),
        };
        let kept = text.trim_ascii_end().len();
        for (at, chunk) in text.utf8_chunks().scan(0, |at, chunk| {
            let start = *at;
            *at += chunk.valid().len() + chunk.invalid().len();
            Some((start, chunk))
        }) {
            for (offset, character) in chunk.valid().char_indices() {
                let trailing = at + offset >= kept;
                match character {
                    '\t' => out.extend_from_slice("→\t".as_bytes()),
                    ' ' if trailing => out.extend_from_slice("·".as_bytes()),
                    _ if is_invisible(character) => {
                        let _ = write!(out, "<U+{:04X}>", u32::from(character));
                    }
                    _ => {
                        let mut buffer = [0; 4];
                        let bytes = character.encode_utf8(&mut buffer).as_bytes();
                        out.extend_from_slice(&self.style.safe(bytes));
                    }
                }
            }
            for byte in chunk.invalid() {
                let _ = write!(out, "<{byte:02X}>");
            }
        }
        out.extend_from_slice(end.as_bytes());
    }
}

/// Characters that look like nothing or like a plain space.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || (character.is_whitespace() && character != ' ')
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &[u8], expected: &str) {
        let view = View { number: false, show_whitespace: true, style: Style::default() };
        let shown = view.show(line, &[]);
        assert_eq!(String::from_utf8_lossy(&shown), expected);
    }

    #[test]
    fn white_space_is_made_visible() {
        check(b"a b\n", "a b␊\n");
        check(b"\ta  \r\n", "→\ta··␍␊\n");
        check("\u{feff}a\u{a0}b\u{200b}".as_bytes(), "<U+FEFF>a<U+00A0>b<U+200B>");
        check(b"\xff\x07", "<FF><U+0007>");
    }
}
