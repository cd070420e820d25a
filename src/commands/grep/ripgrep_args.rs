//! Options of ripgrep without a field of their own: those that request folio's default, those
//! that negate another option, and those that are refused.

use clap::{Arg, ArgAction, Command};

use crate::error::{Error, Hint};

/// Options that request the default behaviour.
const ANYWAY: &[&str] = &[
    "block-buffered",
    "crlf",
    "mmap",
    "no-auto-hybrid-regex",
    "no-ignore-messages",
    "no-mmap",
    "no-pcre2",
    "no-pre",
    "no-search-zip",
    "no-sort-files",
    "sort-files",
];

/// Options that negate others, and the options they negate.
const TAKES_BACK: &[(&str, &[&str])] = &[
    ("ignore", &["no_ignore"]),
    ("ignore-dot", &["no_ignore_dot"]),
    ("ignore-exclude", &["no_ignore_exclude"]),
    ("ignore-files", &["no_ignore_files"]),
    ("ignore-global", &["no_ignore_global"]),
    ("ignore-messages", &["no-ignore-messages"]),
    ("ignore-parent", &["no_ignore_parent"]),
    ("ignore-vcs", &["no_ignore_vcs"]),
    ("messages", &["no_messages"]),
    ("no-binary", &["binary"]),
    ("no-block-buffered", &["block-buffered"]),
    ("no-byte-offset", &["byte_offset"]),
    ("no-column", &["column"]),
    ("no-encoding", &["encoding"]),
    ("no-fixed-strings", &["fixed_strings"]),
    ("no-follow", &["follow"]),
    ("no-glob-case-insensitive", &["glob_case_insensitive"]),
    ("no-hidden", &["hidden"]),
    ("no-include-zero", &["include_zero"]),
    ("no-invert-match", &["invert_match"]),
    ("no-json", &["json", "format"]),
    ("no-line-buffered", &["line_buffered"]),
    ("no-max-columns-preview", &["max_columns_preview"]),
    ("no-multiline", &["multiline"]),
    ("no-multiline-dotall", &["multiline_dotall"]),
    ("no-one-file-system", &["one_file_system"]),
    ("no-stats", &["stats"]),
    ("no-text", &["text"]),
    ("no-trim", &["trim"]),
    ("require-git", &["no_require_git"]),
    ("unicode", &["no_unicode"]),
];

/// Options that are refused, the reason, and what to type instead.
struct Refused {
    flags: &'static [&'static str],
    why: &'static str,
    hint: fn() -> Hint,
}

const REFUSED: &[Refused] = &[
    Refused {
        flags: &[
            "-P",
            "--pcre2",
            "--engine",
            "--auto-hybrid-regex",
            "--pcre2-version",
            "--no-pcre2-unicode",
            "--pcre2-unicode",
        ],
        why: "patterns have no look-around and no backreferences",
        hint: || "remove it  # for patterns without them".into(),
    },
    Refused {
        flags: &["-z", "--search-zip"],
        why: "compressed files are not read",
        hint: || Hint::command("grep", ["PATTERN", "-"]).why("what `zcat FILE |` pipes in"),
    },
    Refused {
        flags: &["--pre", "--pre-glob"],
        why: "no other programs are started",
        hint: || Hint::command("grep", ["PATTERN", "-"]).why("what that program pipes in"),
    },
    Refused {
        flags: &["--colors"],
        why: "colours are those of the terminal's palette",
        hint: || Hint::flag(["--color", "never"]).why("for none"),
    },
    Refused {
        flags: &["--debug", "--trace", "--no-debug", "--no-trace"],
        why: "there is no log",
        hint: || Hint::flag(["--stats"]).why("what was searched"),
    },
    Refused {
        flags: &["--dfa-size-limit", "--regex-size-limit"],
        why: "a pattern may take 10 MiB, whatever is typed",
        hint: || "remove it  # a shorter pattern fits".into(),
    },
    Refused {
        flags: &["--generate"],
        why: "there are commands for that",
        hint: || Hint::command("man", ["grep"]).why("the manual page"),
    },
    Refused {
        flags: &["--ignore-file-case-insensitive", "--no-ignore-file-case-insensitive"],
        why: "ignore files name files as git does, with their case",
        hint: || Hint::flag(["--iglob", "!GLOB"]).why("leaves out in either case"),
    },
    Refused {
        flags: &["--path-separator"],
        why: "paths are printed so that other commands take them",
        hint: || "remove it  # it is /".into(),
    },
    Refused {
        flags: &["--hostname-bin"],
        why: "no other programs are started",
        hint: || Hint::flag(["--hyperlink-format", "file://NAME{path}"]).why("names the machine"),
    },
    Refused {
        flags: &["--no-crlf"],
        why: "$ always matches before \\r\\n",
        hint: || Hint::flag(["-e", r"PATTERN\r?$"]).why("to match \\r in the pattern"),
    },
];

/// The command with these options added.
pub fn with_silent_flags(command: Command) -> Command {
    let silent =
        |name: &'static str| Arg::new(name).long(name).hide(true).action(ArgAction::SetTrue);
    let takes_back = |(name, others): &(&'static str, &'static [&'static str])| {
        silent(name).overrides_with_all(*others)
    };
    command.args(ANYWAY.iter().map(|name| silent(name))).args(TAKES_BACK.iter().map(takes_back))
}

/// The error for an option of ripgrep that folio does not support.
pub fn refusal(flag: &str) -> Option<Error> {
    let refused = REFUSED.iter().find(|refused| refused.flags.contains(&flag))?;
    let message = format!("{flag} is not supported: {}", refused.why);
    Some(Error::usage(message).hint((refused.hint)()))
}
