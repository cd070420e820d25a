//! From operands to what is told of each file: one after the other, or, for
//! trees, by several threads, told in order all the same.

use std::path::{Path, PathBuf};

use super::args::InspectArgs;
use super::report::{self, Stop};
use super::{Inspection, Mode, Options};
use crate::commands::output::{Closed, Note, Outcome, Sink, Style, counted};
use crate::commands::parallel;
use crate::commands::shared_args::contradiction;
use crate::error::{Code, Error, ExitStatus, shell_path};
use crate::files::address::{Address, Part};
use crate::files::document::Document;
use crate::files::env::Env;
use crate::files::listing::WalkOptions;
use crate::files::roots::Roots;
use crate::files::walk;

/// Runs the command.
pub fn run(args: &InspectArgs, env: &Env, output: &mut dyn Sink) -> Outcome {
    let style = output.style();
    let roots = &env.roots;
    let options = args.options(style)?;
    let walk_options = args.walk();
    let mut session = Session { options: &options, env, style, output, records: 0, told: false };
    let mut operands = args.addresses.clone();
    if operands.is_empty() {
        operands = roots.all().into_iter().map(PathBuf::into_os_string).collect();
    }
    let several = operands.len() > 1;
    for operand in &operands {
        let address = match Address::parse(operand, |path| roots.exists(path)) {
            Ok(address) => address,
            Err(error) => {
                session.output.error(&error);
                continue;
            }
        };
        let result = if !address.is_stdin() && roots.is_directory(&address.path) {
            if address.part != Part::Whole {
                let shown = shell_path(&address.path);
                let error = Error::new(Code::NotAFile, "Is a directory").at(&address.path);
                Err(Stop::Failed(error.hint(format!("folio inspect {shown}  # all files in it"))))
            } else {
                session.tree(&address.path, &walk_options)
            }
        } else if matches!(options.mode, Mode::Lines(_)) && address.part != Part::Whole {
            Err(Stop::Failed(
                contradiction("the address", "--query").hint("leave the lines of one of them out"),
            ))
        } else {
            session.file(&address, several)
        };
        match result {
            Ok(()) => {}
            Err(Stop::Closed) => return Ok(ExitStatus::Done),
            Err(Stop::Failed(error)) => session.output.error(&error),
        }
    }
    let is_no = matches!(options.mode, Mode::Search(_)) && session.records == 0;
    Ok(if is_no { ExitStatus::No } else { ExitStatus::Done })
}

struct Session<'a> {
    options: &'a Options,
    env: &'a Env,
    style: Style,
    output: &'a mut dyn Sink,
    records: u64,
    /// Whether anything was told, so that files stand apart on a terminal.
    told: bool,
}

impl Session<'_> {
    fn file(&mut self, address: &Address, several: bool) -> Result<(), Stop> {
        let mut document = if address.is_stdin() {
            Document::stream(
                Path::new("-"),
                self.env.open_stdin()?,
                &self.options.load,
                &self.env.cancel,
            )?
        } else {
            Document::open(&address.path, &self.options.load, self.env)
                .map_err(|error| near_miss(error, &address.path, &self.env.roots))?
        };
        let found = super::inspect(&mut document, &address.part, self.options)?;
        let quiet = several && matches!(self.options.mode, Mode::Search(_));
        if quiet && is_empty_search(&found) {
            return Ok(());
        }
        self.part_files()?;
        let output = &mut *self.output;
        let mut emit = |bytes: &[u8]| output.write(bytes);
        let records = report::tell(&found, &mut document, self.options, self.style, &mut emit)?;
        self.records += records;
        self.told = true;
        if records == 0 && !self.style.json {
            self.output.note(Note::new(nothing_told(&found, &document, self.options)));
        }
        Ok(())
    }

    /// An empty line between files on a terminal.
    fn part_files(&mut self) -> Result<(), Closed> {
        let apart = self.style.terminal && !self.style.json && self.told;
        if apart { self.output.write(b"\n") } else { Ok(()) }
    }

    fn tree(&mut self, directory: &Path, walk_options: &WalkOptions) -> Result<(), Stop> {
        let (paths, errors) = walk::files_below(directory, walk_options, self.env)?;
        for error in &errors {
            self.output.error(error);
        }
        let before = self.records;
        self.files_in_order(&paths)?;
        if self.records == before && !self.style.json {
            let files = counted(paths.len() as u64, "text file");
            let what = match self.options.mode {
                _ if paths.is_empty() => "there are no text files".to_owned(),
                Mode::Search(_) => format!("no match in {files}"),
                Mode::Structure(_) => format!("no headings or sections in {files}"),
                Mode::Lines(_) => format!("no such lines in {files}"),
            };
            self.output.note(Note::new(format!("'{}': {what}", directory.display())));
        }
        Ok(())
    }

    /// Works on files with all processors and tells of them in order.
    fn files_in_order(&mut self, paths: &[PathBuf]) -> Result<(), Stop> {
        let (options, env, style) = (self.options, self.env, self.style);
        let work = |buffer: &mut Vec<u8>, paths: &[PathBuf]| {
            let mut found = Vec::new();
            for path in paths {
                add(in_tree(path, options, env, style, buffer), &mut found, style);
            }
            found
        };
        let threads = self.env.threads;
        parallel::in_order(paths, threads, Vec::new, work, |found| {
            found.into_iter().try_for_each(|told| self.tell(told))
        })
    }

    fn tell(&mut self, told: Told) -> Result<(), Stop> {
        match told {
            Told::Nothing => Ok(()),
            Told::Failed(error) => {
                self.output.error(&error);
                Ok(())
            }
            Told::Text { text, records } => {
                self.part_files()?;
                self.records += records;
                self.told = true;
                Ok(self.output.write(&text)?)
            }
        }
    }
}

/// What one file of a tree came to.
enum Told {
    Nothing,
    Failed(Error),
    Text { text: Vec<u8>, records: u64 },
}

/// Adds to what a batch came to; texts become one, unless they are to stand
/// apart on a terminal.
fn add(told: Told, found: &mut Vec<Told>, style: Style) {
    match (told, found.last_mut()) {
        (Told::Nothing, _) => {}
        (Told::Text { text, records }, Some(Told::Text { text: before, records: count }))
            if !style.terminal =>
        {
            before.extend_from_slice(&text);
            *count += records;
        }
        (told, _) => found.push(told),
    }
}

fn in_tree(path: &Path, options: &Options, env: &Env, style: Style, buffer: &mut Vec<u8>) -> Told {
    let mut document = match Document::open_walked(path, &options.load, env, std::mem::take(buffer))
    {
        Ok(document) => document,
        // A walk passes over what is not text.
        Err(error) if error.code == Code::BinaryFile => return Told::Nothing,
        Err(error) => return Told::Failed(error),
    };
    let result = super::inspect(&mut document, &Part::Whole, options);
    let told = match result {
        Err(error) => Told::Failed(error),
        Ok(found) => tell_in_tree(&found, &mut document, options, style),
    };
    *buffer = document.into_buffer();
    told
}

fn tell_in_tree(
    found: &Inspection,
    document: &mut Document,
    options: &Options,
    style: Style,
) -> Told {
    if is_empty_search(found) {
        return Told::Nothing;
    }
    let mut text = Vec::new();
    let mut emit = |bytes: &[u8]| {
        text.extend_from_slice(bytes);
        Ok(())
    };
    match report::tell(found, document, options, style, &mut emit) {
        Ok(0) => Told::Nothing,
        Ok(records) => Told::Text { text, records },
        Err(Stop::Failed(error)) => Told::Failed(error),
        Err(Stop::Closed) => Told::Nothing,
    }
}

fn is_empty_search(found: &Inspection) -> bool {
    matches!(found, Inspection::Search(search) if search.hits.is_empty())
}

/// The remark for a file of which nothing was told.
fn nothing_told(found: &Inspection, document: &Document, options: &Options) -> String {
    let path = document.path().display();
    match (found, &options.mode) {
        (Inspection::Search(_), Mode::Search(search)) => {
            let verb = if search.regex { "matches" } else { "holds" };
            format!("'{path}': no line {verb} '{}'", search.query)
        }
        (Inspection::Structure(structure), _) => {
            let format = structure.outline.format().name();
            let lines = counted(structure.outline.total_lines(), "line");
            format!("'{path}': no headings or sections ({format}, {lines})")
        }
        _ => format!("'{path}': no lines"),
    }
}

/// A file that does not exist, with the names next to it that are most like it.
fn near_miss(error: Error, path: &Path, roots: &Roots) -> Error {
    crate::commands::misses::missing_file(error, path, "inspect", roots)
}
