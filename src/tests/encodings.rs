//! Documents in every encoding that has a label, truncated and mixed with bytes of other encodings.
//! Each command ends with a result or an error, and an edit does not change the bytes before and
//! after the edited part.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestCaseResult;
use serde_json::json;

use super::cases;
use crate::patch::{Request, WriteArgs};
use crate::{Collected, ExitStatus, Host, grep, patch, read};

/// Every encoding of the Encoding Standard that can be requested.
const LABELS: &[&str] = &[
    "utf-8",
    "utf-16le",
    "utf-16be",
    "big5",
    "euc-jp",
    "euc-kr",
    "gb18030",
    "gbk",
    "ibm866",
    "iso-2022-jp",
    "iso-8859-1",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "shift_jis",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "x-mac-cyrillic",
    "x-user-defined",
];

/// Lines of documents before encoding.
const LINES: &[&str] = &[
    "# One\n",
    "## Two é\n",
    "text\r\n",
    "\n",
    "日本語 中文 한국어\n",
    "жук ẞ €\n",
    "😀\n",
    "```\n",
    "[a]: /b\n",
    "word",
];

/// Bytes that are mostly invalid in one encoding or another.
const ODD: &[&[u8]] = &[
    b"\0",
    b"\n",
    b"\n\0",
    b"\0\n",
    b"\x0a\x0a",
    b"\xff",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
    b"\xd8\x00",
    b"\x00\xd8",
    b"\xdc",
    b"\x81",
    b"\x81\x30",
    b"\x84\x31\xa4\x37",
    b"\x1b$B",
    b"\x1b(B",
    b"\x1b",
    b"\x8f\xa1",
    b"\x80",
    b"\xa0\n",
];

#[derive(Clone, Debug)]
enum Bytes {
    Line(&'static str),
    Odd(&'static [u8]),
    Other(&'static str, &'static str),
    Any(Vec<u8>),
}

fn encoded(text: &str, label: &str) -> Vec<u8> {
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
    let units = |to_bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(to_bytes).collect();
    match label {
        "utf-16le" => units(u16::to_le_bytes),
        "utf-16be" => units(u16::to_be_bytes),
        _ => encoding.encode(text).0.into_owned(),
    }
}

fn document() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let piece = prop_oneof![
        6 => select(LINES).prop_map(Bytes::Line),
        2 => select(ODD).prop_map(Bytes::Odd),
        1 => (select(LINES), select(LABELS)).prop_map(|(line, label)| Bytes::Other(line, label)),
        1 => proptest::collection::vec(any::<u8>(), 1..6).prop_map(Bytes::Any),
    ];
    let pieces = proptest::collection::vec(piece, 0..8);
    (select(LABELS), pieces, any::<bool>(), any::<Index>(), prop::bool::weighted(0.3)).prop_map(
        |(label, pieces, marked, cut, is_cut)| {
            let mut bytes = match (label, marked) {
                ("utf-16le", true) => b"\xff\xfe".to_vec(),
                ("utf-16be", true) => b"\xfe\xff".to_vec(),
                ("utf-8", true) => b"\xef\xbb\xbf".to_vec(),
                _ => Vec::new(),
            };
            for piece in pieces {
                match piece {
                    Bytes::Line(line) => bytes.extend(encoded(line, label)),
                    Bytes::Odd(odd) => bytes.extend(odd),
                    Bytes::Other(line, label) => bytes.extend(encoded(line, label)),
                    Bytes::Any(any) => bytes.extend(any),
                }
            }
            if is_cut && !bytes.is_empty() {
                bytes.truncate(cut.index(bytes.len()));
            }
            (label, bytes)
        },
    )
}

/// Returns edits, each of the original document.
fn edits() -> Vec<serde_json::Value> {
    let edit = |operation: &str, target: serde_json::Value| {
        let mut edit = json!({"filePath": "a.md", "operation": operation, "content": "x\n"});
        if !target.is_null() {
            edit["target"] = target;
        }
        edit
    };
    let mut delete = edit("delete", json!({"lines": {"start": 2}}));
    delete.as_object_mut().unwrap().remove("content");
    let mut all = edit("replace", json!({"text": "e"}));
    all["occurrence"] = "all".into();
    vec![
        edit("append", serde_json::Value::Null),
        edit("append", json!({"section": "One"})),
        edit("insert", json!({"lines": {"start": 1}})),
        edit("replace", json!({"text": "word"})),
        edit("replace", json!({"lines": {"start": 2, "end": 2}})),
        all,
        delete,
    ]
}

/// Applies an edit to `a.md`. Returns the result and the new bytes.
fn apply(label: &str, bytes: &[u8], edit: &serde_json::Value) -> (ExitStatus, Collected, Vec<u8>) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.md");
    std::fs::write(&file, bytes).unwrap();
    let write = WriteArgs { no_sync: true, ..WriteArgs::default() };
    let mut options =
        patch::PatchOptions { edit: Request::apply(edit.to_string()), write, ..Default::default() };
    options.documents.encoding = Some(label.to_owned());
    options.documents.binary = true;
    let mut collected = Collected::json();
    let outcome = patch::run(&options, &Host::new(directory.path()).unwrap(), &mut collected);
    let status = collected.status(&outcome);
    collected.errors.extend(outcome.err());
    (status, collected, std::fs::read(file).unwrap())
}

fn check_edits(label: &str, bytes: &[u8]) -> TestCaseResult {
    for edit in edits() {
        let (status, _, after) = apply(label, bytes, &edit);
        if status != ExitStatus::Done {
            prop_assert_eq!(&after, bytes, "refused, but written: {}", edit);
        } else if edit["operation"] == "append" && edit.get("target").is_none() {
            // In an encoding with shift sequences, a final shift has no effect, so appended text
            // may precede it.
            let is_kept = after.starts_with(bytes) || label == "iso-2022-jp";
            prop_assert!(is_kept && after.len() > bytes.len(), "{}", edit);
        }
    }
    Ok(())
}

fn check_reads(label: &str, bytes: &[u8]) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("a.md"), bytes).unwrap();
    let host = Host::new(directory.path()).unwrap();
    for address in ["a.md", "a.md:2", "a.md:1-3", "a.md#one"] {
        let args = |raw| {
            let addresses = vec![address.into()];
            let mut args = read::ReadArgs { addresses, raw, ..Default::default() };
            args.documents.encoding = Some(label.to_owned());
            args.documents.binary = true;
            args
        };
        let _ = read::run(args(false), &host, &mut Collected::json());
        let _ = read::run(args(true), &host, &mut Collected::text());
    }
    for pattern in ["e", ".", "$", "\u{fffd}", "本"] {
        let args = grep::GrepArgs {
            pattern: Some(pattern.into()),
            paths: vec!["a.md".into()],
            text: true,
            encoding: Some(label.to_owned()),
            section_hints: true,
            ..Default::default()
        };
        let _ = grep::run(args, &host, &mut Collected::json());
    }
}

#[test]
fn half_a_unit_at_the_end_of_utf16_is_kept() {
    let bytes = b"\xff\xfe\x23\x00\x20\x00\x48";
    check_edits("utf-16le", bytes).unwrap();
    check_reads("utf-16le", bytes);
    let append = json!({"filePath": "a.md", "operation": "append", "content": "x"});
    let (status, output, after) = apply("utf-16le", bytes, &append);
    assert_eq!(status.number(), 2, "{output:?}");
    assert!(output.errors[0].message.to_string().contains("invalid bytes"), "{output:?}");
    assert_eq!(after, bytes);
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn any_bytes_in_any_encoding_are_handled((label, bytes) in document()) {
        check_edits(label, &bytes)?;
        check_reads(label, &bytes);
    }
}
