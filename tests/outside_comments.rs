//! `--outside-comments` ignores text in HTML comments.

use crate::support::Sandbox;

const TEXT: &str = "# A\n\nfoo <!-- foo -->\n<!-- foo\n# B foo\n-->\n\n```html\n<!-- foo -->\n```\n\n\
                    a <!-- x --> b foo\n# C\n";

#[test]
fn matches_in_comments_are_skipped() {
    let sandbox = Sandbox::with(&[("a.md", TEXT), ("a.txt", "<!-- foo -->\n")]);
    let grep = |words: &[&str]| sandbox.run(&[&["grep", "foo"], words].concat());
    grep(&["a.md", "-c"]).succeeds().prints("5\n");
    let all = "3:foo <!-- foo -->\n9:<!-- foo -->\n12:a <!-- x --> b foo\n";
    grep(&["a.md", "--outside-comments"]).succeeds().prints(all);
    grep(&["a.md", "--outside-comments", "-c"]).succeeds().prints("3\n");
    let both = ["a.md", "--outside-comments", "--outside-code", "-c"];
    grep(&both).succeeds().prints("2\n");
    // Files in other formats have no such comments.
    grep(&["a.txt", "--outside-comments"]).succeeds().prints("1:<!-- foo -->\n");
    sandbox.write("b.md", "<!-- foo -->\n");
    grep(&["b.md", "--outside-comments"]).exits(1).tells("but none outside of comments");
    grep(&["--outside-comments", "-l", "a.md", "b.md"]).succeeds().prints("a.md\n");
}

#[test]
fn matches_in_comments_are_not_edited() {
    for text in [TEXT.to_owned(), format!("\u{feff}{}", TEXT.replace('\n', "\r\n"))] {
        let sandbox = Sandbox::with(&[("a.md", &text), ("b.md", &text)]);
        let replace = ["replace", "--text", "foo", "-c", "bar", "--occurrence", "all"];
        let run = [&["patch"], &replace[..], &["--outside-comments", "a.md"]].concat();
        sandbox.run(&run).exits(0);
        let expected = text
            .replacen("foo <!--", "bar <!--", 1)
            .replace("```html\n<!-- foo", "```html\n<!-- bar")
            .replace("```html\r\n<!-- foo", "```html\r\n<!-- bar")
            .replace("b foo", "b bar");
        assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).unwrap(), expected);
        let edit = r#"{"filePath":"b.md","operation":"replace","target":{"pattern":"fo+"},
            "occurrence":"all","content":"bar","outsideComments":true,"expect":3}"#;
        sandbox.run_with_input(&["patch", "apply", "-"], edit).exits(0);
        assert_eq!(std::fs::read_to_string(sandbox.path("b.md")).unwrap(), expected);
    }
    let sandbox = Sandbox::with(&[("a.md", "<!-- foo -->\n")]);
    let run = ["patch", "replace", "a.md", "--text", "foo", "-c", "x", "--outside-comments"];
    sandbox.run(&run).exits(1).tells("outside of comments");
    let run = ["patch", "delete", "a.md:1", "--outside-comments"];
    sandbox.run(&run).exits(2).tells("--outside-comments");
}

#[test]
fn a_boundary_in_a_comment_is_skipped() {
    let sandbox = Sandbox::with(&[("a.md", TEXT)]);
    let read = |words: &[&str]| {
        sandbox.run(&[&["read", "a.md", "--from", "1", "--to-next", "^# "], words].concat())
    };
    let to =
        |line: usize| TEXT.lines().take(line).map(|line| format!("{line}\n")).collect::<String>();
    read(&[]).exits(0).prints(to(4));
    read(&["--outside-comments"]).exits(0).prints(to(12));
    let cut = read(&["--outside-comments", "--max-lines", "2"]).exits(0);
    cut.tells("folio read --max-lines 2 a.md:3-12\n");
    sandbox.run(&["read", "a.md", "--outside-comments"]).exits(2).tells("needs --to-next");
    let batch = r#"{"filePath":"a.md","target":{"from":1,"toNext":"^# ","outsideComments":true}}"#;
    let outcome = sandbox.run_with_input(&["read", "--batch", "-", "--json"], batch).succeeds();
    assert_eq!(outcome.json()["target"]["outsideComments"], true);
}
