//! The request of a command as JSON. Its fields are derived from the command's options, and the
//! parser of the command line also parses JSON. Therefore both accept the same options, and refuse
//! the same combinations.

use std::any::TypeId;
use std::collections::HashMap;
use std::error::Error as _;
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, Id};
use serde_json::{Map, Value, json};

use crate::commands::host::Host;
use crate::commands::json::kind_of;
use crate::commands::option_rows::{self, OptionRow};
use crate::commands::output::{Outcome, Sink};
use crate::commands::rules::{self, Rule};
use crate::commands::shared_args::invalid_choice;
use crate::commands::shared_args::{ONCE, contradiction};
use folio_files::error::{Error, Opt};

/// The name of a JSON Schema, and the function that generates it.
pub type Schema = (&'static str, fn() -> String);

/// The command line of a command: its options and its help.
pub trait CommandLine: Args {
    /// The name of the command.
    const NAME: &'static str;
    /// A description of the command in one line.
    const ABOUT: &'static str;
    /// The introduction of the long help.
    const LONG_ABOUT: &'static str;
    /// The end of the long help. May be empty.
    const AFTER_HELP: &'static str = "";
    /// Rules about options that require or exclude other options.
    const RULES: &'static [Rule] = &[];
    /// Whether command lines are first parsed without rare options, so that the command starts
    /// faster.
    const IS_QUICK: bool = false;

    /// Changes options that other commands also have.
    fn flags(command: Command) -> Command {
        command
    }

    /// Fails if options cannot be used together. `json` is whether the output is JSON.
    fn check(matches: &ArgMatches, json: bool) -> Result<(), Error> {
        rules::check(Self::RULES, matches, json)
    }
}

/// A request to a command. Its fields are the options. Command lines, JSON and MCP calls use the
/// same struct.
pub trait Request: CommandLine {
    /// The JSON Schemas of the command's output and input.
    const SCHEMAS: &'static [Schema] = &[];

    /// Runs the request.
    fn run(self, host: &Host, sink: &mut dyn Sink) -> Outcome;
}

/// Runs a command from its parsed command line. Moves the values of its options.
pub fn run<T: Request>(matches: &mut ArgMatches, host: &Host, sink: &mut dyn Sink) -> Outcome {
    take_request::<T>(matches, sink.style().json)?.run(host, sink)
}

/// Converts a parsed command line to a request.
pub fn parsed<T: CommandLine>(matches: &ArgMatches, json: bool) -> Result<T, Error> {
    take_request(&mut matches.clone(), json)
}

/// Fails if options of a command line cannot be used together.
pub fn check<T: CommandLine>(matches: &ArgMatches, json: bool) -> Result<(), Error> {
    T::check(matches, json)?;
    refuse_repeated(matches)
}

/// Like [`parsed`], but moves the values of the options.
fn take_request<T: CommandLine>(matches: &mut ArgMatches, json: bool) -> Result<T, Error> {
    check::<T>(matches, json)?;
    T::from_arg_matches_mut(matches).map_err(|error| Error::usage(error.to_string()))
}

/// Fails if an option of the group [`ONCE`] is given several times.
fn refuse_repeated(matches: &ArgMatches) -> Result<(), Error> {
    let ids = matches.try_get_many::<Id>(ONCE).ok().flatten();
    let is_repeated =
        |id: &&Id| matches.get_raw(id.as_str()).is_some_and(|values| values.len() > 1);
    match ids.into_iter().flatten().find(is_repeated) {
        Some(id) => {
            let flag = format!("--{}", id.as_str().replace('_', "-"));
            Err(Error::usage(format!("{} cannot be used multiple times", Opt::marked(&flag))))
        }
        None => Ok(()),
    }
}

/// Returns a command to which the options of a request can be added.
pub fn command(name: &'static str) -> Command {
    // Aliases and scripts append settings, so the last value of a setting applies.
    Command::new(name).args_override_self(true).group(ArgGroup::new(ONCE).multiple(true))
}

/// The fields of a command's request.
#[derive(Debug)]
pub struct Fields {
    command: Mutex<Command>,
    fields: Vec<Field>,
}

/// An option or operand as a field.
#[derive(Debug)]
pub struct Field {
    /// The name of the field in snake case.
    pub name: String,
    /// The type of the value.
    pub kind: FieldKind,
    /// The help of the option.
    pub about: String,
    /// The heading of the option in the help.
    pub heading: String,
    /// The name of the value in the help, such as `REGEX`. Empty for a switch.
    pub value_name: String,
    /// The values of a list, if only these are accepted.
    pub choices: Vec<String>,
    /// What else is known about the option.
    pub row: &'static OptionRow,
    /// The identifier of the option or operand.
    id: String,
    /// The option on the command line. `None` for an operand.
    flag: Option<String>,
    /// The short form of the option.
    short: Option<char>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A value that is true or false.
    Switch,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A list of integers.
    Integers,
    /// One of these strings.
    Choice(&'static [&'static str]),
}

impl FieldKind {
    /// Fails if a value does not have this type.
    pub fn check(self, value: &Value) -> Result<(), Error> {
        let is_texts = |list: &Vec<Value>| list.iter().all(Value::is_string);
        let are_integers = |list: &Vec<Value>| list.iter().all(Value::is_u64);
        let (is_right, expected) = match self {
            Self::Switch => (value.is_boolean(), "true or false"),
            Self::Integer => (value.is_u64(), "an integer"),
            Self::Number => (value.is_number(), "a number"),
            Self::Text | Self::Choice(_) => (value.is_string(), "a string"),
            Self::Texts => {
                (value.is_string() || value.as_array().is_some_and(is_texts), "a list of strings")
            }
            Self::Integers => {
                (value.is_u64() || value.as_array().is_some_and(are_integers), "a list of integers")
            }
        };
        if is_right {
            Ok(())
        } else {
            Err(Error::usage(format!("expected {expected}, found {}", kind_of(value))))
        }
    }

    /// Whether a value is a number.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Number | Self::Integers)
    }

    /// Returns the JSON Schema of a value.
    pub fn schema(self) -> Value {
        match self {
            Self::Switch => json!({"type": "boolean"}),
            Self::Integer => json!({"type": "integer", "minimum": 0}),
            Self::Number => json!({"type": "number"}),
            Self::Text => json!({"type": "string"}),
            Self::Texts => json!({"type": ["string", "array"], "items": {"type": "string"}}),
            Self::Integers => {
                let item = json!({"type": "integer", "minimum": 0});
                json!({"type": ["integer", "array"], "minimum": 0, "items": item})
            }
            Self::Choice(names) => json!({"enum": names}),
        }
    }
}

/// Options and operands whose fields have other names. For example, the field of a file is `path`.
const NAMES: [(&str, &str); 4] = [
    ("addresses", "address"),
    ("paths", "path"),
    ("directories", "path"),
    ("path", "section_path"),
];

impl Fields {
    /// Returns the fields of a command whose rows meet a condition.
    pub fn of<T: Args>(takes: impl Fn(&OptionRow) -> bool) -> Self {
        let takes = |id: &str| option_rows::find(id).is_some_and(&takes);
        let command = T::augment_args(command("folio"));
        let shorts: HashMap<Id, char> = command
            .get_arguments()
            .filter_map(|flag| Some((flag.get_id().clone(), flag.get_short()?)))
            .collect();
        let mut command = command
            .no_binary_name(true)
            .disable_help_flag(true)
            .disable_version_flag(true)
            // Short options are not needed, and different groups may have the same ones.
            .mut_args(|flag| flag.short(None));
        command.build();
        let is_field = |flag: &&Arg| {
            !flag.is_hide_set()
                && !matches!(flag.get_action(), ArgAction::Count)
                && takes(flag.get_id().as_str())
        };
        let once = command.get_groups().find(|group| group.get_id() == ONCE);
        let is_once =
            |flag: &Arg| once.is_some_and(|group| group.get_args().any(|id| id == flag.get_id()));
        let fields = command.get_arguments().filter(is_field);
        let short = |flag: &Arg| shorts.get(flag.get_id()).copied();
        let field = |flag| {
            let row = option_rows::find(Arg::get_id(flag).as_str())?;
            Some(Field { short: short(flag), ..Field::from_option(flag, row, is_once(flag)) })
        };
        let fields = fields.filter_map(field).collect();
        Self { command: Mutex::new(command), fields }
    }

    /// Returns all fields, in the order of the help.
    pub fn iter(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter()
    }

    /// Returns the field for an option such as `--section` or `-s`, or for the identifier of an
    /// operand.
    pub fn find(&self, option: &str) -> Option<&Field> {
        self.fields.iter().find(|field| match option.strip_prefix('-') {
            None => field.flag.is_none() && field.id == option,
            Some(letter) if letter.chars().count() == 1 => letter.chars().next() == field.short,
            Some(_) => field.flag.as_deref() == Some(option),
        })
    }

    /// Returns the fields of operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| field.flag.is_none())
    }

    /// Parses the fields in a JSON object. Ignores other fields. `json` is whether the output is
    /// JSON.
    ///
    /// # Errors
    ///
    /// Fails if options exclude each other, or if a value is invalid.
    pub fn parsed<T: CommandLine>(
        &self,
        object: &Map<String, Value>,
        json: bool,
    ) -> Result<T, Error> {
        take_request(&mut self.matches(object)?, json)
    }

    fn matches(&self, object: &Map<String, Value>) -> Result<ArgMatches, Error> {
        let line = self.line(object);
        let mut command = self.command.lock().unwrap_or_else(PoisonError::into_inner);
        let matches = command.try_get_matches_from_mut(&line);
        matches.map_err(|error| refusal(&error, &line))
    }

    /// Returns the equivalent command line.
    fn line(&self, object: &Map<String, Value>) -> Vec<OsString> {
        let mut line: Vec<OsString> = Vec::new();
        let mut operands: Vec<OsString> = vec!["--".into()];
        for field in &self.fields {
            let Some(value) = object.get(&field.name) else { continue };
            let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for value in values {
                let text = match value {
                    Value::Bool(true) => None,
                    Value::Bool(false) | Value::Null => continue,
                    Value::String(text) => Some(text.clone()),
                    other => Some(other.to_string()),
                };
                match (&field.flag, text) {
                    (Some(flag), Some(text)) => line.push(format!("{flag}={text}").into()),
                    (Some(flag), None) => line.push(flag.into()),
                    (None, text) => operands.extend(text.map(OsString::from)),
                }
            }
        }
        line.append(&mut operands);
        line
    }
}

impl Field {
    fn from_option(flag: &Arg, row: &'static OptionRow, is_once: bool) -> Self {
        let id = flag.get_id().as_str();
        let other = NAMES.iter().find(|(named_id, _)| *named_id == id).map(|(_, name)| *name);
        let name = other.or(flag.get_long()).unwrap_or(id).replace('-', "_");
        let choices = flag.get_possible_values();
        let is =
            |kinds: &[TypeId]| kinds.iter().any(|kind| flag.get_value_parser().type_id() == *kind);
        let integers = [TypeId::of::<u64>(), TypeId::of::<usize>(), TypeId::of::<u8>()];
        let kind = match flag.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse => FieldKind::Switch,
            ArgAction::Append if is(&integers) => FieldKind::Integers,
            ArgAction::Append if !is_once => FieldKind::Texts,
            _ if !choices.is_empty() => {
                // The fields live as long as the process.
                let names = choices.iter().map(|choice| &*choice.get_name().to_owned().leak());
                FieldKind::Choice(names.collect::<Vec<_>>().leak())
            }
            _ if is(&integers) => FieldKind::Integer,
            _ if is(&[TypeId::of::<f32>()]) => FieldKind::Number,
            _ => FieldKind::Text,
        };
        let about = flag.get_help().map(ToString::to_string).unwrap_or_default();
        let heading = flag.get_help_heading().unwrap_or_default().to_owned();
        let long = flag.get_long().map(|long| format!("--{long}"));
        let choices = choices.iter().map(|choice| choice.get_name().to_owned());
        let choices = if kind == FieldKind::Texts { choices.collect() } else { Vec::new() };
        let value_name = flag.get_value_names().and_then(<[_]>::first).map(ToString::to_string);
        let value_name = value_name.filter(|_| kind != FieldKind::Switch).unwrap_or_default();
        Self {
            name,
            kind,
            about,
            heading,
            value_name,
            choices,
            row,
            id: id.to_owned(),
            flag: long,
            short: None,
        }
    }
}

/// Converts an error of the parser.
fn refusal(error: &clap::Error, line: &[OsString]) -> Error {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let name = |text: &String| text.split([' ', '=']).next().unwrap_or_default().to_owned();
    let argument = context(ContextKind::InvalidArg).first().map(name).unwrap_or_default();
    let argument = Opt::marked(&argument);
    let value = context(ContextKind::InvalidValue).first().cloned().unwrap_or_default();
    match error.kind() {
        ErrorKind::ArgumentConflict => {
            // The parser lists all options of a group.
            let is_given = |flag: &String| {
                let words = line.iter().filter_map(|word| word.to_str());
                words.into_iter().any(|word| word.split('=').next() == Some(flag))
            };
            let others: Vec<String> = context(ContextKind::PriorArg).iter().map(name).collect();
            let other = others.iter().find(|flag| is_given(flag)).or(others.first());
            let other = other.map_or_else(|| "another".to_owned(), |flag| Opt::marked(flag));
            contradiction(argument, other)
        }
        ErrorKind::ValueValidation => {
            Error::usage(format!("{argument}: '{value}' {}", invalid(error)))
        }
        ErrorKind::InvalidValue => {
            invalid_choice(&argument, &value, &context(ContextKind::ValidValue))
        }
        _ => {
            let rendered = error.render().to_string();
            let first = rendered.lines().next().unwrap_or_default();
            Error::usage(first.strip_prefix("error: ").unwrap_or(first))
        }
    }
}

/// Describes why a value is invalid for an option that is a number.
pub fn invalid(error: &clap::Error) -> String {
    let why = error.source().map(ToString::to_string).unwrap_or_default();
    if let Some((first, last)) = why.split_once(" is not in ").and_then(|(_, range)| {
        let (first, last) = range.split_once("..")?;
        Some((first, last.trim_start_matches('=')))
    }) {
        return match last.len() {
            0..4 => format!("is not a number from {first} to {last}"),
            _ => format!("is not a number of {first} or more"),
        };
    }
    if why.contains("too large") {
        "is too large".to_owned()
    } else {
        "is not an integer".to_owned()
    }
}
