//! Compares the text of a line of output, such as `a.md:3-9:# Title`, with the document: whether
//! these lines still have it, and where it is otherwise.

use std::borrow::Cow;

use crate::naming::{section_label, section_path};
use crate::outline::{Outline, SectionKind};
use folio_keys::Tree;
use folio_text::lines::lines_with_ends;
use folio_text::span::LineRange;

/// Where the text of a line of output is in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintedLine {
    /// At the printed lines.
    Unchanged,
    /// Only at these other lines.
    Moved(LineRange),
    /// Nowhere, or at several other lines.
    Missing,
}

/// Whether a line is the one that was printed: as it is, after its column, or after the names of its
/// sections. Whitespace around it is ignored.
pub fn is_printed_line(line: &[u8], printed: &[u8]) -> bool {
    let (line, printed) = (line.trim_ascii(), printed.trim_ascii());
    let Some(before) = printed.strip_suffix(line) else { return false };
    let is_column = |before: &[u8]| {
        before.strip_suffix(b":").is_some_and(|column| column.iter().all(u8::is_ascii_digit))
    };
    before.is_empty() || !line.is_empty() && (is_column(before) || before.ends_with(b": "))
}

/// Returns where the text is that was printed after `lines`: the text of a line, or the name of a
/// part of the outline.
pub fn find_printed(
    text: &[u8],
    outline: &Outline,
    lines: LineRange,
    printed: &[u8],
) -> PrintedLine {
    let mut places: Vec<LineRange> = parts_named(outline, &String::from_utf8_lossy(printed));
    for (line, number) in lines_with_ends(text).zip(1..) {
        let is_known = || places.iter().any(|place| place.start() == number);
        if is_printed_line(line, printed) && !is_known() {
            places.push(LineRange::from_to(number, number + lines.count().max(1) - 1));
        }
    }
    let is_here = |place: &&LineRange| place.start() == lines.start();
    match (places.iter().find(is_here), &places[..]) {
        (Some(_), _) => PrintedLine::Unchanged,
        (None, [place]) => PrintedLine::Moved(*place),
        (None, _) => PrintedLine::Missing,
    }
}

/// Returns the lines of the parts with a name, as `inspect` prints it. Facts that follow the name are
/// ignored.
fn parts_named(outline: &Outline, printed: &str) -> Vec<LineRange> {
    let printed = printed.trim();
    let is_name = |name: &str| {
        let rest = printed.strip_prefix(name.trim());
        !name.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("  "))
    };
    let sections = outline.sections().iter().enumerate().filter(|(index, section)| {
        let path = || section_path(outline, *index).join(" > ");
        let is_heading = matches!(section.kind(), SectionKind::Heading(_) | SectionKind::Symbol(_));
        let is_signature = || {
            let symbol = outline.symbol(*index);
            symbol.is_some_and(|symbol| is_name(&symbol.signature))
        };
        is_name(&section_label(outline, *index)) || is_signature() || is_heading && is_name(&path())
    });
    let sections = sections.map(|(_, section)| section.lines());
    let front_matter = outline.front_matter();
    let tree = outline.tree().or_else(|| front_matter.and_then(|found| found.tree().ok()));
    let keys = tree.into_iter().flat_map(|tree: &Tree| {
        let is_named = move |index: &usize| is_name(&tree.path(*index));
        (1..tree.nodes.len()).filter(is_named).map(|index| tree.lines(index))
    });
    let anchors = outline.anchors().iter().filter(|anchor| is_name(&format!("#{}", anchor.id)));
    let anchors = anchors.map(|anchor| LineRange::line(anchor.line));
    // The numbers of these parts change when others are added, so only their kind is compared.
    let last: Cow<'_, str> = printed.rsplit(" > ").next().unwrap_or_default().into();
    let code = outline.code().iter().map(|code| code.lines).filter(|_| last.starts_with("code "));
    let tables = outline.tables().iter().map(|table| table.lines);
    let tables = tables.filter(|_| last.starts_with("table "));
    let is_of_file =
        ["front matter", "keys: ", "checksum "].iter().any(|name| last.starts_with(name));
    let of_file = is_of_file.then(|| LineRange::from_to(1, outline.total_lines().max(1)));
    sections.chain(keys).chain(anchors).chain(code).chain(tables).chain(of_file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;

    #[track_caller]
    fn check(format: Format, text: &str, printed: &str, expected: PrintedLine) {
        let (range, name) = printed.split_once(':').expect("lines and a text");
        let (start, end) = range.split_once('-').unwrap_or((range, range));
        let number = |text: &str| text.parse().expect("a number");
        let lines = LineRange::from_to(number(start), number(end));
        let outline = Outline::of(text.as_bytes(), format);
        let found = find_printed(text.as_bytes(), &outline, lines, name.as_bytes());
        assert_eq!(found, expected, "{printed}");
    }

    #[test]
    fn printed_lines_are_compared_with_the_document() {
        use PrintedLine::{Missing, Moved, Unchanged};
        let text =
            "# One\n\ntwo *x*\r\n\n## [Three](x) {#t}\n\n```sh\nls\n```\n  two\n\nTitle\n===\n";
        let page = |printed, expected| check(Format::Markdown, text, printed, expected);
        for printed in [
            "1-10:# One",
            "1:# One",
            "3:two *x*",
            "3: two *x* ",
            "3:5:two *x*",
            "3:One: two *x*",
            "5-10:## Three",
            "5-10:## Three  #three  ~8 tokens",
            "5-10:One > Three",
            "5:## [Three](x) {#t}",
            "5:#t",
            "7-9:code sh:3",
            "7-9:One > Three > code sh:0",
            "10:two",
            "12-13:# Title",
        ] {
            page(printed, Unchanged);
        }
        page("4:two *x*", Moved(LineRange::line(3)));
        page("1-4:## Three", Moved(LineRange::from_to(5, 11)));
        page("4-5:code sh:0", Moved(LineRange::from_to(7, 9)));
        page("3:two *y*", Missing);
        page("2:x", Missing);
        page("9:# Three", Missing);
        check(Format::Text, "a\nb\na\n", "2:a", Missing);
        check(Format::Text, "a\n\nb\n", "2:", Unchanged);
        check(Format::Text, "a\nb\n", "7:b", Moved(LineRange::line(2)));
    }

    #[test]
    fn names_of_keys_are_compared_too() {
        use PrintedLine::{Moved, Unchanged};
        let yaml = Format::by_name("a.yml").expect("a format");
        let text = "a:\n  b: 1\n  c: [1, 2]\n";
        check(yaml, text, "2:a.b", Unchanged);
        check(yaml, text, "3:a.c[1]", Unchanged);
        check(yaml, text, "2:b: 1", Unchanged);
        check(yaml, text, "1:a.b  1", Moved(LineRange::line(2)));
        let page = "---\nt:\n  u: 1\n---\n# A\n";
        check(Format::Markdown, page, "2-3:t", Unchanged);
        check(Format::Markdown, page, "1-4:front matter: t", Unchanged);
        check(Format::Markdown, page, "2:t.u", Moved(LineRange::line(3)));
    }
}
