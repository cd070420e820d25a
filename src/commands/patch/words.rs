//! What a field of an edit is called where the edit comes from: on the command
//! line or in JSON.

use std::borrow::Cow;

use crate::error::{Error, Hint};

/// How fields are called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Words {
    /// As flags: `--if-match`.
    #[default]
    Flags,
    /// As fields of JSON: `ifMatch`.
    Fields,
}

impl Words {
    /// The name of a field, given by its flag.
    pub(super) fn name(self, flag: &str) -> Cow<'_, str> {
        match (self, flag) {
            (Self::Flags, _) => flag.into(),
            (Self::Fields, "-w") => "wordRegexp".into(),
            (Self::Fields, "-x") => "lineRegexp".into(),
            (Self::Fields, _) => {
                let mut parts = flag.trim_start_matches('-').split(['-', '_']);
                let first = parts.next().unwrap_or_default().to_owned();
                let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
                parts.fold(first, |name, part| name + &capital(part)).into()
            }
        }
    }

    /// An error with fields to add; a flag without a value is `true` in JSON.
    pub(super) fn hint(self, error: Error, fields: &[(&'static str, &str)], why: &str) -> Error {
        error.hint(match self {
            Self::Flags => {
                let words = fields.iter().flat_map(|(flag, value)| [*flag, *value]);
                Hint::flag(words.filter(|word| !word.is_empty())).why(why)
            }
            Self::Fields => {
                let pairs = fields.iter().map(|(flag, value)| {
                    let value = match *value {
                        "" => "true".to_owned(),
                        value => serde_json::Value::from(value).to_string(),
                    };
                    format!("\"{}\":{value}", self.name(flag))
                });
                let pairs = pairs.collect::<Vec<_>>().join(",");
                Hint::Text(if why.is_empty() { pairs } else { format!("{pairs}  # {why}") })
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_called_as_where_they_come_from() {
        let error = || Error::usage("x");
        let flags = Words::Flags.hint(error(), &[("--in", "A b")], "there");
        assert_eq!(flags.hints[0].to_string(), "--in 'A b'  # there");
        let fields = [("--if-range-match", "1"), ("--unique", "")];
        let fields = Words::Fields.hint(error(), &fields, "there");
        assert_eq!(fields.hints[0].to_string(), r#""ifRangeMatch":"1","unique":true  # there"#);
    }
}
