//! The folio binary; all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    folio::main()
}
