//! Parses link reference definitions at the start of a paragraph, and normalizes labels.

/// Parses the definitions at the start of a paragraph. Calls `report` with each label, and returns
/// the total length of the definitions in bytes.
pub(super) fn consume_definitions(text: &[u8], mut report: impl FnMut(&[u8])) -> usize {
    let mut at = 0;
    loop {
        let start = at + blanks_length(&text[at..]);
        match definition(&text[start..]) {
            Some((label, length)) => {
                report(label);
                at = start + length;
            }
            None => return at,
        }
    }
}

/// Normalizes a label for comparison: folds case and collapses whitespace.
pub fn normalize_label(label: &str) -> String {
    let mut folded = String::with_capacity(label.len());
    for word in label.split([' ', '\t', '\r', '\n', '\u{b}', '\u{c}']) {
        if word.is_empty() {
            continue;
        }
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    if folded.is_ascii() {
        folded.make_ascii_lowercase();
        return folded;
    }
    // Converting to lower, upper and lower case is equivalent to full case folding: ẞ, ß and SS
    // become equal.
    folded.to_lowercase().to_uppercase().to_lowercase()
}

fn blanks_length(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// Returns the length of the whitespace at the start of `text`, up to the second line ending.
fn blanks_and_line_end(text: &[u8]) -> usize {
    let mut at = blanks_length(text);
    at += line_end(&text[at..]).unwrap_or(0);
    at + blanks_length(&text[at..])
}

/// Returns the length of the line ending at the start of `text`. Returns 0 if `text` is empty, and
/// `None` if it begins with another byte.
fn line_end(text: &[u8]) -> Option<usize> {
    match text {
        [] => Some(0),
        [b'\r', b'\n', ..] => Some(2),
        [b'\n', ..] => Some(1),
        _ => None,
    }
}

/// Returns the label and the length of the definition at the start of `text`.
fn definition(text: &[u8]) -> Option<(&[u8], usize)> {
    let label = label(text)?;
    let mut at = label.len() + 2;
    if text.get(at) != Some(&b':') {
        return None;
    }
    at += 1;
    at += blanks_and_line_end(&text[at..]);
    at += destination(&text[at..])?;
    let after_destination = at;
    at += blanks_and_line_end(&text[at..]);
    if at > after_destination
        && let Some(length) = title(&text[at..])
    {
        let end = at + length;
        let end = end + blanks_length(&text[end..]);
        if let Some(length) = line_end(&text[end..]) {
            return Some((label, end + length));
        }
    }
    let end = after_destination + blanks_length(&text[after_destination..]);
    let length = line_end(&text[end..])?;
    Some((label, end + length))
}

/// Returns the text between the brackets of the label at the start of `text`.
fn label(text: &[u8]) -> Option<&[u8]> {
    if text.first() != Some(&b'[') {
        return None;
    }
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 1,
            b'[' => return None,
            b']' => {
                let label = &text[1..at];
                let blank = label.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0x0b);
                return (!blank && label.len() <= 999).then_some(label);
            }
            _ => {}
        }
        at += 1;
        if at > 1001 {
            return None;
        }
    }
    None
}

pub(super) fn destination(text: &[u8]) -> Option<usize> {
    if text.first() == Some(&b'<') {
        let mut at = 1;
        loop {
            match *text.get(at)? {
                b'>' => return Some(at + 1),
                b'\\' if text.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 2,
                b'\n' | b'\r' | b'<' => return None,
                _ => at += 1,
            }
        }
    }
    let mut at = 0;
    let mut open = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' if text.get(at + 1).is_some_and(u8::is_ascii_punctuation) => at += 1,
            b'(' => {
                open += 1;
                if open > 32 {
                    return None;
                }
            }
            b')' => {
                if open == 0 {
                    break;
                }
                open -= 1;
            }
            0..=b' ' | 0x7f => break,
            _ => {}
        }
        at += 1;
    }
    (at > 0 && open == 0).then_some(at)
}

pub(super) fn title(text: &[u8]) -> Option<usize> {
    let close = match text.first()? {
        b'"' => b'"',
        b'\'' => b'\'',
        b'(' => b')',
        _ => return None,
    };
    let mut at = 1;
    loop {
        match *text.get(at)? {
            b'\\' => at += 1,
            byte if byte == close => return Some(at + 1),
            b'(' if close == b')' => return None,
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, labels: &[&str], rest: &str) {
        let mut found = Vec::new();
        let taken = consume_definitions(text.as_bytes(), |label| {
            found.push(String::from_utf8_lossy(label).into_owned());
        });
        assert_eq!(found, labels);
        assert_eq!(&text[taken..], rest);
    }

    #[test]
    fn definitions_are_removed_from_the_start() {
        check("[a]: /url\n[b]: <x y> 'title'\ntext", &["a", "b"], "text");
        check("[a]:\n  /url\n  \"a\ntitle\"", &["a"], "");
        check("[a]: /url \"no\" title", &[], "[a]: /url \"no\" title");
        check("[a]: /url\n\"no\" title", &["a"], "\"no\" title");
        check("[a\\]]: x", &["a\\]"], "");
        check("[a]: <>", &["a"], "");
        check("[a]:", &[], "[a]:");
        check("[ ]: x", &[], "[ ]: x");
        check("[a]: x\r\ny\r\n", &["a"], "y\r\n");
        check("[LOG-1] - x", &[], "[LOG-1] - x");
        check("[a]: x  \n  [b]: y 'z' \ntext", &["a", "b"], "text");
        check("[a]: <x\\>y>", &["a"], "");
        check("[a]: x '\\''", &["a"], "");
        let nested = |count| format!("[a]: {}{}", "(".repeat(count), ")".repeat(count));
        check(&nested(32), &["a"], "");
        for text in [
            "[a[b]: x",
            "[a\\",
            "[a]: <x>'y'",
            "[a]: <x<y>",
            "[a]: <x\ny>",
            "[a]: <x\\\ny>",
            "[a]: x\\ y",
            "[a]: x (y(z)",
            "[a]: x 'y\\",
            &nested(33),
        ] {
            check(text, &[], text);
        }
    }

    #[test]
    fn labels_are_compared_folded() {
        assert_eq!(normalize_label(" Foo \n  BAR "), "foo bar");
        assert_eq!(normalize_label("ẞ"), normalize_label("SS"));
        assert_eq!(normalize_label("Толпой"), normalize_label("ТОЛПОЙ"));
    }
}
