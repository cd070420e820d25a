//! Parses the JSON edits of `apply`. The fields of an edit are options of the command line in camel
//! case, and the same code parses and checks both.

use std::borrow::Cow;
use std::ffi::OsString;
use std::sync::{Arc, LazyLock};

use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Request;
use super::args::PatchArgs;
use super::operation_args::{Operation, set_side, unknown_operation};
use super::options::PatchOptions;
use crate::commands::conditions::{self, Conditions};
use crate::commands::json::{self, DistinctFields};
use crate::commands::option_rows;
use crate::commands::request::Fields;
use crate::commands::schema;
use crate::commands::target::json::TargetObject;
use folio_files::address::Address;
use folio_files::error::{Change, Error, Hint};
use folio_files::roots::Roots;
use folio_text::pattern::Case;

/// The options that are fields of an edit.
static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::of::<PatchArgs>(|row| row.is_in_edits));

/// The edits of `apply`.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) edits: Vec<BatchEdit>,
    /// Whether each edit applies to the result of the previous one.
    pub(super) sequential: bool,
}

/// An edit and its file.
#[derive(Debug)]
pub(super) struct BatchEdit {
    /// The files or addresses to edit, the parts to edit there, and what to do.
    options: PatchOptions,
    is_address: bool,
    /// The edit as it was given.
    pub(super) given: Arc<Map<String, Value>>,
    /// The conditions. Each part of the file or directory that meets them is edited.
    conditions: Option<Conditions>,
}

impl BatchEdit {
    /// Returns the options for running this edit separately, or `None` if it has no conditions.
    pub(super) fn selection_options(
        &self,
        options: &PatchOptions,
    ) -> Result<Option<PatchOptions>, Error> {
        let Some(conditions) = self.conditions.clone() else { return Ok(None) };
        let PatchOptions { addresses, edit, further_parts, expect_parts, .. } =
            self.options.clone();
        let edit_options = PatchOptions {
            addresses,
            edit,
            further_parts,
            conditions,
            expect_parts,
            ..options.clone()
        };
        edit_options.check_conditions()?;
        Ok(Some(edit_options))
    }

    /// Returns the requests of an edit without conditions, one for each part.
    pub(super) fn requests(&self, roots: &Roots) -> Result<Vec<Request>, Error> {
        let mut requests = Vec::new();
        for file in &self.options.addresses {
            for edit in self.options.edits() {
                let address = if self.is_address {
                    edit.parse_address(file, roots)?
                } else {
                    Address::whole(file)
                };
                requests.push(edit.with_address(address, roots)?);
            }
        }
        Ok(requests)
    }
}

/// The JSON Schema of one edit.
struct EditObject;

impl JsonSchema for EditObject {
    fn schema_name() -> Cow<'static, str> {
        "EditObject".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let checksum = json!({"type": "string", "pattern": "^[0-9a-fA-F]{12,64}$"});
        let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let field_schemas = [
            ("operation", json!(generator.subschema_for::<Operation>())),
            ("target", json!(generator.subschema_for::<TargetField>())),
            ("occurrence", json!(generator.subschema_for::<OccurrenceObject>())),
            ("set", texts),
            ("ifMatch", checksum.clone()),
            ("ifRangeMatch", checksum),
        ];
        let properties = FIELDS.schemas_with_file(&field_schemas, generator);
        schemars::json_schema!({
            "description": "One edit. Its fields are options of patch.",
            "type": "object",
            "properties": properties,
            "required": ["operation"],
            "oneOf": [{"required": ["address"]}, {"required": ["filePath"]}],
            "additionalProperties": false,
        })
    }
}

/// A part, or the name of a section.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
enum TargetField {
    _Object(Box<EditTarget>),
    _Section(String),
}

#[derive(JsonSchema)]
#[schemars(untagged, inline)]
enum OccurrenceObject {
    _Number(#[schemars(range(min = 1))] u64),
    _Name(#[schemars(regex(pattern = r"^([1-9][0-9]*|first|last|all)$"))] String),
}

/// A part of a file; for insert, also the position before or after a heading.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("minProperties" = 1, "dependentRequired" = {"flags": ["pattern"]}))]
#[schemars(extend("additionalProperties" = false))]
struct EditTarget {
    #[schemars(flatten)]
    _target: TargetObject,
    /// For insert: before the line of this heading
    #[schemars(rename = "beforeHeading")]
    _before_heading: Option<String>,
}

/// Edits for folio patch apply: one edit, an array, one edit per line, or an object with an array.
/// Either all edits are applied, or none.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum EditsSchema {
    _One(Box<EditObject>),
    _List(#[schemars(length(min = 1))] Vec<EditObject>),
    _Object(EditsObject),
}

/// A list of edits. Lines and parts refer to the files before all edits, unless `sequential` is
/// true.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EditsObject {
    #[schemars(with = "Vec<EditObject>", length(min = 1))]
    edits: Vec<Value>,
    /// Apply each edit to the result of the previous one
    #[serde(default)]
    sequential: bool,
}

/// Returns the JSON Schema of edits.
pub(super) fn schema() -> String {
    schema::input::<EditsSchema>("edits", "patch apply")
}

/// Parses edits: one edit, an array of edits, one edit per line, or an object with the array
/// `edits`.
pub(super) fn edits(text: &[u8]) -> Result<Batch, Error> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if is_diff(text) {
        return Err(Error::usage("this is a diff, not edits in JSON")
            .hint("git apply FILE  # applies a diff"));
    }
    let values: Result<Vec<DistinctFields>, _> =
        serde_json::Deserializer::from_slice(text).into_iter().collect();
    let values = values.map_err(|error| json::misread("edits", &error).hint(LIKE))?;
    let mut values: Vec<Value> = values.into_iter().map(|DistinctFields(value)| value).collect();
    let mut sequential = false;
    let list = match &mut values[..] {
        [] => return Err(no_edits()),
        [Value::Array(list)] => std::mem::take(list),
        [Value::Object(object)] if object.contains_key("edits") => {
            let object = Value::Object(std::mem::take(object));
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

/// Returns the name of an edit in error messages. Edits are counted from 1.
pub(super) fn edit_name(number: usize) -> String {
    format!("edit {number}")
}

/// An example of an edit, for error messages.
const LIKE: &str =
    r#"an edit looks like {"filePath":"a.md","operation":"delete","target":{"section":"Old"}}"#;

fn no_edits() -> Error {
    Error::usage("edits is empty").hint(LIKE)
}

fn is_diff(text: &[u8]) -> bool {
    [&b"--- "[..], b"diff ", b"Index: ", b"@@ "].iter().any(|mark| text.starts_with(mark))
}

/// Parses an edit. `what` is its name in error messages.
fn edit(value: Value, what: &str) -> Result<BatchEdit, Error> {
    let edit = match value {
        Value::Object(fields) => {
            let given = Arc::new(fields.clone());
            let edit = BatchEdit::parse(fields, Arc::clone(&given));
            edit.map_err(|error| in_fields(error, Some(&given)))
        }
        other => Err(Error::usage(format!("expected an object, found {}", json::kind_of(&other)))),
    };
    edit.map_err(|error| error.after(format!("{what}: ")))
}

/// Replaces the options in an error about a JSON edit with fields. Hints with options of the batch
/// remain changes of the call.
pub(super) fn in_fields(mut error: Error, given: Option<&Map<String, Value>>) -> Error {
    let (of_call, of_edit) = error.hints.into_iter().partition(changes_batch);
    error.hints = of_edit;
    let mut error = FIELDS.named(error, given);
    error.hints.extend::<Vec<Hint>>(of_call);
    error
}

/// Whether a hint changes only options that apply to all edits of a batch.
fn changes_batch(hint: &Hint) -> bool {
    let is_of_batch = |change: &Change| {
        let option = change.option().filter(|option| option.is_option());
        let id = option.map(|option| option.0.trim_start_matches('-').replace('-', "_"));
        let row = id.and_then(|id| option_rows::find(&id));
        row.is_some_and(|row| {
            !row.is_in_edits && !row.operations.is_empty() && row.is_accepted_by("apply")
        })
    };
    matches!(hint, Hint::Again { changes, .. } if changes.iter().all(is_of_batch))
}

/// Converts a hint of a request to the edit as it was given, with changes, if the request is part of
/// a batch.
pub(super) fn in_edit(hint: Hint, request: &Request) -> Hint {
    let Some(given) = &request.given else { return hint };
    FIELDS.hint(hint.clone(), Some(given)).unwrap_or(hint)
}

impl BatchEdit {
    fn parse(
        mut fields: Map<String, Value>,
        given: Arc<Map<String, Value>>,
    ) -> Result<Self, Error> {
        let (file, is_address) = FIELDS.take_file(&mut fields, "an edit")?;
        let file = OsString::from(file);
        // Conditions have a separate option for letter case.
        let conditions = fields.remove("select");
        let conditions =
            conditions.map(|value| conditions::flags::selected(value, Case::Sensitive));
        let conditions = conditions.transpose()?;
        let mut args = args(fields)?;
        let expect_parts = args.options.expect.take_if(|_| conditions.is_some());
        args.addresses = vec![file.clone()];
        let options = PatchOptions { expect_parts, ..args.options(|_| true, |_| false)? };
        if let Some(name) = options.rules.types.first().filter(|_| conditions.is_none()) {
            let message =
                format!("type: '{name}' is not string, int, float, bool, null, json or yaml");
            return Err(Error::usage(message).hint("the type of a value needs a key"));
        }
        if options.edit.operation == Operation::Apply {
            return Err(unknown_operation("apply"));
        }
        options.check_parts()?;
        // The addresses contain the lines in which to look for a text.
        let is_address = is_address || options.addresses.iter().any(|address| *address != file);
        let is_stdin = |address: &OsString| {
            if is_address { Address::names_stdin(address) } else { address == "-" }
        };
        if options.addresses.iter().any(is_stdin) {
            Err(Error::usage("an edit needs a file, not standard input"))
        } else {
            Ok(Self { options, is_address, given, conditions })
        }
    }
}

/// Converts the fields of an edit to options.
fn args(mut fields: Map<String, Value>) -> Result<PatchArgs, Error> {
    match fields.get("operation") {
        None => return Err(Error::usage("the field 'operation' is missing")),
        Some(Value::String(name)) => Operation::check(name)?,
        Some(_) => {}
    }
    // Some fields have forms that options do not have.
    if let Some(value) = fields.get_mut("target") {
        *value = match value {
            Value::Object(_) => value.to_string().into(),
            Value::String(name) => json!({"section": name}).to_string().into(),
            other => {
                let found = json::kind_of(other);
                return Err(Error::usage(format!("target: expected an object, found {found}")));
            }
        };
    }
    if let Some(value) = fields.get_mut("occurrence").filter(|value| value.is_u64()) {
        *value = value.to_string().into();
    }
    if let Some(Value::Object(texts)) = fields.get("set") {
        let pair = |(name, value): (&String, &Value)| {
            let value = value.as_str().map(|text| format!("{name}={text}").into());
            value.ok_or_else(|| Error::usage(format!("set: {name}: expected a string")))
        };
        let pairs: Vec<Value> = texts.iter().map(pair).collect::<Result<_, _>>()?;
        fields.insert("set".to_owned(), pairs.into());
    }
    if fields.get("preserveIndent") == Some(&false.into()) {
        fields.insert("noPreserveIndent".to_owned(), true.into());
    }
    set_side(&mut fields);
    FIELDS.parse_object(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(text: &str, part: &str) {
        let error = edits(text.as_bytes()).expect_err(text);
        assert!(error.message.to_string().contains(part), "{}", error.message);
    }

    #[test]
    fn edits_may_be_one_or_many() {
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
    fn fields_are_options() {
        let start = r#"{"filePath":"a.md","operation":"insert","content":"x","#;
        let check_equal = |left: &str, right: &str| {
            let edit = |end: &str| edits(format!("{start}{end}}}").as_bytes()).expect(end);
            let options = |batch: Batch| format!("{:?}", batch.edits[0].options);
            let [left, right] = [left, right].map(edit).map(options);
            assert_eq!(left, right);
        };
        check_equal(r#""target":{"section":"A"}"#, r#""section":"A""#);
        check_equal(r#""target":{"section":"A"}"#, r#""target":"A""#);
        check_equal(r#""target":{"text":"a","in":"B"}"#, r#""text":"a","in":"B","links":false"#);
        check_equal(r#""lines":"3","before":false"#, r#""lines":"3","after":true"#);
        check_equal(r#""section":"A","after":false"#, r#""section":"A","before":true"#);
        check_equal(r#""lines":"3","before":false,"after":false"#, r#""lines":"3""#);
        check_equal(
            r#""target":{"codeBlock":{"index":1}},"set":{"a":"b"}"#,
            r#""codeBlock":"1","set":"a=b""#,
        );
        check_equal(r#""text":"a","occurrence":2"#, r#""text":"a","occurrence":"2","to":null"#);
    }

    #[test]
    fn errors_name_the_problem() {
        check_error("", "empty");
        check_error("[]", "empty");
        check_error("--- a/x\n+++ b/x\n", "diff");
        check_error(r#"{"operation":"delete"}"#, "filePath");
        check_error(r#"{"filePath":"a","operation":"rewrite"}"#, "rewrite");
        check_error(r#"{"filePath":"a","operation":"delete","target":{}}"#, "the target is empty");
        check_error(r#"{"filePath":"a","operation":"delete","unique":1}"#, "unique: expected true");
        check_error(
            r#"{"filePath":"a","operation":"delete","section":"A","target":"B"}"#,
            "cannot be used with",
        );
        check_error(r#"{"filePath":"a","operation":"delete","ocurrence":1}"#, "'ocurrence'");
        check_error(r#"{"filePath":"a","operation":"delete","links":"x","to":"b"}"#, "links");
        check_error(r#"{"filePath":"a","operation":"move","target":{"section":"A"}}"#, "to");
        check_error(
            r#"[{"filePath":"a","operation":"delete","target":{"section":"A"}},{"x":1}]"#,
            "edit 2",
        );
    }
}
