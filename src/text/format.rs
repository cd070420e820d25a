//! What kind of text a document is, by its name or by how it begins.

use super::lines::Block;
use super::markdown::blocks::{HeadingBlock, Sink};
use super::markdown::scanner::Scanner;
use super::sections::{self, IniParser, LineKind, LineParser};

/// A kind of text that folio knows the parts of. Each has a row of names, features and a parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// CommonMark, with front matter and what GitHub adds.
    Markdown,
    /// Sections behind `[markers]`, with keys.
    Ini,
    /// Entries that begin with `[LOG-`.
    Log,
    /// Anything else.
    Text,
}

/// What a document of a format may consist of, and what folio may do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Headings of levels 1 to 6.
    Headings,
    /// Code blocks.
    Code,
    /// A block of metadata at the top.
    FrontMatter,
    /// Ids that a fragment of a link may name.
    Anchors,
    /// Links to files and anchors.
    Links,
    /// Keys with values, in sections or before them.
    Keys,
    /// Groups of blank lines and comment blocks.
    Groups,
    /// Edits may change what lines far below them are: that is checked.
    FarEffects,
    /// An outline may begin in the middle of a document, at a resync point.
    ResyncPoints,
}

/// How the parts of a format are found.
#[derive(Clone, Copy, Debug)]
pub enum Parser {
    /// By CommonMark's block phase.
    Markdown,
    /// By what each line is; the function makes a parser for one document.
    Lines(fn() -> Box<dyn LineParser>),
    /// Only entries, blank lines and comments.
    Plain,
}

/// All that sets a format apart.
struct Row {
    name: &'static str,
    help: &'static str,
    /// In lower case, without their dot.
    extensions: &'static [&'static str],
    features: &'static [Feature],
    parser: Parser,
}

impl Format {
    /// Every format.
    pub const ALL: &[Self] = &[Self::Markdown, Self::Ini, Self::Log, Self::Text];

    const fn row(self) -> &'static Row {
        match self {
            Self::Markdown => &Row {
                name: "markdown",
                help: "Headings, code blocks, front matter",
                extensions: &["md", "markdown", "mdx"],
                features: &[
                    Feature::Headings,
                    Feature::Code,
                    Feature::FrontMatter,
                    Feature::Anchors,
                    Feature::Links,
                    Feature::FarEffects,
                    Feature::ResyncPoints,
                ],
                parser: Parser::Markdown,
            },
            Self::Ini => &Row {
                name: "ini",
                help: "Sections behind markers, with keys",
                extensions: &["ini", "cfg", "conf", "properties", "editorconfig"],
                features: &[Feature::Keys, Feature::Groups],
                parser: Parser::Lines(|| Box::<IniParser>::default()),
            },
            Self::Log => &Row {
                name: "log",
                help: "Entries that begin with [LOG-",
                extensions: &["log"],
                features: &[Feature::Groups],
                parser: Parser::Plain,
            },
            Self::Text => &Row {
                name: "text",
                help: "Anything else",
                extensions: &[],
                features: &[Feature::Groups],
                parser: Parser::Plain,
            },
        }
    }

    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What it is, in a few words.
    pub fn help(self) -> &'static str {
        self.row().help
    }

    /// Whether documents of it may have a feature.
    pub fn has(self, feature: Feature) -> bool {
        self.row().features.contains(&feature)
    }

    /// How its parts are found.
    pub fn parser(self) -> Parser {
        self.row().parser
    }

    /// The format that a file's name says: `None` where its content must.
    ///
    /// `file_name` is the last component, in lower or upper case.
    pub fn by_name(file_name: &str) -> Option<Self> {
        let (stem, extension) = file_name.rsplit_once('.')?;
        let is_own = |known: &&str| known.eq_ignore_ascii_case(extension);
        let known = Self::ALL.iter().find(|format| format.row().extensions.iter().any(is_own));
        match known {
            Some(&format) => Some(format),
            // A dot that begins the name begins no extension.
            None if stem.is_empty() || extension.eq_ignore_ascii_case("txt") => None,
            None => Some(Self::Text),
        }
    }

    /// Whether a file's name says that its documents may have a feature.
    pub fn name_has(file_name: &str, feature: Feature) -> bool {
        Self::by_name(file_name).is_some_and(|format| format.has(feature))
    }

    /// The format that the first bytes of a document, decoded, suggest.
    pub fn by_content(head: &[u8]) -> Self {
        if begins_as_ini(head) {
            return Self::Ini;
        }
        let first = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        if first.is_some_and(sections::is_log_entry) {
            return Self::Log;
        }
        if holds_heading(head) { Self::Markdown } else { Self::Text }
    }
}

/// Whether a marker stands before any line that no INI file has, and a key
/// directly below it.
fn begins_as_ini(head: &[u8]) -> bool {
    let mut marker_seen = false;
    for line in head.split(|&byte| byte == b'\n') {
        match sections::ini_line(line.strip_suffix(b"\r").unwrap_or(line)) {
            LineKind::Blank | LineKind::Comment(_) => {}
            LineKind::Marker(_) => marker_seen = true,
            LineKind::Key(_) if marker_seen => return true,
            LineKind::Key(_) => {}
            LineKind::Other | LineKind::Value => return false,
        }
    }
    false
}

fn holds_heading(head: &[u8]) -> bool {
    struct Finder(bool);
    impl Sink for Finder {
        fn heading(&mut self, _: HeadingBlock<'_>) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    let mut scanner = Scanner::new();
    scanner.scan(&Block::new(head, 0), &mut finder);
    finder.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_format() {
        assert_eq!(Format::by_name("README.MD"), Some(Format::Markdown));
        assert_eq!(Format::by_name(".editorconfig"), Some(Format::Ini));
        assert_eq!(Format::by_name("a.rs"), Some(Format::Text));
        assert_eq!(Format::by_name("a.txt"), None);
        assert_eq!(Format::by_name("README"), None);
        assert_eq!(Format::by_name(".gitconfig"), None);
    }

    #[track_caller]
    fn check(head: &str, expected: Format) {
        assert_eq!(Format::by_content(head.as_bytes()), expected, "{head:?}");
    }

    #[test]
    fn content_says_it_where_the_name_does_not() {
        check("[core]\n\teditor = vim\n", Format::Ini);
        check("# comment\n\nroot = true\n[*]\nindent = 2\n", Format::Ini);
        check("\n[LOG-001] - start\ntext\n", Format::Log);
        check("Intro\n\n# Title\n", Format::Markdown);
        check("Title\n=====\n", Format::Markdown);
        check("```\n# not one\n```\n", Format::Text);
        check("[link]: x\nprose\n", Format::Text);
        check("", Format::Text);
    }
}
