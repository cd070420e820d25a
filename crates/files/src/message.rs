//! Messages in which options are marked, so that each surface can name them in its own way: the
//! command line as `--section`, a tool as `section`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

/// An option, by its long name with dashes, such as `--section`; or an operand, by its identifier.
/// Formatted into the text of a [`Message`], it is marked as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Opt(pub &'static str);

impl Opt {
    /// Whether this is an option, not an operand.
    pub fn is_option(self) -> bool {
        self.0.starts_with('-')
    }

    /// Marks an option whose name is known only at run time.
    pub fn marked(name: &str) -> String {
        format!("{START}{name}{END}")
    }
}

impl fmt::Display for Opt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{START}{}{END}", self.0)
    }
}

// Unicode reserves these characters for use within a program.
const START: char = '\u{FDD0}';
const END: char = '\u{FDD1}';

/// Text for people, in which options are marked. Displayed, it has their names on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(String);

impl Message {
    /// Returns the text with the names of options that `name` returns.
    pub fn with_names(&self, name: impl Fn(&str) -> String) -> String {
        let mut text = String::with_capacity(self.0.len());
        let mut rest = self.0.as_str();
        while let Some((before, option, after)) = split_at_option(rest) {
            text.push_str(before);
            text.push_str(&name(option));
            rest = after;
        }
        text + rest
    }

    /// Adds text to the end.
    pub fn push(&mut self, more: impl Into<Self>) {
        self.0.push_str(&more.into().0);
    }

    /// Returns the message with text before it.
    #[must_use]
    pub fn after(self, start: impl Into<Self>) -> Self {
        Self(start.into().0 + &self.0)
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Truncates the text in the middle, so that it has about `most` bytes.
    #[must_use]
    pub fn shortened(self, most: usize) -> Self {
        if self.0.len() <= most {
            return self;
        }
        let mut ends = [most / 2, self.0.len() - most / 2];
        for end in &mut ends {
            while !self.0.is_char_boundary(*end) {
                *end -= 1;
            }
        }
        Self(format!("{}…{}", &self.0[..ends[0]], &self.0[ends[1]..]))
    }
}

/// Splits a text into what precedes the first option, the option, and the rest.
fn split_at_option(text: &str) -> Option<(&str, &str, &str)> {
    // A name that a user typed, and the message quotes, may contain these characters too.
    let is_option = |name: &str| {
        !name.is_empty() && name.chars().all(|character| matches!(character, '!'..='~'))
    };
    text.match_indices(START).find_map(|(start, mark)| {
        let (option, after) = text[start + mark.len()..].split_once(END)?;
        is_option(option).then_some((&text[..start], option, after))
    })
}

impl fmt::Display for Message {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.as_str();
        while let Some((before, option, after)) = split_at_option(rest) {
            formatter.write_str(before)?;
            formatter.write_str(option)?;
            rest = after;
        }
        formatter.write_str(rest)
    }
}

/// In JSON, a message is its text on the command line.
impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for Message {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

impl<T: Into<String>> From<T> for Message {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl PartialEq<str> for Message {
    fn eq(&self, other: &str) -> bool {
        self.to_string().as_str() == other
    }
}

impl PartialEq<&str> for Message {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IN: Opt = Opt("--in");

    #[test]
    fn only_options_are_renamed() {
        let message = Message::from(format!("no section '--in': ({IN}), {}", Opt::marked("-x")));
        assert_eq!(message, "no section '--in': (--in), -x");
        let name = |option: &str| option.trim_start_matches('-').to_uppercase();
        assert_eq!(message.with_names(name), "no section '--in': (IN), X");
    }

    #[test]
    fn marks_that_a_user_typed_are_shown() {
        for typed in [
            "\u{FDD0}",
            "\u{FDD1}",
            "\u{FDD0}\u{FDD1}",
            "\u{FDD0}é\u{FDD1}",
            "\u{FDD0}\u{FDD0}a b\u{FDD1}",
        ] {
            let message = Message::from(format!("no section '{typed}' ({IN})"));
            assert_eq!(message, format!("no section '{typed}' (--in)").as_str());
        }
    }

    #[test]
    fn messages_are_extended() {
        let mut message = Message::from("a").after(format!("{IN}: "));
        message.push(format!(" or {IN}"));
        assert_eq!(message.with_names(|_| "in".to_owned()), "in: a or in");
    }

    #[test]
    fn the_middle_of_a_long_message_is_omitted() {
        let message = Message::from(format!("{}é", "ü".repeat(50))).shortened(21).to_string();
        assert_eq!(message, format!("{}…{}é", "ü".repeat(5), "ü".repeat(4)));
        assert_eq!(Message::from("x".repeat(20)).shortened(20), *"x".repeat(20));
    }
}
