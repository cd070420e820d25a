//! Files that cannot be read, and file names that are not UTF-8 or contain control characters.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::support::Sandbox;
use crate::support::documents::few_files;
use crate::support::failures::check_failure;
use crate::support::records::{File, Piece, Record, Text};

#[test]
fn a_missing_file_is_reported_with_a_similar_name() {
    let message = "'guid.md': No such file or directory";
    for command in ["read", "inspect"] {
        let error =
            check_failure(&[command, "guid.md"], 2, "NOT_FOUND", &[message, "guide.md", "hint: "]);
        assert_eq!(error.message, "No such file or directory");
        assert_eq!(error.file_path.unwrap(), "guid.md");
        assert!(error.suggestions.iter().any(|hint| hint.contains("guide.md")));
        check_failure(&[command, "guid.md:3"], 2, "NOT_FOUND", &[message]);
        check_failure(&[command, "guid.md#setup"], 2, "NOT_FOUND", &[message]);
        check_failure(&[command, "sub/y.md"], 2, "NOT_FOUND", &["sub/x.md"]);
        check_failure(&[command, "gone/x.md"], 2, "NOT_FOUND", &["gone/x.md"]);
        check_failure(&[command, ""], 2, "NOT_FOUND", &[]);
    }
}

#[test]
fn a_file_given_as_a_directory_is_reported() {
    let outcome = few_files().run(&["read", "n.txt/x.md"]).exits(2).prints("");
    assert!(outcome.errors().contains("n.txt/x.md"), "{outcome}");
}

#[test]
fn a_directory_cannot_be_read() {
    let error = check_failure(&["read", "sub"], 2, "NOT_A_FILE", &["'sub'", "folio list sub"]);
    assert_eq!(error.file_path.unwrap(), "sub");
    check_failure(&["read", "sub:3"], 2, "NOT_A_FILE", &["'sub'"]);
    check_failure(&["inspect", "sub:3"], 2, "NOT_A_FILE", &["'sub'"]);
}

#[test]
fn a_binary_file_is_refused_as_an_operand() {
    for command in ["read", "inspect"] {
        check_failure(&[command, "image.png"], 2, "BINARY_FILE", &["'image.png'", "--binary"]);
    }
    let sandbox = few_files();
    for flag in ["-a", "--binary"] {
        sandbox.run(&["read", flag, "image.png"]).succeeds().prints(b"\x89PNG\0\0\0");
    }
    // A NUL after the first 64 KiB does not make a file binary, but is not printed.
    let late = [&b"text\n".repeat(20_000)[..], b"\0\nend\n"].concat();
    sandbox.write("late.txt", &late).run(&["read", "late.txt:20002"]).succeeds().prints("end\n");
    sandbox.run(&["read", "-a", "late.txt"]).succeeds().prints(&late);
    let refused = sandbox.run(&["read", "late.txt"]).exits(2);
    assert!(!refused.stdout.contains(&0) && refused.errors().contains("NUL"), "{refused}");
    // UTF-16 is text if it has a byte order mark.
    sandbox.write("u16.txt", b"a\0\n\0");
    sandbox.run(&["read", "u16.txt"]).exits(2);
    sandbox.run(&["read", "u16.txt", "--encoding", "utf-16le"]).succeeds().prints("a\n");
}

#[test]
fn a_file_without_permission_is_reported() {
    let sandbox = Sandbox::with(&[("secret.md", "# S\n"), ("a.md", "# A\n")]);
    let path = sandbox.path("secret.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&path).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let error = sandbox.run(&["read", "--json", "secret.md"]).exits(2).json_error();
    assert_eq!(error.code, "PERMISSION_DENIED");
    let walk = sandbox.run(&["inspect"]).exits(2).prints("a.md:1:# A\n");
    assert!(walk.errors().contains("secret.md"), "{walk}");
}

#[test]
fn broken_symlinks_are_reported() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n")]);
    symlink("gone", sandbox.path("dangling")).unwrap();
    symlink("loop", sandbox.path("loop")).unwrap();
    symlink("a.md", sandbox.path("link.md")).unwrap();
    let error = sandbox.run(&["read", "--json", "dangling"]).exits(2).json_error();
    assert_eq!(error.code, "NOT_FOUND");
    sandbox.run(&["read", "loop"]).exits(2).tells("'loop'");
    sandbox.run(&["read", "link.md"]).succeeds().prints("# A\n");
}

#[test]
fn no_command_accepts_or_prints_a_nul_byte() {
    let files: [&[u8]; 4] = [b"\0", b"\0foo\n", b"foo\n\0", b"foo\nfoo\0bar\nfoo\n"];
    for text in files {
        let sandbox = Sandbox::new();
        sandbox.write("n.txt", text);
        let commands: [&[&str]; 5] = [
            &["read", "n.txt"],
            &["inspect", "n.txt"],
            &["links", "n.txt"],
            &["patch", "replace", "n.txt", "--lines", "1", "-c", "x"],
            &["patch", "append", "n.txt", "-c", "x"],
        ];
        for command in commands {
            let outcome = sandbox.run(command).exits(2).prints("");
            let message = format!(
                "folio {}: 'n.txt': binary file: it contains a NUL byte\n\
                 hint: folio {} --binary  # read it as text anyway\n",
                command[0],
                command.join(" ")
            );
            assert_eq!(outcome.errors(), message);
        }
        assert_eq!(std::fs::read(sandbox.path("n.txt")).unwrap(), text);
        let outcome = sandbox.run(&["grep", "-n", "foo", "n.txt"]);
        assert!(!outcome.stdout.contains(&0), "{outcome}");
    }
}

#[test]
fn every_error_of_a_run_is_a_line_of_json() {
    let outcome =
        few_files().run(&["read", "--json", "gone", "n.txt:99", "image.png", "sub", "n.txt:1"]);
    let outcome = outcome.exits(2);
    let codes: Vec<_> = outcome.json_errors().into_iter().map(|error| error.code).collect();
    assert_eq!(codes, ["NOT_FOUND", "LINE_OUT_OF_RANGE", "BINARY_FILE", "NOT_A_FILE"]);
    assert_eq!(Piece::one(&outcome).content, "1\n");
}

#[test]
fn the_worst_outcome_is_the_exit_status() {
    let batch = |lines: &[&str]| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        few_files().run_with_input(&["read", "--batch", "-"], text).status.unwrap()
    };
    let done = r#"{"address":"n.txt:1"}"#;
    let no = r#"{"address":"n.txt:99"}"#;
    let several = r#"{"address":"guide.md","target":{"section":"Setup"}}"#;
    let trouble = r#"{"address":"gone"}"#;
    assert_eq!(batch(&[done]), 0);
    assert_eq!(batch(&[done, no, done]), 1);
    assert_eq!(batch(&[several, no]), 3);
    assert_eq!(batch(&[no, several]), 3);
    assert_eq!(batch(&[trouble, several, no, done]), 2);
    assert_eq!(batch(&[no, several, trouble]), 2);
    few_files().run(&["inspect", "gone", "n.txt:99"]).exits(2);
    few_files().run(&["inspect", "n.txt:99", "guide.md"]).exits(1);
    let search = ["inspect", "--mode", "search", "--query", "zebra", "n.txt", "gone"];
    few_files().run(&search).exits(2);
}

#[test]
fn a_missing_file_is_an_error_with_its_path() {
    let outcome = Sandbox::new().run(&["read", "--json", "/test/missing.txt"]).exits(2).prints("");
    let error = outcome.json_error();
    assert_eq!(
        (error.code.as_str(), error.file_path.unwrap().as_str()),
        ("NOT_FOUND", "/test/missing.txt")
    );
}

#[test]
fn a_binary_file_is_an_error_with_its_path() {
    let sandbox = Sandbox::new();
    sandbox.write("image.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    let outcome = sandbox.run(&["read", "--json", "image.png"]).exits(2).prints("");
    let error = outcome.json_error();
    assert_eq!(
        (error.code.as_str(), error.file_path.unwrap().as_str()),
        ("BINARY_FILE", "image.png")
    );
}

#[test]
fn a_name_that_is_not_utf8_is_reported_exactly() {
    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(b"caf\xe9.md");
    sandbox.write(name, "# A\nb\n");
    let read = OsStr::new("read");
    let inspect = OsStr::new("inspect");
    let json = OsStr::new("--json");
    let part = OsStr::from_bytes(b"caf\xe9.md:2");
    sandbox.run(&[inspect, name]).succeeds().prints(b"caf\xe9.md:1-2:# A\n");
    sandbox.run(&[inspect]).succeeds().prints(b"caf\xe9.md:1-2:# A\n");
    sandbox.run(&[read, part]).succeeds().prints("b\n");
    sandbox.run(&[read, part, part]).succeeds().prints(b"==> caf\xe9.md:2 A <==\nb\n");
    let file_path = File::one(&sandbox.run(&[inspect, json, name]).succeeds()).file_path;
    assert!(matches!(&file_path, Text::Bytes(_)) && file_path.to_bytes() == b"caf\xe9.md");
    let file_path = Piece::one(&sandbox.run(&[read, json, part]).succeeds()).file_path;
    assert!(matches!(&file_path, Text::Bytes(_)) && file_path.to_bytes() == b"caf\xe9.md");
    let past = OsStr::from_bytes(b"caf\xe9.md:9");
    let error = sandbox.run(&[read, json, past]).exits(1).json_error();
    assert_eq!(error.file_path.unwrap().to_bytes(), b"caf\xe9.md");
    let listed = sandbox.run_with_input(&["read", "--addresses-from", "-"], b"caf\xe9.md:2:b\n");
    listed.succeeds().prints(b"==> caf\xe9.md:2 A <==\nb\n");
}

#[test]
fn an_error_in_a_pipe_contains_the_exact_name() {
    for name in [&b"a\x1b[31m\x07b"[..], b"a\nb", "a\u{202e}b".as_bytes(), b"caf\xe9.md"] {
        let outcome = Sandbox::new().run(&[OsStr::new("read"), OsStr::from_bytes(name)]).exits(2);
        let holds = outcome.stderr.windows(name.len()).any(|part| part == name);
        assert!(holds, "{name:?}: {outcome}");
    }
}

#[test]
fn control_characters_are_unchanged_in_a_pipe() {
    let sandbox = Sandbox::new();
    for name in ["a\x1b[31mb.md", "a\u{202e}b.md", "a\u{200b}.md", "tab\t.md"] {
        sandbox.write(name, "# \x1b[31mRed\u{200b}\nb\n");
        sandbox
            .run(&["inspect", name])
            .succeeds()
            .prints(format!("{name}:1-2:# \x1b[31mRed\u{200b}\n"));
        sandbox.run(&["read", name]).succeeds().prints("# \x1b[31mRed\u{200b}\nb\n");
        let two = sandbox.run(&["read", name, name]).succeeds();
        assert!(two.text().starts_with(&format!("==> {name}:1-2 <==\n")), "{two}");
    }
}
