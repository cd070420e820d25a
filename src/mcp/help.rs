//! The resources `folio://help/TOOL`, which describe all parameters of a tool. The list of
//! tools contains only the common ones, because it is part of every prompt.

use std::fmt::Write;

use rmcp::ErrorData;
use rmcp::model::{
    ListResourcesResult, ReadResourceRequestParams, ReadResourceResult, Resource, ResourceContents,
};

use super::served::Served;
use super::tool::{Kind, Parameter, Tool, with_options};

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
    ListResourcesResult::with_all_items(served.tools().iter().map(resource).collect())
}

/// Reads the help of one tool.
///
/// # Errors
///
/// Fails if no served tool has that resource.
pub fn read(
    served: &Served,
    request: &ReadResourceRequestParams,
) -> Result<ReadResourceResult, ErrorData> {
    let name = request.uri.strip_prefix(PREFIX);
    let tool = name.and_then(|name| served.tools().iter().find(|tool| tool.name == name));
    let Some(tool) = tool else {
        let message = format!("unknown resource '{}'; resources/list lists all", request.uri);
        return Err(ErrorData::resource_not_found(message, None));
    };
    let text = ResourceContents::text(text(tool), &request.uri).with_mime_type(MIME);
    Ok(ReadResourceResult::new(vec![text]))
}

fn text(tool: &Tool) -> String {
    let mut text = format!("{}\n\n{}\n\nParameters:\n", tool.name, tool.description);
    for parameter in with_options(tool.parameters) {
        let Parameter { name, about, default, .. } = parameter;
        let required = if parameter.required { ", required" } else { "" };
        let default = default.map(|value| format!(", default {value}")).unwrap_or_default();
        let kind = kind(parameter.kind);
        let _ = writeln!(text, "  {name} ({kind}{required}{default})");
        if !about.is_empty() {
            let _ = writeln!(text, "      {about}");
        }
    }
    text
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Text => "string".to_owned(),
        Kind::Operands => "string or list of strings".to_owned(),
        Kind::Switch => "true or false".to_owned(),
        Kind::Integer(..) => "integer".to_owned(),
        Kind::Number(..) => "number".to_owned(),
        Kind::Choice(names) => names.join(" | "),
        Kind::Texts => "list of strings".to_owned(),
        Kind::Object(_) | Kind::Options(_) => "object".to_owned(),
        Kind::Objects(_) | Kind::Edits(_) => "list of objects".to_owned(),
    }
}
