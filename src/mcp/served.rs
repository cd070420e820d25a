//! The tools that a server offers.

use serde_json::{Map, Value};

use super::answer::Answer;
use super::editor::Editor;
use super::table;
use super::tool::spelling::Spelling;
use super::tool::{Effect, Set, Tool};
use crate::commands::host::Host;
use folio_files::error::Error;

/// The tools that a server offers.
#[derive(Clone)]
pub(super) struct Served {
    /// The tools, in order.
    pub(super) tools: Vec<&'static Tool>,
    /// The editor whose unsaved contents take precedence, if there is one.
    pub(super) editor: Option<Editor>,
}

impl Served {
    /// Creates the list of tools in `sets`, without tools that write if `read_only` is set.
    pub(super) fn new(sets: &[Set], read_only: bool, editor: Option<Editor>) -> Self {
        let is_served = |tool: &&'static Tool| {
            sets.contains(&tool.set) && (tool.effect == Effect::Reads || !read_only)
        };
        Self { tools: table::tools().filter(is_served).collect(), editor }
    }

    /// Returns the tool with this name.
    ///
    /// # Errors
    ///
    /// Fails if no tool has this name. The error suggests similar names.
    pub(super) fn find(&self, name: &str) -> Result<&'static Tool, Error> {
        if let Some(tool) = self.tools.iter().find(|tool| tool.name == name) {
            return Ok(tool);
        }
        let error = Error::usage(format!("unknown tool '{name}'"));
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.name).collect();
        Err(error.similar(name, &names, "there are"))
    }

    /// Runs a call.
    pub(super) fn call(&self, tool: &Tool, arguments: Map<String, Value>, host: &Host) -> Answer {
        let (tools, editor) = (&self.tools[..], self.editor.as_ref());
        tool.call(arguments, tools, host, editor)
    }

    /// Returns the answer to a call that is refused without running it.
    pub(super) fn refused(&self, tool: &Tool, error: &Error) -> Answer {
        (tool.refuse)(Spelling { tool, tools: &self.tools, arguments: &Map::new() }, error)
    }
}
