//! Generated files match the binary: completion scripts, manual pages, the output shown in the
//! README, and its pictures.
//!
//! `UPDATE_GENERATED=1 cargo test --test it generated` updates them.

mod pictures;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Sandbox, outcome};

/// Shells, with the names of their completion scripts.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "folio.bash"),
    ("elvish", "folio.elv"),
    ("fish", "folio.fish"),
    ("powershell", "_folio.ps1"),
    ("zsh", "_folio"),
];

/// The language of README blocks that contain commands and their output.
const CONSOLE: &str = "console";

/// A program with which the README compares folio. If it is not installed, its lines are skipped.
const PEER: &str = "rg ";

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn completion_scripts_match_the_output_of_the_binary() {
    let sandbox = Sandbox::new();
    let print = |shell: &str| sandbox.run(&["completions", shell]).succeeds().stdout;
    let files = COMPLETIONS.iter().map(|(shell, name)| ((*name).to_owned(), print(shell)));
    check_directory("completions", files.collect());
}

#[test]
fn completion_scripts_know_every_command() {
    let sandbox = Sandbox::new();
    for (shell, _) in COMPLETIONS {
        let script = sandbox.run(&["completions", shell]).succeeds().text();
        for command in commands(&sandbox) {
            let known = script.split(|c: char| !c.is_alphanumeric()).any(|word| word == command);
            assert!(known, "{shell}: {command}");
        }
    }
}

/// Returns the names and sections of the pages to which a manual page refers, such as
/// `folio-read(1)`.
fn referenced_pages(page: &[u8]) -> Vec<(String, char)> {
    let text = String::from_utf8_lossy(page).replace('\\', "");
    let pages = text.split_once("\n.SH SEE ALSO\n").expect("other pages").1;
    let page = |line: &str| {
        let (name, section) = line.trim_end_matches(',').split_once('(')?;
        Some((name.to_owned(), section.chars().next()?))
    };
    pages.lines().map(|line| page(line).expect("a page")).collect()
}

/// Returns the manual pages by file name: folio(1), and all pages to which it refers.
fn manual_pages(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let main = sandbox.run(&["man"]).succeeds().stdout;
    let commands = commands(sandbox).into_iter().map(|name| (format!("folio-{name}"), '1'));
    let named: BTreeSet<(String, char)> =
        referenced_pages(&main).into_iter().chain(commands).collect();
    let print = |(name, section): (String, char)| {
        let page = sandbox.run(&["man", &name]).succeeds().stdout;
        (format!("{name}.{section}"), page)
    };
    [("folio.1".to_owned(), main)].into_iter().chain(named.into_iter().map(print)).collect()
}

#[test]
fn manual_pages_refer_to_pages_that_exist() {
    let pages = manual_pages(&Sandbox::new());
    let names: Vec<&String> = pages.iter().map(|(name, _)| name).collect();
    for (name, page) in &pages {
        for (other, section) in referenced_pages(page) {
            assert!(names.contains(&&format!("{other}.{section}")), "{name}: {other}({section})");
        }
    }
}

#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn manual_pages_match_the_output_of_the_binary() {
    check_directory("man", manual_pages(&Sandbox::new()));
}

#[test]
fn manual_pages_are_clean_roff() {
    let sandbox = Sandbox::new();
    for (name, page) in manual_pages(&sandbox) {
        let text = String::from_utf8(page).unwrap();
        assert!(text.is_ascii(), "{name}");
        for section in ["NAME", "DESCRIPTION", "SEE ALSO"] {
            assert!(text.contains(&format!("\n.SH {section}\n")), "{name}: {section}");
        }
        sandbox.write(&name, text);
        let mut groff = sandbox.command_of("groff");
        match groff.args(["-man", "-ww", "-z", &name]).output() {
            Ok(checked) => assert_eq!(String::from_utf8_lossy(&checked.stderr), "", "{name}"),
            Err(_) => eprintln!("groff is not installed: {name} is not checked"),
        }
    }
}

#[test]
fn manual_pages_refer_to_every_command() {
    let sandbox = Sandbox::new();
    let page = sandbox.run(&["man"]).succeeds().text().replace('\\', "");
    for command in commands(&sandbox) {
        assert!(page.contains(&format!("folio-{command}(1)")), "{command}");
    }
}

#[test]
fn the_readme_and_the_guide_show_the_actual_output() {
    for name in ["README.md", "docs/guide.md"] {
        let page = fs::read_to_string(root().join(name)).expect("a page");
        let played = play(&page);
        if updates() {
            fs::write(root().join(name), played).expect("a page that can be written");
        } else {
            check(name, played.as_bytes(), page.as_bytes());
        }
    }
}

#[test]
fn a_readme_with_different_output_is_detected() {
    let readme = "````console\n$ echo 1\n2\n\n$ printf 'x\\n```'; false\n````\n```sh\n$ b\n```\n";
    let played =
        "````console\n$ echo 1\n1\n\n$ printf 'x\\n```'; false\nx\n```\n````\n```sh\n$ b\n```\n";
    assert_eq!(play(readme), played);
    assert_eq!(play(played), played);
}

/// Replaces the output on a page with the current output of its commands. The commands run one
/// after the other in a directory that contains only the README.
fn play(page: &str) -> String {
    let readme = fs::read_to_string(root().join("README.md")).expect("a README");
    let sandbox = Sandbox::with(&[("README.md", &readme)]);
    let has_peer = sandbox.command_of("rg").arg("--version").output().is_ok();
    let mut played = String::with_capacity(page.len());
    let mut lines = page.lines().peekable();
    // The fence that ends the open block, and whether it shows commands.
    let mut block: Option<(&str, bool)> = None;
    while let Some(line) = lines.next() {
        played.push_str(line);
        played.push('\n');
        block = match block {
            Some((fence, _)) if line == fence => None,
            None if line.starts_with("```") => {
                let info = line.trim_start_matches('`');
                Some((&line[..line.len() - info.len()], info == CONSOLE))
            }
            block => block,
        };
        let Some((fence, true)) = block else { continue };
        let Some(command) = line.strip_prefix("$ ") else { continue };
        let mut shown = String::new();
        while let Some(line) = lines.next_if(|line| !line.starts_with("$ ") && *line != fence) {
            shown.push_str(line);
            shown.push('\n');
        }
        let skipped = command.starts_with(PEER) && !has_peer;
        let prints = if skipped { shown.clone() } else { run(&sandbox, command) };
        played.push_str(prints.trim_end());
        played.push_str(if prints.trim_end().is_empty() { "" } else { "\n" });
        // A blank line separates the output from the next command.
        let parted = shown.ends_with("\n\n") || shown == "\n";
        played.push_str(if parted { "\n" } else { "" });
    }
    played
}

/// Returns the complete output of a line.
fn run(sandbox: &Sandbox, command: &str) -> String {
    outcome(&mut shell(sandbox, &format!("{{ {command}\n}} 2>&1")), b"").text()
}

/// Runs a script in a shell that finds this binary first.
pub fn shell(sandbox: &Sandbox, script: &str) -> Command {
    let binary = Path::new(env!("CARGO_BIN_EXE_folio")).parent().expect("a directory");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::iter::once(PathBuf::from(binary)).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(directories).expect("a search path");
    let mut shell = sandbox.command_of("sh");
    shell.arg("-c").arg(script).env("PATH", path);
    shell
}

/// Returns the commands of the binary.
fn commands(sandbox: &Sandbox) -> Vec<String> {
    let list = sandbox.run(&["--list"]).succeeds().text();
    let commands: Vec<String> = list.lines().map(str::to_owned).collect();
    assert!(commands.iter().any(|name| name == "read"), "{list}");
    commands
}

/// Compares the files in a directory with the expected files, or writes them.
#[track_caller]
fn check_directory(name: &str, files: Vec<(String, Vec<u8>)>) {
    let directory = root().join(name);
    let wanted: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
    if updates() {
        fs::create_dir_all(&directory).expect("a directory");
        for name in file_names(&directory).difference(&wanted) {
            fs::remove_file(directory.join(name)).expect("removed");
        }
        for (name, expected) in &files {
            fs::write(directory.join(name), expected).expect("written");
        }
    }
    assert_eq!(file_names(&directory), wanted, "the files of {name}/");
    for (file, expected) in &files {
        let found = fs::read(directory.join(file)).expect("a file");
        check(&format!("{name}/{file}"), expected, &found);
    }
}

#[track_caller]
fn check(name: &str, expected: &[u8], found: &[u8]) {
    if expected == found {
        return;
    }
    let (expected, found) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(found));
    let same =
        expected.lines().zip(found.lines()).take_while(|(left, right)| left == right).count();
    panic!(
        "{name} is not what the binary prints, from line {}:\n  printed: {:?}\n  in the file: {:?}\n\
         UPDATE_GENERATED=1 cargo test --test it generated",
        same + 1,
        expected.lines().nth(same),
        found.lines().nth(same),
    );
}

fn file_names(directory: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(directory).expect("a directory");
    entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect()
}

pub fn updates() -> bool {
    std::env::var_os("UPDATE_GENERATED").is_some_and(|value| value == "1")
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
