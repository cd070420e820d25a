//! The context of a run: its options, and the environment in which it opens documents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file_move::Destination;
use super::options::PatchOptions;
use super::work::BatchFile;
use crate::commands::host::Host;
use crate::commands::shared_args::section_patterns;
use crate::commands::site::rules::SiteRules;
use crate::commands::site::site_args::SiteArgs;
use folio_files::document::{self, DocumentOptions};
use folio_files::error::{Code, Error, Hint};
use folio_files::lock::Locks;
use folio_files::replace::{self, Editable, Mode};
use folio_files::roots::Resolver;
use folio_outline::document::Document;
use folio_outline::document::LoadedDocument;
use folio_text::pattern::Pattern;

/// The options and the environment of a run.
pub(super) struct Context<'a> {
    pub(super) options: &'a PatchOptions,
    pub(super) host: &'a Host,
    /// The patterns of lines that begin sections.
    pub(super) entries: Vec<Pattern>,
    /// Whether the results contain checksums of the edited lines.
    pub(super) has_checksums: bool,
    /// The rules of the sites to which documents belong.
    pub(super) sites: SiteRules,
    /// Resolves the paths of the files.
    pub(super) resolver: Resolver<'a>,
}

pub(super) struct FileToOpen {
    /// The path as the user gave it.
    pub(super) path: PathBuf,
    /// The path with symlinks resolved.
    pub(super) resolved: PathBuf,
    pub(super) is_written: bool,
    /// Whether a part is moved or copied between this file and another one. Their encodings may
    /// differ, so `--encoding` does not apply to a file that is UTF-8.
    pub(super) is_transferred: bool,
    /// Whether the file does not exist yet.
    pub(super) is_new: bool,
    /// The destination of a moved file, and the index of the request that moves it.
    pub(super) moves_to: Option<(usize, Destination)>,
}

impl<'a> Context<'a> {
    pub(super) fn new(options: &'a PatchOptions, host: &'a Host) -> Result<Self, Error> {
        Ok(Self {
            options,
            host,
            entries: section_patterns(&options.section_patterns)?,
            has_checksums: true,
            sites: SiteRules::new(SiteArgs::default(), Vec::new(), &[], host)?,
            resolver: Resolver::new(&host.env.roots),
        })
    }

    /// Returns the mode in which files are replaced.
    pub(super) fn mode(&self) -> Mode {
        if self.options.in_place { Mode::InPlace } else { Mode::Rename }
    }

    /// Opens a document for reading, and reads it into memory.
    pub(super) fn read_document(&self, path: &Path) -> Result<LoadedDocument, Error> {
        self.read_document_with(path, &self.options.documents)
    }

    fn read_document_with(
        &self,
        path: &Path,
        load: &DocumentOptions,
    ) -> Result<LoadedDocument, Error> {
        // Opening a pipe would wait until another program writes to it.
        let kind = self.host.env.roots.status(path)?.kind;
        if let Some(refusal) = replace::refuse_kind(kind) {
            return Err(with_list_hint(refusal.at(path)));
        }
        self.load(document::open(path, load, &self.host.env)?)
    }

    /// Reads a document into memory.
    ///
    /// # Errors
    ///
    /// Fails if the document cannot be read, or is too large to be in memory.
    pub(super) fn load(&self, document: Document) -> Result<LoadedDocument, Error> {
        let cancel = self.host.env.cancel.clone();
        let document = document.with_entries(self.entries.clone()).load()?;
        Ok(document.with_cancel(Arc::new(move || cancel.is_set())))
    }

    pub(super) fn open_file(
        &self,
        file_to_open: FileToOpen,
        locks: &Locks,
    ) -> Result<BatchFile, Error> {
        let FileToOpen { path, resolved, is_written, is_transferred, is_new, moves_to } =
            file_to_open;
        if is_new {
            return BatchFile::new(path, resolved, &self.host.env);
        }
        // If a file is only moved, its content is irrelevant.
        let binary = self.options.documents.binary || moves_to.is_some();
        let load = DocumentOptions { binary, ..self.options.documents.clone() };
        let load_without_encoding = DocumentOptions { encoding: None, ..load.clone() };
        let read = |open: &dyn Fn(&DocumentOptions) -> Result<LoadedDocument, Error>| {
            let source = open(&load)?;
            let has_units = source.encoding().unit_size() > 1;
            if is_transferred && !source.is_utf8() && is_surely_utf8(source.raw(), has_units) {
                return open(&load_without_encoding);
            }
            Ok(source)
        };
        let (source, editable) = if is_written && !self.options.writes_nothing() {
            let opened = Editable::open_resolved(&path, resolved.clone(), self.mode(), locks);
            let mut editable = opened.map_err(with_list_hint)?;
            let file = editable.file()?;
            let source = read(&|load| {
                let document = document::of_file(&path, file.clone(), load, &self.host.env)?;
                self.load(document)
            })?;
            editable.keep(&file, source.raw().clone())?;
            (source, Some(editable))
        } else {
            (read(&|load| self.read_document_with(&path, load))?, None)
        };
        let mut batch_file = BatchFile::existing(path, resolved, source);
        (batch_file.moves_to, batch_file.has_checksums) = (moves_to, self.has_checksums);
        if self.host.env.roots.confine() && editable.as_ref().is_some_and(Editable::has_other_names)
        {
            batch_file.warnings.push("it has other names, which may lie outside the root".into());
        }
        batch_file.editable = editable;
        Ok(batch_file)
    }
}

/// Whether bytes are UTF-8, because text in other encodings is very rarely valid UTF-8. ASCII may
/// be text in another encoding, unless its units have several bytes.
fn is_surely_utf8(bytes: &[u8], has_units: bool) -> bool {
    let is_ascii = |text: &str| text.is_ascii() && (!has_units || text.contains('\0'));
    std::str::from_utf8(bytes).is_ok_and(|text| !is_ascii(text))
}

/// Returns the error for a directory, with the command that lists its files.
fn with_list_hint(error: Error) -> Error {
    match (&error.path, error.code) {
        (Some(path), Code::NotAFile) if error.hints.is_empty() => {
            let list = Hint::command("list", [path]).why("the files in it");
            error.hint(list)
        }
        _ => error,
    }
}
