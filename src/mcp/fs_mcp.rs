//! `read_files` and `grep_content`: several parts in one answer, and matches with the end of
//! their section.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::answer::Answer;
use super::arguments::Arguments;
use super::call::{Call, Entry};
use super::collect::{Collect, Form, MAX_BYTES};
use super::records::{Records, text_of};
use super::tool::{Effect, Kind, Parameter, Set, Tool};
use crate::commands::grep::args::{GrepArgs, StyleArg};
use crate::commands::grep::file_args::FileArgs;
use crate::commands::read::args::ReadArgs;
use crate::commands::shared_args::PatternArgs;
use crate::commands::target::flags::TargetArgs;
use crate::commands::{grep, read};
use crate::error::{Code, Error, ExitStatus};

/// JSON and YAML files larger than this, in bytes, are read whole only if the call asks for it.
const LARGE: u64 = 1 << 20;

/// A pattern that matches nothing, so that no line begins a section.
const NEVER: &str = r"[^\s\S]";

/// The tools of this set.
pub const TOOLS: &[Entry] = &[
    Entry {
        tool: Tool {
            name: "read_files",
            title: "Read parts of files",
            set: Set::FsMcp,
            description: "Read several files or parts of them; each under its path, parted by \
                dashes. Second step of grep -> read: grep_content gives a line, this reads from \
                there to the next section with read_to_next_pattern, without arithmetic. Common \
                boundaries: ^#+ (headings), ^## , ^\\[LOG- (log entries), ^$ (paragraphs). Not with \
                read_to_next_pattern where the last line is known (end_line), for whole small files, \
                for samples (head, tail).\n\
                {\"files\":[{\"path\":\"WORK.md\",\"start_line\":120,\"read_to_next_pattern\":\
                \"^\\\\[LOG-\"}]}\n{\"files\":[{\"path\":\"a.md\"},{\"path\":\"b.md\",\"head\":20}]}\n\
                {\"files\":[{\"path\":\"README.md\",\"start_line\":45,\"end_line\":60}]}",
            parameters: &[
                Parameter::required(
                    "files",
                    Kind::Objects(&[
                        Parameter::required("path", Kind::Text, "File, relative to the root"),
                        Parameter::new(
                            "start_line",
                            Kind::Integer(1, u64::MAX),
                            "First line, from 1",
                        ),
                        Parameter::new("end_line", Kind::Integer(1, u64::MAX), "Last line"),
                        Parameter::new(
                            "read_to_next_pattern",
                            Kind::Text,
                            "Regex: stop before the next line after start_line that matches",
                        ),
                        Parameter::new("head", Kind::Integer(1, u64::MAX), "The first lines"),
                        Parameter::new("tail", Kind::Integer(1, u64::MAX), "The last lines"),
                    ]),
                    "What to read",
                ),
                Parameter::new(
                    "large_file_passthrough",
                    Kind::Switch,
                    "Read JSON and YAML files over 1 MiB whole too",
                )
                .or("false"),
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: read_files,
        refuse: |spelling, error| spelling.refused(error),
    },
    Entry {
        tool: Tool {
            name: "grep_content",
            title: "Search files, with section ends",
            set: Set::FsMcp,
            description: "Lines that match a regex, each with the last line of its section \
                (Section-End-Hint). First step of grep -> read: give the line to read_files as \
                start_line, and the hint as end_line or its pattern as read_to_next_pattern. Not for \
                reading.\n{\"pattern\":\"\\\\[DECISION\\\\]\",\"search_path\":\"WORK.md\"}\n\
                {\"pattern\":\"^## Implementation\",\"search_path\":\"docs\",\"include\":\"*.md\"}\n\
                {\"pattern\":\"TODO\",\"search_path\":\".\",\"max_results\":20}",
            parameters: &[
                Parameter::required("pattern", Kind::Text, "Regular expression"),
                Parameter::required("search_path", Kind::Text, "File or directory"),
                Parameter::new("case_insensitive", Kind::Switch, "").or("false"),
                Parameter::new("context_lines", Kind::Integer(0, 1000), "Lines around each match"),
                Parameter::new(
                    "section_patterns",
                    Kind::Texts,
                    "Lines that begin sections, in place of the defaults; empty for no hints",
                ),
                Parameter::new("include", Kind::Text, "Only such files: *.md"),
                Parameter::new("max_results", Kind::Integer(1, u64::MAX), "Matches at most"),
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: grep_content,
        refuse: |spelling, error| spelling.refused(error),
    },
];

fn read_files(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let files = arguments.objects("files").unwrap_or_default();
    if files.is_empty() {
        return call.spelling.refused(&Error::usage("files is empty"));
    }
    let passes = arguments.flag("large_file_passthrough");
    let mut text = String::new();
    let mut errors = Vec::new();
    let mut room = MAX_BYTES;
    for file in &files {
        let path = file.text("path").unwrap_or_default();
        match read_part(file, passes, room, call) {
            Ok((head, part)) => {
                room = room.saturating_sub(part.len()).max(1);
                let end = if part.is_empty() || part.ends_with('\n') { "" } else { "\n" };
                text += &format!("File: {path}{head}\n---\n{part}{end}---\n");
            }
            Err(error) => {
                let shown = Error { path: None, ..error.clone() };
                text +=
                    &format!("File: {path}\n---\nError: {}\n---\n", call.spelling.error(&shown));
                errors.push(error);
            }
        }
    }
    let status = errors.iter().map(|error| error.code.exit_status()).max();
    let is_error = errors.len() == files.len();
    let errors = errors.iter().map(|error| call.spelling.error_object(error)).collect();
    let answer = Answer { errors, status: status.unwrap_or_default(), ..Answer::text(text) };
    Answer { is_error, ..answer }
}

/// Reads a part. Returns what to print after its path, and its text.
fn read_part(
    file: &Arguments,
    passes: bool,
    room: usize,
    call: &Call<'_>,
) -> Result<(String, String), Error> {
    let flags = part_flags(file)?;
    let is_whole = flags.from.is_none()
        && flags.head.is_none()
        && flags.tail.is_none()
        && flags.target.lines.is_none();
    let path = Path::new(file.text("path").unwrap_or_default());
    if is_whole && !passes {
        check_size(path, call)?;
    }
    let flags = ReadArgs { max_bytes: Some(room as u64), ..flags };
    let record = Records::one(|sink| read::run::run(flags, call.env, sink))
        .map_err(|error| with_range(error, path, call))?;
    Ok((head_of(&record), text_of(&record["content"]).0))
}

/// The arguments of `read` for a part.
///
/// # Errors
///
/// Fails if fields are given that exclude each other.
fn part_flags(file: &Arguments) -> Result<ReadArgs, Error> {
    let [start, end, head, tail] =
        ["start_line", "end_line", "head", "tail"].map(|name| file.integer(name));
    let to_next = file.string("read_to_next_pattern");
    let pairs = [
        (to_next.is_some() && end.is_some(), "end_line", "read_to_next_pattern"),
        (to_next.is_some() && head.is_some(), "head", "read_to_next_pattern"),
        (to_next.is_some() && tail.is_some(), "tail", "read_to_next_pattern"),
        (head.is_some() && tail.is_some(), "head", "tail"),
        (head.is_some() && start.is_some(), "head", "start_line"),
        (head.is_some() && end.is_some(), "head", "end_line"),
        (tail.is_some() && start.is_some(), "tail", "start_line"),
        (tail.is_some() && end.is_some(), "tail", "end_line"),
    ];
    if let Some((_, one, other)) = pairs.into_iter().find(|(given, ..)| *given) {
        return Err(Error::usage(format!("{one} cannot be used with {other}")));
    }
    if to_next.is_some() && start.is_none() {
        let message = "start_line is required when using read_to_next_pattern";
        return Err(Error::usage(message));
    }
    let lines = end.map(|end| format!("{}-{end}", start.unwrap_or(1)));
    Ok(ReadArgs {
        addresses: file.operands("path"),
        from: start.filter(|_| end.is_none()),
        to_next,
        head,
        tail,
        target: TargetArgs { lines, ..TargetArgs::default() },
        ..ReadArgs::default()
    })
}

fn check_size(path: &Path, call: &Call<'_>) -> Result<(), Error> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_data = extension
        .is_some_and(|extension| ["json", "yaml", "yml"].contains(&&*extension.to_lowercase()));
    if !is_data || !call.env.roots.is_file(path) {
        return Ok(());
    }
    let size = call.env.roots.metadata(path).map(|metadata| metadata.len()).unwrap_or(0);
    if size <= LARGE {
        return Ok(());
    }
    let message = format!("it has {size} bytes: large JSON and YAML files are not read whole");
    Err(Error::usage(message)
        .at(path)
        .hint("start_line and end_line read a part; \"large_file_passthrough\":true reads it all"))
}

/// Adds the valid line numbers to an error about a line past the end.
fn with_range(mut error: Error, path: &Path, call: &Call<'_>) -> Error {
    if error.code != Code::LineOutOfRange {
        return error;
    }
    error.hints.clear();
    let flags = ReadArgs { addresses: vec![path.into()], tail: Some(1), ..ReadArgs::default() };
    let record = Records::one(|sink| read::run::run(flags, call.env, sink));
    match record.ok().and_then(|record| record["totalLines"].as_u64()) {
        Some(total) if total > 0 => error.hint(format!("start_line is from 1 to {total}")),
        _ => error,
    }
}

/// What is printed after the path of a part: its lines and the next section.
fn head_of(record: &Value) -> String {
    let mut head = String::new();
    let range = &record["range"];
    if let (Some(start), Some(end)) = (range["startLine"].as_u64(), range["endLine"].as_u64()) {
        head += &format!(", Lines: {start}-{end}");
        head += &record["totalLines"].as_u64().map_or(String::new(), |all| format!(" of {all}"));
    }
    if let Some(line) = record["boundary"]["line"].as_u64() {
        head += &format!(", Next-Section: {line}");
        if record["boundary"]["inCode"] == true {
            head += " (in a code block)";
        }
    } else if let Some(pattern) = record["target"]["toNext"].as_str() {
        head += &format!("\nNote: no line matches {pattern} any more: read to the end of the file");
    }
    if record["truncated"] == true {
        let next = record["nextLine"].as_u64().unwrap_or(0);
        head += &format!("\nNote: the answer was cut: go on with start_line {next}");
    }
    head
}

fn grep_content(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let sections = arguments.texts("section_patterns");
    let section_pattern = match sections {
        Some(patterns) if patterns.is_empty() => vec![NEVER.to_owned()],
        patterns => patterns.unwrap_or_default(),
    };
    let flags = GrepArgs {
        pattern: arguments.text("pattern").map(Into::into),
        paths: arguments.operands("search_path").into_iter().map(PathBuf::from).collect(),
        style: StyleArg::Blocks,
        section_pattern,
        context: arguments.size("context_lines"),
        files: FileArgs {
            glob: arguments.string("include").into_iter().collect(),
            ..FileArgs::default()
        },
        max_total: arguments.integer("max_results"),
        patterns: PatternArgs {
            ignore_case: arguments.flag("case_insensitive"),
            ..PatternArgs::default()
        },
        ..GrepArgs::default()
    };
    let mut sink = Collect::new(call.spelling, Form::Text, None, &call.env.progress);
    let outcome = grep::run::run(flags, call.env, &mut sink);
    let is_none = matches!(outcome, Ok(ExitStatus::No));
    sink.answer(outcome, |_| if is_none { vec!["No match.".to_owned()] } else { Vec::new() })
}
