//! Values that folio writes to `.env` files, as other programs read them.

use crate::support::Sandbox;
use crate::support::edits::{check_edit, edit};

/// Programs that print the variable A of `.env`.
const READERS: &[(&str, &[&str])] = &[
    ("sh", &["sh", "-c", "unset A; . ./.env; printf %s \"$A\""]),
    ("bash", &["bash", "-c", "unset A; . ./.env; printf %s \"$A\""]),
    ("Node.js", &["node", "--env-file=.env", "-e", "process.stdout.write(process.env.A)"]),
    (
        "dotenv",
        &[
            "node",
            "-e",
            "const text = require('fs').readFileSync('.env');
            process.stdout.write(require('dotenv').parse(text).A)",
        ],
    ),
    (
        "python-dotenv",
        &[
            "python3",
            "-c",
            "import sys, dotenv\nsys.stdout.write(dotenv.dotenv_values('.env')['A'])",
        ],
    ),
];

/// Returns what a program reads, or `None` if it fails or is not installed.
fn read(sandbox: &Sandbox, reader: &[&str]) -> Option<String> {
    let mut command = sandbox.command_of(reader[0]);
    command.args(&reader[1..]);
    for name in ["NODE_PATH", "PYTHONPATH"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

#[test]
fn programs_read_values_alike() {
    let olds = [
        "A=old",
        "A=\"old\"",
        "A='old'",
        "export A=old",
        "A=old # c",
        "A=",
        "A= # c",
        "A=\t# it's",
        "A=\"o\\nd\"",
        "A=\"1\n2\" # \"c\"",
    ];
    let values = [
        "x",
        "",
        "a b",
        " a ",
        "p#w",
        "x #y",
        "#",
        "say \"hi\"",
        "{\"a\":1}",
        "it's",
        "\"q\"x",
        r"C:\new\table",
        r"a\b",
        "$HOME",
        "pa$$w",
        "`id`",
        "a&b;c|d",
        "~/x",
        "a:~",
        "(x)",
        "a=b",
        "a\nb",
        "a\n# b\nc",
        "a\tb",
        "é",
        "\u{a0}",
        "http://u:p@h:1/?q=1&r=2#f",
    ];
    let sandbox = Sandbox::with(&[(".env", "A=x\n")]);
    let is_there = |(name, reader): &&(&str, &[&str])| {
        let is_there = read(&sandbox, reader).as_deref() == Some("x");
        if !is_there {
            eprintln!("skipped: {name} is not installed");
        }
        is_there
    };
    let readers: Vec<_> = READERS.iter().filter(is_there).collect();
    for (number, value) in values.iter().enumerate() {
        let old = olds[number % olds.len()];
        sandbox.write(".env", format!("# c\n{old}\nB=2\n"));
        let set = ["patch", "set", ".env", "--key", "A", "--type", "string", "-c", value];
        sandbox.run(&set).succeeds();
        let text = std::fs::read_to_string(sandbox.path(".env")).unwrap();
        for (name, reader) in &readers {
            assert_eq!(read(&sandbox, reader).as_deref(), Some(*value), "{name}: {text}");
        }
        sandbox.run(&["read", ".env", "--key", "A", "--value"]).prints(format!("{value}\n"));
    }
}

#[test]
fn values_without_a_common_form_are_refused() {
    let values = ["it's \"x\"", r"C:\dir\", r"\\host\x", "${HOME}", "a\r\nb", r"it's C:\new"];
    for value in values {
        for arguments in [["set", "--key", "A"], ["set", "--key", "N"], ["insert", "--key", "N"]] {
            let arguments = [&arguments[..], &["-c", value]].concat();
            let edited = edit(".env", b"A=1\n", &arguments);
            assert_eq!((edited.status, &*edited.after.0), (2, &b"A=1\n"[..]), "{value}");
            assert!(
                edited.errors.contains("read no form of this value alike"),
                "{}",
                edited.errors
            );
        }
    }
    let line = ["replace", "--key", "A", "-c", r#"A="it's \"x\"""#];
    check_edit(".env", "A=1\n", &line, "A=\"it's \\\"x\\\"\"\n");
}

#[test]
fn every_edit_writes_values_in_a_common_form() {
    let sandbox = Sandbox::with(&[
        (".env", "export A=1 # c\nB=a b\n"),
        ("a.json", "{\"J\": \"p#w\", \"K\": \"say \\\"hi\\\"\"}\n"),
    ]);
    let patch = |arguments: &[&str]| {
        sandbox.run(&[&["patch"][..], arguments].concat()).succeeds();
    };
    patch(&["replace", ".env", "--key", "A", "--value", "-c", "p#w"]);
    patch(&["copy", ".env", "--key", "B", "--to", ".env#E"]);
    patch(&["set", ".env", "--key", "B", "-c", "a b"]);
    patch(&["insert", ".env", "--key", "C", "-c", r"a\b"]);
    patch(&["copy", "a.json", "--key", "J", "--to", ".env"]);
    patch(&["move", "a.json", "--key", "K", "--to", ".env"]);
    patch(&["rename", ".env", "--key", "C", "-c", "D"]);
    let text = "export A=\"p#w\" # c\nB=\"a b\"\nE=\"a b\"\nD='a\\b'\nJ='p#w'\nK='say \"hi\"'\n";
    assert_eq!(std::fs::read_to_string(sandbox.path(".env")).unwrap(), text);
}
