//! Damaged indexes: `search` uses or rebuilds them. It never panics, hangs or prints a section that
//! does not exist.

#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use folio::fuzzing::search::{self, SearchArgs};
use folio::{Collected, ExitStatus};
use folio_fuzz::{Choices, Place};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

const DOCUMENTS: [(&str, &[u8]); 3] = [
    ("a.md", b"# Jobs\n\nA failed job is retried.\n\n## Retry\n\nUp to five times.\n"),
    ("b.md", b"# Install\n\nRun the installer.\n\n## Upgrade\n\nRun it again.\n"),
    ("c.md", b"---\ntitle: Notes\n---\n\nNothing about jobs, but about installers.\n"),
];

/// The files of an intact index, by their paths below the cache.
static INTACT: OnceLock<Vec<(PathBuf, Vec<u8>)>> = OnceLock::new();

fuzz_target!(|data: &[u8]| {
    let Some((mut choices, bytes)) = Choices::split(data) else { return };
    let place = Place::with(&DOCUMENTS);
    let cache = place.state.join("cache");
    let intact = INTACT.get_or_init(|| {
        assert_eq!(search(&place), ExitStatus::Done);
        files_below(&cache)
    });
    let mut files = intact.clone();
    for _ in 0..=choices.below(4) {
        let file = choices.below(files.len());
        damage(&mut files[file].1, &mut choices, bytes);
    }
    fs::remove_dir_all(&cache).ok();
    for (path, bytes) in &files {
        fs::create_dir_all(path.parent().expect("a file in a directory")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
    private(&cache);
    search(&place);
    // The index has been rebuilt, or its damage is harmless.
    search(&place);
});

/// Searches, and checks that each result is a range of lines in a document.
fn search(place: &Place) -> ExitStatus {
    let args = SearchArgs {
        words: vec!["retried".into(), "job".into()],
        collection: vec!["./".to_owned()],
        limit: 5,
        ..SearchArgs::default()
    };
    let mut sink = Collected::json();
    let outcome = search::run(&args, &place.host(), &mut sink);
    for record in serde_json::Deserializer::from_slice(&sink.written).into_iter() {
        let record: Value = record.expect("a record of JSON");
        let path = record["documentId"].as_str().expect("a document");
        let text = fs::read_to_string(place.directory.join(path)).expect("a document");
        let end = record["endLine"].as_u64().expect("a line");
        assert!(end <= text.lines().count() as u64, "{record}");
    }
    let status = sink.status(&outcome);
    // The damage may turn the version of the index into that of a newer folio.
    if format!("{outcome:?} {:?}", sink.errors).contains("a newer version of folio") {
        return ExitStatus::Done;
    }
    assert!(matches!(status, ExitStatus::Done | ExitStatus::No), "{outcome:?} {:?}", sink.errors);
    status
}

/// Changes a file: some bytes, its length, or a number.
fn damage(file: &mut Vec<u8>, choices: &mut Choices<'_>, bytes: &[u8]) {
    let at = choices.below_many(1 << 16) * file.len() >> 16;
    let rest = &mut file[at..];
    match choices.below(5) {
        0 => file.truncate(at),
        1 => file.extend_from_slice(bytes),
        2 => rest.iter_mut().take(8).for_each(|byte| *byte = 0xff),
        3 => rest.iter_mut().take(64).for_each(|byte| *byte = 0),
        _ => rest.iter_mut().zip(bytes).for_each(|(old, new)| *old = *new),
    }
}

fn files_below(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files.extend(files_below(&path)),
            false => files.push((path.clone(), fs::read(&path).expect("a file"))),
        }
    }
    files.sort();
    files
}

/// Only the user may access the cache.
fn private(directory: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).expect("permissions");
}
