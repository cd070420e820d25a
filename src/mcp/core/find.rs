//! The tools `search` and `related`.

use std::sync::LazyLock;

use serde_json::Value;

use super::{FORMAT, LEFT_OUT, LIMIT, Request, listed, run};
use crate::commands::collection_search::args::SearchArgs;
use crate::commands::output::counted;
use crate::commands::related::args::RelatedArgs;
use crate::commands::request::Fields;
use crate::commands::{collection_search, related};
use crate::mcp::answer::Answer;
use crate::mcp::arguments::Arguments;
use crate::mcp::call::{Call, Entry};
use crate::mcp::collect::{Collect, Form};
use crate::mcp::tool::{Effect, Kind, Parameter, Set, Tool};

const COLLECTION: Parameter =
    Parameter::new("collection", Kind::Texts, "only these: names, or directories such as ./docs");

static SEARCH: LazyLock<Request> = LazyLock::new(|| {
    let fields = Fields::of::<SearchArgs>(&[LEFT_OUT, "words"]);
    Request::new(fields, listed(TOOLS, "search"))
});
static RELATED: LazyLock<Request> = LazyLock::new(|| {
    Request::new(Fields::of::<RelatedArgs>(&[LEFT_OUT]), listed(TOOLS, "related"))
});

/// The tools `search` and `related`.
pub const TOOLS: &[Entry] = &[
    Entry {
        tool: Tool {
            name: "search",
            title: "Search documents by meaning",
            set: Set::Core,
            description: "Sections of documents that best answer a question, by words and meaning, \
                each as an address for read. It searches named collections, else the root. \
                Not for exact strings or code (grep).\n{\"query\":\"restore a backup\"}\n\
                {\"query\":\"retry a job\",\"collection\":[\"./docs\"],\"limit\":3}\n\
                {\"query\":\"remove it\",\"in\":\"Install\",\"limit\":1}",
            parameters: &[
                Parameter::required(
                    "query",
                    Kind::Operands,
                    "a question, or a list of them; \"so quoted\", -without",
                ),
                COLLECTION,
                Parameter::new("in", Kind::Text, "only sections below this heading"),
                Parameter::new("limit", Kind::Integer(1, 1000), "sections a query").or("5"),
                Parameter::new("keyword_only", Kind::Switch, "by words alone"),
                Parameter::new("semantic_only", Kind::Switch, "by meaning alone"),
                Parameter::new("options", Kind::Options(|| &SEARCH.options), ""),
                FORMAT,
                LIMIT,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: run_search,
        refuse: |spelling, error| spelling.refused(error),
    },
    Entry {
        tool: Tool {
            name: "related",
            title: "Find related sections",
            set: Set::Core,
            description: "Sections about the same as a document, some lines of it, or a passage; \
                each as an address for read. Use it to go on from what search found. Not for a \
                question (search).\n{\"address\":\"@docs/setup.md\"}\n\
                {\"address\":\"@docs/setup.md:15-51\",\"limit\":3}\n\
                {\"address\":\"docs/faq.md\",\"collection\":[\"./docs\"],\"chunk\":\"restore\"}",
            parameters: &[
                Parameter::required("address", Kind::Text, "document, or lines of it"),
                Parameter::new("chunk", Kind::Text, "compare this passage in its place"),
                COLLECTION,
                Parameter::new("limit", Kind::Integer(1, 1000), "").or("5"),
                Parameter::new("same_document", Kind::Switch, "its own sections too"),
                Parameter::new("options", Kind::Options(|| &RELATED.options), ""),
                FORMAT,
                LIMIT,
            ],
            effect: Effect::Reads,
            output: None,
        },
        run: run_related,
        refuse: |spelling, error| spelling.refused(error),
    },
];

fn run_search(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let command = |sink: &mut Collect<'_>| {
        let args: SearchArgs = SEARCH.fields.parsed(arguments.fields())?;
        collection_search::run::run(&args, call.env, sink)
    };
    run(arguments, call, Form::TextOfRecords, command, sections_facts)
}

fn run_related(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let command = |sink: &mut Collect<'_>| {
        let args: RelatedArgs = RELATED.fields.parsed(arguments.fields())?;
        related::run::run(&args, call.env, sink)
    };
    run(arguments, call, Form::TextOfRecords, command, sections_facts)
}

/// One line with the number of sections found, and the call that reads the first of them.
fn sections_facts(sink: &Collect<'_>) -> Vec<String> {
    let count = counted(sink.records.len() as u64, "section");
    let first = sink.records.first().map(|record| &record["address"]);
    match first.and_then(Value::as_str) {
        Some(address) => vec![format!("{count}; read {{\"address\":{}}}", Value::from(address))],
        None => Vec::new(),
    }
}
