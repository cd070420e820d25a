//! Lists directories entry by entry, in a stable order, with ripgrep's ignore rules. Each entry is
//! examined relative to the handle of its directory. Symlinks are not followed by default.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::FileType;
use rustix::io::Errno;

use super::document::{self, DocumentOptions};
use super::env::Env;
use super::ignore_rules::{Marks, RuleOptions, Rules, Verdict};
use super::system::{self, FileId, Outcome};
use crate::error::{Code, Error};
use folio_outline::document::Document;

/// Options for listing a directory.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Maximum depth of the directories to list. The directory itself is at depth 1.
    pub depth: usize,
    /// The order of the entries within each directory.
    pub order: Order,
    /// Whether to follow symlinks to files and directories.
    pub follow: bool,
    /// Maximum size of a file in bytes. Larger files are skipped.
    pub max_filesize: Option<u64>,
    /// Whether to skip directories on other devices.
    pub one_file_system: bool,
    /// The rules that exclude files.
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

/// The order of the entries of a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By the bytes of the name.
    #[default]
    Name,
    /// Largest file first. Other entries have no size.
    Size,
    /// Most recently modified entry first.
    Modified,
}

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symlink, whatever its target is.
    Symlink,
    /// A FIFO, socket or device.
    Other,
}

impl EntryKind {
    fn from_file_type(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            _ => Self::Other,
        }
    }

    /// Returns the name that results show.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Symlink => "symlink",
            Self::Other => "other",
        }
    }
}

/// The size and modification time of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryFacts {
    /// Size in bytes of a file, or 0 for other entries.
    pub size: u64,
    /// Time of modification, in seconds since 1970 and nanoseconds.
    pub modified: (i64, u32),
}

impl EntryFacts {
    /// Returns the sort key. The entry with the greatest key comes first.
    pub fn key(&self, order: Order) -> (i64, u32) {
        match order {
            Order::Name => (0, 0),
            Order::Size => (i64::try_from(self.size).unwrap_or(i64::MAX), 0),
            Order::Modified => self.modified,
        }
    }
}

/// An entry of a listing.
#[derive(Clone, Copy)]
pub struct ListedEntry<'a> {
    /// The path of the entry: the directory as the user gave it, followed by the names below it.
    pub path: &'a Path,
    /// The depth of the entry. Entries of the listed directory itself have depth 1.
    pub level: usize,
    /// The kind of the entry.
    pub kind: EntryKind,
    /// Whether a glob includes the entry, or no glob includes files.
    pub is_asked: bool,
    /// Whether the contents of this directory are listed next.
    pub is_entered: bool,
    /// Number of entries of a directory, if it was read.
    pub children: Option<u64>,
    directory: &'a OwnedFd,
    name: &'a OsStr,
}

impl ListedEntry<'_> {
    /// Returns the size and modification time. Returns `None` if the entry no longer exists.
    ///
    /// # Errors
    ///
    /// Fails if they cannot be determined.
    pub fn facts(&self) -> Result<Option<EntryFacts>, Error> {
        facts(self.directory, self.name).map_err(|error| Error::io(&error.into(), self.path))
    }

    /// Opens the file as a document. Returns `None` if the file no longer exists.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn document(
        &self,
        options: &DocumentOptions,
        env: &Env,
    ) -> Result<Option<Document>, Error> {
        match system::open_file(self.directory, self.name, false) {
            Ok(file) => document::of_file(self.path, Arc::new(file), options, env).map(Some),
            Err(error) if is_gone(error) => Ok(None),
            Err(error) => Err(Error::io(&error.into(), self.path)),
        }
    }

    /// Returns the file name of the entry.
    pub fn name(&self) -> &OsStr {
        self.name
    }
}

fn facts(directory: &OwnedFd, name: &OsStr) -> Outcome<Option<EntryFacts>> {
    let status = match system::status_at(directory, name) {
        Err(error) if is_gone(error) => return Ok(None),
        status => status?,
    };
    let size = if status.kind.is_file() { status.identity.size } else { 0 };
    Ok(Some(EntryFacts { size, modified: status.identity.mtime }))
}

/// Whether an error shows that an entry was deleted or replaced since it was listed.
fn is_gone(error: Errno) -> bool {
    [Errno::NOENT, Errno::NOTDIR, Errno::LOOP].contains(&error)
}

/// Receives the entries of a listing.
pub trait Visitor {
    /// Whether to count the children of this directory, whose contents are not listed.
    fn wants_children(&mut self, found: &ListedEntry<'_>) -> bool;
    /// Called with each entry that no rule excludes. The contents of a directory follow the
    /// directory immediately.
    fn entry(&mut self, found: &ListedEntry<'_>);
    /// Called with the error for each entry that cannot be examined.
    fn failed(&mut self, error: Error);
    /// Called with the path of each ignore file that folio looked up, even if the file does not
    /// exist.
    fn ignore_file_checked(&mut self, _ignore_file: &Path) {}
}

/// Numbers of excluded entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Number of entries excluded because their names begin with a dot.
    pub hidden: u64,
    /// Number of entries excluded by ignore files.
    pub ignored: u64,
}

/// Calls a visitor with the entries of a directory, and returns the numbers of excluded entries.
pub fn list(
    directory: &Path,
    options: &WalkOptions,
    env: &Env,
    visitor: &mut dyn Visitor,
) -> Result<LeftOut, Error> {
    let handle = env.roots.open_directory(directory)?;
    // The ignore files of parent directories are those of the real path, even if the directory was
    // reached through a symlink.
    let absolute = env.roots.resolve(directory)?;
    let rules = Rules::for_directory(&absolute, &options.rules, &env.roots)?;
    // As in ripgrep, entries found below `.` are displayed without `./`.
    let is_here = directory.as_os_str() == ".";
    let shown = if is_here { Vec::new() } else { directory.as_os_str().as_bytes().to_vec() };
    let device = options.one_file_system.then(|| system::status_of(&handle).ok()).flatten();
    let mut walk = Walk {
        options,
        device: device.map(|status| status.device),
        env,
        rules,
        shown,
        absolute: absolute.into_os_string().into_encoded_bytes(),
        left_out: LeftOut::default(),
        around: Vec::new(),
        visitor,
    };
    let names = walk.read(handle, 1).map_err(|error| Error::io(&error.into(), directory))?;
    walk.visit(names, 1);
    walk.report_rules();
    env.cancel.check()?;
    Ok(walk.left_out)
}

/// The names in a directory that no rule excludes.
struct Names {
    handle: OwnedFd,
    bytes: Vec<u8>,
    slots: Vec<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    start: usize,
    length: u32,
    kind: EntryKind,
    /// Whether the entry is the target of a followed symlink.
    is_linked: bool,
    is_asked: bool,
}

impl Slot {
    fn name<'a>(&self, bytes: &'a [u8]) -> &'a OsStr {
        OsStr::from_bytes(&bytes[self.start..self.start + self.length as usize])
    }
}

impl Names {
    /// Sorts the names. An entry that cannot be examined comes last, and its error is passed to
    /// `failed`.
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

/// Maximum length in bytes of a path that one system call can open.
const LONGEST_PATH: usize = 4095;

struct Walk<'a> {
    options: &'a WalkOptions,
    /// The device to which the listing is restricted, if `one_file_system` is set.
    device: Option<u64>,
    env: &'a Env,
    rules: Rules,
    // The displayed path of the current entry.
    shown: Vec<u8>,
    absolute: Vec<u8>,
    left_out: LeftOut,
    // The identities of the directories that contain the current entry, to detect cycles. Empty
    // unless symlinks are followed.
    around: Vec<FileId>,
    visitor: &'a mut dyn Visitor,
}

impl Walk<'_> {
    /// Reads the current directory. Its rules then apply to its contents, unless the directory
    /// cannot be read.
    fn read(&mut self, handle: OwnedFd, level: usize) -> Outcome<Names> {
        let mut bytes = Vec::new();
        let mut slots: Vec<Slot> = Vec::new();
        let mut marks = Marks::default();
        let mut failed = Vec::new();
        system::each_name(&handle, |name, kind| {
            marks.record_name(name);
            if self.env.roots.hide(name) {
                return;
            }
            let kind = match kind {
                FileType::Unknown => system::status_at(&handle, name).map(|status| status.kind),
                kind => Ok(kind),
            };
            let kind = match kind {
                Ok(kind) => EntryKind::from_file_type(kind),
                Err(error) if is_gone(error) => return,
                Err(error) => return failed.push((name.to_owned(), error)),
            };
            let (start, length) = (bytes.len(), name.len() as u32);
            bytes.extend_from_slice(name.as_bytes());
            slots.push(Slot { start, length, kind, is_linked: false, is_asked: false });
        })?;
        for (name, error) in failed {
            self.report_error(&name, error);
        }
        if self.options.follow {
            slots.retain_mut(|slot| slot.kind != EntryKind::Symlink || self.follow(slot, &bytes));
        }
        if level == 1 {
            self.env.configs.begin_walk(path(&self.shown), path(&self.absolute));
        } else if self.options.follow || marks.change_config() {
            self.env.configs.add_walked(path(&self.shown));
        }
        self.rules.enter(level, &handle, marks, path(&self.absolute));
        self.report_rules();
        slots.retain_mut(|slot| {
            let before = self.push(slot.name(&bytes));
            let verdict = self.rules.judge(
                slot.name(&bytes),
                &self.shown,
                &self.absolute,
                slot.kind == EntryKind::Directory,
            );
            self.go_back(before);
            match verdict {
                Verdict::Taken { is_requested: asked } => slot.is_asked = asked,
                Verdict::Excluded => {}
                Verdict::Ignored => self.left_out.ignored += 1,
                Verdict::Hidden => self.left_out.hidden += 1,
            }
            matches!(verdict, Verdict::Taken { .. })
        });
        Ok(Names { handle, bytes, slots })
    }

    /// Passes to the visitor the ignore files that were looked up, and errors for ignore files that
    /// could not be read.
    fn report_rules(&mut self) {
        self.rules.take_asked().iter().for_each(|path| self.visitor.ignore_file_checked(path));
        self.rules.take_errors().into_iter().for_each(|error| self.visitor.failed(error));
    }

    /// Replaces a symlink with its target. Returns `false` if this is not possible.
    fn follow(&mut self, slot: &mut Slot, names: &[u8]) -> bool {
        let before = self.push(slot.name(names));
        let found = self.env.roots.status(path(&self.shown));
        self.go_back(before);
        slot.is_linked = true;
        match found {
            Ok(status) => slot.kind = EntryKind::from_file_type(status.kind),
            Err(error) => {
                self.visitor.failed(error);
                return false;
            }
        }
        true
    }

    /// Appends a name to the current path. Returns the values that restore the previous path.
    fn push(&mut self, name: &OsStr) -> (usize, usize) {
        let before = (self.shown.len(), self.absolute.len());
        let name = name.as_bytes();
        match self.shown.last() {
            // Without `./`, an operand would be parsed as an option, a collection or a root.
            None if matches!(name.first(), Some(b'-' | b'@'))
                || self.env.roots.is_named(Path::new(OsStr::from_bytes(name))) =>
            {
                self.shown.extend_from_slice(b"./");
            }
            None | Some(b'/') => {}
            Some(_) => self.shown.push(b'/'),
        }
        self.shown.extend_from_slice(name);
        if self.absolute.last() != Some(&b'/') {
            self.absolute.push(b'/');
        }
        self.absolute.extend_from_slice(name);
        before
    }

    fn go_back(&mut self, (shown_length, absolute_length): (usize, usize)) {
        self.shown.truncate(shown_length);
        self.absolute.truncate(absolute_length);
    }

    /// Visits the names of a directory, and the entries below them, in order.
    fn visit(&mut self, mut names: Names, level: usize) {
        let around = self.around.len();
        if self.options.follow {
            self.around.extend(system::status_of(&names.handle).map(|status| status.id()));
        }
        let mut failed = Vec::new();
        names.sort(self.options.order, |name, error| failed.push((name.to_owned(), error)));
        for (name, error) in failed {
            self.report_error(&name, error);
        }
        for index in 0..names.slots.len() {
            if self.env.cancel.is_set() {
                break;
            }
            let slot = names.slots[index];
            let name = slot.name(&names.bytes);
            let before = self.push(name);
            let is_directory = slot.kind == EntryKind::Directory;
            let is_entered = is_directory && level < self.options.depth;
            let found = ListedEntry {
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
                let found = ListedEntry { path: path(&self.shown), ..found };
                is_directory && self.visitor.wants_children(&found)
            };
            let below = is_read.then(|| self.read_below(&names, slot, level, is_entered));
            let children = match &below {
                Some(Ok(below)) => Some(below.slots.len() as u64),
                _ => None,
            };
            self.visitor.entry(&ListedEntry { path: path(&self.shown), children, ..found });
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
        // Files at a greater depth cannot be opened by their path, so the walk must end here.
        if self.absolute.len() > LONGEST_PATH {
            return Err(self.error_unless_gone(Errno::NAMETOOLONG));
        }
        let left_out = self.left_out;
        let handle = if slot.is_linked {
            self.env.roots.open_directory(path(&self.shown))?
        } else {
            let opened = system::open_subdirectory(&names.handle, slot.name(&names.bytes));
            opened.map_err(|error| self.error_unless_gone(error))?
        };
        let is_circle = slot.is_linked && is_entered && {
            let status =
                system::status_of(&handle).map_err(|error| self.error_unless_gone(error))?;
            self.around.contains(&status.id())
        };
        if is_circle {
            let message = "the symlink points to a directory that contains it";
            return Err(Some(Error::new(Code::IoError, message)));
        }
        let is_elsewhere = self.device.is_some_and(|device| {
            system::status_of(&handle).is_ok_and(|status| status.device != device)
        });
        if is_elsewhere {
            return Ok(Names { handle, bytes: Vec::new(), slots: Vec::new() });
        }
        let below = self.read(handle, level + 1).map_err(|error| self.error_unless_gone(error))?;
        if !is_entered {
            // Entries that are only counted do not belong to the excluded entries of this listing.
            self.left_out = left_out;
            self.rules.leave(level + 1);
        }
        Ok(below)
    }

    fn error_unless_gone(&self, error: Errno) -> Option<Error> {
        (!is_gone(error)).then(|| Error::io(&error.into(), path(&self.shown)))
    }

    /// Passes the error for a name in the current directory to the visitor.
    fn report_error(&mut self, name: &OsStr, error: Errno) {
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
