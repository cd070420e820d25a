//! The cost of a command must not grow faster than the length of its document, for each shape of
//! document and each command. The cost is measured in instructions of a release build, and in peak
//! memory use.

use std::fs::{self, File};
use std::process::{Output, Stdio};

use crate::support::{Sandbox, outcome};

#[path = "../benches/instructions/callgrind.rs"]
mod callgrind;

/// Creates a document of about this size in bytes.
type Shape = fn(usize) -> String;

fn repeated(unit: &str, length: usize) -> String {
    unit.repeat(length / unit.len() + 1)
}

/// Creates numbered lines up to the given length.
fn numbered(length: usize, line: impl Fn(usize) -> String) -> String {
    let count = length / line(1000).len() + 1;
    (0..count).map(line).collect()
}

fn under(first: &str, rest: &str) -> String {
    format!("{first}{rest}")
}

const SHAPES: &[(&str, Shape)] = &[
    ("blank.md", |n| format!("# A\n{}# B\nx\n", "\n".repeat(n))),
    ("blank-end.md", |n| format!("# A\nx\n\n# B\n{}", "\n".repeat(n))),
    ("quoted-blank.md", |n| format!("# A\n{}\n# B\nx\n", repeated(">\n", n))),
    ("long-line.md", |n| format!("# A\n{}\n# B\n", repeated("a e ", n))),
    ("same.md", |n| repeated("# B\n", n)),
    ("headings.md", |n| numbered(n, |at| format!("# B{at}\n"))),
    ("levels.md", |n| numbered(n, |at| format!("{} B{at}\n\ntext\n", "#".repeat(at % 6 + 1)))),
    ("setext.md", |n| repeated("B\n=\n", n)),
    ("underlines.md", |n| under("# B\n", &repeated("===\n", n))),
    ("quotes.md", |n| format!("{} # B\n", ">".repeat(n))),
    ("lists.md", |n| format!("{}# B\n", "- ".repeat(n / 2))),
    ("items.md", |n| numbered(n, |at| format!("{}- # B\n", "  ".repeat(at % 100)))),
    ("brackets.md", |n| under("# B\n", &"[".repeat(n))),
    ("heading-links.md", |n| format!("# {}\n# B\n", repeated("[a](", n))),
    ("definitions.md", |n| {
        under("# B\n", &numbered(n, |at| format!("[x{at}]: <http://a.e/{at}> \"a e\"\n")))
    }),
    ("open-definitions.md", |n| under("# B\n", &repeated("[x]: \n", n))),
    ("references.md", |n| {
        let used = numbered(n / 2, |at| format!("[x{at}]\n\n"));
        format!("# B\n{used}{}", numbered(n / 2, |at| format!("[x{at}]: #b\n")))
    }),
    ("links.md", |n| under("# B\n", &numbered(n, |at| format!("[x{at}](#b{at})\n")))),
    ("own-links.md", |n| under("# B\n", &repeated("[a](#b) ", n))),
    ("backticks.md", |n| under("# B\n", &numbered(n, |at| "`".repeat(at % 300 + 1) + "a "))),
    ("emphasis.md", |n| format!("# {}\n# B\n", repeated("*a_ ", n))),
    ("code.md", |n| under("# B\n", &repeated("```sh\nx\n```\n", n))),
    ("tables.md", |n| under("# B\n", &repeated("| a | b |\n|---|---|\n| 1 | 2 |\n\n", n))),
    ("long-table.md", |n| under("# B\n| a | b |\n|---|---|\n", &repeated("| 1 | 2 |\n", n))),
    ("wide-table.md", |n| {
        let (head, marks) = ("|a".repeat(n / 5), "|-".repeat(n / 5));
        format!("# B\n{head}|\n{marks}|\n{}\n", "|1".repeat(n / 10))
    }),
    ("comments.md", |n| under("# B\n", &repeated("<!-- a --> x\n", n))),
    ("open-comments.md", |n| under("# B\n", &repeated("<!-- a\n", n))),
    ("tags.md", |n| under("# B\n", &repeated("<a ", n))),
    ("anchors.md", |n| under("# B\n", &numbered(n, |at| format!("<a id=\"x{at}\"></a> a\n")))),
    ("ids.md", |n| numbered(n, |at| format!("# B {{#i{at}}}\n"))),
    ("entries.md", |n| numbered(n, |at| format!("[LOG-{at}] e\nx\n"))),
    ("front-matter.md", |n| format!("---\n{}---\n# B\n", numbered(n, |at| format!("k{at}: v\n")))),
    ("flow.md", |n| format!("---\n{{{}}}\n---\n# B\n", numbered(n, |at| format!("a{at}: 1,")))),
    ("nested-flow.md", |n| {
        let depth = n / 5;
        format!("---\n{{{}{}}}\n---\n# B\n", "a: {".repeat(depth), "}".repeat(depth))
    }),
    ("list-value.md", |n| format!("---\nk:\n{}---\n# B\n", repeated("  - a\n", n))),
    ("open-front-matter.md", |n| format!("---\n{}# B\n", repeated("k: v\n", n))),
    ("toml.md", |n| format!("+++\n{}+++\n# B\n", numbered(n, |at| format!("k{at} = 1\n")))),
    ("toml-tables.md", |n| {
        format!("+++\n{}+++\n# B\n", numbered(n, |at| format!("[t{at}]\nk = 1\n")))
    }),
    ("sections.ini", |n| numbered(n, |at| format!("[s{at}]\nk=1\n"))),
    ("same.ini", |n| repeated("[B]\nk=1\n", n)),
    ("keys.ini", |n| under("[B]\n", &numbered(n, |at| format!("k{at}=1\n")))),
    ("crlf.md", |n| repeated("# B\r\n\r\n", n)),
    ("wiki.md", |n| under("# B\n", &repeated("[[a#b|c]] ", n))),
    ("footnotes.md", |n| under("# B\n", &numbered(n, |at| format!("[^{at}] x\n\n[^{at}]: y\n\n")))),
    ("entities.md", |n| format!("# {}\n# B\n", repeated("&amp;", n))),
    ("paragraph.md", |n| under("# B\n", &repeated("text\n", n))),
    ("indented.md", |n| under("# B\n", &repeated("    code\n", n))),
];

/// Arguments of commands. `FILE` represents the document.
const COMMANDS: &[&[&str]] = &[
    &["inspect", "FILE"],
    &["inspect", "FILE", "--json"],
    &["inspect", "FILE", "--only", "code"],
    &["inspect", "FILE", "--only", "tables"],
    &["inspect", "FILE", "--mode", "search", "--query", "x"],
    &["inspect", "FILE", "--containing", "x", "--outside-comments"],
    &["inspect", "FILE", "--matching", "B"],
    &["read", "FILE", "--section", "B"],
    &["read", "FILE", "--section", "B[2]"],
    &["read", "FILE#b"],
    &["read", "FILE", "--section", "no such name"],
    &["read", "FILE", "--text", "no such text"],
    &["read", "FILE", "--code-block", "99999"],
    &["read", "FILE", "--front-matter", "--key", "none"],
    &["read", "FILE", "--section", "B", "--key", "none"],
    &["grep", "e", "FILE"],
    &["grep", "-k", "x", "FILE"],
    &["grep", "-W", "x", "FILE"],
    &["grep", "-W", "--json", "B", "FILE"],
    &["grep", "--json", "x", "FILE", "--in", "B"],
    &["inspect", "FILE", "--repeated"],
    &["inspect", "FILE", "--kind", "heading,code,table,key", "--last"],
    &["inspect", "FILE", "--json", "--kind", "code,table,key"],
    &["read", "FILE", "--matching", "B"],
    &["list", ".", "--titles"],
    &["search", "-c", ".", "e B"],
    &["patch", "delete", "FILE", "--matching", "B", "--dry-run", "--force"],
    &["links", "FILE"],
    &["patch", "replace", "FILE", "--section", "B", "-c", "# B\nnew", "--dry-run", "--force"],
    &[
        "patch",
        "replace",
        "FILE",
        "--pattern",
        "[aex1]",
        "-c",
        "z",
        "--occurrence",
        "all",
        "--dry-run",
        "--force",
    ],
    &["patch", "replace", "FILE", "--text", "no such text", "-c", "z", "--dry-run"],
    &["patch", "append", "FILE", "-c", "new", "--dry-run"],
    &["patch", "insert", "FILE", "--after-heading", "B", "-c", "new", "--dry-run"],
    &["patch", "delete", "FILE", "--section", "B", "--dry-run", "--force", "--links"],
    &["patch", "delete", "FILE:2-5000", "--dry-run", "--force"],
    &["patch", "rename", "FILE", "--heading", "B[1]", "-c", "C", "--dry-run", "--links"],
    &["patch", "move", "FILE", "--section", "B", "--to", "other.md", "--dry-run", "--links"],
    &["patch", "set", "FILE", "--front-matter", "--key", "z", "-c", "1", "--dry-run"],
    &["patch", "set", "FILE", "--section", "B", "--key", "z", "-c", "1", "--dry-run"],
];

/// The shorter one of two lengths. The other one is `TIMES` as long.
const LENGTH: usize = 20_000;
const TIMES: usize = 8;

/// Maximum ratio of the two costs. For a quadratic cost, the ratio is 64.
const MOST: u64 = 16;

/// The arguments of a command for a document.
fn arguments(command: &[&str], name: &str) -> Vec<String> {
    command.iter().map(|argument| argument.replace("FILE", name)).collect()
}

fn sandbox_with(name: &str, text: &str) -> Sandbox {
    Sandbox::with(&[(name, text), ("other.md", "# Other\n")])
}

/// Returns a finding if the cost of a command grows faster than the length of the document.
fn judge(name: &str, shape: Shape, command: &[&str]) -> Option<String> {
    let cost = |length: usize| {
        let sandbox = sandbox_with(name, &shape(length));
        let arguments = arguments(command, name);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (output, count) = counted(&sandbox, &arguments, Stdio::null())?;
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code().is_some_and(|code| code < 5), "{name}: {command:?}: {errors}");
        Some(count)
    };
    let (short, long) = (cost(LENGTH)?, cost(LENGTH * TIMES)?);
    let line = command.join(" ");
    (long > MOST * short).then(|| format!("{name}: {line}: {short}, {TIMES} times as long {long}"))
}

fn judge_pairs<'a>(pairs: impl Iterator<Item = (&'a str, Shape, &'a [&'a str])>) {
    let found: Vec<String> =
        pairs.filter_map(|(name, shape, command)| judge(name, shape, command)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Returns a shape, and the first command with this name and argument.
fn pair(name: &str, first: &str, has: &str) -> (&'static str, Shape, &'static [&'static str]) {
    let (name, shape) = *SHAPES.iter().find(|(shape, _)| *shape == name).unwrap();
    let asked = |line: &&&[&str]| line[0] == first && line.contains(&has);
    (name, shape, *COMMANDS.iter().find(asked).unwrap())
}

/// Each of these commands used to take quadratic time.
#[test]
fn quadratic_costs_are_linear_now() {
    let of = pair;
    judge_pairs(
        [
            of("same.md", "patch", "rename"),
            of("same.md", "patch", "FILE:2-5000"),
            of("references.md", "patch", "[aex1]"),
            of("references.md", "patch", "delete"),
            of("references.md", "patch", "move"),
            of("links.md", "patch", "move"),
            of("footnotes.md", "patch", "move"),
            of("front-matter.md", "read", "--front-matter"),
            of("toml.md", "read", "--front-matter"),
            of("flow.md", "patch", "append"),
        ]
        .into_iter(),
    );
}

/// Length in bytes of the document for which memory is measured.
const LARGE: usize = 1_000_000;

/// Runs a command and counts its instructions. Returns `None` and prints a note if they cannot be
/// counted.
#[track_caller]
fn counted(sandbox: &Sandbox, arguments: &[&str], input: Stdio) -> Option<(Output, u64)> {
    let name = arguments.join(" ");
    if cfg!(debug_assertions) || !callgrind::is_installed() {
        eprintln!("skipped: the instructions of `{name}` need a release build and valgrind");
        return None;
    }
    let mut command = sandbox.command_of("valgrind");
    command.args(callgrind::OPTIONS).arg(env!("CARGO_BIN_EXE_folio")).args(arguments);
    let output = command.stdin(input).output().unwrap();
    let count = callgrind::count(&output);
    let count = count.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    Some((output, count))
}

/// The cost used to be quadratic, because each read examined the whole line again.
#[test]
fn the_time_for_a_long_line_is_linear() {
    let sandbox = Sandbox::new();
    let search = |length: usize| {
        sandbox.write("line", "a".repeat(length) + "\nx\n");
        let line = File::open(sandbox.path("line")).unwrap();
        let (output, count) = counted(&sandbox, &["grep", "-c", "x", "-"], line.into())?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(count)
    };
    let (Some(short), Some(long)) = (search(4 << 20), search(32 << 20)) else { return };
    assert!(long < 8 * short, "{short} instructions, and {long} for eight times the length");
}

/// Maximum peak memory of a command, in bytes, for a document of this length.
fn most_memory(length: usize) -> usize {
    20 * length + (64 << 20)
}

/// Returns a finding if a command needs more memory than allowed for its document. If memory cannot
/// be measured, prints a note and returns `None`.
fn weigh(name: &str, shape: Shape, command: &[&str], length: usize) -> Option<String> {
    let text = shape(length);
    let sandbox = sandbox_with(name, &text);
    let mut time = sandbox.command_of("/usr/bin/time");
    time.args(["-q", "-f", "%M", "-o", "peak", env!("CARGO_BIN_EXE_folio")]);
    if cfg!(debug_assertions) || !fs::exists("/usr/bin/time").unwrap() {
        eprintln!("skipped: peak memory needs a release build and /usr/bin/time");
        return None;
    }
    let done = outcome(time.args(arguments(command, name)), b"");
    assert!(done.status.is_some_and(|status| status < 5), "{name}: {command:?}: {done}");
    let peak = fs::read_to_string(sandbox.path("peak")).unwrap();
    let peak = peak.trim().parse::<usize>().unwrap() << 10;
    let most = most_memory(text.len());
    let line = command.join(" ");
    (peak > most).then(|| format!("{name}: {line}: {} MiB, over {}", peak >> 20, most >> 20))
}

fn weigh_all<'a>(all: impl Iterator<Item = (&'a str, Shape, &'a [&'a str], usize)>) {
    let found: Vec<String> = all
        .filter_map(|(name, shape, command, length)| weigh(name, shape, command, length))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Each of these commands used to need several times as much memory.
#[test]
fn large_memory_use_is_small_now() {
    let of = |name: &str, first: &str, has: &str, length: usize| {
        let (name, shape, command) = pair(name, first, has);
        (name, shape, command, length)
    };
    weigh_all(
        [
            of("same.md", "read", "B", LARGE),
            of("same.md", "inspect", "--repeated", LARGE),
            of("same.md", "patch", "--matching", LARGE),
            of("items.md", "read", "B", LARGE / 4),
            of("items.md", "inspect", "--last", LARGE / 4),
            of("items.md", "grep", "-W", LARGE / 4),
            of("same.md", "grep", "--json", LARGE),
            of("setext.md", "grep", "--json", LARGE),
            of("blank.md", "patch", "--matching", LARGE),
        ]
        .into_iter(),
    );
}

/// All shapes with all commands.
#[test]
#[ignore = "takes minutes, in a release build"]
fn no_memory_grows_beyond_twenty_documents() {
    let all = SHAPES
        .iter()
        .flat_map(|(name, shape)| COMMANDS.iter().map(|command| (*name, *shape, *command, LARGE)));
    weigh_all(all);
}

/// All shapes with all commands. This takes an hour.
#[test]
#[ignore = "takes an hour"]
fn the_time_of_no_command_grows_faster_than_its_document() {
    let all = SHAPES
        .iter()
        .flat_map(|(name, shape)| COMMANDS.iter().map(|command| (*name, *shape, *command)));
    judge_pairs(all);
}
