//! One run: its streams, how it looks, and how it ends.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use clap::ArgMatches;

use super::env;
use super::subcommands::SUBCOMMANDS;
use crate::commands::json;
use crate::commands::output::{Closed, Note, Outcome, Sink, Style, escape};
use crate::commands::shared_args::{ColorChoice, OutputFormat, typed_root};
use crate::error::{Error, ExitStatus, Hint};

/// The streams of a run, and its outcome so far.
pub(super) struct Session {
    command: &'static str,
    style: Style,
    stdout: BufWriter<StdoutLock<'static>>,
    errors_escaped: bool,
    errors_painted: bool,
    status: ExitStatus,
    closed: bool,
    /// The flags that say where files may be, as they are typed.
    roots: String,
}

impl Session {
    /// A session for parsed arguments.
    pub(super) fn new(command: &'static str, matches: &ArgMatches) -> Self {
        let json = matches.try_get_one::<bool>("json").ok().flatten().copied().unwrap_or(false);
        let format = matches.try_get_one::<OutputFormat>("format").ok().flatten().copied();
        let color = matches.try_get_one::<ColorChoice>("color").ok().flatten().copied();
        let json = json || format == Some(OutputFormat::Json);
        let mut session = Self::with(command, json, color.unwrap_or(ColorChoice::Auto));
        session.roots =
            super::roots(matches).map(|root| format!("{} ", typed_root(root))).collect();
        session
    }

    /// A session for arguments that could not be parsed.
    pub(super) fn before_arguments(command: &'static str, arguments: &[OsString]) -> Self {
        let asks = |word: &str| arguments.iter().any(|argument| argument == word);
        let format = arguments.windows(2).any(|two| two[0] == "--format" && two[1] == "json");
        let json = format || asks("--json") || asks("--format=json");
        Self::with(command, json, ColorChoice::Auto)
    }

    fn with(command: &'static str, json: bool, color: ColorChoice) -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let errors_escaped = io::stderr().is_terminal();
        Self {
            command,
            style: Style {
                json,
                terminal: terminal && !json,
                color: !json && paints(color, terminal),
            },
            stdout: BufWriter::with_capacity(64 * 1024, stdout.lock()),
            errors_escaped,
            errors_painted: paints(color, errors_escaped),
            status: ExitStatus::Done,
            closed: false,
            roots: String::new(),
        }
    }

    /// Hands out what is left; how the run ended.
    pub(super) fn finish(mut self, outcome: Outcome) -> ExitStatus {
        match outcome {
            Ok(status) => self.status = self.status.max(status),
            Err(error) => self.error(&error),
        }
        let flushed = self.stdout.flush();
        self.check(flushed);
        self.status
    }

    fn check(&mut self, result: io::Result<()>) -> bool {
        let Err(error) = result else { return true };
        if !self.closed {
            self.closed = true;
            // A closed pipe ends quietly: its reader has what it wanted.
            if error.kind() != io::ErrorKind::BrokenPipe {
                let told = Error::io(&error, Path::new("standard output"));
                self.error(&told);
            }
        }
        false
    }

    /// A text with command lines that say, too, where files may be.
    fn below_roots<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.roots.is_empty() { text.into() } else { with_roots(text, &self.roots).into() }
    }

    fn stderr_line(&mut self, line: &str) {
        // What was told so far comes first where both go to one place.
        let _ = self.stdout.flush();
        let bytes = line.as_bytes();
        let shown = if self.errors_escaped { escape(bytes) } else { bytes.into() };
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(&shown);
        let _ = stderr.write_all(b"\n");
    }

    fn label(&self, word: &str, style: owo_colors::Style) -> String {
        if self.errors_painted {
            format!("{}{word}{}", style.prefix_formatter(), style.suffix_formatter())
        } else {
            word.to_owned()
        }
    }
}

impl Sink for Session {
    fn style(&self) -> Style {
        self.style
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Closed> {
        let written = self.stdout.write_all(bytes);
        if self.check(written) { Ok(()) } else { Err(Closed) }
    }

    fn note(&mut self, note: Note) {
        let line = self.below_roots(&note.to_string()).into_owned();
        if self.style.json {
            let line = json::note_line(&line);
            let _ = self.stdout.flush();
            let _ = io::stderr().write_all(&line);
            return;
        }
        self.stderr_line(&format!("folio {}: note: {line}", self.command));
    }

    fn error(&mut self, error: &Error) {
        let mut error = error.clone();
        for hint in &mut error.hints {
            *hint = Hint::Text(self.below_roots(&hint.to_string()).into_owned());
        }
        let error = &error;
        self.status = self.status.max(error.code.exit_status());
        if self.style.json {
            let line = json::error_line(error);
            let _ = self.stdout.flush();
            let _ = io::stderr().write_all(&line);
            return;
        }
        let name = self.label(&format!("folio {}:", self.command), owo_colors::Style::new().red());
        let mut message = Vec::new();
        if let Some(path) = &error.path {
            message.push(b'\'');
            message.extend_from_slice(path.as_os_str().as_bytes());
            message.extend_from_slice(b"': ");
        }
        message.extend_from_slice(error.message.as_bytes());
        let shown = if self.errors_escaped { escape(&message) } else { message[..].into() };
        let _ = self.stdout.flush();
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "{name} ");
        let _ = stderr.write_all(&shown);
        let _ = stderr.write_all(b"\n");
        // What is only like the name stands in the hints.
        let told = error.code.exit_status() == ExitStatus::Several;
        for candidate in error.candidates.iter().filter(|_| told) {
            let line = format!("  line {}: {}", candidate.line, candidate.path.join(" > "));
            let shown =
                if self.errors_escaped { escape(line.as_bytes()) } else { line.as_bytes().into() };
            let _ = stderr.write_all(&shown);
            let _ = stderr.write_all(b"\n");
        }
        let label = self.label("hint:", owo_colors::Style::new().cyan());
        for hint in &error.hints {
            let hint = hint.to_string();
            let shown = if self.errors_escaped {
                String::from_utf8_lossy(&escape(hint.as_bytes())).into_owned()
            } else {
                hint
            };
            let _ = writeln!(stderr, "{label} {shown}");
        }
    }
}

/// A text in which the lines of commands that take roots say these. What stands
/// in quotes is no command.
fn with_roots(text: &str, roots: &str) -> String {
    let takes_roots = |name: &str| {
        SUBCOMMANDS.iter().any(|command| command.name == name && command.takes_roots())
    };
    let mut told = String::new();
    let mut is_quoted = false;
    let mut words = text.split_inclusive([' ', '(']).peekable();
    // Some lines say them already.
    let has_roots = |rest: &str| rest.contains(roots.trim_end());
    let mut behind = text;
    while let Some(word) = words.next() {
        behind = &behind[word.len()..];
        told.push_str(word);
        let next = words.peek().map_or("", |next| next.trim_end_matches([' ', '(']));
        if word == "folio " && !is_quoted && takes_roots(next) && !has_roots(behind) {
            told.push_str(roots);
        }
        let begins = word.starts_with('\'') || word.starts_with("$'");
        if is_quoted || begins {
            // A quote within is written `'\''`.
            let quotes = word.replace("'\\''", "").matches('\'').count();
            is_quoted ^= quotes % 2 == 1;
        }
    }
    told
}

fn paints(choice: ColorChoice, terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if env::is_set("NO_COLOR") => false,
        ColorChoice::Auto => {
            let forced = std::env::var_os("CLICOLOR_FORCE")
                .is_some_and(|value| value != "0" && !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            forced || (terminal && !dumb)
        }
    }
}

/// Prints help or a version on standard output.
pub(super) fn print_help(error: &clap::Error) -> ExitStatus {
    let rendered = error.render();
    let terminal = io::stdout().is_terminal();
    let text = if paints(ColorChoice::Auto, terminal) {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    print(&text)
}

/// Prints text that is the whole answer.
pub(super) fn print(text: &str) -> ExitStatus {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => ExitStatus::Trouble,
        _ => ExitStatus::Done,
    }
}

/// Says to whoever sits at a terminal why nothing happens.
pub(super) fn note_wait(pipe: &Path) {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        let name = escape(pipe.as_os_str().as_bytes());
        let name = String::from_utf8_lossy(&name);
        let _ = writeln!(stderr, "folio: note: waiting for '{name}', a FIFO, to be written to");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(with_roots(text, "--root r "), expected);
    }

    #[test]
    fn commands_get_roots_and_names_do_not() {
        check("folio read a.md:3", "folio --root r read a.md:3");
        check("it goes on at: folio read a.md:3-", "it goes on at: folio --root r read a.md:3-");
        check("(folio undo 3 first)", "(folio --root r undo 3 first)");
        check("folio read a | folio grep x", "folio --root r read a | folio --root r grep x");
        check(
            "folio read a --section '## folio read it'",
            "folio --root r read a --section '## folio read it'",
        );
        check(
            "'folio list x.md': the file's name; folio list .",
            "'folio list x.md': the file's name; folio --root r list .",
        );
        check(r"folio read 'a'\''s folio read' x", r"folio --root r read 'a'\''s folio read' x");
        check("folio list --root r m", "folio list --root r m");
        check("folio read a 'b --root c'", "folio --root r read a 'b --root c'");
        check("folio help agents, folio --help", "folio help agents, folio --help");
    }
}
