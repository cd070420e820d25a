//! Checks that every command escapes foreign text on a terminal.

use crate::support::terminal::screen_after;
use crate::support::{Sandbox, checksum};

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
        let own = color
            .and_then(|part| part.strip_prefix(['m', 'K']))
            .filter(|_| !part.starts_with("[7m"));
        let link = part
            .strip_prefix("]8;;")
            .map(|url| url.trim_start_matches(|c: char| c.is_ascii_graphic() && c != '\\'));
        match own.or(link).or(part.strip_prefix('\\')) {
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
