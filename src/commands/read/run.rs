//! From operands, address lists and batches to parts that are told in order.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::args::ReadArgs;
use super::report::{self, View};
use super::{Piece, ReadOptions, Request, Selection, Target, locate, wire};
use crate::commands::input::whole_input;
use crate::commands::json;
use crate::commands::misses;
use crate::commands::output::{Closed, Note, Outcome, Sink, counted};
use crate::commands::shared_args::{contradiction, flag_error};
use crate::error::{Code, Error, ExitStatus, shell_path, shell_word};
use crate::files::address::{Address, Part, display};
use crate::files::document::{Document, DocumentOptions};
use crate::files::env::Env;
use crate::files::roots::Roots;
use crate::files::walk;
use crate::text::span::LineRange;

/// Why a part was not told.
enum Stop {
    Closed,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Closed> for Stop {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

/// Runs the command.
pub fn run(args: &ReadArgs, env: &Env, output: &mut dyn Sink) -> Outcome {
    let style = output.style();
    let options = args.options(style)?;
    let selection = args.selection()?;
    let load = args.documents.options();
    let requests = requests(args, &selection, env, output)?;
    let headed = requests.len() > 1 || args.addresses.len() > 1;
    let mut session = Session {
        output,
        options: &options,
        env,
        load: &load,
        view: View { number: args.number, show_whitespace: args.show_whitespace, style },
        resolve: args.resolve,
        checksum_only: args.checksum && !style.json,
        headed: headed || args.batch.is_some() || args.addresses_from.is_some(),
        once: args.addresses_from.is_some(),
        told: Vec::new(),
    };
    let flags = args.of_documents();
    for request in requests {
        let result = request.map_err(Stop::Failed).and_then(|request| session.part(&request));
        match result {
            Ok(()) => {}
            Err(Stop::Closed) => break,
            Err(Stop::Failed(mut error)) => {
                misses::add_flags(&mut error, "read", &flags);
                session.output.error(&error);
            }
        }
    }
    Ok(ExitStatus::Done)
}

/// All parts that are asked for; one that makes no sense stands in its place.
fn requests(
    args: &ReadArgs,
    selection: &Selection,
    env: &Env,
    output: &mut dyn Sink,
) -> Result<Vec<Result<Request, Error>>, Error> {
    let roots = &env.roots;
    let scope = &args.within;
    let request = |address: Address| -> Result<Request, Error> {
        // A key's section is its own scope.
        let keyed = matches!(selection, Selection::Target(Target::Key { .. }));
        let scope = scope.clone().filter(|_| !keyed);
        let request = Request { address, selection: selection.clone(), scope };
        check(&request)?;
        Ok(request)
    };
    match (&args.addresses_from, &args.batch) {
        (Some(_), Some(_)) => Err(contradiction("--addresses-from", "--batch")),
        (Some(_), None) if !args.addresses.is_empty() => {
            Err(contradiction("--addresses-from", "an address"))
        }
        (None, Some(_)) if !args.addresses.is_empty() => {
            Err(contradiction("--batch", "an address"))
        }
        (None, Some(_)) if !matches!(selection, Selection::Address) => {
            Err(Error::usage("--batch names its own parts: no other flag for a part goes with it"))
        }
        (Some(file), None) => {
            let text = whole_input(file, env)?;
            let addresses = listed_addresses(&text, args.null, roots, output);
            if addresses.is_empty() {
                return Err(Error::usage(
                    "--addresses-from: no line begins with the address of a file",
                )
                .hint("a line is like 'docs/guide.md:15-51:## Install', as folio inspect prints it")
                .hint("rg -Hn, grep -Hn  # without -H they leave the name of a single file out"));
            }
            Ok(addresses.into_iter().map(request).collect())
        }
        (None, Some(file)) => {
            let text = whole_input(file, env)?;
            let text = String::from_utf8(text)
                .map_err(|_| Error::usage("--batch: the text is not UTF-8"))?;
            let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            Ok(lines.map(|(index, line)| batch_request(line, index + 1, args, roots)).collect())
        }
        (None, None) if args.addresses.is_empty() => Err(Error::usage("a file is needed")
            .hint("folio read FILE")
            .hint("folio read -  # standard input")),
        (None, None) => {
            let exists = |path: &Path| roots.exists(path);
            let addresses = args.addresses.iter().map(|operand| Address::parse(operand, exists));
            Ok(addresses.map(|address| address.and_then(request)).collect())
        }
    }
}

fn batch_request(
    line: &str,
    number: usize,
    args: &ReadArgs,
    roots: &Roots,
) -> Result<Request, Error> {
    let place = format!("--batch, line {number}");
    let told = |error: Error| flag_error(&place, error);
    let parsed: wire::BatchLine =
        serde_json::from_str(line).map_err(|error| json::misread(&place, &error))?;
    let exists = |path: &Path| roots.exists(path);
    let (address, target) = match (parsed.address, parsed.file_path, parsed.target) {
        (Some(address), None, target) => {
            (Address::parse(OsStr::new(&address), exists).map_err(told)?, target)
        }
        (None, Some(path), target) => (Address::whole(path), target),
        _ => return Err(told(Error::usage("a line needs an address or a filePath, and not both"))),
    };
    let (selection, scope) = match target {
        None => (Selection::Address, None),
        Some(target) => batch_target(target, args).map_err(told)?,
    };
    let request = Request { address, selection, scope };
    check(&request).map_err(told)?;
    Ok(request)
}

/// A target, with the scope that stands in it as `in`.
fn batch_target(
    mut target: serde_json::Value,
    args: &ReadArgs,
) -> Result<(Selection, Option<String>), Error> {
    let scope = target.as_object_mut().and_then(|object| object.remove("in"));
    let scope = match scope {
        None => None,
        Some(serde_json::Value::String(name)) => Some(name),
        Some(_) => {
            return Err(Error::usage("target: what stands behind in is no name of a section"));
        }
    };
    let selection = wire::selection(&target.to_string(), &args.patterns.options())?;
    Ok((selection, scope))
}

/// Refuses an address and a selection that both say which part is meant.
fn check(request: &Request) -> Result<(), Error> {
    let part = match &request.address.part {
        Part::Whole => None,
        Part::Lines(_) => Some("the lines of the address"),
        Part::Anchor(_) => Some("the anchor of the address"),
    };
    let single = match &request.address.part {
        Part::Lines(ranges) => ranges.len() == 1 && ranges[0].count() == 1,
        _ => false,
    };
    match &request.selection {
        Selection::Address => Ok(()),
        Selection::From { start: None, end } => match (&request.address.part, end) {
            (Part::Lines(_), _) if single => Ok(()),
            (Part::Lines(ranges), _) => Err(Error::usage(format!(
                "{} needs one line to start from, and the address names several",
                end_name(end)
            ))
            .hint(with_line(request, &ranges[0].start().to_string(), end_name(end)))),
            (Part::Whole, super::End::Limit(_)) => Ok(()),
            _ => Err(Error::usage(format!(
                "{} needs a line to start from: --from N, or FILE:N",
                end_name(end)
            ))
            .hint(with_line(request, "N", end_name(end)))),
        },
        Selection::SectionAround(None) => match (&request.address.part, single) {
            (Part::Lines(_), _) => Ok(()),
            _ => Err(Error::usage("--section-context needs a line: --from N, or FILE:N")
                .hint(with_line(request, "N", "--section-context"))),
        },
        Selection::From { start: Some(0), .. } | Selection::SectionAround(Some(0)) => {
            let message = "--from: lines are counted from 1: there is no line 0";
            Err(Error::new(Code::InvalidRange, message))
        }
        Selection::From { .. } | Selection::SectionAround(_) => match part {
            Some(part) => Err(contradiction("--from", part)),
            None => Ok(()),
        },
        Selection::Head(_) | Selection::Tail(_) | Selection::Target(_) => match part {
            Some(part) => Err(contradiction(part, selection_name(&request.selection))),
            None => Ok(()),
        },
    }
}

/// The line that reads from a line on, as it is typed.
fn with_line(request: &Request, line: &str, flag: &str) -> String {
    let file = shell_path(&request.address.path);
    let value = match flag {
        "--to-next" => " PATTERN",
        "--limit" => " M",
        _ => "",
    };
    format!("folio read {file}:{line} {flag}{value}")
}

fn end_name(end: &super::End) -> &'static str {
    match end {
        super::End::ToNext { .. } => "--to-next",
        super::End::SectionEnd => "--to-section-end",
        super::End::Limit(_) => "--limit",
        super::End::FileEnd => "--from",
    }
}

fn selection_name(selection: &Selection) -> &'static str {
    match selection {
        Selection::Head(_) => "--head",
        Selection::Tail(_) => "--tail",
        Selection::Target(Target::Lines(_)) => "--lines",
        Selection::Target(Target::Section { flag, .. }) => flag.name(),
        Selection::Target(Target::Key { .. }) => "--key",
        Selection::Target(Target::FrontMatter { .. }) => "--front-matter",
        Selection::Target(Target::CodeBlock { .. }) => "--code-block",
        Selection::Target(Target::Anchor(_)) => "--anchor",
        Selection::Target(Target::Match { .. }) => "a text or pattern",
        _ => "a target",
    }
}

/// The addresses that begin lines, or stand before every other NUL; ranges
/// within one told before are left out.
fn listed_addresses(text: &[u8], null: bool, roots: &Roots, output: &mut dyn Sink) -> Vec<Address> {
    let exists = |path: &Path| roots.exists(path);
    let mut found: Vec<Address> = Vec::new();
    let mut take = |address: Address| {
        if !found.iter().any(|earlier| holds(earlier, &address)) {
            found.push(address);
        }
    };
    if null {
        let mut parts = text.split(|&byte| byte == 0);
        while let Some(address) = parts.next() {
            let line = address.strip_prefix(b"\n").unwrap_or(address);
            if parts.next().is_none() && line.is_empty() {
                break;
            }
            match Address::parse(OsStr::from_bytes(line), exists) {
                Ok(address) => take(address),
                Err(error) => output.error(&error),
            }
        }
        return found;
    }
    let mut strays = 0u64;
    let mut first_stray = None;
    for line in
        text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    {
        if line.is_empty() || line == b"--" {
            continue;
        }
        match Address::in_line(line, exists) {
            Some(address) => take(address),
            None => {
                strays += 1;
                first_stray.get_or_insert_with(|| String::from_utf8_lossy(line).into_owned());
            }
        }
    }
    if let Some(first) = first_stray {
        output.note(Note::new(match strays {
            1 => format!("1 line begins with no address of a file: '{first}'"),
            _ => format!("{strays} lines begin with no address of a file, the first is '{first}'"),
        }));
    }
    found
}

fn holds(earlier: &Address, later: &Address) -> bool {
    if earlier.path != later.path {
        return false;
    }
    match (&earlier.part, &later.part) {
        (Part::Whole, _) => true,
        (Part::Lines(earlier), Part::Lines(later)) => {
            later.iter().all(|later| earlier.iter().any(|earlier| earlier.covers(*later)))
        }
        (earlier, later) => earlier == later,
    }
}

struct Session<'a> {
    output: &'a mut dyn Sink,
    options: &'a ReadOptions,
    env: &'a Env,
    load: &'a DocumentOptions,
    view: View,
    resolve: bool,
    /// Only checksums and addresses are told.
    checksum_only: bool,
    /// Each part is told under its address.
    headed: bool,
    /// A part that was told is not told again.
    once: bool,
    told: Vec<(PathBuf, Vec<LineRange>)>,
}

impl Session<'_> {
    fn part(&mut self, request: &Request) -> Result<(), Stop> {
        let mut request = request.clone();
        let mut document = self.open(&mut request)?;
        let path = document.path().to_owned();
        let gathered =
            self.headed || self.checksum_only || self.view.style.json || !self.view.is_plain();
        if !gathered {
            let output = &mut *self.output;
            let mut closed = false;
            let piece = locate::read(&mut document, &request, self.options, &mut |bytes| {
                output.write(bytes).inspect_err(|_| closed = true)
            })?;
            if closed {
                return Err(Stop::Closed);
            }
            self.remarks(&path, &piece);
            return Ok(());
        }
        let mut content = Vec::new();
        let piece = locate::read(&mut document, &request, self.options, &mut |bytes| {
            content.extend_from_slice(bytes);
            Ok(())
        })?;
        let part = (path.clone(), piece.ranges.clone());
        if self.once && self.told.contains(&part) {
            return Ok(());
        }
        self.tell(&path, &request, &piece, &content)?;
        self.told.push(part);
        if !self.view.style.json {
            self.remarks(&path, &piece);
        }
        Ok(())
    }

    fn open(&mut self, request: &mut Request) -> Result<Document, Error> {
        let path = request.address.path.clone();
        if request.address.is_stdin() {
            return Document::stream(
                Path::new("-"),
                self.env.open_stdin()?,
                self.load,
                &self.env.cancel,
            );
        }
        match Document::open(&path, self.load, self.env) {
            Ok(document) => Ok(document),
            Err(error) if error.code == Code::NotFound && self.resolve => {
                let found = self.resolved(&path, error)?;
                self.output.note(Note::new(format!(
                    "'{}' is read from '{}'",
                    path.display(),
                    found.display()
                )));
                request.address.path.clone_from(&found);
                Document::open(&found, self.load, self.env)
            }
            Err(error) if error.code == Code::NotAFile => {
                let word = shell_path(&path);
                Err(error.hint(format!("folio list {word}  # the files in it")))
            }
            Err(error) => Err(misses::missing_file(error, &path, "read", &self.env.roots)),
        }
    }

    /// The one file below the current directory that has the name of `path`.
    fn resolved(&self, path: &Path, error: Error) -> Result<PathBuf, Error> {
        let Some(name) = path.file_name() else { return Err(error) };
        let mut found: Vec<PathBuf> = Vec::new();
        for directory in self.env.roots.all() {
            found.extend(walk::files_named(&directory, name, self.env)?);
        }
        match found.len() {
            0 => {
                let message = format!("{}, nor below here", error.message);
                Err(Error { message, ..error }.hint("folio list  # what there is"))
            }
            1 => Ok(found.remove(0)),
            count => {
                let mut told =
                    Error::new(Code::AmbiguousPath, format!("{count} files have that name"))
                        .at(path);
                for found in found.iter().take(5) {
                    told = told.hint(format!("folio read {}", shell_path(found)));
                }
                Err(told)
            }
        }
    }

    fn tell(
        &mut self,
        path: &Path,
        request: &Request,
        piece: &Piece,
        content: &[u8],
    ) -> Result<(), Closed> {
        if self.view.style.json {
            let line = report::json_line(path, request, piece, content);
            return self.output.write(&line);
        }
        let whole = matches!(
            (&request.selection, &request.address.part),
            (Selection::Address, Part::Whole)
        );
        if self.checksum_only {
            let address = address_of(path, piece, whole);
            let digits = piece.range_checksum.as_deref().unwrap_or_default();
            let mut line = format!("{digits}  ").into_bytes();
            line.extend_from_slice(&self.view.style.safe(&address));
            line.push(b'\n');
            return self.output.write(&line);
        }
        if self.headed {
            let mut header = if self.told.is_empty() { Vec::new() } else { b"\n".to_vec() };
            header.extend_from_slice(b"==> ");
            header.extend_from_slice(&self.view.style.safe(&address_of(path, piece, false)));
            header.extend_from_slice(b" <==\n");
            self.output.write(&header)?;
        }
        let shown = if self.view.is_plain() {
            content.to_vec()
        } else {
            self.view.show(content, &piece.ranges)
        };
        self.output.write(&shown)?;
        if self.headed && !shown.is_empty() && !shown.ends_with(b"\n") {
            self.output.write(b"\n")?;
        }
        Ok(())
    }

    /// What the content does not show by itself.
    fn remarks(&mut self, path: &Path, piece: &Piece) {
        let shown = path.display();
        if piece.truncated {
            let what = match piece.next_line {
                Some(next) if piece.cut_line => {
                    format!("cut within line {}, its rest is left out", next - 1)
                }
                None if piece.cut_line => "cut within the last line".to_owned(),
                _ => format!("cut after {}", counted(piece.returned_lines, "line")),
            };
            let next = piece.next_line.map(|next| {
                let end = piece.part_end.unwrap_or(u64::MAX);
                let address = display(path, Some(LineRange::from_to(next, end)));
                format!("; it goes on at: folio read {}", shell_word(&address))
            });
            self.output.note(Note::new(format!("'{shown}': {what}{}", next.unwrap_or_default())));
        }
        if piece.no_boundary {
            self.output.note(Note::new(format!(
                "'{shown}': no further line matches, so this goes on to the end of the file"
            )));
        }
        if let Some(boundary) = piece.boundary.as_ref().filter(|boundary| boundary.in_code) {
            self.output.note(Note::new(format!(
                "'{shown}': stopped at line {}, in a code block; --outside-code passes over such lines",
                boundary.line
            )));
        }
    }
}

/// The address of what was read, in bytes.
fn address_of(path: &Path, piece: &Piece, whole: bool) -> Vec<u8> {
    let mut address = path.as_os_str().as_bytes().to_vec();
    if whole || piece.ranges.is_empty() {
        return address;
    }
    let ranges: Vec<String> = piece
        .ranges
        .iter()
        .map(|range| match range.count() {
            1 => range.start().to_string(),
            _ => format!("{}-{}", range.start(), range.end()),
        })
        .collect();
    address.push(b':');
    address.extend_from_slice(ranges.join(",").as_bytes());
    address
}
