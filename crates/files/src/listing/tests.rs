//! Compares the entries that a listing and a walk find with ripgrep's own walker, on random trees.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::roots::{Roots, WorkingDirectory};
use crate::walk;

/// A temporary directory with files.
struct Tree(TempDir);

impl Tree {
    fn with(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().expect("a directory"));
        files.iter().for_each(|(name, text)| tree.write(name, text));
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and the directories above it. Does nothing if the name exists, because a
    /// random name may be used for both a file and a directory.
    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        let made = fs::create_dir_all(path.parent().expect("a directory"));
        if made.is_ok() && !path.is_dir() {
            fs::write(path, text).expect("written");
        }
    }
}

/// Records all entries, and deletes a file when a certain entry is visited.
struct Removing<'a> {
    removed: &'a Path,
    at: &'a str,
    paths: Vec<String>,
}

impl Visitor for Removing<'_> {
    fn wants_children(&mut self, _: &ListedEntry<'_>) -> bool {
        true
    }

    fn entry(&mut self, found: &ListedEntry<'_>) {
        if found.name() == self.at {
            fs::remove_dir_all(self.removed).expect("done");
        }
        let facts =
            if found.facts().is_ok_and(|facts| facts.is_some()) { "" } else { " without facts" };
        self.paths.push(format!("{}{facts}", found.name().display()));
    }

    fn failed(&mut self, error: Error) {
        unreachable!("{error}");
    }
}

#[test]
fn entries_deleted_during_a_listing_are_skipped() {
    let tree = Tree::with(&[("a", ""), ("b/x", ""), ("c", "")]);
    let removed = tree.path("b");
    let mut visitor = Removing { removed: &removed, at: "a", paths: Vec::new() };
    let options = WalkOptions { depth: 9, ..WalkOptions::default() };
    list(&tree.path("."), &options, &Env::default(), &mut visitor).expect("done");
    assert_eq!(visitor.paths, ["a", "b without facts", "c"]);
}

/// Collects the paths of all ignore files that folio looked up.
struct Gathering(BTreeSet<Vec<u8>>);

impl Visitor for Gathering {
    fn wants_children(&mut self, _: &ListedEntry<'_>) -> bool {
        true
    }

    fn entry(&mut self, found: &ListedEntry<'_>) {
        if found.is_asked {
            self.0.insert(found.path.as_os_str().as_bytes().to_vec());
        }
    }

    fn failed(&mut self, error: Error) {
        unreachable!("{error}");
    }
}

fn rule() -> impl Strategy<Value = String> {
    let name = prop_oneof!["a", "b", "\\*", "a\\*", "\\*\\.md", "\\*\\*", "\\.h", "a/b", "x\\.md"];
    (any::<bool>(), any::<bool>(), name, any::<bool>()).prop_map(|(not, top, name, directory)| {
        let (not, top) = (if not { "!" } else { "" }, if top { "/" } else { "" });
        format!("{not}{top}{name}{}\n", if directory { "/" } else { "" })
    })
}

fn place() -> impl Strategy<Value = String> {
    let part = prop_oneof!["a", "b", "c", "\\.h"];
    proptest::collection::vec(part, 0..3)
        .prop_map(|parts| parts.iter().fold(String::new(), |path, part| path + part + "/"))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 48, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn the_entries_are_the_same_as_in_ripgrep(
        files in proptest::collection::vec((place(), "[ab]|x\\.md|\\.h"), 1..12),
        rules in proptest::collection::vec(
            (place(), prop_oneof!["\\.ignore", "\\.gitignore", "\\.git/info/exclude"],
             proptest::collection::vec(rule(), 1..4)), 0..5),
        repositories in proptest::collection::vec(place(), 0..2),
        (hidden, no_ignore) in (any::<bool>(), any::<bool>()),
        glob in proptest::option::of(rule()),
        below in place(),
    ) {
        let tree = Tree::with(&[]);
        let write = |name: String, text: &str| tree.write(&name, text);
        files.iter().for_each(|(place, name)| write(format!("{place}{name}"), ""));
        for (place, name, lines) in &rules {
            write(format!("{place}{name}"), &lines.concat());
        }
        repositories.iter().for_each(|place| write(format!("{place}.git/HEAD"), ""));
        write(format!("{below}x"), "");
        let directory = tree.path(&below);
        prop_assume!(directory.is_dir());

        let globs: Vec<String> = glob.iter().map(|glob| glob.trim_end().to_owned()).collect();
        let rules =
            RuleOptions { globs: globs.clone(), hidden, no_ignore, ..RuleOptions::default() };
        let options = WalkOptions { depth: 9, rules, ..WalkOptions::default() };
        let mut found = Gathering(BTreeSet::new());
        let listed = list(&directory, &options, &Env::default(), &mut found);
        let working_directory = std::env::current_dir().expect("done");
        let mut overrides = ignore::overrides::OverrideBuilder::new(working_directory);
        if globs.iter().any(|glob| overrides.add(glob).is_err()) {
            prop_assert!(listed.is_err());
            return Ok(());
        }
        listed.expect("done");

        let mut builder = ignore::WalkBuilder::new(&directory);
        builder.hidden(!hidden).ignore(!no_ignore).git_ignore(!no_ignore).git_global(false);
        builder.git_exclude(!no_ignore).parents(!no_ignore);
        let overrides = overrides.build().expect("done");
        builder.overrides(overrides.clone());
        // Errors for unreadable rules are part of the comparison.
        let entries = builder.build().filter_map(Result::ok).filter(|entry| entry.depth() > 0);
        let expected: BTreeSet<Vec<u8>> = entries
            // Directories that no glob includes are searched but not listed.
            .filter(|entry| {
                let is_directory = entry.file_type().expect("done").is_dir();
                overrides.num_whitelists() == 0
                    || overrides.matched(entry.path(), is_directory).is_whitelist()
            })
            .map(|entry| entry.path().as_os_str().as_bytes().to_vec())
            .collect();
        prop_assert_eq!(found.0, expected);
    }
}

/// Returns the files that three walks find: a walk without roots, a walk below a root, and
/// ripgrep's walker.
fn walks(tree: &Tree, options: &WalkOptions) -> [Vec<PathBuf>; 3] {
    let root = tree.path("");
    let directory = WorkingDirectory::of_process(None);
    let roots = Roots::open(&[OsString::from(&root)], directory).expect("done");
    let walked = |env: &Env| walk::files_below(&root, options, env).expect("done").0;
    let confined = Env { roots, ..Env::default() };
    [walked(&Env::default()), walked(&confined), walk_of_ripgrep(&root, options)]
}

fn walk_of_ripgrep(root: &Path, options: &WalkOptions) -> Vec<PathBuf> {
    let rules = &options.rules;
    let mut builder = ignore::WalkBuilder::new(root);
    builder.hidden(!rules.hidden).follow_links(options.follow).git_global(false);
    builder.max_depth(Some(options.depth).filter(|&depth| depth < usize::MAX));
    if rules.no_ignore {
        builder.ignore(false).git_ignore(false).git_exclude(false).parents(false);
    }
    let mut overrides =
        ignore::overrides::OverrideBuilder::new(std::env::current_dir().expect("done"));
    for glob in &rules.globs {
        overrides.add(glob).expect("done");
    }
    builder.overrides(overrides.build().expect("done"));
    let mut types = ignore::types::TypesBuilder::new();
    types.add_defaults();
    for name in &rules.types {
        types.select(name);
    }
    for name in &rules.types_not {
        types.negate(name);
    }
    builder.types(types.build().expect("done"));
    let is_file = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
    let found = builder.build().filter_map(Result::ok).filter(is_file);
    found.map(ignore::DirEntry::into_path).collect()
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["a", "b", "c\\.md", "\\.h", "x\\.rs", "[ab]/c\\.md", "[ab]/\\.h/x\\.md", "a/b/x"]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn a_walk_below_a_root_finds_the_same_files(
        files in proptest::collection::vec(name(), 1..12),
        links in proptest::collection::vec((name(), name()), 0..3),
        rules in proptest::collection::vec(("|a/|b/", "\\.ignore|\\.gitignore", name()), 0..4),
        (hidden, no_ignore, follow) in (any::<bool>(), any::<bool>(), any::<bool>()),
        max_depth in proptest::option::of(0..4usize),
        glob in proptest::option::of("!?(\\*\\.md|a|a/\\*\\*|\\.h)"),
        (of_type, not_of_type) in (any::<bool>(), any::<bool>()),
    ) {
        let tree = Tree::with(&[(".git/HEAD", "")]);
        files.iter().for_each(|name| tree.write(name, "x\n"));
        rules.iter().for_each(|(place, name, rule)| tree.write(&format!("{place}{name}"), rule));
        for (link, target) in &links {
            let ups = "../".repeat(link.matches('/').count());
            let _ = symlink(format!("{ups}{target}"), tree.path(link));
        }
        let options = WalkOptions {
            rules: RuleOptions {
                globs: glob.into_iter().collect(),
                types: if of_type { vec!["md".to_owned()] } else { Vec::new() },
                types_not: if not_of_type { vec!["rust".to_owned()] } else { Vec::new() },
                hidden,
                no_ignore,
                ..RuleOptions::default()
            },
            follow,
            depth: max_depth.unwrap_or(usize::MAX),
            ..WalkOptions::default()
        };
        let [usual, confined, mut ripgrep] = walks(&tree, &options);
        prop_assert_eq!(&usual, &confined);
        let mut usual = usual;
        usual.sort();
        ripgrep.sort();
        prop_assert_eq!(usual, ripgrep);
    }
}
