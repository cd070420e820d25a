//! Findings that are known: what `links --json` printed once. A finding is known by
//! its document, its destination and its reason, wherever it stands by now.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::BrokenLink;
use super::report::reason;
use crate::commands::input::whole_input;
use crate::commands::json::text_bytes;
use crate::error::{Code, Error, Hint};
use crate::files::env::Env;

/// A destination and why it is broken.
type Finding = (Vec<u8>, String);

/// What is known, by documents.
pub(super) struct Baseline {
    known: HashMap<PathBuf, HashMap<Finding, u64>>,
    /// How many findings of a document are not there any more.
    gone: Mutex<HashMap<PathBuf, u64>>,
}

impl Baseline {
    /// The findings in a file. `paths` are those that are checked: what makes such a
    /// file is told where there is none.
    pub(super) fn read(file: &OsStr, paths: &[PathBuf], env: &Env) -> Result<Self, Error> {
        let text = whole_input(file, env).map_err(|error| match error.code {
            Code::NotFound => {
                let why = format!("makes one, with > {}", Path::new(file).display());
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
                    let message = format!("line {}: it is not a broken link in JSON", index + 1);
                    let made =
                        Hint::command("links", ["--json"]).and(paths).why("prints a baseline");
                    return Err(Error::usage(message).at(Path::new(file)).hint(made));
                }
            }
        }
        Ok(Self { known, gone: Mutex::default() })
    }

    /// Takes out what is known of a document's links, and tells how many these are.
    pub(super) fn take(&self, document: &Path, broken: &mut Vec<BrokenLink>) -> u64 {
        let path = plain(document);
        let Some(known) = self.known.get(&path) else { return 0 };
        let mut left = known.clone();
        let before = broken.len();
        broken.retain(|link| {
            let finding = (link.target.clone(), reason(link.reason).to_owned());
            match left.get_mut(&finding).filter(|count| **count > 0) {
                Some(count) => {
                    *count -= 1;
                    false
                }
                None => true,
            }
        });
        let mut gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        gone.insert(path, left.values().sum());
        (before - broken.len()) as u64
    }

    /// How many findings are not there any more: of documents that were checked, and
    /// of those that are gone themselves; and whether there are no others.
    pub(super) fn gone(&self, env: &Env) -> (u64, bool) {
        let gone = self.gone.lock().unwrap_or_else(PoisonError::into_inner);
        let is_unchecked = |path: &&PathBuf| !gone.contains_key(*path) && env.roots.exists(path);
        let of = |(path, findings): (&PathBuf, &HashMap<Finding, u64>)| match gone.get(path) {
            Some(gone) => *gone,
            None if env.roots.exists(path) || path.as_os_str() == "-" => 0,
            None => findings.values().sum(),
        };
        (self.known.iter().map(of).sum(), !self.known.keys().any(|path| is_unchecked(&path)))
    }
}

/// What a line says, where it is a broken link.
fn finding(value: &Value) -> Option<(PathBuf, Finding)> {
    let text = |name: &str| text_bytes(value.get(name)?);
    let path = PathBuf::from(OsString::from_vec(text("filePath")?));
    Some((plain(&path), (text("target")?, value.get("reason")?.as_str()?.to_owned())))
}

/// A path without `.`: `./a` and `a` are one.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|name| *name != Component::CurDir).collect()
}
