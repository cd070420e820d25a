//! What the process that runs a command provides: access to files, the storage of collections, and
//! a connection to the person or program that requested the command. `cli` and `mcp` create it;
//! code below them does not read the environment of the process.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use folio_files::env::Env;
use folio_files::error::Error;
#[cfg(feature = "search")]
use folio_search::storage::Storage;

/// The host of a command. Cloning is cheap: clones share handles.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// The environment in which files are accessed.
    pub env: Env,
    /// The storage of collections.
    #[cfg(feature = "search")]
    pub storage: Storage,
    /// Standard input for `-`; `None` if it may not be read.
    pub stdin: Option<Stdin>,
    /// The progress of work on many files.
    pub progress: Progress,
    /// Opens a file in the user's editor. `None` if there is no user.
    pub editor: Option<Editor>,
    /// Asks the user whether to continue. `None` if there is no user.
    pub confirm: Option<Confirm>,
}

impl Host {
    /// Creates a host that resolves relative paths in `directory`, without history, standard input
    /// and collections. Absolute paths are allowed; set [`Env::roots`] to restrict access.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be opened.
    pub fn new(directory: &Path) -> Result<Self, Error> {
        Ok(Env::new(directory)?.into())
    }

    /// Opens standard input as a stream.
    ///
    /// # Errors
    ///
    /// Fails if reading standard input is not permitted.
    pub fn open_stdin(&self) -> Result<Box<dyn Read + Send>, Error> {
        match &self.stdin {
            Some(stdin) => Ok((stdin.open)()),
            None => Err(Error::usage("standard input cannot be read here").at(Path::new("-"))),
        }
    }

    /// Whether standard input is a pipe or a file, not a terminal.
    pub fn stdin_is_data(&self) -> bool {
        self.stdin.as_ref().is_some_and(|stdin| (stdin.is_data)())
    }

    /// Opens a file in the user's editor, and waits until the editor exits.
    ///
    /// # Errors
    ///
    /// Fails if there is no editor, or if the editor fails.
    pub fn edit(&self, file: &Path) -> Result<(), Error> {
        match &self.editor {
            Some(editor) => (editor.0)(file),
            None => Err(Error::usage("no editor")),
        }
    }
}

impl From<Env> for Host {
    /// Creates a host without a user, standard input and collections.
    fn from(env: Env) -> Self {
        Self { env, ..Self::default() }
    }
}

/// The number of files processed so far. Clones share the number.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Adds to the number of files.
    pub fn add(&self, files: usize) {
        self.0.fetch_add(files as u64, Ordering::Relaxed);
    }

    /// Returns the number of files.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Standard input.
#[derive(Clone)]
pub struct Stdin {
    /// Whether standard input is a pipe or a file, not a terminal.
    pub is_data: fn() -> bool,
    /// Opens standard input.
    pub open: Arc<dyn Fn() -> Box<dyn Read + Send> + Send + Sync>,
}

impl fmt::Debug for Stdin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Stdin").finish_non_exhaustive()
    }
}

type Editing = dyn Fn(&Path) -> Result<(), Error> + Send + Sync;

/// Opens a file in the user's editor, and returns when the editor exits.
#[derive(Clone)]
pub struct Editor(Arc<Editing>);

impl Editor {
    /// Creates an editor from a function.
    pub fn with(edit: impl Fn(&Path) -> Result<(), Error> + Send + Sync + 'static) -> Self {
        Self(Arc::new(edit))
    }
}

impl fmt::Debug for Editor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Editor").finish_non_exhaustive()
    }
}

type Confirming = dyn Fn(&str) -> bool + Send + Sync;

/// Asks the user a yes-or-no question.
#[derive(Clone)]
pub struct Confirm(Arc<Confirming>);

impl Confirm {
    /// Creates a confirmation from a function that asks the question.
    pub fn with(ask: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// Whether the answer is yes.
    pub fn ask(&self, question: &str) -> bool {
        (self.0)(question)
    }
}

impl fmt::Debug for Confirm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Confirm").finish_non_exhaustive()
    }
}
