//! Converts messages and hints to the form that callers of tools need. In messages of commands, the
//! names of parameters are options; here, they become parameter names, and command lines become
//! calls.

use std::ffi::OsString;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::{Set, Tool};
use crate::commands::field_names::camel_case;
use crate::commands::given_fields::{self, GivenField, GivenFields};
use crate::commands::output::Note;
use crate::commands::request::Fields;
use crate::commands::shared_args::is_kept_to_go_on;
use crate::mcp::answer::Answer;
use folio_files::error::{Candidate, Change, Error, ExitStatus, Hint, Message, Opt};

/// Converts messages for the caller of a tool.
#[derive(Clone, Copy)]
pub struct Spelling<'a> {
    /// The tool that was called.
    pub tool: &'a Tool,
    /// All tools that the server offers.
    pub tools: &'a [&'static Tool],
    /// The arguments of the call.
    pub arguments: &'a Map<String, Value>,
}

impl Spelling<'_> {
    /// Replaces the options in a message with parameter names.
    pub fn message(&self, message: &Message) -> String {
        message.with_names(|option| self.parameter(option).unwrap_or_else(|| option.to_owned()))
    }

    /// Returns the parameter for an option. Returns `None` if `flag` is not an option.
    fn parameter(&self, flag: &str) -> Option<String> {
        let field = self.tool.input.fields.as_ref().and_then(|fields| fields.find(flag));
        if let Some(field) = field {
            return Some(field.name.clone());
        }
        let name = flag.strip_prefix("--")?;
        // `--root` is an option of the server.
        if name == "root" || !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return None;
        }
        let set = self.tool.set;
        Some(match name {
            // In these tools, `path` is a file, and the parameter for `--path` has another name.
            "path" if set.has_commands() => "section_path".to_owned(),
            name if set.uses_camel_case() => camel_case(name),
            name => name.replace('-', "_"),
        })
    }

    /// Formats a hint as a line. Returns `None` if the hint refers to a tool that the server does
    /// not offer.
    pub fn hint(&self, hint: &Hint) -> Option<String> {
        let line = match hint {
            Hint::Text(text) => return Some(self.message(text)),
            Hint::Again { changes, .. } => self.again(changes)?,
            Hint::Command { name, args, .. } => self.call(name, args)?,
        };
        let why = hint.reason();
        Some(if why.is_empty() { line } else { format!("{line}  # {}", self.message(&why)) })
    }

    /// Formats the call with changes. Returns `None` if the tool lacks a parameter for one of them.
    fn again(&self, changes: &[Change]) -> Option<String> {
        let field_of = |option: Opt| {
            let name = self.parameter(option.0).unwrap_or_else(|| option.0.to_owned());
            let schema = self.tool.parameter(&name);
            // The target of a tool has no fields in its schema that name options.
            let in_target = || self.arguments.get("target").filter(|target| target.is_object());
            let kind = schema.or_else(in_target)?.get("type");
            let is = |kind: &Value, name: &str| match kind {
                Value::Array(kinds) => kinds.contains(&json!(name)),
                kind => kind == name,
            };
            let is_kind = |name: &str| kind.is_some_and(|kind| is(kind, name));
            let is_list = kind.is_some_and(|kind| kind == "array");
            let accepts_list = is_list || is_kind("array");
            Some(GivenField { name, is_number: is_kind("integer"), accepts_list, is_list })
        };
        let is_kept = |name: &str| {
            let mut fields = self.tool.input.fields.iter().flat_map(Fields::iter);
            let field = fields.find(|field| field.name == name);
            field.map_or(name != "offset", |field| is_kept_to_go_on(&field.name, &field.heading))
        };
        let fields = GivenFields { field_of: &field_of, is_kept: &is_kept };
        given_fields::changed(self.arguments, changes, self.tool.name, fields)
    }

    /// Converts a command to a call. The call uses a tool of the same set, or a tool of the set
    /// `core`.
    fn call(&self, command: &str, args: &[OsString]) -> Option<String> {
        if self.tool.set == Set::Text
            && let Some(line) = self.text_call(command, args)
        {
            return Some(line);
        }
        let runs_command = |tool: &&&Tool| tool.set.has_commands() && tool.name == command;
        let tool = *self.tools.iter().find(runs_command)?;
        let mut fields = Map::new();
        let spelling = Spelling { tool, ..*self };
        let positional = tool.input.fields.iter().flat_map(Fields::operands);
        let mut operands: Vec<&str> = positional.map(|field| &*field.name).collect();
        if operands.is_empty() {
            let required = tool.input.schema.get("required").and_then(Value::as_array);
            operands.extend(required.into_iter().flatten().filter_map(Value::as_str));
        }
        spelling.fields(args, &operands, &mut fields)?;
        Some(format!("{command} {}", Value::Object(fields)))
    }

    /// Returns calls of the text tools for the most common hints.
    fn text_call(&self, command: &str, args: &[OsString]) -> Option<String> {
        let args: Vec<&str> = args.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
        let (name, fields) = match (command, &args[..]) {
            ("inspect", [path]) => ("TextInspect", json!({"filePath": path})),
            ("read", [path, "--section", name]) => {
                ("TextRead", json!({"filePath": path, "target": {"section": name}}))
            }
            _ => return None,
        };
        let is_served = self.tools.iter().any(|tool| tool.name == name);
        is_served.then(|| format!("{name} {fields}"))
    }

    /// Converts the arguments of a command to fields. Returns `None` if the tool lacks a parameter
    /// for one of them.
    fn fields(
        &self,
        args: &[OsString],
        operands: &[&str],
        fields: &mut Map<String, Value>,
    ) -> Option<()> {
        let mut positions = operands.iter();
        let mut words = args.iter();
        let mut are_operands = false;
        while let Some(word) = words.next() {
            let word = word.to_string_lossy();
            if word == "--" && !are_operands {
                are_operands = true;
                continue;
            }
            let flag = &*word;
            if !flag.starts_with('-') || flag == "-" || are_operands {
                let value: Value = (*word).into();
                match positions.next() {
                    Some(name) => drop(fields.insert((*name).to_owned(), value)),
                    None => self.add(fields, operands.last()?, value)?,
                };
                continue;
            }
            let (flag, inline_value) = match flag.split_once('=').filter(|_| flag.starts_with("--"))
            {
                Some((flag, value)) => (flag, Some(value.to_owned())),
                None => (flag, None),
            };
            let name = self.parameter(flag)?;
            let kind = &self.tool.parameter(&name)?["type"];
            let kind = kind.as_str().or(kind[0].as_str());
            let mut value =
                || inline_value.clone().or_else(|| Some(words.next()?.to_str()?.to_owned()));
            let value = match kind {
                Some("boolean") => Value::Bool(true),
                Some("integer") => {
                    let text = value()?;
                    text.parse().map(|number: u64| number.into()).unwrap_or(text.into())
                }
                Some("array") => json!([value()?]),
                _ => value()?.into(),
            };
            fields.insert(name, value);
        }
        Some(())
    }

    /// Adds a value to a parameter that has a value. Returns `None` if the parameter accepts only
    /// one value.
    fn add(&self, fields: &mut Map<String, Value>, name: &str, value: Value) -> Option<()> {
        let accepts_list = self.tool.parameter(name)?["type"].as_array()?.contains(&json!("array"));
        let field = fields.get_mut(name).filter(|_| accepts_list)?;
        match field {
            Value::Array(values) => values.push(value),
            first => *first = json!([first.take(), value]),
        }
        Some(())
    }

    /// Formats the hints of an error or a note as lines.
    pub fn hints(&self, hints: &[Hint]) -> Vec<String> {
        hints.iter().filter_map(|hint| self.hint(hint)).collect()
    }

    /// Formats an error as text: code, message, candidates and hints.
    pub fn error(&self, error: &Error) -> String {
        let mut text = format!("{}: {}", error.code.name(), self.located(error));
        let is_several = error.code.exit_status() == ExitStatus::Several;
        for candidate in error.candidates.iter().filter(|_| is_several) {
            text += &format!("\n  line {}: {}", candidate.line, candidate.path.join(" > "));
        }
        for hint in self.hints(&error.hints) {
            text += &format!("\nhint: {hint}");
        }
        text
    }

    fn located(&self, error: &Error) -> String {
        located(error.path.as_deref(), &self.message(&error.message))
    }

    /// Builds the answer to a call that failed as a whole: code, message and hints.
    pub fn refused(self, error: &Error) -> Answer {
        let errors = vec![self.error_object(error)];
        Answer { errors, ..Answer::text(self.error(error)) }.failed(error.code.exit_status())
    }

    /// Returns an error as a JSON object.
    pub fn error_object(&self, error: &Error) -> Value {
        let mut object = json!({
            "status": "error",
            "code": error.code.name(),
            "message": self.message(&error.message),
        });
        if let Some(path) = &error.path {
            object["filePath"] = path.to_string_lossy().into();
        }
        let hints = self.hints(&error.hints);
        if !hints.is_empty() {
            object["suggestions"] = json!(hints);
        }
        if !error.candidates.is_empty() {
            let candidate = |candidate: &Candidate| {
                let (line, text, path) = (candidate.line, &candidate.text, &candidate.path);
                json!({"line": line, "text": text, "path": path})
            };
            object["candidates"] = error.candidates.iter().map(candidate).collect();
        }
        object
    }

    /// Returns a note as text.
    pub fn note(&self, note: &Note) -> String {
        let mut text = located(note.path.as_deref(), &self.message(&note.message));
        for hint in &note.hints {
            let why = hint.reason();
            let bare = hint.clone().why("");
            if let Some(line) = self.hint(&bare) {
                let why = self.message(&why);
                text +=
                    &if why.is_empty() { format!("; {line}") } else { format!("; {why}: {line}") };
            }
        }
        text
    }
}

fn located(path: Option<&Path>, message: &str) -> String {
    path.map_or_else(|| message.to_owned(), |path| format!("'{}': {message}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::table;
    use folio_files::options::{COLOR, FIXED_STRINGS, FROM, IGNORE_CASE, ROOT, TO_NEXT};
    use std::sync::LazyLock;

    fn spelling<'a>(tool: &str, tools: &'a [&'static Tool]) -> Spelling<'a> {
        static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        Spelling { tool: table::find(tool).expect(tool), tools, arguments: &NONE }
    }

    #[test]
    fn options_are_converted_to_parameters() {
        let tools: Vec<&Tool> = table::tools().collect();
        #[track_caller]
        fn check(spelling: Spelling<'_>, text: String, expected: &str) {
            assert_eq!(spelling.message(&text.into()), expected);
        }
        let core = spelling("inspect", &tools);
        check(core, format!("no '--in': ({TO_NEXT}), {FROM} N"), "no '--in': (to_next), from N");
        check(core, format!("mcp {ROOT} DIR"), "mcp --root DIR");
        let grep = spelling("grep", &tools);
        check(grep, format!("without {}", Opt::marked("-w")), "without word_regexp");
        let text = spelling("TextRead", &tools);
        check(text, format!("{IGNORE_CASE} means"), "ignoreCase means");
    }

    #[test]
    fn commands_are_converted_to_calls() {
        let tools: Vec<&Tool> = table::tools().collect();
        let core = spelling("inspect", &tools);
        let hint = Hint::command("read", ["a b.md", "--section", "## X", "--limit", "3"]);
        let line = core.hint(&hint.why("similar"));
        let expected = r###"read {"address":"a b.md","limit":3,"section":"## X"}  # similar"###;
        assert_eq!(line.as_deref(), Some(expected));
        assert_eq!(core.hint(&Hint::command("grep", ["--help"])), None);
        let several = core.hint(&Hint::command("read", ["a.md", "b.md:5-", "c.md"]));
        assert_eq!(several.as_deref(), Some(r#"read {"address":["a.md","b.md:5-","c.md"]}"#));
        assert_eq!(core.hint(&Hint::command("undo", ["7", "8"])), None);
        let undo = core.hint(&Hint::command("undo", ["7"]));
        assert_eq!(undo.as_deref(), Some(r#"undo {"which":"7"}"#));
        let hint = Hint::command("search", ["-c", "docs", "install"]);
        let expected = r#"search {"collection":["docs"],"query":"install"}"#;
        assert_eq!(core.hint(&hint).as_deref(), Some(expected));
        let hint = Hint::command("grep", ["-F", "--", "-x"]);
        let expected = r#"grep {"fixed_strings":true,"pattern":"-x"}"#;
        assert_eq!(core.hint(&hint).as_deref(), Some(expected));
        let arguments = json!({"pattern": "(", "path": "a"});
        let arguments = arguments.as_object().expect("an object");
        let grep = Spelling { arguments, ..spelling("grep", &tools) };
        let literal = grep.hint(&Hint::with_switch(FIXED_STRINGS));
        let expected = r#"grep {"fixed_strings":true,"path":"a","pattern":"("}"#;
        assert_eq!(literal.as_deref(), Some(expected));
        assert_eq!(grep.hint(&Hint::with_value(COLOR, "never")), None);
    }
}
