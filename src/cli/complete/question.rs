//! Determines what the word at the cursor can be: a command, the value of an option, or an operand.
//! Collects context from the other words.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use clap::{Arg, Command, ValueHint};

use crate::cli::leading_roots;
use crate::cli::subcommands::SUBCOMMANDS;
use crate::cli::typed_line::{is_operand, option_at, takes_next};

/// A command line that the user is typing.
pub(super) struct Line {
    /// The words before the word at the cursor. The first one is the command.
    pub(super) before: Vec<OsString>,
    /// The part of the word at the cursor that is before the cursor.
    pub(super) current: OsString,
    /// The words after the word at the cursor.
    pub(super) after: Vec<OsString>,
}

/// What the word at the cursor is expected to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// The name of a command.
    Command,
    /// The name of a page of `folio help`.
    HelpPage,
    /// The name of a schema.
    Schema,
    /// The name of a manual page.
    ManualPage,
    /// The number of a patch.
    Patch,
    /// A collection.
    Collection,
    /// A name in this directory of a collection. If the directory is empty, the name of a
    /// collection, `@NAME/`.
    Document(OsString),
    /// A file type.
    FileType,
    /// One of these values. Each value has a description.
    OneOf(Vec<(String, String)>),
    /// A section of the given files, or a symbol in the given code block.
    Section,
    /// A section of the given files, in which to look for something.
    Scope,
    /// A key in the given files.
    Key,
    /// An anchor in the given files.
    Anchor,
    /// A code block in the given files.
    CodeBlock,
    /// The number of a table in the given files.
    Table,
    /// An anchor of this file.
    AnchorOf(OsString),
    /// A file. Shells complete file names themselves.
    File,
}

/// What to complete, and context from the other words.
pub(super) struct Question {
    pub(super) expected: Expected,
    /// The beginning of the word, before the value, such as `--section=`.
    pub(super) kept: OsString,
    /// The options on the line, by long name, with their values.
    pub(super) flags: Vec<(String, OsString)>,
    /// The operands: words that are neither options nor values of options.
    pub(super) operands: Vec<OsString>,
}

impl Question {
    /// Returns the values of an option.
    pub(super) fn values<'a>(&'a self, flag: &'a str) -> impl Iterator<Item = &'a OsString> {
        self.flags.iter().filter(move |(name, _)| name == flag).map(|(_, value)| value)
    }
}

/// Returns what the value of an option can be. Returns `None` if shells can complete it.
pub(super) fn expected_by_flag(name: &str) -> Option<Expected> {
    match name {
        "section" | "body" | "heading" => Some(Expected::Section),
        "in" => Some(Expected::Scope),
        "key" => Some(Expected::Key),
        "anchor" => Some(Expected::Anchor),
        "code-block" => Some(Expected::CodeBlock),
        "table" => Some(Expected::Table),
        "type" | "type-not" => Some(Expected::FileType),
        "collection" => Some(Expected::Collection),
        _ => None,
    }
}

/// Determines what to complete at the cursor. Returns `None` if the shell can complete it.
pub(super) fn question(line: &Line) -> Option<Question> {
    let is_flag = line.current.as_bytes().starts_with(b"-");
    let plain = |expected| {
        let (flags, operands) = (Vec::new(), Vec::new());
        Some(Question { expected, kept: OsString::new(), flags, operands })
    };
    let (roots, words) = roots_before(line.before.get(1..)?);
    let (command, rest) = match (linked(line.before.first()?), words.split_first()) {
        (Some(name), _) => (name, &line.before[1..]),
        (None, None) if is_flag => return None,
        (None, None) => return plain(Expected::Command),
        (None, Some((name, rest))) => (name.to_str()?, rest),
    };
    if command == "help" {
        return if rest.is_empty() && !is_flag { plain(Expected::HelpPage) } else { None };
    }
    let subcommand = SUBCOMMANDS.iter().find(|subcommand| subcommand.name == command)?;
    let flags = (subcommand.build)();
    let mut reader = Reader { command: &flags, flags: roots, operands: Vec::new() };
    let (expected, kept) = reader.read(rest, &line.current, &line.after)?;
    Some(Question { expected, kept, flags: reader.flags, operands: reader.operands })
}

/// Splits the values of `--root` before the command from the words after them.
fn roots_before(words: &[OsString]) -> (Vec<(String, OsString)>, &[OsString]) {
    let (roots, rest) = leading_roots(words);
    let mut values = Vec::new();
    let mut roots = roots.iter();
    while let Some(flag) = roots.next() {
        let value = match flag.as_bytes().strip_prefix(b"--root=") {
            Some(value) => OsStr::from_bytes(value).to_owned(),
            None => roots.next().cloned().unwrap_or_default(),
        };
        values.push(("root".to_owned(), value));
    }
    (values, rest)
}

/// Returns the command that a link such as `folio-read` runs.
fn linked(word: &OsStr) -> Option<&'static str> {
    let name = std::path::Path::new(word).file_name()?.to_str()?.strip_prefix("folio-")?;
    SUBCOMMANDS.iter().map(|subcommand| subcommand.name).find(|other| *other == name)
}

struct Reader<'a> {
    command: &'a Command,
    flags: Vec<(String, OsString)>,
    operands: Vec<OsString>,
}

/// What to complete, and the part of the word before the value.
type Completed = Option<(Expected, OsString)>;

impl<'a> Reader<'a> {
    fn read(&mut self, before: &[OsString], current: &OsStr, after: &[OsString]) -> Completed {
        let mut found = None;
        let mut pending: Option<&'a Arg> = None;
        let mut only_operands = false;
        let words = before.iter().map(|word| (word.as_os_str(), false));
        let words = words.chain([(current, true)]);
        for (word, is_current) in words.chain(after.iter().map(|word| (word.as_os_str(), false))) {
            if let Some(arg) = pending.take() {
                if is_current {
                    found = Some(value(arg, word, OsStr::new(""))?);
                } else {
                    self.note(arg, word)
                }
                continue;
            }
            let bytes = word.as_bytes();
            // At the cursor, `-` begins an option and is not standard input.
            if only_operands || is_operand(word) && !(is_current && bytes == b"-") {
                if is_current {
                    found = Some(self.operand(word)?);
                } else {
                    self.operands.push(word.to_owned())
                }
            } else if bytes == b"--" && !is_current {
                only_operands = true;
            } else {
                let (arg, end) = self.flag(word).unzip();
                // In this word, the value begins after `--flag=` or `-f`.
                match (arg, end.flatten()) {
                    (Some(arg), Some(end)) if is_current => {
                        let (kept, typed) = (OsStr::from_bytes(&bytes[..end]), &bytes[end..]);
                        found = Some(value(arg, OsStr::from_bytes(typed), kept)?);
                    }
                    (Some(arg), Some(end)) => self.note(arg, OsStr::from_bytes(&bytes[end..])),
                    _ if is_current => return None,
                    (Some(arg), None) if takes_next(arg) => pending = Some(arg),
                    (Some(arg), None) => self.note(arg, OsStr::new("")),
                    (None, _) => {}
                }
            }
        }
        found
    }

    fn note(&mut self, arg: &Arg, value: &OsStr) {
        let name = arg.get_long().unwrap_or_default().to_owned();
        self.flags.push((name, value.to_owned()));
    }

    /// Returns the option in a word, and the byte offset at which its value begins. Of combined
    /// short options, returns the last one.
    fn flag(&self, word: &OsStr) -> Option<(&'a Arg, Option<usize>)> {
        let mut at = 1;
        loop {
            let (arg, option, end) = option_at(self.command, word, at)?;
            let takes_values = arg.get_action().takes_values();
            if option.as_bytes().starts_with(b"--") {
                return Some((arg, (takes_values && end > option.len()).then_some(end)));
            }
            if takes_values || end >= word.len() {
                return Some((arg, (takes_values && end < word.len()).then_some(end)));
            }
            at = end;
        }
    }

    fn operand(&self, word: &OsStr) -> Completed {
        let positionals: Vec<&Arg> = self.command.get_positionals().collect();
        let at = self.operands.len().min(positionals.len().checked_sub(1)?);
        let arg = positionals[at];
        if self.operands.len() > at && arg.get_num_args().is_none_or(|count| count.max_values() < 2)
        {
            return None;
        }
        let digits = word.as_bytes().iter().all(u8::is_ascii_digit);
        let expected = match (self.command.get_name(), arg.get_id().as_str()) {
            ("schema", _) => Expected::Schema,
            ("man", _) => Expected::ManualPage,
            ("undo", "which") if digits => Expected::Patch,
            ("collection", "operands") => return self.collection(word),
            _ => return value(arg, word, OsStr::new("")),
        };
        Some((expected, OsString::new()))
    }

    /// Determines what the operands can be after an action of `collection`.
    fn collection(&self, word: &OsStr) -> Completed {
        let is_first = self.operands.len() == 1;
        match self.operands.first()?.to_str()? {
            "show" | "update" | "remove" | "alias" if is_first => collection(word, OsStr::new("")),
            "add" => Some((Expected::File, OsString::new())),
            _ => None,
        }
    }
}

/// Completes the name of a collection, or a directory.
fn collection(typed: &OsStr, kept: &OsStr) -> Completed {
    let bytes = typed.as_bytes();
    let is_path = bytes.contains(&b'/') || bytes.starts_with(b".") || bytes.starts_with(b"~");
    let expected = match () {
        () if bytes.starts_with(b"@") => return Some(mounted(bytes, kept)),
        () if is_path => Expected::File,
        () => Expected::Collection,
    };
    Some((expected, kept.to_owned()))
}

/// Completes the last component of a path `@NAME/…`.
fn mounted(typed: &[u8], kept: &OsStr) -> (Expected, OsString) {
    let end = memchr::memrchr(b'/', typed).map_or(0, |at| at + 1);
    let directory = OsStr::from_bytes(&typed[..end]);
    let kept = [kept.as_bytes(), directory.as_bytes()].concat();
    (Expected::Document(directory.to_owned()), OsStr::from_bytes(&kept).to_owned())
}

/// Completes a value of `arg`. `typed` is the part of the value before the cursor, and `kept` the
/// part of the word before the value.
fn value(arg: &Arg, typed: &OsStr, kept: &OsStr) -> Completed {
    let kept = |more: usize| {
        OsStr::from_bytes(&[kept.as_bytes(), &typed.as_bytes()[..more]].concat()).to_owned()
    };
    match expected_by_flag(arg.get_long().unwrap_or_default()) {
        Some(Expected::Collection) => return collection(typed, &kept(0)),
        Some(expected) => return Some((expected, kept(0))),
        None => {}
    }
    let listed: Vec<(String, String)> = arg
        .get_possible_values()
        .iter()
        .filter(|choice| !choice.is_hide_set())
        .map(|choice| {
            let help = choice.get_help().map(ToString::to_string).unwrap_or_default();
            (choice.get_name().to_owned(), help)
        })
        .collect();
    if !listed.is_empty() {
        let parted = arg.get_value_delimiter().and_then(|mark| u8::try_from(mark).ok());
        let start = parted.and_then(|mark| memchr::memrchr(mark, typed.as_bytes()));
        return Some((Expected::OneOf(listed), kept(start.map_or(0, |at| at + 1))));
    }
    match arg.get_value_hint() {
        ValueHint::FilePath | ValueHint::AnyPath | ValueHint::DirPath => {
            let Some(at) = memchr::memrchr(b'#', typed.as_bytes()) else {
                return Some(match typed.as_bytes() {
                    [b'@', ..] => mounted(typed.as_bytes(), &kept(0)),
                    _ => (Expected::File, kept(0)),
                });
            };
            let file = OsStr::from_bytes(&typed.as_bytes()[..at]).to_owned();
            Some((Expected::AnchorOf(file), kept(at + 1)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the completion of `line`. `|` marks the cursor, and blanks separate words.
    #[track_caller]
    fn check(line: &str, expected: Option<(Expected, &str)>, operands: &str) {
        let (before, after) = line.split_once('|').expect("a cursor");
        let words = |text: &str| -> Vec<OsString> {
            text.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect()
        };
        let (before, current) = before.rsplit_once(' ').unwrap_or(("", before));
        let parsed =
            question(&Line { before: words(before), current: current.into(), after: words(after) });
        let found = parsed.map(|question| {
            assert_eq!(question.operands, words(operands), "{line}");
            (question.expected, question.kept)
        });
        assert_eq!(found, expected.map(|(expected, kept)| (expected, kept.into())), "{line}");
    }

    #[test]
    fn the_options_determine_the_word_at_the_cursor() {
        check("folio |", Some((Expected::Command, "")), "");
        check("folio --|", None, "");
        check("folio help a|", Some((Expected::HelpPage, "")), "");
        check("folio read a.md --section |", Some((Expected::Section, "")), "a.md");
        check("folio read --section x| a.md", Some((Expected::Section, "")), "a.md");
        check("folio read --section=x| a.md", Some((Expected::Section, "--section=")), "a.md");
        check("folio read -nC 5 a.md --in |", Some((Expected::Scope, "")), "a.md");
        check("folio read -C5 a.md --key |", Some((Expected::Key, "")), "a.md");
        check("folio-read a.md --anchor |", Some((Expected::Anchor, "")), "a.md");
        check("/x/folio-read a.md --code-block |", Some((Expected::CodeBlock, "")), "a.md");
        check("folio read a.md --code-block 0 -s |", Some((Expected::Section, "")), "a.md");
        check("folio patch rename a.md --heading |", Some((Expected::Section, "")), "rename a.md");
        check(
            "folio patch delete --backup a.md --body |",
            Some((Expected::Section, "")),
            "delete a.md",
        );
        check("folio grep -n x --in | a.md", Some((Expected::Scope, "")), "x a.md");
        check("folio grep -t |", Some((Expected::FileType, "")), "");
        check("folio grep -nt r|", Some((Expected::FileType, "")), "");
        check("folio grep -tr|", Some((Expected::FileType, "-t")), "");
        check("folio schema r|", Some((Expected::Schema, "")), "");
        check("folio man |", Some((Expected::ManualPage, "")), "");
        check("folio undo 1|", Some((Expected::Patch, "")), "");
        check("folio undo a|", Some((Expected::File, "")), "");
        check("folio undo 1 |", None, "");
        check("folio read |", Some((Expected::File, "")), "");
        check("folio read a.md#x|", Some((Expected::AnchorOf("a.md".into()), "a.md#")), "");
        check("folio read -- --s|", Some((Expected::File, "")), "");
        check("folio read @|", Some((Expected::Document("".into()), "")), "");
        let guide = Expected::Document("@docs/guide/".into());
        check("folio read @docs/guide/se|", Some((guide, "@docs/guide/")), "");
        check(
            "folio read @docs/a.md#x|",
            Some((Expected::AnchorOf("@docs/a.md".into()), "@docs/a.md#")),
            "",
        );
        check("folio search -c |", Some((Expected::Collection, "")), "");
        check("folio search -cdo|", Some((Expected::Collection, "-c")), "");
        check(
            "folio search --collection=@d|",
            Some((Expected::Document("".into()), "--collection=")),
            "",
        );
        check("folio search -c ./do|", Some((Expected::File, "")), "");
        check("folio search x|", None, "");
        check("folio collection show d|", Some((Expected::Collection, "")), "show");
        check("folio collection show d |", None, "show d");
        check("folio collection add docs |", Some((Expected::File, "")), "add docs");
        check("folio collection list |", None, "list");
        check("folio read --sec|", None, "");
        check("folio read --text |", None, "");
        check("folio read --nothing |", Some((Expected::File, "")), "");
        check("folio nothing |", None, "");
    }

    #[test]
    fn lists_of_values_continue_after_a_comma() {
        let line = |word: &str| Line {
            before: vec!["folio".into(), "inspect".into(), "--only".into()],
            current: word.into(),
            after: Vec::new(),
        };
        let found = question(&line("code,an")).expect("a question");
        assert_eq!(found.kept, "code,");
        assert!(matches!(found.expected, Expected::OneOf(values) if values.len() == 7));
    }
}
