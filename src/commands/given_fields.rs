//! Changes of a call that is a JSON object: the arguments of a tool, or an edit of a batch. Hints
//! repeat the object with changes, so no field can be missing in them.

use std::ffi::{OsStr, OsString};

use serde_json::{Map, Value, json};

use super::field_names::camel_case;
use super::option_rows::is_part;
use folio_files::error::{Change, Opt};
use folio_files::options::{ADDRESSES, CODE_BLOCK, FLAGS, FRONT_MATTER, LINES, PATTERN};
use folio_text::span::parse_line_ranges;

/// Maximum length in bytes of an object in a hint. Of longer objects, a hint contains only the
/// fields that change.
const MAX_OBJECT: usize = 600;

/// Fields that name a file.
const FILES: [&str; 5] = ["address", "path", "filePath", "file_path", "paths"];

/// A field of an object.
pub struct GivenField {
    /// The name of the field.
    pub name: String,
    /// Whether the value is a number.
    pub is_number: bool,
    /// Whether the value may be a list.
    pub accepts_list: bool,
    /// Whether the value must be a list.
    pub is_list: bool,
}

/// The fields that an object may have.
#[derive(Clone, Copy)]
pub struct GivenFields<'a> {
    /// Returns the field for an option with dashes, or for the identifier of an operand.
    pub field_of: &'a dyn Fn(Opt) -> Option<GivenField>,
    /// Whether a field also applies to the rest of a part.
    pub is_kept: &'a dyn Fn(&str) -> bool,
}

/// Formats an object with changes, or only the changed fields of a long object. Returns `None` if
/// the object has no field for an option. `name` precedes a complete object.
pub fn changed(
    original: &Map<String, Value>,
    changes: &[Change],
    name: &str,
    fields: GivenFields<'_>,
) -> Option<String> {
    let mut changed = original.clone();
    changes.iter().try_for_each(|change| apply(&mut changed, change, fields))?;
    let pairs = changed.iter().filter(|(name, value)| original.get(*name) != Some(value));
    let mut pairs: Vec<String> = pairs.map(|(name, value)| format!("\"{name}\":{value}")).collect();
    let removed = original.keys().filter(|name| !changed.contains_key(*name));
    pairs.extend(removed.map(|name| format!("\"{name}\":null")));
    let object = Value::Object(changed).to_string();
    Some(match object.len() {
        0..=MAX_OBJECT if name.is_empty() => object,
        0..=MAX_OBJECT => format!("{name} {object}"),
        _ => pairs.join(","),
    })
}

/// Whether an option is a field of the target, if the object has one. `--flags` are those of a
/// pattern; the command line has options instead.
fn is_of_target(option: Opt) -> bool {
    option == FLAGS || is_part(option.0)
}

fn apply(object: &mut Map<String, Value>, change: &Change, fields: GivenFields<'_>) -> Option<()> {
    match change {
        Change::Path { .. } | Change::OnlyFile(_) | Change::Address { .. } => {
            change_files(object, change, fields)?;
        }
        Change::Only(address) => {
            object.retain(|name, _| (fields.is_kept)(name));
            set_file(object, address, fields)?;
        }
        Change::Command(_) => return None,
        _ => {
            let is_part = change.option().is_some_and(is_of_target);
            // A target that is a text is the name of a section.
            if let Some(target) =
                object.get_mut("target").filter(|target| is_part && target.is_string())
            {
                *target = json!({"section": target.take()});
            }
            let target = object.get_mut("target").and_then(Value::as_object_mut);
            let field_of = fields.field_of;
            return match target.filter(|_| is_part) {
                Some(target) => Options { object: target, is_target: true, field_of }.apply(change),
                None => Options { object, is_target: false, field_of }.apply(change),
            };
        }
    }
    Some(())
}

/// Changes a target in JSON. Returns `None` if the change is not one of the part, if the text is not
/// an object, or if it does not contain the replaced name and is not the only target.
pub fn changed_target(text: &OsStr, change: &Change, is_only: bool) -> Option<OsString> {
    let mut object: Map<String, Value> = serde_json::from_str(text.to_str()?).ok()?;
    let field_of = |option: Opt| {
        let name = camel_case(option.0.trim_start_matches('-'));
        Some(GivenField { name, is_number: false, accepts_list: false, is_list: false })
    };
    change.option().filter(|option| is_of_target(*option))?;
    let is_replaced = match change {
        Change::Replace { old, new, .. } => {
            let (old, new) = (old.to_string_lossy(), new.to_string_lossy());
            object.values_mut().any(|value| replace_text(value, &old, &new))
        }
        _ => false,
    };
    if is_replaced {
        return Some(Value::Object(object).to_string().into());
    }
    if !is_only {
        return None;
    }
    Options { object: &mut object, is_target: true, field_of: &field_of }.apply(change)?;
    Some(Value::Object(object).to_string().into())
}

/// The fields that are options.
struct Options<'a> {
    object: &'a mut Map<String, Value>,
    is_target: bool,
    field_of: &'a dyn Fn(Opt) -> Option<GivenField>,
}

impl Options<'_> {
    fn apply(&mut self, change: &Change) -> Option<()> {
        match change {
            Change::Switch(option) => {
                let is_object = self.is_target && *option == FRONT_MATTER;
                let value = if is_object { json!({}) } else { true.into() };
                self.object.insert((self.field_of)(*option)?.name, value);
            }
            Change::Set(option, values) => {
                // An option that the object cannot have is not in it.
                let Some(field) = (self.field_of)(*option) else {
                    return values.is_empty().then_some(());
                };
                let values = values.iter().map(|value| self.value(*option, value, &field));
                let values: Vec<Value> = values.collect();
                self.set(field, values)?;
            }
            Change::Add(option, value) => {
                let field = (self.field_of)(*option)?;
                let mut values = match self.object.remove(&field.name) {
                    Some(Value::Array(values)) => values,
                    other => other.into_iter().collect(),
                };
                values.push(self.value(*option, value, &field));
                self.set(field, values)?;
            }
            Change::Rename(option, other) => {
                let value = self.object.remove(&(self.field_of)(*option)?.name)?;
                // Only a pattern has flags.
                if *option == PATTERN {
                    self.object.remove("flags");
                }
                self.object.insert((self.field_of)(*other)?.name, value);
            }
            Change::Replace { option, old, new } => {
                let field = (self.field_of)(*option)?;
                let (old, new) = (old.to_string_lossy(), new.to_string_lossy());
                let is_replaced = match self.object.get_mut(&field.name) {
                    Some(value) => replace_text(value, &old, &new),
                    // A target may name the part in another way, such as {"heading":{"text":…}}.
                    None if self.is_target => {
                        self.object.values_mut().any(|value| replace_text(value, &old, &new))
                    }
                    None => false,
                };
                if !is_replaced {
                    self.set(field, vec![new.into_owned().into()])?;
                }
            }
            _ => {}
        }
        Some(())
    }

    fn set(&mut self, field: GivenField, mut values: Vec<Value>) -> Option<()> {
        match values.pop() {
            None => drop(self.object.remove(&field.name)),
            Some(value) if values.is_empty() && !field.is_list => {
                self.object.insert(field.name, value);
            }
            Some(last) if field.accepts_list => {
                values.push(last);
                self.object.insert(field.name, values.into());
            }
            Some(_) => return None,
        }
        Some(())
    }

    /// Converts the value of an option to that of a field.
    fn value(&self, option: Opt, value: &OsStr, field: &GivenField) -> Value {
        let text = value.to_string_lossy();
        match option {
            CODE_BLOCK if self.is_target => {
                let (language, index) = text.rsplit_once(':').unwrap_or(("", &text));
                let index = index.parse::<u64>().unwrap_or_default();
                return match language {
                    "" => json!({"index": index}),
                    language => json!({"language": language, "index": index}),
                };
            }
            LINES if self.is_target => {
                if let Ok([range]) = parse_line_ranges(&text).as_deref() {
                    return json!({"start": range.start(), "end": range.end()});
                }
            }
            _ => {}
        }
        match text.parse::<u64>() {
            Ok(number) if field.is_number => number.into(),
            _ => text.into_owned().into(),
        }
    }
}

/// Replaces a text in a value. Returns whether the value contains it.
fn replace_text(value: &mut Value, old: &str, new: &str) -> bool {
    match value {
        Value::String(text) if text == old => {
            new.clone_into(text);
            true
        }
        Value::Array(values) => values.iter_mut().any(|value| replace_text(value, old, new)),
        Value::Object(fields) => fields.values_mut().any(|value| replace_text(value, old, new)),
        _ => false,
    }
}

/// Changes the fields that name files.
fn change_files(
    object: &mut Map<String, Value>,
    change: &Change,
    fields: GivenFields<'_>,
) -> Option<()> {
    let values = FILES.iter().filter_map(|name| object.get(*name));
    let values = values.flat_map(|value| match value {
        Value::Array(values) => values.iter().collect(),
        value => vec![value],
    });
    let operands: Vec<OsString> = values.filter_map(Value::as_str).map(OsString::from).collect();
    let Some(changed) = change.operands(&operands) else {
        return set_file(object, &change.file()?, fields);
    };
    let mut changed = changed.into_iter();
    let mut replace = |value: &mut Value| {
        if value.is_string() {
            let operand = changed.next().flatten();
            *value = operand.map_or(Value::Null, |operand| operand.to_string_lossy().into());
        }
        !value.is_null()
    };
    for name in FILES {
        let is_kept = object.get_mut(name).is_none_or(|value| match value {
            Value::Array(values) => {
                values.retain_mut(&mut replace);
                true
            }
            value => replace(value),
        });
        if !is_kept {
            object.remove(name);
        }
    }
    Some(())
}

/// Replaces all files of an object.
fn set_file(
    object: &mut Map<String, Value>,
    address: &OsStr,
    fields: GivenFields<'_>,
) -> Option<()> {
    let field = FILES.into_iter().find(|name| object.contains_key(*name)).map(str::to_owned);
    let field = field.or_else(|| Some((fields.field_of)(ADDRESSES)?.name))?;
    let address = Value::from(address.to_string_lossy());
    let is_list = object.get(&field).is_some_and(Value::is_array);
    object.insert(field, if is_list { json!([address]) } else { address });
    Some(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use folio_files::options::{BODY, CODE_BLOCK, GLOB, IN, LIMIT, SECTION};

    #[track_caller]
    fn check(object: &Value, changes: &[Change], expected: &str) {
        let field_of = |option: Opt| {
            let name = option.0.trim_start_matches('-');
            let name = camel_case(name);
            (name != "unknown").then_some(GivenField {
                is_number: name == "limit",
                accepts_list: name == "glob",
                is_list: name == "glob",
                name,
            })
        };
        let object = object.as_object().expect("an object");
        let fields = GivenFields { field_of: &field_of, is_kept: &|name| name == "limit" };
        let found = changed(object, changes, "x", fields);
        assert_eq!(found.unwrap_or_default(), expected);
    }

    #[test]
    fn fields_are_changed_where_they_are() {
        let object = json!({"path": "a.md:5", "section": "A", "glob": ["b"]});
        let path = Change::path(Path::new("a.md"), Path::new("c.md"));
        check(&object, &[path], r#"x {"glob":["b"],"path":"c.md:5","section":"A"}"#);
        let set = [Change::set(SECTION, "B"), Change::set(LIMIT, "3")];
        check(&object, &set, r#"x {"glob":["b"],"limit":3,"path":"a.md:5","section":"B"}"#);
        let more = [Change::add(GLOB, "c"), Change::remove(SECTION)];
        check(&object, &more, r#"x {"glob":["b","c"],"path":"a.md:5"}"#);
        check(&object, &[Change::Switch(Opt("--unknown"))], "");
        let files = json!({"paths": ["a.md:3", "b.md"]});
        let only = [Change::OnlyFile("a.md".into())];
        check(&files, &only, r#"x {"paths":["a.md:3"]}"#);
        check(&json!({"paths": ["docs"]}), &only, r#"x {"paths":["a.md"]}"#);
        let other = Change::address(Path::new("other.md"), "", "other.md:1");
        check(&object, &[other], r#"x {"glob":["b"],"path":"other.md:1","section":"A"}"#);
    }

    #[test]
    fn parts_are_changed_in_the_target() {
        let object = json!({"target": {"heading": {"text": "A"}}});
        let change = Change::replace(SECTION, "A", "## B");
        check(&object, &[change], r###"x {"target":{"heading":{"text":"## B"}}}"###);
        let object = json!({"target": {"section": "A"}});
        let change = Change::Rename(SECTION, BODY);
        check(&object, &[change], r#"x {"target":{"body":"A"}}"#);
        let object = json!({"target": "A"});
        let change = Change::replace(SECTION, "A", "B");
        check(&object, &[change], r#"x {"target":{"section":"B"}}"#);
        let object = json!({"target": {"codeBlock": {"index": 7}}});
        let change = Change::set(CODE_BLOCK, "sh:0");
        check(&object, &[change], r#"x {"target":{"codeBlock":{"index":0,"language":"sh"}}}"#);
    }

    #[test]
    fn of_a_long_object_only_the_changes_are_repeated() {
        let object = json!({"content": "x".repeat(MAX_OBJECT), "section": "A", "in": "B"});
        let changes = [Change::set(SECTION, "C"), Change::remove(IN)];
        check(&object, &changes, r#""section":"C","in":null"#);
    }
}
