//! Reads the configuration files of site generators.

use std::io::Read;
use std::path::Path;

use folio_files::env::Env;
use folio_keys::{Syntax, Tree};

/// Maximum number of bytes of a configuration file to read.
const MAX_CONFIG: u64 = 1 << 20;

/// Returns the beginning of a configuration file, or `None` if it cannot be read.
pub(super) fn read(file: &Path, env: &Env) -> Option<String> {
    let mut text = String::new();
    env.roots.open_file(file).ok()?.take(MAX_CONFIG).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Reads a configuration file that is a tree of keys.
pub(super) fn read_tree(file: &Path, env: &Env) -> Option<Tree> {
    let syntax = match file.extension()?.to_str()? {
        "toml" => Syntax::Toml,
        "yaml" | "yml" => Syntax::Yaml,
        "json" => Syntax::Json,
        _ => return None,
    };
    folio_keys::parse(syntax, read(file, env)?.as_bytes()).ok()
}
