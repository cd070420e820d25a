//! The check of a command that fails.

use super::documents::few_files;
use super::records::ErrorLine;

/// Checks that a command fails in the same way with text and with JSON output. Returns the JSON
/// error.
#[track_caller]
pub fn check_failure(arguments: &[&str], status: i32, code: &str, parts: &[&str]) -> ErrorLine {
    let sandbox = few_files();
    let text = sandbox.run(arguments).exits(status).prints("");
    assert!(text.errors().starts_with(&format!("folio {}: ", arguments[0])), "{text}");
    for part in parts {
        assert!(text.errors().contains(part), "expected: {part}\n{text}");
    }
    let json = sandbox.run(&[arguments, &["--json"]].concat()).exits(status).prints("");
    let error = json.json_error();
    assert_eq!((error.status.as_str(), error.code.as_str()), ("error", code), "{json}");
    error
}
