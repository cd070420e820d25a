//! Copies owner, mode and extended attributes, such as access control lists, from a file to the
//! file that replaces it. If this fails for one of them, the file is not replaced.

use std::fs::File;

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use rustix::buffer::spare_capacity;
use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};
use rustix::io::{Errno, retry_on_intr as retry};

use crate::error::{Error, Hint};
use crate::files::system::{self, Status, system_error};

/// Maximum size in bytes of an attribute, and of the list of attribute names.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
const MAX_SIZE: usize = 64 * 1024;

/// Attributes that the kernel computes from the bytes of a file.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
const OF_THE_BYTES: &[&[u8]] = &[b"security.ima", b"security.evm"];

/// Returns the hint for a new file that cannot have the attributes of the old one.
pub(super) fn in_place_hint() -> Hint {
    Hint::flag(["--in-place"]).why("to write into the file itself")
}

/// Copies owner, extended attributes and mode from `old`, which has the given status, to `new`.
///
/// # Errors
///
/// Fails if one of them cannot be set. The error does not contain a path.
pub(super) fn carry_over(old: &File, status: &Status, new: &File) -> Result<(), Error> {
    let own = system::status_of(new).map_err(|error| lost("mode", error))?;
    if own.user != status.user || own.group != status.group {
        let user = (own.user != status.user).then(|| Uid::from_raw(status.user));
        let group = (own.group != status.group).then(|| Gid::from_raw(status.group));
        retry(|| fchown(new, user, group)).map_err(|error| {
            let owner = format!("owner ({}:{})", status.user, status.group);
            lost(&owner, error)
        })?;
    }
    carry_attributes(old, new)?;
    // The mode comes last, because a change of the owner or of an access control list changes it.
    let mode = Mode::from_raw_mode(status.mode as _);
    retry(|| fchmod(new, mode)).map_err(|error| lost("mode", error))
}

fn lost(what: &str, error: Errno) -> Error {
    system_error(&format!("a new file could not keep its {what}"), error).hint(in_place_hint())
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn carry_attributes(old: &File, new: &File) -> Result<(), Error> {
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr};
    let fails = |name: &[u8]| {
        let name = match name {
            b"system.posix_acl_access" => "access control list".to_owned(),
            name => format!("attribute {}", String::from_utf8_lossy(name)),
        };
        move |error| lost(&name, error)
    };
    let (of_old, of_new) = (names(old)?, names(new)?);
    for name in of_new.iter().filter(|name| !of_old.contains(name)) {
        retry(|| fremovexattr(new, name.as_slice())).map_err(fails(name))?;
    }
    for name in of_old.iter().filter(|name| !OF_THE_BYTES.contains(&name.as_slice())) {
        let value = value(old, name).map_err(fails(name))?;
        if of_new.contains(name) && self::value(new, name).is_ok_and(|own| own == value) {
            continue;
        }
        let flags = XattrFlags::empty();
        retry(|| fsetxattr(new, name.as_slice(), &value, flags)).map_err(fails(name))?;
    }
    Ok(())
}

/// Returns the names of a file's extended attributes.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn names(file: &File) -> Result<Vec<Vec<u8>>, Error> {
    let mut list = Vec::with_capacity(MAX_SIZE);
    match retry(|| rustix::fs::flistxattr(file, spare_capacity(&mut list))) {
        Ok(_) => {
            let names = list.split(|&byte| byte == 0).filter(|name| !name.is_empty());
            Ok(names.map(<[u8]>::to_vec).collect())
        }
        Err(error) if system::is_lacking(error) => Ok(Vec::new()),
        Err(error) => Err(lost("extended attributes", error)),
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn value(file: &File, name: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut value = Vec::with_capacity(MAX_SIZE);
    retry(|| rustix::fs::fgetxattr(file, name, spare_capacity(&mut value)))?;
    Ok(value)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn carry_attributes(_old: &File, _new: &File) -> Result<(), Error> {
    Ok(())
}
