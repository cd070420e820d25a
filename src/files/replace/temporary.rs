//! Names that stand beside a target for a moment: while two files change
//! places, one of them is under a temporary name. Slots are numbered, so that the next run
//! in the directory meets what a crash left without looking through it, and a
//! note beside each, the text of a symbolic link, says what is in it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::io::Errno;

use crate::error::{Code, Error};
use crate::files::lock::Directory;
use crate::files::system::{self, Identity, Status, system_error};

/// More temporary names than that are not looked at: others would have to be in the way
/// on purpose.
const MAX: u32 = 1_000_000;

/// Without a lock: how many processes, and names of each, are told apart.
const PROCESSES: u32 = 1 << 20;
const OF_PROCESS: u32 = 4000;

/// What a note begins with.
const MARK: &str = "folio-1";

/// What will be under a temporary name, and for which name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// The commit it belongs to, if that can be found in the state directory.
    pub commit: Option<String>,
    /// The inode of the new file, 0 where there is none.
    pub new: u64,
    /// The old file, where there is one.
    pub old: Option<Identity>,
    /// The name that is replaced.
    pub name: OsString,
    /// The name under which the old file is to be kept.
    pub backup: Option<OsString>,
}

impl Note {
    /// As the text of a link: fields between slashes, which no name holds.
    fn text(&self) -> OsString {
        let old = self.old.map_or_else(
            || "-/-/-/-".to_owned(),
            |old| format!("{}/{}/{}/{}", old.inode, old.size, old.mtime.0, old.mtime.1),
        );
        let commit = self.commit.as_deref().unwrap_or("-");
        let mut text = OsString::from(format!("{MARK}/{commit}/{}/{old}/", self.new));
        text.push(&self.name);
        if let Some(backup) = &self.backup {
            text.push("/");
            text.push(backup);
        }
        text
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let mut fields = text.split(|&byte| byte == b'/');
        if fields.next() != Some(MARK.as_bytes()) {
            return None;
        }
        let mut word = || fields.next().and_then(|field| std::str::from_utf8(field).ok());
        let commit = Some(word()?).filter(|commit| *commit != "-").map(str::to_owned);
        let new = word()?.parse().ok()?;
        let [inode, size, seconds, nanoseconds] = [word()?, word()?, word()?, word()?];
        let old = match inode {
            "-" => None,
            inode => Some(Identity {
                inode: inode.parse().ok()?,
                size: size.parse().ok()?,
                mtime: (seconds.parse().ok()?, nanoseconds.parse().ok()?),
            }),
        };
        // A name in the directory, never one that leads out of it.
        let name = |field: &[u8]| {
            let is_name = !matches!(field, b"" | b"." | b"..");
            is_name.then(|| OsString::from_vec(field.to_vec()))
        };
        let own = fields.next().and_then(name)?;
        let backup = match fields.next() {
            Some(field) => Some(name(field)?),
            None => None,
        };
        Some(Self { commit, new, old, name: own, backup })
    }
}

/// A numbered place in a directory.
#[derive(Clone, Debug)]
pub(crate) struct Temporary {
    directory: Arc<Directory>,
    number: u32,
}

impl Temporary {
    /// By its number.
    pub(crate) fn new(directory: &Arc<Directory>, number: u32) -> Self {
        Self { directory: directory.clone(), number }
    }

    /// Its number.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The name that a file has in it.
    pub(crate) fn name(&self) -> OsString {
        format!(".folio-{}.tmp", self.number).into()
    }

    /// The name of its note.
    fn note_name(&self) -> OsString {
        format!(".folio-{}.note", self.number).into()
    }

    /// The name that the old file has too for a moment, where two files cannot
    /// change places.
    pub(crate) fn second_name(&self) -> OsString {
        format!(".folio-{}.old", self.number).into()
    }

    /// Where two files cannot change places, a run may end when the old one has a second
    /// name: it gets the first one where that is free, or else still has its own.
    pub(crate) fn take_second(&self, old: Identity) -> Result<(), Errno> {
        match system::status_at(&self.directory, &self.second_name()) {
            Ok(second) if second.identity.inode == old.inode => match self.status() {
                Err(Errno::NOENT) => {
                    system::rename(&self.directory, &self.second_name(), &self.name())
                }
                there => {
                    there?;
                    gone(system::unlink(&self.directory, &self.second_name()))
                }
            },
            Ok(_) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes the note; fails with `EXIST` where the temporary name is taken.
    fn write_note(&self, note: &Note) -> Result<(), Errno> {
        match system::link_text(&self.directory, &note.text(), &self.note_name()) {
            // Without links there are no notes: what a crash leaves then stays.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            taken => taken,
        }
    }

    /// Takes the note away: the temporary name is free.
    pub(crate) fn release(&self) -> Result<(), Errno> {
        gone(system::unlink(&self.directory, &self.note_name()))
    }

    /// Takes away what is in it, and the note.
    pub(crate) fn clear(&self) -> Result<(), Errno> {
        gone(system::unlink(&self.directory, &self.name()))?;
        self.release()
    }

    /// Gives what is in it this name, or the first free one of `name.1`,
    /// `name.2`…: the one it has now.
    pub(crate) fn keep_as(&self, name: &OsStr) -> Result<OsString, Errno> {
        for name in numbered(name) {
            match system::rename_to_free(&self.directory, &self.name(), &name) {
                // A run may have ended when the file had both names.
                Err(Errno::EXIST) if self.has_name(&name)? => {
                    return system::unlink(&self.directory, &self.name()).map(|()| name);
                }
                Err(Errno::EXIST) => {}
                // It has both names: the one that stays goes with the note.
                Err(_) if self.has_name(&name).unwrap_or(false) => return Ok(name),
                renamed => return renamed.map(|()| name),
            }
        }
        Err(Errno::EXIST)
    }

    /// Takes back in what was given a name. The temporary one is nobody else's, so that
    /// it needs no call but the one that moves it.
    pub(crate) fn take_from(&self, name: &OsStr) -> Result<(), Errno> {
        match self.status() {
            Err(Errno::NOENT) => system::rename(&self.directory, name, &self.name()),
            there if there?.is_same_file(&system::status_at(&self.directory, name)?) => {
                system::unlink(&self.directory, name)
            }
            _ => Err(Errno::EXIST),
        }
    }

    /// The name that the old file has as a backup, where it is not in it any more.
    pub(crate) fn backup_of(&self, old: Identity) -> Result<Option<OsString>, Errno> {
        match self.status() {
            Err(Errno::NOENT) => {}
            there => return there.map(|_| None),
        }
        let Some(backup) = self.note()?.and_then(|note| note.backup) else { return Ok(None) };
        for name in numbered(&backup) {
            match system::status_at(&self.directory, &name) {
                Err(Errno::NOENT) => break,
                found if found?.identity == old => return Ok(Some(name)),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Whether what is in it has this name too.
    fn has_name(&self, name: &OsStr) -> Result<bool, Errno> {
        let own = self.status()?;
        Ok(system::status_at(&self.directory, name).is_ok_and(|other| other.is_same_file(&own)))
    }

    /// What is in it.
    pub(crate) fn status(&self) -> Result<Status, Errno> {
        system::status_at(&self.directory, &self.name())
    }

    fn note(&self) -> Result<Option<Note>, Errno> {
        match system::read_link_text(&self.directory, &self.note_name()) {
            Ok(text) => Ok(Note::parse(&text)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes a temporary name, from `first` on, that is free or can be made so. What
    /// stays of a crash is added to the warnings.
    ///
    /// `take` fails with `EXIST` where a name is taken, and with `NOTEMPTY` where it is
    /// to be passed over. `is_live` says of a commit by its name that its temporary
    /// names are none of ours.
    pub(crate) fn claim<T>(
        directory: &Arc<Directory>,
        first: u32,
        take: &dyn Fn(&Self) -> Result<T, Errno>,
        is_live: &dyn Fn(&str) -> bool,
        warnings: &mut Vec<String>,
    ) -> Result<(T, Self), Error> {
        for number in Self::numbers(directory, first) {
            let temporary = Self::new(directory, number);
            let mut taken = take(&temporary);
            if matches!(taken, Err(Errno::EXIST)) && temporary.is_freed(first, is_live, warnings) {
                taken = take(&temporary);
            }
            match taken {
                Ok(taken) => return Ok((taken, temporary)),
                Err(Errno::EXIST | Errno::NOTEMPTY) => {}
                Err(error) => {
                    let error = system_error("no temporary file can be made", error);
                    return Err(error.at(directory.path()));
                }
            }
        }
        Err(Error::new(Code::IoError, "no free name for a temporary file").at(directory.path()))
    }

    /// Takes the name by writing its note.
    pub(crate) fn take(&self, note: &Note) -> Result<(), Errno> {
        self.write_note(note)?;
        // What fails here fails under every other number too.
        let error = match self.free_without_note() {
            Ok(true) => return Ok(()),
            Ok(false) => Errno::NOTEMPTY,
            Err(error) => error,
        };
        let _ = self.release();
        Err(error)
    }

    /// Takes the name by an empty file in it, where files cannot be without a name.
    /// Its note comes when the file is known.
    pub(crate) fn create(&self, mode: u32) -> Result<File, Errno> {
        system::create_file(&self.directory, &self.name(), mode)
    }

    /// The name of a note that is to take the place of another.
    fn next_note_name(&self) -> OsString {
        format!(".folio-{}.next", self.number).into()
    }

    /// Writes the note of a temporary name that holds a file already, in the place of
    /// the one it has: at no moment it has none.
    pub(crate) fn annotate(&self, note: &Note) -> Result<(), Error> {
        let next = self.next_note_name();
        let written = match system::link_text(&self.directory, &note.text(), &next) {
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            Err(error) => Err(error),
            Ok(()) => system::rename(&self.directory, &next, &self.note_name()),
        };
        written.map_err(|error| {
            let _ = system::unlink(&self.directory, &next);
            system_error("no temporary file can be made", error).at(self.directory.path())
        })
    }

    /// The numbers to try. Without the lock of the directory others may be at
    /// work in it, threads of this process among them: each begins elsewhere,
    /// and a name that is taken all the same is passed over.
    fn numbers(directory: &Directory, first: u32) -> std::ops::Range<u32> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        if directory.is_locked() {
            return first..MAX;
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed) % OF_PROCESS;
        let own = MAX + (std::process::id() % PROCESSES) * OF_PROCESS + number;
        own..own + MAX
    }

    /// Cleans a taken temporary name; the first that is met, together with all others.
    fn is_freed(
        &self,
        first: u32,
        is_live: &dyn Fn(&str) -> bool,
        warnings: &mut Vec<String>,
    ) -> bool {
        if !self.directory.is_locked() {
            return false;
        }
        if self.number == 0 && first == 0 {
            let _ = clean_all(&self.directory, is_live, warnings);
            return true;
        }
        let cleaned = self.clean(is_live);
        let is_freed = cleaned.is_ok();
        warnings.extend(cleaned.err().filter(|reason| !warnings.contains(reason)));
        is_freed
    }

    /// Whether nothing is in it, or nothing any more: a file without a note was never
    /// put in place; if it is one of ours, it is empty still.
    fn free_without_note(&self) -> Result<bool, Errno> {
        let status = match self.status() {
            Err(Errno::NOENT) => return Ok(true),
            status => status?,
        };
        let is_empty =
            status.kind == rustix::fs::FileType::RegularFile && status.identity.size == 0;
        Ok(is_empty
            && self.directory.is_locked()
            && system::unlink(&self.directory, &self.name()).is_ok())
    }

    /// Makes a temporary name free that a run left that is no more, so that nothing is
    /// lost: our own unfinished file goes, the file that was replaced goes (or
    /// gets the name it was to be kept under), and what another program had
    /// written in that very moment is put back. Else a sentence says why it stays as
    /// it is.
    fn clean(&self, is_live: &dyn Fn(&str) -> bool) -> Result<(), String> {
        self.told(self.try_clean(is_live))
    }

    fn told(&self, cleaned: Result<Result<(), String>, Errno>) -> Result<(), String> {
        cleaned.unwrap_or_else(|error| self.kept(&std::io::Error::from(error).to_string()))
    }

    fn kept(&self, reason: &str) -> Result<(), String> {
        let path = self.directory.path().join(self.name());
        Err(format!("'{}' was left as it is: {reason}", path.display()))
    }

    fn try_clean(&self, is_live: &dyn Fn(&str) -> bool) -> Result<Result<(), String>, Errno> {
        gone(system::unlink(&self.directory, &self.next_note_name()))?;
        let Some(note) = self.note()? else {
            return match self.free_without_note()? {
                true => self.release().map(Ok),
                false => Ok(self.kept("nothing says what it is")),
            };
        };
        if note.commit.as_deref().is_some_and(is_live) {
            return Ok(
                self.kept("it belongs to a transaction that was interrupted, for undo --recover")
            );
        }
        if let Some(old) = note.old {
            self.take_second(old)?;
        }
        let found = match self.status() {
            Err(Errno::NOENT) => return self.release().map(Ok),
            found => found?,
        };
        if found.identity.inode != note.new && Some(found.identity) != note.old {
            if !self.put_back(&note, &found)? {
                return Ok(self.kept(
                    "it holds what another program wrote to a file that changed again since",
                ));
            }
        } else if found.identity.inode != note.new
            && let Some(backup) = &note.backup
        {
            self.keep_as(backup)?;
        }
        self.clear().map(Ok)
    }

    /// Gives another program's file the name back that it had; `false` where
    /// the name is not ours to take.
    fn put_back(&self, note: &Note, found: &Status) -> Result<bool, Errno> {
        match system::status_at(&self.directory, &note.name) {
            Err(Errno::NOENT) => {
                system::rename_to_free(&self.directory, &self.name(), &note.name)?;
                Ok(true)
            }
            Ok(there) if there.identity.inode == note.new => {
                match system::exchange(&self.directory, &self.name(), &note.name) {
                    Err(error) if system::is_lacking(error) => {
                        system::rename(&self.directory, &self.name(), &note.name)?;
                        return Ok(true);
                    }
                    exchanged => exchanged?,
                }
                // Only what is ours may go now.
                let is_ours = self.status()?.identity.inode == note.new;
                let is_back = system::status_at(&self.directory, &note.name)?.is_same_file(found);
                Ok(is_ours && is_back)
            }
            there => there.map(|_| false),
        }
    }
}

/// Cleans the temporary names of a directory, from the last before the first that was never
/// taken: the first one is the last to go, so that whoever is cut off or fails here leaves
/// no gap behind which nobody looks.
pub(crate) fn clean_all(
    directory: &Arc<Directory>,
    is_live: &dyn Fn(&str) -> bool,
    warnings: &mut Vec<String>,
) -> Result<(), Errno> {
    let is_taken = |number: &u32| {
        let temporary = Temporary::new(directory, *number);
        system::status_at(directory, &temporary.note_name()).is_ok() || temporary.status().is_ok()
    };
    let end = (0..MAX).find(|number| !is_taken(number)).unwrap_or(MAX);
    for number in (0..end).rev() {
        let temporary = Temporary::new(directory, number);
        let cleaned = temporary.try_clean(is_live);
        let failed = cleaned.as_ref().err().copied();
        warnings.extend(temporary.told(cleaned).err());
        failed.map_or(Ok(()), Err)?;
    }
    Ok(())
}

fn gone(result: Result<(), Errno>) -> Result<(), Errno> {
    if result == Err(Errno::NOENT) { Ok(()) } else { result }
}

/// A name, then the same with numbers behind it.
fn numbered(name: &OsStr) -> impl Iterator<Item = OsString> {
    let name = name.to_owned();
    (0..MAX).map(move |number| {
        let mut numbered = name.clone();
        if number > 0 {
            numbered.push(format!(".{number}"));
        }
        numbered
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;
    use crate::files::lock::Locks;

    #[test]
    fn without_a_lock_no_two_claims_begin_with_the_same_name() {
        let sandbox = tempfile::tempdir().expect("a directory");
        let locks = Locks::without_locking(sandbox.path()).expect("opened");
        let directory = &locks.directories()[0];
        let firsts = || Temporary::numbers(directory, 0).start;
        let [one, other] =
            [firsts(), std::thread::scope(|scope| scope.spawn(firsts).join()).expect("ended")];
        assert_ne!(one, other);
        assert!(one >= MAX && u32::MAX / OF_PROCESS > PROCESSES);
    }

    #[test]
    fn notes_come_back_as_they_were() {
        let old = Identity { inode: 2, size: 3, mtime: (-4, 5) };
        let name = OsString::from_vec(b"caf\xe9 -.md".to_vec());
        for (old, backup) in [(Some(old), Some("a.bak".into())), (None, None)] {
            for commit in [None, Some("1-2".to_owned())] {
                let note = Note { commit, new: 1, old, name: name.clone(), backup: backup.clone() };
                assert_eq!(Note::parse(note.text().as_bytes()), Some(note));
            }
        }
        assert_eq!(Note::parse(b"elsewhere/1/2"), None);
        assert_eq!(Note::parse(b"folio-1/-/1/2/x/-/-/name"), None);
        for name in ["", ".", ".."] {
            let notes =
                [format!("folio-1/-/1/-/-/-/-/{name}"), format!("folio-1/-/1/-/-/-/-/a/{name}")];
            for note in notes {
                assert_eq!(Note::parse(note.as_bytes()), None, "{note}");
            }
        }
    }
}
