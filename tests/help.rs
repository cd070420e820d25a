//! The pages of `folio help`: true, short, and their examples work.

use crate::support::Sandbox;

fn page(name: &str) -> String {
    Sandbox::new().run(&["help", name]).succeeds().text()
}

#[test]
fn every_error_code_is_explained() {
    let schema = Sandbox::new().run(&["schema", "patch"]).succeeds().json_text();
    let codes = schema["$defs"]["error"]["properties"]["code"]["enum"].as_array().unwrap().clone();
    let page = page("exit-status");
    for code in codes {
        let code = code.as_str().unwrap();
        assert!(page.split_whitespace().any(|word| word == code), "{code}");
    }
}

#[test]
fn the_page_for_agents_is_short() {
    let words = page("agents").split_whitespace().count();
    assert!((300..1200).contains(&words), "{words} words");
}

#[test]
fn pages_fit_a_terminal() {
    for name in ["addresses", "exit-status", "agents", "mcp", "ripgrep"] {
        for line in page(name).lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn a_page_that_is_not_there_names_those_that_are() {
    let sandbox = Sandbox::new();
    sandbox.run(&["help", "adresses"]).exits(2).tells("folio help addresses");
}

/// Every command of the page is run as it stands, in the order of the page.
#[test]
fn the_examples_for_agents_work() {
    let log = "# Log\n\n".to_owned()
        + &"x\n".repeat(117)
        + "[LOG-015] - [DECISION] keep the cache\n"
        + &"y\n".repeat(24)
        + "[LOG-016] - z\n";
    let sandbox = Sandbox::with(&[
        ("WORK.md", log.as_str()),
        ("docs/a.md", "# A\n"),
        ("DIR/x.md", "# X\nPATTERN\n"),
        ("guide.md", "# Guide\n\n## Install\n\nold\n\n## Use\n"),
        ("app.py", "timeout = 30\n"),
        ("app.ini", "[database]\nhost = \"a\" ; b\n"),
        ("a.md", "# Setup\n"),
        ("b.ini", "[old]\na = 1\n[new]\n"),
    ]);
    let page = page("agents");
    let mut script = String::from("set -e\n");
    let mut commands = 0;
    for line in page.lines() {
        // Blank lines stand in a text that is put in.
        if line.is_empty() {
            script.push('\n');
        }
        let Some(code) = line.strip_prefix("    ") else { continue };
        let code = code.trim_start_matches("   ");
        if code.starts_with("WORK.md:") {
            continue;
        }
        commands += usize::from(code.starts_with("folio "));
        script.push_str(code);
        script.push('\n');
    }
    assert!(commands >= 8, "{commands} commands");
    let script = script.replace("folio ", &format!("{} ", env!("CARGO_BIN_EXE_folio")));
    let mut shell = sandbox.command_of("sh");
    let run = crate::support::outcome(shell.arg("-c").arg(&script), b"").exits(0);
    assert!(run.text().contains("120-144"), "{}", run.text());
    let text = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    assert_eq!(text("guide.md"), "# Guide\n\n## Install\n\nRun `make install`.\n\n## Use\n");
    assert_eq!(text("app.py"), "timeout = 60\n");
    assert_eq!(text("app.ini"), "[database]\nhost = \"db.example\" ; b\n");
    assert_eq!((text("a.md"), text("b.ini")), ("# Install\n".to_owned(), "[new]\n".to_owned()));
}

/// The help of an operation, and that its examples run.
#[test]
fn every_operation_tells_of_itself() {
    let operations = [
        "replace", "insert", "append", "delete", "rename", "move", "copy", "create", "set", "apply",
    ];
    let mut told = Vec::new();
    for operation in operations {
        let sandbox = Sandbox::with(&[
            ("README.md", "# Guide\n\n## Install\n\nteh\n\n## Usage\n\ntext\n"),
            ("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n- Small.\n"),
            ("TODO.md", "- [ ] one\n- [ ] two\n- [ ] three\n"),
            ("app.ini", "[database]\nhost = a\nuser = b\n"),
            ("other.ini", "[web]\nport = 1\n"),
            ("install.md", "## Install\n\nmake\n"),
            ("docs/a.md", "[x](../README.md#install)\n"),
            (
                "edits.json",
                r#"{"filePath":"README.md","operation":"replace",
                "target":{"body":"Install"},"content":"Run make."}"#,
            ),
        ]);
        let help = sandbox.run(&["patch", operation, "--help"]).succeeds().text();
        assert!(help.contains(&format!("Usage: folio patch {operation} ")), "{help}");
        let examples: Vec<&str> = help
            .lines()
            .filter(|line| line.contains("  folio patch ") || line.contains("| folio patch "))
            .collect();
        let examples: Vec<&str> = examples.into_iter().rev().take(3).collect();
        assert_eq!(examples.len(), 3, "{help}");
        for example in examples {
            let line = example.replace("folio ", &format!("{} ", env!("CARGO_BIN_EXE_folio")));
            let fresh = Sandbox::new();
            let mut copy = sandbox.command_of("cp");
            crate::support::outcome(copy.args(["-a", "."]).arg(fresh.path("")), b"").succeeds();
            let mut shell = fresh.command_of("sh");
            let run = crate::support::outcome(shell.arg("-c").arg(&line), b"");
            // --check says that there is something to do.
            let expected = i32::from(line.contains("--check"));
            assert_eq!(run.status, Some(expected), "{example}\n{run}");
        }
        told.push((operation, help));
    }
    let tells = |operation: &str, flag: &str| {
        told.iter().any(|(name, help)| *name == operation && help.contains(flag))
    };
    assert!(tells("move", "--to ") && !tells("replace", "--to "));
    assert!(tells("rename", "--links-in") && !tells("delete", "--content"));
    assert!(!tells("create", "--section ") && !tells("apply", "--occurrence"));
    assert!(tells("apply", r#""operation":"replace""#) && tells("create", "--dry-run"));
}

/// The letters of the commonest targets.
#[test]
fn letters_are_the_same_in_read_and_patch() {
    let sandbox =
        Sandbox::with(&[("g.md", "# A\n\nteh\n\n```sh\nx\n```\n"), ("a.ini", "[s]\nkey = 1\n")]);
    for (letters, words) in [
        (&["g.md", "-s", "A"][..], &["g.md", "--section", "A"][..]),
        (&["g.md", "-T", "teh"], &["g.md", "--text", "teh"]),
        (&["g.md", "-e", "t.h"], &["g.md", "--pattern", "t.h"]),
        (&["a.ini", "-s", "s", "--key", "key"], &["a.ini", "--section", "s", "--key", "key"]),
    ] {
        for command in [&["read"][..], &["patch", "delete", "--dry-run", "--force"]] {
            let run = |arguments: &[&str]| sandbox.run(&[command, arguments].concat()).succeeds();
            assert_eq!(run(letters).text(), run(words).text(), "{letters:?}");
        }
    }
}
