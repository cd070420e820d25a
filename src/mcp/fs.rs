//! The tools `fs_read`, `fs_search` and `fs_write`, which access files below the roots. Every
//! answer is an object that suggests the next call.

mod search;
mod write;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::Answer;
use super::tool::spelling::Spelling;
use super::tool::{Call, Set, Tool, ToolCall};
use crate::commands::list::args::{ListArgs, Mode};
use crate::commands::output::counted;
use crate::commands::read::args::ReadArgs;
use crate::commands::shared_args::{LookupArgs, ResolveArgs};
use crate::commands::target::flags::TargetArgs;
use crate::commands::{list, read};
use folio_files::error::{Code, Error, ExitStatus};

/// The tools of this set.
pub(super) static TOOLS: [Tool; 3] = [
    Tool::of::<Read>(Set::Fs, "fs_read", "Read files and list directories"),
    Tool::of::<search::Search>(Set::Fs, "fs_search", "Find files and text"),
    Tool::of::<write::Write>(Set::Fs, "fs_write", "Create or change a file"),
];

/// Number of lines that are shown if the call does not request a range.
const PREVIEW: u64 = 100;

/// Maximum number of directory entries to visit.
const MAX_ENTRIES: u64 = 10_000;

/// Maximum size in bytes of a file that can be read completely.
const MAX_FILE: u64 = 50 << 20;

/// Read files and list directories below the mounts. Start with "." to list the mounts. Read a file
/// before you change it: fs_write requires its checksum. Modes: auto (file or directory), tree
/// (directories with counts), list (entries in pages), content. As the path, a unique file name is
/// enough. To search use fs_search.
///
/// `{"path":"."}`
/// `{"path":"docs/guide.md","lines":"101-200"}`
/// `{"path":"src","mode":"tree","depth":3}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Read {
    /// Relative path; "." is the root, or lists the mounts
    path: String,
    #[schemars(extend("enum" = ["auto", "tree", "list", "content"], "default" = "auto"))]
    mode: Option<String>,
    /// Maximum number of entries
    #[schemars(range(min = 1, max = 2000), extend("default" = 100))]
    limit: Option<u64>,
    /// Entries to skip
    #[serde(default)]
    offset: u64,
    /// Lines of a file: 10 or 10-50
    lines: Option<String>,
    /// Size and time of entries
    #[serde(default)]
    details: bool,
    #[serde(flatten)]
    filter: Filter,
}

/// The files to include.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Filter {
    /// File types: ts, md
    #[serde(default)]
    types: Vec<String>,
    /// Only matching paths: **/*.ts
    glob: Option<String>,
    /// Exclude matching paths
    #[serde(default)]
    exclude: Vec<String>,
    /// Levels of directories
    #[schemars(range(min = 1, max = 20))]
    depth: Option<u64>,
    /// Apply ignore files
    #[schemars(extend("default" = true))]
    respect_ignore: Option<bool>,
}

impl ToolCall for Read {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        Ok(answered(self.answer(call), &self.path, call))
    }
}

/// The failure of a call: code, message, and what to do next.
struct Failure {
    code: &'static str,
    message: String,
    hint: String,
    /// The exit status that the command line would return.
    status: ExitStatus,
}

type Answered = Result<Value, Failure>;

fn fail<T>(
    code: &'static str,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> Result<T, Failure> {
    let (message, hint) = (message.into(), hint.into());
    Err(Failure { code, message, hint, status: ExitStatus::Trouble })
}

/// Builds the answer. By the contract of this set, a file system error is a normal result with
/// `"success": false`, not a failed call.
fn answered(answer: Answered, path: &str, call: &Call<'_>) -> Answer {
    match answer {
        Ok(mut object) => {
            object["success"] = true.into();
            Answer::json(object)
        }
        Err(Failure { code, message, hint, status }) => {
            let object = json!({
                "success": false,
                "path": path,
                "type": kind(path, call),
                "status": "error",
                "error": {"code": code, "message": message},
                "hint": hint,
            });
            Answer { status, ..Answer::json(object) }
        }
    }
}

fn kind(path: &str, call: &Call<'_>) -> &'static str {
    if call.host.env.roots.is_directory(Path::new(path)) { "directory" } else { "file" }
}

/// Converts an error of a command to the error codes of this set.
fn failure_of(error: &Error, spelling: Spelling<'_>) -> Failure {
    let code = match error.code {
        Code::OutsideRoot => "OUT_OF_SCOPE",
        Code::BinaryFile => "NOT_TEXT",
        Code::NotRegular => "UNSUPPORTED",
        Code::LineOutOfRange => "INVALID_RANGE",
        other => other.name(),
    };
    let mut hints = spelling.hints(&error.hints);
    if hints.is_empty() {
        hints.push(match error.code {
            Code::NotFound => "Use fs_read on the parent directory to list it".to_owned(),
            Code::ChecksumMismatch => "The file has changed: fs_read it again".to_owned(),
            _ => "Use fs_read {\"path\":\".\"} to list the directory".to_owned(),
        });
    }
    let (message, hint) = (spelling.message(&error.message), hints.join("; "));
    Failure { code, message, hint, status: error.code.exit_status() }
}

/// Returns the requested path, relative to the root. `.` is the root.
fn relative(path: &str) -> Result<&str, Failure> {
    let path = path.trim();
    if matches!(path, "" | "." | "/") {
        return Ok(".");
    }
    if Path::new(path).is_absolute() {
        let relative = path.trim_start_matches('/');
        let hint = format!("Try fs_read {}", json!({"path": relative}));
        return fail("OUT_OF_SCOPE", "absolute paths are not accepted", hint);
    }
    Ok(path)
}

/// Parses a line range such as `10` or `10-50`.
fn range_of(text: &str) -> Result<(u64, u64), Failure> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse::<u64>().ok();
    match (number(start), number(end)) {
        (Some(start), Some(end)) if start >= 1 && start <= end => Ok((start, end)),
        _ => fail(
            "INVALID_RANGE",
            format!("'{text}' is not a range of lines"),
            "lines is \"10\" for one line, \"10-50\" for several",
        ),
    }
}

impl Filter {
    fn list(&self, path: &str) -> ListArgs {
        ListArgs {
            directories: vec![path.into()],
            depth: self.depth,
            extension: self.types.clone(),
            glob: self.glob.iter().cloned().collect(),
            exclude: self.exclude.clone(),
            no_ignore: self.respect_ignore == Some(false),
            ..ListArgs::default()
        }
    }
}

impl Read {
    fn answer(&self, call: &Call<'_>) -> Answered {
        let path = relative(&self.path)?;
        let mode = self.mode.as_deref().unwrap_or("auto");
        let mounts = call.host.env.roots.all();
        if path == "." && mode != "content" && mounts.len() > 1 {
            return Ok(self.mounts(&mounts, call));
        }
        let status = match call.host.env.roots.status(Path::new(path)) {
            Ok(status) => Some(status.kind),
            Err(error) if error.code == Code::NotFound => None,
            Err(error) => return Err(failure_of(&error, call.spelling)),
        };
        match status {
            Some(kind) if kind.is_dir() && mode == "content" => fail(
                "MODE_MISMATCH",
                "a directory has no content",
                "Use mode \"list\" or \"tree\" for directories",
            ),
            Some(kind) if kind.is_dir() => self.directory(path, mode == "tree", call),
            Some(kind) if !kind.is_file() => {
                fail("UNSUPPORTED", "it is neither a file nor a directory", "Choose another path")
            }
            _ if matches!(mode, "list" | "tree") => {
                fail("MODE_MISMATCH", "a file cannot be listed", "Leave mode out to read a file")
            }
            _ => self.file(path, call),
        }
    }

    fn mounts(&self, mounts: &[PathBuf], call: &Call<'_>) -> Value {
        let (offset, limit) = (self.offset, self.limit.unwrap_or(100));
        let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let entry = |mount: &PathBuf| {
            let directories = vec![mount.into()];
            let args = ListArgs { directories, limit: 1, ..ListArgs::default() };
            let children = list::run::page(args, &call.host.env).map_or(0, |page| page.total());
            json!({"path": mount.to_string_lossy(), "kind": "directory", "children": children})
        };
        let shown = mounts.iter().skip(size(offset)).take(size(limit));
        let entries: Vec<Value> = shown.map(entry).collect();
        let names: Vec<_> = mounts.iter().map(|mount| mount.to_string_lossy()).collect();
        let has_more = mounts.len() as u64 > offset + entries.len() as u64;
        json!({
            "path": ".",
            "type": "directory",
            "stats": {
                "returned": entries.len(), "total": mounts.len(), "offset": offset, "limit": limit,
                "hasMore": has_more, "truncated": false,
            },
            "entries": entries,
            "summary": format!("{}: {}", counted(mounts.len() as u64, "mount"), names.join(", ")),
            "hint": format!("Next: fs_read {}", json!({"path": format!("{}/", names[0])})),
        })
    }

    fn directory(&self, path: &str, is_tree: bool, call: &Call<'_>) -> Answered {
        let args = ListArgs {
            mode: if is_tree { Mode::Tree } else { Mode::List },
            details: self.details,
            limit: self.limit.unwrap_or(100),
            offset: self.offset,
            ..self.filter.list(path)
        };
        let page = list::run::page(args, &call.host.env);
        let page = page.map_err(|error| failure_of(&error, call.spelling))?;
        let (total, returned) = (page.total(), page.entries().count());
        let mut object = page.to_json();
        object["stats"]["truncated"] = (total > MAX_ENTRIES).into();
        object["hint"] = match (returned, page.next()) {
            (0, _) => "The directory is empty, or all entries are ignored".to_owned(),
            (_, Some(next)) => {
                let next = json!({"path": path, "offset": next});
                format!("Showing {returned} of {total}. More: fs_read {next}")
            }
            _ => "Use fs_read on a file to see its content, fs_search to find some".to_owned(),
        }
        .into();
        Ok(object)
    }

    fn file(&self, path: &str, call: &Call<'_>) -> Answered {
        let range = self.lines.as_deref().map(range_of).transpose()?;
        let size =
            call.host.env.roots.metadata(Path::new(path)).ok().map(|metadata| metadata.len());
        if let Some(size) = size.filter(|size| range.is_none() && *size > MAX_FILE) {
            let message = format!("it has {size} bytes, over {MAX_FILE}");
            return fail("FILE_TOO_LARGE", message, "Read some lines: \"lines\":\"1-100\"");
        }
        let lines = range.map(|(start, end)| format!("{start}-{end}"));
        let args = ReadArgs {
            addresses: vec![path.into()],
            limit: Some(PREVIEW).filter(|_| range.is_none() && size != Some(0)),
            target: TargetArgs { lines: Vec::from_iter(lines), ..TargetArgs::default() },
            checksum: true,
            lookup: LookupArgs { missing: ResolveArgs { resolve: true }, ..LookupArgs::default() },
            ..ReadArgs::default()
        };
        let (_, part) = read::run::part(args, call.host)
            .map_err(|error| unreadable_file(&error, path, call))?;
        let (piece, file) = (&part.piece, &part.piece.file);
        let (resolved_path, text) =
            (part.path.to_string_lossy(), String::from_utf8_lossy(&part.content));
        let shown = piece.ranges.first();
        let start = shown.map_or(1, |lines| lines.start());
        let total = file.total_lines.unwrap_or(0);
        let checksum = file.checksum.as_deref().unwrap_or_default();
        let mut content = json!({
            "text": numbered(&text, start),
            "checksum": checksum,
            "totalLines": total,
            "truncated": piece.has_more,
        });
        if range.is_some() || piece.has_more {
            let end = shown.map_or(start, |lines| lines.end());
            content["range"] = json!({"start": start, "end": end});
        }
        let mut hint = if piece.has_more {
            let lines = format!("{}-{}", PREVIEW + 1, 2 * PREVIEW);
            let next = json!({"path": resolved_path, "lines": lines});
            let shown = format!("Showing {PREVIEW} of {total} lines");
            format!("{shown}. More: fs_read {next}. Checksum: {checksum}")
        } else {
            format!("Checksum: {checksum}; give it to fs_write to change this file")
        };
        if resolved_path != path {
            hint = format!("'{path}' is '{resolved_path}', the only file of that name. {hint}");
        }
        Ok(json!({"path": resolved_path, "type": "file", "content": content, "hint": hint}))
    }
}

/// Returns the failure for a file that cannot be read. If the name is ambiguous, lists up to five
/// candidates.
fn unreadable_file(error: &Error, path: &str, call: &Call<'_>) -> Failure {
    if error.code != Code::AmbiguousPath {
        return failure_of(error, call.spelling);
    }
    // The hints of the error are paths, one for each candidate.
    let names = error.hints.iter().filter_map(|hint| hint.words().into_iter().next()).take(5);
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let names: Vec<String> = names.map(|name| format!("\n  {name}")).collect();
    Failure {
        code: "AMBIGUOUS_PATH",
        message: format!("several files match '{path}'"),
        hint: format!("It may be one of these:{}", names.concat()),
        status: error.code.exit_status(),
    }
}

/// Prefixes lines with their numbers, beginning at `start`.
fn numbered(text: &str, start: u64) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let width = (start + lines.len() as u64).saturating_sub(1).to_string().len();
    let numbered =
        lines.iter().zip(start..).map(|(line, number)| format!("{number:>width$}|{line}"));
    numbered.collect()
}
