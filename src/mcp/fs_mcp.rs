//! The tools `read_files` and `grep_content`, which return several parts in one answer, and matches
//! with the end of their section.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Answer;
use super::collect::{Collect, MAX_BYTES, limits};
use super::tool::{Call, Set, Tool, ToolCall};
use crate::commands::answer_budget::Limited;
use crate::commands::grep::args::{GrepArgs, StyleArg};
use crate::commands::grep::file_args::FileArgs;
use crate::commands::read::Piece;
use crate::commands::read::args::ReadArgs;
use crate::commands::shared_args::PatternArgs;
use crate::commands::target::flags::TargetArgs;
use crate::commands::{grep, inspect, read};
use folio_files::error::{Code, Error, ExitStatus};

/// The tools of this set.
pub(super) static TOOLS: [Tool; 2] = [
    Tool::of::<ReadFiles>(Set::FsMcp, "read_files", "Read parts of files"),
    Tool::of::<GrepContent>(Set::FsMcp, "grep_content", "Search files, with section ends"),
];

/// Size in bytes above which a JSON or YAML file is read completely only if the call requests it.
const LARGE: u64 = 1 << 20;

/// Maximum number of keys that the error for such a file lists.
const LISTED: usize = 40;

/// A pattern that never matches, so that no line begins a section.
const NEVER: &str = r"[^\s\S]";

/// Read several files or parts of them. Each part follows its path, and dashes separate the parts.
/// Second step of grep -> read: grep_content gives a line; this reads from there to the next
/// section with read_to_next_pattern, so no arithmetic is needed. Common boundaries: ^#+
/// (headings), ^## , ^\[LOG- (log entries), ^$ (paragraphs). If you know the last line use
/// end_line, for samples head or tail.
///
/// `{"files":[{"path":"WORK.md","start_line":120,"read_to_next_pattern":"^\\[LOG-"}]}`
/// `{"files":[{"path":"a.md"},{"path":"b.md","head":20}]}`
/// `{"files":[{"path":"README.md","start_line":45,"end_line":60}]}`
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadFiles {
    /// Files to read
    files: Vec<File>,
    /// Also read complete JSON and YAML files over 1 MiB
    #[serde(default)]
    large_file_passthrough: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    /// File, relative to the root
    path: String,
    /// First line, from 1
    #[schemars(range(min = 1))]
    start_line: Option<u64>,
    /// Last line
    #[schemars(range(min = 1))]
    end_line: Option<u64>,
    /// Regex: stop before the next line after start_line that matches
    read_to_next_pattern: Option<String>,
    /// Number of first lines
    #[schemars(range(min = 1))]
    head: Option<u64>,
    /// Number of last lines
    #[schemars(range(min = 1))]
    tail: Option<u64>,
}

impl ToolCall for ReadFiles {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        if self.files.is_empty() {
            return Err(Error::usage("files is empty"));
        }
        let mut text = String::new();
        let mut errors = Vec::new();
        let mut room = MAX_BYTES;
        for file in &self.files {
            let path = &file.path;
            match file.read(self.large_file_passthrough, room, call) {
                Ok((head, part)) => {
                    room = room.saturating_sub(part.len()).max(1);
                    let end = if part.is_empty() || part.ends_with('\n') { "" } else { "\n" };
                    text += &format!("File: {path}{head}\n---\n{part}{end}---\n");
                }
                Err(error) => {
                    let shown = call.spelling.error(&Error { path: None, ..error.clone() });
                    text += &format!("File: {path}\n---\nError: {shown}\n---\n");
                    errors.push(error);
                }
            }
        }
        let status = errors.iter().map(|error| error.code.exit_status()).max().unwrap_or_default();
        let is_error = errors.len() == self.files.len();
        let errors = errors.iter().map(|error| call.spelling.error_object(error)).collect();
        Ok(Answer { errors, status, is_error, ..Answer::text(text) })
    }
}

impl File {
    /// Reads a part. Returns its text, and the text to print between the path and the part.
    fn read(&self, passes: bool, room: usize, call: &Call<'_>) -> Result<(String, String), Error> {
        self.check()?;
        let path = Path::new(&self.path);
        let ends = [self.start_line, self.end_line, self.head, self.tail];
        if !passes && ends.iter().all(Option::is_none) {
            check_size(path, call)?;
        }
        let lines = self.end_line.map(|end| format!("{}-{end}", self.start_line.unwrap_or(1)));
        let args = ReadArgs {
            addresses: vec![path.into()],
            from: self.start_line.filter(|_| self.end_line.is_none()),
            to_next: self.read_to_next_pattern.clone(),
            head: self.head,
            tail: self.tail,
            target: TargetArgs { lines: Vec::from_iter(lines), ..TargetArgs::default() },
            max_bytes: Some(room as u64),
            ..ReadArgs::default()
        };
        let (_, part) =
            read::run::part(args, call.host).map_err(|error| with_range(error, path, call))?;
        Ok((self.head_of(&part.piece), String::from_utf8_lossy(&part.content).into_owned()))
    }

    /// Fails if the call contains fields that exclude each other.
    fn check(&self) -> Result<(), Error> {
        let to_next = self.read_to_next_pattern.is_some();
        let [start, end, head, tail] =
            [self.start_line, self.end_line, self.head, self.tail].map(|number| number.is_some());
        let pairs = [
            (to_next && end, "end_line", "read_to_next_pattern"),
            (to_next && head, "head", "read_to_next_pattern"),
            (to_next && tail, "tail", "read_to_next_pattern"),
            (head && tail, "head", "tail"),
            (head && start, "head", "start_line"),
            (head && end, "head", "end_line"),
            (tail && start, "tail", "start_line"),
            (tail && end, "tail", "end_line"),
        ];
        if let Some((_, first, second)) = pairs.into_iter().find(|(is_conflict, ..)| *is_conflict) {
            return Err(Error::usage(format!("{first} cannot be used with {second}")));
        }
        if to_next && !start {
            let message = "start_line is required when using read_to_next_pattern";
            return Err(Error::usage(message));
        }
        Ok(())
    }

    /// Formats the text that follows the path of a part: its lines and the next section.
    fn head_of(&self, piece: &Piece) -> String {
        let mut head = String::new();
        if let Some(lines) = piece.ranges.first() {
            head += &format!(", Lines: {}-{}", lines.start(), lines.end());
            head += &piece.file.total_lines.map_or(String::new(), |all| format!(" of {all}"));
        }
        if let Some(boundary) = &piece.boundary {
            head += &format!(", Next-Section: {}", boundary.line);
            head += if boundary.in_code { " (in a code block)" } else { "" };
        } else if let Some(pattern) = &self.read_to_next_pattern {
            head +=
                &format!("\nNote: no later line matches {pattern}: read to the end of the file");
        }
        if piece.truncated {
            let next = piece.next_line.unwrap_or(0);
            head += &format!("\nNote: the answer was truncated: continue with start_line {next}");
        }
        head
    }
}

fn check_size(path: &Path, call: &Call<'_>) -> Result<(), Error> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_data = extension
        .is_some_and(|extension| ["json", "yaml", "yml"].contains(&&*extension.to_lowercase()));
    if !is_data || !call.host.env.roots.is_file(path) {
        return Ok(());
    }
    let size = call.host.env.roots.metadata(path).map(|metadata| metadata.len()).unwrap_or(0);
    if size <= LARGE {
        return Ok(());
    }
    let message = format!("it has {size} bytes: large JSON and YAML files are not read whole");
    let mut error = Error::usage(message).at(path);
    let keys = inspect::run::keys(path.as_os_str(), call.host, LISTED).unwrap_or_default();
    for (key, lines) in keys {
        let (start, end) = (lines.start(), lines.end());
        error = error.hint(format!("\"start_line\":{start},\"end_line\":{end}  # {key}"));
    }
    Err(error
        .hint("start_line and end_line read a part; \"large_file_passthrough\":true reads it all"))
}

/// Adds the range of valid line numbers to the error for a line that is after the end of the file.
fn with_range(mut error: Error, path: &Path, call: &Call<'_>) -> Error {
    if error.code != Code::LineOutOfRange {
        return error;
    }
    error.hints.clear();
    let args = ReadArgs { addresses: vec![path.into()], tail: Some(1), ..ReadArgs::default() };
    let part = read::run::part(args, call.host);
    match part.ok().and_then(|(_, part)| part.piece.file.total_lines) {
        Some(total) if total > 0 => error.hint(format!("start_line is from 1 to {total}")),
        _ => error,
    }
}

/// Find lines that match a regex, each with the last line of its section (Section-End-Hint). First
/// step of grep -> read: pass the line to read_files as start_line, and the hint as end_line, or
/// its pattern as read_to_next_pattern. To read use read_files.
///
/// `{"pattern":"\\[DECISION\\]","search_path":"WORK.md"}`
/// `{"pattern":"^## Implementation","search_path":"docs","include":"*.md"}`
/// `{"pattern":"TODO","search_path":".","max_results":20}`
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GrepContent {
    /// Regular expression
    pattern: String,
    /// File or directory
    search_path: String,
    #[serde(default)]
    case_insensitive: bool,
    /// Lines before and after each match
    #[schemars(range(min = 0, max = 1000))]
    context_lines: Option<usize>,
    /// Patterns of lines that begin sections, instead of the defaults; empty to omit hints
    section_patterns: Option<Vec<String>>,
    /// Only matching files: *.md
    include: Option<String>,
    /// Maximum number of matches
    #[schemars(range(min = 1))]
    max_results: Option<u64>,
}

impl ToolCall for GrepContent {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        let section_pattern = match self.section_patterns {
            Some(patterns) if patterns.is_empty() => vec![NEVER.to_owned()],
            patterns => patterns.unwrap_or_default(),
        };
        let ignore_case = self.case_insensitive;
        let args = GrepArgs {
            pattern: Some(self.pattern.into()),
            paths: vec![self.search_path.into()],
            style: StyleArg::Blocks,
            section_pattern,
            context: self.context_lines,
            files: FileArgs { glob: self.include.into_iter().collect(), ..FileArgs::default() },
            max_total: self.max_results,
            patterns: PatternArgs { ignore_case, ..PatternArgs::default() },
            ..GrepArgs::default()
        };
        let mut sink = Collect::new(call.spelling, false, &call.host.progress);
        let limits = limits(Some(MAX_BYTES as u64), false, None);
        let outcome =
            Limited::run(limits, &mut sink, |limited| grep::run::run(args, call.host, limited));
        sink.facts.clear();
        if matches!(outcome, Ok(ExitStatus::No)) {
            sink.facts.push("No match.".to_owned());
        }
        Ok(sink.answer(outcome))
    }
}
