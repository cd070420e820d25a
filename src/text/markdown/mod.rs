//! Markdown: its block structure, the text of its headings, their slugs, its
//! front matter and its explicit anchors.

pub mod anchors;
pub mod blocks;
mod cursor;
pub mod definitions;
pub mod destination;
pub mod front_matter;
mod html;
mod html_links;
pub mod inline;
pub mod links;
pub mod scanner;
pub mod slug;
pub mod tables;

use super::lines::Block;
use front_matter::FrontMatter;
use scanner::Scanner;

/// Begins a document with its first block: takes front matter off the block.
pub fn begin(block: &mut Block<'_>) -> (Scanner, Option<FrontMatter>) {
    let found = front_matter::find(block.bytes);
    begin_after(block, found)
}

/// The same for those who do not ask for the keys of front matter.
pub fn begin_without_keys(block: &mut Block<'_>) -> (Scanner, Option<FrontMatter>) {
    let found = front_matter::find_extent(block.bytes);
    begin_after(block, found)
}

fn begin_after(
    block: &mut Block<'_>,
    found: Option<FrontMatter>,
) -> (Scanner, Option<FrontMatter>) {
    let Some(found) = found else {
        return (Scanner::new(), None);
    };
    block.bytes = &block.bytes[found.length..];
    block.offset += found.length as u64;
    (Scanner::after(found.lines.end()), Some(found))
}
