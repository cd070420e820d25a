//! Parses the lines of `--batch`. Each field of a line and of its target is an option of the
//! command line in camel case.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::Selection;
use super::args::{FROM_A_LINE, ReadArgs};
use crate::commands::conditions::{self, Conditions};
use crate::commands::field_names::camel_case;
use crate::commands::json::kind_of;
use crate::commands::request::{Field, Fields};
use crate::commands::schema;
use crate::commands::shared_args::{PatternArgs, contradiction};
use crate::commands::target::flags::Scoped;
use crate::commands::target::json::TargetObject;
use folio_files::error::Error;

/// The options that are fields of a line.
static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::of::<ReadArgs>(|row| row.is_in_lines));

/// Returns the names of the fields that a target may also have: those that extend the part, and the
/// section in which to look for it.
fn extents() -> impl Iterator<Item = String> {
    let is_extent = |field: &&Field| field.heading == FROM_A_LINE || field.name == "in";
    FIELDS.iter().filter(is_extent).map(|field| camel_case(&field.name))
}

pub(super) struct BatchLine {
    /// A file or an address of a part.
    pub(super) file: String,
    pub(super) is_address: bool,
    pub(super) part: BatchPart,
}

/// The parts that a line of a batch requests.
pub(super) enum BatchPart {
    /// Parts, each with the section in which to look for it.
    Selections(Vec<Scoped<Selection>>),
    /// All parts that meet the conditions.
    Conditions(Box<Conditions>),
}

impl BatchLine {
    /// Parses a line. `patterns` are the pattern options of the run.
    pub(super) fn parsed(value: Value, patterns: &PatternArgs) -> Result<Self, Error> {
        let Value::Object(mut fields) = value else {
            let found = kind_of(&value);
            return Err(Error::usage(format!("expected an object, found {found}")));
        };
        let (file, is_address) = FIELDS.take_file(&mut fields, "a line")?;
        let part = match (fields.remove("select"), fields.keys().next()) {
            (Some(_), Some(field)) => return Err(contradiction("select", field)),
            (Some(select), None) => {
                let case = patterns.options().case;
                BatchPart::Conditions(Box::new(conditions::flags::selected(select, case)?))
            }
            (None, _) => BatchPart::Selections(selections(fields, patterns)?),
        };
        Ok(Self { file, is_address, part })
    }
}

/// Replaces options with fields in an error message.
pub(super) fn in_fields(error: Error, fields: &Map<String, Value>) -> Error {
    FIELDS.named(error, Some(fields))
}

fn selections(
    mut fields: Map<String, Value>,
    patterns: &PatternArgs,
) -> Result<Vec<Scoped<Selection>>, Error> {
    let mut patterns = patterns.clone();
    if let Some(Value::Object(mut target)) = fields.remove("target") {
        for name in extents() {
            fields.extend(target.remove(&name).map(|value| (name, value)));
        }
        if fields.contains_key("toNext")
            && let Some(flags) = target.remove("flags")
        {
            patterns.ignore_case |= flags.as_str().is_some_and(|flags| flags.contains('i'));
        }
        if !target.is_empty() || fields.is_empty() {
            fields.insert("target".to_owned(), Value::Object(target).to_string().into());
        }
    }
    let args: ReadArgs = FIELDS.parse_object(fields)?;
    ReadArgs { patterns, ..args }.selections()
}

/// The JSON Schema of a line of `--batch`.
pub(super) struct BatchSchema;

impl JsonSchema for BatchSchema {
    fn schema_name() -> Cow<'static, str> {
        "BatchLine".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let target = json!(generator.subschema_for::<BatchTarget>());
        let forms = [("target", target), ("from", line_number()), ("limit", line_number())];
        schemars::json_schema!({
            "description": "A line of --batch: a file and a part of it.",
            "type": "object",
            "properties": FIELDS.schemas_with_file(&forms, generator),
            "oneOf": [{"required": ["address"]}, {"required": ["filePath"]}],
            "additionalProperties": false,
        })
    }
}

fn line_number() -> Value {
    json!({"type": "integer", "minimum": 1})
}

/// The JSON Schema for a part of a file, or for the lines from a given line on.
pub(super) struct BatchTarget;

impl JsonSchema for BatchTarget {
    fn schema_name() -> Cow<'static, str> {
        "BatchTarget".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = schema::as_input::<TargetObject>();
        let forms = [("from", line_number()), ("limit", line_number())];
        let fields = FIELDS.schemas(&forms).into_iter();
        let names: Vec<String> = extents().collect();
        let extents = fields.filter(|(name, _)| names.contains(name));
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            properties.extend(extents);
        }
        schema.insert("minProperties".to_owned(), 1.into());
        let flags = json!({"anyOf": [{"required": ["pattern"]}, {"required": ["toNext"]}]});
        schema.insert("dependentSchemas".to_owned(), json!({"flags": flags}));
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(target: &str) -> Result<Vec<Scoped<Selection>>, Error> {
        let line = format!(r#"{{"filePath":"a.md",{target}}}"#);
        let line = serde_json::from_str(&line).expect("JSON");
        let in_fields = |error| in_fields(error, &Map::new());
        match BatchLine::parsed(line, &PatternArgs::default()).map_err(in_fields)?.part {
            BatchPart::Selections(found) => {
                let check = |(selection, _): &Scoped<Selection>| selection.check();
                found.iter().try_for_each(check).map_err(in_fields)?;
                Ok(found)
            }
            BatchPart::Conditions(_) => Ok(Vec::new()),
        }
    }

    #[test]
    fn parts_with_and_without_names_are_parsed() {
        for target in [
            r#""target":{"lines":{"start":50,"end":75}}"#,
            r#""target":{"from":120,"toNext":"^\\[LOG-","flags":"i"}"#,
            r#""target":{"from":120}"#,
            r#""target":{"head":3,"in":"A"}"#,
            r#""target":{"codeBlock":{"index":0},"from":12}"#,
            r#""target":{"from":3,"sectionContext":true}"#,
            r#""from":3,"limit":2"#,
            r#""section":["A","B"]"#,
            r#""select":{"matching":"A"}"#,
        ] {
            assert!(parsed(target).is_ok(), "{target}: {:?}", parsed(target));
        }
    }

    #[track_caller]
    fn check_error(target: &str, part: &str) {
        let error = parsed(&format!(r#""target":{target}"#)).expect_err(target);
        assert!(error.message.to_string().contains(part), "{}", error.message);
    }

    #[test]
    fn errors_name_the_problem() {
        check_error("{}", "the target is empty");
        check_error(r#"{"limit":0}"#, "limit: '0' is not a number of 1 or more");
        check_error(r#"{"from":0,"toNext":"x"}"#, "line numbers start at 1, not 0");
        check_error(r#"{"section":"a","from":3}"#, "from cannot be used with section");
        check_error(r#"{"codeBlock":{"index":0},"limit":3}"#, "cannot be used with");
        check_error(r#"{"head":1,"tail":1}"#, "head cannot be used with tail");
        check_error(r#"{"head":1,"from":1}"#, "from cannot be used with head");
        check_error(r#"{"limit":1,"outsideCode":true}"#, "outsideCode needs toNext");
        check_error(r#"{"text":"a","flags":"i"}"#, "flags needs pattern");
    }
}
