//! The command line of `folio` itself: its own options, and the options of commands that print
//! information about folio.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::commands::request::CommandLine;
use crate::commands::shared_args::RootArgs;

/// The first line of `folio --help`.
pub(super) const ABOUT: &str = "Read, search and edit parts of text files by name";

const HELP_END: &str = "\
Examples:
  folio inspect README.md                        print the outline of a file
  folio read README.md --section Installation    print one section

`folio COMMAND --help` describes a command; `folio help TOPIC` describes addresses,
keys, selecting, exit-status, config, ripgrep, mcp and agents (for coding agents).

--root [NAME=]DIR, before or after a command, restricts the command to files below DIR.";

impl CommandLine for SchemaArgs {
    const NAME: &'static str = "schema";
    const ABOUT: &'static str = "Print the JSON Schema of a command's input or output";
    const LONG_ABOUT: &'static str = "\
Print the JSON Schema of a command's --json output or JSON input. Without a name, list
all names. The $id of a schema ends with its version.

  folio schema read               output of `folio read --json`
  folio schema mcp:read           input of the MCP tool `read`
  folio schema edits              input of `folio patch apply`
  folio schema batch              input of `folio read --batch`
  folio schema edits --example    examples of edits, one per line";
}

impl CommandLine for McpArgs {
    const NAME: &'static str = "mcp";
    const ABOUT: &'static str = "Serve tools over the Model Context Protocol";
    const LONG_ABOUT: &'static str = "\
Serve tools over the Model Context Protocol on standard input and output. Tools can
access only files below the roots. The roots are the values of --root, otherwise those
that the client reports, otherwise the current directory.

  folio mcp --root ~/notes                   serve all default tools
  folio mcp --root ~/notes --read-only       serve only tools that do not change files

`folio help mcp` lists the sets of tools and explains how to set up clients.";
}

impl CommandLine for CallArgs {
    const NAME: &'static str = "call";
    const ABOUT: &'static str = "Call an MCP tool from the shell";
    const LONG_ABOUT: &'static str = "\
Call a tool of `folio mcp` as a client does. folio reads the arguments as a JSON object
from standard input and prints the answer; errors are JSON on standard error.

  echo '{\"address\":\"README.md\",\"section\":\"Install\"}' | folio call read
  folio call --list                          list all tools

Exit status: 0 success, 1 no such part, 2 error, 3 ambiguous name, 4 conflict.";
}

impl CommandLine for CompletionsArgs {
    const NAME: &'static str = "completions";
    const ABOUT: &'static str = "Print a completion script for a shell";
    const LONG_ABOUT: &'static str = concat!(
        "\
Print a completion script for a shell.

bash: add to ~/.bashrc
  source <(folio completions bash)

zsh: create a file, and add the last two lines to ~/.zshrc unless it calls compinit
  mkdir -p ~/.zfunc && folio completions zsh > ~/.zfunc/_folio
  fpath=(~/.zfunc $fpath)
  autoload -Uz compinit && compinit

fish: add to ~/.config/fish/config.fish
  folio completions fish | source

In these shells, Tab also completes the sections, keys and anchors of a file, as in
folio read README.md --section <Tab>",
        if_search!(
            ", and collections and their documents, as in
folio read @docs/<Tab>",
            ""
        ),
        ". The script runs the folio binary in $PATH.
The script can also be installed as a file, for bash (with bash-completion) as
~/.local/share/bash-completion/completions/folio and for fish as
~/.config/fish/completions/folio.fish. Commands that folio --install
creates are then completed only after folio itself has been completed once."
    );
}

impl CommandLine for ManArgs {
    const NAME: &'static str = "man";
    const ABOUT: &'static str = "Show a manual page";
    const LONG_ABOUT: &'static str = "\
Show a manual page with man; in a pipe, print its source.

  folio man read                  show the manual page of folio read
  folio man > ~/.local/share/man/man1/folio.1
  folio man addresses > ~/.local/share/man/man7/folio-addresses.7";
}

/// Builds the command line without subcommands.
pub(super) fn command() -> Command {
    Command::new("folio")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(HELP_END)
        .arg_required_else_help(true)
        .subcommand_value_name("COMMAND")
        .disable_help_subcommand(true)
        .arg(
            clap::Arg::new("list")
                .long("list")
                .action(clap::ArgAction::SetTrue)
                .help("Print the names of the commands"),
        )
        .arg(
            clap::Arg::new("install")
                .long("install")
                .value_name("DIR")
                .value_hint(clap::ValueHint::DirPath)
                .value_parser(clap::value_parser!(PathBuf))
                .help("Create links named folio-COMMAND to this binary in DIR"),
        )
}

/// The options of `schema`.
#[derive(Args, Debug)]
pub(super) struct SchemaArgs {
    /// A command (for its output), edits (input of patch) or batch (input of read)
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Print examples instead of the schema (edits)
    #[arg(long, requires = "name")]
    pub(super) example: bool,
}

/// The options of `mcp`.
#[derive(Args, Debug)]
pub(super) struct McpArgs {
    #[cfg_attr(
        feature = "search",
        doc = "Sets of tools: core, fs-mcp, text, documents, read_text_file, fs, related, all"
    )]
    #[cfg_attr(
        not(feature = "search"),
        doc = "Sets of tools: core, fs-mcp, text, read_text_file, fs, all"
    )]
    #[arg(long, value_name = "SETS", default_value = "core")]
    pub(super) tools: String,
    /// Serve only tools that do not change files
    #[arg(long)]
    pub(super) read_only: bool,
    /// Allow access to .git, .env files and key files
    #[arg(long)]
    pub(super) allow_secrets: bool,
    /// Report on standard error which restrictions the kernel enforces
    #[arg(long)]
    pub(super) verbose: bool,
    /// Cancel a call after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(super) timeout: u64,
    /// Append each call to FILE as an Agent Client Protocol event
    #[arg(long, value_name = "FILE")]
    pub(super) acp_events: Option<PathBuf>,
    /// In read_text_file, request unsaved text from the editor at this Unix socket
    #[arg(long, value_name = "PATH")]
    pub(super) acp_socket: Option<PathBuf>,
    /// Session ID for --acp-events and --acp-socket
    #[arg(long, value_name = "ID", default_value = "folio")]
    pub(super) acp_session: String,
    /// The directories in which files may be accessed.
    #[command(flatten)]
    pub(super) roots: RootArgs,
}

/// The options of `call`.
#[derive(Args, Debug)]
pub(super) struct CallArgs {
    /// Name of the tool
    #[arg(value_name = "TOOL")]
    pub(super) tool: Option<String>,
    /// List all tools: set, name and title
    #[arg(long, conflicts_with = "tool")]
    pub(super) list: bool,
    /// The directories in which files may be accessed.
    #[command(flatten)]
    pub(super) roots: RootArgs,
}

/// The options of `completions`.
#[derive(Args, Debug)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(super) shell: Shell,
}

/// The options of `man`.
#[derive(Args, Debug)]
pub(super) struct ManArgs {
    /// A command or help topic [default: folio]
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
}
