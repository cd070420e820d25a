//! The resources `folio://help/TOOL`, which describe all parameters of a tool. The list of tools
//! describes only the common parameters, because it is part of every prompt.

use std::fmt::Write;

use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, ReadResourceRequestParams, ReadResourceResult, Resource, ResourceContents,
};

use serde_json::Value;

use super::served::Served;
use super::tool::Tool;

const PREFIX: &str = "folio://help/";
const MIME: &str = "text/plain";

/// Lists one resource per tool.
pub fn list(served: &Served) -> ListResourcesResult {
    let resource = |tool: &&Tool| {
        let about = format!("All parameters of {}: {}", tool.name, tool.title);
        Resource::new(format!("{PREFIX}{}", tool.name), tool.name)
            .with_description(about)
            .with_mime_type(MIME)
    };
    ListResourcesResult::with_all_items(served.tools.iter().map(resource).collect())
}

/// Reads the help of one tool.
///
/// # Errors
///
/// Fails if the server does not offer the tool.
pub fn read(
    served: &Served,
    request: &ReadResourceRequestParams,
) -> Result<ReadResourceResult, ErrorData> {
    let name = request.uri.strip_prefix(PREFIX);
    let tool = name.and_then(|name| served.tools.iter().find(|tool| tool.name == name));
    let Some(tool) = tool else {
        let message = format!("unknown resource '{}'; resources/list lists all", request.uri);
        return Err(ErrorData::resource_not_found(message, None));
    };
    let text = ResourceContents::text(text(tool), &request.uri).with_mime_type(MIME);
    Ok(ReadResourceResult::new(vec![text]))
}

fn text(tool: &Tool) -> String {
    let mut text = format!("{}\n\n{}\n\nParameters:\n", tool.name, tool.input.description);
    let required = tool.input.schema.get("required").and_then(Value::as_array);
    for (name, schema) in tool.input.properties() {
        let is_required =
            required.is_some_and(|names| names.iter().any(|required_name| required_name == name));
        let required = if is_required { ", required" } else { "" };
        let default = schema.get("default").map(|value| format!(", default {value}"));
        let (kind, default) = (kind(schema), default.unwrap_or_default());
        let _ = writeln!(text, "  {name} ({kind}{required}{default})");
        if let Some(about) = schema["description"].as_str() {
            let _ = writeln!(text, "      {about}");
        }
    }
    text
}

fn kind(schema: &Value) -> String {
    let choices = |schema: &Value| {
        let names = schema["enum"].as_array()?.iter().filter_map(Value::as_str);
        Some(names.collect::<Vec<_>>().join(" | "))
    };
    if let Some(choices) = choices(schema) {
        return choices;
    }
    if let Some(choices) = choices(&schema["items"]) {
        return format!("list of {choices}");
    }
    let name = match (&schema["type"], &schema["items"]["type"]) {
        (Value::Array(types), _) if types[0] == "string" => "string or list of strings",
        (Value::Array(_), _) => "list of strings",
        (kind, items) if kind == "array" && items == "object" => "list of objects",
        (kind, _) if kind == "array" => "list of strings",
        (kind, _) if kind == "boolean" => "true or false",
        (kind, _) => kind.as_str().unwrap_or_default(),
    };
    name.to_owned()
}
