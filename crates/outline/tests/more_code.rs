//! Edits by symbol of the languages of the feature `code-all`.
#![cfg(feature = "code-all")]

use std::path::Path;

use folio_outline::document::LoadedDocument;
use folio_outline::edit::{EditRequest, Operation, Refusal};
use folio_outline::format::Format;
use folio_outline::part::{Part, SectionPart};

fn edit(name: &str, text: &str, request: &EditRequest) -> Result<String, Refusal> {
    let format = Format::by_name(name).unwrap_or(Format::Text);
    let document = LoadedDocument::of_text(Path::new(name), text.into(), format);
    let edited = document.with_edit(request)?;
    Ok(String::from_utf8_lossy(edited.text()).into_owned())
}

#[track_caller]
fn check(name: &str, text: &str, request: &EditRequest, expected: &str) {
    let edited = edit(name, text, request).map_err(|refusal| format!("{refusal:?}"));
    assert_eq!(edited, Ok(expected.to_owned()), "{name}: {request:?}\n{text}");
}

fn append(section: &str, content: &str) -> EditRequest {
    EditRequest::new(Operation::Append, Part::section(section), content)
}

fn rename(section: &str, name: &str) -> EditRequest {
    EditRequest::new(Operation::Rename, Part::section(section), name)
}

#[test]
fn content_is_indented_and_separated_like_its_place() {
    let cases = [
        ("a.cs", "enum A\n{\n    B\n}\n", "A", "C", "enum A\n{\n    B,\n    C\n}\n"),
        ("a.kt", "enum class A {\n    B\n}\n", "A", "C,", "enum class A {\n    B,\n    C,\n}\n"),
        (
            "a.swift",
            "enum A {\n    case b\n}\n",
            "A",
            "case c",
            "enum A {\n    case b\n    case c\n}\n",
        ),
        ("a.lua", "local a = {\n  b = 1\n}\n", "a", "c = 2", "local a = {\n  b = 1,\n  c = 2\n}\n"),
        ("a.lua", "function a()\n  b()\nend\n", "a", "c()", "function a()\n  b()\n  c()\nend\n"),
        ("a.lua", "function a()\nend\n", "a", "c()", "function a()\n  c()\nend\n"),
        (
            "a.scala",
            "enum A:\n  case B\n  case C\n",
            "A",
            "case D",
            "enum A:\n  case B\n  case C\n  case D\n",
        ),
        (
            "a.scala",
            "class A:\n  def b =\n    1\n\n// D.\nclass D\n",
            "A",
            "def c =\n  2",
            "class A:\n  def b =\n    1\n\n  def c =\n    2\n\n// D.\nclass D\n",
        ),
        (
            "a.tf",
            "variable \"a\" {\n  type = string\n}\n",
            "var.a",
            "description = <<EOT\nx\nEOT",
            "variable \"a\" {\n  type = string\n  description = <<EOT\nx\nEOT\n}\n",
        ),
    ];
    for (name, text, section, content, expected) in cases {
        check(name, text, &append(section, content), expected);
    }
}

#[test]
fn lines_of_strings_are_not_indented() {
    let body = |name: &str| Part::Section {
        name: name.to_owned(),
        part: SectionPart::Body,
        children: None,
    };
    check(
        "a.php",
        "<?php\nclass A\n{\n    function b()\n    {\n    }\n}\n",
        &EditRequest::replace(body("b"), "$a = <<<A\nx\nA;\nc();"),
        "<?php\nclass A\n{\n    function b()\n    {\n        $a = <<<A\nx\nA;\n        c();\n    }\n}\n",
    );
    check(
        "a.kt",
        "class A {\n    fun b() {\n        c()\n    }\n}\n",
        &EditRequest::replace(body("b"), "d(\"\"\"\nx\"\"\")\nc()"),
        "class A {\n    fun b() {\n        d(\"\"\"\nx\"\"\")\n        c()\n    }\n}\n",
    );
}

#[test]
fn the_label_of_a_block_is_its_name() {
    let text = "resource \"main\" \"main\" {\n}\n\nvariable \"a\" {\n}\n\nlocals {\n  a = 1\n}\n";
    let renamed = text.replace("\"main\" {", "\"web\" {");
    for name in ["main.main", "main"] {
        check("a.tf", text, &rename(name, "web"), &renamed);
    }
    check("a.tf", text, &rename("var.a", "b"), &text.replace("\"a\"", "\"b\""));
    check("a.tf", text, &rename("local.a", "b"), &text.replace("a = 1", "b = 1"));
    assert!(edit("a.tf", text, &rename("a", "b")).is_err());
}

#[test]
fn names_are_also_known_without_backticks() {
    let text = "class A {\n    fun `b c`() {\n    }\n}\n";
    check("a.kt", text, &rename("b c", "d e"), &text.replace("b c", "d e"));
    check("a.kt", text, &rename("`b c`", "d"), &text.replace("`b c`", "d"));
}
