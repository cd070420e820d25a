//! The result of a tool call, independent of the protocol version.

use serde_json::Value;

use folio_files::error::ExitStatus;

/// The result of a tool call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Text content. Each string becomes a content block.
    pub blocks: Vec<String>,
    /// Structured content, if the tool returns JSON.
    pub structured: Option<Value>,
    /// Whether the call as a whole failed.
    pub is_error: bool,
    /// A JSON-RPC error to send instead of a result. Used by sets of tools whose contract defines
    /// error codes.
    pub fault: Option<Fault>,
    /// The errors of the call, as JSON objects.
    pub errors: Vec<Value>,
    /// The exit status that the command line would return.
    pub status: ExitStatus,
}

/// A JSON-RPC error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Error code.
    pub code: i32,
    /// Error message.
    pub message: String,
}

impl Answer {
    /// Creates an answer with one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { blocks: vec![text.into()], ..Self::default() }
    }

    /// Creates an answer that contains `value` both as text and as structured content.
    pub fn json(value: Value) -> Self {
        let text = Self::text(value.to_string());
        Self { structured: Some(value), ..text }
    }

    /// Creates an answer that is a JSON-RPC error.
    pub fn fault(code: i32, message: impl Into<String>) -> Self {
        let fault = Fault { code, message: message.into() };
        Self { fault: Some(fault), status: ExitStatus::Trouble, ..Self::default() }
    }

    /// Marks the answer as failed, with exit status `status`.
    pub fn failed(self, status: ExitStatus) -> Self {
        Self { is_error: true, status, ..self }
    }
}

/// Returns the beginning of `text`, at most `most` bytes long.
#[cfg(feature = "search")]
pub(super) fn truncated(text: &str, most: usize) -> &str {
    let ends = (0..=text.len().min(most)).rev();
    &text[..ends.into_iter().find(|at| text.is_char_boundary(*at)).unwrap_or(0)]
}
