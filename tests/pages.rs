//! Truncated answers: following the calls that answers suggest gives the whole answer once, in
//! order. Complete answers suggest none.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::support::Sandbox;

/// Maximum number of calls for an answer.
const MOST: usize = 300;

fn documents() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 1..=4 {
        let words = "word ".repeat(number * number);
        let text = format!(
            "# Page {number}\n\n{words}\n\n## Install\n\n[x](no{number}.md) word\nend\n\n## Use\n"
        );
        sandbox.write(format!("d/{}/{number}.md", number % 2), text);
    }
    sandbox.write("d/0/s.ini", "[a]\nword = 1\n\n[b]\nword = 2\n");
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox
}

/// The content of an answer, and the calls for the rest of it.
#[derive(Default)]
struct Page {
    /// Lines of text with the file to which they belong, or records of JSON.
    content: Vec<Value>,
    /// In order.
    calls: Vec<String>,
}

impl Page {
    /// Adds lines below the names of their files. Headers of parts are left out.
    fn text(&mut self, text: &str) {
        let mut file = String::new();
        let mut lines = text.split_inclusive('\n').peekable();
        while let Some(line) = lines.next() {
            let plain = line.trim_end();
            let is_header = |next: &&str| next.starts_with("==> ") || is_file(next.trim_end());
            if plain.starts_with("==> ") || plain.is_empty() && lines.peek().is_some_and(is_header)
            {
                continue;
            }
            if is_file(plain) {
                plain.clone_into(&mut file);
            } else {
                self.push(json!([file, line]));
            }
        }
    }

    /// Adds a record. Parts, entries and documents are joined to those before them.
    fn record(&mut self, mut record: Value) {
        if record["type"] == "summary" {
            self.suggestion(&record["hint"]);
            return;
        }
        self.hints(&record["hints"]);
        self.suggestion(&record["hint"]);
        for name in ["entries", "documents"] {
            if let Some(items) = record[name].as_array() {
                return items.iter().for_each(|item| self.push(item.clone()));
            }
        }
        if record["content"].is_string() && record["rangeChecksum"].is_string() {
            record = json!([record["filePath"], record["content"]]);
        }
        self.push(record);
    }

    /// Adds content. Text of the same file is joined.
    fn push(&mut self, item: Value) {
        let pair =
            |item: &Value| Some((item[0].as_str()?.to_owned(), item[1].as_str()?.to_owned()));
        match (self.content.last_mut().and_then(|last| Some((pair(last)?, last))), pair(&item)) {
            (Some(((file, text), last)), Some((next_file, more))) if file == next_file => {
                *last = json!([file, text + &more]);
            }
            _ => self.content.push(item),
        }
    }

    /// Adds the calls among hints that are data.
    fn hints(&mut self, hints: &Value) {
        for hint in hints.as_array().into_iter().flatten() {
            let line = hint["line"].as_str().unwrap();
            match hint["why"].as_str() {
                Some(why) => self.suggestion(&json!(format!("{line}  # {why}"))),
                None => self.suggestion(&json!(line)),
            }
        }
    }

    /// Adds the call of a line `CALL  # WHY`.
    fn suggestion(&mut self, line: &Value) {
        let Some((call, why)) = line.as_str().and_then(|line| line.split_once("  # ")) else {
            return;
        };
        match why.trim_end() {
            // Instead of what is too long for the limit.
            "with it" | "to show it" => self.calls = vec![call.to_owned()],
            // Otherwise, they are continued by the calls with a greater limit.
            "those after it" if self.calls.iter().any(|first| first.contains('@')) => {
                self.calls.push(call.to_owned());
            }
            "for more" | "its first bytes" => self.calls.push(call.to_owned()),
            _ => {}
        }
    }

    /// Adds the calls in notes and errors.
    fn notes(&mut self, text: &str) {
        for line in text.lines() {
            for why in ["for more: ", "with it: ", "to show it: "] {
                for part in line.split(why).skip(1) {
                    let call = part.split("; those after it: ").next().unwrap_or(part);
                    self.suggestion(&json!(format!("{call}  # {}", why.trim_end_matches(": "))));
                }
            }
            self.suggestion(&json!(line.strip_prefix("hint: ").unwrap_or("")));
        }
    }
}

fn is_file(line: &str) -> bool {
    line.starts_with("d/") && (line.ends_with(".md") || line.ends_with(".ini"))
}

/// Makes calls until none is left. Returns the content of all answers.
#[track_caller]
fn followed(call: &str, answer: &mut dyn FnMut(&str) -> Page) -> Vec<Value> {
    let mut whole = Page::default();
    let mut left = VecDeque::from([call.to_owned()]);
    let mut count = 0;
    while let Some(next) = left.pop_front() {
        count += 1;
        assert!(count <= MOST, "{call}: no end at {next}");
        let page = answer(&next);
        page.content.into_iter().for_each(|item| whole.push(item));
        page.calls.into_iter().rev().for_each(|call| left.push_front(call));
    }
    whole.content
}

/// Returns the lines of all files. If the limit applies to each part, the parts are not continued in
/// their order.
fn lines_of(content: &[Value], limit: &str) -> Vec<Value> {
    let lines = |item: &Value| match item[1].as_str() {
        Some(text) => text.lines().map(|line| json!([item[0], line])).collect(),
        None => vec![item.clone()],
    };
    let mut lines: Vec<Value> = content.iter().flat_map(lines).collect();
    if ["--max-lines", "--max-bytes", "max_lines", "--limit", "limit"].contains(&limit) {
        lines.sort_by_key(Value::to_string);
    }
    lines
}

/// Splits a line of a hint into words.
fn words(line: &str) -> Vec<String> {
    let line = line.strip_prefix("folio ").unwrap_or(line);
    line.split(' ').map(|word| word.trim_matches('\'').to_owned()).collect()
}

/// Returns the addresses of search results. The text of the first result is shortened to fit.
fn addresses(text: &str) -> String {
    let address = |line: &str| line.split(':').take(2).collect::<Vec<_>>().join(":") + "\n";
    text.lines().map(address).collect()
}

fn answer_of_line(sandbox: &Sandbox, line: &str) -> Page {
    let mut page = Page::default();
    let outcome = sandbox.run(&words(line));
    for failure in ["panicked", "no line"] {
        assert!(!outcome.errors().contains(failure), "{line}: {outcome}");
    }
    let is_search = line.contains("search -c");
    if !line.contains("--json") {
        let text = outcome.text();
        // Only tools print the name of a file above its lines.
        page.push(json!(["", if is_search { addresses(&text) } else { text }]));
        page.notes(&outcome.errors());
        return page;
    }
    for record in outcome.json_lines() {
        page.record(if is_search { record["address"].clone() } else { record });
    }
    for line in outcome.errors().lines() {
        page.hints(&serde_json::from_str::<Value>(line).unwrap()["hints"]);
    }
    page
}

/// Checks commands with some of the limits. In each round, other limits are used.
#[track_caller]
fn check_lines(lines: &[&str], limits: &[&str]) {
    let sandbox = documents();
    for (index, line) in lines.iter().enumerate() {
        for json in ["", " --json"] {
            let line = format!("{line}{json}");
            let whole = answer_of_line(&sandbox, &line);
            assert!(whole.calls.is_empty(), "{line}: {:?}", whole.calls);
            for (at, limit) in limits.iter().enumerate() {
                for most in [[1, 30], [9, 40], [5, 50]][(index + at) % 3] {
                    let line = format!("{line} {limit} {most}");
                    let all = followed(&line, &mut |line| answer_of_line(&sandbox, line));
                    assert_eq!(lines_of(&all, limit), lines_of(&whole.content, limit), "{line}");
                }
            }
        }
    }
}

#[test]
fn truncated_lists_are_continued() {
    let lines = [
        "inspect -O d",
        "inspect d",
        "inspect --mode search --query word d",
        "inspect --mode lines --query 1-2,5 d",
        "grep word d",
        "grep -C1 word d",
        "links d",
    ];
    check_lines(&lines, &["--max-tokens"]);
}

#[test]
fn truncated_directories_are_continued() {
    let lines = [
        "list -R d",
        "list d/0 d/1",
        "list --mode tree --files -R -0 d",
        "list -R --titles --details d",
        "list empty",
    ];
    check_lines(&lines[..2], &["--max-tokens", "--limit"]);
    check_lines(&lines[4..], &["--max-tokens", "--limit"]);
    check_lines(&lines[3..4], &["--limit"]);
}

#[test]
fn truncated_parts_are_continued() {
    let lines = ["read d/0/4.md", "read d/0/4.md:2-3,6-", "read d/1/1.md --from 3 --to-next ^##"];
    check_lines(&lines, &["--max-tokens", "--max-lines", "--max-bytes"]);
    check_lines(&["read d/0/4.md:2-", "read d/0/4.md:3-9"], &["--limit"]);
    let lines = [
        "read d/0/2.md d/0/4.md:3- d/1/3.md --no-headers",
        "read d --section Install --no-headers",
        "read d/0/4.md:2-3,6- d/1/1.md:2-4 --no-headers",
    ];
    check_lines(&lines, &["--max-tokens", "--max-lines", "--max-bytes"]);
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn truncated_search_results_are_continued() {
    check_lines(&["collection show ./d"], &["--limit"]);
    check_lines(
        &["search -c ./d word --keyword-only --limit 9 --per-document 9"],
        &["--max-tokens"],
    );
}

/// Removes the ages of patches, which change while the calls are made.
fn without_ages(block: &str) -> String {
    let line = |line: &str| {
        let fields = line.split('\t').enumerate().filter(|(field, _)| *field != 1);
        fields.map(|(_, text)| text).collect::<Vec<_>>().join("\t")
    };
    block.split_inclusive('\n').map(line).collect()
}

/// Returns the paths of the files in an answer, in which names below a directory are indented.
fn listed_files(text: &str) -> String {
    let (mut directory, mut paths) = ("", String::new());
    for line in text.lines() {
        match line.strip_prefix("  ") {
            Some(name) => paths.push_str(&format!("{directory}{name}\n")),
            None if line.ends_with('/') => directory = line,
            None => paths.push_str(&format!("{line}\n")),
        }
    }
    paths
}

fn answer_of_call(client: &mut Client, call: &str) -> Page {
    let mut page = Page::default();
    let (tool, arguments) = call.split_once(' ').unwrap();
    let mut arguments = serde_json::Deserializer::from_str(arguments).into_iter::<Value>();
    let arguments = arguments.next().unwrap().unwrap_or_else(|error| panic!("{error}: {call}"));
    let is_json = arguments["format"] == "json";
    let called = client.call(tool, arguments);
    if is_json && !called.is_error() {
        let mut value = called.json();
        let records = std::mem::take(&mut value["records"]);
        for record in records.as_array().unwrap() {
            let mut record = record.clone();
            // Patches get older while the calls are made.
            record.as_object_mut().unwrap().remove("ageSeconds");
            page.record(if tool == "search" { record["address"].clone() } else { record });
        }
        page.suggestion(&value["summary"]["hint"]);
        let notes = value["notes"].as_array().into_iter().flatten().chain([&value["cut"]]);
        notes.filter_map(Value::as_str).for_each(|note| page.notes(note));
        return page;
    }
    for (index, block) in called.blocks().into_iter().enumerate() {
        // Notes, and the beginning of a line that is too long, have no line ending. A line can be
        // read in pieces.
        let is_piece = tool == "read" && index == 0 && !block.starts_with("INVALID");
        match block.ends_with('\n') || is_piece {
            true if tool == "list" => page.push(json!(["", listed_files(&block)])),
            true if tool == "search" => page.push(json!(["", addresses(&block)])),
            true if tool == "undo" => page.text(&without_ages(&block)),
            true => page.text(&block),
            false => page.notes(&block),
        }
    }
    page
}

#[test]
fn truncated_answers_of_tools_are_continued() {
    let sandbox = documents();
    for number in 0..5 {
        let edit = ["patch", "replace", "d/0/2.md:8", "-c", &number.to_string(), "--force"];
        sandbox.run(&edit).exits(0);
    }
    let mut client = Client::new(&sandbox, &[]);
    let mut calls = vec![
        r#"inspect {"address":"d","outline":true}"#,
        r#"inspect {"address":"d"}"#,
        r#"inspect {"address":"d","mode":"search","query":"word"}"#,
        r#"grep {"pattern":"word","path":"d"}"#,
        r#"grep {"pattern":"word","path":"d","context":1}"#,
        r#"grep {"pattern":"word","path":"d","files_with_matches":true}"#,
        r#"links {"path":"d"}"#,
        r#"list {"path":"d","depth":3}"#,
        r#"list {"path":["d/0","d/1"]}"#,
        r#"read {"address":"d/0/4.md"}"#,
        r#"read {"address":["d/0/2.md","d/0/4.md:3-","d/1/3.md"]}"#,
        r#"read {"address":"d","section":"Install"}"#,
        r#"read {"address":"d/0/4.md","from":3,"to_next":"^##"}"#,
        r#"undo {"list":true}"#,
    ];
    if cfg!(feature = "search") {
        calls.push(r#"search {"query":"word","collection":"./d","keyword_only":true}"#);
    }
    for (index, call) in calls.iter().enumerate() {
        for format in ["", ",\"format\":\"json\""] {
            let with = |more: &str| format!("{}{format}{more}}}", &call[..call.len() - 1]);
            let whole = answer_of_call(&mut client, &with(""));
            assert!(whole.calls.is_empty(), "{call}: {:?}", whole.calls);
            let mut limits = vec!["max_bytes"];
            match call.split_once(' ').unwrap().0 {
                "list" => limits.push("limit"),
                "read" => limits.extend(["max_tokens", "max_lines"]),
                _ => {}
            }
            for (at, limit) in limits.iter().enumerate() {
                for most in [[1, 35], [20, 40], [2, 28]][(index + at) % 3] {
                    let line = with(&format!(",\"{limit}\":{most}"));
                    let all = followed(&line, &mut |call| answer_of_call(&mut client, call));
                    assert_eq!(lines_of(&all, limit), lines_of(&whole.content, limit), "{line}");
                }
            }
        }
    }
}
