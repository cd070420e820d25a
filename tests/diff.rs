//! The memory that the preview of an edit needs.

use crate::support::{Sandbox, outcome};

#[test]
fn a_preview_of_many_edits_needs_little_more_memory_than_its_text() {
    let unit = "a\n".to_owned() + &"b\n".repeat(9);
    let sandbox = Sandbox::with(&[("a.txt", &unit.repeat(60_000))]);
    // Limits the data segment to 32 MiB, regardless of the size of the binary.
    let line = "ulimit -d 32768 && exec \"$0\" patch replace a.txt --text a --occurrence all \
                -c c --dry-run";
    let mut limited = sandbox.command_of("sh");
    limited.args(["-c", line, env!("CARGO_BIN_EXE_folio")]);
    let told = outcome(&mut limited, b"").exits(0);
    assert_eq!(told.text().lines().filter(|line| line.starts_with("@@")).count(), 60_000);
}
