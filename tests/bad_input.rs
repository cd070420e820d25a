//! Invalid input is reported with a reason and a hint. Unusual but valid input is accepted.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;
use std::time::Duration;

use crate::support::records::{ErrorLine, File, Piece, Record, Text};
use crate::support::terminal::screen;
use crate::support::{Sandbox, numbers, outcome};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("guide.md", "# Guide\n\n## Setup\n1\n# Other\n## Setup\n2\n"),
        ("n.txt", &numbers(20)),
        ("sub/x.md", "# X\n"),
    ]);
    sandbox.write("image.png", b"\x89PNG\0\0\0");
    sandbox
}

/// Checks that a command fails in the same way with text and with JSON output. Returns the JSON
/// error.
#[track_caller]
fn check(arguments: &[&str], status: i32, code: &str, parts: &[&str]) -> ErrorLine {
    let sandbox = sandbox();
    let text = sandbox.run(arguments).exits(status).prints("");
    assert!(text.errors().starts_with(&format!("folio {}: ", arguments[0])), "{text}");
    for part in parts {
        assert!(text.errors().contains(part), "expected: {part}\n{text}");
    }
    let json = sandbox.run(&[arguments, &["--json"]].concat()).exits(status).prints("");
    let error = json.json_error();
    assert_eq!((error.status.as_str(), error.code.as_str()), ("error", code), "{json}");
    error
}

#[test]
fn a_missing_file_is_reported_with_a_similar_name() {
    let message = "'guid.md': No such file or directory";
    for command in ["read", "inspect"] {
        let error = check(&[command, "guid.md"], 2, "NOT_FOUND", &[message, "guide.md", "hint: "]);
        assert_eq!(error.message, "No such file or directory");
        assert_eq!(error.file_path.unwrap(), "guid.md");
        assert!(error.suggestions.iter().any(|hint| hint.contains("guide.md")));
        check(&[command, "guid.md:3"], 2, "NOT_FOUND", &[message]);
        check(&[command, "guid.md#setup"], 2, "NOT_FOUND", &[message]);
        check(&[command, "sub/y.md"], 2, "NOT_FOUND", &["sub/x.md"]);
        check(&[command, "gone/x.md"], 2, "NOT_FOUND", &["gone/x.md"]);
        check(&[command, ""], 2, "NOT_FOUND", &[]);
    }
}

#[test]
fn a_file_given_as_a_directory_is_reported() {
    let outcome = sandbox().run(&["read", "n.txt/x.md"]).exits(2).prints("");
    assert!(outcome.errors().contains("n.txt/x.md"), "{outcome}");
}

#[test]
fn a_directory_cannot_be_read() {
    let error = check(&["read", "sub"], 2, "NOT_A_FILE", &["'sub'", "folio list sub"]);
    assert_eq!(error.file_path.unwrap(), "sub");
    check(&["read", "sub:3"], 2, "NOT_A_FILE", &["'sub'"]);
    check(&["inspect", "sub:3"], 2, "NOT_A_FILE", &["'sub'"]);
}

#[test]
fn a_binary_file_is_refused_as_an_operand() {
    for command in ["read", "inspect"] {
        check(&[command, "image.png"], 2, "BINARY_FILE", &["'image.png'", "--binary"]);
    }
    let sandbox = sandbox();
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
fn an_invalid_range_is_reported() {
    for range in ["0", "5-3", "x", "1-2-3", "1,", "99999999999999999999"] {
        check(&["read", "n.txt", "--lines", range], 2, "INVALID_RANGE", &["--lines"]);
        let lines = ["inspect", "n.txt", "--mode", "lines", "--query", range];
        check(&lines, 2, "INVALID_RANGE", &["--query"]);
    }
    check(&["read", "n.txt", "--from", "0"], 2, "INVALID_RANGE", &[]);
    check(&["read", "n.txt", "--from", "x"], 2, "INVALID_ARGUMENT", &["--from"]);
    check(&["read", "n.txt", "--limit", "-1"], 2, "INVALID_ARGUMENT", &["-1"]);
}

#[test]
fn a_reversed_range_in_an_address_is_reported() {
    check(&["read", "n.txt:5-3"], 2, "INVALID_RANGE", &["5-3"]);
    check(&["read", "n.txt:0"], 2, "INVALID_RANGE", &["0"]);
}

#[test]
fn a_line_past_the_end_is_reported_with_the_number_of_lines() {
    for arguments in [
        &["read", "n.txt:21"][..],
        &["read", "n.txt:21-30"],
        &["read", "n.txt:1-2,21"],
        &["read", "n.txt", "--lines", "21"],
        &["read", "n.txt", "--from", "21"],
        &["read", "n.txt", "--from", "21", "--limit", "2"],
        &["read", "n.txt", "--from", "21", "--to-next", "x"],
        &["read", "n.txt:21", "--to-section-end"],
        &["read", "n.txt:21", "-W"],
        &["inspect", "n.txt:21"],
        &["inspect", "n.txt", "--mode", "lines", "--query", "21"],
    ] {
        let sandbox = sandbox();
        let text = sandbox.run(arguments).exits(1);
        assert!(text.errors().contains("20 lines") && text.errors().contains("21"), "{text}");
        let json = sandbox.run(&[arguments, &["--json"]].concat()).exits(1).prints("");
        assert_eq!(json.json_error().code, "LINE_OUT_OF_RANGE");
    }
    let empty = Sandbox::with(&[("empty", ""), ("one", "x")]);
    empty.run(&["read", "empty:2"]).exits(1).tells("empty");
    empty.run(&["read", "one:2"]).exits(1).tells("1 line");
}

#[test]
fn very_large_numbers_are_accepted() {
    let most = u64::MAX.to_string();
    let sandbox = sandbox();
    let all = numbers(20);
    let past = [
        &["--lines", &most][..],
        &["--from", &most],
        &["--from", &most, "--limit", &most],
        &["--from", &most, "--to-next", "x"],
        &["--from", &most, "-W"],
    ];
    for arguments in past {
        sandbox.run(&[&["read", "n.txt"], arguments].concat()).exits(1).tells("20 lines");
    }
    let range = format!("1-{most}");
    let within = [
        &["--lines", &range][..],
        &["--from", "1", "--limit", &most],
        &["--limit", &most],
        &["--head", &most],
        &["--tail", &most],
        &["--max-lines", &most],
        &["--max-bytes", &most],
        &["--text", "5", "-C", &most],
    ];
    for arguments in within {
        sandbox.run(&[&["read", "n.txt"], arguments].concat()).succeeds().prints(&all);
        sandbox.run(&[&["read", "--json", "n.txt"], arguments].concat()).succeeds();
    }
    let limit = ["read", "n.txt", "--from", "5", "--limit", &most];
    sandbox.run(&limit).succeeds().prints(&all[8..]);
    sandbox.run(&["read", "n.txt", "--code-block", &most]).exits(1);
    sandbox.run(&["inspect", &format!("n.txt:1-{most}")]).exits(0);
    let search = ["inspect", "--mode", "search", "--query", "20", "-C", &most, "n.txt"];
    let found = sandbox.run(&search).succeeds();
    assert_eq!(found.text().lines().count(), 20, "{found}");
}

#[test]
fn an_invalid_pattern_is_shown_with_the_position() {
    for arguments in [
        &["read", "n.txt:1", "--to-next", "a(b"][..],
        &["read", "n.txt", "--pattern", "a(b"],
        &["read", "n.txt:1", "-W", "--section-pattern", "a(b"],
        &["inspect", "n.txt", "--section-pattern", "a(b"],
        &["inspect", "n.txt", "--mode", "search", "--regex", "--query", "a(b"],
    ] {
        let flag = arguments[arguments.len() - 2];
        let error = check(arguments, 2, "INVALID_PATTERN", &[flag, "a(b", "\n     ^", "unclosed"]);
        assert!(error.message.contains("a(b"), "{error:?}");
    }
    check(&["read", "n.txt:1", "--to-next", ""], 2, "INVALID_ARGUMENT", &["--to-next"]);
}

#[test]
fn a_pattern_that_needs_too_much_memory_is_refused() {
    let pattern = r"((\w{100}){100}){100}";
    check(&["read", "n.txt", "--pattern", pattern], 2, "INVALID_PATTERN", &["--pattern"]);
    let nested = "(".repeat(5000) + &")".repeat(5000);
    check(&["read", "n.txt", "--pattern", &nested], 2, "INVALID_PATTERN", &["--pattern"]);
}

#[test]
fn an_unknown_encoding_is_reported() {
    for command in ["read", "inspect"] {
        let arguments = [command, "n.txt", "--encoding", "klingon"];
        check(&arguments, 2, "UNSUPPORTED_ENCODING", &["klingon", "utf-8"]);
    }
}

#[test]
fn unknown_options_and_values_are_reported_with_similar_ones() {
    check(&["read", "n.txt", "--sectoin", "x"], 2, "INVALID_ARGUMENT", &["--sectoin", "--section"]);
    check(&["inspect", "n.txt", "--outlin"], 2, "INVALID_ARGUMENT", &["--outlin", "--outline"]);
    check(
        &["inspect", "n.txt", "--as", "markdwn"],
        2,
        "INVALID_ARGUMENT",
        &["markdwn", "markdown"],
    );
    for (words, hint) in [
        (&["grep", "--include", "*.md", "-n", "x"][..], "folio grep -g '*.md' -n x"),
        (&["grep", "x", "--exclude=*.md", "d"], "folio grep x -g '!*.md' d"),
        (&["grep", "--exclude-dir", "d/", "x"], "folio grep -g '!d/' x"),
        (&["list", "--include", "*.md"], "folio list -g '*.md'"),
    ] {
        let hint = format!("hint: {hint}  # the option for globs");
        sandbox().run(words).exits(2).tells("unexpected option").tells(&hint);
    }
    sandbox().run(&["read", "n.txt", "--section"]).exits(2).tells("--section");
    check(&["read", "n.txt", "--color", "x"], 2, "INVALID_ARGUMENT", &["auto", "always", "never"]);
}

#[test]
fn usage_errors_are_json_for_every_way_to_request_json() {
    for asked in [&["--json"][..], &["--format=json"], &["--format", "json"]] {
        let outcome = sandbox().run(&[&["read", "n.txt", "--bogus"], asked].concat()).exits(2);
        assert_eq!(outcome.json_error().code, "INVALID_ARGUMENT");
        let outcome =
            sandbox().run(&[&["read", "n.txt", "--head", "1", "--tail", "1"], asked].concat());
        assert_eq!(outcome.exits(2).json_error().code, "INVALID_ARGUMENT");
    }
}

#[test]
fn every_error_of_a_run_is_a_line_of_json() {
    let outcome =
        sandbox().run(&["read", "--json", "gone", "n.txt:99", "image.png", "sub", "n.txt:1"]);
    let outcome = outcome.exits(2);
    let codes: Vec<_> = outcome.json_errors().into_iter().map(|error| error.code).collect();
    assert_eq!(codes, ["NOT_FOUND", "LINE_OUT_OF_RANGE", "BINARY_FILE", "NOT_A_FILE"]);
    assert_eq!(Piece::one(&outcome).content, "1\n");
}

#[test]
fn the_worst_outcome_is_the_exit_status() {
    let batch = |lines: &[&str]| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        sandbox().run_with_input(&["read", "--batch", "-"], text).status.unwrap()
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
    sandbox().run(&["inspect", "gone", "n.txt:99"]).exits(2);
    sandbox().run(&["inspect", "n.txt:99", "guide.md"]).exits(1);
    let search = ["inspect", "--mode", "search", "--query", "zebra", "n.txt", "gone"];
    sandbox().run(&search).exits(2);
}

#[test]
fn an_empty_file_has_no_lines() {
    let sandbox = Sandbox::with(&[("empty.md", ""), ("newline.md", "\n")]);
    for arguments in [&["empty.md"][..], &["empty.md", "--head", "3"], &["empty.md", "--tail", "3"]]
    {
        sandbox.run(&[&["read"], arguments].concat()).succeeds().prints("");
    }
    let piece = Piece::one(&sandbox.run(&["read", "--json", "empty.md"]).succeeds());
    assert_eq!((piece.total_lines, piece.returned_lines), (Some(0), 0));
    assert_eq!(piece.line_ending.as_deref(), Some("none"));
    let file = File::one(&sandbox.run(&["inspect", "--json", "empty.md"]).succeeds());
    assert_eq!((file.total_lines, file.size_bytes), (0, 0));
    let piece = Piece::one(&sandbox.run(&["read", "--json", "newline.md"]).succeeds());
    assert_eq!((piece.total_lines, piece.returned_lines), (Some(1), 1));
}

#[test]
fn a_last_line_without_a_line_ending_is_a_line() {
    let sandbox = Sandbox::with(&[("a", "1\n2"), ("b", "x")]);
    sandbox.run(&["read", "a:2"]).succeeds().prints("2");
    sandbox.run(&["read", "b"]).succeeds().prints("x");
    sandbox.run(&["read", "a:2", "b"]).succeeds().prints("==> a:2 <==\n2\n\n==> b:1 <==\nx\n");
    let piece = Piece::one(&sandbox.run(&["read", "--json", "a"]).succeeds());
    assert_eq!((piece.total_lines, piece.returned_lines), (Some(2), 2));
    assert_eq!(piece.content, "1\n2");
}

#[test]
fn a_line_of_20_megabytes_is_a_line() {
    let sandbox = Sandbox::new();
    let long = "x".repeat(20 << 20);
    let text = format!("# A\n{long}\nlast needle\n# B\n");
    sandbox.write("a.md", &text);
    sandbox.run(&["read", "a.md"]).succeeds().prints(&text);
    sandbox.run(&["read", "a.md:3"]).succeeds().prints("last needle\n");
    sandbox.run(&["read", "a.md:2"]).succeeds().prints(format!("{long}\n"));
    sandbox.run(&["read", "a.md", "--section", "B"]).succeeds().prints("# B\n");
    sandbox
        .run(&["read", "a.md:1", "--to-next", "^last"])
        .succeeds()
        .prints(&text[..4 + long.len() + 1]);
    sandbox.run(&["read", "a.md", "--tail", "2"]).succeeds().prints("last needle\n# B\n");
    let outcome = sandbox.run(&["read", "a.md:2", "--max-bytes", "10"]).exits(0);
    outcome.prints(format!("{long}\n")).tells("line 2 is longer than --max-bytes");
    let outline = "a.md:1-3:# A\na.md:4:# B\n";
    sandbox.run(&["inspect", "a.md"]).succeeds().prints(outline);
    let search = ["inspect", "--mode", "search", "--query", "needle", "a.md"];
    sandbox.run(&search).succeeds().prints("a.md:3:last needle\n");
    let without = Sandbox::with(&[("a.txt", &long)]);
    without.run(&["read", "a.txt:1"]).succeeds().prints(&long);
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
    let told = File::one(&sandbox.run(&[inspect, json, name]).succeeds()).file_path;
    assert!(matches!(&told, Text::Bytes(_)) && told.to_bytes() == b"caf\xe9.md");
    let told = Piece::one(&sandbox.run(&[read, json, part]).succeeds()).file_path;
    assert!(matches!(&told, Text::Bytes(_)) && told.to_bytes() == b"caf\xe9.md");
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

#[test]
fn a_terminal_gets_no_control_characters() {
    let sandbox = Sandbox::new();
    let name = "a\x1b[31m\u{202e}.md";
    sandbox.write(name, "# \x1b]0;title\x07Red\u{200b}\nbody\x1b[5m\n");
    for line in [
        r#""$FOLIO" inspect "$NAME""#,
        r#""$FOLIO" inspect "$NAME" --mode search --query body"#,
        r#""$FOLIO" read "$NAME""#,
        r#""$FOLIO" read -n "$NAME" "$NAME""#,
        r#""$FOLIO" read "$NAME.gone""#,
        r#""$FOLIO" read "$NAME" --section zzz"#,
    ] {
        let mut command = sandbox.command_of("script");
        command.args(["-qec", line, "/dev/null"]);
        command.env("FOLIO", env!("CARGO_BIN_EXE_folio")).env("NAME", name).env("TERM", "dumb");
        if command.stdin(Stdio::null()).output().is_err() {
            eprintln!("skipped: there is no script(1)");
            return;
        }
        let shown = outcome(&mut command, b"").text();
        assert!(shown.contains("u{1b}") || shown.contains("x1b"), "{line}: {shown:?}");
        for raw in ["\x1b", "\x07", "\u{202e}", "\u{200b}"] {
            assert!(!shown.contains(raw), "{line}: {shown:?}");
        }
    }
}

#[test]
fn an_outline_on_a_terminal_has_a_summary() {
    let sandbox = sandbox();
    let mut command = sandbox.command_of("script");
    command.args(["-qec", r#""$FOLIO" inspect guide.md"#, "/dev/null"]);
    command.env("FOLIO", env!("CARGO_BIN_EXE_folio")).env("NO_COLOR", "1").env("TERM", "xterm");
    if command.output().is_err() {
        eprintln!("skipped: there is no script(1)");
        return;
    }
    let shown = outcome(&mut command, b"").text();
    let first = shown.lines().next().unwrap_or_default();
    assert!(first.contains("guide.md") && first.contains("7 lines"), "{shown:?}");
    assert!(shown.contains("# Guide") && shown.contains("## Setup"), "{shown:?}");
    assert!(!shown.contains('\x1b'), "{shown:?}");
}

#[test]
fn on_a_terminal_a_wait_for_a_fifo_is_reported() {
    let sandbox = Sandbox::new();
    outcome(sandbox.command_of("mkfifo").arg("pipe"), b"").succeeds();
    let line = r#"(sleep 1.5; echo x > pipe) & "$FOLIO" read pipe"#;
    let mut command = sandbox.command_of("script");
    command.args(["-qec", line, "/dev/null"]).env("FOLIO", env!("CARGO_BIN_EXE_folio"));
    if command.stdin(Stdio::null()).output().is_err() {
        eprintln!("skipped: there is no script(1)");
        return;
    }
    let shown = outcome(&mut command, b"").text().replace('\r', "");
    assert!(shown.contains("waiting for 'pipe'") && shown.ends_with("\nx\n"), "{shown}");
}

#[test]
fn foreign_text_is_escaped_on_a_terminal() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n")]);
    for odd in ["\u{61c}", "\u{85}", "\u{ad}", "\u{202e}", "\u{3164}", "\u{e0001}", "\u{1b}"] {
        let (word, flag) = (format!("x{odd}y"), format!("--x{odd}y"));
        for arguments in [
            &[&word[..]][..],
            &["help", &word],
            &["man", &word],
            &["schema", &word],
            &[&flag],
            &["read", &flag],
            &["read", "--lines", &word, "a.md"],
            &["list", "--sort", &word],
            &["read", &word],
            &["patch", &word, "a.md"],
            &["completions", &word],
            &["--install", &word],
        ] {
            let shown = screen(sandbox.command().args(arguments), 80);
            let escaped = odd.escape_unicode().to_string();
            assert!(shown.contains(&escaped), "{arguments:?}: {shown:?}");
            assert!(!shown.contains(&format!("x{odd}")), "{arguments:?}: {shown:?}");
        }
    }
}

#[test]
fn endless_files_are_read_only_by_commands_that_read_pipes() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\nx\n"), ("d/b.md", "# B\n\nx\n")]);
    for pipe in ["pipe.md", "d/pipe.md"] {
        outcome(sandbox.command_of("mkfifo").arg(pipe), b"").succeeds();
    }
    sandbox.run(&["links", "pipe.md"]).exits(2).tells("'pipe.md': it is a pipe").tells("hint: -");
    sandbox.run(&["links", "/dev/zero", "--as", "markdown"]).exits(2).tells("it is a device");
    for operation in [&["replace", "--text", "x"][..], &["append"]] {
        let arguments = [&["patch"], operation, &["pipe.md", "--dry-run", "-c", "y"]].concat();
        sandbox.run(&arguments).exits(2).tells("a pipe");
    }
    let rename = ["patch", "rename", "a.md", "--heading", "A", "-c", "B", "--links-in", "pipe.md"];
    sandbox.run(&rename).exits(2).tells("'pipe.md': it is a pipe");
    for command in [&["inspect", "d"][..], &["links", "d"], &["grep", "x", "d"], &["list", "d"]] {
        sandbox.run(command).exits(0);
    }
}

#[test]
fn a_closed_pipe_ends_a_run_without_an_error() {
    let sandbox = Sandbox::new();
    sandbox.write("n.txt", numbers(200_000));
    let headings: String = (0..50_000).map(|number| format!("# {number}\n\n")).collect();
    sandbox.write("h.md", &headings);
    for arguments in [
        &["read", "n.txt"][..],
        &["read", "-n", "n.txt"],
        &["read", "n.txt", "n.txt"],
        &["read", "n.txt:1", "--to-next", "never"],
        &["read", "--json", "n.txt", "n.txt"],
        &["inspect", "h.md"],
        &["inspect", "--json", "h.md"],
        &["inspect", "."],
        &["inspect", "--mode", "search", "--query", "1", "."],
    ] {
        let mut child = sandbox.command().args(arguments).spawn().unwrap();
        let mut stdout = BufReader::with_capacity(64, child.stdout.take().unwrap());
        let mut line = Vec::new();
        (&mut stdout).take(100).read_until(b'\n', &mut line).unwrap();
        assert!(!line.is_empty());
        drop(stdout);
        let ended = child.wait_with_output().unwrap();
        assert!(
            ended.stderr.is_empty(),
            "{arguments:?}: {:?}",
            String::from_utf8_lossy(&ended.stderr)
        );
        assert_eq!(ended.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_full_disk_is_reported() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else {
        eprintln!("skipped: there is no /dev/full");
        return;
    };
    let sandbox = sandbox();
    let mut command = sandbox.command();
    command.args(["read", "n.txt"]).stdout(full);
    let outcome = outcome(&mut command, b"").exits(2);
    assert!(outcome.errors().contains("No space left"), "{outcome}");
}

#[test]
fn the_null_device_is_an_empty_file() {
    let sandbox = Sandbox::new();
    sandbox.run(&["read", "/dev/null"]).succeeds().prints("");
    sandbox.run(&["inspect", "/dev/null"]).exits(0).prints("");
    let piece = Piece::one(&sandbox.run(&["read", "--json", "/dev/null"]).succeeds());
    assert_eq!(piece.total_lines, Some(0));
}

#[test]
fn a_fifo_is_read_like_a_stream() {
    let sandbox = Sandbox::with(&[("source", "# A\n1\n# B\n2\n")]);
    let made = outcome(sandbox.command_of("mkfifo").arg("pipe"), b"");
    assert_eq!(made.status, Some(0), "{made}");
    for (arguments, expected) in [
        (&["read", "pipe"][..], "# A\n1\n# B\n2\n"),
        (&["read", "pipe", "--section", "B"], "# B\n2\n"),
        (&["read", "pipe", "--tail", "1"], "2\n"),
        (&["read", "pipe:3"], "# B\n"),
        (&["inspect", "pipe"], "pipe:1-2:# A\npipe:3-4:# B\n"),
    ] {
        let mut writer = sandbox.command_of("sh");
        let mut writer = writer.args(["-c", "cat source > pipe"]).spawn().unwrap();
        sandbox.run(arguments).succeeds().prints(expected);
        let _ = writer.kill();
        let _ = writer.wait();
    }
    // A walk does not wait for a pipe and does not print it.
    sandbox.run(&["inspect", "."]).exits(0).prints("");
}

#[test]
#[cfg(target_os = "linux")]
fn every_file_that_can_be_opened_is_read() {
    let sandbox = Sandbox::with(&[("source", "# A\n1\n")]);
    let folio = sandbox.command().get_program().to_owned();
    for (line, expected) in [
        (r#""$0" read <(cat source)"#, "# A\n1\n"),
        (r#""$0" read <(sleep 0.2; cat source)"#, "# A\n1\n"),
        (r#""$0" read <(true)"#, ""),
        (r#"exec 9< <(true); sleep 0.1; "$0" read /dev/fd/9"#, ""),
        (r#"cat source | "$0" read /dev/stdin"#, "# A\n1\n"),
        (r#"(sleep 0.2; cat source) | "$0" grep 1 /dev/stdin"#, "2:1\n"),
        (r#""$0" read /dev/stdin < source"#, "# A\n1\n"),
        (r#""$0" read --addresses-from <(sleep 0.1; echo source:2)"#, "==> source:2 <==\n1\n"),
        (r#""$0" read /proc/self/comm"#, "folio\n"),
        (r#""$0" grep -c . /dev/null"#, ""),
    ] {
        let mut bash = sandbox.command_of("bash");
        let told = outcome(bash.args(["-c", line]).arg(&folio), b"");
        assert_eq!((told.text().as_str(), told.errors().as_str()), (expected, ""), "{line}");
    }
}

#[test]
fn a_fifo_is_waited_for_until_it_is_written_to() {
    let sandbox = Sandbox::new();
    outcome(sandbox.command_of("mkfifo").arg("pipe"), b"").succeeds();
    let start = || {
        let mut command = sandbox.command();
        let reader = command.args(["read", "pipe:2"]).stdin(Stdio::null()).stdout(Stdio::piped());
        reader.spawn().unwrap()
    };
    let reader = start();
    std::thread::sleep(Duration::from_millis(300));
    std::fs::write(sandbox.path("pipe"), "one\ntwo\n").unwrap();
    assert_eq!(reader.wait_with_output().unwrap().stdout, b"two\n");
    let mut reader = start();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(reader.try_wait().unwrap(), None);
    reader.kill().unwrap();
    reader.wait().unwrap();
}

#[test]
fn values_may_begin_with_a_dash() {
    let text = "-top = 1\n[-s]\n-k = 2\n";
    let sandbox = Sandbox::with(&[
        ("a.md", "# -h\n-x\n\n<a id=\"-a\"></a>\n\n- item\n"),
        ("a.ini", text),
        ("-dash.md", "# D\n"),
    ]);
    let check = |arguments: &[&str], expected: &str| {
        sandbox.run(&[&["read"], arguments].concat()).succeeds().prints(expected);
    };
    let whole = "# -h\n-x\n\n<a id=\"-a\"></a>\n\n- item\n";
    check(&["a.md", "--section", "-h"], whole);
    check(&["a.md", "--heading", "-h"], whole);
    check(&["a.md", "--body", "-h"], &whole[5..]);
    check(&["a.md", "--text", "-x"], "-x\n");
    check(&["a.md", "--text=-x"], "-x\n");
    check(&["a.md", "--pattern", "-x$"], "-x\n");
    check(&["a.md", "--search", "-x", "-C", "0"], "-x\n");
    check(&["a.md:1", "--to-next", "-x"], "# -h\n");
    check(&["a.md", "--anchor", "-a"], "<a id=\"-a\"></a>\n\n- item\n");
    check(&["a.md", "--text", "-x", "--in", "-h"], "-x\n");
    check(&["a.md", "--section-pattern", "-x", "--section", "-x"], &whole[5..]);
    check(&["a.ini", "--key", "-top"], "-top = 1\n");
    check(&["a.ini", "--section", "-s", "--key", "-k"], "-k = 2\n");
    check(&["./-dash.md"], "# D\n");
    check(&["--", "-dash.md"], "# D\n");
    let search = ["inspect", "a.md", "--mode", "search", "--query", "-x"];
    sandbox.run(&search).succeeds().prints("a.md:2:-x\n");
    let own = ["inspect", "a.md", "--only", "sections", "--section-pattern", "-x"];
    sandbox.run(&own).succeeds().prints("a.md:2-6:-x\n");
    sandbox.run(&["inspect", "-g", "-d*"]).succeeds().prints("./-dash.md:1:# D\n");
}

#[test]
fn a_label_may_begin_with_a_dash() {
    let outcome = sandbox().run(&["read", "n.txt", "--encoding", "-x", "--json"]).exits(2);
    assert_eq!(outcome.json_error().code, "UNSUPPORTED_ENCODING");
}

#[test]
fn colors_are_used_only_on_terminals_by_default() {
    let sandbox = sandbox();
    let paints = |arguments: &[&str], environment: &[(&str, &str)]| {
        let arguments = [&["inspect", "guide.md"], arguments].concat();
        sandbox.run_with_environment(&arguments, environment).succeeds().text().contains('\x1b')
    };
    assert!(!paints(&[], &[]));
    assert!(!paints(&["--color", "auto"], &[]));
    assert!(paints(&["--color", "always"], &[]));
    assert!(paints(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(!paints(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(paints(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!paints(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!paints(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(paints(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]));
    assert!(!paints(&["--json", "--color", "always"], &[]));
}

#[test]
fn colors_do_not_change_the_text() {
    let sandbox = sandbox();
    for arguments in [
        &["inspect", "guide.md"][..],
        &["inspect", "--tokens", "guide.md"],
        &["inspect", "--mode", "search", "--query", "Set", "-C", "1", "guide.md"],
        &["inspect", "--mode", "lines", "--query", "1-3", "guide.md"],
        &["read", "guide.md"],
        &["read", "-n", "guide.md"],
        &["read", "n.txt:1", "n.txt:2"],
        &["read", "gone"],
    ] {
        let plain = sandbox.run(arguments);
        let painted = sandbox.run(&[arguments, &["--color", "always"]].concat());
        assert_eq!(without_colours(&painted.text()), plain.text(), "{arguments:?}");
        assert_eq!(without_colours(&painted.errors()), plain.errors(), "{arguments:?}");
    }
    // The contents of files are not colored.
    let read = sandbox.run(&["read", "n.txt", "--color", "always"]).succeeds();
    read.prints(numbers(20));
}

/// Removes the color sequences, `ESC [ … m`, from a text.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}

#[test]
fn standard_input_is_read_once_and_only_when_it_is_named() {
    let sandbox = sandbox();
    sandbox.run_with_input(&["read", "n.txt:1"], "unused").succeeds().prints("1\n");
    sandbox.run_with_input(&["read"], "unused").exits(2).prints("").tells("folio read -");
    sandbox
        .run_with_input(&["read", "-", "n.txt:1"], "in\n")
        .succeeds()
        .prints("==> -:1 <==\nin\n\n==> n.txt:1 <==\n1\n");
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
            let told = sandbox.run(command).exits(2).prints("");
            let message = format!(
                "folio {}: 'n.txt': binary file: it contains a NUL byte\n\
                 hint: folio {} --binary  # read it as text anyway\n",
                command[0],
                command.join(" ")
            );
            assert_eq!(told.errors(), message);
        }
        assert_eq!(std::fs::read(sandbox.path("n.txt")).unwrap(), text);
        let told = sandbox.run(&["grep", "-n", "foo", "n.txt"]);
        assert!(!told.stdout.contains(&0), "{told}");
    }
}

#[test]
fn errors_contain_the_problem_and_a_command() {
    let check = |arguments: &[&str], status: i32, expected: &str| {
        let told = sandbox().run(&[&["read"], arguments].concat()).exits(status).prints("");
        assert_eq!(told.errors(), expected, "{arguments:?}");
    };
    check(
        &["n.txt:30"],
        1,
        "folio read: 'n.txt': no line 30: the file has 20 lines\n\
         hint: folio read n.txt:11-20  # the last lines\n",
    );
    check(
        &["guide.md", "--section", "zzz"],
        1,
        "folio read: 'guide.md': no section 'zzz'\n\
         hint: folio inspect guide.md  # list all\n",
    );
    check(
        &["guide.md", "--front-matter"],
        1,
        "folio read: 'guide.md': it has no front matter\n\
         hint: folio inspect guide.md  # list its parts\n",
    );
    check(&["n.txt", "--lines", "0"], 2, "folio read: --lines: line numbers start at 1, not 0\n");
}
