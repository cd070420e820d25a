//! Copies owner, mode and extended attributes, such as access control lists, from a file to the
//! file that replaces it. If this fails for one of them, the file is not replaced.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};

use rustix::fs::{Gid, Mode, Uid, fchmod, fchown};
use rustix::io::{Errno, retry_on_intr as retry};
use xattr::FileExt;

use crate::error::{Error, Hint};
use crate::options::IN_PLACE;
use crate::system::{Status, is_lacking, system_error};

/// Attributes that the kernel computes from the bytes of a file.
const OF_THE_BYTES: [&str; 2] = ["security.ima", "security.evm"];

/// Returns the hint for a new file that cannot have the attributes of the old one.
pub(super) fn in_place_hint() -> Hint {
    Hint::with_switch(IN_PLACE).why("to write into the file itself")
}

/// The names and values of the extended attributes of a file.
pub(super) type Attributes = Vec<(OsString, Vec<u8>)>;

/// Copies owner, extended attributes and mode to `new`, whose status is `new_status`, from a file
/// with the given status and attributes.
///
/// # Errors
///
/// Fails if one of them cannot be set. The error does not contain a path.
pub(super) fn carry_over(
    (status, attributes): (&Status, &Attributes),
    (new, new_status): (&File, &Status),
) -> Result<(), Error> {
    if new_status.user != status.user || new_status.group != status.group {
        let user = (new_status.user != status.user).then(|| Uid::from_raw(status.user));
        let group = (new_status.group != status.group).then(|| Gid::from_raw(status.group));
        retry(|| fchown(new, user, group)).map_err(|error| {
            let owner = format!("owner ({}:{})", status.user, status.group);
            loss_error(&owner, error)
        })?;
    }
    set_attributes(new, attributes)?;
    // The mode comes last, because a change of the owner or of an access control list changes it.
    let mode = Mode::from_raw_mode(status.mode as _);
    retry(|| fchmod(new, mode)).map_err(|error| loss_error("mode", error))
}

fn loss_error(what: &str, error: impl Into<io::Error>) -> Error {
    system_error(&format!("a new file could not keep its {what}"), error).hint(in_place_hint())
}

/// Makes a call that reads or sets an attribute. Repeats calls that are interrupted by a signal.
fn retry_call<T>(name: &OsStr, call: impl Fn() -> io::Result<T>) -> Result<T, Error> {
    let error = loop {
        match call() {
            Ok(value) => return Ok(value),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => break error,
        }
    };
    Err(match name.to_str() {
        Some("system.posix_acl_access") => loss_error("access control list", error),
        _ => loss_error(&format!("attribute {}", name.to_string_lossy()), error),
    })
}

/// Whether the file system has no extended attributes.
fn is_unsupported(error: &io::Error) -> bool {
    Errno::from_io_error(error).is_some_and(is_lacking)
}

/// Returns the extended attributes of a file, except for those of its bytes.
pub(super) fn attributes(file: &File) -> Result<Attributes, Error> {
    let names = loop {
        match file.list_xattr() {
            Ok(names) => break names,
            Err(error) if is_unsupported(&error) => return Ok(Vec::new()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(loss_error("extended attributes", error)),
        }
    };
    let names = names.filter(|name| OF_THE_BYTES.iter().all(|other| name != other));
    let with_value = |name: OsString| {
        // If another program has removed the attribute since it was listed, there is no value.
        let value = retry_call(&name, || file.get_xattr(&name)).transpose()?;
        Some(value.map(|value| (name, value)))
    };
    names.filter_map(with_value).collect()
}

fn set_attributes(file: &File, attributes: &Attributes) -> Result<(), Error> {
    let current = self::attributes(file)?;
    let is_kept = |name: &OsString| attributes.iter().any(|(other, _)| other == name);
    for (name, _) in current.iter().filter(|(name, _)| !is_kept(name)) {
        retry_call(name, || file.remove_xattr(name))?;
    }
    for (name, value) in attributes.iter().filter(|attribute| !current.contains(attribute)) {
        retry_call(name, || file.set_xattr(name, value))?;
    }
    Ok(())
}
