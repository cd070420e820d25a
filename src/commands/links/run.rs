//! Runs `links`: finds the documents, checks them in parallel, and prints the results in order.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::args::LinksArgs;
use super::baseline::Baseline;
use super::check::{Checked, Checker};
use super::fix::{self, Fixed};
use super::repeated::{RepeatedCauses, root_dir_hint};
use super::report::{DocumentLinks, Form, Summary};
use super::{CheckedLink, Status};
use crate::commands::file_diff::push_diff;
use crate::commands::host::Host;
use crate::commands::input::piped_stdin;
use crate::commands::job::{self, Operands};
use crate::commands::output::{Closed, Note, Outcome, Sink, Stop, Style, counted};
use crate::commands::site;
use crate::commands::site::generator::{GITHUB, Generator};
use crate::commands::site::rules::SiteRules;
use crate::commands::site::vault::WIKI;
use crate::commands::{missing_files, parallel};
use folio_files::address::{Address, Part};
use folio_files::document::{self, DocumentOptions};
use folio_files::env::Env;
use folio_files::error::{Code, Error, ExitStatus, Hint};
use folio_files::listing::WalkOptions;
use folio_files::options::{FIX, SITE};
use folio_outline::format::{Feature, Format};

/// Runs `links`.
pub fn run(args: LinksArgs, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let env = &host.env;
    let args = &args;
    let load = &args.documents.options();
    if args.fix && args.paths.iter().any(|path| path == "-") {
        return Err(Error::usage(format!("{FIX} cannot be used with standard input")));
    }
    load.check()?;
    let operands: Vec<PathBuf> = args.paths.iter().map(PathBuf::from).collect();
    let sites = SiteRules::new(args.site.clone(), args.ignore.clone(), &operands, host)?;
    if let Some(root) = &args.site.root_dir {
        env.roots.open_directory(root)?;
    }
    args.rules().check(&env.roots)?;
    let piped = if args.paths.is_empty() && !args.fix {
        piped_stdin(Hint::command("links", ["."]).why("all files here"), host, sink)?
    } else {
        None
    };
    let (entries, walked) = match &piped {
        Some(_) => (vec![DocumentEntry { path: "-".into(), walked_from: None }], Vec::new()),
        None => collect_documents(args, load, env, sink)?,
    };
    let host = piped.as_ref().unwrap_or(host);
    let mut checker = Checker::new(sites, env, &walked);
    checker.fixes = args.fix;
    checker.lists_all = args.all;
    let baseline = args.baseline.as_ref();
    checker.baseline = baseline.map(|file| Baseline::read(file, &args.paths, host)).transpose()?;
    let mut run = LinksRun {
        checker: &checker,
        args,
        load,
        host,
        style: sink.style(),
        sink,
        summary: Summary { known: baseline.map(|_| 0), ..Summary::new(0) },
        has_written: false,
        broken_in: BTreeSet::new(),
        repeated: RepeatedCauses::default(),
        wiki_links: (0, 0),
        has_wiki_page: false,
        fixable: Vec::new(),
    };
    let ended = run.check_documents(&entries).and_then(|()| run.fix_links());
    let summary = run.summary;
    let is_complete = ended.is_ok();
    if let Err(Stop::Failed(error)) = ended {
        return Err(error);
    }
    if ended != Err(Stop::Closed) && !args.quiet && !args.null {
        // A closed output is not an error.
        let _ = run.sink.record(&summary);
    }
    if is_complete && let Some(baseline) = &checker.baseline {
        note_obsolete(baseline, args, env, run.sink);
    }
    if is_complete && !args.quiet {
        run.note_site_rules(&summary);
    }
    let would_fix = args.fix && args.dry_run && summary.fixed > Some(0);
    Ok(if summary.broken > 0 || would_fix { ExitStatus::No } else { ExitStatus::Done })
}

/// Prints a note with the number of anchors that may be in included documents.
fn note_unchecked(count: u64, sink: &mut dyn Sink) {
    let were = if count == 1 { "was" } else { "were" };
    let anchors = counted(count, "anchor");
    let why = "their pages include other documents, or plugins of the site add anchors";
    sink.note(Note::new(format!("{anchors} {were} not checked: {why}")));
}

/// Prints a note if a generator seems to build the site, but its rules were not requested.
fn note_site(sign: &Path, generator: &Generator, sink: &mut dyn Sink) {
    let name = generator.name;
    let message = format!("this looks like a {name} site, but its link rules were not used");
    let hint = Hint::with_value(SITE, name).why(format!("to check links as {name} resolves them"));
    sink.note(Note::at(sign, message).hint(hint));
}

/// Returns the message for documents that belong to no site of a generator.
fn no_site_message(generator: &Generator) -> String {
    let files = generator.markers().iter().take(3).copied().collect::<Vec<_>>().join(", ");
    format!("no {} site was found (a directory with {files})", generator.name)
}

/// Prints a note with the number of links in a baseline that are no longer broken.
fn note_obsolete(baseline: &Baseline, args: &LinksArgs, env: &Env, sink: &mut dyn Sink) {
    let (obsolete, is_complete) = baseline.count_obsolete(env);
    let Some(file) = args.baseline.as_ref().filter(|_| obsolete > 0) else { return };
    let verb = if obsolete == 1 { "is" } else { "are" };
    let file = Path::new(file);
    let obsolete = counted(obsolete, "baseline link");
    let note = Note::at(file, format!("{obsolete} {verb} no longer broken"));
    let why = format!("to update the baseline, with > {}", file.display());
    let hint = Hint::command("links", ["--json"]).and(&args.paths).why(why);
    // A new baseline must contain the findings of all documents.
    sink.note(if is_complete { note.hint(hint) } else { note });
}

/// A document to check.
struct DocumentEntry {
    path: PathBuf,
    /// The directory operand in which the document was found, or `None` if the document is an
    /// operand.
    walked_from: Option<PathBuf>,
}

/// Returns the documents to check, and all files found by walking directories.
fn collect_documents(
    args: &LinksArgs,
    load: &DocumentOptions,
    env: &Env,
    sink: &mut dyn Sink,
) -> Result<(Vec<DocumentEntry>, Vec<PathBuf>), Error> {
    let walk = WalkOptions { rules: args.rules(), ..WalkOptions::default() };
    let resolve = args.lookup.missing.resolve;
    let operands = Operands { walk: &walk, resolve, env };
    let paths: Vec<OsString> = if args.paths.is_empty() {
        env.roots.all().into_iter().map(OsString::from).collect()
    } else {
        args.paths.clone()
    };
    let (mut entries, mut walked) = (Vec::new(), Vec::new());
    // The first file and the first document of this operand.
    let (mut first_file, mut first_document) = (0, 0);
    for found in operands.work(&paths, sink)? {
        match found {
            job::Work::Failed(error) => sink.error(&error),
            job::Work::Named(Address { path, part: Part::Whole, .. }) => {
                match env.roots.check_on_disk(&path) {
                    Ok(()) => entries.push(DocumentEntry { path, walked_from: None }),
                    // The files to which its links refer may not exist on this machine.
                    Err(error) => sink.error(&error.hint("check the links of the original file")),
                }
                first_document = entries.len();
            }
            job::Work::Named(address) => {
                let error = Error::usage("links checks whole files, not parts").at(&address.path);
                let hint = Hint::command("links", [&address.path]).why("check the whole file");
                sink.error(&error.hint(hint));
            }
            job::Work::Walked(path) => {
                if is_document(&path, load, env) {
                    entries.push(DocumentEntry { path: path.clone(), walked_from: None });
                }
                walked.push(path);
            }
            job::Work::EndOfTree(directory, count) => {
                let documents = &mut entries[first_document..];
                let files = (walked.len() - first_file) as u64;
                // Files that another operand contains are checked with that operand.
                if documents.is_empty() && files == count {
                    sink.note(Note::at(&directory, no_documents_message(count)));
                }
                for document in documents {
                    document.walked_from = Some(directory.clone());
                }
                (first_file, first_document) = (walked.len(), entries.len());
            }
        }
    }
    Ok((entries, walked))
}

fn no_documents_message(files: u64) -> String {
    match files {
        0 => "no files".to_owned(),
        _ => format!("no Markdown documents in {}", counted(files, "file")),
    }
}

/// Whether a file found in a directory is a document, judging only by its name.
fn is_document(path: &Path, load: &DocumentOptions, env: &Env) -> bool {
    match load.format {
        Some(format) => format.has(Feature::Links),
        // An invalid configuration is reported when the document is read.
        None => env.configs.may_have(path, Feature::Links).unwrap_or(true),
    }
}

/// Maximum number of commands that replace links which were not fixed.
const MAX_REPLACEMENTS: usize = 3;

/// Maximum number of detected sites to name.
const MAX_DETECTED: usize = 3;

struct LinksRun<'a> {
    checker: &'a Checker<'a>,
    args: &'a LinksArgs,
    load: &'a DocumentOptions,
    host: &'a Host,
    style: Style,
    sink: &'a mut dyn Sink,
    summary: Summary,
    /// Whether anything has been printed. If so, a separator precedes the next document on a
    /// terminal.
    has_written: bool,
    /// The directories of documents with broken links that belong to no site.
    broken_in: BTreeSet<PathBuf>,
    repeated: RepeatedCauses,
    /// The number of wiki links that were not checked, and of the documents that contain them.
    wiki_links: (u64, u64),
    /// Whether one of these links has the name of a file.
    has_wiki_page: bool,
    /// Documents to print after their links have been fixed.
    fixable: Vec<Checked>,
}

/// The result for a file.
enum Finding {
    Checked(Checked),
    Note(Note),
    Failed(Error),
}

impl LinksRun<'_> {
    fn check_documents(&mut self, entries: &[DocumentEntry]) -> Result<(), Stop> {
        let (checker, load, host) = (self.checker, self.load, self.host);
        let check = |buffer: &mut Vec<u8>, entry: &DocumentEntry, findings: &mut Vec<Finding>| {
            findings.extend(check_document(checker, entry, load, host, buffer));
        };
        parallel::in_order(entries, host, Vec::new, check, |findings| {
            findings.into_iter().try_for_each(|finding| self.write_finding(finding))
        })
    }

    fn write_finding(&mut self, finding: Finding) -> Result<(), Stop> {
        match finding {
            Finding::Failed(error) => self.sink.error(&error),
            Finding::Note(note) => self.sink.note(note),
            Finding::Checked(mut checked) => {
                self.summary.add(checked.summary);
                if checked.summary.broken > 0 && !checked.is_on_site {
                    self.broken_in.extend(checked.path.parent().map(Path::to_owned));
                }
                if checked.wiki_links > 0 && !checked.is_on_site {
                    self.wiki_links.0 += checked.wiki_links;
                    self.wiki_links.1 += 1;
                    self.has_wiki_page |= checked.has_wiki_page;
                }
                let errors = std::mem::take(&mut checked.errors);
                if self.args.unused {
                    self.note_unused(&checked);
                }
                if !self.args.fix {
                    self.print_links(&checked)?;
                } else if !checked.links.is_empty() {
                    self.fixable.push(checked);
                }
                errors.iter().for_each(|error| self.sink.error(error));
            }
        }
        let is_decided = self.args.quiet && self.summary.broken > 0;
        if is_decided { Err(Stop::Enough) } else { Ok(()) }
    }

    fn print_links(&mut self, checked: &Checked) -> Result<(), Closed> {
        let form = self.args.form();
        let all = self.args.all;
        let is_empty = !all && !checked.links.iter().any(CheckedLink::is_reported);
        if is_empty || self.args.quiet {
            return Ok(());
        }
        let mut printed = Cow::Borrowed(&checked.links);
        if form == Form::Lines && !self.style.json {
            let repeated = &mut self.repeated;
            let is_printed = |link: &&CheckedLink| {
                link.is_reported() && (link.fix.is_some() || repeated.count(link))
            };
            printed = Cow::Owned(checked.links.iter().filter(is_printed).cloned().collect());
            if printed.is_empty() {
                return Ok(());
            }
        }
        let links = DocumentLinks { path: &checked.path, links: &printed, form, all };
        if self.style.terminal && form == Form::Lines && self.has_written {
            self.sink.write(b"\n")?;
        }
        self.has_written = true;
        let count = if all { checked.links.len() } else { links.broken().count() };
        self.sink.counted(&checked.path, count as u64);
        self.sink.record(&links)
    }

    /// Prints notes about broken definitions in a document that are not used.
    fn note_unused(&mut self, checked: &Checked) {
        for link in checked.links.iter().filter(|link| link.status == Status::Unused) {
            let target = String::from_utf8_lossy(&link.target);
            let message =
                format!("line {}: no link uses the broken definition '{target}'", link.line);
            self.sink.note(Note::at(&checked.path, message));
        }
    }

    /// Prints notes about links that could not be checked by the site's rules, and about rules that
    /// were not requested.
    fn note_site_rules(&mut self, summary: &Summary) {
        let mut sites = self.checker.sites().used().into_iter();
        let has_root_dir = sites.any(|site| site.root.is_some());
        self.repeated.notes(has_root_dir).for_each(|note| self.sink.note(note));
        if summary.unchecked > 0 {
            note_unchecked(summary.unchecked, self.sink);
        }
        if let Some(generator) = self.missing_site().filter(|_| !self.args.fix) {
            self.sink.note(Note::new(no_site_message(generator)).hint(root_dir_hint()));
        }
        for (sign, program) in self.checker.sites().detected_vaults() {
            let hint = Hint::with_value(SITE, GITHUB).why("not to check wiki links");
            self.sink.note(Note::at(&sign, site::vault_message(program)).hint(hint));
        }
        self.note_wiki_links();
        let detected = self.checker.sites().detected_files();
        for (file, generator) in detected.iter().take(MAX_DETECTED) {
            let hint = Hint::with_value(SITE, GITHUB).why("to use the rules of GitHub instead");
            self.sink.note(Note::at(file, site::detection_message(generator)).hint(hint));
        }
        if detected.len() > MAX_DETECTED {
            let more = counted((detected.len() - MAX_DETECTED) as u64, "site");
            self.sink.note(Note::new(format!("{more} more were detected")));
        }
        if self.args.site.site.is_none() {
            let directories = self.broken_in.iter().map(PathBuf::as_path);
            let found = site::find_site_sign(directories, summary.broken, &self.host.env);
            let is_used = |sign: &Path| detected.iter().any(|(file, _)| file == sign);
            let found = found.filter(|(sign, _)| !is_used(sign));
            found.into_iter().for_each(|(sign, generator)| note_site(&sign, generator, self.sink));
        }
    }

    /// Prints a note about wiki links that were not checked, because no vault was detected.
    fn note_wiki_links(&mut self) {
        let (links, documents) = self.wiki_links;
        if !self.has_wiki_page || self.args.site.site.is_some() {
            return;
        }
        let (links, were) = (counted(links, "wiki link"), if links == 1 { "was" } else { "were" });
        let documents = counted(documents, "document");
        let hint = Hint::with_value(SITE, WIKI).why("to find their targets by the names of files");
        let message = format!("{links} such as [[page]] in {documents} {were} not checked");
        self.sink.note(Note::new(message).hint(hint));
    }

    /// Returns the generator in `--site`, if no document belongs to a site of it.
    fn missing_site(&self) -> Option<&'static Generator> {
        let sites = self.checker.sites().used();
        let generated = sites.iter().filter_map(|site| site.sites.as_ref());
        let missing: Option<Vec<_>> = generated.map(|sites| sites.missing()).collect();
        missing?.first().copied()
    }

    /// Fixes links that have only one possible target, and reports the result.
    fn fix_links(&mut self) -> Result<(), Stop> {
        let args = self.args;
        if !args.fix {
            return Ok(());
        }
        if let Some(generator) = self.missing_site() {
            return Err(Error::usage(no_site_message(generator)).hint(root_dir_hint()).into());
        }
        let fixed = fix::fix(&mut self.fixable, args, &self.host.env)?;
        if fixed.files > 0 && !args.dry_run {
            self.sink.edited(fixed.undo.map(Hint::undo));
        }
        let documents = std::mem::take(&mut self.fixable);
        let is_left = |link: &CheckedLink| link.is_reported() && link.fix.is_none();
        let links = || documents.iter().flat_map(|document| &document.links);
        let count = links().filter(|link| link.fix.is_some()).count() as u64;
        self.summary.broken = links().filter(|link| is_left(link)).count() as u64;
        let has_left = |document: &&Checked| document.links.iter().any(is_left);
        self.summary.broken_files = documents.iter().filter(has_left).count() as u64;
        (self.summary.fixed, self.summary.undo) = (Some(count), fixed.undo);
        let replacements = documents.iter().flat_map(|document| {
            let links = document.links.iter().filter(|link| is_left(link) && link.is_replaceable);
            links.filter_map(|link| replacement_hint(&document.path, link))
        });
        self.note_fixed(count, &fixed, replacements.take(MAX_REPLACEMENTS).collect());
        if (args.dry_run || args.diff) && !self.style.json {
            for (path, diff) in &fixed.diffs {
                let mut text = Vec::new();
                push_diff(diff, path, self.style, &mut text);
                self.sink.write(&text)?;
            }
            return Ok(());
        }
        Ok(documents.iter().try_for_each(|document| self.print_links(document))?)
    }

    /// Prints a note with the number of links that were fixed and the number that are still broken,
    /// and the commands that replace some of those. A diff does not show these numbers.
    fn note_fixed(&mut self, count: u64, fixed: &Fixed, replacements: Vec<Hint>) {
        let verb = if self.args.dry_run { "would fix" } else { "fixed" };
        let mut message = match count {
            0 => "fixed no link, because none has exactly one possible target".to_owned(),
            _ => {
                let (links, files) = (counted(count, "link"), counted(fixed.files, "document"));
                format!("{verb} {links} in {files}")
            }
        };
        match self.summary.broken {
            0 => {}
            1 => message.push_str("; 1 link is still broken"),
            left => message.push_str(&format!("; {left} links are still broken")),
        }
        let mut note = Note::new(message);
        note.hints.extend(fixed.undo.map(|id| Hint::undo(id).why("to undo it")));
        if count + self.summary.broken > 0 {
            self.sink.note(note);
        }
        if !replacements.is_empty() {
            let mut note = Note::new("the other suggestions are not certain");
            note.hints = replacements;
            self.sink.note(note);
        }
        fixed.warnings.iter().for_each(|warning| self.sink.note(Note::new(warning)));
    }
}

/// Returns the command that replaces a link with the suggested destination.
fn replacement_hint(path: &Path, link: &CheckedLink) -> Option<Hint> {
    let suggestion = std::str::from_utf8(link.suggestion.as_deref()?).ok()?;
    let target = std::str::from_utf8(&link.target).ok()?;
    let address = format!("{}:{}", path.to_str()?, link.line);
    let operands = ["replace", &address, "--text", target, "-c", suggestion];
    Some(Hint::command("patch", operands).why("to use a suggestion"))
}

/// Checks one document. Returns `None` for a binary file that was found in a directory.
fn check_document(
    checker: &Checker<'_>,
    entry: &DocumentEntry,
    load: &DocumentOptions,
    host: &Host,
    buffer: &mut Vec<u8>,
) -> Option<Finding> {
    let env = &host.env;
    let path = &entry.path;
    let is_stream = path.as_os_str() == "-";
    let opened = match &entry.walked_from {
        Some(_) => document::open_walked(path, load, env, std::mem::take(buffer)),
        None if is_stream => {
            let format = load.format.or(Some(Format::Markdown));
            let load = DocumentOptions { format, ..load.clone() };
            let stream = host.open_stdin();
            stream.and_then(|stream| document::of_stream(path, stream, &load, &env.cancel))
        }
        None => document::open_regular(path, load, env)
            .map_err(|error| missing_files::missing_file(error, path, env)),
    };
    let base = entry.walked_from.as_deref().unwrap_or(Path::new("."));
    let checked = opened.and_then(|document| {
        if !document.format().has(Feature::Links) {
            return Ok(Finding::Note(note_skipped(path, document.format())));
        }
        let checked = checker.check_document(&document, base, is_stream);
        *buffer = document.into_buffer();
        checked.map(Finding::Checked)
    });
    match checked {
        Err(error) if error.code == Code::BinaryFile && entry.walked_from.is_some() => None,
        checked => Some(checked.unwrap_or_else(Finding::Failed)),
    }
}

fn note_skipped(path: &Path, format: Format) -> Note {
    // Text in another markup does not have links of Markdown.
    if format.has(Feature::Headings) {
        let message = format!(
            "skipped, because it is {}; not supported: only links in Markdown are checked",
            format.title()
        );
        return Note::at(path, message);
    }
    let hint = Hint::command("links", ["--as", "markdown"]).and([path]).why("to check it");
    Note::at(path, format!("skipped, because it is {}, not Markdown", format.name())).hint(hint)
}
