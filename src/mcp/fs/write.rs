//! The tool `fs_write`, which creates files and changes lines.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answered, Failure, answered, fail, failure_of, range_of, relative};
use crate::commands::patch::edited::{Edited, edits};
use crate::commands::patch::write_args::WriteArgs;
use crate::mcp::answer::Answer;
use crate::mcp::tool::{Call, Effect, ToolCall};
use folio_files::error::Error;

/// Create a file, or change lines of a file. Read the file first and give its checksum, so that
/// concurrent changes are not overwritten. dryRun shows the diff and writes nothing. It changes one
/// file.
///
/// `{"path":"new.md","operation":"create","content":"# New\n"}`
/// `{"path":"a.md","operation":"update","action":"replace","lines":"3-4","content":"x\n"}`
/// `{"path":"a.md","operation":"update","action":"delete_lines","lines":"3","dryRun":true}`
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Write {
    /// Relative path
    path: String,
    #[schemars(extend("enum" = ["create", "update"]))]
    operation: String,
    /// For update
    #[schemars(extend("enum" = ["replace", "insert_before", "insert_after", "delete_lines"]))]
    action: Option<String>,
    /// Lines to change: 10 or 10-50
    lines: Option<String>,
    /// New text
    content: Option<String>,
    /// Checksum of the file from fs_read
    checksum: Option<String>,
    /// Write nothing
    #[serde(default)]
    dry_run: bool,
    /// For create: also create missing directories
    #[schemars(extend("default" = true))]
    create_dirs: Option<bool>,
}

impl ToolCall for Write {
    const EFFECT: Effect = Effect::Writes;

    fn run(self, call: &Call<'_>) -> Result<Answer, Error> {
        Ok(answered(self.answer(call), &self.path, call))
    }
}

impl Write {
    fn answer(&self, call: &Call<'_>) -> Answered {
        let path = relative(&self.path)?;
        if let Some(checksum) = &self.checksum {
            if checksum.is_empty() {
                let hint = "Leave checksum out, or give that of fs_read";
                return fail("INVALID_ARGUMENT", "checksum is empty", hint);
            }
            let is_hexadecimal = checksum.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !is_hexadecimal || !(12..=64).contains(&checksum.len()) {
                let message = format!("'{checksum}' is not a checksum of this file");
                let hint = format!("fs_read it again: {}", json!({"path": path}));
                return fail("CHECKSUM_MISMATCH", message, hint);
            }
        }
        let edit = self.edit(path)?;
        let creates = self.operation == "create" && self.create_dirs != Some(false);
        let edited = if creates {
            self.created(path, edit, call)
        } else {
            self.patched(&edit, false, call).map(|edited| (edited, Vec::new()))
        };
        let (edited, directories) = edited.map_err(|error| failure_of(&error, call.spelling))?;
        let mut object = json!({
            "path": path,
            "type": "file",
            "status": if self.dry_run { "preview" } else { "applied" },
            "hint": if self.dry_run {
                "Nothing was written: to apply it, call again without dryRun"
            } else {
                "Written. Line numbers may have changed: fs_read before the next change"
            },
        });
        let (before, after) = edited.checksums.unzip();
        let facts = [
            ("diff", edited.diff.map(Value::from)),
            ("checksum", after.map(Value::from)),
            ("checksumBefore", before.flatten().map(Value::from)),
            ("affectedLines", edited.affected.map(|lines| json!(lines))),
            ("resultLines", edited.result.map(|lines| json!(lines))),
            ("warnings", (!edited.warnings.is_empty()).then(|| edited.warnings.into())),
            ("createdDirs", (!directories.is_empty()).then(|| directories.into())),
        ];
        for (name, value) in facts {
            value.into_iter().for_each(|value| object[name] = value);
        }
        Ok(object)
    }

    fn patched(&self, edit: &Value, parents: bool, call: &Call<'_>) -> Result<Edited, Error> {
        let write = WriteArgs {
            dry_run: self.dry_run,
            diff: true,
            checksum: true,
            max_delete: Some(u64::MAX),
            parents,
            ..WriteArgs::default()
        };
        Ok(edits(edit, write, call.host)?.pop().unwrap_or_default())
    }

    /// Creates a file and its missing parent directories, and returns the new directories.
    fn created(
        &self,
        path: &str,
        mut edit: Value,
        call: &Call<'_>,
    ) -> Result<(Edited, Vec<String>), Error> {
        let roots = &call.host.env.roots;
        let missing = roots.missing_directories(Path::new(path))?;
        let Some(outermost) = missing.first() else {
            return Ok((self.patched(&edit, false, call)?, Vec::new()));
        };
        let edited = if self.dry_run {
            // A preview must not create directories, so it is made for a file in the first existing
            // directory.
            let stand_in = format!(".folio-preview-{}", std::process::id());
            let place = outermost.parent().unwrap_or(Path::new("")).join(stand_in);
            let place = place.to_string_lossy().into_owned();
            edit["filePath"] = place.clone().into();
            let edited = self.patched(&edit, false, call)?;
            Edited { diff: edited.diff.map(|diff| diff.replacen(&place, path, 1)), ..edited }
        } else {
            self.patched(&edit, true, call)?
        };
        let shown = missing.iter().map(|directory| directory.to_string_lossy().into_owned());
        Ok((edited, shown.collect()))
    }

    /// Returns the edit as JSON for `patch apply`.
    fn edit(&self, path: &str) -> Result<Value, Failure> {
        let needs = |what: &str| fail("INVALID_ARGUMENT", format!("{what} is needed"), "Add it");
        if self.operation == "create" {
            let Some(content) = &self.content else { return needs("content") };
            return Ok(json!({"filePath": path, "operation": "create", "content": content}));
        }
        let range = self.lines.as_deref().map(range_of).transpose()?;
        let Some(action) = self.action.as_deref() else { return needs("action") };
        let mut edit = match (action, range) {
            ("replace", None) => json!({"operation": "replace", "wholeFile": true}),
            ("replace", _) => json!({"operation": "replace"}),
            (_, None) => return needs("lines"),
            ("delete_lines", _) => json!({"operation": "delete"}),
            ("insert_before", _) => json!({"operation": "insert", "before": true}),
            _ => json!({"operation": "insert", "after": true}),
        };
        if let Some((start, end)) = range {
            edit["target"] = json!({"lines": {"start": start, "end": end}});
        }
        if action != "delete_lines" {
            let Some(content) = &self.content else { return needs("content") };
            edit["content"] = (**content).into();
        }
        edit["filePath"] = path.into();
        if let Some(checksum) = &self.checksum {
            edit["ifMatch"] = (**checksum).into();
        }
        Ok(edit)
    }
}
