//! What fuzz targets reach of the crate's own. It is there where they are built,
//! with `cfg(fuzzing)`, and no part of what other programs may call.

use std::path::Path;

use crate::error::Error;
use crate::files::env::Env;
use crate::files::roots::Roots;
use crate::files::state::StateDirectory;

pub use crate::mcp::judged;
pub use crate::text::lines::{lines_with_ends, without_end};
pub use crate::text::markdown::front_matter;
pub use crate::text::sections::{IniParser, LineKind, LineParser};

/// `folio undo` and `folio redo`.
pub mod undo {
    pub use crate::commands::undo::run::run;
    pub use crate::commands::undo::{Action, Options};
}

/// For work below a directory and nowhere else, with a history.
///
/// Fails where the directory cannot be opened.
pub fn env(directory: &Path, state: &Path) -> Result<Env, Error> {
    let roots = Roots::from_directory(directory)?.below(&[directory.into()], false)?;
    Ok(Env {
        roots,
        state: Some(StateDirectory::at(state)),
        undo: true,
        threads: Some(1),
        ..Env::default()
    })
}
