//! Invalid options and values: the message, and the same error as JSON.

use crate::support::Sandbox;
use crate::support::documents::few_files;
use crate::support::failures::check_failure;

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
        let error =
            check_failure(arguments, 2, "INVALID_PATTERN", &[flag, "a(b", "\n     ^", "unclosed"]);
        assert!(error.message.contains("a(b"), "{error:?}");
    }
    check_failure(&["read", "n.txt:1", "--to-next", ""], 2, "INVALID_ARGUMENT", &["--to-next"]);
}

#[test]
fn a_pattern_that_needs_too_much_memory_is_refused() {
    let pattern = r"((\w{100}){100}){100}";
    check_failure(&["read", "n.txt", "--pattern", pattern], 2, "INVALID_PATTERN", &["--pattern"]);
    let nested = "(".repeat(5000) + &")".repeat(5000);
    check_failure(&["read", "n.txt", "--pattern", &nested], 2, "INVALID_PATTERN", &["--pattern"]);
}

#[test]
fn an_unknown_encoding_is_reported() {
    for command in ["read", "inspect"] {
        let arguments = [command, "n.txt", "--encoding", "klingon"];
        check_failure(&arguments, 2, "UNSUPPORTED_ENCODING", &["klingon", "utf-8"]);
    }
}

#[test]
fn unknown_options_and_values_are_reported_with_similar_ones() {
    check_failure(
        &["read", "n.txt", "--sectoin", "x"],
        2,
        "INVALID_ARGUMENT",
        &["--sectoin", "--section"],
    );
    check_failure(
        &["inspect", "n.txt", "--outlin"],
        2,
        "INVALID_ARGUMENT",
        &["--outlin", "--outline"],
    );
    check_failure(
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
        few_files().run(words).exits(2).tells("unexpected option").tells(&hint);
    }
    few_files().run(&["read", "n.txt", "--section"]).exits(2).tells("--section");
    check_failure(
        &["read", "n.txt", "--color", "x"],
        2,
        "INVALID_ARGUMENT",
        &["auto", "always", "never"],
    );
}

#[test]
fn usage_errors_are_json_for_every_way_to_request_json() {
    for asked in [&["--json"][..], &["--format=json"], &["--format", "json"]] {
        let outcome = few_files().run(&[&["read", "n.txt", "--bogus"], asked].concat()).exits(2);
        assert_eq!(outcome.json_error().code, "INVALID_ARGUMENT");
        let outcome =
            few_files().run(&[&["read", "n.txt", "--head", "1", "--tail", "1"], asked].concat());
        assert_eq!(outcome.exits(2).json_error().code, "INVALID_ARGUMENT");
    }
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
    let sections = ["inspect", "a.md", "--only", "sections", "--section-pattern", "-x"];
    sandbox.run(&sections).succeeds().prints("a.md:2-6:-x\n");
    sandbox.run(&["inspect", "-g", "-d*"]).succeeds().prints("./-dash.md:1:# D\n");
}

#[test]
fn a_label_may_begin_with_a_dash() {
    let outcome = few_files().run(&["read", "n.txt", "--encoding", "-x", "--json"]).exits(2);
    assert_eq!(outcome.json_error().code, "UNSUPPORTED_ENCODING");
}

#[test]
fn errors_contain_the_problem_and_a_command() {
    let check = |arguments: &[&str], status: i32, expected: &str| {
        let outcome = few_files().run(&[&["read"], arguments].concat()).exits(status).prints("");
        assert_eq!(outcome.errors(), expected, "{arguments:?}");
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

#[test]
fn invalid_commands_are_reported_in_json() {
    let sandbox = Sandbox::new();
    for line in
        [&["bogus", "--json"][..], &["--bogus", "--format", "json"], &["help", "bogus", "--json"]]
    {
        assert_eq!(sandbox.run(line).exits(2).json_error().code, "INVALID_ARGUMENT");
    }
}
