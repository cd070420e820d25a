//! Candidates for the word at the cursor: names in documents, and other lists.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::question::{Expected, Question};
use crate::cli::env::{home, host, state_directory};
use crate::cli::subcommands::{SUBCOMMANDS, schemas};
use crate::cli::topics::TOPICS;
use crate::commands::host::Host;
use crate::commands::shared_args::section_patterns;
use folio_files::address::Address;
use folio_files::document::{self, DocumentOptions};
use folio_files::env::Env;
use folio_files::error::Error;
use folio_files::ignore_rules::RuleOptions;
use folio_files::listing::{self, EntryKind, ListedEntry, Visitor, WalkOptions};
use folio_files::roots::Roots;
use folio_files::{history, walk};
use folio_outline::format::{Feature, Format};
use folio_outline::lookup::{Matching, anchor_ids, find_section, slugs};
use folio_outline::naming::unique_names;
use folio_outline::outline::{Outline, SectionKind, Table};
#[cfg(feature = "search")]
use folio_search::catalogue::Catalogue;
use folio_text::span::LineRange;

/// Maximum number of bytes to read from a document.
const MAX_BYTES: u64 = 32 << 20;
/// Maximum number of names to return.
const MAX_NAMES: usize = 5000;
/// Maximum length in bytes of a name to return. Users do not type longer names.
const LONGEST_NAME: usize = 1000;
/// Maximum number of files to read.
const MAX_FILES: usize = 8;

/// A possible completion of the word at the cursor.
pub(super) struct Candidate {
    /// The value.
    pub(super) value: String,
    /// A short description.
    pub(super) about: String,
}

impl Candidate {
    fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self { value: value.into(), about: about.into() }
    }
}

/// Returns all candidates, in the order of the document or list.
pub(super) fn candidates(question: &Question) -> Vec<Candidate> {
    let mut found = match &question.expected {
        Expected::Command => {
            let help = Candidate::new("help", "Print the help of a command or topic");
            commands().chain([help]).collect()
        }
        Expected::HelpPage => {
            let topics = TOPICS.iter().map(|topic| Candidate::new(topic.name, topic.about));
            commands().chain(topics).collect()
        }
        Expected::Schema => schemas().map(|(name, _)| Candidate::new(name, "")).collect(),
        Expected::ManualPage => {
            let folio = Candidate::new("folio", "folio as a whole");
            let topics = TOPICS.iter().map(|topic| Candidate::new(topic.name, topic.about));
            commands().chain([folio]).chain(topics).collect()
        }
        Expected::Patch => patches(question),
        Expected::Collection => collections(question).collect(),
        Expected::Document(directory) if directory.is_empty() => {
            let address = |candidate: Candidate| {
                Candidate::new(format!("@{}/", candidate.value), candidate.about)
            };
            collections(question).map(address).collect()
        }
        Expected::Document(directory) => documents(Path::new(directory), question),
        Expected::FileType => {
            let types = walk::file_types(&RuleOptions::default()).into_iter().flatten();
            types.map(|(name, globs)| Candidate::new(name, globs.join(", "))).collect()
        }
        Expected::OneOf(values) => {
            values.iter().map(|(value, about)| Candidate::new(value, about)).collect()
        }
        Expected::AnchorOf(file) => {
            // `%41` in an address is a percent-encoded letter, so `%` itself must be encoded.
            let named = named_in(std::slice::from_ref(file), question).into_iter();
            named
                .map(|candidate| {
                    Candidate::new(candidate.value.replace('%', "%25"), candidate.about)
                })
                .collect()
        }
        Expected::File => Vec::new(),
        Expected::Section
        | Expected::Scope
        | Expected::Key
        | Expected::Anchor
        | Expected::CodeBlock
        | Expected::Table => named_in(&question.operands, question),
    };
    let mut seen = std::collections::HashSet::new();
    found.retain(|candidate| {
        let value = &candidate.value;
        let can_be_typed = !value.is_empty() && !value.chars().any(char::is_control);
        can_be_typed && value.len() <= LONGEST_NAME && seen.insert(value.clone())
    });
    found
}

fn commands() -> impl Iterator<Item = Candidate> {
    SUBCOMMANDS.iter().map(|command| Candidate::new(command.name, command.about))
}

/// Without the feature `search`, there are no collections.
#[cfg(not(feature = "search"))]
fn collections(_: &Question) -> impl Iterator<Item = Candidate> {
    std::iter::empty()
}

/// Returns the names and aliases of collections.
#[cfg(feature = "search")]
fn collections(question: &Question) -> impl Iterator<Item = Candidate> {
    let catalogue = |host: Host| Catalogue::load(&host.storage, &host.env).ok();
    let catalogue = host_of(question).and_then(catalogue).unwrap_or_default();
    let collections = catalogue.collections().to_vec().into_iter();
    collections.flat_map(|collection| {
        let directory = || collection.directory.display().to_string();
        let about = collection.settings.description.clone().unwrap_or_else(directory);
        let about = about.split(char::is_control).next().unwrap_or_default().to_owned();
        let names: Vec<String> =
            std::iter::once(collection.name).chain(collection.aliases).collect();
        names.into_iter().map(move |name| Candidate::new(name, &about))
    })
}

/// Returns the entries of a directory that ignore rules do not exclude.
fn documents(directory: &Path, question: &Question) -> Vec<Candidate> {
    let mut found = Entries(Vec::new());
    let options = WalkOptions { depth: 1, ..WalkOptions::default() };
    if let Some(host) = host_of(question) {
        // If this is not a directory, there are no names to offer.
        let _ = listing::list(directory, &options, &host.env, &mut found);
    }
    found.0.truncate(MAX_NAMES);
    found.0
}

struct Entries(Vec<Candidate>);

impl Visitor for Entries {
    fn wants_children(&mut self, _: &ListedEntry<'_>) -> bool {
        false
    }

    fn entry(&mut self, found: &ListedEntry<'_>) {
        let Some(name) = found.name().to_str() else { return };
        self.0.push(match found.kind {
            EntryKind::Directory => Candidate::new(format!("{name}/"), "directory"),
            _ => Candidate::new(name, ""),
        });
    }

    fn failed(&mut self, _: Error) {}
}

/// Returns the patches that `folio undo` can undo.
fn patches(question: &Question) -> Vec<Candidate> {
    let Some(state) = state_directory() else { return Vec::new() };
    let Some(Host { env, .. }) = host_of(question) else { return Vec::new() };
    let (entries, _) = history::list(&state).unwrap_or_default();
    let entries = entries.into_iter().filter(|entry| !entry.is_undo() && entry.lies_in(&env.roots));
    entries
        .map(|entry| {
            let name = |path: &PathBuf| {
                let name = path.file_name().unwrap_or(path.as_os_str());
                name.to_string_lossy().into_owned()
            };
            let files: Vec<String> = entry.files.iter().take(3).map(name).collect();
            Candidate::new(
                entry.id.to_string(),
                format!("{} {}", entry.record.operation, files.join(", ")),
            )
        })
        .collect()
}

/// Creates the host, with the roots on the command line.
fn host_of(question: &Question) -> Option<Host> {
    let roots: Vec<OsString> = question.values("root").cloned().collect();
    host(&roots).ok()
}

fn named_in(operands: &[OsString], question: &Question) -> Vec<Candidate> {
    let Some(Host { env, .. }) = host_of(question) else { return Vec::new() };
    let files = operands.iter().filter_map(|operand| file(operand, &env.roots));
    let mut paths: Vec<PathBuf> = files.collect();
    paths.dedup();
    let mut found = Vec::new();
    for path in paths.iter().take(MAX_FILES) {
        let Some(outline) = outline(path, question, &env) else { continue };
        found.extend(names(&outline, question));
    }
    found.truncate(MAX_NAMES);
    found
}

/// Returns the path of an operand that names a regular file. Other files are not opened, because
/// opening a pipe would block.
fn file(operand: &OsStr, roots: &Roots) -> Option<PathBuf> {
    let exists = |path: &Path| roots.exists(&expand_home(path, roots));
    let address = Address::parse(operand, exists).ok()?;
    let path = expand_home(&address.path, roots);
    roots.is_file(&path).then_some(path)
}

/// Expands `~/`. In completions, shells do not expand it.
fn expand_home(path: &Path, roots: &Roots) -> PathBuf {
    match (path.strip_prefix("~"), home()) {
        (Ok(below), Some(home)) if !roots.exists(path) => Path::new(&home).join(below),
        _ => path.to_owned(),
    }
}

/// Returns the outline of a file. Reads only the beginning of a large file.
fn outline(path: &Path, question: &Question, env: &Env) -> Option<Outline> {
    let values = |id: &str| -> Vec<String> {
        question.values(id).map(|value| value.to_string_lossy().into_owned()).collect()
    };
    let format = values("as").pop().and_then(|name| Format::named(&name));
    let options = DocumentOptions {
        encoding: values("encoding").pop(),
        binary: question.flags.iter().any(|(name, _)| name == "binary"),
        format,
        entries: section_patterns(&values("section-pattern")).unwrap_or_default(),
        ..DocumentOptions::default()
    };
    let document =
        document::open(path, &options, env).ok()?.beginning(MAX_BYTES, MAX_NAMES).ok()?;
    let has_code = document.format().has(Feature::Code);
    let outline = match question.expected {
        Expected::Table if has_code => document.outline_with_tables(),
        Expected::CodeBlock if has_code => document.outline(),
        Expected::Key | Expected::Anchor | Expected::AnchorOf(_) => document.outline(),
        _ => document.sections(),
    };
    outline.ok().cloned()
}

fn names(outline: &Outline, question: &Question) -> Vec<Candidate> {
    let section = |flag: &str| {
        let (_, name) = question.flags.iter().rev().find(|(name, _)| name == flag)?;
        find_section(outline, name.to_str()?, None, Matching::Relaxed).ok()
    };
    let is_ini_key = !outline.format().is_tree() && question.expected == Expected::Key;
    let has_headings = outline.format().has(Feature::Headings);
    if let Some(tree) = outline.tree().filter(|_| !is_ini_key && !has_headings) {
        let is_key =
            |&index: &usize| outline.format().is_tree() || !tree.node(index).kind.is_container();
        let entries = (1..tree.nodes.len()).filter(is_key).take(MAX_NAMES);
        let entry = |index| Candidate::new(tree.path(index), lines_about(tree.lines(index)));
        return entries.map(entry).collect();
    }
    let scope = section("in").map(|index| outline.sections()[index].lines());
    let is_within = |line: u64| scope.is_none_or(|scope| scope.contains(line));
    match question.expected {
        // The symbols of a code block are not in the outline.
        Expected::Section if question.values("code-block").next().is_some() => Vec::new(),
        Expected::Section | Expected::Scope => sections(outline, is_within),
        Expected::Key => keys(outline, section("section").or_else(|| section("body"))),
        Expected::CodeBlock => code_blocks(outline, is_within),
        Expected::Table => tables(outline, is_within),
        _ => anchors(outline, is_within),
    }
}

fn sections(outline: &Outline, is_within: impl Fn(u64) -> bool) -> Vec<Candidate> {
    let sections = outline.sections();
    let named = unique_names(outline).into_iter().enumerate();
    named
        .filter(|(index, _)| is_within(sections[*index].lines().start()))
        .filter_map(|(index, name)| Some(Candidate::new(name?, section_about(outline, index))))
        .take(MAX_NAMES)
        .collect()
}

fn section_about(outline: &Outline, index: usize) -> String {
    let section = &outline.sections()[index];
    let lines = lines_about(section.lines());
    match section.kind() {
        SectionKind::Heading(level) => format!("level {level}, {lines}"),
        SectionKind::Marker => lines,
        SectionKind::Symbol(kind) => format!("{}, {lines}", kind.name()),
        SectionKind::Entry => {
            let name = String::from_utf8_lossy(outline.name(index)).into_owned();
            format!("{lines}: {}", name.chars().take(60).collect::<String>())
        }
    }
}

fn lines_about(lines: LineRange) -> String {
    match lines.count() {
        1 => format!("line {}", lines.start()),
        _ => format!("lines {}-{}", lines.start(), lines.end()),
    }
}

/// Returns the keys of a section. Without a section, returns the keys of the front matter and the
/// keys before the first section.
fn keys(outline: &Outline, section: Option<usize>) -> Vec<Candidate> {
    if let Some(front_matter) = outline.front_matter() {
        let keys = front_matter.keys.iter();
        let keys = keys.map(|key| Candidate::new(&key.name, lines_about(key.lines)));
        let nested = front_matter.nested_keys().into_iter().filter_map(|name| {
            let (tree, found) = front_matter.find(&name)?;
            Some(Candidate::new(&name, lines_about(tree.lines(found.index))))
        });
        return keys.chain(nested.take(MAX_NAMES)).collect();
    }
    let Some(tree) = outline.tree() else { return Vec::new() };
    let keys: Vec<usize> = outline.keys_of(section).take(MAX_NAMES).collect();
    let mut counts = std::collections::HashMap::new();
    for &key in &keys {
        *counts.entry(tree.name(key)).or_insert(0) += 1;
    }
    let mut seen = std::collections::HashMap::new();
    let numbered = keys.iter().map(|&key| {
        let number = seen.entry(tree.name(key)).or_insert(0);
        let is_one = counts.get(&tree.name(key)) == Some(&1);
        let name = tree.name(key).unwrap_or_default();
        let name = if is_one { name.to_owned() } else { format!("{name}[{number}]") };
        *number += 1;
        Candidate::new(name, lines_about(tree.lines(key)))
    });
    numbered.collect()
}

/// Returns code blocks by number, followed by code blocks by language.
fn code_blocks(outline: &Outline, is_within: impl Fn(u64) -> bool) -> Vec<Candidate> {
    let fenced = outline.code().iter().filter(|code| code.fenced && is_within(code.lines.start()));
    let mut counts = std::collections::HashMap::new();
    let (mut numbers, mut languages) = (Vec::new(), Vec::new());
    for (index, code) in fenced.enumerate().take(MAX_NAMES) {
        let language = code.language.clone().unwrap_or_default();
        let lines = lines_about(code.lines);
        numbers.push(Candidate::new(index.to_string(), format!("{language} {lines}").trim()));
        if !language.is_empty() {
            let count = counts.entry(language.to_lowercase()).or_insert(0);
            languages.push(Candidate::new(format!("{language}:{count}"), lines));
            *count += 1;
        }
    }
    numbers.append(&mut languages);
    numbers
}

/// Returns the numbers of the tables, each described by its header row.
fn tables(outline: &Outline, is_within: impl Fn(u64) -> bool) -> Vec<Candidate> {
    let tables = outline.tables().iter().filter(|table| is_within(table.lines.start()));
    let about =
        |table: &Table| format!("{}: {}", lines_about(table.lines), table.header.join(", "));
    let numbered = tables.take(MAX_NAMES).enumerate();
    numbered.map(|(index, table)| Candidate::new(index.to_string(), about(table))).collect()
}

fn anchors(outline: &Outline, is_within: impl Fn(u64) -> bool) -> Vec<Candidate> {
    let sections = outline.sections();
    let lines: Vec<u64> = slugs(outline)
        .into_iter()
        .map(|(index, _)| sections[index].lines().start())
        .chain(outline.anchors().iter().map(|anchor| anchor.line))
        .collect();
    let ids = anchor_ids(outline).zip(lines).filter(|(_, line)| is_within(*line));
    ids.map(|(id, line)| Candidate::new(id, format!("line {line}"))).collect()
}
