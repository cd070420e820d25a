//! `folio --install DIR`: creates a link to the binary for every command.

// The module creates links to the binary and does not access documents.
#![allow(clippy::disallowed_methods)]

use std::io;
use std::path::Path;

use super::subcommands::SUBCOMMANDS;
use folio_files::error::{Code, Error};

/// Creates `folio-NAME` links in `directory`. Returns the names of the new links, and the names of
/// the links that already existed.
pub(super) fn install(directory: &Path) -> Result<(Vec<String>, Vec<String>), Error> {
    let binary = std::env::current_exe().map_err(|error| Error::io(&error, Path::new("folio")))?;
    std::fs::create_dir_all(directory).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Error::new(Code::NotADirectory, "Not a directory").at(directory)
        }
        _ => Error::io(&error, directory),
    })?;
    let mut made = Vec::new();
    let mut kept = Vec::new();
    for command in SUBCOMMANDS {
        let name = format!("folio-{}", command.name);
        let link = directory.join(&name);
        match std::os::unix::fs::symlink(&binary, &link) {
            Ok(()) => made.push(name),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let is_linked = std::fs::read_link(&link).is_ok_and(|target| target == binary);
                if !is_linked {
                    return Err(Error::new(
                        Code::InvalidArgument,
                        "it already exists and is not a link to this program",
                    )
                    .at(&link)
                    .hint("remove it, or choose another directory"));
                }
                kept.push(name);
            }
            Err(error) => return Err(Error::io(&error, &link)),
        }
    }
    Ok((made, kept))
}
