//! `folio patch OPERATION --help`: that operation only, with the flags that it
//! takes.

use clap::Command;

/// An operation, as its own help tells it.
struct Help {
    name: &'static str,
    about: &'static str,
    /// Groups of flags that mean nothing with it.
    without: &'static [&'static [&'static str]],
    examples: &'static str,
}

const PLACE: &[&str] = &["before", "after"];
const TO: &[&str] = &["to"];
const LINKS: &[&str] = &["links", "links_in"];
const CONTENT: &[&str] =
    &["content", "content_file", "set", "preserve_indent", "no_preserve_indent"];
const EXPAND: &[&str] = &["expand"];
const NAMES: &[&str] = &["section", "body", "heading", "anchor", "within"];
const TARGETS: &[&str] = &[
    "lines",
    "code_block",
    "table",
    "front_matter",
    "text",
    "pattern",
    "target",
    "whole_file",
    "no_children",
    "key",
    "value",
    "fences",
];
const NO_KEYS: &[&str] = &[
    "body",
    "heading",
    "anchor",
    "within",
    "lines",
    "code_block",
    "table",
    "text",
    "pattern",
    "whole_file",
    "no_children",
    "value",
    "fences",
];
const MATCHES: &[&str] = &[
    "occurrence",
    "unique",
    "expect",
    "ignore_whitespace",
    "normalize_unicode",
    "expand",
    "fixed_strings",
    "ignore_case",
    "case_sensitive",
    "smart_case",
    "word_regexp",
    "line_regexp",
    "multiline",
    "glob",
    "types",
];
const GUARDS: &[&str] = &["if_match", "if_range_match"];

const OPERATIONS: &[Help] = &[
    Help {
        name: "replace",
        about: "The part becomes the content.",
        without: &[PLACE, TO, LINKS],
        examples: "  folio patch replace README.md --section Install -f install.md
  folio patch replace app.ini -s database --key host --value -c db.example
  folio patch replace README.md --text teh -c the --occurrence all --dry-run",
    },
    Help {
        name: "insert",
        about: "The content comes before the part, the default for lines, or after it.",
        without: &[TO, LINKS],
        examples: "  folio patch insert TODO.md:2 -c '- [ ] call home'
  folio patch insert README.md --section Usage --before -f install.md
  folio patch insert app.ini --section database --key port -c 'port = 5432'",
    },
    Help {
        name: "append",
        about: "The content comes at the end of a section, of its keys, or of the file.",
        without: &[PLACE, TO, LINKS, EXPAND],
        examples: "  folio patch append CHANGELOG.md --section Unreleased -c '- Faster.'
  folio patch append app.ini --section database -c 'port = 5432'
  date | folio patch append TODO.md -f -",
    },
    Help {
        name: "delete",
        about: "The part goes.",
        without: &[PLACE, TO, CONTENT, EXPAND],
        examples: "  folio patch delete README.md --section Usage --links
  folio patch delete TODO.md:2-3
  folio patch delete app.ini --section database --key host",
    },
    Help {
        name: "rename",
        about: "A heading or INI section gets the content for its name; a heading keeps its level.",
        without: &[PLACE, TO, TARGETS, MATCHES, &["preserve_indent", "no_preserve_indent"]],
        examples: "  folio patch rename README.md --heading Install -c Setup
  folio patch rename README.md --heading Install -c Setup --links
  folio patch rename README.md --heading 'Guide > Usage' -c Use --dry-run",
    },
    Help {
        name: "move",
        about: "\
The part goes to the place that --to names, after it or --before it; without a part, the file.",
        without: &[CONTENT, EXPAND],
        examples: "  folio patch move README.md --section Usage --to TODO.md --links
  folio patch move README.md --section Usage --to 'README.md#install' --before
  folio patch move TODO.md --to docs/ --links",
    },
    Help {
        name: "copy",
        about: "The part comes at the place that --to names too, after it or --before it.",
        without: &[CONTENT, EXPAND],
        examples: "  folio patch copy README.md --section Install --to TODO.md --links
  folio patch copy TODO.md:2-3 --to README.md
  folio patch copy app.ini --section database --to other.ini",
    },
    Help {
        name: "create",
        about: "A new file holds the content. A file that is there stays as it is.",
        without: &[PLACE, TO, LINKS, NAMES, TARGETS, MATCHES, GUARDS],
        examples: "  folio patch create page.md -c '# A page'
  folio patch create docs/install.md -f install.md
  folio patch create hello.md -c 'Hello {{NAME}}' --set NAME=Ann",
    },
    Help {
        name: "set",
        about: "\
A key gets the content for its value; it and its section are made if they are not there.",
        without: &[PLACE, TO, LINKS, NO_KEYS, MATCHES],
        examples: "  folio patch set app.ini --section database --key host -c db.example
  folio patch set README.md --front-matter --key title -c Guide
  folio patch set app.ini -s web --key port -c 8080 --dry-run",
    },
    Help {
        name: "apply",
        about: "\
Edits in JSON, from a file or standard input: one, an array, JSON Lines, or
{\"edits\":[…]}. All are made, or none. `folio schema edits` says all that an edit
may hold; its names are those of the flags, such as ifMatch.

  {\"filePath\":\"README.md\",\"operation\":\"replace\",
   \"target\":{\"body\":\"Install\"},\"content\":\"Run make.\"}",
        without: &[PLACE, TO, LINKS, NAMES, TARGETS, MATCHES, GUARDS, CONTENT],
        examples: "  folio patch apply edits.json --check
  folio patch apply edits.json --dry-run
  folio patch apply - < edits.json",
    },
];

/// The help of the operation that stands behind `patch`, where one does: its
/// own, without the flags that mean nothing with it.
pub fn with_own_help(command: Command, operation: &str) -> Command {
    let Some(help) = OPERATIONS.iter().find(|help| help.name == operation) else { return command };
    let operand = if help.name == "apply" { "[FILE]" } else { "ADDRESS..." };
    let typed = format!("folio patch {operation}");
    let command = command
        .override_usage(format!("{typed} [OPTIONS] {operand}"))
        .bin_name(&typed)
        .display_name(typed)
        .about(help.about)
        .long_about(help.about)
        .after_long_help(format!("Examples:\n{}", help.examples))
        // What is changed comes last, unless its place is said.
        .mut_arg("operation", |operation| operation.index(1).hide(true))
        .mut_arg("addresses", |addresses| addresses.index(2));
    let needless = help.without.iter().flat_map(|flags| flags.iter());
    needless.fold(command, |command, flag| command.mut_arg(flag, |flag| flag.hide(true)))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::super::args::OperationArg;
    use super::*;

    #[test]
    fn every_operation_has_its_help() {
        let names = OperationArg::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        assert_eq!(OPERATIONS.iter().map(|help| help.name).collect::<Vec<_>>(), names);
        for help in OPERATIONS {
            assert_eq!(help.examples.lines().count(), 3, "{}", help.name);
        }
    }
}
