//! What `-h` shows: the commonest flags first, a line each, and two examples.
//! `--help` shows all.

use clap::Command;

use super::manual;

/// The flags that the short help of a command shows, the commonest first; of a
/// command that is not here, all.
const COMMONEST: &[(&str, &[&str])] = &[
    (
        "inspect",
        &[
            "outline",
            "max_level",
            "matching",
            "having",
            "containing",
            "without_key",
            "files_with_matches",
            "only",
            "tokens",
            "breadcrumbs",
            "anchors",
            "tree",
            "flat",
            "mode",
            "query",
            "regex",
            "context",
            "glob",
            "types",
            "checksum",
            "section_pattern",
            "ignore_case",
            "null",
            "json",
            "as_format",
            "encoding",
            "root",
        ],
    ),
    (
        "read",
        &[
            "section",
            "body",
            "code_block",
            "key",
            "value",
            "lines",
            "from",
            "to_next",
            "to_section_end",
            "limit",
            "head",
            "tail",
            "section_context",
            "text",
            "pattern",
            "context",
            "front_matter",
            "within",
            "no_children",
            "addresses_from",
            "max_lines",
            "max_tokens",
            "number",
            "no_headers",
            "show_whitespace",
            "checksum",
            "json",
            "root",
        ],
    ),
    (
        "grep",
        &[
            "section_hints",
            "section_context",
            "breadcrumbs",
            "inside",
            "outside_code",
            "only_code",
            "ignore_case",
            "fixed_strings",
            "word_regexp",
            "regexp",
            "invert_match",
            "files_with_matches",
            "count",
            "only_matching",
            "quiet",
            "after_context",
            "before_context",
            "context",
            "max_count",
            "max_total",
            "glob",
            "types",
            "hidden",
            "no_ignore",
            "multiline",
            "replace",
            "json",
            "root",
        ],
    ),
    (
        "edit",
        &[
            "section",
            "body",
            "heading",
            "anchor",
            "lines",
            "text",
            "pattern",
            "code_block",
            "table",
            "key",
            "value",
            "front_matter",
            "within",
            "no_children",
            "diff",
            "backup",
            "in_place",
            "no_undo",
            "resolve",
            "as_format",
            "encoding",
            "root",
            "json",
        ],
    ),
    (
        "patch",
        &[
            "section",
            "heading",
            "lines",
            "text",
            "code_block",
            "key",
            "value",
            "content",
            "content_file",
            "to",
            "before",
            "after",
            "links",
            "dry_run",
            "occurrence",
            "json",
            "diff",
            "pattern",
            "body",
            "anchor",
            "whole_file",
            "check",
            "if_match",
            "unique",
            "glob",
            "backup",
            "force",
            "root",
        ],
    ),
    (
        "links",
        &[
            "ignore",
            "baseline",
            "fix",
            "root_dir",
            "fallback_extensions",
            "remap",
            "quiet",
            "glob",
            "types",
            "hidden",
            "no_ignore",
            "json",
            "root",
        ],
    ),
    (
        "list",
        &[
            "recursive",
            "depth",
            "tree",
            "details",
            "titles",
            "extension",
            "glob",
            "exclude",
            "hidden",
            "no_ignore",
            "sort",
            "limit",
            "offset",
            "null",
            "json",
            "root",
        ],
    ),
];

/// What flags do, in so few words that they fit a line.
const IN_SHORT: &[(&str, &str)] = &[
    ("section", "A heading with its body, an INI section, a log entry: NAME or 'A > B'"),
    ("heading", "The line of a heading itself"),
    ("code_block", "The text of a code block, counted from 0; LANG:N counts one language"),
    ("lines", "Lines: 10, 10-50, 10-"),
    ("text", "A text, where it first occurs"),
    ("pattern", "What a regular expression matches within a line"),
    ("matching", "Parts whose names match; folio help selecting has all conditions"),
    ("having", "Parts with a section below them whose name matches"),
    ("containing", "Parts whose text matches, sections below them included"),
    ("without_key", "Files whose front matter lacks this key"),
    ("files_with_matches", "Print only the names of files"),
    ("from", "Start at this line"),
    ("limit", "End after this many lines"),
    ("max_tokens", "Cut what is read, all parts together, after this many tokens"),
    ("addresses_from", "Read the addresses that begin the lines of a file, or of -"),
    ("as_format", "Take documents for markdown, ini, log or text"),
    ("encoding", "Take documents for text in this encoding"),
    ("links", "Keep links right that the edit would break, in the whole repository"),
    ("no_children", "Leave out the sections below a heading"),
    ("root", "Take only files below this directory"),
    ("sort", "The order: name, size, modified"),
    ("count", "Print how many lines match"),
    ("only_matching", "Print only what matches, not its line"),
    ("quiet", "Print nothing; the exit status says whether something matches"),
    ("replace", "Show this in place of matches; no file changes"),
    ("inside", "Only hits in the section of this name"),
    ("if_match", "Refuse unless the file's SHA-256 begins with this"),
    ("force", "Do it though the structure changes elsewhere"),
    ("backup", "Keep the old file beside the new one"),
    ("glob", "Only files whose path matches the glob; !GLOB leaves out"),
    ("types", "Only files of this type (md, rust, …)"),
];

/// How many flags the help of an operation of `patch` shows.
const OF_OPERATION: usize = 13;
/// How many examples there are.
const EXAMPLES: usize = 2;

/// A command as its short help shows it.
pub(super) fn shortened(command: Command, name: &str) -> Command {
    let typed = command.get_display_name().unwrap_or(name).to_owned();
    let is_operation = typed.split(' ').count() > 2;
    let long = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let command = match COMMONEST.iter().find(|(command, _)| *command == name) {
        Some((_, flags)) => with_commonest(command, flags, is_operation),
        None => command,
    };
    let (_, examples, _) = manual::parts(&long);
    let mut end = format!("All flags: {typed} --help");
    if !examples.is_empty() {
        let lines: Vec<&str> = examples.lines().take(EXAMPLES).collect();
        end = format!("Examples:\n{}\n\n{end}", lines.join("\n"));
    }
    command.after_help(end)
}

fn with_commonest(command: Command, flags: &[&str], is_operation: bool) -> Command {
    let taken =
        |id: &str| command.get_arguments().any(|flag| flag.get_id() == id && !flag.is_hide_set());
    let most = if is_operation { OF_OPERATION } else { flags.len() };
    let shown: Vec<&str> = flags.iter().copied().filter(|id| taken(id)).take(most).collect();
    command.disable_version_flag(true).mut_args(|flag| {
        if flag.is_positional() {
            return flag.hide(is_operation);
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
    fn all_flags_of_the_table_are_there() {
        for (name, flags) in COMMONEST {
            let command = SUBCOMMANDS.iter().find(|command| command.name == *name).expect(name);
            for flag in *flags {
                assert!(command.takes(flag), "{name} {flag}");
            }
        }
        for (flag, _) in IN_SHORT {
            assert!(COMMONEST.iter().any(|(_, flags)| flags.contains(flag)), "{flag}");
        }
    }
}
