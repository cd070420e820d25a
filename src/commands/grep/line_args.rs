//! The options of `grep` for output lines.

use clap::Args;

use crate::commands::matching::LineFormat;
use crate::commands::matching::line_format::{Gap, unescaped};
use crate::commands::shared_args::HyperlinkArgs;
use folio_files::error::{Error, Opt};
use folio_files::options::{CONTEXT_SEPARATOR, FIELD_CONTEXT_SEPARATOR, FIELD_MATCH_SEPARATOR};

/// Options for output lines.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct LineArgs {
    /// Print line numbers (the default)
    #[arg(short = 'n', long, overrides_with = "no_line_number")]
    pub line_number: bool,
    /// Do not print line numbers
    #[arg(short = 'N', long, overrides_with = "line_number")]
    pub no_line_number: bool,
    /// Print file names (the default for several files)
    #[arg(short = 'H', long, overrides_with = "no_filename")]
    pub with_filename: bool,
    /// Do not print file names
    #[arg(short = 'I', long, overrides_with = "with_filename")]
    pub no_filename: bool,
    /// Print file names above their matches (the default on a terminal)
    #[arg(long, overrides_with = "no_heading")]
    pub heading: bool,
    /// Print the file name on each line
    #[arg(long, overrides_with = "heading")]
    pub no_heading: bool,
    /// Same as --color always --heading, for a pager
    #[arg(short = 'p', long)]
    pub pretty: bool,
    /// Print the column of the first match, in bytes (the first is 1)
    #[arg(long)]
    pub column: bool,
    /// Print the byte offset of each line (with -o, of each match)
    #[arg(short = 'b', long)]
    pub byte_offset: bool,
    /// Print each match on its own line, with line and column, for editors
    #[arg(long)]
    pub vimgrep: bool,
    /// Make whitespace, line endings and invisible characters visible
    #[arg(long)]
    pub show_whitespace: bool,
    /// Print the heading path or key path of each match before its text
    #[arg(long)]
    pub breadcrumbs: bool,
    /// Strip leading whitespace from each line
    #[arg(long)]
    pub trim: bool,
    /// Replace each match with TEXT ($1, ${name}), only in the output
    #[arg(short = 'r', long, value_name = "TEXT", allow_hyphen_values = true)]
    pub replace: Option<String>,
    /// Omit lines longer than N bytes
    #[arg(short = 'M', long, value_name = "N")]
    pub max_columns: Option<usize>,
    /// Print the beginning of lines longer than --max-columns
    #[arg(long)]
    pub max_columns_preview: bool,
    /// Print all lines, including lines that do not match
    #[arg(long, visible_alias = "passthrough")]
    pub passthru: bool,
    /// Separator between groups of context lines (default: --)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[arg(overrides_with = "no_context_separator")]
    pub context_separator: Option<String>,
    /// Do not separate groups of context lines
    #[arg(long, overrides_with = "context_separator")]
    pub no_context_separator: bool,
    /// Separator after the fields of a matching line (default: :)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub field_match_separator: Option<String>,
    /// Separator after the fields of a context line (default: -)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub field_context_separator: Option<String>,
    /// Options for terminal hyperlinks.
    #[command(flatten)]
    pub hyperlinks: HyperlinkArgs,
    /// Flush output after each line
    #[arg(long)]
    pub line_buffered: bool,
}

impl LineArgs {
    /// Returns the format of output lines.
    ///
    /// # Errors
    ///
    /// Fails if a separator contains an unknown escape sequence.
    pub fn format(&self) -> Result<LineFormat, Error> {
        let separator = |flag: Opt, typed: &Option<String>| {
            typed.as_deref().map(|typed| unescaped(flag, typed)).transpose()
        };
        let gap = separator(CONTEXT_SEPARATOR, &self.context_separator)?;
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
            hit_separator: separator(FIELD_MATCH_SEPARATOR, &self.field_match_separator)?,
            context_separator: separator(FIELD_CONTEXT_SEPARATOR, &self.field_context_separator)?,
            gap: match gap {
                _ if self.no_context_separator => Gap::None,
                Some(text) => Gap::Text([text, b"\n".to_vec()].concat()),
                None => Gap::Dashes,
            },
        })
    }

    /// Whether to print file names. `None` if no option specifies it.
    pub fn names(&self) -> Option<bool> {
        match (self.no_filename, self.with_filename || self.vimgrep) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }
}
