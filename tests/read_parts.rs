//! `folio read`: many parts of one file, parts that limits cut, and tables.

use std::fmt::Write;

use crate::support::shapes::{Piece, Record};
use crate::support::{Sandbox, numbers};

/// Reads a part in pieces, each by the command that the one before tells.
#[track_caller]
fn check_pages(sandbox: &Sandbox, arguments: &[&str], limit: &[&str]) {
    let whole = sandbox.run(&[&["read"], arguments].concat()).exits(0).text();
    let mut read = String::new();
    let mut command: Vec<String> =
        [&["read", "--json"], arguments].concat().iter().map(|word| (*word).to_owned()).collect();
    for _ in 0..100 {
        command.extend(limit.iter().map(|word| (*word).to_owned()));
        let piece = Piece::one(&sandbox.run(&command).succeeds());
        read.push_str(piece.content.as_str());
        assert!(!piece.truncated || piece.next_line.is_some(), "{command:?}");
        let Some(hint) = piece.hints.first() else { break };
        assert!(piece.truncated, "{command:?}");
        let args = hint["args"].as_array().expect("arguments");
        command = vec!["read".to_owned()];
        command.extend(args.iter().map(|word| word.as_str().expect("a text").to_owned()));
    }
    assert_eq!(read, whole, "{arguments:?} {limit:?}");
}

#[test]
fn what_a_limit_leaves_is_read_by_the_command_it_tells() {
    let text = "# A\n\n- one\n\n  ```sh\n  first\n    second line\n\n  third\n  ```\n\n> | a | b |\n\
                > |---|---|\n> | c | d |\n> | e | f |\n\ntext\n\n## B\n\nlast\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("n.txt", &numbers(30))]);
    for limit in [
        &["--max-bytes", "1"][..],
        &["--max-bytes", "8"],
        &["--max-bytes", "20"],
        &["--max-lines", "1"],
        &["--max-lines", "2"],
    ] {
        for part in [
            &["a.md", "--code-block", "0"][..],
            &["a.md", "--code-block", "sh:0", "--in", "A"],
            &["a.md", "--code-block", "0", "--fences"],
            &["a.md", "--table", "0"],
            &["a.md", "--section", "A", "--no-children"],
            &["a.md"],
            &["n.txt:3-7,12-14,20-"],
            &["n.txt:3", "--to-next", "^1.$"],
            &["n.txt:28", "--to-next", "x", "-i"],
            &["n.txt:3", "--limit", "7"],
            &["n.txt", "--head", "4"],
            &["n.txt", "--tail", "4"],
        ] {
            check_pages(&sandbox, part, limit);
        }
    }
}

#[test]
fn a_code_block_is_cut_between_lines() {
    let text = "- ```\n  naïve\n  é\n  ```\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let outcome = sandbox.run(&["read", "a.md", "--code-block", "0", "--max-bytes", "8"]).exits(0);
    outcome.prints("naïve\n").tells("folio read a.md --code-block 0 --from 3");
    sandbox.run(&["read", "a.md", "--code-block", "0", "--from", "3"]).succeeds().prints("é\n");
    let json = ["read", "--json", "a.md", "--code-block", "0", "--max-lines", "1"];
    let piece = Piece::one(&sandbox.run(&json).succeeds());
    assert_eq!((piece.lines(), piece.next_line, piece.returned_lines), ((2, 2), Some(3), 1));
    let last = Piece::one(&sandbox.run(&["read", "--json", "a.md", "--code-block", "0"]));
    assert_eq!((last.lines(), last.truncated, last.has_more), ((2, 3), false, false));
    sandbox.run(&["read", "a.md", "--code-block", "0", "--from", "9"]).exits(1).tells("line 3");
}

#[test]
fn a_line_that_is_longer_than_the_limit_is_whole() {
    let sandbox = Sandbox::with(&[("a", "äöü\nx\n"), ("one", "1234567")]);
    let outcome = sandbox.run(&["read", "a", "--max-bytes", "3"]).exits(0).prints("äöü\n");
    let told = "line 1 is longer than --max-bytes, and given as a whole";
    outcome.tells(told).tells("folio read a:2-");
    sandbox.run(&["read", "one", "--max-bytes", "3"]).exits(0).prints("1234567").tells(told);
    sandbox.run(&["read", "one", "--max-bytes", "7"]).succeeds().prints("1234567");
}

#[test]
fn addresses_of_files_come_in_the_order_they_were_asked_for() {
    let sandbox = Sandbox::with(&[("a", "a1\na2\na3\n"), ("b", "b1\nb2\nb3\n")]);
    let list = "b:3\na:2-3\nb:1-2\ngone:1\na:1\nb:9\na:3\nb:2:text\na:1-2\n";
    let outcome = sandbox.run_with_input(&["read", "--addresses-from", "-"], list).exits(1);
    let outcome = outcome.prints(
        "==> b:3 <==\nb3\n\n==> a:2-3 <==\na2\na3\n\n==> b:1-2 <==\nb1\nb2\n\n==> a:1 <==\na1\n\n\
         ==> a:1-2 <==\na1\na2\n",
    );
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
fn standard_input_is_read_once_for_several_parts() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.run_with_input(&["read", "-:2", "-:1"], "1\n2\n").succeeds();
    outcome.prints("==> -:2 <==\n2\n\n==> -:1 <==\n1\n");
}

#[test]
fn many_addresses_of_a_file_take_one_pass() {
    // Each was a pass over the file: forty thousand took 20 seconds.
    const COUNT: u64 = 40_000;
    let sandbox = Sandbox::with(&[("n.txt", &numbers(COUNT))]);
    let mut list = String::new();
    for line in (1..=COUNT).rev() {
        writeln!(list, "n.txt:{line}:x").expect("a text");
    }
    let begun = std::time::Instant::now();
    let outcome = sandbox.run_with_input(&["read", "--addresses-from", "-"], &list).succeeds();
    assert!(begun.elapsed().as_secs() < 15, "{:?}", begun.elapsed());
    assert!(outcome.text().starts_with("==> n.txt:40000 <==\n40000\n"));
    assert!(outcome.text().ends_with("==> n.txt:1 <==\n1\n"));
}

#[test]
fn a_file_with_a_nul_is_read_only_on_demand() {
    let sandbox = Sandbox::new();
    sandbox.write("nul", "a\0b\nc\n");
    for part in [&["nul"][..], &["nul:1"], &["nul", "--text", "a"], &["nul:1", "nul:2"]] {
        let outcome = sandbox.run(&[&["read"], part].concat()).exits(2).prints("");
        outcome.tells("'nul': it is not text: it holds a NUL byte");
    }
    sandbox.run(&["read", "-a", "nul:1"]).succeeds().prints("a\0b\n");
    sandbox.run(&["read", "--json", "nul"]).exits(2).prints("");
}

#[test]
fn errors_stand_between_the_parts_of_other_operands() {
    let sandbox = Sandbox::with(&[("a", "1\n")]);
    let outcome = sandbox.run(&["read", "a:1", "a:5", "gone", "a:1"]).exits(2);
    let outcome = outcome.prints("==> a:1 <==\n1\n\n==> a:1 <==\n1\n");
    let errors = outcome.errors();
    let told: Vec<&str> = errors.lines().filter(|line| line.starts_with("folio read: ")).collect();
    assert_eq!(
        told,
        [
            "folio read: 'a': no line 5: the file has 1 line",
            "folio read: 'gone': No such file or directory"
        ]
    );
}

const TABLES: &str = "# A\n\nintro\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\n| no |\n|----|\n```\n\n\
                      ## B\n\n> - | in | list |\n>   |----|------|\n>   | a  | b    |\n> | c |\n\nend\n";

#[test]
fn a_table_is_read_by_its_number() {
    let sandbox = Sandbox::with(&[("t.md", TABLES)]);
    let check = |arguments: &[&str], expected: &str| {
        sandbox.run(&[&["read", "t.md"], arguments].concat()).succeeds().prints(expected);
    };
    check(&["--table", "0"], "| x | y |\n|---|---|\n| 1 | 2 |\n");
    // Of a quote or list it has no marks.
    let inner = "| in | list |\n|----|------|\n| a  | b    |\n";
    check(&["--table", "1"], inner);
    check(&["--table", "0", "--in", "B"], inner);
    check(&["--target", r#"{"table":{"index":1}}"#], inner);
    let piece = Piece::one(&sandbox.run(&["read", "--json", "t.md", "--table", "0"]));
    assert_eq!((piece.lines(), piece.returned_lines), ((4, 6), 3));
    assert_eq!(piece.target.expect("a target")["table"]["index"], 0);
    sandbox
        .run(&["read", "t.md", "--table", "2"])
        .exits(1)
        .tells("no table 2: the document has 2, numbered from 0")
        .tells("folio inspect --only tables t.md");
    sandbox.run(&["read", "t.md", "--table", "1", "--in", "B"]).exits(1).tells("the section has 1");
    sandbox.run(&["read", "t.md", "--table", "x"]).exits(2);
}

#[test]
fn a_run_takes_plain_options() {
    use folio::commands::output::Collected;
    use folio::commands::read::{Options, Selection, run};
    use folio::commands::target::Target;
    use folio::files::env::Env;

    let sandbox = Sandbox::with(&[("t.md", TABLES)]);
    let env = Env::new(&sandbox.path(".")).expect("a directory");
    let selection = Selection::Target { target: Target::Table(0), from: Some(6) };
    let options = Options { addresses: vec!["t.md".into()], selection, ..Options::default() };
    for _ in 0..2 {
        let mut sink = Collected::text();
        run::run(&options, &env, &mut sink).expect("a run");
        assert_eq!(String::from_utf8_lossy(&sink.written), "| 1 | 2 |\n");
    }
    // What makes no sense is refused before a file is looked for.
    let selection = Selection::Target { target: Target::section("A"), from: Some(2) };
    let options = Options { addresses: vec!["gone".into()], selection, ..Options::default() };
    let error = run::run(&options, &env, &mut Collected::json()).expect_err("a refusal");
    assert_eq!(error.message, "--from and --section contradict each other");
    let list = Some("-".into());
    let options = Options { addresses_from: list, raw: true, checksum: true, ..Options::default() };
    let error = run::run(&options, &env, &mut Collected::text()).expect_err("a refusal");
    assert_eq!(error.message, "--raw and --checksum contradict each other");
}
