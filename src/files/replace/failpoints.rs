//! Where tests step in: between the steps of a commit another program may
//! write, or everything may end.

/// A place between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    /// The new bytes are written, nothing has a name yet.
    Staged,
    /// The temporary names are taken and filled.
    Ready,
    /// The plan is on the disk.
    Planned,
    /// The file is what was read.
    Compared,
    /// Both files have changed places, or the file was created or removed.
    Exchanged,
    /// Half of what is written in place is written.
    HalfWritten,
    /// All is in place.
    Applied,
    /// The commit is one for good; the old files are there still.
    Settled,
}

#[cfg(not(test))]
pub(super) fn reached(_point: Point) -> Result<(), crate::error::Error> {
    Ok(())
}

/// Whether everything is to be left as if the run had been killed.
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

    /// Runs something with a failpoint.
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

    /// Has the run end, as if killed, when it comes to a point.
    pub(in super::super) fn crash_next(point: Point) {
        CRASH.set(Some((point, 1)));
    }

    /// Runs something that ends, as if killed, when it comes to a point for
    /// the `count`th time, from 1.
    pub(in super::super) fn crash_at<T>(point: Point, count: usize, run: impl FnOnce() -> T) -> T {
        CRASH.set(Some((point, count)));
        step_in(|_| Ok(()), run)
    }
}
