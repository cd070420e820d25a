//! What others build on: the hook for pre-commit, the action for GitHub.

use std::fs;
use std::os::unix::fs::symlink;

use crate::generated::root;
use crate::support::{Sandbox, outcome};

/// What stands behind the last `key:` of a file.
fn value(file: &str, key: &str) -> String {
    let text = fs::read_to_string(root().join(file)).expect("a file");
    let key = format!("{key}: ");
    let line = text.lines().rev().find_map(|line| line.trim_start().strip_prefix(&key));
    line.expect("a line").to_owned()
}

/// A repository in which one link is broken.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("a.md", "[x](gone.md)\n"),
        ("sub dir/b.md", "# B\n"),
        ("api.md", "[x](/api/x)\n"),
    ]);
    fs::create_dir_all(sandbox.path("folio/bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_folio"), sandbox.path("folio/bin/folio")).unwrap();
    sandbox
}

#[test]
fn the_hook_for_pre_commit_runs() {
    let sandbox = repository();
    let entry = value(".pre-commit-hooks.yaml", "entry");
    let arguments: Vec<&str> = entry.strip_prefix("folio ").unwrap().split(' ').collect();
    let told = sandbox.run(&arguments).exits(1).text();
    assert!(told.starts_with("a.md:1:5: no file 'gone.md'\n"), "{told}");
}

#[test]
fn the_action_runs() {
    let script = value("action.yml", "run");
    let run = |flags: &str, paths: &str| {
        let sandbox = repository();
        let mut shell = sandbox.command_of("bash");
        shell.args(["-eo", "pipefail", "-c", &script]).env("RUNNER_TEMP", sandbox.path(""));
        shell.env("FLAGS", flags).env("PATHS", paths);
        outcome(&mut shell, b"")
    };
    // xargs makes 123 of any failure.
    let told = run("", ".").exits(123).text();
    assert!(told.contains("a.md:1:5: ") && told.contains("api.md:1:5: "), "{told}");
    run("--ignore '/api/*' --ignore gone.md", ".").succeeds();
    run("", "'sub dir' 'sub dir/b.md'").succeeds();
    let told = run("; touch broken;", "'sub dir'");
    assert_eq!(told.status, Some(123), "{told}");
    assert!(told.errors().contains("';'"), "{told}");
}
