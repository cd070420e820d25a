//! `read --max-tokens`: a limit for all parts together.

use crate::support::records::{Piece, Record};
use crate::support::{Sandbox, numbers};

#[test]
fn an_answer_stays_within_its_tokens() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(99)), ("m.txt", &numbers(99))]);
    let piece = Piece::one(&sandbox.run(&["read", "--json", "n.txt", "--max-tokens", "3"]));
    assert_eq!((piece.content.as_str(), piece.truncated), ("1\n2\n3\n4\n5\n6\n", true));
    assert_eq!(piece.next.expect("a rest"), "n.txt:7-");
    // A limit for all parts together.
    let parts = ["read", "n.txt:1-3", "m.txt:50-", "n.txt:9", "m.txt:1", "--max-tokens", "4"];
    let outcome = sandbox.run(&parts).exits(0);
    let expected = "==> n.txt:1-3 <==\n1\n2\n3\n\n==> m.txt:50-52 <==\n50\n51\n52\n";
    let outcome = outcome.prints(expected).tells("for more: folio read --max-tokens 4 m.txt:53-\n");
    let left = "--max-tokens 4 is used up: 2 parts are left out; for more: \
                folio read n.txt:9 m.txt:1 --max-tokens 4\n";
    outcome.tells(left);
    sandbox.run(&["read", "n.txt:1", "m.txt:1", "--max-tokens", "1"]).succeeds();
}

#[test]
fn a_line_longer_than_all_tokens_is_refused_by_name() {
    let sandbox = Sandbox::with(&[("a.txt", "123\n1234567890\n"), ("b.txt", "123\n")]);
    for part in [&["a.txt:2"][..], &["a.txt:2", "--json"], &["a.txt:2", "a.txt:2"]] {
        let outcome = sandbox.run(&[&["read", "--max-tokens", "2"], part].concat()).exits(2);
        outcome.prints("").tells("line 2 is longer than --max-tokens 2").tells("a.txt:2@0-8");
    }
    // The parts after the last one that fits are omitted.
    let outcome = sandbox.run(&["read", "b.txt:1", "a.txt:2", "--max-tokens", "2"]).exits(0);
    outcome.prints("==> b.txt:1 <==\n123\n").tells("1 part is left out; for more");
    sandbox.run(&["read", "a.txt", "--max-tokens", "0"]).exits(2).tells("--max-tokens: '0' is not");
}

#[test]
fn omitted_output_is_reported_for_every_command() {
    let text = "# A\n\n1234567\n\n# B\n\nb\n";
    let sandbox = Sandbox::with(&[("a.md", text), ("list", "a.md:3\na.md:5-7\n")]);
    sandbox.write("batch", r#"[{"address":"a.md:3"},{"address":"a.md","target":{"tail":2}}]"#);
    let read = |flags: &[&str], hint: &str| {
        let outcome = sandbox.run(&[&["read", "--max-tokens", "2"], flags].concat()).exits(0);
        outcome.tells(hint);
    };
    let on = "1 part is left out; for more: folio read --max-tokens 2 a.md:5-7\n";
    read(&["--addresses-from", "list"], on);
    read(&["--batch", "batch"], "for more: folio read --max-tokens 2 a.md --tail 2\n");
    let json = ["a.md:3", "a.md:5", "--json"];
    read(&json, "1 part is left out, from index 1 on");
    // The command for the rest has the same options.
    let flags = ["--as", "text", "--encoding", "latin1", "--section-pattern", "^x", "-n"];
    let parts = [&["a.md:3", "a.md:5", "--resolve", "--show-whitespace"], &flags[..]].concat();
    let typed = "--max-tokens 2 a.md:5 --resolve --show-whitespace --as text --encoding latin1 \
                 --section-pattern '^x' -n\n";
    read(&parts, &format!("for more: folio read {typed}"));
    let parts = ["a.md:3", "a.md:5", "--checksum"];
    read(&parts, "folio read --max-tokens 2 a.md:5 --checksum\n");
    let outcome = sandbox.run(&["read", "a.md", "--max-lines", "2", "--show-whitespace"]);
    outcome.tells("folio read --max-lines 2 --show-whitespace a.md:3-\n");
}

#[test]
fn merged_parts_are_truncated_like_single_parts() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(99))]);
    sandbox.write("u.txt", crate::support::utf16(&numbers(99), true));
    for name in ["n.txt", "u.txt"] {
        let addresses: Vec<String> = (0..20).map(|at| format!("{name}:{}", at * 4 + 10)).collect();
        let words: Vec<&str> = addresses.iter().map(String::as_str).collect();
        for tokens in 1..20usize {
            let limit = ["read", "--max-tokens", &tokens.to_string()].map(str::to_owned);
            let limit: Vec<&str> = limit.iter().map(String::as_str).collect();
            let text = sandbox.run(&[&limit[..], &words].concat()).text();
            let given = text.lines().filter(|line| line.parse::<u64>().is_ok()).count();
            // Three bytes of text per part. A UTF-16 character must fit in the form in which the
            // file contains it.
            let fits = match name {
                "n.txt" => tokens * 4 / 3,
                _ => (tokens * 4).saturating_sub(6) / 3 + usize::from(tokens > 1),
            };
            assert_eq!(given, fits.min(20), "{name} {tokens}");
        }
    }
    // Only the last part that fits is truncated.
    let parts = ["read", "n.txt:10-11", "n.txt:20-29", "n.txt:40", "--max-tokens", "3"];
    let outcome = sandbox.run(&parts).exits(0);
    let expected = "==> n.txt:10-11 <==\n10\n11\n\n==> n.txt:20-21 <==\n20\n21\n";
    outcome.prints(expected).tells("1 part is left out");
}

#[test]
fn limits_apply_to_values() {
    let text = "---\nlong: |\n  one\n  two\n  three\nname: abcdefghijkl\n---\n";
    let sandbox = Sandbox::with(&[("a.md", text)]);
    let read = |key: &str, flag: &str, most: &str| {
        let line = ["read", "a.md", "--front-matter", "--key", key, "--value", flag, most];
        sandbox.run(&line)
    };
    let over = read("name", "--max-bytes", "5").exits(2).prints("");
    over.tells("the value has 13 bytes, more than --max-bytes 5")
        .tells("read --max-bytes 5 a.md:6");
    read("name", "--max-bytes", "13").exits(0).prints("abcdefghijkl\n");
    let over = read("long", "--max-lines", "2").exits(2).prints("");
    over.tells("lines, more than --max-lines 2").tells("folio read --max-lines 2 a.md:2-5");
    let over = read("name", "--max-tokens", "2").exits(2).prints("");
    over.tells("line 6 is longer than --max-tokens 2").tells("a.md:6@0-8");
    let over = read("long", "--max-tokens", "2").exits(2).prints("");
    over.tells("lines 2-5 are longer than --max-tokens 2");
    // The parts after the last one that fits are omitted.
    let batch = r#"[{"address":"a.md:3"},{"address":"a.md","target":{"frontMatter":{"key":"name"},"value":true}}]"#;
    let line = ["read", "--batch", "-", "--max-tokens", "3"];
    let outcome = sandbox.run_with_input(&line, batch).exits(0);
    outcome.prints("==> a.md:3 <==\n  one\n").tells("1 part is left out; for more");
}

#[test]
fn conflicting_limits_are_refused() {
    let sandbox = Sandbox::with(&[("a.md", "a\n")]);
    let line = ["read", "a.md", "--max-bytes", "2", "--max-tokens", "9"];
    sandbox.run(&line).exits(2).tells("--max-bytes cannot be used with --max-tokens");
}
