//! What the block phase of Markdown finds: headings, code blocks, containers,
//! and who is told of them.

use super::front_matter::FrontMatter;
use crate::text::span::LineRange;

/// Which Markdown a document is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// CommonMark, with what GitHub adds.
    #[default]
    Github,
    /// Without HTML and indented code, with JSX and JavaScript.
    Mdx,
}

/// What holds blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// A block quote.
    Quote,
    /// An item of a list.
    List,
    /// A footnote of GitHub's, `[^label]:`.
    Footnote,
}

impl ContainerKind {
    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quote => "quote",
            Self::List => "list",
            Self::Footnote => "footnote",
        }
    }
}

/// A heading, told when its last line has been seen.
#[derive(Clone, Copy, Debug)]
pub struct HeadingBlock<'a> {
    /// 1 to 6.
    pub level: u8,
    /// The line on which its text begins.
    pub line: u64,
    /// Its last line: the underline of a setext heading, else `line`.
    pub last_line: u64,
    /// Its source text without markers; lines of a setext heading are parted
    /// by line ends and may be indented.
    pub content: &'a [u8],
    /// Where `content` begins in the file, if it is there as it is.
    pub offset: Option<u64>,
    /// How many containers are open around it.
    pub depth: usize,
    /// The innermost of them.
    pub container: Option<ContainerKind>,
}

/// A code block, told when it has ended.
#[derive(Clone, Copy, Debug)]
pub struct CodeBlock<'a> {
    /// The info string of a fenced block as written; `None` for an indented one.
    pub info: Option<&'a [u8]>,
    /// The opening fence's line, or the first indented one.
    pub start_line: u64,
    /// The closing fence's line, or the last line of the block.
    pub end_line: u64,
    /// Whether the last line is a closing fence.
    pub closed: bool,
}

/// A line of a fenced code block without its container's prefix.
#[derive(Clone, Copy, Debug)]
pub struct CodeLine<'a> {
    /// Its number.
    pub line: u64,
    /// Whether it is the opening or closing fence.
    pub is_fence: bool,
    /// Columns left of a tab that the container's indentation cut: spaces that
    /// come before `bytes`.
    pub spaces: usize,
    /// The rest with its line end.
    pub bytes: &'a [u8],
}

/// A table, told when it has ended.
#[derive(Clone, Copy, Debug)]
pub struct TableBlock<'a> {
    /// The header's line.
    pub start_line: u64,
    /// The last row's line.
    pub end_line: u64,
    /// How many cells the header has.
    pub columns: usize,
    /// The header without its line end and the marks of containers.
    pub header: &'a [u8],
    /// Whether it is in a quote or list.
    pub is_contained: bool,
}

/// A line of a table without its container's prefix and indentation.
#[derive(Clone, Copy, Debug)]
pub struct TableLine<'a> {
    /// Its number.
    pub line: u64,
    /// The rest with its line end.
    pub bytes: &'a [u8],
}

/// Takes what the scanner finds, in the order of the document.
pub trait Sink {
    /// Whether [`Sink::line`] is to be called.
    const LINES: bool = false;
    /// Whether [`Sink::code_line`] is to be called.
    const CODE_LINES: bool = false;
    /// Whether [`Sink::definition`] is to be called.
    const DEFINITIONS: bool = false;
    /// Whether tables are looked for; without, they are text like other.
    const TABLES: bool = false;
    /// Whether [`Sink::front_matter`] is to be called with keys.
    const KEYS: bool = false;

    /// The front matter that opens the document.
    fn front_matter(&mut self, found: FrontMatter) {
        let _ = found;
    }
    /// A heading.
    fn heading(&mut self, heading: HeadingBlock<'_>);
    /// A code block.
    fn code(&mut self, code: CodeBlock<'_>) {
        let _ = code;
    }
    /// A table.
    fn table(&mut self, table: TableBlock<'_>) {
        let _ = table;
    }
    /// A line of a table.
    fn table_line(&mut self, line: TableLine<'_>) {
        let _ = line;
    }
    /// The container at `depth` (0 is the outermost), which held a heading,
    /// has ended with `last_line`.
    fn container_closed(&mut self, depth: usize, last_line: u64) {
        let _ = (depth, last_line);
    }
    /// A footnote has ended.
    fn footnote(&mut self, label: &[u8], lines: LineRange) {
        let _ = (label, lines);
    }
    /// The label of a link reference definition, as written.
    fn definition(&mut self, label: &[u8]) {
        let _ = label;
    }
    /// A line outside code that begins with `[`, at column 1, line end left out.
    fn bracket_line(&mut self, line: u64, bytes: &[u8], offset: u64) {
        let _ = (line, bytes, offset);
    }
    /// Any line outside code, line end left out.
    fn line(&mut self, line: u64, bytes: &[u8], offset: u64) {
        let _ = (line, bytes, offset);
    }
    /// A line of a fenced code block.
    fn code_line(&mut self, line: CodeLine<'_>) {
        let _ = line;
    }
}
