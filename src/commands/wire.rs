//! Parts of targets in JSON that several commands take.

use serde::Deserialize;

use crate::error::{Code, Error};
use crate::text::span::LineRange;

/// `{"start":10,"end":20}`; without an end, to the last line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinesObject {
    /// The first line.
    pub start: u64,
    /// The last one.
    pub end: Option<u64>,
}

impl LinesObject {
    /// The lines.
    pub fn range(&self) -> Result<LineRange, Error> {
        let end = self.end.unwrap_or(u64::MAX);
        LineRange::new(self.start, end).ok_or_else(|| {
            let message = format!(
                "target: lines {}-{end} are no range: the first is 1 or more, the last no earlier",
                self.start
            );
            Error::new(Code::InvalidRange, message)
        })
    }
}

/// A heading's name, or an object that holds it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum HeadingObject {
    /// The name.
    Name(String),
    /// The object.
    Full(FullHeading),
}

/// `{"text":"## Install","includeChildren":true}`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FullHeading {
    /// The name.
    pub text: String,
    /// Whether sections below it belong to it.
    pub include_children: Option<bool>,
}

/// `{"index":0,"language":"bash","fences":true}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeBlockObject {
    /// The block's number, from 0.
    pub index: usize,
    /// Only blocks of this language are counted.
    pub language: Option<String>,
    /// With the fences.
    pub fences: Option<bool>,
}

/// `{}` or `{"key":"title"}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontMatterObject {
    /// The key.
    pub key: Option<String>,
}
