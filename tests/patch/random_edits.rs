//! Properties of every edit, checked on random documents: the bytes outside the selected part are
//! unchanged, and the result equals that of the simplest implementation.

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseResult;
use serde_json::{Value, json};

use crate::support::edits::{Bytes, cases, document, edit, end_of, joined, one_end, parts};
use crate::support::{Sandbox, checksum};

/// Lines of plain text documents.
const PLAIN: &[&str] = &[
    "text",
    "a",
    "aa",
    "aXa",
    "",
    "",
    "  ",
    "  indented",
    "\ttabbed",
    "text text",
    "ä 😀 é",
    "-x",
    "a.b*c",
    "lone \r return",
    "\u{b}",
    "[LOG-1] x",
    "{{NAME}}",
    "\\n",
];

/// Lines to insert.
const CONTENT: &[&str] = &["new", "", "  deeper", "ä", "-c", "$1", "{{x}}", "text", "\\t"];

/// Texts to search for.
const NEEDLES: &[&str] = &[
    "a", "text", "aa", "ä", "-x", "a\na", "\n\n", "text\n", "\ntext", " ", "a.b*c", "\\n", "x",
    "a\n\n", "return",
];

/// Lines of Markdown.
const MARKDOWN: &[&str] = &[
    "# One",
    "## Two",
    "## Two",
    "### Three {#three}",
    "#### Four ##",
    "Setext",
    "======",
    "---",
    "",
    "",
    "",
    "text",
    "text ä",
    "> # Quoted",
    "> text",
    ">",
    "- # Listed",
    "- item",
    "  more",
    "    code",
    "```sh",
    "```",
    "```",
    "~~~",
    "  ```",
    "> ```",
    "<div>",
    "<!-- x -->",
    "<!--",
    "-->",
    "[x]: /y",
    "title: x",
    "   # Six",
    "1. one",
    "*",
    "<pre>",
    "</pre>",
    "|a|",
    "\ttab",
];

fn content() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::collection::vec(proptest::sample::select(CONTENT), 1..4)
        .prop_filter("the content is not empty", |lines| lines != &[""])
}

/// An operation on lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Replace,
    Before,
    After,
    Delete,
}

impl Doing {
    fn flags(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Replace => ("replace", &[]),
            Self::Before => ("insert", &["--before"]),
            Self::After => ("insert", &["--after"]),
            Self::Delete => ("delete", &[]),
        }
    }
}

fn doing() -> impl Strategy<Value = Doing> {
    proptest::sample::select(&[Doing::Replace, Doing::Before, Doing::After, Doing::Delete][..])
}

/// Returns the expected document, and the inserted lines. Returns `None` if the line endings are
/// mixed, because it is then not defined which one the content gets.
fn expected(
    before: &[u8],
    doing: Doing,
    (start, end): (usize, usize),
    content: &[&str],
) -> Option<Vec<u8>> {
    let (mark, lines) = parts(before);
    let ending = one_end(before)?;
    let last = end_of(lines[end - 1]);
    let (kept, new, from) = match doing {
        Doing::Replace => (start - 1, joined(content, ending, last), end),
        Doing::Delete => (start - 1, Vec::new(), end),
        Doing::Before => (start - 1, joined(content, ending, ending), start - 1),
        Doing::After if last.is_empty() => {
            (end, [ending, &joined(content, ending, b"")].concat(), end)
        }
        Doing::After => (end, joined(content, ending, ending), end),
    };
    Some([mark, &lines[..kept].concat(), &new, &lines[from..].concat()].concat())
}

/// Checks that the lines outside the selected part are unchanged.
fn check_outside(
    before: &[u8],
    after: &[u8],
    doing: Doing,
    (start, end): (usize, usize),
) -> TestCaseResult {
    let (mark, lines) = parts(before);
    let (first, last) = match doing {
        Doing::Before => (start - 1, start - 1),
        Doing::After => (end, end),
        _ => (start - 1, end),
    };
    let head = [mark, &lines[..first].concat()].concat();
    let tail = lines[last..].concat();
    prop_assert!(after.starts_with(&head) && after.ends_with(&tail), "{}", after.escape_ascii());
    prop_assert!(head.len() + tail.len() <= after.len());
    Ok(())
}

fn range_in(count: usize, first: Index, second: Index) -> (usize, usize) {
    let (start, other) = (first.index(count) + 1, second.index(count) + 1);
    (start.min(other), start.max(other))
}

fn flag_of(doing: Doing, lines: (usize, usize), content: &str) -> Vec<String> {
    let (operation, sides) = doing.flags();
    let mut flags = vec![operation.to_owned(), format!("--lines={}-{}", lines.0, lines.1)];
    flags.extend(sides.iter().map(|&side| side.to_owned()));
    if doing != Doing::Delete {
        flags.push(format!("--content={content}"));
        flags.push("--no-preserve-indent".to_owned());
        flags.push("--encoding=utf-8".to_owned());
    }
    flags
}

/// Checks that the checksum in a record is that of the lines in the record, and that the number of
/// lines changes as stated.
fn check_record(record: &Value, name: &str, before: &[u8], after: &[u8]) -> TestCaseResult {
    let (_, old) = parts(before);
    let (_, new) = parts(after);
    let delta = new.len() as i64 - old.len() as i64;
    prop_assert_eq!(&record["linesDelta"], &json!(delta), "{}", record);
    let note = format!("File now has {} line", new.len());
    let printed = record["note"].as_str();
    prop_assert_eq!(
        printed.is_some_and(|printed| printed.starts_with(&note)),
        delta != 0,
        "{}",
        record
    );
    if before == after {
        prop_assert_eq!(&record["status"], "unchanged");
        return Ok(());
    }
    prop_assert_eq!(&record["status"], "success");
    let Some(lines) = record.get("resultLines") else { return Ok(()) };
    let (start, end) = (lines["start"].as_u64().unwrap(), lines["end"].as_u64().unwrap());
    let sandbox = Sandbox::new();
    sandbox.write(name, after);
    let address = format!("{name}:{start}-{end}");
    let printed = sandbox.run(&["read", "--checksum", &address]).succeeds().text();
    let found = printed.split(' ').next();
    prop_assert_eq!(record["rangeChecksum"].as_str(), found, "{}", record);
    let changed = &new[start as usize - 1..end as usize];
    prop_assert_eq!(found, Some(&checksum(changed.concat())[..]));
    Ok(())
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn replacing_lines_changes_nothing_else(
        before in document(PLAIN, 12),
        (first, second) in any::<(Index, Index)>(),
        doing in doing(),
        content in content(),
        final_end in any::<bool>(),
    ) {
        let (_, lines) = parts(&before.0);
        prop_assume!(!lines.is_empty());
        let range = range_in(lines.len(), first, second);
        let end = if final_end { "\n" } else { "" };
        prop_assume!(final_end || content.last() != Some(&""));
        let flags = flag_of(doing, range, &format!("{}{end}", content.join("\n")));
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let edited = edit("a.txt", &before.0, &flags);
        prop_assert_eq!(edited.status, 0, "{}", edited.errors);
        if let Some(expected) = expected(&before.0, doing, range, &content) {
            prop_assert_eq!(&edited.after, &Bytes(expected));
        }
        check_outside(&before.0, &edited.after.0, doing, range)?;
        if content.last() != Some(&"") {
            check_record(&edited.records[0], "a.txt", &before.0, &edited.after.0)?;
        }
        if before != edited.after {
            let (start, end) = match doing {
                Doing::Before => (range.0, range.0),
                Doing::After => (range.1, range.1),
                _ => range,
            };
            let affected = json!({"start": start, "end": end});
            prop_assert_eq!(&edited.records[0]["affectedLines"], &affected);
        }
    }

    #[test]
    fn replacing_a_text_changes_nothing_else(
        before in document(PLAIN, 12),
        needle in proptest::sample::select(NEEDLES),
        content in proptest::sample::select(&["new", "two\nlines", "a", "$1", "ä\\n", "\n"][..]),
        which in proptest::sample::select(&["first", "last", "all", "2", "3"][..]),
        doing in doing(),
    ) {
        let ending = one_end(&before.0);
        prop_assume!(ending.is_some() || !content.contains('\n'));
        let found = found(&before.0, needle);
        let chosen: Vec<(usize, usize)> = match which {
            "first" => found.first().copied().into_iter().collect(),
            "last" => found.last().copied().into_iter().collect(),
            "all" => found.clone(),
            number => found.get(number.parse::<usize>().unwrap() - 1).copied().into_iter().collect(),
        };
        let (operation, sides) = doing.flags();
        let (needle_flag, content_flag) =
            (format!("--text={needle}"), format!("--content={content}"));
        let mut flags = vec![operation, &needle_flag, "--occurrence", which, "--force"];
        if doing != Doing::Delete {
            flags.extend([&content_flag, "--encoding=utf-8"]);
        }
        flags.extend(sides);
        if operation == "insert" {
            flags.push("--inline");
        }
        let edited = edit("a.txt", &before.0, &flags);
        if chosen.is_empty() {
            prop_assert_eq!(edited.status, 1, "{}", edited.errors);
            prop_assert_eq!(&edited.after, &before);
            return Ok(());
        }
        let ending = ending.unwrap_or(b"\n");
        let content = content.as_bytes().split(|&byte| byte == b'\n').collect::<Vec<_>>().join(ending);
        let mut expected = before.0.clone();
        for &(start, end) in chosen.iter().rev() {
            match doing {
                Doing::Replace => drop(expected.splice(start..end, content.clone())),
                Doing::Before => drop(expected.splice(start..start, content.clone())),
                Doing::After => drop(expected.splice(end..end, content.clone())),
                Doing::Delete => drop(expected.drain(start..end)),
            }
        }
        prop_assert_eq!(edited.status, 0, "{}", edited.errors);
        prop_assert_eq!(&edited.after, &Bytes(expected));
        let record = &edited.records[0];
        if !needle.contains('\n') && !content.ends_with(b"\n") {
            check_record(record, "a.txt", &before.0, &edited.after.0)?;
        }
        let left = found.len() - chosen.len();
        prop_assert_eq!(record.get("otherOccurrences").and_then(Value::as_u64).unwrap_or(0), left as u64);
    }

    #[test]
    fn deleting_a_section_deletes_the_lines_that_inspect_lists(
        before in document(MARKDOWN, 25),
        index in any::<Index>(),
        content in content(),
        delete in any::<bool>(),
    ) {
        let headings = structure(&before.0).headings;
        prop_assume!(!headings.is_empty());
        let heading = &headings[index.index(headings.len())];
        let same = headings.iter().filter(|other| other.anchor == heading.anchor).count();
        prop_assume!(same == 1 && !heading.anchor.is_empty() && heading.anchor != "three");
        // In a container, markers precede the content.
        prop_assume!(heading.container.is_none());
        let doing = if delete { Doing::Delete } else { Doing::Replace };
        let range = (heading.line as usize, heading.end as usize);
        // Closing tags of elements that begin above a section are not part of it.
        let (_, lines) = parts(&before.0);
        prop_assume!(!lines[range.0 - 1..range.1].iter().any(|line| line.starts_with(b"</")));
        let anchor = format!("--anchor={}", heading.anchor);
        let text = format!("--content={}\n", content.join("\n"));
        let mut flags = vec![doing.flags().0, &anchor, "--force", "--exact"];
        if !delete {
            flags.extend(["--encoding=utf-8", &text]);
        }
        let edited = edit("a.md", &before.0, &flags);
        prop_assert_eq!(edited.status, 0, "{}", edited.errors);
        check_outside(&before.0, &edited.after.0, doing, range)?;
        if let Some(expected) = expected(&before.0, doing, range, &content) {
            prop_assert_eq!(&edited.after, &Bytes(expected));
        }
        if content.last() != Some(&"") {
            check_record(&edited.records[0], "a.md", &before.0, &edited.after.0)?;
        }
    }
}

/// Returns the positions of a text, without overlaps. A line feed in the text matches any line
/// ending.
fn found(text: &[u8], needle: &str) -> Vec<(usize, usize)> {
    let length_at = |mut at: usize| {
        let start = at;
        for &byte in needle.as_bytes() {
            let is_windows = byte == b'\n' && text[at..].starts_with(b"\r\n");
            if !is_windows && text.get(at) != Some(&byte) {
                return None;
            }
            at += 1 + usize::from(is_windows);
        }
        Some(at - start)
    };
    let mut found = Vec::new();
    let mut at = parts(text).0.len();
    while at < text.len() {
        match length_at(at) {
            Some(length) => {
                found.push((at, at + length));
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

#[derive(Clone, Debug)]
struct Heading {
    line: u64,
    end: u64,
    level: u64,
    anchor: String,
    container: Option<String>,
}

#[derive(Clone, Debug)]
struct Structure {
    headings: Vec<Heading>,
    codes: Vec<(u64, u64)>,
    /// The blocks that are not closed by a fence.
    unclosed: Vec<(u64, u64)>,
}

/// Returns the structure that `inspect` prints for a document.
fn structure(bytes: &[u8]) -> Structure {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", bytes);
    let record = sandbox.run(&["inspect", "--json", "--flat", "a.md"]).succeeds().json();
    let number = |value: &Value| value.as_u64().unwrap();
    let list = |name: &str| record["structure"][name].as_array().cloned().unwrap_or_default();
    let heading = |heading: &Value| Heading {
        line: number(&heading["line"]),
        end: number(&heading["endLine"]),
        level: number(&heading["level"]),
        anchor: heading["anchor"].as_str().unwrap_or_default().to_owned(),
        container: heading["container"].as_str().map(str::to_owned),
    };
    let code = |code: &Value| (number(&code["startLine"]), number(&code["endLine"]));
    let codes: Vec<(u64, u64)> = list("codeBlocks").iter().map(code).collect();
    let (_, lines) = parts(bytes);
    let ends_open = |&&(start, end): &&(u64, u64)| {
        let last = String::from_utf8_lossy(lines[end as usize - 1]).into_owned();
        let last = last.trim_start_matches(['>', '-', '*', '+', ' ', '\t']);
        start == end || !(last.starts_with("```") || last.starts_with("~~~"))
    };
    Structure {
        headings: list("headings").iter().map(heading).collect(),
        unclosed: codes.iter().filter(ends_open).copied().collect(),
        codes,
    }
}

/// A heading by its line, level and container.
type Kept = (u64, u64, Option<String>);

/// A code block by its first and last line. A line is `None` if it is in the edit.
type KeptCode = (Option<u64>, Option<u64>);

/// Headings and code blocks outside an edit, with their line numbers in the new document. `lines`
/// returns the new number of a line outside the edit.
fn outside(
    structure: &Structure,
    lines: impl Fn(u64) -> Option<u64>,
) -> (Vec<Kept>, Vec<KeptCode>) {
    let headings = structure.headings.iter().filter_map(|heading| {
        Some((lines(heading.line)?, heading.level, heading.container.clone()))
    });
    let codes = structure.codes.iter().map(|&(start, end)| (lines(start), lines(end)));
    (headings.collect(), codes.filter(|code| *code != (None, None)).collect())
}

/// Whether an edit contains only a part of a code block, so that the block may no longer be closed.
/// A block that contains the edit counts only if it has no closing fence.
fn is_cut(structure: &Structure, lines: impl Fn(u64) -> Option<u64>) -> bool {
    let is_partly = |&(start, end): &(u64, u64)| lines(start).is_some() != lines(end).is_some();
    let is_around = |&(start, end): &(u64, u64)| (start..=end).any(|line| lines(line).is_none());
    structure.codes.iter().any(is_partly) || structure.unclosed.iter().any(is_around)
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn structure_outside_an_edit_is_kept_or_reported(
        before in document(MARKDOWN, 25),
        (first, second) in any::<(Index, Index)>(),
        doing in doing(),
        content in proptest::collection::vec(proptest::sample::select(MARKDOWN), 1..4),
    ) {
        prop_assume!(content.iter().any(|line| !line.is_empty()));
        let (_, old) = parts(&before.0);
        prop_assume!(!old.is_empty());
        let range = range_in(old.len(), first, second);
        let flags = flag_of(doing, range, &format!("{}\n", content.join("\n")));
        let mut flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let plain = edit("a.md", &before.0, &flags);
        flags.push("--force");
        let forced = edit("a.md", &before.0, &flags);
        prop_assert_eq!(forced.status, 0, "{}", forced.errors);
        let (_, new) = parts(&forced.after.0);
        let came = new.len() as i64 - old.len() as i64;
        let (start, end) = match doing {
            Doing::Before => (range.0 as u64, range.0 as u64 - 1),
            Doing::After => (range.1 as u64 + 1, range.1 as u64),
            _ => (range.0 as u64, range.1 as u64),
        };
        let new_end = (end as i64 + came) as u64;
        let old_number = |line: u64| match line {
            line if line < start => Some(line),
            line if line > end => Some((line as i64 + came) as u64),
            _ => None,
        };
        let new_number = |line: u64| (line < start || line > new_end).then_some(line);
        let (was, is) = (structure(&before.0), structure(&forced.after.0));
        let cut = is_cut(&was, old_number) || is_cut(&is, new_number);
        let (was, is) = (outside(&was, old_number), outside(&is, new_number));
        if plain.status == 0 {
            prop_assert_eq!(&plain.after, &forced.after);
            prop_assert_eq!(was.0, is.0);
            prop_assert!(was.1 == is.1 || cut, "{:?}", is.1);
        } else {
            prop_assert!(plain.errors.contains("STRUCTURE_CHANGED"), "{}", plain.errors);
            prop_assert_eq!(&plain.after, &before);
            prop_assert!(was != is || cut, "{:?}", is);
        }
    }
}
