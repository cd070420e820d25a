//! The input files: one large document, and a tree of small documents. They are created once and
//! kept.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::markdown::{Random, push_document, push_front_matter};

/// Returns the path of the large document in the data directory.
pub fn big_name(megabytes: usize) -> String {
    format!("big-{megabytes}.md")
}

/// The directory of the small documents.
pub const TREE: &str = "tree";

/// One of the small documents.
pub const SMALL: &str = "tree/part-00/chapter-00/page-0.md";

/// Number of directories in the tree, of subdirectories in each, and of files in each subdirectory:
/// 14,600 files.
const PARTS: usize = 73;
const CHAPTERS: usize = 50;
const PAGES: usize = 4;

/// The text that edits replace, after the name of its position, and a replacement of the same
/// length.
pub const NEEDLE: &str = "needle";
/// The replacement for [`NEEDLE`].
pub const THREAD: &str = "thread";

/// The positions of the needle in the large file.
pub const PLACES: [&str; 3] = ["atstart", "amidst", "atend"];

/// Returns the path of the large document to edit, in the data directory.
pub fn large_name(megabytes: usize) -> String {
    format!("large-{megabytes}.md")
}

/// The directory of the small documents to edit.
pub const MANY: &str = "many";
/// Number of small documents to edit.
pub const MANY_FILES: usize = 1000;

/// Returns the path of a small document in a copy of the directory.
pub fn many_name(directory: &str, number: usize) -> String {
    format!("{directory}/page-{number:04}.md")
}

/// The document with 100,000 needles.
pub const ALL: &str = "all.md";
/// The document with a section to edit.
pub const SECTION_FILE: &str = "section.md";

/// The directory of documents that link to each other.
pub const LINKED: &str = "linked";
/// Number of directories, of documents in each, and of links in each document to parts of other
/// documents: 80,000 links.
const SHELVES: usize = 40;
const BOOKS: usize = 100;
const PARTS_OF_BOOKS: usize = 20;
/// Number of bytes between two links.
const PROSE: usize = 400;

/// Number of bytes to generate before writing them.
const PART: usize = 1 << 20;

/// Creates the large document if it does not exist.
pub fn make_big(data: &Path, megabytes: usize) -> io::Result<()> {
    make(&data.join(big_name(megabytes)), |path| {
        let mut random = Random::new(1);
        let mut file = BufWriter::new(File::create(path)?);
        let mut text = String::with_capacity(2 * PART);
        let mut left = megabytes * 1_000_000;
        while left > 0 {
            text.clear();
            push_document(&mut random, PART.min(left), &mut text);
            file.write_all(text.as_bytes())?;
            left = left.saturating_sub(text.len());
        }
        file.flush()
    })
}

/// Creates the tree if it does not exist.
pub fn make_tree(data: &Path) -> io::Result<()> {
    make(&data.join(TREE), |path| {
        let mut random = Random::new(2);
        let mut text = String::new();
        for place in 0..PARTS * CHAPTERS {
            let (part, chapter) = (place / CHAPTERS, place % CHAPTERS);
            let directory = path.join(format!("part-{part:02}/chapter-{chapter:02}"));
            fs::create_dir_all(&directory)?;
            for page in 0..PAGES {
                text.clear();
                push_front_matter(&mut random, &mut text);
                let size = small_size(&mut random);
                push_document(&mut random, size, &mut text);
                fs::write(directory.join(format!("page-{page}.md")), &text)?;
            }
        }
        Ok(())
    })
}

/// Creates the documents that link to each other if they do not exist.
pub fn make_linked(data: &Path) -> io::Result<()> {
    make(&data.join(LINKED), |path| {
        let mut random = Random::new(6);
        for place in 0..SHELVES * BOOKS {
            let (shelf, book) = (place / BOOKS, place % BOOKS);
            let directory = path.join(format!("shelf-{shelf:02}"));
            fs::create_dir_all(&directory)?;
            let mut text = format!("# Book {book}\n\n");
            for part in 0..PARTS_OF_BOOKS {
                let to = [SHELVES, BOOKS, PARTS_OF_BOOKS].map(|count| random.below(count));
                let to = format!("../shelf-{:02}/book-{:02}.md#part-{}", to[0], to[1], to[2]);
                text.push_str(&format!("## Part {part}\n\nThere is *more* [there]({to}).\n\n"));
                push_document(&mut random, PROSE, &mut text);
            }
            fs::write(directory.join(format!("book-{book:02}.md")), &text)?;
        }
        Ok(())
    })
}

/// Creates the documents to edit if they do not exist.
pub fn make_edited(data: &Path, megabytes: usize) -> io::Result<()> {
    make(&data.join(large_name(megabytes)), |path| {
        let mut random = Random::new(3);
        let mut file = BufWriter::new(File::create(path)?);
        let mut text = String::with_capacity(2 * PART);
        let mut places = PLACES.iter().zip([1, 50, 99]).peekable();
        let (size, mut written) = (megabytes * 1_000_000, 0);
        while written < size {
            text.clear();
            if let Some((place, _)) = places.next_if(|(_, at)| written >= size / 100 * at) {
                text.push_str(&format!("The word {place}{NEEDLE} stands here.\n\n"));
            }
            push_document(&mut random, PART.min(size / 200).min(size - written), &mut text);
            file.write_all(text.as_bytes())?;
            written += text.len();
        }
        file.flush()
    })?;
    make(&data.join(MANY), |path| {
        let mut random = Random::new(4);
        let mut text = String::new();
        fs::create_dir_all(path)?;
        for number in 0..MANY_FILES {
            text.clear();
            push_document(&mut random, 2000, &mut text);
            text.push_str(&format!("The {NEEDLE} stands here.\n\n"));
            push_document(&mut random, 2000, &mut text);
            fs::write(path.join(many_name(".", number)), &text)?;
        }
        Ok(())
    })?;
    make(&data.join(ALL), |path| {
        let mut file = BufWriter::new(File::create(path)?);
        for number in 0..100_000 {
            if number % 20 == 0 {
                write!(file, "## Section {number}\n\n")?;
            }
            let rest = "among other words that are there to fill the line up to its end";
            write!(file, "Line {number} has a {NEEDLE} {rest}.\n\n")?;
        }
        file.flush()
    })?;
    make(&data.join(SECTION_FILE), |path| {
        let mut random = Random::new(5);
        let mut text = String::new();
        push_document(&mut random, 5000, &mut text);
        text.push_str("## Needle\n\nwhat was there\n\n## After\n\n");
        push_document(&mut random, 5000, &mut text);
        fs::write(path, text)
    })
}

/// Whether two files in the directory can share their bytes.
pub fn can_share(data: &Path) -> bool {
    let mut copy = std::process::Command::new("cp");
    copy.current_dir(data).args(["--reflink=always", SECTION_FILE, "shared.md"]);
    copy.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Returns a realistic size of a document, from 140 bytes to 18 kB. Each doubling of the size is
/// equally frequent.
fn small_size(random: &mut Random) -> usize {
    let least = 140 << random.below(7);
    least + random.below(least)
}

/// Creates a file or directory under a temporary name and then renames it, so that it is either
/// complete or absent.
fn make(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    eprintln!("making {}", path.display());
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    if unfinished.is_dir() {
        fs::remove_dir_all(&unfinished)?;
    }
    write(&unfinished)?;
    fs::rename(unfinished, path)
}

/// Counts the lines of a file.
pub fn count_lines(path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; PART];
    let mut lines = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(lines),
            length => lines += memchr::memchr_iter(b'\n', &buffer[..length]).count() as u64,
        }
    }
}
