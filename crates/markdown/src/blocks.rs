//! The results of Markdown's block phase, and the trait that receives them.

use super::front_matter::FrontMatter;
use folio_text::span::LineRange;

/// A dialect of Markdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// CommonMark with GitHub's extensions.
    #[default]
    Github,
    /// MDX: no HTML and no indented code, but JSX and JavaScript.
    Mdx,
}

/// A block that contains other blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// A block quote.
    Quote,
    /// An item of a list.
    List,
    /// A GitHub footnote, `[^label]:`.
    Footnote,
}

impl ContainerKind {
    /// Returns the name that results show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quote => "quote",
            Self::List => "list",
            Self::Footnote => "footnote",
        }
    }
}

/// A heading. The scanner reports it after its last line.
#[derive(Clone, Copy, Debug)]
pub struct HeadingBlock<'a> {
    /// The level, 1 to 6.
    pub level: u8,
    /// The first line of the heading's text.
    pub line: u64,
    /// The last line: the underline of a setext heading, otherwise the same as `line`.
    pub last_line: u64,
    /// The source text without markers. The lines of a setext heading are separated by line endings
    /// and may be indented.
    pub content: &'a [u8],
    /// Offset of `content` in the file. `None` if the lines of `content` are not contiguous in the
    /// file.
    pub offset: Option<u64>,
    /// Whether the line consists of the marks, one space and `content`.
    pub is_canonical: bool,
    /// The number of containers around the heading.
    pub depth: usize,
    /// The innermost container around the heading.
    pub container: Option<ContainerKind>,
}

/// A code block. The scanner reports it after its end.
#[derive(Clone, Copy, Debug)]
pub struct CodeBlock<'a> {
    /// The info string of a fenced block, as written in the source. `None` for an indented block.
    pub info: Option<&'a [u8]>,
    /// The line of the opening fence, or the first indented line.
    pub start_line: u64,
    /// The line of the closing fence, or the last line of the block.
    pub end_line: u64,
    /// Whether the last line is a closing fence.
    pub closed: bool,
}

/// A line of a fenced code block, without the prefix of its container.
#[derive(Clone, Copy, Debug)]
pub struct CodeLine<'a> {
    /// The line number.
    pub line: u64,
    /// Whether the line is the opening or closing fence.
    pub is_fence: bool,
    /// Number of spaces that precede `bytes`. It is nonzero if the container's indentation ends
    /// within a tab.
    pub spaces: usize,
    /// The rest of the line with its line ending.
    pub bytes: &'a [u8],
}

/// A table. The scanner reports it after its end.
#[derive(Clone, Copy, Debug)]
pub struct TableBlock<'a> {
    /// The line of the header.
    pub start_line: u64,
    /// The line of the last row.
    pub end_line: u64,
    /// The number of cells in the header.
    pub columns: usize,
    /// The header row without its line ending and container markers.
    pub header: &'a [u8],
    /// Whether the table is inside a container.
    pub is_contained: bool,
}

/// A line of a table, without the prefix and indentation of its container.
#[derive(Clone, Copy, Debug)]
pub struct TableLine<'a> {
    /// The line number.
    pub line: u64,
    /// The rest of the line with its line ending.
    pub bytes: &'a [u8],
}

/// Receives the blocks that the scanner finds, in document order.
pub trait Sink {
    /// Whether the scanner calls [`Sink::line`].
    const LINES: bool = false;
    /// Whether the scanner calls [`Sink::code_line`].
    const CODE_LINES: bool = false;
    /// Whether the scanner calls [`Sink::definition`].
    const DEFINITIONS: bool = false;
    /// Whether the scanner calls [`Sink::table`] and [`Sink::table_line`].
    const TABLES: bool = false;
    /// Whether the front matter passed to [`Sink::front_matter`] includes its keys.
    const KEYS: bool = false;

    /// Called with the front matter, if the document begins with one.
    fn front_matter(&mut self, found: FrontMatter) {
        let _ = found;
    }
    /// Called with each heading.
    fn heading(&mut self, heading: HeadingBlock<'_>);
    /// Called with each code block.
    fn code(&mut self, code: CodeBlock<'_>) {
        let _ = code;
    }
    /// Whether the scanner calls [`Sink::code`] for indented code.
    fn wants_indented_code(&self) -> bool {
        true
    }
    /// Called with each table.
    fn table(&mut self, table: TableBlock<'_>) {
        let _ = table;
    }
    /// Called with each line of a table.
    fn table_line(&mut self, line: TableLine<'_>) {
        let _ = line;
    }
    /// Called when a container that contains a heading ends. `last_line` is the last line of the
    /// container; `depth` 0 is the outermost container.
    fn container_closed(&mut self, depth: usize, last_line: u64) {
        let _ = (depth, last_line);
    }
    /// Called when a footnote ends.
    fn footnote(&mut self, label: &[u8], lines: LineRange) {
        let _ = (label, lines);
    }
    /// Called with the label of each link reference definition, as written in the source, and the
    /// last line of its paragraph.
    fn definition(&mut self, label: &[u8], line: u64) {
        let _ = (label, line);
    }
    /// Called with each line that begins a log entry, except in code. The line is passed without
    /// its line ending.
    fn log_entry(&mut self, line: u64, bytes: &[u8], offset: u64) {
        let _ = (line, bytes, offset);
    }
    /// Called with each line, except in code. The line is passed without its line ending.
    fn line(&mut self, line: u64, bytes: &[u8], offset: u64) {
        let _ = (line, bytes, offset);
    }
    /// Called with each line of a fenced code block.
    fn code_line(&mut self, line: CodeLine<'_>) {
        let _ = line;
    }
}

/// A sink that passes on the lines of fenced code blocks or, with `TABLE`, the rows of tables,
/// without the prefixes of their containers.
pub struct PartLines<F, const TABLE: bool> {
    /// The lines of the file to pass on.
    pub lines: LineRange,
    /// Receives each line.
    pub each: F,
}

impl<F: FnMut(CodeLine<'_>), const TABLE: bool> Sink for PartLines<F, TABLE> {
    const CODE_LINES: bool = !TABLE;
    const TABLES: bool = TABLE;

    fn heading(&mut self, _: HeadingBlock<'_>) {}

    fn code_line(&mut self, line: CodeLine<'_>) {
        if self.lines.contains(line.line) {
            (self.each)(line);
        }
    }

    fn table_line(&mut self, TableLine { line, bytes }: TableLine<'_>) {
        self.code_line(CodeLine { line, is_fence: false, spaces: 0, bytes });
    }
}
