//! Rules about combinations of options, as data. They apply to command lines and to JSON, and are
//! checked before any file is opened.

use clap::parser::ValueSource;
use clap::{ArgMatches, Id};

use crate::commands::conditions::flags::{GROUP, is_condition};
use crate::commands::shared_args::contradiction;
use folio_files::error::{Error, Hint, Opt};

/// A rule: one of these options requires one of the others, or cannot be used with any of them.
///
/// Options are given by their long names without dashes, separated by spaces. `mode=search` is an
/// option with this value, [`CONDITIONS`] stands for any condition on parts, and [`JSON`] for JSON
/// output.
#[derive(Clone, Copy)]
pub struct Rule {
    flags: &'static str,
    others: &'static str,
    is_needed: bool,
    in_text: bool,
    name: Option<fn() -> String>,
    hint: Option<fn() -> Hint>,
}

/// Stands for any condition on parts.
pub const CONDITIONS: &str = "CONDITIONS";

/// Stands for JSON output.
pub const JSON: &str = "json";

/// Each of the options requires one of the others.
pub const fn needs(flags: &'static str, others: &'static str) -> Rule {
    Rule { flags, others, is_needed: true, in_text: false, name: None, hint: None }
}

/// None of the options can be used with any of the others.
pub const fn excludes(flags: &'static str, others: &'static str) -> Rule {
    Rule { is_needed: false, ..needs(flags, others) }
}

impl Rule {
    /// Sets the name of the other options in messages.
    pub const fn named(self, name: fn() -> String) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Sets the hint of the error.
    pub const fn hint(self, hint: fn() -> Hint) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// Restricts the rule to text output.
    pub const fn in_text(self) -> Self {
        Self { in_text: true, ..self }
    }

    /// Returns the identifiers of the rule's options.
    #[cfg(test)]
    pub fn ids(&self) -> Vec<String> {
        let terms = self.flags.split(' ').chain(self.others.split(' '));
        let terms = terms.filter(|term| ![CONDITIONS, JSON].contains(term));
        terms.map(|term| term.split('=').next().unwrap_or(term).replace('-', "_")).collect()
    }

    fn check(&self, is_set: &dyn Fn(&str) -> bool) -> Result<(), Error> {
        let Some(flag) = self.flags.split(' ').find(|flag| is_set(flag)) else { return Ok(()) };
        let other = self.others.split(' ').find(|other| is_set(other));
        let flag = spelled(flag);
        let name = |others: &str| self.name.map_or_else(|| alternatives(others), |name| name());
        let error = match (self.is_needed, other) {
            (true, None) => Error::usage(format!("{flag} needs {}", name(self.others))),
            (false, Some(other)) => contradiction(flag, name(other)),
            _ => return Ok(()),
        };
        Err(match self.hint {
            Some(hint) => error.hint(hint()),
            None => error,
        })
    }
}

/// Fails if a command line breaks one of the rules.
pub fn check(rules: &[Rule], matches: &ArgMatches, json: bool) -> Result<(), Error> {
    let is_typed = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let typed: Vec<&str> = matches.ids().map(Id::as_str).filter(is_typed).collect();
    let is_given = |flag: &str| match flag {
        JSON => json,
        CONDITIONS => {
            let group = matches.try_get_many::<Id>(GROUP).ok().flatten().into_iter().flatten();
            group.into_iter().any(|id| is_condition(matches, id.as_str()))
        }
        _ => is_given(matches, &typed, flag),
    };
    rules.iter().filter(|rule| !(rule.in_text && json)).try_for_each(|rule| rule.check(&is_given))
}

/// Whether a command line contains an option, or an option with a certain value. `typed` contains
/// the identifiers of the given options.
fn is_given(matches: &ArgMatches, typed: &[&str], flag: &str) -> bool {
    let (name, value) = flag.split_once('=').map_or((flag, None), |(name, v)| (name, Some(v)));
    // Identifiers have `_` instead of `-`.
    let is_flag = |id: &&&str| {
        let bytes = name.bytes().map(|byte| if byte == b'-' { b'_' } else { byte });
        id.len() == name.len() && id.bytes().eq(bytes)
    };
    let has_value = |id: &str, value| {
        let mut values = matches.get_raw(id).into_iter().flatten();
        values.any(|text| text == value)
    };
    let found = typed.iter().find(is_flag);
    found.is_some_and(|id| value.is_none_or(|value| has_value(id, value)))
}

/// Formats an option, which may have a value, for a message.
fn spelled(flag: &str) -> String {
    match flag.split_once('=') {
        Some((name, value)) => format!("{} {value}", Opt::marked(&format!("--{name}"))),
        None => Opt::marked(&format!("--{flag}")),
    }
}

/// Formats alternatives: `--a, --b or --c`.
fn alternatives(flags: &str) -> String {
    let spelled: Vec<String> = flags.split(' ').map(spelled).collect();
    match spelled.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_the_flags_that_break_them() {
        let check = |rule: Rule, options: &[&str]| {
            let outcome = rule.check(&|flag| options.contains(&flag));
            outcome.err().map(|error| error.message)
        };
        for (rule, options, message) in [
            (needs("a b", "c d e"), &["b"][..], "--b needs --c, --d or --e"),
            (needs("a b", "c d e"), &["b", "d"], ""),
            (needs("a", "c"), &["a"], "--a needs --c"),
            (needs("a", "c").named(|| "a part".to_owned()), &["a"], "--a needs a part"),
            (excludes("a b", "c mode=d"), &["a", "mode=d"], "--a cannot be used with --mode d"),
            (
                excludes("a b", "c").named(|| "parts".to_owned()),
                &["b", "c"],
                "--b cannot be used with parts",
            ),
            (excludes("a b", "c"), &["a", "b"], ""),
        ] {
            assert_eq!(check(rule, options).unwrap_or_default(), message, "{options:?}");
        }
    }
}
