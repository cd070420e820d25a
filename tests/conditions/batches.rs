//! Conditions in JSON: `select` in batches of `read` and `patch apply`.

use crate::support::records::{Piece, Record};
use crate::support::{Outcome, Sandbox};

const ONE: &str = "# One\n\n## Alpha\n\nbeta\n\n## Notes\n\nx\n";
const TWO: &str = "# Two\n\n## Alpha\n\ngamma\n";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("docs/1.md", ONE), ("docs/2.md", TWO)])
}

/// Returns the results of the lines of a batch, by line number.
fn read(batch: &str) -> (Outcome, Vec<(usize, String)>) {
    let outcome = sandbox().run_with_input(&["read", "--json", "--batch", "-"], batch);
    let pieces = Piece::all(&outcome).into_iter();
    let addresses = pieces.map(|piece| (piece.index.unwrap(), piece.address.as_str().to_owned()));
    let addresses = addresses.collect();
    (outcome, addresses)
}

#[test]
fn a_line_of_a_batch_may_select_parts() {
    let batch = "{\"address\":\"docs/1.md:1\"}\n\
                 {\"filePath\":\"docs\",\"select\":{\"matching\":\"^Alpha$\"}}\n\
                 {\"filePath\":\"docs/2.md\",\"select\":{\"containing\":\"GAMMA\",\"level\":2,\"ignoreCase\":true}}\n";
    let (outcome, addresses) = read(batch);
    outcome.exits(0);
    let expected =
        [(0, "docs/1.md:1"), (1, "docs/1.md:3-6"), (1, "docs/2.md:3-5"), (2, "docs/2.md:3-5")];
    assert_eq!(addresses, expected.map(|(index, address)| (index, address.to_owned())));
}

#[test]
fn lines_that_select_nothing_do_not_affect_others() {
    let batch = "{\"filePath\":\"docs\",\"select\":{\"matching\":\"Zeta\"}}\n\
                 {\"filePath\":\"docs\",\"select\":{\"match\":\"Zeta\"}}\n\
                 {\"filePath\":\"docs\",\"select\":{}}\n\
                 {\"filePath\":\"docs\",\"select\":{\"last\":true},\"target\":{\"head\":1}}\n\
                 {\"address\":\"docs/1.md:1\"}\n";
    let (outcome, addresses) = read(batch);
    assert_eq!(addresses, [(4, "docs/1.md:1".to_owned())]);
    let errors = outcome.exits(2).json_errors();
    let codes: Vec<_> = errors.iter().map(|error| (error.index, &error.code[..])).collect();
    let bad = "INVALID_ARGUMENT";
    let expected = [(0, "TARGET_NOT_FOUND"), (1, bad), (2, bad), (3, bad)];
    assert_eq!(codes, expected.map(|(index, code)| (Some(index), code)));
}

#[track_caller]
fn apply(sandbox: &Sandbox, edits: &str) -> Outcome {
    sandbox.run_with_input(&["patch", "apply", "-"], edits)
}

#[test]
fn an_edit_may_apply_to_each_selected_part() {
    let sandbox = sandbox();
    let edits = r#"[{"filePath":"docs","operation":"append","select":{"matching":"^Alpha$"},
        "expect":2,"content":"more"},
        {"filePath":"docs/1.md","operation":"delete","target":{"section":"Notes"}}]"#;
    apply(&sandbox, edits).exits(0);
    assert_eq!(sandbox.text("docs/1.md"), "# One\n\n## Alpha\n\nbeta\n\nmore\n");
    assert_eq!(sandbox.text("docs/2.md"), "# Two\n\n## Alpha\n\ngamma\n\nmore\n");
    // A selected part need not contain the target.
    let edits = r#"{"filePath":"docs","operation":"replace","select":{"level":2},
        "target":{"text":"gamma"},"content":"delta"}"#;
    apply(&sandbox, edits).exits(0);
    assert!(sandbox.text("docs/2.md").contains("delta"));
}

#[test]
fn nothing_is_edited_if_an_edit_selects_nothing() {
    for (edit, status, message) in [
        (r#"{"select":{"matching":"Zeta"}}"#, 1, "edit 2: "),
        (r#"{"select":{"matching":"Alpha"},"expect":3}"#, 4, "expect is 3"),
        (r#"{"select":{"level":2},"target":{"text":"zeta"}}"#, 0, ""),
        (r#"{"select":{"level":2},"ifMatch":"012345678901"}"#, 2, "ifMatch cannot be used"),
        (r#"{"select":{"level":2},"target":{"text":"beta"},"in":"x"}"#, 2, "in cannot be used"),
        (r#"{"select":"Alpha"}"#, 2, "edit 2: select"),
    ] {
        let sandbox = sandbox();
        let mut second: serde_json::Value = serde_json::from_str(edit).unwrap();
        second["filePath"] = "docs".into();
        second["operation"] = "delete".into();
        let first = r#"{"filePath":"docs/1.md","operation":"delete","target":{"section":"Notes"}}"#;
        let outcome = apply(&sandbox, &format!("{first}\n{second}\n")).exits(status).tells(message);
        assert_eq!(sandbox.text("docs/1.md") == ONE, status != 0, "{edit} {outcome}");
    }
    let sandbox = sandbox();
    let alone = r#"{"filePath":"docs","operation":"delete","select":{"level":2},
        "target":{"text":"zeta"}}"#;
    apply(&sandbox, alone).exits(1).tells("none of 2 files contains it");
    let turns = format!(r#"{{"sequential":true,"edits":[{alone}]}}"#);
    apply(&sandbox, &turns).exits(2).tells("select cannot be used with sequential");
}
