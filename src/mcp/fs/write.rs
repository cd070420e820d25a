//! `fs_write`: creates files and changes lines.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Answered, Failure, fail, failure_of, path_of, range_of};
use crate::commands::patch;
use crate::commands::patch::options::{Edits, Input};
use crate::error::Error;
use crate::mcp::arguments::Arguments;
use crate::mcp::call::Call;
use crate::mcp::records::Records;

/// Runs `fs_write`.
pub(super) fn write(arguments: &Arguments, call: &Call<'_>) -> Answered {
    let path = path_of(arguments)?;
    if arguments.text("checksum") == Some("") {
        let hint = "Leave checksum out, or give that of fs_read";
        return fail("INVALID_ARGUMENT", "checksum is empty", hint);
    }
    let is_hexadecimal = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(given) = arguments.text("checksum")
        && !(is_hexadecimal(given) && (12..=64).contains(&given.len()))
    {
        let hint = format!("fs_read it again: {}", json!({"path": path}));
        return fail(
            "CHECKSUM_MISMATCH",
            format!("'{given}' is not a checksum of this file"),
            hint,
        );
    }
    let edit = edit_of(path, arguments)?;
    let is_preview = arguments.flag("dryRun");
    let creates = edit["operation"] == "create" && arguments.is("createDirs") != Some(false);
    let record = match creates {
        true => created(path, edit, is_preview, call),
        false => patched(&edit, is_preview, call),
    };
    let record = record.map_err(|error| failure_of(&error, call.spelling))?;
    let mut object = json!({
        "path": path,
        "type": "file",
        "status": if is_preview { "preview" } else { "applied" },
        "hint": match is_preview {
            true => "Nothing is written yet: leave dryRun out to apply it",
            false => "It is written. Line numbers may have shifted: fs_read before the next change",
        },
    });
    for name in [
        "diff",
        "checksum",
        "checksumBefore",
        "affectedLines",
        "resultLines",
        "warnings",
        "createdDirs",
    ] {
        if !record[name].is_null() {
            object[name] = record[name].clone();
        }
    }
    Ok(object)
}

fn patched(edit: &Value, is_preview: bool, call: &Call<'_>) -> Result<Value, Error> {
    let options = patch::options::Options {
        edits: Edits::Json(Some(Input::Bytes(edit.to_string().into_bytes()))),
        dry_run: is_preview,
        diff: true,
        checksum: true,
        max_delete: u64::MAX,
        ..patch::options::Options::default()
    };
    Records::one(|sink| patch::run::run(&options, call.env, sink))
}

/// Creates a file and its missing parent directories, which are removed again if creating the
/// file fails.
fn created(path: &str, mut edit: Value, is_preview: bool, call: &Call<'_>) -> Result<Value, Error> {
    let roots = &call.env.roots;
    let missing = roots.missing_directories(Path::new(path))?;
    let Some(outermost) = missing.first() else { return patched(&edit, is_preview, call) };
    let mut record = match is_preview {
        // A preview creates no directories, so it is made for a file in the first existing
        // directory.
        true => {
            let stand_in = format!(".folio-preview-{}", std::process::id());
            let place = outermost.parent().unwrap_or(Path::new("")).join(stand_in);
            let place = place.to_string_lossy().into_owned();
            edit["filePath"] = place.clone().into();
            let mut record = patched(&edit, true, call)?;
            let diff = record["diff"].as_str().map(|diff| diff.replacen(&place, path, 1));
            record["diff"] = diff.into();
            record
        }
        false => {
            roots.create_directories(&missing)?;
            patched(&edit, false, call).inspect_err(|_| roots.remove_directories(&missing))?
        }
    };
    record["createdDirs"] = shown(&missing);
    Ok(record)
}

fn shown(directories: &[PathBuf]) -> Value {
    directories.iter().map(|directory| directory.to_string_lossy().into_owned()).collect()
}

/// The edit, as JSON for `patch apply`.
fn edit_of(path: &str, arguments: &Arguments) -> Result<Value, Failure> {
    let content = arguments.text("content");
    let needs = |what: &str| fail("INVALID_ARGUMENT", format!("{what} is needed"), "Add it");
    if arguments.text("operation") == Some("create") {
        let Some(content) = content else { return needs("content") };
        return Ok(json!({"filePath": path, "operation": "create", "content": content}));
    }
    let range = arguments.text("lines").map(range_of).transpose()?;
    let Some(action) = arguments.text("action") else { return needs("action") };
    let target = range.map(|(start, end)| json!({"lines": {"start": start, "end": end}}));
    let mut edit = match (action, target) {
        ("replace", Some(target)) => json!({"operation": "replace", "target": target}),
        ("replace", None) => json!({"operation": "replace", "wholeFile": true}),
        (_, None) => return needs("lines"),
        ("delete_lines", Some(target)) => json!({"operation": "delete", "target": target}),
        ("insert_before", Some(target)) => {
            json!({"operation": "insert", "target": target, "before": true})
        }
        (_, Some(target)) => json!({"operation": "insert", "target": target, "after": true}),
    };
    match content {
        Some(content) if action != "delete_lines" => edit["content"] = content.into(),
        None if action != "delete_lines" => return needs("content"),
        _ => {}
    }
    edit["filePath"] = path.into();
    if let Some(checksum) = arguments.text("checksum") {
        edit["ifMatch"] = checksum.into();
    }
    Ok(edit)
}
