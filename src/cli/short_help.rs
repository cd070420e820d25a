//! Builds the short help, `-h`: the most common options first, in one line each, and two examples.
//! `--help` shows all options.

use clap::{Arg, ArgAction, Command};

use super::manual;
use crate::commands::conditions;
use crate::commands::option_rows::{self, OPTIONS, OptionRow};

/// Number of options in the short help of an operation of `patch`.
const OF_OPERATION: usize = 13;
/// Number of examples in the short help.
const EXAMPLES: usize = 2;

/// Reduces a command to the parts that its short help shows.
pub(super) fn shortened(command: Command, name: &str) -> Command {
    let typed = command.get_display_name().unwrap_or(name).to_owned();
    let is_operation = typed.split(' ').count() > 2;
    let long = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let common: Vec<&OptionRow> = OPTIONS.iter().filter(|row| row.is_common(name)).collect();
    // A command without common options shows all of them.
    let command = match &common[..] {
        [] => command,
        common => with_common(command, common, is_operation),
    };
    let (_, examples, _) = manual::parts(&long);
    let mut end = format!("All options: {typed} --help");
    if !examples.is_empty() {
        let lines: Vec<&str> = examples.lines().take(EXAMPLES).collect();
        end = format!("Examples:\n{}\n\n{end}", lines.join("\n"));
    }
    command.after_help(end)
}

/// The reference to the descriptions of the options for conditions.
const CONDITIONS: &str =
    "Conditions (--matching, --containing, --last, …) select parts (folio help selecting).";

/// Builds the long help: long texts and all options, in the layout of the short help. clap's layout
/// for long help would take three lines for each option. Leaves out the options that a help topic
/// describes.
pub(super) fn full_help(command: Command, name: &str) -> Command {
    let about = command.get_long_about().or(command.get_about()).cloned();
    let end = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    let mut end = end.unwrap_or_default();
    let is_condition = |flag: &Arg| flag.get_help_heading() == Some(conditions::flags::HEADING);
    let is_rare =
        |flag: &Arg| option_rows::find(flag.get_id().as_str()).is_some_and(|row| row.is_of_ripgrep);
    let leaves_rare = name == "grep";
    let leaves_conditions = name != "inspect" && command.get_arguments().any(is_condition);
    if leaves_conditions {
        end = format!("{CONDITIONS}\n\n{end}");
    }
    if leaves_rare {
        end = format!("More ripgrep options: folio help ripgrep.\n{end}");
    }
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
    command
        .about(about.unwrap_or_default())
        .after_help(end)
        .disable_help_flag(true)
        .arg(help.help("Print help; -h prints a summary").help_heading(None))
        .mut_args(|flag| {
            let is_left_out =
                leaves_conditions && is_condition(&flag) || leaves_rare && is_rare(&flag);
            let is_hidden = is_left_out || flag.is_hide_set();
            flag.hide(is_hidden)
        })
}

fn with_common(command: Command, common: &[&OptionRow], is_operation: bool) -> Command {
    let is_taken =
        |id: &str| command.get_arguments().any(|flag| flag.get_id() == id && !flag.is_hide_set());
    let most = if is_operation { OF_OPERATION } else { usize::MAX };
    let shown = common.iter().filter(|row| is_taken(row.id)).take(most);
    let shown: Vec<&OptionRow> = shown.copied().collect();
    command.disable_version_flag(true).mut_args(|flag| {
        if flag.is_positional() {
            let is_hidden = is_operation || flag.is_hide_set();
            return flag.hide(is_hidden);
        }
        let Some(at) = shown.iter().position(|row| flag.get_id() == row.id) else {
            return flag.hide(true);
        };
        let flag = match shown[at].short {
            "" => flag,
            short => {
                let takes_values = flag.get_action().takes_values();
                flag.help(short).hide_possible_values(takes_values)
            }
        };
        flag.help_heading(None).display_order(at)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::subcommands::{SUBCOMMANDS, Subcommand};
    use super::*;
    use folio_files::options::{FLAGS, NAMES};

    #[test]
    fn every_option_has_one_row() {
        let mut commands: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for subcommand in SUBCOMMANDS {
            let command = subcommand.command();
            // clap adds these to each command.
            let is_declared =
                |argument: &&Arg| argument.get_id() != "help" && argument.get_id() != "version";
            for argument in command.get_arguments().filter(is_declared) {
                commands.entry(argument.get_id().to_string()).or_default().push(subcommand.name);
            }
        }
        for id in commands.keys() {
            let count = OPTIONS.iter().filter(|row| row.id == id).count();
            assert_eq!(count, 1, "the option '{id}' has {count} rows in option_rows.rs");
        }
        let mut missing = Vec::new();
        for row in OPTIONS {
            // Without search, some commands do not exist.
            let Some(owners) = commands.get(row.id) else {
                missing.push(row.id);
                continue;
            };
            let takes = |name: &&str| owners.contains(name) || !cfg!(feature = "search");
            let names = row.common.split(' ').filter(|name| !name.is_empty());
            assert!(names.clone().all(|name| takes(&name)), "{}: {}", row.id, row.common);
            assert!(row.short.is_empty() || names.count() > 0, "{}: only for -h", row.id);
            assert!(!row.is_in_edits || owners.contains(&"patch"), "{}: a field of edits", row.id);
            assert!(!row.is_in_lines || owners.contains(&"read"), "{}: a field of lines", row.id);
            assert!(row.operations.is_empty() || owners.contains(&"patch"), "{}", row.id);
        }
        // Messages name only options that exist. `--flags` are those of patterns in JSON.
        for name in NAMES.iter().filter(|name| **name != FLAGS) {
            let takes = |subcommand: &Subcommand| {
                let command = subcommand.command();
                let long = |argument: &Arg| argument.get_long().map(|long| format!("--{long}"));
                let mut arguments = command.get_arguments();
                arguments.any(|argument| {
                    argument.get_id() == name.0 || long(argument).as_deref() == Some(name.0)
                })
            };
            assert!(!cfg!(feature = "search") || SUBCOMMANDS.iter().any(takes), "{}", name.0);
        }
        #[cfg(feature = "search")]
        assert!(missing.is_empty(), "no command has the options {missing:?}");
    }
}
