//! Entries of TOML, YAML, JSON, INI, `.env`, `.properties` and front matter by key path.

mod entries;
mod env;
mod front_matter;
mod ini;
mod moves;
mod reading;
mod values;

use crate::support::edits;

const CARGO: &str = "\
[package]
name = \"x\" # the name
version = \"0.1.0\"

# Libraries.
[dependencies]
serde = { version = \"1\", features = [\"derive\"] }
";

const CI: &str = "\
name: CI
on:
  push:
    branches: [main, dev] # all
env: &env
  A: '1'
jobs:
  test:
    env: *env
    steps:
      - uses: actions/checkout@v4
      # Tests.
      - name: Test
        run: |
          cargo test
";

const PACKAGE: &str = "{\n  \"name\": \"x\",\n  \"scripts\": {\n    \"a.b\": \"c\"\n  }\n}\n";

#[track_caller]
fn check_invalid(name: &str, before: &str, arguments: &[&str], message: &str) {
    edits::check_refused(name, before, arguments, 2, message);
}

#[track_caller]
fn check_missing(before: &str, arguments: &[&str], message: &str) {
    edits::check_refused("a.md", before, arguments, 1, message);
}

fn in_front_matter<'a>(key: &'a str, value: &'a str) -> [&'a str; 6] {
    ["set", "--front-matter", "--key", key, "-c", value]
}

const SETTINGS: &str = "[a]\nx = 1 ; note\n\n[b]\ny=2\n";
