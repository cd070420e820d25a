//! `folio patch`: which parts it edits, what it writes, and what it reports.

mod batches;
mod blocks;
mod dry_runs;
mod encodings;
mod files;
mod guards;
mod headings;
mod hints;
mod line_endings;
mod lines;
mod link_definitions;
mod link_trees;
mod links;
mod moves;
mod operations;
mod random_batches;
mod random_edits;
mod random_parts;
mod reports;
mod scopes;
mod sections;
mod sequences;
mod several_files;
mod site_links;
mod spacing;
mod structure;
mod texts;
mod unchanged;
mod usage;
mod wiki_links;
mod workflows;

use serde_json::{Value, json};

use crate::support::edits::{check_schema, edit};
use crate::support::{Outcome, Sandbox};

/// Returns a file after edits in JSON.
#[track_caller]
fn apply_edits(name: &str, before: &str, edits: &str) -> (Outcome, String) {
    let sandbox = Sandbox::with(&[(name, before)]);
    let run = sandbox.run_with_input(&["patch", "apply", "-"], edits.as_bytes());
    let after = std::fs::read_to_string(sandbox.path(name)).unwrap();
    (run, after)
}

const LINKED: &str = "# Top\n\n[a](#setup-id) [b](#setup) [c](#su)\n\n## <a id=\"setup-id\"></a>Setup {#su}\n\n\
    text\n\n### Below\n";

/// Applies several edits to one file and returns their records.
#[track_caller]
fn check_batch(before: &str, edits: &Value, after: &str) -> Vec<Value> {
    let sandbox = Sandbox::with(&[("a.txt", before)]);
    let run =
        sandbox.run_with_input(&["patch", "apply", "-", "--json", "--preview"], edits.to_string());
    let records = run.exits(0).json_lines();
    records.iter().for_each(check_schema);
    assert_eq!(std::fs::read_to_string(sandbox.path("a.txt")).unwrap(), after);
    records
}

fn edit_with_force(text: &str, arguments: &[&str]) -> String {
    let edited = edit("a.md", text.as_bytes(), &[arguments, &["--force"]].concat());
    assert_eq!(edited.status, 0, "{arguments:?}: {}", edited.errors);
    let warnings = edited.records[0]["warnings"].to_string();
    String::from_utf8(edited.after.0).unwrap() + &warnings
}

#[track_caller]
fn holds(sandbox: &Sandbox, name: &str, parts: &[&str]) {
    let text = sandbox.text(name);
    for part in parts {
        assert!(text.contains(part), "{name} lacks {part}:\n{text}");
    }
}

const GUIDE: &str = "# Guide\n\nIntro.\n\n## Install\n\nRun this:\n\n```bash\nmake\n```\n\n### Linux\n\napt.\n\n## Usage\n\nUse it.\n";

const SPACED: &str = "# T\n\nintro\n\n## A\n\na text\n\n## B\n\n- b1\n- b2\n\n## C\n\nc text\n";

/// Checks the result of an edit, and the number of blank lines that it reports.
#[track_caller]
fn check_blank_lines(before: &str, arguments: &[&str], after: &str, added: Option<(u64, u64)>) {
    let edited = edit("a.md", before.as_bytes(), arguments);
    assert_eq!(edited.status, 0, "{}", edited.errors);
    assert_eq!(String::from_utf8_lossy(&edited.after.0), after, "{arguments:?}");
    let added = added.map(|(before, after)| json!({"before": before, "after": after}));
    assert_eq!(edited.records[0].get("blankLines"), added.as_ref(), "{arguments:?}");
}

#[track_caller]
fn check_not_edited(before: &str, arguments: &[&str], message: &str) {
    let edited = edit("a.md", before.as_bytes(), arguments);
    assert!([2, 4].contains(&edited.status), "{arguments:?}: {}", edited.errors);
    assert!(edited.errors.contains(message), "{arguments:?}: {}", edited.errors);
    assert_eq!(String::from_utf8_lossy(&edited.after.0), before, "{arguments:?}");
}

/// Returns a README of about two hundred lines.
fn readme() -> String {
    let filling = |count: usize| "Words that fill a line.\n".repeat(count);
    [
        "---\ntitle: Field Notes\n---\n\n# Field Notes\n\n",
        &filling(60),
        "\n## Setup\n\nTo set up, recieve the key first.\n\n",
        &filling(60),
        "\n## Contributing\n\n",
        &filling(20),
        "\n## License\n\nMIT.\n",
    ]
    .concat()
}

const API: &str = "# API\n\n```bash\nnpm i\n```\n\n## Auth\n\n```json\n{}\n```\n\n## Calls\n\n\
    ```http\nGET /\n```\n\n```typescript\nconst client = old();\nclient.call();\n```\n\nEnd.\n";

const CONF: &str = "# Service\n\n[server]\nhost = 0.0.0.0\nport = 80\n\n[database]\n# where\n\
    host = localhost\nport = 5432\n\n[cache]\nhost = cache.local\n";

fn files() -> Sandbox {
    Sandbox::with(&[("README.md", &readme()), ("API.md", API), ("app.conf", CONF)])
}

#[track_caller]
fn patch(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let record = sandbox.run(&[&["patch"], arguments, &["--json", "--preview"]].concat());
    let record = record.succeeds().json();
    check_schema(&record);
    record
}

#[track_caller]
fn check_refused_with_hint(
    sandbox: &Sandbox,
    arguments: &[&str],
    status: i32,
    code: &str,
) -> Outcome {
    let outcome = sandbox.run(&[&["patch"], arguments, &["--json"]].concat()).exits(status);
    assert_eq!(outcome.json_errors()[0].code, code, "{outcome}");
    assert!(!outcome.json_errors()[0].suggestions.is_empty(), "no hint: {outcome}");
    outcome
}

const LINES: &str = "one\ntwo\nthree\nfour\n";
