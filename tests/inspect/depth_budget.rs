//! `inspect --depth-budget`: prints as many levels as fit.

use serde_json::Value;

use crate::support::Sandbox;

fn docs() -> Sandbox {
    let a = "# A\n\n## One\nx\n\n### Deep\nx\n";
    let b = "---\ntitle: Bee\n---\n\n## Two\nx\n";
    Sandbox::with(&[
        ("docs/a.md", a),
        ("docs/sub/b.md", b),
        ("docs/sub/low/c.md", "# C\n"),
        ("docs/app.ini", "[db]\nk = 1\n"),
    ])
}

const ALL: &str = "docs/a.md:1-7:# A\ndocs/a.md:3-7:## One\ndocs/a.md:6-7:### Deep\n\
                   docs/app.ini:1-2:\ndocs/app.ini:1-2:[db]\n\
                   docs/sub/b.md:1-6:Bee\ndocs/sub/b.md:5-6:## Two\n\
                   docs/sub/low/c.md:1:# C\n";

/// Checks the output within a budget, and the message about omitted levels.
#[track_caller]
fn check(budget: usize, expected: &str, message: &str) {
    let outcome = docs().run(&["inspect", "--depth-budget", &budget.to_string(), "docs"]);
    let outcome = outcome.exits(0).prints(expected);
    match message {
        "" => outcome.succeeds(),
        message => outcome.tells(message),
    };
}

#[test]
fn the_deepest_levels_are_omitted_first() {
    check(ALL.len().div_ceil(4), ALL, "");
    let two = ALL.replace("docs/a.md:6-7:### Deep\n", "");
    let expected = "left out: levels 3 to 6, 1 name, about 6 tokens; all of it: folio inspect \
                --depth-budget 44 docs\n";
    check(two.len().div_ceil(4), &two, expected);
    let titles =
        "docs/a.md:1-7:# A\ndocs/app.ini:1-2:\ndocs/sub/b.md:1-6:Bee\ndocs/sub/low/c.md:1:# C\n";
    check(titles.len().div_ceil(4), titles, "left out: levels 2 to 6, 4 names, ");
}

#[test]
fn directories_replace_files_whose_titles_do_not_fit() {
    let all = "docs/:4 files\ndocs/sub/:2 files\ndocs/sub/low/:1 file\n";
    let expected = "left out: titles and headings of 4 files; with titles: folio inspect \
                --depth-budget 20 docs; one directory: folio inspect --depth-budget 14 docs/sub\n";
    check(14, all, expected);
    check(9, "docs/:4 files\ndocs/sub/:2 files\n", "left out: 1 directory, titles and");
    // The output is never empty.
    check(1, "docs/:4 files\n", "left out: 2 directories, titles and");
}

/// If not all directories fit, the largest ones are printed.
#[test]
fn the_largest_directories_come_first() {
    let sandbox = Sandbox::new();
    for (directory, files) in [("a", 1), ("b", 3), ("c", 2)] {
        for file in 0..files {
            sandbox.write(format!("d/{directory}/{file}.md"), "# Title\n");
        }
    }
    let outcome = sandbox.run(&["inspect", "--depth-budget", "10", "d"]).exits(0);
    let outcome = outcome.prints("d/:6 files\nd/b/:3 files\nd/c/:2 files\n");
    outcome.tells("left out: 1 directory, titles and headings of 6 files");
}

#[test]
fn a_file_has_levels_too() {
    let sandbox = docs();
    let run = |budget: &str| sandbox.run(&["inspect", "--depth-budget", budget, "docs/a.md"]);
    run("99")
        .succeeds()
        .prints("docs/a.md:1-7:# A\ndocs/a.md:3-7:## One\ndocs/a.md:6-7:### Deep\n");
    run("11").exits(0).prints("docs/a.md:1-7:# A\ndocs/a.md:3-7:## One\n");
    run("1").exits(0).prints("docs/a.md:1-7:A\n").tells("all headings");
    let below = ["inspect", "--depth-budget", "9", "--max-level", "1", "docs/a.md"];
    sandbox.run(&below).succeeds().prints("docs/a.md:1-7:# A\n");
}

#[test]
fn the_output_is_available_as_json() {
    let run = |budget: &str| -> Vec<Value> {
        let outcome =
            docs().run(&["inspect", "--json", "--depth-budget", budget, "docs"]).succeeds();
        outcome.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let all = run("9999");
    let last = all.last().expect("a summary");
    assert_eq!(
        (&last["shown"], &last["maxLevel"], last.get("leftOut")),
        (&"headings".into(), &3.into(), None)
    );
    let bee = all.iter().find(|file| file["filePath"] == "docs/sub/b.md").expect("a file");
    assert_eq!(bee["title"], "Bee");
    assert_eq!(bee["headings"][0]["address"], "docs/sub/b.md:5-6");
    let few = run("60");
    assert_eq!(few[0], serde_json::json!({"type": "directory", "address": "docs", "files": 4}));
    let last = few.last().expect("a summary");
    assert_eq!(last["hints"][1]["args"][3], "docs/sub");
}

#[test]
fn conflicting_options_are_refused() {
    let sandbox = docs();
    let run = |words: &[&str]| sandbox.run(&[&["inspect", "docs"], words].concat()).exits(2);
    run(&["--depth-budget", "0"]).tells("1 or more");
    run(&["--depth-budget", "9", "--only", "code"]).tells("--only");
    run(&["--depth-budget", "9", "--mode", "lines", "--query", "1"]).tells("--depth-budget");
    run(&["--depth-budget", "9", "--matching", "x"]).tells("--depth-budget");
}
