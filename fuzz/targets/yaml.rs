//! Edits of entries of YAML documents.

#![no_main]

use folio_keys::Syntax;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| folio_fuzz::keys::run(data, Syntax::Yaml));
