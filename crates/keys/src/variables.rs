//! Lists of variables with string values: `.env` files and Java properties.

use super::change::{Change, Planned};
use super::env_form;
use super::layout::{comments_above, insert_lines, next_line_start, without_blank_lines};
use super::tree::{Builder, Bytes, Fault, Form, Kind, Node, Syntax, Tree};

/// Parses shell assignments, such as in `.env`. References to variables are not expanded.
///
/// # Errors
///
/// Fails at a line that is not an assignment, a comment or blank.
pub(super) fn parse_env(text: &str) -> Result<Tree, Fault> {
    let mut builder = start_tree(Syntax::Env, text)?;
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        let start = skip_spaces(text, at);
        let line = &text[start..end.max(start)];
        if line.trim().is_empty() || line.starts_with('#') {
            at = after_line(text, end);
            continue;
        }
        let (key, equals) = env_key(text, start, end)?;
        let Some(equals) = equals else {
            // `export NAME` marks a variable that is set elsewhere.
            at = after_line(text, end);
            continue;
        };
        let (value, decoded) = env_value(text, equals + 1)?;
        let index = builder.add(start, key, value, Kind::String, Form::Scalar);
        builder.text(index, &decoded);
        at = after_line(text, line_end(text, value.end as usize));
    }
    builder.close(text.len());
    Ok(builder.finish())
}

fn start_tree(syntax: Syntax, text: &str) -> Result<Builder, Fault> {
    let mut builder = Builder::new(syntax, text)?;
    let all = Bytes::new(0, text.len());
    let root = builder.add(0, Bytes::default(), all, Kind::Mapping, Form::Block);
    builder.open(root)?;
    Ok(builder)
}

/// Returns the offset of the line ending at or after an offset.
fn line_end(text: &str, at: usize) -> usize {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end);
    if text[at..end].ends_with('\r') { end - 1 } else { end }
}

fn after_line(text: &str, end: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[end..]).map_or(text.len(), |length| end + length + 1)
}

fn skip_spaces(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches([' ', '\t']).len()
}

fn is_env_name(name: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || "_.-".contains(character);
    !name.is_empty() && name.chars().all(is_part)
}

/// Returns the bytes of a name, and the offset of the equals sign after it.
fn env_key(text: &str, start: usize, end: usize) -> Result<(Bytes, Option<usize>), Fault> {
    let line = &text[start..end];
    let exported = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t']));
    let start = exported.map_or(start, |rest| end - rest.trim_start().len());
    let written = text[start..end].split('=').next().unwrap_or_default();
    let name = written.trim_end();
    let equals = start + written.len();
    if !is_env_name(name) {
        return Err(Fault::new(start, "found no name of a variable with = after it"));
    }
    Ok((Bytes::new(start, start + name.len()), (equals < end).then_some(equals)))
}

/// Returns the bytes and the text of the value that begins at or after an offset.
fn env_value(text: &str, after_equals: usize) -> Result<(Bytes, String), Fault> {
    let start = skip_spaces(text, after_equals);
    let first = text[start..].chars().next();
    let last = line_end(text, start).max(start);
    if let Some(quote @ ('"' | '\'')) = first {
        let (end, decoded) = parse_quoted(text, start, quote)?;
        let rest = &text[end..line_end(text, end)];
        if rest.trim().is_empty() || rest.starts_with([' ', '\t']) && rest.trim().starts_with('#') {
            return Ok((Bytes::new(start, end), decoded));
        }
        if end > last {
            return Err(Fault::new(end, "found text after the closing quote"));
        }
    }
    let line = &text[start..last];
    let is_comment = |at: &usize| text[after_equals..start + at].ends_with([' ', '\t']);
    let comment = line.match_indices('#').map(|(at, _)| at).find(is_comment);
    let written = line[..comment.unwrap_or(line.len())].trim_end();
    if written.is_empty() {
        Ok((Bytes::new(after_equals, after_equals), String::new()))
    } else {
        Ok((Bytes::new(start, start + written.len()), written.to_owned()))
    }
}

/// Returns the end and the text of a quoted value.
fn parse_quoted(text: &str, start: usize, quote: char) -> Result<(usize, String), Fault> {
    let mut decoded = String::new();
    let mut characters = text[start..].char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' if quote == '"' => match characters.next() {
                Some((_, 'n')) => decoded.push('\n'),
                Some((_, 'r')) => decoded.push('\r'),
                Some((_, 't')) => decoded.push('\t'),
                Some((_, next @ ('\\' | '"' | '$' | '`'))) => decoded.push(next),
                Some((_, next)) => decoded.extend(['\\', next]),
                None => {}
            },
            _ if character == quote => return Ok((start + at + 1, decoded)),
            _ => decoded.push(character),
        }
    }
    Err(Fault::new(start, format!("the closing {quote} is missing")))
}

/// Reads the characters of a line of properties. A backslash at the end continues the line.
#[derive(Clone, Copy)]
struct Characters<'t> {
    text: &'t str,
    at: usize,
}

/// A character of a line.
#[derive(Clone, Copy)]
struct Character {
    start: usize,
    value: char,
    is_escaped: bool,
}

impl Character {
    fn is_any_of(self, characters: &[char]) -> bool {
        !self.is_escaped && characters.contains(&self.value)
    }
}

const SPACES: [char; 3] = [' ', '\t', '\u{c}'];
const SIGNS: [char; 2] = ['=', ':'];

impl Characters<'_> {
    fn next_character(&mut self) -> Result<Option<Character>, Fault> {
        loop {
            let start = self.at;
            let rest = &self.text[start..];
            if rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n") {
                return Ok(None);
            }
            if !rest.starts_with('\\') {
                return Ok(Some(self.read_character(start, false)));
            }
            let next = &rest[1..];
            if next.is_empty() {
                return Ok(None);
            }
            let Some(below) = next.strip_prefix("\r\n").or_else(|| next.strip_prefix('\n')) else {
                self.at += 1;
                return self.read_escape(start).map(Some);
            };
            self.at = self.text.len() - below.trim_start_matches(SPACES).len();
        }
    }

    fn read_character(&mut self, start: usize, is_escaped: bool) -> Character {
        let value = self.text[self.at..].chars().next().unwrap_or_default();
        self.at += value.len_utf8();
        Character { start, value, is_escaped }
    }

    /// Reads an escape sequence after its backslash.
    fn read_escape(&mut self, start: usize) -> Result<Character, Fault> {
        let mut character = self.read_character(start, true);
        character.value = match character.value {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'f' => '\u{c}',
            'u' => {
                let mut units = vec![self.read_code_unit(start)?];
                let is_half = (0xD800..0xDC00).contains(&units[0]);
                if is_half && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    units.push(self.read_code_unit(start)?);
                }
                let mut decoded = char::decode_utf16(units);
                let value = decoded.next().and_then(Result::ok);
                let message = "the escape sequence is not a character";
                value.ok_or_else(|| Fault::new(start, message))?
            }
            other => other,
        };
        Ok(character)
    }

    /// Reads four hexadecimal digits.
    fn read_code_unit(&mut self, start: usize) -> Result<u16, Fault> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        let is_hexadecimal =
            digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        match u16::from_str_radix(digits, 16) {
            Ok(unit) if is_hexadecimal => {
                self.at += 4;
                Ok(unit)
            }
            _ => Err(Fault::new(start, "\\u needs four hexadecimal digits")),
        }
    }
}

/// Parses Java properties.
///
/// # Errors
///
/// Fails at an invalid escape sequence.
pub(super) fn parse_properties(text: &str) -> Result<Tree, Fault> {
    let mut builder = start_tree(Syntax::Properties, text)?;
    let mut at = 0;
    while at < text.len() {
        let start = text.len() - text[at..].trim_start_matches(SPACES).len();
        if text[start..].starts_with(['#', '!', '\n']) || text[start..].starts_with("\r\n") {
            at = after_line(text, start);
            continue;
        }
        if matches!(&text[start..], "" | "\\" | "\r") {
            break;
        }
        let mut characters = Characters { text, at: start };
        add_property(&mut builder, &mut characters)?;
        at = after_line(text, characters.at);
    }
    builder.close(text.len());
    Ok(builder.finish())
}

fn add_property(builder: &mut Builder, characters: &mut Characters<'_>) -> Result<(), Fault> {
    let start = characters.at;
    let mut name = String::new();
    let mut key = Bytes::new(start, start);
    let mut next = characters.next_character()?;
    while let Some(character) = next {
        if character.is_any_of(&SPACES) || character.is_any_of(&SIGNS) {
            break;
        }
        name.push(character.value);
        key.end = characters.at as u32;
        next = characters.next_character()?;
    }
    while next.is_some_and(|character| character.is_any_of(&SPACES)) {
        next = characters.next_character()?;
    }
    if next.is_some_and(|character| character.is_any_of(&SIGNS)) {
        next = characters.next_character()?;
        while next.is_some_and(|character| character.is_any_of(&SPACES)) {
            next = characters.next_character()?;
        }
    }
    let first = next.map_or(characters.at, |character| character.start);
    let mut decoded = String::new();
    while let Some(character) = next {
        decoded.push(character.value);
        next = characters.next_character()?;
    }
    let value = Bytes::new(first, characters.at);
    let index = builder.add(start, key, value, Kind::String, Form::Scalar);
    builder.name(index, &name);
    builder.text(index, &decoded);
    Ok(())
}

/// Formats a value of properties. Escapes separators and non-ASCII characters if the old value
/// does.
pub(super) fn render_properties(value: &str, old: Option<&str>) -> String {
    let old = old.unwrap_or_default();
    let are_signs_escaped = old.contains("\\:") || old.contains("\\=");
    let is_ascii = old.contains("\\u");
    let mut written = String::new();
    for character in value.chars() {
        let is_leading = written.is_empty();
        match character {
            ' ' if is_leading => written.push_str("\\ "),
            '=' | ':' if is_leading || are_signs_escaped => written.extend(['\\', character]),
            '#' | '!' if are_signs_escaped => written.extend(['\\', character]),
            _ => push_escaped(&mut written, character, is_ascii),
        }
    }
    written
}

fn push_escaped(written: &mut String, character: char, is_ascii: bool) {
    match character {
        '\\' => written.push_str("\\\\"),
        '\n' => written.push_str("\\n"),
        '\r' => written.push_str("\\r"),
        '\t' => written.push_str("\\t"),
        '\u{c}' => written.push_str("\\f"),
        _ if character.is_control() || is_ascii && !character.is_ascii() => {
            for unit in character.encode_utf16(&mut [0; 2]) {
                written.push_str(&format!("\\u{unit:04X}"));
            }
        }
        _ => written.push(character),
    }
}

fn render_name(tree: &Tree, name: &str) -> Result<String, String> {
    if tree.syntax == Syntax::Env {
        return if is_env_name(name) {
            Ok(name.to_owned())
        } else {
            Err(format!("'{name}' is not the name of a variable"))
        };
    }
    let mut written = String::new();
    for character in name.chars() {
        match character {
            ' ' | '=' | ':' => written.extend(['\\', character]),
            '#' | '!' if written.is_empty() => written.extend(['\\', character]),
            _ => push_escaped(&mut written, character, false),
        }
    }
    Ok(written)
}

/// Returns the start of the lines of an entry, including its comments.
fn start_with_comments(tree: &Tree, node: usize) -> usize {
    let floor = if node > 1 { next_line_start(tree, tree.span(node - 1).end) } else { 0 };
    let markers: &[char] = if tree.syntax == Syntax::Env { &['#'] } else { &['#', '!'] };
    comments_above(tree, tree.start_of_line(tree.span(node).start), floor, markers)
}

/// Adds an entry after the last one, in its style.
///
/// # Errors
///
/// Fails if the syntax does not allow the name.
pub(super) fn insert(tree: &Tree, name: &str, value: &str) -> Planned {
    let key = render_name(tree, name)?;
    let last = tree.nodes.len() - 1;
    if last == Tree::ROOT {
        return Ok(vec![insert_lines(tree, tree.text.len(), &[format!("{key}={value}")])]);
    }
    let node = tree.node(last);
    let prefix = &tree.text[tree.start_of_line(node.start as usize)..node.key.start as usize];
    let written = &tree.text[node.key.end as usize..node.value.start as usize];
    let blank_if = |is_present: bool| if is_present { " " } else { "" };
    let separator = match (written.find(SIGNS), written.starts_with(SPACES)) {
        (Some(at), has_space) => {
            let after = blank_if(written[at + 1..].starts_with(SPACES));
            format!("{}{}{after}", blank_if(has_space), &written[at..=at])
        }
        (None, true) => " ".to_owned(),
        (None, false) => "=".to_owned(),
    };
    let at = next_line_start(tree, tree.span(last).end);
    let text_above = tree.text[..at].trim_end_matches(['\n', '\r']);
    let backslashes = text_above.len() - text_above.trim_end_matches('\\').len();
    let mut lines = vec![format!("{prefix}{key}{separator}{value}")];
    if tree.syntax == Syntax::Properties && backslashes % 2 == 1 {
        // The new line would continue the entry above.
        lines.insert(0, String::new());
    }
    Ok(vec![insert_lines(tree, at, &lines)])
}

/// Sets the value of an entry, which may have been written without a separator.
pub(super) fn set(tree: &Tree, node: usize, value: &str) -> Vec<Change> {
    let Node { key, value: old, .. } = *tree.node(node);
    if tree.syntax == Syntax::Env {
        let end = old.range().end;
        let rest = &tree.text[end..tree.end_of_line(end)];
        return vec![Change::new(old.range(), env_form::quote_before_comment(value, rest))];
    }
    let between = &tree.text[key.end as usize..old.start as usize];
    if value.is_empty() || between.starts_with(SPACES) || between.contains(SIGNS) {
        return vec![Change::new(old.range(), value)];
    }
    vec![Change::new(key.range().end..old.range().end, format!("={value}"))]
}

/// Whether a value of a `.env` file would be written in another form, because programs do not read
/// the current one alike.
pub(super) fn needs_other_form(tree: &Tree, node: usize) -> bool {
    let written = env_form::render(tree.scalar(node), Some(tree.written(node)));
    let changes = written.map(|written| set(tree, node, &written)).unwrap_or_default();
    changes.iter().any(|change| change.text != tree.text[change.at.clone()])
}

/// Deletes an entry with its comments.
pub(super) fn remove(tree: &Tree, node: usize) -> Vec<Change> {
    let end = next_line_start(tree, tree.span(node).end);
    vec![without_blank_lines(tree, start_with_comments(tree, node), end)]
}

/// Renames an entry.
///
/// # Errors
///
/// Fails if the syntax does not allow the name.
pub(super) fn rename(tree: &Tree, node: usize, name: &str) -> Planned {
    Ok(vec![Change::new(tree.node(node).key.range(), render_name(tree, name)?)])
}

#[cfg(test)]
mod tests {
    use super::super::change::apply;
    use super::*;

    fn parse(syntax: Syntax, text: &str) -> Result<Tree, Fault> {
        if syntax == Syntax::Env { parse_env(text) } else { parse_properties(text) }
    }

    #[track_caller]
    fn check(syntax: Syntax, text: &str, expected: &[(&str, &str, &str)]) {
        for ending in ["\n", "\r\n"] {
            let text = text.replace('\n', ending);
            let tree = parse(syntax, &text).expect("a document");
            let found: Vec<(&str, String, String)> = (1..tree.nodes.len())
                .map(|node| {
                    let plain = |text: &str| text.replace("\r\n", "\n");
                    let name = tree.name(node).expect("a name");
                    (name, plain(tree.written(node)), plain(tree.scalar(node)))
                })
                .collect();
            let expected: Vec<(&str, String, String)> = expected
                .iter()
                .map(|&(name, written, value)| (name, written.into(), value.into()))
                .collect();
            assert_eq!(found, expected);
        }
    }

    #[track_caller]
    fn check_fault(syntax: Syntax, text: &str, offset: usize) {
        assert_eq!(parse(syntax, text).map(|_| ()).expect_err("a fault").offset, offset);
    }

    #[test]
    fn env_files_have_assignments() {
        let text = "# c\nA=1\n export B = 'x # \\n' # c\n\n\
                    C=a b#c  # d\nD=\nE= # d\nJ=#\nexport F\n\
                    G=\"a\\n\\\"\\$\n# b=${A}\"\nA=\"x\"/'y'\nH='a\nb'\nI=x\"";
        check(
            Syntax::Env,
            text,
            &[
                ("A", "1", "1"),
                ("B", "'x # \\n'", "x # \\n"),
                ("C", "a b#c", "a b#c"),
                ("D", "", ""),
                ("E", "", ""),
                ("J", "#", "#"),
                ("G", "\"a\\n\\\"\\$\n# b=${A}\"", "a\n\"$\n# b=${A}"),
                ("A", "\"x\"/'y'", "\"x\"/'y'"),
                ("H", "'a\nb'", "a\nb"),
                ("I", "x\"", "x\""),
            ],
        );
        check(Syntax::Env, "", &[]);
        check_fault(Syntax::Env, "A=1\n b c=2", 5);
        check_fault(Syntax::Env, "A=1\n=2", 4);
        check_fault(Syntax::Env, "A= \"x\nB=1", 3);
        check_fault(Syntax::Env, "A='x\ny'z", 7);
    }

    #[test]
    fn properties_have_escapes_and_continued_lines() {
        let text = "# c \\\n! c\na=1\n b : x \nc d=e\n\
                    f\\ \\=\\u00e4 = \\u00E4\\t\\q\\\\\ng = x,\\\n   y\\\n\
                    \nh\n\ni =\nj\\\n k = \\\n l\n==\nm=\\uD83D\\uDE00\nn=x\\";
        check(
            Syntax::Properties,
            text,
            &[
                ("a", "1", "1"),
                ("b", "x ", "x "),
                ("c", "d=e", "d=e"),
                ("f =ä", "\\u00E4\\t\\q\\\\", "ä\tq\\"),
                ("g", "x,\\\n   y\\\n", "x,y"),
                ("h", "", ""),
                ("i", "", ""),
                ("jk", "l", "l"),
                ("", "=", "="),
                ("m", "\\uD83D\\uDE00", "😀"),
                ("n", "x", "x"),
            ],
        );
        check_fault(Syntax::Properties, "a=1\nb=\\u12g4", 6);
        check_fault(Syntax::Properties, "b=\\uD83D", 2);
    }

    #[test]
    fn values_are_read_as_they_were_written() {
        let values = [
            "", " ", "a", "a b", " a", "a ", "#", "a#b", "a #b", "'", "\"", "'\"", "a'b", "a\"b",
            "\\", "a\\nb", "a\nb", "\r\n", "\t", "=", ":x", "!", "${A}", "$A \"x\"", "ä😀",
            "\u{c}", "\u{1}",
        ];
        let olds = [None, Some(""), Some("x"), Some("x y"), Some("'x'"), Some("\"x\"")];
        let olds = olds.into_iter().chain([Some("\"x\ny\""), Some("x\\:\\u00e4")]);
        for (old, value) in olds.flat_map(|old| values.map(|value| (old, value))) {
            let written = env_form::render(value, old).ok();
            for (separator, written) in ["=", " = "].into_iter().zip(written.iter().cycle()) {
                let text = format!("A{separator}{written}\nB{separator}x\n");
                let tree = parse_env(&text).expect("variables");
                assert_eq!((tree.scalar(1), tree.nodes.len()), (value, 3), "{text}");
            }
            for separator in ["=", " : ", " "] {
                let text =
                    format!("A{separator}{}\nB{separator}x\n", render_properties(value, old));
                let tree = parse_properties(&text).expect("properties");
                assert_eq!((tree.scalar(1), tree.nodes.len()), (value, 3), "{text}");
            }
        }
        let rendered = [
            (render_properties("x://ä", Some("y\\://\\u00e4")), "x\\://\\u00E4"),
            (render_properties("x://ä", None), "x://ä"),
        ];
        for (rendered, expected) in rendered {
            assert_eq!(rendered, expected);
        }
    }

    #[test]
    fn entries_are_added_deleted_and_renamed() {
        let check = |syntax, text: &str, expected: &str, edit: &dyn Fn(&Tree) -> Planned| {
            let tree = parse(syntax, text).expect("a document");
            let result = apply(text, &edit(&tree).expect("changes"));
            assert_eq!(result, expected);
            parse(syntax, &result).expect("a document");
        };
        let env = "# file\n\nexport A='1\n# 2'\n# b\nB = 2\n\n# end";
        check(Syntax::Env, env, &env.replace("B = 2", "B = 2\nN = 9"), &|t| insert(t, "N", "9"));
        check(Syntax::Env, env, &env.replace("# b\nB = 2\n", ""), &|t| Ok(remove(t, 2)));
        check(Syntax::Env, env, &env.replace("export A='1\n# 2'\n", ""), &|t| Ok(remove(t, 1)));
        check(Syntax::Env, "# file\nA=1\nB=2\n", "# file\nB=2\n", &|t| Ok(remove(t, 1)));
        check(Syntax::Env, env, &env.replace("A=", "N="), &|t| rename(t, 1, "N"));
        check(Syntax::Env, "export A=1", "export A=1\nexport N=9", &|t| insert(t, "N", "9"));
        check(Syntax::Env, "", "N=9\n", &|t| insert(t, "N", "9"));
        let list = "a   : x,\\\r\n  y\r\n! b\r\nb\r\n";
        check(Syntax::Properties, list, &format!("{list}n\\ =9\r\n"), &|t| insert(t, "n ", "9"));
        check(Syntax::Properties, list, "! b\r\nb\r\n", &|t| Ok(remove(t, 1)));
        check(Syntax::Properties, list, &list.replace("b\r\nb", "b\r\nb=9"), &|t| {
            Ok(set(t, 2, "9"))
        });
        check(Syntax::Properties, list, &list.replace("b\r\nb", "b\r\n\\#\\:"), &|t| {
            rename(t, 2, "#:")
        });
        check(Syntax::Properties, "a\\\n", "a\\\n\nn=9\n", &|t| insert(t, "n", "9"));
        check(Syntax::Properties, "a\\\n", "a=9", &|t| Ok(set(t, 1, "9")));
        let tree = parse_env("A=1").expect("variables");
        assert!(rename(&tree, 1, "a b").is_err() && insert(&tree, "a=", "1").is_err());
    }
}
