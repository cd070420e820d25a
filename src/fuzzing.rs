//! Internals that fuzz targets call. This module is compiled only with `cfg(fuzzing)` and is not
//! part of the public API.

use std::path::Path;

use folio_files::env::Env;
use folio_files::error::Error;
use folio_files::roots::Roots;
use folio_files::state::StateDirectory;
#[cfg(feature = "search")]
use folio_search::storage::Storage;

use crate::commands::host::Host;
pub use crate::mcp::check_message;

/// `folio undo` and `folio redo`.
pub mod undo {
    pub use crate::commands::undo::args::UndoArgs;
    pub use crate::commands::undo::run::run;
}

/// `folio search`.
#[cfg(feature = "search")]
pub mod search {
    pub use crate::commands::collection_search::args::SearchArgs;
    pub use crate::commands::collection_search::run::run;
}

/// Returns a host confined to `directory`, with a history and a cache in `state`.
///
/// # Errors
///
/// Fails if the directory cannot be opened.
pub fn host(directory: &Path, state: &Path) -> Result<Host, Error> {
    let roots = Roots::from_directory(directory)?.with_roots(&[directory.into()], false)?;
    let history = Some(StateDirectory::new(state));
    let env = Env { roots, state: history, undo: true, threads: Some(1), ..Env::default() };
    let host = Host::from(env);
    #[cfg(feature = "search")]
    let host = {
        let cache = Some(StateDirectory::new(state.join("cache")));
        Host { storage: Storage { cache, ..Storage::default() }, ..host }
    };
    Ok(host)
}
