//! From flags to what was taken back.

use super::args::{Task, UndoArgs};
use super::report::{self, Place};
use crate::commands::output::{Closed, Output, counted};
use crate::error::{Code, Error, shell_path};
use crate::files::history;
use crate::files::journal;
use crate::files::lock::LOCK_TIMEOUT;
use crate::files::recovery::{self, Ending};
use crate::files::roots::Roots;
use crate::files::state::StateDirectory;
use crate::files::undo::{self, UndoOptions, Which};

/// Runs the command.
pub fn run(args: &UndoArgs, output: &mut dyn Output) -> Result<(), Error> {
    let task = args.task()?;
    let state = StateDirectory::of_environment().ok_or_else(|| {
        Error::new(Code::NotFound, "there is no history: neither XDG_STATE_HOME nor HOME is set")
            .hint("HOME=DIR folio undo  # the HOME with which the patch was made")
    })?;
    let roots = args.roots.open()?;
    let place = Place::current();
    if task != Task::Recover
        && journal::pending(&state).iter().any(|pending| pending.lies_in(&roots))
    {
        output.note("an earlier run was cut off: folio undo --recover puts its files in order");
    }
    // Whoever no longer reads has seen enough.
    let _: Result<(), Closed> = match task {
        Task::Undo(which) => take_back(&state, &which, &roots, &place, output)?,
        Task::List(which) => list(&state, &which, &roots, &place, output)?,
        Task::Recover => recover(&state, &roots, &place, output),
    };
    Ok(())
}

fn take_back(
    state: &StateDirectory,
    which: &Which,
    roots: &Roots,
    place: &Place,
    output: &mut dyn Output,
) -> Result<Result<(), Closed>, Error> {
    let options = UndoOptions { roots: roots.clone(), ..UndoOptions::default() };
    let undone = undo::undo(state, which, &options).map_err(|mut error| {
        error.path = error.path.map(|path| place.shown(&path).to_owned());
        error
    })?;
    let undone = undone.ok_or_else(|| nothing(state, which, roots))?;
    for warning in &undone.warnings {
        output.note(warning);
    }
    Ok(output.payload(&report::undone(&undone, place, output.style())))
}

/// The error where the history has no such entry.
fn nothing(state: &StateDirectory, which: &Which, roots: &Roots) -> Error {
    let is_empty = history::find(state, |entry| entry.lies_in(roots)).is_none();
    let error = match which {
        _ if is_empty => {
            return Error::new(Code::TargetNotFound, "there is nothing to take back");
        }
        Which::Last => Error::new(Code::TargetNotFound, "there is nothing to take back"),
        Which::Id(id) => Error::new(Code::TargetNotFound, format!("the history has no patch {id}")),
        Which::File(path) => {
            Error::new(Code::TargetNotFound, "the history has no patch of this file").at(path)
        }
    };
    error.hint("folio undo --list  # what can be taken back")
}

fn list(
    state: &StateDirectory,
    which: &Which,
    roots: &Roots,
    place: &Place,
    output: &mut dyn Output,
) -> Result<Result<(), Closed>, Error> {
    let mut entries = history::list(state);
    entries.retain(|entry| entry.lies_in(roots));
    match which {
        Which::Last => {}
        Which::Id(id) => entries.retain(|entry| entry.id == *id),
        Which::File(path) => {
            let path = undo::history_path(path, roots)?;
            entries.retain(|entry| entry.files.contains(&path));
        }
    }
    if entries.is_empty() {
        if *which != Which::Last {
            return Err(nothing(state, which, roots));
        }
        output.note("there is nothing to take back");
    }
    Ok(report::list(&entries, place, output))
}

fn recover(
    state: &StateDirectory,
    roots: &Roots,
    place: &Place,
    output: &mut dyn Output,
) -> Result<(), Closed> {
    let is_outside = |pending: &journal::Pending| !pending.lies_in(roots);
    let left = journal::pending(state).iter().filter(|pending| is_outside(pending)).count();
    let recovered = recovery::recover(state, roots, LOCK_TIMEOUT);
    match left {
        0 if recovered.is_empty() => {
            output.note("there is nothing to put in order: no run was cut off");
        }
        0 => {}
        left => {
            let runs = counted(left as u64, "interrupted run");
            output.note(&format!("{runs} left as before: at work outside the root too"));
        }
    }
    for one in recovered {
        match one {
            Err(error) => output.error(&error),
            Ok(one) => {
                for told in &one.told {
                    output.note(told);
                }
                output.payload(&report::recovered(&one, place, output.style()))?;
                if one.ending == Ending::InPart {
                    output.error(&in_part(&one, place));
                }
            }
        }
    }
    Ok(())
}

/// The error for a run that stays done in part.
fn in_part(one: &recovery::Recovered, place: &Place) -> Error {
    let told = "files were changed since, so a run that was cut off stays done in part";
    let mut error = Error::new(Code::FileChanged, told);
    for path in one.files.iter().take(3) {
        error.hints.push(format!("folio inspect {}", shell_path(place.shown(path))));
    }
    error
}
