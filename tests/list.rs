//! `folio list`: the entries of a directory and their order, in pages, as a tree, and as JSON.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::records::{Listed, Record};
use crate::support::{Outcome, Sandbox, outcome, terminal};

fn tree() -> Sandbox {
    Sandbox::with(&[
        ("docs/guide.md", "intro\n\n# The `Guide`\n"),
        ("docs/deep/notes.txt", "text\n"),
        ("docs/deep/more/x.MD", "---\ntitle: X\n---\n"),
        ("docs-old/a.md", "```\n# No\n```\n"),
        ("empty/.keep", ""),
        (".hidden.md", ""),
        (".ignore", "*.log\n"),
        ("docs/.ignore", "!wanted.log\ndeep/*.txt\n"),
        ("docs/wanted.log", "1\n"),
        ("run.log", ""),
        ("README.md", "# Read me\n\ntext\n"),
    ])
}

#[track_caller]
fn check(arguments: &[&str], expected: &str) {
    tree().run(&[&["list"], arguments].concat()).succeeds().prints(expected);
}

#[track_caller]
fn refuses(arguments: &[&str], message: &str) {
    let outcome = tree().run(&[&["list"], arguments].concat()).exits(2).prints("").tells(message);
    assert!(outcome.errors().contains("folio list: "), "{outcome}");
}

fn json(sandbox: &Sandbox, arguments: &[&str]) -> Listed {
    Listed::one(&sandbox.run(&[&["list", "--json"], arguments].concat()).succeeds())
}

#[test]
fn json_is_a_line_for_each_entry_or_an_object_for_each_directory() {
    let sandbox = tree();
    let lines = sandbox.run(&["list", "--json", "docs", "docs-old"]).succeeds();
    let types: Vec<Value> =
        lines.json_lines().into_iter().map(|mut line| line["type"].take()).collect();
    assert_eq!(types, ["entry", "entry", "entry", "summary", "entry", "summary"]);
    let objects = sandbox.run(&["list", "--json-object", "docs", "docs-old"]).succeeds();
    let mut whole = Listed::all(&objects);
    assert_eq!((whole.len(), objects.json_lines().len()), (2, 2), "{objects}");
    for listed in &mut whole {
        assert_eq!(std::mem::replace(&mut listed.r#type, "summary".to_owned()), "directory");
    }
    assert_eq!(whole, Listed::all(&lines));
    sandbox.run(&["list", "--json-object", "no"]).exits(2).json_error();
}

// Operands and paths.

#[test]
fn paths_begin_with_the_directory_as_given() {
    check(&[], "README.md\ndocs/\ndocs-old/\nempty/\n");
    check(&["."], "README.md\ndocs/\ndocs-old/\nempty/\n");
    check(&["docs"], "docs/deep/\ndocs/guide.md\ndocs/wanted.log\n");
    check(&["docs/"], "docs/deep/\ndocs/guide.md\ndocs/wanted.log\n");
    check(&["./docs/../docs-old"], "./docs/../docs-old/a.md\n");
    check(&["docs-old", "docs/deep"], "docs-old/a.md\ndocs/deep/more/\n");
    let sandbox = tree();
    let whole = sandbox.path("docs-old");
    let outcome = sandbox.run(&[OsStr::new("list"), whole.as_os_str()]).succeeds();
    outcome.prints(format!("{}/a.md\n", whole.display()));
}

#[test]
fn names_like_flags_or_collections_are_valid_operands() {
    let sandbox = Sandbox::with(&[("-l", "# L\n"), ("@x", "# X\n"), ("-d/a", "")]);
    sandbox.run(&["list"]).succeeds().prints("./-d/\n./-l\n./@x\n");
    sandbox.run(&["read", "./-l"]).succeeds().prints("# L\n");
    sandbox.run(&["list", "--", "-d"]).succeeds().prints("-d/a\n");
}

#[test]
fn a_directory_precedes_its_contents() {
    let expected = "README.md\ndocs/\ndocs/deep/\ndocs/deep/more/\ndocs/deep/more/x.MD\n\
                    docs/guide.md\ndocs/wanted.log\ndocs-old/\ndocs-old/a.md\nempty/\n";
    check(&["--depth", "20"], expected);
    let second: String = expected
        .lines()
        .filter(|line| !line.contains("more/"))
        .fold(String::new(), |text, line| text + line + "\n");
    check(&["--depth", "2"], &second);
    refuses(&["--depth", "0"], "--depth");
}

/// Compares options with the options of fd, tree and ls.
#[test]
fn directories_are_walked_like_other_programs_do() {
    let deep: String = (0..40).map(|level| format!("d{level}/")).collect();
    let sandbox = Sandbox::with(&[(&format!("{deep}x.md"), ""), ("z.log", ""), (".ignore", "z*")]);
    let lines = |arguments: &[&str]| {
        let outcome = sandbox.run(&[&["list"], arguments].concat()).succeeds();
        outcome.text().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    for flags in [&["-R"][..], &["-r"], &["--recursive"], &["--depth", "41"]] {
        assert_eq!(lines(flags).len(), 41, "{flags:?}");
    }
    assert_eq!(lines(&["-R", "-e", "md"]), [format!("{deep}x.md")]);
    for flags in [&["-d", "2"][..], &["--max-depth=2"], &["-R", "-d2"]] {
        assert_eq!(lines(flags).len(), 2, "{flags:?}");
    }
    // The tree is also drawn in a pipe.
    let drawn =
        ["./", "└── d0/  1 item", "    └── d1/  1 item", "", "2 items (0 files, 2 directories)"];
    assert_eq!(lines(&["--tree", "-d2"]), drawn);
    assert_eq!(lines(&["--tree", "--mode", "list"]), ["d0/"]);
    for flag in ["-a", "-H", "--all", "--hidden", "-."] {
        assert_eq!(lines(&[flag]), [".ignore", "d0/"], "{flag}");
    }
    assert_eq!(lines(&["-I"]), ["d0/", "z.log"]);
    assert_eq!(lines(&["-u"]), [".ignore", "d0/", "z.log"]);
    assert_eq!(lines(&["-IE", "d0"]), ["z.log"]);
    sandbox
        .run(&["list", "-L", "2"])
        .exits(2)
        .tells("hint: folio list --depth 2  # to list more levels");
}

#[test]
fn deep_trees_are_drawn() {
    let deep: String = (0..40).map(|level| format!("d{level}/")).collect();
    let sandbox = Sandbox::with(&[(&format!("{deep}x.md"), ""), ("d0/e", "")]);
    let mut command = sandbox.command();
    let drawn = terminal::printed(command.args(["list", "--tree", "--color=never"]));
    assert!(drawn.starts_with("./\n└── d0/  2 items\n    ├── d1/"), "{drawn}");
    let end = format!("\n    │   {}└── x.md\n    └── e\n", "    ".repeat(38));
    assert!(drawn.contains(&end), "{drawn}");
}

#[test]
fn a_file_is_refused_with_hints() {
    let sandbox = tree();
    let outcome = sandbox.run(&["list", "README.md", "docs-old"]).exits(2);
    assert_eq!(outcome.text(), "docs-old/a.md\n");
    let outcome = outcome.tells("'README.md': Not a directory");
    outcome.tells("folio inspect README.md  # ").tells("folio read README.md  # ");
    sandbox.run(&["list", "doc"]).exits(2).tells("No such file").tells("folio list docs  # sim");
    sandbox.run(&["list", "READM.md"]).exits(2).tells("folio inspect README.md  # similar");
    sandbox.run(&["list", "xyz/"]).exits(2).tells("hint: folio list  # list what exists");
    sandbox.run(&["list", ""]).exits(2).tells("No such file");
    sandbox.run(&["list", "-"]).exits(2).tells("standard input");
    let code = |name: &str| sandbox.run(&["list", "--json", name]).exits(2).json_error().code;
    assert_eq!([code("README.md"), code("gone")], ["NOT_A_DIRECTORY", "NOT_FOUND"]);
    outcome_of_fifo(&sandbox).exits(2).tells("Not a directory");
}

fn outcome_of_fifo(sandbox: &Sandbox) -> Outcome {
    outcome(sandbox.command_of("mkfifo").arg("pipe"), b"").succeeds();
    sandbox.run(&["list", "pipe"])
}

#[test]
fn symlinks_are_listed_and_not_followed() {
    let sandbox = tree();
    symlink("docs", sandbox.path("link")).unwrap();
    symlink("nowhere", sandbox.path("dangling")).unwrap();
    symlink(".", sandbox.path("docs/loop")).unwrap();
    symlink("self", sandbox.path("self")).unwrap();
    outcome(sandbox.command_of("mkfifo").arg("pipe"), b"").succeeds();
    let listed = json(&sandbox, &["--depth", "9"]);
    let of = |kind: &str| -> Vec<String> {
        let found = listed.entries.iter().filter(|entry| entry.kind == kind);
        found.map(|entry| entry.path.as_str().to_owned()).collect()
    };
    assert_eq!(of("symlink"), ["dangling", "docs/loop", "link", "self"]);
    assert_eq!(of("other"), ["pipe"]);
    assert_eq!(listed.summary, "15 items (5 files, 5 directories, 4 symlinks, 1 other)");
    // A symlink operand is followed.
    let expected = "link/deep/\nlink/guide.md\nlink/loop\nlink/wanted.log\n";
    sandbox.run(&["list", "link"]).succeeds().prints(expected);
    sandbox.run(&["list", "dangling"]).exits(2).tells("a link to 'nowhere'");
    sandbox.run(&["list", "self"]).exits(2).tells("'self'");
}

// Selection of entries.

#[test]
fn hidden_and_ignored_names_are_skipped() {
    check(&["--hidden"], ".hidden.md\n.ignore\nREADME.md\ndocs/\ndocs-old/\nempty/\n");
    check(&["-.", "empty"], "empty/.keep\n");
    check(&["--no-ignore"], "README.md\ndocs/\ndocs-old/\nempty/\nrun.log\n");
    check(&["--no-ignore", "docs/deep"], "docs/deep/more/\ndocs/deep/notes.txt\n");
    let sandbox = tree();
    let message =
        "'empty': no entries (1 hidden excluded); to include them: folio list empty --hidden";
    sandbox.run(&["list", "empty"]).exits(0).prints("").tells(message);
    let listed = json(&sandbox, &["empty"]);
    assert_eq!(listed.hint.as_deref(), Some("folio list --json empty --hidden  # to include them"));
    assert_eq!(
        (listed.entries.len(), listed.summary.as_str()),
        (0, "0 items (0 files, 0 directories)")
    );
}

#[test]
fn ignore_files_of_a_repository_count() {
    let sandbox = Sandbox::with(&[
        ("a/.gitignore", "/top\nbuild/\n*.tmp\n"),
        ("a/top", ""),
        ("a/sub/top", ""),
        ("a/sub/.gitignore", "!keep.tmp\n"),
        ("a/sub/keep.tmp", ""),
        ("a/sub/drop.tmp", ""),
        ("a/build/x", ""),
        ("a/excluded", ""),
        ("a/globally", ""),
        (".config/git/ignore", "globally\n"),
    ]);
    let all = "a/build/\na/excluded\na/globally\na/sub/\na/top\n";
    sandbox.run(&["list", "a"]).succeeds().prints(all);
    sandbox.write("a/.git/info/exclude", "excluded\n");
    sandbox.run(&["list", "a"]).succeeds().prints("a/sub/\n");
    // The rules of parent directories also apply in subdirectories, whichever path is used.
    sandbox.run(&["list", "a/sub"]).succeeds().prints("a/sub/keep.tmp\na/sub/top\n");
    symlink("a/sub", sandbox.path("way")).unwrap();
    sandbox.run(&["list", "way"]).succeeds().prints("way/keep.tmp\nway/top\n");
    sandbox.run(&["list", "--no-ignore", "a"]).succeeds().prints(all);
    // An operand is listed even if it is ignored.
    sandbox.run(&["list", "a/build"]).succeeds().prints("a/build/x\n");
    // In a nested repository, the rules of the outer one do not apply.
    std::fs::create_dir(sandbox.path("a/sub/.git")).unwrap();
    sandbox.write("a/sub/.gitignore", "top\n");
    sandbox.run(&["list", "a/sub"]).succeeds().prints("a/sub/drop.tmp\na/sub/keep.tmp\n");
}

#[test]
fn a_working_tree_finds_what_its_repository_excludes() {
    let sandbox = Sandbox::with(&[
        ("main/.git/info/exclude", "secret\n"),
        ("main/.git/worktrees/w/commondir", "../..\n"),
        ("w/secret", ""),
        ("w/open", ""),
    ]);
    let git = sandbox.path("main/.git/worktrees/w");
    sandbox.write("w/.git", format!("gitdir: {}\n", git.display()));
    sandbox.run(&["list", "w"]).succeeds().prints("w/open\n");
}

#[test]
fn unreadable_ignore_files_are_skipped() {
    let sandbox = Sandbox::with(&[("a.md", ""), ("b.md", ""), ("sub/c.md", "")]);
    symlink("/dev/zero", sandbox.path(".ignore")).unwrap();
    outcome(sandbox.command_of("mkfifo").arg("sub/.ignore"), b"").succeeds();
    sandbox.run(&["list", "--depth", "2"]).succeeds().prints("a.md\nb.md\nsub/\nsub/c.md\n");
    std::fs::remove_file(sandbox.path(".ignore")).unwrap();
    sandbox.write("rules", "\u{feff}a.md\r\n[\n").write(".ignore", "");
    std::fs::remove_file(sandbox.path(".ignore")).unwrap();
    symlink("rules", sandbox.path(".ignore")).unwrap();
    sandbox.run(&["list"]).succeeds().prints("b.md\nrules\nsub/\n");
}

#[test]
fn globs_and_extensions_select_entries() {
    check(&["--depth", "9", "-g", "*.md"], ".hidden.md\nREADME.md\ndocs/guide.md\ndocs-old/a.md\n");
    check(&["--depth", "9", "-g", "docs*"], "docs/\ndocs-old/\n");
    check(&["--depth", "9", "-g", "docs/**/*.MD"], "docs/deep/more/x.MD\n");
    check(&["-g", "!docs*"], "README.md\nempty/\n");
    check(&["--exclude", "docs*", "--exclude", "*.md"], "empty/\n");
    check(
        &["--depth", "9", "--exclude", "docs", "-g", "*.md"],
        ".hidden.md\nREADME.md\ndocs-old/a.md\n",
    );
    check(
        &["--depth", "9", "-e", "md"],
        "README.md\ndocs/deep/more/x.MD\ndocs/guide.md\ndocs-old/a.md\n",
    );
    check(
        &["--depth", "2", "-e", ".md,log"],
        "README.md\ndocs/guide.md\ndocs/wanted.log\ndocs-old/a.md\n",
    );
    check(&["--depth", "2", "-e", "log", "-e", "txt"], "docs/wanted.log\n");
    refuses(&["-g", "[a"], "glob '[a': unclosed");
    refuses(&["--exclude", "{a"], "glob '{a'");
    refuses(&["--exclude", "!a"], "remove the !");
    refuses(&["--exclude", ""], "--exclude is empty");
    refuses(&["-e", "."], "--extension is empty");
    let expected = "'.': no entry matches";
    tree().run(&["list", "-e", "rs"]).exits(0).prints("").tells(expected);
}

// Pages.

#[test]
fn each_page_has_the_command_for_the_next() {
    let sandbox = Sandbox::new();
    for number in 0..250 {
        sandbox.write(format!("d/{number:03}.md"), "");
    }
    let mut seen = Vec::new();
    let mut arguments: Vec<String> = ["list", "d", "--limit", "60"].map(String::from).to_vec();
    loop {
        let outcome = sandbox.run(&arguments).exits(0);
        seen.extend(outcome.text().lines().map(str::to_owned));
        let errors = outcome.errors();
        let Some((_, command)) = errors.trim_end().split_once("for more: folio ") else {
            assert!(errors.is_empty(), "{errors}");
            break;
        };
        arguments = command.split(' ').map(str::to_owned).collect();
    }
    let expected: Vec<String> = (0..250).map(|number| format!("d/{number:03}.md")).collect();
    assert_eq!(seen, expected);
    sandbox
        .run(&["list", "d", "--limit", "100"])
        .exits(0)
        .tells("'d': showing 100 of 250 entries; for more: folio list");
    let last = sandbox.run(&["list", "d", "--offset", "100", "--limit", "50"]).exits(0);
    last.tells("showing entries 101-150 of 250; for more: folio list d --offset 150 --limit 50");
    sandbox.run(&["list", "d", "--offset", "249"]).succeeds().prints("d/249.md\n");
    let beyond = sandbox.run(&["list", "d", "--offset", "250"]).exits(0).prints("");
    beyond.tells("'d': --offset 250 is beyond the last of 250 entries");
    for flags in [&["d"][..], &["d", "--limit", "0"], &["d", "--limit", "9", "--limit", "0"]] {
        let text = sandbox.run(&[&["list"], flags].concat()).succeeds().text();
        assert_eq!(text.lines().count(), 250, "{flags:?}");
    }
    let whole = json(&sandbox, &["d"]);
    assert_eq!((whole.entries.len(), whole.stats.limit, whole.hint), (250, 0, None));
    let listed = json(&sandbox, &["d", "--offset", "240", "--limit", "5"]);
    assert_eq!(listed.summary, "250 items (250 files, 0 directories), 241-245 shown");
    let hint = "folio list --json d --offset 245 --limit 5  # for more";
    assert_eq!(listed.hint.as_deref(), Some(hint));
    let stats = &listed.stats;
    let numbers = (stats.returned, stats.total, stats.offset, stats.limit);
    assert_eq!(numbers, (5, 250, 240, 5));
    assert!(stats.has_more && !stats.truncated);
}

#[test]
fn the_command_for_the_next_page_has_the_same_options() {
    let sandbox = tree();
    let all = [
        "list",
        "--mode=tree",
        "--files",
        "--depth=3",
        "--limit=1",
        "-l",
        "--titles",
        "-e",
        "md,txt",
        "-g",
        "*.[mM]*",
        "--exclude",
        "a b",
        "--no-ignore",
        "--hidden",
        "--sort=modified",
        "./docs",
    ];
    let expected = "folio list --mode=tree --files --depth=3 --limit=1 -l --titles -e md,txt \
                    -g '*.[mM]*' --exclude 'a b' --no-ignore --hidden --sort=modified ./docs \
                    --offset 1\n";
    sandbox.run(&all).exits(0).tells(expected);
    sandbox
        .run(&["list", "--limit=1", "-0"])
        .exits(0)
        .tells("folio list --limit=1 -0 --offset 1\n");
    let sandbox = Sandbox::with(&[("-d/a", ""), ("-d/b", ""), ("it's/a", ""), ("it's/b", "")]);
    let next = |name: &str, word: &str| {
        let outcome = sandbox.run(&["list", "--limit=1", "--", name]).exits(0);
        outcome.tells(&format!("folio list --limit=1 {word} --offset 1\n"));
    };
    next("-d", "./-d");
    next("it's", r"'it'\''s'");
}

// Order.

#[test]
fn entries_are_ordered_by_size_and_time() {
    let sandbox = Sandbox::new();
    let now = SystemTime::now();
    for (name, size, age) in [("a", 5, 30), ("b", 50, 10), ("d/c", 500, 20), ("d/e", 5, 5)] {
        sandbox.write(name, "x".repeat(size));
        let file = std::fs::File::open(sandbox.path(name)).unwrap();
        file.set_modified(now - Duration::from_secs(age * 3600)).unwrap();
    }
    let list = |arguments: &[&str]| sandbox.run(&[&["list", "--depth=2"], arguments].concat());
    list(&["--sort", "size"]).succeeds().prints("d/c\nb\na\nd/e\nd/\n");
    list(&["--sort", "modified"]).succeeds().prints("d/\nd/e\nb\nd/c\na\n");
    list(&["--sort", "size", "--limit", "2"]).exits(0).prints("d/c\nb\n").tells("2 of 5");
    list(&["--sort", "size", "--limit", "2", "--offset", "2"]).exits(0).prints("a\nd/e\n");
    let tree = ["--mode", "tree", "--files", "--sort", "size"];
    list(&tree).succeeds().prints("b\t\na\t\nd/\t2\nd/c\t\nd/e\t\n");
}

#[test]
fn pages_by_size_are_parts_of_one_order() {
    let sandbox = Sandbox::new();
    let size = |number: usize| number * 7919 % 211;
    for number in 0..400 {
        sandbox.write(format!("{number:03}"), "x".repeat(size(number)));
    }
    let mut expected: Vec<usize> = (0..400).collect();
    expected.sort_by_key(|&number| (std::cmp::Reverse(size(number)), number));
    let expected: Vec<String> = expected.iter().map(|number| format!("{number:03}")).collect();
    for (offset, limit) in [(0, 7), (100, 50), (390, 20), (0, 0)] {
        let (from, count) = (format!("--offset={offset}"), format!("--limit={limit}"));
        let found = sandbox.run(&["list", "--sort=size", &from, &count]).exits(0).text();
        let end = if limit == 0 { 400 } else { (offset + limit).min(400) };
        let found: Vec<&str> = found.lines().collect();
        assert_eq!(found, &expected[offset..end]);
    }
}

// Details.

#[test]
fn details_follow_the_path() {
    let sandbox = tree();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_709_251_199);
    for name in ["README.md", "docs", "docs-old", "empty"] {
        std::fs::File::open(sandbox.path(name)).unwrap().set_modified(time).unwrap();
    }
    symlink("nowhere", sandbox.path("link")).unwrap();
    let outcome = sandbox.run(&["list", "-l", "--exclude", "link"]).succeeds();
    outcome.prints(
        "README.md\tfile\t16\t2024-02-29T23:59:59Z\t\n\
         docs/\tdirectory\t\t2024-02-29T23:59:59Z\t3\n\
         docs-old/\tdirectory\t\t2024-02-29T23:59:59Z\t1\n\
         empty/\tdirectory\t\t2024-02-29T23:59:59Z\t0\n",
    );
    let listed = json(&sandbox, &["-l"]);
    let read_me = &listed.entries[0];
    assert_eq!((read_me.size.as_deref(), read_me.size_bytes), (Some("16B"), Some(16)));
    assert_eq!(read_me.modified.as_deref(), Some("2024-02-29T23:59:59Z"));
    assert_eq!((read_me.children, &read_me.title), (None, &None));
    assert_eq!((listed.entries[1].children, listed.entries[1].size_bytes), (Some(3), None));
    let link = &listed.entries[4];
    assert_eq!((link.kind.as_str(), link.size_bytes, link.children), ("symlink", None, None));
    let brief = json(&sandbox, &[]);
    assert!(brief.entries.iter().all(|entry| entry.modified.is_none() && entry.size.is_none()));
    assert_eq!(brief.entries[1].children, Some(3));
}

#[test]
fn children_are_the_listed_entries() {
    let sandbox = tree();
    let children = |arguments: &[&str]| {
        let listed = json(&sandbox, arguments);
        listed.entries.iter().find(|entry| entry.path == "docs").unwrap().children
    };
    assert_eq!(children(&[]), Some(3));
    assert_eq!(children(&["--depth", "3"]), Some(3));
    assert_eq!(children(&["--hidden"]), Some(4));
    assert_eq!(children(&["--exclude", "*.md"]), Some(2));
    assert_eq!(children(&["-g", "docs"]), Some(3));
}

#[test]
fn titles_are_those_that_inspect_prints() {
    let sandbox = tree();
    let listed = json(&sandbox, &["--depth", "9", "--titles", "-e", "md,log"]);
    let titles: Vec<(&str, Option<&str>)> = listed
        .entries
        .iter()
        .map(|entry| (entry.path.as_str(), entry.title.as_ref().map(|title| title.as_str())))
        .collect();
    let expected = [
        ("README.md", Some("Read me")),
        ("docs/deep/more/x.MD", Some("X")),
        ("docs/guide.md", Some("The Guide")),
        ("docs/wanted.log", None),
        ("docs-old/a.md", None),
    ];
    assert_eq!(titles, expected);
    for (path, title) in expected {
        let inspected = sandbox.run(&["inspect", "--json", path]).succeeds().json();
        assert_eq!(inspected["title"].as_str(), title, "{path}");
    }
    let text = ["list", "--titles", "-g", "R*", "-g", "docs"];
    sandbox.run(&text).succeeds().prints("README.md\tRead me\ndocs/\t\n");
}

// Trees.

#[test]
fn a_tree_has_directories_with_entry_counts() {
    check(&["--mode", "tree"], "docs/\t3\ndocs-old/\t1\nempty/\t0\n");
    check(
        &["--mode", "tree", "--depth", "3"],
        "docs/\t3\ndocs/deep/\t1\ndocs/deep/more/\t1\ndocs-old/\t1\nempty/\t0\n",
    );
    check(
        &["--mode", "tree", "--files", "--depth", "2", "docs"],
        "docs/deep/\t1\ndocs/deep/more/\t1\ndocs/guide.md\t\ndocs/wanted.log\t\n",
    );
    check(&["--mode", "tree", "-0"], "docs/\0docs-old/\0empty/\0");
    // Filters keep the directories that contain selected entries.
    check(
        &["--mode", "tree", "--depth", "9", "--files", "-e", "md", "docs"],
        "docs/deep/\t1\ndocs/deep/more/\t1\ndocs/deep/more/x.MD\t\ndocs/guide.md\t\n",
    );
    check(
        &["--mode", "tree", "--depth", "9", "-g", "more"],
        "docs/\t3\ndocs/deep/\t1\ndocs/deep/more/\t1\n",
    );
    let page = ["--mode=tree", "--depth=9", "--files", "-e=md", "--limit=2", "--offset=2", "docs"];
    check(&page, "docs/deep/more/x.MD\t\ndocs/guide.md\t\n");
    refuses(&["--files"], "--files --mode tree");
    refuses(&["--mode", "tree", "-e", "md"], "--extension applies to files");
    refuses(&["--mode", "tree", "--titles"], "--mode tree --titles --files");
}

#[track_caller]
fn on_terminal(sandbox: &Sandbox, arguments: &[&str], expected: &str) {
    let mut command = sandbox.command();
    command.arg("list").args(arguments).env("NO_COLOR", "1").env("TERM", "xterm");
    assert_eq!(terminal::printed(&mut command), expected, "{arguments:?}");
}

#[test]
fn on_a_terminal_trees_are_drawn() {
    let sandbox = tree();
    on_terminal(
        &sandbox,
        &["--mode", "tree", "--files", "--depth", "9"],
        "./\n\
         ├── README.md\n\
         ├── docs/  3 items\n\
         │   ├── deep/  1 item\n\
         │   │   └── more/  1 item\n\
         │   │       └── x.MD\n\
         │   ├── guide.md\n\
         │   └── wanted.log\n\
         ├── docs-old/  1 item\n\
         │   └── a.md\n\
         └── empty/  0 items\n\
         \n10 items (5 files, 5 directories)\n",
    );
    // A page is drawn as a part of the tree.
    on_terminal(
        &sandbox,
        &["--mode", "tree", "--files", "--depth", "9", "--limit", "2", "--offset", "3"],
        "./\n\
         ├── docs/\n\
         │   ├── deep/\n\
         │   │   └── more/  1 item\n\
         │   │       └── x.MD\n\
         \n10 items (5 files, 5 directories), 4-5 shown\n",
    );
    on_terminal(
        &sandbox,
        &["--mode", "tree", "docs/", "empty"],
        "docs/\n└── deep/  1 item\n\n1 item (0 files, 1 directory)\n\n\
         empty/\n\n0 items (0 files, 0 directories)\n",
    );
}

#[test]
fn on_a_terminal_details_are_in_columns() {
    let sandbox = tree();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_709_251_199);
    for name in ["README.md", "docs", "docs-old", "empty"] {
        std::fs::File::open(sandbox.path(name)).unwrap().set_modified(time).unwrap();
    }
    on_terminal(&sandbox, &[], "README.md\ndocs/\ndocs-old/\nempty/\n");
    on_terminal(
        &sandbox,
        &["-l", "--titles"],
        "file           16B  2024-02-29 23:59Z  README.md  Read me\n\
         directory  3 items  2024-02-29 23:59Z  docs/\n\
         directory   1 item  2024-02-29 23:59Z  docs-old/\n\
         directory  0 items  2024-02-29 23:59Z  empty/\n",
    );
}

#[test]
fn odd_names_are_exact_in_a_pipe_and_escaped_on_a_terminal() {
    let sandbox = Sandbox::new();
    let latin = OsStr::from_bytes(b"caf\xe9.md");
    sandbox
        .write("a\nb", "")
        .write("c\u{1b}[31m\t\u{202e}", "")
        .write(Path::new(latin), b"# T\xe9\n");
    let raw = b"a\nb\0c\x1b[31m\t\xe2\x80\xae\0caf\xe9.md\0";
    sandbox.run(&["list", "-0"]).succeeds().prints(raw);
    sandbox.run(&["list"]).succeeds().prints(raw.map(|byte| if byte == 0 { b'\n' } else { byte }));
    let fields = sandbox.run(&["list", "-0", "--titles", "-g", "c*d"]).succeeds();
    fields.prints(b"caf\xe9.md\0T\xe9\0");
    let shown = "a\\u{a}b\nc\\u{1b}[31m\\u{9}\\u{202e}\ncaf\\xe9.md\n";
    on_terminal(&sandbox, &[], shown);
    let listed = json(&sandbox, &["--titles"]);
    assert_eq!(listed.entries[2].path.to_bytes(), b"caf\xe9.md");
    assert_eq!(listed.entries[2].title.as_ref().unwrap().to_bytes(), b"T\xe9");
    assert_eq!(listed.entries[0].path, "a\nb");
    sandbox.run(&["list", "-0", "--json"]).exits(2).tells("cannot be used with");
}

// Errors.

#[test]
fn an_unreadable_directory_is_an_error_and_the_rest_is_listed() {
    let sandbox = Sandbox::with(&[("a/x", ""), ("b/x", ""), ("c", "")]);
    let locked = sandbox.path("a");
    std::fs::set_permissions(&locked, Permissions::from_mode(0o000)).unwrap();
    if std::fs::read_dir(&locked).is_ok() {
        // Shown with `--nocapture`, because tests cannot be skipped at run time.
        eprintln!("whoever runs this may read every directory: nothing is tested");
        std::fs::set_permissions(&locked, Permissions::from_mode(0o755)).unwrap();
        return;
    }
    let outcome = sandbox.run(&["list", "--depth", "2"]).exits(2);
    assert_eq!(outcome.text(), "a/\nb/\nb/x\nc\n");
    outcome.tells("'a': Permission denied");
    // A directory whose contents are not listed need not be readable.
    let listed = json(&sandbox, &[]);
    assert_eq!((listed.entries[0].children, listed.stats.truncated), (None, false));
    let outcome = sandbox.run(&["list", "--json", "--depth", "2"]).exits(2);
    assert!(Listed::one(&outcome).stats.truncated);
    std::fs::set_permissions(&locked, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn many_entries_take_little_memory() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("d")).unwrap();
    for number in 0..100_000 {
        std::fs::File::create(sandbox.path(format!("d/{number:06}.md"))).unwrap();
    }
    // Limits the data segment to 16 MiB, regardless of the size of the binary.
    let limited = |arguments: &str| {
        let line = format!("ulimit -d 16384 && exec \"$0\" list --depth 2 {arguments}");
        let binary = env!("CARGO_BIN_EXE_folio");
        outcome(sandbox.command_of("sh").args(["-c", &line, binary]), b"").exits(0)
    };
    let outcome = limited("--offset 50000 --limit 2 d");
    assert_eq!(outcome.text(), "d/050000.md\nd/050001.md\n");
    outcome.tells("showing entries 50001-50002 of 100000");
    assert_eq!(limited("--sort size --limit 1 d").text(), "d/000000.md\n");
    assert_eq!(limited("--mode tree").text(), "d/\t100000\n");
}

// The same rules as ripgrep's.

#[test]
fn without_a_home_the_user_database_is_not_read() {
    let sandbox = Sandbox::with(&[(".git/config", ""), ("a.md", "foo\n")]);
    for line in [&["list"][..], &["grep", "foo"]] {
        let mut strace = sandbox.command_of("strace");
        strace.args(["-f", "-e", "trace=open,openat"]).arg(env!("CARGO_BIN_EXE_folio"));
        strace.args(line).env_remove("HOME");
        if strace.output().is_err() {
            eprintln!("skipped: there is no strace");
            return;
        }
        // In a statically linked binary, looking up user names would crash.
        let run = outcome(&mut strace, b"").exits(0).tells("openat");
        assert!(!run.errors().contains("passwd"), "{run}");
    }
}

#[test]
fn several_named_roots_are_the_entries_of_a_list() {
    let sandbox = Sandbox::with(&[("d1/x/a.md", ""), ("d2/b.md", ""), ("d2/c.md", "")]);
    let list = ["list", "--root", "a=d1", "--root", "b=d2"];
    sandbox.run(&list).succeeds().prints("a/\nb/\n");
    let listed = Listed::one(&sandbox.run(&[&list[..], &["--json"]].concat()).succeeds());
    assert_eq!(listed.path, ".");
    let found: Vec<_> = listed
        .entries
        .iter()
        .map(|entry| (entry.path.as_str(), entry.kind.as_str(), entry.children))
        .collect();
    assert_eq!(found, [("a", "directory", Some(1)), ("b", "directory", Some(2))]);
    sandbox.run(&[&list[..], &["b"]].concat()).succeeds().prints("b/b.md\nb/c.md\n");
    sandbox.run(&[&list[..], &["-e", "md"]].concat()).prints("b/b.md\nb/c.md\n");
}
