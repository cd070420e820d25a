//! Key paths, such as `jobs.test.steps[0].name`.

use folio_text::sections::is_continued;

/// Maximum nesting of a document, and number of steps of a path.
pub const MAX_DEPTH: usize = 512;

/// A path from the root of a document to an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPath {
    /// The path as given.
    pub source: String,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A step from a mapping or list to an entry of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The key with this name.
    Name(String),
    /// The item with this number, counted from 0. Negative numbers count from the end.
    Index(i64),
    /// An item that is a mapping with this key and value.
    Where {
        /// The key.
        key: String,
        /// Its value, without quotes.
        value: String,
    },
}

impl KeyPath {
    /// Returns the path to a key at the root. Its name may contain any characters.
    ///
    /// In a name such as `A[1]`, the number selects one of several keys `A`. The name may be in
    /// double quotes.
    pub fn of_name(name: &str) -> Self {
        let (base, number) = match split_index(name) {
            Some((base, number)) => (base, Some(number)),
            None => (name, None),
        };
        let base = unquoted(base).unwrap_or_else(|| base.to_owned());
        let steps = std::iter::once(Step::Name(base)).chain(number.map(Step::Index)).collect();
        Self { source: name.to_owned(), steps }
    }

    /// Parses a path. A name in quotes is exactly the text between them.
    ///
    /// # Errors
    ///
    /// Fails with a message if a step is incomplete, or if the path has more steps than a document
    /// has levels.
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        let mut rest = source;
        while !rest.is_empty() {
            if steps.len() == MAX_DEPTH {
                return Err(format!("the path has more than {MAX_DEPTH} levels"));
            }
            let (step, next) = first_step(rest, Quoting::Typed)?;
            steps.push(step);
            rest = next;
        }
        if steps.is_empty() {
            Err("the path is empty".to_owned())
        } else {
            Ok(Self { source: source.to_owned(), steps })
        }
    }
}

/// How the text between quotes is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    /// The text is literal, except for quotes after a backslash in double quotes.
    Typed,
    /// In double quotes, a backslash escapes a quote, a slash or a backslash, `\n`, `\r` and `\t`
    /// are a line feed, a carriage return and a tab, and `\u` precedes four hexadecimal digits.
    Escaped,
}

/// Splits a path into its first step and the rest, without the dot between them.
pub(super) fn first_step(text: &str, quoting: Quoting) -> Result<(Step, &str), String> {
    let (step, rest) = match text.strip_prefix('[') {
        Some(inner) => bracket_step(inner, quoting)?,
        None => {
            let (name, rest) = first_name(text, quoting)?;
            (Step::Name(name), rest)
        }
    };
    match rest.strip_prefix('.') {
        Some("") => Err("the path ends in a dot".to_owned()),
        Some(next) if !next.starts_with('[') => Ok((step, next)),
        None if rest.is_empty() || rest.starts_with('[') => Ok((step, rest)),
        _ => Err(format!("'{rest}' must begin with a dot or a bracket")),
    }
}

/// Returns the text between the quotes of a name that is completely in quotes.
pub fn unquoted(name: &str) -> Option<String> {
    let quote = name.chars().next().filter(|first| ['"', '\''].contains(first))?;
    let (inner, rest) = split_quoted(name, quote, Quoting::Typed).ok()?;
    rest.is_empty().then_some(inner)
}

/// Splits `A[1]` into a name and a number.
pub fn split_index(name: &str) -> Option<(&str, i64)> {
    let (base, number) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((base, number.parse().ok()?))
}

/// Returns the position of the entry with a number among `count` entries. Negative numbers count
/// from the end.
pub fn position(number: i64, count: usize) -> Option<usize> {
    let position = match usize::try_from(number) {
        Ok(number) => number,
        Err(_) => count.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?,
    };
    (position < count).then_some(position)
}

/// Splits a path into its first name and the rest.
fn first_name(text: &str, quoting: Quoting) -> Result<(String, &str), String> {
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        return split_quoted(text, quote, quoting);
    }
    let end = text.find(['.', '[']).unwrap_or(text.len());
    match end {
        0 => Err("a name is missing between two dots".to_owned()),
        _ => Ok((text[..end].to_owned(), &text[end..])),
    }
}

/// Characters that would break a line of output, with their escapes in a quoted name.
const ESCAPES: [(char, char); 3] = [('\n', 'n'), ('\r', 'r'), ('\t', 't')];

/// Splits a text into a quoted string and the rest.
fn split_quoted(text: &str, quote: char, quoting: Quoting) -> Result<(String, &str), String> {
    let is_escaped = |at: usize| quote == '"' && is_continued(&text.as_bytes()[1..at]);
    let mut closing_quotes = text.match_indices(quote).map(|(at, _)| at).skip(1).peekable();
    // If no other quote ends the name, it may end in a backslash.
    let first = closing_quotes.peek().copied();
    let end = closing_quotes.find(|&at| !is_escaped(at)).or(first);
    let end = end.ok_or_else(|| format!("the closing {quote} is missing"))?;
    let inner = match (quote, quoting) {
        ('"', Quoting::Escaped) => resolve_escapes(&text[1..end])?,
        ('"', Quoting::Typed) => text[1..end].replace("\\\"", "\""),
        _ => text[1..end].to_owned(),
    };
    Ok((inner, &text[end + 1..]))
}

fn resolve_escapes(text: &str) -> Result<String, String> {
    let mut resolved = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            resolved.push(character);
            continue;
        }
        let Some(next) = characters.next() else { break };
        if next == 'u' {
            let digits: String = characters.by_ref().take(4).collect();
            let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4);
            let character = code.and_then(char::from_u32);
            resolved.push(character.ok_or_else(|| format!("\\u{digits} is no character"))?);
            continue;
        }
        let escape = ESCAPES.iter().find(|(_, letter)| *letter == next);
        let literal = ['"', '\'', '\\', '/'].contains(&next).then_some(next);
        let character = escape.map(|(character, _)| *character).or(literal);
        resolved.push(character.ok_or_else(|| format!("\\{next} is no escape sequence"))?);
    }
    Ok(resolved)
}

/// Parses the text after a `[`, up to its `]`.
fn bracket_step(text: &str, quoting: Quoting) -> Result<(Step, &str), String> {
    let missing = || "the closing ] is missing".to_owned();
    if let Some(quote @ ('"' | '\'')) = text.chars().next()
        && let (name, rest) = split_quoted(text, quote, quoting)?
        && let Some(rest) = rest.strip_prefix(']')
    {
        return Ok((Step::Name(name), rest));
    }
    let end = text.find(['=', ']']).ok_or_else(missing)?;
    let inner = text[..end].trim();
    if text[end..].starts_with(']') {
        let index = inner.parse().map_err(|_| {
            format!("[{inner}] is neither the number of an item nor a condition: [2], [name=web]")
        })?;
        return Ok((Step::Index(index), &text[end + 1..]));
    }
    let condition = &text[end + 1..];
    let (value, rest) = match condition.chars().next() {
        Some(quote @ ('"' | '\'')) => split_quoted(condition, quote, quoting)?,
        _ => {
            let end = condition.find(']').ok_or_else(missing)?;
            (condition[..end].to_owned(), &condition[end..])
        }
    };
    let key = inner.trim_matches(['"', '\'']).to_owned();
    let rest = rest.strip_prefix(']').ok_or_else(missing)?;
    Ok((Step::Where { key, value }, rest))
}

/// Appends a name to a path, in quotes if necessary.
pub fn push_name(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    let is_special = |character: char| ".[]\"'".contains(character) || character.is_control();
    let is_plain = !name.is_empty() && !name.contains(is_special) && name.trim() == name;
    if is_plain {
        path.push_str(name);
    } else {
        push_quoted(path, name);
    }
}

/// Appends a name in quotes. Prefers a spelling in which the name is as it would be typed.
fn push_quoted(path: &mut String, name: &str) {
    let spellings =
        [format!("\"{name}\""), format!("'{name}'"), format!("\"{}\"", name.replace('"', "\\\""))];
    let is_read = |spelling: &&String| unquoted(spelling).as_deref() == Some(name);
    if !name.contains(char::is_control)
        && let Some(spelling) = spellings.iter().find(is_read)
    {
        path.push_str(spelling);
        return;
    }
    path.push('"');
    for character in name.chars() {
        let escape = ESCAPES.iter().find(|(other, _)| *other == character);
        if escape.is_some() || matches!(character, '"' | '\\') {
            path.push('\\');
        }
        path.push(escape.map_or(character, |(_, letter)| *letter));
    }
    path.push('"');
}

/// Appends steps to a path.
pub fn push_steps(path: &mut String, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Name(name) => push_name(path, name),
            Step::Index(number) => path.push_str(&format!("[{number}]")),
            Step::Where { key, value } => {
                let mut quoted = String::new();
                push_quoted(&mut quoted, value);
                path.push_str(&format!("[{key}={quoted}]"));
            }
        }
    }
}

/// Appends the number of an item to a path.
pub fn push_index(path: &mut String, index: u32) {
    path.push_str(&format!("[{index}]"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &[Step]) {
        assert_eq!(KeyPath::parse(source).map(|path| path.steps).as_deref(), Ok(expected));
    }

    fn name_step(name: &str) -> Step {
        Step::Name(name.to_owned())
    }

    #[test]
    fn a_path_has_names_numbers_and_conditions() {
        check(
            "a.b-c[2][-1].d",
            &[name_step("a"), name_step("b-c"), Step::Index(2), Step::Index(-1), name_step("d")],
        );
        check(r#"a."b.c".'d"'"#, &[name_step("a"), name_step("b.c"), name_step("d\"")]);
        check(r#"t."C:\x""#, &[name_step("t"), name_step(r"C:\x")]);
        check(r#""C:\new\\x".b"#, &[name_step(r"C:\new\\x"), name_step("b")]);
        check(r#""say \"x\"".'C:\'"#, &[name_step("say \"x\""), name_step(r"C:\")]);
        check(r#""C:\".b"#, &[name_step(r"C:\"), name_step("b")]);
        let condition =
            |key: &str, value: &str| Step::Where { key: key.into(), value: value.into() };
        check("[name=web].x", &[condition("name", "web"), name_step("x")]);
        check("a[k=\"x]y\"]", &[name_step("a"), condition("k", "x]y")]);
        check("@types/node", &[name_step("@types/node")]);
        check(r#"["a]"].b"#, &[name_step("a]"), name_step("b")]);
    }

    #[test]
    fn escapes_in_quotes_are_another_reading() {
        let read = |text| match first_step(text, Quoting::Escaped) {
            Ok((Step::Name(name), rest)) => Some((name, rest)),
            _ => None,
        };
        assert_eq!(read(r#""caf\u00e9\t\"\\".b"#), Some(("caf\u{e9}\t\"\\".to_owned(), "b")));
        assert_eq!([read(r#""\ud83d""#), read(r#""C:\x""#)], [None, None]);
    }

    #[test]
    fn a_path_has_at_most_as_many_steps_as_a_document_has_levels() {
        let path = |count| ["k"].repeat(count).join(".");
        assert_eq!(KeyPath::parse(&path(512)).map(|path| path.steps.len()), Ok(512));
        let message = KeyPath::parse(&path(513)).expect_err("too long");
        assert_eq!(message, "the path has more than 512 levels");
    }

    #[test]
    fn names_without_nesting_may_be_quoted_and_numbered() {
        for (name, expected) in [
            ("a.b", vec![name_step("a.b")]),
            ("\"a.b\"", vec![name_step("a.b")]),
            ("\"a\"b", vec![name_step("\"a\"b")]),
            ("\"a.b\"[-1]", vec![name_step("a.b"), Step::Index(-1)]),
        ] {
            assert_eq!(KeyPath::of_name(name).steps, expected);
        }
        assert_eq!([position(1, 2), position(-2, 2), position(2, 2)], [Some(1), Some(0), None]);
        assert_eq!([position(-3, 2), position(i64::MIN, 2)], [None, None]);
    }

    #[test]
    fn steps_are_appended_to_a_path() {
        let source = "a[n=\"x]\"].\"b.c\"[-1]";
        let mut path = String::new();
        push_steps(&mut path, &KeyPath::parse(source).expect("a path").steps);
        assert_eq!(path, source);
    }

    #[test]
    fn incomplete_paths_are_errors() {
        for source in
            ["", ".", "a.", "a..b", "a[", "a[x]", "a[1", "a[1]b", "\"a", "a[k=\"v]", "a.[0]"]
        {
            assert!(KeyPath::parse(source).is_err(), "{source}");
        }
    }

    #[test]
    fn names_are_quoted_in_paths() {
        for (name, expected) in [
            ("a", "k.a"),
            ("a.b", r#"k."a.b""#),
            (r#"a"\b"#, r#"k.'a"\b'"#),
            ("", r#"k."""#),
            ("x[0]", r#"k."x[0]""#),
            (" a", r#"k." a""#),
            ("it's", r#"k."it's""#),
            ("ä ö", "k.ä ö"),
            (r"C:\n.", r#"k."C:\n.""#),
            (r#"it's "x""#, r#"k."it's \"x\"""#),
        ] {
            let mut path = String::from("k");
            push_name(&mut path, name);
            assert_eq!(path, expected);
            assert_eq!(
                KeyPath::parse(&path).expect("a path").steps,
                [name_step("k"), name_step(name)]
            );
        }
        for name in ["a\tb\r\n", r#"it's \""#] {
            let mut path = String::new();
            push_name(&mut path, name);
            assert_eq!(first_step(&path, Quoting::Escaped), Ok((name_step(name), "")), "{path}");
        }
    }
}
