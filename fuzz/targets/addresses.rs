//! Operands that consist of a file and a part of it, and names of sections.

#![no_main]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use folio_files::address::{Address, Part};
use folio_outline::format::Format;
use folio_outline::lookup::{Matching, find_section};
use folio_outline::naming::unique_names;
use folio_outline::outline::Outline;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let operand = OsStr::from_bytes(data);
    let ends = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let first = Path::new(OsStr::from_bytes(&data[..ends / 2]));
    for exists in [&|_: &Path| false, &|_: &Path| true, &|path: &Path| path == first]
        as [&dyn Fn(&Path) -> bool; 3]
    {
        check(operand, Address::parse(operand, exists).ok());
        check(operand, Address::parse_to_read(operand, exists).ok());
        check(operand, Address::find_in_line(data, exists));
    }
    for format in [Format::Markdown, Format::INI, Format::LOG] {
        let outline = Outline::of(data, format);
        for (index, name) in unique_names(&outline).into_iter().enumerate() {
            let Some(name) = name else { continue };
            let found = find_section(&outline, &name, None, Matching::Exact);
            assert_eq!(found, Ok(index), "{name:?} names its section");
        }
        let Ok(name) = std::str::from_utf8(&data[..ends]) else { continue };
        if let Ok(index) = find_section(&outline, name, None, Matching::Exact) {
            assert!(index < outline.sections().len());
        }
    }
});

/// Checks that the operand begins with the path, and that lines are valid.
fn check(operand: &OsStr, address: Option<Address>) {
    let Some(address) = address else { return };
    let operand = operand.as_bytes();
    let own = operand.strip_prefix(b"\0").unwrap_or(operand);
    let path = address.path.as_os_str().as_bytes();
    assert!(own.starts_with(path) || operand.starts_with(path), "{address:?}");
    if let Part::Lines(ranges) = &address.part {
        assert!(!ranges.is_empty());
        for range in ranges {
            assert!(range.start() >= 1 && range.start() <= range.end(), "{address:?}");
        }
    }
}
