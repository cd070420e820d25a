//! What a command reads beside its documents: lists, batches, edits, content.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

use crate::error::Error;
use crate::files::env::Env;
use crate::files::pipe::Input;

/// All of a file, or of standard input for `-`.
pub fn whole_input(file: &OsStr, env: &Env) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let result = if file == "-" {
        env.open_stdin()?.read_to_end(&mut bytes).map(|_| ())
    } else {
        Input::open(Path::new(file), env)?.read_to_end(&mut bytes).map(|_| ())
    };
    result.map_err(|error| Error::io(&error, Path::new(file)))?;
    Ok(bytes)
}
