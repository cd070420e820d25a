//! JSON Schemas, generated from the types of the input and the output.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::json::{ErrorObject, NoteObject};

/// Generates the schema of a record as part of a larger schema.
pub type RecordSchema = fn(&mut SchemaGenerator) -> Schema;

/// Generates the schema of a record.
pub fn record<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Generates the schema of an input.
pub fn input<T: JsonSchema>(name: &str, title: &str) -> String {
    let mut schema = schemars::schema_for!(T);
    schema.insert("$id".to_owned(), format!("folio:{name}:1").into());
    schema.insert("title".to_owned(), title.into());
    printed(&schema)
}

/// Generates the schema of the output that a command prints with `--json`.
pub fn output(name: &str, description: &str, records: &[RecordSchema]) -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = settings.with_transform(RecursiveTransform(as_written)).into_generator();
    let mut records: Vec<Value> =
        records.iter().map(|record| record(&mut generator).to_value()).collect();
    generator.subschema_for::<ErrorObject<'_>>();
    generator.subschema_for::<NoteObject<'_>>();
    let title = ["folio", name, "--json"].join(" ");
    let mut schema = json!({
        "$schema": generator.settings().meta_schema,
        "$id": format!("folio:{name}:1"),
        "title": title,
        "description": format!(
            "{description} A fact that is absent is left out. Lines are counted from 1 and ranges \
             include their last line. Errors and notes are lines of JSON on standard error: see \
             $defs/ErrorObject and $defs/NoteObject."
        ),
    });
    match records.len() {
        1 => schema["$ref"] = records.remove(0)["$ref"].take(),
        _ => schema["anyOf"] = records.into(),
    }
    schema["$defs"] = Value::Object(generator.take_definitions(true));
    printed(&schema.try_into().unwrap_or_default())
}

/// Generates the schema of a part of the output that is in the form of an input.
pub fn as_input<T: JsonSchema>() -> Schema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

fn printed(schema: &Schema) -> String {
    serde_json::to_string_pretty(schema).unwrap_or_default() + "\n"
}

/// Adds restrictions that the types do not express: no field is null, and there are no other
/// fields.
fn as_written(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    if object.contains_key("properties") {
        object.entry("additionalProperties").or_insert(false.into());
    }
    object.remove("format");
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    without_null(object);
}

/// Removes `null` from the types that a schema allows. The output omits absent values.
pub fn without_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(kinds)) = object.get_mut("anyOf") {
        kinds.retain(|kind| *kind != json!({"type": "null"}));
        if let [Value::Object(only)] = &mut kinds[..] {
            let only: Map<String, Value> = std::mem::take(only);
            object.remove("anyOf");
            object.extend(only);
        }
    }
}
