//! Rules for the source files of all crates that the compiler does not check: imports between
//! modules, access to files and the environment, hints, module comments. ARCHITECTURE.md explains
//! the rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The crates that compute results from bytes alone.
const ENGINE: &[&str] = &["text", "keys", "markdown", "symbols", "outline"];

/// Modules of the standard library that the engine must not use.
const OUTSIDE_OF_ENGINE: &[&str] = &["env", "fs", "net", "process", "thread", "time"];

/// The streams of the process in `std::io`, which the engine must not open. Its errors and readers
/// are those of `std::io`.
const STREAMS: &[&str] = &["stdin", "stdout", "stderr", "Stdin", "Stdout", "Stderr"];

/// Packages that give access to the system, on which the engine must not depend.
const SYSTEM_PACKAGES: &[&str] =
    &["folio-files", "ignore", "libc", "nix", "rustix", "tempfile", "tokio", "xattr"];

/// Commands that hints may suggest.
const COMMANDS: &[&str] = &[
    "inspect",
    "read",
    "grep",
    "patch",
    "undo",
    "list",
    "links",
    "collection",
    "search",
    "related",
];

/// Checks a rule for every source file. `broken` returns the violations in a file.
#[track_caller]
fn check(broken: impl Fn(&Source) -> Vec<String>) {
    let found: Vec<String> = sources()
        .iter()
        .flat_map(|source| {
            let told = broken(source);
            told.into_iter().map(|what| format!("{}: {what}", source.path))
        })
        .collect();
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn commands_import_neither_the_server_nor_the_command_line() {
    check(|source| {
        let above: &[&str] = match source.module.get(1).map(String::as_str) {
            Some("commands") => &["cli", "mcp"],
            Some("mcp") => &["cli"],
            _ => return Vec::new(),
        };
        let heads = source.crate_paths().into_iter().filter_map(|path| path.into_iter().nth(1));
        heads
            .filter(|head| source.is_binary() && above.contains(&head.as_str()))
            .map(|head| format!("imports crate::{head}"))
            .collect()
    });
}

/// System calls that take a path and ignore roots.
const BY_PATH: &[&str] = &["open_path", "status_of_path", "CWD"];

#[test]
fn only_roots_take_paths() {
    check(|source| {
        let is_roots = source.path.starts_with("crates/files/src/roots");
        if is_roots || source.path == "crates/files/src/system.rs" {
            return Vec::new();
        }
        let calls = BY_PATH.iter().map(|call| format!("system::{call}"));
        let calls = calls.filter(|call| source.text.contains(call.as_str()));
        calls.map(|call| format!("{call} knows no roots")).collect()
    });
}

#[test]
fn only_cli_reads_the_environment() {
    check(|source| {
        let is_test = source.path.ends_with("/tests.rs");
        let may = source.path.starts_with("src/cli/") || source.path == "crates/files/src/roots.rs";
        if is_test || may {
            return Vec::new();
        }
        let paths = source.without_tests().paths("std").into_iter();
        let reads = paths.filter(|path| path.first().is_some_and(|module| module == "env"));
        reads.map(|path| format!("uses std::{}", path.join("::"))).collect()
    });
}

/// In this test, a module and its children count as one, because children may use the declarations
/// of their parent.
#[test]
fn imports_have_no_cycles() {
    let sources: Vec<Source> = sources().iter().map(Source::without_tests).collect();
    let mut below: Vec<BTreeSet<usize>> = sources.iter().map(|own| own.imports(&sources)).collect();
    loop {
        let longer: Vec<BTreeSet<usize>> = below
            .iter()
            .map(|direct| direct.iter().flat_map(|&at| &below[at]).chain(direct).copied().collect())
            .collect();
        if longer == below {
            break;
        }
        below = longer;
    }
    let circles: Vec<&str> = (0..sources.len())
        .filter(|at| below[*at].contains(at))
        .map(|at| sources[at].path.as_str())
        .collect();
    assert!(circles.is_empty(), "{circles:?}");
}

#[test]
fn hints_are_data() {
    check(|source| {
        let path = source.path.as_str();
        // The last one formats the commands in hints.
        let is_help = path.ends_with("args.rs")
            || path == "src/cli/own_flags.rs"
            || path == "crates/files/src/hint.rs";
        if is_help || path.ends_with("/tests.rs") {
            return Vec::new();
        }
        let is_below = path.starts_with("src/commands/") || path.starts_with("crates/");
        let spells = |text: &String| {
            text.split("folio ").skip(1).any(|behind| {
                let name = behind.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                COMMANDS.contains(&name) || (is_below && behind.starts_with('{'))
            })
        };
        source.without_tests().literals().into_iter().filter(spells).collect()
    });
}

#[test]
fn the_engine_has_no_side_effects() {
    check(|source| {
        if !ENGINE.iter().any(|engine| source.is_in_crate(engine)) {
            return Vec::new();
        }
        let paths = source.paths("std").into_iter();
        let outside = |path: &Vec<String>| {
            let is_stream = path.iter().any(|name| STREAMS.contains(&name.as_str()));
            let module = path.first().map_or("", String::as_str);
            OUTSIDE_OF_ENGINE.contains(&module) || module == "io" && is_stream
        };
        paths.filter(outside).map(|path| format!("std::{}", path.join("::"))).collect()
    });
    for name in ENGINE {
        let manifest: toml::Table =
            read(&format!("crates/{name}/Cargo.toml")).parse().expect("a manifest");
        for package in manifest["dependencies"].as_table().expect("a table").keys() {
            assert!(!SYSTEM_PACKAGES.contains(&package.as_str()), "{name} depends on {package}");
        }
    }
}

#[test]
fn no_command_imports_another() {
    let folders: BTreeSet<String> = sources()
        .iter()
        .filter(|source| source.path.starts_with("src/commands/"))
        .filter(|source| source.path.ends_with("/args.rs"))
        .map(|source| source.module[2].clone())
        .collect();
    assert!(folders.contains("read"), "{folders:?}");
    check(|source| {
        if !source.path.starts_with("src/commands/") {
            return Vec::new();
        }
        let own = source.module.get(2);
        let paths = source.crate_paths().into_iter();
        paths
            .filter(|path| path.get(1).is_some_and(|module| module == "commands"))
            .filter_map(|path| path.into_iter().nth(2))
            .filter(|command| folders.contains(command) && Some(command) != own)
            .map(|command| format!("imports crate::commands::{command}"))
            .collect()
    });
}

#[test]
fn flags_are_parsed_in_args_and_cli() {
    check(|source| {
        let path = source.path.as_str();
        let may = path.starts_with("src/cli/")
            || path == "src/commands/target/flags.rs"
            || path == "src/commands/conditions/flags.rs"
            || matches!(path, "src/commands/request.rs" | "src/commands/rules.rs")
            || (path.starts_with("src/commands/") && path.ends_with("args.rs"));
        let names = source.tokens.iter().filter(|token| token.starts_with("clap"));
        if may { Vec::new() } else { names.map(|name| format!("mentions {name}")).collect() }
    });
}

#[test]
fn no_code_ends_the_process() {
    check(|source| {
        let ends = source
            .tokens
            .windows(3)
            .any(|three| three == ["process", "::", "exit"] || three == ["process", "::", "abort"])
            || source.paths("std").iter().any(|path| path.join("::").starts_with("process::exit"));
        ends.then(|| "ends the process".to_owned()).into_iter().collect()
    });
}

#[test]
fn every_file_has_a_module_comment() {
    check(|source| {
        let silent = !source.text.starts_with("//! ");
        silent.then(|| "does not begin with //!".to_owned()).into_iter().collect()
    });
}

#[test]
fn every_change_is_below_a_version() {
    let text = read("CHANGELOG.md");
    let mut version = None;
    let mut group = None;
    let mut entries = 0;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if let Some(name) = line.strip_prefix("## ") {
            assert!(is_version(name), "line {number}: '{name}' is no version");
            (version, group) = (Some(name), None);
        } else if let Some(name) = line.strip_prefix("### ") {
            let known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
            assert!(known.contains(&name), "line {number}: '{name}' is no kind of change");
            group = Some(name);
        } else if line.starts_with("- ") {
            let placed = version.is_some() && group.is_some();
            assert!(placed, "line {number}: a change without a version and a kind");
            entries += 1;
        }
    }
    assert!(entries > 0, "no changes");
}

/// Whether a heading is `[Unreleased]` or `[1.2.3] - 2026-01-31`.
fn is_version(name: &str) -> bool {
    if name == "[Unreleased]" {
        return true;
    }
    let shape: String = name.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let mut short = shape.clone();
    while short.contains("00") {
        short = short.replace("00", "0");
    }
    short == "[0.0.0] - 0-0-0" && shape.ends_with("0000-00-00")
}

#[test]
fn no_file_names_a_machine() {
    // The names are composed, so that this file passes the test.
    let directories = ["work", "home", "root", "Users"].map(|name| format!("/{name}"));
    let mut found = Vec::new();
    for (path, text) in files_of_the_package() {
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            for directory in directories.iter().filter(|name| names_directory(line, name)) {
                found.push(format!("{path}:{number}: names {directory}"));
            }
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

/// Whether a line contains an absolute path that begins with `directory`.
fn names_directory(line: &str, directory: &str) -> bool {
    line.match_indices(directory).any(|(at, _)| {
        let goes_on = |c: char| c.is_alphanumeric() || "._-~/}$*".contains(c);
        let before = line[..at].chars().next_back();
        let after = line[at + directory.len()..].chars().next();
        !before.is_some_and(goes_on) && after.is_none_or(|c| c == '/' || !goes_on(c))
    })
}

#[test]
fn packages_come_from_the_public_registry() {
    let public = r#"source = "registry+https://github.com/rust-lang/crates.io-index""#;
    let lock = read("Cargo.lock") + &read("fuzz/Cargo.lock");
    let sources: Vec<&str> = lock.lines().filter(|line| line.starts_with("source =")).collect();
    assert!(!sources.is_empty());
    let other: Vec<_> = sources.into_iter().filter(|line| *line != public).collect();
    assert!(other.is_empty(), "{other:?}");
    let settings = ["replace-with", "sparse+", "[registries", "[source."];
    let mut found = Vec::new();
    for (path, text) in files_of_the_package() {
        let is_cargo = path.ends_with("Cargo.toml") || path.contains(".cargo/");
        if is_cargo && let Some(setting) = settings.iter().find(|word| text.contains(**word)) {
            found.push(format!("{path}: {setting}"));
        }
    }
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn the_checks_find_violations() {
    let source = Source::new(
        "crates/files/src/x/y.rs".to_owned(),
        "//! Not crate::cli.\nuse crate::{a::b, c::{d, e}};\nuse super::f;\n\
         use std::{fmt, io::{self, Read}};\nfn f() { let _ = \"crate::cli\"; println!(\"{}\", 'x'); }\n"
            .to_owned(),
    );
    let paths: Vec<String> = source.crate_paths().iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["files::a::b", "files::c::d", "files::c::e", "files::x::f"]);
    let std: Vec<String> = source.paths("std").iter().map(|path| path.join("::")).collect();
    assert_eq!(std, ["fmt", "io::self", "io::Read"]);

    let raw =
        Source::new("x.rs".to_owned(), "let a = r#\"unsafe \" \"#; // unsafe\n'\\'' 'a\n".into());
    assert_eq!(raw.tokens, ["let", "a", "=", ";", "'", "a"]);
    let text = "fn a() {\n    // x\n    \"folio read a\"\n}\n\n#[cfg(test)]\nmod tests {\n    \"folio\"\n}\n";
    let source = Source::new("x.rs".to_owned(), text.to_owned()).without_tests();
    assert_eq!(source.literals(), ["\"folio read a\""]);

    let home = ["/ho", "me"].concat();
    assert!(names_directory(&format!("cd {home}/x"), &home));
    assert!(names_directory(&format!("\"{home}\""), &home));
    assert!(!names_directory(&format!("https://a.example{home}"), &home));
    assert!(!names_directory(&format!("{home}page"), &home));
    assert!(is_version("[Unreleased]") && is_version("[0.10.2] - 2026-01-31"));
    assert!(!is_version("0.1") && !is_version("[0.1.0]"));
}

/// A source file of a crate.
struct Source {
    /// The path of the file in the repository.
    path: String,
    /// The name of the crate and the path of the module in it: `["markdown", "scanner", "idle"]`.
    module: Vec<String>,
    text: String,
    /// The kind of each character.
    kinds: Vec<Kind>,
    /// The words and marks of the code, without comments and literals.
    tokens: Vec<String>,
}

/// The kind of text to which a character of a source file belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

impl Source {
    fn new(path: String, text: String) -> Self {
        let (name, file) = match path.strip_prefix("crates/") {
            Some(rest) => rest.split_once("/src/").unwrap_or(("", rest)),
            None => ("folio", path.trim_start_matches("src/")),
        };
        let parts = file.trim_end_matches(".rs").split('/');
        let mut module: Vec<String> = [name].into_iter().chain(parts).map(str::to_owned).collect();
        if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
            module.pop();
        }
        let kinds = kinds(&text);
        let tokens = tokens(&text, &kinds);
        Self { path, module, text, kinds, tokens }
    }

    fn is_binary(&self) -> bool {
        self.path.starts_with("src/")
    }

    fn is_in_crate(&self, name: &str) -> bool {
        self.path.starts_with(&format!("crates/{name}/"))
    }

    /// Returns the paths that begin with `root`, without `root` itself. Trees of `use` are
    /// expanded.
    fn paths(&self, root: &str) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        for at in 0..self.tokens.len() {
            let begins = at == 0 || self.tokens[at - 1] != "::";
            let goes_on = self.tokens.get(at + 1).is_some_and(|token| token == "::");
            if self.tokens[at] == root && begins && goes_on {
                self.tree(at + 2, &mut Vec::new(), &mut found);
            }
        }
        found
    }

    /// Expands the `use` tree that begins at a token. Returns its end.
    fn tree(&self, start: usize, prefix: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
        let token = |at: usize| self.tokens.get(at).map_or("", String::as_str);
        let mut at = start;
        if token(at) == "{" {
            at += 1;
            while !matches!(token(at), "}" | "") {
                at = self.tree(at, &mut prefix.clone(), found);
                while !matches!(token(at), "," | "}" | "") {
                    at += 1;
                }
                at += usize::from(token(at) == ",");
            }
            return at + 1;
        }
        prefix.push(token(at).to_owned());
        at += 1;
        if token(at) == "::" {
            return self.tree(at + 1, prefix, found);
        }
        found.push(prefix.clone());
        at
    }

    /// Returns all paths in the crate, which begin with its name. Paths with `super` are resolved.
    fn crate_paths(&self) -> Vec<Vec<String>> {
        let paths = self.paths("crate").into_iter();
        let mut found: Vec<_> = paths.map(|path| [&self.module[..1], &path].concat()).collect();
        for path in self.paths("super") {
            let ups = path.iter().take_while(|name| *name == "super").count();
            let kept = self.module.len().saturating_sub(ups + 1);
            found.push([&self.module[..kept], &path[ups..]].concat());
        }
        found
    }

    /// Returns the code before the test module.
    fn without_tests(&self) -> Self {
        let end = self.text.find("\n#[cfg(test)]\nmod tests {").unwrap_or(self.text.len());
        Self::new(self.path.clone(), self.text[..end].to_owned())
    }

    /// Returns the files of the crate from which this file imports, except itself and its parents.
    fn imports(&self, all: &[Self]) -> BTreeSet<usize> {
        if self.module.len() == 1 || self.path.ends_with("/tests.rs") {
            return BTreeSet::new();
        }
        let mut paths = self.crate_paths();
        for child in all.iter().filter(|child| child.module.len() == self.module.len() + 1) {
            if child.module.starts_with(&self.module) {
                let name = &child.module[self.module.len()];
                let is_called = !self.paths(name).is_empty();
                paths.extend(is_called.then(|| child.module.clone()));
            }
        }
        let nearest = |path: Vec<String>| {
            let holds = |at: &usize| path.starts_with(&all[*at].module);
            (0..all.len()).filter(holds).max_by_key(|at| all[*at].module.len())
        };
        let found = paths.into_iter().filter_map(nearest);
        // Outlines and checks call the rules of formats through a trait.
        let is_dispatched = |at: &usize| all[*at].path.starts_with("crates/outline/src/formats");
        found
            .filter(|at| !self.module.starts_with(&all[*at].module) && !is_dispatched(at))
            .collect()
    }

    fn literals(&self) -> Vec<String> {
        let mut literals = vec![String::new()];
        for (character, kind) in self.text.chars().zip(&self.kinds) {
            match kind {
                Kind::Literal => literals.last_mut().expect("one").push(character),
                _ => literals.push(String::new()),
            }
        }
        literals.retain(|literal| !literal.is_empty());
        literals
    }
}

/// Returns the kind of each character of a Rust source text.
fn kinds(text: &str) -> Vec<Kind> {
    let text: Vec<char> = text.chars().collect();
    let mut kinds = Vec::with_capacity(text.len());
    while kinds.len() < text.len() {
        let at = kinds.len();
        let rest = &text[at..];
        let after_word = at > 0 && (text[at - 1].is_alphanumeric() || text[at - 1] == '_');
        let (kind, length) = match rest {
            ['/', '/', ..] => (Kind::Comment, until(rest, "\n")),
            ['/', '*', ..] => (Kind::Comment, block_comment(rest)),
            ['"', ..] => (Kind::Literal, string(rest)),
            ['r', '"' | '#', ..] if !after_word && raw_string(rest) > 0 => {
                (Kind::Literal, raw_string(rest))
            }
            ['b', 'r', '"' | '#', ..] if !after_word => (Kind::Literal, 1 + raw_string(&rest[1..])),
            ['\'', '\\', ..] => (Kind::Literal, 3 + until(&rest[3..], "'") + 1),
            ['\'', _, '\'', ..] => (Kind::Literal, 3),
            _ => (Kind::Code, 1),
        };
        kinds.resize(at + length.clamp(1, rest.len()), kind);
    }
    // There is one more, because `split` returns an empty line after the last line feed.
    kinds.push(Kind::Code);
    kinds
}

/// Returns the number of characters up to and including `end`.
fn until(text: &[char], end: &str) -> usize {
    let end: Vec<char> = end.chars().collect();
    text.windows(end.len()).position(|window| window == end).unwrap_or(text.len())
}

fn block_comment(text: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        match text[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string(text: &[char]) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != '"' {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Returns the length of `r"…"` or `r#"…"#`, or 0 if the text is not a raw string.
fn raw_string(text: &[char]) -> usize {
    let marks = text[1..].iter().take_while(|c| **c == '#').count();
    if text.get(1 + marks) != Some(&'"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(marks));
    let from = 2 + marks;
    from + until(&text[from..], &end) + end.len()
}

fn tokens(text: &str, kinds: &[Kind]) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut in_word = false;
    for (character, kind) in text.chars().zip(kinds) {
        let code = *kind == Kind::Code;
        let is_word = code && (character.is_alphanumeric() || character == '_');
        match tokens.last_mut() {
            Some(last) if is_word && in_word => last.push(character),
            Some(last) if code && character == ':' && last == ":" => last.push(':'),
            _ if code && !character.is_whitespace() => tokens.push(character.to_string()),
            _ => {}
        }
        in_word = is_word;
    }
    tokens
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn sources() -> Vec<Source> {
    let files = files_of_the_package().into_iter();
    let is_source = |path: &str| {
        let below = path.strip_prefix("crates/").and_then(|path| path.split_once('/'));
        below.map_or(path, |(_, path)| path).starts_with("src/") && path.ends_with(".rs")
    };
    let sources: Vec<Source> = files
        .filter(|(path, _)| is_source(path))
        .map(|(path, text)| Source::new(path, text))
        .collect();
    for name in ENGINE.iter().chain(&["files", "search"]) {
        let has = |source: &Source| source.is_in_crate(name);
        assert!(sources.iter().filter(|source| has(source)).count() > 5, "no sources of {name}");
    }
    sources
}

/// Returns the text files of the package and their paths, except files that git ignores.
fn files_of_the_package() -> Vec<(String, String)> {
    let mut walk = ignore::WalkBuilder::new(root());
    walk.hidden(false).require_git(false).parents(false).git_global(false);
    walk.filter_entry(|entry| entry.file_name() != ".git");
    walk.sort_by_file_path(Path::cmp);
    let entries = walk.build().map(|entry| entry.expect("a readable directory"));
    let files = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    files
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(root()).expect("below the root");
            Some((path.to_str()?.to_owned(), fs::read_to_string(entry.path()).ok()?))
        })
        .collect()
}
