//! Markdown: its block structure, the text of its headings, their slugs, its
//! front matter and its explicit anchors.

pub mod anchors;
pub mod blocks;
mod cursor;
pub mod definitions;
pub mod front_matter;
mod html;
pub mod inline;
pub mod slug;
