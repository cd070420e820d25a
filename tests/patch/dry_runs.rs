//! `--dry-run`, `--diff` and `--check` show edits and write nothing.

use super::GUIDE;
use crate::support::{Sandbox, outcome};

#[test]
fn previews_write_nothing() {
    let sandbox = Sandbox::with(&[("a.md", GUIDE)]);
    let edit = ["patch", "replace", "a.md", "--text", "Intro", "-c", "Intra"];
    let shown = sandbox.run(&[&edit[..], &["--dry-run"]].concat()).succeeds();
    assert!(shown.text().contains("\n-Intro.\n+Intra.\n"), "{}", shown.text());
    sandbox.run(&[&edit[..], &["--check"]].concat()).exits(1);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.md")).expect("text"), GUIDE);
    sandbox.run(&edit).succeeds();
    sandbox.run(&[&edit[..], &["--check"]].concat()).exits(0);
    sandbox.run(&["patch", "delete", "a.md", "--text", "zzz", "--check"]).exits(2);
    // With a diff, it shows what would change, but still writes nothing.
    let other = ["patch", "replace", "a.md:1", "-c", "another line", "--check"];
    let before = std::fs::read(sandbox.path("a.md")).unwrap();
    for flag in ["--diff", "--dry-run"] {
        let outcome = sandbox.run(&[&other[..], &[flag]].concat()).exits(1);
        assert!(outcome.text().contains("\n+another line\n"), "{outcome}");
        let json = sandbox.run(&[&other[..], &[flag, "--json"]].concat()).exits(1).json();
        assert_eq!(json["status"], "preview");
        assert!(json["diff"].as_str().unwrap().contains("+another line"), "{json}");
        sandbox.run(&[&edit[..], &["--check", flag]].concat()).exits(0);
    }
    assert_eq!(std::fs::read(sandbox.path("a.md")).unwrap(), before);
}

#[test]
fn a_dry_run_reports_refusals() {
    let sandbox = Sandbox::with(&[("a.md", "# A\nx\n"), ("b.md", "# B\nx\n")]);
    std::fs::hard_link(sandbox.path("a.md"), sandbox.path("c.md")).unwrap();
    let dry = ["patch", "replace", "a.md", "b.md", "--text", "x", "-c", "y", "--dry-run"];
    let outcome = sandbox.run(&dry).exits(0);
    let messages = outcome.errors();
    assert!(
        messages.contains("'a.md': the edit would be refused: the file has other hard links"),
        "{outcome}"
    );
    assert!(messages.contains("--in-place") && !messages.contains("'b.md'"), "{outcome}");
    let in_place = sandbox.run(&[&dry[..], &["--in-place"]].concat()).exits(0);
    assert_eq!(in_place.errors(), "");
    let read_only = std::os::unix::fs::PermissionsExt::from_mode(0o444);
    std::fs::set_permissions(sandbox.path("b.md"), read_only).unwrap();
    sandbox
        .run(&[&dry[..], &["--in-place"]].concat())
        .exits(0)
        .tells("b.md': the edit would be refused");
    // `--check` writes nothing, so it does not check permissions.
    let check = ["patch", "replace", "b.md", "--text", "x", "-c", "y", "--check"];
    assert_eq!(sandbox.run(&check).exits(1).errors(), "");
}

#[test]
fn a_dry_run_shows_an_edit_that_deletes_too_much() {
    let sandbox = Sandbox::with(&[("a.md", &format!("# A\n\n{}", "line\n".repeat(300)))]);
    let delete = ["patch", "delete", "a.md", "-s", "A"];
    sandbox.run(&delete).exits(4).tells("-s A --dry-run");
    let shown = sandbox.run(&[&delete[..], &["--dry-run"]].concat()).exits(0);
    let shown = shown.tells("the edit would be refused: 302 lines would be deleted");
    assert!(shown.text().contains("-line"), "{shown}");
    let piped = sandbox
        .run_with_input(&["patch", "append", "-", "-s", "A", "-c", "x", "--dry-run"], "# A\n");
    assert!(!piped.exits(0).errors().contains("refused"));
}

#[test]
fn a_preview_of_many_edits_needs_little_more_memory_than_its_text() {
    let unit = "a\n".to_owned() + &"b\n".repeat(9);
    let sandbox = Sandbox::with(&[("a.txt", &unit.repeat(60_000))]);
    // Limits the data segment to 32 MiB, regardless of the size of the binary.
    let line = "ulimit -d 32768 && exec \"$0\" patch replace a.txt --text a --occurrence all \
                -c c --dry-run";
    let mut limited = sandbox.command_of("sh");
    limited.args(["-c", line, env!("CARGO_BIN_EXE_folio")]);
    let run = outcome(&mut limited, b"").exits(0);
    assert_eq!(run.text().lines().filter(|line| line.starts_with("@@")).count(), 60_000);
}
