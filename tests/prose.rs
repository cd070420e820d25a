//! Checks the language of comments, messages, help and pages: standard terms and short sentences.
//! Each pattern below makes a text read like a translation. The usual term follows it.

use regex_automata::meta::Regex;

use crate::tidy::{Kind, files_of_the_package, kinds};

/// Patterns to avoid, ignoring case, and the terms to use.
const HABITS: &[(&str, &str)] = &[
    (r"\b(stands?|stood)($|[^ a-z]| [^f])", "is, appears, occurs"),
    (r"\btold\b|\btells?\b", "print, report, show; distinguish"),
    (r"\b(takes?|taken|taking|took|brings?|brought) back\b", "undo, restore"),
    (r"\b(comes?|came) to\b", "result in, be"),
    (r"\b(go|goes|going|went|gone) away\b", "be deleted, disappear"),
    (r"\b(lead|leads|led) nowhere\b", "is broken"),
    (r"\bat hand\b", "available"),
    (r"\blikeness\b", "approximate match"),
    (
        r"\bas (it|they) (is|are|was|were)([.,;:)]| (typed|given|there|here)\b|$)",
        "unchanged; as typed",
    ),
    (r"\bwhat (is|was|stays) there\b", "the contents"),
    (r"\bnobody (reads|asks|looks|wants|waits|knows|takes)\b", "the output is closed; unknown"),
    (r"\b(is|are|was|were) asked for\b|\bwhat (is|was) asked\b", "requested"),
    (r"\b(is|are|was|were) meant\b", "refers to; intended"),
    (r"\bgo(es)? on\b", "continue"),
    (r"\b(this|it|that|they|which) (is|are|was|were) about\b", "concern, affect"),
    (r"\bpass(ed|es) over\b|\bto pass over\b", "skip"),
    (r"\bany more\b|\b(is|are|was|were) no more\b", "no longer"),
    (r"\bcut off\b", "truncated, interrupted"),
    (r"\bwholly\b|\banew\b", "completely; again"),
    (r"\bmend(s|ed|ing)?\b", "fix"),
    (r"(^|[^-])\bbehind\b", "after"),
    (r"^(they|which|it|its|all|none|nothing|one|with what|all else)\.?$", "a noun and a verb"),
    (r"^the same (for|of) ", "what the item does"),
    (r"[a-df-z] (is|are) no ([a-km-z]|l[a-np-z])", "is not a"),
    (r"(^|[.:;] )of (several|two|what|them)\b", "subject and verb first"),
    (r"\bwhite space\b", "whitespace"),
    (r"\ball the same\b", "still"),
    (r"\bmistakes? (in|that|at|of|because)\b", "error"),
    (r"^what (goes|makes|stays|lies|is no|is wrong) ", "a noun and a verb"),
];

/// Type names that do not describe the type.
const PICTURES: &[&str] =
    &["Asked", "Told", "Wanted", "Standing", "Desk", "Judge", "Heard", "Held"];

/// Folders whose texts are not checked: other projects' texts and data.
const OTHERS: &[&str] = &[
    "assets/model/",
    "src/collections/stop_words.txt",
    "tests/corpus/",
    "fuzz/seeds/",
    "tests/prose.rs",
];

/// Maximum number of words of a sentence in help and pages.
const MAX_WORDS: usize = 30;

#[test]
fn texts_use_the_standard_terms() {
    let compile = |pattern: &str| Regex::new(&format!("(?i){pattern}")).expect("a pattern");
    let habits: Vec<(Regex, &str)> =
        HABITS.iter().map(|(pattern, term)| (compile(pattern), *term)).collect();
    let any: Vec<&str> = HABITS.iter().map(|(pattern, _)| *pattern).collect();
    let any = compile(&any.join("|"));
    let mut found = Vec::new();
    for text in texts().iter().filter(|text| any.is_match(&text.text)) {
        for (habit, term) in &habits {
            if let Some(hit) = habit.find(&text.text) {
                let words = &text.text[hit.range()];
                found.push(format!("{}:{}: '{words}', use: {term}", text.path, text.line));
            }
        }
    }
    assert!(found.is_empty(), "{} texts\n{}\n", found.len(), found.join("\n"));
}

#[test]
fn types_are_named_with_standard_terms() {
    let keywords = ["struct", "enum", "trait", "type"];
    let mut found = Vec::new();
    for (path, text) in files_of_the_package() {
        for (index, line) in text.lines().enumerate().filter(|_| path.ends_with(".rs")) {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
            let names = words.windows(2).filter(|two| keywords.contains(&two[0])).map(|two| two[1]);
            let names = names.filter(|name| PICTURES.contains(name));
            found.extend(names.map(|name| format!("{path}:{}: {name}", index + 1)));
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn sentences_of_pages_are_short() {
    let mut found = Vec::new();
    let is_page =
        |text: &&Text| !text.path.ends_with(".rs") && !text.path.starts_with("tests/messages/");
    for text in texts().iter().filter(is_page) {
        for sentence in text.text.split_inclusive(['.', ':', ';', '!', '?']) {
            let words = sentence.split_whitespace().count();
            if words > MAX_WORDS {
                found.push(format!("{}:{}: {words} words: {sentence}", text.path, text.line));
            }
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn pages_are_short() {
    for (page, max) in [("README.md", 300), ("ARCHITECTURE.md", 250), ("CHANGELOG.md", 200)] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let lines = std::fs::read_to_string(path).expect(page).lines().count();
        assert!(lines <= max, "{page} has {lines} lines");
    }
}

/// A comment, a string literal or a paragraph.
struct Text {
    path: String,
    /// The first line of the text, from 1.
    line: usize,
    text: String,
}

/// Returns all comments, the string literals of the program, and the paragraphs of pages and
/// messages.
fn texts() -> Vec<Text> {
    let mut texts = Vec::new();
    for (path, text) in files_of_the_package() {
        if OTHERS.iter().any(|other| path.starts_with(other)) {
            continue;
        }
        let found = match path.rsplit_once('.').map(|(_, extension)| extension) {
            Some("rs") => of_source(&path, &text),
            Some("md" | "txt") if path.starts_with("tests/messages/") => of_messages(&text),
            Some("md" | "txt") => paragraphs(&text),
            _ => Vec::new(),
        };
        texts.extend(found.into_iter().map(|(line, text)| Text { path: path.clone(), line, text }));
    }
    texts
}

/// Returns the comments of a source file, with adjacent lines joined, and the literals outside
/// tests.
fn of_source(path: &str, source: &str) -> Vec<(usize, String)> {
    let is_test = !path.starts_with("src/") || path.contains("/tests");
    let tests = source.find("#[cfg(test)]\nmod tests").filter(|_| !is_test).unwrap_or(source.len());
    let tests = source[..tests].lines().count();
    let kinds = kinds(source);
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut start = 0;
    // The line after which a comment may continue.
    let mut previous = 0;
    for (index, line) in source.split('\n').enumerate() {
        let characters = || line.chars().zip(&kinds[start..]);
        let of = |kind: Kind| -> String {
            characters().filter(|(_, own)| **own == kind).map(|(character, _)| character).collect()
        };
        let comment = of(Kind::Comment);
        let text = comment.trim_start_matches(['/', '!']).trim();
        if !text.is_empty() {
            let is_alone = line.trim_start().starts_with("//");
            match found.last_mut() {
                Some((_, block)) if is_alone && previous == index && index > 0 => {
                    block.push(' ');
                    block.push_str(text);
                }
                _ => found.push((index + 1, text.to_owned())),
            }
            previous = if is_alone { index + 1 } else { 0 };
        }
        let literals = of(Kind::Literal);
        if !literals.is_empty() && !is_test && index < tests {
            previous = 0;
            found.push((index + 1, literals));
        }
        start += line.chars().count() + 1;
    }
    found
}

/// Returns the errors, notes and hints in a table of messages.
fn of_messages(table: &str) -> Vec<(usize, String)> {
    let lines = table.lines().enumerate().map(|(index, line)| (index + 1, line.to_owned()));
    lines.filter(|(_, line)| line.starts_with("folio ") || line.starts_with("hint: ")).collect()
}

/// Returns the paragraphs of a page, without code, tables and rows of examples.
fn paragraphs(page: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut is_code, mut is_new) = (false, true);
    for (index, line) in page.lines().enumerate() {
        let text = line.trim();
        let is_fence = text.starts_with("```");
        is_code ^= is_fence;
        let is_row = line.starts_with("    ") || text.starts_with('|') || line.contains("   ");
        if is_fence || is_code || is_row || text.is_empty() {
            is_new = true;
            continue;
        }
        is_new |= text.starts_with(['-', '*', '#']);
        match found.last_mut() {
            Some((_, paragraph)) if !is_new => {
                paragraph.push(' ');
                paragraph.push_str(text);
            }
            _ => found.push((index + 1, text.to_owned())),
        }
        is_new = false;
    }
    found
}

#[test]
fn the_checks_find_violations() {
    let source = "/// One\n/// two.\nfn f() {\n    g(\"three\"); // four\n}\n";
    let found = of_source("src/a.rs", source);
    let expected = [(1, "One two."), (4, "four"), (4, "\"three\"")];
    assert_eq!(found, expected.map(|(line, text)| (line, text.to_owned())));
    assert_eq!(of_source("tests/a.rs", source).len(), 2);
    let page = "# A\n\none\ntwo\n- three\n  four\n\n```\ncode\n```\n\n    row\n";
    let expected = [(1, "# A"), (3, "one two"), (5, "- three four")];
    assert_eq!(paragraphs(page), expected.map(|(line, text)| (line, text.to_owned())));
}
