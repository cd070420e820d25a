//! `fs_search`: finds files by name and lines by content.

use std::path::Path;

use serde_json::{Value, json};

use super::{Answered, Failure, MAX_ENTRIES, fail, failure_of, list_flags, path_of};
use crate::commands::grep::args::GrepArgs;
use crate::commands::grep::file_args::FileArgs;
use crate::commands::list::args::ListArgs;
use crate::commands::output::counted;
use crate::commands::shared_args::section_patterns;
use crate::commands::{grep, list};
use crate::error::{Code, Error};
use crate::mcp::arguments::Arguments;
use crate::mcp::call::Call;
use crate::mcp::records::{Records, text_of};

/// The regular expression for the query, depending on `patternMode` and `wholeWord`.
fn pattern_of(arguments: &Arguments) -> String {
    let query = arguments.text("query").unwrap_or_default();
    let escaped = |c: char| match c.is_alphanumeric() || c.is_whitespace() || c == '_' {
        true => c.to_string(),
        false => format!("\\x{{{:x}}}", u32::from(c)),
    };
    let source = match arguments.text("patternMode") {
        Some("regex") => query.to_owned(),
        Some("fuzzy") => query.chars().map(escaped).collect::<Vec<_>>().join(".*?"),
        _ => query.chars().map(escaped).collect(),
    };
    match arguments.flag("wholeWord") {
        true => format!(r"\b(?:{source})\b"),
        false => source,
    }
}

/// Runs `fs_search`.
pub(super) fn search(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let path = path_of(arguments)?;
    let target = arguments.text("target").unwrap_or("all");
    let max = arguments.integer("maxResults").unwrap_or(100);
    if arguments.text("query").unwrap_or_default().is_empty() {
        return fail(
            "INVALID_ARGUMENT",
            "query is empty: there is nothing to look for",
            "Say what",
        );
    }
    let there = call.env.roots.status(Path::new(path));
    there.map_err(|error| failure_of(&error, call.spelling))?;
    let mut results = Vec::new();
    let mut truncated = false;
    if target != "content" {
        let (found, more) = names_of(path, max, arguments, call)?;
        results.extend(found);
        truncated |= more;
    }
    let left = max.saturating_sub(results.len() as u64);
    if target != "filename" && left > 0 {
        let (found, more) = lines_of(path, left, arguments, call)?;
        results.extend(found);
        truncated |= more;
    }
    let count = counted(results.len() as u64, "result");
    let hint = match results.first() {
        None => "Nothing found. Try patternMode \"fuzzy\", or another path".to_owned(),
        Some(_) if truncated => "There are more: narrow it down, or raise maxResults".to_owned(),
        Some(first) => format!("Next: fs_read {}", json!({"path": first["path"]})),
    };
    Ok(json!({
        "path": path,
        "type": if call.env.roots.is_file(Path::new(path)) { "file" } else { "directory" },
        "stats": {"returned": results.len(), "truncated": truncated},
        "results": results,
        "summary": count,
        "hint": hint,
    }))
}

/// Up to `max` files whose names match, and whether there are more.
fn names_of(
    path: &str,
    max: u64,
    arguments: &Arguments,
    call: &Call<'_>,
) -> Result<(Vec<Value>, bool), Failure> {
    if !call.env.roots.is_directory(Path::new(path)) {
        return Ok((Vec::new(), false));
    }
    let case = if arguments.is("caseInsensitive") == Some(false) { "" } else { "(?i)" };
    let pattern = section_patterns(&[format!("{case}{}", pattern_of(arguments))]);
    let invalid = |error: Error| {
        let message = error.message.trim_start_matches("--section-pattern: ").to_owned();
        let hint = "Use patternMode \"literal\"".to_owned();
        Failure { code: error.code.name(), message, hint, status: error.code.exit_status() }
    };
    let pattern = pattern.map_err(invalid)?;
    let depth = Some(arguments.integer("depth").unwrap_or(20));
    let flags = ListArgs { depth, limit: MAX_ENTRIES, offset: 0, ..list_flags(path, arguments) };
    let record = Records::one(|sink| list::run::run(flags, call.env, sink));
    let record = record.map_err(|error| failure_of(&error, call.spelling))?;
    let name = |entry: &Value| {
        let path = text_of(&entry["path"]).0;
        path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
    };
    let entries = record["entries"].as_array().into_iter().flatten();
    let mut found: Vec<Value> = entries
        .filter(|entry| pattern.iter().any(|pattern| pattern.is_match(name(entry).as_bytes())))
        .map(|entry| json!({"path": entry["path"], "kind": entry["kind"], "match": "filename"}))
        .collect();
    let has_more = found.len() as u64 > max || record["stats"]["hasMore"] == true;
    found.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    Ok((found, has_more))
}

/// Up to `max` matching lines, and whether there are more.
fn lines_of(
    path: &str,
    max: u64,
    arguments: &Arguments,
    call: &Call<'_>,
) -> Result<(Vec<Value>, bool), Failure> {
    let types = arguments.texts("types").unwrap_or_default();
    let types = types.iter().map(|name| format!("*.{}", name.trim_start_matches('.')));
    let excluded = arguments.texts("exclude").unwrap_or_default();
    let excluded = excluded.iter().map(|glob| format!("!{glob}"));
    let mut flags = GrepArgs {
        pattern: Some(pattern_of(arguments).into()),
        paths: vec![path.into()],
        files: FileArgs {
            glob: arguments.string("glob").into_iter().chain(types).chain(excluded).collect(),
            max_depth: arguments.size("depth"),
            no_ignore: arguments.is("respectIgnore") == Some(false),
            ..FileArgs::default()
        },
        max_total: Some(max),
        multiline: arguments.flag("multiline"),
        ..GrepArgs::default()
    };
    flags.patterns.ignore_case = arguments.is("caseInsensitive") != Some(false);
    let records = Records::of(|sink| grep::run::run(flags, call.env, sink));
    let (summary, hits): (Vec<&Value>, Vec<&Value>) =
        records.all.iter().partition(|record| record["type"] == "summary");
    if let Some(error) = records.errors.first().filter(|_| hits.is_empty()) {
        return Err(failure_of(error, call.spelling));
    }
    let was_stopped = records.errors.iter().any(|error| error.code == Code::Cancelled);
    let hits = hits.iter().map(|hit| {
        let (path, line, text) = (&hit["filePath"], &hit["line"], &hit["text"]);
        json!({"path": path, "line": line, "text": text, "match": "content"})
    });
    let is_cut = summary.iter().any(|summary| summary["truncated"] == true);
    Ok((hits.collect(), is_cut || was_stopped))
}
