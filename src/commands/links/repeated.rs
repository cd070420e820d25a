//! Broken links with one common cause. After the first ones, they are counted instead of printed,
//! because an option explains all of them.

use std::collections::BTreeMap;

use super::{CheckedLink, Reason};
use crate::commands::output::{Note, counted};
use folio_files::error::{Change, Hint};
use folio_files::options::{FALLBACK_EXTENSIONS, IGNORE, JSON, ROOT_DIR, SITE};
use folio_markdown::destination::split_destination;

/// Number of links with one cause that are printed.
const MAX_PRINTED: u64 = 20;

/// The common cause of broken links.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// The links have this extension, or none, but the files are Markdown.
    Extension(String),
    /// The links begin with `/`.
    FromRoot,
    /// The links have the same destination.
    Target(Vec<u8>),
}

impl Cause {
    /// Returns the cause of a broken link, unless it is specific to this link.
    fn of_link(link: &CheckedLink) -> Option<Self> {
        if link.reason != Some(Reason::NoFile) {
            return None;
        }
        let (path, _) = split_destination(&link.target);
        let suggested = link.suggestion.as_deref().map(|suggested| split_destination(suggested).0);
        let extension = suggested.and_then(|suggested| {
            let rest = path.strip_prefix(suggested.strip_suffix(b".md")?)?;
            std::str::from_utf8(rest).ok().filter(|rest| matches!(*rest, "" | ".html" | ".htm"))
        });
        Some(match extension {
            Some(extension) => Self::Extension(extension.to_owned()),
            None if path.starts_with(b"/") => Self::FromRoot,
            None => Self::Target(link.target.clone()),
        })
    }

    /// Returns the note about `count` links with this cause that were not printed.
    fn note(&self, count: u64, has_root_dir: bool) -> Note {
        let links = counted(count, "more broken link");
        let (message, hint) = match self {
            Self::Extension(extension) if extension.is_empty() => {
                let hint = Hint::with_value(FALLBACK_EXTENSIONS, "md").why("if links may omit it");
                (format!("{links} without the extension '.md'"), hint)
            }
            Self::Extension(extension) => {
                let hint = Hint::with_value(SITE, "NAME").why("if a generator builds the pages");
                (format!("{links} with '{extension}' instead of '.md'"), hint)
            }
            Self::FromRoot => {
                let message = format!("{links} with a leading '/'; {JSON} lists all");
                let note = Note::new(message);
                return if has_root_dir { note } else { note.hint(root_dir_hint()) };
            }
            Self::Target(target) => {
                let target = String::from_utf8_lossy(target);
                let hint = Hint::again([Change::Add(IGNORE, (&*target).into())]);
                (format!("{links} to '{target}'"), hint.why("to ignore them"))
            }
        };
        Note::new(format!("{message}; {JSON} lists all")).hint(hint)
    }
}

/// Returns the hint to give the directory to which `/` refers.
pub(super) fn root_dir_hint() -> Hint {
    Hint::with_value(ROOT_DIR, "DIR").why("the directory of the site")
}

/// The number of broken links with each cause.
#[derive(Debug, Default)]
pub(super) struct RepeatedCauses(BTreeMap<Cause, u64>);

impl RepeatedCauses {
    /// Counts a link. Returns whether it is one of the first with its cause.
    pub(super) fn count(&mut self, link: &CheckedLink) -> bool {
        let Some(cause) = Cause::of_link(link) else { return true };
        let count = self.0.entry(cause).or_default();
        *count += 1;
        *count <= MAX_PRINTED
    }

    /// Returns the notes about links that were not printed. They suggest a root directory only if
    /// none is given.
    pub(super) fn notes(&self, has_root_dir: bool) -> impl Iterator<Item = Note> {
        let repeated = self.0.iter().filter(|(_, count)| **count > MAX_PRINTED);
        repeated.map(move |(cause, count)| cause.note(count - MAX_PRINTED, has_root_dir))
    }
}
