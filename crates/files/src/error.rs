//! Errors, hints about what to do instead, and exit statuses.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use schemars::JsonSchema;

use folio_text::fuzzy::name::nearest;

use crate::options::FIXED_STRINGS;

pub use crate::hint::{Argument, Change, Hint, LITERALLY, shell_path, shell_word};
pub use crate::message::{Message, Opt};

/// The hint for the limit of open files.
const TOO_MANY_FILES: &str = "ulimit -Hn  # the limit of open files; a run opens two files for each edited file, so edit fewer files at once";

/// Declares the codes with their names. The names are part of the interface.
macro_rules! codes {
    ($($(#[doc = $about:literal])+ $code:ident = $name:literal,)+) => {
        /// A kind of failure.
        #[derive(JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $($(#[doc = $about])+ #[schemars(rename = $name)] $code,)+
        }

        impl Code {
            /// Returns the name that JSON output uses.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)+
                }
            }
        }
    };
}

codes! {
    /// The document has no such part.
    TargetNotFound = "TARGET_NOT_FOUND",
    /// The line is after the last line of the document.
    LineOutOfRange = "LINE_OUT_OF_RANGE",
    /// The file does not exist.
    NotFound = "NOT_FOUND",
    /// The operating system denies access.
    PermissionDenied = "PERMISSION_DENIED",
    /// A directory is given where a file is needed.
    NotAFile = "NOT_A_FILE",
    /// The file is not text.
    BinaryFile = "BINARY_FILE",
    /// The command line is invalid.
    InvalidArgument = "INVALID_ARGUMENT",
    /// The text is not a line range.
    InvalidRange = "INVALID_RANGE",
    /// The pattern does not compile.
    InvalidPattern = "INVALID_PATTERN",
    /// The label does not name an encoding.
    UnsupportedEncoding = "UNSUPPORTED_ENCODING",
    /// The document is not valid in its format.
    InvalidSyntax = "INVALID_SYNTAX",
    /// Reading or writing failed.
    IoError = "IO_ERROR",
    /// Several parts match the name.
    TargetAmbiguous = "TARGET_AMBIGUOUS",
    /// Several files match the name.
    AmbiguousPath = "AMBIGUOUS_PATH",
    /// The path is not below any of the root directories.
    OutsideRoot = "OUTSIDE_ROOT",
    /// A symlink points outside the root directory.
    SymlinkEscape = "SYMLINK_ESCAPE",
    /// Another program changed the file.
    FileChanged = "FILE_CHANGED",
    /// The edit has already been applied.
    AlreadyApplied = "ALREADY_APPLIED",
    /// A file is given where a directory is needed.
    NotADirectory = "NOT_A_DIRECTORY",
    /// The edit has no content.
    EmptyContent = "EMPTY_CONTENT",
    /// The file is a pipe, a device or another special file.
    NotRegular = "NOT_REGULAR",
    /// The file has other hard links. Replacing the file would separate it from them.
    HardLinked = "HARD_LINKED",
    /// The file is too large to be edited in memory.
    FileTooLarge = "FILE_TOO_LARGE",
    /// The file is not writable.
    ReadOnly = "READ_ONLY",
    /// The document does not have the expected checksum.
    ChecksumMismatch = "CHECKSUM_MISMATCH",
    /// Two edits overlap.
    OverlappingEdits = "OVERLAPPING_EDITS",
    /// The edit would change headings, code blocks or the meaning of links outside its part.
    StructureChanged = "STRUCTURE_CHANGED",
    /// The edit would delete more lines than allowed.
    DeleteLimit = "DELETE_LIMIT",
    /// More files would change than allowed.
    FileLimit = "FILE_LIMIT",
    /// There are more or fewer matches than expected.
    CountMismatch = "COUNT_MISMATCH",
    /// Another writer holds the lock.
    Locked = "LOCKED",
    /// No collection has the name.
    CollectionNotFound = "COLLECTION_NOT_FOUND",
    /// The run was cancelled.
    Cancelled = "CANCELLED",
}

impl Code {
    /// Whether the error is that a path is outside the roots.
    pub fn is_outside(self) -> bool {
        matches!(self, Self::OutsideRoot | Self::SymlinkEscape)
    }

    /// Returns the exit status of a run with this error.
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

/// The result of a run. The variants are ordered from best to worst. The worst result determines
/// the exit status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// The run succeeded.
    #[default]
    Done,
    /// Nothing was found, or a check failed.
    No,
    /// The name is ambiguous: there are several candidates.
    Several,
    /// The edit conflicts with the contents of the file.
    Conflict,
    /// The run failed with an error.
    Trouble,
    /// A signal with this number cancelled the run, or arrived when it could only be completed.
    Interrupted(u8),
}

impl ExitStatus {
    /// Returns the exit status of the process.
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::No => 1,
            Self::Trouble => 2,
            Self::Several => 3,
            Self::Conflict => 4,
            Self::Interrupted(signal) => 128 + signal,
        }
    }
}

/// A part that the user may have intended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The first line of the part.
    pub line: u64,
    /// The name or text of the part.
    pub text: String,
    /// The names of the sections that contain the part, outermost first, followed by the part's own
    /// name.
    pub path: Vec<String>,
}

/// An error with hints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The kind of failure.
    pub code: Code,
    /// One sentence without a full stop and without the path.
    pub message: Message,
    /// The file to which the error refers.
    pub path: Option<PathBuf>,
    /// Suggestions of what to do instead.
    pub hints: Vec<Hint>,
    /// Parts that the user may have intended.
    pub candidates: Vec<Candidate>,
    /// The index of the request that failed, if there are several requests.
    pub index: Option<usize>,
}

/// Maximum length of a message in bytes. Longer messages, which quote a long name or text, are
/// truncated in the middle.
const MAX_MESSAGE: usize = 8 << 10;

impl Error {
    /// Creates an error that refers to no file.
    pub fn new(code: Code, message: impl Into<Message>) -> Self {
        Self {
            code,
            message: message.into().shortened(MAX_MESSAGE),
            path: None,
            hints: Vec::new(),
            candidates: Vec::new(),
            index: None,
        }
    }

    /// Creates an error for an invalid command line.
    pub fn usage(message: impl Into<Message>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// Creates an error for a failed system call on a file.
    pub fn io(error: &io::Error, path: &Path) -> Self {
        // Some streams fail with an error of this type.
        if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<Self>()) {
            return inner.clone();
        }
        let code = match error.kind() {
            // The file became shorter while it was read.
            io::ErrorKind::UnexpectedEof => return Self::changed().at(path),
            // The operating system's error of this kind has a number.
            io::ErrorKind::FileTooLarge if error.raw_os_error().is_none() => Code::FileTooLarge,
            io::ErrorKind::NotFound => Code::NotFound,
            io::ErrorKind::PermissionDenied => Code::PermissionDenied,
            io::ErrorKind::IsADirectory => Code::NotAFile,
            io::ErrorKind::NotADirectory => Code::NotADirectory,
            _ => Code::IoError,
        };
        let converted = Self::new(code, system_message(error)).at(path);
        match error.raw_os_error() {
            Some(number) if number == Errno::MFILE.raw_os_error() => converted.hint(TOO_MANY_FILES),
            _ => converted,
        }
    }

    /// Whether the limit of open files has been reached.
    pub fn is_too_many_files(&self) -> bool {
        self.hints.iter().any(|hint| *hint == Hint::from(TOO_MANY_FILES))
    }

    /// Creates the error for a file that another program changed during the run.
    pub fn changed() -> Self {
        Self::new(Code::FileChanged, "another program changed the file")
            .hint("run the command again")
    }

    /// Sets the file, unless the error already has one.
    pub fn at(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Puts text before the message.
    pub fn after(mut self, start: impl Into<Message>) -> Self {
        self.message = self.message.after(start);
        self
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds the name that is most similar to `name` as a hint. If there is none, adds all names,
    /// after the words `list`.
    pub fn similar(self, name: &str, names: &[&str], list: &str) -> Self {
        match nearest(name, names.iter().copied(), 1).first() {
            Some(&at) => self.hint(format!("{}  # similar", names[at])),
            None => self.hint(format!("{list} {}", names.join(", "))),
        }
    }
}

/// Returns the operating system's message without Rust's suffix `(os error 2)`.
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
            None => self.message.fmt(formatter),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    /// Converts an error of a document, which contains the path unless it comes from elsewhere.
    fn from(error: io::Error) -> Self {
        let mut error = Self::io(&error, Path::new(""));
        error.path = error.path.filter(|path| !path.as_os_str().is_empty());
        error
    }
}

impl From<folio_text::pattern::PatternError> for Error {
    fn from(error: folio_text::pattern::PatternError) -> Self {
        let mut converted = Self::new(Code::InvalidPattern, error.message);
        converted.hints.extend(error.hint.map(Hint::from));
        let literally = || Hint::with_switch(FIXED_STRINGS).why(LITERALLY);
        converted.hints.extend(error.literal.map(|_| literally()));
        converted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_became_shorter_is_reported_as_changed() {
        let error = Error::io(&io::ErrorKind::UnexpectedEof.into(), Path::new("a.md"));
        assert_eq!((error.code, error.path.as_deref()), (Code::FileChanged, Some("a.md".as_ref())));
    }

    #[test]
    fn long_messages_are_shortened() {
        let name = "ü".repeat(MAX_MESSAGE);
        let message = Error::usage(format!("no section '{name}' in section 'a'")).to_string();
        assert!(message.starts_with("no section 'ü"), "{message}");
        assert!(message.contains("ü…ü") && message.ends_with("ü' in section 'a'"), "{message}");
        assert!(message.len() <= MAX_MESSAGE + 4, "{}", message.len());
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
    fn system_messages_have_no_error_number() {
        let error = Error::io(&io::Error::from_raw_os_error(2), Path::new("x"));
        assert_eq!(error.to_string(), "'x': No such file or directory");
    }
}
