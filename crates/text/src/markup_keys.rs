//! Finds the lines with keys in documents in light markup: attributes of AsciiDoc, keywords and
//! properties of Org, and the field list at the top of reStructuredText.
//!
//! Keys are recognized where the programs of each language recognize them, so not in code blocks or
//! paragraphs. A headline of Org is the marker of a section, because properties belong to it.

use crate::asciidoc;
use crate::ini_dialect::IniDialect;
use crate::line_kinds::{KeyParts, LineKind, entry_parts};
use crate::org::{self, Headlines};

/// Parses the lines of a document in light markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MarkupLines {
    AsciiDoc(AsciiDocLines),
    Org(OrgLines),
    Rst(RstLines),
}

impl MarkupLines {
    /// Creates the parser of a document. Returns `None` if the dialect is one of INI.
    pub(crate) fn new(dialect: IniDialect) -> Option<Self> {
        Some(match dialect {
            IniDialect::AsciiDoc => Self::AsciiDoc(AsciiDocLines::default()),
            IniDialect::Org => Self::Org(OrgLines::default()),
            IniDialect::Rst => Self::Rst(RstLines::default()),
            _ => return None,
        })
    }

    /// Creates the parser of a text that consists of entries.
    pub(crate) fn of_entries(dialect: IniDialect) -> Option<Self> {
        match Self::new(dialect)? {
            Self::Org(lines) => Some(Self::Org(OrgLines { place: OrgPlace::Entries, ..lines })),
            other => Some(other),
        }
    }

    /// Returns the kind of the next line.
    pub(crate) fn line(&mut self, line: &[u8]) -> LineKind {
        match self {
            Self::AsciiDoc(lines) => lines.line(line),
            Self::Org(lines) => lines.line(line),
            Self::Rst(_) if line.trim_ascii().is_empty() => LineKind::Blank,
            Self::Rst(lines) => lines.line(line),
        }
    }
}

/// Classifies a line that may be an entry, without the lines around it.
pub(crate) fn entry_line(line: &[u8], dialect: IniDialect) -> LineKind {
    if line.trim_ascii().is_empty() {
        return LineKind::Blank;
    }
    let entry = match dialect {
        IniDialect::AsciiDoc => asciidoc::attribute(line),
        IniDialect::Org => org::keyword(line).or_else(|| org::property(line)),
        _ => rst_field(line),
    };
    entry.map_or(LineKind::Other, LineKind::Key)
}

/// Where the next line of AsciiDoc is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum AsciiDocPlace {
    /// Between blocks.
    #[default]
    Between,
    /// Below the title of the document, where each line may be an attribute.
    Header,
    /// Below the first line of a paragraph, which may be a title with an underline.
    Title(Vec<u8>),
    Paragraph,
    /// In a block whose lines are not parsed, which ends with the same delimiter.
    Verbatim(Vec<u8>),
    /// Below a line of a value that continues.
    Value,
}

/// Parses the lines of AsciiDoc.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AsciiDocLines {
    place: AsciiDocPlace,
    is_header: bool,
}

impl AsciiDocLines {
    fn line(&mut self, line: &[u8]) -> LineKind {
        use AsciiDocPlace::{Between, Header, Paragraph, Title, Value, Verbatim};
        let text = line.trim_ascii_end();
        let place = std::mem::take(&mut self.place);
        if let Verbatim(delimiter) = &place {
            if *delimiter != text {
                self.place = place;
            }
            return if text.is_empty() { LineKind::Blank } else { LineKind::Other };
        }
        if text.is_empty() {
            self.is_header = false;
            return LineKind::Blank;
        }
        if place == Value {
            self.place = match (asciidoc::is_continued(line), self.is_header) {
                (true, _) => Value,
                (false, true) => Header,
                (false, false) => Between,
            };
            return LineKind::Value;
        }
        if let Title(title) = &place
            && let Some(level) = asciidoc::underline_level(title, text)
        {
            self.begin_title(level);
            return LineKind::Other;
        }
        if let Some(delimiter) = asciidoc::verbatim_delimiter(text) {
            self.place = Verbatim(delimiter.to_vec());
            return LineKind::Other;
        }
        let is_between = matches!(place, Between | Header);
        if is_between && let Some(entry) = asciidoc::any_attribute(text) {
            self.place = if asciidoc::is_continued(line) { Value } else { place };
            return LineKind::Key(entry);
        }
        let is_kept = asciidoc::is_comment(text) || asciidoc::is_preprocessed(text);
        self.place = match place {
            // The author and the revision.
            Header => Header,
            place if is_kept => place,
            _ if asciidoc::is_block_line(text) => Between,
            Between => match asciidoc::marked_title(text) {
                Some((level, _)) => {
                    self.begin_title(level);
                    return LineKind::Other;
                }
                None if text[0].is_ascii_whitespace() => Paragraph,
                None => Title(text.to_vec()),
            },
            _ => Paragraph,
        };
        LineKind::Other
    }

    fn begin_title(&mut self, level: u8) {
        self.is_header = level == 1;
        self.place = if self.is_header { AsciiDocPlace::Header } else { AsciiDocPlace::Between };
    }
}

/// Where the next line of Org is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum OrgPlace {
    /// At the start of the document or below a headline, where properties may begin.
    #[default]
    Top,
    Properties,
    Text,
    /// In a text that consists of entries.
    Entries,
}

/// Parses the lines of Org.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OrgLines {
    headlines: Headlines,
    place: OrgPlace,
    /// Whether a headline is above.
    is_in_section: bool,
    /// The kind of the open block.
    block: Option<Vec<u8>>,
}

impl OrgLines {
    fn line(&mut self, line: &[u8]) -> LineKind {
        if let Some(name) = self.headlines.name(line) {
            self.block = None;
            // Without a name, nothing can select the properties.
            self.place = if name.is_empty() { OrgPlace::Text } else { OrgPlace::Top };
            self.is_in_section = true;
            return LineKind::Marker(name);
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            if self.is_in_section && self.place == OrgPlace::Top {
                self.place = OrgPlace::Text;
            }
            return LineKind::Blank;
        }
        if let Some(kind) = &self.block {
            if org::after(text, b"#+end_").is_some_and(|end| end.eq_ignore_ascii_case(kind)) {
                self.block = None;
            }
            return LineKind::Other;
        }
        if let Some(begun) = org::after(text, b"#+begin_") {
            let kind = begun.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            self.block = Some(kind.to_vec());
            self.place = OrgPlace::Text;
            return LineKind::Other;
        }
        self.headlines.read_keywords(text);
        let keyword = org::keyword(line);
        match self.place {
            OrgPlace::Entries => {
                let entry = keyword.or_else(|| org::property(line));
                return entry.map_or(LineKind::Other, LineKind::Key);
            }
            OrgPlace::Properties if text.eq_ignore_ascii_case(b":END:") => {
                self.place = OrgPlace::Text;
                return LineKind::Other;
            }
            OrgPlace::Properties => {
                return org::property(line).map_or(LineKind::Other, LineKind::Key);
            }
            OrgPlace::Top if text.eq_ignore_ascii_case(b":PROPERTIES:") => {
                self.place = OrgPlace::Properties;
                return LineKind::Other;
            }
            OrgPlace::Top => {
                let stays = match self.is_in_section {
                    true => org::is_planning(text),
                    false => text.starts_with(b"# ") || text == b"#",
                };
                self.place = if stays { OrgPlace::Top } else { OrgPlace::Text };
            }
            OrgPlace::Text => {}
        }
        keyword.filter(|_| !self.is_in_section).map_or(LineKind::Other, LineKind::Key)
    }
}

/// Where the next line of reStructuredText is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RstLines {
    /// At the start of the document, or below its title.
    #[default]
    Top,
    BelowTitle,
    /// Below a line that may be a title, or a line above one.
    Text,
    Overline,
    Overlined,
    /// In a comment above or below the title.
    Comment {
        has_title: bool,
    },
    Fields,
    /// Below the field list, or in a document without one.
    Rest,
}

impl RstLines {
    fn line(&mut self, line: &[u8]) -> LineKind {
        let text = line.trim_ascii_end();
        let is_indented = text[0].is_ascii_whitespace();
        let is_adornment =
            text[0].is_ascii_punctuation() && text.iter().all(|byte| *byte == text[0]);
        let is_field = rst_field(text);
        *self = match *self {
            Self::Rest => return LineKind::Other,
            Self::Fields if is_indented => return LineKind::Value,
            Self::Comment { .. } if is_indented => return LineKind::Other,
            Self::Text if is_adornment => Self::BelowTitle,
            Self::Overline if !is_adornment => Self::Overlined,
            Self::Overlined if is_adornment => Self::BelowTitle,
            Self::Text | Self::Overline | Self::Overlined => Self::Rest,
            Self::Top | Self::BelowTitle | Self::Comment { .. } | Self::Fields => {
                let has_title =
                    matches!(self, Self::BelowTitle | Self::Comment { has_title: true });
                let is_in_fields = *self == Self::Fields;
                match is_field {
                    Some(field) => {
                        *self = Self::Fields;
                        return LineKind::Key(field);
                    }
                    _ if is_indented || is_in_fields => Self::Rest,
                    _ if is_invisible(text) => Self::Comment { has_title },
                    _ if has_title || text.starts_with(b"..") => Self::Rest,
                    _ if is_adornment => Self::Overline,
                    _ => Self::Text,
                }
            }
        };
        LineKind::Other
    }
}

/// Whether a line of reStructuredText begins a comment, a target or a substitution, after which the
/// field list of the document may follow.
fn is_invisible(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"..") else { return false };
    let rest = rest.trim_ascii_start();
    let name = memchr::memmem::find(rest, b"::").map(|end| &rest[..end]);
    let is_directive = name.is_some_and(|name| !name.iter().any(u8::is_ascii_whitespace));
    let is_explicit = text.len() == 2 || text[2] == b' ';
    is_explicit && (!is_directive || rest.starts_with(b"_") || rest.starts_with(b"|"))
}

/// Returns the parts of a field of reStructuredText, such as `:Author: A. Writer`.
pub fn rst_field(line: &[u8]) -> Option<KeyParts> {
    let rest = line.strip_prefix(b":")?;
    let end = rest.windows(2).position(|pair| pair == b": ");
    let text = rest.trim_ascii_end();
    let end = end.or_else(|| text.ends_with(b":").then(|| text.len() - 1))?;
    let is_name = end > 0 && !matches!(rest[0], b' ' | b':') && !rest[..end].contains(&b'`');
    is_name.then(|| entry_parts(line, 1..end + 1))
}
