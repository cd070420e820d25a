//! Determines the title of a document, reading no more of the document than necessary.

use std::path::Path;

use folio_files::config::DocumentConfigs;
use folio_files::error::{Code, Error};
use folio_outline::document::Document;
use folio_outline::format::Feature;
use folio_outline::outline::OutlineBuilder;

/// Returns the title of a document: the first heading of level 1, otherwise the title in the front
/// matter, otherwise the first heading, if no other heading has its level or a higher one. Returns
/// `None` if the document is not Markdown.
///
/// # Errors
///
/// Fails if the document cannot be read.
pub(super) fn title(
    path: &Path,
    configs: &DocumentConfigs,
    open: impl FnOnce() -> Result<Option<Document>, Error>,
) -> Result<Option<Vec<u8>>, Error> {
    if configs.format_of(path)?.is_some_and(|format| !format.has(Feature::Headings)) {
        return Ok(None);
    }
    let document = match open() {
        Ok(Some(document)) => document,
        Ok(None) => return Ok(None),
        Err(error) if error.code == Code::BinaryFile => return Ok(None),
        Err(error) => return Err(error),
    };
    if !document.format().has(Feature::Headings) {
        return Ok(None);
    }
    let mut builder = OutlineBuilder::of_sections(document.format());
    let mut blocks = document.blocks();
    while let Some(block) = blocks.next()? {
        builder.push(&block);
        // A reference link in the heading may be defined later in the document.
        if builder.title().is_some_and(|name| !name.contains(&b'[')) {
            break;
        }
    }
    Ok(builder.finish().title_or_top().map(std::borrow::Cow::into_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_files::document::{self, DocumentOptions};
    use folio_files::env::Env;

    #[track_caller]
    fn check(name: &str, text: &[u8], expected: Option<&str>) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join(name);
        std::fs::write(&path, text).expect("written");
        let found = title(&path, &DocumentConfigs::default(), || {
            document::open(&path, &DocumentOptions::default(), &Env::default()).map(Some)
        });
        assert_eq!(
            found.expect("readable"),
            expected.map(|title| title.as_bytes().to_vec()),
            "{name}"
        );
    }

    #[test]
    fn the_first_level_1_heading_is_the_title() {
        check("a.md", b"## No\n\n```\n# No\n```\n\n# `Yes`\n\n# No\n", Some("Yes"));
        check("a.md", b"---\ntitle: Front\n---\n\ntext\n", Some("Front"));
        check("a.md", b"---\ntitle: Front\n---\n\n# Own\n", Some("Own"));
        check("README", b"Title\n=====\n", Some("Title"));
        check("a.rs", b"# No\n", None);
        check("a.md", b"# No\0\n", None);
        check("a.md", b"text\n", None);
        check("a.md", b"<a id=\"x\"></a>\n\n## [Top]\n\n### No\n\n[Top]: x\n", Some("Top"));
        check("a.md", b"## One\n\n### No\n\n## Two\n", None);
        check("a.md", b"### No\n\n## Two\n", None);
        let units = [0xfeff].into_iter().chain("# \u{e9}\n".encode_utf16());
        let utf16: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
        check("a.md", &utf16, Some("\u{e9}"));
    }

    #[test]
    fn a_title_is_found_at_any_depth() {
        let late = format!(
            "{}# Late [x]\n\n{}[x]: y\n",
            "## A\n\n".repeat(100_000),
            "text\n\n".repeat(99_999)
        );
        check("a.md", late.as_bytes(), Some("Late x"));
        let text = format!("---\ntitle: Front\n---\n{}", "## A\n\n".repeat(100_000));
        check("a.md", text.as_bytes(), Some("Front"));
    }
}
