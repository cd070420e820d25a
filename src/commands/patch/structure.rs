//! Whether edits leave alone the headings and code blocks that they do not name.

use super::source::Source;
use crate::error::{Candidate, Code, Error, Hint};
use crate::text::edit::EditSet;
use crate::text::format::Feature;
use crate::text::structure::{self, ChangeKind};

/// Headings and code blocks that no edit names must be what they were. Where
/// it is agreed to that they are not, that is a warning.
pub(super) fn check(
    source: &mut Source,
    edits: &EditSet,
    force: bool,
) -> Result<Option<String>, Error> {
    if !source.format().has(Feature::FarEffects) || edits.is_empty() {
        return Ok(None);
    }
    let text = source.index()?.text();
    let found = structure::changes(&mut |span| source.bytes(span), text, edits)?;
    if found.is_empty() {
        return Ok(None);
    }
    let told = told_changes(&found);
    if force {
        return Ok(Some(format!("this changes headings or code blocks elsewhere: {told}")));
    }
    let message = format!("this would change headings or code blocks elsewhere: {told}");
    let mut error = Error::new(Code::StructureChanged, message).at(source.path());
    error.candidates = found
        .iter()
        .take(CANDIDATES)
        .map(|change| {
            let text = String::from_utf8_lossy(&change.text).into_owned();
            Candidate { line: change.line, text: text.clone(), path: vec![text] }
        })
        .collect();
    Err(error
        .hint("begin or end the content with a blank line, or close its code block")
        .hint(Hint::flag(["--force"]).why("to do it all the same")))
}

/// Changes of the structure that are told one by one.
const TOLD: usize = 2;
/// Those that are told in JSON.
const CANDIDATES: usize = 5;

fn told_changes(found: &[structure::Change]) -> String {
    let mut told: Vec<String> = found
        .iter()
        .take(TOLD)
        .map(|change| {
            let text = String::from_utf8_lossy(&change.text);
            let text = text.lines().next().unwrap_or_default();
            match change.kind {
                ChangeKind::Lost => format!("line {} is no longer '{text}'", change.line),
                ChangeKind::Created => format!("line {} becomes '{text}'", change.line),
            }
        })
        .collect();
    if found.len() > TOLD {
        told.push(format!("and {} more", found.len() - TOLD));
    }
    told.join(", ")
}
