//! Displays lines with line numbers and visible whitespace.

use crate::commands::output::{Role, Style};
use crate::commands::visible::push_visible;
use folio_text::lines::lines_with_ends;
use folio_text::span::LineRange;

/// The options for displaying content as text.
#[derive(Clone, Copy, Debug, Default)]
pub struct View {
    /// Whether to print line numbers.
    pub number: bool,
    /// Whether to make whitespace visible.
    pub show_whitespace: bool,
}

impl View {
    /// Whether content is printed unchanged.
    pub fn is_plain(self, style: Style) -> bool {
        !self.number && !self.show_whitespace && !style.terminal
    }

    /// Appends content in the form to display. `ranges` are the lines of the content.
    pub fn show(self, content: &[u8], ranges: &[LineRange], style: Style, out: &mut Vec<u8>) {
        if self.is_plain(style) {
            return out.extend_from_slice(content);
        }
        let mut numbers = ranges.iter().flat_map(|range| range.start()..=range.end());
        for line in lines_with_ends(content) {
            if self.number {
                // Writing to a vector cannot fail.
                match numbers.next() {
                    Some(number) => style.paint(Role::Lines, format_args!("{number:>6}"), out),
                    None => out.extend_from_slice(b"      "),
                }
                out.push(b'\t');
            }
            if self.show_whitespace {
                let mut shown = Vec::new();
                push_visible(line, &mut [], &mut shown);
                out.extend_from_slice(&style.safe(&shown));
            } else {
                out.extend_from_slice(&style.safe(line));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &[u8], expected: &str) {
        let view = View { number: false, show_whitespace: true };
        let mut shown = Vec::new();
        view.show(line, &[], Style::default(), &mut shown);
        assert_eq!(String::from_utf8_lossy(&shown), expected);
    }

    #[test]
    fn whitespace_is_made_visible() {
        check(b"a b\n", "a b␊\n");
        check(b"\ta  \r\n", "→\ta··␍␊\n");
        check("\u{feff}a\u{a0}b\u{200b}".as_bytes(), "<U+FEFF>a<U+00A0>b<U+200B>");
        check(b"\xff\x07", "<FF><U+0007>");
    }
}
