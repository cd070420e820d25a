//! Determines the section that contains a line, and its ancestors.

use std::borrow::Cow;

use super::locate::Reader;
use crate::commands::output::shortened;
use folio_files::error::Error;
use folio_text::span::LineRange;

/// Maximum number of characters of a name in a path. The name of a log entry is its whole first
/// line.
const MAX_NAME: usize = 80;

/// The position of a line in the structure of its document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LinePosition {
    /// The lines of the innermost section that contains the line. `None` if there is no such
    /// section.
    pub(super) lines: Option<LineRange>,
    /// The names of that section and its ancestors, outermost first.
    pub(super) names: Vec<Vec<u8>>,
}

impl LinePosition {
    /// Joins the names into one line. Long names are truncated.
    pub(super) fn path(&self) -> Vec<u8> {
        self.names
            .iter()
            .map(|name| shortened(name, MAX_NAME))
            .collect::<Vec<_>>()
            .join(&b" > "[..])
    }
}

impl Reader<'_> {
    /// Returns the positions of some lines in the structure.
    pub(super) fn places(&self, lines: &[u64]) -> Result<Vec<LinePosition>, Error> {
        let Some(&last) = lines.iter().max() else { return Ok(Vec::new()) };
        let outline = match self.document.known_outline() {
            Some(outline) => Cow::Borrowed(outline),
            None if self.options.has_breadcrumbs() => Cow::Borrowed(self.document.sections()?),
            None => Cow::Owned(self.document.sections_up_to(last)?),
        };
        let place = |&line: &u64| {
            let path = outline.path_at(line);
            let names = path.iter().map(|&index| outline.text(index).into_owned()).collect();
            LinePosition {
                lines: path.last().map(|&index| outline.sections()[index].lines()),
                names,
            }
        };
        Ok(lines.iter().map(place).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_truncated_between_characters() {
        let place = |names: &[&str]| LinePosition {
            lines: None,
            names: names.iter().map(|name| name.as_bytes().to_vec()).collect(),
        };
        assert_eq!(place(&["Guide", "Install"]).path(), b"Guide > Install");
        assert_eq!(place(&[]).path(), b"");
        let (fits, long) = ("é".repeat(MAX_NAME), "é".repeat(MAX_NAME + 1));
        assert_eq!(place(&[&fits]).path(), fits.as_bytes());
        let cut = format!("{}…", "é".repeat(MAX_NAME - 1));
        assert_eq!(String::from_utf8_lossy(&place(&[&long]).path()), cut);
    }
}
