//! From flags to what was taken back.

use super::report::{self, Place, RecoveredRecord, UndoneRecord};
use super::{Action, Options};
use crate::commands::output::{Closed, Note, Outcome, Sink, counted};
use crate::error::{Code, Error, ExitStatus, Hint};
use crate::files::env::Env;
use crate::files::history;
use crate::files::journal;
use crate::files::recovery::{self, Ending};
use crate::files::roots::Roots;
use crate::files::state::StateDirectory;
use crate::files::undo::{self, Which};

/// Runs the command.
pub fn run(options: &Options, env: &Env, sink: &mut dyn Sink) -> Outcome {
    options.check()?;
    let state = env.state.as_ref().ok_or_else(|| {
        Error::new(Code::NotFound, "there is no history: neither XDG_STATE_HOME nor HOME is set")
            .hint(hint(None).why("with the HOME with which the patch was made"))
    })?;
    let roots = &env.roots;
    let place = Place::at(roots.working_directory());
    let is_cut_off = || journal::pending(state).iter().any(|pending| pending.lies_in(roots));
    if options.action != Action::Recover && is_cut_off() {
        let hint = hint(Some("--recover")).why("to put its files in order");
        sink.note(Note::new("an earlier run was cut off").hint(hint));
    }
    // Whoever no longer reads has seen enough.
    let _: Result<(), Closed> = match options.action {
        Action::Undo => take_back(state, &options.which, env, &place, sink)?,
        Action::List => list(state, &options.which, roots, &place, sink)?,
        Action::Recover => recover(state, env, &place, sink),
    };
    Ok(ExitStatus::Done)
}

fn hint(flag: Option<&str>) -> Hint {
    Hint::command("undo", flag)
}

fn take_back(
    state: &StateDirectory,
    which: &Which,
    env: &Env,
    place: &Place,
    sink: &mut dyn Sink,
) -> Result<Result<(), Closed>, Error> {
    let roots = &env.roots;
    let undone = undo::undo(state, which, env, true).map_err(|mut error| {
        error.path = error.path.map(|path| place.shown(&path).to_owned());
        error
    })?;
    let undone = undone.ok_or_else(|| nothing(state, which, roots))?;
    for warning in &undone.warnings {
        sink.note(Note::new(warning));
    }
    Ok(sink.record(&UndoneRecord { undone: &undone, place }))
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
    error.hint(hint(Some("--list")).why("what can be taken back"))
}

fn list(
    state: &StateDirectory,
    which: &Which,
    roots: &Roots,
    place: &Place,
    sink: &mut dyn Sink,
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
        sink.note(Note::new("there is nothing to take back"));
    }
    Ok(report::history(&entries, place).iter().try_for_each(|entry| sink.record(entry)))
}

fn recover(
    state: &StateDirectory,
    env: &Env,
    place: &Place,
    sink: &mut dyn Sink,
) -> Result<(), Closed> {
    let roots = &env.roots;
    let is_outside = |pending: &journal::Pending| !pending.lies_in(roots);
    let left = journal::pending(state).iter().filter(|pending| is_outside(pending)).count();
    let recovered = recovery::recover(state, env);
    match left {
        0 if recovered.is_empty() => {
            sink.note(Note::new("there is nothing to put in order: no run was cut off"));
        }
        0 => {}
        left => {
            let runs = counted(left as u64, "interrupted run");
            sink.note(Note::new(format!("{runs} left as before: at work outside the root too")));
        }
    }
    for one in recovered {
        match one {
            Err(error) => sink.error(&error),
            Ok(one) => {
                for message in &one.messages {
                    sink.note(Note::new(message));
                }
                sink.record(&RecoveredRecord { run: &one, place })?;
                if one.ending == Ending::InPart {
                    sink.error(&in_part(&one, place));
                }
            }
        }
    }
    Ok(())
}

/// The error for a run that stays done in part.
fn in_part(one: &recovery::Recovered, place: &Place) -> Error {
    let message = "files were changed since, so a run that was cut off stays done in part";
    let files = one.files.iter().take(3);
    files.fold(Error::new(Code::FileChanged, message), |error, path| {
        error.hint(Hint::command("inspect", [place.shown(path)]))
    })
}
