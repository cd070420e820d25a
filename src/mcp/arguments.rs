//! Checks the arguments of a call against the tool's parameters. A number, list or object that
//! is given as a string is converted.

use std::ffi::OsString;

use serde_json::{Map, Value, json};

use super::tool::{Kind, Parameter, Set, Tool, with_options};
use crate::commands::json::kind_of;
use crate::commands::misses::nearest;
use crate::error::Error;

/// Parameters that name files.
const FILE_NAMES: [&str; 4] = ["address", "path", "filePath", "search_path"];

/// Maximum length of an address (path and part) in bytes.
const MAX_ADDRESS: usize = 16 << 10;

/// Arguments that have the types of their parameters. Parameters given as `null` are left out.
#[derive(Clone, Debug, Default)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks `given` against the parameters of `tool`.
    ///
    /// # Errors
    ///
    /// Fails if an argument is unknown, missing or of the wrong type.
    pub fn check(tool: &Tool, given: Map<String, Value>) -> Result<Self, Error> {
        // The contract of this set lets clients send additional fields.
        let takes_more = tool.set == Set::Fs;
        checked(tool.parameters, given, takes_more, &Limits::of(tool.set)).map(Self)
    }

    /// The value of a string parameter.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// The value of a string parameter, as an owned string.
    pub fn string(&self, name: &str) -> Option<String> {
        self.text(name).map(str::to_owned)
    }

    /// The value or values of a parameter that accepts one string or several.
    pub fn operands(&self, name: &str) -> Vec<OsString> {
        match self.0.get(name) {
            Some(Value::Array(texts)) => {
                texts.iter().filter_map(Value::as_str).map(OsString::from).collect()
            }
            Some(Value::String(text)) => vec![text.into()],
            _ => Vec::new(),
        }
    }

    /// Whether a boolean parameter is true; false if it is not given.
    pub fn flag(&self, name: &str) -> bool {
        self.is(name) == Some(true)
    }

    /// The value of a boolean parameter, if given.
    pub fn is(&self, name: &str) -> Option<bool> {
        self.0.get(name)?.as_bool()
    }

    /// The value of an integer parameter, if given.
    pub fn integer(&self, name: &str) -> Option<u64> {
        self.0.get(name)?.as_u64()
    }

    /// The value of an integer parameter as `usize`, saturating.
    pub fn size(&self, name: &str) -> Option<usize> {
        self.integer(name).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// The value of a number parameter, if given.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name)?.as_f64()
    }

    /// The value of a parameter that is a list of strings, if given.
    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        let list = self.0.get(name)?.as_array()?;
        Some(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// The value of a parameter that is a list of objects, if given.
    pub fn objects(&self, name: &str) -> Option<Vec<Self>> {
        let list = self.0.get(name)?.as_array()?;
        Some(list.iter().filter_map(Value::as_object).cloned().map(Self).collect())
    }

    /// All arguments by name.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The value of any parameter, if given.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

/// Checks that a tool set makes itself, with its own messages.
struct Limits {
    ranges: bool,
}

impl Limits {
    fn of(set: Set) -> Self {
        Self { ranges: set != Set::ReadTextFile }
    }
}

fn checked(
    parameters: &'static [Parameter],
    mut given: Map<String, Value>,
    takes_more: bool,
    limits: &Limits,
) -> Result<Map<String, Value>, Error> {
    let mut taken = Map::new();
    let is_options = |parameter: &&Parameter| matches!(parameter.kind, Kind::Options(_));
    if let Some(parameter) = parameters.iter().find(is_options) {
        match given.remove(parameter.name).map(unpacked) {
            None | Some(Value::Null) => {}
            Some(Value::Object(more)) => given.extend(more),
            Some(other) => return Err(parameter.misfit(&other, "an object")),
        }
    }
    for (name, value) in given {
        let parameter = with_options(parameters).find(|parameter| parameter.name == name);
        let Some(parameter) = parameter else {
            if takes_more {
                continue;
            }
            return Err(unknown(&name, parameters));
        };
        if value.is_null() {
            continue;
        }
        let value = parameter.taken(value, limits)?;
        taken.insert(name, value);
    }
    let missing = parameters.iter().find(|field| field.required && !taken.contains_key(field.name));
    match missing {
        Some(field) => Err(Error::usage(format!("the argument '{}' is missing", field.name))),
        None => Ok(taken),
    }
}

/// Groups of names that other tools use for the same argument, folded to lowercase without `_`
/// and `-`.
const SAME: &[&[&str]] = &[
    &["address", "path", "file", "filepath", "filename", "uri", "files", "paths"],
    &["pattern", "query", "regex", "regexp", "search"],
    &["content", "newtext", "newstring", "newstr", "replacement", "replace", "body"],
    &["text", "oldtext", "oldstring", "oldstr", "find", "search"],
    &["operation", "command", "action", "mode"],
    &["from", "offset", "start", "startline", "line"],
    &["limit", "maxlines", "lines", "count"],
    &["maxbytes", "maxchars", "maxlength", "maxtokens"],
    &["section", "heading", "name"],
];

fn unknown(name: &str, parameters: &'static [Parameter]) -> Error {
    let names = || with_options(parameters).map(|parameter| parameter.name);
    let error = Error::usage(format!("unknown argument '{name}'"));
    let folded = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    // A name that differs only in case or separators is preferred over a similar one.
    let same = names().find(|other| folded(other) == folded(name));
    let means = |group: &&&[&str]| group.contains(&folded(name).as_str());
    let mut groups = SAME.iter().filter(means);
    let other =
        || groups.find_map(|group| names().find(|other| group.contains(&folded(other).as_str())));
    if let Some(other) = same.is_none().then(other).flatten() {
        return error.hint(format!("{other}  # its name here"));
    }
    match same.map(str::to_owned).or_else(|| near(name, names())) {
        Some(near) => error.hint(format!("{near}  # similar")),
        None if parameters.is_empty() => error.hint("it takes no arguments"),
        None => error.hint(format!("there are {}", names().collect::<Vec<_>>().join(", "))),
    }
}

/// The most similar name.
fn near<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let at = nearest(name, names.clone(), 1).first().copied()?;
    names.clone().nth(at).map(str::to_owned)
}

impl Parameter {
    fn taken(&self, value: Value, limits: &Limits) -> Result<Value, Error> {
        let wrong = |value: &Value, wanted: &str| Err(self.misfit(value, wanted));
        match (self.kind, value) {
            (Kind::Text | Kind::Operands, Value::Number(number)) => Ok(number.to_string().into()),
            (Kind::Text | Kind::Operands, Value::String(text)) => match self.is_too_long(&text) {
                true => Err(Error::usage(format!(
                    "{}: {} bytes are more than any path has",
                    self.name,
                    text.len()
                ))),
                false => Ok(text.into()),
            },
            (Kind::Operands, Value::Array(list)) => self.texts(list),
            (Kind::Text | Kind::Operands, value) => wrong(&value, "a text"),
            (Kind::Switch, value @ Value::Bool(_)) => Ok(value),
            (Kind::Switch, value) => match value.as_str() {
                Some("true") => Ok(true.into()),
                Some("false") => Ok(false.into()),
                _ => wrong(&value, "true or false"),
            },
            (Kind::Integer(least, most), value) => match whole(&value) {
                Some(number) => self.in_range(number, least, most, limits),
                None => wrong(&value, "a whole number"),
            },
            (Kind::Number(least, most), value) => self.number(&value, least, most),
            (Kind::Choice(names), value) => match value.as_str() {
                Some(name) if names.contains(&name) => Ok(value),
                Some(name) => Err(self.no_choice(name, names)),
                None => wrong(&value, "a text"),
            },
            (Kind::Texts, value) => match unpacked(value) {
                Value::Array(list) => self.texts(list),
                Value::String(text) => Ok(vec![text].into()),
                value => wrong(&value, "a list of texts"),
            },
            (Kind::Object(fields), value) => match unpacked(value) {
                Value::Object(object) => self.object(fields, object, limits),
                // A string as the target is the name of a section.
                Value::String(name) if self.name == "target" && fields.is_empty() => {
                    Ok(json!({ "section": name }))
                }
                value => wrong(&value, "an object"),
            },
            // Merged with the other arguments later.
            (Kind::Options(_), value) => Ok(value),
            (Kind::Edits(_), value) => {
                Self { kind: Kind::Objects(&[]), ..*self }.taken(value, limits)
            }
            (Kind::Objects(fields), value) => match unpacked(value) {
                Value::Array(list) => self.objects(fields, list, limits),
                // A single object is accepted as a list of one.
                Value::Object(object) => self.objects(fields, vec![Value::Object(object)], limits),
                value => wrong(&value, "a list of objects"),
            },
        }
    }

    fn number(&self, value: &Value, least: f64, most: f64) -> Result<Value, Error> {
        let text = || value.as_str().and_then(|text| text.trim().parse().ok());
        match value.as_f64().or_else(text) {
            Some(number) if number >= least && number <= most => Ok(number.into()),
            Some(number) => {
                Err(Error::usage(format!("{}: {number} is not from {least} to {most}", self.name)))
            }
            None => Err(self.misfit(value, "a number")),
        }
    }

    /// The error for a value of the wrong type.
    fn misfit(&self, value: &Value, wanted: &str) -> Error {
        let given = kind_of(value);
        Error::usage(format!("{}: expected {wanted}, found {given}", self.name))
    }

    /// Whether `text` names a file and is longer than any address. Checked early because error
    /// messages would repeat all of it.
    fn is_too_long(&self, text: &str) -> bool {
        text.len() > MAX_ADDRESS && FILE_NAMES.contains(&self.name)
    }

    fn in_range(
        &self,
        number: i128,
        least: u64,
        most: u64,
        limits: &Limits,
    ) -> Result<Value, Error> {
        let name = self.name;
        if !limits.ranges {
            let number = i64::try_from(number).unwrap_or(i64::MAX);
            return Ok(u64::try_from(number).map_or_else(|_| number.into(), Value::from));
        }
        match u64::try_from(number) {
            Ok(number) if number >= least && number <= most => Ok(number.into()),
            _ if most == u64::MAX => {
                Err(Error::usage(format!("{name}: {number} is too small: it is at least {least}")))
            }
            _ => Err(Error::usage(format!("{name}: {number} is not from {least} to {most}"))),
        }
    }

    fn no_choice(&self, name: &str, names: &[&str]) -> Error {
        let error = Error::usage(format!("{}: unknown value '{name}'", self.name));
        match near(name, names.iter().copied()) {
            Some(near) => error.hint(format!("{near}  # similar")),
            None => error.hint(format!("it is one of {}", names.join(", "))),
        }
    }

    fn texts(&self, list: Vec<Value>) -> Result<Value, Error> {
        let texts = list.into_iter().map(|item| match item {
            Value::String(text) => Ok(Value::String(text)),
            Value::Number(number) => Ok(number.to_string().into()),
            other => Err(Error::usage(format!(
                "{}: expected a text, found {}",
                self.name,
                kind_of(&other)
            ))),
        });
        texts.collect::<Result<Vec<_>, _>>().map(Value::Array)
    }

    fn object(
        &self,
        fields: &'static [Parameter],
        object: Map<String, Value>,
        limits: &Limits,
    ) -> Result<Value, Error> {
        if fields.is_empty() {
            return Ok(Value::Object(object));
        }
        let object = checked(fields, object, false, limits);
        object.map(Value::Object).map_err(|mut error| {
            error.message = format!("{}: {}", self.name, error.message);
            error
        })
    }

    fn objects(
        &self,
        fields: &'static [Parameter],
        list: Vec<Value>,
        limits: &Limits,
    ) -> Result<Value, Error> {
        let objects = list.into_iter().zip(1..).map(|(item, number)| match unpacked(item) {
            Value::Object(object) => self.object(fields, object, limits),
            other => Err(Error::usage(format!(
                "{}: expected object {number}, found {}",
                self.name,
                kind_of(&other)
            ))),
        });
        objects.collect::<Result<Vec<_>, _>>().map(Value::Array)
    }
}

/// Parses a string that contains a JSON array or object; returns other values unchanged.
fn unpacked(value: Value) -> Value {
    match &value {
        Value::String(text) if text.trim_start().starts_with(['[', '{']) => {
            serde_json::from_str(text).unwrap_or(value)
        }
        _ => value,
    }
}

/// An integer, also if it is written as a string or with a zero fraction.
fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => {
            let whole = number.as_u64().map(i128::from).or(number.as_i64().map(i128::from));
            let float = || number.as_f64().filter(|float| float.fract() == 0.0);
            whole.or_else(|| float().map(|float| float as i128))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::table;

    #[track_caller]
    fn check(tool: &str, given: Value, expected: Result<Value, &str>) {
        let tool = table::find(tool).expect(tool);
        let given = given.as_object().cloned().expect("an object");
        let taken = Arguments::check(tool, given).map(|taken| Value::Object(taken.0));
        assert_eq!(taken.map_err(|error| error.message), expected.map_err(str::to_owned));
    }

    #[test]
    fn what_is_meant_is_taken() {
        let a = |more: Value| {
            let mut object = json!({"address": "a.md"});
            object.as_object_mut().expect("one").extend(more.as_object().cloned().expect("one"));
            object
        };
        check("read", a(json!({"limit": "10"})), Ok(a(json!({"limit": 10}))));
        check("read", a(json!({"limit": 10.0})), Ok(a(json!({"limit": 10}))));
        check("read", a(json!({"limit": null})), Ok(a(json!({}))));
        check(
            "read",
            a(json!({"section_context": "true"})),
            Ok(a(json!({"section_context": true}))),
        );
        let edit = json!({"filePath": "a.md", "operation": "delete"});
        let packed = json!({"operation": "apply", "edits": json!([edit]).to_string()});
        check("patch", packed, Ok(json!({"operation": "apply", "edits": [edit]})));
    }

    #[test]
    fn names_of_other_tools_lead_to_those_here() {
        let check = |tool: &str, name: &str, expected: &str| {
            let tool = table::find(tool).expect(tool);
            let given = json!({ name: "x" }).as_object().cloned().expect("an object");
            let error = Arguments::check(tool, given).expect_err(name);
            let hint = error.hints.first().map(crate::error::Hint::line).unwrap_or_default();
            assert!(hint.starts_with(expected), "{name}: {hint}");
        };
        for name in ["path", "file_path", "filePath", "file", "uri"] {
            check("read", name, "address  #");
            check("patch", name, "address  #");
        }
        check("grep", "address", "path  #");
        check("grep", "query", "pattern  #");
        check("patch", "old_string", "text  #");
        check("patch", "new_string", "content  #");
        check("read", "offset", "from  #");
        check("read", "code-block", "code_block  # similar");
    }

    #[test]
    fn what_is_wrong_is_named() {
        check("read", json!({}), Err("the argument 'address' is missing"));
        check("read", json!({"address": {}}), Err("address: expected a text, found an object"));
        check("read", json!({"address": "a", "x": 1}), Err("unknown argument 'x'"));
        let small = json!({"address": "a", "limit": 0});
        check("read", small, Err("limit: 0 is too small: it is at least 1"));
        let fraction = json!({"address": "a", "limit": 1.5});
        let refusal = "limit: expected a whole number, found a number with a fraction";
        check("read", fraction, Err(refusal));
        let choice = json!({"mode": "serch"});
        check("inspect", choice, Err("mode: unknown value 'serch'"));
    }
}
