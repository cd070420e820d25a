//! The flags of `links`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::{Fixing, Options, SiteOptions};
use crate::commands::shared_args::{
    BudgetArgs, ColorChoice, ConfigArgs, DocumentArgs, HyperlinkArgs, ResolveArgs, RootArgs,
};
use crate::commands::site::generator;
use crate::files::ignore_rules::RuleOptions;

const SITE: &str = "How the site is built";

const FIX: &str = "Mending";

/// What `--help` opens with.
pub const ABOUT: &str = "Find links and #anchors of Markdown documents that lead nowhere";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Find relative links, images, link definitions, href, src and srcset of HTML tags,
and #anchors in Markdown documents that lead nowhere, and name what is nearest.

  folio links                    all documents below here
  folio links -q docs README.md  only the exit status, for a script

Each line of output in a pipe begins with an address that `folio read` takes:
  docs/guide.md:12:9: no file 'instal.md'; there is 'install.md'";

/// The long help's end.
pub const AFTER_HELP: &str = "\
Links are read as GitHub reads them. One that begins with / is below the
directory that holds .git, or else below the one that was named; %20 is a blank;
../../issues/3 and the like of a repository are pages of GitHub, and counted;
an anchor is a heading's slug, {#id}, id= or name=, in any case; one on a
directory is looked for in its README or index; #L10 needs a file of ten lines.
What holds {{ or {% is a template's and is passed over. Nothing is ever fetched:
links with a scheme or a host are only counted.

Below a directory .md, .markdown and .mdx files are documents, with --as markdown
all files are. Links of standard input are taken from the current directory.

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

--baseline knows a link by its document, its destination and its reason, on
whatever line; how many of the baseline are broken no more is told, and --json
prints it anew.
--fix takes what differs in case only, the extension that was left out, the one
file of that name elsewhere, and a single slip to which one name only is that
near, if it is in no number; what it writes must lead somewhere. All documents
are written, or none. Where a site is built, say --site: links are written for it.

Without a path, what is piped in is checked, else the current directory.

Exit status: 0 all links lead somewhere, 1 some do not, 2 trouble.";

/// The flags, in the order of help.
#[derive(Args, Debug)]
pub struct LinksArgs {
    /// Documents or directories; - is standard input
    #[arg(value_name = "PATH")]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Pass over destinations that match the glob, with their #fragment or without
    #[arg(long, value_name = "GLOB", allow_hyphen_values = true)]
    pub ignore: Vec<String>,
    /// What builds the site: its pages, their names and anchors; without it, GitHub
    #[arg(long, value_name = "NAME", help_heading = SITE)]
    #[arg(value_parser = PossibleValuesParser::new(generator::names()))]
    pub site: Option<String>,
    /// What a link that begins with / begins at, in place of the repository
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = SITE)]
    pub root_dir: Option<PathBuf>,
    /// The files that a directory shows, the first that is there; one must be
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = SITE)]
    pub index_files: Vec<String>,
    /// Extensions that links to files leave out
    #[arg(long, value_name = "EXTENSIONS", value_delimiter = ',', help_heading = SITE)]
    pub fallback_extensions: Vec<String>,
    /// Look for what a pattern turns a destination into; the first that matches counts
    #[arg(long, value_name = "REGEX REPLACEMENT", help_heading = SITE)]
    pub remap: Vec<String>,
    /// Leave out the broken links in FILE, which --json has printed; only new ones fail
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub baseline: Option<OsString>,
    /// Rewrite links of which it is certain what was meant; one undo takes that back
    #[arg(long, help_heading = FIX)]
    pub fix: bool,
    /// Print what --fix would change as a diff, and write nothing
    #[arg(short = 'd', long, requires = "fix", help_heading = FIX)]
    pub dry_run: bool,
    /// Print what --fix changed as a diff
    #[arg(long, requires = "fix", help_heading = FIX)]
    pub diff: bool,
    /// List all links with their kind and status, not only broken ones (with --json)
    #[arg(long, help_heading = "Output")]
    pub all: bool,
    /// Note broken link definitions that no link uses
    #[arg(long, help_heading = "Output")]
    pub unused: bool,
    /// Tell nothing; the exit status says whether a link is broken
    #[arg(short = 'q', long, help_heading = "Output")]
    pub quiet: bool,
    /// Records as ADDRESS NUL TEXT NUL, for any file name
    #[arg(short = '0', long, help_heading = "Output")]
    pub null: bool,
    /// Only files whose path matches the glob; !GLOB leaves out
    #[arg(
        short = 'g',
        long,
        value_name = "GLOB",
        allow_hyphen_values = true,
        help_heading = "Directories"
    )]
    pub glob: Vec<String>,
    /// Only files of this type (md, rust, …)
    #[arg(short = 't', long = "type", value_name = "TYPE", help_heading = "Directories")]
    pub types: Vec<String>,
    /// Check hidden files and directories too
    #[arg(short = '.', long, help_heading = "Directories")]
    pub hidden: bool,
    /// Check what ignore files leave out too
    #[arg(long, help_heading = "Directories")]
    pub no_ignore: bool,
    /// How documents are taken.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// What an answer may come to.
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// Whether configuration counts.
    #[command(flatten)]
    pub config: ConfigArgs,
    /// How they are found.
    #[command(flatten)]
    pub resolve: ResolveArgs,
    /// Links of a terminal.
    #[command(flatten)]
    pub hyperlinks: HyperlinkArgs,
    /// Output for people, for programs or for GitHub
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    #[arg(overrides_with = "json")]
    pub format: LinksFormat,
    /// Short for --format json
    #[arg(long, overrides_with = "format", help_heading = "Output")]
    pub json: bool,
    /// When to colour text
    #[arg(long, alias = "colour", value_name = "WHEN", value_enum, default_value_t)]
    #[arg(help_heading = "Output")]
    pub color: ColorChoice,
}

/// `--format`.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinksFormat {
    /// For people and pipes
    #[default]
    Text,
    /// JSON Lines
    Json,
    /// Annotations of a workflow: ::error file=…,line=…::…
    Github,
}

impl LinksArgs {
    /// What these flags ask for.
    pub fn options(&self) -> Options {
        Options {
            paths: self.paths.clone(),
            ignored: self.ignore.clone(),
            site: SiteOptions {
                generator: self.site.clone(),
                root: self.root_dir.clone(),
                index_files: self.index_files.clone(),
                extensions: self.fallback_extensions.clone(),
                remaps: self.remap.clone(),
            },
            rules: RuleOptions {
                globs: self.glob.clone(),
                types: self.types.clone(),
                hidden: self.hidden,
                no_ignore: self.no_ignore,
                ..RuleOptions::default()
            },
            quiet: self.quiet,
            null: self.null,
            load: self.documents.options(),
            baseline: self.baseline.clone(),
            fix: match (self.fix, self.dry_run, self.diff) {
                (false, ..) => Fixing::Never,
                (_, true, _) => Fixing::Preview,
                (.., true) => Fixing::WriteWithDiff,
                _ => Fixing::Write,
            },
            unused: self.unused,
            all: self.all,
            annotates: self.format == LinksFormat::Github && !self.json,
            resolve: self.resolve.resolve,
        }
    }
}
