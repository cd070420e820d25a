//! Mistakes that the grammars accept.

use crate::{Language, strict_symbols, symbols};

/// Checks the mistakes of a text, each `LINE: MESSAGE`.
#[track_caller]
pub(super) fn check(language: Language, text: &str, expected: &[&str]) {
    let found = strict_symbols(language, text.as_bytes()).unwrap_or_default();
    let mistake =
        |error: &crate::SyntaxError| format!("{}: {}", error.lines.start(), error.message);
    let mistakes: Vec<String> = found.errors.iter().map(mistake).collect();
    assert_eq!(mistakes, expected, "{language:?}: {text}");
    // Outlines do not mention them.
    let outlined = symbols(language, text.as_bytes()).unwrap_or_default();
    assert!(outlined.errors.is_empty() && outlined.symbols == found.symbols, "{text}");
}

#[test]
fn blocks_of_python_have_a_statement() {
    const EMPTY: &str = "a block without a statement";
    check(Language::Python, "class A:\n    pass\n", &[]);
    check(Language::Python, "def a():\n    # Note.\n    ...\n", &[]);
    check(Language::Python, "class A:\n\nx = 1\n", &[&format!("1: {EMPTY}")]);
    let text = "def a():\n    if b:\n    c()\ntry:\n    a()\nexcept E:\n";
    check(Language::Python, text, &[&format!("2: {EMPTY}"), &format!("6: {EMPTY}")]);
}

#[test]
fn go_has_only_declarations_outside_of_functions() {
    let text = "package p\n\nimport \"a\"\n\nconst (\n\ta = iota\n\tb\n)\n\nvar c int\n\nfunc d() {\n\te()\n}\n";
    check(Language::Go, text, &[]);
    check(
        Language::Go,
        "package p\nb\nc = 2\n",
        &["2: a statement outside of functions", "3: a statement outside of functions"],
    );
    check(
        Language::Go,
        "package p\nconst (\n\tb\n\tc = iota\n)\n",
        &["3: the first constant of a group has no value"],
    );
}

#[test]
fn blocks_of_rust_contain_what_belongs_there() {
    let text = "impl A {\n    const B: u8 = 1;\n    type C = D;\n    fn e() {}\n    f!();\n}\n";
    check(Language::Rust, text, &[]);
    check(Language::Rust, "mod a {\n    impl B {}\n    trait C {}\n}\n", &[]);
    let wrong = "2: not possible in an impl block or a trait";
    check(Language::Rust, "impl A {\n    trait B {}\n}\n", &[wrong]);
    check(Language::Rust, "trait A {\n    impl B {}\n}\n", &[wrong]);
}

#[test]
fn keywords_are_not_names() {
    let keyword = |line: u64| format!("{line}: a keyword cannot be a name");
    check(Language::Rust, "fn default() {}\nfn fn() {}\n", &[&keyword(2)]);
    check(Language::Java, "class A {\n  int record;\n}\nclass for {\n}\n", &[&keyword(4)]);
    check(Language::C, "int a;\nint\nint(void)\n{\n}\n", &[&keyword(3)]);
    check(Language::Cpp, "class A {\n  void b();\n};\nvoid a() {\n}\n", &[]);
}

#[test]
fn constructors_have_the_name_of_their_class() {
    let wrong = |line: u64| format!("{line}: a constructor with another name than its class");
    let text = "class Set {\n  public Set(int a) {\n  }\n  int b() {\n    return 1;\n  }\n}\n";
    check(Language::Java, text, &[]);
    check(Language::Java, &text.replace("class Set", "class Map"), &[&wrong(2)]);
    let text = "class Set {\n  explicit Set(int a);\n  ~Set();\n  void b();\n  Q_OBJECT(c);\n  operator bool();\n};\n";
    check(Language::Cpp, text, &[]);
    check(Language::Cpp, &text.replace("class Set", "class Map"), &[&wrong(2), &wrong(3)]);
}

#[test]
fn directives_of_c_are_complete() {
    let wrong = |line: u64| format!("{line}: a directive without its #if or #endif");
    check(Language::C, "#ifdef A\nint a;\n# else\nint b;\n#endif\n", &[]);
    check(Language::C, "int a;\n#include \"b.h\"\n#define IF #if\n", &[]);
    let found = strict_symbols(Language::C, b"int a;\n#endif\n").unwrap_or_default();
    assert!(found.errors.iter().any(|error| error.message == &wrong(2)[3..]), "{found:?}");
}

#[test]
fn objects_of_javascript_have_a_property_before_each_comma() {
    const EMPTY: &str = "a comma without a property before it";
    for language in [Language::JavaScript, Language::TypeScript, Language::Tsx] {
        check(language, "const a = {\n  b() {}, // Note.\n  c,\n  ...d,\n};\nf({}, [, 1]);\n", &[]);
        check(language, "const a = {\n  , b() {}\n};\n", &[&format!("1: {EMPTY}")]);
        check(language, "const a = 1;\nf({ b,\n// Note.\n, });\n", &[&format!("2: {EMPTY}")]);
    }
}

#[cfg(feature = "code-all")]
#[test]
fn blocks_of_scala_have_a_statement() {
    check(Language::Scala, "class A:\n  def b = 1\n\ndef c =\n  2\n", &[]);
    let nested = "class A:\n  // Note.\n  object B:\n    val c = 1\n";
    check(Language::Scala, nested, &[]);
    let text = "class A:\ndef b = 2\n\n  def c = 3\n";
    let found = strict_symbols(Language::Scala, text.as_bytes()).unwrap_or_default();
    assert!(!found.errors.is_empty(), "{found:?}");
}
