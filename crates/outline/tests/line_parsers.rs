//! Edits of makefiles, Dockerfiles and SQL, whose symbols are found line by line.

use std::path::Path;

use folio_outline::document::LoadedDocument;
use folio_outline::edit::{EditRequest, Operation, Refusal, Side};
use folio_outline::format::Format;
use folio_outline::part::{Part, SectionPart};

#[track_caller]
fn edit(file: &str, text: &str, request: &EditRequest) -> Result<String, Refusal> {
    let format = Format::by_name(file).unwrap_or(Format::Text);
    let document = LoadedDocument::of_text(Path::new(file), text.as_bytes().to_vec(), format);
    let edited = document.with_edit(request)?;
    Ok(String::from_utf8_lossy(edited.text()).into_owned())
}

fn body(name: &str) -> Part {
    Part::Section { name: name.to_owned(), part: SectionPart::Body, children: None }
}

const MAKEFILE: &str = "CC = cc

.PHONY: all
## all: builds it
all: a b
\t$(MAKE) a

\techo done

a b:
\techo $@
a:
\ttrue
";

const DOCKERFILE: &str = "# syntax=docker/dockerfile:1
FROM golang AS build
RUN go build

# Runs.
FROM node AS node
COPY --from=build /a /a
";

/// The object that is deleted, and the blank line after it.
const USERS: &str = "-- Users.
CREATE TABLE app.users (
  id int
);

";

const SQL: &str = "-- Users.
CREATE TABLE app.users (
  id int
);

CREATE VIEW \"all\" AS
SELECT ';';
";

#[test]
fn parts_are_edited() {
    use Operation::{Append, Delete, Insert, Rename, Replace};
    let part = Part::section;
    let cases = [
        ("Makefile", Replace, body("all"), "\ttrue", "\t$(MAKE) a\n\n\techo done\n", "\ttrue\n"),
        ("Makefile", Append, part("all"), "echo more", "done\n", "done\n\techo more\n"),
        ("Makefile", Rename, part("b"), "c", "a b:", "a c:"),
        ("Makefile", Rename, part("a"), "c", "a:\n\ttrue", "c:\n\ttrue"),
        ("Makefile", Rename, part("a b"), "c d", "a b:", "c d:"),
        ("Makefile", Delete, part("b"), "", "a b:\n\techo $@\n", ""),
        ("Dockerfile", Rename, part("node"), "web", "AS node", "AS web"),
        ("Dockerfile", Append, part("build"), "RUN x", "go build\n", "go build\nRUN x\n"),
        ("Dockerfile", Delete, part("build"), "", "FROM golang AS build\nRUN go build\n", ""),
        ("a.sql", Replace, body("users"), "x int", "  id int\n", "  x int\n"),
        ("a.sql", Rename, part("users"), "people", "app.users", "app.people"),
        ("a.sql", Rename, part("app.users"), "x.people", "app.users", "x.people"),
        ("a.sql", Rename, part("all"), "every one", "all", "every one"),
        ("a.sql", Delete, part("app.users"), "", USERS, ""),
        (
            "a.sql",
            Insert,
            part("app.users"),
            "CREATE INDEX i ON a (b);\n",
            ");\n",
            ");\n\nCREATE INDEX i ON a (b);\n",
        ),
    ];
    for (file, operation, part, content, old, new) in cases {
        let text = match file {
            "Makefile" => MAKEFILE,
            "Dockerfile" => DOCKERFILE,
            _ => SQL,
        };
        let request = EditRequest::new(operation, part, content);
        let request = EditRequest { side: (operation == Insert).then_some(Side::After), ..request };
        let edited = edit(file, text, &request).map_err(|refusal| format!("{refusal:?}"));
        assert_eq!(edited, Ok(text.replacen(old, new, 1)), "{request:?}");
    }
}

#[test]
fn edits_that_change_other_symbols_are_refused() {
    let replace = |part, content: &str| EditRequest::new(Operation::Replace, part, content);
    for (file, text, request) in [
        ("Makefile", MAKEFILE, replace(body("a b"), "echo \\")),
        ("Makefile", MAKEFILE, replace(Part::section("all"), "all:\ndefine X")),
        ("Makefile", MAKEFILE, EditRequest::new(Operation::Rename, Part::section("a b"), "a = b")),
        ("Dockerfile", DOCKERFILE, replace(body("build"), "RUN <<END\nEND x")),
        ("Dockerfile", DOCKERFILE, replace(body("build"), "RUN x \\")),
        ("a.sql", SQL, replace(body("users"), "id text DEFAULT '")),
        ("a.sql", SQL, replace(body("users"), "id int,\n  x (")),
        ("a.sql", SQL, EditRequest::new(Operation::Rename, Part::section("app.users"), "a b")),
    ] {
        assert!(edit(file, text, &request).is_err(), "{request:?}");
    }
}
