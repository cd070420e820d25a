//! Languages whose lines are parsed without a grammar.

use super::{Bodies, Row, Visibility};

/// Returns the row of a language whose lines are parsed without a grammar.
const fn without_grammar(
    name: &'static str,
    title: &'static str,
    extensions: &'static str,
    file_names: &'static str,
) -> Row {
    Row {
        name,
        title,
        extensions,
        file_names,
        interpreters: "",
        rules: &[],
        wrappers: &[],
        attributes: &[],
        opaque: &[],
        functions: &[],
        comment: "",
        prefixes: &[],
        keywords: "",
        visibility: Visibility::All,
        bodies: Bodies::Indented,
        constants: &[],
        test_annotations: &[],
    }
}

pub(super) const MAKEFILE: &Row =
    &without_grammar("makefile", "Makefile", "mk make", "makefile gnumakefile");

pub(super) const DOCKERFILE: &Row = &without_grammar(
    "dockerfile",
    "Dockerfile",
    "dockerfile containerfile",
    "dockerfile dockerfile.* containerfile containerfile.*",
);

pub(super) const SQL: &Row = &without_grammar("sql", "SQL", "sql", "");
