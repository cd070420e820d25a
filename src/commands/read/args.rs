//! The flags of `read`.

use std::ffi::OsString;

use clap::Args;

use super::{End, MatchFlag, ReadOptions, SectionFlag, Selection, Target, wire};
use crate::commands::line_matcher::{self, LineMatcher};
use crate::commands::misses::Flag;
use crate::commands::output::Style;
use crate::commands::shared_args::{
    DocumentArgs, OutputArgs, PatternArgs, RootArgs, code_block, contradiction, empty_flag,
    flag_error, section_patterns, target_error,
};
use crate::error::{Code, Error};
use crate::text::pattern::Pattern;
use crate::text::span::parse_line_ranges;
use crate::text::target::Extent;

/// What `--help` opens with.
pub const ABOUT: &str =
    "Print a part of a file: lines, a section, a code block, a key, to the next match";

/// The long help's opening.
pub const LONG_ABOUT: &str = "\
Print a part of a file, exactly as it stands there.

  folio read README.md --section Installation     a heading's section
  folio read WORK.md:120 --to-next '^\\[LOG-'      from a line to the next match

The two-step workflow: find a line, then read to the next boundary.
  1. folio inspect --mode search --query '[DECISION]' WORK.md     WORK.md:120:[LOG-015] …
  2. folio read WORK.md:120 --to-next '^\\[LOG-'                    lines 120-144
The line that matches begins the next part and is not printed; without a match
the part runs to the end of the file.

Common boundary patterns:
  '^#+ '      headings of any level         '^\\[LOG-'    log entries
  '^## '      headings of level 2           '^$'         blank lines (a paragraph)
  '</section>'  a closing tag

When not to: when the last line is known (FILE:120-144), for a whole small file
(FILE), for a sample (--head, --tail), for a section by its name (--section).";

/// The long help's end.
pub const AFTER_HELP: &str = "\
Addresses:
  FILE  FILE:120  FILE:120-144  FILE:120-  FILE:50-60,100-110  FILE#L10-L20
  FILE#installation    a heading by its GitHub slug, or an explicit anchor

Examples:
  folio read app.ini --section database --key host --value
  folio read README.md --code-block bash:0 | sh
  folio read README.md --section 'Guide > Install' --json
  rg -n TODO docs | folio read --addresses-from - --section-context

Exit status: 0 done, 1 no such part, 2 trouble, 3 several candidates.";

/// The flags, in the order of help.
#[derive(Args, Debug)]
pub struct ReadArgs {
    /// Files and parts of files; - is standard input
    #[arg(value_name = "ADDRESS", value_hint = clap::ValueHint::FilePath)]
    pub addresses: Vec<OsString>,

    /// Start at this line
    #[arg(long, value_name = "LINE", help_heading = "From a line")]
    pub from: Option<u64>,
    /// End before the next line that matches
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true, help_heading = "From a line")]
    pub to_next: Option<String>,
    /// End with the innermost section that holds the first line
    #[arg(long, help_heading = "From a line")]
    pub to_section_end: bool,
    /// End after this many lines
    #[arg(long, value_name = "N", help_heading = "From a line")]
    pub limit: Option<u64>,
    /// Let --to-next pass over code blocks
    #[arg(long, help_heading = "From a line")]
    pub outside_code: bool,
    /// The whole innermost section that holds the line
    #[arg(short = 'W', long, help_heading = "From a line")]
    pub section_context: bool,
    /// The first lines
    #[arg(long, value_name = "N", help_heading = "From a line")]
    pub head: Option<u64>,
    /// The last lines
    #[arg(long, value_name = "N", help_heading = "From a line")]
    pub tail: Option<u64>,

    /// Lines: 10, 10-50, 10-, 50-60,100-110
    #[arg(
        long,
        value_name = "RANGES",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub lines: Option<String>,
    /// A section by its name
    #[arg(help = "A heading with its body, an INI section, a log entry; also 'Guide > Install', \
                'Setup[2]'")]
    #[arg(
        long,
        value_name = "NAME",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub section: Option<String>,
    /// The same without its first line
    #[arg(
        long,
        value_name = "NAME",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub body: Option<String>,
    /// As --section
    #[arg(
        long,
        value_name = "NAME",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub heading: Option<String>,
    /// What stands between the fences of a code block, counted from 0; LANG:N counts one language
    #[arg(
        long,
        value_name = "N",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub code_block: Option<String>,
    /// What #ID leads to
    #[arg(
        long,
        value_name = "ID",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub anchor: Option<String>,
    /// Front matter
    #[arg(long, help_heading = "Targets (one of them)")]
    pub front_matter: bool,
    /// The first line that holds a text
    #[arg(
        long,
        value_name = "STRING",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub text: Option<String>,
    /// The first line that matches
    #[arg(
        long,
        value_name = "REGEX",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub pattern: Option<String>,
    /// Short for --text STRING -C 5
    #[arg(
        long,
        value_name = "STRING",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub search: Option<String>,
    /// A target as JSON: {"heading":"Install"}
    #[arg(
        long,
        value_name = "JSON",
        allow_hyphen_values = true,
        help_heading = "Targets (one of them)"
    )]
    pub target: Option<String>,

    /// Look for the target in this section only
    #[arg(
        long = "in",
        value_name = "SECTION",
        allow_hyphen_values = true,
        help_heading = "About targets"
    )]
    pub within: Option<String>,
    /// Leave out the sections below a heading
    #[arg(long, help_heading = "About targets")]
    pub no_children: bool,
    /// A key of the INI section or front matter
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, help_heading = "About targets")]
    pub key: Option<String>,
    /// The value of the key alone
    #[arg(long, help_heading = "About targets")]
    pub value: bool,
    /// The fences of the code block too
    #[arg(long, help_heading = "About targets")]
    pub fences: bool,
    /// Lines to print around a match
    #[arg(short = 'C', long, value_name = "N", help_heading = "About targets")]
    pub context: Option<u64>,
    /// Lines that begin a section, in place of ^\[LOG-
    #[arg(long, value_name = "REGEX", allow_hyphen_values = true, help_heading = "About targets")]
    pub section_pattern: Vec<String>,

    /// Read the addresses that begin the lines of a file (- for standard input)
    #[arg(long, value_name = "FILE")]
    #[arg(help_heading = "Many parts", value_hint = clap::ValueHint::FilePath)]
    pub addresses_from: Option<OsString>,
    /// The lines of --addresses-from end with NUL: ADDRESS NUL TEXT NUL
    #[arg(short = '0', long = "null", help_heading = "Many parts")]
    pub null: bool,
    /// Read what JSON Lines ask for: {"address":…} or {"filePath":…,"target":…}
    #[arg(long, value_name = "FILE")]
    #[arg(help_heading = "Many parts", value_hint = clap::ValueHint::FilePath)]
    pub batch: Option<OsString>,

    /// Cut a part after this many lines
    #[arg(long, value_name = "N", help_heading = "Printing")]
    pub max_lines: Option<u64>,
    /// Cut a part after this many bytes, between lines
    #[arg(long, value_name = "N", help_heading = "Printing")]
    pub max_bytes: Option<u64>,
    /// Number the lines
    #[arg(short = 'n', long, help_heading = "Printing")]
    pub number: bool,
    /// Show tabs, line ends, no-break and zero-width characters, the BOM
    #[arg(long, help_heading = "Printing")]
    pub show_whitespace: bool,
    /// Print only the checksum and address of each part; in JSON, add the file's checksum
    #[arg(long, help_heading = "Printing")]
    pub checksum: bool,
    /// Print the file's bytes as they are, UTF-16 too
    #[arg(long, help_heading = "Printing")]
    pub raw: bool,
    /// Do not read on to count the file's lines
    #[arg(long, help_heading = "Printing")]
    pub no_total: bool,
    /// Find a file that does not exist by its name, if only one below here has it
    #[arg(long, help_heading = "Printing")]
    pub resolve: bool,

    /// How patterns are meant.
    #[command(flatten)]
    pub patterns: PatternArgs,
    /// How documents are taken.
    #[command(flatten)]
    pub documents: DocumentArgs,
    /// Where files may be.
    #[command(flatten)]
    pub roots: RootArgs,
    /// How output is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

impl ReadArgs {
    /// What these flags ask for of every address.
    pub fn selection(&self) -> Result<Selection, Error> {
        let mut parts = self.parts()?;
        self.refuse_strays()?;
        if let [(first, _), (second, _), ..] = parts[..] {
            return Err(contradiction(first, second));
        }
        let selection = parts.pop().map(|(_, selection)| selection);
        match (selection, self.from) {
            (None, None) => Ok(Selection::Address),
            (None, Some(line)) => Ok(Selection::From { start: Some(line), end: End::FileEnd }),
            (Some(Selection::From { end, .. }), start) => Ok(Selection::From { start, end }),
            (Some(Selection::SectionAround(_)), start) => Ok(Selection::SectionAround(start)),
            (Some(Selection::Head(_)), Some(_)) => Err(contradiction("--from", "--head")
                .hint("--from N --limit M  # so many lines from there on")),
            (Some(Selection::Tail(_)), Some(_)) => Err(contradiction("--from", "--tail")),
            (Some(selection), None) => Ok(selection),
            (Some(_), Some(_)) => Err(contradiction("--from", self.target_flag())),
        }
    }

    /// Everything that says which part is meant, by the flag that says it.
    fn parts(&self) -> Result<Vec<(&'static str, Selection)>, Error> {
        let mut parts: Vec<(&'static str, Selection)> = Vec::new();
        if let Some(source) = &self.to_next {
            if source.is_empty() {
                return Err(
                    empty_flag("--to-next").hint("--to-next '^$'  # to stop at a blank line")
                );
            }
            let pattern = Pattern::new(source, self.patterns.options())
                .map_err(|error| flag_error("--to-next", Error::from(error)))?;
            let end = End::ToNext { pattern, outside_code: self.outside_code };
            parts.push(("--to-next", Selection::From { start: None, end }));
        }
        if self.to_section_end {
            parts.push(("--to-section-end", Selection::From { start: None, end: End::SectionEnd }));
        }
        if let Some(limit) = self.limit {
            if limit == 0 {
                return Err(Error::usage("--limit 0 would read nothing: it is at least 1"));
            }
            parts.push(("--limit", Selection::From { start: None, end: End::Limit(limit) }));
        }
        if self.section_context {
            parts.push(("--section-context", Selection::SectionAround(None)));
        }
        if let Some(count) = self.head {
            parts.push(("--head", Selection::Head(count)));
        }
        if let Some(count) = self.tail {
            parts.push(("--tail", Selection::Tail(count)));
        }
        for (flag, target) in self.targets()? {
            parts.push((flag, Selection::Target(target)));
        }
        Ok(parts)
    }

    fn targets(&self) -> Result<Vec<(&'static str, Target)>, Error> {
        let mut targets = Vec::new();
        if let Some(text) = &self.lines {
            if self.within.is_some() {
                return Err(contradiction("--in", "--lines")
                    .hint("leave --in out  # the numbers of lines are those of the file"));
            }
            let ranges = parse_line_ranges(text)
                .map_err(|message| Error::new(Code::InvalidRange, format!("--lines: {message}")))?;
            targets.push(("--lines", Target::Lines(ranges)));
        }
        match (&self.section, &self.key) {
            (section, Some(key)) if !self.front_matter => {
                if let (Some(_), Some(_)) = (section, &self.within) {
                    return Err(contradiction("--in", "--section with --key"));
                }
                let flag = if section.is_some() { "--section" } else { "--key" };
                let section = section.as_ref().or(self.within.as_ref());
                let target =
                    Target::Key { section: section.cloned(), key: key.clone(), value: self.value };
                targets.push((flag, target));
            }
            (Some(name), _) => {
                targets.push(("--section", self.section_target(name, SectionFlag::Section)))
            }
            (None, _) => {}
        }
        if let Some(name) = &self.body {
            targets.push(("--body", self.section_target(name, SectionFlag::Body)));
        }
        if let Some(name) = &self.heading {
            targets.push(("--heading", self.section_target(name, SectionFlag::Heading)));
        }
        if let Some(block) = &self.code_block {
            let (language, index) = code_block(block)?;
            let fences = self.fences;
            targets.push(("--code-block", Target::CodeBlock { language, index, fences }));
        }
        if let Some(id) = &self.anchor {
            let id = id.strip_prefix('#').unwrap_or(id).to_owned();
            targets.push(("--anchor", Target::Anchor(id)));
        }
        if self.front_matter {
            targets.push((
                "--front-matter",
                Target::FrontMatter { key: self.key.clone(), value: self.value },
            ));
        }
        for (flag, source, kind, literal, context) in [
            ("--text", &self.text, MatchFlag::Text, true, 0),
            ("--pattern", &self.pattern, MatchFlag::Pattern, false, 0),
            ("--search", &self.search, MatchFlag::Search, true, 5),
        ] {
            let Some(source) = source else { continue };
            targets.push((
                flag,
                Target::Match {
                    matcher: self.matcher_of(flag, source, literal)?,
                    query: source.clone(),
                    flag: kind,
                    context: self.context.unwrap_or(context),
                },
            ));
        }
        if let Some(json) = &self.target {
            match wire::selection(json, &self.patterns.options()).map_err(target_error)? {
                Selection::Target(target) => targets.push(("--target", target)),
                _ => {
                    return Err(Error::usage("--target: it names no part of a file")
                        .hint(r#"a target is like {"section":"Install"} or {"lines":{"start":1,"end":9}}"#));
                }
            }
        }
        Ok(targets)
    }

    fn section_target(&self, name: &str, flag: SectionFlag) -> Target {
        let extent = Extent::of(flag == SectionFlag::Body, !self.no_children);
        Target::Section { name: name.to_owned(), extent, flag }
    }

    fn matcher_of(&self, flag: &str, source: &str, literal: bool) -> Result<LineMatcher, Error> {
        if source.is_empty() {
            return Err(empty_flag(flag));
        }
        let mut options = self.patterns.options();
        options.fixed |= literal;
        LineMatcher::new(&[source], options, line_matcher::Extent::Line)
            .map_err(|error| flag_error(flag, error))
    }

    /// The flag of the first target, for a message.
    fn target_flag(&self) -> &'static str {
        self.targets()
            .ok()
            .and_then(|targets| targets.first().map(|(flag, _)| *flag))
            .unwrap_or("a target")
    }

    /// Flags that change something that is not asked for.
    fn refuse_strays(&self) -> Result<(), Error> {
        if self.within.as_deref() == Some("") {
            return Err(empty_flag("--in"));
        }
        let section = self.section.is_some() || self.body.is_some() || self.heading.is_some();
        let matching = self.text.is_some() || self.pattern.is_some() || self.search.is_some();
        let target = section
            || matching
            || self.code_block.is_some()
            || self.anchor.is_some()
            || self.target.is_some();
        let region = target
            || self.key.is_some()
            || self.lines.is_some()
            || self.head.is_some()
            || self.tail.is_some();
        let key = self.section.is_some() && self.key.is_some();
        let checks = [
            (self.outside_code && self.to_next.is_none(), "--outside-code", "--to-next"),
            (
                self.no_children && (!section || key),
                "--no-children",
                "--section, --body or --heading",
            ),
            (self.fences && self.code_block.is_none(), "--fences", "--code-block"),
            (self.value && self.key.is_none(), "--value", "--key"),
            (self.context.is_some() && !matching, "--context", "--text, --pattern or --search"),
            (self.null && self.addresses_from.is_none(), "--null", "--addresses-from"),
            (
                self.within.is_some() && !region,
                "--in",
                "a target such as --section or --code-block, or --head or --tail",
            ),
        ];
        for (stray, flag, needs) in checks {
            if stray {
                return Err(Error::usage(format!("{flag} needs {needs}")));
            }
        }
        let patterns = self.to_next.is_some() || matching || self.target.is_some();
        if let Some(flag) = self.patterns.given().filter(|_| !patterns) {
            return Err(Error::usage(format!(
                "{flag} needs a pattern: --to-next, --text, --pattern or --search"
            )));
        }
        Ok(())
    }

    /// The flags that say how documents are taken, as they are typed.
    pub fn of_documents(&self) -> Vec<Flag> {
        let patterns = self.section_pattern.iter();
        let patterns = patterns.map(|pattern| vec!["--section-pattern".into(), pattern.into()]);
        self.documents.flags().into_iter().chain(patterns).collect()
    }

    /// What holds for every part.
    pub fn options(&self, style: Style) -> Result<ReadOptions, Error> {
        let text_only = [
            (self.number, "--number"),
            (self.show_whitespace, "--show-whitespace"),
            (self.raw, "--raw"),
        ];
        for (given, flag) in text_only {
            if given && style.json {
                return Err(contradiction(flag, "--json"));
            }
            if given && self.checksum {
                return Err(contradiction(flag, "--checksum"));
            }
        }
        if self.raw && (self.number || self.show_whitespace) {
            let other = if self.number { "--number" } else { "--show-whitespace" };
            return Err(contradiction("--raw", other));
        }
        if self.no_total && !style.json {
            return Err(Error::usage("--no-total needs --json: text never reads on"));
        }
        for (limit, flag) in [(self.max_lines, "--max-lines"), (self.max_bytes, "--max-bytes")] {
            if limit == Some(0) {
                return Err(Error::usage(format!(
                    "{flag} 0 would print nothing: it is at least 1"
                )));
            }
        }
        Ok(ReadOptions {
            max_lines: self.max_lines,
            max_bytes: self.max_bytes,
            raw: self.raw,
            total: style.json && !self.no_total,
            file_checksum: self.checksum && style.json,
            checksum: self.checksum || style.json,
            entries: section_patterns(&self.section_pattern)?,
        })
    }
}
