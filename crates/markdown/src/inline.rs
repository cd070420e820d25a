//! Renders the text of a heading as a reader sees it: without markup, and with references resolved
//! from the definitions in the document. pulldown-cmark parses text that may contain markup.

use std::borrow::Cow;

use pulldown_cmark::{BrokenLink, CowStr, Event, Options, Parser, Tag, TagEnd};

use super::html;

/// The source of a heading, without its attribute block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadingSource<'a> {
    /// The text before the attribute block.
    pub text: &'a str,
    /// The id in the attribute block: `install` in `{#install}`.
    pub id: Option<&'a str>,
}

/// Splits an attribute block such as `{#id …}` from the end of a heading's text.
pub fn split_attributes(source: &str) -> HeadingSource<'_> {
    let without_id = HeadingSource { text: source, id: None };
    let Some(inner) = source.strip_suffix('}') else {
        return without_id;
    };
    let Some(open) = inner.rfind('{') else {
        return without_id;
    };
    let (before, attributes) = (&source[..open], &inner[open + 1..]);
    if before.ends_with('\\') {
        return without_id;
    }
    // kramdown's `{: #id}`, Docusaurus' `{/* #id */}` and the React documentation's `{/*id*/}` have
    // the same meaning.
    let attributes = attributes.strip_prefix(':').unwrap_or(attributes);
    let comment = attributes.strip_prefix("/*").and_then(|rest| rest.strip_suffix("*/"));
    let mut words = comment.unwrap_or(attributes).split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    let is_id = comment.is_some() && words.next().is_none();
    let Some(id) = first.strip_prefix('#').or(is_id.then_some(first)) else { return without_id };
    let is_plain_word = |word: &str| !word.contains(['{', '}', '"', '<', '`']);
    if id.is_empty() || !is_plain_word(id) {
        return without_id;
    }
    HeadingSource { text: before.trim_end_matches(WHITE_SPACE), id: Some(id) }
}

/// Removes an attribute list that does not begin with an id, such as `{.class}`, from the end of a
/// heading's text. GitHub shows it as text, but several site generators do not.
pub fn without_attributes(source: &str) -> &str {
    let list = source.strip_suffix('}').and_then(|rest| rest.rsplit_once('{'));
    let Some((before, list)) = list.filter(|(before, _)| !before.ends_with(['\\', '{'])) else {
        return source;
    };
    let list = list.strip_prefix(':').unwrap_or(list);
    let first = list.split_ascii_whitespace().next().unwrap_or_default();
    let is_class = first.len() > 1 && first.starts_with('.');
    let is_attribute = is_class || first.split_once('=').is_some_and(|(name, _)| !name.is_empty());
    if is_attribute && !list.contains(['}', '`']) && !before.trim().is_empty() {
        before.trim_end_matches(WHITE_SPACE)
    } else {
        source
    }
}

/// Whether a name is the same when rendered, because it contains neither markup nor attributes.
/// This applies to most names, and is the fastest check.
pub fn is_plain(name: &[u8]) -> bool {
    !name.iter().any(|&byte| MARKUP[byte as usize] || byte == b'}')
}

/// The characters that the specification trims. They do not include the no-break space.
const WHITE_SPACE: [char; 6] = [' ', '\t', '\n', '\r', '\u{b}', '\u{c}'];

/// Whether the source contains a byte that can begin markup.
fn may_hold_markup(source: &str) -> bool {
    let bytes = source.as_bytes();
    bytes.iter().enumerate().any(|(at, &byte)| {
        MARKUP[byte as usize]
            && match byte {
                b'`' | b'*' | b'[' | b'<' | b'\\' | b'\n' | b'\r' | 0 => true,
                b'&' => may_be_entity(&bytes[at..]),
                // An underscore between letters or digits is never emphasis.
                b'_' => {
                    let is_word_byte = |index: Option<usize>| {
                        index
                            .and_then(|index| bytes.get(index))
                            .is_some_and(u8::is_ascii_alphanumeric)
                    };
                    !(is_word_byte(at.checked_sub(1)) && is_word_byte(Some(at + 1)))
                }
                _ => false,
            }
    })
}

/// Renders the text of a heading. `is_defined` returns whether a label, as written in the source,
/// is defined.
pub fn render<'a>(source: &'a str, is_defined: &dyn Fn(&str) -> bool) -> Cow<'a, str> {
    match render_source(join_lines(source, ' '), true, is_defined) {
        Cow::Borrowed(text) => Cow::Borrowed(trim_blank(text)),
        Cow::Owned(text) => match trim_blank(&text) {
            trimmed if trimmed.len() == text.len() => Cow::Owned(text),
            trimmed => Cow::Owned(trimmed.to_owned()),
        },
    }
}

/// Renders the text from which GitHub derives the anchor of a heading. Unlike the displayed text,
/// it includes the blanks next to markup, and excludes the descriptions of images.
pub fn render_for_anchor<'a>(source: &'a str, is_defined: &dyn Fn(&str) -> bool) -> Cow<'a, str> {
    // For the parser, a form feed is whitespace. Like a line feed, it is dropped from a slug.
    render_source(join_lines(source, '\x0c'), false, is_defined)
}

/// Maximum length in bytes of a heading that is rendered. The text of a longer one is its source,
/// because the parser takes about 100 times the memory of text that consists of markup.
const MAX_RENDERED: usize = 64 << 10;

fn render_source<'a>(
    source: Cow<'a, str>,
    with_images: bool,
    is_defined: &dyn Fn(&str) -> bool,
) -> Cow<'a, str> {
    if source.len() > MAX_RENDERED || !may_hold_markup(&source) {
        return source;
    }
    let simple = render_simple(&source, is_defined);
    Cow::Owned(simple.unwrap_or_else(|| render_with_parser(&source, with_images, is_defined)))
}

/// Renders a line that may contain any markup. `with_images` includes the descriptions of images.
fn render_with_parser(
    source: &str,
    with_images: bool,
    is_defined: &dyn Fn(&str) -> bool,
) -> String {
    // In an ATX heading, the text cannot begin another block. The closing mark preserves a `#` at
    // the end of the text.
    let document = format!("# {source} #");
    let mut resolve = |link: BrokenLink<'_>| {
        is_defined(&link.reference).then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
    };
    let parser =
        Parser::new_with_broken_link_callback(&document, Options::empty(), Some(&mut resolve));
    let mut text = String::with_capacity(source.len());
    let mut images = 0;
    for event in parser {
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            _ if images > 0 && !with_images => {}
            Event::Text(part) | Event::Code(part) => text.push_str(&part),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            _ => {}
        }
    }
    // The parser does not replace all NUL bytes.
    text.replace('\0', "\u{fffd}")
}

/// Returns the language in the info string of a fence. It is the first word without the options
/// that some programs append, as in `rust,ignore`, `ts:src/x.ts` and `js{1,3}`. In braces, it is the
/// first word or class, as in `{r, echo=FALSE}` and `{#id .python}`, unless this is a directive for
/// code, as in `{code-block} python`.
pub fn info_language(info: &[u8]) -> Option<String> {
    const DIRECTIVES: [&str; 4] = ["code", "code-block", "code-cell", "sourcecode"];
    let info = String::from_utf8_lossy(info);
    let info = resolved_info(info.trim_matches(WHITE_SPACE));
    let word = info.split(WHITE_SPACE).next().filter(|word| !word.is_empty())?;
    let Some((attributes, rest)) = info.trim_start_matches('{').split_once('}') else {
        return Some(without_options(word).to_owned());
    };
    if !info.starts_with('{') {
        return Some(without_options(word).to_owned());
    }
    let is_name = |word: &&str| !word.is_empty() && !word.contains(['#', '=']);
    let named = attributes.split([' ', '\t', ',']).find(is_name);
    let next = rest.split(WHITE_SPACE).find(|word| !word.is_empty());
    let language = match (named, next) {
        (Some(directive), Some(language)) if DIRECTIVES.contains(&directive) => language,
        (Some(name), _) => name.trim_start_matches('.'),
        (None, _) => word,
    };
    Some(language.to_owned())
}

/// Returns the first word of an info string without options.
fn without_options(word: &str) -> &str {
    let is_option = |at: &usize| match word.as_bytes()[*at] {
        b',' | b'{' => true,
        // `12:15:src/x.ts` does not begin with a language.
        b':' => word.starts_with(|first: char| first.is_alphabetic()),
        _ => false,
    };
    let end = (1..word.len()).find(is_option).unwrap_or(word.len());
    &word[..end]
}

/// Resolves escapes and entities in an info string.
fn resolved_info(info: &str) -> Cow<'_, str> {
    if !info.contains(['\\', '&']) {
        return Cow::Borrowed(info);
    }
    // The parser resolves escapes and entities in a generated fence.
    let document = format!("~~~ {info}\n~~~");
    let resolved = Parser::new(&document).find_map(|event| match event {
        Event::Start(Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Fenced(info))) => {
            Some(info.trim().to_owned())
        }
        _ => None,
    });
    Cow::Owned(resolved.unwrap_or_else(|| info.to_owned()))
}

/// Renders the most common markup: code spans, escapes, tags, links, and emphasis around plain
/// text. Returns `None` if the text needs the complete parser.
fn render_simple(source: &str, is_defined: &dyn Fn(&str) -> bool) -> Option<String> {
    // Looking ahead takes quadratic time, so the parser handles long texts.
    const LIMIT: usize = 1024;
    if source.len() > LIMIT {
        return None;
    }
    let bytes = source.as_bytes();
    let marks_are_text = !may_emphasize(bytes);
    let links = bytes.contains(&b'[') && (source.contains("](") || source.contains("]["));
    let mut text = String::with_capacity(source.len());
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if !MARKUP[byte as usize] {
            at += 1;
            continue;
        }
        text.push_str(&source[copied..at]);
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        let follows_text =
            at > 0 && !(bytes[at - 1] == b' ' || bytes[at - 1].is_ascii_punctuation());
        let length = match byte {
            b'`' => push_code_span(&source[at..], &mut text)?,
            b'\\' if next.is_ascii_punctuation() => {
                text.push(next as char);
                2
            }
            b'[' if links => push_link(&source[at..], is_defined, &mut text)?,
            b'[' if inner_label(&source[at..]).is_some_and(is_defined) => return None,
            b'<' => match tag_length(&bytes[at..]) {
                Some(length) => length,
                None if may_be_autolink(&bytes[at..]) => return None,
                None => push_mark(byte, &mut text),
            },
            b'*' | b'_' if !marks_are_text => {
                if follows_text {
                    return None;
                }
                push_emphasis(&source[at..], &mut text)?
            }
            b'&' if may_be_entity(&bytes[at..]) => return None,
            b'!' if next == b'[' && links => return None,
            b'\\' | b'*' | b'_' | b'&' | b'!' | b'[' => push_mark(byte, &mut text),
            // The specification requires this replacement, and a terminal must not receive a raw
            // NUL.
            0 => {
                text.push('\u{fffd}');
                1
            }
            _ => return None,
        };
        at += length;
        copied = at;
    }
    text.push_str(&source[copied..]);
    Some(text)
}

/// Appends a mark that has no special meaning, and returns its length.
fn push_mark(mark: u8, text: &mut String) -> usize {
    text.push(mark as char);
    1
}

/// Whether a run of `*` or `_` may close emphasis, which depends on the characters around it.
/// Returns `true` if these characters are not ASCII.
fn may_emphasize(bytes: &[u8]) -> bool {
    let mut opened = false;
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'*', b'_', &bytes[at..]) {
        let start = at + found;
        let mark = bytes[start];
        let run = bytes[start..].iter().take_while(|&&byte| byte == mark).count();
        at = start + run;
        let before = start.checked_sub(1).map_or(b' ', |index| bytes[index]);
        let after = bytes.get(at).copied().unwrap_or(b' ');
        if !before.is_ascii() || !after.is_ascii() {
            return true;
        }
        let (is_blank, is_punctuation) = (u8::is_ascii_whitespace, u8::is_ascii_punctuation);
        let opens = !is_blank(&after)
            && (!is_punctuation(&after) || is_blank(&before) || is_punctuation(&before));
        let closes = !is_blank(&before)
            && (!is_punctuation(&before) || is_blank(&after) || is_punctuation(&after));
        let inside_word = mark == b'_' && opens && closes;
        if opened && closes && (!inside_word || is_punctuation(&after)) {
            return true;
        }
        opened |= opens && (!inside_word || is_punctuation(&before));
    }
    false
}

/// Returns the text between the bracket at the start of `source` and the next bracket. Returns
/// `None` if the next bracket does not close the first one.
fn inner_label(source: &str) -> Option<&str> {
    let end = 1 + memchr::memchr2(b'[', b']', &source.as_bytes()[1..])?;
    (source.as_bytes()[end] == b']').then(|| &source[1..end])
}

/// Whether `text`, which begins with a `<` that does not begin a tag, may be an autolink, a comment
/// or similar.
fn may_be_autolink(text: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'>', text) else { return false };
    let inner = &text[1..end];
    matches!(inner.first(), Some(b'!' | b'?')) || memchr::memchr2(b':', b'@', inner).is_some()
}

/// Whether `text`, which begins with `&`, may begin with an entity.
fn may_be_entity(text: &[u8]) -> bool {
    let name = text[1..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#');
    let length = name.count();
    length > 0 && text.get(1 + length) == Some(&b';')
}

/// Bytes that may begin markup.
const MARKUP: [bool; 256] = {
    let mut table = [false; 256];
    let special = b"`*[<\\\n\r&_!\0";
    let mut index = 0;
    while index < special.len() {
        table[special[index] as usize] = true;
        index += 1;
    }
    table
};

/// Returns the length of the HTML tag at the start of `text`.
fn tag_length(text: &[u8]) -> Option<usize> {
    let length = match text.get(1)? {
        b'/' => 2 + html::closing_tag(&text[2..])?,
        b'a'..=b'z' | b'A'..=b'Z' => 1 + html::opening_tag(&text[1..])?,
        _ => return None,
    };
    Some(length)
}

/// Appends the text of the emphasis at the start of `source`, if it is plain text between two equal
/// runs of `*` or `_` that are unambiguous.
fn push_emphasis(source: &str, text: &mut String) -> Option<usize> {
    let bytes = source.as_bytes();
    let mark = bytes[0];
    let run = bytes.iter().take_while(|&&byte| byte == mark).count();
    let inner = bytes[run..].iter().take_while(|&&byte| !MARKUP[byte as usize] && byte != b']');
    let close = run + inner.count();
    let closing = bytes[close..].iter().take_while(|&&byte| byte == mark).count();
    let (first, last) = (bytes.get(run)?, bytes.get(close.checked_sub(1)?)?);
    let after = bytes.get(close + closing);
    let ends_emphasis = after.is_none_or(|byte| {
        *byte == b' ' || (byte.is_ascii_punctuation() && *byte != b'_' && *byte != b'*')
    });
    let is_plain = first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() && ends_emphasis;
    (is_plain && closing == run && run <= 3).then(|| {
        text.push_str(&source[run..close]);
        close + closing
    })
}

/// Appends the contents of the code span at the start of `source`, and returns the length of the
/// span.
fn push_code_span(source: &str, text: &mut String) -> Option<usize> {
    let run = source.bytes().take_while(|&byte| byte == b'`').count();
    let body = &source[run..];
    let mut from = 0;
    let end = loop {
        let at = from + memchr::memchr(b'`', &body.as_bytes()[from..])?;
        let closing = body[at..].bytes().take_while(|&byte| byte == b'`').count();
        if closing == run {
            break at;
        }
        from = at + closing;
    };
    let content = &body[..end];
    if content.contains(['\n', '\r', '\0']) {
        return None;
    }
    let inner = content.strip_prefix(' ').and_then(|rest| rest.strip_suffix(' '));
    let blank = content.bytes().all(|byte| byte == b' ');
    text.push_str(if blank { content } else { inner.unwrap_or(content) });
    Some(run + end + run)
}

/// Appends the text of the link or bracketed text at the start of `source`, and returns the length
/// of the source.
fn push_link(source: &str, is_defined: &dyn Fn(&str) -> bool, text: &mut String) -> Option<usize> {
    let bytes = source.as_bytes();
    let mut shown = String::new();
    let mut close = 1;
    loop {
        let is_plain_byte = |byte: &u8| !MARKUP[*byte as usize] && !matches!(byte, b'[' | b']');
        let length = bytes[close..].iter().take_while(|byte| is_plain_byte(byte)).count();
        shown.push_str(&source[close..close + length]);
        close += length;
        match bytes.get(close)? {
            b']' => break,
            b'`' => close += push_code_span(&source[close..], &mut shown)?,
            _ => return None,
        }
    }
    let label = &source[1..close];
    match bytes.get(close + 1) {
        Some(b'(') => {
            let is_destination_byte = |byte: &u8| {
                !byte.is_ascii_whitespace() && !matches!(byte, b'(' | b')' | b'<' | b'\\' | b'`')
            };
            let from = close + 2;
            let length = bytes[from..].iter().take_while(|byte| is_destination_byte(byte)).count();
            (bytes.get(from + length) == Some(&b')')).then(|| {
                text.push_str(&shown);
                from + length + 1
            })
        }
        Some(b'[') => None,
        _ => {
            if label.len() <= 999 && is_defined(label) {
                text.push_str(&shown);
            } else {
                text.push('[');
                text.push_str(&shown);
                text.push(']');
            }
            Some(close + 1)
        }
    }
}

/// Joins the lines of a setext heading with `separator`. Also replaces hard line breaks.
fn join_lines(source: &str, separator: char) -> Cow<'_, str> {
    let bytes = source.as_bytes();
    let mut line_ends = memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]).peekable();
    if line_ends.peek() == Some(&bytes.len()) {
        return Cow::Borrowed(source);
    }
    let mut joined = String::with_capacity(source.len());
    let mut from = 0;
    for end in line_ends {
        let line = trim_blank(&source[from..end]);
        from = end + 1;
        if !joined.is_empty() {
            joined.push(separator);
        }
        let slashes = line.bytes().rev().take_while(|&byte| byte == b'\\').count();
        let ends_in_break = slashes % 2 == 1 && end < bytes.len();
        joined.push_str(if ends_in_break { &line[..line.len() - 1] } else { line });
    }
    Cow::Owned(joined)
}

fn trim_blank(text: &str) -> &str {
    let is_text = |byte: u8| !WHITE_SPACE.contains(&char::from(byte));
    let start = text.bytes().position(is_text).unwrap_or(text.len());
    let end = text.bytes().rposition(is_text).map_or(start, |last| last + 1);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        assert_eq!(render(source, &|label| label == "known"), expected);
    }

    #[test]
    fn plain_names_do_not_change() {
        for name in ["a > b", "Größe – 中文", "x: {y"] {
            assert!(is_plain(name.as_bytes()), "{name}");
            check(name, name);
        }
        for name in ["`b`", "a {#b}", "a_b", "a\nb"] {
            assert!(!is_plain(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn an_extremely_long_heading_is_not_rendered() {
        let text = "*a* ".repeat(MAX_RENDERED / 4);
        assert_eq!(render(text.trim_end(), &|_| false).len(), MAX_RENDERED / 2 - 1);
        let long = format!("{text}*b*");
        assert_eq!(render(&long, &|_| false), long);
    }

    #[test]
    fn markup_is_removed() {
        check("plain", "plain");
        check("he\0ad \0", "he\u{fffd}ad \u{fffd}");
        check("a `b\0`", "a b\u{fffd}");
        check("a\0\\& &amp;", "a\u{fffd}& &");
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
        check("[`a`](b) [`c d`](e)", "a c d");
        check("**a b** _c_ ***d***", "a b c d");
        check("**a *b* c**", "a b c");
        check("*a *b", "*a *b");
        check("a <kbd>b</kbd> <br/>", "a b");
        check("_FOO_BAR structure", "_FOO_BAR structure");
        check("Refs {/*refs-and-dom*/}", "Refs {/refs-and-dom/}");
        check("<forward_list> x & y &amp; z", "<forward_list> x & y & z");
        check("[\"a [b]\", \"c\"] [known] [d]", "[\"a [b]\", \"c\"] known [d]");
        check("a ![b] c", "a ![b] c");
        check("<https://x.y> < z", "https://x.y < z");
    }

    #[test]
    fn simple_markup_is_rendered_like_in_the_parser() {
        let parts = [
            "a", "b ", " ", "*", "**", "_", "`", "``", "[", "]", "[known]", "](u)", "(", ")", "\\",
            "&", "amp;", "<b>", "</b>", "<", ">", "!", "#", "é", ".", ":", "@", "\0",
        ];
        // A deterministic generator, so that failures can be reproduced.
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |most: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % most as u64) as usize
        };
        let is_defined = |label: &str| label == "known";
        for _ in 0..20_000 {
            let source: String = (0..random(9)).map(|_| parts[random(parts.len())]).collect();
            let source = source.trim();
            let parsed = render_with_parser(source, true, &is_defined);
            assert_eq!(render(source, &is_defined), parsed.trim_matches(WHITE_SPACE), "{source:?}");
            let parsed = render_with_parser(source, false, &is_defined);
            assert_eq!(render_for_anchor(source, &is_defined), parsed, "{source:?}");
        }
    }

    #[test]
    fn descriptions_of_images_are_not_part_of_anchors() {
        let anchor = |source| render_for_anchor(source, &|label| label == "known");
        assert_eq!(anchor("![x](i.png) Title"), " Title");
        assert_eq!(anchor("Hello ![b *c*](i.png)"), "Hello ");
        assert_eq!(anchor("a ![known] ![d] [![e](f)g](h)"), "a  ![d] g");
    }

    #[test]
    fn languages_are_first_words() {
        let language = |info: &str| info_language(info.as_bytes());
        assert_eq!(language("sh -x").as_deref(), Some("sh"));
        assert_eq!(language(" \t"), None);
        assert_eq!(language(r"c\# x").as_deref(), Some("c#"));
        assert_eq!(language("a&amp;b").as_deref(), Some("a&b"));
        for (info, expected) in [
            ("{.python}", "python"),
            (" {.python .numberLines}", "python"),
            ("{ #id .hs startFrom=\"1\" }", "hs"),
            ("{r, echo=FALSE}", "r"),
            ("{r}", "r"),
            ("{{python}}", "python"),
            ("{code-block} python", "python"),
            ("{code-cell} ipython3", "ipython3"),
            ("{note} A title", "note"),
            ("{=html}", "{=html}"),
            ("{python", "{python"),
            ("ts:src/x.ts", "ts"),
            ("12:15:src/x.ts", "12:15:src/x.ts"),
            ("js{1,3}", "js"),
            ("js {1,3}", "js"),
            ("rust,ignore", "rust"),
            ("c++", "c++"),
            ("objective-c", "objective-c"),
            (",", ","),
        ] {
            assert_eq!(language(info).as_deref(), Some(expected), "{info}");
        }
    }

    #[test]
    fn references_need_their_definition() {
        check("[known]", "known");
        check("[text][known]", "text");
        check("[unknown]", "[unknown]");
        check("[1.0.0] - 2020", "[1.0.0] - 2020");
    }

    #[test]
    fn attributes_without_an_id_are_removed_from_the_text() {
        for source in
            ["Title {.c}", "Title { .c .d }", "Title {.c #id}", "Title {: .c}", "Title {k=v}"]
        {
            assert_eq!(without_attributes(source), "Title");
        }
        for source in
            ["Title {#id}", "{.c}", "T {c}", "T {.}", "T \\{.c}", "`{.c}`", "T {{.c}}", "T"]
        {
            assert_eq!(without_attributes(source), source);
        }
    }

    #[test]
    fn attributes_are_separated_from_the_text() {
        let part = |source| {
            let parts = split_attributes(source);
            (parts.text, parts.id)
        };
        assert_eq!(part("Title {#id}"), ("Title", Some("id")));
        assert_eq!(part("Title {#id .class k=v}"), ("Title", Some("id")));
        assert_eq!(part("Title {/* #id */}"), ("Title", Some("id")));
        assert_eq!(part("Title {/*id*/}"), ("Title", Some("id")));
        assert_eq!(part("Title {/* some words */}"), ("Title {/* some words */}", None));
        assert_eq!(part("Title {id}"), ("Title {id}", None));
        assert_eq!(part("Title {{#if}}"), ("Title {{#if}}", None));
        assert_eq!(part("{}"), ("{}", None));
    }
}
