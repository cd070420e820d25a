//! Tools: their definition, as clients see it, and their calls.

mod arguments;
pub(super) mod spelling;

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use self::arguments::checked;
use self::spelling::Spelling;
use super::answer::Answer;
use super::editor::Editor;
use crate::commands::host::Host;
use crate::commands::json::misread;
use crate::commands::option_rows::{self, InTools};
use crate::commands::request::Fields;
use crate::commands::schema::without_null;
use folio_files::error::Error;

/// A tool.
pub struct Tool {
    /// The name of the tool in calls.
    pub name: &'static str,
    /// The title, for display to users.
    pub title: &'static str,
    /// The set to which the tool belongs.
    pub set: Set,
    /// The effect of the tool on files.
    pub effect: Effect,
    /// The description and the parameters.
    pub(super) input: LazyLock<Input>,
    /// Generates the JSON Schema of the result, if the result has a fixed form.
    pub(super) output: Output,
    /// Runs a call whose arguments have been checked.
    pub(super) run: fn(Map<String, Value>, &Call<'_>) -> Result<Answer, Error>,
    /// Builds the answer to a call that failed as a whole.
    pub(super) refuse: fn(Spelling<'_>, &Error) -> Answer,
}

/// A call of a tool. Its fields are the parameters, and its documentation is the description.
pub(super) trait ToolCall: DeserializeOwned + JsonSchema {
    /// The effect of the tool on files.
    const EFFECT: Effect = Effect::Reads;
    /// Generates the JSON Schema of the result, if the result has a fixed form.
    const OUTPUT: Output = None;
    /// Builds the answer to a call that failed as a whole.
    const REFUSE: fn(Spelling<'_>, &Error) -> Answer = |spelling, error| spelling.refused(error);

    /// Runs the call.
    ///
    /// # Errors
    ///
    /// Fails if the call as a whole fails.
    fn run(self, call: &Call<'_>) -> Result<Answer, Error>;
}

/// Generates the JSON Schema of a result.
pub(super) type Output = Option<fn() -> Map<String, Value>>;

/// The context of a call.
pub(super) struct Call<'a> {
    /// The environment in which the command runs.
    pub(super) host: &'a Host,
    /// The form of messages and hints for the caller.
    pub(super) spelling: Spelling<'a>,
    /// The editor whose unsaved contents take precedence, if there is one.
    pub(super) editor: Option<&'a Editor>,
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
    #[cfg(feature = "search")]
    Documents,
    /// `read_text_file` and its siblings.
    ReadTextFile,
    /// `fs_read`, `fs_search`, `fs_write`.
    Fs,
    /// The command `related`.
    #[cfg(feature = "search")]
    Related,
}

impl Set {
    /// All sets with their names, as `--tools` accepts them, in the order in which their tools are
    /// listed.
    pub const ALL: &[(Self, &'static str)] = &[
        (Self::Core, "core"),
        (Self::FsMcp, "fs-mcp"),
        (Self::Text, "text"),
        #[cfg(feature = "search")]
        (Self::Documents, "documents"),
        (Self::ReadTextFile, "read_text_file"),
        (Self::Fs, "fs"),
        #[cfg(feature = "search")]
        (Self::Related, "related"),
    ];

    /// Whether the tools are commands, and their parameters the options of the commands.
    pub fn has_commands(self) -> bool {
        match self {
            Self::Core => true,
            #[cfg(feature = "search")]
            Self::Related => true,
            _ => false,
        }
    }

    /// Whether the names of parameters are in camel case.
    pub fn uses_camel_case(self) -> bool {
        match self {
            Self::Text | Self::Fs => true,
            #[cfg(feature = "search")]
            Self::Documents => true,
            _ => false,
        }
    }

    /// Returns the name of the set.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// The effect of a tool on files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The tool only reads files.
    Reads,
    /// The tool writes files. Repeating a call may write again.
    Writes,
    /// The tool writes files. Repeating a call has no further effect.
    WritesOnce,
}

/// The description and the parameters of a tool.
pub(super) struct Input {
    /// The description for the model that the client runs.
    pub(super) description: String,
    /// The JSON Schema of the arguments. If `additionalProperties` is false, other properties are
    /// refused. A parameter of the type `["string", "array"]` accepts one string or several;
    /// clients see only the first type.
    pub(super) schema: Map<String, Value>,
    /// The properties of additional parameters, of which clients see only the names. They are
    /// accepted at the top level and in the object `options`.
    pub(super) options: Map<String, Value>,
    /// The options of the command, if the tool runs a command.
    pub(super) fields: Option<Fields>,
}

impl Input {
    fn of<T: JsonSchema>() -> Self {
        let mut schema = object_schema::<T>();
        let about = schema.remove("description").unwrap_or_default();
        let description = description(about.as_str().unwrap_or_default());
        Self { description, schema, options: Map::new(), fields: None }
    }

    /// Whether the list of tools names an additional parameter.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let field = self.fields.iter().flat_map(Fields::iter).find(|field| field.name == name);
        let row = field.map(|field| field.row).or_else(|| option_rows::find(name));
        row.is_none_or(|row| row.tools == InTools::Named)
    }

    /// Lists the additional parameters that clients see: the switches, and those with a value in the
    /// form `NAME VALUE`. A list is in brackets.
    fn named_options(&self, tool: &str) -> String {
        let named = self.options.iter().filter(|(name, _)| self.is_named(name));
        let (switches, others): (Vec<_>, Vec<_>) =
            named.partition(|(_, schema)| schema["type"] == "boolean");
        let switches: Vec<&str> = switches.iter().map(|(name, _)| name.as_str()).collect();
        let others: Vec<String> = others
            .iter()
            .map(|(name, schema)| {
                let value = self.value_of(name, schema);
                let is_list = schema["type"] == "array";
                if is_list { format!("{name} [{value}]") } else { format!("{name} {value}") }
            })
            .collect();
        let also = [("switches", switches.join(", ")), ("with value", others.join(", "))];
        let also = also.iter().filter(|(_, names)| !names.is_empty());
        let also: Vec<String> = also.map(|(what, names)| format!("{what}: {names}")).collect();
        format!("{}; see folio://help/{tool}", also.join("; "))
    }

    /// Describes the value of an additional parameter: the choices, or its name in the help.
    fn value_of(&self, name: &str, schema: &Value) -> String {
        let choices = schema["enum"].as_array().or(schema["items"]["enum"].as_array());
        if let Some(choices) = choices {
            // The resource lists all of them.
            const MOST_CHOICES: usize = 9;
            let names: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
            return match names.get(..MOST_CHOICES) {
                Some(first) if names.len() > MOST_CHOICES + 1 => [first, &["…"]].concat().join("|"),
                _ => names.join("|"),
            };
        }
        let field = self.fields.iter().flat_map(Fields::iter).find(|field| field.name == name);
        field.map_or_else(|| "N".to_owned(), |field| field.value_name.clone())
    }

    /// Returns the properties of all parameters.
    pub(super) fn properties(&self) -> impl Iterator<Item = (&String, &Value)> + Clone {
        let listed = self.schema.get("properties").and_then(Value::as_object);
        listed.into_iter().flatten().chain(&self.options)
    }
}

impl Tool {
    pub(super) const fn of<T: ToolCall>(set: Set, name: &'static str, title: &'static str) -> Self {
        Self {
            name,
            title,
            set,
            effect: T::EFFECT,
            input: LazyLock::new(Input::of::<T>),
            output: T::OUTPUT,
            run: |arguments, call| match serde_json::from_value::<T>(arguments.into()) {
                Ok(tool_call) => tool_call.run(call),
                Err(error) => Err(misread("arguments", &error)),
            },
            refuse: T::REFUSE,
        }
    }

    /// Checks the arguments of a call and runs it.
    pub(super) fn call(
        &self,
        arguments: Map<String, Value>,
        tools: &[&'static Tool],
        host: &Host,
        editor: Option<&Editor>,
    ) -> Answer {
        let checked = match checked(self, arguments) {
            Ok(checked) => checked,
            Err(error) => {
                let spelling = Spelling { tool: self, tools, arguments: &Map::new() };
                return (self.refuse)(spelling, &error);
            }
        };
        let spelling = Spelling { tool: self, tools, arguments: &checked };
        let answer = (self.run)(checked.clone(), &Call { host, spelling, editor });
        answer.unwrap_or_else(|error| (self.refuse)(spelling, &error))
    }

    /// Returns the JSON Schema of the parameters that clients see.
    pub fn input_schema(&self) -> Map<String, Value> {
        let mut schema = self.input.schema.clone();
        // Clients require `properties`, even if it is empty.
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        if !self.input.options.is_empty() {
            let about = self.input.named_options(self.name);
            properties["options"] = json!({"type": "object", "description": about});
        }
        listed(&mut schema);
        schema
    }

    /// Returns the JSON Schema of all parameters, including rare options.
    pub fn full_schema(&self) -> Map<String, Value> {
        let mut schema = self.input_schema();
        if !self.input.options.is_empty() {
            let mut options = Map::new();
            options.insert("type".to_owned(), "object".into());
            options.insert("properties".to_owned(), Value::Object(self.input.options.clone()));
            listed(&mut options);
            schema["properties"]["options"] = options.into();
        }
        schema
    }

    /// Returns the JSON Schema of the parameter called `name`.
    pub(super) fn parameter(&self, name: &str) -> Option<&Value> {
        self.input.properties().find(|(parameter, _)| *parameter == name).map(|(_, schema)| schema)
    }
}

/// Reduces a schema to the keywords and types that all known clients accept.
fn listed(schema: &mut Map<String, Value>) {
    schema.remove("additionalProperties");
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        let first = types.swap_remove(0);
        if first == "string" {
            schema.remove("items");
        }
        schema.insert("type".to_owned(), first);
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    properties
        .into_iter()
        .flatten()
        .filter_map(|(_, property)| property.as_object_mut())
        .for_each(listed);
    schema.get_mut("items").and_then(Value::as_object_mut).into_iter().for_each(listed);
}

/// Returns the JSON Schema of a struct, without references and without the keywords that some
/// clients refuse.
pub(super) fn object_schema<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let settings = settings.with_transform(RecursiveTransform(plain));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    std::mem::take(schema.ensure_object())
}

fn plain(schema: &mut Schema) {
    let Some(object) = schema.as_object_mut() else { return };
    without_null(object);
    object.retain(|name, value| match name.as_str() {
        "title" | "format" => false,
        "default" => !value.is_null() && *value != json!([]),
        _ => true,
    });
}

/// Formats a description. Lines are joined, except for examples, which are JSON objects.
pub(super) fn description(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines().map(|line| line.trim().trim_matches('`')) {
        let separator = match line {
            "" => continue,
            _ if joined.is_empty() => "",
            _ if line.starts_with('{') => "\n",
            _ => " ",
        };
        joined += separator;
        joined += line;
    }
    joined
}
