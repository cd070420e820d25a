//! Pages of `folio help` that are about no single command.

/// A page.
pub(super) struct Topic {
    /// Its name.
    pub(super) name: &'static str,
    /// One line on what it tells.
    pub(super) about: &'static str,
    /// The section of its manual page.
    pub(super) section: u8,
    /// The page.
    pub(super) text: &'static str,
}

/// All pages, in the order of help.
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

/// The page of a name.
pub(super) fn find(name: &str) -> Option<&'static Topic> {
    TOPICS.iter().find(|topic| topic.name == name)
}
