//! Checks the arguments of a call against the tool's JSON Schema. A number, list or object that
//! is given as a string is converted.

use std::ffi::OsStr;

use serde_json::{Map, Number, Value, json};

use super::{Effect, Input, Tool};
use crate::commands::json::{DistinctFields, kind_of};
use folio_files::address::path_of_url;
use folio_files::error::Error;
use folio_text::fuzzy::name::nearest;

/// Parameters whose values are file names.
const FILE_NAMES: [&str; 4] = ["address", "path", "filePath", "search_path"];

/// Whether the value of a parameter may be a path, or the `file:` URL of one.
fn is_path(name: &str) -> bool {
    FILE_NAMES.contains(&name) || ["to", "collection", "which"].contains(&name)
}

/// Maximum length of an address (path and part) in bytes.
const MAX_ADDRESS: usize = 16 << 10;

/// Converts the arguments to the types of their parameters. Drops arguments that are `null`.
///
/// # Errors
///
/// Fails if an argument is unknown, missing or of the wrong type.
pub(super) fn checked(
    tool: &Tool,
    mut arguments: Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let input: &Input = &tool.input;
    if !input.options.is_empty() {
        match arguments.remove("options").map(unpacked) {
            None | Some(Value::Null) => {}
            Some(Value::Object(more)) => {
                for (name, value) in more.into_iter().filter(|(_, value)| !value.is_null()) {
                    match arguments.get(&name) {
                        Some(other) if !other.is_null() && *other != value => {
                            let message = format!("'{name}' also has another value in 'options'");
                            return Err(Error::usage(message));
                        }
                        _ => arguments.insert(name, value),
                    };
                }
            }
            Some(other) => return Err(misfit("options", &other, "an object")),
        }
    }
    if tool.set.has_commands() {
        omit_empty(tool, &mut arguments)?;
    }
    object(&input.schema, Some(input), arguments)
}

/// Removes optional arguments that are empty strings: some clients send all parameters. In an edit,
/// such an argument may have been meant to restrict what is edited.
///
/// # Errors
///
/// Fails if the tool writes files.
fn omit_empty(tool: &Tool, arguments: &mut Map<String, Value>) -> Result<(), Error> {
    let required = tool.input.schema.get("required").and_then(Value::as_array);
    let is_optional =
        |name: &str| required.is_none_or(|names| names.iter().all(|required| required != name));
    let empty = arguments.iter().filter(|(_, value)| value.as_str() == Some(""));
    let names: Vec<String> = empty
        .map(|(name, _)| name.clone())
        .filter(|name| name != "content" && is_optional(name))
        .collect();
    if !names.is_empty() && tool.effect != Effect::Reads {
        let verb = if names.len() == 1 { "is" } else { "are" };
        let error = Error::usage(format!("{} {verb} empty", names.join(" and ")));
        return Err(error.hint("omit arguments that have no value"));
    }
    arguments.retain(|name, _| !names.contains(name));
    Ok(())
}

/// Converts the fields of an object. `input` is the tool's, if the fields are arguments.
fn object(
    schema: &Map<String, Value>,
    input: Option<&Input>,
    arguments: Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let no_options = Map::new();
    let options = input.map_or(&no_options, |input| &input.options);
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut accepted = Map::new();
    let names: Vec<&str> =
        properties.into_iter().flatten().chain(options).map(|(name, _)| name.as_str()).collect();
    let mut unknown_names = Vec::new();
    let has_file = arguments.keys().any(|name| names.contains(&&**name) && is_file_name(name));
    for (name, value) in arguments {
        let name = match file_argument(&name, &names) {
            Some(parameter) if !has_file && !accepted.contains_key(parameter) => {
                parameter.to_owned()
            }
            _ => name,
        };
        let property =
            properties.and_then(|properties| properties.get(&name)).or_else(|| options.get(&name));
        let value = match property.and_then(Value::as_object) {
            _ if value.is_null() => continue,
            Some(property) => converted(&name, property, value)?,
            None if is_closed(schema) => {
                unknown_names.push(name);
                continue;
            }
            None => value,
        };
        accepted.insert(name, value);
    }
    if !unknown_names.is_empty() {
        return Err(unknown(&unknown_names, input, &names));
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    match required.filter_map(Value::as_str).find(|name| !accepted.contains_key(*name)) {
        Some(name) => Err(Error::usage(format!("the argument '{name}' is missing"))),
        None => Ok(accepted),
    }
}

/// Returns the parameter for a file, if an argument has the name that another tool uses for it.
fn file_argument<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let is_other = !names.contains(&name) && is_file_name(name);
    names.iter().copied().find(|candidate| is_other && is_file_name(candidate))
}

/// Whether some tool uses the name for a file.
fn is_file_name(name: &str) -> bool {
    SAME[0].contains(&folded(name).as_str())
}

/// Returns a name in lowercase, without separators.
fn folded(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}

/// Groups of names that different tools use for the same argument, in lowercase without `_` and
/// `-`.
const SAME: &[&[&str]] = &[
    &["address", "path", "file", "filepath", "filename", "uri", "files", "paths"],
    &["pattern", "query", "regex", "regexp", "search"],
    &["content", "newtext", "newstring", "newstr", "replacement", "replace", "body"],
    &["text", "oldtext", "oldstring", "oldstr", "find", "search"],
    &["operation", "command", "action", "mode"],
    &["from", "offset", "start", "startline", "line"],
    &["maxtotal", "headlimit", "maxresults", "limit"],
    &["limit", "maxlines", "lines", "count"],
    &["maxbytes", "maxchars", "maxlength", "maxtokens"],
    &["section", "heading", "name", "in"],
    &["glob", "include", "includes", "globs"],
    &["fileswithmatches", "outputmode"],
    &["maxdepth", "depth", "maxlevel"],
    &["collection", "path", "paths", "directory"],
    &["which", "id"],
];

/// Returns the error for arguments that are not parameters, with the parameters that are probably
/// meant.
fn unknown(unknown: &[String], input: Option<&Input>, names: &[&str]) -> Error {
    let quoted: Vec<String> = unknown.iter().map(|name| format!("'{name}'")).collect();
    let error = match &quoted[..] {
        [name] => Error::usage(format!("unknown argument {name}")),
        names => Error::usage(format!("unknown arguments {}", names.join(", "))),
    };
    let meant = |name: &String| {
        // A name that differs only in case or separators is preferred to a similar name.
        if let Some(similar) = names.iter().find(|other| folded(other) == folded(name)) {
            return Some(format!("{similar}  # similar"));
        }
        let fields = input.and_then(|input| input.fields.as_ref());
        let short = fields.filter(|_| name.starts_with('-')).and_then(|fields| fields.find(name));
        let mut groups = SAME.iter().filter(|group| group.contains(&folded(name).as_str()));
        let other_name =
            |group: &&[&str]| names.iter().copied().find(|name| group.contains(&&*folded(name)));
        let meant = short.map(|field| &*field.name).or_else(|| groups.find_map(other_name))?;
        Some(match unknown {
            [_] => format!("{meant}  # its name here"),
            _ => format!("{meant}  # instead of {name}"),
        })
    };
    let mut hints: Vec<String> = unknown.iter().filter_map(meant).collect();
    let is_end = |name: &String| ["endline", "end", "to"].contains(&&*folded(name));
    if unknown.iter().any(is_end) && names.contains(&"address") {
        hints.retain(|hint| !hint.starts_with("from "));
        hints.push("lines are part of the address, such as a.md:10-20".to_owned());
    }
    if !hints.is_empty() {
        return hints.into_iter().fold(error, Error::hint);
    }
    if let [name] = unknown
        && let Some(&at) = nearest(name, names.iter().copied(), 1).first()
    {
        return error.hint(format!("{}  # similar", names[at]));
    }
    let is_rare = |name: &str| {
        input.is_some_and(|input| input.options.contains_key(name) && !input.is_named(name))
    };
    let shown: Vec<&str> = names.iter().copied().filter(|name| !is_rare(name)).collect();
    error.hint(match &shown[..] {
        [] => "it accepts no arguments".to_owned(),
        shown => format!("there are {}", shown.join(", ")),
    })
}

/// Converts a value to the type of its parameter.
fn converted(name: &str, schema: &Map<String, Value>, value: Value) -> Result<Value, Error> {
    let (kind, takes_list) = match schema.get("type") {
        Some(Value::Array(types)) => (types[0].as_str(), true),
        kind => (kind.and_then(Value::as_str), false),
    };
    let value = match kind {
        Some("string" | "boolean") if !takes_list => value,
        _ => unpacked(value),
    };
    let items = schema.get("items").and_then(Value::as_object).filter(|items| is_object(items));
    match (kind.unwrap_or_default(), value) {
        ("string", Value::Array(list)) if takes_list => texts(name, list),
        ("string", value) => text(name, schema, value),
        ("boolean", Value::Bool(is)) => Ok(is.into()),
        ("boolean", value) => match value.as_str() {
            Some("true") => Ok(true.into()),
            Some("false") => Ok(false.into()),
            // In edits, other tools call the content so.
            Some(_) if name == "value" => {
                Err(misfit(name, &value, "true or false").hint("content  # for the new value"))
            }
            _ => Err(misfit(name, &value, "true or false")),
        },
        ("integer", value) => match whole_number(&value) {
            Some(number) => integer(name, schema, number),
            None => Err(misfit(name, &value, "an integer")),
        },
        ("number", value) => number(name, schema, &value),
        ("array", value) => match (value, items) {
            (Value::Array(list), Some(items)) => objects(name, items, list),
            (Value::Array(list), None) => texts(name, list),
            // A single value is accepted as a list of one.
            (text @ Value::String(_), None) => texts(name, vec![text]),
            (Value::Object(object), Some(items)) => objects(name, items, vec![object.into()]),
            (value, None) => Err(misfit(name, &value, "a list of strings")),
            (value, Some(_)) => Err(misfit(name, &value, "a list of objects")),
        },
        (_, Value::Object(fields)) => nested(name, schema, fields),
        // A string as the target is the name of a section.
        (_, Value::String(section)) if name == "target" && !is_closed(schema) => {
            Ok(json!({ "section": section }))
        }
        (_, value) => Err(misfit(name, &value, "an object")),
    }
}

fn is_closed(schema: &Map<String, Value>) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object")
}

fn text(name: &str, schema: &Map<String, Value>, value: Value) -> Result<Value, Error> {
    let text = match value {
        Value::Number(number) => digits(name, &number)?,
        Value::String(text) => text,
        value => return Err(misfit(name, &value, "a string")),
    };
    let text = match path_of_url(OsStr::new(&text)) {
        Ok(Some(path)) if is_path(name) => path.to_string_lossy().into_owned(),
        Err(error) if is_path(name) => return Err(error.after(format!("{name}: "))),
        _ => text,
    };
    // The message of an error would repeat the whole value.
    if text.len() > MAX_ADDRESS && FILE_NAMES.contains(&name) {
        let message = format!("{name}: {} bytes are more than the maximum for a path", text.len());
        return Err(Error::usage(message));
    }
    let Some(Value::Array(choices)) = schema.get("enum") else { return Ok(text.into()) };
    if choices.iter().any(|choice| *choice == text) {
        return Ok(text.into());
    }
    let names: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
    let error = Error::usage(format!("{name}: unknown value '{text}'"));
    Err(error.similar(&text, &names, "it is one of"))
}

fn integer(name: &str, schema: &Map<String, Value>, number: i128) -> Result<Value, Error> {
    let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_u64).map(i128::from);
    let (least, most) = (limit("minimum"), limit("maximum"));
    let is_small = least.is_some_and(|least| number < least);
    let is_large = most.is_some_and(|most| number > most);
    let problem = match (least, most) {
        (Some(least), Some(most)) if is_small || is_large => {
            format!("is not from {least} to {most}")
        }
        (Some(least), _) if is_small => format!("is too small: it is at least {least}"),
        (_, Some(most)) if is_large => format!("is too large: it is at most {most}"),
        _ => match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => return Ok(number.into()),
            (_, Ok(number)) => return Ok(number.into()),
            _ => "is too large".to_owned(),
        },
    };
    Err(Error::usage(format!("{name}: {number} {problem}")))
}

fn number(name: &str, schema: &Map<String, Value>, value: &Value) -> Result<Value, Error> {
    let text = || value.as_str().and_then(|text| text.trim().parse().ok());
    let Some(number) = value.as_f64().or_else(text) else {
        return Err(misfit(name, value, "a number"));
    };
    let limit = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    match (limit("minimum"), limit("maximum")) {
        (Some(least), Some(most)) if number < least || number > most => {
            Err(Error::usage(format!("{name}: {number} is not from {least} to {most}")))
        }
        _ => Ok(number.into()),
    }
}

fn texts(name: &str, list: Vec<Value>) -> Result<Value, Error> {
    let texts = list.into_iter().map(|item| match item {
        Value::String(_) | Value::Number(_) => text(name, &Map::new(), item),
        other => Err(misfit(name, &other, "a string")),
    });
    texts.collect()
}

/// Returns the digits of a number that is given instead of a string. Fails unless they are those
/// that the client wrote: `3.10` is read as 3.1.
fn digits(name: &str, number: &Number) -> Result<String, Error> {
    if number.is_f64() {
        let message =
            format!("{name}: expected a string, found a number with a fraction or exponent");
        return Err(Error::usage(message).hint("put it in quotes, which keep its digits"));
    }
    Ok(number.to_string())
}

fn nested(
    name: &str,
    schema: &Map<String, Value>,
    fields: Map<String, Value>,
) -> Result<Value, Error> {
    object(schema, None, fields)
        .map(Value::Object)
        .map_err(|error| error.after(format!("{name}: ")))
}

fn objects(name: &str, items: &Map<String, Value>, list: Vec<Value>) -> Result<Value, Error> {
    let objects = list.into_iter().zip(1..).map(|(item, number)| match unpacked(item) {
        Value::Object(fields) => nested(name, items, fields),
        other => {
            let found = kind_of(&other);
            Err(Error::usage(format!("{name}: expected object {number}, found {found}")))
        }
    });
    objects.collect()
}

/// Returns the error for a value of the wrong type.
fn misfit(name: &str, value: &Value, expected: &str) -> Error {
    Error::usage(format!("{name}: expected {expected}, found {}", kind_of(value)))
}

/// Parses a string that contains a JSON array or object. Returns other values unchanged.
fn unpacked(value: Value) -> Value {
    match &value {
        Value::String(text) if text.trim_start().starts_with(['[', '{']) => {
            serde_json::from_str(text).map_or(value, |DistinctFields(unpacked)| unpacked)
        }
        _ => value,
    }
}

/// Returns a value as an integer. The value may be a string, or a number with a zero fraction.
fn whole_number(value: &Value) -> Option<i128> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => {
            let integer = number.as_u64().map(i128::from).or(number.as_i64().map(i128::from));
            let float = || number.as_f64().filter(|float| float.fract() == 0.0);
            integer.or_else(|| float().map(|float| float as i128))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::table;
    use folio_files::error::Hint;

    #[track_caller]
    fn check(tool: &str, arguments: Value, expected: Result<Value, &str>) {
        let tool = table::find(tool).expect(tool);
        let arguments = arguments.as_object().cloned().expect("an object");
        let parameters = checked(tool, arguments).map(Value::Object);
        assert_eq!(parameters.map_err(|error| error.to_string()), expected.map_err(str::to_owned));
    }

    #[test]
    fn values_are_converted() {
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
        let twice = |other: Value| json!({"path": ".", "depth": 1, "options": {"depth": other}});
        check("list", twice(json!(1)), Ok(json!({"path": ".", "depth": 1})));
        check("list", twice(json!(null)), Ok(json!({"path": ".", "depth": 1})));
        check("list", twice(json!(2)), Err("'depth' also has another value in 'options'"));
        let edit = json!({"filePath": "a.md", "operation": "delete"});
        let packed = json!({"operation": "apply", "edits": json!([edit]).to_string()});
        check("patch", packed, Ok(json!({"operation": "apply", "edits": [edit]})));
    }

    #[test]
    fn a_file_may_have_the_name_of_another_tool() {
        for (name_of_tool, names, parameter) in [
            ("read", ["path", "file_path", "filePath", "file", "uri"], "address"),
            ("grep", ["address", "file_path", "filePath", "file", "uri"], "path"),
        ] {
            let tool = table::find(name_of_tool).expect(name_of_tool);
            let has_pattern = name_of_tool == "grep";
            for name in names {
                let arguments = json!({ name: "x", "pattern": "p" });
                let mut arguments = arguments.as_object().cloned().expect("an object");
                arguments.retain(|name, _| has_pattern || name != "pattern");
                let parameters = checked(tool, arguments).expect(name);
                assert_eq!(parameters[parameter], "x", "{name_of_tool} {name}");
            }
            // Neither of two files is ignored.
            let arguments = json!({ "address": "a", "path": "b", "pattern": "p" });
            let mut arguments = arguments.as_object().cloned().expect("an object");
            arguments.retain(|name, _| has_pattern || name != "pattern");
            checked(tool, arguments).expect_err(name_of_tool);
        }
    }

    #[test]
    fn empty_arguments_are_omitted_or_refused() {
        let empty = json!({"pattern": "", "path": "", "glob": "", "max_total": "", "sort": "", "options": {"in": ""}});
        check("grep", empty, Ok(json!({"pattern": ""})));
        check(
            "read",
            json!({"address": "a", "lines": "", "to_next": ""}),
            Ok(json!({"address": "a"})),
        );
        let patch = |more: Value| {
            let mut object = json!({"operation": "replace", "address": "a"});
            object.as_object_mut().expect("one").extend(more.as_object().cloned().expect("one"));
            object
        };
        let content = patch(json!({"content": ""}));
        check("patch", content.clone(), Ok(content));
        check("patch", patch(json!({"in": "", "content": "x"})), Err("in is empty"));
        check("patch", patch(json!({"if_match": "", "in": ""})), Err("if_match and in are empty"));
        check("undo", json!({"which": ""}), Err("which is empty"));
    }

    #[test]
    fn urls_of_local_files_are_paths() {
        check(
            "read",
            json!({"address": "file:///a%20b.md#L3"}),
            Ok(json!({"address": "/a b.md#L3"})),
        );
        check("read", json!({"address": ["file:/a"]}), Ok(json!({"address": ["/a"]})));
        let search = json!({"query": "file:///q", "collection": "file:///c"});
        check("search", search, Ok(json!({"query": "file:///q", "collection": ["/c"]})));
        let other = "path: 'file://host/a' is not the URL of a local file";
        check("list", json!({"path": "file://host/a"}), Err(other));
    }

    #[test]
    fn names_of_other_tools_are_recognized() {
        let check = |tool: &str, name: &str, expected: &str| {
            let tool = table::find(tool).expect(tool);
            let arguments = json!({ name: "x" }).as_object().cloned().expect("an object");
            let error = checked(tool, arguments).expect_err(name);
            let hint = error.hints.first().map(Hint::line).unwrap_or_default();
            assert!(hint.starts_with(expected), "{name}: {hint}");
        };
        check("grep", "query", "pattern  #");
        check("patch", "old_string", "text  #");
        check("patch", "new_string", "content  #");
        check("read", "offset", "from  #");
        check("read", "code-block", "code_block  # similar");
        check("read", "end_line", "lines are part of the address");
        check("grep", "-i", "ignore_case  #");
        check("grep", "head_limit", "max_total  #");
        check("grep", "include", "glob  #");
        check("grep", "section", "in  #");
        check("inspect", "depth", "max_level  #");
        check("undo", "id", "which  #");
        let tool = table::find("patch").expect("patch");
        let arguments = json!({"operation": "replace", "old_string": "a", "new_string": "b"});
        let arguments = arguments.as_object().cloned().expect("an object");
        let error = checked(tool, arguments).expect_err("names of another tool");
        assert_eq!(error.message, "unknown arguments 'new_string', 'old_string'");
        let hints: Vec<String> = error.hints.iter().map(Hint::line).collect();
        assert_eq!(hints, ["content  # instead of new_string", "text  # instead of old_string"]);
    }

    #[test]
    fn invalid_arguments_are_refused() {
        check("read", json!({}), Err("the argument 'address' is missing"));
        check("read", json!({"address": {}}), Err("address: expected a string, found an object"));
        check("read", json!({"address": "a", "x": 1}), Err("unknown argument 'x'"));
        let small = json!({"files": [{"path": "a", "head": 0}]});
        check("read_files", small, Err("files: head: 0 is too small: it is at least 1"));
        let large = json!({"path": "a", "depth": 21});
        check("fs_read", large, Err("depth: 21 is not from 1 to 20"));
        let fraction = json!({"address": "a", "limit": 1.5});
        let refusal = "limit: expected an integer, found a number with a fraction";
        check("read", fraction, Err(refusal));
        let choice = json!({"mode": "serch"});
        check("inspect", choice, Err("mode: unknown value 'serch'"));
    }
}
