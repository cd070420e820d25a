//! `folio search`, `folio related` and `@` addresses. The results match the files, even after the
//! files have changed or the index was damaged.

mod collections;
mod index;
mod limits;
mod results;
mod safety;
#[cfg(feature = "postgres")]
mod server;

use std::fs;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::support::Sandbox;

const SETUP: &str = "# Setup\n\n## Install\n\nRun the script.\n\n## Undo\n\nTake a change back.\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[
        ("docs/setup.md", SETUP),
        ("docs/deep/jobs.md", "# Jobs\n\nA failed job is retried three times.\n"),
        ("docs/.ignore", "left.md\n"),
        ("docs/left.md", "# Left\n\nThe ignored zebra.\n"),
        ("docs/data.bin", "a\0b"),
    ])
}

#[track_caller]
fn search(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Value> {
    let all = [&["search", "-c", "./docs", "--json", "--content"], arguments].concat();
    let outcome = sandbox.run(&all);
    assert!(matches!(outcome.status, Some(0 | 1)), "{outcome}");
    let text = String::from_utf8(outcome.stdout).unwrap();
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for found in &found {
        check_is_there(sandbox, found);
    }
    found
}

/// Checks that a result is in its file, and has its checksum.
#[track_caller]
fn check_is_there(sandbox: &Sandbox, found: &Value) {
    let path = sandbox.path("docs").join(found["documentId"].as_str().unwrap());
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let number = |key: &str| found[key].as_u64().unwrap() as usize;
    let part = lines[number("startLine") - 1..number("endLine")].concat();
    assert_eq!(found["content"], part.as_str());
    let digest: String = Sha256::digest(&part)[..8].iter().map(|b| format!("{b:02x}")).collect();
    assert_eq!(found["rangeChecksum"], digest.as_str());
}
