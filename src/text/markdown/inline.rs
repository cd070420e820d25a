//! The text of a heading as a reader sees it: markup taken away, references
//! resolved by the document's definitions. pulldown-cmark does the inline
//! phase, and only where there is markup.

use std::borrow::Cow;

use pulldown_cmark::{BrokenLink, CowStr, Event, Options, Parser};

/// A heading's source text, with its attribute block taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadingSource<'a> {
    /// The text before `{#id}`.
    pub text: &'a str,
    /// The id in `{#id}`.
    pub id: Option<&'a str>,
}

/// Parts a heading's text from a `{#id …}` at its end.
pub fn split_attributes(source: &str) -> HeadingSource<'_> {
    let whole = HeadingSource { text: source, id: None };
    let Some(inner) = source.strip_suffix('}') else {
        return whole;
    };
    let Some(open) = inner.rfind('{') else {
        return whole;
    };
    let (before, attributes) = (&source[..open], &inner[open + 1..]);
    if before.ends_with('\\') {
        return whole;
    }
    // kramdown's `{: #id}` and Docusaurus' `{/* #id */}` say the same.
    let attributes = attributes.strip_prefix(':').unwrap_or(attributes);
    let attributes = attributes
        .strip_prefix("/*")
        .and_then(|rest| rest.strip_suffix("*/"))
        .unwrap_or(attributes);
    let mut words = attributes.split_ascii_whitespace();
    let Some(id) = words.next().and_then(|word| word.strip_prefix('#')) else {
        return whole;
    };
    let plain = |word: &str| !word.contains(['{', '}', '"', '<', '`']);
    if id.is_empty() || !plain(id) {
        return whole;
    }
    HeadingSource { text: before.trim_end_matches(WHITE_SPACE), id: Some(id) }
}

/// What the specification trims; a no-break space is text.
const WHITE_SPACE: [char; 6] = [' ', '\t', '\n', '\r', '\u{b}', '\u{c}'];

/// Whether the text may be other than its source: it holds a byte that can
/// begin markup.
fn may_hold_markup(source: &str) -> bool {
    let bytes = source.as_bytes();
    bytes.iter().enumerate().any(|(at, &byte)| match byte {
        b'`' | b'*' | b'[' | b'<' | b'\\' | b'\n' | b'\r' => true,
        b'&' => bytes[at..].contains(&b';'),
        // Between letters or digits an underscore is never emphasis.
        b'_' => {
            let word = |index: Option<usize>| {
                index.and_then(|index| bytes.get(index)).is_some_and(u8::is_ascii_alphanumeric)
            };
            !(word(at.checked_sub(1)) && word(Some(at + 1)))
        }
        _ => false,
    })
}

/// Whether the text holds a bracket, and so perhaps a reference that needs the
/// document's definitions.
pub fn may_hold_reference(source: &str) -> bool {
    source.contains('[')
}

/// A heading's text as rendered. `is_defined` is asked for labels as written.
pub fn render<'a>(source: &'a str, is_defined: &dyn Fn(&str) -> bool) -> Cow<'a, str> {
    if !may_hold_markup(source) {
        return Cow::Borrowed(source);
    }
    if let Some(text) = render_code_spans(source) {
        return Cow::Owned(text);
    }
    // Made an ATX heading, nothing in it can begin another block; the closing
    // mark keeps a `#` that ends the text.
    let document = format!("# {} #", one_line(source));
    let mut resolve = |link: BrokenLink<'_>| {
        is_defined(&link.reference).then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
    };
    let parser =
        Parser::new_with_broken_link_callback(&document, Options::empty(), Some(&mut resolve));
    let mut text = String::with_capacity(source.len());
    for event in parser {
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    let trimmed = text.trim_matches(WHITE_SPACE);
    if trimmed.len() != text.len() {
        text = trimmed.to_owned();
    }
    Cow::Owned(text)
}

/// The language of a fence's info string: its first word, with escapes and
/// entities resolved.
pub fn info_language(info: &[u8]) -> Option<String> {
    let info = String::from_utf8_lossy(info);
    let word = info.split([' ', '\t', '\u{b}', '\u{c}']).next().filter(|word| !word.is_empty())?;
    if !word.contains(['\\', '&']) {
        return Some(word.to_owned());
    }
    // A fence of our own resolves them as the specification says.
    let document = format!("~~~ {info}\n~~~");
    let resolved = Parser::new(&document).find_map(|event| match event {
        Event::Start(pulldown_cmark::Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Fenced(
            info,
        ))) => info.split_ascii_whitespace().next().map(str::to_owned),
        _ => None,
    });
    resolved.or_else(|| Some(word.to_owned()))
}

/// Renders what holds code spans of one backtick each and no other markup: the
/// commonest case by far, and needs no parser.
fn render_code_spans(source: &str) -> Option<String> {
    if source.contains("``") {
        return None;
    }
    let mut parts = source.split('`');
    let mut text = String::with_capacity(source.len());
    let mut inside = false;
    let mut pieces = 0;
    for part in parts.by_ref() {
        pieces += 1;
        if inside {
            if part.contains(['\n', '\r']) {
                return None;
            }
            let blank = part.bytes().all(|byte| byte == b' ');
            let stripped = part.strip_prefix(' ').and_then(|rest| rest.strip_suffix(' '));
            text.push_str(match stripped {
                Some(stripped) if !blank => stripped,
                _ => part,
            });
        } else {
            if may_hold_markup(part) || part.contains(['_', '&']) {
                return None;
            }
            text.push_str(part);
        }
        inside = !inside;
    }
    // An even number of backticks makes an odd number of pieces.
    (pieces % 2 == 1).then(|| text.trim_matches(WHITE_SPACE).to_owned())
}

/// The lines of a setext heading as one; a hard break is a space too.
fn one_line(source: &str) -> Cow<'_, str> {
    if !source.contains('\n') {
        return Cow::Borrowed(source);
    }
    let mut joined = String::with_capacity(source.len());
    for line in source.lines() {
        let line = line.trim_matches(WHITE_SPACE);
        if !joined.is_empty() {
            joined.push(' ');
        }
        let slashes = line.len() - line.trim_end_matches('\\').len();
        joined.push_str(if slashes % 2 == 1 { &line[..line.len() - 1] } else { line });
    }
    Cow::Owned(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(render(source, &|label| label == "known"), expected);
    }

    #[test]
    fn markup_is_taken_away() {
        check("plain", "plain");
        check("`code` and *more* __here__", "code and more here");
        check("`` a`b ``", "a`b");
        check("`a` `b c`", "a b c");
        check("` a `", "a");
        check("[text](url \"title\")", "text");
        check("![alt](image.png)", "alt");
        check("a <a id=\"x\"></a>", "a");
        check("C\\# &amp; D", "C# & D");
        check("C#", "C#");
        check("ends in #", "ends in #");
        check("snake_case_name", "snake_case_name");
        check("- not a list", "- not a list");
        check("one\ntwo  \nthree\\\nfour", "one two three four");
        check("`a`_b_ c_`d`", "ab c_d");
    }

    #[test]
    fn references_need_their_definition() {
        check("[known]", "known");
        check("[text][known]", "text");
        check("[unknown]", "[unknown]");
        check("[1.0.0] - 2020", "[1.0.0] - 2020");
    }

    #[test]
    fn attributes_are_parted_from_the_text() {
        let part = |source| {
            let parts = split_attributes(source);
            (parts.text, parts.id)
        };
        assert_eq!(part("Title {#id}"), ("Title", Some("id")));
        assert_eq!(part("Title {#id .class k=v}"), ("Title", Some("id")));
        assert_eq!(part("Title {/* #id */}"), ("Title", Some("id")));
        assert_eq!(part("Title {id}"), ("Title {id}", None));
        assert_eq!(part("Title {{#if}}"), ("Title {{#if}}", None));
        assert_eq!(part("{}"), ("{}", None));
    }
}
