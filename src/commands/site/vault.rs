//! Vaults: directories of notes that refer to each other by wiki links, as in Obsidian, Foam and
//! Logseq. A wiki link names its target by the name of the file, wherever in the vault the file is.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use folio_files::env::Env;
use folio_files::ignore_rules::RuleOptions;
use folio_files::listing::WalkOptions;
use folio_files::walk;

/// The value of `--site` that makes folio resolve wiki links without a detected vault.
pub const WIKI: &str = "wiki";

/// The files that identify the root of a vault, each with the name of the program.
const SIGNS: [(&str, &str); 4] = [
    (".obsidian", "Obsidian"),
    (".foam", "Foam"),
    (".vscode/foam.json", "Foam"),
    ("logseq/config.edn", LOGSEQ),
];

const LOGSEQ: &str = "Logseq";

/// The extension of notes, which wiki links may omit.
const NOTE: &str = ".md";

/// A vault.
#[derive(Debug)]
pub struct Vault {
    /// The root of the vault, as an absolute path.
    pub root: PathBuf,
    /// The file by which the vault was detected, and the name of the program.
    pub detected_by: Option<(PathBuf, &'static str)>,
    /// The files of the vault, by their names in lower case.
    files: OnceLock<HashMap<String, Vec<PathBuf>>>,
}

/// The moves of files, which apply before a link is resolved.
pub type Moves = HashMap<PathBuf, PathBuf>;

impl Vault {
    pub fn new(root: PathBuf) -> Self {
        Self { root, detected_by: None, files: OnceLock::new() }
    }

    /// Returns the vault whose root is a directory.
    pub fn find(directory: &Path, env: &Env) -> Option<Self> {
        let mut signs = SIGNS.iter().map(|(sign, program)| (directory.join(sign), *program));
        let detected_by = Some(signs.find(|(sign, _)| env.roots.exists(sign))?);
        Some(Self { detected_by, ..Self::new(directory.to_owned()) })
    }

    /// Whether the vault was searched for the target of a link.
    pub fn is_used(&self) -> bool {
        self.files.get().is_some()
    }

    /// Whether a page without a file is not an error. Logseq creates the file when the page is
    /// edited.
    pub fn has_pages_without_file(&self) -> bool {
        self.detected_by.as_ref().is_some_and(|(_, program)| *program == LOGSEQ)
    }

    /// Returns the files of the vault, by their names.
    fn files(&self, env: &Env) -> &HashMap<String, Vec<PathBuf>> {
        self.files.get_or_init(|| {
            // The programs ignore neither ignore files nor what git ignores.
            let excludes = vec!["node_modules".to_owned()];
            let rules = RuleOptions { no_ignore: true, excludes, ..RuleOptions::default() };
            let walk = WalkOptions { rules, ..WalkOptions::default() };
            let mut files: HashMap<String, Vec<PathBuf>> = HashMap::new();
            let found = walk::files_below(&self.root, &walk, env);
            for file in found.map(|(files, _)| files).unwrap_or_default() {
                let name = file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
                files.entry(name).or_default().push(file);
            }
            files
        })
    }

    /// Returns the names of all notes, without extension, and of all other files.
    pub fn names(&self, env: &Env) -> impl Iterator<Item = &str> {
        let files = self.files(env).values().flatten();
        let names = files.filter_map(|file| file.file_name()?.to_str());
        names.map(|name| name.strip_suffix(NOTE).unwrap_or(name))
    }

    /// Returns the files to which a wiki link in a document may refer after the moves: none, the
    /// only one, or several of which none is closer than the others. `document` is an absolute
    /// path, and `path` the part of the target before `#`.
    ///
    /// A path from the root precedes the end of a path. Of several files with the same name, one
    /// next to the document precedes the one with the shortest path.
    pub fn targets(&self, document: &Path, path: &str, moves: &Moves, env: &Env) -> Vec<PathBuf> {
        if path.is_empty() {
            return vec![document.to_owned()];
        }
        let wanted = path.trim_start_matches('/').to_lowercase();
        if path.starts_with("./") || path.starts_with("../") {
            let directory = document.parent().unwrap_or(Path::new(""));
            let Some(full) = self.lower_path(&join_normal(directory, path)) else {
                return Vec::new();
            };
            return self.candidates(&full, moves, env, |file| file == full);
        }
        let end = format!("/{wanted}");
        let is_from_root = path.starts_with('/');
        let is_named = |file: &str| file == wanted || !is_from_root && file.ends_with(&end);
        let mut found = self.candidates(&wanted, moves, env, is_named);
        if found.is_empty() && self.has_pages_without_file() && wanted.contains('/') {
            // The files of Logseq's pages are in one directory.
            let names = ["___", "%2f", "."].map(|mark| wanted.replace('/', mark));
            found = { names.into_iter() }
                .map(|name| {
                    self.candidates(&name, moves, env, |file| {
                        file == name || file.ends_with(&format!("/{name}"))
                    })
                })
                .find(|found| !found.is_empty())
                .unwrap_or_default();
        }
        self.closest(found, &wanted, document)
    }

    /// Returns the files whose path below the root satisfies a condition, with or without the
    /// extension of a note. The path is in lower case.
    fn candidates(
        &self,
        path: &str,
        moves: &Moves,
        env: &Env,
        is_named: impl Fn(&str) -> bool,
    ) -> Vec<PathBuf> {
        let files = self.files(env);
        let name = path.rsplit('/').next().unwrap_or(path);
        for name in [format!("{name}{NOTE}"), name.to_owned()] {
            let has_name = |file: &&PathBuf| {
                file.file_name().is_some_and(|other| other.to_string_lossy().to_lowercase() == name)
            };
            let unmoved = files.get(&name).into_iter().flatten();
            let unmoved = unmoved.filter(|file| !moves.contains_key(*file));
            let moved = moves.values().filter(has_name);
            let is_named = |file: &&PathBuf| {
                self.lower_path(file).is_some_and(|below| {
                    is_named(&below) || below.strip_suffix(NOTE).is_some_and(&is_named)
                })
            };
            let mut found: Vec<PathBuf> = unmoved.chain(moved).filter(is_named).cloned().collect();
            if !found.is_empty() {
                found.sort();
                return found;
            }
        }
        Vec::new()
    }

    /// Reduces files with the same name to the closest one, if there is one.
    fn closest(&self, mut found: Vec<PathBuf>, wanted: &str, document: &Path) -> Vec<PathBuf> {
        if found.len() < 2 {
            return found;
        }
        let is_whole = |file: &PathBuf| {
            self.lower_path(file)
                .is_some_and(|path| path == wanted || path.strip_suffix(NOTE) == Some(wanted))
        };
        let is_beside = |file: &PathBuf| file.parent() == document.parent();
        let first = found.iter().position(is_whole);
        if let Some(index) = first.or_else(|| found.iter().position(is_beside)) {
            return vec![found.swap_remove(index)];
        }
        let depth = |file: &PathBuf| file.components().count();
        let least = found.iter().map(depth).min();
        found.retain(|file| Some(depth(file)) == least);
        found
    }

    /// Returns the path of a file below the root, in lower case.
    fn lower_path(&self, file: &Path) -> Option<String> {
        Some(file.strip_prefix(&self.root).ok()?.to_string_lossy().to_lowercase())
    }

    /// Returns the path with which a wiki link in a document refers to a file after the moves, in
    /// the style of an existing path. Returns `None` if there is none.
    pub fn path_to(
        &self,
        file: &Path,
        document: &Path,
        written: &str,
        moves: &Moves,
        env: &Env,
    ) -> Option<String> {
        let below = file.strip_prefix(&self.root).ok()?.to_str()?;
        let is_written = written.to_lowercase().ends_with(NOTE);
        let below = below.strip_suffix(NOTE).filter(|_| !is_written).unwrap_or(below);
        let name = below.rsplit('/').next().unwrap_or(below);
        let from_root = format!("{}{below}", if written.starts_with('/') { "/" } else { "" });
        let is_bare = !written.contains('/');
        let candidates = [Some(name.to_owned()).filter(|_| is_bare), Some(from_root)];
        let is_unique = |path: &String| {
            // These characters end the path in a link.
            !path.contains(['#', '|', '^', '[', ']'])
                && self.targets(document, path, moves, env) == [file]
        };
        candidates.into_iter().flatten().find(is_unique)
    }
}

/// Joins a relative path that may contain `..` to a directory.
fn join_normal(directory: &Path, path: &str) -> PathBuf {
    let mut joined = directory.to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => drop(joined.pop()),
            Component::Normal(name) => joined.push(name),
            _ => {}
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Notes {
        _directory: tempfile::TempDir,
        vault: Vault,
        env: Env,
    }

    impl Notes {
        fn new(files: &[&str]) -> Self {
            let directory = tempfile::tempdir().expect("a directory");
            let root = directory.path().canonicalize().expect("a path");
            for file in files {
                let file = root.join(file);
                fs::create_dir_all(file.parent().expect("a directory")).expect("created");
                fs::write(file, "").expect("written");
            }
            let env = Env::default();
            let vault = Vault::find(&root, &env).unwrap_or_else(|| Vault::new(root));
            Self { _directory: directory, vault, env }
        }

        fn targets(&self, document: &str, path: &str) -> Vec<String> {
            let document = self.vault.root.join(document);
            let found = self.vault.targets(&document, path, &Moves::new(), &self.env);
            let below = |file: &PathBuf| file.strip_prefix(&self.vault.root).map(Path::to_owned);
            found.iter().map(|file| below(file).expect("below").display().to_string()).collect()
        }
    }

    #[test]
    fn a_name_refers_to_a_file_anywhere() {
        let notes = Notes::new(&["a.md", "x/B c.md", "x/y/d.md", "x/p.png", "v1.2.md", "q.canvas"]);
        for (path, expected) in [
            ("b c", &["x/B c.md"][..]),
            ("B C.md", &["x/B c.md"]),
            ("y/d", &["x/y/d.md"]),
            ("x/y/D", &["x/y/d.md"]),
            ("/x/y/d", &["x/y/d.md"]),
            ("/y/d", &[]),
            ("z/d", &[]),
            ("p.png", &["x/p.png"]),
            ("p", &[]),
            ("v1.2", &["v1.2.md"]),
            ("q.canvas", &["q.canvas"]),
            ("", &["x/y/d.md"]),
            ("../B c", &["x/B c.md"]),
            ("./d", &["x/y/d.md"]),
            ("../../a", &["a.md"]),
            ("../a", &[]),
        ] {
            assert_eq!(notes.targets("x/y/d.md", path), expected, "{path}");
        }
    }

    #[test]
    fn the_closest_of_several_files_is_the_target() {
        let notes = Notes::new(&["a.md", "x/a.md", "x/b.md", "y/b.md", "y/z/c.md", "w/c.md"]);
        assert_eq!(notes.targets("x/b.md", "a"), ["a.md"]);
        assert_eq!(notes.targets("x/b.md", "x/a"), ["x/a.md"]);
        assert_eq!(notes.targets("y/q.md", "b"), ["y/b.md"]);
        assert_eq!(notes.targets("a.md", "b"), ["x/b.md", "y/b.md"]);
        assert_eq!(notes.targets("a.md", "c"), ["w/c.md"]);
    }

    #[test]
    fn pages_of_logseq_have_encoded_names() {
        let notes = Notes::new(&["logseq/config.edn", "pages/a___b.md", "pages/c%2Fd.md"]);
        assert_eq!(notes.targets("journals/x.md", "A/B"), ["pages/a___b.md"]);
        assert_eq!(notes.targets("journals/x.md", "c/d"), ["pages/c%2Fd.md"]);
        assert!(notes.vault.has_pages_without_file());
    }

    #[test]
    fn a_new_path_has_the_style_of_the_old_one() {
        let notes = Notes::new(&["a.md", "x/b.md", "y/a.md", ".obsidian/app.json"]);
        let root = &notes.vault.root;
        let check = |to: &str, written: &str, expected: Option<&str>| {
            let moves = Moves::from([(root.join("x/b.md"), root.join(to))]);
            let document = root.join("q.md");
            let vault = &notes.vault;
            let found = vault.path_to(&root.join(to), &document, written, &moves, &notes.env);
            assert_eq!(found.as_deref(), expected, "{to} {written}");
        };
        check("x/c.md", "b", Some("c"));
        check("x/c.md", "B.md", Some("c.md"));
        check("z/c.md", "x/b", Some("z/c"));
        check("z/c.md", "/x/b", Some("/z/c"));
        check("x/a.md", "b", Some("x/a"));
        check("z/c#.md", "b", None);
        check("z/c.png", "b", Some("c.png"));
    }
}
