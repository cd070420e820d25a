//! Values of the JSON output: text that may not be UTF-8, paths, line ranges, timestamps, errors
//! and checksums.

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{fmt, io};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeStruct, Serializer};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::commands::output::{Json, Note, is_not_displayed, lines_text};
use folio_files::address;
use folio_files::error::{Candidate, Code, Error, Hint, Message};
use folio_text::hex::hex;
use folio_text::span::LineRange;

/// A JSON value whose objects have no field twice. `serde_json` would keep only the last one, and
/// drop a part or a content that the request names.
#[derive(Debug)]
pub struct DistinctFields(pub Value);

impl<'de> Deserialize<'de> for DistinctFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DistinctVisitor).map(Self)
    }
}

struct DistinctVisitor;

impl<'de> Visitor<'de> for DistinctVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(DistinctFields(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(de::Error::custom(format!("the field '{name}' occurs twice")));
            }
            let DistinctFields(value) = fields.next_value()?;
            object.insert(name, value);
        }
        Ok(object.into())
    }
}

/// Text. Serialized as a string, or as `{"bytes":"<base64>"}` if it is not UTF-8.
#[derive(Clone, Copy, Debug, Default)]
pub struct Text<'a>(pub &'a [u8]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => {
                let mut bytes = serializer.serialize_struct("Text", 1)?;
                bytes.serialize_field("bytes", &STANDARD.encode(self.0))?;
                bytes.end()
            }
        }
    }
}

macro_rules! schema_of_text {
    ($($type:ty),+) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                "Text".into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({
                    "description": "Text as UTF-8, or its bytes if they are not UTF-8.",
                    "oneOf": [
                        {"type": "string"},
                        {
                            "type": "object",
                            "additionalProperties": false,
                            "required": ["bytes"],
                            "properties": {"bytes": {"type": "string", "contentEncoding": "base64"}}
                        }
                    ]
                })
            }
        }
    )+};
}

schema_of_text!(Text<'_>, OwnedText, Address<'_>);

/// Text that a record owns.
#[derive(Clone, Debug, Default)]
pub struct OwnedText(pub Vec<u8>);

impl Serialize for OwnedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Text(&self.0).serialize(serializer)
    }
}

/// Returns the bytes of a text that was serialized as [`Text`].
pub fn text_bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => Some(text.clone().into_bytes()),
        value => STANDARD.decode(value.get("bytes")?.as_str()?).ok(),
    }
}

/// Returns a path as text.
pub fn path(path: &Path) -> Text<'_> {
    Text(path.as_os_str().as_bytes())
}

/// The address of a file, or of lines of a file.
#[derive(Clone, Copy, Debug)]
pub struct Address<'a> {
    /// The file.
    pub path: &'a Path,
    /// The lines. `None` for the whole file.
    pub lines: Option<LineRange>,
}

impl<'a> Address<'a> {
    /// Creates the address of a range of lines.
    pub fn lines(path: &'a Path, start: u64, end: u64) -> Self {
        Self { path, lines: Some(LineRange::from_to(start, end)) }
    }
}

impl Serialize for Address<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lines = self.lines.map(lines_text).unwrap_or_default();
        Text(address::spelt(self.path, &lines).as_bytes()).serialize(serializer)
    }
}

/// A range of lines: `{"startLine":…,"endLine":…}`.
#[derive(Clone, Copy, Debug, JsonSchema, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Range {
    start_line: u64,
    end_line: u64,
}

impl From<LineRange> for Range {
    fn from(range: LineRange) -> Self {
        Self { start_line: range.start(), end_line: range.end() }
    }
}

/// An error, printed on standard error as one line of JSON.
#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorObject<'a> {
    #[schemars(extend("const" = "error"))]
    status: &'static str,
    /// The kind of failure.
    #[schemars(with = "Code")]
    code: &'static str,
    /// The index of the request that failed, from 0, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    /// The message, in one sentence.
    message: &'a Message,
    /// The file to which the error refers.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<Text<'a>>,
    /// Suggestions of what to do instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<String>,
    /// The suggestions as data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<HintObject>,
    /// Places that the user may have intended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<CandidateObject<'a>>,
}

#[derive(JsonSchema, serde::Serialize)]
struct CandidateObject<'a> {
    /// The number of a line, from 1.
    line: u64,
    text: &'a str,
    /// The names of the sections that contain the place, outermost first, followed by its own name.
    path: &'a [String],
}

/// A hint, as data and as a line.
#[derive(JsonSchema, serde::Serialize)]
pub struct HintObject {
    /// The line to type in a shell, or a sentence.
    line: String,
    /// The command of folio to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'static str>,
    /// The arguments of the command, or options to add, without quotes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    args: Vec<OwnedText>,
    /// The purpose of the suggestion.
    #[serde(skip_serializing_if = "Message::is_empty")]
    why: Message,
}

impl From<&Hint> for HintObject {
    fn from(hint: &Hint) -> Self {
        let command = match hint {
            Hint::Command { name, .. } => Some(*name),
            Hint::Again { .. } | Hint::Text(_) => None,
        };
        let args =
            hint.words().into_iter().map(|word| OwnedText(word.into_encoded_bytes())).collect();
        Self { line: hint.line(), command, args, why: hint.reason() }
    }
}

/// Formats an error as one line of JSON.
pub fn error_line(error: &Error) -> Vec<u8> {
    line(&ErrorObject {
        status: "error",
        code: error.code.name(),
        index: error.index,
        message: &error.message,
        file_path: error.path.as_deref().map(path),
        suggestions: error.hints.iter().map(Hint::to_string).collect(),
        hints: error.hints.iter().map(HintObject::from).collect(),
        candidates: error.candidates.iter().map(candidate).collect(),
    })
}

/// A note, printed on standard error as one line of JSON.
#[derive(JsonSchema, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NoteObject<'a> {
    #[schemars(extend("const" = "note"))]
    status: &'static str,
    /// The message, in one sentence.
    message: &'a Message,
    /// The file to which the note refers.
    #[serde(skip_serializing_if = "Option::is_none")]
    file_path: Option<Text<'a>>,
    /// Suggestions of what to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hints: Vec<HintObject>,
}

/// Formats a note as one line of JSON.
pub fn note_line(note: &Note) -> Vec<u8> {
    line(&NoteObject {
        status: "note",
        message: &note.message,
        file_path: note.path.as_deref().map(path),
        hints: note.hints.iter().map(HintObject::from).collect(),
    })
}

fn candidate(candidate: &Candidate) -> CandidateObject<'_> {
    CandidateObject { line: candidate.line, text: &candidate.text, path: &candidate.path }
}

/// Formats a time in RFC 3339 and UTC. The time is given in seconds since 1970.
pub fn timestamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // In this calculation, years begin in March, so that a leap day is the last day of its year.
    // Any 400 years have the same number of days.
    let day = days + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest % 3600 / 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns the error for JSON input that cannot be parsed. `what` describes the input.
pub fn misread(what: &str, error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    let plain = text.replace('`', "'");
    if error.is_eof() {
        return Error::usage(format!("{what}: the JSON is incomplete"));
    }
    if error.is_syntax() {
        let place = format!("line {}, column {}", error.line(), error.column());
        return Error::usage(format!("{what}: invalid JSON at {place}"));
    }
    let mut quoted = text.split('`').skip(1).step_by(2);
    let first = quoted.next().unwrap_or_default();
    if text.starts_with("unknown field") {
        let known: Vec<&str> = quoted.collect();
        let error = Error::usage(format!("{what}: unknown field '{first}'"));
        return error.similar(first, &known, "the fields are");
    }
    if text.starts_with("missing field") {
        return Error::usage(format!("{what}: the field '{first}' is missing"));
    }
    let types = text.strip_prefix("invalid type: ").or(text.strip_prefix("invalid value: "));
    if let Some((found, expected)) = types.and_then(|text| text.split_once(", expected ")) {
        let (found, expected) = (kind_of_json(found), kind_of_json(expected));
        return Error::usage(format!("{what}: expected {expected}, found {found}"));
    }
    if text.starts_with("data did not match") {
        return Error::usage(format!("{what}: a value has the wrong type"));
    }
    Error::usage(format!("{what}: {plain}"))
}

/// Returns the kind of a JSON value, for messages.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Returns the name that messages use for a kind of value in an error of serde.
fn kind_of_json(serde_name: &str) -> &str {
    match serde_name {
        "map" => "an object",
        "sequence" | "a sequence" => "a list",
        "a boolean" => "true or false",
        serde_name if serde_name.starts_with("struct ") => "an object",
        serde_name if serde_name.starts_with("string ") => "a string",
        serde_name if serde_name.starts_with("boolean ") => "true or false",
        serde_name
            if serde_name.starts_with("integer ") || serde_name.starts_with("floating point ") =>
        {
            "a number"
        }
        "u64" | "usize" => "an integer",
        serde_name => serde_name,
    }
}

/// Serializes a value as one line of JSON.
pub fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = Vec::with_capacity(128);
    push(value, &mut line);
    line.push(b'\n');
    line
}

impl<T: Serialize> Json for T {
    fn json(&self, out: &mut Vec<u8>) {
        push(self, out);
        out.push(b'\n');
    }
}

/// Appends a value without a line ending.
pub fn push(value: &impl Serialize, out: &mut Vec<u8>) {
    // All maps in serialized types have strings as keys, so this cannot fail.
    let _ = write(value, out);
}

/// Writes a value without a line ending.
pub fn write(value: &impl Serialize, out: &mut impl io::Write) -> io::Result<()> {
    value.serialize(&mut serde_json::Serializer::with_formatter(out, OneLine))?;
    Ok(())
}

/// Escapes characters that some programs treat as line endings (U+0085, U+2028 and U+2029), and
/// characters that are invisible on a terminal.
struct OneLine;

impl serde_json::ser::Formatter for OneLine {
    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut plain = fragment;
        while let Some((at, character)) = hidden(plain) {
            writer.write_all(&plain.as_bytes()[..at])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            plain = &plain[at + character.len_utf8()..];
        }
        writer.write_all(plain.as_bytes())
    }
}

/// Bytes that may begin a character that is invisible on a terminal. Letters of most scripts do not
/// begin with such a byte.
const MAY_HIDE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = matches!(byte, 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef..);
        byte += 1;
    }
    table
};

/// Returns the first character that is invisible on a terminal, and its byte offset. Does not find
/// control characters that JSON always escapes.
fn hidden(text: &str) -> Option<(usize, char)> {
    let begin = if text.is_ascii() {
        memchr::memchr(0x7f, text.as_bytes())?
    } else {
        text.as_bytes().iter().position(|&byte| MAY_HIDE[usize::from(byte)])?
    };
    let mut characters = text[begin..].char_indices();
    let (at, character) = characters.find(|(_, character)| is_not_displayed(*character))?;
    Some((begin + at, character))
}

/// Computes a SHA-256 checksum.
#[derive(Clone, Debug, Default)]
pub struct Checksum(Sha256);

impl Checksum {
    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the first 16 hexadecimal digits of the checksum.
    pub fn digits(self) -> String {
        let mut digits = self.all_digits();
        digits.truncate(16);
        digits
    }

    /// Returns all 64 hexadecimal digits of the checksum.
    pub fn all_digits(self) -> String {
        hex(&self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_not_utf8_is_bytes() {
        assert_eq!(line(&Text(b"a\"b")), b"\"a\\\"b\"\n");
        assert_eq!(line(&Text(b"\xff")), b"{\"bytes\":\"/w==\"}\n");
    }

    #[test]
    fn a_record_is_one_line_for_every_program() {
        let text = "a\u{2028}b\u{2029}\u{85}c\u{e2}\u{2027}\n";
        let line = line(&text);
        assert_eq!(line, "\"a\\u2028b\\u2029\\u0085c\u{e2}\u{2027}\\n\"\n".as_bytes());
        assert_eq!(serde_json::from_slice::<String>(&line).expect("JSON"), text);
    }

    #[test]
    fn terminal_control_characters_are_escaped() {
        let text = "ä\u{202e}b\u{200b}\u{ad}\u{61c}\u{7f}中\u{e0001}\u{feff}❤\u{fe0f}";
        let line = line(&text);
        let expected = "ä\\u202eb\\u200b\\u00ad\\u061c\\u007f中\\udb40\\udc01\\ufeff❤\u{fe0f}";
        assert_eq!(line, format!("\"{expected}\"\n").as_bytes());
        assert_eq!(serde_json::from_slice::<String>(&line).expect("JSON"), text);
    }

    #[test]
    fn every_invisible_character_is_found() {
        for character in ' '..=char::MAX {
            let found = hidden(character.encode_utf8(&mut [0; 4])).is_some();
            assert_eq!(found, is_not_displayed(character), "{character:?}");
        }
    }

    #[test]
    fn timestamps_follow_the_calendar() {
        let formatted = [0, 951_782_399, 951_782_400, 1_709_251_199, 4_102_444_800].map(timestamp);
        let expected = [
            "1970-01-01T00:00:00Z",
            "2000-02-28T23:59:59Z",
            "2000-02-29T00:00:00Z",
            "2024-02-29T23:59:59Z",
            "2100-01-01T00:00:00Z",
        ];
        assert_eq!(formatted, expected);
    }

    #[test]
    fn every_day_of_four_centuries_has_its_date() {
        let mut days = 0;
        for year in 1970..2370 {
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let february = if is_leap { 29 } else { 28 };
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in lengths.into_iter().enumerate() {
                for day in 1..=length {
                    let expected = format!("{year}-{:02}-{day:02}T01:02:03Z", month + 1);
                    assert_eq!(timestamp(days * 86_400 + 3723), expected);
                    days += 1;
                }
            }
        }
    }

    #[test]
    fn checksums_begin_as_sha256sum_prints_them() {
        let mut checksum = Checksum::default();
        checksum.push(b"te");
        checksum.push(b"st");
        assert_eq!(checksum.digits(), "9f86d081884c7d65");
    }
}
