//! Asks the kernel to restrict the process if roots were given, before the first document is
//! opened.

use std::ffi::OsString;
use std::path::PathBuf;

use super::env::{home, variable};
use crate::commands::host::Host;
use folio_files::kernel::Allowed;
use folio_files::roots::{RootIdentity, directory_of};
use folio_files::state::StateDirectory;

/// The files to which a command may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// The command writes no files.
    Nothing,
    /// The command writes only to folio's own directories, such as indexes.
    FolioDirectories,
    /// The command also writes to documents.
    Documents,
}

impl Writes {
    /// Returns the files to which a command may write. Returns `None` for a command that is not
    /// restricted, because it runs the user's editor.
    pub(super) fn for_command(command: &str) -> Option<Self> {
        match command {
            "edit" => None,
            "patch" | "undo" | "redo" | "links" => Some(Self::Documents),
            #[cfg(feature = "search")]
            "search" | "related" | "collection" => Some(Self::FolioDirectories),
            _ => Some(Self::Nothing),
        }
    }
}

/// Restricts the process to the given roots and folio's own directories. Returns a sentence that
/// describes the restrictions.
pub(super) fn confine(root_paths: &[OsString], writes: Writes, host: &Host) -> String {
    let unconfined = |why: &str| format!("not confined by the kernel: {why}");
    if root_paths.is_empty() {
        return unconfined("no --root is given");
    }
    if root_paths.iter().any(|root| RootIdentity::identify(root).is_none()) {
        return unconfined("a root is missing, and it may be made later");
    }
    let directories = folio_directories(host);
    if writes != Writes::Nothing {
        // If a directory cannot be created, the code that uses it reports the error.
        directories.clone().for_each(|directory| drop(directory.part("")));
    }
    let directories = directories.map(|directory| directory.path().to_owned());
    let roots = root_paths.iter().map(|root| directory_of(root).to_owned());
    let (mut read, mut write) = (global_ignore_rules(), Vec::new());
    if writes == Writes::Documents { &mut write } else { &mut read }.extend(roots);
    if writes == Writes::Nothing { &mut read } else { &mut write }.extend(directories);
    // Collections in PostgreSQL require TCP.
    let connects = cfg!(feature = "postgres");
    match (Allowed { read, write, connects }).enforce() {
        Some(version) => {
            let is_written = writes == Writes::Documents;
            let what = if is_written { "reads and writes" } else { "reads" };
            let network = if connects { "" } else { "; no TCP" };
            format!("confined by the kernel (Landlock {version}): {what} below the roots{network}")
        }
        None => unconfined("it has no Landlock"),
    }
}

/// Returns folio's own directories, as far as they are known.
fn folio_directories(host: &Host) -> impl Iterator<Item = &StateDirectory> + Clone {
    #[cfg(feature = "search")]
    let directories = [&host.env.state, &host.storage.data, &host.storage.cache];
    #[cfg(not(feature = "search"))]
    let directories = [&host.env.state];
    directories.into_iter().flatten()
}

/// Returns the files that may contain git's ignore rules for all repositories.
fn global_ignore_rules() -> Vec<PathBuf> {
    let home = home().map(PathBuf::from);
    let config_home = variable("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config_home.or_else(|| Some(home.as_ref()?.join(".config")));
    let files = [home.map(|home| home.join(".gitconfig")), config.map(|path| path.join("git"))];
    files.into_iter().flatten().chain(ignore::gitignore::gitconfig_excludes_path()).collect()
}
