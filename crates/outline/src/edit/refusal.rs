//! Why an edit is refused, as data. Users of this crate turn it into sentences and suggestions.

use super::{Effect, HeadingName, Pair};
use crate::document::{Cancelled, EncodingMiss};
use crate::locate::Miss;
use crate::part::{QueryKind, SectionPart};
use folio_keys::Kind;
use folio_keys::edit::KeyRefusal;
use folio_symbols::Kind as SymbolKind;
use folio_text::fuzzy::text::FuzzyMatch;
use folio_text::pattern::PatternError;
use folio_text::span::Span;

/// Texts that would become part of a block that they do not belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The content is in a block above that is not closed.
    ContentInside {
        /// The line on which the block begins.
        line: u64,
        /// The kind of block.
        kind: &'static str,
        /// The line after which the block can be closed, and the text that closes it.
        closed_by: Option<(u64, Vec<u8>)>,
    },
    /// The text below is in a block that the content begins and does not close.
    BelowInside {
        /// The first line of the text below.
        line: u64,
        /// The kind of block.
        kind: &'static str,
    },
    /// The text below continues the last block of the content.
    Below {
        /// The first line of the text below.
        line: u64,
    },
}

/// Why an edit is refused.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// The part is missing or ambiguous.
    Missed(Miss),
    /// The work was cancelled.
    Cancelled,

    /// The operation needs a part of the document.
    NoPart,
    /// The part consists of several ranges of lines.
    SeveralRanges,
    /// A line is after the end of the document.
    PastEnd {
        /// The line.
        line: u64,
        /// The number of lines.
        total: u64,
    },
    /// The part does not consist of whole lines.
    NotLines,
    /// The part is not a key.
    NotKey,
    /// The code block has no fence.
    NoFence,
    /// The contents of a code block share a line with its tags.
    CodeBesideTags,
    /// The part is a symbol in a code block.
    SymbolInBlock,
    /// Content cannot be appended to the part.
    NoEnd {
        /// Whether the part is a key.
        is_key: bool,
    },
    /// A text within a line cannot be moved or copied.
    TextNotCarried,
    /// A value cannot be moved or copied.
    ValueNotCarried,
    /// The part to move or copy is empty.
    NothingThere,
    /// The part would be moved into itself.
    IntoItself,

    /// A text would not be the name of the symbol.
    NoSymbolName {
        /// The text.
        name: Vec<u8>,
    },
    /// A symbol is not called by one word that is in its declaration, as an `impl` block.
    NoSingleName {
        /// The name of the symbol.
        name: Vec<u8>,
    },
    /// A symbol would not be a symbol in the place to which it is moved or copied.
    NoSymbolThere {
        /// The name of the symbol.
        name: String,
        /// The kind of the symbol.
        kind: SymbolKind,
    },
    /// Source code would be moved or copied into a file in another language.
    OtherLanguage {
        /// The language of the code.
        from: &'static str,
        /// The language of the file.
        to: &'static str,
    },
    /// Content cannot be appended to a symbol, because it has no lines between its signature and its
    /// end.
    NoBody {
        /// The name of the symbol.
        name: Vec<u8>,
    },
    /// There is no content.
    EmptyContent,
    /// A blank line in the content would end the table.
    BlankLineInRows,
    /// The content is not UTF-8.
    ContentNotUtf8,
    /// The encoding of the file cannot represent the edit.
    Encoding(EncodingMiss),

    /// Only a heading or section can be renamed.
    HeadingNeeded {
        /// Whether there is no part at all.
        is_part_missing: bool,
    },
    /// The line is not a heading.
    NoHeading {
        /// The line.
        line: u64,
    },
    /// The heading is not in the section to which the part is restricted.
    OutOfScope {
        /// The line of the heading.
        line: u64,
    },
    /// The new text of a heading has several lines.
    HeadingOfSeveralLines,
    /// The text of a heading is divided by the prefixes of a quote or list.
    HeadingInPieces {
        /// The line of the new heading.
        heading: Vec<u8>,
    },
    /// A text would not be the text of a heading.
    NoHeadingText {
        /// The text.
        text: Vec<u8>,
        /// The line of the heading.
        heading: Vec<u8>,
    },
    /// The new text has the marks of another level.
    LevelChange {
        /// The level of the heading.
        level: u8,
        /// The number of marks.
        marks: usize,
    },
    /// A text would not be the name of a section.
    NoSectionName {
        /// The text.
        name: Vec<u8>,
    },
    /// Content that replaces a section does not begin with a heading.
    NoHeadingInContent {
        /// The heading that would be removed.
        heading: HeadingName,
        /// The part that the content replaces.
        part: SectionPart,
    },
    /// Content that replaces the body of a section contains its heading, or one that ends it.
    SecondHeading {
        /// The heading of the section.
        heading: HeadingName,
        /// The heading in the content.
        new: HeadingName,
    },
    /// Content of a section begins another section.
    BeginsSection {
        /// The line in the content.
        line: u64,
        /// The name of the other section.
        name: String,
    },

    /// Texts would become part of blocks that they do not belong to.
    Merges(Merge),
    /// Something outside the edited parts would change.
    Affects(Effect),
    /// The part begins on the line of a list marker, and the item continues after it.
    ListItemContinues {
        /// The list marker.
        marker: String,
    },

    /// The pattern is invalid.
    Pattern {
        /// The kind of query.
        kind: QueryKind,
        /// What is wrong.
        error: PatternError,
        /// Whether the pattern is valid if matches may span lines.
        may_span_lines: bool,
    },
    /// The template refers to a group that the pattern does not have.
    NoGroup {
        /// The group.
        group: String,
    },
    /// The text consists only of whitespace, which is ignored.
    OnlyWhitespace,
    /// A match ends after 4 GiB.
    TooLarge,
    /// There is no match.
    NoMatch {
        /// The closest match.
        near: Option<Box<FuzzyMatch>>,
        /// The line on which the content already appears.
        content_line: Option<u64>,
    },
    /// The content is already in the place of the text.
    AlreadyApplied {
        /// Its line.
        line: u64,
    },
    /// There are more or fewer matches than expected.
    OtherCount {
        /// The number of matches.
        total: u64,
        /// The expected number.
        expected: u64,
    },
    /// There are several matches, of which none is selected.
    SeveralMatches {
        /// The number of matches.
        total: u64,
        /// The first of them.
        first: Vec<Span>,
    },
    /// There are fewer matches than the number of the selected one.
    FewerMatches {
        /// The number of matches.
        total: u64,
    },

    /// The document has no front matter.
    NoFrontMatter,
    /// The format has no front matter.
    NoFrontMatterInFormat,
    /// The document begins like front matter, which is invalid.
    InvalidOpening {
        /// The line.
        line: u64,
        /// The text of the line.
        opening: String,
    },
    /// Front matter is not at the start of the document.
    LateFrontMatter {
        /// The line on which it begins.
        line: u64,
    },
    /// The content is not a line that sets a key of front matter.
    NotFrontMatterLine {
        /// The path of the key.
        key: String,
    },

    /// A key is needed, as the part or as the destination.
    KeyNeeded,
    /// A key of an INI file can only be moved or copied to a line.
    KeyNeedsLine,
    /// An item of a list is needed.
    ItemNeeded,
    /// There is no key or item beside which to insert.
    NothingBeside,
    /// The path of a new key is invalid.
    NewKeyPath {
        /// The path.
        key: String,
        /// What is wrong.
        message: String,
    },
    /// The content is not a value of the type.
    Value {
        /// What is wrong.
        message: String,
    },
    /// The syntax of the document does not allow the edit.
    Keys {
        /// The line of the entry.
        line: Option<u64>,
        /// The reason. Indexes are those of the tree of keys of the document.
        reason: KeyRefusal,
    },
    /// The content is not a line that sets a key of INI.
    NotKeyLine {
        /// The name of the key.
        key: String,
        /// Whether the content may be meant as the value.
        may_be_value: bool,
    },
    /// The key exists, and a line with it was inserted.
    KeyExists {
        /// The name or the path of the key.
        key: String,
        /// Its line.
        line: u64,
        /// Whether the content is this line.
        is_same: bool,
    },
    /// Only whole entries of this format can be deleted.
    ValueNotDeleted,
    /// A merge key cannot be set.
    MergeKeySet,
    /// The entry is reached through an alias.
    ThroughAlias {
        /// The line of the alias.
        line: u64,
        /// The alias.
        alias: String,
        /// The line of the entry to which it refers.
        original_line: u64,
        /// The path of that entry.
        original: String,
    },
    /// The value to replace with a scalar has entries.
    HasEntries {
        /// The path of the value.
        path: String,
        /// Its type.
        kind: Kind,
        /// The path of its first entry.
        first: Option<String>,
    },
    /// The content is not the entry that it replaces.
    NotEntry {
        /// The line of the entry.
        line: u64,
        /// Its path.
        path: String,
        /// The value of the entry, if the content contains it.
        value: Option<Vec<u8>>,
    },
    /// An item is appended to a value that is not a list.
    NotList {
        /// The path of the value.
        path: String,
        /// Its type.
        kind: Kind,
        /// The content as a key and its value.
        pair: Option<Pair>,
    },
    /// Content with a type is appended to a file that is not a list.
    TypeOfText,
    /// The new key exists.
    KeyFound {
        /// Its path.
        key: String,
        /// Its line.
        line: u64,
        /// Its name. `None` for an item of a list.
        name: Option<String>,
        /// The content as a key and its value.
        pair: Option<Pair>,
    },
    /// There is an entry at the destination.
    KeyTaken {
        /// Its path.
        path: String,
        /// Its line.
        line: u64,
    },
    /// The move would only rename a key.
    OnlyRenames {
        /// The new name.
        name: String,
    },

    /// Two edits overlap. Each is given by the number of its request and its line.
    Overlap {
        /// The first edit.
        first: (usize, u64),
        /// The second edit.
        second: (usize, u64),
    },
    /// The new place of a part is within or next to its old one.
    NoRoom,
    /// There are too many edits of a tree of keys to compare them.
    TooManyEdits,
    /// Edits have another effect together than each has alone.
    NotTogether,
    /// Together, edits would repeat a section or a key.
    RepeatsKey,
}

impl From<Miss> for Refusal {
    fn from(miss: Miss) -> Self {
        Self::Missed(miss)
    }
}

impl From<Cancelled> for Refusal {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl From<EncodingMiss> for Refusal {
    fn from(miss: EncodingMiss) -> Self {
        Self::Encoding(miss)
    }
}
