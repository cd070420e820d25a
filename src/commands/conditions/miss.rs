//! Creates the error for conditions that select no part. The error contains the first condition
//! that no part meets.

use std::ffi::OsString;
use std::path::Path;

use super::flags::LevelArg;
use super::selector::Selector;
use super::tally::{Stage, Tally};
use super::{Conditions, PartKind};
use crate::commands::output::counted;
use crate::commands::target::spell::{self, PartOption};
use folio_files::error::{Change, Code, Error, Hint, Opt, shell_path};
use folio_files::options::{
    BY_SOURCE, CONTAINING, FIRST, HAVING, IGNORE_CASE, INCLUDE_CODE, INCLUDE_COMMENTS, INNERMOST,
    KIND, LACKING, LANG, LAST, LATER_THAN, LEVEL, LEVEL_AT_LEAST, MATCHING, NOT_HAVING, NTH, PATH,
    PUBLIC, REPEATED, SECTION, SINCE, SMART_CASE, TOP_LEVEL, UNTIL, WITH_KEY, WITHOUT_KEY,
};
use folio_text::pattern::Case;

/// Returns the error for conditions that select no part in the files of the operands.
pub(super) fn miss(selector: &Selector, tally: &Tally, operands: &[OsString]) -> Error {
    let conditions = selector.conditions();
    let files = counted(tally.files, "file");
    let mut earlier: Vec<OsString> = Vec::new();
    let mut before = tally.files;
    for stage in Stage::ALL {
        let options = options(conditions, stage);
        if options.is_empty() && stage != Stage::Kind {
            continue;
        }
        if tally.left[stage as usize] > 0 {
            before = tally.left[stage as usize];
            if stage != Stage::Held {
                earlier.extend(spell::words_of(options));
            }
            continue;
        }
        let typed = options.iter().map(|(option, value)| match value {
            Some(value) => format!("{option} {}", shell_path(Path::new(value))),
            None => option.to_string(),
        });
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
                let times = match tally.times {
                    _ if stage != Stage::Time => String::new(),
                    Some(times) => format!("; the times are {times}"),
                    None => "; none has a date".to_owned(),
                };
                format!("{none}{left} {meets} {typed}{times}")
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
            let all = Hint::again([INCLUDE_CODE, INCLUDE_COMMENTS].map(Change::Switch));
            return error.hint(all.why("code and comments are not searched"));
        }
        return match conditions.case {
            Case::Sensitive if takes_case(stage) => {
                error.hint(Hint::with_switch(IGNORE_CASE).why("to ignore case"))
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
    let names: Vec<&str> = match conditions.kinds() {
        kinds if kinds == PartKind::SECTIONS => vec!["heading", "entry", "marker", "symbol"],
        kinds => kinds.iter().map(|kind| kind.name()).collect(),
    };
    let names = names.join(" or ");
    if typed.is_empty() { names } else { format!("part that meets {typed}") }
}

/// Returns the options for the conditions of a stage.
fn options(conditions: &Conditions, stage: Stage) -> Vec<PartOption> {
    fn values<'a, T: ToString + 'a>(
        option: Opt,
        values: impl IntoIterator<Item = &'a T>,
    ) -> Vec<PartOption> {
        values.into_iter().map(|value| (option, Some(value.to_string()))).collect()
    }
    let switch = |is_on: bool, option: Opt| is_on.then_some((option, None));
    let mut options = match stage {
        Stage::Held | Stage::Containing => values(CONTAINING, &conditions.containing),
        Stage::Keyed => {
            let keys = values(WITH_KEY, &conditions.with_key);
            [keys, values(WITHOUT_KEY, &conditions.without_key)].concat()
        }
        Stage::Kind => {
            let kinds = conditions.listed_kinds();
            let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
            let kinds = (!kinds.is_empty()).then(|| kinds.join(","));
            let kinds = values(KIND, &kinds);
            let levels = values(LEVEL, &conditions.level);
            let top_level = Vec::from_iter(switch(conditions.top_level, TOP_LEVEL));
            let public = Vec::from_iter(switch(conditions.public, PUBLIC));
            [kinds, levels, values(LANG, &conditions.lang), top_level, public].concat()
        }
        Stage::Section => values(SECTION, &conditions.sections),
        Stage::Matching => values(MATCHING, &conditions.matching),
        Stage::Path => values(PATH, &conditions.path),
        Stage::Having => values(HAVING, &conditions.having),
        Stage::NotHaving => values(NOT_HAVING, &conditions.not_having),
        Stage::Time => {
            let since = values(SINCE, &conditions.since);
            let later_than = values(LATER_THAN, &conditions.later_than);
            [since, later_than, values(UNTIL, &conditions.until)].concat()
        }
        Stage::Severity => {
            let level = conditions.level_at_least.map(LevelArg::name);
            values(LEVEL_AT_LEAST, &level)
        }
        Stage::Lacking => values(LACKING, &conditions.lacking),
        Stage::Innermost => Vec::from_iter(switch(conditions.innermost, INNERMOST)),
        Stage::Repeated => {
            let options =
                [switch(conditions.repeated, REPEATED), switch(conditions.by_source, BY_SOURCE)];
            options.into_iter().flatten().collect()
        }
        Stage::Pick => {
            let ends = [switch(conditions.first, FIRST), switch(conditions.last, LAST)];
            let nth = values(NTH, &conditions.nth);
            ends.into_iter().flatten().chain(nth).collect()
        }
    };
    let is_given = !options.is_empty();
    let of_texts = matches!(stage, Stage::Containing | Stage::Lacking) && is_given;
    let more = [
        switch(of_texts && conditions.include_code, INCLUDE_CODE),
        switch(of_texts && conditions.include_comments, INCLUDE_COMMENTS),
        switch(is_given && conditions.case == Case::Insensitive, IGNORE_CASE),
        switch(is_given && conditions.case == Case::Smart, SMART_CASE),
    ];
    options.extend(more.into_iter().flatten());
    options
}
