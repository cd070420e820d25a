//! What there is to say about an edit besides its result, as data.

use super::{Effect, HeadingName, Merge};
use crate::locate::Position;
use crate::part::Part;
use folio_keys::Kind;
use folio_keys::contrast::Contrast;
use folio_keys::models::Doubt;

/// A remark about an edit that is made.
#[derive(Clone, Debug)]
pub enum Note {
    /// The part is selected by a number that might have been counted from another first number.
    Position {
        /// The part.
        part: Part,
        /// Its position.
        position: Position,
    },
    /// The part includes this number of nested sections.
    NestedSections(usize),
    /// The content does not begin with a heading or marker, so the text after it becomes part of
    /// the previous section.
    HeadingLost {
        /// Whether sections begin with headings.
        has_headings: bool,
    },
    /// The heading of the section changes.
    HeadingChanges {
        /// The present heading.
        old: HeadingName,
        /// The new heading with its marks.
        new: String,
    },
    /// A heading in the content ends the section.
    HeadingEndsSection(HeadingName),
    /// Another section has the new name.
    SectionNameTaken {
        /// The line of the other section.
        line: u64,
    },
    /// Texts become part of blocks that they do not belong to.
    Merges(Merge),
    /// Something outside the edited parts changes.
    Affects(Effect),
    /// The fences of a code block are lengthened to this number of characters.
    FenceLengthened(usize),
    /// The content refers to a group of the pattern, but is not a template.
    LiteralGroup(String),
    /// All matches to delete are empty.
    EmptyMatches,
    /// A match differs from the text.
    Differs {
        /// The line of the match.
        line: u64,
        /// The match.
        text: Vec<u8>,
    },
    /// This number of further matches differ from the text.
    MoreDiffer(u64),
    /// A value in the content has another type than the other values of its key.
    Contrast(Contrast),
    /// The type of the value was not certain.
    Doubt {
        /// The content.
        text: String,
        /// The type that was taken, and the reason.
        doubt: Doubt,
    },
    /// Quotes around the content are not part of the value.
    QuotesRemoved,
    /// A value was a string, and has another type now.
    NoLongerString {
        /// The path of its key.
        path: String,
        /// The new type.
        kind: Kind,
    },
    /// A key is in a mapping that is added for it. The path of the mapping.
    NewMapping(String),
    /// An item is in a list that is added for it. The path of the list.
    NewList(String),
    /// A key is in a section that is added for it. The marker of the section.
    NewSection(String),
    /// The marker of another section differs from the new one only in case.
    SimilarSection(String),
    /// A name that looks like a path was used as a name.
    KeyNamed(String),
    /// A line with the key in a comment was replaced.
    CommentReplaced,
    /// Only the declaration of a symbol is renamed. Its old name.
    UsesNotRenamed {
        /// The old name.
        name: String,
    },
    /// A comma is added after the element that was the last one.
    CommaAdded {
        /// The line of the element.
        line: u64,
    },
    /// The comment after the value is unchanged.
    CommentKept,
}
