//! Properties of batches and of distant edits, checked on random documents.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::edits::{Bytes, cases, document, end_of, joined, one_end, parts};
use crate::support::records::{File, Record};

/// Lines of documents.
const LINES: &[&str] = &[
    "# One",
    "## Two",
    "Setext",
    "===",
    "---",
    "",
    "",
    "text",
    "text ä",
    "> # Quoted",
    "- item",
    "  more",
    "    code",
    "```",
    "```",
    "~~~",
    "<!--",
    "-->",
    "[x]: /y",
    "1. one",
    "word and word",
];

/// An edit of some lines.
#[derive(Clone, Debug)]
struct Change {
    operation: &'static str,
    after: bool,
    start: usize,
    end: usize,
    content: Vec<&'static str>,
}

impl Change {
    fn json(&self) -> Value {
        let mut edit = json!({
            "address": format!("a.md:{}-{}", self.start, self.end),
            "operation": self.operation,
        });
        if self.operation != "delete" {
            edit["content"] = format!("{}\n", self.content.join("\n")).into();
            edit["preserveIndent"] = false.into();
        }
        if self.after {
            edit["after"] = true.into();
        }
        edit
    }

    /// Returns the deleted lines, counted from 0, excluding the last number.
    fn gone(&self) -> (usize, usize) {
        match (self.operation, self.after) {
            ("insert", false) => (self.start - 1, self.start - 1),
            ("insert", true) => (self.end, self.end),
            _ => (self.start - 1, self.end),
        }
    }

    fn comes(&self, ending: &[u8]) -> Vec<u8> {
        if self.operation == "delete" { Vec::new() } else { joined(&self.content, ending, ending) }
    }
}

type Drawn = (Index, Index, &'static str, bool, Vec<&'static str>);

fn drawn() -> impl Strategy<Value = Drawn> {
    let operation = proptest::sample::select(&["replace", "insert", "delete"][..]);
    let content = proptest::collection::vec(proptest::sample::select(LINES), 1..4)
        .prop_filter("the content is not empty", |lines| lines.iter().any(|line| !line.is_empty()));
    (any::<Index>(), any::<Index>(), operation, any::<bool>(), content)
}

/// Returns changes of separate lines, in the order in which they were generated.
fn apart(drawn: Vec<Drawn>, count: usize) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for (first, length, operation, after, content) in drawn {
        let start = first.index(count) + 1;
        let end = (start + length.index(3)).min(count);
        let is_apart = |other: &Change| end + 1 < other.start || other.end + 1 < start;
        if changes.iter().all(is_apart) {
            let after = after && operation == "insert";
            changes.push(Change { operation, after, start, end, content });
        }
    }
    changes
}

fn apply(before: &[u8], changes: &[Change], sequential: bool, flags: &[&str]) -> (i32, Bytes) {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", before);
    let edits: Vec<Value> = changes.iter().map(Change::json).collect();
    let edits = json!({"edits": edits, "sequential": sequential}).to_string();
    let all =
        [&["patch", "apply", "-", "--json", "--no-sync", "--no-undo", "--encoding=utf-8"], flags]
            .concat();
    let outcome = sandbox.run_with_input(&all, edits);
    if outcome.status != Some(0) {
        assert!(outcome.errors().contains("STRUCTURE_CHANGED"), "{outcome}\n{changes:?}");
    }
    let after = std::fs::read(sandbox.path("a.md")).unwrap();
    (outcome.status.unwrap_or(-1), Bytes(after))
}

fn one_after_the_other(before: &[u8], changes: &[Change]) -> Bytes {
    let (mark, lines) = parts(before);
    let ending = one_end(before).expect("one line end");
    let mut lines: Vec<Vec<u8>> = lines.into_iter().map(<[u8]>::to_vec).collect();
    let mut sorted: Vec<&Change> = changes.iter().collect();
    sorted.sort_by_key(|change| change.start);
    for change in sorted.into_iter().rev() {
        let (start, end) = change.gone();
        lines.splice(start..end, [change.comes(ending)]);
    }
    Bytes([mark, &lines.concat()].concat())
}

/// Generates a document whose lines all have the same line ending.
fn even_document() -> impl Strategy<Value = Bytes> {
    document(LINES, 30).prop_filter("one line end, and one at the end", |document| {
        let (_, lines) = parts(&document.0);
        one_end(&document.0).is_some() && lines.last().is_some_and(|line| !end_of(line).is_empty())
    })
}

/// Generates documents with long runs of plain lines, and returns the lines that are not plain.
fn long_document() -> impl Strategy<Value = (Bytes, Vec<usize>)> {
    let gap = proptest::sample::select(&[0usize, 40, 700, 3000, 9000][..]);
    let part = proptest::collection::vec(proptest::sample::select(LINES), 1..8);
    (any::<bool>(), proptest::collection::vec((gap, part), 1..4)).prop_map(
        |(windows, stretches)| {
            let end = if windows { "\r\n" } else { "\n" };
            let mut text = String::new();
            let mut odd = Vec::new();
            let mut line = 0;
            for (gap, part) in stretches {
                text.push_str(&format!("plain words {end}").repeat(gap));
                line += gap;
                for fragment in part {
                    text.push_str(fragment);
                    text.push_str(end);
                    odd.push(line);
                    line += 1;
                }
            }
            text.push_str(&format!("plain words {end}").repeat(line % 1500));
            (Bytes(text.into_bytes()), odd)
        },
    )
}

/// The lines, levels and containers of headings, and the lines of code blocks.
type Structure = (Vec<(u64, u8, Option<String>)>, Vec<(u64, u64)>);

fn structure(document: &Bytes) -> Structure {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", &document.0);
    let file = File::one(&sandbox.run(&["inspect", "--json", "--flat", "a.md"]).succeeds());
    let headings = file.structure.headings.unwrap_or_default();
    let codes = file.structure.code_blocks.unwrap_or_default();
    (
        headings
            .into_iter()
            .map(|heading| (heading.line, heading.level, heading.container))
            .collect(),
        codes.iter().map(|code| (code.start_line, code.end_line)).collect(),
    )
}

/// Returns for each old line, and for each new line, its number in the new document. `None` if the
/// edit selects the line.
fn numbers(changes: &[Change], old: usize) -> (Vec<Option<u64>>, Vec<Option<u64>>) {
    let mut sorted: Vec<&Change> = changes.iter().collect();
    sorted.sort_by_key(|change| change.start);
    let (mut was, mut is) = (Vec::new(), Vec::new());
    let mut at = 0;
    let pass = |was: &mut Vec<_>, is: &mut Vec<_>, from: usize, until: usize| {
        for _ in from..until {
            let number = Some(is.len() as u64 + 1);
            was.push(number);
            is.push(number);
        }
    };
    for change in sorted {
        let (start, end) = change.gone();
        pass(&mut was, &mut is, at, start);
        was.resize(was.len() + end - start, None);
        let came = if change.operation == "delete" { 0 } else { change.content.len() };
        is.resize(is.len() + came, None);
        at = end;
    }
    pass(&mut was, &mut is, at, old);
    (was, is)
}

/// Returns the headings and code blocks outside the edits.
type Outside = (Vec<(u64, u8, Option<String>)>, Vec<(Option<u64>, Option<u64>)>);

fn outside((headings, codes): &Structure, numbers: &[Option<u64>]) -> Outside {
    let number = |line: u64| numbers[line as usize - 1];
    let headings = headings
        .iter()
        .filter_map(|(line, level, container)| Some((number(*line)?, *level, container.clone())));
    let codes = codes.iter().map(|(start, end)| (number(*start), number(*end)));
    (headings.collect(), codes.filter(|code| *code != (None, None)).collect())
}

/// Whether an edit contains only a part of a code block, so that the block may no longer be closed.
fn is_cut((_, codes): &Structure, numbers: &[Option<u64>]) -> bool {
    let number = |line: u64| numbers[line as usize - 1];
    codes.iter().any(|(start, end)| number(*start).is_some() != number(*end).is_some())
}

/// Whether an edit contains only a part of a setext heading.
fn is_heading_cut(text: &str, (headings, _): &Structure, numbers: &[Option<u64>]) -> bool {
    let lines: Vec<&str> = text.lines().collect();
    headings.iter().any(|(line, ..)| {
        let first = *line as usize - 1;
        let is_underline = |text: &&str| {
            let text = text.trim_matches([' ', '>', '-', '=', '\r']);
            text.is_empty()
        };
        let length = lines[first + 1..].iter().position(is_underline);
        let heading_lines =
            &numbers[first..first + 2 + length.unwrap_or(0).min(lines.len() - first - 2)];
        !lines[first].contains('#')
            && heading_lines.contains(&None)
            && heading_lines.iter().any(Option::is_some)
    })
}

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn the_order_of_edits_in_a_batch_does_not_matter(
        before in even_document(),
        drawn in proptest::collection::vec(drawn(), 1..5),
    ) {
        let mut changes = apart(drawn, parts(&before.0).1.len());
        let expected = one_after_the_other(&before.0, &changes);
        prop_assert_eq!(&apply(&before.0, &changes, false, &["--force"]).1, &expected);
        changes.reverse();
        prop_assert_eq!(&apply(&before.0, &changes, false, &["--force"]).1, &expected);
        changes.sort_by_key(|change| std::cmp::Reverse(change.start));
        prop_assert_eq!(&apply(&before.0, &changes, true, &["--force"]).1, &expected);
    }

    #[test]
    fn lines_remain_separate_if_the_last_one_has_no_line_ending(
        lines in proptest::collection::vec(proptest::sample::select(&["a", "b", "", " c"][..]), 0..5),
        last in proptest::sample::select(&["x", " y"][..]),
        ending in proptest::sample::select(&["\n", "\r\n"][..]),
        drawn in proptest::collection::vec(drawn(), 1..3),
        appended in proptest::collection::vec(proptest::sample::select(&["p", "q\nr", "s\n"][..]), 0..3),
        appends_first in any::<bool>(),
    ) {
        let mut lines = lines;
        lines.push(last);
        let before = lines.join(ending);
        let mut changes = apart(drawn, lines.len());
        for change in &mut changes {
            // A blank line without a line ending is not a line.
            change.content.push("end");
        }
        let mut edits: Vec<Value> = changes.iter().map(Change::json).collect();
        let append = |content: &&str| json!({"address": "a.md", "operation": "append", "content": content});
        let appends = appended.iter().map(append);
        let at = if appends_first { 0 } else { edits.len() };
        edits.splice(at..at, appends);
        let sandbox = Sandbox::new();
        sandbox.write("a.md", &before);
        let flags = ["patch", "apply", "-", "--as", "text", "--no-sync", "--no-undo"];
        let outcome = sandbox.run_with_input(&flags, Value::from(edits).to_string());
        prop_assert_eq!(outcome.status, Some(0), "{}", outcome);
        let mut expected = lines.clone();
        changes.sort_by_key(|change| change.start);
        let inserts_last = changes.last().is_some_and(|change| change.gone().0 == lines.len());
        // Two insertions at the same position keep their order in the batch.
        prop_assume!(!(inserts_last && appends_first));
        for change in changes.iter().rev() {
            let (start, end) = change.gone();
            let comes = if change.operation == "delete" { &[][..] } else { &change.content[..] };
            expected.splice(start..end, comes.iter().copied());
        }
        expected.extend(appended.iter().flat_map(|content| content.lines()));
        let after = std::fs::read_to_string(sandbox.path("a.md")).unwrap();
        let found: Vec<&str> = after.lines().collect();
        prop_assert_eq!(found, expected, "{:?}", after);
        // The line ending of a document with a single line is unknown.
        prop_assert!(ending == "\n" || lines.len() == 1 || !after.replace("\r\n", "").contains('\n'));
    }

    #[test]
    fn structure_changes_are_detected_anywhere_in_a_long_document(
        (before, odd) in long_document(),
        drawn in proptest::collection::vec(drawn(), 1..4),
        anywhere in prop::bool::weighted(0.2),
    ) {
        let count = parts(&before.0).1.len();
        let mut changes = apart(drawn, if anywhere { count } else { odd.len() });
        if !anywhere {
            // The changes are restricted to lines that are not plain.
            for change in &mut changes {
                let length = change.end - change.start;
                change.start = odd[change.start - 1] + 1;
                change.end = (change.start + length).min(count);
            }
            changes.sort_by_key(|change| change.start);
            changes.dedup_by(|second, first| second.start <= first.end + 1);
        }
        let (status, plain) = apply(&before.0, &changes, false, &["--max-delete=9999"]);
        let expected = one_after_the_other(&before.0, &changes);
        let (was, is) = numbers(&changes, count);
        let (old, new) = (structure(&before), structure(&expected));
        let texts = [(&before.0, &old, &was), (&expected.0, &new, &is)];
        let cut = is_cut(&old, &was)
            || is_cut(&new, &is)
            || texts.iter().any(|(text, parts, numbers)| {
                is_heading_cut(&String::from_utf8_lossy(text), parts, numbers)
            });
        let (was, is) = (outside(&old, &was), outside(&new, &is));
        if status == 0 {
            prop_assert!(plain == expected);
            prop_assert_eq!(was.0, is.0);
            prop_assert!(was.1 == is.1 || cut, "{:?}", is.1);
        } else {
            prop_assert!(plain == before);
            prop_assert!(was != is || cut, "{:?}", is);
        }
    }
}

proptest! {
    // There are only a few cases, because each run waits for the disk.
    #![proptest_config(cases(12))]

    #[test]
    fn an_undo_restores_the_original(
        before in document(LINES, 20),
        drawn in proptest::collection::vec(drawn(), 1..4),
        in_place in any::<bool>(),
    ) {
        let changes = apart(drawn, parts(&before.0).1.len().max(1));
        let sandbox = Sandbox::new();
        sandbox.write("a.md", &before.0).write("other.md", "one\n");
        let mut edits: Vec<Value> = changes.iter().map(Change::json).collect();
        edits.push(json!({"address": "other.md:1", "operation": "replace", "content": "two"}));
        let flags = ["patch", "apply", "-", "--json", "--force"];
        let flags = [&flags[..], if in_place { &["--in-place"] } else { &[] }].concat();
        let outcome = sandbox.run_with_input(&flags, Value::from(edits).to_string());
        prop_assume!(outcome.status == Some(0));
        let records = outcome.json_lines();
        let number = records.last().unwrap()["undo"].to_string();
        let after = std::fs::read(sandbox.path("a.md")).unwrap();
        prop_assert_eq!(&std::fs::read(sandbox.path("other.md")).unwrap(), b"two\n");
        let taken_back = sandbox.run(&["undo", &number]);
        prop_assert_eq!(taken_back.status, Some(0), "{}", taken_back);
        prop_assert_eq!(&Bytes(std::fs::read(sandbox.path("a.md")).unwrap()), &before);
        prop_assert_eq!(&std::fs::read(sandbox.path("other.md")).unwrap(), b"one\n");
        // Undo keeps text that another program added.
        sandbox.run_with_input(&flags, Value::from(changes.iter().map(Change::json).collect::<Vec<_>>()).to_string());
        prop_assert_eq!(&std::fs::read(sandbox.path("a.md")).unwrap(), &after);
        if after != before.0 {
            let other = [&after[..], b"more"].concat();
            sandbox.write("a.md", &other);
            let undone = sandbox.run(&["undo"]);
            let expected = match undone.status {
                Some(0) => [&before.0[..], b"more"].concat(),
                Some(4) => other,
                _ => panic!("{undone}"),
            };
            prop_assert_eq!(&std::fs::read(sandbox.path("a.md")).unwrap(), &expected);
        }
    }
}
