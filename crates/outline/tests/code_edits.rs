//! Edits of source code by symbol: what they write, in several languages.

use std::path::Path;

use folio_outline::document::LoadedDocument;
use folio_outline::edit::{EditRequest, Operation, Refusal};
use folio_outline::format::Format;
use folio_outline::part::{Part, SectionPart};

fn document(name: &str, text: &str) -> LoadedDocument {
    let format = Format::by_name(name).unwrap_or(Format::Text);
    LoadedDocument::of_text(Path::new(name), text.into(), format)
}

fn body(name: &str) -> Part {
    Part::Section { name: name.to_owned(), part: SectionPart::Body, children: None }
}

fn edit(name: &str, text: &str, request: &EditRequest) -> Result<String, Refusal> {
    let edited = document(name, text).with_edit(request)?;
    Ok(String::from_utf8_lossy(edited.text()).into_owned())
}

#[track_caller]
fn check(name: &str, text: &str, request: &EditRequest, expected: &str) {
    match edit(name, text, request) {
        Ok(edited) => assert_eq!(edited, expected, "{name}: {request:?}\n{text}"),
        Err(refusal) => panic!("{name}: {refusal:?}\n{request:?}\n{text}"),
    }
}

fn append(section: &str, content: &str) -> EditRequest {
    EditRequest::new(Operation::Append, Part::section(section), content)
}

#[test]
fn strings_of_several_lines_are_not_indented() {
    let cases = [
        (
            "a.sh",
            "if a; then\n  f() {\n    b\n  }\nfi\n",
            EditRequest::replace(Part::section("f"), "f() {\n  cat <<E\nx\nE\n}"),
            "if a; then\n  f() {\n    cat <<E\nx\nE\n  }\nfi\n",
        ),
        (
            "a.rs",
            "impl A {\n    fn a() {}\n}\n",
            append("impl A", "fn b() {\n    c(\"x\ny\")\n}"),
            "impl A {\n    fn a() {}\n\n    fn b() {\n        c(\"x\ny\")\n    }\n}\n",
        ),
        (
            "a.py",
            "class A:\n    def a(self):\n        pass\n",
            append("A", "def b(self):\n    '''One\n  two\n'''\n    c()"),
            "class A:\n    def a(self):\n        pass\n\n    def b(self):\n        '''One\n  two\n'''\n        c()\n",
        ),
        (
            "a.ts",
            "class A {\n  a() {\n    b();\n  }\n}\n",
            EditRequest::replace(body("a"), "return `\nx\n`;\nb();"),
            "class A {\n  a() {\n    return `\nx\n`;\n    b();\n  }\n}\n",
        ),
    ];
    for (name, text, request, expected) in cases {
        check(name, text, &request, expected);
    }
}
