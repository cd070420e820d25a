//! Patterns, and options that `grep` refuses or explains.

use super::work;
use crate::support::Sandbox;

#[test]
fn invalid_patterns_show_the_position() {
    let sandbox = work();
    sandbox.run(&["grep", "a(b"]).exits(2).tells("unclosed group");
    sandbox.run(&["grep", r"\w{1000}{1000}"]).exits(2).tells("more than 10 MiB");
    sandbox.run(&["grep", "-P", "foo"]).exits(2).tells("look-around");
    sandbox.run(&["grep", "--section-pattern", "(", "foo"]).exits(2).tells("--section-pattern");
    sandbox.run(&["grep"]).exits(2).tells("pattern");
    sandbox
        .run(&["grep", "a\nb"])
        .exits(2)
        .tells("--multiline")
        .tells("the pattern contains a line ending");
    sandbox.run(&["grep", "--in", "", "foo"]).exits(2).tells("--in is empty");
    sandbox.run(&["read", "--in", "", "--head", "1", "WORK.md"]).exits(2).tells("--in is empty");
    let error = sandbox.run(&["grep", "--json", "a(b"]).exits(2).json_error();
    assert_eq!(error.code, "INVALID_PATTERN");
}

#[test]
fn patterns_may_begin_with_a_hyphen() {
    let sandbox = Sandbox::with(&[("a.txt", "-foo\n--bar\n")]);
    sandbox.run(&["grep", "-e", "-foo", "a.txt"]).succeeds().prints("1:-foo\n");
    sandbox.run(&["grep", "--", "--bar", "a.txt"]).succeeds().prints("2:--bar\n");
    sandbox.run(&["grep", "--regexp", "--bar", "a.txt"]).succeeds().prints("2:--bar\n");
    let with_sections = ["grep", "-k", "--section-pattern", "--bar", "-e", "-foo", "a.txt"];
    sandbox.run(&with_sections).succeeds().prints("a.txt:1:-foo\n");
}

#[test]
fn conflicting_options_are_refused() {
    let sandbox = work();
    for (flags, parts) in [
        (&["-k", "-N"][..], ["--section-hints", "--no-line-number"]),
        (&["-W", "-c"], ["--section-context", "--count"]),
        (&["-k", "--null-data"], ["--section-hints", "--null-data"]),
        (&["--files-without-match", "--max-total=1"], ["--files-without-match", "--max-total"]),
        (&["--only-code", "--outside-code"], ["--only-code", "--outside-code"]),
    ] {
        let outcome = sandbox.run(&[&["grep", "foo"], flags].concat()).exits(2);
        for part in parts {
            assert!(outcome.errors().contains(part), "{outcome}");
        }
    }
}

#[test]
fn recursion_flags_change_nothing() {
    let plain = work().run(&["grep", "foo"]).stdout;
    work().run(&["grep", "-R", "foo", "."]).succeeds().prints(&plain);
}

#[test]
fn recursion_options_of_grep_are_refused_or_explained() {
    let sandbox = Sandbox::with(&[("sub/a.md", "alpha\n"), ("b.md", "alpha\n")]);
    let refused = |line: &[&str], hint: &str| {
        sandbox.run(line).exits(2).prints("").tells(hint);
    };
    let what = "-r replaces matches with 'alpha', and the pattern 'sub' is a directory\n\
                hint: folio grep alpha sub  # directories are searched without -r\n\
                hint: folio grep -r alpha sub .  # for that pattern\n";
    refused(&["grep", "-r", "alpha", "sub"], what);
    refused(&["grep", "-lir", "alpha", "."], "hint: folio grep -l -i alpha .  #");
    refused(&["grep", "-r", "-i", "sub", "--json"], r#""line":"folio grep --json -i sub""#);
    refused(&["grep", "-r", "alpha"], "hint: folio grep alpha  # directories");
    // If both interpretations are possible, a note explains the option.
    let note = "-r replaces matches in the output, as in ripgrep";
    sandbox.run(&["grep", "-rn", "alpha", "sub"]).exits(0).tells(note);
    sandbox.run(&["grep", "-r", "-e", "alpha", "sub"]).exits(0).tells(note);
    sandbox.run(&["grep", "-r", "alpha", "sub", "b.md"]).exits(1).tells(note);
    sandbox.run(&["grep", "-r", "alpha", "b.md"]).exits(1).tells(note);
    sandbox.run(&["grep", "-r", "beta", "alpha", "b.md"]).exits(0).prints("1:beta\n");
}

#[test]
fn a_pattern_that_looks_like_an_option_gets_a_hint() {
    let sandbox = Sandbox::with(&[("a.txt", "--bar\n-x\n")]);
    sandbox.run(&["grep", "--bar", "a.txt"]).exits(2).tells("-e --bar");
    sandbox.run(&["grep", "--", "--bar", "a.txt"]).succeeds().prints("1:--bar\n");
    sandbox.run(&["grep", "-e-x", "a.txt"]).succeeds().prints("2:-x\n");
    sandbox.run(&["grep", "--regexp=-x", "a.txt"]).succeeds().prints("2:-x\n");
    sandbox.run(&["grep", "-e", "-x", "-e", "--bar", "-c", "a.txt"]).succeeds().prints("2\n");
    sandbox.run(&["grep", "-Fwe", "-x", "a.txt"]).succeeds().prints("2:-x\n");
    let in_section = ["grep", "--in", "-a", "-e", "x", "a.txt"];
    sandbox.run(&in_section).exits(1).tells("no section '-a'");
}

#[test]
fn a_glob_instead_of_a_path_gets_the_option() {
    let sandbox = Sandbox::with(&[("docs/a.md", "foo\n"), ("docs/b.txt", "foo\n")]);
    let glob = sandbox.run(&["grep", "-l", "foo", "docs/*.md"]).exits(2);
    glob.tells("hint: folio grep -l foo docs --glob 'docs/*.md'");
    sandbox
        .run(&["grep", "-l", "foo", "docs", "--glob", "docs/*.md"])
        .succeeds()
        .prints("docs/a.md\n");
    sandbox.run(&["grep", "-l", "foo", "no/*.md"]).exits(2).tells("No such file");
}
