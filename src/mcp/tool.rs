//! What a tool is: a row of the one table that `tools/list`, the checks of
//! arguments, `folio schema TOOL` and the help are made of.

use serde_json::{Map, Value, json};

/// A tool, as clients see it.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// The same for people.
    pub title: &'static str,
    /// The set that it belongs to.
    pub set: Set,
    /// What a model reads of it.
    pub description: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// What it does to files.
    pub effect: Effect,
    /// The JSON Schema of what it answers, where that is JSON.
    pub output: Option<&'static str>,
}

/// Tools that are served together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// The commands of folio.
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
    /// All of them, in the order in which their tools are listed.
    pub const ALL: [Self; 6] =
        [Self::Core, Self::FsMcp, Self::Text, Self::Documents, Self::ReadTextFile, Self::Fs];

    /// Its name, as `--tools` takes it.
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

/// What a tool does to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It writes; a second call with the same arguments may write more.
    Writes,
    /// It writes; a second call with the same arguments changes nothing.
    WritesOnce,
}

/// What a tool takes.
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// What a model reads of it.
    pub about: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// What it is where it is not given, as JSON.
    pub default: Option<&'static str>,
}

/// The type of a parameter.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A text.
    Text,
    /// A text; a list of several is taken too.
    Operands,
    /// True or false.
    Switch,
    /// A whole number, at least and at most.
    Integer(u64, u64),
    /// A number, at least and at most.
    Number(f64, f64),
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list of texts.
    Texts,
    /// An object with these fields; without any, an object that says itself what
    /// it contains.
    Object(&'static [Parameter]),
    /// A list of such objects.
    Objects(&'static [Parameter]),
    /// A list of objects that have these fields among others; who takes them checks them.
    Edits(&'static [Parameter]),
    /// An object of further parameters, which are taken beside it too.
    Options(fn() -> &'static [Parameter]),
}

impl Parameter {
    /// One that may be left out.
    pub const fn new(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, about, required: false, default: None }
    }

    /// One that must be there.
    pub const fn required(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self { name, kind, about, required: true, default: None }
    }

    /// The same with what it is where it is not given.
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

/// Options that lists of tools do not name, for they are read by models at every turn; the full
/// schema has them.
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

/// The JSON Schema of an object with these fields. It holds nothing that one of
/// the known clients does not take.
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
    /// The JSON Schema of what it takes.
    pub fn input_schema(&self) -> Map<String, Value> {
        let mut schema = object_schema(self.parameters);
        // Every client wants them, if only empty.
        schema.entry("properties").or_insert_with(|| json!({}));
        schema
    }

    /// The same with all that the rare options are.
    pub fn full_schema(&self) -> Map<String, Value> {
        let mut schema = self.input_schema();
        for parameter in self.parameters {
            if let Kind::Options(more) = parameter.kind {
                schema["properties"][parameter.name] = Value::Object(object_schema(more()));
            }
        }
        schema
    }

    /// The JSON Schema of what it answers, where that is JSON.
    pub fn output_schema(&self) -> Option<Map<String, Value>> {
        match serde_json::from_str(self.output?) {
            Ok(Value::Object(schema)) => Some(schema),
            _ => None,
        }
    }

    /// The parameter of a name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        with_options(self.parameters).find(|parameter| parameter.name == name)
    }
}

/// Parameters, and those that may be in their object of options.
pub fn with_options(
    parameters: &'static [Parameter],
) -> impl Iterator<Item = &'static Parameter> + Clone {
    parameters.iter().flat_map(|parameter| match parameter.kind {
        Kind::Options(more) => more(),
        _ => std::slice::from_ref(parameter),
    })
}
