//! The files that are worked on: one large document, a tree of small ones. They
//! are made once and kept.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::markdown::{Random, push_document, push_front_matter};

/// The one large document, below the directory of the data.
pub fn big_name(megabytes: usize) -> String {
    format!("big-{megabytes}.md")
}

/// The directory of the small ones.
pub const TREE: &str = "tree";

/// One of them.
pub const SMALL: &str = "tree/part-00/chapter-00/page-0.md";

/// Directories of the tree, those in each, and files in each of these: 14,600.
const PARTS: usize = 73;
const CHAPTERS: usize = 50;
const PAGES: usize = 4;

/// The text that edits replace, after the name of its position, and a replacement of the same
/// length.
pub const NEEDLE: &str = "needle";
/// See [`NEEDLE`].
pub const THREAD: &str = "thread";

/// Where the needle is in the large file.
pub const PLACES: [&str; 3] = ["atstart", "amidst", "atend"];

/// The large document that is edited, below the directory of the data.
pub fn large_name(megabytes: usize) -> String {
    format!("large-{megabytes}.md")
}

/// The directory of small ones that are edited.
pub const MANY: &str = "many";
/// How many there are.
pub const MANY_FILES: usize = 1000;

/// One of them, in whatever directory they have been copied to.
pub fn many_name(directory: &str, number: usize) -> String {
    format!("{directory}/page-{number:04}.md")
}

/// The document with 100,000 needles, and the one with a section of that name.
pub const ALL: &str = "all.md";
/// See [`ALL`].
pub const SECTION_FILE: &str = "section.md";

/// The directory of documents that lead to each other.
pub const LINKED: &str = "linked";
/// Directories in it, documents in each, and links in each of these, all of
/// them to parts of others: 80,000.
const SHELVES: usize = 40;
const BOOKS: usize = 100;
const PARTS_OF_BOOKS: usize = 20;
/// Bytes from one of these links to the next.
const PROSE: usize = 400;

/// Bytes that are made before they are written.
const PART: usize = 1 << 20;

/// Makes the large document if it is not there.
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

/// Makes the tree if it is not there.
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

/// Makes the documents that lead to each other, if they are not there.
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

/// Makes the documents that are edited, if they are not there.
pub fn make_edited(data: &Path, megabytes: usize) -> io::Result<()> {
    make(&data.join(large_name(megabytes)), |path| {
        let mut random = Random::new(3);
        let mut file = BufWriter::new(File::create(path)?);
        let mut text = String::with_capacity(2 * PART);
        let mut places = PLACES.iter().zip([1, 50, 99]).peekable();
        let (whole, mut done) = (megabytes * 1_000_000, 0);
        while done < whole {
            text.clear();
            if let Some((place, _)) = places.next_if(|(_, at)| done >= whole / 100 * at) {
                text.push_str(&format!("The word {place}{NEEDLE} stands here.\n\n"));
            }
            push_document(&mut random, PART.min(whole / 200).min(whole - done), &mut text);
            file.write_all(text.as_bytes())?;
            done += text.len();
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

/// Whether two files can share their bytes there.
pub fn can_share(data: &Path) -> bool {
    let mut copy = std::process::Command::new("cp");
    copy.current_dir(data).args(["--reflink=always", SECTION_FILE, "shared.md"]);
    copy.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success())
}

/// As sizes of documents are: from 140 bytes to 18 kB, each doubling as often
/// as the others.
fn small_size(random: &mut Random) -> usize {
    let least = 140 << random.below(7);
    least + random.below(least)
}

/// Makes a file or directory under another name first, so that it is all there
/// or not at all.
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

/// The lines of a file.
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
