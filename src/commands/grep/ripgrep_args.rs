//! Options of ripgrep that are not fields: options that request folio's default behavior, options
//! that negate another option, and options that are refused.

use clap::{Arg, ArgAction, Command};

use folio_files::error::{Change, Error, Hint};
use folio_files::options::{COLOR, HYPERLINK_FORMAT, IGLOB, REGEXP, STATS};

/// Options that request the default behavior.
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

/// Options that negate other options, with the options that they negate.
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

/// Options that are refused, with the reason and an alternative to type.
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
        why: "patterns cannot contain look-around or backreferences",
        hint: || "remove it, and use a simpler pattern".into(),
    },
    Refused {
        flags: &["-z", "--search-zip"],
        why: "compressed files are not read",
        hint: || Hint::command("grep", ["PATTERN", "-"]).why("searches the output of zcat FILE"),
    },
    Refused {
        flags: &["--pre", "--pre-glob"],
        why: "folio starts no other programs",
        hint: || Hint::command("grep", ["PATTERN", "-"]).why("searches the output of that program"),
    },
    Refused {
        flags: &["--colors"],
        why: "colors are those of the terminal's palette",
        hint: || Hint::with_value(COLOR, "never").why("to print no colors"),
    },
    Refused {
        flags: &["--debug", "--trace", "--no-debug", "--no-trace"],
        why: "there is no log",
        hint: || Hint::with_switch(STATS).why("prints what was searched"),
    },
    Refused {
        flags: &["--dfa-size-limit", "--regex-size-limit"],
        why: "the limit for a pattern is always 10 MiB",
        hint: || "use a shorter pattern".into(),
    },
    Refused {
        flags: &["--generate"],
        why: "other commands do that",
        hint: || Hint::command("man", ["grep"]).why("the manual page"),
    },
    Refused {
        flags: &["--ignore-file-case-insensitive", "--no-ignore-file-case-insensitive"],
        why: "ignore files are case-sensitive, as in git",
        hint: || {
            Hint::again([Change::add(IGLOB, "!GLOB")]).why("excludes files regardless of case")
        },
    },
    Refused {
        flags: &["--path-separator"],
        why: "paths are printed in the form that other commands accept",
        hint: || "remove it  # paths are always separated with /".into(),
    },
    Refused {
        flags: &["--hostname-bin"],
        why: "folio starts no other programs",
        hint: || Hint::with_value(HYPERLINK_FORMAT, "file://NAME{path}").why("names the machine"),
    },
    Refused {
        flags: &["--no-crlf"],
        why: "$ always matches before \\r\\n",
        hint: || Hint::with_value(REGEXP, r"PATTERN\r?$").why("to match \\r in the pattern"),
    },
];

/// Adds these options to the command. The help does not list them.
pub fn with_silent_flags(command: Command) -> Command {
    let silent =
        |name: &'static str| Arg::new(name).long(name).hide(true).action(ArgAction::SetTrue);
    let takes_back = |(name, others): &(&'static str, &'static [&'static str])| {
        silent(name).overrides_with_all(*others)
    };
    command.args(ANYWAY.iter().map(|name| silent(name))).args(TAKES_BACK.iter().map(takes_back))
}

/// Returns the error for an option of ripgrep that folio does not support.
pub fn refusal(flag: &str) -> Option<Error> {
    let refused = REFUSED.iter().find(|refused| refused.flags.contains(&flag))?;
    let message = format!("{flag} is not supported: {}", refused.why);
    Some(Error::usage(message).hint((refused.hint)()))
}
