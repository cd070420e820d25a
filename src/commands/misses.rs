//! A miss as an error: what was looked for, what there is, what to type.

use std::path::Path;

use crate::commands::output::counted;
use crate::error::{Candidate, Code, Error, Hint, shell_path, shell_word};
use crate::files::address::display;
use crate::files::roots::Roots;
use crate::text::naming::unique_names;
use crate::text::outline::{Outline, SectionKind};
use crate::text::span::LineRange;
use crate::text::target::{KeyMiss, Matching, Miss, find_section};

/// Adds flags to the lines of a command in hints, before what is said about
/// them: what was asked for with these is to be asked for with these.
pub fn add_flags(error: &mut Error, command: &str, flags: &[String]) {
    let texts = error.hints.iter_mut().filter_map(|hint| match hint {
        Hint::Text(text) => Some(text),
        _ => None,
    });
    for hint in texts.filter(|hint| hint.starts_with(command)) {
        let about = hint.split_off(hint.find("  # ").unwrap_or(hint.len()));
        for flag in flags {
            let name = flag.split(' ').next().unwrap_or(flag);
            if !hint.split(' ').any(|word| word == name) {
                hint.push(' ');
                hint.push_str(flag);
            }
        }
        hint.push_str(&about);
    }
}

/// A section's name as it is told: with its marks.
pub fn section_label(outline: &Outline, index: usize) -> String {
    let text = outline.text(index);
    let text = String::from_utf8_lossy(&text);
    match outline.sections()[index].kind() {
        SectionKind::Heading(level) => format!("{} {text}", "#".repeat(usize::from(level))),
        SectionKind::Entry | SectionKind::Marker => text.into_owned(),
    }
}

/// Sections whose names are compared to tell one from all others.
const MAX_COMPARED: usize = 20_000;

/// A section's name as it must be given to be told from others: with its marks,
/// or with the names above it, or by its number.
fn unique_label(outline: &Outline, index: usize) -> String {
    let label = section_label(outline, index);
    if find_section(outline, &label, None, Matching::Exact) == Ok(index) {
        return label;
    }
    let is_small = outline.sections().len() <= MAX_COMPARED;
    let name = is_small.then(|| unique_names(outline).swap_remove(index)).flatten();
    name.unwrap_or(label)
}

/// The names of the sections that hold one, outermost first, then its own.
pub fn section_path(outline: &Outline, parents: &[Option<usize>], index: usize) -> Vec<String> {
    let mut path: Vec<String> = std::iter::successors(Some(index), |&index| parents[index])
        .map(|index| String::from_utf8_lossy(&outline.text(index)).into_owned())
        .collect();
    path.reverse();
    path
}

fn candidates(outline: &Outline, indexes: &[usize]) -> Vec<Candidate> {
    let parents = outline.parents();
    indexes
        .iter()
        .map(|&index| Candidate {
            line: outline.sections()[index].lines().start(),
            text: section_label(outline, index),
            path: section_path(outline, &parents, index),
        })
        .collect()
}

/// Why a section was not found; `flag` is the one that named it.
pub fn section_miss(outline: &Outline, miss: &Miss, flag: &str, name: &str, path: &Path) -> Error {
    let typed = |flag: &str, value: &str| {
        let word = shell_word(value);
        match flag {
            // It goes with a command and a target of its own.
            "--in" => format!("{flag} {word}"),
            _ => format!("folio read {} {flag} {word}", shell_path(path)),
        }
    };
    let error = section_miss_for(&typed, outline, miss, flag, name, path);
    match miss {
        Miss::Ambiguous { candidates } => {
            let own = &outline.sections()[candidates[0]];
            let shown = shell_word(&display(path, Some(own.lines())));
            error.hint(format!("folio read {shown}  # the same by its lines"))
        }
        Miss::NotFound { .. } => error,
    }
}

/// The same for another command: `typed` gives its line with another name for
/// a flag.
pub fn section_miss_for(
    typed: &dyn Fn(&str, &str) -> String,
    outline: &Outline,
    miss: &Miss,
    flag: &str,
    name: &str,
    path: &Path,
) -> Error {
    match miss {
        Miss::NotFound { nearest } => {
            let message = if outline.sections().is_empty() {
                format!("no section '{name}': it has no headings or sections")
            } else {
                format!("no section '{name}'")
            };
            let mut error = Error::new(Code::TargetNotFound, message).at(path);
            error.candidates = candidates(outline, nearest);
            for &index in nearest.iter().take(3) {
                let line = outline.sections()[index].lines().start();
                let typed = typed(flag, &unique_label(outline, index));
                error = error.hint(format!("{typed}  # similar, at line {line}"));
            }
            let shown = shell_path(path);
            error.hint(format!("folio inspect {shown}  # to see all there are"))
        }
        Miss::Ambiguous { candidates: found } => {
            let message = format!("{} sections match '{name}'", found.len());
            let mut error = Error::new(Code::TargetAmbiguous, message).at(path);
            error.candidates = candidates(outline, found);
            let choice = unique_label(outline, found[0]);
            error.hint(format!("{}  # one of them", typed(flag, &choice)))
        }
    }
}

/// An error about a part that was looked for in one section only.
pub fn within(mut error: Error, scope: Option<&str>) -> Error {
    if let Some(scope) = scope {
        error.message = format!("{} in section '{scope}'", error.message);
    }
    error
}

/// Why an anchor was not found; `typed` gives a command's line with another.
pub fn anchor_miss(
    typed: &dyn Fn(&str) -> String,
    id: &str,
    nearest: &[String],
    path: &Path,
) -> Error {
    let shown = shell_path(path);
    let mut error = Error::new(Code::TargetNotFound, format!("no anchor '#{id}'")).at(path);
    for id in nearest.iter().take(3) {
        error = error.hint(format!("{}  # similar", typed(id)));
    }
    error.hint(format!("folio inspect {shown}  # its headings; their anchors are in --json"))
}

/// A command's line with an anchor.
pub fn typed_anchor(command: &str, path: &Path, id: &str) -> String {
    format!("folio {command} {}", shell_word(&format!("{}#{id}", path.display())))
}

/// What the system says where a name goes on below a file.
const NOT_A_DIRECTORY: &str = "Not a directory";

/// A file that does not exist: the names next to it that are most like its own.
pub fn missing_file(error: Error, path: &Path, command: &str, roots: &Roots) -> Error {
    missing_file_for(&|path| format!("folio {command} {}", shell_path(path)), error, path, roots)
}

/// The same, where `typed` gives the command's line with another file.
pub fn missing_file_for(
    typed: &dyn Fn(&Path) -> String,
    mut error: Error,
    path: &Path,
    roots: &Roots,
) -> Error {
    if path.as_os_str().is_empty() {
        return error.hint("the name is empty: was it in a variable that is not set?");
    }
    if error.message == NOT_A_DIRECTORY {
        let file = path.ancestors().skip(1).find(|path| roots.is_file(path));
        return match file {
            Some(file) => error.hint(format!("{}  # this is a file", typed(file))),
            None => error,
        };
    }
    if error.code != Code::NotFound {
        return error;
    }
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        return error;
    };
    if let Some(target) = roots.link_text(path) {
        let (shown, target) = (shell_path(&roots.on_disk(path)), target.display());
        return error.hint(format!("ls -l {shown}  # a link to '{target}', which is not there"));
    }
    let similar = crate::files::walk::similar_names(path, &name, roots);
    if similar.is_empty() {
        let is_named = |parent: &&Path| parent.file_name().is_some() && roots.is_directory(parent);
        let parent = path.parent().filter(is_named);
        let directory = parent.map(|parent| format!(" {}", shell_path(parent)));
        error = error.hint(format!("folio list{}  # what there is", directory.unwrap_or_default()));
    }
    for similar in similar {
        error = error.hint(format!("{}  # similar", typed(&similar)));
    }
    error
}

/// Why a code block was not found; `count` is how many there are of its kind.
pub fn code_miss(
    count: usize,
    language: Option<&str>,
    index: usize,
    scoped: bool,
    path: &Path,
) -> Error {
    let kind = language.map(|language| format!("{language} ")).unwrap_or_default();
    let place = if scoped { "the section" } else { "the document" };
    let message = match count {
        0 => format!("no {kind}code block {index}: {place} has none"),
        1 => format!("no {kind}code block {index}: {place} has 1, numbered from 0"),
        count => format!("no {kind}code block {index}: {place} has {count}, numbered from 0"),
    };
    let shown = shell_path(path);
    Error::new(Code::TargetNotFound, message)
        .at(path)
        .hint(format!("folio inspect --only code {shown}  # to see them"))
}

/// A line that the document does not have.
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
    let last = shell_word(&display(path, LineRange::new(total.saturating_sub(9).max(1), total)));
    error.hint(format!("folio read {last}  # the last lines"))
}

/// Why a key was not found.
pub fn key_miss(
    outline: &Outline,
    miss: &KeyMiss,
    section: Option<&str>,
    key: &str,
    path: &Path,
) -> Error {
    let within = section.map(|name| format!(" --section {}", shell_word(name))).unwrap_or_default();
    let file = shell_path(path);
    let typed = |flag: &str, value: &str| match flag {
        "--section" => {
            let (section, key) = (shell_word(value), shell_word(key));
            format!("folio read {file} --section {section} --key {key}")
        }
        _ => format!("folio read {file}{within} {flag} {}", shell_word(value)),
    };
    key_miss_for(&typed, outline, miss, section, key, path)
}

/// The same for another command: `typed` gives its line with another name for
/// a flag.
pub fn key_miss_for(
    typed: &dyn Fn(&str, &str) -> String,
    outline: &Outline,
    miss: &KeyMiss,
    section: Option<&str>,
    key: &str,
    path: &Path,
) -> Error {
    let place = match section {
        Some(section) => format!("in section '{section}'"),
        None => "before the first section".to_owned(),
    };
    let file = shell_path(path);
    let within = section.map(|name| format!(" --section {}", shell_word(name))).unwrap_or_default();
    match miss {
        KeyMiss::NotFound(nearest) => {
            let message = format!("no key '{key}' {place}");
            let mut error = Error::new(Code::TargetNotFound, message).at(path);
            for name in nearest {
                error = error.hint(format!("{}  # similar", typed("--key", name)));
            }
            if section.is_some() {
                return error.hint(format!("folio read {file}{within}  # the whole section"));
            }
            let others = outline.keys().iter().filter(|other| other.name == key);
            let mut others: Vec<usize> = others.filter_map(|other| other.section).collect();
            others.dedup();
            for index in others.into_iter().take(3) {
                let typed = typed("--section", &unique_label(outline, index));
                error = error.hint(format!("{typed}  # in a section"));
            }
            error.hint(format!("folio inspect {file}  # the sections there are"))
        }
        KeyMiss::Ambiguous(lines) => {
            let message = format!("{} keys '{key}' {place}", lines.len());
            let mut error = Error::new(Code::TargetAmbiguous, message).at(path);
            error.candidates = lines
                .iter()
                .map(|lines: &LineRange| Candidate {
                    line: lines.start(),
                    text: key.to_owned(),
                    path: section.map(str::to_owned).into_iter().chain([key.to_owned()]).collect(),
                })
                .collect();
            let typed = typed("--key", &format!("{key}[1]"));
            error.hint(format!("{typed}  # one of them"))
        }
    }
}
