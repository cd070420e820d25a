//! Compares folio with the tools that are commonly used for the same work.
//!
//! ```text
//! cargo bench --bench compare                        every row, on 1 GB
//! cargo bench --bench compare -- outline tree        some rows
//! cargo bench --bench compare -- --size 100 --runs 3
//! cargo bench --bench compare -- patch --data /mnt   on another file system
//! ```
//!
//! Runs alternate (A B C A B C …). Their output is read from a pipe, and the smallest value of each
//! figure is used. Tools that are not installed are omitted.

#![allow(clippy::print_stdout, clippy::print_stderr)]
// The benchmark creates files directly.
#![allow(clippy::disallowed_methods)]

mod inputs;
mod markdown;
mod measure;
mod patch;
mod rows;
mod table;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use measure::Cost;
use rows::{Contender, Measure, Row, Subject};
use table::Figures;

/// The names of all rows.
const NAMES: [&str; 11] = [
    "outline", "tree", "read", "grep", "list", "roots", "json", "start", "patch", "links", "search",
];

/// The position in the large document at which the row `read` starts, in percent.
const READ_AT: u64 = 86;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some((_, words)) =
        arguments.split_first().filter(|(first, _)| *first == measure::ONE_RUN)
    {
        return measure::one_run(words);
    }
    match Options::parse(&arguments) {
        // `cargo test --all-targets` also runs benchmarks, but without this flag.
        Ok(options) if !options.is_bench => ExitCode::SUCCESS,
        Ok(options) => match compare(&options) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error.to_string()),
        },
        Err(message) => fail(&message),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("compare: {message}");
    ExitCode::FAILURE
}

/// The options of the benchmark.
struct Options {
    /// Whether the benchmark was started on purpose.
    is_bench: bool,
    /// Names of rows to run. If there are none, all rows are run.
    rows: Vec<String>,
    /// The size of the large document in megabytes.
    megabytes: usize,
    /// Number of runs of each command.
    runs: usize,
    /// The directory of the files. `None` for the build directory.
    data: Option<PathBuf>,
}

impl Options {
    fn parse(arguments: &[OsString]) -> Result<Self, String> {
        let mut options =
            Self { is_bench: false, rows: Vec::new(), megabytes: 1000, runs: 5, data: None };
        let mut arguments = arguments.iter().map(|argument| argument.to_string_lossy());
        while let Some(argument) = arguments.next() {
            let number = |value: Option<std::borrow::Cow<'_, str>>| {
                let value = value.and_then(|value| value.parse().ok()).filter(|value| *value > 0);
                value.ok_or_else(|| format!("{argument} needs a number"))
            };
            match argument.as_ref() {
                "--bench" => options.is_bench = true,
                "--size" => options.megabytes = number(arguments.next())?,
                "--runs" => options.runs = number(arguments.next())?,
                "--data" => {
                    let path = arguments.next().ok_or("--data needs a directory")?;
                    options.data = Some(PathBuf::from(path.as_ref()));
                }
                name if NAMES.contains(&name) => options.rows.push(name.to_owned()),
                other => {
                    return Err(format!(
                        "'{other}' is no row: there are {}; and --size MB, --runs N, --data DIR",
                        NAMES.join(", ")
                    ));
                }
            }
        }
        Ok(options)
    }

    fn selects(&self, row: &Row) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|name| name == row.name)
    }
}

fn compare(options: &Options) -> io::Result<()> {
    let data = options.data.clone().unwrap_or_else(data_directory);
    std::fs::create_dir_all(&data)?;
    let data = data.canonicalize()?;
    let names: Vec<&str> = options.rows.iter().map(String::as_str).collect();
    if names.is_empty() || names.contains(&"patch") {
        inputs::make_edited(&data, options.megabytes)?;
    }
    if names.is_empty() || names.contains(&"links") {
        inputs::make_linked(&data)?;
    }
    if names.iter().any(|name| !["patch", "links"].contains(name)) || names.is_empty() {
        inputs::make_big(&data, options.megabytes)?;
        inputs::make_tree(&data)?;
    }
    let big = data.join(inputs::big_name(options.megabytes));
    let line = if big.exists() { inputs::count_lines(&big)? * READ_AT / 100 } else { 1 };
    let shares = inputs::can_share(&data);
    let subject = Subject { megabytes: options.megabytes, line: line.max(1), shares };
    for mut row in rows::rows(&subject).into_iter().filter(|row| options.selects(row)) {
        leave_out_absent(&mut row);
        let figures = measure_row(&mut row, &data, options.runs);
        print!("{}", table::table(&row, &figures));
    }
    Ok(())
}

/// Returns the directory of the files, below the directory in which the binary was built.
fn data_directory() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_folio"));
    binary.ancestors().nth(2).unwrap_or(Path::new(".")).join("compare-data")
}

fn leave_out_absent(row: &mut Row) {
    let (installed, absent): (Vec<Contender>, Vec<Contender>) =
        row.contenders.drain(..).partition(|contender| {
            contender.program.is_empty() || measure::is_installed(contender.program)
        });
    row.contenders = installed;
    row.left_out.extend(absent.iter().map(|peer| format!("{} (not installed)", peer.label)));
}

/// Runs all tools in turn. A tool that fails is omitted.
fn measure_row(row: &mut Row, data: &Path, runs: usize) -> Vec<Figures> {
    let mut costs: Vec<Option<Cost>> = vec![None; row.contenders.len()];
    let prepare = |words: &[OsString]| match words {
        [] => {}
        words => {
            if let Err(error) = measure::run(words, data) {
                eprintln!("compare: {error}");
            }
        }
    };
    prepare(&row.setup);
    // Whether the files are in the edited state.
    let mut is_changed = false;
    // The first turn warms the caches and is not measured.
    for turn in 0..=runs * row.repeat {
        let mut index = 0;
        while index < row.contenders.len() {
            prepare(&row.before);
            let contender = &row.contenders[index];
            let changes = !contender.back.is_empty();
            let words = if changes && is_changed { &contender.back } else { &contender.words };
            match measure::run(words, data) {
                Ok(cost) => {
                    is_changed ^= changes;
                    if turn > 0 {
                        costs[index] = Some(costs[index].map_or(cost, |least| least.least(cost)));
                    }
                }
                Err(error) => {
                    row.left_out.push(format!("{} (failed: {error})", contender.label));
                    row.contenders.remove(index);
                    costs.remove(index);
                    continue;
                }
            }
            index += 1;
        }
    }
    let counted = row.goals.iter().any(|goal| goal.measure == Measure::Instructions);
    let instructions = |contender: &Contender| {
        counted.then(|| measure::instructions(&contender.words, data)).flatten()
    };
    row.contenders
        .iter()
        .zip(costs)
        .filter_map(|(contender, cost)| {
            let label = contender.label;
            Some(Figures { label, cost: cost?, instructions: instructions(contender) })
        })
        .collect()
}
