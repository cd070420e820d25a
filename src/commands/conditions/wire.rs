//! Conditions in JSON: the flags' names in camelCase.

use serde::Deserialize;
use serde_json::Value;

use super::flags::KindArg;
use super::{Conditions, KeyCondition, Pick};
use crate::commands::json;
use crate::error::Error;
use crate::text::pattern::Case;

/// One text, or several.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
enum Texts {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
}

impl Texts {
    fn list(self) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::One(text) => vec![text],
            Self::Several(texts) => texts,
        }
    }
}

/// A level, or levels as they are typed.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Levels {
    One(u8),
    Range(String),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct ConditionsObject {
    matching: Texts,
    path: Texts,
    level: Option<Levels>,
    kind: Texts,
    lang: Texts,
    having: Texts,
    not_having: Texts,
    containing: Texts,
    lacking: Texts,
    include_code: bool,
    include_comments: bool,
    with_key: Texts,
    without_key: Texts,
    since: Option<String>,
    until: Option<String>,
    innermost: bool,
    repeated: bool,
    first: bool,
    last: bool,
    nth: Option<u64>,
    across: bool,
    ignore_case: bool,
}

/// What the value of `select` asks for.
///
/// Fails where it is no such object, asks for nothing or contradicts itself.
pub fn conditions(value: Value, case: Case) -> Result<Conditions, Error> {
    let object: ConditionsObject =
        serde_json::from_value(value).map_err(|error| json::misread("select", &error))?;
    let conditions = object.conditions(case)?;
    if !conditions.is_given() {
        let like = r#"it is like {"matching":"^Install","containing":"sudo"}"#;
        return Err(Error::usage("select: it asks for nothing").hint(like));
    }
    conditions.check()?;
    Ok(conditions)
}

impl ConditionsObject {
    fn conditions(self, case: Case) -> Result<Conditions, Error> {
        let picks = [self.first.then_some(Pick::First), self.last.then_some(Pick::Last)];
        let mut picks = picks.into_iter().chain([self.nth.map(Pick::Nth)]).flatten();
        let pick = picks.next();
        if picks.next().is_some() {
            return Err(Error::usage("select: of first, last and nth only one goes"));
        }
        let kinds = self.kind.list();
        let kinds = kinds.iter().map(|name| KindArg::named(name).ok_or_else(|| no_kind(name)));
        let kinds: Vec<KindArg> = kinds.collect::<Result<_, _>>()?;
        let mut kind: Vec<_> = kinds.into_iter().flat_map(KindArg::kinds).collect();
        kind.sort();
        kind.dedup();
        Ok(Conditions {
            matching: self.matching.list(),
            path: self.path.list(),
            level: self.level.map(|level| match level {
                Levels::One(level) => level.to_string(),
                Levels::Range(range) => range,
            }),
            kind,
            lang: self.lang.list(),
            having: self.having.list(),
            not_having: self.not_having.list(),
            containing: self.containing.list(),
            lacking: self.lacking.list(),
            include_code: self.include_code,
            include_comments: self.include_comments,
            with_key: self.with_key.list().iter().map(|typed| KeyCondition::typed(typed)).collect(),
            without_key: self.without_key.list(),
            since: self.since,
            until: self.until,
            innermost: self.innermost,
            repeated: self.repeated,
            pick,
            across: self.across,
            case: if self.ignore_case { Case::Insensitive } else { case },
        })
    }
}

fn no_kind(name: &str) -> Error {
    let all = KindArg::names().join(", ");
    Error::usage(format!("select: there is no kind '{name}'")).hint(format!("it is one of {all}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::commands::conditions::Kind;

    #[test]
    fn texts_may_be_one_or_several() {
        let given = json!({
            "matching": "^A", "containing": ["x", "y"], "level": 2, "kind": ["heading", "entry"],
            "withKey": "status=done", "last": true, "ignoreCase": true});
        let expected = Conditions {
            matching: vec!["^A".to_owned()],
            containing: vec!["x".to_owned(), "y".to_owned()],
            level: Some("2".to_owned()),
            kind: vec![Kind::Heading, Kind::Entry],
            with_key: vec![KeyCondition {
                key: "status".to_owned(),
                value: Some("done".to_owned()),
            }],
            pick: Some(Pick::Last),
            case: Case::Insensitive,
            ..Conditions::default()
        };
        assert_eq!(conditions(given, Case::default()).expect("conditions"), expected);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |given| conditions(given, Case::default()).expect_err("an error").message;
        assert!(message(json!({})).contains("asks for nothing"));
        assert!(message(json!({"match": "x"})).contains("match"));
        assert!(message(json!({"kind": "page"})).contains("no kind 'page'"));
        assert!(message(json!({"first": true, "nth": 2})).contains("only one"));
        assert!(message(json!({"matching": "x", "nth": 0})).contains("no part 0"));
    }
}
