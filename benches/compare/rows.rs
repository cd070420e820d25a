//! The rows of the table. Each is a task for folio and other tools, with goals for folio.

use std::ffi::OsString;

use crate::inputs::{LINKED, SMALL, TREE, big_name};

/// A task for folio and other tools.
pub struct Row {
    /// The name that selects the row.
    pub name: &'static str,
    /// A description of the task.
    pub work: String,
    /// The programs that do the task. folio is the first.
    pub contenders: Vec<Contender>,
    /// The goals for folio.
    pub goals: Vec<Goal>,
    /// The factor by which the number of runs is multiplied. Short tasks vary more.
    pub repeat: usize,
    /// A command that runs once before everything else. May be empty.
    pub setup: Vec<OsString>,
    /// A command that runs before every other command, and is not measured. May be empty.
    pub before: Vec<OsString>,
    /// Tools that are omitted, and the reason.
    pub left_out: Vec<String>,
}

/// A program that does the task.
pub struct Contender {
    /// The label in the table.
    pub label: &'static str,
    /// The program that must be installed.
    pub program: &'static str,
    /// The command line.
    pub words: Vec<OsString>,
    /// The command that reverts the changes at the same cost. The next run uses it. Empty if
    /// nothing changes.
    pub back: Vec<OsString>,
}

/// A goal for folio.
pub struct Goal {
    /// The label of the program.
    pub of: &'static str,
    /// The figure to compare.
    pub measure: Measure,
    /// The limit for the figure.
    pub limit: Limit,
}

/// A figure to compare.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// CPU time in the program and in the system.
    Cpu,
    /// Elapsed time.
    Wall,
    /// Peak memory in bytes.
    Memory,
    /// Number of instructions.
    Instructions,
}

/// The limit of a goal.
pub enum Limit {
    /// A multiple of the figure of the tool with this label.
    Times(f64, &'static str),
    /// A number of bytes, plus a number for each printed line.
    Bytes { base: u64, a_line: u64 },
    /// A number of milliseconds.
    Milliseconds(u64),
}

/// The input of the rows.
pub struct Subject {
    /// The size of the large document in megabytes.
    pub megabytes: usize,
    /// A line far from the start of the large document.
    pub line: u64,
    /// Whether files in the data directory can share their bytes.
    pub shares: bool,
}

/// Size in megabytes above which a tool is omitted, because its time or memory grows faster than
/// the document.
const CTAGS_LIMIT: usize = 1;
const MQ_LIMIT: usize = 64;

const HEADING: &str = "^#{1,6} ";

/// A word in nearly every document.
const COMMON: &str = "the";

/// Words that occur together in few places in a gigabyte.
const RARE: &str = "archive naïve query";

/// Returns all rows.
pub fn rows(subject: &Subject) -> Vec<Row> {
    let mut rows = vec![
        outline(subject),
        tree(),
        read(subject),
        grep_tree(),
        grep_big(subject, "a common word", COMMON),
        grep_big(subject, "rare words", RARE),
        list(),
        roots(),
        json(subject),
        start_version(),
        start_read(),
    ];
    rows.extend(crate::patch::rows(subject));
    rows.extend([links(), index(), search(), search_changed()]);
    rows
}

fn outline(subject: &Subject) -> Row {
    let big = &big_name(subject.megabytes);
    let mut contenders = vec![
        folio(&["inspect", "-O", big]),
        peer("rg -n", "rg", &["-n", HEADING, big]),
        peer("wc -l", "wc", &["-l", big]),
    ];
    let mut left_out = Vec::new();
    let slow = [
        (CTAGS_LIMIT, peer("ctags", "ctags", &["--sort=no", "-f", "-", big])),
        (MQ_LIMIT, peer("mq", "mq", &[".h", big])),
    ];
    for (limit, contender) in slow {
        if subject.megabytes <= limit {
            contenders.push(contender);
        } else {
            left_out.push(format!("{} (only up to --size {limit})", contender.label));
        }
    }
    Row {
        name: "outline",
        work: format!("headings of one file of {} MB, as addresses", subject.megabytes),
        contenders,
        goals: vec![
            cpu(1.0, "rg -n"),
            cpu(4.5, "wc -l"),
            Goal {
                of: "folio",
                measure: Measure::Memory,
                limit: Limit::Bytes { base: 16 << 20, a_line: 32 },
            },
        ],
        repeat: 1,
        setup: Vec::new(),
        before: Vec::new(),
        left_out,
    }
}

fn tree() -> Row {
    let find = format!("find {TREE} -name '*.md' -print0 | xargs -0 mq .h");
    Row {
        name: "tree",
        work: "headings of 14,600 files, 59 MB, as addresses".to_owned(),
        contenders: vec![
            folio(&["inspect", "-O", TREE]),
            peer("rg -n", "rg", &["-n", HEADING, TREE]),
            peer("ctags -R", "ctags", &["-R", "--sort=no", "-f", "-", TREE]),
            piped("mq", "mq", &find),
        ],
        goals: vec![cpu(0.6, "rg -n"), cpu(1.0 / 12.0, "ctags -R")],
        repeat: 1,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn read(subject: &Subject) -> Row {
    let big = &big_name(subject.megabytes);
    let line = subject.line;
    let awk = format!("NR >= {line} {{ if (NR > {line} && /^## /) exit; print }}");
    let sed = format!("{line},${{{line}!{{/^## /q}};p}}");
    let tail = format!("tail -n +{line} {big} | sed '1!{{/^## /Q}}'");
    Row {
        name: "read",
        work: format!("from line {line} of {} MB to the next '^## '", subject.megabytes),
        contenders: vec![
            folio(&["read", &format!("{big}:{line}"), "--to-next", "^## "]),
            peer("wc -l", "wc", &["-l", big]),
            piped("tail | sed", "tail", &tail),
            peer("awk", "awk", &[&awk, big]),
            peer("sed", "sed", &["-n", &sed, big]),
        ],
        goals: vec![cpu(1.15, "wc -l"), cpu(1.0, "tail | sed")],
        repeat: 1,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn grep_tree() -> Row {
    Row {
        name: "grep",
        work: "a common word in 14,600 files, with the sections' ends".to_owned(),
        contenders: vec![
            folio(&["grep", "-k", COMMON, TREE]),
            Contender { label: "no hints", ..folio(&["grep", COMMON, TREE]) },
            peer("rg -n", "rg", &["-n", COMMON, TREE]),
        ],
        goals: vec![cpu(0.8, "rg -n"), cpu(1.2, "no hints")],
        repeat: 3,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn grep_big(subject: &Subject, what: &str, pattern: &str) -> Row {
    let big = &big_name(subject.megabytes);
    let flat = Limit::Bytes { base: 16 << 20, a_line: 0 };
    Row {
        name: "grep",
        work: format!("{what} in one file of {} MB, with sections' ends", subject.megabytes),
        contenders: vec![
            folio(&["grep", "-k", pattern, big]),
            Contender { label: "no hints", ..folio(&["grep", pattern, big]) },
            peer("rg -n", "rg", &["-n", pattern, big]),
        ],
        goals: vec![cpu(3.0, "rg -n"), Goal { of: "folio", measure: Measure::Memory, limit: flat }],
        repeat: 1,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn list() -> Row {
    let all = ["list", "--depth", "20", "--limit", "0", "--no-ignore", "--hidden", TREE];
    Row {
        name: "list",
        work: "the names of 14,600 files".to_owned(),
        contenders: vec![
            folio(&all),
            peer("find", "find", &[TREE]),
            peer("rg --files", "rg", &["--files", "--no-ignore", "--hidden", TREE]),
        ],
        goals: Vec::new(),
        repeat: 3,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn roots() -> Row {
    Row {
        name: "roots",
        work: "a common word in 14,600 files, below a root".to_owned(),
        contenders: vec![
            folio(&["grep", "-k", COMMON, TREE, "--root", TREE]),
            Contender { label: "no root", ..folio(&["grep", "-k", COMMON, TREE]) },
        ],
        goals: vec![cpu(1.1, "no root")],
        repeat: 3,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn json(subject: &Subject) -> Row {
    let big = &big_name(subject.megabytes);
    Row {
        name: "json",
        work: format!("headings of one file of {} MB, as JSON", subject.megabytes),
        contenders: vec![
            folio(&["inspect", "-O", "--json", big]),
            peer("rg --json", "rg", &["--json", HEADING, big]),
        ],
        goals: Vec::new(),
        repeat: 1,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn links() -> Row {
    let lychee = ["--offline", "--include-fragments", "--no-progress", LINKED];
    Row {
        name: "links",
        work: "80,000 links with anchors, 4,000 documents".to_owned(),
        contenders: vec![folio(&["links", LINKED]), peer("lychee", "lychee", &lychee)],
        goals: Vec::new(),
        repeat: 1,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

const QUESTION: &str = "how is an archive of queries made";

fn index() -> Row {
    Row {
        name: "search",
        work: "the index of 14,600 files, 59 MB, made for a first question".to_owned(),
        contenders: vec![
            folio(&["search", "-c", "./tree", QUESTION]),
            peer("rg -c", "rg", &["-c", "archive|quer(y|ies)|made", TREE]),
        ],
        goals: Vec::new(),
        repeat: 1,
        setup: Vec::new(),
        before: shell("rm -rf cache"),
        left_out: Vec::new(),
    }
}

fn search() -> Row {
    let as_it_is = ["search", "-c", "./tree", "--no-update", QUESTION];
    Row {
        name: "search",
        work: "a question to 14,600 files, the index as it is".to_owned(),
        contenders: vec![
            folio(&as_it_is),
            folio_as("--keyword-only", &[&as_it_is[..], &["--keyword-only"]].concat()),
            peer("rg -c", "rg", &["-c", "archive|quer(y|ies)|made", TREE]),
        ],
        goals: vec![cpu(0.5, "rg -c")],
        repeat: 5,
        setup: folio(&["search", "-c", "./tree", QUESTION]).words,
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn search_changed() -> Row {
    Row {
        name: "search",
        work: "a question to 14,600 files, one of which has changed".to_owned(),
        contenders: vec![
            folio(&["search", "-c", "./tree", QUESTION]),
            peer("rg -c", "rg", &["-c", "archive|quer(y|ies)|made", TREE]),
        ],
        goals: Vec::new(),
        repeat: 5,
        setup: folio(&["search", "-c", "./tree", QUESTION]).words,
        before: shell(&format!("printf '\\nOne more line.\\n' >> {SMALL}")),
        left_out: Vec::new(),
    }
}

fn start_version() -> Row {
    Row {
        name: "start",
        work: "--version".to_owned(),
        contenders: vec![folio(&["--version"]), peer("rg", "rg", &["--version"])],
        goals: vec![instructions(1.0, "rg"), wall(0.8, "rg")],
        repeat: 40,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn start_read() -> Row {
    Row {
        name: "start",
        work: "the first line of a small file".to_owned(),
        contenders: vec![
            folio(&["read", &format!("{SMALL}:1")]),
            peer("rg -m1", "rg", &["-m1", "a", SMALL]),
            peer("cat", "cat", &[SMALL]),
        ],
        goals: vec![instructions(1.0, "rg -m1"), wall(0.8, "rg -m1")],
        repeat: 40,
        setup: Vec::new(),
        before: Vec::new(),
        left_out: Vec::new(),
    }
}

fn folio(arguments: &[&str]) -> Contender {
    folio_as("folio", arguments)
}

/// Returns folio with a label.
pub fn folio_as(label: &'static str, arguments: &[&str]) -> Contender {
    let binary = OsString::from(env!("CARGO_BIN_EXE_folio"));
    let words = std::iter::once(binary).chain(arguments.iter().map(OsString::from)).collect();
    Contender { label, program: "", words, back: Vec::new() }
}

/// Returns another program.
pub fn peer(label: &'static str, program: &'static str, arguments: &[&str]) -> Contender {
    let words = std::iter::once(&program).chain(arguments).map(OsString::from).collect();
    Contender { label, program, words, back: Vec::new() }
}

fn piped(label: &'static str, program: &'static str, script: &str) -> Contender {
    Contender { label, program, words: shell(script), back: Vec::new() }
}

/// Returns the command that runs a script.
pub fn shell(script: &str) -> Vec<OsString> {
    ["sh", "-c", script].map(OsString::from).to_vec()
}

fn cpu(most: f64, peer: &'static str) -> Goal {
    Goal { of: "folio", measure: Measure::Cpu, limit: Limit::Times(most, peer) }
}

fn wall(most: f64, peer: &'static str) -> Goal {
    Goal { of: "folio", measure: Measure::Wall, limit: Limit::Times(most, peer) }
}

fn instructions(most: f64, peer: &'static str) -> Goal {
    Goal { of: "folio", measure: Measure::Instructions, limit: Limit::Times(most, peer) }
}
