//! The commands in the README and docs/ci.md whose output is not shown. They run unchanged, on
//! files for which they must pass and on files for which they must fail a build.

use crate::generated::{root, shell};
use crate::support::{Outcome, Sandbox, outcome};

/// The heading above the recipes.
const SECTION: &str = "## Recipes";

/// The files for a recipe, and the expected result.
struct Scene {
    files: &'static [(&'static str, &'static str)],
    status: i32,
    /// Text on one of the streams. If it is empty, there must be no output.
    tells: &'static str,
    /// The contents of files after the recipe, if they change.
    leaves: &'static [(&'static str, &'static str)],
}

const SCENE: Scene = Scene { files: &[], status: 0, tells: "", leaves: &[] };

const USAGE: &str = "# Kettle\n\n## Usage\n\n```text\nkettle [--lid]\n```\n";
const OLD_USAGE: &str = "# Kettle\n\n## Usage\n\n```text\nkettle\n```\n";
const SETTINGS: &str = "# Kettle\n\n## Settings\n\n```toml\nheat = 3\n```\n";
const PACKAGE: &str = "[package]\nname = \"kettle\"\nversion = \"1.2.0\" # now\n\n[lib]\n";
const NEXT_PACKAGE: &str = "[package]\nname = \"kettle\"\nversion = \"1.3.0\" # now\n\n[lib]\n";
const NEXT_FIX: &str = "[package]\nname = \"kettle\"\nversion = \"1.2.1\" # now\n\n[lib]\n";
const LOG: &str = "# Changelog\n\n## [Unreleased]\n\n- A lid.\n\n## [1.2.0]\n";
const NEXT_LOG: &str = "# Changelog\n\n## [1.3.0]\n\n- A lid.\n\n## [1.2.0]\n";

const SOUND_LINKS: Scene =
    Scene { files: &[("README.md", "# A\n\n[b](docs/b.md#b)\n"), ("docs/b.md", "# B\n")], ..SCENE };
const BROKEN_LINKS: &[(&str, &str)] =
    &[("README.md", "# A\n\n[b](docs/b.md#c)\n"), ("docs/b.md", "# B\n")];

/// The blocks of the section, in order, with their scenes.
const RECIPES: &[(&str, &[Scene])] = &[
    (
        "folio links",
        &[
            SOUND_LINKS,
            Scene { files: BROKEN_LINKS, status: 1, tells: "README.md:3:5: no anchor", ..SCENE },
        ],
    ),
    (
        "--format github",
        &[
            SOUND_LINKS,
            Scene {
                files: BROKEN_LINKS,
                status: 1,
                tells: "::error file=README.md,line=3,col=5::no anchor '#c'",
                ..SCENE
            },
        ],
    ),
    (
        "./kettle",
        &[
            Scene { files: &[("README.md", USAGE)], tells: "unchanged", ..SCENE },
            Scene { files: &[("README.md", OLD_USAGE)], status: 1, tells: "would", ..SCENE },
            Scene { files: &[("README.md", "# Kettle\n")], status: 2, tells: "Usage", ..SCENE },
        ],
    ),
    (
        "toml:0",
        &[
            Scene {
                files: &[("README.md", SETTINGS), ("kettle.toml", "heat = 3\n")],
                tells: "unchanged",
                ..SCENE
            },
            Scene {
                files: &[("README.md", SETTINGS), ("kettle.toml", "heat = 4\n")],
                status: 1,
                tells: "would replace 1 line",
                ..SCENE
            },
        ],
    ),
    (
        "#licence",
        &[
            Scene { files: &[("README.md", "## Install\n## Usage\n## Licence\n")], ..SCENE },
            Scene {
                files: &[("README.md", "## Install\n## Licence of others\n")],
                status: 1,
                tells: "no anchor '#licence'",
                ..SCENE
            },
        ],
    ),
    (
        "--expect 2",
        &[
            Scene {
                files: &[
                    ("README.md", "kettle 1.2.0, kettle 1.2.0\n"),
                    ("Cargo.toml", PACKAGE),
                    ("CHANGELOG.md", LOG),
                ],
                tells: "(undo: folio undo 3)",
                leaves: &[
                    ("README.md", "kettle 1.3.0, kettle 1.3.0\n"),
                    ("Cargo.toml", NEXT_PACKAGE),
                    ("CHANGELOG.md", NEXT_LOG),
                ],
                ..SCENE
            },
            Scene {
                files: &[
                    ("README.md", "kettle 1.2.0, kettle 1.1.0\n"),
                    ("Cargo.toml", PACKAGE),
                    ("CHANGELOG.md", LOG),
                ],
                status: 4,
                tells: "not 2",
                ..SCENE
            },
        ],
    ),
    (
        "--if-range-match",
        &[
            Scene {
                files: &[("Cargo.toml", PACKAGE)],
                tells: "Cargo.toml:3: replaced 1 line",
                leaves: &[("Cargo.toml", NEXT_FIX)],
                ..SCENE
            },
            Scene {
                files: &[("Cargo.toml", "[lib]\n")],
                status: 1,
                tells: "no key 'package.version'",
                ..SCENE
            },
        ],
    ),
];

#[test]
fn recipes_pass_or_fail_a_build() {
    let recipes = recipes(&recipes_page());
    assert_eq!(recipes.len(), RECIPES.len(), "{recipes:#?}");
    for (recipe, (mark, scenes)) in recipes.iter().zip(RECIPES) {
        assert!(recipe.script.contains(mark), "not about {mark}: {recipe:?}");
        for scene in *scenes {
            check(recipe, scene);
        }
    }
}

/// In the last recipe, another program writes the file between reading and writing.
#[test]
fn recipes_share_their_files() {
    let recipes = recipes(&recipes_page());
    let recipe = recipes.last().expect("recipes");
    let meanwhile = recipe.script.replace(
        "folio patch",
        "echo '[package]' > Cargo.toml\n\
         echo 'version = \"9.0.0\"' >> Cargo.toml\nfolio patch",
    );
    let sandbox = Sandbox::with(&[("Cargo.toml", PACKAGE)]);
    outcome(&mut shell(&sandbox, &meanwhile), b"").exits(4).tells("checksum");
}

#[track_caller]
fn check(recipe: &Recipe, scene: &Scene) {
    let sandbox = Sandbox::with(scene.files);
    let kettle = "#!/bin/sh\necho 'kettle [--lid]'\n";
    sandbox.write("kettle", kettle);
    make_executable(&sandbox);
    let Some(run) = recipe.run(&sandbox) else { return };
    let context = format!("{recipe:?}\n{run}");
    assert_eq!(run.status, Some(scene.status), "{context}");
    let streams = run.text() + &run.errors();
    assert!(streams.contains(scene.tells), "expected: {}\n{context}", scene.tells);
    assert!(!scene.tells.is_empty() || streams.is_empty(), "{context}");
    for (name, text) in scene.files {
        let text =
            scene.leaves.iter().find(|(left, _)| left == name).map_or(text, |(_, text)| text);
        let found = std::fs::read_to_string(sandbox.path(name)).expect("a file");
        assert_eq!(found, *text, "{name}\n{context}");
    }
}

#[cfg(unix)]
fn make_executable(sandbox: &Sandbox) {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(sandbox.path("kettle"), mode).expect("a mode");
}

/// Runs the block after the introduction, in a directory with the samples.
#[test]
fn the_first_commands_work() {
    let readme = readme();
    let first = blocks(readme.split("\n## ").next().expect("a beginning"));
    let [(language, script)] = first.as_slice() else { panic!("{first:?}") };
    assert_eq!((*language, script.lines().count()), ("sh", 4));
    let sandbox = Sandbox::with(&[
        ("guide.md", "# Guide\n\n## Install\n\nTODO\n"),
        ("app.ini", "[server]\nport = 8080\n"),
    ]);
    outcome(&mut shell(&sandbox, &format!("set -e\n{script}")), b"").succeeds();
    let text = std::fs::read_to_string(sandbox.path("guide.md")).expect("a guide");
    assert_eq!(text, "# Guide\n\n## Setup\n\nTODO\n");
}

#[test]
fn the_install_instructions_work() {
    let page = std::fs::read_to_string(root().join("docs/install.md")).expect("a page");
    let blocks = blocks(&page);
    let (_, script) = blocks.last().expect("blocks");
    let sandbox = Sandbox::new();
    let mut shell = shell(&sandbox, &format!("set -e\n{script}"));
    outcome(shell.current_dir(root()), b"").exits(0);
    let read = sandbox.path(".local/bin/folio-read");
    outcome(sandbox.command_of(read).arg("--version"), b"").succeeds();
    assert!(sandbox.path(".local/share/man/man1/folio-read.1").is_file());
}

#[test]
fn links_of_the_documents_work() {
    let sandbox = Sandbox::new();
    let mut links = shell(&sandbox, "folio links README.md ARCHITECTURE.md CHANGELOG.md docs");
    outcome(links.current_dir(root()), b"").succeeds().prints("");
}

#[derive(Debug)]
struct Recipe {
    script: String,
    /// Whether the recipe is a step of a workflow, which bash runs.
    is_step: bool,
}

impl Recipe {
    /// Runs the recipe as if it were pasted. Returns `None` if the required shell is not installed.
    fn run(&self, sandbox: &Sandbox) -> Option<Outcome> {
        if !self.is_step {
            return Some(outcome(&mut shell(sandbox, &self.script), b""));
        }
        if sandbox.command_of("bash").arg("--version").output().is_err() {
            eprintln!("passed over, bash is not installed: {}", self.script);
            return None;
        }
        sandbox.write("step", &self.script);
        Some(outcome(&mut shell(sandbox, "bash --noprofile --norc -eo pipefail step"), b""))
    }
}

/// Returns the blocks of the section in order.
fn recipes(readme: &str) -> Vec<Recipe> {
    let blocks = blocks(section(readme, SECTION)).into_iter();
    let recipe = |(language, text): (&str, &str)| {
        if language == "sh" {
            return Recipe { script: text.to_owned(), is_step: false };
        }
        let (head, script) = text.split_once("  run: |\n").expect("a script to run");
        assert!(language == "yaml" && head.contains("shell: bash"), "{text}");
        let lines = script.lines().map(|line| line.strip_prefix("    ").expect("a line of it"));
        Recipe { script: lines.collect::<Vec<_>>().join("\n"), is_step: true }
    };
    blocks.map(recipe).collect()
}

fn recipes_page() -> String {
    std::fs::read_to_string(root().join("docs/ci.md")).expect("a page")
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("a README")
}

fn section<'a>(readme: &'a str, heading: &str) -> &'a str {
    let (_, section) = readme.split_once(&format!("\n{heading}\n")).expect("the section");
    section.split("\n## ").next().unwrap_or(section)
}

/// Returns the languages and contents of code blocks.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let blocks = text.split("\n```").skip(1).step_by(2);
    blocks.map(|block| block.split_once('\n').expect("a block")).collect()
}
