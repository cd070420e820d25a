//! File systems, mounts, and the attributes of files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{EDIT, NEW, OLD, snapshot};
use crate::support::system::{has, leftovers, with_mounts};
use crate::support::{Sandbox, outcome};

#[test]
fn copies_of_a_private_file_are_private() {
    let sandbox = Sandbox::with(&[("d/a.md", OLD), ("d/b.md", OLD)]);
    let private = fs::Permissions::from_mode(0o600);
    for name in ["d/a.md", "d/b.md"] {
        fs::set_permissions(sandbox.path(name), private.clone()).unwrap();
    }
    let patch = |flags: &[&str]| {
        let arguments = [&["patch", "replace", "--backup"], flags, EDIT].concat();
        sandbox.run(&arguments).exits(0);
    };
    patch(&["d/a.md"]);
    patch(&["--in-place", "d/b.md"]);
    sandbox.run(&["undo"]).exits(0);
    sandbox.run(&["redo"]).exits(0);
    sandbox.run(&["undo"]).exits(0);
    let mut modes = snapshot(&sandbox.path("d"));
    assert_eq!(modes.len(), 4, "{modes:?}");
    modes.append(&mut snapshot(&sandbox.path(".local/state/folio")));
    assert!(modes.values().all(|(_, mode)| *mode == 0o600), "{modes:?}");
    for name in [".local/state/folio", ".local/state/folio/history"] {
        assert_eq!(fs::metadata(sandbox.path(name)).unwrap().mode() & 0o777, 0o700, "{name}");
    }
}

#[test]
fn bytes_are_compared_if_times_are_coarse() {
    if !has("strace", &["-o", "/dev/null", "true"]) {
        return;
    }
    let sandbox = Sandbox::new();
    // Inodes of 128 bytes cannot contain fractions of a second.
    let script = "truncate -s 4M image && mkfs.ext4 -q -F -I 128 image >/dev/null 2>&1 &&
        mkdir disk && mount -o loop image disk && cd disk || exit 77
        printf 'the old words\n' > a.md
        (sleep 0.3; printf 'THE' | dd of=a.md conv=notrunc 2>/dev/null) &
        strace -o /dev/null -e inject=renameat2:delay_enter=700000:when=1 \
        $FOLIO patch replace a.md --text old -c newer; echo $?; cat a.md";
    let Some(outcome) = with_mounts(&sandbox, script) else { return };
    if outcome.status == Some(77) {
        eprintln!("skipped: no loop mounts of ext4 here");
        return;
    }
    outcome.exits(0).prints("4\nTHE old words\n");
}

#[test]
fn on_a_full_disk_the_old_file_is_kept() {
    let sandbox = Sandbox::new();
    let script = "mkdir disk && mount -t tmpfs -o size=64k none disk && cd disk &&
        yes 'the old words' | head -c 45056 > a.md && cp a.md ../before &&
        $FOLIO patch replace a.md --text old -c newer --occurrence all --force; echo $?;
        cmp a.md ../before && ls -A";
    let Some(outcome) = with_mounts(&sandbox, script) else { return };
    let outcome = outcome.exits(0).prints("2\na.md\n");
    assert!(outcome.errors().contains("No space left on device"), "{outcome}");
}

#[test]
fn a_mount_point_is_edited_in_place_only() {
    let sandbox = Sandbox::with(&[("a.md", OLD), ("b.md", "")]);
    let script = "mount --bind a.md b.md && $FOLIO patch replace b.md --text old -c newer;
        echo $?; cat a.md; $FOLIO patch replace b.md --text old -c newer --in-place >/dev/null;
        echo $?; cat a.md; ls -A | grep -c folio-";
    let Some(outcome) = with_mounts(&sandbox, script) else { return };
    let outcome = outcome.prints(format!("2\n{OLD}0\n{NEW}0\n"));
    assert!(
        outcome.errors().contains("mount point") && outcome.errors().contains("--in-place"),
        "{outcome}"
    );
}

#[test]
fn after_a_restart_a_disk_may_have_another_number() {
    let sandbox = Sandbox::new();
    let script = "truncate -s 4M image other && mkfs.ext4 -q -F image >/dev/null 2>&1 &&
        mkfs.ext4 -q -F other >/dev/null 2>&1 && mkdir d e && mount -o loop image d || exit 77
        for file in a b; do printf 'the old words\n' > d/$file.md; done; device=$(stat -c %d d)
        strace -o /dev/null -e inject=renameat2:signal=KILL:when=2 \
            $FOLIO patch replace d/a.md d/b.md --text old -c newer >/dev/null; cat d/a.md d/b.md
        umount d && mount -o loop other e && mount -o loop image d || exit 77
        test $device != $(stat -c %d d) || exit 77
        $FOLIO undo --recover >/dev/null; echo $?; cat d/a.md d/b.md; ls -A d | grep -v lost";
    let Some(outcome) = with_mounts(&sandbox, script) else { return };
    if outcome.status == Some(77) {
        eprintln!("skipped: no loop mounts of ext4 here");
        return;
    }
    let old = "the old words\n";
    outcome.prints(format!("the newer words\n{old}0\n{old}{old}a.md\nb.md\n"));
}

#[test]
fn files_of_an_overlay_of_several_file_systems_are_edited_and_cleaned() {
    let sandbox = Sandbox::with(&[("l/x", ""), ("u/x", ""), ("o/x", "")]);
    let script = "mount -t tmpfs none l && mount -t tmpfs none u && mkdir u/u u/w &&
        for file in l/a.md l/b.md u/u/c.md; do printf 'the old words\n' > $file; done &&
        mount -t overlay -o lowerdir=l,upperdir=u/u,workdir=u/w none o && cd o || exit 77
        $FOLIO patch replace a.md c.md --text old -c newer >/dev/null; echo $?
        $FOLIO patch replace --in-place b.md --text old -c newer >/dev/null; echo $?
        $FOLIO undo 1 >/dev/null; echo $?; cat a.md b.md c.md; ls -A
        strace -o /dev/null -e inject=unlinkat:signal=KILL:when=1 \
            $FOLIO patch replace a.md --text old -c newer >/dev/null
        $FOLIO patch append c.md -c x >/dev/null; cat a.md; ls -A";
    let Some(outcome) = with_mounts(&sandbox, script) else { return };
    if outcome.status == Some(77) {
        eprintln!("skipped: no overlays here");
        return;
    }
    let texts = "the old words\nthe newer words\nthe old words\n";
    let names = "a.md\nb.md\nc.md\n";
    outcome.prints(format!("0\n0\n0\n{texts}{names}the newer words\n{names}"));
}

#[test]
fn symlinks_modes_and_owners_are_preserved() {
    let sandbox = Sandbox::with(&[("d/a.md", OLD)]);
    let path = sandbox.path("d/a.md");
    symlink("d/a.md", sandbox.path("link.md")).unwrap();
    let _ = std::os::unix::fs::chown(&path, Some(12), Some(34));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let before = fs::metadata(&path).unwrap();
    sandbox.run(&[&["patch", "replace", "link.md"], EDIT].concat()).exits(0);
    let after = fs::metadata(&path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), NEW);
    assert!(sandbox.path("link.md").is_symlink());
    let facts = |metadata: &fs::Metadata| (metadata.mode(), metadata.uid(), metadata.gid());
    assert_eq!(facts(&after), facts(&before));
    assert_eq!(fs::read_dir(sandbox.path("d")).unwrap().count(), 1);
}

#[test]
fn files_that_cannot_be_replaced_are_reported_with_a_hint() {
    let sandbox = Sandbox::with(&[("a.md", OLD), ("read-only.md", OLD), ("d/x", "")]);
    fs::hard_link(sandbox.path("a.md"), sandbox.path("b.md")).unwrap();
    let read_only = fs::Permissions::from_mode(0o444);
    fs::set_permissions(sandbox.path("read-only.md"), read_only).unwrap();
    assert!(Command::new("mkfifo").arg(sandbox.path("pipe")).status().unwrap().success());
    let run = |name: &str| {
        sandbox.run(&[&["patch", "replace", "--json", name], EDIT].concat()).exits(2).json_error()
    };
    let code_and_hint = |name: &str| {
        let error = run(name);
        (error.code, error.suggestions.first().cloned().unwrap_or_default())
    };
    let (code, hint) = code_and_hint("a.md");
    assert!(code == "HARD_LINKED" && hint.contains("--in-place"), "{hint}");
    let expected = ("READ_ONLY".to_owned(), "chmod u+w read-only.md".to_owned());
    assert_eq!(code_and_hint("read-only.md"), expected);
    let begun = Instant::now();
    assert_eq!(code_and_hint("pipe").0, "NOT_REGULAR");
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(code_and_hint("/dev/null").0, "NOT_REGULAR");
    sandbox.run(&[&["patch", "replace", "--in-place", "a.md"], EDIT].concat()).exits(0);
    assert_eq!(fs::read_to_string(sandbox.path("b.md")).unwrap(), NEW);
}

#[test]
fn a_missing_permission_is_reported() {
    let drop = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    if !has("setpriv", &[&drop[..], &["true"]].concat()) {
        return;
    }
    let sandbox = Sandbox::with(&[("closed/a.md", OLD), ("open/a.md", OLD), ("home/x", "")]);
    let mode = |name: &str, mode| {
        fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    for (name, bits) in [(".", 0o755), ("closed", 0o755), ("open", 0o777), ("home", 0o777)] {
        mode(name, bits);
    }
    let _ = std::os::unix::fs::chown(sandbox.path("home"), Some(65534), Some(65534));
    mode("closed/a.md", 0o666);
    mode("open/a.md", 0o666);
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command_of("setpriv");
        command.args(drop).arg(env!("CARGO_BIN_EXE_folio")).args(["patch", "replace"]);
        command.env("XDG_STATE_HOME", sandbox.path("home/state"));
        outcome(command.args(arguments).args(EDIT), b"")
    };
    if run(&["nowhere.md"]).status != Some(2) {
        eprintln!("skipped: another user cannot run the binary");
        return;
    }
    run(&["closed/a.md"]).exits(2).tells("Permission denied").tells("--in-place");
    run(&["open/a.md"]).exits(2).tells("owner").tells("--in-place");
    assert_eq!(fs::read_to_string(sandbox.path("open/a.md")).unwrap(), OLD);
    mode("open/a.md", 0o644);
    run(&["open/a.md"]).exits(2).tells("Permission denied");
    // Journals of another user are ignored.
    sandbox.write("home/theirs/folio/journal/1-2-0.journal", "");
    let mut command = sandbox.command_of("setpriv");
    command.args(drop).arg(env!("CARGO_BIN_EXE_folio")).args(["undo", "--recover"]);
    command.env("XDG_STATE_HOME", sandbox.path("home/theirs"));
    outcome(&mut command, b"").exits(2).tells("belongs to another user");
    assert_eq!(leftovers(&sandbox.path(".")), Vec::<PathBuf>::new());
}
