//! Converts the options in messages and hints to fields of JSON requests.

/// Converts the name of an option or identifier to camel case. `--if-match` and `if_match` become
/// `ifMatch`.
pub fn camel_case(name: &str) -> String {
    let mut parts = name.split(['-', '_']).filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| name + &part[..1].to_uppercase() + &part[1..])
}

/// Replaces each option in a message with the field that `name` returns. Does not change text
/// between quotes, because it is the user's text.
pub fn message(text: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_start = true;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' if is_start => quoted(rest),
            '-' if is_start => {
                let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
                let word = &rest[..end.unwrap_or(rest.len())];
                if let Some(name) = name(word) {
                    named.push_str(&name);
                    rest = &rest[word.len()..];
                    is_start = false;
                    continue;
                }
                word.len()
            }
            other => other.len_utf8(),
        };
        named.push_str(&rest[..length]);
        rest = &rest[length..];
        is_start = length == first.len_utf8() && (first.is_whitespace() || first == '(');
    }
    named
}

/// Returns the length of the quoted word at the start of a text, including both quotes.
fn quoted(text: &str) -> usize {
    let ends = text[1..].match_indices('\'').map(|(at, _)| at + 2);
    let is_end = |end: &usize| !text[*end..].starts_with(|c: char| c.is_alphanumeric());
    ends.into_iter().find(is_end).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_converted_to_fields() {
        let name = |flag: &str| {
            let name = flag.strip_prefix("--")?;
            name.starts_with(char::is_alphabetic).then(|| camel_case(name))
        };
        for (text, expected) in [
            ("--if-match needs --text, or FILE:N", "ifMatch needs text, or FILE:N"),
            ("no section '--to-next': it's (--in)", "no section '--to-next': it's (in)"),
            ("without --word-regexp, a - b, a-b, --", "without wordRegexp, a - b, a-b, --"),
        ] {
            assert_eq!(message(text, name), expected);
        }
        assert_eq!(camel_case("if_range_match"), "ifRangeMatch");
    }
}
