//! Extracts the text of Markdown by paragraph, as a reader sees it: without markup and HTML.

use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

/// A paragraph, list item, table row, line of code or heading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paragraph {
    /// The text, joined to one line.
    pub text: String,
    /// Whether this is a heading.
    pub is_heading: bool,
}

/// Returns the paragraphs of a piece of a document, in order.
pub fn paragraphs(source: &str) -> Vec<Paragraph> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    // The definitions may be in another piece of the document.
    let mut resolve = |link: BrokenLink<'_>| {
        let has_brackets = matches!(link.link_type, LinkType::Reference | LinkType::Collapsed);
        has_brackets.then_some((CowStr::Borrowed(""), CowStr::Borrowed("")))
    };
    let mut paragraphs = Paragraphs::default();
    for event in Parser::new_with_broken_link_callback(source, options, Some(&mut resolve)) {
        paragraphs.push_event(event);
    }
    paragraphs.finish_paragraph(false);
    paragraphs.all
}

#[derive(Default)]
struct Paragraphs {
    all: Vec<Paragraph>,
    text: String,
    is_code: bool,
}

impl Paragraphs {
    fn push_event(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) if self.is_code => {
                for line in text.lines() {
                    self.text.push_str(line);
                    self.finish_paragraph(false);
                }
            }
            Event::Text(text) | Event::Code(text) => self.text.push_str(&text),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::End(TagEnd::TableCell) => self.text.push_str(" | "),
            Event::End(TagEnd::Heading(_)) => self.finish_paragraph(true),
            Event::Start(Tag::CodeBlock(_)) => {
                self.finish_paragraph(false);
                self.is_code = true;
            }
            Event::End(TagEnd::CodeBlock) => self.is_code = false,
            Event::Start(
                Tag::Emphasis
                | Tag::Strong
                | Tag::Strikethrough
                | Tag::Link { .. }
                | Tag::Image { .. }
                | Tag::TableCell,
            )
            | Event::End(
                TagEnd::Emphasis
                | TagEnd::Strong
                | TagEnd::Strikethrough
                | TagEnd::Link
                | TagEnd::Image,
            ) => {}
            Event::Start(_) | Event::End(_) | Event::Rule => self.finish_paragraph(false),
            _ => {}
        }
    }

    fn finish_paragraph(&mut self, is_heading: bool) {
        let text = std::mem::take(&mut self.text);
        let text = text.trim().trim_end_matches('|').trim_end();
        if text.contains(char::is_alphanumeric) {
            self.all.push(Paragraph { text: text.to_owned(), is_heading });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_contain_the_visible_text() {
        let source = "## A `b`\n\nOne *two*\n[three](x.md) [four][f]\n<b>five</b><br/>\n\n\
                      <div>\n\n- six\n- ![seven](x.png)\n\n```sh\nmake\n\nrun\n```\n\n\
                      | a | b |\n|---|---|\n| c | d |\n";
        let found = paragraphs(source);
        let found: Vec<&str> = found.iter().map(|paragraph| paragraph.text.as_str()).collect();
        let expected =
            ["A b", "One two three four five", "six", "seven", "make", "run", "a | b", "c | d"];
        assert_eq!(found, expected);
        assert!(
            paragraphs("# A\n\nb\n").iter().map(|paragraph| paragraph.is_heading).eq([true, false])
        );
    }
}
