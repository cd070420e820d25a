//! The common structure of all formats: nested sections and other parts of a document, with their
//! lines. An outline is built block by block while the document is read.

mod build;
mod collect;
mod keys;
mod line_scan;
mod model;
pub(crate) mod slugs;

pub use build::OutlineBuilder;
pub(crate) use collect::Collector;
pub use folio_symbols::{Kind as SymbolKind, Limit};
pub(crate) use line_scan::LineScan;
pub(crate) use model::OutlineOptions;
pub use model::{Anchor, AnchorKind, Code, Outline, Section, SectionKind, Table};

use std::sync::Arc;

use crate::format::Format;
use folio_keys::Syntax;
use folio_symbols::Language;
use folio_text::lines::Block;

impl Outline {
    /// Outlines a complete text, without its byte order mark. Tables are not collected.
    pub fn of(text: &[u8], format: Format) -> Self {
        Self::of_part(text, 0, format, OutlineOptions::everything())
    }

    /// Outlines a text that begins at `offset` of its file.
    pub(crate) fn of_part(
        text: &[u8],
        offset: u64,
        format: Format,
        options: OutlineOptions,
    ) -> Self {
        let syntax = format.syntax().filter(|_| options.tree);
        let mut builder = OutlineBuilder::new(format, options);
        builder.expect_bytes(text.len() as u64);
        builder.push(&Block::new(text, offset));
        let outline = builder.finish();
        match syntax {
            Some(syntax) => outline.with_keys(syntax, text),
            None => outline,
        }
    }

    /// Outlines the source code in a code block, whose lines are given without the prefixes of
    /// containers. They are numbered as in the document. Returns `None` if the block does not name a
    /// language that has symbols.
    pub fn of_code_block(block: &Code, code: &[u8]) -> Option<Self> {
        let language = Language::of_code_block(block.language.as_deref()?)?;
        let lines_above = block.contents()?.start() - 1;
        let text = [&b"\n".repeat(lines_above as usize), code].concat();
        Some(Self::of(&text, Format::Code(language)))
    }

    /// Outlines text that will be inserted into a document.
    pub(crate) fn of_content(
        text: &[u8],
        document: &[u8],
        format: Format,
        options: OutlineOptions,
    ) -> Self {
        let scan = format.rules().scan_content(format, document);
        let mut builder = OutlineBuilder::with_scan(format, options, scan);
        builder.push(&Block::new(text, 0));
        builder.finish()
    }

    /// Adds the tree of keys of the complete text.
    pub(crate) fn with_keys(self, syntax: Syntax, text: &[u8]) -> Self {
        Self { tree: Some(Arc::new(folio_keys::parse(syntax, text))), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use folio_text::lines::Block;
    use folio_text::pattern::Pattern;
    use folio_text::span::{LineRange, Span};

    fn describe(text: &str, format: Format, options: OutlineOptions) -> Vec<String> {
        let outline = Outline::of_part(text.as_bytes(), 0, format, options);
        (0..outline.sections().len())
            .map(|index| {
                let section = &outline.sections()[index];
                let depth = outline.path(index).len() - 1;
                format!(
                    "{}{}-{} {}",
                    ">".repeat(depth),
                    section.lines().start(),
                    section.lines().end(),
                    String::from_utf8_lossy(&outline.text(index)),
                )
            })
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(describe(text, Format::Markdown, OutlineOptions::default()), expected, "{text}");
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(
            describe(&crlf, Format::Markdown, OutlineOptions::everything()),
            expected,
            "{crlf}"
        );
    }

    #[test]
    fn sections_extend_to_the_next_heading_of_their_level() {
        check(
            "# A\n\n## B\nx\n### C\n## D\n# E",
            &["1-6 A", ">3-5 B", ">>5-5 C", ">6-6 D", "7-7 E"],
        );
        check("x\n\nA\n=\n\nB\nb\n---\ny\n", &["3-9 A", ">6-9 B b"]);
        check("### C\n## B\n", &["1-1 C", "2-2 B"]);
        check("", &[]);
    }

    #[test]
    fn code_and_html_contain_no_headings() {
        check("```\n# no\n```\n# A", &["4-4 A"]);
        check("    # no\n\n# A", &["3-3 A"]);
        check("~~~~\n# no\n~~~\n# no\n", &[]);
        check("<div>\n# no\n\n# A\n", &["4-4 A"]);
        check("<!-- x\n\n# no\n-->\n# A\n", &["5-5 A"]);
        check("- ```\n  # no\n\n# A\n", &["4-4 A"]);
    }

    #[test]
    fn definitions_are_not_part_of_a_heading() {
        check("[a]: /u\nA\n===\n", &["2-3 A"]);
        check("[a]: /u\n===\n", &[]);
        check("# [a] [b]\n\n[a]: /u\n", &["1-3 a [b]"]);
    }

    #[test]
    fn a_section_in_a_container_ends_with_the_container() {
        check(
            "# A\n> # Q\n> x\n\ny\n## B\n- # L\n  z\n\n  w\n\nend\n",
            &["1-12 A", ">2-3 Q", ">6-12 B", ">>7-10 L"],
        );
        check("> # Q\n> x\nlazy\n\ny", &["1-3 Q"]);
    }

    #[test]
    fn log_entries_are_sections_in_markdown_too() {
        check(
            "# W\n[LOG-1] - a\n### N\nx\n[LOG-2] - b\n```\n[LOG-3]\n```\n# Z\n[LOG-4]\n",
            &[
                "1-8 W",
                ">2-4 [LOG-1] - a",
                ">>3-4 N",
                ">5-8 [LOG-2] - b",
                "9-10 Z",
                ">10-10 [LOG-4]",
            ],
        );
        check("[LOG-1] - a\n[LOG-2] - b\n---\nx\n", &["1-1 [LOG-1] - a", "2-4 [LOG-2] - b"]);
    }

    #[test]
    fn custom_patterns_replace_log_entries() {
        let options = OutlineOptions {
            entries: vec![Pattern::new("^ENTRY", Default::default()).expect("a pattern")],
            ..OutlineOptions::default()
        };
        let text = "ENTRY 1\n[LOG-1]\nENTRY 2\nx";
        assert_eq!(describe(text, Format::Text, options), ["1-2 ENTRY 1", "3-4 ENTRY 2"]);
    }

    #[test]
    fn ini_files_have_markers_and_keys() {
        let text = "root = 1\n\n[a]\nk = v\n   more\nl: w \\\nz = 1\n# c\n# d\n[b]\n[a]\nk=2\n";
        let outline = Outline::of(text.as_bytes(), Format::INI);
        assert_eq!(
            describe(text, Format::INI, OutlineOptions::default()),
            ["3-9 [a]", "10-10 [b]", "11-12 [a]"]
        );
        let describe_key = |(tree, key): (&folio_keys::Tree, usize)| {
            let lines = tree.lines(key);
            let name = tree.name(key).unwrap_or_default().to_owned();
            (name, outline.section_of(key), lines.start(), lines.end())
        };
        let keys: Vec<_> = outline.section_keys().map(describe_key).collect();
        assert_eq!(
            keys,
            [
                ("root".to_owned(), None, 1, 1),
                ("k".to_owned(), Some(0), 4, 5),
                ("l".to_owned(), Some(0), 6, 7),
                ("k".to_owned(), Some(2), 12, 12)
            ]
        );
        let counts = [None, Some(0), Some(1), Some(2), Some(3)];
        let counts = counts.map(|section| outline.keys_of(section).len());
        assert_eq!(counts, [1, 2, 0, 1, 0]);
        assert_eq!(outline.blank_groups(), [2]);
        assert_eq!(outline.comment_blocks()[0].lines, LineRange::from_to(8, 9));
    }

    #[test]
    fn git_configurations_indent_their_keys() {
        let text = "[core]\n\ta = 1\n\tb = 2\n[remote \"x\"]\n\turl = y\n";
        let outline = Outline::of(text.as_bytes(), Format::INI);
        let names: Vec<_> =
            outline.section_keys().filter_map(|(tree, key)| tree.name(key)).collect();
        assert_eq!(names, ["a", "b", "url"]);
    }

    #[test]
    fn a_name_that_is_in_pieces_has_no_span() {
        let options = OutlineOptions { name_spans: true, ..OutlineOptions::default() };
        let outline =
            Outline::of_part(b"# defg\nx\ny\n===\n> a\n> b\n> ---\n", 0, Format::Markdown, options);
        let spans = [0, 1, 2].map(|index| outline.name_span(index));
        assert_eq!(spans, [Some(Span::new(2, 6)), Some(Span::new(7, 10)), None]);
    }

    #[test]
    fn names_in_the_file_have_correct_offsets() {
        let text = "x\n[LOG-1] - a\n# abc #\n\n> # q\n\ny\nz\n===\n[m] ; c\nk = v\n";
        for format in Format::ALL {
            let outline = |name_spans, base| {
                let options = OutlineOptions { name_spans, ..OutlineOptions::default() };
                let mut builder = OutlineBuilder::new(*format, options);
                for part in [&text[..2], &text[2..]] {
                    let offset = base + u64::from(part.len() > 2) * 2;
                    builder.push(&Block::new(part.as_bytes(), offset));
                }
                builder.finish()
            };
            let (kept, in_file) = (outline(false, 0), outline(true, 3));
            for index in 0..kept.sections().len() {
                let span = in_file.name_span(index);
                let name =
                    span.map(|span| &text[span.start() as usize - 3..span.end() as usize - 3]);
                assert_eq!(name.map(str::as_bytes), Some(kept.name(index)), "{format:?}");
            }
        }
    }

    /// Lists the complete contents of an outline, with lines and bytes.
    fn facts(outline: &Outline) -> Vec<String> {
        let sections = (0..outline.sections().len()).map(|index| {
            let section = &outline.sections()[index];
            let name = outline.name(index);
            let text = String::from_utf8_lossy(&outline.text(index)).into_owned();
            format!("{section:?} {name:?} {text} {:?} {:?}", section.lines(), section.body())
        });
        let facts_of_outline = format!(
            "{} {:?} {:?} {:?} {:?} {:?} {:?}",
            outline.total_lines(),
            outline.front_matter(),
            outline.code(),
            outline.anchors(),
            outline.section_keys().map(|(tree, key)| tree.path(key)).collect::<Vec<_>>(),
            outline.blank_groups(),
            outline.comment_blocks(),
        );
        sections.chain([facts_of_outline]).collect()
    }

    #[test]
    fn blocks_may_begin_at_any_line() {
        let setext = "[a]: /u\nA\nB\n===\n- x\n  # L\n\nfoo\n---\n> [b]:\n> /u\n> # Q\n";
        assert_eq!(
            describe(setext, Format::Markdown, OutlineOptions::default()),
            ["2-12 A B", ">6-6 L", ">8-12 foo", ">>12-12 Q"]
        );
        let texts = [
            setext,
            "# A\n\n```sh\n# no\n```\n\n## B {#b}\n<a id=\"x\"></a>\n\n    code\n\n    code\n# C\n",
            "---\n\n# note\ntitle: x\nlist:\n- a\n---\n# A\n\nB\n---\n",
            "---\n  title: x\n  tags: y\n...\n# A",
            "---\n{title: x,\n tags: y}\n---\n# A\n",
            "---\ntitle: x\n---",
            "---\ntitle: x\nnever closed\n\n# A\n```\ncode",
            "---\n\n# A\n\n---\ntext\n",
            "[db]\nhost = a \\\n b\n\n; c\n; d\n[e]\nkey: v\n  more\n",
            "# x\n\n[LOG-1] - a\nb\n\n\n[LOG-2] - c\n",
        ];
        for (text, format) in
            texts.iter().flat_map(|text| Format::ALL.iter().map(move |&format| (*text, format)))
        {
            for (crlf, nameless) in [(false, false), (true, false), (false, true)] {
                let text = if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
                let options = OutlineOptions {
                    nameless,
                    anchors: !nameless,
                    tree: false,
                    ..OutlineOptions::everything()
                };
                let expected =
                    facts(&Outline::of_part(text.as_bytes(), 0, format, options.clone()));
                let lines = text.split_inclusive('\n').count();
                for count in 1..lines {
                    let mut builder = OutlineBuilder::new(format, options.clone());
                    let mut offset = 0;
                    let lines: Vec<&str> = text.split_inclusive('\n').collect();
                    for part in lines.chunks(count) {
                        let part = part.concat();
                        builder.push(&Block::new(part.as_bytes(), offset));
                        offset += part.len() as u64;
                    }
                    assert_eq!(
                        facts(&builder.finish()),
                        expected,
                        "{text:?} {format:?} by {count}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_line_with_a_time_begins_an_entry_of_a_log() {
        let text =
            "start\n2026-01-05 10:00:00,1 [main] ERROR x\n\tat a\n\n2026-01-05 10:00 y\n# z\n";
        let format = Format::LOG.with_kind_of(text.as_bytes());
        let expected = ["2-4 2026-01-05 10:00:00,1 [main] ERROR x", "5-6 2026-01-05 10:00 y"];
        assert_eq!(describe(text, format, OutlineOptions::default()), expected);
        let outline = Outline::of(text.as_bytes(), format);
        assert_eq!(outline.marker(0), b"2026-01-05 10:00:00,1");
        assert_eq!(describe(text, Format::Text, OutlineOptions::default()), [""; 0]);
    }

    #[test]
    fn a_link_in_a_heading_may_be_defined_at_the_end() {
        let text = format!("# [e][b] c\n# D\n{}[b]: /u\n", "x\n\n".repeat(300_000));
        let outline = Outline::of(text.as_bytes(), Format::Markdown);
        assert_eq!(String::from_utf8_lossy(&outline.text(0)), "e c");
    }

    #[test]
    fn a_title_may_occur_late() {
        let top = |text: &str| {
            let outline = Outline::of(text.as_bytes(), Format::Markdown);
            outline.title_or_top().map(|title| String::from_utf8_lossy(&title).into_owned())
        };
        assert_eq!(top("## B\n# A\n").as_deref(), Some("A"));
        assert_eq!(top("## B\n### C\n").as_deref(), Some("B"));
        assert_eq!(top("## B\n## C\n"), None);
        assert_eq!(top("## B\n### C\n## D\n"), None);
    }

    #[test]
    fn text_of_a_body_is_never_part_of_an_outline() {
        // In an INI file, a single word would be a key.
        let bodies = [
            "a secret\n",
            "a secret\n\n    a secret\n",
            "```\na secret\n```\n",
            "a secret\na secret\n",
        ];
        for (body, format) in
            bodies.iter().flat_map(|body| Format::ALL.iter().map(move |&format| (body, format)))
        {
            let text = format!("# A\n{body}\n## B\n{body}\n[LOG-1] - c\n{body}[m]\n{body}");
            let outline = Outline::of(text.as_bytes(), format);
            let found = facts(&outline);
            assert!(!found.iter().any(|fact| fact.contains("secret")), "{format:?} {found:?}");
            let names: usize = (0..outline.sections().len()).map(|at| outline.name(at).len()).sum();
            assert_eq!(outline.names.len(), names, "{format:?}");
        }
    }

    #[test]
    fn a_name_is_one_line_even_if_it_is_not_utf8() {
        let outline = Outline::of(b"caf\xe9\r\n  au lait\n===\n", Format::Markdown);
        assert_eq!(outline.text(0).as_ref(), b"caf\xe9 au lait");
    }

    #[test]
    fn an_invisible_name_is_shown_in_one_line() {
        let outline = Outline::of(b"<b\n  id=\"x\">\n---\n", Format::Markdown);
        let (section, name) = (&outline.sections()[0], outline.name(0));
        assert_eq!(outline.render(section, name).as_ref(), b"");
        assert_eq!(outline.shown(section, name).as_ref(), b"<b id=\"x\">");
    }

    #[test]
    fn sections_are_small() {
        assert_eq!(size_of::<Section>(), 32);
    }

    #[test]
    fn a_table_may_span_blocks() {
        let text = b"x\n|a|b|\n|-|-|\n|c|d|\n\ny\n";
        for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            let options = OutlineOptions { tables: true, ..OutlineOptions::default() };
            let mut builder = OutlineBuilder::new(Format::Markdown, options);
            builder.push(&Block::new(&text[..=at], 0));
            builder.push(&Block::new(&text[at + 1..], at as u64 + 1));
            let outline = builder.finish();
            assert_eq!(outline.tables().len(), 1, "{at}");
            assert_eq!(outline.tables()[0].header, ["a", "b"], "{at}");
        }
    }
}
