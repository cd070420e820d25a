//! Recognizes names of files that may contain secrets. A model may access such a file only if the
//! user allows it explicitly.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

/// Whether one of the names in a path is that of a file that may contain secrets.
/// `.git/info/exclude` is an exception, because listings need it.
pub fn has_secret_name(path: &Path) -> bool {
    let path = if path.ends_with(".git/info/exclude") {
        path.ancestors().nth(3).unwrap_or(path)
    } else {
        path
    };
    path.components().any(|part| matches!(part, Component::Normal(name) if is_secret(name)))
}

/// Whether a file with this name may contain secrets, such as a repository, an environment or a
/// key. Ignores case, because some file systems do.
pub fn is_secret(name: &OsStr) -> bool {
    let name = &*name.as_bytes().to_ascii_lowercase();
    let is_key = name.ends_with(b".pem") || name.ends_with(b".key") || name.starts_with(b"id_");
    name == b".git" || name.starts_with(b".env") || is_key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_recognized_by_name() {
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
            assert!(has_secret_name(Path::new(path)), "{path}");
        }
        for path in
            ["a.md", ".gitignore", "env", "keys/a.md", "/", "..", "valid_x", "a/.git/info/exclude"]
        {
            assert!(!has_secret_name(Path::new(path)), "{path}");
        }
    }
}
