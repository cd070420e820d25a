//! What a tool answers, before a version of the protocol gives it its form.

use serde_json::Value;

use crate::error::ExitStatus;

/// An answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Texts, each a block of its own.
    pub blocks: Vec<String>,
    /// The same as JSON, where it is JSON.
    pub structured: Option<Value>,
    /// Whether the call failed as a whole.
    pub is_error: bool,
    /// An error of the protocol in place of all that, where a seed gives numbers.
    pub fault: Option<Fault>,
    /// What failed, as JSON.
    pub errors: Vec<Value>,
    /// How a command would end.
    pub status: ExitStatus,
}

/// An error of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its number.
    pub code: i32,
    /// What is wrong.
    pub message: String,
}

impl Answer {
    /// One text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { blocks: vec![text.into()], ..Self::default() }
    }

    /// JSON: the same as text and as structured content.
    pub fn json(value: Value) -> Self {
        Self { structured: Some(value.clone()), ..Self::text(value.to_string()) }
    }

    /// An error of the protocol.
    pub fn fault(code: i32, message: impl Into<String>) -> Self {
        let fault = Fault { code, message: message.into() };
        Self { fault: Some(fault), status: ExitStatus::Trouble, ..Self::default() }
    }

    /// The same as a failure.
    pub fn failed(self, status: ExitStatus) -> Self {
        Self { is_error: true, status, ..self }
    }
}
