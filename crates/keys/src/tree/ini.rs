//! The sections and keys of INI files in a tree, and how their names are written in key paths.

use std::ops::Range;

use folio_text::ini_dialect::IniDialect;

use super::{Kind, Syntax, Tree};
use crate::path::split_index;

impl Tree {
    pub(crate) fn ini_dialect(&self) -> Option<IniDialect> {
        match self.syntax {
            Syntax::Ini(dialect) => Some(dialect),
            _ => None,
        }
    }

    /// Whether a key before the first section of an INI file has a name with a dot.
    pub(crate) fn has_dotted_key(&self) -> bool {
        self.ini_keys(Self::ROOT).any(|key| self.name(key).is_some_and(|name| name.contains('.')))
    }

    pub(crate) fn ini_sections(&self) -> impl Iterator<Item = usize> + '_ {
        let is_section = |index: &usize| self.node(*index).kind == Kind::Mapping;
        let first = (1..self.nodes.len()).find(is_section);
        std::iter::successors(first, |&index| {
            let next = index + self.size(index);
            (next < self.nodes.len()).then_some(next)
        })
    }

    /// Returns the keys of a section of an INI file, or those before the first section.
    pub(crate) fn ini_keys(&self, mapping: usize) -> Range<usize> {
        match mapping {
            Self::ROOT => 1..self.ini_sections().next().unwrap_or(self.nodes.len()),
            section => section + 1..section + self.size(section),
        }
    }
}

/// Splits the name of a section of git, such as `remote "origin"`.
pub(crate) fn subsection(name: &str) -> Option<(&str, &str)> {
    let (first, rest) = name.split_once(" \"")?;
    Some((first, rest.strip_suffix('"')?))
}

/// Appends the name of a section or key to its path, as look-ups read it. A name is in quotes
/// if its dots or brackets could be those of the path.
pub(super) fn push_step(tree: &Tree, path: &mut String, index: usize) {
    let name = tree.name(index).unwrap_or_default();
    let is_plain = |name: &str| !name.is_empty() && !name.contains(['.', '[', ']', '"', '\'']);
    if tree.node(index).kind == Kind::Mapping {
        let parts = subsection(name).filter(|(first, _)| is_plain(first));
        // A key before all sections could have a name that is the path of a key in a section.
        match parts {
            _ if tree.has_dotted_key() => path.push_str(&format!("\"{name}\"")),
            _ if is_plain(name) => path.push_str(name),
            Some((first, rest)) if is_plain(rest) => path.push_str(&format!("{first}.{rest}")),
            Some((first, rest)) => path.push_str(&format!("{first}.\"{rest}\"")),
            None => path.push_str(&format!("\"{name}\"")),
        }
        return;
    }
    if path.is_empty() {
        path.push_str(name);
        return;
    }
    path.push('.');
    let may_be_path = name.contains('.') || split_index(name).is_some();
    if may_be_path && !name.contains(['"', '\'']) {
        path.push_str(&format!("\"{name}\""));
    } else {
        path.push_str(name);
    }
}
