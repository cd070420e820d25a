//! JSON that comes in: targets, and the lines of `--batch`.

use serde::Deserialize;

use super::{End, MatchFlag, SectionFlag, Selection, Target};
use crate::commands::json;
use crate::commands::line_matcher::{self, LineMatcher};
use crate::commands::shared_args::{contradiction, flag_error};
use crate::commands::wire::{CodeBlockObject, FrontMatterObject, HeadingObject, LinesObject};
use crate::error::Error;
use crate::text::pattern::{Case, Pattern, PatternOptions};
use crate::text::target::Extent;

/// A line of `--batch`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BatchLine {
    /// A file and a part of it.
    pub address: Option<String>,
    /// A file.
    pub file_path: Option<String>,
    /// The part of it.
    pub target: Option<serde_json::Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TargetObject {
    lines: Option<LinesObject>,
    ranges: Option<Vec<LinesObject>>,
    section: Option<String>,
    body: Option<String>,
    heading: Option<HeadingObject>,
    include_children: Option<bool>,
    code_block: Option<CodeBlockObject>,
    anchor: Option<String>,
    key: Option<String>,
    value: Option<bool>,
    front_matter: Option<FrontMatterObject>,
    text: Option<String>,
    pattern: Option<String>,
    flags: Option<String>,
    search: Option<SearchObject>,
    context_lines: Option<u64>,
    from: Option<u64>,
    to_next: Option<String>,
    to_section_end: Option<bool>,
    limit: Option<u64>,
    outside_code: Option<bool>,
    section_context: Option<bool>,
    head: Option<u64>,
    tail: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SearchObject {
    query: String,
    context_lines: Option<u64>,
}

/// The selection that a target in JSON stands for.
pub fn selection(json: &str, patterns: &PatternOptions) -> Result<Selection, Error> {
    let object: TargetObject =
        serde_json::from_str(json).map_err(|error| json::misread("target", &error))?;
    let mut found: Vec<(&'static str, Selection)> = Vec::new();
    object.lines_selection(&mut found)?;
    object.named_selections(&mut found)?;
    object.match_selections(&mut found, patterns)?;
    object.moving_selections(&mut found, patterns)?;
    if found.len() > 1 {
        return Err(flag_error("target", contradiction(found[0].0, found[1].0)));
    }
    object.refuse_strays(found.first().map(|(name, _)| *name))?;
    found.pop().map(|(_, selection)| selection).ok_or_else(|| {
        Error::usage("target: it names nothing").hint(r#"a target is like {"section":"Install"}"#)
    })
}

impl TargetObject {
    fn lines_selection(&self, found: &mut Vec<(&'static str, Selection)>) -> Result<(), Error> {
        if let Some(lines) = &self.lines {
            found.push(("lines", Selection::Target(Target::Lines(vec![lines.range()?]))));
        }
        if let Some(ranges) = &self.ranges {
            let ranges: Result<Vec<_>, _> = ranges.iter().map(LinesObject::range).collect();
            let ranges = ranges?;
            if ranges.is_empty() {
                return Err(Error::usage("target: ranges holds none"));
            }
            found.push(("ranges", Selection::Target(Target::Lines(ranges))));
        }
        Ok(())
    }

    fn named_selections(&self, found: &mut Vec<(&'static str, Selection)>) -> Result<(), Error> {
        let children = self.include_children.unwrap_or(true);
        let value = self.value.unwrap_or(false);
        let section = |name: &str, flag, children| {
            let extent = Extent::of(flag == SectionFlag::Body, children);
            Selection::Target(Target::Section { name: name.to_owned(), extent, flag })
        };
        match (&self.section, &self.key) {
            (section, Some(key)) => {
                let target = Target::Key { section: section.clone(), key: key.clone(), value };
                found.push(("key", Selection::Target(target)));
            }
            (Some(name), None) => {
                found.push(("section", section(name, SectionFlag::Section, children)))
            }
            (None, None) => {}
        }
        if let Some(name) = &self.body {
            found.push(("body", section(name, SectionFlag::Body, children)));
        }
        match &self.heading {
            Some(HeadingObject::Name(name)) => {
                found.push(("heading", section(name, SectionFlag::Heading, children)));
            }
            Some(HeadingObject::Full(heading)) => {
                let children = heading.include_children.unwrap_or(true);
                found.push(("heading", section(&heading.text, SectionFlag::Heading, children)));
            }
            None => {}
        }
        if let Some(block) = &self.code_block {
            found.push((
                "codeBlock",
                Selection::Target(Target::CodeBlock {
                    language: block.language.clone(),
                    index: block.index,
                    fences: block.fences.unwrap_or(false),
                }),
            ));
        }
        if let Some(id) = &self.anchor {
            found.push(("anchor", Selection::Target(Target::Anchor(id.clone()))));
        }
        if let Some(front_matter) = &self.front_matter {
            let target = Target::FrontMatter { key: front_matter.key.clone(), value };
            found.push(("frontMatter", Selection::Target(target)));
        }
        Ok(())
    }

    fn match_selections(
        &self,
        found: &mut Vec<(&'static str, Selection)>,
        patterns: &PatternOptions,
    ) -> Result<(), Error> {
        let regex = self.flagged(patterns)?;
        let literal = PatternOptions { fixed: true, ..*patterns };
        let context = self.context_lines.unwrap_or(0);
        let mut push = |name, source: &str, options, flag, context| -> Result<(), Error> {
            refuse_empty(source)?;
            let matcher = LineMatcher::new(&[source], options, line_matcher::Extent::Line)
                .map_err(|error| flag_error("target", error))?;
            let query = source.to_owned();
            let target = Target::Match { matcher, query, flag, context };
            found.push((name, Selection::Target(target)));
            Ok(())
        };
        if let Some(text) = &self.text {
            push("text", text, literal, MatchFlag::Text, context)?;
        }
        if let Some(source) = &self.pattern {
            push("pattern", source, regex, MatchFlag::Pattern, context)?;
        }
        if let Some(search) = &self.search {
            let context = search.context_lines.unwrap_or(5);
            push("search", &search.query, literal, MatchFlag::Search, context)?;
        }
        Ok(())
    }

    /// How a regular expression is meant.
    fn flagged(&self, patterns: &PatternOptions) -> Result<PatternOptions, Error> {
        let mut options = *patterns;
        for flag in self.flags.iter().flat_map(|flags| flags.chars()) {
            match flag {
                'i' => options.case = Case::Insensitive,
                // Text is searched line by line and once: these say no more.
                'm' | 'g' | 'u' => {}
                _ => return Err(Error::usage(format!("target: there is no flag '{flag}'"))),
            }
        }
        Ok(options)
    }

    fn moving_selections(
        &self,
        found: &mut Vec<(&'static str, Selection)>,
        patterns: &PatternOptions,
    ) -> Result<(), Error> {
        let start = self.from;
        if start == Some(0) {
            return Err(Error::usage("target: lines are counted from 1: there is no line 0"));
        }
        let mut ends = Vec::new();
        if let Some(source) = &self.to_next {
            refuse_empty(source)?;
            let pattern = Pattern::new(source, self.flagged(patterns)?)
                .map_err(|error| flag_error("target", Error::from(error)))?;
            let outside_code = self.outside_code.unwrap_or(false);
            ends.push(("toNext", End::ToNext { pattern, outside_code }));
        }
        if self.to_section_end == Some(true) {
            ends.push(("toSectionEnd", End::SectionEnd));
        }
        if self.limit == Some(0) {
            return Err(Error::usage("target: limit 0 would read nothing: it is at least 1"));
        }
        if let Some(limit) = self.limit {
            ends.push(("limit", End::Limit(limit)));
        }
        if self.section_context == Some(true) {
            found.push(("sectionContext", Selection::SectionAround(start)));
        } else if ends.is_empty() && start.is_some() {
            ends.push(("from", End::FileEnd));
        }
        for (name, end) in ends {
            found.push((name, Selection::From { start, end }));
        }
        if let Some(count) = self.head {
            found.push(("head", Selection::Head(count)));
        }
        if let Some(count) = self.tail {
            found.push(("tail", Selection::Tail(count)));
        }
        Ok(())
    }

    fn refuse_strays(&self, named: Option<&str>) -> Result<(), Error> {
        let is = |names: &[&str]| named.is_some_and(|named| names.contains(&named));
        let checks = [
            (
                self.include_children.is_some(),
                "includeChildren",
                &["section", "body", "heading"][..],
            ),
            (self.value.is_some(), "value", &["key", "frontMatter"][..]),
            (self.flags.is_some(), "flags", &["pattern", "toNext"][..]),
            (self.context_lines.is_some(), "contextLines", &["text", "pattern"][..]),
            (self.outside_code.is_some(), "outsideCode", &["toNext"][..]),
            (
                self.from.is_some(),
                "from",
                &["toNext", "toSectionEnd", "limit", "sectionContext", "from"][..],
            ),
        ];
        for (given, name, needs) in checks {
            if given && !is(needs) {
                return Err(Error::usage(format!("target: {name} needs {}", needs.join(" or "))));
            }
        }
        Ok(())
    }
}

fn refuse_empty(source: &str) -> Result<(), Error> {
    if source.is_empty() {
        return Err(Error::usage("target: the text to look for is empty"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_error(json: &str, part: &str) {
        let error = selection(json, &PatternOptions::default()).expect_err(json);
        assert!(error.message.contains(part), "{}", error.message);
    }

    #[test]
    fn targets_of_the_command_line_are_understood() {
        for json in [
            r#"{"lines":{"start":50,"end":75}}"#,
            r#"{"ranges":[{"start":1,"end":2},{"start":5}]}"#,
            r###"{"heading":"## Install"}"###,
            r#"{"heading":{"text":"Install","includeChildren":true}}"#,
            r#"{"codeBlock":{"index":2}}"#,
            r#"{"anchor":"x"}"#,
            r#"{"section":"[db]","key":"host"}"#,
            r#"{"frontMatter":{"key":"title"}}"#,
            r#"{"search":{"query":"X","contextLines":10}}"#,
            r#"{"pattern":"a+","flags":"i"}"#,
            r#"{"from":120,"toNext":"^\\[LOG-"}"#,
        ] {
            assert!(selection(json, &PatternOptions::default()).is_ok(), "{json}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        check_error(r#"{"lines":{"start":5,"end":2}}"#, "5-2");
        check_error(r#"{"lines":{"start":0,"end":2}}"#, "0-2");
        check_error(r#"{"section":"a","anchor":"b"}"#, "section and anchor");
        check_error(r#"{"sektion":"a"}"#, "sektion");
        check_error("{}", "nothing");
        check_error(r#"{"limit":0}"#, "limit 0");
        check_error(r#"{"text":""}"#, "empty");
        check_error(r#"{"text":"a","flags":"i"}"#, "flags needs pattern or toNext");
    }
}
