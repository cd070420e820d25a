//! A directory and an isolated environment for each test, and the results of runs of the binary.

pub mod documents;
pub mod edits;
pub mod failures;
pub mod random_documents;
pub mod records;
pub mod system;
pub mod terminal;

use std::ffi::OsStr;
use std::fmt;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Maximum duration of a run. A longer run hangs.
const DEADLINE: Duration = Duration::from_secs(60);

/// A directory in which the binary runs.
pub struct Sandbox {
    directory: TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { directory: tempfile::Builder::new().prefix("folio-test-").tempdir().unwrap() }
    }

    /// Creates a directory with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::new();
        for (name, text) in files {
            sandbox.write(name, text);
        }
        sandbox
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file and creates its directories.
    pub fn write(&self, name: impl AsRef<Path>, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Returns the text of a file.
    #[track_caller]
    pub fn text(&self, name: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns a command that runs in the directory, without the outer environment.
    pub fn command_of(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.directory.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.directory.path())
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Returns a command that runs the binary.
    pub fn command(&self) -> Command {
        self.command_of(env!("CARGO_BIN_EXE_folio"))
    }

    #[track_caller]
    pub fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Outcome {
        outcome(self.command().args(arguments), b"")
    }

    #[track_caller]
    pub fn run_with_input<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        input: impl AsRef<[u8]>,
    ) -> Outcome {
        outcome(self.command().args(arguments).stdin(Stdio::piped()), input.as_ref())
    }

    #[track_caller]
    pub fn run_with_environment(
        &self,
        arguments: &[&str],
        environment: &[(&str, &str)],
    ) -> Outcome {
        outcome(self.command().args(arguments).envs(environment.iter().copied()), b"")
    }
}

/// Runs a command to its end. A command that hangs is killed and fails the test.
#[track_caller]
pub fn outcome(command: &mut Command, input: &[u8]) -> Outcome {
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program need not read all of its input.
        let _ = stdin.map(|mut stdin| stdin.write_all(&input));
    });
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let stdout = within_deadline(&stdout, &mut child);
    let stderr = within_deadline(&stderr, &mut child);
    let status = child.wait().unwrap();
    writer.join().unwrap();
    // `folio_files::message` marks options in messages, and each surface replaces the marks.
    let marked = "\u{FDD0}-".as_bytes();
    let is_marked = |text: &[u8]| text.windows(marked.len()).any(|bytes| bytes == marked);
    assert!(!is_marked(&stdout) && !is_marked(&stderr), "marks of options are printed");
    Outcome { status: status.code(), stdout, stderr }
}

pub fn drain(stream: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

#[track_caller]
pub fn within_deadline(stream: &mpsc::Receiver<Vec<u8>>, child: &mut Child) -> Vec<u8> {
    match stream.recv_timeout(DEADLINE) {
        Ok(bytes) => bytes,
        Err(_) => {
            let _ = child.kill();
            panic!("it hangs");
        }
    }
}

/// The result of a run.
pub struct Outcome {
    /// The exit status; `None` after a signal.
    pub status: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// Formats the complete result, for comparison.
impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => writeln!(formatter, "status: {status}")?,
            None => writeln!(formatter, "status: a signal")?,
        }
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !stream.is_empty() {
                writeln!(formatter, "{name}:\n{}", String::from_utf8_lossy(stream))?;
            }
        }
        Ok(())
    }
}

impl Outcome {
    /// Returns standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Returns standard error as text.
    pub fn errors(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }

    #[track_caller]
    pub fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self}");
        self
    }

    /// Checks that the run succeeded without notes.
    #[track_caller]
    pub fn succeeds(self) -> Self {
        let outcome = self.exits(0);
        assert!(outcome.stderr.is_empty(), "{outcome}");
        outcome
    }

    #[track_caller]
    pub fn prints(self, expected: impl AsRef<[u8]>) -> Self {
        let expected = expected.as_ref();
        assert!(
            self.stdout == expected,
            "expected: {:?}\n{self}",
            String::from_utf8_lossy(expected)
        );
        self
    }

    /// Checks that standard error contains a text.
    #[track_caller]
    pub fn tells(self, part: &str) -> Self {
        assert!(self.errors().contains(part), "expected: {part}\n{self}");
        self
    }

    /// Returns the objects of JSON Lines on standard output.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<serde_json::Value> {
        json_lines(&self.stdout)
    }

    /// Returns the only JSON object on standard output.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        let mut lines = self.json_lines();
        assert_eq!(lines.len(), 1, "{self}");
        lines.remove(0)
    }

    /// Returns standard output as one JSON text with any layout.
    #[track_caller]
    pub fn json_text(&self) -> serde_json::Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error}\n{self}"))
    }

    /// Returns the JSON errors on standard error, decoded strictly.
    #[track_caller]
    pub fn json_errors(&self) -> Vec<records::ErrorLine> {
        json_lines(&self.stderr)
            .into_iter()
            .map(|value| {
                serde_json::from_value(value).unwrap_or_else(|error| panic!("{error}\n{self}"))
            })
            .collect()
    }

    /// Returns the only JSON error on standard error.
    #[track_caller]
    pub fn json_error(&self) -> records::ErrorLine {
        let mut errors = self.json_errors();
        assert_eq!(errors.len(), 1, "{self}");
        errors.remove(0)
    }
}

#[track_caller]
fn json_lines(stream: &[u8]) -> Vec<serde_json::Value> {
    let text = std::str::from_utf8(stream).expect("JSON is UTF-8");
    assert!(text.is_empty() || text.ends_with('\n'), "a line without its end: {text}");
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Returns the checksum that folio prints for these bytes.
pub fn checksum(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes.as_ref())[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Encodes a text in UTF-16 with a byte order mark.
pub fn utf16(text: &str, little_end_first: bool) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    let bytes = |unit: u16| {
        if little_end_first { unit.to_le_bytes() } else { unit.to_be_bytes() }
    };
    units.flat_map(bytes).collect()
}

/// Returns lines with the numbers from 1 to `count`.
pub fn numbers(count: u64) -> String {
    (1..=count).map(|number| format!("{number}\n")).collect()
}
