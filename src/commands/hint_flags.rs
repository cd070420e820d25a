//! The options of a request as arguments, for hints that repeat the request.

use std::ffi::OsString;

use folio_files::document::DocumentOptions;
use folio_files::error::{Argument, Error, Hint};

/// Options with their values, in the order in which hints contain them.
#[derive(Clone, Debug, Default)]
pub struct HintFlags(Vec<Vec<OsString>>);

impl HintFlags {
    /// Adds those options that are given.
    pub fn switches(mut self, switches: &[(bool, &str)]) -> Self {
        let given = switches.iter().filter(|(given, _)| *given);
        self.0.extend(given.map(|(_, flag)| vec![flag.into()]));
        self
    }

    /// Adds an option once for each of these values.
    pub fn values<A: Argument>(mut self, flag: &str, values: impl IntoIterator<Item = A>) -> Self {
        self.0.extend(values.into_iter().map(|value| vec![flag.into(), value.argument()]));
        self
    }

    /// Adds the options for reading documents.
    pub fn of_documents(self, options: &DocumentOptions) -> Self {
        self.values("--as", options.format.map(|format| format.name()))
            .values("--encoding", &options.encoding)
            .switches(&[(options.binary, "--binary")])
    }

    /// Whether there are no options.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the options to each hint of an error that repeats a command, unless the hint already
    /// contains them.
    pub fn complete_all(&self, error: &mut Error, command: &str) {
        error.hints.iter_mut().for_each(|hint| self.complete(hint, command));
    }

    /// Adds the options to a hint that repeats a command, unless the hint already contains them.
    pub fn complete(&self, hint: &mut Hint, command: &str) {
        let Hint::Command { name, args, .. } = hint else { return };
        let has = args.clone();
        // An option may occur several times in the hint or in the run, but not in both.
        let is_new = |flag: &&Vec<OsString>| *name == command && !has.contains(&flag[0]);
        args.extend(self.0.iter().filter(is_new).flatten().cloned());
    }
}

impl IntoIterator for HintFlags {
    type Item = OsString;
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<OsString>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_added_once_to_hints_of_the_same_command() {
        let mut error = Error::usage("x")
            .hint(Hint::command("read", ["a  # b", "--as", "ini"]))
            .hint(Hint::command("inspect", ["a"]))
            .hint(Hint::flag(["--force"]));
        let flags = HintFlags::default()
            .values("--as", ["text"])
            .values("--encoding", Some("a b"))
            .switches(&[(true, "-q"), (false, "-x")])
            .values("-p", ["x", "y"]);
        flags.complete_all(&mut error, "read");
        let lines: Vec<String> = error.hints.iter().map(Hint::line).collect();
        let read = "folio read 'a  # b' --as ini --encoding 'a b' -q -p x -p y";
        assert_eq!(lines, [read, "folio inspect a", "--force"]);
    }
}
