//! Properties of the parts of every document that `read` prints, checked on random documents.

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use crate::support::random_documents::{Document, document};
use crate::support::records::{File, Piece, Record};
use crate::support::{Sandbox, checksum};

fn name() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&["a.md", "a.ini", "a.log", "a.rs", "a"][..])
}

fn with_bytes(name: &str, bytes: &[u8]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(name, bytes);
    sandbox
}

fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .split_inclusive(|&byte| byte == b'\n')
        .collect()
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn a_file_is_read_unchanged(name in name(), Document(bytes) in document()) {
        let sandbox = with_bytes(name, &bytes);
        sandbox.run(&["read", name]).succeeds().prints(&bytes);
        sandbox.run_with_input(&["read", "-"], &bytes).succeeds().prints(&bytes);
        let piece = Piece::one(&sandbox.run(&["read", "--json", "--checksum", name]).succeeds());
        prop_assert_eq!(piece.content.to_bytes(), bytes.clone());
        prop_assert_eq!(piece.checksum, Some(checksum(&bytes)));
        prop_assert_eq!(piece.total_lines, Some(lines_of(&bytes).len() as u64));
    }

    #[test]
    fn single_lines_add_up_to_the_file(name in name(), Document(bytes) in document()) {
        let sandbox = with_bytes(name, &bytes);
        let lines = lines_of(&bytes);
        let addresses: Vec<String> =
            (1..=lines.len()).map(|line| format!("{name}:{line}")).collect();
        if !addresses.is_empty() {
            let mut arguments = vec!["read".to_owned(), "--json".to_owned()];
            arguments.extend(addresses);
            let pieces = Piece::all(&sandbox.run(&arguments).succeeds());
            let found: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.content.to_bytes()).collect();
            prop_assert_eq!(found, lines);
        }
    }

    #[test]
    fn two_halves_add_up_to_the_file(Document(bytes) in document(), at in 0..40usize) {
        let sandbox = with_bytes("a.md", &bytes);
        let lines = lines_of(&bytes);
        if lines.len() > 1 {
            let at = 1 + at % (lines.len() - 1);
            let first = sandbox.run(&["read", &format!("a.md:1-{at}")]).succeeds().stdout;
            let second = sandbox.run(&["read", &format!("a.md:{}-", at + 1)]).succeeds().stdout;
            prop_assert_eq!([first, second].concat(), lines.concat());
        }
    }

    #[test]
    fn a_section_has_the_lines_that_inspect_lists(Document(bytes) in document()) {
        check_sections(&bytes)?;
    }

    #[test]
    fn to_next_stops_before_the_first_match(Document(bytes) in document(), start in 0..40usize) {
        let sandbox = with_bytes("a.txt", &bytes);
        let lines = lines_of(&bytes);
        if !lines.is_empty() {
            let start = start % lines.len();
            let is_match = |line: &&[u8]| line.starts_with(b"## ");
            let next = lines[start + 1..].iter().position(is_match).map(|at| start + 1 + at);
            let address = format!("a.txt:{}", start + 1);
            let outcome = sandbox.run(&["read", "--json", &address, "--to-next", "^## "]).exits(0);
            let piece = Piece::one(&outcome);
            let expected = lines[start..next.unwrap_or(lines.len())].concat();
            prop_assert_eq!(piece.content.to_bytes(), expected);
            prop_assert_eq!(piece.boundary.map(|found| found.line), next.map(|at| at as u64 + 1));
        }
    }
}

/// Generates the part of a document to read in pieces.
fn part() -> impl Strategy<Value = Vec<&'static str>> {
    let parts: &[&[&str]] = &[
        &["a.md"],
        &["a.md:3-9"],
        &["a.md:2-4,6-6,9-"],
        &["a.md", "--head", "7"],
        &["a.md", "--tail", "5"],
        &["a.md:2", "--to-next", "^#"],
        &["a.md:2", "--to-next", "^```", "--outside-code"],
        &["a.md:4", "--limit", "6"],
        &["a.md:4", "--to-section-end"],
        &["a.md:4", "-W"],
        &["a.md", "--section", "Two[1]"],
        &["a.md", "--body", "One"],
        &["a.md", "--code-block", "0"],
        &["a.md", "--code-block", "1", "--fences"],
        &["-", "--from", "2", "--to-next", "^$"],
        &["-:3-12"],
        &["-", "--code-block", "0"],
    ];
    proptest::sample::select(parts).prop_map(<[&str]>::to_vec)
}

/// Reads a part to its end, by following the address in each piece.
fn check_rest(sandbox: &Sandbox, bytes: &[u8], part: &[&str], limit: &[&str]) -> TestCaseResult {
    let run = |words: &[String]| sandbox.run_with_input(words, bytes);
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let whole = run(&words(&[&["read"], part].concat()));
    if whole.status != Some(0) {
        return Ok(());
    }
    let mut command = words(&[&["read", "--json"], part].concat());
    let mut read: Vec<u8> = Vec::new();
    for _ in 0..=lines_of(bytes).len() {
        let cut = [&command[..], &words(limit)].concat();
        let piece = Piece::one(&run(&cut).exits(0));
        read.extend_from_slice(&piece.content.to_bytes());
        if !piece.truncated {
            break;
        }
        prop_assert!(piece.returned_lines > 0, "{:?}", cut);
        command = match piece.next {
            Some(next) => words(&["read", "--json", next.as_str()]),
            None => {
                let args = piece.hints[0]["args"].as_array().expect("arguments");
                let args = args.iter().map(|word| word.as_str().expect("a text").to_owned());
                std::iter::once("read".to_owned()).chain(args).collect()
            }
        };
    }
    prop_assert_eq!(read, whole.stdout, "{:?} {:?}", part, limit);
    Ok(())
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn a_truncated_read_continues_at_the_reported_line(
        Document(bytes) in document(),
        part in part(),
        by_bytes in any::<bool>(),
        limit in 1..9usize,
    ) {
        let sandbox = with_bytes("a.md", &bytes);
        let flag = if by_bytes { "--max-bytes" } else { "--max-lines" };
        let limit = if by_bytes { limit * 4 } else { limit }.to_string();
        check_rest(&sandbox, &bytes, &part, &[flag, &limit])?;
    }
}

/// Checks that reading each heading by anchor, by path and by lines returns the lines that
/// `inspect` prints.
fn check_sections(bytes: &[u8]) -> TestCaseResult {
    let sandbox = with_bytes("a.md", bytes);
    let file = File::one(&sandbox.run(&["inspect", "--json", "--flat", "a.md"]).succeeds());
    let headings = file.structure.headings.unwrap_or_default();
    let sections = file.structure.sections.unwrap_or_default();
    let lines = lines_of(bytes);
    let named = |wanted: &str| {
        // Names are compared without surrounding blanks, but a vertical tab next to them is kept.
        let headings =
            headings.iter().filter(|heading| heading.text.as_str().trim() == wanted.trim());
        let first_line = |line: u64| lines[line as usize - 1].trim_ascii();
        let entries = sections
            .iter()
            .filter(|entry| entry.marker == wanted || first_line(entry.line) == wanted.as_bytes());
        headings.count() + entries.count()
    };
    let mut batch = String::new();
    let mut expected = Vec::new();
    let mut push = |target: serde_json::Value, start: u64, end: u64| {
        let line = serde_json::json!({"filePath": "a.md", "target": target});
        batch.push_str(&format!("{line}\n"));
        expected.push((start, end));
    };
    let ids = file.structure.anchors.unwrap_or_default();
    for heading in &headings {
        let (start, end) = (heading.line, heading.end_line);
        let unique = |id: &str| headings.iter().filter(|other| other.anchor == id).count() == 1;
        if !heading.anchor.is_empty()
            && unique(&heading.anchor)
            && ids.iter().all(|anchor| anchor.id != heading.anchor)
        {
            push(serde_json::json!({"anchor": heading.anchor}), start, end);
        }
        let text = heading.text.as_str();
        // A vertical tab is not a blank in Markdown, but is trimmed from names.
        if !text.trim().is_empty() && named(text) == 1 {
            push(serde_json::json!({"section": text}), start, end);
        }
    }
    if batch.is_empty() {
        return Ok(());
    }
    let outcome = sandbox.run_with_input(&["read", "--json", "--batch", "-"], &batch).exits(0);
    let pieces = Piece::all(&outcome);
    let found: Vec<(u64, u64)> = pieces.iter().map(Piece::lines).collect();
    prop_assert_eq!(&found, &expected, "{}", batch);
    for (piece, (start, end)) in pieces.iter().zip(found) {
        let content = lines[start as usize - 1..end as usize].concat();
        prop_assert_eq!(piece.content.to_bytes(), content);
    }
    Ok(())
}
