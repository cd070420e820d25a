//! Runs `links`: finds the documents, checks them in parallel, and prints the results in order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::args::LinksArgs;
use super::baseline::Baseline;
use super::check::{Checked, Checker};
use super::fix::{self, Fixed, Found};
use super::report::{AllLinks, DocumentLinks, Form};
use super::{BrokenLink, Options, Summary};
use crate::commands::input::piped_stdin;
use crate::commands::output::{Closed, Note, Outcome, Record, Sink, Stop, Style, counted};
use crate::commands::site::generator::Generator;
use crate::commands::site::{self, Site};
use crate::commands::{misses, parallel, resolve};
use crate::error::{Code, Error, ExitStatus, Hint};
use crate::files::document::{Document, DocumentOptions};
use crate::files::env::Env;
use crate::files::listing::WalkOptions;
use crate::files::walk;
use crate::text::format::{Feature, Format};

/// Runs the command.
pub fn run(args: LinksArgs, env: &Env, sink: &mut dyn Sink) -> Outcome {
    let style = sink.style();
    let options = &Options::new(args);
    options.check()?;
    let ignored = ignored(&options.ignore)?;
    let site = Site::new(&options.site)?;
    if let Some(root) = &options.site.root {
        env.roots.open_directory(root)?;
    }
    options.rules.check(&env.roots)?;
    let piped = match options.paths.is_empty() && !options.fix {
        true => piped_stdin("links", env, sink)?,
        false => None,
    };
    let (steps, walked) = match &piped {
        Some(_) => (vec![Step::Stdin], Vec::new()),
        None => gather(options, env, sink),
    };
    let env = piped.as_ref().unwrap_or(env);
    let mut checker = Checker::new(ignored, site, env, &walked);
    checker.fixes = options.fix;
    checker.lists_all = options.all;
    let baseline = options.baseline.as_ref();
    checker.baseline =
        baseline.map(|file| Baseline::read(file, &options.paths, env)).transpose()?;
    let mut run = Run {
        checker: &checker,
        options,
        env,
        style,
        sink,
        summary: Summary { known: baseline.map(|_| 0), ..Summary::default() },
        has_written: false,
        broken_in: BTreeSet::new(),
        found: Vec::new(),
    };
    let ended = steps.iter().try_for_each(|step| match step {
        Step::Files(work) => run.files(work),
        Step::Stdin => run.stdin(),
    });
    let ended = ended.and_then(|()| run.mend());
    let summary = run.summary;
    let is_whole = ended.is_ok();
    if let Err(Stop::Failed(error)) = ended {
        return Err(error);
    }
    if ended != Err(Stop::Closed) && !options.quiet && !options.null {
        // A closed output is not an error.
        let _ = run.sink.record(&summary);
    }
    if is_whole && let Some(baseline) = &checker.baseline {
        note_gone(baseline, options, env, run.sink);
    }
    if is_whole && !options.quiet {
        run.note_site_rules(&summary);
    }
    let would_mend = options.fix && options.dry_run && summary.fixed > Some(0);
    Ok(if summary.broken > 0 || would_mend { ExitStatus::No } else { ExitStatus::Done })
}

/// Notes how many anchors may be in included documents.
fn note_unchecked(count: u64, sink: &mut dyn Sink) {
    let (were, pages) = match count {
        1 => ("was", "the page includes"),
        _ => ("were", "the pages include"),
    };
    let anchors = counted(count, "anchor");
    sink.note(Note::new(format!("{anchors} {were} not checked: {pages} other documents")));
}

/// Notes that a site seems to be built by a generator whose rules were not requested.
fn note_site(sign: &Path, generator: &Generator, sink: &mut dyn Sink) {
    let name = generator.name;
    let message = format!("this looks like a {name} site, but its link rules were not used");
    let hint = Hint::flag(["--site", name]).why(format!("to check links as {name} resolves them"));
    sink.note(Note::at(sign, message).hint(hint));
}

/// Notes how many findings of a baseline no longer occur.
fn note_gone(baseline: &Baseline, options: &Options, env: &Env, sink: &mut dyn Sink) {
    let (gone, is_whole) = baseline.gone(env);
    let Some(file) = options.baseline.as_ref().filter(|_| gone > 0) else { return };
    let findings = counted(gone, "known link");
    let hint = Hint::command("links", ["--json"]).and(&options.paths);
    let why = format!("prints it anew, for > {}", Path::new(file).display());
    let message =
        format!("{findings} of it {} broken no more", if gone == 1 { "is" } else { "are" });
    let note = Note::at(Path::new(file), message);
    // A new baseline must contain the findings of all documents.
    sink.note(if is_whole { note.hint(hint.why(why)) } else { note });
}

/// The globs of destinations that are not checked.
fn ignored(globs: &[String]) -> Result<GlobSet, Error> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        // `*` also matches slashes, because destinations are texts.
        let built = GlobBuilder::new(glob).literal_separator(false).build();
        let invalid =
            |error: globset::Error| Error::usage(format!("--ignore '{glob}': {}", error.kind()));
        set.add(built.map_err(invalid)?);
    }
    set.build().map_err(|error| Error::usage(format!("--ignore: {error}")))
}

/// A unit of work.
enum Step {
    Files(Vec<Work>),
    Stdin,
}

/// A document to check.
struct Work {
    path: PathBuf,
    /// The directory below which it was found; `None` if it was given by name.
    walked_from: Option<PathBuf>,
}

/// The documents to check, and all files found by walking directories.
fn gather(options: &Options, env: &Env, sink: &mut dyn Sink) -> (Vec<Step>, Vec<PathBuf>) {
    let roots = &env.roots;
    let walk_options = WalkOptions { rules: options.rules.clone(), ..WalkOptions::default() };
    let mut steps = Vec::new();
    let mut all = Vec::new();
    let operands = match options.paths.is_empty() {
        true => roots.all().into_iter().map(Ok).collect(),
        false if options.resolve.resolve => resolve::operands(&options.paths, "links", env, sink),
        false => options.paths.iter().cloned().map(Ok).collect(),
    };
    for operand in &operands {
        let operand = match operand {
            Ok(operand) => operand,
            Err(error) => {
                sink.error(error);
                continue;
            }
        };
        if operand.as_os_str() == "-" {
            steps.push(Step::Stdin);
        } else if roots.is_directory(operand) {
            let (paths, errors) = match walk::files_below(operand, &walk_options, env) {
                Ok(found) => found,
                Err(error) => {
                    sink.error(&error);
                    continue;
                }
            };
            errors.iter().for_each(|error| sink.error(error));
            let count = paths.len() as u64;
            let first = all.len();
            all.extend(paths);
            let documents =
                all[first..].iter().filter(|path| is_document(path, &options.load, env));
            let work: Vec<Work> = documents
                .map(|path| Work { path: path.clone(), walked_from: Some(operand.clone()) })
                .collect();
            if work.is_empty() {
                let message = match count {
                    0 => "no files".to_owned(),
                    _ => format!("no Markdown documents in {}", counted(count, "file")),
                };
                sink.note(Note::at(operand, message));
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

/// Whether a file found in a directory is a document, by its name only.
fn is_document(path: &Path, load: &DocumentOptions, env: &Env) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let format = load.format.or_else(|| env.formats.by_name(&name));
    format.is_some_and(|format| format.has(Feature::Links))
}

struct Run<'a> {
    checker: &'a Checker<'a>,
    options: &'a Options,
    env: &'a Env,
    style: Style,
    sink: &'a mut dyn Sink,
    summary: Summary,
    /// Whether anything was printed, so that the next document is separated on a terminal.
    has_written: bool,
    /// The directories of documents with broken links.
    broken_in: BTreeSet<PathBuf>,
    /// Documents whose output waits until their links are fixed.
    found: Vec<Found>,
}

/// The results of a batch of documents, in order.
#[derive(Default)]
struct Batch {
    summary: Summary,
    broken_in: Vec<PathBuf>,
    findings: Vec<Finding>,
}

enum Finding {
    /// The printed broken links of a document.
    Links(Vec<u8>),
    /// A document whose links may be fixed.
    Found(Found),
    Note(Note),
    Failed(Error),
}

impl Run<'_> {
    fn files(&mut self, work: &[Work]) -> Result<(), Stop> {
        let (checker, options, env, style) = (self.checker, self.options, self.env, self.style);
        let check = |buffer: &mut Vec<u8>, work: &Work, batch: &mut Batch| {
            // With `--quiet`, one broken link is enough.
            if options.quiet && batch.summary.broken > 0 {
                return;
            }
            match file(checker, work, options, env, buffer) {
                Ok(checked) => batch.add(&work.path, checked, options, style),
                // Binary files found in directories are skipped.
                Err(Finding::Failed(error))
                    if error.code == Code::BinaryFile && work.walked_from.is_some() => {}
                Err(finding) => batch.findings.push(finding),
            }
        };
        parallel::in_order(work, env, Vec::new, check, |batch| self.write(batch))
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
            Err(error) => batch.findings.push(Finding::Failed(error)),
        }
        self.write(batch)
    }

    fn write(&mut self, batch: Batch) -> Result<(), Stop> {
        self.summary.add(batch.summary);
        self.broken_in.extend(batch.broken_in);
        for finding in batch.findings {
            match finding {
                Finding::Failed(error) => self.sink.error(&error),
                Finding::Note(note) => self.sink.note(note),
                Finding::Found(found) => self.found.push(found),
                Finding::Links(links) => self.links(&links)?,
            }
        }
        if self.options.quiet && self.summary.broken > 0 { Err(Stop::Enough) } else { Ok(()) }
    }
}

impl Run<'_> {
    /// Notes what could not be checked by the site's rules, and rules that were not requested.
    fn note_site_rules(&mut self, summary: &Summary) {
        if summary.unchecked > 0 {
            note_unchecked(summary.unchecked, self.sink);
        }
        if self.options.site.generator.is_none() {
            let directories = self.broken_in.iter().map(PathBuf::as_path);
            let found = site::sign_around(directories, summary.broken, &self.env.roots);
            found.into_iter().for_each(|(sign, generator)| note_site(&sign, generator, self.sink));
        }
    }

    fn links(&mut self, links: &[u8]) -> Result<(), Closed> {
        let grouped = self.style.terminal && self.options.form() == Form::Lines;
        if grouped && self.has_written {
            self.sink.write(b"\n")?;
        }
        self.has_written = true;
        self.sink.write(links)
    }

    /// Fixes what can be fixed, and reports that and what is left.
    fn mend(&mut self) -> Result<(), Stop> {
        let options = self.options;
        if !options.fix {
            return Ok(());
        }
        let fixed = fix::fix(&mut self.found, options, self.env)?;
        if fixed.files > 0 && !options.dry_run {
            self.sink.edited(fixed.undo.map(Hint::undo));
        }
        let found = std::mem::take(&mut self.found);
        let is_fixed = |link: &&BrokenLink| link.fix.is_some();
        let all = || found.iter().flat_map(|found| &found.broken);
        let count = all().filter(is_fixed).count() as u64;
        let left = |found: &&Found| found.broken.iter().any(|link| link.fix.is_none());
        self.summary.broken = all().count() as u64 - count;
        self.summary.broken_files = found.iter().filter(left).count() as u64;
        (self.summary.fixed, self.summary.undo) = (Some(count), fixed.undo);
        self.note_fixed(count, &fixed);
        if (options.dry_run || options.diff) && !self.style.json {
            for (path, diff) in &fixed.diffs {
                let mut text = Vec::new();
                diff.push(path, self.style, &mut text);
                self.sink.write(&text)?;
            }
            return Ok(());
        }
        for Found { path, broken, .. } in &found {
            let mut links = Vec::new();
            DocumentLinks { path, broken, form: self.options.form() }.write(self.style, &mut links);
            self.links(&links)?;
        }
        Ok(())
    }

    /// Notes what was fixed and what is left, which a diff does not show.
    fn note_fixed(&mut self, count: u64, fixed: &Fixed) {
        let is_preview = self.options.fix && self.options.dry_run;
        let fixes = if is_preview { "would fix" } else { "fixed" };
        let mut message = match count {
            0 => "no broken link has exactly one possible target".to_owned(),
            _ => {
                let (links, files) = (counted(count, "link"), counted(fixed.files, "document"));
                format!("{fixes} {links} in {files}")
            }
        };
        match self.summary.broken {
            0 => {}
            1 => message.push_str("; 1 broken link is left"),
            left => message.push_str(&format!("; {left} broken links are left")),
        }
        let undo = fixed.undo.map(Hint::undo);
        let note = Note::new(message);
        if count + self.summary.broken > 0 {
            self.sink.note(match undo {
                Some(undo) => note.hint(undo.why("to undo it")),
                None => note,
            });
        }
        fixed.warnings.iter().for_each(|warning| self.sink.note(Note::new(warning)));
    }
}

impl Batch {
    fn add(&mut self, path: &Path, checked: Checked, options: &Options, style: Style) {
        self.summary.add(checked.summary);
        if !checked.broken.is_empty() {
            self.broken_in.extend(path.parent().map(Path::to_owned));
        }
        for unused in checked.unused.iter().filter(|_| options.unused) {
            let target = String::from_utf8_lossy(&unused.target);
            let message =
                format!("line {}: no link uses the broken definition '{target}'", unused.line);
            self.findings.push(Finding::Note(Note::at(path, message)));
        }
        if options.all {
            let mut links = Vec::new();
            let broken = checked.broken.iter().chain(&checked.unused).collect();
            AllLinks { path, all: &checked.all, broken }.json(&mut links);
            self.findings.push(Finding::Links(links));
        } else if !checked.broken.is_empty() && !options.quiet {
            let (broken, format) = (checked.broken, checked.format.unwrap_or(Format::Markdown));
            self.findings.push(if options.fix {
                Finding::Found(Found { path: path.to_owned(), broken, format })
            } else {
                let mut links = Vec::new();
                let record = DocumentLinks { path, broken: &broken, form: options.form() };
                record.write(style, &mut links);
                Finding::Links(links)
            });
        }
        self.findings.extend(checked.errors.into_iter().map(Finding::Failed));
    }
}

/// Checks one file.
fn file(
    checker: &Checker<'_>,
    work: &Work,
    options: &Options,
    env: &Env,
    buffer: &mut Vec<u8>,
) -> Result<Checked, Finding> {
    let path = &work.path;
    let opened = match &work.walked_from {
        Some(_) => Document::open_walked(path, &options.load, env, std::mem::take(buffer)),
        None => Document::open_regular(path, &options.load, env)
            .map_err(|error| misses::missing_file(error, path, "links", env)),
    };
    let mut document = opened.map_err(Finding::Failed)?;
    if !document.format().has(Feature::Links) {
        let kind = document.format().name();
        let hint = Hint::command("links", ["--as", "markdown"]).and([path]).why("to check it");
        let message = format!("passed over: it is {kind}, not Markdown");
        return Err(Finding::Note(Note::at(path, message).hint(hint)));
    }
    let base = work.walked_from.as_deref().unwrap_or(Path::new("."));
    let checked = checker.document(&mut document, base, false);
    *buffer = document.into_buffer();
    checked.map_err(Finding::Failed)
}
