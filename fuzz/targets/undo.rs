//! Damaged history entries and journals: nothing panics, an entry that fails its checksums is
//! never applied, and no other file changes.

#![no_main]

use std::fs;
use std::path::{Path, PathBuf};

use folio::fuzzing::undo::UndoArgs;
use folio_fuzz::{Choices, Place};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};

const OLD: &[u8] = b"# Title\n\nthe old words\n\nmore\n";

fuzz_target!(|data: &[u8]| {
    let Some((mut choices, rest)) = Choices::split(data) else { return };
    let place = Place::with(&[("a.md", OLD), ("b.md", OLD)]);
    if choices.below(4) == 3 {
        recover(&place, &mut choices, rest);
        return;
    }
    let edit =
        br#"{"filePath":"a.md","operation":"replace","target":{"text":"old"},"content":"newer"}"#;
    let applied = place.apply(edit, |_| {});
    assert!(applied.is_done, "{applied:?}");
    let after = place.files();
    let entry = only_file(&place.state.join("history"), ".entry");
    let whole = fs::read(&entry).expect("the entry");
    let repairs = choices.below(4) != 0;
    let damaged = match choices.below(8) {
        7 => rest.to_vec(),
        _ => damage(&mut choices, whole.clone(), rest),
    };
    let damaged = if repairs { with_checksums(&damaged) } else { damaged };
    fs::write(&entry, &damaged).expect("the damaged entry");
    let undone = place.undo(UndoArgs::default());
    let now = place.files();
    assert_eq!(place.bytes("b.md"), OLD, "nothing else changes");
    match undone {
        Err(_) => assert_eq!(now, after, "a refusal changes nothing"),
        Ok(()) if damaged == whole => assert_eq!(place.bytes("a.md"), OLD),
        // The first line has no checksum, and an undo does not use it.
        Ok(()) => assert!(repairs || record(&damaged) == record(&whole), "it fails its checksums"),
    }
    let _ = place.undo(UndoArgs { list: true, ..UndoArgs::default() });
    let _ = place.undo(UndoArgs { redo: true, ..UndoArgs::default() });
    assert_eq!(place.bytes("b.md"), OLD, "nothing else changes");
});

/// Overwrites random bytes.
fn damage(choices: &mut Choices, mut bytes: Vec<u8>, with: &[u8]) -> Vec<u8> {
    for _ in 0..=choices.below(4) {
        let at = choices.below_many(bytes.len().max(1));
        match choices.below(4) {
            0 => bytes.truncate(at),
            1 => bytes.splice(at..at, with.iter().copied()).for_each(drop),
            2 => {
                let end = (at + choices.below(20)).min(bytes.len());
                bytes.splice(at..end, with.iter().copied().take(20)).for_each(drop);
            }
            _ => {
                let digit = b"0123456789-{}[]\",:e"[choices.below(19)];
                bytes.get_mut(at).into_iter().for_each(|byte| *byte = digit);
            }
        }
    }
    bytes
}

/// Returns an entry without its first line.
fn record(entry: &[u8]) -> Option<&[u8]> {
    entry.splitn(2, |&byte| byte == b'\n').nth(1)
}

/// Returns the entry with correct checksums.
fn with_checksums(entry: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> = entry.splitn(4, |&byte| byte == b'\n').collect();
    let [intent, _, record, bytes] = lines[..] else { return entry.to_vec() };
    let sum = |parts: &[&[u8]]| -> String {
        let sum = Sha256::digest(parts.concat());
        sum.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let line = format!("folio-undo {} {}\n", sum(&[record, b"\n"]), sum(&[bytes]));
    [intent, b"\n", line.as_bytes(), record, b"\n", bytes].concat()
}

fn only_file(directory: &Path, ending: &str) -> PathBuf {
    let items = fs::read_dir(directory).expect("the directory").map(Result::unwrap);
    let mut paths = items.map(|item| item.path());
    paths.find(|path| path.to_string_lossy().ends_with(ending)).expect("a file")
}

/// Recovers from a journal with an invented plan for `a.md`.
fn recover(place: &Place, choices: &mut Choices, rest: &[u8]) {
    let directory = place.state.join("journal");
    fs::create_dir_all(&directory).expect("a directory");
    let here = place.directory.to_str().expect("a path of text");
    let size = OLD.len();
    let step = format!(
        r#"{{"directory":"{here}","name":"a.md","temporary":"","old":{{"inode":1,"size":{size},"mtime":[1,1]}},"in_place":{{"start":0,"old":{size},"new":{size}}}}}"#
    );
    let intent =
        format!("{{\"done\":false,\"version\":3,\"time\":1790000000,\"steps\":[{step}]}}\n");
    let record = r#"{"version":3,"time":1790000000,"operation":"","files":[],"new":[null]}"#;
    let journal = with_checksums(format!("{intent}\n{record}\n").as_bytes());
    let journal = match choices.below(8) {
        7 => rest.to_vec(),
        _ => damage(choices, journal, rest),
    };
    fs::write(directory.join("9.journal"), journal).expect("a journal");
    fs::write(directory.join("9-0.copy"), [OLD, OLD].concat()).expect("a copy");
    let _ = place.undo(UndoArgs { recover: true, ..UndoArgs::default() });
    assert_eq!(place.bytes("b.md"), OLD, "nothing else changes");
    let _ = place.undo(UndoArgs { list: true, ..UndoArgs::default() });
}
