//! Words that were typed as files although they are a part, a key, the content or a destination.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::Operation;
use super::args::PatchArgs;
use crate::commands::host::Host;
use crate::commands::stray_operands;
use folio_files::address::Address;
use folio_files::error::{Argument, Change, Error, Hint, Opt};
use folio_files::options::{ADDRESSES, CONTENT, HEADING, KEY, SECTION, TO, WHOLE_FILE};
use folio_outline::format::Format;
use folio_outline::part::Part;
use folio_text::span::parse_line_ranges;

type Exists<'a> = &'a dyn Fn(&Path) -> bool;

/// Returns the option for a part of a file, such as `--section`, if the file has a part of this name.
type PartNamed<'a> = &'a dyn Fn(&Path, &str) -> Option<Opt>;

impl PatchArgs {
    /// Fails if words after the first file are no files, and the edit lacks what they can be. Then
    /// the hint is the call with the options before these words.
    pub fn refuse_misplaced(&self, host: &Host) -> Result<(), Error> {
        let documents = self.documents.options();
        let part_named = |file: &Path, name: &str| {
            let part = stray_operands::part_named(file, name, &documents, host);
            part.map(|(option, _)| option)
        };
        let changes = self.misplaced(&|path| host.env.roots.exists(path), &part_named);
        let Some(changes) = changes else { return Ok(()) };
        let word = self.addresses.get(1).map(|word| word.to_string_lossy()).unwrap_or_default();
        let error = Error::usage(format!("'{word}' is not a file"));
        Err(error.hint(Hint::again(changes).why("each word with its option")))
    }

    /// Returns the changes that give the words after the first file their options.
    pub fn misplaced(&self, exists: Exists<'_>, part_named: PartNamed<'_>) -> Option<Vec<Change>> {
        let (file, words) = self.addresses.split_first()?;
        let address = Address::parse(file, |path| exists(path)).ok()?;
        let is_file = |word: &OsString| {
            Address::parse(word, |path| exists(path)).is_ok_and(|parsed| exists(&parsed.path))
        };
        if words.is_empty() || !exists(&address.path) || words.iter().any(is_file) {
            return None;
        }
        let mut options = self.missing_options(&address);
        if let ([KEY, CONTENT], [pair]) = (&options[..], words)
            && let Some((key, value)) = pair.to_str()?.split_once('=')
        {
            return Some(option_changes(file, &options, &[key.into(), value.into()]));
        }
        // A word that may be the name of a second file is left as it is.
        let is_destination = |at: usize| options.get(at) == Some(&TO);
        let may_be_file = |(at, word): (usize, &OsString)| {
            let name = word.to_string_lossy();
            let has_known_format =
                Format::by_name(&name).is_some_and(|format| format != Format::Text);
            !is_destination(at) && (name.contains('/') || has_known_format)
        };
        let is_moved = words.len() == 1 && options.last() == Some(&TO);
        if options.len() < words.len() || !is_moved && words.iter().enumerate().any(may_be_file) {
            return None;
        }
        if let [SECTION | KEY, ..] = options[..]
            && self.operation != Operation::Set
            && !is_moved
        {
            let first = words[0].to_str()?;
            if parse_line_ranges(first).is_ok() && address.part == Part::Whole {
                let lines = OsString::from_iter([file.as_os_str(), ":".as_ref(), &words[0]]);
                return Some(option_changes(&lines, &options[1..], &words[1..]));
            }
            match part_named(&address.path, first) {
                Some(option) => options[0] = option,
                // Each option has a word, so these words are no files.
                None if words.len() > 1 => {}
                None => return None,
            }
        }
        let mut changes = option_changes(file, &options, words);
        // Without a part, a file is moved, but only its contents are copied.
        if self.operation == Operation::Copy && is_moved && options.len() > 1 {
            changes.push(Change::Switch(WHOLE_FILE));
        }
        Some(changes)
    }

    /// Returns the options that the edit of a file lacks, in the order in which people type their
    /// values.
    fn missing_options(&self, address: &Address) -> Vec<Opt> {
        let name = address.path.file_name().unwrap_or_default().to_string_lossy();
        let has_keys = Format::by_name(&name).is_some_and(Format::is_tree);
        let part = match self.operation {
            Operation::Create | Operation::Apply => return Vec::new(),
            Operation::Set => KEY,
            Operation::Rename => HEADING,
            _ if has_keys => KEY,
            _ => SECTION,
        };
        let has_part = match self.operation {
            Operation::Set => !self.target.key.is_empty() || address.part != Part::Whole,
            _ => self.has_part() || address.part != Part::Whole,
        };
        let carries = self.operation.carries();
        let mut options = Vec::new();
        options.extend((!has_part).then_some(part));
        let takes_content = !carries && self.operation != Operation::Delete;
        options.extend((takes_content && !self.has_content()).then_some(CONTENT));
        options.extend((carries && self.options.to.is_none()).then_some(TO));
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
            || ![&target.code_block, &target.target, &target.lines]
                .iter()
                .all(|values| values.is_empty())
            || !target.table.is_empty()
            || self.conditions.is_given()
    }
}

/// Returns the changes that leave one file, and give words to options.
fn option_changes(file: &OsStr, options: &[Opt], words: &[OsString]) -> Vec<Change> {
    // One word after a moved file is its destination.
    let options = match (options, words) {
        ([_, to @ TO], [_]) => std::slice::from_ref(to),
        (options, _) => options,
    };
    let file = Change::Set(ADDRESSES, vec![Path::new(file).argument()]);
    let given = options.iter().zip(words).map(|(option, word)| Change::set(*option, word));
    let missing = options.iter().skip(words.len()).map(|option| match *option {
        CONTENT => Change::set(CONTENT, "TEXT"),
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
        let exists = |path: &Path| ["a.md", "a.yml"].contains(&&*path.to_string_lossy());
        let part_named = |_: &Path, name: &str| match name {
            "A" | "Unreleased" => Some(SECTION),
            "items" => Some(KEY),
            _ => None,
        };
        let changes = args.misplaced(&exists, &part_named);
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
        check(Replace, "a.md b.x", section, "a.md --content b.x");
        check(Set, "a.yml k 1.2.3", |_| {}, "a.yml --key k --content 1.2.3");
        check(Set, "a.yml k=v", |_| {}, "a.yml --key k --content v");
        check(Rename, "a.md B", heading, "a.md --content B");
        check(Rename, "a.md A B", |_| {}, "a.md --heading A --content B");
        check(Move, "a.md docs/", |_| {}, "a.md --to docs/");
        check(Copy, "a.md A b.md", |_| {}, "a.md --section A --to b.md");
        check(Copy, "a.md b.md", |_| {}, "a.md --to b.md --whole-file");
        check(Delete, "a.md A", |_| {}, "a.md --section A");
        check(Delete, "a.md 5-7", |_| {}, "a.md:5-7");
        check(Replace, "a.md:5 x", |_| {}, "a.md:5 --content x");
        check(Copy, "a.md:3 new.md", |_| {}, "a.md:3 --to new.md");
        // These are files that do not exist, or too many words.
        check(Append, "a.md b.markdown", content, "");
        check(Append, "a.md Makefile", content, "");
        check(Append, "a.md b.mdd", |_| {}, "");
        check(Rename, "a.md b2.md", |_| {}, "");
        check(Set, "a.yml cnf.toml", content, "");
        check(Delete, "a.md b.mdd", |_| {}, "");
        check(Delete, "a.md A", section, "");
        check(Delete, "x.md A", |_| {}, "");
        check(Delete, "a.md a.yml", |_| {}, "");
    }
}
