//! Prints as many levels of the outlines of files as fit in a number of tokens: first directories,
//! then titles, then headings level by level.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::args::PartArg;
use super::text::{ItemKind, Prefix, push_item};
use super::wire::{LevelDirectory, LevelFile, LevelSection, LevelSummary};
use super::{InspectOptions, StructureQuery, structure};
use crate::commands::json::{self, Address, Text};
use crate::commands::output::{Closed, Note, Sink, Style, TOKEN, counted};
use folio_files::address::Part;
use folio_files::error::{Change, Error, Hint};
use folio_files::options::{ADDRESSES, DEPTH_BUDGET};
use folio_outline::document::Document;
use folio_outline::outline::Section;
use folio_text::span::LineRange;

/// The level of sections that are not headings, which is the level below a title.
const OF_SECTIONS: u8 = 2;

/// The number of the deepest heading level.
const DEEPEST: u8 = 6;

/// The output for a file, divided into levels.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// The address and the title of the file. In JSON, the beginning of its object.
    head: Vec<u8>,
    /// Whether the title is a heading of level 1.
    is_titled: bool,
    /// The sections of the file with their levels, in order.
    sections: Vec<(u8, Vec<u8>)>,
}

/// Returns the output for a document with all levels.
pub(super) fn entry(
    document: &Document,
    part: &Part,
    query: &StructureQuery<'_>,
    style: Style,
) -> Result<Entry, Error> {
    let path = document.path();
    let found = structure(document, part, query)?;
    let outline = found.outline;
    // The levels of all files are printed together, so records are not grouped by file.
    let style = Style { grouped: false, ..style };
    let prefix = Prefix::new(path, style, query.options.null);
    let plain = Style { columns: None, ..style };
    let level = |section: &Section| section.level().unwrap_or(OF_SECTIONS);
    let is_shown = |section: &Section| {
        let is_heading = section.level().is_some();
        level(section) <= query.max_level && (is_heading || query.shows(PartArg::Sections))
    };
    let mut entry = Entry::default();
    for (index, section) in found.sections().filter(|(_, section)| is_shown(section)) {
        let mut out = Vec::new();
        if style.json {
            let text = found.text(index);
            let address = Address { path, lines: Some(section.lines()) };
            let object = LevelSection { address, level: section.level(), text: Text(&text) };
            json::push(&object, &mut out);
        } else {
            prefix.begin(section.lines(), &mut out);
            push_item(ItemKind::Section(index), &found, plain, false, &mut out);
            prefix.end(&mut out);
        }
        entry.is_titled |= section.level() == Some(1);
        entry.sections.push((level(section), out));
    }
    let title = outline.title();
    if style.json {
        let object = LevelFile {
            r#type: "file",
            file_path: json::path(path),
            address: Address { path, lines: None },
            total_lines: outline.total_lines(),
            title: title.as_deref().map(Text),
            headings: Vec::new(),
        };
        json::push(&object, &mut entry.head);
        entry.head.pop();
    } else {
        prefix.begin(LineRange::from_to(1, outline.total_lines()), &mut entry.head);
        entry.head.extend_from_slice(&plain.safe(title.as_deref().unwrap_or_default()));
        prefix.end(&mut entry.head);
    }
    Ok(entry)
}

impl Entry {
    /// Appends the levels down to `deepest`. Level 0 is only the title.
    fn write(&self, deepest: u8, json: bool, out: &mut Vec<u8>) {
        let shown = self.sections.iter().filter(|(level, _)| *level <= deepest);
        let shown: Vec<&[u8]> = shown.map(|(_, record)| &record[..]).collect();
        if json {
            out.extend_from_slice(&self.head);
            if deepest > 0 {
                out.extend_from_slice(b",\"headings\":[");
                out.extend_from_slice(&shown.join(&b","[..]));
                out.push(b']');
            }
            out.extend_from_slice(b"}\n");
            return;
        }
        if deepest == 0 || !self.is_titled {
            out.extend_from_slice(&self.head);
        }
        out.extend_from_slice(&shown.concat());
    }

    fn written(&self, deepest: u8, json: bool) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(deepest, json, &mut out);
        out
    }
}

/// A directory below an operand, with the number of files in it.
struct Directory {
    path: PathBuf,
    depth: usize,
    files: u64,
}

/// The files in the order of the output, and the directories in which they were found.
#[derive(Default)]
pub(super) struct Tree {
    entries: Vec<Entry>,
    /// The paths of the files found in the current operand.
    walked: Vec<PathBuf>,
    directories: Vec<Directory>,
    /// Files that the user named. They are never summarized by a directory.
    named: Vec<usize>,
}

impl Tree {
    /// Adds a file. `walked` is its path if it was found by walking, and `None` if the user named
    /// it.
    pub(super) fn add(&mut self, entry: Entry, walked: Option<&Path>) {
        match walked {
            Some(path) => self.walked.push(path.to_owned()),
            None => self.named.push(self.entries.len()),
        }
        self.entries.push(entry);
    }

    /// Adds the directory that was walked, and its subdirectories.
    pub(super) fn end_directory(&mut self, root: &Path) {
        let walked = std::mem::take(&mut self.walked);
        self.add_directories(root, &walked);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn add_directories(&mut self, root: &Path, files: &[PathBuf]) {
        let mut known: HashMap<PathBuf, usize> = HashMap::new();
        let depth_of = |path: &Path| path.components().count();
        for file in files {
            let ancestors: Vec<&Path> =
                file.ancestors().skip(1).filter(|ancestor| ancestor.starts_with(root)).collect();
            let ancestors = ancestors.into_iter().rev();
            let ancestors: Vec<&Path> = if root == Path::new(".") {
                std::iter::once(root).chain(ancestors.filter(|path| *path != root)).collect()
            } else {
                ancestors.collect()
            };
            for path in ancestors {
                if let Some(&at) = known.get(path) {
                    self.directories[at].files += 1;
                    continue;
                }
                known.insert(path.to_owned(), self.directories.len());
                let depth = depth_of(path).saturating_sub(depth_of(root));
                self.directories.push(Directory { path: path.to_owned(), depth, files: 1 });
            }
        }
    }

    /// Returns the output with all levels down to `deepest`. Level 0 is only titles.
    fn levels(&self, deepest: u8, json: bool) -> Vec<u8> {
        let mut out = Vec::new();
        self.entries.iter().for_each(|entry| entry.write(deepest, json, &mut out));
        out
    }

    /// Returns output that contains a summary of each directory instead of its files, and the
    /// number of these directories: all directories of the first levels and, of the next level, as
    /// many as fit, those with the most files first. Directories that the user named are always
    /// included.
    fn directories(&self, most: u64, style: Style, null: bool) -> (Vec<u8>, usize) {
        let records: Vec<Vec<u8>> =
            self.directories.iter().map(|directory| directory.written(style, null)).collect();
        let mut named = Vec::new();
        for &index in &self.named {
            self.entries[index].write(0, style.json, &mut named);
        }
        let mut order: Vec<usize> = (0..records.len()).collect();
        order.sort_by_key(|&index| {
            let directory = &self.directories[index];
            (directory.depth, std::cmp::Reverse(directory.files))
        });
        let mut left = most.saturating_sub(named.len() as u64);
        let mut shown = vec![false; records.len()];
        for index in order {
            let size = records[index].len() as u64;
            if size > left && self.directories[index].depth > 0 {
                break;
            }
            left = left.saturating_sub(size);
            shown[index] = true;
        }
        let records = records.into_iter().zip(&shown).filter(|(_, shown)| **shown);
        let records: Vec<Vec<u8>> = records.map(|(record, _)| record).collect();
        ([records.concat(), named].concat(), records.len())
    }
}

impl Directory {
    fn written(&self, style: Style, null: bool) -> Vec<u8> {
        if style.json {
            let (address, files) = (json::path(&self.path), self.files);
            return json::line(&LevelDirectory { r#type: "directory", address, files });
        }
        let path = self.path.join("");
        let (between, end) = if null { (0, 0) } else { (b':', b'\n') };
        let mut out = style.safe(path.as_os_str().as_encoded_bytes()).into_owned();
        out.push(between);
        out.extend_from_slice(counted(self.files, "file").as_bytes());
        out.push(end);
        out
    }
}

/// The output for a tree, and a description of what is omitted.
struct Shown {
    text: Vec<u8>,
    /// `directories`, `titles` or `headings`.
    what: &'static str,
    level: Option<u8>,
    left_out: Option<Note>,
}

/// Prints as many levels of the outlines of files as fit in the budget.
pub(super) fn print(
    tree: &Tree,
    tokens: u64,
    options: &InspectOptions,
    sink: &mut dyn Sink,
) -> Result<(), Closed> {
    let style = sink.style();
    let shown = shown(tree, tokens, options, style);
    sink.write(&shown.text)?;
    if !style.json {
        shown.left_out.into_iter().for_each(|note| sink.note(note));
        return Ok(());
    }
    let left = shown.left_out.as_ref();
    let hints = left.iter().flat_map(|note| note.hints.iter().cloned());
    let hints: Vec<Hint> = hints.map(|hint| sink.completed(hint)).collect();
    sink.record(&LevelSummary {
        r#type: "summary",
        files: tree.entries.len() as u64,
        shown: shown.what,
        max_level: shown.level,
        left_out: left.map(|note| note.message.to_string()),
        hints: hints.iter().map(json::HintObject::from).collect(),
    })
}

/// Returns the most detailed output that fits. It contains at least the directories that the user
/// named.
fn shown(tree: &Tree, tokens: u64, options: &InspectOptions, style: Style) -> Shown {
    let most = tokens.saturating_mul(TOKEN);
    let fits = |text: &[u8]| text.len() as u64 <= most;
    let levels =
        tree.entries.iter().flat_map(|entry| entry.sections.iter().map(|section| section.0));
    let deepest = levels.max().unwrap_or(0);
    let all = tree.levels(deepest, style.json);
    let again = |tokens: u64| Hint::with_value(DEPTH_BUDGET, tokens.to_string());
    let of_all = again(tokens_of(&all)).why("all of it");
    let fitting = (0..=deepest).rev().map(|level| (level, tree.levels(level, style.json)));
    if let Some((level, text)) = fitting.into_iter().find(|(_, text)| fits(text)) {
        let left = tree.entries.iter().flat_map(|entry| entry.sections.iter());
        let left = left
            .filter(|(section_level, _)| {
                *section_level > level && (level > 0 || *section_level > 1)
            })
            .count() as u64;
        let tokens = tokens_of(&all).saturating_sub(tokens_of(&text));
        let note = (level < deepest && left > 0).then(|| {
            let next = if level == 0 { 2 } else { level + 1 };
            let names = counted(left, "name");
            Note::new(format!(
                "left out: levels {next} to {DEEPEST}, {names}, about {tokens} tokens"
            ))
            .hint(of_all)
        });
        let what = if level == 0 { "titles" } else { "headings" };
        return Shown { text, what, level: (level > 0).then_some(level), left_out: note };
    }
    let files = counted(tree.entries.len() as u64, "file");
    if tree.directories.is_empty() {
        return some_titles(tree, most, style, of_all);
    }
    let titles = again(tokens_of(&tree.levels(0, style.json))).why("with titles");
    let (text, count) = tree.directories(most, style, options.null);
    let deeper = match tree.directories.len() - count {
        0 => String::new(),
        1 => "1 directory, ".to_owned(),
        count => format!("{count} directories, "),
    };
    let message = format!("left out: {deeper}titles and headings of {files}");
    let mut note = Note::new(message).hint(titles);
    let parts = tree.directories.iter().filter(|directory| directory.depth == 1);
    if let Some(part) = parts.max_by_key(|directory| directory.files) {
        let part = again(tokens).but([Change::set(ADDRESSES, &part.path)]);
        note = note.hint(part.why("one directory"));
    }
    Shown { text, what: "directories", level: None, left_out: Some(note) }
}

/// Returns the titles of the files that the user named first: as many as fit, but at least one.
fn some_titles(tree: &Tree, most: u64, style: Style, of_all: Hint) -> Shown {
    let mut text = Vec::new();
    let mut count = 0;
    for entry in &tree.entries {
        let title = entry.written(0, style.json);
        if count > 0 && (text.len() + title.len()) as u64 > most {
            break;
        }
        text.extend_from_slice(&title);
        count += 1;
    }
    let left = counted((tree.entries.len() - count) as u64, "file");
    let note = Note::new(format!("left out: {left}, and all headings")).hint(of_all);
    Shown { text, what: "titles", level: None, left_out: Some(note) }
}

fn tokens_of(text: &[u8]) -> u64 {
    (text.len() as u64).div_ceil(TOKEN)
}
