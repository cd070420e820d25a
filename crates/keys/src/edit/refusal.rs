//! Why edits of keys are refused.

use std::fmt;

/// The reason why an edit of keys is refused. Most reasons concern INI files; those of the other
/// formats are sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyRefusal {
    /// The value spans several lines by the rules of TOML, so its end is unknown.
    OpenValue {
        /// The index of the key.
        index: usize,
        /// Its name.
        name: String,
    },
    /// Lines below a blank line or a comment may belong to the value.
    MayContinue {
        /// The index of the key.
        index: usize,
        /// Its name.
        name: String,
        /// The first of these lines.
        line: u64,
    },
    /// The value would be read as something else.
    OtherValue(String),
    /// The value has several lines.
    SeveralLines,
    /// The value begins or ends with whitespace that some programs remove.
    WideEdges,
    /// The text would not be read as the name of a key.
    NoKeyName(String),
    /// The text would not be read as the name of a section.
    NoSectionName(String),
    /// There are no keys before the first section, and a new one is not possible there.
    NeedsSection(String),
    /// The key is not before the first section, but in sections.
    InSections {
        /// The name of the key.
        name: String,
        /// The indices of the keys in sections with this name.
        keys: Vec<usize>,
    },
    /// The key exists.
    Exists {
        /// The index of the existing key.
        index: usize,
        /// Its name.
        name: String,
    },
    /// A key is on the line of the marker of its section.
    OnMarkerLine {
        /// The index of the section.
        section: usize,
    },
    /// The content is not a line of the key, or not only that.
    NotOneKey(String),
    /// Another reason, as a sentence without a full stop.
    Other(String),
}

impl fmt::Display for KeyRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenValue { name, .. } => write!(
                formatter,
                "the value of '{name}' spans several lines as in TOML, which INI does not support"
            ),
            Self::MayContinue { name, line, .. } => {
                write!(
                    formatter,
                    "the value of '{name}' may continue on line {line}, after a blank line"
                )
            }
            Self::OtherValue(value) => {
                write!(formatter, "the value '{value}' would be read as something else")
            }
            Self::SeveralLines => write!(formatter, "a value of this format has one line"),
            Self::WideEdges => {
                write!(
                    formatter,
                    "the value begins or ends with whitespace that some programs remove"
                )
            }
            Self::NoKeyName(name) => {
                write!(formatter, "'{}' would not be the name of a key", name.escape_debug())
            }
            Self::NoSectionName(name) => {
                write!(formatter, "'{}' would not be the name of a section", name.escape_debug())
            }
            Self::NeedsSection(name) => write!(formatter, "the new key '{name}' needs a section"),
            Self::InSections { name, .. } => {
                write!(formatter, "no key '{name}' before the first section")
            }
            Self::Exists { name, .. } => write!(formatter, "there is already a key '{name}'"),
            Self::OnMarkerLine { .. } => {
                write!(formatter, "a key on the line of its section is not supported")
            }
            Self::NotOneKey(name) => {
                write!(formatter, "the content is not a line that sets the key '{name}'")
            }
            Self::Other(message) => formatter.write_str(message),
        }
    }
}

impl From<String> for KeyRefusal {
    fn from(message: String) -> Self {
        Self::Other(message)
    }
}

impl From<KeyRefusal> for String {
    fn from(refusal: KeyRefusal) -> Self {
        refusal.to_string()
    }
}
