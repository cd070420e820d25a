//! The description of a tool. `tools/list`, the check of arguments, `folio schema TOOL` and the
//! help are generated from it.

use serde_json::{Map, Value, json};

/// The description of a tool.
pub struct Tool {
    /// Name, as calls use it.
    pub name: &'static str,
    /// Title for users.
    pub title: &'static str,
    /// The set that the tool belongs to.
    pub set: Set,
    /// Description for the client's model.
    pub description: &'static str,
    /// Parameters.
    pub parameters: &'static [Parameter],
    /// Effect on files.
    pub effect: Effect,
    /// JSON Schema of the result, if it is JSON.
    pub output: Option<&'static str>,
}

/// A set of tools that are served together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// folio's own commands.
    Core,
    /// `read_files`, `grep_content`.
    FsMcp,
    /// `TextInspect`, `TextRead`, `TextPatch`.
    Text,
    /// `documents_…`.
    Documents,
    /// `read_text_file` and its siblings.
    ReadTextFile,
    /// `fs_read`, `fs_search`, `fs_write`.
    Fs,
}

impl Set {
    /// All sets, in the order in which their tools are listed.
    pub const ALL: [Self; 6] =
        [Self::Core, Self::FsMcp, Self::Text, Self::Documents, Self::ReadTextFile, Self::Fs];

    /// The name of the set, as `--tools` accepts it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::FsMcp => "fs-mcp",
            Self::Text => "text",
            Self::Documents => "documents",
            Self::ReadTextFile => "read_text_file",
            Self::Fs => "fs",
        }
    }
}

/// The effect of a tool on files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads only.
    Reads,
    /// Writes; repeating a call may write again.
    Writes,
    /// Writes; repeating a call has no further effect.
    WritesOnce,
}

/// A parameter of a tool.
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Type.
    pub kind: Kind,
    /// Description for the client's model.
    pub about: &'static str,
    /// Whether the parameter is required.
    pub required: bool,
    /// Default value, as JSON.
    pub default: Option<&'static str>,
}

/// The type of a parameter.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A string.
    Text,
    /// A string or a list of strings.
    Operands,
    /// A boolean.
    Switch,
    /// An integer between a minimum and a maximum, both inclusive.
    Integer(u64, u64),
    /// A number between a minimum and a maximum, both inclusive.
    Number(f64, f64),
    /// One of the given strings.
    Choice(&'static [&'static str]),
    /// A list of strings.
    Texts,
    /// An object with the given fields; if empty, an object with any fields.
    Object(&'static [Parameter]),
    /// A list of objects with the given fields.
    Objects(&'static [Parameter]),
    /// A list of objects with the given fields and others, which the tool checks itself.
    Edits(&'static [Parameter]),
    /// An object of further parameters, which are also accepted at the top level.
    Options(fn() -> &'static [Parameter]),
}

impl Parameter {
    /// An optional parameter.
    pub const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, about, required: false, default: None }
    }

    /// A required parameter.
    pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, about, required: true, default: None }
    }

    /// Sets the default value.
    pub const fn or(mut self, default: &'static str) -> Self {
        self.default = Some(default);
        self
    }

    fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if !self.about.is_empty() {
            schema.insert("description".to_owned(), self.about.into());
        }
        let default = self.default.and_then(|text| serde_json::from_str(text).ok());
        schema.extend(default.map(|value: Value| ("default".to_owned(), value)));
        Value::Object(schema)
    }
}

/// Options that the list of tools does not name, because the list is part of every prompt. The
/// full schema contains them.
const UNNAMED: &str = "\
    across after_context as before_context binary case_sensitive count_matches encoding \
    fallback_extensions field_match_separator flat follow glob_case_insensitive having iglob \
    ignore_whitespace in_place include_code include_comments include_zero index_files \
    innermost keep_going line_regexp max_columns max_depth max_filesize multiline_dotall \
    no_headers no_ignore no_preserve_indent no_total no_unicode normalize_unicode not_having \
    nth preserve_indent preview raw remap resolve section_path section_pattern show_whitespace \
    smart_case sortr style totals type_not unrestricted until with_key without_key";

impl Kind {
    fn schema(self) -> Map<String, Value> {
        let mut schema = Map::new();
        let mut put = |name: &str, value: Value| drop(schema.insert(name.to_owned(), value));
        match self {
            Self::Text | Self::Operands => put("type", "string".into()),
            Self::Switch => put("type", "boolean".into()),
            Self::Integer(least, most) => {
                put("type", "integer".into());
                put("minimum", least.into());
                if most < u64::MAX {
                    put("maximum", most.into());
                }
            }
            Self::Number(least, most) => {
                put("type", "number".into());
                put("minimum", least.into());
                put("maximum", most.into());
            }
            Self::Choice(names) => {
                put("type", "string".into());
                put("enum", json!(names));
            }
            Self::Texts => {
                put("type", "array".into());
                put("items", json!({"type": "string"}));
            }
            Self::Object(fields) => return object_schema(fields),
            Self::Options(more) => {
                put("type", "object".into());
                let names = more().iter().map(|field| field.name);
                let names: Vec<&str> =
                    names.filter(|name| UNNAMED.split(' ').all(|other| other != *name)).collect();
                let about = format!("also: {}", names.join(", "));
                put("description", about.into());
            }
            Self::Objects(fields) | Self::Edits(fields) => {
                put("type", "array".into());
                put("items", Value::Object(object_schema(fields)));
            }
        }
        schema
    }
}

/// The JSON Schema of an object with the given fields. Uses only keywords that all known
/// clients accept.
fn object_schema(fields: &[Parameter]) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    if fields.is_empty() {
        return schema;
    }
    let properties = fields.iter().map(|field| (field.name.to_owned(), field.schema()));
    schema.insert("properties".to_owned(), Value::Object(properties.collect()));
    let required: Vec<&str> =
        fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

impl Tool {
    /// The JSON Schema of the parameters.
    pub fn input_schema(&self) -> Map<String, Value> {
        let mut schema = object_schema(self.parameters);
        // Clients require `properties` even if it is empty.
        schema.entry("properties").or_insert_with(|| json!({}));
        schema
    }

    /// The JSON Schema of the parameters, including all rare options.
    pub fn full_schema(&self) -> Map<String, Value> {
        let mut schema = self.input_schema();
        for parameter in self.parameters {
            if let Kind::Options(more) = parameter.kind {
                schema["properties"][parameter.name] = Value::Object(object_schema(more()));
            }
        }
        schema
    }

    /// The JSON Schema of the result, if it is JSON.
    pub fn output_schema(&self) -> Option<Map<String, Value>> {
        match serde_json::from_str(self.output?) {
            Ok(Value::Object(schema)) => Some(schema),
            _ => None,
        }
    }

    /// The parameter called `name`.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        with_options(self.parameters).find(|parameter| parameter.name == name)
    }
}

/// The parameters, including those in their object of options.
pub fn with_options(
    parameters: &'static [Parameter],
) -> impl Iterator<Item = &'static Parameter> + Clone {
    parameters.iter().flat_map(|parameter| match parameter.kind {
        Kind::Options(more) => more(),
        _ => std::slice::from_ref(parameter),
    })
}
