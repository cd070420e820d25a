//! Help pages about topics. Commands have their own help.

/// A help topic.
pub(super) struct Topic {
    /// The name of the topic.
    pub(super) name: &'static str,
    /// A description in one line.
    pub(super) about: &'static str,
    /// The section of the topic's manual page.
    pub(super) section: u8,
    /// The text of the topic, with the marks of lines about search.
    text: &'static str,
}

/// The mark of a line that only a binary with the feature `search` prints.
const WITH_SEARCH: &str = "{search}";

/// The mark of a line that only a binary without the feature `search` prints.
const WITHOUT_SEARCH: &str = "{no search}";

impl Topic {
    /// Returns the text of the topic, without the lines that do not apply to this binary.
    pub(super) fn text(&self) -> String {
        let (printed, omitted) = if cfg!(feature = "search") {
            (WITH_SEARCH, WITHOUT_SEARCH)
        } else {
            (WITHOUT_SEARCH, WITH_SEARCH)
        };
        let lines = self.text.split_inclusive('\n').filter(|line| !line.starts_with(omitted));
        lines.map(|line| line.strip_prefix(printed).unwrap_or(line)).collect()
    }
}

/// Declares a topic. Its text is in the directory `topics/`.
macro_rules! topic {
    ($name:literal, $section:literal, $about:literal) => {
        Topic {
            name: $name,
            about: $about,
            section: $section,
            text: include_str!(concat!("topics/", $name, ".txt")),
        }
    };
}

/// All topics, in the order of the help.
pub(super) const TOPICS: &[Topic] = &[
    topic!("addresses", 7, "How to refer to files and parts of files"),
    topic!("exit-status", 7, "Exit statuses and error codes"),
    topic!("agents", 7, "Instructions for coding agents"),
    topic!("keys", 7, "How to read and edit entries of TOML, YAML and JSON"),
    topic!("selecting", 7, "How to select parts by conditions"),
    topic!("ripgrep", 7, "How grep treats ripgrep's options"),
    topic!("mcp", 7, "How to use folio in clients of the Model Context Protocol"),
    topic!("config", 5, "Defaults in folio.toml, for a repository and for a user"),
];

/// Returns the topic with this name.
pub(super) fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

/// A coding agent that reads instructions from a file.
pub(super) struct Agent {
    /// The value of `--for` that selects the agent.
    pub(super) name: &'static str,
    /// The file from which the agent reads instructions.
    pub(super) file: &'static str,
    /// The front matter that the agent expects in this file.
    front_matter: &'static str,
}

/// All agents for which folio knows the format of the file.
pub(super) const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        file: ".claude/skills/folio/SKILL.md",
        front_matter: "---\nname: folio\ndescription: Read, search and edit parts of text files by \
                       heading, key, code block or text. Use for Markdown, INI files and logs.\n\
                       ---\n\n",
    },
    Agent {
        name: "cursor",
        file: ".cursor/rules/folio.mdc",
        front_matter: "---\ndescription: Reading and editing text files with folio\n\
                       alwaysApply: true\n---\n\n",
    },
    Agent {
        name: "copilot",
        file: ".github/instructions/folio.instructions.md",
        front_matter: "---\napplyTo: \"**\"\n---\n\n",
    },
    Agent { name: "agents-md", file: "AGENTS.md", front_matter: "" },
];

impl Agent {
    /// Returns the instructions, with the front matter that the agent expects.
    pub(super) fn instructions(&self) -> String {
        let text = find("agents").map(Topic::text).unwrap_or_default();
        // If the text is pasted into a file with headings, this heading begins a section.
        let heading = if self.front_matter.is_empty() { "#" } else { "" };
        [self.front_matter, heading, &text].concat()
    }
}
