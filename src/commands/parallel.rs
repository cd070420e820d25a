//! Processes many files in several threads, and returns the results in the order of the files.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};

use super::output::{Closed, Emit, Stop};
use crate::commands::host::Host;
use folio_files::error::{Code, Error};

/// Maximum number of files in a batch.
const MAX_IN_BATCH: usize = 64;

/// Number of batches per thread that may be finished before their results are needed.
const AHEAD: usize = 16;

/// Calls `work` for all `items` in the threads of a run. Each thread has its own state. Passes the
/// results to `take` in the order of the items, several items at once.
///
/// # Errors
///
/// Fails if `take` fails, a worker panics, or the run is cancelled. No further items are then
/// processed.
pub fn in_order<T: Sync, S, R: Default + Send, E: From<Error>>(
    items: &[T],
    host: &Host,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T, &mut R) + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let workers = host.env.take_workers();
    let threads = workers.count();
    // Passing a result takes as long as reading a small file, so several are passed together.
    let batches = items.chunks((items.len() / (threads * 8)).clamp(1, MAX_IN_BATCH));
    let next = AtomicUsize::new(0);
    let turn = Turn::default();
    let batch = |state: &mut S, items: &[T]| {
        let mut result = R::default();
        for item in items.iter().take_while(|_| !turn.is_over.load(Ordering::Relaxed)) {
            host.env.cancel.check()?;
            work(state, item, &mut result);
        }
        host.progress.add(items.len());
        Ok(result)
    };
    let worker = |sender: mpsc::Sender<(usize, Result<R, Error>)>| {
        let mut state = state();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(items) = batches.clone().nth(index) else { return };
            if !turn.wait(index, threads * AHEAD) {
                return;
            }
            // If a batch had no result, the receiver would wait forever.
            let result = catch_unwind(AssertUnwindSafe(|| batch(&mut state, items)))
                .unwrap_or_else(|panic| Err(panicked(&*panic)));
            let is_last = result.is_err();
            if sender.send((index, result)).is_err() || is_last {
                return;
            }
        }
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let _end = End(&turn);
        for _ in 0..threads.min(batches.len()) {
            let sender = sender.clone();
            scope.spawn(|| worker(sender));
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut due = 0;
        for (index, result) in &receiver {
            early.insert(index, result?);
            while let Some(result) = early.remove(&due) {
                take(result)?;
                due += 1;
                turn.set(due);
            }
        }
        Ok(())
    })
}

/// Receives the output and the results of items, in their order.
pub trait Receiver<T, R> {
    /// Whether an item is processed only when its output is needed.
    fn is_deferred(item: &T) -> bool;

    /// Receives output of an item. `is_first` is set if it is the first output of the item.
    fn write(&mut self, item: &T, is_first: bool, text: &[u8]) -> Result<(), Closed>;

    /// Receives the result of an item, after its output.
    fn take(&mut self, item: &T, found: R) -> Result<(), Stop>;

    /// Receives the error of an item.
    fn error(&mut self, error: Error) -> Result<(), Stop>;

    /// Returns how many matches the next item may have. `None` if there is no limit.
    fn limit(&self) -> Option<u64> {
        None
    }

    /// Whether a result that was found without this limit is within it.
    fn is_within_limit(&self, _: &R) -> bool {
        true
    }
}

/// Calls `work` for all `items`, each with a limit, and passes the output and the results to
/// `receiver`. The output of a single item is passed on as it comes. Several items are processed in
/// the threads of a run.
///
/// # Errors
///
/// Fails if `receiver` fails, a worker panics, or the run is cancelled.
pub fn print<T: Sync, S, R: Send, O: Receiver<T, R>>(
    items: &[T],
    host: &Host,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &T, Option<u64>, &mut Emit<'_>) -> Result<R, Stop> + Sync,
    receiver: &mut O,
) -> Result<(), Stop> {
    let mut worker_state = state();
    let mut now = |item: &T, receiver: &mut O| {
        host.env.cancel.check()?;
        let mut is_first = true;
        let result = work(&mut worker_state, item, receiver.limit(), &mut |text| match text {
            [] => Ok(()),
            _ => receiver.write(item, std::mem::take(&mut is_first), text),
        });
        match result {
            Ok(found) => receiver.take(item, found),
            Err(Stop::Failed(error)) => receiver.error(error),
            Err(stop) => Err(stop),
        }
    };
    if let [only] = items {
        return now(only, receiver);
    }
    let add_to_batch = |state: &mut S, item: &T, batch: &mut Batch<R>| {
        batch.add(|emit| {
            if O::is_deferred(item) { Err(Stop::Enough) } else { work(state, item, None, emit) }
        });
    };
    let mut rest = items.iter();
    in_order(items, host, &state, add_to_batch, |batch: Batch<R>| {
        batch.take(|text, result| match (rest.next(), result) {
            (None, _) => Ok(()),
            (_, Err(error)) => receiver.error(error),
            (Some(item), Ok(Some(found))) if receiver.is_within_limit(&found) => {
                if !text.is_empty() {
                    receiver.write(item, true, text)?;
                }
                receiver.take(item, found)
            }
            (Some(item), Ok(_)) => now(item, receiver),
        })
    })
}

/// The index of the batch whose results are needed next. A worker waits if its batch is too far
/// ahead, because the results must be kept in memory.
#[derive(Default)]
struct Turn {
    due: Mutex<usize>,
    changed: Condvar,
    is_over: AtomicBool,
}

impl Turn {
    /// Waits until a batch is at most `ahead` batches early. Returns `false` if the run has ended.
    fn wait(&self, index: usize, ahead: usize) -> bool {
        let due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let is_early =
            |due: &mut usize| index > *due + ahead && !self.is_over.load(Ordering::Relaxed);
        drop(self.changed.wait_while(due, is_early));
        !self.is_over.load(Ordering::Relaxed)
    }

    fn set(&self, next: usize) {
        *self.due.lock().unwrap_or_else(PoisonError::into_inner) = next;
        self.changed.notify_all();
    }
}

/// Wakes all waiting workers when it is dropped.
struct End<'a>(&'a Turn);

impl Drop for End<'_> {
    fn drop(&mut self) {
        // While the lock is held, no worker is between checking the flag and waiting.
        let due = self.0.due.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.is_over.store(true, Ordering::Relaxed);
        drop(due);
        self.0.changed.notify_all();
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Error::new(Code::IoError, format!("a worker panicked: {text}"))
}

/// Maximum size in bytes of the output of a batch that is kept in memory until it is needed.
const MAX_TEXT: usize = 1 << 20;

/// The results and the output for several files.
struct Batch<F> {
    text: Vec<u8>,
    /// For each file, the offset at which its output ends, and its result. If the result is `None`,
    /// the file must be processed again when its output is needed.
    results: Vec<(usize, Result<Option<F>, Error>)>,
}

impl<F> Default for Batch<F> {
    fn default() -> Self {
        Self { text: Vec::new(), results: Vec::new() }
    }
}

impl<F> Batch<F> {
    /// Adds the result and the output of a file, unless `work` stops early or the batch has too much
    /// output to keep.
    fn add(&mut self, work: impl FnOnce(&mut Emit<'_>) -> Result<F, Stop>) {
        let start = self.text.len();
        let text = &mut self.text;
        let result = match work(&mut |part| {
            if text.len() + part.len() > MAX_TEXT {
                return Err(Closed);
            }
            text.extend_from_slice(part);
            Ok(())
        }) {
            Ok(found) => Ok(Some(found)),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::Closed | Stop::Enough) => Ok(None),
        };
        if !matches!(result, Ok(Some(_))) {
            self.text.truncate(start);
        }
        self.results.push((self.text.len(), result));
    }

    /// Calls `each` with the output and the result of each file, until it fails.
    fn take(
        self,
        mut each: impl FnMut(&[u8], Result<Option<F>, Error>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut start = 0;
        self.results.into_iter().try_for_each(|(end, result)| {
            let text = &self.text[start..end];
            start = end;
            each(text, result)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use folio_files::env::Env;

    fn host(threads: usize) -> Host {
        Env { threads: Some(threads), ..Env::default() }.into()
    }

    fn collect(_: &mut (), item: &u64, found: &mut Vec<u64>) {
        found.push(*item);
    }

    #[test]
    fn results_are_in_order() {
        let items: Vec<u64> = (0..10_000).collect();
        let mut found = Vec::new();
        let result = in_order(
            &items,
            &host(4),
            || (),
            collect,
            |batch| {
                found.extend(batch);
                Ok::<(), Error>(())
            },
        );
        assert!(result.is_ok() && found == items);
    }

    #[test]
    fn a_batch_keeps_a_limited_amount_of_output() {
        let mut batch = Batch::default();
        for length in [MAX_TEXT - 1, 2, 1] {
            batch.add(|emit| emit(&vec![b'x'; length]).map(|()| length).map_err(Stop::from));
        }
        let mut kept = Vec::new();
        let taken = batch.take(|text, result| {
            kept.push((text.len(), result.expect("no error")));
            Ok(())
        });
        assert!(taken.is_ok());
        assert_eq!(kept, [(MAX_TEXT - 1, Some(MAX_TEXT - 1)), (0, None), (1, Some(1))]);
    }

    #[test]
    fn concurrent_runs_share_the_threads() {
        let first_host = host(3);
        let second_host = first_host.clone();
        let begun = || {
            let threads = AtomicUsize::new(0);
            let state = || {
                threads.fetch_add(1, Ordering::Relaxed);
            };
            let result =
                in_order(&[0; 64], &second_host, state, |(), _, ()| (), |()| Ok::<(), Error>(()));
            assert_eq!(result, Ok(()));
            threads.into_inner()
        };
        let first = first_host.env.take_workers();
        assert_eq!((first.count(), begun()), (3, 1));
        drop(first);
        assert_eq!((begun(), second_host.env.take_workers().count()), (3, 3));
    }

    #[test]
    fn an_error_ends_the_work() {
        let items: Vec<u64> = (0..10_000).collect();
        let error = Error::usage("seven");
        let fail = |_| Err(error.clone());
        assert_eq!(in_order(&items, &host(3), || (), collect, fail), Err(error.clone()));
        assert_eq!(in_order(&[], &host(3), || (), collect, fail), Ok(()));
    }

    #[test]
    fn a_panic_is_an_error() {
        let items: Vec<u64> = (0..10_000).collect();
        let work = |_: &mut (), item: &u64, _: &mut ()| assert!(*item != 700, "at {item}");
        let result = in_order(&items, &host(4), || (), work, |()| Ok::<(), Error>(()));
        assert_eq!(result.map_err(|error| error.message), Err("a worker panicked: at 700".into()));
    }

    #[test]
    fn a_cancelled_run_starts_no_more_work() {
        let items: Vec<u64> = (0..100_000).collect();
        let host = host(4);
        let begun = AtomicUsize::new(0);
        let work = |_: &mut (), item: &u64, _: &mut ()| {
            begun.fetch_add(1, Ordering::Relaxed);
            if *item == 700 {
                host.env.cancel.set();
            }
        };
        let result = in_order(&items, &host, || (), work, |()| Ok::<(), Error>(()));
        assert_eq!(result.map_err(|error| error.code), Err(Code::Cancelled));
        assert!(begun.into_inner() < 50_000);
    }
}
