//! Batches: each line requests a part.

use super::sandbox;
use crate::support::documents::{GUIDE, lines_of};
use crate::support::records::{Piece, Record};
use crate::support::{Sandbox, numbers};

#[test]
fn a_batch_reads_the_parts_in_its_lines() {
    let sandbox = sandbox();
    let batch = "{\"address\":\"n.txt:3\"}\n\n{\"filePath\":\"guide.md\",\"target\":{\"section\":\"Usage\"}}\n\
                 {\"address\":\"app.ini\",\"target\":{\"section\":\"cache\",\"key\":\"size\",\"value\":true}}\n";
    let pieces =
        Piece::all(&sandbox.run_with_input(&["read", "--json", "--batch", "-"], batch).succeeds());
    let contents: Vec<_> = pieces.iter().map(|piece| piece.content.as_str().to_owned()).collect();
    assert_eq!(contents, ["3\n".to_owned(), lines_of(GUIDE, 30, 34), "1\n".to_owned()]);
    sandbox.write("batch.jsonl", batch);
    let text = sandbox.run(&["read", "--batch", "batch.jsonl"]).succeeds();
    text.prints(format!(
        "==> n.txt:3 <==\n3\n\n==> guide.md:30-34 Project Overview > Usage <==\n{}\n\
         ==> app.ini:13 [cache] <==\n1\n",
        lines_of(GUIDE, 30, 34)
    ));
}

#[test]
fn a_failing_line_of_a_batch_does_not_affect_others() {
    let sandbox = sandbox();
    let check = |line: &str, status: i32, code: &str| {
        let batch = format!("{{\"address\":\"n.txt:1\"}}\n{line}\n{{\"address\":\"n.txt:2\"}}\n");
        let outcome =
            sandbox.run_with_input(&["read", "--json", "--batch", "-"], batch).exits(status);
        let contents: Vec<_> =
            Piece::all(&outcome).iter().map(|piece| piece.content.as_str().to_owned()).collect();
        assert_eq!(contents, ["1\n", "2\n"], "{outcome}");
        assert_eq!(outcome.json_error().code, code, "{outcome}");
    };
    check("{\"address\":\"n.txt:999\"}", 1, "LINE_OUT_OF_RANGE");
    check("{\"address\":\"gone\"}", 2, "NOT_FOUND");
    check("{\"filePath\":\"guide.md\",\"target\":{\"section\":\"i\"}}", 3, "TARGET_AMBIGUOUS");
    check("{\"filePath\":\"n.txt\",\"target\":{}}", 2, "INVALID_ARGUMENT");
    check("{\"filePath\":\"n.txt\",\"adress\":1}", 2, "INVALID_ARGUMENT");
    check("{}", 2, "INVALID_ARGUMENT");
    check("nonsense", 2, "INVALID_ARGUMENT");
}

#[test]
fn a_file_path_of_a_batch_has_no_suffix() {
    let sandbox = Sandbox::with(&[("a:2", "x\n"), ("a", "1\n2\n")]);
    let batch = "{\"filePath\":\"a:2\"}\n{\"address\":\"a:1\"}\n";
    let pieces = Piece::all(&sandbox.run_with_input(&["read", "--json", "--batch", "-"], batch));
    assert!(pieces[0].content == "x\n" && pieces[1].content == "1\n");
}

#[test]
fn a_batch_may_be_an_array_and_answers_have_the_request_index() {
    let sandbox = Sandbox::with(&[("n.txt", &numbers(9))]);
    let requests = [
        r#"{"address":"n.txt:2"}"#,
        r#"{"address":"gone:1"}"#,
        r#"{"adress":"n.txt:1"}"#,
        r#"{"filePath":"n.txt","target":{"head":1}}"#,
    ];
    for batch in [requests.join("\n\n"), format!("[\n{}\n]", requests.join(",\n"))] {
        let run = ["read", "--json", "--batch", "-"];
        let outcome = sandbox.run_with_input(&run, batch).exits(2);
        let answers = Piece::all(&outcome).into_iter();
        let answers: Vec<_> =
            answers.map(|piece| (piece.index, piece.content.as_str().to_owned())).collect();
        assert_eq!(answers, [(Some(0), "2\n".to_owned()), (Some(3), "1\n".to_owned())]);
        let errors = outcome.json_errors();
        let errors: Vec<_> = errors.iter().map(|error| (error.index, &error.code[..])).collect();
        assert_eq!(errors, [(Some(1), "NOT_FOUND"), (Some(2), "INVALID_ARGUMENT")]);
    }
    let outcome = sandbox.run_with_input(&["read", "--batch", "-"], "[{\"address\":1}]").exits(2);
    outcome.tells("--batch, index 0: ");
    sandbox.run_with_input(&["read", "--batch", "-"], "[{]").exits(2).tells("invalid JSON");
}

#[test]
fn a_batch_without_requests_is_refused() {
    let sandbox = Sandbox::new();
    for text in ["", "\n\n", "[]", " [ ]\n"] {
        let outcome = sandbox.run_with_input(&["read", "--batch", "-"], text).exits(2).prints("");
        outcome
            .tells("--batch: there is no request")
            .tells(r#"hint: a line looks like {"filePath":"#);
    }
}
