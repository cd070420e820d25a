//! Parses and changes the destination of a link: path, fragment, escapes and entities. It does not
//! check whether the target exists.

use std::borrow::Cow;

use pulldown_cmark::{Event, Parser};

/// Splits a destination into path and fragment, and drops the query. The caller must already have
/// resolved escapes.
pub fn split_destination(destination: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mark = memchr::memchr(b'#', destination);
    let before = &destination[..mark.unwrap_or(destination.len())];
    let path = &before[..memchr::memchr(b'?', before).unwrap_or(before.len())];
    (path, mark.map(|mark| &destination[mark + 1..]))
}

/// Splits a destination into path and anchor. The anchor is the fragment without a text directive,
/// or `None` if it is the top of the page.
pub fn path_and_anchor(destination: &[u8]) -> (&[u8], Option<&[u8]>) {
    let (path, fragment) = split_destination(destination);
    (path, fragment.map(without_directive).filter(|fragment| !is_top(fragment)))
}

/// Whether a destination refers to something other than a file: it has a scheme or a host.
pub fn is_external(destination: &[u8]) -> bool {
    if destination.starts_with(b"//") {
        return true;
    }
    let is_scheme_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"+.-".contains(byte);
    let length = destination.iter().take_while(|byte| is_scheme_byte(byte)).count();
    // A single letter before the colon is a Windows drive, not a scheme.
    let begins_with_letter = destination.first().is_some_and(u8::is_ascii_alphabetic);
    begins_with_letter && length > 1 && destination.get(length) == Some(&b':')
}

/// Resolves percent-encoded bytes such as `%20`.
pub fn percent_decoded(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'%', text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        match encoded_byte(&text[at..]) {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(text[at]);
                at += 1;
            }
        }
    }
    Cow::Owned(decoded)
}

/// Returns the byte that is percent-encoded at the start of `text`.
fn encoded_byte(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else {
        return None;
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Replaces the fragment of a destination in the source, and keeps the path and the query.
/// Percent-encodes non-ASCII letters if the old fragment did.
pub fn rewritten_fragment(source: &[u8], fragment: &str) -> Vec<u8> {
    rewritten(source, None, Some(fragment))
}

/// Replaces the path, the fragment or both of a destination in the source, and keeps the other
/// parts. Percent-encodes non-ASCII letters if the old part did.
pub fn rewritten(source: &[u8], path: Option<&[u8]>, fragment: Option<&str>) -> Vec<u8> {
    let mark = fragment_mark(source).unwrap_or(source.len());
    let query = memchr::memchr(b'?', &source[..mark]).unwrap_or(mark);
    // The delimiter is written with the backslash before it.
    let escaped = source[..query].ends_with(b"\\") && query < source.len();
    let path_end = query - usize::from(escaped);
    let mut rewritten = Vec::with_capacity(source.len() + 16);
    match path {
        None => rewritten.extend_from_slice(&source[..path_end]),
        Some(path) => {
            let encodes = encodes_letters(&source[..path_end]);
            for &byte in path {
                let is_special = is_special(byte) || matches!(byte, b'#' | b'?');
                push_byte(byte, is_special || (encodes && !byte.is_ascii()), &mut rewritten);
            }
        }
    }
    let Some(fragment) = fragment else {
        rewritten.extend_from_slice(&source[path_end..]);
        return rewritten;
    };
    rewritten.extend_from_slice(&source[path_end..mark]);
    rewritten.push(b'#');
    let old = source.get(mark + 1..).unwrap_or_default();
    let encodes = encodes_letters(old);
    for byte in fragment.bytes() {
        push_byte(byte, is_special(byte) || (encodes && !byte.is_ascii()), &mut rewritten);
    }
    rewritten.extend_from_slice(&old[without_directive(old).len()..]);
    rewritten
}

/// Whether the source percent-encodes non-ASCII letters. `None` if it contains no such letters.
fn encodes_letters(source: &[u8]) -> bool {
    (0..source.len()).any(|at| encoded_byte(&source[at..]).is_some_and(|byte| !byte.is_ascii()))
}

/// Returns a fragment without its text directive, `:~:text=…`.
fn without_directive(fragment: &[u8]) -> &[u8] {
    let end = memchr::memmem::find(fragment, b":~:").unwrap_or(fragment.len());
    &fragment[..end]
}

/// Whether a fragment refers to the top of the page.
fn is_top(fragment: &[u8]) -> bool {
    fragment.is_empty() || fragment.eq_ignore_ascii_case(b"top")
}

/// Returns the ids that a fragment may refer to, the most likely one first.
pub fn ids_of(fragment: &[u8]) -> Vec<String> {
    /// The prefix that GitHub adds to ids in documents.
    const PREFIX: &str = "user-content-";
    let decoded = percent_decoded(fragment);
    let id = String::from_utf8_lossy(&decoded).into_owned();
    let bare = id.strip_prefix(PREFIX).map(str::to_owned);
    let prefixed = format!("{PREFIX}{id}");
    let written = String::from_utf8_lossy(fragment).into_owned();
    [written, id, prefixed].into_iter().chain(bare).collect()
}

/// Returns a destination as browsers interpret it: without surrounding blanks, and in HTML also
/// without line endings.
pub fn as_browsers_take(destination: &[u8], is_html: bool) -> Vec<u8> {
    let text = destination.trim_ascii().iter().copied();
    let mut text: Vec<u8> = text.filter(|byte| !matches!(byte, b'\n' | b'\r' | b'\t')).collect();
    // In Markdown a backslash becomes `%5C`; in HTML it is treated as a slash.
    if is_html {
        let path = split_destination(&text).0.len();
        text[..path].iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    }
    text
}

/// Whether a destination is a template that a program fills in.
pub fn is_template(destination: &[u8]) -> bool {
    let contains = |mark: &[u8]| memchr::memmem::find(destination, mark).is_some();
    contains(b"{{") || contains(b"{%")
}

/// Returns a path in the style of another one: with a slash at the end, or with `./` at the start.
/// Both have no query and no fragment, and `path` is not percent-encoded.
pub fn match_path_style(other: &[u8], mut path: Vec<u8>) -> Vec<u8> {
    if path.is_empty() {
        path = b".".to_vec();
    }
    if other.ends_with(b"/") && !path.ends_with(b"/") {
        path.push(b'/');
    }
    // Text before a colon would be interpreted as a scheme.
    let first = path.split(|byte| *byte == b'/').next().unwrap_or_default();
    let is_bare = !path.starts_with(b".");
    if is_bare && (other.starts_with(b"./") || first.contains(&b':')) {
        path.splice(..0, *b"./");
    }
    path
}

/// Percent-encodes a path for use as a destination without query and fragment.
pub fn percent_encoded(path: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::with_capacity(path.len());
    for &byte in path {
        push_byte(byte, is_special(byte) || matches!(byte, b'#' | b'?'), &mut encoded);
    }
    encoded
}

/// Whether a byte would end a destination or have a special meaning in it.
fn is_special(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f || b"<>()[]\\\"'`|&%".contains(&byte)
}

fn push_byte(byte: u8, encodes: bool, text: &mut Vec<u8>) {
    if encodes {
        text.extend_from_slice(format!("%{byte:02X}").as_bytes());
    } else {
        text.push(byte);
    }
}

/// Returns the offset of the `#` that begins the fragment, ignoring entities such as `&#39;`.
fn fragment_mark(source: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'#', source).find(|&mark| {
        let in_entity =
            mark > 0 && source[mark - 1] == b'&' && parse_entity(&source[mark - 1..]).is_some();
        !in_entity
    })
}

/// Resolves the entities of a source. In Markdown, also resolves its backslash escapes.
pub(super) fn resolve_escapes(source: &[u8], is_markdown: bool) -> Vec<u8> {
    if memchr::memchr2(b'\\', b'&', source).is_none() {
        return source.to_vec();
    }
    let mut text = Vec::with_capacity(source.len());
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        if is_markdown && rest[0] == b'\\' && rest.get(1).is_some_and(u8::is_ascii_punctuation) {
            text.push(rest[1]);
            at += 2;
        } else if let Some((character, length)) = parse_entity(rest) {
            text.extend_from_slice(character.as_bytes());
            at += length;
        } else {
            text.push(rest[0]);
            at += 1;
        }
    }
    text
}

/// Returns the text of the entity at the start of `source`, and the length of the entity.
fn parse_entity(source: &[u8]) -> Option<(String, usize)> {
    /// The length of the longest entity, including `&` and `;`. Its name is
    /// `CounterClockwiseContourIntegral`.
    const LONGEST: usize = 33;
    if source.first() != Some(&b'&') {
        return None;
    }
    let window = &source[..source.len().min(LONGEST)];
    let end = memchr::memchr(b';', window)? + 1;
    let entity = std::str::from_utf8(&source[..end]).ok()?;
    let inner = &entity[1..end - 1];
    if inner.is_empty() || !inner.chars().all(|c| c.is_ascii_alphanumeric() || c == '#') {
        return None;
    }
    // In a paragraph between letters, the parser trims nothing.
    let paragraph = format!("x{entity}x");
    let text: String = Parser::new(&paragraph)
        .filter_map(|event| match event {
            Event::Text(text) => Some(text.into_string()),
            _ => None,
        })
        .collect();
    let text = text.strip_prefix('x')?.strip_suffix('x')?;
    (text != entity).then(|| (text.to_owned(), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_have_a_path_and_a_fragment() {
        #[track_caller]
        fn check(destination: &str, path: &str, fragment: Option<&str>) {
            let found = split_destination(destination.as_bytes());
            assert_eq!(found, (path.as_bytes(), fragment.map(str::as_bytes)));
        }
        check("a.md#b", "a.md", Some("b"));
        check("#b", "", Some("b"));
        check("a.md", "a.md", None);
        check("a.md?raw=1#b#c", "a.md", Some("b#c"));
        check("a#b?c", "a", Some("b?c"));
        check("", "", None);
    }

    #[test]
    fn the_top_of_a_page_has_several_names() {
        for top in ["a.md", "a.md#", "a.md#Top", "a.md?x#:~:text=x"] {
            assert_eq!(path_and_anchor(top.as_bytes()), (&b"a.md"[..], None), "{top}");
        }
        assert_eq!(path_and_anchor(b"#topic:~:text=x"), (&b""[..], Some(&b"topic"[..])));
    }

    #[test]
    fn schemes_and_hosts_are_external() {
        for external in ["https://a.b", "mailto:a@b.c", "//a.b/c", "git+ssh://x"] {
            assert!(is_external(external.as_bytes()), "{external}");
        }
        for internal in ["a.md", "/a", "#a:b", "C:\\a", "a/b:c", "./a:b", "", ":a"] {
            assert!(!is_external(internal.as_bytes()), "{internal}");
        }
    }

    #[test]
    fn percent_signs_are_decoded() {
        let check = |text: &str, expected: &[u8]| {
            assert_eq!(&*percent_decoded(text.as_bytes()), expected, "{text}");
        };
        check("a%20b", b"a b");
        check("%c3%A9", "é".as_bytes());
        check("100%", b"100%");
        check("%zz%4", b"%zz%4");
        check("%+1", b"%+1");
        assert_eq!(
            percent_encoded("a b/ä#(1)%.md".as_bytes()),
            "a%20b/ä%23%281%29%25.md".as_bytes()
        );
    }

    #[test]
    fn a_fragment_is_replaced_as_it_was_written() {
        #[track_caller]
        fn check(source: &str, fragment: &str, expected: &str) {
            let rewritten = rewritten_fragment(source.as_bytes(), fragment);
            assert_eq!(String::from_utf8_lossy(&rewritten), expected);
        }
        check("#old", "new", "#new");
        check("a%20b/c\\_d.md#old", "new", "a%20b/c\\_d.md#new");
        check("a&#39;s.md#old", "new", "a&#39;s.md#new");
        check("a.md", "new", "a.md#new");
        check("#alt", "größe", "#größe");
        check("#%C3%A4lt", "größe", "#gr%C3%B6%C3%9Fe");
        check("#old", "a (b)", "#a%20%28b%29");
        check("a.md\\#old", "new", "a.md\\#new");
        check("a.md#old:~:text=x%20y", "new", "a.md#new:~:text=x%20y");
    }

    #[test]
    fn replacing_a_path_keeps_other_parts() {
        #[track_caller]
        fn check(source: &str, path: &str, fragment: Option<&str>, expected: &str) {
            let rewritten = rewritten(source.as_bytes(), Some(path.as_bytes()), fragment);
            assert_eq!(String::from_utf8_lossy(&rewritten), expected);
        }
        check("a.md", "../a.md", None, "../a.md");
        check("a.md#x\\_y", "b c.md", None, "b%20c.md#x\\_y");
        check("a.md?raw=1#x", "b.md", Some("y"), "b.md?raw=1#y");
        check("#x", "b.md", None, "b.md#x");
        check("a.md#x", "", Some("y"), "#y");
        check("a&#39;s.md#x", "b.md", None, "b.md#x");
        check("a\\#x", "b", None, "b\\#x");
        check("%C3%A4.md", "ö.md", None, "%C3%B6.md");
        check("a.md", "ö.md", None, "ö.md");
        check("", "b.md", None, "b.md");
    }

    #[test]
    fn escapes_and_entities_are_resolved() {
        let check = |source: &str, markdown: &str, html: &str| {
            assert_eq!(resolve_escapes(source.as_bytes(), true), markdown.as_bytes());
            assert_eq!(resolve_escapes(source.as_bytes(), false), html.as_bytes());
        };
        check("a\\_b\\c", "a_b\\c", "a\\_b\\c");
        check("a&amp;b&auml;&#x23;&#35;", "a&bä##", "a&bä##");
        check("a&b;c&nothing;&", "a&b;c&nothing;&", "a&b;c&nothing;&");
        check("\\&amp;", "&amp;", "\\&");
        check("&#32;&Tab;", " \t", " \t");
    }
}
