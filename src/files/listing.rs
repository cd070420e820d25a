//! Lists directories entry by entry, in a stable order, with ripgrep's ignore rules. Entries are
//! examined relative to the handle of their directory, and symlinks are not followed.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::FileType;
use rustix::io::Errno;

use super::document::{Document, DocumentOptions};
use super::env::Env;
use super::ignore_rules::{Marks, RuleOptions, Rules, Verdict};
use super::system::{self, FileId, Outcome};
use crate::error::{Code, Error};

/// What is listed of a directory.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Directories below it that are gone into; 1 is the directory itself.
    pub depth: usize,
    /// The order of the entries of each directory.
    pub order: Order,
    /// Go into the directories that symbolic links lead to, and take the files.
    pub follow: bool,
    /// Larger files are no files of a walk.
    pub max_filesize: Option<u64>,
    /// Directories of other devices are not gone into.
    pub one_file_system: bool,
    /// What is left out.
    pub rules: RuleOptions,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            depth: usize::MAX,
            order: Order::Name,
            follow: false,
            max_filesize: None,
            one_file_system: false,
            rules: RuleOptions::default(),
        }
    }
}

/// The order of entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By the bytes of their names.
    #[default]
    Name,
    /// The largest first; what is no file has no size.
    Size,
    /// What was changed last first.
    Modified,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, whatever it leads to.
    Symlink,
    /// A pipe, a socket, a device.
    Other,
}

impl Kind {
    fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            _ => Self::Other,
        }
    }

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Symlink => "symlink",
            Self::Other => "other",
        }
    }
}

/// What the system says of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Bytes of a file; 0 for all else.
    pub size: u64,
    /// When it was changed: seconds since 1970 and nanoseconds.
    pub modified: (i64, u32),
}

impl Facts {
    /// What comes first in an order has the greatest key.
    pub fn key(&self, order: Order) -> (i64, u32) {
        match order {
            Order::Name => (0, 0),
            Order::Size => (i64::try_from(self.size).unwrap_or(i64::MAX), 0),
            Order::Modified => self.modified,
        }
    }
}

/// An entry.
#[derive(Clone, Copy)]
pub struct Found<'a> {
    /// The path: the directory as given, and the names below it.
    pub path: &'a Path,
    /// How deep it is: 1 for what is in the directory itself.
    pub level: usize,
    /// What it is.
    pub kind: Kind,
    /// Whether a glob names it, or no glob says what is wanted.
    pub is_asked: bool,
    /// Whether what it contains comes next.
    pub is_entered: bool,
    /// What a directory contains, where it was read.
    pub children: Option<u64>,
    directory: &'a OwnedFd,
    name: &'a OsStr,
}

impl Found<'_> {
    /// What the system says of it; nothing where it is gone meanwhile.
    ///
    /// Fails where that cannot be known.
    pub fn facts(&self) -> Result<Option<Facts>, Error> {
        facts(self.directory, self.name).map_err(|error| Error::io(&error.into(), self.path))
    }

    /// The file as a document; nothing where it is gone meanwhile.
    ///
    /// Fails where it cannot be read.
    pub fn document(
        &self,
        options: &DocumentOptions,
        env: &Env,
    ) -> Result<Option<Document>, Error> {
        match system::open_file(self.directory, self.name, false) {
            Ok(file) => Document::of_file(self.path, Arc::new(file), options, env).map(Some),
            Err(error) if is_gone(error) => Ok(None),
            Err(error) => Err(Error::io(&error.into(), self.path)),
        }
    }

    /// Its own name.
    pub fn name(&self) -> &OsStr {
        self.name
    }
}

fn facts(directory: &OwnedFd, name: &OsStr) -> Outcome<Option<Facts>> {
    let status = match system::status_at(directory, name) {
        Err(error) if is_gone(error) => return Ok(None),
        status => status?,
    };
    let size = if status.kind.is_file() { status.identity.size } else { 0 };
    Ok(Some(Facts { size, modified: status.identity.mtime }))
}

/// Whether an entry went, or became something else, since it was listed.
fn is_gone(error: Errno) -> bool {
    [Errno::NOENT, Errno::NOTDIR, Errno::LOOP].contains(&error)
}

/// What takes the entries.
pub trait Visitor {
    /// Whether the children of this directory, which is not entered, are to be
    /// counted.
    fn wants_children(&mut self, found: &Found<'_>) -> bool;
    /// An entry that no rule leaves out. Those that a directory contains come right
    /// after it.
    fn entry(&mut self, found: &Found<'_>);
    /// What could not be looked at.
    fn failed(&mut self, error: Error);
    /// An ignore file that was looked for, whether or not it is there.
    fn asked(&mut self, _ignore_file: &Path) {}
}

/// Entries that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Because their names begin with a dot.
    pub hidden: u64,
    /// Because an ignore file says so.
    pub ignored: u64,
}

/// Shows a visitor what is in a directory; what was left out.
pub fn list(
    directory: &Path,
    options: &WalkOptions,
    env: &Env,
    visitor: &mut dyn Visitor,
) -> Result<LeftOut, Error> {
    let handle = env.roots.open_directory(directory)?;
    // Ignore files around it are found by its own path, whatever led here.
    let whole = env.roots.resolve(directory)?;
    let rules = Rules::around(&whole, &options.rules, &env.roots)?;
    // As ripgrep does, what was found by `.` is shown without it.
    let is_here = directory.as_os_str() == ".";
    let shown = if is_here { Vec::new() } else { directory.as_os_str().as_bytes().to_vec() };
    let device = options.one_file_system.then(|| system::status_of(&handle).ok()).flatten();
    let mut walk = Walk {
        options,
        device: device.map(|status| status.device),
        env,
        rules,
        shown,
        whole: whole.into_os_string().into_encoded_bytes(),
        left_out: LeftOut::default(),
        around: Vec::new(),
        visitor,
    };
    let names = walk.read(handle, 1).map_err(|error| Error::io(&error.into(), directory))?;
    walk.visit(names, 1);
    walk.say_rules();
    env.cancel.check()?;
    Ok(walk.left_out)
}

/// The names in a directory that no rule leaves out, one after the other.
struct Names {
    handle: OwnedFd,
    bytes: Vec<u8>,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    start: usize,
    length: u32,
    kind: Kind,
    /// Whether a link leads to it that is followed.
    is_linked: bool,
    is_asked: bool,
}

impl Slot {
    fn name<'a>(&self, bytes: &'a [u8]) -> &'a OsStr {
        OsStr::from_bytes(&bytes[self.start..self.start + self.length as usize])
    }
}

impl Names {
    /// What is not known of an entry comes last, and is said to `failed`.
    fn sort(&mut self, order: Order, mut failed: impl FnMut(&OsStr, Errno)) {
        let Self { handle, bytes, slots } = self;
        slots.sort_unstable_by(|left, right| left.name(bytes).cmp(right.name(bytes)));
        if order != Order::Name {
            slots.sort_by_cached_key(|slot| {
                let name = slot.name(bytes);
                let facts = facts(handle, name).unwrap_or_else(|error| {
                    failed(name, error);
                    None
                });
                Reverse(facts.map(|facts| facts.key(order)))
            });
        }
    }
}

/// As many bytes as a path may have that is opened as a whole.
const LONGEST_PATH: usize = 4095;

struct Walk<'a> {
    options: &'a WalkOptions,
    /// The one whose directories are gone into, where that matters.
    device: Option<u64>,
    env: &'a Env,
    rules: Rules,
    // The path of what is looked at: as it is shown, and from the root on.
    shown: Vec<u8>,
    whole: Vec<u8>,
    left_out: LeftOut,
    // Of the directories that it is in, where links are followed: a link may
    // lead back to one.
    around: Vec<FileId>,
    visitor: &'a mut dyn Visitor,
}

impl Walk<'_> {
    /// Reads the directory whose path is the one looked at. Its rules hold from
    /// now on, until they are left, unless it cannot be read.
    fn read(&mut self, handle: OwnedFd, level: usize) -> Outcome<Names> {
        let mut bytes = Vec::new();
        let mut slots: Vec<Slot> = Vec::new();
        let mut marks = Marks::default();
        let mut failed = Vec::new();
        system::each_name(&handle, |name, kind| {
            marks.see(name);
            if self.env.roots.hide(name) {
                return;
            }
            let kind = match kind {
                FileType::Unknown => system::status_at(&handle, name).map(|status| status.kind),
                kind => Ok(kind),
            };
            let kind = match kind {
                Ok(kind) => Kind::of(kind),
                Err(error) if is_gone(error) => return,
                Err(error) => return failed.push((name.to_owned(), error)),
            };
            let (start, length) = (bytes.len(), name.len() as u32);
            bytes.extend_from_slice(name.as_bytes());
            slots.push(Slot { start, length, kind, is_linked: false, is_asked: false });
        })?;
        for (name, error) in failed {
            self.fail(&name, error);
        }
        if self.options.follow {
            slots.retain_mut(|slot| slot.kind != Kind::Symlink || self.follow(slot, &bytes));
        }
        self.rules.enter(level, &handle, marks, path(&self.whole));
        self.say_rules();
        slots.retain_mut(|slot| {
            let before = self.push(slot.name(&bytes));
            let verdict = self.rules.judge(
                slot.name(&bytes),
                &self.shown,
                &self.whole,
                slot.kind == Kind::Directory,
            );
            self.go_back(before);
            match verdict {
                Verdict::Taken { asked } => slot.is_asked = asked,
                Verdict::Excluded => {}
                Verdict::Ignored => self.left_out.ignored += 1,
                Verdict::Hidden => self.left_out.hidden += 1,
            }
            matches!(verdict, Verdict::Taken { .. })
        });
        Ok(Names { handle, bytes, slots })
    }

    /// Says which ignore files were looked for, and which could not be read.
    fn say_rules(&mut self) {
        self.rules.take_asked().iter().for_each(|path| self.visitor.asked(path));
        self.rules.take_errors().into_iter().for_each(|error| self.visitor.failed(error));
    }

    /// Makes of a link what it leads to; `false` where that cannot be.
    fn follow(&mut self, slot: &mut Slot, names: &[u8]) -> bool {
        let before = self.push(slot.name(names));
        let found = self.env.roots.status(path(&self.shown));
        self.go_back(before);
        slot.is_linked = true;
        match found {
            Ok(status) => slot.kind = Kind::of(status.kind),
            Err(error) => {
                self.visitor.failed(error);
                return false;
            }
        }
        true
    }

    /// Goes to a name in the directory that is looked at; the way back.
    fn push(&mut self, name: &OsStr) -> (usize, usize) {
        let before = (self.shown.len(), self.whole.len());
        let name = name.as_bytes();
        match self.shown.last() {
            // Without it an operand would be a flag, a collection or a root.
            None if matches!(name.first(), Some(b'-' | b'@'))
                || self.env.roots.is_named(Path::new(OsStr::from_bytes(name))) =>
            {
                self.shown.extend_from_slice(b"./");
            }
            None | Some(b'/') => {}
            Some(_) => self.shown.push(b'/'),
        }
        self.shown.extend_from_slice(name);
        if self.whole.last() != Some(&b'/') {
            self.whole.push(b'/');
        }
        self.whole.extend_from_slice(name);
        before
    }

    fn go_back(&mut self, (shown, whole): (usize, usize)) {
        self.shown.truncate(shown);
        self.whole.truncate(whole);
    }

    /// Visits the names in a directory, in order, and of what is below them.
    fn visit(&mut self, mut names: Names, level: usize) {
        let around = self.around.len();
        if self.options.follow {
            self.around.extend(system::status_of(&names.handle).map(|status| status.id()));
        }
        let mut failed = Vec::new();
        names.sort(self.options.order, |name, error| failed.push((name.to_owned(), error)));
        for (name, error) in failed {
            self.fail(&name, error);
        }
        for index in 0..names.slots.len() {
            if self.env.cancel.is_set() {
                break;
            }
            let slot = names.slots[index];
            let name = slot.name(&names.bytes);
            let before = self.push(name);
            let is_directory = slot.kind == Kind::Directory;
            let is_entered = is_directory && level < self.options.depth;
            let found = Found {
                path: Path::new(""),
                level,
                kind: slot.kind,
                is_asked: slot.is_asked,
                is_entered,
                children: None,
                directory: &names.handle,
                name,
            };
            let is_read = is_entered || {
                let found = Found { path: path(&self.shown), ..found };
                is_directory && self.visitor.wants_children(&found)
            };
            let below = is_read.then(|| self.read_below(&names, slot, level, is_entered));
            let children = match &below {
                Some(Ok(below)) => Some(below.slots.len() as u64),
                _ => None,
            };
            self.visitor.entry(&Found { path: path(&self.shown), children, ..found });
            match below {
                Some(Ok(below)) if is_entered => {
                    self.visit(below, level + 1);
                    self.rules.leave(level + 1);
                }
                Some(Err(Some(error))) => self.visitor.failed(error.at(path(&self.shown))),
                _ => {}
            }
            self.go_back(before);
        }
        self.around.truncate(around);
    }

    /// Fails with `None` if the directory no longer exists.
    fn read_below(
        &mut self,
        names: &Names,
        slot: Slot,
        level: usize,
        is_entered: bool,
    ) -> Result<Names, Option<Error>> {
        // Deeper nothing can be opened by its path, and the walk must end.
        if self.whole.len() > LONGEST_PATH {
            return Err(self.failed(Errno::NAMETOOLONG));
        }
        let left_out = self.left_out;
        let handle = match slot.is_linked {
            true => self.env.roots.open_directory(path(&self.shown))?,
            false => {
                let opened = system::open_subdirectory(&names.handle, slot.name(&names.bytes));
                opened.map_err(|error| self.failed(error))?
            }
        };
        let is_circle = slot.is_linked && is_entered && {
            let status = system::status_of(&handle).map_err(|error| self.failed(error))?;
            self.around.contains(&status.id())
        };
        if is_circle {
            let message = "the link leads back to a directory that it is in";
            return Err(Some(Error::new(Code::IoError, message)));
        }
        let is_elsewhere = self.device.is_some_and(|device| {
            system::status_of(&handle).is_ok_and(|status| status.device != device)
        });
        if is_elsewhere {
            return Ok(Names { handle, bytes: Vec::new(), slots: Vec::new() });
        }
        let below = self.read(handle, level + 1).map_err(|error| self.failed(error))?;
        if !is_entered {
            // What is only counted is not what the listing left out.
            self.left_out = left_out;
            self.rules.leave(level + 1);
        }
        Ok(below)
    }

    fn failed(&self, error: Errno) -> Option<Error> {
        (!is_gone(error)).then(|| Error::io(&error.into(), path(&self.shown)))
    }

    /// Says that a name in the directory that is looked at cannot be.
    fn fail(&mut self, name: &OsStr, error: Errno) {
        let before = self.push(name);
        self.visitor.failed(Error::io(&error.into(), path(&self.shown)));
        self.go_back(before);
    }
}

fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

#[cfg(test)]
mod tests;
