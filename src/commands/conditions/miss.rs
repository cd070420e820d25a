//! Creates the error for conditions that select no part. The error contains the first condition
//! that no part meets.

use std::ffi::OsString;
use std::path::Path;

use super::Conditions;
use super::selector::Selector;
use super::tally::{Stage, Tally};
use crate::commands::hint_flags::HintFlags;
use crate::commands::output::counted;
use folio_files::error::{Code, Error, Hint, shell_path};
use folio_text::pattern::Case;

/// Returns the error for conditions that select no part in the files of the operands.
pub(super) fn miss(selector: &Selector, tally: &Tally, operands: &[OsString]) -> Error {
    let conditions = selector.conditions();
    let files = counted(tally.files, "file");
    let mut earlier: Vec<OsString> = Vec::new();
    let mut before = tally.files;
    for stage in Stage::ALL {
        let flags = flags(conditions, stage);
        if flags.is_empty() && stage != Stage::Kind {
            continue;
        }
        if tally.left[stage as usize] > 0 {
            before = tally.left[stage as usize];
            if stage != Stage::Held {
                earlier.extend(flags);
            }
            continue;
        }
        let typed = flags.into_iter().map(|word| shell_path(Path::new(&word)));
        let typed = typed.collect::<Vec<_>>().join(" ");
        let message = match stage {
            _ if tally.files == 0 => "no text files".to_owned(),
            Stage::Held => format!("no line in {files} matches {typed}"),
            Stage::Keyed => format!("none of {files} meets {typed}"),
            Stage::Kind => format!("no {} in {files}", kinds(conditions, &typed)),
            Stage::Containing => {
                let held = counted(tally.left[Stage::Held as usize], "file");
                format!("{typed} matches in {held}, but outside the selected parts")
            }
            _ => {
                let (none, meets) = match before {
                    1 => ("the only part".to_owned(), "does not meet"),
                    _ => (format!("none of {}", counted(before, "part")), "meets"),
                };
                let left = if earlier.is_empty() { "" } else { " left by the previous conditions" };
                format!("{none}{left} {meets} {typed}")
            }
        };
        let why = if earlier.is_empty() { "all parts" } else { "the remaining parts" };
        let error = Error::new(Code::TargetNotFound, message);
        let error = match operands {
            [only] if only != "-" => error.at(Path::new(only)),
            _ => error,
        };
        let error = error.hint(Hint::command("inspect", earlier).and(operands).why(why));
        let hides = !conditions.include_code || !conditions.include_comments;
        if stage == Stage::Containing && hides {
            let all = Hint::flag(["--include-code", "--include-comments"]);
            return error.hint(all.why("code and comments are not searched"));
        }
        return match conditions.case {
            Case::Sensitive if takes_case(stage) => {
                error.hint(Hint::flag(["-i"]).why("to ignore case"))
            }
            _ => error,
        };
    }
    Error::new(Code::TargetNotFound, format!("nothing is selected in {files}"))
}

fn takes_case(stage: Stage) -> bool {
    use Stage::{Containing, Having, Held, Matching, Path, Section};
    matches!(stage, Held | Section | Matching | Path | Having | Containing)
}

fn kinds(conditions: &Conditions, typed: &str) -> String {
    let names: Vec<&str> = conditions.kinds().iter().map(|kind| kind.name()).collect();
    let names = names.join(" or ");
    if typed.is_empty() { names } else { format!("part that meets {typed}") }
}

/// Returns the options for the conditions of a stage.
fn flags(conditions: &Conditions, stage: Stage) -> HintFlags {
    let flags = HintFlags::default();
    let flags = match stage {
        Stage::Held | Stage::Containing => flags.values("--containing", &conditions.containing),
        Stage::Keyed => flags
            .values("--with-key", &conditions.with_key)
            .values("--without-key", &conditions.without_key),
        Stage::Kind => {
            let kinds = conditions.listed_kinds();
            let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            flags
                .values("--kind", (!kinds.is_empty()).then(|| kinds.join(",")))
                .values("--level", &conditions.level)
                .values("--lang", &conditions.lang)
        }
        Stage::Section => flags.values("--section", &conditions.sections),
        Stage::Matching => flags.values("--matching", &conditions.matching),
        Stage::Path => flags.values("--path", &conditions.path),
        Stage::Having => flags.values("--having", &conditions.having),
        Stage::NotHaving => flags.values("--not-having", &conditions.not_having),
        Stage::Time => {
            flags.values("--since", &conditions.since).values("--until", &conditions.until)
        }
        Stage::Lacking => flags.values("--lacking", &conditions.lacking),
        Stage::Innermost => flags.switches(&[(conditions.innermost, "--innermost")]),
        Stage::Repeated => flags.switches(&[(conditions.repeated, "--repeated")]),
        Stage::Pick => flags
            .switches(&[(conditions.first, "--first"), (conditions.last, "--last")])
            .values("--nth", conditions.nth.map(|number| number.to_string())),
    };
    let is_given = !flags.is_empty();
    let of_texts = matches!(stage, Stage::Containing | Stage::Lacking) && is_given;
    flags.switches(&[
        (of_texts && conditions.include_code, "--include-code"),
        (of_texts && conditions.include_comments, "--include-comments"),
        (is_given && conditions.case == Case::Insensitive, "-i"),
        (is_given && conditions.case == Case::Smart, "-S"),
    ])
}
