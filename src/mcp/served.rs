//! The tools that a server offers.

use serde_json::{Map, Value};

use super::answer::Answer;
use super::call::{Call, Entry};
use super::editor::Editor;
use super::spelling::Spelling;
use super::table;
use super::tool::{Effect, Set, Tool};
use crate::commands::misses::nearest;
use crate::error::Error;
use crate::files::env::Env;

/// The tools that a server offers.
#[derive(Clone)]
pub struct Served {
    entries: Vec<&'static Entry>,
    tools: Vec<&'static Tool>,
    editor: Option<Editor>,
}

impl Served {
    /// The tools of `sets`, without those that write if `read_only`.
    pub fn new(sets: &[Set], read_only: bool) -> Self {
        let is_served = |entry: &&'static Entry| {
            sets.contains(&entry.tool.set) && (entry.tool.effect == Effect::Reads || !read_only)
        };
        Self::of(table::entries().filter(is_served).collect())
    }

    /// Offers exactly these tools.
    pub fn of(entries: Vec<&'static Entry>) -> Self {
        Self { tools: entries.iter().map(|entry| &entry.tool).collect(), entries, editor: None }
    }

    /// Sets the editor that is asked for unsaved contents first.
    pub fn with_editor(self, editor: Option<Editor>) -> Self {
        Self { editor, ..self }
    }

    /// All tools, in order.
    pub fn tools(&self) -> &[&'static Tool] {
        &self.tools
    }

    /// The tool called `name`.
    ///
    /// # Errors
    ///
    /// Fails if no tool has that name; the error suggests similar ones.
    pub fn find(&self, name: &str) -> Result<&'static Entry, Error> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.tool.name == name) {
            return Ok(entry);
        }
        let error = Error::usage(format!("unknown tool '{name}'"));
        let names: Vec<&str> = self.tools.iter().map(|tool| tool.name).collect();
        Err(match nearest(name, names.iter().copied(), 1).first() {
            Some(at) => error.hint(format!("{}  # similar", names[*at])),
            None => error.hint(format!("there are {}", names.join(", "))),
        })
    }

    /// Runs a call.
    pub fn call(&self, entry: &'static Entry, given: Map<String, Value>, env: &Env) -> Answer {
        let spelling = self.spelling(entry);
        entry.call(given, &Call { env, spelling, editor: self.editor.as_ref() })
    }

    /// The answer to a call that is refused before it runs.
    pub fn refused(&self, entry: &'static Entry, error: &Error) -> Answer {
        (entry.refuse)(self.spelling(entry), error)
    }

    fn spelling(&self, entry: &'static Entry) -> Spelling<'_> {
        Spelling { tool: &entry.tool, tools: &self.tools }
    }
}
