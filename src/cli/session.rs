//! A run of a command, with its streams, output style and exit status.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, Stderr, Stdout};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::signals::Received;
use super::terminal::{self, ProgressLine, Stream};
use super::typed_line::TypedLine;
use super::{env, find, is_set};
use crate::commands::host::Confirm;
use crate::commands::hyperlinks::{HyperlinkFormat, Hyperlinks};
use crate::commands::json;
use crate::commands::output::{Closed, Note, Outcome, Progress, Sink, Style, escape};
use crate::commands::shared_args::{ColorChoice, root_flag};
use folio_files::config;
use folio_files::env::WaitNotice;
use folio_files::error::{Change, Error, ExitStatus, Hint};
use folio_files::options::{FLAGS, HYPERLINK_FORMAT};
use folio_files::roots::Roots;

/// The streams of a run, and its state so far.
pub(super) struct Session {
    command: &'static str,
    style: Style,
    stdout: Stream<BufWriter<Stdout>>,
    stderr: Stream<Stderr>,
    errors_painted: bool,
    status: ExitStatus,
    closed: bool,
    /// The signals that arrived after the first change of files had begun.
    pub(super) interrupted: Received,
    /// Whether files were changed. If they were and the changes can be undone, also the command
    /// that undoes them.
    edited: Option<Option<Hint>>,
    /// Whether output is flushed immediately.
    flushes: bool,
    /// The `--root` options of the line, for use in hints.
    roots: Vec<OsString>,
    /// The arguments of the line, for use in hints.
    line: Vec<OsString>,
    /// The errors in configuration files that were reported.
    invalid_settings: HashSet<(PathBuf, String)>,
}

impl Session {
    /// Creates the session for parsed arguments.
    pub(super) fn new(command: &'static str, line: &[OsString], matches: &ArgMatches) -> Self {
        let format = matches.try_get_raw("format").ok().flatten().and_then(Iterator::last);
        let is_set = |flag| is_set(matches, flag);
        let color = matches.try_get_one::<ColorChoice>("color").ok().flatten().copied();
        let is_default = || matches.value_source("color") == Some(ValueSource::DefaultValue);
        let color =
            color.map(
                |color| if is_set("pretty") && is_default() { ColorChoice::Always } else { color },
            );
        let json = is_set("json")
            || is_set("json_object")
            || format.is_some_and(|format| format == "json");
        let mut session = Self::with(command, json, color.unwrap_or(ColorChoice::Auto));
        // grep prints plain lines, even on a terminal.
        let is_drawn = is_set("tree") || is_set("pretty") && command != "grep";
        session.style.terminal |= is_drawn && !json;
        session.stdout.filters |= is_drawn;
        session.flushes = is_set("line_buffered");
        session.roots = super::roots(matches).flat_map(|root| root_flag(root)).collect();
        session.line = line.to_vec();
        session
    }

    /// Creates the session for arguments that could not be parsed.
    pub(super) fn before_arguments(command: &'static str, arguments: &[OsString]) -> Self {
        Self::with(command, asks_json(arguments), ColorChoice::Auto)
    }

    /// Prints file names as hyperlinks, if this is requested and the output is a terminal.
    ///
    /// # Errors
    ///
    /// Fails if the requested format is invalid.
    pub(super) fn link_names(&mut self, matches: &ArgMatches, roots: &Roots) -> Result<(), Error> {
        let typed = matches.try_get_one::<String>("hyperlink_format").ok().flatten();
        let Some(typed) = typed else { return Ok(()) };
        let format: HyperlinkFormat = typed.parse().map_err(|why| {
            Error::usage(format!("{HYPERLINK_FORMAT}: '{typed}' is not a valid format: {why}"))
                .hint(Hint::with_value(HYPERLINK_FORMAT, "file://{host}{path}").why("an example"))
        })?;
        let ends_names = is_set(matches, "null");
        if self.style.color && self.stdout.is_terminal && !ends_names && !format.is_none() {
            let links = Hyperlinks {
                format,
                roots: roots.clone(),
                host: env::host_name(),
                wsl: env::variable("WSL_DISTRO_NAME").and_then(|name| name.into_string().ok()),
            };
            // Leaked to get a `'static` reference. A process has only one session.
            self.style.hyperlinks = Some(Box::leak(Box::new(links)));
        }
        Ok(())
    }

    fn with(command: &'static str, json: bool, color: ColorChoice) -> Self {
        let (stdout, stderr) = (terminal::stdout(), terminal::stderr());
        let terminal = stdout.is_terminal;
        Self {
            command,
            style: Style {
                json,
                terminal: terminal && !json,
                color: !json && paints(color, terminal),
                tools: false,
                grouped: false,
                columns: terminal::columns(),
                hyperlinks: None,
            },
            errors_painted: paints(color, stderr.is_terminal),
            stdout,
            stderr,
            status: ExitStatus::Done,
            closed: false,
            interrupted: Received::default(),
            edited: None,
            flushes: false,
            roots: Vec::new(),
            line: Vec::new(),
            invalid_settings: HashSet::new(),
        }
    }

    /// Returns the function that reports on a terminal that standard input does not yet provide
    /// data.
    pub(super) fn wait_notice(&self) -> WaitNotice {
        let command = self.command;
        if !self.stderr.is_terminal {
            return WaitNotice::default();
        }
        WaitNotice::new(move |path| {
            let path = path.display();
            let message = "a pipe that nothing has been written to yet";
            let line = format!("folio {command}: note: waiting for '{path}', {message}\n");
            terminal::stderr().say(&line).unwrap_or_default();
        })
    }

    /// Returns a function that asks a question on the terminal. Returns `None` if standard input or
    /// standard error is not a terminal.
    pub(super) fn confirm(&self) -> Option<Confirm> {
        let is_terminal = self.stderr.is_terminal && io::stdin().is_terminal();
        let command = self.command;
        is_terminal.then(|| {
            Confirm::with(move |question| {
                let question = format!("folio {command}: {question} (y/N) ");
                let mut answer = String::new();
                let printed = terminal::stderr().say(&question);
                printed
                    .and_then(|()| io::stdin().read_line(&mut answer))
                    .is_ok_and(|_| ["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
            })
        })
    }

    /// Flushes the output and returns the exit status.
    pub(super) fn finish(mut self, outcome: Outcome) -> ExitStatus {
        match outcome {
            Ok(status) => self.status = self.status.max(status),
            Err(error) => self.error(&error),
        }
        let flushed = self.stdout.flush();
        self.check(flushed);
        if let Some(signal) = self.interrupted.number() {
            if let Some(undo_hint) = self.edited.take() {
                let mut note = Note::new("the signal came too late to cancel the edit");
                note.hints.extend(undo_hint.map(|hint| hint.why("to undo it")));
                self.note(note);
            }
            self.status = ExitStatus::Interrupted(signal);
        }
        self.status
    }

    fn check(&mut self, result: io::Result<()>) -> bool {
        let Err(error) = result else { return true };
        if !self.closed {
            self.closed = true;
            // A closed pipe is not an error. The reader does not need more output.
            if error.kind() != io::ErrorKind::BrokenPipe {
                let mut failure = Error::io(&error, Path::new("standard output"));
                if let Some(undo_hint) = self.edited.take() {
                    failure.message.push("; the files were changed");
                    failure.hints.extend(undo_hint.map(|hint| hint.why("to undo it")));
                }
                self.error(&failure);
            }
        }
        false
    }

    /// Writes to standard error. Flushes standard output first, so that the order of lines is
    /// correct if both streams have the same destination.
    fn write_error(&mut self, line: &[u8]) {
        let _ = self.stdout.flush();
        let _ =
            if self.style.json { self.stderr.write_json(line) } else { self.stderr.write(line) };
    }

    /// Converts a hint to the form in which it is printed. Changes of the call become the changed
    /// command line; of a long line, text output contains only what changes. Returns `None` if
    /// nothing changes, or if an option of the hint excludes one of the line.
    fn shown(&self, hint: Hint) -> Option<Hint> {
        const MAX_LINE: usize = 400;
        let Hint::Again { changes, why } = &hint else { return Some(self.completed(hint)) };
        let built = (find(self.command.as_ref())?.build)();
        let mut line = TypedLine::parse(&self.line, &built);
        changes.iter().for_each(|change| line.apply(change));
        let command = find(line.name())?;
        let other = (command.name != self.command).then(|| (command.build)());
        if !changes.iter().all(|change| is_accepted(change, other.as_ref().unwrap_or(&built))) {
            return None;
        }
        let words = line.words();
        let is_same = command.name == self.command && words == self.line;
        if is_same || !command.accepts(&words, self.style.json) {
            return None;
        }
        let full_hint = Hint::Command { name: command.name, args: words, why: why.clone() };
        let is_short = full_hint.line().len() <= MAX_LINE || hint.words().is_empty();
        Some(if self.style.json || is_short { full_hint } else { hint })
    }

    /// Returns the words of options as they were typed.
    fn typed(&self, options: &[&str]) -> Vec<OsString> {
        let Some(subcommand) = find(self.command.as_ref()) else { return Vec::new() };
        let built = (subcommand.build)();
        let line = TypedLine::parse(&self.line, &built);
        options.iter().flat_map(|option| line.words_of(option)).collect()
    }

    /// Prints an error as JSON, and returns its exit status.
    pub(super) fn error_in_json(&mut self, error: &Error) -> ExitStatus {
        self.write_error(&json::error_line(error));
        error.code.exit_status()
    }

    /// Writes an error that is already JSON to standard error.
    pub(super) fn write_json_error(&mut self, error: &serde_json::Value) {
        self.write_error(format!("{error}\n").as_bytes());
    }

    /// Appends a line with `label` to the lines for standard error.
    fn error_line(&self, label: &str, text: &[u8], lines: &mut Vec<u8>) {
        let shown = if self.stderr.filters { escape(text) } else { text.into() };
        lines.extend_from_slice(label.as_bytes());
        lines.extend_from_slice(&shown);
        lines.push(b'\n');
    }

    fn label(&self, word: &str, style: owo_colors::Style) -> String {
        if self.errors_painted {
            format!("{}{word}{}", style.prefix_formatter(), style.suffix_formatter())
        } else {
            word.to_owned()
        }
    }
}

/// Whether a command line that cannot be parsed contains the option for JSON output.
pub(super) fn asks_json(line: &[OsString]) -> bool {
    let asks = |word: &str| line.iter().any(|argument| argument == word);
    let format = line.windows(2).any(|two| two[0] == "--format" && two[1] == "json");
    format || ["--json", "--format=json", "--json-object"].into_iter().any(asks)
}

impl Sink for Session {
    fn style(&self) -> Style {
        self.style
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        let written =
            if self.style.json { self.stdout.write_json(bytes) } else { self.stdout.write(bytes) };
        let written =
            written.and_then(|()| if self.flushes { self.stdout.flush() } else { Ok(()) });
        if self.check(written) { Ok(()) } else { Err(Closed) }
    }

    fn edited(&mut self, undo_hint: Option<Hint>) {
        self.edited = Some(undo_hint);
    }

    fn note(&mut self, mut note: Note) {
        note.hints = note.hints.into_iter().filter_map(|hint| self.shown(hint)).collect();
        let mut lines = Vec::new();
        if self.style.json {
            lines = json::note_line(&note);
        } else {
            let text = note.to_string();
            let label = format!("folio {}: note: ", self.command);
            self.error_line(&label, text.as_bytes(), &mut lines);
        }
        self.write_error(&lines);
    }

    fn error(&mut self, error: &Error) {
        self.status = self.status.max(error.code.exit_status());
        // An invalid configuration file concerns all documents below it.
        let file = error.path.as_ref().filter(|path| path.ends_with(config::NAME));
        let key = file.map(|file| (file.clone(), error.message.to_string()));
        if key.is_some_and(|key| !self.invalid_settings.insert(key)) {
            return;
        }
        let mut error = error.clone();
        let hints = std::mem::take(&mut error.hints).into_iter();
        error.hints = hints.filter_map(|hint| self.shown(hint)).collect();
        if self.style.json {
            return self.write_error(&json::error_line(&error));
        }
        let mut lines = Vec::new();
        let mut message = Vec::new();
        if let Some(path) = &error.path {
            message = [b"'", path.as_os_str().as_bytes(), b"': "].concat();
        }
        message.extend_from_slice(error.message.to_string().as_bytes());
        let name = self.label(&format!("folio {}:", self.command), owo_colors::Style::new().red());
        self.error_line(&format!("{name} "), &message, &mut lines);
        // The hints list similar names.
        let is_several = error.code.exit_status() == ExitStatus::Several;
        for candidate in error.candidates.iter().filter(|_| is_several) {
            let line = format!("  line {}: {}", candidate.line, candidate.path.join(" > "));
            self.error_line("", line.as_bytes(), &mut lines);
        }
        let label = self.label("hint:", owo_colors::Style::new().cyan());
        for hint in &error.hints {
            self.error_line(&format!("{label} "), hint.to_string().as_bytes(), &mut lines);
        }
        self.write_error(&lines);
    }

    fn progress(&mut self, what: &str) -> Progress {
        if !self.stderr.is_terminal || self.style.json {
            return Box::new(|_, _| {});
        }
        let mut line = ProgressLine::new(what);
        Box::new(move |done, total| line.show(done, total))
    }

    fn completed(&self, hint: Hint) -> Hint {
        match hint {
            Hint::Again { .. } => self.shown(hint.clone()).unwrap_or(hint),
            Hint::Command { name, args, why } => {
                let has = |flag: &str| {
                    let value = format!("{flag}=");
                    args.iter()
                        .any(|word| word == flag || word.as_bytes().starts_with(value.as_bytes()))
                };
                let built = find(name.as_ref()).map(|command| (command.build)());
                let takes = |flag| built.as_ref().is_some_and(|built| has_option(built, flag));
                let needs = |flag| !has("--help") && !has(flag) && takes(flag);
                let mut more = Vec::new();
                if !self.roots.is_empty() && needs("--root") {
                    more.clone_from(&self.roots);
                }
                if self.style.json && !has("--format") && needs("--json") {
                    more.push("--json".into());
                }
                // The command reads the same documents.
                let mut documents = vec!["--as", "--encoding", "--binary"];
                documents.retain(|option| self.line.len() > 1 && needs(option));
                if !documents.is_empty() {
                    more.extend(self.typed(&documents));
                }
                more.extend(args);
                Hint::Command { name, args: more, why }
            }
            other => other,
        }
    }
}

/// Whether a command has the option that a change gives.
fn is_accepted(change: &Change, command: &clap::Command) -> bool {
    let option = match (change, change.option()) {
        (Change::Set(_, values), _) if values.is_empty() => return true,
        // These are fields of a target in JSON.
        (_, Some(FLAGS)) => return true,
        (Change::Rename(_, option), _) => *option,
        (_, Some(option)) => option,
        (_, None) => return true,
    };
    has_option(command, option.0) || command.get_positionals().any(|arg| arg.get_id() == option.0)
}

/// Whether a command has an option, such as `--json`.
fn has_option(command: &clap::Command, option: &str) -> bool {
    let name = option.strip_prefix("--");
    name.is_some() && command.get_arguments().any(|arg| arg.get_long() == name)
}

fn paints(choice: ColorChoice, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if env::is_set("NO_COLOR") => false,
        ColorChoice::Auto => {
            let forced = env::variable("CLICOLOR_FORCE")
                .is_some_and(|value| value != "0" && !value.is_empty());
            let dumb = env::variable("TERM").is_some_and(|term| term == "dumb");
            forced || (terminal && !dumb)
        }
    }
}

/// Prints the help or version on standard output.
pub(super) fn print_help(error: &clap::Error) -> ExitStatus {
    let rendered = error.render();
    let text = if paints(ColorChoice::Auto, terminal::stdout().is_terminal) {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    print(&text)
}

/// Prints a text that is the complete output.
pub(super) fn print(text: &str) -> ExitStatus {
    let mut stdout = terminal::stdout();
    printed(stdout.write(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Returns the exit status after printing the complete output.
pub(super) fn printed(result: io::Result<()>) -> ExitStatus {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitStatus::Trouble,
        _ => ExitStatus::Done,
    }
}
