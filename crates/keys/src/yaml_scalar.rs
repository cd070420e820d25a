//! Scalars of YAML: the types that parsers give them, and their source in each style.

use super::parse::parse_text;
use super::quoting::quoted;
use super::tree::{Kind, Syntax};
pub(super) use super::yaml_parts::{BLANKS, BlockScalar, is_all, is_decimal, plain_kind};

/// A type of plain scalars in YAML 1.1. YAML 1.2 reads some of them as strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum OldType {
    /// `yes`, `off`, and those of YAML 1.2.
    Boolean,
    /// `1_000`, `0b11`, and those of YAML 1.2.
    Number,
    /// A number in base 60, such as `1:30`.
    Sexagesimal,
    /// A number in base 60 that begins with a zero, such as `01:30`. Some parsers read it as a
    /// string.
    PaddedSexagesimal,
    /// A date, with or without a time.
    Timestamp,
    /// A date without all of its digits, such as `2020-1-2`. Most parsers read it as a string.
    ShortDate,
}

impl OldType {
    /// Returns its kind, if all parsers of YAML 1.1 agree about it.
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::Boolean => Some(Kind::Boolean),
            Self::Number | Self::Sexagesimal => Some(Kind::Integer),
            Self::Timestamp => Some(Kind::Date),
            Self::PaddedSexagesimal | Self::ShortDate => None,
        }
    }
}

/// Returns the type that parsers of YAML 1.1 give an unquoted scalar, unless it is a string or
/// null.
pub(super) fn old_type(text: &str) -> Option<OldType> {
    if is_boolean(text) {
        return Some(OldType::Boolean);
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
        return None;
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if is_old_number(unsigned) {
        return Some(OldType::Number);
    }
    sexagesimal(unsigned).or_else(|| timestamp(text))
}

fn is_boolean(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let capitalized = || {
        let (first, rest) = lower.split_at_checked(1).unwrap_or_default();
        first.to_ascii_uppercase() + rest
    };
    matches!(&lower[..], "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false")
        && (text == lower || text == lower.to_ascii_uppercase() || text == capitalized())
}

fn is_old_number(unsigned: &str) -> bool {
    let lower = unsigned.to_ascii_lowercase();
    let are_digits_in = |digits: &str, base: u32| {
        is_all(digits, |digit| digit.is_digit(base) || digit == '_')
            && digits.contains(|digit: char| digit.is_digit(base))
    };
    let based = [("0b", 2), ("0o", 8), ("0x", 16)].into_iter();
    let mut based = based.filter_map(|(prefix, base)| Some((lower.strip_prefix(prefix)?, base)));
    based.any(|(digits, base)| are_digits_in(digits, base))
        || !unsigned.starts_with('_') && is_decimal(unsigned, |digits| are_digits_in(digits, 10))
        || matches!(&lower[..], ".inf" | ".nan")
}

/// Returns the type of an unsigned number in base 60. All parts except the first are below 60:
/// `8080:80` is a string.
fn sexagesimal(unsigned: &str) -> Option<OldType> {
    let is_digits = |part: &str| part.chars().all(|digit| digit.is_ascii_digit() || digit == '_');
    let is_sexagesimal_digit = |part: &str| match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [ten, digit] => (b'0'..=b'5').contains(ten) && digit.is_ascii_digit(),
        _ => false,
    };
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let (first, rest) = whole.split_once(':')?;
    let is_number = first.starts_with(|first: char| first.is_ascii_digit())
        && is_digits(first)
        && rest.split(':').all(is_sexagesimal_digit)
        && is_digits(fraction);
    let is_padded = first.starts_with('0') && !unsigned.contains('.');
    is_number.then_some(if is_padded { OldType::PaddedSexagesimal } else { OldType::Sexagesimal })
}

fn timestamp(text: &str) -> Option<OldType> {
    let (date, time) = text.split_once(['T', 't', ' ', '\t']).unwrap_or((text, ""));
    let parts: Vec<&str> = date.split('-').collect();
    let is_digits = |part: &str| is_all(part, |digit| digit.is_ascii_digit());
    let [year, month, day] = parts[..] else { return None };
    let is_date = year.len() == 4
        && month.len() <= 2
        && day.len() <= 2
        && parts.into_iter().all(is_digits)
        && time.chars().all(|character| "0123456789:.+-Zz \t".contains(character));
    // One digit is enough if there is a time.
    let is_short = time.is_empty() && month.len() + day.len() < 4;
    is_date.then_some(if is_short { OldType::ShortDate } else { OldType::Timestamp })
}

/// Formats a text as a string. It is quoted unless YAML 1.1 and 1.2 read the plain text as the same
/// string, with the quotes of another string if possible.
pub(super) fn string(text: &str, in_flow: bool, quoted_model: Option<&str>) -> String {
    if is_plain(text, in_flow) {
        return text.to_owned();
    }
    let is_simple = text.contains('\'') && !text.contains(['"', '\\']);
    match quoted_model {
        _ if text.contains(is_escaped) => double_quoted(text),
        Some(model) if model.starts_with('"') => double_quoted(text),
        None if is_simple => double_quoted(text),
        _ => single_quoted(text),
    }
}

pub(super) fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

pub(super) fn double_quoted(text: &str) -> String {
    let escape = |character: char| {
        if character.is_ascii() || !is_escaped(character) {
            character.to_string()
        } else {
            format!("\\u{:04x}", character as u32)
        }
    };
    quoted(text).chars().map(escape).collect()
}

/// Whether YAML parsers disagree about a character that is not escaped: a control character, which
/// includes tabs, or another line ending of YAML 1.1.
pub(super) fn is_escaped(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Whether all parsers read a plain text as the same string.
pub(super) fn is_plain(text: &str, in_flow: bool) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_word = matches!(&lower[..], "y" | "n" | "yes" | "no" | "on" | "off" | "=" | "<<");
    // Parsers disagree about `?x` and `:x` in brackets.
    let marks: &[char] = if in_flow { &['|', '>', '?', ':'] } else { &['|', '>'] };
    let is_quoted = text.starts_with(marks) || text.contains(is_escaped);
    if is_quoted || is_word || old_type(text).is_some() || plain_kind(text) != Kind::String {
        return false;
    }
    let in_mapping = if in_flow { ("{k: ", "}") } else { ("k: ", "") };
    let in_list = if in_flow { ("[", "]") } else { ("- ", "") };
    [in_mapping, in_list].iter().all(|(before, after)| {
        let Ok(tree) = parse_text(Syntax::Yaml, &format!("{before}{text}{after}")) else {
            return false;
        };
        tree.nodes.len() == 2
            && tree.node(1).kind == Kind::String
            && tree.properties.is_empty()
            && tree.written(1) == text
            && tree.scalar(1) == text
    })
}

/// Formats a text as a block scalar that is not indented, in the style of another one. Returns
/// `None` if it needs quotes.
pub(super) fn block_scalar(text: &str, model: &str) -> Option<String> {
    let model = BlockScalar::parse(model)?;
    let is_odd = |character: char| is_escaped(character) && character != '\n' && character != '\t';
    let body = text.trim_end_matches('\n');
    if body.trim_matches(BLANKS).is_empty() || text.contains(is_odd) {
        return None;
    }
    let chomping = match text.len() - body.len() {
        0 => "-",
        1 if model.chomping != "+" => "",
        _ => "+",
    };
    // Only a single line is the same text in both styles.
    let is_folded = model.style == '>' && !body.contains('\n') && !body.starts_with([' ', '\t']);
    let style = if is_folded { '>' } else { '|' };
    let lines = text.strip_suffix('\n').unwrap_or(text);
    Some(format!("{style}{chomping}{}\n{lines}", model.rest))
}

/// Indents a block scalar whose header is at the start. `step` is the indentation relative to the
/// parent, which the header must give if the first line begins with a space.
pub(super) fn indented_scalar(source: &str, indent: usize, step: usize, newline: &str) -> String {
    let margin = " ".repeat(indent);
    let mut lines = source.split('\n');
    let header = lines.next().unwrap_or_default();
    let is_given =
        lines.clone().find(|line| !line.is_empty()).is_some_and(|line| line.starts_with(' '));
    let (style, rest) = header.split_at_checked(1).unwrap_or((header, ""));
    let given = if is_given { step.to_string() } else { String::new() };
    let mut text = format!("{style}{given}{rest}");
    for line in lines {
        text.push_str(newline);
        if !line.is_empty() {
            text.push_str(&margin);
        }
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_have_types() {
        let kinds = |texts: &[&str]| texts.iter().map(|text| plain_kind(text)).collect::<Vec<_>>();
        assert!(
            kinds(&["1", "-12", "+3", "0x1F", "0o17"]).iter().all(|kind| *kind == Kind::Integer)
        );
        assert!(
            kinds(&["1.", ".5", "1e3", "-1.5E-3", "-.inf", ".nan"])
                .iter()
                .all(|kind| *kind == Kind::Float)
        );
        assert!(
            kinds(&[".", "-", "1.2.3", "0x", "e3", "1e", "yes", "1_0"])
                .iter()
                .all(|kind| *kind == Kind::String)
        );
    }

    #[test]
    fn plain_scalars_have_other_types_in_yaml_1_1() {
        for (text, expected) in [
            ("yes", Some(OldType::Boolean)),
            ("TRUE", Some(OldType::Boolean)),
            ("oN", None),
            ("1_000.5", Some(OldType::Number)),
            ("-0b1_0", Some(OldType::Number)),
            ("0o17", Some(OldType::Number)),
            (".5", Some(OldType::Number)),
            ("_1", None),
            ("1:30", Some(OldType::Sexagesimal)),
            ("-1:30.5", Some(OldType::Sexagesimal)),
            ("1:30.", Some(OldType::Sexagesimal)),
            ("1_0:59:5", Some(OldType::Sexagesimal)),
            ("01:30", Some(OldType::PaddedSexagesimal)),
            ("80:80", None),
            ("8080:80", None),
            ("1:100", None),
            ("1:60", None),
            ("1:", None),
            ("_1:30", None),
            ("1:x", None),
            ("2020-1-2", Some(OldType::ShortDate)),
            ("2020-1-2 1:02:03", Some(OldType::Timestamp)),
            ("2020-01-02T03:04:05.6+07:00", Some(OldType::Timestamp)),
            ("2020-01-02 or later", None),
            ("0.1.0", None),
            ("1-2-3", None),
            ("-", None),
            ("x", None),
        ] {
            assert_eq!(old_type(text), expected, "{text}");
        }
    }

    #[test]
    fn text_that_parsers_disagree_about_is_quoted() {
        let written = |text: &str, in_flow: bool| string(text, in_flow, None);
        for (text, expected) in [
            ("|", "'|'"),
            (">x", "'>x'"),
            ("x\u{1b}y", "\"x\\u001by\""),
            ("x\u{7f}", "\"x\\u007f\""),
            ("x\u{85}y", "\"x\\u0085y\""),
            ("x\u{2028}y", "\"x\\u2028y\""),
            ("a\tb", "\"a\\tb\""),
            ("it's: x", "\"it's: x\""),
            ("#fff", "'#fff'"),
            ("0b1", "'0b1'"),
            ("", "''"),
            ("0.1.0", "0.1.0"),
            ("1.2.3", "1.2.3"),
        ] {
            assert_eq!([written(text, false), written(text, true)], [expected, expected]);
        }
        assert_eq!([written("?x", false), written("?x", true)], ["?x", "'?x'"]);
        assert_eq!([written(":x", false), written(":x", true)], [":x", "':x'"]);
    }

    #[test]
    fn block_scalars_are_indented_anew() {
        let reindented = |source: &str, parent: usize| {
            let scalar = BlockScalar::parse(source).expect("a block scalar");
            let indent = scalar.indent(parent).expect("text");
            indented_scalar(&scalar.without_indentation(indent), 4, 2, "\n")
        };
        assert_eq!(reindented("|\n  a\n\n   b", 0), "|\n    a\n\n     b");
        assert_eq!(reindented(">2- # c\n   a\n  b", 0), ">2- # c\n     a\n    b");
        assert_eq!(reindented("|+\n  a\n", 0), "|+\n    a\n");
        assert_eq!(reindented("|1\n \n  b", 0), "|2\n\n     b");
        assert_eq!(reindented("|\r\n  a\r\n  b", 0), "|\n    a\n    b");
        let written = |text, model| block_scalar(text, model);
        assert_eq!(written("a\n\n", "|"), Some("|+\na\n".to_owned()));
        assert_eq!(written("\n", "|"), None);
    }
}
