//! Counts the parts that meet each condition.

use folio_text::timestamp::TimeRange;

/// The conditions, in the order in which they are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The condition that the file contains the text that its parts must contain.
    Held,
    /// The conditions on keys of the front matter.
    Keyed,
    /// The conditions on kinds, levels and languages.
    Kind,
    /// The condition that the part has the name of a section.
    Section,
    Matching,
    Path,
    Having,
    NotHaving,
    Time,
    Severity,
    Containing,
    Lacking,
    Innermost,
    Repeated,
    Pick,
}

impl Stage {
    pub(super) const ALL: [Self; 15] = [
        Self::Held,
        Self::Keyed,
        Self::Kind,
        Self::Section,
        Self::Matching,
        Self::Path,
        Self::Having,
        Self::NotHaving,
        Self::Time,
        Self::Severity,
        Self::Containing,
        Self::Lacking,
        Self::Innermost,
        Self::Repeated,
        Self::Pick,
    ];
}

/// For each condition, the number of files and parts that met it and all conditions before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of files.
    pub files: u64,
    /// Number of files without front matter, and thus without the keys in `--without-key`.
    pub bare: u64,
    /// The number of files that met conditions on keys without a path, and of which keys or INI
    /// sections are selected.
    pub keyed_parts: u64,
    /// The number of files below directories whose syntax is invalid, if conditions apply to keys.
    pub(super) invalid: u64,
    /// The number of files that could not be read.
    pub failed: u64,
    pub(super) left: [u64; Stage::ALL.len()],
    /// The times of the entries and headings to which conditions on times apply.
    pub(super) times: Option<TimeRange>,
}

impl Tally {
    /// Adds the numbers of other files.
    pub fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.bare += other.bare;
        self.keyed_parts += other.keyed_parts;
        self.invalid += other.invalid;
        self.failed += other.failed;
        for time in other.times.iter().flat_map(|times| [times.first, times.last]) {
            self.times = TimeRange::with(self.times, Some(time));
        }
        for (left, more) in self.left.iter_mut().zip(other.left) {
            *left += more;
        }
    }

    /// Returns the number of selected parts.
    pub(super) fn parts(&self) -> usize {
        self.left[Stage::Pick as usize] as usize
    }

    pub(super) fn count(&mut self, stage: Stage, left: usize) {
        self.left[stage as usize] += left as u64;
    }
}
