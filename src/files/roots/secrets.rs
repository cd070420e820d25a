//! Names of files that may hold secrets: what a model is not to see unless it
//! is allowed to.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// Whether a path has a name in it that may hold secrets. The ignore file of a
/// repository holds none, and listings need it.
pub fn names(path: &Path) -> bool {
    let path = match path.ends_with(".git/info/exclude") {
        true => path.ancestors().nth(3).unwrap_or(path),
        false => path,
    };
    path.components().any(|part| matches!(part, Component::Normal(name) if is_secret(name)))
}

/// Whether what has this name may hold secrets: repositories, environments, keys.
/// Some file systems take `.ENV` for `.env`.
pub fn is_secret(name: &OsStr) -> bool {
    let name = &*name.as_bytes().to_ascii_lowercase();
    let is_key = name.ends_with(b".pem") || name.ends_with(b".key") || name.starts_with(b"id_");
    name == b".git" || name.starts_with(b".env") || is_key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        for path in [
            "a/.git/config",
            ".git",
            ".env",
            ".env.local",
            "x/id_rsa",
            "a.pem",
            "b.key",
            ".Git/config",
            ".ENV",
            "A.PEM",
            "ID_RSA",
            ".git/info/exclude/x",
        ] {
            assert!(names(Path::new(path)), "{path}");
        }
        for path in
            ["a.md", ".gitignore", "env", "keys/a.md", "/", "..", "valid_x", "a/.git/info/exclude"]
        {
            assert!(!names(Path::new(path)), "{path}");
        }
    }
}
