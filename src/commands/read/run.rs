//! Runs `read`: reads the requested parts and prints them in order.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::args::ReadArgs;
use super::budget::{Budget, LeftOut};
use super::reading::Settings;
use super::report::{Layout, PartRecord, remarks};
use super::requests::{Asked, asked};
use super::several::{Answer, Opener, ReadPart};
use super::view::View;
use super::{Options, Request};
use crate::commands::input::keep_stdin;
use crate::commands::misses::{self, Flag};
use crate::commands::output::Collected;
use crate::commands::output::{Closed, Outcome, Sink};
use crate::error::{Error, ExitStatus, Hint};
use crate::files::env::Env;
use crate::text::span::{LineRange, Span};

/// Runs the command.
pub fn run(args: ReadArgs, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let style = sink.style();
    let options = &Options::new(args)?;
    // Standard input is read twice: to select parts and to read them.
    let kept = options.selects_in_stdin().then(|| keep_stdin(env)).transpose()?;
    let env = kept.as_ref().unwrap_or(env);
    let mut asked = asked(options, env, sink)?;
    let is_list = options.batch.is_some() || options.is_address_list();
    let several = is_list || asked.requests.len() > 1;
    let settings = Settings::new(options, style);
    let settings = match options.max_tokens {
        Some(tokens) => Budget::new(tokens).limits(settings),
        None => settings,
    };
    let has_headers = options.is_text(style) && !options.checksum && !options.no_headers;
    let tells_places = options.has_breadcrumbs() || several && has_headers;
    let mut opener = Opener { options, env, settings, several, tells_places, last: None };
    let count = asked.requests.len();
    if several && options.merges(style) {
        asked.requests = opener.merged(asked.requests)?;
    }
    let is_merged = asked.requests.len() < count;
    let view = View { number: options.number, show_whitespace: options.show_whitespace };
    let is_shown = !(options.checksum || options.has_breadcrumbs() || style.json);
    let mut run = Run { sink, options, view, several, is_merged, parts: HashSet::new() };
    if is_shown && !several && !style.tools && view.is_plain(style) {
        for request in asked.requests {
            if let Err(error) = request.and_then(|request| run.streamed(&mut opener, &request)) {
                run.error(error);
            }
        }
        return Ok(ExitStatus::Done);
    }
    match options.max_tokens {
        Some(tokens) => run.within(Budget::new(tokens), &mut opener, &asked)?,
        None => run.all(&mut opener, &asked)?,
    }
    Ok(ExitStatus::Done)
}

/// Reads the only part that `args` selects, for callers in this process.
///
/// # Errors
///
/// Fails if it cannot be read, or if several parts are selected.
pub fn part(args: ReadArgs, env: &Env) -> Result<(Request, ReadPart), Error> {
    let options = &Options::new(args)?;
    let mut sink = Collected::json();
    let mut requests = asked(options, env, &mut sink)?.requests;
    let settings = Settings::new(options, sink.style);
    let (several, tells_places, last) = (false, false, None);
    let mut opener = Opener { options, env, settings, several, tells_places, last };
    let answer = opener.read(&requests).pop().filter(|_| requests.len() == 1);
    sink.check()?;
    let request = requests.pop().transpose()?;
    let part = request.zip(answer.transpose()?.flatten());
    part.ok_or_else(|| Error::usage("it is a directory, and a file is needed"))
}

struct Run<'a> {
    sink: &'a mut dyn Sink,
    options: &'a Options,
    view: View,
    several: bool,
    /// Whether some requests were merged.
    is_merged: bool,
    /// The parts already printed. Parts from an address list are not printed twice.
    parts: HashSet<(PathBuf, Vec<LineRange>, Option<Span>)>,
}

impl Run<'_> {
    /// Reads all parts; batches of requests are read together.
    fn all(&mut self, opener: &mut Opener<'_>, asked: &Asked) -> Result<(), Error> {
        let requests = &asked.requests[..];
        let mut left = requests;
        while !left.is_empty() {
            opener.env.cancel.check()?;
            let (now, later) = left.split_at(Opener::window(left));
            let begun = requests.len() - left.len();
            for (at, (request, answer)) in now.iter().zip(opener.read(now)).enumerate() {
                let index = self.number(asked, begun + at);
                if self.answer(index, request.as_ref().ok(), answer).is_err() {
                    return Ok(());
                }
            }
            left = later;
        }
        Ok(())
    }

    /// The number of the operand or line that made a request, if it is shown. Not for address
    /// lists: duplicates are omitted, so numbers would be misleading.
    fn number(&self, asked: &Asked, at: usize) -> Option<usize> {
        let is_told = self.several && !self.options.is_address_list();
        is_told.then(|| asked.number(at))
    }

    /// Reads the parts that a budget allows. The parts of a file are read together, and read again
    /// one by one if one of them does not fit after the previous ones.
    fn within(
        &mut self,
        mut budget: Budget,
        opener: &mut Opener<'_>,
        asked: &Asked,
    ) -> Result<(), Error> {
        let requests = &asked.requests[..];
        let settings = opener.settings;
        let mut read = Vec::new().into_iter();
        for (at, request) in requests.iter().enumerate() {
            if read.len() == 0 && budget.is_left() {
                opener.env.cancel.check()?;
                opener.settings = budget.limits(settings);
                let window = Opener::window(one_file(&requests[at..]));
                read = opener.read(&requests[at..][..window]).into_iter();
            }
            let answer = read.next().filter(|_| budget.is_left());
            let answer = answer.and_then(|answer| {
                if budget.lets(&answer) {
                    return budget.take(answer, settings.max_lines);
                }
                opener.settings = budget.limits(settings);
                let mut alone = opener.read(std::slice::from_ref(request)).pop()?;
                if let (Ok(Some(part)), Ok(Some(first))) = (&mut alone, answer) {
                    part.note = first.note;
                }
                budget.take(alone, settings.max_lines)
            });
            let Some(answer) = answer else {
                let flags = self.flags_to_go_on();
                let number = self.number(asked, at);
                let are_operands =
                    !self.is_merged && self.options.addresses.len() == requests.len();
                let left = LeftOut { requests, index: at, number, are_operands, flags };
                let is_json = self.sink.style().json;
                self.sink.note(budget.left_out(&left, self.options, is_json));
                return Ok(());
            };
            let index = self.number(asked, at);
            if self.answer(index, request.as_ref().ok(), answer).is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads the only part of a run and prints it while reading.
    fn streamed(&mut self, opener: &mut Opener<'_>, request: &Request) -> Result<(), Error> {
        opener.open(&request.address.path)?;
        let Some((_, reader, note)) = &mut opener.last else { return Ok(()) };
        if let Some(note) = note.take() {
            self.sink.note(note);
        }
        let found = reader.find(request)?;
        let mut is_closed = false;
        let piece = reader.read(request, &found, &mut |bytes| {
            self.sink.write(bytes).inspect_err(|Closed| is_closed = true)
        })?;
        if piece.is_long
            && let Some(tokens) = self.options.max_tokens
        {
            return Err(Budget::new(tokens).too_long(reader.document.path(), &piece));
        }
        if !is_closed {
            let piece = super::Piece { rest: self.rest(&piece), ..piece };
            self.remarks(reader.document.path(), &piece);
        }
        Ok(())
    }

    /// Prints the result of a request; `index` is its number, if it is shown.
    fn answer(
        &mut self,
        index: Option<usize>,
        request: Option<&Request>,
        answer: Answer,
    ) -> Result<(), Closed> {
        let part = match answer {
            Ok(part) => request.zip(part),
            Err(error) => {
                self.error(Error { index, ..error });
                None
            }
        };
        let Some(part) = part else { return Ok(()) };
        let (request, ReadPart { path, note, piece, content, place }) = part;
        if let Some(note) = note {
            self.sink.note(note);
        }
        let is_first = self.parts.is_empty();
        let is_new = self.parts.insert((path.clone(), piece.ranges.clone(), piece.bytes));
        if self.options.is_address_list() && !is_new {
            return Ok(());
        }
        let layout = match (self.options.checksum, self.several) {
            _ if self.options.has_breadcrumbs() => Layout::Breadcrumbs,
            (true, _) => Layout::Checksum,
            (false, true) if self.options.no_headers => Layout::Lines,
            (false, true) => Layout::Headed { is_first },
            (false, false) => Layout::Plain,
        };
        let is_json = self.sink.style().json;
        let rest = self.rest(&piece);
        let rest = if is_json { rest.map(|hint| self.sink.completed(hint)) } else { rest };
        let piece = super::Piece { rest, ..piece };
        let (view, content) = (self.view, &content[..]);
        let (path, place) = (path.as_path(), place.as_ref());
        let piece = &piece;
        let record = PartRecord { path, index, request, piece, content, view, layout, place };
        self.sink.record(&record)?;
        // Callers of tools get the same facts from the record.
        if !is_json && !self.sink.style().tools {
            self.remarks(path, piece);
        }
        Ok(())
    }

    fn remarks(&mut self, path: &Path, piece: &super::Piece) {
        for note in remarks(path, piece) {
            self.sink.note(note);
        }
    }

    /// The command that reads the rest, with the options of this run.
    fn rest(&self, piece: &super::Piece) -> Option<Hint> {
        let mut rest = piece.rest.clone()?;
        misses::add_flags_to(&mut rest, "read", &self.flags_to_go_on());
        Some(rest)
    }

    /// The options with which to read the rest.
    fn flags_to_go_on(&self) -> Vec<Flag> {
        let options = self.options;
        let views = [
            (options.raw, "--raw"),
            (options.number, "--number"),
            (options.no_headers, "--no-headers"),
            (options.show_whitespace, "--show-whitespace"),
            (options.checksum, "--checksum"),
            (options.has_breadcrumbs(), "--breadcrumbs"),
            (options.no_total, "--no-total"),
        ];
        let views = views.iter().filter(|(given, _)| *given).map(|(_, flag)| vec![flag.into()]);
        self.flags().into_iter().chain(views).collect()
    }

    /// Adds the options of this run to the hints of an error.
    fn error(&mut self, mut error: Error) {
        misses::add_flags(&mut error, "read", &self.flags());
        self.sink.error(&error);
    }

    fn flags(&self) -> Vec<Flag> {
        let patterns = self.options.entries.iter();
        let patterns =
            patterns.map(|pattern| vec!["--section-pattern".into(), pattern.expression().into()]);
        misses::document_flags(&self.options.documents).into_iter().chain(patterns).collect()
    }
}

/// The first requests, as far as they refer to one file that can be read several times.
fn one_file(requests: &[Result<Request, Error>]) -> &[Result<Request, Error>] {
    fn path(request: &Result<Request, Error>) -> Option<&Path> {
        request.as_ref().ok().map(|request| request.address.path.as_path())
    }
    let first = requests.first().and_then(path);
    let count = requests.iter().take_while(|request| path(request) == first).count();
    &requests[..count]
}
