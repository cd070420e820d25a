//! Errors for invalid command lines, with suggestions of what the user probably intended.

use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::subcommands::Subcommand;
use super::synonyms;
use crate::commands::grep;
use crate::commands::request::invalid;
use crate::commands::shared_args::contradiction;
use crate::commands::shared_args::{invalid_choice, one_of};
use folio_files::error::{Error, Hint};
use folio_text::fuzzy::name::nearest;

/// Options that belong to another command, or that other programs name differently. Each row
/// contains the command, the options separated by spaces, the command that accepts the same line,
/// an alternative to type, and the reason.
const ELSEWHERE: &[(&str, &str, &str, &str, &str)] = &[
    (
        "inspect",
        "--section --heading --body --code-block --anchor --key --lines --text --from \
         --to-next --head --tail --front-matter --section-context -W",
        "read",
        "read FILE --section NAME",
        "a part of a file",
    ),
    (
        "inspect",
        "-e --regexp -k --section-hints -l -c --count -o -A -B --in",
        "",
        "grep PATTERN FILE",
        "to search",
    ),
    (
        "read",
        "--regexp -k --section-hints -l -A -B -c --count -o -v",
        "",
        "grep PATTERN FILE",
        "to search",
    ),
    ("read", "--query", "", "--text STRING", "the line that contains a text"),
    (
        "read",
        "--content --content-file",
        "",
        "patch replace FILE --section NAME --content TEXT",
        "",
    ),
    ("read", "--outline -O --only --max-level --flat --tokens", "inspect", "inspect FILE", ""),
    (
        "edit",
        "--content -c --content-file -f",
        "",
        "patch replace FILE --section NAME --content TEXT",
        "content that is already in the file",
    ),
    ("grep", "--section --body", "", "grep PATTERN FILE --in NAME", "in one section"),
    (
        "grep",
        "--lines --code-block --anchor --head --tail",
        "",
        "read FILE --lines 1-9",
        "a part of a file, to pipe into grep",
    ),
    (
        "list",
        "--with-key --without-key --matching --containing --kind",
        "inspect",
        "inspect DIR --without-key NAME",
        "files and parts that meet conditions",
    ),
    (
        "inspect",
        "--only-code --outside-code",
        "",
        "grep PATTERN FILE --outside-code",
        "lines outside of code",
    ),
    ("list", "-L --level", "", "--depth N", "to list more levels"),
    ("inspect", "--depth --level -L", "", "--max-level N", "headings of levels 1 to N"),
    ("list", "-n -m --max-results --top", "", "--limit N", "to list at most N entries"),
    #[cfg(feature = "search")]
    ("search", COUNTS, "", "--limit N", "to print at most N sections"),
    #[cfg(feature = "search")]
    ("related", COUNTS, "", "--limit N", "to print at most N sections"),
    ("patch", "--with --replacement --new --by", "", "--content TEXT", "the new content"),
    ("patch", "--inside-code --in-code --code-only", "", "--only-code", "only in code"),
    ("grep", "--inside-code --in-code --code-only", "", "--only-code", "only in code"),
    ("patch", "--find --old --match --search", "", "--text STRING", "the text to search for"),
];

/// Names of options that other programs use for the maximum number of results.
#[cfg(feature = "search")]
const COUNTS: &str =
    "-n -k -m -l -N --top --top-k --num --count --max-count --max-results --number";

/// Converts an error of clap to an error of folio.
pub(super) fn error(command: &Subcommand, error: &clap::Error, line: &[OsString]) -> Error {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let argument = context(ContextKind::InvalidArg).first().cloned().unwrap_or_default();
    let value = context(ContextKind::InvalidValue).first().cloned().unwrap_or_default();
    let choices = context(ContextKind::ValidValue);
    // The argument has a form such as `--head <N>` or `<SHELL>`. Extract the name.
    let name = argument.split([' ', '=']).next().unwrap_or_default().trim_matches(BRACKETS);
    let refusal = match error.kind() {
        ErrorKind::UnknownArgument => unknown(command, &argument, line),
        ErrorKind::InvalidValue if value.is_empty() && !line.iter().any(|word| word.is_empty()) => {
            Error::usage(format!("{name} needs a value: {}", argument.replace(BRACKETS, "")))
        }
        ErrorKind::InvalidValue if name.starts_with('-') => invalid_choice(name, &value, &choices),
        ErrorKind::InvalidValue => {
            let error = Error::usage(format!("'{value}' is not a valid {}", name.to_lowercase()));
            one_of(other_words(command, error, &value, line), &choices)
        }
        ErrorKind::ValueValidation => Error::usage(format!("{name}: '{value}' {}", invalid(error))),
        ErrorKind::MissingRequiredArgument => missing(command, &argument),
        ErrorKind::ArgumentConflict => {
            let priors = context(ContextKind::PriorArg);
            contradiction(name, given_flag(command, &priors, line))
        }
        ErrorKind::TooManyValues => {
            Error::usage(format!("{name} does not accept a value, but '{value}' was given"))
        }
        _ => Error::usage(first_line(error)),
    };
    refusal.hint(Hint::command(command.name, ["--help"]).why("all options"))
}

/// Returns the option in `flags` that is on the command line. clap reports all options of a group.
fn given_flag<'a>(command: &Subcommand, flags: &'a [String], line: &[OsString]) -> &'a str {
    let built = (command.build)();
    let is_given = |flag: &&str| {
        let long = flag.trim_start_matches('-');
        let known = built.get_arguments().find(|known| known.get_long() == Some(long));
        let short = known.and_then(clap::Arg::get_short).map(|short| format!("-{short}"));
        line.iter().filter_map(|word| word.to_str()).any(|word| {
            let name = word.split_once('=').map_or(word, |(name, _)| name);
            name == *flag || short.as_ref().is_some_and(|short| word.starts_with(short))
        })
    };
    let mut names = flags.iter().map(|flag| flag.split([' ', '=']).next().unwrap_or_default());
    let first = names.clone().next().unwrap_or_default();
    names.find(is_given).unwrap_or(first)
}

/// The brackets around value names.
const BRACKETS: [char; 4] = ['<', '>', '[', ']'];

fn first_line(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let first = rendered.lines().next().unwrap_or_default();
    first.strip_prefix("error: ").unwrap_or(first).to_owned()
}

/// Returns the corrected command line, if the word that contains this option is a file name that
/// begins with a dash, such as `-draft.md`.
fn with_dashed_name(line: &[OsString], flag: &str) -> Option<Vec<OsString>> {
    let flag = flag.strip_prefix('-').filter(|flag| flag.len() == 1)?;
    let is_name = |word: &OsString| {
        let letters = word.to_str().and_then(|word| word.strip_prefix('-')).unwrap_or_default();
        !letters.starts_with('-') && letters.contains(['.', '/']) && letters.contains(flag)
    };
    let at = line.iter().position(is_name)?;
    let mut line = line.to_vec();
    let mut name = OsString::from("./");
    name.push(&line[at]);
    line[at] = name;
    Some(line)
}

fn unknown(command: &Subcommand, argument: &str, line: &[OsString]) -> Error {
    if !argument.starts_with('-') {
        return Error::usage(format!("unexpected argument '{argument}'"));
    }
    if argument[1..].starts_with(|character: char| character.is_ascii_digit()) {
        return Error::usage(format!(
            "'{argument}' is not an option, and a line number cannot be negative"
        ));
    }
    if let Some(error) = grep::ripgrep_args::refusal(argument).filter(|_| command.name == "grep") {
        return error;
    }
    let error = Error::usage(format!("unexpected option '{argument}'"));
    let elsewhere = ELSEWHERE.iter().find(|(name, flags, ..)| {
        *name == command.name && flags.split(' ').any(|flag| flag == argument)
    });
    let line = line.get(1..).unwrap_or_default();
    if let Some(line) = with_dashed_name(line, argument) {
        return error.hint(Hint::command(command.name, line).why("for a file with this name"));
    }
    if let Some(line) = with_glob(line, argument)
        && let Some(hint) = synonyms::same_line(command.name, &line)
    {
        return error.hint(hint.why("the option for globs"));
    }
    if let Some((_, _, other, typed, why)) = elsewhere {
        let flag = typed.split(' ').next().unwrap_or_default();
        let mended = with_flag(line, argument, flag);
        let same = synonyms::same_line(other, line).or_else(|| {
            let suggestion =
                synonyms::same_line(command.name, &mended).filter(|_| flag.starts_with('-'));
            suggestion.map(|hint| hint.why(*why))
        });
        return error.hint(same.unwrap_or_else(|| {
            let hint = synonyms::command(typed).unwrap_or_else(|| Hint::from(*typed));
            hint.why(*why)
        }));
    }
    let similar = similar(command, argument);
    let Some(flag) = similar.as_deref() else {
        return match command.name {
            "grep" => {
                let words = line.iter();
                let with_option = |word: &OsString| {
                    if word == argument {
                        vec!["-e".into(), word.clone()]
                    } else {
                        vec![word.clone()]
                    }
                };
                let hint = Hint::command("grep", words.flat_map(with_option));
                error.hint(hint.why("a pattern that begins with -"))
            }
            _ => error,
        };
    };
    let is_given = line.iter().any(|word| word == flag);
    let words = line.iter().filter(|word| !is_given || *word != argument).cloned();
    let mended = with_flag(&words.collect::<Vec<_>>(), argument, flag);
    let hint = synonyms::same_line(command.name, &mended).unwrap_or_else(|| Hint::from(flag));
    error.hint(hint.why(if is_given { "without it" } else { "similar" }))
}

/// Returns the option of a command whose name is most similar to that of an unknown option.
fn similar(command: &Subcommand, argument: &str) -> Option<String> {
    let flags = (command.build)();
    let flags: Vec<String> = flags
        .get_arguments()
        .filter(|flag| !flag.is_hide_set())
        .filter_map(|flag| Some(format!("--{}", flag.get_long()?)))
        .collect();
    // Leading dashes are removed because all flags share them.
    let typed = argument.trim_start_matches('-');
    let names = flags.iter().map(|flag| &flag["--".len()..]);
    let near = nearest(typed, names, 1);
    near.into_iter()
        .find(|at| typed.len() > 1 || flags[*at]["--".len()..].starts_with(typed))
        .map(|at| flags[at].clone())
}

/// Replaces the options of GNU grep for the files to search with `--glob`.
fn with_glob(line: &[OsString], argument: &str) -> Option<Vec<OsString>> {
    let (before, after) = match argument {
        "--include" => ("", ""),
        "--exclude" => ("!", ""),
        "--exclude-dir" => ("!", "/"),
        _ => return None,
    };
    let glob = |value: &str| format!("{before}{}{after}", value.trim_end_matches('/'));
    let mut mended = Vec::with_capacity(line.len());
    let mut words = line.iter();
    while let Some(word) = words.next() {
        let typed = word.to_str().and_then(|word| word.strip_prefix(argument));
        match typed {
            Some("") => mended.extend(["-g".into(), glob(words.next()?.to_str()?).into()]),
            Some(value) if value.starts_with('=') => {
                mended.extend(["-g".into(), glob(&value[1..]).into()]);
            }
            _ => mended.push(word.clone()),
        }
    }
    Some(mended)
}

/// Returns the line with one option replaced by another.
fn with_flag(line: &[OsString], argument: &str, flag: &str) -> Vec<OsString> {
    let replaced = |word: &OsString| {
        let typed = word.to_str().unwrap_or_default();
        match typed.strip_prefix(argument) {
            Some("") => flag.into(),
            Some(value) if value.starts_with('=') => format!("{flag}{value}").into(),
            _ => word.clone(),
        }
    };
    line.iter().map(replaced).collect()
}

/// Returns the error for a missing required argument.
fn missing(command: &Subcommand, argument: &str) -> Error {
    let name = argument.trim_matches(BRACKETS);
    let article = if name.starts_with('-') { "" } else { "the " };
    let error = Error::usage(format!("{article}{} is missing", name.to_lowercase()));
    let built = (command.build)();
    let Some(positional) = built.get_positionals().find(|positional| {
        positional
            .get_value_names()
            .is_some_and(|names| names.iter().any(|value_name| value_name.as_str() == name))
    }) else {
        return error;
    };
    let choices: Vec<String> =
        positional.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    one_of(error, &choices)
}

/// Adds hints to the error for an unknown operation of `patch`. The user may have typed another
/// program's name for an operation, or a file.
fn other_words(command: &Subcommand, error: Error, value: &str, line: &[OsString]) -> Error {
    if command.name != "patch" {
        return error;
    }
    let rest = line.iter().position(|word| word == value).map_or(&[][..], |at| &line[at + 1..]);
    let is_patch = |hint: &Hint| matches!(hint, Hint::Command { name: "patch", .. });
    if let Some(hint) = synonyms::equivalent(value, rest).filter(is_patch) {
        return error.hint(hint);
    }
    if let Some((operation, after)) = rest.split_first() {
        let swapped = [&[operation.clone(), value.into()], after].concat();
        if let Some(hint) = synonyms::same_line("patch", &swapped) {
            return error.hint(hint.why("the operation comes first"));
        }
    }
    if Path::new(value).extension().is_some() {
        let words = ["replace", value, "--section", "NAME", "--content", "TEXT"];
        return error.hint(Hint::command("patch", words));
    }
    error
}

/// Returns the error for options before the command, or without a command.
pub(super) fn flags_first(line: &[OsString]) -> Error {
    let first = line.first().map(|word| word.to_string_lossy().into_owned()).unwrap_or_default();
    if first.starts_with("--root") && (first.len() == 6 || first.as_bytes()[6] == b'=') {
        let message = if line.len() == 1 && first.len() == 6 {
            "--root needs a directory"
        } else {
            "--root needs a command"
        };
        return Error::usage(message).hint(Hint::command("read", ["--root", "DIR", "FILE"]));
    }
    let error = Error::usage(format!("unexpected option '{first}'"));
    let at = line.iter().position(|word| super::find(word).is_some());
    let moved = at.and_then(|at| {
        let rest = [&line[..at], &line[at + 1..]].concat();
        synonyms::same_line(&line[at].to_string_lossy(), &rest)
    });
    match moved {
        Some(hint) => error.hint(hint.why("options follow the command")),
        None => error.hint("options follow the command: folio COMMAND OPTIONS"),
    }
}
