//! The tools that correspond to folio's own commands. Their parameters are the options of the
//! command line, and the same code parses both. Clients see the common parameters with short
//! descriptions, and only the names of the other parameters.

use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::collect::{Collect, MAX_BYTES, MAX_LISTED, MAX_TEXT, limits};
use super::globs;
use super::tool::{Call, Effect, Input, Set, Tool, description};
use crate::commands::answer_budget::Limited;
#[cfg(feature = "search")]
use crate::commands::collection_search::args::SearchArgs;
use crate::commands::grep::args::GrepArgs;
use crate::commands::inspect::args::InspectArgs;
use crate::commands::links::args::LinksArgs;
use crate::commands::list::args::ListArgs;
use crate::commands::output::{Outcome, Sink, TOKEN};
use crate::commands::patch;
use crate::commands::patch::args::PatchArgs;
use crate::commands::patch::operation_args::set_side;
use crate::commands::patch::options::PatchOptions;
use crate::commands::read::args::ReadArgs;
#[cfg(feature = "search")]
use crate::commands::related::args::RelatedArgs;
use crate::commands::request::{Field, FieldKind, Fields, Request};
use crate::commands::undo::args::UndoArgs;
use folio_files::error::Error;

/// The number of tools of this set.
const COUNT: usize = if cfg!(feature = "search") { 8 } else { 7 };

/// The tools of this set.
pub(super) static TOOLS: [Tool; COUNT] = [
    command(
        (Set::Core, "inspect", "Outline or search files"),
        Effect::Reads,
        || input::<InspectArgs>(INSPECT),
        run::<InspectArgs>,
    ),
    command(
        (Set::Core, "read", "Read a part of a file"),
        Effect::Reads,
        || input::<ReadArgs>(READ),
        |mut arguments, call| {
            let mut defaults = Map::new();
            if !arguments.contains_key("max_tokens") {
                defaults.insert("max_bytes".to_owned(), MAX_BYTES.into());
            }
            if let Some(numbered) = arguments.remove("numbered") {
                arguments.insert("number".to_owned(), numbered);
            }
            run_with::<ReadArgs>(arguments, defaults, call)
        },
    ),
    command(
        (Set::Core, "grep", "Search files by regex"),
        Effect::Reads,
        || input::<GrepArgs>(GREP),
        |arguments, call| {
            let is_on = |name: &&str| arguments.get(*name) == Some(&Value::Bool(true));
            let shows_lines = !OTHER_THAN_LINES.iter().any(is_on);
            let defaults = Map::from_iter([("section_hints".to_owned(), shows_lines.into())]);
            run_with::<GrepArgs>(arguments, defaults, call)
        },
    ),
    command(
        (Set::Core, "list", "List a directory"),
        Effect::Reads,
        || input::<ListArgs>(LIST),
        |arguments, call| {
            let max_tokens = max_bytes(&arguments).unwrap_or(MAX_LISTED).div_ceil(TOKEN);
            let defaults = [("limit", 100), ("max_tokens", max_tokens)];
            let defaults = defaults.map(|(name, most)| (name.to_owned(), most.into()));
            run_with::<ListArgs>(arguments, Map::from_iter(defaults), call)
        },
    ),
    command(
        (Set::Core, "links", "Check links"),
        Effect::Reads,
        // The tool `links` only reads. To update links, there is `patch`.
        || input::<LinksArgs>(LINKS),
        run::<LinksArgs>,
    ),
    command(
        (Set::Core, "patch", "Edit a part of a file"),
        Effect::Writes,
        || input::<PatchArgs>(PATCH),
        |arguments, call| {
            collected(arguments, call, |arguments, sink| {
                let options = patch_options(arguments, call)?;
                patch::run::run(&options, call.host, sink)
            })
        },
    ),
    command(
        (Set::Core, "undo", "Undo edits"),
        Effect::Writes,
        || input::<UndoArgs>(UNDO),
        run::<UndoArgs>,
    ),
    #[cfg(feature = "search")]
    command(
        (Set::Core, "search", "Search documents by meaning"),
        Effect::Reads,
        || input::<SearchArgs>(SEARCH),
        run::<SearchArgs>,
    ),
];

/// The tools of the set `related`.
#[cfg(feature = "search")]
pub(super) static RELATED: [Tool; 1] = [command(
    (Set::Related, "related", "Find related sections"),
    Effect::Reads,
    || input::<RelatedArgs>(RELATED_INPUT),
    run::<RelatedArgs>,
)];

/// The parts of a tool that clients see: the description, the required parameters, and the
/// parameters with descriptions. There is no description if it would only repeat the name. Some
/// numbers have a range, which limits the size of calls.
type Listed = (
    &'static str,
    &'static [&'static str],
    &'static [(&'static str, &'static str)],
    &'static [(&'static str, u64, u64)],
);

const INSPECT: Listed = (
    r#"Outline of a file or directory: headings, code blocks, INI sections and log entries, each
    with its lines, below the path of the file. Path and lines form an address for read and patch,
    such as a.md:15-51. Use it before you read a long file. To search many files use grep; for
    contents use read.
    {"address":"README.md"}
    {"address":"docs","outline":true,"max_level":2}"#,
    &[],
    &[
        ("address", "file, FILE:10-50, FILE#anchor or directory; default ."),
        ("mode", ""),
        ("query", "text (mode search) or line ranges (mode lines): 50-60,100-110"),
        ("regex", "query is a regular expression"),
        ("context", "lines before and after each match"),
        ("outline", "headings only"),
        ("max_level", "deepest heading level"),
        ("matching", "only sections whose name matches this regex"),
        ("repeated", "only names that occur several times in a file"),
        ("glob", "only matching files: *.md, !drafts"),
    ],
    &[("context", 0, 1000)],
);

const READ: Listed = (
    r#"Read a part of a file unchanged: lines, a section, a code block, a key, or from a line to the
    next match. If you do not know where the part is, use grep or inspect first. Do not read long
    files whole.
    {"address":"README.md","section":"Install"}
    {"address":"src/main.rs:120-180","numbered":true}"#,
    &["address"],
    &[
        ("address", "FILE, FILE:120, FILE:120-144, FILE:120-, FILE#anchor"),
        ("section", "name of a heading, INI section or log entry"),
        ("body", "a section without its heading line"),
        ("key", "key path, or key of the section"),
        ("code_block", "number from 0, or bash:0"),
        ("search", "lines around the first occurrence of this text"),
        ("from", "first line"),
        ("to_next", "regex: stop before the next matching line"),
        ("section_context", "the section that contains the line"),
        ("limit", "at most N lines"),
        ("tail", "only the last N lines"),
        ("numbered", "with line numbers"),
        ("max_bytes", "default 49152"),
    ],
    &[("tail", 1, u64::MAX)],
);

const GREP: Listed = (
    concat!(
        r#"Find lines that match a regex in files below a directory, except ignored files. A match such
    as 120-144 Guide > Use: [code] text is on line 120, in a section that ends at line 144. The
    path of headings or keys is omitted if unchanged; marks are [code], [comment] and
    [front matter]. To read on, read PATH:120-144. "#,
        if_search!("To find a topic rather than a word use search; to", "To"),
        r#"
    list headings use inspect.
    {"pattern":"TODO","path":"docs"}
    {"pattern":"timeout","glob":["*.md"],"section_context":true,"max_total":5}"#
    ),
    &["pattern"],
    &[
        ("pattern", "regular expression"),
        ("path", "file or directory; default ."),
        ("ignore_case", ""),
        ("fixed_strings", "pattern is literal text"),
        ("glob", "only matching files: *.md, !drafts"),
        ("section_hints", "show where sections end; default true"),
        ("section_context", "print whole sections"),
        ("context", "lines before and after each match"),
        ("files_with_matches", "file names only"),
        ("max_total", ""),
        ("outside_code", ""),
    ],
    &[("context", 0, 1000)],
);

const LIST: Listed = (
    r#"List a directory in pages, or as a tree, without hidden and ignored entries. Indented names
    are below the directory before them. To search contents use grep; for the headings of all files
    use inspect.
    {"path":"docs"}
    {"path":"docs","depth":3,"extension":["md"],"titles":true}"#,
    &[],
    &[
        ("path", "directory; default ."),
        ("mode", ""),
        ("depth", "default 1"),
        ("limit", "default 100"),
        ("offset", "entries to skip"),
        ("glob", "only matching paths"),
        ("extension", "only these extensions: md, txt"),
        ("details", "kind, size, time"),
        ("titles", ""),
        ("sort", ""),
    ],
    &[("depth", 1, 20), ("limit", 1, 10_000)],
);

const LINKS: Listed = (
    r#"Find broken links and #anchors in Markdown files, each with the probable target. Links to
    other sites are not checked. To update links while you edit, use patch with links.
    {"path":"docs"}
    {"path":"README.md","ignore":["*.pdf"]}"#,
    &[],
    &[("path", "file or directory; default ."), ("ignore", "destinations to skip: *.pdf")],
    &[],
);

const PATCH: Listed = (
    r#"Edit a part of a file; all other bytes stay unchanged. Give the part as section, text,
    code_block, key or lines of the address, and read it first. Conditions such as matching and
    with_key select parts of many files. The answer shows which undo call reverts the edit. For
    several edits, all or none, use operation apply.
    {"operation":"replace","address":"a.md","text":"v1","content":"v2"}
    {"operation":"insert","address":"a.md","section":"Usage","before":true,"content":"More text.\n"}"#,
    &["operation"],
    &[
        ("operation", ""),
        ("address", "FILE, FILE:10-12, or a directory: each file that has the part"),
        ("section", "heading with the text below it (body: without the heading), or INI section"),
        ("heading", "only the heading line"),
        ("text", "text that occurs once"),
        ("occurrence", "which match: first, last, all or a number"),
        ("key", "key path a.b[0], or key of the section"),
        ("content", "new text"),
        ("before", "insert before the part; default for lines"),
        ("matching", "all sections whose name matches this regex"),
        ("to", "for move and copy: FILE; after FILE:12 or the section FILE#anchor, or before"),
        ("links", "update links that the edit would break"),
        ("if_match", "checksum from read"),
        ("edits", "edits of apply"),
        ("dry_run", "show the diff, write nothing"),
    ],
    &[],
);

const UNDO: Listed = (
    r#"Undo the last patch, or a given patch. Later changes are kept or reported as a conflict. It
    can only undo edits made by patch.
    {}
    {"which":"7","dry_run":true}"#,
    &[],
    &[
        ("which", "number of a patch, or a file for its last patch"),
        ("list", "list the patches that can be undone"),
        ("redo", "redo the last undo"),
        ("dry_run", "show the diff, write nothing"),
    ],
    &[],
);

#[cfg(feature = "search")]
const SEARCH: Listed = (
    r#"Find sections of documents that answer a question, by keywords and meaning. A result has a
    heading path, an address for read, and a snippet. Searches the collection around the root, or the root.
    For exact strings or code use grep.
    {"query":"restore a backup"}
    {"query":"retry a job","collection":["./docs"],"limit":3}"#,
    &["query"],
    &[
        ("query", r#"question or list of questions; "phrase", -without"#),
        ("collection", "names, all, or directories: ./docs"),
        ("in", "only sections below this heading"),
        ("limit", "sections per query; default 5"),
        ("keyword_only", "rank only by keywords"),
    ],
    &[("limit", 1, 100)],
);

#[cfg(feature = "search")]
const RELATED_INPUT: Listed = (
    r#"Find sections related to a document, to some of its lines or to a passage, each with an address for
    read. Use it to continue from a result of search. For a question use search.
    {"address":"@docs/setup.md"}
    {"address":"docs/faq.md:15-51","limit":3}"#,
    &["address"],
    &[
        ("address", "document, or lines of a document"),
        ("collection", "names, or directories such as ./docs"),
        ("limit", "default 5"),
    ],
    &[("limit", 1, 100)],
);

/// Parameters that accept one string or several. In the list for clients, their type is string.
const OPERANDS: [&str; 3] = ["address", "path", "query"];

type CallFunction = fn(Map<String, Value>, &Call<'_>) -> Result<Answer, Error>;

/// Defines a tool of a set, with its name and title, that runs a command.
const fn command(
    (set, name, title): (Set, &'static str, &'static str),
    effect: Effect,
    input: fn() -> Input,
    run: CallFunction,
) -> Tool {
    let input = LazyLock::new(input);
    Tool {
        name,
        title,
        set,
        effect,
        input,
        output: None,
        run,
        refuse: |spelling, error| spelling.refused(error),
    }
}

/// Builds the description and parameters of a command as a tool.
fn input<T: Request>((about, required, listed, ranges): Listed) -> Input {
    let fields = Fields::of::<T>(|row| row.is_in_tool(T::NAME));
    let mut options: Map<String, Value> =
        fields.iter().map(|field| (field.name.clone(), schema(field))).collect();
    for field in fields.iter() {
        options[&field.name]["description"] = field.about.clone().into();
    }
    for (name, least, most) in ranges {
        options[*name]["minimum"] = (*least).into();
        if *most < u64::MAX {
            options[*name]["maximum"] = (*most).into();
        }
    }
    let mut properties = Map::new();
    let sequential = (T::NAME == "patch").then_some("sequential");
    for name in ["format", "max_bytes"].into_iter().chain(sequential) {
        options.insert(name.to_owned(), parameter_schema(name));
    }
    // In `read`, `offset` would be mistaken for the first line.
    if T::NAME != "read" {
        options.entry("offset").or_insert_with(|| parameter_schema("offset"));
    }
    for (name, about) in listed {
        let mut schema = options.remove(*name).unwrap_or_else(|| parameter_schema(name));
        schema["description"] = (*about).into();
        if about.is_empty() {
            schema.as_object_mut().map(|object| object.remove("description"));
        }
        properties.insert((*name).to_owned(), schema);
    }
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    Input { description: description(about), schema, options, fields: Some(fields) }
}

fn schema(field: &Field) -> Value {
    let name = field.name.as_str();
    match field.kind {
        FieldKind::Texts if name == "target" => json!({"type": "object"}),
        // In the list for clients, the type of a part is string.
        FieldKind::Texts if field.row.is_part => one_or_many(),
        FieldKind::Texts | FieldKind::Text if OPERANDS.contains(&name) => one_or_many(),
        FieldKind::Texts if field.choices.is_empty() => {
            json!({"type": "array", "items": {"type": "string"}})
        }
        FieldKind::Texts => {
            json!({"type": "array", "items": {"type": "string", "enum": field.choices}})
        }
        FieldKind::Integer | FieldKind::Integers => json!({"type": "integer"}),
        FieldKind::Choice(names) => json!({"type": "string", "enum": names}),
        kind => kind.schema(),
    }
}

fn one_or_many() -> Value {
    json!({"type": ["string", "array"], "items": {"type": "string"}})
}

/// Returns the JSON Schema of a parameter that is not an option of the command.
fn parameter_schema(name: &str) -> Value {
    match name {
        "format" => json!({"type": "string", "enum": ["text", "json"]}),
        "numbered" | "sequential" => json!({"type": "boolean"}),
        "edits" => json!({"type": "array", "items": {"type": "object", "properties": {
            "filePath": {"type": "string"},
            "operation": {"type": "string"},
            "target": {"type": "object", "properties": {
                "section": {"type": "string"},
                "body": {"type": "string"},
                "heading": {"type": "string"},
                "text": {"type": "string"},
                "pattern": {"type": "string"},
                "key": {"type": "string"},
                "lines": {"type": "object", "properties": {
                    "start": {"type": "integer"}, "end": {"type": "integer"},
                }},
                "codeBlock": {"type": "object", "properties": {
                    "index": {"type": "integer"}, "language": {"type": "string"},
                }},
            }},
            "content": {"type": "string"},
            "to": {"type": "string"},
            "before": {"type": "boolean"},
            "occurrence": {"type": "string"},
            "links": {"type": "boolean"},
            "ifMatch": {"type": "string"},
        }}}),
        "offset" => json!({"type": "integer", "description": "lines of the answer to skip"}),
        _ => json!({"type": "integer", "minimum": 1, "maximum": MAX_TEXT}),
    }
}

/// Parameters of `grep` that change the output to something other than matching lines.
const OTHER_THAN_LINES: [&str; 5] =
    ["count", "count_matches", "files_with_matches", "files_without_match", "section_context"];

/// Runs the command with the request type `T`.
fn run<T: Request>(arguments: Map<String, Value>, call: &Call<'_>) -> Result<Answer, Error> {
    run_with::<T>(arguments, Map::new(), call)
}

/// Runs the command with `defaults` for the parameters that the call does not set.
fn run_with<T: Request>(
    arguments: Map<String, Value>,
    mut defaults: Map<String, Value>,
    call: &Call<'_>,
) -> Result<Answer, Error> {
    collected(arguments, call, |arguments, sink| {
        defaults.extend(arguments.clone());
        parsed::<T>(&defaults, call)?.run(call.host, sink)
    })
}

/// Parses the arguments of a call in the same way as a command line.
fn parsed<T: Request>(arguments: &Map<String, Value>, call: &Call<'_>) -> Result<T, Error> {
    let fields = call.spelling.tool.input.fields.as_ref();
    let is_json = arguments.get("format").is_some_and(|format| format == "json");
    fields.ok_or_else(|| Error::usage("not a command"))?.parsed(arguments, is_json)
}

/// Runs a command and collects its output as text, or as JSON if the call requests it.
fn collected(
    mut arguments: Map<String, Value>,
    call: &Call<'_>,
    run: impl FnOnce(&Map<String, Value>, &mut dyn Sink) -> Outcome,
) -> Result<Answer, Error> {
    all_roots(&mut arguments, call);
    let operand = if call.spelling.tool.name == "grep" { "path" } else { "address" };
    if matches!(call.spelling.tool.name, "inspect" | "grep" | "patch") {
        globs::set_directory(&mut arguments, operand, &call.host.env);
    }
    globs::relative_to_operands(&mut arguments, &call.host.env)?;
    let arguments = &arguments;
    let is =
        |name: &str, value: &str| arguments.get(name).is_some_and(|argument| argument == value);
    let is_on = |name: &str| arguments.get(name) == Some(&Value::Bool(true));
    let tool = call.spelling.tool;
    let is_json = is("format", "json");
    let mut sink = Collect::new(call.spelling, is_json, &call.host.progress);
    // The parts of `read` and the pages of `list` have their own limits.
    if matches!(tool.name, "read" | "list") {
        let outcome = run(arguments, &mut sink);
        return Ok(sink.answer(outcome));
    }
    let may_repeat = tool.effect == Effect::Reads || is_on("dry_run") || is_on("list");
    let offset = arguments.get("offset").and_then(Value::as_u64).unwrap_or(0);
    let limits = limits(max_bytes(arguments), is_json, may_repeat.then_some(offset));
    let outcome = Limited::run(limits, &mut sink, |limited| run(arguments, limited));
    Ok(sink.answer(outcome))
}

/// Removes the operand `.` if there are several roots, none of which is the working directory. Like
/// a call without an operand, it then refers to all of them.
fn all_roots(arguments: &mut Map<String, Value>, call: &Call<'_>) {
    let name = match call.spelling.tool.name {
        "inspect" => "address",
        "list" | "grep" | "links" => "path",
        "search" => "collection",
        _ => return,
    };
    let is_here = |value: &Value| value == "." || value == "./";
    let asks = arguments.get(name).is_some_and(|value| match value {
        Value::Array(value) => matches!(&value[..], [only] if is_here(only)),
        value => is_here(value),
    });
    if asks && !call.host.env.roots.is_directory(Path::new(".")) {
        arguments.remove(name);
    }
}

/// Returns the maximum size of the answer in bytes, if the call sets it.
fn max_bytes(arguments: &Map<String, Value>) -> Option<u64> {
    arguments.get("max_bytes")?.as_u64()
}

/// Returns the options of a `patch` call.
fn patch_options(arguments: &Map<String, Value>, call: &Call<'_>) -> Result<PatchOptions, Error> {
    let is_batch = arguments.get("operation").is_some_and(|operation| operation == "apply");
    let mut fields = arguments.clone();
    let batch_fields = ["edits", "sequential"].map(|name| fields.remove(name));
    if !is_batch {
        if batch_fields.iter().any(Option::is_some) {
            return Err(Error::usage("edits and sequential can only be used with apply"));
        }
        set_side(&mut fields);
    }
    let args = parsed::<PatchArgs>(&fields, call)?;
    args.refuse_misplaced(call.host)?;
    let roots = &call.host.env.roots;
    let options = args.options(|path| roots.exists(path), |path| roots.is_directory(path))?;
    match batch_fields {
        _ if !is_batch => Ok(options),
        [None, _] => Err(Error::usage("apply needs edits")),
        _ if fields.contains_key("address") => {
            Err(Error::usage("apply accepts no address: each edit names its file"))
        }
        [Some(edits), sequential] => {
            let sequential = sequential.unwrap_or(false.into());
            let batch = json!({"edits": edits, "sequential": sequential}).to_string();
            Ok(PatchOptions { edit: patch::Request::apply(batch), ..options })
        }
    }
}
