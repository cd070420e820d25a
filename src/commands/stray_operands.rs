//! Operands of `read` and `inspect` that are not files, but lines, or a part of the file before them.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::commands::host::Host;
use crate::commands::job;
use crate::commands::target::spell::PartOption;
use folio_files::address::Address;
use folio_files::document::DocumentOptions;
use folio_files::error::{Change, Error, Hint, Opt};
use folio_files::options::{ADDRESSES, BODY, HEADING, IN, KEY, SECTION};
use folio_outline::document::Document;
use folio_outline::locate::Locator;
use folio_outline::lookup::{Matching, NameMiss, find_section};
use folio_outline::outline::Outline;
use folio_outline::part::Part;
use folio_text::span::parse_line_ranges;

/// What a command reads from its operands.
pub struct ReadOperands<'a> {
    /// The operands: files, and perhaps words.
    pub operands: &'a [OsString],
    /// The options that select the part. Empty if the operands do.
    pub part: &'a [PartOption],
    /// Whether the command is `read`, so that hints repeat its call.
    pub is_read: bool,
    /// Options for reading documents.
    pub documents: &'a DocumentOptions,
}

impl ReadOperands<'_> {
    /// Fails if an operand is not a file but one before it is. Such an operand is probably a line
    /// range, the name of a part, or a piece of a name without quotes.
    pub fn refuse_stray(&self, host: &Host) -> Result<(), Error> {
        let roots = &host.env.roots;
        let is_file = |word: &OsString| {
            Address::parse(word, |path| roots.exists(path))
                .is_ok_and(|address| roots.exists(&address.path))
        };
        let is_stray = |word: &OsString| !is_file(word) && word != "-";
        let (files, words): (Vec<OsString>, Vec<OsString>) =
            self.operands.iter().cloned().partition(|word| !is_stray(word));
        let (Some(first), Some(file)) = (self.operands.iter().position(is_stray), files.last())
        else {
            return Ok(());
        };
        let text = words.join(OsStr::new(" ")).to_string_lossy().into_owned();
        let set_files = |files: Vec<OsString>| Change::Set(ADDRESSES, files);
        let may_be_part = self.part.is_empty() && first > 0;
        let is_whole_file = may_be_part && roots.exists(Path::new(&self.operands[first - 1]));
        if is_whole_file && words.len() == 1 && parse_line_ranges(&text).is_ok() {
            let mut operands = self.operands.to_vec();
            operands.remove(first);
            operands[first - 1].push(":");
            operands[first - 1].push(&text);
            let error = Error::usage(format!("'{text}' is not a file"));
            return Err(error.hint(Hint::again([set_files(operands)]).why("lines of a file")));
        }
        if may_be_part
            && let path = Path::new(&self.operands[first - 1])
            && let Some((option, what, names)) = self.parts_named(path, &words, host)
        {
            let shown = names[0].to_string_lossy();
            let message = format!("'{shown}' is not a file, but {what} of {}", path.display());
            let hint = if self.is_read {
                Hint::again([set_files(files), Change::Set(option, names)])
            } else {
                let options = names.iter().flat_map(|name| [OsStr::new(option.0), name]);
                Hint::command("read", [path]).and(options)
            };
            return Err(Error::usage(message).hint(hint));
        }
        let is_name = |option: Opt| [SECTION, BODY, HEADING, IN].contains(&option);
        if let Some((option, Some(value))) = self.part.last()
            && is_name(*option)
            && words.iter().all(|word| !word.to_string_lossy().contains(['/', '.', ':', '#', '@']))
            && roots.exists(Path::new(file))
        {
            let quoted = Change::replace(*option, value, format!("{value} {text}"));
            let error = Error::usage(format!("'{}' is not a file", words[0].to_string_lossy()));
            let hint = Hint::again([set_files(files), quoted]);
            return Err(error.hint(hint.why("quote a name that contains spaces")));
        }
        Ok(())
    }

    /// Returns the option for the parts of a file that words name, together or each of them, the
    /// kind of the parts and their names.
    fn parts_named(
        &self,
        file: &Path,
        words: &[OsString],
        host: &Host,
    ) -> Option<(Opt, &'static str, Vec<OsString>)> {
        let document = opened(file, self.documents, host)?;
        let outline = document.outline().ok()?;
        let named = |name: &OsStr| part_in(outline, name.to_str().unwrap_or_default());
        let joined = words.join(OsStr::new(" "));
        if let Some((option, what)) = named(&joined) {
            return Some((option, what, vec![joined]));
        }
        let found: Option<Vec<_>> = words.iter().map(|word| named(word)).collect();
        let found =
            found.filter(|found| words.len() > 1 && found.windows(2).all(|two| two[0] == two[1]));
        found.map(|found| (found[0].0, found[0].1, words.to_vec()))
    }
}

/// Returns the option for a part of a file, and the kind of the part, if the file has a part of this
/// name.
pub fn part_named(
    file: &Path,
    name: &str,
    documents: &DocumentOptions,
    host: &Host,
) -> Option<(Opt, &'static str)> {
    part_in(opened(file, documents, host)?.outline().ok()?, name)
}

/// Opens a file, if it is one.
fn opened(file: &Path, documents: &DocumentOptions, host: &Host) -> Option<Document> {
    host.env.roots.is_file(file).then(|| job::open(file, documents, host).ok()).flatten()
}

fn part_in(outline: &Outline, name: &str) -> Option<(Opt, &'static str)> {
    let key = Part::Key { section: None, key: name.to_owned(), value: false };
    let matching = Matching::Exact;
    let locator = Locator { outline, names: None, scope: None, matching };
    if matches!(locator.entry(&key), Ok(Some(entry)) if entry.found.is_ok()) {
        return Some((KEY, "a key"));
    }
    match find_section(outline, name, None, Matching::Relaxed) {
        Ok(_) | Err(NameMiss::Ambiguous { .. }) => Some((SECTION, "a section")),
        Err(NameMiss::NotFound { .. }) => None,
    }
}
