//! The roots that tools may access: the values of `--root`, the roots of the client or, if it does
//! not support roots, the current directory. If a root does not exist, each call looks for it
//! again.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::answer::Answer;
use crate::commands::host::Host;
use folio_files::address::path_of_url;
use folio_files::error::{Code, Error};
use folio_files::options::ROOT;
use folio_files::roots::{RootIdentity, Roots};

/// The roots, and the host of all calls.
pub struct ServerRoots {
    host: Host,
    /// Whether the client may set the roots, because none were given at startup.
    pub follows_client: bool,
    /// Whether files that may contain secrets are hidden.
    hides_secrets: bool,
    state: Mutex<State>,
}

struct State {
    /// The roots, in the form of values of `--root`, or the reason why there are none.
    paths: Result<Vec<OsString>, String>,
    /// The roots that existed when they were last opened, with their identities.
    open: Option<(Roots, Vec<Option<RootIdentity>>)>,
}

impl ServerRoots {
    /// Creates the roots from the values of `--root`. If there are none, uses the current
    /// directory.
    pub fn new(paths: Vec<OsString>, hides_secrets: bool, host: Host) -> Self {
        let follows_client = paths.is_empty();
        let current = || host.env.roots.working_directory().unwrap_or(Path::new(".")).into();
        let paths = if follows_client { vec![current()] } else { paths };
        let state = Mutex::new(State { paths: Ok(paths), open: None });
        Self { host, follows_client, hides_secrets, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the roots with those of the client, or with the reason why there are none. Returns
    /// whether one of them is a local path.
    pub fn use_client(&self, uris: Result<Vec<String>, String>) -> bool {
        let paths = uris.and_then(|uris| {
            let paths = uris.iter().filter_map(|uri| path_of(uri));
            let paths: Vec<OsString> = paths.map(PathBuf::into_os_string).collect();
            match (paths.is_empty(), uris.is_empty()) {
                (false, _) => Ok(paths),
                (true, true) => Err("the client has no roots".to_owned()),
                (true, false) => {
                    Err(format!("the client's roots are not local paths: {}", uris.join(", ")))
                }
            }
        });
        let is_usable = paths.is_ok();
        *self.state() = State { paths, open: None };
        is_usable
    }

    /// Returns the host of a call.
    ///
    /// # Errors
    ///
    /// Fails if no root exists.
    pub fn host(&self) -> Result<Host, Error> {
        let roots = self.open()?;
        let mut host = self.host.clone();
        host.env.roots = roots;
        Ok(host)
    }

    /// Returns the open roots. Opens them again if they are not the same as in the last call.
    fn open(&self) -> Result<Roots, Error> {
        let mut state = self.state();
        let paths = state.paths.clone().map_err(|why| {
            Error::new(Code::OutsideRoot, format!("there is no directory to access: {why}"))
                .hint(format!("folio mcp {ROOT} DIR  # starts the server with a root"))
        })?;
        let now: Vec<Option<RootIdentity>> =
            paths.iter().map(|path| RootIdentity::identify(path)).collect();
        if let Some((roots, known)) = &state.open
            && *known == now
        {
            return Ok(roots.clone());
        }
        let existing = |(path, place): (&OsString, &Option<RootIdentity>)| {
            place.is_some().then(|| path.clone())
        };
        let mut existing: Vec<OsString> = paths.iter().zip(&now).filter_map(existing).collect();
        if existing.is_empty() {
            // Opening the missing roots returns the error to report.
            existing = paths;
        }
        let roots = self.host.env.roots.with_roots(&existing, self.hides_secrets)?;
        state.open = Some((roots.clone(), now));
        Ok(roots)
    }

    /// Returns the roots that do not exist, in the form in which they were given.
    pub fn missing(&self) -> Vec<OsString> {
        let state = self.state();
        let paths = state.paths.iter().flatten();
        paths.filter(|path| RootIdentity::identify(path).is_none()).cloned().collect()
    }

    /// Adds the missing roots to the answer of a failed call, because the file may be below one of
    /// them.
    pub fn add_missing(&self, answer: &mut Answer) {
        if !answer.is_error {
            return;
        }
        for missing in self.missing() {
            let shown = Path::new(&missing).display();
            answer.blocks.push(format!("The root '{shown}' does not exist now"));
        }
    }
}

/// Returns the path of a `file:` URI of this machine.
fn path_of(uri: &str) -> Option<PathBuf> {
    path_of_url(OsStr::new(uri)).ok().flatten().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_paths() {
        #[track_caller]
        fn check(uri: &str, expected: Option<&str>) {
            assert_eq!(path_of(uri), expected.map(PathBuf::from));
        }
        check("file:///a/b", Some("/a/b"));
        check("file:///a%20b/%C3%A9", Some("/a b/é"));
        check("file://localhost/a", Some("/a"));
        check("file://other/a", None);
        check("https://a/b", None);
        check("file:///a%2", Some("/a%2"));
    }
}
