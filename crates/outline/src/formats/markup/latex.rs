//! LaTeX: sectioning commands, labels, and verbatim environments.

use super::{Line, Markup, Parser, in_one_line, offset_in};
use crate::outline::{AnchorKind, Collector};
use folio_text::span::LineRange;

/// LaTeX.
#[derive(Debug)]
pub(crate) struct Latex;

/// The sectioning commands by level. There are more than six, so the last two share a level. In a
/// document without chapters, sections have level 1, or level 2 below a part.
const COMMANDS: &[(&[u8], u8)] = &[
    (b"part", 1),
    (b"chapter", 2),
    (b"section", 3),
    (b"subsection", 4),
    (b"subsubsection", 5),
    (b"paragraph", 6),
    (b"subparagraph", 6),
];

/// Classes of documents without chapters.
const WITHOUT_CHAPTERS: &[&[u8]] = &[
    b"article",
    b"scrartcl",
    b"amsart",
    b"extarticle",
    b"ctexart",
    b"IEEEtran",
    b"acmart",
    b"llncs",
    b"elsarticle",
    b"revtex4-1",
    b"revtex4-2",
    b"beamer",
    b"proc",
    b"ltxdoc",
    b"l3doc",
];

/// Environments whose contents are code, or are not printed.
const VERBATIM: &[&[u8]] = &[
    b"verbatim",
    b"verbatim*",
    b"lstlisting",
    b"minted",
    b"Verbatim",
    b"alltt",
    b"BVerbatim",
    b"comment",
    b"filecontents",
    b"filecontents*",
];

/// Maximum number of lines of a heading.
const MAX_LINES: u64 = 16;

impl Markup for Latex {
    fn parser(&self) -> Box<dyn Parser> {
        Box::<LatexParser>::default()
    }

    fn parser_for(&self, document: &[u8]) -> Box<dyn Parser> {
        let mut parser = LatexParser::default();
        document.split(|byte| *byte == b'\n').for_each(|line| parser.read_class(line));
        Box::new(parser)
    }

    fn rendered(&self, source: &str) -> String {
        let mut shown = String::new();
        let mut characters = source.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '{' | '}' | '$' => {}
                '~' => shown.push(' '),
                '\\' => {
                    let is_word = characters.peek().is_some_and(|next| next.is_ascii_alphabetic());
                    let mut command = String::new();
                    while let Some(next) =
                        characters.next_if(|next| is_word && next.is_ascii_alphabetic())
                    {
                        command.push(next);
                    }
                    match command.as_str() {
                        "" => {
                            shown.extend(characters.next().filter(|next| !"/,;!\\".contains(*next)))
                        }
                        "LaTeX" | "TeX" | "LaTeXe" => shown.push_str(&command),
                        _ => {}
                    }
                }
                other => shown.push(other),
            }
        }
        in_one_line(&shown)
    }

    fn marks_before_headings(&self) -> &'static [u8] {
        b"%\\"
    }
}

/// A heading whose text has not ended.
#[derive(Debug)]
struct OpenHeading {
    level: u8,
    line: u64,
    offset: u64,
    name: Vec<u8>,
    depth: usize,
}

#[derive(Debug, Default)]
struct LatexParser {
    heading: Option<OpenHeading>,
    /// The line of the heading directly above, to which a label may belong.
    above: Option<u64>,
    /// The open environment: its name, first line, language, and whether its lines are apart.
    verbatim: Option<(Vec<u8>, u64, Vec<u8>, bool)>,
    has_ended: bool,
    /// Number of levels that the document does not have.
    unused_levels: u8,
}

impl Parser for LatexParser {
    fn line(&mut self, line: &Line<'_>, collector: &mut Collector) {
        if self.has_ended {
            return;
        }
        if let Some((name, first, language, is_apart)) = &self.verbatim {
            let end = [b"\\end{", &name[..], b"}"].concat();
            if let Some(at) = memchr::memmem::find(line.text, &end) {
                let is_code = name != b"comment" && !name.starts_with(b"filecontents");
                let is_apart = *is_apart && line.text[..at].trim_ascii().is_empty();
                if is_code && is_apart {
                    let lines = LineRange::from_to(*first, line.number);
                    collector.code(lines, 1, true, language);
                }
                self.verbatim = None;
            }
            return;
        }
        let text = without_comment(line.text);
        if self.heading.is_some() {
            self.read_name(text, 0, line, collector);
            return;
        }
        let begun = text.trim_ascii_start();
        self.read_class(begun);
        if let Some((level, start)) = sectioning(begun) {
            let level = level.saturating_sub(self.unused_levels).max(1);
            let start = text.len() - begun.len() + start;
            let offset = line.offset + start as u64;
            let (line_number, name) = (line.number, Vec::new());
            self.heading = Some(OpenHeading { level, line: line_number, offset, name, depth: 0 });
            self.read_name(text, start, line, collector);
            return;
        }
        if begun.starts_with(b"\\end{document}") {
            // Content that is appended to the last section must be printed.
            collector.end_sections(line.number - 1);
            self.has_ended = true;
        }
        self.labels(text, line.number, collector);
        if let Some(name) = begun.strip_prefix(b"\\begin{")
            && let Some(end) = memchr::memchr(b'}', name)
            && VERBATIM.contains(&&name[..end])
        {
            let (language, rest) = options(&name[end + 1..]);
            let is_apart = rest.trim_ascii().is_empty();
            self.verbatim = Some((name[..end].to_vec(), line.number, language, is_apart));
        }
    }
}

impl LatexParser {
    /// Reads which levels a document has from a line with its class or with a part.
    fn read_class(&mut self, line: &[u8]) {
        let line = line.trim_ascii_start();
        if let Some(class) = line.strip_prefix(b"\\documentclass") {
            let name = memchr::memchr2(b'{', b'}', class).and_then(|start| {
                let name = class[start..].strip_prefix(b"{")?;
                Some(&name[..memchr::memchr(b'}', name)?])
            });
            let has_chapters = name.is_none_or(|name| !WITHOUT_CHAPTERS.contains(&name));
            self.unused_levels = if has_chapters { 0 } else { 2 };
        } else if self.unused_levels == 2 && matches!(sectioning(line), Some((1, _))) {
            self.unused_levels = 1;
        }
    }

    /// Reads the text of a heading from `start` of a line on.
    fn read_name(&mut self, text: &[u8], start: usize, line: &Line<'_>, collector: &mut Collector) {
        let Some(heading) = &mut self.heading else { return };
        let mut at = start;
        while at < text.len() {
            match text[at] {
                b'\\' => at += 1,
                b'{' => heading.depth += 1,
                b'}' if heading.depth == 0 => break,
                b'}' => heading.depth -= 1,
                _ => {}
            }
            at += 1;
        }
        if at >= text.len() {
            heading.name.extend_from_slice(&line.whole[start..]);
            if line.is_blank() || line.number - heading.line >= MAX_LINES {
                // The argument is not closed.
                self.heading = None;
            }
            return;
        }
        heading.name.extend_from_slice(&text[start..at]);
        let Some(heading) = self.heading.take() else { return };
        let name = &heading.name;
        // A label at the end of the text is not part of it.
        let end = memchr::memmem::find(name, b"\\label{").unwrap_or(name.len());
        let lead = name.len() - name.trim_ascii_start().len();
        let shown = name[lead.min(end)..end].trim_ascii_end();
        let lines = LineRange::from_to(heading.line, line.number);
        collector.heading(heading.level, lines, shown, heading.offset + lead as u64);
        self.above = Some(heading.line);
        let name = heading.name.clone();
        self.labels(&name, line.number, collector);
        self.above = Some(heading.line);
        self.labels(&text[at..], line.number, collector);
        self.above = Some(heading.line);
    }

    /// Adds the labels in a line. A label directly below a heading belongs to the heading.
    fn labels(&mut self, text: &[u8], number: u64, collector: &mut Collector) {
        let above = self.above.take();
        let mut rest = text;
        while let Some(at) = memchr::memmem::find(rest, b"\\label{") {
            let before = rest[..at].trim_ascii();
            rest = &rest[at + 7..];
            let Some(end) = memchr::memchr(b'}', rest) else { return };
            let is_first = rest.len() + at + 7 == text.len();
            let is_here =
                is_first && (before.is_empty() || before == b"}") || text[..].starts_with(b"}");
            match above.filter(|_| is_here) {
                Some(heading) => collector.anchor(&rest[..end], heading, AnchorKind::HeadingId),
                None => collector.anchor(&rest[..end], number, AnchorKind::Explicit),
            }
            rest = &rest[end..];
        }
        if text.trim_ascii().is_empty() {
            self.above = above;
        }
    }
}

/// Returns a line without its comment.
fn without_comment(line: &[u8]) -> &[u8] {
    let is_comment = |at: &usize| {
        let slashes = line[..*at].iter().rev().take_while(|byte| **byte == b'\\').count();
        slashes % 2 == 0
    };
    let end = memchr::memchr_iter(b'%', line).find(is_comment);
    &line[..end.unwrap_or(line.len())]
}

/// Returns the level of a sectioning command at the start of a text, and where its argument begins.
fn sectioning(text: &[u8]) -> Option<(u8, usize)> {
    let rest = text.strip_prefix(b"\\")?;
    let end = rest.iter().position(|byte| !byte.is_ascii_alphabetic())?;
    let (_, level) = COMMANDS.iter().find(|(name, _)| *name == &rest[..end])?;
    let rest = rest[end..].strip_prefix(b"*").unwrap_or(&rest[end..]).trim_ascii_start();
    let rest = match rest.strip_prefix(b"[") {
        Some(option) => {
            let mut depth = 0;
            let end = option.iter().position(|byte| {
                depth += i32::from(*byte == b'{') - i32::from(*byte == b'}');
                depth == 0 && *byte == b']'
            })?;
            option[end + 1..].trim_ascii_start()
        }
        None => rest,
    };
    let argument = rest.strip_prefix(b"{")?;
    Some((*level, offset_in(text, argument)))
}

/// Returns the language in the options of an environment, and the rest of the line.
fn options(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let (mut language, mut rest) = (Vec::new(), text.trim_ascii());
    if let Some(option) = rest.strip_prefix(b"[")
        && let Some(end) = memchr::memchr(b']', option)
    {
        let values = option[..end].split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        for value in values {
            let name = value.strip_prefix(b"language").map(<[u8]>::trim_ascii_start);
            if let Some(value) = name.and_then(|value| value.strip_prefix(b"=")) {
                language = value.trim_ascii().trim_ascii_start().to_vec();
            }
        }
        rest = option[end + 1..].trim_ascii();
    }
    if let Some(argument) = rest.strip_prefix(b"{")
        && let Some(end) = memchr::memchr(b'}', argument)
    {
        if language.is_empty() {
            language = argument[..end].to_vec();
        }
        rest = &argument[end + 1..];
    }
    (language, rest)
}
