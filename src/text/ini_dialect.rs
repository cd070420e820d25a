//! The dialects of INI files. The path of a file determines its dialect.

use std::path::Path;

/// How the programs that read an INI file interpret its lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IniDialect {
    /// Python's configparser: a value continues on lines with a deeper indentation.
    #[default]
    Indented,
    /// An unknown program: like `Indented`, but below a value, an indented `key = value` is a key.
    Unknown,
    /// git: a comment begins anywhere outside double quotes. A value continues after a backslash.
    Git,
    /// systemd: a value contains the whole line, and continues after a backslash.
    Systemd,
    /// Desktop entries and EditorConfig: a value contains the rest of its line.
    Line,
}

impl IniDialect {
    /// Returns the dialect of the INI file with a path.
    pub fn of(path: &Path) -> Self {
        let name = name_of(path);
        let folder = path.parent().map(name_of).unwrap_or_default();
        match extension(&name) {
            "ini" | "cfg" => Self::Indented,
            "flake8" => Self::Indented,
            _ if name.ends_with("rc") || name.starts_with("supervisor") => Self::Indented,
            "gitconfig" | "gitmodules" => Self::Git,
            _ if name == "gitconfig" => Self::Git,
            "desktop" | "editorconfig" => Self::Line,
            "conf" if folder.strip_suffix(".d").is_some_and(is_unit) => Self::Systemd,
            "conf" if path.iter().any(|part| part == "systemd") => Self::Systemd,
            _ if is_unit(&name) => Self::Systemd,
            _ if name == "config" && path.iter().any(|part| part == ".git" || part == "git") => {
                Self::Git
            }
            _ => Self::Unknown,
        }
    }
}

/// Returns the file name in lower case.
fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Whether a name, in lower case, is that of a unit of systemd.
fn is_unit(name: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        "service",
        "socket",
        "timer",
        "mount",
        "automount",
        "swap",
        "target",
        "path",
        "slice",
        "scope",
        "network",
        "netdev",
        "link",
        "nspawn",
    ];
    EXTENSIONS.contains(&extension(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_determines_the_dialect() {
        for (path, dialect) in [
            ("setup.cfg", IniDialect::Indented),
            ("a/Tox.INI", IniDialect::Indented),
            ("git/config", IniDialect::Git),
            ("a/.git/config", IniDialect::Git),
            (".gitmodules", IniDialect::Git),
            ("work.gitconfig", IniDialect::Git),
            ("a@b.service", IniDialect::Systemd),
            ("ssh.service.d/override.conf", IniDialect::Systemd),
            ("/etc/systemd/journald.conf", IniDialect::Systemd),
            ("app.desktop", IniDialect::Line),
            (".editorconfig", IniDialect::Line),
            ("conf.d/a.conf", IniDialect::Unknown),
            ("config", IniDialect::Unknown),
            ("-", IniDialect::Unknown),
        ] {
            assert_eq!(IniDialect::of(Path::new(path)), dialect, "{path}");
        }
    }
}
