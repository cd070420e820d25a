//! Results in answers: grouped by file, sorted, with the place of each match; and the files that
//! globs choose.

use serde_json::json;

use super::{Client, TAGGED_GUIDE};
use crate::support::Sandbox;

#[test]
fn results_are_grouped_by_file() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", TAGGED_GUIDE);
    sandbox.write("b.md", "# B\n\nmake\n");
    let mut client = Client::new(&sandbox, &[]);
    let outline = client.call("inspect", json!({"outline": true})).first();
    let expected =
        "a.md\n4-20 # Guide\n6-15 ## Install\n16-19 ## Notes\n20 ## Notes\n\nb.md\n1-3 # B\n";
    assert_eq!(outline, expected);
    let repeated = client.call("inspect", json!({"repeated": true})).first();
    assert_eq!(repeated, "a.md\n16,20 Notes\n");
    sandbox.run(&["inspect", "--repeated", "."]).prints("a.md:16,20: Notes\n");
    sandbox.write("c/a.md", "## Fixed\n\n".repeat(10));
    let repeated = client.call("inspect", json!({"repeated": true, "path": "c"})).blocks();
    assert_eq!(repeated[0], "c/a.md\n1,3,5,7,9,11,13,15,… (10) Fixed\n");
    let (_, all) = repeated[1].split_once("; for all 10 of 'Fixed': inspect ").unwrap();
    let all = client.call("inspect", serde_json::from_str(all).unwrap()).first();
    assert_eq!(all.lines().count(), 11, "{all}");
    let lines = client.call("inspect", json!({"mode": "lines", "query": "1-2", "address": "b.md"}));
    assert_eq!(lines.first(), "b.md\n1 # B\n2 \n");
    let found = client.call("inspect", json!({"mode": "search", "query": "B"})).first();
    assert_eq!(found, "b.md\n1 # B\n");
}

/// The path of a section is printed once for the section, and not for the heading itself.
#[test]
fn matches_are_shown_with_their_place() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", TAGGED_GUIDE);
    let mut client = Client::new(&sandbox, &[]);
    let expected = "\
a.md
2-3 [front matter] tags: make
8-15 Guide > Install: Run make.
11-15 [code] # make all
14-15 [comment] <!-- make later -->
18-19 Guide > Notes: make
";
    assert_eq!(client.call("grep", json!({"pattern": "make"})).first(), expected);
    let found = client.call("grep", json!({"pattern": "Install|Run"})).first();
    assert_eq!(found, "a.md\n6-15 Guide: ## Install\n8-15 Run make.\n");
    let matched = client.call("grep", json!({"pattern": "Ru.", "only_matching": true})).blocks();
    assert_eq!(matched, ["a.md\n8-15 Guide > Install: Run\n", "1 match in 1 file"]);
    let expected = "2:[front matter] tags: make\n8:Guide > Install: Run make.\n\
        11:Guide > Install: [code] # make all\n14:Guide > Install: [comment] <!-- make later -->\n\
        18:Guide > Notes: make\n";
    sandbox.run(&["grep", "--breadcrumbs", "make", "a.md"]).prints(expected);
}

/// With several roots, `.` means all of them.
#[test]
#[cfg_attr(not(feature = "search"), ignore = "needs the feature search")]
fn the_current_directory_of_several_roots_is_all_of_them() {
    let sandbox = Sandbox::with(&[("one/a.md", "# One\n"), ("two/a.md", "# Two\n")]);
    let mut client = Client::new(&sandbox, &["--root", "one", "--root", "two"]);
    for (tool, operand, here) in [
        ("list", "path", json!(".")),
        ("list", "path", json!(["."])),
        ("grep", "path", json!("./")),
        ("links", "path", json!(".")),
        ("inspect", "address", json!(".")),
        ("search", "collection", json!(["."])),
    ] {
        let mut arguments = json!({"pattern": "#", "query": "one two"});
        arguments.as_object_mut().unwrap().retain(|name, _| match tool {
            "grep" => name == "pattern",
            "search" => name == "query",
            _ => false,
        });
        let all = client.call(tool, arguments.clone()).first();
        arguments[operand] = here;
        assert_eq!(client.call(tool, arguments).first(), all, "{tool}");
    }
}

#[test]
fn globs_that_match_no_file_are_reported() {
    let sandbox = Sandbox::with(&[("docs/sub/a.md", "# A\n")]);
    let note = "folio grep: note: 'docs': no file matches the glob 'sub/*.md'; below it: \
        folio grep A docs -g 'docs/sub/*.md'\n";
    sandbox.run(&["grep", "A", "docs", "-g", "sub/*.md"]).exits(1).tells(note);
    let note = "folio inspect: note: 'docs': no file matches the glob '*.rst'\n";
    let run = sandbox.run(&["inspect", "docs", "-g", "*.rst", "-g", "!x"]).exits(0);
    assert_eq!(run.errors(), note);
    let mut client = Client::new(&sandbox, &[]);
    let answer = client.call("grep", json!({"pattern": "A", "glob": ["sub/*.md"]})).text();
    let note = "'.': no file matches the glob 'sub/*.md'; at any depth: grep {\"glob\":[\"**/sub/*.md\"],\"pattern\":\"A\"}";
    assert_eq!(answer, format!("no match\n{note}"));
}

/// In a command line, globs with a slash are relative to the current directory.
#[test]
fn globs_may_be_relative_to_the_searched_directory() {
    let sandbox = Sandbox::with(&[
        ("docs/sub/a.md", "# A\n"),
        ("docs/sub/old/b.md", "# A\n"),
        ("docs/docs/c.md", "# A\n"),
        ("docs/d.md", "# A\n"),
    ]);
    let mut client = Client::new(&sandbox, &[]);
    let mut check = |path: &str, globs: &[&str], expected: &[&str]| {
        let search =
            json!({"pattern": "A", "path": path, "glob": globs, "files_with_matches": true});
        let blocks = client.call("grep", search).blocks();
        let files: Vec<&str> = blocks[0].lines().collect();
        assert_eq!(files, expected, "{path} {globs:?}");
        blocks[1..].join("\n")
    };
    assert_eq!(check("docs", &["sub/*.md"], &["docs/sub/a.md"]), "1 file");
    let whole = sandbox.path("docs").to_string_lossy().into_owned();
    let file = format!("{whole}/sub/a.md");
    assert_eq!(check(&whole, &["sub/*.md"], &[&file]), "1 file");
    check("./docs/sub/", &["**/*.md", "!old/*"], &["./docs/sub/a.md"]);
    // A glob that matches files in one of the directories is not changed.
    assert_eq!(check("docs", &["docs/*.md"], &["docs/d.md"]), "1 file");
    let search = json!({"pattern": "A", "path": ["docs/sub", "."], "glob": ["docs/*.md"]});
    assert_eq!(client.call("grep", search).blocks()[1], "1 match in 1 file");
    let list = json!({"path": "docs", "glob": ["sub/old/*"], "depth": 9});
    assert_eq!(client.call("list", list).first(), "docs/sub/old/b.md\n");
    let edit = json!({"operation": "replace", "address": "docs", "text": "A", "content": "B",
        "glob": ["sub/*.md"]});
    assert!(client.call("patch", edit).first().starts_with("docs/sub/a.md:1: replaced 1 match"));
}

#[test]
fn a_call_without_a_directory_searches_that_of_its_globs() {
    let job = "jobs:\n  build:\n    steps: []\n";
    let sandbox = Sandbox::with(&[
        (".github/workflows/a.yml", job),
        (".github/workflows/b.yml", job),
        (".github/workflows/c.yml", "jobs:\n  test: {}\n"),
    ]);
    let mut client = Client::new(&sandbox, &[]);
    let glob = ".github/workflows/*.yml";
    let found = client.call("grep", json!({"pattern": "build", "glob": [glob]})).blocks();
    assert!(found[0].contains("2 jobs.build:   build:\n"), "{found:?}");
    let set =
        json!({"operation": "set", "glob": glob, "key": "jobs.build.timeout", "content": "5"});
    let set = client.call("patch", set).text();
    assert!(set.contains("\n2 places in 2 files (undo 1 restores them)"), "{set}");
    let text = |name: &str| {
        std::fs::read_to_string(sandbox.path(format!(".github/workflows/{name}"))).unwrap()
    };
    assert_eq!(text("b.yml"), format!("{job}    timeout: 5\n"));
    assert_eq!(text("c.yml"), "jobs:\n  test: {}\n");
    let literal = json!({"operation": "replace", "glob": [glob], "content": "${1}x",
        "pattern": "(t): 5", "occurrence": "all"});
    let refused = client.call("patch", literal).blocks();
    let hint = "hint: '${1}' in the content is literal; expand inserts the group";
    assert!(refused[0].contains("would no longer be valid YAML: line 5"), "{refused:?}");
    assert!(refused[0].contains(hint), "{refused:?}");
    let literal = json!({"operation": "replace", "glob": [glob], "content": "t: ${1}x",
        "pattern": "(t): 5", "occurrence": "all"});
    let notes = client.call("patch", literal).blocks();
    let note = "a.yml': '${1}' in the content is literal; expand inserts the group (and in 1 more \
                file)";
    assert!(notes[1].contains(note), "{notes:?}");
}

/// The most frequent name comes first in each file, and the file with the most frequent name comes
/// first.
#[test]
fn repeated_names_are_sorted_by_frequency() {
    let sandbox = Sandbox::with(&[
        ("a.md", "# A\n# A\n"),
        ("b.md", "# B\n# B\n# C\n# C\n# C\n# D\n# D\n"),
        ("c.md", "# A\n# A\n"),
    ]);
    let mut client = Client::new(&sandbox, &[]);
    let expected = "b.md\n3,4,5 C\n1,2 B\n6,7 D\n\na.md\n1,2 A\n\nc.md\n1,2 A\n";
    assert_eq!(client.call("inspect", json!({"repeated": true})).first(), expected);
    let lines = "a.md:1,2: A\nb.md:1,2: B\nb.md:3,4,5: C\nb.md:6,7: D\nc.md:1,2: A\n";
    sandbox.run(&["inspect", "--repeated", "."]).prints(lines);
}

#[test]
fn an_answer_without_results_says_so() {
    let sandbox = Sandbox::with(&[("a.md", "# A\n\n[a](#a)\n"), ("b/c.md", "# C\n")]);
    let mut client = Client::new(&sandbox, &[]);
    assert_eq!(client.call("links", json!({})).text(), "There are no results.");
    let all = json!({"options": {"all": true, "format": "json"}});
    assert!(client.call("links", all).text().contains(r#""status":"ok""#));
    let list = client.call("list", json!({"glob": ["b/*.md"]})).text();
    assert!(list.contains(r#"also below it: list {"glob":["b/*.md"]"#), "{list}");
}
