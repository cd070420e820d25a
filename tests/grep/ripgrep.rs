//! `folio help ripgrep`: tests each row of the page, and compares folio with ripgrep if it is
//! installed.

use std::collections::BTreeSet;

use crate::support::{Outcome, Sandbox, outcome};

/// A row of the page: the forms of an option, and its description.
struct Row {
    flags: Vec<String>,
    verdict: String,
}

impl Row {
    fn is(&self, what: &str) -> bool {
        self.verdict.starts_with(what)
    }
}

fn rows() -> Vec<Row> {
    let page = Sandbox::new().run(&["help", "ripgrep"]).succeeds().text();
    let rows = page.lines().filter_map(|line| {
        let (flags, verdict) = line.strip_prefix("  -")?.split_once("  ")?;
        let flags = format!("-{flags}").split(", ").map(str::to_owned).collect();
        Some(Row { flags, verdict: verdict.trim().to_owned() })
    });
    rows.collect()
}

fn inputs() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("a.txt", "foo one\n  foo two foo\nbar\nbaz\nend foo\n"),
        ("B.md", "Foo\nbar foo\n\tfoo x\n"),
        ("d.txt", "no\n"),
        ("sub/c.txt", "foo\nx\nfoo\ny\nz\nw\nfoo\n"),
        ("sub/deep/e.rs", "naïve foo\nfood\n"),
        (".hidden.txt", "foo\n"),
        (".ignore", "ignored.txt\n"),
        ("ignored.txt", "foo\n"),
        (".rgignore", "own.txt\n!listed.txt\n"),
        ("own.txt", "foo\n"),
        ("listed.txt", "foo\n"),
        (".gitignore", "git.txt\nlisted.txt\n"),
        ("git.txt", "foo\n"),
        (".git/info/exclude", "excluded.txt\n"),
        ("excluded.txt", "foo\n"),
        ("rules", "d.txt\nsub/deep\n"),
        ("patterns", "foo\nbar\n"),
        ("crlf.txt", "a foo\r\nfoo b\r\n"),
    ]);
    sandbox.write("binary.dat", b"foo\n\0bar\nfoo\n");
    sandbox.write("utf16.txt", crate::support::utf16("foo one\nnone\n", true));
    std::os::unix::fs::symlink("sub", sandbox.path("link")).unwrap();
    sandbox
}

/// Arguments for both `rg` and `folio grep`.
const LINES: &str = r"
-e foo -e bar
--regexp foo a.txt
-f patterns
--file patterns a.txt
-F o.e
--fixed-strings foo
-i FOO
--ignore-case FOO
-i -s Foo
--case-sensitive Foo
-S Foo
--smart-case foo
-w foo
--word-regexp foo
-x foo
--line-regexp foo
-v foo
--invert-match foo
--invert-match --no-invert-match foo
-U foo\nx
--multiline --column o$\n\s+foo
-U --vimgrep bar\nbaz
-U --no-multiline foo
-U --multiline-dotall two.*baz
-U --multiline-dotall --no-multiline-dotall two.*baz
--no-unicode na\w+
--no-unicode --unicode na\w+
--crlf foo$ crlf.txt
--stop-on-nonmatch foo sub
-A1 foo
--after-context 1 foo sub
-B1 foo
--before-context 2 foo sub
-C1 foo
--context 1 foo a.txt
-A1 -C2 foo sub
--passthru foo
--passthru -o foo a.txt
--passthru -N foo B.md
-o foo
--only-matching fo+
-r X foo
--replace <$0> -o foo
-r [$1] f(o+)
-r [${all}] (?P<all>fo)
-r X --vimgrep foo
-r X -c foo
-r X --column fo.
-c foo
--count foo
-c -o foo
--count-matches foo
-c --include-zero foo
-0 --heading foo a.txt B.md
--count-matches --include-zero foo
-c --count-matches foo
--count-matches -c foo
-x -w foo
-w -x foo
-wx bar
-lc foo
-l --files-without-match foo
--files-without-match -l foo
--files -q
--files -q -g *.none
-c --include-zero --no-include-zero foo
-l foo
--files-with-matches foo
--files-without-match foo
--files
--files sub a.txt
--files -g *.md
--files -0
--files nope a.txt
-q foo
--quiet nothing
-m1 foo
--max-count 2 foo
-m1 -A1 end
-n foo
--line-number foo
-N foo
--no-line-number foo
-n -N foo
-N -n foo
-H foo a.txt
--with-filename foo a.txt
-I foo
--no-filename foo
--column foo
--column -o foo
--column -v foo
--column -C1 foo
--column --no-column foo
-b foo a.txt sub
-b -o foo B.md sub
--byte-offset -C1 foo a.txt sub
-b -v foo sub
-b --no-byte-offset foo
--vimgrep foo
--vimgrep -o foo
--vimgrep -C1 foo sub
--vimgrep -v foo
--vimgrep foo a.txt
--heading foo
--heading -C1 foo
--heading --vimgrep foo
--heading -c foo
--heading --no-heading foo
--no-heading -C1 foo
--no-heading --heading foo
-p --color never foo
--pretty --color never -C1 foo
-p --no-heading --color=never foo
--hyperlink-format none foo
--hyperlink-format vscode -C1 foo
--hyperlink-format x:{path} foo a.txt
--trim foo
--trim -C1 foo
--trim --column foo
--trim -M4 foo
--trim --no-trim foo
-M8 foo
--max-columns 8 -C1 foo
-M0 foo
-M8 --max-columns-preview foo
-M8 --max-columns-preview --column foo
-M8 --max-columns-preview --no-max-columns-preview foo
--context-separator ++ -C1 foo
--context-separator \x2b\t -A1 foo
--no-context-separator -C1 foo
--no-context-separator --context-separator ++ -C1 foo
--field-match-separator ; foo
--field-match-separator \t --column foo
--field-context-separator ;; -C1 foo
-0 foo
--null -l foo
--null -c foo
--line-buffered foo
--line-buffered --no-line-buffered foo
--block-buffered foo
--block-buffered --no-block-buffered foo
--color never foo
--color always --color never foo
--no-messages foo nope a.txt
--no-messages nothing nope a.txt
--no-messages --messages foo a.txt
--no-ignore-messages foo
--no-ignore-messages --ignore-messages foo
-g *.txt foo
--glob !*.txt foo
-g sub/** foo
-g *.txt -g !a.txt foo
--iglob *.TXT foo
--iglob !B.MD foo
--glob-case-insensitive -g *.TXT foo
--glob-case-insensitive --no-glob-case-insensitive -g *.txt foo
-tmd foo
--type rust foo
-tall foo
-Tmd foo
--type-not txt foo
--type-add w:*.dat -tw foo
--type-add w:*.d* -Tw foo
--type-add w:include:md,rust -tw foo
--type-clear md --type-add md:*.txt -tmd foo
-. foo
--hidden foo
--hidden --no-hidden foo
--no-hidden --hidden foo
--no-ignore foo
--no-ignore --ignore foo
--no-ignore-exclude foo
--no-ignore-exclude --ignore-exclude foo
--no-ignore-files --ignore-file rules foo
--ignore-files --ignore-file rules foo
--no-ignore-global foo
--no-ignore-global --ignore-global foo
--no-ignore-parent foo sub
--no-ignore-parent --ignore-parent foo
--no-ignore-vcs foo
--no-ignore-vcs --ignore-vcs foo
--no-require-git foo
--no-require-git --require-git foo
--ignore-file rules foo
--ignore-file rules --no-ignore foo
-u foo
-uu foo
-uuu foo
-uuu --files
--unrestricted foo
--unrestricted --unrestricted foo
--binary foo
--binary --no-binary foo
-a foo binary.dat
--text foo
-a --no-text foo
-L foo
--follow foo
-L --no-follow foo
--max-depth 1 foo
-d1 foo
--maxdepth 1 foo
--max-filesize 20 foo
--max-filesize 1K --files
--one-file-system foo
--one-file-system --no-one-file-system foo
--sort path foo
--sortr path foo
--sortr path -l foo
--sort none foo a.txt
--null-data foo a.txt
-E utf-16le foo utf16.txt
--encoding latin1 foo sub
-E latin1 --no-encoding foo
-E auto foo sub
-F --no-fixed-strings fo+
-j1 foo
--threads 2 foo
--mmap foo
--no-mmap foo
--no-config foo
--no-pcre2 foo
--no-auto-hybrid-regex foo
--no-pre foo
--no-search-zip foo
--no-sort-files foo a.txt
--sort-files foo
-c --stats --no-stats foo
-ic FOO
-inw foo a.txt
-lSg*.md foo
-C1 -C0 foo
-n -n foo
-m1 -m2 foo
";

/// Options whose output is not compared with ripgrep, and the reason.
const ELSEWHERE: &[(&str, &str)] = &[
    ("--type-list", "its own version decides"),
    ("--no-ignore-dot", "ripgrep 13 reads .rgignore all the same"),
    ("--sortr", "its order by time is another in ripgrep 13"),
];

fn ripgrep(sandbox: &Sandbox, arguments: &[&str]) -> Option<Outcome> {
    let mut command = sandbox.command_of("rg");
    command.args(["--no-config", "-n"]);
    for pair in [["--sort", "path"], ["--color", "never"]] {
        // ripgrep 13 does not accept repeated options.
        if !arguments.iter().any(|argument| argument.starts_with(pair[0])) {
            command.args(pair);
        }
    }
    command.output().is_ok().then(|| outcome(command.args(arguments), b""))
}

/// Compares the output and the exit status. ripgrep 13 refuses newer options, and some repeated
/// options.
fn difference(sandbox: &Sandbox, arguments: &[&str]) -> Option<String> {
    let theirs = ripgrep(sandbox, arguments)?;
    let is_unknown = ["wasn't expected", "unrecognized", "more than once", "<PATTERN>"]
        .iter()
        .any(|words| theirs.errors().contains(words));
    let ours = sandbox.run(&[&["grep"], arguments].concat());
    if is_unknown {
        let is_taken = !ours.errors().contains("there is no flag");
        return (!is_taken).then(|| format!("{arguments:?}\n{ours}"));
    }
    let is_same = ours.text() == theirs.text() && ours.status == theirs.status;
    (!is_same).then(|| format!("{arguments:?}\nfolio:\n{ours}\nripgrep:\n{theirs}"))
}

#[test]
fn options_marked_as_same_behave_the_same() {
    let sandbox = inputs();
    if ripgrep(&sandbox, &["foo"]).is_none() {
        eprintln!("ripgrep is not installed: nothing is compared");
        return;
    }
    let lines = LINES.lines().filter(|line| !line.is_empty());
    let found: Vec<String> = lines
        .filter_map(|line| difference(&sandbox, &line.split(' ').collect::<Vec<_>>()))
        .collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn every_row_is_tested() {
    let words: BTreeSet<&str> = LINES.split_whitespace().collect();
    let is_typed = |flag: &String| {
        let is_short = |word: &&str| flag.len() == 2 && word.starts_with(flag.as_str());
        words.contains(flag.as_str()) || words.iter().any(is_short)
    };
    let elsewhere = |flag: &String| ELSEWHERE.iter().any(|(other, _)| other == flag);
    for row in rows().iter().filter(|row| row.is("same")) {
        for flag in &row.flags {
            assert!(is_typed(flag) || elsewhere(flag), "{flag}");
        }
    }
    let sandbox = inputs();
    sandbox.run(&["grep", "--type-list"]).succeeds().tells("");
    sandbox.run(&["grep", "--no-ignore-dot", "-l", "foo", "own.txt", "."]).succeeds();
}

#[test]
fn options_marked_as_refused_are_refused_with_an_alternative() {
    let sandbox = inputs();
    let rows = rows();
    let refused: Vec<&String> =
        rows.iter().filter(|row| row.is("refused")).flat_map(|row| &row.flags).collect();
    assert!(refused.len() > 15, "{refused:?}");
    for flag in refused {
        let outcome = sandbox.run(&["grep", flag, "foo", "a.txt"]).exits(2).prints("");
        let messages = outcome.tells(&format!("{flag} is not supported: ")).errors();
        assert!(
            messages.lines().filter(|line| line.starts_with("hint: ")).count() > 1,
            "{messages}"
        );
    }
}

#[test]
fn every_flag_of_ripgrep_is_on_the_page() {
    let sandbox = Sandbox::new();
    let Some(help) = ripgrep(&sandbox, &["-h"]) else { return };
    let rows = rows();
    let known: BTreeSet<&str> =
        rows.iter().flat_map(|row| &row.flags).map(String::as_str).collect();
    assert!(known.len() > 100, "{}", known.len());
    // Options that every command has, and those described below the rows.
    let common = ["-h", "--help", "-V", "--version", "--no-config"];
    let help = help.text();
    let flags = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let flags = flags.flat_map(|line| {
        let names = line.split("  ").next().unwrap_or_default();
        names.split(", ").filter_map(|name| name.split([' ', '=']).next()).collect::<Vec<_>>()
    });
    let missing: Vec<&str> =
        flags.filter(|flag| !known.contains(flag) && !common.contains(flag)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn an_invalid_value_is_one_error() {
    let sandbox = inputs();
    let cases: &[&[&str]] = &[
        &["-E", "a|b", "foo", "a.txt", "d.txt", "sub"],
        &["-t", "nothing", "foo", "sub", "."],
        &["-g", "[", "foo", "sub", "."],
        &["--type-add", "x", "foo", "sub", "."],
        &["--ignore-file", "nope", "foo", "sub", "."],
        &["--max-filesize", "1x", "foo", "sub", "."],
        &["--field-match-separator", "\\q", "foo"],
    ];
    for arguments in cases {
        let outcome = sandbox.run(&[&["grep"], *arguments].concat()).exits(2).prints("");
        let errors = outcome.errors();
        assert_eq!(errors.matches("folio grep: ").count(), 1, "{errors}");
    }
    let outcome = sandbox.run(&["grep", "-E", "foo|bar", "a.txt"]).exits(2);
    outcome.tells("patterns always have extended syntax");
    for command in ["read", "inspect", "links"] {
        let arguments = [command, "--encoding", "nope", "a.txt", "B.md"];
        let errors = sandbox.run(&arguments).exits(2).prints("").errors();
        assert_eq!(errors.matches(&format!("folio {command}: ")).count(), 1, "{errors}");
    }
    for command in ["inspect", "links", "list"] {
        let errors = sandbox.run(&[command, "-g", "[", "sub", "."]).exits(2).prints("").errors();
        assert_eq!(errors.matches(&format!("folio {command}: ")).count(), 1, "{errors}");
    }
}

#[test]
fn short_options_parsed_as_text_are_reported() {
    let outcome = inputs().run(&["grep", "-rn", "foo", "a.txt"]).exits(0);
    outcome.prints("1:n one\n2:  n two n\n5:end n\n").tells("-r replaces matches in the output");
    inputs().run(&["grep", "-r", "longer", "one", "a.txt"]).succeeds();
}

#[test]
fn the_last_of_two_conflicting_options_applies() {
    let sandbox = inputs();
    let grep = |line: &[&str]| sandbox.run(&[&["grep"], line, &["foo", "a.txt"]].concat()).exits(0);
    grep(&["--count-matches", "-c"]).prints("3\n");
    grep(&["-c", "--count-matches"]).prints("4\n");
    grep(&["-lc"]).prints("3\n");
    // In ripgrep 13, `-c` takes precedence regardless of the order.
    grep(&["-cl"]).prints("a.txt\n");
    grep(&["--count", "-l"]).prints("a.txt\n");
    grep(&["--files-without-match", "-l"]).prints("a.txt\n");
    sandbox.run(&["grep", "-x", "-w", "bar", "B.md"]).exits(0).prints("2:bar foo\n");
    sandbox.run(&["grep", "-w", "-x", "bar", "B.md"]).exits(1).prints("");
    grep(&["--format", "json", "--no-json", "-c"]).prints("3\n");
    assert!(grep(&["--no-json", "--format", "json", "-c"]).text().starts_with('{'));
    // Color sequences are not part of file names.
    let painted = sandbox.run(&["grep", "-p", "--no-heading", "foo", "a.txt", "d.txt"]).exits(0);
    let text = painted.text();
    assert!(text.contains("\x1b[") && text.lines().all(|line| line.contains("a.txt")), "{text}");
}

#[test]
fn an_option_that_cannot_be_negated_is_omitted() {
    let line = ["grep", "--passthru", "--no-passthru", "foo", "a.txt"];
    let hint = "hint: folio grep --passthru foo a.txt  # without it\n";
    inputs().run(&line).exits(2).tells(hint);
    let similar = "hint: folio grep --passthru foo a.txt  # similar\n";
    inputs().run(&["grep", "--no-passthru", "foo", "a.txt"]).exits(2).tells(similar);
}

#[test]
fn a_missing_file_is_reported_without_a_pattern() {
    let sandbox = inputs();
    let errors = sandbox.run(&["grep", "--files", "nothere"]).exits(2).errors();
    assert!(errors.contains("hint: ") && !errors.contains("quotes"), "{errors}");
    let similar = sandbox.run(&["grep", "--files", "a.tx"]).exits(2);
    similar.tells("hint: folio grep --files a.txt");
}

#[test]
fn an_operand_that_cannot_be_resolved_does_not_affect_others() {
    let sandbox = inputs();
    let grep = |flags: &[&str]| {
        sandbox.run(&[&["grep", "--resolve", "foo", "nope.txt", "a.txt"], flags].concat())
    };
    let outcome = grep(&["-m1"]).prints("a.txt:1:foo one\n");
    outcome.tells("'nope.txt': No such file or directory, and no file below has this name");
    let silent = grep(&["-m1", "--no-messages"]).exits(2).prints("a.txt:1:foo one\n");
    assert_eq!(silent.errors(), "");
    // A match is sufficient, even if other files do not exist.
    let quiet = grep(&["-q"]).exits(0).prints("").errors();
    assert!(quiet.contains("note: "), "{quiet}");
    grep(&["-m1", "e.rs"]).tells("'e.rs' does not exist, using 'sub/deep/e.rs'");
}

#[test]
fn option_names_of_other_programs_are_accepted() {
    let sandbox = inputs();
    sandbox
        .run(&["grep", "--colour", "never", "foo", "a.txt", "-m1"])
        .exits(0)
        .prints("1:foo one\n");
    sandbox.run(&["list", "--colour=never", "sub"]).exits(0);
    sandbox.run(&["grep", "--maxdepth", "1", "-l", "foo", "sub"]).exits(0).prints("sub/c.txt\n");
    sandbox.run(&["grep", "-E", "auto", "foo", "utf16.txt"]).exits(0).prints("1:foo one\n");
    let none = sandbox.run(&["grep", "-E", "none", "foo", "utf16.txt"]).exits(2).prints("");
    none.tells("-E none is not supported: a byte order mark always sets the encoding");
}

#[test]
fn conflicting_options_are_refused() {
    let sandbox = inputs();
    for (arguments, message) in [
        (&["--replace", "X", "--json"][..], "--replace cannot be used with --json"),
        (&["--passthru", "--json"], "--passthru cannot be used with --json"),
        (&["--vimgrep", "--json"], "--vimgrep cannot be used with --json"),
        (&["--column", "--json"], "--column cannot be used with --json"),
        (&["--trim", "--json"], "--trim cannot be used with --json"),
        (&["--heading", "--json"], "--heading cannot be used with --json"),
        (&["-M9", "--json"], "--max-columns cannot be used with --json"),
        (&["--context-separator", "+", "--json"], "--context-separator cannot be used with --json"),
        (
            &["--field-match-separator", "+", "--json"],
            "--field-match-separator cannot be used with --json",
        ),
        (
            &["--field-context-separator", "+", "--json"],
            "--field-context-separator cannot be used with --json",
        ),
        (&["-0", "--json"], "--null cannot be used with --json"),
        (&["--type-list", "--json"], "--type-list cannot be used with --json"),
        (&["--stats", "-q"], "--quiet cannot be used with --stats"),
        (&["--passthru", "--in", "X"], "--passthru cannot be used with --in"),
        (&["-W", "--column"], "--column cannot be used with --section-context"),
        (&["--style", "blocks", "--trim"], "--trim cannot be used with --style blocks"),
    ] {
        let line = [&["grep"], arguments, &["foo", "B.md"]].concat();
        sandbox.run(&line).exits(2).tells(message);
    }
}
