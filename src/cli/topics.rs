//! Help pages about topics rather than commands.

/// A help topic.
pub(super) struct Topic {
    /// Name.
    pub(super) name: &'static str,
    /// One-line description.
    pub(super) about: &'static str,
    /// Section of its manual page.
    pub(super) section: u8,
    /// Text.
    pub(super) text: &'static str,
}

/// A topic whose text is in `topics/`.
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
    topic!("addresses", 7, "How files and parts of files are named"),
    topic!("exit-status", 7, "What exit statuses and error codes mean"),
    topic!("agents", 7, "A page for the instructions of coding agents"),
    topic!("keys", 7, "How entries of TOML, YAML and JSON are read and edited"),
    topic!("selecting", 7, "How parts are selected by conditions"),
    topic!("ripgrep", 7, "What the flags of ripgrep mean to grep"),
    topic!("mcp", 7, "Tools for clients of the Model Context Protocol: what to paste where"),
    topic!("config", 5, "Defaults in folio.toml, for a repository and for a user"),
];

/// The topic called `name`.
pub(super) fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}

/// A coding agent that reads instructions from a file.
pub(super) struct Agent {
    /// Its name after `--for`.
    pub(super) name: &'static str,
    /// The file that it reads the instructions from.
    pub(super) file: &'static str,
    /// The front matter that it expects in this file.
    front_matter: &'static str,
}

/// All agents whose file format is known.
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
    /// The instructions, with the front matter that the agent expects.
    pub(super) fn instructions(&self) -> String {
        let text = find("agents").map_or("", |topic| topic.text);
        // The heading of a section, if the block is pasted into a file of its own headings.
        let heading = if self.front_matter.is_empty() { "#" } else { "" };
        [self.front_matter, heading, text].concat()
    }
}
