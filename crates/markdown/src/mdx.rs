//! Parses the parts of MDX that are not Markdown, as the specification of MDX defines them. JSX
//! tags are skipped, and the text between them is parsed as Markdown. `{…}` expressions, `import`
//! and `export` are skipped as a whole. All of these may span lines.
//!
//! JavaScript is only tokenized, to find brackets, strings, comments and JSX.

/// The result of scanning a line that begins with, or is inside, a tag or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The construct continues on the next line.
    Open,
    /// The construct ends with the line.
    Closed,
    /// The construct ends within the line. Markdown text begins at this byte.
    Text(usize),
    /// The line is neither a tag nor an expression.
    Invalid,
}

/// The constructs that are open at the end of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexer {
    open: Vec<Frame>,
    /// Whether this is an `import` or `export`, which ends only at a blank line.
    is_esm: bool,
    /// The last non-blank byte of the JavaScript or the tag that was scanned.
    before: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// JavaScript after `{`, `(` or `[`.
    Bracket(u8),
    Text(u8),
    Template,
    Comment,
    /// A tag after `<`, inside or outside JavaScript.
    Tag {
        is_nested: bool,
        is_closing: bool,
    },
    /// The quoted value of an attribute.
    Value(u8),
    /// The content between the tags of an element in JavaScript.
    Children,
}

impl Lexer {
    /// Scans a line, or the rest of a line, that begins with `<` or `{`.
    pub(super) fn begin(&mut self, rest: &[u8]) -> Progress {
        *self = Self::default();
        self.scan_line(rest, 0)
    }

    /// Scans the first line of an `import` or `export`. Returns `false` if the line is neither.
    pub(super) fn begin_module(&mut self, line: &[u8]) -> bool {
        let is_module = line.starts_with(b"import ") || line.starts_with(b"export ");
        if is_module {
            *self = Self { is_esm: true, ..Self::default() };
            self.lex(line, 0);
        }
        is_module
    }

    /// Scans the next line.
    pub(super) fn line(&mut self, line: &[u8]) -> Progress {
        if !self.is_esm {
            return self.scan_line(line, 0);
        }
        if self.open.is_empty() && line.trim_ascii().is_empty() {
            return Progress::Closed;
        }
        self.lex(line, 0);
        Progress::Open
    }

    fn scan_line(&mut self, line: &[u8], mut at: usize) -> Progress {
        loop {
            if self.open.is_empty() {
                at += line[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                match line.get(at) {
                    None => return Progress::Closed,
                    Some(b'{') => self.open.push(Frame::Bracket(b'{')),
                    Some(b'<') => self.open.push(tag_frame(false)),
                    Some(_) => return Progress::Text(at),
                }
                self.before = line[at];
                at += 1;
            }
            match self.lex(line, at) {
                Some(end) if self.open.is_empty() => at = end,
                Some(_) => return Progress::Open,
                None => return Progress::Invalid,
            }
        }
    }

    /// Scans until all constructs are closed or the line ends. Returns `None` if this is not a tag.
    fn lex(&mut self, line: &[u8], mut at: usize) -> Option<usize> {
        while at < line.len() {
            let byte = line[at];
            let rest = &line[at..];
            at += match self.open.last().copied() {
                None | Some(Frame::Bracket(_)) => self.lex_script(rest, &line[..at]),
                Some(Frame::Tag { .. }) => self.lex_tag(rest)?,
                Some(Frame::Text(_) | Frame::Template) if byte == b'\\' => 2,
                Some(Frame::Text(quote) | Frame::Value(quote)) => {
                    if byte == quote {
                        self.open.pop();
                    }
                    1
                }
                Some(Frame::Template) if rest.starts_with(b"${") => {
                    self.push(Frame::Bracket(b'{'), 2)
                }
                Some(Frame::Template) => {
                    if byte == b'`' {
                        self.open.pop();
                    }
                    1
                }
                Some(Frame::Comment) => {
                    let end = memchr::memmem::find(rest, b"*/");
                    if end.is_some() {
                        self.open.pop();
                    }
                    end.map_or(rest.len(), |end| end + 2)
                }
                Some(Frame::Children) => match byte {
                    b'<' => self.push(tag_frame(true), 1),
                    b'{' => self.push(Frame::Bracket(b'{'), 1),
                    _ => 1,
                },
            };
            if self.open.is_empty() && !self.is_esm {
                return Some(at);
            }
        }
        // A string ends at the end of the line, unless the line ends in a backslash.
        if matches!(self.open.last(), Some(Frame::Text(_))) && line.last() != Some(&b'\\') {
            self.open.pop();
        }
        Some(at)
    }

    fn push(&mut self, frame: Frame, length: usize) -> usize {
        self.open.push(frame);
        self.before = if matches!(frame, Frame::Tag { .. }) { b'<' } else { 0 };
        length
    }

    /// Scans one token of JavaScript, and returns its length. `line` is the text before the token.
    fn lex_script(&mut self, rest: &[u8], line: &[u8]) -> usize {
        let byte = rest[0];
        if byte.is_ascii_whitespace() {
            return 1;
        }
        let next = rest.get(1).copied().unwrap_or_default();
        // An operand is possible at this position, but not an operator.
        let is_start = b"\0(,=:[!&|?{};+-*%<>~^".contains(&self.before)
            || line.trim_ascii_end().ends_with(b"return");
        match byte {
            b'"' | b'\'' => self.open.push(Frame::Text(byte)),
            b'`' => self.open.push(Frame::Template),
            b'/' if next == b'/' => return rest.len(),
            b'/' if next == b'*' => return self.push(Frame::Comment, 2),
            b'/' if is_start => {
                self.before = b'/';
                return regex_length(rest);
            }
            b'<' if is_start && (next == b'>' || begins_name(next)) => {
                return self.push(tag_frame(true), 1);
            }
            b'{' | b'(' | b'[' => self.open.push(Frame::Bracket(byte)),
            b'}' => {
                let opening = self.open.iter().rposition(|frame| *frame == Frame::Bracket(b'{'));
                self.open.truncate(opening.unwrap_or(0));
            }
            b')' | b']' => {
                let open = if byte == b')' { b'(' } else { b'[' };
                if self.open.last() == Some(&Frame::Bracket(open)) {
                    self.open.pop();
                }
            }
            _ => {}
        }
        self.before = byte;
        1
    }

    /// Scans one token of a tag and returns its length. Returns `None` if the token is invalid.
    fn lex_tag(&mut self, rest: &[u8]) -> Option<usize> {
        let byte = rest[0];
        let Some(Frame::Tag { is_nested, is_closing }) = self.open.last_mut() else { return None };
        match byte {
            _ if byte.is_ascii_whitespace() => return Some(1),
            b'>' => {
                let (is_nested, is_closing) = (*is_nested, *is_closing);
                let is_empty = self.before == b'/' && !is_closing;
                self.open.pop();
                if is_nested && is_closing && self.open.last() == Some(&Frame::Children) {
                    self.open.pop();
                } else if is_nested && !is_closing && !is_empty {
                    self.open.push(Frame::Children);
                }
                self.before = b')';
                return Some(1);
            }
            _ if self.before == b'/' && !*is_closing => return None,
            b'/' if self.before == b'<' => *is_closing = true,
            b'{' if self.before != b'<' => return Some(self.push(Frame::Bracket(b'{'), 1)),
            b'"' | b'\'' if self.before == b'=' => self.open.push(Frame::Value(byte)),
            _ if begins_name(byte) => {}
            b'/' | b'=' | b'-' | b':' | b'.' | b'0'..=b'9' if self.before != b'<' => {}
            _ => return None,
        }
        self.before = byte;
        Some(1)
    }
}

fn tag_frame(is_nested: bool) -> Frame {
    Frame::Tag { is_nested, is_closing: false }
}

/// Whether a name may begin with this byte.
fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// Returns the length of the regular expression at the start of `rest`, or 1 if the slash does not
/// begin one.
fn regex_length(rest: &[u8]) -> usize {
    let (mut at, mut in_class) = (1, false);
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return at + 1,
            _ => {}
        }
        at += 1;
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[Progress]) {
        let mut lexer = Lexer::default();
        let mut lines = text.split('\n').map(str::as_bytes);
        let first = lines.next().unwrap_or_default();
        let first = if lexer.begin_module(first) { Progress::Open } else { lexer.begin(first) };
        let found: Vec<Progress> =
            [first].into_iter().chain(lines.map(|line| lexer.line(line))).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn tags_and_expressions_end_where_their_brackets_do() {
        use Progress::{Closed, Invalid, Open, Text};
        check("<A b='>' c={'}'} {...d}/> </b.c> <>{1}", &[Closed]);
        check("<A>text", &[Text(3)]);
        check(
            "<A\n  b=\"c\n\n>\"\n  d={{e: `}${'`'}`}}\n>",
            &[Open, Open, Open, Open, Open, Closed],
        );
        check("{/* }\n*/} x", &[Open, Text(4)]);
        check("{a.map(b => <li>It's {b} }</li>)}", &[Closed]);
        check("{a < b || /[/}]/.test(c)}", &[Closed]);
        check("{`\n# a\n`}", &[Open, Open, Closed]);
        for text in ["<3", "<!-- a -->", "<https://a.b>", "<a@b.c>", "< a"] {
            assert!(matches!(Lexer::default().begin(text.as_bytes()), Invalid | Open), "{text}");
        }
        check("import {\n\n} from 'a';\n", &[Open, Open, Open, Closed]);
        check("export const a = `\n\n`\nb\n", &[Open, Open, Open, Open, Closed]);
    }
}
