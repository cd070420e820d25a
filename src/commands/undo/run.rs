//! From flags to what was taken back.

use super::args::{Task, UndoArgs};
use super::report::{self, Place};
use crate::commands::output::{self, Closed, Note, Sink, counted};
use crate::error::{Code, Error, ExitStatus, shell_path};
use crate::files::env::Env;
use crate::files::history;
use crate::files::journal;
use crate::files::recovery::{self, Ending};
use crate::files::roots::Roots;
use crate::files::state::StateDirectory;
use crate::files::undo::{self, Which};

/// Runs the command.
pub fn run(args: &UndoArgs, env: &Env, output: &mut dyn Sink) -> output::Outcome {
    let task = args.task()?;
    let state = env.state.as_ref().ok_or_else(|| {
        Error::new(Code::NotFound, "there is no history: neither XDG_STATE_HOME nor HOME is set")
            .hint("HOME=DIR folio undo  # the HOME with which the patch was made")
    })?;
    let roots = &env.roots;
    let place = Place::at(roots.working_directory());
    if task != Task::Recover && journal::pending(state).iter().any(|pending| pending.lies_in(roots))
    {
        output.note(Note::new(
            "an earlier run was cut off: folio undo --recover puts its files in order",
        ));
    }
    // Whoever no longer reads has seen enough.
    let _: Result<(), Closed> = match task {
        Task::Undo(which) => take_back(state, &which, env, &place, output)?,
        Task::List(which) => list(state, &which, roots, &place, output)?,
        Task::Recover => recover(state, env, &place, output),
    };
    Ok(ExitStatus::Done)
}

fn take_back(
    state: &StateDirectory,
    which: &Which,
    env: &Env,
    place: &Place,
    output: &mut dyn Sink,
) -> Result<Result<(), Closed>, Error> {
    let roots = &env.roots;
    let undone = undo::undo(state, which, env, true).map_err(|mut error| {
        error.path = error.path.map(|path| place.shown(&path).to_owned());
        error
    })?;
    let undone = undone.ok_or_else(|| nothing(state, which, roots))?;
    for warning in &undone.warnings {
        output.note(Note::new(warning));
    }
    Ok(output.write(&report::undone(&undone, place, output.style())))
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
    output: &mut dyn Sink,
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
        output.note(Note::new("there is nothing to take back"));
    }
    Ok(report::list(&entries, place, output))
}

fn recover(
    state: &StateDirectory,
    env: &Env,
    place: &Place,
    output: &mut dyn Sink,
) -> Result<(), Closed> {
    let roots = &env.roots;
    let is_outside = |pending: &journal::Pending| !pending.lies_in(roots);
    let left = journal::pending(state).iter().filter(|pending| is_outside(pending)).count();
    let recovered = recovery::recover(state, env);
    match left {
        0 if recovered.is_empty() => {
            output.note(Note::new("there is nothing to put in order: no run was cut off"));
        }
        0 => {}
        left => {
            let runs = counted(left as u64, "interrupted run");
            output.note(Note::new(format!("{runs} left as before: at work outside the root too")));
        }
    }
    for one in recovered {
        match one {
            Err(error) => output.error(&error),
            Ok(one) => {
                for told in &one.told {
                    output.note(Note::new(told));
                }
                output.write(&report::recovered(&one, place, output.style()))?;
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
        error = error.hint(format!("folio inspect {}", shell_path(place.shown(path))));
    }
    error
}
