//! Requests in JSON. The fields of an object are the options of a command, in camel case. The
//! parser of the command line parses and checks them.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::conditions::Conditions;
use super::field_names::camel_case;
use super::given_fields::{self, GivenField, GivenFields};
use super::request::{CommandLine, FieldKind, Fields};
use super::shared_args::is_kept_to_go_on;
use folio_files::error::{Change, Error, Hint, Message, Opt};

/// The fields of an object that are not options.
const OTHER_FIELDS: [&str; 3] = ["address", "filePath", "select"];

impl Fields {
    /// Parses the request in an object. The caller must have removed the fields that are not
    /// options.
    pub fn parse_object<T: CommandLine>(&self, mut object: Map<String, Value>) -> Result<T, Error> {
        let mut fields = Map::new();
        for field in self.iter() {
            let name = camel_case(&field.name);
            let Some(value) = object.remove(&name) else { continue };
            field.kind.check(&value).map_err(|error| error.after(format!("{name}: ")))?;
            fields.insert(field.name.clone(), value);
        }
        self.parsed(&fields, false)
    }

    /// Removes the field `address` or `filePath` of an object, and returns its value and whether it
    /// is an address. Also removes fields that are `null`. `what` is what the object is.
    ///
    /// # Errors
    ///
    /// Fails unless there is exactly one of them, or if there is an unknown field.
    pub fn take_file(
        &self,
        object: &mut Map<String, Value>,
        what: &str,
    ) -> Result<(String, bool), Error> {
        object.retain(|_, value| !value.is_null());
        self.refuse_unknown(object)?;
        match (object.remove("address"), object.remove("filePath")) {
            (Some(Value::String(address)), None) => Ok((address, true)),
            (None, Some(Value::String(path))) => Ok((path, false)),
            _ => Err(Error::usage(format!("{what} needs either an address or a filePath"))),
        }
    }

    /// Fails if a field is neither an option nor one of [`OTHER_FIELDS`].
    fn refuse_unknown(&self, object: &Map<String, Value>) -> Result<(), Error> {
        let known = self.iter().map(|field| camel_case(&field.name));
        let known: Vec<String> =
            OTHER_FIELDS.iter().map(ToString::to_string).chain(known).collect();
        let Some(name) = object.keys().find(|name| !known.contains(name)) else { return Ok(()) };
        let error = Error::usage(format!("unknown field '{name}'"));
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Err(error.similar(name, &known, "the fields are"))
    }

    /// Returns the error, with each option replaced by its field. Hints repeat the object `original`
    /// with changes, if there is one.
    pub fn named(&self, mut error: Error, original: Option<&Map<String, Value>>) -> Error {
        error.message = self.message(&error.message).into();
        let hints = std::mem::take(&mut error.hints).into_iter();
        error.hints = hints.filter_map(|hint| self.hint(hint, original)).collect();
        error
    }

    /// Returns the hint, with each option replaced by its field. Changes of a call become the
    /// changed object `original`. Returns `None` if an object cannot have the option.
    pub fn hint(&self, hint: Hint, original: Option<&Map<String, Value>>) -> Option<Hint> {
        Some(match (hint, original) {
            (Hint::Text(text), _) => Hint::from(self.message(&text)),
            (Hint::Again { changes, why }, Some(original)) => {
                let object =
                    self.changed(original, &changes).filter(|object| !object.is_empty())?;
                Hint::from(if why.is_empty() {
                    object
                } else {
                    format!("{object}  # {}", self.message(&why))
                })
            }
            (hint, _) => hint,
        })
    }

    /// Replaces each option in a text with its field.
    fn message(&self, message: &Message) -> String {
        message.with_names(|option| match self.find(option) {
            Some(field) => camel_case(&field.name),
            None => option.to_owned(),
        })
    }

    /// Returns the object with changes, in camel case.
    fn changed(&self, original: &Map<String, Value>, changes: &[Change]) -> Option<String> {
        let field_of = |option: Opt| {
            let field = self.find(option.0)?;
            Some(GivenField {
                name: camel_case(&field.name),
                is_number: field.kind.is_number(),
                accepts_list: matches!(field.kind, FieldKind::Texts | FieldKind::Integers),
                is_list: false,
            })
        };
        let is_kept = |name: &str| {
            let field = self.iter().find(|field| camel_case(&field.name) == name);
            field.is_some_and(|field| is_kept_to_go_on(&field.name, &field.heading))
        };
        let fields = GivenFields { field_of: &field_of, is_kept: &is_kept };
        given_fields::changed(original, changes, "", fields)
    }

    /// Returns the JSON Schema of each field. `forms` contains the schemas of fields with special
    /// values.
    pub fn schemas(&self, forms: &[(&str, Value)]) -> Map<String, Value> {
        let schema = |name: &str, kind: FieldKind| {
            let form = forms.iter().find(|(field, _)| *field == name);
            form.map_or_else(|| kind.schema(), |(_, schema)| schema.clone())
        };
        let named = self.iter().map(|field| {
            let name = camel_case(&field.name);
            let mut schema = schema(&name, field.kind);
            schema["description"] = field.about.clone().into();
            (name, schema)
        });
        named.collect()
    }

    /// Returns the JSON Schemas for objects that also name a file, and that may contain conditions
    /// on parts.
    pub fn schemas_with_file(
        &self,
        forms: &[(&str, Value)],
        generator: &mut SchemaGenerator,
    ) -> Map<String, Value> {
        let text = |about: &str| json!({"type": "string", "description": about});
        let mut select = json!(generator.subschema_for::<Conditions>());
        select["description"] = "Conditions on parts: each part that meets them".into();
        let mut schemas = Map::new();
        let address = text("A file and a part of it, such as guide.md:10-20 or guide.md#install");
        schemas.insert("address".to_owned(), address);
        schemas.insert("filePath".to_owned(), text("A file; with select, also a directory"));
        schemas.insert("select".to_owned(), select);
        schemas.extend(self.schemas(forms));
        schemas
    }
}
