//! The options of an edit, except the part and the content.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args};

use super::write_args::GUARDS;
use crate::commands::shared_args::{ONCE, code_filter};
use folio_files::error::Error;
use folio_files::options::{OCCURRENCE, SET};
use folio_keys::value::Type;
use folio_outline::part::{CodeFilter, Occurrence};

pub(super) const CONTENT: &str = "Content";
const MATCHES: &str = "Matching";

/// The options of an edit, in the order of the help.
#[derive(Args, Clone, Debug, Default)]
pub struct EditOptions {
    /// Replace {{NAME}} in the content with VALUE (repeatable)
    #[arg(long, value_name = "NAME=VALUE", allow_hyphen_values = true, help_heading = CONTENT)]
    pub set: Vec<String>,
    /// Insert before the part (in move and copy, before the address in --to)
    #[arg(long, help_heading = CONTENT)]
    pub before: bool,
    /// Insert after the part (in move and copy, after the address in --to)
    #[arg(long, help_heading = CONTENT)]
    pub after: bool,
    /// Destination of move and copy: FILE, or after FILE:12 or FILE#anchor
    #[arg(long, value_name = "ADDRESS", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::FilePath, action = ArgAction::Append, group = ONCE)]
    pub to: Option<OsString>,
    /// Update links that the edit would break, in the whole repository
    #[arg(long, help_heading = CONTENT)]
    pub links: bool,
    /// Update links only in this file or directory (repeatable)
    #[arg(long, value_name = "PATH", help_heading = CONTENT)]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    pub links_in: Vec<PathBuf>,
    /// Indent unindented content to match the first line of the part (the default)
    #[arg(long, overrides_with = "no_preserve_indent", help_heading = CONTENT)]
    pub preserve_indent: bool,
    /// Do not change the indentation of the content
    #[arg(long, overrides_with = "preserve_indent", help_heading = CONTENT)]
    pub no_preserve_indent: bool,
    /// Do not adjust blank lines or indentation
    #[arg(long, help_heading = CONTENT)]
    pub exact: bool,

    /// Match to edit: first, last, all or a number (default: the only one)
    #[arg(long, value_name = "WHICH", help_heading = MATCHES)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub occurrence: Option<String>,
    /// Fail if there are several matches (the default)
    #[arg(long, help_heading = MATCHES)]
    pub unique: bool,
    /// Fail unless there are exactly N matches or selected parts
    #[arg(long, value_name = "N", help_heading = MATCHES)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub expect: Option<u64>,
    /// Treat all runs of spaces and tabs as equal, also at line ends
    #[arg(long, help_heading = MATCHES)]
    pub ignore_whitespace: bool,
    /// Treat Unicode variants of quotes, dashes and accented letters as equal
    #[arg(long, help_heading = MATCHES)]
    pub normalize_unicode: bool,
    /// Ignore matches in code blocks
    #[arg(long, conflicts_with = "only_code", help_heading = MATCHES)]
    pub outside_code: bool,
    /// Match only in code blocks, including their fences
    #[arg(long, alias = "inside-code", help_heading = MATCHES)]
    pub only_code: bool,
    /// Ignore matches in HTML comments
    #[arg(long, help_heading = MATCHES)]
    pub outside_comments: bool,
    /// Allow a match of the pattern to span lines
    #[arg(short = 'U', long, help_heading = MATCHES)]
    pub multiline: bool,
    /// In directories, include only files that match the glob; !GLOB excludes (repeatable)
    #[arg(short = 'g', long, value_name = "GLOB", help_heading = MATCHES)]
    pub glob: Vec<String>,
    /// With --key, the type of the value: string, int, float, bool, null, json, yaml; in
    /// directories, include only files of this type (repeatable)
    #[arg(id = "type", short = 't', long, value_name = "TYPE", help_heading = MATCHES)]
    pub types: Vec<String>,
    /// Replace $1 and ${name} in the content with what the pattern's groups matched
    #[arg(long, help_heading = MATCHES)]
    pub expand: bool,
    /// With insert and --text, insert next to the text instead of next to its line
    #[arg(long, help_heading = MATCHES)]
    pub inline: bool,

    /// Fail unless the SHA-256 of the file or of the part begins with CHECKSUM
    #[arg(long, value_name = "CHECKSUM", help_heading = GUARDS)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub if_match: Option<String>,
    /// Fail unless the SHA-256 of the part begins with CHECKSUM (12 to 64 digits)
    #[arg(long, value_name = "CHECKSUM", help_heading = GUARDS)]
    #[arg(action = ArgAction::Append, group = ONCE)]
    pub if_range_match: Option<String>,

    /// The type of a value in a document that is a tree of keys.
    #[arg(skip)]
    pub value_type: Option<Type>,
}

impl EditOptions {
    /// Fails if a value is invalid.
    pub(super) fn check(&self) -> Result<(), Error> {
        self.placeholders()?;
        self.parse_occurrence().map(drop)
    }

    /// Returns the names of placeholders and their values.
    pub(super) fn placeholders(&self) -> Result<Vec<(String, String)>, Error> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for pair in &self.set {
            let (name, value) = match pair.split_once('=') {
                Some((name, value)) if !name.is_empty() => (name, value),
                _ => {
                    let message = format!("{SET}: '{pair}' is not of the form NAME=VALUE");
                    return Err(Error::usage(message));
                }
            };
            if pairs.iter().any(|(other, _)| other == name) {
                return Err(Error::usage(format!("{SET}: '{name}' has two values")));
            }
            pairs.push((name.to_owned(), value.to_owned()));
        }
        Ok(pairs)
    }

    /// Returns the matches to edit.
    pub(super) fn parse_occurrence(&self) -> Result<Occurrence, Error> {
        let Some(text) = self.occurrence.as_deref() else { return Ok(Occurrence::Only) };
        match (text, text.parse()) {
            ("first", _) => Ok(Occurrence::First),
            ("last", _) => Ok(Occurrence::Last),
            ("all", _) => Ok(Occurrence::All),
            (_, Ok(number)) if number > 0 => Ok(Occurrence::Number(number)),
            _ => {
                let message = format!("'{text}' is not first, last, all or a number from 1");
                Err(Error::usage(format!("{OCCURRENCE}: {message}")))
            }
        }
    }

    /// Returns the filter that selects matches by whether they are in code.
    pub(super) fn code(&self) -> Option<CodeFilter> {
        code_filter(self.outside_code, self.only_code)
    }

    /// Whether the user requested updates of links.
    pub(super) fn updates_links(&self) -> bool {
        self.links || !self.links_in.is_empty()
    }
}
