//! Failpoints: between the steps of a commit, tests act as another program, or end the commit as a
//! crash would.

/// A point between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// A new file has been written under its temporary name.
    Staged,
    /// The record is complete.
    Planned,
    /// A file has been compared with what was read.
    Compared,
    /// A file has been exchanged, created, removed, or written in place.
    Exchanged,
    /// Half of the bytes have been written in place.
    HalfWritten,
    /// All changes have been made.
    Applied,
    /// The commit is done, but the old files still exist.
    Settled,
    /// The old files are removed, but the record still exists.
    Cleared,
}

#[cfg(not(test))]
pub(super) fn reached(_point: Point) -> Result<(), crate::error::Error> {
    Ok(())
}

/// Whether the run must end without cleaning up.
#[cfg(not(test))]
pub(crate) fn has_crashed() -> bool {
    false
}

#[cfg(test)]
pub(super) use with_tests::{crash_at, crash_next, reached};
#[cfg(test)]
pub(crate) use with_tests::{has_crashed, step_in};

#[cfg(test)]
mod with_tests {
    use std::cell::{Cell, RefCell};

    use super::Point;
    use crate::error::{Code, Error};

    type Failpoint = Box<dyn FnMut(Point) -> Result<(), Error>>;

    thread_local! {
        static HOOK: RefCell<Option<Failpoint>> = const { RefCell::new(None) };
        static CRASH: Cell<Option<(Point, usize)>> = const { Cell::new(None) };
        static CRASHED: Cell<bool> = const { Cell::new(false) };
    }

    pub(in super::super) fn reached(point: Point) -> Result<(), Error> {
        let failpoint = HOOK.take();
        if let Some(mut failpoint) = failpoint {
            let result = failpoint(point);
            HOOK.set(Some(failpoint));
            result?;
        }
        match CRASH.get() {
            Some((at, 1)) if at == point => {
                CRASH.set(None);
                CRASHED.set(true);
                Err(Error::new(Code::IoError, "crash"))
            }
            Some((at, count)) if at == point => {
                CRASH.set(Some((at, count - 1)));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn has_crashed() -> bool {
        CRASHED.get()
    }

    /// Runs a function, and calls `failpoint` at each point.
    pub(crate) fn step_in<T>(
        failpoint: impl FnMut(Point) -> Result<(), Error> + 'static,
        run: impl FnOnce() -> T,
    ) -> T {
        HOOK.set(Some(Box::new(failpoint)));
        let result = run();
        HOOK.set(None);
        CRASHED.set(false);
        CRASH.set(None);
        result
    }

    /// Ends the run at a point as a crash would.
    pub(in super::super) fn crash_next(point: Point) {
        CRASH.set(Some((point, 1)));
    }

    /// Ends `run` as a crash would when it reaches a point for the `count`th time, from 1.
    pub(in super::super) fn crash_at<T>(point: Point, count: usize, run: impl FnOnce() -> T) -> T {
        CRASH.set(Some((point, count)));
        step_in(|_| Ok(()), run)
    }
}
