//! HTML blocks: their start and end conditions. Their contents are not parsed.

/// Length of the longest text that ends an HTML block.
pub(super) const LONGEST_END: usize = b"</textarea>".len();

/// The condition that ends an HTML block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// `</script>`, `</pre>`, `</style>` or `</textarea>`.
    RawTag,
    /// `-->`.
    Comment,
    /// `?>`.
    Instruction,
    /// `>`.
    Declaration,
    /// `]]>`.
    Cdata,
    /// A blank line.
    Blank,
}

impl End {
    /// Whether only a blank line ends the block.
    pub(super) fn ends_at_blank(self) -> bool {
        self == Self::Blank
    }

    /// Returns the text that meets the condition. Empty if several texts do.
    pub(super) fn text(self) -> &'static [u8] {
        match self {
            Self::Comment => b"-->",
            Self::Instruction => b"?>",
            Self::Declaration => b">",
            Self::Cdata => b"]]>",
            Self::RawTag | Self::Blank => b"",
        }
    }

    /// Whether `line` meets the condition, so that it is the last line of the block.
    pub(super) fn is_met(self, line: &[u8]) -> bool {
        self != Self::Blank && memchr::memchr_iter(b'>', line).any(|at| self.is_at_end(&line[..at]))
    }

    /// Whether text that ends with `before` and a `>` ends the block.
    fn is_at_end(self, before: &[u8]) -> bool {
        match self {
            Self::RawTag => RAW_TAGS.iter().any(|tag| {
                let name = before.len().saturating_sub(tag.len());
                before[..name].ends_with(b"</") && before[name..].eq_ignore_ascii_case(tag)
            }),
            Self::Comment => before.ends_with(b"--"),
            Self::Instruction => before.ends_with(b"?"),
            Self::Declaration => true,
            Self::Cdata => before.ends_with(b"]]"),
            Self::Blank => false,
        }
    }
}

const RAW_TAGS: [&[u8]; 4] = [b"script", b"pre", b"style", b"textarea"];

/// Whether `line`, which begins with `<`, may begin an HTML block that contains blank lines.
pub(super) fn may_contain_blank_lines(line: &[u8]) -> bool {
    let rest = &line[1..];
    let begins_with =
        |tag: &[u8]| rest.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag));
    match rest.first().map(u8::to_ascii_lowercase) {
        Some(b'!' | b'?') => true,
        Some(b'p' | b's' | b't') => RAW_TAGS.iter().any(|tag| begins_with(tag)),
        _ => false,
    }
}

/// Returns the end condition of the HTML block that `line` begins, or `None` if it does not begin
/// one. Only the listed block tags can interrupt a paragraph, not other complete tags.
pub(super) fn open_block(line: &[u8], outside_paragraph: bool) -> Option<End> {
    let rest = line.strip_prefix(b"<")?;
    match rest.first()? {
        b'!' => {
            if rest.starts_with(b"!--") {
                Some(End::Comment)
            } else if rest.starts_with(b"![CDATA[") {
                Some(End::Cdata)
            } else if rest.get(1).is_some_and(u8::is_ascii_alphabetic) {
                Some(End::Declaration)
            } else {
                None
            }
        }
        b'?' => Some(End::Instruction),
        _ => {
            let closing = rest[0] == b'/';
            let name_start = usize::from(closing);
            let name = tag_name(&rest[name_start..]);
            let after = &rest[name_start + name.len()..];
            let is_raw = RAW_TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag));
            if !closing
                && is_raw
                && after.first().is_none_or(|&byte| is_space(byte) || byte == b'>')
            {
                return Some(End::RawTag);
            }
            let ends_tag_name = after.first().is_none_or(|&byte| is_space(byte) || byte == b'>')
                || after.starts_with(b"/>");
            if ends_tag_name && is_block_tag(name) {
                return Some(End::Blank);
            }
            (outside_paragraph && is_lone_tag(rest)).then_some(End::Blank)
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

fn tag_name(text: &[u8]) -> &[u8] {
    if !text.first().is_some_and(u8::is_ascii_alphabetic) {
        return b"";
    }
    let length =
        text.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    &text[..length]
}

/// Whether the rest of the line, `text`, which follows `<`, is exactly one opening or closing tag.
fn is_lone_tag(text: &[u8]) -> bool {
    let end = match text.strip_prefix(b"/") {
        Some(rest) => closing_tag(rest).map(|length| length + 1),
        None => opening_tag(text),
    };
    end.is_some_and(|end| text[end..].iter().all(|&byte| is_space(byte) && byte != 0x0b))
}

pub(super) fn closing_tag(text: &[u8]) -> Option<usize> {
    let name = tag_name(text);
    if name.is_empty() {
        return None;
    }
    let mut at = name.len();
    at += spaces(&text[at..]);
    (text.get(at) == Some(&b'>')).then_some(at + 1)
}

fn spaces(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| is_space(byte)).count()
}

pub(super) fn opening_tag(text: &[u8]) -> Option<usize> {
    let name = tag_name(text);
    if name.is_empty() {
        return None;
    }
    let mut at = name.len();
    loop {
        let gap = spaces(&text[at..]);
        let after = at + gap;
        match text.get(after)? {
            b'>' => return Some(after + 1),
            b'/' => return (text.get(after + 1) == Some(&b'>')).then_some(after + 2),
            _ if gap == 0 => return None,
            _ => at = after + attribute(&text[after..])?,
        }
    }
}

fn attribute(text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    if !(first.is_ascii_alphabetic() || first == b'_' || first == b':') {
        return None;
    }
    let mut at = text
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_:.-".contains(byte))
        .count();
    let before_value = at;
    at += spaces(&text[at..]);
    if text.get(at) != Some(&b'=') {
        return Some(before_value);
    }
    at += 1;
    at += spaces(&text[at..]);
    match *text.get(at)? {
        quote @ (b'"' | b'\'') => {
            let length = memchr::memchr(quote, &text[at + 1..])?;
            Some(at + 1 + length + 1)
        }
        _ => {
            let length = text[at..]
                .iter()
                .take_while(|&&byte| !is_space(byte) && !b"\"'=<>`".contains(&byte))
                .count();
            (length > 0).then_some(at + length)
        }
    }
}

/// Whether a tag with this name can begin an HTML block within a paragraph.
fn is_block_tag(name: &[u8]) -> bool {
    let mut lower = [0u8; 10];
    let Some(lower) = lower.get_mut(..name.len()) else { return false };
    for (to, from) in lower.iter_mut().zip(name) {
        *to = from.to_ascii_lowercase();
    }
    #[rustfmt::skip]
    let is_listed = matches!(
        &*lower,
        b"address" | b"article" | b"aside" | b"base" | b"basefont" | b"blockquote" | b"body"
        | b"caption" | b"center" | b"col" | b"colgroup" | b"dd" | b"details" | b"dialog" | b"dir"
        | b"div" | b"dl" | b"dt" | b"fieldset" | b"figcaption" | b"figure" | b"footer" | b"form"
        | b"frame" | b"frameset" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head"
        | b"header" | b"hr" | b"html" | b"iframe" | b"legend" | b"li" | b"link" | b"main" | b"menu"
        | b"menuitem" | b"nav" | b"noframes" | b"ol" | b"optgroup" | b"option" | b"p" | b"param"
        | b"search" | b"section" | b"summary" | b"table" | b"tbody" | b"td" | b"tfoot" | b"th"
        | b"thead" | b"title" | b"tr" | b"track" | b"ul"
    );
    is_listed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<End>) {
        assert_eq!(open_block(line.as_bytes(), true), expected, "{line}");
    }

    #[test]
    fn the_start_of_a_block_determines_its_kind() {
        check("<script>", Some(End::RawTag));
        check("<PRE class=x>", Some(End::RawTag));
        check("<scripty>", Some(End::Blank));
        check("<!-- x", Some(End::Comment));
        check("<?php", Some(End::Instruction));
        check("<!DOCTYPE html>", Some(End::Declaration));
        check("<![CDATA[", Some(End::Cdata));
        check("<div", Some(End::Blank));
        check("</Section>", Some(End::Blank));
        check("<hr/>", Some(End::Blank));
        check("<search>", Some(End::Blank));
        check("<custom-tag a='1' b=\"2\" c=3 d>  ", Some(End::Blank));
        check("</custom>", Some(End::Blank));
        check("<custom> text", None);
        check("<custom a=>", None);
        check("<custom a='1'b>", None);
        check("<http://example.com>", None);
        check("< div>", None);
        check("<", None);
    }

    #[test]
    fn only_some_blocks_may_contain_blank_lines() {
        for line in ["<pre>", "<SCRIPT src>", "<style", "<textarea>", "<!-- x", "<?php", "<!D>"] {
            assert!(may_contain_blank_lines(line.as_bytes()), "{line}");
        }
        for line in ["<", "<p>", "<span>", "<table>", "</pre>", "<div>", "<Tabs>", "<ä>"] {
            assert!(!may_contain_blank_lines(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn only_a_known_tag_interrupts_a_paragraph() {
        assert_eq!(open_block(b"<custom>", false), None);
        assert_eq!(open_block(b"<div>", false), Some(End::Blank));
    }

    #[test]
    fn a_raw_block_ends_with_any_raw_tag() {
        assert!(End::RawTag.is_met(b"x </STYLE> y"));
        assert!(!End::RawTag.is_met(b"</div>"));
        assert!(!End::RawTag.is_met(b"</script"));
    }
}
