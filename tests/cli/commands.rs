//! The ways to run folio: by command name, by a link to the binary, for help, and for schemas.

use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::{Outcome, Sandbox, outcome, records};

const COMMANDS: [&str; 6] = ["inspect", "read", "undo", "schema", "completions", "man"];

/// Creates a sandbox with a document, and a link with this name to the binary.
fn linked(name: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[("a.md", "# A\nb\n")]);
    symlink(env!("CARGO_BIN_EXE_folio"), sandbox.path(name)).unwrap();
    sandbox
}

#[track_caller]
fn run_link(sandbox: &Sandbox, name: impl AsRef<Path>, arguments: &[&str]) -> Outcome {
    outcome(sandbox.command_of(sandbox.path(name)).args(arguments), b"")
}

#[test]
fn a_link_named_after_a_command_runs_that_command() {
    for name in ["folio-read", "read", "folio-read.exe", "read.exe"] {
        run_link(&linked(name), name, &["a.md:2"]).succeeds().prints("b\n");
    }
    for name in ["folio-inspect", "inspect"] {
        run_link(&linked(name), name, &["a.md"]).succeeds().prints("a.md:1-2:# A\n");
    }
}

#[test]
fn a_link_with_another_name_runs_folio() {
    for name in ["fo", "folio2", "folio-reader", "my-read", "folio-", "READ", "folio.exe"] {
        run_link(&linked(name), name, &["read", "a.md:2"]).succeeds().prints("b\n");
    }
    let sandbox = Sandbox::with(&[("a.md", "# A\nb\n")]);
    // The copy is made by another process, because a file that this process has open for writing
    // cannot be run.
    let copy = [env!("CARGO_BIN_EXE_folio"), "renamed"];
    outcome(sandbox.command_of("cp").args(copy), b"").succeeds();
    run_link(&sandbox, "renamed", &["read", "a.md:2"]).succeeds().prints("b\n");
}

#[test]
fn errors_and_help_of_a_link_contain_valid_command_lines() {
    let sandbox = linked("folio-read");
    let failed = run_link(&sandbox, "folio-read", &["gone"]).exits(2);
    assert!(failed.errors().starts_with("folio read: 'gone'"), "{failed}");
    let help = run_link(&sandbox, "folio-read", &["--help"]).succeeds();
    assert!(help.text().contains("Usage: folio read"), "{help}");
}

#[test]
fn links_are_installed() {
    let sandbox = Sandbox::with(&[("a.md", "# A\nb\n")]);
    let made = sandbox.run(&["--install", "new/bin"]).succeeds();
    for command in COMMANDS {
        assert!(made.text().contains(&format!("folio-{command}")), "{made}");
        assert!(sandbox.path(format!("new/bin/folio-{command}")).exists(), "{command}");
    }
    run_link(&sandbox, "new/bin/folio-read", &["a.md:2"]).succeeds().prints("b\n");
    run_link(&sandbox, "new/bin/folio-inspect", &["a.md"]).succeeds().prints("a.md:1-2:# A\n");
    // Running the command again changes nothing.
    sandbox.run(&["--install", "new/bin"]).succeeds();
    run_link(&sandbox, "new/bin/folio-read", &["a.md:2"]).succeeds().prints("b\n");
}

#[test]
fn installing_overwrites_nothing() {
    let sandbox = Sandbox::with(&[("bin/folio-read", "mine")]);
    let refused = sandbox.run(&["--install", "bin"]).exits(2);
    assert!(refused.errors().contains("folio-read"), "{refused}");
    assert_eq!(std::fs::read(sandbox.path("bin/folio-read")).unwrap(), b"mine");
    let sandbox = Sandbox::with(&[("file", "")]);
    sandbox.run(&["--install", "file"]).exits(2).tells("file");
}

#[test]
fn command_names_are_listed() {
    let listed = Sandbox::new().run(&["--list"]).succeeds();
    let text = listed.text();
    let names: Vec<&str> = text.lines().collect();
    for command in COMMANDS {
        assert!(names.contains(&command), "{command}: {listed}");
    }
    assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase())), "{listed}");
}

#[test]
fn unknown_commands_are_reported_with_similar_ones() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n")]);
    let check = |name: &str, parts: &[&str]| {
        let refused = sandbox.run(&[name]).exits(2).prints("");
        for part in parts {
            assert!(refused.errors().contains(part), "expected: {part}\n{refused}");
        }
    };
    check("raed", &["'raed'", "folio read", "folio --help"]);
    check("inspct", &["'inspct'", "folio inspect"]);
    check("zzz", &["'zzz'", "folio --help"]);
    check("a.md", &["'a.md'", "folio inspect a.md"]);
    check("--json", &["'--json'"]);
    check("--lst", &["'--lst'"]);
}

#[test]
fn help_has_many_forms() {
    let sandbox = Sandbox::new();
    let whole = sandbox.run(&["--help"]).succeeds();
    for command in COMMANDS {
        assert!(whole.text().contains(command), "{command}: {whole}");
    }
    for arguments in [&["-h"][..], &["help"]] {
        sandbox.run(arguments).succeeds().prints(&whole.stdout);
    }
    // Without arguments, folio prints the usage and fails.
    let nothing: [&str; 0] = [];
    let bare = sandbox.run(&nothing).exits(2).prints("");
    assert_eq!(bare.errors(), whole.text());
    for command in COMMANDS {
        let long = sandbox.run(&[command, "--help"]).succeeds();
        assert!(long.text().contains(&format!("Usage: folio {command}")), "{long}");
        sandbox.run(&["help", command]).succeeds().prints(&long.stdout);
        let short = sandbox.run(&[command, "-h"]).succeeds();
        assert!(short.text().contains(&format!("Usage: folio {command}")), "{short}");
    }
    sandbox.run(&["help", "raed"]).exits(2).tells("folio help read");
}

#[test]
fn a_command_has_the_same_description_everywhere() {
    let sandbox = Sandbox::new();
    let whole = sandbox.run(&["--help"]).succeeds().text();
    for command in COMMANDS {
        let line = whole.lines().find(|line| line.trim_start().starts_with(command)).unwrap();
        let about = line.trim_start().strip_prefix(command).unwrap().trim();
        let about: String = about.chars().take_while(|c| *c != '\'').take(40).collect();
        assert!(about.len() > 10, "{whole}");
        for arguments in [&[command, "-h"], &["man", command]] {
            let outcome = sandbox.run(arguments).succeeds();
            assert!(outcome.text().contains(&about), "expected: {about}\n{outcome}");
        }
        let script = sandbox.run(&["completions", "fish"]).succeeds();
        assert!(script.text().contains(&about), "expected: {about}\n{script}");
    }
}

#[test]
fn the_help_of_a_command_begins_with_two_common_uses() {
    for command in ["inspect", "read"] {
        let help = Sandbox::new().run(&[command, "--help"]).succeeds().text();
        let opening = help.split("Usage:").next().unwrap().to_owned();
        assert!(opening.matches(&format!("  folio {command} ")).count() >= 2, "{opening}");
    }
}

#[test]
fn help_has_no_colors_in_a_pipe() {
    let sandbox = Sandbox::new();
    for arguments in [&["--help"][..], &["read", "--help"], &["help", "read"], &["read", "-h"]] {
        assert!(!sandbox.run(arguments).succeeds().text().contains('\x1b'), "{arguments:?}");
    }
}

#[test]
fn the_version_is_printed() {
    let expected = format!("folio {}\n", env!("CARGO_PKG_VERSION"));
    for flag in ["--version", "-V"] {
        Sandbox::new().run(&[flag]).succeeds().prints(&expected);
    }
    let version = Sandbox::new().run(&["read", "--version"]).succeeds();
    assert!(version.text().contains(env!("CARGO_PKG_VERSION")), "{version}");
}

#[test]
fn completions_are_printed_for_five_shells() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Sandbox::new().run(&["completions", shell]).succeeds();
        for part in ["folio", "inspect", "read", "to-next"] {
            assert!(script.text().contains(part), "{shell}: {part}");
        }
    }
    Sandbox::new().run(&["completions", "csh"]).exits(2).tells("bash");
    Sandbox::new().run(&["completions"]).exits(2);
}

#[test]
fn every_command_has_a_manual_page() {
    let sandbox = Sandbox::new();
    let whole = sandbox.run(&["man"]).succeeds();
    assert!(whole.text().contains(".TH folio 1"), "{whole}");
    for command in COMMANDS {
        let page = sandbox.run(&["man", command]).succeeds();
        assert!(page.text().contains(&format!(".TH folio-{command} 1")), "{page}");
        sandbox.run(&["man", &format!("folio-{command}")]).succeeds().prints(&page.stdout);
    }
    sandbox.run(&["man", "raed"]).exits(2).tells("read");
}

#[test]
fn schemas_are_closed() {
    for command in ["inspect", "read", "list", "undo"] {
        let schema = records::schema(command);
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        assert!(!validator.is_valid(&serde_json::json!({"nonsense": 1})), "{command}");
        assert!(!validator.is_valid(&serde_json::json!({})), "{command}");
    }
    let refused = Sandbox::new().run(&["schema", "nonsense"]).exits(2);
    assert!(refused.errors().contains("inspect") && refused.errors().contains("read"));
}

#[test]
fn a_manual_page_is_shown_by_man_on_a_terminal() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with(&[("bin/man", "#!/bin/sh\necho shown \"$@\"; head -n1\n")]);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.path("bin/man"), mode).unwrap();
    let path = format!("{}:/usr/bin:/bin", sandbox.path("bin").display());
    let mut command = sandbox.command();
    command.args(["man", "read"]).env("PATH", &path);
    let shown = crate::support::terminal::printed(&mut command);
    assert!(shown.starts_with("shown -l -\n.TH folio-read 1"), "{shown}");
    // Without `man`, or in a pipe, the page is printed.
    command.env("PATH", sandbox.path("nowhere"));
    let printed = crate::support::terminal::printed(&mut command);
    assert!(printed.starts_with(".TH folio-read 1"), "{printed}");
    sandbox.run(&["man", "read"]).succeeds().tells("");
}

#[test]
fn commands_of_other_programs_get_a_hint() {
    let sandbox = Sandbox::new();
    for (word, hint) in [
        ("diff", "folio undo --list"),
        ("log", "folio undo --list"),
        ("history", "folio undo --list"),
        ("status", "folio undo --list"),
        ("fmt", "folio patch --help"),
        ("version", "folio --version"),
    ] {
        sandbox.run(&[word]).exits(2).tells(&format!("hint: {hint}"));
    }
    for (word, hint) in [
        ("get", "folio read a.md --key b.md"),
        ("mv", "folio patch move a.md --to b.md"),
        ("cp", "folio patch copy a.md --to b.md --whole-file"),
    ] {
        sandbox.run(&[word, "a.md", "b.md"]).exits(2).tells(&format!("hint: {hint}"));
    }
}

#[test]
fn all_schemas_have_a_version() {
    let names = Sandbox::new().run(&["schema"]).succeeds().text();
    assert!(names.lines().count() >= 9, "{names}");
    for name in names.lines() {
        let schema = Sandbox::new().run(&["schema", name]).succeeds().json_text();
        assert_eq!(schema["$id"], format!("folio:{name}:1"), "{name}");
        jsonschema::meta::validate(&schema).expect(name);
    }
}
