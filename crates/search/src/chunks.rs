//! Splits documents into chunks, the units of search. A chunk is a section without its nested
//! sections. Long sections are split at paragraphs. A chunk is a range of whole lines. If a
//! section has no text of its own, its heading is searched with the first section within it.

use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::documents;
use super::store::Outcome;
use folio_files::document::{self, DocumentOptions};
use folio_files::env::Env;
use folio_files::error::Error;
use folio_outline::document::Document;
use folio_outline::outline::{Outline, OutlineBuilder};
use folio_text::encoding::Encoding;
use folio_text::span::LineRange;

/// Target size in bytes of the parts of a long section. About 400 tokens.
const TARGET: usize = 1600;
/// Maximum size in bytes of a section that is not split.
const LONGEST: usize = 2400;
/// Maximum number of bytes of text that are searched together. A line may be longer: it becomes
/// several chunks, which differ only in their text.
const MAX_SEARCHED: usize = 64 * 1024;
/// Maximum length of the words in front matter that are searched, in bytes.
const MAX_DESCRIPTION: usize = 4096;
/// The keys of front matter whose values are searched.
const DESCRIBING: [&str; 5] = ["title", "description", "tags", "keywords", "aliases"];
/// Maximum length of a title or name, in bytes. It is limited because each chunk of a section
/// repeats the name of the section.
const MAX_NAME: usize = 1024;

/// A part of a document that is a search result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The lines of the chunk.
    pub lines: LineRange,
    /// The offset of the chunk in the file, in bytes.
    pub start: u64,
    /// The size of the chunk in bytes.
    pub size: u64,
    /// The names of the sections that contain it, outermost first.
    pub trail: Vec<String>,
    /// The number of names before the last one in the trail that belong to sections without text,
    /// and are searched with this chunk.
    pub above: usize,
    /// The text to search.
    pub text: String,
    /// The first 8 bytes of the SHA-256 of the chunk's bytes.
    pub checksum: [u8; 8],
}

/// Returns the longest beginning of a text with at most this number of bytes.
fn longest_prefix(text: &str, most: usize) -> &str {
    let mut length = text.len().min(most);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    &text[..length]
}

/// Splits off the text to search together. It ends at whitespace, if possible.
fn split_searched(text: &str) -> (&str, &str) {
    if text.len() <= MAX_SEARCHED {
        return (text, "");
    }
    let longest = longest_prefix(text, MAX_SEARCHED);
    text.split_at(longest.rfind(char::is_whitespace).filter(|at| *at > 0).unwrap_or(longest.len()))
}

/// Truncates a title or name to its maximum length.
fn truncated_name(text: &[u8]) -> String {
    match text.split_at_checked(MAX_NAME) {
        // The last character is dropped if it would be split.
        Some((beginning, _)) => String::from_utf8_lossy(beginning)
            .trim_end_matches(char::REPLACEMENT_CHARACTER)
            .to_owned(),
        None => String::from_utf8_lossy(text).into_owned(),
    }
}

/// The names of a document and its sections.
pub struct Names(Outline);

impl Names {
    /// Reads a document from its file.
    pub fn read(path: &Path, file: Arc<File>, env: &Env) -> Result<Self, Error> {
        let document = document::of_file(path, file, &DocumentOptions::default(), env)?;
        Ok(Self(document.into_sections()?))
    }

    /// Returns the title of the document, if it has one.
    pub fn title(&self) -> Option<String> {
        title(&self.0)
    }

    /// Returns the names of the sections that contain a line, outermost first.
    pub fn trail(&self, line: u64) -> Vec<String> {
        let sections = self.0.sections().iter().enumerate();
        let before = sections.take_while(|(_, section)| section.lines().start() <= line);
        let around = before.filter(|(_, section)| section.lines().end() >= line);
        around.map(|(index, _)| truncated_name(&self.0.text(index))).collect()
    }
}

/// Returns the title of a document, unless it is blank.
fn title(outline: &Outline) -> Option<String> {
    outline.title().map(|title| truncated_name(&title)).filter(|title| !title.trim().is_empty())
}

/// A document opened for indexing.
pub struct Reading {
    document: Document,
    outline: Outline,
    /// The title of the document, if it has one.
    pub title: Option<String>,
    /// The length of the document in characters.
    pub characters: u64,
    /// The SHA-256 of the document's text.
    pub hash: [u8; 32],
    /// Whether the document was generated from other documents.
    pub is_generated: bool,
}

impl Reading {
    /// Reads a document once, to compute its outline and hash.
    pub fn open(path: &Path, env: &Env) -> Result<Self, Error> {
        let document = document::open(path, &DocumentOptions::default(), env)?;
        let mut builder = OutlineBuilder::of_sections(document.format());
        builder.expect_bytes(document.size().unwrap_or(0));
        let mut hash = Sha256::new();
        let mut characters = 0;
        let mut is_generated = false;
        let mut blocks = document.blocks();
        while let Some(block) = blocks.next()? {
            if block.offset == 0 {
                is_generated = documents::is_generated(path.as_os_str().as_bytes(), block.bytes);
            }
            builder.push(&block);
            hash.update(block.raw);
            let begins = |byte: &&u8| (**byte & 0xc0) != 0x80;
            characters += block.bytes.iter().filter(begins).count() as u64;
        }
        drop(blocks);
        let outline = builder.finish();
        let title = title(&outline);
        let hash = hash.finalize().into();
        Ok(Self { document, outline, title, characters, hash, is_generated })
    }

    /// Returns the label of the document's encoding, or `None` for UTF-8.
    pub fn encoding(&self) -> Option<String> {
        let encoding = self.document.encoding();
        (!encoding.is_utf8()).then(|| encoding.name())
    }

    /// Calls `each` with each chunk of the document, in order.
    pub fn chunks(&mut self, each: &mut dyn FnMut(Chunk) -> Outcome<()>) -> Outcome<()> {
        let encoding = self.document.encoding();
        let mut cutter = Cutter::new(&self.outline, encoding, each);
        let mut blocks = self.document.blocks().raw();
        while let Some(block) = blocks.next()? {
            let mut at = 0;
            while at < block.raw.len() {
                let end = encoding.after_line_feed(block.raw, at).unwrap_or(block.raw.len());
                let line = &block.raw[at..end];
                let offset = block.offset + at as u64;
                cutter.line(line, offset, at == 0 && block.continues)?;
                at = end;
            }
        }
        cutter.finish()
    }
}

/// Collects lines into chunks.
struct Cutter<'a> {
    outline: &'a Outline,
    encoding: Encoding,
    each: &'a mut dyn FnMut(Chunk) -> Outcome<()>,
    /// Lines at which chunks begin, in ascending order.
    borders: std::iter::Peekable<std::vec::IntoIter<u64>>,
    /// The sections that contain the current line, and the next section.
    open: Vec<(usize, String)>,
    next: usize,
    /// The current line.
    number: u64,
    /// The offset of the first line.
    begin: u64,
    /// The number of lines of front matter.
    front_matter: u64,
    front_text: Vec<u8>,
    /// The lines of the current chunk. They begin with line `first` at `offset`.
    bytes: Vec<u8>,
    first: u64,
    offset: u64,
    /// For each line of the chunk, its end, and whether it is blank.
    ends: Vec<(usize, bool)>,
    /// The sections without text since the last chunk.
    above: Vec<usize>,
    /// Whether an earlier chunk contains the beginning of the section.
    is_continued: bool,
    /// The number of complete chunks.
    count: u64,
}

impl<'a> Cutter<'a> {
    fn new(
        outline: &'a Outline,
        encoding: Encoding,
        each: &'a mut dyn FnMut(Chunk) -> Outcome<()>,
    ) -> Self {
        let front_matter = outline.front_matter().map_or(0, |front| front.lines.end());
        let mut borders = vec![front_matter + 1];
        for section in outline.sections() {
            borders.push(section.lines().start());
            // At the end of a container, the section that contains it continues.
            borders.extend(section.container().map(|_| section.lines().end() + 1));
        }
        borders.sort_unstable();
        borders.dedup();
        Self {
            outline,
            encoding,
            each,
            borders: borders.into_iter().peekable(),
            open: Vec::new(),
            next: 0,
            number: 0,
            begin: 0,
            front_matter,
            front_text: Vec::new(),
            bytes: Vec::new(),
            first: 0,
            offset: 0,
            ends: Vec::new(),
            above: Vec::new(),
            is_continued: false,
            count: 0,
        }
    }

    fn line(&mut self, line: &[u8], offset: u64, continues: bool) -> Outcome<()> {
        if continues {
            if let Some((end, _)) = self.ends.last_mut() {
                self.bytes.extend_from_slice(line);
                *end = self.bytes.len();
            }
            return Ok(());
        }
        if self.bytes.len() > LONGEST {
            self.cut()?;
        }
        self.number += 1;
        if self.number == 1 {
            self.begin = offset;
        }
        if self.number <= self.front_matter {
            self.front_text.extend_from_slice(line);
        }
        if self.borders.next_if(|&border| border <= self.number).is_some() {
            self.flush()?;
            self.is_continued = false;
            self.enter();
        }
        let is_blank = line.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0);
        if self.number <= self.front_matter || (is_blank && self.bytes.is_empty()) {
            return Ok(());
        }
        if self.bytes.is_empty() {
            (self.first, self.offset) = (self.number, offset);
        }
        self.bytes.extend_from_slice(line);
        self.ends.push((self.bytes.len(), is_blank));
        Ok(())
    }

    /// Updates the sections that contain the current line.
    fn enter(&mut self) {
        let sections = self.outline.sections();
        let number = self.number;
        while self.next < sections.len() && sections[self.next].lines().start() <= number {
            self.open.push((self.next, truncated_name(&self.outline.text(self.next))));
            self.next += 1;
        }
        self.open.retain(|&(index, _)| sections[index].lines().end() >= number);
    }

    /// Completes a chunk. It ends at the blank line nearest to the target size, or at the last line
    /// if there is none.
    fn cut(&mut self) -> Outcome<()> {
        let blank = self.ends.iter().enumerate().filter(|(_, (end, blank))| *blank && *end > 0);
        let nearest = blank.min_by_key(|(_, (end, _))| end.abs_diff(TARGET)).map(|(at, _)| at);
        let is_near = |at: &usize| self.ends[*at].0 > TARGET / 4;
        let count = match nearest.filter(is_near) {
            Some(at) => at + 1,
            None if self.bytes.len() < 2 * LONGEST => return Ok(()),
            None => self.ends.len(),
        };
        let length = self.ends[count - 1].0;
        let rest = self.bytes.split_off(length);
        let ends = self.ends.split_off(count);
        let next = (self.first + count as u64, self.offset + length as u64);
        self.flush()?;
        (self.first, self.offset) = next;
        self.bytes = rest;
        self.ends = ends.into_iter().map(|(end, blank)| (end - length, blank)).collect();
        self.is_continued = true;
        Ok(())
    }

    /// Completes a chunk, without blank lines at its end.
    fn flush(&mut self) -> Outcome<()> {
        while self.ends.last().is_some_and(|(_, blank)| *blank) {
            self.ends.pop();
        }
        let ends = std::mem::take(&mut self.ends);
        let mut bytes = std::mem::take(&mut self.bytes);
        let Some(&(length, _)) = ends.last() else { return Ok(()) };
        bytes.truncate(length);
        let Some(lines) = LineRange::new(self.first, self.first + ends.len() as u64 - 1) else {
            return Ok(());
        };
        if !self.is_continued && self.is_only_heading(lines) {
            self.above.extend(self.open.last().map(|(section, _)| *section));
            return Ok(());
        }
        self.emit(lines, &bytes)
    }

    /// Whether the chunk consists only of the heading of a section that has nested sections.
    fn is_only_heading(&self, lines: LineRange) -> bool {
        let Some(&(index, _)) = self.open.last() else { return false };
        let section = &self.outline.sections()[index];
        let has_body = section.body().is_some_and(|body| body.start() <= lines.end());
        section.lines().start() == lines.start()
            && !has_body
            && section.lines().end() > lines.end()
            && self
                .outline
                .sections()
                .get(index + 1)
                .is_some_and(|next| section.lines().contains(next.lines().start()))
    }

    fn emit(&mut self, lines: LineRange, bytes: &[u8]) -> Outcome<()> {
        let trail: Vec<String> = self.open.iter().map(|(_, name)| name.clone()).collect();
        let last = trail.len().saturating_sub(1);
        let is_above = |(section, _): &&(usize, String)| self.above.contains(section);
        let above = self.open[..last].iter().rev().take_while(is_above).count();
        self.above.clear();
        let mut decoded = Vec::new();
        self.encoding.decode(bytes, &mut decoded);
        let decoded = String::from_utf8_lossy(&decoded);
        let mut text = String::new();
        trail[last - above..last].iter().for_each(|name| text.extend([name, "\n"]));
        if self.is_continued {
            text.extend(trail.last().map(|name| format!("{name}\n")));
        }
        if self.count == 0 {
            text.push_str(&self.description());
        }
        let (part, mut rest) = split_searched(&decoded);
        text.push_str(part);
        let mut checksum = [0; 8];
        checksum.copy_from_slice(&Sha256::digest(bytes)[..8]);
        self.count += 1;
        let (start, size) = (self.offset, bytes.len() as u64);
        let mut chunk = Chunk { lines, start, size, trail, above, text, checksum };
        while !rest.is_empty() {
            let (part, remaining) = split_searched(rest);
            (self.each)(chunk.clone())?;
            chunk.text = part.to_owned();
            rest = remaining;
        }
        (self.each)(chunk)
    }

    /// Returns the values in the front matter that describe the document, one per line.
    fn description(&self) -> String {
        let Some(front) = self.outline.front_matter() else { return String::new() };
        let values = DESCRIBING.iter().filter_map(|name| front.value_at(name));
        let text: String = values.map(|value| value + "\n").collect();
        longest_prefix(&text, MAX_DESCRIPTION).to_owned()
    }

    /// Completes the last chunk. If the document consists only of front matter, the front matter is
    /// the chunk.
    fn finish(mut self) -> Outcome<()> {
        if self.bytes.len() > LONGEST {
            self.cut()?;
        }
        self.flush()?;
        match LineRange::new(1, self.front_matter) {
            Some(lines) if self.count == 0 && !self.front_text.is_empty() => {
                let bytes = std::mem::take(&mut self.front_text);
                self.offset = self.begin;
                self.emit(lines, &bytes)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(name: &str, text: &[u8]) -> Vec<Chunk> {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join(name);
        std::fs::write(&path, text).expect("written");
        let mut reading = Reading::open(&path, &Env::default()).expect("read");
        let mut found = Vec::new();
        reading
            .chunks(&mut |chunk| {
                let bytes = &text[chunk.start as usize..(chunk.start + chunk.size) as usize];
                assert_eq!(chunk.checksum, Sha256::digest(bytes)[..8]);
                found.push(chunk);
                Ok(())
            })
            .expect("cut");
        found
    }

    #[track_caller]
    fn check(name: &str, text: &str, expected: &[&str]) {
        let describe = |chunk: &Chunk| {
            let (lines, trail) = (chunk.lines, chunk.trail.join(" > "));
            format!("{}-{} {trail}", lines.start(), lines.end())
        };
        let found: Vec<String> = chunks(name, text.as_bytes()).iter().map(describe).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn chunks_are_sections_without_nested_sections() {
        check("a.md", "# A\n\ntext\n\n## B\n\nb\n\n# C\nc\n", &["1-3 A", "5-7 A > B", "9-10 C"]);
        check("a.md", "intro\n\n# A\n\n## B\nb\n## C\n", &["1-1 ", "5-6 A > B", "7-7 A > C"]);
        check("a.md", "# A\n> # Q\n> q\n\nafter\n", &["2-3 A > Q", "5-5 A"]);
        check("a.ini", "x=1\n[a]\nk=v\n[b]\n", &["1-1 ", "2-3 [a]", "4-4 [b]"]);
        check("a.log", "[LOG-1] a\nx\n[LOG-2] b\n", &["1-2 [LOG-1] a", "3-3 [LOG-2] b"]);
        check("a.txt", "\none\n\ntwo\n\n", &["2-4 "]);
        check("a.txt", "", &[]);
        check("a.txt", "\n\n", &[]);
    }

    #[test]
    fn headings_without_text_are_searched_with_the_first_nested_section() {
        let text = "# A\n\n## B\n\n### C\n\nc\n\n### D\n\nd\n\n## E\n\ne\n";
        let found = chunks("a.md", text.as_bytes());
        let texts: Vec<(usize, &str)> =
            found.iter().map(|chunk| (chunk.above, &*chunk.text)).collect();
        let expected = [(2, "A\nB\n### C\n\nc\n"), (0, "### D\n\nd\n"), (0, "## E\n\ne\n")];
        assert_eq!(texts, expected);
        assert_eq!(chunks("a.md", b"# A\n> # Q\n> q\n\nafter\n")[0].text, "A\n> # Q\n> q\n");
    }

    #[test]
    fn the_description_title_and_tags_in_front_matter_are_searched() {
        let text = "---\ntitle: T\ndescription: \"About it\"\ndate: 2026\nkeywords: k\n\
                    tags:\n  - x\n  - y\naliases: [/old]\n---\n\n# A\n\nbody\n# B\nb\n";
        let found = chunks("a.md", text.as_bytes());
        assert_eq!(found[0].text, "T\nAbout it\n- x\n- y\nk\n[/old]\n# A\n\nbody\n");
        assert_eq!(found[0].lines, LineRange::from_to(12, 14));
        assert_eq!(found[1].text, "# B\nb\n");
        check("a.md", "---\ntitle: T\n---\n", &["1-3 "]);
    }

    #[test]
    fn long_sections_are_split_at_paragraphs() {
        let paragraph = format!("{}\n\n", "words and words ".repeat(50));
        let text = format!("# A\n\n{}", paragraph.repeat(6));
        check("a.md", &text, &["1-5 A", "7-9 A", "11-13 A"]);
        let found = chunks("a.md", text.as_bytes());
        assert!(found[1].text.starts_with("A\nwords"));
        let lines = "a line without a paragraph\n".repeat(1000);
        let found = chunks("a.txt", lines.as_bytes());
        assert!(found.len() > 4 && found.iter().all(|chunk| chunk.size < 6000), "{}", found.len());
    }

    #[test]
    fn other_encodings_are_searched_as_text() {
        let units = [0xfeff].into_iter().chain("# Ä\n\nö\n\n# B\nx\n".encode_utf16());
        let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
        let found = chunks("a.md", &bytes);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].text, "# Ä\n\nö\n");
        assert_eq!(found[1].trail, ["B"]);
        assert_eq!(chunks("a.txt", b"caf\xe9\n")[0].text, "caf\u{fffd}\n");
        assert_eq!(chunks("a.txt", "\u{feff}x\n".as_bytes())[0].text, "x\n");
    }

    #[test]
    fn a_name_of_any_length_is_cut_in_each_chunk() {
        let heading = "ä name of many words\n".repeat(10_000);
        let lines = "a line without a paragraph\n".repeat(1000);
        let found = chunks("a.md", format!("{heading}===\n\n{lines}").as_bytes());
        assert!(found.len() > 50, "{}", found.len());
        assert!(found.iter().all(|chunk| chunk.trail[0].len() <= MAX_NAME), "{found:?}");
        assert!(found.iter().all(|chunk| chunk.text.len() < 6000 + MAX_NAME), "{found:?}");
    }

    #[test]
    fn a_line_of_any_length_is_searched_in_parts() {
        let line = "ä word, ".repeat(30_000);
        let found = chunks("a.md", format!("# A\n{line}\n# B\n").as_bytes());
        assert_eq!(found.len(), 6);
        assert!(found[..5].iter().all(|chunk| chunk.text.len() <= MAX_SEARCHED));
        assert!(found[..5].iter().all(|chunk| chunk.lines == found[0].lines));
        let text: String = found[..5].iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(text, format!("# A\n{line}\n"));
        assert!(found[1].text.starts_with(" word,") || found[1].text.starts_with(" ä"));
        assert_eq!(chunks("a.txt", "ä".repeat(MAX_SEARCHED).as_bytes()).len(), 2);
    }
}
