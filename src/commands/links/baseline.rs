//! The baseline: broken links in the output of an earlier `links --json`. A broken link is
//! identified by its document, destination and reason, but not by its line.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::{CheckedLink, Status};
use crate::commands::host::Host;
use crate::commands::input::whole_input;
use crate::commands::json::text_bytes;
use folio_files::env::Env;
use folio_files::error::{Code, Error, Hint};
use folio_files::options::JSON;

/// A destination and the reason why it is broken.
type Finding = (Vec<u8>, String);

/// The known findings, by document.
pub(super) struct Baseline {
    known: HashMap<PathBuf, HashMap<Finding, u64>>,
    /// For each document, the number of findings in the baseline that no longer occur.
    obsolete: Mutex<HashMap<PathBuf, u64>>,
}

impl Baseline {
    /// Reads the findings in `file`. If the file does not exist, the error contains the command
    /// that creates it. `paths` are the paths to check.
    pub(super) fn read(file: &OsStr, paths: &[OsString], host: &Host) -> Result<Self, Error> {
        let text = whole_input(file, host).map_err(|error| match error.code {
            Code::NotFound => {
                let why = format!("creates a baseline, with > {}", Path::new(file).display());
                error.hint(Hint::command("links", ["--json"]).and(paths).why(why))
            }
            _ => error,
        })?;
        let mut known: HashMap<PathBuf, HashMap<Finding, u64>> = HashMap::new();
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let value: Option<Value> = serde_json::from_slice(line).ok();
            match value.as_ref().and_then(finding) {
                Some((path, finding)) => {
                    *known.entry(path).or_default().entry(finding).or_default() += 1;
                }
                None if value.is_some_and(|value| value["type"] == "summary") => {}
                None => {
                    let message = format!("line {} is not part of the output of {JSON}", index + 1);
                    let made =
                        Hint::command("links", ["--json"]).and(paths).why("prints a baseline");
                    return Err(Error::usage(message).at(Path::new(file)).hint(made));
                }
            }
        }
        Ok(Self { known, obsolete: Mutex::default() })
    }

    /// Marks the links of a document that are in the baseline, and returns their number.
    pub(super) fn mark_known(&self, document: &Path, links: &mut [CheckedLink]) -> u64 {
        let path = normalized_path(document);
        let Some(known) = self.known.get(&path) else { return 0 };
        let mut remaining = known.clone();
        let mut marked = 0;
        for link in links.iter_mut().filter(|link| link.status == Status::Broken) {
            let Some(reason) = link.reason else { continue };
            let finding = (link.target.clone(), reason.name().to_owned());
            if let Some(count) = remaining.get_mut(&finding).filter(|count| **count > 0) {
                *count -= 1;
                (link.is_known, link.fix) = (true, None);
                marked += 1;
            }
        }
        let mut obsolete = self.obsolete.lock().unwrap_or_else(PoisonError::into_inner);
        obsolete.insert(path, remaining.values().sum());
        marked
    }

    /// Returns the number of findings that no longer occur, and whether all findings were
    /// considered. Only findings in documents that were checked or have been deleted are
    /// considered.
    pub(super) fn count_obsolete(&self, env: &Env) -> (u64, bool) {
        let obsolete = self.obsolete.lock().unwrap_or_else(PoisonError::into_inner);
        let is_unchecked =
            |path: &&PathBuf| !obsolete.contains_key(*path) && env.roots.exists(path);
        let obsolete_in =
            |(path, findings): (&PathBuf, &HashMap<Finding, u64>)| match obsolete.get(path) {
                Some(obsolete) => *obsolete,
                None if env.roots.exists(path) || path.as_os_str() == "-" => 0,
                None => findings.values().sum(),
            };
        (
            self.known.iter().map(obsolete_in).sum(),
            !self.known.keys().any(|path| is_unchecked(&path)),
        )
    }
}

/// Returns the finding on a line of JSON, if it is a broken link.
fn finding(value: &Value) -> Option<(PathBuf, Finding)> {
    let text = |name: &str| text_bytes(value.get(name)?);
    let path = PathBuf::from(OsString::from_vec(text("filePath")?));
    Some((normalized_path(&path), (text("target")?, value.get("reason")?.as_str()?.to_owned())))
}

/// Removes `.` components from a path, so that `./a` equals `a`.
fn normalized_path(path: &Path) -> PathBuf {
    path.components().filter(|name| *name != Component::CurDir).collect()
}
