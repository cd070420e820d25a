//! The command line of `folio` itself: its own flags, and those of the commands
//! that print what it says of itself.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::commands::shared_args::RootArgs;

/// What `folio --help` opens with.
pub(super) const ABOUT: &str = "Address, read, search and edit the parts of text files";

const HELP_END: &str = "\
The two commonest uses:
  folio inspect README.md                        the outline of a file
  folio read README.md --section Installation    one section of it

`folio COMMAND --help` tells of each command. `folio help TOPIC` tells of
addresses, exit-status, ripgrep, and agents: a page for the instructions of coding agents.

--root [NAME=]DIR, before a command or behind it, lets it touch only files below DIR.";

/// What `schema --help` opens with.
pub(super) const SCHEMA_ABOUT: &str = "Print the JSON Schema of what a command prints or takes";
/// What `mcp --help` opens with.
pub(super) const MCP_ABOUT: &str = "Serve tools to clients of the Model Context Protocol";
/// What `call --help` opens with.
pub(super) const CALL_ABOUT: &str = "Call one of these tools from a shell";
/// What `completions --help` opens with.
pub(super) const COMPLETIONS_ABOUT: &str = "Print a completion script for a shell";
/// What `man --help` opens with.
pub(super) const MAN_ABOUT: &str = "Show or print a manual page";

/// The long help's opening of `schema`.
pub(super) const SCHEMA_LONG_ABOUT: &str = "\
Print the JSON Schema of what a command prints with --json, or of JSON that it takes.
Without a name, print the names of all. The last part of a schema's $id is its version.

  folio schema read     what `folio read --json` prints
  folio schema mcp:read     what the tool `read` of `folio mcp` takes
  folio schema edits    what `folio patch apply` takes; batch: `folio read --batch`
  folio schema edits --example     such edits, one a line";

/// The long help's opening of `mcp`.
pub(super) const MCP_LONG_ABOUT: &str = "\
Serve tools to clients of the Model Context Protocol, on standard input and output.
They touch only files below the roots: those of --root, or else those of the client,
or else the current directory.

  folio mcp --root ~/notes                   inspect, read, grep, patch, list
  folio mcp --root ~/notes --read-only       without those that write

`folio help mcp` tells what to paste into which client, and which set of tools is for what.";

/// The long help's opening of `call`.
pub(super) const CALL_LONG_ABOUT: &str = "\
Call a tool of `folio mcp` as a client would: its arguments are a JSON object on
standard input, its answer is printed, errors are JSON on standard error.

  echo '{\"address\":\"README.md\",\"section\":\"Install\"}' | folio call read
  folio call --list                          all tools: set, name, title

Exit status: 0 done, 1 no such part, 2 trouble, 3 several candidates, 4 conflict.";

/// The long help's opening of `completions`.
pub(super) const COMPLETIONS_LONG_ABOUT: &str = "\
Print a completion script for a shell.

bash: a line in ~/.bashrc
  source <(folio completions bash)

zsh: a file, and two lines in ~/.zshrc where compinit is not called yet
  mkdir -p ~/.zfunc && folio completions zsh > ~/.zfunc/_folio
  fpath=(~/.zfunc $fpath)
  autoload -Uz compinit && compinit

fish: a line in ~/.config/fish/config.fish
  folio completions fish | source

In these three, Tab also completes what is in the file, such as sections, keys
and anchors: folio read README.md --section <Tab>; and collections and what is
in them: folio read @docs/<Tab>. The folio in $PATH is asked.
With the package bash-completion the script for bash may be a file instead,
~/.local/share/bash-completion/completions/folio; fish reads one in
~/.config/fish/completions/folio.fish. Both then know the links of
folio --install only after folio itself was completed.";

/// The long help's opening of `man`.
pub(super) const MAN_LONG_ABOUT: &str = "\
Show a manual page on a terminal, by man; print it in a pipe.

  folio man read                  to read it
  folio man > ~/.local/share/man/man1/folio.1
  folio man addresses > ~/.local/share/man/man7/folio-addresses.7";

/// The command line without commands.
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
                .help("Make links named folio-COMMAND to this binary in DIR"),
        )
}

/// The flags of `schema`.
#[derive(Args, Debug)]
pub(super) struct SchemaArgs {
    /// A command, for what it prints; edits or batch, for what patch and read take
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
    /// Print an example in place of the schema: of edits
    #[arg(long, requires = "name")]
    pub(super) example: bool,
}

/// The flags of `mcp`.
#[derive(Args, Debug)]
pub(super) struct McpArgs {
    /// Which sets of tools: core, fs-mcp, text, documents, read_text_file, fs, all
    #[arg(long, value_name = "SETS", default_value = "core")]
    pub(super) tools: String,
    /// Leave out tools that write
    #[arg(long)]
    pub(super) read_only: bool,
    /// Show .git, .env files and key files too
    #[arg(long)]
    pub(super) allow_secrets: bool,
    /// Stop a call after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(super) timeout: u64,
    /// Append calls to this file, as events of the Agent Client Protocol
    #[arg(long, value_name = "FILE")]
    pub(super) acp_events: Option<PathBuf>,
    /// Ask an editor on this Unix socket first what is in a file: read_text_file
    #[arg(long, value_name = "PATH")]
    pub(super) acp_socket: Option<PathBuf>,
    /// The session that events and questions name
    #[arg(long, value_name = "ID", default_value = "folio")]
    pub(super) acp_session: String,
    /// Where files may be.
    #[command(flatten)]
    pub(super) roots: RootArgs,
}

/// The flags of `call`.
#[derive(Args, Debug)]
pub(super) struct CallArgs {
    /// The tool
    #[arg(value_name = "TOOL")]
    pub(super) tool: Option<String>,
    /// List all tools: set, name, title
    #[arg(long, conflicts_with = "tool")]
    pub(super) list: bool,
    /// Where files may be.
    #[command(flatten)]
    pub(super) roots: RootArgs,
}

/// The flags of `completions`.
#[derive(Args, Debug)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub(super) shell: Shell,
}

/// The flags of `man`.
#[derive(Args, Debug)]
pub(super) struct ManArgs {
    /// The command or the page of help; without one, folio as a whole
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,
}
