//! The objects that SQL creates, in the dialects of PostgreSQL, MySQL, SQLite, SQL Server and Oracle.
//! An object takes the lines of its statement, with the comment directly above it. A statement ends
//! at its delimiter, at the end of a batch (a line `GO` or `/`), or with the text. One that shares a
//! line with another statement is not a symbol. Statements in conditional comments of MySQL,
//! `/*! … */`, are comments. Commands of SQL*Plus without a delimiter are not supported: they belong to
//! the next statement, which is then no symbol.

use std::ops::Range;

use folio_text::lines::{lines_with_ends, without_end};

use super::{Declaration, signature};
use crate::symbol::Kind;

/// Maximum number of tokens of which the beginning of a statement consists.
const MAX_HEAD: usize = 32;

/// The words after `CREATE` that say what is created.
const OBJECTS: &[(&str, Kind)] = &[
    ("TABLE", Kind::Object),
    ("VIEW", Kind::Object),
    ("INDEX", Kind::Object),
    ("FUNCTION", Kind::Function),
    ("PROCEDURE", Kind::Function),
    ("TRIGGER", Kind::Object),
    ("TYPE", Kind::Type),
    ("DOMAIN", Kind::Type),
    ("SEQUENCE", Kind::Object),
    ("SCHEMA", Kind::Object),
    ("EXTENSION", Kind::Object),
    ("DATABASE", Kind::Object),
    ("ROLE", Kind::Object),
    ("POLICY", Kind::Object),
];

/// Words and marks between `CREATE` and the kind of an object.
const BEFORE_KIND: &[&str] = &[
    "OR",
    "REPLACE",
    "ALTER",
    "GLOBAL",
    "LOCAL",
    "TEMP",
    "TEMPORARY",
    "UNLOGGED",
    "FOREIGN",
    "EXTERNAL",
    "VIRTUAL",
    "RECURSIVE",
    "MATERIALIZED",
    "UNIQUE",
    "CLUSTERED",
    "NONCLUSTERED",
    "BITMAP",
    "FULLTEXT",
    "SPATIAL",
    "CONSTRAINT",
    "EVENT",
    "EDITIONABLE",
    "NONEDITIONABLE",
    "AGGREGATE",
    "ALGORITHM",
    "UNDEFINED",
    "MERGE",
    "TEMPTABLE",
    "DEFINER",
    "CURRENT_USER",
    "SQL",
    "SECURITY",
    "INVOKER",
    "=",
    "@",
];

/// Marks of texts for MySQL, in which a backslash escapes a quote and `#` begins a comment.
const MYSQL: &[&[u8]] =
    &[b"ENGINE=", b"AUTO_INCREMENT", b"\nDELIMITER ", b"INTO `", b"TABLE `", b"EXISTS `"];

pub(super) fn declarations(text: &[u8]) -> Vec<Declaration> {
    let has = |mark: &&[u8]| memchr::memmem::find(text, mark).is_some();
    let is_mysql = MYSQL.iter().any(has);
    let has_batches = lines_with_ends(text).any(|line| ends_batch(without_end(line)));
    let mut scanner = Scanner {
        text,
        at: 0,
        line: 1,
        line_start: 0,
        is_mysql,
        has_batches,
        delimiter: b";".to_vec(),
        comment: None,
        statement: Statement::default(),
        last_line: 0,
        ended: None,
        found: Vec::new(),
    };
    while scanner.at < text.len() {
        scanner.read_token();
    }
    scanner.end_statement(scanner.at);
    scanner.keep_ended();
    scanner.found
}

/// Whether a line ends a batch of statements in SQL Server or Oracle.
fn ends_batch(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line == b"/" || line.eq_ignore_ascii_case(b"GO")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    /// A keyword, a name or a number.
    Word,
    /// A name in quotes.
    Name,
    /// A string, or a text between dollar quotes.
    String,
    /// Another character.
    Mark,
}

#[derive(Clone, Debug)]
struct Token {
    kind: TokenKind,
    span: Range<usize>,
    line: u64,
}

/// The lines between two marks that a body may have.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// The offset of the opening mark, and the line after it.
    offset: usize,
    first: u64,
    /// The last line, if the block has ended.
    last: Option<u64>,
}

impl Block {
    /// Begins a block at the line after a token.
    fn after(token: &Token) -> Self {
        Self { offset: token.span.start, first: token.line + 1, last: None }
    }
}

/// The statement that is being read.
#[derive(Debug, Default)]
struct Statement {
    /// The first line with its comment, and the number of tokens.
    first: u64,
    tokens: usize,
    head: Vec<Token>,
    is_shared: bool,
    parentheses: usize,
    /// The number of open `BEGIN`s and `CASE`s in a function, procedure or trigger.
    blocks: usize,
    /// Whether the last word was `END`.
    is_after_end: bool,
    /// The first string of several lines, and the first `BEGIN`, `AS` and parenthesis at the end of a
    /// line.
    string: Option<Block>,
    begin: Option<Block>,
    query: Option<Block>,
    columns: Option<Block>,
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
    /// The number of the line at `at`, and where it begins.
    line: u64,
    line_start: usize,
    is_mysql: bool,
    has_batches: bool,
    delimiter: Vec<u8>,
    /// The lines of the comments directly above.
    comment: Option<(u64, u64)>,
    statement: Statement,
    /// The line on which the last token ended.
    last_line: u64,
    /// The last object, unless another statement begins on its last line.
    ended: Option<Declaration>,
    found: Vec<Declaration>,
}

impl<'t> Scanner<'t> {
    fn rest(&self) -> &'t [u8] {
        &self.text[self.at..]
    }

    fn is_in_statement(&self) -> bool {
        self.statement.tokens > 0
    }

    /// Continues at an offset.
    fn advance(&mut self, end: usize) {
        let end = end.clamp(self.at, self.text.len());
        for newline in memchr::memchr_iter(b'\n', &self.text[self.at..end]) {
            self.line += 1;
            self.line_start = self.at + newline + 1;
        }
        self.at = end;
    }

    /// Returns the offset after the current line.
    fn next_line(&self) -> usize {
        memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |length| self.at + length + 1)
    }

    /// Returns the offset at which the current line ends.
    fn line_end(&self) -> usize {
        memchr::memchr(b'\n', self.rest()).map_or(self.text.len(), |length| self.at + length)
    }

    /// Whether only blanks precede an offset in the current line.
    fn begins_line(&self, at: usize) -> bool {
        self.text[self.line_start..at].iter().all(u8::is_ascii_whitespace)
    }

    /// Whether only blanks and a comment follow an offset in its line.
    fn ends_line(&self, at: usize) -> bool {
        let rest = &self.text[at.min(self.text.len())..];
        let is_blank = |byte: &&u8| **byte != b'\n' && byte.is_ascii_whitespace();
        let rest = &rest[rest.iter().take_while(is_blank).count()..];
        match rest.first() {
            None | Some(b'\n') => true,
            Some(b'#') => self.is_mysql,
            Some(_) => rest.starts_with(b"--"),
        }
    }

    fn read_token(&mut self) {
        let rest = self.rest();
        let next = rest.get(1).copied().unwrap_or_default();
        let start = self.at;
        match rest[0] {
            byte if byte.is_ascii_whitespace() => self.advance(start + 1),
            b'-' if next == b'-' => self.read_comment(self.line_end()),
            b'#' if self.is_mysql => self.read_comment(self.line_end()),
            b'/' if next == b'*' => self.read_comment(self.block_comment_end()),
            _ if self.begins_line(start) && self.read_line() => {}
            _ if rest.starts_with(&self.delimiter) => self.read_delimiter(),
            b'\\' if !self.is_mysql => self.read_meta_command(),
            quote @ (b'\'' | b'"' | b'`') => {
                let is_escaped = self.is_mysql && quote != b'`' || self.is_after_e(start);
                let kind = if quote == b'\'' { TokenKind::String } else { TokenKind::Name };
                self.add_token(kind, self.quote_end(quote, is_escaped));
            }
            b'[' if matches!(self.statement.head.last(), Some(last) if self.begins_name(last)) => {
                let end = memchr::memchr(b']', self.rest()).map_or(start + 1, |at| start + at + 1);
                self.add_token(TokenKind::Name, end);
            }
            b'$' if !self.is_mysql => match self.dollar_quote_end() {
                Some(end) => self.add_token(TokenKind::String, end),
                None => self.add_token(TokenKind::Mark, start + 1),
            },
            byte if is_word(byte) => {
                let length = rest.iter().take_while(|byte| is_word(**byte)).count();
                self.add_token(TokenKind::Word, start + length);
            }
            _ => self.add_token(TokenKind::Mark, start + 1),
        }
    }

    /// Whether a name in brackets may follow a token.
    fn begins_name(&self, last: &Token) -> bool {
        let word = &self.text[last.span.clone()];
        word == b"."
            || OBJECTS.iter().any(|(kind, _)| word.eq_ignore_ascii_case(kind.as_bytes()))
            || word.eq_ignore_ascii_case(b"EXISTS")
    }

    fn is_after_e(&self, at: usize) -> bool {
        let before = &self.text[..at];
        let is_e = matches!(before.last(), Some(b'e' | b'E'));
        is_e && !before.len().checked_sub(2).is_some_and(|at| is_word(before[at]))
    }

    /// Handles a line that is not a part of a statement. Returns `false` if it is none.
    fn read_line(&mut self) -> bool {
        let line = self.text[self.at..self.line_end()].trim_ascii();
        if self.has_batches && ends_batch(line) {
            if self.is_in_statement() {
                self.last_line = self.line;
                self.end_statement(self.at);
            }
            self.advance(self.next_line());
            self.comment = None;
            return true;
        }
        let word = line.get(..10).filter(|word| word.eq_ignore_ascii_case(b"DELIMITER "));
        if word.is_some() && !self.is_in_statement() {
            self.delimiter = line[10..].trim_ascii().to_vec();
            if self.delimiter.is_empty() {
                self.delimiter = b";".to_vec();
            }
            self.last_line = self.line;
            self.advance(self.next_line());
            self.comment = None;
            return true;
        }
        false
    }

    /// Handles a command of psql, which takes the rest of its line.
    fn read_meta_command(&mut self) {
        if self.rest().starts_with(b"\\;") {
            self.statement.is_shared = true;
            self.add_token(TokenKind::Mark, self.at + 2);
            return;
        }
        let command = self.text[self.at..self.line_end()].to_ascii_lowercase();
        let is_sent = command.starts_with(b"\\g") && self.is_in_statement();
        let is_copy = command.starts_with(b"\\copy ")
            && memchr::memmem::find(&command, b"from stdin").is_some();
        self.begin_token();
        self.last_line = self.line;
        if is_sent {
            self.end_statement(self.at);
        }
        self.comment = None;
        let next_line = self.next_line();
        if is_copy {
            self.skip_data();
        }
        self.advance(next_line);
    }

    fn read_comment(&mut self, end: usize) {
        let (first, begins_line) = (self.line, self.begins_line(self.at));
        self.advance(end);
        if self.is_in_statement() {
            return;
        }
        if first == self.last_line {
            if let Some(ended) = &mut self.ended {
                ended.last = self.line;
            }
            self.last_line = self.line;
            return;
        }
        self.comment = match self.comment {
            Some((above, last)) if last + 1 >= first => Some((above, self.line)),
            _ if begins_line => Some((first, self.line)),
            _ => None,
        };
    }

    /// Returns the offset after a comment, which may contain comments, except in MySQL.
    fn block_comment_end(&self) -> usize {
        let (mut depth, mut at) = (0usize, self.at);
        while let Some(next) = memchr::memchr2(b'/', b'*', &self.text[at..]) {
            at += next;
            match self.text.get(at..at + 2) {
                Some(b"/*") if depth == 0 || !self.is_mysql => depth += 1,
                Some(b"*/") => depth -= 1,
                _ => {
                    at += 1;
                    continue;
                }
            }
            at += 2;
            if depth == 0 {
                return at;
            }
        }
        self.text.len()
    }

    /// Returns the offset after a text in quotes, which are doubled in it.
    fn quote_end(&self, quote: u8, is_escaped: bool) -> usize {
        let mut at = self.at + 1;
        while let Some(next) = memchr::memchr2(quote, b'\\', &self.text[at..]) {
            at += next + 1;
            if self.text[at - 1] == b'\\' {
                at += usize::from(is_escaped);
            } else if self.text.get(at) == Some(&quote) {
                at += 1;
            } else {
                return at;
            }
            at = at.min(self.text.len());
        }
        self.text.len()
    }

    /// Returns the offset after a text between dollar quotes. `None` if no dollar quote begins here.
    fn dollar_quote_end(&self) -> Option<usize> {
        let rest = self.rest();
        let length = 1 + memchr::memchr(b'$', &rest[1..])?;
        let name = &rest[1..length];
        let is_name = name.iter().all(|byte| is_word(*byte) && *byte != b'#' && *byte != b'@');
        if !is_name || name.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        let tag = &rest[..=length];
        let end = memchr::memmem::find(&rest[tag.len()..], tag);
        Some(end.map_or(self.text.len(), |end| self.at + end + 2 * tag.len()))
    }

    /// Handles the place of a token: it may begin a statement, and share the line of another one.
    fn begin_token(&mut self) {
        if self.ended.as_ref().is_some_and(|ended| ended.last == self.line) {
            self.ended = None;
        }
        self.keep_ended();
    }

    fn keep_ended(&mut self) {
        self.found.extend(self.ended.take());
    }

    fn add_token(&mut self, kind: TokenKind, end: usize) {
        self.begin_token();
        let token = Token { kind, span: self.at..end, line: self.line };
        if !self.is_in_statement() {
            let above = self.comment.take();
            let above = above.filter(|(_, last)| last + 1 >= self.line);
            self.statement.first = above.map_or(self.line, |(first, _)| first);
            self.statement.is_shared = self.line == self.last_line;
        }
        self.note(&token);
        self.statement.tokens += 1;
        self.advance(end);
        self.last_line = self.line;
        if self.statement.head.len() < MAX_HEAD {
            self.statement.head.push(token);
        }
    }

    /// Follows the nesting of a statement, and the places where its body may begin and end.
    fn note(&mut self, token: &Token) {
        let word = &self.text[token.span.clone()];
        let is_routine = self.is_routine();
        let is_outer = self.statement.parentheses == 0;
        match word {
            b"(" => self.open_parenthesis(token),
            b")" => self.close_parenthesis(token),
            _ if token.kind == TokenKind::String && is_routine => self.note_string(token),
            _ if token.kind != TokenKind::Word || !is_outer => {
                self.statement.is_after_end = false;
            }
            _ if is_routine => self.note_block(token),
            _ if word.eq_ignore_ascii_case(b"AS")
                && self.statement.query.is_none()
                && self.ends_line(token.span.end) =>
            {
                self.statement.query = Some(Block::after(token));
            }
            _ => {}
        }
    }

    /// Returns the last line of a block that ends with a token.
    fn last_line_before(&self, token: &Token) -> u64 {
        token.line - u64::from(self.begins_line(token.span.start))
    }

    fn open_parenthesis(&mut self, token: &Token) {
        self.statement.parentheses += 1;
        let is_first = self.statement.parentheses == 1 && self.statement.columns.is_none();
        if is_first && self.ends_line(token.span.end) {
            self.statement.columns = Some(Block::after(token));
        }
    }

    fn close_parenthesis(&mut self, token: &Token) {
        self.statement.parentheses = self.statement.parentheses.saturating_sub(1);
        let end = self.last_line_before(token);
        if let (0, Some(columns)) = (self.statement.parentheses, &mut self.statement.columns) {
            columns.last.get_or_insert(end);
        }
    }

    /// Handles a string, which may be the body of a function.
    fn note_string(&mut self, token: &Token) {
        let word = &self.text[token.span.clone()];
        let quote = opening_length(word);
        let lines = memchr::memchr_iter(b'\n', word).count() as u64;
        let is_body = lines > 0 && self.ends_line(token.span.start + quote);
        if is_body && self.statement.string.is_none() {
            let last = memchr::memrchr(b'\n', word).map_or(word, |newline| &word[newline + 1..]);
            let is_apart = last.trim_ascii().len() == quote;
            let last = Some(token.line + lines - u64::from(is_apart));
            self.statement.string = Some(Block { last, ..Block::after(token) });
        }
    }

    /// Handles a word of a function, procedure or trigger, which may begin or end a block.
    fn note_block(&mut self, token: &Token) {
        let word = &self.text[token.span.clone()];
        let is = |other: &str| word.eq_ignore_ascii_case(other.as_bytes());
        let is_after_end = std::mem::replace(&mut self.statement.is_after_end, is("END"));
        if is_after_end && ["IF", "LOOP", "WHILE", "REPEAT", "FOR"].into_iter().any(is) {
            self.statement.blocks += 1;
        } else if is("BEGIN") || is("CASE") && !is_after_end {
            self.statement.blocks += 1;
            let is_first = self.statement.blocks == 1 && self.statement.begin.is_none();
            if is_first && self.ends_line(token.span.end) {
                self.statement.begin = Some(Block::after(token));
            }
        } else if is("END") {
            let end = self.last_line_before(token);
            self.statement.blocks = self.statement.blocks.saturating_sub(1);
            if let (0, Some(begin)) = (self.statement.blocks, &mut self.statement.begin) {
                begin.last = Some(end);
            }
        }
    }

    /// Whether the statement creates something that contains statements.
    fn is_routine(&self) -> bool {
        let mut words = self.statement.head.iter().filter(|token| token.kind == TokenKind::Word);
        let is = |token: &Token, words: &[&str]| {
            let word = &self.text[token.span.clone()];
            words.iter().any(|other| word.eq_ignore_ascii_case(other.as_bytes()))
        };
        words.next().is_some_and(|first| is(first, &["CREATE"]))
            && words.take(8).any(|word| {
                is(word, &["FUNCTION", "PROCEDURE", "TRIGGER", "PACKAGE", "EVENT", "BODY"])
            })
    }

    fn read_delimiter(&mut self) {
        let is_plain = self.delimiter == b";";
        let length = self.delimiter.len();
        let is_routine = self.is_in_statement() && self.is_routine();
        let goes_on = self.statement.parentheses > 0
            || is_routine && (self.statement.blocks > 0 || self.has_batches);
        if is_plain && goes_on {
            self.add_token(TokenKind::Mark, self.at + length);
            return;
        }
        let (line, is_copy) = (self.line, self.is_copy());
        // An empty statement after another one changes nothing.
        if self.is_in_statement() {
            self.begin_token();
        }
        let at = self.at;
        self.advance(at + length);
        self.last_line = line;
        self.end_statement(at);
        if is_copy {
            self.skip_data();
        }
    }

    /// Whether the statement is `COPY … FROM stdin`, which lines of data follow.
    fn is_copy(&self) -> bool {
        let word = |index: usize| {
            let token = self.statement.head.get(index)?;
            Some(self.text[token.span.clone()].to_ascii_uppercase())
        };
        let count = self.statement.head.len();
        let is_from = |at: usize| {
            word(at).is_some_and(|word| word == b"FROM")
                && word(at + 1).is_some_and(|word| word == b"STDIN")
        };
        word(0).is_some_and(|word| word == b"COPY") && (1..count).any(is_from)
    }

    /// Skips lines of data, which end with the line `\.`. There are none if a blank line follows the
    /// statement, or if there is no such line.
    fn skip_data(&mut self) {
        let next_line = self.next_line();
        let data = &self.text[next_line..];
        let is_blank = lines_with_ends(data).next().is_none_or(|line| line.trim_ascii().is_empty());
        let mut end = next_line;
        let found = lines_with_ends(data).any(|line| {
            end += line.len();
            without_end(line) == b"\\."
        });
        if found && !is_blank {
            self.advance(end);
        }
    }

    /// Ends the statement, whose last line is `last_line` and whose delimiter is at an offset.
    fn end_statement(&mut self, end: usize) {
        let is_routine = self.is_routine();
        let statement = std::mem::take(&mut self.statement);
        self.comment = None;
        let first_token = statement.head.first().map(|token| token.line);
        let Some(signature_line) = first_token.filter(|_| !statement.is_shared) else { return };
        let Some((kind, name, name_line)) = self.object(&statement.head) else { return };
        let last = self.last_line;
        let begins_line = self.begins_line(end.min(self.text.len()));
        let query = statement.query.map(|query| {
            let is_apart = begins_line && end < self.text.len();
            Block { last: Some(last - u64::from(is_apart)), ..query }
        });
        let closed = |block: Option<Block>| block.filter(|block| block.last.is_some());
        let first_of = match (closed(query), closed(statement.columns)) {
            (Some(query), Some(columns)) if columns.offset < query.offset => Some(columns),
            (query, columns) => query.or(columns),
        };
        let body = if is_routine {
            closed(statement.string).or(closed(statement.begin))
        } else {
            first_of
        };
        let start = statement.head[0].span.start;
        let declared = &self.text[start..body.map_or(end, |body| body.offset).max(start)];
        let mut signature = signature(declared, &[' ', ';']);
        if signature.to_ascii_uppercase().ends_with(" AS") {
            signature.truncate(signature.len() - 3);
        }
        self.ended = Some(Declaration {
            kind,
            name,
            first: statement.first,
            signature_line,
            name_line,
            body: body.map_or(1, |body| body.first),
            body_end: body.and_then(|body| body.last).unwrap_or(0),
            last,
            signature,
        });
    }

    /// Returns the kind of the object that a statement creates, its name, and the line of the name.
    fn object(&self, head: &[Token]) -> Option<(Kind, String, u64)> {
        let word = |index: usize| -> Option<&[u8]> {
            let token = head.get(index)?;
            let is_plain = matches!(token.kind, TokenKind::Word | TokenKind::Mark);
            is_plain.then(|| &self.text[token.span.clone()])
        };
        let is = |index: usize, other: &str| {
            word(index).is_some_and(|word| word.eq_ignore_ascii_case(other.as_bytes()))
        };
        if !is(0, "CREATE") {
            return None;
        }
        let kind_of = |index| OBJECTS.iter().find(|(name, _)| is(index, name));
        let mut at = 1;
        let kind = loop {
            if let Some((_, kind)) = kind_of(at) {
                break *kind;
            }
            // The user in `DEFINER` may have any name.
            let is_user = at > 1 && (is(at - 1, "=") || is(at - 1, "@"));
            let is_known = BEFORE_KIND.iter().any(|known| is(at, known));
            if at >= head.len() || !is_known && !is_user {
                return None;
            }
            at += 1;
        };
        at += 1;
        for word in ["BODY", "CONCURRENTLY", "IF", "NOT", "EXISTS"] {
            at += usize::from(is(at, word));
        }
        let line = head.get(at)?.line;
        let mut name = self.name_part(head.get(at)?)?;
        if head[at].kind == TokenKind::Word && (is(at, "ON") || is(at, "AUTHORIZATION")) {
            return None;
        }
        while is(at + 1, ".") {
            at += 2;
            name = format!("{name}.{}", self.name_part(head.get(at)?)?);
        }
        Some((kind, name, line))
    }

    /// Returns the text of a name without its quotes.
    fn name_part(&self, token: &Token) -> Option<String> {
        let text = String::from_utf8_lossy(&self.text[token.span.clone()]);
        match token.kind {
            TokenKind::Word => Some(text.into_owned()),
            TokenKind::Name => {
                let inner = text.get(1..text.len().checked_sub(1)?)?;
                let quote = text.chars().next()?.to_string();
                Some(inner.replace(&quote.repeat(2), &quote))
            }
            TokenKind::String | TokenKind::Mark => None,
        }
    }
}

/// Returns the length of the quote with which a string begins.
fn opening_length(word: &[u8]) -> usize {
    match word.strip_prefix(b"$") {
        Some(rest) => memchr::memchr(b'$', rest).map_or(1, |length| length + 2),
        None => 1,
    }
}

/// Whether a byte is a part of a word.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'#' | b'@') || byte >= 0x80
}
