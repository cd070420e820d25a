//! What kind of text a document is, by its name or by how it begins.

use super::lines::Block;
use super::markdown::blocks::{HeadingBlock, Sink};
use super::markdown::scanner::Scanner;
use super::sections::{self, IniLine};

/// A kind of text that folio knows the parts of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Headings, code blocks, front matter, anchors.
    Markdown,
    /// Sections behind `[markers]`, with keys.
    Ini,
    /// Entries that begin with `[LOG-`.
    Log,
    /// Anything else.
    Text,
}

impl Format {
    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Ini => "ini",
            Self::Log => "log",
            Self::Text => "text",
        }
    }

    /// The format that a file's name says: `Err` where its content must.
    ///
    /// `file_name` is the last component, in lower or upper case.
    pub fn by_name(file_name: &str) -> Option<Self> {
        let (_, extension) = file_name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" | "mdx" => Some(Self::Markdown),
            "ini" | "cfg" | "conf" | "properties" | "editorconfig" => Some(Self::Ini),
            "log" => Some(Self::Log),
            "txt" => None,
            // A dot that begins the name begins no extension.
            _ if file_name.rfind('.') == Some(0) => None,
            _ => Some(Self::Text),
        }
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
            IniLine::Blank | IniLine::Comment(_) => {}
            IniLine::Marker(_) => marker_seen = true,
            IniLine::Key(_) if marker_seen => return true,
            IniLine::Key(_) => {}
            IniLine::Other => return false,
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
