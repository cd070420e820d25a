//! What access to files needs: roots, the state directory, limits, timeouts, cancellation. This
//! crate does not read the environment of the process.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::config::{DocumentConfigs, Limits};
use super::roots::Roots;
use super::state::{StateDirectory, now};
use crate::error::{Code, Error};
use folio_text::time_bound::Clock;

/// Default time that a writer waits for other writers.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The environment in which files are accessed. Cloning is cheap: clones share handles.
#[derive(Clone, Debug)]
pub struct Env {
    /// The directories in which files may be accessed, and the directory to which relative paths
    /// refer.
    pub roots: Roots,
    /// The directory of the history and the journal, if known.
    pub state: Option<StateDirectory>,
    /// Whether patches are recorded in the history.
    pub undo: bool,
    /// Cancels the run. Every long loop checks it.
    pub cancel: Cancel,
    /// Maximum time to wait for other writers.
    pub lock_timeout: Duration,
    /// Number of threads to use for many files. The default is one thread per processor, at most 8.
    pub threads: Option<usize>,
    /// The threads that are currently in use.
    pub workers: Workers,
    /// Called when a pipe has provided no data for one second.
    pub wait_notice: WaitNotice,
    /// The limits of what a run may change.
    pub limits: Limits,
    /// The configurations of documents.
    pub configs: DocumentConfigs,
    /// Returns the offset of local time, as [`Clock::local_offset`] does.
    pub local_offset: fn(i64) -> i64,
}

impl Env {
    /// Creates an environment that resolves relative paths in `directory`, without history.
    /// Absolute paths are allowed; set [`Env::roots`] to restrict access.
    ///
    /// # Errors
    ///
    /// Fails if the directory cannot be opened.
    pub fn new(directory: &Path) -> Result<Self, Error> {
        Ok(Self { roots: Roots::from_directory(directory)?, ..Self::default() })
    }

    /// Returns the current time and the local time zone.
    pub fn clock(&self) -> Clock {
        Clock { now: i64::try_from(now()).unwrap_or(i64::MAX), local_offset: self.local_offset }
    }

    /// Reserves threads for work on many files, at least one.
    pub fn take_workers(&self) -> TakenWorkers<'_> {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from).min(8);
        self.workers.reserve(self.threads.filter(|&count| count > 0).unwrap_or_else(processors))
    }
}

impl Default for Env {
    /// Creates an environment without roots and history.
    fn default() -> Self {
        Self {
            roots: Roots::default(),
            state: None,
            undo: false,
            cancel: Cancel::default(),
            lock_timeout: LOCK_TIMEOUT,
            threads: None,
            workers: Workers::default(),
            wait_notice: WaitNotice::default(),
            limits: Limits::default(),
            configs: DocumentConfigs::default(),
            local_offset: Clock::default().local_offset,
        }
    }
}

/// The threads that work on many files. Clones share the threads, so that concurrent runs together
/// use few more threads than one run.
#[derive(Clone, Debug, Default)]
pub struct Workers(Arc<AtomicUsize>);

impl Workers {
    /// Reserves up to `most` threads that no other run uses, but at least one.
    fn reserve(&self, most: usize) -> TakenWorkers<'_> {
        let left = |used: usize| most.saturating_sub(used).max(1);
        let used = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| Some(used + left(used)));
        let (Ok(used) | Err(used)) = used;
        TakenWorkers { workers: self, count: left(used) }
    }
}

/// Threads that a run has reserved. They are released when this value is dropped.
#[derive(Debug)]
pub struct TakenWorkers<'a> {
    workers: &'a Workers,
    count: usize,
}

impl TakenWorkers<'_> {
    /// Returns the number of threads, which is at least 1.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl Drop for TakenWorkers<'_> {
    fn drop(&mut self) {
        self.workers.0.fetch_sub(self.count, Ordering::Relaxed);
    }
}

type Notice = dyn Fn(&Path) + Send + Sync;

/// Called with the path of a pipe that has provided no data for a second.
#[derive(Clone, Default)]
pub struct WaitNotice(pub(super) Option<Arc<Notice>>);

impl WaitNotice {
    /// Creates a notice from a function.
    pub fn new(notice: impl Fn(&Path) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(notice)))
    }
}

impl fmt::Debug for WaitNotice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("WaitNotice").field(&self.0.is_some()).finish()
    }
}

/// A request to stop, which is set explicitly, by a deadline or by a signal. Clones share the
/// request.
#[derive(Clone, Debug)]
pub struct Cancel {
    is_set: Arc<AtomicBool>,
    deadline: Option<Instant>,
    /// Whether a signal ends the process immediately, because no change of files has begun.
    ends_process: Arc<AtomicBool>,
}

impl Default for Cancel {
    fn default() -> Self {
        let (is_set, ends_process) = (Arc::default(), Arc::new(AtomicBool::new(true)));
        Self { is_set, deadline: None, ends_process }
    }
}

impl Cancel {
    /// Creates a request that is set at a deadline.
    pub fn with_deadline(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..Self::default() }
    }

    /// Requests a stop, for all clones. Returns whether no change of files has begun. Then none
    /// will begin, because runs check the request again before the first change.
    pub fn set(&self) -> bool {
        self.is_set.store(true, Ordering::SeqCst);
        self.ends_process.load(Ordering::SeqCst)
    }

    /// Whether a stop has been requested.
    pub fn is_set(&self) -> bool {
        self.is_set.load(Ordering::SeqCst)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Fails with [`Code::Cancelled`] if a stop has been requested.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_set() { Err(self.error()) } else { Ok(()) }
    }

    /// Returns the error of a run that has been stopped, with the reason.
    pub fn error(&self) -> Error {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let reason =
            if is_late { "the run took too long and was stopped" } else { "the run was cancelled" };
        Error::new(Code::Cancelled, reason)
    }

    /// From now on, signals do not end the process, but set this request. Called before the first
    /// change of files, so that a run ends with a report of what it changed.
    pub(super) fn defer_signals(&self) {
        self.ends_process.store(false, Ordering::SeqCst);
    }

    /// Returns the switches for signal handlers: whether a signal ends the process immediately, and
    /// the request, which a signal sets otherwise.
    pub fn switches(&self) -> (Arc<AtomicBool>, Arc<AtomicBool>) {
        (self.ends_process.clone(), self.is_set.clone())
    }
}
