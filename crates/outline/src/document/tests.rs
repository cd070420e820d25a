//! Tests of documents in memory, and of those that are read from a source.

use super::*;
use crate::entries::Entries;

/// Provides bytes as if they were in a file, a few at a time.
struct Slow(Vec<u8>);

impl Source for Slow {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut rest = &self.0[(offset as usize).min(self.0.len())..];
        let most = buffer.len().min(10_000);
        rest.read(&mut buffer[..most])
    }

    fn size(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }

    fn check(&self) -> io::Result<()> {
        Ok(())
    }

    fn describe(&self, error: io::Error) -> io::Error {
        error
    }
}

/// Creates a document in memory, and one that is read from a source.
fn documents(bytes: &[u8]) -> [Document; 2] {
    let head = bytes[..bytes.len().min(1000)].to_vec();
    let source = Box::new(Slow(bytes.to_vec()));
    let is_whole = head.len() == bytes.len();
    let head = Head { filled: head.len(), buffer: head, is_whole };
    let read = Document::new(Path::new("a"), source, head, None);
    [Document::in_memory(Path::new("a"), bytes.to_vec()), read]
}

fn gather(mut blocks: Blocks<'_>) -> (Vec<u8>, usize) {
    let (mut text, mut count) = (Vec::new(), 0);
    while let Some(block) = blocks.next().expect("readable") {
        assert_eq!(block.continues, !text.is_empty() && !text.ends_with(b"\n"));
        text.extend_from_slice(block.bytes);
        count += 1;
    }
    (text, count)
}

#[test]
fn blocks_add_up_to_the_whole_document_each_time() {
    let long = format!("a\n{}\nb\nc", "y".repeat(3 << 20));
    let lines = "line\n".repeat(100_000);
    for text in ["", "a", "a\nb", &lines, &"x".repeat(5 << 20), &long] {
        for document in documents(text.as_bytes()) {
            for _ in 0..2 {
                let (found, count) = gather(document.blocks());
                assert!(found == text.as_bytes(), "{} bytes", text.len());
                assert!(count > 1 || text.len() <= CHUNK, "{count}");
            }
            let mut blocks = document.blocks().of_whole_lines();
            while let Some(block) = blocks.next().expect("readable") {
                assert!(!block.continues);
            }
            assert!(document.text().expect("readable") == text.as_bytes());
            assert!(gather(document.blocks()).0 == text.as_bytes());
        }
        for document in documents(text.as_bytes()) {
            assert!(document.load().expect("readable").text() == text.as_bytes());
        }
    }
}

#[test]
fn text_is_decoded_without_byte_order_mark() {
    let utf16 = |text: &str| -> Vec<u8> {
        let units = [0xfeff].into_iter().chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    let long = "é\nx\n".repeat(100_000);
    for (bytes, text) in
        [(b"\xef\xbb\xbfa\n".to_vec(), "a\n"), (utf16("é\nx"), "é\nx"), (utf16(&long), &long[..])]
    {
        for document in documents(&bytes) {
            assert!(gather(document.blocks()).0 == text.as_bytes());
            assert!(document.text().expect("readable") == text.as_bytes());
            assert!(document.bytes().expect("readable") == bytes);
            assert!(document.load().expect("readable").raw().as_slice() == bytes);
        }
    }
}

#[test]
fn a_limit_applies_also_to_bytes_in_memory_but_not_to_keep() {
    let text = "line\n".repeat(100_000);
    for document in documents(text.as_bytes()) {
        let refused = || document.bytes_up_to(499_999).expect_err("too large").to_string();
        assert!(refused().contains("the limit of 499999"), "{}", refused());
        assert!(document.keep().expect("readable") == text.as_bytes());
        assert!(document.keep_text().expect("readable") == text.as_bytes());
        assert!(refused().contains("the limit of 499999"), "{}", refused());
        assert!(gather(document.blocks()).0 == text.as_bytes());
    }
}

#[test]
fn lines_are_found_by_their_numbers() {
    let text: String = (1..=50_000).map(|line| format!("{line}\n")).collect();
    let ranges = [(1, 1), (3, 4), (30_000, 30_001), (49_999, 60_000)];
    let ranges = ranges.map(|(start, end)| LineRange::from_to(start, end));
    for document in documents(text.as_bytes()) {
        let mut found = Vec::new();
        let count = document.lines(&ranges, |at, number, line| {
            assert_eq!(line, format!("{number}\n").as_bytes());
            found.push((at, number));
            ControlFlow::Continue(())
        });
        assert_eq!(count.expect("readable"), 50_000);
        let expected = [(0, 1), (1, 3), (1, 4), (2, 30_000), (2, 30_001), (3, 49_999), (3, 50_000)];
        assert_eq!(found, expected);
        let lines_read = document.lines(&ranges[..1], |_, _, _| ControlFlow::Continue(()));
        assert!(lines_read.expect("readable") < 50_000);
    }
}

#[test]
fn entries_are_the_sections_of_a_log() {
    let text: String = (1..=40_000).map(|at| format!("[LOG-{at}] x\nmore\n")).collect();
    for document in documents(text.as_bytes()) {
        let document = document.with_format(Format::LOG);
        let expected = document.sections().expect("readable");
        let all = Entries::new(&document, Vec::new(), None).read_all();
        let all = all.expect("readable").expect("not empty");
        let facts = |outline: &Outline| -> Vec<_> {
            let sections = outline.sections().iter().enumerate();
            sections
                .map(|(index, section)| (section.lines(), outline.name(index).to_vec()))
                .collect()
        };
        assert_eq!(facts(&all), facts(expected));
        assert_eq!(all.total_lines(), expected.total_lines());
        let last_entry = Entries::new(&document, Vec::new(), Some(b"[LOG-39999]")).read_all();
        let some = facts(&last_entry.expect("readable").expect("not empty"));
        assert_eq!(some, [(LineRange::from_to(79_997, 79_998), b"[LOG-39999] x".to_vec())]);
    }
}
