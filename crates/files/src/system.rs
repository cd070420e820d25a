//! System calls that the standard library does not offer, relative to handles of directories, with
//! fallbacks for systems that lack them. Calls interrupted by a signal are repeated.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use rustix::fs::RenameFlags;
use rustix::fs::{self, Access, AtFlags, CWD, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::{Errno, retry_on_intr as retry};

pub use super::records::Identity;
use crate::error::Error;

/// The result of a system call.
pub type Outcome<T> = Result<T, Errno>;

/// Returns the error of a system call, with its purpose as a prefix. If a file has become shorter,
/// the error is that it has changed.
pub fn system_error(what: &str, error: impl Into<io::Error>) -> Error {
    let error = error.into();
    if error.kind() == io::ErrorKind::UnexpectedEof {
        return Error::changed();
    }
    let error = Error::io(&error, Path::new("")).after(format!("{what}: "));
    Error { path: None, ..error }
}

/// Flags for examining a file without reading it. Opening does not block.
#[cfg(target_os = "linux")]
pub const LOOK: OFlags = OFlags::PATH;
/// Flags for examining a file without reading it. Opening does not block.
#[cfg(not(target_os = "linux"))]
pub const LOOK: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// The identity of a file: its device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The inode.
    pub inode: u64,
}

/// The status of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The device that contains the file.
    pub device: u64,
    /// The identity and state of the file.
    pub identity: Identity,
    /// The kind of file.
    pub kind: FileType,
    /// Permission bits, including set-user-ID, set-group-ID and sticky.
    pub mode: u32,
    /// The user who owns the file.
    pub user: u32,
    /// The group that owns the file.
    pub group: u32,
    /// Number of hard links.
    pub links: u64,
    /// Time of the last change of the inode, in seconds since 1970 and nanoseconds. Renaming a file
    /// also changes it.
    pub ctime: (i64, u32),
}

impl Status {
    /// Whether both statuses belong to the same file.
    pub fn is_same_file(&self, other: &Self) -> bool {
        self.id() == other.id()
    }

    /// Returns the identity of the file.
    pub fn id(&self) -> FileId {
        FileId { device: self.device, inode: self.identity.inode }
    }

    /// Whether the times are so recent that another change might not alter them, because the clocks
    /// of file systems are not precise.
    pub fn is_fresh(&self) -> bool {
        const SECONDS: Duration = Duration::from_secs(3);
        const TICKS: Duration = Duration::from_millis(20);
        let changed = self.identity.mtime.max(self.ctime);
        let counts_seconds = self.identity.mtime.1 == 0 && self.ctime.1 == 0;
        let since = u64::try_from(changed.0)
            .ok()
            .map(|seconds| std::time::UNIX_EPOCH + Duration::new(seconds, changed.1));
        let age = since.and_then(|since| since.elapsed().ok());
        age.is_none_or(|age| age < if counts_seconds { SECONDS } else { TICKS })
    }
}

// The types of the fields differ between systems.
#[allow(clippy::unnecessary_cast)]
fn status(stat: &Stat) -> Status {
    Status {
        device: stat.st_dev as u64,
        identity: Identity {
            inode: stat.st_ino as u64,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as u32),
        },
        kind: FileType::from_raw_mode(stat.st_mode),
        mode: stat.st_mode as u32 & 0o7777,
        user: stat.st_uid as u32,
        group: stat.st_gid as u32,
        links: stat.st_nlink as u64,
        ctime: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
    }
}

/// Returns the status of an open file.
pub fn status_of(file: impl AsFd) -> Outcome<Status> {
    retry(|| fs::fstat(&file)).map(|stat| status(&stat))
}

/// Returns the status of a name in a directory. Does not follow symlinks.
pub fn status_at(directory: impl AsFd, name: &OsStr) -> Outcome<Status> {
    retry(|| fs::statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW)).map(|stat| status(&stat))
}

/// Returns the status of a path. Follows symlinks.
pub fn status_of_path(path: &Path) -> Outcome<Status> {
    retry(|| fs::stat(path)).map(|stat| status(&stat))
}

/// Flags for reading without waiting for the writer of a FIFO.
pub const TO_READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Opens a name in a directory. Follows symlinks unless the flags exclude it.
pub fn open_at(directory: impl AsFd, name: &OsStr, flags: OFlags) -> Outcome<OwnedFd> {
    with_more_handles(|| fs::openat(&directory, name, flags | OFlags::CLOEXEC, Mode::empty()))
}

/// Opens a path.
pub fn open_path(path: &Path, flags: OFlags) -> Outcome<OwnedFd> {
    open_at(CWD, path.as_os_str(), flags)
}

/// Makes calls on a handle blocking again, which devices need.
pub fn set_blocking(file: &File) -> Outcome<()> {
    let flags = retry(|| fs::fcntl_getfl(file))?;
    retry(|| fs::fcntl_setfl(file, flags - OFlags::NONBLOCK))
}

/// Waits until data is available or the end is reached. Returns `false` on a timeout.
pub fn wait_to_read(file: &File, time: Duration) -> Outcome<bool> {
    let time = Timespec::try_from(time).map_err(|_| Errno::INVAL)?;
    let mut polled = [PollFd::new(file, PollFlags::IN)];
    match poll(&mut polled, Some(&time)) {
        Err(Errno::INTR) => Ok(false),
        ready => ready.map(|count| count > 0),
    }
}

/// Whether a pipe is anonymous, not a FIFO.
#[cfg(target_os = "linux")]
pub fn is_nameless_pipe(file: &File) -> bool {
    const PIPEFS_MAGIC: u64 = 0x5049_5045;
    retry(|| fs::fstatfs(file)).is_ok_and(|system| system.f_type as u64 == PIPEFS_MAGIC)
}

/// Whether a pipe is anonymous, not a FIFO. This system cannot determine it.
#[cfg(not(target_os = "linux"))]
pub fn is_nameless_pipe(_: &File) -> bool {
    false
}

/// Opens a directory in another directory. Does not follow symlinks.
pub fn open_subdirectory(directory: impl AsFd, name: &OsStr) -> Outcome<OwnedFd> {
    open_at(directory, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW)
}

/// Calls `each` with the names in a directory, in no particular order, and with the kind of each
/// entry if the listing includes it. A handle can be listed only once.
#[cfg(target_os = "linux")]
pub fn each_name(directory: impl AsFd, mut each: impl FnMut(&OsStr, FileType)) -> Outcome<()> {
    let mut buffer = Vec::with_capacity(32 * 1024);
    let mut entries = fs::RawDir::new(directory, buffer.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        match entry {
            Ok(entry) => name_of_entry(entry.file_name(), entry.file_type(), &mut each),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Calls `each` with the names in a directory, in no particular order, and with the kind of each
/// entry if the listing includes it.
#[cfg(not(target_os = "linux"))]
pub fn each_name(directory: impl AsFd, mut each: impl FnMut(&OsStr, FileType)) -> Outcome<()> {
    for entry in with_more_handles(|| fs::Dir::read_from(&directory))? {
        let entry = entry?;
        name_of_entry(entry.file_name(), entry.file_type(), &mut each);
    }
    Ok(())
}

fn name_of_entry(name: &CStr, kind: FileType, each: &mut impl FnMut(&OsStr, FileType)) {
    let name = name.to_bytes();
    if name != b"." && name != b".." {
        each(OsStr::from_bytes(name), kind);
    }
}

/// Returns the kind of file that a name refers to. Does not follow symlinks.
pub fn kind_behind(directory: impl AsFd, name: &OsStr) -> Outcome<FileType> {
    let stat = retry(|| fs::statat(&directory, name, AtFlags::empty()))?;
    Ok(FileType::from_raw_mode(stat.st_mode))
}

/// Whether a name is a mount point. The name and its directory must be on different devices.
#[cfg(target_os = "linux")]
pub fn is_mount_point(directory: impl AsFd, name: &OsStr) -> bool {
    let (flags, root) = (AtFlags::SYMLINK_NOFOLLOW, fs::StatxAttributes::MOUNT_ROOT);
    retry(|| fs::statx(&directory, name, flags, fs::StatxFlags::empty())).map_or(true, |seen| {
        // Linux reports this only since version 5.8.
        !seen.stx_attributes_mask.contains(root) || seen.stx_attributes.contains(root)
    })
}

/// Whether a name is a mount point. The name and its directory must be on different devices.
#[cfg(not(target_os = "linux"))]
pub fn is_mount_point(_directory: impl AsFd, _name: &OsStr) -> bool {
    true
}

/// Opens a file for reading and, with `write`, for writing. Does not wait for the writer of a FIFO,
/// and does not follow symlinks.
pub fn open_file(directory: impl AsFd, name: &OsStr, write: bool) -> Outcome<File> {
    let access = if write { OFlags::RDWR } else { OFlags::RDONLY };
    open_at(directory, name, access | TO_READ | OFlags::NOFOLLOW).map(File::from)
}

/// Calls `open`. If too many files are open, raises the limit to its maximum and calls `open`
/// again.
pub fn with_more_handles<T>(open: impl Fn() -> Outcome<T>) -> Outcome<T> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    match retry(&open) {
        Err(Errno::MFILE) => {
            let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
            if current != maximum {
                setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
            }
            retry(&open)
        }
        opened => opened,
    }
}

/// Creates a file. Fails if the name exists.
pub fn create_file(directory: impl AsFd, name: &OsStr, mode: u32) -> Outcome<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(mode as _);
    with_more_handles(|| fs::openat(&directory, name, flags, mode)).map(File::from)
}

/// Returns the path of an open file, if the system provides it.
pub fn path_of(file: impl AsFd) -> Option<std::path::PathBuf> {
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStringExt;
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    let text = retry(|| fs::readlinkat(CWD, path.as_str(), Vec::new())).ok()?;
    Some(std::ffi::OsString::from_vec(text.into_bytes()).into())
}

/// Creates a hard link. Fails if the new name exists.
pub fn link(directory: impl AsFd, old: &OsStr, new: &OsStr) -> Outcome<()> {
    retry(|| fs::linkat(&directory, old, &directory, new, AtFlags::empty()))
}

/// Returns the target of a symlink.
pub fn read_link_text(directory: impl AsFd, name: &OsStr) -> Outcome<Vec<u8>> {
    retry(|| fs::readlinkat(&directory, name, Vec::new())).map(std::ffi::CString::into_bytes)
}

/// Creates a directory.
pub fn create_directory(directory: impl AsFd, name: &OsStr) -> Outcome<()> {
    retry(|| fs::mkdirat(&directory, name, Mode::from_raw_mode(0o777)))
}

/// Removes an empty directory.
pub fn remove_directory(directory: impl AsFd, name: &OsStr) -> Outcome<()> {
    retry(|| fs::unlinkat(&directory, name, AtFlags::REMOVEDIR))
}

/// Removes a name.
pub fn unlink(directory: impl AsFd, name: &OsStr) -> Outcome<()> {
    retry(|| fs::unlinkat(&directory, name, AtFlags::empty()))
}

/// Renames a file, replacing the file with the new name.
pub fn rename(directory: impl AsFd, old: &OsStr, new: &OsStr) -> Outcome<()> {
    retry(|| fs::renameat(&directory, old, &directory, new))
}

/// Exchanges two names in one atomic operation.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub fn exchange(directory: impl AsFd, first: &OsStr, second: &OsStr) -> Outcome<()> {
    retry(|| fs::renameat_with(&directory, first, &directory, second, RenameFlags::EXCHANGE))
}

/// Exchanges two names; not supported on this system.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub fn exchange(_directory: impl AsFd, _first: &OsStr, _second: &OsStr) -> Outcome<()> {
    Err(Errno::NOSYS)
}

/// Renames a file that no other program accesses. Fails if the new name exists.
pub fn rename_to_free(directory: impl AsFd, old: &OsStr, new: &OsStr) -> Outcome<()> {
    match rename_without_replacing(&directory, old, new) {
        Err(error) if is_lacking(error) => {}
        renamed => return renamed,
    }
    link(&directory, old, new)?;
    unlink(&directory, old).inspect_err(|_| {
        let _ = unlink(&directory, new);
    })
}

/// Renames a file to a temporary name. Fails if the new name exists, unless the file system cannot
/// check this.
pub fn rename_to_temporary(directory: impl AsFd, old: &OsStr, new: &OsStr) -> Outcome<()> {
    match rename_without_replacing(&directory, old, new) {
        // `link` and `unlink` would delete a file that another program creates under the old name
        // in between. The temporary name is random, so no other file has it.
        Err(error) if is_lacking(error) => rename(directory, old, new),
        renamed => renamed,
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn rename_without_replacing(directory: impl AsFd, old: &OsStr, new: &OsStr) -> Outcome<()> {
    let flags = RenameFlags::NOREPLACE;
    retry(|| fs::renameat_with(&directory, old, &directory, new, flags))
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn rename_without_replacing(_directory: impl AsFd, _old: &OsStr, _new: &OsStr) -> Outcome<()> {
    Err(Errno::NOSYS)
}

/// Whether an error shows that the system or the file system does not support a call.
pub fn is_lacking(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP].contains(&error)
}

/// Fails if the effective user may not write a file. Does not follow symlinks.
pub fn may_write(directory: impl AsFd, name: &OsStr) -> Outcome<()> {
    let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
    let result = retry(|| fs::accessat(&directory, name, Access::WRITE_OK, flags));
    match result {
        // If this call is not supported, writing will fail.
        Err(error) if is_lacking(error) => Ok(()),
        asked => asked,
    }
}

/// Sets the permission bits of an open file.
pub fn set_mode(file: impl AsFd, mode: u32) -> Outcome<()> {
    retry(|| fs::fchmod(&file, Mode::from_raw_mode(mode as _)))
}

/// Waits until the data of a file or directory is on disk.
pub fn sync(file: impl AsFd) -> Outcome<()> {
    retry(|| fs::fsync(&file))
}

/// Whether [`sync_file_system`] makes the files of the file system of an open file as durable as
/// [`sync`], and reports the same errors: in Linux 5.8 and later, for file systems on local disks.
/// Network and FUSE file systems may only pass the data on, and overlays report no errors.
#[cfg(target_os = "linux")]
pub fn syncs_file_system(file: impl AsFd) -> bool {
    /// The numbers of ext2 to ext4, XFS, Btrfs, F2FS and tmpfs, from `linux/magic.h`.
    const LOCAL: [u32; 5] = [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x0102_1994];
    let system = rustix::system::uname();
    let release = system.release().to_str().unwrap_or_default();
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    let is_local = || fs::fstatfs(&file).is_ok_and(|found| LOCAL.contains(&(found.f_type as u32)));
    (numbers.next(), numbers.next()) >= (Some(5), Some(8)) && is_local()
}

#[cfg(not(target_os = "linux"))]
pub fn syncs_file_system(_file: impl AsFd) -> bool {
    false
}

/// Waits until all data of the file system of an open file is on disk. Also reports errors that
/// occurred since the file was opened.
#[cfg(target_os = "linux")]
pub fn sync_file_system(file: impl AsFd) -> Outcome<()> {
    retry(|| fs::syncfs(&file))
}

#[cfg(not(target_os = "linux"))]
pub fn sync_file_system(_file: impl AsFd) -> Outcome<()> {
    Err(Errno::NOSYS)
}

/// Locks a handle exclusively. If the lock is taken, waits if `wait` is set, and otherwise fails.
pub fn lock(file: impl AsFd, wait: bool) -> Outcome<()> {
    let operation =
        if wait { FlockOperation::LockExclusive } else { FlockOperation::NonBlockingLockExclusive };
    retry(|| fs::flock(&file, operation))
}

/// Locks a handle, waiting if necessary. Does nothing if the file system does not support locks.
pub fn lock_if_possible(file: impl AsFd) -> Outcome<()> {
    match lock(file, true) {
        Err(error) if error == Errno::NOLCK || is_lacking(error) => Ok(()),
        locked => locked,
    }
}

/// Releases a lock for all handles that share it.
pub fn unlock(file: impl AsFd) -> Outcome<()> {
    retry(|| fs::flock(&file, FlockOperation::Unlock))
}

/// Returns the ID of the effective user.
pub fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}
