//! The lines of AsciiDoc that several parsers recognize: titles, delimiters and attributes.

use crate::line_kinds::{KeyParts, entry_parts};

/// Returns the level and the text of a title with marks.
pub fn marked_title(text: &[u8]) -> Option<(u8, &[u8])> {
    let mark = *text.first().filter(|mark| matches!(mark, b'=' | b'#'))?;
    let level = text.iter().take_while(|byte| **byte == mark).count();
    let rest = &text[level..];
    if level > 6 || !matches!(rest.first(), Some(b' ' | b'\t')) {
        return None;
    }
    let title = rest.trim_ascii();
    let closing = title.iter().rev().take_while(|byte| **byte == mark).count();
    let open = &title[..title.len() - closing];
    let is_closed = closing == level && matches!(open.last(), Some(b' ' | b'\t'));
    Some((level as u8, if is_closed { open.trim_ascii() } else { title }))
}

/// Returns the level of a title with an underline.
pub fn underline_level(title: &[u8], line: &[u8]) -> Option<u8> {
    let first = *line.first()?;
    let level = b"=-~^+".iter().position(|mark| *mark == first)?;
    let is_run = line.iter().all(|byte| *byte == first);
    let title = String::from_utf8_lossy(title);
    let has_word =
        title.chars().any(|c| c.is_alphanumeric() || c == '_') && !title.starts_with('.');
    (is_run && has_word && title.chars().count().abs_diff(line.len()) < 2)
        .then_some(level as u8 + 1)
}

/// Whether a line is a directive of the preprocessor.
pub fn is_preprocessed(text: &[u8]) -> bool {
    let names: [&[u8]; 5] = [b"include::", b"ifdef::", b"ifndef::", b"ifeval::", b"endif::"];
    names.iter().any(|name| text.starts_with(name))
}

/// Whether a line is a comment.
pub fn is_comment(text: &[u8]) -> bool {
    text.starts_with(b"//") && !text.starts_with(b"///")
}

/// Returns the delimiter that ends a block whose lines are not parsed, if a line begins one.
pub(crate) fn verbatim_delimiter(text: &[u8]) -> Option<&[u8]> {
    let first = *text.first()?;
    let is_run = text.len() >= 4 && text.iter().all(|byte| *byte == first);
    let is_table =
        text.len() >= 4 && b"|,:!".contains(&first) && text[1..].iter().all(|b| *b == b'=');
    if text.starts_with(b"```") && (text.len() == 3 || !text[3..].contains(&b'`')) {
        return Some(&text[..3]);
    }
    (is_table || is_run && b"-.+/".contains(&first)).then_some(text)
}

/// Whether a line is not a part of a paragraph: a delimiter, the attributes or the title of a block,
/// or a block of one line.
pub(crate) fn is_block_line(text: &[u8]) -> bool {
    let first = text[0];
    let is_run = text.len() >= 4 && b"=*_".contains(&first) && text.iter().all(|b| *b == first);
    let is_attributes = first == b'[' && text.ends_with(b"]");
    let is_title = first == b'.' && text.len() > 1 && !matches!(text[1], b'.' | b' ' | b'\t');
    let is_macro = text.ends_with(b"]")
        && memchr::memmem::find(text, b"::").is_some_and(|end| {
            let name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
            end > 0 && text[..end].iter().all(name)
        });
    let is_break = matches!(text, b"'''" | b"<<<" | b"---" | b"***" | b"--" | b"+");
    is_run || is_attributes || is_title || is_macro || is_break
}

/// Returns the parts of a line that sets an attribute of the document, such as `:toc: left`.
pub fn attribute(text: &[u8]) -> Option<KeyParts> {
    any_attribute(text).filter(|parts| is_set(text, parts))
}

/// Returns the parts of a line that sets an attribute, or that unsets it, such as `:!toc:`.
pub fn any_attribute(text: &[u8]) -> Option<KeyParts> {
    let rest = text.strip_prefix(b":")?;
    let is_name =
        |byte: &u8| byte.is_ascii_alphanumeric() || b"_-!".contains(byte) || *byte >= 0x80;
    let end = rest.iter().position(|byte| !is_name(byte))?;
    let name = &rest[..end];
    let bare = name.strip_prefix(b"!").or_else(|| name.strip_suffix(b"!")).unwrap_or(name);
    let has_name = !bare.is_empty() && !bare.contains(&b'!') && rest[end] == b':';
    if !has_name || rest.get(end + 1).is_some_and(|next| !matches!(next, b' ' | b'\t')) {
        return None;
    }
    let parts = entry_parts(text, 1..end + 1);
    if bare.len() == name.len() {
        return Some(parts);
    }
    let start = if name[0] == b'!' { 2 } else { 1 };
    let at = text.trim_ascii_end().len();
    Some(KeyParts { name: start..start + bare.len(), value: at..at, ..parts })
}

fn is_set(text: &[u8], parts: &KeyParts) -> bool {
    parts.name.start == 1 && text.get(parts.name.end) == Some(&b':')
}

/// Whether the value of an attribute continues on the next line. Old documents use a plus sign.
pub(crate) fn is_continued(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.ends_with(b" \\") || line.ends_with(b" +")
}
