//! Another user creates files next to the files that folio edits, before a run and after a killed
//! run. Only the named files may change. To run many trials as root, set `TRIALS=2000` in the
//! environment: `cargo test --release --test it planted -- --ignored --nocapture`.

#![allow(clippy::print_stderr)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;

use crate::support::system::has;
use crate::support::{Sandbox, outcome};

const NOBODY: &[&str] = &["--reuid", "65534", "--regid", "65534", "--clear-groups"];
const OLD: &str = "# Title\n\nthe old words\n";
/// The user's files, which no command names.
const OTHERS: &[&str] = &["d/run.sh", "d/other.md", "home/secret.md"];
const COMMANDS: &[&str] = &[
    "patch replace a.md --text old -c newer",
    "patch replace a.md b.md --text old -c newer --backup",
    "patch replace --in-place a.md b.md --text old -c newer --backup",
    "patch replace a.md --text old -c newer --no-undo",
    "patch create made.md -c x",
    "patch move a.md --to moved.md",
    "undo",
    "redo",
    "undo --recover",
];
/// The system calls at which a run may be killed.
const KILLS: &[&str] = &[
    "renameat2:signal=KILL:when=1",
    "renameat2:signal=KILL:when=2",
    "unlinkat:signal=KILL:when=1",
    "fsync:signal=KILL:when=2",
    "rename:signal=KILL:when=2",
];
/// Creates a file of kind `$2` named `$1`. Replaces another file if the directory permits it.
const PLANT: &str = r#"cd d && mv -f "$1" "../away/$1" 2>/dev/null; rm -f "$1" 2>/dev/null
case $2 in
file) printf planted > "$1";;
link) ln -s "$3" "$1";;
note) ln -s "folio-1/-/$(stat -c %i "$3")/-/-/-/-/$3" "$1";;
hard) ln "$3" "$1";;
fifo) mkfifo "$1";;
directory) mkdir "$1";;
esac 2>/dev/null"#;

/// Pseudo-random numbers. They are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % count
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

type Facts = BTreeMap<PathBuf, (String, u32, u32, u64)>;

fn facts(sandbox: &Sandbox) -> Facts {
    let of = |name: &&str| {
        let path = sandbox.path(name);
        let status = fs::symlink_metadata(&path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        (PathBuf::from(name), (text, status.mode(), status.uid(), status.ino()))
    };
    OTHERS.iter().map(of).collect()
}

fn mode(sandbox: &Sandbox, name: &str, mode: u32) {
    fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns a name that folio uses or has used, or the name of a file that a killed run has left.
fn name(sandbox: &Sandbox, random: &mut Random) -> String {
    let items = fs::read_dir(sandbox.path("d")).unwrap();
    let names = items.map(|item| item.unwrap().file_name().into_string().unwrap());
    let temporary: Vec<String> = names.filter(|name| name.starts_with(".folio")).collect();
    if !temporary.is_empty() && random.below(4) != 0 {
        return temporary[random.below(temporary.len())].clone();
    }
    match random.below(8) {
        0 => format!(".folio-{:08x}.tmp", random.below(1 << 31)),
        1 => format!(".folio-{}.tmp", random.below(4)),
        2 => format!(".folio-{}.note", random.below(4)),
        3 => format!(".folio-{:08x}.tmp.old", random.below(1 << 31)),
        4 => "a.md.bak".to_owned(),
        5 => "b.md.bak".to_owned(),
        6 => "a.md.before".to_owned(),
        _ => "1.journal".to_owned(),
    }
}

fn plant(sandbox: &Sandbox, random: &mut Random) {
    for _ in 0..1 + random.below(3) {
        let name = name(sandbox, random);
        let kind = random.of(&["file", "link", "note", "hard", "fifo", "directory"]);
        let target = random.of(&["run.sh", "other.md", "../home/secret.md", "a.md"]);
        let mut command = sandbox.command_of("setpriv");
        command.args(NOBODY).args(["sh", "-c", PLANT, "sh", &name, kind, target]);
        outcome(&mut command, b"");
    }
}

/// Runs one trial. Returns the number of runs that were killed.
fn check(random: &mut Random) -> usize {
    let sandbox = Sandbox::new();
    for file in ["d/a.md", "d/b.md", "d/other.md", "home/secret.md"] {
        sandbox.write(file, OLD);
    }
    sandbox.write("d/run.sh", "#!/bin/sh\nexit 0\n");
    sandbox.write("away/x", "");
    let is_sticky = random.below(2) == 0;
    mode(&sandbox, ".", 0o755);
    mode(&sandbox, "away", 0o777);
    mode(&sandbox, "home", 0o700);
    let before = facts(&sandbox);
    let mut killed = 0;
    mode(&sandbox, "d", if is_sticky { 0o1777 } else { 0o777 });
    for _ in 0..3 {
        plant(&sandbox, random);
        let line = random.of(COMMANDS);
        let kills = random.below(2) == 0;
        let mut command = sandbox.command_of("timeout");
        command.current_dir(sandbox.path("d")).args(["-s", "QUIT", "20"]);
        if kills {
            let kill = format!("inject={}", random.of(KILLS));
            command.args(["strace", "-f", "-o", "/dev/null", "-e", &kill]);
        }
        command.arg(env!("CARGO_BIN_EXE_folio")).args(line.split(' '));
        let run = outcome(&mut command, b"");
        killed += usize::from(kills && run.status.is_none_or(|status| status > 100));
        assert_ne!(run.status, Some(124), "'{line}' waits for something: {run}");
        assert_eq!(facts(&sandbox), before, "'{line}', sticky: {is_sticky}: {run}");
        for file in ["a.md", "b.md"].map(|name| sandbox.path("d").join(name)) {
            let Ok(status) = fs::symlink_metadata(&file) else { continue };
            assert!(status.is_file() && status.uid() == 0, "'{line}': {run}");
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.starts_with("# Title\n\nthe "), "'{line}': {text:?} {run}");
        }
    }
    killed
}

#[test]
#[ignore = "takes minutes, and needs root"]
fn only_named_files_change_even_if_another_user_creates_files() {
    if !has("setpriv", &[NOBODY, &["true"]].concat()) || !has("strace", &["true"]) {
        return;
    }
    let trials = std::env::var("TRIALS").map_or(200, |trials| trials.parse().unwrap());
    let mut random = Random(24);
    let killed: usize = (0..trials).map(|_| check(&mut random)).sum();
    eprintln!("| planted files | {trials} trials of 3 runs | {killed} killed | 0 |");
    assert!(killed > trials / 4, "{killed} of {trials} trials were killed");
}
