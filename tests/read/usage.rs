//! Combinations of options that `read` refuses.

use super::{check_error, sandbox};

#[test]
fn two_ends_or_targets_are_refused() {
    let selections: &[&[&str]] = &[
        &["--to-next", "x"],
        &["--to-section-end"],
        &["--limit", "1"],
        &["--section-context"],
        &["--head", "1"],
        &["--tail", "1"],
        &["--lines", "1"],
        &["--section", "x"],
        &["--body", "x"],
        &["--heading", "x"],
        &["--code-block", "0"],
        &["--anchor", "x"],
        &["--front-matter"],
        &["--text", "x"],
        &["--pattern", "x"],
        &["--search", "x"],
        &["--target", r#"{"section":"x"}"#],
    ];
    let sandbox = sandbox();
    for (at, first) in selections.iter().enumerate() {
        for second in &selections[at + 1..] {
            // The search for a text may be restricted to a section, and a code block has symbols.
            let with_section = ["--text", "--pattern", "--code-block"];
            if first[0] == "--section" && with_section.contains(&second[0]) {
                continue;
            }
            let outcome = sandbox
                .run(&[&["read", "guide.md:1"], *first, second].concat())
                .exits(2)
                .prints("");
            for flag in [first[0], second[0]] {
                assert!(outcome.errors().contains(flag), "{flag}: {outcome}");
            }
        }
    }
}

#[test]
fn a_start_with_another_way_to_name_a_part_is_refused() {
    for flag in [
        &["--head", "1"][..],
        &["--tail", "1"],
        &["--lines", "1"],
        &["--section", "x"],
        &["--body", "x"],
        &["--heading", "x"],
        &["--anchor", "x"],
        &["--front-matter"],
        &["--text", "x"],
        &["--pattern", "x"],
        &["--search", "x"],
        &["--section", "x", "--no-children"],
    ] {
        let arguments = [&["guide.md", "--from", "1"], flag].concat();
        check_error(&arguments, 2, "INVALID_ARGUMENT", &["--from", flag[0]]);
        let arguments = [&["guide.md:1-2"], flag].concat();
        check_error(&arguments, 2, "INVALID_ARGUMENT", &[]);
        let arguments = [&["guide.md#usage"], flag].concat();
        check_error(&arguments, 2, "INVALID_ARGUMENT", &[]);
    }
    check_error(&["guide.md:1", "--from", "2"], 2, "INVALID_ARGUMENT", &["--from"]);
    check_error(&["guide.md#usage", "--from", "2"], 2, "INVALID_ARGUMENT", &["--from"]);
}

#[test]
fn an_end_needs_a_line_to_start_from() {
    check_error(&["guide.md", "--to-next", "x"], 2, "INVALID_ARGUMENT", &["--to-next", "--from"]);
    check_error(
        &["guide.md", "--to-section-end"],
        2,
        "INVALID_ARGUMENT",
        &["--to-section-end", "--from"],
    );
    check_error(&["guide.md", "-W"], 2, "INVALID_ARGUMENT", &["--section-context", "--from"]);
    check_error(&["guide.md#usage", "--to-next", "x"], 2, "INVALID_ARGUMENT", &["--to-next"]);
    check_error(&["guide.md:1-5", "--to-next", "x"], 2, "INVALID_ARGUMENT", &["--to-next"]);
}

#[test]
fn options_without_the_option_they_modify_are_refused() {
    for (arguments, parts) in [
        (&["--outside-code"][..], ["--outside-code", "--to-next"]),
        (&["--no-children"], ["--no-children", "--section"]),
        (&["--fences"], ["--fences", "--code-block"]),
        (&["--value"], ["--value", "--key"]),
        (&["-C", "1"], ["--context", "--text"]),
        (&["-0", "--json"], ["--null", "--json"]),
        (&["-i"], ["--ignore-case", "--to-next"]),
        (&["--in", "x"], ["--in", "--section"]),
        (&["--no-total"], ["--no-total", "--json"]),
        (&["--no-headers", "--json"], ["--no-headers", "--json"]),
        (&["--no-headers", "--checksum"], ["--no-headers", "--checksum"]),
    ] {
        let outcome =
            sandbox().run(&[&["read", "guide.md"], arguments].concat()).exits(2).prints("");
        for part in parts {
            assert!(outcome.errors().contains(part), "{part}: {outcome}");
        }
    }
}

#[test]
fn conflicting_output_options_are_refused() {
    for (first, second) in [
        ("--show-whitespace", "--json"),
        ("--raw", "--json"),
        ("--raw", "--number"),
        ("--raw", "--show-whitespace"),
        ("--number", "--checksum"),
        ("--raw", "--checksum"),
    ] {
        let outcome = sandbox().run(&["read", "guide.md", first, second]).exits(2).prints("");
        for flag in [first, second] {
            assert!(outcome.errors().contains(flag), "{flag}: {outcome}");
        }
    }
}

#[test]
fn lists_of_parts_exclude_other_operands() {
    check_error(&["--batch", "-", "guide.md"], 2, "INVALID_ARGUMENT", &["--batch"]);
    check_error(
        &["--addresses-from", "-", "guide.md"],
        2,
        "INVALID_ARGUMENT",
        &["--addresses-from"],
    );
    check_error(
        &["--addresses-from", "-", "--batch", "-"],
        2,
        "INVALID_ARGUMENT",
        &["--addresses-from", "--batch"],
    );
    check_error(&["--batch", "-", "--section", "x"], 2, "INVALID_ARGUMENT", &["--batch"]);
    check_error(&["--batch", "gone"], 2, "NOT_FOUND", &["gone"]);
    check_error(&["--addresses-from", "gone"], 2, "NOT_FOUND", &["gone"]);
    check_error(&[], 2, "INVALID_ARGUMENT", &["folio read"]);
}

/// Without a file, standard input is read if it is a pipe or a file.
#[test]
fn a_pipe_is_read_without_a_name() {
    let sandbox = sandbox();
    let piped = |text: &str| sandbox.run_with_input(&["read", "--section", "B"], text);
    piped("# A\n\n# B\ntext\n").succeeds().prints("# B\ntext\n");
    piped("").exits(2).tells("no file was named, and standard input is empty");
    sandbox.run(&["read", "--section", "B"]).exits(2).tells("a file is needed");
}
