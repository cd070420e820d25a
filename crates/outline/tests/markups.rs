//! Light markups other than Markdown: which headings, anchors and code blocks they have, and edits
//! of them.

use std::path::Path;

use folio_outline::document::LoadedDocument;
use folio_outline::edit::{EditRequest, Operation, Refusal, Side};
use folio_outline::format::Format;
use folio_outline::lookup::{AnchorTarget, find_anchor};
use folio_outline::outline::Outline;
use folio_outline::part::{Part, SectionPart};
use folio_text::span::LineRange;

/// Checks the sections, code blocks and anchors of a text.
#[track_caller]
fn check(format: Format, text: &str, expected: &[&str]) {
    let outline = Outline::of(text.as_bytes(), format);
    let mut found: Vec<String> = Vec::new();
    for (index, section) in outline.sections().iter().enumerate() {
        let (lines, level) = (section.lines(), section.level().unwrap_or(0));
        let name = String::from_utf8_lossy(&outline.text(index)).into_owned();
        found.push(format!("{level} {}-{} {name}", lines.start(), lines.end()));
    }
    for code in outline.code() {
        let language = code.language.as_deref().unwrap_or("-");
        let contents = code.contents().map(|lines| (lines.start(), lines.end()));
        let (start, end) = (code.lines.start(), code.lines.end());
        found.push(format!("code {language} {start}-{end} {contents:?}"));
    }
    found.extend(outline.anchors().iter().map(|anchor| format!("#{} {}", anchor.id, anchor.line)));
    assert_eq!(found, expected, "{text}");
}

#[track_caller]
fn edit(format: Format, text: &str, request: &EditRequest) -> Result<String, Refusal> {
    let document = LoadedDocument::of_text(Path::new("a"), text.as_bytes().to_vec(), format);
    let edited = document.with_edit(request)?;
    Ok(String::from_utf8_lossy(edited.text()).into_owned())
}

fn rename(name: &str, text: &str) -> EditRequest {
    EditRequest::new(Operation::Rename, Part::section(name), text)
}

fn heading(name: &str) -> Part {
    Part::Section { name: name.to_owned(), part: SectionPart::Heading, children: None }
}

fn body(name: &str) -> Part {
    Part::Section { name: name.to_owned(), part: SectionPart::Body, children: None }
}

const RST: &str = "\
=====
Guide
=====

Text::

    code
    # more

.. _setup:

Set *up*
--------

- .. code-block:: sh
     :linenos:

     make

.. A comment

   Not a title
   -----------

Use
---
";

#[test]
fn restructured_text_has_the_titles_of_docutils() {
    check(
        Format::Rst,
        RST,
        &[
            "1 1-26 Guide",
            "2 10-24 Set up",
            "2 25-26 Use",
            "code - 7-8 Some((7, 8))",
            "code sh 15-18 Some((18, 18))",
            "#setup 10",
        ],
    );
    // A transition, a table, a list, a quote, and a title whose underline is too short.
    let none =
        "a\nb\n===\n\n----\n\nx\n\n== ==\na  b\n== ==\n\n- a\n---\n\n  b\n  ---\n\nlong\n--\n";
    check(Format::Rst, none, &[]);
    // The order of adornments determines the levels.
    check(Format::Rst, "A\n---\n\nB\n===\n\nC\n---\n", &["1 1-6 A", "2 4-6 B", "1 7-8 C"]);
    check(Format::Rst, "A\n==\n1. B\n-----\n\nC\n...\n", &["1 1-7 A", "2 3-7 1. B", "3 6-7 C"]);
}

#[test]
fn asciidoc_has_the_sections_of_asciidoctor() {
    let text = "\
= Title
Author <a@b.c>
:toc: left

[[one]]
[role]
== One *two* ==

[#listing.big]
[source%linenums,ruby]
----
== No
----

====
== No

....
text
....
====

Three
~~~~~

[discrete]
== No
text
== No
";
    check(
        Format::AsciiDoc,
        text,
        &[
            "1 1-29 Title",
            "2 5-29 One two",
            "3 23-29 Three",
            "code ruby 9-13 Some((12, 12))",
            "code - 18-20 Some((19, 19))",
            "#one 5",
            "#listing 9",
        ],
    );
}

#[test]
fn org_headlines_have_keywords_and_tags() {
    let text = "\
#+TODO: WAIT | OK
* WAIT [#A] One [[https://a.b][two]] :tag:other:
:PROPERTIES:
:CUSTOM_ID: one
:END:
** TODO Three
#+BEGIN_SRC sh -n
ls
#+end_src
*bold* text
";
    let sections = ["1 2-10 One two", "2 6-10 TODO Three"];
    check(Format::Org, text, &[sections[0], sections[1], "code sh 7-9 Some((8, 8))", "#one 2"]);
}

#[test]
fn html_headings_may_span_lines() {
    let text = "\
<!-- <h1>No</h1> -->
<h1 id=top
  class=\"a>b\">Guide <em>one</em>
  &amp; two</h1>
<p id=\"x\">
<pre><code class=\"language-rust\">
fn main() {}
</code></pre>
<pre>short</pre>
<script>\"<h2>No</h2>\"</script>
<h2>A</h2><h3>Not separate</h3>
";
    check(
        Format::Html,
        text,
        &[
            "1 2-11 Guide one & two",
            "2 11-11 A",
            "code rust 6-8 Some((7, 7))",
            "code - 9-9 Some((9, 9))",
            "#top 2",
            "#x 5",
        ],
    );
}

#[test]
fn sections_of_html_contain_complete_elements() {
    let sections = |text: &str| -> Vec<(u64, u64)> {
        let outline = Outline::of(text.as_bytes(), Format::Html);
        let lines = outline.sections().iter().map(|section| section.lines());
        lines.map(|lines| (lines.start(), lines.end())).collect()
    };
    let sectioned = "\
<body>
<h1>T</h1>
<section>
  <h2>A</h2>
  <div>
  <h3>B</h3>
  </div>
</section>

<section>
<h2>C</h2>
<p>x</p>
</section>
<footer>
text
</footer>
</body>
";
    assert_eq!(sections(sectioned), [(2, 16), (4, 7), (6, 6), (11, 12)]);
    // A title in an element of its own contains the sections after it.
    let header = "<header>\n<h1>T</h1>\n</header>\n<h2>A</h2>\nx\n<div>\n</div>\n";
    assert_eq!(sections(header), [(2, 7), (4, 7)]);
    let div = |after: &str| format!("<div>\n<h2>A</h2>\nx\n</div>\n{after}<h2>B</h2>\n");
    assert_eq!(sections(&div("")), [(2, 3), (5, 5)]);
    assert_eq!(sections(&div("text\n")), [(2, 5), (6, 6)]);
    assert_eq!(sections(&div("<!-- c -->\n")), [(2, 3), (6, 6)]);
    assert_eq!(sections("<h2>A</h2>\nx\n<div>\n<div>\n<h2>B</h2>\n</div>\n"), [(1, 2), (5, 5)]);
    // The tags of an element are in the section if its first line is.
    let line = "<div><h2>A</h2>\nx\n</div>\n<div><h2>B</h2>\n</div>\n";
    assert_eq!(sections(line), [(1, 3), (4, 5)]);
    let delete = EditRequest::new(Operation::Delete, Part::section("A"), "");
    let edited = edit(Format::Html, sectioned, &delete).expect("an edit");
    let start = sectioned.find("  <h2>A").expect("a heading");
    let end = sectioned.find("</section>").expect("an end");
    assert_eq!(edited, [&sectioned[..start], &sectioned[end..]].concat());
    let edited = edit(Format::Html, line, &delete).expect("an edit");
    assert_eq!(edited, "<div><h2>B</h2>\n</div>\n");
    // A section replaced by itself stays the same, also if it is not in an element of its own.
    let text = "<div>\n<h3>A</h3>\nx\n</div>\n<p>y</p>\n<div>\n<h4>B</h4>\n</div>\n</div>\nz\n";
    let section = text.strip_prefix("<div>\n").expect("a section");
    let replace = EditRequest::replace(Part::section("A"), section);
    assert_eq!(edit(Format::Html, text, &replace).expect("an edit"), text);
}

#[test]
fn dates_and_properties_of_org_belong_to_the_heading() {
    let text = "* A :x:\nSCHEDULED: <2026-01-05>\n:PROPERTIES:\n:k: v\n:END:\nx\n* B\n:PROPERTIES:\n* C\n\n:PROPERTIES:\n:k: v\n:END:\n";
    let outline = Outline::of(text.as_bytes(), Format::Org);
    let headings: Vec<_> = outline.sections().iter().map(|section| section.heading()).collect();
    let expected = [(1, 5), (7, 7), (9, 9)].map(|(first, last)| LineRange::from_to(first, last));
    assert_eq!(headings, expected);
    let edited = edit(Format::Org, text, &EditRequest::replace(body("A"), "y\n"));
    assert_eq!(edited.expect("an edit"), text.replace("\nx\n", "\ny\n"));
    let renamed = edit(Format::Org, text, &rename("A", "N")).expect("an edit");
    assert_eq!(renamed, text.replace("* A", "* N"));
    let delete = EditRequest::new(Operation::Delete, Part::section("A"), "");
    let deleted = edit(Format::Org, text, &delete).expect("an edit");
    assert_eq!(deleted, text[text.find("* B").expect("B")..]);
    // Properties may be added to a headline.
    let insert = EditRequest::new(
        Operation::Insert,
        Part::Lines(vec![LineRange::line(10)]),
        ":PROPERTIES:\n:n: w\n:END:\n",
    );
    edit(Format::Org, text, &EditRequest { side: Some(Side::Before), ..insert }).expect("an edit");
}

#[test]
fn keys_belong_to_documents_and_headlines() {
    let names = |format, text: &str| -> Vec<(String, Option<usize>)> {
        let outline = Outline::of(text.as_bytes(), format);
        let keys = outline.section_keys();
        keys.map(|(tree, key)| (tree.name(key).unwrap_or("").to_owned(), outline.section_of(key)))
            .collect()
    };
    let org = "#+TITLE: t\n* A\n* TODO A\n:PROPERTIES:\n:k: v\n:END:\n** B\n";
    let expected = [("TITLE".to_owned(), None), ("k".to_owned(), Some(1))];
    assert_eq!(names(Format::Org, org), expected);
    let asciidoc = "= T\n:a: 1\n\n== S\n:b: 2\n\n----\n:c: 3\n----\n";
    assert_eq!(names(Format::AsciiDoc, asciidoc), ["a", "b"].map(|name| (name.to_owned(), None)));
    let rst = "T\n=\n\n:a: 1\n\nS\n-\n\n:b: 2\n";
    assert_eq!(names(Format::Rst, rst), [("a".to_owned(), None)]);
    // Anchors are not keys.
    let outline = Outline::of(asciidoc.as_bytes(), Format::AsciiDoc);
    assert_eq!(find_anchor(&outline, "s"), Ok(AnchorTarget::Section(1)));
    assert!(find_anchor(&outline, "a").is_err());
    let key = |section: Option<&str>, key: &str| Part::Key {
        section: section.map(str::to_owned),
        key: key.to_owned(),
        value: false,
    };
    let set = |format, text, part| edit(format, text, &EditRequest::new(Operation::Set, part, "9"));
    let edited = set(Format::Org, org, key(Some("A[2]"), "k")).expect("an edit");
    assert_eq!(edited, org.replace(": v", ": 9"));
    let edited = set(Format::AsciiDoc, asciidoc, key(None, "b")).expect("an edit");
    assert_eq!(edited, asciidoc.replace(": 2", ": 9"));
    assert!(set(Format::Org, org, key(Some("B"), "k")).is_err());
    assert!(set(Format::Org, org, key(Some("C"), "k")).is_err());
    assert!(set(Format::Rst, rst, key(Some("S"), "a")).is_err());
    // An edit elsewhere does not make lines keys, or the reverse.
    let before = |line| Part::Lines(vec![LineRange::line(line)]);
    let insert = EditRequest::new(Operation::Insert, before(5), "text\n");
    let refused =
        edit(Format::AsciiDoc, asciidoc, &EditRequest { side: Some(Side::Before), ..insert });
    assert!(matches!(refused, Err(Refusal::Affects(_))), "{refused:?}");
}

#[test]
fn manual_pages_have_sections_and_displays() {
    let text = "\
.TH A 1
.de XX
.SH No
..
.SH NAME
a \\- b
.SH \"SEE ALSO\" \\\" comment
.SS
On the \\fBnext\\fR line
.EX
.SH-like
.EE
";
    let sections = ["1 5-6 NAME", "1 7-12 SEE ALSO", "2 8-12 On the next line"];
    let code = "code - 10-12 Some((11, 11))";
    check(Format::Man, text, &[sections[0], sections[1], sections[2], code]);
    let by_content = |name, text: &str| Format::by_content(name, text.as_bytes());
    assert_eq!(Format::by_name("app.log.1"), Some(Format::LOG));
    assert_eq!(Format::by_name("a.1"), None);
    assert_eq!(by_content("a.1", "10:00 started\n"), Format::Text);
    assert_eq!(by_content("a.1", text), Format::Man);
}

#[test]
fn latex_sections_may_have_options_and_labels() {
    let text = "\
% \\section{No}
\\section[Short]{Long
  \\emph{title}}
\\label{sec:long}
\\begin{lstlisting}[language=C]
\\section{No}
\\end{lstlisting}
\\subsection*{Sub\\label{sub}} Text \\label{text}
\\end{document}
\\section{No}
";
    check(
        Format::Latex,
        text,
        &[
            "3 2-8 Long title",
            "4 8-8 Sub",
            "code C 5-7 Some((6, 6))",
            "#sec:long 2",
            "#sub 8",
            "#text 8",
        ],
    );
}

#[test]
fn the_class_of_latex_determines_the_levels() {
    let levels = |class: &str, commands: &str| -> Vec<u8> {
        let text = format!("\\documentclass[a4paper]{{{class}}}\n{commands}");
        let outline = Outline::of(text.as_bytes(), Format::Latex);
        outline.sections().iter().filter_map(|section| section.level()).collect()
    };
    let commands = "\\section{A}\n\\subsection{B}\n\\subparagraph{C}\n";
    assert_eq!(levels("article", commands), [1, 2, 4]);
    assert_eq!(levels("book", commands), [3, 4, 6]);
    assert_eq!(levels("article", &format!("\\part{{P}}\n{commands}")), [1, 2, 3, 5]);
    // Content has the levels of the document.
    let text = "\\documentclass{article}\n\\section{A}\nx\n";
    let request = EditRequest::replace(Part::section("A"), "\\section{B}\n\\subsection{C}\n");
    let edited = edit(Format::Latex, text, &request).expect("an edit");
    assert!(edited.ends_with("\\section{B}\n\\subsection{C}\n"), "{edited}");
}

#[test]
fn a_renamed_heading_has_the_adornment_of_its_text() {
    let renamed = edit(Format::Rst, RST, &rename("Guide", "A longer guide")).expect("an edit");
    assert!(renamed.starts_with("==============\nA longer guide\n==============\n"), "{renamed}");
    let renamed = edit(Format::Rst, RST, &rename("Set up", "日本")).expect("an edit");
    assert!(renamed.contains(".. _setup:\n\n日本\n----\n"), "{renamed}");
    for (format, text, name, expected) in [
        (Format::AsciiDoc, "One\n---\n\nx\n", "One", "Two three\n---------\n\nx\n"),
        (Format::AsciiDoc, "[#a]\n== One ==\n", "One", "[#a]\n== Two three ==\n"),
        (Format::Org, "* TODO One :tag:\n", "One", "* TODO Two three :tag:\n"),
        (Format::Html, "<h1 id=\"a\">One</h1>\n", "One", "<h1 id=\"a\">Two three</h1>\n"),
        (Format::Man, ".SH \"ONE\"\n", "ONE", ".SH \"Two three\"\n"),
        (Format::Man, ".SH ONE\n", "ONE", ".SH Two three\n"),
        (Format::Latex, "\\section{One\\label{a}}\n", "One", "\\section{Two three\\label{a}}\n"),
    ] {
        let renamed = edit(format, text, &rename(name, "Two three")).expect("an edit");
        assert_eq!(renamed, expected);
    }
    for (format, text) in
        [(Format::Latex, "50% {more"), (Format::Man, "a \" b"), (Format::Rst, ".. x")]
    {
        let old = match format {
            Format::Latex => "\\section{One}\n",
            Format::Man => ".SH \"One\"\n",
            _ => "One\n===\n",
        };
        let refused = edit(format, old, &rename("One", text));
        assert!(matches!(refused, Err(Refusal::NoHeadingText { .. })), "{format:?} {refused:?}");
    }
}

#[test]
fn code_keeps_its_indentation() {
    let part =
        Part::CodeBlock { language: Some("sh".to_owned()), index: 0, fences: false, symbol: None };
    let edited = edit(Format::Rst, RST, &EditRequest::replace(part, "a\n  b\n")).expect("an edit");
    assert!(edited.contains("     :linenos:\n\n     a\n       b\n\n.. A"), "{edited}");
    let part = Part::CodeBlock { language: None, index: 0, fences: false, symbol: None };
    let html = "<pre>a</pre>\n";
    let refused = edit(Format::Html, html, &EditRequest::replace(part, "b\n"));
    assert!(matches!(refused, Err(Refusal::CodeBesideTags)), "{refused:?}");
}

#[test]
fn sections_are_inserted_with_blank_lines() {
    let insert = |part, content: &str| {
        let request = EditRequest::new(Operation::Insert, part, content);
        EditRequest { side: Some(Side::After), ..request }
    };
    let text = "A\n=\n\nx\n\n.. _b:\n\nB\n=\n";
    let content = ".. _n:\n\nN\n=\n\ny\n";
    let edited = edit(Format::Rst, text, &insert(Part::section("A"), content)).expect("an edit");
    assert_eq!(edited, format!("A\n=\n\nx\n\n{content}\n.. _b:\n\nB\n=\n"));
    let append = EditRequest::new(Operation::Append, Part::section("A"), "y\n");
    let edited = edit(Format::Rst, text, &append).expect("an edit");
    assert_eq!(edited, "A\n=\n\nx\n\ny\n\n.. _b:\n\nB\n=\n");
    let edited = edit(Format::Man, ".SH A\nx\n.SH B\n", &insert(Part::section("A"), ".SH N\ny\n"));
    assert_eq!(edited.expect("an edit"), ".SH A\nx\n.SH N\ny\n.SH B\n");
    let append = EditRequest::new(Operation::Append, Part::section("A"), "y\n");
    let edited = edit(Format::Latex, "\\section{A}\nx\n\\end{document}\n", &append);
    assert_eq!(edited.expect("an edit"), "\\section{A}\nx\n\ny\n\n\\end{document}\n");
    // Without a heading, a section cannot be replaced.
    let refused = edit(Format::Org, "* A\n* B\n", &EditRequest::replace(Part::section("A"), "x\n"));
    assert!(matches!(refused, Err(Refusal::NoHeadingInContent { .. })), "{refused:?}");
    // The levels of content are those of the document.
    let text = "A\n=\n\nB\n-\n\nx\n";
    let edited = edit(Format::Rst, text, &EditRequest::replace(body("A"), "C\n-\n"));
    assert_eq!(edited.expect("an edit"), "A\n=\n\nC\n-\n");
    let refused = edit(Format::Rst, text, &EditRequest::replace(body("B"), "C\n-\n"));
    assert!(matches!(refused, Err(Refusal::SecondHeading { .. })), "{refused:?}");
}

#[test]
fn edits_with_effects_elsewhere_are_refused() {
    for (format, text, part, content) in [
        // The order of adornments changes.
        (Format::Rst, "x\n\nA\n=\n\nB\n-\n", heading("A"), "A\n-\n"),
        // The text below becomes a literal block, or part of a block that is not closed.
        (Format::Rst, "A\n=\n\nx\n\n    y\n", Part::Lines(vec![line(4)]), "x::\n"),
        (Format::AsciiDoc, "== A\n\nx\n\n== B\n", body("A"), "----\ny\n"),
        (Format::Org, "* A\n#+begin_src c\nx\n#+end_src\n", Part::Lines(vec![line(4)]), "y\n"),
        (Format::Html, "<h1>A</h1>\nx\n<h2>B</h2>\n", Part::Lines(vec![line(2)]), "<!--\n"),
        (Format::Html, "<h1>A</h1>\n<div>\nx\n</div>\n", Part::Lines(vec![line(4)]), "y\n"),
        (Format::Man, ".SH A\nx\n.SH B\n", body("A"), ".ig\n"),
        (Format::Latex, "\\section{A}\nx\n\\section{B}\n", body("A"), "\\begin{verbatim}\n"),
        (Format::Latex, "\\section{A}\n", Part::Lines(vec![line(1)]), "\\section{A\n"),
    ] {
        let refused = edit(format, text, &EditRequest::replace(part, content));
        let is_edit_of_heading = content == "\\section{A\n";
        assert!(
            is_edit_of_heading || matches!(refused, Err(Refusal::Affects(_))),
            "{text:?} {refused:?}"
        );
    }
}

#[test]
fn labels_before_headings_are_added_and_deleted() {
    for (format, text, label) in [
        (Format::Rst, "A\n=\n\n.. _b:\n\nB\n=\n", 4),
        (Format::AsciiDoc, "== A\n\n[#b]\n== B\n", 3),
        (Format::Latex, "\\section{A}\n\\section{B}\n\\label{b}\n", 3),
        (Format::Org, "* A\n:PROPERTIES:\n:CUSTOM_ID: a\n:END:\n", 3),
    ] {
        let request = EditRequest::new(Operation::Delete, Part::Lines(vec![line(label)]), "");
        let edited = edit(format, text, &request).expect("an edit");
        let expected: String = (1..)
            .zip(text.split_inclusive('\n'))
            .filter(|(at, _)| *at != label)
            .map(|(_, line)| line)
            .collect();
        assert_eq!(edited, expected);
    }
}

fn line(number: u64) -> LineRange {
    LineRange::line(number)
}

#[test]
fn labels_and_properties_stay_when_a_title_is_replaced() {
    let check = |format, text: &str, new: &str, expected: &str| {
        let part =
            Part::Section { name: "Old".to_owned(), part: SectionPart::Heading, children: None };
        let edited = edit(format, text, &EditRequest::replace(part, new));
        assert_eq!(edited.expect(text), expected);
    };
    let rst = ".. _label:\n\n===\nOld\n===\n\ntext\n";
    let expected = ".. _label:\n\n====\nNewer\n====\n\ntext\n".replace("====", "=====");
    check(Format::Rst, rst, "=====\nNewer\n=====\n", &expected);
    let rst = ".. _label:\n\nOld\n---\n\ntext\n";
    check(Format::Rst, rst, "New\n---\n", &rst.replace("Old", "New"));
    let asciidoc = "[[id]]\n.Title\n== Old\n\ntext\n";
    check(Format::AsciiDoc, asciidoc, "== New\n", &asciidoc.replace("Old", "New"));
    let org = "* TODO Old :tag:\nSCHEDULED: <2026-01-01 Thu>\n:PROPERTIES:\n:k: v\n:END:\ntext\n";
    check(Format::Org, org, "* New\n", &org.replace("TODO Old :tag:", "New"));
}

#[test]
fn a_section_of_html_on_the_line_of_its_element_ends_with_it() {
    let one_line = "<section><h2>A</h2><p>a</p></section>\n<p>between</p>\n\
        <section><h2>B</h2></section>\n<p>end</p>\n";
    check(Format::Html, one_line, &["2 1-1 A", "2 3-3 B"]);
    let lines = "<section><h2>A</h2>\n<p>a</p>\n<h3>Inner</h3>\n<p>b</p>\n</section>\n<p>c</p>\n";
    check(Format::Html, lines, &["2 1-5 A", "3 3-4 Inner"]);
    let around = "<main>\n<h1>T</h1>\n<div><h2>A</h2></div>\n<p>a</p>\n</main>\n<p>b</p>\n";
    check(Format::Html, around, &["1 2-4 T", "2 3-4 A"]);
    let shared = "<section><h2>A</h2>\n<p>a</p>\n</section><section><h2>B</h2>\n</section>\n";
    check(Format::Html, shared, &["2 1-2 A", "2 3-4 B"]);
    let before = "<h2>A</h2><section>\n<p>a</p>\n</section>\n<p>b</p>\n";
    check(Format::Html, before, &["2 1-4 A"]);
}
