//! Stages of Dockerfiles.

use super::{signatures, table};
use crate::Language;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(table(Language::Dockerfile, text), expected, "{text}");
}

#[test]
fn dockerfile() {
    check(DOCKERFILE, DOCKERFILE_SYMBOLS);
    let expected = (9, "FROM --platform=$BUILDPLATFORM golang:1.22 AS build".to_owned());
    assert_eq!(signatures(Language::Dockerfile, DOCKERFILE)[0], expected);
}

pub(super) const DOCKERFILE: &str = "# syntax=docker/dockerfile:1
# escape=\\

# About all stages.

ARG VERSION=1

# Builds.
FROM --platform=$BUILDPLATFORM golang:1.22 AS build
RUN go \\
  # FROM a comment
  build

RUN <<EOF cat <<-'END'
FROM not AS stage
EOF
FROM neither
\tEND
COPY <<EOF /a
FROM x
EOF
# CMD [\"x\"]

# Not about the next stage.

from alpine
ENV A=\"<<EOF\" \\
FROM
# Directly above.
FROM scratch as last
";

const DOCKERFILE_SYMBOLS: &str = "\
8-22 stage build body 10-22 public
26-28 stage alpine body 27-28 public
29-30 stage last public
";

#[test]
fn lines_are_joined_by_the_escape_of_the_file() {
    let text = "# escape=`\nFROM a\nRUN dir c:\\\nFROM b\nRUN x `\n\nFROM c\n";
    check(text, "2-3 stage a body 3-3 public\n4-7 stage b body 5-7 public\n");
    check("FROM a\\\n:1 AS b\nRUN c\n\n\n", "1-3 stage b body 3-3 public\n");
    check("FROM a\nRUN <<EOF\nFROM b\n", "1-3 stage a body 2-3 public\n");
    check("FROM\nFROMAGE\nARG FROM=x\n", "");
}
