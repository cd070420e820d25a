//! The `folio` binary. All of its code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    folio::main()
}
