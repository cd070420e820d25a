//! The table of all tools, in the order in which they are listed.

#[cfg(feature = "search")]
use super::documents;
use super::tool::{Set, Tool};
use super::{core, fs, fs_mcp, read_text_file, text_tools};
use folio_files::error::Error;
use folio_files::options::TOOLS;
use folio_text::fuzzy::name::nearest;

/// The tools, grouped by set.
static TABLE: &[&[Tool]] = &[
    &core::TOOLS,
    &fs_mcp::TOOLS,
    &text_tools::TOOLS,
    #[cfg(feature = "search")]
    &documents::TOOLS,
    &read_text_file::TOOLS,
    &fs::TOOLS,
    #[cfg(feature = "search")]
    &core::RELATED,
];

/// Returns all tools.
pub fn tools() -> impl Iterator<Item = &'static Tool> {
    TABLE.iter().copied().flatten()
}

/// Returns the tool called `name`.
pub fn find(name: &str) -> Option<&'static Tool> {
    tools().find(|tool| tool.name == name)
}

/// Parses the value of `--tools`: names of sets, separated by commas.
///
/// # Errors
///
/// Fails if a set does not exist.
pub fn sets(text: &str) -> Result<Vec<Set>, Error> {
    let mut sets = Vec::new();
    for name in text.split(',').map(str::trim) {
        match Set::ALL.iter().find(|(_, set_name)| *set_name == name) {
            Some((set, _)) => sets.push(*set),
            None if name == "all" => sets.extend(Set::ALL.iter().map(|(set, _)| *set)),
            None => return Err(unknown(name)),
        }
    }
    Ok(sets)
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = Set::ALL.iter().map(|(_, name)| *name).collect();
    let error = Error::usage(format!("{TOOLS}: unknown set '{name}'"));
    let error = match nearest(name, names.iter().copied(), 1).first() {
        Some(at) => error.hint(format!("{TOOLS} {}  # similar", names[*at])),
        None => error,
    };
    error.hint(format!("the sets are {}, all", names.join(", ")))
}
