//! Finds wiki links, such as `[[page#Heading|text]]` and `![[image.png]]`, which Obsidian, Foam and
//! Logseq use. It does not resolve them to files.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::links::Body;

/// Returns the byte ranges of the targets of all wiki links in a UTF-8 document, in order. The
/// target of `[[page#Heading|text]]` is `page#Heading`. Code, HTML and the text of other links
/// contain no wiki links; front matter contains them in quoted values.
pub fn wiki_targets(document: &[u8]) -> Vec<Range<usize>> {
    if memchr::memmem::find(document, b"[[").is_none() {
        return Vec::new();
    }
    let body = Body::of_document(document);
    let front_matter = &document[..body.start];
    let mut found: Vec<Range<usize>> =
        target_ranges(front_matter, |at| at > 0 && matches!(front_matter[at - 1], b'"' | b'\''));
    let text = &*body.text;
    let mut excluded: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new_ext(text, Options::ENABLE_FOOTNOTES).into_offset_iter() {
        if matches!(
            event,
            Event::Code(_)
                | Event::Html(_)
                | Event::InlineHtml(_)
                | Event::Start(Tag::CodeBlock(_) | Tag::Link { .. } | Tag::Image { .. })
        ) {
            excluded.push(range);
        }
    }
    let is_text = |at: usize| {
        // `[[page]]` with a definition of `page` is a link in brackets.
        let first = excluded.partition_point(|range| range.end <= at + 1);
        excluded.get(first).is_none_or(|range| range.start > at + 1)
    };
    let in_body = target_ranges(text.as_bytes(), is_text).into_iter();
    found.extend(in_body.map(|range| range.start + body.start..range.end + body.start));
    found
}

/// Returns the ranges of the targets of wiki links whose brackets are at accepted offsets.
fn target_ranges(text: &[u8], is_accepted: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = memchr::memmem::find(&text[at..], b"[[") {
        let open = at + next;
        at = open + 1;
        let escapes = text[..open].iter().rev().take_while(|byte| **byte == b'\\').count();
        let target = target_at(text, open + 2).filter(|_| escapes % 2 == 0 && is_accepted(open));
        if let Some(target) = target {
            at = target.end;
            found.push(target);
        }
    }
    found
}

/// Returns the target of the wiki link whose brackets end before an offset.
fn target_at(text: &[u8], start: usize) -> Option<Range<usize>> {
    let line = &text[start..];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len())];
    let inner = &line[..memchr::memmem::find(line, b"]]")?];
    let target = &inner[..memchr::memchr(b'|', inner).unwrap_or(inner.len())];
    // In a table, `\|` separates the text.
    let is_table = target.len() < inner.len() && target.ends_with(b"\\");
    let target = &target[..target.len() - usize::from(is_table)];
    let blanks = target.len() - target.trim_ascii_start().len();
    let target = target.trim_ascii();
    // Templates write the name of a page as `{{date}}` or `<% tp.date.now() %>`.
    let is_template =
        [&b"{{"[..], b"<%"].iter().any(|mark| memchr::memmem::find(target, mark).is_some());
    let is_target = !target.is_empty() && !target.contains(&b'[') && !target.contains(&b']');
    (is_target && !is_template).then(|| start + blanks..start + blanks + target.len())
}

/// Splits the target of a wiki link into the name or path of a page, which may be empty, and the
/// fragment: `Heading`, `Heading#Nested heading` or `^block`.
pub fn split_target(target: &str) -> (&str, Option<&str>) {
    match target.split_once('#') {
        Some((path, fragment)) => (path.trim(), Some(fragment.trim()).filter(|it| !it.is_empty())),
        None => (target, None),
    }
}

/// Returns the form in which headings are compared: in lower case, and without punctuation.
pub fn heading_key(heading: &str) -> String {
    let is_compared = |character: char| {
        !character.is_ascii_punctuation() || matches!(character, '-' | '_' | '\'')
    };
    let text: String = heading.chars().map(|it| if is_compared(it) { it } else { ' ' }).collect();
    join_words(&text).to_lowercase()
}

/// Returns the form in which a wiki link names a heading: without the characters that end the
/// name in a link.
pub fn heading_in_link(heading: &str) -> String {
    let text = ["[[", "]]", "%%"].iter().fold(heading.to_owned(), |text, it| text.replace(it, " "));
    join_words(&text.replace([':', '#', '|', '^', '\\'], " "))
}

fn join_words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the ids of the blocks in a document, such as `^id` at the end of a line, each with its
/// line.
pub fn block_ids(document: &[u8]) -> impl Iterator<Item = (u64, &str)> {
    let lines = (1..).zip(document.split(|byte| *byte == b'\n'));
    lines.filter_map(|(line, text)| {
        let text = text.trim_ascii_end();
        let start = memchr::memrchr(b'^', text)?;
        let is_separate =
            text[..start].last().is_none_or(|before| matches!(before, b' ' | b'\t' | b']'));
        let id = std::str::from_utf8(&text[start + 1..]).ok()?;
        let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (is_separate && !id.is_empty() && id.bytes().all(is_id)).then_some((line, id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(document: &str, expected: &[&str]) {
        let targets = wiki_targets(document.as_bytes());
        let found: Vec<&str> = targets.into_iter().map(|range| &document[range]).collect();
        assert_eq!(found, expected, "{document:?}");
    }

    #[test]
    fn targets_end_before_the_text_of_a_link() {
        check("[[a]] [[ b c |text]] ![[d.png|100]] x[[e#F#G]]y", &["a", "b c", "d.png", "e#F#G"]);
        check("| [[a\\|b]] | [[#c]] |\n|--|--|\n| [[d#^e]] | |\n", &["a", "#c", "d#^e"]);
        check("# [[a]]\n> - *[[b]]*\n", &["a", "b"]);
        check("\u{feff}ä [[ö]]\r\n[[b]]\r\n", &["ö", "b"]);
        check("[[[a]]] [[b [c]] [[]] [[ ]] [[|x]] [[a\nb]] [[c", &["a"]);
        check("[[a|b]] [[a]](x)", &["a"]);
    }

    #[test]
    fn code_html_and_other_links_contain_no_wiki_links() {
        check("`[[a]]` \\[[b]] \\\\[[c]] <!-- [[d]] --> <b title=\"[[e]]\">[[f]]</b>", &["c", "f"]);
        check("```\n[[a]]\n```\n\n    [[b]]\n\n- c\n\n      [[d]]\n", &[]);
        check("<p>\n[[a]]\n</p>\n\n[[b]]\n", &["b"]);
        // Foam adds definitions, so that other programs understand the links.
        check("[[a]] [[b]]\n\n[a]: a.md \"A\"\n", &["b"]);
        check("[[{{date}}]] [[<% now %>]] [[a]]", &["a"]);
    }

    #[test]
    fn quoted_values_of_front_matter_contain_links() {
        check(
            "---\nup: \"[[a]]\"\nmatrix: [[1, 2]]\nlist: ['[[b|c]]']\n---\n[[d]]\n",
            &["a", "b", "d"],
        );
    }

    #[test]
    fn headings_are_compared_without_punctuation() {
        for (heading, other) in [("What: is `it`?", "what is it"), ("A/B  c", "A B c")] {
            assert_eq!(heading_key(heading), heading_key(other));
        }
        assert_ne!(heading_key("a-b"), heading_key("a b"));
        assert_eq!(heading_in_link("A: [[b|c]] & d"), "A b c & d");
    }

    #[test]
    fn block_ids_end_a_line() {
        let text = "a ^one\n\n^two\nb^no\nc ^n_o\n^ \n- d ^3-x  \n![[e]]^f\n";
        let found: Vec<_> = block_ids(text.as_bytes()).collect();
        assert_eq!(found, [(1, "one"), (3, "two"), (7, "3-x"), (8, "f")]);
    }
}
