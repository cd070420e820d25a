//! Foreign text on a terminal is escaped by every command.

use std::process::Stdio;

use crate::support::terminal::{screen, screen_after};
use crate::support::{Sandbox, checksum, outcome};

/// Hostile text: a color that folio does not use, a command to clear the screen, the same command
/// as one character, right-to-left text, and invisible characters.
const HOSTILE: &str = "h\u{1b}[7m\u{1b}[2J\u{9b}2J\u{202e}\u{200b}";

/// Whether a terminal would do something other than show text, colors and hyperlinks.
fn acts(shown: &str) -> bool {
    let mut rest = String::new();
    let mut parts = shown.split('\u{1b}');
    rest.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let color = part
            .strip_prefix('[')
            .map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        // Progress is shown on a line that is cleared.
        let after_color = color
            .and_then(|part| part.strip_prefix(['m', 'K']))
            .filter(|_| !part.starts_with("[7m"));
        let link = part
            .strip_prefix("]8;;")
            .map(|url| url.trim_start_matches(|c: char| c.is_ascii_graphic() && c != '\\'));
        match after_color.or(link).or(part.strip_prefix('\\')) {
            Some(part) => rest.push_str(part),
            None => return true,
        }
    }
    rest.chars().any(|c| c.is_control() && !"\n\r\t".contains(c) || "\u{202e}\u{200b}".contains(c))
}

fn sandbox() -> Sandbox {
    let text = format!(
        "# {HOSTILE}\n\n[l{HOSTILE}](<gone{HOSTILE}.md> \"{HOSTILE}\")\n\n## B {HOSTILE}\n\n<a id=\"{HOSTILE}\"></a>\n\n```{HOSTILE}\n{HOSTILE}\n```\n"
    );
    let sandbox = Sandbox::with(&[("a.md", "# A\n\nx\n")]);
    sandbox.write(format!("d/{HOSTILE}.md"), &text);
    sandbox.write(format!("d/{HOSTILE}/x.md"), &text);
    sandbox.write(format!("d/{HOSTILE}.ini"), format!("[{HOSTILE}]\n{HOSTILE} = {HOSTILE}\n"));
    sandbox
}

#[test]
fn no_command_sends_control_sequences_from_documents() {
    let name = format!("d/{HOSTILE}.md");
    let (name, ini, new) = (&*name, &*format!("d/{HOSTILE}.ini"), &*format!("d/new{HOSTILE}.md"));
    let sum = checksum("");
    let lines: &[&[&str]] = &[
        &["inspect", "d"],
        &["inspect", name],
        &["inspect", "d", "--matching", "h"],
        &["inspect", name, "--checksum", "--tokens"],
        &["read", name],
        &["read", name, ini],
        &["read", name, "--checksum"],
        &["read", name, "--section", HOSTILE],
        &["read", name, "--show-whitespace", "-n"],
        &["read", name, "--breadcrumbs", "--lines", "5-6"],
        &["read", "--batch", name],
        &["grep", "h", "d"],
        &["grep", "-k", "h", "d"],
        &["grep", "-W", "h", "d"],
        &["grep", "-l", "h", "d"],
        &["grep", "-c", "h", "d"],
        &["grep", "-o", "h.*", "d"],
        &["grep", "--style", "blocks", "h", "d"],
        &["grep", "--stats", "h", "d"],
        &["list", "d"],
        &["list", "d", "-l", "--titles"],
        &["list", "d", "--mode", "tree", "--files", "--depth", "3"],
        &["links", "d"],
        &["links", "d", "--format", "github"],
        &["links", "d", "--fix", "--dry-run"],
        &["patch", "append", name, "-c", HOSTILE, "--checksum"],
        &["patch", "append", name, "-c", HOSTILE, "--diff"],
        &["patch", "replace", "d", "--text", "x", "-c", HOSTILE],
        &["patch", "replace", name, "--section", HOSTILE, "-c", HOSTILE, "--dry-run"],
        &["patch", "replace", name, "--if-match", &sum, "--text", "h", "-c", "x"],
        &["patch", "set", ini, "-s", HOSTILE, "--key", "k", "-c", HOSTILE],
        &["patch", "create", new, "-c", HOSTILE, "--checksum"],
        &["patch", "move", new, "--to", &format!("{new}2"), "--checksum", "--links"],
        &["patch", "rename", name, "--heading", HOSTILE, "-c", "x"],
        &["undo", "--list"],
        &["undo", "--dry-run"],
        &["undo"],
        &["redo"],
        &["collection", "add", "c", "d", "--description", HOSTILE, "--version", HOSTILE],
        &["collection", "list"],
        &["collection", "show", "c"],
        &["search", "h", "-c", "c"],
        &["related", name],
        &["inspect", "d", "--json"],
        &["help", HOSTILE],
    ];
    let sandbox = sandbox();
    let mut problems = Vec::new();
    let mut check = |arguments: &[&str]| {
        for color in [&["--color=never"][..], &["--color=always"], &[]] {
            let shown = screen_after(sandbox.command().args(arguments).args(color), 80, b"n\n");
            if acts(&shown) {
                problems.push(format!("{arguments:?} {color:?}: {shown:?}"));
            }
        }
    };
    lines.iter().for_each(|line| check(line));
    for toml in
        ["[links]\nsite = 'H'", "name = 'H'\ndescription = 'H'", "H = 1", "[formats]\n'H' = 'H'"]
    {
        let quoted = HOSTILE.replace('\u{1b}', "\\u001b").replace('\u{9b}', "\\u009b");
        sandbox.write("folio.toml", toml.replace('\'', "\"").replace('H', &quoted));
        [&["links", "d"][..], &["collection", "add", "."], &["inspect"]]
            .iter()
            .for_each(|line| check(line));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_terminal_gets_no_control_characters() {
    let sandbox = Sandbox::new();
    let name = "a\x1b[31m\u{202e}.md";
    sandbox.write(name, "# \x1b]0;title\x07Red\u{200b}\nbody\x1b[5m\n");
    for line in [
        r#""$FOLIO" inspect "$NAME""#,
        r#""$FOLIO" inspect "$NAME" --mode search --query body"#,
        r#""$FOLIO" read "$NAME""#,
        r#""$FOLIO" read -n "$NAME" "$NAME""#,
        r#""$FOLIO" read "$NAME.gone""#,
        r#""$FOLIO" read "$NAME" --section zzz"#,
    ] {
        let mut command = sandbox.command_of("script");
        command.args(["-qec", line, "/dev/null"]);
        command.env("FOLIO", env!("CARGO_BIN_EXE_folio")).env("NAME", name).env("TERM", "dumb");
        if command.stdin(Stdio::null()).output().is_err() {
            eprintln!("skipped: there is no script(1)");
            return;
        }
        let shown = outcome(&mut command, b"").text();
        assert!(shown.contains("u{1b}") || shown.contains("x1b"), "{line}: {shown:?}");
        for raw in ["\x1b", "\x07", "\u{202e}", "\u{200b}"] {
            assert!(!shown.contains(raw), "{line}: {shown:?}");
        }
    }
}

#[test]
fn foreign_text_is_escaped_on_a_terminal() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n")]);
    for odd in ["\u{61c}", "\u{85}", "\u{ad}", "\u{202e}", "\u{3164}", "\u{e0001}", "\u{1b}"] {
        let (word, flag) = (format!("x{odd}y"), format!("--x{odd}y"));
        for arguments in [
            &[&word[..]][..],
            &["help", &word],
            &["man", &word],
            &["schema", &word],
            &[&flag],
            &["read", &flag],
            &["read", "--lines", &word, "a.md"],
            &["list", "--sort", &word],
            &["read", &word],
            &["patch", &word, "a.md"],
            &["completions", &word],
            &["--install", &word],
        ] {
            let shown = screen(sandbox.command().args(arguments), 80);
            let escaped = odd.escape_unicode().to_string();
            assert!(shown.contains(&escaped), "{arguments:?}: {shown:?}");
            assert!(!shown.contains(&format!("x{odd}")), "{arguments:?}: {shown:?}");
        }
    }
}
