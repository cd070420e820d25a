//! Implements `folio edit`: opens a part in the user's editor, and writes the edited text in the
//! same way as `replace`.

use std::ffi::OsStr;
use std::path::Path;

use super::guards;
use super::options::PatchOptions;
use super::planned;
use super::refusals;
use super::run;
use super::{Content, Operation, Part, Request, hints};
use crate::commands::host::Host;
use crate::commands::output::{Note, Outcome, Sink};
use crate::commands::resolve;
use crate::commands::target::spell;
use folio_files::address::{Address, display};
use folio_files::editor_file::EditorFile;
use folio_files::env::Env;
use folio_files::error::{Change, Code, Error, ExitStatus, Hint};
use folio_files::listing::EntryKind;
use folio_files::options::{CONTENT, CONTENT_FILE, EXACT, OPERATION, WHOLE_FILE};
use folio_outline::document::LoadedDocument;
use folio_outline::edit::{Check, edit_set};
use folio_text::span::{LineRange, Span};

/// Opens the selected part in an editor and writes back the result.
pub fn run(options: &PatchOptions, host: &Host, sink: &mut dyn Sink) -> Outcome {
    let request = request(options, &host.env, sink).map_err(adapt_early_error)?;
    let opened = run::open_for_reading(&request, options, host).map_err(adapt_early_error)?;
    let shown = show(&opened.batch_files[0].source, request).map_err(adapt_early_error)?;
    let file = write(&shown, &host.env)?;
    let edited = host.edit(file.path());
    let edited = edited.and_then(|()| file.read().map_err(|error| Error::io(&error, file.path())));
    let text = match edited {
        Ok(text) => text,
        Err(error) => {
            return Ok(give_up(file, &shown, &error, sink));
        }
    };
    if with_end(&text) == with_end(&shown.text) {
        file.remove();
        return run::report_unchanged(&shown.request, opened, shown.lines, options, host, sink);
    }
    // Reading does not lock the file. It is read again before it is written.
    drop(opened);
    write_back(file, &shown, text, options, host, sink)
}

/// A part in the form that the editor shows.
struct Shown {
    /// The request as it was given, without content.
    given: Request,
    /// The request that replaces the part.
    request: Request,
    /// The text of the part, as whole lines.
    text: Vec<u8>,
    /// The lines of the part in the document, if it has any.
    lines: Option<LineRange>,
}

/// Returns the requested edit without content.
fn request(options: &PatchOptions, env: &Env, sink: &mut dyn Sink) -> Result<Request, Error> {
    options.check()?;
    let PatchOptions { addresses, edit, .. } = options;
    if !options.further_parts.is_empty() {
        return Err(Error::usage("edit opens only one part"));
    }
    if Address::names_stdin(&addresses[0]) {
        return Err(Error::usage("edit needs a file, not standard input"));
    }
    let mut request =
        edit.with_address(edit.parse_address(&addresses[0], &env.roots)?, &env.roots)?;
    if options.resolve {
        resolve::entry(&mut request.address.path, EntryKind::File, env, sink)?;
    }
    if request.target.is_none() && request.address.part == Part::Whole {
        request.target = Some(Part::Whole);
    }
    request.content = None;
    Ok(request)
}

/// Determines the part to edit, and the text to show.
fn show(source: &LoadedDocument, given: Request) -> Result<Shown, Error> {
    let request = given.clone();
    let request = match &request.target {
        Some(Part::Match(_)) => matching_lines(source, &request)?,
        _ => request,
    };
    let excerpt = planned::excerpt(source, &request)?;
    let guarded = with_checksum_guard(source, &request, excerpt.span);
    let shown = Shown { given, request: guarded, text: excerpt.text, lines: excerpt.lines };
    let Some(lines) = excerpt.lines.filter(|_| !shown.text.is_empty()) else { return Ok(shown) };
    if is_faithful(source, &shown)? { Ok(shown) } else { Ok(as_whole_lines(source, shown, lines)) }
}

/// Returns a request for the lines with the only match of a query.
fn matching_lines(source: &LoadedDocument, request: &Request) -> Result<Request, Error> {
    // If there is no match, the error is that of an edit without content.
    let delete = Request { operation: Operation::Delete, ..request.clone() };
    let plan = planned::plan(source, &delete, true, Check::Now).map_err(with_line_hint)?;
    let lines = plan.affected.into_iter().collect();
    let target = Some(Part::Lines(lines));
    Ok(Request { target, scope: None, ..request.clone() })
}

/// Replaces the hints of an error about several matches with a command that edits one of the lines.
fn with_line_hint(mut error: Error) -> Error {
    if let (Code::TargetAmbiguous, Some(path), [first, ..]) =
        (error.code, &error.path, &error.candidates[..])
    {
        let address = display(path, Some(LineRange::line(first.line)));
        error.hints = vec![Hint::command("edit", [address]).why("the first, or another line")];
    }
    error
}

/// Adds a checksum to a request: the checksum of the part or, if the part is selected by line
/// numbers, of the file.
fn with_checksum_guard(source: &LoadedDocument, request: &Request, span: Span) -> Request {
    let mut guarded = request.clone();
    let is_numbered = matches!(request.address.part, Part::Lines(_))
        || matches!(request.target, Some(Part::Lines(_) | Part::CodeBlock { .. } | Part::Table(_)));
    if is_numbered {
        guarded.options.if_match = Some(guards::file_checksum(source));
    } else {
        guarded.options.if_range_match = Some(guards::checksum(source, span));
    }
    guarded
}

/// Whether writing the text without changes leaves the file unchanged.
fn is_faithful(source: &LoadedDocument, shown: &Shown) -> Result<bool, Error> {
    let request = shown.with_content(shown.text.clone(), Path::new(""));
    match planned::plan(source, &request, false, Check::Now) {
        Ok(mut plan) => {
            let set = edit_set(source, vec![&mut plan]);
            let set = set.map_err(|refusal| refusals::edit_set_error(&refusal, source))?;
            Ok(set.edits.is_empty())
        }
        // If this fails, the part is edited as whole lines.
        Err(_) => Ok(false),
    }
}

/// Returns the part as whole lines, with the prefixes of its containers.
fn as_whole_lines(source: &LoadedDocument, shown: Shown, lines: LineRange) -> Shown {
    let mut request = shown.request;
    request.address.part = Part::Whole;
    (request.target, request.scope) = (Some(Part::Lines(vec![lines])), None);
    request.options.exact = true;
    request.options.if_range_match = None;
    request.options.if_match = Some(guards::file_checksum(source));
    let span = source.span_of(lines);
    let text = with_end(source.bytes(span));
    Shown { request, text, ..shown }
}

/// Adds a line ending at the end of a text, unless the text is empty.
fn with_end(text: &[u8]) -> Vec<u8> {
    let end: &[u8] = if text.is_empty() || text.ends_with(b"\n") { b"" } else { b"\n" };
    [text, end].concat()
}

/// Writes the part to a temporary file for the editor.
fn write(shown: &Shown, env: &Env) -> Result<EditorFile, Error> {
    let path = &shown.request.address.path;
    let Some(state) = &env.state else {
        let message = "no directory for the text: neither XDG_STATE_HOME nor HOME is set";
        return Err(Error::usage(message));
    };
    let name = path.file_name().unwrap_or(OsStr::new("text"));
    EditorFile::new(state, name, &shown.text).map_err(|error| {
        let hint = "set XDG_STATE_HOME to a directory that can be written";
        Error::io(&error, state.path()).hint(hint)
    })
}

impl Shown {
    /// Returns the request with the edited text, read from `file`, as its content.
    fn with_content(&self, bytes: Vec<u8>, file: &Path) -> Request {
        let content = Some(Content::new(bytes, Some(file.into())));
        Request { content, ..self.request.clone() }
    }

    /// Returns the call that writes the edited text in `file`, whatever the part contains now.
    fn retry_hint(&self, file: &Path) -> Hint {
        let request = self.with_content(Vec::new(), file);
        let exact = request.options.exact.then_some(Change::Switch(EXACT));
        let is_whole = request.target == Some(Part::Whole);
        let whole_file = is_whole.then_some(Change::Switch(WHOLE_FILE));
        let again = hints::again(&self.given, &request).but(exact).but(whole_file);
        again.but([Change::Command(&["patch", "replace"])])
    }
}

/// Replaces the part with the edited text. If this fails, keeps the file with the text and reports
/// its path.
fn write_back(
    file: EditorFile,
    shown: &Shown,
    text: Vec<u8>,
    options: &PatchOptions,
    host: &Host,
    sink: &mut dyn Sink,
) -> Outcome {
    if text.trim_ascii().is_empty() {
        file.remove();
        let delete =
            hints::again(&shown.given, &Request { content: None, ..shown.request.clone() });
        let delete = delete.but([Change::Command(&["patch", "delete"])]);
        let message = "the text is empty: nothing was written";
        let error = Error::new(Code::EmptyContent, message).at(&shown.request.address.path);
        return Err(error.hint(delete.why("delete the part")));
    }
    let request = shown.with_content(text, file.path());
    let adapt = |error| adapt_final_error(error, shown, file.path());
    let (status, failed) = run::apply_edit(request, options, host, &adapt, sink)?;
    if failed {
        note_kept(&file, shown, sink)
    } else {
        file.remove()
    }
    Ok(status)
}

/// Handles a failure of the editor. Keeps the file if the text was changed, and all files of the
/// editor if it left something else in place of the file.
fn give_up(file: EditorFile, shown: &Shown, error: &Error, sink: &mut dyn Sink) -> ExitStatus {
    let text = file.read();
    let mut error = error.clone();
    error.message.push("; nothing was written");
    sink.error(&error);
    match text {
        Ok(text) if text.trim_ascii().is_empty() || with_end(&text) == with_end(&shown.text) => {
            file.remove();
        }
        Ok(_) => note_kept(&file, shown, sink),
        Err(_) => match file.directory_with_files() {
            Some(directory) => {
                let message = format!("the editor's files are kept in '{}'", directory.display());
                sink.note(Note::new(message));
            }
            None => file.remove(),
        },
    }
    ExitStatus::Trouble
}

fn note_kept(file: &EditorFile, shown: &Shown, sink: &mut dyn Sink) {
    let message = format!("the edited text is kept in '{}'", file.path().display());
    let hint = shown.retry_hint(file.path()).why("to write it there anyway");
    sink.note(Note::new(message).hint(hint));
}

/// Adapts the hints of an error that occurs before the text is edited. They are for an operation
/// with content, but `edit` has neither.
fn adapt_early_error(mut error: Error) -> Error {
    error.hints.retain(|hint| !is_other_operation(hint));
    for hint in &mut error.hints {
        if let Hint::Again { changes, .. } = hint {
            // Without a part, `edit` opens the whole file.
            changes.retain(|change| *change != Change::Switch(WHOLE_FILE));
        }
    }
    error
}

/// Whether a hint changes the operation or the content, which `edit` does not have.
fn is_other_operation(hint: &Hint) -> bool {
    let Hint::Again { changes, .. } = hint else { return false };
    let is_other =
        |change: &Change| matches!(change, Change::Set(OPERATION | CONTENT | CONTENT_FILE, _));
    changes.iter().any(is_other)
}

/// Adapts an error of the final edit. If a checksum does not match, another program has changed the
/// file. The hints contain the call that writes the edited text in `file`.
fn adapt_final_error(mut error: Error, shown: &Shown, file: &Path) -> Error {
    if let Code::ChecksumMismatch | Code::TargetNotFound | Code::LineOutOfRange = error.code {
        let request = &shown.request;
        let read = Hint::command("read", [hints::address_operand(&request.address)]);
        let read = read.and(spell::words(request.target.as_ref(), request.scope.as_deref()));
        let message = "another program has changed the file";
        let error = Error::new(Code::FileChanged, message).at(&request.address.path);
        return error.hint(read.why("its current contents"));
    }
    error.hints.retain(|hint| !is_other_operation(hint));
    for hint in &mut error.hints {
        if let Hint::Again { changes, why } = hint {
            *hint = shown.retry_hint(file).but(std::mem::take(changes)).why(std::mem::take(why));
        }
    }
    error
}
