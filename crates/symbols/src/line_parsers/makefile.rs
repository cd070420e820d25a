//! The rules of makefiles, as GNU make reads them. A rule takes the lines from the comment directly
//! above it to the last line of its recipe, with the conditionals in it. Variables, also those of a
//! target, are not rules. Other prefixes of recipes than a tab (`.RECIPEPREFIX`) are not supported:
//! after this variable, there are no rules.

use folio_text::lines::{lines_with_ends, without_end};
use folio_text::span::LineRange;

use super::{Declaration, signature};
use crate::lines::in_one_line;
use crate::symbol::{Kind, SyntaxError};

/// Returns the rules, and the lines that make does not accept because they have no separator, such
/// as the lines of a recipe that begin with blanks.
pub(super) fn declarations(text: &[u8]) -> (Vec<Declaration>, Vec<SyntaxError>) {
    let lines: Vec<&[u8]> = lines_with_ends(text).map(without_end).collect();
    let mut parser = Parser::default();
    let mut at = 0;
    while at < lines.len() && !parser.has_other_prefix {
        let continued = lines[at..].iter().take_while(|line| is_continued(line)).count();
        let end = (at + continued + 1).min(lines.len());
        parser.read(&lines[at..end], at as u64 + 1);
        at = end;
    }
    parser.close();
    (parser.found, parser.errors)
}

/// Whether a line ends with a backslash that is not escaped.
fn is_continued(line: &[u8]) -> bool {
    line.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

#[derive(Default)]
struct Parser {
    /// The first of the comment lines directly above.
    comment: Option<u64>,
    /// The number of open `define`s.
    definitions: usize,
    rule: Option<Rule>,
    has_other_prefix: bool,
    found: Vec<Declaration>,
    errors: Vec<SyntaxError>,
}

/// A rule whose recipe may go on.
struct Rule {
    declaration: Declaration,
    /// The number of conditionals that began in the recipe.
    conditionals: usize,
    /// Whether lines of the recipe are in these conditionals.
    has_conditional_lines: bool,
}

impl Rule {
    fn extend(&mut self, last: u64) {
        if self.conditionals > 0 {
            self.has_conditional_lines = true;
        } else {
            self.declaration.last = last;
            self.declaration.body_end = last;
        }
    }
}

/// What a line that is not part of a recipe is.
enum Meaning<'t> {
    Rule {
        targets: &'t [u8],
    },
    Variable {
        name: &'t [u8],
    },
    /// A variable of a target, a function, or something else.
    Other,
}

impl Parser {
    fn close(&mut self) {
        self.found.extend(self.rule.take().map(|rule| rule.declaration));
    }

    /// Processes the next line, which may consist of several lines of the text.
    fn read(&mut self, lines: &[&[u8]], number: u64) {
        let line = lines[0].trim_ascii();
        let last = number + lines.len() as u64 - 1;
        if self.definitions > 0 {
            match directive(line) {
                b"define" => self.definitions += 1,
                b"endef" => self.definitions -= 1,
                _ => {}
            }
            return;
        }
        if line.is_empty() {
            self.comment = None;
            return;
        }
        if let Some(rule) = self.rule.as_mut().filter(|_| lines[0].starts_with(b"\t")) {
            rule.extend(last);
            self.comment = None;
            return;
        }
        if line.starts_with(b"#") {
            self.comment.get_or_insert(number);
            return;
        }
        let comment = self.comment.take();
        match directive(line) {
            b"ifeq" | b"ifneq" | b"ifdef" | b"ifndef" => {
                if let Some(rule) = &mut self.rule {
                    rule.conditionals += 1;
                }
            }
            b"else" => {
                if self.rule.as_ref().is_some_and(|rule| rule.conditionals == 0) {
                    self.close();
                }
            }
            b"endif" => match &mut self.rule {
                Some(rule) if rule.conditionals > 0 => {
                    rule.conditionals -= 1;
                    if rule.conditionals == 0 && rule.has_conditional_lines {
                        rule.extend(last);
                    }
                }
                _ => self.close(),
            },
            b"define" => {
                self.close();
                self.definitions = 1;
            }
            b"include" | b"-include" | b"sinclude" | b"vpath" | b"export" | b"unexport"
            | b"undefine" | b"load" | b"-load" => self.close(),
            _ => {
                self.close();
                self.declare(lines, number, comment.unwrap_or(number));
            }
        }
    }

    /// Begins a rule, if the lines are one.
    fn declare(&mut self, lines: &[&[u8]], number: u64, first: u64) {
        let text = joined(lines);
        match meaning(&text) {
            Meaning::Rule { targets } => {
                let after = number + lines.len() as u64;
                let declaration = Declaration {
                    kind: Kind::Target,
                    name: in_one_line(targets),
                    first,
                    signature_line: number,
                    name_line: number,
                    body: after,
                    body_end: 0,
                    last: after - 1,
                    signature: signature(&text, &[]),
                };
                let (conditionals, has_conditional_lines) = (0, false);
                self.rule = Some(Rule { declaration, conditionals, has_conditional_lines });
            }
            Meaning::Other if is_mistake(&text) => {
                let lines = LineRange::from_to(number, number + lines.len() as u64 - 1);
                let message = "a rule has a ':', a variable a '=', and a recipe begins with a tab";
                self.errors.push(SyntaxError { lines, message });
            }
            Meaning::Variable { name: b".RECIPEPREFIX" } => self.has_other_prefix = true,
            Meaning::Variable { .. } | Meaning::Other => {}
        }
    }
}

/// Whether a line that is no rule and no variable is a mistake. It is none if it expands to something
/// else, if it may be the rest of a recipe after a conditional, or a directive of another make.
fn is_mistake(text: &[u8]) -> bool {
    let is_separator = |byte: &u8| matches!(byte, b'$' | b':' | b'=');
    !text.iter().any(is_separator) && !matches!(text[0], b'\t' | b'.' | b'!')
}

/// Returns lines as one, without the backslashes that join them.
fn joined(lines: &[&[u8]]) -> Vec<u8> {
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(if is_continued(line) { &line[..line.len() - 1] } else { line });
        text.push(b' ');
    }
    text
}

/// Returns the word with which a line begins, if it is neither a variable nor a target. Other words
/// may precede `define`.
fn directive(line: &[u8]) -> &[u8] {
    let is_apart =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b'"' | b'\'' | b'#');
    let mut first: &[u8] = b"";
    let mut rest = line;
    loop {
        let end = rest.iter().position(|byte| !byte.is_ascii_alphabetic() && *byte != b'-');
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after.trim_ascii_start();
        let is_word =
            after.first().is_none_or(is_apart) && operator(rest) == 0 && !rest.starts_with(b":");
        if is_word && word == b"define" {
            return word;
        }
        if first.is_empty() {
            first = if is_word { word } else { return b"" };
        }
        if !is_word || !matches!(word, b"override" | b"export" | b"private") {
            // A variable follows `override` and `private`.
            let is_directive = !matches!(first, b"override" | b"private");
            return if is_directive { first } else { b"" };
        }
    }
}

/// Returns the length of an operator that assigns a variable at the start of a text, or 0.
fn operator(text: &[u8]) -> usize {
    let colons = text.iter().take_while(|byte| **byte == b':').count();
    let length = match text.first() {
        Some(b'+' | b'?' | b'!') => 1,
        _ => colons.min(3),
    };
    if text.get(length) == Some(&b'=') { length + 1 } else { 0 }
}

/// Returns the offset after a variable or function that begins at an offset, `$(name)` or `$x`.
/// `None` if it is not closed.
fn after_reference(text: &[u8], at: usize) -> Option<usize> {
    let (open, close) = match text.get(at + 1) {
        Some(b'(') => (b'(', b')'),
        Some(b'{') => (b'{', b'}'),
        _ => return Some((at + 2).min(text.len())),
    };
    let mut depth = 0usize;
    for (offset, &byte) in text[at..].iter().enumerate() {
        depth += usize::from(byte == open);
        if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + offset + 1);
            }
        }
    }
    None
}

/// Returns the offset of the first byte outside of variables that satisfies a condition. A
/// backslash escapes the next byte.
fn find(text: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'$' => at = after_reference(text, at)?,
            _ if is_wanted(&text[at..]) => return Some(at),
            _ => at += 1,
        }
    }
    None
}

fn meaning(text: &[u8]) -> Meaning<'_> {
    let is_mark = |rest: &[u8]| matches!(rest[0], b':' | b'=' | b'#') || operator(rest) > 0;
    let Some(at) = find(text, is_mark) else { return Meaning::Other };
    let before = text[..at].trim_ascii();
    if operator(&text[at..]) > 0 {
        let name = before.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        return Meaning::Variable { name };
    }
    let targets = before.strip_suffix(b"&").unwrap_or(before).trim_ascii();
    if text[at] != b':' || targets.is_empty() {
        return Meaning::Other;
    }
    let colons = 1 + usize::from(text.get(at + 1) == Some(&b':'));
    if assigns(&text[at + colons..]) { Meaning::Other } else { Meaning::Rule { targets } }
}

/// Whether the text after the targets assigns a variable: `NAME = value`, possibly after modifiers.
fn assigns(text: &[u8]) -> bool {
    let mut rest = text.trim_ascii_start();
    loop {
        let ends =
            |rest: &[u8]| rest[0].is_ascii_whitespace() || rest[0] == b';' || operator(rest) > 0;
        let Some(end) = find(rest, ends) else { return false };
        let (word, after) = rest.split_at(end);
        rest = after.trim_ascii_start();
        if !matches!(word, b"export" | b"unexport" | b"override" | b"private") {
            return !word.is_empty() && operator(rest) > 0;
        }
        if operator(rest) > 0 {
            return true;
        }
    }
}
