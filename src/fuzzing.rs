//! Internals that fuzz targets call. This module is compiled only with `cfg(fuzzing)` and is not
//! part of the public API.

use std::path::Path;

use folio_files::env::Env;
use folio_files::error::Error;
use folio_files::roots::Roots;
use folio_files::state::StateDirectory;

pub use crate::mcp::judged;

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

/// Returns an environment confined to `directory`, with a history and a cache in `state`.
///
/// # Errors
///
/// Fails if the directory cannot be opened.
pub fn env(directory: &Path, state: &Path) -> Result<Env, Error> {
    let roots = Roots::from_directory(directory)?.below(&[directory.into()], false)?;
    Ok(Env {
        roots,
        state: Some(StateDirectory::at(state)),
        cache: Some(StateDirectory::at(state.join("cache"))),
        undo: true,
        threads: Some(1),
        ..Env::default()
    })
}
