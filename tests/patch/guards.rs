//! Guards: expected checksums and numbers of matches, and limits for what an edit may change.

use serde_json::{Value, json};

use super::{LINES, apply_edits, check_refused_with_hint, files, patch, readme};
use crate::support::edits::{check_refused, check_text_refusal, edited};
use crate::support::terminal::screen_after;
use crate::support::{Sandbox, checksum, outcome};

#[test]
fn large_deletions_must_be_confirmed() {
    let sandbox = files();
    let whole = ["delete", "README.md", "--section", "Field Notes", "--max-delete", "100"];
    let outcome = check_refused_with_hint(&sandbox, &whole, 4, "DELETE_LIMIT");
    assert!(outcome.errors().contains("--force"), "{outcome}");
    assert_eq!(sandbox.text("README.md"), readme());
    patch(&sandbox, &[&whole[..], &["--force"]].concat());
    assert_eq!(sandbox.text("README.md"), "---\ntitle: Field Notes\n---\n");
}

#[test]
fn deleted_lines_are_counted_for_each_step() {
    let before = "x\n".repeat(400);
    let edits = format!(
        r#"{{"sequential":true,"edits":[
        {{"filePath":"a.txt","operation":"delete","target":{{"lines":{{"start":1,"end":300}}}}}},
        {{"filePath":"a.txt","operation":"append","content":"{}"}}]}}"#,
        "y\\n".repeat(300)
    );
    let (run, after) = apply_edits("a.txt", &before, &edits);
    run.exits(4).tells("300 lines");
    assert_eq!(after, before);
}

#[test]
fn limits_accept_the_largest_number() {
    let most = u64::MAX.to_string();
    edited("a.txt", "a\n", &["replace", "--lines", "1", "-c", "z", "--max-delete", &most])
        .0
        .exits(0);
}

/// If an operand is a directory, folio must not change more than the user expects.
#[test]
fn a_run_changes_a_limited_number_of_files_without_confirmation() {
    let sandbox = Sandbox::new();
    let count = || {
        let text = |number: &u32| std::fs::read(sandbox.path(format!("d/{number}.txt"))).unwrap();
        (0..51).filter(|number| text(number) == b"y\n").count()
    };
    let patch = ["patch", "replace", "d", "--text", "x", "-c", "y"];
    let batch: Vec<String> = (0..51)
        .map(|number| {
            let path = format!("d/{number}.txt");
            let target = json!({"text": "x"});
            let edit =
                json!({"filePath": path, "operation": "replace", "target": target, "content": "y"});
            edit.to_string()
        })
        .collect();
    let batch = batch.join("\n");
    let reset = || {
        (0..51).for_each(|number| {
            sandbox.write(format!("d/{number}.txt"), "x\n");
        })
    };
    reset();
    sandbox.run(&patch).exits(4).tells("51 files would change, more than the limit of 50");
    sandbox.run_with_input(&["patch", "apply"], batch.as_bytes()).exits(4).tells("--max-files 51");
    let arguments = json!({"operation": "replace", "address": "d", "text": "x", "content": "y"});
    let call = |arguments: Value| {
        sandbox.run_with_input(&["call", "patch"], arguments.to_string().as_bytes())
    };
    call(arguments.clone()).exits(4).tells("\\\"max_files\\\":51");
    for (typed, changed) in [("\n", 0), ("n\n", 0), ("y\n", 51)] {
        let shown = screen_after(sandbox.command().args(patch), 80, typed.as_bytes());
        assert!(shown.contains("51 files would change. Change them? (y/N)"), "{shown}");
        assert_eq!(count(), changed, "{typed:?}");
    }
    reset();
    sandbox.run(&[&patch[..], &["--dry-run"]].concat()).exits(0);
    assert_eq!(count(), 0);
    sandbox.run(&[&patch[..], &["--max-files", "51"]].concat()).exits(0);
    assert_eq!(count(), 51);
    // Undoing the patch needs no confirmation.
    sandbox.run(&["undo"]).exits(0);
    assert_eq!(count(), 0);
    let mut agreed = arguments;
    agreed["options"] = json!({"max_files": 51});
    call(agreed).exits(0);
    assert_eq!(count(), 51);
}

#[test]
fn conditions_select_a_limited_number_of_parts() {
    let text = "# a\n".repeat(20_001);
    let (outcome, after) = edited("a.md", &text, &["delete", "--matching", "a", "--dry-run"]);
    outcome.exits(4).tells("the conditions select more parts than the limit of 20000");
    assert_eq!(after, text);
    // The limit applies to the parts that are picked, and to all files together.
    let picked = ["delete", "--matching", "a", "--last", "--force"];
    let (outcome, after) = edited("a.md", &text, &picked);
    outcome.exits(0);
    assert_eq!(after, "# a\n".repeat(20_000));
    let half = "# a\n".repeat(10_001);
    let sandbox = Sandbox::with(&[("a.md", &half), ("b.md", &half)]);
    let both = ["patch", "delete", "a.md", "b.md", "--matching", "a", "--dry-run"];
    sandbox.run(&both).exits(4).tells("more parts than the limit of 20000");
    sandbox.run(&[&both[..], &["--across", "--first"]].concat()).exits(0);
}

/// The name of a heading consists of at most the first MiB of the line, so this heading cannot be
/// found by its name.
#[test]
fn a_very_long_heading_is_edited_by_its_lines() {
    let text = format!("# {}\nx\n# b\n", "a".repeat(1_100_000));
    let (outcome, after) = edited("a.md", &text, &["delete", "--matching", "a"]);
    outcome.exits(0);
    assert_eq!(after, "# b\n");
}

#[test]
fn more_files_can_be_edited_than_can_be_open() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..80).map(|number| format!("{number:02}.md")).collect();
    for name in &names {
        sandbox.write(name, "one\n");
    }
    let run = |flags: &str, old: &str, new: &str| {
        let mut command = sandbox.command_of("sh");
        let edit = format!("patch replace --max-files 80 {flags} --text {old} -c {new}");
        let line = format!("ulimit -n 32 && exec \"$0\" {edit} \"$@\"");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_folio")]).args(&names);
        outcome(&mut command, b"")
    };
    let check = |text: &str| {
        assert!(
            names.iter().all(|name| std::fs::read(sandbox.path(name)).unwrap() == text.as_bytes())
        );
    };
    run("--backup", "one", "two").exits(0);
    check("two\n");
    sandbox.run(&["undo"]).exits(0);
    check("one\n");
    // A file that is overwritten in place is locked, so it remains open.
    let errors = run("--in-place", "one", "two").exits(2).errors();
    assert_eq!(errors.matches("Too many open files").count(), 1, "{errors}");
    assert!(errors.contains(" of 80 could be opened"), "{errors}");
    assert!(errors.contains("hint: ulimit -Hn  # the limit of open files"), "{errors}");
    check("one\n");
}

#[test]
fn documents_over_a_gibibyte_are_refused_without_reading_them() {
    let sandbox = Sandbox::new();
    let file = std::fs::File::create(sandbox.path("a.txt")).expect("a file");
    file.set_len((1 << 30) + 1).expect("a sparse file");
    let run = sandbox.run(&["patch", "append", "a.txt", "-c", "x", "--binary", "--json"]);
    assert!(run.exits(2).errors().contains("FILE_TOO_LARGE"));
}

#[test]
fn a_checksum_guards_the_file_that_was_read() {
    let sandbox = Sandbox::with(&[("a.txt", LINES)]);
    let edit = ["replace", "a.txt:2", "-c", "x", "--if-match"];
    let read = sandbox.run(&["read", "a.txt", "--checksum"]).succeeds().text();
    let digest = read.split(' ').next().unwrap();
    assert_eq!(digest, checksum(LINES));
    sandbox.write("a.txt", "other\ntwo\n");
    check_refused_with_hint(&sandbox, &[&edit[..], &[digest]].concat(), 4, "CHECKSUM_MISMATCH");
    // An empty or short string is not a valid checksum.
    for wrong in ["", "abc", "not hexadecimal"] {
        let outcome = sandbox.run(&[&["patch"], &edit[..], &[wrong]].concat()).exits(2);
        assert!(outcome.errors().contains("not a checksum"), "{outcome}");
    }
    assert_eq!(sandbox.text("a.txt"), "other\ntwo\n");
    sandbox.write("a.txt", LINES);
    patch(&sandbox, &[&edit[..], &[digest]].concat());
    assert_eq!(sandbox.text("a.txt"), LINES.replace("two", "x"));
    let part = ["replace", "a.txt:3", "-c", "y", "--if-range-match"];
    check_refused_with_hint(&sandbox, &[&part[..], &[digest]].concat(), 4, "CHECKSUM_MISMATCH");
    patch(&sandbox, &[&part[..], &[&checksum("three\n")]].concat());
    assert_eq!(sandbox.text("a.txt"), "one\nx\ny\nfour\n");
}

#[test]
fn an_empty_checksum_is_refused() {
    for guard in ["--if-match=", "--if-range-match="] {
        check_refused("a.txt", b"a\n", &["delete", "--lines", "1", guard], 2, "INVALID_ARGUMENT");
    }
    let sandbox = Sandbox::with(&[("a.txt", "a\n")]);
    let edit = r#"{"address":"a.txt:1","operation":"delete","ifMatch":""}"#;
    sandbox.run_with_input(&["patch", "apply", "-", "--json"], edit).exits(2);
    assert_eq!(std::fs::read(sandbox.path("a.txt")).unwrap(), b"a\n");
}

#[test]
fn guards_are_checked_before_applied_edits() {
    let bump = ["replace", "--text", "v1.0.0", "-c", "v2.0.0"];
    let expecting = [&bump[..], &["--expect", "2"]].concat();
    check_text_refusal(
        "a.txt",
        "a = v2.0.0\n",
        &expecting,
        4,
        "'v1.0.0' is not there, and not 2 times",
    );
    let in_section = [&bump[..], &["--in", "B"]].concat();
    let text = "# A\n\nuse v2.0.0\n\n# B\n\nuse v1.0.2\n";
    let run =
        check_text_refusal("a.md", text, &in_section, 1, "text not found: 'v1.0.0' in section 'B'");
    assert!(!run.errors().contains("the replacement already appears"), "{run}");
}
