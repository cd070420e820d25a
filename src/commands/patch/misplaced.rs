//! Words that were typed as files although they are a part, a key, the content or a destination.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::Operation;
use super::args::PatchArgs;
use folio_files::address::Address;
use folio_files::error::{Argument, Change, Error, Hint};
use folio_outline::format::Format;

impl PatchArgs {
    /// Fails if words after the first file are no files, and the edit lacks what they can be. Then
    /// the hint is the call with the options before these words. `exists` is whether a file exists.
    pub(super) fn refuse_misplaced(&self, exists: impl Fn(&Path) -> bool) -> Result<(), Error> {
        let Some(changes) = self.misplaced(exists) else { return Ok(()) };
        let word = self.addresses.get(1).map(|word| word.to_string_lossy()).unwrap_or_default();
        let error = Error::usage(format!("'{word}' is not a file"));
        Err(error.hint(Hint::again(changes).why("each word with its option")))
    }

    /// Returns the changes that give the words after the first file their options.
    pub fn misplaced(&self, exists: impl Fn(&Path) -> bool) -> Option<Vec<Change>> {
        let (file, words) = self.addresses.split_first()?;
        let is_file = |word: &OsString| {
            Address::parse(word, |path| exists(path)).is_ok_and(|own| exists(&own.path))
        };
        if words.is_empty() || !is_file(file) || words.iter().any(is_file) {
            return None;
        }
        if let (Operation::Set, [pair], false) = (self.operation, words, self.has_content())
            && let Some((key, value)) = pair.to_str()?.split_once('=')
        {
            let words = [key.into(), value.into()];
            return Some(of_options(file, &["--key", "--content"], &words));
        }
        let options = self.missing(file);
        // A name with a slash or an extension is probably that of a second file.
        let may_be_part = |word: &OsString| {
            let text = word.to_string_lossy();
            let extension = text.rsplit_once('.').map_or("", |(_, extension)| extension);
            !text.contains('/') && (extension.is_empty() || extension.len() > 4)
        };
        // If only the part is missing, the edit may be complete for another file.
        let is_complete = matches!(options[..], ["--section" | "--key" | "--heading"]);
        let are_words =
            !is_complete || self.operation == Operation::Set || words.iter().all(may_be_part);
        let fits = words.len() <= options.len() && are_words;
        let mut changes = fits.then(|| of_options(file, &options, words))?;
        // Without a part, a file is moved, but only its contents are copied.
        if self.operation == Operation::Copy && words.len() < options.len() {
            changes.push(Change::Switch("--whole-file"));
        }
        Some(changes)
    }

    /// Returns the options that the edit of a file lacks, in the order in which people type their
    /// values.
    fn missing(&self, file: &OsStr) -> Vec<&'static str> {
        let has_keys = |file: &Path| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            Format::by_name(&name).is_some_and(Format::is_tree)
        };
        let part = match self.operation {
            Operation::Create | Operation::Apply => return Vec::new(),
            Operation::Set => "--key",
            Operation::Rename => "--heading",
            _ if has_keys(Path::new(file)) => "--key",
            _ => "--section",
        };
        let carries = self.operation.carries();
        let mut options = Vec::new();
        options.extend((!self.has_part()).then_some(part));
        let takes_content = !carries && self.operation != Operation::Delete;
        options.extend((takes_content && !self.has_content()).then_some("--content"));
        options.extend((carries && self.options.to.is_none()).then_some("--to"));
        options
    }

    fn has_content(&self) -> bool {
        self.content.is_some() || self.content_file.is_some()
    }

    fn has_part(&self) -> bool {
        let target = &self.target;
        let named = [&target.section, &target.body, &target.heading, &target.anchor, &target.key];
        named.iter().any(|values| !values.is_empty())
            || self.whole_file
            || target.front_matter
            || target.match_flag().is_some()
            || ![&target.code_block, &target.target, &target.lines].iter().all(|own| own.is_empty())
            || !target.table.is_empty()
            || self.conditions.is_given()
    }
}

/// Returns the changes that leave one file, and give words to options.
fn of_options(file: &OsStr, options: &[&'static str], words: &[OsString]) -> Vec<Change> {
    // One word after a moved file is its destination.
    let options = match (options, words) {
        ([_, to @ "--to"], [_]) => std::slice::from_ref(to),
        (options, _) => options,
    };
    let file = Change::Set("addresses", vec![Path::new(file).argument()]);
    let given = options.iter().zip(words).map(|(option, word)| Change::set(option, word));
    let missing = options.iter().skip(words.len()).map(|option| match *option {
        "--content" => Change::set(option, "TEXT"),
        other => Change::set(other, "NAME"),
    });
    [file].into_iter().chain(given).chain(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(operation: Operation, words: &str, make: impl Fn(&mut PatchArgs), expected: &str) {
        let addresses = words.split(' ').map(OsString::from).collect();
        let mut args = PatchArgs { operation, addresses, ..PatchArgs::default() };
        make(&mut args);
        let changes = args.misplaced(|path| ["a.md", "a.yml"].contains(&&*path.to_string_lossy()));
        let words = changes.map(|changes| Hint::again(changes).words()).unwrap_or_default();
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into()).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn words_get_the_options_that_the_edit_lacks() {
        use Operation::{Append, Copy, Delete, Move, Rename, Replace, Set};
        let content = |args: &mut PatchArgs| args.content = Some("x".into());
        let section = |args: &mut PatchArgs| args.target.section = vec!["A".into()];
        let heading = |args: &mut PatchArgs| args.target.heading = vec!["A".into()];
        check(Append, "a.md Unreleased", content, "a.md --section Unreleased");
        check(Append, "a.yml items", content, "a.yml --key items");
        check(Append, "a.md Unreleased", |_| {}, "a.md --section Unreleased --content TEXT");
        check(Replace, "a.md b.c", section, "a.md --content b.c");
        check(Set, "a.yml k 1.2.3", |_| {}, "a.yml --key k --content 1.2.3");
        check(Set, "a.yml k=v", |_| {}, "a.yml --key k --content v");
        check(Rename, "a.md B", heading, "a.md --content B");
        check(Rename, "a.md A B", |_| {}, "a.md --heading A --content B");
        check(Move, "a.md docs/", |_| {}, "a.md --to docs/");
        check(Copy, "a.md A b.md", |_| {}, "a.md --section A --to b.md");
        check(Copy, "a.md b.md", |_| {}, "a.md --to b.md --whole-file");
        check(Delete, "a.md A", |_| {}, "a.md --section A");
        // These are files that do not exist, or too many words.
        check(Delete, "a.md b.md", |_| {}, "");
        check(Delete, "a.md A", section, "");
        check(Delete, "x.md A", |_| {}, "");
        check(Delete, "a.md a.yml", |_| {}, "");
    }
}
