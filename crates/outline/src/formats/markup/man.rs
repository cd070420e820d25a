//! Manual pages in the `man` and `mdoc` macros: sections, subsections and displays of code.

use super::{Line, Markup, Parser, first_word, in_one_line, lossy, offset_in};
use crate::outline::Collector;
use folio_text::lines::without_end;
use folio_text::span::LineRange;

/// Manual pages.
#[derive(Debug)]
pub(crate) struct Man;

impl Markup for Man {
    fn parser(&self) -> Box<dyn Parser> {
        Box::<ManParser>::default()
    }

    fn rendered(&self, source: &str) -> String {
        let mut shown = String::new();
        let mut characters = source.chars();
        while let Some(character) = characters.next() {
            match character {
                '"' => {}
                '\\' => match characters.next() {
                    Some('f') => match characters.next() {
                        Some('[') => drop(characters.by_ref().find(|c| *c == ']')),
                        Some('(') => drop(characters.nth(1)),
                        _ => {}
                    },
                    Some('(') => {
                        let name: String = characters.by_ref().take(2).collect();
                        shown.push_str(match name.as_str() {
                            "aq" | "cq" => "'",
                            "dq" | "lq" | "rq" => "\"",
                            "em" | "en" | "hy" => "-",
                            _ => "",
                        });
                    }
                    Some('&' | '/' | ',' | '|' | '^') | None => {}
                    Some('e') => shown.push('\\'),
                    Some('~') => shown.push(' '),
                    Some(other) => shown.push(other),
                },
                other => shown.push(other),
            }
        }
        in_one_line(&shown)
    }

    fn marks_before_headings(&self) -> &'static [u8] {
        b".'"
    }

    fn is_dense(&self) -> bool {
        true
    }
}

/// Whether text is a manual page: one of its lines has a macro that every page needs.
pub(crate) fn is_roff(head: &[u8]) -> bool {
    let known: [&[u8]; 6] = [b"TH", b"Dd", b"Dt", b"SH", b"Sh", b"so"];
    let mut lines = head.split(|byte| *byte == b'\n').map(without_end).filter_map(request);
    lines.any(|(name, _)| known.contains(&name))
}

/// Returns the name and the arguments of a request or macro, without a comment.
fn request(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_prefix(b".").or_else(|| line.strip_prefix(b"'"))?;
    let rest = &rest[..memchr::memmem::find(rest, b"\\\"").unwrap_or(rest.len())];
    let (name, arguments) = first_word(rest);
    (!name.is_empty()).then_some((name, arguments))
}

#[derive(Debug, Default)]
struct ManParser {
    /// The level and the line of a heading whose text is on the next line.
    heading: Option<(u8, u64)>,
    /// The line on which a display begins, and the macro that ends it.
    code: Option<(u64, &'static [u8])>,
    /// The macro that ends text which is not printed.
    ignored: Option<Vec<u8>>,
}

impl Parser for ManParser {
    fn line(&mut self, line: &Line<'_>, collector: &mut Collector) {
        let request = request(line.text);
        if let Some(end) = &self.ignored {
            if request.is_some_and(|(name, _)| name == end) {
                self.ignored = None;
            }
            return;
        }
        if let Some((level, first)) = self.heading.take() {
            let name = line.text.trim_ascii();
            if request.is_none() && !name.is_empty() {
                let offset = line.offset + offset_in(line.text, name) as u64;
                let lines = LineRange::from_to(first, line.number);
                collector.heading(level, lines, name, offset);
                return;
            }
        }
        let Some((name, arguments)) = request else { return };
        if let Some((first, end)) = self.code
            && name == end
        {
            collector.code(LineRange::from_to(first, line.number), 1, true, b"");
            self.code = None;
            return;
        }
        match name {
            b"SH" | b"Sh" | b"SS" | b"Ss" => {
                // A section ends a display that is not closed.
                self.code = None;
                let level = if name[1].eq_ignore_ascii_case(&b'h') { 1 } else { 2 };
                let text = heading_text(arguments);
                if text.is_empty() {
                    self.heading = Some((level, line.number));
                } else {
                    let offset = line.offset + offset_in(line.text, text) as u64;
                    collector.heading(level, LineRange::line(line.number), text, offset);
                }
            }
            b"nf" if self.code.is_none() => self.code = Some((line.number, b"fi")),
            b"EX" if self.code.is_none() => self.code = Some((line.number, b"EE")),
            b"Bd" if self.code.is_none() => {
                let is_literal = lossy(arguments)
                    .split(' ')
                    .any(|word| matches!(word, "-literal" | "-unfilled"));
                self.code = is_literal.then_some((line.number, b"Ed"));
            }
            b"de" | b"am" | b"ig" | b"de1" => {
                let end = match name {
                    b"ig" => first_word(arguments).0,
                    _ => first_word(first_word(arguments).1).0,
                };
                self.ignored = Some(if end.is_empty() { b".".to_vec() } else { end.to_vec() });
            }
            _ => {}
        }
    }
}

/// Returns the text of a heading: its arguments and, if there is only one, without its quotes.
fn heading_text(arguments: &[u8]) -> &[u8] {
    let text = arguments.trim_ascii();
    let inner = text.strip_prefix(b"\"").map(|inner| inner.strip_suffix(b"\"").unwrap_or(inner));
    inner.filter(|inner| !inner.contains(&b'"')).map_or(text, <[u8]>::trim_ascii)
}
