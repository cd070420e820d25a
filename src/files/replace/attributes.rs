//! Copies owner, mode and extended attributes, such as access control lists, from a file to the
//! file that replaces it. If this fails for one of them, the file is not replaced.

use std::fs::File;

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use rustix::buffer::spare_capacity;
use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};
use rustix::io::{Errno, retry_on_intr as retry};

use crate::error::{Error, Hint};
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
use crate::files::system;
use crate::files::system::{Status, system_error};

/// Maximum size in bytes of an attribute, and of the list of attribute names.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
const MAX_SIZE: usize = 64 * 1024;

/// Size in bytes of most lists of attribute names.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
const FEW: usize = 256;

/// Attributes that the kernel computes from the bytes of a file.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
const OF_THE_BYTES: &[&[u8]] = &[b"security.ima", b"security.evm"];

/// Returns the hint for a new file that cannot have the attributes of the old one.
pub(super) fn in_place_hint() -> Hint {
    Hint::flag(["--in-place"]).why("to write into the file itself")
}

/// The names and values of the extended attributes of a file.
pub(super) type Attributes = Vec<(Vec<u8>, Vec<u8>)>;

/// Copies owner, extended attributes and mode to `new`, whose status is `own`, from a file with the
/// given status and attributes.
///
/// # Errors
///
/// Fails if one of them cannot be set. The error does not contain a path.
pub(super) fn carry_over(
    (status, attributes): (&Status, &Attributes),
    (new, own): (&File, &Status),
) -> Result<(), Error> {
    if own.user != status.user || own.group != status.group {
        let user = (own.user != status.user).then(|| Uid::from_raw(status.user));
        let group = (own.group != status.group).then(|| Gid::from_raw(status.group));
        retry(|| fchown(new, user, group)).map_err(|error| {
            let owner = format!("owner ({}:{})", status.user, status.group);
            lost(&owner, error)
        })?;
    }
    set_attributes(new, attributes)?;
    // The mode comes last, because a change of the owner or of an access control list changes it.
    let mode = Mode::from_raw_mode(status.mode as _);
    retry(|| fchmod(new, mode)).map_err(|error| lost("mode", error))
}

fn lost(what: &str, error: Errno) -> Error {
    system_error(&format!("a new file could not keep its {what}"), error).hint(in_place_hint())
}

/// Returns the error for an attribute that cannot be read or set.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn attribute_lost(name: &[u8], error: Errno) -> Error {
    match name {
        b"system.posix_acl_access" => lost("access control list", error),
        name => lost(&format!("attribute {}", String::from_utf8_lossy(name)), error),
    }
}

/// Returns the extended attributes of a file.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn attributes(file: &File) -> Result<Attributes, Error> {
    let with_value = |name: Vec<u8>| match value(file, &name) {
        Ok(value) => Ok((name, value)),
        Err(error) => Err(attribute_lost(&name, error)),
    };
    names(file)?.into_iter().map(with_value).collect()
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn set_attributes(file: &File, attributes: &Attributes) -> Result<(), Error> {
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr};
    let own = names(file)?;
    let is_kept = |name: &Vec<u8>| attributes.iter().any(|(other, _)| other == name);
    for name in own.iter().filter(|name| !is_kept(name)) {
        let removed = retry(|| fremovexattr(file, name.as_slice()));
        removed.map_err(|error| attribute_lost(name, error))?;
    }
    for (name, value) in attributes {
        if own.contains(name) && self::value(file, name).is_ok_and(|own| own == *value) {
            continue;
        }
        let set = retry(|| fsetxattr(file, name.as_slice(), value, XattrFlags::empty()));
        set.map_err(|error| attribute_lost(name, error))?;
    }
    Ok(())
}

/// Returns the names of a file's extended attributes, except for those of its bytes.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn names(file: &File) -> Result<Vec<Vec<u8>>, Error> {
    // The system allocates as much memory as the buffer has, and most files have no attributes.
    let mut list = Vec::with_capacity(FEW);
    let mut listed = retry(|| rustix::fs::flistxattr(file, spare_capacity(&mut list)));
    if listed == Err(Errno::RANGE) {
        list.reserve_exact(MAX_SIZE);
        listed = retry(|| rustix::fs::flistxattr(file, spare_capacity(&mut list)));
    }
    match listed {
        Ok(_) => {
            let names = list.split(|&byte| byte == 0);
            let names = names.filter(|name| !name.is_empty() && !OF_THE_BYTES.contains(name));
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
pub(super) fn attributes(_: &File) -> Result<Attributes, Error> {
    Ok(Vec::new())
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn set_attributes(_: &File, _: &Attributes) -> Result<(), Error> {
    Ok(())
}
