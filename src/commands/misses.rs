//! Errors for parts that are missing or ambiguous: the only place that turns a [`Miss`] of the engine
//! into a sentence, candidates and hints.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::str::Utf8Error;

use super::target::spell;
use super::target::spell::Flag;
use crate::commands::output::{MAX_EXCERPT, counted, shortened};
use folio_files::address::display;
use folio_files::error::{Argument, Candidate, Change, Code, Error, Hint, Opt};
use folio_files::options::{ANCHOR, AS, ENCODING, IN, JSON, KEY, SECTION};
use folio_keys::find::{self, Found, KeyMiss, Step};
use folio_keys::parse::NOT_UTF8;
use folio_keys::path::push_steps;
use folio_keys::tree::Form;
use folio_keys::{KeyPath, Kind, Mistake, Syntax, Tree};
use folio_outline::format::{Feature, Format};
use folio_outline::locate::{BlockKind, Locator, Miss, NameRole};
use folio_outline::lookup::{Matching, NameMiss};
use folio_outline::naming::{section_label, section_path, unique_label};
use folio_outline::outline::Outline;
use folio_outline::part::{Part, SectionPart};
use folio_text::fuzzy::name::nearest;
use folio_text::span::LineRange;

/// The properties of a request that the error for a [`Miss`] contains.
pub struct MissContext<'a> {
    /// The locator that was used.
    pub locator: Locator<'a>,
    /// The document.
    pub path: &'a Path,
    /// The target of the request.
    pub target: Option<&'a Part>,
    /// Returns the change of the call that selects another anchor.
    pub anchor: &'a dyn Fn(&str) -> Change,
}

impl MissContext<'_> {
    /// Returns the call with another target.
    fn again(&self, target: Option<&Part>, scope: Option<&str>) -> Hint {
        Hint::again(spell::changes((self.target, self.locator.scope), (target, scope)))
    }

    /// Returns the error for a miss, with the candidates and with hints that repeat the request
    /// with similar names.
    pub fn error(&self, miss: &Miss) -> Error {
        let (outline, path) = (self.locator.outline, self.path);
        let scope = self.locator.scope;
        match miss {
            Miss::Section { role, name, miss } => self.no_section(name_option(*role), name, miss),
            Miss::Number { kind, index, count } => numbered_miss(kind, *index, *count, scope, path),
            Miss::Anchor { id, nearest } => {
                let error = anchor_miss(self.anchor, id, nearest, path);
                with_scope(error, scope.filter(|_| nearest.is_empty()))
            }
            Miss::Entry(key, miss) => {
                let retry = |key_path: &str| {
                    let mut target = self.target.cloned();
                    match &mut target {
                        Some(Part::Key { section, key, .. }) => {
                            // Other keys of the call may be in the same section.
                            let below = |section: &String| {
                                let name = section.trim_matches(['[', ']']);
                                Some(key_path.strip_prefix(name)?.strip_prefix('.')?.to_owned())
                            };
                            match section.as_ref().and_then(below) {
                                Some(below) => *key = below,
                                None => (*section, *key) = (None, key_path.to_owned()),
                            }
                        }
                        Some(Part::Section { name, part, .. }) => {
                            return Hint::again([Change::replace(part.flag(), &*name, key_path)]);
                        }
                        Some(Part::FrontMatter { key, .. }) => *key = Some(key_path.to_owned()),
                        _ => return Hint::again([(self.anchor)(key_path)]),
                    }
                    self.again(target.as_ref(), None)
                };
                let root = match outline.tree() {
                    Some(_) => "the document",
                    None => "the front matter",
                };
                match (outline.entries(), miss) {
                    (Some(tree), &KeyMiss::NotFound { container, .. })
                        if matches!(tree.syntax, Syntax::Ini(_)) =>
                    {
                        ini_miss((outline, tree), key, container.index, path, &retry)
                    }
                    (Some(tree), _) => entry_miss(tree, key, miss, (root, path), &retry),
                    (None, _) => Error::new(Code::TargetNotFound, "no such key").at(path),
                }
            }
            Miss::Invalid(mistake, format) => unparsed(mistake, format, path),
            Miss::Path { text, message } => {
                let error = no_path(text, message).at(path);
                error.hint("a key path looks like a.b[2].\"c.d\"")
            }
            Miss::NoKeys => self.no_keys(),
            Miss::NoCode(language) => {
                let message = match language {
                    Some(language) => format!("code blocks in '{language}' have no symbols"),
                    None => "the code block does not name its language".to_owned(),
                };
                no_symbol(message, path)
            }
            Miss::NoBody { name } => {
                let whole = self.again(Some(&Part::section(name)), scope);
                let message = format!("'{name}' has no body on lines of its own");
                let error = Error::new(Code::TargetNotFound, message).at(path);
                error.hint(whole.why("the whole symbol"))
            }
            Miss::OpenValue { line, name } => open_value(*line, name, path),
            Miss::NoFrontMatter => {
                let inspect = Hint::command("inspect", [path]).why("list its parts");
                let error = Error::new(Code::TargetNotFound, "it has no front matter").at(path);
                error.hint(inspect)
            }
        }
    }

    fn no_section(&self, flag: Opt, name: &str, miss: &NameMiss) -> Error {
        let Locator { outline, scope, matching, .. } = self.locator;
        // The anchor of source code is the name of a symbol.
        let is_symbol = matches!(self.target, Some(Part::CodeBlock { .. })) && flag != IN;
        let is_named = matches!(self.target, Some(Part::Section { .. } | Part::Key { .. }));
        let is_anchor = flag != IN && !is_symbol && !is_named;
        let retry = |label: &str| match is_anchor {
            true => Hint::again([(self.anchor)(label)]),
            false => Hint::again([Change::replace(flag, name, label)]),
        };
        if let NameMiss::NotFound { nearest } = miss
            && is_symbol
        {
            let error = no_symbol(format!("no symbol '{name}' in the code block"), self.path);
            let similar = nearest.iter().take(3).map(|&index| unique_label(outline, index));
            let similar: Vec<Hint> = similar.map(|label| retry(&label).why("similar")).collect();
            return if similar.is_empty() { error } else { Error { hints: similar, ..error } };
        }
        let error = section_miss_by_name(outline, miss, &retry, name, self.path);
        let is_scoped = flag != IN && !matches!(self.target, Some(Part::Key { .. }));
        let error = with_scope(error, scope.filter(|_| is_scoped));
        match matching {
            // Commands that only read can also select the section by its lines.
            Matching::Relaxed => with_lines(error, outline, miss, self.path),
            Matching::Exact | Matching::IgnoringCase => error,
        }
    }

    /// Returns the error for a key in a format without keys.
    fn no_keys(&self) -> Error {
        let outline = self.locator.outline;
        let format = outline.format();
        if let (Some(Syntax::Ini(_)), Some(Part::Key { section: Some(name), key, value })) =
            (format.syntax(), self.target)
        {
            let message = format!("no key '{key}' in section '{name}'");
            let error = Error::new(Code::TargetNotFound, message).at(self.path);
            let target = Part::Key { section: None, key: key.clone(), value: *value };
            let is_of_document = self.locator.locate(&target).is_ok();
            return error.hint(match is_of_document {
                true => self.again(Some(&target), None).why("a key of the document"),
                false => Hint::command("inspect", [self.path]).why("list its parts"),
            });
        }
        let message = format!(
            "only configuration files and front matter have keys, but this file is {}",
            format.name()
        );
        let error = Error::new(Code::TargetNotFound, message).at(self.path);
        if let Some(Part::Key { key, value, .. }) = self.target
            && outline.front_matter().is_some()
        {
            let target = Part::FrontMatter { key: Some(key.clone()), value: *value };
            let retry = self.again(Some(&target), None);
            return error.hint(retry.why("a key of the front matter"));
        }
        if format.has(Feature::FrontMatter) {
            return error.hint(Hint::command("inspect", [self.path]).why("list its parts"));
        }
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        if !Format::may_be_ini(&name) {
            return error;
        }
        error.hint(if *name == *"-" {
            Hint::with_value(AS, "yaml").why("or toml, ini, env, properties")
        } else {
            Hint::with_value(AS, "ini").why("to read it as INI")
        })
    }
}

/// Returns the option whose value is the name of a section.
fn name_option(role: NameRole) -> Opt {
    match role {
        NameRole::Scope => IN,
        NameRole::Part(part) => part.flag(),
        NameRole::OfKey => SectionPart::Whole.flag(),
    }
}

/// Maximum number of candidates that an error lists.
pub const MAX_CANDIDATES: usize = 20;

/// Returns the text for an error with `count` candidates that states how many of them are not
/// listed.
pub fn only_some(count: usize) -> String {
    if count > MAX_CANDIDATES {
        format!("; the first {MAX_CANDIDATES} are listed")
    } else {
        String::new()
    }
}

fn candidates(outline: &Outline, indexes: &[usize]) -> Vec<Candidate> {
    indexes
        .iter()
        .take(MAX_CANDIDATES)
        .map(|&index| Candidate {
            line: outline.sections()[index].lines().start(),
            text: section_label(outline, index),
            path: section_path(outline, index),
        })
        .collect()
}

/// Returns the error for a section that was not found. `flag` is the option that contains the name.
pub fn section_miss(
    outline: &Outline,
    miss: &NameMiss,
    flag: Opt,
    name: &str,
    path: &Path,
) -> Error {
    let retry = |label: &str| Hint::again([Change::replace(flag, name, label)]);
    let error = section_miss_by_name(outline, miss, &retry, name, path);
    with_lines(error, outline, miss, path)
}

/// Adds a hint that reads the first of several candidates by its lines.
pub fn with_lines(error: Error, outline: &Outline, miss: &NameMiss, path: &Path) -> Error {
    let NameMiss::Ambiguous { candidates } = miss else { return error };
    let address = display(path, Some(outline.sections()[candidates[0]].lines()));
    error.hint(Hint::command("read", [address]).why("the same section, by lines"))
}

/// Returns the error for a symbol that is not in a code block.
fn no_symbol(message: String, path: &Path) -> Error {
    let whole = Hint::again([Change::remove(SECTION)]).why("the whole block");
    Error::new(Code::TargetNotFound, message).at(path).hint(whole)
}

/// Like [`section_miss`], but the hints only select sections by name.
fn section_miss_by_name(
    outline: &Outline,
    miss: &NameMiss,
    retry: &dyn Fn(&str) -> Hint,
    name: &str,
    path: &Path,
) -> Error {
    match miss {
        NameMiss::NotFound { nearest } => {
            let message = if outline.sections().is_empty() {
                format!("no section '{name}': it has no headings or sections")
            } else {
                format!("no section '{name}'")
            };
            let mut error = Error::new(Code::TargetNotFound, message).at(path);
            error.candidates = candidates(outline, nearest);
            let is_utf8 = |index: &usize| std::str::from_utf8(outline.name(*index)).is_ok();
            let (named, unreadable): (Vec<_>, Vec<_>) = nearest.iter().copied().partition(is_utf8);
            let is_other = || (0..outline.sections().len()).any(|index| !is_utf8(&index));
            if !unreadable.is_empty() || !name.is_ascii() && is_other() {
                error = error.hint(other_encoding());
            }
            for &index in named.iter().take(3) {
                let line = outline.sections()[index].lines().start();
                let hint = retry(&unique_label(outline, index));
                let why = difference(outline, index, name).unwrap_or("similar");
                error = error.hint(hint.why(format!("{why}, at line {line}")));
            }
            error.hint(Hint::command("inspect", [path]).why("list all"))
        }
        NameMiss::Ambiguous { candidates: found } => {
            let limit_note = only_some(found.len());
            let message = format!("{} sections match '{name}'{limit_note}", found.len());
            let mut error = Error::new(Code::TargetAmbiguous, message).at(path);
            error.candidates = candidates(outline, found);
            let choice = unique_label(outline, found[0]);
            error.hint(retry(&choice).why("one of them"))
        }
    }
}

/// Describes the difference between a name and the name of a section, if it is hard to see.
fn difference(outline: &Outline, index: usize, name: &str) -> Option<&'static str> {
    let plain = |text: &str| -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").trim_matches(['#', '[', ']', ' ']).to_owned()
    };
    let lower = |text: &str| text.to_lowercase();
    let last = name.rsplit(['>', '/']).next().unwrap_or(name);
    let section_name = String::from_utf8_lossy(outline.name(index));
    let seen = outline.text(index);
    let seen = String::from_utf8_lossy(&seen);
    let pairs = [name, last].map(|name| [(name, &section_name), (name, &seen)]);
    let level = |name: &str| name.trim_start().bytes().take_while(|&byte| byte == b'#').count();
    let has_other_level = level(last) > 0 && level(last) != level(&section_label(outline, index));
    pairs.iter().flatten().find_map(|(name, candidate)| {
        let (name, candidate) = (name.trim_matches(['#', ' ']), candidate.trim());
        match (plain(name) == plain(candidate), lower(&plain(name)) == lower(&plain(candidate))) {
            (true, _) if has_other_level => Some("it has another level"),
            (true, _) => Some("it differs only in blanks"),
            (_, true) if lower(name) == lower(candidate) => Some("it differs only in case"),
            (_, true) => Some("it differs only in blanks and case"),
            _ => None,
        }
    })
}

/// Adds to an error the section to which the search was restricted.
pub fn with_scope(mut error: Error, scope: Option<&str>) -> Error {
    if let Some(scope) = scope {
        error.message.push(format!(" in section '{scope}'"));
    }
    error
}

/// Returns the error for an anchor that was not found. `change` returns the change of the call that
/// selects another anchor.
pub fn anchor_miss(
    change: &dyn Fn(&str) -> Change,
    id: &str,
    nearest: &[String],
    path: &Path,
) -> Error {
    let mut error = Error::new(Code::TargetNotFound, format!("no anchor '#{id}'")).at(path);
    for id in nearest.iter().take(3) {
        error = error.hint(Hint::again([change(id)]).why("similar"));
    }
    error.hint(
        Hint::command("inspect", [path])
            .why(format!("list the headings; {JSON} shows their anchors")),
    )
}

/// Returns the change of a call that selects another anchor of a file. `target` is the target of the
/// request, and `address` the part in its address. One of them contains the anchor.
pub fn anchor_change(target: Option<&Part>, address: &Part, path: &Path, id: &str) -> Change {
    let old = if let Part::Anchor(old) = address { format!("#{old}") } else { String::new() };
    if let Some(Part::Anchor(old)) = target {
        return Change::replace(ANCHOR, old, id);
    }
    Change::address(path, old, anchor_address(path, id))
}

/// Returns the address of an anchor.
pub fn anchor_address(path: &Path, id: &str) -> OsString {
    let mut address = path.argument();
    address.push(format!("#{id}"));
    address
}

/// Returns the error for a number that is too large. `count` is the number of such blocks.
fn numbered_miss(
    kind: &BlockKind,
    index: usize,
    count: usize,
    scope: Option<&str>,
    path: &Path,
) -> Error {
    let (kind, only) = match kind {
        BlockKind::Code(None) => ("code block".to_owned(), "code"),
        BlockKind::Code(Some(language)) => (format!("{language} code block"), "code"),
        BlockKind::Table => ("table".to_owned(), "tables"),
    };
    let place = if scope.is_some() { "the section" } else { "the document" };
    let message = match count {
        0 => format!("no {kind} {index}: {place} has none"),
        count => format!("no {kind} {index}: {place} has {count}, numbered from 0"),
    };
    let inspect = Hint::command("inspect", ["--only", only]).and([path]);
    Error::new(Code::TargetNotFound, message).at(path).hint(inspect.why("list them"))
}

/// Returns the error for a line after the end of a document.
pub fn past_end(line: u64, total: u64, path: &Path) -> Error {
    let lines = match total {
        0 => "is empty".to_owned(),
        _ => format!("has {}", counted(total, "line")),
    };
    let error = Error::new(Code::LineOutOfRange, format!("no line {line}: the file {lines}"));
    let error = error.at(path);
    if total == 0 {
        return error;
    }
    let last = display(path, LineRange::new(total.saturating_sub(9).max(1), total));
    error.hint(Hint::command("read", [last]).why("the last lines"))
}

/// Returns the error for a value that spans several lines in a way that INI does not support.
pub fn open_value(line: u64, name: &str, path: &Path) -> Error {
    let message = format!(
        "line {line}: the value of '{name}' spans several lines as in TOML, which INI does not \
         support"
    );
    Error::new(Code::TargetNotFound, message).at(path)
}

/// Maximum number of similar names of INI keys in an error.
const SIMILAR: usize = 5;

/// Maximum number of names listed in an error.
const LISTED: usize = 12;

/// Returns the error for a text that is not a key path.
fn no_path(text: &str, message: &str) -> Error {
    /// Maximum number of characters of a path in an error.
    const SHOWN: usize = 200;
    let shown = match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    Error::usage(format!("{KEY} '{shown}': {message}"))
}

/// Returns the error for a document that could not be parsed.
pub fn unparsed(mistake: &Mistake, format: &str, path: &Path) -> Error {
    let Mistake { line, column, message } = mistake;
    let message = format!("line {line}, column {column}: invalid {format}: {message}");
    let error = Error::new(Code::InvalidSyntax, message).at(path);
    if mistake.message == NOT_UTF8 { error.hint(other_encoding()) } else { error }
}

/// Returns the hint to give the encoding of a file that is not UTF-8.
pub fn other_encoding() -> Hint {
    Hint::with_value(ENCODING, "latin1")
        .why("which is read as windows-1252; or another, such as shift_jis")
}

/// Adds the hint to give the encoding to the error for a text that was not found, if this may be
/// because the file is not UTF-8.
pub fn with_encoding(error: Error, text: &str, searched: &[u8]) -> Error {
    // The text may end within a character.
    let is_other = |error: Utf8Error| error.error_len().is_some();
    match std::str::from_utf8(searched) {
        Err(invalid) if !text.is_ascii() && is_other(invalid) => error.hint(other_encoding()),
        _ => error,
    }
}

/// Returns the error for a path that does not select exactly one entry. `root` is the word for the
/// complete tree in the message, and `retry` returns the command with another path.
fn entry_miss(
    tree: &Tree,
    key: &KeyPath,
    miss: &KeyMiss,
    (root, path): (&str, &Path),
    retry: &dyn Fn(&str) -> Hint,
) -> Error {
    match miss {
        KeyMiss::Ambiguous { all, steps } => ambiguous_entry(tree, key, (all, *steps), path, retry),
        KeyMiss::NotFound { container, steps } => {
            let found = *container;
            let place = match (*steps, tree.path(found.index)) {
                (0, _) => format!("in {root}"),
                (_, path) => format!("in '{path}'"),
            };
            let node = tree.node(found.index);
            let count = tree.children(found.index).count();
            let error =
                Error::new(Code::TargetNotFound, format!("no key '{}' {place}", key.source));
            let error = error.at(path);
            match node.kind {
                _ if node.form == Form::Documents
                    && matches!(key.steps.first(), Some(Step::Name(_))) =>
                {
                    let why = format!("in the first of {count} documents");
                    error.hint(retry(&format!("[0].{}", key.source)).why(why))
                }
                Kind::Mapping => with_names(error, tree, found, key, *steps, retry),
                Kind::Sequence => error.hint(match count {
                    0 => "it is an empty list".to_owned(),
                    _ => format!(
                        "it is a list of {}, [0] to [{}]",
                        counted(count as u64, "item"),
                        count - 1
                    ),
                }),
                kind => error.hint(format!("it is a value of the type {}", kind.name())),
            }
        }
    }
}

/// Returns the error for a missing key of an INI file. `container` is the section, or the root.
fn ini_miss(
    (outline, tree): (&Outline, &Tree),
    key: &KeyPath,
    container: usize,
    path: &Path,
    retry: &dyn Fn(&str) -> Hint,
) -> Error {
    let is_key = |&index: &usize| !tree.node(index).kind.is_container();
    let is_name = |step: &Step| matches!(step, Step::Name(_));
    let last = key.steps.iter().rposition(is_name).unwrap_or(0);
    // The path of a key in a section that does not exist is shown completely.
    let is_path = container == Tree::ROOT && last > 0;
    let name = match key.steps.get(last) {
        Some(Step::Name(name)) if !is_path => name,
        _ => &key.source,
    };
    let mut shown = name.clone();
    if !is_path {
        push_steps(&mut shown, key.steps.get(last + 1..).unwrap_or_default());
    }
    let place = match tree.name(container) {
        Some(section) => format!("in section '{section}'"),
        None if is_path => "in the document".to_owned(),
        None if outline.format().has(Feature::MarkedSections) => {
            "before the first section".to_owned()
        }
        None => "of the document".to_owned(),
    };
    let message = format!("no key '{shown}' {place}");
    let mut error = Error::new(Code::TargetNotFound, message).at(path);
    let (indices, names): (Vec<usize>, Vec<String>) = if is_path {
        (1..tree.nodes.len()).filter(is_key).map(|index| (index, tree.path(index))).unzip()
    } else {
        let keys = tree.children(container).filter(is_key);
        keys.map(|index| (index, tree.name(index).unwrap_or_default().to_owned())).unzip()
    };
    let mut seen = HashSet::new();
    for at in nearest(name, names.iter().map(String::as_str), SIMILAR) {
        if seen.insert(&names[at]) {
            error = error.hint(retry(&path_of_name(tree, indices[at])).why("similar"));
        }
    }
    if container != Tree::ROOT {
        let line = tree.lines(container).start();
        let section = outline.sections().iter().position(|section| section.lines().start() == line);
        let label = section.map(|section| unique_label(outline, section));
        let read = Hint::command("read", [path]);
        let read = read.and(label.iter().flat_map(|label| [SECTION.0, label]));
        return error.hint(read.why("the whole section"));
    }
    let mut sections = HashSet::from([Some(Tree::ROOT)]);
    let in_sections = (1..tree.nodes.len()).filter(is_key).filter(|&index| {
        tree.name(index) == Some(&name[..]) && sections.insert(tree.parent(index))
    });
    for index in in_sections.take(3) {
        error = error.hint(retry(&path_of_name(tree, index)).why("in a section"));
    }
    let what = match outline.format().has(Feature::MarkedSections) {
        true => "list the sections",
        false => "list its parts",
    };
    error.hint(Hint::command("inspect", [path]).why(what))
}

/// Returns the path of a key of INI without the number that selects one of several such keys.
fn path_of_name(tree: &Tree, index: usize) -> String {
    let mut path = tree.path(index);
    let parent = tree.parent(index).unwrap_or(Tree::ROOT);
    let is_same = |&other: &usize| tree.name(other) == tree.name(index);
    if tree.children(parent).filter(is_same).nth(1).is_some() {
        path.truncate(path.rfind('[').unwrap_or(path.len()));
    }
    path
}

/// Adds hints with names similar to the missing one. If there are none, lists the existing names.
fn with_names(
    mut error: Error,
    tree: &Tree,
    container: Found,
    key: &KeyPath,
    steps: usize,
    retry: &dyn Fn(&str) -> Hint,
) -> Error {
    let children: Vec<usize> = tree.children(container.index).collect();
    let names = children.iter().map(|&child| tree.name(child).unwrap_or_default());
    let missing_name = match key.steps.get(steps) {
        Some(Step::Name(name)) => name,
        _ => &key.source,
    };
    let similar = nearest(missing_name, names, 3);
    if !similar.is_empty() {
        for at in similar {
            error = error.hint(retry(&tree.path(children[at])).why("similar"));
        }
        return error;
    }
    if children.is_empty() {
        return error.hint("it has no keys");
    }
    let shown = |&child: &usize| {
        let path = tree.path(child);
        String::from_utf8_lossy(&shortened(path.as_bytes(), MAX_EXCERPT)).into_owned()
    };
    let names: Vec<String> = children.iter().take(LISTED).map(shown).collect();
    let more = match children.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    error.hint(format!("its keys are {}{more}", names.join(", ")))
}

fn ambiguous_entry(
    tree: &Tree,
    key: &KeyPath,
    (all, steps): (&[usize], usize),
    path: &Path,
    retry: &dyn Fn(&str) -> Hint,
) -> Error {
    let limit_note = only_some(all.len());
    let message = format!("{} entries match '{}'{limit_note}", all.len(), key.source);
    let mut error = Error::new(Code::TargetAmbiguous, message).at(path);
    error.candidates = all
        .iter()
        .take(MAX_CANDIDATES)
        .map(|&index| {
            let key_path = tree.path(index);
            Candidate {
                line: tree.lines(index).start(),
                text: key_path.clone(),
                path: vec![key_path],
            }
        })
        .collect();
    let rest = key.steps.get(steps..).unwrap_or_default();
    let fits = |index: &&usize| find::find_from(tree, **index, rest).is_ok();
    let Some(&index) = all.iter().find(fits).or(all.first()) else { return error };
    let why = if Some(&index) == all.first() { "the first of them" } else { "one of them" };
    let mut key_path = tree.path(index);
    push_steps(&mut key_path, rest);
    error.hint(retry(&key_path).why(why))
}
