//! The tool `fs_search`, which finds files by name and lines by content.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answered, Failure, Filter, MAX_ENTRIES, answered, fail, failure_of, kind, relative};
use crate::commands::grep::args::GrepArgs;
use crate::commands::grep::file_args::FileArgs;
use crate::commands::list::args::ListArgs;
use crate::commands::matching::Hit;
use crate::commands::output::counted;
use crate::commands::shared_args::{PatternArgs, section_patterns};
use crate::commands::{grep, list};
use crate::mcp::answer::Answer;
use crate::mcp::tool::{Call, ToolCall};
use folio_files::error::Error;
use folio_files::listing::EntryKind;

/// Find files by name and lines by content below a path. patternMode is literal, regex, or fuzzy
/// (the letters in order). Then use fs_read with the path and lines around the match. To list use
/// fs_read.
///
/// `{"path":".","query":"timeout"}`
/// `{"path":"src","query":"fn \\w+_test","patternMode":"regex","target":"content"}`
/// `{"path":".","query":"rdme","target":"filename","patternMode":"fuzzy"}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Search {
    /// Relative path; "." is the root
    path: String,
    /// Text or pattern to find
    query: String,
    #[schemars(extend("enum" = ["all", "filename", "content"], "default" = "all"))]
    target: Option<String>,
    #[schemars(extend("enum" = ["literal", "regex", "fuzzy"], "default" = "literal"))]
    pattern_mode: Option<String>,
    #[schemars(extend("default" = true))]
    case_insensitive: Option<bool>,
    #[serde(default)]
    whole_word: bool,
    /// Let matches span lines
    #[serde(default)]
    multiline: bool,
    #[schemars(range(min = 1, max = 10_000), extend("default" = 100))]
    max_results: Option<u64>,
    #[serde(flatten)]
    filter: Filter,
}

impl ToolCall for Search {
    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        Ok(answered(self.answer(call), &self.path, call))
    }
}

impl Search {
    fn answer(&self, call: &Call<'_>) -> Answered {
        let path = relative(&self.path)?;
        let target = self.target.as_deref().unwrap_or("all");
        let max = self.max_results.unwrap_or(100);
        if self.query.is_empty() {
            let message = "query is empty";
            return fail("INVALID_ARGUMENT", message, "Give a query");
        }
        let status = call.host.env.roots.status(Path::new(path));
        status.map_err(|error| failure_of(&error, call.spelling))?;
        let (mut results, mut truncated) = match target {
            "content" => (Vec::new(), false),
            _ => self.files(path, max, call)?,
        };
        let left = max.saturating_sub(results.len() as u64);
        if target != "filename" && left > 0 {
            let (lines, is_cut) = self.lines(path, left, call)?;
            results.extend(lines);
            truncated |= is_cut;
        }
        let hint = match results.first() {
            None => "Nothing found. Try patternMode \"fuzzy\", or another path".to_owned(),
            Some(_) if truncated => {
                "There are more: narrow it down, or raise maxResults".to_owned()
            }
            Some(first) => format!("Next: fs_read {}", json!({"path": first["path"]})),
        };
        Ok(json!({
            "path": path,
            "type": kind(path, call),
            "stats": {"returned": results.len(), "truncated": truncated},
            "summary": counted(results.len() as u64, "result"),
            "results": results,
            "hint": hint,
        }))
    }

    /// Returns the regular expression for the query. It depends on `patternMode` and `wholeWord`.
    fn pattern(&self) -> String {
        let escaped = |c: char| {
            if c.is_alphanumeric() || c.is_whitespace() || c == '_' {
                c.to_string()
            } else {
                format!("\\x{{{:x}}}", u32::from(c))
            }
        };
        let letters = self.query.chars().map(escaped);
        let source = match self.pattern_mode.as_deref() {
            Some("regex") => self.query.clone(),
            Some("fuzzy") => letters.collect::<Vec<_>>().join(".*?"),
            _ => letters.collect(),
        };
        if self.whole_word { format!(r"\b(?:{source})\b") } else { source }
    }

    /// Returns up to `max` files whose names match, and whether there are more.
    fn files(&self, path: &str, max: u64, call: &Call<'_>) -> Result<(Vec<Value>, bool), Failure> {
        if !call.host.env.roots.is_directory(Path::new(path)) {
            return Ok((Vec::new(), false));
        }
        let case = if self.case_insensitive == Some(false) { "" } else { "(?i)" };
        let invalid = |error: Error| {
            let message = error.message.to_string();
            let message = message.trim_start_matches("--section-pattern: ").to_owned();
            let hint = "Use patternMode \"literal\"".to_owned();
            Failure { code: error.code.name(), message, hint, status: error.code.exit_status() }
        };
        let patterns = section_patterns(&[format!("{case}{}", self.pattern())]);
        let patterns = patterns.map_err(invalid)?;
        let depth = Some(self.filter.depth.unwrap_or(20));
        let args = ListArgs { depth, limit: MAX_ENTRIES, ..self.filter.list(path) };
        let page = list::run::page(args, &call.host.env);
        let page = page.map_err(|error| failure_of(&error, call.spelling))?;
        let is_match = |(path, _): &(&Path, _)| {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            patterns.iter().any(|pattern| pattern.is_match(name))
        };
        let object = |(path, kind): (&Path, EntryKind)| {
            let path = path.to_string_lossy();
            json!({"path": path, "kind": kind.name(), "match": "filename"})
        };
        let mut found: Vec<Value> = page.entries().filter(is_match).map(object).collect();
        let has_more = found.len() as u64 > max || page.next().is_some();
        found.truncate(usize::try_from(max).unwrap_or(usize::MAX));
        Ok((found, has_more))
    }

    /// Returns up to `max` matching lines, and whether there are more.
    fn lines(&self, path: &str, max: u64, call: &Call<'_>) -> Result<(Vec<Value>, bool), Failure> {
        let Filter { types, glob, exclude, depth, respect_ignore } = &self.filter;
        let types = types.iter().map(|name| format!("*.{}", name.trim_start_matches('.')));
        let excluded = exclude.iter().map(|glob| format!("!{glob}"));
        let args = GrepArgs {
            pattern: Some(self.pattern().into()),
            paths: vec![path.into()],
            files: FileArgs {
                glob: glob.iter().cloned().chain(types).chain(excluded).collect(),
                max_depth: depth.and_then(|depth| usize::try_from(depth).ok()),
                no_ignore: *respect_ignore == Some(false),
                ..FileArgs::default()
            },
            max_total: Some(max),
            multiline: self.multiline,
            patterns: PatternArgs {
                ignore_case: self.case_insensitive != Some(false),
                ..PatternArgs::default()
            },
            ..GrepArgs::default()
        };
        let (hits, is_cut) = grep::matches::matches(args, call.host)
            .map_err(|error| failure_of(&error, call.spelling))?;
        let object = |(path, hit): &(PathBuf, Hit)| {
            let (path, text) = (path.to_string_lossy(), String::from_utf8_lossy(&hit.text));
            json!({"path": path, "line": hit.line, "text": text, "match": "content"})
        };
        Ok((hits.iter().map(object).collect(), is_cut))
    }
}
