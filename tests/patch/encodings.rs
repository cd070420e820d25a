//! Encodings, byte order marks and bytes that are not UTF-8 are preserved.

use std::os::unix::fs::PermissionsExt;

use crate::support::Sandbox;
use crate::support::edits::check_edit;

#[test]
fn encodings_are_preserved() {
    let sandbox = Sandbox::new();
    let text = "# Ä\r\n\r\n## B\r\ntext\r\n";
    for little in [true, false] {
        sandbox.write("a.md", crate::support::utf16(text, little));
        sandbox.run(&["patch", "replace", "a.md", "--body", "B", "-c", "é\nf"]).succeeds();
        let expected = crate::support::utf16("# Ä\r\n\r\n## B\r\né\r\nf\r\n", little);
        assert_eq!(std::fs::read(sandbox.path("a.md")).expect("readable"), expected);
    }
    sandbox.write("l.txt", b"caf\xe9 one\nb\n");
    sandbox.run(&["patch", "replace", "l.txt", "--text", "one", "-c", "two"]).succeeds();
    assert_eq!(std::fs::read(sandbox.path("l.txt")).expect("readable"), b"caf\xe9 two\nb\n");
    let latin = ["patch", "replace", "l.txt", "--encoding", "latin1", "--text", "é"];
    sandbox.run(&[&latin[..], &["-c", "è"]].concat()).succeeds();
    assert_eq!(std::fs::read(sandbox.path("l.txt")).expect("readable"), b"caf\xe8 two\nb\n");
    let latin = ["patch", "append", "l.txt", "--encoding", "latin1", "-c", "ж"];
    sandbox.run(&latin).exits(2).tells("cannot be encoded");
}

#[test]
fn byte_order_marks_last_lines_and_modes_are_kept() {
    let bom = b"\xef\xbb\xbfa\nb";
    check_edit("a.txt", bom, &["replace", "--lines", "1", "-c", "x"], b"\xef\xbb\xbfx\nb");
    check_edit("a.txt", bom, &["insert", "--lines", "1", "-c", "x"], b"\xef\xbb\xbfx\na\nb");
    check_edit("a.txt", bom, &["delete", "--lines", "1"], b"\xef\xbb\xbfb");
    check_edit("a.txt", bom, &["replace", "--lines", "2", "-c", "x\n"], b"\xef\xbb\xbfa\nx");
    check_edit("a.txt", bom, &["replace", "--whole-file", "-c", "x\n"], b"\xef\xbb\xbfx");
    check_edit("a.txt", bom, &["replace", "--pattern", "^a", "-c", "x"], b"\xef\xbb\xbfx\nb");
    // The byte order mark of the content is not added to that of the file.
    let content = "\u{feff}x\n";
    check_edit("a.txt", bom, &["replace", "--whole-file", "-c", content], b"\xef\xbb\xbfx");
    check_edit("a.txt", bom, &["replace", "--lines", "1", "-c", content], b"\xef\xbb\xbfx\nb");
    let wide = b"\xff\xfea\0\n\0b\0";
    check_edit(
        "a.txt",
        wide,
        &["insert", "--lines", "1", "-c", content],
        b"\xff\xfex\0\n\0a\0\n\0b\0",
    );
    let sandbox = Sandbox::with(&[("run.sh", "#!/bin/sh\necho a\n")]);
    for mode in [0o755, 0o600, 0o4711] {
        let path = sandbox.path("run.sh");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let new = format!("echo {mode:o}");
        sandbox.run(&["patch", "replace", "run.sh", "--lines", "2", "-c", &new]).succeeds();
        let kept = std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(kept, mode, "{mode:o}");
    }
}

#[test]
fn invalid_utf8_bytes_are_preserved() {
    let text = b"caf\xe9\nb \xff\xfe c\n\xc3\n";
    check_edit(
        "a.txt",
        text,
        &["replace", "--text", "b", "-c", "x"],
        b"caf\xe9\nx \xff\xfe c\n\xc3\n",
    );
    let append = ["append", "-c", "\u{e9}", "--encoding", "utf-8"];
    check_edit("a.txt", text, &append, b"caf\xe9\nb \xff\xfe c\n\xc3\n\xc3\xa9\n");
    check_edit("a.txt", text, &["delete", "--lines", "2"], b"caf\xe9\n\xc3\n");
    let edited = check_edit("a.txt", text, &["replace", "--text", "caf", "-c", "C"], {
        b"C\xe9\nb \xff\xfe c\n\xc3\n"
    });
    // A line that is not UTF-8 is shown as bytes.
    assert_eq!(edited.records[0]["preview"]["after"]["bytes"], "Q+k=");
}

#[test]
fn content_is_written_in_the_encoding_of_the_file() {
    let latin = b"caf\xe9\nplain\n";
    let sandbox = Sandbox::new();
    let edit = |more: &[&str]| {
        sandbox.write("l.txt", latin);
        let base = ["patch", "replace", "l.txt", "--lines", "2", "-c", "na\u{ef}ve"];
        let run = sandbox.run(&[&base[..], more].concat());
        (run, std::fs::read(sandbox.path("l.txt")).unwrap())
    };
    let (run, after) = edit(&[]);
    run.exits(2).tells("line 1 is not UTF-8").tells("--encoding");
    assert_eq!(after, latin);
    assert_eq!(edit(&["--encoding", "latin1"]).1, b"caf\xe9\nna\xefve\n");
    assert_eq!(edit(&["--encoding", "utf-8"]).1, b"caf\xe9\nna\xc3\xafve\n");
    // The same applies to text from another file.
    sandbox.write("l.txt", latin).write("u.txt", "\u{ef}\nplain\n");
    sandbox.run(&["patch", "copy", "u.txt:1", "--to", "l.txt"]).exits(2).tells("not UTF-8");
    sandbox.run(&["patch", "copy", "u.txt:2", "--to", "l.txt"]).exits(0);
    sandbox.run(&["patch", "replace", "l.txt:2", "-c", "ASCII"]).exits(0);
}

#[test]
fn utf32_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("u.txt", b"\xff\xfe\0\0a\0\0\0\n\0\0\0");
    for command in [&["read", "u.txt"][..], &["patch", "replace", "u.txt:1", "-c", "x"]] {
        sandbox.run(command).exits(2).tells("it is UTF-32").tells("iconv -f UTF-32 -t UTF-8 u.txt");
    }
}

#[test]
fn encodings_are_not_mixed() {
    let sandbox = Sandbox::with(&[("utf8.md", "\u{e9}\n")]);
    sandbox.write("latin.md", "caf\u{e9}\n".chars().map(|it| it as u8).collect::<Vec<u8>>());
    let copied = sandbox.run(&["patch", "copy", "latin.md:1", "--to", "utf8.md"]);
    copied.exits(2).tells("'utf8.md': line 1 is UTF-8, but the new text is not");
    let nul = r#"{"address":"utf8.md","operation":"append","content":"a\u0000b"}"#;
    sandbox.run_with_input(&["patch", "apply", "-"], nul).exits(2).tells("NUL byte");
}

#[test]
fn a_part_is_converted_to_the_encoding_of_the_other_file() {
    let sandbox = Sandbox::new();
    let latin = b"caf\xe9\nline\n";
    let copy = |from: &str, to: &str| {
        sandbox.write("latin.txt", latin).write("utf8.txt", "\u{e9}\n");
        let words = ["patch", "copy", from, "--to", to, "--encoding", "latin1"];
        sandbox.run(&words).exits(0);
        std::fs::read(sandbox.path(to)).unwrap()
    };
    assert_eq!(copy("latin.txt:1", "utf8.txt"), "\u{e9}\ncaf\u{e9}\n".as_bytes());
    assert_eq!(copy("utf8.txt:1", "latin.txt"), b"caf\xe9\nline\n\xe9\n");
    // Without null bytes, ASCII is not UTF-16.
    sandbox.write("utf16.txt", b"a\0\n\0").write("ascii.txt", "b\n");
    let words = ["patch", "copy", "utf16.txt:1", "--to", "ascii.txt", "--encoding", "utf-16le"];
    sandbox.run(&words).exits(0);
    assert_eq!(std::fs::read(sandbox.path("ascii.txt")).unwrap(), b"b\na\n");
    sandbox.write("utf8.txt", "\u{20ac}\n");
    let words = ["patch", "move", "utf8.txt:1", "--to", "latin.txt", "--encoding", "iso-8859-2"];
    sandbox.run(&words).exits(2).tells("cannot be encoded in iso-8859-2");
}
