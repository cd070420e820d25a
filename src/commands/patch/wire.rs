//! JSON that comes in: the edits of `apply`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::operation_args::{OperationArg, refuse_fields};
use super::options::{Edit, Edits, Input, Operand, OperationParts, Options};
use super::words::Words;
use super::{EditOptions, LinkScope, Occurrence, Operation};
use crate::commands::conditions::flags::ConditionArgs;
use crate::commands::conditions::{self, Conditions};
use crate::commands::json;
use crate::commands::schema;
use crate::commands::shared_args::{contradiction, flag_error};
use crate::commands::target::json::TargetObject;
use crate::commands::target::{self, Target};
use crate::error::Error;
use crate::text::pattern::{Case, PatternOptions};

/// Edits that `apply` takes.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) edits: Vec<BatchEdit>,
    /// Whether each sees what the one before made.
    pub(super) sequential: bool,
}

/// An edit and its file.
#[derive(Debug)]
pub(super) struct BatchEdit {
    file: String,
    is_address: bool,
    pub(super) edit: Edit,
    /// What parts must be like: each of those in the file, or below the directory, is edited.
    conditions: Option<Conditions>,
    /// How many there must be.
    expect_parts: Option<u64>,
}

impl BatchEdit {
    /// The same as a run of its own, where conditions select what it is of.
    pub(super) fn selecting(&self, options: &Options) -> Result<Option<Options>, Error> {
        let Some(conditions) = &self.conditions else { return Ok(None) };
        let edits = Edits::Each {
            addresses: vec![OsString::from(&self.file)],
            edit: Box::new(self.edit.clone()),
        };
        let (conditions, expect_parts) = (conditions.clone(), self.expect_parts);
        let own = Options { edits, conditions, expect_parts, ..options.clone() };
        own.check_conditions(&self.edit, Words::Fields)?;
        Ok(Some(own))
    }

    pub(super) fn operand(&self) -> Operand<'_> {
        match self.is_address {
            true => Operand::Address(OsStr::new(&self.file)),
            false => Operand::File(OsStr::new(&self.file)),
        }
    }
}

/// One edit; the names of its fields are those of the flags (folio patch --help).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["address"]}, {"required": ["filePath"]}]))]
struct EditObject {
    /// A file and a part of it, such as guide.md:10-20 or guide.md#install
    address: Option<String>,
    /// A file; with select, or a directory
    file_path: Option<String>,
    /// What to do
    #[schemars(with = "OperationArg")]
    operation: String,
    /// The part
    #[schemars(with = "Option<EditTarget>")]
    target: Option<serde_json::Value>,
    /// Conditions on parts: each of those that meet them is edited
    #[schemars(with = "Option<ConditionArgs>")]
    select: Option<serde_json::Value>,
    /// Look for the target in this section only
    #[serde(rename = "in")]
    scope: Option<String>,
    /// What to put in
    content: Option<String>,
    /// Where move and copy put the part: an address
    to: Option<String>,
    /// Before the part or place
    #[serde(default)]
    before: bool,
    /// After the part or place
    #[serde(default)]
    after: bool,
    /// Which match of a text or pattern
    occurrence: Option<OccurrenceObject>,
    /// Refuse if there are several matches
    #[serde(default)]
    unique: bool,
    /// Refuse unless there are this many matches or parts
    expect: Option<u64>,
    /// Ignore matches in code blocks
    #[serde(default)]
    outside_code: bool,
    /// Ignore matches in HTML comments of Markdown
    #[serde(default)]
    outside_comments: bool,
    /// Fill $1 and ${name} in the content from the pattern's groups
    #[serde(default)]
    expand: bool,
    /// Match letters of either case
    #[serde(default)]
    ignore_case: bool,
    /// Match whole words only
    #[serde(default)]
    word_regexp: bool,
    /// Match whole lines only
    #[serde(default)]
    line_regexp: bool,
    /// Let the pattern match over several lines
    #[serde(default)]
    multiline: bool,
    /// Take any run of blanks for any other
    #[serde(default)]
    ignore_whitespace: bool,
    /// Take quotes, dashes and accents for equal however they are spelt
    #[serde(default)]
    normalize_unicode: bool,
    /// Indent content as the part is; true unless given
    preserve_indent: Option<bool>,
    /// Take parts and content with just their blank lines and indentation
    #[serde(default)]
    exact: bool,
    /// Keep links right that the edit would break, in the whole repository
    #[serde(default)]
    links: bool,
    /// The same only in these files and directories
    #[serde(default)]
    links_in: Vec<PathBuf>,
    /// Values for {{names}} in the content
    #[serde(default)]
    set: BTreeMap<String, String>,
    /// Refuse unless the file's SHA-256 begins with this
    #[schemars(regex(pattern = r"^[0-9a-fA-F]{12,64}$"))]
    if_match: Option<String>,
    /// Refuse unless the part's SHA-256 begins with this
    #[schemars(regex(pattern = r"^[0-9a-fA-F]{12,64}$"))]
    if_range_match: Option<String>,
    /// The target is all of the file
    #[serde(default)]
    whole_file: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum OccurrenceObject {
    Number(#[schemars(range(min = 1))] u64),
    Name(#[schemars(regex(pattern = r"^([1-9][0-9]*|first|last|all)$"))] String),
}

/// A part of a file; to insert, a side of a heading too.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("minProperties" = 1, "dependentRequired" = {"flags": ["pattern"]}))]
#[schemars(extend("additionalProperties" = false))]
struct EditTarget {
    #[schemars(flatten)]
    _target: TargetObject,
    /// To insert: before the line of this heading
    #[schemars(rename = "beforeHeading")]
    _before_heading: Option<String>,
}

/// The edits that folio patch apply takes: one, a list of them, one a line, or an object that
/// holds a list. All are made, or none.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum EditsSchema {
    _One(Box<EditObject>),
    _List(#[schemars(length(min = 1))] Vec<EditObject>),
    _Object(EditsObject),
}

/// A list of edits. Lines and parts are those of the files before, unless `sequential` is true.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EditsObject {
    #[schemars(with = "Vec<EditObject>", length(min = 1))]
    edits: Vec<serde_json::Value>,
    /// Each edit sees what the one before made
    #[serde(default)]
    sequential: bool,
}

/// The JSON Schema of edits.
pub(super) fn schema() -> String {
    schema::input::<EditsSchema>("edits", "patch apply")
}

/// The edits of a text: one edit, an array of them, one a line, or an object
/// that contains them as `edits`.
pub(super) fn edits(text: &[u8]) -> Result<Batch, Error> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if is_diff(text) {
        return Err(Error::usage("this is a diff, not edits in JSON")
            .hint("git apply FILE  # takes a diff"));
    }
    let values: Result<Vec<serde_json::Value>, _> =
        serde_json::Deserializer::from_slice(text).into_iter().collect();
    let mut values = values.map_err(|error| json::misread("edits", &error).hint(LIKE))?;
    let mut sequential = false;
    let list = match &mut values[..] {
        [] => return Err(no_edits()),
        [serde_json::Value::Array(list)] => std::mem::take(list),
        [serde_json::Value::Object(object)] if object.contains_key("edits") => {
            let object = serde_json::Value::Object(std::mem::take(object));
            let object: EditsObject = serde_json::from_value(object)
                .map_err(|error| json::misread("edits", &error).hint(LIKE))?;
            sequential = object.sequential;
            object.edits
        }
        _ => values,
    };
    if list.is_empty() {
        return Err(no_edits());
    }
    let numbered = list.into_iter().zip(1..);
    let edits = numbered.map(|(value, number)| edit(value, &edit_name(number)));
    let edits = edits.collect::<Result<Vec<BatchEdit>, Error>>()?;
    if sequential && edits.iter().any(|edit| edit.conditions.is_some()) {
        let message = "select cannot be used with sequential: parts are selected first";
        return Err(Error::usage(message));
    }
    Ok(Batch { edits, sequential })
}

/// What errors call an edit; they are counted from 1.
pub(super) fn edit_name(number: usize) -> String {
    format!("edit {number}")
}

/// What an edit is like.
const LIKE: &str =
    r#"an edit is like {"filePath":"a.md","operation":"delete","target":{"section":"Old"}}"#;

fn no_edits() -> Error {
    Error::usage("edits: there are none").hint(LIKE)
}

fn is_diff(text: &[u8]) -> bool {
    [&b"--- "[..], b"diff ", b"Index: ", b"@@ "].iter().any(|mark| text.starts_with(mark))
}

/// The edit that JSON stands for; an error calls it what it is.
fn edit(value: serde_json::Value, what: &str) -> Result<BatchEdit, Error> {
    let fields = value.as_object().cloned().unwrap_or_default();
    let object: EditObject =
        serde_json::from_value(value).map_err(|error| json::misread(what, &error))?;
    refuse_fields(&fields).map_err(|error| flag_error(what, error))?;
    object.edit().map_err(|error| flag_error(what, error))
}

impl EditObject {
    fn patterns(&self) -> PatternOptions {
        PatternOptions {
            fixed: false,
            case: if self.ignore_case { Case::Insensitive } else { Case::Sensitive },
            word: self.word_regexp,
            line: self.line_regexp,
        }
    }

    /// The target, and the section to look for it in.
    fn target(&mut self) -> Result<(Option<Target>, Option<String>), Error> {
        let scope = self.scope.take();
        let Some(mut value) = self.target.take() else {
            return Ok((self.whole_file.then_some(Target::WholeFile), scope));
        };
        if let Some(side) = target::json::take_side(&mut value) {
            beside(side, &self.operation, &mut self.before, &mut self.after)?;
        }
        let (target, own) = target::json::target(value, "target", self.patterns())?;
        match (scope, own) {
            (Some(_), Some(_)) => Err(contradiction("in", "the target's in")),
            (scope, own) => Ok((Some(target), scope.or(own))),
        }
    }

    /// The same with how its text or pattern is compared.
    fn target_and_scope(&mut self) -> Result<(Option<Target>, Option<String>), Error> {
        let (mut target, scope) = self.target()?;
        if let Some(Target::Match(query)) = &mut target {
            query.multiline = self.multiline;
            query.ignore_whitespace = self.ignore_whitespace;
            query.normalize_unicode = self.normalize_unicode;
            return Ok((target, scope));
        }
        let relaxes = self.ignore_case
            || self.word_regexp
            || self.line_regexp
            || self.multiline
            || self.ignore_whitespace
            || self.normalize_unicode;
        match relaxes {
            true => {
                Err(Error::usage("ignoreCase and the like need a target with a text or pattern"))
            }
            false => Ok((target, scope)),
        }
    }

    fn edit(mut self) -> Result<BatchEdit, Error> {
        // The case of conditions is their own.
        let conditions = self.select.take();
        let conditions =
            conditions.map(|value| conditions::flags::selected(value, Case::Sensitive));
        let conditions = conditions.transpose()?;
        let expect_parts = self.expect.take_if(|_| conditions.is_some());
        let (target, scope) = self.target_and_scope()?;
        let occurrence = self.occurrence.as_ref().map(|occurrence| match occurrence {
            OccurrenceObject::Number(number) => number.to_string(),
            OccurrenceObject::Name(name) => name.clone(),
        });
        let words = Words::Fields;
        let options = EditOptions {
            occurrence: occurrence.map(|text| occurrence_named(&text, words)).transpose()?,
            unique: self.unique,
            expect: self.expect,
            outside_code: self.outside_code,
            outside_comments: self.outside_comments,
            expand: self.expand,
            preserve_indent: self.preserve_indent.unwrap_or(!self.exact),
            exact: self.exact,
            set: self.set.into_iter().collect(),
            if_match: self.if_match,
            if_range_match: self.if_range_match,
            links: LinkScope { everywhere: self.links, paths: self.links_in },
        };
        let parts = OperationParts {
            before: self.before,
            after: self.after,
            to: self.to.map(OsString::from),
        };
        let (file, is_address) = match (self.address, self.file_path) {
            (Some(address), None) => (address, true),
            (None, Some(path)) => (path, false),
            _ => return Err(Error::usage("an edit needs an address or a filePath, and not both")),
        };
        let edit = Edit {
            operation: Operation::named(&self.operation, parts, words)?,
            target,
            scope,
            content: self.content.map(|text| Input::Bytes(text.into_bytes())),
            options,
        };
        edit.check(words)?;
        let edit = BatchEdit { file, is_address, edit, conditions, expect_parts };
        match edit.operand().is_stdin() {
            true => Err(Error::usage("an edit needs a file, not standard input")),
            false => Ok(edit),
        }
    }
}

/// Takes the side of a target that is beside a heading.
pub(super) fn beside(
    side: target::json::Beside,
    operation: &str,
    before: &mut bool,
    after: &mut bool,
) -> Result<(), Error> {
    let (name, own) = match side {
        target::json::Beside::Before => ("beforeHeading", before),
        target::json::Beside::After => ("afterHeading", after),
    };
    if operation != "insert" {
        return Err(Error::usage(format!("target: {name} goes only with insert")));
    }
    *own = true;
    Ok(())
}

/// `first`, `last`, `all` or a number from 1.
pub(super) fn occurrence_named(text: &str, words: Words) -> Result<Occurrence, Error> {
    match text {
        "first" => Ok(Occurrence::First),
        "last" => Ok(Occurrence::Last),
        "all" => Ok(Occurrence::All),
        _ => match text.parse() {
            Ok(number) if number > 0 => Ok(Occurrence::Number(number)),
            _ => Err(Error::usage(format!(
                "{}: '{text}' is not first, last, all or a number from 1",
                words.name("--occurrence")
            ))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, part: &str) {
        let error = edits(text.as_bytes()).expect_err(text);
        assert!(error.message.contains(part), "{}", error.message);
    }

    #[test]
    fn edits_come_one_or_many() {
        let edit = r#"{"filePath":"a.md","operation":"delete","target":{"section":"A"}}"#;
        for (text, count) in [
            (edit.to_owned(), 1),
            (format!("[{edit},{edit}]"), 2),
            (format!("{edit}\n{edit}\n"), 2),
            (format!(r#"{{"edits":[{edit}],"sequential":true}}"#), 1),
        ] {
            assert_eq!(edits(text.as_bytes()).expect("edits").edits.len(), count, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        check_error("", "none");
        check_error("[]", "none");
        check_error("--- a/x\n+++ b/x\n", "diff");
        check_error(r#"{"operation":"delete"}"#, "filePath");
        check_error(r#"{"filePath":"a","operation":"rewrite"}"#, "rewrite");
        check_error(r#"{"filePath":"a","operation":"delete","target":{}}"#, "nothing");
        check_error(r#"{"filePath":"a","operation":"move","target":{"section":"A"}}"#, "to");
        check_error(
            r#"[{"filePath":"a","operation":"delete","target":{"section":"A"}},{"x":1}]"#,
            "edit 2",
        );
    }
}
