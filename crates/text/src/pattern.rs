//! A literal text or a regular expression, matched line by line.
//!
//! `^` and `$` match at the start and end of a line, and `$` also before `\r\n`. A lone `\r` does
//! not end a line. Matches never span lines.

pub mod lines;

use std::cell::RefCell;
use std::ops::Range;

use memchr::memmem;
use regex_automata::util::interpolate;
use regex_automata::{Input, meta};
use regex_syntax::ast::{self, Ast};
use regex_syntax::hir::{
    Capture, Class, ClassBytesRange, ClassUnicodeRange, Hir, HirKind, Look, Repetition,
};

pub use lines::LinesPattern;

/// Maximum size of a compiled pattern, in bytes.
const SIZE_LIMIT: usize = 10 * 1024 * 1024;

/// Maximum size in bytes of the automaton that a search builds while it runs. If a pattern with
/// large counts such as `(a?){3000}` exceeds it, the search is a hundred times slower. Most patterns
/// need some kilobytes.
pub const AUTOMATON_LIMIT: usize = 64 * 1024 * 1024;

/// Maximum number of classes such as `\p{L}` in patterns that ignore case. Case folding takes
/// milliseconds for each class, and happens before the size of the compiled pattern is known.
const MAX_FOLDED_CLASSES: usize = 500;

/// How letter case is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// Case is significant.
    #[default]
    Sensitive,
    /// Case is ignored.
    Insensitive,
    /// Case is ignored unless the pattern contains a capital letter.
    Smart,
}

/// Options for compiling a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatternOptions {
    /// Whether the pattern is a literal text.
    pub fixed: bool,
    /// How letter case is compared.
    pub case: Case,
    /// Whether a match must be surrounded by word boundaries.
    pub word: bool,
    /// Whether a match must be the whole line.
    pub line: bool,
}

/// An invalid pattern. The message shows the position if it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The problem. If the position is shown, the message has several lines.
    pub message: String,
    /// A suggestion, if there is one.
    pub hint: Option<String>,
    /// The pattern, if it was probably intended as literal text.
    pub literal: Option<String>,
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    expression: String,
    ignores_case: bool,
    /// Matches one line without its line ending.
    line: meta::Regex,
    /// Matches many lines at once. It finds every line that `line` matches, and possibly other
    /// lines.
    block: meta::Regex,
    /// Finds the text, if the pattern is a long literal text.
    literal: Option<Box<memmem::Finder<'static>>>,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Fails if the pattern is invalid or too large.
    pub fn new(source: &str, options: PatternOptions) -> Result<Self, PatternError> {
        Self::any_of(&[source], options)
    }

    /// Compiles several patterns into one that matches if any of them matches.
    ///
    /// # Errors
    ///
    /// Fails if a pattern is invalid, or if the patterns are too large.
    pub fn any_of(sources: &[&str], options: PatternOptions) -> Result<Self, PatternError> {
        let hir = parse_one_line(sources, options)?;
        let block = for_blocks(&hir);
        Ok(Self {
            expression: sources
                .first()
                .map_or_else(String::new, |first| expression(first, options)),
            ignores_case: options_for(sources, options).case == Case::Insensitive,
            line: compile_regex(&hir)?,
            block: compile_regex(&block)?,
            literal: long_literal(&hir),
        })
    }

    /// Returns a regular expression that is equivalent to the pattern with its options, except for
    /// case. If there are several patterns, returns the first one.
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// Whether the options make the pattern ignore case.
    pub fn ignores_case(&self) -> bool {
        self.ignores_case
    }

    /// Whether a line, given without its line ending, matches.
    pub fn is_match(&self, line: &[u8]) -> bool {
        match &self.literal {
            Some(literal) => literal.find(line).is_some(),
            None => self.line.is_match(line),
        }
    }

    /// Returns the first match in a line, given without its line ending.
    pub fn find(&self, line: &[u8]) -> Option<Range<usize>> {
        match &self.literal {
            Some(literal) => literal.find(line).map(|at| at..at + literal.needle().len()),
            None => self.line.find(line).map(|found| found.range()),
        }
    }

    /// Returns all non-overlapping matches in a line.
    pub fn find_all<'a>(&'a self, line: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
        let literal = self.literal.iter().flat_map(|literal| {
            literal.find_iter(line).map(|start| start..start + literal.needle().len())
        });
        let regex = self.literal.is_none().then(|| self.line.find_iter(line));
        literal.chain(regex.into_iter().flatten().map(|found| found.range()))
    }

    /// Returns the searcher for the text, if the pattern is a long literal text.
    pub fn long_literal(&self) -> Option<&memmem::Finder<'static>> {
        self.literal.as_deref()
    }

    /// Expands `$1` and `${name}` in a template. The groups are those of the match that begins at
    /// `start` of a line, which is given without its line ending.
    pub fn expand(&self, line: &[u8], start: usize, template: &[u8]) -> Vec<u8> {
        expand(&self.line, line, start, template)
    }

    /// Returns the first group in a template that does not exist in the pattern.
    pub fn unknown_group(&self, template: &[u8]) -> Option<String> {
        unknown_group(&self.line, template)
    }

    /// Returns the first matching line of `block` that begins at or after `from`, which must be the
    /// start of a line. The range includes the line ending.
    pub fn next_line(&self, block: &[u8], from: usize) -> Option<Range<usize>> {
        let mut at = from;
        while at < block.len() {
            let match_start = at
                + match &self.literal {
                    Some(literal) => literal.find(&block[at..])?,
                    None => self.block.find(&block[at..])?.start(),
                };
            let start =
                memchr::memrchr(b'\n', &block[at..match_start]).map_or(at, |line| at + line + 1);
            let end =
                memchr::memchr(b'\n', &block[start..]).map_or(block.len(), |to| start + to + 1);
            if start == block.len() {
                return None;
            }
            if self.is_match(crate::lines::without_end(&block[start..end])) {
                return Some(start..end);
            }
            at = end;
        }
        None
    }
}

/// Returns a searcher for an expression that is a long literal text. regex-automata uses only the
/// first 100 bytes of a literal to find candidates, and verifies each of them with an engine whose
/// time is proportional to the length of the expression.
fn long_literal(hir: &Hir) -> Option<Box<memmem::Finder<'static>>> {
    const LONG: usize = 100;
    let HirKind::Literal(literal) = hir.kind() else { return None };
    (literal.0.len() > LONG).then(|| memmem::Finder::new(&literal.0).into_owned().into())
}

fn expand(regex: &meta::Regex, text: &[u8], start: usize, template: &[u8]) -> Vec<u8> {
    let mut captures = regex.create_captures();
    regex.captures(Input::new(text).range(start..), &mut captures);
    let mut filled = Vec::with_capacity(template.len());
    captures.interpolate_bytes_into(text, template, &mut filled);
    filled
}

fn unknown_group(regex: &meta::Regex, template: &[u8]) -> Option<String> {
    let groups = regex.create_captures();
    let info = groups.group_info();
    let first = regex_automata::PatternID::ZERO;
    let unknown = RefCell::new(None);
    let exists = |index: usize| index < info.group_len(first);
    interpolate::bytes(
        template,
        |index, _| {
            if !exists(index) {
                unknown.borrow_mut().get_or_insert(index.to_string());
            }
        },
        |name| {
            let index = info.to_index(first, name);
            if index.is_none() {
                unknown.borrow_mut().get_or_insert(name.to_owned());
            }
            index
        },
        &mut Vec::new(),
    );
    unknown.into_inner()
}

fn expression(source: &str, options: PatternOptions) -> String {
    let pattern = if options.fixed { regex_syntax::escape(source) } else { source.to_owned() };
    match (options.line, options.word) {
        (true, _) => format!("^(?:{pattern})$"),
        (false, true) => format!(r"\b{{start-half}}(?:{pattern})\b{{end-half}}"),
        (false, false) => pattern,
    }
}

/// Combines several patterns into one expression that matches text of many lines, for engines that
/// accept an expression as text. It matches every line that [`Pattern`] matches, and possibly other
/// lines, but only lines that end in `\r\n`.
pub fn block_expression(sources: &[&str], options: PatternOptions) -> Result<String, PatternError> {
    Ok(for_blocks(&parse_one_line(sources, options)?).to_string())
}

/// Combines several patterns into one expression whose matches may span lines. `$` also matches
/// before `\r\n`.
pub fn lines_expression(sources: &[&str], options: PatternOptions) -> Result<String, PatternError> {
    let options = options_for(sources, options);
    check_size(sources, options)?;
    let hirs: Result<Vec<Hir>, _> = sources.iter().map(|source| parse(source, options)).collect();
    Ok(with_line_ends(&Hir::alternation(hirs?)).to_string())
}

fn parse_one_line(sources: &[&str], options: PatternOptions) -> Result<Hir, PatternError> {
    let options = options_for(sources, options);
    check_size(sources, options)?;
    let hirs: Result<Vec<Hir>, _> = sources
        .iter()
        .map(|source| {
            let hir = parse(source, options)?;
            if contains_line_feed(&hir) {
                return Err(PatternError {
                    message:
                        "the pattern contains a line ending, but patterns match within one line"
                            .to_owned(),
                    hint: Some("match the first of the lines instead".to_owned()),
                    literal: None,
                });
            }
            Ok(hir)
        })
        .collect();
    Ok(Hir::alternation(hirs?))
}

/// Refuses patterns whose case folding would take too long.
fn check_size(sources: &[&str], options: PatternOptions) -> Result<(), PatternError> {
    if options.case == Case::Insensitive && !options.fixed {
        let classes: usize =
            sources.iter().map(|source| Survey::examine(source).wide_classes).sum();
        if classes > MAX_FOLDED_CLASSES {
            return Err(PatternError {
                message: format!(
                    "the pattern is too large: it ignores case and has {classes} classes of many \
                     characters, over the limit of {MAX_FOLDED_CLASSES}"
                ),
                hint: None,
                literal: None,
            });
        }
    }
    Ok(())
}

/// Resolves smart case for several patterns: they ignore case if they contain literal characters,
/// but no capital letters.
fn options_for(sources: &[&str], options: PatternOptions) -> PatternOptions {
    if options.case != Case::Smart {
        return options;
    }
    let survey = |source: &&str| {
        if options.fixed {
            (!source.is_empty(), source.chars().any(char::is_uppercase))
        } else {
            let survey = Survey::examine(source);
            (survey.has_literal, survey.has_capital)
        }
    };
    let found: Vec<(bool, bool)> = sources.iter().map(survey).collect();
    let has_literal = found.iter().any(|(has_literal, _)| *has_literal);
    let has_capital = found.iter().any(|(_, has_capital)| *has_capital);
    let case = if has_literal && !has_capital { Case::Insensitive } else { Case::Sensitive };
    PatternOptions { case, ..options }
}

fn parse(source: &str, options: PatternOptions) -> Result<Hir, PatternError> {
    let escaped;
    let pattern = if options.fixed {
        escaped = regex_syntax::escape(source);
        escaped.as_str()
    } else {
        source
    };
    let insensitive = options.case == Case::Insensitive;
    let hir = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .case_insensitive(insensitive)
        .build()
        .parse(pattern)
        .map_err(|error| PatternError {
            message: invalid_message(&error.to_string()),
            hint: None,
            literal: (!options.fixed).then(|| source.to_owned()),
        })?;
    let (before, after) = match (options.line, options.word) {
        (true, _) => (Look::StartLF, Look::EndLF),
        (false, true) => (Look::WordStartHalfUnicode, Look::WordEndHalfUnicode),
        (false, false) => return Ok(hir),
    };
    Ok(Hir::concat(vec![Hir::look(before), hir, Hir::look(after)]))
}

/// Formats the message for an invalid pattern, with the position marked.
fn invalid_message(error: &str) -> String {
    let mut lines: Vec<&str> = error.lines().collect();
    let why = lines.pop().unwrap_or_default();
    let why = why.strip_prefix("error: ").unwrap_or(why);
    let why = why
        .strip_prefix("look-around, including ")
        .map_or_else(|| why.to_owned(), |why| why.replace(", is not", " are not"));
    let shown = lines.get(1..).unwrap_or_default();
    let message = format!("the pattern is not valid: {why}");
    [&[message.as_str()][..], shown].concat().join("\n")
}

fn compile_regex(hir: &Hir) -> Result<meta::Regex, PatternError> {
    meta::Regex::builder()
        .configure(
            meta::Config::new()
                .utf8_empty(false)
                .nfa_size_limit(Some(SIZE_LIMIT))
                .hybrid_cache_capacity(AUTOMATON_LIMIT)
                .onepass(false),
        )
        .build_from_hir(hir)
        .map_err(|error| {
            let too_large = error.size_limit().is_some();
            PatternError {
                message: if too_large {
                    format!(
                        "the pattern is too large: it would take more than {} MiB",
                        SIZE_LIMIT >> 20
                    )
                } else {
                    error.to_string()
                },
                hint: too_large.then(|| "use smaller numbers in {…}".to_owned()),
                literal: None,
            }
        })
}

/// Properties of the syntax of a pattern.
#[derive(Default)]
struct Survey {
    /// Whether the pattern contains a literal character.
    has_literal: bool,
    /// Whether the pattern contains a literal capital letter. An escape such as `\S` does not
    /// count.
    has_capital: bool,
    /// The number of classes that take long to case-fold: Unicode properties and wide ranges.
    wide_classes: usize,
}

impl Survey {
    /// Examines a pattern. Returns the default properties if it is invalid.
    fn examine(pattern: &str) -> Self {
        let ast = ast::parse::Parser::new().parse(pattern);
        ast.ok().and_then(|ast| ast::visit(&ast, Self::default()).ok()).unwrap_or_default()
    }

    fn add_literal(&mut self, character: char) {
        self.has_literal = true;
        self.has_capital |= character.is_uppercase();
    }
}

impl ast::Visitor for Survey {
    type Output = Self;
    type Err = ();

    fn finish(self) -> Result<Self, ()> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
        match ast {
            Ast::Literal(literal) => self.add_literal(literal.c),
            Ast::ClassUnicode(_) => self.wide_classes += 1,
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ast::ClassSetItem) -> Result<(), ()> {
        match item {
            ast::ClassSetItem::Literal(literal) => self.add_literal(literal.c),
            ast::ClassSetItem::Range(range) => {
                let (first, last) = (range.start.c, range.end.c);
                self.add_literal(first);
                self.add_literal(last);
                self.wide_classes += usize::from(last as u32 - first as u32 > 1024);
            }
            ast::ClassSetItem::Unicode(_) | ast::ClassSetItem::Perl(_) => self.wide_classes += 1,
            _ => {}
        }
        Ok(())
    }
}

fn contains_line_feed(hir: &Hir) -> bool {
    has_part(hir, &|part| matches!(part, HirKind::Literal(text) if text.0.contains(&b'\n')))
}

/// Whether any of several patterns matches a carriage return explicitly, as `\r` does, but not `.`,
/// `\s` or `[^x]`.
///
/// # Errors
///
/// Fails if a pattern is invalid.
pub fn matches_return(sources: &[&str], options: PatternOptions) -> Result<bool, PatternError> {
    any_has_part(sources, options, &|part| match part {
        HirKind::Literal(literal) => literal.0.contains(&b'\r'),
        HirKind::Class(class) => {
            class_contains(class, b'\r')
                && ![b' ', b'\0'].iter().any(|&other| class_contains(class, other))
        }
        _ => false,
    })
}

/// Whether any of several patterns may match a text differently than its lines: it may match a line
/// feed, or refers to the start or end of the text.
///
/// # Errors
///
/// Fails if a pattern is invalid.
pub fn needs_whole_text(sources: &[&str], options: PatternOptions) -> Result<bool, PatternError> {
    any_has_part(sources, options, &|part| match part {
        HirKind::Literal(literal) => literal.0.contains(&b'\n'),
        HirKind::Class(class) => class_contains(class, b'\n'),
        HirKind::Look(look) => matches!(look, Look::Start | Look::End),
        _ => false,
    })
}

/// Whether a class contains an ASCII character.
fn class_contains(class: &Class, byte: u8) -> bool {
    match class {
        Class::Bytes(class) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&byte))
        }
        Class::Unicode(class) => {
            let wanted = char::from(byte);
            class.iter().any(|range| (range.start()..=range.end()).contains(&wanted))
        }
    }
}

fn any_has_part(
    sources: &[&str],
    options: PatternOptions,
    is_wanted: &impl Fn(&HirKind) -> bool,
) -> Result<bool, PatternError> {
    let options = options_for(sources, options);
    let found = sources.iter().map(|source| Ok(has_part(&parse(source, options)?, is_wanted)));
    Ok(found.collect::<Result<Vec<bool>, PatternError>>()?.contains(&true))
}

/// Whether a condition applies to a part of an expression.
fn has_part(hir: &Hir, is_wanted: &impl Fn(&HirKind) -> bool) -> bool {
    is_wanted(hir.kind()) || hir.kind().subs().iter().any(|sub| has_part(sub, is_wanted))
}

/// Adapts an expression to text of many lines: classes do not match line feeds, and a line may end
/// in `\r\n`. Because of the `\r`, the result may match more lines than [`Pattern`], but never
/// fewer.
fn for_blocks(hir: &Hir) -> Hir {
    replace_parts(hir, &|hir| match hir.kind() {
        HirKind::Look(Look::End | Look::EndLF) => Some(line_end(true)),
        HirKind::Look(Look::Start) => Some(Hir::look(Look::StartLF)),
        HirKind::Class(class) => Some(Hir::class(without_line_feed(class))),
        HirKind::Capture(capture) => Some(for_blocks(&capture.sub)),
        _ => None,
    })
}

/// Returns the expression with `$` also matching before `\r\n`.
fn with_line_ends(hir: &Hir) -> Hir {
    replace_parts(hir, &|hir| match hir.kind() {
        HirKind::Look(Look::EndLF) => Some(line_end(false)),
        _ => None,
    })
}

fn line_end(greedy: bool) -> Hir {
    Hir::concat(vec![optional_return(greedy), Hir::look(Look::EndLF)])
}

fn optional_return(greedy: bool) -> Hir {
    let sub = Box::new(Hir::literal(*b"\r"));
    Hir::repetition(Repetition { min: 0, max: Some(1), greedy, sub })
}

/// Replaces each part of an expression for which `replacement` returns an expression.
fn replace_parts(hir: &Hir, replacement: &impl Fn(&Hir) -> Option<Hir>) -> Hir {
    if let Some(replaced) = replacement(hir) {
        return replaced;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) | HirKind::Class(_) => hir.clone(),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(replace_parts(&repetition.sub, replacement)),
            ..repetition.clone()
        }),
        HirKind::Capture(capture) => Hir::capture(Capture {
            sub: Box::new(replace_parts(&capture.sub, replacement)),
            ..capture.clone()
        }),
        HirKind::Concat(parts) => {
            Hir::concat(parts.iter().map(|hir| replace_parts(hir, replacement)).collect())
        }
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.iter().map(|hir| replace_parts(hir, replacement)).collect())
        }
    }
}

fn without_line_feed(class: &Class) -> Class {
    let mut class = class.clone();
    match &mut class {
        Class::Unicode(set) => {
            let mut line_feed = regex_syntax::hir::ClassUnicode::empty();
            line_feed.push(ClassUnicodeRange::new('\n', '\n'));
            set.difference(&line_feed);
        }
        Class::Bytes(set) => {
            let mut line_feed = regex_syntax::hir::ClassBytes::empty();
            line_feed.push(ClassBytesRange::new(b'\n', b'\n'));
            set.difference(&line_feed);
        }
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_literal_is_found_where_the_regular_expression_finds_it() {
        let text = format!("{}ca", "ab".repeat(200));
        let line = format!("{}{text}, {text}", "ab".repeat(1000));
        let block = format!("# A\n\n{line}\r\nb\n{line}\n");
        check(&text, &block, &[&line, &line]);
        let pattern = Pattern::new(&text, PatternOptions::default()).expect("a pattern");
        assert!(pattern.long_literal().is_some());
        let regex: Vec<_> = pattern.line.find_iter(&line).map(|found| found.range()).collect();
        assert_eq!(pattern.find_all(line.as_bytes()).collect::<Vec<_>>(), regex);
        assert_eq!((pattern.find(line.as_bytes()), regex.len()), (regex.first().cloned(), 2));
        let folded = PatternOptions { case: Case::Insensitive, ..PatternOptions::default() };
        assert!(Pattern::new(&text, folded).expect("a pattern").long_literal().is_none());
    }

    #[track_caller]
    fn check(pattern: &str, block: &str, expected: &[&str]) {
        check_with(pattern, PatternOptions::default(), block, expected);
    }

    #[track_caller]
    fn check_with(pattern: &str, options: PatternOptions, block: &str, expected: &[&str]) {
        let pattern = Pattern::new(pattern, options).expect("a pattern");
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(line) = pattern.next_line(block.as_bytes(), at) {
            found.push(block[line.clone()].trim_end_matches(['\r', '\n']));
            at = line.end;
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn groups_are_filled_in() {
        let pattern = Pattern::new(r"(\w+)=(?<value>\w+)", PatternOptions::default()).expect("one");
        assert_eq!(pattern.expand(b"x a=b c=d", 6, b"${value}=$1, $$1"), b"d=c, $1");
        assert_eq!(pattern.unknown_group(b"$1 ${value} $0 $$9"), None);
        assert_eq!(pattern.unknown_group(b"$3"), Some("3".to_owned()));
        assert_eq!(pattern.unknown_group(b"${nam}"), Some("nam".to_owned()));
    }

    #[test]
    fn lines_are_matched_one_by_one() {
        check("^b", "a\nb\nab\nbc", &["b", "bc"]);
        check("b$", "a\nb\r\nab\nbc", &["b", "ab"]);
        check("^$", "a\r\n\r\n\nb\n", &["", ""]);
        check(r"a\s+b", "a\nb\na b\n", &["a b"]);
        check(r"x.$", "x\r\nxy\r\n", &["xy"]);
        check(r"\r$", "x\r\ny\n", &[]);
        check("a$", "a\rb\n", &[]);
        check(r"\Aa", "b\na\n", &["a"]);
        check("(?-u:\\xff)", "a\nb", &[]);
        check("", "a\n\nb", &["a", "", "b"]);
        check("[^x]*", "", &[]);
    }

    #[test]
    fn options_change_what_matches() {
        let word = PatternOptions { word: true, ..Default::default() };
        check_with("foo", word, "foobar\nfoo bar\n", &["foo bar"]);
        let line = PatternOptions { line: true, ..Default::default() };
        check_with("foo|bar", line, "foo\r\nfoo bar\nbar", &["foo", "bar"]);
        let fixed = PatternOptions { fixed: true, ..Default::default() };
        check_with("a.c", fixed, "abc\na.c\n", &["a.c"]);
        let smart = PatternOptions { case: Case::Smart, ..Default::default() };
        check_with("foo", smart, "FOO\n", &["FOO"]);
        check_with("Foo", smart, "FOO\nFoo\n", &["Foo"]);
        check_with(r"foo\S", smart, "FOO1\n", &["FOO1"]);
        check_with(r"\p{Lu}[[:upper:]]", smart, "ab\nAB\n", &["AB"]);
        check_with("[A]b", smart, "ab\nAb\n", &["Ab"]);
        check_with("[A-z]b", smart, "aB\nAb\n", &["Ab"]);
        check_with("[a-b]c", smart, "BC\n", &["BC"]);
    }

    #[test]
    fn options_can_be_part_of_the_expression() {
        for options in [
            PatternOptions { fixed: true, case: Case::Insensitive, ..Default::default() },
            PatternOptions { word: true, case: Case::Smart, ..Default::default() },
            PatternOptions { line: true, ..Default::default() },
        ] {
            let pattern = Pattern::new("a.c", options).expect("a pattern");
            assert_eq!(pattern.ignores_case(), options.case != Case::Sensitive);
            let case = if pattern.ignores_case() { Case::Insensitive } else { Case::Sensitive };
            let same = PatternOptions { case, ..Default::default() };
            let same = Pattern::new(pattern.expression(), same).expect("a pattern");
            for line in ["a.c", "A.C", "abc", "xa.c", "x a.c"] {
                assert_eq!(pattern.is_match(line.as_bytes()), same.is_match(line.as_bytes()));
            }
        }
    }

    #[test]
    fn an_invalid_pattern_shows_the_position() {
        let error = Pattern::new("a(b", PatternOptions::default()).expect_err("unclosed");
        assert!(
            error.message.contains('^') && error.message.contains("unclosed group"),
            "{error:?}"
        );
        let error = Pattern::new(r"\w{1000}{1000}", PatternOptions::default()).expect_err("large");
        assert!(error.message.contains("more than 10 MiB"), "{error:?}");
        assert!(Pattern::new("a\\nb", PatternOptions::default()).is_err());
    }

    #[test]
    fn wide_classes_that_ignore_case_are_counted() {
        assert_eq!(Survey::examine(r"\w\p{L}[a-z\d][\x{0}-\x{ffff}]").wide_classes, 3);
        let insensitive = PatternOptions { case: Case::Insensitive, ..PatternOptions::default() };
        let source = r"[\p{L}é]".repeat(MAX_FOLDED_CLASSES + 1);
        let error = Pattern::new(&source, insensitive).expect_err("too many classes");
        assert!(error.message.contains("501 classes"), "{}", error.message);
        assert_eq!(lines_expression(&[&source], insensitive), Err(error));
    }
}
