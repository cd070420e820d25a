//! Measures the cost of one run of a command.
//!
//! Every run is the only child of a separate process (this benchmark, started again), so that the
//! system's counts for children are those of this run.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};

/// The argument before the command that is measured in a separate process.
pub const ONE_RUN: &str = "one-run";

/// The cost of a run, or the lowest cost of several runs.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// CPU time in the program and in the system.
    pub cpu: Duration,
    /// Time from the start until the run has ended and all of its output has been read.
    pub wall: Duration,
    /// Peak memory in bytes.
    pub memory: u64,
    /// Number of bytes printed.
    pub bytes: u64,
    /// Number of lines printed.
    pub lines: u64,
}

impl Cost {
    /// Returns the lower value of each figure.
    pub fn least(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.min(other.cpu),
            wall: self.wall.min(other.wall),
            memory: self.memory.min(other.memory),
            ..self
        }
    }

    fn from_fields(text: &str) -> Option<Self> {
        let mut fields = text.split_whitespace().map(str::parse::<u64>);
        let mut next = || fields.next()?.ok();
        Some(Self {
            cpu: Duration::from_nanos(next()?),
            wall: Duration::from_nanos(next()?),
            memory: next()?,
            bytes: next()?,
            lines: next()?,
        })
    }
}

/// Runs a command in a directory. The error is the reason why there is no cost.
pub fn run(words: &[OsString], directory: &Path) -> Result<Cost, String> {
    let message = |error: io::Error| error.to_string();
    let mut process = Command::new(std::env::current_exe().map_err(message)?);
    process.arg(ONE_RUN).args(words).current_dir(directory);
    // The other tools are fastest in the C locale.
    process.env("LC_ALL", "C").env_remove("RIPGREP_CONFIG_PATH");
    process.env("XDG_STATE_HOME", directory.join("state"));
    process.env("XDG_CACHE_HOME", directory.join("cache"));
    process.env("XDG_DATA_HOME", directory.join("data"));
    let output = process.output().map_err(message)?;
    let text = String::from_utf8_lossy(&output.stdout);
    match Cost::from_fields(&text) {
        Some(cost) if output.status.success() => Ok(cost),
        _ => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

/// The process started by [`run`]: runs the command and prints its cost.
pub fn one_run(words: &[OsString]) -> ExitCode {
    match cost_of(words) {
        Ok(cost) => {
            let (cpu, wall) = (cost.cpu.as_nanos(), cost.wall.as_nanos());
            println!("{cpu} {wall} {} {} {}", cost.memory, cost.bytes, cost.lines);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn cost_of(words: &[OsString]) -> io::Result<Cost> {
    let (program, arguments) = words.split_first().ok_or_else(|| io::Error::other("no command"))?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let (bytes, lines) = child.stdout.take().map_or(Ok((0, 0)), drain)?;
    let status = child.wait()?;
    let wall = start.elapsed();
    if !status.success() {
        return Err(io::Error::other(status.to_string()));
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = [usage.user_time(), usage.system_time()]
        .map(|time| time.tv_sec() as u64 * 1_000_000 + time.tv_usec() as u64);
    // The system counts kilobytes.
    let memory = usage.max_rss() as u64 * 1024;
    Ok(Cost { cpu: Duration::from_micros(micros[0] + micros[1]), wall, memory, bytes, lines })
}

/// Reads to the end. Returns the number of bytes and lines.
fn drain(mut output: impl Read) -> io::Result<(u64, u64)> {
    let mut buffer = vec![0; 64 * 1024];
    let (mut bytes, mut lines) = (0, 0);
    loop {
        match output.read(&mut buffer)? {
            0 => return Ok((bytes, lines)),
            length => {
                bytes += length as u64;
                lines += memchr::memchr_iter(b'\n', &buffer[..length]).count() as u64;
            }
        }
    }
}

/// Counts the instructions of a command with valgrind. Returns `None` if valgrind is not installed
/// or fails.
pub fn instructions(words: &[OsString], directory: &Path) -> Option<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(words)
        .current_dir(directory)
        .env("LC_ALL", "C")
        .env_remove("RIPGREP_CONFIG_PATH")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let report = String::from_utf8_lossy(&output.stderr);
    let line = report.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// Whether a program can be started by name.
pub fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
}
