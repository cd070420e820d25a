//! Operands of `links`: directories, standard input, and files named several times.

use std::path::Path;

use super::sandbox;
use crate::support::Sandbox;

#[test]
fn directories_are_searched_for_markdown_documents() {
    let sandbox = Sandbox::with(&[
        (".gitignore", "out\n"),
        ("a.md", "[x](gone)\n"),
        ("b.mdx", "[x](gone)\n"),
        ("c.txt", "# C\n\n[x](gone)\n"),
        ("d", "# D\n\n[x](gone)\n"),
        ("out/e.md", "[x](gone)\n"),
        (".f.md", "[x](gone)\n"),
        ("sub/g.markdown", "[x](gone)\n"),
    ]);
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    let names = |arguments: &[&str]| -> Vec<String> {
        let outcome = sandbox.run(&[&["links"], arguments].concat()).exits(1);
        assert!(outcome.stderr.is_empty(), "{outcome}");
        outcome.text().lines().map(|line| line.split(':').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&[]), ["a.md", "b.mdx", "sub/g.markdown"]);
    assert_eq!(names(&["./sub", "a.md"]), ["./sub/g.markdown", "a.md"]);
    // As in ripgrep, files that match a glob are included even if they are hidden.
    assert_eq!(names(&["-g", "*.md"]), [".f.md", "a.md"]);
    assert_eq!(names(&["-g", "!sub"]), ["a.md", "b.mdx"]);
    assert_eq!(names(&["-."]), [".f.md", "a.md", "b.mdx", "sub/g.markdown"]);
    assert_eq!(names(&["--no-ignore", "out"]), ["out/e.md"]);
    assert_eq!(names(&["--as", "markdown", "-t", "txt"]), ["c.txt"]);
    // The content of a file operand also determines its format.
    assert_eq!(names(&["c.txt", "d"]), ["c.txt", "d"]);
}

#[test]
fn directories_without_documents_are_noted() {
    let sandbox = sandbox();
    let note = "folio links: note: 'empty': no Markdown documents in 1 file\n";
    let outcome = sandbox.run(&["links", "empty"]).exits(0).prints("");
    assert_eq!(outcome.errors(), note);
    let outcome = sandbox.run(&["links", "docs/code.rs"]).exits(0).prints("");
    outcome.tells("it is rust, not Markdown").tells("folio links --as markdown docs/code.rs");
    let error = sandbox.run(&["links", "--json", "guid.md"]).exits(2).json_error();
    assert_eq!(error.code, "NOT_FOUND");
    assert!(error.suggestions[0].starts_with("folio links --json guide.md"), "{error:?}");
    // The other operands are still checked.
    sandbox.write("x.md", "[x](gone)");
    let expected = "x.md:1:5: no file 'gone'\n";
    sandbox.run(&["links", "guid.md", "x.md"]).exits(2).prints(expected);
    sandbox.run(&["links", "docs/picture.png"]).exits(2).tells("binary file");
    sandbox.run(&["links", "-0", "--json"]).exits(2).tells("cannot be used with");
}

#[test]
fn links_of_standard_input_are_relative_to_the_working_directory() {
    let sandbox = sandbox();
    let text = "[x](docs/page.md#page) [y](#own) [z](gone)\n";
    let expected = "-:1:28: no anchor '#own'\n-:1:38: no file 'gone'\n";
    sandbox.run_with_input(&["links", "-"], text).exits(1).prints(expected);
    sandbox.run_with_input(&["links", "-q", "-"], "[x](docs)").succeeds();
}

#[test]
fn links_of_the_package_work() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sandbox = Sandbox::new();
    let mut command = sandbox.command();
    command.current_dir(root).args([
        "links",
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "docs",
    ]);
    crate::support::outcome(&mut command, b"").succeeds().prints("");
}

#[test]
fn a_file_that_several_operands_name_is_checked_once() {
    let sandbox = Sandbox::with(&[("d/a.md", "[x](gone.md)\n")]);
    let expected = "d/a.md:1:5: no file 'gone.md'\n";
    sandbox.run(&["links", "d", "d/a.md", "./d/a.md"]).exits(1).prints(expected);
    sandbox.run(&["links", "d/a.md", "d"]).exits(1).prints(expected);
}
