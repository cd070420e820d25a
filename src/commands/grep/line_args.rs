//! The flags of `grep` that say how hits are written.

use clap::Args;

use crate::commands::search::LineFormat;
use crate::commands::search::line_format::{Gap, unescaped};
use crate::commands::shared_args::HyperlinkArgs;
use crate::error::Error;

/// How hits are written.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct LineArgs {
    /// Print line numbers (the default)
    #[arg(short = 'n', long, overrides_with = "no_line_number")]
    pub line_number: bool,
    /// Print no line numbers
    #[arg(short = 'N', long, overrides_with = "line_number")]
    pub no_line_number: bool,
    /// Print the names of files (the default for several)
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    pub with_filename: bool,
    /// Print no names of files
    #[arg(short = 'I', long, overrides_with = "with_filename")]
    pub no_filename: bool,
    /// Print the name of a file above its hits (the default on a terminal)
    #[arg(long, overrides_with = "no_heading")]
    pub heading: bool,
    /// Print it in each line
    #[arg(long, overrides_with = "heading")]
    pub no_heading: bool,
    /// For a pager: --color always --heading
    #[arg(short = 'p', long)]
    pub pretty: bool,
    /// Print the column of the first match, in bytes from 1
    #[arg(long)]
    pub column: bool,
    /// Print the offset of the line in its file, with -o that of the match
    #[arg(short = 'b', long)]
    pub byte_offset: bool,
    /// A match a line, with line and column, for editors
    #[arg(long)]
    pub vimgrep: bool,
    /// Show tabs, line ends, no-break and zero-width characters, the BOM
    #[arg(long)]
    pub show_whitespace: bool,
    /// Name the sections around each hit before its text
    #[arg(long)]
    pub breadcrumbs: bool,
    /// Leave out white space before the text of lines
    #[arg(long)]
    pub trim: bool,
    /// Show this in place of matches, $1 and ${name} for groups; no file changes
    #[arg(short = 'r', long, value_name = "TEXT", allow_hyphen_values = true)]
    pub replace: Option<String>,
    /// Leave out lines that are longer, in bytes
    #[arg(short = 'M', long, value_name = "N")]
    pub max_columns: Option<usize>,
    /// Show the beginning of such lines
    #[arg(long)]
    pub max_columns_preview: bool,
    /// Print all other lines too, as context
    #[arg(long, visible_alias = "passthrough")]
    pub passthru: bool,
    /// What stands between lines that do not follow one another, in place of --
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[arg(overrides_with = "no_context_separator")]
    pub context_separator: Option<String>,
    /// Nothing stands between them
    #[arg(long, overrides_with = "context_separator")]
    pub no_context_separator: bool,
    /// What stands behind the fields of a hit, in place of :
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub field_match_separator: Option<String>,
    /// What stands behind the fields of a line of context, in place of -
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub field_context_separator: Option<String>,
    /// Links of a terminal.
    #[command(flatten)]
    pub hyperlinks: HyperlinkArgs,
    /// Print each hit as soon as it is found, for pipes that go on
    #[arg(long)]
    pub line_buffered: bool,
}

impl LineArgs {
    /// What stands around and in place of the text of lines.
    ///
    /// Fails where a separator holds an escape that there is not.
    pub fn format(&self) -> Result<LineFormat, Error> {
        let separator = |flag: &str, typed: &Option<String>| {
            typed.as_deref().map(|typed| unescaped(flag, typed)).transpose()
        };
        let gap = separator("--context-separator", &self.context_separator)?;
        Ok(LineFormat {
            column: self.column || self.vimgrep,
            byte_offset: self.byte_offset,
            by_match: self.vimgrep,
            heading: match () {
                () if self.no_heading || self.vimgrep => Some(false),
                () if self.heading || self.pretty => Some(true),
                () => None,
            },
            breadcrumbs: self.breadcrumbs,
            show_whitespace: self.show_whitespace,
            trim: self.trim,
            replacement: self.replace.clone(),
            preview: self.max_columns_preview,
            hit_separator: separator("--field-match-separator", &self.field_match_separator)?,
            context_separator: separator(
                "--field-context-separator",
                &self.field_context_separator,
            )?,
            gap: match gap {
                _ if self.no_context_separator => Gap::None,
                Some(text) => Gap::Text([text, b"\n".to_vec()].concat()),
                None => Gap::Dashes,
            },
        })
    }

    /// Whether names of files are printed, where that is said.
    pub fn names(&self) -> Option<bool> {
        match (self.no_filename, self.with_filename || self.vimgrep) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }
}
