//! Symbols of sample texts of each language, and of odd texts.

mod bash;
mod c;
#[cfg(feature = "code-all")]
mod csharp;
mod dockerfile;
mod go;
#[cfg(feature = "code-all")]
mod hcl;
mod java;
mod javascript;
#[cfg(feature = "code-all")]
mod kotlin;
#[cfg(feature = "code-all")]
mod lua;
mod makefile;
mod mistakes;
#[cfg(feature = "code-all")]
mod php;
mod python;
mod ruby;
mod rust;
#[cfg(feature = "code-all")]
mod scala;
mod sql;
#[cfg(feature = "code-all")]
mod swift;

use std::fmt::Write as _;

use crate::{Language, Limit, MAX_SIZE, Symbols, fixed_lines, symbols};

/// Returns a line for each symbol: its lines, kind, path, the lines of its body, and whether it is
/// public.
fn table(language: Language, text: &str) -> String {
    let mut table = String::new();
    let Symbols { symbols, .. } = symbols(language, text.as_bytes()).unwrap_or_default();
    for symbol in &symbols {
        let mut path = vec![symbol.name.as_str()];
        path.extend(symbol.qualifier.as_deref());
        let mut around = symbol.parent;
        while let Some(index) = around {
            path.push(&symbols[index].name);
            around = symbols[index].parent;
        }
        path.reverse();
        let (lines, kind, path) = (symbol.lines, symbol.kind.name(), path.join(" > "));
        let _ = write!(table, "{}-{} {kind} {path}", lines.start(), lines.end());
        if let Some(body) = &symbol.body {
            let lines = body.lines().map(|lines| format!("{}-{}", lines.start(), lines.end()));
            let _ = write!(table, " body {}", lines.unwrap_or_else(|| "empty".to_owned()));
        }
        table.push_str(if symbol.is_public { " public\n" } else { "\n" });
    }
    table
}

/// Returns the signatures of the symbols of a text, with their lines.
fn signatures(language: Language, text: &str) -> Vec<(u64, String)> {
    let found = symbols(language, text.as_bytes()).unwrap_or_default();
    found.symbols.into_iter().map(|symbol| (symbol.signature_line, symbol.signature)).collect()
}

#[test]
fn signatures_begin_after_decorators_and_end_before_bodies() {
    let cases = [
        (
            Language::Rust,
            "#[a]\nfn f(\n    a: u8,\n) -> u8 {\n    a\n}\n",
            2,
            "fn f( a: u8, ) -> u8",
        ),
        (Language::Python, "@a\n# Note.\ndef f(a): # b\n    pass\n", 3, "def f(a)"),
        (Language::TypeScript, "@A()\nexport class B {\n}\n", 2, "export class B"),
        (Language::TypeScript, "export @A() class B {\n}\n", 1, "export @A() class B"),
        (Language::Java, "@A\n@B(1)\npublic final\nclass C {\n}\n", 3, "public final class C"),
        (Language::Java, "@A\nclass C {\n}\n", 2, "class C"),
        (Language::C, "static int\nf(void)\n{\n}\n", 1, "static int f(void)"),
        (Language::Ruby, "def f(a)\n  1\nend\n", 1, "def f(a)"),
    ];
    for (language, text, line, signature) in cases {
        assert_eq!(signatures(language, text), [(line, signature.to_owned())], "{text}");
    }
}

#[test]
fn a_line_feed_may_follow_a_carriage_return() {
    let text = "// Note.\r\nfunc a() {\r\n\tb()\r\n}\r\n\r\nfunc c() {}\r\n";
    let expected = "1-4 function a body 3-3\n6-6 function c\n";
    assert_eq!(table(Language::Go, text), expected);
}

#[test]
fn comments_after_a_declaration_belong_to_it() {
    let text = "int a; /* One,\n  two. */\nint b; /* c */ int d;\nint e; /* f */ // g\nint h;";
    let expected = "1-2 constant a public\n5-5 constant h public\n";
    assert_eq!(table(Language::C, text), expected);
    // `#` begins a comment in other languages only.
    let text = "class A {\n  a = 1; #b = 2;\n}\n";
    assert_eq!(table(Language::JavaScript, text), "1-3 type A body 2-2\n");
}

#[test]
fn symbols_before_and_after_a_mistake_are_found() {
    let text = b"fn a() {}\n\nfn b( {\n\nfn c() {}\n";
    let Ok(found) = symbols(Language::Rust, text) else { return assert!(text.is_empty()) };
    let names: Vec<_> = found.symbols.iter().map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(names, ["a", "c"]);
    assert!(!found.errors.is_empty());
    // Without its closing brace, the end of a body is unknown.
    assert_eq!(table(Language::C, "int f()\n{\n  a();\n  b();\n"), "1-4 function f public\n");
    // The whole text is a mistake.
    let found = symbols(Language::TypeScript, b"interface A {\n").unwrap_or_default();
    assert!(!found.errors.is_empty());
}

#[test]
fn no_text_is_too_deep_or_has_too_many_symbols() {
    let deep = |depth| "[".repeat(depth) + &"]".repeat(depth);
    let many: String = (0..2_000).map(|number| format!("void f{number}() {{}}\n")).collect();
    let line = many.replace('\n', " ");
    for language in Language::ALL {
        // After a mistake, the grammar of Scala reads the rest of the text at each bracket.
        let depth = if language.name() == "scala" { 2_000 } else { 30_000 };
        let _ = symbols(language, deep(depth).as_bytes());
        assert_eq!(table(language, "\0\u{feff}\n"), "", "{language:?}");
    }
    let count =
        |text: &str| symbols(Language::Cpp, text.as_bytes()).map(|found| found.symbols.len());
    assert_eq!(count(&many), Ok(2_000));
    assert_eq!(count(&format!("class A {{\n{many}}};\n")), Ok(2_001));
    assert_eq!(count(&line), Ok(0));
}

#[test]
fn a_text_over_the_maximum_size_is_refused() {
    assert_eq!(symbols(Language::Go, &vec![b' '; MAX_SIZE + 1]), Err(Limit::Size));
}

#[test]
fn symbols_are_nested_or_disjoint_in_any_text() {
    let texts = [
        (Language::Rust, rust::RUST),
        (Language::Python, python::PYTHON),
        (Language::JavaScript, javascript::JAVASCRIPT),
        (Language::TypeScript, javascript::TYPESCRIPT),
        (Language::Tsx, javascript::TSX),
        (Language::Go, go::GO),
        (Language::Java, java::JAVA),
        (Language::C, c::C),
        (Language::Cpp, c::CPP),
        (Language::Ruby, ruby::RUBY),
        (Language::Bash, bash::BASH),
        (Language::Makefile, makefile::MAKEFILE),
        (Language::Dockerfile, dockerfile::DOCKERFILE),
        (Language::Sql, sql::SQL),
        #[cfg(feature = "code-all")]
        (Language::CSharp, csharp::CSHARP),
        #[cfg(feature = "code-all")]
        (Language::Php, php::PHP),
        #[cfg(feature = "code-all")]
        (Language::Kotlin, kotlin::KOTLIN),
        #[cfg(feature = "code-all")]
        (Language::Swift, swift::SWIFT),
        #[cfg(feature = "code-all")]
        (Language::Scala, scala::SCALA),
        #[cfg(feature = "code-all")]
        (Language::Lua, lua::LUA),
        #[cfg(feature = "code-all")]
        (Language::Hcl, hcl::HCL),
    ];
    for (language, text) in texts {
        let text = text.as_bytes();
        for cut in (0..text.len()).step_by(31) {
            let other = [b"{", b"}", b"(", b"\"", b"\n", b"\xff", b"/", b"#"][cut / 31 % 8];
            check_nesting(language, &text[..cut]);
            check_nesting(language, &text[cut..]);
            check_nesting(language, &[&text[..cut], &other[..], &text[cut..]].concat());
        }
    }
}

/// Checks that each symbol is in the one around it, and after the one before it.
fn check_nesting(language: Language, text: &[u8]) {
    let Ok(Symbols { symbols, .. }) = symbols(language, text) else { return };
    let mut ends: Vec<(Option<usize>, u64)> = Vec::new();
    for symbol in &symbols {
        let about = || (language, String::from_utf8_lossy(text).into_owned(), symbol.clone());
        if let Some(parent) = symbol.parent {
            assert!(symbols[parent].lines.covers(symbol.lines), "{:?}", about());
        }
        while ends.last().is_some_and(|(parent, _)| *parent > symbol.parent) {
            ends.pop();
        }
        if let Some((_, end)) = ends.last().filter(|(parent, _)| *parent == symbol.parent) {
            assert!(*end < symbol.lines.start(), "{:?}", about());
            ends.pop();
        }
        ends.push((symbol.parent, symbol.lines.end()));
        let first = symbol.lines.start()..=symbol.lines.end();
        assert!(first.contains(&symbol.signature_line), "{:?}", about());
        if let Some(body) = &symbol.body {
            assert!(symbol.signature_line < body.start, "{:?}", about());
            assert!(body.start <= body.end && body.end <= symbol.lines.end() + 1, "{:?}", about());
        }
    }
}

/// A text, and the lines of the body of its first symbol and where a comma is missing in it.
#[cfg(feature = "code-all")]
type BodyCase<'a> = (Language, &'a str, Option<(u64, u64, Option<usize>)>);

#[cfg(feature = "code-all")]
#[track_caller]
fn bodies(cases: &[BodyCase<'_>]) {
    for (language, text, expected) in cases {
        let found = symbols(*language, text.as_bytes()).unwrap_or_default();
        let body = found.symbols.first().and_then(|symbol| symbol.body.as_ref());
        let body = body.map(|body| (body.start, body.end, body.missing_comma));
        assert_eq!(body, *expected, "{language:?}\n{text}");
    }
}

/// Returns the numbers of the lines that begin in strings.
fn fixed(language: Language, text: &str) -> Vec<u64> {
    let found = fixed_lines(language, text.as_bytes()).unwrap_or_default();
    found.into_iter().flat_map(|lines| lines.start()..=lines.end()).collect()
}

#[test]
fn lines_that_begin_in_strings_are_found() {
    let cases: [(Language, &str, &[u64]); 22] = [
        (
            Language::Rust,
            "fn f() {\n    a(\n        \"x\ny\",\n        b\"\n\n\",\n    )\n}\n",
            &[4, 6, 7],
        ),
        (Language::Rust, "const A: &str = r#\"\n  x\n\"#;\n", &[2, 3]),
        (Language::Rust, "fn f() {\n    println!(\"x\n  y\");\n}\n", &[3]),
        (Language::Rust, "/* a\n b */\nfn f() {}\n", &[]),
        (
            Language::Python,
            "def f():\n    \"\"\"One\n    two\n    \"\"\"\n    return (\n        'a'\n        'b')\n",
            &[3, 4],
        ),
        (Language::Python, "x = f'''\n{a}\n'''\ny = 'a\\\nb'\n", &[2, 3, 5]),
        (Language::JavaScript, "const a = `\n  ${b}\n`;\n", &[2, 3]),
        (Language::TypeScript, "class A {\n  a = tag`x\ny`;\n}\n", &[3]),
        (Language::Tsx, "const a = <A b=\"x\ny\">\n  text\n</A>;\n", &[2]),
        (Language::Go, "package a\n\nvar a = `x\ny`\n", &[4]),
        (Language::Java, "class A {\n  String a = \"\"\"\n    x\n    \"\"\";\n}\n", &[3, 4]),
        (Language::C, "char *a = \"x\\\ny\";\nchar *b = \"a\"\n  \"b\";\n", &[2]),
        (Language::Cpp, "auto a = R\"(x\ny)\";\n", &[2]),
        (Language::Ruby, "def a\n  b(<<~A, 1)\n    x\n  A\n  c\nend\n", &[3, 4]),
        (Language::Ruby, "a = <<A\nx\nA\nb = 1\n", &[2, 3]),
        (Language::Ruby, "a = \"x\ny\"\nb = %w[\n  c\n]\n", &[2]),
        (Language::Ruby, "a = %q(x\n  y)\n=begin\nc\n=end\nd = 1\n", &[2, 3, 4, 5]),
        (Language::Bash, "f() {\n  cat <<A\nx\n  y\nA\n  g\n}\n", &[3, 4, 5]),
        (Language::Bash, "f() {\n  cat <<-'A' | sort\n\tx\n\tA\n  g\n}\n", &[3, 4]),
        (Language::Bash, "f() {\n  a=\"x\n y\" b='\n'\n  g $'a\n'\n}\n", &[3, 4, 6]),
        (Language::Bash, "f() {\n  cat <<A\nA\n  g\n}\n", &[3]),
        (Language::Bash, "a() {\n  b \\\n    c\n}\n", &[]),
    ];
    for (language, text, lines) in cases {
        assert_eq!(fixed(language, text), lines, "{language:?}\n{text}");
    }
}

#[test]
fn a_body_is_between_the_signature_and_the_end() {
    let cases = [
        (Language::Rust, "fn a() {\n}\n", Some((2, 2, None))),
        (Language::Rust, "fn a() {\n    b()\n}\n", Some((2, 3, Some(2)))),
        (Language::Rust, "fn a() {}\n", None),
        (Language::Rust, "const A: u8 =\n    1;\n", None),
        (Language::Rust, "mod a;\n", None),
        (Language::Rust, "struct A(\n    u8,\n);\n", Some((2, 3, Some(2)))),
        (Language::Python, "def a():\n\n    # One.\n    b()\n", Some((2, 5, Some(4)))),
        (Language::Python, "def a(): return 2\n", None),
        (Language::Python, "a = {\n    1: 2,\n}\n", None),
        (Language::JavaScript, "const a = () =>\n  new B(\n    1);\n", None),
        (Language::JavaScript, "const a = {\n  b: 1,\n};\n", Some((2, 3, Some(2)))),
        (Language::TypeScript, "type A = {\n  b: C;\n};\n", Some((2, 3, Some(2)))),
        (Language::TypeScript, "const a = {\n  b: 1,\n} as const;\n", Some((2, 3, Some(2)))),
        (Language::TypeScript, "class A {\n}\n", Some((2, 2, None))),
        (Language::Go, "type A struct {\n\tb int\n}\n", Some((2, 3, Some(2)))),
        (Language::Go, "type A interface {\n}\n", Some((2, 2, None))),
        (Language::Go, "type A b.C\n", None),
        (Language::Java, "class A {\n\n  int a;\n}\n", Some((2, 4, Some(3)))),
        (Language::C, "typedef struct {\n  int a;\n} A;\n", Some((2, 3, Some(2)))),
        (
            Language::C,
            "struct A {\n#ifdef B\n  int a;\n#endif\n  int c;\n};\n",
            Some((2, 6, Some(5))),
        ),
        (Language::Cpp, "class A {\n private:\n  int a;\n};\n", Some((2, 4, Some(3)))),
        (Language::Ruby, "def a(b)\nend\n", Some((2, 2, None))),
        (Language::Ruby, "class A < B\n  # One.\nend\n", Some((2, 3, Some(2)))),
        (Language::Ruby, "def a; end\n", None),
        (Language::Ruby, "def a = 1\n", None),
        (Language::Bash, "a() {\n}\n", Some((2, 2, None))),
        (Language::Bash, "a() {\n  b\n}\n", Some((2, 3, Some(2)))),
    ];
    for (language, text, expected) in cases {
        let found = symbols(language, text.as_bytes()).unwrap_or_default();
        let body = found.symbols.first().and_then(|symbol| symbol.body.as_ref());
        let body = body.map(|body| (body.start, body.end, body.model));
        assert_eq!(body, expected, "{language:?}\n{text}");
    }
}

#[test]
fn the_last_element_of_a_list_may_need_a_comma() {
    let cases = [
        (Language::Rust, "enum A {\n    B\n}\n", Some(14)),
        (Language::Rust, "enum A {\n    B,\n}\n", None),
        (Language::Rust, "struct A {\n    b: u8 // One.\n}\n", Some(20)),
        (Language::Rust, "fn a() {\n    b\n}\n", None),
        (Language::TypeScript, "enum A {\n  B = 1\n}\n", Some(16)),
        (Language::TypeScript, "const a = {\n  b\n};\n", Some(15)),
        (Language::TypeScript, "type A = {\n  b: C\n};\n", None),
        (Language::Go, "type A struct {\n\tb int\n}\n", None),
        (Language::Java, "enum A {\n  B\n}\n", Some(12)),
        (Language::Java, "enum A {\n  B;\n  int c;\n}\n", None),
        (Language::C, "enum A {\n  B = 1 /* One. */\n};\n", Some(16)),
        (Language::Cpp, "enum class A {\n};\n", None),
    ];
    for (language, text, expected) in cases {
        let found = symbols(language, text.as_bytes()).unwrap_or_default();
        let body = found.symbols.first().and_then(|symbol| symbol.body.as_ref());
        assert_eq!(body.and_then(|body| body.missing_comma), expected, "{language:?}\n{text}");
    }
}
