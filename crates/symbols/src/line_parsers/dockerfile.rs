//! The stages of Dockerfiles. A stage takes the lines from the comment directly above its `FROM` to
//! its last instruction. Comments that blank lines separate from the instructions above them do not
//! belong to it.

use folio_text::lines::{lines_with_ends, without_end};

use super::{Declaration, signature};
use crate::symbol::Kind;

pub(super) fn declarations(text: &[u8]) -> Vec<Declaration> {
    let lines: Vec<&[u8]> = lines_with_ends(text).map(without_end).collect();
    let (directives, escape) = directives(&lines);
    let mut found: Vec<Declaration> = Vec::new();
    let mut comment: Option<usize> = None;
    let mut at = directives;
    while at < lines.len() {
        let line = lines[at].trim_ascii();
        if line.is_empty() {
            comment = None;
            at += 1;
            continue;
        }
        if line.starts_with(b"#") {
            let first = *comment.get_or_insert(at);
            at += 1;
            // Comments directly below an instruction belong to it, unless a stage follows.
            let next = lines.get(at).map_or(&b""[..], |line| line.trim_ascii());
            if let Some(stage) = found.last_mut().filter(|stage| stage.last == first as u64)
                && next.is_empty()
            {
                stage.end_at(at);
            }
            continue;
        }
        let (instruction, end) = instruction(&lines, at, escape);
        let end = after_heredocs(&lines, end, &instruction);
        if let Some(name) = stage_name(&instruction) {
            let first = comment.unwrap_or(at) as u64 + 1;
            let number = at as u64 + 1;
            found.push(Declaration {
                kind: Kind::Stage,
                name,
                first,
                signature_line: number,
                name_line: number,
                body: end as u64 + 1,
                body_end: 0,
                last: end as u64,
                signature: signature(&instruction, &[]),
            });
        } else if let Some(stage) = found.last_mut() {
            stage.end_at(end);
        }
        comment = None;
        at = end;
    }
    found
}

impl Declaration {
    fn end_at(&mut self, line: usize) {
        self.last = line as u64;
        self.body_end = self.last;
    }
}

/// Returns the number of directives at the start, such as `# syntax=docker/dockerfile:1`, and the
/// character that joins lines.
fn directives(lines: &[&[u8]]) -> (usize, u8) {
    let mut escape = b'\\';
    let mut count = 0;
    for line in lines {
        let Some(comment) = line.trim_ascii().strip_prefix(b"#") else { break };
        let Some(equals) = memchr::memchr(b'=', comment) else { break };
        let (name, value) = (comment[..equals].trim_ascii(), comment[equals + 1..].trim_ascii());
        match &name.to_ascii_lowercase()[..] {
            b"syntax" | b"check" => {}
            b"escape" => escape = value.first().copied().unwrap_or(escape),
            _ => break,
        }
        count += 1;
    }
    (count, escape)
}

/// Returns the instruction that begins at an index in one line, and the index after it. Comments and
/// blank lines in it are left out.
fn instruction(lines: &[&[u8]], start: usize, escape: u8) -> (Vec<u8>, usize) {
    let mut text = Vec::new();
    let mut at = start;
    while at < lines.len() {
        let line = lines[at].trim_ascii();
        at += 1;
        if at > start + 1 && (line.is_empty() || line.starts_with(b"#")) {
            continue;
        }
        let line = if text.is_empty() { line } else { lines[at - 1].trim_ascii_end() };
        match line.strip_suffix(&[escape]) {
            Some(part) if part.last() != Some(&escape) => text.extend_from_slice(part),
            _ => {
                text.extend_from_slice(line);
                break;
            }
        }
    }
    // Blank lines and comments after the last continuation are no part of it.
    let is_empty =
        |line: &&[u8]| line.trim_ascii().is_empty() || line.trim_ascii().starts_with(b"#");
    let trailing = lines[start + 1..at].iter().rev().take_while(|line| is_empty(line)).count();
    (text, at - trailing)
}

/// Returns the index after the heredocs of an instruction that ends before an index.
fn after_heredocs(lines: &[&[u8]], mut at: usize, instruction: &[u8]) -> usize {
    let mut words = instruction.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut keyword = words.next().unwrap_or_default();
    if keyword.eq_ignore_ascii_case(b"ONBUILD") {
        keyword = words.next().unwrap_or_default();
    }
    let known = [&b"RUN"[..], b"COPY", b"ADD"];
    if !known.iter().any(|known| keyword.eq_ignore_ascii_case(known)) {
        return at;
    }
    for (name, is_indented) in words.filter_map(heredoc) {
        let ends = |line: &&[u8]| {
            let tabs = line.iter().take_while(|byte| is_indented && **byte == b'\t').count();
            line[tabs..] == name[..]
        };
        let length = lines[at..].iter().position(ends).map(|length| length + 1);
        at = length.map_or(lines.len(), |length| at + length);
    }
    at
}

/// Returns the last line of the heredoc that a word such as `<<EOF` begins, and whether tabs may
/// precede it.
fn heredoc(word: &[u8]) -> Option<(Vec<u8>, bool)> {
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = word[digits..].strip_prefix(b"<<")?;
    let name = rest.strip_prefix(b"-").unwrap_or(rest);
    let is_quote = |byte: &&u8| matches!(byte, b'"' | b'\'');
    let unquoted: Vec<u8> = name.iter().filter(|byte| !is_quote(byte)).copied().collect();
    let is_name = !unquoted.is_empty() && !name.contains(&b'<');
    is_name.then_some((unquoted, name.len() < rest.len()))
}

/// Returns the name of the stage that an instruction begins: the name after `AS`, or the image.
fn stage_name(instruction: &[u8]) -> Option<String> {
    let mut words = instruction.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next().filter(|keyword| keyword.eq_ignore_ascii_case(b"FROM"))?;
    let mut words = words.skip_while(|word| word.starts_with(b"--"));
    let image = words.next()?;
    let is_named = words.next().is_some_and(|word| word.eq_ignore_ascii_case(b"AS"));
    let name = words.next().filter(|_| is_named).unwrap_or(image);
    Some(String::from_utf8_lossy(name).trim_matches('"').to_owned())
}
