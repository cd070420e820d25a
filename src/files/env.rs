//! What a run finds around it: where files may be, where state is kept, how long
//! to wait, and whether to stop. Built once; nothing below reads the process's
//! environment.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::config::{Formats, Limits, Setting};
use super::roots::Roots;
use super::state::StateDirectory;
use crate::error::{Code, Error};

/// How long a writer waits for another by default.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The surroundings of a run. Cloning is cheap: handles are shared.
#[derive(Clone, Debug)]
pub struct Env {
    /// Where files may be, and what relative paths begin at.
    pub roots: Roots,
    /// Where history and journals are; none where no directory is known for it.
    pub state: Option<StateDirectory>,
    /// Where the names of collections are; none where no directory is known for it.
    pub data: Option<StateDirectory>,
    /// Where indexes are, which can be made again; none likewise.
    pub cache: Option<StateDirectory>,
    /// What databases ask for.
    pub database_password: Option<Secret>,
    /// Whether patches are written to the history.
    pub undo: bool,
    /// Looked at by every long loop.
    pub cancel: Cancel,
    /// How long other writers are waited for.
    pub lock_timeout: Duration,
    /// How many threads work on many files, where that is not one a processor,
    /// at most 8.
    pub threads: Option<usize>,
    /// Those that are at work.
    pub workers: Workers,
    /// What is called when a pipe has nothing to read.
    pub wait_notice: WaitNotice,
    /// What `-` reads; none where standard input is not to be read.
    pub stdin: Option<Stdin>,
    /// How far work on many files has come.
    pub progress: Progress,
    /// What opens a file for its user to edit; none where nobody could.
    pub editor: Option<Editor>,
    /// Asks the user whether to continue; `None` if there is no user to answer.
    pub confirm: Option<Confirm>,
    /// How much a run may change unless asked to.
    pub limits: Limits,
    /// Which format files have, by their names.
    pub formats: Formats,
    /// Options of `links` that the configuration sets, by their names without dashes.
    pub links: BTreeMap<&'static str, Setting>,
}

impl Env {
    /// For work below a directory that relative paths begin at, without history
    /// and without standard input. Absolute paths are taken too: give
    /// [`Env::roots`] to confine them.
    ///
    /// Fails where the directory cannot be opened.
    pub fn new(directory: &Path) -> Result<Self, Error> {
        Ok(Self { roots: Roots::from_directory(directory)?, ..Self::default() })
    }

    /// Standard input as a stream.
    ///
    /// Fails where it is not to be read.
    pub fn open_stdin(&self) -> Result<Box<dyn Read + Send>, Error> {
        match &self.stdin {
            Some(stdin) => Ok((stdin.open)()),
            None => Err(Error::usage("standard input cannot be read here").at(Path::new("-"))),
        }
    }

    /// Has the user edit a file, and waits until that is done.
    ///
    /// Fails where there is no editor, and where it says that it failed.
    pub fn edit(&self, file: &Path) -> Result<(), Error> {
        match &self.editor {
            Some(editor) => (editor.0)(file),
            None => Err(Error::usage("no editor")),
        }
    }

    /// Takes threads to work on many files, 1 or more. It costs a system call where
    /// their number is not said.
    pub fn take_workers(&self) -> TakenWorkers<'_> {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from).min(8);
        self.workers.take(self.threads.filter(|&count| count > 0).unwrap_or_else(processors))
    }

    /// Whether standard input is a pipe or a file, not a terminal.
    pub fn stdin_is_data(&self) -> bool {
        self.stdin.as_ref().is_some_and(|stdin| (stdin.is_data)())
    }
}

impl Default for Env {
    /// Everywhere, without history and without standard input.
    fn default() -> Self {
        Self {
            roots: Roots::default(),
            state: None,
            data: None,
            cache: None,
            database_password: None,
            undo: false,
            cancel: Cancel::default(),
            lock_timeout: LOCK_TIMEOUT,
            threads: None,
            workers: Workers::default(),
            wait_notice: WaitNotice::default(),
            stdin: None,
            progress: Progress::default(),
            editor: None,
            confirm: None,
            limits: Limits::default(),
            formats: Formats::default(),
            links: BTreeMap::new(),
        }
    }
}

/// Threads at work on many files, shared by all clones: runs at the same time have
/// together hardly more than one alone.
#[derive(Clone, Debug, Default)]
pub struct Workers(Arc<AtomicUsize>);

impl Workers {
    /// Takes as many of `most` as no other run has, and one where there are none left.
    fn take(&self, most: usize) -> TakenWorkers<'_> {
        let left = |used: usize| most.saturating_sub(used).max(1);
        let used = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| Some(used + left(used)));
        let (Ok(used) | Err(used)) = used;
        TakenWorkers { workers: self, count: left(used) }
    }
}

/// Threads that a run has, until this is dropped.
#[derive(Debug)]
pub struct TakenWorkers<'a> {
    workers: &'a Workers,
    count: usize,
}

impl TakenWorkers<'_> {
    /// How many, 1 or more.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl Drop for TakenWorkers<'_> {
    fn drop(&mut self) {
        self.workers.0.fetch_sub(self.count, Ordering::Relaxed);
    }
}

/// A word that is never shown.
#[derive(Clone)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Keeps one.
    pub fn new(word: &str) -> Self {
        Self(word.into())
    }

    /// The word itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

/// How many files were worked on so far, shared by all clones.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicU64>);

impl Progress {
    /// Counts more files.
    pub fn add(&self, files: usize) {
        self.0.fetch_add(files as u64, Ordering::Relaxed);
    }

    /// The count.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What `-` reads.
#[derive(Clone)]
pub struct Stdin {
    /// Whether it is a pipe or a file, not a terminal.
    pub is_data: fn() -> bool,
    /// Opens it.
    pub open: Arc<dyn Fn() -> Box<dyn Read + Send> + Send + Sync>,
}

impl fmt::Debug for Stdin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Stdin").finish_non_exhaustive()
    }
}

type Editing = dyn Fn(&Path) -> Result<(), Error> + Send + Sync;

/// Opens a file for its user to edit, and returns when that is done.
#[derive(Clone)]
pub struct Editor(Arc<Editing>);

impl Editor {
    /// One that does this.
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

/// Asks the user a question to be answered with yes or no.
#[derive(Clone)]
pub struct Confirm(Arc<Confirming>);

impl Confirm {
    /// One that asks like this.
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

type Notice = dyn Fn(&Path) + Send + Sync;

/// What is called with the path of a pipe that has had nothing to read for a
/// second.
#[derive(Clone, Default)]
pub struct WaitNotice(pub(super) Option<Arc<Notice>>);

impl WaitNotice {
    /// Has this called.
    pub fn with(notice: impl Fn(&Path) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(notice)))
    }
}

impl fmt::Debug for WaitNotice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("WaitNotice").field(&self.0.is_some()).finish()
    }
}

/// A request to stop, shared by all clones: set by hand, or by a deadline.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    is_set: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// One that sets itself at a moment.
    pub fn at(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..Self::default() }
    }

    /// Asks every holder of a clone to stop.
    pub fn set(&self) {
        self.is_set.store(true, Ordering::Relaxed);
    }

    /// Whether to stop.
    pub fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Fails with [`Code::Cancelled`] where it is time to stop.
    pub fn check(&self) -> Result<(), Error> {
        match self.is_set() {
            true => Err(Error::new(Code::Cancelled, "the run was cancelled")),
            false => Ok(()),
        }
    }
}
