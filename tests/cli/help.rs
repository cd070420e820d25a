//! The pages of `folio help`: they are correct and short, and their examples work.

use crate::support::Sandbox;

fn page(name: &str) -> String {
    Sandbox::new().run(&["help", name]).succeeds().text()
}

#[test]
fn every_error_code_is_explained() {
    let schema = Sandbox::new().run(&["schema", "patch"]).succeeds().json_text();
    let codes = schema["$defs"]["Code"]["oneOf"].as_array().unwrap().clone();
    let page = page("exit-status");
    for code in codes {
        let code = code["const"].as_str().unwrap();
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
    for name in ["addresses", "exit-status", "agents", "mcp", "selecting", "ripgrep"] {
        for line in page(name).lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn an_unknown_page_lists_all_pages() {
    let sandbox = Sandbox::new();
    sandbox.run(&["help", "adresses"]).exits(2).tells("folio help addresses");
}

/// Checks that every command on the page runs unchanged, in the order of the page.
#[test]
fn the_commands_for_agents_work() {
    let log = "# Log\n\n".to_owned()
        + &"x\n".repeat(117)
        + "[LOG-015] - [DECISION] keep the cache\n"
        + &"y\n".repeat(24)
        + "[LOG-016] - z\n";
    let guide = "---\ntitle: A guide\n---\n# Guide\n\n## Install\n\nmake\n\n```bash\nmake\n```\n\n\
                 ## Usage\n\n- a\n\n## Old\n\nb\n";
    let sandbox = Sandbox::with(&[
        ("Cargo.toml", "[package]\nversion = \"0.1.0\"\n"),
        ("ci.yml", "jobs:\n  test:\n    steps:\n      - name: x\n"),
        ("WORK.md", log.as_str()),
        ("docs/a.md", "# A\n\nTODO timeout v1: [use](../guide.md#usage)\n\n## B\n\n## B\n"),
        ("guide.md", guide),
        ("archive.md", "# Archive\n"),
        ("install.txt", "Run make.\n\n```bash\nmake\n```\n"),
        ("app.py", "timeout = 30\n"),
        ("app.ini", "[database]\nhost = \"a\" ; b\n[old]\na = 1\n"),
        ("edits.jsonl", "{\"address\":\"WORK.md:3-5\",\"operation\":\"delete\"}\n"),
    ]);
    let page = page("agents");
    let rows = page.lines().filter_map(|line| line.strip_prefix("    ")?.split_once("  "));
    let commands: Vec<&str> = rows.map(|(_, command)| command.trim_start()).collect();
    assert!((25..=40).contains(&commands.len()), "{} commands", commands.len());
    for command in commands {
        let script = command.replace("folio ", &format!("{} ", env!("CARGO_BIN_EXE_folio")));
        let mut shell = sandbox.command_of("sh");
        let run = crate::support::outcome(shell.arg("-c").arg(&script), b"");
        assert_eq!(run.status, Some(0), "{command}\n{run}");
        assert!(command.contains("links") || !run.stdout.is_empty(), "{command}\n{run}");
    }
    let text = |name: &str| std::fs::read_to_string(sandbox.path(name)).unwrap();
    let left = guide.split("## Usage").next().unwrap();
    assert_eq!(text("guide.md").replace("A line.\n", ""), {
        left.replace("make\n\n```bash\nmake\n", "Run make.\n\n```bash\nmake\n")
            .trim_end()
            .to_owned()
            + "\n"
    });
    assert_eq!(text("archive.md"), "# Archive\n\n## Use\n\n- a\n- A line.\n");
    assert_eq!(text("app.py"), "timeout = 60\n");
    assert_eq!(text("app.ini"), "[database]\nhost = \"db\" ; b\n[old]\na = 1\n");
    assert_eq!(
        text("docs/a.md"),
        "# A\n\nTODO timeout v2: [use](../archive.md#use)\n\n## B\n\n## B\n"
    );
}

/// The block contains the commands of the page, which `the_commands_for_agents_work` runs, and the
/// front matter that the format of the agent's file requires. It has at most 1,200 tokens of 4
/// bytes.
#[test]
fn instructions_have_the_format_of_each_agent() {
    let text = page("agents");
    for (agent, file, front_matter) in [
        ("claude", "SKILL.md", Some("name: folio\ndescription: ")),
        ("cursor", "folio.mdc", Some("description: ")),
        ("copilot", "folio.instructions.md", Some("applyTo: \"**\"\n")),
        ("agents-md", "AGENTS.md", None),
    ] {
        let run = Sandbox::new()
            .run(&["help", "agents", "--for", agent])
            .exits(0)
            .tells(&format!("{file}\n"));
        let block = run.text();
        assert!(block.len() <= 4800, "{agent}: {} bytes", block.len());
        let body = match front_matter {
            Some(first) => {
                let (keys, body) =
                    block.strip_prefix("---\n").unwrap().split_once("---\n\n").unwrap();
                assert!(keys.starts_with(first), "{keys}");
                body.to_owned()
            }
            None => block.strip_prefix('#').unwrap().to_owned(),
        };
        assert_eq!(body, text, "{agent}");
    }
    let refuses = |line: &[&str], message: &str| {
        let run = Sandbox::new().run(&[&["help", "agents"], line].concat()).exits(2);
        run.tells(message).tells("hint: folio help agents --for claude");
    };
    refuses(&["--for", "vi"], "--for: 'vi' is not one of claude, cursor, copilot, agents-md");
    refuses(&["--for"], "--for needs a value");
    refuses(&["-x"], "unexpected argument '-x'");
}

/// Limits the length of the help, because an agent may read it before each call.
#[test]
fn short_help_is_short() {
    let sandbox = Sandbox::new();
    let help = |words: &[&str]| sandbox.run(words).succeeds().text();
    for command in sandbox.run(&["--list"]).succeeds().text().lines() {
        let (short, long) = (help(&[command, "-h"]), help(&[command, "--help"]));
        assert!(short.lines().count() <= 35, "{command}: {}\n{short}", short.lines().count());
        // Each operation of patch has its own help.
        assert!(long.lines().count() <= 120 || command == "patch", "{command}: {long}");
        assert!(short.ends_with(&format!("All options: folio {command} --help\n")), "{short}");
        assert!(long.len() > short.len() || !short.contains("Examples:"), "{command}");
        let examples = short.lines().skip_while(|line| *line != "Examples:").skip(1);
        assert!(examples.take_while(|line| !line.is_empty()).all(|line| long.contains(line)));
    }
    for operation in [
        "replace", "insert", "append", "delete", "rename", "move", "copy", "create", "set", "apply",
    ] {
        let short = help(&["patch", operation, "-h"]);
        assert!(short.lines().count() <= 25, "{operation}: {}\n{short}", short.lines().count());
        assert_eq!(short.matches(&format!("folio patch {operation} ")).count(), 4, "{short}");
        assert!(short.contains("--dry-run"), "{short}");
    }
    let read = help(&["read", "-h"]);
    let place = |flag: &str| read.find(flag).unwrap_or_else(|| panic!("{flag}: {read}"));
    assert!(place("--section") < place("--to-next") && place("--to-next") < place("--json"));
    assert!(!read.contains("--section-pattern"), "{read}");
    assert!(page("agents").lines().count() <= 80);
    let example = help(&["schema", "edits", "--example"]);
    assert!(example.lines().count() <= 20, "{example}");
}

/// Checks that the example of edits works unchanged.
#[test]
fn the_example_of_edits_works() {
    let guide = "---\ntitle: a\n---\n# G\n\n## Setup\n\nb\n\n## Usage\n\nteh once\n\n\
                 ```sh\nx\n```\n\n## Old\n\nb\n";
    let sandbox = Sandbox::with(&[
        ("guide.md", guide),
        ("archive.md", "# Archive\n"),
        ("notes.txt", "1\n2\n3\n4\n5\nv1\n"),
        ("app.ini", "[database]\nhost = a\n[old]\nb = 1\n"),
        ("docs/a.md", "## Install\n\nb\n"),
    ]);
    let example = sandbox.run(&["schema", "edits", "--example"]).succeeds().stdout;
    let schema = sandbox.run(&["schema", "edits"]).succeeds().json_text();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let run = sandbox.run_with_input(&["patch", "apply", "-", "--json"], example.clone());
    run.exits(0);
    for line in String::from_utf8(example).unwrap().lines() {
        assert!(validator.is_valid(&serde_json::from_str(line).unwrap()), "{line}");
    }
    sandbox.run(&["schema", "read", "--example"]).exits(2).tells("folio schema edits --example");
}

/// Checks the help of each operation, and runs its examples.
#[test]
fn every_operation_has_help_with_working_examples() {
    let operations = [
        "replace", "insert", "append", "delete", "rename", "move", "copy", "create", "set", "apply",
    ];
    let mut pages = Vec::new();
    for operation in operations {
        let sandbox = Sandbox::with(&[
            ("README.md", "# Guide\n\n## Install\n\nteh\n\n```bash\nv1\n```\n\n## Usage\n\ntext\n"),
            ("CHANGELOG.md", "# Changes\n\n## Unreleased\n\n- Small.\n"),
            ("TODO.md", "- [ ] one\n- [ ] two\n- [ ] three\n"),
            ("app.ini", "[database]\nhost = a\nuser = b\n"),
            ("Cargo.toml", "[package]\nversion = \"0.1.0\"\n"),
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
            // `--check` exits with 1, because the edit would change something.
            let expected = i32::from(line.contains("--check"));
            assert_eq!(run.status, Some(expected), "{example}\n{run}");
        }
        pages.push((operation, help));
    }
    let tells = |operation: &str, flag: &str| {
        pages.iter().any(|(name, help)| *name == operation && help.contains(flag))
    };
    assert!(tells("move", "--to ") && !tells("replace", "--to "));
    assert!(tells("rename", "--links-in") && !tells("delete", "--content"));
    assert!(!tells("create", "--section ") && !tells("apply", "--occurrence"));
    for operation in ["create", "apply"] {
        assert!(!tells(operation, "--innermost") && !tells(operation, "--outside-code"));
    }
    assert!(!tells("rename", "--no-children") && !tells("set", "--text "));
    assert!(tells("apply", r#""operation":"replace""#) && tells("create", "--dry-run"));
}

/// Each operation refuses options that its help does not list. Hints suggest the same operation.
#[test]
fn operations_refuse_options_that_their_help_does_not_list() {
    let sandbox = Sandbox::with(&[("x/a.md", "# A\n"), ("y/a.md", "# A\n"), ("a.json", "{}\n")]);
    for (line, expected) in [
        ("create n.md -c x --if-match 0123456789ab", "--if-match cannot be used with create"),
        ("rename x/a.md -s A -c B --no-children", "--no-children cannot be used with rename"),
        (
            "delete x/a.md -s A --no-preserve-indent",
            "can only be used with replace, insert or append",
        ),
        ("apply e.json --exact", "--exact cannot be used with apply"),
        ("delete a.md --resolve -s A", "hint: folio patch delete x/a.md -s A"),
    ] {
        let line: Vec<&str> = ["patch"].into_iter().chain(line.split(' ')).collect();
        sandbox.run(&line).tells(expected);
    }
    let outcome = sandbox.run(&["read", "a.json", "--key", "k"]).exits(1);
    assert!(!outcome.to_string().contains("--as ini"), "{outcome}");
}

/// Compares the short options of the most common targets.
#[test]
fn read_and_patch_have_the_same_short_options() {
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
