//! The files that a server's tools access while another program exchanges directories and files
//! with symlinks that point outside the root.

use serde_json::{Value, json};

use super::{Called, Client};
use crate::roots_race::{FILES, Race};

/// Number of accesses by each tool in one run of the race.
const ACCESSES: u64 = 500;
/// Number of accesses in the complete test.
const ALL_ACCESSES: u64 = 100_000;

fn file(number: u64) -> String {
    format!("a/d/{number}.md")
}

/// Returns the calls of a round, each with its number of accesses.
fn calls(round: u64, root: &str) -> Vec<(&'static str, Value, u64)> {
    let [old, new] = if round.is_multiple_of(2) { ["find", "seek"] } else { ["seek", "find"] };
    let file_name = file(round % FILES);
    let absolute = format!("{root}/{file_name}");
    let paths: Vec<String> = (0..FILES).map(file).collect();
    let files: Vec<Value> = paths.iter().map(|path| json!({"path": path})).collect();
    vec![
        ("read", json!({"address": paths}), FILES),
        ("inspect", json!({"address": paths}), FILES),
        ("grep", json!({"pattern": "f?i", "path": "."}), FILES),
        ("list", json!({"path": "a/d", "titles": true}), FILES),
        ("read_files", json!({"files": files}), FILES),
        ("fs_search", json!({"path": ".", "query": "i"}), FILES),
        ("read_text_file", json!({"path": absolute}), 1),
        ("fs_read", json!({"path": file_name}), 1),
        (
            "patch",
            json!({"operation": "replace", "address": file_name, "text": old, "content": new}),
            1,
        ),
        ("edit_text_file", json!({"path": absolute, "old_string": new, "new_string": old}), 1),
        ("write_text_file", json!({"path": format!("{root}/a/d/new.md"), "content": old}), 1),
    ]
}

fn race(accesses: u64) {
    let race = Race::new();
    let root = race.sandbox.path("root").to_str().unwrap().to_owned();
    let mut client = Client::new(&race.sandbox, &["--root", "root", "--tools", "all"]);
    let mut counted = std::collections::BTreeMap::<&str, [u64; 3]>::new();
    race.run(|| {
        for round in 0..accesses {
            for (tool, arguments, count) in calls(round, &root) {
                let counts = counted.entry(tool).or_default();
                if counts[0] >= accesses {
                    continue;
                }
                let called: Called = client.call(tool, arguments);
                let text = called.0.to_string();
                assert!(!text.contains("SECRET"), "{tool}: {text}");
                let is_refused = text.contains("points outside the root")
                    || text.contains("SYMLINK_ESCAPE")
                    || text.contains("OUTSIDE_ROOT");
                let has_failed = called.is_error() || called.0["error"].is_object();
                counts[0] += count;
                counts[1] += u64::from(!has_failed);
                counts[2] += u64::from(is_refused);
            }
        }
    });
    eprintln!("accesses, calls that reached, calls that were refused: {counted:?}");
    assert!(counted.values().all(|counts| counts[0] >= accesses && counts[1] > 0), "{counted:?}");
    assert!(counted.values().map(|counts| counts[2]).sum::<u64>() > 0, "there was no race");
}

#[test]
fn no_tool_reaches_outside_while_directories_become_links() {
    race(ACCESSES);
}

#[test]
#[ignore = "takes minutes: the number that is aimed at"]
fn no_tool_reaches_outside_in_all_accesses() {
    race(ALL_ACCESSES);
}
