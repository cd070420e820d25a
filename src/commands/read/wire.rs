//! JSON that comes in: the lines of `--batch`, and what is in their targets
//! beside names of parts.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{End, Selection};
use crate::commands::conditions::flags::ConditionArgs;
use crate::commands::json;
use crate::commands::shared_args::{contradiction, flag_error};
use crate::commands::target;
use crate::commands::target::flags::scoped;
use crate::commands::target::json::TargetObject;
use crate::error::Error;
use crate::text::pattern::{Pattern, PatternOptions};

/// A line of `folio read --batch`: a file and a part of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["address"]}, {"required": ["filePath"]}]))]
pub struct BatchLine {
    /// A file and a part of it.
    pub address: Option<String>,
    /// A file.
    pub file_path: Option<String>,
    /// The part of it.
    #[schemars(with = "Option<BatchTarget>")]
    pub target: Option<Value>,
    /// What parts must be like: all that are in the file, or in files below a directory.
    #[schemars(with = "Option<ConditionArgs>")]
    pub select: Option<Value>,
}

/// A part of a file, or lines from a line on.
#[derive(JsonSchema)]
#[schemars(extend("minProperties" = 1, "additionalProperties" = false))]
#[schemars(extend("dependentSchemas" = {
    "flags": {"anyOf": [{"required": ["pattern"]}, {"required": ["toNext"]}]}}))]
pub(super) struct BatchTarget {
    #[schemars(flatten)]
    _target: TargetObject,
    #[schemars(flatten)]
    _extent: ExtentObject,
}

/// Where a part begins and ends that has no name.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct ExtentObject {
    /// The first line
    #[schemars(range(min = 1))]
    from: Option<u64>,
    /// End before the next line that matches
    #[schemars(length(min = 1))]
    to_next: Option<String>,
    /// End with the innermost section that contains the first line
    to_section_end: bool,
    /// End after this many lines
    #[schemars(range(min = 1))]
    limit: Option<u64>,
    /// toNext ignores code blocks
    outside_code: Option<bool>,
    /// toNext ignores HTML comments
    outside_comments: Option<bool>,
    /// The innermost section that contains the line
    section_context: bool,
    /// The first lines
    head: Option<u64>,
    /// The last lines
    tail: Option<u64>,
    flags: Option<String>,
    #[serde(rename = "in")]
    scope: Option<String>,
}

/// Its fields, but for those that are beside names too.
const EXTENTS: [&str; 9] = [
    "from",
    "toNext",
    "toSectionEnd",
    "limit",
    "outsideCode",
    "outsideComments",
    "sectionContext",
    "head",
    "tail",
];

/// The selection that a target in JSON stands for, and the scope in it.
pub fn selection(
    value: Value,
    patterns: PatternOptions,
) -> Result<(Selection, Option<String>), Error> {
    const WHAT: &str = "target";
    let Value::Object(fields) = value else {
        return target::json::target(value, WHAT, patterns)
            .map(|(target, scope)| (Selection::Target { target, from: None }, scope));
    };
    let is_extent = |name: &str| EXTENTS.contains(&name);
    let (extent, named): (Map<_, _>, Map<_, _>) =
        fields.into_iter().partition(|(name, _)| is_extent(name));
    let is_beside = |name: &str| matches!(name, "flags" | "in");
    let name = named.keys().find(|name| !is_beside(name)).cloned();
    let shared = named.iter().filter(|(name, _)| is_beside(name));
    let shared: Map<_, _> = shared.map(|(name, value)| (name.clone(), value.clone())).collect();
    if extent.is_empty() {
        let (target, scope) = target::json::target(Value::Object(named), WHAT, patterns)?;
        let (target, scope) = scoped(target, scope)?;
        let selection = target.map(|target| Selection::Target { target, from: None });
        return Ok((selection.unwrap_or_default(), scope));
    }
    let first = extent.keys().next().cloned().unwrap_or_default();
    let object: ExtentObject =
        serde_json::from_value(Value::Object(extent.into_iter().chain(shared).collect()))
            .map_err(|error| json::misread(WHAT, &error))?;
    let Some(name) = name else {
        let selection = object.selection(patterns).map_err(|error| flag_error(WHAT, error))?;
        return Ok((selection, object.scope));
    };
    let (target, scope) = target::json::target(Value::Object(named), WHAT, patterns)?;
    let selection = Selection::Target { target, from: object.from };
    // Only the rest of a block may begin at a line of its own.
    match first == "from" && object.is_only_from() && selection.check().is_ok() {
        true => Ok((selection, scope)),
        false => Err(flag_error(WHAT, contradiction(&name, &first))),
    }
}

impl ExtentObject {
    fn is_only_from(&self) -> bool {
        self.to_next.is_none()
            && self.limit.is_none()
            && self.head.is_none()
            && self.tail.is_none()
            && self.outside_code.is_none()
            && self.outside_comments.is_none()
            && !(self.to_section_end || self.section_context)
    }

    fn selection(&self, patterns: PatternOptions) -> Result<Selection, Error> {
        let start = self.from;
        if start == Some(0) {
            return Err(Error::usage("line numbers start at 1, not 0"));
        }
        if self.limit == Some(0) {
            return Err(Error::usage("limit 0 would read nothing: it is at least 1"));
        }
        let mut found: Vec<(&str, Selection)> = Vec::new();
        if let Some(source) = &self.to_next {
            if source.is_empty() {
                return Err(Error::usage("the text to look for is empty"));
            }
            let options = target::json::flagged(self.flags.as_deref(), patterns)?;
            let pattern = Pattern::new(source, options)?;
            let outside_code = self.outside_code == Some(true);
            let outside_comments = self.outside_comments == Some(true);
            let end = End::ToNext { pattern, outside_code, outside_comments };
            found.push(("toNext", Selection::From { start, end }));
        }
        if self.to_section_end {
            found.push(("toSectionEnd", Selection::From { start, end: End::OfSection }));
        }
        if let Some(limit) = self.limit {
            found.push(("limit", Selection::From { start, end: End::Limit(limit) }));
        }
        if self.section_context {
            found.push(("sectionContext", Selection::SectionAround(start)));
        }
        let is_started = !found.is_empty();
        found.extend(self.head.map(|count| ("head", Selection::Head(count))));
        found.extend(self.tail.map(|count| ("tail", Selection::Tail(count))));
        if let [(first, _), (second, _), ..] = found[..] {
            return Err(contradiction(first, second));
        }
        let name = found.first().map_or("from", |(name, _)| name);
        let checks = [
            (self.flags.is_some() && name != "toNext", "flags", "pattern or toNext"),
            (self.outside_code.is_some() && name != "toNext", "outsideCode", "toNext"),
            (self.outside_comments.is_some() && name != "toNext", "outsideComments", "toNext"),
            (
                start.is_some() && !is_started && name != "from",
                "from",
                "toNext or toSectionEnd or limit or sectionContext or from",
            ),
        ];
        if let Some((_, stray, needs)) = checks.into_iter().find(|(is_stray, ..)| *is_stray) {
            return Err(Error::usage(format!("{stray} needs {needs}")));
        }
        match found.pop() {
            Some((_, selection)) => Ok(selection),
            None if start.is_some() => Ok(Selection::From { start, end: End::OfFile }),
            None => Err(Error::usage("it names nothing").hint(target::json::LIKE)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(json: &str) -> Result<(Selection, Option<String>), Error> {
        selection(serde_json::from_str(json).expect("JSON"), PatternOptions::default())
    }

    #[test]
    fn parts_with_and_without_names_are_understood() {
        for json in [
            r#"{"lines":{"start":50,"end":75}}"#,
            r#"{"from":120,"toNext":"^\\[LOG-","flags":"i"}"#,
            r#"{"from":120}"#,
            r#"{"head":3,"in":"A"}"#,
            r#"{"codeBlock":{"index":0},"from":12}"#,
            r#"{"from":3,"sectionContext":true}"#,
        ] {
            assert!(parsed(json).is_ok(), "{json}");
        }
    }

    #[track_caller]
    fn check_error(json: &str, part: &str) {
        let error = parsed(json).expect_err(json);
        assert!(error.message.contains(part), "{}", error.message);
    }

    #[test]
    fn what_is_wrong_is_named() {
        check_error("{}", "nothing");
        check_error(r#"{"limit":0}"#, "limit 0");
        check_error(r#"{"from":0,"toNext":"x"}"#, "line numbers start at 1, not 0");
        check_error(r#"{"section":"a","from":3}"#, "section cannot be used with from");
        check_error(
            r#"{"codeBlock":{"index":0},"limit":3}"#,
            "codeBlock cannot be used with limit",
        );
        check_error(r#"{"head":1,"tail":1}"#, "head cannot be used with tail");
        check_error(r#"{"head":1,"from":1}"#, "from needs");
        check_error(r#"{"limit":1,"outsideCode":true}"#, "outsideCode needs toNext");
        check_error(r#"{"text":"a","flags":"i"}"#, "flags needs pattern");
    }
}
