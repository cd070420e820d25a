//! Runs `read`: reads the requested parts and prints them in order.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::args::ReadArgs;
use super::batch::in_fields;
use super::budget::{Budget, LeftOut};
use super::parts::{LocatedPart, Parts};
use super::place::LinePosition;
use super::report::{Layout, PartRecord, cut, remarks};
use super::requests::{all_requests, start_offset};
use super::view::View;
use super::{Piece, ReadOptions, Request};
use crate::commands::host::Host;
use crate::commands::input::{keep_stdin, piped_stdin};
use crate::commands::output::{Closed, Collected, Outcome, Sink, Stop};
use folio_files::env::Env;
use folio_files::error::{Error, ExitStatus, Hint};

/// Runs `read`.
pub fn run(args: ReadArgs, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let style = sink.style();
    let (mut args, mut piped) = (args, None);
    if args.addresses.is_empty() && args.addresses_from.is_none() && args.batch.is_none() {
        piped = piped_stdin(Hint::command("read", ["FILE"]), host, sink)?;
        args.addresses.extend(piped.is_some().then(|| "-".into()));
    }
    let host = piped.as_ref().unwrap_or(host);
    let mut options = ReadOptions::new(args, &host.env)?;
    let view = View { number: options.number, show_whitespace: options.show_whitespace };
    if options.prints_no_lines(style) && view.is_plain(style) {
        options.documents.start = start_offset(&options, host)?;
    }
    // Standard input is read twice: to select parts and to read them.
    let kept = options.selects_in_stdin().then(|| keep_stdin(host)).transpose()?;
    let host = kept.as_ref().unwrap_or(host);
    let requested = match all_requests(&options, host, sink) {
        // The error contains the number of all entries.
        Err(_) if options.documents.start.take().is_some() => all_requests(&options, host, sink)?,
        requested => requested?,
    };
    let options = &options;
    let is_stdin = |request: &Result<Request, Error>| {
        request.as_ref().is_ok_and(|request| request.address.is_stdin())
    };
    // Standard input is read again after other files.
    let stdin = requested.requests.iter().filter(|request| is_stdin(request)).count();
    let kept =
        (stdin > 1 && stdin < requested.requests.len()).then(|| keep_stdin(host)).transpose()?;
    let host = kept.as_ref().unwrap_or(host);
    let is_shown = !(options.checksum || options.has_breadcrumbs() || style.json);
    let parts = Parts::new(requested.requests, options, host, style);
    let mut run = ReadRun {
        sink,
        options,
        view,
        streams: is_shown
            && !options.ends_with_nul()
            && !parts.several
            && !style.tools
            && view.is_plain(style),
        budget: Budget::new(options, style),
        parts,
        numbers: requested.numbers,
        is_first: true,
    };
    run.all(&host.env)?;
    Ok(ExitStatus::Done)
}

/// Reads the only part that `args` selects, for callers in this process.
///
/// # Errors
///
/// Fails if the part cannot be read, or if `args` selects several parts.
pub fn part(args: ReadArgs, host: &Host) -> Result<(Request, ReadPart), Error> {
    let options = &ReadOptions::new(args, &host.env)?;
    let mut sink = Collected::json();
    let requests = all_requests(options, host, &mut sink)?.requests;
    let mut parts = Parts::new(requests, options, host, sink.style);
    sink.check()?;
    if parts.count() != 1 {
        return Err(Error::usage("it is a directory, but a file is needed"));
    }
    let LocatedPart { request, found, place } = parts.take(0)?;
    let (settings, mut content) = (parts.settings, Vec::new());
    let reader = parts.reader(&request.address.path)?;
    let piece = reader.read(&request, &found, settings, &mut |bytes| {
        content.extend_from_slice(bytes);
        Ok(())
    })?;
    let path = reader.document.path().to_owned();
    Ok((request, ReadPart { path, piece, content, place }))
}

/// A part that has been read, as a value.
pub struct ReadPart {
    /// The path of the file.
    pub path: PathBuf,
    /// A description of the part.
    pub piece: Piece,
    /// The content of the part.
    pub content: Vec<u8>,
    /// The position of the part in the structure, if requested.
    pub(super) place: Option<LinePosition>,
}

impl ReadPart {
    /// Returns the part as JSON, in the same form as the output of `read --json`.
    pub fn to_json(&self, request: &Request) -> Value {
        let (path, index, view, layout) = (&*self.path, None, View::default(), Layout::Plain);
        let (piece, content, place) = (&self.piece, &*self.content, self.place.as_ref());
        let record = PartRecord { path, index, request, piece, content, view, layout, place };
        record.with_object(|object| json!(object))
    }
}

struct ReadRun<'a> {
    sink: &'a mut dyn Sink,
    options: &'a ReadOptions,
    view: View,
    /// Whether content is printed while it is read.
    streams: bool,
    parts: Parts<'a>,
    /// For each request, the number of its operand or line. `None` if there is one request for each
    /// of them.
    numbers: Option<Vec<usize>>,
    budget: Option<Budget>,
    /// Whether nothing has been printed yet.
    is_first: bool,
}

impl ReadRun<'_> {
    fn all(&mut self, env: &Env) -> Result<(), Error> {
        let count = self.parts.count();
        for at in 0..count {
            env.cancel.check()?;
            if !self.parts.is_left(at) {
                continue;
            }
            if self.budget.as_ref().is_some_and(|budget| !budget.is_left()) {
                self.left_out(at);
                return Ok(());
            }
            let part = self.parts.take(at).map_err(Stop::Failed);
            match part.and_then(|part| self.part(at, part)) {
                Ok(()) => {}
                Err(Stop::Closed) => return Ok(()),
                Err(Stop::Enough) => {
                    self.left_out(at);
                    return Ok(());
                }
                Err(Stop::Failed(error)) => {
                    let index = self.number(at);
                    let error = match self.parts.batch_line(at) {
                        Some(fields) => in_fields(error, fields),
                        None => error,
                    };
                    self.sink.error(&Error { index, ..error });
                }
            }
        }
        if self.budget.as_ref().is_some_and(Budget::has_rest) {
            self.left_out(count);
        }
        Ok(())
    }

    /// Reads a part and prints it. Returns [`Stop::Enough`] if the part does not fit after the
    /// previous parts.
    fn part(&mut self, at: usize, part: LocatedPart) -> Result<(), Stop> {
        let budget = self.budget.as_ref();
        let settings =
            budget.map_or(self.parts.settings, |budget| budget.limits(self.parts.settings));
        let (streams, sink) = (self.streams, &mut *self.sink);
        let (mut content, mut is_closed) = (Vec::new(), false);
        let reader = self.parts.reader(&part.request.address.path)?;
        let piece = reader.read(&part.request, &part.found, settings, &mut |bytes| {
            if streams {
                return sink.write(bytes).inspect_err(|Closed| is_closed = true);
            }
            content.extend_from_slice(bytes);
            Ok(())
        })?;
        let path = reader.document.path().to_owned();
        if is_closed {
            return Err(Stop::Closed);
        }
        match &mut self.budget {
            Some(budget) if piece.is_long && budget.is_begun => {
                self.parts.put_back(at, part);
                return Err(Stop::Enough);
            }
            Some(budget) if piece.is_long => return Err(budget.too_long(&path, &piece).into()),
            Some(budget) => budget.take(&piece, content.len() as u64, settings.max_lines),
            None => {}
        }
        self.print(at, &part, piece, &path, &content)?;
        self.is_first = false;
        Ok(())
    }

    fn print(
        &mut self,
        at: usize,
        part: &LocatedPart,
        mut piece: Piece,
        path: &Path,
        content: &[u8],
    ) -> Result<(), Closed> {
        let is_json = self.sink.style().json;
        if is_json {
            piece.rest = piece.rest.map(|rest| self.sink.completed(rest));
        }
        if !self.streams {
            let layout = match (self.options.checksum, self.parts.several) {
                _ if self.options.has_breadcrumbs() => Layout::Breadcrumbs,
                _ if self.options.ends_with_nul() => Layout::EndedByNul,
                (true, _) => Layout::Checksum,
                (false, true) if self.options.no_headers => Layout::Lines,
                (false, true) => Layout::Headed { is_first: self.is_first },
                (false, false) => Layout::Plain,
            };
            let (index, view, piece) = (self.number(at), self.view, &piece);
            let (request, place) = (&part.request, part.place.as_ref());
            let record = PartRecord { path, index, request, piece, content, view, layout, place };
            self.sink.record(&record)?;
        }
        if is_json {
            return Ok(());
        }
        if !self.budget.as_ref().is_some_and(Budget::has_rest) {
            cut(path, &piece).into_iter().for_each(|note| self.sink.note(note));
        }
        // For callers of tools, the record contains this.
        if !self.sink.style().tools {
            remarks(path, &piece).into_iter().for_each(|note| self.sink.note(note));
        }
        Ok(())
    }

    /// Returns the number of the operand or line with a request, if numbers are shown. For address
    /// lists, there are no numbers: they would be misleading, because duplicates are omitted.
    fn number(&self, at: usize) -> Option<usize> {
        let number = self.numbers.as_ref().and_then(|numbers| numbers.get(at).copied());
        let is_shown = self.parts.several && !self.options.is_address_list();
        is_shown.then(|| number.unwrap_or(at))
    }

    /// Prints a note about the remaining requests, which do not fit in the output. The first of
    /// them has the index `at`.
    fn left_out(&mut self, at: usize) {
        // Only JSON records contain indexes.
        let number = self.number(at).filter(|_| self.sink.style().json);
        self.parts.merge_from(at);
        let (addresses, count) = (&self.options.addresses, self.parts.count());
        let are_operands = !self.parts.is_merged && addresses.len() == count;
        let operands = if are_operands { &addresses[at..] } else { &[] };
        let left = LeftOut { requests: self.parts.left_from(at), number, operands };
        if let Some(budget) = &self.budget {
            self.sink.note(budget.left_out(&left));
        }
    }
}
