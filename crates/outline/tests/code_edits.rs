//! Edits of source code by symbol: what they write, in several languages.

use std::path::Path;

use folio_outline::document::LoadedDocument;
use folio_outline::edit::{EditRequest, Operation, Refusal, Side, edit_set};
use folio_outline::format::Format;
use folio_outline::locate::Miss;
use folio_outline::part::{Part, SectionPart};
use folio_text::span::LineRange;

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
    let edited = edit(name, text, request).map_err(|refusal| format!("{refusal:?}"));
    assert_eq!(edited, Ok(expected.to_owned()), "{name}: {request:?}\n{text}");
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

fn delete(section: &str) -> EditRequest {
    let operation = Operation::Delete;
    EditRequest { operation, part: Some(Part::section(section)), ..EditRequest::default() }
}

fn insert(section: &str, side: Side, content: &str) -> EditRequest {
    let request = EditRequest::new(Operation::Insert, Part::section(section), content);
    EditRequest { side: Some(side), ..request }
}

fn replace(section: &str, content: &str) -> EditRequest {
    EditRequest::replace(Part::section(section), content)
}

#[test]
fn the_lines_of_a_body_are_replaced_and_indented() {
    let cases = [
        ("a.rs", "fn f() {\n}\n", "f", "a()", "fn f() {\n    a()\n}\n"),
        (
            "a.rs",
            "mod m {\n  fn f() {\n  }\n}\n",
            "f",
            "a()",
            "mod m {\n  fn f() {\n    a()\n  }\n}\n",
        ),
        ("a.go", "package a\n\nfunc f() {\n}\n", "f", "a()", "package a\n\nfunc f() {\n\ta()\n}\n"),
        (
            "a.go",
            "package a\n\ntype T struct {\n}\n",
            "T",
            "a int",
            "package a\n\ntype T struct {\n\ta int\n}\n",
        ),
        ("a.rb", "def f\nend\n", "f", "a", "def f\n  a\nend\n"),
        (
            "a.java",
            "class A {\n  void f() {\n\n  }\n}\n",
            "f",
            "a();",
            "class A {\n  void f() {\n    a();\n\n  }\n}\n",
        ),
        (
            "a.py",
            "class A:\n    def f(self):\n\n        x = 1\n",
            "f",
            "return 2",
            "class A:\n    def f(self):\n\n        return 2\n",
        ),
        ("a.ts", "type A = {\n  a: B;\n};\n", "A", "c: D;", "type A = {\n  c: D;\n};\n"),
        (
            "a.c",
            "int f(void) {\n    int g;\n    return g;\n}\n",
            "f",
            "int ret;\nreturn ret;",
            "int f(void) {\n    int ret;\n    return ret;\n}\n",
        ),
        ("a.js", "class A {\n  a = 1;\n\n  b() {}\n}\n", "A", "c() {}", "class A {\n  c() {}\n}\n"),
        ("a.py", "def f():\n    y = 1\n", "f", "y = 2", "def f():\n    y = 2\n"),
    ];
    for (name, text, symbol, content, expected) in cases {
        check(name, text, &EditRequest::replace(body(symbol), content), expected);
    }
    // A body that contains a symbol with the name of the whole is put back.
    let text = "def f():\n    def f():\n        pass\n";
    check("a.py", text, &EditRequest::replace(body("f > f"), "pass"), text);
}

#[test]
fn a_symbol_without_lines_of_its_own_has_no_body() {
    let cases = [
        ("a.rs", "type A = u8;\n", "A"),
        ("a.rs", "trait A {\n    fn m(&self);\n}\n", "m"),
        ("a.rs", "mod x;\n", "x"),
        ("a.rs", "const X: u8 =\n    1;\n", "X"),
        ("a.py", "class A:\n    url = 1\n", "url"),
        ("a.py", "class A:\n    def g(self): return 2\n", "g"),
        ("a.go", "package a\n\ntype T x.Y\n", "T"),
        ("a.js", "const f = () =>\n  new Promise(a => {\n    b();\n  });\n", "f"),
    ];
    for (name, text, symbol) in cases {
        let refused = edit(name, text, &EditRequest::replace(body(symbol), "x"));
        assert!(
            matches!(refused, Err(Refusal::Missed(Miss::NoBody { .. }))),
            "{text}: {refused:?}"
        );
        let refused = edit(name, text, &append(symbol, "x"));
        assert!(matches!(refused, Err(Refusal::NoBody { .. })), "{text}: {refused:?}");
    }
    let repeated = EditRequest::replace(body("f"), "fn f() {\n    b()\n}");
    let refused = edit("a.rs", "fn f() {\n    a()\n}\n", &repeated);
    assert!(matches!(refused, Err(Refusal::SecondHeading { .. })), "{refused:?}");
}

#[test]
fn a_symbol_is_replaced_by_what_is_one_in_its_place() {
    let cases = [
        ("a.java", "class A {\n  int a = 1;\n  int b;\n}\n", "a", "int a = 2;"),
        ("a.ts", "class A {\n  a = 1;\n  b = 2;\n}\n", "a", "a = 2;"),
        ("a.js", "class A {\n  #a = 1;\n}\n", "#a", "#a = 2;"),
        ("a.ts", "interface A {\n  a: B;\n  c(): D;\n}\n", "a", "a: C;"),
        ("a.ts", "interface A {\n  a: B;\n  c(): D;\n}\n", "c", "c(): E;"),
        ("a.ts", "enum A {\n  B,\n  C,\n}\n", "B", "B = 2,"),
        ("a.rs", "enum A {\n    B,\n    C,\n}\n", "B", "B(u8),"),
        ("a.c", "enum a {\n  B,\n  C,\n};\n", "B", "B = 2,"),
        ("a.java", "enum A {\n  B,\n  C;\n}\n", "B", "B(1),"),
        ("a.go", "package a\n\ntype A interface {\n\tB() int\n}\n", "B", "B() string"),
    ];
    for (name, text, symbol, content) in cases {
        let old = edit(name, text, &replace(symbol, content)).unwrap_or_default();
        assert!(old.contains(content), "{name}: {old}");
        assert_eq!(old.lines().count(), text.lines().count());
    }
    let refused = edit("a.rs", "fn f() {}\n\nfn g() {}\n", &replace("f", "// Nothing."));
    assert!(matches!(refused, Err(Refusal::NoHeadingInContent { .. })), "{refused:?}");
}

#[test]
fn no_blank_line_is_added_where_a_symbol_is_deleted() {
    let cases = [
        (
            "a.go",
            "package p\n\nconst (\n\tA = 1\n\tB = 2\n\tC = 3\n)\n\nfunc f() {\n}\n\nfunc g() {\n}\n\nfunc h() {\n}\n",
            "B",
            "\tB = 2\n",
        ),
        ("a.rs", "fn f() {\n}\n\nfn g() {\n}\nfn h() {\n}\nfn i() {\n}\n", "h", "fn h() {\n}\n"),
        ("a.java", "class A {\n  int a;\n  int b;\n  void c() {\n  }\n}\n", "b", "  int b;\n"),
        ("a.py", "a = 1\nb = 2\nc = 3\n\n\ndef d():\n    pass\n", "b", "b = 2\n"),
        (
            "a.py",
            "def d():\n    pass\n\n\ndef e():\n    pass\n\n\ndef f():\n    pass\n",
            "e",
            "def e():\n    pass\n\n\n",
        ),
    ];
    for (name, text, symbol, gone) in cases {
        check(name, text, &delete(symbol), &text.replace(gone, ""));
    }
}

#[test]
fn comments_and_attributes_touch_the_symbol_that_they_precede() {
    let cases = [
        (
            "a.java",
            "class A {\n  void a() {\n  }\n\n  void b() {\n  }\n}\n",
            "b",
            "@Test",
            "  void b",
        ),
        ("a.go", "package a\n\nfunc A() {\n}\n\nfunc b() {\n}\n", "b", "// One.", "func b"),
        ("a.c", "void a(void) {\n}\n\nvoid b(void) {\n}\n", "b", "/* One. */", "void b"),
        ("a.py", "def a():\n    pass\n\n\ndef b():\n    pass\n", "b", "@c", "def b"),
        ("a.ts", "class A {\n  a() {\n  }\n\n  b() {\n  }\n}\n", "b", "@C()", "  b()"),
        ("a.rb", "def a\n  1\nend\n\ndef b\n  2\nend\n", "b", "# One.", "def b"),
        ("a.rs", "fn a() {\n}\n\n/// One.\nfn b() {\n}\n", "b", "/// Two.", "/// One."),
        ("a.rs", "fn a() {\n}\n\nfn b() {\n}\n", "b", "#[test]", "fn b"),
    ];
    for (name, text, symbol, content, before) in cases {
        let margin = &before[..before.len() - before.trim_start().len()];
        let expected = text.replace(before, &format!("{margin}{content}\n{before}"));
        check(name, text, &insert(symbol, Side::Before, content), &expected);
    }
    // A blank line in the content is kept.
    let expected = "int a;\n\n// One.\n\nint b;\n";
    check("a.c", "int a;\n\nint b;\n", &insert("b", Side::Before, "// One.\n\n"), expected);
}

#[test]
fn content_is_appended_to_bodies_between_braces() {
    let cases = [
        ("a.rs", "impl U {\n}\n", "impl U", "fn a() {}", "impl U {\n    fn a() {}\n}\n"),
        ("a.sh", "f() {\n  a\n}\n\np() {\n}\n", "p", "b", "f() {\n  a\n}\n\np() {\n  b\n}\n"),
        (
            "a.go",
            "package a\n\ntype T struct {\n\ta int\n}\n",
            "T",
            "b int",
            "package a\n\ntype T struct {\n\ta int\n\tb int\n}\n",
        ),
        ("a.ts", "type T = {\n  a: B;\n};\n", "T", "c: D;", "type T = {\n  a: B;\n  c: D;\n};\n"),
        ("a.js", "const a = {\n  b: 1\n};\n", "a", "c: 2", "const a = {\n  b: 1,\n  c: 2\n};\n"),
        (
            "a.c",
            "typedef struct {\n  int a;\n} T;\n",
            "T",
            "int b;",
            "typedef struct {\n  int a;\n  int b;\n} T;\n",
        ),
        (
            "a.rs",
            "enum C {\n    Red,\n    Green // One.\n}\n",
            "C",
            "Blue",
            "enum C {\n    Red,\n    Green, // One.\n    Blue\n}\n",
        ),
        (
            "a.c",
            "enum c {\n  RED,\n  GREEN\n};\n",
            "c",
            "BLUE",
            "enum c {\n  RED,\n  GREEN,\n  BLUE\n};\n",
        ),
        (
            "a.java",
            "enum C {\n  RED,\n  GREEN\n}\n",
            "C",
            "BLUE",
            "enum C {\n  RED,\n  GREEN,\n  BLUE\n}\n",
        ),
        ("a.ts", "enum C {\n  Red,\n}\n", "C", "Blue", "enum C {\n  Red,\n  Blue\n}\n"),
        ("a.ts", "enum C {\n  Red\n}\n", "C", "// Blue", "enum C {\n  Red\n  // Blue\n}\n"),
        (
            "a.cc",
            "class A {\n private:\n  int a;\n};\n",
            "A",
            "int b;",
            "class A {\n private:\n  int a;\n  int b;\n};\n",
        ),
    ];
    for (name, text, symbol, content, expected) in cases {
        check(name, text, &append(symbol, content), expected);
    }
    let text = "enum C {\n    Red,\n    Green\n}\n";
    let expected = "enum C {\n    Red,\n    Green,\n    Blue\n}\n";
    check("a.rs", text, &insert("Green", Side::After, "Blue"), expected);
    let marked = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    check("a.rs", &marked, &append("C", "Blue"), &expected.replace('\n', "\r\n"));
}

#[test]
fn symbols_are_as_far_apart_as_their_neighbours() {
    let python = "import a\n\n\ndef f():\n    pass\n\n\ndef g():\n    pass\n";
    let cases = [
        (
            "a.py",
            python,
            insert("f", Side::After, "def h():\n    pass"),
            python.replace("def g", "def h():\n    pass\n\n\ndef g"),
        ),
        (
            "a.py",
            python,
            insert("f", Side::Before, "def h():\n    pass"),
            python.replace("def f", "def h():\n    pass\n\n\ndef f"),
        ),
        (
            "a.py",
            python,
            EditRequest { part: None, ..append("", "def h():\n    pass") },
            format!("{python}\n\ndef h():\n    pass\n"),
        ),
        (
            "a.java",
            "class A {\n  int a;\n  int b;\n\n  void c() {\n  }\n}\n",
            insert("a", Side::After, "int d;"),
            "class A {\n  int a;\n  int d;\n  int b;\n\n  void c() {\n  }\n}\n".to_owned(),
        ),
        (
            "a.java",
            "class A {\n  int a;\n  int b;\n\n  void c() {\n  }\n}\n",
            append("A", "void d() {\n}"),
            "class A {\n  int a;\n  int b;\n\n  void c() {\n  }\n\n  void d() {\n  }\n}\n"
                .to_owned(),
        ),
        (
            "a.c",
            "int a(void);\nint b(void);\n",
            insert("a", Side::After, "int c(void);"),
            "int a(void);\nint c(void);\nint b(void);\n".to_owned(),
        ),
    ];
    for (name, text, request, expected) in cases {
        check(name, text, &request, &expected);
    }
}

#[test]
fn a_symbol_stays_in_its_language() {
    let carry = |name: &str, text: &str, symbol: &str, to: &str| {
        let operation = Operation::Copy;
        let part = Some(Part::section(symbol));
        let request = EditRequest { operation, part, ..EditRequest::default() };
        let plan = document(name, text).edit(&request)?;
        let carried = plan.carried.ok_or(Refusal::NothingThere)?;
        document(to, "").receive(&request, &Part::Whole, &carried).map(|_| ())
    };
    let refused = carry("a.sh", "b() {\n  :\n}\n", "b", "a.py");
    assert!(matches!(refused, Err(Refusal::OtherLanguage { .. })), "{refused:?}");
    for to in ["a.js", "a.tsx", "a.md"] {
        assert!(carry("a.ts", "class B {}\n", "B", to).is_ok(), "{to}");
    }
}

#[test]
fn a_symbol_stays_a_symbol() {
    let carry = |text: &str, symbol: &str, to: &str| {
        let document = document("a.ts", text);
        let part = Some(Part::section(symbol));
        let request = EditRequest { operation: Operation::Copy, part, ..EditRequest::default() };
        let carried = document.edit(&request)?.carried.ok_or(Refusal::NothingThere)?;
        let request = EditRequest { side: Some(Side::Before), ..request };
        document.receive(&request, &Part::section(to), &carried).map(|_| ())
    };
    let text = "interface A {\n  b: string\n  d: number\n}\n\nfunction c() {\n}\n";
    // Between functions, `b: string` is a statement with a label.
    let refused = carry(text, "b", "c");
    assert!(matches!(refused, Err(Refusal::NoSymbolThere { .. })), "{refused:?}");
    assert!(carry(text, "b", "d").is_ok());
    assert!(carry(text, "c", "A").is_ok());
}

#[test]
fn a_name_of_several_words_is_not_renamed() {
    let rename = |symbol| EditRequest::new(Operation::Rename, Part::section(symbol), "X");
    let cases = [
        ("a.rs", "impl<T> A for B<T> {\n}\n", "impl A for B<T>"),
        ("a.cc", "TEST(A, B) {\n  c();\n}\n", "A.B"),
    ];
    for (name, text, symbol) in cases {
        let refused = edit(name, text, &rename(symbol));
        let is_refused = matches!(refused, Err(Refusal::NoSingleName { .. }));
        assert!(is_refused, "{name}: {refused:?}");
    }
}

/// Copies a symbol to a part of the same text.
fn copy(name: &str, text: &str, symbol: &str, to: &Part) -> Result<String, Refusal> {
    let (operation, part) = (Operation::Copy, Some(Part::section(symbol)));
    let request = EditRequest { operation, part, ..EditRequest::default() };
    let document = document(name, text);
    let carried = document.edit(&request)?.carried.ok_or(Refusal::NothingThere)?;
    let mut plan = document.receive(&request, to, &carried)?;
    let set = edit_set(&document, vec![&mut plan])?;
    Ok(String::from_utf8_lossy(document.edited(&set.edits).text()).into_owned())
}

#[test]
fn a_symbol_that_is_moved_after_the_last_line_of_another_one_is_beside_it() {
    let cases = [
        (
            "a.py",
            "def f():\n    return [\n        1]\n\n\ndef g():\n    pass\n",
            "g",
            3,
            "def f():\n    return [\n        1]\n\n\ndef g():\n    pass\n\n\ndef g():\n    pass\n",
        ),
        (
            "a.py",
            "class A:\n    def f(self):\n        pass\n\n\ndef g():\n    pass\n",
            "g",
            3,
            "class A:\n    def f(self):\n        pass\n\n    def g():\n        pass\n\n\ndef g():\n    pass\n",
        ),
        (
            "a.rs",
            "mod m {\n    fn f() {\n    }\n}\n\nfn g() {\n}\n",
            "g",
            4,
            "mod m {\n    fn f() {\n    }\n}\n\nfn g() {\n}\n\nfn g() {\n}\n",
        ),
    ];
    for (name, text, symbol, line, expected) in cases {
        let to = Part::Lines(vec![LineRange::line(line)]);
        let copied = copy(name, text, symbol, &to).map_err(|refusal| format!("{refusal:?}"));
        assert_eq!(copied, Ok(expected.to_owned()));
    }
}

#[test]
fn blank_lines_above_are_those_between_symbols_of_the_same_parent() {
    let request = EditRequest::new(Operation::Append, Part::section("A"), "D = 3");
    let text = "class A:\n    B = 1\n    C = 2\n";
    check("a.py", text, &request, "class A:\n    B = 1\n    C = 2\n    D = 3\n");
}
