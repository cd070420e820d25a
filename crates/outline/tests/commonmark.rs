//! Checks the headings and code blocks in every example of the CommonMark specification, with both
//! kinds of line endings.

use folio_outline::format::Format;
use folio_outline::outline::Outline;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    example: u32,
    section: String,
    markdown: String,
    headings: Vec<(u8, String, u64)>,
    code: Vec<(u64, u64, Option<String>)>,
}

#[track_caller]
fn check(example: &Example, text: &str) {
    let outline = Outline::of(text.as_bytes(), Format::Markdown);
    let headings: Vec<_> = outline
        .sections()
        .iter()
        .enumerate()
        .map(|(index, section)| {
            let text = String::from_utf8_lossy(&outline.text(index)).into_owned();
            (section.level().unwrap_or(0), text, section.lines().start())
        })
        .collect();
    let code: Vec<_> = outline
        .code()
        .iter()
        .filter(|code| code.fenced)
        .map(|code| {
            (code.lines.start(), code.lines.end(), code.language.as_deref().map(str::to_owned))
        })
        .collect();
    let place = format!("example {} ({}):\n{text}", example.example, example.section);
    assert_eq!(headings, example.headings, "{place}");
    assert_eq!(code, example.code, "{place}");
}

#[test]
fn the_examples_of_the_specification_have_their_outlines() {
    let examples = include_str!("commonmark/examples.jsonl");
    let mut count = 0;
    for line in examples.lines() {
        let example: Example = serde_json::from_str(line).expect("an example");
        check(&example, &example.markdown);
        check(&example, &example.markdown.replace('\n', "\r\n"));
        check(&example, example.markdown.trim_end_matches('\n'));
        count += 1;
    }
    assert_eq!(count, 652);
}
