//! Work on many files with all processors, told in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, mpsc};

/// Files that are handed over together, at most.
const MAX_IN_BATCH: usize = 64;

/// Batches that may be done before the one that is due, for each thread.
const AHEAD: usize = 16;

/// How many threads work unless it is said.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get().min(8))
}

/// Has `work` done on batches of `items` by several threads, each with a state
/// of its own, and hands what comes of them to `tell` in the order of the items.
/// An error of `tell` ends it.
pub fn in_order<T: Sync, S, R: Send, E>(
    items: &[T],
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &[T]) -> R + Sync,
    mut tell: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    // Handing over costs as much as a small file does: several go together.
    let batch = (items.len() / (threads * 8).max(1)).clamp(1, MAX_IN_BATCH);
    let batches: Vec<&[T]> = items.chunks(batch).collect();
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let due = (Mutex::new(0), Condvar::new());
    let (sender, receiver) = mpsc::channel::<(usize, R)>();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(batches.len()) {
            let sender = sender.clone();
            let (next, stop, due, batches, state, work) =
                (&next, &stop, &due, &batches, &state, &work);
            scope.spawn(move || {
                let mut state = state();
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(items) = batches.get(index) else { return };
                    // What is done too early would have to be kept.
                    let guard = due.0.lock().unwrap_or_else(PoisonError::into_inner);
                    let early = |due: &mut usize| {
                        index > *due + threads * AHEAD && !stop.load(Ordering::Relaxed)
                    };
                    drop(due.1.wait_while(guard, early));
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    if sender.send((index, work(&mut state, items))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut told = 0;
        for (index, result) in &receiver {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&told) {
                told += 1;
                let result = tell(result);
                let mut due_now = due.0.lock().unwrap_or_else(PoisonError::into_inner);
                *due_now = told;
                stop.store(result.is_err(), Ordering::Relaxed);
                drop(due_now);
                due.1.notify_all();
                result?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let items: Vec<u64> = (0..10_000).collect();
        let mut found = Vec::new();
        let work = |_: &mut (), items: &[u64]| items.to_vec();
        let told = in_order(
            &items,
            4,
            || (),
            work,
            |batch| {
                found.extend(batch);
                Ok::<(), ()>(())
            },
        );
        assert!(told.is_ok() && found == items);
    }

    #[test]
    fn an_error_ends_the_work() {
        let items: Vec<u64> = (0..10_000).collect();
        let work = |_: &mut (), items: &[u64]| items.len();
        assert_eq!(in_order(&items, 3, || (), work, |_| Err(7)), Err(7));
        assert_eq!(in_order(&[] as &[u64], 3, || (), work, |_| Err(7)), Ok(()));
    }
}
