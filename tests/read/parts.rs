//! Other parts: code blocks, anchors, keys, front matter, texts and tables.

use super::{check, check_error, check_guide, check_part, piece, sandbox};
use crate::support::Sandbox;
use crate::support::documents::long_texts;
use crate::support::records::{Piece, Record};

#[test]
fn a_code_block_is_the_text_between_its_fences() {
    check_guide(&["--code-block", "0"], 14, 15);
    check_guide(&["--code-block", "bash:0"], 14, 15);
    check_guide(&["--code-block", "BASH:0"], 14, 15);
    check_guide(&["--code-block", "0", "--fences"], 13, 16);
    // The indentation of the container is removed.
    check(&["guide.md", "--code-block", "1"], "no language\n");
    check(&["guide.md", "--code-block", "1", "--fences"], "~~~\nno language\n~~~\n");
    let text = "> ```sh\n> a\n>   b\n> ```\n\n```sh\nc\n```\n\n```rs\n```\n\n```rs\nopen";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let check = |block: &str, expected: &str| {
        sandbox.run(&["read", "a.md", "--code-block", block]).succeeds().prints(expected);
    };
    check("0", "a\n  b\n");
    check("sh:1", "c\n");
    check("rs:0", "");
    check("rs:1", "open");
    check_error(&["guide.md", "--code-block", "x"], 2, "INVALID_ARGUMENT", &["--code-block"]);
    check_error(&["guide.md", "--code-block", "-1"], 2, "INVALID_ARGUMENT", &["--code-block"]);
}

#[test]
fn a_symbol_is_read_from_a_code_block() {
    let code =
        "  ```rust,ignore\n  /// Doc.\n  fn main() {\n      a();\n  }\n\n  struct A;\n  ```\n";
    let rst = ".. code-block:: python\n\n   def f():\n       pass\n";
    let text = format!("# Setup\n\n- item\n\n{code}\n```console\n$ x\n```\n");
    let sandbox = Sandbox::with(&[("a.md", text.as_str()), ("a.rst", rst)]);
    let read = |arguments: &[&str]| sandbox.run(&[&["read", "--no-headers"], arguments].concat());
    let main = "/// Doc.\nfn main() {\n    a();\n}\n";
    read(&["a.md", "--code-block", "rust:0", "--section", "main"]).succeeds().prints(main);
    read(&["a.md", "--code-block", "0", "-s", "main", "--in", "Setup"]).succeeds().prints(main);
    let target = r#"{"codeBlock":{"index":0},"section":"main"}"#;
    read(&["a.md", "--target", target]).succeeds().prints(main);
    let numbered = read(&["a.md", "--code-block", "0", "-s", "main", "-n", "--from", "8"]);
    numbered.succeeds().prints("     8\t    a();\n     9\t}\n");
    read(&["a.rst", "--code-block", "0", "-s", "f"])
        .succeeds()
        .prints("   def f():\n       pass\n");

    let similar = read(&["a.md", "--code-block", "0", "-s", "man"]).exits(1);
    similar.tells("no symbol 'man'").tells("--code-block 0 -s main");
    let heading = read(&["a.md", "--code-block", "1", "-s", "Setup"]).exits(1);
    heading.tells("'console' have no symbols").tells("--code-block 1 --in Setup");
    read(&["a.md", "--code-block", "0", "-s", "main", "--fences"]).exits(2).tells("--fences");
    let edit = ["patch", "delete", "a.md", "--code-block", "0", "-s", "main"];
    let edit = sandbox.run(&edit).exits(2);
    edit.tells("cannot be edited by name")
        .tells("folio read -n --code-block 0 --section main a.md");
}

#[test]
fn an_anchor_is_selected_by_option() {
    check_guide(&["--anchor", "installation"], 11, 29);
    check_guide(&["--anchor", "#installation"], 11, 29);
    check_guide(&["--anchor", "linux-anchor"], 20, 21);
    check_guide(&["--anchor", "top"], 7, 34);
}

#[test]
fn keys_of_ini_sections_are_lines_or_values() {
    let ini = "top = 1\n[db]\nhost = a.example ; note\nquoted = \"b # c\"\nlong = a \\\n  b\nempty =\nurl: http://x/#y\n[other]\nhost = z\n";
    let sandbox = Sandbox::with(&[("a.ini", ini)]);
    let check = |arguments: &[&str], line: &str, value: &str| {
        let arguments = [&["a.ini"], arguments].concat();
        let text = sandbox.run(&[&["read"], &arguments[..]].concat()).succeeds();
        text.prints(line);
        let found = piece(&sandbox, &arguments);
        assert_eq!((found.content.as_str(), found.value.unwrap().as_str()), (line, Some(value)));
        let text = sandbox.run(&[&["read", "--value"], &arguments[..]].concat()).succeeds();
        assert_eq!(text.text().trim_end_matches('\n'), value);
        let found = piece(&sandbox, &[&arguments[..], &["--value"]].concat());
        assert_eq!(found.value.unwrap(), value);
    };
    check(&["--key", "top"], "top = 1\n", "1");
    check(&["--section", "db", "--key", "host"], "host = a.example ; note\n", "a.example");
    check(&["--section", "[other]", "--key", "host"], "host = z\n", "z");
    check(&["--section", "db", "--key", "HOST"], "host = a.example ; note\n", "a.example");
    check(&["--section", "db", "--key", "quoted"], "quoted = \"b # c\"\n", "b # c");
    check(&["--section", "db", "--key", "long"], "long = a \\\n  b\n", "a b");
    check(&["--section", "db", "--key", "empty"], "empty =\n", "");
    check(&["--section", "db", "--key", "url"], "url: http://x/#y\n", "http://x/#y");
    let repeated = Sandbox::with(&[("a.ini", "[a]\nk=1\nk=2\n")]);
    let key = ["read", "a.ini", "--section", "a", "--key"];
    repeated.run(&[&key[..], &["k"]].concat()).exits(3);
    repeated.run(&[&key[..], &["k[1]"]].concat()).succeeds().prints("k=2\n");
}

#[test]
fn front_matter_and_its_keys_are_read() {
    check_guide(&["--front-matter"], 1, 5);
    check_guide(&["--front-matter", "--key", "tags"], 4, 4);
    check(&["guide.md", "--front-matter", "--key", "title", "--value"], "Front Title\n");
    assert_eq!(
        piece(&sandbox(), &["guide.md", "--front-matter", "--key", "date"]).value.unwrap(),
        "2026-01-01"
    );
    let text = "---\nlist:\n  - a\n  - b\nquoted: 'x: y '\n---\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let list = ["read", "a.md", "--front-matter", "--key", "list"];
    sandbox.run(&list).succeeds().prints("list:\n  - a\n  - b\n");
    let quoted = ["read", "a.md", "--front-matter", "--key", "quoted", "--value"];
    sandbox.run(&quoted).succeeds().prints("x: y \n");
}

#[test]
fn a_key_may_be_searched_in_a_scope() {
    check(&["app.ini", "--in", "cache", "--key", "size"], "size=1\n");
    let sandbox = sandbox();
    let outcome = sandbox.run(&["read", "app.ini", "--in", "cache", "--lines", "3"]);
    assert_eq!(outcome.status, Some(2));
    assert!(String::from_utf8_lossy(&outcome.stderr).contains("--in cannot be used with --lines"));
}

#[test]
fn keys_of_front_matter_are_read_in_any_syntax() {
    let check = |text: &str, key: &str, line: &str, value: &str| {
        let sandbox = Sandbox::with(&[("a.md", text)]);
        let arguments = ["read", "a.md", "--front-matter", "--key", key];
        sandbox.run(&arguments).succeeds().prints(line);
        sandbox.run(&[&arguments[..], &["--value"]].concat()).succeeds().prints(value);
        sandbox.run(&["read", "a.md", "--front-matter"]).succeeds();
    };
    let indented = "---\n\n  title: 'x'  # note\n  list:\n    - a\n---";
    check(indented, "title", "  title: 'x'  # note\n", "x\n");
    check(indented, "list", "  list:\n    - a\n", "- a\n");
    let flow = "---\n{title: x y, \"a b\": 'c, d'}\n---\n";
    check(flow, "title", "{title: x y, \"a b\": 'c, d'}\n", "x y\n");
    check(flow, "a b", "{title: x y, \"a b\": 'c, d'}\n", "c, d\n");
    let colons = "---\nog:list:\n- a\n---\n";
    check(colons, "og:list", "og:list:\n- a\n", "- a\n");
}

#[test]
fn a_text_is_read_with_its_line_and_context() {
    check_guide(&["--text", "make"], 15, 15);
    check_guide(&["--text", "make", "-C", "1"], 14, 16);
    check_guide(&["--text", "MAKE", "-i"], 15, 15);
    check_guide(&["--search", "make"], 10, 20);
    check_guide(&["--search", "make", "-C", "2"], 13, 17);
    check_guide(&["--search", "title"], 1, 7);
    check_guide(&["--pattern", "^m.ke"], 15, 15);
    check_guide(&["--pattern", "^M.KE", "-i", "--context", "1"], 14, 16);
    check_guide(&["--text", "{#top}"], 7, 7);
    check_error(&["guide.md", "--text", "MAKE"], 1, "TARGET_NOT_FOUND", &["MAKE"]);
    check_error(&["guide.md", "--text", ""], 2, "INVALID_ARGUMENT", &["--text"]);
    check_error(&["guide.md", "--pattern", "("], 2, "INVALID_PATTERN", &["--pattern"]);
}

#[test]
fn parts_that_inspect_lists_are_read() {
    let sandbox = long_texts();
    let outline = sandbox.run(&["inspect", "-O", "docs/README.md"]).succeeds().text();
    assert!(outline.contains("docs/README.md:200-847:## Contributing\n"), "{outline}");
    let code = sandbox.run(&["inspect", "--only", "code", "docs/README.md"]).succeeds().text();
    assert!(code.contains("docs/README.md:125-180:code typescript:0\n"), "{code}");
    check_part(&sandbox, &["docs/README.md", "--code-block", "2"], (126, 179), None);
    let typo = ["inspect", "--mode", "search", "--query", "recieve", "docs/README.md"];
    sandbox.run(&typo).succeeds().prints("docs/README.md:87:- how to recieve it\n");
    let host =
        ["read", "config/settings.conf", "--section", "[database]", "--key", "host", "--value"];
    sandbox.run(&host).succeeds().prints("localhost\n");
}

#[test]
fn a_text_of_several_lines_is_found() {
    let text = "# A\n\none two\r\nthree\n## B\none two\nthree four\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let read = |words: &[&str]| sandbox.run(&[&["read", "a.md"], words].concat()).succeeds();
    read(&["--text", "two\nthree"]).prints("one two\r\nthree\n");
    read(&["--text", "two\nthree f"]).prints("one two\nthree four\n");
    read(&["--text", "two\nthree", "--in", "B"]).prints("one two\nthree four\n");
    read(&["--text", "THREE\n## b", "-i", "-C", "1"]).prints("one two\r\nthree\n## B\none two\n");
    read(&["--text", "three\n"]).prints("three\n");
    read(&["--target", r#"{"text":"A\n\none"}"#]).prints("# A\n\none two\r\n");
    let outcome = sandbox.run(&["read", "a.md", "--text", "two\nfour"]).exits(1);
    outcome.tells("folio grep -i -U -F -e ");
}

const TABLES: &str = "# A\n\nintro\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\n| no |\n|----|\n```\n\n\
                      ## B\n\n> - | in | list |\n>   |----|------|\n>   | a  | b    |\n> | c |\n\nend\n";

#[test]
fn a_table_is_read_by_its_number() {
    let sandbox = Sandbox::with(&[("t.md", TABLES)]);
    let check = |arguments: &[&str], expected: &str| {
        sandbox.run(&[&["read", "t.md"], arguments].concat()).succeeds().prints(expected);
    };
    check(&["--table", "0"], "| x | y |\n|---|---|\n| 1 | 2 |\n");
    // A table in a quote or list is printed without container prefixes.
    let inner = "| in | list |\n|----|------|\n| a  | b    |\n";
    check(&["--table", "1"], inner);
    check(&["--table", "0", "--in", "B"], inner);
    check(&["--target", r#"{"table":{"index":1}}"#], inner);
    let piece = Piece::one(&sandbox.run(&["read", "--json", "t.md", "--table", "0"]));
    assert_eq!((piece.lines(), piece.returned_lines), ((4, 6), 3));
    assert_eq!(piece.target.expect("a target")["table"]["index"], 0);
    sandbox
        .run(&["read", "t.md", "--table", "2"])
        .exits(1)
        .tells("no table 2: the document has 2, numbered from 0")
        .tells("folio inspect --only tables t.md");
    sandbox.run(&["read", "t.md", "--table", "1", "--in", "B"]).exits(1).tells("the section has 1");
    sandbox.run(&["read", "t.md", "--table", "x"]).exits(2);
}

#[test]
fn several_parts_without_headers_are_whole_lines() {
    let sandbox =
        Sandbox::with(&[("a.ini", "[s]\nk = 1\n"), ("b.ini", "[s]\nk = 2\n"), ("c.txt", "x")]);
    let values = ["read", "a.ini", "b.ini", "--section", "s", "--key", "k", "--value"];
    let values = sandbox.run(&[&values[..], &["--no-headers"]].concat());
    values.succeeds().prints("1\n2\n");
    sandbox.run(&["read", "c.txt:1", "a.ini:2", "--no-headers"]).succeeds().prints("x\nk = 1\n");
}

#[test]
fn all_code_blocks_of_a_language_are_read_without_fences() {
    let guide = "# T\n\n```bash\necho 1\n```\n\n- item\n\n  ``` {.python}\n  x = 1\n  ```\n\n```bash,ignore\necho 2\n```\n";
    let sandbox = Sandbox::with(&[("d/a.md", guide), ("d/b.md", "# B\n\n```bash\necho 3\n```\n")]);
    let read = |words: &[&str]| sandbox.run(&[&["read"], words].concat());
    let headed = "==> d/a.md:4 T <==\necho 1\n\n==> d/a.md:14 T <==\necho 2\n";
    read(&["d/a.md", "--code-block", "bash:all"]).exits(0).prints(headed);
    let each = "echo 1\n\0x = 1\n\0echo 2\n\0echo 3\n\0";
    for all in ["all", "*"] {
        read(&["d", "--code-block", all, "--null"]).exits(0).prints(each);
    }
    let with_fences = read(&["d/a.md", "--code-block", "python:*", "--fences"]).exits(0);
    with_fences.prints("==> d/a.md:9-11 T <==\n  ``` {.python}\n  x = 1\n  ```\n");
    read(&["d", "--code-block", "bash:all", "--path", "^B", "--no-headers"]).prints("echo 3\n");
    read(&["d", "--code-block", "go:all"]).exits(1).prints("");
    read(&["d/a.md", "--code-block", "all", "--in", "T"]).exits(2).tells("--path");
    read(&["d", "--code-block", "all", "--kind", "heading"])
        .exits(2)
        .tells("--kind cannot be used");
    sandbox.run(&["patch", "delete", "d/a.md", "--code-block", "bash:all"]).exits(2);
}
