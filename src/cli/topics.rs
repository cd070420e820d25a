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

/// All topics, in the order of the help.
pub(super) const TOPICS: &[Topic] = &[
    Topic {
        name: "addresses",
        about: "How files and parts of files are named",
        section: 7,
        text: include_str!("topics/addresses.txt"),
    },
    Topic {
        name: "exit-status",
        about: "What exit statuses and error codes mean",
        section: 7,
        text: include_str!("topics/exit-status.txt"),
    },
    Topic {
        name: "agents",
        about: "A page for the instructions of coding agents",
        section: 7,
        text: include_str!("topics/agents.txt"),
    },
    Topic {
        name: "selecting",
        about: "How parts are selected by conditions",
        section: 7,
        text: include_str!("topics/selecting.txt"),
    },
    Topic {
        name: "ripgrep",
        about: "What the flags of ripgrep mean to grep",
        section: 7,
        text: include_str!("topics/ripgrep.txt"),
    },
    Topic {
        name: "mcp",
        about: "Tools for clients of the Model Context Protocol: what to paste where",
        section: 7,
        text: include_str!("topics/mcp.txt"),
    },
    Topic {
        name: "config",
        about: "Defaults in folio.toml, for a repository and for a user",
        section: 5,
        text: include_str!("topics/config.txt"),
    },
];

/// The topic called `name`.
pub(super) fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}
