//! Suggestions of what to do instead, as data. A hint names a command, or changes of the call as it
//! was given; the command line and the MCP server write it in their own form.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::message::{Message, Opt};

/// The purpose of a hint that suggests a search for the literal text of a pattern.
pub const LITERALLY: &str = "to match it literally";

/// Maximum length in bytes of a suggestion in words, which may quote names of any length.
const MAX_TEXT: usize = 8 << 10;

/// A suggestion, as data. A session formats it as a command line, and an MCP tool as a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Another folio command.
    Command {
        /// The name of the command, such as `read`.
        name: &'static str,
        /// The arguments, without quotes.
        args: Vec<OsString>,
        /// The purpose of the command. May be empty.
        why: Message,
    },
    /// The call as it was given, with changes.
    Again {
        /// The changes, in order.
        changes: Vec<Change>,
        /// The purpose of the changes. May be empty.
        why: Message,
    },
    /// A suggestion in words.
    Text(Message),
}

/// A change of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A switch is on.
    Switch(Opt),
    /// An option or operand has these values, instead of those in the call. If there are none, it is
    /// removed.
    Set(Opt, Vec<OsString>),
    /// An option has one more value.
    Add(Opt, OsString),
    /// The values of the first option are those of the second one.
    Rename(Opt, Opt),
    /// One of the values of an option is replaced. If the option does not have it, all are.
    Replace {
        /// The option.
        option: Opt,
        /// The value in the call.
        old: OsString,
        /// The value instead.
        new: OsString,
    },
    /// The operand that names this file has another path. Its lines or anchor remain.
    Path {
        /// The path in the call.
        old: PathBuf,
        /// The path instead.
        new: PathBuf,
    },
    /// Only this address is read. Options that select parts are removed.
    Only(OsString),
    /// Another command has the same options. Its words precede them.
    Command(&'static [&'static str]),
    /// Of the files of the call, only this one remains.
    OnlyFile(PathBuf),
    /// The operand that names this part of this file is this address.
    Address {
        /// The path in the call.
        path: PathBuf,
        /// The part in the call, such as `#install`. If no operand has it, the first one that names
        /// the file is replaced.
        part: String,
        /// The address instead, without quotes.
        address: OsString,
    },
}

impl Change {
    /// Gives an option or operand one value, instead of those in the call.
    pub fn set(option: Opt, value: impl Argument) -> Self {
        Self::Set(option, vec![value.argument()])
    }

    /// Gives an option one more value.
    pub fn add(option: Opt, value: impl Argument) -> Self {
        Self::Add(option, value.argument())
    }

    /// Removes an option or an operand.
    pub fn remove(option: Opt) -> Self {
        Self::Set(option, Vec::new())
    }

    /// Replaces one value of an option.
    pub fn replace(option: Opt, old: impl Argument, new: impl Argument) -> Self {
        Self::Replace { option, old: old.argument(), new: new.argument() }
    }

    /// Replaces the path in the operand that names a file.
    pub fn path(old: &Path, new: &Path) -> Self {
        Self::Path { old: old.to_owned(), new: new.to_owned() }
    }

    /// Replaces the operand that names a file.
    pub fn address(path: &Path, part: impl Into<String>, address: impl Argument) -> Self {
        let (path, part) = (path.to_owned(), part.into());
        Self::Address { path, part, address: address.argument() }
    }

    /// Returns the option or operand that is changed, unless the files are.
    pub fn option(&self) -> Option<Opt> {
        match self {
            Self::Switch(option)
            | Self::Set(option, _)
            | Self::Add(option, _)
            | Self::Rename(option, _)
            | Self::Replace { option, .. } => Some(*option),
            Self::Path { .. }
            | Self::Only(_)
            | Self::OnlyFile(_)
            | Self::Command(_)
            | Self::Address { .. } => None,
        }
    }

    /// Changes the operands that are files. Returns an operand for each of them, or `None` if it is
    /// removed. Returns `None` if no operand names the file of the change, for example because it
    /// is below a directory: then [`Change::file`] replaces them all.
    pub fn operands(&self, operands: &[OsString]) -> Option<Vec<Option<OsString>>> {
        let (Self::Path { old: path, .. } | Self::OnlyFile(path) | Self::Address { path, .. }) =
            self
        else {
            return None;
        };
        let parts: Vec<Option<&OsStr>> =
            operands.iter().map(|operand| part_after(operand, path)).collect();
        let first = parts.iter().position(Option::is_some)?;
        let given = || operands.iter().cloned().map(Some);
        Some(match self {
            Self::Address { part, address, .. } => {
                let same = parts.iter().position(|other| *other == Some(OsStr::new(part)));
                let mut changed: Vec<Option<OsString>> = given().collect();
                changed[same.unwrap_or(first)] = Some(address.clone());
                changed
            }
            Self::Path { new, .. } => {
                let mut seen = HashSet::new();
                let with_path = operands.iter().zip(parts).map(|(operand, part)| {
                    let other = part.map(|part| OsString::from_iter([&new.argument(), part]));
                    other.unwrap_or_else(|| operand.clone())
                });
                with_path.map(|operand| seen.insert(operand.clone()).then_some(operand)).collect()
            }
            _ => given().zip(parts).map(|(operand, part)| part.and(operand)).collect(),
        })
    }

    /// Returns the address that replaces all files of the call.
    pub fn file(&self) -> Option<OsString> {
        match self {
            Self::Path { new: path, .. } | Self::OnlyFile(path) => Some(path.argument()),
            Self::Only(address) | Self::Address { address, .. } => Some(address.clone()),
            _ => None,
        }
    }

    /// Returns the changed arguments, without the rest of the call.
    fn words(&self) -> Vec<OsString> {
        let with_value = |option: &Opt, value: &OsString| {
            let option = option.is_option().then(|| option.0.into());
            option.into_iter().chain([value.clone()]).collect::<Vec<_>>()
        };
        match self {
            Self::Switch(option) | Self::Rename(_, option) => vec![option.0.into()],
            Self::Set(option, values) => {
                values.iter().flat_map(|value| with_value(option, value)).collect()
            }
            Self::Add(option, new) | Self::Replace { option, new, .. } => with_value(option, new),
            Self::Path { new, .. } => vec![new.argument()],
            Self::OnlyFile(_) => Vec::new(),
            Self::Only(address) | Self::Address { address, .. } => vec![address.clone()],
            Self::Command(words) => words.iter().map(OsString::from).collect(),
        }
    }
}

impl Hint {
    /// Suggests a folio command.
    pub fn command<A: Argument>(name: &'static str, args: impl IntoIterator<Item = A>) -> Self {
        let args = args.into_iter().map(Argument::argument).collect();
        Self::Command { name, args, why: Message::default() }
    }

    /// Suggests the command that undoes the patch with this number.
    pub fn undo(id: u64) -> Self {
        Self::command("undo", [id.to_string()])
    }

    /// Suggests the call with changes.
    pub fn again(changes: impl IntoIterator<Item = Change>) -> Self {
        Self::Again { changes: changes.into_iter().collect(), why: Message::default() }
    }

    /// Suggests the call with this switch.
    pub fn with_switch(option: Opt) -> Self {
        Self::again([Change::Switch(option)])
    }

    /// Suggests the call with another value of an option or operand.
    pub fn with_value(option: Opt, value: impl Argument) -> Self {
        Self::again([Change::set(option, value)])
    }

    /// Sets the purpose of the suggestion.
    pub fn why(mut self, reason: impl Into<Message>) -> Self {
        match &mut self {
            Self::Command { why, .. } | Self::Again { why, .. } => *why = reason.into(),
            Self::Text(_) => {}
        }
        self
    }

    /// Adds arguments to the suggested command.
    pub fn and<A: Argument>(mut self, more: impl IntoIterator<Item = A>) -> Self {
        if let Self::Command { args, .. } = &mut self {
            args.extend(more.into_iter().map(Argument::argument));
        }
        self
    }

    /// Adds changes of the call.
    pub fn but(mut self, more: impl IntoIterator<Item = Change>) -> Self {
        if let Self::Again { changes, .. } = &mut self {
            changes.extend(more);
        }
        self
    }

    /// Returns the purpose of the suggestion.
    pub fn reason(&self) -> Message {
        match self {
            Self::Command { why, .. } | Self::Again { why, .. } => why.clone(),
            Self::Text(_) => Message::default(),
        }
    }

    /// Returns the arguments of the command, or those that change.
    pub fn words(&self) -> Vec<OsString> {
        match self {
            Self::Command { args, .. } => args.clone(),
            Self::Again { changes, .. } => changes.iter().flat_map(Change::words).collect(),
            Self::Text(_) => Vec::new(),
        }
    }

    /// Returns the line to type in a shell.
    pub fn line(&self) -> String {
        let name = match self {
            Self::Text(text) => return text.to_string(),
            Self::Again { .. } => None,
            Self::Command { name, .. } => Some(format!("folio {name}")),
        };
        let words = self.words();
        let words = words.iter().map(|word| shell_path(Path::new(word)));
        name.into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }
}

/// An argument of a hint.
pub trait Argument {
    /// Returns the argument, without quotes.
    fn argument(self) -> OsString;
}

macro_rules! words {
    ($($kind:ty),*) => {
        $(impl Argument for $kind {
            fn argument(self) -> OsString {
                self.into()
            }
        })*
    };
}

words!(&str, String, &String, OsString, &OsString, &OsStr);

impl Argument for Opt {
    fn argument(self) -> OsString {
        self.0.into()
    }
}

/// A path that begins with a dash gets the prefix `./`, so that it is not parsed as an option.
impl Argument for &Path {
    fn argument(self) -> OsString {
        let is_flag = self.as_os_str().as_encoded_bytes().starts_with(b"-");
        if is_flag && self.as_os_str() != "-" {
            Path::new(".").join(self).into_os_string()
        } else {
            self.as_os_str().to_owned()
        }
    }
}

impl Argument for &PathBuf {
    fn argument(self) -> OsString {
        self.as_path().argument()
    }
}

/// Formats the text after `hint:`.
impl fmt::Display for Hint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.line())?;
        let why = self.reason();
        if why.is_empty() { Ok(()) } else { write!(formatter, "  # {why}") }
    }
}

impl<T: Into<Message>> From<T> for Hint {
    fn from(text: T) -> Self {
        Self::Text(text.into().shortened(MAX_TEXT))
    }
}

/// If an operand names this file, returns its lines or anchor with the mark before them.
fn part_after<'a>(operand: &'a OsStr, path: &Path) -> Option<&'a OsStr> {
    fn plain(name: &OsStr) -> &[u8] {
        name.as_bytes().strip_prefix(b"./").unwrap_or(name.as_bytes())
    }
    let rest = plain(operand).strip_prefix(plain(path.as_os_str()))?;
    matches!(rest, [] | [b':' | b'#' | b'@', ..]).then(|| OsStr::from_bytes(rest))
}

/// Quotes a word for a shell if necessary.
pub fn shell_word(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Quotes a path for a shell. The path may contain any bytes.
pub fn shell_path(path: &Path) -> String {
    use std::fmt::Write;
    let bytes = path.as_os_str().as_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => shell_word(text),
        _ => {
            let mut word = String::from("$'");
            for &byte in bytes {
                match byte {
                    b'\'' | b'\\' => {
                        word.push('\\');
                        word.push(byte as char);
                    }
                    b' '..=b'~' => word.push(byte as char),
                    // Writing to a string cannot fail.
                    _ => drop(write!(word, "\\x{byte:02x}")),
                }
            }
            word.push('\'');
            word
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_word("a.md:10-20"), "a.md:10-20");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
        let odd = OsStr::from_bytes(b"caf\xe9's\n");
        assert_eq!(shell_path(Path::new(odd)), r"$'caf\xe9\'s\x0a'");
    }

    #[track_caller]
    fn check_operands(operands: &str, change: &Change, expected: Option<&str>) {
        let operands: Vec<OsString> = operands.split(' ').map(OsString::from).collect();
        let changed = change.operands(&operands).map(|changed| {
            assert_eq!(changed.len(), operands.len());
            changed.into_iter().flatten().collect::<Vec<_>>().join(OsStr::new(" "))
        });
        assert_eq!(changed.as_deref(), expected.map(OsStr::new));
    }

    #[test]
    fn operands_that_name_the_file_are_changed() {
        let path = Change::path(Path::new("a.md"), Path::new("b.md"));
        check_operands("x a.md:5 ./a.md#y a.mdx", &path, Some("x b.md:5 b.md#y a.mdx"));
        check_operands("a.md b.md", &path, Some("b.md"));
        check_operands("docs", &path, None);
        let address = |part: &str| Change::address(Path::new("./a.md"), part, "a.md#z");
        check_operands("a.md a.md#y", &address("#y"), Some("a.md a.md#z"));
        check_operands("x a.md a.md", &address("#y"), Some("x a.md#z a.md"));
        let only = Change::OnlyFile("a.md".into());
        check_operands("x.md a.md:3 a.md:7", &only, Some("a.md:3 a.md:7"));
        assert_eq!(only.operands(&["docs".into()]), None);
        assert_eq!(only.file(), Some("a.md".into()));
    }

    #[test]
    fn paths_in_hints_are_not_options() {
        let hint = |path: &str| Hint::command("read", [Path::new(path)]).line();
        assert_eq!(hint("-a.md"), "folio read ./-a.md");
        assert_eq!(hint("-"), "folio read -");
    }
}
