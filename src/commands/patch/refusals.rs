//! Turns refusals of the engine into sentences, candidates and hints. Those of texts that are not
//! found are in `text_refusals`, and notes in `notes`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::hints;
use super::notes::{changes_text, invalid_text, is_labelled, line_term, merge_text, term};
use super::{Content, Operation, Request, Side};
use crate::commands::misses::{self, MissContext};
use crate::commands::output::{MAX_EXCERPT, shortened};
use crate::commands::shared_args::option_error;
use crate::commands::target::spell::{self, Flag};
use folio_files::address::display;
use folio_files::env::Cancel;
use folio_files::error::{Candidate, Change, Code, Error, Hint};
use folio_files::options::{
    AFTER, BEFORE, BODY, CONTENT, EXPAND, FORCE, FRONT_MATTER, HEADING, IN, KEY, MULTILINE,
    SECTION, TEXT, TO, TYPE, VALUE, WHOLE_FILE,
};
use folio_keys::find::{KeyMiss, Step};
use folio_keys::{Kind, Tree};
use folio_outline::document::{EncodingMiss, LoadedDocument};
use folio_outline::edit::{Effect, HeadingName, KeyRefusal, Merge, Pair, Refusal};
use folio_outline::format::{Feature, Format};
use folio_outline::locate::{Entry, Locator, Miss};
use folio_outline::lookup::{Matching, NameMiss, find_section};
use folio_outline::naming::{unique_label, unique_names};
use folio_outline::part::{Part, SectionPart};
use folio_outline::structure::StructureChange;
use folio_text::lines::without_end;
use folio_text::span::LineRange;

/// The hint for two edits that cannot be made together.
const SEQUENTIAL: &str = r#"combine the two edits, or set "sequential":true in apply"#;

/// Maximum number of matches or changes to list.
pub(super) const MAX_CANDIDATES: usize = 5;

/// What a refusal refers to.
pub(super) struct Refused<'a> {
    pub(super) request: &'a Request,
    /// The document in which the edit was refused.
    pub(super) source: &'a LoadedDocument,
}

/// Returns the error for edits of a document that cannot be made together. `sequential` is a hint.
pub(super) fn edit_set_error(refusal: &Refusal, source: &LoadedDocument) -> Error {
    let overlapping = |message: &str| {
        Error::new(Code::OverlappingEdits, message).at(source.path()).hint(SEQUENTIAL)
    };
    match refusal {
        Refusal::Overlap { first, second } => {
            let place =
                |(number, line): &(usize, u64)| format!("edit {} at line {line}", number + 1);
            overlapping(&format!("{} and {} overlap", place(first), place(second)))
        }
        Refusal::NoRoom => {
            let message = "the entry cannot be moved there without changing other data";
            let copy = "copy it to its new place, then delete it at the old one";
            Error::usage(message).at(source.path()).hint(copy)
        }
        Refusal::TooManyEdits => overlapping("too many edits of one file of this size"),
        Refusal::RepeatsKey => overlapping("together, these edits would repeat a section or a key"),
        Refusal::NotTogether => {
            overlapping("these edits have another effect together than each has alone")
        }
        other => Refused { request: &Request::default(), source }.error(other),
    }
}

/// Returns the error for edits that the encoding of a file cannot represent.
pub(super) fn encoding_error(miss: &EncodingMiss, source: &LoadedDocument) -> Error {
    let message = match miss {
        EncodingMiss::Character(character, encoding) => {
            format!("'{character}' cannot be encoded in {}", encoding.name())
        }
        EncodingMiss::InvalidBytes(encoding) => {
            let name = encoding.name();
            format!("the edit cannot be encoded in {name}, because the file contains invalid bytes")
        }
    };
    Error::new(Code::UnsupportedEncoding, message).at(source.path())
}

pub(super) fn pattern_error(refusal: &Refusal, request: &Request) -> Error {
    let source = &LoadedDocument::of_text(&request.address.path, Vec::new(), Format::Text);
    Refused { request, source }.error(refusal)
}

impl Refused<'_> {
    pub(super) fn error(&self, refusal: &Refusal) -> Error {
        let (request, source) = (self.request, self.source);
        let usage_error = |message: String| Error::usage(message).at(source.path());
        let not_found = |message: &str| Error::new(Code::TargetNotFound, message).at(source.path());
        match refusal {
            Refusal::Missed(miss) => self.missed_error(miss),
            Refusal::Cancelled => Cancel::default().error(),

            Refusal::NoPart => self.no_part_error(),
            Refusal::SeveralRanges => Error::usage("an edit accepts only one range of lines")
                .hint("give an address for each range: FILE:1-3 FILE:7-9"),
            Refusal::PastEnd { line, total } => misses::past_end(*line, *total, source.path()),
            Refusal::NotLines => Error::usage("a text is not a range of whole lines"),
            Refusal::NotKey => Error::usage("this is not a key"),
            Refusal::NoFence => Error::usage("the code block has no fence"),
            Refusal::SymbolInBlock => {
                let message = "symbols in code blocks cannot be edited by name".to_owned();
                let target = request.target.as_ref();
                let part = target.and_then(Part::place).or(target);
                let options = spell::words(part, request.scope.as_deref());
                let read = Hint::command("read", ["-n"]).and(options).and([source.path()]);
                usage_error(message).hint(read.why("its lines, which can be edited"))
            }
            Refusal::CodeBesideTags => {
                Error::usage("the contents of the code block share a line with its tags")
            }
            Refusal::NoEnd { is_key } => {
                let error = Error::usage("append needs a section or a whole file, not this part");
                if *is_key { error } else { error.hint(self.insert_after_hint()) }
            }
            Refusal::TextNotCarried => {
                Error::usage("move and copy accept only whole lines, not text in a line")
            }
            Refusal::ValueNotCarried => {
                Error::usage("move and copy accept only whole lines, not a value")
            }
            Refusal::NothingThere => not_found("there is nothing at that place"),
            Refusal::IntoItself => usage_error("a part cannot be moved into itself".to_owned()),

            Refusal::EmptyContent => self.empty_content_error(),
            Refusal::BlankLineInRows => {
                Error::usage("a blank line would end the table: give rows without one")
            }
            Refusal::ContentNotUtf8 => Error::usage("the content is not valid UTF-8"),
            Refusal::Encoding(miss) => encoding_error(miss, source),

            Refusal::HeadingNeeded { is_part_missing: false } => {
                Error::usage("rename needs a heading")
            }
            Refusal::HeadingNeeded { is_part_missing: true } => {
                let rename = Hint::command("patch", ["rename"]).and([source.path()]);
                let rename = rename.and(["--heading", "OLD", "--content", "NEW"]);
                Error::usage("rename needs a heading").hint(rename)
            }
            Refusal::NoHeading { line } => {
                let inspect = Hint::command("inspect", ["-O"]).and([source.path()]);
                let error = not_found(&format!("line {line} is not a heading"));
                error.hint(inspect.why("list the headings"))
            }
            Refusal::OutOfScope { line } => {
                let place = format!("is not in the section that {IN} names");
                not_found(&format!("the heading at line {line} {place}"))
            }
            Refusal::HeadingOfSeveralLines => {
                Error::usage("a heading is one line, but the content has several")
            }
            Refusal::HeadingInPieces { heading } => {
                Error::usage("the text of this heading spans several lines of a quote or list")
                    .hint(self.replace_heading_hint(heading))
            }
            Refusal::NoHeadingText { text, heading } => {
                let shown = String::from_utf8_lossy(text);
                usage_error(format!("'{shown}' would not be the text of a heading here"))
                    .hint(self.replace_heading_hint(heading))
            }
            Refusal::LevelChange { level, marks } => {
                let message =
                    format!("rename cannot change a heading's level: it is {level}, not {marks}");
                Error::usage(message).hint(format!("replace {HEADING} changes the level"))
            }
            Refusal::NoSectionName { name } => {
                let shown = String::from_utf8_lossy(name);
                usage_error(format!("'{shown}' would not be the name of a section"))
            }
            Refusal::NoSymbolName { name } => {
                let shown = String::from_utf8_lossy(name);
                usage_error(format!("'{shown}' would not be the name of this symbol alone"))
            }
            Refusal::NoSingleName { name } => {
                let shown = String::from_utf8_lossy(name);
                usage_error(format!("'{shown}' has no single name"))
                    .hint("replace the text of its declaration instead")
            }
            Refusal::NoSymbolThere { name, kind } => self
                .forcible_error(format!("the {} '{name}' cannot stand in that place", kind.name())),
            Refusal::OtherLanguage { from, to } => {
                usage_error(format!("{from} code cannot be put into a file with {to} code"))
            }
            Refusal::NoBody { name } => {
                let shown = String::from_utf8_lossy(name);
                usage_error(format!("'{shown}' has no body on lines of its own"))
                    .hint(self.insert_after_hint())
            }
            Refusal::NoHeadingInContent { heading, part } => {
                self.no_heading_in_content_error(heading, *part)
            }
            Refusal::SecondHeading { heading, new } => self.second_heading_error(heading, new),
            Refusal::BeginsSection { line, name } => self.forcible_error(format!(
                "line {line} of the content would begin another section: '{name}'"
            )),

            Refusal::Merges(merge) => self.merge_error(merge),
            Refusal::Affects(effect) => self.effect_error(effect),
            Refusal::ListItemContinues { marker } => {
                let place = "it begins on the line of the list marker";
                let message = format!("{place} '{marker}', and the item continues");
                let error = Error::new(Code::StructureChanged, message).at(source.path());
                error.hint("edit the lines of the list item instead")
            }

            Refusal::Pattern { kind, error, may_span_lines } => {
                let error = option_error(kind.flag(), error.clone());
                if !may_span_lines {
                    return error;
                }
                let multiline = Hint::with_switch(MULTILINE).why("to match across lines");
                Error { hints: Vec::new(), ..error }.hint(multiline)
            }
            Refusal::NoGroup { group } => {
                Error::usage(format!("{EXPAND}: the pattern has no group '{group}'"))
                    .hint("$1 is the first group, ${name} a named one, $$ a dollar sign")
            }
            Refusal::OnlyWhitespace => {
                Error::usage(format!("{TEXT} contains only whitespace, which is ignored"))
            }
            Refusal::TooLarge => Error::usage("the edited text is larger than 4 GiB"),
            Refusal::NoMatch { .. }
            | Refusal::AlreadyApplied { .. }
            | Refusal::OtherCount { .. }
            | Refusal::SeveralMatches { .. }
            | Refusal::FewerMatches { .. } => self.query_error(refusal),

            Refusal::NoFrontMatter if source.format().has(Feature::FrontMatter) => {
                let insert = Hint::command("patch", ["insert"]).and([source.path()]);
                let content = "---\nKEY: VALUE\n---";
                let insert = insert.and(["--whole-file", "--before", "--content", content]);
                not_found("it has no front matter").hint(insert.why("to add it"))
            }
            Refusal::NoFrontMatter | Refusal::NoFrontMatterInFormat => {
                let format = source.format().name();
                let message = format!("only Markdown has front matter, but this is {format}");
                if request.is_found { not_found(&message) } else { usage_error(message) }
            }
            Refusal::InvalidOpening { line, opening } => {
                let message =
                    format!("line {line} is '{opening}', but begins no valid front matter");
                Error::new(Code::InvalidSyntax, message).at(source.path())
            }
            Refusal::LateFrontMatter { line } => self.late_front_matter_error(*line),
            Refusal::NotFrontMatterLine { key } => {
                let part = Part::FrontMatter { key: Some(key.clone()), value: true };
                let value = hints::again_with_target(request, part);
                usage_error(format!("the content is not a line that sets the key '{key}'"))
                    .hint(value.why("as its value"))
            }

            Refusal::KeyNeeded if request.to.is_some() => {
                usage_error(format!("{TO} needs a key, FILE#KEY").to_owned())
            }
            Refusal::KeyNeeded => Error::usage("set needs a key"),
            Refusal::KeyNeedsLine => {
                let message =
                    "the key of an INI file is moved and copied only to a line of an INI file";
                usage_error(message.to_owned())
                    .hint(format!("{TO} FILE:LINE, or use set to add the key to a section"))
            }
            Refusal::ItemNeeded => {
                usage_error(format!("{BEFORE} and {AFTER} need an item of a list in {TO}"))
            }
            Refusal::NothingBeside => {
                usage_error(format!("{BEFORE} and {AFTER} need an existing key or item in {KEY}"))
            }
            Refusal::NewKeyPath { key, message } => {
                usage_error(format!("{KEY} '{key}': {message}"))
            }
            Refusal::Value { message } => Error::usage(message.as_str()),
            Refusal::Keys { line, reason } => self.key_error(*line, reason),
            Refusal::NotKeyLine { key, may_be_value } => {
                let error =
                    usage_error(format!("the content is not a line that sets the key '{key}'"));
                if !may_be_value {
                    return error.hint(format!("such a line looks like: {key} = VALUE"));
                }
                let mut value_request = request.clone();
                if let Some(Part::Key { value, .. }) = &mut value_request.target {
                    *value = true;
                }
                error.hint(hints::again(self.request, &value_request).why("as its value"))
            }
            Refusal::KeyExists { key, line, is_same: true } => {
                let message = format!("the key '{key}' already exists on line {line}");
                Error::new(Code::AlreadyApplied, message).at(source.path())
            }
            Refusal::KeyExists { key, line, is_same: false } => {
                let operation = Operation::Replace;
                let replace = Request { operation, ..request.clone() };
                usage_error(format!(
                    "the key '{key}' already exists on line {line}, with another value"
                ))
                .hint(hints::again(self.request, &replace).why("to change it"))
            }
            Refusal::ValueNotDeleted => {
                usage_error(format!("{VALUE}: only whole entries of this format can be deleted"))
            }
            Refusal::MergeKeySet => {
                usage_error("merge keys cannot be set; replace or insert the whole line".to_owned())
            }
            Refusal::ThroughAlias { line, alias, original_line, original } => {
                let message = format!(
                    "line {line}: this entry refers to line {original_line} through the alias \
                     {alias}; an edit would change both"
                );
                usage_error(message).hint(Hint::with_value(KEY, original).why("the original"))
            }
            Refusal::HasEntries { path, kind, first } => {
                let error =
                    usage_error(format!("'{path}' is {} with entries", kind.with_article()));
                let first_entry =
                    first.as_ref().map(|first| Hint::with_value(KEY, first).why("one of them"));
                let all_entries =
                    Hint::with_value(TYPE, "string").why("to replace them all with a string");
                first_entry.into_iter().fold(error, Error::hint).hint(all_entries)
            }
            Refusal::NotEntry { line, path, value } => {
                self.not_entry_error(*line, path, value.as_deref())
            }
            Refusal::NotList { path, kind, pair } => {
                self.not_list_error(path, *kind, pair.as_ref())
            }
            Refusal::TypeOfText => {
                let message = "gives the type of a value of a key, or of an item of a list";
                usage_error(format!("{TYPE} {message}; this file is not a list"))
            }
            Refusal::KeyFound { key, line, name, pair } => {
                let error = usage_error(format!("the key '{key}' already exists on line {line}"));
                let set = match pair {
                    Some(pair) if name.as_ref() != Some(&pair.name) => {
                        let after = Request { side: Some(Side::After), ..request.clone() };
                        return error.hint(
                            hints::again(self.request, &after).why("to insert it after this key"),
                        );
                    }
                    pair => self.with_value(pair.as_ref()),
                };
                let set = Request { operation: Operation::Set, ..set };
                error.hint(hints::again(self.request, &set).why("to change it"))
            }
            Refusal::KeyTaken { path, line } => {
                let hint = Hint::command("patch", ["delete"]).and([source.path()]);
                let hint = hint.and(["--key", path]).why("to delete it first");
                usage_error(format!("the key '{path}' already exists on line {line}")).hint(hint)
            }
            Refusal::OnlyRenames { name } => {
                let rename =
                    Request { to: None, ..self.with_operation(Operation::Rename, name.as_bytes()) };
                usage_error("the new place is another name in the same mapping".to_owned())
                    .hint(hints::again(self.request, &rename).why("to rename the key"))
            }

            Refusal::Overlap { .. }
            | Refusal::NoRoom
            | Refusal::TooManyEdits
            | Refusal::NotTogether
            | Refusal::RepeatsKey => edit_set_error(refusal, source),
        }
    }

    fn with_operation(&self, operation: Operation, bytes: &[u8]) -> Request {
        let content = Some(Content { bytes: bytes.to_vec(), file: None });
        Request { operation, content, ..self.request.clone() }
    }

    /// Returns the request with the value in its content as the content, if there is one.
    fn with_value(&self, pair: Option<&Pair>) -> Request {
        match pair {
            Some(pair) => self.with_operation(self.request.operation, &pair.value),
            None => self.request.clone(),
        }
    }

    /// Returns the error for a part that is missing or ambiguous.
    fn missed_error(&self, miss: &Miss) -> Error {
        let (request, path) = (self.request, self.source.path());
        let is_destination =
            request.address.path != path && request.to.as_ref().is_some_and(|to| to.path == path);
        let anchor = |id: &str| {
            if is_destination {
                Change::set(TO, misses::anchor_address(path, id))
            } else {
                misses::anchor_change(request.target.as_ref(), &request.address.part, path, id)
            }
        };
        let locator = Locator {
            outline: self.source.outline(),
            names: None,
            scope: request.scope.as_deref(),
            matching: Matching::Exact,
        };
        let target = request.target.as_ref().filter(|_| !is_destination);
        let context = MissContext { locator, path, target, anchor: &anchor };
        let error = context.error(miss);
        if let Some(hint) = self.new_section_hint(miss) {
            return Error { hints: vec![hint], ..error };
        }
        let Miss::Entry(_, KeyMiss::NotFound { container, .. }) = miss else { return error };
        // A key of INI may need a section, and its line is not its value.
        let is_ini = self.source.format().has(Feature::MarkedSections);
        let is_value = matches!(request.target, Some(Part::Key { value: true, .. }));
        let may_be_set = !is_ini || is_value && container.index != Tree::ROOT;
        if request.operation != Operation::Replace || !may_be_set {
            return error;
        }
        let mut set = Request { operation: Operation::Set, ..request.clone() };
        if let Some(Part::Key { value, .. } | Part::FrontMatter { value, .. }) = &mut set.target {
            *value = false;
        }
        error.hint(hints::again(self.request, &set).why("to add it"))
    }

    /// If content is appended to a section that does not exist in one that does, such as
    /// `Unreleased > Changed`, returns the call that also appends its heading.
    fn new_section_hint(&self, miss: &Miss) -> Option<Hint> {
        let Miss::Section { name, miss: NameMiss::NotFound { .. }, .. } = miss else { return None };
        let Some(Part::Section { part: SectionPart::Whole, .. }) = &self.request.target else {
            return None;
        };
        let outline = self.source.outline();
        let content = self.request.content.as_ref().filter(|content| content.file.is_none())?;
        if self.request.operation != Operation::Append || outline.format().is_tree() {
            return None;
        }
        let (parent, child) =
            name.rsplit_once('>').map(|(path, child)| (path.trim(), child.trim()))?;
        let index = find_section(outline, parent, None, Matching::Exact).ok()?;
        let level = outline.sections()[index].level()?;
        let marks = "#".repeat(usize::from(level) + 1);
        let heading = format!("{marks} {}", child.trim_start_matches('#').trim());
        let text = String::from_utf8_lossy(&content.bytes);
        let changes = [
            Change::replace(SECTION, name, unique_label(outline, index)),
            Change::set(CONTENT, format!("{heading}\n\n{text}")),
        ];
        Some(Hint::again(changes).why("to add the section"))
    }

    /// Returns the error for an operation that needs a part of the file.
    fn no_part_error(&self) -> Error {
        let request = self.request;
        let position = match request.operation {
            Operation::Insert if request.side == Some(Side::Before) => "before ",
            Operation::Insert => "after ",
            _ => "",
        };
        let section = Request { target: Some(Part::section("NAME")), ..request.clone() };
        let whole_file = Request { target: Some(Part::Whole), ..request.clone() };
        Error::usage(format!("{} needs a part of the file", request.operation.name()))
            .at(&request.address.path)
            .hint(hints::again(self.request, &section).why(format!("{position}a section")))
            .hint(hints::again(self.request, &whole_file).why(format!("{position}all of it")))
    }

    fn insert_after_hint(&self) -> Hint {
        let (operation, side) = (Operation::Insert, Some(Side::After));
        let insert = Request { operation, side, ..self.request.clone() };
        hints::again(self.request, &insert).why("insert after it")
    }

    fn empty_content_error(&self) -> Error {
        let operation = self.request.operation.name();
        let message = format!("the content is empty, so {operation} would add nothing");
        let error = Error::new(Code::EmptyContent, message).at(&self.request.address.path);
        if self.request.operation != Operation::Replace {
            return error.hint("is a shell variable unset, or is the file empty?");
        }
        let operation = Operation::Delete;
        let delete = Request { operation, content: None, ..self.request.clone() };
        error.hint(hints::again(self.request, &delete).why("delete the part"))
    }

    /// Returns the error for a change of the structure that the user may force.
    fn forcible_error(&self, message: String) -> Error {
        Error::new(Code::StructureChanged, message).at(self.source.path()).hint(force_hint())
    }

    /// Returns the command that replaces the line of a heading.
    fn replace_heading_hint(&self, heading: &[u8]) -> Hint {
        hints::again(self.request, &self.with_operation(Operation::Replace, heading))
            .why("whatever it becomes")
    }

    /// Returns the error for content without a heading, which would remove the heading of a
    /// section.
    fn no_heading_in_content_error(&self, heading: &HeadingName, part: SectionPart) -> Error {
        let (term, shown) = (term(heading), &heading.text);
        let message =
            format!("the content does not begin with a {term}, so '{shown}' would be removed");
        let error = Error::new(Code::StructureChanged, message).at(self.source.path());
        let content = self.request.content.as_ref().map_or(&[][..], |content| &content.bytes);
        let is_line = !without_end(content).contains(&b'\n');
        let error = if part == SectionPart::Heading && !is_line {
            error
        } else if part == SectionPart::Heading {
            let operation = Operation::Rename;
            let rename = Request { operation, ..self.request.clone() };
            error.hint(hints::again(self.request, &rename).why("to change only its text"))
        } else if !self.source.outline().has_body(heading.index) {
            error
        } else {
            let why = format!("to keep the {}", line_term(heading));
            error.hint(self.replace_part_hint(heading, SectionPart::Body).why(why))
        };
        error.hint(force_hint())
    }

    /// Returns the error for the body of a section that contains a heading which ends it.
    fn second_heading_error(&self, heading: &HeadingName, new: &HeadingName) -> Error {
        let (term, shown) = (term(heading), &new.text);
        let message =
            format!("the content contains the {term} '{shown}', but {BODY} keeps the present one");
        let why = format!("to replace the {}, too", line_term(heading));
        Error::new(Code::StructureChanged, message)
            .at(self.source.path())
            .hint(self.replace_part_hint(heading, SectionPart::Whole).why(why))
            .hint(force_hint())
    }

    /// Returns the command that replaces another part of a section.
    fn replace_part_hint(&self, heading: &HeadingName, part: SectionPart) -> Hint {
        let mut request = self.request.clone();
        match &mut request.target {
            Some(Part::Section { part: section_part, .. }) => *section_part = part,
            target => {
                let names = unique_names(self.source.outline());
                let name = names[heading.index].clone().unwrap_or_default();
                *target = Some(Part::Section { name, part, children: None });
                request.address.part = Part::Whole;
            }
        }
        hints::again(self.request, &request)
    }

    fn merge_error(&self, merge: &Merge) -> Error {
        let message = merge_text(merge, "would become");
        let error = Error::new(Code::StructureChanged, message).at(self.source.path());
        let Merge::ContentInside { closed_by: Some((line, end)), .. } = merge else {
            return error.hint(force_hint());
        };
        // The content may arrive in another file than that of the request.
        let line = display(self.source.path(), Some(LineRange::line(*line)));
        let close = Hint::command("patch", ["insert"]).and([line]);
        let close = close.and(["--after", "--content"]).and([OsStr::from_bytes(end)]);
        error.hint(close.why("close it first")).hint(force_hint())
    }

    fn effect_error(&self, effect: &Effect) -> Error {
        let (changes, is_before_all) = match effect {
            Effect::Invalid(title, mistake) => {
                let invalid = invalid_text(title, mistake);
                return self.forcible_error(format!("the file would no longer be valid {invalid}"));
            }
            Effect::Structure { changes, is_before_all, .. } => (changes, *is_before_all),
        };
        let message = format!("this would change {}", changes_text(effect));
        let mut error = Error::new(Code::StructureChanged, message).at(self.source.path());
        let candidate = |change: &StructureChange| {
            let text = String::from_utf8_lossy(&shortened(&change.text, MAX_EXCERPT)).into_owned();
            Candidate { line: change.line, text: text.clone(), path: vec![text] }
        };
        error.candidates = changes.iter().take(MAX_CANDIDATES).map(candidate).collect();
        let is_labelled = is_labelled(changes);
        if is_labelled && is_before_all {
            // The edits of a file are checked together, without their requests.
            let insert_after = Hint::again([
                Change::remove(WHOLE_FILE),
                Change::remove(BEFORE),
                Change::Switch(FRONT_MATTER),
                Change::Switch(AFTER),
            ]);
            error = error.hint(insert_after.why("to insert it after the front matter"));
        } else if !is_labelled {
            error =
                error.hint("begin or end the content with a blank line, or close its code block");
        }
        error.hint(force_hint())
    }

    fn late_front_matter_error(&self, line: u64) -> Error {
        let path = self.source.path();
        let message = "front matter must begin at the start of line 1";
        let error = Error::new(Code::InvalidSyntax, format!("line {line}: {message}")).at(path);
        let delete = Hint::command("patch", ["delete"]);
        // The lines below become front matter, so the edit changes the structure.
        error.hint(match LineRange::new(1, line - 1) {
            Some(above) => delete
                .and([display(path, Some(above))])
                .and(["--force"])
                .why("to delete the blank lines above it"),
            None => delete
                .and([display(path, Some(LineRange::line(1)))])
                .and(["--pattern", r"^[\s\u{feff}\u{200b}\u{2060}]+", "--force"])
                .why("to delete the blanks before it"),
        })
    }

    /// Returns the error for content that is not the entry that it replaces.
    fn not_entry_error(&self, line: u64, path: &str, value: Option<&[u8]>) -> Error {
        let mut part = self.request.target.clone();
        match &mut part {
            Some(Part::FrontMatter { value, .. }) => *value = true,
            _ => part = Some(Part::Key { section: None, key: path.to_owned(), value: true }),
        }
        let with_value = value.map(|value| self.with_operation(self.request.operation, value));
        let with_value = with_value.unwrap_or_else(|| self.request.clone());
        let hint = hints::again(self.request, &Request { target: part, scope: None, ..with_value });
        Error::usage(format!("line {line}: the content is not an entry '{path}'"))
            .at(self.source.path())
            .hint(hint.why("replace only its value"))
    }

    /// Returns the error for an item that is appended to a value other than a list.
    fn not_list_error(&self, path: &str, kind: Kind, pair: Option<&Pair>) -> Error {
        let message =
            format!("'{path}' is {}, and append adds an item to a list", kind.with_article());
        let error = Error::usage(message).at(self.source.path());
        if kind != Kind::Mapping {
            return error;
        }
        let name = pair.map_or("NAME", |pair| &pair.name);
        let part = Part::Key { section: None, key: format!("{path}.{name}"), value: false };
        let (operation, target, scope) = (Operation::Set, Some(part), None);
        let set = Request { operation, target, scope, ..self.with_value(pair) };
        error.hint(hints::again(self.request, &set).why("add a key"))
    }

    /// Returns the error for an edit that the syntax of the keys does not allow. `line` is that of the
    /// entry.
    fn key_error(&self, line: Option<u64>, reason: &KeyRefusal) -> Error {
        let (request, source) = (self.request, self.source);
        let usage_error = |message: String| Error::usage(message).at(source.path());
        let line_of = |index: usize| {
            let tree = source.outline().entries().filter(|tree| index < tree.nodes.len());
            tree.map(|tree| tree.lines(index).start()).or(line)
        };
        let at = |line: Option<u64>| match line {
            Some(line) => usage_error(format!("line {line}: {reason}")),
            None => usage_error(reason.to_string()),
        };
        match reason {
            KeyRefusal::OpenValue { index, name } => {
                misses::open_value(line_of(*index).unwrap_or_default(), name, source.path())
            }
            KeyRefusal::MayContinue { index, .. } | KeyRefusal::Exists { index, .. } => {
                at(line_of(*index))
            }
            KeyRefusal::OnMarkerLine { section } => at(line_of(*section)),
            KeyRefusal::SeveralLines if request.operation == Operation::Set => {
                Error::usage("set takes a value of one line, but the content has several")
            }
            KeyRefusal::SeveralLines => {
                Error::usage(format!("{VALUE} accepts one line, but the content has several"))
                    .hint(format!("remove {VALUE}  # and give whole lines, with the key"))
            }
            KeyRefusal::OtherValue(value) => {
                self.with_quoted_line_hint(usage_error(reason.to_string()), value)
            }
            KeyRefusal::NeedsSection(key) => {
                let outline = source.outline();
                let error = usage_error(reason.to_string());
                if outline.sections().is_empty() {
                    return error.hint(Hint::again([
                        Change::set(SECTION, "SECTION"),
                        Change::set(KEY, key),
                    ]));
                }
                let hint = |section: usize| {
                    let section = Some(unique_label(outline, section));
                    let part = Part::Key { section, key: key.clone(), value: false };
                    hints::again_with_target(request, part)
                };
                let sections = (0..outline.sections().len()).take(3);
                sections.fold(error, |error, index| error.hint(hint(index)))
            }
            KeyRefusal::WideEdges
            | KeyRefusal::NoKeyName(_)
            | KeyRefusal::NoSectionName(_)
            | KeyRefusal::InSections { .. }
            | KeyRefusal::NotOneKey(_) => usage_error(reason.to_string()),
            KeyRefusal::Other(_) => at(line),
        }
    }

    /// Adds to the error for a value that would be read as something else the request with the whole
    /// line of the key, and the value in quotes, if it would then be read.
    fn with_quoted_line_hint(&self, error: Error, value: &str) -> Error {
        if self.request.operation != Operation::Set {
            let hint =
                format!("remove {VALUE}  # and give the whole line, with the quotes that it needs");
            return error.hint(hint);
        }
        let Some(target) = &self.request.target else { return error };
        let outline = self.source.outline();
        let locator = Locator { outline, names: None, scope: None, matching: Matching::Exact };
        let Ok(Some(Entry { tree, path, found })) = locator.entry(target) else { return error };
        let Some(Step::Name(name)) = path.steps.iter().rfind(|step| matches!(step, Step::Name(_)))
        else {
            return error;
        };
        let line = format!("{name} = \"{value}\"");
        let read = folio_keys::parse(tree.syntax, line.as_bytes());
        if !read.is_ok_and(|read| read.nodes.len() == 2 && read.scalar(1) == value) {
            return error;
        }
        let operation = if found.is_ok() { Operation::Replace } else { Operation::Insert };
        let mut line_request = self.with_operation(operation, line.as_bytes());
        if let Some(Part::Key { value, .. }) = &mut line_request.target {
            *value = false;
        }
        error.hint(
            hints::again(self.request, &line_request).why("to give the whole line, with quotes"),
        )
    }
}

fn force_hint() -> Hint {
    Hint::with_switch(FORCE).why("to do it anyway")
}
