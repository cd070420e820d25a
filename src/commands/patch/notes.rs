//! Turns notes of the engine into sentences, and the data that notes share with refusals.

use crate::commands::output::{MAX_EXCERPT, ordinal, shortened};
use folio_files::error::{Hint, Message};
use folio_files::options::{EXPAND, MULTILINE, TYPE};
use folio_keys::models::{Doubt, Reason, Relation};
use folio_keys::value::Type;
use folio_keys::{Kind, Mistake};
use folio_outline::edit::{Effect, HeadingName, Merge, Note};
use folio_outline::locate::Position;
use folio_outline::outline::SectionKind;
use folio_outline::part::Part;
use folio_outline::structure::symbols::SYMBOL;
use folio_outline::structure::{ChangeKind, StructureChange};

/// Maximum number of structural changes to list in a message.
const MAX_SHOWN: usize = 2;

/// Returns the name of a part that is selected by its number.
pub(super) fn numbered_name(part: &Part) -> String {
    match part {
        Part::CodeBlock { language: Some(language), index, .. } => {
            format!("code block {language}:{index}")
        }
        Part::CodeBlock { index, .. } => format!("code block {index}"),
        Part::Table(index) => format!("table {index}"),
        Part::Section { name, .. } => format!("section '{name}'"),
        Part::Key { key, .. } | Part::FrontMatter { key: Some(key), .. } => format!("'{key}'"),
        Part::Anchor(id) => format!("'{id}'"),
        Part::Whole | Part::Lines(_) | Part::FrontMatter { .. } | Part::Match(_) => {
            "the part".to_owned()
        }
    }
}

/// Returns the sentence for a note.
pub(super) fn sentence(note: &Note) -> Message {
    let sentence = match note {
        Note::Position { part, position: Position { number, count } } => {
            format!("{} is the {} of {count}", numbered_name(part), ordinal(*number))
        }
        Note::NestedSections(1) => "1 nested section is included".to_owned(),
        Note::NestedSections(count) => format!("{count} nested sections are included"),
        Note::HeadingLost { has_headings } => {
            let (heading, rest) = if *has_headings {
                ("heading", "the text after it becomes")
            } else {
                ("section marker", "its keys become")
            };
            format!("the content has no {heading}, so {rest} part of the previous section")
        }
        Note::HeadingChanges { old, new } => {
            format!("the {} changes from '{}' to '{new}'", term(old), old.text)
        }
        Note::HeadingEndsSection(heading) => {
            format!("the {} '{}' in the content ends the section", term(heading), heading.text)
        }
        Note::SectionNameTaken { line } => {
            format!("the section at line {line} already has this name")
        }
        Note::Merges(merge) => merge_text(merge, "becomes"),
        Note::Affects(Effect::Invalid(title, mistake)) => {
            format!("the file is no longer valid {}", invalid_text(title, mistake))
        }
        Note::Affects(effect) => format!("this changes {}", changes_text(effect)),
        Note::FenceLengthened(length) => format!("fence lengthened to {length} characters"),
        Note::LiteralGroup(group) => {
            format!("'{group}' in the content is literal; {EXPAND} inserts the group")
        }
        Note::EmptyMatches => format!(
            "the matches are empty, so nothing is deleted: line ends belong to \
                               matches only with {MULTILINE}, as in '^\\n'"
        ),
        Note::Differs { line, text } => {
            format!("line {line} differs from the given text: '{}'", visible(text))
        }
        Note::MoreDiffer(count) => format!("{count} more matches differ from the given text"),
        Note::Contrast(contrast) => {
            let kind = contrast.kind.with_article();
            format!("'{}' is {kind}, but the other values of this key are strings", contrast.name)
        }
        Note::Doubt { text, doubt } => doubt_text(text, doubt),
        Note::QuotesRemoved => {
            format!("quotes around the content removed ({TYPE} string keeps them)")
        }
        Note::NoLongerString { path, kind } => {
            format!("'{path}' was a string, and is {} now", kind.with_article())
        }
        Note::NewMapping(path) => format!("in the new mapping '{path}'"),
        Note::NewList(path) => format!("in the new list '{path}'"),
        Note::NewSection(marker) => format!("in the new section '{marker}'"),
        Note::SimilarSection(marker) => format!("there is a section '{marker}' too"),
        Note::KeyNamed(key) => format!("as a key named '{key}'"),
        Note::CommentReplaced => "in place of the commented line".to_owned(),
        Note::UsesNotRenamed { name } => {
            let grep = Hint::command("grep", ["-w", "-F", name]);
            format!("only the declaration; its uses: {}", grep.line())
        }
        Note::CommaAdded { line } => format!("a comma added at the end of line {line}"),
        Note::CommentKept => "comment kept".to_owned(),
    };
    sentence.into()
}

/// Returns the term for the line that begins a section.
pub(super) fn term(heading: &HeadingName) -> &'static str {
    match heading.kind {
        SectionKind::Heading(_) => "heading",
        SectionKind::Entry => "log entry",
        SectionKind::Marker => "section marker",
        SectionKind::Symbol(_) => "symbol",
    }
}

/// Returns the term for that line if the section was named before.
pub(super) fn line_term(heading: &HeadingName) -> &'static str {
    match heading.kind {
        SectionKind::Heading(_) => "heading",
        SectionKind::Entry => "first line",
        SectionKind::Marker => "marker",
        SectionKind::Symbol(_) => "signature",
    }
}

/// Describes the first mistake in a file. `title` is that of its format.
pub(super) fn invalid_text(title: &str, mistake: &Mistake) -> String {
    let Mistake { line, column, message } = mistake;
    format!("{title}: line {line}, column {column}: {message}")
}

pub(super) fn merge_text(merge: &Merge, becomes: &str) -> String {
    match merge {
        Merge::ContentInside { line, kind, .. } => {
            let why = format!("line {line} begins {} that is not closed", with_article(kind));
            format!("{why}, so the content {becomes} part of it")
        }
        Merge::BelowInside { line, kind } => {
            let why = format!("the content begins {} that it does not close", with_article(kind));
            format!("{why}, so line {line} {becomes} part of it")
        }
        Merge::Below { line } => format!("line {line} {becomes} part of the content"),
    }
}

/// Returns the name of a kind of block with its article.
fn with_article(kind: &str) -> String {
    let article = if kind.starts_with("HTML") { "an" } else { "a" };
    format!("{article} {kind}")
}

pub(super) fn is_labelled(changes: &[StructureChange]) -> bool {
    changes.iter().any(|change| change.label.is_some())
}

/// Describes changes of the structure.
pub(super) fn changes_text(effect: &Effect) -> String {
    let Effect::Structure { changes, has_keys, .. } = effect else { return String::new() };
    let is_symbol = |change: &StructureChange| change.label == Some(SYMBOL);
    let what = match (is_labelled(changes), has_keys) {
        _ if changes.iter().any(is_symbol) => "symbols",
        (true, true) => "sections or keys",
        (true, false) => "front matter",
        (false, _) => "headings or code blocks",
    };
    let mut shown: Vec<String> = changes.iter().take(MAX_SHOWN).map(change_text).collect();
    if changes.len() > MAX_SHOWN {
        shown.push(format!("and {} more", changes.len() - MAX_SHOWN));
    }
    format!("{what} elsewhere: {}", shown.join(", "))
}

fn change_text(change: &StructureChange) -> String {
    let text = String::from_utf8_lossy(&change.text);
    let text = text.lines().next().unwrap_or_default();
    let line = change.line;
    let named = match change.label {
        Some(label) => format!("the {label} '{text}'"),
        None => format!("'{text}'"),
    };
    match change.kind {
        ChangeKind::Lost => format!("line {line} is no longer {named}"),
        ChangeKind::Created => format!("line {line} becomes {named}"),
        ChangeKind::Moved => format!("{named}, line {line}, moves to another section"),
    }
}

/// Makes tabs, line endings and similar characters visible.
pub(super) fn visible(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let shown = text.chars().map(|character| match character {
        '"' | '\'' | '\\' => character.to_string(),
        character => character.escape_debug().to_string(),
    });
    shown.collect()
}

/// Returns a sentence about the type of a value, and how to get the other one.
fn doubt_text(text: &str, doubt: &Doubt) -> String {
    let text = text.trim();
    let shown = if text.contains('\n') {
        "the content".to_owned()
    } else {
        format!("'{}'", String::from_utf8_lossy(&shortened(text.as_bytes(), MAX_EXCERPT)))
    };
    let others = |relation| match relation {
        Relation::OldValue => "the old value",
        Relation::Items => "the other items of the list",
        Relation::SameKey => "the other values of this key",
        Relation::OtherItems => "the items of the other lists of this key",
        Relation::Siblings => "the other values of the mapping",
    };
    let taken = doubt.taken.with_article();
    let mut note = format!("{shown} is written as {taken}");
    match doubt.reason {
        Reason::Format => {}
        Reason::Like(relation) => note.push_str(&format!(", like {}", others(relation))),
        Reason::Untagged(relation) => {
            note.push_str(&format!(", like {}, and not with a tag", others(relation)));
            note.push_str("; to write the tag, replace the whole entry");
            return note;
        }
        Reason::Mixed(relation) => {
            note.push_str(&format!(", because {} have several types", others(relation)));
        }
        Reason::Unlike(Relation::OldValue) => {
            note.push_str(&format!(", but the old value was {}", doubt.other.with_article()));
        }
        Reason::Unlike(relation) => {
            note.push_str(&format!(", but {} are {}", others(relation), plural(doubt.other)));
        }
    }
    let is_possible = match doubt.other {
        _ if matches!(doubt.reason, Reason::Like(_)) => true,
        Kind::String => true,
        Kind::Float => doubt.taken == Kind::Integer,
        other => other.is_container() && doubt.taken != Kind::String,
    };
    let other = Type::of_kind(doubt.other).filter(|_| is_possible);
    let kind = doubt.other.with_article();
    match other {
        Some(Type::Json) => {
            note.push_str(&format!("; to write {kind}, give it as JSON: {TYPE} json"))
        }
        Some(other) => note.push_str(&format!("; to write {kind}: {TYPE} {}", other.name())),
        None => {}
    }
    note
}

fn plural(kind: Kind) -> String {
    format!("{}s", kind.name())
}
