//! What is known about each option besides its declaration: one row for each. The short help, the
//! operations of `patch`, batches and tools are derived from the declaration in clap and this row.

/// An option, or an operand.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// The identifier in clap, in all commands that have the option.
    pub id: &'static str,
    /// The commands whose short help shows the option.
    pub common: &'static str,
    /// A shorter description for the short help. May be empty.
    pub short: &'static str,
    /// The operations of `patch` that accept the option. Empty if all do.
    pub operations: &'static str,
    /// Whether another check words the error for the other operations, because the edit lacks
    /// something else.
    pub is_checked_elsewhere: bool,
    /// Whether the option selects or restricts the part.
    pub is_part: bool,
    /// Whether the option is a field of an edit of `patch apply`.
    pub is_in_edits: bool,
    /// Whether the option is a field of a line of `read --batch`.
    pub is_in_lines: bool,
    /// The use in tools of MCP.
    pub tools: InTools,
    /// The tools that lack the option.
    not_in_tools: &'static str,
    /// Whether `folio help ripgrep` describes the option of `grep`, and not the long help.
    pub is_of_ripgrep: bool,
}

/// The use of an option in tools of MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTools {
    /// The list of tools names the option.
    Named,
    /// Tools accept the option, but the list of tools does not name it, because the list is part of
    /// every prompt. The resource `folio://help/TOOL` describes it.
    Unnamed,
    /// No tool has the option: it is for terminals, pipes or the process, or reads its value from a
    /// file.
    Never,
}

const fn row(id: &'static str) -> OptionRow {
    OptionRow {
        id,
        common: "",
        short: "",
        operations: "",
        is_checked_elsewhere: false,
        is_part: false,
        is_in_edits: false,
        is_in_lines: false,
        tools: InTools::Named,
        not_in_tools: "",
        is_of_ripgrep: false,
    }
}

impl OptionRow {
    const fn common(self, common: &'static str) -> Self {
        Self { common, ..self }
    }

    const fn short(self, short: &'static str) -> Self {
        Self { short, ..self }
    }

    const fn operations(self, operations: &'static str) -> Self {
        Self { operations, ..self }
    }

    const fn checked_elsewhere(self, operations: &'static str) -> Self {
        Self { operations, is_checked_elsewhere: true, ..self }
    }

    const fn part(self) -> Self {
        Self { is_part: true, ..self }
    }

    const fn in_edits(self) -> Self {
        Self { is_in_edits: true, ..self }
    }

    const fn in_lines(self) -> Self {
        Self { is_in_lines: true, ..self }
    }

    const fn unnamed(self) -> Self {
        Self { tools: InTools::Unnamed, ..self }
    }

    const fn in_no_tool(self) -> Self {
        Self { tools: InTools::Never, ..self }
    }

    const fn not_in_tools(self, not_in_tools: &'static str) -> Self {
        Self { not_in_tools, ..self }
    }

    const fn of_ripgrep(self) -> Self {
        Self { is_of_ripgrep: true, ..self }
    }

    /// Whether the short help of a command shows the option.
    pub fn is_common(&self, command: &str) -> bool {
        self.common.split(' ').any(|name| name == command)
    }

    /// Whether an operation of `patch` accepts the option.
    pub fn is_accepted_by(&self, operation: &str) -> bool {
        self.operations.is_empty() || self.operations.split(' ').any(|name| name == operation)
    }

    /// Whether a tool has the option.
    pub fn is_in_tool(&self, tool: &str) -> bool {
        self.tools != InTools::Never && self.not_in_tools.split(' ').all(|name| name != tool)
    }
}

/// Returns the row of an option, by its identifier.
pub fn find(id: &str) -> Option<&'static OptionRow> {
    OPTIONS.iter().find(|row| row.id == id)
}

/// Whether an option such as `--section` selects or restricts a part.
pub fn is_part(option: &str) -> bool {
    let id = option.trim_start_matches('-').replace('-', "_");
    find(&id).is_some_and(|row| row.is_part)
}

/// Operations on existing files.
const EXISTING: &str = "replace insert append delete rename move copy set";

/// Operations on existing files, and batches.
const EXISTING_OR_BATCH: &str = "replace insert append delete rename move copy set apply";

/// Operations on any part.
const PARTS: &str = "replace insert append delete rename move copy";

/// Operations on texts, code blocks and tables.
const TEXTS: &str = "replace insert delete move copy";

/// All options. In the short help, they have this order.
#[rustfmt::skip]
pub const OPTIONS: &[OptionRow] = &[
    row("section").common("patch edit read")
        .short("A heading and its body, an INI section or a log entry").checked_elsewhere(EXISTING)
        .part().in_edits().in_lines(),
    row("body").common("patch edit read").checked_elsewhere(PARTS).part().in_edits().in_lines(),
    row("heading").common("patch edit").short("Only the heading line of the section")
        .checked_elsewhere(PARTS).part().in_edits().in_lines().not_in_tools("grep"),
    row("anchor").common("edit").checked_elsewhere(PARTS).part().in_edits().in_lines(),
    row("lines").common("patch edit read").short("Lines: 10, 10-50, 10-")
        .checked_elsewhere("replace insert delete rename move copy").part().in_edits().in_lines(),
    row("section_hints").common("grep"),
    row("outline").common("inspect"),
    row("max_level").common("inspect"),
    row("recursive").common("list").not_in_tools("grep").of_ripgrep(),
    row("depth").common("list"),
    row("tree").common("list").in_no_tool(),
    row("details").common("list"),
    row("titles").common("list"),
    row("extension").common("list"),
    row("ignore").common("links"),
    row("baseline").common("links").in_no_tool(),
    row("fix").common("links").not_in_tools("links"),
    row("site").common("links"),
    row("root_dir").common("links"),
    row("all").common("links").not_in_tools("undo"),
    row("unused").common("links"),
    row("quiet").common("links").in_no_tool(),
    row("chunk").common("related"),
    row("collection").common("search related"),
    row("text").common("patch edit read").short("The text STRING").checked_elsewhere(TEXTS).part()
        .in_edits().in_lines().not_in_tools("grep"),
    row("code_block").common("patch edit read")
        .short("The contents of code block N (from 0), or of LANG:N").checked_elsewhere(TEXTS).part()
        .in_edits().in_lines(),
    row("key").common("patch edit read").checked_elsewhere(EXISTING).part().in_edits().in_lines(),
    row("value").common("edit read").operations("replace insert append delete move copy set")
        .part().in_edits().in_lines(),
    row("from").common("read").short("Start at this line").in_lines(),
    row("to_next").common("read").in_lines(),
    row("alias").common("collection"),
    row("description").common("collection"),
    row("include").common("collection"),
    row("exclude").common("list collection"),
    row("language").common("collection"),
    row("limit").common("read list search related collection").in_lines(),
    row("head").common("read").in_lines(),
    row("tail").common("read").in_lines(),
    row("section_context").common("read grep").in_lines(),
    row("front_matter").common("edit").checked_elsewhere(EXISTING).part().in_edits().in_lines(),
    row("matching").common("read inspect")
        .short("Select parts whose name matches (more: folio help selecting)")
        .checked_elsewhere(EXISTING),
    row("breadcrumbs").common("grep inspect"),
    row("in").common("edit read grep search").short("Search only in the section with this name")
        .checked_elsewhere(EXISTING).part().in_edits().in_lines(),
    row("no_children").common("edit read").short("Exclude nested sections")
        .operations("replace insert append delete move copy").part().in_edits().in_lines(),
    row("diff").common("edit").not_in_tools("links"),
    row("backup").common("edit").short("Keep a copy of the old file")
        .operations(EXISTING_OR_BATCH).unnamed(),
    row("in_place").common("edit").operations(EXISTING_OR_BATCH).unnamed(),
    row("no_undo").common("edit").not_in_tools("patch"),
    row("as_format").common("edit").short("Read files as markdown, mdx, ini, log or text")
        .unnamed(),
    row("addresses_from").common("read").short("Read addresses from FILE (- for standard input)")
        .in_no_tool(),
    row("number").common("read").unnamed(),
    row("outside_code").common("grep").checked_elsewhere(TEXTS).in_edits().in_lines(),
    row("ignore_case").common("grep").checked_elsewhere(EXISTING).in_edits(),
    row("fixed_strings").common("grep").checked_elsewhere(TEXTS),
    row("word_regexp").common("grep").checked_elsewhere(TEXTS).in_edits().unnamed(),
    row("invert_match").common("grep"),
    row("having").common("inspect")
        .short("Select parts that contain a section or key with a matching name")
        .checked_elsewhere(EXISTING).unnamed(),
    row("containing").common("inspect").short("Select parts that contain a matching line")
        .checked_elsewhere(EXISTING),
    row("without_key").common("inspect")
        .short("Select files without this key (in Markdown: front matter)")
        .checked_elsewhere(EXISTING),
    row("repeated").common("inspect").checked_elsewhere(EXISTING),
    row("files_with_matches").common("grep inspect").short("Print only file names"),
    row("count").common("grep").short("Print the number of matching lines"),
    row("only_matching").common("grep").short("Print only the matching text"),
    row("context").common("grep").in_lines(),
    row("max_count").common("grep"),
    row("only").common("inspect"),
    row("public").checked_elsewhere(EXISTING).unnamed(),
    row("tokens").common("inspect").unnamed(),
    row("anchors").common("inspect"),
    row("mode").common("inspect"),
    row("query").common("inspect"),
    row("glob").common("grep inspect list links")
        .short("Include only files that match the glob; !GLOB excludes").checked_elsewhere(EXISTING),
    row("type").common("grep inspect links").short("Include only files of this type: md, rust, …")
        .checked_elsewhere(EXISTING).in_edits(),
    row("offset").common("list").unnamed(),
    row("null").common("list").in_no_tool(),
    row("per_document").common("search"),
    row("keyword_only").common("search"),
    row("semantic_only").common("search").unnamed(),
    row("no_correction").common("search").unnamed(),
    row("no_update").common("search").unnamed(),
    row("same_document").common("related"),
    row("content").common("patch search related")
        .checked_elsewhere("replace insert append rename create set").in_edits(),
    row("content_file").common("patch").checked_elsewhere("replace insert append rename create set")
        .in_no_tool(),
    row("to").common("patch").operations("move copy").in_edits(),
    row("before").common("patch").operations("insert move copy").in_edits(),
    row("after").common("patch").operations("insert move copy").in_edits(),
    row("links").common("patch").short("Update links that the edit would break")
        .operations("rename move copy delete").in_edits(),
    row("occurrence").common("patch").checked_elsewhere(TEXTS).in_edits(),
    row("dry_run").common("patch undo").not_in_tools("links"),
    row("json").common("patch read grep inspect list links search related collection")
        .in_no_tool(),
    row("json_object").in_no_tool(),
    row("root").common("patch edit read grep inspect list links search related collection")
        .short("Restrict access to files below this directory").in_no_tool(),
    row("hidden").common("list"),
    row("no_ignore").common("list").unnamed(),
    row("sort").common("list").short("Sort by name, size or modified"),
    row("acp_events"),
    row("acp_session"),
    row("acp_socket"),
    row("across").checked_elsewhere(EXISTING).unnamed(),
    row("action"),
    row("address"),
    row("addresses"),
    row("after_context").unnamed(),
    row("allow_secrets"),
    row("answer_offset").in_no_tool(),
    row("answer_tokens").in_no_tool(),
    row("any").common("undo").not_in_tools("undo"),
    row("batch").in_no_tool(),
    row("before_context").unnamed(),
    row("binary").operations(EXISTING_OR_BATCH).unnamed(),
    row("block-buffered"),
    row("byte_offset").not_in_tools("grep").of_ripgrep(),
    row("case_sensitive").checked_elsewhere(EXISTING).unnamed(),
    row("check").unnamed(),
    row("checksum"),
    row("color").in_no_tool(),
    row("column").not_in_tools("grep"),
    row("context_separator").not_in_tools("grep").of_ripgrep(),
    row("count_matches").unnamed().of_ripgrep(),
    row("crlf"),
    row("depth_budget").unnamed(),
    row("directories"),
    row("encoding").operations(EXISTING_OR_BATCH).unnamed(),
    row("exact").operations("replace insert append delete move copy").in_edits().unnamed(),
    row("example"),
    row("expand").operations("replace insert").in_edits(),
    row("inline").operations("insert").in_edits(),
    row("expect").checked_elsewhere(EXISTING).in_edits().unnamed(),
    row("fallback_extensions").unnamed(),
    row("fences").checked_elsewhere(TEXTS).part().in_edits().in_lines().unnamed(),
    row("field_context_separator").not_in_tools("grep").of_ripgrep(),
    row("field_match_separator").not_in_tools("grep").of_ripgrep(),
    row("file").in_no_tool(),
    row("files").not_in_tools("grep"),
    row("files_without_match"),
    row("first").checked_elsewhere(EXISTING).unnamed(),
    row("flat").unnamed(),
    row("follow").operations(EXISTING_OR_BATCH).unnamed(),
    row("force").unnamed(),
    row("forget").common("undo"),
    row("forget_matching").in_no_tool(),
    row("format").in_no_tool(),
    row("glob_case_insensitive").unnamed().of_ripgrep(),
    row("hyperlink_format").in_no_tool(),
    row("if_match").operations(EXISTING).in_edits(),
    row("if_range_match").operations(EXISTING).in_edits(),
    row("iglob").unnamed().of_ripgrep(),
    row("ignore-dot"),
    row("ignore-exclude"),
    row("ignore-files"),
    row("ignore-global"),
    row("ignore-messages"),
    row("ignore-parent"),
    row("ignore-vcs"),
    row("ignore_file").not_in_tools("grep").of_ripgrep(),
    row("ignore_whitespace").checked_elsewhere(TEXTS).in_edits().unnamed(),
    row("include_code").checked_elsewhere(EXISTING).unnamed(),
    row("include_comments").checked_elsewhere(EXISTING).unnamed(),
    row("include_zero").unnamed().of_ripgrep(),
    row("index_files").unnamed(),
    row("by_source").checked_elsewhere(EXISTING).unnamed(),
    row("later_than").checked_elsewhere(EXISTING).unnamed(),
    row("level_at_least").checked_elsewhere(EXISTING).unnamed(),
    row("top_level").checked_elsewhere(EXISTING).unnamed(),
    row("innermost").checked_elsewhere(EXISTING).unnamed(),
    row("keep_going").operations("replace insert append delete rename move copy create set")
        .unnamed(),
    row("kind").checked_elsewhere(EXISTING),
    row("lacking").checked_elsewhere(EXISTING).unnamed(),
    row("lang").checked_elsewhere(EXISTING).unnamed(),
    row("last").checked_elsewhere(EXISTING),
    row("level").checked_elsewhere(EXISTING),
    row("line_buffered").in_no_tool().of_ripgrep(),
    row("line_number").not_in_tools("grep"),
    row("line_regexp").checked_elsewhere(TEXTS).in_edits().unnamed(),
    row("links_in").operations("rename move copy delete").in_edits(),
    row("list").common("undo"),
    row("literal_words"),
    row("max_bytes").unnamed(),
    row("max_columns").unnamed(),
    row("max_columns_preview").not_in_tools("grep").of_ripgrep(),
    row("max_delete").operations("replace insert append delete move copy set apply").unnamed(),
    row("max_depth").unnamed(),
    row("max_distance"),
    row("max_files").unnamed(),
    row("max_filesize").unnamed().of_ripgrep(),
    row("max_lines").unnamed(),
    row("max_tokens"),
    row("max_total"),
    row("messages"),
    row("mmap"),
    row("multiline").checked_elsewhere(TEXTS).in_edits(),
    row("multiline_dotall").unnamed().of_ripgrep(),
    row("name"),
    row("no-auto-hybrid-regex"),
    row("no-binary"),
    row("no-block-buffered"),
    row("no-byte-offset"),
    row("no-column"),
    row("no-encoding"),
    row("no-fixed-strings"),
    row("no-follow"),
    row("no-glob-case-insensitive"),
    row("no-hidden"),
    row("no-ignore-messages"),
    row("no-include-zero"),
    row("no-invert-match"),
    row("no-json"),
    row("no-line-buffered"),
    row("no-max-columns-preview"),
    row("no-mmap"),
    row("no-multiline"),
    row("no-multiline-dotall"),
    row("no-one-file-system"),
    row("no-pcre2"),
    row("no-pre"),
    row("no-search-zip"),
    row("no-sort-files"),
    row("no-stats"),
    row("no-text"),
    row("no-trim"),
    row("no_config").in_no_tool(),
    row("no_context_separator").not_in_tools("grep").of_ripgrep(),
    row("no_filename").not_in_tools("grep"),
    row("no_headers").unnamed(),
    row("no_heading").not_in_tools("grep"),
    row("no_ignore_dot").not_in_tools("grep").of_ripgrep(),
    row("no_ignore_exclude").not_in_tools("grep").of_ripgrep(),
    row("no_ignore_files").not_in_tools("grep").of_ripgrep(),
    row("no_ignore_global").not_in_tools("grep").of_ripgrep(),
    row("no_ignore_parent").not_in_tools("grep").of_ripgrep(),
    row("no_ignore_vcs").not_in_tools("grep").of_ripgrep(),
    row("no_line_number").not_in_tools("grep"),
    row("no_messages").in_no_tool().of_ripgrep(),
    row("no_preserve_indent").operations("replace insert append").in_edits().unnamed(),
    row("no_preview"),
    row("no_require_git").not_in_tools("grep").of_ripgrep(),
    row("no_sync").not_in_tools("patch"),
    row("no_total").unnamed(),
    row("no_unicode").unnamed().of_ripgrep(),
    row("normalize_unicode").checked_elsewhere(TEXTS).in_edits().unnamed(),
    row("not_having").checked_elsewhere(EXISTING).unnamed(),
    row("nth").checked_elsewhere(EXISTING).unnamed(),
    row("null_data").not_in_tools("grep").of_ripgrep(),
    row("one_file_system").not_in_tools("grep").of_ripgrep(),
    row("only_code").checked_elsewhere(TEXTS).in_edits(),
    row("operands"),
    row("operation").in_edits(),
    row("outside_comments").checked_elsewhere(TEXTS).in_edits().in_lines(),
    row("parents").operations("move copy create apply"),
    row("passthru").not_in_tools("grep").of_ripgrep(),
    row("path").checked_elsewhere(EXISTING).unnamed(),
    row("paths"),
    row("pattern").checked_elsewhere(TEXTS).part().in_edits().in_lines(),
    row("preserve_indent").operations("replace insert append").in_edits().unnamed(),
    row("pretty").in_no_tool().of_ripgrep(),
    row("preview").unnamed(),
    row("raw").unnamed(),
    row("read_only"),
    row("recover").common("undo").not_in_tools("undo"),
    row("redo").common("undo"),
    row("regex"),
    row("regexp").not_in_tools("grep"),
    row("remap").unnamed(),
    row("replace").not_in_tools("grep"),
    row("require-git"),
    row("resolve").unnamed(),
    row("search").in_lines(),
    row("section_pattern").operations("replace insert append delete move copy apply").unnamed(),
    row("set").checked_elsewhere("replace insert append rename create set").in_edits(),
    row("shell"),
    row("show").common("undo"),
    row("show_whitespace").unnamed(),
    row("since").checked_elsewhere(EXISTING).unnamed(),
    row("smart_case").checked_elsewhere(EXISTING).unnamed(),
    row("sort-files"),
    row("sortr").unnamed().of_ripgrep(),
    row("stats").not_in_tools("grep"),
    row("stop_on_nonmatch").not_in_tools("grep").of_ripgrep(),
    row("style").unnamed(),
    row("table").checked_elsewhere(TEXTS).part().in_edits().in_lines(),
    row("target").checked_elsewhere(EXISTING).in_edits().in_lines(),
    row("threads").in_no_tool(),
    row("timeout"),
    row("to_section_end").in_lines(),
    row("tool"),
    row("tools"),
    row("totals").unnamed(),
    row("trim").not_in_tools("grep").of_ripgrep(),
    row("type_add").not_in_tools("grep").of_ripgrep(),
    row("type_clear").not_in_tools("grep").of_ripgrep(),
    row("type_list").in_no_tool(),
    row("types_not").unnamed(),
    row("unicode"),
    row("unique").checked_elsewhere(TEXTS).in_edits().unnamed(),
    row("unrestricted").unnamed(),
    row("until").checked_elsewhere(EXISTING).unnamed(),
    row("verbose"),
    row("vimgrep").not_in_tools("grep").of_ripgrep(),
    row("which"),
    row("whole_file").checked_elsewhere("replace insert append delete move copy").part().in_edits(),
    row("with_filename").not_in_tools("grep"),
    row("with_key").checked_elsewhere(EXISTING),
    row("words").not_in_tools("search"),
];
