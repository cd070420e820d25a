//! Builds the short help, `-h`: the most common options first, in one line each, and two examples.
//! `--help` shows all options.

use clap::{Arg, ArgAction, Command};

use super::manual;
use crate::commands::conditions;

/// The options in the short help of each command. The most common option comes first, and spaces
/// separate the options. A command that is not listed shows all its options.
const COMMONEST: &[(&str, &str)] = &[
    (
        "inspect",
        "outline max_level matching having containing without_key repeated files_with_matches \
         only tokens breadcrumbs anchors mode query glob type json root",
    ),
    (
        "read",
        "section body code_block key value lines from to_next limit head tail section_context \
         text matching in no_children addresses_from number json root",
    ),
    (
        "grep",
        "section_hints section_context breadcrumbs in outside_code ignore_case fixed_strings \
         word_regexp invert_match files_with_matches count only_matching context max_count \
         glob type json root",
    ),
    (
        "edit",
        "section body heading anchor lines text code_block key value front_matter in \
         no_children diff backup in_place no_undo as_format root",
    ),
    (
        "patch",
        "section body heading lines text code_block key content content_file to before after \
         links occurrence dry_run json root",
    ),
    ("links", "ignore baseline fix site root_dir all unused quiet glob type json root"),
    (
        "list",
        "recursive depth tree details titles extension glob exclude hidden no_ignore sort \
         limit offset null json root",
    ),
    #[cfg(feature = "search")]
    (
        "search",
        "collection in limit per_document keyword_only semantic_only no_correction \
         no_update content json root",
    ),
    #[cfg(feature = "search")]
    ("related", "chunk collection limit same_document content json root"),
    #[cfg(feature = "search")]
    ("collection", "alias description include exclude language limit json root"),
];

/// Descriptions of options for the short help. They are shorter than those in the long help.
const IN_SHORT: &[(&str, &str)] = &[
    ("section", "A heading and its body, an INI section or a log entry"),
    ("heading", "Only the heading line of the section"),
    ("code_block", "The contents of code block N (from 0), or of LANG:N"),
    ("lines", "Lines: 10, 10-50, 10-"),
    ("text", "The text STRING"),
    ("matching", "Select parts whose name matches (more: folio help selecting)"),
    ("having", "Select parts that contain a section or key with a matching name"),
    ("containing", "Select parts that contain a matching line"),
    ("without_key", "Select files without this key (in Markdown: front matter)"),
    ("files_with_matches", "Print only file names"),
    ("from", "Start at this line"),
    ("addresses_from", "Read addresses from FILE (- for standard input)"),
    ("as_format", "Read files as markdown, mdx, ini, log or text"),
    ("links", "Update links that the edit would break"),
    ("no_children", "Exclude nested sections"),
    ("root", "Restrict access to files below this directory"),
    ("sort", "Sort by name, size or modified"),
    ("count", "Print the number of matching lines"),
    ("only_matching", "Print only the matching text"),
    ("in", "Search only in the section with this name"),
    ("backup", "Keep a copy of the old file"),
    ("glob", "Include only files that match the glob; !GLOB excludes"),
    ("type", "Include only files of this type: md, rust, …"),
];

/// Number of options in the short help of an operation of `patch`.
const OF_OPERATION: usize = 13;
/// Number of examples in the short help.
const EXAMPLES: usize = 2;

/// Reduces a command to the parts that its short help shows.
pub(super) fn shortened(command: Command, name: &str) -> Command {
    let typed = command.get_display_name().unwrap_or(name).to_owned();
    let is_operation = typed.split(' ').count() > 2;
    let long = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let command = match COMMONEST.iter().find(|(command, _)| *command == name) {
        Some((_, flags)) => with_commonest(command, flags, is_operation),
        None => command,
    };
    let (_, examples, _) = manual::parts(&long);
    let mut end = format!("All options: {typed} --help");
    if !examples.is_empty() {
        let lines: Vec<&str> = examples.lines().take(EXAMPLES).collect();
        end = format!("Examples:\n{}\n\n{end}", lines.join("\n"));
    }
    command.after_help(end)
}

/// Options of `grep` that are described in `folio help ripgrep` instead of the long help.
const RARE_IN_GREP: &str = "stop_on_nonmatch null_data passthru context_separator \
    no_context_separator field_match_separator field_context_separator type_add type_clear \
    iglob glob_case_insensitive no_ignore_dot no_ignore_exclude no_ignore_files no_ignore_global \
    no_ignore_parent no_ignore_vcs no_require_git ignore_file one_file_system max_filesize sortr \
    recursive line_buffered no_messages vimgrep trim pretty max_columns_preview include_zero \
    count_matches no_unicode multiline_dotall byte_offset";

/// The reference to the descriptions of the options for conditions.
const CONDITIONS: &str =
    "Conditions (--matching, --containing, --last, …) select parts (folio help selecting).";

/// Builds the long help: long texts and all options, in the layout of the short help. clap's layout
/// for long help would take three lines for each option. Leaves out the options that a help topic
/// describes.
pub(super) fn in_full(command: Command, name: &str) -> Command {
    let about = command.get_long_about().or(command.get_about()).cloned();
    let end = command.get_after_long_help().or(command.get_after_help()).map(ToString::to_string);
    let mut end = end.unwrap_or_default();
    let is_condition = |flag: &Arg| flag.get_help_heading() == Some(conditions::flags::HEADING);
    let is_rare = |flag: &Arg| RARE_IN_GREP.split(' ').any(|id| flag.get_id() == id);
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

fn with_commonest(command: Command, flags: &str, is_operation: bool) -> Command {
    let taken =
        |id: &str| command.get_arguments().any(|flag| flag.get_id() == id && !flag.is_hide_set());
    let most = if is_operation { OF_OPERATION } else { usize::MAX };
    let shown: Vec<&str> = flags.split(' ').filter(|id| taken(id)).take(most).collect();
    command.disable_version_flag(true).mut_args(|flag| {
        if flag.is_positional() {
            let is_hidden = is_operation || flag.is_hide_set();
            return flag.hide(is_hidden);
        }
        let Some(at) = shown.iter().position(|id| flag.get_id() == id) else {
            return flag.hide(true);
        };
        let in_short = IN_SHORT.iter().find(|(id, _)| flag.get_id() == id);
        let flag = match in_short {
            Some((_, help)) => {
                let takes_values = flag.get_action().takes_values();
                flag.help(*help).hide_possible_values(takes_values)
            }
            None => flag,
        };
        flag.help_heading(None).display_order(at)
    })
}

#[cfg(test)]
mod tests {
    use super::super::subcommands::SUBCOMMANDS;
    use super::*;

    #[test]
    fn all_options_in_the_table_exist() {
        for (name, flags) in COMMONEST {
            let command = SUBCOMMANDS.iter().find(|command| command.name == *name).expect(name);
            for flag in flags.split(' ') {
                assert!(command.takes(flag), "{name} {flag}");
            }
        }
        for (flag, _) in IN_SHORT {
            assert!(
                COMMONEST.iter().any(|(_, flags)| flags.split(' ').any(|one| one == *flag)),
                "{flag}"
            );
        }
    }
}
