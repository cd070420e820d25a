//! The tools that are folio's own commands: their arguments are flags of the
//! command line under other names, and mean what these mean.

pub mod find;

use std::path::PathBuf;

use serde_json::Value;

use super::answer::Answer;
use super::arguments::Arguments;
use super::call::{Call, Entry};
use super::collect::{Collect, Form, MAX_BYTES};
use super::tool::{Effect, Kind, Parameter, Set, Tool};
use crate::commands::grep::args::GrepArgs;
use crate::commands::grep::file_args::FileArgs;
use crate::commands::inspect::args::{self, InspectArgs};
use crate::commands::list::args::{ListArgs, ModeArg, SortArg};
use crate::commands::output::{Outcome, counted};
use crate::commands::patch::args::{OperationArg, PatchArgs};
use crate::commands::patch::options::{Edits, Input};
use crate::commands::read::args::ReadArgs;
use crate::commands::shared_args::PatternArgs;
use crate::commands::target::flags::TargetArgs;
use crate::commands::{grep, inspect, list, patch, read};
use crate::error::Error;

const FORMAT: Parameter =
    Parameter::new("format", Kind::Choice(&["text", "json"]), "").or("\"text\"");
const LIMIT: Parameter =
    Parameter::new("max_bytes", Kind::Integer(1, 16 << 20), "cut the answer here").or("49152");

/// The tools.
pub const TOOLS: &[Entry] = &[
    Entry {
        tool: Tool {
            name: "inspect",
            title: "Outline or search files",
            set: Set::Core,
            description: "Outline of a file or directory: headings, code blocks, INI sections, log \
                entries, each as an address such as a.md:15-51 that read and patch take. Use it before \
                reading a long file. Not for file contents (read) or a regex over many files (grep).\n\
                {\"address\":\"README.md\"}\n{\"address\":\"docs\",\"outline\":true,\"max_level\":2}\n\
                {\"address\":\"a.md\",\"mode\":\"search\",\"query\":\"database\"}",
            parameters: &[
                Parameter::new(
                    "address",
                    Kind::Operands,
                    "file, FILE:10-50, FILE#slug or directory",
                )
                .or("\".\""),
                Parameter::new("mode", Kind::Choice(&["structure", "search", "lines"]), "")
                    .or("\"structure\""),
                Parameter::new("query", Kind::Text, "what to search for, or lines: 50-60,100-110"),
                Parameter::new("regex", Kind::Switch, "query is a regular expression"),
                Parameter::new("context", Kind::Integer(0, 1000), "lines around each hit"),
                Parameter::new("outline", Kind::Switch, "headings only"),
                Parameter::new("max_level", Kind::Integer(1, 6), "no deeper headings"),
                Parameter::new("tokens", Kind::Switch, "size of each section in tokens"),
                Parameter::new(
                    "depth_budget",
                    Kind::Integer(1, u64::MAX),
                    "as many levels as fit these tokens",
                ),
                Parameter::new("glob", Kind::Texts, "only such files: *.md, !drafts"),
                FORMAT,
                LIMIT,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: run_inspect,
        refuse: |spelling, error| spelling.refused(error),
    },
    Entry {
        tool: Tool {
            name: "read",
            title: "Read a part of a file",
            set: Set::Core,
            description: "\
                A part of a file, verbatim: lines, a section, a code block, a key, or from a \
                line to the next match. Two steps: grep or inspect gives an address, read takes it. Not \
                for whole long files: ask for the part.\n{\"address\":\"README.md\",\"section\":\
                \"Install\"}\n{\"address\":\"WORK.md:120\",\"to_next\":\"^\\\\[LOG-\"}\n{\"address\":\
                \"app.ini\",\"section\":\"database\",\"key\":\"host\"}",
            parameters: &[
                Parameter::required(
                    "address",
                    Kind::Operands,
                    "FILE, FILE:120, FILE:120-144, FILE:120-, FILE#slug",
                ),
                Parameter::new(
                    "section",
                    Kind::Text,
                    "name of a heading, INI section or log entry",
                ),
                Parameter::new("key", Kind::Text, "key of that section"),
                Parameter::new("code_block", Kind::Text, "its number from 0, or bash:0"),
                Parameter::new("search", Kind::Text, "lines around the first such text"),
                Parameter::new("from", Kind::Integer(1, u64::MAX), "first line"),
                Parameter::new("to_next", Kind::Text, "end before the next line that matches"),
                Parameter::new("section_context", Kind::Switch, "the section that holds the line"),
                Parameter::new("limit", Kind::Integer(1, u64::MAX), "so many lines"),
                Parameter::new("tail", Kind::Integer(1, u64::MAX), "the last lines"),
                FORMAT,
                LIMIT,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: run_read,
        refuse: |spelling, error| spelling.refused(error),
    },
    Entry {
        tool: Tool {
            name: "grep",
            title: "Search files by regex",
            set: Set::Core,
            description: "Lines that match a regex, below a directory or in a file, ignore files \
                respected. Each hit is an address to the end of its section (WORK.md:120-144:text): \
                give it to read. Not for a file you know: inspect it.\n{\"pattern\":\"TODO\"}\n\
                {\"pattern\":\"\\\\[DECISION\\\\]\",\"path\":\"WORK.md\"}\n{\"pattern\":\"timeout\",\
                \"path\":\"docs\",\"section_context\":true,\"max_total\":5}",
            parameters: &[
                Parameter::required("pattern", Kind::Text, "regular expression"),
                Parameter::new("path", Kind::Operands, "file or directory").or("\".\""),
                Parameter::new("ignore_case", Kind::Switch, ""),
                Parameter::new("fixed_strings", Kind::Switch, "pattern is literal text"),
                Parameter::new("glob", Kind::Texts, "only such files: *.md, !drafts"),
                Parameter::new("section_hints", Kind::Switch, "hits as addresses to section ends")
                    .or("true"),
                Parameter::new("section_context", Kind::Switch, "print whole sections"),
                Parameter::new("context", Kind::Integer(0, 1000), "lines around each hit"),
                Parameter::new("files_with_matches", Kind::Switch, "names of files only"),
                Parameter::new("max_total", Kind::Integer(0, u64::MAX), "hits at most"),
                FORMAT,
                LIMIT,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: run_grep,
        refuse: |spelling, error| spelling.refused(error),
    },
    Entry {
        tool: Tool {
            name: "patch",
            title: "Edit a part of a file",
            set: Set::Core,
            description: "\
                Edit a part of a file, atomically; all other bytes stay. Name the part by a \
                section, text, code block, key or the lines of the address; exactly one match of names. \
                Read it first. Many edits at once: operation apply with edits, all or nothing. Not for \
                shell-like rewriting of whole files.\n{\"operation\":\"replace\",\"address\":\"a.md\",\
                \"text\":\"v1\",\"content\":\"v2\"}\n{\"operation\":\"insert\",\"address\":\"a.md\",\
                \"section\":\"Usage\",\"before\":true,\"content\":\"## Install\\n\\nRun make.\\n\"}\n\
                {\"operation\":\"apply\",\"edits\":[{\"filePath\":\"a.md\",\"operation\":\"delete\",\
                \"target\":{\"section\":\"Old\"}}]}",
            parameters: &[
                Parameter::required(
                    "operation",
                    Kind::Choice(&[
                        "replace", "insert", "append", "delete", "rename", "create", "apply",
                    ]),
                    "",
                ),
                Parameter::new("address", Kind::Operands, "FILE, or FILE:10-12"),
                Parameter::new("section", Kind::Text, "heading with its body, INI section"),
                Parameter::new("heading", Kind::Text, "the line of a heading itself"),
                Parameter::new("text", Kind::Text, "the first such text"),
                Parameter::new("key", Kind::Text, "key of the section; content is the whole line"),
                Parameter::new("code_block", Kind::Text, "its number from 0, or bash:0"),
                Parameter::new("content", Kind::Text, "what to put in"),
                Parameter::new("before", Kind::Switch, "insert before the part"),
                Parameter::new(
                    "edits",
                    Kind::Objects(&[]),
                    "of apply: {filePath,operation,target,content,to,ifMatch}",
                ),
                Parameter::new("dry_run", Kind::Switch, "show the diff, write nothing"),
                FORMAT,
            ],
            effect: Effect::Writes,
            output: None,
        },
        run: run_patch,
        refuse: |spelling, error| spelling.refused(error),
    },
    Entry {
        tool: Tool {
            name: "list",
            title: "List a directory",
            set: Set::Core,
            description: "\
                What stands in a directory, page by page, or as a tree; ignored and hidden \
                names left out. Not for searching contents (grep).\n{}\n{\"path\":\"docs\",\"depth\":3,\
                \"extension\":[\"md\"],\"titles\":true}\n{\"mode\":\"tree\",\"depth\":2}",
            parameters: &[
                Parameter::new("path", Kind::Operands, "directory").or("\".\""),
                Parameter::new("mode", Kind::Choice(&["list", "tree"]), "").or("\"list\""),
                Parameter::new("depth", Kind::Integer(1, 20), "").or("1"),
                Parameter::new("limit", Kind::Integer(1, 10_000), "entries").or("100"),
                Parameter::new("offset", Kind::Integer(0, u64::MAX), "entries to leave out")
                    .or("0"),
                Parameter::new("glob", Kind::Texts, "only such paths"),
                Parameter::new("extension", Kind::Texts, "only such files: md, txt"),
                Parameter::new("details", Kind::Switch, "kind, size, time"),
                Parameter::new("titles", Kind::Switch, "titles of documents"),
                Parameter::new("sort", Kind::Choice(&["name", "size", "modified"]), "")
                    .or("\"name\""),
                FORMAT,
                LIMIT,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: run_list,
        refuse: |spelling, error| spelling.refused(error),
    },
];

fn is_json(arguments: &Arguments) -> bool {
    arguments.text("format") == Some("json")
}

/// Runs a command, its text as it is printed in a pipe.
fn run(
    arguments: &Arguments,
    call: &Call<'_>,
    text: Form,
    command: impl FnOnce(&mut Collect<'_>) -> Outcome,
    facts: impl FnOnce(&Collect<'_>) -> Vec<String>,
) -> Answer {
    let form = if is_json(arguments) { Form::Json } else { text };
    let max_bytes = arguments.size("max_bytes");
    let mut sink = Collect::new(call.spelling, form, max_bytes, &call.env.progress);
    let outcome = command(&mut sink);
    sink.answer(outcome, facts)
}

fn run_inspect(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let flags = InspectArgs {
        addresses: arguments.operands("address"),
        mode: match arguments.text("mode") {
            Some("search") => args::ModeArg::Search,
            Some("lines") => args::ModeArg::Lines,
            _ => args::ModeArg::Structure,
        },
        query: arguments.string("query"),
        regex: arguments.flag("regex"),
        context: arguments.size("context"),
        outline: arguments.flag("outline"),
        max_level: arguments.integer("max_level").and_then(|level| u8::try_from(level).ok()),
        tokens: arguments.flag("tokens"),
        depth_budget: arguments.integer("depth_budget"),
        glob: arguments.texts("glob").unwrap_or_default(),
        ..InspectArgs::default()
    };
    run(
        arguments,
        call,
        Form::Text,
        |sink| inspect::run::run(&flags.options(), call.env, sink),
        |_| Vec::new(),
    )
}

fn run_read(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let flags = ReadArgs {
        addresses: arguments.operands("address"),
        from: arguments.integer("from"),
        to_next: arguments.string("to_next"),
        limit: arguments.integer("limit"),
        tail: arguments.integer("tail"),
        section_context: arguments.flag("section_context"),
        search: arguments.string("search"),
        max_bytes: Some(arguments.integer("max_bytes").unwrap_or(MAX_BYTES as u64)),
        target: TargetArgs {
            section: arguments.string("section").into_iter().collect(),
            key: arguments.string("key"),
            code_block: arguments.string("code_block"),
            ..TargetArgs::default()
        },
        ..ReadArgs::default()
    };
    run(
        arguments,
        call,
        Form::TextOfRecords,
        |sink| {
            let options = read::Options { shows_text: !is_json(arguments), ..flags.options()? };
            read::run::run(&options, call.env, sink)
        },
        |sink| sink.records.iter().map(part_facts).collect(),
    )
}

/// What the record of a part says beside its text, as one line.
fn part_facts(record: &Value) -> String {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut line = text(&record["filePath"]).unwrap_or_default();
    let range = &record["range"];
    if let (Some(start), Some(end)) = (range["startLine"].as_u64(), range["endLine"].as_u64()) {
        line += &if start == end { format!(":{start}") } else { format!(":{start}-{end}") };
    }
    let mut facts = Vec::new();
    facts.extend(record["totalLines"].as_u64().map(|total| format!("of {total} lines")));
    facts.extend(text(&record["rangeChecksum"]).map(|digits| format!("checksum {digits}")));
    let encoding = text(&record["encoding"]).filter(|name| name != "utf-8");
    facts.extend(encoding.map(|name| format!("encoding {name}")));
    let ending = text(&record["lineEnding"]).filter(|name| name != "lf" && name != "none");
    facts.extend(ending.map(|name| format!("line ends {name}")));
    let boundary = &record["boundary"];
    if let Some(before) = boundary["line"].as_u64() {
        let code = if boundary["inCode"] == true { ", which stands in a code block" } else { "" };
        let shown = text(&boundary["text"]).unwrap_or_default();
        facts.push(format!("ends before line {before}: {shown}{code}"));
    } else if !record["target"]["toNext"].is_null() {
        facts.push("no such line follows: it ends with the file".to_owned());
    }
    if record["truncated"] == true {
        facts.push("cut: give max_bytes for more".to_owned());
    }
    if let Some(next) = record["nextLine"].as_u64() {
        facts.push(format!("goes on at line {next}"));
    }
    format!("{line} {}", facts.join(", "))
}

fn run_grep(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let names_only = arguments.flag("files_with_matches");
    let sections = arguments.flag("section_context");
    let flags = GrepArgs {
        pattern: arguments.text("pattern").map(Into::into),
        paths: arguments.operands("path").into_iter().map(PathBuf::from).collect(),
        section_hints: arguments.is("section_hints").unwrap_or(!names_only && !sections),
        section_context: sections,
        files_with_matches: names_only,
        files: FileArgs {
            glob: arguments.texts("glob").unwrap_or_default(),
            ..FileArgs::default()
        },
        context: arguments.size("context"),
        max_total: arguments.integer("max_total"),
        patterns: PatternArgs {
            ignore_case: arguments.flag("ignore_case"),
            fixed_strings: arguments.flag("fixed_strings"),
            ..Default::default()
        },
        ..GrepArgs::default()
    };
    run(
        arguments,
        call,
        Form::Text,
        |sink| grep::run::run(&flags.options()?, call.env, sink),
        |sink| sink.summary.as_ref().map(hits_facts).into_iter().collect(),
    )
}

/// What a search came to, as one line.
fn hits_facts(summary: &Value) -> String {
    let count = |name: &str| summary[name].as_u64();
    let files = counted(count("files").unwrap_or(0), "file");
    let hits = match count("matches") {
        None => return files,
        Some(0) => return "no match".to_owned(),
        Some(1) => "1 match".to_owned(),
        Some(hits) => format!("{hits} matches"),
    };
    match summary["truncated"] == true {
        true => format!("{hits} in {files}; there are more"),
        false => format!("{hits} in {files}"),
    }
}

fn run_patch(arguments: &Arguments, call: &Call<'_>) -> Answer {
    run(
        arguments,
        call,
        Form::Text,
        |sink| patch::run::run(&patch_options(arguments)?, call.env, sink),
        |_| Vec::new(),
    )
}

fn patch_options(arguments: &Arguments) -> Result<patch::options::Options, Error> {
    let operation = arguments.text("operation").unwrap_or_default();
    let flags = PatchArgs {
        operation: OperationArg::named(operation).unwrap_or_default(),
        addresses: arguments.operands("address"),
        content: arguments.text("content").map(Into::into),
        before: arguments.flag("before"),
        dry_run: arguments.flag("dry_run"),
        target: TargetArgs {
            section: arguments.string("section").into_iter().collect(),
            heading: arguments.string("heading"),
            text: arguments.string("text"),
            key: arguments.string("key"),
            code_block: arguments.string("code_block"),
            ..TargetArgs::default()
        },
        ..PatchArgs::default()
    };
    let is_batch = operation == "apply";
    match (arguments.value("edits"), is_batch) {
        (None, true) => Err(Error::usage("apply needs edits")),
        (Some(_), false) => Err(Error::usage(format!("edits go with apply, not with {operation}"))),
        (None, false) => flags.options(),
        (Some(_), true) if !flags.addresses.is_empty() => {
            Err(Error::usage("apply takes no address: each edit names its file"))
        }
        (Some(edits), true) => {
            let edits = Edits::Json(Some(Input::Bytes(edits.to_string().into_bytes())));
            Ok(patch::options::Options { edits, ..flags.options()? })
        }
    }
}

fn run_list(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let flags = ListArgs {
        directories: arguments.operands("path"),
        mode: match arguments.text("mode") {
            Some("tree") => ModeArg::Tree,
            _ => ModeArg::List,
        },
        depth: arguments.integer("depth"),
        limit: arguments.integer("limit").unwrap_or(100),
        offset: arguments.integer("offset").unwrap_or(0),
        glob: arguments.texts("glob").unwrap_or_default(),
        extension: arguments.texts("extension").unwrap_or_default(),
        details: arguments.flag("details"),
        titles: arguments.flag("titles"),
        sort: match arguments.text("sort") {
            Some("size") => SortArg::Size,
            Some("modified") => SortArg::Modified,
            _ => SortArg::Name,
        },
        ..ListArgs::default()
    };
    run(
        arguments,
        call,
        Form::Text,
        |sink| list::run::run(&flags.options()?, call.env, sink),
        |sink| {
            let summaries = sink.records.iter().filter_map(|record| record["summary"].as_str());
            summaries.map(str::to_owned).collect()
        },
    )
}
