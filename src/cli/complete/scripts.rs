//! The scripts of `folio completions`. clap generates them from the options. The scripts for bash,
//! zsh and fish are extended to request names from this binary.

use clap_complete::Shell;

use super::WORD;
use super::question::{Expected, expected_by_flag};
use crate::cli::subcommands::{SUBCOMMANDS, complete_command};

/// The line at which the generated zsh script calls its own function.
const ZSH_CALL: &str = "if [ \"$funcstack[1]\" = \"_folio\" ]; then";

/// Returns the completion script for a shell.
pub fn completion_script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut complete_command(), "folio", &mut script);
    let made = String::from_utf8_lossy(&script).into_owned();
    let links: Vec<String> =
        SUBCOMMANDS.iter().map(|command| format!("folio-{}", command.name)).collect();
    let asking = match shell {
        Shell::Bash => made + "\n" + include_str!("ask.bash"),
        Shell::Zsh => zsh(&made),
        Shell::Fish => fish(&made),
        _ => return script,
    };
    asking.replace("@WORD@", WORD).replace("@LINKS@", &links.join(" ")).into_bytes()
}

/// Renames the function that clap generates, and inserts folio's own function before it.
fn zsh(made: &str) -> String {
    let body = made.split_once(ZSH_CALL).map_or(made, |(body, _)| body);
    let body = body.strip_prefix("#compdef folio\n").unwrap_or(body);
    let body = body.replace("\n_folio() {", "\n_folio_flags() {");
    // With two colons, zsh would not offer options after the first operand.
    let body = body.replace("\n'*::", "\n'*:");
    format!("#compdef folio @LINKS@\n{body}{}", include_str!("ask.zsh"))
}

/// Returns the words that may directly follow a command: operations of `patch` and names of shells.
fn fish_words() -> String {
    let mut lines = String::new();
    for command in SUBCOMMANDS {
        let built = (command.build)();
        let Some(first) = built.get_positionals().next() else { continue };
        let words = first.get_possible_values();
        let names: Vec<&str> = words.iter().map(|word| word.get_name()).collect();
        let names = names.join(" ");
        for word in words.iter().filter(|word| !word.is_hide_set()) {
            let help = word.get_help().map(|help| format!(" -d '{help}'")).unwrap_or_default();
            lines.push_str(&format!(
                "complete -c folio -n \"__fish_folio_using_subcommand {}; and not \\\n    \
                 __fish_seen_subcommand_from {names}\" -f -a {}{help}\n",
                command.name,
                word.get_name(),
            ));
        }
    }
    lines
}

/// Makes the generated fish script request the values of options from this binary.
fn fish(made: &str) -> String {
    let mut script = String::new();
    for line in made.lines() {
        let flag = line.split_once(" -l ").and_then(|(_, rest)| rest.split(' ').next());
        let expected = flag.and_then(expected_by_flag).filter(|_| line.ends_with(" -r"));
        script.push_str(line);
        script.push_str(match expected {
            // A collection may also be given as a directory.
            Some(Expected::Collection) => " -k -a '(__folio_ask)'\n",
            Some(_) => " -f -k -a '(__folio_ask)'\n",
            None => "\n",
        });
    }
    script.push('\n');
    script.push_str(include_str!("ask.fish"));
    script.push_str(&fish_words());
    for command in SUBCOMMANDS {
        script.push_str(&format!("complete -c folio-{0} -w 'folio {0}'\n", command.name));
    }
    script
}
