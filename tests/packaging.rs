//! Integrations: the hook for pre-commit, the action for GitHub, and the files of a release.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use crate::generated::root;
use crate::support::system::has;
use crate::support::{Outcome, Sandbox, outcome};

/// Returns the value of the last `key:` or `key =` in a file.
fn value(file: &str, key: &str) -> String {
    let text = fs::read_to_string(root().join(file)).expect("a file");
    let key = format!("{key} ");
    let line = text.lines().rev().find_map(|line| line.trim_start().strip_prefix(&key));
    line.expect("a line").to_owned()
}

/// Creates a repository with one broken link.
fn repository() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("a.md", "[x](gone.md)\n"),
        ("sub dir/b.md", "# B\n"),
        ("api.md", "[x](/api/x)\n"),
    ]);
    fs::create_dir_all(sandbox.path("folio/bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_folio"), sandbox.path("folio/bin/folio")).unwrap();
    sandbox
}

#[test]
fn the_hook_for_pre_commit_runs() {
    let sandbox = repository();
    let entry = value(".pre-commit-hooks.yaml", "entry:");
    let arguments: Vec<&str> = entry.strip_prefix("folio ").unwrap().split(' ').collect();
    let output = sandbox.run(&arguments).exits(1).text();
    assert!(output.starts_with("a.md:1:5: no file 'gone.md'\n"), "{output}");
}

#[test]
fn the_action_runs() {
    let script = value("action.yml", "run:");
    let run = |flags: &str, paths: &str| {
        let sandbox = repository();
        let mut shell = sandbox.command_of("bash");
        shell.args(["-eo", "pipefail", "-c", &script]).env("RUNNER_TEMP", sandbox.path(""));
        shell.env("FLAGS", flags).env("PATHS", paths);
        outcome(&mut shell, b"")
    };
    // xargs exits with 123 after any failure.
    let output = run("", ".").exits(123).text();
    assert!(
        output.contains("file=a.md,line=1,col=5::") && output.contains("file=api.md,line=1,"),
        "{output}"
    );
    run("--ignore '/api/*' --ignore gone.md", ".").succeeds();
    run("", "'sub dir' 'sub dir/b.md'").succeeds();
    let output = run("; touch broken;", "'sub dir'");
    assert_eq!(output.status, Some(123), "{output}");
    assert!(output.errors().contains("';'"), "{output}");
}

/// The action unpacks a given archive, and builds folio without one.
#[test]
fn the_action_installs_an_archive() {
    let sandbox = Sandbox::new();
    pack(&sandbox, env!("CARGO_PKG_VERSION"), "out").succeeds();
    let step = ["read", "--key", "runs.steps[0].run", "--value"];
    let action = root().join("action.yml");
    let script = sandbox.run(&[&step[..], &[action.to_str().unwrap()]].concat()).succeeds().text();
    let install = |archive: &str| {
        let mut shell = sandbox.command_of("bash");
        shell.args(["-eo", "pipefail", "-c", &script]).env("RUNNER_TEMP", sandbox.path("temp"));
        // A cargo that only prints its arguments.
        let path = format!("{}:/usr/bin:/bin", sandbox.path("").display());
        shell.env("ARCHIVE", archive).env("GITHUB_ACTION_PATH", "/action").env("PATH", path);
        outcome(&mut shell, b"")
    };
    fs::write(sandbox.path("cargo"), "#!/bin/sh\necho cargo \"$@\"\n").unwrap();
    fs::set_permissions(sandbox.path("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
    let name = format!("folio-{}-a-target.tar.gz", env!("CARGO_PKG_VERSION"));
    let archive = sandbox.path("out").join(name);
    for archive in [format!("file://{}", archive.display()), archive.display().to_string()] {
        if archive.contains("://") && !has("curl", &["--version"]) {
            continue;
        }
        install(&archive).succeeds();
        let version = std::process::Command::new(sandbox.path("temp/folio/bin/folio")).output();
        assert!(version.unwrap().stdout.starts_with(b"folio "), "{archive}");
        fs::remove_dir_all(sandbox.path("temp")).unwrap();
    }
    let built = install("").succeeds().text();
    assert!(built.starts_with("cargo install --locked --path /action --root "), "{built}");
}

/// Returns the files and destinations of the Debian package, from Cargo.toml.
fn assets() -> Vec<(String, String)> {
    let text = fs::read_to_string(root().join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = text.parse().expect("TOML");
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array().expect("assets");
    let words = |asset: &toml::Value, at: usize| asset[at].as_str().expect("a path").to_owned();
    assets.iter().map(|asset| (words(asset, 0), words(asset, 1))).collect()
}

/// Returns the files of the repository that match a name with at most one `*`.
fn files_of(pattern: &str) -> Vec<String> {
    let Some((before, after)) = pattern.split_once('*') else {
        return vec![pattern.to_owned()];
    };
    let (directory, begin) = before.rsplit_once('/').expect("a directory");
    let names = fs::read_dir(root().join(directory)).expect("a directory");
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let names = names.filter(|name| name.starts_with(begin) && name.ends_with(after));
    names.map(|name| format!("{directory}/{name}")).collect()
}

#[test]
fn the_debian_package_contains_all_files() {
    let assets = assets();
    let mut packed = Vec::new();
    for (source, to) in assets.iter().filter(|(source, _)| source != "target/release/folio") {
        let files = files_of(source);
        assert!(!files.is_empty(), "{source}");
        for file in &files {
            assert!(root().join(file).is_file(), "{file}");
        }
        // The directories in which other programs look for the files.
        let place = match source.rsplit_once('.') {
            Some((_, "1")) => "usr/share/man/man1/",
            Some((_, "5")) => "usr/share/man/man5/",
            Some((_, "7")) => "usr/share/man/man7/",
            Some((_, "bash")) => "usr/share/bash-completion/completions/folio",
            Some((_, "fish")) => "usr/share/fish/vendor_completions.d/folio.fish",
            _ if source == "completions/_folio" => "usr/share/zsh/vendor-completions/_folio",
            _ => "usr/share/doc/folio/",
        };
        assert!(to.starts_with(place), "{source}: {to}");
        packed.extend(files);
    }
    // The package contains all manual pages, and the licences of the model in the binary.
    for pattern in
        ["man/*", "crates/search/assets/model/LICENSE*", "crates/search/assets/model/NOTICE"]
    {
        for file in files_of(pattern) {
            assert!(packed.contains(&file), "{file}");
        }
    }
    // The binary needs no libraries, so the package does not depend on other packages.
    assert_eq!(value("Cargo.toml", "depends ="), "\"\"");
}

/// Returns the files of a package as cargo would publish it, relative to its directory.
fn files_of_package(name: &str) -> Vec<String> {
    let mut list = std::process::Command::new(env!("CARGO"));
    list.args(["package", "--list", "--allow-dirty", "--offline", "--package", name]);
    let output = list.current_dir(root()).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_cargo_package_contains_the_sources_of_the_binary() {
    let listed = files_of_package("folio");
    for file in ["Cargo.lock", "LICENSE-MIT", "LICENSE-APACHE", "README.md", "man/folio.1"] {
        assert!(listed.iter().any(|listed| listed == file), "{file}");
    }
    for (pattern, least) in [("completions/*", 5), ("src/*.rs", 3)] {
        let files = files_of(pattern);
        assert!(files.len() >= least, "{pattern}");
        for file in files {
            assert!(listed.contains(&file), "{file}");
        }
    }
    let others = ["tests/", "crates/"];
    let is_other = |file: &String| others.iter().any(|other| file.starts_with(other));
    assert!(!listed.iter().any(is_other), "{listed:?}");
}

#[test]
fn the_cargo_package_of_the_index_contains_the_model_and_its_licences() {
    let listed = files_of_package("folio-search");
    let files = files_of("crates/search/assets/model/*");
    assert!(files.len() >= 4, "{files:?}");
    for file in &files {
        let file = file.strip_prefix("crates/search/").unwrap();
        assert!(listed.iter().any(|listed| listed == file), "{file}");
    }
    // The registry limits the compressed size, and the model cannot be compressed much.
    let size = |file: &String| fs::metadata(root().join(file)).map_or(0, |found| found.len());
    let model: u64 = files.iter().map(size).sum();
    assert!(model < 9_500_000, "{model}");
}

/// Creates a program that prints a version.
fn program(sandbox: &Sandbox, version: &str) -> PathBuf {
    let path = sandbox.path("program");
    fs::write(&path, format!("#!/bin/sh\necho folio {version}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn pack(sandbox: &Sandbox, version: &str, directory: &str) -> Outcome {
    let mut command = sandbox.command_of(root().join("release/pack"));
    fs::create_dir_all(sandbox.path(directory)).unwrap();
    command.arg(program(sandbox, version)).args(["a-target", directory]);
    outcome(&mut command, b"")
}

#[test]
fn the_release_archive_is_complete_and_has_a_valid_checksum() {
    let version = env!("CARGO_PKG_VERSION");
    let sandbox = Sandbox::new();
    pack(&sandbox, version, "out").succeeds();
    let name = format!("folio-{version}-a-target");
    let run = |program: &str, arguments: &[&str]| {
        let mut command = sandbox.command_of(program);
        outcome(command.args(arguments).current_dir(sandbox.path("out")), b"").succeeds().text()
    };
    assert_eq!(run("sha256sum", &["-c", "SHA256SUMS"]), format!("{name}.tar.gz: OK\n"));
    let listed = run("tar", &["-tvzf", &format!("{name}.tar.gz")]);
    let line = |end: &str| listed.lines().find(|line| line.ends_with(&format!("{name}/{end}")));
    assert!(line("folio").is_some_and(|line| line.starts_with("-rwxr-xr-x 0/0 ")), "{listed}");
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "model/NOTICE"] {
        assert!(line(file).is_some_and(|line| line.starts_with("-rw-r--r-- 0/0 ")), "{file}");
    }
    for file in [files_of("man/*"), files_of("completions/*")].concat() {
        assert!(line(&file).is_some(), "{file}");
    }
    // Packing again creates the same archive.
    pack(&sandbox, version, "again").succeeds();
    let archive =
        |directory: &str| fs::read(sandbox.path(directory).join(format!("{name}.tar.gz")));
    assert!(archive("out").unwrap() == archive("again").unwrap());
}

#[test]
fn a_binary_of_another_version_is_not_packed() {
    let sandbox = Sandbox::new();
    let messages = pack(&sandbox, "9.9.9", "out").exits(1).errors();
    assert!(messages.contains("is folio 9.9.9"), "{messages}");
    assert_eq!(fs::read_dir(sandbox.path("out")).unwrap().count(), 0);
}

#[test]
fn the_archive_has_the_name_that_cargo_binstall_expects() {
    let url = value("Cargo.toml", "pkg-url =");
    assert!(url.ends_with("/folio-{ version }-{ target }.tar.gz\""), "{url}");
    assert_eq!(value("Cargo.toml", "bin-dir ="), "\"folio-{ version }-{ target }/{ bin }\"");
}

#[test]
fn the_release_notes_contain_the_changes_of_this_version() {
    let changelog = fs::read_to_string(root().join("CHANGELOG.md")).expect("a changelog");
    assert!(changelog.contains(&format!("\n## [{}] - ", env!("CARGO_PKG_VERSION"))));
}
