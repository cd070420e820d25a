//! Addresses as operands, in standard input and in the output of other programs.

use std::fmt::Write;

use super::{check, check_error, check_guide, sandbox};
use crate::support::documents::{GUIDE, lines_of};
use crate::support::records::{Piece, Record};
use crate::support::{Outcome, Sandbox, numbers};

#[test]
fn addresses_select_lines() {
    check(&["n.txt:12"], "12\n");
    check(&["n.txt:12-14"], "12\n13\n14\n");
    check(&["n.txt:98-"], "98\n99\n100\n");
    check(&["n.txt:2-3,7,99-100"], "2\n3\n7\n99\n100\n");
    check(&["n.txt:12:5"], "12\n");
    check(&["n.txt#L12"], "12\n");
    check(&["n.txt#L12-L13"], "12\n13\n");
    check(&["n.txt:99-200"], "99\n100\n");
    check(&["./n.txt:1"], "1\n");
    check_error(&["n.txt:101"], 1, "LINE_OUT_OF_RANGE", &["101", "100 lines"]);
}

#[test]
fn addresses_select_headings_and_anchors() {
    check_guide(&[], 1, 35);
    let sandbox = sandbox();
    let read = |address: &str| sandbox.run(&["read", address]).succeeds();
    read("guide.md#installation").prints(lines_of(GUIDE, 11, 29));
    read("guide.md#project-overview").prints(lines_of(GUIDE, 7, 34));
    // The anchor of a heading selects its section. Other anchors select the lines up to the next
    // heading.
    read("guide.md#top").prints(lines_of(GUIDE, 7, 34));
    read("guide.md#linux-anchor").prints(lines_of(GUIDE, 20, 21));
    let other = Sandbox::with(&[("a.md", "# Über uns\nx\n# A\n# A\ny\n")]);
    other.run(&["read", "a.md#über-uns"]).succeeds().prints("# Über uns\nx\n");
    other.run(&["read", "a.md#%C3%BCber-uns"]).succeeds().prints("# Über uns\nx\n");
    other.run(&["read", "a.md#a-1"]).succeeds().prints("# A\ny\n");
    check_error(
        &["guide.md#instalation"],
        1,
        "TARGET_NOT_FOUND",
        &["instalation", "guide.md#installation"],
    );
}

#[test]
fn a_file_with_the_whole_name_takes_precedence() {
    let sandbox = Sandbox::with(&[
        ("a:2", "1\n2\n3\n"),
        ("a", "x\ny\n"),
        ("b#c", "# C\n"),
        ("d e", "1\n2\n"),
    ]);
    sandbox.run(&["read", "a:2"]).succeeds().prints("1\n2\n3\n");
    sandbox.run(&["read", "a:2:3"]).succeeds().prints("3\n");
    sandbox.run(&["read", "a:1"]).succeeds().prints("x\n");
    sandbox.run(&["read", "b#c"]).succeeds().prints("# C\n");
    sandbox.run(&["read", "b#c#c"]).succeeds().prints("# C\n");
    sandbox.run(&["read", "d e:2"]).succeeds().prints("2\n");
}

#[test]
fn a_path_that_begins_with_at_is_written_with_a_dot() {
    let sandbox = Sandbox::with(&[("@x", "1\n2\n")]);
    sandbox.run(&["read", "./@x:2"]).succeeds().prints("2\n");
}

#[test]
fn standard_input_has_addresses() {
    let sandbox = Sandbox::new();
    let check = |arguments: &[&str], expected: &str| {
        let arguments = [&["read"], arguments].concat();
        sandbox.run_with_input(&arguments, GUIDE).succeeds().prints(expected);
    };
    check(&["-"], GUIDE);
    check(&["-:7"], &lines_of(GUIDE, 7, 7));
    check(&["-:7-9"], &lines_of(GUIDE, 7, 9));
    check(&["-#usage"], &lines_of(GUIDE, 30, 34));
    check(&["-", "--section", "Usage"], &lines_of(GUIDE, 30, 34));
    check(&["-", "--tail", "2"], &lines_of(GUIDE, 34, 35));
    check(&["-", "--code-block", "0"], &lines_of(GUIDE, 14, 15));
    check(&["-:30", "--to-next", "^# "], &lines_of(GUIDE, 30, 34));
    check(&["-", "--text", "first entry"], &lines_of(GUIDE, 32, 32));
}

#[test]
fn several_operands_are_printed_below_their_addresses() {
    let sandbox = sandbox();
    let two = sandbox.run(&["read", "n.txt:2-3", "guide.md#usage", "n.txt:9"]).succeeds();
    two.prints(format!(
        "==> n.txt:2-3 <==\n2\n3\n\n==> guide.md:30-34 Project Overview > Usage <==\n{}\n\
         ==> n.txt:9 <==\n9\n",
        lines_of(GUIDE, 30, 34)
    ));
    let both = sandbox.run(&["read", "--head", "1", "n.txt", "app.ini"]).exits(0);
    both.prints("==> n.txt:1 <==\n1\n\n==> app.ini:1 <==\n; settings\n");
    let pieces = Piece::all(&sandbox.run(&["read", "--json", "n.txt:2", "n.txt:1"]).succeeds());
    assert!(pieces[0].content == "2\n" && pieces[1].content == "1\n" && pieces.len() == 2);
}

#[test]
fn a_failed_operand_does_not_stop_the_others() {
    let outcome = sandbox().run(&["read", "n.txt:1", "gone", "n.txt:3"]).exits(2);
    outcome.tells("gone").prints("==> n.txt:1 <==\n1\n\n==> n.txt:3 <==\n3\n");
}

/// Checks the parts that are read from addresses at the beginning of lines.
#[track_caller]
fn addressed(sandbox: &Sandbox, arguments: &[&str], input: &str) -> Outcome {
    let arguments = [&["read", "--addresses-from", "-"], arguments].concat();
    sandbox.run_with_input(&arguments, input)
}

#[test]
fn addresses_are_read_from_the_output_of_other_programs() {
    let sandbox = sandbox();
    let outcome =
        addressed(&sandbox, &[], "n.txt:3:3\nn.txt:7-8:what: 9:10\n--\n\nn.txt:12\n").succeeds();
    outcome.prints("==> n.txt:3 <==\n3\n\n==> n.txt:7-8 <==\n7\n8\n\n==> n.txt:12 <==\n12\n");
    // No line is printed twice.
    let outcome =
        addressed(&sandbox, &[], "n.txt:3-9:x\nn.txt:5:y\nn.txt:4-9:z\nn.txt:9-10:w\n").succeeds();
    outcome.prints("==> n.txt:3-10 <==\n3\n4\n5\n6\n7\n8\n9\n10\n");
    sandbox.write("list", "n.txt:3:x\n");
    let outcome = sandbox.run(&["read", "--addresses-from", "list"]).succeeds();
    outcome.prints("==> n.txt:3 <==\n3\n");
    let outcome = addressed(&sandbox, &["--json"], "n.txt:3:x\r\n").succeeds();
    assert_eq!(Piece::one(&outcome).content, "3\n");
}

#[test]
fn the_output_of_inspect_is_accepted() {
    let sandbox = sandbox();
    let listed = sandbox.run(&["inspect", "-O", "guide.md"]).succeeds();
    let outcome =
        addressed(&sandbox, &[], "guide.md:30-34:## Usage\nguide.md:11-29:## Installation\n");
    outcome.succeeds().prints(format!(
        "==> guide.md:11-34 Project Overview > Installation <==\n{}",
        lines_of(GUIDE, 11, 34)
    ));
    let outcome = addressed(&sandbox, &["--json"], &listed.text()).succeeds();
    let lines: Vec<_> = Piece::all(&outcome).iter().map(Piece::lines).collect();
    assert_eq!(lines, [(7, 34), (11, 29), (18, 29), (22, 23), (30, 34), (35, 35)]);
}

#[test]
fn lines_without_an_address_are_reported() {
    let outcome = addressed(&sandbox(), &[], "n.txt:3:x\nno address\ngone.txt:4:y\n").exits(0);
    let outcome = outcome.prints("==> n.txt:3 <==\n3\n");
    assert!(outcome.errors().contains("no address"), "{outcome}");
    addressed(&sandbox(), &[], "nothing\n").exits(2);
}

#[test]
fn names_with_colons_and_spaces_are_found_in_lines() {
    let sandbox = Sandbox::with(&[("a b: c.txt", "1\n2\n"), ("d:3", "x\ny\n"), ("d", "1\n2\n3\n")]);
    let outcome = addressed(&sandbox, &["--json"], "a b: c.txt:2:text: 5:6\nd:3:x\n").succeeds();
    let found: Vec<_> = Piece::all(&outcome)
        .iter()
        .map(|piece| (piece.file_path.as_str().to_owned(), piece.content.as_str().to_owned()))
        .collect();
    // The address ends at the leftmost number that follows the path of an existing file.
    assert_eq!(found, [("a b: c.txt".into(), "2\n".into()), ("d".into(), "3\n".into())]);
}

#[test]
fn addresses_ended_by_nul_may_contain_any_bytes() {
    let sandbox = Sandbox::with(&[("a:1:b\nc", "1\n2\n"), ("n.txt", &numbers(9))]);
    let input = "a:1:b\nc:2\0some text\nof lines\0n.txt:3-4\0x\0";
    let outcome = addressed(&sandbox, &["-0", "--json"], input).succeeds();
    let contents: Vec<_> =
        Piece::all(&outcome).iter().map(|piece| piece.content.as_str().to_owned()).collect();
    assert_eq!(contents, ["2\n", "3\n4\n"]);
}

#[test]
fn addresses_can_be_combined_with_an_end_or_context() {
    let sandbox = sandbox();
    let outcome = addressed(&sandbox, &["-W"], "guide.md:15:make\n").succeeds();
    outcome.prints(format!(
        "==> guide.md:11-29 Project Overview > Installation <==\n{}",
        lines_of(GUIDE, 11, 29)
    ));
    let outcome = addressed(&sandbox, &["--to-next", "^## "], "guide.md:7:x\n").succeeds();
    outcome.prints(format!("==> guide.md:7-10 Project Overview <==\n{}", lines_of(GUIDE, 7, 10)));
}

#[test]
fn a_section_with_several_matches_is_printed_once() {
    let listed = "guide.md:14:# not a heading\nguide.md:15:make install\nguide.md:30:## Usage\n";
    let outcome = addressed(&sandbox(), &["-W", "--json"], listed).succeeds();
    let found: Vec<_> = Piece::all(&outcome).iter().map(Piece::lines).collect();
    assert_eq!(found, [(11, 29), (30, 34)]);
}

#[test]
fn addresses_of_files_are_in_the_order_of_the_requests() {
    let sandbox = Sandbox::with(&[("a", "a1\na2\na3\n"), ("b", "b1\nb2\nb3\n")]);
    let list = "b:3\na:2-3\nb:1\ngone:1\nb:9\na:3\nb:1:text\na:2\n";
    let outcome = sandbox.run_with_input(&["read", "--addresses-from", "-"], list).exits(1);
    let outcome = outcome.prints("==> b:3 <==\nb3\n\n==> a:2-3 <==\na2\na3\n\n==> b:1 <==\nb1\n");
    outcome.tells("no line 9: the file has 3 lines").tells("'gone:1'");
    let batch = "{\"address\":\"a:3\"}\n{\"address\":\"b#x\"}\n{\"address\":\"a:1\"}\n";
    let outcome = sandbox.run_with_input(&["read", "--json", "--batch", "-"], batch).exits(1);
    let read: Vec<_> = Piece::all(&outcome).into_iter().collect();
    let contents: Vec<_> = read.iter().map(|piece| piece.content.as_str().to_owned()).collect();
    assert_eq!(contents, ["a3\n", "a1\n"]);
    assert!(read.iter().all(|piece| piece.total_lines == Some(3)));
    let checksum = ["read", "--checksum", "a:1", "b:2", "a:1-2"];
    assert_eq!(sandbox.run(&checksum).succeeds().text().lines().count(), 3);
}

#[test]
fn many_addresses_of_a_file_are_joined() {
    const COUNT: u64 = 20_000;
    let sandbox = Sandbox::with(&[("n.txt", &numbers(COUNT))]);
    let mut list = String::new();
    for line in (1..=COUNT).rev().filter(|line| line % 2 == 1 || *line > COUNT / 2) {
        writeln!(list, "n.txt:{line}:x").expect("a text");
    }
    let outcome = sandbox.run_with_input(&["read", "--addresses-from", "-"], &list).succeeds();
    assert!(outcome.text().starts_with("==> n.txt:10001-20000 <==\n10001\n"), "{outcome}");
    assert!(outcome.text().ends_with("==> n.txt:1 <==\n1\n"));
}

#[test]
fn errors_are_printed_between_the_parts_of_other_operands() {
    let sandbox = Sandbox::with(&[("a", "1\n"), ("b", "2\n")]);
    let outcome = sandbox.run(&["read", "a:1", "a:5", "gone", "b:1"]).exits(2);
    let outcome = outcome.prints("==> a:1 <==\n1\n\n==> b:1 <==\n2\n");
    let errors = outcome.errors();
    let found: Vec<&str> = errors.lines().filter(|line| line.starts_with("folio read: ")).collect();
    assert_eq!(
        found,
        [
            "folio read: 'a': no line 5: the file has 1 line",
            "folio read: 'gone': No such file or directory"
        ]
    );
}

#[test]
fn standard_input_is_read_once_for_several_parts() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run_with_input(&["read", "-:3", "-:1"], "1\n2\n3\n").succeeds();
    outcome.prints("==> -:3 <==\n3\n\n==> -:1 <==\n1\n");
}
