//! The options of `links`.

use std::ffi::OsString;

use clap::{ArgAction, Args, ValueEnum};

use super::report::Form;
use crate::commands::request::CommandLine;
use crate::commands::rules::{JSON, Rule, excludes, needs};
use crate::commands::shared_args::{
    BudgetArgs, ColorChoice, DocumentArgs, HyperlinkArgs, LookupArgs, ONCE,
};
use crate::commands::site::site_args::SiteArgs;
use folio_files::ignore_rules::RuleOptions;

const FIX: &str = "Fixing";

impl CommandLine for LinksArgs {
    const NAME: &'static str = "links";
    const ABOUT: &'static str = "Find broken links and anchors in Markdown files";
    const LONG_ABOUT: &'static str = "\
Find broken links and anchors in Markdown files, and suggest the closest target. Images,
link definitions and the HTML attributes href, src and srcset are also checked.

  folio links                    check all Markdown files in the current directory
  folio links -q docs README.md  print nothing, for scripts

In a pipe, each line of output begins with an address for `folio read`:
  docs/guide.md:12:9: no file 'instal.md'; there is 'install.md'";
    const AFTER_HELP: &'static str = "\
folio resolves links as GitHub does. A link that begins with / is relative to the
repository root or, outside a repository, to the directory given as PATH. Percent-encoded
characters are decoded. A #fragment must match the slug of a heading, {#id}, or an id or
name attribute, ignoring case. In a link to a directory, the anchor is looked up in
its README or index file. #L10 is broken if the file has fewer than ten lines.

In the sites of Astro with Starlight, Docusaurus, Hugo, mdBook, MkDocs and VitePress, folio
detects the generator by its configuration file, and resolves the links of pages as the
generator does. A note names the file. --site github, or site = 'github' in folio.toml,
turns this off; a site that other options describe is not detected. In the vaults of Obsidian,
Foam and Logseq, and with --site wiki, links such as [[page#Heading]] are checked too.

If more than 20 broken links have one cause that an option can resolve, folio counts the
others in a note. --json lists all.

folio ignores templates (links that contain {{ or {%). It does not access the network:
links with a scheme or host, and links to GitHub pages such as ../../issues/3, are
counted but not checked.

In directories, folio checks .md, .markdown and .mdx files; with --as markdown, it checks
all files. Links in standard input are relative to the current directory.

Examples:
  folio links --ignore '/api/*' --ignore '*.html' docs
  folio links -g '!CHANGELOG.md'
  folio links --site hugo content
  folio links --root-dir public --fallback-extensions md --index-files index.md docs
  folio links --remap '^/docs/(.*) /content/$1.md' content
  folio links --fix --dry-run docs
  folio links --json docs > known.jsonl
  folio links --baseline known.jsonl docs
  folio links --json | jq -r 'select(.reason == \"noAnchor\").target'
  folio links | folio read --addresses-from -

--baseline identifies a broken link by its file, destination and reason, not by its line.
folio reports how many links in the baseline are no longer broken. To update the
baseline, save the output of --json again.

--fix rewrites a link if there is exactly one candidate, and the new link works. It corrects
uppercase and lowercase, corrects one mistyped character (but not a digit), adds a missing
extension, and finds a file that is in another directory. If a file cannot be written, no
file changes. For a generated site, also give --site.

Without a path, folio checks piped input if there is any, and otherwise the current
directory.

Exit status: 0 no broken link, 1 broken links, 2 error.";
    const RULES: &'static [Rule] = RULES;
}

const RULES: &[Rule] =
    &[excludes("null", "json format=github fix"), excludes("quiet all", "fix"), needs("all", JSON)];

/// The options of `links`, in the order of the help.
#[derive(Args, Debug)]
pub struct LinksArgs {
    /// Files or directories; - for standard input
    #[arg(value_name = "PATH")]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub paths: Vec<OsString>,
    /// Ignore destinations that match the glob, with or without their #fragment (repeatable)
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true)]
    pub ignore: Vec<String>,
    /// Options that describe the site.
    #[command(flatten)]
    pub site: SiteArgs,
    /// Ignore broken links listed in FILE, written by folio links --json
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub baseline: Option<OsString>,
    /// Rewrite broken links that have only one possible target
    #[arg(long, help_heading = FIX)]
    pub fix: bool,
    /// Print a diff of what --fix would change, and write nothing
    #[arg(short = 'd', long, requires = "fix", help_heading = FIX)]
    pub dry_run: bool,
    /// Print a diff of what --fix changed
    #[arg(long, requires = "fix", help_heading = FIX)]
    pub diff: bool,
    /// List all links with their kind and status, not only broken links (requires --json)
    #[arg(long, help_heading = "Output")]
    pub all: bool,
    /// Also report unused link definitions whose destination is broken
    #[arg(long, help_heading = "Output")]
    pub unused: bool,
    /// Print nothing; exit with 1 if a link is broken
    #[arg(short = 'q', long, help_heading = "Output")]
    pub quiet: bool,
    /// Print records as ADDRESS NUL TEXT NUL
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// Include only files that match the glob; !GLOB excludes (repeatable)
    #[arg(short = 'g', long, value_name = "GLOB", allow_hyphen_values = true)]
    #[arg(help_heading = "Directories")]
    pub glob: Vec<String>,
    /// Include only files of this type: md, rust, … (repeatable)
    #[arg(id = "type", short = 't', long, value_name = "TYPE", help_heading = "Directories")]
    pub types: Vec<String>,
    /// Check hidden files and directories
    #[arg(short = '.', long, help_heading = "Directories")]
    pub hidden: bool,
    /// Check ignored files
    #[arg(long, help_heading = "Directories")]
    pub no_ignore: bool,
    /// Options for reading documents.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// Options that limit output.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Options for finding files.
    #[command(flatten)]
    pub lookup: LookupArgs,
    /// Options for terminal hyperlinks.
    #[command(flatten)]
    pub hyperlinks: HyperlinkArgs,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    #[arg(overrides_with = "json")]
    pub format: LinksFormat,
    /// Short for --format json
    #[arg(long, overrides_with = "format", help_heading = "Output")]
    pub json: bool,
    /// When to color text
    #[arg(long, alias = "colour", value_name = "WHEN", value_enum, default_value_t)]
    #[arg(help_heading = "Output")]
    pub color: ColorChoice,
}

/// `--format`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinksFormat {
    /// Text for people and pipes
    #[default]
    Text,
    /// JSON Lines
    Json,
    /// Annotations of a GitHub workflow: ::error file=…,line=…::…
    Github,
}

impl LinksArgs {
    /// Returns the text format of broken links.
    pub(super) fn form(&self) -> Form {
        match (self.null, self.format) {
            (true, _) => Form::Null,
            (_, LinksFormat::Github) => Form::Annotations,
            _ => Form::Lines,
        }
    }

    /// Returns the rules for including files below a directory.
    pub fn rules(&self) -> RuleOptions {
        RuleOptions {
            globs: self.glob.clone(),
            types: self.types.clone(),
            hidden: self.hidden,
            no_ignore: self.no_ignore,
            ..RuleOptions::default()
        }
    }
}
