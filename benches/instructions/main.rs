//! Prints the number of instructions that frequent operations take. Unlike time, it is the same on
//! a busy machine.
//!
//! ```text
//! cargo bench --bench instructions     (needs valgrind)
//! ```

#![allow(clippy::print_stdout, clippy::print_stderr)]
// The benchmark creates files directly.
#![allow(clippy::disallowed_methods)]

mod callgrind;
#[path = "../compare/markdown.rs"]
mod markdown;

use std::error::Error;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

fn main() -> ExitCode {
    // `cargo test --all-targets` also runs benchmarks, but without this flag.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    if !callgrind::is_installed() {
        eprintln!("skipped: valgrind is missing");
        return ExitCode::SUCCESS;
    }
    match print_all() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("instructions: {error}");
            ExitCode::FAILURE
        }
    }
}

fn print_all() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let directory = directory.path();
    let mut random = markdown::Random::new(1);
    let mut text = String::new();
    markdown::push_front_matter(&mut random, &mut text);
    markdown::push_document(&mut random, 10_000_000, &mut text);
    fs::write(directory.join("large.md"), text)?;
    fs::write(directory.join("small.md"), "# A title\n\nText.\n")?;
    // The system uses about 200,000 instructions before the program begins.
    for arguments in [&["--version"][..], &["read", "small.md:1"], &["inspect", "-O", "large.md"]] {
        print(directory, arguments, Stdio::null(), "")?;
    }
    // The cost of a long line must be linear.
    for mebibytes in [4, 32] {
        let line = "a".repeat(mebibytes << 20) + "\nx\n";
        fs::write(directory.join("line"), line)?;
        let input = File::open(directory.join("line"))?;
        let about = format!("  (a line of {mebibytes} MiB)");
        print(directory, &["grep", "-c", "x", "-"], input.into(), &about)?;
    }
    Ok(())
}

fn print(
    directory: &Path,
    arguments: &[&str],
    input: Stdio,
    about: &str,
) -> Result<(), Box<dyn Error>> {
    let name = arguments.join(" ");
    let mut command = Command::new("valgrind");
    command.args(callgrind::OPTIONS).arg(env!("CARGO_BIN_EXE_folio")).args(arguments);
    let output = command.current_dir(directory).stdin(input).output()?;
    let (true, Some(count)) = (output.status.success(), callgrind::count(&output)) else {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)).into());
    };
    println!("{count:>14}  folio {name}{about}");
    Ok(())
}
