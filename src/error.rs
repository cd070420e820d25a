//! What went wrong, why, and what to type instead; and what that means for the
//! exit status.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use schemars::JsonSchema;

/// What to do where the system opens no more files.
const TOO_MANY_FILES: &str = "ulimit -Hn  # how many files a run may have open, two for each that it edits: edit fewer at once";

/// A kind of failure; its name is part of the interface.
#[derive(JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
#[schemars(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The document has no such part.
    TargetNotFound,
    /// The line is past the end.
    LineOutOfRange,
    /// No such file.
    NotFound,
    /// The system does not let it be read.
    PermissionDenied,
    /// A directory, where a file is needed.
    NotAFile,
    /// Not text.
    BinaryFile,
    /// The command line does not make sense.
    InvalidArgument,
    /// Not a range of lines.
    InvalidRange,
    /// A pattern that does not compile.
    InvalidPattern,
    /// A label that names no encoding.
    UnsupportedEncoding,
    /// Something failed while reading or writing.
    IoError,
    /// Several parts have the name.
    TargetAmbiguous,
    /// Several files have the name.
    AmbiguousPath,
    /// The path lies below none of the directories that files may be in.
    OutsideRoot,
    /// A symbolic link leads out of the directory that files may be in.
    SymlinkEscape,
    /// The file is not what it was a moment ago.
    FileChanged,
    /// What an edit would bring is there already.
    AlreadyApplied,
    /// A file, where a directory is needed.
    NotADirectory,
    /// An edit that would bring nothing.
    EmptyContent,
    /// A pipe, a device or the like, which cannot be edited.
    NotRegular,
    /// The file has other names, which a replacement would part from it.
    HardLinked,
    /// The file is larger than what is edited in memory.
    FileTooLarge,
    /// Nobody may write the file.
    ReadOnly,
    /// The document is not the one that a guard names.
    ChecksumMismatch,
    /// Two edits of one place.
    OverlappingEdits,
    /// An edit would change headings or code blocks that it does not name.
    StructureChanged,
    /// More lines would go than was agreed to.
    DeleteLimit,
    /// More files would change than was agreed to.
    FileLimit,
    /// There are more or fewer matches than expected.
    CountMismatch,
    /// Another writer is at work.
    Locked,
    /// No collection has the name.
    CollectionNotFound,
    /// The run was asked to stop.
    Cancelled,
}

impl Code {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::TargetNotFound => "TARGET_NOT_FOUND",
            Self::LineOutOfRange => "LINE_OUT_OF_RANGE",
            Self::NotFound => "NOT_FOUND",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::NotAFile => "NOT_A_FILE",
            Self::BinaryFile => "BINARY_FILE",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::InvalidRange => "INVALID_RANGE",
            Self::InvalidPattern => "INVALID_PATTERN",
            Self::UnsupportedEncoding => "UNSUPPORTED_ENCODING",
            Self::IoError => "IO_ERROR",
            Self::TargetAmbiguous => "TARGET_AMBIGUOUS",
            Self::AmbiguousPath => "AMBIGUOUS_PATH",
            Self::OutsideRoot => "OUTSIDE_ROOT",
            Self::SymlinkEscape => "SYMLINK_ESCAPE",
            Self::FileChanged => "FILE_CHANGED",
            Self::AlreadyApplied => "ALREADY_APPLIED",
            Self::NotADirectory => "NOT_A_DIRECTORY",
            Self::EmptyContent => "EMPTY_CONTENT",
            Self::NotRegular => "NOT_REGULAR",
            Self::HardLinked => "HARD_LINKED",
            Self::FileTooLarge => "FILE_TOO_LARGE",
            Self::ReadOnly => "READ_ONLY",
            Self::ChecksumMismatch => "CHECKSUM_MISMATCH",
            Self::OverlappingEdits => "OVERLAPPING_EDITS",
            Self::StructureChanged => "STRUCTURE_CHANGED",
            Self::DeleteLimit => "DELETE_LIMIT",
            Self::FileLimit => "FILE_LIMIT",
            Self::CountMismatch => "COUNT_MISMATCH",
            Self::Locked => "LOCKED",
            Self::CollectionNotFound => "COLLECTION_NOT_FOUND",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// Whether it says that a path leads to where files may not be.
    pub fn is_outside(self) -> bool {
        matches!(self, Self::OutsideRoot | Self::SymlinkEscape)
    }

    /// The exit status it leads to.
    pub fn exit_status(self) -> ExitStatus {
        match self {
            Self::TargetNotFound | Self::LineOutOfRange | Self::AlreadyApplied => ExitStatus::No,
            Self::TargetAmbiguous | Self::AmbiguousPath => ExitStatus::Several,
            Self::FileChanged
            | Self::ChecksumMismatch
            | Self::OverlappingEdits
            | Self::StructureChanged
            | Self::DeleteLimit
            | Self::FileLimit
            | Self::CountMismatch
            | Self::Locked => ExitStatus::Conflict,
            _ => ExitStatus::Trouble,
        }
    }
}

/// How a run ended. Of several outcomes the worst is told: the order here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// Done.
    #[default]
    Done,
    /// The answer is no.
    No,
    /// Several candidates.
    Several,
    /// A conflict.
    Conflict,
    /// Trouble.
    Trouble,
}

impl ExitStatus {
    /// The number that the process exits with.
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::Trouble => 2,
            Self::Several => 3,
            Self::Conflict => 4,
        }
    }
}

/// A place that may have been meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its first line.
    pub line: u64,
    /// Its name or text.
    pub text: String,
    /// The names of the sections that contain it, outermost first, then its own.
    pub path: Vec<String>,
}

/// A failure with its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind.
    pub code: Code,
    /// One sentence without a full stop, the path left out.
    pub message: String,
    /// The file it is about.
    pub path: Option<PathBuf>,
    /// What to do.
    pub hints: Vec<Hint>,
    /// Places that may have been meant.
    pub candidates: Vec<Candidate>,
    /// Which of several requests it answers, from 0.
    pub index: Option<usize>,
}

impl Error {
    /// A failure that is about no file.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            path: None,
            hints: Vec::new(),
            candidates: Vec::new(),
            index: None,
        }
    }

    /// A command line that contradicts itself or cannot be understood.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// What the system said about a file, in its own words.
    pub fn io(error: &io::Error, path: &Path) -> Self {
        // A stream that stops by itself says why.
        if let Some(own) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return own.clone();
        }
        let code = match error.kind() {
            // A file that has become shorter while it was read.
            io::ErrorKind::UnexpectedEof => return Self::changed().at(path),
            io::ErrorKind::NotFound => Code::NotFound,
            io::ErrorKind::PermissionDenied => Code::PermissionDenied,
            io::ErrorKind::IsADirectory => Code::NotAFile,
            io::ErrorKind::NotADirectory => Code::NotADirectory,
            _ => Code::IoError,
        };
        let told = Self::new(code, system_message(error)).at(path);
        match error.raw_os_error() {
            Some(number) if number == Errno::MFILE.raw_os_error() => told.hint(TOO_MANY_FILES),
            _ => told,
        }
    }

    /// Whether the system opens no more files.
    pub fn is_too_many_files(&self) -> bool {
        self.hints.iter().any(|hint| *hint == Hint::from(TOO_MANY_FILES))
    }

    /// The error for a file that another program changed while it was handled.
    pub fn changed() -> Self {
        Self::new(Code::FileChanged, "another program changed the file in the meantime")
            .hint("run the command again: it reads the file anew")
    }

    /// The same failure, told of a file.
    pub fn at(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// The same failure with one more hint.
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

/// What to do, as data: whoever shows it spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A command of folio to run.
    Command {
        /// Its name: `read`.
        name: &'static str,
        /// Its arguments, as a program takes them: not quoted.
        args: Vec<OsString>,
        /// What it is for; may be empty.
        why: String,
    },
    /// Arguments to add to what was asked for, or to use in their place.
    Flag {
        /// As a program takes them.
        args: Vec<OsString>,
        /// What they are for; may be empty.
        why: String,
    },
    /// Anything else.
    Text(String),
}

impl Hint {
    /// A command of folio to run.
    pub fn command<A: Argument>(name: &'static str, args: impl IntoIterator<Item = A>) -> Self {
        let args = args.into_iter().map(Argument::argument).collect();
        Self::Command { name, args, why: String::new() }
    }

    /// What undoes what the history has under a number.
    pub fn undo(id: u64) -> Self {
        Self::command("undo", [id.to_string()])
    }

    /// Arguments to add to what was asked for.
    pub fn flag<A: Argument>(args: impl IntoIterator<Item = A>) -> Self {
        Self::Flag { args: args.into_iter().map(Argument::argument).collect(), why: String::new() }
    }

    /// With what it is for.
    pub fn why(mut self, reason: impl Into<String>) -> Self {
        match &mut self {
            Self::Command { why, .. } | Self::Flag { why, .. } => *why = reason.into(),
            Self::Text(_) => {}
        }
        self
    }

    /// With more arguments, after those it has.
    pub fn and<A: Argument>(mut self, more: impl IntoIterator<Item = A>) -> Self {
        if let Self::Command { args, .. } | Self::Flag { args, .. } = &mut self {
            args.extend(more.into_iter().map(Argument::argument));
        }
        self
    }

    /// What it is for.
    pub fn reason(&self) -> &str {
        let (Self::Command { why, .. } | Self::Flag { why, .. }) = self else { return "" };
        why
    }

    /// As it is typed in a shell.
    pub fn line(&self) -> String {
        let (name, args) = match self {
            Self::Text(text) => return text.clone(),
            Self::Flag { args, .. } => (None, args),
            Self::Command { name, args, .. } => (Some(format!("folio {name}")), args),
        };
        let words = args.iter().map(|word| shell_path(Path::new(word)));
        name.into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }
}

/// A word of a hint.
pub trait Argument {
    /// As a program takes it.
    fn argument(self) -> OsString;
}

macro_rules! words {
    ($($kind:ty),*) => {
        $(impl Argument for $kind {
            fn argument(self) -> OsString {
                self.into()
            }
        })*
    };
}

words!(&str, String, &String, OsString, &OsString, &OsStr);

/// A path that begins with a dash would be taken for a flag.
impl Argument for &Path {
    fn argument(self) -> OsString {
        let is_flag = self.as_os_str().as_encoded_bytes().starts_with(b"-");
        match is_flag && self.as_os_str() != "-" {
            true => Path::new(".").join(self).into_os_string(),
            false => self.as_os_str().to_owned(),
        }
    }
}

impl Argument for &PathBuf {
    fn argument(self) -> OsString {
        self.as_path().argument()
    }
}

/// As it is shown behind `hint:`, in a shell's words.
impl fmt::Display for Hint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason() {
            "" => formatter.write_str(&self.line()),
            why => write!(formatter, "{}  # {why}", self.line()),
        }
    }
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// The system's sentence without Rust's `(os error 2)`.
fn system_message(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((sentence, _)) => sentence.to_owned(),
        None => text,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(formatter, "'{}': {}", path.display(), self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}

/// Why a pattern is to be taken as the text it is.
pub const LITERALLY: &str = "the text itself";

impl From<crate::text::pattern::PatternError> for Error {
    fn from(error: crate::text::pattern::PatternError) -> Self {
        let mut told = Self::new(Code::InvalidPattern, error.message);
        told.hints.extend(error.hint.map(Hint::Text));
        let literal = error.literal.map(|text| Hint::flag(["-F".to_owned(), text]));
        told.hints.extend(literal.map(|hint| hint.why(LITERALLY)));
        told
    }
}

/// A word as a shell takes it: quoted where it must be.
pub fn shell_word(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A path as a shell takes it, whatever bytes it is made of.
pub fn shell_path(path: &Path) -> String {
    use std::fmt::Write;
    use std::os::unix::ffi::OsStrExt;
    let bytes = path.as_os_str().as_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.chars().any(char::is_control) => shell_word(text),
        _ => {
            let mut word = String::from("$'");
            for &byte in bytes {
                match byte {
                    b'\'' | b'\\' => {
                        word.push('\\');
                        word.push(byte as char);
                    }
                    b' '..=b'~' => word.push(byte as char),
                    // Writing to a string does not fail.
                    _ => drop(write!(word, "\\x{byte:02x}")),
                }
            }
            word.push('\'');
            word
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_became_shorter_was_changed() {
        let error = Error::io(&io::ErrorKind::UnexpectedEof.into(), Path::new("a.md"));
        assert_eq!((error.code, error.path.as_deref()), (Code::FileChanged, Some("a.md".as_ref())));
    }

    #[test]
    fn the_worst_outcome_is_the_greatest() {
        let numbers: Vec<u8> = [
            ExitStatus::Trouble,
            ExitStatus::Conflict,
            ExitStatus::Several,
            ExitStatus::No,
            ExitStatus::Done,
        ]
        .iter()
        .map(|status| status.number())
        .collect();
        assert_eq!(numbers, [2, 4, 3, 1, 0]);
        assert!(
            ExitStatus::Trouble > ExitStatus::Conflict
                && ExitStatus::Conflict > ExitStatus::Several
        );
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(shell_word("a.md:10-20"), "a.md:10-20");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
        let odd = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"caf\xe9's\n");
        assert_eq!(shell_path(Path::new(odd)), r"$'caf\xe9\'s\x0a'");
    }

    #[test]
    fn paths_in_hints_are_no_flags() {
        let hint = |path: &str| Hint::command("read", [Path::new(path)]).line();
        assert_eq!(hint("-a.md"), "folio read ./-a.md");
        assert_eq!(hint("-"), "folio read -");
    }

    #[test]
    fn the_system_is_quoted_without_numbers() {
        let error = Error::io(&io::Error::from_raw_os_error(2), Path::new("x"));
        assert_eq!(error.to_string(), "'x': No such file or directory");
    }
}
