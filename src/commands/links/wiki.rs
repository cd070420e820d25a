//! Checks wiki links: the file in the vault, and the heading or block in it. Links in Markdown
//! syntax may refer to files of a vault in the same way.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use super::check::{Checker, Page};
use super::notes::NoteParts;
use super::{CheckResult, Reason, Suggestion};
use crate::commands::site::vault::{Moves, Vault};
use folio_files::document::{self, DocumentOptions};
use folio_files::error::{Code, Error};
use folio_markdown::wiki_links::split_target;
use folio_outline::format::{Feature, Format};
use folio_text::fuzzy::name::nearest;

impl Checker<'_> {
    /// Checks a wiki link with this target in a document.
    pub(super) fn check_wiki_link(
        &self,
        page: &Page<'_>,
        vault: &Vault,
        target: &str,
        is_wiki_link: bool,
    ) -> Result<CheckResult, Error> {
        let (path, fragment) = split_target(target);
        let document = self.env.roots.absolute(page.path)?;
        let document = self.env.roots.resolve_if_there(&document)?.unwrap_or(document);
        let files = vault.targets(&document, path, &Moves::new(), self.env);
        let with_fragment = |path: &str| match fragment {
            Some(fragment) => format!("{path}#{fragment}"),
            None => path.to_owned(),
        };
        let suggest = |text: String| Some(Suggestion { text: text.into(), is_sure: false });
        let file = match &*files {
            [file] => file,
            [] if vault.has_pages_without_file() && is_wiki_link => return Ok(CheckResult::Fine),
            [] => {
                // Wiki links to other files have an extension.
                let is_note = |name: &&str| path.contains('.') || !name.contains('.');
                let names: Vec<&str> = vault.names(self.env).filter(is_note).collect();
                let name = path.rsplit('/').next().unwrap_or(path);
                let near = nearest(name, names.iter().copied(), 1).first().map(|&at| names[at]);
                let near = near.and_then(|near| suggest(with_fragment(near)));
                return Ok(CheckResult::Broken(Reason::NoFile, near));
            }
            [first, ..] => {
                let path = vault.path_to(first, &document, "/", &Moves::new(), self.env);
                let near =
                    path.and_then(|path| suggest(with_fragment(path.trim_start_matches('/'))));
                return Ok(CheckResult::Broken(Reason::Ambiguous(files.len() as u64), near));
            }
        };
        // The fragment of another file is not a heading: `file.pdf#page=3`.
        let Some(fragment) = fragment else { return Ok(CheckResult::Fine) };
        if !self.env.configs.may_have(file, Feature::Links)? {
            return Ok(CheckResult::Fine);
        }
        let parts = if path.is_empty() {
            Arc::new(NoteParts::of_text(page.text, page.format))
        } else {
            self.note_parts(file)?
        };
        Ok(match parts {
            parts if parts.has(fragment) => CheckResult::Fine,
            parts => {
                let near = parts.nearest(fragment);
                let near = near.and_then(|near| suggest(format!("{path}#{near}")));
                CheckResult::Broken(Reason::NoAnchor, near)
            }
        })
    }

    /// Returns the parts of a note.
    fn note_parts(&self, file: &Path) -> Result<Arc<NoteParts>, Error> {
        let known = || self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = known().get(file) {
            return Ok(Arc::clone(parts));
        }
        let options = DocumentOptions { format: Some(Format::Markdown), ..Default::default() };
        let parts = document::open_walked(file, &options, self.env, Vec::new())
            .and_then(|document| Ok(NoteParts::of_text(document.text()?, Format::Markdown)));
        let parts = match parts {
            Err(error) if error.code == Code::BinaryFile => NoteParts::default(),
            parts => parts?,
        };
        let parts = Arc::new(parts);
        known().insert(file.to_owned(), Arc::clone(&parts));
        Ok(parts)
    }
}
