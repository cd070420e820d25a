//! Tests of the commands as programs call them: in the same process, with options as data.

#![allow(clippy::unwrap_used)]

mod encodings;
mod schemas;

use crate::patch::{Operation, PatchOptions, Request};
use crate::read::ReadArgs;
use crate::target::Part;
use crate::{Collected, Host, patch, read};
use proptest::test_runner::Config;

/// Returns the number of cases of a property, unless the environment sets it.
fn cases(usual: u32) -> Config {
    let configured = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = configured.unwrap_or(usual);
    Config { cases, failure_persistence: None, ..Config::default() }
}

#[test]
fn edits_are_made_with_content_in_memory() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.md");
    std::fs::write(&file, "# A\nx\n").unwrap();
    let host = Host::new(directory.path()).unwrap();
    let edit = Request {
        operation: Operation::Append,
        content: Some(b"y".to_vec().into()),
        ..Request::default()
    };
    let mut options =
        PatchOptions { addresses: vec!["a.md".into()], edit, ..PatchOptions::default() };
    let mut sink = Collected::json();
    let outcome = patch::run(&options, &host, &mut sink);
    assert_eq!(sink.status(&outcome).number(), 0, "{sink:?}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "# A\nx\n\ny\n");

    options.edit.target = Some(Part::Whole);
    options.edit.options.unique = true;
    assert!(options.check().is_err());
}

#[test]
fn a_host_serves_several_runs() {
    let directory = tempfile::tempdir().unwrap();
    let text = "# A\n\n| x | y |\n|---|---|\n| 1 | 2 |\n";
    std::fs::write(directory.path().join("t.md"), text).unwrap();
    let host = Host::new(directory.path()).unwrap();
    for _ in 0..2 {
        let mut sink = Collected::text();
        let addresses = vec!["t.md".into()];
        let mut args = ReadArgs { addresses, from: Some(5), ..ReadArgs::default() };
        args.target.table = vec![0];
        read::run(args, &host, &mut sink).unwrap();
        assert_eq!(String::from_utf8_lossy(&sink.written), "| 1 | 2 |\n");
    }
}

#[test]
fn invalid_combinations_of_options_are_refused_before_a_file_is_opened() {
    let addresses = vec!["gone".into()];
    let mut args = ReadArgs { addresses, from: Some(2), ..ReadArgs::default() };
    args.target.section = vec!["A".into()];
    let error = read::run(args, &Host::default(), &mut Collected::json()).unwrap_err();
    assert_eq!(error.message, "--from cannot be used with --section");
}
