//! The tools `patch` and `undo`.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{FORMAT, LEFT_OUT, Request, listed, run};
use crate::commands::output::Outcome;
use crate::commands::patch::args::PatchArgs;
use crate::commands::patch::options::{Edits, Input, Options};
use crate::commands::request::Fields;
use crate::commands::undo::args::UndoArgs;
use crate::commands::{patch, undo};
use crate::error::Error;
use crate::mcp::answer::Answer;
use crate::mcp::arguments::Arguments;
use crate::mcp::call::{Call, Entry};
use crate::mcp::collect::{Collect, Form};
use crate::mcp::tool::{Effect, Kind, Parameter, Set, Tool};

static PATCH: LazyLock<Request> = LazyLock::new(|| {
    let fields = Fields::of::<PatchArgs>(&[LEFT_OUT, "no_sync no_undo"]);
    Request::new(fields, listed(TOOLS, "patch"))
});
static UNDO: LazyLock<Request> = LazyLock::new(|| {
    let fields = Fields::of::<UndoArgs>(&[LEFT_OUT, "any recover"]);
    Request::new(fields, listed(TOOLS, "undo"))
});

/// The common fields of a target.
const TARGET: &[Parameter] = &[
    Parameter::new("section", Kind::Text, ""),
    Parameter::new("body", Kind::Text, ""),
    Parameter::new("heading", Kind::Text, ""),
    Parameter::new("text", Kind::Text, ""),
    Parameter::new("pattern", Kind::Text, "regex"),
    Parameter::new("key", Kind::Text, ""),
    Parameter::new("value", Kind::Switch, "of the key alone"),
    Parameter::new(
        "lines",
        Kind::Object(&[
            Parameter::new("start", Kind::Integer(1, u64::MAX), ""),
            Parameter::new("end", Kind::Integer(1, u64::MAX), ""),
        ]),
        "",
    ),
    Parameter::new(
        "codeBlock",
        Kind::Object(&[
            Parameter::new("index", Kind::Integer(0, u64::MAX), "from 0"),
            Parameter::new("language", Kind::Text, ""),
        ]),
        "",
    ),
];

/// The common fields of an edit.
const EDIT: &[Parameter] = &[
    Parameter::new("filePath", Kind::Text, ""),
    Parameter::new("operation", Kind::Text, "any but apply"),
    Parameter::new("target", Kind::Object(TARGET), ""),
    Parameter::new("content", Kind::Text, ""),
    Parameter::new("to", Kind::Text, ""),
    Parameter::new("before", Kind::Switch, ""),
    Parameter::new("occurrence", Kind::Text, ""),
    Parameter::new("links", Kind::Switch, ""),
    Parameter::new("ifMatch", Kind::Text, "checksum of the file"),
];

/// The tools `patch` and `undo`.
pub const TOOLS: &[Entry] = &[
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
                        "replace", "insert", "append", "delete", "rename", "move", "copy",
                        "create", "set", "apply",
                    ]),
                    "",
                ),
                Parameter::new("address", Kind::Operands, "FILE, or FILE:10-12"),
                Parameter::new("section", Kind::Text, "heading with its body, INI section"),
                Parameter::new("heading", Kind::Text, "only the line of a heading"),
                Parameter::new("text", Kind::Text, "a text that is there once"),
                Parameter::new("occurrence", Kind::Text, "of a text: first, last, all or a number"),
                Parameter::new("key", Kind::Text, "key of the section"),
                Parameter::new("code_block", Kind::Text, "its number from 0, or bash:0"),
                Parameter::new("content", Kind::Text, "what to put in"),
                Parameter::new("before", Kind::Switch, "insert before the part"),
                Parameter::new("to", Kind::Text, "of move and copy: FILE, FILE:12, FILE#slug"),
                Parameter::new("links", Kind::Switch, "keep links right that would break"),
                Parameter::new("edits", Kind::Edits(EDIT), "of apply"),
                Parameter::new("dry_run", Kind::Switch, "show the diff, write nothing"),
                Parameter::new("options", Kind::Options(|| &PATCH.options), ""),
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
            name: "undo",
            title: "Undo edits",
            set: Set::Core,
            description: "Undo the last patch, or the one of a number or file; what changed since \
                stays or is a conflict. Not for files that patch did not edit.\n{}\n\
                {\"which\":\"7\",\"dry_run\":true}\n{\"list\":true}",
            parameters: &[
                Parameter::new("which", Kind::Text, "number of a patch, or a file"),
                Parameter::new("list", Kind::Switch, "what can be undone"),
                Parameter::new("redo", Kind::Switch, "redo what was undone last"),
                Parameter::new("dry_run", Kind::Switch, "show the diff, write nothing"),
                Parameter::new("options", Kind::Options(|| &UNDO.options), ""),
                FORMAT,
            ],
            effect: Effect::Writes,
            output: None,
        },
        run: run_undo,
        refuse: |spelling, error| spelling.refused(error),
    },
];

fn run_patch(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let command = |sink: &mut Collect<'_>| -> Outcome {
        patch::run::run(&patch_options(arguments)?, call.env, sink)
    };
    run(arguments, call, Form::Text, command, |_| Vec::new())
}

/// The options of a `patch` call. If a text occurs several times, the call fails unless it says
/// which occurrence to edit: the caller of a tool does not see the file.
fn patch_options(arguments: &Arguments) -> Result<Options, Error> {
    let operation = arguments.text("operation").unwrap_or_default();
    let is_batch = operation == "apply";
    let mut fields = arguments.fields().clone();
    let edits = fields.remove("edits");
    if !is_batch {
        refuse_several(&mut fields);
    }
    let options = PATCH.fields.parsed::<PatchArgs>(&fields)?.options()?;
    match (edits, is_batch) {
        (None, true) => Err(Error::usage("apply needs edits")),
        (Some(_), false) => Err(Error::usage(format!("edits go with apply, not with {operation}"))),
        (None, false) => Ok(options),
        (Some(_), true) if fields.contains_key("address") => {
            Err(Error::usage("apply takes no address: each edit names its file"))
        }
        (Some(mut edits), true) => {
            for edit in edits.as_array_mut().into_iter().flatten() {
                edit.as_object_mut().map(refuse_several);
            }
            let edits = Edits::Json(Some(Input::Bytes(edits.to_string().into_bytes())));
            Ok(Options { edits, ..options })
        }
    }
}

/// Makes several matches an error, unless the fields select an occurrence.
fn refuse_several(fields: &mut Map<String, Value>) {
    let has = |name: &str| {
        fields.contains_key(name) || fields.get("target").is_some_and(|it| it.get(name).is_some())
    };
    let may_be_several = has("text") || has("pattern");
    let says_which =
        ["occurrence", "expect", "unique"].iter().any(|name| fields.contains_key(*name));
    if may_be_several && !says_which {
        fields.insert("unique".to_owned(), true.into());
    }
}

fn run_undo(arguments: &Arguments, call: &Call<'_>) -> Answer {
    let command = |sink: &mut Collect<'_>| -> Outcome {
        let args: UndoArgs = UNDO.fields.parsed(arguments.fields())?;
        undo::run::run(&args.options()?, call.env, sink)
    };
    run(arguments, call, Form::Text, command, |_| Vec::new())
}
