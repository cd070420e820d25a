//! `--hyperlink-format`: hyperlinks on file names, on a terminal but never in a pipe.

use crate::support::terminal::printed;
use crate::support::{Sandbox, outcome};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("a.md", "# A\n\nsome foo\n[x](gone.md)\n"),
        ("b c.md", "# B\n\n## Foo\n\nfoo foo\n"),
    ]);
    sandbox.write("é\x1b.md", "foo\n");
    sandbox
}

/// Returns the output of a command line on a terminal with colors. Links have the form
/// `<URL|text>`, and colors are removed.
fn shown(sandbox: &Sandbox, line: &[&str]) -> String {
    let text = raw(sandbox, line);
    let here = sandbox.path("").canonicalize().unwrap();
    let text = text.replace(here.to_str().unwrap(), "HERE");
    let mut shown = String::new();
    let mut rest = text.as_str();
    while let Some((before, sequence)) = rest.split_once('\x1b') {
        shown.push_str(before);
        rest = match sequence.strip_prefix("]8;;") {
            None => sequence.split_once('m').unwrap().1,
            Some(link) => {
                let (url, behind) = link.split_once("\x1b\\").unwrap();
                shown.push_str(&if url.is_empty() { ">".to_owned() } else { format!("<{url}|") });
                behind
            }
        };
    }
    shown + rest
}

fn raw(sandbox: &Sandbox, line: &[&str]) -> String {
    printed(sandbox.command().args(line).env("TERM", "xterm"))
}

const FORMAT: &str = "--hyperlink-format=x:{path}:{line}:{column}";

#[test]
fn file_names_and_line_numbers_of_matches_are_links() {
    let sandbox = sandbox();
    let grep = |more: &[&str]| shown(&sandbox, &[&["grep", FORMAT, "foo"], more].concat());
    assert_eq!(
        grep(&["a.md", "b c.md"]),
        "<x:HERE/a.md:1:1|a.md>\n<x:HERE/a.md:3:6|3>:some foo\n\n\
         <x:HERE/b%20c.md:1:1|b c.md>\n<x:HERE/b%20c.md:5:1|5>:foo foo\n"
    );
    assert_eq!(
        grep(&["--no-heading", "--column", "-C1", "a.md", "b c.md", "-m1"]).lines().next(),
        Some("<x:HERE/a.md:2:1|a.md-2>-")
    );
    assert_eq!(
        grep(&["--vimgrep", "b c.md"]),
        "<x:HERE/b%20c.md:5:1|b c.md:5:1>:foo foo\n<x:HERE/b%20c.md:5:5|b c.md:5:5>:foo foo\n"
    );
    assert_eq!(grep(&["-N", "-I", "a.md"]), "<x:HERE/a.md:3:6|>some foo\n");
    assert_eq!(grep(&["-l", "a.md"]), "<x:HERE/a.md:1:1|a.md>\n");
    assert_eq!(grep(&["-c", "a.md", "-H"]), "<x:HERE/a.md:1:1|a.md>:1\n");
    assert_eq!(
        grep(&["-k", "b c.md"]),
        "<x:HERE/b%20c.md:1:1|b c.md>\n<x:HERE/b%20c.md:5:1|5>:foo foo\n"
    );
    assert!(grep(&["-W", "a.md"]).starts_with("==> <x:HERE/a.md:1:1|a.md:1-4> <==\n"));
    let odd = grep(&["-l"]);
    assert!(odd.contains("<x:HERE/%C3%A9%1B.md:1:1|é\\u{1b}.md>\n"), "{odd}");
}

#[test]
fn outlines_lists_and_broken_links_are_links_too() {
    let sandbox = sandbox();
    let show = |line: &[&str]| shown(&sandbox, &[&[line[0], FORMAT], &line[1..]].concat());
    let outline = show(&["inspect", "b c.md"]);
    assert!(outline.starts_with("<x:HERE/b%20c.md:1:1|b c.md>  markdown"), "{outline}");
    assert!(
        outline.ends_with(
            "\n  <x:HERE/b%20c.md:1:1|1-5>  # B\n  <x:HERE/b%20c.md:3:1|3-5>    ## Foo\n"
        ),
        "{outline}"
    );
    let found = show(&["inspect", "--mode", "search", "--query", "some", "a.md"]);
    assert_eq!(found, "<x:HERE/a.md:3:1|a.md:3>:some foo\n");
    assert!(
        show(&["links", "a.md"])
            .starts_with("<x:HERE/a.md:1:1|a.md>\n  <x:HERE/a.md:4:5|4:5>  no file")
    );
    assert_eq!(show(&["list", "-e", "md", "-g", "a*"]), "<x:HERE/a.md:1:1|a.md>\n");
    assert!(show(&["list", "--tree"]).contains("── <x:HERE/a.md:1:1|a.md>"));
    // The name of a root is not part of the path.
    let rooted = show(&["grep", "-l", "foo", "--root", "m=.", "m/a.md"]);
    assert_eq!(rooted, "<x:HERE/a.md:1:1|m/a.md>\n");
}

#[test]
fn a_format_without_lines_links_only_names() {
    let sandbox = sandbox();
    let line = ["grep", "--hyperlink-format", "file", "foo", "a.md", "b c.md"];
    let text = shown(&sandbox, &line);
    assert!(text.starts_with("<file://") && text.contains("HERE/a.md|a.md>\n3:some"), "{text}");
    assert_eq!(text.matches('<').count(), 2, "{text}");
}

#[test]
fn only_a_terminal_with_colors_gets_links() {
    let sandbox = sandbox();
    for line in [
        &["grep", "foo", "--color", "always", "a.md", "b c.md"][..],
        &["grep", "foo", "-p", "a.md", "b c.md"],
        &["inspect", "-p", "a.md"],
        &["inspect", "--tree", "--color=always", "a.md"],
        &["list", "--tree", "--color=always"],
        &["links", "--color=always", "a.md"],
    ] {
        let piped = outcome(sandbox.command().args(line).arg(FORMAT), b"").text();
        assert!(!piped.is_empty() && !piped.contains("\x1b]"), "{line:?}: {piped:?}");
    }
    for line in [
        &["grep", "foo", "--color=never", "a.md"][..],
        &["grep", "foo", "--json", "a.md"],
        &["grep", "-l0", "foo"],
        &["list", "-0"],
    ] {
        let text = raw(&sandbox, &[line, &[FORMAT]].concat());
        assert!(!text.is_empty() && !text.contains("\x1b]"), "{line:?}: {text:?}");
    }
    for none in ["none", ""] {
        let text = raw(&sandbox, &["grep", "--hyperlink-format", none, "foo", "a.md"]);
        assert!(text.contains("some") && !text.contains("\x1b]"), "{text:?}");
    }
    // Hyperlinks are off by default.
    assert!(!raw(&sandbox, &["grep", "foo", "a.md"]).contains("\x1b]"));
}

#[test]
fn standard_input_is_not_a_link() {
    let sandbox = sandbox();
    let mut command = sandbox.command();
    command.args(["grep", "-H", "foo", "-", FORMAT]).env("TERM", "xterm");
    command.stdin(std::fs::File::open(sandbox.path("a.md")).unwrap());
    assert!(!printed(&mut command).contains("\x1b]"));
}

#[test]
fn an_invalid_format_is_refused_for_any_output() {
    let sandbox = sandbox();
    for command in ["grep", "inspect", "links", "list"] {
        let line = [command, "--hyperlink-format", "emacs", "a.md", "b c.md"];
        let outcome = sandbox.run(&line).exits(2).prints("");
        outcome.tells(
            "--hyperlink-format: 'emacs' is not a valid format: it needs a {path}, or is one of",
        );
    }
}
