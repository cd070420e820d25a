//! A command line as it was typed, and changes of it. Hints repeat the line with changes, so no
//! option of the line can be missing in them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use clap::{Arg, Command};

use crate::commands::given_fields;
use crate::commands::shared_args::is_kept_to_go_on;
use folio_files::error::Change;
use folio_files::options::IN;

/// The arguments of a command, in the order in which they were typed.
pub(super) struct TypedLine<'a> {
    command: &'a Command,
    /// The words before the arguments: the name of the command.
    name: Vec<OsString>,
    arguments: Vec<Typed>,
}

/// An option with its value, or an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Typed {
    /// The long name of the option with its dashes, or the identifier of the operand.
    name: String,
    /// The option as it was typed, such as `-s` or `--section`. `None` for an operand.
    option: Option<OsString>,
    value: Option<OsString>,
    /// Whether the value was typed in the same word, after `=`.
    is_joined: bool,
    /// Whether the value is the one that was typed.
    is_typed: bool,
}

/// Options that read operands from a file or from standard input.
const OPERANDS_FROM: [&str; 2] = ["--addresses-from", "--batch"];

impl<'a> TypedLine<'a> {
    /// Parses the arguments of a command, without its name. Unknown options are kept as they are.
    pub(super) fn parse(words: &[OsString], command: &'a Command) -> Self {
        let name = vec![command.get_name().into()];
        let mut line = Self { command, name, arguments: Vec::new() };
        let mut words = words.iter();
        let mut only_operands = false;
        while let Some(word) = words.next() {
            if only_operands || is_operand(word) {
                line.push_operand(word);
            } else if word == "--" {
                only_operands = true;
            } else if let Some(last) = line.push_options(word)
                && let Some(arg) = find_long(command, &last)
                && takes_next(arg)
            {
                let value = words.next();
                if let Some(argument) = line.arguments.last_mut() {
                    argument.value = value.cloned();
                }
            }
        }
        line
    }

    fn push_operand(&mut self, word: &OsStr) {
        let count = self.arguments.iter().filter(|argument| argument.option.is_none()).count();
        let mut positionals: Vec<&Arg> = self.command.get_positionals().collect();
        positionals.truncate(count + 1);
        let name = positionals.last().map_or("", |arg| arg.get_id().as_str());
        self.arguments.push(Typed::operand(name, word));
    }

    /// Adds the options in a word. Returns the name of the last one, unless the word contains its
    /// value.
    fn push_options(&mut self, word: &OsStr) -> Option<String> {
        let mut end = 1;
        while let Some((arg, option, value)) = option_at(self.command, word, end) {
            let name = arg.get_long().map(|long| format!("--{long}"));
            let name = name.unwrap_or_else(|| option.to_string_lossy().into_owned());
            let is_long = option.as_bytes().starts_with(b"--");
            let has_value = value < word.len() && arg.get_action().takes_values();
            let is_joined = has_value && is_long;
            // As in clap, `-c=x` is the value `x`.
            let is_equal = has_value && !is_long && word.as_bytes()[value] == b'=';
            let value = value + usize::from(is_equal);
            let typed = Typed {
                name: name.clone(),
                option: Some(option),
                value: has_value.then(|| OsStr::from_bytes(&word.as_bytes()[value..]).to_owned()),
                is_joined,
                is_typed: true,
            };
            self.arguments.push(typed);
            if has_value {
                return None;
            }
            if is_long || value >= word.len() {
                return Some(name);
            }
            end = value;
        }
        let name = word.to_string_lossy().into_owned();
        let option = Some(word.to_owned());
        let typed = Typed { name, option, value: None, is_joined: false, is_typed: true };
        self.arguments.push(typed);
        None
    }

    /// Changes the line.
    pub(super) fn apply(&mut self, change: &Change) {
        if self.change_target(change) {
            return;
        }
        match change {
            Change::Switch(name) => {
                if !self.arguments.iter().any(|argument| argument.name == name.0) {
                    self.arguments.push(Typed::option(name.0, None));
                }
            }
            Change::Set(name, values) => self.set(name.0, values),
            Change::Add(name, value) => {
                let last = self.arguments.iter().rposition(|argument| argument.name == name.0);
                let at = last.map_or(self.arguments.len(), |last| last + 1);
                self.arguments.insert(at, self.argument(name.0, value));
            }
            Change::Rename(name, other) => {
                for argument in self.arguments.iter_mut().filter(|argument| argument.name == name.0)
                {
                    *argument = Typed {
                        is_joined: argument.is_joined,
                        ..Typed::option(other.0, argument.value.take())
                    };
                }
            }
            Change::Replace { option, old, new } => {
                let is_old = |argument: &&mut Typed| {
                    argument.name == option.0 && argument.value.as_ref() == Some(old)
                };
                // The section of a key may be given as --in or --section.
                let is_section = |name: &str| ["--in", "--section"].contains(&name);
                let is_same = |argument: &&mut Typed| {
                    is_section(&argument.name)
                        && is_section(option.0)
                        && argument.value.as_ref() == Some(old)
                };
                if let Some(argument) = self.arguments.iter_mut().find(is_old) {
                    argument.replace(new);
                } else if let Some(argument) = self.arguments.iter_mut().find(is_same) {
                    argument.replace(new);
                } else {
                    self.set(option.0, std::slice::from_ref(new));
                }
            }
            Change::Path { .. } | Change::OnlyFile(_) | Change::Address { .. } => {
                self.change_files(change);
            }
            Change::Only(address) => {
                let command = self.command;
                let is_kept = |argument: &Typed| {
                    let arg = find_long(command, &argument.name);
                    let heading = arg.and_then(Arg::get_help_heading);
                    heading.is_some_and(|heading| is_kept_to_go_on(&argument.name, heading))
                };
                self.arguments.retain(is_kept);
                self.set_file(address);
            }
            Change::Command(words) => {
                self.name = words.iter().map(OsString::from).collect();
            }
        }
    }

    /// Changes the operands that are files.
    fn change_files(&mut self, change: &Change) {
        let files = self.file_operands();
        let is_file =
            |argument: &Typed| argument.option.is_none() && files.contains(&argument.name);
        let operands = self.arguments.iter().filter(|argument| is_file(argument));
        let operands: Vec<OsString> =
            operands.map(|argument| argument.value.clone().unwrap_or_default()).collect();
        let Some(changed) = change.operands(&operands) else {
            if let Some(address) = change.file() {
                self.set_file(&address);
            }
            return;
        };
        let mut changed = changed.into_iter();
        self.arguments.retain_mut(|argument| {
            if !is_file(argument) {
                return true;
            }
            let operand = changed.next().flatten();
            operand.is_some_and(|operand| {
                argument.replace(&operand);
                true
            })
        });
    }

    /// Changes the only target in JSON, or the one that contains the replaced name. Returns whether
    /// there is one, unless the line also has the option.
    fn change_target(&mut self, change: &Change) -> bool {
        let Some(option) = change.option() else { return false };
        if self.arguments.iter().any(|argument| argument.name == option.0) {
            return false;
        }
        let targets: Vec<&mut OsString> = self
            .arguments
            .iter_mut()
            .filter(|argument| argument.name == "--target")
            .filter_map(|argument| argument.value.as_mut())
            .collect();
        let is_only = targets.len() == 1 && !matches!(change, Change::Replace { option: IN, .. });
        for target in targets {
            if let Some(changed) = given_fields::changed_target(target, change, is_only) {
                *target = changed;
                return true;
            }
        }
        false
    }

    /// Returns the names of the operands that are files. With `-e` and the like, the pattern of
    /// `grep` is one.
    fn file_operands(&self) -> Vec<String> {
        const PATTERNS: [&str; 4] = ["--regexp", "--file", "--files", "--type-list"];
        let has_patterns =
            self.arguments.iter().any(|argument| PATTERNS.contains(&&*argument.name));
        let is_file = |arg: &&Arg| {
            let is_pattern = arg.get_id() == "pattern" && has_patterns;
            is_pattern || !matches!(arg.get_value_hint(), clap::ValueHint::Unknown)
        };
        let files = self.command.get_positionals().filter(is_file);
        files.map(|arg| arg.get_id().to_string()).collect()
    }

    /// Gives an option or operand these values.
    fn set(&mut self, name: &str, values: &[OsString]) {
        let first = self.arguments.iter().position(|argument| argument.name == name);
        let new: Vec<Typed> = values
            .iter()
            .map(|value| match first {
                Some(first) => {
                    let mut argument = self.arguments[first].clone();
                    argument.replace(value);
                    argument
                }
                None => self.argument(name, value),
            })
            .collect();
        let at = first.unwrap_or(self.arguments.len());
        self.arguments.retain(|argument| argument.name != name);
        self.arguments.splice(at..at, new);
    }

    /// Replaces all files of the line with an address.
    fn set_file(&mut self, address: &OsStr) {
        let positionals = self.command.get_positionals();
        let is_file = |arg: &&Arg| !matches!(arg.get_value_hint(), clap::ValueHint::Unknown);
        let Some(files) = positionals.into_iter().find(is_file) else { return };
        OPERANDS_FROM.iter().for_each(|option| self.set(option, &[]));
        let name = files.get_id().as_str().to_owned();
        self.set(&name, &[address.to_owned()]);
    }

    fn argument(&self, name: &str, value: &OsStr) -> Typed {
        if name.starts_with('-') {
            Typed::option(name, Some(value.to_owned()))
        } else {
            Typed::operand(name, value)
        }
    }

    /// Returns the words of an option.
    pub(super) fn words_of(&self, option: &str) -> Vec<OsString> {
        self.arguments
            .iter()
            .filter(|argument| argument.name == option)
            .flat_map(Typed::words)
            .collect()
    }

    /// Returns the name of the command.
    pub(super) fn name(&self) -> &OsStr {
        self.name.first().map_or(OsStr::new(""), OsString::as_os_str)
    }

    /// Returns the words after the name of the command. `--` precedes operands that begin with a
    /// dash.
    pub(super) fn words(&self) -> Vec<OsString> {
        let mut words = self.name.get(1..).unwrap_or_default().to_vec();
        words.extend(self.argument_words());
        words
    }

    fn argument_words(&self) -> Vec<OsString> {
        let (operands, options): (Vec<&Typed>, Vec<&Typed>) =
            self.arguments.iter().partition(|argument| argument.option.is_none());
        let is_option =
            |argument: &&Typed| !is_operand(argument.value.as_deref().unwrap_or_default());
        if !operands.iter().any(is_option) {
            return self.arguments.iter().flat_map(Typed::words).collect();
        }
        let operands = operands.into_iter().flat_map(Typed::words);
        options.into_iter().flat_map(Typed::words).chain(["--".into()]).chain(operands).collect()
    }
}

impl Typed {
    fn operand(name: &str, word: &OsStr) -> Self {
        let value = Some(word.to_owned());
        Self { name: name.to_owned(), option: None, value, is_joined: false, is_typed: true }
    }

    fn option(name: &str, value: Option<OsString>) -> Self {
        let (name, option) = (name.to_owned(), Some(name.into()));
        Self { name, option, value, is_joined: false, is_typed: false }
    }

    fn replace(&mut self, value: &OsStr) {
        self.is_typed &= self.value.as_deref() == Some(value);
        self.value = Some(value.to_owned());
    }

    fn words(&self) -> Vec<OsString> {
        match (&self.option, &self.value) {
            (Some(option), Some(value)) => {
                let is_long = option.as_bytes().starts_with(b"--");
                // Such a value may be accepted only in the word of its option.
                let is_option = !self.is_typed && value.as_bytes().starts_with(b"-");
                if is_long && (self.is_joined || is_option) {
                    return vec![[option.as_os_str(), value].join(OsStr::new("="))];
                }
                if is_option {
                    return vec![OsString::from_iter([option.as_os_str(), value])];
                }
                vec![option.clone(), value.clone()]
            }
            (Some(word), None) | (None, Some(word)) => vec![word.clone()],
            (None, None) => Vec::new(),
        }
    }
}

/// Whether a word is an operand: it is not an option. `-`, `-:5` and `-#id` are addresses in
/// standard input.
pub(super) fn is_operand(word: &OsStr) -> bool {
    !matches!(word.as_bytes(), [b'-', rest @ ..] if !matches!(rest, [] | [b':' | b'#', ..]))
}

/// Whether the next word is the value of an option.
pub(super) fn takes_next(arg: &Arg) -> bool {
    let needs = arg.get_num_args().is_none_or(|count| count.min_values() > 0);
    arg.get_action().takes_values() && needs && !arg.is_require_equals_set()
}

fn find_long<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let name = name.strip_prefix("--")?;
    command.get_arguments().find(|arg| {
        let aliases = arg.get_all_aliases().unwrap_or_default();
        arg.get_long() == Some(name) || aliases.contains(&name)
    })
}

/// Returns the option in a word, as it was typed, and the offset behind it. In `--section=A` and
/// `-sA`, this is the offset of the value. `at` is the offset of a short option in the word.
pub(super) fn option_at<'a>(
    command: &'a Command,
    word: &OsStr,
    at: usize,
) -> Option<(&'a Arg, OsString, usize)> {
    let text = word.to_string_lossy();
    if text.starts_with("--") {
        let name = text.split('=').next().unwrap_or(&text);
        let end = name.len() + usize::from(name.len() < text.len());
        return find_long(command, name).map(|arg| (arg, name.into(), end));
    }
    let letter = text.get(at..)?.chars().next()?;
    let arg = command.get_arguments().find(|arg| {
        let aliases = arg.get_all_short_aliases().unwrap_or_default();
        arg.get_short() == Some(letter) || aliases.contains(&letter)
    })?;
    Some((arg, format!("-{letter}").into(), at + letter.len_utf8()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::subcommands::SUBCOMMANDS;
    use super::*;
    use folio_files::options::{BODY, FILES, GLOB, IN, OFFSET, OPERATION, SECTION};

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').filter(|word| !word.is_empty()).map(OsString::from).collect()
    }

    #[track_caller]
    fn check(line: &str, changes: &[Change], expected: &str) {
        let (name, rest) = line.split_once(' ').expect("a command");
        let command = SUBCOMMANDS.iter().find(|command| command.name == name).expect(name);
        let built = command.command();
        let mut typed = TypedLine::parse(&words(rest), &built);
        changes.iter().for_each(|change| typed.apply(change));
        let changed: Vec<String> =
            typed.words().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        assert_eq!(changed.join(" "), expected);
    }

    #[test]
    fn lines_without_changes_remain() {
        for line in [
            "read a.md --section X --json",
            "read --section=X -:5 a.md",
            "grep -n -C 5 -e x docs",
            "grep --unknown x",
            "patch delete --backup a.md --body X",
        ] {
            check(line, &[], line.split_once(' ').expect("a command").1);
        }
        check("grep -nC5 x -- -y", &[], "-n -C 5 -- x -y");
    }

    #[test]
    fn options_and_operands_are_replaced_where_they_were_typed() {
        let set = |value: &str| Change::set(SECTION, value);
        check("read a.md -s X -n", &[set("Y")], "a.md -s Y -n");
        check("read -s X a.md -s Z", &[set("Y")], "-s Y a.md");
        check("read --section=X a.md", &[set("Y")], "--section=Y a.md");
        check("read a.md", &[set("-y")], "a.md --section=-y");
        check("read -s X a.md -s Z", &[Change::replace(SECTION, "Z", "Y")], "-s X a.md -s Y");
        check("read a.md -s X", &[Change::Rename(SECTION, BODY)], "a.md --body X");
        check("read a.md -s X", &[Change::remove(SECTION)], "a.md");
        check("patch append a.md -c=x", &[set("Y")], "append a.md -c x --section Y");
        let usage = Change::replace(SECTION, "Usge", "Usage");
        check(
            r#"read a --target {"section":"X"} --target {"section":"Usge"}"#,
            &[usage],
            r#"a --target {"section":"X"} --target {"section":"Usage"}"#,
        );
        check(
            r#"read a --target {"text":"x"} --in Old"#,
            &[Change::replace(IN, "Old", "New")],
            r#"a --target {"text":"x"} --in New"#,
        );
        check("patch replace a.md -c x", &[Change::set(OPERATION, "delete")], "delete a.md -c x");
        check("grep x -- a", &[Change::Switch(FILES)], "x a --files");
        check("grep -g a x", &[Change::add(GLOB, "b")], "-g a --glob b x");
        check("list -- -a", &[Change::set(OFFSET, "5")], "--offset 5 -- -a");
    }

    #[test]
    fn files_are_found_among_the_operands() {
        let path = |old: &str, new: &str| Change::path(Path::new(old), Path::new(new));
        check("read a.md:5 b.md", &[path("a.md", "c.md")], "c.md:5 b.md");
        check("read ./b.md#x", &[path("b.md", "c.md")], "c.md#x");
        check("read a.md", &[Change::address(Path::new("a.md"), "", "a.md:9")], "a.md:9");
        // The file is below the directory.
        check("patch delete docs -s X", &[path("docs/a.md", "docs/b.md")], "delete docs/b.md -s X");
        check("grep x docs", &[path("docs/a.md", "docs/b.md")], "x docs/b.md");
        check("grep a.mdd a.mdd", &[path("a.mdd", "a.md")], "a.mdd a.md");
        check("grep -e x a.mdd", &[path("a.mdd", "a.md")], "-e x a.md");
        let anchor = Change::address(Path::new("a.md"), "#y", "a.md#z");
        check("read a.md#x a.md#y", &[anchor], "a.md#x a.md#z");
        let only = Change::OnlyFile("b.md".into());
        check("patch append a.md b.md -c x", &[only], "append b.md -c x");
        check("read --addresses-from list", &[path("a.md", "b.md")], "b.md");
    }
}
