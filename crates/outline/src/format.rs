//! Detects the format of a document from its name or its first bytes.

use std::ops::Range;
use std::path::Path;

use crate::formats::{
    AsciiDoc, CodeRules, FormatRules, Html, IniRules, KeyRules, Latex, Man, MarkdownRules,
    MarkupRules, Org, Rst, TextRules, is_roff,
};
use folio_keys::Syntax;
use folio_markdown::blocks::{Dialect, HeadingBlock, Sink};
use folio_markdown::scanner::Scanner;
use folio_symbols::Language;
use folio_text::ini_dialect::IniDialect;
use folio_text::lines::{Block, without_end};
use folio_text::logs::LogKind;
use folio_text::sections::{self, IniParser, LineKind};

/// A format whose parts folio can address. The table of formats defines the names, features and
/// parser of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// CommonMark, with front matter and GitHub's extensions.
    Markdown,
    /// Markdown with JSX and JavaScript.
    Mdx,
    /// INI: `[section]` markers and keys.
    Ini(IniDialect),
    /// reStructuredText.
    Rst,
    /// AsciiDoc.
    AsciiDoc,
    /// Org.
    Org,
    /// HTML.
    Html,
    /// Manual pages.
    Man,
    /// LaTeX.
    Latex,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// JSON, with the extensions of JSON5.
    Json,
    /// A JSON value per line.
    JsonLines,
    /// Shell assignments.
    Env,
    /// Java properties.
    Properties,
    /// Source code.
    Code(Language),
    /// Entries that begin with a time, or with `[LOG-`.
    Log(LogKind),
    /// Anything else.
    Text,
}

/// Elements that documents of a format may contain, and operations that folio supports for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Headings of levels 1 to 6.
    Headings,
    /// Code blocks.
    Code,
    /// A block of metadata at the top.
    FrontMatter,
    /// Anchors, such as ids and labels.
    Anchors,
    /// Links to files and anchors, which folio checks.
    Links,
    /// HTML tags and comments.
    Tags,
    /// Tables.
    Tables,
    /// Sections that begin with a marker, such as `[name]`, and contain keys.
    MarkedSections,
    /// Groups of blank lines and comment blocks.
    Groups,
    /// Edits may change how distant lines are parsed, so folio checks the structure after each
    /// edit.
    FarEffects,
}

/// The properties of a format.
#[derive(Clone, Copy)]
struct Row {
    name: &'static str,
    help: &'static str,
    /// Extensions in lower case, without the dot, separated by spaces.
    extensions: &'static str,
    /// File names in lower case, which take precedence over extensions, separated by spaces; `*`
    /// matches any text.
    names: &'static str,
    features: &'static [Feature],
    rules: &'static dyn FormatRules,
}

impl Row {
    /// Creates the row of a language of markup.
    const fn of_markup(
        name: &'static str,
        help: &'static str,
        extensions: &'static str,
        rules: &'static MarkupRules,
    ) -> Self {
        Self { name, help, extensions, names: "", features: MARKUP_FEATURES, rules }
    }

    /// Creates the row of a format whose documents are trees of keys.
    const fn of_keys(rules: &'static KeyRules) -> Self {
        let syntax = rules.0;
        let (name, help, extensions, names) = match syntax {
            Syntax::Toml => (
                "toml",
                "Tables and keys, by key path",
                "toml",
                "cargo.lock pipfile poetry.lock uv.lock pdm.lock",
            ),
            Syntax::Yaml => (
                "yaml",
                "Mappings and lists, by key path",
                "yaml yml",
                ".clang-format .clang-tidy .clangd .yamllint citation.cff",
            ),
            Syntax::Json => (
                "json",
                "Objects and lists, by key path; comments allowed",
                "json jsonc json5 webmanifest geojson ipynb code-workspace code-snippets sarif har",
                "composer.lock pipfile.lock flake.lock .babelrc .swcrc .jshintrc",
            ),
            Syntax::JsonLines => ("jsonl", "A JSON value per line", "jsonl ndjson", ""),
            Syntax::Env => ("env", "Assignments, as in .env", "env", ".env .env.*"),
            Syntax::Properties => ("properties", "Java properties", "properties", ""),
            Syntax::Ini(_) => {
                ("ini", "Sections after markers, with keys", INI_EXTENSIONS, INI_NAMES)
            }
        };
        Self { name, help, extensions, names, features: &[], rules }
    }
}

impl Row {
    /// Creates the row of source code.
    const fn of_code(language: Language) -> Self {
        Self {
            name: language.name(),
            help: match language {
                Language::Makefile => "Rules, by their targets",
                Language::Dockerfile => "Stages",
                Language::Sql => "Tables, functions and other objects that CREATE creates",
                _ => "Functions, types and other symbols",
            },
            extensions: language.extensions(),
            names: language.file_names(),
            features: &[Feature::Groups],
            rules: &CodeRules,
        }
    }
}

/// The rows of source code, in the order of the languages.
static CODE: [Row; Language::ALL.len()] = {
    let mut rows = [const { Row::of_code(Language::ALL[0]) }; Language::ALL.len()];
    let mut index = 0;
    while index < rows.len() {
        rows[index] = Row::of_code(Language::ALL[index]);
        index += 1;
    }
    rows
};

/// Extensions that several formats use, including INI. The content determines the format.
const OPEN_EXTENSIONS: &str = "conf cfg";

/// The sections of manual pages, which are also the numbers of old logs.
const MANUAL_EXTENSIONS: &str = "1 2 3 4 5 6 7 8 9";

const INI_EXTENSIONS: &str = "\
    ini editorconfig service socket timer mount automount swap target slice network \
    netdev desktop";

const INI_NAMES: &str = "\
    .gitconfig .gitmodules .npmrc .pypirc .flake8 .pylintrc .coveragerc .hgrc";

/// Names of text files whose comments begin with `#`.
const TEXT_NAMES: &str = "\
    justfile procfile jenkinsfile cmakelists.txt requirements*.txt constraints*.txt \
    robots.txt codeowners owners owners_aliases .gitignore .gitattributes .dockerignore .npmignore .ignore .rgignore \
    .mailmap .bash_* .inputrc .vimrc .netrc hosts \
    hosts.allow hosts.deny hosts.equiv hostname fstab mtab passwd group shadow gshadow subuid subgid crontab sudoers \
    profile environment services protocols networks rpc exports shells inputrc aliases \
    authorized_keys known_hosts ssh_config sshd_config";

/// Names of logs without the extension.
const LOG_NAMES: &str = "\
    syslog messages journal maillog dmesg *_log *-log access.log* error.log* catalina.out nohup.out";

const MARKDOWN_FEATURES: &[Feature] = &[
    Feature::Headings,
    Feature::Code,
    Feature::FrontMatter,
    Feature::Anchors,
    Feature::Links,
    Feature::Tags,
    Feature::Tables,
    Feature::FarEffects,
];

const MARKUP_FEATURES: &[Feature] =
    &[Feature::Headings, Feature::Code, Feature::Anchors, Feature::FarEffects];

impl Format {
    /// INI in its default dialect.
    pub const INI: Self = Self::Ini(IniDialect::Indented);

    /// Logs whose kind has not been determined from the content.
    pub const LOG: Self = Self::Log(LogKind::Marked);

    /// Every format. Text is the last one, because names of other formats match its patterns too.
    pub const ALL: &[Self] = &{
        const OTHERS: [Format; 16] = [
            Format::Markdown,
            Format::Mdx,
            Format::Rst,
            Format::AsciiDoc,
            Format::Org,
            Format::Html,
            Format::Man,
            Format::Latex,
            Format::Toml,
            Format::Yaml,
            Format::Json,
            Format::JsonLines,
            Format::INI,
            Format::Env,
            Format::Properties,
            Format::LOG,
        ];
        let mut all = [Self::Text; OTHERS.len() + Language::ALL.len() + 1];
        let mut index = 0;
        while index < all.len() - 1 {
            all[index] = match index.checked_sub(OTHERS.len()) {
                None => OTHERS[index],
                Some(language) => Self::Code(Language::ALL[language]),
            };
            index += 1;
        }
        all
    };

    const fn row(self) -> &'static Row {
        match self {
            Self::Markdown => &Row {
                name: "markdown",
                help: "Headings, code blocks, front matter",
                extensions: "md markdown",
                names: "",
                features: MARKDOWN_FEATURES,
                rules: &MarkdownRules(Dialect::Github),
            },
            Self::Mdx => &Row {
                name: "mdx",
                help: "Markdown with JSX and JavaScript",
                extensions: "mdx",
                names: "",
                features: MARKDOWN_FEATURES,
                rules: &MarkdownRules(Dialect::Mdx),
            },
            Self::Rst => {
                const { &Row::of_markup("rst", "reStructuredText", "rst rest", &MarkupRules(&Rst)) }
            }
            Self::AsciiDoc => {
                const {
                    &Row::of_markup(
                        "asciidoc",
                        "AsciiDoc",
                        "adoc asciidoc asc",
                        &MarkupRules(&AsciiDoc),
                    )
                }
            }
            Self::Org => const { &Row::of_markup("org", "Org", "org", &MarkupRules(&Org)) },
            Self::Html => {
                const {
                    &Row {
                        features: &[
                            Feature::Headings,
                            Feature::Code,
                            Feature::Anchors,
                            Feature::Tags,
                            Feature::FarEffects,
                        ],
                        ..Row::of_markup("html", "HTML", "html htm xhtml", &MarkupRules(&Html))
                    }
                }
            }
            Self::Man => {
                const { &Row::of_markup("man", "Manual pages", "man mdoc roff", &MarkupRules(&Man)) }
            }
            Self::Latex => {
                const { &Row::of_markup("latex", "LaTeX", "tex latex ltx sty", &MarkupRules(&Latex)) }
            }
            Self::Toml => const { &Row::of_keys(&KeyRules(Syntax::Toml)) },
            Self::Yaml => const { &Row::of_keys(&KeyRules(Syntax::Yaml)) },
            Self::Json => const { &Row::of_keys(&KeyRules(Syntax::Json)) },
            Self::JsonLines => const { &Row::of_keys(&KeyRules(Syntax::JsonLines)) },
            Self::Ini(_) => {
                const {
                    &Row {
                        features: &[Feature::MarkedSections, Feature::Groups],
                        rules: &IniRules,
                        ..Row::of_keys(&KeyRules(Syntax::Ini(IniDialect::Indented)))
                    }
                }
            }
            Self::Env => const { &Row::of_keys(&KeyRules(Syntax::Env)) },
            Self::Properties => const { &Row::of_keys(&KeyRules(Syntax::Properties)) },
            Self::Code(language) => &CODE[language as usize],
            Self::Log(_) => &Row {
                name: "log",
                help: "Entries that begin with a time, or with [LOG-",
                extensions: "log",
                names: LOG_NAMES,
                features: &[Feature::Groups],
                rules: &TextRules,
            },
            Self::Text => &Row {
                name: "text",
                help: "Anything else",
                extensions: "",
                names: TEXT_NAMES,
                features: &[Feature::Groups],
                rules: &TextRules,
            },
        }
    }

    /// Returns the name used on the command line and in results.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the format with this name, such as `markdown`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.name() == name)
    }

    /// Returns the name used in sentences.
    pub fn title(self) -> &'static str {
        match self {
            Self::Markdown => "Markdown",
            Self::Mdx => "MDX",
            Self::Rst => "reStructuredText",
            Self::AsciiDoc => "AsciiDoc",
            Self::Org => "Org",
            Self::Html => "HTML",
            Self::Man => "a manual page",
            Self::Latex => "LaTeX",
            Self::Toml => "TOML",
            Self::Yaml => "YAML",
            Self::Json => "JSON",
            Self::JsonLines => "JSON Lines",
            Self::Ini(_) => "INI",
            Self::Code(language) => language.title(),
            Self::Env | Self::Properties | Self::Log(_) | Self::Text => self.name(),
        }
    }

    /// Returns a short description.
    pub fn help(self) -> &'static str {
        self.row().help
    }

    /// Returns the language, if documents are source code.
    pub fn language(self) -> Option<Language> {
        match self {
            Self::Code(language) => Some(language),
            _ => None,
        }
    }

    /// Whether documents are source code.
    pub fn is_code(self) -> bool {
        self.language().is_some()
    }

    /// Whether the format has a feature.
    pub fn has(self, feature: Feature) -> bool {
        self.row().features.contains(&feature)
    }

    pub(crate) fn rules(self) -> &'static dyn FormatRules {
        self.row().rules
    }

    /// Whether the only sections are entries, which are not nested.
    pub fn has_only_entries(self) -> bool {
        self.rules().has_only_entries()
    }

    /// Returns the dialect, if the format is Markdown.
    pub fn dialect(self) -> Option<Dialect> {
        self.rules().dialect()
    }

    /// Returns the dialect of an INI file.
    pub fn ini_dialect(self) -> IniDialect {
        match self {
            Self::Ini(dialect) => dialect,
            _ => IniDialect::default(),
        }
    }

    /// Returns the format with the INI dialect of a path, if it is INI.
    pub fn with_dialect_of(self, path: &Path) -> Self {
        match self {
            Self::Ini(_) => Self::Ini(IniDialect::for_path(path)),
            _ => self,
        }
    }

    /// Returns the kind of a log.
    pub fn log_kind(self) -> LogKind {
        match self {
            Self::Log(kind) => kind,
            _ => LogKind::default(),
        }
    }

    /// Returns the format with the kind that the first bytes of a log determine, if it is a log.
    pub fn with_kind_of(self, head: &[u8]) -> Self {
        match self {
            Self::Log(_) => Self::Log(LogKind::of_log(head)),
            _ => self,
        }
    }

    /// Returns the syntax of keys, if documents can be parsed as trees of keys. The keys of light
    /// markup are lines, as those of INI are.
    pub fn syntax(self) -> Option<Syntax> {
        match self {
            Self::Ini(dialect) => Some(Syntax::Ini(dialect)),
            _ => self.rules().syntax().or_else(|| {
                let keys = self.rules().markup()?.keys()?;
                Some(Syntax::Ini(keys))
            }),
        }
    }

    /// Whether documents are trees of keys without sections. The sections of INI contain keys.
    pub fn is_tree(self) -> bool {
        self.rules().syntax().is_some()
    }

    /// Returns the format that a file name implies, or `None` if it depends on the content.
    ///
    /// `file_name` is the last component of the path. Case is ignored.
    pub fn by_name(file_name: &str) -> Option<Self> {
        let file_name = without_rotation(file_name);
        let parts = file_name.rsplit_once('.');
        let has =
            |known: &str| parts.is_some_and(|(_, extension)| known.eq_ignore_ascii_case(extension));
        let known = Self::ALL.iter().find(|format| words(format.row().extensions).any(has));
        // `.env.*` does not match names with the extension of another format.
        let is_called = |pattern: &str| {
            is_called(file_name, pattern) && !(pattern.ends_with(".*") && known.is_some())
        };
        let named = Self::ALL.iter().find(|format| words(format.row().names).any(is_called));
        if named.is_some() {
            return named.copied();
        }
        let (stem, extension) = parts?;
        match known {
            Some(&format) => Some(format),
            // A leading dot does not begin an extension.
            None if stem.is_empty() || extension.eq_ignore_ascii_case("txt") => None,
            None if has_extension(file_name, OPEN_EXTENSIONS) => None,
            None if has_extension(file_name, MANUAL_EXTENSIONS) => None,
            None => Some(Self::Text),
        }
    }

    /// Whether plain text with this name may be INI. Returns `false` if the content was already
    /// found not to be INI.
    pub fn may_be_ini(file_name: &str) -> bool {
        !has_extension(file_name, OPEN_EXTENSIONS) && !has_extension(file_name, "xml")
    }

    /// Whether the format that a file name implies has a feature.
    pub fn name_has(file_name: &str, feature: Feature) -> bool {
        Self::by_name(file_name).is_some_and(|format| format.has(feature))
    }

    /// Detects the format from the first bytes of a document, decoded, if the name does not imply
    /// one.
    pub fn by_content(file_name: &str, head: &[u8]) -> Self {
        if head.starts_with(b"#!") {
            let first = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
            return Language::of_script(first).map_or(Self::Text, Self::Code);
        }
        if has_extension(file_name, MANUAL_EXTENSIONS) {
            return if is_roff(head) { Self::Man } else { Self::Text };
        }
        if has_extension(file_name, OPEN_EXTENSIONS) {
            return if is_ini(head) { Self::INI } else { Self::Text };
        }
        if begins_as_ini(head) {
            return if file_name == PIPE && is_toml(head) { Self::Toml } else { Self::INI };
        }
        if let Some(format) = json(head).filter(|_| file_name == PIPE) {
            return format;
        }
        let first = head.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
        if first.is_some_and(sections::is_log_entry) {
            return Self::LOG;
        }
        if let Some(kind) = LogKind::of_text(head) {
            return Self::Log(kind);
        }
        let headings = Headings::scan(head);
        let is_prose = words(PROSE).any(|pattern| is_called(file_name, pattern));
        let is_markdown = match file_name {
            PIPE => headings.apart + headings.touching > 0,
            _ => headings.are_of_markdown(is_prose),
        };
        if is_markdown { Self::Markdown } else { Self::Text }
    }
}

/// Returns the name of a log before it was rotated: `a.log` for `a.log.1` and `a.log-20260105`.
fn without_rotation(file_name: &str) -> &str {
    let name = file_name.trim_end_matches(|it: char| it.is_ascii_digit() || "-._".contains(it));
    let is_log = |name: &str| {
        has_extension(name, "log") || words(LOG_NAMES).any(|pattern| is_called(name, pattern))
    };
    if is_log(name) { name } else { file_name }
}

/// Whether text that could be INI is TOML with a string or list.
fn is_toml(head: &[u8]) -> bool {
    let has_value = |line: &[u8]| {
        let value = memchr::memchr(b'=', line).map(|at| line[at + 1..].trim_ascii_start());
        value.is_some_and(|value| value.starts_with(b"\"") || value.starts_with(b"["))
    };
    head.split(|&byte| byte == b'\n').any(has_value)
        && folio_keys::parse(Syntax::Toml, head).is_ok()
}

/// Returns the format of text that begins with a JSON object or with a list of them.
fn json(head: &[u8]) -> Option<Format> {
    let mut marks = head.iter().filter(|byte| !byte.is_ascii_whitespace());
    let is_json = matches!((marks.next()?, marks.next()?), (b'{', b'"' | b'}') | (b'[', b'{'));
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let mut lines = lines.filter(|line| !line.is_empty());
    let is_object = |line: &[u8]| line.starts_with(b"{") && line.ends_with(b"}");
    let are_lines = lines.next().is_some_and(is_object) && lines.next().is_some();
    let format = if are_lines { Format::JsonLines } else { Format::Json };
    // The head of a long document is not valid itself.
    let is_valid = head.len() > 16 << 10 || folio_keys::parse(format.syntax()?, head).is_ok();
    (is_json && is_valid).then_some(format)
}

/// Whether the text begins with a marker and a key below it, possibly after comments.
fn begins_as_ini(head: &[u8]) -> bool {
    let mut marker_seen = false;
    for line in head.split(|&byte| byte == b'\n') {
        match sections::ini_line(line.strip_suffix(b"\r").unwrap_or(line), IniDialect::default()) {
            LineKind::Blank | LineKind::Comment(_) => {}
            LineKind::Marker(_) => marker_seen = true,
            LineKind::Key(_) if marker_seen => return true,
            LineKind::Key(_) => {}
            LineKind::Other | LineKind::Value => return false,
        }
    }
    false
}

/// Whether the lines look like INI: most lines are `[section]` or `key = value`, and there are no
/// `{ … }` blocks. A file that contains only comments is INI.
fn is_ini(head: &[u8]) -> bool {
    let mut parser = IniParser::default();
    let (mut lines, mut keys, mut has_marker) = (0, 0, false);
    for line in head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end) {
        let kind = parser.line(line);
        let is_key = match &kind {
            LineKind::Blank | LineKind::Comment(_) | LineKind::Value => continue,
            LineKind::Marker(_) => {
                has_marker = true;
                continue;
            }
            LineKind::Key(parts) => is_key_of_ini(line, &parts.name),
            LineKind::Other => false,
        };
        if line.ends_with(b"{") || matches!(line.trim_ascii_start(), b"}" | b"};") {
            return false;
        }
        lines += 1;
        keys += usize::from(is_key);
    }
    has_marker || 2 * keys > lines || lines == 0
}

/// Whether the name of the key consists of ordinary characters. `<tag name="x">`, for example, has
/// no such name.
fn is_key_of_ini(line: &[u8], name: &Range<usize>) -> bool {
    let separator = line[name.end..].trim_ascii_start().first();
    let is_part = |byte: &u8| match byte {
        b' ' => separator == Some(&b'='),
        _ => byte.is_ascii_alphanumeric() || b"_-./".contains(byte),
    };
    matches!(separator, Some(b'=' | b':')) && line[name.clone()].iter().all(is_part)
}

/// The name of standard input. A text from standard input is Markdown if it contains a heading.
const PIPE: &str = "-";

/// Names of prose documents, in which headings need not be surrounded by blank lines.
const PROSE: &str = "\
    readme* changelog* changes* contributing* history* news* notes* todo* install* authors* \
    license* copying*";

/// Splits a list at spaces.
fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
}

fn has_extension(file_name: &str, extensions: &'static str) -> bool {
    let extension = file_name.rsplit_once('.').map_or("", |(_, extension)| extension);
    words(extensions).any(|known| known.eq_ignore_ascii_case(extension))
}

/// Whether a file name matches a pattern that may contain one `*`, ignoring case.
fn is_called(file_name: &str, pattern: &str) -> bool {
    let (name, pattern) = (file_name.as_bytes(), pattern.as_bytes());
    // Every file name is compared with many patterns. Most differ in the first character.
    if let ([name, ..], [first, ..]) = (name, pattern)
        && *first != b'*'
        && !name.eq_ignore_ascii_case(first)
    {
        return false;
    }
    let Some(star) = pattern.iter().position(|byte| *byte == b'*') else {
        return name.eq_ignore_ascii_case(pattern);
    };
    let (start, end) = (&pattern[..star], &pattern[star + 1..]);
    name.len() >= start.len() + end.len()
        && name[..start.len()].eq_ignore_ascii_case(start)
        && name[name.len() - end.len()..].eq_ignore_ascii_case(end)
}

/// Statistics of lines that may be headings. In other formats, `# ` begins a comment.
#[derive(Default)]
struct Headings {
    /// Whether the text contains an element that comments do not have: an underline, a deeper
    /// heading, a link or a fence.
    has_syntax: bool,
    /// Number of such lines with blank lines on both sides.
    apart: usize,
    /// Number of such lines next to other lines.
    touching: usize,
    /// Number of such lines next to another one of the same level.
    in_blocks: usize,
    /// Number of such lines that end in sentence punctuation.
    sentences: usize,
}

impl Headings {
    fn scan(head: &[u8]) -> Self {
        let lines = Lines(head.split(|&byte| byte == b'\n').collect());
        let mut sink = HeadingSink { lines, found: Self::default() };
        let mut scanner = Scanner::new();
        scanner.scan(&Block::new(head, 0), &mut sink);
        let holds = |mark: &[u8]| memchr::memmem::find(head, mark).is_some();
        let has_syntax = sink.found.has_syntax || holds(b"](") || holds(b"\n```");
        Self { has_syntax, ..sink.found }
    }

    fn are_of_markdown(&self, is_prose: bool) -> bool {
        let are_blocks = self.in_blocks > 0 && self.apart <= self.touching;
        if are_blocks || self.apart + self.touching == 0 {
            return false;
        }
        let are_titles = self.touching == 0 && self.sentences == 0;
        is_prose || (self.apart > 0 && (self.has_syntax || are_titles))
    }
}

struct Lines<'a>(Vec<&'a [u8]>);

impl Lines<'_> {
    /// Returns a line by number, from 1. Lines outside the text are empty.
    fn get(&self, number: u64) -> &[u8] {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        index.and_then(|index| self.0.get(index)).map_or(b"", |line| line.trim_ascii())
    }
}

struct HeadingSink<'a> {
    lines: Lines<'a>,
    found: Headings,
}

impl Sink for HeadingSink<'_> {
    fn heading(&mut self, heading: HeadingBlock<'_>) {
        let found = &mut self.found;
        let is_underlined = heading.last_line > heading.line;
        found.has_syntax |= is_underlined || heading.level > 1;
        let before = self.lines.get(heading.line.saturating_sub(1));
        let after = self.lines.get(heading.last_line + 1);
        if is_underlined || (before.is_empty() && after.is_empty()) {
            found.apart += 1;
        } else {
            found.touching += 1;
        }
        let is_alike = |line: &[u8]| {
            line.iter().take_while(|&&byte| byte == b'#').count() == usize::from(heading.level)
        };
        found.in_blocks += usize::from(is_alike(before) || is_alike(after));
        let last = without_end(heading.content).trim_ascii_end().last();
        found.sentences += usize::from(last.is_some_and(|byte| b".:;".contains(byte)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_imply_formats() {
        assert_eq!(Format::by_name("README.MD"), Some(Format::Markdown));
        assert_eq!(Format::by_name(".editorconfig"), Some(Format::INI));
        assert_eq!(Format::by_name("a.rs"), Some(Format::Code(Language::Rust)));
        assert_eq!(Format::by_name("a.zig"), Some(Format::Text));
        assert_eq!(Format::by_name("a.txt"), None);
        assert_eq!(Format::by_name("README"), None);
        assert_eq!(Format::by_name(".unknownrc"), None);
    }

    #[test]
    fn well_known_names_imply_formats_without_an_extension() {
        for name in ["justfile", ".gitignore", "requirements-dev.txt", "OWNERS"] {
            assert_eq!(Format::by_name(name), Some(Format::Text), "{name}");
        }
        for (name, language) in [
            ("makefile", Language::Makefile),
            ("rules.mk", Language::Makefile),
            ("Dockerfile", Language::Dockerfile),
            ("Dockerfile.dev", Language::Dockerfile),
            ("web.Dockerfile", Language::Dockerfile),
            ("schema.SQL", Language::Sql),
        ] {
            assert_eq!(Format::by_name(name), Some(Format::Code(language)), "{name}");
        }
        assert_eq!(Format::by_name("Dockerfile.md"), Some(Format::Markdown));
        for name in ["hosts.yml", ".env.yml"] {
            assert_eq!(Format::by_name(name), Some(Format::Yaml), "{name}");
        }
        for name in ["folio.service", ".gitmodules", "hosts.ini"] {
            assert_eq!(Format::by_name(name), Some(Format::INI), "{name}");
        }
        for name in [".env", ".env.local"] {
            assert_eq!(Format::by_name(name), Some(Format::Env), "{name}");
        }
        for name in ["requirements", "ghosts", "requirements.md.txt.bak~", "README", "notes.txt"] {
            assert!(!matches!(Format::by_name(name), Some(Format::INI)), "{name}");
        }
        assert_eq!(Format::by_name("requirements.md"), Some(Format::Markdown));
        assert_eq!(Format::by_name("notes.txt"), None);
    }

    #[test]
    fn names_of_rotated_logs_imply_logs() {
        for name in [
            "a.log",
            "a.log.1",
            "A.LOG-20260105",
            "syslog.2",
            "messages",
            "access_log",
            "a.2026-01-05.log",
        ] {
            assert_eq!(Format::by_name(name), Some(Format::LOG), "{name}");
        }
        for name in ["a.rs.1", "changelog.md", "catalog.rs", "a.log.rs", "log", "1"] {
            assert_ne!(Format::by_name(name), Some(Format::LOG), "{name}");
        }
        assert_eq!(Format::by_name("changelog"), None);
    }

    #[track_caller]
    fn check(head: &str, expected: Format) {
        assert_eq!(Format::by_content("a", head.as_bytes()), expected, "{head:?}");
    }

    #[test]
    fn comments_are_not_headings() {
        check("#!/bin/sh\n\n# Title\n\n## Part\n", Format::Code(Language::Bash));
        check("#!/bin/awk -f\n\n# Title\n\n## Part\n", Format::Text);
        check("# This file is\n# made by hand\n\nx y\n", Format::Text);
        check("# allow x\nx\n\n# allow y\ny\n", Format::Text);
        check("# Title\n\n# one\nx\n# two\ny\n", Format::Text);
        check("##\n## Title\n##\n\nx y\n", Format::Text);
        check("# Sourced by others, not run.\n\n# Options:\n\nA=b\n", Format::Text);
        check("# A\n\nx\n\n# B\n\ny\n", Format::Markdown);
        check("# A\n\n[x](y)\n\n# B\nz\n", Format::Markdown);
        check("# A\n\nx\n## B\ny\n## C\nz\n", Format::Markdown);
        check("Title\n=====\ntext\n", Format::Markdown);
        for (head, expected) in [
            ("{ \"a\": 1 }\n", Format::Json),
            ("[\n  {}]\n", Format::Json),
            ("{\"quoted\"} text\n", Format::Text),
            ("\n{\"a\": 1}\n{\"a\": 2}\n", Format::JsonLines),
            ("{a}\n", Format::Text),
            ("[a]\nb = \"c\"\n", Format::Toml),
            ("[a]\nb = c\n", Format::INI),
        ] {
            assert_eq!(Format::by_content("-", head.as_bytes()), expected, "{head}");
        }
        let prose = |name| Format::by_content(name, b"# Title\ntext\n");
        assert_eq!(prose("README"), Format::Markdown);
        assert_eq!(prose("readme.txt"), Format::Markdown);
        assert_eq!(prose("-"), Format::Markdown);
        assert_eq!(prose("login"), Format::Text);
        let comments = Format::by_content("README", b"# Scripts here are\n# run by others\n");
        assert_eq!(comments, Format::Text);
    }

    #[test]
    fn conf_and_cfg_are_ini_only_by_their_content() {
        for name in ["nginx.conf", "SETUP.CFG"] {
            assert_eq!(Format::by_name(name), None, "{name}");
        }
        for (head, expected) in [
            ("[a]\nb\nc d\n", Format::INI),
            ("# sysctl\nnet.ipv4.ip_forward = 1\nvm/swappiness=10\nodd line\n", Format::INI),
            ("Config: x\n", Format::INI),
            ("; nothing yet\n", Format::INI),
            ("", Format::INI),
            ("user www;\nhttp {\n  gzip on;\n}\n", Format::Text),
            ("[defaults]\n  a = {\n    b = 1\n  }\n", Format::Text),
            ("pcm.!default {\n\ttype hw\n}\n", Format::Text),
            ("<?xml version=\"1.0\"?>\n<a b=\"c\">\n<d e=\"f\"/>\n</a>\n", Format::Text),
            ("nameserver 2001:db8::1\nnameserver 10.0.0.1\n", Format::Text),
            ("port 6379\nbind 127.0.0.1\n", Format::Text),
            ("# Title\n\ntext\n", Format::Text),
        ] {
            assert_eq!(Format::by_content("a.conf", head.as_bytes()), expected, "{head:?}");
        }
    }

    #[test]
    fn content_determines_the_format_if_the_name_does_not() {
        check("[core]\n\teditor = vim\n", Format::INI);
        check("# comment\n\nroot = true\n[*]\nindent = 2\n", Format::INI);
        check("\n[LOG-001] - start\ntext\n", Format::LOG);
        let java = "2026-01-05 10:00:00,1 [main] INFO a\n";
        check(&java.repeat(2), Format::Log(LogKind::Java));
        check("2026-01-05 Version 2\n2026-01-04 Version 1\n", Format::Text);
        check(&format!("# Title\n\n{}", java.repeat(2)), Format::Markdown);
        check("Intro\n\n# Title\n", Format::Markdown);
        check("Title\n=====\n", Format::Markdown);
        check("```\n# not one\n```\n", Format::Text);
        check("[link]: x\nprose\n", Format::Text);
        check("", Format::Text);
    }
}
