//! Makes edits for callers in this process, and returns the results as values.

use serde_json::{Value, json};

use super::Request;
use super::options::PatchOptions;
use super::report::{EditRecord, Lines, diff_text};
use super::run::run_with;
use super::write_args::WriteArgs;
use crate::commands::host::Host;
use crate::commands::output::Collected;
use folio_files::error::{Error, Message};

/// The result of one edit.
#[derive(Clone, Debug, Default)]
pub struct Edited {
    /// The lines of the old file to which the edit refers.
    pub affected: Option<Lines>,
    /// The inserted lines in the new file.
    pub result: Option<Lines>,
    /// Number of new lines minus number of old lines.
    pub lines_delta: i64,
    /// Warnings.
    pub warnings: Vec<String>,
    /// The diff of the file, if requested.
    pub diff: Option<String>,
    /// The checksums of the file before and after the edit, if requested. The first one is `None`
    /// if the file is new.
    pub checksums: Option<(Option<String>, String)>,
    /// The result as JSON, in the same form as the output of `patch --json`.
    pub json: Value,
}

/// Makes edits, in the form that `patch apply` accepts, and returns their results.
///
/// # Errors
///
/// Fails if an edit fails. If there are several errors, returns the last one.
pub fn edits(edits: &Value, write: WriteArgs, host: &Host) -> Result<Vec<Edited>, Error> {
    let edit = Request::apply(edits.to_string());
    let options = PatchOptions { edit, write, is_internal: true, ..PatchOptions::default() };
    let mut sink = Collected::json();
    let mut edits = Vec::new();
    run_with(&options, host, &mut sink, Some(&mut |record| edits.push(record.edited())))?;
    sink.check().map(|()| edits)
}

impl EditRecord<'_> {
    fn edited(&self) -> Edited {
        let outcome = self.outcome;
        let file = self.ended.contains(&outcome.file).then(|| &self.files[outcome.file]);
        Edited {
            affected: outcome.plan.affected.map(Lines::from),
            result: outcome.result.map(Lines::from),
            lines_delta: outcome.lines_delta,
            warnings: outcome
                .plan
                .all_warnings()
                .chain(&outcome.plan.details)
                .map(Message::to_string)
                .chain(outcome.links_left())
                .collect(),
            diff: file.and_then(diff_text).map(|text| String::from_utf8_lossy(&text).into_owned()),
            checksums: file.and_then(|file| file.checksums.clone()),
            json: json!(self.object()),
        }
    }
}
