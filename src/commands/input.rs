//! What a command reads beside its documents: lists, batches, edits, content.

use std::ffi::OsStr;
use std::io::Read;
use std::path::Path;

use super::output::Output;
use crate::error::Error;
use crate::files::pipe::Waiting;
use crate::files::roots::Roots;

/// All of a file, or of standard input for `-`.
pub fn whole_input(file: &OsStr, roots: &Roots, output: &mut dyn Output) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let result = if file == "-" {
        output.stdin().read_to_end(&mut bytes).map(|_| ())
    } else {
        let mut input = roots.open_input(Path::new(file), &Waiting::default())?;
        input.read_to_end(&mut bytes).map(|_| ())
    };
    result.map_err(|error| Error::io(&error, Path::new(file)))?;
    Ok(bytes)
}
