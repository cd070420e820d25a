//! Writes values of `.env` files in a form that the programs that read such files read alike: npm's
//! dotenv, Node.js (`--env-file`), python-dotenv, Docker Compose, and POSIX shells (`. ./.env`).
//!
//! They agree on three forms:
//!
//! - Text without quotes, if none of its characters has a meaning in any of the programs.
//! - Double quotes around text without `$`, backticks, double quotes and escape sequences. Shells
//!   and Compose expand the first two, Node.js ends the value at any quote, and each program has
//!   other escape sequences.
//! - Single quotes around text without single quotes. python-dotenv still resolves `\\` and
//!   `${NAME}` there, and a backslash before the last quote escapes it.
//!
//! Line breaks are written without escapes, because shells do not know `\n`. dotenv and Node.js
//! change carriage returns. `docker run --env-file` takes quotes as part of the value, so it agrees
//! with the other programs only on text without quotes.

use std::borrow::Cow;

/// A form of a value.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    Double,
    Single,
}

/// Formats a value, in the quotes of the old value if possible. References to variables that the
/// old value contains outside of single quotes remain references.
///
/// # Errors
///
/// Fails with a message if the programs read no form of the value alike.
pub(super) fn render(value: &str, old: Option<&str>) -> Result<String, String> {
    let old = old.unwrap_or_default();
    let forms: &[Form] = match old.chars().next() {
        Some('"') => &[Form::Double, Form::Single],
        Some('\'') => &[Form::Single, Form::Double],
        _ => &[Form::Plain, Form::Double, Form::Single],
    };
    let (text, has_references) = if old.starts_with('\'') {
        (value.to_owned(), false)
    } else {
        without_references(value, old)
    };
    let can_write = |form: &Form| match form {
        Form::Plain => is_plain(&text),
        Form::Double => is_double(&text),
        Form::Single => !has_references && is_single(value),
    };
    match forms.iter().copied().find(can_write) {
        Some(Form::Plain) => Ok(value.to_owned()),
        Some(Form::Double) => Ok(format!("\"{value}\"")),
        Some(Form::Single) => Ok(format!("'{value}'")),
        None => Err(format!(
            "dotenv, Node.js, python-dotenv, Docker Compose and sh read no form of this value alike, \
             because it contains {}; to write it for one of them, replace the whole line",
            reason_against_single_quotes(value)
        )),
    }
}

fn is_plain(text: &str) -> bool {
    let is_safe =
        |character: char| character.is_alphanumeric() || "_-./:@%+,=^*?[]!".contains(character);
    text.chars().all(is_safe)
}

fn is_double(text: &str) -> bool {
    let is_escape =
        |at: usize| text[at + 1..].starts_with(|next: char| "\\'\"$`\n0abcfnrtv".contains(next));
    !text.contains(['"', '$', '`', '\r'])
        && !text.ends_with('\\')
        && !text.match_indices('\\').any(|(at, _)| is_escape(at))
}

fn is_single(text: &str) -> bool {
    !text.contains(['\'', '\r'])
        && !text.contains("\\\\")
        && !text.ends_with('\\')
        && !has_braced_reference(text)
}

fn has_braced_reference(text: &str) -> bool {
    text.split_once("${").is_some_and(|(_, rest)| rest.contains('}'))
}

/// Returns what prevents a value from being written in single quotes.
fn reason_against_single_quotes(value: &str) -> &'static str {
    match value {
        _ if value.contains('\r') => "a carriage return",
        _ if has_braced_reference(value) => "a reference such as ${NAME}",
        _ if value.contains('\'') => "a single quote and another special character",
        _ if value.ends_with('\\') => "a backslash at its end",
        _ => "two backslashes in a row",
    }
}

/// Removes the references to variables that the old value contains. Also returns whether there are
/// any.
fn without_references(value: &str, old: &str) -> (String, bool) {
    let known: Vec<&str> = references(old).map(|(_, name)| name).collect();
    let (mut text, mut end) = (String::new(), 0);
    for (at, name) in references(value).filter(|(_, name)| known.contains(name)) {
        text.push_str(&value[end..at]);
        end = at + name.len();
    }
    text.push_str(&value[end..]);
    (text, end > 0)
}

/// Returns the references to variables in a text, such as `$A` and `${A:-x}`, with their offsets.
fn references(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('$').filter_map(|(at, _)| {
        let name = &text[at + 1..];
        let is_name_character =
            |character: char| character.is_ascii_alphanumeric() || character == '_';
        let length = if name.starts_with('{') {
            name.find('}')? + 1
        } else {
            name.find(|character: char| !is_name_character(character)).unwrap_or(name.len())
        };
        (length > 0).then(|| (at, &text[at..=at + length]))
    })
}

/// Returns the form of a value that the rest of its line follows. If this is a comment, programs
/// agree on a value without quotes only if it is not empty, and a space precedes the comment.
pub(super) fn quote_before_comment<'a>(written: &'a str, rest: &str) -> Cow<'a, str> {
    let blanks = rest.len() - rest.trim_start().len();
    let is_comment = rest[blanks..].starts_with('#');
    let is_quoted = written.starts_with(['"', '\'']);
    if is_comment && !is_quoted && (written.is_empty() || !rest[..blanks].ends_with(' ')) {
        Cow::Owned(format!("\"{written}\""))
    } else {
        Cow::Borrowed(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_chosen_that_programs_read_alike() {
        for (value, old, expected) in [
            ("b", "'a'", "'b'"),
            ("it's", "'a'", "\"it's\""),
            ("it's", "", "\"it's\""),
            ("a b", "", "\"a b\""),
            ("a b", "c d", "\"a b\""),
            ("a?b=c,d", "", "a?b=c,d"),
            ("a&b", "", "\"a&b\""),
            ("p#w", "x", "\"p#w\""),
            ("~/x", "", "\"~/x\""),
            ("a \"b\"", "\"c\"", "'a \"b\"'"),
            ("a`b`", "\"c\"", "'a`b`'"),
            ("$A", "c", "'$A'"),
            ("a\nb", "\"c\\nd\"", "\"a\nb\""),
            (r"C:\new", "\"c\"", r"'C:\new'"),
            (r"C:\x", "\"c\"", "\"C:\\x\""),
            (r"it's C:\x", "", "\"it's C:\\x\""),
            ("", "'a'", "''"),
            ("", "a", ""),
            ("${A}/c", "${A}/b", "${A}/c"),
            ("${A} c", "\"${A}/b\"", "\"${A} c\""),
            ("${ c", "", "'${ c'"),
        ] {
            assert_eq!(render(value, Some(old)).as_deref(), Ok(expected), "{value:?} {old:?}");
        }
    }

    #[test]
    fn values_that_programs_read_differently_are_refused() {
        for (value, old, reason) in [
            ("it's \"x\"", "", "a single quote and another"),
            (r"it's C:\new", "", "a single quote and another"),
            ("it's `x`", "", "a single quote and another"),
            (r"C:\dir\", "", "a backslash at its end"),
            (r"\\server\x", "'a'", "two backslashes"),
            ("${A}", "", "a reference"),
            ("${A}", "'${A}'", "a reference"),
            ("${A}${B}", "${A}", "a reference"),
            ("a\r\nb", "", "a carriage return"),
        ] {
            let message = render(value, Some(old)).expect_err(value);
            assert!(message.contains(reason), "{message}");
        }
    }

    #[test]
    fn a_comment_needs_a_value_before_it() {
        for (written, rest, expected) in [
            ("", " # c", "\"\""),
            ("", " ", ""),
            ("x", " # c", "x"),
            ("x", "\t# c", "\"x\""),
            ("x", "  ", "x"),
            ("'x'", "\t# c", "'x'"),
        ] {
            assert_eq!(quote_before_comment(written, rest), expected);
        }
    }
}
