//! Each operation of `patch` on each kind of part, and its undo.

use super::GUIDE;
use crate::support::edits::check_edit_and_undo;

/// Returns the guide with one part replaced.
fn with(old: &str, new: &str) -> String {
    assert_eq!(GUIDE.matches(old).count(), 1, "{old:?}");
    GUIDE.replace(old, new)
}

#[test]
fn parts_of_markdown_are_replaced() {
    let check =
        |arguments: &[&str], after: &str| check_edit_and_undo("a.md", GUIDE, arguments, after);
    check(
        &["replace", "--heading", "## Install", "-c", "## Setup"],
        &with("## Install", "## Setup"),
    );
    check(
        &["replace", "--section", "Linux", "-c", "### BSD\n\npkg.\n"],
        &with("### Linux\n\napt.\n", "### BSD\n\npkg.\n"),
    );
    check(
        &["replace", "--body", "Usage", "-c", "x"],
        &with("## Usage\n\nUse it.\n", "## Usage\n\nx\n"),
    );
    check(
        &["replace", "--section", "Install", "--no-children", "-c", "## I"],
        &with("## Install\n\nRun this:\n\n```bash\nmake\n```\n", "## I\n"),
    );
    check(&["replace", "--code-block", "bash:0", "-c", "make all"], &with("make\n", "make all\n"));
    check(&["replace", "--lines", "3", "-c", "A.\nB."], &with("Intro.", "A.\nB."));
    check(&["replace", "--text", "Use", "-c", "Try"], &with("Use it", "Try it"));
    check(
        &["replace", "--pattern", "(\\w+) this", "--expand", "-c", "$1 that"],
        &with("Run this", "Run that"),
    );
    check(&["replace", "--whole-file", "-c", "# New"], "# New\n");
    check(
        &["replace", "--anchor", "linux", "-c", "### BSD"],
        &with("### Linux\n\napt.\n", "### BSD\n"),
    );
}

#[test]
fn content_is_inserted_next_to_a_part() {
    let check =
        |arguments: &[&str], after: &str| check_edit_and_undo("a.md", GUIDE, arguments, after);
    check(&["insert", "--lines", "3", "-c", "First."], &with("Intro.", "First.\nIntro."));
    check(
        &["insert", "--lines", "3", "--after", "-c", "Then."],
        &with("Intro.\n", "Intro.\nThen.\n"),
    );
    check(
        &["insert", "--heading", "Usage", "-c", "\nNew."],
        &with("## Usage\n", "## Usage\n\nNew.\n"),
    );
    check(
        &["insert", "--section", "Usage", "--before", "-c", "## More\n\n"],
        &with("## Usage", "## More\n\n## Usage"),
    );
    check(&["insert", "--text", "apt", "-c", "dnf."], &with("apt.\n", "apt.\ndnf.\n"));
    check(&["insert", "--text", "apt", "--inline", "-c", "-get"], &with("apt.", "apt-get."));
    check(
        &["append", "--section", "Install", "--no-children", "-c", "\nDone."],
        &with("```\n\n###", "```\n\nDone.\n\n###"),
    );
    check(&["append", "--section", "Install", "-c", "yum."], &with("apt.\n", "apt.\n\nyum.\n"));
    check(&["append", "-c", "End."], &format!("{GUIDE}\nEnd.\n"));
}

#[test]
fn parts_are_deleted_moved_and_copied() {
    let check =
        |arguments: &[&str], after: &str| check_edit_and_undo("a.md", GUIDE, arguments, after);
    check(&["delete", "--section", "Linux"], &with("### Linux\n\napt.\n\n", ""));
    check(&["delete", "--text", " it"], &with("Use it", "Use"));
    check(&["delete", "--code-block", "0", "--fences"], &with("```bash\nmake\n```\n\n", ""));
    check(
        &["move", "--section", "Linux", "--to", "a.md"],
        &format!("{}\n### Linux\n\napt.\n", with("### Linux\n\napt.\n\n", "")),
    );
    check(&["copy", "--lines", "3", "--to", "a.md:19"], &format!("{GUIDE}Intro.\n"));
    check(&["rename", "--heading", "Install", "-c", "Setup"], &with("## Install", "## Setup"));
}
