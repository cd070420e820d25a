//! Opens documents that are stored in a database, as unnamed temporary files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::server::Server;
use super::storage::Storage;
use folio_files::env::Cancel;
use folio_files::error::{Code, Error, Hint};

/// Reads documents from databases. Caches the most recent document.
#[derive(Debug)]
pub struct StoredTexts {
    storage: Storage,
    last: Mutex<Option<Text>>,
}

/// The key of a document, and its text if it exists.
type Text = (Vec<u8>, Option<Vec<u8>>);

impl StoredTexts {
    /// Creates a reader. Temporary files are created in the cache directory.
    pub fn new(storage: &Storage) -> Self {
        Self { storage: storage.clone(), last: Mutex::default() }
    }

    /// Opens a document as a temporary file.
    pub fn open(&self, address: &str, name: &str, document: &[u8]) -> Result<File, Error> {
        let key = [address.as_bytes(), b"\0", name.as_bytes(), b"\0", document].concat();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|(known, _)| *known != key) {
            let server = Server::open(address, name, &self.storage, &Cancel::default());
            let text = server.and_then(|server| server.text(document, None));
            let text = text.map_err(|failure| failure.error(document_path(document)))?;
            *last = Some((key, text));
        }
        match last.as_ref().and_then(|(_, text)| text.as_ref()) {
            Some(text) => self.file(text),
            None => {
                let hint = Hint::command("collection", ["show", name]);
                let error = Error::new(Code::NotFound, "No such document");
                Err(error.hint(hint.why("its documents")))
            }
        }
    }

    fn file(&self, text: &[u8]) -> Result<File, Error> {
        let cache = self.storage.cache.as_ref().ok_or_else(|| {
            Error::usage("no directory is known for files").hint("set HOME, or XDG_CACHE_HOME")
        })?;
        let failed = |error: std::io::Error| Error::io(&error, cache.path());
        let directory = cache.part("collections").map_err(failed)?;
        let mut file = tempfile::tempfile_in(directory).map_err(failed)?;
        file.write_all(text).and_then(|()| file.rewind()).map_err(failed)?;
        Ok(file)
    }
}

fn document_path(document: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(document))
}
