//! The tools that correspond to folio's own commands. Their parameters are derived from the
//! flags of the command line, and calls are parsed by the same code. The table below selects
//! the common parameters to list and describes them briefly.

pub mod edit;
pub mod find;

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::answer::Answer;
use super::arguments::Arguments;
use super::call::{Call, Entry};
use super::collect::{Collect, Form, MAX_BYTES};
use super::tool::{Effect, Kind, Parameter, Set, Tool};
use crate::commands::grep::args::GrepArgs;
use crate::commands::inspect::args::InspectArgs;
use crate::commands::links::args::LinksArgs;
use crate::commands::list::args::ListArgs;
use crate::commands::output::{Outcome, counted};
use crate::commands::read::args::ReadArgs;
use crate::commands::request::{FieldKind, Fields};
use crate::commands::{grep, inspect, links, list, read};

const FORMAT: Parameter = Parameter::new("format", Kind::Choice(&["text", "json"]), "");
const LIMIT: Parameter =
    Parameter::new("max_bytes", Kind::Integer(1, 16 << 20), "cut the answer here").or("49152");

/// Flags that tools do not have: those for terminals, pipes or the process, and those that read
/// flags from files.
const LEFT_OUT: &str = "\
    addresses_from answer_offset answer_tokens baseline batch color content_file file format \
    hyperlink_format json line_buffered no_config no_messages null pretty quiet root threads \
    tree type_list";

/// Flags of `grep` that only scripts need to parse its lines.
const GREP_LEFT_OUT: &str = "\
    byte_offset column context_separator field_context_separator field_match_separator files \
    heading ignore_file line_number max_columns_preview no_context_separator no_filename \
    no_heading no_ignore_dot no_ignore_exclude no_ignore_files no_ignore_global \
    no_ignore_parent no_ignore_vcs no_line_number no_require_git null_data one_file_system \
    passthru recursive regexp replace stats stop_on_nonmatch text trim type_add type_clear \
    vimgrep with_filename";

/// The fields of a command's request, from which a tool's parameters are derived.
struct Request {
    fields: Fields,
    /// Parameters that the tool's table entry does not list.
    options: Vec<Parameter>,
}

impl Request {
    fn new(fields: Fields, listed: &[Parameter]) -> Self {
        let is_rare = |name: &str| listed.iter().all(|parameter| parameter.name != name);
        let rare = fields.iter().filter(|field| is_rare(&field.name));
        let options = rare.map(|field| {
            let kind = match field.kind {
                FieldKind::Text if field.name == "target" => Kind::Object(&[]),
                FieldKind::Text => Kind::Text,
                FieldKind::Texts => Kind::Texts,
                FieldKind::Switch => Kind::Switch,
                FieldKind::Integer => Kind::Integer(0, u64::MAX),
                FieldKind::Number => Kind::Number(0.0, f64::from(u32::MAX)),
                FieldKind::Choice(names) => Kind::Choice(names),
            };
            // Leaked because parameters are `'static`; there is one set per process.
            Parameter::new(field.name.clone().leak(), kind, field.about.clone().leak())
        });
        Self { options: options.collect(), fields }
    }
}

/// The parameters that the table entry of tool `name` lists.
fn listed(tools: &[Entry], name: &str) -> &'static [Parameter] {
    let of_name = |entry: &&Entry| entry.tool.name == name;
    tools.iter().find(of_name).map_or(&[], |entry| entry.tool.parameters)
}

static INSPECT: LazyLock<Request> = LazyLock::new(|| {
    Request::new(Fields::of::<InspectArgs>(&[LEFT_OUT]), listed(TOOLS, "inspect"))
});
static READ: LazyLock<Request> =
    LazyLock::new(|| Request::new(Fields::of::<ReadArgs>(&[LEFT_OUT]), listed(TOOLS, "read")));
static GREP: LazyLock<Request> = LazyLock::new(|| {
    let fields = Fields::of::<GrepArgs>(&[LEFT_OUT, GREP_LEFT_OUT]);
    Request::new(fields, listed(TOOLS, "grep"))
});
static LIST: LazyLock<Request> =
    LazyLock::new(|| Request::new(Fields::of::<ListArgs>(&[LEFT_OUT]), listed(TOOLS, "list")));
static LINKS: LazyLock<Request> = LazyLock::new(|| {
    // Fixing links is left out because `links` is a read-only tool; `patch` updates links when it
    // edits.
    let fields = Fields::of::<LinksArgs>(&[LEFT_OUT, "fix dry_run diff"]);
    Request::new(fields, listed(TOOLS, "links"))
});

/// The tools of the set `core`, except `patch`, `undo`, `search` and `related`.
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
                Parameter::new("options", Kind::Options(|| &INSPECT.options), ""),
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
                    Kind::Operands,
                    "name of a heading, INI section or log entry",
                ),
                Parameter::new("key", Kind::Text, "key of that section"),
                Parameter::new("code_block", Kind::Text, "its number from 0, or bash:0"),
                Parameter::new("search", Kind::Text, "lines around the first such text"),
                Parameter::new("from", Kind::Integer(1, u64::MAX), "first line"),
                Parameter::new("to_next", Kind::Text, "end before the next line that matches"),
                Parameter::new("section_context", Kind::Switch, "the section around the line"),
                Parameter::new("limit", Kind::Integer(1, u64::MAX), "so many lines"),
                Parameter::new("tail", Kind::Integer(1, u64::MAX), "the last lines"),
                Parameter::new("options", Kind::Options(|| &READ.options), ""),
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
                Parameter::new("options", Kind::Options(|| &GREP.options), ""),
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
                Parameter::new("options", Kind::Options(|| &LIST.options), ""),
                FORMAT,
                LIMIT,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: run_list,
        refuse: |spelling, error| spelling.refused(error),
    },
    Entry {
        tool: Tool {
            name: "links",
            title: "Check links",
            set: Set::Core,
            description: "Broken links and #anchors of Markdown files, each with what it probably \
                should be. Not for links of the web: nothing is fetched.\n{\"path\":\"docs\"}\n\
                {\"path\":\"README.md\",\"options\":{\"site\":\"mkdocs\"}}",
            parameters: &[
                Parameter::new("path", Kind::Operands, "file or directory").or("\".\""),
                Parameter::new("ignore", Kind::Texts, "not such destinations: *.pdf"),
                Parameter::new("options", Kind::Options(|| &LINKS.options), ""),
                FORMAT,
                LIMIT,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: run_links,
        refuse: |spelling, error| spelling.refused(error),
    },
];

fn is_json(arguments: &Arguments) -> bool {
    arguments.text("format") == Some("json")
}

/// Runs a command and collects its output in the form `text`, or as JSON if the call asks for
/// it.
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

/// One line with the facts of a part that its text does not show: range, checksum, encoding,
/// next line.
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
        let code = if boundary["inCode"] == true { ", which is in a code block" } else { "" };
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

/// One line with the numbers of matches and files of a search.
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

/// The arguments with `name` set to `value` if the call does not give it.
fn with_default(arguments: &Arguments, name: &str, value: impl Into<Value>) -> Map<String, Value> {
    let mut fields = arguments.fields().clone();
    fields.entry(name).or_insert_with(|| value.into());
    fields
}

fn run_inspect(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let command = |sink: &mut Collect<'_>| {
        let args: InspectArgs = INSPECT.fields.parsed(arguments.fields())?;
        inspect::run::run(args, call.env, sink)
    };
    run(arguments, call, Form::Text, command, |_| Vec::new())
}

fn run_read(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let command = |sink: &mut Collect<'_>| {
        let fields = match arguments.fields().contains_key("max_tokens") {
            true => arguments.fields().clone(),
            false => with_default(arguments, "max_bytes", MAX_BYTES),
        };
        let args: ReadArgs = READ.fields.parsed(&fields)?;
        let args = ReadArgs { shows_text: !is_json(arguments), ..args };
        read::run::run(args, call.env, sink)
    };
    run(arguments, call, Form::TextOfRecords, command, |sink| {
        sink.records.iter().map(part_facts).collect()
    })
}

/// Fields of `grep` that print something other than matching lines.
const OTHER_THAN_LINES: [&str; 5] =
    ["count", "count_matches", "files_with_matches", "files_without_match", "section_context"];

fn run_grep(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let command = |sink: &mut Collect<'_>| {
        let shows_lines = !OTHER_THAN_LINES.iter().any(|name| arguments.flag(name));
        let fields = with_default(arguments, "section_hints", shows_lines);
        let args: GrepArgs = GREP.fields.parsed(&fields)?;
        grep::run::run(args, call.env, sink)
    };
    run(arguments, call, Form::Text, command, |sink| {
        sink.summary.as_ref().map(hits_facts).into_iter().collect()
    })
}

fn run_list(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let command = |sink: &mut Collect<'_>| {
        let args: ListArgs = LIST.fields.parsed(&with_default(arguments, "limit", 100))?;
        list::run::run(args, call.env, sink)
    };
    run(arguments, call, Form::Text, command, |sink| {
        let summaries = sink.records.iter().filter_map(|record| record["summary"].as_str());
        summaries.map(str::to_owned).collect()
    })
}

fn run_links(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let command = |sink: &mut Collect<'_>| {
        let args: LinksArgs = LINKS.fields.parsed(arguments.fields())?;
        links::run::run(args, call.env, sink)
    };
    run(arguments, call, Form::Text, command, |_| Vec::new())
}
