//! Colors are used on terminals, and do not change the text.

use crate::support::documents::few_files;
use crate::support::numbers;

#[test]
fn colors_are_used_only_on_terminals_by_default() {
    let sandbox = few_files();
    let paints = |arguments: &[&str], environment: &[(&str, &str)]| {
        let arguments = [&["inspect", "guide.md"], arguments].concat();
        sandbox.run_with_environment(&arguments, environment).succeeds().text().contains('\x1b')
    };
    assert!(!paints(&[], &[]));
    assert!(!paints(&["--color", "auto"], &[]));
    assert!(paints(&["--color", "always"], &[]));
    assert!(paints(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(!paints(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(paints(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!paints(&[], &[("CLICOLOR_FORCE", "0")]));
    assert!(!paints(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(paints(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]));
    assert!(!paints(&["--json", "--color", "always"], &[]));
}

#[test]
fn colors_do_not_change_the_text() {
    let sandbox = few_files();
    for arguments in [
        &["inspect", "guide.md"][..],
        &["inspect", "--tokens", "guide.md"],
        &["inspect", "--mode", "search", "--query", "Set", "-C", "1", "guide.md"],
        &["inspect", "--mode", "lines", "--query", "1-3", "guide.md"],
        &["read", "guide.md"],
        &["read", "-n", "guide.md"],
        &["read", "n.txt:1", "n.txt:2"],
        &["read", "gone"],
    ] {
        let plain = sandbox.run(arguments);
        let painted = sandbox.run(&[arguments, &["--color", "always"]].concat());
        assert_eq!(without_colours(&painted.text()), plain.text(), "{arguments:?}");
        assert_eq!(without_colours(&painted.errors()), plain.errors(), "{arguments:?}");
    }
    // The contents of files are not colored.
    let read = sandbox.run(&["read", "n.txt", "--color", "always"]).succeeds();
    read.prints(numbers(20));
}

/// Removes the color sequences, `ESC [ … m`, from a text.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}
