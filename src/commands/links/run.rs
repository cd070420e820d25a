//! From operands to documents, which all processors check and which are told in
//! order.

use std::path::{Path, PathBuf};

use super::args::LinksArgs;
use super::check::{Checked, Checker};
use super::report;
use super::{Options, Tally};
use crate::commands::output::{Note, Outcome, Sink, Stop, Style, counted};
use crate::commands::{misses, parallel};
use crate::error::{Code, Error, ExitStatus, shell_path};
use crate::files::document::{Document, DocumentOptions};
use crate::files::env::Env;
use crate::files::walk;
use crate::text::format::{Feature, Format};

/// Runs the command.
pub fn run(args: &LinksArgs, env: &Env, output: &mut dyn Sink) -> Outcome {
    let style = output.style();
    let options = args.options(style)?;
    let (steps, walked) = gather(args, &options, env, output);
    let checker = Checker::new(&options, env, &walked);
    let mut session = Session {
        checker: &checker,
        options: &options,
        env,
        style,
        output,
        tally: Tally::default(),
        told: false,
    };
    let ended = steps.iter().try_for_each(|step| match step {
        Step::Files(work) => session.files(work),
        Step::Stdin => session.stdin(),
    });
    if let Err(Stop::Failed(error)) = ended {
        return Err(error);
    }
    if ended != Err(Stop::Closed) && !options.quiet {
        // Whoever no longer reads has seen enough.
        let _ = session.output.write(&report::summary(session.tally, &options, style));
    }
    Ok(if session.tally.broken > 0 { ExitStatus::No } else { ExitStatus::Done })
}

/// What is done at once.
enum Step {
    Files(Vec<Work>),
    Stdin,
}

/// A document that is to be checked.
struct Work {
    path: PathBuf,
    /// The directory that it was found below; `None` where it was named.
    walked_from: Option<PathBuf>,
}

/// The documents that the operands name, and all files that were walked.
fn gather(
    args: &LinksArgs,
    options: &Options,
    env: &Env,
    output: &mut dyn Sink,
) -> (Vec<Step>, Vec<PathBuf>) {
    let roots = &env.roots;
    let walk_options = args.walk();
    let mut steps = Vec::new();
    let mut all = Vec::new();
    let operands = if args.paths.is_empty() { roots.all() } else { args.paths.clone() };
    for operand in &operands {
        if operand.as_os_str() == "-" {
            steps.push(Step::Stdin);
        } else if roots.is_directory(operand) {
            let (paths, errors) = match walk::files_below(operand, &walk_options, env) {
                Ok(found) => found,
                Err(error) => {
                    output.error(&error);
                    continue;
                }
            };
            errors.iter().for_each(|error| output.error(error));
            let count = paths.len() as u64;
            let first = all.len();
            all.extend(paths);
            let documents = all[first..].iter().filter(|path| is_document(path, &options.load));
            let work: Vec<Work> = documents
                .map(|path| Work { path: path.clone(), walked_from: Some(operand.clone()) })
                .collect();
            if work.is_empty() {
                let operand = operand.display();
                let files = counted(count, "file");
                output.note(Note::new(match count {
                    0 => format!("'{operand}': there are no files"),
                    _ => format!("'{operand}': no Markdown documents in {files}"),
                }));
            }
            steps.push(Step::Files(work));
        } else {
            let named = Work { path: operand.clone(), walked_from: None };
            match steps.last_mut() {
                Some(Step::Files(work)) => work.push(named),
                _ => steps.push(Step::Files(vec![named])),
            }
        }
    }
    (steps, all)
}

/// Whether a file that was walked is a document: by its name alone.
fn is_document(path: &Path, load: &DocumentOptions) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    load.format.or_else(|| Format::by_name(&name)).is_some_and(|format| format.has(Feature::Links))
}

struct Session<'a> {
    checker: &'a Checker<'a>,
    options: &'a Options,
    env: &'a Env,
    style: Style,
    output: &'a mut dyn Sink,
    tally: Tally,
    /// Whether anything was told, so that documents stand apart on a terminal.
    told: bool,
}

/// What documents came to, in their order.
#[derive(Default)]
struct Batch {
    tally: Tally,
    told: Vec<Told>,
}

enum Told {
    Text(Vec<u8>),
    Note(String),
    Failed(Error),
}

impl Session<'_> {
    fn files(&mut self, work: &[Work]) -> Result<(), Stop> {
        let (checker, options, env, style) = (self.checker, self.options, self.env, self.style);
        let check = |buffer: &mut Vec<u8>, work: &Work, batch: &mut Batch| {
            // One is enough for whoever only wants to know.
            if options.quiet && batch.tally.broken > 0 {
                return;
            }
            match file(checker, work, options, env, buffer) {
                Ok(checked) => batch.add(&work.path, checked, options, style),
                // A walk passes over what is not text.
                Err(Told::Failed(error))
                    if error.code == Code::BinaryFile && work.walked_from.is_some() => {}
                Err(told) => batch.told.push(told),
            }
        };
        parallel::in_order(work, env, Vec::new, check, |batch| self.tell(batch))
    }

    fn stdin(&mut self) -> Result<(), Stop> {
        let load = DocumentOptions {
            format: self.options.load.format.or(Some(Format::Markdown)),
            ..self.options.load.clone()
        };
        let path = Path::new("-");
        let opened = self
            .env
            .open_stdin()
            .and_then(|stream| Document::stream(path, stream, &load, &self.env.cancel));
        let checked = opened
            .and_then(|mut document| self.checker.document(&mut document, Path::new("."), true));
        let mut batch = Batch::default();
        match checked {
            Ok(checked) => batch.add(path, checked, self.options, self.style),
            Err(error) => batch.told.push(Told::Failed(error)),
        }
        self.tell(batch)
    }

    fn tell(&mut self, batch: Batch) -> Result<(), Stop> {
        self.tally.add(batch.tally);
        for told in batch.told {
            match told {
                Told::Failed(error) => self.output.error(&error),
                Told::Note(note) => self.output.note(Note::new(note)),
                Told::Text(text) => {
                    let grouped = self.style.terminal && !self.options.null;
                    if grouped && self.told {
                        self.output.write(b"\n")?;
                    }
                    self.told = true;
                    self.output.write(&text)?;
                }
            }
        }
        if self.options.quiet && self.tally.broken > 0 { Err(Stop::Enough) } else { Ok(()) }
    }
}

impl Batch {
    fn add(&mut self, path: &Path, checked: Checked, options: &Options, style: Style) {
        self.tally.add(checked.tally);
        if !checked.broken.is_empty() && !options.quiet {
            let mut text = Vec::new();
            report::tell(path, &checked.broken, options, style, &mut text);
            self.told.push(Told::Text(text));
        }
        self.told.extend(checked.errors.into_iter().map(Told::Failed));
    }
}

/// Checks a file that was named or found.
fn file(
    checker: &Checker<'_>,
    work: &Work,
    options: &Options,
    env: &Env,
    buffer: &mut Vec<u8>,
) -> Result<Checked, Told> {
    let path = &work.path;
    let opened = match &work.walked_from {
        Some(_) => Document::open_walked(path, &options.load, env, std::mem::take(buffer)),
        None => Document::open(path, &options.load, env)
            .map_err(|error| misses::missing_file(error, path, "links", &env.roots)),
    };
    let mut document = opened.map_err(Told::Failed)?;
    if !document.format().has(Feature::Links) {
        let shown = path.display();
        let kind = document.format().name();
        let hint = format!("folio links --as markdown {}", shell_path(path));
        return Err(Told::Note(format!(
            "'{shown}': passed over: it is {kind}, not Markdown; to check it: {hint}"
        )));
    }
    let base = work.walked_from.as_deref().unwrap_or(Path::new("."));
    let checked = checker.document(&mut document, base, false);
    *buffer = document.into_buffer();
    checked.map_err(Told::Failed)
}
