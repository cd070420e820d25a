//! `fs_read`, `fs_search`, `fs_write`: a file system of mounts. Every answer is an object that
//! suggests the next call.

mod search;
mod write;

use std::path::Path;

use serde_json::{Value, json};

use super::answer::Answer;
use super::arguments::Arguments;
use super::call::{Call, Entry};
use super::records::{Records, text_of};
use super::spelling::Spelling;
use super::tool::{Effect, Kind, Parameter, Set, Tool};
use crate::commands::list::args::{ListArgs, Mode};
use crate::commands::output::counted;
use crate::commands::read::args::ReadArgs;
use crate::commands::shared_args::ResolveArgs;
use crate::commands::target::flags::TargetArgs;
use crate::commands::{list, read};
use crate::error::{Code, Error, ExitStatus, Hint};

/// Number of lines shown if the call does not ask for a range.
const PREVIEW: u64 = 100;

/// Maximum number of directory entries to visit.
const MAX_ENTRIES: u64 = 10_000;

/// Maximum size of a file that is read whole, in bytes.
const MAX_FILE: u64 = 50 << 20;

const PATH: Parameter = Parameter::required(
    "path",
    Kind::Text,
    "Relative path; \".\" is the root, or lists the mounts",
);
const IGNORE: Parameter =
    Parameter::new("respectIgnore", Kind::Switch, "Leave out what ignore files say").or("true");
const GLOB: Parameter = Parameter::new("glob", Kind::Text, "Only such paths: **/*.ts");
const EXCLUDE: Parameter = Parameter::new("exclude", Kind::Texts, "Leave out such paths");
const TYPES: Parameter = Parameter::new("types", Kind::Texts, "Only such files: ts, md");
const DEPTH: Parameter = Parameter::new("depth", Kind::Integer(1, 20), "How deep to go");

/// The tools of this set.
pub const TOOLS: &[Entry] = &[
    Entry {
        tool: Tool {
            name: "fs_read",
            title: "Read files and list directories",
            set: Set::Fs,
            description: "Read files and list directories below the mounts. Start with \".\" to \
                see them. Read a file before answering about it, and before changing it: fs_write \
                takes its checksum. Modes: auto (file or directory), tree (directories with \
                counts), list (entries, paged), content. A file name that is unique resolves \
                itself. Not for searching: fs_search.\n{\"path\":\".\"}\n\
                {\"path\":\"docs/guide.md\",\"lines\":\"101-200\"}\n\
                {\"path\":\"src\",\"mode\":\"tree\",\"depth\":3}",
            parameters: &[
                PATH,
                Parameter::new("mode", Kind::Choice(&["auto", "tree", "list", "content"]), "")
                    .or("\"auto\""),
                Parameter::new("limit", Kind::Integer(1, 2000), "Entries at most").or("100"),
                Parameter::new("offset", Kind::Integer(0, u64::MAX), "Entries to skip").or("0"),
                Parameter::new("lines", Kind::Text, "Of a file: 10, or 10-50"),
                DEPTH.or("1"),
                Parameter::new("details", Kind::Switch, "Size and time of entries").or("false"),
                TYPES,
                GLOB,
                EXCLUDE,
                IGNORE,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: |arguments, call| answered(fs_read(arguments, call), arguments, call),
        refuse: |spelling, error| spelling.refused(error),
    },
    Entry {
        tool: Tool {
            name: "fs_search",
            title: "Find files and text",
            set: Set::Fs,
            description: "Find files by name and lines by content below a path. literal, regex, or \
                fuzzy (the letters in order). Then fs_read the path with lines around the hit. Not \
                for listing: fs_read.\n{\"path\":\".\",\"query\":\"timeout\"}\n\
                {\"path\":\"src\",\"query\":\"fn \\\\w+_test\",\"patternMode\":\"regex\",\
                \"target\":\"content\"}\n{\"path\":\".\",\"query\":\"rdme\",\"target\":\"filename\",\
                \"patternMode\":\"fuzzy\"}",
            parameters: &[
                PATH,
                Parameter::required("query", Kind::Text, "What to look for"),
                Parameter::new("target", Kind::Choice(&["all", "filename", "content"]), "")
                    .or("\"all\""),
                Parameter::new("patternMode", Kind::Choice(&["literal", "regex", "fuzzy"]), "")
                    .or("\"literal\""),
                Parameter::new("caseInsensitive", Kind::Switch, "").or("true"),
                Parameter::new("wholeWord", Kind::Switch, "").or("false"),
                Parameter::new("multiline", Kind::Switch, "Let matches go over lines").or("false"),
                TYPES,
                GLOB,
                EXCLUDE,
                DEPTH,
                Parameter::new("maxResults", Kind::Integer(1, MAX_ENTRIES), "").or("100"),
                IGNORE,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: |arguments, call| answered(search::search(arguments, call), arguments, call),
        refuse: |spelling, error| spelling.refused(error),
    },
    Entry {
        tool: Tool {
            name: "fs_write",
            title: "Create or change a file",
            set: Set::Fs,
            description: "Create a file, or change lines of one. Read it first and give its \
                checksum: then nothing that changed meanwhile is overwritten. dryRun shows the diff \
                and writes nothing. Not for several files at once.\n\
                {\"path\":\"new.md\",\"operation\":\"create\",\"content\":\"# New\\n\"}\n\
                {\"path\":\"a.md\",\"operation\":\"update\",\"action\":\"replace\",\"lines\":\"3-4\",\
                \"content\":\"x\",\"checksum\":\"9f86d081884c7d65\"}\n\
                {\"path\":\"a.md\",\"operation\":\"update\",\"action\":\"delete_lines\",\"lines\":\
                \"3\",\"dryRun\":true}",
            parameters: &[
                PATH,
                Parameter::required("operation", Kind::Choice(&["create", "update"]), ""),
                Parameter::new(
                    "action",
                    Kind::Choice(&["replace", "insert_before", "insert_after", "delete_lines"]),
                    "Of update",
                ),
                Parameter::new("lines", Kind::Text, "Which lines: 10, or 10-50"),
                Parameter::new("content", Kind::Text, "What to put in"),
                Parameter::new("checksum", Kind::Text, "That of the file as it was read"),
                Parameter::new("dryRun", Kind::Switch, "Write nothing").or("false"),
                Parameter::new("createDirs", Kind::Switch, "Of create: directories too").or("true"),
            ],
            effect: Effect::Writes,
            output: None,
        },
        run: |arguments, call| answered(write::write(arguments, call), arguments, call),
        refuse: |spelling, error| spelling.refused(error),
    },
];

/// A failed call: code, message and what to do next.
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

/// Builds the answer. By the contract of this set, file system errors are normal results with
/// `"success": false`, not failed calls.
fn answered(answer: Answered, arguments: &Arguments, call: &Call<'_>) -> Answer {
    let path = arguments.text("path").unwrap_or_default();
    match answer {
        Ok(mut object) => {
            object["success"] = true.into();
            Answer::json(object)
        }
        Err(Failure { code, message, hint, status }) => {
            let is_directory = call.env.roots.is_directory(Path::new(path));
            let object = json!({
                "success": false,
                "path": path,
                "type": if is_directory { "directory" } else { "file" },
                "status": "error",
                "error": {"code": code, "message": message},
                "hint": hint,
            });
            Answer { status, ..Answer::json(object) }
        }
    }
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

/// The requested path, relative to the root; `.` is the root.
fn path_of(arguments: &Arguments) -> Result<&str, Failure> {
    let path = arguments.text("path").unwrap_or_default().trim();
    if matches!(path, "" | "." | "/") {
        return Ok(".");
    }
    if Path::new(path).is_absolute() {
        let relative = path.trim_start_matches('/');
        let hint = format!("Try fs_read {}", json!({"path": relative}));
        return fail("OUT_OF_SCOPE", "absolute paths are not taken", hint);
    }
    Ok(path)
}

fn fs_read(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let path = path_of(arguments)?;
    let mode = arguments.text("mode").unwrap_or("auto");
    let is_root = path == ".";
    let mounts = call.env.roots.all();
    if is_root && mode != "content" && mounts.len() > 1 {
        return Ok(list_mounts(&mounts, arguments, call));
    }
    let status = match call.env.roots.status(Path::new(path)) {
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
        Some(kind) if kind.is_dir() => list_directory(path, mode, arguments, call),
        Some(kind) if !kind.is_file() => {
            fail("UNSUPPORTED", "it is neither a file nor a directory", "Choose another path")
        }
        _ if matches!(mode, "list" | "tree") => {
            fail("MODE_MISMATCH", "a file cannot be listed", "Leave mode out to read a file")
        }
        _ => read_file(path, arguments, call),
    }
}

fn list_mounts(mounts: &[std::path::PathBuf], arguments: &Arguments, call: &Call<'_>) -> Value {
    let offset = arguments.size("offset").unwrap_or(0);
    let limit = arguments.size("limit").unwrap_or(100);
    let entry = |mount: &std::path::PathBuf| {
        let flags = ListArgs { directories: vec![mount.into()], limit: 1, ..ListArgs::default() };
        let record = Records::one(|sink| list::run::run(flags, call.env, sink));
        let children = record.map_or(json!(0), |record| record["stats"]["total"].clone());
        json!({"path": mount.to_string_lossy(), "kind": "directory", "children": children})
    };
    let entries: Vec<Value> = mounts.iter().skip(offset).take(limit).map(entry).collect();
    let names: Vec<_> = mounts.iter().map(|mount| mount.to_string_lossy()).collect();
    let has_more = mounts.len() > offset + entries.len();
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

fn list_flags(path: &str, arguments: &Arguments) -> ListArgs {
    ListArgs {
        directories: vec![path.into()],
        depth: arguments.integer("depth"),
        limit: arguments.integer("limit").unwrap_or(100),
        offset: arguments.integer("offset").unwrap_or(0),
        extension: arguments.texts("types").unwrap_or_default(),
        glob: arguments.string("glob").into_iter().collect(),
        exclude: arguments.texts("exclude").unwrap_or_default(),
        no_ignore: arguments.is("respectIgnore") == Some(false),
        ..ListArgs::default()
    }
}

fn list_directory(path: &str, mode: &str, arguments: &Arguments, call: &Call<'_>) -> Answered {
    let is_tree = mode == "tree";
    let flags = ListArgs {
        mode: if is_tree { Mode::Tree } else { Mode::List },
        details: true,
        ..list_flags(path, arguments)
    };
    let record = Records::one(|sink| list::run::run(flags, call.env, sink));
    let mut record = record.map_err(|error| failure_of(&error, call.spelling))?;
    let is_detailed = arguments.flag("details");
    for entry in record["entries"].as_array_mut().into_iter().flatten() {
        let Some(fields) = entry.as_object_mut() else { continue };
        fields
            .retain(|name, _| is_detailed || !matches!(&**name, "size" | "sizeBytes" | "modified"));
    }
    let stats = &mut record["stats"];
    let [total, offset, returned] =
        ["total", "offset", "returned"].map(|name| stats[name].as_u64().unwrap_or(0));
    stats["truncated"] = (total > MAX_ENTRIES).into();
    let next = offset + returned;
    let has_more = stats["hasMore"] == true;
    record["hint"] = match (returned, has_more) {
        (0, _) => "Nothing is here, or all of it is ignored".to_owned(),
        (_, true) => {
            format!(
                "Showing {returned} of {total}. More: fs_read {}",
                json!({"path": path, "offset": next})
            )
        }
        (_, false) => "Use fs_read on a file to see its content, fs_search to find some".to_owned(),
    }
    .into();
    Ok(record)
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

fn read_file(path: &str, arguments: &Arguments, call: &Call<'_>) -> Answered {
    let range = arguments.text("lines").map(range_of).transpose()?;
    let size = call.env.roots.metadata(Path::new(path)).map_or(0, |metadata| metadata.len());
    if range.is_none() && size > MAX_FILE {
        let message = format!("it has {size} bytes, over {MAX_FILE}");
        return fail("FILE_TOO_LARGE", message, "Read some lines: \"lines\":\"1-100\"");
    }
    let lines = range.map(|(start, end)| format!("{start}-{end}"));
    let flags = ReadArgs {
        addresses: vec![path.into()],
        limit: range.is_none().then_some(PREVIEW),
        target: TargetArgs { lines, ..TargetArgs::default() },
        checksum: true,
        resolve: ResolveArgs { resolve: true },
        ..ReadArgs::default()
    };
    let record = Records::one(|sink| read::run::run(flags, call.env, sink));
    let record = match record {
        Err(error) if error.code == Code::LineOutOfRange && range.is_none() => Value::Null,
        record => record.map_err(|error| unread(&error, path, call))?,
    };
    let own = text_of(&record["filePath"]).0;
    let own = if own.is_empty() { path.to_owned() } else { own };
    let (text, _) = text_of(&record["content"]);
    let start = record["range"]["startLine"].as_u64().unwrap_or(1);
    let truncated = record["hasMore"] == true;
    let mut content = json!({
        "text": numbered(&text, start),
        "checksum": record["checksum"],
        "totalLines": record["totalLines"].as_u64().unwrap_or(0),
        "truncated": truncated,
    });
    if range.is_some() || truncated {
        let end = record["range"]["endLine"].as_u64().unwrap_or(start);
        content["range"] = json!({"start": start, "end": end});
    }
    let checksum = record["checksum"].as_str().unwrap_or_default();
    let mut hint = match truncated {
        true => {
            let lines = format!("{}-{}", PREVIEW + 1, 2 * PREVIEW);
            let total = &record["totalLines"];
            let next = json!({"path": own, "lines": lines});
            format!(
                "Showing {PREVIEW} of {total} lines. More: fs_read {next}. Checksum: {checksum}"
            )
        }
        false => format!("Checksum: {checksum}; give it to fs_write to change this file"),
    };
    if own != path {
        hint = format!("'{path}' is '{own}', the only file of that name. {hint}");
    }
    Ok(json!({"path": own, "type": "file", "content": content, "hint": hint}))
}

/// The failure of reading a file. If the name is ambiguous, it lists up to five candidates.
fn unread(error: &Error, path: &str, call: &Call<'_>) -> Failure {
    if error.code != Code::AmbiguousPath {
        return failure_of(error, call.spelling);
    }
    // The error's hints are calls, one per candidate.
    let path_of = |hint: &Hint| match hint {
        Hint::Command { args, .. } => args.first().map(|path| path.to_string_lossy().into_owned()),
        _ => None,
    };
    let names = error.hints.iter().filter_map(path_of).take(5);
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
