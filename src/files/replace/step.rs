//! One change of a commit, from its staging to its end.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;
use sha2::{Digest, Sha256};

use super::content::{Sink, Source, hash_edited};
use super::context::Context;
use super::create::{Creation, Removal};
use super::editable::{Editable, Mode};
use super::in_place::{CHANGED, Rewrite};
use super::places::Places;
use super::swap::Swap;
use crate::error::Error;
use crate::files::history;
use crate::files::lock::{Directory, Locks};
use crate::files::records::{FileRecord, Hashed, Name, StepKind, StepRecord};
use crate::files::system::{Identity, system_error};
use crate::text::edit::EditSet;
use crate::text::span::Span;

/// A change of one file.
#[derive(Debug)]
pub enum Change {
    /// Edits of a file, as it was when it was opened.
    Edit {
        /// The file.
        file: Editable,
        /// Spans of its bytes and what comes in their place. Without any, the
        /// file stays as it is.
        edits: EditSet,
    },
    /// A file that is not there yet. The directory that [`place_of_new`] tells
    /// must be locked.
    Create {
        /// Its path.
        path: PathBuf,
        /// Its bytes.
        content: Vec<u8>,
        /// Its permission bits, where they are not those that new files have.
        mode: Option<u32>,
        /// The file whose owner, attributes and mode it has instead.
        like: Option<Editable>,
    },
    /// A file goes, if it is still what it was when it was opened.
    Remove {
        /// The file.
        file: Editable,
    },
}

/// A file after its change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The path that it was asked for by.
    pub path: PathBuf,
    /// Where the old file is kept.
    pub backup: Option<PathBuf>,
}

/// One change.
pub(super) enum Step {
    /// Nothing is to be done.
    Same(Editable),
    Swap(Swap, EditSet),
    Rewrite(Rewrite),
    Creation(Creation),
    Removal(Editable, Removal),
}

impl Step {
    pub(super) fn asked(&self) -> &Path {
        match self {
            Self::Same(file) | Self::Removal(file, _) => &file.asked,
            Self::Swap(swap, _) => &swap.old.asked,
            Self::Rewrite(rewrite) => &rewrite.file.asked,
            Self::Creation(creation) => &creation.asked,
        }
    }

    pub(super) fn stage(
        change: Change,
        locks: &Locks,
        context: &mut Context<'_>,
    ) -> Result<Self, Error> {
        match change {
            Change::Edit { file, edits } if edits.is_empty() => Ok(Self::Same(file)),
            Change::Edit { file, edits } => {
                let backup = backup_name(&file, context)?;
                match file.mode {
                    Mode::Rename => Swap::stage(file, &edits, backup, context)
                        .map(|swap| Self::Swap(swap, edits)),
                    Mode::InPlace => {
                        Rewrite::stage(file, edits, backup, context).map(Self::Rewrite)
                    }
                }
            }
            Change::Create { path, content, mode, like } => {
                Creation::stage(&path, &content, mode, like, locks, context).map(Self::Creation)
            }
            Change::Remove { file } => {
                let removal = Removal::of(&file.directory, file.name.clone(), file.status);
                Ok(Self::Removal(file, removal))
            }
        }
    }

    pub(super) fn ready(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        match self {
            Self::Swap(swap, _) => swap.ready(context),
            Self::Creation(creation) => creation.ready(context),
            Self::Rewrite(rewrite) => rewrite.ready(context),
            Self::Same(_) | Self::Removal(..) => Ok(()),
        }
    }

    pub(super) fn apply(&mut self, context: &mut Context<'_>) -> Result<(), Error> {
        match self {
            Self::Same(_) => Ok(()),
            Self::Swap(swap, _) => swap.apply(context),
            Self::Rewrite(rewrite) => rewrite.apply(context.options.sync),
            Self::Creation(creation) => creation.apply(),
            Self::Removal(_, removal) => removal.apply(),
        }
    }

    pub(super) fn keep_backup(&mut self) -> Result<(), Error> {
        if let Self::Swap(swap, _) = self { swap.keep_backup() } else { Ok(()) }
    }

    /// The sentence says what else the user is to know.
    pub(super) fn take_back(&mut self) -> Result<Option<String>, Error> {
        let failed = |error| system_error("it cannot be undone", error);
        let is_back = match self {
            Self::Same(_) => true,
            Self::Swap(swap, _) => {
                let is_back = swap.take_back().map_err(failed)?;
                if let Some(kept) = &swap.late {
                    let kept = kept.to_string_lossy();
                    return Ok(Some(format!("{CHANGED}; what it was before is in '{kept}'")));
                }
                is_back
            }
            Self::Rewrite(rewrite) => return rewrite.take_back(),
            Self::Creation(creation) => creation.take_back()?,
            Self::Removal(_, removal) => removal.take_back().map_err(failed)?,
        };
        Ok((!is_back).then(|| CHANGED.to_owned()))
    }

    pub(super) fn finish(&mut self) -> Result<(), Errno> {
        match self {
            Self::Same(_) | Self::Creation(_) => Ok(()),
            Self::Swap(swap, _) => swap.finish(),
            Self::Rewrite(rewrite) => {
                rewrite.finish();
                Ok(())
            }
            Self::Removal(_, removal) => removal.finish(),
        }
    }

    /// The directory in which a name changes.
    pub(super) fn directory(&self) -> Option<&Arc<Directory>> {
        match self {
            Self::Same(_) | Self::Rewrite(_) => None,
            Self::Swap(swap, _) => Some(&swap.old.directory),
            Self::Creation(creation) => Some(&creation.directory),
            Self::Removal(_, removal) => Some(&removal.directory),
        }
    }

    /// As it is in the plan.
    pub(super) fn record(&self) -> Option<StepRecord> {
        let (directory, name, step) = match self {
            Self::Same(_) => return None,
            Self::Swap(swap, _) => {
                let step = StepKind::Replace {
                    temporary: swap.new.temporary.text().to_owned(),
                    old: swap.old.identity(),
                    new: swap.after.identity,
                    backup: swap.backup.as_deref().map(Name::from),
                };
                (swap.old.directory.path(), &swap.old.name, step)
            }
            Self::Rewrite(rewrite) => {
                (rewrite.file.directory.path(), &rewrite.file.name, rewrite.record())
            }
            Self::Creation(creation) => {
                let step = StepKind::Create {
                    temporary: creation.new.temporary.text().to_owned(),
                    new: creation.after.identity,
                };
                (creation.directory.path(), &creation.name, step)
            }
            Self::Removal(file, removal) => {
                let temporary = removal.temporary.text().to_owned();
                let step = StepKind::Remove { temporary, old: removal.status.identity };
                (file.directory.path(), &removal.name, step)
            }
        };
        let (directory, name) = (Name::from(directory), Name::from(name.as_os_str()));
        Some(StepRecord { directory, name, step })
    }

    pub(super) fn written(&self) -> Written {
        let backup = self.backup().map(|(file, _, name)| file.resolved.with_file_name(name));
        Written { path: self.asked().to_owned(), backup }
    }

    /// The name under which an old file is kept that another program wrote to.
    pub(super) fn late(&self) -> Option<(&Path, &OsString)> {
        let Self::Swap(swap, _) = self else { return None };
        Some((&swap.old.asked, swap.late.as_ref()?))
    }

    /// The old file, the name that it was to be kept under, and the one it has.
    pub(super) fn backup(&self) -> Option<(&Editable, &OsString, &OsString)> {
        match self {
            Self::Swap(Swap { old, backup, kept_as, .. }, _) => {
                Some((old, backup.as_ref()?, kept_as.as_ref()?))
            }
            Self::Rewrite(Rewrite { file, backup, kept_as, .. }) => {
                Some((file, backup.as_ref()?, &kept_as.as_ref()?.0))
            }
            Self::Same(_) | Self::Creation(_) | Self::Removal(..) => None,
        }
    }
}

/// The name that an old file is to be kept under.
fn backup_name(file: &Editable, context: &Context<'_>) -> Result<Option<OsString>, Error> {
    let Some(suffix) = &context.options.backup else { return Ok(None) };
    let mut name = file.name.clone();
    name.push(suffix);
    if suffix.is_empty() || Path::new(&name).file_name() != Some(OsStr::new(&name)) {
        let suffix = suffix.to_string_lossy();
        return Err(Error::usage(format!("'{suffix}' is no suffix for the name of a backup")));
    }
    Ok(Some(name))
}

pub(super) fn asked(change: &Change) -> PathBuf {
    match change {
        Change::Edit { file, .. } | Change::Remove { file } => file.asked.clone(),
        Change::Create { path, .. } => path.clone(),
    }
}

impl Step {
    /// The old file and its edits.
    pub(super) fn edits(&self) -> Option<(&Editable, &EditSet)> {
        match self {
            Self::Swap(swap, edits) => Some((&swap.old, edits)),
            Self::Rewrite(rewrite) => Some((&rewrite.file, &rewrite.edits)),
            Self::Same(_) | Self::Creation(_) | Self::Removal(..) => None,
        }
    }

    /// What the history keeps of it, its removed bytes left out; and the bytes
    /// of its places.
    pub(super) fn file_record(
        &self,
        lines_delta: Option<i64>,
        line: Option<u64>,
    ) -> io::Result<Option<(FileRecord, Vec<u8>)>> {
        let none = EditSet::default();
        let (path, before, after, hashed) = match self {
            Self::Same(_) => return Ok(None),
            Self::Removal(file, _) => return Ok(Some((removal_record(file, lines_delta), vec![]))),
            Self::Swap(Swap { old, new, after, .. }, _) => (
                &old.resolved,
                Some(old.identity()),
                after.identity,
                (&new.file, after.identity.size, &none),
            ),
            Self::Rewrite(Rewrite { file, edits, .. }) => {
                let before = file.identity();
                let size = edits.new_length(before.size);
                // When it will be written is not known yet.
                let after = Identity { size, mtime: (0, 0), ..before };
                (&file.resolved, Some(before), after, (&*file.file, before.size, edits))
            }
            Self::Creation(Creation { resolved, after, new, .. }) => {
                (resolved, None, after.identity, (&new.file, after.identity.size, &none))
            }
        };
        let spans = self.edits().map(|(_, edits)| edits.new_spans()).unwrap_or_default();
        let (file, length, edits) = hashed;
        let (hashed, hashed_spans) = history::hashed_spans(after.size, spans.iter().copied());
        let sha256 = hash_edited(file, length, edits, &hashed_spans)?;
        let places = Places::of(file, length, edits, &spans)?;
        let old = self.edits().into_iter().flat_map(|(_, edits)| edits.edits());
        let edits = spans.iter().zip(old);
        let record = FileRecord {
            path: path.as_path().into(),
            before,
            after: Some(after),
            mode: None,
            in_place: matches!(self, Self::Rewrite(_)),
            lines_delta,
            line,
            sha256,
            hashed,
            edits: edits.map(|(new, old)| (new.start(), new.len(), old.span.len())).collect(),
            around: places.around,
        };
        Ok(Some((record, places.bytes)))
    }

    /// The old file and the spans of it that go.
    fn removed(&self) -> Option<(&Editable, Vec<Span>)> {
        if let Self::Removal(file, _) = self {
            return Some((file, vec![Span::new(0, file.size())]));
        }
        self.edits().map(|(file, edits)| (file, edits.edits().iter().map(|it| it.span).collect()))
    }
}

/// Of a file that goes: all of its bytes are kept.
fn removal_record(file: &Editable, lines_delta: Option<i64>) -> FileRecord {
    FileRecord {
        path: file.resolved.as_path().into(),
        before: Some(file.identity()),
        after: None,
        mode: Some(file.status.mode),
        in_place: false,
        lines_delta,
        line: None,
        sha256: String::new(),
        hashed: Hashed::File,
        edits: vec![(0, 0, file.size())],
        around: Vec::new(),
    }
}

/// How many bytes edits remove, and how many places there are.
pub(super) fn removed_length(steps: &[Step]) -> (u64, u64) {
    let spans = steps.iter().filter_map(Step::removed).flat_map(|(_, spans)| spans);
    spans.fold((0, 0), |(removed, count), span| (removed + span.len(), count + 1))
}

/// Writes the bytes that edits remove, in order, and then those of their places; the
/// checksum of all.
pub(super) fn write_kept(
    steps: &[Step],
    places: &[Vec<u8>],
    file: &File,
    at: u64,
) -> io::Result<String> {
    let mut sum = Sha256::new();
    let mut sink = Sink::new(file, at);
    let mut put = |bytes: &[u8]| {
        sum.update(bytes);
        sink.put(bytes)
    };
    for (old, spans) in steps.iter().filter_map(Step::removed) {
        let mut source = Source::new(&old.file, old.size());
        for span in spans {
            source.each(span, &mut put)?;
        }
    }
    places.iter().try_for_each(|bytes| put(bytes))?;
    sink.flush()?;
    Ok(history::digits(sum))
}
