//! Compares `folio grep` with ripgrep: the lines, counts and exit statuses for a table of options
//! and inputs. Without `rg`, the tests print a note and are skipped.

use crate::support::{Outcome, Sandbox, outcome, utf16};

const PROSE: &str = "\
The quick brown fox\n\
jumps over the lazy dog.\n\
\n\
foo\n\
foo bar foo\n\
    foo_bar food\n\
FOO Bar\n\
naïve café übermut\n\
1.5 + -2 = x\n\
the end\tfoo\n\
last foo without an end";

const CODE: &str = "\
fn main() {\n\
    let the_foo = 1; // foo\n\
    println!(\"{the_foo}\");\n\
}\n";

fn inputs() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("prose.txt", PROSE),
        ("code.rs", CODE),
        ("empty.md", ""),
        ("blank.md", "\n\n"),
        ("a b.md", "# The foo\n\nfoo: 1\n"),
        ("sub/deep/c:1.md", "the foo\nbar\nfoo\nbar\nbar\nfoo\n"),
        (".hidden.md", "hidden foo\n"),
        (".ignore", "ignored.md\n"),
        ("ignored.md", "ignored foo\n"),
        ("patterns", "foo\nquick\n"),
        ("many.txt", &"foo bar\nnothing\n".repeat(300)),
    ]);
    sandbox.write("crlf.txt", PROSE.replace('\n', "\r\n"));
    sandbox.write("mixed.txt", "foo\r\nfoo\nx\rfoo\rx\n foo\r\n\r\n\nfoo \r\n");
    sandbox.write("utf16le.txt", utf16("foo one\nnone\r\nThe naïve foo\n", true));
    sandbox.write("utf16be.txt", utf16("foo one\nnone\nfoo", false));
    sandbox.write("bom.txt", "\u{feff}foo first\nbar\nfoo\n");
    sandbox.write("bytes.txt", b"caf\xe9 foo\n\xff\xfe\nfoo \xc3\n");
    sandbox.write("binary.bin", b"foo\n\0\nfoo\n");
    sandbox.write("late.bin", [&b"foo\n".repeat(30), &b"\0foo\n"[..]].concat());
    sandbox
}

fn is_there(sandbox: &Sandbox) -> bool {
    let there = sandbox.command_of("rg").arg("--version").output().is_ok();
    if !there {
        // Shown with `--nocapture`, because tests cannot be skipped at run time.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"ripgrep is not installed: nothing is compared\n",
        );
    }
    there
}

fn ripgrep(sandbox: &Sandbox, arguments: &[&str], input: &[u8]) -> Outcome {
    let defaults = ["--no-config", "--sort", "path", "-n", "--crlf", "--color", "never"];
    let mut command = sandbox.command_of("rg");
    command.args(defaults).args(["--no-heading"]).args(arguments);
    if !input.is_empty() {
        command.stdin(std::process::Stdio::piped());
    }
    outcome(&mut command, input)
}

/// Returns the output. With `--crlf`, ripgrep adds a missing last line ending in the form `\r\n`.
fn described(outcome: &Outcome) -> String {
    let stdout = String::from_utf8_lossy(&outcome.stdout).replace("\r\n", "\n");
    format!("status {:?}\n{stdout}", outcome.status)
}

/// Returns the first line that differs, if there is one.
fn difference(arguments: &[&str], ours: &Outcome, theirs: &Outcome) -> Option<String> {
    let (ours, theirs) = (described(ours), described(theirs));
    let mut pairs = ours.split('\n').zip(theirs.split('\n'));
    let found = pairs.find(|(ours, theirs)| ours != theirs);
    let (our, their) = match found {
        Some(pair) => pair,
        None if ours == theirs => return None,
        None => ("(more or less)", ""),
    };
    Some(format!("{arguments:?}\n  folio: {our:?}\n     rg: {their:?}"))
}

fn compare(sandbox: &Sandbox, arguments: &[&str]) -> Option<String> {
    let theirs = ripgrep(sandbox, arguments, b"");
    let ours = sandbox.run(&[&["grep"], arguments].concat());
    difference(arguments, &ours, &theirs)
}

#[track_caller]
fn check(differences: Vec<String>) {
    assert!(differences.is_empty(), "\n{}\n", differences.join("\n"));
}

#[test]
fn options_have_the_same_meaning_as_in_ripgrep() {
    let sandbox = inputs();
    if !is_there(&sandbox) {
        return;
    }
    let patterns =
        ["foo", "the", "^foo", "foo$", "fo+", r"\bfoo\b", "^$", "o.b", r"\w+ foo", "x|y"];
    let flags: &[&[&str]] = &[
        &[],
        &["-i"],
        &["-S"],
        &["-w"],
        &["-x"],
        &["-F"],
        &["-v"],
        &["-c"],
        &["-l"],
        &["--files-without-match"],
        &["-o"],
        &["-N"],
        &["-I"],
        &["-m", "2"],
        &["-c", "-m", "2"],
        &["-c", "-v"],
        &["-c", "-o"],
        &["-C", "1"],
        &["-A", "2"],
        &["-B", "1"],
        &["-A", "1", "-B", "2", "-v"],
        &["-0"],
        &["-l", "-0"],
        &["-a"],
        &["--hidden"],
        &["-."],
        &["--no-ignore"],
        &["--max-depth", "1"],
        &["-g", "*.md"],
        &["-g", "!*.md"],
        &["-g", "sub/**"],
        &["-t", "rust"],
        &["-T", "rust"],
        &["-i", "-w", "-c"],
        &["-q"],
        &["-q", "--files-without-match"],
        &["-j", "1"],
        &["-s", "-i"],
    ];
    let table = patterns.iter().flat_map(|pattern| flags.iter().map(move |flags| (pattern, flags)));
    let compare =
        |(pattern, flags): (&&str, &&[&str])| compare(&sandbox, &[flags, &[*pattern][..]].concat());
    check(table.filter_map(compare).collect());
}

#[test]
fn operands_have_the_same_meaning_as_in_ripgrep() {
    let sandbox = inputs();
    if !is_there(&sandbox) {
        return;
    }
    let table: &[&[&str]] = &[
        &["foo", "prose.txt"],
        &["foo", "crlf.txt"],
        &["foo$", "crlf.txt"],
        &["^$", "crlf.txt"],
        &["foo.", "crlf.txt"],
        &["-o", "foo.*", "crlf.txt"],
        &["-x", "foo", "mixed.txt"],
        &["foo$", "mixed.txt"],
        &["-c", r"\s$", "mixed.txt"],
        &["foo", "prose.txt", "code.rs"],
        &["-I", "foo", "prose.txt", "code.rs"],
        &["-H", "foo", "prose.txt"],
        &["foo", "sub"],
        &["foo", "sub", "code.rs"],
        &["foo", "utf16le.txt"],
        &["foo", "utf16be.txt"],
        &["foo", "bom.txt"],
        &["^foo", "bom.txt"],
        &["foo", "bytes.txt"],
        &["(?-u)\\xff", "bytes.txt"],
        &["foo", "binary.bin"],
        &["-c", "foo", "binary.bin"],
        &["foo", "binary.bin", "prose.txt"],
        &["-a", "foo", "binary.bin"],
        &["foo", "late.bin"],
        &["-e", "foo", "prose.txt"],
        &["-e", "foo", "-e", "quick", "prose.txt"],
        &["-f", "patterns", "prose.txt"],
        &["-f", "patterns", "-e", "lazy", "prose.txt"],
        &["-e", "-2", "prose.txt"],
        &["-F", "-e", "1.5 +", "prose.txt"],
        &["foo", "missing.txt"],
        &["foo", "missing.txt", "prose.txt"],
        &["-q", "foo", "missing.txt", "prose.txt"],
        &["nothing at all", "prose.txt"],
        &["-U", "foo\\nfoo bar", "prose.txt"],
        &["-U", "-o", "foo\\n.*bar", "prose.txt"],
        &["-U", "dog\\.\\s+foo$", "crlf.txt"],
        &["-U", "-c", "foo\\s+foo", "prose.txt"],
        &["-U", "-c", "foo", "prose.txt"],
        &["-U", "-c", "$", "code.rs"],
        &["-U", "-c", "-m", "1", "bar\nfoo", "sub/deep/c:1.md"],
        &["-U", "-c", "-m", "2", "foo\nbar", "sub/deep/c:1.md"],
        &["-U", "-m", "1", "foo\nbar", "sub/deep/c:1.md"],
        &["-U", "-o", "o\n", "sub/deep/c:1.md"],
        &["-U", "-o", "\\.\\n\\s*\\w", "prose.txt"],
        &["--null-data", "foo", "prose.txt"],
        &["-S", "-e", "foo", "-e", "Bar", "prose.txt"],
        &["--max-columns", "10", "foo", "prose.txt"],
        &["-o", "-w", "foo", "prose.txt"],
        &["-w", "-2", "prose.txt"],
        &["foo", "many.txt"],
        &["-C", "3", "foo", "many.txt"],
    ];
    check(table.iter().filter_map(|arguments| compare(&sandbox, arguments)).collect());
}

#[test]
fn standard_input_is_searched_as_ripgrep_does() {
    let sandbox = inputs();
    if !is_there(&sandbox) {
        return;
    }
    let table: [&[&str]; 4] = [&["foo", "-"], &["-c", "foo", "-"], &["-v", "foo"], &["foo"]];
    let compare = |arguments: &&[&str]| {
        let input = PROSE.as_bytes();
        let theirs = ripgrep(&sandbox, arguments, input);
        let ours = sandbox.run_with_input(&[&["grep"], *arguments].concat(), input);
        difference(arguments, &ours, &theirs)
    };
    check(table.iter().filter_map(compare).collect());
}
